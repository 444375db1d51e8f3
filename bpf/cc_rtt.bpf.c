// SPDX-License-Identifier: GPL-2.0
/* rtt in BPF: the very file of the kernel module. */
#include "rcc_bpf.h"
#include "../kmod/cc/rtt.c"

RCC_BPF_ALG(rtt, RTT_PARAMS);
