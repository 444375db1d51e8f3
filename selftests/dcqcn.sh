#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The loop of DCQCN: a port marks, the receiver says so, the sender slows down, and
# comes back when the port is free again.  Without the module nothing of that happens.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

trace=$(mktemp)
defer rm -f "$trace"

# ect_packets OP: how many packets, five at most, whose ECN field is zero or not pass
# port 2 in a second.
ect_packets()
{
	sw timeout 1 tcpdump -Z root -l -i s2 -Q out -nn -c 5 "udp port 4791 and ip[1] & 3 $1 0" \
		2> "$trace" | grep -c UDP
	log "tcpdump: $(tr '\n' ' ' < "$trace")"
}

stock()
{
	port_red 2 100 256 30 100
	flow_start stock 1 2 ib_send_bw -e
	check "stock: data moves through the port" flow_moves 2
	check_eq "stock: packets pass" "$(ect_packets '==')" 5
	check_eq "stock: none of them is ECN-capable" "$(ect_packets '!=')" 0
	check_eq "stock: the port has nothing that it could mark" "$(port_stats 2 marked)" 0
	flow_stop stock
}

# event NAME [PATTERN]: the first line of that kind.
event()
{
	grep -m 1 -E "^[0-9.]+ $1 .*${2-}" "$trace"
}

time_of()
{
	event "$@" | cut -d ' ' -f 1
}

field()
{
	sed -n "s/.*$1=\([^ ]*\).*/\1/p"
}

sequence()
{
	local qpn new sent rcvd rate

	read -r qpn _ <<< "$qp"
	new=$(time_of qp_new "dev=rxe1 qpn=$qpn ")
	sent=$(time_of cnp_sent "dev=rxe2 .*dqpn=$qpn")
	rcvd=$(time_of cnp_rcvd "dev=rxe1 qpn=$qpn ")
	rate=$(time_of rate "dev=rxe1 qpn=$qpn event=cnp")
	log "qp_new $new, cnp_sent $sent, cnp_rcvd $rcvd, rate $rate"
	check_num "the receiver sends a CNP for the sender's QP after that is made" "$sent" '>=' "$new"
	check_num "the sender's QP gets it after that" "$rcvd" '>=' "$sent"
	check_num "the rate changes after that" "$rate" '>=' "$rcvd"
	rate=$(event rate "dev=rxe1 qpn=$qpn event=cnp")
	check_num "to less than before" "$(field rate <<< "$rate")" '<' "$(field before <<< "$rate")"
	check_eq "no other device has a CNP or a rate" \
		"$(grep -E ' (cnp_rcvd|rate) ' "$trace" | grep -cv 'dev=rxe1')" 0
}

rate_of()
{
	cc_qps rxe1 | awk -v qpn="$1" '$1 == qpn { print $3 }'
}

rate_above()
{
	[ "$(rate_of "$1")" -gt "$2" ]
}

# The congestion ends: the rate comes back, without a CNP from anywhere.
recovery()
{
	local qpn low

	read -r qpn _ low _ <<< "$qp"
	port_clear 2
	low=$(rate_of "$qpn")
	check "when the port is free again, the rate rises" busywait 10 rate_above "$qpn" "$low"
	check "up to twice what it was" busywait 10 rate_above "$qpn" $((2 * low))
	check_num "the congested rate was below the line's (bit/s)" "$low" '<' \
		$(($(cc_get rxe1 line_rate) * 1000000 / 2))
}

nothing_lost()
{
	local sent handled ignored

	sent=$(cc_sum np_cnp_sent)
	handled=$(cc_sum rp_cnp_handled)
	ignored=$(cc_sum rp_cnp_ignored)
	check_num "CNPs were sent" "$sent" '>' 0
	check_eq "every CNP that was sent was handled or ignored" $((handled + ignored)) "$sent"
	check_eq "none was ignored" "$ignored" 0
}

deleted()
{
	local qpn

	read -r qpn _ <<< "$qp"
	trace_take "$trace"
	trace_stop
	check "the end of the QP is told" event qp_del "dev=rxe1 qpn=$qpn "
	check_eq "every QP that came has gone" "$(cc_sum qp_new)" "$(cc_sum qp_del)"
}

fabric_up 2
stock

rcc_load
# event 3 is a CNP: rates rise with almost every packet
trace_start qp_new qp_del cnp_sent cnp_rcvd rate:event==3
port_red 2 100 256 30 100
flow_start cc 1 2 ib_send_bw -e
check "with the module: data moves through the port" flow_moves 2 500
qp=$(cc_qps rxe1)
check_eq "packets are ECN-capable" "$(ect_packets '!=')" 5
check_eq "all of them" "$(ect_packets '==')" 0
check_num "and the port marks them" "$(port_stats 2 marked)" '>' 0
trace_take "$trace"
sequence
recovery
check "the QP has not failed" flow_alive cc
flow_stop cc
nothing_lost
deleted
rcc_unload
finish
