#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo_spray.sh - what several paths, losses and reordering do to stock rdma_rxe, and what
# two hosts with rxe_cc's link layer make of it.
#
# Runs in a guest (selftests/vm/demo.sh --spray starts it there, and judges).  Both columns
# of the table come from one boot: stock first, then the same with the module loaded.
#
#	 h1 .. h4 --- leaf1 === spine1 .. spine8 === leaf2 --- h5 .. h8
#
#	 spray      one QP, h1 to h5, over 4 or 8 paths of 50 Mb/s
#	 elephants  h1 to h5 .. h4 to h8, over 4 paths of 50 Mb/s
#	 path_down  one QP over 4 paths, of which one loses all for a while
#	 path_slow  one QP over 4 paths, of which one has a quarter of its rate
#	 loss       one QP over one path of 200 Mb/s and 1 ms that loses packets, both ways
#	 reorder    one QP over one path of 200 Mb/s: a quarter overtakes what came within 1 ms
#	 overhead   one QP without limits: h1 to h2 through leaf1, and two hosts on one cable
#
# Leaves in $OUT: results.json, and for every run its samples (<run>.csv, of rcc_mon) and
# the programs' output.  As in demo.sh, guest time counts instructions.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/demo_flows.sh"

# What rxe_cc is told for each work: spray mode, algorithm, and its parameters as
# NAME=VALUE.  The first line of a work is judged; more lines are shown beside it.
#
# Targets of swift are set by hand: a packet takes 0.7 ms at 50 Mb/s, so that a path of
# that rate has less than ten in its queue, and none ever runs dry.  Flows that share paths
# get a target that is longer for small windows, which brings them closer to each other.
readonly PATHS_TARGET="base_target=6000000 host_target=20000000 max_cwnd=512"
readonly SHARED_TARGET="base_target=1000000 host_target=80000000 max_cwnd=512 ai=1024 fs_range=80000000 \
fs_alpha=26000000 fs_beta=2400000"
readonly LINK_TARGET="base_target=4000000 host_target=20000000 max_cwnd=512"
: "${DEMO_ROWS:="
	spray      adaptive  swift  $PATHS_TARGET
	elephants  adaptive  swift  $SHARED_TARGET
	path_down  adaptive  swift  $PATHS_TARGET
	path_slow  adaptive  swift  $PATHS_TARGET
	loss       none      swift  $LINK_TARGET
	reorder    none      swift  $LINK_TARGET
	overhead   none      dcqcn
	overhead   none      none
"}"
: "${DEMO_WORKS:=spray elephants path_down path_slow loss reorder overhead}"
: "${DEMO_PATHS:=4 8}" "${DEMO_MODES:=stock rxe_cc}" "${DEMO_TABLE:=yes}" "${DEMO_WINDOW:=4}"
FABRIC_MTU=4300

# Queue of every path, and ECN thresholds (from KB, to KB) of a path and of a link alone.
: "${DEMO_QUEUE_KB:=256}" "${DEMO_PATH_ECN:=15 50}" "${DEMO_LINK_ECN:=30 100}"
readonly PATH_MBPS=50 LINK_MBPS=200
# Seconds until the path fails, and until it is well again; the window has as much after.
readonly OUTAGE_S=2
# Messages of the flow without limits: more than the window within needs.
readonly SINGLE_COUNT=8000 SINGLE_WINDOW=2

###############################################################################
# Setting up

# paths_set J... -- RATE_MBIT: these paths are in use, with that rate.  Stock gets none of
# RED: its packets are not ECT, and would be dropped early.
paths_set()
{
	local rate=${*: -1} j

	set -- "${@:1:$(($# - 2))}"
	paths_use "$@"
	for j in "$@"; do
		path_clear "$j"
		path_set "$j" "$rate"
	done
	ports=()
	for j in "$@"; do
		ports+=(-p "up$j")
	done
	rate_mbps=$((rate * $#))
}

path_set()
{
	local ecn=$DEMO_PATH_ECN

	[ "$2" != $LINK_MBPS ] || ecn=$DEMO_LINK_ECN
	if [ "$mode" = stock ]; then
		path_rate "$1" "$2" "$DEMO_QUEUE_KB"
	else
		# shellcheck disable=SC2086 # two thresholds
		path_red "$1" "$2" "$DEMO_QUEUE_KB" $ecn
	fi
}

# tell FILE VALUE: all devices.
tell()
{
	local f

	for f in /sys/class/rxe_cc/*/"$1"; do
		[ -e "$f" ] || die "there is no $f"
		[ "$(cat "$f")" = "$2" ] || echo "$2" > "$f" || die "$f does not take '$2'"
	done
}

# use SPRAY ALG [PARAMETER=VALUE...]: with the module loaded.
use()
{
	local p

	if [ ! -d /sys/module/rxe_cc ]; then
		rcc_load rxe_cc || die "rxe_cc.ko does not load"
	fi
	tell link 1
	tell spray "$1"
	tell algorithm "$2"
	tell profile auto
	for p in "${@:3}"; do
		tell "params/$2/${p%%=*}" "${p#*=}"
	done
}

###############################################################################
# Figures

# sums: counters of all devices, as JSON: of the driver and the module, and what spine 1
# has lost by netem, of data (from leaf 1) and of what comes back.  Repeats by the hosts on
# leaf 2 are of ACKs.
sums()
{
	local files=(/sys/class/infiniband/rxe*/ports/1/hw_counters/{out_of_seq_request,rcvd_seq_err})

	if [ -d /sys/class/rxe_cc ]; then
		files+=(/sys/class/rxe_cc/*/counters/*)
	fi
	awk '{ n = split(FILENAME, path, "/"); c = path[n] }
	     c == "link_repeats" && path[5] ~ /^rxe[5-8]$/ { c = "link_repeats_back" }
	     { sum[c] += $1 }
	     END { for (c in sum) printf "{\"%s\": %d}", c, sum[c] }' "${files[@]}" |
		jq -s "add + {netem_lost_data: $(dev_stats spine1 l2 drops), netem_lost_back: $(dev_stats spine1 l1 drops)}"
}

# run_json: a run of summary.json.
#
# utilisation counts payload that arrived, once, against the rate of all paths.  NAKs are
# those that the responders of rxe have sent, and those that the requesters have got.
# Repeats are the link layer's, of data; rxe has no counter of its own ones: they are the packets
# sent, less those of completed messages, less the window.
run_json()
{
	jq -n --arg work "$work" --arg name "$name" --arg mode "$mode" --arg spray "$spray" --arg alg "$alg" \
		--argjson mon "$summary" --argjson before "$before" --argjson after "$after" \
		--argjson errors "$errors" --argjson rate "$rate_mbps" --argjson msg $MSG_BYTES \
		--argjson mtu $MTU --argjson window $PSN_WINDOW --argjson extra "$extra" '
	def round(digits): pow(10; digits) as $p | . * $p | round / $p;
	def diff(c): ($after[c] // 0) - ($before[c] // 0);
	($mon.flows | map(.messages * $msg * 8 / $mon.window_s / 1e6)) as $mbps |
	($mbps | add) as $sum |
	($mon.flows | map(.messages * $msg / $mtu) | add) as $packets |
	{
		work: $work, mode: $mode, spray: $spray, alg: $alg, rate_mbps: $rate,
		utilisation: (if $rate > 0 then $sum / $rate | round(4) else null end),
		goodput_mbps: ($mbps | map(round(2))),
		jain: (if $sum > 0 then $sum * $sum / ($mbps | length) / ($mbps | map(. * .) | add)
		       else 0 end | round(4)),
		naks_seen: (diff("out_of_seq_request") + diff("rcvd_seq_err")),
		qp_errors: $errors, drops: $mon.drops,
		rxe_repeats: ([$mon.flows[] | .total_packets - .total_messages * $msg / $mtu - $window |
			      if . > 0 then . else 0 end] | add),
		repeats: diff("link_repeats"), repeats_back: diff("link_repeats_back"),
		repeats_timeout: diff("link_repeats_timeout"), repeats_spurious: diff("link_repeats_spurious"),
		lost: diff("link_lost"),
		netem_lost: {data: diff("netem_lost_data"), back: diff("netem_lost_back")},
		path_bytes: $mon.ports,
		queue_kb: ($mon.queue_bytes | map_values(. / 1024 | round(1))),
		instr_per_packet: (if $packets > 0 then $mon.busy_ns / $packets | round(0) else null end),
		counters: ([$after | keys[] | {key: ., value: diff(.)} | select(.value != 0)] | from_entries),
		name: $name, window_s: $mon.window_s, packets_sent: ([$mon.flows[].total_packets] | add),
		cpu_busy: ($mon.busy_ns / $mon.window_s / 1e9 | round(3))
	} + $extra'
}

# show RUN-JSON: a line about a run that has ended.
show()
{
	jq -r '"  \(.goodput_mbps | add | . * 10 | round / 10) Mb/s" +
		(if .utilisation then ", \(.utilisation * 1000 | round / 10) % of the rate" else "" end) +
		(if (.goodput_mbps | length) > 1 then ", Jain \(.jain)" else "" end) +
		", \(.drops) drops, \(.naks_seen) NAKs, \(.rxe_repeats) repeats by rxe" +
		(if .mode == "rxe_cc" then ", \(.repeats) by the link layer" +
			(if .repeats > 0 then " (\(.repeats_timeout) by time, \(.repeats_spurious) spurious)" else "" end)
		 else "" end) +
		(if .below_ms then ", below 95 % of the rest for \(.below_ms) ms (\(.rtts) RTTs), used again after \(.back_ms) ms"
		 else "" end) +
		(if .work == "overhead" then ", \(.instr_per_packet) instructions per packet" else "" end) +
		(if .qp_errors > 0 then ", \(.qp_errors) QP ERRORS" else "" end)' <<< "$1"
}

###############################################################################
# Works

# measure NAME SECONDS "I J"...: flows from hosts I to J through $ports.  What happens
# meanwhile is done by $meanwhile, what there is to say of it added to the run by $judge.
measure()
{
	local name=$1-$tag window=$2 pair i j senders=() receivers=() extra=$extra
	local dir mon mon_pid line summary before after errors result

	shift 2
	dir=$OUT/$name
	mkdir -p "$dir"
	before=$(sums)
	for pair in "$@"; do
		read -r i j <<< "$pair"
		senders+=("rxe$i") receivers+=(-r "rxe$j")
		flow_server "$j" "$i" -n $SINGLE_COUNT
	done
	busywait 20 all_listening $# > /dev/null || die "$name: servers do not listen"
	monitor_start -N /run/netns/leaf1 -i "$interval" -c 1 -d "$window" -o "$OUT/$name.csv" \
		"${ports[@]}" "${receivers[@]}" "${senders[@]}"
	for pair in "$@"; do
		# shellcheck disable=SC2086 # two hosts
		flow_client $pair -n $SINGLE_COUNT
	done
	monitor_says running
	$meanwhile
	monitor_says over
	errors=$(flow_errors)
	after=$(sums)
	stop_flows
	monitor_summary
	$judge
	result=$(run_json) || die "$name: no result"
	echo "$result" >> "$OUT/runs.json"
	show "$result"
}

# Defaults of measure's variables.
ports=() interval=5 extra='{}' meanwhile=: judge=: rate_mbps=0

spray()
{
	local n

	for n in $DEMO_PATHS; do
		say "$label: one QP over $n paths of $PATH_MBPS Mb/s"
		# shellcheck disable=SC2046 # a list
		paths_set $(seq "$n") -- $PATH_MBPS
		extra="{\"paths\": $n}" measure "spray-$n" "$DEMO_WINDOW" "1 5"
	done
}

elephants()
{
	say "$label: 4 QPs over 4 paths of $PATH_MBPS Mb/s"
	paths_set 1 2 3 4 -- $PATH_MBPS
	extra='{"paths": 4}' measure elephants $((2 * DEMO_WINDOW)) "1 5" "2 6" "3 7" "4 8"
}

path_slow()
{
	say "$label: one QP over 4 paths, of which one has a quarter of its rate"
	paths_set 1 2 3 4 -- $PATH_MBPS
	path_clear 3
	path_set 3 12.5
	rate_mbps=162.5
	extra='{"paths": 4}' measure path_slow "$DEMO_WINDOW" "1 5"
}

path_down()
{
	local down failed healed rtt=null

	say "$label: one QP over 4 paths, of which one fails after $OUTAGE_S s and is well after $OUTAGE_S more"
	paths_set 1 2 3 4 -- $PATH_MBPS
	meanwhile=outage judge=outage_json extra='{"paths": 4}' measure path_down $((3 * OUTAGE_S)) "1 5"
}

all_path_bytes()
{
	local j

	for j in 1 2 3 4; do
		path_bytes $j
	done
}

# outage: of the busiest path, because stock has but one.  The round trip is that of a
# packet that waits in the queue of some path, as those of a sprayed flow do; beside the
# one path of stock it would say nothing.
outage()
{
	local start=$EPOCHREALTIME from

	from=$(all_path_bytes)
	[ "$mode" = stock ] || rtt=$(ping -q -c $((OUTAGE_S * 40)) -i 0.02 -s 56 -Q 2 -I "$(ip4 1)" "$(ip4 5)" |
		sed -n 's|^rtt.* = [^/]*/\([0-9.]*\)/.*|\1|p')
	down=$(paste -d ' ' <(all_path_bytes) <(echo "$from") | awk '{ print $1 - $2, NR }' | sort -n | tail -n 1 |
		cut -d ' ' -f 2)
	sleep "$(calc "$start + $OUTAGE_S - $EPOCHREALTIME")"
	failed=$EPOCHREALTIME
	path_fail "$down"
	sleep "$(calc "$start + 2 * $OUTAGE_S - $EPOCHREALTIME")"
	healed=$EPOCHREALTIME
	path_heal "$down"
}

# outage_json: into $extra, from the samples, what demo_outage.awk says, and RTTs.
outage_json()
{
	local begin

	begin=$(jq .start_epoch <<< "$summary")
	extra=$(awk -f "$(dirname "$0")/demo_outage.awk" -v failed="$(calc "$failed - $begin")" \
			-v healed="$(calc "$healed - $begin")" -v path="up${down}_bytes" \
			-v fair=$((PATH_MBPS * 1000000 / 8)) "$OUT/$name.csv" |
		jq --argjson rtt "${rtt:-null}" --argjson extra "$extra" --argjson down "$down" '
		def round(digits): pow(10; digits) as $p | . * $p | round / $p;
		$extra + {path: $down, rtt_ms: $rtt} + . +
		{rtts: (if .below_ms and $rtt then .below_ms / $rtt | round(1) else null end)}')
}

loss()
{
	local percent

	for percent in 0.1 1 5; do
		say "$label: one QP over $LINK_MBPS Mb/s with 1 ms, of which $percent % are lost"
		paths_set 1 -- $LINK_MBPS
		path_netem 1 delay 500us loss $percent%
		extra="{\"loss_pct\": $percent}" measure loss-$percent "$DEMO_WINDOW" "1 5"
	done
}

# With "reorder 25%" a quarter of the packets waits for nothing and so overtakes; with
# "reorder 75%" a quarter waits and so is overtaken.
reorder()
{
	local percent

	for percent in 25 75; do
		say "$label: one QP over $LINK_MBPS Mb/s, netem delay 1ms reorder $percent%"
		paths_set 1 -- $LINK_MBPS
		PATH_LEAVES=1 path_netem 1 delay 1ms reorder $percent%
		extra="{\"netem\": \"delay 1ms reorder $percent%\"}" measure reorder-$percent "$DEMO_WINDOW" "1 5"
	done
}

# The queue of no port is looked at: that would be work for the processor, too.
overhead()
{
	local ports=() interval=20 rate_mbps=0

	say "$label: one QP without limits, through one switch"
	extra='{"rig": "switch"}' measure overhead-switch $SINGLE_WINDOW "1 2"
	say "$label: one QP without limits, on one cable"
	extra='{"rig": "cable"}' measure overhead-cable $SINGLE_WINDOW "91 92"
}

###############################################################################

stock()
{
	local work mode=stock label=stock tag=stock spray=- alg=-

	for work in $DEMO_WORKS; do
		$work
	done
}

rxe_cc()
{
	local work spray alg params mode=rxe_cc label tag

	while read -r -u 9 work spray alg params; do
		[[ " $DEMO_WORKS " = *" $work "* ]] || continue
		label="rxe_cc, $spray, $alg" tag=$spray-$alg
		# shellcheck disable=SC2086 # a list
		use "$spray" "$alg" $params
		$work
	done 9< <(grep . <<< "$DEMO_ROWS")
}

main()
{
	local mode

	rm -f "$OUT/runs.json"
	# What the library says is for tests.
	exec 3> "$OUT/lib.log"
	say "building a fabric of 8 hosts, 2 leaves and 8 spines"
	fabric_leaf_spine 4 4 8
	direct_up 91 92
	for mode in $DEMO_MODES; do
		$mode
	done
	jq -n --arg kernel "$(uname -r)" --slurpfile runs "$OUT/runs.json" '{kernel: $kernel, runs: $runs}' \
		> "$OUT/results.json" || die "no results"
	[ "$DEMO_TABLE" = no ] || jq -L "$(dirname "$0")" -rf "$(dirname "$0")/demo_spray_table.jq" "$OUT/results.json"
	# The library expects test results, which a demonstration has not.
	_finished=yes
}

main "$@"
