/* SPDX-License-Identifier: GPL-2.0 */
/* Reads golden/golden.txt. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include "wire.h"

enum golden_field {
	GOLDEN_VERSION, GOLDEN_BYTES, GOLDEN_OPCODE, GOLDEN_ECN, GOLDEN_SPORT, GOLDEN_DQPN, GOLDEN_PSN, GOLDEN_ACKREQ,
	GOLDEN_BECN, GOLDEN_SYNDROME, GOLDEN_SQPN, GOLDEN_DSCP, GOLDEN_TTL, GOLDEN_FIELDS
};

/**
 * struct golden - one vector
 * @name: what it is
 * @raw: the packet, on the heap and not a byte longer than @len, so that the sanitizer sees a read past its end
 * @len: its bytes
 * @result: what the parser must say
 * @class: RCC_OC_*
 * @cnp: made by the same rules as rcc_wire_build_cnp()
 * @field: by enum golden_field; -1 = not given
 */
struct golden {
	char name[64];
	u8 *raw;
	u32 len;
	enum rcc_wire_err result;
	u16 class;
	bool cnp;
	long field[GOLDEN_FIELDS];
};

const struct golden *golden_load(u32 *count);

#endif /* GOLDEN_H */
