// SPDX-License-Identifier: GPL-2.0
/* The timing wheel against a sorted list. */
#include "wheel.h"
#include "test.h"

#define SLOT_NS		(1ULL << RCC_WHEEL_SHIFT)
#define HORIZON_NS	(SLOT_NS * RCC_WHEEL_SLOTS)
#define FLOWS		48
#define OPS		3000000

struct flow {
	struct rcc_wnode node;
	uint64_t when;
	uint64_t order;		/* of being put in */
	bool queued;
	bool beyond;		/* its time lay beyond the horizon when it was put in */
	struct flow *next;	/* the model: all queued flows by time */
};

static struct rcc_wheel wheel;
static struct flow flows[FLOWS], *sorted;
static uint64_t seed, now, count, order;

static uint64_t round_up(uint64_t ns)
{
	return (ns + SLOT_NS - 1) / SLOT_NS * SLOT_NS;
}

static void begin(uint64_t start)
{
	memset(flows, 0, sizeof(flows));
	sorted = NULL;
	seed = 42;
	now = start;
	count = 0;
	order = 0;
	rcc_wheel_init(&wheel, now);
}

static void put(struct flow *f, uint64_t when)
{
	struct flow **pp = &sorted;

	while (*pp && (*pp)->when <= when)
		pp = &(*pp)->next;
	f->next = *pp;
	*pp = f;
	f->when = when;
	f->queued = true;
	f->order = order++;
	count++;
	rcc_wheel_add(&wheel, &f->node, now, when);
	f->beyond = round_up(when) / SLOT_NS > wheel.cur + RCC_WHEEL_SLOTS - 1;
}

static void forget(struct flow *f)
{
	struct flow **pp = &sorted;

	while (*pp != f)
		pp = &(*pp)->next;
	*pp = f->next;
	f->queued = false;
	count--;
}

/* Take out all that is due; what stood beyond the horizon goes back in, as the pacer does it. */
static uint32_t drain(void)
{
	uint64_t last_order = 0;
	uint32_t last_slot = RCC_WHEEL_SLOTS, left = 0;
	struct rcc_wnode *n;

	while ((n = rcc_wheel_pop(&wheel, now))) {
		struct flow *f = (struct flow *)n;

		EXPECT(f->queued);
		EXPECT(!rcc_wheel_queued(n));
		EXPECT_EQ(n->when_ns, f->when);
		if (n->slot == last_slot)
			EXPECT(f->order > last_order);
		last_slot = n->slot;
		last_order = f->order;
		forget(f);
		if (f->when > now) {
			EXPECT(f->beyond);
			put(f, f->when);
			last_slot = RCC_WHEEL_SLOTS;
			continue;
		}
		left++;
	}
	if (sorted)
		EXPECT(round_up(sorted->when) > now);
	return left;
}

static void expect_consistent(void)
{
	uint64_t next = rcc_wheel_next(&wheel);

	EXPECT_EQ(wheel.count, count);
	if (!sorted)
		EXPECT_EQ(next, RCC_WHEEL_NEVER);
	else
		EXPECT(next <= round_up(sorted->when) || next <= now);
}

static uint64_t random_time(void)
{
	switch (test_random(&seed) % 8) {
	case 0:
		return now - test_random(&seed) % (2 * HORIZON_NS);
	case 1:
		return now;
	case 2:
		return now + test_random(&seed) % (3 * HORIZON_NS);
	case 3:
		return now + HORIZON_NS - 2 * SLOT_NS + test_random(&seed) % (4 * SLOT_NS);
	case 4:
		return now + test_random(&seed) % HORIZON_NS;
	default:
		return now + test_random(&seed) % (50 * SLOT_NS);
	}
}

static uint64_t random_step(void)
{
	switch (test_random(&seed) % 64) {
	case 0:
		return test_random(&seed) % (3 * HORIZON_NS);
	case 1:
		return HORIZON_NS;
	default:
		return test_random(&seed) % (3 * SLOT_NS);
	}
}

TEST("Three million random operations agree with a sorted list: none early, none more than a slot late")
{
	uint32_t i, left = 0;

	begin(1ULL << 40);
	for (i = 0; i < OPS; i++) {
		struct flow *f = &flows[test_random(&seed) % FLOWS];

		if (f->queued && test_random(&seed) % 4 == 0) {
			rcc_wheel_del(&wheel, &f->node);
			EXPECT(!rcc_wheel_queued(&f->node));
			forget(f);
		} else if (!f->queued) {
			put(f, random_time());
			EXPECT(rcc_wheel_queued(&f->node));
		}
		expect_consistent();
		if (test_random(&seed) % 4)
			continue;
		now += random_step();
		left += drain();
		expect_consistent();
	}
	EXPECT(left > OPS / 50);
}

TEST("Woken at the time the wheel names, each flow leaves within one slot of its own time")
{
	uint32_t i, left = 0;

	begin(12345);
	for (i = 0; i < FLOWS; i++)
		put(&flows[i], now + test_random(&seed) % (2 * HORIZON_NS));
	while (wheel.count) {
		uint64_t first = sorted->when;

		now = rcc_wheel_next(&wheel);
		if (drain()) {
			EXPECT(now >= first && now - first < SLOT_NS);
			left++;
		}
	}
	EXPECT(left > FLOWS / 2);
	EXPECT(!sorted);
}

TEST("A flow at each slot comes out in order, all the way round the corner")
{
	static struct rcc_wnode node[RCC_WHEEL_SLOTS];
	uint64_t start = (3 * RCC_WHEEL_SLOTS + 4000) * SLOT_NS;
	uint32_t i;

	rcc_wheel_init(&wheel, start);
	for (i = 0; i < RCC_WHEEL_SLOTS; i++)
		rcc_wheel_add(&wheel, &node[(i * 2731) % RCC_WHEEL_SLOTS], start,
			      start + (i * 2731) % RCC_WHEEL_SLOTS * SLOT_NS);
	EXPECT_EQ(wheel.count, RCC_WHEEL_SLOTS);
	for (i = 0; i < RCC_WHEEL_SLOTS; i++) {
		EXPECT_EQ(rcc_wheel_next(&wheel), start + i * SLOT_NS);
		EXPECT(!rcc_wheel_pop(&wheel, start + i * SLOT_NS - 1));
		EXPECT(rcc_wheel_pop(&wheel, start + i * SLOT_NS) == &node[i]);
	}
	EXPECT_EQ(rcc_wheel_next(&wheel), RCC_WHEEL_NEVER);
}

TEST("A wheel that stood empty for days takes a flow at its right time")
{
	uint64_t days = 3 * 86400 * RCC_NSEC_PER_SEC + 777;
	struct rcc_wnode n = { 0 };

	rcc_wheel_init(&wheel, 0);
	rcc_wheel_add(&wheel, &n, days, days + 10000);
	EXPECT(!rcc_wheel_pop(&wheel, days + 9999));
	EXPECT_EQ(rcc_wheel_next(&wheel), round_up(days + 10000));
	EXPECT(rcc_wheel_pop(&wheel, days + 10000 + SLOT_NS - 1) == &n);
}

TEST("A time in the past, and one that a careless caller made of zero, are due now")
{
	struct rcc_wnode n = { 0 };
	uint64_t start = 100 * SLOT_NS + 5;

	rcc_wheel_init(&wheel, start);
	rcc_wheel_add(&wheel, &n, start, 0);
	EXPECT(rcc_wheel_pop(&wheel, start) == &n);
	rcc_wheel_add(&wheel, &n, start, 99 * SLOT_NS);
	EXPECT(rcc_wheel_pop(&wheel, start) == &n);
}

TEST("The farthest time there is stands at the horizon and is not due at once")
{
	struct rcc_wnode n = { 0 };

	rcc_wheel_init(&wheel, 0);
	rcc_wheel_add(&wheel, &n, 0, ~0ULL);
	EXPECT(!rcc_wheel_pop(&wheel, HORIZON_NS - 2 * SLOT_NS));
	EXPECT(rcc_wheel_pop(&wheel, HORIZON_NS) == &n);
	EXPECT_EQ(n.when_ns, ~0ULL);
}

TEST("Taking out one of two flows in a slot leaves the other, taking out both leaves nothing")
{
	struct rcc_wnode a = { 0 }, b = { 0 };

	rcc_wheel_init(&wheel, 0);
	rcc_wheel_add(&wheel, &a, 0, 5 * SLOT_NS);
	rcc_wheel_add(&wheel, &b, 0, 5 * SLOT_NS);
	rcc_wheel_del(&wheel, &a);
	EXPECT_EQ(rcc_wheel_next(&wheel), 5 * SLOT_NS);
	rcc_wheel_del(&wheel, &b);
	EXPECT_EQ(rcc_wheel_next(&wheel), RCC_WHEEL_NEVER);
	EXPECT_EQ(wheel.words, 0);
	EXPECT(!rcc_wheel_pop(&wheel, 100 * SLOT_NS));
}
