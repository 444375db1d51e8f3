// SPDX-License-Identifier: GPL-2.0
/* Histograms against sorted samples. */
#include <math.h>

#include "hist.h"
#include "test.h"

#define SAMPLES		1000000
#define PPM		1000000

static uint64_t samples[SAMPLES], count[RCC_HIST_BUCKETS], seed;

/* greater than 0, at most 1 */
static double uniform(void)
{
	return ((test_random(&seed) >> 11) + 1) / 9007199254740992.0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t exact(uint32_t ppm)
{
	uint64_t rank = ((uint64_t)SAMPLES * ppm + PPM - 1) / PPM;

	return samples[rank ? rank - 1 : 0];
}

/* A million samples: every quantile of interest is off by at most 1 %, also where few samples lie far apart. */
static void expect_close(uint64_t (*draw)(void))
{
	static const uint32_t ppms[] = { 0, 1, 10000, 250000, 500000, 900000, 990000, 999000, 999900, 999990, 999999, PPM };
	size_t i;

	seed = 1;
	memset(count, 0, sizeof(count));
	for (i = 0; i < SAMPLES; i++) {
		samples[i] = draw();
		count[rcc_hist_bucket(samples[i])]++;
	}
	qsort(samples, SAMPLES, sizeof(samples[0]), by_value);
	for (i = 0; i < ARRAY_SIZE(ppms); i++) {
		double want = exact(ppms[i]);

		EXPECT_NEAR(rcc_hist_quantile(count, SAMPLES, ppms[i]), want, want / 100);
	}
}

TEST("Buckets lie side by side, each as wide as it may be, and hold what lies between their bounds")
{
	uint64_t low, next;
	uint32_t b;

	for (b = 0; b < RCC_HIST_BUCKETS; b++) {
		low = rcc_hist_low(b);
		next = rcc_hist_low(b + 1);
		EXPECT(next > low);
		EXPECT(next - low == 1 || (next - low) * RCC_HIST_SUB <= low);
		EXPECT_EQ(rcc_hist_bucket(low), b);
		EXPECT_EQ(rcc_hist_bucket(next - 1), b);
		EXPECT(rcc_hist_mid(b) >= low && rcc_hist_mid(b) < next);
	}
	EXPECT_EQ(rcc_hist_low(0), 0);
	EXPECT_EQ(rcc_hist_low(RCC_HIST_BUCKETS), RCC_HIST_MAX_NS + 1);
}

TEST("A bucket's middle is off by less than 0.8 %")
{
	uint64_t low, last;
	uint32_t b;

	for (b = 1; b < RCC_HIST_BUCKETS; b++) {
		low = rcc_hist_low(b);
		last = rcc_hist_low(b + 1) - 1;
		EXPECT_NEAR(rcc_hist_mid(b), low, low * 0.008);
		EXPECT_NEAR(rcc_hist_mid(b), last, last * 0.008);
	}
}

TEST("What is longer than the longest time counts as that long")
{
	EXPECT_EQ(rcc_hist_bucket(RCC_HIST_MAX_NS), RCC_HIST_BUCKETS - 1);
	EXPECT_EQ(rcc_hist_bucket(RCC_HIST_MAX_NS + 1), RCC_HIST_BUCKETS - 1);
	EXPECT_EQ(rcc_hist_bucket(1ULL << 63), RCC_HIST_BUCKETS - 1);
	EXPECT_EQ(rcc_hist_bucket(~0ULL), RCC_HIST_BUCKETS - 1);
}

TEST("An octave holds a power of two and what follows to the next one")
{
	uint32_t shift;

	for (shift = RCC_HIST_SHIFT; shift < RCC_HIST_OCTAVES + RCC_HIST_SHIFT - 1; shift++) {
		EXPECT_EQ(rcc_hist_bucket(1ULL << shift), (shift - RCC_HIST_SHIFT + 1) * RCC_HIST_SUB);
		EXPECT_EQ(rcc_hist_bucket((2ULL << shift) - 1), (shift - RCC_HIST_SHIFT + 2) * RCC_HIST_SUB - 1);
	}
}

static uint64_t draw_uniform(void)
{
	return 1 + uniform() * 1000000;
}

TEST("Quantiles up to p99.99 of a million samples are within 1 %: uniform")
{
	expect_close(draw_uniform);
}

static uint64_t draw_exponential(void)
{
	return 20000 - 50000 * log(uniform());
}

TEST("Quantiles up to p99.99 of a million samples are within 1 %: exponential")
{
	expect_close(draw_exponential);
}

static uint64_t draw_lognormal(void)
{
	return exp(10 + 1.5 * sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform()));
}

TEST("Quantiles up to p99.99 of a million samples are within 1 %: lognormal")
{
	expect_close(draw_lognormal);
}

static uint64_t draw_pareto(void)
{
	return fmin(3000 / pow(uniform(), 0.8), RCC_HIST_MAX_NS);
}

TEST("Quantiles up to p99.99 of a million samples are within 1 %: with a heavy tail")
{
	expect_close(draw_pareto);
}

/* one in a thousand meets a timeout */
static uint64_t draw_bimodal(void)
{
	return (test_random(&seed) % 1000 ? 30000 : 67000000) + test_random(&seed) % 10000;
}

TEST("Quantiles up to p99.99 of a million samples are within 1 %: some far away from all others")
{
	expect_close(draw_bimodal);
}

static uint64_t draw_small(void)
{
	return test_random(&seed) % 200;
}

TEST("Quantiles up to p99.99 of a million samples are within 1 %: of nanoseconds")
{
	expect_close(draw_small);
}

TEST("No samples have no quantile, and a single one is all of them")
{
	uint32_t b = rcc_hist_bucket(123456);

	memset(count, 0, sizeof(count));
	EXPECT_EQ(rcc_hist_quantile(count, 0, 500000), 0);
	count[b] = 1;
	EXPECT_EQ(rcc_hist_quantile(count, 1, 0), rcc_hist_mid(b));
	EXPECT_EQ(rcc_hist_quantile(count, 1, 1), rcc_hist_mid(b));
	EXPECT_EQ(rcc_hist_quantile(count, 1, PPM), rcc_hist_mid(b));
}

TEST("The rank of a quantile is rounded up, and no further")
{
	uint32_t i;

	memset(count, 0, sizeof(count));
	for (i = 0; i < 64; i++)
		count[i] = i < 50 ? 2 : 0;
	/* 0 0 1 1 2 2 ... 49 49 */
	EXPECT_EQ(rcc_hist_quantile(count, 100, 20000), 0);
	EXPECT_EQ(rcc_hist_quantile(count, 100, 20001), 1);
	EXPECT_EQ(rcc_hist_quantile(count, 100, 500000), 24);
	EXPECT_EQ(rcc_hist_quantile(count, 100, 500001), 25);
	EXPECT_EQ(rcc_hist_quantile(count, 100, 980000), 48);
	EXPECT_EQ(rcc_hist_quantile(count, 100, 980001), 49);
	EXPECT_EQ(rcc_hist_quantile(count, 100, PPM), 49);
}

TEST("As many samples as a counter holds do not overflow a rank")
{
	uint64_t half = 1ULL << 62;

	memset(count, 0, sizeof(count));
	count[1] = half;
	count[2] = half;
	EXPECT_EQ(rcc_hist_quantile(count, 2 * half, 500000), 1);
	EXPECT_EQ(rcc_hist_quantile(count, 2 * half, 500001), 2);
	EXPECT_EQ(rcc_hist_quantile(count, 2 * half, PPM), 2);
}
