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
#include <net/ip.h>

#include "compat.h"
#include "rcc.h"
#include "trace.h"

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

/* Bytes on their way, as far as the window goes: SACKs know it better than rxe's ACKs. */
static u64 in_flight(const struct rcc_qp *qp)
{
	return rcc_link_up(qp) ? qp->link->sack.flying_bytes : qp->flight.bytes;
}

/*
 * The algorithm's window. rxe sends half a megabyte before it waits for an ACK, and no algorithm can hold back what left before
 * anything was heard: a new session begins with less.
 */
static u64 window(const struct rcc_qp *qp)
{
	u64 cwnd = qp->decision.cwnd_bytes;

	if (!rcc_link_up(qp) || qp->link->sack.srtt_ns)
		return cwnd;
	return cwnd ? min(cwnd, RCC_LINK_FIRST_BYTES) : RCC_LINK_FIRST_BYTES;
}

/* Does the window let the next request go? */
static bool window_open(const struct rcc_qp *qp)
{
	const struct sk_buff *skb = skb_peek(&qp->req);

	return skb && rcc_window_open(window(qp), in_flight(qp), rcc_wire_bytes(skb));
}

/* When there will be something to do for a QP. */
static u64 due_ns(const struct rcc_qp *qp, u64 now_ns)
{
	u64 when = qp->decision.timer_ns ?: RCC_WHEEL_NEVER;

	if (qp->link) {
		when = min(when, rcc_link_due(qp));
		if (rcc_link_full(qp))
			return when;
	}
	if (acks_only(qp))
		return now_ns;
	if (rcc_link_waits(qp, now_ns))
		return min(when, rcc_link_wait_end(qp));
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
 * rcc_pacer_wake_link() - the link layer may have something to do sooner than the QP's place in the wheel says
 * @qp: the QP, with a link layer; the caller holds its lock
 * @now_ns: time
 *
 * For each packet, where nothing but the link layer's own times has changed.
 */
void rcc_pacer_wake_link(struct rcc_qp *qp, u64 now_ns)
{
	if (!rcc_wheel_queued(&qp->wnode) || rcc_link_due(qp) < qp->wnode.when_ns)
		rcc_pacer_rearm(qp, now_ns);
}

/* Nothing waits longer than rxe bears, but for the gap of one packet. */
static void bound_wait(struct rcc_qp *qp, u64 now_ns)
{
	u64 longest = max(rcc_hold_max_ns(qp), RCC_MTU_BYTES * qp->pace.ns_per_byte >> RCC_PACE_SHIFT);

	qp->pace.next_ns = min(qp->pace.next_ns, now_ns + longest);
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
	rcc_pace_set_rate(&qp->pace, now_ns, qp->decision.rate_bps);
	bound_wait(qp, now_ns);
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
	return min(max(4 * qp->rtt_ns, RCC_STALL_NS), rcc_hold_max_ns(qp));
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

/* When a packet began to wait. At the end of its cb: the IP layer's own part, which it finds as it left it, is in front. */
static u64 *held_since(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct inet_skb_parm) > sizeof(skb->cb) - sizeof(u64));
	BUILD_BUG_ON(sizeof(struct inet6_skb_parm) > sizeof(skb->cb) - sizeof(u64));
	return (u64 *)(skb->cb + sizeof(skb->cb) - sizeof(u64));
}

/* What we know of a packet that stands in a queue is read from it again. */
static void parse(const struct sk_buff *skb, struct rcc_pkt *pkt)
{
	if (rcc_wire_own(skb->data, skb->len, pkt))
		*pkt = no_pkt;
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

	if (rcc_link_full(qp))
		return NULL;
	if (acks_only(qp))
		return &qp->resp;
	if (rcc_link_waits(qp, now_ns) || !rcc_pace_ready(&qp->pace, now_ns))
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
	/* for each packet: its arguments are not even looked at while nobody listens */
	if (trace_hold_enabled())
		trace_hold(RCC_TRACE_QP(qp), now_ns - *held_since(skb));
	return skb;
}

/*
 * Lost packets go before new ones, and count against the rate as these do. But others wait for them at the peer, so they go at
 * a low rate, too, as far as packets have left the network that they are to replace.
 */
static struct sk_buff *repeat(struct rcc_qp *qp, u64 now_ns)
{
	struct sk_buff *skb;

	if (!rcc_link_up(qp) || !qp->link->sack.lost || (!qp->link->credit && !rcc_pace_ready(&qp->pace, now_ns)))
		return NULL;
	skb = rcc_link_repeat(qp, now_ns);
	if (!skb)
		return NULL;
	rcc_pace_sent(&qp->pace, now_ns, rcc_wire_bytes(skb), true);
	/* several at a low rate shall not put off new packets beyond rxe's patience */
	bound_wait(qp, now_ns);
	return skb;
}

/* Move what may leave now to @out. */
static void take_due(struct rcc_qp *qp, u64 now_ns, struct sk_buff_head *out)
{
	struct rcc_pkt pkt;
	struct sk_buff *skb;

	while (skb_queue_len(out) < SERVICE_BATCH) {
		skb = repeat(qp, now_ns);
		if (skb) {
			__skb_queue_tail(out, skb);
			continue;
		}
		skb = dequeue(qp, &pkt, now_ns);
		if (!skb)
			return;
		rcc_stream_depart(qp, skb, &pkt, now_ns, true);
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
	struct sk_buff_head out, ctl;
	struct sk_buff *skb;
	u64 now_ns;

	__skb_queue_head_init(&out);
	__skb_queue_head_init(&ctl);
	spin_lock(&qp->lock);
	now_ns = ktime_get_ns();
	if (qp->dead || qp->busy) {
		/* dead: released elsewhere; busy: another CPU's timer, which arms when it lets go */
		spin_unlock(&qp->lock);
		return;
	}
	qp->busy = true;
	rcc_cc_timer(qp, now_ns);
	if (qp->link)
		rcc_link_timer(qp, now_ns, &ctl);
	take_due(qp, now_ns, &out);
	spin_unlock(&qp->lock);

	while ((skb = __skb_dequeue(&out)))
		rcc_pacer_send(dev, skb);
	rcc_link_send(&ctl);
	rcc_link_hand_on(qp);
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

/*
 * Queue a packet, within bounds. Requests are bounded by rxe, and ACKs by the peer's window; READ responses by us. Returns
 * false if the caller may send it after all: nothing of the QP waits that it would overtake.
 */
static bool hold(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt, u64 now_ns,
		 struct sk_buff_head *stale)
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
	*held_since(skb) = now_ns;
	if (resp)
		qp->nresp++;
	__skb_queue_tail(pkt->class & RCC_OC_REQ ? &qp->req : &qp->resp, skb);
	return true;
}

/* May it leave at once? An ACK may, unless a READ response waits that it would overtake: that is an implied NAK. */
static bool goes_now(const struct rcc_qp *qp, const struct rcc_pkt *pkt, u64 now_ns)
{
	if (rcc_link_full(qp))
		return false;
	if (pkt->class & RCC_OC_ACK)
		return skb_queue_empty(&qp->resp) && !(qp->busy && qp->seen_resp);
	return !qp->busy && !rcc_link_waits(qp, now_ns) && skb_queue_empty(&qp->req) && skb_queue_empty(&qp->resp) &&
	       rcc_pace_ready(&qp->pace, now_ns) &&
	       (!(pkt->class & RCC_OC_REQ) ||
		rcc_window_open(window(qp), in_flight(qp), pkt->l3_bytes + RCC_ETH_BYTES));
}

/* May a packet wait here? It must, if others do that it would overtake. */
static bool may_hold(const struct rcc_qp *qp, u64 now_ns)
{
	return qp->paced || qp->busy || !skb_queue_empty(&qp->req) || !skb_queue_empty(&qp->resp) || rcc_link_up(qp) ||
	       rcc_link_waits(qp, now_ns);
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
	rcc_stream_follow(qp, skb, pkt, now_ns, &stale);

	/* a netdev that is down would leave us with packets that nobody flushes */
	if (!goes_now(qp, pkt, now_ns) && !qp->dead && may_hold(qp, now_ns) && (skb->dev->flags & IFF_UP) &&
	    hold(qp, skb, pkt, now_ns, &stale)) {
		rcc_pacer_wake(qp, now_ns);
		skb = NULL;
	} else {
		rcc_stream_depart(qp, skb, pkt, now_ns, false);
		if (qp->link)
			rcc_pacer_wake_link(qp, now_ns);
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
