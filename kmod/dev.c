// SPDX-License-Identifier: GPL-2.0
/*
 * rxe devices: they come and go with the RDMA core's clients, and lose their link with the netdev's events.
 *
 * remove() works in two steps: make the device unreachable (sysfs, netdev hash, client data), wait a grace period, then
 * stop the timer and free what is left. It runs for rdma link delete, for the netdev's end and for rmmod of the driver.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/ethtool.h>
#include <linux/hashtable.h>
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>

#include "rcc.h"

static DEFINE_HASHTABLE(rcc_devs, 6);	/* by netdev; readers use RCU */
LIST_HEAD(rcc_dev_list);
static DEFINE_MUTEX(rcc_devs_lock);	/* writers of both, and names of devices; inside RTNL */
static u64 last_id;			/* rcc_devs_lock */

/**
 * rcc_dev_by_netdev() - which rxe device receives here?
 * @ndev: netdev, or a VLAN on it
 *
 * The caller holds rcu_read_lock() or RTNL, and uses the result no longer than that.
 *
 * Return: the device, or NULL.
 */
struct rcc_dev *rcc_dev_by_netdev(const struct net_device *ndev)
{
	struct rcc_dev *dev;

	hash_for_each_possible_rcu(rcc_devs, dev, node, (unsigned long)ndev, lockdep_rtnl_is_held())
		if (READ_ONCE(dev->ndev) == ndev)
			return dev;
	if (is_vlan_dev(ndev))
		return rcc_dev_by_netdev(vlan_dev_real_dev(ndev));
	return NULL;
}

/**
 * rcc_dev_get() - look a device up by its name
 * @name: the RDMA device's
 *
 * Return: the device with a reference, for put_device(), or NULL. It may go at any time: see rcc_conf_gone().
 */
struct rcc_dev *rcc_dev_get(const char *name)
{
	struct rcc_dev *dev, *found = NULL;

	mutex_lock(&rcc_devs_lock);
	list_for_each_entry(dev, &rcc_dev_list, list) {
		if (!strcmp(dev_name(&dev->dev), name)) {
			get_device(&dev->dev);
			found = dev;
			break;
		}
	}
	mutex_unlock(&rcc_devs_lock);
	return found;
}

/**
 * rcc_dev_get_from() - go through all devices
 * @id: least number that is wanted; they begin with 1
 *
 * Return: the device with the least number from @id on, with a reference, as rcc_dev_get(); or NULL.
 */
struct rcc_dev *rcc_dev_get_from(u64 id)
{
	struct rcc_dev *dev, *found = NULL;

	mutex_lock(&rcc_devs_lock);
	list_for_each_entry(dev, &rcc_dev_list, list) {
		if (dev->id >= id) {
			get_device(&dev->dev);
			found = dev;
			break;
		}
	}
	mutex_unlock(&rcc_devs_lock);
	return found;
}

/**
 * rcc_dev_name() - the name of a device that may be renamed meanwhile
 * @dev: the device
 * @name: filled in
 * @size: room there
 */
void rcc_dev_name(const struct rcc_dev *dev, char *name, size_t size)
{
	mutex_lock(&rcc_devs_lock);
	strscpy(name, dev_name(&dev->dev), size);
	mutex_unlock(&rcc_devs_lock);
}

/* The netdev that a rxe device sits on. No exported call finds it on every kernel, but the other way there is one. */
static struct net_device *find_netdev(struct ib_device *ibdev)
{
	struct net_device *ndev = NULL;
	struct net *net;

	ASSERT_RTNL();
	down_read(&net_rwsem);
	for_each_net(net) {
		for_each_netdev(net, ndev) {
			struct ib_device *owner = ib_device_get_by_netdev(ndev, RDMA_DRIVER_RXE);

			if (!owner)
				continue;
			ib_device_put(owner);
			if (owner == ibdev)
				goto out;
		}
	}
	ndev = NULL;
out:
	up_read(&net_rwsem);
	return ndev;
}

static void refresh_line(struct rcc_dev *dev)
{
	struct ethtool_link_ksettings link = {};
	u64 bps = 0;

	ASSERT_RTNL();
	if (!dev->ndev)
		return;
	if (!__ethtool_get_link_ksettings(dev->ndev, &link) && link.base.speed &&
	    link.base.speed != (u32)SPEED_UNKNOWN)
		bps = link.base.speed * RCC_BPS_PER_MBPS;
	if (!bps) {
		rcc_count(dev, RCC_C_line_rate_unknown);
		bps = RCC_LINE_FALLBACK_BPS;
	}
	rcc_conf_set_link(dev, bps);
}

static void rcc_dev_release(struct device *device)
{
	struct rcc_dev *dev = rcc_dev_of(device);

	rcc_conf_exit(dev);
	rcc_pacer_exit(dev);
	free_percpu(dev->stats);
	kvfree(dev->tab);
	kfree(dev);
}

static struct rcc_dev *rcc_dev_alloc(struct ib_device *ibdev)
{
	struct rcc_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return NULL;
	device_initialize(&dev->dev);
	dev->dev.class = &rcc_class;
	dev->dev.parent = &ibdev->dev;
	dev->dev.release = rcc_dev_release;
	dev->ibdev = ibdev;
	dev->index = ibdev->index;
	spin_lock_init(&dev->lock);
	INIT_LIST_HEAD(&dev->qps);
	INIT_LIST_HEAD(&dev->list);
	init_llist_head(&dev->gone);
	INIT_WORK(&dev->gone_work, rcc_qp_gone_work);
	mutex_init(&dev->cfg);
	dev->ecn = true;
	dev->entropies = RCC_ENTROPIES;
	dev->tab = kvzalloc(sizeof(*dev->tab), GFP_KERNEL);
	dev->stats = alloc_percpu(struct rcc_stats);
	if (!dev->tab || !dev->stats || rcc_pacer_init(dev) || rcc_conf_init(dev) ||
	    dev_set_name(&dev->dev, "%s", dev_name(&ibdev->dev))) {
		rcc_conf_stop(dev);
		put_device(&dev->dev);
		return NULL;
	}
	return dev;
}

/* The caller holds rcc_algs_lock: the algorithms that the device knows stay the same until it is on the list. */
static int dev_add(struct ib_device *ibdev)
{
	struct rcc_dev *dev;
	int err;

	dev = rcc_dev_alloc(ibdev);
	if (!dev)
		return -ENOMEM;
	err = rcc_sysfs_add(dev);
	if (err)
		goto err_put;
	rcc_debugfs_add(dev);
	err = rcc_probe_add();
	if (err)
		pr_warn("%s: no probe on QP destroy (%d): packets of dying QPs leave at their pace\n",
			dev_name(&dev->dev), err);
	ib_set_client_data(ibdev, &rcc_client, dev);

	rtnl_lock();
	dev->ndev = find_netdev(ibdev);
	refresh_line(dev);
	mutex_lock(&rcc_devs_lock);
	if (dev->ndev)
		hash_add_rcu(rcc_devs, &dev->node, (unsigned long)dev->ndev);
	dev->id = ++last_id;
	list_add_tail(&dev->list, &rcc_dev_list);
	rcc_tx_learn_driver(ibdev->ops.owner);
	mutex_unlock(&rcc_devs_lock);
	rtnl_unlock();
	return 0;

err_put:
	rcc_conf_stop(dev);
	put_device(&dev->dev);
	return err;
}

static int rcc_dev_add(struct ib_device *ibdev)
{
	int err;

	if (ibdev->ops.driver_id != RDMA_DRIVER_RXE)
		return -EOPNOTSUPP;
	mutex_lock(&rcc_algs_lock);
	err = dev_add(ibdev);
	mutex_unlock(&rcc_algs_lock);
	return err;
}

/* The last device is gone, and no hook runs that saw it: the driver may be loaded again, elsewhere. */
static void forget_driver(void)
{
	mutex_lock(&rcc_devs_lock);
	if (list_empty(&rcc_dev_list))
		rcc_tx_forget_driver();
	mutex_unlock(&rcc_devs_lock);
}

static void rcc_dev_remove(struct ib_device *ibdev, void *client_data)
{
	struct rcc_dev *dev = client_data;

	if (!dev)
		return;
	/* until it and its QPs have let go of their algorithms */
	mutex_lock(&rcc_algs_lock);
	debugfs_remove_recursive(dev->debugfs);
	rcc_sysfs_del(dev);
	/* the netdev notifier uses devices under RTNL, and sleeps */
	rtnl_lock();
	mutex_lock(&rcc_devs_lock);
	hash_del_rcu(&dev->node);
	list_del(&dev->list);
	mutex_unlock(&rcc_devs_lock);
	rtnl_unlock();
	ib_set_client_data(ibdev, &rcc_client, NULL);
	synchronize_rcu();
	forget_driver();

	rcc_probe_del();
	cancel_work_sync(&dev->rescale_work);
	cancel_work_sync(&dev->gone_work);
	rcc_qp_gone_work(&dev->gone_work);
	rcc_qp_remove_all(dev);
	rcc_conf_stop(dev);
	mutex_unlock(&rcc_algs_lock);
	put_device(&dev->dev);
}

static void rcc_dev_rename(struct ib_device *ibdev, void *client_data)
{
	struct rcc_dev *dev = client_data;
	int err;

	if (!dev)
		return;
	mutex_lock(&rcc_devs_lock);
	err = device_rename(&dev->dev, dev_name(&ibdev->dev));
	mutex_unlock(&rcc_devs_lock);
	if (err) {
		pr_warn("%s: could not follow its new name %s\n", dev_name(&dev->dev), dev_name(&ibdev->dev));
		return;
	}
	debugfs_remove_recursive(dev->debugfs);
	rcc_debugfs_add(dev);
}

struct ib_client rcc_client = {
	.name = "rxe_cc",
	.add = rcc_dev_add,
	.remove = rcc_dev_remove,
	.rename = rcc_dev_rename,
	.no_kverbs_req = 1,
};

/* The link goes down: what waits is lost, as it would be on a wire. Held packets have no reference on the netdev. */
static void link_down(struct rcc_dev *dev)
{
	/* IFF_UP is off: after this, no hook that saw it on still runs */
	synchronize_net();
	rcc_qp_drop_held(dev);
}

static int rcc_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct rcc_dev *dev = rcc_dev_by_netdev(ndev);

	if (!dev)
		return NOTIFY_DONE;
	switch (event) {
	case NETDEV_UP:
	case NETDEV_CHANGE:
		refresh_line(dev);
		break;
	case NETDEV_DOWN:
		link_down(dev);
		break;
	case NETDEV_UNREGISTER:
		if (dev->ndev == ndev) {
			mutex_lock(&rcc_devs_lock);
			hash_del_rcu(&dev->node);
			WRITE_ONCE(dev->ndev, NULL);
			mutex_unlock(&rcc_devs_lock);
		}
		link_down(dev);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block rcc_netdev_nb = {
	.notifier_call = rcc_netdev_event,
};

/**
 * rcc_dev_open_all() - let everything that waits go, in order, and pace nothing from now on
 */
void rcc_dev_open_all(void)
{
	struct rcc_dev *dev;
	int tries = 25;

	mutex_lock(&rcc_devs_lock);
	list_for_each_entry(dev, &rcc_dev_list, list) {
		WRITE_ONCE(dev->open, true);
		WRITE_ONCE(dev->link, false);
		rcc_qp_stop_links(dev);
		rcc_qp_restart_all(dev);
	}
	/* the timers are set for now; what a dead CPU or a storm still holds after half a second goes out of order */
	list_for_each_entry(dev, &rcc_dev_list, list)
		while (atomic_read(&dev->held) + atomic_read(&dev->read_held) && tries--)
			msleep(20);
	mutex_unlock(&rcc_devs_lock);
}

/**
 * rcc_dev_init() - follow rxe devices from now on; those that exist are added before this returns
 *
 * Return: 0, or an error with nothing left behind.
 */
int rcc_dev_init(void)
{
	int err;

	err = register_netdevice_notifier(&rcc_netdev_nb);
	if (err)
		return err;
	err = ib_register_client(&rcc_client);
	if (err)
		unregister_netdevice_notifier(&rcc_netdev_nb);
	return err;
}

/**
 * rcc_dev_exit() - remove all devices
 */
void rcc_dev_exit(void)
{
	ib_unregister_client(&rcc_client);
	unregister_netdevice_notifier(&rcc_netdev_nb);
}
