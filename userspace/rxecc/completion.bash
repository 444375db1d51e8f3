# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of rxecc. Names come from sysfs: that needs no rights and starts no program.

_rxecc_words()
{
	local sys=/sys/class/rxe_cc cmd=${words[1]-} n=$1

	case $cmd,$n in
	,*) echo show set params top hist monitor export ;;
	show,2) echo dev qp alg ;;
	set,2 | hist,2) echo dev qp ;;
	show,3 | set,3 | params,2) ls $sys ;;
	hist,3 | monitor,2) ls /sys/class/infiniband ;;
	params,3) ls "$sys/${words[2]}/params" ;;
	show,4) [ "${words[2]}" = qp ] && echo paths ;;
	params,*) echo profile; ls "$sys/${words[2]}/params/${words[3]}" ;;
	set,*) [ "${words[2]}" = qp ] && echo alg spray || echo alg profile ecn line-rate link spray entropies ;;
	esac 2>/dev/null
}

_rxecc_values()
{
	case $1 in
	alg) cat /sys/class/rxe_cc/*/available_algorithms 2>/dev/null
	     [ "${words[2]}" != qp ] || echo default ;;
	profile) echo auto cx paper ;;
	ecn | link) echo on off ;;
	--by) echo qp peer device process rail ;;
	spray) echo none rr random reps adaptive
	       [ "${words[2]}" != qp ] || echo default ;;
	*) return 1 ;;
	esac
}

_rxecc_options()
{
	echo --json --help --version
	case $1 in
	top) echo --pins --stall --interval --once --by --rails --sort --filter ;;
	hist) echo --pins --seconds ;;
	monitor) echo --pins --stall --interval ;;
	export) echo --listen --top --qps --rails --pins --stall ;;
	esac
}

_rxecc()
{
	local words=() w cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} list

	# Options may stand anywhere and count for nothing.
	for w in "${COMP_WORDS[@]:0:COMP_CWORD}"; do
		[[ $w = -* ]] || words+=("$w")
	done
	case $cur in
	-*) list=$(_rxecc_options "${words[1]-}") ;;
	*) list=$(_rxecc_values "$prev") || list=$(_rxecc_words ${#words[@]}) ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$list" -- "$cur")
}

complete -F _rxecc rxecc
