// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/rxe_cc/<ibdev>/: one value per file. Documentation/ABI/testing/sysfs-class-rxe_cc says what each means.
 *
 * A write is checked whole before anything changes: -EINVAL means that nothing did. dev->cfg serializes writers.
 */
#include <linux/slab.h>

#include "rcc.h"

struct class rcc_class = {
	.name = "rxe_cc",
};

static ssize_t algorithm_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct rcc_dev *dev = rcc_dev_of(device);
	int len;

	mutex_lock(&dev->cfg);
	len = sysfs_emit(buf, "%s\n", rcc_conf_alg_name(dev));
	mutex_unlock(&dev->cfg);
	return len;
}

static ssize_t algorithm_store(struct device *device, struct device_attribute *attr, const char *buf, size_t count)
{
	struct rcc_dev *dev = rcc_dev_of(device);
	int err;

	mutex_lock(&dev->cfg);
	err = rcc_conf_set_alg(dev, buf, count && buf[count - 1] == '\n' ? count - 1 : count);
	mutex_unlock(&dev->cfg);
	return err ? -EINVAL : count;
}
static DEVICE_ATTR_RW(algorithm);

static ssize_t available_algorithms_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct rcc_alg *alg;
	int len = 0;
	u32 i;

	rcu_read_lock();
	for (i = 0; i < RCC_NALGS_MAX; i++) {
		alg = rcc_slot_alg(&rcc_slots[i]);
		if (alg)
			len += sysfs_emit_at(buf, len, "%s%s", len ? " " : "", alg->name);
	}
	rcu_read_unlock();
	return len + sysfs_emit_at(buf, len, "\n");
}
static DEVICE_ATTR_RO(available_algorithms);

static ssize_t profile_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", rcc_profile_names[READ_ONCE(rcc_dev_of(device)->profile)]);
}

static ssize_t profile_store(struct device *device, struct device_attribute *attr, const char *buf, size_t count)
{
	int profile = rcc_profile_find(buf, count && buf[count - 1] == '\n' ? count - 1 : count);
	struct rcc_dev *dev = rcc_dev_of(device);
	int err;

	if (profile < 0)
		return -EINVAL;
	mutex_lock(&dev->cfg);
	err = rcc_conf_set_profile(dev, profile);
	mutex_unlock(&dev->cfg);
	return err ?: count;
}
static DEVICE_ATTR_RW(profile);

static ssize_t available_profiles_show(struct device *device, struct device_attribute *attr, char *buf)
{
	int len = 0;
	u32 i;

	for (i = 0; i < RCC_PROFILES_SET; i++)
		len += sysfs_emit_at(buf, len, "%s%s", i ? " " : "", rcc_profile_names[i]);
	return len + sysfs_emit_at(buf, len, "\n");
}
static DEVICE_ATTR_RO(available_profiles);

static ssize_t ecn_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(rcc_dev_of(device)->ecn));
}

static ssize_t ecn_store(struct device *device, struct device_attribute *attr, const char *buf, size_t count)
{
	u64 value;

	if (rcc_u64_parse(buf, count, &value) || value > 1)
		return -EINVAL;
	WRITE_ONCE(rcc_dev_of(device)->ecn, value);
	return count;
}
static DEVICE_ATTR_RW(ecn);

static ssize_t link_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(rcc_dev_of(device)->link));
}

static ssize_t link_store(struct device *device, struct device_attribute *attr, const char *buf, size_t count)
{
	struct rcc_dev *dev = rcc_dev_of(device);
	u64 value;

	if (rcc_u64_parse(buf, count, &value) || value > 1)
		return -EINVAL;
	mutex_lock(&dev->cfg);
	rcc_conf_set_link_layer(dev, value);
	mutex_unlock(&dev->cfg);
	return count;
}
static DEVICE_ATTR_RW(link);

static ssize_t spray_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", rcc_spray_names[READ_ONCE(rcc_dev_of(device)->spray)]);
}

static ssize_t spray_store(struct device *device, struct device_attribute *attr, const char *buf, size_t count)
{
	int mode = rcc_spray_find(buf, count && buf[count - 1] == '\n' ? count - 1 : count);
	struct rcc_dev *dev = rcc_dev_of(device);

	if (mode < 0)
		return mode;
	mutex_lock(&dev->cfg);
	rcc_conf_set_spray(dev, mode, dev->entropies);
	mutex_unlock(&dev->cfg);
	return count;
}
static DEVICE_ATTR_RW(spray);

static ssize_t entropies_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(rcc_dev_of(device)->entropies));
}

static ssize_t entropies_store(struct device *device, struct device_attribute *attr, const char *buf, size_t count)
{
	struct rcc_dev *dev = rcc_dev_of(device);
	u64 value;

	if (rcc_u64_parse(buf, count, &value) || !value || value > RCC_PATHS_MAX)
		return -EINVAL;
	mutex_lock(&dev->cfg);
	rcc_conf_set_spray(dev, dev->spray, value);
	mutex_unlock(&dev->cfg);
	return count;
}
static DEVICE_ATTR_RW(entropies);

static ssize_t line_rate_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", READ_ONCE(rcc_dev_of(device)->line_bps) / RCC_BPS_PER_MBPS);
}

static ssize_t line_rate_store(struct device *device, struct device_attribute *attr, const char *buf, size_t count)
{
	struct rcc_dev *dev = rcc_dev_of(device);
	u64 mbps;

	if (rcc_u64_parse(buf, count, &mbps) || mbps > RCC_LINE_MAX_MBPS)
		return -EINVAL;
	mutex_lock(&dev->cfg);
	rcc_conf_set_line(dev, mbps * RCC_BPS_PER_MBPS);
	mutex_unlock(&dev->cfg);
	return count;
}
static DEVICE_ATTR_RW(line_rate);

static ssize_t base_rtt_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", READ_ONCE(rcc_dev_of(device)->base_rtt_ns));
}
static DEVICE_ATTR_RO(base_rtt);

static ssize_t qps_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(rcc_dev_of(device)->nqps));
}
static DEVICE_ATTR_RO(qps);

static ssize_t held_packets_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct rcc_dev *dev = rcc_dev_of(device);

	return sysfs_emit(buf, "%d\n", atomic_read(&dev->held) + atomic_read(&dev->read_held));
}
static DEVICE_ATTR_RO(held_packets);

static ssize_t waiting_packets_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&rcc_dev_of(device)->link_held));
}
static DEVICE_ATTR_RO(waiting_packets);

static ssize_t kept_packets_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&rcc_dev_of(device)->link_kept));
}
static DEVICE_ATTR_RO(kept_packets);

static struct attribute *rcc_attrs[] = {
	&dev_attr_algorithm.attr,
	&dev_attr_available_algorithms.attr,
	&dev_attr_profile.attr,
	&dev_attr_available_profiles.attr,
	&dev_attr_ecn.attr,
	&dev_attr_link.attr,
	&dev_attr_spray.attr,
	&dev_attr_entropies.attr,
	&dev_attr_line_rate.attr,
	&dev_attr_base_rtt.attr,
	&dev_attr_qps.attr,
	&dev_attr_held_packets.attr,
	&dev_attr_waiting_packets.attr,
	&dev_attr_kept_packets.attr,
	NULL
};

static const struct attribute_group rcc_group = {
	.attrs = rcc_attrs,
};

static ssize_t counter_show(struct device *device, struct device_attribute *attr, char *buf);

#define RCC_COUNTER_ATTR(c)	{ .attr = { .name = #c, .mode = 0444 }, .show = counter_show },

/* in the order of enum rcc_counter, so an attribute's place says which */
static struct device_attribute counter_attrs[RCC_NCOUNTERS] = {
	RCC_COUNTERS(RCC_COUNTER_ATTR)
};

static ssize_t counter_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", rcc_stats_sum(rcc_dev_of(device)->stats, attr - counter_attrs));
}

#define RCC_COUNTER_PTR(c)	&counter_attrs[RCC_C_##c].attr,

static struct attribute *counter_ptrs[] = {
	RCC_COUNTERS(RCC_COUNTER_PTR)
	NULL
};

static const struct attribute_group rcc_counters_group = {
	.name = "counters",
	.attrs = counter_ptrs,
};

static const struct attribute_group *rcc_groups[] = {
	&rcc_group,
	&rcc_counters_group,
	NULL
};

/**
 * struct rcc_param_dir - directory params/<algorithm>/
 * @kobj: the directory; child of params/
 * @set: whose parameters: the algorithm's slot, or RCC_NP
 * @names: of the files: the algorithm may go before whoever has a file open
 * @attrs: one file each, in the order of the descriptors
 * @ptrs: what sysfs wants of them
 * @group: and of those
 */
struct rcc_param_dir {
	struct kobject kobj;
	u32 set;
	char names[RCC_PARAMS_MAX][RCC_NAME_BYTES];
	struct kobj_attribute attrs[RCC_PARAMS_MAX];
	struct attribute *ptrs[RCC_PARAMS_MAX + 1];
	struct attribute_group group;
};

static struct rcc_param_dir *param_dir_of(struct kobject *kobj)
{
	return container_of(kobj, struct rcc_param_dir, kobj);
}

/* params/<algorithm> -> params -> the device */
static struct rcc_dev *param_dev_of(struct kobject *kobj)
{
	return rcc_dev_of(kobj_to_dev(kobj->parent->parent));
}

static ssize_t param_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct rcc_param_dir *dir = param_dir_of(kobj);

	return sysfs_emit(buf, "%llu\n", rcc_conf_get_param(param_dev_of(kobj), dir->set, attr - dir->attrs));
}

static ssize_t param_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf, size_t count)
{
	struct rcc_param_dir *dir = param_dir_of(kobj);
	struct rcc_dev *dev = param_dev_of(kobj);
	u64 value;
	int err;

	if (rcc_u64_parse(buf, count, &value))
		return -EINVAL;
	mutex_lock(&dev->cfg);
	err = rcc_conf_set_param(dev, dir->set, attr - dir->attrs, value);
	mutex_unlock(&dev->cfg);
	if (err == -ERANGE)
		err = -EINVAL;
	return err ?: count;
}

static void param_dir_release(struct kobject *kobj)
{
	kfree(param_dir_of(kobj));
}

static const struct kobj_type param_dir_type = {
	.release = param_dir_release,
	.sysfs_ops = &kobj_sysfs_ops,
};

/**
 * rcc_sysfs_add_params() - show an algorithm's parameters
 * @dev: the device
 * @set: the algorithm's slot, or RCC_NP
 *
 * The caller holds rcc_algs_lock. Nothing is shown of an algorithm without parameters.
 *
 * Return: 0, or an error with nothing left behind.
 */
int rcc_sysfs_add_params(struct rcc_dev *dev, u32 set)
{
	const struct rcc_alg *alg = set == RCC_NP ? &rcc_np : rcc_slot_alg(&rcc_slots[set]);
	struct rcc_param_dir *dir;
	int err;
	u32 i;

	if (!alg || !alg->nparams)
		return 0;
	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return -ENOMEM;
	dir->set = set;
	for (i = 0; i < alg->nparams; i++) {
		sysfs_attr_init(&dir->attrs[i].attr);
		strscpy(dir->names[i], alg->params[i].name, sizeof(dir->names[i]));
		dir->attrs[i].attr.name = dir->names[i];
		dir->attrs[i].attr.mode = 0644;
		dir->attrs[i].show = param_show;
		dir->attrs[i].store = param_store;
		dir->ptrs[i] = &dir->attrs[i].attr;
	}
	dir->group.attrs = dir->ptrs;
	err = kobject_init_and_add(&dir->kobj, &param_dir_type, dev->params_dir, "%s", alg->name);
	if (!err)
		err = sysfs_create_group(&dir->kobj, &dir->group);
	if (err)
		kobject_put(&dir->kobj);
	else
		dev->param_dirs[set] = &dir->kobj;
	return err;
}

/**
 * rcc_sysfs_del_params() - hide them; on return no reader or writer is inside any more
 * @dev: the device
 * @set: the algorithm's slot, or RCC_NP
 *
 * The caller holds rcc_algs_lock, but not @dev->cfg, which writers take.
 */
void rcc_sysfs_del_params(struct rcc_dev *dev, u32 set)
{
	struct kobject *kobj = dev->param_dirs[set];

	if (!kobj)
		return;
	dev->param_dirs[set] = NULL;
	kobject_del(kobj);
	kobject_put(kobj);
}

/**
 * rcc_sysfs_add() - show a device
 * @dev: the device, complete; the caller holds rcc_algs_lock
 *
 * Return: 0, or an error with nothing left behind.
 */
int rcc_sysfs_add(struct rcc_dev *dev)
{
	int err;
	u32 i;

	dev->dev.groups = rcc_groups;
	err = device_add(&dev->dev);
	if (err)
		return err;
	dev->params_dir = kobject_create_and_add("params", &dev->dev.kobj);
	if (!dev->params_dir) {
		err = -ENOMEM;
		goto err_del;
	}
	for (i = 0; i <= RCC_NP && !err; i++)
		err = rcc_sysfs_add_params(dev, i);
	if (!err)
		return 0;

err_del:
	rcc_sysfs_del(dev);
	return err;
}

/**
 * rcc_sysfs_del() - hide a device; on return no reader or writer is inside any more
 * @dev: the device
 */
void rcc_sysfs_del(struct rcc_dev *dev)
{
	u32 i;

	for (i = 0; i <= RCC_NP; i++)
		rcc_sysfs_del_params(dev, i);
	if (dev->params_dir)
		kobject_del(dev->params_dir);
	kobject_put(dev->params_dir);
	dev->params_dir = NULL;
	device_del(&dev->dev);
}
