# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# maps.sh - what these tests share: maps of the telemetry in a file system of their own, and a tool that reads them.
#
# A script gets RXECC and TM_FILL as its words.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/../../selftests/lib.sh"

[ "$(id -u)" = 0 ] || bail "only root may make maps"
rxecc=$(realpath "$1") tm_fill=$(realpath "$2")
work=$(mktemp -d)
defer rm -rf "$work"
cd "$work" || exit 1
pins=$work/pins
mkdir "$pins"
mount -t bpf bpf "$pins" || bail "no file system for maps"
defer umount "$pins"

# fill LINE...: change the maps; see tm_fill.c.
fill()
{
	printf '%s\n' "$@" | "$tm_fill" "$pins" || bail "the maps cannot be filled"
}

# rx COMMAND ARGS...: rxecc on these maps.
rx()
{
	"$rxecc" "$1" --pins "$pins" "${@:2}"
}

# naps PID: has this rxecc looked at the maps, and waits for the next time?
naps()
{
	grep -q sigtimedwait "/proc/$1/wchan"
}

# refuses SENTENCE CODE TEXT CMD...: passed if CMD ends with this exit code, one line on standard error that has the text, and
# nothing on standard output.
refuses()
{
	local sentence=$1 code=$2 text=$3 status

	shift 3
	"$@" > out 2> err < /dev/null
	status=$?
	check_eq "$sentence" "$status, $(grep -cF -- "$text" err) of $(wc -l < err) lines, $(wc -c < out) bytes" \
		"$code, 1 of 1 lines, 0 bytes"
}
