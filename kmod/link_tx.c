// SPDX-License-Identifier: GPL-2.0
/*
 * The link layer's sending side.
 *
 *	depart:	number, path, trailer; a clone stays here
 *	SACK:	what came is freed, what is lost goes again by another path; the algorithm hears of bytes, CE, round trips
 *
 * What the algorithm hears is of all paths together. Round trips are the median of the paths'; a CE mark counts as far as
 * the path has no more marks than the median path: the rest is for the spray to mend. A loss counts only if it looks like
 * congestion, because whatever is lost is sent again at once: see congestive().
 */
#include <net/dsfield.h>
#include <net/ip6_fib.h>

#include "rcc.h"
#include "trace.h"

#define ASK_SPRAYED	4	/* packets per SACK that we ask for, if they are sprayed */
#define ASK_PACKETS	64	/* the same if not: the peer says of itself what is worth saying */
#define LOSS_GAIN	5	/* the share of losses follows by 1/32 per packet */
#define LOSS_HEAVY	8192	/* an eighth of all packets: no bad cable, whatever else is to be seen */
#define LOSS_HEAVY_SPRAYED	32768	/* half of them: less may be paths that have died */
#define CREDIT_MAX	32U
#define CE_RECENT_NS	(100 * NSEC_PER_MSEC)

/* A trailer's place: the end of the packet. */
static u8 *trailer_of(const struct sk_buff *skb)
{
	return skb_tail_pointer(skb) - RCC_TRAILER_BYTES;
}

static u32 bth_of(const u8 *ip)
{
	return (ip[0] >> 4 == 4 ? RCC_IP4_BYTES : RCC_IP6_BYTES) + RCC_UDP_BYTES;
}

static u32 cookie_of(const struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (skb->data[0] >> 4 == 6)
		return rt6_get_cookie((const struct rt6_info *)skb_dst(skb));
#endif
	return 0;
}

/**
 * rcc_link_use_route() - remember the route of a QP's packets, for our own
 * @l: the QP's link layer; the caller holds the QP's lock
 * @skb: a packet of the QP that leaves
 */
void rcc_link_use_route(struct rcc_link *l, const struct sk_buff *skb)
{
	struct dst_entry *dst = skb_dst(skb);

	if (likely(l->dst == dst))
		return;
	dst_hold(dst);
	dst_release(l->dst);
	l->dst = dst;
	l->dst_cookie = cookie_of(skb);
}

/*
 * The packet that leaves and the one that is kept share their data, and whoever changes the IP header on the way, as the peer
 * does if it is on this host, would first copy all of it. So the kept one gives the header away, as TCP does: it keeps a copy
 * behind its end, where nobody else looks.
 */
static void give_header(struct sk_buff *skb, struct sk_buff *kept, u32 bytes)
{
	if (skb_tailroom(kept) < (int)bytes)
		return;
	memcpy(skb_tail_pointer(kept), kept->data, bytes);
	__skb_pull(kept, bytes);
	kept->nohdr = 1;
	atomic_add(1 << SKB_DATAREF_SHIFT, &skb_shinfo(kept)->dataref);
	skb->hdr_len = skb_headroom(skb) + bytes;
}

/* Keep a packet in case it is lost. NULL: it could not be kept, and rxe will have to send it again. */
static struct sk_buff *keep(struct rcc_qp *qp, struct sk_buff *skb, u32 hdr_bytes)
{
	struct sk_buff *kept = NULL;

	if (atomic_read(&qp->dev->link_kept) < RCC_LINK_KEPT_MAX)
		kept = skb_clone(skb, GFP_ATOMIC);
	if (!kept || !skb_dst_force(kept)) {
		rcc_count(qp->dev, RCC_C_link_unkept);
		kfree_skb(kept);
		return NULL;
	}
	atomic_inc(&qp->dev->link_kept);
	give_header(skb, kept, hdr_bytes);
	return kept;
}

/* May an ACK be handed on before packets that left earlier? Not before READ responses: rxe takes that for a loss. */
static bool may_overtake(struct rcc_link *l, const struct rcc_pkt *pkt)
{
	if (pkt->opcode != RCC_OP_RC_ACK || (s32)(l->sack.una - l->fence) < 0)
		return false;
	/* or the numbers would go round, and leave it ahead */
	l->fence = l->sack.una;
	return true;
}

/* Is it time for a SACK? Algorithms that live on ACKs need some per round trip and per window. */
static bool asks(const struct rcc_qp *qp, u32 bytes, u64 now_ns)
{
	const struct rcc_link *l = qp->link;
	u64 cwnd = qp->decision.cwnd_bytes;

	if (l->unasked >= (l->spray.n > 1 ? ASK_SPRAYED : ASK_PACKETS) || !l->asked_ns)
		return true;
	if (!qp->acks)
		return false;
	return now_ns - l->asked_ns >= l->sack.srtt_ns / 2 || (cwnd && l->unasked * bytes * RCC_ACKREQ_WINDOW >= cwnd);
}

static u8 flags_of(struct rcc_qp *qp, const struct rcc_pkt *pkt, u32 bytes, u64 now_ns)
{
	struct rcc_link *l = qp->link;

	if (pkt->class & RCC_OC_ACK)
		return may_overtake(l, pkt) ? RCC_TR_ACK : 0;
	l->unasked++;
	if (!asks(qp, bytes, now_ns))
		return 0;
	l->unasked = 0;
	l->asked_ns = now_ns;
	return RCC_TR_ASK;
}

/* A trailer says up to where everything has come: that may be all there is to say. */
static u32 take_ack(struct rcc_link *l)
{
	if (!rcc_reorder_gap(&l->reorder) && !l->ce_pending) {
		l->reorder.pending = 0;
		l->sack_ns = RCC_SACK_NEVER;
	}
	return l->reorder.next;
}

static bool make_room(struct sk_buff *skb)
{
	return skb_tailroom(skb) >= RCC_TRAILER_BYTES || !pskb_expand_head(skb, 0, RCC_TRAILER_BYTES, GFP_ATOMIC);
}

/* Data is sprayed, ACKs that may overtake take turns; what must keep its order, and all that has no choice, keeps its path. */
static u32 choose_path(struct rcc_link *l, bool is_ack, bool may_overtake, u64 now_ns)
{
	u32 path;

	if (!is_ack && l->spraying && l->spray.n > 1)
		return rcc_spray_pick(&l->spray, now_ns, get_random_u32());
	path = may_overtake ? rcc_link_turn(l) : rcc_spray_steady(&l->spray);
	rcc_spray_sent(&l->spray, now_ns, path);
	return path;
}

/* Number a packet, choose its path, put the trailer on. */
static void send(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt, u64 now_ns)
{
	struct rcc_link *l = qp->link;
	u32 bytes = skb->len + RCC_TRAILER_BYTES + RCC_ETH_BYTES;
	bool is_ack = pkt->class & RCC_OC_ACK;
	struct rcc_trailer t = {
		.time_ns = (u32)now_ns,
		.ack = take_ack(l),
		.sport = pkt->sport,
		.flags = flags_of(qp, pkt, bytes, now_ns),
	};
	u32 path;

	l->spray.path[0].port = pkt->sport;
	path = choose_path(l, is_ack, t.flags & RCC_TR_ACK, now_ns);
	skb_put(skb, RCC_TRAILER_BYTES);
	rcc_link_resize(skb->data, pkt->bth, skb->len, l->spray.path[path].port);
	/* a router would choose the path by the hash that it had before */
	skb_clear_hash(skb);
	if (l->sack.una == l->sack.nxt) {
		l->heard_ns = now_ns;
		l->moved_ns = now_ns;
	}
	t.seq = rcc_sack_sent(&l->sack, now_ns, keep(qp, skb, pkt->bth), bytes, path, is_ack);
	rcc_trailer_write(trailer_of(skb), &t, l->peer_token);
	if (!(pkt->class & RCC_OC_REQ) && pkt->opcode != RCC_OP_RC_ACK)
		l->fence = t.seq + 1;
	rcc_count(qp->dev, RCC_C_link_tx_packets);
}

/**
 * rcc_link_depart() - a packet of a reliable connection leaves
 * @qp: the QP; the caller holds its lock
 * @skb: the packet, not cloned
 * @pkt: what it is
 * @now_ns: time
 */
void rcc_link_depart(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt, u64 now_ns)
{
	struct rcc_link *l = qp->link;

	if (qp->dead || !rcc_link_allowed(qp->dev))
		return;
	if (l)
		rcc_link_use_route(l, skb);
	if (!rcc_link_up(qp)) {
		rcc_link_want(qp, skb, now_ns);
		return;
	}
	/* the path has become narrower: what follows, and what rxe repeats, goes without a trailer */
	if (skb->len + RCC_TRAILER_BYTES > dst_mtu(skb_dst(skb))) {
		rcc_count(qp->dev, RCC_C_link_fallback_mtu);
		rcc_link_end_tx(qp, now_ns, true);
		return;
	}
	if (!rcc_sack_room(&l->sack) || !make_room(skb)) {
		rcc_count(qp->dev, RCC_C_link_untracked);
		return;
	}
	send(qp, skb, pkt, now_ns);
	qp->stall_ns = now_ns + rcc_pacer_stall_ns(qp);
}

/* A packet that is kept becomes one that may be written to, with a header of its own. */
static bool make_private(struct rcc_sack_ent *ent)
{
	struct sk_buff *kept = ent->pkt, *copy;
	u32 bytes;

	if (!kept->nohdr && !skb_cloned(kept))
		return true;
	copy = skb_copy(kept, GFP_ATOMIC);
	if (!copy)
		return false;
	if (kept->nohdr) {
		bytes = bth_of(skb_tail_pointer(kept));
		memcpy(__skb_push(copy, bytes), skb_tail_pointer(kept), bytes);
	}
	consume_skb(kept);
	ent->pkt = copy;
	return true;
}

/* A mark that our own port gave the packet's last sending is not one of this sending. */
static void unmark(u8 *ip)
{
	struct ipv6hdr *v6 = (struct ipv6hdr *)ip;
	struct iphdr *v4 = (struct iphdr *)ip;

	if (v4->version == 4 && (ipv4_get_dsfield(v4) & RCC_ECN_MASK) == RCC_ECN_CE)
		ipv4_change_dsfield(v4, (u8)~RCC_ECN_MASK, RCC_ECN_ECT0);
	else if (v4->version == 6 && (ipv6_get_dsfield(v6) & RCC_ECN_MASK) == RCC_ECN_CE)
		ipv6_change_dsfield(v6, (u8)~RCC_ECN_MASK, RCC_ECN_ECT0);
}

/* Give a packet that goes again its new path and time. Its number and its original port stay. */
static void renew(struct rcc_qp *qp, struct sk_buff *skb, u32 seq, u32 path, u64 now_ns)
{
	struct rcc_link *l = qp->link;
	struct rcc_trailer t = {
		.seq = seq,
		.time_ns = (u32)now_ns,
		.ack = take_ack(l),
		.sport = rcc_get_be16(trailer_of(skb) + 12),
		.flags = RCC_TR_REPEAT | RCC_TR_ASK,
	};

	unmark(skb->data);
	rcc_link_resize(skb->data, bth_of(skb->data), skb->len, l->spray.path[path].port);
	rcc_trailer_write(trailer_of(skb), &t, l->peer_token);
}

/* The way may be another by now, and while the window is full no new packet will show it. */
static void follow_route(struct rcc_qp *qp, struct sk_buff *skb)
{
	struct net_device *ndev = READ_ONCE(qp->dev->ndev);
	struct dst_entry *dst = rcc_link_route(qp->link);

	if (dst == skb_dst(skb))
		return;
	if (dst)
		dst_hold(dst);
	else if (ndev)
		dst = rcc_out_route(ndev, &qp->flow);
	if (!dst)
		return;
	skb_dst_drop(skb);
	skb_dst_set(skb, dst);
	rcc_link_use_route(qp->link, skb);
}

/**
 * rcc_link_repeat() - send a lost packet again
 * @qp: the QP, up; the caller holds its lock
 * @now_ns: time
 *
 * Return: a packet to be sent, or NULL if none is lost, or if there is no memory.
 */
struct sk_buff *rcc_link_repeat(struct rcc_qp *qp, u64 now_ns)
{
	struct rcc_link *l = qp->link;
	struct rcc_sack_ent *ent;
	struct sk_buff *skb;
	u32 seq, path;

	while ((ent = rcc_sack_repeat(&l->sack, &seq))) {
		path = rcc_spray_detour(&l->spray, now_ns, get_random_u32(), ent->path);
		rcc_sack_repeated(&l->sack, now_ns, seq, path);
		/* without memory it flies in name only, and is lost again in its time */
		skb = NULL;
		if (ent->pkt && make_private(ent)) {
			renew(qp, ent->pkt, seq, path, now_ns);
			skb = skb_clone(ent->pkt, GFP_ATOMIC);
		}
		if (!skb) {
			rcc_count(qp->dev, RCC_C_link_unkept);
			continue;
		}
		follow_route(qp, skb);
		l->repeats++;
		l->credit -= l->credit > 0;
		rcc_count(qp->dev, RCC_C_link_repeats);
		trace_link_repeat(qp, seq, path);
		return skb;
	}
	return NULL;
}

/*
 * Does a loss say that there is congestion? Random losses are mended and cost nothing else, so they shall not cost the rate.
 * Where marks or round trips tell the algorithm of queues, a loss tells nothing more, unless very much is lost; where nothing
 * does, one that comes with a queue counts.
 */
static bool congestive(const struct rcc_qp *qp, u64 now_ns)
{
	const struct rcc_link *l = qp->link;

	if (l->loss >= (l->spray.n > 1 ? LOSS_HEAVY_SPRAYED : LOSS_HEAVY))
		return true;
	if (qp->acks || (l->ce_ns && now_ns - l->ce_ns < CE_RECENT_NS))
		return false;
	return l->sack.srtt_ns > 2 * l->sack.min_rtt_ns;
}

static void tell_loss(struct rcc_qp *qp, u64 now_ns)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_NACK };
	struct rcc_link *l = qp->link;

	if (!congestive(qp, now_ns) || now_ns - l->nack_ns < l->sack.srtt_ns)
		return;
	l->nack_ns = now_ns;
	rcc_count(qp->dev, RCC_C_link_loss_told);
	rcc_cc_event(qp, &ev);
}

static void path_died(struct rcc_qp *qp, u32 path)
{
	rcc_count(qp->dev, RCC_C_link_path_dead);
	trace_link_path(qp, path, false);
}

static void path_lives(struct rcc_qp *qp, u32 path)
{
	rcc_count(qp->dev, RCC_C_link_path_back);
	trace_link_path(qp, path, true);
}

static void add_credit(struct rcc_link *l, u32 packets)
{
	l->credit = min(l->credit + packets, CREDIT_MAX);
}

/**
 * rcc_link_find_lost() - see which packets are lost by now
 * @qp: the QP, up; the caller holds its lock
 * @now_ns: time
 */
void rcc_link_find_lost(struct rcc_qp *qp, u64 now_ns)
{
	struct rcc_link *l = qp->link;
	struct rcc_sack_loss loss;
	bool any = false;

	while (rcc_sack_lost(&l->sack, now_ns, &loss)) {
		l->lost++;
		l->loss += (65536 - l->loss) >> LOSS_GAIN;
		rcc_count(qp->dev, RCC_C_link_lost);
		if (loss.timeout)
			rcc_count(qp->dev, RCC_C_link_repeats_timeout);
		/* of packets that were lost half may be replaced at once */
		add_credit(l, l->lost & 1);
		if (rcc_spray_lost(&l->spray, now_ns, loss.path))
			path_died(qp, loss.path);
		any = true;
	}
	if (any)
		tell_loss(qp, now_ns);
}

/* What a SACK or a trailer's ack brought, summed up for the algorithm. */
struct came {
	u64 bytes;
	u32 packets;
	u32 marks;	/* 1024 each */
};

static void note_ce(struct rcc_qp *qp, u32 path, u64 now_ns, struct came *came)
{
	struct rcc_link *l = qp->link;

	l->ce_ns = now_ns;
	came->marks += rcc_spray_mark_weight(&l->spray, path);
	rcc_count(qp->dev, RCC_C_link_ce);
}

static void packet_came(struct rcc_qp *qp, const struct rcc_sack_done *done, u64 now_ns, struct came *came)
{
	struct rcc_link *l = qp->link;

	/* a trailer's ack has told that it came, and now a SACK that it came with CE */
	if (!done->bytes) {
		rcc_spray_marked(&l->spray, done->path);
		note_ce(qp, done->path, now_ns, came);
		return;
	}
	if (done->pkt) {
		atomic_dec(&qp->dev->link_kept);
		consume_skb(done->pkt);
	}
	came->bytes += done->bytes;
	came->packets++;
	add_credit(l, 1);
	l->loss -= l->loss >> LOSS_GAIN;
	if (rcc_spray_came(&l->spray, now_ns, done->path, done->ce))
		path_lives(qp, done->path);
	if (done->ce)
		note_ce(qp, done->path, now_ns, came);
}

/* CE reaches algorithms that know CNPs as these do: no more than one in the time that the NP would leave between two. */
static void tell_marks(struct rcc_qp *qp, u32 marks, u64 now_ns)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_CNP };
	struct rcc_link *l = qp->link;

	l->marks = min(l->marks + marks, 2 * 1024U);
	if (l->marks < 1024 || now_ns - l->cnp_ns < rcc_cnp_gap_ns(qp->dev))
		return;
	l->marks = 0;
	l->cnp_ns = now_ns;
	rcc_count(qp->dev, RCC_C_link_ce_told);
	rcc_cc_event(qp, &ev);
}

static void tell(struct rcc_qp *qp, const struct came *came, u64 rtt_ns, u64 now_ns)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_ACK };
	struct rcc_link *l = qp->link;

	if (came->marks)
		tell_marks(qp, came->marks, now_ns);
	if (!came->packets)
		return;
	l->spraying = true;
	ev.bytes = min_t(u64, came->bytes, U32_MAX);
	ev.packets = came->packets;
	ev.ce_permille = min(came->marks * 1000 / 1024 / came->packets, 1000U);
	if (rtt_ns) {
		ev.rtt_ns = min_t(u64, rcc_spray_median_rtt(&l->spray), U32_MAX);
		ev.fabric_ns = ev.rtt_ns;
	}
	rcc_cc_event(qp, &ev);
	qp->stall_ns = now_ns + rcc_pacer_stall_ns(qp);
}

/* The peer has acknowledged something, @una was the first that it had not. */
static void moved(struct rcc_link *l, u32 una, u64 now_ns)
{
	if (l->sack.una == una)
		return;
	l->moved_ns = now_ns;
	l->stuck = 0;
}

static void measured(struct rcc_qp *qp, const struct rcc_sack_news *news, u64 now_ns)
{
	struct rcc_link *l = qp->link;

	if (news->spurious) {
		l->spurious += news->spurious;
		rcc_count_n(qp->dev, RCC_C_link_repeats_spurious, news->spurious);
	}
	if (!news->rtt_ns)
		return;
	rcc_spray_rtt(&l->spray, now_ns, news->rtt_path, news->rtt_ns);
	rcc_rx_note_rtt(qp, news->rtt_ns);
}

/**
 * rcc_link_sack() - the peer says what has come
 * @qp: the QP with a session; the caller holds its lock, and calls rcc_pacer_wake()
 * @m: what it says
 * @now_ns: time
 */
void rcc_link_sack(struct rcc_qp *qp, const struct rcc_sack_msg *m, u64 now_ns)
{
	struct rcc_link *l = qp->link;
	struct rcc_sack_news news;
	struct rcc_sack_done done;
	struct came came = {};
	u32 at = 0, una = l->sack.una;

	if (!l->up || !rcc_sack_take(&l->sack, now_ns, m, &news)) {
		rcc_count(qp->dev, RCC_C_link_sack_ignored);
		return;
	}
	rcc_count(qp->dev, RCC_C_link_sack_rcvd);
	measured(qp, &news, now_ns);
	while (rcc_sack_done(&l->sack, now_ns, m, &at, &done))
		packet_came(qp, &done, now_ns, &came);
	moved(l, una, now_ns);
	rcc_link_find_lost(qp, now_ns);
	tell(qp, &came, news.rtt_ns, now_ns);
	if (!skb_queue_empty(&qp->req) || !skb_queue_empty(&qp->resp))
		rcc_pacer_rearm(qp, now_ns);
}

/**
 * rcc_link_acked() - a trailer says up to where everything has come
 * @qp: the QP, up; the caller holds its lock
 * @ack: number behind the last packet that has come
 * @now_ns: time
 */
void rcc_link_acked(struct rcc_qp *qp, u32 ack, u64 now_ns)
{
	struct rcc_link *l = qp->link;
	struct rcc_sack_done done;
	struct came came = {};
	u32 una = l->sack.una;

	while (rcc_sack_cum(&l->sack, now_ns, ack, &done))
		packet_came(qp, &done, now_ns, &came);
	moved(l, una, now_ns);
	if (!came.packets)
		return;
	tell(qp, &came, 0, now_ns);
	if (!skb_queue_empty(&qp->req) || !skb_queue_empty(&qp->resp))
		rcc_pacer_rearm(qp, now_ns);
}

/**
 * rcc_link_probed() - a probe was answered
 * @qp: the QP with a session; the caller holds its lock
 * @probe: the answer
 * @now_ns: time
 *
 * The time that the peer took is no part of the round trip: what is left is the fabric's.
 */
void rcc_link_probed(struct rcc_qp *qp, const struct rcc_probe *probe, u64 now_ns)
{
	struct rcc_link *l = qp->link;
	u64 there_ns = probe->t3 - probe->t2, rtt_ns = now_ns - probe->t1;

	if (!l->up || probe->path >= l->spray.n || rtt_ns > NSEC_PER_SEC || there_ns >= rtt_ns) {
		rcc_count(qp->dev, RCC_C_link_ctl_malformed);
		return;
	}
	rcc_count(qp->dev, RCC_C_link_probe_answered);
	rcc_spray_rtt(&l->spray, now_ns, probe->path, rtt_ns - there_ns);
	if (rcc_spray_came(&l->spray, now_ns, probe->path, false))
		path_lives(qp, probe->path);
}
