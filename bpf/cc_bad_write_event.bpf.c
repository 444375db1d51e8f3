// SPDX-License-Identifier: GPL-2.0
/* An event is not the algorithm's to change. */
#define BAD_EVENT	(ev->now_ns = 0)
#include "bad.h"
