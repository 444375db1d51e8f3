# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# lib.sh - what the tests of fabsim share. Output is KTAP; a test is a function that
# returns 0 or says why not on a line that begins with "#".

fabsim=$(realpath "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tests=()

# test_that FUNCTION SENTENCE: to be run by run_tests.
test_that()
{
	tests+=("$1 $2")
}

run_tests()
{
	local t n=0 failed=0

	echo "KTAP version 1"
	echo "1..${#tests[@]}"
	for t in "${tests[@]}"; do
		n=$((n + 1))
		if "${t%% *}"; then
			echo "ok $n - ${t#* }"
		else
			failed=1
			echo "not ok $n - ${t#* }"
		fi
	done
	return $failed
}

# equal WHAT GOT WANT
equal()
{
	[ "$2" = "$3" ] && return
	echo "# $1 is $2, not $3"
	return 1
}

# run NAME OPTION...: a simulation whose summary is kept.
run()
{
	local name=$1

	shift
	"$fabsim" --json "$@" > "$tmp/$name.json" && return
	echo "# fabsim $* failed"
	return 1
}

# get NAME EXPRESSION: a value from a summary.
get()
{
	jq -r "$2" "$tmp/$1.json"
}

# holds NAME EXPRESSION: is it true of the summary?
holds()
{
	[ "$(get "$1" "$2")" = true ] && return
	echo "# not true of $1: $2; it is $(jq -c 'del(.speed)' "$tmp/$1.json")"
	return 1
}
