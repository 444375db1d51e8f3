#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The loop of marks, CNPs and rates over IPv6.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

PERF_GID=gid6

fabric_up 2
port_red 2 100 256 30 100
flow_start stock 1 2 ib_send_bw -e
check "stock: data moves over IPv6" flow_moves 2
check_eq "stock: nothing is marked" "$(port_stats 2 marked)" 0
flow_stop stock

rcc_load
port_red 2 100 256 30 100
flow_start cc 1 2 ib_send_bw -e
check "data moves over IPv6" flow_moves 2 400
read -r qpn peer rate _ <<< "$(cc_qps rxe1)"
check "the peer's address is one of IPv6" grep -q "$(ip6 2)/$peer" /sys/kernel/debug/rxe_cc/rxe1/qps
check_num "the port marks" "$(port_stats 2 marked)" '>' 0
check_num "the receiver sends CNPs" "$(cc_count rxe2 np_cnp_sent)" '>' 0
check_num "the sender handles them" "$(cc_count rxe1 rp_cnp_handled)" '>' 0
check_num "its rate is below the line's (bit/s)" "$rate" '<' $(($(cc_get rxe1 line_rate) * 500000))
check_num "packets wait for their time" "$(cc_count rxe1 tx_held)" '>' 0
flow_check "the QP $qpn works" cc 2
flow_stop cc
check_eq "every CNP arrived" "$(($(cc_sum rp_cnp_handled) + $(cc_sum rp_cnp_ignored)))" "$(cc_sum np_cnp_sent)"
finish
