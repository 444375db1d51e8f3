// SPDX-License-Identifier: GPL-2.0
/* TIMELY: numbers worked out by hand, and a second version of it in floating point. */
#include <math.h>

#include "alg_flow.h"

/* t_low 50 us, t_high 500 us, min RTT 20 us, beta 819/1024, weight of the newest difference 896/1024, delta 10 Mb/s */
static void load_paper(struct alg_flow *f)
{
	flow_load(f, &rcc_alg_timely, RCC_PROFILE_PAPER, 10 * GBPS, 10 * US);
	flow_start(f, 0);
}

TEST("timely: below t_low the rate rises by delta, whatever the gradient")
{
	struct alg_flow f;

	load_paper(&f);
	f.path.start_bps = 1 * GBPS;
	flow_start(&f, 0);
	EXPECT_EQ(flow_acked(&f, 100 * US, 10 * US, 1), 1010 * MBPS);
	EXPECT_EQ(flow_acked(&f, 200 * US, 49 * US, 1), 1020 * MBPS);
	EXPECT_EQ(flow_acked(&f, 300 * US, 10 * US, 1), 1030 * MBPS);
}

TEST("timely: above t_high the rate falls by beta * (1 - t_high / rtt), whatever the gradient")
{
	struct alg_flow f;

	load_paper(&f);
	/* 1 ms: half of beta */
	EXPECT_NEAR(flow_acked(&f, 1 * MS, 1 * MS, 1), 10e9 * (1 - 819 / 2048.0), 1);
	/* falling, and still above: 1 - 500 / 800 */
	EXPECT_NEAR(flow_acked(&f, 2 * MS, 800 * US, 1), 10e9 * (1 - 819 / 2048.0) * (1 - 819 / 1024.0 * 0.375), 20000);
}

TEST("timely: between them a gradient of d takes beta * d")
{
	struct alg_flow f;

	load_paper(&f);
	/* no round trip before: no difference, and that is no rise; the rate is at the line */
	EXPECT_EQ(flow_acked(&f, 1 * MS, 100 * US, 1), 10 * GBPS);
	/* 8 us more: 7 us smoothed, of 20 us */
	EXPECT_NEAR(flow_acked(&f, 2 * MS, 108 * US, 1), 10e9 * (1 - 819 / 1024.0 * 0.35), 10000);
}

TEST("timely: a queue that does not grow for five round trips in a row brings increases of five deltas, until it grows")
{
	struct alg_flow f;
	u32 i;

	load_paper(&f);
	f.path.start_bps = 1 * GBPS;
	flow_start(&f, 0);
	for (i = 1; i <= 4; i++)
		EXPECT_EQ(flow_acked(&f, i * MS, 100 * US, 1), (1000 + 10 * i) * MBPS);
	EXPECT_EQ(flow_acked(&f, 5 * MS, 100 * US, 1), 1090 * MBPS);
	EXPECT_EQ(flow_acked(&f, 6 * MS, 100 * US, 1), 1140 * MBPS);
	EXPECT(flow_acked(&f, 7 * MS, 101 * US, 1) < 1140 * MBPS);
	/* falls far enough for the mean to fall */
	EXPECT(flow_acked(&f, 8 * MS, 90 * US, 1) < 1130 * MBPS);
}

TEST("timely: a packet that left before the last reaction changes nothing, not even the gradient")
{
	struct alg_flow a, b;
	u64 t;

	load_paper(&a);
	load_paper(&b);
	flow_acked(&a, 1 * MS, 100 * US, 1);
	flow_acked(&b, 1 * MS, 100 * US, 1);
	for (t = 1000; t < 1100; t++)
		EXPECT_EQ(flow_acked(&a, t * US, 150 * US, 1), 10 * GBPS);
	EXPECT_EQ(flow_acked(&a, 1200 * US, 200 * US, 1), flow_acked(&b, 1200 * US, 200 * US, 1));
	EXPECT(a.d.rate_bps < 10 * GBPS);
	EXPECT(!memcmp(&a.state, &b.state, sizeof(a.state)));
}

TEST("timely: no round trip takes more than max_dec, and losses take what loss_dec says")
{
	struct alg_flow f;

	load_paper(&f);
	EXPECT_EQ(flow_plain(&f, RCC_EV_NACK, 1 * MS), 10 * GBPS);
	flow_set(&f, "max_dec", 50);
	flow_set(&f, "loss_dec", 30);
	EXPECT_EQ(flow_acked(&f, 4 * SEC, 4000000000, 1), 5 * GBPS);
	/* within the round trip of 4 s */
	EXPECT_EQ(flow_plain(&f, RCC_EV_NACK, 5 * SEC), 5 * GBPS);
	EXPECT_EQ(flow_plain(&f, RCC_EV_NACK, 8 * SEC), 3500 * MBPS);
	EXPECT_EQ(flow_plain(&f, RCC_EV_TIMEOUT, 8 * SEC), 1715 * MBPS);
}

TEST("timely: the window is what is on its way at the rate for t_high, times window percent")
{
	struct alg_flow f;

	load_paper(&f);
	EXPECT_EQ(f.d.cwnd_bytes, 0);
	flow_set(&f, "window", 125);
	f.path.start_bps = 8 * GBPS;
	flow_start(&f, 0);
	/* 8 Gb/s for 500 us are 500000 bytes */
	EXPECT_EQ(f.d.cwnd_bytes, 625000);
	/* a new flow begins with what the path holds, 10 Gb/s for 10 us; the first decrease starts from what that let through */
	f.path.start_bps = 0;
	flow_start(&f, 0);
	EXPECT_EQ(f.d.rate_bps, 10 * GBPS);
	EXPECT_EQ(f.d.cwnd_bytes, 12500);
	EXPECT_NEAR(flow_acked(&f, 1 * MS, 1 * MS, 3), (12500 + 3 * MTU) * 8 / 1e-3 * (1 - 819 / 2048.0), 200);
}

/* The same once more, in floating point. */
struct ref {
	double bps, err, diff, diff_err, line;
	u64 react_ns, prev_ns, rtt_ns, calm;
	bool unsure;	/* the sign of the gradient lies within the error */
};

static double value(const struct alg_flow *f, const char *name)
{
	return f->values.v[rcc_param_find(f->alg, name, strlen(name))];
}

static void ref_set(struct ref *r, const struct alg_flow *f, double bps, double err, u64 now_ns)
{
	r->bps = fmin(fmax(bps, fmin(value(f, "min_rate") * 1e6, r->line)), r->line);
	r->err = err;
	r->react_ns = now_ns;
}

static void ref_cut(struct ref *r, const struct alg_flow *f, double share, double share_err, u64 now_ns)
{
	share = fmin(share * value(f, "beta") / 1024, value(f, "max_dec") / 100);
	ref_set(r, f, r->bps * (1 - share), r->err + r->bps * (share_err + 2.0 / (1 << 20)) + 3, now_ns);
}

static void ref_rtt(struct ref *r, const struct alg_flow *f, u64 now_ns, u64 rtt_ns)
{
	double w = value(f, "ewma") / 1024, step = r->prev_ns ? (double)rtt_ns - r->prev_ns : 0;

	r->rtt_ns = rtt_ns;
	if (now_ns - rtt_ns < r->react_ns)
		return;
	r->diff = (1 - w) * r->diff + w * step;
	r->diff_err = r->prev_ns ? (1 - w) * r->diff_err + 1 : 0;
	r->unsure = r->prev_ns && fabs(r->diff) <= r->diff_err;
	r->prev_ns = rtt_ns;
	r->calm = r->diff <= 0 ? r->calm + 1 : 0;
	if (rtt_ns < value(f, "t_low"))
		ref_set(r, f, r->bps + value(f, "delta") * 1e6, r->err, now_ns);
	else if (rtt_ns > value(f, "t_high"))
		ref_cut(r, f, 1 - value(f, "t_high") / rtt_ns, 0, now_ns);
	else if (r->diff <= 0)
		ref_set(r, f, r->bps + (r->calm >= value(f, "hai_after") ? value(f, "hai_factor") : 1) *
			value(f, "delta") * 1e6, r->err, now_ns);
	else
		ref_cut(r, f, fmin(r->diff / value(f, "min_rtt"), 1), r->diff_err / value(f, "min_rtt"), now_ns);
}

static void ref_event(struct ref *r, const struct alg_flow *f, const struct rcc_event *ev)
{
	double keep = 1 - value(f, "loss_dec") / 100;

	if (ev->type == RCC_EV_ACK)
		ref_rtt(r, f, ev->now_ns, ev->rtt_ns);
	else if (keep < 1 && ev->type == RCC_EV_TIMEOUT)
		ref_set(r, f, r->bps * keep * keep, r->err + 2, ev->now_ns);
	else if (keep < 1 && ev->now_ns - r->react_ns >= r->rtt_ns)
		ref_set(r, f, r->bps * keep, r->err + 1, ev->now_ns);
}

TEST("timely: a second version in floating point agrees over random events, in every profile")
{
	u64 seed = 41, compared = 0;
	u32 i, n, cuts = 0;

	for (i = 0; i < 30 * RCC_PROFILES_SET; i++) {
		struct ref r = { .line = 100e9, .bps = 100e9, .react_ns = 5 * SEC, .rtt_ns = 50 * US };
		u64 now = 5 * SEC, base;
		struct alg_flow f;

		flow_load(&f, &rcc_alg_timely, i % RCC_PROFILES_SET, 100 * GBPS, 50 * US);
		/* the window's ramp is a story of its own */
		flow_set(&f, "window", 0);
		base = value(&f, "t_low") / 2;
		flow_start(&f, now);
		for (n = 0; n < 1000 && !r.unsure; n++) {
			struct rcc_event ev = { .now_ns = now += 1 + test_random(&seed) % (3 * base), .type = RCC_EV_ACK };
			double before = r.bps;

			ev.rtt_ns = base + test_random(&seed) % (2 * (u64)value(&f, "t_high"));
			if (test_random(&seed) % 100 == 0)
				ev.type = test_random(&seed) % 2 ? RCC_EV_NACK : RCC_EV_TIMEOUT;
			ref_event(&r, &f, &ev);
			flow_event(&f, &ev);
			if (r.unsure)
				break;
			compared++;
			cuts += r.bps < before;
			EXPECT_NEAR(f.d.rate_bps, r.bps, r.err + 1);
		}
	}
	EXPECT(compared > 10000 && cuts > 1000);
}
