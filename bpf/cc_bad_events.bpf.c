// SPDX-License-Identifier: GPL-2.0
/* There is no event of that number. */
#define BAD_MASK		(1 << 31)
#include "bad.h"
