#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# suite.sh NAME CMD... - run one suite of "make check" and see that it leaves a result.
# suite.sh --total     - say what failed and add up all results; the last line of "make check".
#
# A suite writes "N passed, N failed, N skipped" to build/check/NAME.result.  One
# that exits with an error, or writes nothing, has failed even if it says otherwise.

top=$(cd "$(dirname "$0")/.." && pwd)
dir=$top/build/check

# The numbers of result files, added up: passed failed skipped.
add_up()
{
	cat "$@" 2>/dev/null |
		sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' |
		awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }'
}

run_suite()
{
	local name=$1 result=$dir/$1.result p f s

	shift
	mkdir -p "$dir"
	rm -f "$result"
	echo "== $name"
	"$@" 2>&1 | tee "$dir/$name.log"
	status=${PIPESTATUS[0]}
	read -r p f s <<< "$(add_up "$result")"
	if [ $((p + f + s)) = 0 ] || { [ "$status" != 0 ] && [ "$f" = 0 ]; }; then
		echo "not ok $name: exit code $status without a failed result"
		f=$((f + 1))
		echo "$p passed, $f failed, $s skipped" > "$result"
	fi
	echo "== $name: $(cat "$result")"
}

total()
{
	local log p f s

	for log in "$dir"/*.log; do
		grep -hE '^(\[.*\])? *not ok ' "$log" | sed "s/^ */${log##*/}: /; s/\.log: /: /"
	done
	read -r p f s <<< "$(add_up "$dir"/*.result)"
	echo "$p passed, $f failed, $s skipped"
	[ "$f" = 0 ] && [ "$p" -gt 0 ]
}

case ${1-} in
--total) total ;;
*) run_suite "$@" ;;
esac
