// SPDX-License-Identifier: GPL-2.0
/* Requests on their way: what an acknowledgment acknowledges, and which packet it times. */
#include "flight.h"
#include "test.h"

#define KB	1000
#define TOP	0xfffffeu	/* PSNs wrap two packets later */

static struct rcc_acked acked(struct rcc_flight *f, u64 now_ns, u32 psn)
{
	struct rcc_acked a;

	rcc_flight_acked(f, now_ns, psn, &a);
	return a;
}

/* Packets of 1000 bytes, the i-th at 10 * i ns. */
static void send(struct rcc_flight *f, u32 psn, u32 packets)
{
	u32 i;

	for (i = 0; i < packets; i++)
		rcc_flight_sent(f, 10 * (i + 1), rcc_psn_add(psn, i), 1, KB, true);
}

TEST("An ACK acknowledges its packet and those before, and times the one that it names")
{
	struct rcc_flight f = { 0 };
	struct rcc_acked a;

	send(&f, TOP, 5);
	EXPECT_EQ(f.bytes, 5 * KB);
	a = acked(&f, 1030, 0);
	EXPECT_EQ(a.packets, 3);
	EXPECT_EQ(a.bytes, 3 * KB);
	EXPECT_EQ(a.rtt_ns, 1000);
	EXPECT_EQ(f.bytes, 2 * KB);
	a = acked(&f, 2000, 2);
	EXPECT_EQ(a.packets, 2);
	EXPECT_EQ(a.rtt_ns, 1950);
	EXPECT_EQ(f.bytes, 0);
	EXPECT_EQ(f.count, 0);
}

TEST("An ACK that comes twice, or late, says nothing")
{
	struct rcc_flight f = { 0 };
	struct rcc_acked a;

	send(&f, 7, 4);
	acked(&f, 100, 9);
	a = acked(&f, 200, 9);
	EXPECT(!a.packets && !a.bytes && !a.rtt_ns);
	a = acked(&f, 200, 8);
	EXPECT(!a.packets && !a.bytes && !a.rtt_ns);
	EXPECT_EQ(f.bytes, KB);
}

TEST("A packet that was sent before is acknowledged but not timed; the next new one is")
{
	struct rcc_flight f = { 0 };
	struct rcc_acked a;

	rcc_flight_sent(&f, 10, 1, 1, KB, false);
	rcc_flight_sent(&f, 20, 2, 1, KB, true);
	a = acked(&f, 500, 1);
	EXPECT_EQ(a.packets, 1);
	EXPECT_EQ(a.rtt_ns, 0);
	a = acked(&f, 520, 2);
	EXPECT_EQ(a.rtt_ns, 500);
}

TEST("Going back takes off what will be sent again, and only that")
{
	struct rcc_flight f = { 0 };
	struct rcc_acked a;

	send(&f, TOP, 6);
	rcc_flight_back(&f, 1);
	EXPECT_EQ(f.bytes, 3 * KB);
	EXPECT_EQ(f.count, 3);
	rcc_flight_sent(&f, 900, 1, 1, KB, false);
	a = acked(&f, 1000, 1);
	EXPECT_EQ(a.packets, 4);
	EXPECT_EQ(a.bytes, 4 * KB);
	EXPECT_EQ(a.rtt_ns, 0);
	rcc_flight_back(&f, TOP);
	EXPECT_EQ(f.bytes, 0);
}

TEST("The first packet of a READ's response ends its round trip; each acknowledges its part")
{
	struct rcc_flight f = { 0 };
	struct rcc_acked a;

	rcc_flight_sent(&f, 100, TOP, 4, 4 * KB, true);
	rcc_flight_sent(&f, 200, 2, 1, KB, true);
	a = acked(&f, 600, TOP);
	EXPECT_EQ(a.rtt_ns, 500);
	EXPECT_EQ(a.bytes, KB);
	EXPECT_EQ(f.bytes, 4 * KB);
	a = acked(&f, 700, 0);
	EXPECT_EQ(a.rtt_ns, 0);
	EXPECT_EQ(a.bytes, 2 * KB);
	a = acked(&f, 800, 2);
	EXPECT_EQ(a.packets, 2);
	EXPECT_EQ(a.bytes, 2 * KB);
	EXPECT_EQ(a.rtt_ns, 600);
	EXPECT_EQ(f.bytes, 0);
}

TEST("A READ that is only partly answered when the sender goes back into it is off its way")
{
	struct rcc_flight f = { 0 };

	rcc_flight_sent(&f, 100, 10, 8, 8 * KB, true);
	acked(&f, 200, 12);
	EXPECT_EQ(f.bytes, 5 * KB);
	rcc_flight_back(&f, 13);
	EXPECT_EQ(f.bytes, 0);
}

TEST("Beyond its bound the ring keeps the sum, and times nothing that it cannot tell apart")
{
	struct rcc_flight f = { 0 };
	struct rcc_acked a;

	send(&f, 0, RCC_FLIGHT_ENTRIES + 10);
	EXPECT_EQ(f.bytes, (RCC_FLIGHT_ENTRIES + 10) * KB);
	a = acked(&f, 10000, RCC_FLIGHT_ENTRIES + 9);
	EXPECT_EQ(a.bytes, (RCC_FLIGHT_ENTRIES + 10) * KB);
	EXPECT_EQ(a.packets, RCC_FLIGHT_ENTRIES);
	EXPECT_EQ(a.rtt_ns, 0);
	EXPECT_EQ(f.bytes, 0);
}

/* A model without a ring: one entry per PSN. */
struct model {
	u32 una, nxt, max;
	u64 left_ns[1024];
};

TEST("It agrees with a model of one entry per PSN over a million random steps")
{
	struct rcc_flight f = { 0 };
	struct model m = { .una = TOP, .nxt = TOP, .max = TOP };
	uint64_t seed = 3, now = 1, rtts = 0, backs = 0;
	int i;

	for (i = 0; i < 1000000; i++) {
		u32 out = rcc_psn_diff(m.nxt, m.una), n;
		uint64_t dice = test_random(&seed) % 100;

		now += test_random(&seed) % 1000;
		if (dice < 60 && out < RCC_FLIGHT_ENTRIES) {
			bool fresh = m.nxt == m.max;

			rcc_flight_sent(&f, now, m.nxt, 1, KB, fresh);
			m.left_ns[m.nxt % 1024] = fresh ? now : 0;
			m.nxt = rcc_psn_add(m.nxt, 1);
			if (fresh)
				m.max = m.nxt;
		} else if (dice < 95 && out) {
			struct rcc_acked a;
			u32 psn;

			n = test_random(&seed) % out;
			psn = rcc_psn_add(m.una, n);
			a = acked(&f, now, psn);
			EXPECT_EQ(a.packets, n + 1);
			EXPECT_EQ(a.bytes, (n + 1) * KB);
			EXPECT_EQ(a.rtt_ns, m.left_ns[psn % 1024] ? now - m.left_ns[psn % 1024] : 0);
			rtts += a.rtt_ns > 0;
			m.una = rcc_psn_add(psn, 1);
		} else if (dice >= 95 && out) {
			n = test_random(&seed) % out;
			m.nxt = rcc_psn_add(m.una, n);
			rcc_flight_back(&f, m.nxt);
			backs++;
		}
		EXPECT_EQ(f.bytes, (u64)rcc_psn_diff(m.nxt, m.una) * KB);
	}
	EXPECT(rtts > 10000 && backs > 10000);
}
