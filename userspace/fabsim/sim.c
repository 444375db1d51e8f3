// SPDX-License-Identifier: GPL-2.0
/*
 * Time, chance and packets: the one event list, random numbers, and the pool of packets.
 *
 * The list is a 4-ary heap of 16-byte entries: the four children of an entry lie in one or two cache lines. A timer has at
 * most one live entry. Moving a timer to a later time leaves the entry where it is: it comes early and is put in anew,
 * which makes timers that are moved with every packet, such as those for retransmission, almost free.
 */
#include "fabsim.h"

#define ID_BITS			24
#define ID_MASK			((1U << ID_BITS) - 1)
#define SLAB_PKTS		4096

static bool before(const struct event *a, const struct event *b)
{
	return ((u128)a->at_ps << 64 | a->order) < ((u128)b->at_ps << 64 | b->order);
}

static void heap_push(struct sim *s, struct event e)
{
	u32 i = s->nevents++;

	if (s->nevents > s->heap_room) {
		s->heap_room = 2 * s->nevents + 1024;
		s->heap = realloc(s->heap, s->heap_room * sizeof(*s->heap));
		if (!s->heap)
			die("out of memory for %u events", s->heap_room);
	}
	while (i && before(&e, &s->heap[(i - 1) / 4])) {
		s->heap[i] = s->heap[(i - 1) / 4];
		i = (i - 1) / 4;
	}
	s->heap[i] = e;
}

/* The least of the children that begin at @child. Which one it is nobody can predict, so there is no branch on it. */
static u32 least_child(const struct sim *s, u32 child)
{
	const struct event *e = &s->heap[child];
	u32 left, right;

	if (child + 4 > s->nevents) {
		for (left = 0, right = 1; child + right < s->nevents; right++)
			left = before(&e[right], &e[left]) ? right : left;
		return child + left;
	}
	left = before(&e[1], &e[0]);
	right = 2 + before(&e[3], &e[2]);
	return child + left + (right - left) * before(&e[right], &e[left]);
}

static void heap_pop(struct sim *s)
{
	struct event e = s->heap[--s->nevents];
	u32 i = 0, child;

	while (4 * i + 1 < s->nevents) {
		child = least_child(s, 4 * i + 1);
		if (before(&e, &s->heap[child]))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = e;
}

/**
 * timer_init() - make a timer known
 * @s: the simulation
 * @t: the timer; it stays where it is until sim_free()
 * @fire: called when its time has come
 */
void timer_init(struct sim *s, struct timer *t, void (*fire)(struct sim *s, struct timer *t))
{
	if (s->ntimers == s->timers_room) {
		s->timers_room = 2 * s->timers_room + 64;
		s->timers = realloc(s->timers, s->timers_room * sizeof(struct timer *));
		if (!s->timers)
			die("out of memory for %u timers", s->timers_room);
	}
	if (s->ntimers > ID_MASK)
		die("more than %u timers: use fewer flows or hosts", ID_MASK);
	t->fire = fire;
	t->due_ps = NEVER;
	t->entry_ps = NEVER;
	t->id = s->ntimers;
	s->timers[s->ntimers++] = t;
}

static void timer_enter(struct sim *s, struct timer *t, u64 at_ps)
{
	struct event e = { at_ps, s->inserted++ << ID_BITS | t->id };

	t->entry_ps = at_ps;
	heap_push(s, e);
}

/**
 * timer_arm() - let a timer fire, also if it was to fire at another time
 * @s: the simulation
 * @t: the timer
 * @at_ps: when, not before now
 */
void timer_arm(struct sim *s, struct timer *t, u64 at_ps)
{
	t->due_ps = at_ps;
	if (at_ps < t->entry_ps)
		timer_enter(s, t, at_ps);
}

/**
 * timer_stop() - let a timer not fire
 * @t: the timer
 */
void timer_stop(struct timer *t)
{
	t->due_ps = NEVER;
}

/* Fire what has come, unless its timer was moved or stopped since it was put in. */
static void event_fire(struct sim *s, const struct event *e)
{
	struct timer *t = s->timers[e->order & ID_MASK];

	if (t->entry_ps != e->at_ps)
		return;
	t->entry_ps = NEVER;
	if (t->due_ps == NEVER)
		return;
	if (t->due_ps > e->at_ps) {
		timer_enter(s, t, t->due_ps);
		return;
	}
	t->due_ps = NEVER;
	t->fire(s, t);
}

/**
 * sim_run() - let everything happen until a time, or until somebody moves the end
 * @s: the simulation
 * @until_ps: events after that stay in the list; ENDLESS: whoever moves the end knows
 */
void sim_run(struct sim *s, u64 until_ps)
{
	struct event e;

	s->end_ps = until_ps;
	while (s->nevents && s->heap[0].at_ps <= s->end_ps) {
		e = s->heap[0];
		heap_pop(s);
		/* most likely the next one, and out of the cache since it was armed */
		if (s->nevents)
			__builtin_prefetch(s->timers[s->heap[0].order & ID_MASK]);
		s->now_ps = e.at_ps;
		event_fire(s, &e);
	}
	if (s->end_ps != ENDLESS)
		s->now_ps = s->end_ps;
}

/**
 * sim_random() - the next random number
 * @s: the simulation; its seed decides all of them (splitmix64)
 *
 * Return: 32 random bits.
 */
u32 sim_random(struct sim *s)
{
	u64 z = s->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return (z ^ z >> 31) >> 32;
}

static void slab_add(struct sim *s)
{
	void **slab = malloc(sizeof(void *) + SLAB_PKTS * sizeof(struct pkt));
	struct pkt *k = (struct pkt *)(slab + 1);
	u32 i;

	if (!slab)
		die("out of memory for packets");
	*slab = s->slabs;
	s->slabs = slab;
	s->npkts += SLAB_PKTS;
	for (i = 0; i < SLAB_PKTS; i++)
		pkt_free(s, &k[i]);
}

/**
 * pkt_alloc() - take a packet from the pool
 * @s: the simulation
 *
 * Return: a packet whose fields say nothing yet.
 */
struct pkt *pkt_alloc(struct sim *s)
{
	struct pkt *k;

	if (!s->spare)
		slab_add(s);
	k = s->spare;
	s->spare = k->next;
	return k;
}

/**
 * pkt_free() - give a packet back
 * @s: the simulation
 * @k: the packet, in no queue
 */
void pkt_free(struct sim *s, struct pkt *k)
{
	k->next = s->spare;
	s->spare = k;
}

/**
 * sim_free() - free everything that a run has allocated
 * @s: the simulation
 */
void sim_free(struct sim *s)
{
	struct profile *p;
	void **slab, *next;
	u32 i;

	for (slab = s->slabs; slab; slab = next) {
		next = *slab;
		free(slab);
	}
	for (i = 0; i < s->topo.nnodes; i++)
		free(s->topo.nodes[i].route);
	for (p = s->profiles; p; p = next) {
		next = p->next;
		free(p);
	}
	free(s->topo.bottleneck ? s->topo.bottleneck->hist : NULL);
	free(s->topo.nodes);
	free(s->topo.ports);
	free(s->topo.hops);
	free(s->flows);
	free(s->pairs);
	free(s->samples.delivered);
	free(s->samples.rate_bps);
	free(s->samples.queue_bytes);
	free(s->samples.at_warmup);
	free(s->timers);
	free(s->heap);
}
