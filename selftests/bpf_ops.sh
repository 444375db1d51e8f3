#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Algorithms in BPF: the built-in ones as objects, and one that is written for BPF alone, are registered, chosen, put in
# each other's place and removed while packets flow. What must not be loaded is refused, with a word why; nonsense that a
# program decides costs it the QP, and no packet.

# How short a queue becomes is judged where guest time counts instructions. On two processors, which an emulator gives no
# even time, a round trip says little; there the point is that nothing breaks.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

PINS=/sys/fs/bpf/rxe_cc
BUILT_IN="dcqcn fixed rtt timely swift"

log_file=$(mktemp)
defer rm -f "$log_file"

# bpftool 7.5 registers and pins a type of a module, and crashes when it wants to print the type's name.
echo 'bpftool\[[0-9]+\]: segfault at 0 ' >> "$EXPECT_DMESG"

pins_remove()
{
	[ ! -d $PINS ] || rm -rf $PINS
}

# bpf_register OBJECT: pins it under the object's name.
bpf_register()
{
	run rcc_ops register "$RCC_MODULES/cc_$1.bpf.o" "$PINS/$1" 2> "$log_file"
}

# bpf_update OBJECT PIN: puts it in the place of what PIN keeps.
bpf_update()
{
	run rcc_ops update "$RCC_MODULES/cc_$1.bpf.o" "$PINS/$2" 2> "$log_file"
}

bpf_remove()
{
	log "rm $PINS/$1"
	rm "$PINS/$1"
}

# available NAME: true if it stands among the algorithms.
available()
{
	tr ' ' '\n' < /sys/class/rxe_cc/rxe1/available_algorithms | grep -qx "$1"
}

# chosen NAME: true if the sender's QP runs it.
chosen()
{
	[ "$(qp_field 3)" = "$1" ]
}

# qp_field N: of the sender's QP.
qp_field()
{
	awk -v n="$1" '$2 == "RC" { print $n }' /sys/kernel/debug/rxe_cc/rxe1/qps
}

programs()
{
	bpftool -j prog show | jq '[.[] | select(.type == "struct_ops")] | length'
}

no_programs()
{
	[ "$(programs)" = 0 ]
}

# values ALG: names and values of its parameters.
values()
{
	(cd "/sys/class/rxe_cc/rxe1/params/$1" && grep . ./*)
}

# queue: mean of the port's backlog in bytes over some time.
queue()
{
	local i sum=0

	for i in {1..12}; do
		sum=$((sum + $(port_stats 2 backlog)))
		sleep 0.03
	done
	log "mean queue: $((sum / 12)) bytes"
	echo $((sum / 12))
}

# Loading the built-in ones: that they are the same is seen in their parameters, and what they do in congested().
same_as_built_in()
{
	local alg

	for alg in $BUILT_IN; do
		check "$alg can be registered as BPF" bpf_register "$alg"
		check "bpf_$alg is available" available "bpf_$alg"
		check_eq "bpf_$alg has the parameters of $alg, and their values" "$(values "bpf_$alg")" "$(values "$alg")"
	done
	check "an algorithm that is BPF alone can be registered beside them" bpf_register aimd
	check "aimd is available" available aimd
	check_eq "on the other device, too" "$(cat /sys/class/rxe_cc/rxe2/available_algorithms)" \
		"$(cat /sys/class/rxe_cc/rxe1/available_algorithms)"
	check_fails "the module cannot be unloaded now" rmmod rxe_cc
}

# tried ALG: chosen under traffic, it has the QP.
tried()
{
	check "$1: can be chosen under traffic" cc_set rxe1 algorithm "$1"
	check "$1: runs the QP" busywait 10 chosen "$1"
	check "$1: packets move" flow_moves 2 100
}

# congested ALG: the same, and it shortens the queue that there is without control.
congested()
{
	local before

	cc_set rxe1 algorithm none
	flow_moves 2 200
	before=$(queue)
	tried "$1"
	check "$1: they go on to move" flow_moves 2 2000
	check_num "$1: the queue gets shorter" "$(queue)" '<' $((before * 3 / 4))
	log "$1: rate $(qp_field 4) bit/s, window $(qp_field 5) bytes"
}

# has_rate BPS: prints the rate that the QP has.
has_rate()
{
	qp_field 4
	[ "$(qp_field 4)" = "$1" ]
}

# A window or a rate that somebody sets by hand has to be seen.
fixed_rate()
{
	cc_set rxe1 algorithm bpf_fixed
	check "bpf_fixed: takes a rate by hand" cc_set rxe1 params/bpf_fixed/rate 20
	flow_moves 2 20
	check_eq "bpf_fixed: the QP has that rate" "$(busywait 10 has_rate 20000000)" 20000000
	check_fails "bpf_fixed: a rate beyond its range is refused" cc_set rxe1 params/bpf_fixed/rate 800001
	check_eq "and changes nothing" "$(cc_get rxe1 params/bpf_fixed/rate)" 20
	flow_check "bpf_fixed: the QP has not failed" traffic 2
}

map_of()
{
	bpftool -j link show pinned "$PINS/$1" | jq .map_id
}

# The link stays, another map stands behind it.
updated()
{
	local map changed

	cc_set rxe1 algorithm aimd
	check "aimd: runs the QP" busywait 10 chosen aimd
	cc_set rxe1 params/aimd/keep 77
	map=$(map_of aimd)
	changed=$(cc_count rxe1 cc_alg_changed)
	check "aimd can be put in its own place by its link, under traffic" bpf_update aimd aimd
	check_num "another map stands behind the link" "$(map_of aimd)" '!=' "$map"
	check_num "QPs went on under the new one" "$(cc_count rxe1 cc_alg_changed)" '>' "$changed"
	check "which is aimd" chosen aimd
	check_eq "a value set by hand stays" "$(cc_get rxe1 params/aimd/keep)" 77
	flow_check "the QP has not failed" traffic 2
	map=$(map_of aimd)
	check_fails "an algorithm of another name cannot take its place" bpf_update nonsense aimd
	check_eq "the map behind the link stays" "$(map_of aimd)" "$map"
	check "and aimd runs the QP" chosen aimd
	check_fails "nor is the other one available" available nonsense
}

# Again and again, so that events and the change meet.
updated_often()
{
	local i failed=0

	for i in {1..10}; do
		bpf_update aimd aimd || failed=$((failed + 1))
	done
	check_eq "10 updates in a row succeed" $failed 0
	flow_check "the QP has not failed" traffic 2
}

fewer_programs()
{
	[ "$(programs)" -lt "$1" ]
}

# The default of a device goes away below it, and below its QPs.
removed()
{
	local programs

	programs=$(programs)
	bpf_remove aimd
	check "aimd, removed under traffic, is available no more" busywait 5 _not available aimd
	check_eq "the device falls back to dcqcn" "$(cc_get rxe1 algorithm)" dcqcn
	check "so does the QP" busywait 10 chosen dcqcn
	check_fails "its parameters have gone" test -e /sys/class/rxe_cc/rxe1/params/aimd
	flow_check "the QP has not failed" traffic 2
	check "its programs have gone" busywait 30 fewer_programs "$programs"
	check "it can come back" bpf_register aimd
	check_eq "with its values as they were at first" "$(cc_get rxe1 params/aimd/keep)" 80
	cc_set rxe1 algorithm bpf_dcqcn
	check "bpf_dcqcn: runs the QP" busywait 10 chosen bpf_dcqcn
	log "all at once"
	pins_remove
	check "all can be removed at once, under traffic" busywait 30 no_programs
	check "the QP runs dcqcn" busywait 10 chosen dcqcn
	check_eq "built-in algorithms are left" "$(tr ' ' '\n' < /sys/class/rxe_cc/rxe1/available_algorithms | grep -c bpf_)" 0
	flow_check "the QP has not failed" traffic 2
}

_not()
{
	! "$@"
}

# refused OBJECT SENTENCE PATTERN: it is not registered, and what is said of it matches.
refused()
{
	local lines

	lines=$(dmesg | wc -l)
	check_fails "refused: $2" bpf_register "bad_$1"
	check "it is said why" grep -qE "$3" <(cat "$log_file"; dmesg | tail -n +$((lines + 1)))
}

readonly ALLOWED='rxe_cc: this is read-only; what a program may write is struct rcc_state, rate_bps'

all_refused()
{
	local before

	before=$(cat /sys/class/rxe_cc/rxe1/available_algorithms)
	refused write_event "a write into the event" "$ALLOWED"
	refused write_path "a write into the path" "$ALLOWED"
	refused write_values "a write into the values, but from scale" "$ALLOWED"
	refused write_beyond "a write behind the state" 'rxe_cc: a write of 8 bytes at 192: must be aligned and end by 192'
	refused write_across "a write across the state's end" 'rxe_cc: a write of 8 bytes at 188: must be aligned and end by 192'
	refused write_task "a write into the task that it runs in" 'rxe_cc: this is none of the structures'
	refused sleepable "a program that may sleep" 'attach to unsupported member event'
	refused read_beyond "a read behind the state" 'access beyond struct rcc_state'
	refused loop "a loop without end" 'infinite loop|too large|back-edge'
	refused helper "a helper that is none of its business" 'cannot use helper bpf_skb_load_bytes'
	refused tail_call "a tail call" 'cannot use helper bpf_tail_call'
	refused no_event "no program for events" "struct_ops 'bad' refused: init or event is missing"
	refused name "a name that is none" "struct_ops 'Not a/name' refused: the name is not \[a-z0-9_\]\+"
	refused value "a value outside its range" "struct_ops 'bad' refused: a profile's value lies outside"
	refused events "events that there are not" "struct_ops 'bad' refused: it wants events that there are not"
	refused taken "a name that is taken" 'not registered: File exists'
	check_eq "none of them is available" "$(cat /sys/class/rxe_cc/rxe1/available_algorithms)" "$before"
	check_eq "no pin is left" "$(ls $PINS)" ""
	check "no program is left" busywait 30 no_programs
}

# nonsense WHAT SENTENCE COUNTER...: what it decides is counted, and packets flow; a new QP each time, since one does not
# trust the device's algorithm again.
nonsense()
{
	local what=$1 sentence=$2 counter before=() i=0

	shift 2
	cc_set rxe1 params/nonsense/what 0
	flow_start traffic 1 2 ib_send_bw -e
	check "$sentence: at first it makes sense" busywait 5 chosen nonsense
	flow_moves 2
	for counter in "$@"; do
		before+=("$(cc_count rxe1 "$counter")")
	done
	cc_set rxe1 params/nonsense/what "$what"
	check "$sentence: packets flow" flow_moves 2 100
	for counter in "$@"; do
		check_num "$sentence: $counter counts it" "$(cc_count rxe1 "$counter")" '>' "${before[i++]}"
	done
	flow_check "$sentence: the QP has not failed" traffic 2
	log "$sentence: runs $(qp_field 3) at $(qp_field 4) bit/s"
}

nonsense_is_borne()
{
	check "an algorithm that will decide nonsense can be registered" bpf_register nonsense
	cc_set rxe1 algorithm nonsense
	nonsense 1 "a rate of 0" cc_bad_decision rate_clamped cc_fallback
	check "the QP falls back to dcqcn" chosen dcqcn
	check_eq "the device's algorithm stays" "$(cc_get rxe1 algorithm)" nonsense
	flow_stop traffic
	nonsense 2 "a rate of 2^64 - 1" cc_bad_decision rate_clamped cc_fallback
	check "the QP falls back to dcqcn" chosen dcqcn
	flow_stop traffic
	nonsense 4 "a timer in the past" cc_bad_decision cc_fallback
	check "the QP falls back to dcqcn" chosen dcqcn
	flow_stop traffic
	nonsense 3 "a window of one byte"
	check_eq "one packet at a time is slow, but no nonsense: it stays" "$(qp_field 3) $(qp_field 5)" "nonsense 1"
	flow_stop traffic
	nonsense 5 "a rate by chance" rate_clamped
	flow_stop traffic
}

# What the documentation tells people to do.
by_bpftool()
{
	log "bpftool struct_ops register cc_aimd.bpf.o $PINS"
	bpftool struct_ops register "$RCC_MODULES/cc_aimd.bpf.o" $PINS > "$log_file" 2>&1
	log "bpftool: exit code $?, $(tail -n 1 "$log_file")"
	check "bpftool registers an object" available aimd
	check "and pins its link" test -e $PINS/aimd
	bpf_remove aimd
	check "without the pin it goes" busywait 5 _not available aimd
}

# What does not depend on when things happen.
told_apart()
{
	all_refused
	nonsense_is_borne
	pins_remove
	mkdir -p $PINS
	by_bpftool
	pins_remove
}

PERF_TIMEOUT=600
fabric_up 2
rcc_load
mkdir -p $PINS
defer pins_remove
same_as_built_in
port_red 2 100 256 30 100
flow_start traffic 1 2 ib_send_bw -e
check "data moves" flow_moves 2
for alg in bpf_dcqcn bpf_rtt bpf_timely bpf_swift aimd; do
	if icount; then
		congested $alg
	else
		tried $alg
	fi
	flow_check "$alg: the QP has not failed" traffic 2
done
fixed_rate
updated
updated_often
removed
flow_stop traffic
mkdir -p $PINS
! icount || told_apart
check "in the end no program is left" busywait 30 no_programs
check "and the module can be unloaded" rcc_unload
finish
