// SPDX-License-Identifier: GPL-2.0
/*
 * The link layer's sessions: how two rxe_cc hosts find out about each other, and how they part.
 *
 *	us			peer
 *	HELLO(token)	->			we do not know whether there is anybody
 *			<-	HELLO_ACK(echo, token)	so there is; we take its trailers from now on
 *	HELLO_ACK(echo, READY) ->		it takes ours
 *			<-	HELLO_ACK(echo, READY)	we may send them: up
 *
 * A HELLO changes nothing but that it is answered, to the address of the QP's peer; only who gives our token back is believed.
 * No answer after some tries: standard RoCEv2, until the peer says HELLO. A session ends with BYE, with the QP, or when the peer
 * is silent; then standard RoCEv2 again, and HELLO.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "rcc.h"
#include "trace.h"

#define HELLOS_MAX	8
#define HELLO_FIRST_NS	(200 * NSEC_PER_USEC)	/* the peer's QP and our own shall be ready, and their timeouts known */
#define HELLO_GAP_NS	(1 * NSEC_PER_MSEC)	/* pause after the first HELLO; four times as long after each further one */
#define STUCK_MAX	2	/* sessions that bring nothing across until the QP does without */
#define UNMENDED_MAX	3	/* gaps given up in a row, until the session ends */
#define BYES		3	/* one may be lost */
#define REPLY_GAP_NS	(1 * NSEC_PER_MSEC)	/* HELLOs of one QP are answered no faster */
#define HOLD_MIN_NS	(1 * NSEC_PER_MSEC)
#define HOLD_MAX_NS	(64 * NSEC_PER_MSEC)
#define SILENT_MAX_NS	(1000 * NSEC_PER_MSEC)
/* the longest packet beyond its payload: IP header apart, WRITE only with immediate, ICRC, trailer */
#define OVERHEAD_BYTES	(RCC_UDP_BYTES + RCC_BTH_BYTES + RCC_RETH_BYTES + 4 + RCC_ICRC_BYTES + RCC_TRAILER_BYTES)

/* QPs that have a link layer: while there are none, most packets are none of our business */
atomic_t rcc_links;

const char *const rcc_spray_names[RCC_SPRAY_MODES] = {
	[RCC_SPRAY_NONE] = "none",
	[RCC_SPRAY_RR] = "rr",
	[RCC_SPRAY_RANDOM] = "random",
	[RCC_SPRAY_REPS] = "reps",
	[RCC_SPRAY_ADAPTIVE] = "adaptive",
};

/**
 * rcc_spray_find() - look a spray mode up by its name
 * @name: the name, not terminated
 * @len: its length
 *
 * Return: enum rcc_spray_mode, or -EINVAL.
 */
int rcc_spray_find(const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < RCC_SPRAY_MODES; i++)
		if (strlen(rcc_spray_names[i]) == len && !memcmp(name, rcc_spray_names[i], len))
			return i;
	return -EINVAL;
}

/* How long the peer may hold our packets back behind a gap, in time for rxe's own timer. */
static u64 hold_ns(const struct rcc_qp *qp)
{
	return qp->timeout_ns ? clamp(qp->timeout_ns / 4 * 3, HOLD_MIN_NS, HOLD_MAX_NS) : HOLD_MAX_NS;
}

/* How long nothing that is on its way may be acknowledged: rxe gives up only after some timeouts more. */
static u64 stuck_ns(const struct rcc_qp *qp)
{
	u64 own = qp->timeout_ns ? min_t(u64, 3 * qp->timeout_ns, SILENT_MAX_NS) : SILENT_MAX_NS;

	/* the peer, if it is the one that waits, has said how long three quarters of its timeout are */
	return qp->link->known ? min(own, 4 * qp->link->hold_ns) : own;
}

/* Our sending side begins anew: what is on its way now means nothing any more. */
static void begin_tx(struct rcc_qp *qp)
{
	struct rcc_link *l = qp->link;
	struct sk_buff *skb;

	while ((skb = rcc_sack_purge(&l->sack))) {
		atomic_dec(&qp->dev->link_kept);
		dev_kfree_skb_any(skb);
	}
	/* without a session it is not SACKs that tell what is on its way */
	if (l->up)
		rcc_flight_reset(&qp->flight);
	l->up = false;
	l->spraying = false;
	l->first = get_random_u32();
	l->fence = l->first;
	l->unasked = 0;
	l->asked_ns = 0;
	l->credit = 0;
	l->marks = 0;
	l->loss = 0;
	rcc_sack_init(&l->sack, l->first, hold_ns(qp) / 2);
	/* none is on its way by any path */
	rcc_link_spray(qp);
}

/* What waits for an earlier packet goes on in order, without it. */
static void flush_rx(struct rcc_qp *qp)
{
	struct rcc_link *l = qp->link;
	struct sk_buff *skb;

	while ((skb = rcc_reorder_purge(&l->reorder))) {
		atomic_dec(&qp->dev->link_held);
		__skb_queue_tail(&l->ready, skb);
	}
}

static void begin(struct rcc_qp *qp)
{
	struct rcc_link *l = qp->link;

	begin_tx(qp);
	flush_rx(qp);
	l->known = false;
	WRITE_ONCE(l->token, get_random_u32());
	l->sack_ns = RCC_SACK_NEVER;
	l->hello_ns = RCC_SACK_NEVER;
	l->wait_ns = 0;
	l->hellos = 0;
	l->ce_pending = 0;
}

/**
 * rcc_link_spray_mode() - how a QP's packets are sprayed, if they are
 * @qp: the QP; the caller holds its lock
 *
 * Return: enum rcc_spray_mode: the QP's own, or the device's.
 */
u32 rcc_link_spray_mode(const struct rcc_qp *qp)
{
	return qp->spray_set < RCC_SPRAY_MODES ? qp->spray_set : READ_ONCE(qp->dev->spray);
}

/* The QP's link layer, made now if it has none; NULL without memory. */
static struct rcc_link *get_link(struct rcc_qp *qp)
{
	struct rcc_link *l = qp->link;

	lockdep_assert_held(&qp->lock);
	if (l)
		return l;
	l = kzalloc(sizeof(*l), GFP_ATOMIC | __GFP_NOWARN);
	if (!l) {
		rcc_count(qp->dev, RCC_C_link_fallback_memory);
		return NULL;
	}
	atomic_inc(&rcc_links);
	__skb_queue_head_init(&l->ready);
	rcc_sack_init(&l->sack, 0, 0);
	rcc_reorder_init(&l->reorder, 0);
	/* whoever finds it without the lock finds it whole */
	smp_store_release(&qp->link, l);
	rcc_spray_init(&l->spray, rcc_link_spray_mode(qp), READ_ONCE(qp->dev->entropies), qp->flow.sport, get_random_u32());
	begin(qp);
	return l;
}

/* Has a path room for the QP's longest packet and its trailer? Not if the QP's path MTU is not known. */
static bool fits(const struct rcc_qp *qp, u32 mtu)
{
	u32 ip = qp->flow.version == 6 ? RCC_IP6_BYTES : RCC_IP4_BYTES;

	return qp->mtu_bytes && ip + OVERHEAD_BYTES + qp->mtu_bytes <= mtu;
}

/**
 * rcc_link_connect() - rxe connects a QP: see whether it could have a link layer, before its first packet leaves
 * @qp: the QP; the caller holds its lock and rcu_read_lock(), interrupts on or off
 * @now_ns: time
 */
void rcc_link_connect(struct rcc_qp *qp, u64 now_ns)
{
	const struct net_device *ndev = READ_ONCE(qp->dev->ndev);

	if (qp->type != IB_QPT_RC || !rcc_link_allowed(qp->dev) || !ndev || !fits(qp, READ_ONCE(ndev->mtu)) ||
	    !get_link(qp))
		return;
	qp->link_asked = true;
	rcc_spray_init(&qp->link->spray, rcc_link_spray_mode(qp), READ_ONCE(qp->dev->entropies), qp->flow.sport,
		       get_random_u32());
	qp->link->stuck = 0;
	qp->link->hello_ns = now_ns + HELLO_FIRST_NS;
	qp->link->wait_ns = now_ns + RCC_LINK_WAIT_NS;
	rcc_pacer_rearm(qp, now_ns);
}

/**
 * rcc_link_want() - a packet leaves a QP that has no session: see whether there could be one
 * @qp: the QP; the caller holds its lock
 * @skb: the packet
 * @now_ns: time
 */
void rcc_link_want(struct rcc_qp *qp, const struct sk_buff *skb, u64 now_ns)
{
	struct rcc_link *l;

	if (qp->link_asked)
		return;
	qp->link_asked = true;
	if (!fits(qp, dst_mtu(skb_dst(skb)))) {
		rcc_count(qp->dev, RCC_C_link_fallback_mtu);
		return;
	}
	l = get_link(qp);
	if (l && l->hello_ns == RCC_SACK_NEVER && !l->hellos) {
		l->hello_ns = now_ns;
		rcc_link_use_route(l, skb);
	}
}

static void say_hello(struct rcc_qp *qp, u8 type, u32 echo, struct sk_buff_head *out)
{
	struct rcc_link *l = qp->link;
	struct rcc_ctl ctl = {
		.type = type,
		.token = echo,
		.hello = {
			.token = l->token,
			.caps = RCC_CAPS,
			.first = l->first,
			.window = RCC_LINK_WINDOW,
			.flags = l->known ? RCC_HELLO_READY : 0,
			.hold_us = div_u64(hold_ns(qp), NSEC_PER_USEC),
			.your_first = l->known ? l->peer_first : 0,
		},
	};

	rcc_count(qp->dev, RCC_C_link_hello_sent);
	/* each by the next path: the one of the QP's own port may be dead, and then nothing else of it passes */
	l->turn = (l->turn + 1) % l->spray.n;
	rcc_link_say(qp, &ctl, l->spray.path[l->turn].port, out);
}

/* Nobody has answered yet: once more, and ever more seldom; at last never. */
static void hello_again(struct rcc_qp *qp, u64 now_ns, struct sk_buff_head *out)
{
	struct rcc_link *l = qp->link;

	if (l->hellos == HELLOS_MAX) {
		l->hello_ns = RCC_SACK_NEVER;
		rcc_count(qp->dev, RCC_C_link_hello_unanswered);
		return;
	}
	l->hello_ns = now_ns + (HELLO_GAP_NS << 2 * l->hellos);
	l->hellos++;
	say_hello(qp, RCC_CTL_HELLO, 0, out);
}

static void hello_came(struct rcc_qp *qp, const struct rcc_hello *h, u32 mtu, u64 now_ns, struct sk_buff_head *out)
{
	struct rcc_link *l;

	rcc_count(qp->dev, RCC_C_link_hello_rcvd);
	if (!rcc_link_allowed(qp->dev) || qp->dead) {
		rcc_count(qp->dev, RCC_C_link_ctl_off);
		return;
	}
	if (!fits(qp, mtu)) {
		rcc_count(qp->dev, RCC_C_link_fallback_mtu);
		return;
	}
	l = get_link(qp);
	if (!l)
		return;
	if (now_ns - l->reply_ns < REPLY_GAP_NS) {
		rcc_count(qp->dev, RCC_C_link_ctl_limited);
		return;
	}
	l->reply_ns = now_ns;
	say_hello(qp, RCC_CTL_HELLO_ACK, h->token, out);
}

/* The peer has given our token back: what it says of itself is true. Returns false if we knew that. */
static bool adopt(struct rcc_qp *qp, const struct rcc_hello *h, u64 now_ns)
{
	struct rcc_link *l = qp->link;
	bool other = l->known && l->peer_token != h->token;

	l->hold_ns = clamp(h->hold_us * NSEC_PER_USEC, HOLD_MIN_NS, HOLD_MAX_NS);
	if (l->known && !other && l->peer_first == h->first)
		return false;
	/* it has forgotten what we have sent, and may be slow to say that it is ready for more */
	if (other) {
		begin_tx(qp);
		l->hellos = 0;
		l->hello_ns = now_ns + HELLO_GAP_NS;
	}
	flush_rx(qp);
	l->known = true;
	l->peer_token = h->token;
	l->peer_first = h->first;
	l->beyond = 0;
	l->unmended = 0;
	l->sack_ns = RCC_SACK_NEVER;
	rcc_reorder_init(&l->reorder, h->first);
	return true;
}

static void hello_ack_came(struct rcc_qp *qp, const struct rcc_hello *h, u64 now_ns, struct sk_buff_head *out)
{
	struct rcc_link *l = qp->link;
	bool ready, news;

	if ((h->caps & RCC_CAPS) != RCC_CAPS || h->window < RCC_LINK_WINDOW) {
		rcc_count(qp->dev, RCC_C_link_ctl_malformed);
		return;
	}
	news = adopt(qp, h, now_ns);
	ready = (h->flags & RCC_HELLO_READY) && h->your_first == l->first;
	l->heard_ns = now_ns;
	if (ready && !l->up && l->stuck < STUCK_MAX) {
		l->up = true;
		l->moved_ns = now_ns;
		l->wait_ns = 0;
		l->spraying = !qp->left[0].any && !qp->left[1].any;
		l->sack.max_wait_ns = hold_ns(qp) / 2;
		/* what is on its way is counted by SACKs from now on */
		rcc_flight_reset(&qp->flight);
		l->hellos = 0;
		l->hello_ns = RCC_SACK_NEVER;
		rcc_count(qp->dev, RCC_C_link_up);
		trace_link_up(RCC_TRACE_QP(qp), qp->type);
	}
	if (news || !ready) {
		if (!news && now_ns - l->ack_ns < REPLY_GAP_NS) {
			rcc_count(qp->dev, RCC_C_link_ctl_limited);
			return;
		}
		l->ack_ns = now_ns;
		say_hello(qp, RCC_CTL_HELLO_ACK, h->token, out);
	}
}

static void probe_came(struct rcc_qp *qp, const struct rcc_probe *probe, u16 port, u64 now_ns, struct sk_buff_head *out)
{
	struct rcc_ctl ctl = { .type = RCC_CTL_PROBE_REPLY, .token = qp->link->peer_token, .probe = *probe };

	ctl.probe.t2 = now_ns;
	ctl.probe.t3 = ktime_get_ns();
	/* the way back of a path is the path's own where the fabric hashes both ways alike */
	rcc_link_say(qp, &ctl, port, out);
}

/**
 * rcc_link_end() - a session ends
 * @qp: the QP with a session; the caller holds its lock
 * @why: why
 *
 * Packets go on as standard RoCEv2. What was received and waits is in order now, for rcc_link_hand_on().
 */
void rcc_link_end(struct rcc_qp *qp, enum rcc_link_end why)
{
	static const enum rcc_counter counter[] = {
		[RCC_LINK_BYE] = RCC_C_link_down_bye,
		[RCC_LINK_SILENT] = RCC_C_link_down_silent,
		[RCC_LINK_RESET] = RCC_C_link_down_reset,
		[RCC_LINK_UNMENDED] = RCC_C_link_down_unmended,
	};
	struct rcc_link *l = qp->link;

	lockdep_assert_held(&qp->lock);
	if (l->up || l->known) {
		rcc_count(qp->dev, counter[why]);
		trace_link_down(qp, why, l->repeats);
	}
	begin(qp);
}

/* Say BYE, if there is anybody to say it to. */
static void bye(struct rcc_qp *qp, struct sk_buff_head *out)
{
	struct rcc_ctl ctl = { .type = RCC_CTL_BYE, .token = qp->link->peer_token };
	u32 i;

	for (i = 0; qp->link->known && i < BYES; i++)
		rcc_link_say(qp, &ctl, 0, out);
}

/* A session ends, and we ask for no other. The peer will say HELLO if it wants one. */
static void end_for_good(struct rcc_qp *qp, enum rcc_link_end why)
{
	rcc_link_end(qp, why);
	qp->link->hellos = HELLOS_MAX;
}

/* A packet that gives our token back, of a type that needs one. */
static void known_came(struct rcc_qp *qp, const struct rcc_pkt *pkt, const struct rcc_ctl *ctl, u64 now_ns,
		       struct sk_buff_head *out)
{
	struct rcc_link *l = qp->link;

	if (ctl->type == RCC_CTL_HELLO_ACK) {
		hello_ack_came(qp, &ctl->hello, now_ns, out);
		return;
	}
	if (!l->known) {
		rcc_count(qp->dev, RCC_C_link_ctl_token);
		return;
	}
	l->heard_ns = now_ns;
	switch (ctl->type) {
	case RCC_CTL_SACK:
		rcc_link_sack(qp, &ctl->sack, now_ns);
		break;
	case RCC_CTL_PROBE:
		probe_came(qp, &ctl->probe, pkt->sport, now_ns, out);
		break;
	case RCC_CTL_PROBE_REPLY:
		rcc_link_probed(qp, &ctl->probe, now_ns);
		break;
	case RCC_CTL_BYE:
		end_for_good(qp, RCC_LINK_BYE);
		break;
	}
}

/**
 * rcc_link_receive() - a control packet came
 * @dev: the device that it came to
 * @skb: the packet, which stays the caller's
 * @pkt: what it is
 *
 * The caller holds rcu_read_lock() and no lock, with bottom halves off.
 */
void rcc_link_receive(struct rcc_dev *dev, struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	struct sk_buff_head out;
	struct rcc_ctl ctl;
	struct rcc_qp *qp;
	u64 now_ns;

	qp = rcc_qp_find(dev, pkt->dqpn);
	if (!qp || qp->type != IB_QPT_RC) {
		rcc_count(dev, RCC_C_link_ctl_qpn);
		return;
	}
	if (skb_linearize(skb) || !rcc_ctl_parse(skb->data, pkt, &ctl)) {
		rcc_count(dev, RCC_C_link_ctl_malformed);
		return;
	}
	if (!rcc_wire_icrc_ok(skb->data, pkt)) {
		rcc_count(dev, RCC_C_link_ctl_icrc);
		return;
	}
	__skb_queue_head_init(&out);
	spin_lock(&qp->lock);
	now_ns = ktime_get_ns();
	if (!rcc_qp_from_peer(qp, skb, pkt))
		rcc_count(dev, RCC_C_link_ctl_addr);
	else if (ctl.type == RCC_CTL_HELLO)
		hello_came(qp, &ctl.hello, skb->dev->mtu, now_ns, &out);
	else if (!qp->link || ctl.token != qp->link->token || qp->dead)
		rcc_count(dev, RCC_C_link_ctl_token);
	else
		known_came(qp, pkt, &ctl, now_ns, &out);
	rcc_pacer_wake(qp, now_ns);
	spin_unlock(&qp->lock);
	rcc_link_send(&out);
	rcc_link_hand_on(qp);
}

/**
 * rcc_link_stop() - a QP goes on without the link layer
 * @qp: the QP; the caller holds rcu_read_lock() and no lock
 */
void rcc_link_stop(struct rcc_qp *qp)
{
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	local_bh_disable();
	spin_lock(&qp->lock);
	qp->link_asked = false;
	if (qp->link) {
		bye(qp, &out);
		rcc_link_end(qp, RCC_LINK_RESET);
		qp->link->stuck = 0;
		/* what waited for the session, or for room in it */
		rcc_pacer_rearm(qp, ktime_get_ns());
	}
	spin_unlock(&qp->lock);
	rcc_link_send(&out);
	rcc_link_hand_on(qp);
	local_bh_enable();
}

/**
 * rcc_link_forget() - a QP begins anew, or its packets may not stay: nothing of its link layer is left
 * @qp: the QP; the caller holds its lock
 *
 * Any context, interrupts on or off.
 */
void rcc_link_forget(struct rcc_qp *qp)
{
	struct rcc_link *l = qp->link;
	struct sk_buff *skb;

	qp->link_asked = false;
	if (!l)
		return;
	rcc_link_end(qp, RCC_LINK_RESET);
	l->stuck = 0;
	rcc_count_n(qp->dev, RCC_C_link_rx_no_room, skb_queue_len(&l->ready));
	while ((skb = __skb_dequeue(&l->ready)))
		dev_kfree_skb_any(skb);
	dst_release(l->dst);
	l->dst = NULL;
}

/**
 * rcc_link_free() - a QP's record goes
 * @qp: the QP, which nobody uses any more
 */
void rcc_link_free(struct rcc_qp *qp)
{
	if (!qp->link)
		return;
	kfree(qp->link);
	atomic_dec(&rcc_links);
}

/**
 * rcc_link_spray() - a QP's spray mode or its number of paths may have changed
 * @qp: the QP; the caller holds its lock
 */
void rcc_link_spray(struct rcc_qp *qp)
{
	if (qp->link)
		rcc_spray_set(&qp->link->spray, rcc_link_spray_mode(qp), READ_ONCE(qp->dev->entropies), get_random_u32());
}

/* How long a gap may hold back what follows: the peer's timer runs for its requests, and our own for their answers. */
static u64 gap_ns(const struct rcc_qp *qp)
{
	return min(qp->link->hold_ns, hold_ns(qp));
}

/**
 * rcc_link_end_tx() - what has a trailer does not get through: our packets go without
 * @qp: the QP with a session; the caller holds its lock
 * @now_ns: time
 * @for_good: never with one again
 *
 * What the peer sends, its ACKs with trailers among it, is taken as before.
 */
void rcc_link_end_tx(struct rcc_qp *qp, u64 now_ns, bool for_good)
{
	struct rcc_link *l = qp->link;

	if (!for_good)
		rcc_count(qp->dev, RCC_C_link_down_silent);
	trace_link_down(qp, RCC_LINK_SILENT, l->repeats);
	begin_tx(qp);
	l->stuck = for_good ? STUCK_MAX : l->stuck + 1;
	l->hellos = 0;
	if (l->stuck < STUCK_MAX)
		l->hello_ns = now_ns + HELLO_GAP_NS;
}

/**
 * rcc_link_due() - when the link layer has something to do
 * @qp: the QP; the caller holds its lock
 *
 * Return: the time, or RCC_WHEEL_NEVER.
 */
u64 rcc_link_due(const struct rcc_qp *qp)
{
	const struct rcc_link *l = qp->link;
	u64 due = min(l->hello_ns, l->sack_ns);

	if (l->known && l->reorder.gap_ns)
		due = min(due, l->reorder.gap_ns + gap_ns(qp));
	if (!l->up)
		return due;
	if (l->sack.una != l->sack.nxt)
		due = min(due, l->moved_ns + stuck_ns(qp));
	due = min(due, l->sack.due_ns);
	if (l->spray.dead)
		due = min(due, rcc_spray_probe_due(&l->spray));
	if (!l->sack.lost)
		return due;
	return l->credit ? 0 : min(due, qp->pace.next_ns);
}

/*
 * A gap is not waited for any longer. If nothing that the peer sends again comes, its packets with trailers do not get through
 * while others do, such as shorter ones. It believes that they have come, because we go on behind the gap: only we can end this.
 */
static void give_up(struct rcc_qp *qp, u64 now_ns, struct sk_buff_head *out)
{
	rcc_link_give_up(qp, now_ns, out);
	if (++qp->link->unmended < UNMENDED_MAX)
		return;
	bye(qp, out);
	end_for_good(qp, RCC_LINK_UNMENDED);
}

static void try_dead_path(struct rcc_qp *qp, u64 now_ns, struct sk_buff_head *out)
{
	struct rcc_link *l = qp->link;
	struct rcc_ctl ctl = { .type = RCC_CTL_PROBE, .token = l->peer_token, .probe.t1 = now_ns };
	int path = rcc_spray_probe(&l->spray, now_ns);

	if (path < 0)
		return;
	ctl.probe.path = path;
	rcc_count(qp->dev, RCC_C_link_probe_sent);
	rcc_link_say(qp, &ctl, l->spray.path[path].port, out);
}

/**
 * rcc_link_timer() - do what is due
 * @qp: the QP with a link layer; the caller holds its lock
 * @now_ns: time
 * @out: control packets go here
 *
 * The caller calls rcc_link_send() and rcc_link_hand_on() later, without the lock.
 */
void rcc_link_timer(struct rcc_qp *qp, u64 now_ns, struct sk_buff_head *out)
{
	struct rcc_link *l = qp->link;

	if (l->hello_ns <= now_ns)
		hello_again(qp, now_ns, out);
	if (l->sack_ns <= now_ns)
		rcc_link_report(qp, now_ns, out);
	if (l->known && l->reorder.gap_ns && l->reorder.gap_ns + gap_ns(qp) <= now_ns)
		give_up(qp, now_ns, out);
	if (!l->up)
		return;
	if (l->sack.una != l->sack.nxt && now_ns - l->moved_ns >= stuck_ns(qp)) {
		rcc_link_end_tx(qp, now_ns, false);
		return;
	}
	rcc_link_find_lost(qp, now_ns);
	if (l->spray.dead)
		try_dead_path(qp, now_ns, out);
}

/**
 * rcc_link_rxe_timeout() - rxe sends again what the link layer should have brought across
 * @qp: the QP; the caller holds its lock
 * @now_ns: time
 *
 * If the peer was silent for nearly as long, or has acknowledged nothing for longer, its link layer is gone, or what has a
 * trailer does not get through: rxe's repeat goes as standard RoCEv2.
 */
void rcc_link_rxe_timeout(struct rcc_qp *qp, u64 now_ns)
{
	struct rcc_link *l = qp->link;

	if (!l)
		return;
	l->wait_ns = 0;
	/* if all has come, it is the peer's rxe that is slow */
	if (l->up && l->sack.una != l->sack.nxt &&
	    (now_ns - l->heard_ns >= stuck_ns(qp) / 4 || now_ns - l->moved_ns >= stuck_ns(qp) / 2))
		rcc_link_end_tx(qp, now_ns, false);
}
