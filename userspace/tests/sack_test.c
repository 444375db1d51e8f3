// SPDX-License-Identifier: GPL-2.0
/* The sender's window: what has come, what is lost and when that is known, and what goes again. */
#include "sack.h"
#include "test.h"

#define FIRST		0xfffffff8u	/* numbers wrap 8 packets later */
#define WINDOW		RCC_LINK_WINDOW
#define MAX_WAIT	(16 * MS)
#define US		1000ULL
#define MS		1000000ULL
#define BYTES		4174

static struct rcc_sack s;
static struct rcc_sack_news news;
static char pkts[2 * WINDOW];

static void begin(void)
{
	rcc_sack_init(&s, FIRST, MAX_WAIT);
}

/* Packet @i, of number FIRST + i, leaves. */
static void sent(u64 now, u32 i, u32 path)
{
	EXPECT_EQ(rcc_sack_sent(&s, now, &pkts[i], BYTES, path, false), FIRST + i);
}

/* A SACK: all before @cum have come, and of those from there on the ones in @bits; the echo is of @echo, @delay ago. */
static struct rcc_sack_msg sack(u32 cum, u64 bits, u32 echo, u64 sent_ns, u64 delay)
{
	struct rcc_sack_msg m = {
		.cum = FIRST + cum, .echo_seq = FIRST + echo, .echo_time_ns = sent_ns, .delay_ns = delay,
		.words = bits != 0, .rcvd = { bits },
	};

	return m;
}

/* Take a SACK, and expect @packets to be news. */
static void expect_taken(u64 now, const struct rcc_sack_msg *m, u32 packets)
{
	struct rcc_sack_done done;
	u32 at = 0, n = 0;

	EXPECT(rcc_sack_take(&s, now, m, &news));
	for (; rcc_sack_done(&s, now, m, &at, &done); n++)
		EXPECT_EQ(done.bytes, BYTES);
	EXPECT_EQ(n, packets);
}

/* Expect packet @i, and no other, to be found lost. */
static void expect_lost(u64 now, u32 i, bool timeout)
{
	struct rcc_sack_loss loss;

	EXPECT(now >= s.due_ns);
	EXPECT(rcc_sack_lost(&s, now, &loss));
	EXPECT_EQ(loss.seq, FIRST + i);
	EXPECT_EQ(loss.timeout, timeout);
	EXPECT(!rcc_sack_lost(&s, now, &loss));
}

/* A SACK came that says nothing new: the peer is there, and what it has not told of it has not got. */
static void heard(u64 now)
{
	struct rcc_sack_msg m = sack(s.una - FIRST, 0, WINDOW, 0, 0);

	expect_taken(now, &m, 0);
}

static void expect_none_lost(u64 now)
{
	struct rcc_sack_loss loss;

	EXPECT(!rcc_sack_lost(&s, now, &loss));
	EXPECT(s.due_ns > now);
}

TEST("What a SACK's cumulative number covers is given back in order, and the window moves on")
{
	struct rcc_sack_done done;
	struct rcc_sack_msg m;
	u32 i, at = 0;

	begin();
	for (i = 0; i < WINDOW; i++)
		sent(1000 + i, i, i % 3);
	EXPECT_EQ(rcc_sack_room(&s), 0);
	EXPECT_EQ(s.flying_bytes, WINDOW * BYTES);
	m = sack(100, 0, 99, 1099, 0);
	EXPECT(rcc_sack_take(&s, 5000, &m, &news));
	for (i = 0; i < 100; i++) {
		EXPECT(rcc_sack_done(&s, 5000, &m, &at, &done));
		EXPECT(done.pkt == &pkts[i]);
		EXPECT_EQ(done.path, i % 3);
	}
	EXPECT(!rcc_sack_done(&s, 5000, &m, &at, &done));
	EXPECT_EQ(s.una, FIRST + 100);
	EXPECT_EQ(rcc_sack_room(&s), 100);
	EXPECT_EQ(s.flying, WINDOW - 100);
	EXPECT_EQ(news.rtt_ns, 5000 - 1099);
	EXPECT_EQ(news.rtt_path, 0);
}

TEST("A packet beyond a gap is given back at once, and only once")
{
	struct rcc_sack_done done;
	struct rcc_sack_msg m;
	u32 i, at = 0;

	begin();
	for (i = 0; i < 10; i++)
		sent(1000, i, 0);
	m = sack(2, 1 << 3 | 1 << 5, 7, 1000, 10);
	EXPECT(rcc_sack_take(&s, 2000, &m, &news));
	for (i = 0; i < 4; i++) {
		static const u32 want[] = { 0, 1, 5, 7 };

		EXPECT(rcc_sack_done(&s, 2000, &m, &at, &done));
		EXPECT(done.pkt == &pkts[want[i]]);
	}
	EXPECT(!rcc_sack_done(&s, 2000, &m, &at, &done));
	EXPECT_EQ(s.una, FIRST + 2);
	EXPECT_EQ(s.flying, 6);
	expect_taken(2000, &m, 0);
	m = sack(8, 0, 4, 1000, 10);
	expect_taken(2001, &m, 4);
	EXPECT_EQ(s.una, FIRST + 8);
	m = sack(10, 0, 4, 1000, 10);
	expect_taken(2001, &m, 2);
	EXPECT_EQ(s.flying_bytes, 0);
	EXPECT_EQ(s.due_ns, RCC_SACK_NEVER);
}

TEST("A SACK that is older than the last one says nothing about packets")
{
	struct rcc_sack_msg old, new;
	u32 i;

	begin();
	for (i = 0; i < 200; i++)
		sent(1000, i, 0);
	old = sack(5, 0xf0, 12, 1000, 10);
	new = sack(150, 0x2, 151, 1000, 10);
	expect_taken(2000, &new, 151);
	expect_taken(2001, &old, 0);
	EXPECT_EQ(s.una, FIRST + 150);
}

TEST("A SACK of packets that were never sent is refused, and nothing has changed")
{
	struct rcc_sack before;
	struct rcc_sack_msg m;
	u32 i;

	begin();
	for (i = 0; i < 70; i++)
		sent(1000, i, 0);
	before = s;
	m = sack(71, 0, 3, 1000, 0);
	EXPECT(!rcc_sack_take(&s, 2000, &m, &news));
	m = sack(0, 0, 3, 1000, 0);
	m.words = 2;
	m.rcvd[1] = 1 << 6;
	EXPECT(!rcc_sack_take(&s, 2000, &m, &news));
	m.words = RCC_LINK_WORDS;
	m.rcvd[1] = 0;
	m.rcvd[7] = 1;
	EXPECT(!rcc_sack_take(&s, 2000, &m, &news));
	m = sack(64, 1 << 6, 3, 1000, 0);
	EXPECT(!rcc_sack_take(&s, 2000, &m, &news));
	EXPECT(!memcmp(&s, &before, sizeof(s)));
	m = sack(64, 1 << 5, 3, 1000, 0);
	EXPECT(rcc_sack_take(&s, 2000, &m, &news));
}

TEST("A round trip is measured without the peer's delay, and not from an echo of another sending")
{
	struct rcc_sack_msg m;

	begin();
	sent(1 * MS, 0, 5);
	sent(1 * MS, 1, 6);
	m = sack(1, 0, 0, 1 * MS, 200 * US);
	expect_taken(2 * MS, &m, 1);
	EXPECT_EQ(news.rtt_ns, 800 * US);
	EXPECT_EQ(news.rtt_path, 5);
	EXPECT_EQ(s.path[5].srtt_ns, 800 * US);
	EXPECT_EQ(s.path[6].srtt_ns, 0);
	m = sack(1, 0, 1, 1 * MS + 1, 0);
	expect_taken(2 * MS, &m, 0);
	EXPECT_EQ(news.rtt_ns, 0);
	m = sack(1, 0, 1, 1 * MS, 1 * MS);
	expect_taken(2 * MS, &m, 0);
	EXPECT_EQ(news.rtt_ns, 0);
}

TEST("CE is told of each packet from 64 before the cumulative number on")
{
	struct rcc_sack_done done;
	struct rcc_sack_msg m;
	u32 i, at = 0;

	begin();
	for (i = 0; i < 110; i++)
		sent(1000, i, 0);
	m = sack(100, 1 << 5, 105, 1000, 0);
	m.ce[0] = 1ULL << 0 | 1ULL << 63;
	m.ce[1] = 1 << 5;
	EXPECT(rcc_sack_take(&s, 2000, &m, &news));
	for (i = 0; rcc_sack_done(&s, 2000, &m, &at, &done); i++)
		EXPECT_EQ(done.ce, i == 36 || i == 99 || i == 100);
	EXPECT_EQ(i, 101);
}

/* A path whose round trips have been 1 ms for a second; the degree, on its way down, is set to its floor. */
static u64 settle(u32 paths)
{
	struct rcc_sack_msg m;
	u64 now = 1;
	u32 i;

	begin();
	for (i = 0; i < WINDOW; i++, now += 2 * MS) {
		sent(now, i, i % paths);
		m = sack(i + 1, 0, i, now, 0);
		expect_taken(now + MS, &m, 1);
	}
	EXPECT_EQ(s.srtt_ns, MS);
	EXPECT(s.reo_ns < 800 * US);
	s.reo_ns = 250 * US;
	EXPECT(s.rttvar_ns < 10 * US);
	return now;
}

TEST("A packet is lost once a later one of its path has come and its round trip and the degree have passed")
{
	struct rcc_sack_msg m;
	u64 now = settle(2);

	sent(now, WINDOW, 0);
	sent(now + 1, WINDOW + 1, 0);
	m = sack(WINDOW, 2, WINDOW + 1, now + 1, 0);
	expect_taken(now + MS, &m, 1);
	expect_none_lost(now + MS);
	EXPECT_EQ(s.due_ns, now + 1250 * US);
	expect_none_lost(now + 1250 * US - 1);
	expect_lost(now + 1250 * US, WINDOW, false);
	EXPECT_EQ(s.lost, 1);
	EXPECT_EQ(s.flying, 0);
}

TEST("If only one of another path has come, the deviation of round trips is waited for as well")
{
	struct rcc_sack_msg m;
	u64 now = settle(2);

	s.rttvar_ns = 100 * US;
	sent(now, WINDOW, 0);
	sent(now + 1, WINDOW + 1, 1);
	m = sack(WINDOW, 2, WINDOW + 2, 0, 0);
	expect_taken(now + MS, &m, 1);
	expect_none_lost(now + 1300 * US);
	EXPECT_EQ(s.due_ns, now + 1650 * US);
	expect_none_lost(now + 1650 * US - 1);
	heard(now + 1600 * US);
	expect_lost(now + 1650 * US, WINDOW, false);
}

TEST("While nothing is heard at all, a packet's time waits for the next SACK, or for the time that silence is given")
{
	struct rcc_sack_msg m;
	u64 now = settle(1), silent;

	sent(now, WINDOW, 0);
	sent(now + 1, WINDOW + 1, 0);
	m = sack(WINDOW, 2, WINDOW + 1, now + 1, 0);
	expect_taken(now + MS, &m, 1);
	silent = now + s.srtt_ns + 4 * s.rttvar_ns + s.reo_ns + RCC_SACK_IDLE_NS;
	expect_none_lost(now + 2500 * US);
	expect_none_lost(silent - 1);
	expect_lost(silent, WINDOW, false);

	now = settle(1);
	sent(now, WINDOW, 0);
	sent(now + 1, WINDOW + 1, 0);
	m = sack(WINDOW, 2, WINDOW + 1, now + 1, 0);
	expect_taken(now + MS, &m, 1);
	expect_none_lost(now + 2500 * US);
	heard(now + 2600 * US);
	expect_lost(now + 2600 * US, WINDOW, false);
}

TEST("Evidence that comes after a packet's time has it found lost with the very SACK that brings it")
{
	struct rcc_sack_msg m;
	u64 now = settle(2);

	sent(now, WINDOW, 0);
	sent(now + 1, WINDOW + 1, 0);
	sent(now + 2, WINDOW + 2, 1);
	expect_none_lost(now + 1255 * US);
	EXPECT(s.due_ns > now + 1260 * US);
	m = sack(WINDOW, 2, WINDOW + 1, now + 1, 260 * US);
	expect_taken(now + 1260 * US, &m, 1);
	expect_lost(now + 1260 * US, WINDOW, false);
}

TEST("When nothing comes at all, one packet is found lost by time, then one after ever longer pauses")
{
	u64 now = settle(1), wait = s.srtt_ns + 4 * s.rttvar_ns + s.reo_ns + RCC_SACK_IDLE_NS;
	u32 i;

	for (i = 0; i < 5; i++)
		sent(now, WINDOW + i, 0);
	now += wait;
	for (i = 0; i < 5; i++) {
		expect_none_lost(now - 1);
		expect_lost(now, WINDOW + i, true);
		wait = 2 * wait < MAX_WAIT ? 2 * wait : MAX_WAIT;
		now += wait;
	}
	EXPECT_EQ(s.flying, 0);
	EXPECT_EQ(s.lost, 5);
}

TEST("When only the last SACK is lost, one packet goes again for nothing, and the SACK that it brings ends it")
{
	u64 now = settle(1), wait = s.srtt_ns + 4 * s.rttvar_ns + s.reo_ns + RCC_SACK_IDLE_NS;
	struct rcc_sack_msg m;
	u32 i, seq;

	for (i = 0; i < 20; i++)
		sent(now, WINDOW + i, 0);
	now += wait;
	expect_lost(now, WINDOW, true);
	EXPECT(rcc_sack_repeat(&s, &seq));
	rcc_sack_repeated(&s, now, seq, 0);
	expect_none_lost(now + MS);
	m = sack(WINDOW + 20, 0, WINDOW, now, 0);
	m.dups = 1;
	expect_taken(now + MS, &m, 20);
	EXPECT_EQ(news.spurious, 1);
	EXPECT_EQ(s.una, s.nxt);
	EXPECT_EQ(s.due_ns, RCC_SACK_NEVER);
}

TEST("An ACK is given the longer time that its receiver may take to report it")
{
	u64 now = settle(1), wait = s.srtt_ns + 4 * s.rttvar_ns + s.reo_ns + RCC_SACK_ACK_DELAY_NS;

	rcc_sack_sent(&s, now, &pkts[0], BYTES, 0, true);
	expect_none_lost(now + wait - 1);
	expect_lost(now + wait, WINDOW, true);
}

TEST("Before anything is measured a packet is given twelve milliseconds, or the longest wait if that is less")
{
	begin();
	sent(1, 0, 0);
	expect_none_lost(12 * MS - 1);
	expect_lost(1 + 12 * MS, 0, true);
	rcc_sack_init(&s, FIRST, 3 * MS);
	sent(1, 0, 0);
	expect_none_lost(3 * MS);
	expect_lost(1 + 3 * MS, 0, true);
}

TEST("A lost packet is offered, lowest first, until it is sent again or comes; then it flies, or is done")
{
	struct rcc_sack_msg m;
	struct rcc_sack_ent *e;
	u64 now = settle(1);
	u32 i, seq;

	for (i = 0; i < 4; i++)
		sent(now + i, WINDOW + i, 0);
	m = sack(WINDOW, 8, WINDOW + 3, now + 3, 0);
	expect_taken(now + MS, &m, 1);
	now += 2 * MS;
	heard(now);
	for (i = 0; i < 3; i++) {
		struct rcc_sack_loss loss;

		EXPECT(rcc_sack_lost(&s, now, &loss));
		EXPECT_EQ(loss.seq, FIRST + WINDOW + i);
		EXPECT(!loss.timeout);
	}
	EXPECT_EQ(s.lost, 3);
	EXPECT_EQ(s.flying_bytes, 0);
	e = rcc_sack_repeat(&s, &seq);
	EXPECT(e && e->pkt == &pkts[WINDOW] && seq == FIRST + WINDOW);
	rcc_sack_repeated(&s, now, seq, 7);
	EXPECT_EQ(e->tries, 2);
	EXPECT_EQ(e->path, 7);
	EXPECT_EQ(s.flying_bytes, BYTES);
	m = sack(WINDOW, 2 | 8, WINDOW + 1, now + 1, 0);
	expect_taken(now + 1, &m, 1);
	e = rcc_sack_repeat(&s, &seq);
	EXPECT(e && seq == FIRST + WINDOW + 2);
	rcc_sack_repeated(&s, now + 1, FIRST + WINDOW + 1, 7);
	EXPECT_EQ(s.lost, 1);
	EXPECT_EQ(s.flying, 1);
	m = sack(WINDOW + 4, 0, WINDOW, now, 0);
	expect_taken(now + MS, &m, 2);
	EXPECT_EQ(s.lost, 0);
	EXPECT_EQ(s.flying, 0);
	EXPECT(!rcc_sack_repeat(&s, &seq));
}

TEST("A packet that could not be kept is found lost once, and never offered")
{
	struct rcc_sack_msg m;
	u64 now = settle(1);
	u32 seq;

	rcc_sack_sent(&s, now, NULL, BYTES, 0, false);
	sent(now + 1, WINDOW + 1, 0);
	m = sack(WINDOW, 2, WINDOW + 1, now + 1, 0);
	expect_taken(now + MS, &m, 1);
	heard(now + 2 * MS);
	expect_lost(now + 2 * MS, WINDOW, false);
	EXPECT_EQ(s.lost, 0);
	EXPECT(!rcc_sack_repeat(&s, &seq));
	m = sack(WINDOW + 2, 0, WINDOW + 1, now + 1, 0);
	expect_taken(now + 2 * MS, &m, 1);
	EXPECT_EQ(s.una, s.nxt);
	EXPECT_EQ(s.due_ns, RCC_SACK_NEVER);
}

TEST("What flies behind a lost packet has its time, too, when nothing is left to be sent again")
{
	struct rcc_sack_msg m;
	u64 now = settle(1);

	rcc_sack_sent(&s, now, NULL, BYTES, 0, false);
	sent(now + 1, WINDOW + 1, 0);
	sent(now + 2, WINDOW + 2, 0);
	m = sack(WINDOW, 2, WINDOW + 1, now + 1, 0);
	expect_taken(now + MS, &m, 1);
	heard(now + 2 * MS);
	expect_lost(now + 2 * MS, WINDOW, false);
	EXPECT(s.due_ns < now + 100 * MS);
	expect_lost(s.due_ns, WINDOW + 2, true);
}

/* Packet @i is found lost at @now, since the one behind it has come, and goes again. */
static void lose_and_repeat(u64 now, u32 i)
{
	struct rcc_sack_msg m;
	u32 seq;

	sent(now, i, 0);
	sent(now + 1, i + 1, 0);
	m = sack(i, 2, i + 1, now + 1, 0);
	expect_taken(now + MS, &m, 1);
	heard(now + 2 * MS);
	expect_lost(now + 2 * MS, i, false);
	EXPECT(rcc_sack_repeat(&s, &seq));
	rcc_sack_repeated(&s, now + 2 * MS, seq, 0);
}

TEST("A repeat for nothing is counted; the degree grows to what the first sending would have needed")
{
	struct rcc_sack_msg m;
	u64 now = settle(1);

	lose_and_repeat(now, WINDOW);
	m = sack(WINDOW + 2, 0, WINDOW, now, 0);
	m.dups = 1;
	expect_taken(now + 4 * MS, &m, 1);
	EXPECT_EQ(news.spurious, 1);
	/* it took 4 ms where 1 is usual: a quarter more than 3, twice */
	EXPECT_NEAR(s.reo_ns, 7500 * US, 10);
	expect_taken(now + 4 * MS, &m, 0);
	EXPECT_EQ(news.spurious, 0);
	EXPECT_NEAR(s.reo_ns, 7500 * US, 10);
}

TEST("A packet that the network doubles is no repeat for nothing")
{
	struct rcc_sack_msg m;
	u64 now = settle(1);

	sent(now, WINDOW, 0);
	m = sack(WINDOW + 1, 0, WINDOW, now, 0);
	m.dups = 1;
	expect_taken(now + MS, &m, 1);
	EXPECT_EQ(news.spurious, 0);
	EXPECT(s.reo_ns < 260 * US);
}

TEST("A packet that was overtaken and came teaches how late packets may be")
{
	struct rcc_sack_msg m;
	u64 now = settle(1);

	sent(now, WINDOW, 0);
	sent(now + 1, WINDOW + 1, 0);
	m = sack(WINDOW, 2, WINDOW + 9, 0, 0);
	expect_taken(now + 900 * US, &m, 1);
	m = sack(WINDOW + 2, 0, WINDOW + 9, 0, 0);
	expect_taken(now + 1800 * US, &m, 1);
	EXPECT_EQ(s.reo_ns, 1000 * US);
}

TEST("A trailer's ack takes what it covers; that of a packet that was never sent takes nothing")
{
	struct rcc_sack_done done;
	u64 now = settle(1);
	u32 i;

	for (i = 0; i < 10; i++)
		sent(now, WINDOW + i, 0);
	EXPECT(!rcc_sack_cum(&s, now + MS, FIRST + WINDOW + 11, &done));
	for (i = 0; i < 7; i++) {
		EXPECT(rcc_sack_cum(&s, now + MS, FIRST + WINDOW + 7, &done));
		EXPECT(done.pkt == &pkts[WINDOW + i] && done.bytes == BYTES && !done.ce);
	}
	EXPECT(!rcc_sack_cum(&s, now + MS, FIRST + WINDOW + 7, &done));
	EXPECT(!rcc_sack_cum(&s, now + MS, FIRST + 3, &done));
	EXPECT_EQ(s.una, FIRST + WINDOW + 7);
	EXPECT_EQ(s.flying, 3);
}

TEST("CE of packets that a trailer's ack has taken is told once, when the SACK comes")
{
	struct rcc_sack_done done;
	struct rcc_sack_msg m;
	u64 now = settle(1);
	u32 i, at = 0;

	for (i = 0; i < 10; i++)
		sent(now, WINDOW + i, i);
	for (i = 0; i < 8; i++)
		EXPECT(rcc_sack_cum(&s, now + MS, FIRST + WINDOW + 8, &done));
	m = sack(WINDOW + 9, 0, WINDOW, 0, 0);
	m.ce[0] = 0xfULL << 60 | 1;	/* packets 5 to 8, and one of long ago */
	EXPECT(rcc_sack_take(&s, now + MS, &m, &news));
	EXPECT(rcc_sack_done(&s, now + MS, &m, &at, &done));
	EXPECT(done.pkt == &pkts[WINDOW + 8] && done.ce);
	for (i = 5; i < 8; i++) {
		EXPECT(rcc_sack_done(&s, now + MS, &m, &at, &done));
		EXPECT(!done.pkt && !done.bytes && done.ce && done.path == i);
	}
	EXPECT(!rcc_sack_done(&s, now + MS, &m, &at, &done));
	at = 0;
	EXPECT(!rcc_sack_done(&s, now + MS, &m, &at, &done));
}

TEST("A purge gives back what is kept, flying or lost, and leaves an empty window")
{
	struct rcc_sack_msg m;
	u64 now = settle(1);
	u32 i;

	for (i = 0; i < 6; i++)
		sent(now + i, WINDOW + i, 0);
	m = sack(WINDOW, 0x2a, WINDOW + 5, now + 5, 0);
	expect_taken(now + MS, &m, 3);
	for (i = 0; i < 3; i++)
		EXPECT(rcc_sack_purge(&s) == &pkts[WINDOW + 2 * i]);
	EXPECT(!rcc_sack_purge(&s));
	EXPECT_EQ(s.una, s.nxt);
	EXPECT_EQ(s.flying, 0);
	EXPECT_EQ(s.flying_bytes, 0);
	EXPECT_EQ(s.due_ns, RCC_SACK_NEVER);
}
