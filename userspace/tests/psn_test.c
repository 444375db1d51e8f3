// SPDX-License-Identifier: GPL-2.0
/* PSN arithmetic against plain integers that do not wrap. */
#include "psn.h"
#include "test.h"

TEST("A PSN is ahead of, behind or equal to another across the wrap")
{
	EXPECT_EQ(rcc_psn_diff(0, 0), 0);
	EXPECT_EQ(rcc_psn_diff(1, 0), 1);
	EXPECT_EQ(rcc_psn_diff(0, 1), -1);
	EXPECT_EQ(rcc_psn_diff(0, 0xffffff), 1);
	EXPECT_EQ(rcc_psn_diff(0xffffff, 0), -1);
	EXPECT_EQ(rcc_psn_diff(5, 0xfffffb), 10);
	EXPECT_EQ(rcc_psn_diff(0x7fffff, 0), 8388607);
	EXPECT_EQ(rcc_psn_diff(0x800000, 0), -8388608);
	EXPECT_EQ(rcc_psn_diff(0, 0x800000), -8388608);
}

TEST("Adding to a PSN wraps at 2^24")
{
	EXPECT_EQ(rcc_psn_add(0xffffff, 1), 0);
	EXPECT_EQ(rcc_psn_add(0xfffffe, 5), 3);
	EXPECT_EQ(rcc_psn_add(7, 0), 7);
	EXPECT_EQ(rcc_psn_add(7, 1 << 24), 7);
}

TEST("The difference undoes the addition, for a million random pairs")
{
	uint64_t seed = 1;
	int i;

	for (i = 0; i < 1000000; i++) {
		int32_t step = (int32_t)(test_random(&seed) % (1 << 24)) - (1 << 23);
		uint32_t psn = test_random(&seed) % (1 << 24);
		int32_t there = ((int64_t)psn + step + (1 << 24)) % (1 << 24);

		EXPECT_EQ(rcc_psn_diff(there, psn), step);
		if (step >= 0)
			EXPECT_EQ(rcc_psn_add(psn, step), there);
	}
}
