// SPDX-License-Identifier: GPL-2.0
/* The QP table against a flat array. */
#include "qptab.h"
#include "test.h"

#define QPS	10000

static struct rcc_qptab table;
static struct rcc_qpent ent[QPS];

TEST("QPs of one bucket are found, each by its own number, in whatever order they go")
{
	static const uint32_t gone[] = { 2, 0, 4, 1, 3 };
	uint32_t i, j;

	memset(&table, 0, sizeof(table));
	for (i = 0; i < 5; i++) {
		ent[i].qpn = 17 + i * RCC_QPTAB_BUCKETS;
		rcc_qptab_add(&table, &ent[i]);
	}
	for (i = 0; i < 5; i++) {
		EXPECT(rcc_qptab_find(&table, 17 + gone[i] * RCC_QPTAB_BUCKETS) == &ent[gone[i]]);
		rcc_qptab_del(&table, &ent[gone[i]]);
		EXPECT(!rcc_qptab_find(&table, 17 + gone[i] * RCC_QPTAB_BUCKETS));
		for (j = i + 1; j < 5; j++)
			EXPECT(rcc_qptab_find(&table, 17 + gone[j] * RCC_QPTAB_BUCKETS) == &ent[gone[j]]);
	}
	EXPECT(!table.bucket[17]);
}

TEST("An entry taken out still leads a reader that stands on it to the rest of the chain")
{
	memset(&table, 0, sizeof(table));
	ent[0].qpn = 5;
	ent[1].qpn = 5 + RCC_QPTAB_BUCKETS;
	rcc_qptab_add(&table, &ent[0]);
	rcc_qptab_add(&table, &ent[1]);
	rcc_qptab_del(&table, &ent[1]);
	EXPECT(ent[1].next == &ent[0]);
}

TEST("10,000 QPs with a million random comings and goings are found when in, and not when out")
{
	static bool in[QPS];
	uint64_t seed = 7;
	uint32_t i, n;

	memset(&table, 0, sizeof(table));
	memset(in, 0, sizeof(in));
	/* distinct 24-bit numbers, from 17 on as rxe deals them, with every third far away */
	for (i = 0; i < QPS; i++)
		ent[i].qpn = i % 3 ? 17 + i : 0xffffff - i * 64;
	for (n = 0; n < 1000000; n++) {
		i = test_random(&seed) % QPS;
		EXPECT(rcc_qptab_find(&table, ent[i].qpn) == (in[i] ? &ent[i] : NULL));
		if (test_random(&seed) % 2)
			continue;
		if (in[i])
			rcc_qptab_del(&table, &ent[i]);
		else
			rcc_qptab_add(&table, &ent[i]);
		in[i] = !in[i];
	}
	for (i = 0; i < QPS; i++)
		EXPECT(rcc_qptab_find(&table, ent[i].qpn) == (in[i] ? &ent[i] : NULL));
	EXPECT(!rcc_qptab_find(&table, 3));
}

TEST("Whoever goes through a bucket by number finds each QP that stays once, though others come and go")
{
	static const uint32_t order[] = { 3, 0, 4, 1, 2 };
	uint32_t i, from = 0, found = 0;
	struct rcc_qpent *e;

	memset(&table, 0, sizeof(table));
	for (i = 0; i < 7; i++)
		ent[i].qpn = 9 + i * RCC_QPTAB_BUCKETS;
	for (i = 0; i < 5; i++)
		rcc_qptab_add(&table, &ent[order[i]]);
	while ((e = rcc_qptab_next(&table, 9, from))) {
		EXPECT_EQ(e->qpn, ent[found].qpn);
		from = e->qpn + 1;
		found++;
		/* behind the reader one goes, at the head of the chain one comes that is still ahead of it */
		if (found == 2) {
			rcc_qptab_del(&table, &ent[0]);
			rcc_qptab_add(&table, &ent[5]);
		}
	}
	EXPECT_EQ(found, 6);
	EXPECT(!rcc_qptab_next(&table, 10, 0));
	EXPECT(!rcc_qptab_next(&table, 9, ent[6].qpn));
}
