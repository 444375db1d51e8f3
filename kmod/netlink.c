// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink family "rxe_cc": see Documentation/netlink/specs/rxe_cc.yaml.
 *
 * A request is checked whole before anything changes. Devices are found with a reference, and dev->cfg is held while one is
 * looked at or changed; no lock is held from one message of a dump to the next. A dump goes on behind what it said last, by
 * a device's id, a bucket and a QP's number, so what stays while it runs is told exactly once.
 */
#include "netlink.h"

static struct genl_family family;

/**
 * rcc_answer_dump() - where the messages of a dump go
 * @skb: gets them
 * @cb: the dump
 *
 * Return: what to begin messages with.
 */
struct rcc_answer rcc_answer_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return (struct rcc_answer) {
		.skb = skb,
		.portid = NETLINK_CB(cb->skb).portid,
		.seq = cb->nlh->nlmsg_seq,
		.flags = NLM_F_MULTI,
	};
}

/**
 * rcc_answer_begin() - begin a message
 * @a: where it goes
 * @cmd: enum of commands
 *
 * Return: the message for rcc_answer_end(), or NULL if there is no room.
 */
void *rcc_answer_begin(const struct rcc_answer *a, u8 cmd)
{
	return genlmsg_put(a->skb, a->portid, a->seq, &family, a->flags, cmd);
}

/**
 * rcc_answer_end() - complete a message, or take it back
 * @a: where it goes
 * @msg: of rcc_answer_begin()
 * @err: not 0: take it back
 *
 * Return: @err.
 */
int rcc_answer_end(const struct rcc_answer *a, void *msg, int err)
{
	if (err)
		genlmsg_cancel(a->skb, msg);
	else
		genlmsg_end(a->skb, msg);
	return err;
}

/**
 * rcc_answer_one() - answer a request about one thing
 * @info: the request
 * @fill: makes the message; returns 0 or an error
 * @what: what it is told
 *
 * Return: 0 or an error.
 */
int rcc_answer_one(struct genl_info *info, int (*fill)(const struct rcc_answer *a, const void *what), const void *what)
{
	struct rcc_answer a = { .portid = info->snd_portid, .seq = info->snd_seq };
	int err;

	a.skb = genlmsg_new(RCC_REPLY_BYTES, GFP_KERNEL);
	if (!a.skb)
		return -ENOMEM;
	err = fill(&a, what);
	if (err) {
		nlmsg_free(a.skb);
		return err;
	}
	return genlmsg_reply(a.skb, info);
}

/**
 * rcc_named_dev() - the device that a request names
 * @attr: where it does
 * @extack: told if there is none
 *
 * Return: the device with a reference, or NULL.
 */
struct rcc_dev *rcc_named_dev(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	struct rcc_dev *dev = rcc_dev_get(nla_data(attr));

	if (!dev) {
		NL_SET_BAD_ATTR(extack, attr);
		rcc_extack(extack, "no such rxe device", "no rxe device %s", (char *)nla_data(attr));
	}
	return dev;
}

/**
 * rcc_no_alg() - a request names an algorithm that there is not
 * @attr: where it does
 * @extack: told so
 *
 * Return: -ENOENT.
 */
int rcc_no_alg(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	NL_SET_BAD_ATTR(extack, attr);
	rcc_extack(extack, "no such algorithm", "no algorithm %s", (char *)nla_data(attr));
	return -ENOENT;
}

/**
 * rcc_named_profile() - the profile that a request names
 * @attr: where it does, or NULL
 * @extack: told if there is no such profile
 *
 * Return: the profile; RCC_PROFILE_CUSTOM if @attr is NULL; -ENOENT.
 */
int rcc_named_profile(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	int profile = attr ? rcc_profile_find(nla_data(attr), strlen(nla_data(attr))) : RCC_PROFILE_CUSTOM;

	if (profile >= 0)
		return profile;
	NL_SET_BAD_ATTR(extack, attr);
	NL_SET_ERR_MSG(extack, "profiles are auto, cx and paper");
	return -ENOENT;
}

/**
 * rcc_named_spray() - the spray mode that a request names
 * @attr: where it does, or NULL
 * @extack: told if there is no such mode
 *
 * Return: enum rcc_spray_mode; RCC_SPRAY_MODES if @attr is NULL or names none; -ENOENT.
 */
int rcc_named_spray(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	const char *name = attr ? nla_data(attr) : "";
	int mode = *name ? rcc_spray_find(name, strlen(name)) : RCC_SPRAY_MODES;

	if (mode >= 0)
		return mode;
	NL_SET_BAD_ATTR(extack, attr);
	NL_SET_ERR_MSG(extack, "spray modes are none, rr, random, reps and adaptive");
	return -ENOENT;
}

/**
 * rcc_dump_next() - a dump goes on with a device from its beginning
 * @at: where it stands
 * @dev_id: least id of the device
 */
void rcc_dump_next(long *at, u64 dev_id)
{
	at[RCC_AT_DEV] = dev_id;
	at[RCC_AT_MAJOR] = 0;
	at[RCC_AT_MINOR] = 0;
}

/**
 * rcc_dump_dev() - where a dump goes on
 * @at: where it stands
 *
 * Return: the device with a reference, or NULL: the dump is over.
 */
struct rcc_dev *rcc_dump_dev(long *at)
{
	struct rcc_dev *dev = rcc_dev_get_from(at[RCC_AT_DEV]);

	if (!dev)
		return NULL;
	if (dev->id > at[RCC_AT_LAST]) {
		put_device(&dev->dev);
		return NULL;
	}
	if (dev->id != at[RCC_AT_DEV])
		rcc_dump_next(at, dev->id);
	return dev;
}

/**
 * rcc_dump_begins() - what is a dump about?
 * @name: of the only device; NULL: all
 * @cb: the dump, perhaps on its way already
 *
 * Return: 0 or -ENODEV.
 */
int rcc_dump_begins(const struct nlattr *name, struct netlink_callback *cb)
{
	struct rcc_dev *dev;

	if (cb->args[RCC_AT_LAST])
		return 0;
	cb->args[RCC_AT_LAST] = LONG_MAX;
	if (!name)
		return 0;
	dev = rcc_named_dev(name, cb->extack);
	if (!dev)
		return -ENODEV;
	cb->args[RCC_AT_DEV] = dev->id;
	cb->args[RCC_AT_LAST] = dev->id;
	put_device(&dev->dev);
	return 0;
}

/**
 * rcc_dumped() - end of a dump's turn
 * @skb: what it has filled so far
 * @err: why it ended; 0: there is nothing more
 *
 * Return: what the dump returns: a length while it has something to say.
 */
int rcc_dumped(const struct sk_buff *skb, int err)
{
	return skb->len ? skb->len : err;
}

/* What each request may carry: anything else is refused. */

#define NAME_POLICY	{ .type = NLA_NUL_STRING, .len = RXE_CC_NAME_MAX_LEN }

static struct netlink_range_validation line_rate_range = { .max = RXE_CC_LINE_RATE_MAX_MBPS };
static struct netlink_range_validation qpn_range = { .max = RXE_CC_QPN_MAX };

static const struct nla_policy dev_get_policy[] = {
	[RXE_CC_A_DEV_NAME] = NAME_POLICY,
};

static const struct nla_policy dev_set_policy[] = {
	[RXE_CC_A_DEV_NAME] = NAME_POLICY,
	[RXE_CC_A_DEV_ALGORITHM] = NAME_POLICY,
	[RXE_CC_A_DEV_PROFILE] = NAME_POLICY,
	[RXE_CC_A_DEV_ECN] = NLA_POLICY_MAX(NLA_U8, 1),
	[RXE_CC_A_DEV_LINE_RATE_MBPS] = NLA_POLICY_FULL_RANGE(NLA_U32, &line_rate_range),
	[RXE_CC_A_DEV_LINK] = NLA_POLICY_MAX(NLA_U8, 1),
	[RXE_CC_A_DEV_SPRAY] = NAME_POLICY,
	[RXE_CC_A_DEV_ENTROPIES] = NLA_POLICY_RANGE(NLA_U8, 1, RXE_CC_ENTROPIES_MAX),
};

static const struct nla_policy qp_get_policy[] = {
	[RXE_CC_A_QP_DEV] = NAME_POLICY,
	[RXE_CC_A_QP_QPN] = NLA_POLICY_FULL_RANGE(NLA_U32, &qpn_range),
	[RXE_CC_A_QP_WANT_PATHS] = { .type = NLA_FLAG },
};

static const struct nla_policy qp_set_policy[] = {
	[RXE_CC_A_QP_DEV] = NAME_POLICY,
	[RXE_CC_A_QP_QPN] = NLA_POLICY_FULL_RANGE(NLA_U32, &qpn_range),
	[RXE_CC_A_QP_ALGORITHM_SET] = NAME_POLICY,
	[RXE_CC_A_QP_SPRAY_SET] = NAME_POLICY,
};

static const struct nla_policy param_get_policy[] = {
	[RXE_CC_A_PARAM_DEV] = NAME_POLICY,
	[RXE_CC_A_PARAM_ALGORITHM] = NAME_POLICY,
};

static const struct nla_policy param_set_policy[] = {
	[RXE_CC_A_PARAM_DEV] = NAME_POLICY,
	[RXE_CC_A_PARAM_ALGORITHM] = NAME_POLICY,
	[RXE_CC_A_PARAM_PROFILE] = NAME_POLICY,
	[RXE_CC_A_PARAM_SETTING] = NLA_POLICY_NESTED(rcc_nl_setting_policy),
};

#define POLICY(p)	.policy = p, .maxattr = ARRAY_SIZE(p) - 1

static const struct genl_ops ops[] = {
	{ .cmd = RXE_CC_CMD_DEV_GET, .doit = rcc_nl_dev_get, .start = rcc_nl_dev_dump_start, .dumpit = rcc_nl_dev_dump,
	  POLICY(dev_get_policy) },
	{ .cmd = RXE_CC_CMD_DEV_SET, .doit = rcc_nl_dev_set, .flags = GENL_ADMIN_PERM, POLICY(dev_set_policy) },
	{ .cmd = RXE_CC_CMD_QP_GET, .doit = rcc_nl_qp_get, .dumpit = rcc_nl_qp_dump, POLICY(qp_get_policy) },
	{ .cmd = RXE_CC_CMD_QP_SET, .doit = rcc_nl_qp_set, .flags = GENL_ADMIN_PERM, POLICY(qp_set_policy) },
	{ .cmd = RXE_CC_CMD_ALG_GET, .dumpit = rcc_nl_alg_dump },
	{ .cmd = RXE_CC_CMD_PARAM_GET, .dumpit = rcc_nl_param_dump, POLICY(param_get_policy) },
	{ .cmd = RXE_CC_CMD_PARAM_SET, .doit = rcc_nl_param_set, .flags = GENL_ADMIN_PERM, POLICY(param_set_policy) },
};

static struct genl_family family __ro_after_init = {
	.name = RXE_CC_FAMILY_NAME,
	.version = RXE_CC_FAMILY_VERSION,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
};

/**
 * rcc_netlink_init() - offer the family
 *
 * Return: 0 or an error.
 */
int __init rcc_netlink_init(void)
{
	BUILD_BUG_ON(RXE_CC_LINE_RATE_MAX_MBPS != RCC_LINE_MAX_MBPS);
	BUILD_BUG_ON(RXE_CC_ENTROPIES_MAX != RCC_PATHS_MAX);
	BUILD_BUG_ON(RXE_CC_NAME_MAX_LEN + 1 < RCC_NAME_BYTES);
	BUILD_BUG_ON(RXE_CC_NAME_MAX_LEN + 1 < IB_DEVICE_NAME_MAX);
	BUILD_BUG_ON(RXE_CC_EVENT_TX != RCC_WANT(RCC_EV_TX) || RXE_CC_EVENT_TIMER != RCC_WANT(RCC_EV_TIMER));
	BUILD_BUG_ON((int)RXE_CC_QP_TYPE_RC != (int)IB_QPT_RC || (int)RXE_CC_QP_TYPE_UD != (int)IB_QPT_UD);
	return genl_register_family(&family);
}

/**
 * rcc_netlink_exit() - withdraw it; on return no request is inside any more
 */
void rcc_netlink_exit(void)
{
	genl_unregister_family(&family);
}
