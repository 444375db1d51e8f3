// SPDX-License-Identifier: GPL-2.0
/* Swift: numbers worked out by hand, and a second version of its window in floating point. */
#include <math.h>

#include "alg_flow.h"

/* at 10 Gb/s, with 16 full packets in a base RTT */
#define BASE_NS		53427

/* as published: 30 us plus flow scaling of up to 125 us; AI 1, beta 819/1024, max_mdf 50 % */
static void load_paper(struct alg_flow *f)
{
	flow_load(f, &rcc_alg_swift, RCC_PROFILE_PAPER, 10 * GBPS, BASE_NS);
	flow_start(f, 0);
}

/* the window in packets */
static double cwnd(const struct alg_flow *f)
{
	return (double)f->d.cwnd_bytes / MTU;
}

static double value(const struct alg_flow *f, const char *name)
{
	return f->values.v[rcc_param_find(f->alg, name, strlen(name))];
}

static double target_ns(const struct alg_flow *f, double w)
{
	double scaling = value(f, "fs_alpha") / sqrt(w) - value(f, "fs_beta");

	return value(f, "base_target") + value(f, "hops") * value(f, "hop_target") +
	       fmin(fmax(scaling, 0), value(f, "fs_range"));
}

TEST("swift: a flow begins with what is on its way at its rate without a queue, and at that rate until it knows more")
{
	struct alg_flow f;

	load_paper(&f);
	EXPECT_NEAR(cwnd(&f), 16, 0.01);
	EXPECT_EQ(f.d.rate_bps, 10 * GBPS);
	f.path.start_bps = 1250 * MBPS;
	flow_start(&f, 0);
	EXPECT_NEAR(cwnd(&f), 2, 0.01);
	EXPECT_EQ(f.d.rate_bps, 1250 * MBPS);
	/* below one packet it is one packet */
	f.path.start_bps = 1 * MBPS;
	flow_start(&f, 0);
	EXPECT_EQ(f.d.cwnd_bytes, MTU);
	EXPECT_EQ(f.d.rate_bps, 1 * MBPS);
}

TEST("swift: a full window acknowledged below the target makes it one packet larger, however the ACKs are cut")
{
	struct alg_flow f;
	u32 i;

	load_paper(&f);
	flow_acked(&f, 1 * MS, 20 * US, 16);
	EXPECT_NEAR(cwnd(&f), 17, 0.01);
	load_paper(&f);
	for (i = 0; i < 16; i++)
		flow_acked(&f, 1 * MS + i * US, 20 * US, 1);
	/* the later ones are shares of a larger window: 16 + sum of 1 / w */
	EXPECT_NEAR(cwnd(&f), sqrt(16 * 16 + 2 * 16), 0.02);
	EXPECT_EQ(f.d.rate_bps, 10 * GBPS);
}

TEST("swift: the target follows the window: a delay between the targets of two windows raises the small, lowers the large")
{
	struct alg_flow large, small;

	load_paper(&large);
	load_paper(&small);
	small.path.start_bps = 625 * MBPS;
	flow_start(&small, 0);
	/* 30 + 40.82 / 4 - 4.08 = 36.1 us at 16 packets, 30 + 40.82 - 4.08 = 66.7 us at 1; 155 us at 0.1 and below */
	EXPECT_NEAR(target_ns(&large, 16), 36123, 1);
	EXPECT_NEAR(target_ns(&small, 1), 66738, 1);
	EXPECT_NEAR(target_ns(&small, 0.1), 155000, 10);
	EXPECT_NEAR(target_ns(&small, 100), 30000, 1);
	flow_acked(&large, 1 * MS, 50 * US, 1);
	flow_acked(&small, 1 * MS, 50 * US, 1);
	EXPECT(cwnd(&large) < 16);
	EXPECT(cwnd(&small) > 1.9);
	/* just below and just above the target itself */
	load_paper(&large);
	flow_acked(&large, 1 * MS, target_ns(&large, 16) - 30, 1);
	EXPECT(cwnd(&large) > 16.05);
	load_paper(&large);
	flow_acked(&large, 1 * MS, target_ns(&large, 16) + 30, 1);
	EXPECT(cwnd(&large) < 16);
}

TEST("swift: above the target the window falls by beta * (delay - target) / delay, at most by max_mdf, once per round trip")
{
	struct alg_flow f;
	double want;
	u64 t;

	load_paper(&f);
	want = 16 * (1 - 819 / 1024.0 * (1 - target_ns(&f, 16) / 50e3));
	flow_acked(&f, 1 * MS, 50 * US, 1);
	EXPECT_NEAR(cwnd(&f), want, 0.01);
	for (t = 1001; t < 1050; t++)
		flow_acked(&f, t * US, 50 * US, 1);
	EXPECT_NEAR(cwnd(&f), want, 0.01);
	flow_acked(&f, 1050 * US, 50 * US, 1);
	EXPECT(cwnd(&f) < want);
	want = cwnd(&f);
	flow_acked(&f, 5 * MS, 3900 * US, 1);
	EXPECT_NEAR(cwnd(&f), want / 2, 0.01);
}

TEST("swift: below one packet the window is one packet and the rate is cwnd / rtt; an ACK adds ai packets then")
{
	struct alg_flow f;
	u32 i;

	load_paper(&f);
	for (i = 1; i <= 6; i++)
		flow_acked(&f, i * SEC, 500 * MS, 1);
	/* 16 / 2^6 */
	EXPECT_EQ(f.d.cwnd_bytes, MTU);
	EXPECT_NEAR(f.d.rate_bps, 0.25 * MTU * 8 / 0.5, 40);
	flow_set(&f, "ai", 256);
	flow_acked(&f, 7 * SEC, 20 * US, 1);
	EXPECT_EQ(f.d.cwnd_bytes, MTU);
	EXPECT_NEAR(f.d.rate_bps, 0.5 * MTU * 8 / 20e-6, 1e6);
	flow_acked(&f, 8 * SEC, 20 * US, 2);
	EXPECT_NEAR(cwnd(&f), 1, 0.01);
	EXPECT_EQ(f.d.rate_bps, 10 * GBPS);
}

TEST("swift: a NAK takes max_mdf once per round trip, a timeout each time, and several of those in a row leave min_cwnd")
{
	struct alg_flow f;
	u32 i;

	load_paper(&f);
	flow_acked(&f, 1 * MS, 20 * US, 1);
	flow_plain(&f, RCC_EV_NACK, 2 * MS);
	EXPECT_NEAR(cwnd(&f), 8.03, 0.01);
	flow_plain(&f, RCC_EV_NACK, 2 * MS + 19 * US);
	EXPECT_NEAR(cwnd(&f), 8.03, 0.01);
	flow_plain(&f, RCC_EV_NACK, 2 * MS + 20 * US);
	EXPECT_NEAR(cwnd(&f), 4.015, 0.01);
	flow_plain(&f, RCC_EV_TIMEOUT, 2 * MS + 21 * US);
	EXPECT_NEAR(cwnd(&f), 2.008, 0.01);
	for (i = 0; i < 3; i++)
		flow_plain(&f, RCC_EV_TIMEOUT, 3 * MS);
	/* 0.25 packets in 20 us */
	EXPECT_NEAR(f.d.rate_bps, 0.251 * MTU * 8 / 20e-6, 1e7);
	flow_plain(&f, RCC_EV_TIMEOUT, 3 * MS);
	EXPECT_NEAR(f.d.rate_bps, 10 / 1024.0 * MTU * 8 / 20e-6, 1e6);
	/* an ACK in between starts the count anew */
	flow_acked(&f, 4 * MS, 20 * US, 16);
	flow_plain(&f, RCC_EV_TIMEOUT, 5 * MS);
	EXPECT(cwnd(&f) > 7);
}

TEST("swift: delay of the hosts does not touch the network's window, but has one of its own, and the smaller one rules")
{
	struct rcc_event ev = {
		.now_ns = 1 * MS, .type = RCC_EV_ACK, .bytes = MTU, .packets = 1, .rtt_ns = 120 * US, .fabric_ns = 25 * US,
	};
	struct alg_flow f;
	u32 i;

	load_paper(&f);
	/* 95 us in the hosts are below their target of 100 us, and 25 us below the network's */
	flow_event(&f, &ev);
	EXPECT_NEAR(cwnd(&f), 16 + 1 / 16.0, 0.01);
	ev.rtt_ns = 3000 * US;
	for (i = 0; i < 20; i++) {
		ev.now_ns += 4 * MS;
		flow_event(&f, &ev);
	}
	/* from 256 packets down, while the network's window has grown */
	EXPECT(cwnd(&f) <= 1);
	EXPECT(f.d.rate_bps < 100 * MBPS);
	/* the hosts are well again, and the window grows from where it was */
	ev.rtt_ns = 30 * US;
	ev.now_ns += 4 * MS;
	flow_event(&f, &ev);
	EXPECT(cwnd(&f) < 3);
}

TEST("swift: auto aims at two base RTTs, five more for the smallest window, and no window above what fills the line")
{
	struct alg_flow f;

	flow_load(&f, &rcc_alg_swift, RCC_PROFILE_AUTO, 100 * GBPS, 4200);
	EXPECT_EQ(value(&f, "base_target"), 8400);
	EXPECT_EQ(value(&f, "fs_range"), 21000);
	EXPECT_EQ(value(&f, "fs_alpha"), 6867);
	/* by the root of 26, the largest window */
	EXPECT_EQ(value(&f, "fs_beta"), 1373);
	EXPECT_EQ(value(&f, "host_target"), 8400);
	/* 105000 bytes */
	EXPECT_EQ(value(&f, "max_cwnd"), 26);
	flow_load(&f, &rcc_alg_swift, RCC_PROFILE_AUTO, 10 * GBPS, 187400);
	EXPECT_EQ(value(&f, "base_target"), 512000);
	EXPECT_EQ(value(&f, "max_cwnd"), 154);
}

/* The network's window once more, in floating point. */
struct ref {
	double cwnd, err, target;
	u64 cut_ns, scaled_ns, rtt_ns;
	u32 timeouts;
	bool unsure;	/* the delay is as near to the target as the fixed point is exact */
};

static void ref_set(struct ref *r, const struct alg_flow *f, double w, double err)
{
	r->cwnd = fmin(fmax(w, value(f, "min_cwnd") / 1024), value(f, "max_cwnd"));
	r->err = err;
}

static void ref_lost(struct ref *r, const struct alg_flow *f, const struct rcc_event *ev)
{
	r->timeouts += ev->type == RCC_EV_TIMEOUT;
	if (r->timeouts >= value(f, "retx_reset")) {
		ref_set(r, f, 0, 2e-5);
	} else if (ev->type == RCC_EV_TIMEOUT || ev->now_ns - r->cut_ns >= r->rtt_ns) {
		ref_set(r, f, r->cwnd * (1 - value(f, "max_mdf") / 100), r->err + 2e-5);
		r->cut_ns = ev->now_ns;
	}
}

static void ref_acked(struct ref *r, const struct alg_flow *f, const struct rcc_event *ev)
{
	double acked = (double)ev->bytes / MTU * value(f, "ai") / 1024, delay = ev->rtt_ns;

	r->timeouts = 0;
	r->rtt_ns = ev->rtt_ns;
	if (ev->now_ns - ev->rtt_ns >= r->scaled_ns) {
		r->target = target_ns(f, r->cwnd);
		r->scaled_ns = ev->now_ns;
	}
	r->unsure = fabs(delay - r->target) < 1e-3 * r->target || fabs(r->cwnd - 1) <= r->err;
	if (delay < r->target) {
		ref_set(r, f, r->cwnd + (r->cwnd < 1 ? acked : acked / r->cwnd), r->err + 1e-4 * (1 + acked));
	} else if (ev->now_ns - ev->rtt_ns >= r->cut_ns) {
		double share = value(f, "beta") / 1024 * (delay - r->target) / delay;

		ref_set(r, f, r->cwnd * (1 - fmin(share, value(f, "max_mdf") / 100)), r->err + 1e-3 * r->cwnd);
		r->cut_ns = ev->now_ns;
	}
}

TEST("swift: a second version of the window in floating point agrees over random events, in every profile")
{
	u64 seed = 51, compared = 0;
	u32 i, n, cuts = 0;

	for (i = 0; i < 100 * RCC_PROFILES_SET; i++) {
		struct ref r = { .rtt_ns = 0 };
		u64 now = 5 * SEC, least, more;
		struct alg_flow f;

		flow_load(&f, &rcc_alg_swift, i % RCC_PROFILES_SET, 10 * GBPS, BASE_NS);
		flow_start(&f, now);
		ref_set(&r, &f, 10e9 * BASE_NS * 1e-9 / 8 / MTU, 1e-3);
		r.target = target_ns(&f, r.cwnd);
		r.scaled_ns = now;
		least = value(&f, "base_target") / 2;
		more = value(&f, "base_target") + value(&f, "fs_range");
		for (n = 0; n < 300; n++) {
			struct rcc_event ev = { .now_ns = now += 1 + test_random(&seed) % least, .type = RCC_EV_ACK };
			double before = r.cwnd;

			ev.packets = 1 + test_random(&seed) % 4;
			ev.bytes = ev.packets * MTU;
			ev.rtt_ns = least + test_random(&seed) % more / (1 + test_random(&seed) % 8);
			ev.fabric_ns = ev.rtt_ns;
			if (test_random(&seed) % 60 == 0)
				ev.type = test_random(&seed) % 2 ? RCC_EV_NACK : RCC_EV_TIMEOUT;
			if (ev.type == RCC_EV_ACK)
				ref_acked(&r, &f, &ev);
			else
				ref_lost(&r, &f, &ev);
			flow_event(&f, &ev);
			if (r.unsure)
				break;
			compared++;
			cuts += r.cwnd < before;
			EXPECT_NEAR(cwnd(&f), fmax(r.cwnd, 1), r.err + 1.0 / MTU);
			if (r.cwnd < 1 - r.err && r.rtt_ns)
				EXPECT_NEAR(f.d.rate_bps * (double)r.rtt_ns / 8e9 / MTU, r.cwnd, r.err + 1.0 / MTU);
		}
	}
	EXPECT(compared > 5000 && cuts > 500);
}
