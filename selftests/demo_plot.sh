#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo_plot.sh DIR OUT - draw what a demonstration measured: OUT/incast and
# OUT/converge, as svg and png.
#
# DIR holds what demo.sh left: results.json, and the samples of every run as CSV.
# Incast: stock above, rxe_cc below; 2 -> 1 on the left, 8 -> 1 on the right.  Each pair
# of panels shows the flows' goodput, stacked, against the port's rate, and below it
# the queue of that port.  Converge: one panel for each algorithm, a flow that is joined
# by a second one and left again, and the queue.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/demo_draw.sh"

# Seconds shown of an incast, and the step of the rates.
seconds=3 step=0.05
msg_bits=$((65536 * 8))

# rates CSV: seconds, then the flows' rates summed up from none to all.  A message
# spreads over the time since the flow's last one.
rates()
{
	awk -F, -v step=$step -v end="$seconds" -v bits=$msg_bits '
	NR == 1 { for (i = 6; i <= NF; i += 2) col[++n] = i; next }
	{
		for (f = 1; f <= n; f++) {
			c = $col[f]
			if (c == last[f])
				continue
			spread(f, $1, c - last[f])
			last[f] = c
		}
	}
	function spread(f, to, msgs,    from, total, b, lo, hi) {
		# The first message of a flow has no beginning that we saw.
		from = f in at ? at[f] : to - step
		total = to - from
		for (b = floor(from / step); b * step < to; b++) {
			lo = b * step > from ? b * step : from
			hi = (b + 1) * step < to ? (b + 1) * step : to
			if (hi > lo)
				sum[f, b] += msgs * (hi - lo) / total
		}
		at[f] = to
	}
	function floor(x) { return x >= 0 || x == int(x) ? int(x) : int(x) - 1 }
	END {
		for (b = 0; b * step < end - step / 2; b++) {
			printf "%.3f 0", (b + 0.5) * step
			for (f = 1; f <= n; f++) {
				top[b] += sum[f, b] * bits / step / 1e6
				printf " %.2f", top[b]
			}
			print ""
		}
	}' "$1"
}

# queue CSV: seconds and KB; the greatest of every 4 ms, so that peaks stay.
queue()
{
	awk -F, -v end="$seconds" '
	NR == 1 || $1 < 0 { next }
	$1 > end { exit }
	int($1 / 0.004) != slot {
		printf "%.3f %.1f\n", slot * 0.004, max
		slot = int($1 / 0.004)
		max = 0
	}
	{ if ($2 / 1024 > max) max = $2 / 1024 }' "$1"
}

# note SENDERS ALG: what the panel says about its run.
note()
{
	jq -r --argjson senders "$1" --arg alg "$2" '
	def thousands: tostring | if length > 3 then .[:-3] + "," + .[-3:] else . end;
	.runs[] | select(.senders == $senders and .ecn and .alg == $alg) |
	"\(.utilisation * 1000 | round / 10) % of the port used,  \(.drops | thousands) packets dropped" +
	(.small_msg_us // {} | if .p9999 then
		",  64 B p99.99 " + (.p9999 |
			if . >= 10000 then "\(. / 1000 | round) ms" else "\(. / 100 | round / 10) ms" end)
	 else "" end)' "$dir/results.json"
}

# samples CSV NAME: what gnuplot reads of them.
samples()
{
	[ -f "$1" ] || { echo "demo_plot.sh: no $1" >&2; exit 1; }
	rates "$1" > "$work/$2.rates"
	queue "$1" > "$work/$2.queue"
}

incast()
{
	local senders alg

	for senders in 2 8; do
		for alg in stock dcqcn; do
			samples "$dir/incast-$senders-256-ecn-$alg.csv" "$senders-$alg"
		done
	done
	incast_script > "$work/plot"
	draw incast 1500,1000
}

incast_script()
{
	cat <<-END
	flow(i) = word("#4269a5 #7fb3d5 #2a9d8f #8ac6a0 #e9a03b #f2cf7e #c8553d #e5989b", i)
	set multiplot
	set key off
	set border 3 lc rgb "#666666"
	set tics nomirror out scale 0.4 textcolor rgb "#444444"
	set xrange [0:$seconds]
	set style fill solid 1.0 noborder

	set label 1 "Incast into a 200 Mb/s switch port: each flow's goodput, and the port's queue" \\
		at screen 0.02, 0.972 font "Sans Bold,17" textcolor rgb "#222222"
	set label 2 "256 KB queue, ECN marking from 30 to 100 KB; 64 KB messages; one colour per flow, stacked" \\
		at screen 0.02, 0.943 font "Sans,12" textcolor rgb "#666666"
	END
	block stock "stock rdma_rxe" "#b23a2e" 0.525
	block dcqcn "with rxe_cc: DCQCN" "#1f7a5c" 0.06
	echo "unset multiplot"
}

# block ALG TITLE COLOUR BOTTOM: the panels of one algorithm.
block()
{
	local alg=$1 title=$2 colour=$3 bottom=$4 senders left right

	cat <<-END
	set label 3 "$title" at screen 0.02, $(add "$bottom" 0.372) font "Sans Bold,15" textcolor rgb "$colour"
	END
	for senders in 2 8; do
		if [ $senders = 2 ]; then
			left=0.05 right=0.475
		else
			left=0.545 right=0.97
		fi
		cat <<-END
		set lmargin at screen $left
		set rmargin at screen $right
		set bmargin at screen $(add "$bottom" 0.135)
		set tmargin at screen $(add "$bottom" 0.325)
		set yrange [0:230]
		set ytics 100
		set format x ""
		unset xlabel
		set ylabel "Mb/s" offset 1.5 textcolor rgb "#444444"
		set label 4 "$senders senders:" at graph 0, 1.07 font "Sans Bold,12" textcolor rgb "#222222"
		set label 5 "$(note $senders "$alg")" at graph 0.155, 1.07 font "Sans,11" textcolor rgb "#444444"
		set arrow 1 from 0, 200 to $seconds, 200 nohead lc rgb "#222222" lw 1 dt 2 front
		set label 6 "port rate" at graph 0.995, first 214 right font "Sans,9" textcolor rgb "#222222"
		plot for [i=1:$senders] '$work/$senders-$alg.rates' using 1:(column(i + 1)):(column(i + 2)) \\
			with filledcurves lc rgb flow($senders == 2 ? 4 * i - 3 : i)
		unset label 4; unset label 5; unset label 6; unset arrow 1
		unset label 1; unset label 2; unset label 3

		set bmargin at screen $bottom
		set tmargin at screen $(add "$bottom" 0.115)
		set yrange [0:290]
		set ytics (0, 100, 256)
		set format x "%g"
		set ylabel "queue, KB" offset 1.5 textcolor rgb "#444444"
		END
		if [ "$alg" = dcqcn ]; then
			echo 'set xlabel "seconds" offset 0, 0.6 textcolor rgb "#444444"'
		fi
		cat <<-END
		set object 1 rectangle from graph 0, first 30 to graph 1, first 100 \\
			fc rgb "#f3e3c3" fs solid 0.6 noborder behind
		set label 7 "ECN" at graph 1.005, first 65 left font "Sans,9" textcolor rgb "#9a7b3c" front
		plot '$work/$senders-$alg.queue' using 1:2 with filledcurves y1=0 lc rgb "$colour" \\
			fs transparent solid 0.25, \\
			'' using 1:2 with lines lc rgb "$colour" lw 1
		unset object 1; unset label 7; unset xlabel
		END
	done
}

add()
{
	awk "BEGIN { print $1 + $2 }"
}

# converge_note ALG: what the panel says about its run.
converge_note()
{
	jq -r --arg alg "$1" '.runs[] | select(.work == "converge" and .alg == $alg) |
		"fair after \(.fair_ms // "> 3000") ms, the whole port again after \(.alone_ms // "> 3000") ms"' \
		"$dir/results.json"
}

converge_script()
{
	local alg i=0 top

	cat <<-END
	set multiplot
	set key off
	set border 3 lc rgb "#666666"
	set tics nomirror out scale 0.4 textcolor rgb "#444444"
	set xrange [0:$seconds]
	set style fill solid 1.0 noborder
	set lmargin at screen 0.06
	set rmargin at screen 0.94
	set label 1 "A second flow joins at 0 s and leaves: goodput, stacked, and the port's queue" \
		at screen 0.02, 0.975 font "Sans Bold,15" textcolor rgb "#222222"
	set ylabel "Mb/s" offset 1.5 textcolor rgb "#444444"
	set y2label "queue, KB" offset -1 textcolor rgb "#444444"
	set yrange [0:230]
	set y2range [0:290]
	set ytics 100
	set y2tics (0, 100, 256)
	END
	for alg in "$@"; do
		top=$(awk "BEGIN { print 0.915 - $i * 0.9 / $# }")
		i=$((i + 1))
		cat <<-END
		set tmargin at screen $top
		set bmargin at screen $(awk "BEGIN { print $top - 0.9 / $# + 0.055 }")
		set label 4 "$alg" at graph 0, 1.1 font "Sans Bold,12" textcolor rgb "#222222"
		set label 5 "$(converge_note "$alg")" at graph 0.12, 1.1 font "Sans,11" textcolor rgb "#444444"
		set arrow 1 from 0, 200 to $seconds, 200 nohead lc rgb "#222222" lw 1 dt 2 front
		plot '$work/$alg.rates' using 1:2:3 with filledcurves lc rgb "#4269a5", \
			'' using 1:3:4 with filledcurves lc rgb "#e9a03b", \
			'$work/$alg.queue' using 1:2 axes x1y2 with lines lc rgb "#b23a2e" lw 1
		unset label 1; unset label 4; unset label 5; unset arrow 1
		END
	done
	echo "unset multiplot"
}

# converge ALG...: those that were measured.
converge()
{
	local alg

	seconds=$(jq '[.runs[] | select(.work == "converge").joined_s] | max * 2' "$dir/results.json")
	for alg in "$@"; do
		samples "$dir/converge-$alg.csv" "$alg"
	done
	converge_script "$@" > "$work/plot"
	draw converge 1200,$((100 + 190 * $#))
}

mapfile -t algs < <(jq -r '.runs[] | select(.work == "converge").alg' "$dir/results.json")
if jq -e '[.runs[].alg] | index("stock") and index("dcqcn")' "$dir/results.json" > /dev/null; then
	incast
fi
[ ${#algs[@]} = 0 ] || converge "${algs[@]}"
