# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # OUT, name, dir, mon and line are the callers'
#
# demo_flows.sh - what the demonstrations share: flows of messages, and a monitor that
# watches them.
#
# A run has a name, and a directory $dir for what the programs print.  Its local
# variables mon, mon_pid, line and summary are set here.

readonly MSG_BYTES=65536 MTU=4096 TCP_PORT=18600
# PSNs that rxe leaves unacknowledged per RC QP: what of the packets sent is not
# sent twice but only not acknowledged yet.
# shellcheck disable=SC2034 # read by the demonstrations
readonly PSN_WINDOW=128

# say TEXT...: a line of progress.
say()
{
	printf '%s\n' "$*"
}

die()
{
	echo "${0##*/}: $*"
	exit 1
}

###############################################################################
# Flows

# flow_args I: what both sides of the flow of sender I are told.
flow_args()
{
	echo -F -e -N -s $MSG_BYTES -m $MTU -p $((TCP_PORT + $1))
}

servers=() clients=()

# flow_server J I [ARGS...]: host J takes the flow of sender I.
flow_server()
{
	local j=$1 i=$2

	shift 2
	# shellcheck disable=SC2046 # a list
	ib_send_bw -d "rxe$j" -x "$(gid4 "rxe$j")" $(flow_args "$i") "$@" > "$dir/server$i.log" 2>&1 &
	servers+=($!)
}

# flow_client I J [ARGS...]: host I sends to host J.
flow_client()
{
	local i=$1 j=$2

	shift 2
	# shellcheck disable=SC2046 # a list
	ib_send_bw -d "rxe$i" -x "$(gid4 "rxe$i")" $(flow_args "$i") "$@" "$(ip4 "$j")" \
		> "$dir/client$i.log" 2>&1 &
	clients+=($!)
}

# all_listening N: N servers wait at our ports.
all_listening()
{
	[ "$(ss -Hltn "sport >= :$TCP_PORT and sport <= :$((TCP_PORT + 99))" | wc -l)" = "$1" ]
}

# At the end of a run flows are cut off, not finished.  Senders first, so that none
# of them sees its receiver go.
stop_flows()
{
	kill -9 "${clients[@]}" 2>/dev/null
	wait "${clients[@]}" 2>/dev/null
	kill -9 "${servers[@]}" 2>/dev/null
	wait "${servers[@]}" 2>/dev/null
	servers=() clients=()
}

# flow_errors: how many flows failed while they should have run.
flow_errors()
{
	local pid n=0

	for pid in "${clients[@]}"; do
		if ! kill -0 "$pid" 2>/dev/null; then
			n=$((n + 1))
		fi
	done
	echo $n
}

###############################################################################
# The monitor

# monitor_start ARGS...: rcc_mon in the background; it announces when all senders send,
# and later the summary, through file descriptor $mon.
monitor_start()
{
	exec {mon}< <(exec rcc_mon -u -w 30 "$@" 2> "$dir/mon.log")
	mon_pid=$!
}

# monitor_line: the next line of the monitor, into $line.
monitor_line()
{
	IFS= read -r -u "$mon" -t 600 line ||
		die "$name: $(cat "$dir/mon.log"); $(tail -qn 2 "$dir"/client*.log)"
}

# monitor_says WORD: wait until it does: "running" when all flows have begun, "over"
# when the window is.
monitor_says()
{
	monitor_line
	[ "$line" = "$1" ] || die "$name: the monitor says '$line', not '$1'"
}

# monitor_summary: let it compute, now that nothing is measured; into $summary.
# shellcheck disable=SC2034 # summary is the caller's
monitor_summary()
{
	kill -USR1 "$mon_pid"
	monitor_line
	summary=$line
	exec {mon}<&-
}
