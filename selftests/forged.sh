#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets that lie: forged and broken CNPs, unknown opcodes, noise.  None of them may
# change anything but the counter that names its fault; the one that is right does.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

congestion_counters()
{
	cc_all "$1" | grep -E '^(np|rp)_'
}

rates()
{
	grep -c ' rate: ' $TRACING/trace
}

# ignored SENTENCE REASON COUNT ARGS...: CNPs to host 1 that change only that counter.
ignored()
{
	local sentence=$1 reason=$2 n=$3 before want after

	shift 3
	before=$(congestion_counters rxe1)
	want=$(awk -F= -v reason="rp_cnp_ignored_$reason" -v n="$n" '
		$1 == "rp_cnp_ignored" || $1 == reason { $2 += n }
		{ print $1 "=" $2 }' <<< "$before")
	forge 1 "$version" "$@" || bail "rcc_pkt does not work"
	after=$(congestion_counters rxe1)
	if [ "$after" = "$want" ] && [ "$(rates)" = "$rates_before" ]; then
		ok "IPv$version: $sentence: $n ignored as '$reason'"
	else
		not_ok "IPv$version: $sentence: $n ignored as '$reason'" \
			"changed: $(cc_changed "$before" "$after"); wanted: $(cc_changed "$before" "$want");" \
			"rate events: $(($(rates) - rates_before))"
	fi
}

# unmoved SENTENCE HOST ARGS...: packets to the host that change no counter of CNPs.
unmoved()
{
	local sentence=$1 i=$2 before after

	shift 2
	before=$(congestion_counters "rxe$i")
	forge "$i" "$version" "$@" || bail "rcc_pkt does not work"
	after=$(congestion_counters "rxe$i")
	check_eq "IPv$version: $sentence: nothing changes" \
		"$(cc_changed "$before" "$after")$(($(rates) - rates_before))" 0
}

cnps()
{
	local other=$((10 - version))

	ignored "a QP number that nobody has" qpn 2 -k 2 -q $((qpn + 1000))
	ignored "QP numbers 0 and 1" qpn 1 -q 0
	ignored "from a third host" addr 2 -k 2 -q "$qpn" -s "$("ip$version" 3)"
	ignored "one wrong bit in the ICRC" icrc 1 -q "$qpn" -x 1
	ignored "the ICRC's bytes swapped" icrc 1 -q "$qpn" -x 0xffffffff
	ignored "BECN clear" malformed 1 -q "$qpn" -f 0
	ignored "FECN instead of BECN" malformed 1 -q "$qpn" -f 0x80
	ignored "too long" malformed 1 -q "$qpn" -b 20
	ignored "truncated at every length" malformed 31 -q "$qpn" -t 0-31
	ignored "truncated, UDP claims more" malformed 31 -q "$qpn" -t 0-31 -L
	unmoved "truncated, IP claims more, too" 1 -q "$qpn" -t 0-31 -L -L
	version=$other
	ignored "an address of the other family" addr 1 -q "$qpn"
	version=$((10 - other))
}

noise()
{
	local op

	for op in 0x80 0xe1 0xff; do
		unmoved "opcode $op, all else right" 1 -q "$qpn" -o $op
	done
	unmoved "noise for the QP, every opcode below 0x81" 1 -q "$qpn" -o 0-0x80 -r -x 1 -b 40
	unmoved "noise for the QP, every opcode above it" 1 -q "$qpn" -o 0x82-0xff -r -x 1 -b 40
	unmoved "noise, short" 1 -q "$qpn" -o 0x82-0xff -r -x 1 -b 0
	unmoved "noise for the receiver's QP, CE" 3 -q "$peer" -o 0-0x80 -r -x 1 -b 64
}

# Data with CE to the receiver.  An old PSN makes it a duplicate, which harms nobody.
marked_data()
{
	local bad=np_cnp_bad_icrc unknown=np_cnp_no_sender old before

	old=$(sw timeout 5 tcpdump -Z root -i s2 -nn -c 1 -x "$data" 2>/dev/null | hex_packets)
	# behind the opcode, flags, P_Key, BECN, QPN and AckReq
	old=${old:2 * bth + 18:6}
	log "PSN on the wire: $old"
	before=$(cc_count rxe2 np_cnp_sent)
	forge 2 "$version" -q "$peer" -o 4 -f 0 -e 3 -x 1 -k 3
	check_eq "IPv$version: CE on data with a bad ICRC is seen" "$(cc_count rxe2 $bad)" $((bad_before + 3))
	forge 2 "$version" -q "$peer" -o 4 -f 0 -e 3 -s "$("ip$version" 3)"
	check_eq "IPv$version: CE from a third host is seen" "$(cc_count rxe2 $unknown)" $((unknown_before + 1))
	check_eq "IPv$version: neither is answered" "$(cc_count rxe2 np_cnp_sent)" "$before"
	forge 2 "$version" -q "$peer" -o 4 -f 0 -e 3 -b 64 -P $(((16#${old:-0} - 50) & 0xffffff))
	check_eq "IPv$version: CE on data that is right is answered" "$(cc_count rxe2 np_cnp_sent)" $((before + 1))
}

attack()
{
	local version=$1 rates_before bad_before unknown_before
	local bth=28 data="udp port 4791 and ip[28] < 6"

	[ "$version" = 4 ] || { bth=48; data="ip6 and udp port 4791 and ip6[48] < 6"; }
	trace_start rate
	PERF_GID=gid$version flow_start "v$version" 1 2 ib_send_bw -e
	check "IPv$version: data moves" flow_moves 2
	read -r qpn peer _ <<< "$(cc_qps rxe1)"
	log "QP $qpn of the sender, $peer of the receiver"
	rates_before=$(rates)
	cnps
	noise
	forge 1 "$version" -q "$qpn"
	check_num "IPv$version: the one that is right changes the rate" "$(rates)" '>' "$rates_before"
	check_eq "IPv$version: and is counted" "$(cc_count rxe1 rp_cnp_handled)" $((++handled))
	bad_before=$(cc_count rxe2 np_cnp_bad_icrc) unknown_before=$(cc_count rxe2 np_cnp_no_sender)
	marked_data
	handled=$(cc_count rxe1 rp_cnp_handled)
	flow_check "IPv$version: the QP works as before" "v$version" 2
	flow_stop "v$version"
	trace_stop
}

fabric_up 3
rcc_load
# Slow, so that the flow leaves the processor to the attacker.
cc_set rxe1 params/dcqcn/rp_max_rate 20
qpn='' peer='' handled=0
attack 4
attack 6
finish
