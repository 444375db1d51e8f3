#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# shellcheck disable=SC2016 # the guest expands what stands in quotes here
#
# A test of the runner: a guest that is dirty, dead or mute must not pass, whatever
# its command prints.  Each mess has to be named, or another one could hide it.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
dir=$top/build/check/runner

passed=0 failed=0 n=0

# result SENTENCE CMD...: passed if CMD succeeds.
result()
{
	local sentence=$1

	shift
	n=$((n + 1))
	if "$@"; then
		passed=$((passed + 1))
		echo "ok $n $sentence"
	else
		failed=$((failed + 1))
		echo "not ok $n $sentence"
	fi
}

# guest NAME TIMEOUT COMMAND: leaves its exit code in NAME.status.
guest()
{
	"$here/run.sh" --no-module --quiet --timeout "$2" --out "$dir/$1" -- "$3" \
		> "$dir/$1.log" 2>&1
	echo $? > "$dir/$1.status"
}

status_is()
{
	[ "$(cat "$dir/$1.status")" = "$2" ]
}

says()
{
	grep -q "$2" "$dir/$1/verdict"
}

good='
echo "WARNING: made up for the test" > /dev/kmsg
echo "WARNING: made up" > $EXPECT_DMESG
echo a file > $OUT/file
. ./lib.sh
fabric_up 2
perf 1 2 ib_send_bw -e -n 50
ok "done"
finish'

mess='
echo "verdict passed"
echo "WARNING: nobody expects it" > /dev/kmsg
echo "WARNING: something else" > $EXPECT_DMESG
. ./lib.sh
fabric_up 1
ibv_rc_pingpong -d rxe1 -g "$(gid4 rxe1)" &
busywait 10 listening 18515
trap - EXIT
sleep 1000 &
exit 3'

panic='echo c > /proc/sysrq-trigger; sleep 100'
hang='echo still here; sleep 1000'

rm -rf "$dir"
mkdir -p "$dir"
guest good 120 "$good" &
guest mess 120 "$mess" &
wait
guest panic 120 "$panic" &
guest hang 60 "$hang" &
wait

result "a clean guest passes" status_is good 0
result "its verdict says so" says good '^verdict passed$'
result "its files come back" grep -qx 'a file' "$dir/good/file"
result "its output comes back" grep -q '^ok 1 done$' "$dir/good/test.log"
result "its kernel log comes back" grep -q 'rdma_rxe: unloaded' "$dir/good/dmesg.log"
result "a dirty guest fails though it prints a good verdict" status_is mess 1
result "the exit code of the command is named" says mess 'exit code is 3'
result "a kernel message is named" says mess 'kernel message: .*nobody expects'
result "a left namespace is named" says mess 'namespaces behind: sw'
result "a left process is named" says mess 'process behind: sleep 1000'
result "a process that holds a QP is named" says mess 'process behind: ibv_rc_pingpong'
result "a guest that panics fails" status_is panic 1
result "its panic is in the log" grep -q 'Kernel panic' "$dir/panic/console.log"
result "its verdict says that it died" says panic 'no verdict: the guest died'
result "a guest that hangs is ended and fails" status_is hang 1
result "its verdict says how long it had" says hang 'no verdict after 60 s'
result "what it printed before comes back" grep -q 'still here' "$dir/hang/test.log"

echo "$passed passed, $failed failed, 0 skipped" | tee "$top/build/check/runner.result"
[ "$failed" = 0 ]
