/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only door of pure/ and cc/ to the outside: integer types, 64-bit division, byte order, CRC-32.
 *
 * The same sources are built for the kernel, as BPF (where vmlinux.h comes first), and for user space (unit tests,
 * fuzzers, benchmarks, the simulator). Whatever they need beyond plain C comes from here and nowhere else.
 */
#ifndef RCC_SHIM_H
#define RCC_SHIM_H

#if defined(__KERNEL__)

#include <linux/crc32.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/types.h>

#define rcc_div64(a, b)		div64_u64(a, b)
#define rcc_crc32_le(seed, p, len)	crc32_le(seed, p, len)

#elif defined(__bpf__)

/* The same types as in vmlinux.h, which may come first. */
#ifndef __VMLINUX_H__
typedef _Bool bool;
enum { false, true };
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef int s32;
typedef long long s64;
typedef unsigned long size_t;
#endif
#ifndef NULL
#define NULL			((void *)0)
#endif
#ifndef offsetof
#define offsetof(type, member)	__builtin_offsetof(type, member)
#endif

#define rcc_div64(a, b)		((u64)(a) / (u64)(b))

#else /* user space */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define rcc_div64(a, b)		((u64)(a) / (u64)(b))

/* the kernel's crc32_le() leaves out the inversions before and after, zlib's crc32() does both */
static inline u32 rcc_crc32_le(u32 seed, const u8 *p, size_t len)
{
	return ~(u32)crc32(~seed, p, len);
}

#endif

#define RCC_NSEC_PER_SEC	1000000000ULL
#define RCC_NSEC_PER_USEC	1000ULL
#define RCC_BPS_PER_MBPS	1000000ULL

static inline u64 rcc_min64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 rcc_max64(u64 a, u64 b)
{
	return a > b ? a : b;
}

static inline u64 rcc_clamp64(u64 v, u64 lo, u64 hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

/* Big-endian fields at any alignment: packet bytes are read and written through these only. */
static inline u32 rcc_get_be16(const u8 *p)
{
	return (u32)p[0] << 8 | p[1];
}

static inline u32 rcc_get_be24(const u8 *p)
{
	return (u32)p[0] << 16 | (u32)p[1] << 8 | p[2];
}

static inline u32 rcc_get_be32(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

static inline u32 rcc_get_le32(const u8 *p)
{
	return (u32)p[3] << 24 | (u32)p[2] << 16 | (u32)p[1] << 8 | p[0];
}

static inline void rcc_put_be16(u8 *p, u32 v)
{
	p[0] = (v >> 8) & 0xff;
	p[1] = v & 0xff;
}

static inline void rcc_put_be24(u8 *p, u32 v)
{
	p[0] = (v >> 16) & 0xff;
	rcc_put_be16(p + 1, v);
}

static inline void rcc_put_be32(u8 *p, u32 v)
{
	rcc_put_be16(p, v >> 16);
	rcc_put_be16(p + 2, v);
}

static inline u64 rcc_get_be64(const u8 *p)
{
	return (u64)rcc_get_be32(p) << 32 | rcc_get_be32(p + 4);
}

static inline void rcc_put_be64(u8 *p, u64 v)
{
	rcc_put_be32(p, v >> 32);
	rcc_put_be32(p + 4, v);
}

static inline void rcc_put_le32(u8 *p, u32 v)
{
	p[0] = v & 0xff;
	p[1] = (v >> 8) & 0xff;
	p[2] = (v >> 16) & 0xff;
	p[3] = (v >> 24) & 0xff;
}

#endif /* RCC_SHIM_H */
