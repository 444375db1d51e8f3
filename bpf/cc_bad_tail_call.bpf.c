// SPDX-License-Identifier: GPL-2.0
/* A tail call would hand these arguments to a program that expects others. */
#define BAD_EVENT	bpf_tail_call(ctx, &progs, 0)
#include "bad.h"
