// SPDX-License-Identifier: GPL-2.0
/* The parts of fabsim that can be tested alone: units, the event list, packets, figures. */
#define TEST_MAIN
#include "test.h"

#undef ARRAY_SIZE
#include "fabsim.h"

void *alloc_zeroed(size_t count, size_t bytes)
{
	return calloc(count, bytes);
}

static u64 rate_of(const char *s)
{
	u64 v = 12345;

	return parse_rate(s, &v) ? NEVER : v;
}

static u64 time_of(const char *s)
{
	u64 v = 12345;

	return parse_time(s, &v) ? NEVER : v;
}

static u64 bytes_of(const char *s)
{
	u64 v = 12345;

	return parse_bytes(s, &v) ? NEVER : v;
}

TEST("Rates, times and sizes are read exactly, with fractions")
{
	EXPECT_EQ(rate_of("100g"), 100000000000ULL);
	EXPECT_EQ(rate_of("100Gbps"), 100000000000ULL);
	EXPECT_EQ(rate_of("1.4G"), 1400000000ULL);
	EXPECT_EQ(rate_of("2500000"), 2500000);
	EXPECT_EQ(time_of("0.001ms"), 1000000);
	EXPECT_EQ(time_of("1us"), 1000000);
	EXPECT_EQ(time_of("1000ns"), 1000000);
	EXPECT_EQ(time_of("2.000000962s"), 2000000962000ULL);
	EXPECT_EQ(time_of("0"), 0);
	EXPECT_EQ(bytes_of("500k"), 500000);
	EXPECT_EQ(bytes_of("32mi"), 32 << 20);
	EXPECT_EQ(bytes_of("1.5KiB"), 1536);
}

TEST("What is no quantity is refused: no number, no such unit, a sign, or too large")
{
	EXPECT_EQ(rate_of(""), NEVER);
	EXPECT_EQ(rate_of("g"), NEVER);
	EXPECT_EQ(rate_of("-1g"), NEVER);
	EXPECT_EQ(rate_of("1.2.3g"), NEVER);
	EXPECT_EQ(rate_of("1 g"), NEVER);
	EXPECT_EQ(rate_of("20000000000000000000g"), NEVER);
	EXPECT_EQ(time_of("5"), NEVER);
	EXPECT_EQ(time_of("5m"), NEVER);
	EXPECT_EQ(time_of("99999999999999999999999999s"), NEVER);
	EXPECT_EQ(bytes_of("5us"), NEVER);
}

/* Timers that note when and in which order they fire. */
#define TIMERS	500

static struct sim sim;
static struct timer timers[TIMERS];
static u64 fired_ps[TIMERS * 4];
static u32 fired_id[TIMERS * 4];
static u32 nfired;

static void note(struct sim *s, struct timer *t)
{
	fired_ps[nfired] = s->now_ps;
	fired_id[nfired++] = t->id;
}

static void timers_begin(u32 count)
{
	static const struct opts opts;
	u32 i;

	memset(&sim, 0, sizeof(sim));
	sim.opts = &opts;
	sim.random = 1;
	nfired = 0;
	for (i = 0; i < count; i++)
		timer_init(&sim, &timers[i], note);
}

static void timers_end(void)
{
	sim_free(&sim);
}

TEST("Timers fire in the order of their times, and those of one time in the order in which they were armed")
{
	u32 i;

	timers_begin(TIMERS);
	for (i = 0; i < TIMERS; i++)
		timer_arm(&sim, &timers[i], sim_random(&sim) % 50);
	sim_run(&sim, 100);
	EXPECT_EQ(nfired, TIMERS);
	for (i = 1; i < TIMERS; i++)
		EXPECT(fired_ps[i] > fired_ps[i - 1] || (fired_ps[i] == fired_ps[i - 1] && fired_id[i] > fired_id[i - 1]));
	timers_end();
}

TEST("A timer that is moved fires once, at its last time; one that is stopped does not fire")
{
	timers_begin(4);
	timer_arm(&sim, &timers[0], 10);
	timer_arm(&sim, &timers[0], 30);
	timer_arm(&sim, &timers[1], 30);
	timer_arm(&sim, &timers[1], 10);
	timer_arm(&sim, &timers[2], 20);
	timer_stop(&timers[2]);
	timer_arm(&sim, &timers[3], 20);
	timer_stop(&timers[3]);
	timer_arm(&sim, &timers[3], 25);
	sim_run(&sim, 100);
	EXPECT_EQ(nfired, 3);
	EXPECT(fired_id[0] == 1 && fired_ps[0] == 10);
	EXPECT(fired_id[1] == 3 && fired_ps[1] == 25);
	EXPECT(fired_id[2] == 0 && fired_ps[2] == 30);
	timers_end();
}

TEST("Timers that are moved at random fire when a plain list says")
{
	static u64 due[TIMERS];
	u64 now = 0;
	u32 i, round, wanted = 0;

	timers_begin(TIMERS);
	memset(due, 0xff, sizeof(due));
	for (round = 0; round < 200; round++) {
		for (i = 0; i < 20; i++) {
			u32 t = sim_random(&sim) % TIMERS;

			due[t] = sim_random(&sim) % 5 ? now + 1 + sim_random(&sim) % 300 : NEVER;
			if (due[t] == NEVER)
				timer_stop(&timers[t]);
			else
				timer_arm(&sim, &timers[t], due[t]);
		}
		nfired = 0;
		sim_run(&sim, now + 10);
		for (wanted = 0, i = 0; i < TIMERS; i++)
			wanted += due[i] <= now + 10;
		EXPECT_EQ(nfired, wanted);
		for (i = 0; i < nfired; i++) {
			EXPECT_EQ(fired_ps[i], due[fired_id[i]]);
			due[fired_id[i]] = NEVER;
		}
		now += 10;
	}
	timers_end();
}

TEST("A run goes on where the last one stopped, and not beyond its end")
{
	timers_begin(2);
	timer_arm(&sim, &timers[0], 10);
	timer_arm(&sim, &timers[1], 20);
	sim_run(&sim, 15);
	EXPECT_EQ(nfired, 1);
	EXPECT_EQ(sim.now_ps, 15);
	sim_run(&sim, 20);
	EXPECT_EQ(nfired, 2);
	timers_end();
}

TEST("The pool gives each packet once, and takes it back")
{
	static struct pkt *taken[10000];
	u64 npkts;
	u32 i;

	timers_begin(0);
	for (i = 0; i < ARRAY_SIZE(taken); i++) {
		taken[i] = pkt_alloc(&sim);
		taken[i]->psn = i;
	}
	npkts = sim.npkts;
	for (i = 0; i < ARRAY_SIZE(taken); i++) {
		EXPECT_EQ(taken[i]->psn, i);
		pkt_free(&sim, taken[i]);
	}
	for (i = 0; i < ARRAY_SIZE(taken); i++)
		taken[i] = pkt_alloc(&sim);
	EXPECT_EQ(sim.npkts, npkts);
	timers_end();
}

TEST("The share of time that a queue spends below a length is known to 1 %")
{
	static struct hist h;
	u64 now = 0, bytes;

	/* one picosecond at each length from 0 to 999,999 */
	for (bytes = 0; bytes < 1000000; bytes++)
		hist_change(&h, now++, bytes);
	hist_change(&h, now, 0);
	EXPECT_NEAR(hist_percentile(&h, 500), 500000, 5000);
	EXPECT_NEAR(hist_percentile(&h, 990), 990000, 9900);
	EXPECT_EQ(hist_percentile(&h, 1000), 999999);
	EXPECT_EQ(h.max_bytes, 999999);
	EXPECT_NEAR(hist_percentile(&h, 0), 0, 0);
}

TEST("A queue that is empty most of the time has a median of 0, and forgets what was before a reset")
{
	static struct hist h;

	hist_change(&h, 100, 5000);
	hist_change(&h, 140, 0);
	EXPECT_EQ(hist_percentile(&h, 500), 0);
	EXPECT_NEAR(hist_percentile(&h, 990), 5000, 50);
	hist_reset(&h, 140);
	hist_change(&h, 200, 0);
	EXPECT_EQ(hist_percentile(&h, 990), 0);
	EXPECT_EQ(h.max_bytes, 0);
}

TEST("Jain's index is 1 for equal shares, 1/n for one that takes all, and 0.9 for 1 and 2")
{
	const u64 equal[] = { 7, 7, 7, 7 }, one[] = { 0, 9, 0, 0 }, two[] = { 1, 2 };

	EXPECT_NEAR(jain(equal, 4), 1, 1e-12);
	EXPECT_NEAR(jain(one, 4), 0.25, 1e-12);
	EXPECT_NEAR(jain(two, 2), 0.9, 1e-12);
	EXPECT_NEAR(jain(one, 1), 0, 1e-12);
}

TEST("Random numbers depend on the seed alone")
{
	struct sim a = { .random = 5 }, b = { .random = 5 }, c = { .random = 6 };
	u32 i, same = 0;

	for (i = 0; i < 1000; i++) {
		u32 x = sim_random(&a);

		EXPECT_EQ(x, sim_random(&b));
		same += x == sim_random(&c);
	}
	EXPECT(same < 3);
}
