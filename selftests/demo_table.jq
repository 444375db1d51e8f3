# SPDX-License-Identifier: GPL-2.0
#
# demo_table.jq - the table of the demonstration.
#
#	jq -L selftests -rf selftests/demo_table.jq build/demo/summary.json
#
# A row is one figure of one work, for each algorithm that ran; `need` says whether the
# requirement is met: true, false, or null where nothing is required or nothing ran.

include "demo_format";

. as $all |
[.runs[].alg] as $ran |
["stock", "none", "dcqcn", "rtt", "timely", "swift"] | map(select(. as $alg | $ran | index($alg))) as $algs |

def run($senders; $kb; $ecn; $alg):
	[$all.runs[] | select(.work == "incast" and .senders == $senders and .queue_kb == $kb and .ecn == $ecn and
			      .alg == $alg)][0];

# need is true, false or null (nothing is required, or there is nothing to judge).
def row($work; $figure; value; shown; $required; need):
	(value | . as $values | {
		work: $work, figure: $figure, cells: ($values | map_values(shown)), required: $required,
		need: (if $required == "" then null else need end)
	});
def of($senders; $kb; $ecn; f): reduce $algs[] as $a ({}; .[$a] = (run($senders; $kb; $ecn; $a) | f));

# A condition on the values of some algorithms: null if one of them did not run.
def judge($names; cond): . as $v | if any($names[]; $v[.] == null) then null else $v | cond end;
def dcqcn(cond): judge(["dcqcn"]; cond);
# The two that need no mark from the switch.
def unmarked(cond): judge(["dcqcn", "rtt", "swift"]; cond);

def converge(f): reduce $algs[] as $a ({};
	.[$a] = ([$all.runs[] | select(.work == "converge" and .alg == $a)][0] | f));

# The figures that each incast has, and one more of an incast.
def incast($name; $senders; $kb; $ecn; $required; need):
	row($name; "utilisation"; of($senders; $kb; $ecn; .utilisation); percent; $required; need),
	row(""; "dropped packets"; of($senders; $kb; $ecn; .drops); decimals(0); ""; null);
def more($senders; $kb; $ecn; $figure; f; shown; $required; need):
	row(""; $figure; of($senders; $kb; $ecn; f); shown; $required; need);

def small($figure; f; shown; $required; need):
	(reduce $algs[] as $a ({}; .[$a] = (run(8; 256; true; $a).small_msg_us | f))) as $v |
	row($figure[0]; $figure[1]; $v; shown; $required; need);

[
	incast("2 -> 1, 32 KB queue"; 2; 32; false; "dcqcn >= 85 %"; dcqcn(.dcqcn >= 0.85)),
	incast("2 -> 1, 256 KB queue"; 2; 256; false; "rtt, swift >= 90 %"; unmarked(.rtt >= 0.9 and .swift >= 0.9)),
	more(2; 256; false; "Jain"; .jain; decimals(3); ""; null),
	more(2; 256; false; "queue p50, KB"; .queue_used_kb.p50; decimals(0); ""; null),
	more(2; 256; false; "queue p99, KB"; .queue_used_kb.p99; decimals(0); "<= dcqcn / 2";
	     unmarked(.rtt * 2 <= .dcqcn and .swift * 2 <= .dcqcn)),
	incast("8 -> 1, 256 KB queue"; 8; 256; false; "rtt, swift >= 90 %"; unmarked(.rtt >= 0.9 and .swift >= 0.9)),
	more(8; 256; false; "Jain"; .jain; decimals(3); ""; null),
	more(8; 256; false; "queue p50, KB"; .queue_used_kb.p50; decimals(0); ""; null),
	more(8; 256; false; "queue p99, KB"; .queue_used_kb.p99; decimals(0); "<= dcqcn / 2";
	     unmarked(.rtt * 2 <= .dcqcn and .swift * 2 <= .dcqcn)),
	incast("2 -> 1, 256 KB queue, ECN 30/100 KB"; 2; 256; true; "dcqcn >= 92 %"; dcqcn(.dcqcn >= 0.92)),
	more(2; 256; true; "dropped after 100 ms"; .drops_after_100ms; decimals(0); "dcqcn 0"; dcqcn(.dcqcn == 0)),
	more(2; 256; true; "Jain"; .jain; decimals(3); "dcqcn >= 0.95"; dcqcn(.dcqcn >= 0.95)),
	more(2; 256; true; "queue p50, KB"; .queue_used_kb.p50; decimals(0); ""; null),
	more(2; 256; true; "queue p99, KB"; .queue_used_kb.p99; decimals(0); ""; null),
	incast("8 -> 1, 256 KB queue, ECN 30/100 KB"; 8; 256; true; "dcqcn >= 90 %"; dcqcn(.dcqcn >= 0.90)),
	more(8; 256; true; "Jain"; .jain; decimals(3); "dcqcn >= 0.95"; dcqcn(.dcqcn >= 0.95)),
	more(8; 256; true; "QP errors"; .qp_errors; decimals(0); "0"; dcqcn([.[] | select(. != null)] | add == 0)),
	more(8; 256; true; "queue p50, KB"; .queue_used_kb.p50; decimals(0); ""; null),
	more(8; 256; true; "queue p99, KB"; .queue_used_kb.p99; decimals(0); ""; null),
	small(["64 bytes through the same port", "p50"]; .p50; us; ""; null),
	small(["", "p99"]; .p99; us; ""; null),
	small(["", "p99.99"]; .p9999; us; "<= stock / 10"; judge(["stock", "dcqcn"]; .dcqcn * 10 <= .stock)),
	small(["", "not arrived in time"]; .lost; decimals(0); ""; null),
	row("a second flow joins"; "fair after, ms"; converge(.fair_ms); decimals(0); ""; null),
	row("and leaves"; "whole port after, ms"; converge(.alone_ms); decimals(0); ""; null),
	(($all.overhead.algs // {}) as $o |
	 row("one flow, no congestion"; "Gb/s"; ($o | map_values(.gbps)); decimals(2); ">= 0.97 of stock";
	     judge(["stock", "dcqcn"]; .dcqcn >= 0.97 * .stock)),
	 row(""; "instructions per packet"; ($o | map_values(.instr_per_packet)); decimals(0); ""; null)),
	(($all.overhead // {}) as $o |
	 row("the same with telemetry"; "of that without"; {dcqcn: $o.telemetry_ratio}; percent; ">= 98 %"; dcqcn(.dcqcn >= 0.98)),
	 row(""; "instructions per packet"; {dcqcn: $o.telemetry_instr_per_packet}; decimals(0); ""; null),
	 row(""; "samples lost"; {dcqcn: $o.telemetry_lost}; decimals(0); "0"; dcqcn(.dcqcn == 0)))
] |
map(.verdict = (if .need == null then "" elif .need then "PASS" else "short of it" end)) as $rows |

([$rows[].work | length] | max) as $w |
([$rows[].figure | length] | max) as $f |
(map(select(.need)) | length) as $met |
(map(select(.need != null)) | length) as $judged |
def line($work; $figure; $cells; $required; $verdict):
	($work | pad($w + 2)) + ($figure | pad($f + 2)) +
	([$algs[] | . as $a | $cells[$a] // "-" | lpad(10)] | add) + "   " + ($required | pad(20)) + $verdict |
	sub(" +$"; "");
line("work"; "figure"; (reduce $algs[] as $a ({}; .[$a] = $a)); "required"; ""),
line("-" * $w; "-" * $f; (reduce $algs[] as $a ({}; .[$a] = "-" * 8)); "-" * 18; ""),
($rows[] | line(.work; .figure; .cells; .required; .verdict)),
"",
(if $judged > 0 then "\($met) of \($judged) required figures reached." else empty end)
