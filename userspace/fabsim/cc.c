// SPDX-License-Identifier: GPL-2.0
/* A flow's algorithm: the events that it asks for go in, a rate, a window and a time come out. */
#include "fabsim.h"

/* The rate is clamped to what the pacer and the line can do. At the line's rate the NIC paces by itself. */
static void take_rate(struct sim *s, struct flow *f)
{
	u64 line_bps = f->profile->path.line_bps;
	u64 rate_bps = rcc_clamp64(f->decision.rate_bps, RCC_PACE_MIN_BPS, line_bps);

	f->paced = s->opts->alg->paces && rate_bps < line_bps;
	rcc_pace_set_rate(&f->gap, sim_ns(s), rate_bps);
}

static void take_timer(struct sim *s, struct flow *f)
{
	if (f->decision.timer_ns)
		timer_arm(s, &f->alg, rcc_max64(f->decision.timer_ns * PS_PER_NS, s->now_ps));
	else
		timer_stop(&f->alg);
}

/**
 * cc_event() - tell a flow's algorithm what happened
 * @s: the simulation
 * @f: the flow; the caller calls flow_schedule() afterwards
 * @ev: the event but for its time and random number
 */
void cc_event(struct sim *s, struct flow *f, struct rcc_event *ev)
{
	const struct rcc_alg *alg = s->opts->alg;
	struct rcc_decision old = f->decision;

	if (!(alg->events & RCC_WANT(ev->type)))
		return;
	ev->now_ns = sim_ns(s);
	ev->random = ev->type == RCC_EV_TX ? 0 : sim_random(s);
	alg->event(&f->cc, &f->profile->values, ev, &f->decision);
	if (f->decision.rate_bps != old.rate_bps)
		take_rate(s, f);
	if (f->decision.timer_ns != old.timer_ns)
		take_timer(s, f);
}

/**
 * cc_timer() - the time that an algorithm asked for has come
 * @s: the simulation
 * @t: the alg timer of the flow
 */
void cc_timer(struct sim *s, struct timer *t)
{
	struct flow *f = container_of(t, struct flow, alg);
	struct rcc_event ev = { .type = RCC_EV_TIMER };

	f->decision.timer_ns = 0;
	cc_event(s, f, &ev);
	flow_schedule(s, f);
}

/**
 * cc_init() - start a flow's algorithm
 * @s: the simulation
 * @f: a flow whose profile is set
 */
void cc_init(struct sim *s, struct flow *f)
{
	s->opts->alg->init(&f->cc, &f->profile->values, &f->profile->path, sim_ns(s), &f->decision);
	take_rate(s, f);
	take_timer(s, f);
}
