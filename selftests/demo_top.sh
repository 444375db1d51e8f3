#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The picture of rxecc top in README.md: four senders, one receiver, a port of 100 Mb/s that marks. See vm/top.sh.

# shellcheck disable=SC2119 # no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

export LC_ALL=C.UTF-8

rcc_load
fabric_up 5
tmux -u new-session -d -s top -x 132 -y 14 "rxecc top --interval 500"
defer tmux kill-server
sleep 3
port_red 5 100 256 30 100
for i in 1 2 3 4; do
	flow_start "flow$i" "$i" 5 ib_send_bw -e -t 8 -r 16
	sleep 0.7
done
sleep 3
tmux capture-pane -e -p -t top > "$OUT/top.ansi"
tmux send-keys -t top q
for i in 1 2 3 4; do
	flow_stop "flow$i"
done
check "its programs go with it" busywait 20 no_tm_programs
check_num "the picture has the senders" "$(grep -c 'rxe[1-4]/17  .*10\.0\.5\.1' "$OUT/top.ansi")" '==' 4
finish
