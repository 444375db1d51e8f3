// SPDX-License-Identifier: GPL-2.0
/*
 * A host's NIC: one packet at a time, ACKs and CNPs first, then the flows whose time has come, in turn.
 *
 * A flow that will be ready by the time the transmission under way ends stands in line at once; only others need a timer.
 */
#include "fabsim.h"

/**
 * host_ready() - put a flow at the end of the line
 * @s: the simulation
 * @f: a flow that may send by the time its NIC is free, and does not stand there yet
 */
void host_ready(struct sim *s, struct flow *f)
{
	struct node *n = f->port->node;

	f->state = FLOW_READY;
	f->next = NULL;
	if (n->ready_head)
		n->ready_tail->next = f;
	else
		n->ready_head = f;
	n->ready_tail = f;
}

/* Whose turn is it? A flow that has lost its right to send since it stood in line waits for what it lacks now. */
static struct flow *next_flow(struct sim *s, struct node *n)
{
	struct flow *f;

	while ((f = n->ready_head)) {
		n->ready_head = f->next;
		if (flow_may_send(s, f))
			return f;
		if (f->state == FLOW_READY)
			f->state = FLOW_BLOCKED;
		flow_schedule(s, f);
	}
	return NULL;
}

static bool waiting(const struct port *p)
{
	return p->queue[RCC_PRIO_CONTROL].head || (!p->paused && p->node->ready_head);
}

static void send_one(struct sim *s, struct port *p)
{
	struct pkt *k = fifo_pop(&p->queue[RCC_PRIO_CONTROL]);
	struct flow *f = NULL;

	if (!k && !p->paused)
		f = next_flow(s, p->node);
	if (f)
		k = flow_emit(s, f);
	if (k)
		link_start(s, p, k);
	if (f)
		flow_schedule(s, f);
}

/**
 * host_kick() - send the next packet, if the NIC is free and something may leave
 * @s: the simulation
 * @p: the NIC
 */
void host_kick(struct sim *s, struct port *p)
{
	if (!waiting(p))
		return;
	if (s->now_ps >= p->free_ps)
		send_one(s, p);
	if (s->now_ps < p->free_ps && waiting(p))
		timer_arm(s, &p->free, p->free_ps);
}

/**
 * host_send() - send an ACK, NAK or CNP
 * @s: the simulation
 * @p: the NIC
 * @k: the packet
 */
void host_send(struct sim *s, struct port *p, struct pkt *k)
{
	fifo_push(&p->queue[RCC_PRIO_CONTROL], k);
	host_kick(s, p);
}

/**
 * host_receive() - a packet has come
 * @s: the simulation
 * @p: the NIC
 * @k: the packet
 */
void host_receive(struct sim *s, struct port *p, struct pkt *k)
{
	struct flow *f = &s->flows[k->flow];

	if (k->kind == PKT_DATA)
		receiver_take(s, f, k);
	else if (k->kind >= PKT_XOFF)
		port_pause(s, p, k);
	else
		flow_receive(s, f, k);
	pkt_free(s, k);
}
