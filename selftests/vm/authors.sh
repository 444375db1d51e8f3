#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# authors.sh [PAGE] - do what Documentation/cc-authors.rst tells authors to do.
#
# How commands are written: see lib_page.sh. In what they print, "..." stands for anything; one that says nothing of that must
# succeed. All happens in a copy of the tree, so that the page may add files to it.
#
# A host command with --shell starts a guest.  Here it runs the guest's commands that follow on the page instead.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
page=${1:-$top/Documentation/cc-authors.rst}
dir=$top/build/check/authors
passed=0 failed=0

# shellcheck source-path=SCRIPTDIR
. "$top/selftests/lib_page.sh"

ok()
{
	passed=$((passed + 1))
	echo "ok $((passed + failed)) $1"
}

not_ok()
{
	failed=$((failed + 1))
	echo "not ok $((passed + failed)) $1"
	echo "$2" | tail -n 30 | sed 's/^/#   /'
}

# matches TEXT PATTERN: true if they are equal but for "..."
matches()
{
	local pattern

	pattern=$(printf '%s\n' "$2" | sed 's/[][\\*?()|]/\\&/g; s/\.\.\./*/g')
	# shellcheck disable=SC2053 # a pattern
	[[ $1 == $pattern ]]
}

# step LINE COMMAND OUTPUT: run it here, because it may set variables.
step()
{
	local sentence="line $1: $2" got status

	eval "$2" > "$step_output" 2>&1 < /dev/null
	status=$?
	got=$(< "$step_output")
	if [ -n "$3" ] && ! matches "$got" "$3"; then
		not_ok "$sentence" "want:"$'\n'"$3"$'\n'"got:"$'\n'"$got"
	elif [ -z "$3" ] && [ $status != 0 ]; then
		not_ok "$sentence" "exit code $status"$'\n'"$got"
	else
		ok "$sentence"
	fi
	return 0
}

# guest_script FIRST: the guest's commands from that one on, as a script on lib.sh.
# shellcheck disable=SC2016 # variables of the guest
guest_script()
{
	local n

	echo '#!/bin/bash'
	echo '. /selftests/lib.sh'
	# bpftool 7.5 crashes when it has done its work, as the page says.
	echo 'echo "bpftool\[[0-9]+\]: segfault at 0 " >> "$EXPECT_DMESG"'
	echo 'step_output=$(mktemp)'
	echo 'PERF_TIMEOUT=250'
	declare -f matches step
	echo 'fabric_up 2'
	for ((n = $1; n < ${#commands[@]}; n++)); do
		[ "${prompts[n]}" = '#' ] || break
		printf 'step %q %q %q\n' "${lines[n]}" "${commands[n]}" "${outputs[n]}"
	done
	echo 'rm "$step_output"'
	echo finish
}

# guest FIRST COMMAND LINE: run them in the guest that COMMAND starts.
guest()
{
	local out=$dir/guest-$3 script=$dir/guest-$3.sh command before=$failed

	mkdir -p "$out"
	guest_script "$1" > "$script"
	command="${2/--shell/--quiet --timeout 280 --out $out --extra $script:/authors.sh} -- bash /authors.sh"
	eval "$command" > "$out/runner.log" 2>&1 < /dev/null
	status=$?
	while IFS= read -r text; do
		case $text in
		'ok '*) ok "guest, ${text#ok * }" ;;
		'not ok '*) not_ok "guest, ${text#not ok * }" "$(grep -A 20 -F "$text" "$out/test.log" | tail -n +2)" ;;
		esac
	done < <(cat "$out/test.log")
	if [ $status = 0 ]; then
		ok "line $3: $2"
	elif [ "$failed" = "$before" ]; then
		not_ok "line $3: $2" "$(tail -n 5 "$out/runner.log" "$out/test.log")"
	fi
}

# The tree as it is, without what was built.
copy_tree()
{
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir "$work/rxe-cc"
	git -C "$top" ls-files -z --cached --others --exclude-standard |
		tar -C "$top" --null --ignore-failed-read -T - -cf - 2> /dev/null | tar -C "$work/rxe-cc" -xf -
	step_output=$work/output
}

main()
{
	local n

	rm -rf "$dir"
	mkdir -p "$dir"
	page_parse "$page"
	copy_tree
	cd "$work/rxe-cc" || exit 1
	for ((n = 0; n < ${#commands[@]}; n++)); do
		if [ "${prompts[n]}" = '#' ]; then
			continue
		elif [[ ${commands[n]} == *--shell* ]]; then
			guest $((n + 1)) "${commands[n]}" "${lines[n]}"
		else
			step "${lines[n]}" "${commands[n]}" "${outputs[n]}"
		fi
	done
	# A page without commands, or whose guests were not started, has shown nothing.
	[ $((passed + failed)) -ge ${#commands[@]} ] || not_ok "all ${#commands[@]} commands were run" "$((passed + failed)) were"
	[ ${#commands[@]} -gt 0 ] || not_ok "the page has commands" "$page"
	echo "$passed passed, $failed failed, 0 skipped" | tee "$top/build/check/authors.result"
	[ $failed = 0 ]
}

main
