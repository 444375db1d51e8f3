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

/* bounds: an algorithm's private state, its parameters, and its texts with their zero bytes */
#define RCC_STATE_BYTES		192
#define RCC_PARAMS_MAX		24
#define RCC_NAME_BYTES		32
#define RCC_UNIT_BYTES		8
#define RCC_DOC_BYTES		96

/**
 * struct rcc_state - room for an algorithm's private state of one QP
 * @words: the algorithm's own structure lies here, see RCC_STATE()
 */
struct rcc_state {
	u64 words[RCC_STATE_BYTES / 8];
};

/**
 * struct rcc_values - values of an algorithm's parameters
 * @v: in the order of the descriptors; the algorithm's own structure lies here, see RCC_PARAMS_DEFINE()
 */
struct rcc_values {
	u64 v[RCC_PARAMS_MAX];
};

/* The private structure in a state: the compiler checks that there is room. */
#define RCC_STATE(type, state) ({						\
	_Static_assert(sizeof(type) <= RCC_STATE_BYTES, #type " is too large");	\
	(type *)(state)->words;							\
})

/* what can happen to a QP */
enum rcc_event_type {
	RCC_EV_TX = 1,		/* packets left: bytes, packets */
	RCC_EV_ACK,		/* an ACK came: bytes and packets newly acknowledged, perhaps a round trip */
	RCC_EV_CNP,		/* a valid CNP came */
	RCC_EV_RTT,		/* a round trip was measured by other means: rtt_ns, fabric_ns */
	RCC_EV_NACK,		/* the peer saw a gap */
	RCC_EV_TIMEOUT,		/* packets are sent again and no NAK said why */
	RCC_EV_INT,		/* in-band telemetry came */
	RCC_EV_TIMER,		/* the time asked for in decision.timer_ns has come */
	RCC_EV_END,
};

/* the events that an algorithm asks for, as bits */
#define RCC_WANT(type)	(1U << (type))
#define RCC_WANT_ALL	((1U << RCC_EV_END) - 2)

/**
 * struct rcc_event - one thing that happened
 * @now_ns: when, on a clock that never goes back
 * @type: enum rcc_event_type
 * @bytes: on the wire, Ethernet header included. TX: sent. ACK: newly acknowledged; a READ's response counts
 * @packets: TX: packets that left since the last such event; 0 counts as 1. More than one only if none had to wait.
 *	ACK: newly acknowledged
 * @ce_permille: share of the acknowledged packets that were marked CE, 0..1000
 * @rtt_ns: ACK, RTT: the whole round trip of the newest packet, time held in the sender's pacer not included; 0: not
 *	measured. Packets sent more than once are never measured
 * @fabric_ns: the part of @rtt_ns spent in the network; equals it where the peer cannot tell
 * @random: 32 random bits, for algorithms that need chance; 0 in TX events
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
 * @cwnd_bytes: bytes on the wire that may be unacknowledged; 0 = no window. One packet may always be
 * @timer_ns: when to call with RCC_EV_TIMER, once; 0 = never
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
 * @start_bps: rate to begin with: the line rate for a new QP, the rate in use when an algorithm takes over; 0: @line_bps
 * @mtu_bytes: largest packet on the wire
 */
struct rcc_path {
	u64 line_bps;
	u64 base_rtt_ns;
	u64 start_bps;
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
	char name[RCC_NAME_BYTES];
	char unit[RCC_UNIT_BYTES];
	u64 min;
	u64 max;
	u64 value[RCC_PROFILES_SET];
	char doc[RCC_DOC_BYTES];
};

/*
 * An algorithm writes its parameters down once, as a list
 *
 *	#define FOO_PARAMS(p)
 *		p(gain, "/1024", 0, 1024, auto, cx, paper, "what it does")
 *
 * and makes of it: struct foo_params with a u64 of each name, by RCC_PARAMS_DEFINE(foo, FOO_PARAMS); the descriptors, by
 * { FOO_PARAMS(RCC_PARAM_DESC) }; and the index of each, by RCC_PARAM_INDEX(foo, gain).
 */
#define RCC_PARAM_FIELD(name, ...)	u64 name;
#define RCC_PARAM_DESC(name, unit, min, max, auto_, cx, paper, doc)	\
	{ #name, unit, min, max, { auto_, cx, paper }, doc },
#define RCC_PARAMS_DEFINE(alg, list)							\
	struct alg##_params {								\
		list(RCC_PARAM_FIELD)							\
	};										\
	_Static_assert(sizeof(struct alg##_params) <= sizeof(struct rcc_values), #alg ": too many parameters")
#define RCC_PARAM_INDEX(alg, name)	(offsetof(struct alg##_params, name) / sizeof(u64))
#define RCC_NPARAMS(alg)		(sizeof(struct alg##_params) / sizeof(u64))
/* the values, by name */
#define RCC_VALUES(alg, values)		((const struct alg##_params *)(values)->v)

/**
 * struct rcc_alg - an algorithm
 * @name: as written to sysfs, [a-z0-9_], at most RCC_NAME_BYTES - 1
 * @doc: one line
 * @paces: false if the rate is never limited
 * @events: which events it wants, RCC_WANT() bits. With ACK or RTT the caller asks the peer for ACKs about once per round
 *	trip
 * @nparams: number of parameters, at most RCC_PARAMS_MAX
 * @params: their descriptors
 * @scale: AUTO only: change @v to fit @path. May be NULL. The result is clamped to each parameter's range
 * @check: may @v stand together? Returns the index of a parameter that contradicts others, or -1. May be NULL
 * @init: start @state for a QP on @path and say the first decision. @state and @d are zeroed
 * @event: something happened that it wants. @d holds the last decision and is changed in place
 */
struct rcc_alg {
	const char *name;
	const char *doc;
	bool paces;
	u32 events;
	u32 nparams;
	const struct rcc_param *params;
	void (*scale)(struct rcc_values *v, const struct rcc_path *path);
	int (*check)(const struct rcc_values *v);
	void (*init)(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
		     struct rcc_decision *d);
	void (*event)(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev,
		      struct rcc_decision *d);
};

#endif /* RCC_CC_H */
