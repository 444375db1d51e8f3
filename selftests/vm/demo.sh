#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo.sh - the demonstration: builds what is missing, boots a guest, runs
# selftests/demo.sh in it, and judges what it measured.
#
#	selftests/vm/demo.sh [options]		(make demo)
#	selftests/vm/demo.sh --spray [options]	(make demo-spray: demo_spray.sh instead)
#
# Leaves in build/demo, or build/demo-spray: summary.json, pictures (.png and .svg),
# table.txt, and in guest/ what the guest said and measured.
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)

usage()
{
	cat <<-END
	usage: demo.sh [options]

	  --kernel NAME      6.12 (default), 6.1, or one of the cache's kernels/
	  --spray            several paths, losses and reordering instead of incasts
	  --algs "LIST"      of stock, none and the algorithms (default: all but fixed); not with --spray
	  --works "LIST"     of the works of demo_spray.sh (default: all); only with --spray
	  --quick            short windows and few small messages: a look, no figures
	  --out DIR          where the results go (default build/demo, build/demo-spray)
	  --timeout SECONDS  wall time that the guest may take (default 3000)
	END
	exit "${1:-2}"
}

die()
{
	echo "demo.sh: $*" >&2
	exit 1
}

kernel=6.12 demo=demo algs='' works='' out='' timeout=3000 envs=()

parse()
{
	while [ $# -gt 0 ]; do
		case $1 in
		--kernel | --algs | --works | --out | --timeout) [ $# -ge 2 ] || usage ;;
		esac
		case $1 in
		--kernel) kernel=$2; shift ;;
		--algs) algs=$2; shift ;;
		--works) works=$2; shift ;;
		--spray) demo=demo_spray ;;
		--out) out=$2; shift ;;
		--timeout) timeout=$2; shift ;;
		--quick) envs+=(--env DEMO_WINDOW=1 --env DEMO_JOIN=2 --env DEMO_WINDOW_SMALL=2 --env DEMO_SMALL_COUNT=4000) ;;
		--help | -h) usage 0 ;;
		*) echo "demo.sh: unknown option $1" >&2; usage ;;
		esac
		shift
	done
	if [ "$demo" = demo_spray ]; then
		[ -z "$algs" ] || die "--algs is not for --spray, whose works have their algorithms"
		[ -z "$works" ] || envs+=(--env "DEMO_WORKS=$works")
	else
		[ -z "$works" ] || die "--works is only for --spray"
	fi
	algs=${algs:-stock dcqcn rtt timely swift none}
}

# say TEXT...: a line with the seconds that passed.
say()
{
	printf '[%3d s] %s\n' $SECONDS "$*"
}

# A line as it comes, with the time.
stamp()
{
	local line

	while IFS= read -r line; do
		say "$line"
	done
}

# The same steps as the top Makefile's, which is not asked because it asks us.
build_module()
{
	local ko=$top/build/$KVER/rxe_cc.ko

	if [ -f "$ko" ] && [ -z "$(find "$top/Kbuild" "$top/kmod" -newer "$ko" -print -quit)" ]; then
		return
	fi
	say "building rxe_cc.ko for $KVER"
	mkdir -p "$top/build/$KVER"
	cp -ru "$top/Kbuild" "$top/kmod" "$top/build/$KVER/"
	make -s -C "$KDIR" M="$top/build/$KVER" modules || die "the module does not build"
}

build()
{
	eval "$("$here/kernel.sh" "$kernel")"
	[ -n "${KVER-}" ] || exit 1
	command -v gnuplot > /dev/null || die "no gnuplot: run 'make deps'"
	say "building the tools"
	make -s -C "$top/selftests/tools" O="$top/build/tools" || die "the tools do not build: is 'make deps' done?"
	if [ "$algs" != stock ]; then
		build_module
		make -s -C "$top/userspace/rxecc" O="$top/build/rxecc" || die "rxecc does not build: is 'make deps' done?"
	fi
}

# The guest's own exit code also counts leaks and kernel messages; the figures are
# shown in any case, if there are any.
run_guest()
{
	local module=(--no-module) log stamp_pid

	if [ "$algs" != stock ]; then
		module=(--module "$top/build/$KVER/rxe_cc.ko" --extra "$top/build/rxecc/rxecc")
	fi
	say "booting Linux $KVER; one nanosecond of its time is one instruction"
	exec {log}> >(stamp)
	stamp_pid=$!
	"$here/run.sh" --kernel "$kernel" --icount --timeout "$timeout" --out "$out/guest" "${module[@]}" \
		--extra "$top/build/tools/rcc_lat" --extra "$top/build/tools/rcc_mon" \
		--env DEMO_TABLE=no --env "DEMO_ALGS=$algs" "${envs[@]}" -- "./$demo.sh" >&"$log" 2>&1 &
	guest=$!
	wait $guest
	status=$?
	guest=
	exec {log}>&-
	wait "$stamp_pid"
}

cleanup()
{
	if [ -n "${guest-}" ]; then
		kill "$guest" 2>/dev/null
		wait "$guest" 2>/dev/null
	fi
}

main()
{
	local status guest

	parse "$@"
	out=${out:-$top/build/${demo/_/-}}
	mkdir -p "$out" || die "cannot write to $out"
	out=$(cd "$out" && pwd)
	# What is there afterwards is of this run.
	rm -rf "$out/guest" "$out"/{summary.json,table.txt} "$out"/{incast,converge,spray}.{png,svg}
	trap cleanup EXIT
	trap 'exit 130' INT TERM
	build
	run_guest
	[ -s "$out/guest/results.json" ] ||
		die "the guest ended without results; see $out/guest/test.log and console.log"

	cp "$out/guest/results.json" "$out/summary.json"
	jq -L "$top/selftests" -rf "$top/selftests/${demo}_table.jq" "$out/summary.json" > "$out/table.txt" ||
		die "cannot make the table"
	echo
	cat "$out/table.txt"
	echo
	"$top/selftests/${demo}_plot.sh" "$out/guest" "$out" || die "cannot draw"
	echo "pictures: $(ls "$out"/{incast,converge,spray}.png 2> /dev/null) (and .svg)"
	echo "figures: $out/summary.json; samples: $out/guest/*.csv"
	if [ -s "$out/guest/top.txt" ]; then
		echo "metrics: http://127.0.0.1:9879/metrics where 'rxecc export' runs; those of the incast: $out/guest/metrics.txt"
		echo
		echo "rxecc top during the incast of 8 with dcqcn:"
		cat "$out/guest/top.txt"
	fi
	[ "$status" = 0 ] || die "the guest measured, but did not end clean: see above and $out/guest"
	say "done"
}

main "$@"
