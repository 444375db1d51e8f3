#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh PCAP LUA - Wireshark with the dissector LUA shows every field of what PCAP (the program of pcap.c) writes, says
# what is wrong where something is, and leaves to Wireshark's own dissector what is its business.

# shellcheck disable=SC2317 # functions called by name
# shellcheck source-path=SCRIPTDIR
pcap=$(realpath "$1") lua=$(realpath "$2")
. "$(dirname "$0")/../../selftests/lib.sh"

work=$(mktemp -d)
defer rm -rf "$work"
cd "$work" || exit 1
# No settings of whoever runs this.
export HOME=$work XDG_CONFIG_HOME=$work

# ours ARGS...: tshark with the dissector.
ours()
{
	tshark -X "lua_script:$lua" "$@" 2>> errors
}

# table FILE ARGS...: all fields of all packets, a line each, the first one with their names; values of one field by commas.
table()
{
	local file=$1 args=() field

	shift
	for field in $fields frame.protocols infiniband.bth.opcode infiniband.invariant.crc data.len \
		_ws.expert.message; do
		args+=(-e "$field")
	done
	ours "$@" -r packets -T fields -E header=y -E 'separator=|' -E occurrence=a "${args[@]}" > "$file"
}

# value TABLE PACKET FIELD
value()
{
	awk -F '|' -v n="$(($(grep -nxF "$2" names | cut -d : -f 1) + 1))" -v field="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == field) col = i }
		NR == n { print col ? $col : "no such field" }' "$1"
}

# differing TABLE PACKET FIELD=VALUE...: what is otherwise; names begin behind "rxe_cc." unless they are others'.
differing()
{
	local table=$1 packet=$2 want field got

	shift 2
	for want in "$@"; do
		field=${want%%=*}
		case $field in
		frame.* | infiniband.* | data.* | _ws.*) ;;
		*) field=rxe_cc.$field ;;
		esac
		got=$(value "$table" "$packet" "$field")
		[ "$got" = "${want#*=}" ] || echo "$field is '$got', not '${want#*=}'"
	done
}

# shows SENTENCE PACKET FIELD=VALUE...
shows()
{
	local sentence=$1

	shift
	check_eq "$sentence" "$(differing all "$@")" ""
}

handshakes()
{
	local v

	for v in "" 6; do
		shows "HELLO${v:+ by IPv6}" "hello$v" dqpn=0x000022 type=1 version=1 length=24 token=0x00000000 \
			hello.token=0xaaaa0001 hello.caps=0x00000003 hello.caps.sack=1 hello.caps.probe=1 hello.first=1000 \
			hello.window=512 hello.flags=0x0000 hello.flags.ready=0 hello.hold=33554 hello.your_first=0 \
			icrc.status=1 _ws.expert.message="${v:+Illegal checksum value (0)}"
		shows "HELLO_ACK${v:+ by IPv6}" "hello_ack$v" dqpn=0x000011 type=2 token=0xaaaa0001 hello.token=0xbbbb0002 \
			hello.caps=0x00000001 hello.caps.sack=1 hello.caps.probe=0 hello.first=2000 hello.hold=64000 \
			hello.flags.ready=0 icrc.status=1
		shows "HELLO_ACK that is ready${v:+ by IPv6}" "ready$v" dqpn=0x000022 type=2 token=0xbbbb0002 \
			hello.token=0xaaaa0001 hello.flags=0x0001 hello.flags.ready=1 hello.your_first=2000 icrc.status=1
	done
}

sacks()
{
	shows "SACK without a bitmap" sack_plain type=3 length=32 sack.cum=1010 sack.words=0 sack.rcvd= sack.ce= icrc.status=1
	shows "SACK, its bitmaps as ranges" sack dqpn=0x000011 type=3 length=64 token=0xaaaa0001 sack.cum=1010 \
		sack.echo_seq=1009 sack.echo_time=123456 sack.delay=789 sack.dups=3 sack.words=2 \
		sack.rcvd=1011-1013,1073-1074,1137 sack.ce=946,1009,1011,1074 icrc.status=1 _ws.expert.message=
	shows "SACK at the turn of the sequence numbers" sack_wraps sack.cum=4294967293 sack.rcvd=4294967294-1 \
		sack.ce=4294967294-1
	shows "SACK with a wrong ICRC" sack_bad_icrc icrc.status=0 _ws.expert.message="Wrong ICRC"
	shows "SACK with bitmaps of another length" sack_bad_words icrc.status=1 sack.words=1 sack.rcvd= \
		_ws.expert.message="The bitmaps do not fit the length"
	shows "SACK that was not captured whole" sack_cut type= _ws.expert.message="Not captured whole"
}

others()
{
	shows "PROBE" probe dqpn=0x000022 type=4 length=12 token=0xbbbb0002 probe.t1=81985529216486895 probe.path=5 \
		icrc.status=1
	shows "PROBE_REPLY" probe_reply dqpn=0x000011 type=5 length=28 probe.t1=81985529216486895 probe.t2=5000000000 \
		probe.t3=5000000700 probe.path=5 icrc.status=1
	shows "BYE" bye dqpn=0x000011 type=6 length=0 token=0xaaaa0001 icrc.status=1 _ws.expert.message=
	shows "an unknown type" bad_type type=9 icrc.status=1 _ws.expert.message="Unknown type"
	shows "an unknown version" bad_version version=2 _ws.expert.message="Unknown version"
	shows "a length that is not the packet's" bad_length _ws.expert.message="The length is not that of the packet"
	shows "a length that is not the type's" bad_body probe.t1= _ws.expert.message="The length is not one of this type"
	shows "a packet that is too short" short type= _ws.expert.message="Too short for a control packet"
}

trailers()
{
	shows "a trailer behind a SEND" trailed dqpn=0x000022 trailer.seq=1002 trailer.time=3000000000 trailer.ack=2005 \
		trailer.sport=49443 trailer.flags=0x00 trailer.version=1 trailer.token=0xbbbb0002 trailer.check.status=1 \
		icrc.status=1 _ws.expert.message=
	shows "a trailer behind an ACK by IPv6" trailed_ack6 trailer.flags=0x02 trailer.flags.repeat=0 trailer.flags.ack=1 \
		trailer.flags.ask=0 trailer.check.status=1 icrc.status=1
	shows "a trailer behind a WRITE by IPv6" trailed_write6 trailer.flags=0x05 trailer.flags.repeat=1 \
		trailer.flags.ack=0 trailer.flags.ask=1 trailer.check.status=1 icrc.status=1
	shows "a trailer of a packet that routers have changed" trailed_ce dqpn=0x000011 trailer.seq=1002 \
		trailer.token=0xaaaa0001 trailer.check.status=1 icrc.status=1
	shows "a trailer that was not captured" trailed_cut trailer.seq=
	shows "a trailer of a QP whose handshake is not in the capture" trailed_unknown trailer.seq=5 trailer.sport=50262 \
		trailer.token= trailer.check.status=2 icrc.status=1
	shows "a wrong check" bad_check trailer.seq=1002 trailer.token= trailer.check.status=0 icrc.status=1 \
		_ws.expert.message="The check fits no token that is known"
	shows "a trailer behind damaged data" bad_payload trailer.seq=1002 trailer.check.status=1 icrc.status=0 \
		_ws.expert.message="Wrong ICRC"
	shows "a damaged trailer" bad_sport trailer.seq= _ws.expert.message="Wrong ICRC"
}

# What Wireshark's own dissector gets.
standard()
{
	local crc field

	crc=$(value all plain infiniband.invariant.crc)
	shows "a packet without a trailer is Wireshark's own" plain trailer.seq= icrc= infiniband.bth.opcode=4 data.len=64
	shows "so is a CNP" cnp icrc= infiniband.bth.opcode=129
	shows "Wireshark's own dissector sees a packet as it was before the trailer" trailed infiniband.bth.opcode=4 \
		infiniband.invariant.crc="$crc" data.len=64
	shows "and sees no control packet" sack frame.protocols=raw:ip:udp:rxe_cc infiniband.bth.opcode=
	check_eq "the filter rxe_cc finds control packets, trailers and damaged packets only" \
		"$(ours -r packets -Y '!rxe_cc' -T fields -e frame.number)" \
		"$(grep -nxE 'plain|trailed_cut|cnp' names | cut -d : -f 1)"
	table without --disable-protocol infiniband
	for field in $fields; do
		cmp -s <(column_of all "$field") <(column_of without "$field") || echo "$field"
	done > differ
	check_eq "all of it is shown without Wireshark's own dissector, too" "$(cat differ)" ""
}

# column_of TABLE FIELD
column_of()
{
	awk -F '|' -v field="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == field) col = i }
		NR > 1 { print $col }' "$1"
}

# Whatever comes, the script does not stumble over it.
damaged()
{
	"$pcap" damaged 100 || bail "no damaged packets"
	ours -r damaged -T fields -e frame.protocols -e _ws.lua.error -e _ws.expert.message > damaged.txt
	check_num "damaged packets were read" "$(grep -c rxe_cc damaged.txt)" '>' 3000
	check_num "something was wrong with many" "$(grep -cE 'The length|Unknown|Wrong|Too short|bitmaps' damaged.txt)" '>' 1000
	check_eq "the script stumbles over none" "$(ours -r damaged -Y _ws.lua.error | head -n 3)" ""
}

never_shown()
{
	local field

	for field in $fields; do
		column_of all "$field" | grep -q . || echo "$field"
	done
}

: > errors
"$pcap" packets > names || bail "no capture"
fields=$(sed -n 's/.*= ProtoField[^"]*"\(rxe_cc[^"]*\)".*/\1/p' "$lua")
table all
check_num "the dissector has fields" "$(wc -w <<< "$fields")" '>=' 40
check_eq "all packets are there" "$(tail -n +2 all | wc -l)" "$(wc -l < names)"
check "a wrong expectation is noticed" [ -n "$(differing all hello type=2)" ]
handshakes
sacks
others
trailers
standard
damaged
check_eq "each field was shown at least once" "$(never_shown)" ""
check_eq "the script has no error" "$(grep -vE '^(Running as user|Capturing on)' errors)" ""
finish
