// SPDX-License-Identifier: GPL-2.0
/*
 * The link layer's receiving side.
 *
 *	trailer right?	-> off; the packet is what rxe of the peer made, byte for byte
 *	in order?	-> on to rxe, and with it what waited for it; else it waits, but not for ever
 *	SACK		-> when asked for, for every fourth packet while any is missing or marked, for every 32nd otherwise,
 *			   or when nothing more comes
 *
 * Several processors may receive for one QP. Whoever finds nobody at it when it adds its packet hands on what is in order, with
 * the lock dropped, and goes on until nothing is left; the others only add to it. So the order holds.
 */
#include <linux/ip.h>

#include "rcc.h"
#include "trace.h"

#define SACK_PACKETS	32
#define BEYOND_MAX	64	/* packets in a row that fit into no window */
#define SACK_NEWS	4	/* the same while any packet is missing or came with CE */
/* the longest that a SACK waits; half of what the sender grants, the rest is for the timer's lateness */
#define NEWS_DELAY_NS	(RCC_SACK_DELAY_NS / 2)
#define DATA_DELAY_NS	(RCC_SACK_IDLE_NS / 2)
#define ACK_DELAY_NS	(RCC_SACK_ACK_DELAY_NS / 2)

/* Take the trailer off and give the packet its own port and lengths. */
static bool strip(struct sk_buff *skb, const struct rcc_pkt *pkt, u16 sport)
{
	u32 bytes = pkt->l3_bytes - RCC_TRAILER_BYTES;

	if (skb_ensure_writable(skb, pkt->bth) || pskb_trim(skb, bytes))
		return false;
	rcc_link_resize(skb->data, pkt->bth, bytes, sport);
	/* a checksum of all bytes holds no more; rxe has the ICRC */
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->ip_summed = CHECKSUM_NONE;
	return true;
}

/* A packet may wait only where it is flushed when the netdev goes, and only so many may. */
static bool may_wait(const struct rcc_qp *qp, struct sk_buff *skb)
{
	return (skb->dev->flags & IFF_UP) && atomic_read(&qp->dev->link_held) < RCC_LINK_HELD_MAX && skb_dst_force(skb);
}

static void count_depth(struct rcc_qp *qp, u32 depth)
{
	static const enum rcc_counter first = RCC_C_link_reorder_depth_1;

	rcc_count(qp->dev, first + min_t(u32, fls(depth) - 1, 8));
}

/* Into the queue of what goes on, with all that waited for it; NULL: what waited for a packet that was given up. */
static void in_order(struct rcc_qp *qp, struct sk_buff *skb, u64 now_ns)
{
	struct rcc_link *l = qp->link;

	if (skb)
		__skb_queue_tail(&l->ready, skb);
	while ((skb = rcc_reorder_pop(&l->reorder, now_ns))) {
		atomic_dec(&qp->dev->link_held);
		__skb_queue_tail(&l->ready, skb);
	}
}

/* Where does a packet belong? It is ours from here on. */
static void place(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_trailer *t, bool ce, u64 now_ns)
{
	struct rcc_link *l = qp->link;
	u32 ahead = t->seq - l->reorder.next;
	enum rcc_reorder_verdict verdict;

	if (((l->delivering || (ahead && ahead < RCC_LINK_WINDOW)) && !may_wait(qp, skb)) ||
	    skb_queue_len(&l->ready) >= RCC_LINK_READY_MAX) {
		rcc_count(qp->dev, RCC_C_link_rx_no_room);
		kfree_skb(skb);
		return;
	}
	verdict = rcc_reorder_add(&l->reorder, now_ns, t, ce, skb);
	l->beyond = verdict == RCC_REORDER_BEYOND ? l->beyond + 1 : 0;
	if ((t->flags & RCC_TR_REPEAT) && verdict <= RCC_REORDER_WAIT)
		l->unmended = 0;
	switch (verdict) {
	case RCC_REORDER_NOW:
		in_order(qp, skb, now_ns);
		return;
	case RCC_REORDER_EARLY:
		__skb_queue_tail(&l->ready, skb);
		return;
	case RCC_REORDER_WAIT:
		atomic_inc(&qp->dev->link_held);
		l->disordered++;
		rcc_count(qp->dev, RCC_C_link_out_of_sequence);
		count_depth(qp, ahead);
		return;
	case RCC_REORDER_TWICE:
		rcc_count(qp->dev, RCC_C_link_rx_duplicate);
		break;
	case RCC_REORDER_BEYOND:
		rcc_count(qp->dev, RCC_C_link_rx_beyond);
		break;
	}
	/* the two sides do not mean the same sequence: they shake hands again */
	if (l->beyond >= BEYOND_MAX) {
		rcc_link_end(qp, RCC_LINK_RESET);
		l->hello_ns = now_ns;
	}
	kfree_skb(skb);
}

/**
 * rcc_link_report() - tell the peer what has come
 * @qp: the QP; the caller holds its lock
 * @now_ns: time
 * @out: the SACK goes here
 */
void rcc_link_report(struct rcc_qp *qp, u64 now_ns, struct sk_buff_head *out)
{
	struct rcc_link *l = qp->link;
	struct rcc_ctl ctl;

	l->sack_ns = RCC_SACK_NEVER;
	if (!l->known)
		return;
	ctl.type = RCC_CTL_SACK;
	ctl.token = l->peer_token;
	rcc_reorder_report(&l->reorder, now_ns, &ctl.sack);
	l->ce_pending = 0;
	rcc_count(qp->dev, RCC_C_link_sack_sent);
	rcc_link_say(qp, &ctl, 0, out);
}

/* A packet came: is it time to say so? */
static void report_if_due(struct rcc_qp *qp, const struct rcc_trailer *t, bool is_ack, u64 now_ns, struct sk_buff_head *out)
{
	struct rcc_link *l = qp->link;
	bool news = l->ce_pending || rcc_reorder_gap(&l->reorder);

	if ((t->flags & RCC_TR_ASK) || l->reorder.pending >= (news ? SACK_NEWS : SACK_PACKETS))
		rcc_link_report(qp, now_ns, out);
	else
		l->sack_ns = min(l->sack_ns, now_ns + (news ? NEWS_DELAY_NS : is_ack ? ACK_DELAY_NS : DATA_DELAY_NS));
}

/**
 * rcc_link_give_up() - a packet has been missing for too long: rxe shall see the gap
 * @qp: the QP with a session; the caller holds its lock
 * @now_ns: time
 * @out: a SACK goes here
 *
 * The caller calls rcc_link_hand_on() without the lock.
 */
void rcc_link_give_up(struct rcc_qp *qp, u64 now_ns, struct sk_buff_head *out)
{
	struct rcc_link *l = qp->link;
	u32 skipped = rcc_reorder_give_up(&l->reorder);

	l->skipped += skipped;
	rcc_count_n(qp->dev, RCC_C_link_gap_skipped, skipped);
	trace_link_gap(qp, l->reorder.next, skipped);
	in_order(qp, NULL, now_ns);
	rcc_link_report(qp, now_ns, out);
}

/* Under the lock: the first packet for who is to hand them on now; NULL: nothing is in order, or somebody is at it. */
static struct sk_buff *claim(struct rcc_link *l)
{
	struct sk_buff *skb = l->delivering ? NULL : __skb_dequeue(&l->ready);

	if (skb)
		l->delivering = true;
	return skb;
}

/* Without the lock: hand on @skb, which was claimed, and what is in order behind it. */
static void deliver(struct rcc_qp *qp, struct sk_buff *skb)
{
	while (skb) {
		rcc_rx_hand_on(qp, skb);
		spin_lock(&qp->lock);
		skb = __skb_dequeue(&qp->link->ready);
		qp->link->delivering = !!skb;
		spin_unlock(&qp->lock);
	}
}

/**
 * rcc_link_hand_on() - hand on to rxe what is in order
 * @qp: the QP; the caller holds rcu_read_lock() and no lock, with bottom halves off
 */
void rcc_link_hand_on(struct rcc_qp *qp)
{
	struct sk_buff *skb;

	spin_lock(&qp->lock);
	skb = qp->link ? claim(qp->link) : NULL;
	spin_unlock(&qp->lock);
	deliver(qp, skb);
}

/* The peer's packet, with the lock held. Returns false if it is not for the link layer after all. */
static bool receive(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt, const struct rcc_trailer *t, u32 token,
		    struct sk_buff_head *out)
{
	bool ce = pkt->ecn == RCC_ECN_CE, is_ack = pkt->class & RCC_OC_ACK;
	struct rcc_link *l = qp->link;
	u64 now_ns = ktime_get_ns();

	if (!l->known || qp->dead || l->token != token) {
		rcc_count(qp->dev, RCC_C_link_rx_untrailed);
		return false;
	}
	if (!rcc_qp_from_peer(qp, skb, pkt)) {
		rcc_count(qp->dev, RCC_C_link_ctl_addr);
		return false;
	}
	l->heard_ns = now_ns;
	if (ce) {
		rcc_cnp_note_ce(qp, pkt);
		l->ce_pending++;
		rcc_count(qp->dev, RCC_C_np_ecn_marked_roce_packets);
		rcc_count(qp->dev, RCC_C_np_cnp_linked);
	}
	if (!strip(skb, pkt, t->sport)) {
		rcc_count(qp->dev, RCC_C_link_rx_no_room);
		kfree_skb(skb);
		return true;
	}
	rcc_count(qp->dev, RCC_C_link_rx_packets);
	place(qp, skb, t, ce, now_ns);
	report_if_due(qp, t, is_ack, now_ns, out);
	if (l->up)
		rcc_link_acked(qp, t->ack, now_ns);
	rcc_pacer_wake_link(qp, now_ns);
	return true;
}

/**
 * rcc_link_rx() - a packet of a reliable connection came: has it a trailer?
 * @qp: the QP that it is for, which has a link layer
 * @skb: the packet
 * @pkt: what it is
 *
 * The caller holds rcu_read_lock() and no lock, with bottom halves off.
 *
 * Return: true if the packet was taken.
 */
bool rcc_link_rx(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	/* acquire: pairs with the release in get_link() */
	const struct rcc_link *l = smp_load_acquire(&qp->link);
	u8 room[RCC_TRAILER_BYTES];
	struct sk_buff_head out;
	struct rcc_trailer t;
	const u8 *p;
	bool taken;
	u32 token;

	if (pkt->l3_bytes < pkt->bth + RCC_BTH_BYTES + RCC_ICRC_BYTES + RCC_TRAILER_BYTES)
		return false;
	p = skb_header_pointer(skb, pkt->l3_bytes - RCC_TRAILER_BYTES, RCC_TRAILER_BYTES, room);
	token = READ_ONCE(l->token);
	if (!p || !rcc_trailer_read(p, token, &t)) {
		if (READ_ONCE(l->known))
			rcc_count(qp->dev, RCC_C_link_rx_untrailed);
		return false;
	}
	__skb_queue_head_init(&out);
	spin_lock(&qp->lock);
	taken = receive(qp, skb, pkt, &t, token, &out);
	/* now: another could take the packet once the lock is dropped, and use it for longer than our RCU section lasts */
	skb = taken ? claim(qp->link) : NULL;
	spin_unlock(&qp->lock);
	rcc_link_send(&out);
	deliver(qp, skb);
	return taken;
}
