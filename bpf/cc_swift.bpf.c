// SPDX-License-Identifier: GPL-2.0
/* Swift in BPF: the very file of the kernel module. */
#include "rcc_bpf.h"
#include "../kmod/cc/swift.c"

RCC_BPF_ALG(swift, SWIFT_PARAMS);
