/* SPDX-License-Identifier: GPL-2.0 */
/* What the harnesses share: a reader of the input, and a check that stops the fuzzer. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include "shim.h"

#define MUST(cond)								\
	do {									\
		if (!(cond)) {							\
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);	\
			abort();						\
		}								\
	} while (0)

struct input {
	const u8 *data;
	size_t left;
};

/* The next @bytes of the input as a number; zeros when it has come to its end. */
static inline u64 input_number(struct input *in, u32 bytes)
{
	u64 v = 0;

	for (; bytes && in->left; bytes--, in->left--)
		v = v << 8 | *in->data++;
	return v;
}

#endif /* FUZZ_H */
