// SPDX-License-Identifier: GPL-2.0
/*
 * Ways through the fabric. See spray.h.
 *
 * Adaptive: a path's debt grows by cost * (packets on their way) * time, and by a little with each packet. The path with the
 * least debt is next, so all have the same mean number of packets on their way, divided by cost. A real path that is full, slow
 * or broken holds its packets longer, and is left alone at once, long before anything is measured. Real paths that serve more
 * of our ports than others would still be fuller than they; so, once per round, cost rises where packets take longer than
 * the median, or come with CE more often, and falls where they take less.
 *
 * Dead: so many losses in a row, with nothing come in between, that chance would do it once in 10^5 packets, given how often
 * packets are lost on paths that live; and others have come by other paths in the meantime.
 */
#include "spray.h"

#define PORT_FIRST	0xc000u
#define PORT_MASK	0x3fffu
#define WEIGHT_MIN	(RCC_SPRAY_WEIGHT / 16)
#define WEIGHT_MAX	(RCC_SPRAY_WEIGHT * 16)
#define COST_SHIFT	10
#define CE_ONE		65536u
#define CE_SHIFT	5		/* smoothing: a 32nd */
#define CE_NOISE	(CE_ONE / 16)	/* what chance makes of smoothed marks */
#define LOSS_SHIFT	13		/* smoothing of losses */
#define WAY_PACKETS	4		/* packets for a mean delay */
#define ROUND_MIN_NS	1000000ULL
#define STALE_NS	1000000000ULL	/* nothing is on its way that long */
#define PROBE_MIN_NS	1000000ULL
#define PROBE_MAX_NS	100000000ULL
#define SUSPECT_GAP_NS	100000000ULL	/* paths that have just been probed need no suspicion */

/* Numbers with a period of 2^14: ports that look random, each once. */
static u32 next_port(u32 port)
{
	return PORT_FIRST | ((port * 4093u + 3571u) & PORT_MASK);
}

static bool port_used(const struct rcc_spray *sp, u32 before, u32 port)
{
	u32 i;

	for (i = 0; i < before; i++)
		if (sp->path[i].port == port)
			return true;
	return false;
}

static void set_meter(struct rcc_spray_meter *m, u32 flying, u32 cost)
{
	m->flying = flying;
	m->cost = cost;
	m->rate = (u64)flying * cost;
}

static void new_path(struct rcc_spray *sp, u32 path, u16 port)
{
	struct rcc_spray_path *p = &sp->path[path];

	memset(p, 0, sizeof(*p));
	p->port = port;
	p->weight = RCC_SPRAY_WEIGHT;
	p->cames_seen = sp->cames;
	sp->alive |= 1ULL << path;
	sp->meter[path] = (struct rcc_spray_meter) { .debt = sp->paid, .cost = 1 << COST_SHIFT };
}

/* Paths @from to @sp->n - 1 are new. */
static void new_paths(struct rcc_spray *sp, u32 from, u32 seed)
{
	u32 port = PORT_FIRST | ((seed ^ seed >> 16) & PORT_MASK), i;

	for (i = from; i < sp->n; i++) {
		while (port_used(sp, i, port))
			port = next_port(port);
		new_path(sp, i, port);
	}
}

static void set_alive(struct rcc_spray *sp, u32 path)
{
	sp->known -= sp->path[path].known;
	sp->path[path].known = false;
	sp->path[path].dead = false;
	sp->dead--;
	sp->alive |= 1ULL << path;
}

static u32 paths_of(enum rcc_spray_mode mode, u32 n)
{
	return mode == RCC_SPRAY_NONE ? 1 : rcc_clamp64(n, 1, RCC_PATHS_MAX);
}

/**
 * rcc_spray_init() - begin
 * @sp: all paths
 * @mode: how to spray
 * @n: how many paths; what is below 1 or beyond RCC_PATHS_MAX counts as that
 * @port0: rxe's own port, path 0
 * @seed: random; decides the other ports: 0xc000..0xffff, all different
 */
void rcc_spray_init(struct rcc_spray *sp, enum rcc_spray_mode mode, u32 n, u16 port0, u32 seed)
{
	memset(sp, 0, sizeof(*sp));
	sp->mode = mode;
	sp->n = paths_of(mode, n);
	new_path(sp, 0, port0);
	new_paths(sp, 1, seed);
}

/**
 * rcc_spray_set() - another mode or number of paths, under traffic
 * @sp: all paths
 * @mode: how to spray from now on
 * @n: how many paths, as in rcc_spray_init()
 * @seed: random; decides the ports of paths that are new
 *
 * What is known of paths that stay is kept. Packets may still be on their way by paths that go: rcc_spray_came() and
 * rcc_spray_lost() may be told of them, and ignore them.
 */
void rcc_spray_set(struct rcc_spray *sp, enum rcc_spray_mode mode, u32 n, u32 seed)
{
	u32 before = sp->n, i;

	sp->mode = mode;
	sp->n = paths_of(mode, n);
	new_paths(sp, before, seed);
	sp->turn = 0;
	sp->head = 0;
	sp->cached = 0;
	sp->dead = 0;
	sp->known = 0;
	sp->alive &= ~0ULL >> (64 - sp->n);
	for (i = 0; i < sp->n; i++) {
		set_meter(&sp->meter[i], 0, sp->meter[i].cost);
		sp->dead += sp->path[i].dead;
		sp->known += sp->path[i].known;
	}
	if (!sp->alive)
		set_alive(sp, 0);
}

/* How long a path with packets on their way has not paid. */
static u64 unpaid_ns(const struct rcc_spray_meter *m, u64 now_ns)
{
	return now_ns > m->charged_ns ? rcc_min64(now_ns - m->charged_ns, STALE_NS) : 0;
}

/*
 * A path pays for its packets up to now; from here on it has one more, or one less. Those of which nothing was heard for so
 * long will not be heard of.
 */
static void charge(struct rcc_spray *sp, u64 now_ns, u32 path, bool more)
{
	struct rcc_spray_meter *m = &sp->meter[path];
	u64 ns = unpaid_ns(m, now_ns);
	u32 flying = ns < STALE_NS ? m->flying : 0;

	sp->path[path].way_ns += ns * m->flying;
	m->debt += ns * m->rate >> COST_SHIFT;
	m->charged_ns = now_ns;
	set_meter(m, more ? flying + 1 : flying - (flying > 0), m->cost);
}

/* Of @left, not empty, the path that has paid least. */
static u32 cheapest(struct rcc_spray *sp, u64 now_ns, u64 left)
{
	u64 debt, least = ~0ULL;
	u32 i, best = 0;

	for (; left; left &= left - 1) {
		const struct rcc_spray_meter *m;

		i = __builtin_ctzll(left);
		m = &sp->meter[i];
		debt = m->debt;
		if (m->rate)
			debt += unpaid_ns(m, now_ns) * m->rate >> COST_SHIFT;
		if (debt < least) {
			least = debt;
			best = i;
		}
	}
	sp->paid = least;
	return best;
}

/* The first path that lives, from @path on, not @but unless it is the only one. */
static u32 living(const struct rcc_spray *sp, u32 path, u32 but)
{
	u32 i;

	for (i = 0; i < sp->n; i++, path++) {
		if (path >= sp->n)
			path = 0;
		if (!sp->path[path].dead && path != but)
			return path;
	}
	return but;
}

static u32 by_chance(const struct rcc_spray *sp, u32 random, u32 but)
{
	return living(sp, (u64)random * sp->n >> 32, but);
}

static u32 recycled(struct rcc_spray *sp, u32 random)
{
	u32 path;

	while (sp->cached) {
		path = sp->cache[sp->head];
		sp->head = (sp->head + 1) % RCC_PATHS_MAX;
		sp->cached--;
		if (path < sp->n && !sp->path[path].dead)
			return path;
	}
	return by_chance(sp, random, RCC_PATHS_MAX);
}

/* A packet leaves by @path. */
static u32 leave(struct rcc_spray *sp, u64 now_ns, u32 path)
{
	struct rcc_spray_meter *m = &sp->meter[path];

	sp->path[path].sent++;
	sp->path[path].left_at = sp->cames;
	if (sp->mode != RCC_SPRAY_ADAPTIVE) {
		m->flying++;
		return path;
	}
	charge(sp, now_ns, path, true);
	m->debt += (sp->median_delay_ns >> 2) * m->cost >> COST_SHIFT;
	return path;
}

/**
 * rcc_spray_sent() - a packet leaves by a path that was not chosen for it: an ACK, or the only path
 * @sp: all paths
 * @now_ns: time
 * @path: by which
 */
void rcc_spray_sent(struct rcc_spray *sp, u64 now_ns, u32 path)
{
	sp->path[path].sent++;
	sp->path[path].left_at = sp->cames;
	if (sp->mode == RCC_SPRAY_ADAPTIVE)
		charge(sp, now_ns, path, true);
}

/**
 * rcc_spray_pick() - path for the next data packet
 * @sp: all paths
 * @now_ns: time
 * @random: 32 random bits
 *
 * Return: a path, counted as sent by.
 */
u32 rcc_spray_pick(struct rcc_spray *sp, u64 now_ns, u32 random)
{
	switch (sp->mode) {
	case RCC_SPRAY_RR:
		sp->turn = living(sp, sp->turn + 1, RCC_PATHS_MAX);
		return leave(sp, now_ns, sp->turn);
	case RCC_SPRAY_RANDOM:
		return leave(sp, now_ns, by_chance(sp, random, RCC_PATHS_MAX));
	case RCC_SPRAY_REPS:
		return leave(sp, now_ns, recycled(sp, random));
	case RCC_SPRAY_ADAPTIVE:
		return leave(sp, now_ns, cheapest(sp, now_ns, sp->alive));
	}
	return leave(sp, now_ns, 0);
}

/**
 * rcc_spray_steady() - path for packets that are not sprayed (ACKs)
 * @sp: all paths
 *
 * Few packets leave by it, so it would take long to find out that it is dead: one loss is enough to leave it.
 *
 * Return: the first path that lives and by which nothing was lost since a packet came.
 */
u32 rcc_spray_steady(struct rcc_spray *sp)
{
	u32 i;

	for (i = 0; i < sp->n; i++)
		if (!sp->path[i].dead && !sp->path[i].misses)
			return i;
	return living(sp, 0, RCC_PATHS_MAX);
}

/* Paths by which the last packets have come: one that breaks now is not among them for long. */
static u64 proven(const struct rcc_spray *sp)
{
	u64 paths = 0;
	u32 i;

	for (i = 0; i < sp->n; i++)
		if (!sp->path[i].dead && sp->path[i].came && sp->cames - sp->path[i].cames_seen < sp->n / 4)
			paths |= 1ULL << i;
	return paths;
}

/**
 * rcc_spray_detour() - path for a packet that is sent again
 * @sp: all paths
 * @now_ns: time
 * @random: 32 random bits
 * @lost_by: the path that has lost it
 *
 * Return: a path, counted as sent by; not @lost_by if another lives, and one by which a packet has just come if there is one.
 */
u32 rcc_spray_detour(struct rcc_spray *sp, u64 now_ns, u32 random, u32 lost_by)
{
	u64 others = sp->alive & ~(1ULL << lost_by % RCC_PATHS_MAX), good = proven(sp) & others;

	if (!others)
		return leave(sp, now_ns, living(sp, lost_by, RCC_PATHS_MAX));
	if (sp->mode == RCC_SPRAY_ADAPTIVE || good)
		return leave(sp, now_ns, cheapest(sp, now_ns, good ? good : others));
	return leave(sp, now_ns, by_chance(sp, random, lost_by));
}

/* Put a value in its place; @n are there already. */
static void insert(u32 *sorted, u32 n, u32 v)
{
	for (; n && sorted[n - 1] > v; n--)
		sorted[n] = sorted[n - 1];
	sorted[n] = v;
}

static u32 median_ce(const struct rcc_spray *sp)
{
	u32 sorted[RCC_PATHS_MAX], n = 0, i;

	for (i = 0; i < sp->n; i++)
		if (!sp->path[i].dead)
			insert(sorted, n++, sp->path[i].ce);
	return n ? sorted[n / 2] : 0;
}

/* Delays are compared in microseconds. */
static u64 median_delay(const struct rcc_spray *sp)
{
	u32 sorted[RCC_PATHS_MAX], n = 0, i;

	for (i = 0; i < sp->n; i++)
		if (!sp->path[i].dead && sp->path[i].delay_ns)
			insert(sorted, n++, sp->path[i].delay_ns >> 10);
	return n ? (u64)sorted[n / 2] << 10 : 0;
}

/* How long do packets take? That of those that are still on their way counts in part, so best there are none. */
static bool measured(struct rcc_spray_path *p, u32 flying)
{
	if (p->way_packets < WAY_PACKETS || (flying && p->way_packets < 4 * WAY_PACKETS))
		return false;
	p->delay_ns = rcc_div64(p->way_ns, p->way_packets);
	p->way_ns = 0;
	p->way_packets = 0;
	return true;
}

/*
 * Fuller than others, or emptier? A quarter of the difference is made up for, at most half of the weight. Where nothing tells
 * paths apart, the pull to the usual weight keeps noise from doing so.
 */
static void weigh(const struct rcc_spray *sp, struct rcc_spray_path *p)
{
	u64 usual = sp->median_delay_ns, off;

	if (!usual)
		return;
	off = p->delay_ns < usual ? usual - p->delay_ns : p->delay_ns - usual;
	off = rcc_div64(p->weight * rcc_min64(off, 2 * usual) / 4, usual);
	if (p->ce > sp->median_ce + CE_NOISE)
		p->weight -= p->weight / 8;
	else if (p->delay_ns < usual)
		p->weight += off;
	else
		p->weight -= off;
	p->weight += RCC_SPRAY_WEIGHT / 64 - p->weight / 64;
}

/* Weights are RCC_SPRAY_WEIGHT in the mean. */
static void weigh_all(struct rcc_spray *sp)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < sp->n; i++) {
		if (measured(&sp->path[i], sp->meter[i].flying))
			weigh(sp, &sp->path[i]);
		sum += sp->path[i].weight;
	}
	for (i = 0; i < sp->n; i++) {
		struct rcc_spray_path *p = &sp->path[i];

		p->weight = rcc_clamp64(rcc_div64((u64)p->weight * RCC_SPRAY_WEIGHT * sp->n, sum), WEIGHT_MIN, WEIGHT_MAX);
		set_meter(&sp->meter[i], sp->meter[i].flying, rcc_div64(1ULL << (2 * COST_SHIFT), p->weight));
	}
	sp->median_delay_ns = median_delay(sp);
}

/* Once in a round trip or so. */
static void new_round(struct rcc_spray *sp, u64 now_ns)
{
	sp->median_ce = median_ce(sp);
	if (sp->mode == RCC_SPRAY_ADAPTIVE)
		weigh_all(sp);
	sp->round_ns = now_ns + rcc_max64(rcc_spray_median_rtt(sp), ROUND_MIN_NS);
}

/* One of a path's packets is not on its way any longer. Returns false if it was not one that took the path by choice. */
static bool arrive(struct rcc_spray *sp, u64 now_ns, u32 path)
{
	struct rcc_spray_meter *m = &sp->meter[path];
	bool sprayed = m->flying;

	if (sp->mode == RCC_SPRAY_ADAPTIVE) {
		charge(sp, now_ns, path, false);
		sp->path[path].way_packets++;
	} else {
		m->flying -= sprayed;
	}
	return sprayed;
}

/* The path lives, as a packet by it shows. */
static bool revive(struct rcc_spray *sp, u32 path)
{
	struct rcc_spray_path *p = &sp->path[path];
	bool was_known = p->known;

	/* smoothed as one packet of that many losses */
	sp->loss += (p->misses * CE_ONE >> LOSS_SHIFT) - (sp->loss >> LOSS_SHIFT);
	p->misses = 0;
	p->cames_seen = ++sp->cames;
	if (!p->dead)
		return false;
	sp->meter[path].debt = rcc_max64(sp->meter[path].debt, sp->paid);
	set_alive(sp, path);
	return was_known;
}

/**
 * rcc_spray_came() - a packet has come by a path
 * @sp: all paths
 * @now_ns: time
 * @path: by which
 * @ce: with CE
 *
 * Return: true if the path was known to be dead and lives again.
 */
bool rcc_spray_came(struct rcc_spray *sp, u64 now_ns, u32 path, bool ce)
{
	struct rcc_spray_path *p;
	bool sprayed;

	if (path >= sp->n)
		return false;
	p = &sp->path[path];
	p->came++;
	p->marked += ce;
	p->ce += (ce ? (CE_ONE - 1) >> CE_SHIFT : 0) - (p->ce >> CE_SHIFT);
	/* what left without a choice, see rcc_spray_sent(), is not recycled */
	sprayed = arrive(sp, now_ns, path);
	if (sp->mode == RCC_SPRAY_REPS && sprayed && !ce && sp->cached < RCC_PATHS_MAX)
		sp->cache[(sp->head + sp->cached++) % RCC_PATHS_MAX] = path;
	if (now_ns >= sp->round_ns)
		new_round(sp, now_ns);
	return revive(sp, path);
}

/**
 * rcc_spray_marked() - a packet of which rcc_spray_came() has told came with CE, as is known only now
 * @sp: all paths
 * @path: by which it came
 */
void rcc_spray_marked(struct rcc_spray *sp, u32 path)
{
	struct rcc_spray_path *p;

	if (path >= sp->n)
		return;
	p = &sp->path[path];
	p->marked++;
	p->ce = rcc_min64(p->ce + (CE_ONE >> CE_SHIFT), CE_ONE - 1);
}

static void remove(u32 *sorted, u32 n, u32 v)
{
	u32 i = 0;

	while (i < n - 1 && sorted[i] != v)
		i++;
	for (; i < n - 1; i++)
		sorted[i] = sorted[i + 1];
}

/**
 * rcc_spray_rtt() - a round trip was measured
 * @sp: all paths
 * @now_ns: time
 * @path: by which path
 * @rtt_ns: what it took
 */
void rcc_spray_rtt(struct rcc_spray *sp, u64 now_ns, u32 path, u64 rtt_ns)
{
	u32 rtt = rcc_min64(rtt_ns, ~0U);
	struct rcc_spray_path *p;

	if (path >= sp->n)
		return;
	p = &sp->path[path];
	p->rtt_ns = p->rtt_ns ? p->rtt_ns - p->rtt_ns / 4 + rtt_ns / 4 : rtt_ns;
	if (sp->rtts == RCC_SPRAY_RTTS)
		remove(sp->sorted, sp->rtts--, sp->rtt[sp->rtt_at]);
	insert(sp->sorted, sp->rtts++, rtt);
	sp->rtt[sp->rtt_at] = rtt;
	sp->rtt_at = (sp->rtt_at + 1) % RCC_SPRAY_RTTS;
}

/* Losses in a row that are more than chance. */
static u32 misses_of_dead(const struct rcc_spray *sp)
{
	static const struct {
		u32 loss;
		u32 misses;
	} table[] = {
		{ CE_ONE / 2000, 1 }, { CE_ONE / 300, 2 }, { CE_ONE / 50, 3 }, { CE_ONE / 15, 4 }, { CE_ONE / 6, 6 },
	};
	u32 i;

	for (i = 4 * sp->known < 3 * sp->n ? 0 : 4; i < sizeof(table) / sizeof(table[0]); i++)
		if (sp->loss < table[i].loss)
			return table[i].misses;
	return 10;
}

static void set_dead(struct rcc_spray *sp, u64 now_ns, u32 path)
{
	struct rcc_spray_path *p = &sp->path[path];

	if (p->dead)
		return;
	p->dead = true;
	sp->dead++;
	sp->alive &= ~(1ULL << path);
	p->probe_ns = now_ns;
	p->probe_gap_ns = rcc_clamp64(2 * rcc_spray_median_rtt(sp), PROBE_MIN_NS, PROBE_MAX_NS);
}

/*
 * Paths that have brought nothing since the lost packet left may be dead too, unless that is nearly all of them. Where a path is
 * only slow, or loses now and then, this would be too dear to be done with each loss.
 */
static void suspect_others(struct rcc_spray *sp, u64 now_ns, u32 left_at)
{
	u64 silent = 0;
	u32 i, proven = 0;

	for (i = 0; i < sp->n; i++) {
		if (sp->path[i].dead)
			continue;
		if ((s32)(sp->path[i].cames_seen - left_at) > 0)
			proven++;
		else
			silent |= 1ULL << i;
	}
	if (proven < 2 || 8 * proven < sp->n || now_ns < sp->suspect_ns)
		return;
	sp->suspect_ns = now_ns + SUSPECT_GAP_NS;
	for (; silent; silent &= silent - 1)
		set_dead(sp, now_ns, __builtin_ctzll(silent));
}

/**
 * rcc_spray_lost() - a packet was lost
 * @sp: all paths
 * @now_ns: time
 * @path: by which path it had left
 *
 * The last path that lives never dies, nor does any while nothing comes at all: then it is the peer that is gone.
 *
 * Return: true if the path is known to be dead from now on.
 */
bool rcc_spray_lost(struct rcc_spray *sp, u64 now_ns, u32 path)
{
	u32 enough = misses_of_dead(sp);
	struct rcc_spray_path *p;

	if (path >= sp->n)
		return false;
	p = &sp->path[path];
	p->lost++;
	p->misses += p->misses < 255;
	arrive(sp, now_ns, path);
	if (p->known || p->misses < enough || sp->cames - p->cames_seen < enough || (!p->dead && sp->dead + 1 >= sp->n))
		return false;
	set_dead(sp, now_ns, path);
	p->known = true;
	sp->known++;
	suspect_others(sp, now_ns, p->left_at);
	return true;
}

/**
 * rcc_spray_probe() - a dead path that is to be tried
 * @sp: all paths
 * @now_ns: time
 *
 * Return: a path, noted as tried now; -1: none.
 */
int rcc_spray_probe(struct rcc_spray *sp, u64 now_ns)
{
	u32 i;

	for (i = 0; sp->dead && i < sp->n; i++) {
		struct rcc_spray_path *p = &sp->path[i];

		if (!p->dead || now_ns < p->probe_ns)
			continue;
		p->probe_ns = now_ns + p->probe_gap_ns;
		p->probe_gap_ns = rcc_min64(2 * p->probe_gap_ns, PROBE_MAX_NS);
		return i;
	}
	return -1;
}

/**
 * rcc_spray_probe_due() - when is a dead path to be tried?
 * @sp: all paths
 *
 * Return: the time, or RCC_SACK_NEVER.
 */
u64 rcc_spray_probe_due(const struct rcc_spray *sp)
{
	u64 due = RCC_SACK_NEVER;
	u32 i;

	for (i = 0; sp->dead && i < sp->n; i++)
		if (sp->path[i].dead)
			due = rcc_min64(due, sp->path[i].probe_ns);
	return due;
}

/**
 * rcc_spray_mark_weight() - what does a CE mark say of the fabric as a whole?
 * @sp: all paths
 * @path: the path of the packet that had it
 *
 * Where one path has more marks than the median, that is for the spray to mend and not for the rate.
 *
 * Return: 0, nothing, to 1024, all; always 1024 if there is one path.
 */
u32 rcc_spray_mark_weight(struct rcc_spray *sp, u32 path)
{
	u64 usual = sp->median_ce + CE_NOISE, own, share;

	if (sp->n == 1 || path >= sp->n)
		return 1024;
	own = sp->path[path].ce;
	if (own <= usual)
		return 1024;
	share = rcc_div64(1024 * usual, own);
	return share * share >> 10;
}

/**
 * rcc_spray_median_rtt() - the usual round trip
 * @sp: all paths
 *
 * Return: the median of the last ones, by any path; with one path the last one, smoothed; 0: none was measured.
 */
u64 rcc_spray_median_rtt(struct rcc_spray *sp)
{
	if (sp->n == 1)
		return sp->path[0].rtt_ns;
	return sp->rtts ? sp->sorted[sp->rtts / 2] : 0;
}
