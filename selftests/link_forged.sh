#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Control packets of the link layer that lie: forged, broken, cut short.  None of them may
# change anything but the counter that names its fault, and the session stays up; the one
# that is right changes it.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

FABRIC_MTU=4300
readonly HELLO=1 HELLO_ACK=2 SACK=3 PROBE=4 PROBE_REPLY=5 BYE=6
readonly TOKEN=deadbeef
# bytes of a control packet before the body, from the UDP header on: BTH, header
readonly HDR=20

# What is said, without the header: that of HELLO has token, capabilities, first sequence
# number, window, flags, hold in us, first sequence number of the other; that of SACK has
# cum, echo, its time, delay, dups, words, zero, CE.
readonly -a body=(
	[HELLO]=0badcafe000000030000000102000001000100000000000a
	[HELLO_ACK]=0badcafe000000030000000102000001000100000000000a
	[SACK]=00000001000000010000000100000001000000000000000000000000000000ff
	[PROBE]=000000000000000100000000
	[PROBE_REPLY]=00000000000000010000000000000002000000000000000300000000
	[BYE]=''
)

# message TYPE TOKEN [BODY]: the payload of a control packet as hex.
message()
{
	local b=${3-${body[$1]}}

	printf '%02x01%04x%s%s' "$1" $((${#b} / 2)) "$2" "$b"
}

# say TYPE TOKEN ARGS...: to host 1, whose QP is $qpn.
say()
{
	local payload

	payload=$(message "$1" "$2")
	shift 2
	forge 1 "$version" -q "$qpn" -o 0xe1 -f 0 -B "$payload" "$@" || bail "rcc_pkt does not work"
}

# The counters that a lie could change.
watched()
{
	cc_all rxe1 |
		grep -E '^(rx_malformed|link_(up|down|fallback|hello|ctl|sack_ignored|lost|path|probe|rx_beyond|gap))'
}

# counted DEV COUNTER N
counted()
{
	[ "$(cc_count "$1" "$2")" -ge "$3" ]
}

# changes SENTENCE COUNTER N CMD...: N of it are counted, and nothing else changes.
changes()
{
	local sentence=$1 counter=$2 n=$3 before want after

	shift 3
	before=$(watched)
	want=$(awk -F= -v c="$counter" -v n="$n" '$1 == c { $2 += n } { print $1 "=" $2 }' <<< "$before")
	"$@"
	# they may still be on their way from the switch
	busywait 2 counted rxe1 "$counter" "$(sed -n "s/^$counter=//p" <<< "$want")" > /dev/null
	after=$(watched)
	if [ "$after" = "$want" ]; then
		ok "IPv$version: $sentence: $n counted as '$counter'"
	else
		not_ok "IPv$version: $sentence: $n counted as '$counter'" \
			"changed: $(cc_changed "$before" "$after"); wanted: $(cc_changed "$before" "$want")"
	fi
}

name_of()
{
	local names=('' HELLO HELLO_ACK SACK PROBE PROBE_REPLY BYE)

	echo "${names[$1]}"
}

# Each type, with every fault that needs no knowledge.
strangers()
{
	local type name full

	for type in $HELLO $HELLO_ACK $SACK $PROBE $PROBE_REPLY $BYE; do
		name=$(name_of "$type") full=$((HDR + ${#body[$type]} / 2 + 4))
		[ "$type" = $HELLO ] ||
			changes "$name, a token that is not ours" link_ctl_token 2 say "$type" $TOKEN -k 2
		changes "$name, from a third host" link_ctl_addr 1 say "$type" $TOKEN -s "$("ip$version" 3)"
		changes "$name, for a QP that nobody has" link_ctl_qpn 1 say "$type" $TOKEN -q $((qpn + 1000))
		changes "$name, one wrong bit in the ICRC" link_ctl_icrc 1 say "$type" $TOKEN -x 1
		changes "$name, truncated before the ICRC of a BTH" rx_malformed 16 say "$type" $TOKEN -t 0-15
		changes "$name, truncated at every length after that" link_ctl_malformed $((full - 16)) \
			say "$type" $TOKEN -t 16-$((full - 1))
		changes "$name, truncated, UDP claims more" rx_malformed "$full" say "$type" $TOKEN -t 0-$((full - 1)) -L
	done
}

# raw PAYLOAD ARGS...
raw()
{
	local payload=$1

	shift
	forge 1 "$version" -q "$qpn" -o 0xe1 -f 0 -B "$payload" "$@" || bail "rcc_pkt does not work"
}

# sack CUM WORDS BITS CE: a SACK with the token of host 1.
sack()
{
	raw "$(message "$SACK" "$token" "$1$(printf '%08x%08x%08x%08x%04x0000' 1 1 1 0 "$2")$3$4")"
}

malformed()
{
	local type good

	good=$(message $BYE "$token")
	for type in 0 7 255; do
		changes "type $type" link_ctl_malformed 1 raw "$(message $type "$token" '')"
	done
	changes "version 2" link_ctl_malformed 1 raw "${good/#0601/0602}"
	changes "a length that is not the body's" link_ctl_malformed 1 raw "${good/#06010000/06010001}"
	changes "a body that BYE does not have" link_ctl_malformed 1 raw "$(message $BYE "$token" 00)"
	changes "a SACK of nine words" link_ctl_malformed 1 \
		sack 00000000 9 "$(printf '%0144d' 0)" "$(printf '%0160d' 0)"
	changes "a SACK that says one word and has none" link_ctl_malformed 1 sack 00000000 1 '' "$(printf '%016d' 0)"
}

# Who listens knows the token.  It cannot make a QP believe what cannot be.
listeners()
{
	local beyond

	beyond=$(printf '%08x' $(((seq + 0x40000000) & 0xffffffff)))
	changes "SACK, of what was not sent yet" link_sack_ignored 1 sack "$beyond" 0 '' 0000000000000000
	changes "PROBE_REPLY, in the future" link_ctl_malformed 1 say $PROBE_REPLY "$token"
	changes "HELLO_ACK of a side that cannot put in order" link_ctl_malformed 1 \
		raw "$(message $HELLO_ACK "$token" "0badcafe00000000${body[$HELLO_ACK]:16}")"
	changes "HELLO_ACK of a side with too small a window" link_ctl_malformed 1 \
		raw "$(message $HELLO_ACK "$token" "${body[$HELLO_ACK]:0:24}0100${body[$HELLO_ACK]:28}")"
}

# HELLOs are answered, but no faster than one in a millisecond, to the peer, who is not impressed.
flood()
{
	local start took sent limited rcvd token_errors

	rcvd=$(cc_count rxe1 link_hello_rcvd) sent=$(cc_count rxe1 link_hello_sent)
	limited=$(cc_count rxe1 link_ctl_limited) token_errors=$(cc_count rxe2 link_ctl_token)
	start=$(now_ms)
	say $HELLO 00000000 -k $FLOOD
	busywait 2 counted rxe1 link_hello_rcvd $((rcvd + FLOOD)) > /dev/null
	took=$(($(now_ms) - start))
	rcvd=$(($(cc_count rxe1 link_hello_rcvd) - rcvd)) sent=$(($(cc_count rxe1 link_hello_sent) - sent))
	limited=$(($(cc_count rxe1 link_ctl_limited) - limited))
	check_eq "IPv$version: HELLOs come as a flood" $rcvd $FLOOD
	check_between "IPv$version: they are answered, but once per ms at most" $sent 1 $((took + 2))
	check_eq "IPv$version: the others are counted" $((sent + limited)) $FLOOD
	# answers may still be on their way to the peer
	busywait 2 counted rxe2 link_ctl_token $((token_errors + sent)) > /dev/null
	check_eq "IPv$version: the peer takes no answer for true" \
		$(($(cc_count rxe2 link_ctl_token) - token_errors)) "$sent"
}

# seen OFFSET COUNT: so many bytes, as hex, of a SACK to host 1.
seen()
{
	local at=$((bth + $1))

	echo "${captured:at * 2:$2 * 2}"
}

# learn: the token of host 1, and about where its sequence numbers are.
learn()
{
	local filter="udp port 4791 and ip[28] = 0xe1 and ip[40] = 3"

	[ "$version" = 4 ] || filter="ip6 and udp port 4791 and ip6[48] = 0xe1 and ip6[60] = 3"
	captured=$(sw timeout 10 tcpdump -Z root -i s1 -Q out -nn -c 1 -x "$filter" 2>/dev/null | hex_packets)
	token=$(seen 16 4) seq=$((16#$(seen 20 4)))
	log "token of host 1: $token, it has sent $seq"
}

attack()
{
	local version=$1 bth=28 captured token seq

	[ "$version" = 4 ] || bth=48
	cc_mark
	PERF_GID=gid$version flow_start "v$version" 1 2 ib_send_bw -e
	check "IPv$version: data moves" flow_moves 2
	check "IPv$version: there is a session" sessions 1
	read -r qpn _ <<< "$(cc_qps rxe1)"
	learn
	check_eq "IPv$version: a SACK was seen" ${#token} 8
	strangers
	malformed
	listeners
	flood
	flow_check "IPv$version: the QP works as before" "v$version" 2
	check_eq "IPv$version: in the same session" "$(cc_since rxe1 link_up) $(cc_since rxe2 link_up)" "1 1"
	say $BYE "$token"
	check "IPv$version: the BYE that is right ends it" busywait 2 cc_reached rxe1 link_down_bye 1
	check "IPv$version: the peer notices, and there is another" sessions 2
	flow_check "IPv$version: the QP works all the same" "v$version" 2
	flow_stop "v$version"
}

readonly FLOOD=3000
fabric_up 3
rcc_load
# Slow, so that the flow leaves the processor to the attacker.
cc_set rxe1 params/dcqcn/rp_max_rate 20
cc_set rxe1 link 1
cc_set rxe2 link 1
qpn=''
attack 4
attack 6
finish
