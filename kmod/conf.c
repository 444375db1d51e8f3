// SPDX-License-Identifier: GPL-2.0
/*
 * A device's configuration: its algorithm, parameters of all algorithms, profile, line rate.
 *
 * Readers take parameters under RCU. Writers hold dev->cfg, build a whole new set, and publish it with one store, so an
 * event sees the old set or the new one.
 */
#include <linux/slab.h>

#include "rcc.h"

/* The set at @index: a slot's, or at RCC_NP the notification point's. The caller holds dev->cfg or rcc_algs_lock. */
static const struct rcc_alg *alg_at(u32 index)
{
	return index == RCC_NP ? &rcc_np : rcc_slot_alg(&rcc_slots[index]);
}

/**
 * rcc_conf_path() - what algorithms are told of a device
 * @dev: the device
 *
 * Return: line rate, base RTT (or a guess while none was measured), MTU.
 */
struct rcc_path rcc_conf_path(const struct rcc_dev *dev)
{
	u64 base_rtt_ns = READ_ONCE(dev->base_rtt_ns) ?: RCC_BASE_RTT_FALLBACK_NS;

	return (struct rcc_path) {
		.line_bps = READ_ONCE(dev->line_bps),
		.base_rtt_ns = rcc_max64(base_rtt_ns, RCC_BASE_RTT_MIN_NS),
		.mtu_bytes = RCC_MTU_BYTES,
	};
}

static struct rcc_params *current_params(struct rcc_dev *dev, u32 index)
{
	return rcu_dereference_protected(dev->params[index], lockdep_is_held(&dev->cfg));
}

static void publish(struct rcc_dev *dev, u32 index, struct rcc_params *params)
{
	struct rcc_params *old = current_params(dev, index);

	rcu_assign_pointer(dev->params[index], params);
	if (old)
		kfree_rcu(old, rcu);
}

/* Load a profile for every algorithm: all sets are made before the first is published. */
static int load_profile(struct rcc_dev *dev, enum rcc_profile profile)
{
	struct rcc_params *fresh[RCC_NP + 1] = {};
	struct rcc_path path = rcc_conf_path(dev);
	u32 i;

	lockdep_assert_held(&dev->cfg);
	for (i = 0; i <= RCC_NP; i++) {
		if (!alg_at(i))
			continue;
		fresh[i] = kzalloc(sizeof(*fresh[i]), GFP_KERNEL);
		if (!fresh[i])
			goto err_free;
		rcc_params_load(alg_at(i), profile, &path, &fresh[i]->values);
	}
	for (i = 0; i <= RCC_NP; i++)
		if (fresh[i])
			publish(dev, i, fresh[i]);
	dev->profile = profile;
	return 0;

err_free:
	while (i--)
		kfree(fresh[i]);
	return -ENOMEM;
}

/* Values that were set by hand stay, where the new version of an algorithm has them. */
static void keep_values(const struct rcc_alg *old, const struct rcc_values *from, const struct rcc_alg *alg,
			struct rcc_values *to)
{
	u32 i;
	int k;

	for (i = 0; i < old->nparams; i++) {
		k = rcc_param_find(alg, old->params[i].name, strlen(old->params[i].name));
		if (k >= 0)
			rcc_param_set(alg, to, k, from->v[i]);
	}
}

/**
 * rcc_conf_add_alg() - make room for an algorithm's parameters
 * @dev: the device
 * @slot: where the algorithm will stand; nobody finds it yet
 * @alg: the algorithm
 * @like: slot of the algorithm that it replaces, or NULL
 *
 * The caller holds rcc_algs_lock.
 *
 * Return: 0 or -ENOMEM.
 */
int rcc_conf_add_alg(struct rcc_dev *dev, struct rcc_slot *slot, const struct rcc_alg *alg,
		     const struct rcc_slot *like)
{
	struct rcc_params *params = kzalloc(sizeof(*params), GFP_KERNEL);
	struct rcc_path path = rcc_conf_path(dev);
	bool custom;

	if (!params)
		return -ENOMEM;
	mutex_lock(&dev->cfg);
	custom = dev->profile == RCC_PROFILE_CUSTOM;
	rcc_params_load(alg, custom ? RCC_PROFILE_AUTO : dev->profile, &path, &params->values);
	if (like && custom)
		keep_values(rcc_slot_alg(like), &current_params(dev, like - rcc_slots)->values, alg, &params->values);
	publish(dev, slot - rcc_slots, params);
	mutex_unlock(&dev->cfg);
	return 0;
}

/**
 * rcc_conf_leave_alg() - an algorithm goes: it is not the device's default any more
 * @dev: the device
 * @slot: the algorithm's; it is not found any more
 * @to: what takes its place; NULL: the first built-in one
 *
 * QPs change over later. The caller holds rcc_algs_lock.
 */
void rcc_conf_leave_alg(struct rcc_dev *dev, struct rcc_slot *slot, struct rcc_slot *to)
{
	mutex_lock(&dev->cfg);
	if (dev->slot == slot) {
		if (!rcc_slot_get(to)) {
			to = &rcc_slots[0];
			rcc_slot_get(to);
		}
		WRITE_ONCE(dev->slot, to);
		rcc_slot_put(slot);
		rcc_count(dev, RCC_C_cc_alg_gone);
	}
	mutex_unlock(&dev->cfg);
}

/**
 * rcc_conf_del_alg() - free an algorithm's parameters
 * @dev: the device
 * @slot: the algorithm's, which nobody uses any more
 *
 * The caller holds rcc_algs_lock.
 */
void rcc_conf_del_alg(struct rcc_dev *dev, struct rcc_slot *slot)
{
	rcc_sysfs_del_params(dev, slot - rcc_slots);
	mutex_lock(&dev->cfg);
	publish(dev, slot - rcc_slots, NULL);
	mutex_unlock(&dev->cfg);
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
 * rcc_conf_init() - give a new device its algorithm and parameters
 * @dev: the device
 *
 * The caller holds rcc_algs_lock.
 *
 * Return: 0 or -ENOMEM.
 */
int rcc_conf_init(struct rcc_dev *dev)
{
	int err;

	INIT_WORK(&dev->rescale_work, rescale_work);
	dev->slot = rcc_slot_default();
	dev->link_bps = RCC_LINE_FALLBACK_BPS;
	dev->line_bps = dev->link_bps;
	mutex_lock(&dev->cfg);
	err = load_profile(dev, RCC_PROFILE_AUTO);
	mutex_unlock(&dev->cfg);
	return err;
}

/**
 * rcc_conf_stop() - a device goes: it uses no algorithm any more
 * @dev: the device, without QPs. The caller holds rcc_algs_lock
 */
void rcc_conf_stop(struct rcc_dev *dev)
{
	rcc_slot_put(dev->slot);
	dev->slot = NULL;
}

/**
 * rcc_conf_exit() - free a device's parameters
 * @dev: the device; its last reference is gone, so nobody reads the sets any more
 */
void rcc_conf_exit(struct rcc_dev *dev)
{
	u32 i;

	for (i = 0; i <= RCC_NP; i++)
		kfree(rcu_dereference_protected(dev->params[i], 1));
}

/**
 * rcc_conf_set_alg() - change the algorithm, live
 * @dev: the device; the caller holds @dev->cfg
 * @name: the new one's name, not terminated
 * @len: length of @name
 *
 * QPs that have no algorithm of their own go on with the new one, at the rate that they have. What waits in the pacer
 * stays in order.
 *
 * Return: 0; -ENOENT if there is no such algorithm, or its module is about to go.
 */
int rcc_conf_set_alg(struct rcc_dev *dev, const char *name, size_t len)
{
	struct rcc_slot *slot = rcc_slot_find(name, len);
	struct rcc_slot *old = dev->slot;

	lockdep_assert_held(&dev->cfg);
	if (!rcc_slot_get(slot))
		return -ENOENT;
	WRITE_ONCE(dev->slot, slot);
	/* a QP that is being learnt has the old one or is in the table after this */
	synchronize_rcu();
	rcc_qp_follow_dev(dev);
	rcc_slot_put(old);
	return 0;
}

/**
 * rcc_conf_set_profile() - load a profile's values for all algorithms
 * @dev: the device; the caller holds @dev->cfg
 * @profile: one that can be chosen
 *
 * Return: 0, or -ENOMEM with nothing changed.
 */
int rcc_conf_set_profile(struct rcc_dev *dev, enum rcc_profile profile)
{
	return load_profile(dev, profile);
}

/**
 * rcc_conf_set_param() - change one value
 * @dev: the device; the caller holds @dev->cfg
 * @set: index of the algorithm's slot, or RCC_NP
 * @param: which parameter
 * @value: the new value
 *
 * Return: 0; -ENOENT if there is no such algorithm any more; -EINVAL if the value is out of range or contradicts others;
 * -ENOMEM: nothing is changed.
 */
int rcc_conf_set_param(struct rcc_dev *dev, u32 set, u32 param, u64 value)
{
	struct rcc_params *params;

	lockdep_assert_held(&dev->cfg);
	if (!alg_at(set))
		return -ENOENT;
	params = kzalloc(sizeof(*params), GFP_KERNEL);
	if (!params)
		return -ENOMEM;
	params->values = current_params(dev, set)->values;
	if (rcc_param_set(alg_at(set), &params->values, param, value)) {
		kfree(params);
		return -EINVAL;
	}
	publish(dev, set, params);
	dev->profile = RCC_PROFILE_CUSTOM;
	return 0;
}

/**
 * rcc_conf_get_param() - read one value
 * @dev: the device
 * @set: index of the algorithm's slot, or RCC_NP
 * @param: which parameter
 *
 * Return: the value as last published; 0 if the algorithm has just gone.
 */
u64 rcc_conf_get_param(struct rcc_dev *dev, u32 set, u32 param)
{
	struct rcc_params *params;
	u64 value;

	rcu_read_lock();
	params = rcu_dereference(dev->params[set]);
	value = params ? params->values.v[param] : 0;
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
 * rcc_conf_set_line() - somebody says the line rate
 * @dev: the device; the caller holds @dev->cfg
 * @bps: bits per second; 0: the netdev's
 */
void rcc_conf_set_line(struct rcc_dev *dev, u64 bps)
{
	dev->line_set_bps = bps;
	line_changed(dev);
}

/**
 * rcc_conf_set_link() - the netdev's rate is known or changed
 * @dev: the device
 * @bps: bits per second
 */
void rcc_conf_set_link(struct rcc_dev *dev, u64 bps)
{
	mutex_lock(&dev->cfg);
	dev->link_bps = bps;
	line_changed(dev);
	mutex_unlock(&dev->cfg);
}
