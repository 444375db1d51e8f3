/* SPDX-License-Identifier: GPL-2.0 */
/* What other modules may use of rxe_cc.ko: an algorithm of theirs beside the built-in ones. */
#ifndef RXE_CC_H
#define RXE_CC_H

#include <linux/module.h>

#include "cc/cc.h"

int rcc_alg_add(const struct rcc_alg *alg, struct module *owner);
void rcc_alg_del(const struct rcc_alg *alg);
int rcc_alg_replace(const struct rcc_alg *old, const struct rcc_alg *alg);

#endif /* RXE_CC_H */
