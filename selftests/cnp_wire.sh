#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A CNP as the switch sees it, byte for byte against IBTA A17.9.3.  The expected bytes
# are written down here; their ICRC comes from rcc_pkt, which shares no code with the
# module.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

pcap=$(mktemp)
defer rm -f "$pcap"

# capture FILTER SECONDS COUNT: what port 1 carries towards the sender, as lines of hex.
capture()
{
	sw timeout "$2" tcpdump -Z root -i s1 -Q out -nn -c "$3" -w "$pcap" "$1" 2>/dev/null
	tcpdump -Z root -r "$pcap" -nn -x 2>/dev/null | hex_packets
}

# bytes HEX OFFSET COUNT
bytes()
{
	echo "${1:$2 * 2:$3 * 2}"
}

hex4()
{
	printf '%02x' 10 0 "$1" 1
}

hex6()
{
	printf 'fd00%04x%020x%04x' "$1" 0 1
}

# The switch has taken one from the TTL of 64 when it shows us the packet.
expected4()
{
	local got=$1 id sum sport

	id=$(bytes "$got" 4 2) sum=$(bytes "$got" 10 2) sport=$(bytes "$got" 20 2)
	# 48 << 2: DSCP 48, ECN 0; 20 + 8 + 12 + 16 + 4 bytes; don't fragment
	echo "45c0003c${id}40003f11${sum}$(hex4 2)$(hex4 1)${sport}12b700280000$2"
}

expected6()
{
	local got=$1 label sport

	label=$(bytes "$got" 1 3) sport=$(bytes "$got" 40 2)
	# class 0xc0: DSCP 48, ECN 0; the flow label is free
	echo "6c0${label:1}0028113f$(hex6 2)$(hex6 1)${sport}12b700280000$2"
}

# wire VERSION: congest a flow and look at its CNPs.
wire()
{
	local v=$1 filter="udp port 4791 and ip[28] = 0x81" header=28 qpn peer cnps cnp want icrc

	# tcpdump cannot index into UDP of IPv6
	[ "$v" = 4 ] || { filter="ip6 and udp port 4791 and ip6[48] = 0x81"; header=48; }
	port_red 2 100 256 30 100
	PERF_GID=gid$v flow_start "v$v" 1 2 ib_send_bw -e
	check "IPv$v: data moves through the port" flow_moves 2 200
	read -r qpn peer _ <<< "$(cc_qps rxe1)"
	cnps=$(capture "$filter" 5 3)
	flow_stop "v$v"
	log "QP $qpn of the sender, $peer of the receiver"
	cnp=$(head -n 1 <<< "$cnps")
	log "captured $cnp"
	check_num "IPv$v: CNPs are on the wire" "$(grep -c . <<< "$cnps")" '>=' 1
	[ -n "$cnp" ] || return

	# opcode, SE M Pad TVer; P_Key; BECN; destination QP; AckReq; PSN; 16 reserved bytes
	want=8100ffff40$(printf '%06x' "$qpn")00000000$(printf '%032x' 0)
	icrc=$(bytes "$cnp" $((header + 28)) 4)
	check_eq "IPv$v: a CNP has the expected bytes" "$cnp" "$("expected$v" "$cnp" "$want$icrc")"
	check "IPv$v: the ICRC of every CNP is right" rcc_pkt check <<< "$cnps"
	check_fails "IPv$v: one wrong bit would be noticed" rcc_pkt check <<< "${cnp/ffff40/fffe40}"
	if [ "$v" = 4 ]; then
		check_eq "IPv4: the header's checksum is right" "$cnp" "$(built "$cnp" "$qpn")"
	fi
	check_num "IPv$v: the source port is ephemeral" $((16#$(bytes "$cnp" $((header - 8)) 2))) '>=' $((0xc000))
}

# built CNP QPN: the same packet, made by rcc_pkt.
built()
{
	rcc_pkt hex -s "$(ip4 2)" -d "$(ip4 1)" -q "$2" -D 48 -l 63 \
		-I $((16#$(bytes "$1" 4 2))) -p $((16#$(bytes "$1" 20 2)))
}

fabric_up 2
rcc_load
wire 4
wire 6
rcc_unload

# The twin: without the module nobody sends a CNP through the same port.
port_red 2 100 256 30 100
flow_start stock 1 2 ib_send_bw -e
check "stock: data moves through the port" flow_moves 2
check_eq "stock: there is no CNP" "$(capture 'udp port 4791 and ip[28] = 0x81' 0.5 1)" ""
flow_stop stock
finish
