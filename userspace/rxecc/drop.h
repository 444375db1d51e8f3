/* SPDX-License-Identifier: GPL-2.0 */
/* Gives up rights for good. */
#ifndef RXECC_DROP_H
#define RXECC_DROP_H

#include <stdint.h>

void drop_all(void);
void drop_to(uint64_t capabilities);

#endif /* RXECC_DROP_H */
