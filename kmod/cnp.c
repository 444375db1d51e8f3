// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion notification packets: the NP sends them, the RP takes them in.
 *
 *	CE -> moderation -> ICRC -> CNP to the sender's QP
 *	CNP -> length, BECN -> ICRC -> QP known -> from its peer -> event to the algorithm
 *
 * The ICRC is computed only for a CE packet that would be answered, so junk costs no more than rxe spends on it, too.
 */
#include <linux/random.h>
#include <net/ipv6.h>

#include "rcc.h"
#include "trace.h"

static struct np_params np_params(struct rcc_dev *dev)
{
	struct np_params np;

	rcu_read_lock();
	np = *RCC_VALUES(np, &rcu_dereference(dev->params[RCC_NP])->values);
	rcu_read_unlock();
	return np;
}

/**
 * rcc_cnp_gap_ns() - least time between two CNPs for a QP
 * @dev: its device
 *
 * Return: np_min_time_between_cnps in nanoseconds.
 */
u64 rcc_cnp_gap_ns(struct rcc_dev *dev)
{
	return np_params(dev).np_min_time_between_cnps * NSEC_PER_USEC;
}

/**
 * rcc_cnp_note_ce() - count a packet that came with CE
 * @qp: the QP that it is for; the caller holds its lock
 * @pkt: what it is
 */
void rcc_cnp_note_ce(struct rcc_qp *qp, const struct rcc_pkt *pkt)
{
	enum rcc_stream stream = RCC_STREAM_REQUESTS;

	if (pkt->class & RCC_OC_UD)
		stream = RCC_STREAM_DATAGRAMS;
	else if (pkt->class & RCC_OC_READ_RESP)
		stream = RCC_STREAM_READ_RESPONSES;
	qp->rx_ce++;
	trace_ce(RCC_TRACE_QP(qp), pkt->psn, stream);
}

/* Whom to answer: the QP's peer; for UD the sender that the packet names. Returns false if nobody is known. */
static bool sender_of(struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt, struct rcc_flow *flow)
{
	bool known;

	if (!qp)
		return false;
	spin_lock(&qp->lock);
	*flow = qp->flow;
	known = rcc_qp_from_peer(qp, skb, pkt);
	if (known || ((pkt->class & RCC_OC_UD) && qp->type == IB_QPT_UD))
		rcc_cnp_note_ce(qp, pkt);
	spin_unlock(&qp->lock);
	if (!(pkt->class & RCC_OC_UD))
		return known;

	flow->version = pkt->version;
	flow->dqpn = pkt->sqpn;
	if (pkt->version == 4) {
		memcpy(flow->saddr, &ip_hdr(skb)->daddr, 4);
		memcpy(flow->daddr, &ip_hdr(skb)->saddr, 4);
		return qp->type == IB_QPT_UD && !ipv4_is_multicast(ip_hdr(skb)->daddr);
	}
	memcpy(flow->saddr, &ipv6_hdr(skb)->daddr, 16);
	memcpy(flow->daddr, &ipv6_hdr(skb)->saddr, 16);
	return qp->type == IB_QPT_UD && !ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr);
}

/* An ephemeral port that stays the same for a QP, as for its data, so that ECMP keeps one path. */
static u16 source_port(const struct rcc_qp *qp, const struct rcc_flow *flow)
{
	return flow->sport ?: 0xc000 | (qp->ent.qpn & 0x3fff);
}

/* Send a CNP. Returns false if it could not be. */
static bool send_cnp(struct rcc_qp *qp, struct net_device *ndev, struct rcc_flow *flow, const struct np_params *np)
{
	struct sk_buff *skb = rcc_out_alloc(ndev, NULL, flow, RCC_CNP_MAX_BYTES);

	if (!skb)
		return false;
	flow->dscp = np->np_cnp_dscp;
	flow->ttl = RCC_OUT_TTL;
	flow->sport = source_port(qp, flow);
	flow->ip_id = (u16)get_random_u32();
	rcc_out_finish(skb, rcc_wire_build_cnp(skb->data, flow));
	skb->priority = np->np_cnp_prio_mode ? np->np_cnp_prio : 0;
	rcc_out_send(skb);
	return true;
}

/**
 * rcc_cnp_answer() - a packet came with CE
 * @dev: the device that it came to
 * @qp: the QP that it is for, or NULL
 * @skb: the packet, which stays the caller's; may be linearized
 * @pkt: what it is
 *
 * The caller holds rcu_read_lock() and no lock, with bottom halves off.
 */
void rcc_cnp_answer(struct rcc_dev *dev, struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	u64 now_ns = ktime_get_ns(), last;
	struct np_params np;
	struct rcc_flow flow;

	rcc_count(dev, RCC_C_np_ecn_marked_roce_packets);
	if (!READ_ONCE(dev->ecn)) {
		rcc_count(dev, RCC_C_np_cnp_off);
		return;
	}
	if (!sender_of(qp, skb, pkt, &flow)) {
		rcc_count(dev, RCC_C_np_cnp_no_sender);
		return;
	}
	np = np_params(dev);
	last = READ_ONCE(qp->np_last_ns);
	if (last && now_ns - last < np.np_min_time_between_cnps * NSEC_PER_USEC) {
		rcc_count(dev, RCC_C_np_cnp_moderated);
		return;
	}
	if (skb_linearize(skb) || !rcc_wire_icrc_ok(skb->data, pkt)) {
		rcc_count(dev, RCC_C_np_cnp_bad_icrc);
		return;
	}
	/* another CPU was faster: its CNP is this QP's */
	if (cmpxchg64(&qp->np_last_ns, last, now_ns) != last) {
		rcc_count(dev, RCC_C_np_cnp_moderated);
		return;
	}
	if (!send_cnp(qp, skb->dev, &flow, &np)) {
		rcc_count(dev, RCC_C_np_cnp_failed);
		return;
	}
	rcc_count(dev, RCC_C_np_cnp_sent);
	spin_lock(&qp->lock);
	qp->tx_cnp++;
	spin_unlock(&qp->lock);
	trace_cnp_sent(RCC_TRACE_QP(qp), flow.dqpn);
}

static void ignore(struct rcc_dev *dev, u32 qpn, enum rcc_counter reason)
{
	rcc_count(dev, RCC_C_rp_cnp_ignored);
	rcc_count(dev, reason);
	trace_cnp_ignored(RCC_TRACE_DEV_QPN(dev, qpn), reason);
}

/**
 * rcc_cnp_malformed() - a packet came that says CNP, but whose lengths contradict each other
 * @dev: the device that it came to
 */
void rcc_cnp_malformed(struct rcc_dev *dev)
{
	ignore(dev, 0, RCC_C_rp_cnp_ignored_malformed);
}

/**
 * rcc_cnp_receive() - a CNP came
 * @dev: the device that it came to
 * @skb: the packet, which stays the caller's
 * @pkt: what it is
 *
 * The caller holds rcu_read_lock() and no lock, with bottom halves off.
 */
void rcc_cnp_receive(struct rcc_dev *dev, struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	struct rcc_event ev = { .type = RCC_EV_CNP };
	struct rcc_qp *qp;

	if (!pkt->becn || pkt->l3_bytes != pkt->bth + RCC_CNP_BYTES) {
		ignore(dev, pkt->dqpn, RCC_C_rp_cnp_ignored_malformed);
		return;
	}
	if (skb_linearize(skb) || !rcc_wire_icrc_ok(skb->data, pkt)) {
		ignore(dev, pkt->dqpn, RCC_C_rp_cnp_ignored_icrc);
		return;
	}
	qp = rcc_qp_find(dev, pkt->dqpn);
	if (!qp) {
		ignore(dev, pkt->dqpn, RCC_C_rp_cnp_ignored_qpn);
		return;
	}
	spin_lock(&qp->lock);
	if (!rcc_qp_from_peer(qp, skb, pkt)) {
		spin_unlock(&qp->lock);
		ignore(dev, pkt->dqpn, RCC_C_rp_cnp_ignored_addr);
		return;
	}
	if (!qp->alg->paces || qp->type != IB_QPT_RC) {
		spin_unlock(&qp->lock);
		ignore(dev, pkt->dqpn, RCC_C_rp_cnp_ignored_off);
		return;
	}
	qp->rx_cnp++;
	rcc_count(dev, RCC_C_rp_cnp_handled);
	trace_cnp_rcvd(RCC_TRACE_QP(qp), qp->type);
	ev.now_ns = ktime_get_ns();
	rcc_cc_event(qp, &ev);
	spin_unlock(&qp->lock);
}
