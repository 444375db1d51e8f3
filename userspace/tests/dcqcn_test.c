// SPDX-License-Identifier: GPL-2.0
/* DCQCN as published and as parameters bound it: short stories with numbers worked out by hand. */
#include "flow.h"

TEST("A flow begins at the line rate, or at rp_max_rate if that is lower")
{
	struct flow f;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	EXPECT_EQ(start(&f, 0), 100 * GBPS);
	set(&f, "rp_max_rate", 40000);
	EXPECT_EQ(start(&f, 0), 40 * GBPS);
	set(&f, "rp_max_rate", 200000);
	EXPECT_EQ(start(&f, 0), 100 * GBPS);
}

TEST("Without congestion nothing changes the rate, however much is sent")
{
	struct flow f;
	u32 i;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	start(&f, 0);
	for (i = 0; i < 100000; i++)
		EXPECT_EQ(event(&f, RCC_EV_TX, i * 330, 4174), 100 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_ACK, SEC, 4096), 100 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_RTT, SEC, 0), 100 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_INT, SEC, 0), 100 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_TIMER, SEC, 0), 100 * GBPS);
}

TEST("The first CNP cuts the rate by half of alpha")
{
	struct flow f;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 5 * US), 50 * GBPS);
	load(&f, RCC_PROFILE_CX, 100 * GBPS);
	start(&f, 0);
	/* 1 - 1023/1024/2 */
	EXPECT_NEAR(cnp(&f, 5 * US), 50048828125.0, 1);
}

TEST("The first CNP cuts from rp_rate_to_set_on_first_cnp where that is set")
{
	struct flow f;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_rate_to_set_on_first_cnp", 20000);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 5 * US), 10 * GBPS);
	/* the target is that rate, too */
	EXPECT_EQ(rate_at(&f, 60 * US), 15 * GBPS);
}

TEST("Alpha decays by g in each period without a CNP, and the next cut shows it")
{
	/* (1020/1024)^(n-1) */
	static const struct {
		u32 periods;
		double alpha;
	} want[] = {
		{ 1, 1.0 }, { 2, 0.99609375 }, { 11, 0.961617042 }, { 20, 0.928333638 }, { 101, 0.676116465 }, { 1001, 0.019961},
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		u64 now = want[i].periods * 55 * US + 10 * US;
		struct flow f;
		double before;

		load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
		start(&f, 0);
		/* the first period has a CNP, so alpha stays 1 in it */
		cnp(&f, 0);
		before = rate_at(&f, now);
		EXPECT_NEAR(2 * (1 - cnp(&f, now) / before), want[i].alpha, 5e-4);
	}
}

TEST("Alpha looked at often or once gives the same within its resolution")
{
	struct flow often, once;
	u64 t;

	load(&often, RCC_PROFILE_CX, 100 * GBPS);
	load(&once, RCC_PROFILE_CX, 100 * GBPS);
	start(&often, 0);
	start(&once, 0);
	cnp(&often, 0);
	cnp(&once, 0);
	for (t = 0; t < 200 * US; t += 300)
		rate_at(&often, t);
	EXPECT_NEAR(cnp(&often, 200 * US), cnp(&once, 200 * US), 100e9 * 205 / (1 << 20));
}

TEST("Of many CNPs within the monitor period one cuts at once and one when the period ends")
{
	struct flow f;
	u64 t;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 0), 50 * GBPS);
	for (t = 1; t < 50; t++)
		EXPECT_EQ(cnp(&f, t * US), 50 * GBPS);
	EXPECT_EQ(rate_at(&f, 50 * US - 1), 50 * GBPS);
	EXPECT_EQ(rate_at(&f, 50 * US), 25 * GBPS);
	/* nothing waits any more: the next change is the increase, 55 us after that cut */
	EXPECT_EQ(rate_at(&f, 105 * US - 1), 25 * GBPS);
	EXPECT_EQ(rate_at(&f, 105 * US), 37500 * MBPS);
}

TEST("A cut that fell due while nothing was sent happened when it was due")
{
	struct flow f;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	start(&f, 0);
	cnp(&f, 0);
	cnp(&f, 10 * US);
	/* cut at 50 us to 25 Gb/s; one increase at 105 us */
	EXPECT_EQ(rate_at(&f, 120 * US), 37500 * MBPS);
}

TEST("Five timed steps of fast recovery halve the way to the target, then the target rises additively")
{
	struct flow f;
	double rc, rt;
	u32 i;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	start(&f, 0);
	cnp(&f, 0);
	EXPECT_EQ(cnp(&f, 50 * US), 25 * GBPS);
	EXPECT_EQ(rate_at(&f, 105 * US), 37500 * MBPS);
	EXPECT_EQ(rate_at(&f, 160 * US), 43750 * MBPS);
	EXPECT_EQ(rate_at(&f, 215 * US), 46875 * MBPS);
	EXPECT_EQ(rate_at(&f, 270 * US), 48437500000);
	/* the fifth: F is reached */
	EXPECT_EQ(rate_at(&f, 325 * US), 49238750000);
	rc = 49238750000;
	rt = 50040e6;
	for (i = 1; i < 50; i++) {
		rt += 40e6;
		rc = (rc + rt) / 2;
		EXPECT_NEAR(rate_at(&f, (325 + i * 55) * US), rc, 2);
	}
}

TEST("Bytes count as time does, and when both are above F the increase is hyper-active")
{
	struct flow f;
	double rc = 48437500000, rt = 50e9;
	u32 i;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	start(&f, 0);
	cnp(&f, 0);
	cnp(&f, 50 * US);
	EXPECT_EQ(event(&f, RCC_EV_TX, 51 * US, 9999999), 25 * GBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 51 * US, 1), 37500 * MBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 52 * US, 10000000), 43750 * MBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 53 * US, 10000000), 46875 * MBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 54 * US, 10000000), 48437500000);
	/* fifth and sixth: additive, since the timer has not come that far */
	for (i = 0; i < 2; i++) {
		rt += 40e6;
		rc = (rc + rt) / 2;
		EXPECT_NEAR(event(&f, RCC_EV_TX, 55 * US, 10000000), rc, 2);
	}
	for (i = 1; i <= 5; i++) {
		rt += 40e6;
		rc = (rc + rt) / 2;
		EXPECT_NEAR(rate_at(&f, (50 + 55 * i) * US), rc, 2);
	}
	for (i = 6; i <= 40; i++) {
		rt += 400e6;
		rc = (rc + rt) / 2;
		EXPECT_NEAR(rate_at(&f, (50 + 55 * i) * US), rc, 2);
	}
}

TEST("A flow in hyper increase that pauses goes on in hyper increase, not in additive")
{
	struct flow f;
	u32 i;

	load(&f, RCC_PROFILE_PAPER, 400 * GBPS);
	start(&f, 0);
	for (i = 0; i <= 10; i++)
		cnp(&f, i * 50 * US);
	for (i = 0; i < 6; i++)
		event(&f, RCC_EV_TX, 501 * US, 10000000);
	/* 300 steps of 55 us, all but the first five of 400 Mb/s */
	EXPECT_NEAR(rate_at(&f, (500 + 55 * 300) * US), 118.5e9, 1e9);
}

TEST("Without a byte counter the timer alone brings hyper increase, after ten times as many steps")
{
	struct flow f;
	double rc, rt;
	u32 i;

	load(&f, RCC_PROFILE_PAPER, 800 * GBPS);
	set(&f, "rp_byte_reset", 0);
	set(&f, "rp_rate_to_set_on_first_cnp", 10000);
	start(&f, 0);
	rc = cnp(&f, 0);
	rt = 10e9;
	for (i = 1; i <= 100; i++) {
		rt += i > 50 ? 400e6 : i >= 5 ? 40e6 : 0;
		rc = (rc + rt) / 2;
		/* a packet of many bytes counts for nothing */
		EXPECT_NEAR(event(&f, RCC_EV_TX, i * 55 * US, 20000000), rc, 2);
	}
	/* a cut starts it over: four steps towards the rate that was, none beyond */
	rt = rc;
	rc = cnp(&f, 5500 * US);
	EXPECT(rc < rt);
	for (i = 1; i <= 4; i++) {
		rc = (rc + rt) / 2;
		EXPECT_NEAR(rate_at(&f, (100 + i) * 55 * US), rc, 2);
	}
}

TEST("Without a byte counter a flow that pauses gets to hyper increase too, whatever the threshold")
{
	static const u32 thresholds[] = { 1, 5, 6, 7, 31 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(thresholds); i++) {
		u32 n = thresholds[i];
		struct flow f;

		load(&f, RCC_PROFILE_PAPER, 800 * GBPS);
		set(&f, "rp_byte_reset", 0);
		set(&f, "rp_threshold", n);
		set(&f, "rp_rate_to_set_on_first_cnp", 10000);
		start(&f, 0);
		cnp(&f, 0);
		/* 1000 steps: additive from the n-th on, hyper from 10 n + 1 on; the rate is one step behind the target */
		EXPECT_NEAR(rate_at(&f, 1000 * 55 * US), 10e9 + (9 * n + 1) * 40e6 + (1000 - 10 * n) * 400e6, 400e6);
	}
}

TEST("With rp_clamp_tgt_rate off a second cut leaves the target alone, unless there was an increase between")
{
	struct flow f;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_clamp_tgt_rate", 0);
	start(&f, 0);
	cnp(&f, 0);
	EXPECT_EQ(cnp(&f, 50 * US), 25 * GBPS);
	EXPECT_EQ(rate_at(&f, 105 * US), 62500 * MBPS);
	/* now there was one, by the timer: the target becomes 62.5 Gb/s. Alpha is 1 until 110 us */
	EXPECT_EQ(cnp(&f, 105 * US), 31250 * MBPS);
	EXPECT_EQ(rate_at(&f, 160 * US), 46875 * MBPS);
}

TEST("With rp_clamp_tgt_rate_ati off too, only an increase by bytes lets a cut set the target")
{
	struct flow f;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_clamp_tgt_rate", 0);
	set(&f, "rp_clamp_tgt_rate_ati", 0);
	start(&f, 0);
	cnp(&f, 0);
	EXPECT_EQ(rate_at(&f, 55 * US), 75 * GBPS);
	EXPECT_EQ(cnp(&f, 55 * US), 37500 * MBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 56 * US, 10000000), 68750 * MBPS);
	EXPECT_EQ(cnp(&f, 106 * US), 34375 * MBPS);
	EXPECT_EQ(event(&f, RCC_EV_TX, 107 * US, 10000000), 51562500000);
}

TEST("A storm of CNPs ends exactly at rp_min_rate and stays there")
{
	static const enum rcc_profile profiles[] = { RCC_PROFILE_AUTO, RCC_PROFILE_CX, RCC_PROFILE_PAPER };
	static const u64 min_bps[] = { 10 * MBPS, 1 * MBPS, 100 * MBPS };
	u32 i;

	for (i = 0; i < 3; i++) {
		struct flow f;
		u64 t;

		load(&f, profiles[i], 100 * GBPS);
		/* these CNPs are for no packets */
		set(&f, "rp_cnp_bytes", 0);
		start(&f, 0);
		for (t = 0; t < 100 * MS; t += US)
			EXPECT(cnp(&f, t) >= min_bps[i]);
		EXPECT_EQ(f.d.rate_bps, min_bps[i]);
	}
}

TEST("A cut never leaves less than rp_min_dec_fac percent")
{
	struct flow f;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_gd", 10);
	set(&f, "rp_min_dec_fac", 70);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 0), 70 * GBPS);
	EXPECT_EQ(cnp(&f, 50 * US), 49 * GBPS);
	set(&f, "rp_min_dec_fac", 0);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 0), 100 * MBPS);
}

TEST("A greatest rate below the line is never exceeded while recovering")
{
	struct flow f;
	u64 t;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_max_rate", 30000);
	start(&f, 0);
	EXPECT_EQ(cnp(&f, 0), 15 * GBPS);
	for (t = 0; t < 100 * MS; t += 10 * US)
		EXPECT(rate_at(&f, t) <= 30 * GBPS);
	EXPECT_EQ(f.d.rate_bps, 30 * GBPS);
}

TEST("A monitor period made shorter while a cut waits brings that cut, and only that")
{
	struct flow f;
	u64 before;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_rate_reduce_monitor_period", 131071);
	set(&f, "rp_dce_tcp_rtt", 131071);
	start(&f, 0);
	cnp(&f, 0);
	cnp(&f, 10 * US);
	before = rate_at(&f, 100 * MS);
	EXPECT(before > 99 * GBPS);
	set(&f, "rp_rate_reduce_monitor_period", 50);
	/* it counts from the last increase, at 99.99 ms, and one more step has come since */
	EXPECT_NEAR(rate_at(&f, 100 * MS + 50 * US), before * 0.75, 10);
}

TEST("A greatest rate set while flows run holds from the next event on, and so does lifting it")
{
	struct flow quiet, cut;

	load(&quiet, RCC_PROFILE_PAPER, 100 * GBPS);
	load(&cut, RCC_PROFILE_PAPER, 100 * GBPS);
	start(&quiet, 0);
	start(&cut, 0);
	cnp(&cut, 0);
	set(&quiet, "rp_max_rate", 20000);
	set(&cut, "rp_max_rate", 20000);
	EXPECT_EQ(rate_at(&quiet, US), 20 * GBPS);
	EXPECT_EQ(rate_at(&cut, US), 20 * GBPS);
	set(&quiet, "rp_max_rate", 0);
	EXPECT_EQ(rate_at(&quiet, 2 * US), 100 * GBPS);
	EXPECT_EQ(cnp(&quiet, 3 * US), 50 * GBPS);
}

TEST("A time read a little before the last event's neither cuts again nor lets any time pass")
{
	struct flow f;

	load(&f, RCC_PROFILE_PAPER, 100 * GBPS);
	set(&f, "rp_clamp_to_sent", 1);
	start(&f, 100 * US);
	event(&f, RCC_EV_TX, 99 * US, 4174);
	EXPECT_EQ(cnp(&f, 98 * US), 50 * GBPS);
	EXPECT_EQ(cnp(&f, 97 * US), 50 * GBPS);
	EXPECT_EQ(rate_at(&f, 96 * US), 50 * GBPS);
	/* only the second CNP, in its turn */
	EXPECT_EQ(rate_at(&f, 148 * US), 25 * GBPS);
}
