// SPDX-License-Identifier: GPL-2.0
/* What the link layer makes of a fabric, simulated: all paths filled, only what is lost repeated, bad paths left. */
#include "spray_sim.h"
#include "test.h"

#define US	1000ULL
#define MS	1000000ULL
#define MBPS	1000000ULL
#define SEEDS	3

static struct sim_result r;

/* Several paths of 50 Mb/s that mark from 16 KB on, 1 ms there and back; the sender as fast as all of them together. */
static struct sim_opts fabric(u32 paths, u32 ports)
{
	struct sim_opts o = {
		.mode = RCC_SPRAY_ADAPTIVE, .ports = ports, .paths = paths, .rate_bps = 50 * MBPS, .delay_ns = 500 * US,
		.queue_bytes = 128 << 10, .red_min = 16 << 10, .red_max = 64 << 10, .window = 16 * paths,
		.start_bps = 51 * MBPS * paths, .target_ns = 4 * MS, .warm_ns = 500 * MS, .end_ns = 2000 * MS, .seed = 1,
	};

	return o;
}

/* One path of 200 Mb/s, used to 98 %. */
static struct sim_opts cable(u64 rtt_ns)
{
	struct sim_opts o = fabric(1, 32);

	o.rate_bps = 200 * MBPS;
	o.start_bps = 196 * MBPS;
	o.delay_ns = rtt_ns / 2;
	o.window = 128;
	return o;
}

/* The least share used over some seeds, which also decide which port goes by which path. */
static double worst(struct sim_opts *o)
{
	double least = 2;
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		o->seed = seed * 7919;
		sim_run(o, &r);
		if (r.used < least)
			least = r.used;
	}
	return least;
}

static void expect_filled(u32 paths, u32 ports)
{
	struct sim_opts o = fabric(paths, ports);
	double used = worst(&o);

	printf("# %u paths, %u ports: %.4f\n", paths, ports, used);
	EXPECT(used >= 0.98);
}

TEST("Adaptive: all paths are filled to 98 %, however unevenly the ports fall on them")
{
	expect_filled(4, 16);
	expect_filled(4, 32);
	expect_filled(4, 64);
	expect_filled(8, 32);
	expect_filled(8, 64);
}

TEST("Adaptive does so also where nothing is marked and round trips are all there is, and no packet is dropped")
{
	struct sim_opts o = fabric(4, 32);

	o.red_max = 0;
	EXPECT(worst(&o) >= 0.98);
	EXPECT_EQ(r.drops, 0);
	EXPECT_EQ(r.marks, 0);
}

TEST("Round robin and random over the same paths stay far behind, so the fabric is one that needs more")
{
	struct sim_opts o = fabric(4, 32);

	o.mode = RCC_SPRAY_RR;
	EXPECT(worst(&o) < 0.95);
	o.mode = RCC_SPRAY_RANDOM;
	EXPECT(worst(&o) < 0.95);
}

static double controlled(u32 paths, u32 ports, u64 rate_bps, enum sim_control control)
{
	struct sim_opts o = fabric(paths, ports);

	o.rate_bps = rate_bps;
	o.window = 128;
	o.control = control;
	o.start_bps = 100 * MBPS;
	return worst(&o);
}

/* The same controller of the rate on one path as fast as all, and on four: how much of the one's throughput have the four? */
static void expect_like_one_path(enum sim_control control)
{
	double one = controlled(1, 1, 200 * MBPS, control), four = controlled(4, 32, 50 * MBPS, control);

	printf("# one %.4f, four %.4f\n", one, four);
	EXPECT(four >= 0.96 * one);
}

TEST("A rate that follows marks, or round trips, is hardly lower over four paths than over one as fast as all of them")
{
	expect_like_one_path(SIM_MARKS);
	expect_like_one_path(SIM_DELAY);
}

TEST("A path at a quarter of its rate is filled like the others: 98 % of what is left")
{
	struct sim_opts o = fabric(4, 32);
	double left = 3.25 / 4;

	o.bad_bps = 50 * MBPS / 4;
	o.bad_to_ns = o.end_ns;
	o.window = 98;
	o.start_bps = 0.82 * 200 * MBPS;
	EXPECT(worst(&o) >= 0.98 * left);
	o.bad_from_ns = 500 * MS;
	EXPECT(worst(&o) >= 0.98 * left);
}

TEST("A path that dies silently is left, costs less than 5 % of the second after, and is used again when it is back")
{
	struct sim_opts o = fabric(4, 32);
	u64 seed;

	o.bad_from_ns = 1000 * MS;
	o.bad_to_ns = 2000 * MS;
	o.warm_ns = 1000 * MS;
	o.end_ns = 2000 * MS;
	EXPECT(worst(&o) >= 0.95 * 3 / 4);
	o.end_ns = 3100 * MS;
	for (seed = 1; seed <= SEEDS; seed++) {
		o.seed = seed;
		sim_run(&o, &r);
		printf("# known after %.1f ms, used again after %.1f ms\n", (r.bad_known_ns - r.bad_first_ns) / 1e6,
		       r.bad_back_ns / 1e6 - 2000);
		EXPECT(r.deaths > 2 && r.births == r.deaths);
		EXPECT(r.bad_known_ns - r.bad_first_ns < 40 * MS);
		EXPECT(r.bad_back_ns && r.bad_back_ns < 2200 * MS);
		EXPECT_EQ(r.skipped, 0);
	}
}

/* Repeats are as many as packets were lost, within 5 %, and goodput is what is left. */
static void expect_mended(struct sim_opts o, u32 ppm, double least)
{
	double used;

	o.loss_ppm = ppm;
	used = worst(&o);
	printf("# %u ppm of %u paths: %.4f, %llu lost, %llu repeats, %llu by time\n", ppm, o.paths, used,
	       (unsigned long long)r.drops, (unsigned long long)r.repeats, (unsigned long long)r.timeouts);
	EXPECT(used >= least);
	EXPECT(r.drops > 5);
	EXPECT_NEAR(r.repeats, r.drops, 1 + 0.05 * r.drops);
	EXPECT_EQ(r.skipped, 0);
}

TEST("Under random loss, of one path or of four, repeats are as many as losses, within 5 %, and goodput is what is left")
{
	struct sim_opts one = cable(1 * MS), four = fabric(4, 32);

	one.mode = RCC_SPRAY_NONE;
	four.start_bps = 196 * MBPS;
	four.window = 128;
	expect_mended(one, 1000, 0.975);
	expect_mended(one, 10000, 0.96);
	expect_mended(one, 50000, 0.92);
	expect_mended(four, 1000, 0.975);
	expect_mended(four, 10000, 0.96);
	expect_mended(four, 50000, 0.90);
}

TEST("Where a quarter of all packets overtakes the others by a millisecond, from the beginning, nothing is repeated")
{
	enum rcc_spray_mode mode;
	struct sim_opts o = cable(100 * US);

	o.late_ppm = 750000;
	o.late_ns = 1 * MS;
	for (mode = RCC_SPRAY_NONE; mode < RCC_SPRAY_MODES; mode++) {
		o.mode = mode;
		EXPECT(worst(&o) >= 0.975);
		EXPECT_EQ(r.repeats, 0);
		EXPECT(r.deepest > 1);
	}
}

TEST("When packets and SACKs are lost, doubled and overtaken together, repeats are still what is lost, within 5 %")
{
	struct sim_opts o = cable(400 * US);

	o.late_ppm = 750000;
	o.late_ns = 1 * MS;
	o.twice_ppm = 10000;
	o.sack_loss_ppm = 10000;
	expect_mended(o, 10000, 0.96);
}
