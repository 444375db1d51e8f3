// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/debug/rxe_cc/<ibdev>/qps: one line per QP, for a quick look. Its format is no interface. */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "rcc.h"

static struct dentry *root;

static const char *type_name(u8 type)
{
	switch (type) {
	case IB_QPT_RC:
		return "RC";
	case IB_QPT_UC:
		return "UC";
	case IB_QPT_UD:
		return "UD";
	default:
		return "other";
	}
}

static const char *link_name(const struct rcc_qp_info *info)
{
	if (info->link_up)
		return "up";
	return info->link_hello ? "hello" : "none";
}

static void show_qp(struct seq_file *m, struct rcc_qp *qp)
{
	struct rcc_qp_info i;

	rcc_qp_info(qp, &i);
	seq_printf(m, "%6u %-5s %-12s %12llu %8llu %8llu %9llu %5u %5u %5u %10llu %12llu %8llu %8llu %8llu %-5s %-8s ", i.qpn,
		   type_name(i.type), i.alg, i.rate_bps, i.cwnd_bytes, i.unacked_bytes, i.rtt_ns / 1000, i.req, i.resp,
		   i.read, i.tx_packets, i.tx_bytes, i.rx_ce, i.tx_cnp, i.rx_cnp, link_name(&i), rcc_spray_names[i.spray]);
	if (i.flow.version == 4)
		seq_printf(m, "%pI4/%u\n", i.flow.daddr, i.flow.dqpn);
	else if (i.flow.version == 6)
		seq_printf(m, "%pI6c/%u\n", i.flow.daddr, i.flow.dqpn);
	else
		seq_puts(m, "-\n");
}

static int qps_show(struct seq_file *m, void *unused)
{
	struct rcc_dev *dev = m->private;
	struct rcc_qpent *ent;
	u32 i;

	seq_printf(m, "%6s %-5s %-12s %12s %8s %8s %9s %5s %5s %5s %10s %12s %8s %8s %8s %-5s %-8s %s\n", "qpn", "type", "alg",
		   "rate_bps", "cwnd", "unacked", "rtt_us", "req", "resp", "read", "tx_packets", "tx_bytes", "rx_ce",
		   "tx_cnp", "rx_cnp", "link", "spray", "peer");
	for (i = 0; i < RCC_QPTAB_BUCKETS; i++) {
		rcu_read_lock();
		/* acquire: pairs with the release that published the entry, see qptab.h */
		for (ent = smp_load_acquire(&dev->tab->bucket[i]); ent; ent = smp_load_acquire(&ent->next))
			show_qp(m, container_of(ent, struct rcc_qp, ent));
		rcu_read_unlock();
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(qps);

/**
 * rcc_debugfs_add() - show a device's QPs
 * @dev: the device. Its directory is removed before its record is freed: debugfs waits for readers
 */
void rcc_debugfs_add(struct rcc_dev *dev)
{
	dev->debugfs = debugfs_create_dir(dev_name(&dev->dev), root);
	debugfs_create_file("qps", 0400, dev->debugfs, dev, &qps_fops);
}

/**
 * rcc_debugfs_init() - make the module's directory
 *
 * Without debugfs there is nothing to see, and nothing fails.
 */
void rcc_debugfs_init(void)
{
	root = debugfs_create_dir("rxe_cc", NULL);
	rcc_replay_add(root);
}

/**
 * rcc_debugfs_exit() - remove the module's directory; no device is left in it
 */
void rcc_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}
