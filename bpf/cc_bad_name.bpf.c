// SPDX-License-Identifier: GPL-2.0
/* Names are file names and words of a list. */
#define BAD_NAME		"Not a/name"
#include "bad.h"
