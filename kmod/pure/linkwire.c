// SPDX-License-Identifier: GPL-2.0
/* Trailers and control packets: written, and read with bounds. See linkwire.h. */
#include "linkwire.h"

/* Spread every bit of a word over the upper half (a multiplication by 2^64 / golden ratio, and the halves folded). */
static u64 mix(u64 v)
{
	v *= 0x9e3779b97f4a7c15ULL;
	return v ^ v >> 32;
}

/* A keyed sum of the bytes before it. One per packet and side, so it has to be short; it is no cryptography. */
static u32 trailer_check(const u8 *p, u32 token)
{
	u64 v = (u64)token << 32 | token;

	v = mix(v ^ rcc_get_be64(p));
	v = mix(v ^ rcc_get_be64(p + 8));
	return mix(v ^ token) >> 32;
}

/**
 * rcc_trailer_write() - write a trailer
 * @p: RCC_TRAILER_BYTES of room, behind the ICRC
 * @t: what it says
 * @token: the receiver's
 */
void rcc_trailer_write(u8 *p, const struct rcc_trailer *t, u32 token)
{
	rcc_put_be32(p, t->seq);
	rcc_put_be32(p + 4, t->time_ns);
	rcc_put_be32(p + 8, t->ack);
	rcc_put_be16(p + 12, t->sport);
	p[14] = t->flags;
	p[15] = RCC_LINK_VERSION;
	rcc_put_be32(p + 16, trailer_check(p, token));
}

/**
 * rcc_trailer_read() - read a trailer, if it is one
 * @p: the last RCC_TRAILER_BYTES of a packet
 * @token: the receiver's
 * @t: filled in
 *
 * Return: true if the check is right and the version is ours.
 */
bool rcc_trailer_read(const u8 *p, u32 token, struct rcc_trailer *t)
{
	if (p[15] != RCC_LINK_VERSION || rcc_get_be32(p + 16) != trailer_check(p, token))
		return false;
	t->seq = rcc_get_be32(p);
	t->time_ns = rcc_get_be32(p + 4);
	t->ack = rcc_get_be32(p + 8);
	t->sport = rcc_get_be16(p + 12);
	t->flags = p[14];
	return true;
}

/* Change a 16-bit field of an IPv4 header, and the checksum with it (RFC 1624, equation 3). */
static void ip4_change16(u8 *ip, u32 at, u16 v)
{
	u32 sum = (u16)~rcc_get_be16(ip + 10) + (u16)~rcc_get_be16(ip + at) + v;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	rcc_put_be16(ip + at, v);
	rcc_put_be16(ip + 10, ~sum);
}

/**
 * rcc_link_resize() - fit the headers of a packet to another length, and give it another source port
 * @ip: its IP header
 * @bth: offset of its BTH
 * @bytes: its new length, from the IP header on
 * @sport: UDP source port
 *
 * rxe's packets have no UDP checksum. Applied twice with the old values, it restores every byte.
 */
void rcc_link_resize(u8 *ip, u32 bth, u32 bytes, u16 sport)
{
	u8 *udp = ip + bth - RCC_UDP_BYTES;

	if (ip[0] >> 4 == 4)
		ip4_change16(ip, 2, bytes);
	else
		rcc_put_be16(ip + 4, bytes - RCC_IP6_BYTES);
	rcc_put_be16(udp, sport);
	rcc_put_be16(udp + 4, bytes - bth + RCC_UDP_BYTES);
}

static u32 put_hello(u8 *p, const struct rcc_hello *h)
{
	rcc_put_be32(p, h->token);
	rcc_put_be32(p + 4, h->caps);
	rcc_put_be32(p + 8, h->first);
	rcc_put_be16(p + 12, h->window);
	rcc_put_be16(p + 14, h->flags);
	rcc_put_be32(p + 16, h->hold_us);
	rcc_put_be32(p + 20, h->your_first);
	return RCC_HELLO_BYTES;
}

static bool get_hello(const u8 *p, u32 bytes, struct rcc_hello *h)
{
	if (bytes != RCC_HELLO_BYTES)
		return false;
	h->token = rcc_get_be32(p);
	h->caps = rcc_get_be32(p + 4);
	h->first = rcc_get_be32(p + 8);
	h->window = rcc_get_be16(p + 12);
	h->flags = rcc_get_be16(p + 14);
	h->hold_us = rcc_get_be32(p + 16);
	h->your_first = rcc_get_be32(p + 20);
	return true;
}

static u32 put_sack(u8 *p, const struct rcc_sack_msg *m)
{
	u32 i;

	rcc_put_be32(p, m->cum);
	rcc_put_be32(p + 4, m->echo_seq);
	rcc_put_be32(p + 8, m->echo_time_ns);
	rcc_put_be32(p + 12, m->delay_ns);
	rcc_put_be32(p + 16, m->dups);
	rcc_put_be16(p + 20, m->words);
	rcc_put_be16(p + 22, 0);
	p += 24;
	for (i = 0; i < m->words; i++, p += 8)
		rcc_put_be64(p, m->rcvd[i]);
	for (i = 0; i <= m->words; i++, p += 8)
		rcc_put_be64(p, m->ce[i]);
	return RCC_SACK_BYTES(m->words);
}

static bool get_sack(const u8 *p, u32 bytes, struct rcc_sack_msg *m)
{
	u32 i;

	if (bytes < RCC_SACK_BYTES(0))
		return false;
	m->words = rcc_get_be16(p + 20);
	if (m->words > RCC_LINK_WORDS || bytes != RCC_SACK_BYTES(m->words))
		return false;
	m->cum = rcc_get_be32(p);
	m->echo_seq = rcc_get_be32(p + 4);
	m->echo_time_ns = rcc_get_be32(p + 8);
	m->delay_ns = rcc_get_be32(p + 12);
	m->dups = rcc_get_be32(p + 16);
	p += 24;
	for (i = 0; i < m->words; i++, p += 8)
		m->rcvd[i] = rcc_get_be64(p);
	for (i = 0; i <= m->words; i++, p += 8)
		m->ce[i] = rcc_get_be64(p);
	return true;
}

static u32 put_probe(u8 *p, const struct rcc_probe *probe)
{
	rcc_put_be64(p, probe->t1);
	rcc_put_be32(p + 8, probe->path);
	return RCC_PROBE_BYTES;
}

static bool get_probe(const u8 *p, u32 bytes, struct rcc_probe *probe)
{
	if (bytes != RCC_PROBE_BYTES)
		return false;
	probe->t1 = rcc_get_be64(p);
	probe->t2 = 0;
	probe->t3 = 0;
	probe->path = rcc_get_be32(p + 8);
	return true;
}

static u32 put_probe_reply(u8 *p, const struct rcc_probe *probe)
{
	rcc_put_be64(p, probe->t1);
	rcc_put_be64(p + 8, probe->t2);
	rcc_put_be64(p + 16, probe->t3);
	rcc_put_be32(p + 24, probe->path);
	return RCC_PROBE_REPLY_BYTES;
}

static bool get_probe_reply(const u8 *p, u32 bytes, struct rcc_probe *probe)
{
	if (bytes != RCC_PROBE_REPLY_BYTES)
		return false;
	probe->t1 = rcc_get_be64(p);
	probe->t2 = rcc_get_be64(p + 8);
	probe->t3 = rcc_get_be64(p + 16);
	probe->path = rcc_get_be32(p + 24);
	return true;
}

static u32 put_body(u8 *p, const struct rcc_ctl *ctl)
{
	switch (ctl->type) {
	case RCC_CTL_HELLO:
	case RCC_CTL_HELLO_ACK:
		return put_hello(p, &ctl->hello);
	case RCC_CTL_SACK:
		return put_sack(p, &ctl->sack);
	case RCC_CTL_PROBE:
		return put_probe(p, &ctl->probe);
	case RCC_CTL_PROBE_REPLY:
		return put_probe_reply(p, &ctl->probe);
	}
	return 0;
}

static bool get_body(const u8 *p, u32 bytes, struct rcc_ctl *ctl)
{
	switch (ctl->type) {
	case RCC_CTL_HELLO:
	case RCC_CTL_HELLO_ACK:
		return get_hello(p, bytes, &ctl->hello);
	case RCC_CTL_SACK:
		return get_sack(p, bytes, &ctl->sack);
	case RCC_CTL_PROBE:
		return get_probe(p, bytes, &ctl->probe);
	case RCC_CTL_PROBE_REPLY:
		return get_probe_reply(p, bytes, &ctl->probe);
	case RCC_CTL_BYE:
		return !bytes;
	}
	return false;
}

/**
 * rcc_ctl_build() - write a control packet
 * @ip: RCC_CTL_MAX_BYTES of room
 * @flow: where from, where to
 * @ctl: what it says
 *
 * Return: length of the packet from the IP header to the ICRC.
 */
u32 rcc_ctl_build(u8 *ip, const struct rcc_flow *flow, const struct rcc_ctl *ctl)
{
	u8 body[RCC_CTL_HDR_BYTES + RCC_SACK_BYTES(RCC_LINK_WORDS)];
	u32 bytes = put_body(body + RCC_CTL_HDR_BYTES, ctl);

	body[0] = ctl->type;
	body[1] = RCC_LINK_VERSION;
	rcc_put_be16(body + 2, bytes);
	rcc_put_be32(body + 4, ctl->token);
	return rcc_wire_build(ip, flow, RCC_OP_CTL, 0, body, RCC_CTL_HDR_BYTES + bytes);
}

/**
 * rcc_ctl_parse() - read a control packet
 * @ip: the whole packet, @pkt->l3_bytes in one piece
 * @pkt: what rcc_wire_parse() made of it; its ICRC is not looked at
 * @ctl: filled in
 *
 * Return: true if type, version and all lengths are right.
 */
bool rcc_ctl_parse(const u8 *ip, const struct rcc_pkt *pkt, struct rcc_ctl *ctl)
{
	const u8 *hdr = ip + pkt->bth + RCC_BTH_BYTES;
	u32 bytes = pkt->l3_bytes - pkt->bth - RCC_BTH_BYTES - RCC_ICRC_BYTES;

	if (bytes < RCC_CTL_HDR_BYTES || hdr[1] != RCC_LINK_VERSION || rcc_get_be16(hdr + 2) != bytes - RCC_CTL_HDR_BYTES)
		return false;
	ctl->type = hdr[0];
	ctl->token = rcc_get_be32(hdr + 4);
	return get_body(hdr + RCC_CTL_HDR_BYTES, bytes - RCC_CTL_HDR_BYTES, ctl);
}
