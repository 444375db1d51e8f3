#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo.sh - what congestion does to stock rdma_rxe, and what rxe_cc makes of it.
#
# Runs in a guest (selftests/vm/demo.sh starts it there, and judges).  All figures of
# one table come from one boot: stock first, then the same with the module loaded.
#
#	 h2 .. h9  ib_send_bw -e, 64 KB messages ----.
#	                                             |---> switch port s1 ---> h1
#	 h10       rcc_lat, 64-byte messages --------'     200 Mb/s, a short queue
#
# Leaves in $OUT: results.json, and for every run its samples (<run>.csv, of
# rcc_mon), the latency of every small message (<run>.lat.csv) and the programs' output.
#
# With -icount one instruction takes one nanosecond and idle time is skipped, so
# figures depend on what the guest executes, not on how fast or busy the host is.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/demo_flows.sh"

# Seconds of guest time that are measured, and the columns of the table.
: "${DEMO_WINDOW:=3}" "${DEMO_WINDOW_SMALL:=10}" "${DEMO_ALGS:=stock dcqcn rtt timely swift none}"
: "${DEMO_JOIN:=3}"
: "${DEMO_SMALL_COUNT:=20000}" "${DEMO_TABLE:=yes}"

readonly PORT_MBPS=200 KMIN_KB=30 KMAX_KB=100
readonly SMALL_HOST=10 SMALL_BYTES=64 SMALL_RATE=2000
# Messages of the flow without congestion: about 3 s, and the window within.
readonly SINGLE_COUNT=8000 SINGLE_WINDOW=2
# Messages of a flow that is joined by another: more than it can send meanwhile.
readonly CONVERGE_COUNT=20000
# start_flow_server I, start_flow_client I: both ends of the flow of sender I.
start_flow_server()
{
	flow_server 1 "$@"
}

start_flow_client()
{
	flow_client "$1" 1 "${@:2}"
}

# start_monitor SECONDS SENDER...: watch the port and these senders.
start_monitor()
{
	local window=$1 i devs=()

	shift
	for i in "$@"; do
		devs+=("rxe$i")
	done
	monitor_start -p s1 -d "$window" -o "$OUT/$name.csv" "${devs[@]}"
}

###############################################################################
# Figures

# cc_counters: the counters of all devices, summed, as JSON.
cc_counters()
{
	local files=(/dev/null)

	if [ -d /sys/class/rxe_cc ]; then
		files=(/sys/class/rxe_cc/*/counters/{np_cnp_sent,rp_cnp_handled,roce_adp_retrans})
	fi
	awk '{ n = split(FILENAME, path, "/"); sum[path[n]] += $1 }
	     END { printf "{\"cnp_sent\": %d, \"cnp_handled\": %d, \"retransmits\": %d}\n",
		   sum["np_cnp_sent"], sum["rp_cnp_handled"], sum["roce_adp_retrans"] }' "${files[@]}"
}

# The queue of tc's RED is what the port has; ECN thresholds are as in port_red.
port_set()
{
	local queue=$1 ecn=$2

	if [ "$ecn" = true ]; then
		port_red 1 $PORT_MBPS "$queue" $KMIN_KB $KMAX_KB
	else
		port_tail 1 $PORT_MBPS "$queue"
	fi || die "cannot set the port"
}

# The schema of build/demo/summary.json; what it does not name comes behind.
#
# utilisation counts payload that arrived, once, against the port's rate: headers of
# 58 bytes per packet alone cost 1.4 %.  wire_utilisation is all that the port sent.
# Stock has no counter of packets sent again: they are those sent, less those of
# completed messages, less the window.
run_json()
{
	jq -n --arg name "$name" --arg alg "$alg" --argjson queue "$queue" --argjson ecn "$ecn" \
		--argjson mon "$summary" --argjson before "$before" --argjson after "$after" \
		--argjson errors "$errors" --argjson small "$small_json" --argjson marked "$marked" \
		--argjson port $PORT_MBPS --argjson msg $MSG_BYTES --argjson mtu $MTU \
		--argjson window $PSN_WINDOW '
	def round(digits): pow(10; digits) as $p | . * $p | round / $p;
	($mon.flows | map(.messages * $msg * 8 / $mon.window_s / 1e6)) as $mbps |
	($mbps | add) as $sum |
	{
		work: "incast", senders: ($mbps | length), port_mbps: $port, queue_kb: $queue, ecn: $ecn,
		alg: $alg,
		utilisation: ($sum / $port | round(4)),
		goodput_mbps: ($mbps | map(round(2))),
		jain: (if $sum > 0 then $sum * $sum / ($mbps | length) / ($mbps | map(. * .) | add)
		       else 0 end | round(4)),
		drops: $mon.drops, drops_after_100ms: $mon.drops_settled,
		queue_used_kb: null,
		small_msg_us: $small,
		qp_errors: ($errors + ($small.qp_errors // 0)),
		cnp_sent: ($after.cnp_sent - $before.cnp_sent),
		cnp_handled: ($after.cnp_handled - $before.cnp_handled),
		retransmits: (if $alg == "stock" then
				[$mon.flows[] | .total_packets - .total_messages * $msg / $mtu - $window |
				 if . > 0 then . else 0 end] | add
			      else $after.retransmits - $before.retransmits end),
		name: $name, window_s: $mon.window_s, start_spread_ms: $mon.start_spread_ms,
		wire_utilisation: ($mon.port_bytes * 8 / $mon.window_s / 1e6 / $port | round(4)),
		ecn_marked: $marked,
		packets_sent: ([$mon.flows[].total_packets] | add),
		cpu_busy: ($mon.busy_ns / $mon.window_s / 1e9 | round(3))
	} | .queue_used_kb = ($mon.queue_bytes | map_values(. / 1024 | round(1)))'
}

# show RUN-JSON: a line about a run that has ended.
show()
{
	jq -r '"  \(.utilisation * 1000 | round / 10) % of the port, \(.drops) drops" +
		(if .senders > 1 then ", Jain \(.jain)" else "" end) +
		", queue p99 \(.queue_used_kb.p99) KB" +
		(if .small_msg_us then ", 64 B p50 \(.small_msg_us.p50) p99.99 \(.small_msg_us.p9999) us" else "" end) +
		(if .cnp_sent > 0 then ", \(.cnp_sent) CNPs" else "" end) +
		(if .qp_errors > 0 then ", \(.qp_errors) QP ERRORS" else "" end)' <<< "$1"
}

###############################################################################
# Works

# incast SENDERS QUEUE_KB ECN SECONDS [small]: measure one run of the present $alg.
incast()
{
	local senders=$1 queue=$2 ecn=$3 window=$4 small=${5-} i
	local name dir mon mon_pid line summary before after errors marked result small_json=null

	name=incast-$senders-$queue$([ "$ecn" = false ] || echo -ecn)-$alg
	dir=$OUT/$name
	mkdir -p "$dir"
	say "$alg: $senders -> 1, ${queue} KB queue$([ "$ecn" = false ] ||
		echo ", ECN $KMIN_KB/$KMAX_KB KB")${small:+, with 64-byte messages}"
	port_set "$queue" "$ecn"
	before=$(cc_counters)

	for ((i = 2; i <= senders + 1; i++)); do
		start_flow_server $i
	done
	if [ -n "$small" ]; then
		rcc_lat -d rxe1 -g "$(gid4 rxe1)" -p $((TCP_PORT + SMALL_HOST)) > "$dir/small-server.log" 2>&1 &
		servers+=($!)
	fi
	busywait 20 all_listening ${#servers[@]} > /dev/null || die "$name: servers do not listen"

	# shellcheck disable=SC2046 # a list
	start_monitor "$window" $(seq 2 $((senders + 1)))
	for ((i = 2; i <= senders + 1; i++)); do
		start_flow_client $i
	done
	monitor_says running
	if [ -n "$small" ]; then
		small_messages
	fi
	monitor_says over
	errors=$(flow_errors)
	marked=$(port_stats 1 marked)
	after=$(cc_counters)
	stop_flows
	monitor_summary
	port_clear 1

	result=$(run_json) || die "$name: no result"
	echo "$result" >> "$OUT/runs.json"
	show "$result"
}

# small_messages: through the same port while the flows run; into small_json.  A
# second is left for the last of them to arrive; the flows run on until then.
small_messages()
{
	rcc_lat -d rxe$SMALL_HOST -g "$(gid4 rxe$SMALL_HOST)" -p $((TCP_PORT + SMALL_HOST)) \
		-s $SMALL_BYTES -r $SMALL_RATE -n "$DEMO_SMALL_COUNT" -t $((window + 1)) -o "$OUT/$name.lat.csv" \
		"$(ip4 1)" > "$dir/small.json" 2> "$dir/small.log" ||
		die "$name: $(tail -n 3 "$dir/small.log" "$dir/small-server.log")"
	small_json=$(cat "$dir/small.json")
}

# converge: a second flow joins a first one and leaves again after DEMO_JOIN seconds.
# A flow's rate is that of the messages of 200 ms.  Its share is fair from the begin of
# the first such time on after which it stays within 10 % for half a second; the port is
# taken again when the one that stayed has 90 % of it for as long.
converge()
{
	local name=converge-$alg dir mon mon_pid line summary times

	dir=$OUT/$name
	mkdir -p "$dir"
	say "$alg: a second flow joins, and leaves after $DEMO_JOIN s"
	port_set 256 true
	start_flow_server 2 -n $CONVERGE_COUNT
	start_flow_server 3 -n $CONVERGE_COUNT
	busywait 20 all_listening 2 > /dev/null || die "$name: servers do not listen"
	start_flow_client 2 -n $CONVERGE_COUNT
	sleep 2
	start_monitor $((2 * DEMO_JOIN)) 2 3
	start_flow_client 3 -n $CONVERGE_COUNT
	monitor_says running
	sleep "$DEMO_JOIN"
	kill -9 "${clients[1]}"
	wait "${clients[1]}" 2>/dev/null
	monitor_says over
	[ "$(flow_errors)" = 1 ] || die "$name: the first flow has ended, too"
	stop_flows
	monitor_summary
	port_clear 1
	times=$(converge_times "$OUT/$name.csv") || die "$name: no result"
	jq -n --arg alg "$alg" --argjson times "$times" --argjson join "$DEMO_JOIN" '
		{work: "converge", alg: $alg, joined_s: $join} + $times' >> "$OUT/converge.json"
	jq -rs 'last | "  fair after \(.fair_ms // "more than the time in") ms, " +
		"the whole port again after \(.alone_ms // "more than the time in") ms"' "$OUT/converge.json"
}

# converge_times CSV: what converge says, as JSON; null: not within the time.
converge_times()
{
	awk -F, -v bits=$((MSG_BYTES * 8)) -v port=$PORT_MBPS '
	NR == 1 || $1 < 0 { next }
	{ n++; t[n] = $1; a[n] = $6; b[n] = $8; if (b[n] != b[n - 1]) leave = $1 }
	function rate(m, i, k) { return (m[i] - m[k]) * bits / (t[i] - t[k]) / 1e6 }
	# The first time after FROM whose windows are all well for half a second.
	function settled(from, to, kind,    i, k, since, ok) {
		since = -1
		for (i = k = 1; i <= n && t[i] <= to; i++) {
			while (t[i] - t[k] > 0.2)
				k++
			if (t[k] < from || t[i] - t[k] < 0.15)
				continue
			ra = rate(a, i, k); rb = rate(b, i, k)
			ok = kind == "fair" ? ra + rb > 0 && rb > 0.45 * (ra + rb) && rb < 0.55 * (ra + rb) : ra > 0.9 * port
			if (!ok)
				since = -1
			else if (since < 0)
				since = t[k]
			else if (t[i] - since >= 0.5)
				return sprintf("%.0f", (since - from) * 1000)
		}
		return "null"
	}
	END {
		if (!n)
			exit 1
		printf "{\"fair_ms\": %s, \"alone_ms\": %s}\n", settled(0, leave, "fair"), settled(leave, t[n], "alone")
	}' "$1"
}

# single: one flow, nothing in its way but the processor.  The figure is perftest's,
# made from its message rate, which has more digits; instructions per packet are the
# time for which the processor was busy in a window within, by the packets of the
# messages that arrived in it.
single()
{
	local name=single-$alg dir mon mon_pid line summary gbps

	dir=$OUT/$name
	mkdir -p "$dir"
	say "$alg: one flow without congestion"
	port_clear 1
	# The monitor reads the statistics of a qdisc: one that holds nothing back.
	sw tc qdisc add dev s1 root pfifo limit 1000
	start_flow_server 2 -n $SINGLE_COUNT --report_gbits
	busywait 20 all_listening 1 > /dev/null || die "$name: the server does not listen"
	monitor_start -p s1 -i 20 -c 1 -d $SINGLE_WINDOW rxe2
	start_flow_client 2 -n $SINGLE_COUNT --report_gbits
	monitor_says running
	monitor_says over
	wait "${clients[0]}"
	gbps=$(awk -v size=$MSG_BYTES '$1 == size && NF == 5 { printf "%.4f", $5 * size * 8 / 1e3 }' \
		"$dir/client2.log")
	stop_flows
	monitor_summary
	port_clear 1

	number "$gbps" || die "$name: no figure: $(tail -n 3 "$dir/client2.log")"
	jq -n --arg alg "$alg" --argjson gbps "$gbps" --argjson mon "$summary" --argjson msg $MSG_BYTES \
		--argjson mtu $MTU '
		($mon.flows[0].messages * $msg / $mtu) as $packets | {
			alg: $alg, gbps: $gbps, window_gbps: ($packets * $mtu * 8 / $mon.window_s / 1e9),
			instr_per_packet: ($mon.busy_ns / $packets | round),
			busy: ($mon.busy_ns / $mon.window_s / 1e7 | round / 100)
		}' >> "$OUT/overhead.json" || die "$name: no result"
	jq -rs 'last | "  \(.gbps) Gb/s, \(.instr_per_packet) instructions per packet, " +
		"processor \(.busy * 100) % busy"' "$OUT/overhead.json"
}

# telemetry: the flow without congestion once more, with dcqcn and the agent's programs at
# work; then what rxecc top and the agent's metrics say of an incast.
telemetry()
{
	local alg=telemetry agent i dir=$OUT/incast-telemetry servers=() clients=()

	use dcqcn
	rxecc export > "$OUT/export.log" 2>&1 &
	agent=$!
	busywait 20 grep -q '^metrics at ' "$OUT/export.log" || die "no agent: $(cat "$OUT/export.log")"
	single
	say "dcqcn: 8 -> 1, 256 KB queue, ECN $KMIN_KB/$KMAX_KB KB: what rxecc top says"
	mkdir -p "$dir"
	port_set 256 true
	for i in 2 3 4 5 6 7 8 9; do
		start_flow_server $i
	done
	busywait 20 all_listening 8 > /dev/null || die "incast-telemetry: servers do not listen"
	for i in 2 3 4 5 6 7 8 9; do
		start_flow_client $i
	done
	sleep 2
	rxecc top --once --interval 2000 > "$OUT/top.txt" 2>&1 || die "rxecc top: $(cat "$OUT/top.txt")"
	scrape > "$OUT/metrics.txt"
	[ "$(flow_errors)" = 0 ] || die "incast-telemetry: flows have failed"
	stop_flows
	port_clear 1
	kill $agent
	wait $agent
	grep -q '^rxecc_qp_info' "$OUT/metrics.txt" || die "the agent tells of no QP: see metrics.txt"
	awk '/^rxecc_lost_samples_total/ { n += $NF } END { printf "{\"lost\": %d}", n }' "$OUT/metrics.txt" \
		> "$OUT/lost.json"
}

# scrape: the agent's metrics, as Prometheus gets them.
scrape()
{
	exec 4<> /dev/tcp/127.0.0.1/9879 || die "the agent does not answer"
	printf 'GET /metrics HTTP/1.0\r\n\r\n' >&4
	sed '1,/^\r*$/d' <&4
	exec 4>&-
}

# use ALGORITHM: on all devices, with the module loaded if it is not stock.
use()
{
	local f

	[ "$1" != stock ] || return 0
	if [ ! -d /sys/module/rxe_cc ]; then
		rcc_load rxe_cc || die "rxe_cc.ko does not load"
	fi
	for f in /sys/class/rxe_cc/*/algorithm; do
		[ "$(cat "$f")" = "$1" ] || echo "$1" > "$f" || die "$f does not take '$1'"
	done
}

results()
{
	jq -n --arg kernel "$(uname -r)" --slurpfile runs "$OUT/runs.json" --slurpfile o "$OUT/overhead.json" \
		--slurpfile converge "$OUT/converge.json" --slurpfile lost "$OUT/lost.json" '
	def of(a): $o | map(select(.alg == a))[0] // {};
	def ratio(a; b): if a and b then a / b * 10000 | round / 10000 else null end;
	of("stock") as $stock | of("dcqcn") as $loaded | of("none") as $none | of("telemetry") as $telemetry | {
		kernel: $kernel,
		runs: ($runs + $converge),
		overhead: {
			stock_gbps: $stock.gbps, loaded_gbps: $loaded.gbps,
			ratio: ratio($loaded.gbps; $stock.gbps),
			stock_instr_per_packet: $stock.instr_per_packet,
			loaded_instr_per_packet: $loaded.instr_per_packet,
			none_gbps: $none.gbps, none_instr_per_packet: $none.instr_per_packet,
			telemetry_gbps: $telemetry.gbps, telemetry_ratio: ratio($telemetry.gbps; $loaded.gbps),
			telemetry_instr_per_packet: $telemetry.instr_per_packet, telemetry_lost: $lost[0].lost,
			algs: ($o | map({(.alg): {gbps, instr_per_packet}}) | add)
		}
	}' > "$OUT/results.json"
}

main()
{
	local alg

	rm -f "$OUT"/{runs,overhead,converge}.json
	echo '{}' > "$OUT/lost.json"
	# What the library says is for tests.
	exec 3> "$OUT/lib.log"
	say "building a fabric of 10 hosts"
	fabric_up 10
	for alg in $DEMO_ALGS; do
		use "$alg"
		incast 2 32 false "$DEMO_WINDOW"
		incast 2 256 false "$DEMO_WINDOW"
		incast 2 256 true "$DEMO_WINDOW"
		incast 8 256 false "$DEMO_WINDOW"
		if [ "$alg" = none ]; then
			# As lossy as stock, so as long to emulate; no figure is asked of it.
			incast 8 256 true "$DEMO_WINDOW"
		else
			incast 8 256 true "$DEMO_WINDOW_SMALL" small
		fi
		single
		converge
	done
	if [[ " $DEMO_ALGS " = *" dcqcn "* ]]; then
		telemetry
	fi
	results || die "no results"
	[ "$DEMO_TABLE" = no ] || jq -L "$(dirname "$0")" -rf "$(dirname "$0")/demo_table.jq" "$OUT/results.json"
	# The library expects test results, which a demonstration has not.
	_finished=yes
}

main "$@"
