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
 * comes, in the order in which they fell due, so no timer runs.
 *
 * Five rules are ours, off in the profiles `cx` and `paper`. A lossy port without ECN is congested too (rp_cut_on_loss).
 * The first cut starts from what was really sent (rp_clamp_to_sent): a soft NIC never reaches its line rate. A cut leaves
 * most of the rate at which marked packets arrive (rp_cnp_rate_floor), and a QP that is silent does not gain rate
 * (rp_increase_when_idle): with queues of many milliseconds, feedback is that old. And CNPs count by the size of the
 * QP's packets (rp_cnp_bytes).
 */
#include "algs.h"

#define ALPHA_SHIFT	20
#define ALPHA_ONE	(1U << ALPHA_SHIFT)
/* increase steps taken one by one; those beyond are taken at once. More than the 310 that hyper() may ask for. */
#define STEPS_MAX	320
#define SCALE_RTT_MAX_US	64	/* auto: the least RTT that a device has seen may have stood in a queue */
#define SENT_FLOOR	10	/* times rp_min_rate: the first CNP takes no sent rate below that for a measure */
#define SENT_WINDOW_NS	1000000	/* the rate really sent is measured over at most that */

struct dcqcn {
	u64 rc_bps;		/* current rate, since the first CNP; until then it is the greatest one */
	u64 rt_bps;		/* target rate */
	u64 line_bps;
	u64 alpha_ns;		/* begin of the alpha period */
	u64 inc_ns;		/* last timed increase */
	u64 cut_ns;		/* last cut */
	u64 due_ns;		/* nothing can change by time alone before that */
	u64 sent_bytes;		/* towards the next byte stage; before the first CNP: since sent_ns */
	u64 sent_ns;
	u64 cnp_ns;		/* last CNP; 0: none yet */
	u64 cnp_gap_ns;		/* mean time between CNPs, smoothed by 1/4 */
	u32 packet_bytes;	/* mean size of packets sent, smoothed by 1/8 */
	u32 cnp_credit;		/* bytes of marked packets that no cut has answered */
	u32 alpha;		/* ALPHA_ONE = 1 */
	u32 time_stage;
	u32 byte_stage;
	bool started;		/* the first CNP came */
	bool alpha_cnp;		/* a CNP came in this alpha period */
	bool cut_pending;	/* a CNP waits for the end of the monitor period */
};

/* name, unit, min, max, auto (before scaling), cx, paper, doc */
#define DCQCN_PARAMS(p) \
	p(rp_clamp_tgt_rate, "", 0, 1, 0, 0, 1, \
	  "every cut sets the target rate to the current one") \
	p(rp_clamp_tgt_rate_ati, "", 0, 1, 1, 1, 1, \
	  "a cut after a timed increase sets the target rate too") \
	p(rp_time_reset, "us", 1, 131071, 55, 300, 55, \
	  "time between timed increases") \
	p(rp_byte_reset, "bytes", 0, 1ULL << 32, 0, 32767 * 64, 10000000, \
	  "bytes between counted increases; 0: none") \
	p(rp_threshold, "", 1, 31, 5, 1, 5, \
	  "increases of either kind before fast recovery ends (F)") \
	p(rp_ai_rate, "Mb/s", 1, 400000, 5, 5, 40, \
	  "additive increase") \
	p(rp_max_rate, "Mb/s", 0, 1000000, 0, 0, 0, \
	  "greatest rate; 0: the line rate") \
	p(rp_hai_rate, "Mb/s", 1, 400000, 50, 50, 400, \
	  "hyper increase") \
	p(rp_min_dec_fac, "%", 0, 100, 50, 50, 50, \
	  "share of the rate that a cut always leaves") \
	p(rp_min_rate, "Mb/s", 1, 400000, 1, 1, 100, \
	  "least rate") \
	p(rp_rate_to_set_on_first_cnp, "Mb/s", 0, 400000, 0, 0, 0, \
	  "rate that the first CNP cuts from; 0: the current one") \
	p(rp_dce_tcp_g, "/1024", 1, 1023, 1020, 1019, 1020, \
	  "share of alpha kept per period (1 - g of the paper)") \
	p(rp_dce_tcp_rtt, "us", 1, 131071, 55, 1, 55, \
	  "alpha period") \
	p(rp_rate_reduce_monitor_period, "us", 1, 131071, 50, 4, 50, \
	  "least time between two cuts") \
	p(rp_initial_alpha_value, "/1024", 1, 1024, 1024, 1023, 1024, \
	  "alpha before the first CNP") \
	p(rp_gd, "", 10, 15, 11, 11, 11, \
	  "a cut takes alpha (in 1/1024) / 2^gd of the rate; 11: alpha / 2") \
	p(rp_cut_on_loss, "", 0, 1, 1, 0, 0, \
	  "a NAK or timeout counts as a CNP") \
	p(rp_clamp_to_sent, "", 0, 1, 1, 0, 0, \
	  "the first CNP cuts from the rate really sent, if that is lower") \
	p(rp_cnp_rate_floor, "%", 0, 100, 70, 0, 0, \
	  "share of the rate at which marked packets arrive that a cut leaves") \
	p(rp_increase_when_idle, "", 0, 1, 0, 1, 1, \
	  "timed increases go on while nothing is sent") \
	p(rp_cnp_bytes, "bytes", 0, 65535, 1024, 0, 0, \
	  "a CNP for smaller packets counts in proportion only; 0: every CNP counts")

RCC_PARAMS_DEFINE(dcqcn, DCQCN_PARAMS);

static const struct rcc_param dcqcn_params[] = { DCQCN_PARAMS(RCC_PARAM_DESC) };

static u64 max_bps(const struct dcqcn *s, const struct dcqcn_params *p)
{
	u64 max = p->rp_max_rate * RCC_BPS_PER_MBPS;

	return max && max < s->line_bps ? max : s->line_bps;
}

static u64 clamp_bps(const struct dcqcn *s, const struct dcqcn_params *p, u64 bps)
{
	u64 max = max_bps(s, p);

	return rcc_clamp64(bps, rcc_min64(p->rp_min_rate * RCC_BPS_PER_MBPS, max), max);
}

/* How many whole periods, at least one; one is by far the most frequent, and a division takes long. */
static u64 periods(u64 ns, u64 period_ns)
{
	return ns < 2 * period_ns ? 1 : rcc_div64(ns, period_ns);
}

/* keep^n, both scaled by ALPHA_ONE */
static u32 keep_power(u32 keep, u64 n)
{
	u64 result = ALPHA_ONE, base = keep;

	for (; n && result; n >>= 1) {
		if (n & 1)
			result = result * base >> ALPHA_SHIFT;
		base = base * base >> ALPHA_SHIFT;
	}
	return result;
}

/* Close the alpha periods that ended by @now_ns: the first may have seen a CNP, the others did not. */
static void alpha_advance(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	u64 period = p->rp_dce_tcp_rtt * RCC_NSEC_PER_USEC;
	u32 keep = p->rp_dce_tcp_g << (ALPHA_SHIFT - 10);
	u64 n;

	if (now_ns < s->alpha_ns + period)
		return;
	n = periods(now_ns - s->alpha_ns, period);
	s->alpha_ns += n * period;
	s->alpha = (u64)s->alpha * keep >> ALPHA_SHIFT;
	if (s->alpha_cnp)
		s->alpha += ALPHA_ONE - keep;
	s->alpha_cnp = false;
	if (n > 1)
		s->alpha = (u64)s->alpha * keep_power(keep, n - 1) >> ALPHA_SHIFT;
}

/*
 * Hyper increase: both counters above F. Without a byte counter the timer alone decides, but only after ten times as many
 * steps: that the network is free again is then a matter of many round trips without a CNP.
 */
static bool hyper(const struct dcqcn *s, const struct dcqcn_params *p)
{
	if (!p->rp_byte_reset)
		return s->time_stage > 10 * p->rp_threshold;
	return s->time_stage > p->rp_threshold && s->byte_stage > p->rp_threshold;
}

/* How far one step raises the target: that depends on how many steps of either kind came since the last cut. */
static u64 raise_bps(const struct dcqcn *s, const struct dcqcn_params *p)
{
	if (hyper(s, p))
		return p->rp_hai_rate * RCC_BPS_PER_MBPS;
	if (s->time_stage >= p->rp_threshold || s->byte_stage >= p->rp_threshold)
		return p->rp_ai_rate * RCC_BPS_PER_MBPS;
	return 0;
}

/* One step up. Rounded up, or the rate would stop one short of the target. */
static void increase(struct dcqcn *s, const struct dcqcn_params *p)
{
	s->rt_bps = clamp_bps(s, p, s->rt_bps + raise_bps(s, p));
	s->rc_bps = clamp_bps(s, p, (s->rc_bps + s->rt_bps + 1) / 2);
}

/* What two packets need at the current rate: a longer silence is not the pacer's. */
static u64 paced_gap_ns(const struct dcqcn *s)
{
	return rcc_div64(2 * (u64)s->packet_bytes * 8 * RCC_NSEC_PER_SEC, rcc_max64(s->rc_bps, 1));
}

/*
 * Take the timed increases that fell due by @now_ns. Between two packets one step may be enough (rp_increase_when_idle
 * 0): what the network would have said to a higher rate is not known, as RFC 7661 says of TCP.
 */
static void increase_advance(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	u64 period = p->rp_time_reset * RCC_NSEC_PER_USEC;
	u64 n, i;

	if (now_ns < s->inc_ns + period)
		return;
	n = periods(now_ns - s->inc_ns, period);
	s->inc_ns += n * period;
	if (!p->rp_increase_when_idle && n > 1)
		n = rcc_min64(n, 1 + rcc_div64(paced_gap_ns(s), period));
	for (i = 0; i < n && i < STEPS_MAX; i++) {
		s->time_stage++;
		increase(s, p);
	}
	if (i == n)
		return;
	/* by now the current rate has come up to the target, and both rise together */
	n = rcc_min64(n - i, 1000000);
	s->rt_bps = clamp_bps(s, p, s->rt_bps + n * raise_bps(s, p));
	s->rc_bps = s->rt_bps;
}

/*
 * Each CNP says that a packet arrived, so they come no faster than the port forwards this flow. When a full queue marks
 * everything, and goes on to do so for many round trips after the rate was cut, this is the flow's share of the port.
 */
static u64 cnp_floor(const struct dcqcn *s, const struct dcqcn_params *p)
{
	if (!s->cnp_gap_ns || !p->rp_cnp_rate_floor)
		return 0;
	return rcc_div64((u64)s->packet_bytes * 8 * RCC_NSEC_PER_SEC, s->cnp_gap_ns) * p->rp_cnp_rate_floor / 100;
}

/* A time read a little before the last CNP's is no gap. */
static void note_cnp(struct dcqcn *s, u64 now_ns)
{
	u64 cnp_ns = rcc_max64(now_ns, s->cnp_ns);
	u64 gap_ns = cnp_ns - s->cnp_ns;

	if (s->cnp_ns)
		s->cnp_gap_ns = s->cnp_gap_ns ? (3 * s->cnp_gap_ns + gap_ns) / 4 : gap_ns;
	s->cnp_ns = cnp_ns;
}

static void cut(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	u64 floor = rcc_max64(rcc_div64(s->rc_bps, 100) * p->rp_min_dec_fac, cnp_floor(s, p));

	if (p->rp_clamp_tgt_rate || s->byte_stage || (p->rp_clamp_tgt_rate_ati && s->time_stage))
		s->rt_bps = s->rc_bps;
	s->rc_bps -= s->rc_bps * s->alpha >> (ALPHA_SHIFT - 10 + p->rp_gd);
	s->rc_bps = clamp_bps(s, p, rcc_max64(s->rc_bps, rcc_min64(floor, s->rt_bps)));
	s->time_stage = 0;
	s->byte_stage = 0;
	s->sent_bytes = 0;
	s->inc_ns = now_ns;
	s->cut_ns = now_ns;
	s->cut_pending = false;
}

/* When time alone will change something. */
static void set_due(struct dcqcn *s, const struct dcqcn_params *p)
{
	s->due_ns = rcc_min64(s->alpha_ns + p->rp_dce_tcp_rtt * RCC_NSEC_PER_USEC,
			      s->inc_ns + p->rp_time_reset * RCC_NSEC_PER_USEC);
	if (s->cut_pending)
		s->due_ns = rcc_min64(s->due_ns, s->cut_ns + p->rp_rate_reduce_monitor_period * RCC_NSEC_PER_USEC);
}

/* Everything that time alone does until @now_ns, in the order in which it fell due. */
static void advance(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	u64 cut_ns = s->cut_ns + p->rp_rate_reduce_monitor_period * RCC_NSEC_PER_USEC;

	/* a period made shorter since may end before what has been worked off already */
	cut_ns = rcc_max64(cut_ns, rcc_max64(s->inc_ns, s->alpha_ns));
	if (s->cut_pending && cut_ns <= now_ns) {
		increase_advance(s, p, cut_ns);
		alpha_advance(s, p, cut_ns - 1);
		cut(s, p, cut_ns);
	}
	alpha_advance(s, p, now_ns);
	increase_advance(s, p, now_ns);
	set_due(s, p);
}

/* The rate really sent since the count began, or the greatest while that is too short or too long ago to tell. */
static u64 sent_bps(const struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	u64 ns = now_ns - s->sent_ns;

	if (ns < p->rp_rate_reduce_monitor_period * RCC_NSEC_PER_USEC || ns > 2 * SENT_WINDOW_NS)
		return max_bps(s, p);
	return rcc_div64(s->sent_bytes * 8 * 1000, rcc_max64(ns / 1000, 1)) * 1000;
}

/* As if a cut had just brought the rate down to @bps. */
static void begin(struct dcqcn *s, const struct dcqcn_params *p, u64 bps, u64 now_ns)
{
	s->started = true;
	s->rc_bps = clamp_bps(s, p, bps);
	s->rt_bps = s->rc_bps;
	s->alpha = p->rp_initial_alpha_value << (ALPHA_SHIFT - 10);
	s->alpha_ns = now_ns;
	s->inc_ns = now_ns;
	s->cut_ns = now_ns;
	set_due(s, p);
}

static void first_cnp(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	u64 from = max_bps(s, p);

	if (p->rp_rate_to_set_on_first_cnp)
		from = p->rp_rate_to_set_on_first_cnp * RCC_BPS_PER_MBPS;
	else if (p->rp_clamp_to_sent)
		from = rcc_min64(from, rcc_max64(sent_bps(s, p, now_ns), SENT_FLOOR * p->rp_min_rate * RCC_BPS_PER_MBPS));
	begin(s, p, from, now_ns);
	cut(s, p, now_ns);
}

/* The caller has brought everything up to @now_ns. */
static void congested(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	if (!s->started)
		first_cnp(s, p, now_ns);
	else if (now_ns >= s->cut_ns + p->rp_rate_reduce_monitor_period * RCC_NSEC_PER_USEC)
		cut(s, p, now_ns);
	else
		s->cut_pending = true;
	s->alpha_cnp = true;
	set_due(s, p);
}

/*
 * Switches mark packets, but links carry bytes: a QP of small messages would be cut as often as one with full packets
 * that takes forty times its share.
 */
static bool cnp_counts(struct dcqcn *s, const struct dcqcn_params *p)
{
	s->cnp_credit += s->packet_bytes;
	if (s->cnp_credit < p->rp_cnp_bytes)
		return false;
	s->cnp_credit = 0;
	return true;
}

static void marked(struct dcqcn *s, const struct dcqcn_params *p, u64 now_ns)
{
	/* first what fell due before: a late cut must not know of this CNP */
	if (s->started)
		advance(s, p, now_ns);
	note_cnp(s, now_ns);
	if (cnp_counts(s, p))
		congested(s, p, now_ns);
}

/* A loss says more than a mark: what was before is no target any more. A timeout says that nothing came through. */
static void lost(struct dcqcn *s, const struct dcqcn_params *p, const struct rcc_event *ev)
{
	if (s->started)
		advance(s, p, ev->now_ns);
	congested(s, p, ev->now_ns);
	if (ev->type == RCC_EV_TIMEOUT)
		s->rc_bps = clamp_bps(s, p, s->rc_bps / 4);
	s->rt_bps = s->rc_bps;
}

/* Before the first CNP only the sent rate is measured. */
static void sent_uncongested(struct dcqcn *s, u64 now_ns, u32 bytes)
{
	if (now_ns - s->sent_ns > SENT_WINDOW_NS) {
		s->sent_ns = now_ns;
		s->sent_bytes = 0;
	}
	s->sent_bytes += bytes;
}

static void note_size(struct dcqcn *s, const struct rcc_event *ev)
{
	u32 bytes = ev->packets > 1 ? ev->bytes / ev->packets : ev->bytes;

	s->packet_bytes = s->packet_bytes ? (7 * s->packet_bytes + bytes) / 8 : bytes;
}

static void sent(struct dcqcn *s, const struct dcqcn_params *p, const struct rcc_event *ev)
{
	if (!s->started) {
		note_size(s, ev);
		sent_uncongested(s, ev->now_ns, ev->bytes);
		return;
	}
	if (ev->now_ns >= s->due_ns)
		advance(s, p, ev->now_ns);
	/* only now: a late cut must not know of this packet */
	note_size(s, ev);
	s->sent_bytes += ev->bytes;
	if (p->rp_byte_reset && s->sent_bytes >= p->rp_byte_reset) {
		s->sent_bytes = 0;
		s->byte_stage++;
		increase(s, p);
	}
}

/*
 * Base RTT in powers of four: hosts that measure it a little differently still agree on their times, and a port's flows
 * on how fast they may grow.
 */
static u64 scale_rtt_us(u64 base_rtt_ns)
{
	u64 us = 1;

	while (us < SCALE_RTT_MAX_US && us * 1000 < base_rtt_ns)
		us *= 4;
	return us;
}

/*
 * Rates follow the line: 20 Mb/s of additive increase at 100 Gb/s, as in HPCC's simulator. Times follow the base RTT, with
 * more of it than a NIC needs, since a soft NIC's packets meet queues of many RTTs; never shorter than the paper's.
 */
static void dcqcn_scale(struct rcc_values *v, const struct rcc_path *path)
{
	struct dcqcn_params *p = (struct dcqcn_params *)v->v;
	u64 rtt_us = scale_rtt_us(path->base_rtt_ns);
	u64 line_mbps = rcc_div64(path->line_bps, RCC_BPS_PER_MBPS);

	p->rp_ai_rate = rcc_div64(line_mbps, 5000);
	p->rp_hai_rate = rcc_div64(line_mbps, 500);
	p->rp_min_rate = rcc_div64(line_mbps, 10000);
	p->rp_time_reset = rcc_max64(p->rp_time_reset, 80 * rtt_us);
	p->rp_dce_tcp_rtt = rcc_max64(p->rp_dce_tcp_rtt, 30 * rtt_us);
	p->rp_rate_reduce_monitor_period = rcc_max64(p->rp_rate_reduce_monitor_period, 2 * rtt_us);
}

static int dcqcn_check(const struct rcc_values *v)
{
	const struct dcqcn_params *p = RCC_VALUES(dcqcn, v);

	return p->rp_max_rate && p->rp_max_rate < p->rp_min_rate ? (int)RCC_PARAM_INDEX(dcqcn, rp_max_rate) : -1;
}

static void dcqcn_init(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
		       struct rcc_decision *d)
{
	const struct dcqcn_params *p = RCC_VALUES(dcqcn, v);
	struct dcqcn *s = RCC_STATE(struct dcqcn, state);

	s->line_bps = path->line_bps;
	s->sent_ns = now_ns;
	d->rate_bps = max_bps(s, p);
	if (path->start_bps && path->start_bps < d->rate_bps)
		begin(s, p, path->start_bps, now_ns);
	if (s->started)
		d->rate_bps = s->rc_bps;
}

static void dcqcn_event(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev,
			struct rcc_decision *d)
{
	const struct dcqcn_params *p = RCC_VALUES(dcqcn, v);
	struct dcqcn *s = RCC_STATE(struct dcqcn, state);

	if (ev->type == RCC_EV_TX)
		sent(s, p, ev);
	else if (ev->type == RCC_EV_CNP)
		marked(s, p, ev->now_ns);
	else if ((ev->type == RCC_EV_NACK || ev->type == RCC_EV_TIMEOUT) && p->rp_cut_on_loss)
		lost(s, p, ev);
	/* the limits may have been changed since the last step */
	d->rate_bps = s->started ? clamp_bps(s, p, s->rc_bps) : max_bps(s, p);
}

const struct rcc_alg rcc_alg_dcqcn = {
	.name = "dcqcn",
	.doc = "ECN and CNP; SIGCOMM 2015, periods as in mlx5",
	.paces = true,
	.events = RCC_WANT(RCC_EV_TX) | RCC_WANT(RCC_EV_CNP) | RCC_WANT(RCC_EV_NACK) | RCC_WANT(RCC_EV_TIMEOUT),
	.nparams = RCC_NPARAMS(dcqcn),
	.params = dcqcn_params,
	.scale = dcqcn_scale,
	.check = dcqcn_check,
	.init = dcqcn_init,
	.event = dcqcn_event,
};
