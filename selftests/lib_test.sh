#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A test of lib.sh itself: a fabric that leaks around the switch, or a check that
# cannot fail, would make every other test worthless.

# shellcheck disable=SC2317 # what check calls looks unreachable
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# A failing check must say "not ok" and make the script's exit code 1.
broken_script()
{
	bash -c '. ./lib.sh; check_num "one is two" 1 == 2; finish' 3>&1
}

unfinished_script()
{
	bash -c '. ./lib.sh; ok "fine"'
}

short_script()
{
	bash -c '. ./lib.sh; plan 2; ok "fine"; finish'
}

good_script()
{
	bash -c '. ./lib.sh; plan 1; check_num "two is two" 2 == 2.0; finish'
}

test_checks()
{
	cd "$(dirname "$0")" || exit
	check "a script whose check passes passes" good_script
	check_fails "a script whose check fails fails" broken_script
	check_fails "a script without finish fails" unfinished_script
	check_fails "a script with fewer results than planned fails" short_script
	check "a failed check says 'not ok'" grep -q '^not ok 1 one is two' <(broken_script)
	check_fails "a number check refuses empty text" \
		bash -c '. ./lib.sh; check_num "x" "" "<=" 1; finish'
}

test_busywait()
{
	local start

	start=$(now_ms)
	check_fails "busywait gives up" busywait 0.5 false
	check_between "busywait gives up after its time" $(($(now_ms) - start)) 500 "$(within 1500)"
	check_eq "busywait returns the output of the success" "$(busywait 1 echo yes)" yes
	(sleep 0.3; : > /tmp/flag) &
	check "busywait sees a condition that comes true later" busywait 5 test -e /tmp/flag
	wait
	rm -f /tmp/flag
}

test_switch()
{
	local before after

	before=$(port_stats 2 packets)
	check "an IPv4 ping between hosts is answered" \
		run ping -q -c 5 -i 0.01 -W 2 -I "$(ip4 1)" "$(ip4 2)"
	after=$(port_stats 2 packets)
	check_num "it passed the switch's port" $((after - before)) '>=' 5

	before=$after
	check "an IPv6 ping between hosts is answered" \
		run ping -q -c 5 -i 0.01 -W 2 -I "$(ip6 1)" "$(ip6 2)"
	after=$(port_stats 2 packets)
	check_num "it passed the switch's port" $((after - before)) '>=' 5

	port_netem 2 loss 100%
	check_fails "a port that loses everything stops an IPv4 ping" \
		run ping -q -c 1 -W 1 -I "$(ip4 1)" "$(ip4 2)"
	check_fails "a port that loses everything stops an IPv6 ping" \
		run ping -q -c 1 -W 1 -I "$(ip6 1)" "$(ip6 2)"
	port_clear 2
}

test_rdma()
{
	local bytes before

	check_eq "the RoCE MTU is 4096" \
		"$(ibv_devinfo -d rxe1 | awk '/active_mtu/ { print $2 }')" 4096

	bytes=$(port_stats 2 bytes)
	before=$(hw_counter rxe1 sent_pkts)
	check_num "ib_send_bw moves data over IPv4 (Gb/s)" \
		"$(perf 1 2 ib_send_bw -e -n 200 -s 65536)" '>' 0
	check_num "all its bytes passed the switch" \
		$(($(port_stats 2 bytes) - bytes)) '>=' $((200 * 65536))
	check_num "the driver counted its packets" \
		$(($(hw_counter rxe1 sent_pkts) - before)) '>=' $((200 * 16))

	bytes=$(port_stats 2 bytes)
	check_num "ib_send_bw moves data over IPv6 (Gb/s)" \
		"$(PERF_GID=gid6 perf 1 2 ib_send_bw -e -n 200 -s 65536)" '>' 0
	check_num "all its bytes passed the switch" \
		$(($(port_stats 2 bytes) - bytes)) '>=' $((200 * 65536))

	bytes=$(port_stats 1 bytes)
	check_num "ib_read_bw moves data (Gb/s)" \
		"$(perf 1 2 ib_read_bw -n 100 -s 65536)" '>' 0
	check_num "the data came back from the server" \
		$(($(port_stats 1 bytes) - bytes)) '>=' $((100 * 65536))
	check_num "pingpong prints a latency (us)" "$(pingpong 1 2 -n 100)" '>' 0
	check_fails "perf fails if the client fails" perf 1 2 ib_send_bw --no-such-option
}

# An ECT ping flood and a narrow port: tos 2 is ECT(0).
test_ports()
{
	port_red 2 1 100 5 10
	run ping -q -f -c 60 -s 1400 -l 60 -Q 2 -I "$(ip4 1)" "$(ip4 2)" > /dev/null
	check_num "a port with RED marks ECT packets" "$(port_stats 2 marked)" '>' 0
	check_eq "it drops none of them" "$(port_stats 2 drops)" 0

	port_tail 2 1 20
	check_eq "a new queue starts with no mark" "$(port_stats 2 marked)" 0
	run ping -q -f -c 60 -s 1400 -l 60 -Q 2 -I "$(ip4 1)" "$(ip4 2)" > /dev/null
	check_num "a port with a short queue drops" "$(port_stats 2 drops)" '>' 0
	port_clear 2
}

test_tear_down()
{
	fabric_down
	check_eq "fabric_down leaves no rxe device" "$(rdma link show)" ""
	check_fails "fabric_down leaves no switch" test -e /run/netns/sw
	check_eq "fabric_down restores the rules" "$(ip rule show | wc -l)" 3
	fabric_up 3
	check "a second fabric of three hosts works" \
		run ping -q -c 1 -W 2 -I "$(ip4 3)" "$(ip4 1)"
}

test_checks
test_busywait
fabric_up 2
test_switch
test_rdma
test_ports
test_tear_down
finish
