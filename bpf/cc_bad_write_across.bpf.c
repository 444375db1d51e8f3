// SPDX-License-Identifier: GPL-2.0
/* A write across its end is one beyond it. */
#define BAD_EVENT	(*(u64 *)((char *)state + sizeof(*state) - 4) = 0)
#include "bad.h"
