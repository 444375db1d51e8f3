// SPDX-License-Identifier: GPL-2.0
/* The receiver's window: packets in any order, twice or never, and what is told of them. */
#include "reorder.h"
#include "test.h"

#define FIRST	0xfffffff0u	/* numbers wrap 16 packets later */
#define WINDOW	RCC_LINK_WINDOW

static struct rcc_reorder r;
static char pkts[4 * WINDOW];	/* the packet of number FIRST + i is &pkts[i] */

static enum rcc_reorder_verdict add_flags(u64 now, u32 i, bool ce, u8 flags)
{
	struct rcc_trailer t = { .seq = FIRST + i, .time_ns = 7 * i, .flags = flags };

	return rcc_reorder_add(&r, now, &t, ce, &pkts[i % sizeof(pkts)]);
}

static enum rcc_reorder_verdict add(u64 now, u32 i)
{
	return add_flags(now, i, false, 0);
}

static void expect_pop(u64 now, u32 i)
{
	EXPECT(rcc_reorder_pop(&r, now) == &pkts[i]);
}

static void expect_empty(u64 now)
{
	EXPECT(!rcc_reorder_pop(&r, now));
}

TEST("Packets in order go at once, across the wrap of numbers")
{
	u32 i;

	rcc_reorder_init(&r, FIRST);
	for (i = 0; i < 3 * WINDOW; i++) {
		EXPECT_EQ(add(i + 1, i), RCC_REORDER_NOW);
		expect_empty(i + 1);
		EXPECT(!rcc_reorder_gap(&r));
		EXPECT_EQ(r.gap_ns, 0);
	}
	EXPECT_EQ(r.next, FIRST + 3 * WINDOW);
	EXPECT_EQ(r.pending, 3 * WINDOW);
}

TEST("A packet ahead waits, and leaves in order when the missing one comes")
{
	rcc_reorder_init(&r, FIRST);
	EXPECT_EQ(add(10, 2), RCC_REORDER_WAIT);
	EXPECT_EQ(add(20, 1), RCC_REORDER_WAIT);
	EXPECT_EQ(add(30, 4), RCC_REORDER_WAIT);
	EXPECT(rcc_reorder_gap(&r));
	EXPECT_EQ(r.waiting, 3);
	expect_empty(30);
	EXPECT_EQ(add(40, 0), RCC_REORDER_NOW);
	expect_pop(40, 1);
	expect_pop(40, 2);
	expect_empty(40);
	EXPECT_EQ(r.waiting, 1);
	EXPECT(rcc_reorder_gap(&r));
	EXPECT_EQ(add(50, 3), RCC_REORDER_NOW);
	expect_pop(50, 4);
	expect_empty(50);
	EXPECT(!rcc_reorder_gap(&r));
}

TEST("A gap's age counts from the first packet that came beyond it, also for a gap behind another")
{
	rcc_reorder_init(&r, FIRST);
	add(10, 3);	/* 0, 1, 2 are missing */
	EXPECT_EQ(r.gap_ns, 10);
	add(20, 6);	/* 4, 5 as well */
	EXPECT_EQ(r.gap_ns, 10);
	add(30, 1);
	add(40, 0);
	expect_pop(40, 1);
	expect_empty(40);
	EXPECT_EQ(r.gap_ns, 10);
	add(50, 2);
	expect_pop(50, 3);
	expect_empty(50);
	EXPECT_EQ(r.gap_ns, 20);
	add(60, 4);
	expect_empty(60);
	EXPECT_EQ(r.gap_ns, 20);
	add(70, 5);
	expect_pop(70, 6);
	expect_empty(70);
	EXPECT_EQ(r.gap_ns, 0);
}

TEST("An ACK ahead goes at once, and is passed over when its turn comes")
{
	rcc_reorder_init(&r, FIRST);
	EXPECT_EQ(add_flags(1, 1, false, RCC_TR_ACK), RCC_REORDER_EARLY);
	EXPECT_EQ(add(2, 2), RCC_REORDER_WAIT);
	EXPECT_EQ(add_flags(3, 3, false, RCC_TR_ACK), RCC_REORDER_EARLY);
	EXPECT_EQ(r.waiting, 1);
	EXPECT_EQ(add_flags(4, 1, false, RCC_TR_ACK), RCC_REORDER_TWICE);
	EXPECT_EQ(add_flags(5, 0, false, RCC_TR_ACK), RCC_REORDER_NOW);
	expect_pop(5, 2);
	expect_empty(5);
	EXPECT_EQ(r.next, FIRST + 4);
	EXPECT_EQ(r.waiting, 0);
	EXPECT(!rcc_reorder_gap(&r));
}

TEST("A packet that comes twice is thrown away and counted, whether it waits or has gone")
{
	rcc_reorder_init(&r, FIRST);
	add(1, 0);
	add(2, 2);
	EXPECT_EQ(add(3, 0), RCC_REORDER_TWICE);
	EXPECT_EQ(add(4, 2), RCC_REORDER_TWICE);
	EXPECT_EQ(r.dups, 2);
	EXPECT_EQ(r.waiting, 1);
	EXPECT_EQ(r.pending, 4);
}

TEST("Beyond the window, or more than two windows behind, nothing is noted")
{
	struct rcc_reorder before;
	u32 i;

	rcc_reorder_init(&r, FIRST);
	EXPECT_EQ(add(1, WINDOW - 1), RCC_REORDER_WAIT);
	before = r;
	EXPECT_EQ(add(2, WINDOW), RCC_REORDER_BEYOND);
	EXPECT_EQ(add(2, WINDOW + 1000000), RCC_REORDER_BEYOND);
	EXPECT(!memcmp(&r, &before, sizeof(r)));
	for (i = 0; i < 3 * WINDOW; i++) {
		add(3, i);
		rcc_reorder_pop(&r, 3);
	}
	while (rcc_reorder_pop(&r, 3))
		;
	EXPECT_EQ(r.next, FIRST + 3 * WINDOW);
	EXPECT_EQ(add(4, WINDOW), RCC_REORDER_TWICE);
	before = r;
	EXPECT_EQ(add(5, WINDOW - 1), RCC_REORDER_BEYOND);
	EXPECT(!memcmp(&r, &before, sizeof(r)));
}

TEST("A gap given up is passed, and its packets are thrown away if they come after all")
{
	rcc_reorder_init(&r, FIRST);
	EXPECT_EQ(rcc_reorder_give_up(&r), 0);
	add(10, 3);
	add(20, 5);
	EXPECT_EQ(rcc_reorder_give_up(&r), 3);
	expect_pop(30, 3);
	expect_empty(30);
	EXPECT_EQ(r.gap_ns, 20);
	EXPECT_EQ(add(40, 1), RCC_REORDER_TWICE);
	EXPECT_EQ(rcc_reorder_give_up(&r), 1);
	expect_pop(50, 5);
	expect_empty(50);
	EXPECT(!rcc_reorder_gap(&r));
	EXPECT_EQ(rcc_reorder_give_up(&r), 0);
}

TEST("A purge gives back what waits, lowest number first, and leaves an empty window")
{
	rcc_reorder_init(&r, FIRST);
	add(1, 30);
	add_flags(1, 7, false, RCC_TR_ACK);
	add(1, 5);
	add(1, WINDOW - 1);
	EXPECT(rcc_reorder_purge(&r) == &pkts[5]);
	EXPECT(rcc_reorder_purge(&r) == &pkts[30]);
	EXPECT(rcc_reorder_purge(&r) == &pkts[WINDOW - 1]);
	EXPECT(!rcc_reorder_purge(&r));
	EXPECT_EQ(r.waiting, 0);
	EXPECT(!rcc_reorder_gap(&r));
	EXPECT_EQ(add(2, WINDOW), RCC_REORDER_NOW);
}

static bool bit(const u64 *words, u32 i)
{
	return words[i / 64] >> i % 64 & 1;
}

TEST("A report says what has come, with no more words than needed, and with CE of 64 packets that have gone")
{
	struct rcc_sack_msg m;
	u32 i;

	rcc_reorder_init(&r, FIRST);
	for (i = 0; i < 100; i++)
		add_flags(i + 1, i, i % 3 == 0, 0);
	rcc_reorder_report(&r, 150, &m);
	EXPECT_EQ(m.cum, FIRST + 100);
	EXPECT_EQ(m.words, 0);
	EXPECT_EQ(m.echo_seq, FIRST + 99);
	EXPECT_EQ(m.echo_time_ns, 7 * 99);
	EXPECT_EQ(m.delay_ns, 50);
	for (i = 36; i < 100; i++)
		EXPECT_EQ(bit(m.ce, i - 36), i % 3 == 0);
	EXPECT_EQ(r.pending, 0);

	add_flags(200, 101, true, 0);
	add_flags(200, 100 + 63, false, 0);
	rcc_reorder_report(&r, 200, &m);
	EXPECT_EQ(m.words, 1);
	EXPECT_EQ(m.rcvd[0], 1ULL << 1 | 1ULL << 63);
	EXPECT_EQ(m.ce[1], 1ULL << 1);
	add_flags(200, 100 + 64, true, 0);
	add_flags(200, 100 + WINDOW - 1, true, 0);
	rcc_reorder_report(&r, 200, &m);
	EXPECT_EQ(m.words, RCC_LINK_WORDS);
	EXPECT_EQ(m.rcvd[1], 1);
	EXPECT_EQ(m.rcvd[RCC_LINK_WORDS - 1], 1ULL << 63);
	EXPECT_EQ(m.ce[2], 1);
	EXPECT_EQ(m.ce[RCC_LINK_WORDS], 1ULL << 63);
}

TEST("The echo is of the packet that came last, but one that came twice stays until the report")
{
	struct rcc_sack_msg m;

	rcc_reorder_init(&r, FIRST);
	add(1, 0);
	add(2, 1);
	add(3, 0);
	add(4, 2);
	rcc_reorder_report(&r, 5, &m);
	EXPECT_EQ(m.echo_seq, FIRST);
	EXPECT_EQ(m.delay_ns, 2);
	EXPECT_EQ(m.dups, 1);
	add(6, 3);
	rcc_reorder_report(&r, 7, &m);
	EXPECT_EQ(m.echo_seq, FIRST + 3);
}

/* A model without rings: one entry per number. */
static struct {
	bool come[1 << 20], ce[1 << 20], early[1 << 20];
	u32 next, high;
} model;

static void expect_report(u64 now)
{
	struct rcc_sack_msg m;
	u32 i;

	rcc_reorder_report(&r, now, &m);
	EXPECT_EQ(m.cum, FIRST + model.next);
	EXPECT_EQ(m.words, (model.high - model.next + 63) / 64);
	for (i = 0; i < 64 * m.words; i++)
		EXPECT_EQ(bit(m.rcvd, i), model.come[model.next + i]);
	for (i = 0; i < 64 * (m.words + 1); i++)
		EXPECT_EQ(bit(m.ce, i), i + model.next >= 64 && model.ce[model.next + i - 64]);
}

/* What leaves now must be the next ones of the model that have come and not gone early. */
static void expect_drained(u64 now)
{
	void *pkt;

	while ((pkt = rcc_reorder_pop(&r, now))) {
		while (model.early[model.next])
			model.next++;
		EXPECT(model.come[model.next] && pkt == &pkts[model.next % sizeof(pkts)]);
		model.next++;
	}
	while (model.come[model.next])
		model.next++;
	EXPECT_EQ(r.next, FIRST + model.next);
}

TEST("It agrees with a model of one entry per number over half a million packets in wild order")
{
	u64 seed = 9, now = 1;
	u32 given_up = 0, waited = 0;

	memset(&model, 0, sizeof(model));
	rcc_reorder_init(&r, FIRST);
	for (; now < 500000; now++) {
		u32 spread = test_random(&seed) % 100 ? 40 : WINDOW, i = model.next + test_random(&seed) % spread;
		bool ce = test_random(&seed) % 2, ack = test_random(&seed) % 8 == 0;
		enum rcc_reorder_verdict v = add_flags(now, i, ce, ack ? RCC_TR_ACK : 0);

		if (model.come[i]) {
			EXPECT_EQ(v, RCC_REORDER_TWICE);
			continue;
		}
		EXPECT_EQ(v, i == model.next ? RCC_REORDER_NOW : ack ? RCC_REORDER_EARLY : RCC_REORDER_WAIT);
		model.come[i] = true;
		model.ce[i] = ce;
		model.early[i] = v == RCC_REORDER_EARLY;
		model.high = i >= model.high ? i + 1 : model.high;
		waited += v == RCC_REORDER_WAIT;
		if (v == RCC_REORDER_NOW)
			model.next++;
		if (test_random(&seed) % 64 == 0) {
			u32 skipped = rcc_reorder_give_up(&r);

			given_up += skipped;
			for (; skipped; skipped--)
				EXPECT(!model.come[model.next++]);
		}
		expect_drained(now);
		EXPECT_EQ(rcc_reorder_gap(&r), model.high != model.next);
		if (now % 64 == 0)
			expect_report(now);
	}
	EXPECT(given_up > 3000 && waited > 100000);
}
