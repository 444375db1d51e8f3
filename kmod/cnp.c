// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion notification packets: the NP sends them, the RP takes them in.
 *
 *	CE -> moderation -> ICRC -> CNP to the sender's QP
 *	CNP -> length, BECN -> ICRC -> QP known -> from its peer -> event to the algorithm
 *
 * The ICRC is computed only for a CE packet that would be answered, so junk costs no more than rxe spends on it, too.
 */
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "rcc.h"
#include "trace.h"

#define CNP_TTL		64

static struct np_params np_params(struct rcc_dev *dev)
{
	struct np_params np;

	rcu_read_lock();
	np = *RCC_VALUES(np, &rcu_dereference(dev->params[RCC_NP])->values);
	rcu_read_unlock();
	return np;
}

/* Whom to answer: the QP's peer; for UD the sender that the packet names. Returns false if nobody is known. */
static bool sender_of(struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt, struct rcc_flow *flow)
{
	bool known;

	if (!qp)
		return false;
	spin_lock(&qp->lock);
	qp->rx_ce++;
	*flow = qp->flow;
	known = rcc_qp_from_peer(qp, skb, pkt);
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

/* The route that rxe's own packets to that peer take. */
static struct dst_entry *route(struct net *net, struct net_device *ndev, const struct rcc_flow *flow)
{
	struct dst_entry *dst;
	struct rtable *rt;

	if (flow->version == 4) {
		struct flowi4 fl4 = { .flowi4_oif = ndev->ifindex, .flowi4_proto = IPPROTO_UDP };

		memcpy(&fl4.saddr, flow->saddr, 4);
		memcpy(&fl4.daddr, flow->daddr, 4);
		rt = ip_route_output_key(net, &fl4);
		return IS_ERR(rt) ? NULL : &rt->dst;
	}
#if IS_ENABLED(CONFIG_IPV6)
	struct flowi6 fl6 = { .flowi6_oif = ndev->ifindex, .flowi6_proto = IPPROTO_UDP };

	memcpy(&fl6.saddr, flow->saddr, 16);
	memcpy(&fl6.daddr, flow->daddr, 16);
	dst = ip6_route_output(net, NULL, &fl6);
	if (!dst->error)
		return dst;
	dst_release(dst);
#endif
	return NULL;
}

static struct sk_buff *build(struct net *net, struct net_device *ndev, struct rcc_flow *flow)
{
	struct dst_entry *dst = route(net, ndev, flow);
	struct sk_buff *skb;
	u32 bytes;

	if (!dst)
		return NULL;
	skb = alloc_skb(LL_RESERVED_SPACE(dst->dev) + RCC_CNP_MAX_BYTES, GFP_ATOMIC);
	if (!skb) {
		dst_release(dst);
		return NULL;
	}
	skb_reserve(skb, LL_RESERVED_SPACE(dst->dev));
	bytes = rcc_wire_build_cnp(skb->data, flow);
	skb_put(skb, bytes);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, bytes - RCC_UDP_BYTES - RCC_CNP_BYTES);
	skb->protocol = flow->version == 4 ? htons(ETH_P_IP) : htons(ETH_P_IPV6);
	skb->dev = dst->dev;
	skb_dst_set(skb, dst);
	return skb;
}

/* An ephemeral port that stays the same for a QP, as for its data, so that ECMP keeps one path. */
static u16 source_port(const struct rcc_qp *qp, const struct rcc_flow *flow)
{
	return flow->sport ?: 0xc000 | (qp->ent.qpn & 0x3fff);
}

/* Send a CNP; the IP layer takes it from here as any other packet of this host. Returns false if it could not be. */
static bool send_cnp(struct rcc_qp *qp, struct net_device *ndev, struct rcc_flow *flow, const struct np_params *np)
{
	struct net *net = dev_net(ndev);
	struct sk_buff *skb;

	flow->dscp = np->np_cnp_dscp;
	flow->ttl = CNP_TTL;
	flow->sport = source_port(qp, flow);
	flow->ip_id = (u16)get_random_u32();
	skb = build(net, ndev, flow);
	if (!skb)
		return false;
	skb->priority = np->np_cnp_prio_mode ? np->np_cnp_prio : 0;
	if (flow->version == 4)
		ip_local_out(net, NULL, skb);
	else
		ip6_local_out(net, NULL, skb);
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
	trace_cnp_sent(qp, flow.dqpn);
}

static void ignore(struct rcc_dev *dev, u32 qpn, enum rcc_counter reason)
{
	rcc_count(dev, RCC_C_rp_cnp_ignored);
	rcc_count(dev, reason);
	trace_cnp_ignored(dev, qpn, reason);
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
	trace_cnp_rcvd(qp);
	ev.now_ns = ktime_get_ns();
	rcc_cc_event(qp, &ev);
	spin_unlock(&qp->lock);
}
