/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A lazy clock: an algorithm whose state changes every so many microseconds needs no timer. At each event it asks how many
 * periods have ended since it last looked, and does at once what they would have done one by one.
 */
#ifndef RCC_CLOCK_H
#define RCC_CLOCK_H

#include "../pure/shim.h"

#define RCC_KEEP_SHIFT	20	/* a share of 1 is RCC_KEEP_ONE */
#define RCC_KEEP_ONE	(1U << RCC_KEEP_SHIFT)

/**
 * rcc_periods() - how many whole periods have passed
 * @since_ns: when the first of them began; moved to the begin of the one that runs
 * @period_ns: their length, not 0
 * @now_ns: time
 *
 * Return: their number. One is by far the most frequent, and a division takes long.
 */
static inline u64 rcc_periods(u64 *since_ns, u64 period_ns, u64 now_ns)
{
	u64 n = 1;

	if (now_ns < *since_ns + period_ns)
		return 0;
	if (now_ns - *since_ns >= 2 * period_ns)
		n = rcc_div64(now_ns - *since_ns, period_ns);
	*since_ns += n * period_ns;
	return n;
}

/**
 * struct rcc_often - in which share of the periods did something happen? A mean with exponential weights
 * @since_ns: begin of the period that runs
 * @share: the mean; RCC_KEEP_ONE = 1
 * @seen: it happened in this period
 */
struct rcc_often {
	u64 since_ns;
	u32 share;
	bool seen;
};

/* @value * @keep^@n; @keep is at most 1023/1024, so that after 2^14 periods nothing is left */
static inline u32 rcc_kept(u32 value, u32 keep, u64 n)
{
	u64 power = RCC_KEEP_ONE, base = keep;
	u32 bit;

	if (n >> 14)
		return 0;
	for (bit = 0; bit < 14; bit++) {
		if (n >> bit & 1)
			power = power * base >> RCC_KEEP_SHIFT;
		base = base * base >> RCC_KEEP_SHIFT;
	}
	return value * power >> RCC_KEEP_SHIFT;
}

/**
 * rcc_often_advance() - close the periods that have ended: the first may have seen it, the others have not
 * @o: the mean
 * @period_ns: length of a period, not 0
 * @keep: share of itself that it keeps per period, of RCC_KEEP_ONE; at most 1023/1024 of that
 * @now_ns: time
 */
static inline void rcc_often_advance(struct rcc_often *o, u64 period_ns, u32 keep, u64 now_ns)
{
	u64 n = rcc_periods(&o->since_ns, period_ns, now_ns);

	if (!n)
		return;
	o->share = (u64)o->share * keep >> RCC_KEEP_SHIFT;
	if (o->seen)
		o->share += RCC_KEEP_ONE - keep;
	o->seen = false;
	if (n > 1)
		o->share = rcc_kept(o->share, keep, n - 1);
}

/**
 * rcc_climb() - @n times: target += step, but not above max; rate = (rate + target) / 2, rounded up
 * @rate: both are brought down to @max first
 * @target: what it follows; below the rate only if limits have been changed meanwhile
 * @step: what one period adds
 * @n: periods, at least 1
 * @max: most for either
 *
 * The rate is behind the target by d, and one period makes that (d + step) / 2, rounded down: so d - step is halved, and
 * n halvings are a shift. From the period on in which the target meets @max nothing is added.
 */
static inline void rcc_climb(u64 *rate, u64 *target, u64 step, u64 n, u64 max)
{
	u64 whole = n;
	s64 behind;

	*target = rcc_min64(*target, max);
	behind = (s64)*target - (s64)rcc_min64(*rate, max);
	if (step > max - *target)
		whole = 0;
	else if (step && n > 1)
		whole = rcc_min64(n, rcc_div64(max - *target, step));
	if (whole)
		behind = (s64)step + ((behind - (s64)step) >> rcc_min64(whole, 63));
	*target += whole * step;
	if (whole < n) {
		behind = (behind + (s64)(max - *target)) >> rcc_min64(n - whole, 63);
		*target = max;
	}
	*rate = (u64)((s64)*target - behind);
}

#endif /* RCC_CLOCK_H */
