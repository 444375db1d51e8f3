/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RoCEv2 on the wire: parse, ICRC, CNP. IPv4 (no options) and IPv6 (no extension headers), as RoCEv2 demands.
 *
 *	| IPv4 20 / IPv6 40 | UDP 8 | BTH 12 | extended headers | payload, pad | ICRC 4 |
 *
 *	BTH   0 opcode   1 SE M Pad2 TVer4   2-3 P_Key   4 FECN BECN resv6   5-7 DestQP   8 A resv7   9-11 PSN
 *	AETH  0 syndrome   1-3 MSN
 *	DETH  0-3 Q_Key   4 resv   5-7 SrcQP
 *	RETH  0-7 address   8-11 R_Key   12-15 length
 *
 * Sources: IBTA vol. 1, chapter 9, annex A17 (RoCEv2).
 */
#ifndef RCC_WIRE_H
#define RCC_WIRE_H

#include "shim.h"

#define RCC_ROCE_PORT		4791
#define RCC_IP4_BYTES		20
#define RCC_IP6_BYTES		40
#define RCC_UDP_BYTES		8
#define RCC_BTH_BYTES		12
#define RCC_ICRC_BYTES		4
#define RCC_RETH_BYTES		16
/* IP header to the end of the longest extended header that the parser reads */
#define RCC_HDR_MAX_BYTES	(RCC_IP6_BYTES + RCC_UDP_BYTES + RCC_BTH_BYTES + 8)

#define RCC_OP_RC_READ_REQUEST	0x0c
#define RCC_OP_RC_ACK		0x11
#define RCC_OP_CNP		0x81
#define RCC_OP_CTL		0xe1	/* manufacturer's range of opcodes */
#define RCC_CNP_RESV_BYTES	16
/* CNP from BTH to ICRC, and the whole packet at most */
#define RCC_CNP_BYTES		(RCC_BTH_BYTES + RCC_CNP_RESV_BYTES + RCC_ICRC_BYTES)
#define RCC_CNP_MAX_BYTES	(RCC_IP6_BYTES + RCC_UDP_BYTES + RCC_CNP_BYTES)

/* ECN field of IPv4 TOS and IPv6 traffic class (RFC 3168) */
#define RCC_ECN_MASK		3
#define RCC_ECN_NOT_ECT		0
#define RCC_ECN_ECT0		2
#define RCC_ECN_CE		3

/* what an opcode is; an opcode of no class is unknown */
#define RCC_OC_RC		0x01	/* reliable connection */
#define RCC_OC_UC		0x02	/* unreliable connection */
#define RCC_OC_UD		0x04	/* unreliable datagram: a DETH with the sender's QPN follows the BTH */
#define RCC_OC_REQ		0x08	/* request: SEND, WRITE, READ request, atomics, FLUSH */
#define RCC_OC_READ_RESP	0x10	/* READ response: data on its way back */
#define RCC_OC_ACK		0x20	/* ACK, NAK or atomic ACK */
#define RCC_OC_AETH		0x40	/* an AETH follows the BTH */
#define RCC_OC_CNP		0x80
#define RCC_OC_CTL		0x100	/* between two rxe_cc hosts, see linkwire.h */

/* AETH syndrome: the kind is 0 for an ACK; the NAK with code 0 says "PSN out of sequence" */
#define RCC_AETH_KIND_MASK	0x60
#define RCC_AETH_RNR_NAK	0x20
#define RCC_AETH_NAK_SEQ	0x60

enum rcc_wire_err {
	RCC_WIRE_OK = 0,
	RCC_WIRE_NOT_ROCE,	/* another protocol or port, options, a fragment: none of our business */
	RCC_WIRE_SHORT,		/* RoCEv2, but truncated or with lengths that contradict each other */
	RCC_WIRE_OPCODE,	/* RoCEv2 with an opcode that nobody defined */
};

/**
 * struct rcc_pkt - what a packet's headers say
 * @l3_bytes: length of the IP packet by its own header, without link-layer padding
 * @bth: offset of the BTH from the IP header
 * @version: 4 or 6
 * @ecn: ECN field
 * @opcode: BTH opcode
 * @class: RCC_OC_* of @opcode
 * @ackreq: the sender asks for an ACK
 * @becn: BECN bit
 * @syndrome: AETH syndrome, if @class has RCC_OC_AETH
 * @dqpn: destination QP
 * @sqpn: source QP, if @class has RCC_OC_UD
 * @psn: packet sequence number
 * @sport: UDP source port
 */
struct rcc_pkt {
	u32 l3_bytes;
	u32 bth;
	u8 version;
	u8 ecn;
	u8 opcode;
	u16 class;
	bool ackreq;
	bool becn;
	u8 syndrome;
	u32 dqpn;
	u32 sqpn;
	u32 psn;
	u16 sport;
};

/**
 * struct rcc_flow - addresses of a packet to be built
 * @version: 4 or 6
 * @dscp: 0..63
 * @ecn: RCC_ECN_*
 * @ttl: TTL or hop limit
 * @sport: UDP source port
 * @ip_id: IPv4 identification
 * @dqpn: destination QP
 * @saddr: source address, network order; IPv4 uses the first 4 bytes
 * @daddr: destination address
 */
struct rcc_flow {
	u8 version;
	u8 dscp;
	u8 ecn;
	u8 ttl;
	u16 sport;
	u16 ip_id;
	u32 dqpn;
	u8 saddr[16];
	u8 daddr[16];
};

extern const u16 rcc_op_class[256];

enum rcc_wire_err rcc_wire_parse(const u8 *ip, u32 linear, u32 total, struct rcc_pkt *pkt);
bool rcc_wire_plain(const u8 *ip, u32 linear);
u32 rcc_wire_icrc(const u8 *ip, const struct rcc_pkt *pkt);
bool rcc_wire_icrc_ok(const u8 *ip, const struct rcc_pkt *pkt);
u32 rcc_wire_ackreq_delta(u32 bytes);
void rcc_wire_set_ackreq(u8 *ip, const struct rcc_pkt *pkt, u32 delta);
u32 rcc_wire_build(u8 *ip, const struct rcc_flow *flow, u8 opcode, u8 becn, const u8 *body, u32 bytes);
u32 rcc_wire_build_cnp(u8 *ip, const struct rcc_flow *flow);

/**
 * rcc_wire_own() - read the headers of a packet that rxe on this host has made
 * @ip: its IP header
 * @bytes: its length, all of it readable
 * @pkt: filled in but for syndrome, sqpn and becn, which say nothing on the way out
 *
 * Its lengths and ports are what rxe always makes them, so only the fields are read.
 *
 * Return: RCC_WIRE_OK, RCC_WIRE_SHORT or RCC_WIRE_OPCODE.
 */
static inline enum rcc_wire_err rcc_wire_own(const u8 *ip, u32 bytes, struct rcc_pkt *pkt)
{
	bool v4 = ip[0] >> 4 == 4;
	u32 bth = (v4 ? RCC_IP4_BYTES : RCC_IP6_BYTES) + RCC_UDP_BYTES;
	u32 psn;

	if (bytes < bth + RCC_BTH_BYTES + RCC_ICRC_BYTES)
		return RCC_WIRE_SHORT;
	psn = rcc_get_be32(ip + bth + 8);
	pkt->l3_bytes = bytes;
	pkt->bth = bth;
	pkt->version = v4 ? 4 : 6;
	pkt->ecn = (v4 ? ip[1] : ip[1] >> 4) & RCC_ECN_MASK;
	pkt->opcode = ip[bth];
	pkt->class = rcc_op_class[pkt->opcode];
	pkt->ackreq = psn >> 31;
	pkt->dqpn = rcc_get_be32(ip + bth + 4) & 0xffffff;
	pkt->psn = psn & 0xffffff;
	pkt->sport = rcc_get_be16(ip + bth - RCC_UDP_BYTES);
	return pkt->class ? RCC_WIRE_OK : RCC_WIRE_OPCODE;
}

/**
 * rcc_wire_read_bytes() - how much does a READ request ask for?
 * @ip: its IP header
 * @pkt: what it is, with @pkt->l3_bytes of at least a READ request's length
 *
 * Return: the DMA length of its RETH, 0..2^32-1.
 */
static inline u32 rcc_wire_read_bytes(const u8 *ip, const struct rcc_pkt *pkt)
{
	return rcc_get_be32(ip + pkt->bth + RCC_BTH_BYTES + RCC_RETH_BYTES - 4);
}

#endif /* RCC_WIRE_H */
