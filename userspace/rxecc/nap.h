/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting, until a signal says that it is enough. */
#ifndef RXECC_NAP_H
#define RXECC_NAP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

const sigset_t *nap_signals(void);
bool nap(uint64_t ns);

#endif /* RXECC_NAP_H */
