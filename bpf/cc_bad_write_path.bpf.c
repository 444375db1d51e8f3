// SPDX-License-Identifier: GPL-2.0
/* Nor is the path. */
#define BAD_INIT	(path->line_bps = 0)
#include "bad.h"
