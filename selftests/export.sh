#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rxecc export as an agent: what it tells of real traffic is what sysfs and perftest say; who has which rights; it lets go of
# the modules when it is told to, and of everything when it ends, however that happens.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

pins=/sys/fs/bpf/rxe_cc
work=$(mktemp -d)
defer rm -rf "$work"
metrics=$work/metrics

agent_start()
{
	rxecc export > "$work/out" 2>&1 &
	agent=$!
	defer kill_wait $agent
	busywait 20 grep -q '^metrics at ' "$work/out" || bail "the agent does not start: $(cat "$work/out")"
}

# get PATH: what the agent answers.
get()
{
	exec 4<> /dev/tcp/127.0.0.1/9879 || return 1
	printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&4
	cat <&4
	exec 4>&-
}

# scrape: what the agent tells, in the file $metrics.
scrape()
{
	get /metrics > "$metrics"
}

# value 'NAME{LABELS}': of a sample in the latest scrape.
value()
{
	name=$1 awk 'index($0, ENVIRON["name"] " ") == 1 { print $NF }' "$metrics"
}

# tells NAME{LABELS} VALUE: does a new scrape have it?
tells()
{
	scrape && [ "$(value "$1")" = "$2" ]
}

status_of()
{
	awk -v field="$2:" '$1 == field { print $2 }' "/proc/$1/status"
}

starting()
{
	check_fails "nothing can be read while no agent runs" rxecc export --pins $pins
	agent_start
	check_num "its programs are attached" "$(tm_programs)" '>' 10
	check_eq "its maps are pinned" "$(cd $pins && echo *)" "flying hist lost qp"
	check "it answers" scrape
	check_eq "nothing is missing" "$(value rxecc_attached), module $(value rxecc_module_loaded)" "1, module 1"
	check_fails "there cannot be two" rxecc export --listen 127.0.0.1:9880
	check_fails "not even by the same address" rxecc export
	check "the first one is not disturbed" scrape
}

rights()
{
	local child

	child=$(pgrep -P $agent)
	check_num "what answers is not root" "$(status_of "$child" Uid)" '>' 0
	check_eq "it has no capability, and cannot get one" \
		"$(status_of "$child" CapPrm) $(status_of "$child" NoNewPrivs)" "0000000000000000 1"
	check_eq "its parent may attach programs, and no more: CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF" \
		"$(status_of "$agent" CapEff)" 000000c000200000
	check_eq "what answers holds maps, no program" \
		"$(find "/proc/$child/fd" -lname 'anon_inode:bpf*' -printf '%l\n' | sort -u)" anon_inode:bpf-map
	check_num "both together have at most 20 MB, in KiB" \
		"$(($(status_of $agent VmRSS) + $(status_of "$child" VmRSS)))" '<=' 20480
}

figures()
{
	local d='device="rxe1",rail="1"' n=500 sent

	perf 1 2 ib_send_bw -e -s 65536 -n $n > "$work/perf" || bail "perftest fails"
	scrape
	sent=$(value "rxecc_device_requests_completed_total{$d,op=\"send\"}")
	check_eq "every work request of perftest is counted" "$sent" $n
	check_eq "each of them has a latency" "$(value "rxecc_device_latency_seconds_count{$d,op=\"send\"}")" $n
	check_eq "their bytes are counted" "$(value "rxecc_device_completed_bytes_total{$d,op=\"send\"}")" $((n * 65536))
	check_num "QPs have series" "$(grep -c '^rxecc_qp_info{' "$metrics")" '>=' 2
	check_num "they say whose they are" "$(grep -c '^rxecc_qp_info{.*comm="ib_send_bw",pid="[1-9]' "$metrics")" '>=' 2
	check_eq "no sample was lost, for none of six reasons" \
		"$(awk '/^rxecc_lost_samples_total/ { n++; lost += $NF } END { print n, lost }' "$metrics")" "6 0"
}

# CNPs that a switch causes: the module counts them, the programs count them, both are told.
cnps()
{
	local alg

	alg=$(cat /sys/class/rxe_cc/rxe1/algorithm)
	port_red 2 100 256 30 100
	perf_start cnp 1 2 ib_send_bw -e -s 65536 -n 400
	check "data moves through a port that marks" flow_moves 2 200
	scrape
	check_num "QPs say which algorithm is in charge" "$(grep -c "^rxecc_qp_info{.*alg=\"$alg\"} 1" "$metrics")" '>=' 2
	check_num "and how much they have sent" "$(awk '/^rxecc_qp_tx_packets_total/ { n += $NF } END { print n }' "$metrics")" \
		'>=' 200
	check_num "and what they may" "$(grep -c '^rxecc_qp_rate_bytes_per_second{device="rxe1"' "$metrics")" '>=' 1
	check_num "devices say how they are set" "$(grep -c "^rxecc_device_info{.*algorithm=\"$alg\"" "$metrics")" == 2
	perf_wait cnp > "$work/perf" || bail "perftest fails"
	port_clear 2
	check_num "CNPs came" "$(cc_count rxe1 rp_cnp_handled)" '>' 0
	check "the metric by the module's name is sysfs' counter" \
		busywait 5 counts 'rxecc_rp_cnp_handled_total{device="rxe1",rail="1"}' rxe1 rp_cnp_handled
	check "the programs have counted as many" \
		busywait 5 counts 'rxecc_device_cnps_received_total{device="rxe1",rail="1"}' rxe1 rp_cnp_handled
	check "and the other side has sent what it counts as sent" \
		busywait 5 counts 'rxecc_device_cnps_sent_total{device="rxe2",rail="2"}' rxe2 np_cnp_sent
}

# counts NAME{LABELS} DEV COUNTER: does a new scrape have what sysfs has?
counts()
{
	tells "$1" "$(cc_count "$2" "$3")"
}

reloading()
{
	local before

	before=$(value 'rxecc_device_requests_completed_total{device="rxe1",rail="1",op="send"}')
	check_fails "a module cannot be unloaded under the agent" rmmod rxe_cc
	kill -HUP $agent
	check "after SIGHUP no program is attached" busywait 5 tells rxecc_attached 0
	check_eq "none is loaded" "$(tm_programs)" 0
	check_num "/healthz says so" "$(get /healthz | grep -c '^missing: everything')" == 1
	check "the module can be unloaded" rcc_unload
	rcc_load
	check "the agent attaches again" busywait 30 tells rxecc_attached 1
	perf 1 2 ib_send_bw -e -s 65536 -n 100 > "$work/perf" || bail "perftest fails"
	check "it goes on counting where it was" \
		tells 'rxecc_device_requests_completed_total{device="rxe1",rail="1",op="send"}' $((before + 100))
}

# The kernel lets go of programs a little after their process.
nothing_left()
{
	no_tm_programs && [ ! -e "$pins" ] && ! pgrep -x rxecc
}

ending()
{
	kill $agent
	wait $agent
	check_eq "SIGTERM ends it well" "$?" 0
	check "nothing of it is left: no program, no pin, no process" busywait 5 nothing_left
	agent_start
	kill -KILL "$(pgrep -P $agent)"
	wait $agent
	check_eq "when what answers is killed, the agent ends with an error" "$?" 1
	check "and leaves nothing" busywait 5 nothing_left
	agent_start
	kill -KILL $agent
	wait $agent 2>/dev/null
	check "when it is killed itself, no program is left attached" busywait 5 no_tm_programs
	check "its pins are" [ -e $pins/qp ]
	agent_start
	check "the next one takes over" scrape
	kill_wait $agent
	check "and leaves nothing" busywait 5 nothing_left
}

rcc_load
fabric_up 2
starting
rights
figures
cnps
reloading
ending
finish
