// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobes on rxe's QP verbs: when a QP is connected, reset or destroyed no public event tells.
 *
 * A QP that rxe destroys must not wait for packets that we hold: rxe_destroy_qp() sleeps up to 50 s for them. Handlers
 * run with interrupts possibly off, so they only note what happened; work in process context does the rest.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <net/ipv6.h>

#include "rcc.h"

static struct rcc_dev *dev_of(const struct ib_qp *ibqp)
{
	if (!ibqp || !ibqp->device || ibqp->device->ops.driver_id != RDMA_DRIVER_RXE)
		return NULL;
	return ib_get_client_data(ibqp->device, &rcc_client);
}

static int on_destroy(struct kprobe *kp, struct pt_regs *regs)
{
	const struct ib_qp *ibqp = (const struct ib_qp *)regs_get_kernel_argument(regs, 0);
	struct rcc_dev *dev = dev_of(ibqp);
	struct rcc_qp *qp;

	if (!dev)
		return 0;
	rcu_read_lock();
	qp = rcc_qp_find(dev, ibqp->qp_num);
	if (qp && qp->ibqp == ibqp)
		rcc_qp_gone(qp, RCC_QP_DESTROY);
	rcu_read_unlock();
	return 0;
}

/* A GID is an IPv6 address; IPv4 stands in it mapped. */
static u8 gid_to_addr(const union ib_gid *gid, u8 *addr)
{
	if (ipv6_addr_v4mapped((const struct in6_addr *)gid)) {
		memcpy(addr, gid->raw + 12, 4);
		return 4;
	}
	memcpy(addr, gid->raw, 16);
	return 6;
}

/* Both ends of a connection stand in the call that moves the QP to RTR: a receiver that never sends is known, too. */
static void learn_peer(struct rcc_qp *qp, const struct ib_qp_attr *attr)
{
	const struct ib_global_route *grh = &attr->ah_attr.grh;
	struct rcc_flow flow = { .dqpn = attr->dest_qp_num };
	unsigned long irq;

	if (!grh->sgid_attr)
		return;
	flow.version = gid_to_addr(&grh->dgid, flow.daddr);
	gid_to_addr(&grh->sgid_attr->gid, flow.saddr);
	/* rxe sends nothing on a QP that is not yet connected: only a reader of a stale record can meet us here */
	if (!spin_trylock_irqsave(&qp->lock, irq))
		return;
	if (!qp->flow.version)
		qp->flow = flow;
	spin_unlock_irqrestore(&qp->lock, irq);
}

static int on_modify(struct kprobe *kp, struct pt_regs *regs)
{
	const struct ib_qp *ibqp = (const struct ib_qp *)regs_get_kernel_argument(regs, 0);
	const struct ib_qp_attr *attr = (const struct ib_qp_attr *)regs_get_kernel_argument(regs, 1);
	int mask = regs_get_kernel_argument(regs, 2);
	struct rcc_dev *dev = dev_of(ibqp);
	struct rcc_qp *qp;

	if (!dev || !(mask & IB_QP_STATE))
		return 0;
	rcu_read_lock();
	qp = rcc_qp_find(dev, ibqp->qp_num);
	if (qp && qp->ibqp != ibqp)
		qp = NULL;
	if (qp && (attr->qp_state == IB_QPS_RESET || attr->qp_state == IB_QPS_ERR))
		rcc_qp_gone(qp, RCC_QP_RESET);
	if (attr->qp_state == IB_QPS_RTR && ibqp->qp_type != IB_QPT_GSI) {
		if (!qp)
			qp = rcc_qp_learn(dev, ibqp);
		if (qp && (mask & IB_QP_AV) && (mask & IB_QP_DEST_QPN))
			learn_peer(qp, attr);
	}
	rcu_read_unlock();
	return 0;
}

static struct kprobe rcc_probes[] = {
	{ .symbol_name = "rdma_rxe:rxe_destroy_qp", .pre_handler = on_destroy },
	{ .symbol_name = "rdma_rxe:rxe_modify_qp", .pre_handler = on_modify },
};

static DEFINE_MUTEX(probe_lock);
static unsigned int probe_users;	/* devices; probe_lock */
static bool probe_set;			/* the probes stand; probe_lock */

static int probes_set(void)
{
	int err, i;

	for (i = 0; i < ARRAY_SIZE(rcc_probes); i++) {
		/* a probe that stood before keeps its address, and may not come with both that and a name */
		rcc_probes[i].addr = NULL;
		rcc_probes[i].flags = 0;
		err = register_kprobe(&rcc_probes[i]);
		if (err) {
			while (i--)
				unregister_kprobe(&rcc_probes[i]);
			return err;
		}
	}
	return 0;
}

/**
 * rcc_probe_add() - one more device; the first sets the probes
 *
 * Return: 0, or the error of register_kprobe(). The device counts all the same.
 */
int rcc_probe_add(void)
{
	int err = 0;

	mutex_lock(&probe_lock);
	if (!probe_users++) {
		err = probes_set();
		probe_set = !err;
	}
	mutex_unlock(&probe_lock);
	return err;
}

/**
 * rcc_probe_del() - one device less; the last takes the probes away, so that the driver's module can go
 *
 * No handler runs on return.
 */
void rcc_probe_del(void)
{
	int i;

	mutex_lock(&probe_lock);
	if (!--probe_users && probe_set) {
		for (i = 0; i < ARRAY_SIZE(rcc_probes); i++)
			unregister_kprobe(&rcc_probes[i]);
		probe_set = false;
	}
	mutex_unlock(&probe_lock);
}
