// SPDX-License-Identifier: GPL-2.0
/*
 * The pacer: packets of a QP leave no faster than its rate, and in order.
 *
 *	submit: QP idle and its time has come?  -> dst_output() now, without a timer
 *	        else                            -> the QP's queue; the QP into the wheel
 *	timer:  for each QP that is due: what its rate allows -> dst_output(); still packets? into the wheel again
 *
 * One hrtimer and one timing wheel per device; a QP stands in the wheel once, however many packets it holds, so the
 * cost per packet does not depend on the number of QPs. Packets wait in the lists of their own skbs: nothing is
 * allocated. rxe counts the skbs that we hold as sent but not gone, and stops its requester at 64.
 *
 * The timer sends with the QP's lock dropped. While it does, @busy is set and whoever has a packet queues it; the timer
 * looks again before it lets go.
 */
#include <net/dst.h>

#include "compat.h"
#include "rcc.h"

#define SERVICE_BATCH	16	/* packets of one QP per visit */
#define TIMER_BATCH	64	/* visits per timer, then the timer fires again */

static const struct rcc_pkt no_pkt;

static void pacer_set_timer(struct rcc_pacer *pacer)
{
	u64 next = rcc_wheel_next(pacer->wheel);

	lockdep_assert_held(&pacer->lock);
	if (next >= pacer->armed_ns || pacer->stopped)
		return;
	pacer->armed_ns = next;
	hrtimer_start(&pacer->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_PINNED_SOFT);
}

static u32 wire_bytes(const struct sk_buff *skb)
{
	return skb->len + RCC_ETH_BYTES;
}

/* The longest time for which a packet may wait for anything but its rate. */
static u64 hold_max_ns(const struct rcc_qp *qp)
{
	u64 timeout_ns = READ_ONCE(qp->timeout_ns);

	return timeout_ns ? min(timeout_ns / 2, RCC_HOLD_MAX_NS) : RCC_HOLD_MAX_NS;
}

/* ACKs that had to wait behind READ responses, which are gone: nothing holds them any more. */
static bool acks_only(const struct rcc_qp *qp)
{
	return !qp->nresp && !skb_queue_empty(&qp->resp);
}

/* Does the window let the next request go? */
static bool window_open(const struct rcc_qp *qp)
{
	const struct sk_buff *skb = skb_peek(&qp->req);

	return skb && rcc_window_open(qp->decision.cwnd_bytes, qp->flight.bytes, wire_bytes(skb));
}

/* When there will be something to do for a QP. */
static u64 due_ns(const struct rcc_qp *qp, u64 now_ns)
{
	u64 when = qp->decision.timer_ns ?: RCC_WHEEL_NEVER;

	if (acks_only(qp))
		return now_ns;
	if (!skb_queue_empty(&qp->resp) || window_open(qp))
		return min(when, qp->pace.next_ns);
	if (!skb_queue_empty(&qp->req))
		return min(when, max(qp->pace.next_ns, qp->stall_ns));
	if (!skb_queue_empty(&qp->read))
		return min(when, now_ns + RCC_READ_ADMIT_NS);
	return when;
}

/**
 * rcc_pacer_arm() - put a QP into the wheel, if it waits for anything
 * @qp: the QP, not in the wheel; the caller holds its lock
 * @now_ns: time
 */
void rcc_pacer_arm(struct rcc_qp *qp, u64 now_ns)
{
	struct rcc_pacer *pacer = &qp->dev->pacer;
	u64 when = due_ns(qp, now_ns);

	lockdep_assert_held(&qp->lock);
	if (when == RCC_WHEEL_NEVER || qp->dead)
		return;
	spin_lock(&pacer->lock);
	rcc_wheel_add(pacer->wheel, &qp->wnode, now_ns, when);
	pacer_set_timer(pacer);
	spin_unlock(&pacer->lock);
}

/**
 * rcc_pacer_disarm() - take a QP out of the wheel, if it stands there
 * @qp: the QP; the caller holds its lock
 */
void rcc_pacer_disarm(struct rcc_qp *qp)
{
	struct rcc_pacer *pacer = &qp->dev->pacer;

	lockdep_assert_held(&qp->lock);
	spin_lock(&pacer->lock);
	if (rcc_wheel_queued(&qp->wnode))
		rcc_wheel_del(pacer->wheel, &qp->wnode);
	spin_unlock(&pacer->lock);
}

/**
 * rcc_pacer_rearm() - put a QP into its new place in the wheel, if it waits for anything
 * @qp: the QP; the caller holds its lock
 * @now_ns: time
 */
void rcc_pacer_rearm(struct rcc_qp *qp, u64 now_ns)
{
	if (qp->busy)
		return;
	if (rcc_wheel_queued(&qp->wnode))
		rcc_pacer_disarm(qp);
	rcc_pacer_arm(qp, now_ns);
}

/**
 * rcc_pacer_wake() - a QP waits for something more: put it into the wheel, or forward in it
 * @qp: the QP; the caller holds its lock
 * @now_ns: time
 */
void rcc_pacer_wake(struct rcc_qp *qp, u64 now_ns)
{
	if (!rcc_wheel_queued(&qp->wnode) || due_ns(qp, now_ns) < qp->wnode.when_ns)
		rcc_pacer_rearm(qp, now_ns);
}

/**
 * rcc_pacer_set_rate() - pace a QP at the rate that was decided
 * @qp: the QP; the caller holds its lock
 * @now_ns: time
 *
 * A wait that has begun is stretched or shortened to it. The wait for a READ's data is no packet's own, and is not
 * stretched beyond what it may be at first.
 */
void rcc_pacer_set_rate(struct rcc_qp *qp, u64 now_ns)
{
	u64 longest;

	rcc_pace_set_rate(&qp->pace, now_ns, qp->decision.rate_bps);
	longest = max(hold_max_ns(qp), RCC_MTU_BYTES * qp->pace.ns_per_byte >> RCC_PACE_SHIFT);
	qp->pace.next_ns = min(qp->pace.next_ns, now_ns + longest);
}

/**
 * rcc_pacer_stall_ns() - how long a closed window may hold a QP without any ACK
 * @qp: the QP; the caller holds its lock
 *
 * Then one packet goes all the same: what would have been acknowledged is lost, and rxe, which has many packets out, sends
 * it again only when some of these go.
 *
 * Return: nanoseconds: four round trips, at least RCC_STALL_NS, at most half of rxe's timer.
 */
u64 rcc_pacer_stall_ns(const struct rcc_qp *qp)
{
	return min(max(4 * qp->rtt_ns, RCC_STALL_NS), hold_max_ns(qp));
}

/**
 * rcc_pacer_send() - hand a packet to the IP layer
 * @dev: its device
 * @skb: the packet, as it stood at LOCAL_OUT; consumed
 *
 * The result goes no further: what is lost here (a full qdisc, a dead link) is a lost packet like any other, where rxe
 * would kill the QP. The caller holds no lock but rcu_read_lock(), with bottom halves off.
 */
void rcc_pacer_send(struct rcc_dev *dev, struct sk_buff *skb)
{
	int err = dst_output(dev_net(skb_dst(skb)->dev), skb->sk, skb);

	/* congestion that a qdisc notes without dropping this packet is no error */
	if (net_xmit_eval(err))
		rcc_count(dev, RCC_C_tx_local_drop);
}

/* What we know of a packet that stands in a queue is read from it again. */
static void parse(const struct sk_buff *skb, struct rcc_pkt *pkt)
{
	if (rcc_wire_own(skb->data, skb->len, pkt))
		*pkt = no_pkt;
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
	if (qp->acks && feeds_algorithm(qp, bytes, now_ns))
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
	if (!pkt->ackreq && wants_ack(qp, wire_bytes(skb), now_ns, waited) && !skb_cloned(skb)) {
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

/* How many PSNs a packet takes: a READ request has those of its response. 1 while the path MTU is not known. */
static u32 psns_of(const struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	u32 mtu = READ_ONCE(qp->mtu_bytes);

	if (likely(pkt->opcode != RCC_OP_RC_READ_REQUEST) || !mtu ||
	    pkt->l3_bytes < pkt->bth + RCC_BTH_BYTES + RCC_RETH_BYTES + RCC_ICRC_BYTES)
		return 1;
	return max(DIV_ROUND_UP(rcc_wire_read_bytes(skb->data, pkt), mtu), 1U);
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
 * their round trip, and a peer that knows no congestion control would send them at once.
 */
static u64 response_bytes(struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt, u32 psns)
{
	u64 bytes;

	if (likely(pkt->opcode != RCC_OP_RC_READ_REQUEST) || !qp->acks || !READ_ONCE(qp->mtu_bytes))
		return 0;
	bytes = rcc_wire_read_bytes(skb->data, pkt) +
		(u64)psns * (pkt->bth + RCC_BTH_BYTES + RCC_ICRC_BYTES + RCC_ETH_BYTES);
	if (rcc_pace_charge(&qp->pace, bytes, hold_max_ns(qp)))
		rcc_count(qp->dev, RCC_C_tx_read_charge_cut);
	return bytes;
}

/* A request is on its way from now on. */
static void take_off(struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt, u32 psns, u64 now_ns,
		     bool repeat)
{
	u64 bytes = wire_bytes(skb) + response_bytes(qp, skb, pkt, psns);

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
	return qp->acks || (pkt->ackreq && pkt->opcode != RCC_OP_RC_READ_REQUEST);
}

/* A packet's time has come: charge it, tell the algorithm, perhaps time its round trip. */
static __always_inline void depart(struct rcc_qp *qp, struct sk_buff *skb, struct rcc_pkt *pkt, u64 now_ns, bool waited)
{
	u32 bytes = wire_bytes(skb), psns;
	bool repeat;

	if (pkt->class & RCC_OC_ACK)
		return;
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
	qp->unsaid_packets++;
	qp->unsaid_bytes += bytes;
	if (waited || qp->unsaid_packets >= RCC_TX_EVENT_PACKETS)
		rcc_cc_sent(qp, now_ns);
}

/* A window that no ACK has opened in time lets one packet go. */
static bool stalled(struct rcc_qp *qp, u64 now_ns)
{
	if (skb_queue_empty(&qp->req) || now_ns < qp->stall_ns)
		return false;
	rcc_count(qp->dev, RCC_C_tx_window_stall);
	return true;
}

/* Whose turn is it? Responses and requests take turns, so that neither starves the other. NULL: nothing may leave now. */
static struct sk_buff_head *next_queue(struct rcc_qp *qp, u64 now_ns)
{
	bool resp = !skb_queue_empty(&qp->resp);

	if (acks_only(qp))
		return &qp->resp;
	if (!rcc_pace_ready(&qp->pace, now_ns))
		return NULL;
	if (resp && qp->resp_turn)
		return &qp->resp;
	if (window_open(qp) || stalled(qp, now_ns))
		return &qp->req;
	return resp ? &qp->resp : NULL;
}

static struct sk_buff *dequeue(struct rcc_qp *qp, struct rcc_pkt *pkt, u64 now_ns)
{
	struct sk_buff_head *queue = next_queue(qp, now_ns);
	struct sk_buff *skb;

	if (!queue)
		return NULL;
	qp->resp_turn = queue == &qp->req;
	skb = __skb_dequeue(queue);
	if (!skb)
		return NULL;
	parse(skb, pkt);
	if (pkt->class & RCC_OC_READ_RESP)
		qp->nresp--;
	atomic_dec(&qp->dev->held);
	rcc_count(qp->dev, RCC_C_tx_released);
	return skb;
}

/* Move what may leave now to @out. */
static void take_due(struct rcc_qp *qp, u64 now_ns, struct sk_buff_head *out)
{
	struct rcc_pkt pkt;
	struct sk_buff *skb;

	while (skb_queue_len(out) < SERVICE_BATCH) {
		skb = dequeue(qp, &pkt, now_ns);
		if (!skb)
			return;
		depart(qp, skb, &pkt, now_ns, true);
		__skb_queue_tail(out, skb);
	}
}

/* The timer lets go of a QP's sending side: what is left or came meanwhile goes into the wheel; or pacing ends here. */
static void let_go(struct rcc_qp *qp, u64 now_ns)
{
	qp->busy = false;
	if (qp->dead)
		return;
	rcc_pacer_wake(qp, now_ns);
	if (!qp->pace.ns_per_byte && skb_queue_empty(&qp->req) && skb_queue_empty(&qp->resp))
		WRITE_ONCE(qp->paced, false);
}

/* A QP is due: the timer has taken it out of the wheel. */
static void service(struct rcc_qp *qp)
{
	struct rcc_dev *dev = qp->dev;
	struct sk_buff_head out;
	struct sk_buff *skb;
	u64 now_ns;

	__skb_queue_head_init(&out);
	spin_lock(&qp->lock);
	now_ns = ktime_get_ns();
	if (qp->dead || qp->busy) {
		/* dead: released elsewhere; busy: another CPU's timer, which arms when it lets go */
		spin_unlock(&qp->lock);
		return;
	}
	qp->busy = true;
	rcc_cc_timer(qp, now_ns);
	take_due(qp, now_ns, &out);
	spin_unlock(&qp->lock);

	while ((skb = __skb_dequeue(&out)))
		rcc_pacer_send(dev, skb);
	rcc_rx_admit(qp);

	spin_lock(&qp->lock);
	let_go(qp, now_ns);
	spin_unlock(&qp->lock);
}

static enum hrtimer_restart pacer_fire(struct hrtimer *timer)
{
	struct rcc_pacer *pacer = container_of(timer, struct rcc_pacer, timer);
	struct rcc_wnode *node;
	int visits;

	rcu_read_lock();
	spin_lock(&pacer->lock);
	for (visits = 0; visits < TIMER_BATCH && !pacer->stopped; visits++) {
		node = rcc_wheel_pop(pacer->wheel, ktime_get_ns());
		if (!node)
			break;
		spin_unlock(&pacer->lock);
		service(container_of(node, struct rcc_qp, wnode));
		spin_lock(&pacer->lock);
	}
	pacer->armed_ns = RCC_WHEEL_NEVER;
	pacer_set_timer(pacer);
	spin_unlock(&pacer->lock);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

/**
 * rcc_pacer_purge() - take packets out that rxe is about to send again
 * @qp: the QP; the caller holds its lock
 * @queue: @qp->req or @qp->resp
 * @psn: rxe begins again here
 * @out: gets them; the caller frees them without the lock
 *
 * Go-back-N repeats everything from @psn on: what still waits of it would arrive for nothing.
 */
void rcc_pacer_purge(struct rcc_qp *qp, struct sk_buff_head *queue, u32 psn, struct sk_buff_head *out)
{
	struct rcc_pkt pkt;
	struct sk_buff *skb;
	u32 n = 0;

	lockdep_assert_held(&qp->lock);
	while ((skb = skb_peek_tail(queue))) {
		parse(skb, &pkt);
		if (rcc_psn_diff(pkt.psn, psn) < 0)
			break;
		__skb_unlink(skb, queue);
		if (pkt.class & RCC_OC_READ_RESP)
			qp->nresp--;
		__skb_queue_tail(out, skb);
		n++;
	}
	atomic_sub(n, &qp->dev->held);
	rcc_count_n(qp->dev, RCC_C_tx_purged, n);
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

/*
 * Queue a packet, within bounds. Requests are bounded by rxe, and ACKs by the peer's window; READ responses by us. Returns
 * false if the caller may send it after all: nothing of the QP waits that it would overtake.
 */
static bool hold(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt, struct sk_buff_head *stale)
{
	bool idle = !qp->busy && skb_queue_empty(&qp->req) && skb_queue_empty(&qp->resp);
	bool full = atomic_read(&qp->dev->held) >= RCC_DEV_HELD_MAX;
	bool resp = pkt->class & RCC_OC_READ_RESP;
	struct rcc_dev *dev = qp->dev;

	if (full && idle) {
		rcc_count(dev, RCC_C_tx_unpaced_overflow);
		return false;
	}
	if (resp && (full || qp->nresp >= RCC_RESP_HELD_MAX)) {
		rcc_count(dev, RCC_C_tx_dropped_resp_overflow);
		qp->resp_dropped = true;
		__skb_queue_tail(stale, skb);
		return true;
	}
	/* rxe's packets have a reference on their route */
	if (WARN_ON_ONCE(!skb_dst_force(skb))) {
		rcc_count(dev, RCC_C_tx_local_drop);
		__skb_queue_tail(stale, skb);
		return true;
	}
	atomic_inc(&dev->held);
	rcc_count(dev, RCC_C_tx_held);
	if (resp)
		qp->nresp++;
	__skb_queue_tail(pkt->class & RCC_OC_REQ ? &qp->req : &qp->resp, skb);
	return true;
}

/* May it leave at once? An ACK may, unless a READ response waits that it would overtake: that is an implied NAK. */
static bool goes_now(const struct rcc_qp *qp, const struct rcc_pkt *pkt, u64 now_ns)
{
	if (pkt->class & RCC_OC_ACK)
		return skb_queue_empty(&qp->resp) && !(qp->busy && qp->seen_resp);
	return !qp->busy && skb_queue_empty(&qp->req) && skb_queue_empty(&qp->resp) &&
	       rcc_pace_ready(&qp->pace, now_ns) &&
	       (!(pkt->class & RCC_OC_REQ) ||
		rcc_window_open(qp->decision.cwnd_bytes, qp->flight.bytes, pkt->l3_bytes + RCC_ETH_BYTES));
}

/**
 * rcc_pacer_submit() - a packet of a QP wants to leave
 * @qp: the QP
 * @skb: the packet; consumed
 * @pkt: what it is: a request, a READ response or an ACK of a reliable connection
 *
 * The caller holds rcu_read_lock(), with bottom halves off. A packet that goes at once is sent without the lock and
 * without @busy: rxe makes a QP's requests one after the other, and so its responses, so that the next one is not there
 * before this call returns; and the timer has nothing of this QP.
 */
void rcc_pacer_submit(struct rcc_qp *qp, struct sk_buff *skb, struct rcc_pkt *pkt)
{
	struct sk_buff_head stale;
	u64 now_ns;

	__skb_queue_head_init(&stale);
	spin_lock(&qp->lock);
	now_ns = ktime_get_ns();
	if (unlikely(!rcc_qp_to_peer(qp, skb, pkt)))
		rcc_qp_note_peer(qp, skb, pkt);
	if (pkt->class & RCC_OC_REQ)
		follow_requests(qp, skb, pkt, now_ns, &stale);
	else if (pkt->class & RCC_OC_READ_RESP)
		follow_responses(qp, pkt, now_ns, &stale);

	/* a netdev that is down would leave us with packets that nobody flushes */
	if (!goes_now(qp, pkt, now_ns) && !qp->dead && qp->paced && (skb->dev->flags & IFF_UP) &&
	    hold(qp, skb, pkt, &stale)) {
		rcc_pacer_wake(qp, now_ns);
		skb = NULL;
	} else {
		depart(qp, skb, pkt, now_ns, false);
	}
	spin_unlock(&qp->lock);
	if (skb)
		rcc_pacer_send(qp->dev, skb);
	if (unlikely(!skb_queue_empty(&stale)))
		__skb_queue_purge(&stale);
}

/**
 * rcc_pacer_init() - set a device's pacer up
 * @dev: the device
 *
 * Return: 0 or -ENOMEM.
 */
int rcc_pacer_init(struct rcc_dev *dev)
{
	struct rcc_pacer *pacer = &dev->pacer;

	spin_lock_init(&pacer->lock);
	rcc_hrtimer_setup(&pacer->timer, pacer_fire);
	pacer->armed_ns = RCC_WHEEL_NEVER;
	pacer->wheel = kvmalloc(sizeof(*pacer->wheel), GFP_KERNEL);
	if (!pacer->wheel)
		return -ENOMEM;
	rcc_wheel_init(pacer->wheel, ktime_get_ns());
	return 0;
}

/**
 * rcc_pacer_exit() - stop a device's pacer; on return its timer neither runs nor will
 * @dev: the device, without QPs. One whose pacer was never set up has nothing to stop
 */
void rcc_pacer_exit(struct rcc_dev *dev)
{
	struct rcc_pacer *pacer = &dev->pacer;

	if (!pacer->wheel)
		return;
	spin_lock_bh(&pacer->lock);
	pacer->stopped = true;
	spin_unlock_bh(&pacer->lock);
	hrtimer_cancel(&pacer->timer);
	kvfree(pacer->wheel);
}
