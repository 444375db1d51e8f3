// SPDX-License-Identifier: GPL-2.0
/*
 * QPs: learnt from the packets and verbs of rxe, found by number, removed in two steps.
 *
 * unlink (unreachable, dev->lock) -> release what waits (qp->lock) -> drop the table's reference -> grace period -> free
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "rcc.h"
#include "trace.h"

/* Its use of the algorithm ends only now: until here a reader may have changed it. */
static void qp_free(struct rcu_head *rcu)
{
	struct rcc_qp *qp = container_of(rcu, struct rcc_qp, rcu);

	rcc_slot_put(qp->slot);
	rcc_link_free(qp);
	kfree(qp);
}

void rcc_qp_put(struct rcc_qp *qp)
{
	if (!refcount_dec_and_test(&qp->refs))
		return;
	call_rcu(&qp->rcu, qp_free);
}

static struct rcc_qp *qp_alloc(struct rcc_dev *dev, const struct ib_qp *ibqp)
{
	struct rcc_qp *qp = kzalloc(sizeof(*qp), GFP_ATOMIC);
	unsigned long irq;

	if (!qp)
		return NULL;
	qp->ent.qpn = ibqp->qp_num;
	qp->dev = dev;
	qp->ibqp = ibqp;
	qp->type = ibqp->qp_type;
	qp->spray_set = RCC_SPRAY_MODES;
	refcount_set(&qp->refs, 1);
	spin_lock_init(&qp->lock);
	__skb_queue_head_init(&qp->req);
	__skb_queue_head_init(&qp->resp);
	__skb_queue_head_init(&qp->read);
	/* nobody else knows it, but algorithms and the pacer rely on the lock */
	spin_lock_irqsave(&qp->lock, irq);
	rcc_cc_start(qp, ktime_get_ns());
	spin_unlock_irqrestore(&qp->lock, irq);
	return qp;
}

/* Make a QP unreachable. Returns false if it was already. The table's reference passes to the caller. */
static bool qp_unlink(struct rcc_qp *qp)
{
	struct rcc_dev *dev = qp->dev;

	lockdep_assert_held(&dev->lock);
	if (list_empty(&qp->list))
		return false;
	rcc_qptab_del(dev->tab, &qp->ent);
	list_del_init(&qp->list);
	dev->nqps--;
	return true;
}

/* A record that nobody else has seen. */
static void qp_discard(struct rcc_qp *qp)
{
	unsigned long irq;

	spin_lock_irqsave(&qp->lock, irq);
	qp->dead = true;
	rcc_pacer_disarm(qp);
	spin_unlock_irqrestore(&qp->lock, irq);
	rcc_qp_put(qp);
}

/**
 * rcc_qp_learn() - make a QP's record
 * @dev: its device
 * @ibqp: rxe's QP, alive
 *
 * A record with the same number that is dead or another QP's is what a destroy that we missed left behind; it is replaced.
 * Any context. The caller holds rcu_read_lock().
 *
 * Return: the record, which may have stood there already, or NULL without memory.
 */
struct rcc_qp *rcc_qp_learn(struct rcc_dev *dev, const struct ib_qp *ibqp)
{
	struct rcc_qp *qp = qp_alloc(dev, ibqp);
	struct rcc_qp *old;
	unsigned long irq;

	if (!qp) {
		rcc_count(dev, RCC_C_qp_no_memory);
		return NULL;
	}
	spin_lock_irqsave(&dev->lock, irq);
	old = rcc_qp_find(dev, ibqp->qp_num);
	if (old && old->ibqp == ibqp && !READ_ONCE(old->dead)) {
		spin_unlock_irqrestore(&dev->lock, irq);
		qp_discard(qp);
		return old;
	}
	if (old) {
		rcc_qp_gone(old, RCC_QP_DESTROYED);
		qp_unlink(old);
	}
	rcc_qptab_add(dev->tab, &qp->ent);
	list_add_tail(&qp->list, &dev->qps);
	dev->nqps++;
	spin_unlock_irqrestore(&dev->lock, irq);

	if (old) {
		rcc_count(dev, RCC_C_qp_reused);
		rcc_qp_put(old);
	}
	rcc_count(dev, RCC_C_qp_new);
	trace_qp_new(RCC_TRACE_QP(qp), qp->type);
	trace_rate(RCC_TRACE_QP(qp), 0, 0, READ_ONCE(qp->decision.rate_bps));
	return qp;
}

/**
 * rcc_qp_from_peer() - is a received packet from the QP's peer, to us?
 * @qp: the QP; the caller holds its lock
 * @skb: the packet
 * @pkt: what it is
 *
 * Return: true if both addresses are the connection's; false too while the peer is not known.
 */
bool rcc_qp_from_peer(const struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	const struct rcc_flow *flow = &qp->flow;

	lockdep_assert_held(&qp->lock);
	if (flow->version != pkt->version)
		return false;
	if (pkt->version == 4)
		return !memcmp(&ip_hdr(skb)->saddr, flow->daddr, 4) && !memcmp(&ip_hdr(skb)->daddr, flow->saddr, 4);
	return !memcmp(&ipv6_hdr(skb)->saddr, flow->daddr, 16) && !memcmp(&ipv6_hdr(skb)->daddr, flow->saddr, 16);
}

static void forget_peer(struct rcc_qp *qp)
{
	qp->flow.version = 0;
	qp->seen_req = false;
	qp->seen_resp = false;
	qp->naked = false;
	qp->seen_nak = false;
	qp->retrying = false;
	qp->seen_ack = false;
	qp->repeating = false;
	qp->rtt_ns = 0;
	rcc_flight_reset(&qp->flight);
	rcc_link_forget(qp);
	memset(qp->left, 0, sizeof(qp->left));
}

/**
 * rcc_qp_note_peer() - learn the peer from a packet to it
 * @qp: a connected QP; the caller holds its lock
 * @skb: a packet that it sends
 * @pkt: what it is
 *
 * A QP that speaks to another peer than before was connected anew without our notice: it begins anew here, too.
 */
void rcc_qp_note_peer(struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	struct rcc_flow *flow = &qp->flow;

	lockdep_assert_held(&qp->lock);
	if (rcc_qp_to_peer(qp, skb, pkt))
		return;
	if (flow->version && !rcc_qp_same_peer(qp, skb, pkt)) {
		forget_peer(qp);
		rcc_cc_start(qp, ktime_get_ns());
	}
	flow->dqpn = pkt->dqpn;
	flow->sport = pkt->sport;
	flow->version = pkt->version;
	if (pkt->version == 4) {
		memcpy(flow->saddr, &ip_hdr(skb)->saddr, 4);
		memcpy(flow->daddr, &ip_hdr(skb)->daddr, 4);
	} else {
		memcpy(flow->saddr, &ipv6_hdr(skb)->saddr, 16);
		memcpy(flow->daddr, &ipv6_hdr(skb)->daddr, 16);
	}
}

/**
 * rcc_qp_connect() - rxe connects a QP
 * @qp: its record, which may be of an earlier connection
 * @flow: the addresses of the new one
 *
 * Any context, interrupts on or off. rxe sends nothing on a QP that is not connected, so the lock is free but for readers;
 * if one has it, the peer is learnt from the QP's first packet.
 */
void rcc_qp_connect(struct rcc_qp *qp, const struct rcc_flow *flow)
{
	unsigned long irq;

	if (!spin_trylock_irqsave(&qp->lock, irq))
		return;
	/* a peer that is known and no reset on its way: rxe will refuse this call */
	if (qp->flow.version && !test_bit(RCC_QP_RESET, &qp->flags))
		goto out;
	forget_peer(qp);
	/* with packets of before still held, the reset's work goes first, and the first packet teaches the peer */
	if (skb_queue_empty(&qp->req) && skb_queue_empty(&qp->resp)) {
		clear_bit(RCC_QP_RESET, &qp->flags);
		rcc_cc_start(qp, ktime_get_ns());
		qp->flow = *flow;
		rcc_link_connect(qp, ktime_get_ns());
	}
out:
	spin_unlock_irqrestore(&qp->lock, irq);
}

/**
 * rcc_qp_gone() - note that rxe destroys or resets a QP
 * @qp: its record
 * @why: RCC_QP_DYING, RCC_QP_DESTROYED or RCC_QP_RESET
 *
 * Any context, interrupts on or off. The caller holds rcu_read_lock(). Work in process context does the rest.
 */
void rcc_qp_gone(struct rcc_qp *qp, int why)
{
	set_bit(why, &qp->flags);
	if (test_and_set_bit(RCC_QP_LISTED, &qp->flags))
		return;
	/* no reference left: it is being freed already */
	if (!refcount_inc_not_zero(&qp->refs))
		return;
	llist_add(&qp->gone, &qp->dev->gone);
	queue_work(system_highpri_wq, &qp->dev->gone_work);
}

/* Send what a queue still holds. The packets are the caller's own: no lock is held. */
static void send_all(struct rcc_dev *dev, struct sk_buff_head *queue)
{
	struct sk_buff *skb;

	rcu_read_lock();
	local_bh_disable();
	while ((skb = __skb_dequeue(queue))) {
		atomic_dec(&dev->held);
		rcc_count(dev, RCC_C_tx_released);
		rcc_pacer_send(dev, skb);
	}
	local_bh_enable();
	rcu_read_unlock();
}

/* Free what a QP was to send: its netdev goes down. */
static void drop_tx(struct rcc_dev *dev, struct sk_buff_head *queue)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(queue))) {
		atomic_dec(&dev->held);
		rcc_count(dev, RCC_C_tx_dropped_link_down);
		kfree_skb(skb);
	}
}

/* Free requests that were to go on to rxe. */
static void drop_rx(struct rcc_dev *dev, struct sk_buff_head *queue)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(queue))) {
		rcc_rx_let_go(dev);
		rcc_count(dev, RCC_C_rx_read_dropped);
		kfree_skb(skb);
	}
}

/* Take everything that a QP holds, in the order in which it is to leave. */
static void take_held(struct rcc_qp *qp, struct sk_buff_head *tx, struct sk_buff_head *rx)
{
	lockdep_assert_held(&qp->lock);
	__skb_queue_head_init(tx);
	__skb_queue_head_init(rx);
	skb_queue_splice_tail_init(&qp->resp, tx);
	skb_queue_splice_tail_init(&qp->req, tx);
	skb_queue_splice_tail_init(&qp->read, rx);
	qp->nresp = 0;
	rcc_pacer_disarm(qp);
}

/* A QP that is unlinked or dies: nobody waits for its packets, they go at once. */
static void qp_release(struct rcc_qp *qp)
{
	struct sk_buff_head tx, rx;
	bool was_dead;

	spin_lock_bh(&qp->lock);
	was_dead = qp->dead;
	qp->dead = true;
	rcc_link_forget(qp);
	take_held(qp, &tx, &rx);
	spin_unlock_bh(&qp->lock);
	send_all(qp->dev, &tx);
	drop_rx(qp->dev, &rx);
	if (!was_dead) {
		rcc_count(qp->dev, RCC_C_qp_del);
		trace_qp_del(RCC_TRACE_QP(qp), qp->type);
	}
}

/* A QP that was reset or that failed: what waits goes, and a new life begins. */
static void qp_restart(struct rcc_qp *qp)
{
	struct sk_buff_head tx, rx;

	spin_lock_bh(&qp->lock);
	take_held(qp, &tx, &rx);
	forget_peer(qp);
	rcc_cc_start(qp, ktime_get_ns());
	spin_unlock_bh(&qp->lock);
	send_all(qp->dev, &tx);
	drop_rx(qp->dev, &rx);
}

static void qp_gone(struct rcc_qp *qp)
{
	struct rcc_dev *dev = qp->dev;
	unsigned long irq;
	bool linked;

	/* from here on a new event lists the QP again */
	clear_bit(RCC_QP_LISTED, &qp->flags);
	/* the bit before the reasons: pairs with test_and_set_bit() in rcc_qp_gone(), which sets the reason first */
	smp_mb__after_atomic();
	if (test_bit(RCC_QP_DESTROYED, &qp->flags)) {
		spin_lock_irqsave(&dev->lock, irq);
		linked = qp_unlink(qp);
		spin_unlock_irqrestore(&dev->lock, irq);
		qp_release(qp);
		if (linked)
			rcc_qp_put(qp);
	} else if (test_bit(RCC_QP_DYING, &qp->flags)) {
		qp_release(qp);
	} else if (test_and_clear_bit(RCC_QP_RESET, &qp->flags)) {
		qp_restart(qp);
	}
	rcc_qp_put(qp);
}

/**
 * rcc_qp_gone_work() - see to the QPs on a device's gone list
 * @work: the device's gone_work
 *
 * Runs as work, and once more when the device is removed.
 */
void rcc_qp_gone_work(struct work_struct *work)
{
	struct rcc_dev *dev = container_of(work, struct rcc_dev, gone_work);
	struct rcc_qp *qp, *next;

	llist_for_each_entry_safe(qp, next, llist_del_all(&dev->gone), gone)
		qp_gone(qp);
}

/**
 * rcc_qp_remove_all() - the device goes
 * @dev: the device, unreachable for a grace period: nobody adds QPs
 */
void rcc_qp_remove_all(struct rcc_dev *dev)
{
	struct rcc_qp *qp;
	unsigned long irq;

	for (;;) {
		spin_lock_irqsave(&dev->lock, irq);
		qp = list_first_entry_or_null(&dev->qps, struct rcc_qp, list);
		if (qp)
			qp_unlink(qp);
		spin_unlock_irqrestore(&dev->lock, irq);
		if (!qp)
			return;
		qp_release(qp);
		rcc_qp_put(qp);
	}
}

/* What visitors are told. */
struct visit {
	struct rcc_slot *slot;
	struct rcc_slot *to;
};

/* Call @fn for each QP of a device. QPs that come or go meanwhile may be missed: they need no visit. */
static void visit_qps(struct rcc_dev *dev, void (*fn)(struct rcc_qp *qp, const struct visit *v), const struct visit *v)
{
	struct rcc_qpent *ent;
	u32 i;

	for (i = 0; i < RCC_QPTAB_BUCKETS; i++) {
		rcu_read_lock();
		/* acquire: pairs with the release that published the entry, see qptab.h */
		for (ent = smp_load_acquire(&dev->tab->bucket[i]); ent; ent = smp_load_acquire(&ent->next))
			fn(container_of(ent, struct rcc_qp, ent), v);
		rcu_read_unlock();
	}
}

static void drop_held(struct rcc_qp *qp, const struct visit *v)
{
	struct sk_buff_head tx, rx;

	spin_lock_bh(&qp->lock);
	take_held(qp, &tx, &rx);
	rcc_link_forget(qp);
	/* its algorithm may have asked for a time */
	rcc_pacer_rearm(qp, ktime_get_ns());
	spin_unlock_bh(&qp->lock);
	drop_tx(qp->dev, &tx);
	drop_rx(qp->dev, &rx);
}

/**
 * rcc_qp_drop_held() - free all packets that wait: their netdev goes down
 * @dev: the device
 */
void rcc_qp_drop_held(struct rcc_dev *dev)
{
	visit_qps(dev, drop_held, NULL);
}

static void restart(struct rcc_qp *qp, const struct visit *v)
{
	spin_lock_bh(&qp->lock);
	rcc_cc_start(qp, ktime_get_ns());
	spin_unlock_bh(&qp->lock);
}

static void stop_link(struct rcc_qp *qp, const struct visit *v)
{
	rcc_link_stop(qp);
}

/**
 * rcc_qp_stop_links() - every QP goes on without the link layer
 * @dev: the device
 */
void rcc_qp_stop_links(struct rcc_dev *dev)
{
	visit_qps(dev, stop_link, NULL);
}

static void spray(struct rcc_qp *qp, const struct visit *v)
{
	spin_lock_bh(&qp->lock);
	rcc_link_spray(qp);
	spin_unlock_bh(&qp->lock);
}

/**
 * rcc_qp_spray_all() - the device's spray mode or number of paths has changed
 * @dev: the device
 */
void rcc_qp_spray_all(struct rcc_dev *dev)
{
	visit_qps(dev, spray, NULL);
}

/**
 * rcc_qp_set_spray() - give a QP a spray mode of its own, live
 * @dev: its device
 * @qpn: its number
 * @mode: enum rcc_spray_mode; RCC_SPRAY_MODES: the device's again
 *
 * Return: 0; -ESRCH if there is no such QP.
 */
int rcc_qp_set_spray(struct rcc_dev *dev, u32 qpn, u32 mode)
{
	struct rcc_qp *qp;

	rcu_read_lock();
	qp = rcc_qp_find(dev, qpn);
	if (qp) {
		spin_lock_bh(&qp->lock);
		qp->spray_set = mode;
		rcc_link_spray(qp);
		spin_unlock_bh(&qp->lock);
	}
	rcu_read_unlock();
	return qp ? 0 : -ESRCH;
}

/**
 * rcc_qp_restart_all() - every QP begins anew with the device's algorithm
 * @dev: the device, whose configuration has changed
 *
 * Packets that wait stay in their order.
 */
void rcc_qp_restart_all(struct rcc_dev *dev)
{
	visit_qps(dev, restart, NULL);
}

static void follow_dev(struct rcc_qp *qp, const struct visit *v)
{
	spin_lock_bh(&qp->lock);
	qp->distrust = false;
	rcc_cc_follow(qp, ktime_get_ns());
	spin_unlock_bh(&qp->lock);
}

/**
 * rcc_qp_follow_dev() - QPs that have no algorithm of their own go on with the device's
 * @dev: the device, whose algorithm has changed; the caller holds @dev->cfg
 */
void rcc_qp_follow_dev(struct rcc_dev *dev)
{
	visit_qps(dev, follow_dev, NULL);
}

static void leave_alg(struct rcc_qp *qp, const struct visit *v)
{
	spin_lock_bh(&qp->lock);
	if (qp->want == v->slot)
		qp->want = v->to;
	rcc_cc_follow(qp, ktime_get_ns());
	spin_unlock_bh(&qp->lock);
}

/**
 * rcc_qp_leave_alg() - an algorithm goes: no QP uses it any more
 * @dev: the device
 * @slot: the algorithm's; nobody finds it, and it is no device's default
 * @to: what takes its place; NULL: the device's default
 */
void rcc_qp_leave_alg(struct rcc_dev *dev, struct rcc_slot *slot, struct rcc_slot *to)
{
	const struct visit v = { .slot = slot, .to = to };

	visit_qps(dev, leave_alg, &v);
}

/**
 * rcc_qp_set_alg() - give a QP an algorithm of its own, live
 * @dev: its device; the caller holds @dev->cfg
 * @qpn: its number
 * @name: the algorithm's name, not terminated; NULL: the device's default again
 * @len: length of @name
 *
 * Return: 0; -ESRCH if there is no such QP, -ENOENT if there is no such algorithm.
 */
int rcc_qp_set_alg(struct rcc_dev *dev, u32 qpn, const char *name, size_t len)
{
	struct rcc_slot *slot = name ? rcc_slot_find(name, len) : NULL;
	struct rcc_qp *qp;

	lockdep_assert_held(&dev->cfg);
	if (name && !slot)
		return -ENOENT;
	rcu_read_lock();
	qp = rcc_qp_find(dev, qpn);
	if (qp) {
		spin_lock_bh(&qp->lock);
		qp->want = slot;
		qp->distrust = false;
		rcc_cc_follow(qp, ktime_get_ns());
		spin_unlock_bh(&qp->lock);
	}
	rcu_read_unlock();
	return qp ? 0 : -ESRCH;
}

static void link_info(const struct rcc_qp *qp, struct rcc_qp_info *info)
{
	const struct rcc_link *l = qp->link;

	info->spray_set = qp->spray_set;
	info->spray = rcc_link_spray_mode(qp);
	if (!l)
		return;
	info->has_link = true;
	info->link_up = l->up;
	info->link_hello = !l->up && (l->known || l->hello_ns != RCC_SACK_NEVER);
	info->link_kept = l->sack.flying + l->sack.lost;
	info->link_waiting = l->reorder.waiting;
	info->link_rtt_ns = l->sack.srtt_ns;
	info->link_repeats = l->repeats;
	info->link_lost = l->lost;
	info->link_spurious = l->spurious;
	info->link_disordered = l->disordered;
	info->link_skipped = l->skipped;
}

/**
 * rcc_qp_info() - what can be told of a QP
 * @qp: the QP; the caller holds rcu_read_lock()
 * @info: filled in
 */
void rcc_qp_info(struct rcc_qp *qp, struct rcc_qp_info *info)
{
	const struct rcc_alg *want;

	memset(info, 0, sizeof(*info));
	spin_lock_bh(&qp->lock);
	info->qpn = qp->ent.qpn;
	info->type = qp->type;
	strscpy(info->alg, qp->alg->name, sizeof(info->alg));
	want = qp->want ? rcc_slot_alg(qp->want) : NULL;
	if (want)
		strscpy(info->alg_set, want->name, sizeof(info->alg_set));
	if (qp->pace.ns_per_byte) {
		info->rate_bps = qp->decision.rate_bps;
		info->cwnd_bytes = qp->decision.cwnd_bytes;
	}
	info->unacked_bytes = qp->acks ? qp->flight.bytes : 0;
	info->rtt_ns = qp->rtt_ns;
	info->flow = qp->flow;
	info->req = skb_queue_len(&qp->req);
	info->resp = skb_queue_len(&qp->resp);
	info->read = skb_queue_len(&qp->read);
	info->rx_ce = qp->rx_ce;
	info->tx_cnp = qp->tx_cnp;
	info->rx_cnp = qp->rx_cnp;
	info->tx_packets = qp->tx_packets;
	info->tx_bytes = qp->tx_bytes;
	info->retrans_packets = qp->retrans_packets;
	link_info(qp, info);
	spin_unlock_bh(&qp->lock);
}

/**
 * rcc_qp_paths() - what can be told of a QP's paths
 * @qp: the QP; the caller holds rcu_read_lock()
 * @paths: filled in
 *
 * Return: how many; 0 without a link layer.
 */
u32 rcc_qp_paths(struct rcc_qp *qp, struct rcc_path_info paths[RCC_PATHS_MAX])
{
	const struct rcc_spray_path *p;
	bool weighs = false;
	u32 i, n = 0;

	spin_lock_bh(&qp->lock);
	if (qp->link) {
		n = qp->link->spray.n;
		/* in other modes a weight is only remembered */
		weighs = qp->link->spray.mode == RCC_SPRAY_ADAPTIVE;
	}
	for (i = 0; i < n; i++) {
		p = &qp->link->spray.path[i];
		paths[i] = (struct rcc_path_info) {
			.port = p->port,
			.dead = p->dead,
			.weight_permille = weighs ? p->weight * 1000 / RCC_SPRAY_WEIGHT : 1000,
			.ce_permille = p->ce * 1000 >> 16,
			.rtt_ns = p->rtt_ns,
			.sent = p->sent,
			.came = p->came,
			.marked = p->marked,
			.lost = p->lost,
		};
	}
	spin_unlock_bh(&qp->lock);
	return n;
}
