// SPDX-License-Identifier: GPL-2.0
/* DCQCN where the rules of our own profile differ: losses, floors, sizes, silence. Numbers worked out by hand. */
#include "flow.h"

TEST("A NAK and a timeout cut the rate where rp_cut_on_loss is set, and nowhere else")
{
	static const u32 loss[] = { RCC_EV_NACK, RCC_EV_TIMEOUT };
	u32 i;

	for (i = 0; i < 2; i++) {
		struct flow f;

		load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
		start(&f, 0);
		EXPECT_EQ(event(&f, loss[i], 0, 0), 100 * GBPS);
		/* nor once a CNP has come */
		EXPECT_EQ(cnp(&f, 0), 50 * GBPS);
		EXPECT_EQ(event(&f, loss[i], 50 * US, 0), 50 * GBPS);
		EXPECT_EQ(rate_at(&f, 55 * US), 75 * GBPS);
		set(&f, "rp_cut_on_loss", 1);
		start(&f, 0);
		/* a timeout takes three quarters of what is left */
		EXPECT_EQ(event(&f, loss[i], 0, 0), loss[i] == RCC_EV_NACK ? 50 * GBPS : 12500 * MBPS);
	}
}

TEST("A loss forgets the target: the rate does not come back by itself as it does after a CNP")
{
	struct flow f;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_cut_on_loss", 1);
	start(&f, 0);
	EXPECT_EQ(event(&f, RCC_EV_NACK, 0, 0), 50 * GBPS);
	EXPECT_EQ(rate_at(&f, 220 * US), 50 * GBPS);
	/* from the fifth step on both rise by 40 Mb/s, the rate by half of that at first */
	EXPECT_EQ(rate_at(&f, 275 * US), 50020 * MBPS);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 0), 50 * GBPS);
	EXPECT_EQ(rate_at(&f, 220 * US), 96875 * MBPS);
}

TEST("A NAK within the monitor period forgets the target at once and cuts when the period ends")
{
	struct flow f;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_cut_on_loss", 1);
	/* a cut alone leaves the target where it is: it would be 100 Gb/s to the end */
	set(&f, "rp_clamp_tgt_rate", 0);
	set(&f, "rp_clamp_tgt_rate_ati", 0);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 0), 50 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_NACK, 10 * US, 0), 50 * GBPS);
	EXPECT_EQ(rate_at(&f, 50 * US - 1), 50 * GBPS);
	EXPECT_EQ(rate_at(&f, 50 * US), 25 * GBPS);
	EXPECT_EQ(rate_at(&f, 105 * US), 37500 * MBPS);
	EXPECT_EQ(rate_at(&f, 160 * US), 43750 * MBPS);
}

TEST("Each timeout leaves a quarter at once, within the monitor period too, and the least rate at the least")
{
	struct flow f;
	u32 i;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_cut_on_loss", 1);
	start(&f, 0);
	EXPECT_EQ(event(&f, RCC_EV_TIMEOUT, 0, 0), 12500 * MBPS);
	EXPECT_EQ(event(&f, RCC_EV_TIMEOUT, 10 * US, 0), 3125 * MBPS);
	/* the cut that waited */
	EXPECT_EQ(rate_at(&f, 50 * US), 1562500000);
	/* half the way back to the target, which the second timeout set */
	EXPECT_EQ(rate_at(&f, 105 * US), 2343750000);
	for (i = 0; i < 20; i++)
		EXPECT(event(&f, RCC_EV_TIMEOUT, (110 + i) * US, 0) >= 100 * MBPS);
	EXPECT_EQ(f.d.rate_bps, 100 * MBPS);
	EXPECT_EQ(rate_at(&f, 300 * US), 100 * MBPS);
}

/* One packet and one CNP for it every @gap_ns, the CNP when the next packet leaves. */
static u64 marked(struct flow *f, u64 *now_ns, u64 until_ns, u64 gap_ns, u32 bytes)
{
	for (; *now_ns <= until_ns; *now_ns += gap_ns) {
		event(f, RCC_EV_TX, *now_ns, bytes);
		cnp(f, *now_ns);
	}
	return f->d.rate_bps;
}

TEST("While CNPs for packets of b bytes come every d ns, no cut goes below 70 % of b * 8 / d in auto")
{
	static const u64 gaps[] = { 400, 1000, 3340, 4000, 33400, 334000, 3340000 };
	static const u32 sizes[] = { 90, 1090, 4174 };
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(gaps); i++) {
		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			u64 floor = sizes[j] * 8 * SEC / gaps[i] * 70 / 100, now = MS, least = 10 * MBPS;
			struct flow f;
			u32 n;

			load(&f, RCC_PROFILE_AUTO, 100 * GBPS);
			start(&f, now);
			/* two CNPs make a gap, and a monitor period later every cut knows it */
			marked(&f, &now, MS + 2 * gaps[i] + 50 * US, gaps[i], sizes[j]);
			for (n = 0; n < 500; n++)
				EXPECT(marked(&f, &now, now, gaps[i], sizes[j]) >= floor);
			/* so many CNPs leave no more than that, where they come faster than the rate recovers */
			if (gaps[i] > 33400)
				continue;
			EXPECT_EQ(marked(&f, &now, now + 5 * MS, gaps[i], sizes[j]), floor > least ? floor : least);
			/* and without the rule they leave the least rate */
			set(&f, "rp_cnp_rate_floor", 0);
			EXPECT_EQ(marked(&f, &now, now + 5 * MS, gaps[i], sizes[j]), least);
		}
	}
}

TEST("In auto CNPs for packets that arrive with less than rp_min_rate end exactly at that, and stay there")
{
	struct flow f;
	u64 now = MS;
	u32 i;

	/* 1024 bytes per 600 us are 13.7 Mb/s, and 70 % of that 9.6; the increase waits for 800 us without a cut */
	load(&f, RCC_PROFILE_AUTO, 100 * GBPS);
	start(&f, now);
	for (i = 0; i < 200; i++)
		EXPECT(marked(&f, &now, now, 600 * US, 1024) >= 10 * MBPS);
	EXPECT_EQ(f.d.rate_bps, 10 * MBPS);
}

/* Packets of 12500 bytes with a CNP each every 10 us from 100 us on, up to a cut at 300 us: they arrive with 10 Gb/s. */
static u64 marked_10g(struct flow *f, u64 percent)
{
	u64 now = 100 * US;

	load(f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(f, "rp_clamp_tgt_rate", 0);
	set(f, "rp_cut_on_loss", 1);
	set(f, "rp_cnp_rate_floor", percent);
	start(f, 0);
	EXPECT_EQ(marked(f, &now, 100 * US, 10 * US, 12500), 50 * GBPS);
	EXPECT_EQ(marked(f, &now, 140 * US, 10 * US, 12500), 50 * GBPS);
	EXPECT_EQ(marked(f, &now, 150 * US, 10 * US, 12500), 25 * GBPS);
	EXPECT_EQ(marked(f, &now, 200 * US, 10 * US, 12500), 12500 * MBPS);
	return marked(f, &now, 300 * US, 10 * US, 12500);
}

TEST("The cut that would go below the floor ends on it, and below no floor where there is none")
{
	struct flow f;

	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	EXPECT_EQ(marked_10g(&f, 70), 7 * GBPS);
	EXPECT_EQ(marked_10g(&f, 1), 3125 * MBPS);
	EXPECT_EQ(marked_10g(&f, 0), 3125 * MBPS);
	/* the target is untouched by all that: the next cut is at 350 us, and 55 us later the rate goes half the way */
	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 350 * US, 12500), 10 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 405 * US, 12500), 55 * GBPS);
}

TEST("A gap between CNPs counts for a quarter of their mean")
{
	struct flow f;

	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	/* (3 * 10 us + 34 us) / 4 = 16 us: 6.25 Gb/s, from 350 us on */
	EXPECT_EQ(cnp(&f, 334 * US), 10 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 350 * US, 12500), 6250 * MBPS);
}

TEST("The floor counts packets of the mean size, in which the last one has a weight of an eighth")
{
	struct flow f;

	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	event(&f, RCC_EV_TX, 310 * US, 8000);
	/* (7 * 12500 + 8000) / 8 = 11937 bytes, every 10 us */
	EXPECT_EQ(event(&f, RCC_EV_TX, 350 * US, 8000), 9549600000);
	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	event(&f, RCC_EV_TX, 310 * US, 8000);
	event(&f, RCC_EV_TX, 311 * US, 8000);
	/* (7 * 11937 + 8000) / 8 = 11444 */
	EXPECT_EQ(event(&f, RCC_EV_TX, 350 * US, 8000), 9155200000);
	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	event(&f, RCC_EV_TX, 310 * US, 20500);
	/* (7 * 12500 + 20500) / 8 = 13500 */
	EXPECT_EQ(event(&f, RCC_EV_TX, 350 * US, 8000), 10800 * MBPS);
}

TEST("The mean size comes down to that of the packets, and up to seven bytes below it")
{
	struct flow f;
	u32 i;

	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	for (i = 0; i < 200; i++)
		event(&f, RCC_EV_TX, 310 * US, 8000);
	EXPECT_EQ(event(&f, RCC_EV_TX, 350 * US, 8000), 6400 * MBPS);
	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	for (i = 0; i < 200; i++)
		event(&f, RCC_EV_TX, 310 * US, 20000);
	/* whole bytes: an eighth of 7 is nothing */
	EXPECT_EQ(event(&f, RCC_EV_TX, 350 * US, 20000), 15994400000);
}

/* A packet and its CNP @n times, 50 us apart: how often that lowered the rate; it never raised it. */
static u32 cuts(struct flow *f, u64 *now_ns, u32 n, u32 bytes)
{
	u32 count = 0;

	while (n--) {
		u64 before = event(f, RCC_EV_TX, *now_ns, bytes), after = cnp(f, *now_ns);

		EXPECT(after <= before);
		count += after < before;
		*now_ns += 50 * US;
	}
	return count;
}

/* auto, but cuts begin at the line rate, and leave what they leave */
static void load_sizes(struct flow *f, u64 cnp_bytes)
{
	load(f, RCC_PROFILE_AUTO, 100 * GBPS);
	set(f, "rp_clamp_to_sent", 0);
	set(f, "rp_cnp_rate_floor", 0);
	set(f, "rp_time_reset", 131071);
	set(f, "rp_cnp_bytes", cnp_bytes);
	start(f, 0);
}

TEST("Messages of 64 bytes, 110 on the wire, are cut once per ten CNPs in auto, and once per CNP in cx")
{
	struct flow f;
	u64 now = 0;
	u32 i;

	load(&f, RCC_PROFILE_AUTO, 100 * GBPS);
	set(&f, "rp_clamp_to_sent", 0);
	start(&f, 0);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(cuts(&f, &now, 9, 110), 0);
		EXPECT_EQ(cuts(&f, &now, 1, 110), 1);
		if (i < 2)
			EXPECT_EQ(f.d.rate_bps, 50 * GBPS >> i);
	}
	/* with all the rules of auto: 110 bytes per 50 us are less than ten times the least rate, so that is cut */
	load(&f, RCC_PROFILE_AUTO, 100 * GBPS);
	now = 0;
	start(&f, 0);
	EXPECT_EQ(cuts(&f, &now, 9, 110), 0);
	EXPECT_EQ(f.d.rate_bps, 100 * GBPS);
	EXPECT_EQ(cuts(&f, &now, 1, 110), 1);
	EXPECT_EQ(f.d.rate_bps, 50 * MBPS);
	load(&f, RCC_PROFILE_CX, 100 * GBPS);
	now = 0;
	start(&f, 0);
	EXPECT_EQ(cuts(&f, &now, 30, 110), 30);
}

TEST("So many CNPs make a cut as have rp_cnp_bytes of packets between them, and from that size on each one does")
{
	static const struct {
		u64 cnp_bytes;
		u32 bytes;
		u32 cnps;
	} want[] = {
		{ 1024, 4174, 1 }, { 1024, 1102, 1 }, { 1024, 1024, 1 }, { 1024, 1023, 2 }, { 1024, 512, 2 },
		{ 1024, 511, 3 }, { 1024, 342, 3 }, { 1024, 341, 4 }, { 1024, 90, 12 }, { 1024, 65536, 1 },
		{ 65535, 4174, 16 }, { 65535, 65535, 1 }, { 1, 1, 1 }, { 2, 1, 2 }, { 0, 1, 1 }, { 0, 110, 1 },
		{ 0, 4174, 1 },
	};
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		struct flow f;
		u64 now = 0;

		load_sizes(&f, want[i].cnp_bytes);
		for (n = 0; n < 4; n++) {
			EXPECT_EQ(cuts(&f, &now, want[i].cnps - 1, want[i].bytes), 0);
			EXPECT_EQ(cuts(&f, &now, 1, want[i].bytes), 1);
			if (!n)
				EXPECT_EQ(f.d.rate_bps, 50 * GBPS);
		}
	}
}

TEST("CNPs count by the mean size, so a large packet among small ones changes little")
{
	struct flow f;
	u64 now = 0;

	load_sizes(&f, 1024);
	EXPECT_EQ(cuts(&f, &now, 10, 110), 1);
	/* (7 * 110 + 4174) / 8 = 618; then (7 * 618 + 110) / 8 = 554: 1172 bytes */
	EXPECT_EQ(cuts(&f, &now, 1, 4174), 0);
	EXPECT_EQ(cuts(&f, &now, 1, 110), 1);
	/* 498, 449 and 406: 1353 bytes; the 148 beyond 1024 are forgotten */
	EXPECT_EQ(cuts(&f, &now, 2, 110), 0);
	EXPECT_EQ(cuts(&f, &now, 1, 110), 1);
}

TEST("Before a packet was sent CNPs change nothing in auto, and everything where each one counts")
{
	struct flow f;
	u64 t;

	load(&f, RCC_PROFILE_AUTO, 100 * GBPS);
	start(&f, 0);
	for (t = 0; t < 10 * MS; t += 10 * US)
		EXPECT_EQ(cnp(&f, t), 100 * GBPS);
	EXPECT_EQ(cnp(&f, 3600 * SEC), 100 * GBPS);
	/* the first packet counts whole, and so does its CNP */
	EXPECT_EQ(event(&f, RCC_EV_TX, 3601 * SEC, 4174), 100 * GBPS);
	EXPECT_EQ(cnp(&f, 3601 * SEC + 10 * US), 50 * GBPS);
	/* a loss needs no packet */
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 3 * MS), 100 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_NACK, 3 * MS, 0), 50 * GBPS);
	set(&f, "rp_cnp_bytes", 0);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 3 * MS), 50 * GBPS);
}

TEST("A CNP that does not count is none for alpha, and no cut waits for it")
{
	double alpha = 1;
	struct flow f;
	u64 now = 0;
	u32 i;

	load_sizes(&f, 1024);
	set(&f, "rp_dce_tcp_rtt", 300);
	EXPECT_EQ(cuts(&f, &now, 10, 110), 1);
	/* the cut was at 450 us; the next nine CNPs come from 500 us to 900 us */
	EXPECT_EQ(cuts(&f, &now, 9, 110), 0);
	EXPECT_EQ(rate_at(&f, 3449 * US), 50 * GBPS);
	/* in ten periods of 300 us only the first has seen one */
	for (i = 1; i < 10; i++)
		alpha *= 1020.0 / 1024;
	EXPECT_NEAR(cnp(&f, 3450 * US), 50e9 * (1 - alpha / 2), 2e6);
}

TEST("The floor holds for cuts by losses, but lifts no rate above the target")
{
	struct flow f;

	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_NACK, 350 * US, 0), 10 * GBPS);
	/* a timeout takes its three quarters from there, and what is left is the target */
	EXPECT_EQ(event(&f, RCC_EV_TIMEOUT, 360 * US, 0), 2500 * MBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 400 * US, 12500), 2500 * MBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 455 * US, 12500), 2500 * MBPS);
}

TEST("A cut that fell due in silence knows nothing of the packet or the CNP that ends the silence")
{
	struct flow f;

	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 360 * US, 125), 10 * GBPS);
	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	EXPECT_EQ(cnp(&f, 390 * US), 10 * GBPS);
}

TEST("A CNP whose time was read a little before the last one's does not take the floor away")
{
	struct flow f;
	u64 now = 100 * US;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_clamp_tgt_rate", 0);
	set(&f, "rp_cnp_rate_floor", 100);
	start(&f, 0);
	EXPECT_EQ(marked(&f, &now, 300 * US, US, 1250), 10 * GBPS);
	cnp(&f, 296 * US);
	/* three gaps of 1 us and one of none: 750 ns */
	EXPECT_EQ(event(&f, RCC_EV_TX, 350 * US, 1250), 13333333333);
	/* two such CNPs are no gap yet, and the first gap begins at the later one */
	start(&f, 0);
	event(&f, RCC_EV_TX, 90 * US, 12500);
	cnp(&f, 100 * US);
	cnp(&f, 98 * US);
	cnp(&f, 110 * US);
	EXPECT_EQ(event(&f, RCC_EV_TX, 150 * US, 12500), 25 * GBPS);
	cnp(&f, 150 * US);
	EXPECT_EQ(event(&f, RCC_EV_TX, 200 * US, 12500), 12500 * MBPS);
	cnp(&f, 150 * US);
	/* 10, 40 and 0 us: (3 * 17.5 us + 0) / 4 = 13.125 us */
	EXPECT_EQ(event(&f, RCC_EV_TX, 250 * US, 12500), 7619047619);
}

TEST("With rp_clamp_to_sent the first CNP cuts from what was sent, if that is known and lower")
{
	struct flow f;
	u64 t;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_clamp_to_sent", 1);
	start(&f, 0);
	for (t = 0; t < 500 * US; t += US)
		event(&f, RCC_EV_TX, t, 1250);
	EXPECT_NEAR(cnp(&f, 500 * US), 5e9, 1e7);
	/* too short to say anything */
	start(&f, 0);
	event(&f, RCC_EV_TX, 0, 1250);
	EXPECT_EQ(cnp(&f, 49 * US), 50 * GBPS);
	/* more than the line: the caller's clock and ours differ a little */
	start(&f, 0);
	event(&f, RCC_EV_TX, 0, 10000000);
	EXPECT_EQ(cnp(&f, 100 * US), 50 * GBPS);
}

TEST("A sent rate below ten times rp_min_rate counts as that much when the first CNP cuts from it")
{
	struct flow f;
	u64 t;

	/* the least rate is 10 Mb/s; 1024 bytes in 500 us are 16.4 Mb/s */
	load(&f, RCC_PROFILE_AUTO, 100 * GBPS);
	start(&f, 0);
	event(&f, RCC_EV_TX, 0, 1024);
	EXPECT_EQ(cnp(&f, 500 * US), 50 * MBPS);
	/* no other cut knows of it: this one, 290 us later, would leave 70 % of 28.2 Mb/s */
	EXPECT_EQ(cnp(&f, 790 * US), 25 * MBPS);
	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_clamp_to_sent", 1);
	start(&f, 0);
	/* nothing sent at all, and the least rate is 100 Mb/s */
	EXPECT_EQ(cnp(&f, 100 * US), 500 * MBPS);
	EXPECT_EQ(rate_at(&f, 155 * US), 750 * MBPS);
	/* 999.2 Mb/s are below, 1 Gb/s and 2 Gb/s are not */
	start(&f, 0);
	event(&f, RCC_EV_TX, 0, 12490);
	EXPECT_EQ(cnp(&f, 100 * US), 500 * MBPS);
	start(&f, 0);
	event(&f, RCC_EV_TX, 0, 12500);
	EXPECT_EQ(cnp(&f, 100 * US), 500 * MBPS);
	start(&f, 0);
	for (t = 0; t < 100 * US; t += 5 * US)
		event(&f, RCC_EV_TX, t, 1250);
	EXPECT_EQ(cnp(&f, 100 * US), GBPS);
}

TEST("The least sent rate of the first cut lifts neither rp_max_rate nor rp_rate_to_set_on_first_cnp")
{
	struct flow f;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_clamp_to_sent", 1);
	set(&f, "rp_max_rate", 600);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 100 * US), 300 * MBPS);
	set(&f, "rp_max_rate", 0);
	set(&f, "rp_rate_to_set_on_first_cnp", 400);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 100 * US), 200 * MBPS);
	/* and where the sent rate is not asked for, the cut is from the line rate */
	set(&f, "rp_rate_to_set_on_first_cnp", 0);
	set(&f, "rp_clamp_to_sent", 0);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 100 * US), 50 * GBPS);
}

TEST("What was sent before a long pause does not make a late CNP stop the flow")
{
	struct flow f;
	u64 t;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_clamp_to_sent", 1);
	start(&f, 0);
	for (t = 0; t < 500 * US; t += US)
		event(&f, RCC_EV_TX, t, 1250);
	EXPECT(cnp(&f, 10 * SEC) > GBPS);
}

static const u64 silent_lines[] = { 1 * MBPS, 100 * MBPS, 10 * GBPS, 400 * GBPS, 800 * GBPS };

/* CNPs for 10 ms, of no packets, and each one counts: to the least rate in auto. The last cut is at 10 ms. */
static void storm(struct flow *f, enum rcc_profile profile, u64 line_bps)
{
	u64 t;

	load(f, profile, line_bps);
	set(f, "rp_cnp_bytes", 0);
	start(f, 0);
	for (t = 0; t < 10 * MS; t += 10 * US)
		cnp(f, t);
	EXPECT(f->d.rate_bps < line_bps || line_bps <= 100 * MBPS);
}

TEST("After hours of silence a flow is back at the line rate, in the published profiles and at every line rate")
{
	static const enum rcc_profile profiles[] = { RCC_PROFILE_CX, RCC_PROFILE_PAPER };
	const u64 *lines = silent_lines;
	u32 i, p;

	for (p = 0; p < ARRAY_SIZE(profiles); p++) {
		for (i = 0; i < ARRAY_SIZE(silent_lines); i++) {
			struct flow f;

			storm(&f, profiles[p], lines[i]);
			EXPECT_EQ(rate_at(&f, 3 * 3600 * SEC), lines[i]);
			/* alpha is gone, too: the next cut takes nothing, or next to nothing */
			EXPECT_NEAR(cnp(&f, 6 * 3600 * SEC), lines[i], lines[i] * 1e-3);
			EXPECT_EQ(rate_at(&f, 1ULL << 62), lines[i]);
			EXPECT_EQ(rate_at(&f, (1ULL << 63) + (1ULL << 62)), lines[i]);
		}
	}
}

TEST("In auto a silence gives one timed step, whether it is two periods long or hours")
{
	/* 80 round trips of 10 us, which count as 16 */
	static const u64 silence[] = { 1280 * US, 2560 * US, 80 * MS, 3 * 3600 * SEC, 1ULL << 62 };
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(silent_lines); i++) {
		u64 line = silent_lines[i], min = line < 10 * GBPS ? MBPS : line / 10000;

		for (n = 0; n < ARRAY_SIZE(silence); n++) {
			struct flow f;
			u64 end;

			storm(&f, RCC_PROFILE_AUTO, line);
			EXPECT_EQ(f.d.rate_bps, min);
			/* cuts alone have left the target at the line rate */
			EXPECT_EQ(rate_at(&f, 10 * MS + silence[n]), (min + line) / 2);
			EXPECT_EQ(rate_at(&f, 10 * MS + silence[n]), (min + line) / 2);
			/* the periods went on: the next one ends where it would have ended anyway */
			end = 10 * MS + silence[n] / (1280 * US) * 1280 * US + 1280 * US;
			EXPECT_EQ(rate_at(&f, end - 1), (min + line) / 2);
			EXPECT_EQ(rate_at(&f, end), ((min + line) / 2 + line + 1) / 2);
		}
	}
}

TEST("In auto alpha is gone after hours of silence, too: the next cut takes nothing, or next to nothing")
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(silent_lines); i++) {
		u64 line = silent_lines[i], want = (3 * line + (line < 10 * GBPS ? MBPS : line / 10000)) / 4;
		struct flow f;

		storm(&f, RCC_PROFILE_AUTO, line);
		rate_at(&f, 3 * 3600 * SEC);
		/* two silences, two steps; the cut makes the rate the target, and there it stays */
		EXPECT_NEAR(cnp(&f, 6 * 3600 * SEC), want, line * 1e-3);
		EXPECT_NEAR(rate_at(&f, 1ULL << 62), want, line * 1e-3);
		EXPECT_NEAR(rate_at(&f, (1ULL << 63) + (1ULL << 62)), want, line * 1e-3);
		EXPECT(f.d.rate_bps <= line);
	}
}

TEST("In auto a flow that sends recovers as in the other profiles: a step per period, hyper after fifty")
{
	struct flow f;
	double rc, rt = 100e9;
	u64 now = 10 * MS;
	u32 i;

	storm(&f, RCC_PROFILE_AUTO, 400 * GBPS);
	event(&f, RCC_EV_NACK, now, 0);
	rc = f.d.rate_bps;
	/* the NAK forgot the target, and its own cut is still to come, 50 us after that of 10 ms */
	rt = rc;
	now += 50 * US;
	for (i = 1; i <= 200; i++) {
		u32 k;

		/* 80 Mb/s and 800 Mb/s at 400 Gb/s; packets in between change nothing */
		rt += i > 50 ? 800e6 : i >= 5 ? 80e6 : 0;
		for (k = 0; k < 8; k++)
			event(&f, RCC_EV_TX, now + ((i - 1) * 8 + k) * 160 * US, 4174);
		rc = (rc + rt) / 2;
		EXPECT_NEAR(event(&f, RCC_EV_TX, now + i * 1280 * US, 4174), rc, 2);
	}
}

/* A packet and its CNP at 0 leave half of @mbps, with all of it as the target and a step towards it every 5 ms. */
static u64 halfway(struct flow *f, u64 mbps, u32 bytes)
{
	load(f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(f, "rp_increase_when_idle", 0);
	set(f, "rp_min_rate", 1);
	set(f, "rp_byte_reset", 0);
	set(f, "rp_threshold", 31);
	set(f, "rp_time_reset", 5000);
	set(f, "rp_rate_to_set_on_first_cnp", mbps);
	start(f, 0);
	event(f, RCC_EV_TX, 0, bytes);
	return cnp(f, 0);
}

TEST("With rp_increase_when_idle 0 a slow flow that sends at its pace gets all the steps that fall between two packets")
{
	struct flow f;

	/* 4000 bytes at 1 Mb/s take 32 ms: six steps, each half of what is missing from 1 Mb/s, and no more before 35 ms */
	EXPECT_EQ(halfway(&f, 2, 4000), MBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 32 * MS, 4000), 2000000 - 15625);
	EXPECT_EQ(event(&f, RCC_EV_TX, 35 * MS - 1, 4000), 2000000 - 15625);
	/* and 16 ms at the new rate: those of 35, 40 and 45 ms */
	EXPECT_EQ(event(&f, RCC_EV_TX, 48 * MS, 4000), 2000000 - 1953);
}

TEST("With rp_increase_when_idle 0 a long silence gets the steps of two packets and one, however long it is")
{
	static const u64 silence[] = { 65 * MS, 69 * MS, 70 * MS, 100 * MS, 10 * SEC, 3 * 3600 * SEC, 1ULL << 62 };
	struct flow f;
	u32 i;

	/* two packets take 64 ms at 1 Mb/s: 12 whole periods, and one. Half of what is missing, rounded down, 13 times: 122 */
	for (i = 0; i < ARRAY_SIZE(silence); i++) {
		EXPECT_EQ(halfway(&f, 2, 4000), MBPS);
		EXPECT_EQ(event(&f, RCC_EV_TX, silence[i], 4000), 2000000 - 122);
	}
	EXPECT_EQ(halfway(&f, 2, 4000), MBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 65 * MS - 1, 4000), 2000000 - 244);
	/* 5000 bytes at 16 Mb/s: two take 5 ms and get two steps; a byte less, and it is one */
	for (i = 0; i < ARRAY_SIZE(silence); i++) {
		EXPECT_EQ(halfway(&f, 32, 5000), 16 * MBPS);
		EXPECT_EQ(event(&f, RCC_EV_TX, silence[i], 5000), 28 * MBPS);
		EXPECT_EQ(halfway(&f, 32, 4999), 16 * MBPS);
		EXPECT_EQ(event(&f, RCC_EV_TX, silence[i], 4999), 24 * MBPS);
	}
}

TEST("The packet that ends a silence does not count for how many steps the silence gets")
{
	struct flow f;

	EXPECT_EQ(halfway(&f, 32, 110), 16 * MBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, SEC, 1000000), 24 * MBPS);
	/* (7 * 110 + 1000000) / 8 = 125096 bytes: two take 83.4 ms at 24 Mb/s, so 17 steps from 8 Mb/s: 61 are missing */
	EXPECT_EQ(event(&f, RCC_EV_TX, 3 * SEC, 0), 32000000 - 61);
}

TEST("One event for several packets counts their mean size, once")
{
	static const struct {
		u32 bytes;
		u32 packets;
		u32 cnps;
	} want[] = {
		{ 110, 0, 10 }, { 110, 1, 10 }, { 220, 2, 10 }, { 1760, 16, 10 }, { 1775, 16, 10 }, { 1024, 1, 1 },
		{ 16384, 16, 1 }, { 16383, 16, 2 }, { 8192, 16, 2 }, { 8191, 16, 3 },
	};
	struct flow f;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		load_sizes(&f, 1024);
		sent(&f, 0, want[i].bytes, want[i].packets);
		for (n = 1; n < want[i].cnps; n++)
			EXPECT_EQ(cnp(&f, n * 50 * US), 100 * GBPS);
		EXPECT_EQ(cnp(&f, n * 50 * US), 50 * GBPS);
	}
	/* two packets of 8000 bytes have the weight of one: see the test of the floor */
	EXPECT_EQ(marked_10g(&f, 100), 10 * GBPS);
	sent(&f, 310 * US, 16000, 2);
	EXPECT_EQ(event(&f, RCC_EV_TX, 350 * US, 8000), 9549600000);
}

TEST("All bytes of an event for several packets count as sent, and towards rp_byte_reset")
{
	struct flow f;
	u64 t;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_clamp_to_sent", 1);
	start(&f, 0);
	for (t = 0; t < 500 * US; t += 10 * US)
		sent(&f, t, 12500, 10);
	EXPECT_NEAR(cnp(&f, 500 * US), 5e9, 1e7);
	set(&f, "rp_clamp_to_sent", 0);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 0), 50 * GBPS);
	EXPECT_EQ(sent(&f, US, 9999999, 16), 50 * GBPS);
	EXPECT_EQ(sent(&f, US, 16, 16), 75 * GBPS);
}
