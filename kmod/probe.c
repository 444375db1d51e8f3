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

static struct rcc_qp *qp_of(struct rcc_dev *dev, const struct ib_qp *ibqp)
{
	struct rcc_qp *qp = rcc_qp_find(dev, ibqp->qp_num);

	return qp && qp->ibqp == ibqp ? qp : NULL;
}

/* What a destroy that is under way keeps from its entry to its return. */
struct destroy {
	const struct ib_qp *ibqp;
};

static void tell(const struct ib_qp *ibqp, int what)
{
	struct rcc_dev *dev = dev_of(ibqp);
	struct rcc_qp *qp;

	if (!dev)
		return;
	rcu_read_lock();
	qp = qp_of(dev, ibqp);
	if (qp)
		rcc_qp_gone(qp, what);
	rcu_read_unlock();
}

/*
 * The record of a QP that is being destroyed stays until that is done: rxe still sends on it, and would be learnt again.
 * Until then its packets pass by.
 */
static int on_destroy(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct destroy *destroy = (struct destroy *)ri->data;

	destroy->ibqp = (const struct ib_qp *)regs_get_kernel_argument(regs, 0);
	tell(destroy->ibqp, RCC_QP_DYING);
	return 0;
}

/* The core frees the QP only after this. A destroy that failed (a multicast group) leaves a QP that is learnt anew. */
static int on_destroyed(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	tell(((struct destroy *)ri->data)->ibqp, RCC_QP_DESTROYED);
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
static void connect(struct rcc_qp *qp, const struct ib_qp_attr *attr)
{
	const struct ib_global_route *grh = &attr->ah_attr.grh;
	struct rcc_flow flow = { .dqpn = attr->dest_qp_num };

	if (!grh->sgid_attr)
		return;
	flow.version = gid_to_addr(&grh->dgid, flow.daddr);
	gid_to_addr(&grh->sgid_attr->gid, flow.saddr);
	rcc_qp_connect(qp, &flow);
}

/*
 * rxe sends again what has no ACK after 4.096 us * 2^timeout, and gives up after some tries: a full packet must leave, and
 * so ask for an ACK, twice in that time. 0 means that it waits for ever.
 */
static void note_timeout(struct rcc_qp *qp, u8 timeout)
{
	/* rxe's timer counts in jiffies */
	u64 ns = timeout ? max_t(u64, 4096ULL << min_t(u8, timeout, 31), jiffies_to_nsecs(1)) : 0;

	WRITE_ONCE(qp->timeout_ns, ns);
	WRITE_ONCE(qp->floor_bps, ns ? 2ULL * 4096 * 8 * NSEC_PER_SEC / ns : 0);
}

static void note_mtu(struct rcc_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if (qp && (mask & IB_QP_PATH_MTU) && ib_mtu_enum_to_int(attr->path_mtu) > 0)
		WRITE_ONCE(qp->mtu_bytes, ib_mtu_enum_to_int(attr->path_mtu));
}

static int on_modify(struct kprobe *kp, struct pt_regs *regs)
{
	const struct ib_qp *ibqp = (const struct ib_qp *)regs_get_kernel_argument(regs, 0);
	const struct ib_qp_attr *attr = (const struct ib_qp_attr *)regs_get_kernel_argument(regs, 1);
	int mask = regs_get_kernel_argument(regs, 2);
	struct rcc_dev *dev = dev_of(ibqp);
	struct rcc_qp *qp;

	if (!dev || ibqp->qp_type == IB_QPT_GSI)
		return 0;
	rcu_read_lock();
	qp = qp_of(dev, ibqp);
	if ((mask & IB_QP_STATE) && attr->qp_state == IB_QPS_RTR) {
		qp = rcc_qp_learn(dev, ibqp);
		note_mtu(qp, attr, mask);
		if (qp && (mask & IB_QP_AV) && (mask & IB_QP_DEST_QPN))
			connect(qp, attr);
	}
	if (qp && (mask & IB_QP_STATE) && (attr->qp_state == IB_QPS_RESET || attr->qp_state == IB_QPS_ERR))
		rcc_qp_gone(qp, RCC_QP_RESET);
	if (qp && (mask & IB_QP_TIMEOUT))
		note_timeout(qp, attr->timeout);
	note_mtu(qp, attr, mask);
	rcu_read_unlock();
	return 0;
}

/* Destroys at the same time; beyond, one is missed and the QP's packets leave at their pace. */
#define DESTROYS_MAX	128

static struct kretprobe destroy_probe = {
	.kp.symbol_name = "rdma_rxe:rxe_destroy_qp",
	.entry_handler = on_destroy,
	.handler = on_destroyed,
	.data_size = sizeof(struct destroy),
	.maxactive = DESTROYS_MAX,
};

static struct kprobe modify_probe = {
	.symbol_name = "rdma_rxe:rxe_modify_qp",
	.pre_handler = on_modify,
};

static DEFINE_MUTEX(probe_lock);
static unsigned int probe_users;	/* devices; probe_lock */
static bool probe_set;			/* the probes stand; probe_lock */

/* A probe that stood before keeps its address, and may not come with both that and a name. */
static void forget_address(struct kprobe *kp)
{
	kp->addr = NULL;
	kp->flags = 0;
}

static int probes_set(void)
{
	int err;

	forget_address(&destroy_probe.kp);
	forget_address(&modify_probe);
	err = register_kretprobe(&destroy_probe);
	if (err)
		return err;
	err = register_kprobe(&modify_probe);
	if (err)
		unregister_kretprobe(&destroy_probe);
	return err;
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
	mutex_lock(&probe_lock);
	if (!--probe_users && probe_set) {
		unregister_kprobe(&modify_probe);
		unregister_kretprobe(&destroy_probe);
		probe_set = false;
	}
	mutex_unlock(&probe_lock);
}
