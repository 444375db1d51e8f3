// SPDX-License-Identifier: GPL-2.0
/*
 * A module that brings an algorithm of its own to rxe_cc: copy this directory, and write your algorithm in halve.c's place.
 * Documentation/cc-authors.rst goes through it step by step.
 *
 * While a QP or a device uses the algorithm, this module cannot be unloaded: rxe_cc holds it for each of them.
 */
#include <linux/module.h>

#include "rxe_cc.h"
#include "halve.h"

/* From here on the algorithm stands in available_algorithms of every device, those to come included. */
static int __init rcc_sample_init(void)
{
	return rcc_alg_add(&rcc_alg_halve, THIS_MODULE);
}

/* Nobody uses it any more, and nobody finds it when this returns. */
static void __exit rcc_sample_exit(void)
{
	rcc_alg_del(&rcc_alg_halve);
}

module_init(rcc_sample_init);
module_exit(rcc_sample_exit);

MODULE_DESCRIPTION("Sample congestion control algorithm for rxe_cc");
MODULE_AUTHOR("rxe-cc developers");
MODULE_LICENSE("GPL");
