// SPDX-License-Identifier: GPL-2.0
/* Departure times against exact arithmetic. */
#include "pace.h"
#include "test.h"

#define MBPS	1000000ULL
#define GBPS	1000000000ULL

static const uint64_t rates_bps[] = {
	1 * MBPS, 3 * MBPS, 7777777, 10 * MBPS, 100 * MBPS, 999999937, 1 * GBPS, 2500 * MBPS, 10 * GBPS,
	25 * GBPS, 33333333333, 40 * GBPS, 56 * GBPS, 100 * GBPS, 199999999999, 200 * GBPS, 400 * GBPS,
};

static const uint32_t sizes[] = { 1, 60, 61, 64, 333, 1082, 1500, 4096 + 78, 4097, 9001, 65535 };

/* Send @packets back to back, each the moment it may leave, and compare the time that took with the exact one. */
static void expect_mean(uint64_t rate_bps, const uint32_t *size, uint32_t nsizes, uint32_t packets)
{
	struct rcc_pace p = { 0 };
	double exact_ns;
	uint64_t begin = 987654321, now = begin, bytes = 0;
	uint32_t i;

	rcc_pace_set_rate(&p, now, rate_bps);
	for (i = 0; i < packets; i++) {
		uint32_t n = size[i % nsizes];

		rcc_pace_sent(&p, now, n, i > 0);
		EXPECT(p.next_ns >= now);
		now = p.next_ns;
		bytes += n;
	}
	exact_ns = 8.0 * GBPS * bytes / rate_bps;
	EXPECT_NEAR((now - begin + p.frac / 16777216.0) / exact_ns, 1.0, 1e-5);
}

TEST("The mean rate is within 1e-5 of the one asked for, for every rate and size")
{
	uint32_t r, s;

	for (r = 0; r < ARRAY_SIZE(rates_bps); r++)
		for (s = 0; s < ARRAY_SIZE(sizes); s++)
			expect_mean(rates_bps[r], &sizes[s], 1, sizes[s] < 100 ? 200000 : 20000);
}

TEST("The mean rate is within 1e-5 for a mix of sizes")
{
	uint32_t r;

	for (r = 0; r < ARRAY_SIZE(rates_bps); r++)
		expect_mean(rates_bps[r], sizes, ARRAY_SIZE(sizes), 50000);
}

TEST("A flow without a rate never waits")
{
	struct rcc_pace p = { 0 };
	int i;

	for (i = 0; i < 100; i++) {
		EXPECT(rcc_pace_ready(&p, 5000));
		rcc_pace_sent(&p, 5000, 4096, false);
	}
}

TEST("The first packet after idling leaves at once and earns no credit for the idle time")
{
	struct rcc_pace p = { 0 };

	rcc_pace_set_rate(&p, 0, 8 * MBPS);	/* 1 us per byte */
	EXPECT(rcc_pace_ready(&p, 1000));
	rcc_pace_sent(&p, 1000, 1000, false);
	EXPECT_EQ(p.next_ns, 1001000);
	EXPECT(!rcc_pace_ready(&p, 1000999));
	EXPECT(rcc_pace_ready(&p, 1001000));
	EXPECT(rcc_pace_ready(&p, 3600 * GBPS));
	rcc_pace_sent(&p, 3600 * GBPS, 1000, false);
	EXPECT_EQ(p.next_ns, 3600 * GBPS + 1000000);
}

TEST("A packet that left a little late is made up for in full")
{
	struct rcc_pace p = { 0 };

	rcc_pace_set_rate(&p, 0, 8 * MBPS);
	rcc_pace_sent(&p, 0, 1000, false);
	rcc_pace_sent(&p, 1000000 + 400000, 1000, true);
	EXPECT_EQ(p.next_ns, 2000000);
	rcc_pace_sent(&p, 2000000, 1000, true);
	EXPECT_EQ(p.next_ns, 3000000);
}

TEST("After a long delay no more than the catch-up credit leaves in a burst")
{
	struct rcc_pace p = { 0 };
	uint64_t now = GBPS, burst = 0;

	rcc_pace_set_rate(&p, 0, 10 * GBPS);
	rcc_pace_sent(&p, 0, 1250, false);	/* 1 us each */
	while (rcc_pace_ready(&p, now)) {
		rcc_pace_sent(&p, now, 1250, true);
		burst++;
	}
	/* 500 us of credit, the packet that was due, and the one that uses the credit's last nanosecond */
	EXPECT(burst >= 500 && burst <= 502);
}

/* A packet of @bytes is sent at @from; halfway through its gap the rate becomes @to. */
static void expect_rescaled(uint64_t from, uint64_t to, uint32_t bytes)
{
	uint64_t begin = 55555, half;
	struct rcc_pace p = { 0 };
	double want;

	rcc_pace_set_rate(&p, begin, from);
	rcc_pace_sent(&p, begin, bytes, false);
	half = (p.next_ns - begin) / 2;
	want = (double)(p.next_ns - begin - half) * from / to;
	rcc_pace_set_rate(&p, begin + half, to);
	EXPECT_NEAR((double)p.next_ns - begin - half, want, want * 5e-4 + 2);
}

TEST("A wait that has begun is stretched or shortened when the rate changes")
{
	static const uint64_t r[] = { 100000, 110000, 121000, 1 * MBPS, 10 * MBPS, 1 * GBPS, 100 * GBPS, 400 * GBPS };
	static const uint32_t bytes[] = { 64, 1500, 4174, 9000, 65535, 131071 };
	uint32_t i, j, k;

	for (i = 0; i < ARRAY_SIZE(r); i++)
		for (j = 0; j < ARRAY_SIZE(r); j++)
			for (k = 0; k < ARRAY_SIZE(bytes); k++)
				expect_rescaled(r[i], r[j], bytes[k]);
}

TEST("A change of rate leaves a flow alone that need not wait")
{
	struct rcc_pace p = { 0 };

	rcc_pace_set_rate(&p, 0, GBPS);
	rcc_pace_sent(&p, 0, 125, false);
	EXPECT_EQ(p.next_ns, 1000);
	rcc_pace_set_rate(&p, 5000, 1 * MBPS);
	EXPECT_EQ(p.next_ns, 1000);
	EXPECT(rcc_pace_ready(&p, 5000));
}

TEST("A rate below the least one, even zero, paces at the least one")
{
	struct rcc_pace p = { 0 };

	rcc_pace_set_rate(&p, 0, 0);
	rcc_pace_sent(&p, 0, 131071, false);
	EXPECT_EQ(p.next_ns, 131071ULL * 80000);
}

TEST("A window lets go what fits, one packet always, and everything if there is none")
{
	EXPECT(rcc_window_open(0, 1000000, 4170));
	EXPECT(rcc_window_open(1, 0, 4170));
	EXPECT(!rcc_window_open(4170, 1, 4170));
	EXPECT(rcc_window_open(8340, 4170, 4170));
	EXPECT(!rcc_window_open(8339, 4170, 4170));
}

TEST("A READ's data is charged at the flow's rate, and no longer than asked for")
{
	struct rcc_pace p = { 0 };

	EXPECT(!rcc_pace_charge(&p, 1000000, 1000));
	EXPECT_EQ(p.next_ns, 0);
	rcc_pace_set_rate(&p, 0, 8 * GBPS);
	p.next_ns = 500;
	EXPECT(!rcc_pace_charge(&p, 1000, 1000));
	EXPECT_NEAR(p.next_ns, 1500, 1);
	EXPECT(rcc_pace_charge(&p, 0xffffffffff, 2000));
	EXPECT_NEAR(p.next_ns, 3500, 2);
	rcc_pace_set_rate(&p, p.next_ns, 1);
	p.next_ns = 0;
	EXPECT(rcc_pace_charge(&p, 1ULL << 40, 32000000));
	EXPECT(p.next_ns <= 32000000);
}
