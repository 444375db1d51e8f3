#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh FAST CHECKED - the same events bring the same decisions, bit for bit, from two builds of rcc_replay: FAST is
# optimised, CHECKED is not, and ends at undefined behaviour.  Golden vectors hold, and what is wrong is found.

# shellcheck disable=SC2317 # functions called by name
# shellcheck source-path=SCRIPTDIR
here=$(cd "$(dirname "$0")" && pwd)
fast=$(realpath "$1") checked=$(realpath "$2")
. "$here/../../selftests/lib.sh"

readonly SEEDS="1 2 3 4" FLOWS=10 EVENTS=500
work=$(mktemp -d)
defer rm -rf "$work"
cd "$work" || exit 1

# both ALG PROFILE: both builds generate the same flows, and each one decides what the other did.
both()
{
	local seed args

	for seed in $SEEDS; do
		args=(-a "$1" -p "$2" -s "$seed" -f "$FLOWS" -n "$EVENTS")
		"$fast" generate "${args[@]}" > fast.vec && "$checked" generate "${args[@]}" > checked.vec || return
		cmp fast.vec checked.vec || return
		"$checked" check fast.vec || return
	done
}

# decisions: how many different ones a vector has.
decisions()
{
	sed -n 's/.* = //p' "$1" | sort -u | wc -l
}

# fails_with WORDS CMD...: true if CMD fails and says WORDS.
fails_with()
{
	local words=$1 said

	shift
	said=$("$@" 2>&1) && { echo "succeeded: $said"; return 1; }
	grep -qF -- "$words" <<< "$said" || { echo "$said"; return 1; }
}

# altered SED-EXPRESSION WORDS: the vector with that change is refused.
altered()
{
	sed "$1" good.vec > bad.vec
	cmp -s good.vec bad.vec && { echo "no change"; return 1; }
	fails_with "$2" "$fast" check bad.vec
}

agree()
{
	local alg profile

	for alg in $("$fast" list); do
		for profile in auto cx paper custom; do
			check "$alg, $profile: both builds decide alike" both "$alg" "$profile"
		done
		case $alg in
		none | fixed) ;;
		*) check_num "$alg: the last flows made it decide variously" "$(decisions fast.vec)" '>' 100 ;;
		esac
	done
}

golden()
{
	local f

	for f in "$here"/../tests/golden/*.vec; do
		check "$(basename "$f") holds" "$checked" check "$f"
	done
}

# One thing is wrong at a time.
tampered()
{
	"$fast" generate -a dcqcn -f 2 -n 100 > good.vec
	check "the vector to tamper with holds" "$fast" check good.vec
	check "one digit more in one rate is found" altered '40s/ = /&1/' "1 of 202 decisions differ"
	check "an altered window is found" altered '40s/0 0$/1 0/' "1 of 202 decisions differ"
	check "an altered timer is found" altered '40s/0$/7/' "1 of 202 decisions differ"
	check "an altered parameter is found" altered '/rp_min_rate/s/ [0-9]*$/ 400000/' "decisions differ"
	check "a missing event is found" altered '40d' "end of 100 events after 99"
	check "a missing end is found" altered "\$d" "the file ends"
	check "a missing parameter is found" altered '/rp_gd/d' "no 'rp_gd' among the parameters"
	check "a parameter out of range is found" altered '/rp_gd/s/ [0-9]*$/ 9/' "allowed are 10 to 15"
	check "a parameter given twice is found" altered '/rp_gd/p' "'rp_gd' for the second time"
	check "an unknown parameter is found" altered 's/rp_gd/rp_dg/' "no parameter 'rp_dg'"
	check "an unknown algorithm is found" altered '1s/dcqcn/dcqcm/' "none of the algorithms: dcqcn none"
	check "an unknown event is found" altered '40s/^[a-z]*/tick/' "is no event"
	check "no number is found" altered '40s/ [0-9]* = / x = /' "'x' is no number"
	check "a number too large is found" altered '40s/ [0-9]* = / 4294967296 = /' "is no number up to 4294967295"
	: > empty.vec
	check "a vector that replays nothing fails" fails_with "nothing to compare" "$fast" check empty.vec
}

readonly INIT="  a-1 [000] ..s1. 1.0: cc_init: dev=rxe1 qpn=17 alg=fixed now=5 line=1000000 base_rtt=9 start=1000000 mtu=4182"
readonly EVENT="  a-1 [000] ..s1. 1.1: cc_event: dev=rxe1 qpn=17 type=1 now=7 bytes=4182 packets=1 ce=0 rtt=0 fabric=0 random=0"
readonly DECISION="rate=1000000 cwnd=0 timer=0"

# recorded: a trace from standard input becomes a vector that holds.
recorded()
{
	cat > trace
	"$fast" record -b before -e after trace > recorded.vec && "$fast" check recorded.vec
}

# refused WORDS: a trace from standard input is not recorded.
refused()
{
	cat > trace
	fails_with "$1" "$fast" record -b before -e after trace
}

recording()
{
	echo "rxe1/params/fixed/rate:0" | tee before > after
	check "a trace becomes a vector" recorded <<-END
	# entries-in-buffer/entries-written: 2/2   #P:1
	$INIT $DECISION
	$EVENT $DECISION
	END
	check "a trace with lost events is refused" refused "events were lost" <<-END
	$INIT $DECISION
	CPU:0 [LOST 3 EVENTS]
	$EVENT $DECISION
	END
	check "a trace whose beginning was overwritten is refused" refused "only 2 of 3 events are left" <<-END
	# entries-in-buffer/entries-written: 2/3   #P:1
	$INIT $DECISION
	$EVENT $DECISION
	END
	check "an event of a QP without a beginning is refused" refused "whose cc_init was not recorded" <<-END
	$INIT $DECISION
	${EVENT/qpn=17/qpn=18} $DECISION
	END
	check "a trace without a flow is refused" refused "no cc_init in it" <<< "# tracer: nop"
	echo "rxe1/params/fixed/rate:1" > after
	check "parameters changed in between are refused" refused "parameters were changed" <<-END
	$INIT $DECISION
	$EVENT $DECISION
	END
}

agree
golden
tampered
recording
finish
