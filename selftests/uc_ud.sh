#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Unreliable connections and datagrams are not paced, because nothing tells when to
# slow down an application that nobody answers; but they are ECN-capable, and CE on
# them is answered: the peer may know better.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# pingpong_of TOOL [ARGS...]: one of ibv_*_pingpong between hosts 1 and 2.
pingpong_of()
{
	local tool=$1 port=$((_perf_port++)) server

	shift
	timeout 20 "$tool" -e -d rxe2 -g "$(gid4 rxe2)" -p "$port" "$@" > /dev/null 2>&1 &
	server=$!
	busywait 10 listening "$port" > /dev/null
	run timeout 20 "$tool" -e -d rxe1 -g "$(gid4 rxe1)" -p "$port" "$@" "$(ip4 2)" && wait "$server"
}

# unpaced TYPE ARGS...: a flow of that type through a port that marks.
unpaced()
{
	local type=$1 marked held sent handled qpn ignored

	shift
	port_red 2 100 256 30 100
	marked=$(cc_count rxe1 tx_ect_marked) held=$(cc_count rxe1 tx_held)
	sent=$(cc_sum np_cnp_sent) handled=$(cc_sum rp_cnp_handled)
	flow_start "$type" 1 2 ib_send_bw -e -c "$type" "$@"
	check "$type: data moves" flow_moves 2 400
	check_num "$type: packets are ECN-capable" "$(cc_count rxe1 tx_ect_marked)" '>' $((marked + 400))
	check_num "$type: the port marks them" "$(port_stats 2 marked)" '>' 0
	check_eq "$type: no packet waits" "$(cc_count rxe1 tx_held)" "$held"
	check_num "$type: CE is answered" "$(cc_sum np_cnp_sent)" '>' "$sent"

	# A forged CNP is as little use as a real one.
	qpn=$(cc_qps rxe1 "$type" | awk '{ print $1; exit }')
	ignored=$(cc_count rxe1 rp_cnp_ignored)
	sw rcc_pkt send -i s1 -m "$(mac_host 1)" -s "$(ip4 2)" -d "$(ip4 1)" -q "$qpn"
	check_num "$type: CNPs for QP $qpn are ignored" "$(cc_count rxe1 rp_cnp_ignored)" '>' "$ignored"
	check_eq "$type: none is handled" "$(cc_sum rp_cnp_handled)" "$handled"
	check "$type: the QP lives" flow_alive "$type"
	flow_stop "$type"
	port_clear 2
}

fabric_up 2
port_red 2 100 256 30 100
flow_start stock 1 2 ib_send_bw -e -c UD -s 4096
check "stock: data moves" flow_moves 2 100
check_eq "stock: nothing is marked" "$(port_stats 2 marked)" 0
flow_stop stock
port_clear 2

rcc_load
check "ibv_uc_pingpong works" pingpong_of ibv_uc_pingpong -n 50
check "ibv_ud_pingpong works" pingpong_of ibv_ud_pingpong -n 50
unpaced UC -s 4096
unpaced UD -s 4096
check_eq "CNPs that were sent and forged were all ignored" "$(cc_sum rp_cnp_ignored)" $(($(cc_sum np_cnp_sent) + 2))
finish
