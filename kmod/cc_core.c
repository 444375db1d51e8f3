// SPDX-License-Identifier: GPL-2.0
/*
 * Between the QPs and the algorithms: events one way, decisions the other.
 *
 * Whatever an algorithm decides is brought into what the pacer can do. One that keeps deciding nonsense loses the QP.
 */
#include <linux/random.h>

#include "rcc.h"
#include "trace.h"

/* How many senseless decisions in a row take the QP away from an algorithm. */
#define BAD_DECISIONS	16

/* Bring a decision into what the pacer can do and what the QP's own timer bears. */
static void limit(struct rcc_qp *qp)
{
	u64 bps = rcc_clamp64(qp->decision.rate_bps, rcc_max64(RCC_PACE_MIN_BPS, READ_ONCE(qp->floor_bps)),
			      RCC_LINE_MAX_MBPS * RCC_BPS_PER_MBPS);

	if (bps == qp->decision.rate_bps)
		return;
	rcc_count(qp->dev, RCC_C_rate_clamped);
	qp->decision.rate_bps = bps;
}

/* The one set for this QP; else the device's; else, if either has lost the QP, the first built-in one. */
static struct rcc_slot *choose(const struct rcc_qp *qp)
{
	if (qp->want)
		return qp->want;
	return qp->distrust ? &rcc_slots[0] : READ_ONCE(qp->dev->slot);
}

static void use_slot(struct rcc_qp *qp)
{
	struct rcc_slot *slot = choose(qp), *old = qp->slot;
	const struct rcc_alg *alg = rcc_slot_get(slot);
	bool acks;

	if (!alg) {
		slot = &rcc_slots[0];
		alg = rcc_slot_get(slot);
		rcc_count(qp->dev, RCC_C_cc_alg_gone);
	}
	qp->slot = slot;
	qp->alg = alg;
	/* what is noted of requests on their way differs */
	acks = alg->events & (RCC_WANT(RCC_EV_ACK) | RCC_WANT(RCC_EV_RTT));
	if (acks != qp->acks)
		rcc_flight_reset(&qp->flight);
	WRITE_ONCE(qp->acks, acks);
	qp->params = &qp->dev->params[slot - rcc_slots];
	rcc_slot_put(old);
}

/* The rate is another one without an event. A QP that is just being made may not stay: rcc_qp_learn() tells its rate. */
static void say_rate(const struct rcc_qp *qp, u64 before_bps, bool made)
{
	if (made && qp->decision.rate_bps != before_bps)
		trace_rate(RCC_TRACE_QP(qp), 0, before_bps, qp->decision.rate_bps);
}

static void start(struct rcc_qp *qp, u64 now_ns, u64 start_bps)
{
	struct rcc_path path = rcc_conf_path(qp->dev);
	u64 before_bps = qp->decision.rate_bps;
	bool made = qp->alg;

	path.start_bps = start_bps ?: path.line_bps;
	rcu_read_lock();
	use_slot(qp);
	qp->unsaid_packets = 0;
	qp->unsaid_bytes = 0;
	qp->bad_decisions = 0;
	memset(&qp->state, 0, sizeof(qp->state));
	memset(&qp->decision, 0, sizeof(qp->decision));
	qp->alg->init(&qp->state, &rcu_dereference(*qp->params)->values, &path, now_ns, &qp->decision);
	trace_cc_init(qp, &path, now_ns);
	rcu_read_unlock();
	if (qp->alg->paces && qp->type == IB_QPT_RC && !READ_ONCE(qp->dev->open)) {
		WRITE_ONCE(qp->paced, true);
		limit(qp);
		rcc_pacer_set_rate(qp, now_ns);
		rcc_pacer_rearm(qp, now_ns);
		say_rate(qp, before_bps, made);
		return;
	}
	/* no rate: what waits is due now, and the last of it switches the pacer off */
	memset(&qp->pace, 0, sizeof(qp->pace));
	memset(&qp->decision, 0, sizeof(qp->decision));
	say_rate(qp, before_bps, made);
	rcc_pacer_rearm(qp, now_ns);
	if (!rcc_wheel_queued(&qp->wnode) && !qp->busy && skb_queue_empty(&qp->req) && skb_queue_empty(&qp->resp))
		WRITE_ONCE(qp->paced, false);
}

/**
 * rcc_cc_start() - begin a QP's life under the algorithm that is chosen for it
 * @qp: the QP; the caller holds its lock
 * @now_ns: time
 */
void rcc_cc_start(struct rcc_qp *qp, u64 now_ns)
{
	start(qp, now_ns, 0);
}

/**
 * rcc_cc_follow() - go on under the algorithm that is now chosen for a QP, at the rate that it has
 * @qp: the QP; the caller holds its lock
 * @now_ns: time
 *
 * Nothing changes if it is the one in charge.
 */
void rcc_cc_follow(struct rcc_qp *qp, u64 now_ns)
{
	if (qp->slot == choose(qp))
		return;
	rcc_count(qp->dev, RCC_C_cc_alg_changed);
	start(qp, now_ns, qp->pace.ns_per_byte ? qp->decision.rate_bps : 0);
}

/* Nobody means a rate of nothing, or one that no device has, or to be called at a time that is over. */
static bool senseless(const struct rcc_decision *d, u64 timer_before, u64 now_ns)
{
	return !d->rate_bps || d->rate_bps > RCC_LINE_MAX_MBPS * RCC_BPS_PER_MBPS ||
	       (d->timer_ns != timer_before && d->timer_ns && d->timer_ns <= now_ns);
}

/* Returns true if the QP has left the algorithm. */
static bool judge(struct rcc_qp *qp, u64 timer_before, u64 now_ns)
{
	if (likely(!senseless(&qp->decision, timer_before, now_ns))) {
		qp->bad_decisions = 0;
		return false;
	}
	rcc_count(qp->dev, RCC_C_cc_bad_decision);
	if (qp->decision.timer_ns <= now_ns)
		qp->decision.timer_ns = 0;
	if (++qp->bad_decisions < BAD_DECISIONS)
		return false;
	rcc_count(qp->dev, RCC_C_cc_fallback);
	/* what is left of its rate is no rate to go on with */
	if (qp->want)
		qp->want = NULL;
	else
		qp->distrust = true;
	start(qp, now_ns, 0);
	return true;
}

static void tell(struct rcc_qp *qp, const struct rcc_event *ev)
{
	struct rcc_decision before = qp->decision;

	lockdep_assert_held(&qp->lock);
	if (!(qp->alg->events & RCC_WANT(ev->type)))
		return;
	qp->alg->event(&qp->state, &rcu_dereference(*qp->params)->values, ev, &qp->decision);
	if (!qp->pace.ns_per_byte) {
		qp->decision = before;
		return;
	}
	trace_cc_event(qp, ev);
	if (judge(qp, before.timer_ns, ev->now_ns))
		return;
	/* before they are compared: an algorithm that stays below a limit changes nothing */
	limit(qp);
	if (qp->decision.rate_bps != before.rate_bps) {
		rcc_pacer_set_rate(qp, ev->now_ns);
		trace_rate(RCC_TRACE_QP(qp), ev->type, before.rate_bps, qp->decision.rate_bps);
	} else if (qp->decision.cwnd_bytes == before.cwnd_bytes && qp->decision.timer_ns == before.timer_ns) {
		return;
	}
	rcc_pacer_rearm(qp, ev->now_ns);
}

/**
 * rcc_cc_sent() - tell the algorithm of the packets that left since it was last told
 * @qp: the QP; the caller holds its lock and rcu_read_lock()
 * @now_ns: when the last of them left
 *
 * One event stands for up to RCC_TX_EVENT_PACKETS packets while none of them has to wait.
 */
void rcc_cc_sent(struct rcc_qp *qp, u64 now_ns)
{
	struct rcc_event ev = {
		.now_ns = now_ns,
		.type = RCC_EV_TX,
		.bytes = qp->unsaid_bytes,
		.packets = qp->unsaid_packets,
	};

	qp->unsaid_packets = 0;
	qp->unsaid_bytes = 0;
	tell(qp, &ev);
}

/**
 * rcc_cc_event() - tell the algorithm of anything else, and do what it says
 * @qp: the QP; the caller holds its lock and rcu_read_lock()
 * @ev: what happened; its randomness is filled in here
 */
void rcc_cc_event(struct rcc_qp *qp, struct rcc_event *ev)
{
	if (!(qp->alg->events & RCC_WANT(ev->type)))
		return;
	if (qp->unsaid_packets)
		rcc_cc_sent(qp, ev->now_ns);
	ev->random = get_random_u32();
	tell(qp, ev);
}

/**
 * rcc_cc_timer() - call an algorithm that asked for it, if its time has come
 * @qp: the QP; the caller holds its lock and rcu_read_lock()
 * @now_ns: time
 */
void rcc_cc_timer(struct rcc_qp *qp, u64 now_ns)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_TIMER };

	if (!qp->decision.timer_ns || now_ns < qp->decision.timer_ns)
		return;
	qp->decision.timer_ns = 0;
	rcc_cc_event(qp, &ev);
}

/**
 * rcc_cc_base_rtt() - a round trip was measured that may be a device's least
 * @dev: the device, whose `auto` profile is scaled to it
 * @rtt_ns: from a packet's departure to its ACK
 *
 * Any context.
 */
void rcc_cc_base_rtt(struct rcc_dev *dev, u64 rtt_ns)
{
	u64 base = READ_ONCE(dev->base_rtt_ns);

	while (!base || rtt_ns < base) {
		u64 seen = cmpxchg64(&dev->base_rtt_ns, base, rtt_ns);

		if (seen == base) {
			schedule_work(&dev->rescale_work);
			return;
		}
		base = seen;
	}
}
