/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rails: devices that lead into the same part of the fabric, such as the first one of every host.
 *
 * A file says which: lines "rail NAME PATTERN...", patterns of device names as a shell has them; the first one that fits counts.
 * What follows # is a comment. A device that fits none, and all without a file, are on the rail that is the number at the end of
 * their name (rxe3 on 3), or their name if it has none.
 */
#ifndef RXECC_RAILS_H
#define RXECC_RAILS_H

#include <stddef.h>

#include "../../bpf/telemetry.h"

/* read if no file is named and it is there */
#define RAILS_FILE	"/etc/rxecc/rails.conf"

#define RAIL_BYTES	64

struct rails;

struct rails *rails_open(const char *path);
void rails_find(const struct rails *rails, const char *dev, char *rail);
u64 rails_median(u64 *values, size_t n);

#endif /* RXECC_RAILS_H */
