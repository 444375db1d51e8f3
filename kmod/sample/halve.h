/* SPDX-License-Identifier: GPL-2.0 */
/* The sample's algorithm, for the module that offers it. */
#ifndef RCC_SAMPLE_HALVE_H
#define RCC_SAMPLE_HALVE_H

#include "cc.h"

extern const struct rcc_alg rcc_alg_halve;

#endif /* RCC_SAMPLE_HALVE_H */
