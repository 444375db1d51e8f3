#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# hist.sh RXECC TM_FILL - rxecc hist says of samples that are known what they are.

# shellcheck disable=SC2317 # functions called by name
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/maps.sh"

# Numbers of histograms, see enum tm_hist.
send=0 write=1 rtt=4 hold=5

# of FILE KIND KEY...: values of a histogram, with blanks between.
of()
{
	local file=$1 kind=$2

	shift 2
	jq -r --arg kind "$kind" '.histograms[] | select(.kind == $kind) | [.[$ARGS.positional[]]] | map(tostring) | join(" ")' \
		"$file" --args "$@"
}

# 1000 samples below 64 ns, where a bucket is one nanosecond: 10 ns up to the 500th, 20 up to the 900th, and so on.
small()
{
	fill "qp rxe0/17 comm=ib_send_bw pid=4711 peer=10.0.2.1 peer_qpn=18" \
		"sample rxe0/17 $send 10 500" "sample rxe0/17 $send 20 400" "sample rxe0/17 $send 30 90" \
		"sample rxe0/17 $send 40 9" "sample rxe0/17 $send 50"
	rx hist qp rxe0/17 --json > small
	check_eq "quantiles of short times are exact" \
		"$(of small send count sum_ns mean_ns p50_ns p90_ns p99_ns p99_9_ns p99_99_ns max_ns)" \
		"1000 16110 16 10 20 30 40 50 50"
	check_eq "buckets are those that have samples" "$(of small send buckets)" \
		'[{"from_ns":10,"below_ns":11,"count":500},{"from_ns":20,"below_ns":21,"count":400},'`
		`'{"from_ns":30,"below_ns":31,"count":90},{"from_ns":40,"below_ns":41,"count":9},'`
		`'{"from_ns":50,"below_ns":51,"count":1}]'
	check_eq "a histogram without samples has no quantiles" "$(of small rtt count sum_ns mean_ns p50_ns max_ns buckets)" \
		"0 0 null null null []"
	check_eq "it is said whose they are" "$(jq -c 'del(.histograms)' small)" \
		'{"dev":"rxe0","qpn":17,"type":"RC","peer":"10.0.2.1","peer_qpn":18,"comm":"ib_send_bw","pid":4711}'
}

# A bucket of 10.24 us is 128 ns wide, and one of 3 ms 32.768 us; what is told is its middle.
long()
{
	fill "sample rxe0/17 $write 10250 9999" "sample rxe0/17 $write 3000000"
	rx hist qp rxe0/17 --json > long
	check_eq "of 10^4 samples one outlier is above p99.99" \
		"$(of long write count p50_ns p99_99_ns max_ns)" "10000 10303 10303 2998271"
	fill "sample rxe0/17 $write 3000000"
	rx hist qp rxe0/17 --json > long
	check_eq "two outliers reach p99.99" "$(of long write count p99_9_ns p99_99_ns)" "10001 10303 2998271"
	fill "sample rxe0/17 $hold 70000000000"
	rx hist qp rxe0/17 --json > long
	check_between "what is longer than 68 s counts as that long" "$(of long hold max_ns)" 68000000000 68719476736
}

devices()
{
	fill "sample rxe0 $rtt 30 7" "sample rxe0/17 $rtt 20"
	rx hist dev rxe0 --json > all
	check_eq "a device has its own" "$(of all rtt count p50_ns) $(jq -r .dev all) $(of all send count)" "7 30 rxe0 0"
}

text()
{
	LC_ALL=C.UTF-8 rx hist qp rxe0/17 > text
	check_eq "text: a title" "$(head -n 1 text)" "rxe0/17 RC to 10.0.2.1/18, ib_send_bw(4711)"
	check_eq "text: a line for each histogram that has samples" \
		"$(sed -n '3,6s/ .*//p' text | tr '\n' ' ')" "send write rtt hold "
	check_eq "text: the quantiles" "$(sed -n 's/^send  *//p' text | head -n 1 | tr -s ' ')" \
		"1000 16 ns 10 ns 20 ns 30 ns 40 ns 50 ns 50 ns"
	check_eq "text: a bar for each octave" "$(sed -n '/^write$/,/^$/p' text | grep -c '%')" 9
	check_eq "text: the longest bar has 40 cells, and a lonely sample one" \
		"$(sed 's/█/#/g' text | sed -n '/^write$/,/^$/p' | sed -n '2p;10p' | grep -o '#*$')" \
		"$(printf '#%.0s' {1..40})"$'\n#'
	LC_ALL=C rx hist qp rxe0/17 > plain
	check_eq "text: plain characters where there are no others" "$(LC_ALL=C grep -c '[^ -~]' plain)" 0
	check_eq "text: the bars are there nevertheless" "$(grep -c '#' plain)" "$(grep -c '█' text)"
}

for_a_time()
{
	rx hist qp rxe0/17 --seconds 3 --json > later &
	sleep 1
	fill "sample rxe0/17 $send 60 3"
	wait $!
	check_eq "for some seconds: only what came in these" \
		"$(of later send count p50_ns sum_ns) $(of later write count)" "3 60 180 0"
}

refusals()
{
	refuses "a QP that nobody has seen is refused" 1 "'rxe0/18'" rx hist qp rxe0/18
	refuses "so is such a device" 1 "'rxe7'" rx hist dev rxe7
	refuses "a device is no QP" 2 "is no QP" rx hist qp rxe0
	refuses "a QP is no device" 2 "hist qp rxe0/17" rx hist dev rxe0/17
	refuses "there are no other histograms" 2 "'queue'" rx hist queue rxe0
	refuses "a time is a number" 2 "'soon'" rx hist qp rxe0/17 --seconds soon
	refuses "it wants words" 2 "of what" rx hist
	refuses "without telemetry it says so" 1 "$work" "$rxecc" hist --pins "$work" qp rxe0/17
	refuses "who may not read the maps is told so" 1 "$pins" \
		setpriv --reuid 65534 --regid 65534 --clear-groups "$rxecc" hist --pins "$pins" qp rxe0/17
}

small
long
devices
text
for_a_time
refusals
finish
