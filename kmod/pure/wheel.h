/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flows ordered by departure time: a timing wheel with constant cost per operation, whatever the number of flows.
 *
 *	time --->   | slot | slot | slot | ...  4096 slots of 4.096 us = 16.8 ms, then round again
 *	               |      |
 *	             flow   flow - flow		intrusive rings, oldest first
 *
 * A flow stands in the first slot that begins at or after its time, so it never leaves early and at most one slot late.
 * Times beyond the horizon stand in the last slot and are put in again when it comes up. Two levels of bitmap find the
 * next slot that is not empty. (The idea is Carousel's, SIGCOMM 2017.) The caller locks.
 */
#ifndef RCC_WHEEL_H
#define RCC_WHEEL_H

#include "shim.h"

#define RCC_WHEEL_SHIFT		12
#define RCC_WHEEL_SLOTS		4096
#define RCC_WHEEL_WORDS		(RCC_WHEEL_SLOTS / 64)
#define RCC_WHEEL_NEVER		(~0ULL)

/* a ring's head or one of its members */
struct rcc_wlink {
	struct rcc_wlink *next;
	struct rcc_wlink *prev;
};

/**
 * struct rcc_wnode - one flow's place in the wheel
 * @link: ring of the slot, stands first; its next is NULL when the flow is not in the wheel
 * @when_ns: departure time
 * @slot: slot that it stands in
 */
struct rcc_wnode {
	struct rcc_wlink link;
	u64 when_ns;
	u32 slot;
};

/**
 * struct rcc_wheel - the wheel
 * @cur: absolute number (time >> RCC_WHEEL_SHIFT) of the oldest slot that may hold a flow
 * @count: flows in the wheel
 * @words: which words of @map are not zero
 * @map: which slots are not empty
 * @slots: heads of the rings
 */
struct rcc_wheel {
	u64 cur;
	u32 count;
	u64 words;
	u64 map[RCC_WHEEL_WORDS];
	struct rcc_wlink slots[RCC_WHEEL_SLOTS];
};

static inline void rcc_wheel_init(struct rcc_wheel *w, u64 now_ns)
{
	u32 i;

	memset(w, 0, sizeof(*w));
	w->cur = now_ns >> RCC_WHEEL_SHIFT;
	for (i = 0; i < RCC_WHEEL_SLOTS; i++) {
		w->slots[i].next = &w->slots[i];
		w->slots[i].prev = &w->slots[i];
	}
}

static inline bool rcc_wheel_queued(const struct rcc_wnode *n)
{
	return n->link.next;
}

/**
 * rcc_wheel_add() - put a flow in
 * @w: the wheel
 * @n: the flow, not in any wheel
 * @now_ns: time
 * @when_ns: its departure time; the past counts as now
 */
static inline void rcc_wheel_add(struct rcc_wheel *w, struct rcc_wnode *n, u64 now_ns, u64 when_ns)
{
	u64 abs = (when_ns >> RCC_WHEEL_SHIFT) + !!(when_ns & ((1U << RCC_WHEEL_SHIFT) - 1));
	struct rcc_wlink *head;

	if (!w->count)
		w->cur = rcc_max64(w->cur, now_ns >> RCC_WHEEL_SHIFT);
	abs = rcc_clamp64(abs, w->cur, w->cur + RCC_WHEEL_SLOTS - 1);
	n->when_ns = when_ns;
	n->slot = abs % RCC_WHEEL_SLOTS;
	head = &w->slots[n->slot];
	n->link.next = head;
	n->link.prev = head->prev;
	head->prev->next = &n->link;
	head->prev = &n->link;
	w->map[n->slot / 64] |= 1ULL << n->slot % 64;
	w->words |= 1ULL << n->slot / 64;
	w->count++;
}

/**
 * rcc_wheel_del() - take a flow out
 * @w: the wheel
 * @n: a flow in @w
 */
static inline void rcc_wheel_del(struct rcc_wheel *w, struct rcc_wnode *n)
{
	struct rcc_wlink *head = &w->slots[n->slot];

	n->link.prev->next = n->link.next;
	n->link.next->prev = n->link.prev;
	n->link.next = NULL;
	n->link.prev = NULL;
	if (head->next == head) {
		w->map[n->slot / 64] &= ~(1ULL << n->slot % 64);
		if (!w->map[n->slot / 64])
			w->words &= ~(1ULL << n->slot / 64);
	}
	w->count--;
}

/* First slot that is not empty, from @from upwards and round the corner; the wheel is not empty. */
static inline u32 rcc_wheel_scan(const struct rcc_wheel *w, u32 from)
{
	u32 word = from / 64;
	u64 bits = w->map[word] & ~0ULL << from % 64;
	u64 above = word == 63 ? 0 : w->words & ~0ULL << (word + 1);

	if (!bits) {
		/* nothing above: the lowest word, which may be the one we began with */
		word = __builtin_ctzll(above ? above : w->words);
		bits = w->map[word];
	}
	return word * 64 + __builtin_ctzll(bits);
}

/**
 * rcc_wheel_next() - when is something due?
 * @w: the wheel
 *
 * Return: start of the first slot that is not empty, in ns, or RCC_WHEEL_NEVER.
 */
static inline u64 rcc_wheel_next(const struct rcc_wheel *w)
{
	u32 from = w->cur % RCC_WHEEL_SLOTS;

	if (!w->count)
		return RCC_WHEEL_NEVER;
	return (w->cur + (rcc_wheel_scan(w, from) - from) % RCC_WHEEL_SLOTS) << RCC_WHEEL_SHIFT;
}

/**
 * rcc_wheel_pop() - take out the first flow that is due
 * @w: the wheel
 * @now_ns: time
 *
 * A flow whose time lay beyond the horizon may come out early: compare its when_ns.
 *
 * Return: the flow, no longer in the wheel, or NULL if none is due.
 */
static inline struct rcc_wnode *rcc_wheel_pop(struct rcc_wheel *w, u64 now_ns)
{
	u64 next = rcc_wheel_next(w);
	struct rcc_wnode *n;

	if (next > now_ns) {
		w->cur = rcc_max64(w->cur, now_ns >> RCC_WHEEL_SHIFT);
		return NULL;
	}
	w->cur = next >> RCC_WHEEL_SHIFT;
	n = (struct rcc_wnode *)w->slots[w->cur % RCC_WHEEL_SLOTS].next;
	rcc_wheel_del(w, n);
	return n;
}

#endif /* RCC_WHEEL_H */
