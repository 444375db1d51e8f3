/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The link layer between two rxe_cc hosts: what a QP knows of it.
 *
 *	link.c		handshake, control packets that came, timers, the end of a session
 *	link_say.c	control packets of ours
 *	link_tx.c	trailer, path, clone; SACKs: what came, what goes again, what the algorithm is told
 *	link_rx.c	trailer off, in order, on to rxe; SACKs to the peer
 *
 * Each direction of a QP is a session of its own. A side takes trailers as soon as it knows its peer's token (@known), and
 * sends them once its peer has said that it takes them (@up). Documentation/wire.rst has the handshake.
 */
#ifndef RCC_LINK_H
#define RCC_LINK_H

#include <linux/skbuff.h>
#include <net/dst.h>

#include "pure/reorder.h"
#include "pure/sack.h"
#include "pure/spray.h"

/* why a session ends */
enum rcc_link_end {
	RCC_LINK_BYE,		/* the peer says so */
	RCC_LINK_SILENT,	/* the peer says nothing */
	RCC_LINK_RESET,		/* the QP begins anew, or the link layer is switched off here */
	RCC_LINK_UNMENDED,	/* what is lost does not come again */
};

/**
 * struct rcc_link - a QP's link layer; all of it under the QP's lock
 * @token: ours: what we want to see in packets to us
 * @peer_token: the peer's; valid if @known
 * @first: number of our first packet with a trailer
 * @peer_first: the same of the peer; valid if @known
 * @known: the peer's token is known, and @reorder takes its packets
 * @up: the peer takes our trailers
 * @spraying: no packet without a trailer is on its way that could be overtaken: none was sent, or one with a trailer has come
 * @hellos: HELLOs since the last answer
 * @hello_ns: when the next goes; RCC_SACK_NEVER: none does
 * @wait_ns: until then requests wait for the session; 0: no longer
 * @reply_ns: when a HELLO was answered last, which anybody may have sent
 * @ack_ns: when a HELLO_ACK was
 * @heard_ns: when the peer last said anything, or when we began to wait for it
 * @moved_ns: when the peer last acknowledged anything that others waited for, or when we began to wait for it
 * @stuck: sessions in a row that ended because nothing was acknowledged
 * @beyond: packets in a row that are outside the window
 * @unmended: gaps given up since a repeat of the peer's came
 * @hold_ns: how long a gap in what the peer sends may hold back what follows
 * @sack_ns: when a SACK goes; RCC_SACK_NEVER: nothing to say
 * @ce_pending: packets with CE since the last SACK
 * @unasked: packets sent since the last one that asked for a SACK
 * @asked_ns: when that left
 * @credit: lost packets that may go again whatever the rate is
 * @fence: number behind the last packet sent that an ACK must not overtake
 * @marks: CE marks that the algorithm was not told of, 1024 each
 * @ce_ns: when the last mark came
 * @cnp_ns: when the algorithm was told last
 * @loss: share of packets that are lost, smoothed, 65536 = all
 * @nack_ns: when the algorithm was told of a loss last
 * @turn: path of the last SACK, HELLO or HELLO_ACK
 * @dst: the route of the QP's packets, with a reference; NULL: none left yet
 * @dst_cookie: what dst_check() wants of it
 * @delivering: somebody hands @ready on with the lock dropped
 * @ready: received packets in order
 * @repeats: packets sent again
 * @lost: packets found lost
 * @spurious: repeats for nothing
 * @disordered: packets that came before an earlier one
 * @skipped: packets given up
 * @sack: what we send
 * @reorder: what we get
 * @spray: by which paths
 */
struct rcc_link {
	u32 token;
	u32 peer_token;
	u32 first;
	u32 peer_first;
	bool known;
	bool up;
	bool spraying;
	bool delivering;
	u8 hellos;
	u8 turn;
	u64 hello_ns;
	u64 wait_ns;
	u64 reply_ns;
	u64 ack_ns;
	u64 heard_ns;
	u64 moved_ns;
	u32 stuck;
	u32 beyond;
	u32 unmended;
	u64 hold_ns;
	u64 sack_ns;
	u32 ce_pending;
	u32 unasked;
	u64 asked_ns;
	u32 credit;
	u32 fence;
	u32 marks;
	u64 ce_ns;
	u64 cnp_ns;
	u32 loss;
	u64 nack_ns;
	struct dst_entry *dst;
	u32 dst_cookie;
	struct sk_buff_head ready;
	u64 repeats;
	u64 lost;
	u64 spurious;
	u64 disordered;
	u64 skipped;
	struct rcc_sack sack;
	struct rcc_reorder reorder;
	struct rcc_spray spray;
};

#endif /* RCC_LINK_H */
