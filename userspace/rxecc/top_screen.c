// SPDX-License-Identifier: GPL-2.0
/* rxecc top on a terminal: keys, and when to refresh. top_draw.c draws. */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "nap.h"
#include "rxecc.h"
#include "top_draw.h"
#include "top_screen.h"
#include "top_text.h"

#define ESCAPE		27
#define ENTER		'\r'
#define INTERVAL_MIN_MS	100
#define INTERVAL_MAX_MS	60000

/* A command of MODE_ROWS. */
struct key {
	const char *shown;
	const char *doc;
	int codes[4];
	void (*press)(struct screen *s);
};

/* ---- the terminal ---- */

static void leave(void)
{
	if (!isendwin())
		endwin();
}

static void enter(void)
{
	if (!newterm(NULL, stdout, stdin))
		fail(EXIT_REFUSED, "cannot use this terminal; --once prints one table");
	before_stop = leave;
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	set_escdelay(25);
	timeout(0);
	if (!has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(PAIR_TITLE, COLOR_BLACK, COLOR_GREEN);
	init_pair(PAIR_SELECTED, COLOR_BLACK, COLOR_CYAN);
	init_pair(PAIR_STALLED, COLOR_RED, -1);
}

/* Wait for keys, a signal, or the next refresh. */
static void wait_for_something(struct screen *s, int signals, const sigset_t *mask)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = signals, .events = POLLIN } };
	u64 now_ns = tm_now_ns(), ns = s->paused ? RCC_NSEC_PER_SEC : s->next_ns > now_ns ? s->next_ns - now_ns : 0;
	struct timespec ts = { .tv_sec = ns / RCC_NSEC_PER_SEC, .tv_nsec = ns % RCC_NSEC_PER_SEC };

	if (ppoll(fds, ARRAY_SIZE(fds), &ts, mask) > 0)
		s->end = fds[1].revents || (fds[0].revents & ~POLLIN);
}

/* ---- the selected row ---- */

static void select_row(struct screen *s, size_t row)
{
	s->selected = row < s->t->nshown ? row : s->t->nshown ? s->t->nshown - 1 : 0;
	strcpy(s->name, s->selected ? s->t->shown[s->selected]->name : "");
}

/* After rows have moved. */
static void find_selected(struct screen *s)
{
	size_t i;

	for (i = 0; *s->name && i < s->t->nshown; i++) {
		if (!strcmp(s->t->shown[i]->name, s->name)) {
			s->selected = i;
			return;
		}
	}
	if (!*s->name)
		s->selected = 0;
}

static void arrange(struct screen *s)
{
	top_arrange(s->t);
	find_selected(s);
}

/* The next row with the word that is searched, from @from on, and from the first one again. */
static void search(struct screen *s, size_t from)
{
	size_t n = s->t->nshown, i;

	for (i = 0; i < n; i++) {
		if (top_matches(s->t->shown[(from + i) % n], s->word)) {
			select_row(s, (from + i) % n);
			return;
		}
	}
	beep();
}

/* ---- keys ---- */

static void press_up(struct screen *s)
{
	if (s->selected)
		select_row(s, s->selected - 1);
}

static void press_down(struct screen *s)
{
	select_row(s, s->selected + 1);
}

static void press_page_up(struct screen *s)
{
	size_t height = top_height(s);

	select_row(s, s->selected > height ? s->selected - height : 0);
}

static void press_page_down(struct screen *s)
{
	select_row(s, s->selected + top_height(s));
}

static void press_home(struct screen *s)
{
	select_row(s, 0);
}

static void press_end(struct screen *s)
{
	select_row(s, s->t->nshown);
}

static void press_search(struct screen *s)
{
	s->mode = MODE_SEARCH;
	*s->word = 0;
}

static void press_filter(struct screen *s)
{
	s->mode = MODE_FILTER;
}

static void press_sort(struct screen *s)
{
	s->mode = MODE_SORT;
	s->choice = s->t->sort;
}

static void set_by(struct screen *s, enum top_by by)
{
	top_set_by(s->t, by);
	press_home(s);
}

static void press_by(struct screen *s)
{
	set_by(s, (s->t->by + 1) % TOP_BYS);
}

static void press_by_back(struct screen *s)
{
	set_by(s, (s->t->by + TOP_BYS - 1) % TOP_BYS);
}

static void press_invert(struct screen *s)
{
	s->t->inverted = !s->t->inverted;
	arrange(s);
}

static void press_lifetime(struct screen *s)
{
	s->t->lifetime = !s->t->lifetime;
	arrange(s);
}

static void press_dead(struct screen *s)
{
	s->t->dead = !s->t->dead;
	arrange(s);
}

static void set_interval(struct screen *s, u64 ms)
{
	s->interval_ms = rcc_clamp64(ms, INTERVAL_MIN_MS, INTERVAL_MAX_MS);
	s->next_ns = tm_now_ns() + s->interval_ms * 1000000;
}

static void press_slower(struct screen *s)
{
	set_interval(s, s->interval_ms * 2);
}

static void press_faster(struct screen *s)
{
	set_interval(s, s->interval_ms / 2);
}

static void press_pause(struct screen *s)
{
	s->paused = !s->paused;
}

static void press_quit(struct screen *s)
{
	s->end = true;
}

static void press_details(struct screen *s);
static void press_help(struct screen *s);

static const struct key keys[] = {
	{ "F1 h ?", "this help", { KEY_F(1), 'h', '?' }, press_help },
	{ "F3 /", "search: go to the next row with a word in its texts; F3 again: the next", { KEY_F(3), '/' }, press_search },
	{ "F4 \\", "filter: only rows with a word in their texts; a|b is a or b", { KEY_F(4), '\\' }, press_filter },
	{ "F6 < >", "choose the column to sort by", { KEY_F(6), '<', '>' }, press_sort },
	{ "I", "sort the other way round", { 'I' }, press_invert },
	{ "Tab", "rows by QP, peer, device, process, rail; or at once with 1 to 5", { '\t' }, press_by },
	{ "Shift-Tab", "the other way round", { KEY_BTAB }, press_by_back },
	{ "Enter", "all about the selected QP", { ENTER, '\n', KEY_ENTER }, press_details },
	{ "t", "quantiles of the last interval, or of all samples", { 't' }, press_lifetime },
	{ "d", "QPs that are gone, too", { 'd' }, press_dead },
	{ "+", "refresh half as often", { '+' }, press_slower },
	{ "-", "refresh twice as often", { '-' }, press_faster },
	{ "Z", "pause", { 'Z' }, press_pause },
	{ "Up k", "the row above", { KEY_UP, 'k' }, press_up },
	{ "Down j", "the row below", { KEY_DOWN, 'j' }, press_down },
	{ "PgUp", "a page up", { KEY_PPAGE }, press_page_up },
	{ "PgDn", "a page down", { KEY_NPAGE }, press_page_down },
	{ "Home", "the first row", { KEY_HOME }, press_home },
	{ "End", "the last row", { KEY_END }, press_end },
	{ "F10 q", "end", { KEY_F(10), 'q', 'C' & 0x1f }, press_quit },
};

/* Show a text until Escape. */
static FILE *begin_text(struct screen *s)
{
	static size_t bytes;

	free(s->text);
	s->text = NULL;
	s->scroll = 0;
	s->mode = MODE_TEXT;
	return open_memstream(&s->text, &bytes);
}

static void press_details(struct screen *s)
{
	FILE *out;

	if (s->t->by != TOP_BY_QP || !s->t->nshown)
		return;
	out = begin_text(s);
	top_details(s->t, s->t->shown[s->selected], out);
	fclose(out);
}

static void press_help(struct screen *s)
{
	FILE *out = begin_text(s);
	enum top_column c;
	size_t i;

	fprintf(out, "Keys\n");
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		fprintf(out, "  %-10s %s\n", keys[i].shown, keys[i].doc);
	fprintf(out, "\nColumns, with the keys that sort by them\n");
	for (c = 0; c < TOP_COLUMNS; c++)
		fprintf(out, "  %c %-10s %s\n", top_columns[c].letter ? top_columns[c].letter : ' ', top_columns[c].title,
			top_columns[c].doc);
	fclose(out);
}

static void sort_by(struct screen *s, enum top_column c)
{
	s->t->sort = c;
	arrange(s);
}

static void press_in_rows(struct screen *s, int key)
{
	enum top_column c;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		for (k = 0; k < ARRAY_SIZE(keys[i].codes); k++)
			if (keys[i].codes[k] == key)
				return keys[i].press(s);
	if (key >= '1' && key < '1' + TOP_BYS)
		return set_by(s, key - '1');
	for (c = 0; c < TOP_COLUMNS; c++)
		if (top_columns[c].letter == key && top_has_column(s->t, c))
			sort_by(s, c);
}

/* Change a word by a key. */
static void type(char *word, int key)
{
	size_t length = strlen(word);

	if ((key == KEY_BACKSPACE || key == '\b' || key == 127) && length)
		word[length - 1] = 0;
	else if (key < 128 && isprint(key) && length + 1 < TM_TEXT_BYTES)
		strcpy(word + length, (char[]){ key, 0 });
}

static bool is_enter(int key)
{
	return key == ENTER || key == '\n' || key == KEY_ENTER;
}

static void press_in_search(struct screen *s, int key)
{
	if (key == ESCAPE || is_enter(key)) {
		s->mode = MODE_ROWS;
	} else if (key == KEY_F(3)) {
		search(s, s->selected + 1);
	} else {
		type(s->word, key);
		search(s, s->selected);
	}
}

static void press_in_filter(struct screen *s, int key)
{
	if (key == ESCAPE)
		*s->t->filter = 0;
	if (key == ESCAPE || is_enter(key))
		s->mode = MODE_ROWS;
	else
		type(s->t->filter, key);
	if (!is_enter(key))
		top_use_filter(s->t);
	find_selected(s);
}

/* The next column that can be sorted by, upwards or downwards. */
static void choose(struct screen *s, int step)
{
	int c = s->choice;

	do {
		c = (c + step + TOP_COLUMNS) % TOP_COLUMNS;
	} while (!top_columns[c].letter || !top_has_column(s->t, c));
	s->choice = c;
}

static void press_in_sort(struct screen *s, int key)
{
	if (key == KEY_UP || key == 'k')
		choose(s, -1);
	else if (key == KEY_DOWN || key == 'j')
		choose(s, 1);
	else if (key == ESCAPE || is_enter(key))
		s->mode = MODE_ROWS;
	if (is_enter(key))
		sort_by(s, s->choice);
}

static void press_in_text(struct screen *s, int key)
{
	int page = LINES > 2 ? LINES - 2 : 1;

	if (key == KEY_DOWN || key == 'j')
		s->scroll++;
	else if (key == KEY_NPAGE || key == ' ')
		s->scroll += page;
	else if (key == KEY_UP || key == 'k')
		s->scroll -= s->scroll > 0;
	else if (key == KEY_PPAGE)
		s->scroll = s->scroll > page ? s->scroll - page : 0;
	else if (key != KEY_RESIZE)
		s->mode = MODE_ROWS;
}

static void press(struct screen *s, int key)
{
	static void (*const to[])(struct screen *s, int key) = {
		[MODE_ROWS] = press_in_rows,
		[MODE_SEARCH] = press_in_search,
		[MODE_FILTER] = press_in_filter,
		[MODE_SORT] = press_in_sort,
		[MODE_TEXT] = press_in_text,
	};

	to[s->mode](s, key);
}

static void refresh_top(struct screen *s)
{
	top_refresh(s->t);
	find_selected(s);
	s->next_ns = tm_now_ns() + s->interval_ms * 1000000;
}

/**
 * top_screen() - show everything on the terminal until the user has enough
 * @t: the top
 * @interval_ms: between refreshes
 */
void top_screen(struct top *t, u64 interval_ms)
{
	struct screen s = { .t = t, .interval_ms = interval_ms };
	int signals = signalfd(-1, nap_signals(), SFD_CLOEXEC), key;
	sigset_t resize, mask;

	/* Only while it waits does it hear of a new size: none is missed. */
	sigemptyset(&resize);
	sigaddset(&resize, SIGWINCH);
	sigprocmask(SIG_BLOCK, &resize, &mask);
	enter();
	while (!s.end) {
		if (!s.paused && tm_now_ns() >= s.next_ns)
			refresh_top(&s);
		top_draw(&s);
		wait_for_something(&s, signals, &mask);
		while (!s.end && (key = getch()) != ERR)
			press(&s, key);
	}
	leave();
	free(s.text);
	close(signals);
}
