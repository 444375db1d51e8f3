#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A module brings an algorithm of its own, under traffic: it is offered everywhere, chosen like any other, and stays as long
# as it is used.  Unsound ones are refused.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

readonly PARAM=/sys/module/rxe_cc/parameters/algorithm
readonly SOUND_BUT="no_init no_event no_name nameless bad_name long_name bad_events too_many no_params
	bad_param_name param_name_open unit_open doc_open same_param value_too_small value_too_large range_inverted"

# offered DEV NAME: true if the device has the algorithm.
offered()
{
	cc_get "$1" available_algorithms | tr ' ' '\n' | grep -qx "$2"
}

# alg_of DEV: the algorithm in charge of its RC QP.
alg_of()
{
	awk '$2 == "RC" { print $3 }' "/sys/kernel/debug/rxe_cc/$1/qps"
}

# refused MODULE [PARAMETER]: the error with which insmod fails; nothing if it succeeds.
refused()
{
	insmod "$RCC_MODULES/$1.ko" "${@:2}" 2>&1 | sed 's/.*: //'
}

# Another device that comes and goes: the flow uses the first two.
device_new()
{
	rdma link add rxe3 type rxe netdev h3
}

device_old()
{
	rdma link delete rxe3
}

comes()
{
	check_fails "without the module there is no such algorithm" offered rxe1 halve
	check_fails "and none can be chosen" cc_set rxe1 algorithm halve
	rcc_load rcc_sample
	check "with it, it is offered by the device of the sender" offered rxe1 halve
	check "and of the receiver" offered rxe2 halve
	check_eq "its parameters are there" \
		"$(cd /sys/class/rxe_cc/rxe1/params/halve && echo *)" "ai_rate target"
	check_num "auto has scaled them (ns)" "$(cc_get rxe1 params/halve/target)" '>=' 4000
	check "a value in its range is taken" cc_set rxe1 params/halve/ai_rate 7
	check_fails "one outside is not" cc_set rxe1 params/halve/ai_rate 0
	check_eq "and changes nothing" "$(cc_get rxe1 params/halve/ai_rate)" 7
	check_eq "the QP still has what it had" "$(alg_of rxe1)" dcqcn
	device_new
	check "a device that comes later offers it, too" offered rxe3 halve
	check "with parameters" test -f /sys/class/rxe_cc/rxe3/params/halve/target
	device_old
}

chosen()
{
	local events=/tmp/events.$$ changed

	changed=$(cc_count rxe1 cc_alg_changed)
	trace_start cc_event:type==2 rate
	check "it can be chosen under traffic" cc_set rxe1 algorithm halve
	check_eq "the QP has it" "$(alg_of rxe1)" halve
	check_eq "one QP changed over" $(($(cc_count rxe1 cc_alg_changed) - changed)) 1
	check "data moves" flow_moves 2 500
	trace_take $events
	trace_stop
	check_num "it was told of round trips" "$(grep -c ' cc_event .* rtt=[1-9]' $events)" '>' 10
	check_num "and changed the rate" "$(grep -c ' rate ' $events)" '>' 2
	check_eq "none of its decisions was nonsense" "$(cc_count rxe1 cc_bad_decision)" 0
	rm -f $events
	check_eq "the module is in use: it cannot be unloaded" "$(rmmod rcc_sample 2>&1 | grep -o 'in use')" "in use"
	check_eq "the QP still has it" "$(alg_of rxe1)" halve
	flow_check "the QP works" flow 2
}

# A QP that has it for itself, on a device that has another.
held_by_qp()
{
	local qpn

	qpn=$(cc_qps rxe1 | cut -d ' ' -f 1)
	cc_set rxe1 algorithm dcqcn
	check_eq "the QP leaves it with its device" "$(alg_of rxe1)" dcqcn
	check "the QP alone can be given it" run rxecc set qp "rxe1/$qpn" alg halve
	check_eq "and has it" "$(alg_of rxe1)" halve
	check_eq "its device has not" "$(cc_get rxe1 algorithm)" dcqcn
	flow_check "the QP works" flow 2
	check_eq "the QP keeps the module" "$(rmmod rcc_sample 2>&1 | grep -o 'in use')" "in use"
	check "it can be given its device's again" run rxecc set qp "rxe1/$qpn" alg default
	check_eq "and has that" "$(alg_of rxe1)" dcqcn
	cc_set rxe1 algorithm halve
}

# A device that has it as its default, and no QP.
held_by_device()
{
	local was

	was=$(cat $PARAM)
	check "it can be the default of devices to come" run bash -c "echo halve > $PARAM"
	check_eq "which then reads so" "$(cat $PARAM)" halve
	check_fails "one that there is not cannot" bash -c "echo reno > $PARAM"
	check_eq "and changes nothing" "$(cat $PARAM)" halve
	device_new
	check_eq "a device that comes has it" "$(cc_get rxe3 algorithm)" halve
	cc_set rxe1 algorithm dcqcn
	check_eq "the QP left it" "$(alg_of rxe1)" dcqcn
	check_eq "a device without a QP keeps the module" "$(rmmod rcc_sample 2>&1 | grep -o 'in use')" "in use"
	device_old
	check "when that has gone, it can be unloaded" rcc_unload rcc_sample
	check_eq "the default of devices to come is the first built-in one again" "$(cat $PARAM)" "$was"
}

gone()
{
	check_fails "its algorithm is not offered any more" offered rxe1 halve
	check_fails "its parameters are gone" test -e /sys/class/rxe_cc/rxe1/params/halve
	check_fails "it cannot be chosen" cc_set rxe1 algorithm halve
	check_eq "the devices have what they had" "$(cc_get rxe1 algorithm) $(cc_get rxe2 algorithm)" "dcqcn dcqcn"
	flow_check "the QP works" flow 2
}

unsound()
{
	local fault before

	before=$(cc_get rxe1 available_algorithms)
	for fault in $SOUND_BUT; do
		check_eq "an algorithm that is sound but for $fault is refused" \
			"$(refused rcc_unsound fault="$fault")" "Invalid parameters"
	done
	check_eq "a name that is taken is refused" "$(refused rcc_unsound fault=taken)" "File exists"
	check_eq "more algorithms than there is room for are refused" \
		"$(refused rcc_unsound fault=many)" "No space left on device"
	check_eq "nothing of them stays" "$(cc_get rxe1 available_algorithms)" "$before"
	check_eq "without a fault it is taken" "$(refused rcc_unsound fault=none)" ""
	check "and offered" offered rxe1 unsound
	check_eq "its name is taken then, for the next that has it" "$(rename_taken)" "File exists"
	check "unused, it can be unloaded" rcc_unload rcc_unsound
	check_eq "and leaves what there was" "$(cc_get rxe1 available_algorithms)" "$before"
}

# The same module cannot be loaded twice, so a copy by another name brings the same algorithm.
rename_taken()
{
	local copy=/tmp/rcc_unsoun2.ko

	sed 's/rcc_unsound/rcc_unsoun2/g' "$RCC_MODULES/rcc_unsound.ko" > $copy
	insmod $copy 2>&1 | sed 's/.*: //'
	rm $copy
}

# Chosen and left by one process while another loads and unloads: either may fail, and nothing else may.
churn()
{
	local i chooser kept=0 changed

	changed=$(cc_count rxe1 cc_alg_changed)

	(while :; do
		echo halve
		echo dcqcn
		echo none
		echo dcqcn
	done > /sys/class/rxe_cc/rxe1/algorithm) 2> /dev/null &
	chooser=$!
	for ((i = 0; i < 10; i++)); do
		insmod "$RCC_MODULES/rcc_sample.ko" || break
		# time to be chosen
		sleep 0.02
		while [ $kept -lt 500 ] && ! rmmod rcc_sample 2> /dev/null; do
			kept=$((kept + 1))
		done
	done
	kill_wait $chooser
	check_eq "it came and went while its algorithm was chosen" $i 10
	check_num "the QP changed over again and again" $(($(cc_count rxe1 cc_alg_changed) - changed)) '>' 20
	log "kept $kept times"
	cc_set rxe1 algorithm dcqcn
	flow_check "the QP works" flow 2
}

fabric_up 3
device_old
rcc_load
port_red 2 200 2000 30 100
PERF_TIMEOUT=250
# an ACK timeout of 4 s: a machine that is slow for a moment loses nothing
flow_start flow 1 2 ib_send_bw -e -u 20
check "data moves" flow_moves 2
comes
chosen
held_by_qp
held_by_device
gone
unsound
churn
flow_stop flow
busywait 5 cc_settled > /dev/null
check_eq "what waited has gone" "$(cc_get rxe1 held_packets)" 0
check_eq "packets that waited were released or purged" "$(cc_count rxe1 tx_held)" \
	$(($(cc_count rxe1 tx_released) + $(cc_count rxe1 tx_purged)))
check "rxe_cc can be unloaded" rcc_unload
device_new
check_fails "nothing of it is left" test -e /sys/class/rxe_cc
finish
