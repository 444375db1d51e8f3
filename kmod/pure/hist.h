/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log-linear histograms of times. Each power of two is an octave, and each octave has RCC_HIST_SUB buckets of equal width, so
 * a bucket is at most 1/64 as wide as what it holds is long, and its middle is off by less than 0.8 %. Below RCC_HIST_SUB
 * nanoseconds a bucket is one nanosecond. What is longer than RCC_HIST_MAX_NS (68 s) counts as that long.
 */
#ifndef RCC_HIST_H
#define RCC_HIST_H

#include "shim.h"

#define RCC_HIST_SHIFT		6
#define RCC_HIST_SUB		(1 << RCC_HIST_SHIFT)		/* buckets of an octave */
#define RCC_HIST_OCTAVES	31
#define RCC_HIST_BUCKETS	(RCC_HIST_OCTAVES * RCC_HIST_SUB)
#define RCC_HIST_MAX_NS		((1ULL << (RCC_HIST_OCTAVES + RCC_HIST_SHIFT - 1)) - 1)

/**
 * rcc_hist_bucket() - where a time belongs
 * @ns: the time
 *
 * Return: its bucket, below RCC_HIST_BUCKETS; bucket / RCC_HIST_SUB is its octave.
 */
static inline u32 rcc_hist_bucket(u64 ns)
{
	u32 shift = 0, rest;

	if (ns > RCC_HIST_MAX_NS)
		ns = RCC_HIST_MAX_NS;
	rest = ns >> 32 ? 32 : 0;
	/* without a builtin: BPF has no instruction for it */
	if (ns >> rest >> 16)
		rest += 16;
	if (ns >> rest >> 8)
		rest += 8;
	if (ns >> rest >> 4)
		rest += 4;
	if (ns >> rest >> 2)
		rest += 2;
	if (ns >> rest >> 1)
		rest += 1;
	if (rest > RCC_HIST_SHIFT)
		shift = rest - RCC_HIST_SHIFT;
	return (rest >= RCC_HIST_SHIFT ? (shift + 1) << RCC_HIST_SHIFT : 0) + (ns >> shift & (RCC_HIST_SUB - 1));
}

/**
 * rcc_hist_low() - the shortest time of a bucket
 * @bucket: the bucket; RCC_HIST_BUCKETS gives the end of the last one
 *
 * Return: it, in nanoseconds.
 */
static inline u64 rcc_hist_low(u32 bucket)
{
	u32 octave = bucket >> RCC_HIST_SHIFT, sub = bucket & (RCC_HIST_SUB - 1);

	return octave ? (u64)(RCC_HIST_SUB + sub) << (octave - 1) : sub;
}

/**
 * rcc_hist_mid() - what a bucket stands for
 * @bucket: the bucket
 *
 * Return: the middle of its times, in nanoseconds.
 */
static inline u64 rcc_hist_mid(u32 bucket)
{
	return (rcc_hist_low(bucket) + rcc_hist_low(bucket + 1) - 1) / 2;
}

/**
 * rcc_hist_rank() - which sample is a quantile
 * @total: samples in all
 * @ppm: how many of a million; 999900 for p99.99
 *
 * Return: ceil(total * ppm / 10^6), at least 1.
 */
static inline u64 rcc_hist_rank(u64 total, u32 ppm)
{
	u64 rank = rcc_div64(total, 1000000) * ppm + rcc_div64(total % 1000000 * ppm + 999999, 1000000);

	return rank ? rank : 1;
}

/**
 * rcc_hist_quantile() - a time that a part of all samples did not exceed
 * @count: samples of each bucket, RCC_HIST_BUCKETS of them
 * @total: samples in all
 * @ppm: how many of a million; 999900 for p99.99
 *
 * Return: the middle of the bucket that holds the sample whose rank is rcc_hist_rank(); 0 without samples.
 */
static inline u64 rcc_hist_quantile(const u64 *count, u64 total, u32 ppm)
{
	u64 rank = rcc_hist_rank(total, ppm), sum = 0;
	u32 i;

	if (!total)
		return 0;
	for (i = 0; i < RCC_HIST_BUCKETS; i++) {
		sum += count[i];
		if (sum >= rank)
			return rcc_hist_mid(i);
	}
	return RCC_HIST_MAX_NS;
}

#endif /* RCC_HIST_H */
