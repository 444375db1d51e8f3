// SPDX-License-Identifier: GPL-2.0
/* Netlink: QPs. */
#include "netlink.h"

static int put_peer(struct sk_buff *skb, const struct rcc_flow *flow)
{
	if (!flow->version)
		return 0;
	if (flow->version == 4 ? nla_put(skb, RXE_CC_A_QP_PEER_IPV4, 4, flow->daddr) :
				 nla_put(skb, RXE_CC_A_QP_PEER_IPV6, 16, flow->daddr))
		return -EMSGSIZE;
	return nla_put_u32(skb, RXE_CC_A_QP_PEER_QPN, flow->dqpn);
}

/* An attribute that is absent if it is 0. */
static int put_nonzero(struct sk_buff *skb, int attr, u64 value)
{
	return value ? nla_put_u64_64bit(skb, attr, value, RXE_CC_A_QP_PAD) : 0;
}

static u8 link_state(const struct rcc_qp_info *i)
{
	if (i->link_up)
		return RXE_CC_LINK_STATE_UP;
	return i->link_hello ? RXE_CC_LINK_STATE_HELLO : RXE_CC_LINK_STATE_NONE;
}

static int put_link(struct sk_buff *skb, const struct rcc_qp_info *i)
{
	if (nla_put_string(skb, RXE_CC_A_QP_SPRAY, rcc_spray_names[i->spray]) ||
	    (i->spray_set < RCC_SPRAY_MODES &&
	     nla_put_string(skb, RXE_CC_A_QP_SPRAY_SET, rcc_spray_names[i->spray_set])) ||
	    nla_put_u8(skb, RXE_CC_A_QP_LINK, link_state(i)))
		return -EMSGSIZE;
	if (!i->has_link)
		return 0;
	if (nla_put_u64_64bit(skb, RXE_CC_A_QP_LINK_REPEATS, i->link_repeats, RXE_CC_A_QP_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_QP_LINK_LOST, i->link_lost, RXE_CC_A_QP_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_QP_LINK_SPURIOUS, i->link_spurious, RXE_CC_A_QP_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_QP_LINK_DISORDERED, i->link_disordered, RXE_CC_A_QP_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_QP_LINK_SKIPPED, i->link_skipped, RXE_CC_A_QP_PAD) ||
	    nla_put_u32(skb, RXE_CC_A_QP_LINK_KEPT, i->link_kept) ||
	    nla_put_u32(skb, RXE_CC_A_QP_LINK_WAITING, i->link_waiting) ||
	    put_nonzero(skb, RXE_CC_A_QP_LINK_RTT_NS, i->link_rtt_ns))
		return -EMSGSIZE;
	return 0;
}

static int put_path(struct sk_buff *skb, u32 index, const struct rcc_path_info *p)
{
	struct nlattr *nest = nla_nest_start(skb, RXE_CC_A_QP_PATH);

	if (!nest ||
	    nla_put_u32(skb, RXE_CC_A_PATH_INDEX, index) ||
	    nla_put_u16(skb, RXE_CC_A_PATH_PORT, p->port) ||
	    (p->dead && nla_put_flag(skb, RXE_CC_A_PATH_DEAD)) ||
	    nla_put_u32(skb, RXE_CC_A_PATH_WEIGHT_PERMILLE, p->weight_permille) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_PATH_SENT, p->sent, RXE_CC_A_PATH_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_PATH_CAME, p->came, RXE_CC_A_PATH_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_PATH_MARKED, p->marked, RXE_CC_A_PATH_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_PATH_LOST, p->lost, RXE_CC_A_PATH_PAD) ||
	    (p->rtt_ns && nla_put_u64_64bit(skb, RXE_CC_A_PATH_RTT_NS, p->rtt_ns, RXE_CC_A_PATH_PAD)) ||
	    nla_put_u32(skb, RXE_CC_A_PATH_CE_PERMILLE, p->ce_permille))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_qp(struct sk_buff *skb, const char *dev_name, const struct rcc_qp_info *i)
{
	if (nla_put_string(skb, RXE_CC_A_QP_DEV, dev_name) ||
	    nla_put_u32(skb, RXE_CC_A_QP_QPN, i->qpn) ||
	    nla_put_u8(skb, RXE_CC_A_QP_TYPE, i->type) ||
	    nla_put_string(skb, RXE_CC_A_QP_ALGORITHM, i->alg) ||
	    (i->alg_set[0] && nla_put_string(skb, RXE_CC_A_QP_ALGORITHM_SET, i->alg_set)) ||
	    put_nonzero(skb, RXE_CC_A_QP_RATE_BPS, i->rate_bps) ||
	    put_nonzero(skb, RXE_CC_A_QP_CWND_BYTES, i->cwnd_bytes) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_QP_UNACKED_BYTES, i->unacked_bytes, RXE_CC_A_QP_PAD) ||
	    put_nonzero(skb, RXE_CC_A_QP_RTT_NS, i->rtt_ns) ||
	    put_peer(skb, &i->flow) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_QP_TX_PACKETS, i->tx_packets, RXE_CC_A_QP_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_QP_TX_BYTES, i->tx_bytes, RXE_CC_A_QP_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_QP_RETRANS_PACKETS, i->retrans_packets, RXE_CC_A_QP_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_QP_RX_CE_PACKETS, i->rx_ce, RXE_CC_A_QP_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_QP_TX_CNPS, i->tx_cnp, RXE_CC_A_QP_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_QP_RX_CNPS, i->rx_cnp, RXE_CC_A_QP_PAD) ||
	    nla_put_u32(skb, RXE_CC_A_QP_HELD_PACKETS, i->req + i->resp + i->read))
		return -EMSGSIZE;
	return put_link(skb, i);
}

/**
 * struct told_qp - what a reply about a QP needs
 * @dev: name of its device
 * @info: the QP
 * @npaths: how many of @paths are told
 * @paths: its paths; not there in a dump
 */
struct told_qp {
	char dev[RXE_CC_NAME_MAX_LEN + 1];
	struct rcc_qp_info info;
	u32 npaths;
	struct rcc_path_info paths[];
};

static int fill_qp(const struct rcc_answer *a, const void *what)
{
	void *msg = rcc_answer_begin(a, RXE_CC_CMD_QP_GET);
	const struct told_qp *told = what;
	int err;
	u32 i;

	if (!msg)
		return -EMSGSIZE;
	err = put_qp(a->skb, told->dev, &told->info);
	for (i = 0; !err && i < told->npaths; i++)
		err = put_path(a->skb, i, &told->paths[i]);
	return rcc_answer_end(a, msg, err);
}

static int no_qp(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	NL_SET_BAD_ATTR(extack, attr);
	rcc_extack(extack, "no such QP", "no QP %u", nla_get_u32(attr));
	return -ENOENT;
}

/* Look a QP up, and tell of it what is wanted. Returns false if there is none. */
static bool look_at(struct rcc_dev *dev, u32 qpn, bool paths, struct told_qp *told)
{
	struct rcc_qp *qp;

	rcc_dev_name(dev, told->dev, sizeof(told->dev));
	rcu_read_lock();
	qp = rcc_qp_find(dev, qpn);
	if (qp)
		rcc_qp_info(qp, &told->info);
	if (qp && paths)
		told->npaths = rcc_qp_paths(qp, told->paths);
	rcu_read_unlock();
	return qp;
}

/* RXE_CC_CMD_QP_GET about one QP */
int rcc_nl_qp_get(struct sk_buff *skb, struct genl_info *info)
{
	bool paths = info->attrs[RXE_CC_A_QP_WANT_PATHS];
	struct told_qp *told;
	struct rcc_dev *dev;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, RXE_CC_A_QP_DEV) || GENL_REQ_ATTR_CHECK(info, RXE_CC_A_QP_QPN))
		return -EINVAL;
	dev = rcc_named_dev(info->attrs[RXE_CC_A_QP_DEV], info->extack);
	if (!dev)
		return -ENODEV;
	told = kzalloc(struct_size(told, paths, RCC_PATHS_MAX), GFP_KERNEL);
	if (!told)
		err = -ENOMEM;
	else if (look_at(dev, nla_get_u32(info->attrs[RXE_CC_A_QP_QPN]), paths, told))
		err = rcc_answer_one(info, fill_qp, told);
	else
		err = no_qp(info->attrs[RXE_CC_A_QP_QPN], info->extack);
	kfree(told);
	put_device(&dev->dev);
	return err;
}

/* All QPs of a device from where the dump stands. */
static int dump_qps(const struct rcc_answer *a, struct rcc_dev *dev, long *at)
{
	struct told_qp told = {};
	struct rcc_qpent *ent;
	int err;

	rcc_dev_name(dev, told.dev, sizeof(told.dev));
	while (at[RCC_AT_MAJOR] < RCC_QPTAB_BUCKETS) {
		rcu_read_lock();
		ent = rcc_qptab_next(dev->tab, at[RCC_AT_MAJOR], at[RCC_AT_MINOR]);
		if (ent)
			rcc_qp_info(container_of(ent, struct rcc_qp, ent), &told.info);
		rcu_read_unlock();
		if (!ent) {
			at[RCC_AT_MAJOR]++;
			at[RCC_AT_MINOR] = 0;
			continue;
		}
		err = fill_qp(a, &told);
		if (err)
			return err;
		at[RCC_AT_MINOR] = told.info.qpn + 1;
	}
	return 0;
}

/* RXE_CC_CMD_QP_GET about all, or all of a device */
int rcc_nl_qp_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rcc_answer a = rcc_answer_dump(skb, cb);
	struct nlattr **attrs = rcc_genl_dump_attrs(cb);
	struct rcc_dev *dev;
	int err;

	if (attrs[RXE_CC_A_QP_QPN]) {
		NL_SET_ERR_MSG_ATTR(cb->extack, attrs[RXE_CC_A_QP_QPN], "a dump is not about one QP");
		return -EINVAL;
	}
	err = rcc_dump_begins(attrs[RXE_CC_A_QP_DEV], cb);
	while (!err && (dev = rcc_dump_dev(cb->args))) {
		err = dump_qps(&a, dev, cb->args);
		if (!err)
			rcc_dump_next(cb->args, dev->id + 1);
		put_device(&dev->dev);
	}
	return rcc_dumped(skb, err);
}

/* Nothing is set if the algorithm does not exist; a QP that goes meanwhile takes what was set with it. */
static int change_qp(struct rcc_dev *dev, u32 qpn, const char *alg, u32 spray, struct genl_info *info)
{
	int err = -ENODEV;

	mutex_lock(&dev->cfg);
	if (!rcc_conf_gone(dev))
		err = alg ? rcc_qp_set_alg(dev, qpn, *alg ? alg : NULL, strlen(alg)) : 0;
	if (!err && info->attrs[RXE_CC_A_QP_SPRAY_SET])
		err = rcc_qp_set_spray(dev, qpn, spray);
	mutex_unlock(&dev->cfg);
	switch (err) {
	case -ENOENT:
		return rcc_no_alg(info->attrs[RXE_CC_A_QP_ALGORITHM_SET], info->extack);
	case -ESRCH:
		return no_qp(info->attrs[RXE_CC_A_QP_QPN], info->extack);
	default:
		return err;
	}
}

/* RXE_CC_CMD_QP_SET */
int rcc_nl_qp_set(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *alg = info->attrs[RXE_CC_A_QP_ALGORITHM_SET];
	const struct nlattr *spray = info->attrs[RXE_CC_A_QP_SPRAY_SET];
	struct rcc_dev *dev;
	int mode, err;

	if (GENL_REQ_ATTR_CHECK(info, RXE_CC_A_QP_DEV) || GENL_REQ_ATTR_CHECK(info, RXE_CC_A_QP_QPN) ||
	    (!spray && GENL_REQ_ATTR_CHECK(info, RXE_CC_A_QP_ALGORITHM_SET)))
		return -EINVAL;
	mode = rcc_named_spray(spray, info->extack);
	if (mode < 0)
		return mode;
	dev = rcc_named_dev(info->attrs[RXE_CC_A_QP_DEV], info->extack);
	if (!dev)
		return -ENODEV;
	err = change_qp(dev, nla_get_u32(info->attrs[RXE_CC_A_QP_QPN]), alg ? nla_data(alg) : NULL, mode, info);
	put_device(&dev->dev);
	return err;
}
