/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The receiver's side of a sequence: packets come in any order, twice or never, and leave once and in order.
 *
 *	next            high
 *	 |               |
 *	 . x x . . x . x          x: has come, waits; .: missing
 *
 *	in order	-> goes at once, and with it whatever waited for it
 *	ahead		-> waits, or goes at once if the sender says that it may (RCC_TR_ACK)
 *	behind, twice	-> thrown away
 *	a gap too old	-> given up: what waits behind it goes
 *
 * And what to tell the sender: everything up to next, which of those beyond, and which came with CE.
 */
#ifndef RCC_REORDER_H
#define RCC_REORDER_H

#include "linkwire.h"

/* the window, 64 packets before it, and up to a power of two */
#define RCC_REORDER_CE_WORDS	(2 * RCC_LINK_WORDS)

enum rcc_reorder_verdict {
	RCC_REORDER_NOW,	/* in order: hand it on, then what rcc_reorder_pop() gives */
	RCC_REORDER_EARLY,	/* hand it on, although others are missing */
	RCC_REORDER_WAIT,	/* kept */
	RCC_REORDER_TWICE,	/* it has come before */
	RCC_REORDER_BEYOND,	/* further ahead than the window, or further behind than any honest packet: not noted */
};

/**
 * union rcc_reorder_slot - a place in the window
 * @pkt: of a packet that waits: the caller's; NULL: it went early
 * @missed_ns: of one that is missing: since when it is known to
 */
union rcc_reorder_slot {
	void *pkt;
	u64 missed_ns;
};

/**
 * struct rcc_reorder - the receiver's window
 * @next: the packet awaited: all before it have gone, or were given up
 * @high: behind the highest packet that has come; @next if none waits
 * @waiting: packets that wait in @slot
 * @dups: packets that came twice
 * @pending: packets that have come since the last report
 * @echo_twice: @echo_seq is one that came twice
 * @echo_seq: the one that came last, or, since the last report, twice
 * @echo_time_ns: the time in its trailer
 * @echo_at_ns: when it came
 * @gap_ns: when the gap at @next was seen first; 0: there is none
 * @rcvd: which have come, a ring by sequence number
 * @ce: which came with CE, the same and 64 before @next
 * @slot: a ring as well; counts between @next and @high
 */
struct rcc_reorder {
	u32 next;
	u32 high;
	u32 waiting;
	u32 dups;
	u32 pending;
	bool echo_twice;
	u32 echo_seq;
	u32 echo_time_ns;
	u64 echo_at_ns;
	u64 gap_ns;
	u64 rcvd[RCC_LINK_WORDS];
	u64 ce[RCC_REORDER_CE_WORDS];
	union rcc_reorder_slot slot[RCC_LINK_WINDOW];
};

void rcc_reorder_init(struct rcc_reorder *r, u32 first);
enum rcc_reorder_verdict rcc_reorder_add(struct rcc_reorder *r, u64 now_ns, const struct rcc_trailer *t, bool ce, void *pkt);
void *rcc_reorder_pop(struct rcc_reorder *r, u64 now_ns);
u32 rcc_reorder_give_up(struct rcc_reorder *r);
void *rcc_reorder_purge(struct rcc_reorder *r);
void rcc_reorder_report(struct rcc_reorder *r, u64 now_ns, struct rcc_sack_msg *m);

/* Has any packet come that is beyond one that is missing? */
static inline bool rcc_reorder_gap(const struct rcc_reorder *r)
{
	return r->high != r->next;
}

#endif /* RCC_REORDER_H */
