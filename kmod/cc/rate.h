/* SPDX-License-Identifier: GPL-2.0 */
/* Arithmetic that the algorithms share: shares of a rate, the rate to begin with, one reaction per round trip. */
#ifndef RCC_RATE_H
#define RCC_RATE_H

#include "cc.h"

#define RCC_SHARE_SHIFT	20

/* longest base RTT that is not taken for that of software */
#define RCC_NIC_RTT_MAX_NS	16000
/* what targets are scaled to where software answers */
#define RCC_SOFT_RTT_NS		256000
/* a measured round trip of up to that may be a queue's */
#define RCC_QUEUE_MAX_NS	20000000

/**
 * rcc_share() - @value * @num / @den without a product of 128 bits
 * @value: below 2^44
 * @num: not above @den
 * @den: below 2^44
 *
 * Return: the share of @value, at most one in 2^20 of it too low; 0 if @den is 0.
 */
static inline u64 rcc_share(u64 value, u64 num, u64 den)
{
	return den ? value * rcc_div64(num << RCC_SHARE_SHIFT, den) >> RCC_SHARE_SHIFT : 0;
}

/**
 * rcc_percent() - a share of a rate in percent
 * @bps: below 2^57
 * @percent: 0..100
 *
 * Return: that share, rounded down.
 */
static inline u64 rcc_percent(u64 bps, u64 percent)
{
	return rcc_div64(bps * percent, 100);
}

/**
 * rcc_start_bps() - the rate that a QP begins with
 * @path: what is known of the way
 *
 * Return: the rate in use where an algorithm takes over a QP that was slowed down, else the line rate.
 */
static inline u64 rcc_start_bps(const struct rcc_path *path)
{
	return path->start_bps ? rcc_min64(path->start_bps, path->line_bps) : path->line_bps;
}

/**
 * rcc_soft_path() - does software answer at the other end, rather than a NIC?
 * @path: what is known of the way
 *
 * Return: true if the base RTT is longer than NICs and a few switches take.
 */
static inline bool rcc_soft_path(const struct rcc_path *path)
{
	return path->base_rtt_ns > RCC_NIC_RTT_MAX_NS;
}

/**
 * rcc_scale_rtt_ns() - the base RTT that `auto` scales targets to
 * @path: what is known of the way
 *
 * Between NICs it is exact. Where software answers it is 256 us, in which a port of 200 Mb/s passes one or two full packets.
 * What such hosts have seen as their least differs, and one that aims at a tenth less than the others gets half of what they
 * get. It may also have stood in a queue, and a target that follows that keeps the queue for ever. So only a path that is
 * longer than RCC_QUEUE_MAX_NS is believed to be so.
 *
 * Return: nanoseconds, from 1000 to 4000000000.
 */
static inline u64 rcc_scale_rtt_ns(const struct rcc_path *path)
{
	if (!rcc_soft_path(path))
		return rcc_max64(path->base_rtt_ns, 1000);
	return path->base_rtt_ns > RCC_QUEUE_MAX_NS ? rcc_min64(path->base_rtt_ns, 4000000000) : RCC_SOFT_RTT_NS;
}

/**
 * rcc_left_since() - did the packet whose round trip was measured leave after a reaction?
 * @ev: an event with rtt_ns
 * @react_ns: when the algorithm last reacted
 *
 * A packet that left before says what the old rate did: to react to it would be to react twice.
 *
 * Return: true if what it says is news.
 */
static inline bool rcc_left_since(const struct rcc_event *ev, u64 react_ns)
{
	return ev->now_ns >= react_ns + ev->rtt_ns;
}

/**
 * rcc_in_flight() - bytes that are on their way at a rate for some time
 * @bps: below 2^40
 * @ns: below 2^33
 *
 * Return: bytes, to a Mb/s of the rate.
 */
static inline u64 rcc_in_flight(u64 bps, u64 ns)
{
	return rcc_div64(rcc_div64(bps, RCC_BPS_PER_MBPS) * ns, 8000);
}

/**
 * struct rcc_rate - rate and window of a QP under an algorithm that reacts to round trips
 * @bps: the rate
 * @line_bps: most that it may be
 * @react_ns: when it was last set
 * @rtt_ns: last round trip measured, or the path's
 * @ramp_bytes: window until the first decrease; 0: that has been, or there is no such window
 */
struct rcc_rate {
	u64 bps;
	u64 line_bps;
	u64 react_ns;
	u64 rtt_ns;
	u64 ramp_bytes;
};

/**
 * rcc_rate_set() - react: set the rate, within its limits
 * @r: the rate
 * @bps: the new one
 * @min_mbps: least rate; the line rate if that is lower
 * @now_ns: time
 */
static inline void rcc_rate_set(struct rcc_rate *r, u64 bps, u64 min_mbps, u64 now_ns)
{
	r->bps = rcc_clamp64(bps, rcc_min64(min_mbps * RCC_BPS_PER_MBPS, r->line_bps), r->line_bps);
	r->react_ns = now_ns;
}

/**
 * rcc_rate_begin() - begin a QP's life
 * @r: the rate, zeroed
 * @path: what is known of the way
 * @min_mbps: least rate
 * @window: true if packets in flight are limited: a new QP begins with what the path holds without a queue
 * @now_ns: time
 */
static inline void rcc_rate_begin(struct rcc_rate *r, const struct rcc_path *path, u64 min_mbps, bool window, u64 now_ns)
{
	r->line_bps = path->line_bps;
	r->rtt_ns = path->base_rtt_ns;
	rcc_rate_set(r, rcc_start_bps(path), min_mbps, now_ns);
	if (window && r->bps == r->line_bps)
		r->ramp_bytes = rcc_max64(rcc_in_flight(r->bps, r->rtt_ns), 1);
}

/**
 * rcc_rate_measured() - a round trip was measured
 * @r: the rate
 * @ev: ACK or RTT. Until the first decrease all that is acknowledged is added to the window, which doubles it per round trip
 */
static inline void rcc_rate_measured(struct rcc_rate *r, const struct rcc_event *ev)
{
	r->rtt_ns = ev->rtt_ns;
	if (r->ramp_bytes)
		r->ramp_bytes += ev->bytes;
}

/**
 * rcc_rate_reached() - the rate that a decrease starts from
 * @r: the rate
 *
 * Before the first decrease that is what the window let through: the line rate was never reached where something else is
 * slower.
 *
 * Return: bits per second.
 */
static inline u64 rcc_rate_reached(struct rcc_rate *r)
{
	u64 ramp_bytes = rcc_min64(r->ramp_bytes, 1ULL << 30);

	r->ramp_bytes = 0;
	if (!ramp_bytes)
		return r->bps;
	return rcc_min64(r->bps, rcc_div64(ramp_bytes * 8 * RCC_NSEC_PER_SEC, rcc_max64(r->rtt_ns, 1)));
}

/**
 * rcc_rate_window() - how much may be in flight?
 * @r: the rate
 * @target_ns: round trip to aim at, below 2^33
 * @percent: share of rate * @target_ns, at most 1000; 0: there is no window
 *
 * Return: bytes; 0: no window.
 */
static inline u64 rcc_rate_window(const struct rcc_rate *r, u64 target_ns, u64 percent)
{
	u64 bytes = rcc_max64(rcc_percent(rcc_in_flight(r->bps, target_ns), percent), 1);

	if (!percent)
		return 0;
	return r->ramp_bytes ? rcc_min64(bytes, r->ramp_bytes) : bytes;
}

/**
 * rcc_rate_lost() - react to a loss
 * @r: the rate
 * @ev: NACK: takes @percent, once per round trip. TIMEOUT: nothing came through; takes it twice, each time
 * @percent: share of the rate to take, 0..100; 0: losses change nothing
 * @min_mbps: least rate
 */
static inline void rcc_rate_lost(struct rcc_rate *r, const struct rcc_event *ev, u64 percent, u64 min_mbps)
{
	u64 bps;

	if (!percent || (ev->type == RCC_EV_NACK && ev->now_ns < r->react_ns + r->rtt_ns))
		return;
	bps = rcc_percent(rcc_rate_reached(r), 100 - percent);
	if (ev->type == RCC_EV_TIMEOUT)
		bps = rcc_percent(bps, 100 - percent);
	rcc_rate_set(r, bps, min_mbps, ev->now_ns);
}

#endif /* RCC_RATE_H */
