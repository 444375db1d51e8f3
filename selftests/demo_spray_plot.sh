#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo_spray_plot.sh DIR OUT - draw what demo_spray.sh measured: OUT/spray, as svg and png.
#
# DIR holds results.json, and the samples of every run as CSV.  Above, for stock and for
# rxe_cc, what each path forwards while one of them is dead, stacked, with the goodput;
# below, how much of the rate each work made use of.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/demo_draw.sh"

# The step of the rates, in seconds.
step=0.05

# first MODE FILTER [WORK]: of the run that is judged.
first()
{
	jq -r --arg mode "$1" --arg work "${3:-path_down}" \
		"[.runs[] | select(.work == \$work and .mode == \$mode)][0] // empty | $2" "$dir/results.json"
}

# rates CSV: seconds, the paths' rates summed up from none to all, and the goodput, in Mb/s.
rates()
{
	awk -F, -v step=$step '
	NR == 1 {
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^up.*_bytes$/) path[++paths] = i
			if ($i ~ /_rcvd$/) rcvd = i
		}
		next
	}
	$1 < 0 { next }
	!n++ { keep(); next }
	$1 - since >= step { show(); keep() }
	function keep(    j) {
		since = $1
		for (j = 1; j <= paths; j++)
			last[j] = $path[j]
		packets = $rcvd
	}
	function show(    j, sum) {
		printf "%.3f 0", (since + $1) / 2
		for (j = 1; j <= paths; j++) {
			sum += ($path[j] - last[j]) * 8 / ($1 - since) / 1e6
			printf " %.2f", sum
		}
		printf " %.2f\n", ($rcvd - packets) * 4096 * 8 / ($1 - since) / 1e6
	}' "$1"
}

# note MODE: what the panel says about its run.
note()
{
	first "$1" 'if .mode == "stock" then "\(.utilisation * 1000 | round / 10) % of the rate"
		else "\(.spray), \(.alg): \(.utilisation * 1000 | round / 10) % of the rate,  below 95 % of three paths for " +
		"\(.below_ms) ms (\(.rtts // "-") RTTs),  path used again after \(.back_ms // "> 2000") ms" end'
}

head_script()
{
	cat <<-END
	path(i) = word("#4269a5 #7fb3d5 #2a9d8f #8ac6a0", i)
	set multiplot
	set key off
	set border 3 lc rgb "#666666"
	set tics nomirror out scale 0.4 textcolor rgb "#444444"
	set label 1 "One QP over 4 paths of 50 Mb/s; one of them is dead from 2 s to 4 s, and nobody is told" \\
		at screen 0.02, 0.975 font "Sans Bold,16" textcolor rgb "#222222"
	set label 2 "what each path's port sends, one colour per path, stacked; black: what arrives at the receiver" \\
		at screen 0.02, 0.95 font "Sans,12" textcolor rgb "#666666"
	set lmargin at screen 0.06
	set rmargin at screen 0.97
	END
}

# panel MODE TITLE COLOUR BOTTOM
panel()
{
	cat <<-END
	set bmargin at screen $4
	set tmargin at screen $(awk "BEGIN { print $4 + 0.2 }")
	set xrange [0:6]
	set yrange [0:230]
	set ytics 50
	set ylabel "Mb/s" offset 1.5 textcolor rgb "#444444"
	set label 3 "$2" at graph 0, 1.08 font "Sans Bold,14" textcolor rgb "$3"
	set label 4 "$(note "$1")" at graph 0.17, 1.08 font "Sans,11" textcolor rgb "#444444"
	set style fill solid 1.0 noborder
	set arrow 1 from 0, 200 to 6, 200 nohead lc rgb "#222222" lw 1 dt 2 front
	set arrow 2 from 0, 150 to 6, 150 nohead lc rgb "#222222" lw 1 dt 3 front
	plot for [i=1:4] '$work/$1' using 1:(column(i + 1)):(column(i + 2)) with filledcurves lc rgb path(i), \\
		'' using 1:7 with lines lc rgb "#222222" lw 1.5
	unset label 1; unset label 2; unset label 3; unset label 4; unset arrow 1; unset arrow 2
	END
}

# bars: the works, with what stock and rxe_cc made of the rate, and what is required.
bars()
{
	jq -L "$(dirname "$0")" -r '
	include "demo_spray_need";
	def percent: . * 1000 | round / 10;
	def name: {spray: "\(.paths) paths", elephants: "4 elephants", path_slow: "a slow path", loss: "\(.loss_pct) % lost",
		   reorder: (.netem // "" | sub("delay 1ms "; ""))}[.work];
	[.runs[] | select(.utilisation and name)] | . as $runs |
	reduce .[] as $r ([]; if index([$r | name]) then . else . + [$r | name] end) | to_entries[] | . as $e |
	[$runs[] | select(name == $e.value)] | (map(select(.mode == "stock"))[0]) as $s |
	(map(select(.mode == "rxe_cc"))[0]) as $c |
	"\"\($e.value)\" \($s.utilisation // 0 | percent) \($c.utilisation // 0 | percent) \(.[0] | least | percent)"' \
		"$dir/results.json"
}

bars_script()
{
	cat <<-END
	set bmargin at screen 0.07
	set tmargin at screen 0.32
	unset xlabel
	set xrange [-0.6:*]
	set yrange [0:112]
	set ytics 25
	set ylabel "% of the rate" offset 1.5 textcolor rgb "#444444"
	set label 5 "Payload that arrived, of the rate of all paths" at graph 0, 1.1 font "Sans Bold,14" textcolor rgb "#222222"
	set label 6 "stock" at graph 0.40, 1.1 font "Sans Bold,12" textcolor rgb "#b23a2e"
	set label 7 "rxe_cc" at graph 0.45, 1.1 font "Sans Bold,12" textcolor rgb "#1f7a5c"
	set label 8 "required: lines" at graph 0.51, 1.1 font "Sans,11" textcolor rgb "#222222"
	set style fill solid 0.85 noborder
	set boxwidth 0.36
	plot '$work/bars' using (column(0) - 0.2):2 with boxes lc rgb "#b23a2e", \\
		'' using (column(0) + 0.2):3 with boxes lc rgb "#1f7a5c", \\
		'' using (column(0) - 0.2):(column(2) + 5):(sprintf("%.0f", column(2))) with labels font "Sans,9", \\
		'' using (column(0) + 0.2):(column(3) + 5):(sprintf("%.1f", column(3))) with labels font "Sans,9", \\
		'' using (column(0)):4:(0.42):xtic(1) with xerrorbars pt -1 lw 1.5 lc rgb "#222222"
	unset multiplot
	END
}

main()
{
	local mode name bottom=0.70

	head_script > "$work/plot"
	for mode in stock rxe_cc; do
		name=$(first $mode .name)
		[ -n "$name" ] || continue
		rates "$dir/$name.csv" > "$work/$mode"
		if [ $mode = stock ]; then
			panel stock "stock rdma_rxe" "#b23a2e" $bottom
		else
			panel rxe_cc "with rxe_cc" "#1f7a5c" $bottom
		fi >> "$work/plot"
		bottom=0.42
	done
	bars > "$work/bars"
	bars_script >> "$work/plot"
	draw spray 1300,1000
}

main
