#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# monitor.sh RXECC TM_FILL - rxecc monitor tells what happens to QPs: all of it, once, and nothing else.

# shellcheck disable=SC2317 # functions called by name
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/maps.sh"

# Seconds that any event may take to be told.
patience=20

# start FILE ARGS...: a monitor that writes there, and has had its first look.
start()
{
	"$rxecc" monitor --pins "$pins" --interval 20 "${@:2}" > "$1" &
	monitor=$!
	busywait $patience naps $monitor > /dev/null || bail "the monitor does not begin"
}

# told FILE N: has it told of so many events?
told()
{
	[ "$(wc -l < "$1")" -ge "$2" ]
}

stop()
{
	kill -TERM $monitor
	wait $monitor
}

# next FILE N: wait until N more events than before have been told; then what they are: event, QP, number.
next()
{
	local from

	from=$(cat count)
	echo $((from + $2)) > count
	busywait $patience told "$1" $((from + $2)) > /dev/null
	tail -n "+$((from + 1))" "$1" | jq -r '"\(.event) \(.dev)/\(.qpn) \(.n)"' | sort | tr '\n' ',' | sed 's/,$//'
}

# happens SENTENCE LINES EVENTS: the maps change so, and the monitor tells exactly this.
happens()
{
	local lines n

	mapfile -t lines <<< "$2"
	n=$(tr ',' '\n' <<< "$3" | wc -l)
	fill "${lines[@]}"
	check_eq "$1" "$(next events "$n")" "$3"
}

# last KEY...: values of the latest event.
last()
{
	tail -n 1 events | jq -r '[.[$ARGS.positional[]]] | map(tostring) | join(" ")' --args "$@"
}

qp_of_old()
{
	fill "qp rxe0/17 comm=ib_send_bw pid=4711 peer=10.0.2.1 peer_qpn=18 started=9 done=9" \
		"qp rxe0/17 cnps_rcvd=5 naks=1,0,0,0,2 rate_bps=9000000000" \
		"qp rxe0/99 died_ns=-5000000000" "qp rxe1/20 started=3 done=3"
	echo 0 > count
	start events --json --stall 0.4
}

events()
{
	local now

	happens "CNPs" "qp rxe0/17 cnps_rcvd=12 cnp_rcvd_ns=123456789" "cnps rxe0/17 7"
	check_eq "an event has its time, and says to whom the QP talks" \
		"$(last monotonic_ns peer peer_qpn comm pid type)" "123456789 10.0.2.1 18 ib_send_bw 4711 RC"
	happens "a CNP that was sent" "qp rxe0/17 cnps_sent=1 cnp_sent_ns=-1" "cnps_sent rxe0/17 1"
	happens "rate cuts" "qp rxe0/17 rate_cuts=3 cut_ns=77 rate_bps=4500000000" "cut rxe0/17 3"
	check_eq "a cut says from what to what" "$(last monotonic_ns from_bps to_bps)" "77 9000000000 4500000000"
	happens "NAKs, by syndrome" "qp rxe0/17 naks=3,0,0,0,3 event=4 event_ns=88" "nak rxe0/17 1,nak rxe0/17 2"
	check_eq "both syndromes" "$(tail -n 2 events | jq -r '"\(.syndrome) \(.n) \(.monotonic_ns)"' | sort | tr '\n' ',')" \
		"psn 2 88,rnr 1 88,"
	happens "a timeout and what comes of it" "qp rxe0/17 timeouts=1 again=4 event=6 event_ns=99" \
		"again rxe0/17 4,timeout rxe0/17 1"
	now=$(now_ms)
	happens "work requests that fail" "qp rxe0/17 failed=2 event=7 event_ns=-1000000" "failed rxe0/17 2"
	check_between "the time is that of the wall, to the millisecond" \
		"$(last time | jq -R 'sub("\\.(?<ms>...)Z"; "Z") as $s | ($s | fromdate) * 1000 + (.[20:23] | tonumber)')" \
		$((now - 1)) "$(now_ms)"
	happens "the error state" "qp rxe0/17 errors=1 error_ns=111 event=7 event_ns=-1" "error rxe0/17 1"
	check_eq "with its time, whatever came of it" "$(last monotonic_ns)" 111
	happens "several QPs at once" "qp rxe0/17 cnps_rcvd=13"$'\n'"qp rxe1/20 cnps_rcvd=1" "cnps rxe0/17 1,cnps rxe1/20 1"
}

lives()
{
	happens "a QP is born" "qp rxe0/30 born_ns=5 comm=new pid=1" "born rxe0/30 1"
	happens "what it did since then counts" "qp rxe0/31 born_ns=5 cnps_rcvd=2" "born rxe0/31 1,cnps rxe0/31 2"
	happens "it dies" "qp rxe0/30 died_ns=6" "died rxe0/30 1"
	happens "a QP that dies unseen dies" "gone rxe0/31" "died rxe0/31 1"
	happens "a QP that gets the number of a dead one is another" "qp rxe0/30 born_ns=7 died_ns=0 cnps_rcvd=1" \
		"born rxe0/30 1,cnps rxe0/30 1"
	happens "a QP that was there before is not born" "qp rxe0/40 timeouts=1" "timeout rxe0/40 1"
	fill "gone rxe0/99"
	happens "one that was dead before does not die again" "lost 3 5" "lost null/null 5"
	check_eq "what could not be recorded has its reason" "$(last reason)" before
}

stalls()
{
	happens "a stall" "qp rxe1/20 started=8 done=3 started_ns=-2000000000 done_ns=-2500000000 rtt_ns=1500 again=0" \
		"stall rxe1/20 1"
	check_eq "it says what is outstanding, and what is known" \
		"$(last outstanding rtt_ns again timeouts last_event)" "5 1500 0 0 none"
	check_between "and since when" "$(last monotonic_ns since_ns | awk '{ print ($1 - $2) / 1e9 }')" 2 20
	happens "it goes on, and stalls again after the time that was asked for" "qp rxe1/20 done=4 done_ns=-1" \
		"stall rxe1/20 1,stall_end rxe1/20 1"
	check_between "not before" "$(last monotonic_ns since_ns | awk '{ print ($1 - $2) / 1e9 }')" 0.4 20
	happens "a QP that dies in a stall has none any more" "qp rxe1/20 died_ns=-1" "died rxe1/20 1,stall_end rxe1/20 1"
	fill "qp rxe0/51 started=5 done=3 unseen=2 started_ns=-9000000000 done_ns=-9000000000"
	fill "qp rxe0/50 started=2 done=1 started_ns=-9000000000 done_ns=-9000000000"
	check_eq "a QP in sight that has stalled; what ended unseen is not outstanding" "$(next events 1)" "stall rxe0/50 1"
}

# Whatever happened was told once.
ends()
{
	sleep 0.3
	check_eq "nothing is told twice" "$(wc -l < events)" "$(cat count)"
	stop
	check_eq "SIGTERM ends it, and all is well" $? 0
	check_eq "each event is one JSON object" "$(jq -c . events | wc -l)" "$(wc -l < events)"
}

first_look()
{
	start again --json
	stop
	check_eq "a stall that lasts is told at the start; all else is old" \
		"$(jq -r '"\(.event) \(.dev)/\(.qpn)"' again)" "stall rxe0/50"
}

# Only what one asked for: the other device's QPs say that it has been looked at.
filters()
{
	local one two

	start one --json rxe1
	one=$monitor
	start two --json rxe0/17
	two=$monitor
	start all --json
	fill "qp rxe0/17 cnps_rcvd=20" "qp rxe0/18 cnps_rcvd=1" "qp rxe1/21 cnps_rcvd=1"
	busywait $patience told all 4 > /dev/null
	busywait $patience told one 1 > /dev/null
	busywait $patience told two 1 > /dev/null
	stop
	kill_wait $one $two
	check_eq "of one device" "$(jq -r '"\(.dev)/\(.qpn)"' one)" rxe1/21
	check_eq "of one QP" "$(jq -r '"\(.event) \(.dev)/\(.qpn) \(.n)"' two)" "cnps rxe0/17 7"
}

text()
{
	TZ=UTC start text
	fill "qp rxe0/17 cnps_rcvd=21 cnp_rcvd_ns=-1000" "qp rxe0/17 rate_cuts=4 cut_ns=-900 rate_bps=2000000000" \
		"qp rxe0/17 timeouts=2 event=5 event_ns=-800" \
		"qp rxe0/17 started=20 done=19 started_ns=-3000000000 done_ns=-3000000000"
	busywait $patience told text 5 > /dev/null
	stop
	check_eq "as text: what happened" "$(sed -nE 's/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}\.[0-9]{3} rxe0\/17 //p' text |
		sed 's/ [3-9]\.[0-9]* s,/ 3 s,/')" \
"to 10.0.2.1/18: 1 CNP received
to 10.0.2.1/18: 1 rate cut, rate 4.5 Gb/s before, 2 Gb/s now
to 10.0.2.1/18: 1 timeout
to 10.0.2.1/18: STALLED for 3 s, 1 work request outstanding, last event timeout, RTT unknown, 4 requests sent again, 2 timeouts"
}

# The pins of an agent go with it.
agent_ends()
{
	start /dev/null 2> err
	rm "$pins"/{qp,hist,flying,lost}
	fill "lost 0 0"
	wait $monitor
	check_eq "if the agent ends, that is told" "$? $(cat err)" "1 rxecc monitor: the agent that recorded this has ended"
}

refusals()
{
	refuses "a word too many is refused" 2 "too many" rx monitor rxe0 rxe1
	refuses "what is no target, too" 2 "'rxe0/x'" rx monitor rxe0/x
	refuses "an interval is from 1 to 60000" 2 "from 1 to 60000" rx monitor --interval 0
	refuses "a stall takes some time" 2 "'0'" rx monitor --stall 0
	refuses "without telemetry it says so" 1 "$work" "$rxecc" monitor --pins "$work"
	refuses "a full disk is no success" 1 "cannot write" sh -c "$rxecc monitor --pins $pins --stall 0.1 > /dev/full"
}

qp_of_old
events
lives
stalls
ends
first_look
filters
text
refusals
agent_ends
finish
