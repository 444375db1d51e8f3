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

static void show_qp(struct seq_file *m, struct rcc_qp *qp)
{
	char alg[RCC_NAME_BYTES];
	struct rcc_flow flow;
	u64 rate, cwnd, unacked, rtt, rx_ce, tx_cnp, rx_cnp, packets, bytes;
	u32 req, resp, read;

	spin_lock_bh(&qp->lock);
	strscpy(alg, qp->alg->name, sizeof(alg));
	flow = qp->flow;
	rate = qp->pace.ns_per_byte ? qp->decision.rate_bps : 0;
	cwnd = qp->decision.cwnd_bytes;
	unacked = qp->flight.bytes;
	rtt = qp->rtt_ns;
	req = skb_queue_len(&qp->req);
	resp = skb_queue_len(&qp->resp);
	read = skb_queue_len(&qp->read);
	rx_ce = qp->rx_ce;
	tx_cnp = qp->tx_cnp;
	rx_cnp = qp->rx_cnp;
	packets = qp->tx_packets;
	bytes = qp->tx_bytes;
	spin_unlock_bh(&qp->lock);

	seq_printf(m, "%6u %-5s %-12s %12llu %8llu %8llu %9llu %5u %5u %5u %10llu %12llu %8llu %8llu %8llu ", qp->ent.qpn,
		   type_name(qp->type), alg, rate, cwnd, unacked, rtt / 1000, req, resp, read, packets, bytes, rx_ce, tx_cnp, rx_cnp);
	if (flow.version == 4)
		seq_printf(m, "%pI4/%u\n", flow.daddr, flow.dqpn);
	else if (flow.version == 6)
		seq_printf(m, "%pI6c/%u\n", flow.daddr, flow.dqpn);
	else
		seq_puts(m, "-\n");
}

static int qps_show(struct seq_file *m, void *unused)
{
	struct rcc_dev *dev = m->private;
	struct rcc_qpent *ent;
	u32 i;

	seq_printf(m, "%6s %-5s %-12s %12s %8s %8s %9s %5s %5s %5s %10s %12s %8s %8s %8s %s\n", "qpn", "type", "alg",
		   "rate_bps", "cwnd", "unacked", "rtt_us", "req", "resp", "read", "tx_packets", "tx_bytes", "rx_ce",
		   "tx_cnp", "rx_cnp", "peer");
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
