#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# top.sh RXECC TM_FILL - rxecc top: its figures as JSON, and what stands on a terminal, by tmux.

# shellcheck disable=SC2317 # functions called by name
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/maps.sh"

# Numbers of histograms, see enum tm_hist.
send=0 read=2 hold=5

# Seconds that a change may take to be seen.
patience=20

export TMUX_TMPDIR=$work LC_ALL=C.UTF-8
unset TMUX

###############################################################################
# One table

# once FILE LINES ARGS...: top --once, the maps change so in its interval.
once()
{
	local file=$1 lines pid

	mapfile -t lines <<< "$2"
	"$rxecc" top --pins "$pins" --once --interval 2000 "${@:3}" > "$file" &
	pid=$!
	busywait $patience naps $pid > /dev/null || bail "top does not begin"
	fill "${lines[@]}"
	wait $pid
}

# row FILTER KEY...: values of the row for which this jq filter is true.
row()
{
	jq -r ".rows[] | select($1) | [.[\$ARGS.positional[]]] | map(tostring) | join(\" \")" json --args "${@:2}"
}

# order: names of the rows.
order()
{
	jq -r '.rows | map("\(.dev)/\(.qpn)") | join(" ")' json
}

before()
{
	fill "qp rxe0/17 comm=ib_send_bw pid=100 peer=10.0.2.1 peer_qpn=18 started=9 done=9 op_bytes=1000" \
		"qp rxe0/17 rtt_ns=20000 born_ns=1" \
		"qp rxe0/18 comm=nccl pid=200 peer=10.0.3.1 peer_qpn=5 started=9 done=9 op_bytes=0,0,500 rtt_ns=3000 born_ns=1" \
		"qp rxe1/19 comm=nccl pid=200 peer=10.0.2.1 peer_qpn=7 started=3 done=3 cnps_rcvd=7" \
		"qp rxe1/19 naks=1,0,0,0,1 timeouts=4 again=6 ce_rcvd=20 ce_span=60" \
		"qp rxe1/20 comm=gone pid=300 peer=10.0.9.1 died_ns=5" \
		"sample rxe0/17 $send 10 1000" "sample rxe0/18 $read 40 100" \
		"sample rxe1/19 $hold 50 100" "sample rxe0 $send 60 100"
}

# What happens in the interval: 600 bytes, 100 of them by READ; 99 samples of 20 ns and one of 30; a stall begins.
change="qp rxe0/17 op_bytes=1500 started=19 done=19 cnps_sent=3 rate_cuts=2 rate_bps=2000000000 rtt_ns=30000
qp rxe0/18 op_bytes=0,0,600 started=10 done=10
qp rxe1/19 started=8 started_ns=-3000000000 done_ns=-4000000000 event=5 cnps_rcvd=12 ce_rcvd=30 ce_span=140
sample rxe0/17 $send 20 99
sample rxe0/17 $send 30
sample rxe0/18 $read 50
sample rxe1/19 $hold 60 3
sample rxe0 $send 62 9
lost 0 4"

figures()
{
	once json "$change" --json
	check_between "the interval is what was asked for" "$(jq .seconds json)" 2 20
	check_eq "rows are QPs that live, the one with the highest rate first" "$(order)" "rxe0/17 rxe0/18 rxe1/19"
	check_eq "bytes per second are those of the interval" \
		"$(jq -c '.seconds as $s | [.rows[].bytes_per_s, .total.bytes_per_s | . * $s | round]' json)" "[500,100,0,600]"
	check_eq "CNPs and cuts, too" \
		"$(jq -c '.seconds as $s | .total | [.cnps_rcvd_per_s, .cnps_sent_per_s, .cuts_per_s | . * $s | round]' json)" \
		"[5,3,2]"
	check_eq "quantiles are those of the interval" "$(row '.qpn == 17' p50_ns p99_ns p99_99_ns hold_p99_ns)" "20 20 30 null"
	check_eq "those of READs, too" "$(row '.qpn == 18' p50_ns p99_99_ns)" "50 50"
	check_eq "and of the pacer" "$(row '.qpn == 19' hold_p99_ns p50_ns)" "60 null"
	check_eq "counts are those of all times" "$(row '.qpn == 19' naks timeouts again)" "2 4 6"
	check_eq "the share of CE is that of the interval" \
		"$(row '.qpn == 19' ce_percent) $(row '.qpn == 17' ce_percent)" "12.5 null"
	check_eq "what is not known is null" "$(row '.qpn == 19' rtt_ns limit_bps algorithm)" "null null null"
	check_eq "a QP has its peer and its process" "$(row '.qpn == 17' dev type peer peer_qpn comm pid rtt_ns limit_bps)" \
		"rxe0 RC 10.0.2.1 18 ib_send_bw 100 30000 2000000000"
	check_eq "the stall is seen" "$(jq -c '[.stalled, .longest_stall.qpn, .live, .gone]' json) $(row '.qpn == 19' stalled)" \
		"[1,19,3,1] 1"
	check_eq "who is slow now" "$(jq -c '[.longest_rtt.dev, .longest_rtt.qpn]' json)" '["rxe0",17]'
	check_eq "what could not be recorded is told" "$(jq -c '.lost | with_entries(select(.value > 0))' json)" '{"qps":4}'
}

sorts()
{
	once json "lost 0 4" --json --sort rtt_ns
	check_eq "sorted by RTT" "$(order)" "rxe0/17 rxe0/18 rxe1/19"
	once json "sample rxe0/18 $read 63" --json --sort p99_ns
	check_eq "sorted by a quantile; what has none is last" "$(order)" "rxe0/18 rxe0/17 rxe1/19"
	once json "lost 0 4" --json --sort timeouts
	check_eq "sorted by timeouts, else by name" "$(order)" "rxe1/19 rxe0/17 rxe0/18"
	once json "lost 0 4" --json --filter 10.0.2.1
	check_eq "filtered by peer" "$(order)" "rxe0/17 rxe1/19"
	once json "lost 0 4" --json --filter 'IB_SEND|rxe1/'
	check_eq "filtered by process or device" "$(order)" "rxe0/17 rxe1/19"
}

# groups BY: sums of each, the bytes of the interval.
groups()
{
	once json "qp rxe0/17 op_bytes=$1
qp rxe0/18 op_bytes=0,0,$1
sample rxe0 $send 62
sample rxe0/17 $send 33 3
sample rxe0/18 $read 34" --json --by "$2" "${@:3}"
	jq -r --arg by "$2" '.seconds as $s | .rows |
		map("\(.[$by]) \(.qps) \(.bytes_per_s * $s | round) \(.p99_ns) \(.stalled)") | join(", ")' json
}

rows_by()
{
	check_eq "by peer" "$(groups 2000 peer)" "10.0.3.1 1 1400 34 0, 10.0.2.1 2 500 33 1"
	check_eq "by process" "$(groups 3000 process)" "ib_send_bw(100) 1 1000 33 0, nccl(200) 2 1000 34 1"
	check_eq "by device, with histograms of its own" "$(groups 4000 device)" "rxe0 2 2000 62 0, rxe1 2 0 null 1"
	check_eq "by rail" "$(groups 5000 rail)" "0 2 2000 34 0, 1 2 0 null 1"
	check_eq "groups of QPs that pass a filter" "$(groups 6000 peer --filter nccl)" \
		"10.0.3.1 1 1000 34 0, 10.0.2.1 1 0 null 1"
}

# P99 is 40 ns on one rail and 14 times as much on the other.
rails()
{
	local change="sample rxe0/17 $send 40 9"$'\n'"sample rxe1/19 $send 564 9"

	once rails "$change" --rails
	check_eq "--rails is --by rail" \
		"$(sed 's/^S//' rails | awk '$1 == "RAIL" || $1 ~ /^[01]$/ { print $1, $2 }' | tr '\n' ',')" "RAIL QPS,0 2,1 2,"
	check "the slow rail stands above" grep -qx 'Slow rail: 1, P99 563 ns, 14.1 times the median of the rails' rails
	once json "$change" --rails --json
	check_eq "it is in JSON, too" "$(jq -r .slow_rail json)" 1
	once json "sample rxe0/17 $send 40 9"$'\n'"sample rxe1/19 $send 50 9" --rails --json
	check_eq "rails that differ by little are not slow" "$(jq -r .slow_rail json)" null
	printf 'rail left rxe0\nrail right rxe*\n' > rails.conf
	once json "lost 0 4" --rails=rails.conf --json
	check_eq "a file says which rails there are" "$(jq -r '[.rows[].rail] | sort | join(" ")' json)" "left right"
	echo "road left rxe0" > wrong.conf
	refuses "what is wrong in it is said" 2 "wrong.conf:1" rx top --once --rails=wrong.conf
}

table()
{
	once table "qp rxe0/17 op_bytes=8000000000"
	check_eq "as a table: all columns" "$(sed -n 5p table | tr -s ' ')" \
		" QP PROCESS PEER B/s P50 P99 P99.99 RTT HOLD99 CNP/s OUT/s CUT/s NAKS TMO AGAIN LIMIT ALGORITHM CE%"
	check_eq "a stalled QP has a mark" "$(awk '$1 == "S" { print $2, $3, $4 }' table)" "rxe1/19 nccl(200) 10.0.2.1"
	check "above it stands who is slow" \
		grep -qE '^Slow: rxe1/19 to 10.0.2.1/7 stalled [0-9.]+ s, 5 outstanding, last event timeout$' table
	check_between "numbers are short" "$(awk '$1 == "rxe0/17" { print $4 }' table | sed 's/G$//')" 1 8
}

refusals()
{
	refuses "a word is refused" 2 "no words" rx top rxe0
	refuses "without a terminal it says what to do" 2 "--once" rx top
	refuses "JSON is of one table" 2 "--once" rx top --json
	refuses "a column must be there" 2 "'colour'" rx top --once --sort colour
	refuses "one that only groups have, too" 2 "'qps'" rx top --once --sort qps
	refuses "rows are of known things" 2 "'host'" rx top --once --by host
	refuses "an interval has limits" 2 "from 100 to 60000" rx top --once --interval 99
	refuses "without telemetry it says so" 1 "$work" "$rxecc" top --once --pins "$work"
	check_eq "a terminal that curses does not know is no reason to crash" \
		"$(TERM=none script -qec "$rxecc top --pins $pins" /dev/null < /dev/null | grep -c 'cannot use this terminal')" 1
}

###############################################################################
# The terminal

# in_tmux COLUMNS LINES COMMAND: a shell in a terminal of this size; the command is typed into it.
in_tmux()
{
	tmux -u -f /dev/null new-session -d -x "$1" -y "$2" 'PS1="ready> " exec bash --norc' || bail "no tmux"
	shows "^ready>" || bail "no shell in tmux"
	tmux send-keys "$3" Enter
}

# end_tmux: a server that still ends would take the next session with it.
end_tmux()
{
	local server

	server=$(tmux display-message -p '#{pid}')
	tmux kill-server
	busywait $patience gone "$server" > /dev/null || bail "tmux does not end"
}

gone()
{
	! kill -0 "$1" 2> /dev/null
}

# keys KEY...: press them.
keys()
{
	tmux send-keys "$@"
}

# matches REGEX...: do lines of the screen match, in this order?
matches()
{
	local regex screen

	screen=$(tmux capture-pane -p)
	for regex; do
		screen=$(sed -nE "\\#$regex#,\$p" <<< "$screen")
		[ -n "$screen" ] || return
		screen=$(tail -n +2 <<< "$screen"; echo)
	done
}

# shows REGEX...: wait until they do.
shows()
{
	busywait $patience matches "$@" > /dev/null
}

# seen SENTENCE REGEX...: passed if lines match within some seconds, in this order; else the screen explains why.
seen()
{
	local sentence=$1

	shift
	if shows "$@"; then
		ok "$sentence"
	else
		not_ok "$sentence" "want $*, got:"$'\n'"$(tmux capture-pane -p)"
	fi
}

# feed: bytes and samples of QP 17 and 18, so that there is always something to see.
feed()
{
	local i

	for ((i = 1; i < 2000; i++)); do
		printf '%s\n' "qp rxe0/17 op_bytes=$((i * 1000000)) done=$i started=$i" "sample rxe0/17 $send 1000 10" \
			"qp rxe0/18 op_bytes=0,0,$((i * 2000000)) done=$i started=$i" "sample rxe0/18 $read 9000 10" |
			"$tm_fill" "$pins"
		sleep 0.1
	done
}

narrow()
{
	in_tmux 80 24 "stty -g > was; $rxecc top --pins $pins --interval 200; echo code \$?; stty -g > is"
	seen "at 80x24: the columns" '^  QP  *PEER  *B/s TREND  *P50   P99 P99.99   RTT CNP/s$'
	seen "rows by rate, with quantiles of the interval and a trend" \
		'^  rxe0/18  *10\.0\.3\.1  *[0-9.]+M [ ▁▂▃▄▅▆▇█]{10,20}  *9\.[0-9]+u 9\.[0-9]+u  9\.[0-9]+u' \
		'^  rxe0/17  *10\.0\.2\.1  *[0-9.]+M [ ▁▂▃▄▅▆▇█]{10,20}  *1\.[0-9]+u' '^S rxe1/19'
	seen "who is slow" '^Slow: rxe1/19 to 10\.0\.2\.1/7 stalled [0-9.]+ s, 5 outstanding, last event timeout$'
	check_eq "it fills the terminal, and no more" \
		"$(tmux capture-pane -p | sed -n '1s/ .*//p;24s/ .*//p' | tr '\n' ' ')" "rxecc F1Help "
	keys T
	seen "T sorts by RTT" 'sort RTT' '^  rxe0/17' '^  rxe0/18' '^S rxe1/19'
	keys I
	seen "I inverts" 'sort -RTT' '^S rxe1/19' '^  rxe0/18' '^  rxe0/17'
	keys I F6
	seen "F6 lists columns" '^ R  B/s' '^ L  P99' 'Enter sort'
	keys Up Up Enter
	seen "one is chosen by arrows" 'sort P99  ' '^  rxe0/18' '^  rxe0/17'
	keys \\ nccl
	seen "a filter works while it is typed" 'only nccl' '^  rxe0/18' '^S rxe1/19' 'Filter: nccl_'
	check_fails "other rows are not there" matches '^  rxe0/17'
	keys Enter F4 Escape
	seen "Escape ends it" '^  rxe0/18' '^  rxe0/17' '^F1Help'
	keys R F3 'rxe1'
	seen "a search goes to the row" 'Search: rxe1_'
	keys Enter
	seen "it stays selected" '3/3'
	keys Enter
	seen "Enter tells all about it" '^rxe1/19 RC to 10\.0\.2\.1/7, nccl\(200\), STALLED' 'last event  *timeout' \
		'timeouts  *4' 'hold  *103 '
	keys Escape d
	seen "d shows the dead" '^x rxe1/20'
	keys d Tab
	seen "Tab: by peer" '^  PEER  *QPS' '^  10\.0\.3\.1  *1 ' '^S 10\.0\.2\.1  *2 '
	keys 5
	seen "5: by rail" '^  RAIL  *QPS' '^  0  *2 ' '^S 1  *2 '
	keys 1 t
	seen "t: quantiles of all samples" 'latencies: all'
	keys - +
	seen "+ and - change the interval" ' 0\.2 s$'
	keys Z
	seen "Z pauses" 'paused'
	keys Z F1
	seen "F1 helps" '^Keys' 'F3 /  *search' 'F10 q  *end'
	keys Escape
	seen "Escape leaves the help" '^F1Help'
	tmux resize-window -x 160 -y 50
	seen "a wider terminal has all columns" \
		'^  QP  *PROCESS  *PEER  *B/s TREND  *P50  *P99 P99.99   RTT HOLD99 CNP/s OUT/s CUT/s  NAKS  TMO AGAIN' \
		'^  rxe0/18 .* nccl\(200\)  *10\.0\.3\.1 '
	tmux resize-window -x 40 -y 8
	seen "a tiny one has some" '^  QP  *' '^  rxe0/18' '^F1Help'
	tmux resize-window -x 80 -y 24
	keys q
	seen "q ends it, and the terminal is as before" '^ready> .*rxecc top' '^code 0$' '^ready>'
	busywait $patience test -s is > /dev/null
	check_eq "its settings, too" "$(cat is)" "$(cat was)"
	end_tmux
}

wide()
{
	in_tmux 160 50 "LC_ALL=C $rxecc top --pins $pins --interval 200; echo code \$?"
	seen "at 160x50, without UTF-8: trends of plain characters" '^  rxe0/18 .* [0-9.]+M [ _.:=+*#-]{10,20} ' '^F1Help'
	pkill -TERM -P "$(tmux display-message -p '#{pane_pid}')"
	seen "SIGTERM ends it, and the terminal is as before" '^code 0$' '^ready>'
	end_tmux
}

speed()
{
	local pid from ms

	fill "many 10000 8"
	for sort in bytes_per_s p99_ns; do
		in_tmux 80 24 "exec $rxecc top --pins $pins --interval 500 --sort $sort"
		seen "10,000 QPs, sorted by $sort" '^100.. QPs' '^F1Help'
		pid=$(tmux display-message -p '#{pane_pid}')
		sleep 1
		from=$(cpu_ms "$pid")
		sleep 3
		ms=$((($(cpu_ms "$pid") - from) / 6))
		check_between "a refresh takes at most 150 ms" $ms 1 150
		end_tmux
	done
}

# cpu_ms PID: how long it has worked.
cpu_ms()
{
	awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15) * 1000 / hz }' "/proc/$1/stat"
}

before
figures
sorts
rows_by
rails
table
refusals
feed &
defer kill_wait $!
narrow
wide
kill_wait $!
speed
finish
