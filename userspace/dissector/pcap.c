// SPDX-License-Identifier: GPL-2.0
/*
 * pcap - write a capture with one packet of each kind that the dissector must tell apart.
 *
 *	pcap FILE		prints the name of each packet, in order
 *	pcap FILE COUNT		writes each that often, with random bytes changed, and cut or with more behind it
 *
 * The bytes are made by the very code of the module (kmod/pure), so code and dissector cannot drift apart unseen. Packets that
 * nobody should send are made of good ones.
 */
#include <stdio.h>
#include <stdlib.h>

#include "linkwire.h"

#define LINKTYPE_RAW	101	/* the packet begins with its IP header */
#define PACKET_MAX	6000
#define TOKEN_A		0xaaaa0001u
#define TOKEN_B		0xbbbb0002u
#define QPN_A		0x11
#define QPN_B		0x22
#define OP_SEND_ONLY		0x04
#define OP_WRITE_ONLY_IMM	0x0b
#define OP_READ_RESPONSE_MIDDLE	0x0e

static FILE *out;
static u8 packet[PACKET_MAX];
static u32 seconds;
static unsigned int damaged;	/* copies of each packet, instead of the packet */

static void write_u32(u32 v)
{
	fwrite(&v, sizeof(v), 1, out);
}

static void open_file(const char *name)
{
	out = fopen(name, "wb");
	if (!out) {
		perror(name);
		exit(1);
	}
	write_u32(0xa1b2c3d4);
	write_u32(4 << 16 | 2);
	write_u32(0);
	write_u32(0);
	write_u32(PACKET_MAX);
	write_u32(LINKTYPE_RAW);
}

static void write_packet(u32 bytes, u32 cut)
{
	write_u32(++seconds);
	write_u32(0);
	write_u32(bytes - cut);
	write_u32(bytes);
	fwrite(packet, bytes - cut, 1, out);
}

static u32 bth_of(void)
{
	return (packet[0] >> 4 == 4 ? RCC_IP4_BYTES : RCC_IP6_BYTES) + RCC_UDP_BYTES;
}

/* The headers below the BTH stay, but for lengths: they are Wireshark's business. */
static void write_damaged(u32 bytes)
{
	const u32 bth = bth_of(), now = bth + rand() % (bytes - bth + 64);
	u8 good[PACKET_MAX];
	int i;

	memcpy(good, packet, sizeof(good));
	for (i = rand() % 4; now > bth && i; i--)
		packet[bth + rand() % (now - bth)] = rand();
	rcc_link_resize(packet, bth, now, rcc_get_be16(packet + bth - RCC_UDP_BYTES));
	write_packet(now, 0);
	memcpy(packet, good, sizeof(good));
}

/* @cut: bytes at the end that were not captured. */
static void save(const char *name, u32 bytes, u32 cut)
{
	unsigned int i;

	for (i = 0; i < damaged; i++)
		write_damaged(bytes);
	if (damaged)
		return;
	write_packet(bytes, cut);
	puts(name);
}

/* From A to B if @to_b, else back. IPv4: 10.0.1.1 and 10.0.2.1, IPv6: fd00:1::1 and fd00:2::1. */
static struct rcc_flow flow(int version, bool to_b)
{
	static const u8 ip4[2][16] = { { 10, 0, 1, 1 }, { 10, 0, 2, 1 } };
	static const u8 ip6[2][16] = { { 0xfd, 0, 0, 1, [15] = 1 }, { 0xfd, 0, 0, 2, [15] = 1 } };
	struct rcc_flow fl = {
		.version = version, .ttl = 64, .sport = 0xc123, .ip_id = 7, .dqpn = to_b ? QPN_B : QPN_A,
	};

	memcpy(fl.saddr, version == 4 ? ip4[!to_b] : ip6[!to_b], 16);
	memcpy(fl.daddr, version == 4 ? ip4[to_b] : ip6[to_b], 16);
	return fl;
}

static u32 build_ctl(int version, bool to_b, const struct rcc_ctl *ctl)
{
	struct rcc_flow fl = flow(version, to_b);

	return rcc_ctl_build(packet, &fl, ctl);
}

/* After bytes of the packet were changed. */
static void fix_icrc(u32 bytes)
{
	struct rcc_pkt pkt = { .version = packet[0] >> 4, .bth = bth_of(), .l3_bytes = bytes };

	rcc_put_le32(packet + bytes - RCC_ICRC_BYTES, rcc_wire_icrc(packet, &pkt));
}

static u32 build_data(int version, bool to_b, u8 opcode, u32 bytes)
{
	static u8 body[4096];
	struct rcc_flow fl = flow(version, to_b);
	u32 i;

	for (i = 0; i < bytes; i++)
		body[i] = i;
	return rcc_wire_build(packet, &fl, opcode, 0, body, bytes);
}

/* What the sender does with a packet of rxe: the trailer, and another source port. */
static u32 add_trailer(u32 bytes, const struct rcc_trailer *t, u32 token)
{
	rcc_trailer_write(packet + bytes, t, token);
	bytes += RCC_TRAILER_BYTES;
	rcc_link_resize(packet, bth_of(), bytes, 0xd00d);
	return bytes;
}

static void save_handshake(int version)
{
	struct rcc_ctl ctl = {
		.type = RCC_CTL_HELLO,
		.hello = { .token = TOKEN_A, .caps = RCC_CAPS, .first = 1000, .window = 512, .hold_us = 33554 },
	};

	save(version == 4 ? "hello" : "hello6", build_ctl(version, true, &ctl), 0);
	ctl.type = RCC_CTL_HELLO_ACK;
	ctl.token = TOKEN_A;
	ctl.hello = (struct rcc_hello) { .token = TOKEN_B, .caps = RCC_CAP_SACK, .first = 2000, .window = 512, .hold_us = 64000 };
	save(version == 4 ? "hello_ack" : "hello_ack6", build_ctl(version, false, &ctl), 0);
	ctl.token = TOKEN_B;
	ctl.hello = (struct rcc_hello) {
		.token = TOKEN_A, .caps = RCC_CAPS, .first = 1000, .window = 512, .flags = RCC_HELLO_READY, .hold_us = 33554,
		.your_first = 2000,
	};
	save(version == 4 ? "ready" : "ready6", build_ctl(version, true, &ctl), 0);
}

static void save_sacks(void)
{
	struct rcc_ctl ctl = {
		.type = RCC_CTL_SACK,
		.token = TOKEN_A,
		.sack = { .cum = 1010, .echo_seq = 1009, .echo_time_ns = 123456, .delay_ns = 789, .dups = 3 },
	};
	u32 bytes;

	save("sack_plain", build_ctl(4, false, &ctl), 0);
	/* 1011..1013, 1073, 1074 (across words), 1137 (the last) have come; 946, 1009, 1011 and 1074 with CE */
	ctl.sack.words = 2;
	ctl.sack.rcvd[0] = 0x800000000000000eULL;
	ctl.sack.rcvd[1] = 0x8000000000000001ULL;
	ctl.sack.ce[0] = 0x8000000000000001ULL;
	ctl.sack.ce[1] = 2;
	ctl.sack.ce[2] = 1;
	save("sack", build_ctl(4, false, &ctl), 0);
	bytes = build_ctl(4, false, &ctl);
	packet[bytes - 5] ^= 1;
	save("sack_bad_icrc", bytes, 0);
	bytes = build_ctl(4, false, &ctl);
	packet[bth_of() + RCC_BTH_BYTES + RCC_CTL_HDR_BYTES + 21] = 1;
	fix_icrc(bytes);
	save("sack_bad_words", bytes, 0);
	save("sack_cut", build_ctl(4, false, &ctl), 50);
	/* numbers go round: 4294967294..1 have come */
	ctl.sack.cum = 0xfffffffd;
	ctl.sack.rcvd[0] = 0x1e;
	ctl.sack.words = 1;
	ctl.sack.ce[0] = 0;
	ctl.sack.ce[1] = 0x1e;
	save("sack_wraps", build_ctl(6, false, &ctl), 0);
}

static void save_others(void)
{
	struct rcc_ctl ctl = {
		.type = RCC_CTL_PROBE, .token = TOKEN_B, .probe = { .t1 = 0x123456789abcdefULL, .path = 5 },
	};
	u32 bytes;

	save("probe", build_ctl(6, true, &ctl), 0);
	ctl.type = RCC_CTL_PROBE_REPLY;
	ctl.token = TOKEN_A;
	ctl.probe.t2 = 5000000000ULL;
	ctl.probe.t3 = 5000000700ULL;
	save("probe_reply", build_ctl(6, false, &ctl), 0);
	ctl.type = RCC_CTL_BYE;
	save("bye", build_ctl(4, false, &ctl), 0);

	bytes = build_ctl(4, false, &ctl);
	packet[bth_of() + RCC_BTH_BYTES] = 9;
	fix_icrc(bytes);
	save("bad_type", bytes, 0);
	bytes = build_ctl(4, false, &ctl);
	packet[bth_of() + RCC_BTH_BYTES + 1] = 2;
	fix_icrc(bytes);
	save("bad_version", bytes, 0);
	bytes = build_ctl(4, false, &ctl);
	packet[bth_of() + RCC_BTH_BYTES + 3] = 1;
	fix_icrc(bytes);
	save("bad_length", bytes, 0);
	bytes = build_ctl(4, false, &ctl);
	packet[bth_of() + RCC_BTH_BYTES] = RCC_CTL_PROBE;
	fix_icrc(bytes);
	save("bad_body", bytes, 0);
	save("short", build_data(4, true, RCC_OP_CTL, 4), 0);
}

static void save_trailed(void)
{
	struct rcc_trailer t = { .seq = 1002, .time_ns = 3000000000u, .ack = 2005, .sport = 0xc123 };
	u32 bytes;

	bytes = build_data(4, true, OP_SEND_ONLY, 64);
	save("plain", bytes, 0);
	save("trailed", add_trailer(bytes, &t, TOKEN_B), 0);
	t.flags = RCC_TR_ACK;
	save("trailed_ack6", add_trailer(build_data(6, true, RCC_OP_RC_ACK, 4), &t, TOKEN_B), 0);
	t.flags = RCC_TR_REPEAT | RCC_TR_ASK;
	save("trailed_write6", add_trailer(build_data(6, true, OP_WRITE_ONLY_IMM, 16 + 4 + 1024), &t, TOKEN_B), 0);
	t.flags = 0;
	bytes = add_trailer(build_data(4, false, OP_READ_RESPONSE_MIDDLE, 4096), &t, TOKEN_A);
	/* what routers do */
	packet[1] |= RCC_ECN_CE;
	packet[8]--;
	save("trailed_ce", bytes, 0);
	save("trailed_cut", bytes, 1000);
}

static void save_bad_trailers(void)
{
	struct rcc_trailer t = { .seq = 1002, .time_ns = 3000000000u, .ack = 2005, .sport = 0xc123 };
	u32 bytes = add_trailer(build_data(4, true, OP_SEND_ONLY, 64), &t, TOKEN_B);

	packet[bytes - 1] ^= 1;
	save("bad_check", bytes, 0);
	bytes = add_trailer(build_data(4, true, OP_SEND_ONLY, 64), &t, TOKEN_B);
	packet[bytes - 40] ^= 1;
	save("bad_payload", bytes, 0);
	bytes = add_trailer(build_data(4, true, OP_SEND_ONLY, 64), &t, TOKEN_B);
	packet[bytes - 7] ^= 1;
	save("bad_sport", bytes, 0);
}

static void save_foreign(void)
{
	struct rcc_trailer t = { .seq = 5, .ack = 6, .sport = 0xc456 };
	struct rcc_flow fl = flow(4, true);
	u32 bytes;

	save("cnp", rcc_wire_build_cnp(packet, &fl), 0);
	/* a handshake that was not captured */
	fl.dqpn = 0x33;
	fl.sport = 0xc456;
	bytes = rcc_wire_build(packet, &fl, OP_SEND_ONLY, 0, NULL, 100);
	save("trailed_unknown", add_trailer(bytes, &t, 0xcccc0003u), 0);
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: pcap FILE [COUNT]\n");
		return 2;
	}
	damaged = argc == 3 ? atoi(argv[2]) : 0;
	open_file(argv[1]);
	save_handshake(4);
	save_handshake(6);
	save_sacks();
	save_others();
	save_trailed();
	save_bad_trailers();
	save_foreign();
	return fclose(out) ? 1 : 0;
}
