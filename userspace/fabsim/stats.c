// SPDX-License-Identifier: GPL-2.0
/* Figures of one thing at a time: distributions of a queue, fairness, and what a flow would take alone. */
#include "fabsim.h"

/*
 * Bins are log-linear: as wide as 1/HIST_SUB of what they hold, so a length is known to 1 %.
 *
 *	0, 1, ... 2*SUB-1 bytes | SUB bins of 2 bytes | SUB bins of 4 bytes | ...
 */
static u32 hist_bin(u64 bytes)
{
	u32 shift = bytes < 2 * HIST_SUB ? 0 : 63 - HIST_SUB_BITS - __builtin_clzll(bytes);

	return rcc_min64(shift * HIST_SUB + (bytes >> shift), HIST_BINS - 1);
}

/* The greatest length in a bin. */
static u64 hist_top(u32 bin)
{
	u32 shift = bin < 2 * HIST_SUB ? 0 : bin / HIST_SUB - 1;

	return ((u64)(bin - shift * HIST_SUB + 1) << shift) - 1;
}

/**
 * hist_change() - a queue's length has changed
 * @h: its distribution
 * @now_ps: time
 * @bytes: the new length
 */
void hist_change(struct hist *h, u64 now_ps, u64 bytes)
{
	h->ps[hist_bin(h->now_bytes)] += now_ps - h->since_ps;
	h->since_ps = now_ps;
	h->now_bytes = bytes;
	if (bytes > h->max_bytes)
		h->max_bytes = bytes;
}

/**
 * hist_reset() - forget what was, keep the present length
 * @h: the distribution
 * @now_ps: time
 */
void hist_reset(struct hist *h, u64 now_ps)
{
	memset(h->ps, 0, sizeof(h->ps));
	h->since_ps = now_ps;
	h->max_bytes = h->now_bytes;
}

/**
 * hist_percentile() - the length that a queue stays below for a share of the time
 * @h: the distribution, brought up to date by hist_change()
 * @permille: the share
 *
 * Return: bytes, the upper end of the bin, but no more than the greatest length seen; 0 if the queue was never there.
 */
u64 hist_percentile(const struct hist *h, u32 permille)
{
	u64 total = 0, sum = 0;
	u32 i;

	for (i = 0; i < HIST_BINS; i++)
		total += h->ps[i];
	for (i = 0; i < HIST_BINS - 1; i++) {
		sum += h->ps[i];
		if (sum >= total * permille / 1000)
			break;
	}
	return rcc_min64(hist_top(i), h->max_bytes);
}

/**
 * jain() - Jain's index of fairness
 * @values: shares
 * @count: how many
 *
 * Return: 1 if all are equal, 1/count if one has everything; 0 if there is nothing to share.
 */
double jain(const u64 *values, u32 count)
{
	double sum = 0, squares = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		sum += values[i];
		squares += (double)values[i] * values[i];
	}
	return squares > 0 ? sum * sum / (count * squares) : 0;
}

/**
 * base_rtt_ps() - round trip of a full packet and its ACK without queues
 * @s: the simulation
 * @f: a flow with its ends
 *
 * Return: picoseconds.
 */
u64 base_rtt_ps(const struct sim *s, const struct flow *f)
{
	struct leg there = route_walk(s, f, f->port, f->to, s->opts->mtu_bytes + s->opts->header_bytes);
	struct leg back = route_walk(s, f, f->to, f->port, s->opts->ack_bytes);

	return there.delay_ps + there.ser_ps + back.delay_ps + back.ser_ps;
}

/**
 * ideal_fct_ps() - what the flow would take alone, as HPCC's simulator reckons
 * @s: the simulation
 * @f: a flow with an end
 *
 * Twice the propagation, one packet's payload on every link, and the whole message with its headers on the slowest.
 *
 * Return: picoseconds, of whole nanoseconds.
 */
u64 ideal_fct_ps(const struct sim *s, const struct flow *f)
{
	struct leg leg = route_walk(s, f, f->port, f->to, s->opts->mtu_bytes);
	u64 wire_bytes = f->bytes + (u64)f->packets * s->opts->header_bytes;
	u64 ns = (2 * leg.delay_ps + leg.ser_ps) / PS_PER_NS;

	ns += (u128)wire_bytes * 8 * RCC_NSEC_PER_SEC / leg.min_bps;
	return ns * PS_PER_NS;
}
