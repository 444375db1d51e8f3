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
#include <stdlib.h>

#include "fabric.h"
#include "flow.h"
#include "opts.h"

/* End with a message that says what is wrong and what would be right. */
#define die(...)					\
	do {						\
		fprintf(stderr, "fabsim: " __VA_ARGS__);	\
		fputc('\n', stderr);			\
		exit(2);				\
	} while (0)

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

/* how many flows a pair of hosts has */
struct pair {
	u64 hosts;
	u32 flows;
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
 * @pairs: pairs of hosts, a hash table
 * @pairs_mask: its size less one
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
	struct pair *pairs;
	u32 pairs_mask;
	u32 running;
	struct profile *profiles;
	struct samples samples;
	struct timer leave;
	u64 end_ps;
	struct counts counts;
};

/* main.c */
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
void output_prepare(const struct sim *s);
void output_write(const struct sim *s, const json_t *summary);

#endif /* FABSIM_H */
