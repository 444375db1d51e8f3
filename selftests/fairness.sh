#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two senders share a marking port: fairly, and without leaving it idle.  The same two
# on stock rxe lose packets and most of the port.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# share NAME SECONDS: two flows into port 1; leaves the figures in jain and used (%).
share()
{
	local out=/tmp/mon.$$

	port_red 1 200 256 30 100
	flow_start "$1-2" 2 1 ib_send_bw -e
	flow_start "$1-3" 3 1 ib_send_bw -e
	rcc_mon -p s1 -w 10 -d "$2" rxe2 rxe3 > "$out" || log "rcc_mon failed"
	log "$1: $(tail -n 1 "$out")"
	jain=$(tail -n 1 "$out" | jq '[.flows[].messages] |
		if add > 0 then add * add / length / (map(. * .) | add) else 0 end')
	used=$(tail -n 1 "$out" | jq '([.flows[].messages] | add) * 65536 * 8 / .window_s / 2e6')
	check "$1: both flows live" both_alive "$1"
	flow_stop "$1-2" "$1-3"
	rm -f "$out"
}

both_alive()
{
	flow_alive "$1-2" && flow_alive "$1-3"
}

jain='' used=''
fabric_up 3
share stock 1.5
stock_used=$used
rcc_load
share dcqcn 2.5
check_num "the flows share the port fairly (Jain)" "$jain" '>=' 0.95
check_num "they use the port (%)" "$used" '>=' 85
check_num "they use three times what stock used (%)" "$used" '>' "$(calc "3 * $stock_used")"
check_num "the receiver sent CNPs" "$(cc_count rxe1 np_cnp_sent)" '>' 0
check_num "both senders got some" "$(cc_count rxe2 rp_cnp_handled)" '>' 0
check_num "both senders got some" "$(cc_count rxe3 rp_cnp_handled)" '>' 0
finish
