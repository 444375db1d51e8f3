#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Types in what Documentation/runbook.rst says, and compares what is printed with what it says is printed. Blanks do not count.
# "..." stands for anything: alone in a line for any number of lines, else for any part of a line. Numbers are examples: each
# may be a third of the page's or three times as much, so 0 is 0. Units must fit, but 900 us is near enough to 1.1 ms.

# shellcheck disable=SC2154,SC2317,SC2119 # set by page_parse; functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib_page.sh"

readonly PAGE=${1:-/Documentation/runbook.rst}
work=$(mktemp -d)
defer rm -rf "$work"

# alike GOT WANT: two files
alike()
{
	awk '
	BEGIN {
		split("n 1e-9 u 1e-6 m 1e-3 s 1 k 1e3 K 1e3 M 1e6 G 1e9", list)
		for (i = 1; i in list; i += 2)
			scale[list[i]] = list[i + 1]
	}

	# one blank between words, none between a number and its unit, which is one letter then
	function neat(text) {
		gsub(/[ \t]+/, " ", text)
		sub(/^ /, "", text)
		sub(/ $/, "", text)
		while (match(text, /[0-9.] [num]?s([ ,]|$)/) || match(text, /[0-9.] [kMG]b\/s([ ,]|$)/))
			text = substr(text, 1, RSTART) substr(text, RSTART + 2)
		return text
	}

	# what a word is as a number; -1: it is none
	function number(word) {
		sub(/,$/, "", word)
		sub(/b\/s$/, "", word)
		sub(/[num]s$/, substr(word, length(word) - 1, 1), word)
		if (word !~ /^[0-9]+(\.[0-9]+)?[numskKMG]?$/)
			return -1
		return word ~ /[a-zA-Z]$/ ? word * scale[substr(word, length(word))] : word + 0
	}

	function same_word(got, want, a, b) {
		a = number(got)
		b = number(want)
		return got == want || (a > 0 && b > 0 && a <= 3 * b && b <= 3 * a) || (a == 0 && b == 0) || fits(got, want)
	}

	# "..." in it is anything
	function fits(got, want) {
		if (!index(want, "..."))
			return 0
		gsub(/[][\\.*+?(){}|^$]/, "\\\\&", want)
		gsub(/\\\.\\\.\\\./, ".*", want)
		return got ~ ("^" want "$")
	}

	# words from number i of got, j of want
	function same_words(g, i, ng, w, j, nw) {
		if (j > nw)
			return i > ng
		if (w[j] == "...") {
			for (; i <= ng + 1; i++)
				if (same_words(g, i, ng, w, j + 1, nw))
					return 1
			return 0
		}
		return i <= ng && same_word(g[i], w[j]) && same_words(g, i + 1, ng, w, j + 1, nw)
	}

	function same_line(got, want, g, w, ng, nw) {
		ng = split(got, g, " ")
		nw = split(want, w, " ")
		return same_words(g, 1, ng, w, 1, nw)
	}

	function same_lines(i, j) {
		if (j > nwant)
			return i > ngot
		if (want[j] == "...") {
			for (; i <= ngot + 1; i++)
				if (same_lines(i, j + 1))
					return 1
			return 0
		}
		return i <= ngot && same_line(got[i], want[j]) && same_lines(i + 1, j + 1)
	}

	FILENAME == ARGV[1] { got[++ngot] = neat($0) }
	FILENAME == ARGV[2] { want[++nwant] = neat($0) }
	END { exit !same_lines(1, 1) }' "$1" "$2"
}

# The comparison itself can fail.
twins()
{
	printf 'QP B/s P50 P99\n\nrxe1/17  ib(530) 12.2M 25.3m 0 9.1 ms, far\n' > "$work/got"
	printf 'QP ...\n...\nrxe1/17 ib(...) 6M 20m 0 8 ms, far\n' > "$work/want"
	check "numbers that are near, and what is left out" alike "$work/got" "$work/want"
	sed 's/ 0 / 1 /' "$work/want" > "$work/wrong"
	check_fails "one is not near 0" alike "$work/got" "$work/wrong"
	sed 's/6M/3M/' "$work/want" > "$work/wrong"
	check_fails "a number that is far away" alike "$work/got" "$work/wrong"
	sed 's/8 ms/8 us/' "$work/want" > "$work/wrong"
	check_fails "a unit that does not fit" alike "$work/got" "$work/wrong"
	sed 's/far/near/' "$work/want" > "$work/wrong"
	check_fails "a word that is another" alike "$work/got" "$work/wrong"
	sed '$d' "$work/want" > "$work/wrong"
	check "lines that are left out at the end" alike "$work/got" "$work/wrong"
	sed '2,$d' "$work/want" > "$work/wrong"
	check_fails "lines that nobody expects" alike "$work/got" "$work/wrong"
}

# step LINE COMMAND OUTPUT: run it here, because it may set variables.
step()
{
	local sentence="line $1: $2" status

	eval "$2" > "$work/got" 2>&1 < /dev/null
	status=$?
	printf '%s\n' "$3" > "$work/want"
	# for those who write the page
	{ echo "# $2"; cat "$work/got"; } >> "$OUT/runbook.txt"
	if [ -n "$3" ] && ! alike "$work/got" "$work/want"; then
		not_ok "$sentence" "want:"$'\n'"$3"$'\n'"got:"$'\n'"$(cat "$work/got")"
	elif [ -z "$3" ] && [ $status != 0 ]; then
		not_ok "$sentence" "exit code $status"$'\n'"$(cat "$work/got")"
	else
		ok "$sentence"
	fi
	return 0
}

twins
page_parse "$PAGE"
check_num "the page has commands" ${#commands[@]} '>' 30
for ((n = 0; n < ${#commands[@]}; n++)); do
	step "${lines[n]}" "${commands[n]}" "${outputs[n]}"
done
# Flows and the agent, which hold the modules.
# shellcheck disable=SC2046 # a list
kill_wait $(jobs -p)
finish
