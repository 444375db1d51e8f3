#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# export.sh RXECC TM_FILL - rxecc export tells what is in the telemetry's maps: read by curl, by promtool, by a parser of
# OpenMetrics and by a real Prometheus. Alerts, dashboard and unit fit to it.

# shellcheck disable=SC2317 # functions called by name
# shellcheck source-path=SCRIPTDIR
here=$(realpath "$(dirname "$0")")
. "$here/maps.sh"

top=$here/../..
docs=$top/Documentation
PATH=$PATH:$("$top/selftests/vm/kernel.sh" --cache)/prometheus/usr/bin
agent='' url=''

###############################################################################
# The exporter

# agent_start ARGS...: leaves the process in $agent, and where its metrics are in $url.
agent_start()
{
	"$rxecc" export --pins "$pins" --listen 127.0.0.1:0 "$@" > agent.out 2>&1 &
	agent=$!
	defer kill_wait $agent
	busywait 5 grep -q '^metrics at ' agent.out || bail "the exporter does not start: $(cat agent.out)"
	url=$(sed -n 's/^metrics at //p' agent.out)
}

# agent_end: leaves how it ended in $status.
agent_end()
{
	kill "$agent"
	wait "$agent"
	status=$?
}

# child_of PID
child_of()
{
	pgrep -P "$1"
}

scrape()
{
	curl -sS --max-time 10 "$@" "$url"
}

# value 'NAME{LABELS}': of a sample, in the file metrics.
value()
{
	name=$1 awk 'index($0, ENVIRON["name"] " ") == 1 { print $NF }' metrics
}

# count NAME: samples of this name.
count()
{
	grep -cE "^$1(\{| )" metrics
}

# has VALUE 'NAME{LABELS}': is it so in the file metrics?
has()
{
	check_eq "$2 is $1" "$(value "$2")" "$1"
}

# wrong CODE TEXT ARGS...: a command line that is refused, and what is said about it.
wrong()
{
	refuses "'rxecc export ${*:3}' is refused: $2" "$1" "$2" timeout 5 "$rxecc" export "${@:3}"
}

wrong_words()
{
	local rails=$work/rails line

	wrong 2 "no address to listen on" --listen 9879
	wrong 2 "no address to listen on" --listen 127.0.0.1:
	wrong 2 "no address to listen on" --listen 127.0.0.1:65536
	wrong 2 "stands in brackets" --listen ::1:9879
	wrong 2 "no number from 0 to" --top -1
	wrong 2 "no number from 0 to" --top 99999999
	wrong 2 "no time in seconds" --stall soon
	wrong 2 "no words, only options" rxe0
	wrong 2 "cannot read" --rails nothing
	for line in "" "raill a rxe0" "rail a" "rail a rxe$(printf 'x%.0s' {1..70})"; do
		echo "$line" > "$rails"
		wrong 2 "$rails" --rails "$rails"
	done
	wrong 1 "no telemetry in /nowhere" --pins /nowhere --listen 127.0.0.1:0
	wrong 1 "Address already in use" --pins "$pins" --listen "${url:7:-8}"
}

###############################################################################
# Figures

# Three rails, of which the last is slow; a QP with figures of all kinds, one that has stalled, one that ended 10 s ago, and one
# that ended longer ago than records are kept.
known()
{
	cat <<-END
	qp rxe0/17 comm=ib_send_bw pid=4711 peer=10.0.2.1 peer_qpn=18 started=1003 done=1001 failed=1
	qp rxe0/17 op_done=400,300,200,100 op_bytes=4000,3000,2000,1000 again=3 naks=1,2,3,4,5 timeouts=7
	qp rxe0/17 rtt_ns=15000 rate_bps=8000000000 rate_cuts=9 cnps_rcvd=1234 cnps_sent=567 cnps_ignored=8
	qp rxe0/17 started_ns=99999999999999999 done_ns=-1000000000 event=4 event_ns=-2000000000
	qp rxe1/99 comm=a"b\c type=4 peer=fd00::7 started=5 done=4 started_ns=-5000000000 done_ns=-6000000000
	qp rxe2/1 cnps_rcvd=50 born_ns=5
	qp rxe0/20 naks=10 died_ns=-10000000000
	qp rxe0/21 naks=100 died_ns=-61000000000
	sample rxe0/17 0 1000 500
	sample rxe0/17 0 5000 490
	sample rxe0/17 0 200000 9
	sample rxe0/17 0 30000000 1
	sample rxe0/17 4 15000 10
	sample rxe0/17 5 40000 10
	sample rxe0/17 6 50000 10
	sample rxe0 0 1000 500
	sample rxe0 0 5000 490
	sample rxe0 0 200000 9
	sample rxe0 0 30000000 1
	sample rxe0 4 15000 10
	sample rxe1 1 5000 1000
	sample rxe2 2 50000 1000
	lost 0 11
	lost 1 12
	lost 2 13
	lost 3 14
	lost 4 15
	END
}

# labels NAME VALUE...
labels()
{
	local text

	printf -v text '%s="%s",' "$@"
	echo "${text%,}"
}

qp_figures()
{
	local q='device="rxe0",qpn="17"' now

	has 1 "rxecc_qp_info{$q,$(labels peer 10.0.2.1 peer_qpn 18 comm ib_send_bw pid 4711 type RC rail left alg '')}"
	has 1 "rxecc_qp_info{$(labels device rxe1 qpn 99 peer fd00::7 peer_qpn 0 comm 'a\"b\\c' pid 0 type UD rail mid alg '')}"
	has 1003 "rxecc_qp_requests_started_total{$q}"
	has 1001 "rxecc_qp_requests_ended_total{$q}"
	has 1 "rxecc_qp_requests_failed_total{$q}"
	has 2 "rxecc_qp_requests_outstanding{$q}"
	has 300 "rxecc_qp_requests_completed_total{$q,op=\"write\"}"
	has 1000 "rxecc_qp_completed_bytes_total{$q,op=\"atomic\"}"
	has 3 "rxecc_qp_requests_resent_total{$q}"
	has 1 "rxecc_qp_naks_total{$q,syndrome=\"psn\"}"
	has 5 "rxecc_qp_naks_total{$q,syndrome=\"rnr\"}"
	has 7 "rxecc_qp_timeouts_total{$q}"
	has 9 "rxecc_qp_rate_cuts_total{$q}"
	has 1234 "rxecc_qp_cnps_received_total{$q}"
	has 567 "rxecc_qp_cnps_sent_total{$q}"
	has 8 "rxecc_qp_cnps_ignored_total{$q}"
	has 0.000015000 "rxecc_qp_last_rtt_seconds{$q}"
	has 1000000000 "rxecc_qp_rate_bytes_per_second{$q}"
	has 0.000001003 "rxecc_qp_latency_p50_seconds{$q,op=\"send\"}"
	has 0.000005023 "rxecc_qp_latency_p99_seconds{$q,op=\"send\"}"
	has 0.030015487 "rxecc_qp_latency_p9999_seconds{$q,op=\"send\"}"
	has 0.000015039 "rxecc_qp_rtt_p50_seconds{$q}"
	has 0.000040191 "rxecc_qp_hold_p9999_seconds{$q}"
	has 0.000049919 "rxecc_qp_cnp_gap_p99_seconds{$q}"
	has 0 "rxecc_qp_stalled{$q}"
	has 1 'rxecc_qp_stalled{device="rxe1",qpn="99"}'
	# the second that has begun counts
	now=$(($(date +%s) + 1))
	check_between "five seconds ago, or as much more as the test took, the last work request of the other one began" \
		"$(value 'rxecc_qp_last_progress_timestamp_seconds{device="rxe1",qpn="99"}')" $((now - 25)) $((now - 5))
	check_between "the latest event was before that, and is named" \
		"$(value "rxecc_qp_last_event_timestamp_seconds{$q,event=\"nak\"}")" $((now - 21)) $((now - 2))
}

device_figures()
{
	local d='device="rxe0",rail="left"' h=rxecc_device_latency_seconds

	has 500 "${h}_bucket{$d,op=\"send\",le=\"2e-06\"}"
	log "a bound that cuts through a bucket leaves it out: 1000 ns stand for 1000 to 1007, 5000 for 4992 to 5055"
	has 0 "${h}_bucket{$d,op=\"send\",le=\"1e-06\"}"
	has 500 "${h}_bucket{$d,op=\"send\",le=\"5e-06\"}"
	has 990 "${h}_bucket{$d,op=\"send\",le=\"1e-05\"}"
	has 990 "${h}_bucket{$d,op=\"send\",le=\"0.0002\"}"
	has 999 "${h}_bucket{$d,op=\"send\",le=\"0.0005\"}"
	has 1000 "${h}_bucket{$d,op=\"send\",le=\"0.05\"}"
	has 1000 "${h}_bucket{$d,op=\"send\",le=\"+Inf\"}"
	has 1000 "${h}_count{$d,op=\"send\"}"
	has 0.034750000 "${h}_sum{$d,op=\"send\"}"
	has 0 "${h}_count{$d,op=\"write\"}"
	has 10 "rxecc_device_rtt_seconds_count{$d}"
	has 1000 'rxecc_device_latency_seconds_count{device="rxe1",rail="mid",op="write"}'
	has 111 "rxecc_device_naks_total{$d,syndrome=\"psn\"}"
	has 1234 "rxecc_device_cnps_received_total{$d}"
	has 1 "rxecc_device_qps{$d}"
	has 1 'rxecc_device_stalled_qps{device="rxe1",rail="mid"}'
	has 0.000005023 'rxecc_rail_latency_p99_seconds{rail="left"}'
	has 0.000049919 'rxecc_rail_latency_p99_seconds{rail="right"}'
	has 1 'rxecc_rail_slowness_ratio{rail="mid"}'
	has 9.93808480987458 'rxecc_rail_slowness_ratio{rail="right"}'
}

own_figures()
{
	has 11 'rxecc_lost_samples_total{reason="qps"}'
	has 12 'rxecc_lost_samples_total{reason="hist"}'
	has 13 'rxecc_lost_samples_total{reason="flying"}'
	has 14 'rxecc_lost_samples_total{reason="before"}'
	has 15 'rxecc_lost_samples_total{reason="evicted"}'
	has 4 rxecc_qps
	has 0 rxecc_qps_left_out
	has 1 rxecc_attached
	has 0 rxecc_module_loaded
	check_num "the version is told" "$(count rxecc_build_info)" == 1
	check_num "so is what it costs" "$(value process_resident_memory_bytes)" '>' 1000000
}

# record QPN: of a QP of rxe0, as bpftool shows it.
record()
{
	bpftool map lookup pinned "$pins/qp" key 0 0 0 0 "$1" 0 0 0
}

# Records come and go; totals of devices only grow.
totals()
{
	local naks='rxecc_device_naks_total{device="rxe0",rail="left",syndrome="psn"}'
	local cnps='rxecc_device_cnps_received_total{device="rxe2",rail="right"}'

	check_fails "a QP that ended long ago is taken out of the map" record 21
	check "one that ended lately is still in it" record 20
	fill "gone rxe0/20"
	scrape > metrics
	has 3 rxecc_qps
	has 111 "$naks"
	fill "qp rxe2/1 cnps_rcvd=3 born_ns=6"
	scrape > metrics
	has 53 "$cnps"
	fill "qp rxe2/1 cnps_rcvd=4"
	scrape > metrics
	has 54 "$cnps"
}

# With room for two: what has stalled, and what has most traffic.
few_series()
{
	printf '%s\n' "rail slow rxe2" "rail other *" > two.conf
	agent_start --top 2 --rails two.conf
	fill "qp rxe2/2 op_bytes=1000000000"
	scrape > metrics
	check_eq "of four QPs two have series: the one that has stalled and the one with most traffic" \
		"$(sed -nE 's/^rxecc_qp_info\{device="([^"]*)",qpn="([^"]*)".*/\1\/\2/p' metrics | tr '\n' ' ')" "rxe1/99 rxe2/2 "
	has 2 rxecc_qps_left_out
	log "of two rails, the slow one is compared with the other"
	has 9.93808480987458 'rxecc_rail_slowness_ratio{rail="slow"}'
	has 1 'rxecc_rail_slowness_ratio{rail="other"}'
	has 2 'rxecc_rail_devices{rail="other"}'
	check_num "devices have all theirs" "$(count rxecc_device_qps)" == 3
	fill "gone rxe2/2"
	agent_end
}

###############################################################################
# HTTP and formats

# answer ARGS...: status and type.
answer()
{
	curl -sS -o /dev/null -w '%{http_code} %{content_type}' "$@"
}

formats()
{
	local prometheus='Accept: application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1'
	local text="text/plain; version=0.0.4; charset=utf-8"
	local open="application/openmetrics-text; version=1.0.0; charset=utf-8"

	check "promtool finds nothing to say of the metrics" promtool check metrics <<< "$(cat metrics)"
	check_eq "who asks for nothing gets text" "$(answer "$url")" "200 $text"
	check_eq "Prometheus gets OpenMetrics" "$(answer -H "$prometheus" "$url")" "200 $open"
	check_eq "who likes text better gets text" \
		"$(answer -H 'Accept: application/openmetrics-text;q=0.2, text/plain' "$url")" "200 $text"
	check_eq "who does not want OpenMetrics does not get it" \
		"$(answer -H 'Accept: application/openmetrics-text;q=0' "$url")" "200 $text"
	scrape -H "$prometheus" > openmetrics
	check "a parser of OpenMetrics takes it" /usr/bin/python3 "$here/openmetrics.py" < openmetrics
	check_fails "and would not take it cut short" /usr/bin/python3 "$here/openmetrics.py" < <(head -n -1 openmetrics)
	check_eq "both formats have the same samples" \
		"$(diff <(samples metrics) <(samples openmetrics))" ""
}

# Names and labels; those of the exporter itself change from scrape to scrape.
samples()
{
	grep -v '^#' "$1" | sed 's/ [^ ]*$//' | sort
}

http()
{
	local base=${url%/metrics}

	check_eq "/healthz says ok" "$(curl -sS "$base/healthz")" ok
	check_eq "HEAD is answered" "$(answer -I "$url")" "200 text/plain; version=0.0.4; charset=utf-8"
	check_eq "another path is not found" "$(answer "$base/")" "404 text/plain; charset=utf-8"
	check_eq "nothing can be posted" "$(answer -d x=y "$url")" "405 text/plain; charset=utf-8"
	exec 5<> "/dev/tcp/127.0.0.1/${base##*:}"
	printf 'GET /metr' >&5
	scrape > metrics
	exec 5>&-
	log "somebody who connects and says half a word does not keep others from an answer"
	has 1 'rxecc_http_requests_total{code="404"}'
	has 1 'rxecc_http_requests_total{code="405"}'
	check_num "scrapes are counted" "$(value 'rxecc_http_requests_total{code="200"}')" '>' 5
}

###############################################################################
# Processes

# status_of PID FIELD
status_of()
{
	awk -v field="$2:" '$1 == field { print $2 }' "/proc/$1/status"
}

rights()
{
	local child

	child=$(child_of "$agent")
	check_num "what answers is not root" "$(status_of "$child" Uid)" '>' 0
	check_eq "it has no capability" "$(status_of "$child" CapPrm)" 0000000000000000
	check_eq "and cannot get one" "$(status_of "$child" NoNewPrivs)" 1
	check_eq "its parent may attach programs, and no more: CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF" \
		"$(status_of "$agent" CapEff)" 000000c000200000
	check_eq "what answers holds maps, no program" \
		"$(find "/proc/$child/fd" -lname 'anon_inode:bpf*' -printf '%l\n' | sort -u)" anon_inode:bpf-map
}

ends()
{
	local child

	child=$(child_of "$agent")
	kill -HUP "$agent"
	kill -TERM "$child"
	scrape > metrics
	check_num "signals that are meant for its parent do not disturb what answers" "$(count rxecc_qps)" == 1
	agent_end
	check_eq "SIGTERM ends the exporter well" "$status" 0
	check "and what answers with it" busywait 5 gone "$child"
	agent_start
	child=$(child_of "$agent")
	kill -KILL "$agent"
	wait "$agent" 2>/dev/null
	check "when the parent is killed, what answers ends" busywait 5 gone "$child"
	agent_start
	kill -KILL "$(child_of "$agent")"
	wait "$agent"
	check_eq "when what answers is killed, its parent says so and ends" "$?: $(tail -n 1 agent.out)" \
		"1: rxecc export: the process that answers has ended"
}

# gone PID
gone()
{
	[ ! -e "/proc/$1" ]
}

# memory_kb PID...: of all of them, in KiB.
memory_kb()
{
	local pid sum=0

	for pid; do
		sum=$((sum + $(status_of "$pid" VmRSS)))
	done
	echo $sum
}

# The best of several: the machine may have other things to do.
many()
{
	local best

	fill "many 10000 8"
	agent_start
	best=$(for _ in {1..20}; do scrape -o metrics -w '%{time_total}\n'; done | sort -n | head -n 1)
	check_num "all QPs are there" "$(value rxecc_qps)" '>=' 10000
	check_num "64 of them have series" "$(count rxecc_qp_info)" == 64
	check_num "a scrape with 10000 QPs takes at most 0.1 s" "$best" '<=' 0.1
	check_num "both processes together have at most 20 MB, in KiB" "$(memory_kb "$agent" "$(child_of "$agent")")" '<=' 20480
	agent_end
	agent_start --top 2000
	check_fails "who goes away before the end of a long answer does not get it" scrape --max-filesize 1000
	scrape > metrics
	check_num "but it was written" "$(count rxecc_qp_info)" == 2000
	has 1 'rxecc_scrape_errors_total{reason="send"}'
	agent_end
}

###############################################################################
# Prometheus, alerts, dashboard, unit

# free_port: one that nobody listens on.
free_port()
{
	local port

	while port=$((20000 + RANDOM % 10000)) && (: < "/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
		:
	done
	echo "$port"
}

# The expressions of the dashboard with variables as Grafana fills them in.
expressions()
{
	local filled='s/[$]__rate_interval/1m/g; s/[$](device|rail|qpn)/.*/g; s/^label_values[(](.*), [a-z]+[)]$/\1/'

	jq -r '(.. | .expr? // empty), (.templating.list[] | select(.type == "query") | .query.query)' \
		"$docs/grafana/rxecc.json" | sed -E "$filled"
}

# Prometheus evaluates the dashboard's expressions, too: as rules.
prometheus_start()
{
	local port

	expressions > asked
	awk 'BEGIN { print "groups: [{name: dashboard, rules: [" }
		{ gsub(/\047/, "&&"); printf "{record: dashboard:e%d, expr: \047%s\047},\n", NR, $0 }
		END { print "]}]" }' asked > dashboard.yml
	port=$(free_port)
	api=http://127.0.0.1:$port/api/v1
	cat > prometheus.yml <<-END
	global:
	  scrape_interval: 500ms
	  evaluation_interval: 500ms
	rule_files: [$docs/prometheus/rxecc.rules.yml, dashboard.yml]
	scrape_configs:
	  - job_name: rxecc
	    static_configs: [{targets: ["${url:7:-8}"]}]
	END
	check "promtool takes the configuration and the rules" promtool check config prometheus.yml
	rm -rf data
	prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address="127.0.0.1:$port" \
		> prometheus.log 2>&1 &
	prometheus=$!
	defer kill_wait $prometheus
}

# query EXPRESSION: the values that Prometheus gives.
query()
{
	curl -sS --data-urlencode "query=$1" "$api/query" | jq -r '.data.result[].value[1]'
}

# rules FILTER: alerts and rules, through jq's FILTER.
rules()
{
	curl -sS "$api/rules" | jq -r ".data.groups[].rules[] | $1"
}

answers()
{
	[ "$(query "$1" 2>/dev/null)" = "$2" ]
}

# tells SENTENCE EXPRESSION VALUE
tells()
{
	check "$1" busywait 60 answers "$2" "$3"
}

# Names that an exporter tells, with the module's counters, which are there when the module is.
names()
{
	sed -nE 's/^# TYPE ([^ ]*) (counter|gauge)$/\1/p; s/^# TYPE ([^ ]*) histogram$/\1_bucket\n\1_sum\n\1_count/p' metrics
	sed -nE 's/^\tc\(([a-z0-9_]*)\).*/rxecc_\1_total/p' "$top/kmod/stats.h"
	printf '%s\n' up ALERTS
}

# unknown FILE: names of metrics in it that no exporter tells.
unknown()
{
	grep -oE '\b(rxecc|process)_[a-z0-9_]+\b|\bup\b|\bALERTS\b' "$1" | sort -u | grep -vxFf <(names)
}

dashboard()
{
	check_num "the dashboard asks for something" "$(wc -l < asked)" '>' 30
	check_eq "each metric that it asks for is told by the exporter" "$(unknown asked)" ""
	check_eq "a metric that is not would be found" \
		"$(unknown <(echo 'rate(rxecc_nothing_total[1m]) + up'))" rxecc_nothing_total
	check_eq "no panel covers another, and all have titles" \
		"$(jq -c '[.panels[] | select(.title == "" or .gridPos.x + .gridPos.w > 24) | .id],
			([.panels[].id] | length - (unique | length))' "$docs/grafana/rxecc.json" | tr -d '\n')" "[]0"
}

alerts()
{
	grep -oE 'alert: .*' "$docs/prometheus/rxecc.rules.yml" | cut -d ' ' -f 2 > alerts
	sed -n '/^        expr:/,/^        \(for\|labels\):/p' "$docs/prometheus/rxecc.rules.yml" > alert_expressions
	check_eq "each metric of the alerts is told by the exporter" "$(unknown alert_expressions)" ""
	check "alerts fire when they should, and do not when they should not" promtool test rules "$here/rules_test.yml"
	check_eq "there is none that is not tested" \
		"$(grep -vFf <(grep -oE 'alertname="[A-Za-z]*"' "$here/rules_test.yml" | cut -d '"' -f 2) alerts)" ""
}

prometheus_tells()
{
	tells "Prometheus scrapes the exporter" 'up{job="rxecc"}' 1
	tells "it has the CNPs that are in the map" 'rxecc_qp_cnps_received_total{device="rxe0",qpn="17"}' 1234
	tells "and the bytes" 'sum(rxecc_device_completed_bytes_total{device="rxe0"})' 10000
	tells "its own median is between the bounds around it" \
		'histogram_quantile(0.5, rxecc_device_latency_seconds_bucket{device="rxe0",op="send"})' 0.000002
	tells "p99.99 of a QP" 'rxecc_qp_latency_p9999_seconds' 0.030015487
	tells "a join tells whose QP has stalled" \
		'count(rxecc_qp_stalled * on (device, qpn) group_left (peer) rxecc_qp_info{peer="fd00::7"} == 1)' 1
	tells "the alert for it is there" 'count(ALERTS{alertname="RxeccQpStalled",device="rxe1",qpn="99",peer="fd00::7"})' 1
	fill "qp rxe0/17 cnps_rcvd=2234"
	tells "1000 CNPs more in the map are 1000 more there" 'rxecc_qp_cnps_received_total{device="rxe0",qpn="17"}' 2234
	check_eq "nothing went wrong with any scrape" \
		"$(curl -sS "$api/targets" | jq -r '.data.activeTargets[] | .health + .lastError')" up
	check_eq "nor with any alert or expression of the dashboard" \
		"$(rules 'select(.health != "ok") | .name + .lastError')" ""
	check_eq "all of them were evaluated" "$(rules .name | wc -l)" "$(cat asked alerts | wc -l)"
}

unit()
{
	local file=$work/rxecc-export.service

	sed "s|/usr/local/sbin/rxecc|$rxecc|" "$docs/systemd/rxecc-export.service" > "$file"
	check_eq "the unit is sound" "$(systemd-analyze verify --man=no "$file" 2>&1)" ""
	check "it is confined" systemd-analyze security --offline=true --threshold=30 "$file"
}

cat > rails.conf <<-END
	# a comment
	rail left rxe0 nothing*
	rail mid rxe[1]   # another
	rail right rxe*
END
fill "$(known)"
agent_start --rails rails.conf
wrong_words
scrape > metrics
qp_figures
device_figures
scrape > metrics
own_figures
totals
formats
http
prometheus_start
alerts
prometheus_tells
dashboard
kill_wait $prometheus
rights
ends
few_series
many
unit
finish
