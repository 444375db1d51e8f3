/* SPDX-License-Identifier: GPL-2.0 */
/* Parameters of the notification point; see np.c. */
#ifndef RCC_NP_H
#define RCC_NP_H

#include "cc.h"

/* name, unit, min, max, auto, cx, paper, doc */
#define NP_PARAMS(p)								\
	p(np_min_time_between_cnps, "us", 0, 4095, 50, 4, 50,			\
	  "least time between two CNPs for one QP")				\
	p(np_cnp_dscp, "", 0, 63, 48, 48, 48,					\
	  "DSCP of CNPs")							\
	p(np_cnp_prio_mode, "", 0, 1, 1, 1, 1,					\
	  "1: CNPs get priority np_cnp_prio; 0: priority 0")			\
	p(np_cnp_prio, "", 0, 7, 6, 6, 6,					\
	  "IEEE 802.1p priority of CNPs (skb->priority)")

RCC_PARAMS_DEFINE(np, NP_PARAMS);

extern const struct rcc_alg rcc_np;

#endif /* RCC_NP_H */
