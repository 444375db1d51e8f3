#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every file of the sysfs class stands in the ABI page with its mode, and every
# parameter with its range and its value in each profile; and nothing else stands
# there.

# shellcheck disable=SC2317 # what check calls looks unreachable
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

: "${ABI_SYS:=/sys/class/rxe_cc/rxe1}"

# The page: beside us in our own tree and in a guest, further up in a kernel tree.
find_page()
{
	local up

	for up in .. ../../../../../..; do
		page=$(dirname "$0")/$up/Documentation/ABI/testing/sysfs-class-rxe_cc
		[ ! -f "$page" ] || return 0
	done
	bail "no Documentation/ABI/testing/sysfs-class-rxe_cc"
}

# documented: a line "PATH MODE" for each entry of the page on stdin.
documented()
{
	awk '
	/^What:/ { path = $2; sub("^/sys/class/rxe_cc/<ibdev>/", "", path) }
	/^Description:/ { gsub(/[()]/, "", $2); print path, $2 }' | sort
}

# present: the same for each file below the device; uevent and power/ are the driver
# core's.
present()
{
	local f

	(cd "$ABI_SYS" && find . -type f ! -path ./uevent ! -path './power/*' -printf '%P %m\n') |
		while read -r f mode; do
			case $mode in
			644) echo "$f RW" ;;
			444) echo "$f RO" ;;
			*) echo "$f $mode" ;;
			esac
		done | sort
}

# same_files: true if the page on stdin and sysfs agree; prints where they differ, what
# sysfs has behind a tab.
same_files()
{
	local differ

	differ=$(comm -3 <(documented) <(present))
	echo "$differ"
	[ -z "$differ" ]
}

# parameters: a line "PATH MIN MAX AUTO CX PAPER" for each parameter of the page.
parameters()
{
	awk '
	/^What:/ { path = $2; sub("^/sys/class/rxe_cc/<ibdev>/", "", path) }
	/^\t\tRange:/ { split($2, r, /\.\.|\.$/) }
	/^\t\tProfiles:/ {
		gsub(/\(scaled\)|[,.]/, "")
		print path, r[1], r[2], $3, $5, $7
	}' "$page"
}

# profile_differs COLUMN: parameters whose value is not that of a column of the page.
profile_differs()
{
	local path value

	parameters | awk -v column="$1" '{ print $1, $column }' |
		while read -r path value; do
			[ "$(cat "$ABI_SYS/$path")" = "$value" ] ||
				echo "$path: is $(cat "$ABI_SYS/$path"), documented is $value"
		done
}

# writable FILE VALUE
writable()
{
	(echo "$2" > "$1") 2> /dev/null
}

# bounds_differ: parameters that take a value outside of their range, or do not take
# one of its ends.
bounds_differ()
{
	local path min max old file

	parameters | while read -r path min max _; do
		file=$ABI_SYS/$path
		old=$(cat "$file")
		if writable "$file" $((max + 1)); then
			echo "$path: takes $((max + 1)), documented maximum is $max"
		fi
		if [ "$min" -gt 0 ] && writable "$file" $((min - 1)); then
			echo "$path: takes $((min - 1)), documented minimum is $min"
		fi
		writable "$file" "$min" || echo "$path: does not take its minimum $min"
		writable "$file" "$max" || echo "$path: does not take its maximum $max"
		writable "$file" "$old" || echo "$path: does not take its old value $old"
	done
}

test_files()
{
	check "sysfs and the ABI page have the same files with the same modes" same_files < "$page"
	check_num "counters are among them" "$(documented < "$page" | grep -c ^counters/)" '>' 10
	check_fails "an entry that is missing from the page is noticed" \
		same_files < <(sed 's|/rp_cnp_handled$|/no_such_counter|' "$page")
}

test_params()
{
	check_eq "every parameter of the page has a range and profiles" \
		"$(parameters | awk 'NF == 6 { print $1 }' | sort)" \
		"$(documented < "$page" | awk '/^params\// { print $1 }')"
	echo 10000 > "$ABI_SYS/line_rate"
	check_eq "nothing was measured yet" "$(cat "$ABI_SYS/base_rtt")" 0
	check_eq "the profile auto is as documented" "$(profile_differs 4)" ""
	echo cx > "$ABI_SYS/profile"
	check_eq "the profile cx is as documented" "$(profile_differs 5)" ""
	echo paper > "$ABI_SYS/profile"
	check_eq "the profile paper is as documented" "$(profile_differs 6)" ""
	check_num "a profile that differs is noticed" "$(profile_differs 5 | wc -l)" '>' 0
	check_eq "ranges are as documented" "$(bounds_differ)" ""
	check_eq "a value set by hand makes the profile custom" "$(cat "$ABI_SYS/profile")" custom
}

find_page
fabric_up 1
rcc_load rxe_cc
check "the class has a directory for the device" test -d "$ABI_SYS"
test_files
test_params
rcc_unload rxe_cc
finish
