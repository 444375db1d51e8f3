/* SPDX-License-Identifier: GPL-2.0 */
/* rxecc top on a terminal: what is seen, and how it is drawn. */
#ifndef RXECC_TOP_DRAW_H
#define RXECC_TOP_DRAW_H

/* without it curses has no wide characters */
#define NCURSES_WIDECHAR	1
#include <curses.h>

#include "top_model.h"

/* pairs of colours */
enum {
	PAIR_TITLE = 1,
	PAIR_SELECTED,
	PAIR_STALLED,
};

/* what keys go to */
enum mode {
	MODE_ROWS,
	MODE_SEARCH,	/* a word is typed: go to the next row that has it */
	MODE_FILTER,	/* a word is typed: show only rows that have it */
	MODE_SORT,	/* a column is chosen */
	MODE_TEXT,	/* a text is read */
};

/**
 * struct screen - what is seen
 * @t: the top
 * @interval_ms: between refreshes
 * @next_ns: when the next one is due
 * @paused: there are none
 * @mode: what keys go to
 * @selected: number of the selected row
 * @name: its name, to find it again; empty: the first row stays selected, whichever it is
 * @first: number of the first row that is seen
 * @word: MODE_SEARCH: what is searched
 * @choice: MODE_SORT: the column under the cursor
 * @text: MODE_TEXT: the text
 * @scroll: number of its first line that is seen
 * @width: of columns; 0: it has no room
 * @end: is it time to end?
 */
struct screen {
	struct top *t;
	u64 interval_ms;
	u64 next_ns;
	bool paused;
	enum mode mode;
	size_t selected;
	char name[TM_TEXT_BYTES];
	size_t first;
	char word[TM_TEXT_BYTES];
	enum top_column choice;
	char *text;
	int scroll;
	int width[TOP_COLUMNS];
	bool end;
};

int top_height(const struct screen *s);
void top_draw(struct screen *s);

#endif /* RXECC_TOP_DRAW_H */
