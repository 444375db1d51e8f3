#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# report.sh FABSIM DIR - every algorithm at the speed of a data centre: one table, as
# text (DIR/table.txt) and CSV (DIR/table.csv), and a picture per algorithm of two
# flows of which one joins and leaves (DIR/converge-ALG.png, .svg).
#
# NICs have 100 ns of jitter, or equal senders would stay in step for ever. "used" is
# what the port sent, "good" what arrived in order, both as shares of what it can carry.
#
# PROFILES (auto) says with which parameters, e.g. PROFILES="auto paper". For each
# algorithm, profile, fan-in and rate there are three runs on links of 1 us:
#
#	long	flows without end, 30 ms; figures are of what follows the first 10 ms
#	change	one more flow joins at 10 ms, half of all leave at 30 ms, end at 50 ms
#	500 KB	one message of that size from each sender, all at once

set -eu

fabsim=$1
dir=$2
fans="16 64"
rates="25 100 400"
profiles=${PROFILES:-auto}

die()
{
	echo "report.sh: $*" >&2
	exit 1
}

# run NAME OPTION...: one simulation; its summary is kept as DIR/runs/NAME.json.
run()
{
	local name=$1

	shift
	"$fabsim" --topo incast --delay 1us --jitter 100ns --seed 1 --json "$@" > "$dir/runs/$name.json" ||
		die "fabsim $* failed"
}

# run_all ALG PROFILE FAN RATE: the three runs of a line of the table.
run_all()
{
	local name=$1-$2-$3-$4 fan=$3 what="--alg $1 --profile $2 --rate $4g"

	# shellcheck disable=SC2086 # a list
	{
		run "$name-long" $what --senders "$fan" --size long --duration 30ms
		run "$name-change" $what --senders "$fan" --size long --duration 50ms \
			--join 10ms --leave 30ms --leavers $((fan / 2))
		run "$name-500k" $what --senders "$fan" --size 500k
	}
}

# line ALG PROFILE FAN RATE: the line of the table, as CSV.
line()
{
	jq -rs --arg alg "$1" --arg profile "$2" --arg fan "$3" --arg rate "$4" '
		def ms: if . == null then "never" else . / 1000 * 100 | round / 100 end;
		def r(n): . * n | round / n;
		.[0] as $long | .[1] as $change | .[2] as $short |
		[ $alg, $profile, $fan, $rate,
		  ($long.utilisation | r(1000)), ($long.goodput_share | r(1000)), ($long.jain | r(1000)),
		  ($long.queue_p50_bytes / 1000 | r(10)), ($long.queue_p99_bytes / 1000 | r(10)),
		  $long.drops, ($change.join_us | ms), ($change.leave_us | ms),
		  ($short.utilisation | r(1000)), ($short.fct_us.p99 | r(10)),
		  ($short.queue_p99_bytes / 1000 | r(10)), $short.drops,
		  ($long.speed.packet_hops_per_s / 1e6 | r(10)) ] | @csv
	' "$dir/runs/$1-$2-$3-$4"-{long,change,500k}.json | tr -d '"'
}

header="algorithm,profile,senders,gbps,utilisation,goodput_share,jain,queue_p50_kb,queue_p99_kb,drops,join_ms,leave_ms"
header+=",utilisation_500k,fct_p99_us_500k,queue_p99_kb_500k,drops_500k,mhops_per_s"

# at_once COMMAND...: beside others, as many as there are processors.
running=0
at_once()
{
	if [ $running -ge "$(nproc)" ]; then
		wait -n || die "a run failed"
		running=$((running - 1))
	fi
	"$@" &
	running=$((running + 1))
}

wait_all()
{
	while [ $running -gt 0 ]; do
		wait -n || die "a run failed"
		running=$((running - 1))
	done
}

# each COMMAND...: with the algorithm, profile, fan-in and rate of every line in turn
each()
{
	local alg profile fan rate

	for alg in $algs; do
		for profile in $profiles; do
			for fan in $fans; do
				for rate in $rates; do
					"$@" "$alg" "$profile" "$fan" "$rate"
				done
			done
		done
	done
}

# picture ALG: two flows at 100 Gb/s; the second joins at 10 ms and leaves at 30 ms.
picture()
{
	local suffix

	run "$1-2-100-change" --alg "$1" --rate 100g --senders 2 --size long --duration 50ms \
		--join 10ms --leave 30ms --out "$dir/runs/converge-$1"
	for suffix in png svg; do
		if [ -f "$dir/runs/converge-$1/run.$suffix" ]; then
			cp "$dir/runs/converge-$1/run.$suffix" "$dir/converge-$1.$suffix"
		fi
	done
}

# table: CSV to columns, with what stands above them.
table()
{
	awk -F, '
	BEGIN {
		row = "%-9s%-7s%5s%6s | %6s%6s%7s%9s%9s%10s | %7s%8s | %6s%9s%9s%9s | %6s\n"
		printf "%-9s%-7s%5s%6s | %-47s | %-15s | %-33s | %6s\n", "", "", "", "", \
			"long flows, after 10 ms", "converged, ms", "500 KB each", ""
		printf row, "algorithm", "", "N->1", "Gb/s", "used", "good", "Jain", "q50 KB", "q99 KB", "drops", \
			"join", "leave", "used", "FCT99us", "q99 KB", "drops", "Mhop/s"
	}
	NR > 1 {
		printf row, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17
	}' "$dir/table.csv"
	jq -r '"\nmemory: \(.speed.bytes_per_flow) bytes per flow, \(.speed.bytes_per_packet) per packet in flight or queued"' \
		"$dir/runs/${algs%% *}-${profiles%% *}-16-100-long.json"
	for alg in $algs; do
		jq -r --arg alg "$alg" '
			def ms: if . == null then "never" else "\(. / 1000 * 100 | round / 100) ms" end;
			"two flows at 100 Gb/s, \($alg): joined after \(.join_us | ms), the rest used after \(.leave_us | ms)"
		' "$dir/runs/$alg-2-100-change.json"
	done
}

command -v jq > /dev/null || die "jq is missing"
# What still runs after a failure.
trap 'jobs -p | xargs -r kill 2> /dev/null' EXIT
algs=$("$fabsim" --list-algs)
rm -rf "$dir"
mkdir -p "$dir/runs"
echo "$header" > "$dir/table.csv"
for alg in $algs; do
	picture "$alg"
done
each at_once run_all
wait_all
each line >> "$dir/table.csv"
table | tee "$dir/table.txt"
