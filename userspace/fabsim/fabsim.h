/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fabsim: a fabric of hosts and switches, packet by packet, in integer picoseconds.
 *
 *	flow.c    window, pace (pure/pace.h), go-back-N, and the algorithm (kmod/cc) -- one QP
 *	  |            ^
 *	host.c    NIC: ACKs first, then the flows whose time has come, in turn
 *	  v            | ACK, NAK, CNP
 *	link.c    serialization and propagation; what is in flight stands in the link's own FIFO
 *	  v            |
 *	switch.c  shared buffer, priorities, marks, PFC: decisions by pure/port.c; ECMP
 *	  v            |
 *	link.c ...     |
 *	  v            |
 *	host.c -> receiver.c sequence, CE, ACK, NAK, CNP
 *
 * Everything that happens in time is a timer in the one event list (sim.c). The prototypes below stand in the order of
 * that path; the structures before them in the order of nesting.
 */
#ifndef FABSIM_H
#define FABSIM_H

#include <jansson.h>
#include <stdio.h>

#include "algs.h"
#include "np.h"
#include "pace.h"
#include "port.h"

#define PS_PER_NS		1000ULL
#define PS_PER_US		1000000ULL
#define PS_PER_SEC		1000000000000ULL
#define NEVER			(~0ULL)
#define ENDLESS			(NEVER - 1)

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member)	((type *)((char *)(ptr) - offsetof(type, member)))

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
 * @hash: salt of its choice among equal paths
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
	u64 hash;
	struct rcc_buffer buffer;
	struct flow *ready_head;
	struct flow *ready_tail;
	struct hops *route;
};

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

/* what a flow waits for */
enum flow_state {
	FLOW_NEW,		/* its start */
	FLOW_READY,		/* its turn at the NIC */
	FLOW_PACED,		/* its departure time */
	FLOW_BLOCKED,		/* an ACK: window closed, or all is sent */
	FLOW_DONE,		/* nothing: everything is acknowledged, or it was stopped */
};

/* parameters of flows with the same line rate and base RTT */
struct profile {
	struct profile *next;
	struct rcc_path path;
	struct rcc_values values;
};

/**
 * struct flow - a QP that carries one message
 * @pace: timer: start, then departure
 * @rto: timer: retransmission
 * @alg: timer: decision.timer_ns
 * @next: the one after it among those that are ready
 * @port: the sender's NIC
 * @to: the receiver's NIC
 * @profile: parameters
 * @decision: what the algorithm wants
 * @gap: departure times by decision.rate_bps
 * @hash: for ECMP
 * @bytes: payload to send; NEVER: without end
 * @start_ps: when it starts
 * @done_ps: when the last ACK was back, or it was stopped; NEVER: not yet
 * @index: among the flows
 * @sport: UDP source port
 * @dport: destination port
 * @state: what it waits for
 * @paced: the rate is below the line's: departure times hold
 * @recovering: sent from the start again, and no ACK since: NAKs are ignored
 * @stopped: left before its end
 * @packets: to send
 * @nxt: next number to send
 * @una: lowest number that is not acknowledged
 * @max: one more than the highest number ever sent
 * @expected: receiver: number expected next
 * @nak_sent: receiver: the gap has been reported
 * @acked: receiver: packets since the last ACK
 * @marked: receiver: how many of them were marked
 * @cnp_ps: receiver: when the next CNP may leave
 * @delivered: receiver: payload in order, bytes
 * @cc: the algorithm's state
 */
struct flow {
	struct timer pace;
	struct timer rto;
	struct timer alg;
	struct flow *next;
	struct port *port;
	struct port *to;
	const struct profile *profile;
	struct rcc_decision decision;
	struct rcc_pace gap;
	u64 hash;
	u64 bytes;
	u64 start_ps;
	u64 done_ps;
	u32 index;
	u16 sport;
	u16 dport;
	u8 state;
	bool paced;
	bool recovering;
	bool stopped;
	u32 packets;
	u32 nxt;
	u32 una;
	u32 max;
	u32 expected;
	bool nak_sent;
	u16 acked;
	u16 marked;
	u64 cnp_ps;
	u64 delivered;
	struct rcc_state cc;
};

/* one --set */
struct setting {
	const struct rcc_alg *alg;
	u32 index;
	u64 value;
};

#define SETTINGS_MAX		48

enum topo_kind {
	TOPO_INCAST,		/* N hosts, a switch, one receiver */
	TOPO_DUMBBELL,		/* N hosts, two switches, N receivers */
	TOPO_FILE,
};

/* what the command line says; opts.c has the defaults */
struct opts {
	u64 rate_bps;		/* of all links that have none of their own */
	enum topo_kind topo;
	const char *topo_file;
	const char *flows_file;
	const char *out;
	bool json;
	u32 senders;
	u64 host_bps;		/* 0: rate_bps */
	u64 bottleneck_bps;	/* 0: rate_bps */
	u64 delay_ps;
	u32 mtu_bytes;		/* payload */
	u32 header_bytes;
	u32 ack_bytes;
	u64 buffer_bytes;
	u32 alpha_8;
	u64 kmin_bytes;		/* NEVER: by the rate */
	u64 kmax_bytes;
	u32 pmax_permille;
	bool ecn;
	bool pfc;
	bool ns_truncate;
	bool cnp_echo;
	const struct rcc_alg *alg;
	bool preset;		/* hpcc */
	int profile;
	const char *sets[SETTINGS_MAX];	/* as given */
	u32 nsets;
	struct setting settings[2 * SETTINGS_MAX];	/* as understood; a preset's come first */
	u32 nsettings;
	u64 seed;
	u64 size_bytes;		/* NEVER: long */
	u64 duration_ps;	/* 0: until all is done */
	u64 stagger_ps;
	u64 join_ps;		/* 0: none */
	u64 leave_ps;
	u32 leavers;
	u32 window_psn;		/* 0: none */
	u32 ack_every;
	u64 rto_ps;
	u64 sample_ps;
	u64 window_ps;
	u64 warmup_ps;		/* NEVER: by the kind of flows */
};

/**
 * struct samples - what was delivered, looked at regularly
 * @timer: next look
 * @origin_ps: start of the first flow, from which everything is counted
 * @n: looks so far
 * @room: for that many
 * @delivered: bytes by look and flow; NULL if there are too many flows
 * @rate_bps: what the algorithm allowed, likewise
 * @queue_bytes: of the bottleneck, by look
 * @at_warmup: bytes delivered by each flow when the warm-up was over
 * @warmup: fires then
 * @tx_at_warmup: bytes of data that the bottleneck had sent by then
 */
struct samples {
	struct timer timer;
	struct timer warmup;
	u64 origin_ps;
	u32 n;
	u32 room;
	u64 *delivered;
	u64 *rate_bps;
	u64 *queue_bytes;
	u64 *at_warmup;
	u64 tx_at_warmup;
};

/* totals; every packet of data is counted once at each end */
struct counts {
	u64 hops;		/* transmissions on links, of any packet */
	u64 data_sent;
	u64 data_received;
	u64 data_dropped;
	u64 resent;
	u64 acks;
	u64 naks;
	u64 cnps_sent;		/* as packets or on ACKs */
	u64 cnps_handled;
	u64 cnps_ignored;	/* the flow was done */
	u64 timeouts;
	u64 xoffs;
};

/**
 * struct sim - one run
 * @now_ps: the time
 * @heap: the event list, a 4-ary heap
 * @nevents: entries in it
 * @heap_room: room in it
 * @inserted: entries ever put in
 * @timers: all timers, by id
 * @ntimers: how many
 * @timers_room: room for that many
 * @random: state of the random numbers
 * @spare: packets that nobody uses
 * @slabs: where packets come from, each a block that begins with a pointer to the one before
 * @npkts: packets in all slabs
 * @opts: what was asked for
 * @np: parameters of the receivers
 * @topo: the fabric
 * @flows: all flows
 * @nflows: how many
 * @running: flows that are not done and have an end
 * @profiles: parameters, see struct profile
 * @samples: series
 * @leave: when flows leave
 * @end_ps: when the run is over
 * @counts: totals
 */
struct sim {
	u64 now_ps;
	struct event *heap;
	u32 nevents;
	u32 heap_room;
	u64 inserted;
	struct timer **timers;
	u32 ntimers;
	u32 timers_room;
	u64 random;
	struct pkt *spare;
	void *slabs;
	u64 npkts;
	const struct opts *opts;
	struct rcc_values np;
	struct topo topo;
	struct flow *flows;
	u32 nflows;
	u32 running;
	struct profile *profiles;
	struct samples samples;
	struct timer leave;
	u64 end_ps;
	struct counts counts;
};

/* main.c */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *alloc_zeroed(size_t count, size_t bytes);

/* units.c */
int parse_rate(const char *s, u64 *bps);
int parse_time(const char *s, u64 *ps);
int parse_bytes(const char *s, u64 *bytes);
int parse_decimal(const char *s, u64 unit, u64 *value, const char **rest);

/* opts.c, settle.c */
void opts_parse(struct opts *o, int argc, char **argv);
void opts_settle(struct opts *o);
void preset_take(struct opts *o, const char *name);

/* sim.c: time, chance and packets */
void timer_init(struct sim *s, struct timer *t, void (*fire)(struct sim *s, struct timer *t));
void timer_arm(struct sim *s, struct timer *t, u64 at_ps);
void timer_stop(struct timer *t);
void sim_run(struct sim *s, u64 until_ps);
u32 sim_random(struct sim *s);
struct pkt *pkt_alloc(struct sim *s);
void pkt_free(struct sim *s, struct pkt *k);
void sim_free(struct sim *s);

static inline u64 sim_ns(const struct sim *s)
{
	return s->now_ps / PS_PER_NS;
}

static inline bool timer_armed(const struct timer *t)
{
	return t->due_ps != NEVER;
}

/* topo.c, topo_file.c, route.c: the fabric */
void topo_build(struct sim *s);
void topo_make(struct sim *s, u32 nnodes, const bool *is_switch, const struct link_spec *links, u32 nlinks);
void topo_read(struct sim *s, const char *path);
void topo_watch(struct sim *s, struct port *p);
void route_to(struct sim *s, struct node *host);
struct port *route_next(const struct sim *s, const struct node *n, const struct flow *f, const struct port *to);
struct leg route_walk(const struct sim *s, const struct flow *f, struct port *from, struct port *to, u32 bytes);

/* workload.c, workload_file.c: the flows */
void workload_build(struct sim *s);
void workload_alloc(struct sim *s, u32 count);
void workload_add(struct sim *s, u32 src, u32 dst, u64 bytes, u64 start_ps, u16 dport);
void workload_read(struct sim *s, const char *path);

/* flow.c, cc.c: a QP */
void flow_init(struct sim *s, struct flow *f);
void flow_schedule(struct sim *s, struct flow *f);
struct pkt *flow_emit(struct sim *s, struct flow *f);
bool flow_may_send(const struct sim *s, const struct flow *f);
void flow_receive(struct sim *s, struct flow *f, const struct pkt *k);
void flow_stop(struct sim *s, struct flow *f);
u64 flow_departs_ps(const struct flow *f);
u32 flow_wire_bytes(const struct sim *s, const struct flow *f, u32 psn);
u64 flow_span_bytes(const struct sim *s, const struct flow *f, u32 from, u32 to);
void cc_init(struct sim *s, struct flow *f);
void cc_event(struct sim *s, struct flow *f, struct rcc_event *ev);
void cc_timer(struct sim *s, struct timer *t);

/* host.c: a NIC */
void host_ready(struct sim *s, struct flow *f);
void host_send(struct sim *s, struct port *p, struct pkt *k);
void host_kick(struct sim *s, struct port *p);
void host_receive(struct sim *s, struct port *p, struct pkt *k);

/* link.c */
void link_init(struct sim *s, struct port *p);
void link_start(struct sim *s, struct port *p, struct pkt *k);
u64 link_ser_ps(const struct sim *s, const struct port *p, u32 bytes);

/* switch.c */
void switch_kick(struct sim *s, struct port *p);
void switch_receive(struct sim *s, struct port *p, struct pkt *k);
void port_pause(struct sim *s, struct port *p, const struct pkt *k);

/* receiver.c */
void receiver_take(struct sim *s, struct flow *f, struct pkt *k);

/* stats.c, samples.c: figures */
void hist_change(struct hist *h, u64 now_ps, u64 bytes);
void hist_reset(struct hist *h, u64 now_ps);
u64 hist_percentile(const struct hist *h, u32 permille);
double jain(const u64 *values, u32 count);
void samples_init(struct sim *s);
u64 base_rtt_ps(const struct sim *s, const struct flow *f);
u64 ideal_fct_ps(const struct sim *s, const struct flow *f);

/* converge.c, report.c, output.c: what comes of it */
u64 converge_join_ps(const struct sim *s, u32 percent);
u64 converge_leave_ps(const struct sim *s, u32 percent);
void report(struct sim *s, double cpu_s);
void output_write(const struct sim *s, const json_t *summary);

#endif /* FABSIM_H */
