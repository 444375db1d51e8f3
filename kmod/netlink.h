/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink family "rxe_cc", by noun: netlink_dev.c, netlink_qp.c, netlink_alg.c (algorithms and parameters), and what
 * they share: netlink.c.
 */
#ifndef RCC_NETLINK_H
#define RCC_NETLINK_H

#include <net/genetlink.h>

#include "compat.h"
#include "rcc.h"
#include "rxe_cc_netlink.h"

/**
 * struct rcc_answer - where a message goes
 * @skb: gets it
 * @portid: of whoever asked
 * @seq: of the request
 * @flags: NLM_F_MULTI in a dump
 */
struct rcc_answer {
	struct sk_buff *skb;
	u32 portid;
	u32 seq;
	int flags;
};

/*
 * Where a dump stands, in cb->args: the devices whose id is not below RCC_AT_DEV and not above RCC_AT_LAST are still to be
 * told.
 */
enum {
	RCC_AT_DEV,
	RCC_AT_LAST,	/* 0: the dump has not begun */
	RCC_AT_MAJOR,	/* of the first of them: bucket, or algorithm */
	RCC_AT_MINOR,	/* and in that: QP, or parameter */
};

/* Room for the reply to a request about one thing: a device has about 110 counters of 60 bytes, a QP 64 paths of 120. */
#define RCC_REPLY_BYTES	12288

/* netlink.c */
struct rcc_answer rcc_answer_dump(struct sk_buff *skb, struct netlink_callback *cb);
void *rcc_answer_begin(const struct rcc_answer *a, u8 cmd);
int rcc_answer_end(const struct rcc_answer *a, void *msg, int err);
int rcc_answer_one(struct genl_info *info, int (*fill)(const struct rcc_answer *a, const void *what), const void *what);
struct rcc_dev *rcc_named_dev(const struct nlattr *attr, struct netlink_ext_ack *extack);
int rcc_named_profile(const struct nlattr *attr, struct netlink_ext_ack *extack);
int rcc_named_spray(const struct nlattr *attr, struct netlink_ext_ack *extack);
int rcc_no_alg(const struct nlattr *attr, struct netlink_ext_ack *extack);
int rcc_dump_begins(const struct nlattr *name, struct netlink_callback *cb);
struct rcc_dev *rcc_dump_dev(long *at);
void rcc_dump_next(long *at, u64 dev_id);
int rcc_dumped(const struct sk_buff *skb, int err);

/* netlink_dev.c */
int rcc_nl_dev_get(struct sk_buff *skb, struct genl_info *info);
int rcc_nl_dev_dump_start(struct netlink_callback *cb);
int rcc_nl_dev_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rcc_nl_dev_set(struct sk_buff *skb, struct genl_info *info);

/* netlink_qp.c */
int rcc_nl_qp_get(struct sk_buff *skb, struct genl_info *info);
int rcc_nl_qp_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rcc_nl_qp_set(struct sk_buff *skb, struct genl_info *info);

/* netlink_alg.c */
extern const struct nla_policy rcc_nl_setting_policy[RXE_CC_A_SETTING_MAX + 1];
int rcc_nl_alg_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rcc_nl_param_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rcc_nl_param_set(struct sk_buff *skb, struct genl_info *info);

#endif /* RCC_NETLINK_H */
