// SPDX-License-Identifier: GPL-2.0
/* The shim: byte order at any alignment, CRC-32, clamping. */
#include "shim.h"
#include "test.h"

TEST("Fields are read in the right byte order at every alignment")
{
	uint8_t buf[8];
	int i;

	for (i = 0; i < 4; i++) {
		memset(buf, 0xee, sizeof(buf));
		memcpy(buf + i, "\xfe\xdc\xba\x98", 4);
		EXPECT_EQ(rcc_get_be16(buf + i), 0xfedc);
		EXPECT_EQ(rcc_get_be24(buf + i), 0xfedcba);
		EXPECT_EQ(rcc_get_le32(buf + i), 0x98badcfe);
	}
}

TEST("Fields are written in the right byte order and nothing beside them is touched")
{
	uint8_t buf[6];

	memset(buf, 0xee, sizeof(buf));
	rcc_put_be16(buf + 1, 0x1234);
	EXPECT(!memcmp(buf, "\xee\x12\x34\xee\xee\xee", 6));
	rcc_put_be24(buf + 1, 0xff56789a);
	EXPECT(!memcmp(buf, "\xee\x56\x78\x9a\xee\xee", 6));
	rcc_put_le32(buf + 1, 0x89abcdef);
	EXPECT(!memcmp(buf, "\xee\xef\xcd\xab\x89\xee", 6));
}

/* one bit at a time, reflected polynomial of IEEE 802.3; no inversions, as the kernel's crc32_le() */
static uint32_t crc_bitwise(uint32_t crc, const uint8_t *p, size_t len)
{
	int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return crc;
}

TEST("CRC-32 is the kernel's: no inversion of the seed or of the result")
{
	static const uint8_t ones[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	uint64_t seed = 3;
	uint8_t buf[97];
	uint32_t i;

	EXPECT_EQ(~rcc_crc32_le(~0U, (const uint8_t *)"123456789", 9) & 0xffffffff, 0xcbf43926);
	EXPECT_EQ(rcc_crc32_le(~0U, ones, 8), 0xdebb20e3);
	for (i = 0; i < sizeof(buf); i++) {
		uint32_t start = test_random(&seed);

		buf[i] = test_random(&seed);
		EXPECT_EQ(rcc_crc32_le(start, buf, i), crc_bitwise(start, buf, i));
	}
}

TEST("Minimum, maximum and clamp hold at the ends of 64 bits")
{
	EXPECT_EQ(rcc_min64(~0ULL, 0), 0);
	EXPECT_EQ(rcc_max64(~0ULL, 0), ~0ULL);
	EXPECT_EQ(rcc_clamp64(5, 7, 9), 7);
	EXPECT_EQ(rcc_clamp64(~0ULL, 7, 9), 9);
	EXPECT_EQ(rcc_clamp64(8, 7, 9), 8);
	EXPECT_EQ(rcc_div64(~0ULL, 1ULL << 63), 1);
}
