// SPDX-License-Identifier: GPL-2.0
/*
 * A switch: a packet comes in by one port, finds its way out, and waits there for its turn. What is admitted, marked,
 * served next and paused is decided by kmod/pure/port.c, the code of a real port.
 *
 * Two regimes. Without PFC each queue of data is cut at its tail. With PFC the packets are counted by the port that they
 * came in by, and the peer there is paused in time, so nothing is dropped as long as the headrooms hold.
 */
#include "fabsim.h"

static void queue_change(struct sim *s, struct port *p, u64 bytes)
{
	if (p->hist)
		hist_change(p->hist, s->now_ps, bytes);
	p->queue_bytes = bytes;
	if (bytes > p->max_bytes)
		p->max_bytes = bytes;
}

/* PFC frames are this long and go before everything else. */
#define PFC_BYTES		64

static void pfc_send(struct sim *s, struct port *p, enum pkt_kind kind)
{
	struct pkt *k = pkt_alloc(s);

	p->ingress.paused = kind == PKT_XOFF;
	s->counts.xoffs += kind == PKT_XOFF;
	*k = (struct pkt){ .kind = kind, .bytes = PFC_BYTES };
	fifo_push(&p->queue[RCC_PRIO_CONTROL], k);
	switch_kick(s, p);
}

/* Is there room? Then it is counted. */
static bool admit(struct sim *s, struct port *out, struct port *in, u32 bytes)
{
	struct rcc_buffer *b = &out->node->buffer;

	if (s->opts->pfc)
		return rcc_ingress_add(b, &in->ingress, bytes);
	if (!rcc_port_admit(b, out->queue_bytes, bytes))
		return false;
	b->used_bytes += bytes;
	return true;
}

static void data_in(struct sim *s, struct port *out, struct port *in, struct pkt *k)
{
	if (!admit(s, out, in, k->bytes)) {
		out->drops++;
		s->counts.data_dropped += k->kind == PKT_DATA;
		pkt_free(s, k);
		return;
	}
	k->in_port = in->index;
	queue_change(s, out, out->queue_bytes + k->bytes);
	fifo_push(&out->queue[RCC_PRIO_DATA], k);
	if (s->opts->pfc && rcc_ingress_xoff(&out->node->buffer, &in->ingress))
		pfc_send(s, in, PKT_XOFF);
}

/* A packet leaves the queue of data: its bytes are free, and it may be marked for those that stay. */
static void data_out(struct sim *s, struct port *out, struct pkt *k)
{
	struct rcc_buffer *b = &out->node->buffer;
	struct port *in = &out->node->ports[k->in_port];

	queue_change(s, out, out->queue_bytes - k->bytes);
	if (s->opts->ecn && rcc_port_mark(&out->ecn, out->queue_bytes, sim_random(s))) {
		k->flags |= PKT_CE;
		out->marks++;
	}
	if (!s->opts->pfc) {
		b->used_bytes -= k->bytes;
		return;
	}
	rcc_ingress_del(b, &in->ingress, k->bytes);
	if (rcc_ingress_xon(b, &in->ingress))
		pfc_send(s, in, PKT_XON);
}

static int next_prio(const struct port *p)
{
	u32 waiting = !!p->queue[RCC_PRIO_CONTROL].head << RCC_PRIO_CONTROL |
		      !!p->queue[RCC_PRIO_DATA].head << RCC_PRIO_DATA;

	return rcc_port_next(waiting, p->paused);
}

/**
 * switch_kick() - send the next packet, if the port is free and something may leave
 * @s: the simulation
 * @p: a port of a switch
 */
void switch_kick(struct sim *s, struct port *p)
{
	int prio = next_prio(p);
	struct pkt *k;

	if (prio < 0)
		return;
	if (s->now_ps < p->free_ps) {
		timer_arm(s, &p->free, p->free_ps);
		return;
	}
	k = fifo_pop(&p->queue[prio]);
	link_start(s, p, k);
	if (prio == RCC_PRIO_DATA)
		data_out(s, p, k);
	if (next_prio(p) >= 0)
		timer_arm(s, &p->free, p->free_ps);
}

/**
 * port_pause() - a PFC frame came
 * @s: the simulation
 * @p: the port that it came in by
 * @k: the frame
 */
void port_pause(struct sim *s, struct port *p, const struct pkt *k)
{
	p->paused = k->kind == PKT_XOFF ? 1 << RCC_PRIO_DATA : 0;
	p->pauses += k->kind == PKT_XOFF;
	if (p->paused)
		return;
	if (p->node->is_switch)
		switch_kick(s, p);
	else
		host_kick(s, p);
}

/**
 * switch_receive() - a packet has come in
 * @s: the simulation
 * @p: the port that it came in by
 * @k: the packet
 */
void switch_receive(struct sim *s, struct port *p, struct pkt *k)
{
	struct flow *f = &s->flows[k->flow];
	struct port *out;

	if (k->kind >= PKT_XOFF) {
		port_pause(s, p, k);
		pkt_free(s, k);
		return;
	}
	out = route_next(s, p->node, f, k->kind == PKT_DATA ? f->to : f->port);
	if (k->kind == PKT_DATA || s->opts->ack_as_data)
		data_in(s, out, p, k);
	else
		fifo_push(&out->queue[RCC_PRIO_CONTROL], k);
	switch_kick(s, out);
}
