// SPDX-License-Identifier: GPL-2.0
/*
 * fixed: every QP sends at one rate, whatever happens. It is the smallest algorithm that paces, so begin here.
 *
 *	rate = min(`rate`, line)		`rate` 0: the line rate
 *
 * An algorithm is one file with five parts, in this order: its parameters, its state of a QP, helpers, the
 * callbacks init() and event(), and the table that names them. cc.h says what the callbacks may do.
 */
#include "algs.h"

/* name, unit, min, max, auto, cx, paper, doc */
#define FIXED_PARAMS(p) \
	p(rate, "Mb/s", 0, 800000, 0, 0, 0, "rate of each QP; 0: the line rate")

RCC_PARAMS_DEFINE(fixed, FIXED_PARAMS);

static const struct rcc_param fixed_params[] = { FIXED_PARAMS(RCC_PARAM_DESC) };

struct fixed {
	u64 line_bps;
};

static u64 fixed_bps(const struct fixed *s, const struct fixed_params *p)
{
	return p->rate ? rcc_min64(p->rate * RCC_BPS_PER_MBPS, s->line_bps) : s->line_bps;
}

static void fixed_init(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
		       struct rcc_decision *d)
{
	struct fixed *s = RCC_STATE(struct fixed, state);

	s->line_bps = path->line_bps;
	d->rate_bps = fixed_bps(s, RCC_VALUES(fixed, v));
}

/* The parameter may have been changed since the last packet. */
static void fixed_event(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev,
			struct rcc_decision *d)
{
	d->rate_bps = fixed_bps(RCC_STATE(struct fixed, state), RCC_VALUES(fixed, v));
}

const struct rcc_alg rcc_alg_fixed = {
	.name = "fixed",
	.doc = "a constant rate; the example to begin with",
	.paces = true,
	.events = RCC_WANT(RCC_EV_TX),
	.nparams = RCC_NPARAMS(fixed),
	.params = fixed_params,
	.init = fixed_init,
	.event = fixed_event,
};
