/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sender's side of a sequence: what is on its way, what has come, what is lost and goes again.
 *
 *	una                      nxt
 *	 |                        |
 *	 f  a  f  L  a  f  f  f           f: flying, a: has come, L: found lost, waits to be sent again
 *
 * A packet is found lost by time, not by count, because paths differ (RACK, RFC 8985, is the idea): one sent later has come, by
 * the same path, and since it left more than that path's round trip and the reordering degree have passed; or one by another
 * path, and more than the longest round trip that is to be expected; or nothing at all has come for that long (a tail: then
 * the oldest packet goes again, with ever longer pauses). The degree is learnt: it is the longest time by which a packet was
 * overtaken on its path and came all the same, and it grows when a repeat turns out to have been for nothing.
 *
 * Round trips come from the echo in SACKs, which says which sending of a packet came, so repeats are measured like others.
 */
#ifndef RCC_SACK_H
#define RCC_SACK_H

#include "linkwire.h"

#define RCC_PATHS_MAX		64
/* how long the receiver may keep a SACK back: while anything is missing or marked; of data in order; of ACKs only */
#define RCC_SACK_DELAY_NS	250000ULL
#define RCC_SACK_IDLE_NS	2000000ULL
#define RCC_SACK_ACK_DELAY_NS	3000000ULL

#define RCC_SACK_NEVER		(~0ULL)

/* states of a packet */
enum {
	RCC_SACK_FLYING = 1,
	RCC_SACK_LOST,		/* waits to be sent again */
	RCC_SACK_GONE,		/* lost, and cannot be sent again */
	RCC_SACK_CAME,
};

/**
 * struct rcc_sack_ent - a packet that is not acknowledged up to
 * @pkt: the caller's; NULL: it could not be kept, or has come
 * @sent_ns: when it left, last time
 * @bytes: on the wire
 * @path: by which path, last time
 * @state: RCC_SACK_*
 * @tries: how often it has left, at most 255
 * @ack: an ACK: the receiver takes longer to say that it came
 */
struct rcc_sack_ent {
	void *pkt;
	u64 sent_ns;
	u32 bytes;
	u8 path;
	u8 state;
	u8 tries;
	bool ack;
};

/**
 * struct rcc_sack_path - what is known of a path's times
 * @newest_ns: when the latest packet left that has come by it; 0: none yet
 * @srtt_ns: smoothed round trip; 0: none measured
 * @rttvar_ns: its mean deviation
 */
struct rcc_sack_path {
	u64 newest_ns;
	u64 srtt_ns;
	u64 rttvar_ns;
};

/**
 * struct rcc_sack - the sender's window
 * @una: all packets before it have come
 * @nxt: number of the next packet
 * @lost: packets in state RCC_SACK_LOST
 * @flying: packets in state RCC_SACK_FLYING
 * @flying_bytes: their bytes
 * @srtt_ns: smoothed round trip over all paths, peer's delay not included; 0: none measured
 * @rttvar_ns: its mean deviation
 * @min_rtt_ns: the least; 0: none measured
 * @reo_ns: reordering degree
 * @max_wait_ns: no packet waits longer than this, or two round trips, to be found lost
 * @due_ns: nothing can be found lost before; RCC_SACK_NEVER: nothing flies
 * @newest_ns: when the latest packet left that has come, by any path
 * @heard_ns: when the latest SACK or trailer came
 * @dups: packets that came twice, as the receiver said last
 * @silences: how often in a row silence alone has had a packet taken for lost
 * @reordered: @reo_ns was learnt, and is not what we began with
 * @looking: a look at all that flies has not come to its end
 * @look: the next packet that it will look at
 * @oldest: of those that it has seen, the one that left first
 * @oldest_ns: when; RCC_SACK_NEVER: none seen
 * @look_due_ns: when the next of those may be lost
 * @unsure: paths, as bits, with packets whose time has come without any evidence
 * @silence_ns: when silence had a packet taken for lost last
 * @widen_ns: @reo_ns is not doubled before
 * @decay_ns: @reo_ns does not shrink before
 * @come: which have come, a ring by sequence number
 * @untold: of which it is not known whether they came with CE, since only a trailer has told of them, the same
 * @again: which are in state RCC_SACK_LOST, the same
 * @path: by path
 * @ent: a ring by sequence number
 */
struct rcc_sack {
	u32 una;
	u32 nxt;
	u32 lost;
	u32 flying;
	u64 flying_bytes;
	u64 srtt_ns;
	u64 rttvar_ns;
	u64 min_rtt_ns;
	u64 reo_ns;
	u64 max_wait_ns;
	u64 due_ns;
	u64 newest_ns;
	u64 heard_ns;
	u32 dups;
	u32 silences;
	bool reordered;
	bool looking;
	u32 look;
	u32 oldest;
	u64 oldest_ns;
	u64 look_due_ns;
	u64 unsure;
	u64 silence_ns;
	u64 widen_ns;
	u64 decay_ns;
	u64 come[RCC_LINK_WORDS];
	u64 untold[RCC_LINK_WORDS];
	u64 again[RCC_LINK_WORDS];
	struct rcc_sack_path path[RCC_PATHS_MAX];
	struct rcc_sack_ent ent[RCC_LINK_WINDOW];
};

/**
 * struct rcc_sack_news - what a SACK brought, apart from single packets
 * @rtt_ns: round trip of the packet that it echoes, without the peer's delay; 0: not measured
 * @rtt_path: its path
 * @spurious: repeats that turn out to have been for nothing
 */
struct rcc_sack_news {
	u64 rtt_ns;
	u32 rtt_path;
	u32 spurious;
};

/**
 * struct rcc_sack_done - a packet that has come
 * @pkt: the caller's again; may be NULL
 * @bytes: on the wire; 0: it was told of before, and only its CE is news
 * @path: by which path it left last
 * @ce: it came with CE
 */
struct rcc_sack_done {
	void *pkt;
	u32 bytes;
	u32 path;
	bool ce;
};

/**
 * struct rcc_sack_loss - a packet that was found lost
 * @seq: its number
 * @path: the path that lost it
 * @timeout: by time alone: nothing that left later has come
 */
struct rcc_sack_loss {
	u32 seq;
	u32 path;
	bool timeout;
};

void rcc_sack_init(struct rcc_sack *s, u32 first, u64 max_wait_ns);

/* How many packets may still be sent. */
static inline u32 rcc_sack_room(const struct rcc_sack *s)
{
	return RCC_LINK_WINDOW - (s->nxt - s->una);
}

u32 rcc_sack_sent(struct rcc_sack *s, u64 now_ns, void *pkt, u32 bytes, u32 path, bool ack);
bool rcc_sack_take(struct rcc_sack *s, u64 now_ns, const struct rcc_sack_msg *m, struct rcc_sack_news *news);
bool rcc_sack_done(struct rcc_sack *s, u64 now_ns, const struct rcc_sack_msg *m, u32 *at, struct rcc_sack_done *done);
bool rcc_sack_cum(struct rcc_sack *s, u64 now_ns, u32 ack, struct rcc_sack_done *done);
bool rcc_sack_lost(struct rcc_sack *s, u64 now_ns, struct rcc_sack_loss *loss);
struct rcc_sack_ent *rcc_sack_repeat(struct rcc_sack *s, u32 *seq);
void rcc_sack_repeated(struct rcc_sack *s, u64 now_ns, u32 seq, u32 path);
void *rcc_sack_purge(struct rcc_sack *s);

#endif /* RCC_SACK_H */
