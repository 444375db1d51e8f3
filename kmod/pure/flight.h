/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a QP has on its way to the peer: requests that left and are not acknowledged, each with the time when it left.
 *
 *	sent		-> [una ... oldest ... newest ... nxt)
 *	ACK of a PSN	-> all up to it are acknowledged; if the packet of this very PSN was timed, a round trip is over
 *	going back	-> all from a PSN on will be sent again: they are no more on their way
 *
 * A packet that is sent again is never timed, since its ACK may be the first one's (Karn). An ACK that stands for several
 * packets times the newest of them only: the others waited at the peer. A READ request takes as many PSNs as its response
 * has packets; its round trip ends with the first of these.
 *
 * The entries stand in a ring in the order in which they left, which is that of their PSNs. rxe leaves at most 128 PSNs
 * unacknowledged, so the ring does not fill; if it did, the newest entry would stand for what follows, untimed.
 */
#ifndef RCC_FLIGHT_H
#define RCC_FLIGHT_H

#include "psn.h"

#define RCC_FLIGHT_ENTRIES	128

/**
 * struct rcc_sent - a request on its way
 * @left_ns: when it left; 0: not timed
 * @psn: its PSN; of a READ whose response has begun, the next one that is awaited
 * @end: PSN behind it
 * @bytes: on the wire, the READ's response included, below 2^31
 */
struct rcc_sent {
	u64 left_ns;
	u32 psn;
	u32 end;
	u32 bytes;
};

/**
 * struct rcc_flight - all requests on their way
 * @first: index of the oldest
 * @count: how many
 * @bytes: their bytes on the wire
 * @sent: the ring
 */
struct rcc_flight {
	u32 first;
	u32 count;
	u64 bytes;
	struct rcc_sent sent[RCC_FLIGHT_ENTRIES];
};

/**
 * struct rcc_acked - what an acknowledgment says
 * @bytes: newly acknowledged, on the wire
 * @packets: newly acknowledged requests; 1 if only a part of one is
 * @rtt_ns: round trip of the newest; 0: not known
 */
struct rcc_acked {
	u64 bytes;
	u32 packets;
	u64 rtt_ns;
};

/**
 * rcc_flight_reset() - nothing is on its way
 * @f: the QP's
 */
static inline void rcc_flight_reset(struct rcc_flight *f)
{
	f->first = 0;
	f->count = 0;
	f->bytes = 0;
}

static inline struct rcc_sent *rcc_flight_at(struct rcc_flight *f, u32 i)
{
	return &f->sent[(f->first + i) % RCC_FLIGHT_ENTRIES];
}

/**
 * rcc_flight_has() - is a request still on its way?
 * @f: the QP's
 * @psn: its PSN, of one that left
 *
 * Return: true if it is not acknowledged.
 */
static inline bool rcc_flight_has(const struct rcc_flight *f, u32 psn)
{
	return f->count && rcc_psn_diff(psn, f->sent[f->first].psn) >= 0;
}

/**
 * rcc_flight_sent() - a request leaves
 * @f: the QP's
 * @now_ns: time
 * @psn: its PSN, behind all others on their way
 * @psns: how many PSNs it takes, at least 1
 * @bytes: its size on the wire, the READ's response included
 * @timed: false if it was sent before
 */
static inline void rcc_flight_sent(struct rcc_flight *f, u64 now_ns, u32 psn, u32 psns, u32 bytes, bool timed)
{
	struct rcc_sent *s;

	if (f->count == RCC_FLIGHT_ENTRIES) {
		s = rcc_flight_at(f, f->count - 1);
		bytes = rcc_min64(bytes, 0x7fffffffU - s->bytes);
		s->end = rcc_psn_add(psn, psns);
		s->bytes += bytes;
		s->left_ns = 0;
		f->bytes += bytes;
		return;
	}
	f->bytes += bytes;
	s = rcc_flight_at(f, f->count++);
	s->left_ns = timed ? now_ns : 0;
	s->psn = psn;
	s->end = rcc_psn_add(psn, psns);
	s->bytes = bytes;
}

/* The part of a READ whose response has come up to @psn: in proportion to its PSNs. */
static inline u32 rcc_flight_part(struct rcc_sent *s, u32 psn)
{
	u32 left = rcc_psn_diff(s->end, s->psn), came = rcc_psn_diff(psn, s->psn) + 1;
	u32 part = rcc_div64((u64)s->bytes * came, left);

	s->psn = rcc_psn_add(psn, 1);
	s->bytes -= part;
	s->left_ns = 0;
	return part;
}

/**
 * rcc_flight_acked() - the peer has everything up to a PSN
 * @f: the QP's
 * @now_ns: time
 * @psn: PSN of an ACK or READ response, or the one before that of a NAK
 * @acked: filled in; all 0 if the PSN says nothing new
 */
static inline void rcc_flight_acked(struct rcc_flight *f, u64 now_ns, u32 psn, struct rcc_acked *acked)
{
	struct rcc_sent *s;

	acked->bytes = 0;
	acked->packets = 0;
	acked->rtt_ns = 0;
	while (f->count) {
		s = rcc_flight_at(f, 0);
		if (rcc_psn_diff(psn, s->psn) < 0)
			break;
		if (s->psn == psn && s->left_ns && now_ns > s->left_ns)
			acked->rtt_ns = now_ns - s->left_ns;
		acked->packets++;
		if (rcc_psn_diff(s->end, psn) > 1) {
			acked->bytes += rcc_flight_part(s, psn);
			break;
		}
		acked->bytes += s->bytes;
		f->first = (f->first + 1) % RCC_FLIGHT_ENTRIES;
		f->count--;
	}
	f->bytes -= acked->bytes;
}

/**
 * rcc_flight_back() - what was sent from a PSN on will be sent again
 * @f: the QP's
 * @psn: the sender goes back to it
 */
static inline void rcc_flight_back(struct rcc_flight *f, u32 psn)
{
	struct rcc_sent *s;

	while (f->count) {
		s = rcc_flight_at(f, f->count - 1);
		if (rcc_psn_diff(s->end, psn) <= 0)
			return;
		f->bytes -= s->bytes;
		f->count--;
	}
}

#endif /* RCC_FLIGHT_H */
