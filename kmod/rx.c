// SPDX-License-Identifier: GPL-2.0
/*
 * A packet reaches this host: does it concern a rxe device, and does it say anything about congestion?
 *
 *	CNP			-> cnp.c, consumed
 *	control packet		-> link.c, consumed
 *	with a trailer		-> link_rx.c, and from there in order back to what follows
 *	data with CE		-> cnp.c may answer; goes on to rxe
 *	NAK			-> event
 *	ACK, READ response	-> event, perhaps with a round trip; room in the window
 *	READ request		-> goes on to rxe, unless the QP's READ responses have piled up: then it waits
 *
 * Nothing is believed before the addresses match the QP's peer and the ICRC is right: rxe checks both, but after us.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>

#include "rcc.h"
#include "trace.h"

/* ip_local_deliver_finish() and ip6_input_finish(), which have no other public name */
static int (*deliver4)(struct net *net, struct sock *sk, struct sk_buff *skb);
static int (*deliver6)(struct net *net, struct sock *sk, struct sk_buff *skb);

/* requests held on all devices: while there are none, most packets are none of our business */
static atomic_t waiting;

/* A request that was held has gone on, or is lost. */
void rcc_rx_let_go(struct rcc_dev *dev)
{
	atomic_dec(&dev->read_held);
	atomic_dec(&waiting);
}

static bool icrc_ok(struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	return !skb_linearize(skb) && rcc_wire_icrc_ok(skb->data, pkt);
}

/*
 * The queue that had no room gets two packets' time to make some: a second loss of the same packet would cost a timeout.
 * At a rate at which that is long, the packet's own gap is enough, and rxe's timer runs.
 */
static void wait_for_room(struct rcc_qp *qp, u64 now_ns)
{
	u32 bytes = 2 * RCC_MTU_BYTES;

	if (bytes * qp->pace.ns_per_byte >> RCC_PACE_SHIFT <= RCC_ACKREQ_NS)
		rcc_pace_sent(&qp->pace, now_ns, bytes, false);
}

/**
 * rcc_rx_note_rtt() - a round trip was measured
 * @qp: the QP; the caller holds its lock
 * @rtt_ns: how long it took
 */
void rcc_rx_note_rtt(struct rcc_qp *qp, u64 rtt_ns)
{
	qp->rtt_ns = qp->rtt_ns ? (7 * qp->rtt_ns + rtt_ns) / 8 : rtt_ns;
	trace_rtt(RCC_TRACE_QP(qp), rtt_ns);
	rcc_cc_base_rtt(qp->dev, rtt_ns);
}

/* SACKs tell what came, and time the fabric. An ACK of rxe's then tells how long the peer's host takes beyond that. */
static void whole_round_trip(struct rcc_qp *qp, u64 rtt_ns, u64 now_ns)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_RTT };

	if (!qp->link->sack.srtt_ns)
		return;
	ev.rtt_ns = min_t(u64, rtt_ns, U32_MAX);
	ev.fabric_ns = min_t(u64, rcc_spray_median_rtt(&qp->link->spray), ev.rtt_ns);
	rcc_cc_event(qp, &ev);
}

/*
 * The peer has all requests up to a PSN: there may be room in the window, and a round trip may be over. A NAK ends none: it
 * tells of a later packet than the one before its PSN.
 */
static void acknowledged(struct rcc_qp *qp, u32 psn, u64 now_ns, bool timed)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_ACK };
	struct rcc_acked acked;

	/* no honest peer has seen what was never sent */
	if (!qp->seen_req || rcc_psn_diff(psn, qp->snd_max) >= 0)
		return;
	rcc_flight_acked(&qp->flight, now_ns, psn, &acked);
	if (!acked.packets)
		return;
	if (rcc_link_up(qp)) {
		if (acked.rtt_ns && timed)
			whole_round_trip(qp, acked.rtt_ns, now_ns);
		return;
	}
	if (acked.rtt_ns && timed) {
		rcc_rx_note_rtt(qp, acked.rtt_ns);
		ev.rtt_ns = min_t(u64, acked.rtt_ns, U32_MAX);
		ev.fabric_ns = ev.rtt_ns;
	}
	ev.bytes = min_t(u64, acked.bytes, U32_MAX);
	ev.packets = acked.packets;
	rcc_cc_event(qp, &ev);
	if (!qp->decision.cwnd_bytes)
		return;
	qp->stall_ns = now_ns + rcc_pacer_stall_ns(qp);
	if (!skb_queue_empty(&qp->req))
		rcc_pacer_rearm(qp, now_ns);
}

/*
 * A NAK. Only "out of sequence" is a sign of congestion; "receiver not ready" is none. rxe goes back to its PSN, and what
 * waits from there on is freed at once: rxe sends nothing before it has few packets out. But rxe ignores a NAK while it
 * repeats, until an ACK comes, and one of what was acknowledged; it would not repeat then what we free.
 */
static void nak(struct rcc_qp *qp, const struct rcc_pkt *pkt, u64 now_ns, struct sk_buff_head *stale)
{
	bool obeyed = !qp->retrying && (!qp->seen_ack || rcc_psn_diff(pkt->psn, qp->una) >= 0);
	bool rnr = (pkt->syndrome & RCC_AETH_KIND_MASK) == RCC_AETH_RNR_NAK;
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_NACK };

	if (!rnr && (pkt->syndrome != RCC_AETH_NAK_SEQ || (qp->seen_nak && qp->nak_psn == pkt->psn))) {
		rcc_count(qp->dev, RCC_C_nak_ignored);
		return;
	}
	rcc_count(qp->dev, rnr ? RCC_C_rnr_nak : RCC_C_packet_seq_err);
	acknowledged(qp, rcc_psn_add(pkt->psn, RCC_PSN_MASK), now_ns, false);
	if (!rnr) {
		qp->seen_nak = true;
		qp->nak_psn = pkt->psn;
		rcc_cc_event(qp, &ev);
	}
	if (!obeyed)
		return;
	/* a NAK acknowledges everything before its PSN */
	qp->una = pkt->psn;
	qp->seen_ack = true;
	qp->naked = true;
	qp->retrying = !rnr;
	if (!rnr)
		wait_for_room(qp, now_ns);
	rcc_flight_back(&qp->flight, pkt->psn);
	rcc_pacer_purge(qp, &qp->req, pkt->psn, stale);
}

/* The peer has everything up to this PSN: rxe obeys NAKs again, and a round trip may be over. */
static void ack(struct rcc_qp *qp, const struct rcc_pkt *pkt, u64 now_ns)
{
	if (!qp->seen_ack || rcc_psn_diff(pkt->psn, qp->una) >= 0) {
		qp->una = rcc_psn_add(pkt->psn, 1);
		qp->seen_ack = true;
		qp->retrying = false;
		qp->seen_nak = false;
	}
	acknowledged(qp, pkt->psn, now_ns, true);
}

static void rx_ack(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	bool is_nak = pkt->syndrome & RCC_AETH_KIND_MASK;
	struct sk_buff_head stale;
	u64 now_ns;

	if (!icrc_ok(skb, pkt)) {
		rcc_count(qp->dev, RCC_C_nak_ignored);
		return;
	}
	__skb_queue_head_init(&stale);
	spin_lock(&qp->lock);
	now_ns = ktime_get_ns();
	/* no honest peer acknowledges what was never sent, and rxe ignores it */
	if (!rcc_qp_from_peer(qp, skb, pkt) || !qp->seen_req || rcc_psn_diff(pkt->psn, qp->snd_max) >= is_nak)
		rcc_count(qp->dev, RCC_C_nak_ignored);
	else if (is_nak)
		nak(qp, pkt, now_ns, &stale);
	else
		ack(qp, pkt, now_ns);
	spin_unlock(&qp->lock);
	__skb_queue_purge(&stale);
}

/*
 * The first and the last packet of a READ's response tell as much as an ACK. The ICRC of a full packet takes long, so those
 * between are not looked at, and none if nobody wants to know.
 */
static void rx_read_resp(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	if (!(pkt->class & RCC_OC_AETH) || !READ_ONCE(qp->acks) || !icrc_ok(skb, pkt))
		return;
	spin_lock(&qp->lock);
	if (rcc_qp_from_peer(qp, skb, pkt))
		acknowledged(qp, pkt->psn, ktime_get_ns(), true);
	spin_unlock(&qp->lock);
}

static bool is_read_request(const struct sk_buff *skb)
{
	struct rcc_pkt pkt;

	return !rcc_wire_parse(skb->data, skb_headlen(skb), skb->len, &pkt) && pkt.opcode == RCC_OP_RC_READ_REQUEST;
}

static int deliver(struct sk_buff *skb)
{
	return (skb->protocol == htons(ETH_P_IP) ? deliver4 : deliver6)(dev_net(skb->dev), NULL, skb);
}

static bool may_admit(const struct rcc_qp *qp, u64 now_ns)
{
	if (READ_ONCE(qp->dev->open))
		return true;
	return qp->nresp < RCC_READ_ADMIT_AT && (!qp->await_resp || now_ns - qp->admitted_ns >= RCC_READ_ADMIT_NS);
}

/* A request waits if its QP's READ responses have piled up, and behind any other that waits: their order is rxe's. */
static bool must_wait(const struct rcc_qp *qp, const struct rcc_pkt *pkt)
{
	if (qp->dead)
		return false;
	if (qp->admitting || !skb_queue_empty(&qp->read))
		return true;
	return pkt->opcode == RCC_OP_RC_READ_REQUEST && qp->nresp >= RCC_READ_HOLD_AT && !READ_ONCE(qp->dev->open);
}

/* Keep a request back, within bounds. Beyond them it is lost: to let it overtake those that wait would be a gap, too. */
static void hold_request(struct rcc_qp *qp, struct sk_buff *skb)
{
	struct rcc_dev *dev = qp->dev;

	/* a request for which there is no room is held, too, and dropped at once: the sum of the counters holds */
	rcc_count(dev, RCC_C_rx_read_held);
	if (skb_queue_len(&qp->read) >= RCC_READ_HELD_MAX || atomic_read(&dev->read_held) >= RCC_DEV_HELD_MAX ||
	    !(skb->dev->flags & IFF_UP) || !skb_dst_force(skb)) {
		rcc_count(dev, RCC_C_rx_read_dropped);
		kfree_skb(skb);
		return;
	}
	atomic_inc(&dev->read_held);
	atomic_inc(&waiting);
	__skb_queue_tail(&qp->read, skb);
	rcc_pacer_wake(qp, ktime_get_ns());
}

/* Returns true if the request was taken. */
static bool rx_request(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	bool taken;

	/* the common case needs no lock: nothing waits, and few responses do */
	if (READ_ONCE(qp->nresp) < RCC_READ_HOLD_AT && !atomic_read(&qp->dev->read_held))
		return false;
	/* room in the queue is for packets that rxe will take */
	if (!icrc_ok(skb, pkt))
		return false;
	spin_lock(&qp->lock);
	taken = must_wait(qp, pkt) && rcc_qp_from_peer(qp, skb, pkt);
	if (taken)
		hold_request(qp, skb);
	spin_unlock(&qp->lock);
	return taken;
}

/**
 * rcc_rx_admit() - let held requests go on to rxe, as READ responses have drained
 * @qp: the QP; the caller holds rcu_read_lock() and no lock, with bottom halves off
 *
 * One at a time: rxe answers in its own time, so the next READ waits until the first response to this one is seen.
 */
void rcc_rx_admit(struct rcc_qp *qp)
{
	u64 now_ns = ktime_get_ns();
	struct sk_buff *skb;

	if (!READ_ONCE(qp->read.qlen))
		return;
	spin_lock(&qp->lock);
	if (qp->admitting) {
		spin_unlock(&qp->lock);
		return;
	}
	qp->admitting = true;
	while (may_admit(qp, now_ns)) {
		skb = __skb_dequeue(&qp->read);
		if (!skb)
			break;
		qp->await_resp = is_read_request(skb);
		qp->admitted_ns = now_ns;
		rcc_count(qp->dev, RCC_C_rx_read_released);
		spin_unlock(&qp->lock);
		deliver(skb);
		/* only now: a later request that finds none held goes straight on */
		rcc_rx_let_go(qp->dev);
		spin_lock(&qp->lock);
	}
	qp->admitting = false;
	spin_unlock(&qp->lock);
}

/* A packet of a reliable connection, as rxe of the peer made it. Returns true if it was taken. */
static bool rx_rc(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	if (pkt->class & RCC_OC_REQ)
		return rx_request(qp, skb, pkt);
	if (pkt->class & RCC_OC_ACK)
		rx_ack(qp, skb, pkt);
	else
		rx_read_resp(qp, skb, pkt);
	return false;
}

/* Returns true if the packet was taken. */
static bool rx(struct rcc_dev *dev, struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	bool ce = pkt->ecn == RCC_ECN_CE && (pkt->class & (RCC_OC_REQ | RCC_OC_READ_RESP));
	struct rcc_qp *qp;

	if (pkt->class & (RCC_OC_CNP | RCC_OC_CTL)) {
		if (pkt->class & RCC_OC_CNP)
			rcc_cnp_receive(dev, skb, pkt);
		else
			rcc_link_receive(dev, skb, pkt);
		consume_skb(skb);
		return true;
	}
	qp = rcc_qp_find(dev, pkt->dqpn);
	if (qp && (pkt->class & RCC_OC_RC) && READ_ONCE(qp->link) && rcc_link_rx(qp, skb, pkt))
		return true;
	if (ce)
		rcc_cnp_answer(dev, qp, skb, pkt);
	return qp && (pkt->class & RCC_OC_RC) && rx_rc(qp, skb, pkt);
}

/**
 * rcc_rx_hand_on() - a packet that the link layer has put in order goes on to rxe
 * @qp: the QP that it is for; the caller holds rcu_read_lock() and no lock, with bottom halves off
 * @skb: the packet, as the peer's rxe made it; consumed
 */
void rcc_rx_hand_on(struct rcc_qp *qp, struct sk_buff *skb)
{
	struct rcc_pkt pkt;

	if ((atomic_read(&waiting) || !rcc_wire_plain(skb->data, skb_headlen(skb))) &&
	    !rcc_wire_parse(skb->data, skb_headlen(skb), skb->len, &pkt) && rx_rc(qp, skb, &pkt))
		return;
	deliver(skb);
}

static bool is_udp(const struct sk_buff *skb, const struct nf_hook_state *state)
{
	if (state->pf == NFPROTO_IPV4)
		return ip_hdr(skb)->protocol == IPPROTO_UDP;
	return ipv6_hdr(skb)->nexthdr == IPPROTO_UDP;
}

/**
 * rcc_rx() - netfilter hook at LOCAL_IN
 * @priv: not used
 * @skb: a packet for this host
 * @state: where
 *
 * Runs in softirq, or in process context with bottom halves off, under rcu_read_lock().
 *
 * Return: NF_ACCEPT, NF_STOLEN for CNPs and for requests that wait, or NF_DROP for what is cut short.
 */
unsigned int rcc_rx(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct rcc_dev *dev;
	enum rcc_wire_err err;
	struct rcc_pkt pkt;
	bool taken;

	if (!atomic_read(&waiting) && !atomic_read(&rcc_links) && rcc_wire_plain(skb->data, skb_headlen(skb)))
		return NF_ACCEPT;
	if (!is_udp(skb, state))
		return NF_ACCEPT;
	dev = rcc_dev_by_netdev(skb->dev);
	if (!dev || !pskb_may_pull(skb, min_t(u32, skb->len, RCC_HDR_MAX_BYTES)))
		return NF_ACCEPT;
	err = rcc_wire_parse(skb->data, skb_headlen(skb), skb->len, &pkt);
	if (err == RCC_WIRE_SHORT) {
		rcc_count(dev, RCC_C_rx_malformed);
		if (pkt.opcode == RCC_OP_CNP)
			rcc_cnp_malformed(dev);
		/* rxe drops it, too, but one below 12 bytes by way of a pointer that it has not set: it may oops */
		return NF_DROP;
	}
	if (err)
		return NF_ACCEPT;
	if (state->pf == NFPROTO_IPV4)
		WRITE_ONCE(deliver4, state->okfn);
	else
		WRITE_ONCE(deliver6, state->okfn);
	local_bh_disable();
	taken = rx(dev, skb, &pkt);
	local_bh_enable();
	return taken ? NF_STOLEN : NF_ACCEPT;
}
