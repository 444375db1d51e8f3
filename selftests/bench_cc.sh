#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bench_cc.sh [VECTOR...] - what an event costs in the kernel, in C and in BPF: a table for all events of an algorithm, and
# for each kind. In a guest whose time counts instructions, the figures are instructions.
#
# Generated flows meet everything, also what is rare, on all kinds of paths; VECTORs are flows of one's own, recorded ones for
# instance.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

readonly ALGS="dcqcn rtt timely swift" PINS=/sys/fs/bpf/rxe_cc
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

unused()
{
	[ "$(cat /sys/module/rxe_cc/refcnt)" = 0 ]
}

# Objects go some time after their pins.
no_bpf()
{
	rm -rf $PINS
	busywait 10 unused > /dev/null
}

rcc_load
mkdir -p $PINS
defer no_bpf
printf '%-10s %-8s %-8s %8s %8s %8s %6s\n' flows alg event events C BPF ratio > "$OUT/cc_cost.txt"
for alg in $ALGS; do
	check "$alg can be registered as BPF" rcc_ops register "$RCC_MODULES/cc_$alg.bpf.o" "$PINS/$alg"
	rcc_replay generate -a "$alg" -f 8 -n 4000 > "$work/generated.vec"
	compare generated "$work/generated.vec" >> "$OUT/cc_cost.txt" || not_ok "$alg was measured"
done
for vec; do
	compare recorded "$vec" >> "$OUT/cc_cost.txt" || not_ok "$vec was measured"
done
while IFS= read -r row; do
	log "$row"
done < "$OUT/cc_cost.txt"
finish
