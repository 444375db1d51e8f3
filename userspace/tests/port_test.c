// SPDX-License-Identifier: GPL-2.0
/* A switch port's decisions: marking curve, shared buffer, priorities, PFC. */
#include "port.h"
#include "test.h"

static const struct rcc_ecn hpcc_100g = { .kmin_bytes = 400000, .kmax_bytes = 1600000, .pmax_permille = 200 };

/* Share of packets that leave @queue_bytes behind and are marked. */
static double marked(const struct rcc_ecn *ecn, u64 queue_bytes)
{
	uint64_t seed = 7;
	u32 n = 0, i;

	for (i = 0; i < 200000; i++)
		n += rcc_port_mark(ecn, queue_bytes, test_random(&seed) >> 32);
	return n / 200000.0;
}

TEST("Nothing is marked up to Kmin, everything above Kmax")
{
	EXPECT(!rcc_port_mark(&hpcc_100g, 0, 0));
	EXPECT(!rcc_port_mark(&hpcc_100g, 400000, 0));
	EXPECT(rcc_port_mark(&hpcc_100g, 400100, 0));
	EXPECT(!rcc_port_mark(&hpcc_100g, 1600000, ~0U));
	EXPECT(rcc_port_mark(&hpcc_100g, 1600001, ~0U));
}

TEST("Between Kmin and Kmax the share of marks rises in a line to Pmax")
{
	EXPECT_NEAR(marked(&hpcc_100g, 460000), 0.01, 0.001);
	EXPECT_NEAR(marked(&hpcc_100g, 1000000), 0.1, 0.003);
	EXPECT_NEAR(marked(&hpcc_100g, 1300000), 0.15, 0.004);
	EXPECT_NEAR(marked(&hpcc_100g, 1600000), 0.2, 0.004);
}

TEST("Pmax of 1 marks every packet at Kmax, and of 0 none")
{
	struct rcc_ecn ecn = { .kmin_bytes = 0, .kmax_bytes = 1ULL << 31, .pmax_permille = 1000 };

	EXPECT(rcc_port_mark(&ecn, 1ULL << 31, ~0U));
	EXPECT_NEAR(marked(&ecn, 1ULL << 30), 0.5, 0.005);
	ecn.pmax_permille = 0;
	EXPECT(!rcc_port_mark(&ecn, 1ULL << 31, 0));
}

TEST("With Kmin equal to Kmax the port is a step, as DCTCP wants it")
{
	struct rcc_ecn ecn = { .kmin_bytes = 5000, .kmax_bytes = 5000, .pmax_permille = 1000 };

	EXPECT(!rcc_port_mark(&ecn, 5000, 0));
	EXPECT(rcc_port_mark(&ecn, 5001, ~0U));
}

TEST("A queue alone takes alpha / (1 + alpha) of the buffer, or all of it without alpha")
{
	struct rcc_buffer b = { .size_bytes = 900000, .alpha_8 = 16 };
	u64 queue = 0;

	for (; rcc_port_admit(&b, queue, 1000); queue += 1000)
		b.used_bytes += 1000;
	EXPECT_EQ(queue, 600000);
	b = (struct rcc_buffer){ .size_bytes = 900000 };
	for (queue = 0; rcc_port_admit(&b, queue, 1000); queue += 1000)
		b.used_bytes += 1000;
	EXPECT_EQ(queue, 900000);
}

TEST("Two full queues with alpha 1 have a third of the buffer each, and a third stays free for others")
{
	struct rcc_buffer b = { .size_bytes = 900000, .alpha_8 = RCC_ALPHA_ONE };
	u64 queue[2] = { 0 };
	u32 i;

	for (i = 0; i < 2000; i++) {
		if (!rcc_port_admit(&b, queue[i % 2], 1000))
			continue;
		queue[i % 2] += 1000;
		b.used_bytes += 1000;
	}
	EXPECT_EQ(queue[0], 300000);
	EXPECT_EQ(queue[1], 300000);
	EXPECT(rcc_port_admit(&b, 0, 1000));
}

TEST("A buffer is never filled beyond its size, whatever alpha says")
{
	struct rcc_buffer b = { .size_bytes = 10000, .used_bytes = 9500, .alpha_8 = 1024 };

	EXPECT(rcc_port_admit(&b, 0, 500));
	EXPECT(!rcc_port_admit(&b, 0, 501));
	b.used_bytes = 20000;
	EXPECT(!rcc_port_admit(&b, 0, 1));
}

TEST("Control goes before data, a paused priority does not go, and nothing goes of nothing")
{
	u32 control = 1 << RCC_PRIO_CONTROL, data = 1 << RCC_PRIO_DATA;

	EXPECT_EQ(rcc_port_next(control | data, 0), RCC_PRIO_CONTROL);
	EXPECT_EQ(rcc_port_next(data, 0), RCC_PRIO_DATA);
	EXPECT_EQ(rcc_port_next(control | data, data), RCC_PRIO_CONTROL);
	EXPECT_EQ(rcc_port_next(data, data), -1);
	EXPECT_EQ(rcc_port_next(0, 0), -1);
}

/* An ingress with a 10000-byte headroom and alpha 1 in a buffer of 100000. */
static struct rcc_buffer pfc_buffer = { .size_bytes = 100000 };
static const struct rcc_ingress pfc_ingress = {
	.headroom_bytes = 10000, .xon_offset_bytes = 3000, .alpha_8 = RCC_ALPHA_ONE,
};

TEST("XOFF comes at the threshold, the headroom takes what follows, and only then is something dropped")
{
	struct rcc_buffer b = pfc_buffer;
	struct rcc_ingress in = pfc_ingress;
	u32 n = 0;

	for (; !rcc_ingress_xoff(&b, &in); n++)
		EXPECT(rcc_ingress_add(&b, &in, 1000));
	EXPECT_EQ(n, 50);
	in.paused = true;
	EXPECT(!rcc_ingress_xoff(&b, &in));
	for (n = 0; rcc_ingress_add(&b, &in, 1000); n++)
		;
	EXPECT_EQ(n, 10);
	EXPECT_EQ(in.shared_bytes + in.headroom_used_bytes, 60000);
}

TEST("XON comes when the headroom is empty and the ingress is well below the threshold, once")
{
	struct rcc_buffer b = pfc_buffer;
	struct rcc_ingress in = pfc_ingress;
	u32 n = 0;

	while (rcc_ingress_add(&b, &in, 1000))
		;
	in.paused = true;
	for (; !rcc_ingress_xon(&b, &in); n++)
		rcc_ingress_del(&b, &in, 1000);
	/* 50 + 10 packets were in; 48 left in the shared buffer leave a threshold of 52 */
	EXPECT_EQ(n, 12);
	EXPECT_EQ(in.headroom_used_bytes, 0);
	in.paused = false;
	EXPECT(!rcc_ingress_xon(&b, &in));
}

TEST("What came in and went out again leaves nothing behind, for a million random steps")
{
	struct rcc_buffer b = pfc_buffer;
	struct rcc_ingress in[2] = { pfc_ingress, pfc_ingress };
	u64 held[2] = { 0 };
	uint64_t seed = 3;
	u32 i;

	for (i = 0; i < 1000000; i++) {
		u32 which = test_random(&seed) % 2, bytes = 1 + test_random(&seed) % 4000;

		if (test_random(&seed) % 2 && rcc_ingress_add(&b, &in[which], bytes)) {
			held[which] += bytes;
		} else if (held[which] >= bytes) {
			rcc_ingress_del(&b, &in[which], bytes);
			held[which] -= bytes;
		}
		EXPECT_EQ(in[which].shared_bytes + in[which].headroom_used_bytes, held[which]);
		EXPECT_EQ(b.used_bytes, in[0].shared_bytes + in[1].shared_bytes);
		EXPECT(b.used_bytes <= b.size_bytes && in[which].headroom_used_bytes <= in[which].headroom_bytes);
	}
	for (i = 0; i < 2; i++)
		rcc_ingress_del(&b, &in[i], held[i]);
	EXPECT_EQ(b.used_bytes, 0);
}
