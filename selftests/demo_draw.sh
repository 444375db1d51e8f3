# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# demo_draw.sh - what the pictures of the demonstrations share.
#
# Sourced with the script's arguments DIR and OUT: $dir holds what was measured, $out takes the
# pictures, and $work is a directory for what lies in between.

set -eu

dir=${1:?usage: ${0##*/} DIR OUT} out=${2:?usage: ${0##*/} DIR OUT}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# draw NAME SIZE: $work/plot, as $out/NAME.png and .svg.
draw()
{
	local terminal

	for terminal in pngcairo svg; do
		echo "reset"
		echo "set terminal $terminal size $2 noenhanced font 'Sans,11' background rgb 'white'"
		echo "set output '$out/$1.${terminal%cairo}'"
		cat "$work/plot"
	done | gnuplot
}
