// SPDX-License-Identifier: GPL-2.0
/* The rule of round trip against target: numbers worked out by hand, and a second version of it in floating point. */
#include <math.h>

#include "alg_flow.h"

/* the rule as written down, with a target of 25 us and 40 Mb/s of increase */
static void load_paper(struct alg_flow *f)
{
	flow_load(f, &rcc_alg_rtt, RCC_PROFILE_PAPER, 100 * GBPS, 10 * US);
	flow_start(f, 0);
}

TEST("rtt: a round trip of twice the target halves the rate, and one of the target or less adds the increase")
{
	struct alg_flow f;

	load_paper(&f);
	EXPECT_EQ(flow_acked(&f, 50 * US, 50 * US, 1), 50 * GBPS);
	EXPECT_EQ(flow_acked(&f, 150 * US, 100 * US, 1), 12500 * MBPS);
	EXPECT_EQ(flow_acked(&f, 175 * US, 25 * US, 1), 12540 * MBPS);
	EXPECT_EQ(flow_acked(&f, 180 * US, 5 * US, 1), 12580 * MBPS);
	/* 1 - (40 - 25) / 40 */
	EXPECT_NEAR(flow_acked(&f, 220 * US, 40 * US, 1), 12580e6 * 0.625, 12580e6 / (1 << 20) + 1);
}

TEST("rtt: a packet that left before the last reaction changes nothing, one that left with it does")
{
	struct alg_flow f;
	u64 t;

	load_paper(&f);
	EXPECT_EQ(flow_acked(&f, 50 * US, 50 * US, 1), 50 * GBPS);
	for (t = 51; t < 100; t++)
		EXPECT_EQ(flow_acked(&f, t * US, 50 * US, 1), 50 * GBPS);
	EXPECT_EQ(flow_acked(&f, 100 * US - 1, 50 * US, 1), 50 * GBPS);
	EXPECT_EQ(flow_acked(&f, 100 * US, 50 * US, 1), 25 * GBPS);
	/* nor do increases come more often */
	EXPECT_EQ(flow_acked(&f, 110 * US, 10 * US, 1), 25040 * MBPS);
	EXPECT_EQ(flow_acked(&f, 119 * US, 10 * US, 1), 25040 * MBPS);
	EXPECT_EQ(flow_acked(&f, 120 * US, 10 * US, 1), 25080 * MBPS);
}

TEST("rtt: ACKs without a round trip change nothing, and a round trip measured by other means counts")
{
	struct rcc_event ev = { .now_ns = 50 * US, .type = RCC_EV_RTT, .rtt_ns = 50 * US, .fabric_ns = 50 * US };
	struct alg_flow f;

	load_paper(&f);
	EXPECT_EQ(flow_acked(&f, 40 * US, 0, 10), 100 * GBPS);
	EXPECT_EQ(flow_event(&f, &ev), 50 * GBPS);
}

TEST("rtt: one cut never takes more than max_dec, and nothing goes below min_rate or above the line")
{
	struct alg_flow f;
	u64 now = 0;
	u32 i;

	load_paper(&f);
	flow_set(&f, "max_dec", 80);
	EXPECT_EQ(flow_acked(&f, now += 4 * SEC, 4000000000, 1), 20 * GBPS);
	EXPECT_EQ(flow_acked(&f, now += 4 * SEC, 4000000000, 1), 4 * GBPS);
	for (i = 0; i < 20; i++)
		flow_acked(&f, now += 4 * SEC, 4000000000, 1);
	EXPECT_EQ(f.d.rate_bps, 1 * MBPS);
	for (i = 0; i < 2499; i++)
		flow_acked(&f, now += 10 * US, 10 * US, 1);
	EXPECT_EQ(f.d.rate_bps, 99961 * MBPS);
	EXPECT_EQ(flow_acked(&f, now += 10 * US, 10 * US, 1), 100 * GBPS);
}

TEST("rtt: a NAK takes its share once per round trip, a timeout twice as often each time, and neither where it is 0")
{
	struct alg_flow f;

	load_paper(&f);
	EXPECT_EQ(flow_plain(&f, RCC_EV_NACK, 50 * US), 100 * GBPS);
	EXPECT_EQ(flow_plain(&f, RCC_EV_TIMEOUT, 50 * US), 100 * GBPS);
	flow_set(&f, "loss_dec", 50);
	EXPECT_EQ(flow_plain(&f, RCC_EV_NACK, 50 * US), 50 * GBPS);
	/* the path's round trip is 10 us, and then one of 20 us is measured */
	EXPECT_EQ(flow_plain(&f, RCC_EV_NACK, 59 * US), 50 * GBPS);
	EXPECT_EQ(flow_plain(&f, RCC_EV_NACK, 60 * US), 25 * GBPS);
	EXPECT_EQ(flow_acked(&f, 70 * US, 20 * US, 1), 25 * GBPS);
	EXPECT_EQ(flow_plain(&f, RCC_EV_NACK, 79 * US), 25 * GBPS);
	EXPECT_EQ(flow_plain(&f, RCC_EV_NACK, 80 * US), 12500 * MBPS);
	EXPECT_EQ(flow_plain(&f, RCC_EV_TIMEOUT, 81 * US), 3125 * MBPS);
	EXPECT_EQ(flow_plain(&f, RCC_EV_TIMEOUT, 82 * US), 781250000);
	/* a packet that left before a loss says nothing new either */
	EXPECT_EQ(flow_acked(&f, 90 * US, 20 * US, 1), 781250000);
}

TEST("rtt: the window is what is on its way at the rate for the target, times window percent")
{
	struct alg_flow f;

	load_paper(&f);
	EXPECT_EQ(f.d.cwnd_bytes, 0);
	flow_set(&f, "window", 110);
	f.path.start_bps = 50 * GBPS;
	flow_start(&f, 0);
	/* 50 Gb/s for 25 us are 156250 bytes */
	EXPECT_EQ(f.d.cwnd_bytes, 171875);
	flow_acked(&f, 50 * US, 50 * US, 1);
	EXPECT_EQ(f.d.cwnd_bytes, 85937);
}

TEST("rtt: the window of a new flow begins with what the path holds and grows by what is acknowledged, up to the usual one")
{
	struct alg_flow f;

	load_paper(&f);
	flow_set(&f, "window", 110);
	flow_start(&f, 0);
	EXPECT_EQ(f.d.rate_bps, 100 * GBPS);
	EXPECT_EQ(f.d.cwnd_bytes, 125000);
	EXPECT_EQ(flow_acked(&f, 10 * US, 10 * US, 20), 100 * GBPS);
	EXPECT_EQ(f.d.cwnd_bytes, 125000 + 20 * MTU);
	flow_acked(&f, 20 * US, 10 * US, 100);
	EXPECT_EQ(f.d.cwnd_bytes, 343750);
}

TEST("rtt: the first cut starts from what the window let through, the second from the rate")
{
	struct alg_flow f;

	load_paper(&f);
	flow_set(&f, "window", 110);
	flow_start(&f, 0);
	/* 125000 + 4174 bytes in 100 us are 10.3 Gb/s, of which a quarter is left */
	EXPECT_NEAR(flow_acked(&f, 100 * US, 100 * US, 1), 129174 * 8 / 100e-6 / 4, 1);
	EXPECT_NEAR(f.d.cwnd_bytes, 129174 * 0.0625 * 1.1, 300);
	EXPECT_NEAR(flow_acked(&f, 200 * US, 100 * US, 1), 129174 * 8 / 100e-6 / 16, 1);
	/* a loss ends it, too */
	flow_set(&f, "loss_dec", 50);
	flow_start(&f, 0);
	EXPECT_NEAR(flow_plain(&f, RCC_EV_NACK, 20 * US), 50e9, 1);
	EXPECT_EQ(f.d.cwnd_bytes, 171875);
}

TEST("rtt: auto aims at four base RTTs, and steps are the smaller the longer the path")
{
	static const struct {
		u64 line_bps, rtt_ns, target, ai_rate, min_rate;
	} want[] = {
		{ 100 * GBPS, 4000, 16000, 200, 10 }, { 400 * GBPS, 4200, 16800, 761, 40 },
		{ 100 * GBPS, 16 * US, 64000, 50, 10 }, { 100 * GBPS, 16001, 1024000, 3, 10 },
		{ 10 * GBPS, 187400, 1024000, 1, 1 }, { 10 * GBPS, 256 * US, 1024000, 1, 1 },
		{ 10 * GBPS, 20 * MS, 1024000, 1, 1 }, { 10 * GBPS, 20 * MS + 1, 80000004, 1, 1 },
		{ 100 * GBPS, 0, 4000, 800, 10 }, { 1 * MBPS, 4 * SEC, 4000000000, 1, 1 },
	};
	struct alg_flow f;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		flow_load(&f, &rcc_alg_rtt, RCC_PROFILE_AUTO, want[i].line_bps, want[i].rtt_ns);
		EXPECT_EQ(f.values.v[rcc_param_find(f.alg, "target", 6)], want[i].target);
		EXPECT_EQ(f.values.v[rcc_param_find(f.alg, "ai_rate", 7)], want[i].ai_rate);
		EXPECT_EQ(f.values.v[rcc_param_find(f.alg, "min_rate", 8)], want[i].min_rate);
	}
}

/* The same rule once more, in floating point, with a bound of what the fixed point may lose. */
struct ref {
	double bps, err, line;
	u64 react_ns, rtt_ns;
};

static u64 value(const struct alg_flow *f, const char *name)
{
	return f->values.v[rcc_param_find(f->alg, name, strlen(name))];
}

static void ref_set(struct ref *r, const struct alg_flow *f, double bps, double err, u64 now_ns)
{
	double least = fmin(value(f, "min_rate") * 1e6, r->line);

	r->bps = fmin(fmax(bps, least), r->line);
	r->err = err;
	r->react_ns = now_ns;
}

static void ref_event(struct ref *r, const struct alg_flow *f, const struct rcc_event *ev)
{
	double keep = 1 - value(f, "loss_dec") / 100.0;

	if (ev->type == RCC_EV_TIMEOUT && keep < 1)
		ref_set(r, f, r->bps * keep * keep, r->err + 2, ev->now_ns);
	if (ev->type == RCC_EV_NACK && keep < 1 && ev->now_ns - r->react_ns >= r->rtt_ns)
		ref_set(r, f, r->bps * keep, r->err + 1, ev->now_ns);
	if ((ev->type != RCC_EV_ACK && ev->type != RCC_EV_RTT) || !ev->rtt_ns)
		return;
	r->rtt_ns = ev->rtt_ns;
	if (ev->now_ns - ev->rtt_ns < r->react_ns)
		return;
	if (ev->rtt_ns > value(f, "target"))
		ref_set(r, f, r->bps * fmax((double)value(f, "target") / ev->rtt_ns, 1 - value(f, "max_dec") / 100.0),
			r->err + r->bps / (1 << 20) + 2, ev->now_ns);
	else
		ref_set(r, f, r->bps + value(f, "ai_rate") * 1e6, r->err, ev->now_ns);
}

TEST("rtt: a second version in floating point agrees over random events, in every profile and at any speed")
{
	static const u64 lines[] = { 1 * MBPS, 1 * GBPS, 25 * GBPS, 400 * GBPS, 800 * GBPS };
	u64 seed = 31;
	u32 i, p, n, cuts = 0;

	for (i = 0; i < ARRAY_SIZE(lines) * RCC_PROFILES_SET; i++) {
		struct ref r = { .line = lines[i / RCC_PROFILES_SET], .bps = lines[i / RCC_PROFILES_SET], .react_ns = 5 * SEC };
		struct alg_flow f;
		u64 now = 5 * SEC;

		p = i % RCC_PROFILES_SET;
		flow_load(&f, &rcc_alg_rtt, p, r.line, 10 * US);
		/* the window's ramp is a story of its own */
		flow_set(&f, "window", 0);
		r.rtt_ns = 10 * US;
		flow_start(&f, now);
		for (n = 0; n < 5000; n++) {
			struct rcc_event ev = { .now_ns = now += 1 + test_random(&seed) % 40000, .type = RCC_EV_ACK };
			double before = r.bps;

			ev.rtt_ns = test_random(&seed) % 3 ? 5000 + test_random(&seed) % 30000 : test_random(&seed) % 100000;
			if (test_random(&seed) % 100 == 0)
				ev.type = test_random(&seed) % 2 ? RCC_EV_NACK : RCC_EV_TIMEOUT;
			flow_event(&f, &ev);
			ref_event(&r, &f, &ev);
			cuts += r.bps < before;
			EXPECT_NEAR(f.d.rate_bps, r.bps, r.err + 1);
		}
		EXPECT(r.err < 1e-2 * r.line);
	}
	EXPECT(cuts > 1000);
}
