/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of late. The maps count from the beginning; a percentile of that would never forget a bad hour. So what was counted
 * at two earlier times is kept, the older one is subtracted, and now and then the younger takes its place:
 *
 *	        older     younger     now
 *	---------|-----------|---------|
 *	         '--- what counts -----'
 *
 * Until two turns have passed the beginning stands for the older time.
 */
#ifndef RXECC_WINDOW_H
#define RXECC_WINDOW_H

#include "tm.h"

struct window;

struct window *window_new(void);
void window_free(struct window *w);
void window_turn(struct window *w, struct telemetry *tm, const struct tm_key *key, const u32 *octaves);
void window_add(const struct window *w, struct telemetry *tm, const struct tm_key *key, enum tm_hist hist, u32 octaves,
		struct tm_hist_sum *sum);

#endif /* RXECC_WINDOW_H */
