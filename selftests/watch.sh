#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rxecc top, hist and monitor look at real traffic: with programs of their own, which go with them, and with an agent's.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

readonly PINS=/sys/fs/bpf/rxe_cc
work=$(mktemp -d)
defer rm -rf "$work"

# monitor_start: until it has its programs, or the agent's maps.
monitor_start()
{
	rxecc monitor --json --interval 50 > "$work/events" 2> "$work/said" &
	monitor=$!
	defer kill_wait $monitor
	busywait 30 grep -q sigtimedwait "/proc/$monitor/wchan" > /dev/null ||
		bail "the monitor does not start" "$(cat "$work/said")"
}

# events FILTER: of those that are told for which this jq filter is true, a line each.
events()
{
	jq -c "select($1)" "$work/events"
}

# sum EVENT DEV: how often.
sum()
{
	events ".event == \"$1\" and .dev == \"$2\"" | jq -s 'map(.n) | add // 0'
}

# told FILTER
told()
{
	[ -n "$(events "$1")" ]
}

# adds_up EVENT DEV N
adds_up()
{
	[ "$(sum "$1" "$2")" = "$3" ]
}

# top_row DEV KEY...: of the QP of this device that sends most, values with blanks between.
top_row()
{
	rxecc top --once --interval 3000 --json > "$work/top"
	jq -r --arg dev "$1" 'first(.rows[] | select(.dev == $dev)) | [.[$ARGS.positional[]]] | map(tostring) | join(" ")' \
		"$work/top" --args "${@:2}"
}

alone()
{
	local row qpn

	monitor_start
	check_num "a monitor without an agent has programs" "$(tm_programs)" '>' 5
	check "it says that the module is missing" grep -q 'rxe_cc is not loaded' "$work/said"
	perf 1 2 ib_send_bw -e -n 100 > /dev/null
	check "the end of a QP is told" busywait 10 told '.event == "died" and .dev == "rxe1"'
	check "and that of the other one" busywait 10 told '.event == "died" and .dev == "rxe2"'
	check_eq "so was their birth, with the process" \
		"$(events '.event == "born"' | jq -r '"\(.dev) \(.type) \(.comm)"' | sort | tr '\n' ',')" \
		"rxe1 RC ib_send_bw,rxe2 RC ib_send_bw,"
	kill -KILL $monitor
	check "a monitor that is killed leaves no program" busywait 10 no_tm_programs

	port_tail 2 50 4000
	flow_start slow 1 2 ib_send_bw -e
	check "a flow moves" flow_moves 2
	row=$(top_row rxe1 comm peer type)
	check_eq "top without an agent sees whose flow it is" "$row" "ib_send_bw 10.0.2.1 RC"
	check_between "its rate, of a port of 50 Mb/s" "$(top_row rxe1 bytes_per_s)" 5500000 6250000
	qpn=$(top_row rxe1 qpn)
	rxecc hist qp "rxe1/$qpn" --seconds 2 --json > "$work/hist"
	check_between "hist sees some seconds of it: 92 SENDs of 64 KiB per second" \
		"$(jq '.histograms[] | select(.kind == "send").count' "$work/hist")" 150 200
	flow_stop slow
	port_clear 2
	check "nothing of all that is left" busywait 10 no_tm_programs
	check_fails "hist of the past wants an agent" rxecc hist qp "rxe1/$qpn"
}

# has_tracepoint NAME: is a program attached to it?
has_tracepoint()
{
	bpftool -j link show | jq -e --arg name "$1" 'any(.[]; .tp_name == $name)' > /dev/null
}

# later: who watches alone takes up a module that comes.
later()
{
	monitor_start
	check_fails "a monitor without the module is attached to nothing of it" has_tracepoint cnp_rcvd
	rcc_load
	check "it takes up the module that comes" busywait 10 has_tracepoint cnp_rcvd
	kill_wait $monitor
	check "programs go with it" busywait 10 no_tm_programs
	rcc_unload
}

# congested: CNPs that are known in number.
congested()
{
	local qpn n=37

	port_tail 2 50 4000
	flow_start slow 1 2 ib_send_bw -e
	check "a flow moves with rxe_cc" flow_moves 2
	check_eq "top has the algorithm from the module" "$(top_row rxe1 algorithm)" "$(cat /sys/class/rxe_cc/rxe1/algorithm)"
	qpn=$(top_row rxe1 qpn)
	forge 1 4 -q "$qpn" -k $n
	check "all CNPs are told" busywait 10 adds_up cnps rxe1 $n
	check_eq "all cuts of the rate, too" "$(sum cut rxe1)" \
		"$(bpftool map dump pinned $PINS/qp | jq '[.[].value | select(.dev == "rxe1").rate_cuts] | add')"
	check_num "of which there are some" "$(sum cut rxe1)" '>' 0
	flow_stop slow
	port_clear 2
}

# long_message: a message that takes two seconds gets on, as the peer acknowledges parts of it.
long_message()
{
	port_tail 2 32 4000
	check "messages of two seconds pass" perf 1 2 ib_send_bw -s 8388608 -n 5 -t 1
	port_clear 2
	check_fails "no stall is told of a long message" told '.event == "stall"'
}

# stalled: for longer than a second nothing arrives; rxe tries again after four.
stalled()
{
	local flow

	port_tail 2 50 4000
	rcc_verify -d rxe1 -g "$(gid4 rxe1)" -D rxe2 -G "$(gid4 rxe2)" -q 1 -o send -b 1000g -r 7 -t 20 \
		> "$work/verify" 2>&1 &
	flow=$!
	check "a flow moves that has patience" flow_moves 2
	check_fails "no stall is told" told '.event == "stall"'
	port_netem 2 loss 100%
	check "a stall is told" busywait 20 told '.event == "stall" and .dev == "rxe1"'
	check_eq "with the peer, and what is outstanding" \
		"$(events '.event == "stall" and .dev == "rxe1"' | jq -r '"\(.peer) \(.outstanding > 0) \(.rtt_ns > 0)"')" \
		"10.0.2.1 true true"
	rxecc top --once > "$work/table"
	check "top names who is slow" grep -qE '^Slow: rxe1/[0-9]+ to 10\.0\.2\.1/[0-9]+ stalled ' "$work/table"
	check "and marks it" grep -qE '^S +rxe1/' "$work/table"
	port_clear 2
	check "its end is told" busywait 20 told '.event == "stall_end" and .dev == "rxe1"'
	check_num "rxe's timer is told" "$(sum timeout rxe1)" '>' 0
	check_num "and that requests were sent again" "$(sum again rxe1)" '>' 0
	check_fails "the flow goes on" _gone $flow
	kill_wait $flow
}

with_agent()
{
	rcc_load
	rxecc export --listen 127.0.0.1:0 > "$work/agent" 2>&1 &
	agent=$!
	defer kill_wait $agent
	busywait 30 grep -q '^metrics at' "$work/agent" || bail "the agent does not start" "$(cat "$work/agent")"
	monitor_start
	check_eq "nothing is missing" "$(cat "$work/said")" ""
	check_eq "a device without QPs has histograms without samples" \
		"$(rxecc hist dev rxe1 --json | jq '[.histograms[].count] | add')" 0
	congested
	long_message
	stalled
	kill_wait $agent
	check "a monitor ends with the agent whose maps it reads" busywait 10 _gone $monitor
	check "it says why" grep -q 'agent that recorded this has ended' "$work/said"
	check "no program is left" busywait 10 no_tm_programs
}

modprobe rdma_rxe
fabric_up 2
alone
later
with_agent
finish
