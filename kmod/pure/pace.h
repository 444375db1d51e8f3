/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When may the next packet of a flow leave?
 *
 *	gap  = bytes * 8 / rate
 *	next = start + gap,  start = next			while packets wait (the rate is exact in the mean)
 *			     start = now			for the first packet after idling (it goes at once)
 *
 * The gap is kept as nanoseconds per byte with 24 fractional bits, and what is left below a nanosecond is carried to
 * the next packet, so the error of the mean rate is below 1e-5 from 1 Mb/s to 400 Gb/s. A packet that leaves late (a
 * timer on a busy CPU) is made up for, but never by more than RCC_PACE_CATCHUP_NS of credit.
 */
#ifndef RCC_PACE_H
#define RCC_PACE_H

#include "shim.h"

#define RCC_PACE_SHIFT		24
#define RCC_PACE_CATCHUP_NS	(500 * RCC_NSEC_PER_USEC)
/* slowest rate that the fixed point carries for a 64 KB packet, and the one that is never paced below */
#define RCC_PACE_MIN_BPS	100000ULL

/**
 * struct rcc_pace - departure times of one flow
 * @next_ns: when the next packet may leave, in the caller's clock
 * @ns_per_byte: gap per byte, nanoseconds with RCC_PACE_SHIFT fractional bits; 0 = no limit
 * @frac: part of a nanosecond that @next_ns lacks, same scale
 */
struct rcc_pace {
	u64 next_ns;
	u64 ns_per_byte;
	u32 frac;
};

static inline u64 rcc_pace_gap_of(u64 rate_bps)
{
	return rcc_div64((8 * RCC_NSEC_PER_SEC) << RCC_PACE_SHIFT, rcc_max64(rate_bps, RCC_PACE_MIN_BPS));
}

/**
 * rcc_pace_set_rate() - change the rate
 * @p: the flow
 * @now_ns: time
 * @rate_bps: bits per second; what is below RCC_PACE_MIN_BPS counts as that
 *
 * A wait that has begun is stretched or shortened to the new rate.
 */
static inline void rcc_pace_set_rate(struct rcc_pace *p, u64 now_ns, u64 rate_bps)
{
	u64 old = p->ns_per_byte, wait;
	u32 coarse;

	p->ns_per_byte = rcc_pace_gap_of(rate_bps);
	if (!old || p->next_ns <= now_ns)
		return;
	/* a gap is below 2^41 and a wait below 2^34 (2^17 bytes), so long waits, which mean a large gap, are scaled in 2 us */
	wait = rcc_min64(p->next_ns - now_ns, 1ULL << 34);
	coarse = wait >> 23 ? 11 : 0;
	p->next_ns = now_ns + rcc_div64((wait >> coarse) * p->ns_per_byte, old >> coarse);
}

/**
 * rcc_pace_ready() - may a packet leave?
 * @p: the flow
 * @now_ns: time
 *
 * Return: true if its time has come.
 */
static inline bool rcc_pace_ready(const struct rcc_pace *p, u64 now_ns)
{
	return p->next_ns <= now_ns;
}

/**
 * rcc_window_open() - does a congestion window let a packet go?
 * @cwnd_bytes: the window; 0: none
 * @unacked_bytes: bytes on the wire that are not acknowledged
 * @bytes: the packet's
 *
 * Return: true if it fits, or if nothing is unacknowledged: below one packet the rate alone holds a flow back.
 */
static inline bool rcc_window_open(u64 cwnd_bytes, u64 unacked_bytes, u32 bytes)
{
	return !cwnd_bytes || !unacked_bytes || unacked_bytes + bytes <= cwnd_bytes;
}

/**
 * rcc_pace_sent() - account a packet that leaves now
 * @p: the flow
 * @now_ns: time, not before @p->next_ns
 * @bytes: its size on the wire, below 2^17
 * @waited: true if the packet stood in a queue; false if the flow was idle
 */
static inline void rcc_pace_sent(struct rcc_pace *p, u64 now_ns, u32 bytes, bool waited)
{
	u64 start = p->next_ns;
	u64 gap = bytes * p->ns_per_byte + p->frac;

	if (!waited)
		start = rcc_max64(start, now_ns);
	else if (now_ns > start && now_ns - start > RCC_PACE_CATCHUP_NS)
		start = now_ns - RCC_PACE_CATCHUP_NS;
	p->next_ns = start + (gap >> RCC_PACE_SHIFT);
	p->frac = gap & ((1U << RCC_PACE_SHIFT) - 1);
}

/**
 * rcc_pace_charge() - let a flow wait for what a packet that left makes others send
 * @p: the flow
 * @bytes: on the wire
 * @max_ns: the longest wait
 *
 * Return: true if the wait was cut short to @max_ns.
 */
static inline bool rcc_pace_charge(struct rcc_pace *p, u64 bytes, u64 max_ns)
{
	u64 max_bytes;

	if (!p->ns_per_byte)
		return false;
	max_bytes = rcc_div64(max_ns << RCC_PACE_SHIFT, p->ns_per_byte);
	p->next_ns += rcc_min64(bytes, max_bytes) * p->ns_per_byte >> RCC_PACE_SHIFT;
	return bytes > max_bytes;
}

#endif /* RCC_PACE_H */
