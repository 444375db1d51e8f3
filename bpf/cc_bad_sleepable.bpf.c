// SPDX-License-Identifier: GPL-2.0
/* Events come in softirq, under a lock: a program for them cannot sleep. */
#define BAD_EVENT_SEC	"?struct_ops.s"
#include "bad.h"
