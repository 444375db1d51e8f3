#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bench_cc.sh [VECTOR...] - what an event costs in the kernel, in C and in BPF: a table for all events of an algorithm, and
# for each kind. In a guest whose time counts instructions, the figures are instructions.  "fixed" shows what a call itself
# costs.  And what a packet costs, of which the algorithm is a part: sent and received by one host, when nothing else limits it.
#
# Generated flows meet everything, also what is rare, on all kinds of paths; VECTORs are flows of one's own, recorded ones for
# instance.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

readonly ALGS="dcqcn rtt timely swift fixed" PINS=/sys/fs/bpf/rxe_cc
work=$(mktemp -d)
defer rm -rf "$work"

# compare WHAT VECTOR: rows of "WHAT ALGORITHM EVENT EVENTS C BPF RATIO".
compare()
{
	local alg

	alg=$(awk '$1 == "flow" { print $2; exit }' "$2")
	rcc_replay bench -k "$2" > "$work/c" || return
	rcc_replay bench -k -a "bpf_$alg" "$2" > "$work/bpf" || return
	paste "$work/c" "$work/bpf" | awk -v what="$1" '
		$3 != $8 || $4 != $9 { exit 1 }
		{ printf "%-10s %-8s %-8s %8d %8.1f %8.1f %6.2f\n", what, $1, $3, $4, $5, $10, $10 / $5 }'
}

# packet ALG: time of the processor per packet, while one flow has all of it.
packet()
{
	cc_set rxe1 algorithm "$1" || return
	flow_start "$1" 1 2 ib_send_bw -e || return
	rcc_mon -p s2 -i 20 -c 1 -w 10 -d 0.5 rxe1 > "$work/mon"
	flow_stop "$1"
	tail -n 1 "$work/mon" | jq '(.flows[0].messages * 65536 / 4096) as $n | "\($n) \(.busy_ns / $n)"' -r
}

# packets ALG: one row of the table.
packets()
{
	local c bpf

	c=$(packet "$1") && bpf=$(packet "bpf_$1") || return
	awk -v alg="$1" -v c="$c" -v bpf="$bpf" 'BEGIN {
		split(c, a)
		split(bpf, b)
		printf "%-10s %-8s %-8s %8d %8.0f %8.0f %6.2f\n", "traffic", alg, "packet", a[1], a[2], b[2], b[2] / a[2]
	}'
}

fabric_up 2
# what the monitor reads; it holds nothing back
sw tc qdisc add dev s2 root pfifo limit 1000
rcc_load
mkdir -p $PINS
defer bpf_unpin $PINS
printf '%-10s %-8s %-8s %8s %8s %8s %6s\n' flows alg event events C BPF ratio > "$OUT/cc_cost.txt"
for alg in $ALGS; do
	check "$alg can be registered as BPF" rcc_ops register "$RCC_MODULES/cc_$alg.bpf.o" "$PINS/$alg"
	rcc_replay generate -a "$alg" -f 8 -n 4000 > "$work/generated.vec"
	compare generated "$work/generated.vec" >> "$OUT/cc_cost.txt" || not_ok "$alg was measured"
done
for alg in $ALGS; do
	packets "$alg" >> "$OUT/cc_cost.txt" || not_ok "$alg was measured with packets"
done
for vec; do
	compare recorded "$vec" >> "$OUT/cc_cost.txt" || not_ok "$vec was measured"
done
while IFS= read -r row; do
	log "$row"
done < "$OUT/cc_cost.txt"
finish
