// SPDX-License-Identifier: GPL-2.0
/* There is one of that name already. */
#define BAD_NAME		"dcqcn"
#include "bad.h"
