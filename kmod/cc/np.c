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

static const struct rcc_param np_params[] = { NP_PARAMS(RCC_PARAM_DESC) };

const struct rcc_alg rcc_np = {
	.name = "np",
	.doc = "notification point: answers CE with CNPs",
	.nparams = RCC_NPARAMS(np),
	.params = np_params,
};
