#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A bad network: packets are lost, doubled, damaged and overtaken in the switch.  What is
# sent arrives, and no QP fails.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# transfer NAME PORT TOOL ARGS...: from host 1 to 2 through the impaired port.
transfer()
{
	local name=$1 port=$2 tool=$3 before

	shift 3
	before=$(port_stats "$port" packets)
	check_num "$name: $tool ends without an error (Gb/s)" "$(perf 1 2 "$tool" "$@")" '>' 0
	check_num "$name: packets passed the port" "$(port_stats "$port" packets)" '>' $((before + 150))
}

# all_tools NAME NETEM-ARGS...
all_tools()
{
	local name=$1 losses

	shift
	losses=$(($(cc_sum packet_seq_err) + $(cc_sum local_ack_timeout_err)))
	port_netem 2 "$@"
	transfer "$name" 2 ib_send_bw -e -n 25 -s 65536
	transfer "$name" 2 ib_write_bw -n 25 -s 65536
	port_clear 2
	port_netem 1 "$@"
	transfer "$name" 1 ib_read_bw -n 12 -s 65536
	port_clear 1
	losses=$(($(cc_sum packet_seq_err) + $(cc_sum local_ack_timeout_err) - losses))
	log "$name: $losses gaps and timeouts"
	gaps=$((gaps + losses))
}

gaps=0
fabric_up 2
rcc_load
all_tools "1 % lost" delay 100us loss 1%
all_tools "1 % doubled" delay 100us duplicate 1%
all_tools "0.5 % damaged" delay 100us corrupt 0.5%
all_tools "2 % overtaken" delay 500us reorder 98%
all_tools "all of it" delay 200us 50us loss 1% duplicate 1% corrupt 0.5%
check_num "the impairments were felt" $gaps '>' 10
busywait 5 cc_settled > /dev/null
check "nothing waits any more" cc_settled
finish
