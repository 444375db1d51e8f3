#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# tally.sh RESULT COMMAND...: run each command, show its KTAP, count, and write "N passed, N failed, N skipped" to RESULT.
#
# A planned test without a line of its own has failed (a crash swallowed it), and so has a command that exits with an
# error although every test passed (a leak found at the end), or that planned nothing.

result=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0

for command; do
	echo "# $command"
	{ sh -c "$command" || echo "exit status $?"; } 2>&1 | tee "$log"
	# shellcheck disable=SC2046 # three numbers
	set -- $(awk '
		/^1\.\.[0-9]+$/ { plan = substr($0, 4) + 0 }
		/^ok .*# SKIP/ { skipped++; next }
		/^ok / { passed++ }
		/^not ok / { bad++ }
		/^exit status / { status = 1 }
		END {
			missing = plan - passed - skipped - bad
			if (missing > 0)
				bad += missing
			if (!bad && (status || !plan))
				bad = 1
			print passed + 0, bad + 0, skipped + 0
		}' "$log")
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
done

mkdir -p "$(dirname "$result")"
echo "$passed passed, $failed failed, $skipped skipped" | tee "$result"
[ "$failed" -eq 0 ]
