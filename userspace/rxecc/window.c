// SPDX-License-Identifier: GPL-2.0
/* See window.h. */
#include <stdlib.h>
#include <string.h>

#include "rxecc.h"
#include "window.h"

/**
 * struct count - a histogram as it was
 * @octaves: those that had samples, by bit
 * @sum_ns: sum of the samples
 * @n: samples of each bucket of these octaves, one octave behind the other
 */
struct count {
	u32 octaves;
	u64 sum_ns;
	u64 *n;
};

/**
 * struct window - the histograms of a QP or device as they were
 * @older: at the older time
 * @younger: at the younger one
 */
struct window {
	struct count older[TM_HISTS];
	struct count younger[TM_HISTS];
};

/**
 * window_new() - begin
 *
 * Return: a window from the beginning on.
 */
struct window *window_new(void)
{
	return alloc(sizeof(struct window));
}

/**
 * window_free() - end
 * @w: the window, or NULL
 */
void window_free(struct window *w)
{
	int i;

	for (i = 0; w && i < TM_HISTS; i++) {
		free(w->older[i].n);
		free(w->younger[i].n);
	}
	free(w);
}

static bool has_samples(const struct tm_hist_sum *sum, u32 octave)
{
	const u64 *n = sum->n + octave * RCC_HIST_SUB;
	u32 i;

	for (i = 0; i < RCC_HIST_SUB && !n[i]; i++)
		;
	return i < RCC_HIST_SUB;
}

/* Most histograms fill a few octaves only. */
static void keep(struct count *count, const struct tm_hist_sum *sum)
{
	u64 *to;
	u32 i;

	count->octaves = 0;
	count->sum_ns = sum->sum_ns;
	for (i = 0; i < RCC_HIST_OCTAVES; i++)
		if (has_samples(sum, i))
			count->octaves |= 1U << i;
	count->n = alloc(__builtin_popcount(count->octaves) * RCC_HIST_SUB * sizeof(*count->n));
	for (i = 0, to = count->n; i < RCC_HIST_OCTAVES; i++) {
		if (!(count->octaves >> i & 1))
			continue;
		memcpy(to, sum->n + i * RCC_HIST_SUB, RCC_HIST_SUB * sizeof(*to));
		to += RCC_HIST_SUB;
	}
}

static void subtract(struct tm_hist_sum *sum, const struct count *count)
{
	const u64 *from = count->n;
	u32 i, j;

	sum->sum_ns -= count->sum_ns;
	for (i = 0; i < RCC_HIST_OCTAVES; i++) {
		if (!(count->octaves >> i & 1))
			continue;
		for (j = 0; j < RCC_HIST_SUB; j++, from++) {
			sum->n[i * RCC_HIST_SUB + j] -= *from;
			sum->total -= *from;
		}
	}
}

/**
 * window_turn() - let the younger time become the older, and now the younger
 * @w: the window
 * @tm: the telemetry
 * @key: whose histograms these are
 * @octaves: which octaves each of them has
 */
void window_turn(struct window *w, struct telemetry *tm, const struct tm_key *key, const u32 *octaves)
{
	static struct tm_hist_sum sum;
	int i;

	for (i = 0; i < TM_HISTS; i++) {
		memset(&sum, 0, sizeof(sum));
		tm_add_hist(tm, key, i, octaves[i], &sum);
		free(w->older[i].n);
		w->older[i] = w->younger[i];
		keep(&w->younger[i], &sum);
	}
}

/**
 * window_add() - add what a histogram counted of late to a sum
 * @w: the window
 * @tm: the telemetry
 * @key: whose histogram it is
 * @hist: which
 * @octaves: which octaves it has
 * @sum: to be added to
 */
void window_add(const struct window *w, struct telemetry *tm, const struct tm_key *key, enum tm_hist hist, u32 octaves,
		struct tm_hist_sum *sum)
{
	tm_add_hist(tm, key, hist, octaves, sum);
	subtract(sum, &w->older[hist]);
}
