# SPDX-License-Identifier: GPL-2.0
#
# Draws a terminal (tmux capture-pane -e) as SVG. Every run of cells of one look is a text of fixed width, so that it fits in
# any font. Needs an awk that counts characters in bytes or not: the width is found by leaving out bytes that only continue.

function escaped(text) {
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	return text
}

function cells(text) {
	gsub(/[\200-\277]/, "", text)
	return length(text)
}

# What ESC [ CODES m says of the cells that follow.
function set_look(codes, list, n, i, c) {
	n = split(codes, list, ";")
	for (i = 1; i <= n || i == 1; i++) {
		c = list[i] + 0
		if (c == 0) { fg = "#d0d0d0"; bg = ""; style = ""; swapped = 0 }
		if (c == 1) style = style " font-weight=\"bold\""
		if (c == 2) fg = "#909090"
		if (c == 4) style = style " text-decoration=\"underline\""
		if (c == 7) swapped = 1
		if (c >= 30 && c <= 37) fg = colour[c - 30]
		if (c == 39) fg = "#d0d0d0"
		if (c >= 40 && c <= 47) bg = colour[c - 40]
		if (c == 49) bg = ""
	}
}

function draw(text, n, ink, paper) {
	n = cells(text)
	ink = swapped ? (bg ? bg : "#181818") : fg
	paper = swapped ? fg : bg
	if (paper)
		body = body sprintf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"17\" fill=\"%s\"/>\n", x, y - 13, n * W, paper)
	if (text ~ /[^ ]/)
		body = body sprintf("<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\" fill=\"%s\"%s>%s</text>\n", x, y, n * W, ink, style,
				    escaped(text))
	x += n * W
	if (x > widest)
		widest = x
}

BEGIN {
	W = 7.8
	split("#cc4444 #44aa55 #c0a040 #5080d0 #b060b0 #40b0b0 #d0d0d0", list, " ")
	colour[0] = "#181818"
	for (i = 1; i in list; i++)
		colour[i] = list[i]
	set_look("0")
}

{
	x = 8
	y = 20 + (NR - 1) * 17
	while (match($0, /\033\[[0-9;]*m|\016|\017/)) {
		if (RSTART > 1)
			draw(substr($0, 1, RSTART - 1))
		codes = substr($0, RSTART + 2, RLENGTH - 3)
		if (RLENGTH > 1)
			set_look(codes)
		$0 = substr($0, RSTART + RLENGTH)
	}
	if (length($0))
		draw($0)
}

END {
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" xml:space=\"preserve\"", widest + 8, y + 10
	print " font-family=\"DejaVu Sans Mono, monospace\" font-size=\"13\">"
	print "<rect width=\"100%\" height=\"100%\" fill=\"#181818\"/>"
	printf "%s</svg>\n", body
}
