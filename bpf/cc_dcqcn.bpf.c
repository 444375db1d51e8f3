// SPDX-License-Identifier: GPL-2.0
/* DCQCN in BPF: the very file of the kernel module. */
#include "rcc_bpf.h"
#include "../kmod/cc/dcqcn.c"

RCC_BPF_ALG(dcqcn, DCQCN_PARAMS);
