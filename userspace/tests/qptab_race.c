// SPDX-License-Identifier: GPL-2.0
/*
 * Readers of the QP table race with a writer, under ThreadSanitizer.
 *
 * A grace period is what it is in the kernel: every reader has passed a moment in which it held no entry. An entry's
 * record is spoiled after the grace period and made whole before it goes in again, so a reader that sees one spoiled,
 * or a table that publishes too early, shows.
 */
#include <pthread.h>

#include "qptab.h"

#define TEST_MAIN
#include "test.h"

#define READERS	2
#define ENTRIES	64
#define ROUNDS	20000
#define BATCH	100
#define WHOLE	0x600df00d

struct record {
	struct rcc_qpent ent;
	uint32_t sound;
	bool leaving;	/* out of the table, its grace period not over */
};

static struct rcc_qptab table;
static struct record records[ENTRIES];
static uint64_t quiet[READERS];
static uint32_t bad, found, stop;

/* all in two buckets, so that the chains are long */
static uint32_t qpn_of(uint32_t i)
{
	return 7 + i % 2 + (i / 2) * RCC_QPTAB_BUCKETS;
}

static void *reader(void *arg)
{
	uint64_t *my_quiet = arg, seed = 1 + (uintptr_t)arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		uint32_t qpn = qpn_of(test_random(&seed) % ENTRIES);
		struct record *r = (struct record *)rcc_qptab_find(&table, qpn);

		if (r) {
			__atomic_fetch_add(&found, 1, __ATOMIC_RELAXED);
			if (r->sound != WHOLE || r->ent.qpn != qpn)
				__atomic_fetch_add(&bad, 1, __ATOMIC_RELAXED);
		}
		__atomic_fetch_add(my_quiet, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void grace_period(void)
{
	uint64_t before[READERS];
	int i;

	for (i = 0; i < READERS; i++)
		before[i] = __atomic_load_n(&quiet[i], __ATOMIC_ACQUIRE);
	for (i = 0; i < READERS; i++)
		while (__atomic_load_n(&quiet[i], __ATOMIC_ACQUIRE) < before[i] + 2)
			sched_yield();
}

static void spoil_leaving(void)
{
	struct record *r;

	grace_period();
	for (r = records; r < records + ENTRIES; r++)
		if (r->leaving)
			memset(r, 0, sizeof(*r));
}

TEST("Readers never see an entry half made or spoiled while a writer puts in and takes out")
{
	pthread_t thread[READERS];
	uint64_t seed = 99;
	uint32_t i, n;

	for (i = 0; i < READERS; i++)
		EXPECT(!pthread_create(&thread[i], NULL, reader, &quiet[i]));
	for (n = 0; n < ROUNDS; n++) {
		struct record *r = &records[test_random(&seed) % ENTRIES];

		if (!r->sound) {
			r->ent.qpn = qpn_of(r - records);
			r->sound = WHOLE;
			rcc_qptab_add(&table, &r->ent);
		} else if (!r->leaving) {
			rcc_qptab_del(&table, &r->ent);
			r->leaving = true;
		}
		if (n % BATCH == 0)
			spoil_leaving();
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < READERS; i++)
		pthread_join(thread[i], NULL);
	EXPECT_EQ(bad, 0);
	EXPECT(found > 1000);
}
