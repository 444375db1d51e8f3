#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The telemetry's programs against the truth: what is known of the traffic is what the maps say, exactly where it is
# counted, within a bucket where it is measured.  The maps are read with bpftool, so that nothing of the agent's own
# arithmetic stands between.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

readonly PINS=/sys/fs/bpf/rxe_cc
work=$(mktemp -d)
defer rm -rf "$work"
agent='' want=0
# Flows go on while the agent waits.
PERF_TIMEOUT=300

# Numbers of enum tm_op, tm_hist, tm_nak and tm_lost.
readonly SEND=0 WRITE=1 READ=2 ATOMIC=3 RTT=4 HOLD=5 CNP_GAP=6
readonly NAK_PSN=0
readonly LOST=(qps hist flying before evicted missed)

# agent_start [ARGS...]: until it has loaded its programs.
agent_start()
{
	log "\$ rxecc export $*"
	rxecc export --listen 127.0.0.1:0 "$@" > "$work/agent" 2>&1 &
	agent=$!
	busywait 60 agent_ready > /dev/null
	grep -q '^metrics at' "$work/agent" || bail "$(tail -n 20 "$work/agent")"
}

agent_ready()
{
	grep -q '^metrics at' "$work/agent" || _gone "$agent"
}

agent_stop()
{
	kill "-${1:-TERM}" "$agent"
	wait "$agent"
	agent=''
}

agent_clean()
{
	[ -z "$agent" ] || kill_wait "$agent"
	rm -rf "$PINS"
}
defer agent_clean

# qp_dump, hist_dump: what the maps hold now.
qp_dump()
{
	bpftool map dump pinned $PINS/qp
}

hist_dump()
{
	bpftool map dump pinned $PINS/hist
}

# newest DEV: the QP that was created last; oldest one without a time first.
newest()
{
	qp_dump | jq --arg dev "$1" '[.[] | select(.value.dev == $dev)] | max_by(.value.born_ns).key.qpn'
}

# field DEV QPN FILTER: of the record.
field()
{
	qp_dump | jq -c --arg dev "$1" --argjson qpn "${2:-0}" \
		"first(.[] | select(.value.dev == \$dev and .key.qpn == \$qpn)).value | $3"
}

# samples DEV QPN HIST: lines of "BUCKET COUNT"; QPN all: the device's own.
samples()
{
	local index qpn=$2

	[ "$qpn" != all ] || qpn=4294967295
	index=$(qp_dump | jq --arg dev "$1" 'first(.[] | select(.value.dev == $dev)).key.dev')
	hist_dump | jq -r --argjson dev "${index:-0}" --argjson qpn "${qpn:-0}" --argjson hist "$3" '
		.[] | select(.key.qp.dev == $dev and .key.qp.qpn == $qpn and .key.hist == $hist) |
		.key.octave as $octave | .value.n | to_entries[] | select(.value > 0) |
		"\($octave * 64 + .key) \(.value)"' | sort -n
}

# nsamples DEV QPN HIST: how many.
nsamples()
{
	samples "$@" | awk '{ n += $2 } END { print n + 0 }'
}

# p50_us DEV QPN HIST: the median's bucket's middle.
p50_us()
{
	samples "$@" | awk '
	function low(b) { return b < 64 ? b : (64 + b % 64) * 2 ^ (int(b / 64) - 1) }
	{ bucket[NR] = $1; count[NR] = $2; n += $2 }
	END {
		for (i = 1; i <= NR; i++) {
			sum += count[i]
			if (sum * 2 >= n) {
				printf "%.3f\n", (low(bucket[i]) + low(bucket[i] + 1)) / 2000
				exit
			}
		}
	}'
}

# losses: what was lost, as a list in the order of LOST.
losses()
{
	bpftool map dump pinned $PINS/lost | jq -c '[.[] | [.values[].value] | add]'
}

# lost REASON
lost()
{
	local i

	for i in "${!LOST[@]}"; do
		[ "${LOST[i]}" != "$1" ] || losses | jq ".[$i]"
	done
}

nothing_lost()
{
	check_eq "$1: nothing was lost (${LOST[*]})" "$(losses)" "[0,0,0,0,0,0]"
}

# slow_start ID: a flow that leaves time for others, and has all that it sends in the switch's queue.
slow_start()
{
	sw tc qdisc show dev s2 | grep -q tbf || port_tail 2 50 4000
	flow_start "$1" 1 2 ib_send_bw -e
	check "a flow moves" flow_moves 2
}

slow_stop()
{
	flow_stop "$@"
	port_clear 2
}

###############################################################################

# counted OP SIZE N TOOL [ARGS...]: as many work requests, bytes and samples as the tool sent.
counted()
{
	local op=$1 size=$2 n=$3 tool=$4 qpn what

	shift 3
	what="${*}${PERF_GID:+, IPv6}"
	perf 1 2 "$@" -s "$size" -n "$n" > /dev/null || not_ok "$what runs"
	want=$((want + (op == SEND ? n : 0)))
	qpn=$(newest rxe1)
	check_eq "$what: all began, all ended, none failed, as many of its kind, and their bytes" \
		"$(field rxe1 "$qpn" "[.started, .done, .failed, .op_done[$op], .op_bytes[$op]]")" \
		"[$n,$n,0,$n,$((n * size))]"
	check_eq "$what: a latency of each" "$(nsamples rxe1 "$qpn" "$op")" "$n"
	check_eq "$what: the process" "$(field rxe1 "$qpn" .comm)" "\"$tool\""
	check "$what: it has died" died rxe1 "$qpn"
}

died()
{
	[ "$(field "$1" "$2" '.born_ns > 0 and .died_ns > .born_ns')" = true ]
}

# peers BYTES: the newest QPs know each other.
peers()
{
	local a b

	a=$(newest rxe1) b=$(newest rxe2)
	check_eq "$1: the QPs know each other's numbers" \
		"$(field rxe1 "$a" .peer_qpn) $(field rxe2 "$b" .peer_qpn)" "$b $a"
	check_eq "$1: and addresses" "$(field rxe1 "$a" .peer)" "$2"
}

work_requests()
{
	counted $SEND 65536 500 ib_send_bw -e
	peers IPv4 "[0,0,0,0,0,0,0,0,0,0,255,255,10,0,2,1]"
	counted $WRITE 65536 100 ib_write_bw
	counted $READ 65536 100 ib_read_bw
	counted $ATOMIC 8 100 ib_atomic_bw
	# a longer message is lost where packets overtake each other
	counted $SEND "$(icount && echo 65536 || echo 4096)" 100 ib_send_bw -e -c UC
	counted $SEND 2048 100 ib_send_bw -e -c UD
	PERF_GID=gid6 counted $SEND 4096 100 ib_send_bw -e
	peers IPv6 "[253,0,0,2,0,0,0,0,0,0,0,0,0,0,0,1]"
	check_eq "the device has the latencies of all its QPs" "$(nsamples rxe1 all $SEND)" "$want"
}

# Round trips without the module: at most one is timed at a time, at least the first.
round_trips()
{
	local qpn n

	perf 1 2 ib_send_bw -e -n 100 -t 1 > /dev/null
	qpn=$(newest rxe1)
	n=$(nsamples rxe1 "$qpn" $RTT)
	# one that is repeated has none
	if icount; then
		check_eq "a round trip of each of requests that go one by one" "$n" 100
	else
		check_between "a round trip of requests that go one by one" "$n" 50 100
	fi
	check_eq "their sum of the device is at least that" "$(($(nsamples rxe1 all $RTT) >= n))" 1
}

# delay: netem adds 5 ms on the way there.
delay()
{
	local before after

	perf 1 2 ib_send_bw -e -n 100 -t 1 -s 4096 > /dev/null
	before=$(p50_us rxe1 "$(newest rxe1)" $SEND)
	port_netem 2 delay 5ms
	perf 1 2 ib_send_bw -e -n 100 -t 1 -s 4096 > /dev/null
	after=$(p50_us rxe1 "$(newest rxe1)" $SEND)
	port_clear 2
	log "p50 before $before us, after $after us"
	check_between "5 ms more on the way move the median by 5 ms" "$(calc "$after - $before")" 4950 5050
	check_between "and that of the round trip" "$(p50_us rxe1 "$(newest rxe1)" $RTT)" 5000 5400
}

# A receiver sends a NAK for each gap, and none of them is lost on the way back.
naks()
{
	local before qpn n

	before=$(hw_counter rxe2 out_of_seq_request)
	port_netem 2 loss 1%
	perf 1 2 ib_send_bw -e -n 300 > /dev/null
	port_clear 2
	n=$(($(hw_counter rxe2 out_of_seq_request) - before))
	qpn=$(newest rxe1)
	check_num "packets were lost" "$n" '>' 0
	check_eq "the NAKs that were sent" "$(field rxe1 "$qpn" ".naks[$NAK_PSN]")" "$n"
	check_eq "all requests ended all the same" "$(field rxe1 "$qpn" '[.started, .done, .failed]')" "[300,300,0]"
	check_eq "each with a latency" "$(nsamples rxe1 "$qpn" $SEND)" 300
}

# Nothing arrives any more: three retries, then the QP fails.
failure()
{
	local qpn pid exactly='>=' timeouts=3

	# on busy processors a timer may expire for no other reason, and a NAK may cost a retry
	! icount || exactly='==' timeouts=4
	port_tail 2 50 4000
	rcc_verify -d rxe1 -g "$(gid4 rxe1)" -D rxe2 -G "$(gid4 rxe2)" -q 1 -o send -b 1000g -r 3 -t 16 \
		> "$work/verify" 2>&1 &
	pid=$!
	check "a flow moves that gives up after three retries" flow_moves 2
	qpn=$(newest rxe1)
	port_netem 2 loss 100%
	check "it fails" busywait 30 _gone $pid
	wait $pid
	port_clear 2
	check "its QP is gone" died rxe1 "$qpn"
	check_num "rxe's timer expired once more than it retries" "$(field rxe1 "$qpn" .timeouts)" \
		"$exactly" "$timeouts"
	check_eq "what was on its way has failed" "$(field rxe1 "$qpn" '[.started - .done, .failed > 0]')" "[0,true]"
	check_eq "its error is counted, once" "$(field rxe1 "$qpn" '[.errors, .error_ns > .born_ns]')" "[1,true]"
	check_eq "and has no latency" "$(nsamples rxe1 "$qpn" $SEND)" \
		"$(field rxe1 "$qpn" '.done - .failed - .flushed')"
}

# Four QPs of all operations in both directions, with losses: every message that the tool counts has ended.
mixture()
{
	port_netem 2 loss 0.3%
	rcc_verify -d rxe1 -g "$(gid4 rxe1)" -D rxe2 -G "$(gid4 rxe2)" -q 4 -b 16m > "$work/verify"
	port_clear 2
	# a WRITE is followed by a SEND that announces it
	check_eq "as many of each kind as were sent, with losses on the way" \
		"$(qp_dump | jq -c '[.[].value | select(.comm == "rcc_verify" and .failed == 0).op_done] |
			transpose | map(add)')" \
		"$(jq -c '[.send.messages + .send_imm.messages + .write.messages, .write.messages + .write_imm.messages,
			.read.messages, .fetch_add.messages + .cmp_swap.messages]' "$work/verify")"
}

###############################################################################

# ends SENTENCE: programs go, and pins.
ends()
{
	check "$1: no program is left" busywait 10 no_tm_programs
	check_eq "$1: nor a link" "$(bpftool link show | grep -c tm_)" 0
	check_fails "$1: nor a pin" test -e $PINS
}

# Others on the same functions: kprobes of tracefs here, those of rxe_cc when it is loaded.
others()
{
	local hits n

	echo 'p:tm_other rdma_rxe:do_complete' >> $TRACING/kprobe_events
	echo 1 > $TRACING/events/kprobes/tm_other/enable
	perf 1 2 ib_send_bw -e -n 100 > /dev/null
	echo 0 > $TRACING/events/kprobes/tm_other/enable
	hits=$(awk '$1 == "tm_other" { print $2 }' $TRACING/kprobe_profile)
	echo '-:tm_other' >> $TRACING/kprobe_events
	n=$(field rxe1 "$(newest rxe1)" .done)
	check_eq "a kprobe on the same function sees each completion, and so do we" "$hits $n" "100 100"
}

stock()
{
	agent_start
	check "without rxe_cc it says what is missing" grep -q 'missing: rxe_cc is not loaded' "$work/agent"
	check_num "bpftool shows programs" "$(tm_programs)" '>' 5
	check_fails "a second agent is refused" rxecc export --listen 127.0.0.1:0
	check_fails "rdma_rxe cannot go while they are attached" rmmod rdma_rxe
	work_requests
	round_trips
	! icount || delay
	others
	naks
	mixture
	failure
	nothing_lost "without rxe_cc"
	agent_stop
	ends "when the agent is told to end"
}

###############################################################################

# cnps_came N: to rxe1, good and bad ones.
cnps_came()
{
	[ $(($(cc_count rxe1 rp_cnp_handled) + $(cc_count rxe1 rp_cnp_ignored))) -ge "$1" ]
}

# forged: so many CNPs that are right, and some that are not, to a QP that nothing else slows down.
forged()
{
	local qpn n=37 bad=5 stranger=99999

	slow_start forged
	qpn=$(newest rxe1)
	forge 1 4 -q "$qpn" -k $n
	forge 1 4 -q "$qpn" -k $bad -x 1
	forge 1 4 -q $stranger -k 3
	busywait 5 cnps_came $((n + bad + 3)) > /dev/null
	check_eq "sysfs has the CNPs that were sent" \
		"$(cc_count rxe1 rp_cnp_handled) $(cc_count rxe1 rp_cnp_ignored)" "$n $((bad + 3))"
	check_eq "so has the QP's record" "$(field rxe1 "$qpn" '[.cnps_rcvd, .cnps_ignored]')" "[$n,$bad]"
	check_eq "with the gaps between them" "$(nsamples rxe1 "$qpn" $CNP_GAP)" $((n - 1))
	check_eq "there is no record of a QP that does not exist" "$(field rxe1 $stranger .)" ''
	slow_stop forged
}

# traced PATTERN: so many events of that kind were traced.
traced()
{
	grep -c "$1" "$work/trace"
}

# congested: what the tracepoints say, the maps say.
congested()
{
	local sent qpn peer mbit=200

	# slower than the guest may be
	icount || mbit=20
	sent=$(cc_count rxe2 np_cnp_sent)
	port_red 2 $mbit 256 30 100
	trace_start hold rtt cnp_rcvd cnp_sent rate
	perf 1 2 ib_send_bw -e -n 200 > /dev/null
	trace_take "$work/trace"
	trace_stop
	port_clear 2
	sent=$(($(cc_count rxe2 np_cnp_sent) - sent))
	qpn=$(newest rxe1) peer=$(newest rxe2)
	check_num "congestion was marked" "$sent" '>' 0
	check_eq "sysfs, trace and map have the same CNPs sent" \
		"$(traced ' cnp_sent dev=rxe2 ') $(field rxe2 "$peer" .cnps_sent)" "$sent $sent"
	check_eq "trace and map have the same CNPs received" \
		"$(field rxe1 "$qpn" .cnps_rcvd)" "$(traced ' cnp_rcvd dev=rxe1 ')"
	check_eq "trace and map have the same cuts of the rate" "$(field rxe1 "$qpn" .rate_cuts)" \
		"$(sed -n 's/.* before=\([0-9]*\) rate=\([0-9]*\) .*/\1 \2/p' "$work/trace" | awk '$2 < $1' | wc -l)"
	check_eq "and the same last rate" "$(field rxe1 "$qpn" .rate_bps)" \
		"$(sed -n 's/.* rate dev=rxe1 .* rate=\([0-9]*\) .*/\1/p' "$work/trace" | tail -n 1)"
	check_eq "and the same packets held" "$(nsamples rxe1 "$qpn" $HOLD)" "$(traced ' hold dev=rxe1 ')"
	check_num "of which there are many" "$(traced ' hold dev=rxe1 ')" '>' 1000
	check_eq "and the same round trips" "$(nsamples rxe1 "$qpn" $RTT)" "$(traced ' rtt dev=rxe1 ')"
	check_eq "and a latency of each work request" "$(nsamples rxe1 "$qpn" $SEND)" 200
}

# marked: a quarter of the packets gets CE, and none is lost.
marked()
{
	local qpn n before ce alg

	alg=$(cat /sys/class/rxe_cc/rxe1/algorithm)
	cc_set rxe1 algorithm none
	before=$(cc_count rxe2 np_ecn_marked_roce_packets)
	port_netem 2 loss 25% ecn
	n=$(tx_packets perf 1 2 ib_send_bw -e -n 200)
	port_clear 2
	cc_set rxe1 algorithm "$alg"
	qpn=$(newest rxe2)
	ce=$(($(cc_count rxe2 np_ecn_marked_roce_packets) - before))
	check_num "packets were sent" "$n" '>' 3000
	check_between "a quarter of the packets comes with CE" "$ce" $((n / 5)) $((n * 3 / 10))
	check_eq "all these are the QP's" "$(field rxe2 "$qpn" .ce_rcvd)" "$ce"
	check_between "of as many as were sent, but for those before the first one and behind the last" \
		"$(field rxe2 "$qpn" .ce_span)" $((200 * 16 - 100)) "$n"
	check_eq "the sender has none" "$(field rxe1 "$(newest rxe1)" '[.ce_rcvd, .ce_span]')" "[0,0]"
}

# tx_packets CMD...: run it; how many data packets rxe1 sent meanwhile.
tx_packets()
{
	local before

	before=$(cc_count rxe1 tx_packets)
	"$@" > /dev/null
	echo $(($(cc_count rxe1 tx_packets) - before))
}

# recording: is the agent back after a SIGHUP?  It says so when programs are attached; they are loaded some time before.
recording()
{
	! tail -n 1 "$work/agent" | grep -qE '^missing: (everything|all):' && [ "$(tm_programs)" -gt 10 ]
}

# reload: at SIGHUP the programs go for a while, so that modules can.
reload()
{
	local qpn short before

	slow_start long
	qpn=$(newest rxe1)
	slow_start short
	short=$(newest rxe1)
	check_fails "rxe_cc cannot go while they are attached" rmmod rxe_cc
	kill -HUP "$agent"
	check "at SIGHUP they go" busywait 10 no_tm_programs
	flow_stop short
	before=$(field rxe1 "$qpn" .done)
	# ten seconds from here
	kill -HUP "$agent"
	check "rxe_cc can go" rcc_unload
	rcc_load
	check "they come back" busywait 30 recording
	check "the QP that went meanwhile is marked" busywait 10 died rxe1 "$short"
	check "the other one's flow moves" flow_moves 2
	check_num "and its counters go on" "$(field rxe1 "$qpn" .done)" '>' "$before"
	check_num "what had begun before has ended unseen" "$(field rxe1 "$qpn" .unseen)" '>' 0
	check_eq "it lives" "$(field rxe1 "$qpn" .died_ns)" 0
	slow_stop long
	check_eq "what was on its way has ended with it" "$(field rxe1 "$qpn" '.started - .done - .unseen')" 0
	check_eq "by that it has not failed" "$(field rxe1 "$qpn" '[.failed, .flushed > 0, .errors]')" "[0,true,0]"
	check_num "what began meanwhile is counted as lost" "$(lost before)" '>' 0
}

reload_rxe()
{
	fabric_down
	kill -HUP "$agent"
	busywait 10 no_tm_programs > /dev/null
	rcc_unload
	check "rdma_rxe can go" rmmod rdma_rxe
	fabric_up 2
	check "they come back to the new one" busywait 30 recording
	perf 1 2 ib_send_bw -e -n 100 > /dev/null
	check_eq "and see what it does" "$(field rxe1 "$(newest rxe1)" .done)" 100
	rcc_load
}

# killed: an agent that cannot clean up leaves maps only, and the next one makes them anew.
killed()
{
	agent_stop KILL
	check "an agent that is killed leaves no program" busywait 10 no_tm_programs
	check "but its maps" test -e $PINS/qp
	agent_start
	perf 1 2 ib_send_bw -e -n 100 > /dev/null
	check_eq "the next one begins with new maps" "$(qp_dump | jq '[.[].value.done] | add')" 100
}

with_module()
{
	rcc_load
	agent_start
	check_fails "nothing is missing" grep missing "$work/agent"
	forged
	congested
	marked
	nothing_lost "with rxe_cc"
	reload
	reload_rxe
	killed
	agent_stop
	ends "in the end"
}

###############################################################################

# little room: what does not fit is counted.
little_room()
{
	local n

	agent_start --qps 1
	perf 1 2 ib_send_bw -e -n 10 > /dev/null
	check_num "two QPs where one has room: events are lost" "$(lost qps)" '>' 0
	agent_stop

	agent_start --qps 2
	port_netem 2 delay 1ms
	perf 1 2 ib_send_bw -e -n 200 -s 4096 > /dev/null
	check_eq "two QPs where two have room: none is lost" "$(lost qps) $(lost evicted)" "0 0"
	n=$(lost flying)
	check_num "many work requests at a time: latencies are lost" "$n" '>' 0
	check_eq "but all are counted as ended" "$(field rxe1 "$(newest rxe1)" '[.started, .done]')" "[200,200]"
	check_eq "and each has a latency or is counted as lost" \
		"$(($(nsamples rxe1 "$(newest rxe1)" $SEND) + n)) $(lost hist)" "200 0"
	port_netem 2 loss 1%
	rcc_verify -d rxe1 -g "$(gid4 rxe1)" -D rxe2 -G "$(gid4 rxe2)" -q 1 -b 4m > /dev/null
	port_clear 2
	check_eq "two more QPs: the dead ones make room" "$(lost qps) $(lost evicted)" "0 2"
	check_num "all kinds of latencies: there is no room for all octaves" "$(lost hist)" '>' 0
	agent_stop
}

late()
{
	slow_start early
	agent_start
	flow_moves 2 > /dev/null
	check_num "work requests from before are counted" "$(lost before)" '>' 0
	check_eq "the QP's owner and peer are known all the same" \
		"$(qp_dump | jq -c '[.[].value | select(.started > 0) | .born_ns, .comm, .peer[12:]]')" \
		'[0,"ib_send_bw",[10,0,2,1]]'
	check_eq "those of a QP that only receives, too" \
		"$(qp_dump | jq -c '[.[].value | select(.dev == "rxe2") | .born_ns, .comm, .peer[12:]]')" \
		'[0,"ib_send_bw",[10,0,1,1]]'
	slow_stop early
	agent_stop
}

# A kernel whose rdma_rxe has no BTF: what rxe_cc tells is there.
without_btf()
{
	local file qpn

	file=$(modinfo -n rdma_rxe)
	LC_ALL=C sed 's/\.BTF\x00/.XTF\x00/' "$file" > "$work/rdma_rxe.ko"
	fabric_down
	rcc_unload
	rmmod rdma_rxe
	insmod "$work/rdma_rxe.ko"
	check_fails "rdma_rxe has no BTF" test -e /sys/kernel/btf/rdma_rxe
	fabric_up 2
	rcc_load
	agent_start
	check "it says what is missing, and what is there" grep -q 'missing: rdma_rxe has no BTF.*CNPs.*$' "$work/agent"
	slow_start plain
	qpn=$(newest rxe1)
	forge 1 4 -q "$qpn" -k 7
	busywait 5 cnps_came 7 > /dev/null
	check_eq "CNPs are counted" "$(field rxe1 "$qpn" .cnps_rcvd)" 7
	check_num "round trips are measured" "$(nsamples rxe1 "$qpn" $RTT)" '>' 0
	slow_stop plain
	check "QPs come and go" busywait 5 died rxe1 "$qpn"
	agent_stop
	ends "without BTF"
	fabric_down
	rcc_unload
	rmmod rdma_rxe
}

fabric_up 2
stock
with_module
little_room
late
without_btf
finish
