/* SPDX-License-Identifier: GPL-2.0 */
/* Parameters of the notification point; see np.c. */
#ifndef RCC_NP_H
#define RCC_NP_H

#include "cc.h"

/**
 * struct rcc_np_params - values in the order of the descriptors
 * @min_time_between_cnps: us
 * @cnp_dscp: 0..63
 * @cnp_prio_mode: flag
 * @cnp_prio: 0..7
 */
struct rcc_np_params {
	u64 min_time_between_cnps;
	u64 cnp_dscp;
	u64 cnp_prio_mode;
	u64 cnp_prio;
};

extern const struct rcc_alg rcc_np;

#endif /* RCC_NP_H */
