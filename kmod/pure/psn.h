/* SPDX-License-Identifier: GPL-2.0 */
/* Packet sequence numbers: 24 bits that wrap (IBTA 9.7.2). */
#ifndef RCC_PSN_H
#define RCC_PSN_H

#include "shim.h"

#define RCC_PSN_MASK	0xffffffu

/**
 * rcc_psn_diff() - signed distance from @b to @a
 * @a: a PSN, 0..2^24-1
 * @b: another
 *
 * Return: how far @a is ahead of @b, -2^23..2^23-1: negative if @a is older.
 */
static inline s32 rcc_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

/**
 * rcc_psn_add() - the PSN @n packets after @psn
 * @psn: a PSN, 0..2^24-1
 * @n: packets
 *
 * Return: the sum, wrapped to 24 bits.
 */
static inline u32 rcc_psn_add(u32 psn, u32 n)
{
	return (psn + n) & RCC_PSN_MASK;
}

#endif /* RCC_PSN_H */
