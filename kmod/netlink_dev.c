// SPDX-License-Identifier: GPL-2.0
/* Netlink: devices. */
#include "netlink.h"

static int put_counters(struct sk_buff *skb, const struct rcc_dev *dev)
{
	struct nlattr *nest;
	u32 i;

	for (i = 0; i < RCC_NCOUNTERS; i++) {
		nest = nla_nest_start(skb, RXE_CC_A_DEV_COUNTER);
		if (!nest ||
		    nla_put_string(skb, RXE_CC_A_COUNTER_NAME, rcc_counter_names[i]) ||
		    nla_put_u64_64bit(skb, RXE_CC_A_COUNTER_VALUE, rcc_stats_sum(dev->stats, i),
				      RXE_CC_A_COUNTER_PAD))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

/* The caller holds dev->cfg, and the device has not gone. */
static int put_dev(struct sk_buff *skb, const char *name, struct rcc_dev *dev)
{
	u64 base_rtt_ns = READ_ONCE(dev->base_rtt_ns);

	if (nla_put_string(skb, RXE_CC_A_DEV_NAME, name) ||
	    nla_put_string(skb, RXE_CC_A_DEV_ALGORITHM, rcc_conf_alg_name(dev)) ||
	    nla_put_string(skb, RXE_CC_A_DEV_PROFILE, rcc_profile_names[dev->profile]) ||
	    nla_put_u8(skb, RXE_CC_A_DEV_ECN, READ_ONCE(dev->ecn)) ||
	    nla_put_u32(skb, RXE_CC_A_DEV_LINE_RATE_MBPS, div_u64(dev->line_bps, RCC_BPS_PER_MBPS)) ||
	    nla_put_u32(skb, RXE_CC_A_DEV_QPS, READ_ONCE(dev->nqps)) ||
	    nla_put_u32(skb, RXE_CC_A_DEV_HELD_PACKETS, atomic_read(&dev->held) + atomic_read(&dev->read_held)) ||
	    nla_put_u8(skb, RXE_CC_A_DEV_LINK, READ_ONCE(dev->link)) ||
	    nla_put_string(skb, RXE_CC_A_DEV_SPRAY, rcc_spray_names[dev->spray]) ||
	    nla_put_u8(skb, RXE_CC_A_DEV_ENTROPIES, dev->entropies) ||
	    nla_put_u32(skb, RXE_CC_A_DEV_KEPT_PACKETS, atomic_read(&dev->link_kept)) ||
	    nla_put_u32(skb, RXE_CC_A_DEV_WAITING_PACKETS, atomic_read(&dev->link_held)))
		return -EMSGSIZE;
	if (base_rtt_ns && nla_put_u64_64bit(skb, RXE_CC_A_DEV_BASE_RTT_NS, base_rtt_ns, RXE_CC_A_DEV_PAD))
		return -EMSGSIZE;
	return put_counters(skb, dev);
}

/* A device that has just gone is -ENODEV. */
static int fill_dev(const struct rcc_answer *a, struct rcc_dev *dev)
{
	void *msg = rcc_answer_begin(a, RXE_CC_CMD_DEV_GET);
	char name[RXE_CC_NAME_MAX_LEN + 1];
	int err = -ENODEV;

	if (!msg)
		return -EMSGSIZE;
	rcc_dev_name(dev, name, sizeof(name));
	mutex_lock(&dev->cfg);
	if (!rcc_conf_gone(dev))
		err = put_dev(a->skb, name, dev);
	mutex_unlock(&dev->cfg);
	return rcc_answer_end(a, msg, err);
}

static int reply_dev(const struct rcc_answer *a, const void *dev)
{
	return fill_dev(a, (struct rcc_dev *)dev);
}

/* RXE_CC_CMD_DEV_GET about one device */
int rcc_nl_dev_get(struct sk_buff *skb, struct genl_info *info)
{
	struct rcc_dev *dev;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, RXE_CC_A_DEV_NAME))
		return -EINVAL;
	dev = rcc_named_dev(info->attrs[RXE_CC_A_DEV_NAME], info->extack);
	if (!dev)
		return -ENODEV;
	err = rcc_answer_one(info, reply_dev, dev);
	put_device(&dev->dev);
	return err;
}

/* Whoever asks for the first time gets buffers of a page, which a device with its counters does not fit. */
int rcc_nl_dev_dump_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = RCC_REPLY_BYTES;
	return 0;
}

/* RXE_CC_CMD_DEV_GET about all */
int rcc_nl_dev_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rcc_answer a = rcc_answer_dump(skb, cb);
	struct rcc_dev *dev;
	int err;

	err = rcc_dump_begins(rcc_genl_dump_attrs(cb)[RXE_CC_A_DEV_NAME], cb);
	while (!err && (dev = rcc_dump_dev(cb->args))) {
		err = fill_dev(&a, dev);
		if (err == -ENODEV)
			err = 0;
		if (!err)
			rcc_dump_next(cb->args, dev->id + 1);
		put_device(&dev->dev);
	}
	return rcc_dumped(skb, err);
}

static int change_dev(struct rcc_dev *dev, const struct rcc_change *change, struct genl_info *info)
{
	int err = -ENODEV;

	mutex_lock(&dev->cfg);
	if (!rcc_conf_gone(dev))
		err = rcc_conf_set(dev, change);
	mutex_unlock(&dev->cfg);
	return err == -ENOENT ? rcc_no_alg(info->attrs[RXE_CC_A_DEV_ALGORITHM], info->extack) : err;
}

/* What a request wants changed. Returns an error if it names what there is not. */
static int wanted_change(struct nlattr **attrs, struct rcc_change *change, struct netlink_ext_ack *extack)
{
	int profile = rcc_named_profile(attrs[RXE_CC_A_DEV_PROFILE], extack);
	int spray = rcc_named_spray(attrs[RXE_CC_A_DEV_SPRAY], extack);

	if (profile < 0 || spray < 0)
		return -ENOENT;
	if (spray == RCC_SPRAY_MODES && attrs[RXE_CC_A_DEV_SPRAY]) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[RXE_CC_A_DEV_SPRAY], "a device has no default to go back to");
		return -ENOENT;
	}
	*change = (struct rcc_change) { .profile = profile, .ecn = -1, .line_mbps = -1, .link = -1, .spray = -1 };
	if (attrs[RXE_CC_A_DEV_SPRAY])
		change->spray = spray;
	if (attrs[RXE_CC_A_DEV_ALGORITHM])
		change->alg = nla_data(attrs[RXE_CC_A_DEV_ALGORITHM]);
	if (attrs[RXE_CC_A_DEV_ECN])
		change->ecn = nla_get_u8(attrs[RXE_CC_A_DEV_ECN]);
	if (attrs[RXE_CC_A_DEV_LINE_RATE_MBPS])
		change->line_mbps = nla_get_u32(attrs[RXE_CC_A_DEV_LINE_RATE_MBPS]);
	if (attrs[RXE_CC_A_DEV_LINK])
		change->link = nla_get_u8(attrs[RXE_CC_A_DEV_LINK]);
	if (attrs[RXE_CC_A_DEV_ENTROPIES])
		change->entropies = nla_get_u8(attrs[RXE_CC_A_DEV_ENTROPIES]);
	return 0;
}

/* RXE_CC_CMD_DEV_SET */
int rcc_nl_dev_set(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct rcc_change change;
	struct rcc_dev *dev;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, RXE_CC_A_DEV_NAME))
		return -EINVAL;
	err = wanted_change(attrs, &change, info->extack);
	if (err)
		return err;
	dev = rcc_named_dev(attrs[RXE_CC_A_DEV_NAME], info->extack);
	if (!dev)
		return -ENODEV;
	err = change_dev(dev, &change, info);
	put_device(&dev->dev);
	return err;
}
