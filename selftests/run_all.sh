#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run_all.sh [SCRIPT...] - run test scripts one after the other, in a guest or on a
# machine whose network may be played with.
#
# Prints nested KTAP: one result per script, its own results indented before it.
# TEST_TIMEOUT is the time that one script may take, in seconds.

cd "$(dirname "$0")" || exit 1

: "${TEST_TIMEOUT:=$(sed -n 's/^timeout=//p' settings)}"

# Every script of the directory that is not part of the machinery.
all_scripts()
{
	local s

	for s in ./*.sh; do
		case $s in
		./lib.sh | ./lib_page.sh | ./lib_spine.sh) ;;
		./run_all.sh | ./style.sh | ./suite.sh | ./ynl.sh | ./bench*.sh | ./demo*.sh) ;;
		*) [ -x "$s" ] && echo "${s#./}" ;;
		esac
	done
}

# Indents a script's output as a KTAP subtest.
run_script()
{
	echo "  KTAP version 1"
	timeout -k 60 "$TEST_TIMEOUT" "./$1" < /dev/null 2>&1 | sed -u 's/^/  /'
	return "${PIPESTATUS[0]}"
}

main()
{
	local script n=0 failed=0 status

	[ $# -gt 0 ] || mapfile -t scripts < <(all_scripts)
	[ $# -eq 0 ] || scripts=("$@")
	echo "KTAP version 1"
	echo "1..${#scripts[@]}"
	for script in "${scripts[@]}"; do
		n=$((n + 1))
		# The name in the kernel log tells whose messages follow.
		echo "test: $script" > /dev/kmsg
		run_script "$script"
		status=$?
		case $status in
		0) echo "ok $n $script" ;;
		4) echo "ok $n $script # SKIP" ;;
		124 | 137)
			echo "not ok $n $script # no end after $TEST_TIMEOUT s"
			failed=$((failed + 1))
			;;
		*)
			echo "not ok $n $script # exit=$status"
			failed=$((failed + 1))
			;;
		esac
	done
	[ "$failed" = 0 ]
}

main "$@"
