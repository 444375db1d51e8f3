// SPDX-License-Identifier: GPL-2.0
/*
 * Algorithms: built in, of other modules, of BPF. All stand in one table and are chosen the same way.
 *
 *	built in	stands from the start; never goes
 *	a module's	each user (a QP, or a device whose default it is) holds the module, so it cannot unload
 *	BPF's		may go at any time: its users fall back, live
 *
 * A slot is emptied in steps: its name is gone (nobody new finds it) -> devices leave it -> grace period (whoever learnt
 * a QP with it has put that into the table) -> QPs leave it -> grace period (no event is inside) -> its parameters go.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "rcc.h"
#include "rxe_cc.h"

DEFINE_MUTEX(rcc_algs_lock);
struct rcc_slot rcc_slots[RCC_NALGS_MAX];

/* The algorithm of devices to come; rcc_algs_lock. The first built-in one when another goes. */
static struct rcc_slot *default_slot = &rcc_slots[0];

/* Parameters of the module are read before its init function runs: whoever comes first does this. */
static void add_built_in(void)
{
	u32 i;

	BUILD_BUG_ON(RCC_NALGS_MAX > U8_MAX);
	for (i = 0; i < rcc_nalgs && !rcc_slots[i].taken; i++) {
		rcc_slots[i].taken = true;
		rcu_assign_pointer(rcc_slots[i].alg, rcc_algs[i]);
	}
}

/**
 * rcc_slot_find() - look an algorithm up
 * @name: its name, not terminated
 * @len: length of @name
 *
 * The caller holds rcu_read_lock(), or rcc_algs_lock, or the cfg lock of the device that is to use it.
 *
 * Return: its slot, or NULL.
 */
struct rcc_slot *rcc_slot_find(const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < RCC_NALGS_MAX; i++) {
		const struct rcc_alg *alg = rcc_slot_alg(&rcc_slots[i]);

		if (alg && strlen(alg->name) == len && !memcmp(alg->name, name, len))
			return &rcc_slots[i];
	}
	return NULL;
}

/**
 * rcc_slot_get() - a QP or device begins to use an algorithm
 * @slot: its slot, or NULL
 *
 * Any context. The caller holds rcu_read_lock(), or the cfg lock of the device.
 *
 * Return: the algorithm, which does not go while it is used unless users are taken off it; NULL if it has gone.
 */
const struct rcc_alg *rcc_slot_get(struct rcc_slot *slot)
{
	const struct rcc_alg *alg = slot ? rcc_slot_alg(slot) : NULL;

	if (!alg || (slot->owner && !try_module_get(slot->owner)))
		return NULL;
	atomic_inc(&slot->users);
	return alg;
}

/**
 * rcc_slot_put() - and ends to
 * @slot: its slot, or NULL
 *
 * Any context. Code of the algorithm may still run until a grace period later; rcc_alg_del() waits for that.
 */
void rcc_slot_put(struct rcc_slot *slot)
{
	if (!slot)
		return;
	module_put(slot->owner);
	if (atomic_dec_and_test(&slot->users))
		wake_up_var(&slot->users);
}

/**
 * rcc_slot_default() - a new device begins to use the algorithm for such
 *
 * The caller holds rcc_algs_lock.
 *
 * Return: its slot, with a use counted.
 */
struct rcc_slot *rcc_slot_default(void)
{
	lockdep_assert_held(&rcc_algs_lock);
	if (!rcc_slot_get(default_slot)) {
		/* a module that is just unloading */
		default_slot = &rcc_slots[0];
		rcc_slot_get(default_slot);
	}
	return default_slot;
}

static struct rcc_slot *free_slot(void)
{
	u32 i;

	for (i = 0; i < RCC_NALGS_MAX; i++)
		if (!rcc_slots[i].taken)
			return &rcc_slots[i];
	return NULL;
}

/* Nobody finds the slot before every device has parameters for it. */
static int fill(struct rcc_slot *slot, const struct rcc_alg *alg, struct module *owner, const struct rcc_slot *like)
{
	struct rcc_dev *dev;
	int err;

	list_for_each_entry(dev, &rcc_dev_list, list) {
		err = rcc_conf_add_alg(dev, slot, alg, like);
		if (err)
			goto err_undo;
	}
	slot->owner = owner;
	slot->taken = true;
	rcu_assign_pointer(slot->alg, alg);
	return 0;

err_undo:
	list_for_each_entry_continue_reverse(dev, &rcc_dev_list, list)
		rcc_conf_del_alg(dev, slot);
	return err;
}

/* A directory that cannot be made is missed, but nothing depends on it. */
static void show(struct rcc_slot *slot)
{
	struct rcc_dev *dev;

	list_for_each_entry(dev, &rcc_dev_list, list)
		if (rcc_sysfs_add_params(dev, slot - rcc_slots))
			pr_warn("%s: no directory for the parameters of %s\n", dev_name(&dev->dev),
				rcc_slot_alg(slot)->name);
}

/* Take all users off a slot whose name is gone, to another one or to where they fall back, and empty it. */
static void retire(struct rcc_slot *slot, struct rcc_slot *to)
{
	struct rcc_dev *dev;

	if (default_slot == slot)
		default_slot = to ?: &rcc_slots[0];
	list_for_each_entry(dev, &rcc_dev_list, list)
		rcc_conf_leave_alg(dev, slot, to);
	synchronize_rcu();
	list_for_each_entry(dev, &rcc_dev_list, list)
		rcc_qp_leave_alg(dev, slot, to);
	/* QPs that are in no table any more, but not freed yet */
	wait_var_event(&slot->users, !atomic_read(&slot->users));
	synchronize_rcu();
	list_for_each_entry(dev, &rcc_dev_list, list)
		rcc_conf_del_alg(dev, slot);
	slot->owner = NULL;
	slot->taken = false;
}

/* The caller holds rcc_algs_lock. */
static struct rcc_slot *slot_of(const struct rcc_alg *alg)
{
	u32 i;

	for (i = 0; i < RCC_NALGS_MAX; i++)
		if (rcc_slot_alg(&rcc_slots[i]) == alg)
			return &rcc_slots[i];
	return NULL;
}

/**
 * rcc_alg_add() - offer an algorithm to all devices, present and future
 * @alg: the algorithm; stays the caller's, unchanged until rcc_alg_del() has returned
 * @owner: module that holds it (THIS_MODULE): it cannot unload while a QP or device uses the algorithm. NULL: it may
 *	be deleted at any time
 *
 * Process context. Takes rcc_algs_lock and each device's cfg lock.
 *
 * Return: 0; -EINVAL if rcc_alg_fault() finds one; -EEXIST if the name is in use (so is that of the notification point);
 * -ENOSPC if there are too many; -ENOMEM.
 */
int rcc_alg_add(const struct rcc_alg *alg, struct module *owner)
{
	struct rcc_slot *slot;
	int err = -EEXIST;

	if (rcc_alg_fault(alg))
		return -EINVAL;
	mutex_lock(&rcc_algs_lock);
	if (strcmp(alg->name, rcc_np.name) && !rcc_slot_find(alg->name, strlen(alg->name))) {
		slot = free_slot();
		err = slot ? fill(slot, alg, owner, NULL) : -ENOSPC;
		if (!err)
			show(slot);
	}
	mutex_unlock(&rcc_algs_lock);
	return err;
}
EXPORT_SYMBOL_GPL(rcc_alg_add);

/**
 * rcc_alg_del() - withdraw an algorithm
 * @alg: one that rcc_alg_add() took
 *
 * QPs that use it go on, under their device's default, and devices whose default it is go back to the first built-in
 * one. Packets that wait stay in order. On return no code of the algorithm runs and none will. Process context.
 */
void rcc_alg_del(const struct rcc_alg *alg)
{
	struct rcc_slot *slot;

	mutex_lock(&rcc_algs_lock);
	slot = slot_of(alg);
	if (slot) {
		RCU_INIT_POINTER(slot->alg, NULL);
		retire(slot, NULL);
	}
	mutex_unlock(&rcc_algs_lock);
}
EXPORT_SYMBOL_GPL(rcc_alg_del);

/**
 * rcc_alg_replace() - put another version in an algorithm's place, live
 * @old: one that rcc_alg_add() took, with owner NULL
 * @alg: the new one, of the same name
 *
 * Its users go on with the new one at the rate that they have. Parameters that somebody set by hand and that both have
 * keep their values. Process context. On return no code of @old runs and none will.
 *
 * Return: 0; -EINVAL if rcc_alg_fault() finds one or the names differ, -ENOENT if @old is not there, -ENOSPC, -ENOMEM: then
 * nothing has changed.
 */
int rcc_alg_replace(const struct rcc_alg *old, const struct rcc_alg *alg)
{
	struct rcc_slot *from, *to;
	int err;

	if (rcc_alg_fault(alg) || strcmp(old->name, alg->name))
		return -EINVAL;
	mutex_lock(&rcc_algs_lock);
	from = slot_of(old);
	to = free_slot();
	err = !from ? -ENOENT : !to ? -ENOSPC : fill(to, alg, NULL, from);
	if (!err) {
		RCU_INIT_POINTER(from->alg, NULL);
		retire(from, to);
		show(to);
	}
	mutex_unlock(&rcc_algs_lock);
	return err;
}
EXPORT_SYMBOL_GPL(rcc_alg_replace);

/**
 * rcc_alg_init() - fill the table with the built-in algorithms
 */
void rcc_alg_init(void)
{
	add_built_in();
}

static int default_set(const char *name, const struct kernel_param *kp)
{
	struct rcc_slot *slot;

	mutex_lock(&rcc_algs_lock);
	add_built_in();
	slot = rcc_slot_find(name, strcspn(name, "\n"));
	if (slot)
		default_slot = slot;
	mutex_unlock(&rcc_algs_lock);
	return slot ? 0 : -EINVAL;
}

static int default_get(char *buf, const struct kernel_param *kp)
{
	int len;

	mutex_lock(&rcc_algs_lock);
	len = sysfs_emit(buf, "%s\n", rcc_slot_alg(default_slot)->name);
	mutex_unlock(&rcc_algs_lock);
	return len;
}

static const struct kernel_param_ops default_ops = {
	.set = default_set,
	.get = default_get,
};
module_param_cb(algorithm, &default_ops, NULL, 0644);
MODULE_PARM_DESC(algorithm, "algorithm of devices to come (dcqcn)");
