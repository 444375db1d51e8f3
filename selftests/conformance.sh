#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernel's algorithms, built in and in BPF, decide as the same sources do in user space, bit for bit: on generated flows,
# and on what two senders into one port really met, which is recorded by the tracepoints.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# those that there are as BPF objects, too
readonly IN_BPF="dcqcn fixed rtt timely swift"
# what each recorded flow gives to the vector that is kept
readonly KEPT_EVENTS=250
work=$(mktemp -d)
defer rm -rf "$work"

# generated ALG PROFILE: flows that this algorithm has never seen.
generated()
{
	local vec=$work/$1-$2.vec

	rcc_replay generate -a "$1" -p "$2" -s "$seed" -f 4 -n 500 > "$vec" && rcc_replay check -k "$vec"
}

all_generated()
{
	local alg profile seed=1

	for alg in $(rcc_replay list); do
		for profile in auto cx paper custom; do
			seed=$((seed + 1))
			check "$alg, $profile: the kernel decides as user space does" generated "$alg" "$profile"
		done
		check "$alg: one altered decision is found" tampered "$work/$alg-custom.vec" -k
	done
	check_fails "an algorithm that the kernel does not have is no success" \
		rcc_replay check -k -a nosuch "$work/dcqcn-auto.vec"
}

# tampered VECTOR ARGS...: true if one altered decision is found, and only that.
tampered()
{
	local vec=$1 line said

	shift
	# in the midst of the events
	line=$(awk '/ = / && !/^init/ { line[n++] = NR } END { print line[int(n / 2)] }' "$vec")
	sed "${line}s/ = /&1/" "$vec" > "$vec.bad"
	said=$(rcc_replay check "$@" "$vec.bad") && return 1
	grep -q ": 1 of [0-9]* decisions differ" <<< "$said" && grep -q "bad:$line: " <<< "$said"
}

params()
{
	(cd /sys/class/rxe_cc && grep . ./*/params/*/* | sed 's|^\./||')
}

# incast ALG: two flows into port 1, from their QPs' first packets on.
incast()
{
	set_all algorithm "$1"
	params > "$work/before"
	echo counter > $TRACING/trace_clock
	trace_start cc_init cc_event
	flow_start "$1-2" 2 1 ib_send_bw -e -s 16384
	flow_start "$1-3" 3 1 ib_send_bw -e -s 16384
	flow_check "$1: packets of both flows arrive" "$1-2" 1
	sleep 0.5
	check "$1: both flows live" both_alive "$1"
	echo 0 > $TRACING/tracing_on
	flow_stop "$1-2" "$1-3"
	params > "$work/after"
	cp $TRACING/trace "$work/trace"
	trace_stop
	echo local > $TRACING/trace_clock
}

both_alive()
{
	flow_alive "$1-2" && flow_alive "$1-3"
}

record()
{
	rcc_replay record -b "$work/before" -e "$work/after" "$@" "$work/trace"
}

# How many different decisions, and how many events of a kind, a vector has.
decisions() { sed -n 's/.* = //p' "$1" | sort -u | wc -l; }
events() { grep -c "^$2 " "$1"; }

# set_all FILE VALUE: of all hosts.
set_all()
{
	local i

	for i in 1 2 3; do
		cc_set "rxe$i" "$1" "$2" || not_ok "rxe$i takes $2 as $1"
	done
}

# recorded ALG EVENT: what ALG met, with EVENTs among it.
recorded()
{
	local alg=$1 vec=$work/live-$1.vec

	incast "$alg"
	if ! record > "$vec"; then
		not_ok "$alg: what happened was recorded" "$(grep -m 3 -v '^#' "$work/trace")"
		return
	fi
	ok "$alg: what happened was recorded"
	log "$(grep -c ^flow "$vec") flows, $(grep -c ' = ' "$vec") decisions, $(decisions "$vec") different ones"
	check_num "$alg: events of kind $2 are among it" "$(events "$vec" "$2")" '>=' 20
	check_num "$alg: it decided variously" "$(decisions "$vec")" '>=' 20
	check "$alg: user space decides as the kernel did under traffic" rcc_replay check "$vec"
	check "$alg: the kernel does so again without traffic" rcc_replay check -k "$vec"
	check "$alg: one decision altered in the recording is found" tampered "$vec"
	check "$alg: also by the kernel" tampered "$vec" -k
	record -n $KEPT_EVENTS > "$OUT/live-$alg.vec"
}

# The published values do not follow the base RTT, so they stay. But they are meant for hardware: where software answers, a
# target of microseconds would only ever mean the least rate. Nor do they expect losses, and what is sent again is not
# measured.
live()
{
	port_red 1 200 256 30 100
	set_all profile paper
	set_all params/rtt/target 4000000
	set_all params/rtt/loss_dec 50
	set_all params/timely/loss_dec 50
	set_all params/timely/t_high 8000000
	set_all params/timely/t_low 2000000
	set_all params/timely/min_rtt 2000000
	recorded dcqcn cnp
	recorded rtt ack
	recorded timely ack
	recorded swift ack
}

# Whoever records from a ring that is too small, or while somebody changes a parameter, is told.
gaps()
{
	sed 's|\(entries-written: [0-9]*\)/|\1/9|' "$work/trace" > "$work/trace.gap"
	check_fails "a trace that lost events is refused" \
		rcc_replay record -b "$work/before" -e "$work/after" "$work/trace.gap"
	cc_set rxe2 params/swift/ai 512
	params > "$work/changed"
	check_fails "so is one with parameters that changed" \
		rcc_replay record -b "$work/before" -e "$work/changed" "$work/trace"
}

# bpf_vectors ALG: all that there is of it.
bpf_vectors()
{
	rcc_replay check -k -a "bpf_$1" "$work/$1"-*.vec
}

bpf_live()
{
	rcc_replay check -k -a "bpf_$1" "$work/live-$1.vec"
}

# The same files as BPF objects.
bpf()
{
	local alg pins=/sys/fs/bpf/rxe_cc

	# bpf_absent.sh tests that this is said where it is true, and only there.
	if dmesg | grep -q 'rxe_cc: struct_ops absent'; then
		return
	fi
	mkdir -p $pins
	defer bpf_unpin $pins
	for alg in $IN_BPF; do
		check "$alg can be registered as BPF" rcc_ops register "$RCC_MODULES/cc_$alg.bpf.o" "$pins/$alg"
		check "bpf_$alg decides as user space does" bpf_vectors "$alg"
		check "bpf_$alg: one altered decision is found" tampered "$work/$alg-custom.vec" -k -a "bpf_$alg"
		[ ! -f "$work/live-$alg.vec" ] ||
			check "bpf_$alg decides as the module did under traffic" bpf_live "$alg"
	done
}

fabric_up 3
seed=1
check_fails "nothing is replayed in the kernel without the module" generated dcqcn auto
rcc_load
all_generated
live
gaps
bpf
finish
