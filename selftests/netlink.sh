#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The netlink family and rxecc: they say what sysfs and debugfs say, change what they
# are told under traffic, and refuse everything else without changing anything.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

dir=/sys/class/rxe_cc/rxe1
work=$(mktemp -d)
defer rm -rf "$work"

# refused CODE TEXT ARGS...: what is wrong with how rxecc ARGS ends: it has to end with
# CODE, print nothing, and say TEXT on standard error.
refused()
{
	local code=$1 text=$2 out status

	shift 2
	out=$(rxecc "$@" 2> "$work/err")
	status=$?
	[ "$status" = "$code" ] || echo "rxecc $*: exit code $status, not $code"
	[ -z "$out" ] || echo "rxecc $*: prints $out"
	grep -qF -- "$text" "$work/err" || echo "rxecc $*: says '$(cat "$work/err")', not '$text'"
}

# All that can be set, of all devices.
settings()
{
	rxecc -j show dev | jq -c '.[] | [.name, .algorithm, .profile, .ecn, .line_rate_mbps, .link, .spray, .entropies]'
	rxecc -j show qp | jq -c '.[] | [.dev, .qpn, .algorithm, .algorithm_set, .spray, .spray_set]'
	grep . /sys/class/rxe_cc/*/{algorithm,profile,ecn,line_rate,link,spray,entropies} /sys/class/rxe_cc/*/params/*/*
}

# of QUERY: of the first device, by netlink.
of()
{
	rxecc -j show dev rxe1 | jq -r ".[0] | $1"
}

sysfs_counters()
{
	(cd $dir/counters && for f in *; do echo "$f $(cat "$f")"; done) | sort
}

devices()
{
	check_eq "all devices are shown" "$(rxecc -j show | jq -r '.[].name' | sort)" "$(ls /sys/class/rxe_cc)"
	check_eq "a device's configuration is sysfs'" \
		"$(of '[.algorithm, .profile, .ecn, .line_rate_mbps, (.base_rtt_ns // 0), .qps, .held_packets] | @text')" \
		"$(jq -n -c --arg a "$(cat $dir/algorithm)" --arg p "$(cat $dir/profile)" \
			--argjson e "$([ "$(cat $dir/ecn)" = 1 ] && echo true || echo false)" \
			--argjson l "$(cat $dir/line_rate)" --argjson r "$(cat $dir/base_rtt)" \
			--argjson q "$(cat $dir/qps)" --argjson h "$(cat $dir/held_packets)" \
			'[$a, $p, $e, $l, $r, $q, $h]')"
	check_eq "its link layer's, too" "$(of '"\(.link) \(.spray) \(.entropies) \(.kept_packets) \(.waiting_packets)"')" \
		"$(cd $dir && cat link spray entropies {kept,waiting}_packets | sed '1s/0/false/; 1s/1/true/' | paste -s -d ' ')"
	check_eq "its counters are sysfs'" \
		"$(of '.counters | to_entries[] | "\(.key) \(.value)"' | sort)" "$(sysfs_counters)"
	check_num "and there are many" "$(of '.counters | length')" '>' 40
	check_eq "the text has the same numbers as the JSON" \
		"$(rxecc show dev rxe1 | sed -n '/^counters/,$p' | tail -n +2 | awk '{ print $1, $2 }' | sort)" \
		"$(sysfs_counters)"
}

algorithms()
{
	check_eq "algorithms are those of available_algorithms" \
		"$(rxecc -j show alg | jq -r '.[].name' | tr '\n' ' ')" "$(tr '\n' ' ' < $dir/available_algorithms)"
	check_eq "dcqcn is built in, paces, and wants CNPs" \
		"$(rxecc -j show alg | jq -c '.[] | select(.name == "dcqcn") | [.kind, .paces, (.events | contains(["cnp"]))]')" \
		'["built-in",true,true]'
	check_eq "none does not pace" "$(rxecc -j show alg | jq -c '.[] | select(.name == "none").paces')" false
}

sysfs_params()
{
	(cd $dir/params && for f in */*; do echo "$f $(cat "$f")"; done) | sort
}

# values PROFILE ALG: the parameters that the profile has by what is shown, and those
# that are there once it is chosen.
profile_values()
{
	diff <(rxecc -j params rxe1 "$2" | jq -r ".[] | \"\(.name) \(.profiles.$1)\"" | sort) \
		<(cd "$dir/params/$2" && for f in *; do echo "$f $(cat "$f")"; done | sort)
}

parameters()
{
	check_eq "parameters are sysfs', all of them" \
		"$(rxecc -j params rxe1 | jq -r '.[] | "\(.algorithm)/\(.name) \(.value)"' | sort)" "$(sysfs_params)"
	check_eq "each is within its range" \
		"$(rxecc -j params rxe1 | jq -c '.[] | select(.value < .min or .value > .max) | .name')" ""
	run rxecc set dev rxe1 profile cx
	check_eq "profile cx has the values that were shown for it" \
		"$(for a in dcqcn np swift; do profile_values cx "$a"; done)" ""
	run rxecc set dev rxe1 profile auto
	run rxecc params rxe1 dcqcn profile paper
	check_eq "the profile of one algorithm is that one's alone" \
		"$(profile_values paper dcqcn; rxecc -j params rxe1 | jq -r '.[] | "\(.algorithm) \(.profile)"' |
			sort -u | tr '\n' ' ' | grep -o 'dcqcn [a-z]*\|swift [a-z]*' | tr '\n' ' ')" \
		"dcqcn paper swift auto "
	check_eq "and the device's is then custom" "$(cat $dir/profile)" custom
	run rxecc params rxe1 dcqcn profile cx rp_ai_rate=77 rp_gd=12
	check_eq "a profile and values on top of it are set at once" \
		"$(cd $dir/params/dcqcn && cat rp_ai_rate rp_gd rp_time_reset | tr '\n' ' ')" "77 12 300 "
	# Either of the two alone would contradict the other.
	run rxecc params rxe1 dcqcn rp_max_rate=50 rp_min_rate=10
	check "two values that fit only together are taken together" \
		run rxecc params rxe1 dcqcn rp_min_rate=200 rp_max_rate=300
	run rxecc set dev rxe1 profile auto
	check_eq "profile auto undoes all of it" "$(cat $dir/profile) $(of .profile)" "auto auto"
}

bad_input()
{
	local before qp

	before=$(settings)
	qp=$(rxecc -j show qp rxe1 | jq '.[0].qpn')
	check_eq "wrong words end with code 2, and say what is allowed" "$(
		refused 2 "commands are show, set, params, top, hist, monitor and export" bogus
		refused 2 "dev, qp and alg" show bogus
		refused 2 "unrecognized option" show --bogus
		refused 2 "neither a device nor a QP" show qp rxe1/x
		refused 2 "is a QP" show dev rxe1/17
		refused 2 "neither a device nor a QP" show qp rxe1/x paths
		refused 2 "is no QP" show qp rxe1 paths
		refused 2 "too many words" show qp rxe1/17 ways
		refused 2 "line-rate, link, spray and entropies" set dev rxe1 bogus 1
		refused 2 "needs a value" set dev rxe1 alg dcqcn ecn
		refused 2 "twice" set dev rxe1 alg none alg none
		refused 2 "on or off" set dev rxe1 alg none ecn maybe
		refused 2 "number of Mb/s" set dev rxe1 alg none line-rate 1g
		refused 2 "on or off" set dev rxe1 alg none link 2
		refused 2 "number of source ports" set dev rxe1 alg none entropies many
		refused 2 "alg and spray" set qp rxe1/17 bogus 1
		refused 2 "needs a value" set qp rxe1/17 alg none spray
		refused 2 "twice" set qp rxe1/17 spray rr spray rr
		refused 2 "is no QP" set qp rxe1 alg none
		refused 2 "is no QP" set qp rxe1/16777216 alg none
		refused 2 "PARAM=VALUE" params rxe1 dcqcn rp_ai_rate
		refused 2 "PARAM=VALUE" params rxe1 dcqcn rp_gd=12 rp_ai_rate=-1
		refused 2 "which profile" params rxe1 dcqcn profile)" ""
	check_eq "what the kernel refuses ends with code 1, and says what is allowed" "$(
		refused 1 "devices: rxe1, rxe2" show dev rxe9
		refused 1 "devices: rxe1, rxe2" show qp rxe9
		refused 1 "QP" show qp rxe1/999999
		refused 1 "devices: rxe1, rxe2" set dev rxe9 alg none
		refused 1 "algorithms: dcqcn, none" set dev rxe1 ecn off profile cx alg bogus
		refused 1 "auto, cx and paper" set dev rxe1 ecn off alg none profile bogus
		refused 1 "auto, cx and paper" set dev rxe1 profile custom
		refused 1 "0 to 800000" set dev rxe1 alg none line-rate 800001
		refused 1 "0 to 800000" set dev rxe1 alg none line-rate 99999999999
		refused 1 "1 to 64" set dev rxe1 alg none link on entropies 0
		refused 1 "1 to 64" set dev rxe1 alg none link on entropies 65
		refused 1 "random, reps and adaptive" set dev rxe1 alg none link on spray bogus
		refused 1 "no default" set dev rxe1 alg none link on spray ""
		refused 1 "algorithms: dcqcn, none" set qp "rxe1/$qp" alg bogus
		refused 1 "algorithms: dcqcn, none" set qp "rxe1/$qp" spray rr alg bogus
		refused 1 "random, reps and adaptive" set qp "rxe1/$qp" alg none spray bogus
		refused 1 "QP" set qp rxe1/999999 spray rr
		refused 1 "QP" show qp rxe1/999999 paths
		refused 1 "QP" set qp rxe1/999999 alg none
		refused 1 "algorithms: dcqcn, none" params rxe1 bogus
		refused 1 "devices: rxe1, rxe2" params rxe9
		refused 1 "rp_ai_rate takes 1 to 400000" params rxe1 dcqcn rp_gd=12 rp_ai_rate=400001
		refused 1 "parameters: rp_" params rxe1 dcqcn rp_gd=12 bogus=1
		refused 1 "twice" params rxe1 dcqcn rp_gd=12 rp_gd=13
		refused 1 "contradict" params rxe1 dcqcn rp_gd=12 rp_min_rate=200 rp_max_rate=100
		refused 1 "auto, cx and paper" params rxe1 dcqcn profile bogus)" ""
	check_eq "none of it has changed anything" "$(settings)" "$before"
}

# As nobody in particular.
as_user()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

unprivileged()
{
	local before sentence

	before=$(settings)
	check_eq "everybody may look" "$(as_user rxecc -j show dev | jq length)" 2
	for sentence in "set dev rxe1 alg none" "params rxe1 dcqcn rp_gd=12" \
			"set qp rxe1/$(rxecc -j show qp rxe1 | jq '.[0].qpn') alg none"; do
		# shellcheck disable=SC2086 # words
		as_user rxecc $sentence 2> "$work/err"
		check_eq "but not $sentence" "$? $(grep -o CAP_NET_ADMIN "$work/err")" "1 CAP_NET_ADMIN"
	done
	check_eq "and nothing has changed" "$(settings)" "$before"
}

fuzz()
{
	local before result

	before=$(settings)
	result=$(rcc_nlfuzz -d rxe1 -n "${FUZZ:-5000}")
	log "$result"
	check_eq "all broken requests are refused" "$(jq .refused <<< "$result")" "$(jq .sent <<< "$result")"
	check_num "and there were many" "$(jq .sent <<< "$result")" '>' 5000
	check_eq "none of them has changed anything" "$(settings)" "$before"
}

# alg_of QPN: by netlink, and as the debugfs has it.
alg_of()
{
	echo "$(rxecc -j show qp "rxe1/$1" | jq -r '.[0].algorithm')" \
		"$(awk -v q="$1" '$1 == q { print $3 }' /sys/kernel/debug/rxe_cc/rxe1/qps)"
}

# What a lost packet would count.
losses()
{
	local c

	for c in roce_adp_retrans packet_seq_err local_ack_timeout_err tx_local_drop; do
		echo "$c $(cc_count rxe1 $c)"
	done
	for c in out_of_seq_request duplicate_request retry_exceeded_err completer_retry_err; do
		echo "$c $(hw_counter rxe1 $c) $(hw_counter rxe2 $c)"
	done
}

per_qp()
{
	local qpns one other before alg

	# Slower than the processor, or QPs time out for want of it; and room for all that two
	# QPs can have under way, so that no algorithm has to lose a packet.
	port_tail 2 500 2000
	flow_start live 1 2 ib_send_bw -e -q 2
	check "data moves" flow_moves 2
	mapfile -t qpns < <(rxecc -j show qp rxe1 | jq '.[].qpn')
	one=${qpns[0]} other=${qpns[1]}
	check_eq "a QP has the peer that debugfs knows" \
		"$(rxecc -j show qp "rxe1/$one" | jq -r '.[0] | "\(.peer)/\(.peer_qpn)"')" \
		"$(awk -v q="$one" '$1 == q { print $NF }' /sys/kernel/debug/rxe_cc/rxe1/qps)"
	check_num "its packets are counted" "$(rxecc -j show qp "rxe1/$one" | jq '.[0].tx_packets')" '>' 10
	check_num "and its round trip is known" "$(rxecc -j show qp "rxe1/$one" | jq '.[0].rtt_ns')" '>' 0
	before=$(losses)
	for alg in none swift rtt timely dcqcn; do
		run rxecc set qp "rxe1/$one" alg $alg
		check_eq "one QP runs $alg, and the other what it did" \
			"$(alg_of "$one") $(alg_of "$other")" "$alg $alg dcqcn dcqcn"
		flow_moves 2
	done
	run rxecc set qp "rxe1/$one" alg none
	run rxecc set dev rxe1 alg rtt
	check_eq "the device's algorithm is for QPs without one of their own" \
		"$(alg_of "$one") $(alg_of "$other")" "none none rtt rtt"
	check_eq "what was set is shown" "$(rxecc -j show qp rxe1 | jq -c 'map(.algorithm_set)')" '["none",null]'
	check_eq "an algorithm counts its users" "$(rxecc -j show alg | jq -c '.[] | select(.name == "none").users')" 1
	run rxecc set qp "rxe1/$one" alg default
	check_eq "'default' gives a QP back" "$(alg_of "$one")" "rtt rtt"
	for alg in swift none dcqcn; do
		run rxecc set dev rxe1 alg $alg profile cx ecn off line-rate 1000
		flow_moves 2
		run rxecc set dev rxe1 profile auto ecn on line-rate 0
		flow_moves 2
	done
	flow_check "no QP had an error" live 2
	check_eq "and no packet was lost or sent again" "$(losses)" "$before"
	flow_stop live
	port_clear 2
}

# paths QUERY: of the first QP of the first device.
paths()
{
	rxecc -j show qp "rxe1/$one" paths | jq -r "$1"
}

# qp_of QUERY: the same QP without its paths.
qp_of()
{
	rxecc -j show qp "rxe1/$one" | jq -r ".[0] | $1"
}

link_layer()
{
	local one

	flow_start linked 1 2 ib_send_bw -e
	check "data moves" flow_moves 2
	one=$(rxecc -j show qp rxe1 | jq '.[0].qpn')
	check_eq "without a link layer a QP says so" "$(qp_of '[.link, .link_repeats, .paths] | @text')" '["none",null,[]]'
	# SACKs time every fourth packet: in turn, seven paths are all timed
	run rxecc set dev rxe2 link on
	run rxecc set dev rxe1 link on spray rr entropies 7
	check_eq "link, spray and entropies are set" "$(cd $dir && cat link spray entropies | tr '\n' ' ')" "1 rr 7 "
	check "data moves" flow_moves 2 600
	check_eq "the QP has a session, and its device's spray" "$(qp_of '"\(.link) \(.spray) \(.spray_set)"')" "up rr null"
	check_num "its round trip is known" "$(qp_of .link_rtt_ns)" '>' 0
	check_eq "it has as many paths as entropies, each with a port of its own" \
		"$(paths '[length, ([.[].port] | unique | length), .[0].path, .[6].path] | @text')" "[7,7,0,6]"
	check_eq "all of them carry data, and none is dead" \
		"$(paths '[.[] | select(.sent > 10 and .came > 10 and .rtt_ns > 0 and .state == "alive")] | length')" 7
	check_eq "none has another weight than the usual one: spray is not adaptive" \
		"$(paths '[.[].weight_permille] | unique | @text')" "[1000]"
	check_eq "the table has as many lines" "$(rxecc show qp "rxe1/$one" paths | grep -c alive)" 7
	check_eq "a dump of QPs has none" "$(rxecc -j show qp rxe1 | jq -c '.[0].paths')" "[]"
	port_netem 2 loss 10%
	check "data moves although a tenth is lost" flow_moves 2 300
	check_num "paths have lost packets" "$(paths '[.[].lost] | add')" '>' 5
	port_clear 2
	run rxecc set qp "rxe1/$one" spray none
	check_eq "a QP takes a spray of its own" \
		"$(qp_of '"\(.spray) \(.spray_set)"') $(paths length)" "none none 1"
	run rxecc set qp "rxe1/$one" spray default alg none
	check_eq "and goes back to its device's" "$(qp_of '"\(.spray) \(.spray_set) \(.algorithm)"')" "rr null none"
	run rxecc set dev rxe1 entropies 64
	check_eq "all of 64 paths are told" "$(paths length)" 64
	run rxecc set dev rxe1 link off spray none
	check_eq "without the link layer there is no session" "$(qp_of .link)" none
	flow_check "the QP works" linked 2
	flow_stop linked
	run rxecc set dev rxe2 link off
}

# dump_once WANT: what is wrong with a dump: every QP of the file is in it, exactly once.
dump_once()
{
	rxecc -j show qp rxe1 | jq '.[].qpn' | sort > "$work/dump"
	uniq -d "$work/dump" | sed 's/^/twice: /'
	comm -13 "$work/dump" "$1" | sed 's/^/missing: /' | head -n 5
}

# hold N: N idle QPs of each device, until let_go.  Not in a subshell, whose end would
# let them go.
hold()
{
	[ -p "$work/hold" ] || mkfifo "$work/hold"
	rcc_churn -d rxe1 -g "$(gid4 rxe1)" -D rxe2 -G "$(gid4 rxe2)" -n "$1" -a "$1" -m 1 -s 64 -w \
		< "$work/hold" > "$work/churn" 2>&1 &
	holder=$!
	exec 4> "$work/hold"
	check "$1 QPs of a device are there" busywait 60 qps_reach "$1"
}

let_go()
{
	exec 4>&-
	wait "$holder"
}

many_qps()
{
	local n=${MANY:-400} i

	hold "$n"
	awk 'NR > 1 { print $1 }' /sys/kernel/debug/rxe_cc/rxe1/qps | sort > "$work/want"
	check_num "as many are dumped" "$(rxecc -j show qp rxe1 | jq length)" '>=' "$n"
	check_eq "each exactly once" "$(dump_once "$work/want")" ""
	check_eq "a dump of all devices has those of both" "$(rxecc -j show qp | jq length)" \
		"$(cat /sys/class/rxe_cc/*/qps | awk '{ s += $1 } END { print s }')"
	rcc_churn -d rxe1 -g "$(gid4 rxe1)" -D rxe2 -G "$(gid4 rxe2)" -n 150 > "$work/churn2" 2>&1 &
	check_eq "each exactly once also while others come and go" \
		"$(for ((i = 0; i < 10; i++)); do dump_once "$work/want"; done)" ""
	wait $!
	check_eq "and those came and went without an error" "$(jq .failed "$work/churn2")" 0
	let_go
}

qps_reach()
{
	[ "$(cat "$dir/qps")" -ge "$1" ]
}

# Asks for everything and sets something, again and again; says how that ended, unless
# it was refused or the module was away.
ask_on()
{
	local words

	while [ ! -e "$work/stop" ]; do
		for words in "show dev" "show qp" "show alg" "params rxe1" "set dev rxe1 ecn on"; do
			# shellcheck disable=SC2086 # words
			rxecc -j $words > /dev/null 2>&1
			case $? in
			0 | 1 | 3) echo "$?" >> "$work/codes" ;;
			*) echo "rxecc $words: $?" ;;
			esac
		done
	done
}

# A dump on its way holds the module.
unload()
{
	rmmod rxe_cc 2>/dev/null
}

comings_and_goings()
{
	local pid i

	ask_on > "$work/asked" 2>&1 &
	pid=$!
	for ((i = 0; i < ${ROUNDS:-3}; i++)); do
		run rdma dev set rxe1 name rxe7
		check_eq "a device is found by its new name" "$(rxecc -j show dev rxe7 | jq -r '.[0].name')" rxe7
		run rdma dev set rxe7 name rxe1
		run rdma link delete rxe2
		check_eq "one that is gone is not" "$(refused 1 "devices: rxe1" show dev rxe2)" ""
		run rdma link add rxe2 type rxe netdev h2
		check "the module can go while somebody asks" busywait 10 unload
		run insmod "$RCC_MODULES/rxe_cc.ko"
	done
	touch "$work/stop"
	wait "$pid"
	check_eq "whoever asks all the while gets an answer" "$(cat "$work/asked")" ""
	check_num "and asks often" "$(wc -l < "$work/codes")" '>' 10
}

# Longer than all that is done to the flow.
PERF_TIMEOUT=400
fabric_up 2
check_eq "without the module rxecc ends with code 3 and says so" "$(refused 3 "modprobe rxe_cc" show)" ""
rcc_load
devices
algorithms
parameters
many_qps
hold 4
bad_input
unprivileged
fuzz
let_go
per_qp
link_layer
devices
comings_and_goings
finish
