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

/* ACKs that had to wait behind READ responses, which are gone: nothing holds them any more. */
static bool acks_only(const struct rcc_qp *qp)
{
	return !qp->nresp && !skb_queue_empty(&qp->resp);
}

/**
 * rcc_pacer_arm() - put a QP into the wheel, if it waits for anything
 * @qp: the QP, not in the wheel; the caller holds its lock
 * @now_ns: time
 */
void rcc_pacer_arm(struct rcc_qp *qp, u64 now_ns)
{
	struct rcc_pacer *pacer = &qp->dev->pacer;
	u64 when;

	lockdep_assert_held(&qp->lock);
	if (acks_only(qp))
		when = now_ns;
	else if (!skb_queue_empty(&qp->req) || !skb_queue_empty(&qp->resp))
		when = qp->pace.next_ns;
	else if (!skb_queue_empty(&qp->read))
		when = now_ns + RCC_READ_ADMIT_NS;
	else
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

static u32 wire_bytes(const struct sk_buff *skb)
{
	return skb->len + RCC_ETH_BYTES;
}

/* What we know of a packet that stands in a queue is read from it again. */
static void parse(const struct sk_buff *skb, struct rcc_pkt *pkt)
{
	if (rcc_wire_own(skb->data, skb->len, pkt))
		*pkt = no_pkt;
}

/*
 * rxe asks for an ACK at the end of a message, or every 64 packets. That is too seldom for a QP that we hold back: its
 * timer runs out between them. And after a NAK rxe ignores every further NAK until an ACK has come, so that a second loss
 * in the same message costs a timeout. So we ask, too: for the first packet sent again, then for every fourth of those;
 * for a paced packet after RCC_ACKREQ_PACKETS or RCC_ACKREQ_NS without.
 */
static bool wants_ack(const struct rcc_qp *qp, u64 now_ns, bool waited)
{
	if (qp->repeating)
		return qp->ask_ack || qp->ack_gap >= RCC_ACKREQ_AGAIN;
	return waited && (qp->ack_gap >= RCC_ACKREQ_PACKETS || now_ns - qp->ackreq_ns >= RCC_ACKREQ_NS);
}

/* Set AckReq where it is wanted, and the ICRC that goes with it. */
static void ask_for_ack(struct rcc_qp *qp, struct sk_buff *skb, struct rcc_pkt *pkt, u64 now_ns, bool waited)
{
	u32 bytes = pkt->l3_bytes - pkt->bth;

	if (qp->repeating && rcc_psn_diff(pkt->psn, qp->repeat_end) >= 0)
		qp->repeating = false;
	qp->ack_gap++;
	if (!pkt->ackreq && wants_ack(qp, now_ns, waited) && !skb_cloned(skb)) {
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
		qp->ack_gap = 0;
		qp->ask_ack = false;
	}
}

/* Was this PSN on the wire before? Requests and READ responses count apart. */
static bool is_repeat(struct rcc_qp *qp, const struct rcc_pkt *pkt)
{
	struct rcc_left *left = &qp->left[!!(pkt->class & RCC_OC_READ_RESP)];

	if (left->any && rcc_psn_diff(pkt->psn, left->nxt) < 0) {
		rcc_count(qp->dev, RCC_C_roce_adp_retrans);
		return true;
	}
	left->any = true;
	left->nxt = rcc_psn_add(pkt->psn, 1);
	return false;
}

/* A packet's time has come: charge it, tell the algorithm, perhaps time its round trip. */
static __always_inline void depart(struct rcc_qp *qp, struct sk_buff *skb, struct rcc_pkt *pkt, u64 now_ns, bool waited)
{
	u32 bytes = wire_bytes(skb);
	bool repeat;

	if (pkt->class & RCC_OC_ACK)
		return;
	rcc_pace_sent(&qp->pace, now_ns, bytes, waited);
	qp->tx_packets++;
	qp->tx_bytes += bytes;
	repeat = is_repeat(qp, pkt);
	/* READ responses count the peer's PSNs, and no ACK answers them */
	if (pkt->class & RCC_OC_REQ)
		ask_for_ack(qp, skb, pkt, now_ns, waited);
	/* the ACK of a packet sent twice may be either's, and a READ is not answered by an ACK */
	if (pkt->ackreq && !repeat && !qp->probe_ns && pkt->opcode != RCC_OP_RC_READ_REQUEST) {
		qp->probe_ns = now_ns;
		qp->probe_psn = pkt->psn;
	}
	qp->unsaid_packets++;
	qp->unsaid_bytes += bytes;
	if (waited || qp->unsaid_packets >= RCC_TX_EVENT_PACKETS)
		rcc_cc_sent(qp, now_ns);
}

/* The next packet: responses and requests take turns, so that neither starves the other. */
static struct sk_buff *dequeue(struct rcc_qp *qp, struct rcc_pkt *pkt)
{
	struct sk_buff_head *queue = &qp->req;
	struct sk_buff *skb;

	if (acks_only(qp) || (!skb_queue_empty(&qp->resp) && (qp->resp_turn || skb_queue_empty(&qp->req))))
		queue = &qp->resp;
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

	while (skb_queue_len(out) < SERVICE_BATCH && (acks_only(qp) || rcc_pace_ready(&qp->pace, now_ns))) {
		skb = dequeue(qp, &pkt);
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
	if (!rcc_wheel_queued(&qp->wnode))
		rcc_pacer_arm(qp, now_ns);
	if (!qp->pace.ns_per_byte && skb_queue_empty(&qp->req) && skb_queue_empty(&qp->resp))
		WRITE_ONCE(qp->paced, false);
}

/* A QP is due: the timer has taken it out of the wheel. */
static void service(struct rcc_qp *qp, u64 now_ns)
{
	struct rcc_dev *dev = qp->dev;
	struct sk_buff_head out;
	struct sk_buff *skb;

	__skb_queue_head_init(&out);
	spin_lock(&qp->lock);
	if (qp->dead || qp->busy) {
		/* dead: released elsewhere; busy: another CPU's timer, which arms when it lets go */
		spin_unlock(&qp->lock);
		return;
	}
	qp->busy = true;
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
		u64 now_ns = ktime_get_ns();

		node = rcc_wheel_pop(pacer->wheel, now_ns);
		if (!node)
			break;
		spin_unlock(&pacer->lock);
		service(container_of(node, struct rcc_qp, wnode), now_ns);
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

/* Requests count PSNs; a step back means that rxe repeats. READ requests take a range of PSNs and leave gaps. */
static void follow_requests(struct rcc_qp *qp, const struct rcc_pkt *pkt, u64 now_ns, struct sk_buff_head *stale)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_TIMEOUT };
	u32 next = rcc_psn_add(pkt->psn, 1);

	if (!qp->seen_req) {
		qp->seen_req = true;
		qp->snd_max = next;
	} else {
		if (rcc_psn_diff(pkt->psn, qp->snd_nxt) < 0) {
			rcc_pacer_purge(qp, &qp->req, pkt->psn, stale);
			qp->probe_ns = 0;
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

/* READ responses likewise: a step back means that the peer asked again. */
static void follow_responses(struct rcc_qp *qp, const struct rcc_pkt *pkt, u64 now_ns, struct sk_buff_head *stale)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_TIMEOUT };

	if (qp->seen_resp && rcc_psn_diff(pkt->psn, qp->resp_nxt) < 0) {
		rcc_pacer_purge(qp, &qp->resp, pkt->psn, stale);
		/* what we dropped ourselves says nothing about the network */
		if (!qp->resp_dropped)
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
	       rcc_pace_ready(&qp->pace, now_ns);
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
	u64 now_ns = ktime_get_ns();
	struct sk_buff_head stale;

	__skb_queue_head_init(&stale);
	spin_lock(&qp->lock);
	if (unlikely(!rcc_qp_to_peer(qp, skb, pkt)))
		rcc_qp_note_peer(qp, skb, pkt);
	if (pkt->class & RCC_OC_REQ)
		follow_requests(qp, pkt, now_ns, &stale);
	else if (pkt->class & RCC_OC_READ_RESP)
		follow_responses(qp, pkt, now_ns, &stale);

	/* a netdev that is down would leave us with packets that nobody flushes */
	if (!goes_now(qp, pkt, now_ns) && !qp->dead && qp->paced && (skb->dev->flags & IFF_UP) &&
	    hold(qp, skb, pkt, &stale)) {
		if (!qp->busy && !rcc_wheel_queued(&qp->wnode))
			rcc_pacer_arm(qp, now_ns);
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
