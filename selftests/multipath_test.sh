#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A test of lib_spine.sh: traffic that keeps to one path, or a failure that loses
# nothing, would make the tests of spraying worthless.

# shellcheck disable=SC2317 # what check calls looks unreachable
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# quiet_ping I J: one ping from host I to J.
quiet_ping()
{
	run ping -q -c 1 -W 1 -I "$(ip4 "$1")" "$(ip4 "$2")"
}

quiet_ping6()
{
	run ping -q -c 1 -W 1 -I "$(ip6 "$1")" "$(ip6 "$2")"
}

# mark: note the bytes of all paths; since J LEAF: what came after.
mark()
{
	local j l

	for j in 1 2 3 4; do
		for l in 1 2; do
			bytes[10 * l + j]=$(path_bytes $j $l)
		done
	done
}

since()
{
	echo $(($(path_bytes "$1" "$2") - bytes[10 * $2 + $1]))
}

# many_qps WHAT: 64 QPs, each with a source port of its own, from host 1 to host 3.  They poll:
# with as many, perftest on 6.1 misses an event and waits for ever.
many_qps()
{
	local j total=0

	mark
	check_num "$1: 64 QPs move data between the leaves (Gb/s)" \
		"$(perf 1 3 ib_write_bw -n 10 -s 65536 -q 64)" '>' 0
	for j in 1 2 3 4; do
		total=$((total + $(since $j 1)))
		check_num "$1: path $j carries a part of them (bytes)" "$(since $j 1)" '>' 1000000
		check_num "$1: and of their ACKs (bytes)" "$(since $j 2)" '>' 0
	done
	check_num "$1: nothing takes another way (bytes)" $total '>=' $((64 * 10 * 65536))
}

# One QP: its packets stay together.
test_one_qp()
{
	local j used=0

	mark
	check_num "one QP moves data between the leaves (Gb/s)" \
		"$(perf 1 3 ib_send_bw -e -n 50 -s 65536)" '>' 0
	for j in 1 2 3 4; do
		[ "$(since $j 1)" -lt $((50 * 65536)) ] || used=$((used + 1))
	done
	check_eq "all its packets take one path" $used 1
	mark
	check "hosts of one leaf reach each other" quiet_ping 1 2
	check_eq "without a spine" "$(($(since 1 1) + $(since 2 1) + $(since 3 1) + $(since 4 1)))" 0
}

test_choice()
{
	mark
	paths_use 3
	check "a fabric told to use one path carries an IPv4 ping" quiet_ping 1 3
	check "and an IPv6 ping" quiet_ping6 1 3
	check_num "both took that path (bytes)" "$(since 3 1)" '>=' 190
	check_eq "and no other" "$(($(since 1 1) + $(since 2 1) + $(since 4 1)))" 0
}

# Only path 3 is in use.
test_failure()
{
	path_fail 3
	check_fails "a path that fails loses an IPv4 ping" quiet_ping 1 3
	check_fails "it loses an IPv6 ping" quiet_ping6 1 3
	check_fails "it loses what comes from the other leaf" quiet_ping 3 1
	check_eq "the leaf does not notice" \
		"$(ip -n leaf1 -j link show up3 | jq -r '.[0].operstate')" UP
	path_heal 3
	check "a path that is well again carries an IPv4 ping" quiet_ping 1 3
	check "and an IPv6 ping" quiet_ping6 1 3
}

# flood: an ECT burst that a narrow path cannot take at once.
flood()
{
	run ping -q -f -c 60 -s 1400 -l 60 -Q 2 -I "$(ip4 1)" "$(ip4 3)" > /dev/null
}

test_impairments()
{
	paths_use 2
	PATH_LEAVES=1 path_rate 2 1 20
	flood
	check_num "a path with a short queue drops" "$(path_stats 2 drops)" '>' 0
	check_eq "the way back has none" "$(tc -n leaf2 qdisc show dev up2 | grep -c tbf)" 0
	path_red 2 1 100 5 10
	flood
	check_num "a path with RED marks ECT packets" "$(path_stats 2 marked)" '>' 0
	check_eq "it drops none of them" "$(path_stats 2 drops)" 0
	path_clear 2
	path_netem 2 delay 100ms
	check_num "a path with delay takes its time, both ways (ms)" \
		"$(ping -q -c 1 -W 2 -I "$(ip4 1)" "$(ip4 3)" | sed -n 's|^rtt.* = \([0-9.]*\)/.*|\1|p')" '>=' 200
	path_clear 2
}

test_one_switch()
{
	port_lossy 2 100 1000 delay 1ms loss 20%
	run ping -q -f -c 200 -s 1400 -l 60 -I "$(ip4 1)" "$(ip4 2)" > /dev/null
	check_num "a lossy port with room for all loses packets" "$(port_stats 2 drops)" '>' 0
	port_lossy 2 1 20 delay 1ms
	run ping -q -f -c 60 -s 1400 -l 60 -I "$(ip4 1)" "$(ip4 2)" > /dev/null
	check_num "one that is narrow but loses none drops what its queue cannot take" "$(port_stats 2 drops)" '>' 0
	port_clear 2
}

test_direct()
{
	direct_up 91 92
	mark
	check "hosts on one cable reach each other by IPv4" quiet_ping 91 92
	check "and by IPv6" quiet_ping6 91 92
	check_num "RoCE works between them (Gb/s)" \
		"$(perf 91 92 ib_send_bw -e -n 20 -s 65536)" '>' 0
	check_eq "no path of the fabric sees that" "$(($(since 1 1) + $(since 2 1) + $(since 3 1) + $(since 4 1)))" 0
}

test_tear_down()
{
	fabric_down
	check_eq "fabric_down leaves no rxe device" "$(rdma link show)" ""
	check_eq "fabric_down leaves no switch" "$(ls /run/netns)" ""
	check_eq "fabric_down leaves no host" "$(ip -o link show | grep -c ': h[0-9]')" 0
	check_eq "fabric_down restores the rules" "$(ip rule show | wc -l)" 3
}

bytes=()
FABRIC_MTU=4300
fabric_leaf_spine 2 2 4
check_eq "the RoCE MTU is 4096" "$(ibv_devinfo -d rxe1 | awk '/active_mtu/ { print $2 }')" 4096
many_qps IPv4
PERF_GID=gid6 many_qps IPv6
test_one_qp
test_choice
test_failure
test_impairments
test_one_switch
test_direct
test_tear_down
finish
