/* SPDX-License-Identifier: GPL-2.0 */
/* A QP that carries one message, both ends of it. */
#ifndef FABSIM_FLOW_H
#define FABSIM_FLOW_H

#include "algs.h"
#include "pace.h"
#include "sim.h"

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

#endif /* FABSIM_FLOW_H */
