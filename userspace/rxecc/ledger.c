// SPDX-License-Identifier: GPL-2.0
/* See ledger.h. */
#include <stdlib.h>
#include <string.h>

#include "ledger.h"
#include "rxecc.h"
#include "tm_text.h"
#include "watch.h"

/* A CNP, NAK or timeout makes a QP as interesting as so many bytes. */
#define EVENT_BYTES	4096

#define COUNTER(name, unit, help, field, label, values)				\
	{ name, unit, help, offsetof(struct tm_qp, field), label, values, sizeof(((struct tm_qp *)0)->field) / sizeof(u64) }

const struct counter ledger_counters[] = {
	COUNTER("requests_started", NULL, "Work requests whose first packet left.", started, NULL, NULL),
	COUNTER("requests_ended", NULL, "Work requests that completed, with or without error.", done, NULL, NULL),
	COUNTER("requests_failed", NULL, "Work requests that ended with an error, or by an error of their QP.", failed, NULL,
		NULL),
	COUNTER("requests_flushed", NULL,
		"Work requests that ended because their QP was destroyed, reset or moved into the error state.", flushed, NULL,
		NULL),
	COUNTER("requests_unseen", NULL, "Work requests that may have ended while nothing was recorded.", unseen, NULL, NULL),
	COUNTER("requests_completed", NULL, "Work requests that completed without error.", op_done, "op", tm_hist_names),
	COUNTER("completed_bytes", "bytes", "Bytes of work requests that completed without error.", op_bytes, "op",
		tm_hist_names),
	COUNTER("requests_resent", NULL, "Times that a work request's first packet was sent again.", again, NULL, NULL),
	COUNTER("naks", NULL, "NAKs received.", naks, "syndrome", tm_nak_names),
	COUNTER("timeouts", NULL, "Times that rxe's retransmission timer expired with work requests on their way.", timeouts,
		NULL, NULL),
	COUNTER("errors", NULL, "Times that a QP went into the error state without being told to.", errors, NULL, NULL),
	COUNTER("rate_cuts", NULL, "Times that the algorithm lowered the rate.", rate_cuts, NULL, NULL),
	COUNTER("cnps_received", NULL, "Valid CNPs received.", cnps_rcvd, NULL, NULL),
	COUNTER("cnps_sent", NULL, "CNPs sent.", cnps_sent, NULL, NULL),
	COUNTER("cnps_ignored", NULL, "CNPs received for a known QP that changed nothing.", cnps_ignored, NULL, NULL),
	COUNTER("ce_packets", NULL, "Packets received with the mark of congestion, CE, without datagrams.", ce_rcvd, NULL, NULL),
	COUNTER("ce_span_packets", NULL,
		"Packets received while some had CE, by their PSNs: the share of CE is ce_packets by this. A READ request counts "
		"as its whole response.", ce_span, NULL, NULL),
};

const size_t ledger_ncounters = ARRAY_SIZE(ledger_counters);

static void get_counters(const struct tm_qp *qp, u64 *values)
{
	size_t i, at = 0;

	for (i = 0; i < ledger_ncounters; at += ledger_counters[i++].n)
		memcpy(values + at, (const char *)qp + ledger_counters[i].offset, ledger_counters[i].n * sizeof(u64));
	_Static_assert(17 - 3 + TM_OPS + TM_OPS + TM_NAKS <= COUNTERS_MAX, "there is room for all counters");
}

/**
 * ledger_device() - find a device
 * @l: the ledger
 * @name: its name
 *
 * Return: it; new if it was not known.
 */
struct device *ledger_device(struct ledger *l, const char *name)
{
	struct device *dev;

	for (dev = l->devices; dev < l->devices + l->ndevices; dev++)
		if (!strncmp(dev->name, name, TM_NAME_BYTES))
			return dev;
	l->devices = realloc(l->devices, (l->ndevices + 1) * sizeof(*l->devices));
	if (!l->devices)
		fail(EXIT_REFUSED, "out of memory");
	dev = &l->devices[l->ndevices++];
	memset(dev, 0, sizeof(*dev));
	strncpy(dev->name, name, TM_NAME_BYTES);
	rails_find(l->rails, dev->name, dev->rail);
	dev->index = ~0U;
	dev->window = window_new();
	return dev;
}

/* A device may have samples of QPs that were gone before the ledger began. */
static void find_octaves(struct ledger *l, struct device *dev)
{
	static struct tm_hist_sum sum;
	u32 hist, octave;

	memset(&sum, 0, sizeof(sum));
	for (hist = 0; hist < TM_HISTS; hist++) {
		dev->octaves[hist] = 0;
		for (octave = 0; octave < RCC_HIST_OCTAVES; octave++) {
			u64 before = sum.total;

			tm_add_hist(l->tm, &(struct tm_key){ dev->index, TM_DEV_QPN }, hist, 1U << octave, &sum);
			dev->octaves[hist] |= (u32)(sum.total > before) << octave;
		}
	}
}

/* A device that was removed and made again has the name of the old one, and a new index; that one's histograms begin anew. */
static struct device *device_of(struct ledger *l, const struct tm_row *row)
{
	struct device *dev = ledger_device(l, row->qp.dev);

	if (dev->index == ~0U || row->key.dev > dev->index) {
		dev->index = row->key.dev;
		find_octaves(l, dev);
		window_free(dev->window);
		dev->window = window_new();
	}
	return dev;
}

static u64 bytes_of(const struct tm_qp *qp)
{
	u64 sum = (qp->timeouts + qp->cnps_rcvd + qp->cnps_sent) * EVENT_BYTES;
	int i;

	for (i = 0; i < TM_OPS; i++)
		sum += qp->op_bytes[i];
	for (i = 0; i < TM_NAKS; i++)
		sum += qp->naks[i] * EVENT_BYTES;
	return sum;
}

/* A number may go back a little, if a record was written back; totals do not. */
static void add_counters(struct device *dev, struct entry *e, const struct tm_qp *qp)
{
	u64 values[COUNTERS_MAX] = { 0 };
	int i;

	get_counters(qp, values);
	for (i = 0; i < COUNTERS_MAX; i++)
		dev->totals[i] += values[i] > e->counted[i] ? values[i] - e->counted[i] : 0;
	memcpy(e->counted, values, sizeof(values));
}

static void update(struct ledger *l, struct entry *e, const struct tm_row *row)
{
	struct device *dev = device_of(l, row);
	u64 bytes = bytes_of(&row->qp);
	int i;

	e->key = row->key;
	e->born_ns = row->qp.born_ns;
	e->id = row->qp.id;
	e->heat += bytes - e->bytes;
	e->bytes = bytes;
	e->stalled = watch_stalled(row, l->read_ns, l->stall_ns);
	add_counters(dev, e, &row->qp);
	for (i = 0; i < TM_HISTS; i++)
		dev->octaves[i] |= row->qp.octaves[i];
	dev->qps += !row->qp.died_ns;
	dev->stalled += e->stalled;
}

/* Has a QP's number gone to another QP? Its counters begin anew then. */
static bool is_other(const struct entry *e, const struct tm_qp *qp)
{
	return e->born_ns != qp->born_ns || (e->id && e->id != qp->id) || bytes_of(qp) < e->bytes;
}

/* Rows and entries are both in the order of their keys. */
static void match(struct ledger *l, struct entry *entries, size_t n)
{
	struct entry *old = l->entries, *end = l->entries + l->n;
	size_t i;

	for (i = 0; i < n; i++) {
		while (old < end && tm_compare_keys(&old->key, &l->rows[i].key) < 0)
			window_free(old++->window);
		if (old < end && !tm_compare_keys(&old->key, &l->rows[i].key)) {
			if (is_other(old, &l->rows[i].qp))
				window_free(old->window);
			else
				entries[i] = *old;
			old++;
		}
		update(l, &entries[i], &l->rows[i]);
	}
	while (old < end)
		window_free(old++->window);
}

/* What has stalled comes first, then what has most traffic. */
static bool is_more(const struct entry *a, const struct entry *b)
{
	if (a->stalled != b->stalled)
		return a->stalled;
	if (a->heat != b->heat)
		return a->heat > b->heat;
	return tm_compare_keys(&a->key, &b->key) < 0;
}

/* A device that was made again has another index. QPs of before may have the same numbers: two series of one name. */
static bool is_past(struct ledger *l, const struct tm_row *row)
{
	return ledger_device(l, row->qp.dev)->index != row->key.dev;
}

/* Put an entry where it belongs among those that have series, the most interesting first; the last one may have to go. */
static void insert(struct ledger *l, size_t number)
{
	size_t from = 0, to = l->nshown;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (is_more(&l->entries[number], &l->entries[l->shown[middle]]))
			to = middle;
		else
			from = middle + 1;
	}
	if (from == l->top)
		return;
	l->nshown += l->nshown < l->top;
	memmove(l->shown + from + 1, l->shown + from, (l->nshown - 1 - from) * sizeof(*l->shown));
	l->shown[from] = number;
}

static int by_number(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

/* What a QP did before it had series is not of late, unless it is new. */
static struct window *begin_window(struct ledger *l, const struct tm_row *row)
{
	struct window *w = window_new();

	if (row->qp.born_ns < l->before_ns) {
		window_turn(w, l->tm, &row->key, row->qp.octaves);
		window_turn(w, l->tm, &row->key, row->qp.octaves);
	}
	return w;
}

/* Say which QPs have series. */
static void choose(struct ledger *l)
{
	size_t i, next = 0;

	l->nshown = 0;
	for (i = 0; i < l->n; i++)
		if (!is_past(l, &l->rows[i]) &&
		    (l->nshown < l->top || (l->top && is_more(&l->entries[i], &l->entries[l->shown[l->top - 1]]))))
			insert(l, i);
	qsort(l->shown, l->nshown, sizeof(*l->shown), by_number);
	for (i = 0; i < l->n; i++) {
		struct entry *e = &l->entries[i];

		if (next < l->nshown && l->shown[next] == i) {
			next++;
			if (!e->window)
				e->window = begin_window(l, &l->rows[i]);
		} else {
			window_free(e->window);
			e->window = NULL;
		}
	}
}

/**
 * ledger_read() - read the records
 * @l: the ledger
 * @now_ns: the time
 */
void ledger_read(struct ledger *l, u64 now_ns)
{
	struct entry *entries;
	struct device *dev;
	size_t n;

	for (dev = l->devices; dev < l->devices + l->ndevices; dev++) {
		dev->qps = 0;
		dev->stalled = 0;
	}
	l->before_ns = l->read_ns;
	l->read_ns = now_ns;
	n = tm_rows(l->tm, &l->rows);
	entries = alloc((n + 1) * sizeof(*entries));
	match(l, entries, n);
	free(l->entries);
	l->entries = entries;
	l->n = n;
	if (!l->shown)
		l->shown = alloc((l->top + 1) * sizeof(*l->shown));
	choose(l);
}

static void turn(struct ledger *l)
{
	struct device *dev;
	size_t i;

	for (i = 0; i < l->nshown; i++)
		window_turn(l->entries[l->shown[i]].window, l->tm, &l->rows[l->shown[i]].key,
			    l->rows[l->shown[i]].qp.octaves);
	for (dev = l->devices; dev < l->devices + l->ndevices; dev++)
		window_turn(dev->window, l->tm, &(struct tm_key){ dev->index, TM_DEV_QPN }, dev->octaves);
}

/**
 * ledger_tick() - do what is due although nobody asks; to be called every LEDGER_READ_NS
 * @l: the ledger
 * @now_ns: the time
 */
void ledger_tick(struct ledger *l, u64 now_ns)
{
	size_t i;

	ledger_read(l, now_ns);
	for (i = 0; i < l->n; i++) {
		l->entries[i].heat -= (l->entries[i].heat + 7) / 8;
		if (l->rows[i].qp.died_ns &&
		    (is_past(l, &l->rows[i]) || now_ns > l->rows[i].qp.died_ns + TM_KEEP_NS))
			tm_reap(l->tm, &l->rows[i]);
	}
	if (!l->turn_ns)
		l->turn_ns = now_ns;
	if (now_ns < l->turn_ns + LEDGER_TURN_NS)
		return;
	turn(l);
	l->turn_ns = now_ns;
}
