/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Telemetry as the commands see it: bpf/telemetry.h read out of its maps.
 *
 * Where an agent (rxecc export) runs, its pinned maps are read. Where none does, top, hist and monitor load the programs for
 * themselves, and everything is gone when they end.
 */
#ifndef RXECC_TM_H
#define RXECC_TM_H

#include <stdbool.h>

#include "../../bpf/telemetry.h"

struct telemetry;

/* so long a QP's record stays after its end, so that its last figures are seen */
#define TM_KEEP_NS	(60 * RCC_NSEC_PER_SEC)

/* how to open */
enum tm_how {
	TM_READ,	/* pinned maps only; there must be some */
	TM_ANY,		/* pinned maps, else programs of one's own, not pinned */
	TM_AGENT,	/* programs of one's own, their maps pinned; there must be no other agent */
};

/* room for QPs, in maps of one's own; set before tm_open() */
extern u32 tm_qps_max;

/**
 * struct tm_row - a QP as it was when tm_rows() read it
 * @key: which
 * @qp: its record
 */
struct tm_row {
	struct tm_key key;
	struct tm_qp qp;
};

/**
 * struct tm_hist_sum - a whole histogram
 * @total: samples
 * @sum_ns: their sum
 * @n: of each bucket
 */
struct tm_hist_sum {
	u64 total;
	u64 sum_ns;
	u64 n[RCC_HIST_BUCKETS];
};

/* Work requests on their way. Those that began before the programs were there have only an end. */
static inline u64 tm_outstanding(const struct tm_qp *qp)
{
	u64 ended = qp->done + qp->unseen;

	return qp->started > ended ? qp->started - ended : 0;
}

/* When anything last got on: a work request began or ended, or the peer acknowledged a part of one. */
static inline u64 tm_progress_ns(const struct tm_qp *qp)
{
	return rcc_max64(rcc_max64(qp->started_ns, qp->done_ns), qp->heard_ns);
}

/* The order of rows: by device, then by number. */
static inline int tm_compare_keys(const struct tm_key *a, const struct tm_key *b)
{
	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	return a->qpn < b->qpn ? -1 : a->qpn > b->qpn;
}

struct telemetry *tm_open(enum tm_how how, const char *dir);
void tm_close(struct telemetry *tm);
void tm_attach(struct telemetry *tm);
bool tm_keep_up(struct telemetry *tm);
void tm_detach(struct telemetry *tm);
const char *tm_missing(struct telemetry *tm);
bool tm_abandoned(struct telemetry *tm);
size_t tm_rows(struct telemetry *tm, struct tm_row **rows);
void tm_add_hist(struct telemetry *tm, const struct tm_key *key, enum tm_hist hist, u32 octaves, struct tm_hist_sum *sum);
u64 tm_lost(struct telemetry *tm, enum tm_lost why);
void tm_reap(struct telemetry *tm, const struct tm_row *row);
bool tm_find_device(const char *name, u32 *index);
u64 tm_now_ns(void);

#endif /* RXECC_TM_H */
