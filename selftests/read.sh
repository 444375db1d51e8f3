#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# READ: the data flows from the responder, so the responder is the one that marks its
# packets ECN-capable, gets the CNPs and slows down.  Atomics work, too.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

fabric_up 2
port_red 1 100 256 30 100
flow_start stock 1 2 ib_read_bw -s 65536
check "stock: READ responses move" flow_moves 1
check_eq "stock: nothing is marked" "$(port_stats 1 marked)" 0
flow_stop stock

rcc_load
port_red 1 100 256 30 100
flow_start read 1 2 ib_read_bw -s 65536
check "READ responses move" flow_moves 1 400
check_num "they are ECN-capable" "$(cc_count rxe2 tx_ect_marked)" '>' 300
check_num "the port marks them" "$(port_stats 1 marked)" '>' 0
check_num "the reader sends CNPs" "$(cc_count rxe1 np_cnp_sent)" '>' 0
check_num "the responder handles them" "$(cc_count rxe2 rp_cnp_handled)" '>' 0
check_num "its responses wait for their time" "$(cc_count rxe2 tx_held)" '>' 0
flow_check "the QP works" read 1
flow_stop read

# Several READs of 1 MB: what they ask for must not pile up.
flow_start large 1 2 ib_read_bw -s 1048576 -o 8 -t 8
check "READs of 1 MB move" flow_moves 1 1000
check_num "requests wait until responses have drained" "$(cc_count rxe2 rx_read_held)" '>' 0
check_num "fewer responses wait than the bound" "$(cc_get rxe2 held_packets)" '<' 4096
check_eq "no response was dropped for want of room" "$(cc_count rxe2 tx_dropped_resp_overflow)" 0
flow_check "the QP works" large 1
flow_stop large
busywait 5 cc_settled > /dev/null
check_eq "no request is left" "$(cc_count rxe2 rx_read_held)" \
	$(($(cc_count rxe2 rx_read_released) + $(cc_count rxe2 rx_read_dropped)))
check_eq "nothing waits any more" "$(cc_get rxe2 held_packets)" 0

port_clear 1
check_num "atomics work (Gb/s)" "$(perf 1 2 ib_atomic_bw -n 200)" '>' 0
check_num "READs of a byte work (Gb/s)" "$(perf 1 2 ib_read_bw -n 200 -s 1)" '>=' 0
finish
