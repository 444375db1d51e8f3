#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# style.sh - what a reader would otherwise have to watch for, one result per rule.
#
# The layers of the sources: pure <- cc <- {kmod, bpf, user space}; nothing points
# back, so that the same files compile for the kernel, BPF and a test program.

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1

passed=0 failed=0 n=0

# rule SENTENCE VIOLATIONS: passed if there are no violations.
rule()
{
	n=$((n + 1))
	if [ -z "$2" ]; then
		passed=$((passed + 1))
		echo "ok $n $1"
	else
		failed=$((failed + 1))
		echo "not ok $n $1"
		echo "$2" | head -n 50 | sed 's/^/#   /'
	fi
}

# files GLOB...: tracked files, and new ones that are not ignored.
files()
{
	git ls-files --cached --others --exclude-standard -- "$@" |
		while read -r f; do [ -f "$f" ] && echo "$f"; done | sort -u
}

# in_code PATTERN FILE...: grep in C files without their comments.
in_code()
{
	local pattern=$1 f

	shift
	for f in "$@"; do
		perl -0pe 's{/\*.*?\*/}{ (my $c = $&) =~ tr/\n//cd; $c }gse; s{//[^\n]*}{}g' "$f" |
			grep -nE -- "$pattern" | sed "s|^|$f:|"
	done
}

checkpatch()
{
	local version dir cache tar src

	version=$(dpkg-query -W -f '${Version}' linux-source-6.12) || return
	cache=$(selftests/vm/kernel.sh --cache)
	dir=$cache/checkpatch-$version
	if [ ! -f "$dir/checkpatch.pl" ]; then
		mkdir -p "$dir"
		tar=/usr/src/linux-source-6.12.tar.xz
		src=linux-source-6.12/scripts
		tar -C "$dir" --strip-components=2 -xf $tar \
			$src/checkpatch.pl $src/spelling.txt $src/const_structs.checkpatch || return
	fi
	# FILE_PATH_CHANGES speaks of a kernel tree's MAINTAINERS, LINUX_VERSION_CODE
	# of code that follows one kernel (a rule below keeps it to one file), and
	# CONSTANT_COMPARISON takes version numbers for constants.
	printf '%s\n' "${@:2}" | xargs -P "$(nproc)" -n 8 \
		perl "$dir/checkpatch.pl" --no-tree --strict --terse --show-types \
			--no-summary --max-line-length=130 \
			--ignore FILE_PATH_CHANGES,LINUX_VERSION_CODE,CONSTANT_COMPARISON,"$1" \
			-f 2>&1 | sort -V
	# Its cache of names.
	rm -f .checkpatch-camelcase.*
}

check_c_style()
{
	local list trace ignore

	mapfile -t list < <(files 'kmod/*.[ch]' | grep -vE '^kmod/(pure|cc|trace\.h$)')
	if [ ${#list[@]} = 0 ]; then
		rule "the module passes checkpatch --strict" "no kmod/"
		return
	fi
	# Tables of names by macros have no parentheses; a lock's comment is its kernel-doc.
	ignore=COMPLEX_MACRO,MACRO_ARG_REUSE,BRACKET_SPACE,UNCOMMENTED_DEFINITION
	rule "the module passes checkpatch --strict" "$(checkpatch "$ignore" "${list[@]}")"

	# Outside of the kernel its macros and helpers do not exist.
	ignore=ARRAY_SIZE,BIT_MACRO,STRCPY,STRLCPY,STRNCPY,PREFER_KERNEL_TYPES,SSCANF_TO_KSTRTO
	ignore+=,COMPLEX_MACRO,MACRO_ARG_REUSE,TRAILING_SEMICOLON,CONSIDER_KSTRTO
	ignore+=,PREFER_FALLTHROUGH,AVOID_EXTERNS,SPLIT_STRING,NAKED_SSCANF
	ignore+=,PREFER_DEFINED_ATTRIBUTE_MACRO
	# 1e-9, _Static_assert and PRIu64 are C's, LLVMFuzzerTestOneInput is libFuzzer's.
	ignore+=,SPACING,CAMELCASE,NEW_TYPEDEFS
	mapfile -t list < <(files 'kmod/pure/*.[ch]' 'kmod/cc/*.[ch]' 'bpf/*.[ch]' \
		'userspace/*.[ch]')
	if [ ${#list[@]} -gt 0 ]; then
		rule "shared and user space sources pass checkpatch --strict" \
			"$(checkpatch "$ignore" "${list[@]}")"
	fi
	# The kernel's own trace headers are laid out like this.
	mapfile -t trace < <(files 'kmod/*trace.h')
	ignore=OPEN_ENDED_LINE,CODE_INDENT,SPACING,PARENTHESIS_ALIGNMENT,COMPLEX_MACRO,MACRO_ARG_REUSE
	if [ ${#trace[@]} -gt 0 ]; then
		rule "trace headers pass checkpatch" "$(checkpatch "$ignore" "${trace[@]}")"
	fi
}

check_shell_style()
{
	local list

	mapfile -t list < <(files | while read -r f; do
		[[ $f = *.bash ]] || head -c 64 "$f" | grep -aqE '^#!.*\b(ba)?sh\b' || continue
		echo "$f"; done)
	# Usage lines name the script, and mount takes words twice.
	rule "shell scripts pass checkpatch" \
		"$(checkpatch EMBEDDED_FILENAME,REPEATED_WORD "${list[@]}")"
	rule "shell scripts pass shellcheck" "$(shellcheck -x -f gcc "${list[@]}")"
}

check_sparse()
{
	local log

	if [ ! -f Kbuild ]; then
		rule "sparse finds nothing in the module" "no Kbuild"
		return
	fi
	log=$(make --no-print-directory sparse 2>&1) || {
		rule "sparse finds nothing in the module" "$(tail -n 20 <<< "$log")"
		return
	}
	# Headers of the kernel have warnings of their own.
	rule "sparse finds nothing in the module" \
		"$(grep -E '^[^ ]*kmod/[^ ]*:[0-9]+:[0-9]+: ' <<< "$log")"
}

check_layers()
{
	local pure cc forbidden

	mapfile -t pure < <(files 'kmod/pure/*.[ch]')
	mapfile -t cc < <(files 'kmod/cc/*.[ch]')

	rule "pure/ includes nothing but pure/, and only shim.h includes system headers" \
		"$(grep -HnE '^[[:space:]]*#[[:space:]]*include' "${pure[@]}" /dev/null |
			grep -vE '^kmod/pure/shim\.h:' | grep -vE 'include "[^/"]+\.h"'
		   for f in "${pure[@]}"; do
			sed -n 's/^[[:space:]]*#[[:space:]]*include "\([^"]*\)".*/\1/p' "$f" |
			while read -r h; do
				[ -f "kmod/pure/$h" ] || echo "$f: includes $h"
			done
		   done)"

	rule "cc/ includes nothing but cc/ and pure/" \
		"$(for f in "${cc[@]}"; do
			grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<' "$f"
			sed -n 's/^[[:space:]]*#[[:space:]]*include "\([^"]*\)".*/\1/p' "$f" |
			while read -r h; do
				case $(realpath -m --relative-to=kmod "kmod/cc/$h") in
				cc/* | pure/*) ;;
				*) echo "$f: includes $h" ;;
				esac
			done
		   done)"

	forbidden='\b(ktime_get\w*|get_random\w*|jiffies|local_clock|sched_clock|hrtimer_\w+'
	forbidden+='|[kv][mvz]?alloc\w*|kcalloc|kmemdup|k[v]?free\w*|malloc|calloc|free'
	forbidden+='|printk\w*|pr_(emerg|alert|crit|err|warn|notice|info|debug)\w*|printf'
	forbidden+='|(raw_)?spin_(un)?lock\w*|mutex_(un)?lock\w*|rcu_read_(un)?lock\w*'
	forbidden+='|schedule\w*|msleep|usleep_range)\b[[:space:]]*\('
	rule "pure/ and cc/ ask for no time, memory, output or lock" \
		"$(in_code "$forbidden|\bjiffies\b" "${pure[@]}" "${cc[@]}")"

	rule "a version of the kernel is asked for in compat.h only" \
		"$(files '*.[ch]' Kbuild | grep -vx 'kmod/compat.h' |
			xargs -r grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION\(' /dev/null)"
}

# Data, documents and files whose format has no comments are left out.
check_licences()
{
	local no_comments='(^|/)(COPYING|\.gitignore|settings|config)$'

	no_comments+='|(^|/)(corpus|vectors|golden)/'
	no_comments+='|\.(md|json|txt|pcap|pcapng|bin|vec|csv|dat|png|svg)$'
	rule "every file names its licence" \
		"$(files | grep -vE "$no_comments" |
			while read -r f; do
				head -n 5 "$f" | grep -q 'SPDX[-]License-Identifier:' || echo "$f"
			done)"
}

check_leftovers()
{
	# Spelled so that this line does not find itself.
	rule "no file says that something is still to be done" \
		"$(files | grep -vE '^COPYING$' |
			xargs -r grep -nIwE 'TO[D]O|FIX[M]E|X[X]X' /dev/null)"
}

check_docs()
{
	# Prints the difference, or why there is nothing to compare.
	rule "the ABI page has the parameters as their descriptors say" \
		"$(make --no-print-directory -s -C userspace/abi check 2>&1)"
	rule "the netlink header says what the kernel's generator makes of the spec" \
		"$(selftests/ynl.sh 2>&1)"
	rule "man pages pass mandoc" "$(files 'Documentation/man/*' | xargs mandoc -T lint 2>&1)"
}

check_licences
check_leftovers
check_docs
check_layers
check_shell_style
check_c_style
check_sparse

mkdir -p build/check
echo "$passed passed, $failed failed, 0 skipped" | tee build/check/style.result
[ "$failed" = 0 ]
