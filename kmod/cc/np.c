// SPDX-License-Identifier: GPL-2.0
/*
 * The notification point: how the receiver answers CE, whatever algorithm the sender runs.
 *
 *	CE on a packet of a known QP -> one CNP to its sender, at most one per np_min_time_between_cnps and QP
 *
 * Only parameters stand here; they have the shape of an algorithm's so that the same code reads, checks and shows them.
 */
#include "algs.h"
#include "np.h"

static const struct rcc_param np_params[] = {
	{ "np_min_time_between_cnps", "us", 0, 4095, { 50, 4, 50 },
	  "least time between two CNPs for one QP" },
	{ "np_cnp_dscp", "", 0, 63, { 48, 48, 48 },
	  "DSCP of CNPs" },
	{ "np_cnp_prio_mode", "", 0, 1, { 1, 1, 1 },
	  "1: CNPs get priority np_cnp_prio; 0: priority 0" },
	{ "np_cnp_prio", "", 0, 7, { 6, 6, 6 },
	  "IEEE 802.1p priority of CNPs (skb->priority)" },
};

_Static_assert(sizeof(np_params) / sizeof(np_params[0]) * sizeof(u64) == sizeof(struct rcc_np_params),
	       "struct rcc_np_params and its descriptors differ");

const struct rcc_alg rcc_np = {
	.name = "np",
	.doc = "notification point: answers CE with CNPs",
	.nparams = sizeof(np_params) / sizeof(np_params[0]),
	.params = np_params,
};
