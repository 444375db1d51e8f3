// SPDX-License-Identifier: GPL-2.0
/* Metrics of QPs. Labels are device and qpn; rxecc_qp_info has all else that is known of a QP, for joins. */
#include <string.h>
#include <time.h>

#include "rxecc.h"
#include "scrape.h"
#include "tm_text.h"

static void write_qp_info(struct scrape *s)
{
	const struct shown *qp;
	char text[TM_TEXT_BYTES];

	expo_family(s->e, "rxecc_qp", EXPO_INFO, NULL,
		    "What a QP is. alg is the algorithm in charge, empty if the module is not loaded.");
	for_each_qp(s, qp) {
		qp_sample(s, qp);
		tm_peer(&qp->row->qp, text);
		expo_label(s->e, "peer", text);
		expo_label_u32(s->e, "peer_qpn", qp->row->qp.peer_qpn);
		tm_comm(&qp->row->qp, text);
		expo_label(s->e, "comm", text);
		expo_label_u32(s->e, "pid", qp->row->qp.pid);
		expo_label(s->e, "type", tm_type(&qp->row->qp));
		expo_label(s->e, "rail", qp->dev->rail);
		expo_label(s->e, "alg", text_of(qp->module, "algorithm"));
		expo_u64(s->e, 1);
	}
}

/* Monotonic time to the time of the day, to the millisecond: clocks differ a little each time that they are read. */
static void expo_when(struct expo *e, u64 ns)
{
	struct timespec wall;
	u64 now;

	clock_gettime(CLOCK_REALTIME, &wall);
	now = wall.tv_sec * RCC_NSEC_PER_SEC + wall.tv_nsec;
	now -= tm_now_ns() - ns;
	expo_ns(e, now - now % 1000000);
}

static void write_qp_state(struct scrape *s)
{
	const struct shown *qp;

	expo_family(s->e, "rxecc_qp_requests_outstanding", EXPO_GAUGE, NULL, "Work requests that began and have not completed.");
	for_each_qp(s, qp) {
		qp_sample(s, qp);
		expo_u64(s->e, tm_outstanding(&qp->row->qp));
	}
	expo_family(s->e, "rxecc_qp_stalled", EXPO_GAUGE, NULL, "1: work is outstanding, and has not got on for too long.");
	for_each_qp(s, qp) {
		qp_sample(s, qp);
		expo_u64(s->e, qp->entry->stalled);
	}
	expo_family(s->e, "rxecc_qp_last_rtt_seconds", EXPO_GAUGE, "seconds", "The latest round trip.");
	for_each_qp(s, qp) {
		if (!qp->row->qp.rtt_ns)
			continue;
		qp_sample(s, qp);
		expo_ns(s->e, qp->row->qp.rtt_ns);
	}
	expo_family(s->e, "rxecc_qp_rate_bytes_per_second", EXPO_GAUGE, "bytes_per_second",
		    "What the algorithm allows. Absent: nothing limits it, or the module is not loaded.");
	for_each_qp(s, qp) {
		if (!qp->row->qp.rate_bps)
			continue;
		qp_sample(s, qp);
		expo_double(s->e, qp->row->qp.rate_bps / 8.0);
	}
}

static void write_qp_times(struct scrape *s)
{
	const struct shown *qp;

	expo_family(s->e, "rxecc_qp_last_progress_timestamp_seconds", EXPO_GAUGE, "seconds",
		    "When a work request began or ended last, or the peer acknowledged a part of one, in Unix time.");
	for_each_qp(s, qp) {
		if (!tm_progress_ns(&qp->row->qp))
			continue;
		qp_sample(s, qp);
		expo_when(s->e, tm_progress_ns(&qp->row->qp));
	}
	expo_family(s->e, "rxecc_qp_last_event_timestamp_seconds", EXPO_GAUGE, "seconds",
		    "When anything of note happened last, in Unix time, and what.");
	for_each_qp(s, qp) {
		if (!qp->row->qp.event_ns)
			continue;
		qp_sample(s, qp);
		expo_label(s->e, "event", tm_event(&qp->row->qp));
		expo_when(s->e, qp->row->qp.event_ns);
	}
}

/**
 * struct measure - histograms whose percentiles share a name
 * @name: it
 * @what: in words
 * @first: first histogram
 * @n: how many; if there are several, label op tells which
 */
struct measure {
	const char *name;
	const char *what;
	enum tm_hist first;
	u32 n;
};

static const struct measure measures[] = {
	{ "latency", "from the first packet of a work request to its completion", TM_HIST_SEND, TM_OPS },
	{ "rtt", "from a packet to its ACK", TM_HIST_RTT, 1 },
	{ "hold", "in the pacer, of packets that it held", TM_HIST_HOLD, 1 },
	{ "cnp_gap", "from one CNP received to the next", TM_HIST_CNP_GAP, 1 },
};

static void write_percentile(struct scrape *s, const struct measure *m, int which)
{
	const struct shown *qp;
	char name[EXPO_NAME_BYTES], help[256];
	u32 i;

	snprintf(name, sizeof(name), "rxecc_qp_%s_%s_seconds", m->name, quantile_names[which]);
	snprintf(help, sizeof(help), "%g %% took at most so long %s, within 1 %%, in the last 30 to 60 s.",
		 quantile_ppm[which] / 1e4, m->what);
	expo_family(s->e, name, EXPO_GAUGE, "seconds", help);
	for_each_qp(s, qp) {
		for (i = 0; i < m->n; i++) {
			if (!qp->late[m->first + i].known)
				continue;
			qp_sample(s, qp);
			if (m->n > 1)
				expo_label(s->e, "op", tm_hist_names[m->first + i]);
			expo_ns(s->e, qp->late[m->first + i].ns[which]);
		}
	}
}

static void write_percentiles(struct scrape *s)
{
	size_t i;
	int which;

	for (i = 0; i < ARRAY_SIZE(measures); i++)
		for (which = 0; which < QUANTILES; which++)
			write_percentile(s, &measures[i], which);
}

/**
 * metrics_qps() - metrics of QPs
 * @s: what was read
 */
void metrics_qps(struct scrape *s)
{
	write_qp_info(s);
	write_qp_state(s);
	write_qp_times(s);
	write_percentiles(s);
}
