#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - run a command, or a shell, in a guest with a stock Debian kernel.
#
#   selftests/vm/run.sh [options] -- command...
#   selftests/vm/run.sh [options] --shell
#
# The exit code is 0 only if the guest says so: the command succeeded, the kernel
# log is clean and nothing was left behind (see init).  There is no KVM in it: the
# processor is emulated, in one of two ways that suit different questions.
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)

usage()
{
	cat <<-END
	usage: run.sh [options] -- command...    run the command in /selftests of a guest
	       run.sh [options] --shell          an interactive shell in a two-host fabric

	  --kernel NAME       6.12 (default), 6.1, or one of the cache's kernels/
	  --icount            guest time counts instructions: for figures; one processor
	  --smp N             N processors on N threads (default 2): for races
	  --mem MB            memory of the guest (default 1024)
	  --timeout SECONDS   wall time after which the guest is killed (default 300)
	  --out DIR           console.log, test.log, verdict and the guest's /out
	                      (default build/vm/<pid>)
	  --module FILE       one of our modules (default: all of build/<release>); repeatable
	  --no-module         none of our modules
	  --extra FILE:PATH   one more file or directory for the guest, with its
	                      libraries; repeatable
	  --env NAME=VALUE    a variable for the command; repeatable
	  --append ARGS       more of the kernel's command line
	  --quiet             the command's output only to test.log
	END
	exit "${1:-2}"
}

die()
{
	echo "run.sh: $*" >&2
	exit 2
}

kernel=6.12 icount=no smp=2 mem=1024 timeout=300 out='' mode=run quiet=no append=''
modules=() extras=() envs=() no_module=no

parse()
{
	while [ $# -gt 0 ]; do
		case $1 in
		--icount | --no-module | --quiet | --shell | --help | -h | --) ;;
		*)
			[ $# -ge 2 ] || usage
			;;
		esac
		case $1 in
		--kernel) kernel=$2; shift ;;
		--icount) icount=yes ;;
		--smp) smp=$2; shift ;;
		--mem) mem=$2; shift ;;
		--timeout) timeout=$2; shift ;;
		--out) out=$2; shift ;;
		--module) modules+=("$2"); shift ;;
		--no-module) no_module=yes ;;
		--extra) extras+=("$2"); shift ;;
		--env) envs+=("$2"); shift ;;
		--append) append=$2; shift ;;
		--quiet) quiet=yes ;;
		--shell) mode=shell ;;
		--help | -h) usage 0 ;;
		--) shift; command=("$@"); break ;;
		*) echo "run.sh: unknown option $1" >&2; usage ;;
		esac
		shift
	done
	if [ "$mode" = run ] && [ ${#command[@]} = 0 ]; then
		usage
	fi
}

# One word of command is a line of shell; several are an argument vector.
command_line()
{
	if [ ${#command[@]} = 1 ]; then
		echo "${command[0]}"
	else
		printf '%q ' "${command[@]}"
	fi
}

# The archive that changes with every run.
make_small()
{
	local root=$work/root m e

	mkdir -p "$root/usr/lib/rxe_cc" "$root/selftests"
	cp "$here/init" "$root/init"
	# The runner itself has no business in the guest.
	tar -C "$top/selftests" --exclude=./vm -cf - . | tar -C "$root/selftests" -xf -
	# What is documented is tested, too.
	mkdir -p "$root/Documentation"
	cp -r "$top/Documentation/ABI" "$top/Documentation/runbook.rst" "$root/Documentation/"
	for m in "${modules[@]}"; do
		[ -f "$m" ] || die "no module $m"
		cp "$m" "$root/usr/lib/rxe_cc/"
	done
	{
		echo "vm_mode=$mode"
		printf 'vm_command=%q\n' "$(command_line)"
		for e in "${envs[@]}"; do
			printf 'export %s=%q\n' "${e%%=*}" "${e#*=}"
		done
		printf 'export VM_KERNEL=%q VM_ICOUNT=%q\n' "$kernel" "$icount"
	} > "$root/vm.sh"
	cat > "$root/shell.rc" <<-'END'
	. /selftests/lib.sh
	fabric_up 2
	PS1='\w \$ '
	END
	"$here/mkinitrd.sh" small "$work/small.cpio" "$root" "${extras[@]}"
}

qemu_args()
{
	# A plain processor is a third faster to emulate than "max" with its fifth
	# level of page tables; the rest is what the kernel's CRC code asks for.
	local cpu=qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt,+pclmulqdq,+rdrand,+x2apic
	local clock=()

	if [ "$icount" = yes ]; then
		# One nanosecond of guest time per instruction, and no waiting when
		# idle: the load of the host does not show in the results.
		clock=(-smp 1 -icount "shift=0,sleep=off" -rtc "clock=vm")
	else
		clock=(-smp "$smp" -accel "tcg,thread=multi")
	fi
	args=(
		-nodefaults -no-user-config -no-reboot -display none
		-machine pc -cpu "$cpu" -m "$mem" "${clock[@]}"
		-kernel "$VMLINUZ" -initrd "$work/initrd"
		-append "$(kernel_args)"
		-chardev "file,id=console,path=$out/console.log" -serial chardev:console
		-device virtio-serial-pci
	)
	if [ "$mode" = shell ]; then
		args+=(
			-chardev "stdio,id=shell,signal=off"
			-device "virtconsole,chardev=shell"
		)
		return
	fi
	args+=(
		-chardev "file,id=test,path=$work/test"
		-device "virtserialport,chardev=test,name=test"
		-chardev "file,id=out,path=$work/out.tar"
		-device "virtserialport,chardev=out,name=out"
		-chardev "file,id=verdict,path=$work/verdict"
		-device "virtserialport,chardev=verdict,name=verdict"
	)
}

kernel_args()
{
	# A slow guest is not a locked-up guest: the watchdogs get time.  An oops
	# ends the guest, and the guest ends without a verdict.  The entropy source
	# that is left out tests itself for a quarter of a second.
	echo "console=ttyS0 loglevel=6 panic=-1 oops=panic watchdog_thresh=60" \
		"rcupdate.rcu_cpu_stall_timeout=120 tsc=reliable mitigations=off" \
		"random.trust_cpu=on audit=0 initcall_blacklist=jent_mod_init $append"
}

# Ends the guest, and only this one, when the runner is told to stop.
cleanup()
{
	if [ -n "${qemu_pid-}" ]; then
		kill "$qemu_pid" 2>/dev/null
		wait "$qemu_pid" 2>/dev/null
	fi
	rm -rf "$work"
}

start_and_wait()
{
	local cat_pid

	# A FIFO, because it shows the output live and ends with the guest.
	mkfifo "$work/test"
	if [ "$quiet" = yes ]; then
		cat "$work/test" > "$out/test.log" &
	else
		tee "$out/test.log" < "$work/test" &
	fi
	cat_pid=$!
	timeout -k 5 "$timeout" qemu-system-x86_64 "${args[@]}" < /dev/null 2> "$work/qemu.err" &
	qemu_pid=$!
	wait "$qemu_pid"
	qemu_status=$?
	qemu_pid=
	if [ -s "$work/qemu.err" ]; then
		cat "$work/qemu.err" >&2
	fi
	# A guest that could not start never opened the FIFO.
	timeout 1 tee "$work/test" < /dev/null > /dev/null
	wait "$cat_pid"
}

judge()
{
	if [ -s "$work/out.tar" ]; then
		tar -C "$out" -xf "$work/out.tar"
	fi
	if grep -q '^verdict ' "$work/verdict" 2>/dev/null; then
		cp "$work/verdict" "$out/verdict"
	elif [ "$qemu_status" = 124 ] || [ "$qemu_status" = 137 ]; then
		printf 'reason no verdict after %s s\nverdict failed\n' "$timeout" > "$out/verdict"
	else
		printf 'reason no verdict: the guest died\nverdict failed\n' > "$out/verdict"
	fi
	if [ "$(tail -n 1 "$out/verdict")" = "verdict passed" ]; then
		return 0
	fi
	sed 's/^/# vm: /' "$out/verdict" >&2
	echo "# vm: see $out" >&2
	return 1
}

main()
{
	local base

	command=()
	parse "$@"
	eval "$("$here/kernel.sh" "$kernel")"
	[ -n "${KVER-}" ] || exit 2
	out=${out:-$top/build/vm/$$}
	mkdir -p "$out"
	out=$(cd "$out" && pwd)
	rm -f "$out"/{console.log,test.log,verdict}
	work=$(mktemp -d)
	trap cleanup EXIT
	trap 'exit 130' INT TERM

	if [ ${#modules[@]} = 0 ] && [ "$no_module" = no ]; then
		shopt -s nullglob
		modules=("$top/build/$KVER"/{,kmod/*/}*.ko)
		shopt -u nullglob
	fi
	base=$("$here/mkinitrd.sh" base "$kernel") || exit 2
	make_small || exit 2
	cat "$base" "$work/small.cpio" > "$work/initrd"
	qemu_args
	if [ "$mode" = shell ]; then
		qemu-system-x86_64 "${args[@]}"
		return
	fi
	start_and_wait
	judge
}

main "$@"
