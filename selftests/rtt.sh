#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What algorithms are told of round trips and acknowledgements is true, and windows do what they are told.
#
# Delay of a known size is made in the switch, by netem at the port towards the receiver; ACKs come back through another
# port.  Where the machine's own queues would be in the way, the line rate is set so low that there are none.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

events=$(mktemp)
defer rm -f "$events"

# A line slower than the machine: 17 ms a packet at 2 Mb/s, 1.7 ms at 20.
readonly SLOW_MBPS=20

# field N: a column of the QP of host 1.
field()
{
	awk -v n="$1" '$2 == "RC" { print $n }' /sys/kernel/debug/rxe_cc/rxe1/qps
}

rtt_us() { field 7; }
waiting() { field 8; }

# told SECONDS TYPE: what the algorithm of host 1 is told for some time, into $events.  TYPE 2 is an ACK.
told()
{
	trace_start "cc_event:type==$2"
	sleep "$1"
	# whoever reads the trace takes the processor from those who are measured
	echo 0 > "$TRACING/tracing_on"
	trace_take "$events"
	trace_stop
	sed -i '/dev=rxe1 /!d' "$events"
}

# rtts: the round trips in $events, in microseconds, sorted.
rtts()
{
	sed -n 's/.* rtt=\([1-9][0-9]*\) .*/\1/p' "$events" | sort -n | awk '{ print $1 / 1000 }'
}

samples() { rtts | wc -l; }
least() { rtts | head -n 1; }
most() { rtts | tail -n 1; }
median() { rtts | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# An algorithm that hears of every round trip, and lets neither them nor losses slow it down.
slow_line()
{
	cc_set rxe1 line_rate $SLOW_MBPS
	cc_set rxe1 params/rtt/target 1000000000
	cc_set rxe1 params/rtt/loss_dec 0
	cc_set rxe1 algorithm rtt
}

fast_line()
{
	cc_set rxe1 line_rate 0
	cc_set rxe1 profile auto
}

# A delay in the network moves what is reported by as much.
truth()
{
	local base base_column us

	slow_line
	flow_start truth 1 2 ib_send_bw -e
	flow_moves 2
	told 0.5 2
	base=$(median) base_column=$(rtt_us)
	check_num "round trips are reported" "$(samples)" '>' 50
	check_between "without delay, of what the machine takes (us)" "$base" 1 1000
	for us in 2000 10000; do
		port_netem 2 delay ${us}us limit 10000
		# smoothed by 1/8
		flow_moves 2 200
		told 0.5 2
		check_num "with $us us more, round trips are reported" "$(samples)" '>' 20
		check_between "of that much more (us)" "$(calc "$(median) - $base")" $((us * 9 / 10)) $((us * 11 / 10))
		check_between "none was shorter than the delay, none twice as long (us)" \
			"$(calc "$(least) >= $us && $(most) <= 2 * $us + $base")" 1 1
		check_between "the QP's line says so, too (us)" "$(calc "$(rtt_us) - $base_column")" \
			$((us * 9 / 10)) $((us * 11 / 10))
		port_clear 2
	done
	flow_moves 2 100
	told 0.5 2
	check_between "when the delay has gone, so has the difference (us)" "$(median)" 1 "$(calc "2 * $base")"
	flow_stop truth
	fast_line
}

# Time in the pacer is ours, not the network's.
held()
{
	local gap_us=8400 packets again

	again=$(cc_count rxe1 roce_adp_retrans)
	cc_set rxe1 algorithm fixed
	cc_set rxe1 params/fixed/rate 4
	flow_start held 1 2 ib_send_bw -e
	flow_moves 2 40
	packets=$(waiting)
	check_num "packets wait in the pacer" "$packets" '>' 2
	check_num "each for more than ten round trips (us)" $((packets * gap_us)) '>' $((10 * $(rtt_us)))
	check_between "and none of that is in the round trip (us)" "$(rtt_us)" 1 1000
	check_eq "nothing was sent twice" "$(cc_count rxe1 roce_adp_retrans)" "$again"
	flow_stop held
	cc_set rxe1 params/fixed/rate 0
}

# An ACK after a loss may be of either transmission: such a packet is not timed.  Timed from the first one it would be at
# least a round trip too long, and from the second, when the first was not lost, too short.
repeated()
{
	local us=2000 base again

	slow_line
	port_netem 2 delay ${us}us
	flow_start repeated 1 2 ib_send_bw -e
	flow_moves 2
	told 0.5 2
	base=$(median)
	port_netem 2 delay ${us}us loss 5%
	again=$(cc_count rxe1 roce_adp_retrans)
	told 4 2
	check_num "with losses, packets are sent again" $(($(cc_count rxe1 roce_adp_retrans) - again)) '>' 20
	check_num "and round trips are reported" "$(samples)" '>' 50
	check_num "none is shorter than the delay (us)" "$(least)" '>=' $us
	check_num "none is long enough to be of a packet that was lost (us)" "$(most)" '<' "$(calc "1.7 * $base")"
	# the same packet on its way back: now ACKs are lost, and packets arrive twice
	port_netem 2 delay ${us}us
	port_netem 1 loss 92%
	again=$(hw_counter rxe2 duplicate_request)
	told 4 2
	check_num "with ACKs lost, packets arrive twice" $(($(hw_counter rxe2 duplicate_request) - again)) '>' 0
	check_num "and round trips are reported" "$(samples)" '>' 10
	check_num "none is shorter than the delay (us)" "$(least)" '>=' $us
	check_num "none is long enough to be of a packet's first transmission (us)" "$(most)" '<' "$(calc "1.7 * $base")"
	flow_check "the QP works" repeated 2
	flow_stop repeated
	port_clear 1
	port_clear 2
	fast_line
}

# The peer's rxe acknowledges messages, not packets.
coalesced()
{
	# a target of 20 ms lets rtt keep hundreds of KB on their way, and ask seldom
	cc_set rxe1 params/rtt/target 20000000
	cc_set rxe1 algorithm rtt
	port_tail 2 200 1000
	flow_start coalesced 1 2 ib_send_bw -e -s 65536
	flow_moves 2 100
	told 1 2
	check_num "ACKs of several packets give round trips" \
		"$(grep -cE ' packets=([2-9]|[1-9][0-9]+) .* rtt=[1-9]' "$events")" '>' 10
	check_eq "no ACK stands for more packets than may be on their way" \
		"$(sed -n 's/.* packets=\([0-9]*\) .*/\1/p' "$events" | awk '$1 > 128')" ""
	check_eq "nothing is acknowledged that has no bytes" "$(grep -c ' bytes=0 ' "$events")" 0
	flow_stop coalesced
	port_clear 2
	cc_set rxe1 profile auto
	# without a single ACK that we asked for: READs and an algorithm that does not want any
	cc_set rxe1 algorithm fixed
	flow_start message 1 2 ib_send_bw -e -s 65536
	flow_moves 2 100
	check_between "the ACKs that rxe itself asks for give them, too (us)" "$(rtt_us)" 1 100000
	flow_stop message
}

# Mb/s of two READ flows, from hosts 2 and 3 to host 1, until both have all; nothing if one failed.
read_incast()
{
	local n=100 bytes=65536 start

	start=$(now_ms)
	perf_start a 1 2 ib_read_bw -e -s $bytes -n $n && perf_start b 1 3 ib_read_bw -e -s $bytes -n $n &&
		perf_wait a > /dev/null && perf_wait b > /dev/null &&
		calc "2 * $n * $bytes * 8 / 1000 / ($(now_ms) - $start)"
}

# READ: what is asked for comes from elsewhere, from peers that hold nothing back.
reads()
{
	local none drops_none drops_swift swift alg

	for alg in swift rtt; do
		cc_set rxe1 algorithm $alg
		flow_start read 1 2 ib_read_bw -e -s 65536
		flow_moves 1 100
		told 0.5 2
		check_num "the responses to READs give round trips to $alg" "$(samples)" '>' 10
		flow_stop read
	done

	cc_set rxe2 algorithm none
	cc_set rxe3 algorithm none
	cc_set rxe1 algorithm none
	port_tail 1 200 256
	none=$(read_incast)
	drops_none=$(port_stats 1 drops)
	cc_set rxe1 algorithm swift
	port_tail 1 200 256
	swift=$(read_incast)
	drops_swift=$(port_stats 1 drops)
	log "READ incast: none $none Mb/s, $drops_none drops; swift $swift Mb/s, $drops_swift drops"
	check_num "READs of two peers, without control, overrun the port (drops)" "$drops_none" '>' 10
	check_num "a reader that knows round trips loses less than a tenth of that" "$drops_swift" '<' \
		"$(calc "$drops_none / 10")"
	check_num "and gets more (Mb/s)" "$swift" '>' "$none"
	port_clear 1
	cc_set rxe2 algorithm dcqcn
	cc_set rxe3 algorithm dcqcn
}

stalls()
{
	cc_count rxe1 tx_window_stall
}

stalled()
{
	[ "$(stalls)" -gt "$1" ]
}

# A window closes when the network is full, and opens by ACKs; if none comes, by time.
windows()
{
	local before closed

	cc_set rxe1 algorithm swift
	port_tail 2 200 256
	before=$(stalls)
	flow_start window 1 2 ib_send_bw -e
	flow_moves 2 500
	told 0.5 2
	closed=$(awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^cwnd=/) print substr($i, 6) }' "$events" | sort -n | tail -n 1)
	check_between "swift sets a window (bytes)" "$closed" 4000 1000000
	check_num "packets wait for it" "$(waiting)" '>' 0
	check_num "no more than that is on its way, and a packet (bytes)" "$(field 6)" '<=' "$(calc "$(field 5) + 4300")"
	check_eq "no window had to be opened by time" "$(stalls)" "$before"

	port_netem 2 loss 100%
	check "a network that has become a black hole: it is" busywait 10 stalled "$before"
	sleep 0.5
	check "the QP lives" flow_alive window
	port_tail 2 200 256
	flow_check "when the network is back, so is the QP" window 2
	before=$(stalls)
	flow_moves 2 500
	check_eq "and its window opens by ACKs again" "$(stalls)" "$before"
	flow_stop window
}

# Whatever is lost, a window never stays closed.
lossy()
{
	local alg

	for alg in swift rtt; do
		cc_set rxe1 algorithm $alg
		cc_set rxe2 algorithm $alg
		port_netem 1 loss 5%
		port_netem 2 loss 5%
		check_num "5 % lost both ways, $alg: a transfer ends (Gb/s)" \
			"$(perf 1 2 ib_send_bw -e -n 60 -s 65536)" '>' 0
		check_num "so does a READ (Gb/s)" "$(perf 1 2 ib_read_bw -e -n 30 -s 65536)" '>' 0
		port_clear 1
		port_clear 2
	done
	check_num "packets were lost (sent again)" "$(cc_count rxe1 roce_adp_retrans)" '>' 50
}

fabric_up 3
rcc_load
truth
held
repeated
coalesced
reads
windows
lossy
busywait 5 cc_settled > /dev/null
check "nothing waits any more" cc_settled
finish
