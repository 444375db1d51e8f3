// SPDX-License-Identifier: GPL-2.0
/* An algorithm must hear of events. */
#define BAD_EVENT_PROG	NULL
#include "bad.h"
