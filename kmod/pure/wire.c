// SPDX-License-Identifier: GPL-2.0
/* RoCEv2 packets: bounds-checked parser, ICRC, and packets that we build. See wire.h. */
#include "psn.h"
#include "wire.h"

#define IPPROTO_IS_UDP	17
#define IP4_FRAGMENT	0x3fff	/* MF flag and offset */

#define RC_REQ		(RCC_OC_RC | RCC_OC_REQ)
#define UC_REQ		(RCC_OC_UC | RCC_OC_REQ)
#define RC_RESP		(RCC_OC_RC | RCC_OC_READ_RESP)

const u16 rcc_op_class[256] = {
	/* RC: SEND first, middle, last, last immediate, only, only immediate */
	[0x00] = RC_REQ, [0x01] = RC_REQ, [0x02] = RC_REQ, [0x03] = RC_REQ, [0x04] = RC_REQ, [0x05] = RC_REQ,
	/* RDMA WRITE in the same order */
	[0x06] = RC_REQ, [0x07] = RC_REQ, [0x08] = RC_REQ, [0x09] = RC_REQ, [0x0a] = RC_REQ, [0x0b] = RC_REQ,
	[RCC_OP_RC_READ_REQUEST] = RC_REQ,
	/* READ response first, middle (the only one without AETH), last, only */
	[0x0d] = RC_RESP | RCC_OC_AETH, [0x0e] = RC_RESP, [0x0f] = RC_RESP | RCC_OC_AETH, [0x10] = RC_RESP | RCC_OC_AETH,
	[RCC_OP_RC_ACK] = RCC_OC_RC | RCC_OC_ACK | RCC_OC_AETH, [0x12] = RCC_OC_RC | RCC_OC_ACK | RCC_OC_AETH,
	/* compare and swap, fetch and add; SEND last, only with invalidate; FLUSH; atomic WRITE */
	[0x13] = RC_REQ, [0x14] = RC_REQ, [0x16] = RC_REQ, [0x17] = RC_REQ, [0x1c] = RC_REQ, [0x1d] = RC_REQ,
	/* UC: SEND and WRITE as RC */
	[0x20] = UC_REQ, [0x21] = UC_REQ, [0x22] = UC_REQ, [0x23] = UC_REQ, [0x24] = UC_REQ, [0x25] = UC_REQ,
	[0x26] = UC_REQ, [0x27] = UC_REQ, [0x28] = UC_REQ, [0x29] = UC_REQ, [0x2a] = UC_REQ, [0x2b] = UC_REQ,
	/* UD: SEND only, with immediate */
	[0x64] = RCC_OC_UD | RCC_OC_REQ, [0x65] = RCC_OC_UD | RCC_OC_REQ,
	[RCC_OP_CNP] = RCC_OC_CNP,
	[RCC_OP_CTL] = RCC_OC_CTL,
};

/* Read the IP header: where UDP begins, the packet's own length, ECN. Nothing is read past @linear. */
static enum rcc_wire_err parse_ip(const u8 *ip, u32 linear, u32 *udp, struct rcc_pkt *pkt)
{
	if (linear < RCC_IP4_BYTES)
		return RCC_WIRE_NOT_ROCE;
	pkt->version = ip[0] >> 4;
	if (pkt->version == 4) {
		if ((ip[0] & 0xf) != RCC_IP4_BYTES / 4 || ip[9] != IPPROTO_IS_UDP ||
		    (rcc_get_be16(ip + 6) & IP4_FRAGMENT))
			return RCC_WIRE_NOT_ROCE;
		pkt->ecn = ip[1] & RCC_ECN_MASK;
		pkt->l3_bytes = rcc_get_be16(ip + 2);
		*udp = RCC_IP4_BYTES;
		return RCC_WIRE_OK;
	}
	if (pkt->version != 6 || linear < RCC_IP6_BYTES || ip[6] != IPPROTO_IS_UDP)
		return RCC_WIRE_NOT_ROCE;
	pkt->ecn = ip[1] >> 4 & RCC_ECN_MASK;
	pkt->l3_bytes = RCC_IP6_BYTES + rcc_get_be16(ip + 4);
	*udp = RCC_IP6_BYTES;
	return RCC_WIRE_OK;
}

static enum rcc_wire_err parse_bth(const u8 *bth, u32 bytes, struct rcc_pkt *pkt)
{
	u32 qpn = rcc_get_be32(bth + 4), psn = rcc_get_be32(bth + 8);
	const u8 *ext = bth + RCC_BTH_BYTES;
	u16 class = rcc_op_class[pkt->opcode];

	pkt->class = class;
	pkt->becn = qpn & 0x40000000;
	pkt->dqpn = qpn & 0xffffff;
	pkt->ackreq = psn & 0x80000000;
	pkt->psn = psn & RCC_PSN_MASK;
	pkt->syndrome = 0;
	pkt->sqpn = 0;
	if (!class)
		return RCC_WIRE_OPCODE;
	if (!(class & (RCC_OC_AETH | RCC_OC_UD)))
		return RCC_WIRE_OK;
	if (class & RCC_OC_AETH) {
		if (bytes < RCC_BTH_BYTES + 4)
			return RCC_WIRE_SHORT;
		pkt->syndrome = ext[0];
	}
	if (class & RCC_OC_UD) {
		if (bytes < RCC_BTH_BYTES + 8)
			return RCC_WIRE_SHORT;
		pkt->sqpn = rcc_get_be24(ext + 5);
	}
	return RCC_WIRE_OK;
}

/**
 * rcc_wire_parse() - read the headers of a packet
 * @ip: its IP header
 * @linear: bytes readable at @ip; RCC_HDR_MAX_BYTES or @total, whichever is less, is enough
 * @total: bytes of the packet in all
 * @pkt: filled in; of use only if the result is RCC_WIRE_OK, but for the opcode of a short packet (0 if it has none)
 *
 * Nothing beyond @linear is read, whatever the headers claim.
 *
 * Return: RCC_WIRE_OK if every field of @pkt holds, else what is wrong.
 */
enum rcc_wire_err rcc_wire_parse(const u8 *ip, u32 linear, u32 total, struct rcc_pkt *pkt)
{
	enum rcc_wire_err err;
	u32 udp, udp_bytes, ports;

	err = parse_ip(ip, linear, &udp, pkt);
	if (err)
		return err;
	if (linear < udp + RCC_UDP_BYTES)
		return RCC_WIRE_NOT_ROCE;
	ports = rcc_get_be32(ip + udp);
	if ((ports & 0xffff) != RCC_ROCE_PORT)
		return RCC_WIRE_NOT_ROCE;
	udp_bytes = rcc_get_be16(ip + udp + 4);
	pkt->sport = ports >> 16;
	pkt->bth = udp + RCC_UDP_BYTES;
	/* padding of the link layer is no opcode */
	pkt->opcode = udp_bytes > RCC_UDP_BYTES && rcc_min64(linear, pkt->l3_bytes) > pkt->bth ? ip[pkt->bth] : 0;
	if (pkt->l3_bytes > total || udp + udp_bytes != pkt->l3_bytes ||
	    udp_bytes < RCC_UDP_BYTES + RCC_BTH_BYTES + RCC_ICRC_BYTES || linear < pkt->bth + RCC_BTH_BYTES)
		return RCC_WIRE_SHORT;
	return parse_bth(ip + pkt->bth, rcc_min64(linear, pkt->l3_bytes - RCC_ICRC_BYTES) - pkt->bth, pkt);
}

/**
 * rcc_wire_plain() - is this clearly a packet that says nothing about congestion?
 * @ip: its IP header
 * @linear: bytes readable at @ip
 *
 * A request without CE that asks for no READ response: nearly all that a receiver sees, so this is the shortest way to
 * tell. It may say no to such a packet, and says nothing of the packet's other fields.
 *
 * Return: true for a RoCEv2 request without CE that is no READ request.
 */
bool rcc_wire_plain(const u8 *ip, u32 linear)
{
	bool v4 = linear && ip[0] == 0x45;
	u32 udp = v4 ? RCC_IP4_BYTES : RCC_IP6_BYTES;
	const u32 least = RCC_UDP_BYTES + RCC_BTH_BYTES + RCC_ICRC_BYTES;
	u8 opcode;

	if (linear < udp + least || (!v4 && ip[0] >> 4 != 6) ||
	    ((v4 ? ip[1] : ip[1] >> 4) & RCC_ECN_MASK) == RCC_ECN_CE)
		return false;
	opcode = ip[udp + RCC_UDP_BYTES];
	return rcc_get_be16(ip + udp + 2) == RCC_ROCE_PORT && rcc_get_be16(ip + udp + 4) >= least &&
	       (rcc_op_class[opcode] & RCC_OC_REQ) && opcode != RCC_OP_RC_READ_REQUEST;
}

/**
 * rcc_wire_icrc() - compute a packet's invariant CRC
 * @ip: the whole packet, @pkt->l3_bytes in one piece
 * @pkt: what rcc_wire_parse() made of it
 *
 * CRC-32 over 8 bytes of ones and the packet without its last 4 bytes, with every field that a router may change set to
 * ones: TOS, TTL, header checksum; traffic class, flow label, hop limit; UDP checksum; the BTH byte with FECN and BECN.
 *
 * Return: the ICRC, as the little-endian number that stands behind the payload.
 */
u32 rcc_wire_icrc(const u8 *ip, const struct rcc_pkt *pkt)
{
	/* the state of the CRC after the 8 bytes of ones that stand for InfiniBand's LRH */
	const u32 seed = 0xdebb20e3;
	u32 hdr_bytes = pkt->bth + RCC_BTH_BYTES;
	u8 hdr[RCC_IP6_BYTES + RCC_UDP_BYTES + RCC_BTH_BYTES];
	u32 crc;

	memcpy(hdr, ip, hdr_bytes);
	if (pkt->version == 4) {
		hdr[1] = 0xff;
		hdr[8] = 0xff;
		hdr[10] = 0xff;
		hdr[11] = 0xff;
	} else {
		hdr[0] |= 0x0f;
		hdr[1] = 0xff;
		hdr[2] = 0xff;
		hdr[3] = 0xff;
		hdr[7] = 0xff;
	}
	hdr[pkt->bth - 2] = 0xff;
	hdr[pkt->bth - 1] = 0xff;
	hdr[pkt->bth + 4] = 0xff;
	crc = rcc_crc32_le(seed, hdr, hdr_bytes);
	return ~rcc_crc32_le(crc, ip + hdr_bytes, pkt->l3_bytes - RCC_ICRC_BYTES - hdr_bytes);
}

/**
 * rcc_wire_icrc_ok() - does the packet carry the right ICRC?
 * @ip: the whole packet, @pkt->l3_bytes in one piece
 * @pkt: what rcc_wire_parse() made of it
 *
 * Return: true if it does.
 */
bool rcc_wire_icrc_ok(const u8 *ip, const struct rcc_pkt *pkt)
{
	return rcc_wire_icrc(ip, pkt) == rcc_get_le32(ip + pkt->l3_bytes - RCC_ICRC_BYTES);
}

/**
 * rcc_wire_ackreq_delta() - what setting AckReq does to an ICRC
 * @bytes: from the BTH to the end of the packet, ICRC included; at least RCC_BTH_BYTES + RCC_ICRC_BYTES
 *
 * CRCs are linear: CRC(a ^ b) = CRC(a) ^ CRC0(b), where CRC0 begins with zero. So one changed bit changes the ICRC by a
 * number that depends only on how many bytes follow it.
 *
 * Return: what to exclusive-or the ICRC with.
 */
u32 rcc_wire_ackreq_delta(u32 bytes)
{
	static const u8 bit[64] = { 0x80 };
	static const u8 zero[64];
	u32 left = bytes - 8 - RCC_ICRC_BYTES;
	const u8 *from = bit;
	u32 crc = 0;

	while (left) {
		u32 n = left < sizeof(bit) ? left : sizeof(bit);

		crc = rcc_crc32_le(crc, from, n);
		from = zero;
		left -= n;
	}
	return crc;
}

/**
 * rcc_wire_set_ackreq() - ask for an ACK in a packet that does not
 * @ip: the whole packet, in one piece
 * @pkt: what rcc_wire_parse() made of it; its ackreq is false
 * @delta: rcc_wire_ackreq_delta() of its size
 */
void rcc_wire_set_ackreq(u8 *ip, const struct rcc_pkt *pkt, u32 delta)
{
	u8 *icrc = ip + pkt->l3_bytes - RCC_ICRC_BYTES;

	ip[pkt->bth + 8] |= 0x80;
	rcc_put_le32(icrc, rcc_get_le32(icrc) ^ delta);
}

static u32 ip4_checksum(const u8 *ip)
{
	u32 sum = 0, i;

	for (i = 0; i < RCC_IP4_BYTES; i += 2)
		sum += rcc_get_be16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

static void build_ip4(u8 *ip, const struct rcc_flow *flow, u32 bytes)
{
	ip[0] = 0x45;
	ip[1] = flow->dscp << 2 | flow->ecn;
	rcc_put_be16(ip + 2, bytes);
	rcc_put_be16(ip + 4, flow->ip_id);
	ip[6] = 0x40;	/* don't fragment */
	ip[8] = flow->ttl;
	ip[9] = IPPROTO_IS_UDP;
	memcpy(ip + 12, flow->saddr, 4);
	memcpy(ip + 16, flow->daddr, 4);
	rcc_put_be16(ip + 10, ip4_checksum(ip));
}

static void build_ip6(u8 *ip, const struct rcc_flow *flow, u32 bytes)
{
	rcc_put_be16(ip, 0x6000 | flow->dscp << 6 | flow->ecn << 4);
	rcc_put_be16(ip + 4, bytes - RCC_IP6_BYTES);
	ip[6] = IPPROTO_IS_UDP;
	ip[7] = flow->ttl;
	memcpy(ip + 8, flow->saddr, 16);
	memcpy(ip + 24, flow->daddr, 16);
}

/**
 * rcc_wire_build() - write a packet of our own
 * @ip: room for it: IP and UDP header, BTH, @bytes, ICRC
 * @flow: where from, where to
 * @opcode: of the BTH
 * @becn: byte 4 of the BTH: 0x40 sets BECN
 * @body: what stands between BTH and ICRC; NULL: zeroes
 * @bytes: its length
 *
 * With the default P_Key and PSN 0.
 *
 * Return: length of the packet from the IP header to the ICRC.
 */
u32 rcc_wire_build(u8 *ip, const struct rcc_flow *flow, u8 opcode, u8 becn, const u8 *body, u32 bytes)
{
	struct rcc_pkt pkt = {
		.version = flow->version,
		.bth = (flow->version == 4 ? RCC_IP4_BYTES : RCC_IP6_BYTES) + RCC_UDP_BYTES,
	};
	u8 *udp = ip + pkt.bth - RCC_UDP_BYTES;
	u8 *bth = ip + pkt.bth;

	pkt.l3_bytes = pkt.bth + RCC_BTH_BYTES + bytes + RCC_ICRC_BYTES;
	memset(ip, 0, pkt.bth + RCC_BTH_BYTES);
	if (flow->version == 4)
		build_ip4(ip, flow, pkt.l3_bytes);
	else
		build_ip6(ip, flow, pkt.l3_bytes);
	rcc_put_be16(udp, flow->sport);
	rcc_put_be16(udp + 2, RCC_ROCE_PORT);
	rcc_put_be16(udp + 4, pkt.l3_bytes - pkt.bth + RCC_UDP_BYTES);
	bth[0] = opcode;
	rcc_put_be16(bth + 2, 0xffff);
	bth[4] = becn;
	rcc_put_be24(bth + 5, flow->dqpn);
	if (body)
		memcpy(bth + RCC_BTH_BYTES, body, bytes);
	else
		memset(bth + RCC_BTH_BYTES, 0, bytes);
	rcc_put_le32(ip + pkt.l3_bytes - RCC_ICRC_BYTES, rcc_wire_icrc(ip, &pkt));
	return pkt.l3_bytes;
}

/**
 * rcc_wire_build_cnp() - write a congestion notification packet
 * @ip: RCC_CNP_MAX_BYTES of room
 * @flow: where from, where to
 *
 * IBTA A17.9.3: opcode 0x81, BECN set, default P_Key, PSN 0, 16 reserved bytes of zero, ICRC. Not ECN-capable.
 *
 * Return: length of the packet from the IP header to the ICRC.
 */
u32 rcc_wire_build_cnp(u8 *ip, const struct rcc_flow *flow)
{
	return rcc_wire_build(ip, flow, RCC_OP_CNP, 0x40, NULL, RCC_CNP_RESV_BYTES);
}
