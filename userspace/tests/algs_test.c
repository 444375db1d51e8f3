// SPDX-License-Identifier: GPL-2.0
/* What holds for every algorithm of the table, whatever it is. */
#include "alg_flow.h"

static const u64 lines[] = {
	1 * MBPS, 10 * MBPS, 1 * GBPS, 10 * GBPS, 25 * GBPS, 100 * GBPS, 400 * GBPS, 800 * GBPS, 123456789012,
};

static const u64 rtts[] = { 1 * US, 4200, 12 * US, 190 * US, 10 * MS, 4 * SEC };

static u64 below(u64 *seed, u64 n)
{
	return test_random(seed) % n;
}

/* 0..max, small ones as likely as large ones */
static u64 log_below(u64 *seed, u64 max)
{
	return below(seed, max + 1) >> below(seed, 64 - __builtin_clzll(max | 1));
}

static struct rcc_event random_event(u64 *seed, u64 now_ns)
{
	static const u32 types[] = {
		RCC_EV_TX, RCC_EV_TX, RCC_EV_TX, RCC_EV_ACK, RCC_EV_ACK, RCC_EV_ACK, RCC_EV_RTT, RCC_EV_CNP,
	};
	static const u32 rare[] = { RCC_EV_NACK, RCC_EV_TIMEOUT, RCC_EV_INT, RCC_EV_TIMER };
	u32 type = below(seed, 50) ? types[below(seed, ARRAY_SIZE(types))] : rare[below(seed, ARRAY_SIZE(rare))];
	struct rcc_event ev = { .now_ns = now_ns, .type = type };

	if (type == RCC_EV_TX || type == RCC_EV_ACK) {
		ev.packets = log_below(seed, 128);
		ev.bytes = (ev.packets | 1) * (64 + log_below(seed, 4110));
	}
	if ((type == RCC_EV_ACK && below(seed, 4)) || type == RCC_EV_RTT) {
		ev.rtt_ns = 1 + log_below(seed, 4000000000);
		ev.fabric_ns = 1 + log_below(seed, ev.rtt_ns - 1);
	}
	ev.random = type == RCC_EV_TX ? 0 : test_random(seed);
	return ev;
}

static void random_params(struct alg_flow *f, u64 *seed)
{
	u32 i;

	for (i = 0; i < f->alg->nparams; i++) {
		const struct rcc_param *d = &f->alg->params[i];

		rcc_param_set(f->alg, &f->values, i, d->min + log_below(seed, d->max - d->min));
	}
}

/* ten times what a path of 4 s holds at 800 Gb/s, the most that a window in percent can ask for */
#define CWND_MAX_BYTES	(10 * 400ULL * GBPS)

static void expect_sound(const struct alg_flow *f)
{
	EXPECT(f->d.rate_bps >= 1 && f->d.rate_bps <= f->path.line_bps);
	EXPECT(f->d.cwnd_bytes <= CWND_MAX_BYTES);
}

/* @alg on every line and round trip, in @profile; or with random parameters that change as it runs */
static void run_random(const struct rcc_alg *alg, u32 profile, bool change, u64 *seed)
{
	u32 i, j, n;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		for (j = 0; j < ARRAY_SIZE(rtts); j++) {
			struct alg_flow f;
			u64 now = log_below(seed, 1ULL << 60);

			flow_load(&f, alg, profile, lines[i], rtts[j]);
			f.path.start_bps = log_below(seed, 2 * lines[i]);
			flow_start(&f, now);
			expect_sound(&f);
			for (n = 0; n < 2000; n++) {
				struct rcc_event ev;

				now += log_below(seed, 1ULL << (10 + n % 30));
				ev = random_event(seed, now);
				if (change && !below(seed, 50))
					random_params(&f, seed);
				flow_event(&f, &ev);
				expect_sound(&f);
			}
		}
	}
}

TEST("Whatever happens, no algorithm leaves 1 bit/s to the line rate, or a window that some path can hold, in any profile")
{
	u64 seed = 21;
	u32 k, p;

	for (k = 0; k < rcc_nalgs; k++)
		for (p = 0; p < RCC_PROFILES_SET; p++)
			run_random(rcc_algs[k], p, false, &seed);
}

TEST("Nor does it with any parameters in their ranges, changed as it runs")
{
	u64 seed = 22;
	u32 k;

	for (k = 0; k < rcc_nalgs; k++)
		run_random(rcc_algs[k], RCC_PROFILE_AUTO, true, &seed);
}

TEST("The same events give the same decisions and states, bit for bit, for two flows by turns")
{
	u64 seed = 23, now = 0;
	u32 k, n;

	for (k = 0; k < rcc_nalgs; k++) {
		struct alg_flow a, b;

		flow_load(&a, rcc_algs[k], RCC_PROFILE_AUTO, 100 * GBPS, 10 * US);
		flow_load(&b, rcc_algs[k], RCC_PROFILE_AUTO, 100 * GBPS, 10 * US);
		flow_start(&a, 0);
		flow_start(&b, 0);
		for (n = 0; n < 20000; n++) {
			struct rcc_event ev;

			now += log_below(&seed, 100000);
			ev = random_event(&seed, now);
			flow_event(&a, &ev);
			flow_event(&b, &ev);
			EXPECT(!memcmp(&a.d, &b.d, sizeof(a.d)));
		}
		EXPECT(!memcmp(&a.state, &b.state, sizeof(a.state)));
	}
}

TEST("A new flow begins at the line rate, whether start_bps says so or says nothing")
{
	u32 k, i;

	for (k = 0; k < rcc_nalgs; k++) {
		for (i = 0; i < ARRAY_SIZE(lines); i++) {
			struct alg_flow f;

			flow_load(&f, rcc_algs[k], RCC_PROFILE_AUTO, lines[i], 10 * US);
			EXPECT_EQ(flow_start(&f, 5), lines[i]);
			f.path.start_bps = 0;
			EXPECT_EQ(flow_start(&f, 5), lines[i]);
			f.path.start_bps = 2 * lines[i];
			EXPECT_EQ(flow_start(&f, 5), lines[i]);
		}
	}
}

TEST("An algorithm that takes over a flow begins with the rate in use")
{
	static const u64 starts[] = { 100 * MBPS, 777 * MBPS, 5 * GBPS, 99 * GBPS };
	u32 k, i, p;

	for (k = 0; k < rcc_nalgs; k++) {
		if (!rcc_algs[k]->paces || rcc_algs[k] == &rcc_alg_fixed)
			continue;
		for (i = 0; i < ARRAY_SIZE(starts); i++) {
			for (p = 0; p < RCC_PROFILES_SET; p++) {
				struct alg_flow f;

				flow_load(&f, rcc_algs[k], p, 100 * GBPS, 10 * US);
				f.path.start_bps = starts[i];
				EXPECT_EQ(flow_start(&f, SEC), starts[i]);
				/* and stays there until something says otherwise */
				EXPECT_EQ(flow_plain(&f, RCC_EV_TX, SEC + 10 * US), starts[i]);
			}
		}
	}
}

TEST("What an algorithm does not ask for does not change its decision")
{
	u64 seed = 24;
	u32 k, n;

	for (k = 0; k < rcc_nalgs; k++) {
		u64 now = 0, ignored = 0;
		struct alg_flow f;

		flow_load(&f, rcc_algs[k], RCC_PROFILE_AUTO, 10 * GBPS, 100 * US);
		flow_start(&f, 0);
		for (n = 0; n < 20000; n++) {
			struct rcc_decision before = f.d;
			struct rcc_event ev;

			now += log_below(&seed, 100000);
			ev = random_event(&seed, now);
			flow_event(&f, &ev);
			if (f.alg->events & RCC_WANT(ev.type))
				continue;
			ignored++;
			EXPECT(!memcmp(&before, &f.d, sizeof(before)));
		}
		EXPECT(ignored > 100);
	}
}

TEST("Timeouts in a row, with nothing acknowledged in between, bring every algorithm that paces below a hundredth of the line")
{
	u32 k, n;

	for (k = 0; k < rcc_nalgs; k++) {
		struct alg_flow f;

		if (!rcc_algs[k]->paces || rcc_algs[k] == &rcc_alg_fixed)
			continue;
		flow_load(&f, rcc_algs[k], RCC_PROFILE_AUTO, 10 * GBPS, 100 * US);
		flow_start(&f, 0);
		flow_acked(&f, 100 * US, 100 * US, 1);
		for (n = 1; n <= 6; n++)
			flow_plain(&f, RCC_EV_TIMEOUT, n * 67 * MS);
		EXPECT(f.d.rate_bps <= 100 * MBPS);
	}
}

TEST("The algorithm fixed sends at its rate whatever happens, and a change holds from the next event on")
{
	u64 seed = 25, now = 0;
	struct alg_flow f;
	u32 n;

	flow_load(&f, &rcc_alg_fixed, RCC_PROFILE_AUTO, 10 * GBPS, 100 * US);
	flow_set(&f, "rate", 2500);
	EXPECT_EQ(flow_start(&f, 0), 2500 * MBPS);
	for (n = 0; n < 1000; n++) {
		struct rcc_event ev = random_event(&seed, now += 1000);

		EXPECT_EQ(flow_event(&f, &ev), 2500 * MBPS);
	}
	flow_set(&f, "rate", 1);
	EXPECT_EQ(flow_plain(&f, RCC_EV_TX, now), 1 * MBPS);
	flow_set(&f, "rate", 20000);
	EXPECT_EQ(flow_plain(&f, RCC_EV_TX, now), 10 * GBPS);
	flow_set(&f, "rate", 0);
	EXPECT_EQ(flow_plain(&f, RCC_EV_TX, now), 10 * GBPS);
}
