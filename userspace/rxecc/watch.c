// SPDX-License-Identifier: GPL-2.0
/* See watch.h. */
#include <stdlib.h>

#include "rxecc.h"
#include "watch.h"

const char *const watch_names[WATCH_WHATS] = {
	[WATCH_BORN] = "born",
	[WATCH_CNPS] = "cnps",
	[WATCH_CNPS_SENT] = "cnps_sent",
	[WATCH_CUT] = "cut",
	[WATCH_NAK] = "nak",
	[WATCH_TIMEOUT] = "timeout",
	[WATCH_AGAIN] = "again",
	[WATCH_FAILED] = "failed",
	[WATCH_ERROR] = "error",
	[WATCH_STALL] = "stall",
	[WATCH_STALL_END] = "stall_end",
	[WATCH_DIED] = "died",
};

/**
 * struct sign - a counter whose growth is an event
 * @what: kind of the event
 * @nak: WATCH_NAK: which
 * @count: where the counter is in struct tm_qp
 * @time: where the time of the latest is; 0: it is known only if it is the QP's latest event
 * @event: which is this one
 */
struct sign {
	enum watch_what what;
	enum tm_nak nak;
	size_t count;
	size_t time;
	enum tm_event event;
};

#define AT(field)	offsetof(struct tm_qp, field)

static const struct sign signs[] = {
	{ WATCH_CNPS, 0, AT(cnps_rcvd), AT(cnp_rcvd_ns), 0 },
	{ WATCH_CNPS_SENT, 0, AT(cnps_sent), AT(cnp_sent_ns), 0 },
	{ WATCH_CUT, 0, AT(rate_cuts), AT(cut_ns), 0 },
	{ WATCH_NAK, TM_NAK_PSN, AT(naks[TM_NAK_PSN]), 0, TM_EVENT_NAK },
	{ WATCH_NAK, TM_NAK_INVALID, AT(naks[TM_NAK_INVALID]), 0, TM_EVENT_NAK },
	{ WATCH_NAK, TM_NAK_ACCESS, AT(naks[TM_NAK_ACCESS]), 0, TM_EVENT_NAK },
	{ WATCH_NAK, TM_NAK_OP, AT(naks[TM_NAK_OP]), 0, TM_EVENT_NAK },
	{ WATCH_NAK, TM_NAK_RNR, AT(naks[TM_NAK_RNR]), 0, TM_EVENT_NAK },
	{ WATCH_TIMEOUT, 0, AT(timeouts), 0, TM_EVENT_TIMEOUT },
	{ WATCH_AGAIN, 0, AT(again), 0, TM_EVENT_AGAIN },
	{ WATCH_FAILED, 0, AT(failed), 0, TM_EVENT_FAILED },
	{ WATCH_ERROR, 0, AT(errors), AT(error_ns), 0 },
};

/**
 * struct watch - a comparison
 * @was_ns: time of the earlier reading
 * @now_ns: of the later one
 * @stall_ns: how long without progress is a stall
 * @events: what happened
 * @n: how much
 * @room: for so many
 */
struct watch {
	u64 was_ns;
	u64 now_ns;
	u64 stall_ns;
	struct watch_event *events;
	size_t n;
	size_t room;
};

/**
 * reading_take() - read all QPs
 * @r: replaced
 * @tm: the telemetry
 *
 * Ends the program if nobody records any more.
 */
void reading_take(struct reading *r, struct telemetry *tm)
{
	struct tm_row *rows;

	if (tm_abandoned(tm))
		fail(EXIT_REFUSED, "the agent that recorded this has ended");
	r->n = tm_rows(tm, &rows);
	r->ns = tm_now_ns();
	if (r->n > r->room) {
		free(r->rows);
		r->room = r->n + r->n / 2;
		r->rows = alloc(r->room * sizeof(*r->rows));
	}
	if (r->n)
		memcpy(r->rows, rows, r->n * sizeof(*r->rows));
}

/* Has a number gone over to another QP? */
static bool other_qp(const struct tm_row *was, const struct tm_row *now)
{
	return was->qp.born_ns != now->qp.born_ns || (was->qp.died_ns && was->qp.died_ns != now->qp.died_ns);
}

/**
 * watch_pairs() - match the QPs of two readings
 * @was: the earlier one
 * @now: the later one
 * @take: called for every QP with its rows; NULL: it is not there, or the number was another QP's
 * @data: given to @take
 */
void watch_pairs(const struct reading *was, const struct reading *now,
		 void (*take)(const struct tm_row *was, const struct tm_row *now, void *data), void *data)
{
	const struct tm_row *w = was->rows, *n = now->rows, *w_end = w + was->n, *n_end = n + now->n;

	while (w < w_end || n < n_end) {
		int where = w == w_end ? 1 : n == n_end ? -1 : tm_compare_keys(&w->key, &n->key);

		if (!where && !other_qp(w, n)) {
			take(w++, n++, data);
			continue;
		}
		if (where <= 0)
			take(w++, NULL, data);
		if (where >= 0)
			take(NULL, n++, data);
	}
}

/**
 * watch_stalled() - does a QP have work outstanding, but makes no progress?
 * @row: the QP
 * @now_ns: time of the reading
 * @stall_ns: how long it takes to say so
 *
 * Return: yes.
 */
bool watch_stalled(const struct tm_row *row, u64 now_ns, u64 stall_ns)
{
	return !row->qp.died_ns && tm_outstanding(&row->qp) && tm_progress_ns(&row->qp) + stall_ns <= now_ns;
}

static struct watch_event *add(struct watch *w, enum watch_what what, const struct tm_row *row, u64 ns)
{
	if (w->n == w->room) {
		w->room = w->room * 2 + 64;
		w->events = realloc(w->events, w->room * sizeof(*w->events));
		if (!w->events)
			fail(EXIT_REFUSED, "out of memory");
	}
	w->events[w->n] = (struct watch_event){ .what = what, .row = row, .ns = ns, .n = 1 };
	return &w->events[w->n++];
}

static u64 field(const struct tm_qp *qp, size_t at)
{
	return *(const u64 *)((const char *)qp + at);
}

static void count(struct watch *w, const struct sign *c, const struct tm_qp *was, const struct tm_row *now)
{
	u64 more = field(&now->qp, c->count) - field(was, c->count), ns = w->now_ns;
	struct watch_event *e;

	if (!more)
		return;
	if (c->time)
		ns = field(&now->qp, c->time);
	else if (now->qp.event == c->event)
		ns = now->qp.event_ns;
	e = add(w, c->what, now, ns);
	e->n = more;
	e->nak = c->nak;
	e->from_bps = was->rate_bps;
}

static void stall(struct watch *w, const struct tm_row *was, const struct tm_row *now)
{
	bool before = was && watch_stalled(was, w->was_ns, w->stall_ns);
	bool after = now && watch_stalled(now, w->now_ns, w->stall_ns);
	bool moved = was && now && tm_progress_ns(&was->qp) != tm_progress_ns(&now->qp);
	u64 end_ns = moved ? tm_progress_ns(&now->qp) : w->now_ns;

	if (before && (!after || moved))
		add(w, WATCH_STALL_END, now ? now : was, end_ns)->since_ns = tm_progress_ns(&was->qp);
	if (after && (!before || moved))
		add(w, WATCH_STALL, now, w->now_ns)->since_ns = tm_progress_ns(&now->qp);
}

static void compare(const struct tm_row *was, const struct tm_row *now, void *data)
{
	static const struct tm_qp nothing;
	const struct tm_qp *before = was ? &was->qp : &nothing;
	struct watch *w = data;
	size_t i;

	if (now) {
		if (!was && now->qp.born_ns)
			add(w, WATCH_BORN, now, now->qp.born_ns);
		for (i = 0; i < ARRAY_SIZE(signs); i++)
			count(w, &signs[i], before, now);
	}
	stall(w, was, now);
	if (!before->died_ns && !now)
		add(w, WATCH_DIED, was, w->now_ns);
	else if (!before->died_ns && now->qp.died_ns)
		add(w, WATCH_DIED, now, now->qp.died_ns);
}

/* Of the same time: in the order in which they were found. */
static int by_time(const void *a, const void *b)
{
	const struct watch_event *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->what < y->what ? -1 : x->what > y->what;
}

/**
 * watch_compare() - what happened between two readings?
 * @was: the earlier one
 * @now: the later one
 * @stall_ns: how long without progress is a stall
 * @events: set to what happened, in order of time; they stay until the next call, and point into both readings
 *
 * Return: how much.
 */
size_t watch_compare(const struct reading *was, const struct reading *now, u64 stall_ns, const struct watch_event **events)
{
	static struct watch w;

	w.n = 0;
	w.was_ns = was->ns;
	w.now_ns = now->ns;
	w.stall_ns = stall_ns;
	watch_pairs(was, now, compare, &w);
	if (w.n)
		qsort(w.events, w.n, sizeof(*w.events), by_time);
	*events = w.events;
	return w.n;
}
