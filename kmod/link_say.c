// SPDX-License-Identifier: GPL-2.0
/* The link layer's control packets: by which way they go, how they are made and sent. */
#include <linux/random.h>

#include "rcc.h"

/**
 * rcc_link_turn() - path for what need not keep its order: SACKs, and ACKs that may overtake
 * @l: a QP's link layer; the caller holds the QP's lock
 *
 * With several paths one after the other, so that one that dies costs only its share of them.
 *
 * Return: the path.
 */
u32 rcc_link_turn(struct rcc_link *l)
{
	u32 i;

	if (!l->spraying || l->spray.n == 1)
		return rcc_spray_steady(&l->spray);
	for (i = 0; i < l->spray.n; i++) {
		l->turn = (l->turn + 1) % l->spray.n;
		if (!l->spray.path[l->turn].dead)
			break;
	}
	return l->turn;
}

/**
 * rcc_link_route() - the route that a QP's packets took last, if it still leads anywhere
 * @l: the QP's link layer; the caller holds the QP's lock
 *
 * Return: the route, whose reference stays @l's; NULL: it is to be looked up.
 */
struct dst_entry *rcc_link_route(struct rcc_link *l)
{
	if (l->dst && !dst_check(l->dst, l->dst_cookie)) {
		dst_release(l->dst);
		l->dst = NULL;
	}
	return l->dst;
}

/**
 * rcc_link_say() - make a control packet for a QP's peer
 * @qp: the QP; the caller holds its lock
 * @ctl: what it says
 * @port: UDP source port; 0: any
 * @out: the packet goes here; the caller sends it with rcc_link_send() without the lock
 */
void rcc_link_say(struct rcc_qp *qp, const struct rcc_ctl *ctl, u16 port, struct sk_buff_head *out)
{
	struct rcc_flow flow = qp->flow;
	struct sk_buff *skb;

	flow.ttl = RCC_OUT_TTL;
	flow.dscp = 0;
	/* a port that marks drops what it cannot mark; a mark on these says nothing */
	flow.ecn = READ_ONCE(qp->dev->ecn) ? RCC_ECN_ECT0 : RCC_ECN_NOT_ECT;
	flow.sport = port ?: qp->link->spray.path[rcc_link_turn(qp->link)].port ?: 0xc000 | (qp->ent.qpn & 0x3fff);
	flow.ip_id = (u16)get_random_u32();
	skb = rcc_out_alloc(READ_ONCE(qp->dev->ndev), rcc_link_route(qp->link), &flow, RCC_CTL_MAX_BYTES);
	if (!skb) {
		rcc_count(qp->dev, RCC_C_link_ctl_failed);
		return;
	}
	rcc_out_finish(skb, rcc_ctl_build(skb->data, &flow, ctl));
	__skb_queue_tail(out, skb);
}

/**
 * rcc_link_send() - send what rcc_link_say() has made
 * @out: the packets; empty afterwards. The caller holds no lock, with bottom halves off
 */
void rcc_link_send(struct sk_buff_head *out)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(out)))
		rcc_out_send(skb);
}
