/* SPDX-License-Identifier: GPL-2.0 */
/* Ports, nodes and the links between them. */
#ifndef FABSIM_FABRIC_H
#define FABSIM_FABRIC_H

#include "port.h"
#include "sim.h"

/* time-weighted distribution of a queue's length */
#define HIST_SUB_BITS		7
#define HIST_SUB		(1 << HIST_SUB_BITS)
#define HIST_BINS		(36 * HIST_SUB)	/* lengths up to 2^42 bytes */

struct hist {
	u64 since_ps;		/* last change */
	u64 now_bytes;
	u64 max_bytes;
	u64 ps[HIST_BINS];	/* time spent in each; the last takes what is longer */
};

/**
 * struct port - one end of a link: what leaves a node, and where it goes
 * @free: fires when the transmission under way ends and something waits
 * @arrive: fires when the first packet in flight arrives at the peer
 * @node: owner
 * @index: among the owner's ports
 * @peer: the port at the other end
 * @rate_bps: of this direction
 * @ps_per_byte: if that is a whole number, else 0
 * @delay_ps: propagation
 * @free_ps: when the transmission under way ends, or has ended
 * @wire: in flight, in the order of arrival
 * @queue: by priority
 * @queue_bytes: data that waits
 * @paused: bits of priorities that the peer has paused
 * @ecn: thresholds of marking
 * @ingress: what came in by this port and is still here (PFC)
 * @hist: distribution of @queue_bytes, or NULL if nobody asks
 * @tx_bytes: bytes of data sent
 * @max_bytes: longest queue of data
 * @marks: packets marked
 * @drops: packets of data dropped that were to leave here
 * @pauses: XOFFs received
 */
struct port {
	struct timer free;
	struct timer arrive;
	struct node *node;
	struct port *peer;
	u64 free_ps;
	u64 ps_per_byte;
	u64 rate_bps;
	u64 delay_ps;
	struct fifo wire;
	struct fifo queue[RCC_PRIOS];
	u64 queue_bytes;
	u32 index;
	u32 paused;
	struct rcc_ecn ecn;
	struct rcc_ingress ingress;
	struct hist *hist;
	u64 tx_bytes;
	u64 max_bytes;
	u64 marks;
	u64 drops;
	u64 pauses;
};

/**
 * struct node - a host or a switch
 * @ports: its ports
 * @nports: how many; a host has one
 * @id: number
 * @is_switch: false: a host
 * @buffer: switch: shared by its ports
 * @ready_head: host: flows that may send now, in turn
 * @ready_tail: host: the last of them
 * @route: switch: for each host that is a destination, where its next hops begin in struct topo; see route.c
 */
struct node {
	struct port *ports;
	u32 nports;
	u32 id;
	bool is_switch;
	struct rcc_buffer buffer;
	struct flow *ready_head;
	struct flow *ready_tail;
	struct hops *route;
};

/* A host's address as in HPCC's simulator: 11.H.L.1 */
static inline u32 node_address(const struct node *n)
{
	return 0x0b000001 + (n->id << 8);
}

/* next hops towards one destination */
struct hops {
	u32 first;		/* in topo.hops */
	u32 count;
};

/**
 * struct link_spec - a link to be made
 * @a: node at one end
 * @b: node at the other end
 * @ab_bps: rate from a to b
 * @ba_bps: rate from b to a
 * @delay_ps: propagation
 */
struct link_spec {
	u32 a;
	u32 b;
	u64 ab_bps;
	u64 ba_bps;
	u64 delay_ps;
};

/**
 * struct leg - an unloaded way from host to host
 * @delay_ps: propagation alone
 * @ser_ps: serialization of one packet on all its links
 * @min_bps: its slowest link
 */
struct leg {
	u64 delay_ps;
	u64 ser_ps;
	u64 min_bps;
};

/**
 * struct topo - the fabric
 * @nodes: all nodes
 * @nnodes: how many
 * @ports: all ports, by node
 * @nports: how many
 * @hops: next hops, as indices of ports; struct hops says where
 * @nhops: how many
 * @hops_room: room in @hops
 * @bottleneck: the port that is watched
 */
struct topo {
	struct node *nodes;
	u32 nnodes;
	struct port *ports;
	u32 nports;
	u16 *hops;
	u32 nhops;
	u32 hops_room;
	struct port *bottleneck;
};

#endif /* FABSIM_FABRIC_H */
