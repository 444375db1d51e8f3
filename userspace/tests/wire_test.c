// SPDX-License-Identifier: GPL-2.0
/* Wire formats against the golden vectors, which scapy made. */
#include "golden.h"
#include "test.h"

static void expect_fields(const struct golden *g, const struct rcc_pkt *pkt)
{
	EXPECT_EQ(pkt->version, g->field[GOLDEN_VERSION]);
	EXPECT_EQ(pkt->l3_bytes, g->field[GOLDEN_BYTES]);
	EXPECT_EQ(pkt->bth, pkt->version == 4 ? 28 : 48);
	EXPECT_EQ(pkt->opcode, g->field[GOLDEN_OPCODE]);
	EXPECT_EQ(pkt->class, g->class);
	EXPECT_EQ(pkt->ecn, g->field[GOLDEN_ECN]);
	EXPECT_EQ(pkt->sport, g->field[GOLDEN_SPORT]);
	EXPECT_EQ(pkt->dqpn, g->field[GOLDEN_DQPN]);
	EXPECT_EQ(pkt->psn, g->field[GOLDEN_PSN]);
	EXPECT_EQ(pkt->ackreq, g->field[GOLDEN_ACKREQ]);
	EXPECT_EQ(pkt->becn, g->field[GOLDEN_BECN]);
	EXPECT_EQ(pkt->syndrome, g->field[GOLDEN_SYNDROME] < 0 ? 0 : g->field[GOLDEN_SYNDROME]);
	EXPECT_EQ(pkt->sqpn, g->field[GOLDEN_SQPN] < 0 ? 0 : g->field[GOLDEN_SQPN]);
}

/* Parse the first @linear of @total bytes from a heap block of exactly @linear. */
static enum rcc_wire_err parse_exact(const u8 *raw, u32 linear, u32 total, struct rcc_pkt *pkt)
{
	u8 *copy = malloc(linear);
	enum rcc_wire_err err;

	memcpy(copy, raw, linear);
	err = rcc_wire_parse(copy, linear, total, pkt);
	free(copy);
	return err;
}

TEST("Every golden packet is parsed to the fields that it was made of")
{
	u32 i, n, good = 0;
	const struct golden *g = golden_load(&n);

	EXPECT(n > 100);
	for (i = 0; i < n; i++) {
		struct rcc_pkt pkt;
		enum rcc_wire_err err = parse_exact(g[i].raw, g[i].len, g[i].len, &pkt);

		if (err != g[i].result)
			printf("# %s\n", g[i].name);
		EXPECT_EQ(err, g[i].result);
		if (err)
			continue;
		expect_fields(&g[i], &pkt);
		good++;
	}
	EXPECT(good > 80);
}

TEST("Every opcode without a golden packet has no class, and every class has one")
{
	bool seen[256] = { false };
	u32 i, n;
	const struct golden *g = golden_load(&n);

	for (i = 0; i < n; i++)
		if (g[i].result == RCC_WIRE_OK)
			seen[g[i].field[GOLDEN_OPCODE]] = true;
	for (i = 0; i < 256; i++)
		EXPECT_EQ(seen[i], rcc_op_class[i] != 0);
}

TEST("Headers alone are enough to parse: the rest of the packet need not be readable")
{
	u32 i, n;
	const struct golden *g = golden_load(&n);

	for (i = 0; i < n; i++) {
		struct rcc_pkt pkt;
		u32 linear = g[i].len < RCC_HDR_MAX_BYTES ? g[i].len : RCC_HDR_MAX_BYTES;

		EXPECT_EQ(parse_exact(g[i].raw, linear, g[i].len, &pkt), g[i].result);
		if (g[i].result == RCC_WIRE_OK)
			expect_fields(&g[i], &pkt);
	}
}

/* least bytes that must be readable for a good packet */
static u32 needed(const struct golden *g)
{
	return (g->field[GOLDEN_VERSION] == 4 ? 28 : 48) + 12 +
	       (g->class & RCC_OC_AETH ? 4 : 0) + (g->class & RCC_OC_UD ? 8 : 0);
}

TEST("A golden packet cut off anywhere is never parsed, and nothing behind the cut is read")
{
	u32 i, n, cut;
	const struct golden *g = golden_load(&n);

	for (i = 0; i < n; i++) {
		for (cut = 0; cut < g[i].len; cut++) {
			struct rcc_pkt pkt;

			EXPECT(parse_exact(g[i].raw, cut, cut, &pkt) != RCC_WIRE_OK);
			if (g[i].result == RCC_WIRE_OK)
				EXPECT_EQ(parse_exact(g[i].raw, cut, g[i].len, &pkt) == RCC_WIRE_OK, cut >= needed(&g[i]));
		}
	}
}

TEST("Padding of the link layer behind the packet changes nothing")
{
	u32 i, n;
	const struct golden *g = golden_load(&n);

	for (i = 0; i < n; i++) {
		u8 *longer = calloc(1, g[i].len + 18);
		struct rcc_pkt pkt;

		memcpy(longer, g[i].raw, g[i].len);
		EXPECT_EQ(rcc_wire_parse(longer, g[i].len + 18, g[i].len + 18, &pkt), g[i].result);
		if (g[i].result == RCC_WIRE_OK) {
			expect_fields(&g[i], &pkt);
			EXPECT(rcc_wire_icrc_ok(longer, &pkt));
		}
		free(longer);
	}
}

TEST("The ICRC of every golden packet is right")
{
	u32 i, n;
	const struct golden *g = golden_load(&n);

	for (i = 0; i < n; i++) {
		struct rcc_pkt pkt;

		if (g[i].result != RCC_WIRE_OK)
			continue;
		EXPECT_EQ(rcc_wire_parse(g[i].raw, g[i].len, g[i].len, &pkt), RCC_WIRE_OK);
		EXPECT(rcc_wire_icrc_ok(g[i].raw, &pkt));
		EXPECT_EQ(rcc_wire_icrc(g[i].raw, &pkt), rcc_get_le32(g[i].raw + g[i].len - 4));
	}
}

/* May a router change this bit without breaking the ICRC? Written out from IBTA A17.3.3. */
static bool variant_bit(const struct golden *g, u32 byte, u32 bit)
{
	u32 udp = g->field[GOLDEN_VERSION] == 4 ? 20 : 40;

	if (byte == udp + 6 || byte == udp + 7 || byte == udp + 8 + 4)
		return true;
	if (udp == 20)
		return byte == 1 || byte == 8 || byte == 10 || byte == 11;
	return (byte == 0 && bit < 4) || byte == 1 || byte == 2 || byte == 3 || byte == 7;
}

TEST("Each bit of a packet breaks the ICRC when flipped, but for those that routers may change")
{
	u32 i, n, bit;
	const struct golden *g = golden_load(&n);

	for (i = 0; i < n; i++) {
		struct rcc_pkt pkt;

		if (g[i].result != RCC_WIRE_OK || g[i].len > 200)
			continue;
		EXPECT_EQ(rcc_wire_parse(g[i].raw, g[i].len, g[i].len, &pkt), RCC_WIRE_OK);
		for (bit = 0; bit < 8 * g[i].len; bit++) {
			g[i].raw[bit / 8] ^= 1 << bit % 8;
			EXPECT_EQ(rcc_wire_icrc_ok(g[i].raw, &pkt), variant_bit(&g[i], bit / 8, bit % 8));
			g[i].raw[bit / 8] ^= 1 << bit % 8;
		}
	}
}

TEST("Our CNP is scapy's, byte for byte, over IPv4 and IPv6")
{
	u32 i, n, cnps = 0;
	const struct golden *g = golden_load(&n);

	for (i = 0; i < n; i++) {
		struct rcc_flow flow = { 0 };
		u32 bytes;
		u8 *ip;

		if (!g[i].cnp)
			continue;
		flow.version = g[i].field[GOLDEN_VERSION];
		flow.dscp = g[i].field[GOLDEN_DSCP];
		flow.ttl = g[i].field[GOLDEN_TTL];
		flow.sport = g[i].field[GOLDEN_SPORT];
		flow.dqpn = g[i].field[GOLDEN_DQPN];
		flow.ip_id = 0x1234;
		memcpy(flow.saddr, g[i].raw + (flow.version == 4 ? 12 : 8), flow.version == 4 ? 4 : 16);
		memcpy(flow.daddr, g[i].raw + (flow.version == 4 ? 16 : 24), flow.version == 4 ? 4 : 16);
		ip = malloc(g[i].len);
		memset(ip, 0xa5, g[i].len);
		bytes = rcc_wire_build_cnp(ip, &flow);
		EXPECT_EQ(bytes, g[i].len);
		EXPECT(!memcmp(ip, g[i].raw, g[i].len));
		free(ip);
		cnps++;
	}
	EXPECT_EQ(cnps, 6);
}

TEST("The room that a CNP may need is what the header says")
{
	struct rcc_flow flow = { .version = 6 };
	u8 *ip = malloc(RCC_CNP_MAX_BYTES);

	EXPECT_EQ(rcc_wire_build_cnp(ip, &flow), RCC_CNP_MAX_BYTES);
	EXPECT_EQ(RCC_CNP_MAX_BYTES, 80);
	free(ip);
}

/* A packet of the kind "RC WRITE middle": @body random bytes between BTH and ICRC, AckReq off, right ICRC. */
static u32 request(u8 *ip, u32 version, u32 body, u64 *seed)
{
	u32 udp = version == 4 ? 20 : 40, bytes = udp + 8 + 12 + body + 4, i;
	struct rcc_pkt pkt = { .version = version, .bth = udp + 8, .l3_bytes = bytes };

	for (i = 0; i < bytes; i++)
		ip[i] = test_random(seed) >> 32;
	ip[0] = version == 4 ? 0x45 : 0x60;
	if (version == 4)
		memset(ip + 6, 0, 2);
	ip[version == 4 ? 9 : 6] = 17;
	rcc_put_be16(ip + (version == 4 ? 2 : 4), version == 4 ? bytes : bytes - 40);
	rcc_put_be16(ip + udp + 2, 4791);
	rcc_put_be16(ip + udp + 4, bytes - udp);
	ip[udp + 8] = 0x07;
	ip[udp + 16] &= 0x7f;
	rcc_put_le32(ip + bytes - 4, rcc_wire_icrc(ip, &pkt));
	return bytes;
}

/* Set AckReq in a packet with @body bytes: the ICRC is the one that computing it anew gives, and nothing else changed. */
static void expect_ackreq(u32 version, u32 body, u64 *seed)
{
	u32 bytes = (version == 4 ? 20 : 40) + 8 + 12 + body + 4, ack = version == 4 ? 36 : 56, changed = 0, i;
	u8 *ip = malloc(bytes), *before = malloc(bytes);
	struct rcc_pkt pkt, after;

	EXPECT_EQ(request(ip, version, body, seed), bytes);
	memcpy(before, ip, bytes);
	EXPECT_EQ(rcc_wire_parse(ip, bytes, bytes, &pkt), RCC_WIRE_OK);
	EXPECT(!pkt.ackreq && rcc_wire_icrc_ok(ip, &pkt));
	rcc_wire_set_ackreq(ip, &pkt, rcc_wire_ackreq_delta(pkt.l3_bytes - pkt.bth));
	EXPECT_EQ(rcc_wire_parse(ip, bytes, bytes, &after), RCC_WIRE_OK);
	EXPECT(after.ackreq);
	EXPECT_EQ(rcc_get_le32(ip + bytes - 4), rcc_wire_icrc(ip, &after));
	for (i = 0; i < bytes - 4; i++)
		changed += ip[i] != before[i];
	EXPECT_EQ(changed, 1);
	EXPECT_EQ(ip[ack], before[ack] | 0x80);
	free(before);
	free(ip);
}

TEST("AckReq set in a packet leaves it with its right ICRC, for every size up to 4 KB and both versions of IP")
{
	u64 seed = 16;
	u32 body;

	/* from a BTH and an ICRC alone to 4096 bytes with the longest headers before them */
	for (body = 0; body <= 4096 + 32; body += 4) {
		expect_ackreq(4, body, &seed);
		expect_ackreq(6, body, &seed);
	}
}

TEST("AckReq and the ICRC of sizes that are no multiple of 4, too, and of those around the 64 bytes of one step")
{
	u64 seed = 17;
	u32 body;

	for (body = 0; body < 300; body++) {
		expect_ackreq(4, body, &seed);
		expect_ackreq(6, body, &seed);
	}
	for (body = 1001; body < 9000; body += 211) {
		expect_ackreq(4, body, &seed);
		expect_ackreq(6, body, &seed);
	}
}

TEST("AckReq set in every golden request without it gives the right ICRC")
{
	u32 i, n, done = 0;
	const struct golden *g = golden_load(&n);

	for (i = 0; i < n; i++) {
		struct rcc_pkt pkt;

		if (g[i].result != RCC_WIRE_OK || g[i].field[GOLDEN_ACKREQ] || !(g[i].class & RCC_OC_REQ))
			continue;
		EXPECT_EQ(rcc_wire_parse(g[i].raw, g[i].len, g[i].len, &pkt), RCC_WIRE_OK);
		rcc_wire_set_ackreq(g[i].raw, &pkt, rcc_wire_ackreq_delta(pkt.l3_bytes - pkt.bth));
		EXPECT(rcc_wire_icrc_ok(g[i].raw, &pkt));
		EXPECT_EQ(g[i].raw[pkt.bth + 8] & 0x80, 0x80);
		/* setting it is its own opposite, but for the bit: the vectors stay as they were for other tests */
		rcc_wire_set_ackreq(g[i].raw, &pkt, rcc_wire_ackreq_delta(pkt.l3_bytes - pkt.bth));
		g[i].raw[pkt.bth + 8] &= 0x7f;
		EXPECT(rcc_wire_icrc_ok(g[i].raw, &pkt));
		done++;
	}
	EXPECT(done > 20);
}

TEST("The opcode of a short packet is told if the packet has one, and is 0 if not")
{
	u64 seed = 18;
	u32 version;

	for (version = 4; version <= 6; version += 2) {
		u32 udp = version == 4 ? 20 : 40, bth = udp + 8, bytes, cut, at = version == 4 ? 2 : 4;
		u8 ip[256], copy[256];
		struct rcc_pkt pkt;

		bytes = request(ip, version, 16, &seed);
		ip[bth] = RCC_OP_CNP;
		/* cut off behind the UDP header: short, and the opcode is known as soon as it is there */
		for (cut = bth; cut < bytes; cut++) {
			memset(&pkt, 0xa5, sizeof(pkt));
			EXPECT_EQ(parse_exact(ip, cut, cut, &pkt), RCC_WIRE_SHORT);
			EXPECT_EQ(pkt.opcode, cut > bth ? RCC_OP_CNP : 0);
			EXPECT_EQ(pkt.bth, bth);
		}
		/* lengths of IP and UDP that contradict each other */
		memcpy(copy, ip, bytes);
		rcc_put_be16(copy + udp + 4, bytes - udp - 1);
		EXPECT_EQ(parse_exact(copy, bytes, bytes, &pkt), RCC_WIRE_SHORT);
		EXPECT_EQ(pkt.opcode, RCC_OP_CNP);
		rcc_put_be16(copy + udp + 4, bytes - udp);
		rcc_put_be16(copy + at, version == 4 ? bth : 8);
		EXPECT_EQ(parse_exact(copy, bytes, bytes, &pkt), RCC_WIRE_SHORT);
		EXPECT_EQ(pkt.opcode, 0);
		/* too short for BTH and ICRC, by both headers */
		for (cut = 0; cut < 16; cut++) {
			memcpy(copy, ip, bytes);
			rcc_put_be16(copy + udp + 4, 8 + cut);
			rcc_put_be16(copy + at, version == 4 ? bth + cut : 8 + cut);
			memset(&pkt, 0xa5, sizeof(pkt));
			EXPECT_EQ(parse_exact(copy, bth + cut, bth + cut, &pkt), RCC_WIRE_SHORT);
			EXPECT_EQ(pkt.opcode, cut ? RCC_OP_CNP : 0);
			/* what the link layer padded with is no opcode */
			EXPECT_EQ(parse_exact(copy, bytes, bytes, &pkt), RCC_WIRE_SHORT);
			EXPECT_EQ(pkt.opcode, cut ? RCC_OP_CNP : 0);
		}
	}
}

/* Read one of our own packets from a heap block of exactly @bytes. */
static enum rcc_wire_err own_exact(const u8 *raw, u32 bytes, struct rcc_pkt *pkt)
{
	u8 *copy = malloc(bytes);
	enum rcc_wire_err err;

	memcpy(copy, raw, bytes);
	err = rcc_wire_own(copy, bytes, pkt);
	free(copy);
	return err;
}

TEST("What is read of a packet of our own is what the parser finds, in every golden packet of rxe's kinds")
{
	u32 i, n, done = 0;
	const struct golden *g = golden_load(&n);

	for (i = 0; i < n; i++) {
		struct rcc_pkt own, parsed;

		if (g[i].result != RCC_WIRE_OK)
			continue;
		memset(&own, 0xa5, sizeof(own));
		EXPECT_EQ(own_exact(g[i].raw, g[i].len, &own), RCC_WIRE_OK);
		EXPECT_EQ(parse_exact(g[i].raw, g[i].len, g[i].len, &parsed), RCC_WIRE_OK);
		/* these three are not read */
		own.becn = parsed.becn;
		own.syndrome = parsed.syndrome;
		own.sqpn = parsed.sqpn;
		expect_fields(&g[i], &own);
		done++;
	}
	EXPECT(done > 80);
}

TEST("A packet of our own too short for BTH and ICRC is told as short, one of an unknown opcode as that")
{
	u64 seed = 19;
	u32 version, bytes, cut;

	for (version = 4; version <= 6; version += 2) {
		u32 bth = version == 4 ? 28 : 48;
		struct rcc_pkt pkt;
		u8 ip[256];

		bytes = request(ip, version, 0, &seed);
		EXPECT_EQ(bytes, bth + 16);
		for (cut = 1; cut < bytes; cut++)
			EXPECT_EQ(own_exact(ip, cut, &pkt), RCC_WIRE_SHORT);
		EXPECT_EQ(own_exact(ip, bytes, &pkt), RCC_WIRE_OK);
		for (cut = 0; cut < 256; cut++) {
			ip[bth] = cut;
			EXPECT_EQ(own_exact(ip, bytes, &pkt), rcc_op_class[cut] ? RCC_WIRE_OK : RCC_WIRE_OPCODE);
			EXPECT_EQ(pkt.opcode, cut);
		}
		/* the 7 bits beside AckReq are nobody's */
		ip[bth] = 0x07;
		for (cut = 0; cut < 256; cut++) {
			ip[bth + 8] = cut;
			EXPECT_EQ(own_exact(ip, bytes, &pkt), RCC_WIRE_OK);
			EXPECT_EQ(pkt.ackreq, cut >= 128);
			EXPECT_EQ(pkt.psn, rcc_get_be24(ip + bth + 9));
		}
	}
}

/* Ask of a packet of which @linear bytes are readable, from a heap block of exactly that size. */
static bool plain_exact(const u8 *raw, u32 linear)
{
	/* one before it, since the sanitizer gives a block of no bytes one */
	u8 *copy = malloc(1 + linear);
	bool plain;

	memcpy(copy + 1, raw, linear);
	plain = rcc_wire_plain(copy + 1, linear);
	free(copy);
	return plain;
}

TEST("Plain are the golden requests without CE that are no READ, and no other, and none of them when cut too short")
{
	u32 i, n, cut, plain = 0, other = 0;
	const struct golden *g = golden_load(&n);

	for (i = 0; i < n; i++) {
		bool want = g[i].class & RCC_OC_REQ && g[i].field[GOLDEN_ECN] != RCC_ECN_CE &&
			    g[i].field[GOLDEN_OPCODE] != 0x0c;
		u32 least = (g[i].field[GOLDEN_VERSION] == 4 ? 20 : 40) + 24;

		if (g[i].result != RCC_WIRE_OK)
			continue;
		for (cut = 0; cut <= g[i].len; cut++)
			EXPECT_EQ(plain_exact(g[i].raw, cut), want && cut >= least);
		plain += want;
		other += !want;
	}
	EXPECT(plain > 20 && other > 20);
}

TEST("A request is not plain with CE, another opcode, port or version, IPv4 options, or a UDP length below 24")
{
	u64 seed = 20;
	u32 version, i;

	for (version = 4; version <= 6; version += 2) {
		u32 udp = version == 4 ? 20 : 40, shift = version == 4 ? 0 : 4, bytes;
		u8 ip[256], copy[256];

		bytes = request(ip, version, 64, &seed);
		for (i = 0; i < 4; i++) {
			ip[1] = (ip[1] & ~(3 << shift)) | i << shift;
			EXPECT_EQ(plain_exact(ip, bytes), i != RCC_ECN_CE);
		}
		ip[1] &= ~(3 << shift);
		EXPECT(plain_exact(ip, bytes));
		for (i = 0; i < 256; i++) {
			memcpy(copy, ip, bytes);
			copy[udp + 8] = i;
			EXPECT_EQ(plain_exact(copy, bytes), i != 0x0c && (rcc_op_class[i] & RCC_OC_REQ));
			/* version and length of the header; what turns one version into the other is a packet of random fields */
			memcpy(copy, ip, bytes);
			copy[0] = i;
			if (version == 4 && i >> 4 != 6)
				EXPECT_EQ(plain_exact(copy, bytes), i == 0x45);
			else if (version == 6 && i != 0x45)
				EXPECT_EQ(plain_exact(copy, bytes), i >> 4 == 6);
		}
		for (i = 0; i < 65536; i++) {
			memcpy(copy, ip, bytes);
			rcc_put_be16(copy + udp + 2, i);
			EXPECT_EQ(rcc_wire_plain(copy, bytes), i == 4791);
			memcpy(copy, ip, bytes);
			rcc_put_be16(copy + udp + 4, i);
			EXPECT_EQ(rcc_wire_plain(copy, bytes), i >= 24);
		}
	}
}
