/* SPDX-License-Identifier: GPL-2.0 */
/* What the tools that use libibverbs share: opening a device, connecting an RC QP. */
#ifndef RCC_VERBS_H
#define RCC_VERBS_H

#include <infiniband/verbs.h>

#include "tool.h"

/* A device by one of its addresses. */
struct port {
	const char *dev;
	int gid_index;
	struct ibv_context *ctx;
	union ibv_gid gid;
	enum ibv_mtu mtu;
};

/* How a QP is connected: remote access that it allows, READs and atomics at a time, ACK timeout, retries. */
struct rc_attr {
	int access;
	uint8_t rd_atomic;
	uint8_t timeout;
	uint8_t retry;
};

/* 4.096 us * 2^14 = 67 ms is perftest's timeout; rxe takes 7 retries for "for ever". */
static const struct rc_attr rc_default = { .rd_atomic = 1, .timeout = 14, .retry = 7 };

static inline void open_port(struct port *p)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_port_attr attr;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), p->dev))
			p->ctx = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	if (!p->ctx)
		die("cannot open the RDMA device %s", p->dev);
	if (ibv_query_port(p->ctx, 1, &attr) || ibv_query_gid(p->ctx, 1, p->gid_index, &p->gid))
		die("%s has no port 1 or no GID %d", p->dev, p->gid_index);
	p->mtu = attr.active_mtu;
}

static inline void connect_rc(struct ibv_qp *qp, const struct port *p, const union ibv_gid *gid, uint32_t qpn,
			      const struct rc_attr *how)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = how->access };
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = p->mtu,
		.dest_qp_num = qpn,
		.max_dest_rd_atomic = how->rd_atomic,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .sgid_index = p->gid_index, .hop_limit = 64, .dgid = *gid } },
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS, .timeout = how->timeout, .retry_cnt = how->retry, .rnr_retry = how->retry,
		.max_rd_atomic = how->rd_atomic,
	};

	if (ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) ||
	    ibv_modify_qp(qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) ||
	    ibv_modify_qp(qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("%s: cannot connect: %s", p->dev, strerror(errno));
}

#endif /* RCC_VERBS_H */
