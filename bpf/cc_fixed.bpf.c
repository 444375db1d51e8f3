// SPDX-License-Identifier: GPL-2.0
/* fixed in BPF: the very file of the kernel module. */
#include "rcc_bpf.h"
#include "../kmod/cc/fixed.c"

RCC_BPF_ALG(fixed, FIXED_PARAMS);
