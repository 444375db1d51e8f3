// SPDX-License-Identifier: GPL-2.0
/*
 * Draws rxecc top.
 *
 *	lines		totals, who is slow, what is not seen
 *	titles		of the columns that have room
 *	rows		from screen.first on; only those that are seen read their histograms
 *	bar		what keys do, or the word that is typed
 */
#include <langinfo.h>
#include <string.h>

#include "rxecc.h"
#include "top_draw.h"
#include "top_text.h"

#define CHOICE_CELLS	24
/* how wide columns may become if there is room */
#define NAME_CELLS	39
#define PEER_CELLS	39

static void put(int y, int x, int width, const char *text, bool left)
{
	int length = strlen(text);

	/* what is cut off ends in a plus, as everywhere */
	if (length > width)
		mvprintw(y, x, "%.*s+", width - 1, text);
	else
		mvprintw(y, x, "%*s", left ? -width : width, text);
}

/* A whole line, of at most the terminal's width. */
static void put_line(int y, const char *text)
{
	mvaddnstr(y, 0, text, COLS);
	clrtoeol();
}

static void widen(struct screen *s, enum top_column c, int most, int *left)
{
	int more = s->width[c] ? most - s->width[c] : 0;

	more = more < *left ? more : *left;
	s->width[c] += more;
	*left -= more;
}

/* Give room to columns, those of low rank first. */
static void lay_out(struct screen *s)
{
	int left = COLS + 1, rank;
	enum top_column c;

	memset(s->width, 0, sizeof(s->width));
	for (rank = 0; rank < TOP_COLUMNS; rank++) {
		for (c = 0; c < TOP_COLUMNS; c++) {
			if (top_columns[c].rank != rank || !top_has_column(s->t, c) || top_columns[c].width + 1 > left)
				continue;
			s->width[c] = top_columns[c].width;
			left -= s->width[c] + 1;
		}
	}
	if (s->t->by != TOP_BY_QP)
		widen(s, TOP_NAME, NAME_CELLS, &left);
	widen(s, TOP_TREND_PICTURE, TOP_TREND, &left);
	widen(s, TOP_PEER, PEER_CELLS, &left);
}

static void draw_titles(const struct screen *s, int y)
{
	enum top_column c;
	int x = 0;

	attrset(COLOR_PAIR(PAIR_TITLE) | (has_colors() ? 0 : A_REVERSE));
	mvhline(y, 0, ' ', COLS);
	for (c = 0; c < TOP_COLUMNS; c++) {
		if (!s->width[c])
			continue;
		if (c == s->t->sort)
			attron(A_BOLD | A_UNDERLINE);
		put(y, x, s->width[c], top_title(s->t, c), top_columns[c].kind != TOP_NUMBER && top_columns[c].kind != TOP_TIME);
		attroff(A_BOLD | A_UNDERLINE);
		x += s->width[c] + 1;
	}
	attrset(A_NORMAL);
}

/* The last rates as bars, the highest of them as a whole one. */
static void draw_trend(const struct top_row *row, int y, int x, int width)
{
	static const char *const blocks[] = { "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const plain[] = { "_", ".", ":", "-", "=", "+", "*", "#" };
	const char *const *bars = strcmp(nl_langinfo(CODESET), "UTF-8") ? plain : blocks;
	const float *rate = row->trend + TOP_TREND - width;
	float most = 0;
	int i, level;

	for (i = 0; i < width; i++)
		most = rate[i] > most ? rate[i] : most;
	for (i = 0; i < width; i++) {
		level = most > 0 ? (int)(rate[i] / most * 7 + 0.5f) : 0;
		mvaddstr(y, x + i, rate[i] < 0 ? " " : bars[level]);
	}
}

static void draw_row(const struct screen *s, const struct top_row *row, int y, bool selected)
{
	char text[TM_TEXT_BYTES];
	enum top_column c;
	int x = 0;

	if (selected)
		attrset(COLOR_PAIR(PAIR_SELECTED) | (has_colors() ? 0 : A_REVERSE));
	else if (row->stalled)
		attrset(COLOR_PAIR(PAIR_STALLED) | A_BOLD);
	else if (row->gone == row->value[TOP_QPS])
		attrset(A_DIM);
	mvhline(y, 0, ' ', COLS);
	for (c = 0; c < TOP_COLUMNS; c++) {
		if (!s->width[c])
			continue;
		if (top_columns[c].kind == TOP_PICTURE) {
			draw_trend(row, y, x, s->width[c]);
		} else {
			top_cell(row, c, text);
			put(y, x, s->width[c], text, top_columns[c].kind == TOP_TEXT);
		}
		x += s->width[c] + 1;
	}
	attrset(A_NORMAL);
}

/* Move what is seen so that the selected row is in it. */
static void scroll_to_selected(struct screen *s, size_t height)
{
	if (s->selected >= s->t->nshown)
		s->selected = s->t->nshown ? s->t->nshown - 1 : 0;
	if (s->selected < s->first)
		s->first = s->selected;
	if (s->selected >= s->first + height)
		s->first = s->selected - height + 1;
	if (s->first + height > s->t->nshown)
		s->first = s->t->nshown > height ? s->t->nshown - height : 0;
}

static int above(const struct screen *s)
{
	char lines[TOP_LINES][TOP_LINE_BYTES];

	return top_lines(s->t, lines) + 1;
}

/**
 * top_height() - how many rows have room
 * @s: the screen
 *
 * Return: one at least.
 */
int top_height(const struct screen *s)
{
	int height = LINES - above(s) - 1;

	return height > 1 ? height : 1;
}

static void draw_rows(struct screen *s)
{
	int y = above(s), height = top_height(s), i;
	struct top_row *row;

	scroll_to_selected(s, height);
	for (i = 0; i < height; i++) {
		move(y + i, 0);
		clrtoeol();
		if (s->first + i >= s->t->nshown)
			continue;
		row = s->t->shown[s->first + i];
		top_complete(s->t, row);
		top_ask_module(s->t, row);
		draw_row(s, row, y + i, s->first + i == s->selected);
	}
}

static void draw_bar(const struct screen *s)
{
	char text[CELL_BYTES];

	attrset(COLOR_PAIR(PAIR_SELECTED) | (has_colors() ? 0 : A_REVERSE));
	mvhline(LINES - 1, 0, ' ', COLS);
	if (s->mode == MODE_SEARCH)
		snprintf(text, sizeof(text), "F3 next  Esc done  Search: %s_", s->word);
	else if (s->mode == MODE_FILTER)
		snprintf(text, sizeof(text), "Enter done  Esc all rows  Filter: %s_", s->t->filter);
	else if (s->mode == MODE_SORT)
		snprintf(text, sizeof(text), "Enter sort  Esc back");
	else
		snprintf(text, sizeof(text), "F1Help F3Search F4Filter F6Sort TabBy EnterMore F10Quit  %zu/%zu  %s%.4g s",
			 s->t->nshown ? s->selected + 1 : 0, s->t->nshown, s->paused ? "paused, " : "",
			 s->interval_ms / 1000.0);
	put_line(LINES - 1, text);
	attrset(A_NORMAL);
}

static void draw_choice(const struct screen *s)
{
	int y = above(s);
	enum top_column c;

	for (c = 0; c < TOP_COLUMNS && y < LINES - 1; c++) {
		if (!top_columns[c].letter || !top_has_column(s->t, c))
			continue;
		attrset(c == s->choice ? A_REVERSE : A_NORMAL);
		mvprintw(y++, 0, " %c  %-*s ", top_columns[c].letter, CHOICE_CELLS - 5, top_title(s->t, c));
	}
	attrset(A_NORMAL);
}

static void draw_text(struct screen *s)
{
	const char *line = s->text, *end;
	int y = 0, n;

	for (n = 0; n < s->scroll && (end = strchr(line, '\n')) && end[1]; n++)
		line = end + 1;
	s->scroll = n;
	erase();
	for (; *line && y < LINES - 1; line = end + 1) {
		end = strchrnul(line, '\n');
		mvaddnstr(y++, 0, line, end - line < COLS ? end - line : COLS);
		if (!*end)
			break;
	}
	attrset(A_REVERSE);
	put_line(LINES - 1, "Esc back");
	attrset(A_NORMAL);
}

/**
 * top_draw() - draw everything
 * @s: the screen; what has room, and which rows are seen, is set
 */
void top_draw(struct screen *s)
{
	char lines[TOP_LINES][TOP_LINE_BYTES];
	int n, i;

	if (s->mode == MODE_TEXT) {
		draw_text(s);
	} else {
		lay_out(s);
		erase();
		n = top_lines(s->t, lines);
		for (i = 0; i < n; i++)
			put_line(i, lines[i]);
		draw_titles(s, n);
		draw_rows(s);
		if (s->mode == MODE_SORT)
			draw_choice(s);
		draw_bar(s);
	}
	refresh();
}
