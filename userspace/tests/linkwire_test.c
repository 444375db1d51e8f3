// SPDX-License-Identifier: GPL-2.0
/* Trailers and control packets: golden bytes, round trips, and whatever is not right is refused. */
#include "linkwire.h"
#include "test.h"

#define TOKEN	0xdeadbeefu

/* written by hand; the check was computed apart, in Python */
static const u8 golden_trailer[RCC_TRAILER_BYTES] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0xc3, 0x50, 5, 1, 0x81, 0x5e, 0xc6, 0xcd,
};

static const struct rcc_trailer trailer = {
	.seq = 0x01020304, .time_ns = 0x05060708, .ack = 0x090a0b0c, .sport = 0xc350, .flags = RCC_TR_REPEAT | RCC_TR_ASK,
};

TEST("A trailer is written byte for byte as documented, and read back")
{
	u8 raw[RCC_TRAILER_BYTES];
	struct rcc_trailer t;

	rcc_trailer_write(raw, &trailer, TOKEN);
	EXPECT(!memcmp(raw, golden_trailer, sizeof(raw)));
	EXPECT(rcc_trailer_read(raw, TOKEN, &t));
	EXPECT_EQ(t.seq, trailer.seq);
	EXPECT_EQ(t.time_ns, trailer.time_ns);
	EXPECT_EQ(t.ack, trailer.ack);
	EXPECT_EQ(t.sport, trailer.sport);
	EXPECT_EQ(t.flags, trailer.flags);
}

TEST("A trailer with any bit wrong, or for another token, is none")
{
	u8 raw[RCC_TRAILER_BYTES];
	struct rcc_trailer t;
	u32 i;

	rcc_trailer_write(raw, &trailer, TOKEN);
	for (i = 0; i < 8 * sizeof(raw); i++) {
		raw[i / 8] ^= 1 << i % 8;
		EXPECT(!rcc_trailer_read(raw, TOKEN, &t));
		raw[i / 8] ^= 1 << i % 8;
	}
	for (i = 0; i < 32; i++)
		EXPECT(!rcc_trailer_read(raw, TOKEN ^ 1u << i, &t));
}

static const struct rcc_flow flows[] = {
	{ .version = 4, .dscp = 48, .ttl = 64, .sport = 0xc350, .dqpn = 0x0a0b0c, .saddr = { 10 }, .daddr = { 10, 1 } },
	{ .version = 6, .dscp = 26, .ttl = 64, .sport = 0xffff, .dqpn = 17, .saddr = { 0xfd }, .daddr = { 0xfd, 1 } },
};

/* A control packet of each type, with a value of its own in each field. */
static struct rcc_ctl make(u8 type, u32 words)
{
	struct rcc_ctl ctl = { .type = type, .token = TOKEN };
	u32 i;

	switch (type) {
	case RCC_CTL_HELLO:
	case RCC_CTL_HELLO_ACK:
		ctl.hello = (struct rcc_hello) {
			.token = 0x11223344, .caps = RCC_CAPS, .first = 0x55667788, .window = 512, .flags = 1, .hold_us = 99999,
			.your_first = 0x99aabbcc,
		};
		break;
	case RCC_CTL_SACK:
		ctl.sack = (struct rcc_sack_msg) {
			.cum = 0xfffffff0, .echo_seq = 0x10, .echo_time_ns = 0x20, .delay_ns = 0x30, .dups = 0x40, .words = words,
		};
		for (i = 0; i < words; i++)
			ctl.sack.rcvd[i] = 0x0123456789abcdefULL * (i + 1);
		for (i = 0; i <= words; i++)
			ctl.sack.ce[i] = 0xfedcba9876543210ULL * (i + 1);
		break;
	case RCC_CTL_PROBE:
		ctl.probe = (struct rcc_probe) { .t1 = 0x1122334455667788ULL, .path = 63 };
		break;
	case RCC_CTL_PROBE_REPLY:
		ctl.probe = (struct rcc_probe) { .t1 = 1ULL << 63, .t2 = 0x0807060504030201ULL, .t3 = 3, .path = 9 };
		break;
	}
	return ctl;
}

static const u32 body_bytes[RCC_CTL_END] = {
	[RCC_CTL_HELLO] = RCC_HELLO_BYTES, [RCC_CTL_HELLO_ACK] = RCC_HELLO_BYTES, [RCC_CTL_SACK] = RCC_SACK_BYTES(0),
	[RCC_CTL_PROBE] = RCC_PROBE_BYTES, [RCC_CTL_PROBE_REPLY] = RCC_PROBE_REPLY_BYTES, [RCC_CTL_BYE] = 0,
};

/* Parse from a heap block of exactly the packet's size. */
static bool parse_exact(const u8 *raw, u32 bytes, struct rcc_ctl *ctl)
{
	u8 *ip = malloc(bytes);
	struct rcc_pkt pkt;
	bool ok;

	memcpy(ip, raw, bytes);
	ok = rcc_wire_parse(ip, bytes, bytes, &pkt) == RCC_WIRE_OK && pkt.class == RCC_OC_CTL && rcc_wire_icrc_ok(ip, &pkt) &&
	     rcc_ctl_parse(ip, &pkt, ctl);
	free(ip);
	return ok;
}

static void expect_round_trip(const struct rcc_flow *flow, u8 type, u32 words)
{
	struct rcc_ctl ctl = make(type, words), got = { .type = 0 };
	u8 raw[RCC_CTL_MAX_BYTES], again[RCC_CTL_MAX_BYTES];
	u32 bytes = rcc_ctl_build(raw, flow, &ctl);

	EXPECT_EQ(bytes, (flow->version == 4 ? 20 : 40) + 8 + 12 + 8 + body_bytes[type] + 16 * words + 4);
	EXPECT(parse_exact(raw, bytes, &got));
	EXPECT_EQ(got.type, type);
	EXPECT_EQ(got.token, TOKEN);
	EXPECT_EQ(rcc_ctl_build(again, flow, &got), bytes);
	EXPECT(!memcmp(raw, again, bytes));
}

TEST("Each control packet is an ordinary packet with a right ICRC, is read back, and says the same when written again")
{
	u32 f, w;
	u8 type;

	for (f = 0; f < ARRAY_SIZE(flows); f++) {
		for (type = RCC_CTL_HELLO; type < RCC_CTL_END; type++)
			expect_round_trip(&flows[f], type, 0);
		for (w = 1; w <= RCC_LINK_WORDS; w++)
			expect_round_trip(&flows[f], RCC_CTL_SACK, w);
	}
}

TEST("A SACK, a HELLO and a probe have their fields where they are documented")
{
	static const u8 sack[] = {
		3, 1, 0, 48, 0xde, 0xad, 0xbe, 0xef, 0xff, 0xff, 0xff, 0xf0, 0, 0, 0, 0x10, 0, 0, 0, 0x20, 0, 0, 0, 0x30,
		0, 0, 0, 0x40, 0, 1, 0, 0, 1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98,
	};
	static const u8 hello[] = {
		1, 1, 0, 24, 0xde, 0xad, 0xbe, 0xef, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 3, 0x55, 0x66, 0x77, 0x88, 2, 0, 0, 1,
		0, 1, 0x86, 0x9f, 0x99, 0xaa, 0xbb, 0xcc,
	};
	static const u8 probe[] = {
		4, 1, 0, 12, 0xde, 0xad, 0xbe, 0xef, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0, 0, 0, 63,
	};
	struct rcc_ctl ctl = make(RCC_CTL_HELLO, 0);
	u8 raw[RCC_CTL_MAX_BYTES];

	rcc_ctl_build(raw, &flows[0], &ctl);
	EXPECT(!memcmp(raw + 40, hello, sizeof(hello)));
	ctl = make(RCC_CTL_PROBE, 0);
	rcc_ctl_build(raw, &flows[0], &ctl);
	EXPECT(!memcmp(raw + 40, probe, sizeof(probe)));
	ctl = make(RCC_CTL_SACK, 1);
	ctl.sack.words = 1;
	rcc_ctl_build(raw, &flows[0], &ctl);
	EXPECT(!memcmp(raw + 40, sack, 4 + 4 + 24));
	EXPECT(!memcmp(raw + 40 + 32, sack + 32, sizeof(sack) - 32));
}

/* Give a control packet a body of @bytes, cut off or with zeroes behind, and a header that says @claimed. */
static bool parse_cut(u8 type, u32 words, u32 bytes, u32 claimed)
{
	struct rcc_ctl ctl = make(type, words);
	u8 raw[RCC_CTL_MAX_BYTES + 64], body[RCC_CTL_MAX_BYTES + 64] = { 0 };
	u32 whole = rcc_ctl_build(raw, &flows[0], &ctl) - 40 - 4;

	memcpy(body, raw + 40, whole);
	rcc_put_be16(body + 2, claimed);
	return parse_exact(raw, rcc_wire_build(raw, &flows[0], RCC_OP_CTL, 0, body, bytes), &ctl);
}

TEST("A control packet that is cut off anywhere, or too long, is refused, whatever its header says")
{
	u32 bytes, whole, words;
	u8 type;

	for (type = RCC_CTL_HELLO; type < RCC_CTL_END; type++) {
		for (words = 0; words <= (type == RCC_CTL_SACK ? RCC_LINK_WORDS : 0); words++) {
			whole = body_bytes[type] + 16 * words;
			EXPECT(parse_cut(type, words, 8 + whole, whole));
			for (bytes = 0; bytes < 8 + whole + 16; bytes++) {
				if (bytes == 8 + whole)
					continue;
				EXPECT(!parse_cut(type, words, bytes, whole));
				EXPECT(!parse_cut(type, words, bytes, bytes - 8));
			}
		}
	}
}

TEST("A control packet of another version or an unknown type, or a SACK of too many words, is refused")
{
	struct rcc_ctl ctl = make(RCC_CTL_SACK, RCC_LINK_WORDS), got;
	u8 raw[RCC_CTL_MAX_BYTES], body[8 + RCC_SACK_BYTES(RCC_LINK_WORDS)];
	u32 i;

	rcc_ctl_build(raw, &flows[0], &ctl);
	for (i = 0; i < 256; i++) {
		memcpy(body, raw + 40, sizeof(body));
		body[0] = i;
		EXPECT_EQ(parse_exact(raw, rcc_wire_build(raw, &flows[0], RCC_OP_CTL, 0, body, sizeof(body)), &got),
			  i == RCC_CTL_SACK);
		body[0] = RCC_CTL_SACK;
		body[1] = i;
		EXPECT_EQ(parse_exact(raw, rcc_wire_build(raw, &flows[0], RCC_OP_CTL, 0, body, sizeof(body)), &got),
			  i == RCC_LINK_VERSION);
		body[1] = RCC_LINK_VERSION;
		body[8 + 21] = i;
		EXPECT_EQ(parse_exact(raw, rcc_wire_build(raw, &flows[0], RCC_OP_CTL, 0, body, sizeof(body)), &got),
			  i == RCC_LINK_WORDS);
		body[8 + 21] = RCC_LINK_WORDS;
		rcc_wire_build(raw, &flows[0], RCC_OP_CTL, 0, body, sizeof(body));
	}
}

/* The checksum of an IPv4 header, computed anew: 0 if it is right. */
static u32 ip4_sum(const u8 *ip)
{
	u32 sum = 0, i;

	for (i = 0; i < 20; i += 2)
		sum += rcc_get_be16(ip + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum ^ 0xffff;
}

TEST("Fitting headers to another length keeps the IPv4 checksum right, and the old length brings every byte back")
{
	u8 raw[RCC_CTL_MAX_BYTES], before[RCC_CTL_MAX_BYTES], body[64] = { 1, 2, 3 };
	u64 seed = 11;
	u32 i, f;

	for (f = 0; f < ARRAY_SIZE(flows); f++) {
		for (i = 0; i < 20000; i++) {
			struct rcc_flow flow = flows[f];
			u32 more = test_random(&seed) % 4000, bytes, bth = flow.version == 4 ? 28 : 48;

			flow.ip_id = test_random(&seed);
			flow.dscp = test_random(&seed) % 64;
			bytes = rcc_wire_build(raw, &flow, 4, 0, body, sizeof(body));
			memcpy(before, raw, bytes);
			rcc_link_resize(raw, bth, bytes + more, 0x1234);
			EXPECT_EQ(rcc_get_be16(raw + bth - 8), 0x1234);
			EXPECT_EQ(rcc_get_be16(raw + bth - 4), bytes + more - bth + 8);
			EXPECT(flow.version == 6 || ip4_sum(raw) == 0);
			EXPECT_EQ(rcc_get_be16(raw + (flow.version == 4 ? 2 : 4)), bytes + more - (flow.version == 4 ? 0 : 40));
			rcc_link_resize(raw, bth, bytes, flow.sport);
			EXPECT(!memcmp(raw, before, bytes));
		}
	}
}
