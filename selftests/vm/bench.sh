#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bench.sh - instructions that an event of an algorithm takes in the kernel, in C and in BPF: a table to standard output and to
# build/bench/cc_cost.txt. (make bench-kernel)
#
# The module and the BPF objects are built already.
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
out=$top/build/bench/kernel
extras=(--extra "$top/userspace/tests/golden:/golden")

make -s -C "$top/selftests/tools" O="$top/build/tools" || exit 1
for tool in rcc_replay rcc_ops rcc_mon; do
	extras+=(--extra "$top/build/tools/$tool")
done
for object in "$top/build/bpf"/*.bpf.o; do
	extras+=(--extra "$object:/usr/lib/rxe_cc/${object##*/}")
done
mkdir -p "$out"
if ! "$here/run.sh" --kernel 6.12 --icount --quiet --timeout 900 --out "$out" "${extras[@]}" -- \
	'./bench_cc.sh /golden/live-*.vec'; then
	cat "$out/test.log"
	exit 1
fi
echo "Instructions per event in Linux 6.12; BPF is to take at most 1.5 times C's:"
tee "$top/build/bench/cc_cost.txt" < "$out/cc_cost.txt"
