/* SPDX-License-Identifier: GPL-2.0 */
/* The built-in algorithms, and what can be done with their parameters. */
#ifndef RCC_ALGS_H
#define RCC_ALGS_H

#include "cc.h"

extern const struct rcc_alg rcc_alg_none;
extern const struct rcc_alg rcc_alg_dcqcn;
extern const struct rcc_alg rcc_alg_fixed;
extern const struct rcc_alg rcc_alg_rtt;
extern const struct rcc_alg rcc_alg_swift;
extern const struct rcc_alg rcc_alg_timely;

extern const struct rcc_alg *const rcc_algs[];
extern const u32 rcc_nalgs;
extern const char *const rcc_profile_names[];

const struct rcc_alg *rcc_alg_find(const char *name, size_t len);
const char *rcc_alg_fault(const struct rcc_alg *alg);
int rcc_profile_find(const char *name, size_t len);
int rcc_param_find(const struct rcc_alg *alg, const char *name, size_t len);
int rcc_param_set(const struct rcc_alg *alg, struct rcc_values *v, u32 index, u64 value);
void rcc_params_load(const struct rcc_alg *alg, enum rcc_profile profile, const struct rcc_path *path,
		     struct rcc_values *v);
int rcc_u64_parse(const char *s, size_t len, u64 *value);

#endif /* RCC_ALGS_H */
