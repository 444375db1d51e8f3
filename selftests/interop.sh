#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Peers without the module.  All hosts of a test share one kernel, so such a peer is
# made: one whose device neither marks nor answers, a network that loses every CNP, and
# a module that is loaded and unloaded while a stock QP is at work.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

cnps_handled()
{
	[ "$(cc_count rxe1 rp_cnp_handled)" -gt "${1:-0}" ]
}

silent_receiver()
{
	local sent

	cc_set rxe2 ecn 0
	port_red 2 100 256 30 100
	sent=$(cc_sum np_cnp_sent)
	flow_start silent 1 2 ib_send_bw -e
	check "a receiver that does not answer: data moves" flow_moves 2 400
	check_num "the port marks" "$(port_stats 2 marked)" '>' 0
	check_num "the receiver sees CE" "$(cc_count rxe2 np_ecn_marked_roce_packets)" '>' 0
	check_eq "it sends no CNP" "$(cc_sum np_cnp_sent)" "$sent"
	flow_check "the QP works" silent 2
	cc_set rxe2 ecn 1
	check "a receiver that answers again is heard" busywait 10 cnps_handled
	flow_stop silent
}

silent_sender()
{
	local ect

	cc_set rxe1 ecn 0
	port_red 2 100 256 30 100
	flow_start plain 1 2 ib_send_bw -e
	flow_moves 2 5
	ect=$(cc_count rxe1 tx_ect_marked)
	check "a sender that does not mark: data moves" flow_moves 2 200
	check_eq "its packets are not ECN-capable" "$(cc_count rxe1 tx_ect_marked)" "$ect"
	check_eq "the port marks nothing" "$(port_stats 2 marked)" 0
	flow_check "the QP works" plain 2
	flow_stop plain
	cc_set rxe1 ecn 1
}

# The way back loses every CNP.
lost_cnps()
{
	local handled sent

	run sw tc qdisc add dev s2 clsact
	run sw tc filter add dev s2 ingress protocol ip u32 \
		match ip protocol 17 0xff match u8 0x81 0xff at 28 action drop
	port_red 2 100 256 30 100
	handled=$(cc_sum rp_cnp_handled) sent=$(cc_sum np_cnp_sent)
	flow_start lost 1 2 ib_send_bw -e
	check "every CNP is lost: data moves" flow_moves 2 400
	check_num "CNPs were sent" "$(cc_sum np_cnp_sent)" '>' "$sent"
	check_eq "none came" "$(cc_sum rp_cnp_handled)" "$handled"
	flow_check "the QP works" lost 2
	run sw tc qdisc del dev s2 clsact
	check "when the way back is free, they come" busywait 10 cnps_handled "$handled"
	flow_stop lost
	port_clear 2
}

fabric_up 2
port_red 2 100 256 30 100
flow_start live 1 2 ib_send_bw -e
check "stock: data moves" flow_moves 2
check_eq "stock: nothing is marked" "$(port_stats 2 marked)" 0
rcc_load
flow_check "the module comes in mid-traffic, and the QP works" live 2
check "it is slowed down as any other" busywait 10 cnps_handled
rcc_unload
flow_check "the module goes in mid-traffic, and the QP works" live 2
flow_stop live

rcc_load
silent_receiver
silent_sender
lost_cnps
finish
