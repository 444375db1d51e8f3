#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The link layer between two hosts: when there is a session and when there is none, what
# passes the wire, and what rxe sees of losses and of packets that overtake each other:
# nothing.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# room for a trailer behind packets of a RoCE MTU of 4096
FABRIC_MTU=4300
# what UDP carries of a full SEND, without and with a trailer
readonly STANDARD=4112 TRAILED=4132 BYE=6
# Mb/s at which a flow leaves the processor time for others
readonly SLOW=50

# in_guest_time CHECK SENTENCE GOT ...: a check of what the link layer finds by time.  On
# several processors time goes on while the host runs none of them, for longer than any
# round trip, ACK timeout or patience with a gap; there the figure is only shown.
in_guest_time()
{
	if icount; then
		"$@"
	else
		log "$2: $3"
	fi
}

# link HOST 0|1
link()
{
	cc_set "rxe$1" link "$2"
}

links()
{
	link 1 "$1"
	link 2 "$1"
}

# wire_lengths HOST: lengths of full data packets that the host sends now.
wire_lengths()
{
	sw timeout 10 tcpdump -Z root -i "s$1" -Q in -nn -c 20 'udp dst port 4791 and greater 4100' 2>/dev/null |
		sed -n 's/.*UDP, length //p' | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# check_lengths SENTENCE LENGTHS: data packets of host 1 are that long, now or soon: the host
# may have stopped a processor for so long that a session ended, and another one begins.
check_lengths()
{
	check_eq "$1" "$(busywait "$(within 2)" lengths_are "$2")" "$2"
}

lengths_are()
{
	local lengths

	lengths=$(wire_lengths 1)
	echo "$lengths"
	[ "$lengths" = "$1" ]
}

# ctl_drop HOST [TYPE]: the switch loses control packets that the host sends, or those of
# that type.  ctl_pass HOST: no more.
ctl_drop()
{
	local host=$1 type=()

	[ $# = 1 ] || type=(match u8 "$2" 0xff at 40)
	run tc -n sw qdisc add dev "s$host" ingress
	run tc -n sw filter add dev "s$host" parent ffff: protocol ip u32 match u8 0xe1 0xff at 28 "${type[@]}" \
		action drop
}

ctl_pass()
{
	run tc -n sw qdisc del dev "s$1" ingress
}

# rate MBIT: of all QPs, at most.
rate()
{
	cc_set rxe1 params/dcqcn/rp_max_rate "$1"
	cc_set rxe2 params/dcqcn/rp_max_rate "$1"
}

# flow_new ID [ARGS...]: SENDs from host 1 to 2 that leave the processor time for others.
flow_new()
{
	local id=$1

	shift
	flow_start "$id" 1 2 ib_send_bw -e "$@"
	check "$id: data moves" flow_moves 2 100
}

check_nothing_kept()
{
	busywait 5 cc_settled > /dev/null
	check_eq "$1: no packet is kept, held, or waits for another" "$(cc_waiting)" "0 0 0 0 0 0 "
}

session()
{
	local name="both sides on, IPv$1"

	links 1
	cc_mark
	PERF_GID=gid$1 flow_new "$name"
	check "$name: both sides have a session" sessions 1
	check_lengths "$name: packets on the wire have a trailer" $TRAILED
	check_num "$name: the peer takes them" "$(cc_since rxe2 link_rx_packets)" '>' 100
	check_num "$name: and says so" "$(cc_since rxe1 link_sack_rcvd)" '>' 4
	flow_check "$name: the QP works" "$name" 2
	in_guest_time check_eq "$name: nothing was lost" "$(cc_since_sum link_lost)" 0
	flow_stop "$name"
	in_guest_time check_eq "$name: rxe saw no gap" "$(new_naks)" 0
	in_guest_time check_eq "$name: no session ended before its QP" \
		"$(($(cc_since_sum link_down_bye) + $(cc_since_sum link_down_silent)))" 0
	check_nothing_kept "$name"
}

one_side()
{
	local name="one side off" early

	link 1 1
	link 2 0
	cc_mark
	flow_new "$name"
	# that takes twenty seconds, in which there is no need for traffic
	rate 2
	check "$name: HELLO goes unanswered" busywait 40 cc_reached rxe1 link_hello_unanswered 1
	rate $SLOW
	check_eq "$name: it was said eight times" "$(cc_since rxe1 link_hello_sent)" 8
	# the first ones may come before the peer's process has connected its QP; the last two take seconds
	early=$(($(cc_since rxe2 link_ctl_addr) + $(cc_since rxe2 link_ctl_qpn)))
	check_eq "$name: and heard" "$(($(cc_since rxe2 link_ctl_off) + early))" 8
	check_num "$name: the last ones by the QP" "$(cc_since rxe2 link_ctl_off)" '>=' 2
	check_eq "$name: there is no session" "$(cc_since_sum link_up)" 0
	check_lengths "$name: packets are standard" $STANDARD
	flow_check "$name: the QP works" "$name" 2
	flow_stop "$name"
}

# set_mtu BYTES: of both cables.
set_mtu()
{
	local i

	for i in 1 2; do
		run ip -n sw link set "s$i" mtu "$1"
		run ip link set "h$i" mtu "$1"
	done
}

no_room()
{
	local name="no room for a trailer, IPv$1, MTU $2"

	links 1
	set_mtu "$2"
	cc_mark
	PERF_GID=gid$1 flow_new "$name"
	check_num "$name: that is counted" "$(cc_since rxe1 link_fallback_mtu)" '>' 0
	check_eq "$name: no HELLO was said" "$(cc_since_sum link_hello_sent)" 0
	check_lengths "$name: packets are standard" $STANDARD
	flow_check "$name: the QP works" "$name" 2
	flow_stop "$name"
	set_mtu $FABRIC_MTU
}

# became_narrow: a packet fits the path as it is now, but not with its trailer; and the route
# as it was.  The netdev keeps its MTU, or rxe would change its own.
became_narrow()
{
	local name="the path becomes too narrow for a trailer"

	cc_mark
	flow_new "$name"
	check "$name: there is a session" sessions 1
	check_lengths "$name: packets have a trailer" $TRAILED
	check_eq "$name: none was too long" "$(cc_since rxe1 link_fallback_mtu)" 0
	run ip route replace default via 10.0.1.254 dev h1 src "$(ip4 1)" table 101 mtu 4150
	check "$name: that is counted" busywait 5 cc_reached rxe1 link_fallback_mtu 1
	check_lengths "$name: packets are standard" $STANDARD
	flow_check "$name: the QP works" "$name" 2
	host_config 1
	flow_check "$name: it works with room again" "$name" 2
	in_guest_time check_eq "$name: it has no other session" "$(cc_since rxe1 link_up)" 1
	flow_stop "$name"
	check_nothing_kept "$name"
}

hello_lost()
{
	local name="no control packet passes"

	ctl_drop 1
	ctl_drop 2
	cc_mark
	flow_new "$name"
	check "$name: HELLO is said again and again" busywait 5 cc_reached rxe1 link_hello_sent 5
	check_eq "$name: there is no session" "$(cc_since_sum link_up)" 0
	check_lengths "$name: packets are standard" $STANDARD
	flow_check "$name: the QP works" "$name" 2
	ctl_pass 1
	ctl_pass 2
	link 1 0
	link 1 1
	check "$name: once they pass, and one side says HELLO again, there is a session" sessions 1
	check_lengths "$name: packets have a trailer" $TRAILED
	flow_check "$name: the QP works" "$name" 2
	flow_stop "$name"
}

off_and_on()
{
	local name="off and on"

	cc_mark
	flow_new "$name"
	check "$name: there is a session" sessions 1
	link 2 0
	check "$name: BYE comes" busywait 5 cc_reached rxe1 link_down_bye 1
	check_lengths "$name: packets are standard" $STANDARD
	flow_check "$name: the QP works" "$name" 2
	in_guest_time check_eq "$name: nobody was silent" "$(cc_since_sum link_down_silent)" 0
	cc_mark
	link 2 1
	check "$name: there is a session again" sessions 1
	check_lengths "$name: packets have a trailer" $TRAILED
	flow_check "$name: the QP works" "$name" 2
	in_guest_time check_eq "$name: nobody was silent then" "$(cc_since_sum link_down_silent)" 0
	flow_stop "$name"
}

bye_lost()
{
	local name="BYE is lost"

	cc_mark
	flow_new "$name"
	check "$name: there is a session" sessions 1
	ctl_drop 2 $BYE
	cc_mark
	link 2 0
	check "$name: the peer's silence is noticed" busywait 5 cc_reached rxe1 link_down_silent 1
	check_eq "$name: no BYE came" "$(cc_since rxe1 link_down_bye)" 0
	check_lengths "$name: packets are standard" $STANDARD
	flow_check "$name: the QP works" "$name" 2
	ctl_pass 2
	cc_mark
	link 2 1
	check "$name: there is a session again" sessions 1
	flow_check "$name: the QP works" "$name" 2
	flow_stop "$name"
}

# lossy NAME TOOL ARGS...: 1 % of all packets is lost, both ways, and rxe sees nothing of it.
# Before there is a session it would, so losses begin then; by a change of netem, because a
# new qdisc would lose packets of its own.
lossy()
{
	local name="1 % lost, $1" losses repeats dropped dev i

	shift
	cc_mark
	port_netem 1 delay 200us
	port_netem 2 delay 200us
	perf_start lossy 1 2 "$@"
	check "$name: there is a session" sessions 1
	for i in 1 2; do
		run tc -n sw qdisc change dev s$i root handle 1: netem delay 200us loss 1%
	done
	check_num "$name: it ends without an error (Gb/s)" "$(perf_wait lossy)" '>' 0
	# what left with a trailer and did not come; control packets are lost, too
	repeats=$(cc_since_sum link_repeats)
	dropped=$(($(port_stats 1 drops) + $(port_stats 2 drops)))
	check_num "$name: the ports dropped packets" "$dropped" '>' 0
	check_num "$name: packets were sent again" "$repeats" '>' 0
	losses=$(($(cc_since_sum link_tx_packets) + repeats - $(cc_since_sum link_rx_packets)))
	in_guest_time check_num "$name: packets were lost" "$losses" '>' "$least"
	in_guest_time check_num "$name: no more than the ports have dropped" "$losses" '<=' "$dropped"
	in_guest_time check_between "$name: as many were sent again, within 5 %" "$repeats" \
		"$(calc "$losses * 0.95 - 2")" "$(calc "$losses * 1.05 + 2")"
	in_guest_time check_eq "$name: rxe saw no gap" "$(new_naks)" 0
	in_guest_time check_eq "$name: and sent nothing again" "$(cc_since_sum roce_adp_retrans)" 0
	for dev in rxe1 rxe2; do
		log "$dev: $(cc_changed "${_marked[$dev]}" "$(cc_all $dev)")"
	done
	port_clear 1
	port_clear 2
}

losses()
{
	local least=80

	# as many as take seconds: losses begin when a flow is under way
	links 1
	rate 0
	lossy SEND ib_send_bw -e -s 65536 -n 2000
	lossy WRITE ib_write_bw -s 65536 -n 2000
	lossy READ ib_read_bw -s 65536 -n 2000
	least=10 lossy atomics ib_atomic_bw -n 20000
	check_nothing_kept "after losses"
	rate $SLOW
}

keeps()
{
	[ "$(cc_get rxe1 kept_packets)" -gt 0 ]
}

# QPs that end while much of theirs is under way.
ends()
{
	local name="QPs end with packets kept" start

	cc_mark
	port_netem 2 delay 5ms
	run rcc_churn -d rxe1 -g "$(gid4 rxe1)" -D rxe2 -G "$(gid4 rxe2)" -n 100 -a 64 -m 16
	check_num "$name: there were sessions" "$(cc_since rxe1 link_up)" '>' 10
	check_nothing_kept "$name"
	cc_mark
	flow_new "$name"
	check "$name: there is a session" busywait 5 cc_reached rxe1 link_tx_packets 200
	check "$name: packets are kept" busywait 5 keeps
	flow_stop "$name"
	check_nothing_kept "$name, of a flow"
	start=$(now_ms)
	run rdma link del rxe1
	check_num "$name: their device goes at once (ms)" $(($(now_ms) - start)) '<' "$(within 2000)"
	port_clear 2
	run rdma link add rxe1 type rxe netdev h1
	busywait 10 gid4 rxe1 > /dev/null
	busywait 5 test -d /sys/class/rxe_cc/rxe1 > /dev/null
	links 1
	rate $SLOW
}

netdev_flap()
{
	local name="the receiver's netdev goes down and up"

	cc_mark
	# An ACK timeout that netdev and neighbour are back in.
	flow_new "$name" -u 16
	check "$name: there is a session" sessions 1
	run ip link set h2 down
	check "$name: its side of the session ends" busywait 5 cc_reached rxe2 link_down_reset 1
	cc_mark
	host_config 2
	check "$name: there is a session again" sessions 1
	flow_check "$name: the QP works" "$name" 2
	flow_stop "$name"
	check_nothing_kept "$name"
}

# sprayed MODE: over four paths; how many of them have seen a share of the data.
sprayed()
{
	local mode=$1 paths=4 j total=0 used=0 bytes=() from=()

	[ "$mode" != none ] || paths=1
	cc_set rxe1 spray "$mode"
	cc_set rxe2 spray "$mode"
	cc_mark
	flow_start "$mode" 1 2 ib_send_bw -e
	check "spray $mode: there is a session" sessions 1
	for j in 1 2 3 4; do
		from[j]=$(path_bytes "$j")
	done
	check "spray $mode: data moves" flow_moves 2 800
	for j in 1 2 3 4; do
		bytes[j]=$(($(path_bytes "$j") - from[j]))
		total=$((total + bytes[j]))
	done
	for j in 1 2 3 4; do
		used=$((used + (bytes[j] * 20 > total)))
	done
	log "spray $mode: bytes by path: ${bytes[*]}"
	check_eq "spray $mode: so many paths carry data" $used "$paths"
	in_guest_time check_eq "spray $mode: rxe saw no gap" "$(new_naks)" 0
	flow_check "spray $mode: the QP works" "$mode" 2
	flow_stop "$mode"
}

all_back()
{
	[ "$(cc_since rxe1 link_path_back)" -ge "$(cc_since rxe1 link_path_dead)" ]
}

# A path dies under a sprayed flow, and nobody is told.
path_dies()
{
	local name="a path dies" dead=2 from

	cc_mark
	flow_new "$name"
	check "$name: there is a session" sessions 1
	from=$(path_bytes $dead)
	check "$name: data moves by all paths" flow_moves 2 200
	check_num "$name: by this one, too (bytes)" $(($(path_bytes $dead) - from)) '>' 20000
	cc_mark
	path_fail $dead
	check "$name: it is found dead" busywait 10 cc_reached rxe1 link_path_dead 1
	check "$name: it is tried" busywait 10 cc_reached rxe1 link_probe_sent 1
	flow_check "$name: the QP works without it" "$name" 2
	check_num "$name: it has lost packets" "$(dev_stats spine$dead l2 drops)" '>' 0
	check_num "$name: they were sent again" "$(cc_since rxe1 link_repeats)" '>' 0
	path_heal $dead
	check "$name: a try is answered once it is well" busywait 10 cc_reached rxe1 link_probe_answered 1
	check "$name: it is back" busywait 10 cc_reached rxe1 link_path_back 1
	# a session that begins anew has all paths, too, but none that is back
	if icount; then
		check "$name: and all that were found dead with it" busywait 10 all_back
	fi
	from=$(path_bytes $dead)
	check "$name: data moves again" flow_moves 2 200
	check_num "$name: by the path that is back, too (bytes)" $(($(path_bytes $dead) - from)) '>' 20000
	in_guest_time check_eq "$name: rxe saw no gap" "$(new_naks)" 0
	flow_check "$name: the QP works" "$name" 2
	flow_stop "$name"
}

# hole_dig: where hole comes.
hole_dig()
{
	run tc -n sw qdisc add dev s1 ingress
	run tc -n sw qdisc add dev s2 ingress
}

# hole: full packets do not pass when they have a trailer, in either direction.  Shorter ones
# and those without do, so that the peer sees gaps, and is told that they will not be mended.
hole()
{
	local i

	for i in 1 2; do
		# an IP length of 4160 to 4167
		run tc -n sw filter add dev "s$i" parent ffff: protocol ip u32 match u16 4160 0xfff8 at 2 action drop
	done
}

# hole_closed: says how many packets were lost in it.
hole_closed()
{
	local i sum=0

	for i in 1 2; do
		sum=$((sum + $(tc -n sw -s -j qdisc show dev "s$i" ingress | jq 'map(.drops) | add')))
		run tc -n sw qdisc del dev "s$i" ingress
	done
	echo $sum
}

# too_long NAME CMD...: messages of two full packets and a short one.
too_long()
{
	local name="full packets with a trailer are lost, $1"

	shift
	hole_dig
	cc_mark
	perf_start hole 1 2 "$@" -s 10000 -n 3000
	check "$name: there is a session" sessions 1
	hole
	check_num "$name: it ends without an error (Gb/s)" "$(perf_wait hole)" '>' 0
	check_num "$name: the session ended first" "$(cc_since_sum link_down_unmended)" '>' 0
	check_num "$name: packets were lost" "$(hole_closed)" '>' 0
}

packets_gone()
{
	[ "$(dev_stats "spine$1" l2 drops)" -gt 0 ]
}

# The path dies that a QP has without a session: what sprays is to find the others.
own_path_dies()
{
	local name="the QP's own path dies" own j most=0 bytes from=()

	links 0
	for j in 1 2 3 4; do
		path_clear $j
		from[j]=$(path_bytes $j)
	done
	# the ACK timeout is a second
	flow_new "$name" -u 18
	for j in 1 2 3 4; do
		bytes=$(($(path_bytes $j) - from[j]))
		[ $bytes -le $most ] || most=$bytes own=$j
	done
	path_fail "$own"
	check "$name: it loses packets" busywait 5 packets_gone "$own"
	check_fails "$name: without a session nothing moves" busywait 1 _packets_since 2 $(($(port_stats 2 packets) + 20))
	cc_mark
	links 1
	check "$name: a session begins all the same" sessions 1
	flow_check "$name: the QP works" "$name" 2
	flow_stop "$name"
	path_heal "$own"
}

# Paths of different delay, so that packets overtake each other, but none so slow that an
# adaptive spray would hardly use it.
sprays()
{
	local mode j

	fabric_leaf_spine 1 1 4
	for j in 1 2 3 4; do
		path_netem $j delay $((j + 1))ms
	done
	links 1
	rate 200
	for mode in none rr random reps adaptive; do
		sprayed $mode
		[ $mode = none ] ||
			check_num "spray $mode: packets overtook each other" "$(cc_since_sum link_out_of_sequence)" '>' 0
	done
	path_dies
	own_path_dies
	fabric_down
}

PERF_TIMEOUT=200
rcc_load
fabric_up 2
rate $SLOW
session 4
session 6
one_side
no_room 4 4178
no_room 6 4190
PERF_GID=gid4
became_narrow
hello_lost
off_and_on
bye_lost
losses
too_long SEND ib_send_bw -e
too_long READ ib_read_bw
ends
netdev_flap
fabric_down
sprays
finish
