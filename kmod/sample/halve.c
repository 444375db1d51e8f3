// SPDX-License-Identifier: GPL-2.0
/*
 * halve: additive increase, multiplicative decrease. Small enough to begin one's own algorithm from.
 *
 *	timeout (nothing came through):		rate = rate / 4
 *	round trip > target, CNP, NAK:		rate = rate / 2
 *	any other round trip:			rate = rate + ai_rate
 *
 * Any of it happens at most once per round trip: what comes sooner tells of packets that left at the rate before.
 *
 * After Chiu and Jain, "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance in Computer Networks"
 * (1989): of the linear rules, this kind is the one that leads to equal shares.
 */
#include "halve.h"
#include "rate.h"

/* 1. Parameters: name, unit, min, max, then the value in each profile (auto, cx, paper), and what it does. */
#define HALVE_PARAMS(p) \
	p(target, "ns", 1000, 4000000000, 100000, 100000, 100000, "round trip above which there is too much queue") \
	p(ai_rate, "Mb/s", 1, 400000, 40, 40, 40, "added to the rate per round trip")

/* struct halve_params, with a u64 for each of them */
RCC_PARAMS_DEFINE(halve, HALVE_PARAMS);

/* and their descriptors, which sysfs, netlink and the tools read */
static const struct rcc_param halve_params[] = { HALVE_PARAMS(RCC_PARAM_DESC) };

/* 2. State of one QP, at most RCC_STATE_BYTES. Nobody else looks at it; it begins as zeros. */
struct halve {
	u64 bps;
	u64 line_bps;
	u64 rtt_ns;	/* last one measured, or the path's */
	u64 react_ns;	/* when the rate was last changed */
};

/* The least rate: a thousandth of the line. A rate of 0 would be nonsense, see struct rcc_decision. */
#define LEAST_SHARE	1000

/* 3. Helpers. All arithmetic is in integers; 64-bit division is rcc_div64(). */
static void set_rate(struct halve *s, u64 bps, u64 now_ns)
{
	s->bps = rcc_clamp64(bps, rcc_div64(s->line_bps, LEAST_SHARE), s->line_bps);
	s->react_ns = now_ns;
}

static bool congested(const struct halve_params *p, const struct rcc_event *ev)
{
	return ev->type == RCC_EV_CNP || ev->type == RCC_EV_NACK || ev->rtt_ns > p->target;
}

/*
 * 4. Callbacks. @now_ns and the event say what time it is; the algorithm asks nobody.
 *
 * AUTO only: fit the parameters to the path. A quarter of the target is the path, the rest queue.
 */
static void halve_scale(struct rcc_values *v, const struct rcc_path *path)
{
	struct halve_params *p = (struct halve_params *)v->v;

	p->target = 4 * rcc_scale_rtt_ns(path);
	p->ai_rate = rcc_div64(path->line_bps, 2000 * RCC_BPS_PER_MBPS);
}

/* A QP begins at the line rate; or, where this algorithm takes over from another one, at the rate in use. */
static void halve_init(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
		       struct rcc_decision *d)
{
	struct halve *s = RCC_STATE(struct halve, state);

	s->line_bps = path->line_bps;
	s->rtt_ns = path->base_rtt_ns;
	set_rate(s, rcc_start_bps(path), now_ns);
	d->rate_bps = s->bps;
}

/* One of the events in .events below. The decision stays as it is unless it is changed. */
static void halve_event(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev,
			struct rcc_decision *d)
{
	const struct halve_params *p = RCC_VALUES(halve, v);
	struct halve *s = RCC_STATE(struct halve, state);

	if (ev->rtt_ns)
		s->rtt_ns = ev->rtt_ns;
	if (ev->now_ns < s->react_ns + s->rtt_ns)
		return;
	if (ev->type == RCC_EV_TIMEOUT)
		set_rate(s, s->bps / 4, ev->now_ns);
	else if (congested(p, ev))
		set_rate(s, s->bps / 2, ev->now_ns);
	else if (ev->rtt_ns)
		set_rate(s, s->bps + p->ai_rate * RCC_BPS_PER_MBPS, ev->now_ns);
	d->rate_bps = s->bps;
}

/* 5. The table that names all of it. */
const struct rcc_alg rcc_alg_halve = {
	.name = "halve",
	.doc = "additive increase, halved when congested; the sample",
	.paces = true,
	.events = RCC_WANT(RCC_EV_ACK) | RCC_WANT(RCC_EV_RTT) | RCC_WANT(RCC_EV_CNP) | RCC_WANT(RCC_EV_NACK) |
		  RCC_WANT(RCC_EV_TIMEOUT),
	.nparams = RCC_NPARAMS(halve),
	.params = halve_params,
	.scale = halve_scale,
	.init = halve_init,
	.event = halve_event,
};
