// SPDX-License-Identifier: GPL-2.0
/*
 * A QP's packets as a sequence of PSNs: what rxe makes, and what is on its way.
 *
 *	follow:	the next PSN, or has rxe gone back? Then what waits of it is of no use, and the algorithm hears of a loss
 *	depart:	it leaves: charged to the rate, noted as on its way, perhaps with AckReq set, told to the algorithm
 *
 * Requests count our PSNs, READ responses the peer's.
 */
#include "rcc.h"

/* How many PSNs a packet takes: a READ request has those of its response. 1 while the path MTU is not known. */
static u32 psns_of(const struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	u32 mtu = READ_ONCE(qp->mtu_bytes);

	if (likely(pkt->opcode != RCC_OP_RC_READ_REQUEST) || !mtu ||
	    pkt->l3_bytes < pkt->bth + RCC_BTH_BYTES + RCC_RETH_BYTES + RCC_ICRC_BYTES)
		return 1;
	return max(DIV_ROUND_UP(rcc_wire_read_bytes(skb->data, pkt), mtu), 1U);
}

/* Requests count PSNs; a step back means that rxe repeats. A READ whose MTU is not known leaves a gap. */
static void follow_requests(struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt, u64 now_ns,
			    struct sk_buff_head *stale)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_TIMEOUT };
	u32 next = rcc_psn_add(pkt->psn, psns_of(qp, skb, pkt));

	if (!qp->seen_req) {
		qp->seen_req = true;
		qp->snd_max = next;
	} else {
		if (rcc_psn_diff(pkt->psn, qp->snd_nxt) < 0) {
			rcc_pacer_purge(qp, &qp->req, pkt->psn, stale);
			rcc_flight_back(&qp->flight, pkt->psn);
			if (!qp->naked) {
				rcc_count(qp->dev, RCC_C_local_ack_timeout_err);
				rcc_cc_event(qp, &ev);
				qp->retrying = true;
				rcc_link_rxe_timeout(qp, now_ns);
			}
			qp->naked = false;
			qp->repeating = true;
			qp->repeat_end = qp->snd_max;
			qp->ask_ack = true;
		}
		if (rcc_psn_diff(next, qp->snd_max) > 0)
			qp->snd_max = next;
	}
	qp->snd_nxt = next;
}

/*
 * READ responses likewise: a step back means that the peer asked again. An algorithm that lives on ACKs is not told: none
 * answers a response, so nothing would ever raise the rate again. There the reader holds back, see response_bytes().
 */
static void follow_responses(struct rcc_qp *qp, const struct rcc_pkt *pkt, u64 now_ns, struct sk_buff_head *stale)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_TIMEOUT };

	if (qp->seen_resp && rcc_psn_diff(pkt->psn, qp->resp_nxt) < 0) {
		rcc_pacer_purge(qp, &qp->resp, pkt->psn, stale);
		/* what we dropped ourselves says nothing about the network */
		if (!qp->resp_dropped && !qp->acks)
			rcc_cc_event(qp, &ev);
		qp->resp_dropped = false;
	}
	qp->seen_resp = true;
	qp->resp_nxt = rcc_psn_add(pkt->psn, 1);
	qp->await_resp = false;
}

/**
 * rcc_stream_follow() - rxe has made a packet: is it the next one, or has rxe gone back?
 * @qp: the QP; the caller holds its lock and rcu_read_lock()
 * @skb: the packet
 * @pkt: what it is: a request, a READ response or an ACK of a reliable connection
 * @now_ns: time
 * @stale: gets packets that wait and that rxe will make again; the caller frees them without the lock
 */
void rcc_stream_follow(struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt, u64 now_ns,
		       struct sk_buff_head *stale)
{
	if (pkt->class & RCC_OC_REQ)
		follow_requests(qp, skb, pkt, now_ns, stale);
	else if (pkt->class & RCC_OC_READ_RESP)
		follow_responses(qp, pkt, now_ns, stale);
}

/*
 * For an algorithm that lives on ACKs we ask once per round trip, RCC_ACKREQ_WINDOW times per window, and with the packet
 * that closes the window if no ACK is awaited that would open it.
 */
static bool feeds_algorithm(const struct rcc_qp *qp, u32 bytes, u64 now_ns)
{
	u64 cwnd = qp->decision.cwnd_bytes;

	if (now_ns - qp->ackreq_ns >= qp->rtt_ns)
		return true;
	if (!cwnd)
		return false;
	return qp->ack_gap * bytes * RCC_ACKREQ_WINDOW >= cwnd ||
	       (!rcc_window_open(cwnd, qp->flight.bytes + bytes, bytes) && !rcc_flight_has(&qp->flight, qp->ackreq_psn));
}

/*
 * rxe asks for an ACK at the end of a message, or every 64 packets. That is too seldom for a QP that we hold back: its
 * timer runs out between them. And after a NAK rxe ignores every further NAK until an ACK has come, so that a second loss
 * in the same message costs a timeout. So we ask, too: for the first packet sent again, then for every fourth of those;
 * for a paced packet after RCC_ACKREQ_PACKETS or RCC_ACKREQ_NS without.
 *
 * Not for a QP without a rate: its ACKs stay rxe's own. rxe that goes back twice with an ACK from the middle of a message in
 * between sends the message's packets under wrong PSNs, and the more ACKs there are the likelier that is.
 */
static bool wants_ack(const struct rcc_qp *qp, u32 bytes, u64 now_ns, bool waited)
{
	if (!qp->pace.ns_per_byte)
		return false;
	if (qp->repeating && (qp->ask_ack || qp->ack_gap >= RCC_ACKREQ_AGAIN))
		return true;
	if (qp->acks && !rcc_link_up(qp) && feeds_algorithm(qp, bytes, now_ns))
		return true;
	return waited && (qp->ack_gap >= RCC_ACKREQ_PACKETS || now_ns - qp->ackreq_ns >= RCC_ACKREQ_NS);
}

/* Set AckReq where it is wanted, and the ICRC that goes with it. */
static void ask_for_ack(struct rcc_qp *qp, struct sk_buff *skb, struct rcc_pkt *pkt, u64 now_ns, bool waited)
{
	u32 bytes = pkt->l3_bytes - pkt->bth;

	if (qp->repeating && rcc_psn_diff(pkt->psn, qp->repeat_end) >= 0)
		qp->repeating = false;
	qp->ack_gap++;
	if (!pkt->ackreq && wants_ack(qp, rcc_wire_bytes(skb), now_ns, waited) && !skb_cloned(skb)) {
		if (qp->ack_bytes != bytes) {
			qp->ack_bytes = bytes;
			qp->ack_delta = rcc_wire_ackreq_delta(bytes);
		}
		rcc_wire_set_ackreq(skb->data, pkt, qp->ack_delta);
		pkt->ackreq = true;
		rcc_count(qp->dev, RCC_C_tx_ackreq);
	}
	if (pkt->ackreq || !qp->ackreq_ns) {
		qp->ackreq_ns = now_ns;
		qp->ackreq_psn = pkt->psn;
		qp->ack_gap = 0;
		qp->ask_ack = false;
	}
}

/* Was this PSN on the wire before? Requests and READ responses count apart. */
static bool is_repeat(struct rcc_qp *qp, const struct rcc_pkt *pkt, u32 psns)
{
	struct rcc_left *left = &qp->left[!!(pkt->class & RCC_OC_READ_RESP)];

	if (left->any && rcc_psn_diff(pkt->psn, left->nxt) < 0) {
		rcc_count(qp->dev, RCC_C_roce_adp_retrans);
		qp->retrans_packets++;
		return true;
	}
	left->any = true;
	left->nxt = rcc_psn_add(pkt->psn, psns);
	return false;
}

/*
 * Bytes on the wire that a READ makes the peer send. Where the algorithm lives on ACKs they count as the QP's own: it sees
 * their round trip, and a peer that knows no congestion control would send them at once. One with a link layer sees to its
 * responses itself: its SACKs answer them.
 */
static u64 response_bytes(struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt, u32 psns)
{
	u64 bytes;

	if (likely(pkt->opcode != RCC_OP_RC_READ_REQUEST) || !qp->acks || !READ_ONCE(qp->mtu_bytes) || rcc_link_up(qp))
		return 0;
	bytes = rcc_wire_read_bytes(skb->data, pkt) +
		(u64)psns * (pkt->bth + RCC_BTH_BYTES + RCC_ICRC_BYTES + RCC_ETH_BYTES);
	if (rcc_pace_charge(&qp->pace, bytes, rcc_hold_max_ns(qp)))
		rcc_count(qp->dev, RCC_C_tx_read_charge_cut);
	return bytes;
}

/* A request is on its way from now on. */
static void take_off(struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt, u32 psns, u64 now_ns,
		     bool repeat)
{
	u64 bytes = rcc_wire_bytes(skb) + response_bytes(qp, skb, pkt, psns);

	rcc_flight_sent(&qp->flight, now_ns, pkt->psn, psns, min_t(u64, bytes, S32_MAX), !repeat);
	if (qp->decision.cwnd_bytes)
		qp->stall_ns = now_ns + rcc_pacer_stall_ns(qp);
}

/*
 * Who does not live on ACKs needs no more of what is on its way than to time a packet now and then. A READ is answered by
 * no ACK, and its response is looked at only for those who do.
 */
static bool is_noted(const struct rcc_qp *qp, const struct rcc_pkt *pkt)
{
	return (qp->acks && !rcc_link_up(qp)) || (pkt->ackreq && pkt->opcode != RCC_OP_RC_READ_REQUEST);
}

/**
 * rcc_stream_depart() - a packet's time has come: charge it, tell the algorithm, note it, perhaps ask for an ACK
 * @qp: the QP; the caller holds its lock and rcu_read_lock(), and sends the packet later
 * @skb: the packet, not cloned
 * @pkt: what it is; ackreq is set here if it is set in the packet
 * @now_ns: time
 * @waited: it had to wait
 */
void rcc_stream_depart(struct rcc_qp *qp, struct sk_buff *skb, struct rcc_pkt *pkt, u64 now_ns, bool waited)
{
	u32 bytes = rcc_wire_bytes(skb), psns;
	bool repeat;

	if (pkt->class & RCC_OC_ACK) {
		rcc_link_depart(qp, skb, pkt, now_ns);
		return;
	}
	if (rcc_link_up(qp))
		bytes += RCC_TRAILER_BYTES;
	rcc_pace_sent(&qp->pace, now_ns, bytes, waited);
	qp->tx_packets++;
	qp->tx_bytes += bytes;
	psns = pkt->class & RCC_OC_REQ ? psns_of(qp, skb, pkt) : 1;
	repeat = is_repeat(qp, pkt, psns);
	/* READ responses count the peer's PSNs, and no ACK answers them */
	if (pkt->class & RCC_OC_REQ) {
		ask_for_ack(qp, skb, pkt, now_ns, waited);
		if (is_noted(qp, pkt))
			take_off(qp, skb, pkt, psns, now_ns, repeat);
	}
	/* last: what it clones may not be changed any more */
	rcc_link_depart(qp, skb, pkt, now_ns);
	qp->unsaid_packets++;
	qp->unsaid_bytes += bytes;
	if (waited || qp->unsaid_packets >= RCC_TX_EVENT_PACKETS)
		rcc_cc_sent(qp, now_ns);
}
