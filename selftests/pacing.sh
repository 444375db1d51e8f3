#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A QP's packets leave at the rate that was set: measured by the switch's byte counter,
# within 1 %.  The first packet after a pause does not wait, and a slow QP's timers
# stay quiet.  Exact only where time counts instructions (icount).

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# port_rate SECONDS: Mb/s that port 2 carries.  Both ends of the window are moments at
# which the counter changes, so a slow flow's packets are not cut in half.
port_rate()
{
	# shellcheck disable=SC2016 # for the shell in the switch
	sw bash -c '
	file=/sys/class/net/s2/statistics/tx_bytes
	edge()
	{
		local was now

		read -r was < $file
		now=$was
		while [ "$now" = "$was" ]; do
			read -r now < $file
		done
		time=${EPOCHREALTIME/./} bytes=$now
	}
	edge
	t=$time b=$bytes
	sleep '"$1"'
	edge
	awk "BEGIN { print ($bytes - $b) * 8 / ($time - $t) }"'
}

errors()
{
	echo $(($(cc_sum roce_adp_retrans) + $(cc_sum local_ack_timeout_err) + $(cc_sum packet_seq_err) +
		$(hw_counter rxe1 completer_retry_err)))
}

rate()
{
	local mbps=$1 seconds=$2 before got

	cc_set rxe1 params/dcqcn/rp_max_rate "$mbps"
	before=$(errors)
	flow_start "at$mbps" 1 2 ib_send_bw -e
	flow_moves 2 10
	got=$(port_rate "$seconds")
	check_between "a rate of $mbps Mb/s is kept within 1 %" "$got" "$(calc "$mbps * 0.99")" "$(calc "$mbps * 1.01")"
	check "at $mbps Mb/s the QP lives" flow_alive "at$mbps"
	check_eq "at $mbps Mb/s nothing is sent twice" "$(errors)" "$before"
	flow_stop "at$mbps"
}

# 4 KB take 34 ms at 1 Mb/s: who waits for that shows.
idle_first()
{
	local out=/tmp/lat.$$

	cc_set rxe1 params/dcqcn/rp_max_rate 1
	rcc_lat -d rxe2 -g "$(gid4 rxe2)" > /dev/null 2>&1 &
	defer kill_wait $!
	busywait 10 listening 18600 > /dev/null
	run rcc_lat -d rxe1 -g "$(gid4 rxe1)" -s 4096 -r 4 -n 12 "$(ip4 2)" > "$out"
	log "$(cat "$out")"
	check_num "at 1 Mb/s a packet after a pause leaves at once (us)" "$(jq .p99 "$out")" '<' 5000
	check_eq "none of them is lost" "$(jq .lost "$out")" 0
	rm -f "$out"
}

fabric_up 2
flow_start stock 1 2 ib_send_bw -e
flow_moves 2
check_num "stock: without the module the flow is faster than all that follows (Mb/s)" "$(port_rate 0.2)" '>' 450
flow_stop stock
rcc_load
rate 1 4
rate 10 2
rate 100 0.5
rate 400 0.3
idle_first
check "packets did wait" [ "$(cc_count rxe1 tx_held)" -gt 0 ]
busywait 5 cc_settled > /dev/null
check_eq "none waits for ever" "$(cc_get rxe1 held_packets)" 0
finish
