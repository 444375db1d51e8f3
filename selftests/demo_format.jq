# SPDX-License-Identifier: GPL-2.0
#
# demo_format.jq - how the tables of the demonstrations write numbers and columns.

def pad(n): . + (" " * ([n - length, 0] | max) // "");
def lpad(n): (" " * ([n - length, 0] | max) // "") + .;

def fixed(digits):
	if digits == 0 then round | tostring
	else pow(10; digits) as $p | (. * $p | round) as $n | ($n / $p | floor | tostring) + "." +
		($n % $p | tostring | ("0" * (digits - length) // "") + .)
	end;
def percent: if . == null then null else (. * 100 | fixed(1)) + " %" end;
def decimals(n): if . == null then null else fixed(n) end;
def us: if . == null then null elif . >= 10000 then (. / 1000 | fixed(0)) + " ms"
	elif . >= 1000 then (. / 1000 | fixed(1)) + " ms" else fixed(0) + " us" end;
