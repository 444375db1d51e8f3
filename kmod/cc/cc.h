/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract between a congestion control algorithm and whoever runs it: the kernel module, BPF, the simulator, tests.
 *
 *	event(state, params, event, decision)
 *
 * The caller tells what happened and when; the algorithm answers in the decision with a rate. It never asks for the
 * time, allocates, locks or prints, so the same events give the same decisions everywhere, bit for bit. The caller
 * serializes the calls for one QP and keeps its state.
 */
#ifndef RCC_CC_H
#define RCC_CC_H

#include "../pure/shim.h"

/* room for an algorithm's private state, and the most parameters it may have */
#define RCC_STATE_BYTES		192
#define RCC_PARAMS_MAX		24

/* what can happen to a QP */
enum rcc_event_type {
	RCC_EV_TX = 1,		/* packets left: bytes, packets */
	RCC_EV_ACK,		/* an ACK came: bytes newly acknowledged */
	RCC_EV_CNP,		/* a valid CNP came */
	RCC_EV_RTT,		/* a round trip was measured: rtt_ns, fabric_ns */
	RCC_EV_NACK,		/* the peer saw a gap */
	RCC_EV_TIMEOUT,		/* packets are sent again and no NAK said why */
	RCC_EV_INT,		/* in-band telemetry came */
	RCC_EV_TIMER,		/* the time asked for in decision.timer_ns has come */
};

/**
 * struct rcc_event - one thing that happened
 * @now_ns: when, on a clock that never goes back
 * @type: enum rcc_event_type
 * @bytes: TX: bytes on the wire, Ethernet header included. ACK: bytes newly acknowledged
 * @packets: TX: packets that left since the last such event; 0 counts as 1. More than one only if none had to wait
 * @ce_permille: share of the acknowledged packets that were marked CE, 0..1000
 * @rtt_ns: RTT: the whole round trip, time held in the sender's pacer not included
 * @fabric_ns: RTT: the part spent in the network; equals @rtt_ns where the peer cannot tell
 * @random: 32 random bits, for algorithms that need chance
 */
struct rcc_event {
	u64 now_ns;
	u32 type;
	u32 bytes;
	u32 packets;
	u32 ce_permille;
	u32 rtt_ns;
	u32 fabric_ns;
	u32 random;
};

/**
 * struct rcc_decision - what the algorithm wants
 * @rate_bps: rate in bits per second on the wire; the caller clamps it to the range of the pacer and counts that
 * @cwnd_bytes: bytes that may be unacknowledged; 0 = no window
 * @timer_ns: when to call with RCC_EV_TIMER; 0 = never
 */
struct rcc_decision {
	u64 rate_bps;
	u64 cwnd_bytes;
	u64 timer_ns;
};

/**
 * struct rcc_path - what is known of the way before the first packet
 * @line_bps: rate of the device
 * @base_rtt_ns: round trip without queues
 * @mtu_bytes: largest packet on the wire
 */
struct rcc_path {
	u64 line_bps;
	u64 base_rtt_ns;
	u32 mtu_bytes;
};

/* named sets of parameters; every algorithm has all of them */
enum rcc_profile {
	RCC_PROFILE_AUTO,	/* scaled to line rate and base RTT: the default */
	RCC_PROFILE_CX,		/* as a ConnectX NIC comes */
	RCC_PROFILE_PAPER,	/* as published */
	RCC_PROFILE_CUSTOM,	/* somebody set a parameter by hand */
};

#define RCC_PROFILES_SET	RCC_PROFILE_CUSTOM	/* those that can be chosen come before it */

/**
 * struct rcc_param - one parameter of an algorithm
 * @name: mlx5's name where there is one
 * @unit: "Mb/s", "us", "bytes", ..., or "" for a number or a flag
 * @min: least value
 * @max: greatest value
 * @value: value in each profile that can be chosen; AUTO may be changed further by the algorithm's scale()
 * @doc: what it does, in one line
 */
struct rcc_param {
	const char *name;
	const char *unit;
	u64 min;
	u64 max;
	u64 value[RCC_PROFILES_SET];
	const char *doc;
};

/**
 * struct rcc_alg - an algorithm
 * @name: as written to sysfs, [a-z0-9_]
 * @doc: one line
 * @paces: false if the rate is never limited
 * @state_bytes: size of the private state, at most RCC_STATE_BYTES
 * @nparams: number of parameters, at most RCC_PARAMS_MAX
 * @params: their descriptors; the values are passed as an array of u64 in this order
 * @scale: AUTO only: change @v to fit @path. May be NULL. The result is clamped to each parameter's range
 * @check: may @v stand together? Returns the index of a parameter that contradicts others, or -1. May be NULL
 * @init: start @state for a QP on @path and say the first decision. @state is zeroed
 * @event: something happened. @d holds the last decision and is changed in place
 */
struct rcc_alg {
	const char *name;
	const char *doc;
	bool paces;
	u32 state_bytes;
	u32 nparams;
	const struct rcc_param *params;
	void (*scale)(u64 *v, const struct rcc_path *path);
	int (*check)(const u64 *v);
	void (*init)(void *state, const u64 *v, const struct rcc_path *path, u64 now_ns, struct rcc_decision *d);
	void (*event)(void *state, const u64 *v, const struct rcc_event *ev, struct rcc_decision *d);
};

#endif /* RCC_CC_H */
