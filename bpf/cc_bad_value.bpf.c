// SPDX-License-Identifier: GPL-2.0
/* A profile's value must lie in its parameter's range. */
#define BAD_MAX		4
#include "bad.h"
