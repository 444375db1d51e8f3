// SPDX-License-Identifier: GPL-2.0
/* See top_model.h. */
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rxecc.h"
#include "top_model.h"

#define NONE	((size_t)-1)
/* a rail is slow if its P99 is so many times the median */
#define SLOW_TIMES	2

const struct top_column_info top_columns[TOP_COLUMNS] = {
	[TOP_MARK] = { "", "state", "S it has stalled, x it is gone", 0, TOP_TEXT, 1, 0 },
	[TOP_NAME] = { "QP", "name", "what the row is about", 'Q', TOP_TEXT, 13, 0 },
	[TOP_PROCESS] = { "PROCESS", "process", "its process", 'P', TOP_TEXT, 18, 12, .qps_only = true },
	[TOP_PEER] = { "PEER", "peer", "address of the other end", 'D', TOP_TEXT, 15, 1, .qps_only = true },
	[TOP_QPS] = { "QPS", "qps", "number of QPs", 0, TOP_NUMBER, 5, 1, .groups_only = true },
	[TOP_RATE] = { "B/s", "bytes_per_s", "bytes per second of completed work requests", 'R', TOP_NUMBER, 5, 1, true, true },
	[TOP_TREND_PICTURE] = { "TREND", "trend", "the same in the last refreshes", 0, TOP_PICTURE, 10, 2 },
	[TOP_P50] = { "P50", "p50_ns", "latency of half of the work requests", 'M', TOP_TIME, 5, 1 },
	[TOP_P99] = { "P99", "p99_ns", "latency of 99 % of them", 'L', TOP_TIME, 5, 1 },
	[TOP_P9999] = { "P99.99", "p99_99_ns", "latency of 99.99 % of them", 'X', TOP_TIME, 6, 1 },
	[TOP_RTT] = { "RTT", "rtt_ns", "latest round trip; of a group the longest", 'T', TOP_TIME, 5, 3 },
	[TOP_HOLD] = { "HOLD99", "hold_p99_ns", "time in the pacer of 99 % of the packets held", 'H', TOP_TIME, 6, 10 },
	[TOP_CNPS_IN] = { "CNP/s", "cnps_rcvd_per_s", "CNPs received per second", 'C', TOP_NUMBER, 5, 3, true, true },
	[TOP_CNPS_OUT] = { "OUT/s", "cnps_sent_per_s", "CNPs sent per second", 'O', TOP_NUMBER, 5, 5, true, true },
	[TOP_CUTS] = { "CUT/s", "cuts_per_s", "rate cuts per second", 'U', TOP_NUMBER, 5, 6, true, true },
	[TOP_NAKS] = { "NAKS", "naks", "NAKs received, ever", 'N', TOP_NUMBER, 5, 7, false, true },
	[TOP_TIMEOUTS] = { "TMO", "timeouts", "timeouts, ever", 'E', TOP_NUMBER, 4, 8, false, true },
	[TOP_AGAIN] = { "AGAIN", "again", "requests sent again, ever", 'G', TOP_NUMBER, 5, 9, false, true },
	[TOP_ALLOWED] = { "LIMIT", "limit_bps", "bits per second that the algorithm allows", 'A', TOP_NUMBER, 5, 11 },
	[TOP_ALGORITHM] = { "ALGORITHM", "algorithm", "the algorithm", 0, TOP_TEXT, 10, 13, .qps_only = true },
	[TOP_CE] = { "CE%", "ce_percent", "share of packets received that had CE, while there were any", 'K', TOP_NUMBER, 4, 14 },
};

const char *const top_bys[TOP_BYS] = {
	[TOP_BY_QP] = "qp",
	[TOP_BY_PEER] = "peer",
	[TOP_BY_DEVICE] = "device",
	[TOP_BY_PROCESS] = "process",
	[TOP_BY_RAIL] = "rail",
};

/* Columns that come from histograms: of work requests, least quantile first, but for the last one. */
static const enum top_column quantile_columns[TOP_QUANTILES] = { TOP_P50, TOP_P99, TOP_P9999, TOP_HOLD };
static const u32 quantile_ppm[TOP_QUANTILES] = { 500000, 990000, 999900, 990000 };

#define HOLD_QUANTILE	(TOP_QUANTILES - 1)

/**
 * top_reading() - the latest reading
 * @t: the top
 *
 * Return: it.
 */
const struct reading *top_reading(const struct top *t)
{
	return &t->readings[t->turn % 2];
}

static void name_row(const struct top *t, const struct tm_row *qp, char *name)
{
	char dev[TM_NAME_BYTES + 1];

	switch (t->by) {
	case TOP_BY_PEER:
		tm_peer(&qp->qp, name);
		if (!*name)
			strcpy(name, "not connected");
		break;
	case TOP_BY_DEVICE:
		snprintf(name, TM_TEXT_BYTES, "%.*s", TM_NAME_BYTES, qp->qp.dev);
		break;
	case TOP_BY_PROCESS:
		tm_process(&qp->qp, name);
		break;
	case TOP_BY_RAIL:
		snprintf(dev, sizeof(dev), "%.*s", TM_NAME_BYTES, qp->qp.dev);
		rails_find(t->rails, dev, name);
		break;
	default:
		tm_name(qp, name);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct top_row *)a)->name, ((const struct top_row *)b)->name);
}

static void *grown(void *array, size_t count, size_t size)
{
	array = realloc(array, count * size);
	if (!array)
		fail(EXIT_REFUSED, "out of memory");
	return array;
}

/* The histograms are as they were at that refresh; 0: it is not known how they were. */
static void set_past_turn(struct top_row *row, u64 turn)
{
	row->latency.turn = turn;
	row->hold.turn = turn;
}

static struct top_row *new_row(struct top *t, const char *name)
{
	struct top_row *row = alloc(sizeof(*row));
	int i;

	strcpy(row->name, name);
	for (i = 0; i < TOP_TREND; i++)
		row->trend[i] = -1;
	/* What has begun in the last interval had no samples before it. */
	if (!t->fresh)
		set_past_turn(row, t->turn - 1);
	if (t->n == t->room) {
		t->room = t->room * 2 + 64;
		t->rows = grown(t->rows, t->room, sizeof(*t->rows));
		t->shown = grown(t->shown, t->room, sizeof(*t->shown));
	}
	t->rows[t->n++] = row;
	if (!tsearch(row, &t->tree, by_name))
		fail(EXIT_REFUSED, "out of memory");
	return row;
}

static struct top_row *find_row(struct top *t, const struct tm_row *qp)
{
	struct top_row key;
	struct top_row **found;

	name_row(t, qp, key.name);
	found = tfind(&key, &t->tree, by_name);
	return found ? *found : new_row(t, key.name);
}

static void free_row(struct top_row *row)
{
	free(row->latency.n);
	free(row->hold.n);
	free(row);
}

/**
 * top_matches() - has a row a word in its texts?
 * @row: the row
 * @words: words, apart by '|'; case does not matter; nothing: every row has it
 *
 * Return: yes.
 */
bool top_matches(const struct top_row *row, const char *words)
{
	char copy[TM_TEXT_BYTES], *word, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&rest, "|")))
		if (*word && (strcasestr(row->name, word) || strcasestr(row->process, word) || strcasestr(row->peer, word)))
			return true;
	return !*words;
}

static void set_texts(struct top_row *row, const struct tm_row *qp)
{
	tm_process(&qp->qp, row->process);
	tm_peer(&qp->qp, row->peer);
}

/* Groups are made of the QPs that pass the filter. */
static bool filtered_out(const struct top *t, const struct tm_row *qp)
{
	struct top_row row;

	if (t->by == TOP_BY_QP || !*t->filter)
		return false;
	tm_name(qp, row.name);
	set_texts(&row, qp);
	return !top_matches(&row, t->filter);
}

/*
 * Is a QP of a later life of its device than a row, 1, or of an earlier one, -1? A device that was made again has a higher index,
 * and what was before it, under the same names, was something else.
 */
static int newer(const struct top *t, const struct top_row *row, const struct tm_row *qp)
{
	if (!row->turn || (t->by != TOP_BY_QP && t->by != TOP_BY_DEVICE))
		return 0;
	return qp->key.dev < row->key.dev ? -1 : qp->key.dev > row->key.dev;
}

/* A row as it is before its QPs are added. */
static void begin_row(struct top *t, struct top_row *row, const struct tm_row *qp)
{
	enum top_column c;
	int i;

	if (newer(t, row, qp) > 0)
		set_past_turn(row, 0);
	row->turn = t->turn;
	row->key = qp->key;
	if (t->by == TOP_BY_DEVICE)
		row->key.qpn = TM_DEV_QPN;
	row->qp = qp;
	row->member = NONE;
	row->stalled = 0;
	row->gone = 0;
	row->ce = 0;
	row->ce_span = 0;
	for (c = 0; c < TOP_COLUMNS; c++)
		row->value[c] = 0;
	for (i = 0; i < TOP_QUANTILES; i++)
		row->value[quantile_columns[i]] = NAN;
	set_texts(row, qp);
}

static u64 sum(const u64 *n, size_t count)
{
	u64 total = 0;

	while (count--)
		total += n[count];
	return total;
}

static void add_values(double *value, const struct tm_qp *was, const struct tm_qp *now, double seconds)
{
	double per_s = seconds ? 1 / seconds : NAN;

	value[TOP_QPS]++;
	value[TOP_RATE] += (sum(now->op_bytes, TM_OPS) - sum(was->op_bytes, TM_OPS)) * per_s;
	value[TOP_CNPS_IN] += (now->cnps_rcvd - was->cnps_rcvd) * per_s;
	value[TOP_CNPS_OUT] += (now->cnps_sent - was->cnps_sent) * per_s;
	value[TOP_CUTS] += (now->rate_cuts - was->rate_cuts) * per_s;
	value[TOP_NAKS] += sum(now->naks, TM_NAKS);
	value[TOP_TIMEOUTS] += now->timeouts;
	value[TOP_AGAIN] += now->again;
	if (now->died_ns)
		return;
	value[TOP_RTT] = rcc_max64(value[TOP_RTT], now->rtt_ns);
	value[TOP_ALLOWED] += now->rate_bps;
}

/* What the lines above the rows say. */
static void add_total(struct top *t, const struct tm_qp *was, const struct tm_row *now, bool stalled)
{
	add_values(t->total, was, &now->qp, t->seconds);
	t->gone += now->qp.died_ns > 0;
	t->live += !now->qp.died_ns;
	t->stalled += stalled;
	if (stalled && (!t->longest || tm_progress_ns(&now->qp) < tm_progress_ns(&t->longest->qp)))
		t->longest = now;
	if (!now->qp.died_ns && now->qp.done != was->done && (!t->slowest || now->qp.rtt_ns > t->slowest->qp.rtt_ns))
		t->slowest = now;
}

static void add_pair(const struct tm_row *was, const struct tm_row *now, void *data)
{
	static const struct tm_qp nothing;
	const struct tm_qp *before = was ? &was->qp : &nothing;
	struct top *t = data;
	struct top_row *row;
	bool stalled = false;

	if (now) {
		stalled = watch_stalled(now, top_reading(t)->ns, t->stall_ns);
		add_total(t, before, now, stalled);
	}
	if (filtered_out(t, now ? now : was))
		return;
	row = find_row(t, now ? now : was);
	if (newer(t, row, now ? now : was) < 0)
		return;
	if (!now) {
		/* The sums of its row become less, so they are not compared with what they were. */
		set_past_turn(row, 0);
		return;
	}
	if (row->turn != t->turn || newer(t, row, now) > 0)
		begin_row(t, row, now);
	t->next[now - top_reading(t)->rows] = row->member;
	row->member = now - top_reading(t)->rows;
	row->stalled += stalled;
	row->gone += now->qp.died_ns > 0;
	add_values(row->value, before, &now->qp, t->seconds);
	row->ce += now->qp.ce_rcvd - before->ce_rcvd;
	row->ce_span += now->qp.ce_span - before->ce_span;
}

/* Repeats may have CE that are within what was counted. */
static double ce_percent(const struct top_row *row)
{
	return row->ce_span ? 100.0 * rcc_min64(row->ce, row->ce_span) / row->ce_span : NAN;
}

/* Rows whose QPs are all gone from the maps go; the others get a point of their trend. */
static void end_rows(struct top *t)
{
	struct top_row *row;
	size_t i, n = 0;

	for (i = 0; i < t->n; i++) {
		row = t->rows[i];
		if (row->turn != t->turn) {
			tdelete(row, &t->tree, by_name);
			free_row(row);
			continue;
		}
		row->value[TOP_CE] = t->seconds ? ce_percent(row) : NAN;
		memmove(row->trend, row->trend + 1, sizeof(row->trend) - sizeof(row->trend[0]));
		row->trend[TOP_TREND - 1] = t->seconds ? row->value[TOP_RATE] : -1;
		t->rows[n++] = row;
	}
	t->n = n;
}

/* Rows out of the last two readings. */
static void build(struct top *t)
{
	const struct reading *now = top_reading(t), *was = &t->readings[!(t->turn % 2)];

	t->live = 0;
	t->gone = 0;
	t->stalled = 0;
	t->longest = NULL;
	t->slowest = NULL;
	memset(t->total, 0, sizeof(t->total));
	if (now->n > t->next_room) {
		t->next_room = now->room;
		t->next = grown(t->next, t->next_room, sizeof(*t->next));
	}
	watch_pairs(was, now, add_pair, t);
	end_rows(t);
}

/**
 * top_refresh() - read everything again
 * @t: the top
 */
void top_refresh(struct top *t)
{
	const struct reading *was = top_reading(t);
	int i;

	tm_keep_up(t->tm);
	t->turn++;
	t->fresh = t->turn == 1;
	reading_take(&t->readings[t->turn % 2], t->tm);
	t->seconds = t->turn > 1 ? (top_reading(t)->ns - was->ns) / 1e9 : 0;
	t->module = nl_present();
	for (i = 0; i < TM_LOSTS; i++) {
		t->lost[i] = tm_lost(t->tm, i);
		if (t->turn == 1)
			t->lost_before[i] = t->lost[i];
	}
	build(t);
	top_arrange(t);
}

static void rebuild(struct top *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		tdelete(t->rows[i], &t->tree, by_name);
		free_row(t->rows[i]);
	}
	t->n = 0;
	t->fresh = true;
	build(t);
	top_arrange(t);
}

/**
 * top_set_by() - make rows of something else
 * @t: the top
 * @by: a row for each of these
 */
void top_set_by(struct top *t, enum top_by by)
{
	t->by = by;
	if (!top_has_column(t, t->sort))
		t->sort = TOP_RATE;
	rebuild(t);
}

/**
 * top_use_filter() - show other rows, after the filter has changed
 * @t: the top
 */
void top_use_filter(struct top *t)
{
	if (t->by == TOP_BY_QP)
		top_arrange(t);
	else
		rebuild(t);
}

/**
 * top_has_column() - has a column a meaning for the rows?
 * @t: the top
 * @c: the column
 *
 * Return: yes.
 */
bool top_has_column(const struct top *t, enum top_column c)
{
	return t->by == TOP_BY_QP ? !top_columns[c].groups_only : !top_columns[c].qps_only;
}

static int compare(const void *a, const void *b, void *data)
{
	const struct top_row *x = *(struct top_row *const *)a, *y = *(struct top_row *const *)b;
	const struct top *t = data;
	double v = x->value[t->sort], w = y->value[t->sort];
	int less = 0;

	if (t->sort == TOP_PROCESS)
		less = strverscmp(x->process, y->process);
	else if (t->sort == TOP_PEER)
		less = strverscmp(x->peer, y->peer);
	else if (isnan(v) || isnan(w))
		return isnan(v) && isnan(w) ? strverscmp(x->name, y->name) : isnan(v) - isnan(w);
	else if (v != w)
		less = v > w ? -1 : 1;
	if (!less && t->sort != TOP_NAME)
		return strverscmp(x->name, y->name);
	if (!less)
		less = strverscmp(x->name, y->name);
	return t->inverted ? -less : less;
}

/**
 * struct whole - a histogram that is being read
 * @octaves: those that have samples, by bit; all else of @sum is 0
 * @first: its first bucket
 * @end: behind its last one
 * @sum: the samples
 */
struct whole {
	u32 octaves;
	u32 first;
	u32 end;
	struct tm_hist_sum sum;
};

/* As rcc_hist_quantile(), but all of them in one go: there may be thousands of rows. */
static void set_quantiles(double *quantile, const struct whole *w, u32 from, u32 to)
{
	u64 sum = 0;
	u32 b = w->first, i;

	for (i = from; i < to; i++) {
		quantile[i] = NAN;
		if (!w->sum.total)
			continue;
		while (b < w->end && sum + w->sum.n[b] < rcc_hist_rank(w->sum.total, quantile_ppm[i]))
			sum += w->sum.n[b++];
		quantile[i] = rcc_hist_mid(b);
	}
}

/*
 * From all samples to those of the last interval, and remember all. Nothing is left if it is not known what was before: the
 * histogram was not read then, or a QP has left the group.
 */
static void forget_past(struct top_past *past, u64 turn, struct whole *w)
{
	u64 *n = w->sum.n, *all = past->n, total = w->sum.total, was;
	bool known = past->turn + 1 == turn;
	u32 b;

	for (b = past->first; known && b < past->end; b++)
		known = past->n[b - past->first] <= n[b];
	if (w->first != past->first || w->end != past->end)
		all = alloc((w->end - w->first) * sizeof(*all));
	for (b = w->first; b < w->end; b++) {
		was = b >= past->first && b < past->end ? past->n[b - past->first] : 0;
		all[b - w->first] = n[b];
		n[b] -= known ? was : n[b];
	}
	w->sum.total -= known ? past->total : total;
	if (all != past->n)
		free(past->n);
	*past = (struct top_past){ .turn = turn, .first = w->first, .end = w->end, .total = total, .n = all };
}

/* Histograms from @from to before @to. */
static void add_hists(struct top *t, const struct tm_key *key, const u32 *octaves, enum tm_hist from, enum tm_hist to,
		      struct whole *w)
{
	for (; from < to; from++) {
		tm_add_hist(t->tm, key, from, octaves[from], &w->sum);
		w->octaves |= octaves[from];
	}
}

/* Quantiles of all samples and of those since the last refresh, in columns from @from to before @to. */
static void use_whole(struct top *t, struct top_row *row, struct whole *w, struct top_past *past, u32 from, u32 to)
{
	w->octaves &= (1U << RCC_HIST_OCTAVES) - 1;
	w->first = w->octaves ? __builtin_ctz(w->octaves) * RCC_HIST_SUB : 0;
	w->end = w->octaves ? (32 - __builtin_clz(w->octaves)) * RCC_HIST_SUB : 0;
	set_quantiles(row->quantile[1], w, from, to);
	forget_past(past, t->turn, w);
	set_quantiles(row->quantile[0], w, from, to);
	memset(w->sum.n + w->first, 0, (w->end - w->first) * sizeof(*w->sum.n));
	w->sum.total = 0;
	w->octaves = 0;
}

static void read_latency(struct top *t, struct top_row *row)
{
	static const u32 all_octaves[TM_HISTS] = { [TM_HIST_SEND ... TM_HIST_ATOMIC] = ~0 };
	static struct whole w;
	const struct tm_row *qp;
	size_t i;

	for (i = row->member; i != NONE && t->by != TOP_BY_DEVICE; i = t->next[i]) {
		qp = &top_reading(t)->rows[i];
		add_hists(t, &qp->key, qp->qp.octaves, TM_HIST_SEND, TM_HIST_RTT, &w);
	}
	/* A device has histograms of its own, in which QPs that are gone stay. */
	if (t->by == TOP_BY_DEVICE)
		add_hists(t, &row->key, all_octaves, TM_HIST_SEND, TM_HIST_RTT, &w);
	use_whole(t, row, &w, &row->latency, 0, HOLD_QUANTILE);
}

static void read_hold(struct top *t, struct top_row *row)
{
	static struct whole w;
	const struct tm_row *qp;
	size_t i;

	for (i = row->member; i != NONE; i = t->next[i]) {
		qp = &top_reading(t)->rows[i];
		add_hists(t, &qp->key, qp->qp.octaves, TM_HIST_HOLD, TM_HIST_CNP_GAP, &w);
	}
	use_whole(t, row, &w, &row->hold, HOLD_QUANTILE, TOP_QUANTILES);
}

/* Each histogram once per refresh. */
static void complete(struct top *t, struct top_row *row, bool latency, bool hold)
{
	int i;

	if (latency && row->latency.turn != t->turn)
		read_latency(t, row);
	if (hold && row->hold.turn != t->turn)
		read_hold(t, row);
	for (i = 0; i < TOP_QUANTILES; i++)
		row->value[quantile_columns[i]] = row->quantile[t->lifetime][i];
}

/**
 * top_complete() - read a row's histograms, unless that has been done since the last refresh
 * @t: the top
 * @row: the row
 */
void top_complete(struct top *t, struct top_row *row)
{
	complete(t, row, true, true);
}

/* Is the P99 of a rail far above the median of all? */
static void find_slow_rail(struct top *t)
{
	u64 *p99 = alloc((t->n + 1) * sizeof(*p99)), median;
	const struct top_row *slowest = NULL;
	size_t i, n = 0;

	for (i = 0; i < t->n; i++) {
		complete(t, t->rows[i], true, false);
		if (isnan(t->rows[i]->value[TOP_P99]))
			continue;
		p99[n++] = t->rows[i]->value[TOP_P99];
		if (!slowest || t->rows[i]->value[TOP_P99] > slowest->value[TOP_P99])
			slowest = t->rows[i];
	}
	if (n > 1) {
		median = rails_median(p99, n);
		t->slow_times = median ? slowest->value[TOP_P99] / median : 0;
		t->slow_rail = t->slow_times >= SLOW_TIMES ? slowest : NULL;
	}
	free(p99);
}

/**
 * top_arrange() - filter and sort what was read
 * @t: the top
 */
void top_arrange(struct top *t)
{
	bool hold = t->sort == TOP_HOLD, latency = t->sort == TOP_P50 || t->sort == TOP_P99 || t->sort == TOP_P9999;
	struct top_row *row;
	size_t i;

	t->nshown = 0;
	for (i = 0; i < t->n; i++) {
		row = t->rows[i];
		if ((t->dead || row->gone < row->value[TOP_QPS]) && (t->by != TOP_BY_QP || top_matches(row, t->filter)))
			t->shown[t->nshown++] = row;
	}
	for (i = 0; i < t->nshown && (hold || latency); i++)
		complete(t, t->shown[i], latency, hold);
	t->slow_rail = NULL;
	if (t->by == TOP_BY_RAIL)
		find_slow_rail(t);
	if (t->nshown)
		qsort_r(t->shown, t->nshown, sizeof(*t->shown), compare, t);
}

/**
 * top_ask_module() - ask the module for a QP's algorithm
 * @t: the top
 * @row: the QP's row
 */
void top_ask_module(struct top *t, struct top_row *row)
{
	struct target target = { .qpn = row->key.qpn, .has_qpn = true };
	const char *name;
	json_t *qps;

	if (!t->module || t->by != TOP_BY_QP || row->gone)
		return;
	snprintf(target.dev, sizeof(target.dev), "%.*s", TM_NAME_BYTES, row->qp->qp.dev);
	qps = try_qps(&target);
	name = json_string_value(json_object_get(json_array_get(qps, 0), "algorithm"));
	snprintf(row->algorithm, sizeof(row->algorithm), "%s", name ? name : "");
	json_decref(qps);
}
