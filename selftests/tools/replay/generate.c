// SPDX-License-Identifier: GPL-2.0
/*
 * rcc_replay generate: random flows of an algorithm, with what it decides here.
 *
 * Plausible in the main: packets leave about as fast as decided, times of congestion come and go, round trips grow and CNPs
 * come while they last. Now and then nothing is plausible: no time or seconds pass, and fields have their least and greatest
 * values. The contract is kept: time never goes back, and parameters are ones that the module would take.
 */
#include "replay.h"

#define LINE_MAX_BPS	(800000 * RCC_BPS_PER_MBPS)
#define MOOD_EVENTS	100	/* a time of congestion, or without, lasts so many on average */
#define ODD_ONE_IN	64	/* events with an extreme in one of their fields */

struct gen {
	uint64_t random;
	struct vec_flow flow;
	struct rcc_decision decision;
	uint64_t now_ns;
	bool congested;
};

/* splitmix64 */
static uint64_t draw(struct gen *g)
{
	uint64_t z = g->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* 0 to @n - 1 */
static uint64_t below(struct gen *g, uint64_t n)
{
	return draw(g) % n;
}

static bool one_in(struct gen *g, uint64_t n)
{
	return !below(g, n);
}

/* @lo to @hi, each order of magnitude as often as any other */
static uint64_t spread(struct gen *g, uint64_t lo, uint64_t hi)
{
	unsigned int bits = 64 - __builtin_clzll(hi | 1);

	bits = 1 + below(g, bits);
	return rcc_clamp64(draw(g) >> (64 - bits), lo, hi);
}

static uint64_t some_line_bps(struct gen *g)
{
	static const uint64_t mbps[] = { 1, 10, 100, 200, 1000, 10000, 25000, 40000, 100000, 200000, 400000, 800000 };

	if (one_in(g, 4))
		return spread(g, RCC_BPS_PER_MBPS, LINE_MAX_BPS);
	return mbps[below(g, ARRAY_SIZE(mbps))] * RCC_BPS_PER_MBPS;
}

/* A new QP, one of an old caller, or an algorithm that takes over at any rate. */
static uint64_t some_start_bps(struct gen *g, uint64_t line_bps)
{
	switch (below(g, 4)) {
	case 0:
		return line_bps;
	case 1:
		return 0;
	default:
		return spread(g, 1, line_bps);
	}
}

static struct rcc_path some_path(struct gen *g)
{
	static const u32 mtu[] = { 82, 342, 1110, 2134, 4182, 9216 };
	struct rcc_path path = {};

	path.line_bps = some_line_bps(g);
	path.base_rtt_ns = one_in(g, 8) ? spread(g, 1, RCC_NSEC_PER_SEC) : 1000 + below(g, 200000);
	path.start_bps = some_start_bps(g, path.line_bps);
	path.mtu_bytes = mtu[below(g, ARRAY_SIZE(mtu))];
	return path;
}

static uint64_t some_value(struct gen *g, const struct rcc_param *p, uint64_t value)
{
	switch (below(g, 8)) {
	case 0:
		return p->min;
	case 1:
		return p->max;
	case 2:
	case 3:
		return spread(g, p->min, p->max);
	case 4:
		return rcc_clamp64(value / 2 + below(g, value + 1), p->min, p->max);
	default:
		return value;
	}
}

static void some_values(struct gen *g, const struct rcc_alg *alg, struct rcc_values *v)
{
	uint64_t value;
	unsigned int i;

	for (i = 0; i < alg->nparams; i++) {
		value = some_value(g, &alg->params[i], v->v[i]);
		/* refused: it contradicts another one, and the old value stays */
		rcc_param_set(alg, v, i, value);
	}
}

static void load_values(struct gen *g, int profile)
{
	struct rcc_replay_head *head = &g->flow.head;

	if (profile != RCC_PROFILE_CUSTOM) {
		rcc_params_load(g->flow.alg, profile, &head->path, &head->values);
		return;
	}
	rcc_params_load(g->flow.alg, below(g, RCC_PROFILES_SET), &head->path, &head->values);
	some_values(g, g->flow.alg, &head->values);
}

/* The time that a packet takes at the rate decided. */
static uint64_t gap_ns(const struct gen *g)
{
	return g->flow.head.path.mtu_bytes * 8 * RCC_NSEC_PER_SEC / rcc_max64(g->decision.rate_bps, 1);
}

static uint64_t some_step_ns(struct gen *g)
{
	if (one_in(g, 256))
		return spread(g, 1, 10 * RCC_NSEC_PER_SEC);
	switch (below(g, 8)) {
	case 0:
		return 0;
	case 1:
		return below(g, 1000 * RCC_NSEC_PER_USEC);
	case 2:
	case 3:
		return below(g, 2 * g->flow.head.path.base_rtt_ns + 1);
	default:
		/* one that was sent behind others waits at most for a second */
		return rcc_min64(gap_ns(g), RCC_NSEC_PER_SEC);
	}
}

static unsigned int some_type(struct gen *g)
{
	unsigned int dice = below(g, 100);

	if (g->decision.timer_ns && dice < 20)
		return RCC_EV_TIMER;
	if (dice < 45)
		return RCC_EV_TX;
	if (dice < 75)
		return RCC_EV_ACK;
	if (dice < 80)
		return RCC_EV_RTT;
	if (g->congested && dice < 95)
		return RCC_EV_CNP;
	if (g->congested)
		return RCC_EV_NACK + below(g, 2);
	return one_in(g, 20) ? 1 + below(g, RCC_EV_END - 1) : RCC_EV_TX;
}

/* In congestion a round trip takes up to twenty times the path's. */
static u32 some_rtt_ns(struct gen *g)
{
	uint64_t base_ns = g->flow.head.path.base_rtt_ns;
	uint64_t queue_ns = below(g, (g->congested ? 19 * base_ns : base_ns / 4) + 1);

	return rcc_min64(base_ns + queue_ns, UINT32_MAX);
}

static void fill_sent(struct gen *g, struct rcc_event *ev)
{
	u32 bytes = one_in(g, 8) ? 64 + below(g, g->flow.head.path.mtu_bytes) : g->flow.head.path.mtu_bytes;

	ev->packets = one_in(g, 4) ? 1 + below(g, 64) : 1;
	ev->bytes = bytes * ev->packets;
}

static void fill_acked(struct gen *g, struct rcc_event *ev)
{
	fill_sent(g, ev);
	ev->ce_permille = g->congested ? below(g, 1001) : 0;
	ev->rtt_ns = one_in(g, 8) ? 0 : some_rtt_ns(g);
	ev->fabric_ns = one_in(g, 4) ? below(g, ev->rtt_ns + 1ULL) : ev->rtt_ns;
}

static u32 extreme(struct gen *g)
{
	static const u32 some[] = { 0, 1, 2, INT32_MAX, UINT32_MAX };

	return some[below(g, ARRAY_SIZE(some))];
}

static void make_odd(struct gen *g, struct rcc_event *ev)
{
	u32 *const field[] = { &ev->bytes, &ev->packets, &ev->ce_permille, &ev->rtt_ns, &ev->fabric_ns };

	*field[below(g, ARRAY_SIZE(field))] = extreme(g);
}

static struct rcc_event some_event(struct gen *g)
{
	struct rcc_event ev = { .type = some_type(g) };

	g->now_ns += some_step_ns(g);
	if (ev.type == RCC_EV_TIMER)
		g->now_ns = rcc_max64(g->now_ns, g->decision.timer_ns);
	ev.now_ns = g->now_ns;
	if (ev.type == RCC_EV_TX)
		fill_sent(g, &ev);
	if (ev.type == RCC_EV_ACK || ev.type == RCC_EV_RTT)
		fill_acked(g, &ev);
	if (ev.type == RCC_EV_RTT) {
		ev.bytes = 0;
		ev.packets = 0;
	}
	if (ev.type != RCC_EV_TX)
		ev.random = draw(g);
	if (one_in(g, ODD_ONE_IN))
		make_odd(g, &ev);
	return ev;
}

static void begin_flow(struct gen *g, const struct replay_opts *o)
{
	struct rcc_replay_head *head = &g->flow.head;

	vec_reset(&g->flow);
	g->flow.alg = o->alg;
	strcpy(head->alg, o->alg->name);
	head->path = some_path(g);
	load_values(g, o->profile);
	g->now_ns = spread(g, 1, 1ULL << 56);
	head->now_ns = g->now_ns;
	g->congested = false;
	home_user.begin(&g->flow, &g->flow.first);
	g->decision = g->flow.first;
}

static void add_event(struct gen *g)
{
	struct vec_event e;

	if (one_in(g, MOOD_EVENTS))
		g->congested = !g->congested;
	e = (struct vec_event) { .ev = some_event(g) };
	home_user.run(&e.ev, &g->decision, 1);
	e.decision = g->decision;
	vec_add(&g->flow, &e);
}

/**
 * cmd_generate() - write random flows to standard output
 * @o: for which algorithm, how many of what length; the same seed brings the same flows
 * @files: none
 *
 * Return: 0.
 */
int cmd_generate(const struct replay_opts *o, char **files)
{
	struct gen g = { .random = o->seed };
	uint64_t i, j;

	for (i = 0; i < o->flows; i++) {
		begin_flow(&g, o);
		for (j = 0; j < o->events; j++)
			add_event(&g);
		vec_write(&g.flow);
	}
	free(g.flow.events);
	return 0;
}
