/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RXECC_TOP_SCREEN_H
#define RXECC_TOP_SCREEN_H

#include "top_model.h"

void top_screen(struct top *t, u64 interval_ms);

#endif /* RXECC_TOP_SCREEN_H */
