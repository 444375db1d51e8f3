// SPDX-License-Identifier: GPL-2.0
/* none: every packet leaves at once. Hooks and counters work, so it is the baseline that others are compared with. */
#include "algs.h"

static void none_init(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
		      struct rcc_decision *d)
{
	d->rate_bps = path->line_bps;
}

static void none_event(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev,
		       struct rcc_decision *d)
{
}

const struct rcc_alg rcc_alg_none = {
	.name = "none",
	.doc = "no rate limit; counters only",
	.init = none_init,
	.event = none_event,
};
