/* SPDX-License-Identifier: GPL-2.0 */
/* Time and packets: what everything else is made of; see sim.c. */
#ifndef FABSIM_SIM_H
#define FABSIM_SIM_H

#include "shim.h"

#define PS_PER_NS		1000ULL
#define PS_PER_US		1000000ULL
#define PS_PER_SEC		1000000000000ULL
#define NEVER			(~0ULL)
#define ENDLESS			(NEVER - 1)

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member)	((type *)((char *)(ptr) - offsetof(type, member)))

typedef __uint128_t u128;

struct sim;
struct timer;

/**
 * struct timer - something that happens at a time
 * @fire: what happens; the timer is not armed any more
 * @due_ps: when; NEVER: not armed
 * @entry_ps: time of its one live entry in the event list; NEVER: none. An entry may come early: it is then put in anew
 * @id: its place in the table of timers
 */
struct timer {
	void (*fire)(struct sim *s, struct timer *t);
	u64 due_ps;
	u64 entry_ps;
	u32 id;
};

/* one line of the event list: ties in time are broken by the order of insertion, so runs repeat exactly */
struct event {
	u64 at_ps;
	u64 order;		/* insertion number, and below it the timer's id */
};

/* what a packet is */
enum pkt_kind {
	PKT_DATA,
	PKT_ACK,
	PKT_NAK,
	PKT_CNP,
	PKT_XOFF,		/* PFC: stop sending data on this link */
	PKT_XON,
};

#define PKT_CE			0x01	/* data: marked by a switch */
#define PKT_ACKREQ		0x02	/* data: the sender asks for an ACK */
#define PKT_RESENT		0x04	/* data: not for the first time; ACK: caused by such a packet */
#define PKT_ECHO		0x08	/* ACK: counts as a CNP, since a packet that it acknowledges was marked */

/**
 * struct pkt - a packet
 * @next: in whatever queue it is
 * @arrive_ps: in flight: when its last bit arrives
 * @sent_ps: data: when the NIC began to send it; ACK: that of the packet that caused it
 * @flow: index of the flow
 * @psn: data: its number, from 0; ACK, NAK: the number expected next
 * @bytes: on the wire
 * @in_port: in a switch: the port that it came in by
 * @acked: ACK: packets that came since the last one
 * @marked: ACK: how many of them were marked
 * @kind: enum pkt_kind
 * @flags: PKT_* bits
 */
struct pkt {
	struct pkt *next;
	u64 arrive_ps;
	u64 sent_ps;
	u32 flow;
	u32 psn;
	u16 bytes;
	u16 in_port;
	u16 acked;
	u16 marked;
	u8 kind;
	u8 flags;
};

struct fifo {
	struct pkt *head;
	struct pkt *tail;
};

static inline void fifo_push(struct fifo *q, struct pkt *k)
{
	k->next = NULL;
	if (q->head)
		q->tail->next = k;
	else
		q->head = k;
	q->tail = k;
}

static inline struct pkt *fifo_pop(struct fifo *q)
{
	struct pkt *k = q->head;

	if (k)
		q->head = k->next;
	return k;
}

#endif /* FABSIM_SIM_H */
