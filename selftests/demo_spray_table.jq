# SPDX-License-Identifier: GPL-2.0
#
# demo_spray_table.jq - the table of the demonstration of several paths.
#
#	jq -L selftests -rf selftests/demo_spray_table.jq build/demo-spray/summary.json
#
# A row is one figure of one work, on stock rxe and with rxe_cc: of the first line that
# DEMO_ROWS has for it.  A requirement is not met if no packet went through the link layer.

include "demo_format";
include "demo_spray_need";

. as $all |

# The first run of that work for which the condition holds.
def run($mode; $work; cond): [$all.runs[] | select(.mode == $mode and .work == $work and cond)][0];

# A line of the table; need judges the value .rxe_cc, and may compare it with .stock.
def row($title; $figure; $work; cond; value; shown; $required; need):
	{stock: run("stock"; $work; cond), rxe_cc: run("rxe_cc"; $work; cond)} as $runs |
	($runs | map_values(value)) as $v | {
		title: $title, figure: $figure, cells: ($v | map_values(shown)), required: $required,
		how: (if $title != "" and $runs.rxe_cc then "\($runs.rxe_cc.spray), \($runs.rxe_cc.alg)" else "" end),
		verdict: (if $required == "" or $runs.rxe_cc == null then ""
			  elif ($runs.rxe_cc.counters.link_tx_packets // 0) == 0 then "no link layer"
			  elif $v | need then "reached"
			  else "not reached" end)
	};

def utilisation($title; $work; cond; $loss_pct):
	({work: $work, loss_pct: $loss_pct} | least) as $min |
	row($title; "utilisation"; $work; cond; .utilisation; percent; ">= \($min * 100) %"; .rxe_cc >= $min);
def utilisation($title; $work; cond): utilisation($title; $work; cond; null);
def zero($figure; $work; cond; value):
	row(""; $figure; $work; cond; value; decimals(0); "0"; .rxe_cc == 0);
def shown($figure; $work; cond; value; digits):
	row(""; $figure; $work; cond; value; decimals(digits); ""; null);

def spray($n):
	utilisation("one QP over \($n) paths of 50 Mb/s"; "spray"; .paths == $n),
	shown("paths with 5 % of the bytes"; "spray"; .paths == $n;
	      .path_bytes | [.[]] | add as $sum | map(select(. > 0.05 * $sum)) | length; 0),
	shown("NAKs seen by rxe"; "spray"; .paths == $n; .naks_seen; 0),
	shown("repeats"; "spray"; .paths == $n; .repeats + .rxe_repeats; 0);

def loss($percent):
	utilisation("\($percent) % lost of 200 Mb/s, 1 ms"; "loss"; .loss_pct == $percent; $percent),
	shown("packets lost, data"; "loss"; .loss_pct == $percent; .netem_lost.data + .drops; 0),
	shown("packets lost, way back"; "loss"; .loss_pct == $percent; .netem_lost.back; 0),
	row(""; "repeats"; "loss"; .loss_pct == $percent; {n: (.repeats + .rxe_repeats), lost: (.netem_lost.data + .drops)};
	    .n | decimals(0); "losses, 5 %"; .rxe_cc | (.n - .lost | fabs) <= 0.05 * .lost),
	shown("NAKs seen by rxe"; "loss"; .loss_pct == $percent; .naks_seen; 0);

def reorder($title; $netem):
	utilisation($title; "reorder"; .netem == $netem),
	zero("repeats"; "reorder"; .netem == $netem; .repeats + .rxe_repeats),
	zero("NAKs seen by rxe"; "reorder"; .netem == $netem; .naks_seen);

def overhead($title; $rig):
	row($title; "instructions per packet"; "overhead"; .rig == $rig; .instr_per_packet; decimals(0);
	    "stock / 0.95"; .stock and .rxe_cc * 0.95 <= .stock),
	shown("Mb/s"; "overhead"; .rig == $rig; .goodput_mbps | add; 0);

[
	spray(4), spray(8),
	utilisation("4 elephants over 4 paths"; "elephants"; true),
	row(""; "Jain"; "elephants"; true; .jain; decimals(3); ">= 0.98"; .rxe_cc >= 0.98),
	zero("NAKs seen by rxe"; "elephants"; true; .naks_seen),
	loss(0.1), loss(1), loss(5),
	reorder("a quarter is early by 1 ms"; "delay 1ms reorder 25%"),
	reorder("a quarter is late by 1 ms"; "delay 1ms reorder 75%"),
	row("one of 4 paths dies"; "QP errors"; "path_down"; true; .qp_errors; decimals(0); "0"; .rxe_cc == 0),
	row(""; "RTTs below 95 % of the rest"; "path_down"; true; .rtts; decimals(1); "< 10"; .rxe_cc and .rxe_cc < 10),
	row(""; "after 0.5 s, of the rest"; "path_down"; true; .rest_used; percent; ">= 95 %"; .rxe_cc >= 0.95),
	shown("RTT, ms"; "path_down"; true; .rtt_ms; 1),
	shown("missed in 0.5 s, ms of the rest"; "path_down"; true; .missed_ms; 0),
	row("and comes back"; "used again after, ms"; "path_down"; true; .back_ms; decimals(0); "<= 1000";
	    .rxe_cc and .rxe_cc <= 1000),
	shown("all as before after, ms"; "path_down"; true; .full_ms; 0),
	utilisation("one of 4 paths has a quarter"; "path_slow"; true),
	overhead("no limit, one switch"; "switch"),
	overhead("no limit, one cable"; "cable")
] as $rows |

([$rows[].title | length] | max) as $w |
([$rows[].figure | length] | max) as $f |
([$rows[].how | length, 8] | max) as $h |
([$rows[] | select(.verdict == "reached")] | length) as $met |
([$rows[] | select(.verdict != "")] | length) as $judged |
def line($title; $figure; $stock; $rxe_cc; $how; $required; $verdict):
	($title | pad($w + 2)) + ($figure | pad($f + 2)) + ($stock // "-" | lpad(9)) + ($rxe_cc // "-" | lpad(9)) +
	"   " + ($how | pad($h + 2)) + ($required | pad(15)) + $verdict | sub(" +$"; "");
line("work"; "figure"; "stock"; "rxe_cc"; "by"; "required"; ""),
line("-" * $w; "-" * $f; "-" * 8; "-" * 8; "-" * $h; "-" * 13; ""),
($rows[] | line(.title; .figure; .cells.stock; .cells.rxe_cc; .how; .required; .verdict)),
"",
(if $judged > 0 then "\($met) of \($judged) required figures reached." else empty end)
