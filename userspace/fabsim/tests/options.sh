#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# options.sh FABSIM - bad options say what would be right, and change nothing.

# shellcheck disable=SC2317 # functions called by name
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# refused WORDS OPTION...: exit status 2, the message has WORDS, and nothing is written
refused()
{
	local words=$1 message

	shift
	message=$("$fabsim" --duration 1ms --warmup 0 --out "$tmp/never" "$@" 2>&1)
	equal "status of $*" $? 2 || return
	if ! grep -qF -- "$words" <<< "$message"; then
		echo "# $*: \"$message\" does not say \"$words\""
		return 1
	fi
	if [ -e "$tmp/never" ]; then
		echo "# $*: something was written"
		return 1
	fi
}

names()
{
	refused "must be one of: dcqcn" --alg cubic &&
	refused "auto cx paper" --profile fast &&
	refused "must be hpcc" --preset ns2 &&
	refused "incast or dumbbell" --topo ring &&
	refused "rp_ai_rate" --set rp_ai=5 &&
	refused "np_min_time_between_cnps" --set nothing &&
	refused "no option" incast
}
test_that names "A name that does not exist is answered with those that do"

quantities()
{
	refused "from 100k to 10000000m" --rate 5 &&
	refused "such as 100g" --rate fast &&
	refused "such as 1us" --delay 1 &&
	refused "such as 500k" --mtu 1500x &&
	refused "from 64 to 9000" --mtu 63 &&
	refused "from 64 to 9000" --mtu 9001 &&
	refused "from 0 to 1000" --pmax 1001 &&
	refused "from 1 to 60000" --senders 0 &&
	refused "from 1 to 60000" --senders -1 &&
	refused "\"long\" or a size" --size short &&
	refused "\"long\" or a size" --size 0 &&
	refused "from 1 to 400000 Mb/s" --set rp_ai_rate=0 &&
	refused "from 0 to 4095 us" --set np_min_time_between_cnps=5000 &&
	refused "a number" --seed x
}
test_that quantities "A value out of range is answered with the range and the unit"

together()
{
	refused "together with --flows" --topo /dev/null &&
	refused "only with --topo FILE" --flows /dev/null &&
	refused "before --duration" --join 2ms &&
	refused "before --leave" --join 800us --leave 700us &&
	refused "only with --size long" --size 1k --leave 500us &&
	refused "at most --senders" --senders 3 --leavers 4 &&
	refused "not be above --kmax" --kmin 2k --kmax 1k &&
	refused "before --duration" --warmup 1ms &&
	refused "contradicts" --set rp_max_rate=5 --set rp_min_rate=6 &&
	refused "headroom" --pfc --buffer 100k --delay 100us
}
test_that together "Options that contradict each other are refused"

# topology LINE...: a file with these lines, and one flow from host 1 to host 2
topology()
{
	printf '%s\n' "$@" > "$tmp/topology"
	printf '1\n1 2 3 100 1000 0\n' > "$tmp/flows"
}

files()
{
	topology "3 1 2" 0 "0 1 100Gbps 1us 0" "0 2 100Gbps 1us 0"
	run good --topo "$tmp/topology" --flows "$tmp/flows" || return
	holds good '.flows_finished == 1' || return
	topology "3 1 2" 0 "0 1 100Gbps 1us 0" "0 2 100Gbps 1us 0.01"
	refused "loss" --topo "$tmp/topology" --flows "$tmp/flows" || return
	topology "3 1 2" 0 "0 1 100Gbps 1us 0" "0 2 fast 1us 0"
	refused "no rate" --topo "$tmp/topology" --flows "$tmp/flows" || return
	topology "3 1 2" 0 "0 1 100Gbps 1us 0" "0 3 100Gbps 1us 0"
	refused "from 0 to 2" --topo "$tmp/topology" --flows "$tmp/flows" || return
	topology "3 1 2" 0 "0 1 100Gbps 1us 0"
	refused "ends where" --topo "$tmp/topology" --flows "$tmp/flows" || return
	topology "3 1 2" 0 "0 1 100Gbps 1us 0" "1 2 100Gbps 1us 0"
	refused "one is possible" --topo "$tmp/topology" --flows "$tmp/flows" || return
	topology "4 2 2" "0 3" "0 1 100Gbps 1us 0" "3 2 100Gbps 1us 0"
	refused "no way from host 1" --topo "$tmp/topology" --flows "$tmp/flows"
}
test_that files "A topology file that makes no sense is refused with the reason"

flows()
{
	topology "3 1 2" 0 "0 1 100Gbps 1us 0" "0 2 100Gbps 1us 0"
	for line in "1 1 3 100 5 0" "0 1 3 100 5 0" "1 2 3 100 0 0" "1 2 3 100 5 soon" "1 9 3 100 5 0" "1 2 3"; do
		printf '1\n%s\n' "$line" > "$tmp/flows"
		refused "flow 1" --topo "$tmp/topology" --flows "$tmp/flows" || return
	done
}
test_that flows "A flow that makes no sense is refused with its number"

out()
{
	local message

	message=$("$fabsim" --duration 1ms --out "$tmp/no/such" 2>&1)
	equal "status" $? 2 && grep -q "No such file or directory" <<< "$message"
}
test_that out "A directory that cannot be made is said before the run"

help()
{
	"$fabsim" --help | grep -q -- "--ack-every=N" &&
	equal "list" "$("$fabsim" --list-algs | tr ' ' '\n' | grep -cx -e dcqcn -e none)" 2
}
test_that help "The help has the options, and the list has the algorithms"

run_tests
