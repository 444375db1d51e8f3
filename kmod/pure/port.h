/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a data-centre switch port decides: may a packet come in, is it marked, which queue is next, must the peer pause?
 *
 *	         admit        +-----------------------+
 *	ingress ------------> | 0: ACK, NAK, CNP, PFC | --\
 *	   ^   shared buffer  | 1: data               | ---+-> strict priority -> mark -> wire
 *	   |                  +-----------------------+
 *	   +-- XOFF, XON: bytes that this ingress holds against what is free
 *
 * Only data counts in the buffer. All thresholds are dynamic (Choudhury and Hahne, ToN 1998): a share alpha of what is
 * free at the moment. Marking is RED's on the instantaneous queue, seen when a packet leaves. The caller locks.
 */
#ifndef RCC_PORT_H
#define RCC_PORT_H

#include "shim.h"

/* priorities, in the order in which they are served */
#define RCC_PRIO_CONTROL	0
#define RCC_PRIO_DATA		1
#define RCC_PRIOS		2

/* alpha is counted in eighths; 0: no dynamic threshold, whatever is free may be used */
#define RCC_ALPHA_ONE		8

/**
 * struct rcc_buffer - memory that the ports of a switch share
 * @size_bytes: all of it but for the headrooms
 * @used_bytes: occupied by data
 * @alpha_8: a queue may have that many eighths of what is free; 0: all
 */
struct rcc_buffer {
	u64 size_bytes;
	u64 used_bytes;
	u32 alpha_8;
};

/**
 * struct rcc_ecn - when a port marks
 * @kmin_bytes: up to this queue nothing is marked
 * @kmax_bytes: above this queue everything is; not below @kmin_bytes
 * @pmax_permille: probability at @kmax_bytes, 0..1000
 */
struct rcc_ecn {
	u64 kmin_bytes;
	u64 kmax_bytes;
	u32 pmax_permille;
};

/**
 * struct rcc_ingress - what came in by one port and is still in the switch (PFC)
 * @shared_bytes: in the shared buffer
 * @headroom_used_bytes: in the headroom, where goes what comes after XOFF
 * @headroom_bytes: size of the headroom
 * @xon_offset_bytes: XON comes when the port is that far below the threshold
 * @alpha_8: threshold in eighths of what is free; 0: all
 * @paused: XOFF was sent, and no XON since
 */
struct rcc_ingress {
	u64 shared_bytes;
	u64 headroom_used_bytes;
	u64 headroom_bytes;
	u32 xon_offset_bytes;
	u32 alpha_8;
	bool paused;
};

u64 rcc_buffer_threshold(const struct rcc_buffer *b, u32 alpha_8);
bool rcc_port_admit(const struct rcc_buffer *b, u64 queue_bytes, u32 bytes);
bool rcc_port_mark(const struct rcc_ecn *ecn, u64 queue_bytes, u32 random);
int rcc_port_next(u32 waiting, u32 paused);
bool rcc_ingress_add(struct rcc_buffer *b, struct rcc_ingress *in, u32 bytes);
void rcc_ingress_del(struct rcc_buffer *b, struct rcc_ingress *in, u32 bytes);
bool rcc_ingress_xoff(const struct rcc_buffer *b, const struct rcc_ingress *in);
bool rcc_ingress_xon(const struct rcc_buffer *b, const struct rcc_ingress *in);

#endif /* RCC_PORT_H */
