// SPDX-License-Identifier: GPL-2.0
/* Runs the tests of all files that are linked with it. */
#define TEST_MAIN
#include "test.h"
