// SPDX-License-Identifier: GPL-2.0
/* Values of parameters are changed by scale() only. */
#define BAD_EVENT	(v->v[0] = 0)
#include "bad.h"
