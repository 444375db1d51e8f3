#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# peers.sh FABSIM - the same work as HPCC's simulator (ns-3), and the same results.
#
# What a flow takes alone follows from the links: propagation on every link, there and
# back; one packet on every link; the others on the slowest one; the ACK on every link.
# ns-3 cuts each transmission to whole nanoseconds. What HPCC's simulator itself has
# given is named where it is used. With PEERS=<directory of its files and results>,
# those are compared as well; that is not counted as tests.

# shellcheck disable=SC2317 # functions called by name
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

mtu=1000 header=48 ack=60 delay_ns=1000
sizes="1 1000 10000 1000000"

# ser_ns BYTES GBPS: transmission, cut as in ns-3
ser_ns()
{
	echo $(($1 * 8 / $2))
}

# lone_ns BYTES GBPS...: a message alone on a way over links of these rates
lone_ns()
{
	local bytes=$1 packets first slowest=0 ns=0 gbps

	shift
	packets=$(((bytes + mtu - 1) / mtu))
	first=$((bytes < mtu ? bytes + header : mtu + header))
	for gbps; do
		ns=$((ns + 2 * delay_ns + $(ser_ns "$first" "$gbps") + $(ser_ns "$ack" "$gbps")))
		if [ "$(ser_ns "$first" "$gbps")" -gt "$slowest" ]; then
			slowest=$(ser_ns "$first" "$gbps")
		fi
	done
	echo $((ns + (packets - 1) * slowest))
}

# star HOSTS: one switch, as a topology file; the switch is node 0.
star()
{
	local i

	echo "$(($1 + 1)) 1 $1"
	echo 0
	for ((i = 1; i <= $1; i++)); do
		echo "0 $i 100Gbps 0.001ms 0"
	done
}

# chain: two hosts with five switches between them, as in a fabric of three tiers.
chain()
{
	echo "7 5 6"
	echo "1 2 3 4 5"
	echo "0 1 100Gbps 1000ns 0"
	for i in 1 2 3 4; do
		echo "$i $((i + 1)) 400Gbps 1000ns 0"
	done
	echo "5 6 100Gbps 1us 0"
}

# incast FLOWS BYTES: hosts 2, 3, ... send to host 1 at once.
incast()
{
	local i

	echo "$1"
	for ((i = 0; i < $1; i++)); do
		echo "$((i + 2)) 1 3 100 $2 2.000000000"
	done
}

hpcc()
{
	run "$1" --topo "$tmp/$2" --flows "$tmp/$3" --preset hpcc "${@:4}"
}

# one TOPOLOGY SOURCE DESTINATION BYTES: what a message takes alone, ns
one()
{
	printf '1\n%s %s 3 100 %s 2.000000000\n' "$2" "$3" "$4" > "$tmp/one"
	hpcc one "$1" one --alg none --out "$tmp/one.out" &&
		cut -d' ' -f7 "$tmp/one.out/flows.fct"
}

lone_star()
{
	local bytes

	star 17 > "$tmp/star"
	for bytes in $sizes; do
		equal "$bytes bytes" "$(one star 2 1 "$bytes")" "$(lone_ns "$bytes" 100 100)" || return
	done
}
test_that lone_star "Alone through one switch a message takes what its links take, to the nanosecond"

lone_chain()
{
	local bytes

	chain > "$tmp/chain"
	for bytes in $sizes; do
		equal "$bytes bytes" "$(one chain 0 6 "$bytes")" \
			"$(lone_ns "$bytes" 100 400 400 400 400 100)" || return
	done
}
test_that lone_chain "Alone through five switches with a faster core it does, too"

lone_published()
{
	equal "star, 1 byte" "$(lone_ns 1 100 100)" 4014 &&
	equal "star, 1 MB" "$(lone_ns 1000000 100 100)" 87091 &&
	equal "fabric, 1000 bytes" "$(lone_ns 1000 100 400 400 400 400 100)" 12258 &&
	equal "fabric, 1 MB" "$(lone_ns 1000000 100 400 400 400 400 100)" 95175
}
test_that lone_published "These times are the ones that HPCC's simulator gives"

lone_exact()
{
	local want

	# 4 us, and 83.84 ns per packet, twice for the first, and twice 4.8 ns for the ACK
	want=$(((4 * delay_ns * 1000 + 2 * 83840 + 9 * 83840 + 2 * 4800) / 1000))
	star 17 > "$tmp/star"
	printf '1\n2 1 3 100 10000 2.0\n' > "$tmp/one"
	run exact --topo "$tmp/star" --flows "$tmp/one" --alg none --out "$tmp/exact.out"
	equal "10000 bytes" "$(cut -d' ' -f7 "$tmp/exact.out/flows.fct")" "$want"
}
test_that lone_exact "Without ns-3's cut a transmission takes its fractions of a nanosecond"

# The port never idles, so the last message ends when all packets have passed it.
no_control()
{
	local first

	first=$(($(lone_ns 1000 100 100) - 83))
	star 17 > "$tmp/star"
	star 65 > "$tmp/star65"
	incast 16 1000000 > "$tmp/in16"
	incast 64 500000 > "$tmp/in64"
	hpcc none16 star in16 --alg none || return
	hpcc none64 star65 in64 --alg none || return
	equal "16 times 1 MB" "$(get none16 '.fct_us.max * 1000 | round')" $((16000 * 83 + first)) &&
	equal "64 times 500 KB" "$(get none64 '.fct_us.max * 1000 | round')" $((32000 * 83 + first)) &&
	equal "HPCC's simulator" "$((16000 * 83 + first)) $((32000 * 83 + first))" "1332091 2660091"
}
test_that no_control "An incast without control ends to the nanosecond when the port has sent all packets"

standalone()
{
	star 17 > "$tmp/star"
	printf '1\n2 1 3 100 24375 2.000000962\n' > "$tmp/one"
	hpcc alone star one --out "$tmp/alone.out"
	equal "line" "$(cut -d' ' -f1-6,8 "$tmp/alone.out/flows.fct")" \
		"0b000201 0b000101 10000 100 24375 2000000962 6206"
}
test_that standalone "Flows are written with HPCC's columns, and its reckoning of the time alone"

# within TOPOLOGY FLOWS US: the last FCT, in the mean of five seeds, differs from HPCC's by at most 5 %
within()
{
	local seed

	for seed in 1 2 3 4 5; do
		hpcc "dcqcn$seed" "$1" "$2" --alg dcqcn --seed "$seed" &&
		holds "dcqcn$seed" '.flows == .flows_finished and .marks > 0' || return
	done
	jq -s '{ fct_us: (map(.fct_us.max) | add / length) }' "$tmp"/dcqcn[1-5].json > "$tmp/mean.json"
	holds mean "(.fct_us / $3 - 1 | fabs) <= 0.05"
}

dcqcn()
{
	star 17 > "$tmp/star"
	star 65 > "$tmp/star65"
	incast 16 1000000 > "$tmp/in16"
	incast 64 500000 > "$tmp/in64"
	within star in16 1691.9 && within star65 in64 2775.1
}
test_that dcqcn "DCQCN's incasts end within 5 % of what HPCC's simulator gives"

run_tests
status=$?

# figures FILE: mean and percentiles of its FCTs, in us
figures()
{
	cut -d' ' -f7 "$1" | sort -n | awk '
		function at(p) { return v[int(NR * p) + 1] / 1000 }
		{ v[NR] = $1; sum += $1 }
		END {
			printf "%d flows, FCT mean %.1f us, p50 %.1f, p95 %.1f, p99 %.1f\n", NR, sum / NR / 1000,
				at(.5), at(.95), at(.99)
		}'
}

if [ -n "${PEERS-}" ]; then
	"$fabsim" --topo "$PEERS/fat.txt" --flows "$PEERS/ws30_0.002.txt" --preset hpcc --out "$tmp/fat" > /dev/null
	echo "# HPCC's simulator: $(figures "$PEERS/fat2_dcqcn.fct")"
	echo "# fabsim:           $(figures "$tmp/fat/flows.fct")"
fi
exit $status
