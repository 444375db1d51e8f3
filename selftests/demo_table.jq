# SPDX-License-Identifier: GPL-2.0
#
# demo_table.jq - the table of the demonstration.
#
#	jq -rf demo_table.jq build/demo/summary.json
#
# A row is one figure of one work, for each algorithm that ran; a requirement is on
# dcqcn's value, and `need` says whether it is met.

def pad(n): . + (" " * ([n - length, 0] | max) // "");
def lpad(n): (" " * ([n - length, 0] | max) // "") + .;

def fixed(digits):
	if digits == 0 then round | tostring
	else pow(10; digits) as $p | (. * $p | round) as $n | ($n / $p | floor | tostring) + "." +
		($n % $p | tostring | ("0" * (digits - length) // "") + .)
	end;
def percent: if . == null then null else (. * 100 | fixed(1)) + " %" end;
def decimals(n): if . == null then null else fixed(n) end;
def us: if . == null then null elif . >= 10000 then (. / 1000 | fixed(0)) + " ms"
	elif . >= 1000 then (. / 1000 | fixed(1)) + " ms" else fixed(0) + " us" end;

. as $all |
[.runs[].alg] as $ran |
["stock", "none", "dcqcn"] | map(select(. as $alg | $ran | index($alg))) as $algs |

def run($senders; $kb; $ecn; $alg):
	[$all.runs[] | select(.work == "incast" and .senders == $senders and .queue_kb == $kb and .ecn == $ecn and
			      .alg == $alg)][0];

# need is true, false or null (nothing is required, or there is nothing to judge).
def row($work; $figure; value; shown; $required; need):
	(value | . as $values | {
		work: $work, figure: $figure, cells: ($values | map_values(shown)), required: $required,
		need: (if $required == "" or $values.dcqcn == null then null else need end)
	});
def of($senders; $kb; $ecn; f): reduce $algs[] as $a ({}; .[$a] = (run($senders; $kb; $ecn; $a) | f));

# The figures that each incast has, and one more of an incast.
def incast($name; $senders; $kb; $ecn; $required; $least):
	row($name; "utilisation"; of($senders; $kb; $ecn; .utilisation); percent; $required; .dcqcn >= $least),
	row(""; "dropped packets"; of($senders; $kb; $ecn; .drops); decimals(0); ""; null);
def more($senders; $kb; $ecn; $figure; f; shown; $required; need):
	row(""; $figure; of($senders; $kb; $ecn; f); shown; $required; need);

def small($figure; f; shown; $required; need):
	(reduce $algs[] as $a ({}; .[$a] = (run(8; 256; true; $a).small_msg_us | f))) as $v |
	row($figure[0]; $figure[1]; $v; shown; $required; need);

[
	incast("2 -> 1, 32 KB queue"; 2; 32; false; ">= 85 %"; 0.85),
	incast("2 -> 1, 256 KB queue"; 2; 256; false; ""; 0),
	incast("2 -> 1, 256 KB queue, ECN 30/100 KB"; 2; 256; true; ">= 92 %"; 0.92),
	more(2; 256; true; "dropped after 100 ms"; .drops_after_100ms; decimals(0); "0"; .dcqcn == 0),
	more(2; 256; true; "Jain"; .jain; decimals(3); ">= 0.95"; .dcqcn >= 0.95),
	more(2; 256; true; "queue p99, KB"; .queue_used_kb.p99; decimals(0); ""; null),
	incast("8 -> 1, 256 KB queue, ECN 30/100 KB"; 8; 256; true; ">= 90 %"; 0.90),
	more(8; 256; true; "Jain"; .jain; decimals(3); ">= 0.95"; .dcqcn >= 0.95),
	more(8; 256; true; "QP errors"; .qp_errors; decimals(0); "0"; .dcqcn == 0),
	more(8; 256; true; "queue p99, KB"; .queue_used_kb.p99; decimals(0); ""; null),
	small(["64 bytes through the same port", "p50"]; .p50; us; ""; null),
	small(["", "p99"]; .p99; us; ""; null),
	small(["", "p99.99"]; .p9999; us; "<= stock / 10"; .stock == null or .dcqcn * 10 <= .stock),
	small(["", "not arrived in time"]; .lost; decimals(0); ""; null),
	($all.overhead as $o |
	 {stock: $o.stock_gbps, none: $o.none_gbps, dcqcn: $o.loaded_gbps} as $gbps |
	 {stock: $o.stock_instr_per_packet, none: $o.none_instr_per_packet, dcqcn: $o.loaded_instr_per_packet} as $instr |
	 row("one flow, no congestion"; "Gb/s"; $gbps; decimals(2); ">= 0.97 of stock";
	     .stock == null or .dcqcn >= 0.97 * .stock),
	 row(""; "instructions per packet"; $instr; decimals(0); ""; null))
] |
map(.verdict = (if .need == null then "" elif .need then "PASS" else "short of it" end)) as $rows |

([$rows[].work | length] | max) as $w |
([$rows[].figure | length] | max) as $f |
(map(select(.need)) | length) as $met |
(map(select(.need != null)) | length) as $judged |
def line($work; $figure; $cells; $required; $verdict):
	($work | pad($w + 2)) + ($figure | pad($f + 2)) +
	([$algs[] | . as $a | $cells[$a] // "-" | lpad(11)] | add) + "   " + ($required | pad(17)) + $verdict |
	sub(" +$"; "");
line("work"; "figure"; (reduce $algs[] as $a ({}; .[$a] = $a)); "required"; ""),
line("-" * $w; "-" * $f; (reduce $algs[] as $a ({}; .[$a] = "-" * 9)); "-" * 15; ""),
($rows[] | line(.work; .figure; .cells; .required; .verdict)),
"",
(if $judged > 0 then "\($met) of \($judged) required figures reached." else empty end)
