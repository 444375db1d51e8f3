// SPDX-License-Identifier: GPL-2.0
/* Looks at the flows and the bottleneck at regular times, and once when the warm-up is over. */
#include "fabsim.h"

/* more flows than that would make more rows than anybody looks at */
#define FLOWS_MAX	256

static u64 *more(u64 *values, size_t count)
{
	values = realloc(values, count * sizeof(*values));
	if (!values)
		die("out of memory for samples: choose a longer --sample");
	return values;
}

static void grow(struct sim *s)
{
	struct samples *m = &s->samples;

	m->room = 2 * m->room + 1024;
	m->queue_bytes = more(m->queue_bytes, m->room);
	if (s->nflows > FLOWS_MAX)
		return;
	m->delivered = more(m->delivered, (size_t)m->room * s->nflows);
	m->rate_bps = more(m->rate_bps, (size_t)m->room * s->nflows);
}

static void look(struct sim *s, struct timer *t)
{
	struct samples *m = &s->samples;
	u32 i;

	if (m->n == m->room)
		grow(s);
	m->queue_bytes[m->n] = s->topo.bottleneck->queue_bytes;
	for (i = 0; m->delivered && i < s->nflows; i++) {
		const struct flow *f = &s->flows[i];
		bool on = f->state != FLOW_NEW && f->state != FLOW_DONE;

		m->delivered[(size_t)m->n * s->nflows + i] = f->delivered;
		m->rate_bps[(size_t)m->n * s->nflows + i] =
			on ? rcc_min64(f->decision.rate_bps, f->profile->path.line_bps) : 0;
	}
	m->n++;
	timer_arm(s, t, s->now_ps + s->opts->sample_ps);
}

static void warm(struct sim *s, struct timer *t)
{
	u32 i;

	for (i = 0; i < s->nflows; i++)
		s->samples.at_warmup[i] = s->flows[i].delivered;
	s->samples.tx_at_warmup = s->topo.bottleneck->tx_bytes;
	hist_reset(s->topo.bottleneck->hist, s->now_ps);
}

/**
 * samples_init() - begin to look when the first flow starts
 * @s: the simulation, with its flows
 */
void samples_init(struct sim *s)
{
	struct samples *m = &s->samples;
	u32 i;

	m->origin_ps = NEVER;
	for (i = 0; i < s->nflows; i++)
		m->origin_ps = rcc_min64(m->origin_ps, s->flows[i].start_ps);
	m->at_warmup = alloc_zeroed(s->nflows, sizeof(*m->at_warmup));
	timer_init(s, &m->timer, look);
	timer_init(s, &m->warmup, warm);
	timer_arm(s, &m->timer, m->origin_ps);
	timer_arm(s, &m->warmup, m->origin_ps + s->opts->warmup_ps);
}
