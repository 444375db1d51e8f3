// SPDX-License-Identifier: GPL-2.0
/*
 * A packet leaves this host: is it rxe's, of which QP, and what is it?
 *
 *	not rxe's			-> passes
 *	rxe's data			-> ECT(0); of a reliable connection: to the pacer
 *	rxe's ACK, NAK			-> to the pacer only if it would overtake READ responses
 *	UC, UD, QP1, anything else	-> at once
 *
 * Whatever is rxe's we send ourselves (NF_STOLEN), so that its loss on the way out is a loss and not a send error.
 */
#include <linux/module.h>
#include <net/dsfield.h>

#include "rcc.h"

/* The driver, and the destructor that marks its packets once the first was seen. Zero while there is no device. */
static struct module *rxe_module;
static void (*rxe_destructor)(struct sk_buff *skb);

/**
 * rcc_tx_learn_driver() - a rxe device is there
 * @owner: the driver's module; packets whose destructor lies in it are rxe's
 */
void rcc_tx_learn_driver(struct module *owner)
{
	if (READ_ONCE(rxe_module) == owner)
		return;
	WRITE_ONCE(rxe_destructor, NULL);
	WRITE_ONCE(rxe_module, owner);
}

/**
 * rcc_tx_forget_driver() - the last rxe device is gone, and its driver may follow
 */
void rcc_tx_forget_driver(void)
{
	WRITE_ONCE(rxe_module, NULL);
	WRITE_ONCE(rxe_destructor, NULL);
}

/* The destructor of rxe's packets lies in rxe's module: no other packet's does. */
static bool is_rxe(const struct sk_buff *skb)
{
	struct module *owner;

	if (!skb->destructor || !skb->sk)
		return false;
	if (likely(READ_ONCE(rxe_destructor)))
		return skb->destructor == READ_ONCE(rxe_destructor);
	owner = READ_ONCE(rxe_module);
	if (!owner || !within_module((unsigned long)skb->destructor, owner))
		return false;
	WRITE_ONCE(rxe_destructor, skb->destructor);
	return true;
}

static void stamp_ect(struct rcc_dev *dev, struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	if (pkt->ecn != RCC_ECN_NOT_ECT || (skb_cloned(skb) && skb_ensure_writable(skb, pkt->bth)))
		return;
	if (pkt->version == 4)
		ipv4_change_dsfield(ip_hdr(skb), (u8)~RCC_ECN_MASK, RCC_ECN_ECT0);
	else
		ipv6_change_dsfield(ipv6_hdr(skb), (u8)~RCC_ECN_MASK, RCC_ECN_ECT0);
	rcc_count(dev, RCC_C_tx_ect_marked);
}

/* The QP's record, made now if this is its first packet or if another QP has come by the number. */
static struct rcc_qp *qp_of(struct rcc_dev *dev, const struct ib_qp *ibqp)
{
	struct rcc_qp *qp = rcc_qp_find(dev, ibqp->qp_num);

	if (likely(qp && qp->ibqp == ibqp))
		return qp;
	return rcc_qp_learn(dev, ibqp);
}

static void tx(struct rcc_dev *dev, const struct ib_qp *ibqp, struct sk_buff *skb)
{
	struct rcc_pkt pkt;
	struct rcc_qp *qp;

	rcc_count(dev, RCC_C_tx_packets);
	if (skb_is_nonlinear(skb) || rcc_wire_own(skb->data, skb->len, &pkt)) {
		rcc_count(dev, RCC_C_tx_unparsed);
		rcc_pacer_send(dev, skb);
		return;
	}
	if (ibqp->qp_type != IB_QPT_GSI && (pkt.class & (RCC_OC_REQ | RCC_OC_READ_RESP)) && READ_ONCE(dev->ecn))
		stamp_ect(dev, skb, &pkt);
	qp = ibqp->qp_type == IB_QPT_GSI ? NULL : qp_of(dev, ibqp);
	if (qp && (pkt.class & RCC_OC_RC)) {
		rcc_pacer_submit(qp, skb, &pkt);
		return;
	}
	if (qp && (pkt.class & RCC_OC_UC)) {
		spin_lock(&qp->lock);
		rcc_qp_note_peer(qp, skb, &pkt);
		spin_unlock(&qp->lock);
	}
	rcc_pacer_send(dev, skb);
}

/**
 * rcc_tx() - netfilter hook at LOCAL_OUT
 * @priv: not used
 * @skb: a packet on its way out
 * @state: where
 *
 * Runs in process context (rxe's workqueue) or in softirq, under rcu_read_lock().
 *
 * Return: NF_ACCEPT for what is not rxe's, else NF_STOLEN.
 */
unsigned int rcc_tx(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct ib_qp *ibqp;
	struct rcc_dev *dev;

	if (!is_rxe(skb))
		return NF_ACCEPT;
	/* struct ib_qp is the first member of rxe's QP, and its own socket points to that */
	ibqp = skb->sk->sk_user_data;
	dev = rcc_dev_by_netdev(skb->dev);
	if (!dev || dev->ibdev != ibqp->device)
		return NF_ACCEPT;
	local_bh_disable();
	tx(dev, ibqp, skb);
	local_bh_enable();
	return NF_STOLEN;
}
