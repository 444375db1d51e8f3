// SPDX-License-Identifier: GPL-2.0
/* DCQCN over long random events, against the slow reference and against its own limits. */
#include "flow.h"

static u64 random_below(u64 *seed, u64 n)
{
	return test_random(seed) % n;
}

/* 0..max, small ones as likely as large ones */
static u64 random_log(u64 *seed, u64 max)
{
	return random_below(seed, max + 1) >> random_below(seed, 64 - __builtin_clzll(max | 1));
}

static void random_params(struct flow *f, u64 *seed)
{
	u32 i;

	for (i = 0; i < rcc_alg_dcqcn.nparams; i++) {
		const struct rcc_param *d = &rcc_alg_dcqcn.params[i];

		rcc_param_set(&rcc_alg_dcqcn, &f->values, i, d->min + random_log(seed, d->max - d->min));
	}
}

/* packets of 64 to @bytes_max more */
static struct rcc_event random_event(u64 *seed, u64 now_ns, u32 bytes_max)
{
	static const u32 rare[] = { RCC_EV_NACK, RCC_EV_TIMEOUT, RCC_EV_ACK, RCC_EV_RTT, RCC_EV_INT, RCC_EV_TIMER };
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_TX, .bytes = 64 + random_log(seed, bytes_max) };
	u64 kind = random_below(seed, 100);

	if (kind < 5)
		ev.type = RCC_EV_CNP;
	else if (kind < 7)
		ev.type = rare[random_below(seed, 6)];
	/* one TX event in eight is for up to 16 packets */
	if (ev.type == RCC_EV_TX && !random_below(seed, 8))
		ev.packets = random_below(seed, 17);
	return ev;
}

static const u64 random_lines[] = {
	1 * MBPS, 10 * MBPS, 1 * GBPS, 10 * GBPS, 25 * GBPS, 100 * GBPS, 400 * GBPS, 800 * GBPS, 123456789012,
};

/* events that were compared, and those that were not since the reference could not tell how many steps were due */
static u64 compared, skipped;

/* Both get @events random events with gaps up to @gap_ns; returns the widest error bound, in line rates. */
static double compare(struct flow *f, u64 *seed, u32 events, u64 gap_ns)
{
	u64 now = 1 + random_log(seed, 1ULL << 50), quiet = 0;
	/* half of the flows have packets so small that in auto most of their CNPs do not count */
	u32 bytes_max = random_below(seed, 2) ? 65536 : 512, i;
	double widest = 0;
	struct ref r;

	start(f, now);
	ref_init(&r, f->v, &f->path, now);
	for (i = 0; i < events; i++) {
		struct rcc_event ev;

		now += random_log(seed, gap_ns);
		ev = random_event(seed, now, bytes_max);
		/* let some flows recover for long */
		if (ev.type != RCC_EV_TX && quiet)
			ev.type = RCC_EV_TX;
		quiet = quiet ? quiet - 1 : random_below(seed, 200) ? 0 : random_below(seed, 500);
		rcc_alg_dcqcn.event(&f->state, &f->values, &ev, &f->d);
		ref_event(&r, &ev);
		if (r.unsure) {
			skipped += events - i;
			break;
		}
		compared++;
		/* the reference's timers have not run if the event was none of DCQCN's */
		EXPECT_NEAR(f->d.rate_bps, ref_rate(&r), r.rc_err + 1);
		if (r.rc_err / r.line > widest)
			widest = r.rc_err / r.line;
	}
	return widest;
}

TEST("Every profile agrees with the slow reference over random events, but for what alpha's fixed point loses")
{
	u64 seed = 11;
	double widest;
	u32 p, i, n;

	compared = 0;
	skipped = 0;
	for (p = 0; p < RCC_PROFILES_SET; p++) {
		for (i = 0; i < ARRAY_SIZE(random_lines); i++) {
			for (n = 0; n < 4; n++) {
				struct flow f;

				load(&f, p, random_lines[i]);
				widest = compare(&f, &seed, 20000, n % 2 ? 2000 : 20000);
				/* the bound itself stays tight, where the steps of the fixed point are small */
				if (random_lines[i] >= GBPS)
					EXPECT(widest < 2e-2);
			}
		}
	}
	EXPECT(skipped < compared / 10);
}

TEST("Random parameters agree with the slow reference over random events")
{
	u64 seed = 12, gap_us;
	u32 n;

	compared = 0;
	skipped = 0;
	for (n = 0; n < 600; n++) {
		struct flow f;

		load(&f, RCC_PROFILE_CX, random_lines[n % (ARRAY_SIZE(random_lines))]);
		random_params(&f, &seed);
		/* fewer timed steps between two events than are taken at once, and no more ticks of alpha than we can wait for */
		gap_us = rcc_min64(f.v[P_TIME_RESET] * 60, f.v[P_DCE_TCP_RTT] * 1000);
		compare(&f, &seed, 2000, gap_us * US);
	}
	EXPECT(skipped < compared / 10);
}

TEST("Gaps of thousands of periods agree with the slow reference, which takes every step")
{
	u64 seed = 13;
	u32 n;

	compared = 0;
	skipped = 0;
	for (n = 0; n < 200; n++) {
		struct flow f;

		load(&f, n % RCC_PROFILES_SET, random_lines[n % (ARRAY_SIZE(random_lines))]);
		if (n % 4 == 0)
			random_params(&f, &seed);
		set(&f, "rp_dce_tcp_rtt", 1 + random_log(&seed, 500));
		set(&f, "rp_time_reset", 1 + random_log(&seed, 500));
		compare(&f, &seed, 300, 20 * MS);
	}
	EXPECT(skipped < compared / 10);
}

TEST("The same events give the same decisions and the same state, bit for bit")
{
	u64 seed = 14, now = 0;
	struct flow a, b;
	u32 i;

	load(&a, RCC_PROFILE_AUTO, 100 * GBPS);
	load(&b, RCC_PROFILE_AUTO, 100 * GBPS);
	start(&a, 0);
	start(&b, 0);
	for (i = 0; i < 200000; i++) {
		struct rcc_event ev;

		now += random_log(&seed, 10000);
		ev = random_event(&seed, now, i % 2000 < 1000 ? 65536 : 512);
		rcc_alg_dcqcn.event(&a.state, &a.values, &ev, &a.d);
		rcc_alg_dcqcn.event(&b.state, &b.values, &ev, &b.d);
		EXPECT_EQ(a.d.rate_bps, b.d.rate_bps);
	}
	EXPECT(!memcmp(&a.state, &b.state, sizeof(a.state)));
	EXPECT(!memcmp(&a.d, &b.d, sizeof(a.d)));
}

TEST("Whatever the parameters, even changed as it runs, the rate stays between the least one and the line")
{
	u64 seed = 15;
	u32 n, i;

	for (n = 0; n < 500; n++) {
		u64 now = random_log(&seed, 1ULL << 60);
		struct flow f;

		load(&f, RCC_PROFILE_CX, random_lines[n % (ARRAY_SIZE(random_lines))]);
		random_params(&f, &seed);
		start(&f, now);
		for (i = 0; i < 1000; i++) {
			u64 max, min;
			struct rcc_event ev;

			now += random_log(&seed, 1ULL << (10 + n % 35));
			ev = random_event(&seed, now, n % 2 ? 65536 : 512);
			if (random_below(&seed, 50) == 0)
				random_params(&f, &seed);
			rcc_alg_dcqcn.event(&f.state, &f.values, &ev, &f.d);
			max = f.v[P_MAX_RATE] ? rcc_min64(f.v[P_MAX_RATE] * MBPS, f.path.line_bps) : f.path.line_bps;
			min = rcc_min64(f.v[P_MIN_RATE] * MBPS, max);
			EXPECT(f.d.rate_bps >= min && f.d.rate_bps <= max);
		}
	}
}
