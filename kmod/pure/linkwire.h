/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What two rxe_cc hosts say to each other beyond RoCEv2: a trailer behind the ICRC of packets, and control packets.
 *
 *	| IP | UDP | BTH | ... | ICRC 4 | trailer 20 |
 *
 *	trailer   0-3 seq   4-7 time   8-11 ack   12-13 source port   14 flags   15 version   16-19 check
 *
 *	| IP | UDP | BTH 12, opcode 0xe1 | control header 8 | body | ICRC 4 |
 *
 *	header    0 type   1 version   2-3 length of the body   4-7 token of the receiver
 *	HELLO, HELLO_ACK   0-3 token of the sender   4-7 capabilities   8-11 first seq   12-13 window   14-15 flags
 *			   16-19 longest wait for a gap, us   20-23 first seq of the receiver of this
 *	SACK      0-3 cum   4-7 echo seq   8-11 echo time   12-15 delay, ns   16-19 packets that came twice   20-21 words
 *		  22-23 zero   then words of 8 bytes: what has come, from cum on; then words + 1: CE, from cum - 64 on
 *	PROBE     0-7 t1   8-11 path
 *	PROBE_REPLY   0-7 t1   8-15 t2   16-23 t3   24-27 path
 *	BYE       empty
 *
 * Numbers are big-endian; of a word of a bitmap, the least significant bit is the lowest sequence number. Each side of a
 * connection has a random token that only its peer is told; the check of a trailer is a sum of its bytes 0 to 15 keyed
 * with the token of the receiver, so that who has not seen the handshake can make none but by chance. Documentation/wire.rst.
 */
#ifndef RCC_LINKWIRE_H
#define RCC_LINKWIRE_H

#include "wire.h"

#define RCC_LINK_VERSION	1
#define RCC_LINK_WINDOW		512	/* packets: what the receiver can put in order, what the sender keeps */
#define RCC_LINK_WORDS		(RCC_LINK_WINDOW / 64)

#define RCC_TRAILER_BYTES	20
#define RCC_CTL_HDR_BYTES	8
#define RCC_HELLO_BYTES		24
#define RCC_SACK_BYTES(words)	(24 + 8 * (2 * (words) + 1))
#define RCC_PROBE_BYTES		12
#define RCC_PROBE_REPLY_BYTES	28
/* the longest control packet, with its IP header */
#define RCC_CTL_MAX_BYTES	(RCC_IP6_BYTES + RCC_UDP_BYTES + RCC_BTH_BYTES + RCC_CTL_HDR_BYTES + \
				 RCC_SACK_BYTES(RCC_LINK_WORDS) + RCC_ICRC_BYTES)

/* flags of a trailer */
#define RCC_TR_REPEAT	0x01	/* was sent before */
#define RCC_TR_ACK	0x02	/* an ACK that may be handed on before packets of lower numbers */
#define RCC_TR_ASK	0x04	/* the sender wants a SACK at once */

/* capabilities */
#define RCC_CAP_SACK	0x01	/* puts in order, and says what has come */
#define RCC_CAP_PROBE	0x02	/* answers PROBE */
#define RCC_CAPS	(RCC_CAP_SACK | RCC_CAP_PROBE)

/* flags of HELLO_ACK */
#define RCC_HELLO_READY	0x01	/* the sender of this takes trailers from the receiver's first seq on, as named here */

enum rcc_ctl_type {
	RCC_CTL_HELLO = 1,
	RCC_CTL_HELLO_ACK,
	RCC_CTL_SACK,
	RCC_CTL_PROBE,
	RCC_CTL_PROBE_REPLY,
	RCC_CTL_BYE,
	RCC_CTL_END,
};

/**
 * struct rcc_trailer - what a packet says of itself to the peer's link layer
 * @seq: number of the packet, of its QP and direction
 * @time_ns: when it left, low 32 bits of the sender's clock; the peer gives them back
 * @ack: the sender has all packets of the other direction before this number
 * @sport: UDP source port that rxe gave the packet
 * @flags: RCC_TR_*
 */
struct rcc_trailer {
	u32 seq;
	u32 time_ns;
	u32 ack;
	u16 sport;
	u8 flags;
};

/**
 * struct rcc_hello - one side of the handshake
 * @token: the sender's: what it wants to see in packets to it
 * @caps: RCC_CAP_* that it has
 * @first: number of the first packet with a trailer that it sends
 * @window: packets that it can put in order
 * @flags: RCC_HELLO_*
 * @hold_us: how long the receiver may wait for a missing packet before it hands on what came after
 * @your_first: HELLO_ACK with RCC_HELLO_READY: number of the first packet with a trailer that the sender of this takes
 */
struct rcc_hello {
	u32 token;
	u32 caps;
	u32 first;
	u16 window;
	u16 flags;
	u32 hold_us;
	u32 your_first;
};

/**
 * struct rcc_sack_msg - what has come
 * @cum: all packets before this number have come or were given up
 * @echo_seq: the packet that came last
 * @echo_time_ns: the time in its trailer
 * @delay_ns: how long ago it came
 * @dups: packets that came twice so far, modulo 2^32
 * @words: words of @rcvd that count, 0..RCC_LINK_WORDS
 * @rcvd: bit i of word w: packet @cum + 64 w + i has come
 * @ce: bit i of word w: packet @cum - 64 + 64 w + i came with CE; @words + 1 words count
 */
struct rcc_sack_msg {
	u32 cum;
	u32 echo_seq;
	u32 echo_time_ns;
	u32 delay_ns;
	u32 dups;
	u32 words;
	u64 rcvd[RCC_LINK_WORDS];
	u64 ce[RCC_LINK_WORDS + 1];
};

/**
 * struct rcc_probe - a round trip without data
 * @t1: sender's clock when the PROBE left, ns
 * @t2: peer's clock when it came; 0 in a PROBE
 * @t3: peer's clock when the reply left; 0 in a PROBE
 * @path: the sender's path
 */
struct rcc_probe {
	u64 t1;
	u64 t2;
	u64 t3;
	u32 path;
};

/**
 * struct rcc_ctl - a control packet
 * @type: enum rcc_ctl_type
 * @token: the receiver's; of HELLO_ACK the one that the HELLO had; 0 in a HELLO
 * @hello: HELLO and HELLO_ACK
 * @sack: SACK
 * @probe: PROBE and PROBE_REPLY
 */
struct rcc_ctl {
	u8 type;
	u32 token;
	union {
		struct rcc_hello hello;
		struct rcc_sack_msg sack;
		struct rcc_probe probe;
	};
};

void rcc_trailer_write(u8 *p, const struct rcc_trailer *t, u32 token);
bool rcc_trailer_read(const u8 *p, u32 token, struct rcc_trailer *t);
u32 rcc_ctl_build(u8 *ip, const struct rcc_flow *flow, const struct rcc_ctl *ctl);
bool rcc_ctl_parse(const u8 *ip, const struct rcc_pkt *pkt, struct rcc_ctl *ctl);

void rcc_link_resize(u8 *ip, u32 bth, u32 bytes, u16 sport);

#endif /* RCC_LINKWIRE_H */
