#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# run.sh FUZZER SECONDS DIR: run one fuzzer of DIR and say the verdict as KTAP.
# A run that tried next to nothing has failed.

fuzzer=$1
seconds=$2
dir=$3
log=$dir/$fuzzer.log

mkdir -p "$dir/corpus/$fuzzer" "$dir/seeds/$fuzzer"
echo "KTAP version 1"
echo "1..1"
verdict=ok
"$dir/$fuzzer" -max_total_time="$seconds" -max_len=4096 -print_final_stats=1 -artifact_prefix="$dir/$fuzzer-" \
	"$dir/corpus/$fuzzer" "$dir/seeds/$fuzzer" >"$log" 2>&1 || verdict="not ok"
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
[ "${runs:-0}" -ge 1000 ] || verdict="not ok"
[ "$verdict" = ok ] || tail -n 30 "$log" | sed 's/^/# /'
echo "# ${runs:-0} inputs, coverage $(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1)"
echo "$verdict 1 - $fuzzer finds nothing in $seconds s"
