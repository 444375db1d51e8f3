#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every file of /sys/class/rxe_cc/<device>: what can be read, what can be written, and
# that a value which is refused changes nothing.

# shellcheck disable=SC2317,SC2119 # functions called by name; no arguments meant
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

dir=/sys/class/rxe_cc/rxe1

# name, least and greatest value; as documented in the ABI page
dcqcn_params="
rp_clamp_tgt_rate 0 1
rp_clamp_tgt_rate_ati 0 1
rp_time_reset 1 131071
rp_byte_reset 0 4294967296
rp_threshold 1 31
rp_ai_rate 1 400000
rp_max_rate 0 1000000
rp_hai_rate 1 400000
rp_min_dec_fac 0 100
rp_min_rate 1 400000
rp_rate_to_set_on_first_cnp 0 400000
rp_dce_tcp_g 1 1023
rp_dce_tcp_rtt 1 131071
rp_rate_reduce_monitor_period 1 131071
rp_initial_alpha_value 1 1024
rp_gd 10 15
rp_cut_on_loss 0 1
rp_clamp_to_sent 0 1
rp_cnp_rate_floor 0 100
rp_increase_when_idle 0 1
rp_cnp_bytes 0 65535"
np_params="
np_min_time_between_cnps 0 4095
np_cnp_dscp 0 63
np_cnp_prio_mode 0 1
np_cnp_prio 0 7"

# put FILE VALUE: write it; what goes wrong is said.
put()
{
	{ printf '%b' "$2" > "$dir/$1"; } 2>&1
}

# refuses FILE VALUE...: says which of the values was taken, or changed the file, or
# failed with another error than -EINVAL.
refuses()
{
	local file=$1 before value error

	shift
	before=$(cat "$dir/$file")
	for value in "$@"; do
		error=$(put "$file" "$value")
		case $error in
		*"Invalid argument"*) ;;
		*) echo "$file takes '$value': $error" ;;
		esac
		[ "$(cat "$dir/$file")" = "$before" ] || echo "$file was $before, is $(cat "$dir/$file") after '$value'"
	done
}

# takes FILE VALUE...: says which of the values was refused or did not stay.
takes()
{
	local file=$1 value error

	shift
	for value in "$@"; do
		error=$(put "$file" "$value") || echo "$file refuses '$value': $error"
		[ "$(cat "$dir/$file")" = "${value%\\n}" ] || echo "$file is $(cat "$dir/$file") after '$value'"
	done
}

# What no number is.
readonly NONSENSE=(-1 +1 ' 1' '1 ' '1 2' '\n' abc 0x1 1.0 1e3
	18446744073709551616 99999999999999999999 100000000000000000000000)

# bounds FILE MIN MAX: everything about one number.
bounds()
{
	local file=$1 min=$2 max=$3 old beyond

	old=$(cat "$dir/$file")
	beyond=($((max + 1)) 18446744073709551615)
	[ "$min" = 0 ] || beyond+=($((min - 1)))
	check_eq "$file takes $min to $max and nothing else" \
		"$(refuses "$file" "${NONSENSE[@]}" "${beyond[@]}"
		   takes "$file" "$min" "$max" "$min\n" "$old")" ""
}

all_files()
{
	(cd $dir && find . -type f ! -path './power/*' ! -name uevent | sort)
}

unreadable()
{
	local f

	for f in $(all_files); do
		[ -n "$(cat "$dir/$f" 2>/dev/null)" ] || echo "$f"
	done
}

read_only_written()
{
	local f

	for f in $(all_files); do
		[ -w "$dir/$f" ] && [ $((0$(stat -c %a "$dir/$f") & 0200)) != 0 ] && continue
		put "$f" 1 > /dev/null && echo "$f"
	done
}

values_of()
{
	(cd $dir/params/dcqcn && grep . ./*)
}

profiles()
{
	local auto cx paper

	check_eq "profile takes no name that it does not know" \
		"$(refuses profile custom '\n' autox AUTO 'auto cx' 1)" ""
	auto=$(values_of)
	takes profile cx
	cx=$(values_of)
	takes profile paper
	paper=$(values_of)
	takes profile 'auto\n'
	check_eq "profile auto comes back as it was" "$(values_of)" "$auto"
	check "profile cx has a timer of 300 us" grep -q 'rp_time_reset:300$' <<< "$cx"
	check "profile cx has the byte counter of a NIC" grep -q 'rp_byte_reset:2097088$' <<< "$cx"
	check "profile paper has a timer of 55 us" grep -q 'rp_time_reset:55$' <<< "$paper"
	check "profile paper has a byte counter of 10 MB" grep -q 'rp_byte_reset:10000000$' <<< "$paper"
	takes params/dcqcn/rp_ai_rate 7
	check_eq "a value set by hand makes the profile custom" "$(cat $dir/profile)" custom
	takes profile auto
	check_eq "a profile replaces values set by hand" "$(values_of)" "$auto"
}

line_rate()
{
	local link

	link=$(cat $dir/line_rate)
	check_eq "line_rate takes 1 to 800000 and nothing else" \
		"$(refuses line_rate "${NONSENSE[@]}" 800001 18446744073709551615
		   takes line_rate 1 100000 800000)" ""
	takes line_rate 100000
	check_eq "auto follows the line rate" "$(cat $dir/params/dcqcn/rp_ai_rate)" 20
	put line_rate 0
	check_eq "line_rate 0 means the link's" "$(cat $dir/line_rate)" "$link"
	takes params/dcqcn/rp_min_rate 100
	check_eq "a greatest rate below the least is refused" "$(refuses params/dcqcn/rp_max_rate 99)" ""
	takes params/dcqcn/rp_max_rate 100
	check_eq "a least rate above the greatest is refused" "$(refuses params/dcqcn/rp_min_rate 101)" ""
	takes profile auto
}

live()
{
	local i

	flow_start live 1 2 ib_send_bw -e
	check "data moves" flow_moves 2
	for i in 1 2 3 4 5; do
		takes algorithm none
		flow_moves 2 5
		takes algorithm dcqcn
		takes profile "$([ $((i & 1)) = 1 ] && echo cx || echo auto)"
		takes line_rate $((100 * i))
		flow_moves 2 5
	done
	put line_rate 0
	flow_check "algorithm, profile and line rate change under traffic, and no QP fails" live 2
	takes algorithm none
	flow_moves 2
	check "with none nothing waits" busywait 2 cc_settled
	check_eq "with none a QP has no rate" "$(cc_qps rxe1 | awk '{ print $3 }')" 0
	takes algorithm dcqcn
	flow_moves 2
	check_num "with dcqcn it has one" "$(cc_qps rxe1 | awk '{ print $3 }')" '>' 0
	flow_stop live
}

fabric_up 2
check_fails "without the module there is no directory" test -e $dir
rcc_load
check_num "the directory has files" "$(all_files | wc -l)" '>' 40
check_eq "every file can be read and says something" "$(unreadable)" ""
check_eq "no file that is only for reading can be written" "$(read_only_written)" ""
check_eq "available algorithms are dcqcn and none" \
	"$(tr ' ' '\n' < $dir/available_algorithms | grep -xE 'dcqcn|none' | sort | tr '\n' ' ')" "dcqcn none "
check_eq "algorithm takes no name that it does not know" \
	"$(refuses algorithm reno '\n' np 'dcqcn none' dcqcn2 DCQCN)" ""
bounds ecn 0 1
while read -r name min max; do
	[ -z "$name" ] || bounds "params/dcqcn/$name" "$min" "$max"
done <<< "$dcqcn_params"
while read -r name min max; do
	[ -z "$name" ] || bounds "params/np/$name" "$min" "$max"
done <<< "$np_params"
check_eq "every parameter was tried" \
	"$(find $dir/params/dcqcn $dir/params/np -type f | wc -l)" "$(grep -c . <<< "$dcqcn_params$np_params")"
takes profile auto
profiles
line_rate
live
finish
