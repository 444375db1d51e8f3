// SPDX-License-Identifier: GPL-2.0
/* Reading beyond it would tell kernel memory. */
#define BAD_EVENT	(d->cwnd_bytes = *(u64 *)((char *)state + sizeof(*state)))
#include "bad.h"
