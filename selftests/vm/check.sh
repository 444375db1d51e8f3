#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh [JOBFILE] - run guest jobs in parallel and add up what they say.
#
# A line of the job file (default: jobs, beside this script) is
#
#	NAME KERNEL MODE [SCRIPT...]
#
# with MODE icount or smpN; no script means all.  Every result of a script counts.
# What also counts as failed: a script that ends early or late, and a guest that
# gives no verdict, whose kernel complained, or that left something behind.
# JOBS sets how many processors all guests that run at a time may have (default: ours).
# A guest with more than one is no test of time, but it should not wait for a processor
# longer than a protocol does.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
dir=$top/build/check
: "${JOBS:=$(nproc)}" "${GUEST_TIMEOUT:=1800}"
tools=()

# count FILE: passed, failed and skipped results of nested KTAP.
count()
{
	awk '
	# The plan says how many scripts there are; a dead guest shows fewer.
	/^1\.\.[0-9]+/ { sub(/^1\.\./, ""); planned = $1 + 0 }

	/^  ok .*# SKIP/ { s++; subskip = 1; next }
	/^  1\.\.0 # SKIP/ { s++; subskip = 1; next }
	/^  ok / { p++; next }
	/^  not ok / { f++; bad = 1; next }

	/^(not )?ok / {
		seen++
		# The script failed as a whole, not by one of its results.
		if (/^not ok / && !bad)
			f++
		if (/# SKIP/ && !subskip)
			s++
		bad = subskip = 0
	}
	END {
		if (seen < planned)
			f += planned - seen
		if (!planned)
			f++
		print p + 0, f + 0, s + 0
	}' "$1"
}

# Failed results of a log with the lines that explain them.
show_failures()
{
	awk -v job="$1" '
	/^ *not ok / { print "[" job "] " $0; show = 1; next }
	show && /^ *#   / { print "[" job "] " $0; next }
	{ show = 0 }' "$2"
}

run_job()
{
	local name=$1 kernel=$2 mode=$3 out=$dir/guest-$1 args=() p f s reasons start=$SECONDS

	shift 3
	case $mode in
	icount) args=(--icount) ;;
	smp*) args=(--smp "${mode#smp}") ;;
	*) echo "check.sh: unknown mode $mode" >&2 ;;
	esac
	rm -rf "$out"
	mkdir -p "$out"
	"$here/run.sh" --kernel "$kernel" "${args[@]}" --quiet --timeout "$GUEST_TIMEOUT" \
		"${tools[@]}" --out "$out" -- ./run_all.sh "$@" > "$out/runner.log" 2>&1
	: >> "$out/test.log"
	read -r p f s <<< "$(count "$out/test.log")"
	show_failures "$name" "$out/test.log"
	# The command's exit code is another view of the results; all other
	# reasons are news.
	reasons=$(grep -v '^verdict' "$out/verdict" 2>/dev/null |
		grep -v "^reason the command's exit code")
	if [ -n "$reasons" ]; then
		echo "[$name] not ok guest: $reasons"
		f=$((f + 1))
	elif [ "$f" = 0 ] && ! grep -qx 'verdict passed' "$out/verdict" 2>/dev/null; then
		echo "[$name] not ok guest: no good verdict: $(tail -n 3 "$out/runner.log")"
		f=$((f + 1))
	fi
	echo "$p passed, $f failed, $s skipped" > "$out/result"
	echo "[$name] Linux $kernel, $mode: $(cat "$out/result"), $((SECONDS - start)) s"
}

# Our own programs and BPF objects, for every guest; the objects stand beside the modules.
build_tools()
{
	local tool object

	make -s -C "$top/selftests/tools" O="$top/build/tools" || return
	make -s -C "$top/userspace/rxecc" O="$top/build/rxecc" || return
	for tool in "$top/build/tools"/* "$top/build/rxecc/rxecc"; do
		tools+=(--extra "$tool")
	done
	make -s -C "$top" bpf || return
	for object in "$top/build/bpf"/*.bpf.o; do
		tools+=(--extra "$object:/usr/lib/rxe_cc/${object##*/}")
	done
}

# processors MODE: how many a guest of that mode keeps busy.
processors()
{
	case $1 in
	smp*) echo "${1#smp}" ;;
	*) echo 1 ;;
	esac
}

# Ends the runners that are still at work; each of them ends its guest.
stop()
{
	local pids

	pids=$(jobs -p)
	# shellcheck disable=SC2086 # a list
	[ -z "$pids" ] || pkill -TERM -P "$(echo $pids | tr ' ' ',')"
	wait
	exit 130
}

main()
{
	local jobs=${1:-$here/jobs} line need busy=0 pid p=0 f=0 s=0 a b c
	local -A takes=()

	mkdir -p "$dir"
	rm -rf "$dir"/guest-*
	trap stop INT TERM
	if ! build_tools; then
		echo "not ok the tools of the guests do not build"
		echo "0 passed, 1 failed, 0 skipped" | tee "$dir/guests.result"
		exit 1
	fi
	while read -r -a line; do
		case ${line[0]-} in
		'' | '#'*) continue ;;
		esac
		need=$(processors "${line[2]-}")
		while [ "$busy" -gt 0 ] && [ $((busy + need)) -gt "$JOBS" ]; do
			wait -n -p pid
			busy=$((busy - takes[$pid]))
		done
		run_job "${line[@]}" &
		takes[$!]=$need
		busy=$((busy + need))
	done < "$jobs"
	wait

	while read -r a _ b _ c _; do
		p=$((p + a)) f=$((f + b)) s=$((s + c))
	done < <(cat "$dir"/guest-*/result)
	echo "$p passed, $f failed, $s skipped" | tee "$dir/guests.result"
	[ "$f" = 0 ] && [ "$p" -gt 0 ]
}

main "$@"
