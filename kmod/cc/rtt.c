// SPDX-License-Identifier: GPL-2.0
/*
 * rtt: the round trip alone says how much queue there is; no switch has to mark.
 *
 *	measured > target:	rate = rate * (1 - (measured - target) / measured)	= rate * target / measured
 *	else:			rate = rate + ai_rate
 *
 * The rule is that of "The Network is the Computer" ("PCC logic in a nutshell"): update_rate(current, measured, target).
 *
 * The article leaves two things open. A cut is bounded: it never takes more than max_dec percent. And the rule is applied
 * once per round trip: only to a packet that left after the last reaction took effect, since any other tells of the queue
 * that the old rate made. So increases are per round trip, too.
 *
 * Two rules are ours, off in the profiles `cx` and `paper`, which hold the article's rule alone (it gives no numbers; they
 * are Swift's target and DCQCN's increase). A window of rate * target, which begins with what the path holds and doubles per
 * round trip until the first cut, keeps flows that start together from filling the queue before they hear of it. And a loss
 * means a full queue: a NAK takes loss_dec percent once per round trip; a timeout, which means that nothing came through,
 * takes them twice, each time.
 */
#include "rate.h"
#include "algs.h"

/* name, unit, min, max, auto (before scaling), cx, paper, doc */
#define RTT_PARAMS(p) \
	p(target, "ns", 1000, 4000000000, 25000, 25000, 25000, "round trip to aim at") \
	p(ai_rate, "Mb/s", 1, 400000, 40, 40, 40, "additive increase per round trip") \
	p(max_dec, "%", 1, 100, 80, 100, 100, "greatest share of the rate that one round trip takes") \
	p(loss_dec, "%", 0, 100, 50, 0, 0, "share of the rate that a NAK takes, and a timeout twice") \
	p(window, "%", 0, 1000, 110, 0, 0, "most in flight, as share of rate * target; 0: no limit") \
	p(min_rate, "Mb/s", 1, 400000, 1, 1, 1, "least rate")

RCC_PARAMS_DEFINE(rtt, RTT_PARAMS);

static const struct rcc_param rtt_params[] = { RTT_PARAMS(RCC_PARAM_DESC) };

static void measured(struct rcc_rate *r, const struct rtt_params *p, const struct rcc_event *ev)
{
	u64 bps;

	rcc_rate_measured(r, ev);
	if (!rcc_left_since(ev, r->react_ns))
		return;
	if (ev->rtt_ns > p->target) {
		bps = rcc_rate_reached(r);
		bps = rcc_max64(rcc_share(bps, p->target, ev->rtt_ns), rcc_percent(bps, 100 - p->max_dec));
	} else {
		bps = r->bps + p->ai_rate * RCC_BPS_PER_MBPS;
	}
	rcc_rate_set(r, bps, p->min_rate, ev->now_ns);
}

static void decide(const struct rcc_rate *r, const struct rtt_params *p, struct rcc_decision *d)
{
	d->rate_bps = r->bps;
	d->cwnd_bytes = rcc_rate_window(r, p->target, p->window);
}

/*
 * A quarter of the target is the path, the rest queue. The line is what its netdev says: the longer the path, the less of
 * that a host can really send, and the smaller the steps.
 */
static void rtt_scale(struct rcc_values *v, const struct rcc_path *path)
{
	struct rtt_params *p = (struct rtt_params *)v->v;
	u64 line_mbps = rcc_div64(path->line_bps, RCC_BPS_PER_MBPS);
	u64 rtt_ns = rcc_scale_rtt_ns(path);

	p->target = 4 * rtt_ns;
	p->ai_rate = rcc_div64(line_mbps * 8, rtt_ns);
	p->min_rate = rcc_div64(line_mbps, 10000);
}

static void rtt_init(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
		     struct rcc_decision *d)
{
	const struct rtt_params *p = RCC_VALUES(rtt, v);
	struct rcc_rate *r = RCC_STATE(struct rcc_rate, state);

	rcc_rate_begin(r, path, p->min_rate, p->window, now_ns);
	decide(r, p, d);
}

static void rtt_event(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev,
		      struct rcc_decision *d)
{
	const struct rtt_params *p = RCC_VALUES(rtt, v);
	struct rcc_rate *r = RCC_STATE(struct rcc_rate, state);

	if (ev->type == RCC_EV_NACK || ev->type == RCC_EV_TIMEOUT)
		rcc_rate_lost(r, ev, p->loss_dec, p->min_rate);
	else if (ev->rtt_ns)
		measured(r, p, ev);
	decide(r, p, d);
}

const struct rcc_alg rcc_alg_rtt = {
	.name = "rtt",
	.doc = "rate by the round trip against a target",
	.paces = true,
	.events = RCC_WANT(RCC_EV_ACK) | RCC_WANT(RCC_EV_RTT) | RCC_WANT(RCC_EV_NACK) | RCC_WANT(RCC_EV_TIMEOUT),
	.nparams = RCC_NPARAMS(rtt),
	.params = rtt_params,
	.scale = rtt_scale,
	.init = rtt_init,
	.event = rtt_event,
};
