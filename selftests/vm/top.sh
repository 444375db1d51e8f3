#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# top.sh - make Documentation/images/top.svg anew: rxecc top in a guest's incast.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
out=$top/build/top

"$top/selftests/vm/run.sh" --icount --timeout 900 --out "$out" --extra "$top/build/rxecc/rxecc" --extra "$(type -P tmux)" \
	--extra /usr/lib/locale/C.utf8:/usr/lib/locale/C.utf8 --extra /lib/terminfo:/usr/lib/terminfo -- ./demo_top.sh
LC_ALL=C awk -f "$top/selftests/demo_top_svg.awk" "$out/top.ansi" > "$top/Documentation/images/top.svg"
