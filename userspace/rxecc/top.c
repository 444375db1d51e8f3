// SPDX-License-Identifier: GPL-2.0
/* rxecc top: what QPs do now, on a terminal or as one table. */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nap.h"
#include "rxecc.h"
#include "top_screen.h"
#include "top_text.h"

#define INTERVAL_MS	1000
#define INTERVAL_MIN_MS	100
#define INTERVAL_MAX_MS	60000

static enum top_by by_of(const struct args *args)
{
	const char *word = args->opts[OPT_BY];
	enum top_by by;

	if (args->opts[OPT_RAILS] && word)
		usage("--rails is --by rail; only one of them");
	if (args->opts[OPT_RAILS])
		return TOP_BY_RAIL;
	for (by = 0; word && by < TOP_BYS; by++)
		if (!strcmp(word, top_bys[by]))
			return by;
	if (word)
		usage("no rows by '%s'; there are qp, peer, device, process and rail", word);
	return TOP_BY_QP;
}

static void __noreturn no_column(const char *word, const struct top *t)
{
	char *names = NULL;
	size_t bytes;
	FILE *out = open_memstream(&names, &bytes);
	enum top_column c;

	for (c = 0; c < TOP_COLUMNS; c++)
		if (top_columns[c].letter && top_has_column(t, c))
			fprintf(out, " %s", top_columns[c].key);
	fclose(out);
	usage("no column '%s' to sort by; there are%s", word, names);
}

static enum top_column sort_of(const struct args *args, const struct top *t)
{
	const char *word = args->opts[OPT_SORT];
	enum top_column c;

	if (!word)
		return TOP_RATE;
	for (c = 0; c < TOP_COLUMNS; c++)
		if (!strcmp(word, top_columns[c].key) && top_columns[c].letter && top_has_column(t, c))
			return c;
	no_column(word, t);
}

static void complete_all(struct top *t)
{
	size_t i;

	for (i = 0; i < t->nshown; i++)
		top_complete(t, t->shown[i]);
}

static void print_once(struct top *t, u64 interval_ms, bool json)
{
	json_t *object;
	size_t i;

	top_refresh(t);
	complete_all(t);
	nap(interval_ms * 1000000);
	top_refresh(t);
	complete_all(t);
	for (i = 0; i < t->nshown; i++)
		top_ask_module(t, t->shown[i]);
	if (json) {
		object = top_json(t);
		print_json(object);
		json_decref(object);
	} else {
		top_print(t);
	}
}

/**
 * cmd_top() - rxecc top
 * @args: the words
 */
void cmd_top(const struct args *args)
{
	u64 interval_ms = opt_number(args, OPT_INTERVAL, INTERVAL_MS, INTERVAL_MIN_MS, INTERVAL_MAX_MS);
	struct top t = { .stall_ns = opt_seconds(args, OPT_STALL, STALL_NS), .by = by_of(args) };
	const char *filter = args->opts[OPT_FILTER];
	bool once = args->opts['b'];

	if (args->n)
		usage("top takes no words; see rxecc top --help");
	t.sort = sort_of(args, &t);
	if (filter && strlen(filter) >= sizeof(t.filter))
		usage("a filter has at most %zu characters", sizeof(t.filter) - 1);
	if (filter)
		strcpy(t.filter, filter);
	if (args->json && !once)
		usage("--json is for --once");
	if (!once && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		usage("this is no terminal; --once prints one table");
	setlocale(LC_CTYPE, "");
	t.rails = rails_open(args->opts[OPT_RAILS] && *args->opts[OPT_RAILS] ? args->opts[OPT_RAILS] : NULL);
	t.tm = tm_open(TM_ANY, args->opts[OPT_PINS]);
	if (once)
		print_once(&t, interval_ms, args->json);
	else
		top_screen(&t, interval_ms);
	tm_close(t.tm);
}
