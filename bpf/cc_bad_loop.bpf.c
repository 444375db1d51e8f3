// SPDX-License-Identifier: GPL-2.0
/* A loop whose end nobody can prove holds a spinlock for ever. */
#define BAD_EVENT	do { state->words[1] += ev->bytes; } while (state->words[1])
#include "bad.h"
