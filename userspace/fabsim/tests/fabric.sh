#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabric.sh FABSIM - what hosts, links and switches do, seen from outside.

# shellcheck disable=SC2317 # functions called by name
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

short=(--duration 3ms --warmup 1ms)

# files DIR: all that must be the same in runs of the same seed
files()
{
	(cd "$1" && cat flows.fct queue.csv rates.csv allowed.csv && jq 'del(.speed)' summary.json)
}

same_seed()
{
	local name first

	for name in 1-first 1-again 2-other; do
		run "$name" --seed "${name%-*}" "${short[@]}" --out "$tmp/$name" || return
		holds "$name" '.marks > 0' || return
	done
	first=$(files "$tmp/1-first" | cksum)
	equal "second run" "$(files "$tmp/1-again" | cksum)" "$first" || return
	[ "$(files "$tmp/2-other" | cksum)" != "$first" ]
}
test_that same_seed "A seed gives the same bytes twice, and another seed gives others"

# conserved NAME: every packet of data was received or dropped, or is still under way
conserved()
{
	holds "$1" '.data_sent > 1000 and .data_sent == .data_received + .drops + .data_in_flight'
}

conservation()
{
	local alg

	for alg in $("$fabsim" --list-algs); do
		run "$alg" --alg "$alg" --buffer 300k "${short[@]}" || return
		conserved "$alg" && holds "$alg" '.data_in_flight > 0 and .utilisation > 0' || return
	done
	holds none '.drops > 0'
}
test_that conservation "With every algorithm, what was sent has arrived, was dropped, or is under way"

recovery()
{
	run loss --alg none --senders 8 --size 500k --buffer 200k --jitter 100ns || return
	conserved loss &&
	holds loss '.drops > 0 and .resent >= .drops and .flows_finished == 8 and .data_in_flight == 0' &&
	holds loss '.naks >= 8 and .naks < .drops / 100'
}
test_that recovery "Messages survive tail drop: one NAK per gap, and everything after it again"

pfc()
{
	run pfc --alg none --senders 8 --size 500k --buffer 600k --pfc || return
	run tail --alg none --senders 8 --size 500k --buffer 600k || return
	conserved pfc &&
	holds pfc '.drops == 0 and .pfc_pauses > 8 and .resent == 0 and .flows_finished == 8' &&
	holds tail '.drops > 0 and .pfc_pauses == 0'
}
test_that pfc "PFC pauses the senders in time and nothing is dropped, where tail drop drops"

cnps()
{
	run cnps --senders 4 --size 2m || return
	run none --senders 4 --size 2m --no-ecn || return
	holds cnps '.marks > 0 and .cnps_sent > 0 and .cnps_sent == .cnps_handled + .cnps_ignored' &&
	holds none '.marks == 0 and .cnps_sent == 0'
}
test_that cnps "Every CNP is handled or comes for a finished message; without ECN there are none"

moderation()
{
	# 2 ms in which all packets are marked: 500 CNPs at one per 4 us, 40 at one per 50
	run often --alg none --senders 1 --bottleneck 50g --kmin 0 --kmax 1 --duration 2ms --profile cx || return
	run seldom --alg none --senders 1 --bottleneck 50g --kmin 0 --kmax 1 --duration 2ms --profile cx \
		--set np_min_time_between_cnps=50 || return
	holds often '.cnps_sent > 480 and .cnps_sent <= 500' &&
	holds seldom '.cnps_sent > 38 and .cnps_sent <= 40'
}
test_that moderation "The receiver sends at most one CNP per np_min_time_between_cnps"

echoes()
{
	run echo --alg none --senders 1 --bottleneck 50g --kmin 0 --kmax 1 --duration 1ms --cnp-echo || return
	holds echo '.cnps_sent > 5000 and .cnps_sent >= .acks * 0.99'
}
test_that echoes "With the echo every ACK of a marked packet counts as a CNP"

# Of 100 Gb/s at 1000 of 1048 bytes a flow limited to 10 Gb/s has 9.542 Gb/s of payload.
rate()
{
	run rate --senders 1 --set rp_max_rate=10000 --duration 10ms || return
	holds rate '(.goodput_gbps / (10 * 1000 / 1048) - 1 | fabs) < 0.001'
}
test_that rate "A flow sends at the rate that its algorithm decides, within 0.1 %"

# 4 packets per round trip of 2 * 20 us, 2 * 83.84 ns and 2 * 4.8 ns
window()
{
	run window --alg none --senders 1 --delay 10us --window-psn 4 --duration 10ms || return
	holds window '(.goodput_gbps / (4 * 8000 / 40177.28) - 1 | fabs) < 0.01'
}
test_that window "A window of N packets sends N packets per round trip"

coalesced()
{
	run each --alg none --senders 2 --size 1m || return
	run eighth --alg none --senders 2 --size 1m --ack-every 8 || return
	run blocked --alg none --senders 2 --size 1m --ack-every 1000 --window-psn 10 || return
	holds each '.acks == 2000 and .flows_finished == 2' &&
	holds eighth '.acks == 250 and .flows_finished == 2' &&
	holds blocked '.acks >= 200 and .flows_finished == 2 and .timeouts == 0'
}
test_that coalesced "One ACK for N packets is enough, and a closed window asks for one"

# 64 packets fill the queue of a guest's port; all but the first NAK of each gap are ignored.
soft_host()
{
	run soft --topo incast --senders 4 --host-rate 1.4g --bottleneck 200m --mtu 4096 --header 62 --buffer 256k \
		--no-ecn --window-psn 128 --rto 67ms --duration 2s --warmup 500ms --sample 1ms --window 100ms || return
	conserved soft && holds soft '.drops > 0 and .naks > 0 and .utilisation > 0.5 and .queue_max_bytes <= 256000'
}
test_that soft_host "A port of a guest with a tail-drop queue can be imitated"

jitter()
{
	run step --alg none --senders 1 --size 1m || return
	run jitter --alg none --senders 1 --size 1m --jitter 1us || return
	# the ACK's NIC has it, too
	holds step '.fct_us.max > 87.9 and .fct_us.max < 88' &&
	holds jitter '.fct_us.max > 88 and .fct_us.max < 90 and .naks == 0'
}
test_that jitter "Jitter delays packets, and keeps them in order"

ecmp()
{
	{
		echo "10 2 10"
		echo "0 1"
		echo "0 1 100Gbps 1us 0"
		echo "0 1 100Gbps 1us 0"
		for i in 2 3 4 5; do
			echo "0 $i 100Gbps 1us 0"
			echo "1 $((i + 4)) 100Gbps 1us 0"
		done
	} > "$tmp/two"
	{
		echo 16
		for i in {0..15}; do
			echo "$((2 + i % 4)) $((6 + i / 4)) 3 100 1000000 0"
		done
	} > "$tmp/flows"
	run ecmp --topo "$tmp/two" --flows "$tmp/flows" --alg none --pfc || return
	# 16 MB on one link of 100 Gb/s would take 1342 us
	holds ecmp '.flows_finished == 16 and .fct_us.max < 1200'
}
test_that ecmp "Flows spread over equal paths"

dumbbell()
{
	run dumbbell --topo dumbbell --senders 4 --alg none --size 1m --bottleneck 25g || return
	# 4 MB of payload at 25 Gb/s
	holds dumbbell '.flows_finished == 4 and .fct_us.max > 1341 and .fct_us.max < 1360 and .utilisation > 0.98'
}
test_that dumbbell "Four flows of a dumbbell share the link in the middle"

# In a FIFO that never drops, a flow has its share at once. One held to 1 Gb/s never has it.
convergence()
{
	local change=(--senders 2 --join 5ms --leave 10ms --duration 15ms --hold 3ms)

	run fifo --alg none --pfc "${change[@]}" || return
	run held --set rp_max_rate=1000 "${change[@]}" || return
	run short --alg none --pfc "${change[@]}" --hold 5ms || return
	holds fifo '.join_us > 1000 and .join_us < 2000 and .leave_us > 1000 and .leave_us < 2000' &&
	holds held '.join_us == null and .leave_us == null' &&
	holds short '.join_us == null and .leave_us == null'
}
test_that convergence "Convergence is seen when a share is fair for long enough, and not seen when it is not"

pictures()
{
	run pictures "${short[@]}" --senders 2 --out "$tmp/pictures" || return
	equal "rates" "$(head -n 1 "$tmp/pictures/rates.csv")" time_us,flow0_mbps,flow1_mbps &&
	equal "queue" "$(head -n 1 "$tmp/pictures/queue.csv")" time_us,queue_bytes &&
	equal "rows" "$(wc -l < "$tmp/pictures/queue.csv")" 302 &&
	file -b "$tmp/pictures/run.png" | grep -q '^PNG image data, 900 x 600' &&
	grep -q '</svg>' "$tmp/pictures/run.svg"
}
test_that pictures "A run writes its series, and pictures of them"

no_gnuplot()
{
	local dir

	mkdir -p "$tmp/bin"
	for dir in jq sh; do
		ln -sf "$(command -v $dir)" "$tmp/bin/$dir"
	done
	PATH=$tmp/bin "$fabsim" --duration 1ms --out "$tmp/plain" > /dev/null 2> "$tmp/message" || return
	grep -q "install the package gnuplot-nox" "$tmp/message" && [ -s "$tmp/plain/rates.csv" ]
}
test_that no_gnuplot "Without gnuplot there is a message instead of a picture, and all else"

run_tests
