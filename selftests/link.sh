#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Faults of the local link that kill QPs of stock rxe: a full queue, a flap of the
# carrier.  And the ends of devices: of the netdev, of the RDMA device, of the driver.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# From 6.12 on stock rxe takes a local drop for a send error; 6.1 sends again.
stock_dies()
{
	case $(uname -r) in
	6.1.*) return 1 ;;
	esac
}

# A netdev waits, as it goes, until every program has closed its RDMA device, and the
# programs end with the first error of their QPs.  In 6.1 an error can stay unsaid: a
# send that finds no route or GID stops the requester, and its completion waits behind
# earlier sends whose ACKs never come.  So a backlog, of a qdisc or of our pacer, keeps
# the netdev for as long as the program likes.  From 6.12 on the whole QP fails.
stock_hangs()
{
	case $(uname -r) in
	6.1.*) return 0 ;;
	esac
	return 1
}

# A queue that is short and slower than the flow.
queue_full()
{
	run tc qdisc add dev h1 root handle 1: tbf rate 50mbit burst 8500 limit 1mb
	run tc qdisc add dev h1 parent 1:1 pfifo limit 8
}

queue_free()
{
	tc qdisc del dev h1 root 2>/dev/null
	return 0
}

# The switch forgets its neighbour with the link.
carrier_flap()
{
	run ip -n sw link set s1 down
	sleep 0.2
	run ip -n sw link set s1 up
	ip -n sw neigh replace "$(ip4 1)" lladdr "$(mac_host 1)" nud permanent dev s1
	busywait 5 grep -qx 1 /sys/class/net/h1/carrier > /dev/null
}

dead()
{
	! flow_alive "$1"
}

# fault NAME CMD UNDO: a flow of writes, and what the fault does to it, stock or not.
fault()
{
	local who=$1 name=$2 cmd=$3 undo=$4

	flow_start "$cmd" 1 2 ib_write_bw -s 65536
	check "$who, $name: data moves before" flow_moves 2
	$cmd
	sleep 0.5
	if [ "$who" = stock ] && stock_dies; then
		check "$who, $name: the QP dies" busywait 5 dead "$cmd"
		$undo
	else
		$undo
		flow_check "$who, $name: the QP works afterwards" "$cmd" 2
	fi
	flow_stop "$cmd"
}

faults()
{
	fault "$1" "full local queue" queue_full queue_free
	fault "$1" "carrier flap" carrier_flap true
}

# backlog WHO: packets that wait on host 1, in the qdisc or with the module.
backlog()
{
	if [ "$1" = stock ]; then
		tc -s qdisc show dev h1 | sed -n 's/.* backlog [^ ]* \([0-9]*\)p .*/\1/p;T;q'
	else
		cc_get rxe1 held_packets
	fi
}

waits()
{
	[ "$(backlog "$1")" -gt 0 ]
}

# netdev_end WHO: the netdev goes under a flow, whose packets wait.
netdev_end()
{
	local who=$1 start del waited

	flow_start netdev 1 2 ib_send_bw -e
	check "$who: data moves" flow_moves 2 20
	check "$who: packets wait" busywait 10 waits "$who"
	start=$(now_ms)
	run ip link del h1 &
	del=$!
	if stock_hangs; then
		busywait 3 _gone $del > /dev/null
		waited=$?
		# Between two sends nothing waits, and stock fails the QP with the next one.
		if ! icount && ! flow_alive netdev; then
			log "$who: its QP died with the netdev, which so needed not wait"
		else
			check_num "$who: the end of the netdev waits for the program, as ever on this kernel" \
				$waited '!=' 0
			check "$who: its QP gets no error, and so it waits, too" flow_alive netdev
		fi
		[ "$who" = stock ] ||
			check_fails "our directory has gone already" test -e /sys/class/rxe_cc/rxe1
		start=$(now_ms)
		flow_stop netdev
		wait $del
		check_num "$who: once the program has ended, the netdev goes at once (ms)" \
			$(($(now_ms) - start)) '<' "$(within 2000)"
	else
		wait $del
		check_num "$who: the netdev goes at once, under traffic (ms)" \
			$(($(now_ms) - start)) '<' "$(within 2000)"
		flow_stop netdev
	fi
	check_fails "$who: it has gone" test -e /sys/class/net/h1
	check "$who: the RDMA device goes with it" \
		busywait 5 test ! -e /sys/class/infiniband/rxe1
}

# ms CMD...: how long that took.
ms()
{
	local start

	start=$(now_ms)
	"$@" > /dev/null 2>&1
	echo $(($(now_ms) - start))
}

# Slow, so that packets wait in the pacer when the end comes.
ends()
{
	local del start

	cc_set rxe1 params/dcqcn/rp_max_rate 20
	flow_start ends 1 2 ib_send_bw -e
	check "data moves" flow_moves 2 20
	check "packets wait" busywait 10 waits module
	check_fails "the driver cannot be unloaded while it has devices in use" rmmod rdma_rxe
	# The driver waits until the last program has closed the device; we must not.
	run rdma link del rxe1 &
	del=$!
	check "when the RDMA device goes, under traffic, ours goes at once" \
		busywait 10 test ! -e /sys/class/rxe_cc/rxe1
	flow_check "until the program ends, its QP works" ends 2
	start=$(now_ms)
	flow_stop ends
	wait $del
	check_eq "the device could be deleted" $? 0
	check_num "once the program has ended, it goes at once (ms)" $(($(now_ms) - start)) '<' "$(within 2000)"
	check_fails "it has gone" test -e /sys/class/infiniband/rxe1

	rdma link add rxe1 type rxe netdev h1
	busywait 10 gid4 rxe1 > /dev/null
	check "a device that comes again has a directory" test -d /sys/class/rxe_cc/rxe1
	cc_set rxe1 params/dcqcn/rp_max_rate 20
	netdev_end "with the module"
	check_fails "and its directory of ours" test -e /sys/class/rxe_cc/rxe1
	rdma link del rxe2
	check_num "without devices the driver can be unloaded (ms)" "$(ms rmmod rdma_rxe)" '<' "$(within 2000)"
	check_fails "it has gone" test -e /sys/module/rdma_rxe
	check "ours stays" test -e /sys/module/rxe_cc
	run modprobe rdma_rxe
	rdma link add rxe2 type rxe netdev h2
	check "and serves the devices of a driver that comes again" busywait 5 test -d /sys/class/rxe_cc/rxe2
}

fabric_up 2
faults stock
# As slow as the module is made below, but by a qdisc.
run tc qdisc add dev h1 root tbf rate 20mbit burst 8500 limit 1mb
netdev_end stock
fabric_down
fabric_up 2
rcc_load
faults "with the module"
check_num "local drops were counted" "$(cc_count rxe1 tx_local_drop)" '>' 0
ends
finish
