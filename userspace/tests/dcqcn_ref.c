// SPDX-License-Identifier: GPL-2.0
/* See dcqcn_ref.h. */
#include <math.h>

#include "dcqcn_ref.h"

#define ALPHA_UNIT	(1.0 / (1 << 20))
#define WINDOW_NS	1000000
#define LEAST_SENT	10	/* a sent rate counts as at least that many least rates */

static double mbps(const struct ref *r, enum ref_param param)
{
	return r->v[param] * 1e6;
}

static u64 us(const struct ref *r, enum ref_param param)
{
	return r->v[param] * 1000;
}

static double highest(const struct ref *r)
{
	double max = mbps(r, P_MAX_RATE);

	return max > 0 ? fmin(max, r->line) : r->line;
}

static double bounded(const struct ref *r, double bps)
{
	return fmin(fmax(bps, mbps(r, P_MIN_RATE)), highest(r));
}

/* Bring a rate into its bounds; what lies outside them for certain is exact from then on. */
static void bind(const struct ref *r, double *bps, double *err)
{
	double low = bounded(r, *bps - *err), high = bounded(r, *bps + *err);

	*bps = bounded(r, *bps);
	*err = fmax(high - *bps, *bps - low);
}

static void alpha_tick(struct ref *r)
{
	double keep = r->v[P_DCE_TCP_G] / 1024.0;

	r->alpha = keep * r->alpha + (r->cnp_in_period ? 1 - keep : 0);
	r->alpha_err = keep * r->alpha_err + 3 * ALPHA_UNIT;
	r->cnp_in_period = false;
	r->next_alpha += us(r, P_DCE_TCP_RTT);
}

static void step_up(struct ref *r)
{
	u64 f = r->v[P_THRESHOLD];
	bool hyper = r->time_stage > f && r->byte_stage > f;
	double add = 0;

	/* no bytes are counted: ten times the time alone */
	if (r->v[P_BYTE_RESET] == 0)
		hyper = r->time_stage > 10 * f;
	if (hyper)
		add = mbps(r, P_HAI_RATE);
	else if (r->time_stage >= f || r->byte_stage >= f)
		add = mbps(r, P_AI_RATE);
	r->rt += add;
	bind(r, &r->rt, &r->rt_err);
	r->rc = (r->rc + r->rt) / 2;
	r->rc_err = (r->rc_err + r->rt_err) / 2 + 1;
	bind(r, &r->rc, &r->rc_err);
}

/*
 * Raise a rate that was cut to the share of the rate at which CNPs arrive, but not beyond the target: once for the value
 * and once for either end of its interval.
 */
static void apply_floor(const struct ref *r, double *bps, double *err)
{
	double low = *bps - *err, high = *bps + *err, floor;

	if (!r->mean_gap)
		return;
	/* packets per second times bits; the real one rounds down twice */
	floor = 1e9 / r->mean_gap * r->mean_bytes * 8 * r->v[P_CNP_RATE_FLOOR] / 100;
	low = fmax(low, fmin(floor * (1 - 1e-12) - 2, r->rt - r->rt_err));
	high = fmax(high, fmin(floor * (1 + 1e-12), r->rt + r->rt_err));
	*bps = fmax(*bps, fmin(floor, r->rt));
	*err = fmax(high - *bps, *bps - low);
}

static void cut(struct ref *r, u64 now_ns)
{
	double share = r->alpha * 1024 / (1 << r->v[P_GD]);
	double share_err = r->alpha_err * 1024 / (1 << r->v[P_GD]);
	double keep = fmax(1 - share, r->v[P_MIN_DEC_FAC] / 100.0);

	if (r->v[P_CLAMP_TGT_RATE] || r->byte_stage ||
	    (r->v[P_CLAMP_TGT_RATE_ATI] && r->time_stage)) {
		r->rt = r->rc;
		r->rt_err = r->rc_err;
	}
	r->rc_err = r->rc_err * (keep + share_err) + r->rc * share_err + 101;
	r->rc *= keep;
	apply_floor(r, &r->rc, &r->rc_err);
	bind(r, &r->rc, &r->rc_err);
	r->time_stage = 0;
	r->byte_stage = 0;
	r->bytes = 0;
	r->last_cut = now_ns;
	r->next_increase = now_ns + us(r, P_TIME_RESET);
	r->cut_waits = false;
}

/*
 * How many timed ticks may count between two events, or from a cut to the next: one, and those that fit into the time in
 * which two packets leave at this rate.
 */
static u64 ticks_at(const struct ref *r, double bps)
{
	long double seconds = 2 * 8 * (long double)r->mean_bytes / fmaxl(bps, 1);

	return 1 + (u64)(seconds * 1000000000 / us(r, P_TIME_RESET));
}

/* The same as an interval, for either bound of the rate. */
static void ticks_that_count(const struct ref *r, u64 *least, u64 *most)
{
	bool all = r->v[P_INCREASE_WHEN_IDLE];

	*least = all ? ~0ULL : ticks_at(r, r->rc + r->rc_err);
	*most = all ? ~0ULL : ticks_at(r, r->rc - r->rc_err);
}

/*
 * Let the timers run until @now_ns. What falls due together: first the increase, then the cut, then alpha. Where a silent
 * flow gains nothing, the timer of the increase runs on, but only its first ticks since the last event or cut count.
 */
static void run_timers(struct ref *r, u64 now_ns)
{
	u64 steps = 0, least, most;

	ticks_that_count(r, &least, &most);

	for (;;) {
		u64 cut_due = r->cut_waits ? r->last_cut + us(r, P_RATE_REDUCE_MONITOR_PERIOD) : ~0ULL;
		u64 first = rcc_min64(cut_due, rcc_min64(r->next_alpha, r->next_increase));

		if (first > now_ns)
			break;
		if (r->next_increase == first) {
			r->next_increase += us(r, P_TIME_RESET);
			if (steps >= least) {
				r->unsure |= steps < most;
				continue;
			}
			r->time_stage++;
			step_up(r);
			steps++;
		} else if (cut_due == first) {
			steps = 0;
			cut(r, first);
			ticks_that_count(r, &least, &most);
		} else {
			alpha_tick(r);
		}
	}
}

static void first_cut(struct ref *r, u64 now_ns)
{
	double seconds = (now_ns - r->window_ns) * 1e-9;

	r->rc = highest(r);
	r->rc_err = 0;
	if (r->v[P_RATE_TO_SET_ON_FIRST_CNP]) {
		r->rc = mbps(r, P_RATE_TO_SET_ON_FIRST_CNP);
	} else if (r->v[P_CLAMP_TO_SENT] && now_ns - r->window_ns >= us(r, P_RATE_REDUCE_MONITOR_PERIOD) &&
		   now_ns - r->window_ns <= 2 * WINDOW_NS) {
		double bps = r->window_bytes * 8 / seconds, least = LEAST_SENT * mbps(r, P_MIN_RATE);
		/* the real one counts whole microseconds */
		double err = bps * 1e-6 / seconds + 2000;

		if (fmax(bps, least) < r->rc)
			r->rc_err = bps + err < least ? 0 : err;
		r->rc = fmin(r->rc, fmax(bps, least));
	}
	bind(r, &r->rc, &r->rc_err);
	r->rt = r->rc;
	r->rt_err = r->rc_err;
	r->alpha = r->v[P_INITIAL_ALPHA_VALUE] / 1024.0;
	r->alpha_err = 0;
	r->next_alpha = now_ns + us(r, P_DCE_TCP_RTT);
	r->started = true;
	cut(r, now_ns);
}

static void congestion(struct ref *r, u64 now_ns)
{
	if (!r->started)
		first_cut(r, now_ns);
	else if (now_ns - r->last_cut >= us(r, P_RATE_REDUCE_MONITOR_PERIOD))
		cut(r, now_ns);
	else
		r->cut_waits = true;
	r->cnp_in_period = true;
}

/* The mean of the gaps: the first as it is, each later one with a weight of a quarter. */
static void count_cnp(struct ref *r, u64 now_ns)
{
	u64 gap = now_ns - r->last_cnp;

	if (r->cnps++)
		r->mean_gap = r->mean_gap ? (r->mean_gap * 3 + gap) / 4 : gap;
	r->last_cnp = now_ns;
}

/* Marks are for packets, cuts for bytes: so many must have been marked since the last CNP that counted. */
static bool enough_marked(struct ref *r)
{
	r->marked_bytes += r->mean_bytes;
	if (r->marked_bytes < r->v[P_CNP_BYTES])
		return false;
	r->marked_bytes = 0;
	return true;
}

/* The mean of the sizes: the first as it is, each later one with a weight of an eighth. Packets told of at once are one. */
static void count_packet(struct ref *r, u32 bytes, u32 packets)
{
	double size = floor((double)bytes / (packets ? packets : 1));

	r->mean_bytes = r->mean_bytes ? floor(r->mean_bytes * 0.875 + size * 0.125) : size;
}

/* A loss forgets the target; when a timeout tells, the rate falls to a quarter once more. */
static void loss_too(struct ref *r, u32 type)
{
	if (type == RCC_EV_TIMEOUT) {
		r->rc /= 4;
		r->rc_err = r->rc_err / 4 + 1;
		bind(r, &r->rc, &r->rc_err);
	}
	r->rt = r->rc;
	r->rt_err = r->rc_err;
}

static void transmitted(struct ref *r, u64 now_ns, u32 bytes, u32 packets)
{
	u64 every = r->v[P_BYTE_RESET];

	count_packet(r, bytes, packets);
	if (!r->started) {
		if (now_ns - r->window_ns > WINDOW_NS) {
			r->window_ns = now_ns;
			r->window_bytes = 0;
		}
		r->window_bytes += bytes;
		return;
	}
	r->bytes += bytes;
	if (!every || r->bytes < every)
		return;
	r->bytes = 0;
	r->byte_stage++;
	step_up(r);
}

void ref_init(struct ref *r, const u64 *v, const struct rcc_path *path, u64 now_ns)
{
	memset(r, 0, sizeof(*r));
	r->v = v;
	r->line = path->line_bps;
	r->window_ns = now_ns;
}

void ref_event(struct ref *r, const struct rcc_event *ev)
{
	bool loss = ev->type == RCC_EV_NACK || ev->type == RCC_EV_TIMEOUT;
	bool congested = ev->type == RCC_EV_CNP || (loss && r->v[P_CUT_ON_LOSS]);

	if (!congested && ev->type != RCC_EV_TX)
		return;
	if (r->started)
		run_timers(r, ev->now_ns);
	if (ev->type == RCC_EV_CNP)
		count_cnp(r, ev->now_ns);
	if (loss || (ev->type == RCC_EV_CNP && enough_marked(r)))
		congestion(r, ev->now_ns);
	if (loss)
		loss_too(r, ev->type);
	if (!congested)
		transmitted(r, ev->now_ns, ev->bytes, ev->packets);
}

double ref_rate(const struct ref *r)
{
	return r->started ? r->rc : highest(r);
}
