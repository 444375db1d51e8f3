// SPDX-License-Identifier: GPL-2.0
/* TIMELY in BPF: the very file of the kernel module. */
#include "rcc_bpf.h"
#include "../kmod/cc/timely.c"

RCC_BPF_ALG(timely, TIMELY_PARAMS);
