# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# lib_spine.sh - a fabric with several paths; a part of lib.sh.
#
# fabric_leaf_spine 2 1 4: two hosts on leaf 1, the third on leaf 2, and four spines.
# Each switch is a namespace of its own; the hosts live in one, as in fabric_up.
#
#	  h1   h2               h3
#	  |    |                |
#	--s1---s2-            --s3-------
#	   leaf1                leaf2		netns leaf1, leaf2
#	-up1..up4-            -up1..up4--	10.L.J.1    fd01:L:J::1
#	  |  |  `---.     .-----'  |  |
#	--l1--------l2--  .. --l1--------l2--	10.L.J.2    fd01:L:J::2
#	     spine1              spine4		netns spine1 .. spine4
#
# Path J is the way through spine J.  Leaves choose a packet's path by a hash of its
# addresses and ports (ECMP), so that a flow keeps to one path unless it changes its
# UDP source port.  Rate and queue of a path are those of the leaves' ports upJ; what is
# lost, late or doubled on the way, is so at the spine's ports lL, behind the queue.

# The hash is the same in every boot, where the kernel lets us say so (since 6.11).
: "${FABRIC_SEED:=4711}"
# The leaves whose direction path_rate, path_red and path_netem are about.
: "${PATH_LEAVES:=1 2}"

# fabric_leaf_spine A B K: hosts 1 to A on leaf 1, A+1 to A+B on leaf 2, and K spines.
# Taken down by fabric_down, when the script ends.
fabric_leaf_spine()
{
	local a=$1 b=$2 k=$3 i j

	log "fabric_leaf_spine $a $b $k"
	_fabric_begin
	_leaf_new leaf1
	_leaf_new leaf2
	for ((i = 1; i <= a + b; i++)); do
		_host_new $i leaf$((i <= a ? 1 : 2))
	done
	for ((j = 1; j <= k; j++)); do
		_switch_new spine$j
		_path_new $j
	done
	# shellcheck disable=SC2046 # a list
	paths_use $(seq "$k")
	_fabric_end
}

# A switch that spreads by ports, too.
_leaf_new()
{
	_switch_new "$1"
	ip netns exec "$1" sysctl -qw net.ipv4.fib_multipath_hash_policy=1 \
		net.ipv6.fib_multipath_hash_policy=1
	if ip netns exec "$1" test -e /proc/sys/net/ipv4/fib_multipath_hash_seed; then
		ip netns exec "$1" sysctl -qw net.ipv4.fib_multipath_hash_seed="$FABRIC_SEED"
	fi
}

# _mac_path L J END: END 1 is the leaf's, 2 the spine's.
_mac_path()
{
	printf '02:00:00:%02x:%02x:%02x\n' "$1" "$2" "$3"
}

# _path_new J: the cables from both leaves to spine J.
_path_new()
{
	local j=$1 l

	for l in 1 2; do
		ip -n leaf$l link add "up$j" address "$(_mac_path $l "$j" 1)" mtu "$FABRIC_MTU" type veth \
			peer name l$l address "$(_mac_path $l "$j" 2)" mtu "$FABRIC_MTU" netns "spine$j"
		ip -n leaf$l -batch - <<-END
		link set up$j up
		addr add 10.$l.$j.1/24 dev up$j
		addr add fd01:$l:$j::1/64 dev up$j nodad
		neigh replace 10.$l.$j.2 lladdr $(_mac_path $l "$j" 2) nud permanent dev up$j
		neigh replace fd01:$l:$j::2 lladdr $(_mac_path $l "$j" 2) nud permanent dev up$j
		END
		_spine_port "$j" $l
	done
}

# _spine_port J L: spine J's port to leaf L, and its routes to the hosts there.
_spine_port()
{
	local j=$1 l=$2 i

	ip -n "spine$j" -batch - <<-END
	link set l$l up
	addr add 10.$l.$j.2/24 dev l$l
	addr add fd01:$l:$j::2/64 dev l$l nodad
	neigh replace 10.$l.$j.1 lladdr $(_mac_path "$l" "$j" 1) nud permanent dev l$l
	neigh replace fd01:$l:$j::1 lladdr $(_mac_path "$l" "$j" 1) nud permanent dev l$l
	END
	for i in "${_hosts[@]}"; do
		[ "$(switch_of "$i")" = "leaf$l" ] || continue
		echo "route add 10.0.$i.0/24 via 10.$l.$j.1 dev l$l"
		echo "route add fd00:$i::/64 via fd01:$l:$j::1 dev l$l"
	done | ip -n "spine$j" -batch -
}

# paths_use J...: from now on the leaves spread over these paths only, both ways.
paths_use()
{
	local l j hops4 hops6

	log "paths_use $*"
	for l in 1 2; do
		hops4=() hops6=()
		for j in "$@"; do
			hops4+=(nexthop via "10.$l.$j.2" dev "up$j")
			hops6+=(nexthop via "fd01:$l:$j::2" dev "up$j")
		done
		ip -n leaf$l route replace default "${hops4[@]}"
		# IPv6 would keep what is not replaced one by one.
		ip -n leaf$l -6 route flush exact default
		ip -n leaf$l -6 route add default "${hops6[@]}"
	done
}

# path_rate J RATE_MBIT QUEUE_KB: path J forwards so fast, and drops what its queue of
# that size cannot take.
path_rate()
{
	local l

	for l in $PATH_LEAVES; do
		dev_clear "leaf$l" "up$1"
		dev_tail "leaf$l" "up$1" "$2" "$3"
	done
}

# path_red J RATE_MBIT QUEUE_KB KMIN_KB KMAX_KB [RED-ARGS...]: the same with marks, see
# dev_red.
path_red()
{
	local l

	path_rate "$1" "$2" "$3"
	for l in $PATH_LEAVES; do
		dev_red "leaf$l" "up$1" "${@:2}"
	done
}

# path_netem J NETEM-ARGS...: impair path J behind its queue.
path_netem()
{
	local j=$1 l

	shift
	for l in $PATH_LEAVES; do
		# What comes from leaf 1 leaves for leaf 2.
		dev_clear "spine$j" "l$((3 - l))"
		dev_netem "spine$j" "l$((3 - l))" "$@"
	done
}

# path_fail J: path J loses all, and nobody is told.  path_heal J: it is well again.
path_fail()
{
	path_netem "$1" loss 100%
}

path_heal()
{
	log "path_heal $1"
	dev_clear "spine$1" l1
	dev_clear "spine$1" l2
}

# path_clear J: path J is as fast as the machine, and perfect.
path_clear()
{
	dev_clear leaf1 "up$1"
	dev_clear leaf2 "up$1"
	dev_clear "spine$1" l1
	dev_clear "spine$1" l2
}

# path_stats J [FIELD [LEAF]]: what the port of leaf 1 (or LEAF) to path J did, see
# dev_stats.
path_stats()
{
	dev_stats "leaf${3:-1}" "up$1" ${2:+"$2"}
}

# path_bytes J [LEAF]: bytes that leaf 1 (or LEAF) has sent to path J.
path_bytes()
{
	path_stats "$1" bytes "${2:-1}"
}

###############################################################################
# Two hosts and nothing between

# direct_up I J: more hosts, one cable from the one to the other.  Needs a fabric, whose
# rules they follow; taken down with it.
direct_up()
{
	log "direct_up $1 $2"
	_hosts+=("$1" "$2")
	ip link add "h$1" address "$(mac_host "$1")" mtu "$FABRIC_MTU" type veth \
		peer name "h$2" address "$(mac_host "$2")" mtu "$FABRIC_MTU"
	_direct_host "$1" "$2"
	_direct_host "$2" "$1"
	_rxe_new "$1"
	_rxe_new "$2"
	_rxe_ready "$1"
	_rxe_ready "$2"
}

# _direct_host I J: where others have a switch, host I has host J.
_direct_host()
{
	_host_rules "$1"
	host_config "$1"
	ip -batch - <<-END
	neigh replace 10.0.$1.254 lladdr $(mac_host "$2") nud permanent dev h$1
	neigh replace fd00:$1::fe lladdr $(mac_host "$2") nud permanent dev h$1
	END
}
