// SPDX-License-Identifier: GPL-2.0
/* The state ends after RCC_STATE_BYTES, and what comes behind it is the kernel's. */
#define BAD_EVENT	(*(u64 *)((char *)state + sizeof(*state)) = 0)
#include "bad.h"
