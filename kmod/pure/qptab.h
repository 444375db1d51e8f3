/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A device's QPs by number: a fixed array of buckets, each a singly linked chain.
 *
 * rxe hands out QPNs one after the other, so the low bits spread them evenly and need no hash. Readers take no lock:
 * an entry is published by one store and stays whole until a grace period after it was taken out. Writers hold the
 * caller's lock.
 */
#ifndef RCC_QPTAB_H
#define RCC_QPTAB_H

#include "shim.h"

#define RCC_QPTAB_BUCKETS	4096

/**
 * struct rcc_qpent - what the table knows of a QP; stands first in the QP's record
 * @next: chain of the bucket
 * @qpn: local QP number, 24 bits
 */
struct rcc_qpent {
	struct rcc_qpent *next;
	u32 qpn;
};

/**
 * struct rcc_qptab - the table
 * @bucket: heads of the chains
 */
struct rcc_qptab {
	struct rcc_qpent *bucket[RCC_QPTAB_BUCKETS];
};

/**
 * rcc_qptab_find() - look a QP up
 * @t: the table
 * @qpn: its number
 *
 * In the kernel the caller holds rcu_read_lock(), and uses the entry no longer than that.
 *
 * Return: the entry, or NULL.
 */
static inline struct rcc_qpent *rcc_qptab_find(const struct rcc_qptab *t, u32 qpn)
{
	struct rcc_qpent *e = __atomic_load_n(&t->bucket[qpn % RCC_QPTAB_BUCKETS], __ATOMIC_ACQUIRE);

	while (e && e->qpn != qpn)
		e = __atomic_load_n(&e->next, __ATOMIC_ACQUIRE);
	return e;
}

/**
 * rcc_qptab_next() - go through the QPs of a bucket by their numbers
 * @t: the table
 * @bucket: below RCC_QPTAB_BUCKETS
 * @from: least number that is wanted
 *
 * Whoever asks again behind what it got finds each QP that stays once, whichever others come and go meanwhile. The caller
 * as for rcc_qptab_find().
 *
 * Return: the entry with the least number from @from on, or NULL.
 */
static inline struct rcc_qpent *rcc_qptab_next(const struct rcc_qptab *t, u32 bucket, u32 from)
{
	struct rcc_qpent *e, *best = NULL;

	for (e = __atomic_load_n(&t->bucket[bucket], __ATOMIC_ACQUIRE); e; e = __atomic_load_n(&e->next, __ATOMIC_ACQUIRE))
		if (e->qpn >= from && (!best || e->qpn < best->qpn))
			best = e;
	return best;
}

/**
 * rcc_qptab_add() - publish an entry
 * @t: the table; the caller holds its lock
 * @e: the entry, complete; its number is not in the table
 */
static inline void rcc_qptab_add(struct rcc_qptab *t, struct rcc_qpent *e)
{
	struct rcc_qpent **head = &t->bucket[e->qpn % RCC_QPTAB_BUCKETS];

	e->next = *head;
	__atomic_store_n(head, e, __ATOMIC_RELEASE);
}

/**
 * rcc_qptab_del() - take an entry out
 * @t: the table; the caller holds its lock
 * @e: the entry, in the table. Readers may stand on it until a grace period has passed: @e->next stays.
 */
static inline void rcc_qptab_del(struct rcc_qptab *t, struct rcc_qpent *e)
{
	struct rcc_qpent **pp = &t->bucket[e->qpn % RCC_QPTAB_BUCKETS];

	while (*pp != e)
		pp = &(*pp)->next;
	__atomic_store_n(pp, e->next, __ATOMIC_RELEASE);
}

#endif /* RCC_QPTAB_H */
