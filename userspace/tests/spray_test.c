// SPDX-License-Identifier: GPL-2.0
/* Ways through the fabric: which path is next in each mode, and paths that die and live again. */
#include "spray.h"
#include "test.h"

#define PATHS		16
#define US		1000ULL
#define MS		1000000ULL

static struct rcc_spray sp;
static u64 seed;

static void begin(enum rcc_spray_mode mode, u32 n)
{
	seed = 5;
	rcc_spray_init(&sp, mode, n, 0xc123, 77);
}

static u32 pick(u64 now)
{
	return rcc_spray_pick(&sp, now, test_random(&seed) >> 32);
}

TEST("All ports are different, those of new paths are dynamic ones, and path 0 keeps rxe's")
{
	u32 s, i, j;

	for (s = 0; s < 300; s++) {
		rcc_spray_init(&sp, RCC_SPRAY_RANDOM, RCC_PATHS_MAX, 0xc000 + s, s * 0x9e3779b9u);
		EXPECT_EQ(sp.path[0].port, 0xc000 + s);
		for (i = 1; i < RCC_PATHS_MAX; i++) {
			EXPECT(sp.path[i].port >= 0xc000);
			for (j = 0; j < i; j++)
				EXPECT(sp.path[i].port != sp.path[j].port);
		}
	}
}

TEST("Without spraying there is one path, whatever was asked for")
{
	u32 i;

	begin(RCC_SPRAY_NONE, PATHS);
	EXPECT_EQ(sp.n, 1);
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(pick(i), 0);
		EXPECT_EQ(rcc_spray_detour(&sp, i, ~0U, 0), 0);
		EXPECT(!rcc_spray_lost(&sp, i, 0));
	}
	EXPECT_EQ(sp.path[0].sent, 200);
	EXPECT_EQ(sp.path[0].lost, 100);
}

TEST("The number of paths is held between 1 and the most there can be")
{
	begin(RCC_SPRAY_RR, 0);
	EXPECT_EQ(sp.n, 1);
	begin(RCC_SPRAY_RR, 1000);
	EXPECT_EQ(sp.n, RCC_PATHS_MAX);
}

TEST("Round robin takes each path in turn")
{
	u32 i;

	begin(RCC_SPRAY_RR, PATHS);
	for (i = 1; i < 10 * PATHS; i++)
		EXPECT_EQ(pick(i), i % PATHS);
}

TEST("Random takes each path about equally often")
{
	u32 i;

	begin(RCC_SPRAY_RANDOM, PATHS);
	for (i = 0; i < 1000 * PATHS; i++)
		pick(i);
	for (i = 0; i < PATHS; i++)
		EXPECT_NEAR(sp.path[i].sent, 1000, 120);
}

TEST("Recycling takes the paths that brought packets without CE, in the order in which they did")
{
	u32 i;

	begin(RCC_SPRAY_REPS, PATHS);
	for (i = 0; i < PATHS; i++)
		sp.meter[i].flying = 10 * RCC_PATHS_MAX;
	for (i = 0; i < PATHS; i++)
		rcc_spray_came(&sp, i, 3 * i % PATHS, i % 2);
	for (i = 0; i < PATHS; i += 2)
		EXPECT_EQ(pick(i), 3 * i % PATHS);
	EXPECT_EQ(sp.cached, 0);
	for (i = 0; i < 10 * RCC_PATHS_MAX; i++)
		rcc_spray_came(&sp, i, 1, false);
	EXPECT_EQ(sp.cached, RCC_PATHS_MAX);
}

TEST("Recycling does not take a path for good because of packets that went by it without a choice")
{
	u32 i;

	begin(RCC_SPRAY_REPS, PATHS);
	for (i = 0; i < PATHS; i++)
		rcc_spray_came(&sp, i, rcc_spray_steady(&sp), false);
	EXPECT_EQ(sp.cached, 0);
	rcc_spray_came(&sp, i, pick(i), false);
	EXPECT_EQ(sp.cached, 1);
}

/* Each path's packets take @way_us of its own; @packets are kept on their way. How many went by path 0? */
static u64 share_of_first(u64 way_us, u32 packets)
{
	static u64 arrival[512];
	static u32 by[512];
	u64 now;
	u32 i;

	memset(arrival, 0, sizeof(arrival));
	for (now = 1; now < 1000 * MS; now += 10 * US) {
		for (i = 0; i < packets; i++) {
			if (arrival[i] > now)
				continue;
			if (arrival[i])
				rcc_spray_came(&sp, now, by[i], false);
			by[i] = pick(now);
			arrival[i] = now + (by[i] ? 1000 * US : way_us * US);
		}
	}
	return sp.path[0].sent;
}

TEST("Adaptive: paths that take equally long carry equally much")
{
	u64 share, sum = 0;
	u32 i;

	begin(RCC_SPRAY_ADAPTIVE, PATHS);
	share = share_of_first(1000, 24);
	for (i = 0; i < PATHS; i++)
		sum += sp.path[i].sent;
	EXPECT_NEAR(share, sum / PATHS, sum / PATHS * 0.1);
}

TEST("Adaptive: a path that takes longer carries less, and is not forgotten")
{
	u64 share, sum = 0;
	u32 i;

	begin(RCC_SPRAY_ADAPTIVE, PATHS);
	share = share_of_first(4000, 24);
	for (i = 0; i < PATHS; i++)
		sum += sp.path[i].sent;
	EXPECT(share < sum / PATHS / 3);
	EXPECT(share > sum / PATHS / 200);
}

/* Packets come by all paths but @lost. */
static void others_come(u64 now, u32 lost)
{
	u32 i;

	for (i = 0; i < sp.n; i++)
		if (i != lost)
			rcc_spray_came(&sp, now, i, false);
}

/* Losses by chance, a few in a thousand, so that one does not kill a path. */
static void lose_by_chance(u32 path)
{
	u32 i;

	for (i = 0; i < 5; i++) {
		rcc_spray_lost(&sp, 1, path);
		rcc_spray_came(&sp, 1, path, false);
	}
}

TEST("Where packets are never lost, a path is dead with its first loss while others bring theirs")
{
	begin(RCC_SPRAY_RR, PATHS);
	others_come(1, 3);
	EXPECT(rcc_spray_lost(&sp, 2, 3));
}

TEST("Losses by chance, up to 5 %, seldom kill a path, and never for longer than a packet takes")
{
	static const u32 ppm[] = { 1000, 10000, 50000 };
	u32 i, k, deaths;

	for (k = 0; k < ARRAY_SIZE(ppm); k++) {
		begin(RCC_SPRAY_RANDOM, PATHS);
		for (i = 0, deaths = 0; i < 200000; i++) {
			u32 path = pick(i);

			if (test_random(&seed) % 1000000 < ppm[k]) {
				deaths += rcc_spray_lost(&sp, i, path);
				continue;
			}
			rcc_spray_came(&sp, i, path, false);
			while (sp.dead)
				rcc_spray_came(&sp, i, rcc_spray_probe(&sp, i), false);
		}
		EXPECT(deaths <= 40);
	}
}

TEST("A path that loses twice while others bring theirs is dead, and no mode takes it until a packet comes by it")
{
	enum rcc_spray_mode mode;
	u32 i;

	for (mode = RCC_SPRAY_RR; mode < RCC_SPRAY_MODES; mode++) {
		begin(mode, PATHS);
		lose_by_chance(3);
		EXPECT(!rcc_spray_lost(&sp, 2, 3));
		others_come(3, 3);
		EXPECT(rcc_spray_lost(&sp, 4, 3));
		EXPECT(!rcc_spray_lost(&sp, 5, 3));
		EXPECT_EQ(sp.dead, 1);
		for (i = 0; i < 1000; i++) {
			EXPECT(pick(10 * i) != 3);
			EXPECT(rcc_spray_detour(&sp, 10 * i, i << 22, 2) != 3);
		}
		EXPECT(rcc_spray_came(&sp, 10000, 3, false));
		EXPECT(!rcc_spray_came(&sp, 10000, 3, false));
		EXPECT_EQ(sp.dead, 0);
		for (i = 0; i < 1000 && pick(20000 + i * MS) != 3; i++)
			;
		EXPECT(i < 1000);
	}
}

TEST("When nothing comes by any path, none dies; nor does the last one that lives")
{
	u32 i, j;

	begin(RCC_SPRAY_RR, PATHS);
	for (i = 0; i < 10 * PATHS; i++)
		EXPECT(!rcc_spray_lost(&sp, i, i % PATHS));
	for (i = 0; i < PATHS; i++)
		rcc_spray_came(&sp, 1000, i, false);
	begin(RCC_SPRAY_RR, PATHS);
	for (i = 0; i + 1 < PATHS; i++) {
		for (j = 0; j < 6; j++) {
			rcc_spray_came(&sp, i, PATHS - 1, false);
			rcc_spray_lost(&sp, i, i);
		}
	}
	EXPECT_EQ(sp.dead, PATHS - 1);
	for (i = 0; i < 10; i++)
		EXPECT(!rcc_spray_lost(&sp, i, PATHS - 1));
	EXPECT_EQ(pick(1), PATHS - 1);
	EXPECT_EQ(rcc_spray_detour(&sp, 1, 1, PATHS - 1), PATHS - 1);
}

TEST("ACKs take path 0, or another while it is dead")
{
	begin(RCC_SPRAY_RR, PATHS);
	EXPECT_EQ(rcc_spray_steady(&sp), 0);
	others_come(1, 0);
	EXPECT(rcc_spray_lost(&sp, 2, 0));
	EXPECT_EQ(rcc_spray_steady(&sp), 1);
	rcc_spray_came(&sp, 3, 0, false);
	EXPECT_EQ(rcc_spray_steady(&sp), 0);
}

TEST("A detour is never the path that lost the packet, if another lives")
{
	enum rcc_spray_mode mode;
	u32 i;

	for (mode = RCC_SPRAY_RR; mode < RCC_SPRAY_MODES; mode++) {
		begin(mode, 2);
		for (i = 0; i < 100; i++)
			EXPECT_EQ(rcc_spray_detour(&sp, i, test_random(&seed) >> 32, i % 2), 1 - i % 2);
	}
}

TEST("A dead path is probed at once, then after pauses that double up to 100 ms")
{
	u64 now = 4, gap = 2 * MS;
	u32 i;

	begin(RCC_SPRAY_RR, PATHS);
	EXPECT_EQ(rcc_spray_probe_due(&sp), RCC_SACK_NEVER);
	others_come(1, 3);
	rcc_spray_rtt(&sp, 1, 2, 1 * MS);
	EXPECT(rcc_spray_lost(&sp, 4, 3));
	for (i = 0; i < 12; i++) {
		EXPECT_EQ(rcc_spray_probe_due(&sp), now);
		EXPECT_EQ(rcc_spray_probe(&sp, now - 1), -1);
		EXPECT_EQ(rcc_spray_probe(&sp, now), 3);
		EXPECT_EQ(rcc_spray_probe(&sp, now), -1);
		now += gap;
		gap = 2 * gap < 100 * MS ? 2 * gap : 100 * MS;
	}
	rcc_spray_came(&sp, now, 3, false);
	EXPECT_EQ(rcc_spray_probe_due(&sp), RCC_SACK_NEVER);
	EXPECT_EQ(rcc_spray_probe(&sp, now), -1);
}

TEST("Another number of paths keeps what is known of those that stay, and never leaves all dead")
{
	u16 port[RCC_PATHS_MAX];
	u32 i;

	begin(RCC_SPRAY_RR, PATHS);
	for (i = 0; i < PATHS; i++)
		port[i] = sp.path[i].port;
	rcc_spray_came(&sp, 1, 2, true);
	others_come(1, 0);
	EXPECT(rcc_spray_lost(&sp, 2, 0));
	rcc_spray_set(&sp, RCC_SPRAY_REPS, 32, 99);
	EXPECT_EQ(sp.n, 32);
	EXPECT_EQ(sp.dead, 1);
	EXPECT_EQ(sp.path[2].marked, 1);
	for (i = 0; i < PATHS; i++)
		EXPECT_EQ(sp.path[i].port, port[i]);
	EXPECT(!rcc_spray_came(&sp, 3, 40, false));
	EXPECT(!rcc_spray_lost(&sp, 3, 40));
	rcc_spray_rtt(&sp, 3, 40, 100);
	rcc_spray_set(&sp, RCC_SPRAY_NONE, 32, 99);
	EXPECT_EQ(sp.n, 1);
	EXPECT_EQ(sp.dead, 0);
	EXPECT_EQ(pick(5), 0);
}

TEST("The median of round trips is that of the last 16, whatever the path; with one path it is its own")
{
	u32 i;

	begin(RCC_SPRAY_RR, PATHS);
	EXPECT_EQ(rcc_spray_median_rtt(&sp), 0);
	for (i = 0; i < 1000; i++)
		rcc_spray_rtt(&sp, i, i % PATHS, 1000 * MS);
	for (i = 0; i < 16; i++)
		rcc_spray_rtt(&sp, i, i % PATHS, i % 4 ? 1 * MS : 9 * MS);
	EXPECT_EQ(rcc_spray_median_rtt(&sp), 1 * MS);
	begin(RCC_SPRAY_NONE, 1);
	rcc_spray_rtt(&sp, 1, 0, 3 * MS);
	EXPECT_EQ(rcc_spray_median_rtt(&sp), 3 * MS);
}

/*
 * Packets by random paths; those by the first @bad paths come with CE with a chance of @bad_permille, those by others with one
 * of @permille. What does a mark weigh, in the mean?
 */
static double mean_weight(u32 bad, u32 bad_permille, u32 permille)
{
	u64 marks = 0, sum = 0;
	u32 i;

	begin(RCC_SPRAY_RANDOM, 32);
	for (i = 0; i < 100000; i++) {
		u32 path = pick(i * 100 * US);
		bool ce = test_random(&seed) % 1000 < (path < bad ? bad_permille : permille);

		rcc_spray_came(&sp, i * 100 * US, path, ce);
		if (!ce || i < 5000)
			continue;
		marks++;
		sum += rcc_spray_mark_weight(&sp, path);
	}
	EXPECT(marks > 100);
	return (double)sum / marks;
}

TEST("A mark weighs nearly all where all paths have as many, however few or many")
{
	static const u32 permille[] = { 5, 20, 50, 100, 200, 500, 800, 1000 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(permille); i++)
		EXPECT(mean_weight(0, 0, permille[i]) >= 900);
}

TEST("A mark weighs next to nothing where a quarter of the paths has them all")
{
	EXPECT(mean_weight(8, 1000, 0) <= 20);
	EXPECT(mean_weight(8, 500, 0) <= 50);
	EXPECT(mean_weight(8, 300, 0) <= 100);
	EXPECT(mean_weight(8, 600, 10) <= 100);
}

TEST("A mark of which only a SACK tells later counts for its path like one that was known at once")
{
	u32 i;

	begin(RCC_SPRAY_RR, 2);
	for (i = 0; i < 100; i++) {
		rcc_spray_came(&sp, i, 0, true);
		rcc_spray_came(&sp, i, 1, false);
		rcc_spray_marked(&sp, 1);
	}
	EXPECT_EQ(sp.path[0].marked, sp.path[1].marked);
	EXPECT_NEAR(sp.path[0].ce, sp.path[1].ce, 4000);
	rcc_spray_marked(&sp, 2);
}

static void expect_sound(void)
{
	u32 i, dead = 0;

	for (i = 0; i < sp.n; i++) {
		dead += sp.path[i].dead;
		EXPECT_EQ(sp.alive >> i & 1, !sp.path[i].dead);
		EXPECT(sp.path[i].weight >= 64 && sp.path[i].weight <= 16 * 1024);
	}
	EXPECT_EQ(sp.dead, dead);
	EXPECT(dead < sp.n && sp.alive >> (sp.n - 1) <= 1);
}

/* One call of any kind, with any path. */
static void random_call(u64 now)
{
	u64 dice = test_random(&seed);
	u32 path = dice % RCC_PATHS_MAX, random = dice >> 32;

	switch (dice >> 8 & 15) {
	case 0:
		if (random % 64 == 0)
			rcc_spray_set(&sp, random >> 8 & 1 ? RCC_SPRAY_ADAPTIVE : random >> 9 & 3, random >> 16, random);
		break;
	case 1:
	case 2:
	case 3:
		path = rcc_spray_pick(&sp, now, random);
		EXPECT(path < sp.n && !sp.path[path].dead);
		break;
	case 4:
		path = rcc_spray_detour(&sp, now, random, path);
		EXPECT(path < sp.n && !sp.path[path].dead);
		break;
	case 5:
		EXPECT(!sp.path[rcc_spray_steady(&sp)].dead);
		break;
	case 6:
		if (rcc_spray_probe(&sp, now) >= 0)
			EXPECT(sp.dead);
		break;
	case 7:
		rcc_spray_rtt(&sp, now, path, random);
		break;
	case 8:
	case 9:
	case 10:
		rcc_spray_lost(&sp, now, path);
		break;
	default:
		rcc_spray_came(&sp, now, path, random & 1);
		EXPECT(rcc_spray_mark_weight(&sp, path) <= 1024);
	}
}

TEST("Over a million calls in any order, with any path, a path that lives is chosen, and counts agree")
{
	u64 now = 1;
	u32 i;

	begin(RCC_SPRAY_ADAPTIVE, RCC_PATHS_MAX);
	for (i = 0; i < 1000000; i++) {
		now += test_random(&seed) % 20000;
		random_call(now);
		if (i % 16 == 0)
			expect_sound();
	}
}
