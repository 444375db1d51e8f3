#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The connection manager and real programs on top of it.  Its messages (QP1) are left
# alone: no ECN field, no pacing.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

pcap=$(mktemp)
defer rm -f "$pcap"

# both SERVER -- CLIENT: run two commands, the client when the server waits.
both()
{
	local server=() pid status

	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	timeout 20 "${server[@]}" > /dev/null 2>&1 &
	pid=$!
	busywait 10 waiting > /dev/null
	run timeout 20 "$@"
	status=$?
	wait "$pid" || status=1
	return "$status"
}

# waiting: a connection manager id listens, or a TCP server of ibv_*_pingpong.
waiting()
{
	rdma resource show cm_id 2>/dev/null | grep -q LISTEN || listening 18515
}

a1=$(ip4 1) a2=$(ip4 2)

programs()
{
	check "$1: rping works" both rping -s -a "$a2" -C 20 -- rping -c -a "$a2" -I "$a1" -C 20
	check "$1: ucmatose works" both ucmatose -b "$a2" -- ucmatose -s "$a2" -b "$a1"
	check "$1: udaddy works" both udaddy -b "$a2" -- udaddy -s "$a2" -b "$a1"
	check "$1: ibv_rc_pingpong works" both \
		ibv_rc_pingpong -e -d rxe2 -g "$(gid4 rxe2)" -n 100 -- \
		ibv_rc_pingpong -e -d rxe1 -g "$(gid4 rxe1)" -n 100 "$a2"
	check "$1: ibv_srq_pingpong works" both \
		ibv_srq_pingpong -e -d rxe2 -g "$(gid4 rxe2)" -n 100 -q 4 -- \
		ibv_srq_pingpong -e -d rxe1 -g "$(gid4 rxe1)" -n 100 -q 4 "$a2"
}

# of_qp1 ECN-TEST: packets to QP1 in the capture whose ECN field is so.
of_qp1()
{
	tcpdump -Z root -r "$pcap" -nn "ip[32:4] & 0xffffff = 1 and ip[1] & 3 $1" 2>/dev/null | wc -l
}

fabric_up 2
programs stock
rcc_load
sw tcpdump -Z root -U -i s2 -nn -w "$pcap" 'udp port 4791' 2>/dev/null &
dump=$!
busywait 5 test -s "$pcap" > /dev/null
programs "with the module"
sleep 0.2
kill_wait $dump
check_num "packets to QP1 were seen" "$(of_qp1 '= 0')" '>' 4
check_eq "none of them is ECN-capable" "$(of_qp1 '!= 0')" 0
check_num "others are" "$(tcpdump -Z root -r "$pcap" -nn 'ip[1] & 3 = 2' 2>/dev/null | wc -l)" '>' 100
check_eq "no packet was lost between the module and the wire" "$(cc_sum tx_local_drop)" 0
finish
