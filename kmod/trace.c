// SPDX-License-Identifier: GPL-2.0
/* The tracepoints' bodies: this file makes what trace.h declares. */
#include "rcc.h"

#define CREATE_TRACE_POINTS
#include "trace.h"
