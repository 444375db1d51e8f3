// SPDX-License-Identifier: GPL-2.0
/*
 * A device's configuration: its algorithm, parameters of all algorithms with the profile they come from, line rate.
 *
 * Readers take parameters under RCU. Writers hold dev->cfg, build a whole new set, and publish it with one store, so an
 * event sees the old set or the new one.
 */
#include <linux/slab.h>

#include "rcc.h"

/**
 * rcc_conf_alg() - whose parameters stand at a place of rcc_dev.params?
 * @index: a slot's, or RCC_NP
 *
 * The caller holds the cfg lock of a device that has not gone, or rcc_algs_lock. What this returns does not go until then,
 * but without the latter the next call may return NULL.
 *
 * Return: the algorithm, the notification point, or NULL.
 */
const struct rcc_alg *rcc_conf_alg(u32 index)
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

/* The profile that all sets come from. */
static enum rcc_profile common_profile(struct rcc_dev *dev)
{
	enum rcc_profile profile = current_params(dev, RCC_NP)->profile;
	u32 i;

	for (i = 0; i < RCC_NP; i++)
		if (current_params(dev, i) && current_params(dev, i)->profile != profile)
			return RCC_PROFILE_CUSTOM;
	return profile;
}

static void publish(struct rcc_dev *dev, u32 index, struct rcc_params *params)
{
	struct rcc_params *old = current_params(dev, index);

	rcu_assign_pointer(dev->params[index], params);
	if (old)
		kfree_rcu(old, rcu);
}

/* New sets, by index; NULL: that one stays. */
struct fresh {
	struct rcc_params *params[RCC_NP + 1];
};

static struct rcc_params *make_set(struct rcc_dev *dev, const struct rcc_alg *alg, enum rcc_profile profile)
{
	struct rcc_params *params = kzalloc(sizeof(*params), GFP_KERNEL);
	struct rcc_path path = rcc_conf_path(dev);

	if (params) {
		params->profile = profile;
		rcc_params_load(alg, profile, &path, &params->values);
	}
	return params;
}

/* Make a profile's set for every algorithm, or with @follow only for those that have the profile already. */
static int make_sets(struct rcc_dev *dev, enum rcc_profile profile, bool follow, struct fresh *fresh)
{
	const struct rcc_alg *alg;
	u32 i;

	lockdep_assert_held(&dev->cfg);
	for (i = 0; i <= RCC_NP; i++) {
		alg = rcc_conf_alg(i);
		if (!alg || (follow && current_params(dev, i)->profile != profile))
			continue;
		fresh->params[i] = make_set(dev, alg, profile);
		if (!fresh->params[i])
			goto err_free;
	}
	return 0;

err_free:
	while (i--)
		kfree(fresh->params[i]);
	return -ENOMEM;
}

static void publish_sets(struct rcc_dev *dev, const struct fresh *fresh)
{
	u32 i;

	for (i = 0; i <= RCC_NP; i++)
		if (fresh->params[i])
			publish(dev, i, fresh->params[i]);
	dev->profile = common_profile(dev);
}

/* What `auto` is scaled to has changed. Without memory the values stay as they are. */
static void rescale(struct rcc_dev *dev)
{
	struct fresh fresh = {};

	if (!make_sets(dev, RCC_PROFILE_AUTO, true, &fresh))
		publish_sets(dev, &fresh);
}

/* Values that were set by hand stay, where the new version of an algorithm has them. */
static void keep_values(const struct rcc_alg *old, const struct rcc_values *from, const struct rcc_alg *alg,
			struct rcc_values *to)
{
	struct rcc_values v = *to;
	u32 i;
	int k;

	for (i = 0; i < old->nparams; i++) {
		k = rcc_param_find(alg, old->params[i].name, strlen(old->params[i].name));
		if (k >= 0 && from->v[i] >= alg->params[k].min && from->v[i] <= alg->params[k].max)
			v.v[k] = from->v[i];
	}
	/* some may be sound only together */
	if (!alg->check || alg->check(&v) < 0)
		*to = v;
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
	const struct rcc_params *old = NULL;
	struct rcc_params *params;
	enum rcc_profile profile;

	mutex_lock(&dev->cfg);
	if (like)
		old = current_params(dev, like - rcc_slots);
	profile = old ? old->profile : dev->profile;
	params = make_set(dev, alg, profile == RCC_PROFILE_CUSTOM ? RCC_PROFILE_AUTO : profile);
	if (params) {
		if (old && profile == RCC_PROFILE_CUSTOM) {
			keep_values(rcc_slot_alg(like), &old->values, alg, &params->values);
			params->profile = profile;
		}
		publish(dev, slot - rcc_slots, params);
		dev->profile = common_profile(dev);
	}
	mutex_unlock(&dev->cfg);
	return params ? 0 : -ENOMEM;
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
	dev->profile = common_profile(dev);
	mutex_unlock(&dev->cfg);
}

static void rescale_work(struct work_struct *work)
{
	struct rcc_dev *dev = container_of(work, struct rcc_dev, rescale_work);

	mutex_lock(&dev->cfg);
	rescale(dev);
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
	struct fresh fresh = {};
	int err;

	INIT_WORK(&dev->rescale_work, rescale_work);
	dev->slot = rcc_slot_default();
	dev->link_bps = RCC_LINE_FALLBACK_BPS;
	dev->line_bps = dev->link_bps;
	mutex_lock(&dev->cfg);
	err = make_sets(dev, RCC_PROFILE_AUTO, false, &fresh);
	if (!err)
		publish_sets(dev, &fresh);
	mutex_unlock(&dev->cfg);
	return err;
}

/**
 * rcc_conf_stop() - a device goes: it uses no algorithm any more
 * @dev: the device, without QPs. The caller holds rcc_algs_lock
 *
 * Whoever still has a reference finds rcc_conf_gone().
 */
void rcc_conf_stop(struct rcc_dev *dev)
{
	mutex_lock(&dev->cfg);
	rcc_slot_put(dev->slot);
	dev->slot = NULL;
	mutex_unlock(&dev->cfg);
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

/* QPs that have no algorithm of their own go on with another. Takes the use of @slot over. */
static void use_slot(struct rcc_dev *dev, struct rcc_slot *slot)
{
	struct rcc_slot *old = dev->slot;

	WRITE_ONCE(dev->slot, slot);
	/* a QP that is being learnt has the old one or is in the table after this */
	synchronize_rcu();
	rcc_qp_follow_dev(dev);
	rcc_slot_put(old);
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

	lockdep_assert_held(&dev->cfg);
	if (!rcc_slot_get(slot))
		return -ENOENT;
	use_slot(dev, slot);
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
	struct fresh fresh = {};
	int err = make_sets(dev, profile, false, &fresh);

	if (!err)
		publish_sets(dev, &fresh);
	return err;
}

/* Put values into a set that is not published yet. */
static int apply_settings(const struct rcc_alg *alg, struct rcc_params *params, const struct rcc_setting *settings,
			  u32 n, u32 *bad)
{
	int contradicts;
	u32 i;

	for (i = 0; i < n; i++) {
		const struct rcc_param *p = &alg->params[settings[i].param];

		*bad = settings[i].param;
		if (settings[i].value < p->min || settings[i].value > p->max)
			return -ERANGE;
		params->values.v[settings[i].param] = settings[i].value;
		params->profile = RCC_PROFILE_CUSTOM;
	}
	contradicts = alg->check ? alg->check(&params->values) : -1;
	if (contradicts < 0)
		return 0;
	/* what another module's or a BPF program's check says is just a number */
	*bad = min_t(u32, contradicts, alg->nparams);
	return -EINVAL;
}

/**
 * rcc_conf_set_params() - change values of one algorithm, all at once or none
 * @dev: the device; the caller holds @dev->cfg
 * @set: index of the algorithm's slot, or RCC_NP
 * @profile: one that can be chosen, to start from; RCC_PROFILE_CUSTOM: the present values
 * @settings: what to change then
 * @n: how many
 * @bad: which parameter is at fault, in case of -ERANGE and -EINVAL; the number of parameters: not known
 *
 * Return: 0; -ENOENT if there is no such algorithm any more; -ERANGE if a value is out of range; -EINVAL if they contradict
 * each other; -ENOMEM: nothing is changed.
 */
int rcc_conf_set_params(struct rcc_dev *dev, u32 set, enum rcc_profile profile, const struct rcc_setting *settings,
			u32 n, u32 *bad)
{
	const struct rcc_alg *alg = rcc_conf_alg(set);
	struct fresh fresh = {};
	struct rcc_params *params;
	int err;

	lockdep_assert_held(&dev->cfg);
	if (!alg)
		return -ENOENT;
	params = profile == RCC_PROFILE_CUSTOM ? kmemdup(current_params(dev, set), sizeof(*params), GFP_KERNEL) :
		 make_set(dev, alg, profile);
	if (!params)
		return -ENOMEM;
	err = apply_settings(alg, params, settings, n, bad);
	if (err) {
		kfree(params);
		return err;
	}
	fresh.params[set] = params;
	publish_sets(dev, &fresh);
	return 0;
}

/**
 * rcc_conf_set_param() - change one value
 * @dev: the device; the caller holds @dev->cfg
 * @set: index of the algorithm's slot, or RCC_NP
 * @param: which parameter
 * @value: the new value
 *
 * Return: as rcc_conf_set_params().
 */
int rcc_conf_set_param(struct rcc_dev *dev, u32 set, u32 param, u64 value)
{
	const struct rcc_setting setting = { .param = param, .value = value };
	u32 bad;

	return rcc_conf_set_params(dev, set, RCC_PROFILE_CUSTOM, &setting, 1, &bad);
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
	rescale(dev);
	rcc_qp_restart_all(dev);
}

/**
 * rcc_conf_set_link_layer() - let QPs of a device have a link layer, or let none have it
 * @dev: the device; the caller holds its cfg
 * @on: which
 */
void rcc_conf_set_link_layer(struct rcc_dev *dev, bool on)
{
	lockdep_assert_held(&dev->cfg);
	WRITE_ONCE(dev->link, on);
	if (!on)
		rcc_qp_stop_links(dev);
}

/**
 * rcc_conf_set_spray() - set by which paths packets leave
 * @dev: the device; the caller holds its cfg
 * @mode: enum rcc_spray_mode
 * @entropies: source ports per QP, 1..RCC_PATHS_MAX
 */
void rcc_conf_set_spray(struct rcc_dev *dev, u32 mode, u32 entropies)
{
	lockdep_assert_held(&dev->cfg);
	WRITE_ONCE(dev->spray, mode);
	WRITE_ONCE(dev->entropies, entropies);
	rcc_qp_spray_all(dev);
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

/**
 * rcc_conf_set() - change several things of a device, all or none
 * @dev: the device; the caller holds @dev->cfg
 * @change: what
 *
 * QPs that go on with another algorithm see the new parameters and line rate at once.
 *
 * Return: 0; -ENOENT if there is no such algorithm, -ENOMEM: nothing is changed.
 */
int rcc_conf_set(struct rcc_dev *dev, const struct rcc_change *change)
{
	struct rcc_slot *slot = NULL;
	struct fresh fresh = {};

	lockdep_assert_held(&dev->cfg);
	if (change->alg) {
		slot = rcc_slot_find(change->alg, strlen(change->alg));
		if (!rcc_slot_get(slot))
			return -ENOENT;
	}
	if (change->profile != RCC_PROFILE_CUSTOM && make_sets(dev, change->profile, false, &fresh)) {
		rcc_slot_put(slot);
		return -ENOMEM;
	}
	publish_sets(dev, &fresh);
	if (change->ecn >= 0)
		WRITE_ONCE(dev->ecn, change->ecn);
	if (change->line_mbps >= 0)
		rcc_conf_set_line(dev, change->line_mbps * RCC_BPS_PER_MBPS);
	if (change->spray >= 0 || change->entropies)
		rcc_conf_set_spray(dev, change->spray >= 0 ? change->spray : dev->spray, change->entropies ?: dev->entropies);
	if (change->link >= 0)
		rcc_conf_set_link_layer(dev, change->link);
	if (slot)
		use_slot(dev, slot);
	return 0;
}
