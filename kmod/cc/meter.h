/* SPDX-License-Identifier: GPL-2.0 */
/* What can be seen of a flow from its sender: how large its packets are, how fast they leave, how fast marked ones arrive. */
#ifndef RCC_METER_H
#define RCC_METER_H

#include "cc.h"

#define RCC_METER_WINDOW_NS	1000000	/* the rate sent is measured over at most that */

/**
 * struct rcc_meter - measurements of one flow
 * @window_ns: begin of the window in which bytes are counted
 * @window_bytes: sent since then
 * @mark_ns: when the last mark was told of; 0: none yet
 * @mark_gap_ns: mean time between marks, smoothed by 1/4
 * @packet_bytes: mean size of packets sent, smoothed by 1/8
 * @marked_bytes: in marked packets, by their mean size, since enough of them came last
 */
struct rcc_meter {
	u64 window_ns;
	u64 window_bytes;
	u64 mark_ns;
	u64 mark_gap_ns;
	u32 packet_bytes;
	u32 marked_bytes;
};

/**
 * rcc_meter_sent() - packets left
 * @m: the meter
 * @ev: a TX event; several packets told of at once have the weight of one, of their mean size
 */
static inline void rcc_meter_sent(struct rcc_meter *m, const struct rcc_event *ev)
{
	u32 bytes = ev->packets > 1 ? ev->bytes / ev->packets : ev->bytes;

	m->packet_bytes = m->packet_bytes ? (7 * m->packet_bytes + bytes) / 8 : bytes;
	if (ev->now_ns - m->window_ns > RCC_METER_WINDOW_NS) {
		m->window_ns = ev->now_ns;
		m->window_bytes = 0;
	}
	m->window_bytes += ev->bytes;
}

/**
 * rcc_meter_sent_bps() - at which rate do packets leave?
 * @m: the meter
 * @now_ns: time
 * @least_ns: least length of a window that tells anything
 *
 * Return: that rate, or 2^64 - 1 if the window is too short or too long ago to tell.
 */
static inline u64 rcc_meter_sent_bps(const struct rcc_meter *m, u64 now_ns, u64 least_ns)
{
	u64 ns = now_ns - m->window_ns;

	if (ns < least_ns || ns > 2 * RCC_METER_WINDOW_NS)
		return ~0ULL;
	return rcc_div64(m->window_bytes * 8 * 1000, rcc_max64(rcc_div64(ns, 1000), 1)) * 1000;
}

/**
 * rcc_meter_marked() - the peer said that a packet arrived marked
 * @m: the meter
 * @now_ns: time; one read a little before the last mark's is no gap
 * @enough_bytes: so many bytes in marked packets are worth an answer
 *
 * Return: true if that many have come together; then they count anew.
 */
static inline bool rcc_meter_marked(struct rcc_meter *m, u64 now_ns, u64 enough_bytes)
{
	u64 mark_ns = rcc_max64(now_ns, m->mark_ns);
	u64 gap_ns = mark_ns - m->mark_ns;

	if (m->mark_ns)
		m->mark_gap_ns = m->mark_gap_ns ? (3 * m->mark_gap_ns + gap_ns) / 4 : gap_ns;
	m->mark_ns = mark_ns;
	m->marked_bytes += m->packet_bytes;
	if (m->marked_bytes < enough_bytes)
		return false;
	m->marked_bytes = 0;
	return true;
}

/**
 * rcc_meter_marked_bps() - at which rate do marked packets arrive?
 * @m: the meter
 *
 * Return: that rate, or 0 if it is not known.
 */
static inline u64 rcc_meter_marked_bps(const struct rcc_meter *m)
{
	return m->mark_gap_ns ? rcc_div64((u64)m->packet_bytes * 8 * RCC_NSEC_PER_SEC, m->mark_gap_ns) : 0;
}

/**
 * rcc_meter_packets_ns() - how long are some packets at a rate?
 * @m: the meter
 * @n: how many, below 2^10
 * @bps: the rate
 *
 * Return: time that so many packets of the mean size take.
 */
static inline u64 rcc_meter_packets_ns(const struct rcc_meter *m, u64 n, u64 bps)
{
	return rcc_div64(n * m->packet_bytes * 8 * RCC_NSEC_PER_SEC, rcc_max64(bps, 1));
}

#endif /* RCC_METER_H */
