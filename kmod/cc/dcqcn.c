// SPDX-License-Identifier: GPL-2.0
/*
 * DCQCN, the reaction point (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015).
 *
 *	every rp_dce_tcp_rtt:			alpha = keep * alpha + (1 - keep) * [a CNP came]	keep = g / 1024
 *	a CNP, once per monitor period:		Rt = Rc;  Rc = Rc * (1 - alpha / 2)
 *	every rp_time_reset and rp_byte_reset:	fast recovery	Rc = (Rc + Rt) / 2	both counters below F
 *						additive	Rt += ai		one of them at F or above
 *						hyper		Rt += hai		both above F
 *
 * Which variant: the periods run as in mlx5 and HPCC's simulator: alpha looks once per period whether a CNP came; a cut
 * uses alpha as it stands, before that period's CNP is counted in (the paper's order). A CNP within the monitor period
 * of the last cut waits until the period ends. Times that passed between two events are made up for when the next event
 * comes, in the order in which they fell due, so no timer runs (clock.h).
 */
#include "algs.h"
#include "clock.h"
#include "dcqcn.h"
#include "meter.h"

#define SENT_FLOOR	10	/* times rp_min_rate: the first CNP takes no sent rate below that for a measure */
#define STAGE_MAX	1000	/* not counted further; hyper increase begins at 311 at the latest */

static const struct rcc_param dcqcn_params[] = { DCQCN_PARAMS(RCC_PARAM_DESC) };

struct dcqcn {
	struct rcc_meter meter;
	struct rcc_often alpha;	/* periods with a CNP */
	u64 rc_bps;		/* current rate, since the first CNP; until then it is the greatest one */
	u64 rt_bps;		/* target rate */
	u64 line_bps;
	u64 inc_ns;		/* last timed increase */
	u64 cut_ns;		/* last cut */
	u64 staged_bytes;	/* towards the next byte stage */
	u32 time_stage;
	u32 byte_stage;
	bool started;		/* the first CNP came */
	bool cut_pending;	/* a CNP waits for the end of the monitor period */
};

static u64 max_bps(const struct dcqcn *s, const struct dcqcn_params *p)
{
	return p->rp_max_rate ? rcc_min64(p->rp_max_rate * RCC_BPS_PER_MBPS, s->line_bps) : s->line_bps;
}

static u64 clamp_bps(const struct dcqcn *s, const struct dcqcn_params *p, u64 bps)
{
	u64 max = max_bps(s, p);

	return rcc_clamp64(bps, rcc_min64(p->rp_min_rate * RCC_BPS_PER_MBPS, max), max);
}

static void alpha_advance(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	rcc_often_advance(&s->alpha, p->rp_dce_tcp_rtt * RCC_NSEC_PER_USEC, p->rp_dce_tcp_g << (RCC_KEEP_SHIFT - 10), now_ns);
}

/*
 * The stage above which the timer is in hyper increase. Without a byte counter it decides alone, but ten times later: that
 * the network is free again is then a matter of many round trips without a CNP.
 */
static u64 hyper_stage(const struct dcqcn_params *p)
{
	return p->rp_byte_reset ? p->rp_threshold : 10 * p->rp_threshold;
}

/* How far a step raises the target depends on how many of either kind came since the last cut, that one included. */
static u64 raise_bps(const struct dcqcn *s, const struct dcqcn_params *p)
{
	if (s->time_stage > hyper_stage(p) && (!p->rp_byte_reset || s->byte_stage > p->rp_threshold))
		return p->rp_hai_rate * RCC_BPS_PER_MBPS;
	if (s->time_stage >= p->rp_threshold || s->byte_stage >= p->rp_threshold)
		return p->rp_ai_rate * RCC_BPS_PER_MBPS;
	return 0;
}

/* Take @n steps that raise the target alike. */
static void increase(struct dcqcn *s, const struct dcqcn_params *p, u64 n)
{
	rcc_climb(&s->rc_bps, &s->rt_bps, raise_bps(s, p), n, max_bps(s, p));
}

/* The last of the timed stages from the next one on that raise the target alike. */
static u64 last_alike(const struct dcqcn *s, const struct dcqcn_params *p)
{
	if (s->time_stage + 1 < p->rp_threshold)
		return p->rp_threshold - 1;
	return s->time_stage < hyper_stage(p) ? hyper_stage(p) : ~0ULL;
}

/*
 * Take the timed increases that fell due by @now_ns. In a silence longer than the pacer's, which is as long as two packets
 * take, they may count as one (rp_increase_when_idle 0): nothing has tested a higher rate, as RFC 7661 says of TCP.
 */
static void increase_advance(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	u64 period = p->rp_time_reset * RCC_NSEC_PER_USEC;
	u64 n = rcc_periods(&s->inc_ns, period, now_ns);
	u32 i;

	if (!p->rp_increase_when_idle && n > 1)
		n = rcc_min64(n, 1 + rcc_div64(rcc_meter_packets_ns(&s->meter, 2, s->rc_bps), period));
	/* fast recovery, additive, hyper */
	for (i = 0; n && i < 3; i++) {
		u64 alike = rcc_min64(n, last_alike(s, p) - s->time_stage);

		s->time_stage++;
		increase(s, p, alike);
		s->time_stage = rcc_min64(s->time_stage + alike - 1, STAGE_MAX);
		n -= alike;
	}
}

/*
 * Each CNP says that a packet arrived, so they come no faster than the port forwards this flow: when a full queue marks
 * everything, and goes on to do so for many round trips after the rate was cut, that is the flow's share of the port.
 */
static void cut(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	u64 floor = rcc_max64(rcc_div64(s->rc_bps, 100) * p->rp_min_dec_fac,
			      rcc_div64(rcc_meter_marked_bps(&s->meter) * p->rp_cnp_rate_floor, 100));

	if (p->rp_clamp_tgt_rate || s->byte_stage || (p->rp_clamp_tgt_rate_ati && s->time_stage))
		s->rt_bps = s->rc_bps;
	s->rc_bps -= s->rc_bps * s->alpha.share >> (RCC_KEEP_SHIFT - 10 + p->rp_gd);
	s->rc_bps = clamp_bps(s, p, rcc_max64(s->rc_bps, rcc_min64(floor, s->rt_bps)));
	s->time_stage = 0;
	s->byte_stage = 0;
	s->staged_bytes = 0;
	s->inc_ns = now_ns;
	s->cut_ns = now_ns;
	s->cut_pending = false;
}

/* Everything that time alone does until @now_ns, in the order in which it fell due. */
static void advance(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	u64 cut_ns = s->cut_ns + p->rp_rate_reduce_monitor_period * RCC_NSEC_PER_USEC;

	if (!s->started)
		return;
	/* a period made shorter since may end before what has been worked off already */
	cut_ns = rcc_max64(cut_ns, rcc_max64(s->inc_ns, s->alpha.since_ns));
	if (s->cut_pending && cut_ns <= now_ns) {
		increase_advance(s, p, cut_ns);
		alpha_advance(s, p, cut_ns - 1);
		cut(s, p, cut_ns);
	}
	alpha_advance(s, p, now_ns);
	increase_advance(s, p, now_ns);
}

/* As if a cut had brought the rate down to @bps. */
static void begin(struct dcqcn *s, const struct dcqcn_params *p, u64 bps, u64 now_ns)
{
	s->started = true;
	s->rc_bps = clamp_bps(s, p, bps);
	s->rt_bps = s->rc_bps;
	s->alpha.share = p->rp_initial_alpha_value << (RCC_KEEP_SHIFT - 10);
	s->alpha.since_ns = now_ns;
	s->inc_ns = now_ns;
	s->cut_ns = now_ns;
}

/* The rate that the first CNP cuts from. */
static u64 first_bps(const struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	u64 sent = rcc_meter_sent_bps(&s->meter, now_ns, p->rp_rate_reduce_monitor_period * RCC_NSEC_PER_USEC);

	if (p->rp_rate_to_set_on_first_cnp)
		return p->rp_rate_to_set_on_first_cnp * RCC_BPS_PER_MBPS;
	return p->rp_clamp_to_sent ? rcc_max64(sent, SENT_FLOOR * p->rp_min_rate * RCC_BPS_PER_MBPS) : max_bps(s, p);
}

/* The caller has brought everything up to @now_ns. */
static void congested(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	bool first = !s->started;

	if (first)
		begin(s, p, first_bps(s, p, now_ns), now_ns);
	if (first || now_ns >= s->cut_ns + p->rp_rate_reduce_monitor_period * RCC_NSEC_PER_USEC)
		cut(s, p, now_ns);
	else
		s->cut_pending = true;
	s->alpha.seen = true;
}

static void marked(struct dcqcn *s, const struct dcqcn_params *p, const struct rcc_event *ev)
{
	/* first what fell due before: a late cut must not know of this CNP */
	advance(s, p, ev->now_ns);
	if (rcc_meter_marked(&s->meter, ev->now_ns, p->rp_cnp_bytes))
		congested(s, p, ev->now_ns);
}

/* A loss says more than a mark: what was before is no target any more. A timeout says that nothing came through. */
static void lost(struct dcqcn *s, const struct dcqcn_params *p, const struct rcc_event *ev)
{
	if (!p->rp_cut_on_loss)
		return;
	advance(s, p, ev->now_ns);
	congested(s, p, ev->now_ns);
	if (ev->type == RCC_EV_TIMEOUT)
		s->rc_bps = clamp_bps(s, p, s->rc_bps / 4);
	s->rt_bps = s->rc_bps;
}

static void sent(struct dcqcn *s, const struct dcqcn_params *p, const struct rcc_event *ev)
{
	/* first what fell due before: a late cut must not know of this packet */
	advance(s, p, ev->now_ns);
	rcc_meter_sent(&s->meter, ev);
	if (!s->started)
		return;
	s->staged_bytes += ev->bytes;
	if (p->rp_byte_reset && s->staged_bytes >= p->rp_byte_reset) {
		s->staged_bytes = 0;
		s->byte_stage = rcc_min64(s->byte_stage + 1, STAGE_MAX);
		increase(s, p, 1);
	}
}

/* The limits may have been changed since the last step. */
static u64 decided_bps(const struct dcqcn *s, const struct dcqcn_params *p)
{
	return s->started ? clamp_bps(s, p, s->rc_bps) : max_bps(s, p);
}

static void dcqcn_init(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
		       struct rcc_decision *d)
{
	const struct dcqcn_params *p = RCC_VALUES(dcqcn, v);
	struct dcqcn *s = RCC_STATE(struct dcqcn, state);

	s->line_bps = path->line_bps;
	s->meter.window_ns = now_ns;
	if (rcc_start_bps(path) < max_bps(s, p))
		begin(s, p, rcc_start_bps(path), now_ns);
	d->rate_bps = decided_bps(s, p);
}

static void dcqcn_event(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev,
			struct rcc_decision *d)
{
	const struct dcqcn_params *p = RCC_VALUES(dcqcn, v);
	struct dcqcn *s = RCC_STATE(struct dcqcn, state);

	if (ev->type == RCC_EV_TX)
		sent(s, p, ev);
	else if (ev->type == RCC_EV_CNP)
		marked(s, p, ev);
	else if (ev->type == RCC_EV_NACK || ev->type == RCC_EV_TIMEOUT)
		lost(s, p, ev);
	d->rate_bps = decided_bps(s, p);
}

const struct rcc_alg rcc_alg_dcqcn = {
	.name = "dcqcn",
	.doc = "SIGCOMM 2015; alpha and cuts by period as in mlx5, a cut before its CNP enters alpha",
	.paces = true,
	.events = RCC_WANT(RCC_EV_TX) | RCC_WANT(RCC_EV_CNP) | RCC_WANT(RCC_EV_NACK) | RCC_WANT(RCC_EV_TIMEOUT),
	.nparams = RCC_NPARAMS(dcqcn),
	.params = dcqcn_params,
	.scale = dcqcn_scale,
	.check = dcqcn_check,
	.init = dcqcn_init,
	.event = dcqcn_event,
};
