#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every byte of sends, writes, reads and atomics arrives once, in order and whole, while
# packets in both directions are lost, doubled and overtaken, all at a time, and spread
# over paths: rxe sees none of it.
#
# INTEGRITY_MB is how much is moved.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

: "${INTEGRITY_MB:=128}"
# Room for a trailer behind packets of 4096 bytes.
FABRIC_MTU=4300
qps=4

verify()
{
	run rcc_verify -d rxe1 -g "$(gid4 rxe1)" -D rxe2 -G "$(gid4 rxe2)" -q $qps "$@"
}

# That very error, and no other.
finds_flipped_bit()
{
	local output status

	output=$(verify -b 4m --corrupt 50 2>&1)
	status=$?
	echo "$output"
	[ "$status" = 1 ] && grep -q 'byte [0-9]* is wrong' <<< "$output" &&
		[ "$(tail -n 1 <<< "$output" | jq .errors)" = 1 ]
}

impair()
{
	local i

	for i in 1 2; do
		port_netem $i limit 10000 delay 1ms reorder 25% loss 1% duplicate 1%
	done
}

# The network turns bad when all QPs have shaken hands, and good again before they go.
verify_in_bad_network()
{
	cc_mark
	verify -p -b "${INTEGRITY_MB}m" < "$dir/go" > "$dir/result" 2> "$dir/errors" &
	pid=$!
	exec 4> "$dir/go"
	# A QP on each side of each pair.
	check "each QP has shaken hands" sessions $qps
	cc_mark
	impair
	exec 4>&-
	wait $pid
	status=$?
	dropped=$(($(port_stats 1 drops) + $(port_stats 2 drops)))
	naks=$(new_naks)
	port_clear 1
	port_clear 2
	log "$(tail -n 1 "$dir/result")"
}

# happened DEV COUNTER SENTENCE
happened()
{
	check_num "$1: $3" "$(cc_since "$1" "$2")" '>' 0
}

dir=$(mktemp -d)
defer rm -rf "$dir"
mkfifo "$dir/go"
fabric_up 2
check "one flipped bit is found" finds_flipped_bit
rcc_load
for dev in rxe1 rxe2; do
	cc_set $dev spray rr
	cc_set $dev link 1
done
cc_mark
check "one flipped bit is found with the link layer, too" finds_flipped_bit
for dev in rxe1 rxe2; do
	happened $dev link_tx_packets "its packets had trailers"
	happened $dev link_rx_packets "and came with them"
done

verify_in_bad_network
check_eq "nothing is wrong or missing: $(head -n 3 "$dir/errors")" $status 0
result=$(tail -n 1 "$dir/result")
check_eq "no error was counted" "$(jq .errors <<< "$result")" 0
check_num "bytes were checked" "$(jq .bytes <<< "$result")" '>=' $((INTEGRITY_MB << 20))
for op in send send_imm write write_imm read fetch_add cmp_swap; do
	check_num "$op was tried" "$(jq ".$op.messages" <<< "$result")" '>' 10
done
check_num "the ports dropped packets" $dropped '>' 100
for dev in rxe1 rxe2; do
	happened $dev link_tx_packets "packets had trailers"
	happened $dev link_lost "losses were found"
	happened $dev link_repeats "lost packets were sent again"
	happened $dev link_out_of_sequence "packets were put in order"
	happened $dev link_rx_duplicate "doubled packets were kept away"
done
check_eq "rxe saw no gap, and sent and got no NAK" "$naks" 0
check_eq "no gap was given up" "$(cc_sum link_gap_skipped)" 0
finish
