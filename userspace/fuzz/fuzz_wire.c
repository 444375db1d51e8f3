// SPDX-License-Identifier: GPL-2.0
/* The input is a packet. Nothing may be read beyond what is readable, and what is parsed must be consistent. */
#include "fuzz.h"
#include "wire.h"

static void check_fields(const u8 *ip, u32 linear, u32 total, const struct rcc_pkt *pkt)
{
	u32 headers = pkt->bth + RCC_BTH_BYTES;

	MUST(pkt->version == ip[0] >> 4);
	MUST((pkt->version == 4 && pkt->bth == 28) || (pkt->version == 6 && pkt->bth == 48));
	headers += pkt->class & RCC_OC_AETH ? 4 : 0;
	headers += pkt->class & RCC_OC_UD ? 8 : 0;
	MUST(headers <= linear);
	MUST(headers + RCC_ICRC_BYTES <= pkt->l3_bytes);
	MUST(pkt->l3_bytes <= total);
	MUST(pkt->class && pkt->class == rcc_op_class[pkt->opcode]);
	MUST(pkt->opcode == ip[pkt->bth]);
	MUST(pkt->dqpn < 1 << 24 && pkt->sqpn < 1 << 24 && pkt->psn < 1 << 24);
	MUST(pkt->ecn <= RCC_ECN_CE);
	MUST(pkt->class & RCC_OC_AETH || !pkt->syndrome);
	MUST(pkt->class & RCC_OC_UD || !pkt->sqpn);
}

/* Parse with only @linear of the bytes readable, from a heap block of exactly that size. */
static enum rcc_wire_err parse_exact(const u8 *data, u32 linear, u32 total, struct rcc_pkt *pkt)
{
	u8 *ip = malloc(linear ? linear : 1);
	enum rcc_wire_err err;

	memcpy(ip, data, linear);
	err = rcc_wire_parse(ip, linear, total, pkt);
	if (!err)
		check_fields(ip, linear, total, pkt);
	free(ip);
	return err;
}

static bool same_fields(const struct rcc_pkt *a, const struct rcc_pkt *b)
{
	return a->l3_bytes == b->l3_bytes && a->bth == b->bth && a->version == b->version && a->ecn == b->ecn &&
	       a->opcode == b->opcode && a->class == b->class && a->ackreq == b->ackreq && a->becn == b->becn &&
	       a->syndrome == b->syndrome && a->dqpn == b->dqpn && a->sqpn == b->sqpn && a->psn == b->psn &&
	       a->sport == b->sport;
}

/*
 * A packet of our own has no other fields than the parser finds, but for the three that are not read. Nothing is read
 * behind any packet, whatever it is.
 */
static void check_own(const u8 *data, u32 bytes, const struct rcc_pkt *want)
{
	u8 *ip = malloc(bytes);
	struct rcc_pkt own;
	enum rcc_wire_err err;

	memcpy(ip, data, bytes);
	err = rcc_wire_own(ip, bytes, &own);
	MUST(err == RCC_WIRE_OK || err == RCC_WIRE_SHORT || err == RCC_WIRE_OPCODE);
	MUST(bytes >= 44 || err == RCC_WIRE_SHORT);
	if (want) {
		MUST(!err);
		own.becn = want->becn;
		own.syndrome = want->syndrome;
		own.sqpn = want->sqpn;
		MUST(same_fields(&own, want));
	}
	free(ip);
}

/*
 * What is taken for plain has room for all headers, and says nothing that the receiver must look at. What the parser knows
 * to be such a packet is plain as soon as that room can be read.
 */
static void check_plain(const u8 *data, u32 linear, u32 total)
{
	u8 *ip = malloc(linear ? linear : 1);
	struct rcc_pkt pkt;
	u32 least = linear && data[0] == 0x45 ? 44 : 64;
	bool plain;

	memcpy(ip, data, linear);
	/* the block of a packet without a byte is not readable either */
	plain = linear ? rcc_wire_plain(ip, linear) : rcc_wire_plain(ip + 1, 0);
	MUST(!plain || linear >= least);
	MUST(!plain || data[0] == 0x45 || data[0] >> 4 == 6);
	MUST(!plain || (rcc_get_be16(data + least - 22) == RCC_ROCE_PORT && rcc_get_be16(data + least - 20) >= 24));
	MUST(!plain || (data[least - 16] != RCC_OP_RC_READ_REQUEST && rcc_op_class[data[least - 16]] & RCC_OC_REQ));
	if (!rcc_wire_parse(ip, linear, total, &pkt))
		MUST(plain == (linear >= least && pkt.ecn != RCC_ECN_CE && (pkt.class & RCC_OC_REQ) &&
			       pkt.opcode != RCC_OP_RC_READ_REQUEST));
	free(ip);
}

/* May a router change this bit? */
static bool variant(const struct rcc_pkt *pkt, u32 byte, u32 bit)
{
	if (byte == pkt->bth + 4 || byte == pkt->bth - 1 || byte == pkt->bth - 2)
		return true;
	if (pkt->version == 4)
		return byte == 1 || byte == 8 || byte == 10 || byte == 11;
	return (byte >= 1 && byte <= 3) || byte == 7 || (byte == 0 && bit < 4);
}

/* Give the packet its right ICRC, then flip one bit: one that is covered must break it. */
static void check_icrc(const u8 *data, const struct rcc_pkt *pkt, u32 choice)
{
	u32 flip = choice % (pkt->l3_bytes * 8);
	u8 *ip = malloc(pkt->l3_bytes);

	memcpy(ip, data, pkt->l3_bytes);
	rcc_put_le32(ip + pkt->l3_bytes - RCC_ICRC_BYTES, rcc_wire_icrc(ip, pkt));
	MUST(rcc_wire_icrc_ok(ip, pkt));
	ip[flip / 8] ^= 1 << flip % 8;
	MUST(rcc_wire_icrc_ok(ip, pkt) == variant(pkt, flip / 8, flip % 8));
	free(ip);
}

/* Ask for an ACK in a packet with its right ICRC: it has its right one again. */
static void check_ackreq(const u8 *data, const struct rcc_pkt *pkt)
{
	u8 *ip = malloc(pkt->l3_bytes);
	struct rcc_pkt after;

	memcpy(ip, data, pkt->l3_bytes);
	rcc_put_le32(ip + pkt->l3_bytes - RCC_ICRC_BYTES, rcc_wire_icrc(ip, pkt));
	rcc_wire_set_ackreq(ip, pkt, rcc_wire_ackreq_delta(pkt->l3_bytes - pkt->bth));
	MUST(rcc_wire_icrc_ok(ip, pkt));
	MUST(rcc_wire_parse(ip, pkt->l3_bytes, pkt->l3_bytes, &after) == RCC_WIRE_OK);
	MUST(after.ackreq);
	after.ackreq = false;
	MUST(same_fields(pkt, &after));
	free(ip);
}

/* What we build of any addresses is parsed back, and is a valid CNP that is not ECN-capable. */
static void check_cnp(struct input in)
{
	u8 *ip = malloc(RCC_CNP_MAX_BYTES);
	struct rcc_flow flow = { 0 };
	struct rcc_pkt pkt;
	u32 bytes;

	flow.version = input_number(&in, 1) & 1 ? 4 : 6;
	flow.dscp = input_number(&in, 1) & 63;
	flow.ttl = input_number(&in, 1);
	flow.sport = input_number(&in, 2);
	flow.ip_id = input_number(&in, 2);
	flow.dqpn = input_number(&in, 3);
	for (bytes = 0; bytes < 16; bytes++) {
		flow.saddr[bytes] = input_number(&in, 1);
		flow.daddr[bytes] = input_number(&in, 1);
	}
	bytes = rcc_wire_build_cnp(ip, &flow);
	MUST(rcc_wire_parse(ip, bytes, bytes, &pkt) == RCC_WIRE_OK);
	MUST(pkt.class == RCC_OC_CNP && pkt.becn && pkt.psn == 0 && pkt.ecn == RCC_ECN_NOT_ECT);
	MUST(pkt.version == flow.version && pkt.l3_bytes == bytes);
	MUST(pkt.dqpn == flow.dqpn && pkt.sport == flow.sport);
	MUST(rcc_wire_icrc_ok(ip, &pkt));
	free(ip);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	u32 choice = size >= 4 ? rcc_get_le32(data + size - 4) : size;
	u32 enough = size < RCC_HDR_MAX_BYTES ? size : RCC_HDR_MAX_BYTES;
	struct rcc_pkt whole, part;
	enum rcc_wire_err err;

	err = parse_exact(data, size, size, &whole);
	MUST(parse_exact(data, enough, size, &part) == err);
	if (!err)
		MUST(same_fields(&whole, &part));
	if (err == RCC_WIRE_SHORT)
		MUST(whole.opcode == part.opcode && (!whole.opcode || whole.opcode == data[whole.bth]));
	parse_exact(data, size ? choice % size : 0, size, &part);
	parse_exact(data, size ? choice % size : 0, size ? choice % size : 0, &part);
	check_plain(data, size, size);
	check_plain(data, size ? choice % size : 0, size);
	if (size)
		check_own(data, size, !err && whole.l3_bytes == size ? &whole : NULL);
	if (size && choice % size)
		check_own(data, choice % size, NULL);
	if (!err)
		check_icrc(data, &whole, choice);
	if (!err && !whole.ackreq)
		check_ackreq(data, &whole);
	check_cnp(in);
	return 0;
}
