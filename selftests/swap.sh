#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 1,000 live swaps between five algorithms while two senders fill a 200 Mb/s port: no QP fails, no packet is lost, no memory
# either.
#
# The port's queue holds all that two QPs may have on their way, 2 x 128 packets, so a packet that is missing is one that a
# swap lost: the receiver would see a gap, and the sender's rxe would send something twice.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

readonly SWAPS=1000 ALGS=(dcqcn rtt timely swift none)

# swap DEV N: N times the next algorithm.  With one file open, because opening it costs more than the swap.
swap()
{
	local i

	for ((i = 1; i <= $2; i++)); do
		echo "${ALGS[i % 5]}" || return 1
	done > "/sys/class/rxe_cc/$1/algorithm"
}

# Both senders at once, on machines with two processors at the same time.
swaps()
{
	local other

	swap rxe3 $((SWAPS / 2)) &
	other=$!
	swap rxe1 $((SWAPS / 2)) && wait "$other"
}

# Packets that we lost.
ours()
{
	local name sum=0

	for name in tx_local_drop tx_dropped_link_down tx_dropped_resp_overflow rx_read_dropped tx_unpaced_overflow; do
		sum=$((sum + $(cc_sum $name)))
	done
	echo $sum
}

# What stands for a packet that did not arrive in its turn, in the driver and here.
losses()
{
	local name sum

	sum=$(ours)
	for name in packet_seq_err local_ack_timeout_err roce_adp_retrans rnr_nak tx_purged; do
		sum=$((sum + $(cc_sum $name)))
	done
	for name in completer_retry_err send_rnr_err send_err; do
		sum=$((sum + $(hw_counter rxe1 $name) + $(hw_counter rxe3 $name)))
	done
	echo $((sum + $(hw_counter rxe2 out_of_seq_request) + $(hw_counter rxe2 duplicate_request)))
}

# Two processors overtake each other in the stock network devices, whose queues are per processor, and rxe sends those
# packets again; so there only our own losses tell.
lost()
{
	if icount; then
		losses
	else
		ours
	fi
}

# slab_kb: the kernel's own memory, without what it can give back.
slab_kb()
{
	# What RCU still has to free is no leak; the second look is for what the first one set free.
	sync
	echo 3 > /proc/sys/vm/drop_caches
	sleep 0.3
	echo 3 > /proc/sys/vm/drop_caches
	awk '/^(SUnreclaim|VmallocUsed|Percpu):/ { s += $2 } END { print s }' /proc/meminfo
}

# slab_least: the least of some looks, as packets on their way are in it.
slab_least()
{
	for _ in 1 2 3 4 5; do
		slab_kb
	done | sort -n | head -n 1
}

# Each algorithm serves: packets pass, at a rate that the line has, or at none.
each_serves()
{
	local alg least most

	for alg in "${ALGS[@]}" fixed; do
		least=100000 most=$(($(cc_get rxe1 line_rate) * 1000000))
		[ "$alg" != none ] || least=0 most=0
		cc_set rxe1 algorithm "$alg"
		check "after all, data moves under $alg" moves rxe1
		check_between "at a rate that there is (bit/s)" "$(cc_qps rxe1 | awk '{ print $3 }')" $least $most
	done
}

# Had a packet been lost, the counters would have said so.
twin()
{
	local lost

	lost=$(losses)
	cc_set rxe1 algorithm none
	port_tail 2 200 32
	check "a port with a short queue drops" busywait 10 drops
	check "and the counters say so" busywait 10 lost_more "$lost"
}

drops()
{
	[ "$(port_stats 2 drops)" -gt 0 ]
}

lost_more()
{
	[ "$(losses)" -gt "$1" ]
}

# sent DEV: packets of its QP.
sent()
{
	awk '$2 == "RC" { print $11 }' "/sys/kernel/debug/rxe_cc/$1/qps"
}

sent_more()
{
	[ "$(sent "$1")" -gt "$2" ]
}

moves()
{
	busywait 10 sent_more "$1" $(($(sent "$1") + 20)) > /dev/null
}

# port_share: share of the port's rate that is used, in percent.
port_share()
{
	local bytes start

	bytes=$(port_stats 2 bytes)
	start=$(now_ms)
	sleep 1
	calc "($(port_stats 2 bytes) - $bytes) * 8 / 200000 / ($(now_ms) - $start) * 100"
}

PERF_TIMEOUT=250
fabric_up 3
rcc_load
port_red 2 200 2000 30 100 nodrop
# an ACK timeout of 4 s: a machine that is slow for a moment loses nothing
flow_start one 1 2 ib_send_bw -e -u 20
flow_start two 3 2 ib_send_bw -e -u 20
check "data moves" flow_moves 2 200
# what a first swap allocates for good is no leak
swap rxe1 10
swap rxe3 10

slab=$(slab_least) lost=$(lost) changed=$(cc_sum cc_alg_changed) passed=$(port_stats 2 packets)
ce=$(cc_sum np_ecn_marked_roce_packets) start=$(now_ms)
check "$SWAPS swaps are made under traffic" swaps
log "in $(($(now_ms) - start)) ms"
check_eq "each of them changed one QP" $(($(cc_sum cc_alg_changed) - changed)) $SWAPS
check_num "packets passed the port meanwhile" $(($(port_stats 2 packets) - passed)) '>' 500
check_num "some of them marked" $(($(cc_sum np_ecn_marked_roce_packets) - ce)) '>' 0
flow_check "the first QP works" one 2
flow_check "so does the second" two 2
# On several processors time goes on while one of them is not run: rates then exceed the port's.
if icount; then
	check_eq "the port dropped nothing" "$(port_stats 2 drops)" 0
else
	log "the port dropped $(port_stats 2 drops)"
fi
check_eq "no packet was lost or sent twice" $(($(lost) - lost)) 0
check_eq "no decision was nonsense, and no QP left its algorithm" \
	$(($(cc_sum cc_bad_decision) + $(cc_sum cc_fallback) + $(cc_sum cc_alg_gone))) 0
each_serves

# the end of the queues that `none` filled, and a second to agree on shares
cc_set rxe1 algorithm dcqcn
cc_set rxe3 algorithm dcqcn
sleep 1
if icount; then
	check_num "the port is used afterwards (%)" "$(port_share)" '>' 80
fi
check_num "memory has not grown (KB)" $(($(slab_least) - slab)) '<' 1024
check_eq "the flows were never disturbed" "$(lost)" "$lost"
twin
flow_stop one two
busywait 5 cc_settled > /dev/null
check_eq "what waited was released or purged" "$(cc_sum tx_held)" $(($(cc_sum tx_released) + $(cc_sum tx_purged)))
check "nothing waits any more" cc_settled
check "the module can be unloaded" rcc_unload
finish
