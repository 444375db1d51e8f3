/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bits by sequence number: a ring of 64-bit words, of which number n has bit n % 64 of word n / 64 % words. The words are a
 * power of two, so that numbers may wrap at 2^32; whoever owns the ring clears what it leaves behind.
 */
#ifndef RCC_SEQBITS_H
#define RCC_SEQBITS_H

#include "shim.h"

/* Is @a before @b? */
static inline bool rcc_seq_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

static inline bool rcc_seqbit_test(const u64 *ring, u32 words, u32 seq)
{
	return ring[seq / 64 % words] >> seq % 64 & 1;
}

static inline void rcc_seqbit_set(u64 *ring, u32 words, u32 seq)
{
	ring[seq / 64 % words] |= 1ULL << seq % 64;
}

static inline void rcc_seqbit_clear(u64 *ring, u32 words, u32 seq)
{
	ring[seq / 64 % words] &= ~(1ULL << seq % 64);
}

/* The bits of @seq to @seq + 63, that of @seq lowest. */
static inline u64 rcc_seqbit_word(const u64 *ring, u32 words, u32 seq)
{
	u64 word = ring[seq / 64 % words] >> seq % 64;

	if (seq % 64)
		word |= ring[(seq / 64 + 1) % words] << (64 - seq % 64);
	return word;
}

#endif /* RCC_SEQBITS_H */
