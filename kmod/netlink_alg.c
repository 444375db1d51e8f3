// SPDX-License-Identifier: GPL-2.0
/* Netlink: algorithms, and the parameters that a device has for each. */
#include "netlink.h"

static enum rxe_cc_alg_kind kind_of(const struct rcc_slot *slot, const struct rcc_alg *alg)
{
	if (rcc_alg_find(alg->name, strlen(alg->name)) == alg)
		return RXE_CC_ALG_KIND_BUILTIN;
	return slot->owner ? RXE_CC_ALG_KIND_MODULE : RXE_CC_ALG_KIND_BPF;
}

static int put_alg(struct sk_buff *skb, struct rcc_slot *slot, const struct rcc_alg *alg)
{
	if (nla_put_string(skb, RXE_CC_A_ALG_NAME, alg->name) ||
	    nla_put_string(skb, RXE_CC_A_ALG_DOC, alg->doc ?: "") ||
	    nla_put_u8(skb, RXE_CC_A_ALG_KIND, kind_of(slot, alg)) ||
	    nla_put_u32(skb, RXE_CC_A_ALG_USERS, atomic_read(&slot->users)) ||
	    (alg->paces && nla_put_flag(skb, RXE_CC_A_ALG_PACES)) ||
	    nla_put_u32(skb, RXE_CC_A_ALG_EVENTS, alg->events))
		return -EMSGSIZE;
	return 0;
}

/*
 * RXE_CC_CMD_ALG_GET. cb->args[0]: the slot where the dump goes on. An algorithm that stands in one stays while RCU readers
 * are inside.
 */
int rcc_nl_alg_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rcc_answer a = rcc_answer_dump(skb, cb);
	int err = 0;

	for (; cb->args[0] < RCC_NALGS_MAX; cb->args[0]++) {
		struct rcc_slot *slot = &rcc_slots[cb->args[0]];
		const struct rcc_alg *alg;
		void *msg;

		rcu_read_lock();
		alg = rcc_slot_alg(slot);
		if (alg) {
			msg = rcc_answer_begin(&a, RXE_CC_CMD_ALG_GET);
			err = msg ? rcc_answer_end(&a, msg, put_alg(skb, slot, alg)) : -EMSGSIZE;
		}
		rcu_read_unlock();
		if (err)
			break;
	}
	return rcc_dumped(skb, err);
}

/* The index of the set that a name means, or negative. The caller holds dev->cfg, and the device has not gone. */
static int set_index(const char *name)
{
	struct rcc_slot *slot = rcc_slot_find(name, strlen(name));

	if (slot)
		return slot - rcc_slots;
	return strcmp(name, rcc_np.name) ? -ENOENT : RCC_NP;
}

static int put_profile_values(struct sk_buff *skb, const struct rcc_param *p)
{
	struct nlattr *nest;
	u32 i;

	for (i = 0; i < RCC_PROFILES_SET; i++) {
		nest = nla_nest_start(skb, RXE_CC_A_PARAM_PROFILE_VALUE);
		if (!nest ||
		    nla_put_string(skb, RXE_CC_A_PROFILE_VALUE_PROFILE, rcc_profile_names[i]) ||
		    nla_put_u64_64bit(skb, RXE_CC_A_PROFILE_VALUE_VALUE, p->value[i], RXE_CC_A_PROFILE_VALUE_PAD))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

/* The caller likewise. */
static int put_param(struct sk_buff *skb, const char *dev_name, const struct rcc_alg *alg,
		     const struct rcc_params *params, u32 index)
{
	const struct rcc_param *p = &alg->params[index];

	if (nla_put_string(skb, RXE_CC_A_PARAM_DEV, dev_name) ||
	    nla_put_string(skb, RXE_CC_A_PARAM_ALGORITHM, alg->name) ||
	    nla_put_string(skb, RXE_CC_A_PARAM_PROFILE, rcc_profile_names[params->profile]) ||
	    nla_put_string(skb, RXE_CC_A_PARAM_NAME, p->name) ||
	    nla_put_string(skb, RXE_CC_A_PARAM_UNIT, p->unit) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_PARAM_MIN_VALUE, p->min, RXE_CC_A_PARAM_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_PARAM_MAX_VALUE, p->max, RXE_CC_A_PARAM_PAD) ||
	    nla_put_u64_64bit(skb, RXE_CC_A_PARAM_VALUE, params->values.v[index], RXE_CC_A_PARAM_PAD) ||
	    put_profile_values(skb, p) ||
	    nla_put_string(skb, RXE_CC_A_PARAM_DOC, p->doc))
		return -EMSGSIZE;
	return 0;
}

/* All parameters of a set from where the dump stands. The caller likewise. */
static int dump_set(const struct rcc_answer *a, struct rcc_dev *dev, const char *name, const struct rcc_alg *alg,
		    long *at)
{
	const struct rcc_params *params = rcu_dereference_protected(dev->params[at[RCC_AT_MAJOR]],
								    lockdep_is_held(&dev->cfg));
	void *msg;
	int err;

	for (; at[RCC_AT_MINOR] < alg->nparams; at[RCC_AT_MINOR]++) {
		msg = rcc_answer_begin(a, RXE_CC_CMD_PARAM_GET);
		err = msg ? rcc_answer_end(a, msg, put_param(a->skb, name, alg, params, at[RCC_AT_MINOR])) : -EMSGSIZE;
		if (err)
			return err;
	}
	return 0;
}

/* The sets of a device, or with @only that one, from where the dump stands. The caller likewise. */
static int dump_sets(const struct rcc_answer *a, struct rcc_dev *dev, const char *name, int only, long *at)
{
	const struct rcc_alg *alg;
	int err;

	for (; at[RCC_AT_MAJOR] <= RCC_NP; at[RCC_AT_MAJOR]++, at[RCC_AT_MINOR] = 0) {
		alg = rcc_conf_alg(at[RCC_AT_MAJOR]);
		if (!alg || (only >= 0 && at[RCC_AT_MAJOR] != only))
			continue;
		err = dump_set(a, dev, name, alg, at);
		if (err)
			return err;
	}
	return 0;
}

static int dump_params(const struct rcc_answer *a, struct rcc_dev *dev, const struct nlattr *alg,
		       struct netlink_callback *cb)
{
	char name[RXE_CC_NAME_MAX_LEN + 1];
	int only = -1, err = 0;

	rcc_dev_name(dev, name, sizeof(name));
	mutex_lock(&dev->cfg);
	if (!rcc_conf_gone(dev)) {
		if (alg)
			only = set_index(nla_data(alg));
		err = alg && only < 0 ? rcc_no_alg(alg, cb->extack) : dump_sets(a, dev, name, only, cb->args);
	}
	mutex_unlock(&dev->cfg);
	return err;
}

/* RXE_CC_CMD_PARAM_GET */
int rcc_nl_param_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = rcc_genl_dump_attrs(cb);
	struct rcc_answer a = rcc_answer_dump(skb, cb);
	struct rcc_dev *dev;
	int err;

	err = rcc_dump_begins(attrs[RXE_CC_A_PARAM_DEV], cb);
	while (!err && (dev = rcc_dump_dev(cb->args))) {
		err = dump_params(&a, dev, attrs[RXE_CC_A_PARAM_ALGORITHM], cb);
		if (!err)
			rcc_dump_next(cb->args, dev->id + 1);
		put_device(&dev->dev);
	}
	return rcc_dumped(skb, err);
}

/* what a nest RXE_CC_A_PARAM_SETTING may carry */
const struct nla_policy rcc_nl_setting_policy[RXE_CC_A_SETTING_MAX + 1] = {
	[RXE_CC_A_SETTING_NAME] = { .type = NLA_NUL_STRING, .len = RXE_CC_NAME_MAX_LEN },
	[RXE_CC_A_SETTING_VALUE] = { .type = NLA_U64 },
};

/**
 * struct settings - what a request asks to set
 * @n: how many
 * @v: indices of parameters, and values
 * @attr: where the request names each parameter, by its index; NULL: it does not
 */
struct settings {
	u32 n;
	struct rcc_setting v[RCC_PARAMS_MAX];
	const struct nlattr *attr[RCC_PARAMS_MAX];
};

static int read_setting(const struct rcc_alg *alg, const struct nlattr *attr, struct settings *s,
			struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RXE_CC_A_SETTING_MAX + 1];
	const char *name;
	int err, index;

	err = nla_parse_nested(tb, RXE_CC_A_SETTING_MAX, attr, rcc_nl_setting_policy, extack);
	if (err)
		return err;
	NL_SET_BAD_ATTR(extack, attr);
	if (!tb[RXE_CC_A_SETTING_NAME] || !tb[RXE_CC_A_SETTING_VALUE]) {
		NL_SET_ERR_MSG(extack, "a setting needs a name and a value");
		return -EINVAL;
	}
	name = nla_data(tb[RXE_CC_A_SETTING_NAME]);
	index = rcc_param_find(alg, name, strlen(name));
	if (index < 0) {
		rcc_extack(extack, "no such parameter", "%s has no parameter %s", alg->name, name);
		return -ENOENT;
	}
	if (s->attr[index]) {
		rcc_extack(extack, "a parameter is named twice", "%s is named twice", name);
		return -EINVAL;
	}
	s->attr[index] = attr;
	s->v[s->n++] = (struct rcc_setting) { .param = index, .value = nla_get_u64(tb[RXE_CC_A_SETTING_VALUE]) };
	return 0;
}

static int read_settings(const struct rcc_alg *alg, struct genl_info *info, struct settings *s)
{
	const struct nlattr *attr;
	int rem, err;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != RXE_CC_A_PARAM_SETTING)
			continue;
		err = read_setting(alg, attr, s, info->extack);
		if (err)
			return err;
	}
	return 0;
}

static u64 wanted(const struct settings *s, u32 param)
{
	u32 i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].param == param)
			return s->v[i].value;
	return 0;
}

/* Say which parameter is at fault, and why. One that contradicts others need not have been named. */
static void blame(const struct rcc_alg *alg, const struct settings *s, u32 bad, int err,
		  struct netlink_ext_ack *extack)
{
	const struct rcc_param *p = &alg->params[bad];

	if (bad >= alg->nparams) {
		NL_SET_ERR_MSG(extack, "values contradict each other");
		return;
	}
	if (s->attr[bad])
		NL_SET_BAD_ATTR(extack, s->attr[bad]);
	if (err == -ERANGE)
		rcc_extack(extack, "value out of range", "%s takes %llu to %llu, not %llu", p->name, p->min, p->max,
			   wanted(s, bad));
	else
		rcc_extack(extack, "values contradict each other", "%s contradicts other parameters", p->name);
}

/* The caller holds dev->cfg. */
static int set_params(struct rcc_dev *dev, enum rcc_profile profile, struct genl_info *info)
{
	const struct nlattr *name = info->attrs[RXE_CC_A_PARAM_ALGORITHM];
	const struct rcc_alg *alg;
	struct settings s = {};
	int set, err;
	u32 bad;

	if (rcc_conf_gone(dev))
		return -ENODEV;
	set = set_index(nla_data(name));
	alg = set < 0 ? NULL : rcc_conf_alg(set);
	if (!alg)
		return rcc_no_alg(name, info->extack);
	err = read_settings(alg, info, &s);
	if (err)
		return err;
	err = rcc_conf_set_params(dev, set, profile, s.v, s.n, &bad);
	if (err == -ERANGE || err == -EINVAL)
		blame(alg, &s, bad, err, info->extack);
	return err;
}

/* RXE_CC_CMD_PARAM_SET */
int rcc_nl_param_set(struct sk_buff *skb, struct genl_info *info)
{
	struct rcc_dev *dev;
	int profile, err;

	if (GENL_REQ_ATTR_CHECK(info, RXE_CC_A_PARAM_DEV) || GENL_REQ_ATTR_CHECK(info, RXE_CC_A_PARAM_ALGORITHM))
		return -EINVAL;
	profile = rcc_named_profile(info->attrs[RXE_CC_A_PARAM_PROFILE], info->extack);
	if (profile < 0)
		return profile;
	dev = rcc_named_dev(info->attrs[RXE_CC_A_PARAM_DEV], info->extack);
	if (!dev)
		return -ENODEV;
	mutex_lock(&dev->cfg);
	err = set_params(dev, profile, info);
	mutex_unlock(&dev->cfg);
	put_device(&dev->dev);
	return err;
}
