#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lib.sh - what the tests share: KTAP lines, waiting, cleaning up, and a fabric.  One with
# several paths is in lib_spine.sh.
#
# A test script is standalone:
#
#	. "$(dirname "$0")/lib.sh"
#	fabric_up 2
#	check "a ping passes the switch" run ping -c 1 -I 10.0.1.1 10.0.2.1
#	finish
#
# The fabric of fabric_up 3.  All hosts live in one network namespace, because rxe
# of 6.1 and 6.12 works in the first one only; routing rules force every packet
# between two of them through the switch, which is a namespace of its own:
#
#	 rxe1      rxe2      rxe3
#	  h1        h2        h3       10.0.I.1/24   fd00:I::1/64    init_net
#	  |         |         |
#	--|---------|---------|---------------------------------------------
#	  s1        s2        s3       10.0.I.254    fd00:I::fe      netns sw
#	  '--- routes between ---'
#
# A qdisc on sI is the switch's output port towards host I, so that is where rate,
# queue, marking and loss of the tests belong.  (Impairments on hI itself would
# orphan rxe's packets and so remove the back-pressure that it lives by.)

set -u

readonly KSFT_PASS=0 KSFT_FAIL=1 KSFT_SKIP=4
: "${OUT:=/tmp}" "${EXPECT_DMESG:=/dev/null}" "${RCC_MODULES:=/lib/rxe_cc}"

# MTU of the links: 4200 gives a RoCE MTU of 4096, 4300 leaves room for a trailer.
: "${FABRIC_MTU:=4200}"
# Seconds that one perftest run may take.
: "${PERF_TIMEOUT:=60}"

# Functions log to the script's own output, also when theirs is captured.
exec 3>&1

###############################################################################
# KTAP

_planned='' _count=0 _failed=0 _skipped=0

# log TEXT...: a diagnostic line.
log()
{
	printf '# %s\n' "$*" >&3
}

# run CMD...: log the command, then run it.
run()
{
	log "\$ $*"
	"$@"
}

# plan N: announce the number of results; without it finish prints the number.
# A script that dies half way then misses some and fails.
plan()
{
	_planned=$1
	printf '1..%d\n' "$1" >&3
}

# ok SENTENCE: a passed result.
ok()
{
	_count=$((_count + 1))
	printf 'ok %d %s\n' "$_count" "$1" >&3
}

# not_ok SENTENCE [DETAIL...]: a failed result; returns 1.
not_ok()
{
	local line

	_count=$((_count + 1))
	_failed=$((_failed + 1))
	printf 'not ok %d %s\n' "$_count" "$1" >&3
	shift
	if [ $# -gt 0 ]; then
		while IFS= read -r line; do
			log "  $line"
		done <<< "$*"
	fi
	return 1
}

# skip SENTENCE WHY: a result that this kernel cannot give.  A missing tool or
# module of ours is a failure, never a skip.
skip()
{
	_count=$((_count + 1))
	_skipped=$((_skipped + 1))
	printf 'ok %d %s # SKIP %s\n' "$_count" "$1" "$2" >&3
}

# skip_all WHY: end the script as skipped.
skip_all()
{
	_planned=0
	printf '1..0 # SKIP %s\n' "$1" >&3
	exit $KSFT_SKIP
}

# bail WHY: end the script as failed, when nothing after can work.
bail()
{
	not_ok "the test can run" "$@"
	exit $KSFT_FAIL
}

# check SENTENCE CMD...: passed if CMD succeeds; its output explains a failure.
check()
{
	local sentence=$1 output status

	shift
	output=$("$@" 2>&1)
	status=$?
	if [ $status = 0 ]; then
		ok "$sentence"
	else
		not_ok "$sentence" "$* (exit code $status)"$'\n'"$output"
	fi
}

# check_fails SENTENCE CMD...: passed if CMD fails.
check_fails()
{
	local sentence=$1 output

	shift
	if output=$("$@" 2>&1); then
		not_ok "$sentence" "succeeded: $*"$'\n'"$output"
	else
		ok "$sentence"
	fi
}

# check_eq SENTENCE GOT WANT: passed if the strings are equal.
check_eq()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got '$2', want '$3'"
	fi
}

# number TEXT: true if TEXT is a plain number; empty output of a tool is none.
number()
{
	[[ $1 =~ ^-?[0-9]+(\.[0-9]*)?$ ]]
}

# calc EXPRESSION: its value, with decimals where needed.
calc()
{
	awk "BEGIN { printf \"%.10g\\n\", ($1) }"
}

# check_num SENTENCE GOT OP WANT: compare numbers, decimals allowed; OP is one of
# '<' '<=' '>' '>=' '==' '!='.
check_num()
{
	if number "$2" && number "$4" && [ "$(calc "$2 $3 $4")" = 1 ]; then
		ok "$1 ($2 $3 $4)"
	else
		not_ok "$1" "want $3 $4, got '$2'"
	fi
}

# check_between SENTENCE GOT MIN MAX: numbers, both ends included.
check_between()
{
	if number "$2" && [ "$(calc "$2 >= $3 && $2 <= $4")" = 1 ]; then
		ok "$1 ($3 <= $2 <= $4)"
	else
		not_ok "$1" "want $3 to $4, got '$2'"
	fi
}

# finish: the end of a script; exits with its result.
finish()
{
	if [ -z "$_planned" ]; then
		plan $_count
	fi
	_finished=yes
	if [ $_failed -gt 0 ] || [ $_count = 0 ] || [ "$_planned" != $_count ]; then
		log "$_count of $_planned results, $_failed failed, $_skipped skipped"
		exit $KSFT_FAIL
	fi
	exit $KSFT_PASS
}

###############################################################################
# Waiting and cleaning up

_deferred=() _finished='' _script_pid=$BASHPID

# defer CMD...: run CMD when the script ends, last one first.
defer()
{
	_deferred+=("$(printf '%q ' "$@")")
}

_cleanup()
{
	local status=$? i

	# Subshells inherit the trap of some shells.
	[ "$BASHPID" = "$_script_pid" ] || return
	trap - EXIT
	for ((i = ${#_deferred[@]} - 1; i >= 0; i--)); do
		eval "${_deferred[i]}"
	done
	if [ -z "$_finished" ] && [ "$status" = 0 ]; then
		log "the script ended without finish"
		status=$KSFT_FAIL
	fi
	exit "$status"
}

# An interactive shell may load the library too; its fabric stays up.
case $- in
*i*) ;;
*)
	trap _cleanup EXIT
	trap 'exit 130' INT TERM
	;;
esac

# now_ms: milliseconds of the wall clock.
now_ms()
{
	local t=${EPOCHREALTIME/./}

	echo $((t / 1000))
}

# busywait SECONDS CMD...: repeat CMD until it succeeds, at most SECONDS (decimals
# allowed).  Prints CMD's last output; returns 1 if the time is up.
busywait()
{
	local end output ms=10

	end=$(($(now_ms) + $(calc "int($1 * 1000)")))
	shift
	while ! output=$("$@"); do
		if [ "$(now_ms)" -ge "$end" ]; then
			printf '%s\n' "$output"
			return 1
		fi
		# Ever longer pauses: looking is not free in a small guest.
		sleep "$(printf '0.%03d' $ms)"
		ms=$((ms < 200 ? ms * 3 / 2 : ms))
	done
	printf '%s\n' "$output"
}

# icount: true in a guest whose time goes on with its instructions only.  In others, as on
# real machines, the host may take a processor away for longer than any protocol waits.
icount()
{
	[ "${VM_ICOUNT-}" = yes ]
}

# within N: an upper bound of a time, and five times that where the host may be in it.
within()
{
	if icount; then
		echo "$1"
	else
		echo $((5 * $1))
	fi
}

# kill_wait PID...: end processes of ours and wait for them.
kill_wait()
{
	kill "$@" 2>/dev/null
	wait "$@" 2>/dev/null
	return 0
}

###############################################################################
# Our modules

# rcc_load [MODULE [PARAMETER=VALUE...]]: load one of our modules (rxe_cc by default).
# It is unloaded when the script ends.
rcc_load()
{
	local module=${1:-rxe_cc} file deps

	file=$RCC_MODULES/$module.ko
	[ -f "$file" ] || bail "no $file: was the module built?"
	# It stands outside of the modules' index, so its dependencies come by hand; rxe_cc
	# itself is loaded before what depends on it.
	deps=$(modinfo -F depends "$file" | tr ',' '\n' | grep -vx rxe_cc | tr '\n' ' ')
	# shellcheck disable=SC2086 # a list
	[ -z "${deps// /}" ] || modprobe -a $deps
	run insmod "$file" "${@:2}" || bail "cannot load $module"
	defer _unload "$module"
}

_unload()
{
	[ ! -d "/sys/module/$1" ] || rmmod "$1"
}

# rcc_unload [MODULE]: unload one of our modules (rxe_cc by default).
rcc_unload()
{
	run rmmod "${1:-rxe_cc}"
}

###############################################################################
# The fabric

# sw CMD...: run CMD in the switch.
sw()
{
	ip netns exec sw "$@"
}

# The hosts and switches that exist, and the switch that a host hangs on.
_hosts=() _switches=()
declare -A _switch_of=()

# switch_of I: the namespace of the switch that host I hangs on.
switch_of()
{
	echo "${_switch_of[$1]:-sw}"
}

# on I CMD...: run CMD on host I.  The hosts share a namespace on the kernels that
# we test; scripts that say where they mean do not depend on that.
on()
{
	shift
	"$@"
}

# ip4 I, ip6 I: the addresses of host I.
ip4() { echo "10.0.$1.1"; }
ip6() { echo "fd00:$1::1"; }

# mac_host I, mac_switch I: both ends of host I's cable.
mac_host() { printf '02:00:00:00:%02x:01\n' "$1"; }
mac_switch() { printf '02:00:00:00:%02x:fe\n' "$1"; }

# host_config I: addresses, routes, rules and neighbours of host I.  May be called
# again after the device was down, which loses most of them.  Neighbours are fixed:
# no test shall depend on an ARP packet that its own loss model drops.
host_config()
{
	local i=$1 t=$((100 + $1))

	ip -batch - <<-END
	link set h$i up
	addr replace 10.0.$i.1/24 dev h$i
	addr replace fd00:$i::1/64 dev h$i nodad
	neigh replace 10.0.$i.254 lladdr $(mac_switch "$i") nud permanent dev h$i
	neigh replace fd00:$i::fe lladdr $(mac_switch "$i") nud permanent dev h$i
	route replace local 10.0.$i.1 dev h$i table $t
	route replace 10.0.$i.0/24 dev h$i src 10.0.$i.1 table $t
	route replace default via 10.0.$i.254 dev h$i src 10.0.$i.1 table $t
	END
	ip -6 -batch - <<-END
	route replace local fd00:$i::1 dev h$i table $t
	route replace fd00:$i::/64 dev h$i table $t
	route replace fe80::/64 dev h$i table $t
	route replace multicast ff00::/8 dev h$i table $t
	route replace default via fd00:$i::fe dev h$i src fd00:$i::1 table $t
	END
}

# What arrives on hI is local; what leaves from I's address or device goes to the
# switch, even if the destination is another address of this same machine.  The
# usual look-up of local addresses comes after that.
_host_rules()
{
	local i=$1 t=$((100 + $1)) f

	for f in -4 -6; do
		ip $f rule add pref 10 iif "h$i" lookup local
		ip $f rule add pref 21 oif "h$i" lookup $t
	done
	ip -4 rule add pref 20 from "10.0.$i.1" lookup $t
	ip -6 rule add pref 20 from "fd00:$i::1" lookup $t
}

_switch_port()
{
	local i=$1

	ip -n "${_switch_of[$i]}" -batch - <<-END
	link set s$i up
	addr add 10.0.$i.254/24 dev s$i
	addr add fd00:$i::fe/64 dev s$i nodad
	neigh replace 10.0.$i.1 lladdr $(mac_host "$i") nud permanent dev s$i
	neigh replace fd00:$i::1 lladdr $(mac_host "$i") nud permanent dev s$i
	END
}

# fabric_up N: N hosts (1 to 99) and the switch.  Taken down when the script ends.
fabric_up()
{
	local i

	log "fabric_up $1"
	_fabric_begin
	_switch_new sw
	for ((i = 1; i <= $1; i++)); do
		_host_new $i sw
	done
	_fabric_end
}

_fabric_begin()
{
	[ -d /sys/module/rdma_rxe ] || modprobe -a rdma_rxe ib_uverbs rdma_ucm
	defer fabric_down
	# Receiving from an address of one's own is what this fabric is about.
	_sysctls net.ipv4.conf.{all,default}.{accept_local=1,rp_filter=0} \
		net.ipv4.conf.all.arp_ignore=1 \
		net.ipv6.conf.{all,default}.{accept_dad=0,accept_ra=0,keep_addr_on_down=1}
}

# _switch_new NAME: a namespace that routes.
_switch_new()
{
	_switches+=("$1")
	ip netns add "$1"
	ip -n "$1" link set lo up
	ip netns exec "$1" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
		net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 \
		net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.default.send_redirects=0
}

# _host_new I SWITCH: host I and its cable to that switch.
_host_new()
{
	local i=$1 switch=$2

	_hosts+=("$i")
	_switch_of[$i]=$switch
	ip link add "h$i" address "$(mac_host "$i")" mtu "$FABRIC_MTU" type veth \
		peer name "s$i" address "$(mac_switch "$i")" mtu "$FABRIC_MTU" netns "$switch"
	_switch_port "$i"
	_host_rules "$i"
	host_config "$i"
}

# The local addresses are looked up last, and the hosts get their RoCE devices.
_fabric_end()
{
	local i f

	for f in -4 -6; do
		ip $f rule add pref 30 lookup local
		ip $f rule del pref 0
	done
	for i in "${_hosts[@]}"; do
		_rxe_new "$i"
	done
	for i in "${_hosts[@]}"; do
		_rxe_ready "$i"
	done
}

_rxe_new()
{
	rdma link add "rxe$1" type rxe netdev "h$1" || bail "no rxe$1"
}

_rxe_ready()
{
	busywait 10 gid4 "rxe$1" > /dev/null || bail "rxe$1 has no IPv4 GID"
	busywait 10 gid6 "rxe$1" > /dev/null || bail "rxe$1 has no IPv6 GID"
}

# Set, and restore later.
_sysctls()
{
	local s old

	for s in "$@"; do
		old=$(sysctl -n "${s%%=*}")
		defer sysctl -qw "${s%%=*}=$old"
		sysctl -qw "$s"
	done
}

# fabric_down: undo fabric_up and its like, whatever of them exists.
fabric_down()
{
	local i f p

	log "fabric_down"
	# All devices before the first netdev: one may take that of another host with it.
	for i in "${_hosts[@]}"; do
		if [ -d "/sys/class/infiniband/rxe$i" ]; then
			rdma link delete "rxe$i"
		fi
	done
	for i in "${_hosts[@]}"; do
		if [ -d "/sys/class/net/h$i" ]; then
			ip link del "h$i"
		fi
	done
	for f in -4 -6; do
		ip $f rule show | grep -q '^0:' || ip $f rule add pref 0 lookup local
		for p in 10 20 21 30; do
			while ip $f rule del pref $p 2>/dev/null; do :; done
		done
	done
	for i in "${_switches[@]}"; do
		if [ -e "/run/netns/$i" ]; then
			ip netns del "$i"
		fi
	done
	_hosts=() _switches=() _switch_of=()
}

# dev_tail NETNS DEV RATE_MBIT QUEUE_KB [PARENT]: the device in that namespace sends so
# fast, and drops what its queue of that size cannot take.
dev_tail()
{
	# shellcheck disable=SC2086 # "parent 1:1" is two words
	run tc -n "$1" qdisc add dev "$2" ${5:-root} handle 2: tbf rate "${3}mbit" \
		burst $((2 * (FABRIC_MTU + 14))) limit "${4}kb"
}

# dev_red NETNS DEV RATE_MBIT QUEUE_KB KMIN_KB KMAX_KB [RED-ARGS...]: below dev_tail, ECT
# packets are marked as Congestion Experienced: none below KMIN, up to a fifth before
# KMAX, all above.  RED drops what is not ECT instead (nodrop as RED-ARGS queues it).
#
# RED works on a moving average.  DCQCN wants the queue itself, so the average is
# made as short as tc allows: W = 1/2, which it derives from burst ~ min/avpkt.
dev_red()
{
	local ns=$1 dev=$2 rate=$3 queue=$4 kmin=$5 kmax=$6

	shift 6
	run tc -n "$ns" qdisc add dev "$dev" parent 2:1 handle 10: red limit "${queue}kb" \
		min "${kmin}kb" max "${kmax}kb" avpkt 1000 \
		burst $(((kmin * 1024 + 999) / 1000)) bandwidth "${rate}mbit" \
		probability 0.2 ecn "$@"
}

# dev_netem NETNS DEV NETEM-ARGS...: impair what the device sends (delay, loss, ...).
dev_netem()
{
	local ns=$1 dev=$2

	shift 2
	run tc -n "$ns" qdisc add dev "$dev" root handle 1: netem "$@"
}

# dev_clear NETNS DEV: as fast as the machine, without a queue.
dev_clear()
{
	tc -n "$1" qdisc del dev "$2" root 2>/dev/null
	return 0
}

# dev_stats NETNS DEV [FIELD]: what the device did.  One number if FIELD is given,
# otherwise a line of FIELD=NUMBER:
#   bytes packets   sent since it exists (at the link layer)
#   rx_bytes rx_packets  received since then
#   drops marked    by the present qdisc
#   backlog qlen    in its queue now, bytes and packets
dev_stats()
{
	local ns=$1 dev=$2 field=${3-} line

	# Not jq: it starts slower than all the rest of this function.
	line=$({ ip -n "$ns" -s -j link show "$dev"; tc -n "$ns" -s -j qdisc show dev "$dev"; } |
		awk -v RS='[][,{}\n]+' -F: '
		{ gsub(/"/, "", $1) }
		$1 == "rx" || $1 == "tx" { dir = $1 }
		$1 == "bytes" || $1 == "packets" { if (dir) link[dir $1] = $2 }
		$1 == "kind" { dir = ""; root = 0 }
		$1 == "root" { root = 1 }
		$1 == "drops" || $1 == "backlog" || $1 == "qlen" { if (root) q[$1] = $2 }
		$1 == "marked" { marked += $2 }
		END {
			printf "bytes=%.0f packets=%.0f rx_bytes=%.0f rx_packets=%.0f ",
				link["txbytes"], link["txpackets"],
				link["rxbytes"], link["rxpackets"]
			printf "drops=%.0f marked=%.0f backlog=%.0f qlen=%.0f\n",
				q["drops"], marked, q["backlog"], q["qlen"]
		}')
	if [ -z "$field" ]; then
		echo "$line"
	else
		line=" $line "
		line=${line##* "$field"=}
		echo "${line%% *}"
	fi
}

# The same for the port towards host I.
#   port_tail I RATE_MBIT QUEUE_KB
#   port_red I RATE_MBIT QUEUE_KB KMIN_KB KMAX_KB [RED-ARGS...]
#   port_netem I NETEM-ARGS...
#   port_lossy I RATE_MBIT QUEUE_KB NETEM-ARGS...	netem, and the rate below it
#   port_clear I
#   port_stats I [FIELD]		forwarded: to the host; received: from it
port_tail()
{
	port_clear "$1"
	dev_tail "$(switch_of "$1")" "s$1" "$2" "$3"
}

port_red()
{
	port_tail "$1" "$2" "$3"
	dev_red "$(switch_of "$1")" "s$1" "${@:2}"
}

port_netem()
{
	port_clear "$1"
	dev_netem "$(switch_of "$1")" "s$1" "${@:2}"
}

port_lossy()
{
	port_netem "$1" "${@:4}"
	dev_tail "$(switch_of "$1")" "s$1" "$2" "$3" "parent 1:1"
}

port_clear()
{
	dev_clear "$(switch_of "$1")" "s$1"
}

port_stats()
{
	dev_stats "$(switch_of "$1")" "s$1" "${@:2}"
}

# _gid DEV PATTERN: index of the RoCE v2 GID that matches.
_gid()
{
	local port=/sys/class/infiniband/$1/ports/1 gid type f

	for f in "$port"/gids/*; do
		read -r gid < "$f" || continue
		# shellcheck disable=SC2053 # a pattern
		[[ $gid == $2 ]] || continue
		# The type of an empty entry cannot be read.
		type=$(cat "$port/gid_attrs/types/${f##*/}" 2>/dev/null)
		if [ "$type" = "RoCE v2" ]; then
			echo "${f##*/}"
			return 0
		fi
	done
	return 1
}

# gid4 DEV, gid6 DEV: index of the GID made of the IPv4 or the global IPv6 address.
gid4() { _gid "$1" '0000:0000:0000:0000:0000:ffff:*'; }
gid6() { _gid "$1" 'fd00:*'; }

# hw_counter DEV NAME: a counter of the driver, fresh.
hw_counter()
{
	local dir=/sys/class/infiniband/$1/ports/1/hw_counters

	# The core caches the values for some milliseconds unless told not to.
	if [ -w "$dir/lifespan" ]; then
		echo 0 > "$dir/lifespan"
	fi
	cat "$dir/$2"
}

###############################################################################
# Traffic

_perf_port=18515 _perf_dir=$(mktemp -d)
defer _perf_clean

# perf often runs in a subshell, whose own clean-up list is lost; the files are not.
_perf_clean()
{
	_perf_kill "$_perf_dir"/*_pid
	rm -rf "$_perf_dir"
}

# _perf_kill PIDFILE...
_perf_kill()
{
	local f

	for f in "$@"; do
		[ -f "$f" ] || continue
		kill "$(cat "$f")" 2>/dev/null
		busywait 5 _gone "$(cat "$f")" > /dev/null
		rm -f "$f"
	done
}

# listening PORT: true if a TCP server waits there.
listening()
{
	[ -n "$(ss -Hltn "sport = :$1")" ]
}

# perf_start ID I J TOOL [ARGS...]: a perftest TOOL from client host I to server
# host J in the background.  ARGS go to both sides.  PERF_GID=gid6 selects IPv6.
# The control connection is TCP and does not pass the switch.  Use the bandwidth
# tools with -e, because polling takes the processor from the other side.  Do not use
# a _lat with -e: perftest can miss an event and wait for ever; see pingpong.
perf_start()
{
	local id=$1 i=$2 j=$3 tool=$4 port=$((_perf_port++)) gid=${PERF_GID:-gid4} g
	local common dir=$_perf_dir

	shift 4
	# A reused ID must not show an old result.
	rm -f "$dir/$id".*
	common=(-F --ib-port=1 -p "$port" "$@")
	case $tool in
	*_bw) common+=(--report_gbits) ;;
	esac
	g=$($gid "rxe$j") || return 1
	log "host $j \$ $tool -d rxe$j -x $g ${common[*]}"
	# without the script's own output: whoever reads that would wait for them, too
	on "$j" exec timeout "$PERF_TIMEOUT" "$tool" -d "rxe$j" -x "$g" "${common[@]}" \
		> "$dir/$id.server" 2>&1 3>&- &
	echo $! > "$dir/$id.server_pid"
	if ! busywait 10 listening "$port" > /dev/null; then
		log "no server: $(tail -n 5 "$dir/$id.server" | tr '\n' '|')"
		_perf_kill "$dir/$id".*_pid
		return 1
	fi
	g=$($gid "rxe$i") || return 1
	log "host $i \$ $tool -d rxe$i -x $g ${common[*]} $(ip4 "$j")"
	on "$i" exec timeout "$PERF_TIMEOUT" "$tool" -d "rxe$i" -x "$g" "${common[@]}" "$(ip4 "$j")" \
		> "$dir/$id.client" 2>&1 3>&- &
	echo $! > "$dir/$id.client_pid"
}

# perf_wait ID: wait for a run of perf_start; prints its figure: Gb/s of a _bw, the
# average in microseconds of a _lat.  Logs the output and returns 1 if it failed.
perf_wait()
{
	local id=$1 dir=$_perf_dir figure

	# The shell that asks may not be the parent that could wait.  timeout ends
	# both sides in any case, and one that failed has printed no figure.
	busywait $((PERF_TIMEOUT + 5)) _gone "$(cat "$dir/$id.client_pid")" > /dev/null
	figure=$(perf_figure "$dir/$id.client")
	if ! number "$figure"; then
		_perf_kill "$dir/$id".*_pid
		log "perftest $id failed; client: $(tail -n 5 "$dir/$id.client" | tr '\n' '|')"
		log "server: $(tail -n 5 "$dir/$id.server" | tr '\n' '|')"
		return 1
	fi
	# A server whose client is done ends by itself.
	busywait 10 _gone "$(cat "$dir/$id.server_pid")" > /dev/null
	_perf_kill "$dir/$id".*_pid
	log "perftest $id: $figure"
	echo "$figure"
}

# _gone PID: true if the process has ended (a zombie has no executable).
_gone()
{
	! [ -e "/proc/$1/exe" ]
}

# perf_figure FILE: the figure in a perftest client's output.
perf_figure()
{
	# Bandwidth has five columns, latency has nine (or seven, of atomics).
	awk '/^ *#bytes/ { col = /BW average/ ? 4 : 6; next }
	     col && /^ *[0-9]+ +[0-9]+ / { figure = $col }
	     END { print figure }' "$1"
}

# perf I J TOOL [ARGS...]: perf_start and perf_wait in one.
perf()
{
	perf_start "$BASHPID" "$@" && perf_wait "$BASHPID"
}

# pingpong I J [ARGS...]: ibv_rc_pingpong between hosts, sleeping on events; prints the
# average microseconds per round trip.
pingpong()
{
	local i=$1 j=$2 port=$((_perf_port++)) gid=${PERF_GID:-gid4}
	local out=$_perf_dir/pingpong.$BASHPID common figure

	shift 2
	common=(-e -p "$port" "$@")
	log "host $j \$ ibv_rc_pingpong -d rxe$j -g $($gid "rxe$j") ${common[*]}"
	on "$j" exec timeout "$PERF_TIMEOUT" ibv_rc_pingpong -d "rxe$j" -g "$($gid "rxe$j")" \
		"${common[@]}" > "$out.server" 2>&1 &
	echo $! > "${out}_pid"
	busywait 10 listening "$port" > /dev/null
	on "$i" timeout "$PERF_TIMEOUT" ibv_rc_pingpong -d "rxe$i" -g "$($gid "rxe$i")" \
		"${common[@]}" "$(ip4 "$j")" > "$out.client" 2>&1
	_perf_kill "${out}_pid"
	figure=$(sed -n 's|.* = \([0-9.]*\) usec/iter.*|\1|p' "$out.client")
	log "pingpong: $figure us, $(tail -n 1 "$out.client")"
	number "$figure" && echo "$figure"
}

###############################################################################
# Traffic that goes on until it is told to stop

# flow_start ID I J TOOL [ARGS...]: as perf_start, with more messages than anybody
# waits for.  -N because perftest would allocate a time stamp for each.
flow_start()
{
	perf_start "$@" -N -n 50000000
}

# flow_alive ID: true if no side has ended.  perftest ends with the first completion
# that has an error, so a flow that is alive has had none.
flow_alive()
{
	local id=$1 f

	for f in "$_perf_dir/$id".{client,server}_pid; do
		[ -f "$f" ] && ! _gone "$(cat "$f")" || return 1
	done
}

# flow_moves I [PACKETS]: true if the port towards host I forwards that many (20)
# packets within some seconds, full ones of data.
flow_moves()
{
	local from

	from=$(port_stats "$1" packets)
	busywait 10 _packets_since "$1" $((from + ${2:-20})) > /dev/null
}

_packets_since()
{
	[ "$(port_stats "$1" packets)" -ge "$2" ]
}

# flow_check SENTENCE ID J: passed if the flow to host J lives and moves.
flow_check()
{
	local sentence=$1 id=$2 j=$3

	if ! flow_alive "$id"; then
		not_ok "$sentence" "ended: $(tail -qn 3 "$_perf_dir/$id".{client,server})"
	elif ! flow_moves "$j"; then
		not_ok "$sentence" "no packet moves"
	elif ! flow_alive "$id"; then
		not_ok "$sentence" "ended: $(tail -qn 3 "$_perf_dir/$id".{client,server})"
	else
		ok "$sentence"
	fi
}

# flow_stop ID...: end both sides, the sender first so that it does not see its
# receiver go.
flow_stop()
{
	local id

	for id in "$@"; do
		_perf_kill "$_perf_dir/$id.client_pid"
		_perf_kill "$_perf_dir/$id.server_pid"
	done
}

# forge HOST VERSION ARGS...: packets of rcc_pkt to host 1 or 2, from the other one unless
# ARGS say else.  The attacker's port is the victim's own: any source address will do.
forge()
{
	local i=$1 v=$2 peer

	peer=$((3 - i))
	shift 2
	sw rcc_pkt send -i "s$i" -m "$(mac_host "$i")" -d "$("ip$v" "$i")" -s "$("ip$v" "$peer")" "$@"
}

# hex_packets: turns the output of tcpdump -x into a line of hex per packet, from the
# IP header on.
hex_packets()
{
	awk '
	/^[0-9]/ { if (hex) print hex; hex = ""; next }
	{ $1 = ""; gsub(/ /, ""); hex = hex $0 }
	END { if (hex) print hex }'
}

###############################################################################
# What the module says

# cc_get DEV FILE: a file of the device's directory.
cc_get()
{
	cat "/sys/class/rxe_cc/$1/$2"
}

# cc_set DEV FILE VALUE: fails as the write does.
cc_set()
{
	log "$1/$2 = $3"
	printf '%s' "$3" 2>/dev/null > "/sys/class/rxe_cc/$1/$2"
}

# cc_count DEV NAME: a counter.
cc_count()
{
	cat "/sys/class/rxe_cc/$1/counters/$2"
}

# cc_sum NAME: a counter, summed over all devices.
cc_sum()
{
	cat /sys/class/rxe_cc/*/counters/"$1" | awk '{ s += $1 } END { print s + 0 }'
}

# cc_all DEV: all counters, as lines of NAME=NUMBER.
cc_all()
{
	(cd "/sys/class/rxe_cc/$1/counters" && grep . ./* | sed 's|^\./||; s|:|=|')
}

# cc_changed BEFORE AFTER: what differs between two texts of cc_all.
cc_changed()
{
	# Not diff: that of busybox has another format.
	comm -13 <(sort <<< "$1") <(sort <<< "$2") | tr '\n' ' '
}

# cc_qps DEV [TYPE]: lines of "QPN PEER-QPN RATE HELD" of its QPs (RC).
cc_qps()
{
	awk -v type="${2:-RC}" '$2 == type { sub(/.*\//, "", $NF); print $1, $NF, $4, $8 + $9 + $10 }' \
		"/sys/kernel/debug/rxe_cc/$1/qps"
}

# cc_mark: remember all counters, and the gaps that rxe saw.  cc_since DEV NAME, cc_since_sum
# NAME, new_naks: what came to them since.
declare -A _marked=()

cc_mark()
{
	local dev

	for dev in /sys/class/rxe_cc/*; do
		_marked[${dev##*/}]=$(cc_all "${dev##*/}")
	done
	_marked_naks=$(naks)
}

cc_since()
{
	echo $(($(cc_count "$1" "$2") - $(sed -n "s/^$2=//p" <<< "${_marked[$1]}")))
}

cc_since_sum()
{
	local dev sum=0

	for dev in /sys/class/rxe_cc/*; do
		sum=$((sum + $(cc_since "${dev##*/}" "$1")))
	done
	echo $sum
}

# cc_reached DEV NAME N: true if N or more have come to the counter since cc_mark.
cc_reached()
{
	[ "$(cc_since "$1" "$2")" -ge "$3" ]
}

# sessions N: true once hosts 1 and 2 have each begun N sessions of the link layer since
# cc_mark, within some seconds.
sessions()
{
	busywait 10 cc_reached rxe1 link_up "$1" > /dev/null && busywait 10 cc_reached rxe2 link_up "$1" > /dev/null
}

# naks: gaps that rxe saw on all hosts, as receiver and as sender, and NAKs that said so.
naks()
{
	local dev sum

	sum=$(cc_sum packet_seq_err)
	for dev in /sys/class/infiniband/rxe*; do
		sum=$((sum + $(hw_counter "${dev##*/}" out_of_seq_request) + $(hw_counter "${dev##*/}" rcvd_seq_err)))
	done
	echo "$sum"
}

new_naks()
{
	echo $(($(naks) - _marked_naks))
}

# cc_waiting: packets that the pacer holds, that wait for earlier ones, and that are kept for
# a repeat, of each device.
cc_waiting()
{
	cat /sys/class/rxe_cc/*/{held,waiting,kept}_packets | tr '\n' ' '
}

# cc_settled: true if there are none.
cc_settled()
{
	[[ $(cc_waiting) =~ ^(0\ )+$ ]]
}

_rcc_unused()
{
	[ "$(cat /sys/module/rxe_cc/refcnt)" = 0 ]
}

# tm_programs: how many of the telemetry's programs are loaded.  no_tm_programs: none?
tm_programs()
{
	bpftool prog show | grep -c ' name tm_'
}

no_tm_programs()
{
	[ "$(tm_programs)" = 0 ]
}

# bpf_unpin DIR: remove pins of algorithms, and wait until the objects have gone, too.
bpf_unpin()
{
	rm -rf "$1"
	busywait 10 _rcc_unused > /dev/null
}

readonly TRACING=/sys/kernel/tracing

# trace_start EVENT[:FILTER]...: record events of rxe_cc from now on.
trace_start()
{
	local e

	echo 0 > $TRACING/tracing_on
	echo 4096 > $TRACING/buffer_size_kb
	echo > $TRACING/trace
	for e in "$@"; do
		echo 0 > "$TRACING/events/rxe_cc/${e%%:*}/filter"
		[ "$e" = "${e#*:}" ] || echo "${e#*:}" > "$TRACING/events/rxe_cc/${e%%:*}/filter"
		echo 1 > "$TRACING/events/rxe_cc/${e%%:*}/enable"
	done
	echo 1 > $TRACING/tracing_on
}

# trace_take FILE: move what was recorded to FILE, "SECONDS EVENT FIELDS..." a line.
trace_take()
{
	awk '!/^#/ && match($0, / [0-9]+\.[0-9]+: /) {
		time = substr($0, RSTART + 1, RLENGTH - 3)
		rest = substr($0, RSTART + RLENGTH)
		sub(/:/, "", rest)
		print time, rest
	}' $TRACING/trace > "$1"
	echo > $TRACING/trace
}

# trace_stop: record nothing any more.
trace_stop()
{
	echo 0 > $TRACING/tracing_on
	echo 0 > $TRACING/events/rxe_cc/enable
	echo > $TRACING/trace
}

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/lib_spine.sh"
