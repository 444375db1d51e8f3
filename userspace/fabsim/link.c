// SPDX-License-Identifier: GPL-2.0
/*
 * A link: serialization at the port's rate, then a constant delay, so packets arrive in the order in which they left.
 * They stand in the link's own FIFO, and the event list has one entry for the first of them.
 *
 * Equal NICs that send at once stay in step for ever, and a full queue then takes the packets of one and drops those of the
 * others. Real ones do not, so a NIC can be given jitter: its packets arrive a little later, at random, but in order.
 */
#include "fabsim.h"

/**
 * link_ser_ps() - how long a packet occupies the link
 * @s: the simulation
 * @p: the port that sends
 * @bytes: the packet's
 *
 * Return: picoseconds, rounded down; to whole nanoseconds if ns-3's way was asked for.
 */
u64 link_ser_ps(const struct sim *s, const struct port *p, u32 bytes)
{
	u64 ps = p->ps_per_byte ? bytes * p->ps_per_byte : rcc_div64(bytes * (8 * PS_PER_SEC), p->rate_bps);

	return s->opts->ns_truncate ? ps / PS_PER_NS * PS_PER_NS : ps;
}

/* Later by a random time, but not before what is in flight already. */
static u64 jittered_ps(struct sim *s, const struct port *p, u64 arrive_ps)
{
	arrive_ps += (u64)sim_random(s) * (s->opts->jitter_ps / PS_PER_NS) * PS_PER_NS >> 32;
	return p->wire.head ? rcc_max64(arrive_ps, p->wire.tail->arrive_ps) : arrive_ps;
}

/**
 * link_start() - begin to send a packet
 * @s: the simulation
 * @p: a port that is free
 * @k: the packet
 */
void link_start(struct sim *s, struct port *p, struct pkt *k)
{
	p->free_ps = s->now_ps + link_ser_ps(s, p, k->bytes);
	k->arrive_ps = p->free_ps + p->delay_ps;
	if (s->opts->jitter_ps && !p->node->is_switch)
		k->arrive_ps = jittered_ps(s, p, k->arrive_ps);
	if (!p->wire.head)
		timer_arm(s, &p->arrive, k->arrive_ps);
	fifo_push(&p->wire, k);
	s->counts.hops++;
	if (k->kind == PKT_DATA)
		p->tx_bytes += k->bytes;
}

static void link_free(struct sim *s, struct timer *t)
{
	struct port *p = container_of(t, struct port, free);

	if (p->node->is_switch)
		switch_kick(s, p);
	else
		host_kick(s, p);
}

static void link_arrive(struct sim *s, struct timer *t)
{
	struct port *p = container_of(t, struct port, arrive);
	struct pkt *k = fifo_pop(&p->wire);

	if (p->wire.head)
		timer_arm(s, t, p->wire.head->arrive_ps);
	if (p->peer->node->is_switch)
		switch_receive(s, p->peer, k);
	else
		host_receive(s, p->peer, k);
}

/**
 * link_init() - get a port ready whose rate and delay are known
 * @s: the simulation
 * @p: the port
 */
void link_init(struct sim *s, struct port *p)
{
	u64 ps = 8 * PS_PER_SEC;

	p->ps_per_byte = ps % p->rate_bps ? 0 : ps / p->rate_bps;
	timer_init(s, &p->free, link_free);
	timer_init(s, &p->arrive, link_arrive);
}
