// SPDX-License-Identifier: GPL-2.0
/*
 * Between the QPs and the algorithms: events one way, decisions the other; algorithms and parameters of a device.
 *
 * Readers take the device's parameters under RCU. Writers hold dev->cfg, build a whole new set, and publish it with one
 * store, so an event sees the old set or the new one.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "rcc.h"
#include "trace.h"

static u32 alg_index(const struct rcc_alg *alg)
{
	u32 i;

	for (i = 0; i < rcc_nalgs; i++)
		if (rcc_algs[i] == alg)
			return i;
	return 0;
}

static struct rcc_params __rcu **params_of(struct rcc_dev *dev, const struct rcc_alg *alg)
{
	return alg == &rcc_np ? &dev->np : &dev->params[alg_index(alg)];
}

static struct rcc_path path_of(const struct rcc_dev *dev)
{
	return (struct rcc_path) {
		.line_bps = READ_ONCE(dev->line_bps),
		.base_rtt_ns = READ_ONCE(dev->base_rtt_ns) ?: RCC_BASE_RTT_FALLBACK_NS,
		.mtu_bytes = RCC_MTU_BYTES,
	};
}

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

/* Hand a decision within its limits to the pacer. */
static void apply(struct rcc_qp *qp, u64 now_ns)
{
	rcc_pace_set_rate(&qp->pace, now_ns, qp->decision.rate_bps);
	if (rcc_wheel_queued(&qp->wnode)) {
		rcc_pacer_disarm(qp);
		rcc_pacer_arm(qp, now_ns);
	}
}

/**
 * rcc_cc_start() - begin a QP's life under its device's algorithm
 * @qp: the QP; the caller holds its lock, or has not published it yet
 * @now_ns: time
 */
void rcc_cc_start(struct rcc_qp *qp, u64 now_ns)
{
	struct rcc_dev *dev = qp->dev;
	const struct rcc_alg *alg = READ_ONCE(dev->alg);
	struct rcc_path path = path_of(dev);

	rcu_read_lock();
	qp->alg = alg;
	qp->params = params_of(dev, alg);
	qp->unsaid_packets = 0;
	qp->unsaid_bytes = 0;
	memset(&qp->state, 0, sizeof(qp->state));
	memset(&qp->decision, 0, sizeof(qp->decision));
	alg->init(&qp->state, &rcu_dereference(*qp->params)->values, &path, now_ns, &qp->decision);
	rcu_read_unlock();
	if (alg->paces && qp->type == IB_QPT_RC && !READ_ONCE(dev->open)) {
		WRITE_ONCE(qp->paced, true);
		limit(qp);
		apply(qp, now_ns);
		return;
	}
	/* no rate: what waits is due now, and the last of it switches the pacer off */
	memset(&qp->pace, 0, sizeof(qp->pace));
	if (rcc_wheel_queued(&qp->wnode)) {
		rcc_pacer_disarm(qp);
		rcc_pacer_arm(qp, now_ns);
	} else if (!qp->busy && skb_queue_empty(&qp->req) && skb_queue_empty(&qp->resp)) {
		WRITE_ONCE(qp->paced, false);
	}
}

static void tell(struct rcc_qp *qp, const struct rcc_event *ev)
{
	u64 before = qp->decision.rate_bps;

	lockdep_assert_held(&qp->lock);
	qp->alg->event(&qp->state, &rcu_dereference(*qp->params)->values, ev, &qp->decision);
	/* before they are compared: an algorithm that stays below a limit changes nothing */
	if (qp->pace.ns_per_byte)
		limit(qp);
	if (qp->decision.rate_bps == before)
		return;
	if (qp->pace.ns_per_byte)
		apply(qp, ev->now_ns);
	trace_rate(qp, ev->type, before);
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
 * @type: what happened
 * @now_ns: when
 */
void rcc_cc_event(struct rcc_qp *qp, enum rcc_event_type type, u64 now_ns)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = type };

	if (qp->unsaid_packets)
		rcc_cc_sent(qp, now_ns);
	tell(qp, &ev);
}

/**
 * rcc_cc_rtt() - a round trip was measured
 * @qp: the QP; the caller holds its lock
 * @rtt_ns: from the packet's departure to its ACK
 *
 * Only the least of a device matters so far: the `auto` profile is scaled to it.
 */
void rcc_cc_rtt(struct rcc_qp *qp, u64 rtt_ns)
{
	struct rcc_dev *dev = qp->dev;
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

static void publish(struct rcc_dev *dev, const struct rcc_alg *alg, struct rcc_params *params)
{
	struct rcc_params __rcu **slot = params_of(dev, alg);
	struct rcc_params *old = rcu_dereference_protected(*slot, lockdep_is_held(&dev->cfg));

	rcu_assign_pointer(*slot, params);
	if (old)
		kfree_rcu(old, rcu);
}

/* Load a profile for every algorithm: all sets are made before the first is published. */
static int load_profile(struct rcc_dev *dev, enum rcc_profile profile)
{
	struct rcc_params *fresh[RCC_NALGS_MAX + 1] = {};
	struct rcc_path path = path_of(dev);
	u32 i;

	lockdep_assert_held(&dev->cfg);
	for (i = 0; i <= rcc_nalgs; i++) {
		const struct rcc_alg *alg = i < rcc_nalgs ? rcc_algs[i] : &rcc_np;

		fresh[i] = kzalloc(sizeof(*fresh[i]), GFP_KERNEL);
		if (!fresh[i])
			goto err_free;
		rcc_params_load(alg, profile, &path, &fresh[i]->values);
	}
	for (i = 0; i <= rcc_nalgs; i++)
		publish(dev, i < rcc_nalgs ? rcc_algs[i] : &rcc_np, fresh[i]);
	dev->profile = profile;
	return 0;

err_free:
	while (i--)
		kfree(fresh[i]);
	return -ENOMEM;
}

static void rescale_work(struct work_struct *work)
{
	struct rcc_dev *dev = container_of(work, struct rcc_dev, rescale_work);

	mutex_lock(&dev->cfg);
	if (dev->profile == RCC_PROFILE_AUTO)
		load_profile(dev, RCC_PROFILE_AUTO);
	mutex_unlock(&dev->cfg);
}

/**
 * rcc_cc_init() - give a new device its algorithm and parameters
 * @dev: the device
 *
 * Return: 0 or -ENOMEM.
 */
int rcc_cc_init(struct rcc_dev *dev)
{
	int err;

	BUILD_BUG_ON(RCC_NALGS_MAX < 2);
	INIT_WORK(&dev->rescale_work, rescale_work);
	dev->alg = &rcc_alg_dcqcn;
	dev->link_bps = RCC_LINE_FALLBACK_BPS;
	dev->line_bps = dev->link_bps;
	mutex_lock(&dev->cfg);
	err = load_profile(dev, RCC_PROFILE_AUTO);
	mutex_unlock(&dev->cfg);
	return err;
}

/**
 * rcc_cc_exit() - free a device's parameters
 * @dev: the device; its last reference is gone, so nobody reads the sets any more
 */
void rcc_cc_exit(struct rcc_dev *dev)
{
	u32 i;

	for (i = 0; i < RCC_NALGS_MAX; i++)
		kfree(rcu_dereference_protected(dev->params[i], 1));
	kfree(rcu_dereference_protected(dev->np, 1));
}

/**
 * rcc_cc_set_alg() - change the algorithm, live
 * @dev: the device; the caller holds @dev->cfg
 * @alg: the new one
 *
 * Every QP begins anew; what waits in the pacer stays in order.
 *
 * Return: 0.
 */
int rcc_cc_set_alg(struct rcc_dev *dev, const struct rcc_alg *alg)
{
	lockdep_assert_held(&dev->cfg);
	if (dev->alg == alg)
		return 0;
	WRITE_ONCE(dev->alg, alg);
	/* a QP that is being learnt has the old one or is in the table after this */
	synchronize_rcu();
	rcc_qp_restart_all(dev);
	return 0;
}

/**
 * rcc_cc_set_profile() - load a profile's values for all algorithms
 * @dev: the device; the caller holds @dev->cfg
 * @profile: one that can be chosen
 *
 * Return: 0, or -ENOMEM with nothing changed.
 */
int rcc_cc_set_profile(struct rcc_dev *dev, enum rcc_profile profile)
{
	return load_profile(dev, profile);
}

/**
 * rcc_cc_set_param() - change one value
 * @dev: the device; the caller holds @dev->cfg
 * @alg: the algorithm, or &rcc_np
 * @index: which parameter
 * @value: the new value
 *
 * Return: 0; -EINVAL if it is out of range or contradicts others, -ENOMEM: nothing is changed.
 */
int rcc_cc_set_param(struct rcc_dev *dev, const struct rcc_alg *alg, u32 index, u64 value)
{
	struct rcc_params *params;

	lockdep_assert_held(&dev->cfg);
	params = kzalloc(sizeof(*params), GFP_KERNEL);
	if (!params)
		return -ENOMEM;
	params->values = rcu_dereference_protected(*params_of(dev, alg), lockdep_is_held(&dev->cfg))->values;
	if (rcc_param_set(alg, &params->values, index, value)) {
		kfree(params);
		return -EINVAL;
	}
	publish(dev, alg, params);
	dev->profile = RCC_PROFILE_CUSTOM;
	return 0;
}

/**
 * rcc_cc_get_param() - read one value
 * @dev: the device
 * @alg: the algorithm, or &rcc_np
 * @index: which parameter
 *
 * Return: the value as last published.
 */
u64 rcc_cc_get_param(struct rcc_dev *dev, const struct rcc_alg *alg, u32 index)
{
	u64 value;

	rcu_read_lock();
	value = rcu_dereference(*params_of(dev, alg))->values.v[index];
	rcu_read_unlock();
	return value;
}

/* The rate in use follows from both; `auto` is scaled again, and QPs begin anew since their rates refer to the old one. */
static void line_changed(struct rcc_dev *dev)
{
	u64 bps = dev->line_set_bps ?: dev->link_bps;

	lockdep_assert_held(&dev->cfg);
	if (bps == dev->line_bps)
		return;
	WRITE_ONCE(dev->line_bps, bps);
	if (dev->profile == RCC_PROFILE_AUTO)
		load_profile(dev, RCC_PROFILE_AUTO);
	rcc_qp_restart_all(dev);
}

/**
 * rcc_cc_set_line() - somebody says the line rate
 * @dev: the device; the caller holds @dev->cfg
 * @bps: bits per second; 0: the netdev's
 */
void rcc_cc_set_line(struct rcc_dev *dev, u64 bps)
{
	dev->line_set_bps = bps;
	line_changed(dev);
}

/**
 * rcc_cc_set_link() - the netdev's rate is known or changed
 * @dev: the device
 * @bps: bits per second
 */
void rcc_cc_set_link(struct rcc_dev *dev, u64 bps)
{
	mutex_lock(&dev->cfg);
	dev->link_bps = bps;
	line_changed(dev);
	mutex_unlock(&dev->cfg);
}
