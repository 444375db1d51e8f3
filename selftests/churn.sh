#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 2,000 QPs come and go, most of them in mid-work, beside a flow that stays.  None is
# forgotten, and none waits long for its end.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

: "${CHURN_PAIRS:=1000}"

all_gone()
{
	[ "$(cc_sum qp_new)" = $(($(cc_sum qp_del) + $(live_qps))) ]
}

live_qps()
{
	cat /sys/class/rxe_cc/*/qps | awk '{ s += $1 } END { print s }'
}

# churn PAIRS ARGS...
churn()
{
	local n=$1

	shift
	run rcc_churn -d rxe1 -g "$(gid4 rxe1)" -D rxe2 -G "$(gid4 rxe2)" -n "$n" "$@"
}

PERF_TIMEOUT=200
fabric_up 2
log "stock: $(churn 20)"

rcc_load
flow_start stays 1 2 ib_send_bw -e
check "data moves" flow_moves 2
start=$(live_qps)

# Slow, so that packets are held when their QP is destroyed.
cc_set rxe1 params/dcqcn/rp_max_rate 20
new=$(cc_sum qp_new) del=$(cc_sum qp_del) held=$(cc_count rxe1 tx_held)
result=$(churn "$CHURN_PAIRS")
log "$result"
qps=$((2 * CHURN_PAIRS))
check_eq "$qps QPs came and went" "$(jq .qps <<< "$result")" $qps
check_eq "no completion had an error" "$(jq .failed <<< "$result")" 0
check_num "packets waited" "$(($(cc_count rxe1 tx_held) - held))" '>' "$CHURN_PAIRS"
check_num "the longest destruction, with packets that wait (ms)" "$(jq .slowest_destroy_ms <<< "$result")" '<' "$(within 1000)"
check "every QP's end was noticed" busywait 5 all_gone
check_eq "the module learnt all of them" $(($(cc_sum qp_new) - new)) $qps
check_eq "and forgot all of them" $(($(cc_sum qp_del) - del)) $qps
check_eq "as many are left as before" "$(live_qps)" "$start"
check_eq "no record was replaced by another QP's" "$(cc_sum qp_reused)" 0
flow_check "the flow beside them works" stays 2
flow_stop stays
busywait 5 cc_settled > /dev/null
check "nothing waits any more" cc_settled
check_eq "no QP is left" "$(live_qps)" 0
check_eq "packets that waited are accounted for" "$(cc_count rxe1 tx_held)" \
	$(($(cc_count rxe1 tx_released) + $(cc_count rxe1 tx_purged) + $(cc_count rxe1 tx_dropped_link_down)))
finish
