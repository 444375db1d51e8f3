// SPDX-License-Identifier: GPL-2.0
/*
 * TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015).
 *
 *	diff = (1 - ewma) * diff + ewma * (rtt - previous rtt)		gradient = diff / min_rtt
 *
 *	rtt < t_low:		rate += delta
 *	rtt > t_high:		rate *= 1 - beta * (1 - t_high / rtt)
 *	gradient <= 0:		rate += delta, or hai_factor * delta from the hai_after-th such round trip in a row on
 *	gradient > 0:		rate *= 1 - beta * gradient
 *
 * The rule is applied once per round trip, as the paper does per completion and HPCC's simulator per RTT: to a packet that
 * left after the last reaction. No decrease takes more than max_dec percent (a bound as eRPC has one).
 *
 * Two rules are ours, off in the profiles `cx` and `paper`: a window of rate * t_high, which begins with what the path holds
 * and doubles per round trip until the first decrease (HPCC's authors compare with TIMELY plus a window, too), and losses,
 * which PFC forbids in the paper's network: a NAK takes loss_dec percent once per round trip, and a timeout takes them
 * twice, each time.
 *
 * Between t_low and t_high any division of the link is an equilibrium (Zhu et al., "ECN or Delay", CoNEXT 2016): only
 * leaving that band makes flows alike. So `auto` makes it narrow.
 */
#include "rate.h"
#include "algs.h"

/* name, unit, min, max, auto (before scaling), cx (HPCC's simulator), paper, doc */
#define TIMELY_PARAMS(p) \
	p(t_low, "ns", 1000, 4000000000, 50000, 50000, 50000, "below this round trip the rate rises in any case") \
	p(t_high, "ns", 1000, 4000000000, 500000, 500000, 500000, "above this round trip it falls in any case") \
	p(min_rtt, "ns", 1000, 4000000000, 20000, 20000, 20000, "what the gradient is a share of") \
	p(ewma, "/1024", 1, 1024, 896, 896, 896, "weight of the newest difference of two round trips") \
	p(beta, "/1024", 1, 1024, 819, 819, 819, "strength of decreases") \
	p(delta, "Mb/s", 1, 400000, 10, 100, 10, "additive increase per round trip") \
	p(hai_factor, "", 1, 100, 5, 5, 5, "times delta in hyper-active increase") \
	p(hai_after, "", 1, 100, 5, 5, 5, "round trips in a row without a rise before hyper-active increase") \
	p(max_dec, "%", 1, 100, 80, 100, 100, "greatest share of the rate that one round trip takes") \
	p(loss_dec, "%", 0, 100, 50, 0, 0, "share of the rate that a NAK takes, and a timeout twice") \
	p(window, "%", 0, 1000, 125, 0, 0, "most in flight, as share of rate * t_high; 0: no limit") \
	p(min_rate, "Mb/s", 1, 400000, 1, 1, 1, "least rate")

RCC_PARAMS_DEFINE(timely, TIMELY_PARAMS);

static const struct rcc_param timely_params[] = { TIMELY_PARAMS(RCC_PARAM_DESC) };

struct timely {
	struct rcc_rate rate;
	u64 prev_ns;		/* round trip of the last reaction; 0: none yet */
	s64 diff_ns;		/* smoothed difference of two such round trips */
	u32 calm;		/* round trips in a row in which the queue did not grow */
};

/* rate * (1 - beta * num / den), with the bound of one decrease */
static u64 decreased(struct timely *s, const struct timely_params *p, u64 num, u64 den)
{
	u64 bps = rcc_rate_reached(&s->rate);
	u64 cut = rcc_share(bps, rcc_min64(num, den), den) * p->beta >> 10;

	return bps - rcc_min64(cut, rcc_percent(bps, p->max_dec));
}

/* The queue stands or shrinks: the longer it has, the bolder. */
static u64 increased(const struct timely *s, const struct timely_params *p)
{
	u64 factor = s->calm >= p->hai_after ? p->hai_factor : 1;

	return s->rate.bps + factor * p->delta * RCC_BPS_PER_MBPS;
}

static void note_rtt(struct timely *s, const struct timely_params *p, u64 rtt_ns)
{
	s64 diff_ns = s->prev_ns ? (s64)rtt_ns - (s64)s->prev_ns : 0;

	s->diff_ns += ((diff_ns - s->diff_ns) * (s64)p->ewma) >> 10;
	s->prev_ns = rtt_ns;
	s->calm = s->diff_ns <= 0 ? s->calm + (s->calm < p->hai_after) : 0;
}

static void measured(struct timely *s, const struct timely_params *p, const struct rcc_event *ev)
{
	u64 bps;

	rcc_rate_measured(&s->rate, ev);
	if (!rcc_left_since(ev, s->rate.react_ns))
		return;
	note_rtt(s, p, ev->rtt_ns);
	if (ev->rtt_ns < p->t_low)
		bps = s->rate.bps + p->delta * RCC_BPS_PER_MBPS;
	else if (ev->rtt_ns > p->t_high)
		bps = decreased(s, p, ev->rtt_ns - p->t_high, ev->rtt_ns);
	else if (s->diff_ns <= 0)
		bps = increased(s, p);
	else
		bps = decreased(s, p, s->diff_ns, p->min_rtt);
	rcc_rate_set(&s->rate, bps, p->min_rate, ev->now_ns);
}

static void decide(const struct timely *s, const struct timely_params *p, struct rcc_decision *d)
{
	d->rate_bps = s->rate.bps;
	d->cwnd_bytes = rcc_rate_window(&s->rate, p->t_high, p->window);
}

/*
 * t_high is where rtt aims, and t_low is near it. The gradient is a share of t_high, not of the path alone: where a packet
 * takes as long as the path, a single one is no trend.
 */
static void timely_scale(struct rcc_values *v, const struct rcc_path *path)
{
	struct timely_params *p = (struct timely_params *)v->v;
	u64 line_mbps = rcc_div64(path->line_bps, RCC_BPS_PER_MBPS);
	u64 rtt_ns = rcc_scale_rtt_ns(path);

	p->t_low = 3 * rtt_ns;
	p->t_high = 4 * rtt_ns;
	p->min_rtt = 4 * rtt_ns;
	p->delta = rcc_div64(line_mbps * 8, rtt_ns);
	p->min_rate = rcc_div64(line_mbps, 10000);
}

static void timely_init(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
			struct rcc_decision *d)
{
	const struct timely_params *p = RCC_VALUES(timely, v);
	struct timely *s = RCC_STATE(struct timely, state);

	rcc_rate_begin(&s->rate, path, p->min_rate, p->window, now_ns);
	decide(s, p, d);
}

static void timely_event(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev,
			 struct rcc_decision *d)
{
	const struct timely_params *p = RCC_VALUES(timely, v);
	struct timely *s = RCC_STATE(struct timely, state);

	if (ev->type == RCC_EV_NACK || ev->type == RCC_EV_TIMEOUT)
		rcc_rate_lost(&s->rate, ev, p->loss_dec, p->min_rate);
	else if (ev->rtt_ns)
		measured(s, p, ev);
	decide(s, p, d);
}

const struct rcc_alg rcc_alg_timely = {
	.name = "timely",
	.doc = "rate by the gradient of the round trip; SIGCOMM 2015",
	.paces = true,
	.events = RCC_WANT(RCC_EV_ACK) | RCC_WANT(RCC_EV_RTT) | RCC_WANT(RCC_EV_NACK) | RCC_WANT(RCC_EV_TIMEOUT),
	.nparams = RCC_NPARAMS(timely),
	.params = timely_params,
	.scale = timely_scale,
	.init = timely_init,
	.event = timely_event,
};
