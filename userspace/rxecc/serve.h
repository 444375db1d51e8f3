/* SPDX-License-Identifier: GPL-2.0 */
/* Answers scrapes: the part of rxecc export that needs no rights. */
#ifndef RXECC_SERVE_H
#define RXECC_SERVE_H

#include "metrics.h"

int serve_listen(const char *where);
void serve_url(int listener, char *url, size_t bytes);
void serve(struct exporter *x, int listener, int parent);

#endif /* RXECC_SERVE_H */
