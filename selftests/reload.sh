#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module comes and goes 50 times under traffic (15 where time is the machine's), and
# the QPs do not notice.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# Where time does not count instructions, the load of the machine is in it.
if icount; then
	: "${RELOADS:=50}"
	limit=1000
else
	: "${RELOADS:=15}"
	limit=5000
fi
PERF_TIMEOUT=250

waits()
{
	[ "$(cat /sys/class/rxe_cc/rxe1/counters/tx_held)" -gt 0 ]
}

fabric_up 3
# Slow ports, whose queues hold all that stock rxe sends without an ACK, leave the
# processor to what is tested.
port_tail 2 50 1000
port_tail 3 50 1000
rcc_load
rcc_unload
flow_start send 1 2 ib_send_bw -e
flow_start read 3 1 ib_read_bw -e -s 65536
check "data moves" flow_moves 2
check "READ responses move" flow_moves 3
slowest=0 held=0
for ((i = 1; i <= RELOADS; i++)); do
	start=$(now_ms)
	insmod "$RCC_MODULES/rxe_cc.ko" || bail "load $i failed"
	load=$(($(now_ms) - start))
	# Slow half of the time: then packets wait when it goes.
	if [ $((i & 1)) = 1 ]; then
		echo 20 > /sys/class/rxe_cc/rxe1/params/dcqcn/rp_max_rate
		busywait 10 waits > /dev/null || bail "nothing waits after load $i"
		held=$((held + $(cc_count rxe1 tx_held)))
	fi
	start=$(now_ms)
	rmmod rxe_cc || bail "unload $i failed"
	ms=$(($(now_ms) - start))
	slowest=$((ms > slowest ? ms : slowest))
	log "load $load ms, unload $ms ms"
	flow_alive send || bail "the flow died with unload $i"
done
ok "it came and went $RELOADS times"
check_num "packets waited" $held '>' 0
check_num "the slowest unload (ms)" "$slowest" '<' $limit
flow_check "the QP that sends works" send 2
flow_check "the QP that reads works" read 3
flow_stop send read
check_fails "nothing of the module is left in sysfs" test -e /sys/class/rxe_cc
check_fails "or in debugfs" test -e /sys/kernel/debug/rxe_cc
check_eq "or among the kprobes" "$(grep -c rxe_ /sys/kernel/debug/kprobes/list)" 0
finish
