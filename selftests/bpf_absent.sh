#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A kernel whose modules cannot bring struct_ops: the module says so, refuses nothing else, and no object is taken.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

lines=$(dmesg | wc -l)
fabric_up 2
rcc_load
check "the module says that struct_ops are absent" \
	grep -q 'rxe_cc: struct_ops absent' <(dmesg | tail -n +$((lines + 1)))
check "built-in algorithms are there" grep -q '^dcqcn ' /sys/class/rxe_cc/rxe1/available_algorithms
check_fails "an algorithm in BPF is not taken" rcc_ops register "$RCC_MODULES/cc_aimd.bpf.o" /sys/fs/bpf/aimd
check_fails "and is not available" grep -q aimd /sys/class/rxe_cc/rxe1/available_algorithms
check_eq "no pin is left" "$(ls /sys/fs/bpf)" ""
check "packets flow" perf 1 2 ib_send_bw -e -n 200
check "the module can be unloaded" rcc_unload
finish
