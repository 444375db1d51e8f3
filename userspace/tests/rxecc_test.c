// SPDX-License-Identifier: GPL-2.0
/* Words of rxecc's command line. */
#include <string.h>

#include "parse.h"
#include "test.h"

#define LONGEST	"0123456789012345678901234567890123456789012345678901234567890123"

TEST("A number is digits, up to 2^64 - 1, and nothing else")
{
	static const char *const bad[] = {
		"", "-1", "+1", " 1", "1 ", "1.0", "0x10", "1e3", "1\n", "18446744073709551616", "99999999999999999999",
	};
	uint64_t value = 7;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(parse_number(bad[i], &value) && value == 7);
	EXPECT(!parse_number("0", &value) && value == 0);
	EXPECT(!parse_number("007", &value) && value == 7);
	EXPECT(!parse_number("18446744073709551615", &value) && value == UINT64_MAX);
}

TEST("A switch is on or off, 1 or 0, and nothing else")
{
	bool on;

	EXPECT(!parse_switch("on", &on) && on);
	EXPECT(!parse_switch("off", &on) && !on);
	EXPECT(!parse_switch("1", &on) && on);
	EXPECT(!parse_switch("0", &on) && !on);
	EXPECT(parse_switch("On", &on) && parse_switch("", &on) && parse_switch("2", &on) && parse_switch("on ", &on));
}

TEST("A target is a device, or a device and a QP of 24 bits")
{
	struct target t;

	EXPECT(!parse_target("rxe0", &t) && !strcmp(t.dev, "rxe0") && !t.has_qpn);
	EXPECT(!parse_target("rxe0/17", &t) && !strcmp(t.dev, "rxe0") && t.has_qpn && t.qpn == 17);
	EXPECT(!parse_target("a/16777215", &t) && t.qpn == 16777215);
	EXPECT(parse_target("a/16777216", &t));
	EXPECT(parse_target("a/4294967313", &t));
	EXPECT(parse_target("", &t) && parse_target("/17", &t) && parse_target("rxe0/", &t));
	EXPECT(parse_target("rxe0/x", &t) && parse_target("rxe0/1/2", &t) && parse_target("rxe0/-1", &t));
}

TEST("A name has room for 63 characters, and a longer one is refused")
{
	const char *longest = LONGEST + 1;
	struct setting s;
	struct target t;

	EXPECT(!parse_target(longest, &t) && !strcmp(t.dev, longest));
	EXPECT(parse_target(LONGEST, &t));
	EXPECT(parse_target(LONGEST "/17", &t));
	EXPECT(parse_setting(LONGEST "=1", &s));
}

TEST("A setting is a name, an equals sign and a number")
{
	struct setting s;

	EXPECT(!parse_setting("rp_ai_rate=40", &s) && !strcmp(s.name, "rp_ai_rate") && s.value == 40);
	EXPECT(parse_setting("rp_ai_rate", &s) && parse_setting("=40", &s) && parse_setting("rp_ai_rate=", &s));
	EXPECT(parse_setting("rp_ai_rate=-1", &s) && parse_setting("rp_ai_rate= 1", &s));
	EXPECT(parse_setting("rp_ai_rate=1=2", &s));
}
