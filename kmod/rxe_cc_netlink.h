/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * Generic netlink family "rxe_cc": what is said on the wire. Documentation/netlink/specs/rxe_cc.yaml says what each
 * attribute means; a test compares names and numbers.
 */
#ifndef RXE_CC_NETLINK_H
#define RXE_CC_NETLINK_H

#define RXE_CC_FAMILY_NAME	"rxe_cc"
#define RXE_CC_FAMILY_VERSION	1

#define RXE_CC_NAME_MAX_LEN		63
#define RXE_CC_QPN_MAX			0xffffff
#define RXE_CC_LINE_RATE_MAX_MBPS	800000
#define RXE_CC_ENTROPIES_MAX		64

/**
 * enum rxe_cc_qp_type - kind of transport, with the numbers of the RDMA subsystem
 * @RXE_CC_QP_TYPE_RC: reliable connection; the only one that is paced
 * @RXE_CC_QP_TYPE_UC: unreliable connection
 * @RXE_CC_QP_TYPE_UD: unreliable datagrams
 */
enum rxe_cc_qp_type {
	RXE_CC_QP_TYPE_RC = 2,
	RXE_CC_QP_TYPE_UC,
	RXE_CC_QP_TYPE_UD,
};

/**
 * enum rxe_cc_alg_kind - where an algorithm comes from
 * @RXE_CC_ALG_KIND_BUILTIN: part of the module
 * @RXE_CC_ALG_KIND_MODULE: registered by another module
 * @RXE_CC_ALG_KIND_BPF: a BPF struct_ops program
 */
enum rxe_cc_alg_kind {
	RXE_CC_ALG_KIND_BUILTIN,
	RXE_CC_ALG_KIND_MODULE,
	RXE_CC_ALG_KIND_BPF,
};

/**
 * enum rxe_cc_event - what an algorithm can be told: RCC_WANT() of cc/cc.h
 * @RXE_CC_EVENT_TX: packets left
 * @RXE_CC_EVENT_ACK: an ACK came
 * @RXE_CC_EVENT_CNP: a CNP came
 * @RXE_CC_EVENT_RTT: a round trip was measured by other means than an ACK
 * @RXE_CC_EVENT_NACK: the peer saw a gap
 * @RXE_CC_EVENT_TIMEOUT: packets are sent again and no NAK said why
 * @RXE_CC_EVENT_INT: in-band telemetry came
 * @RXE_CC_EVENT_TIMER: the time that the algorithm asked for has come
 */
enum rxe_cc_event {
	RXE_CC_EVENT_TX = 1 << 1,
	RXE_CC_EVENT_ACK = 1 << 2,
	RXE_CC_EVENT_CNP = 1 << 3,
	RXE_CC_EVENT_RTT = 1 << 4,
	RXE_CC_EVENT_NACK = 1 << 5,
	RXE_CC_EVENT_TIMEOUT = 1 << 6,
	RXE_CC_EVENT_INT = 1 << 7,
	RXE_CC_EVENT_TIMER = 1 << 8,
};

/**
 * enum rxe_cc_link_state - how far the link layer of a QP is with its peer's
 * @RXE_CC_LINK_STATE_NONE: there is none; packets are standard RoCEv2
 * @RXE_CC_LINK_STATE_HELLO: HELLO was said; no answer came yet, or the peer is not ready
 * @RXE_CC_LINK_STATE_UP: packets have trailers, and lost ones go again
 */
enum rxe_cc_link_state {
	RXE_CC_LINK_STATE_NONE,
	RXE_CC_LINK_STATE_HELLO,
	RXE_CC_LINK_STATE_UP,
};

enum {
	RXE_CC_A_COUNTER_PAD = 1,
	RXE_CC_A_COUNTER_NAME,
	RXE_CC_A_COUNTER_VALUE,

	__RXE_CC_A_COUNTER_MAX,
	RXE_CC_A_COUNTER_MAX = (__RXE_CC_A_COUNTER_MAX - 1)
};

enum {
	RXE_CC_A_DEV_PAD = 1,
	RXE_CC_A_DEV_NAME,
	RXE_CC_A_DEV_ALGORITHM,
	RXE_CC_A_DEV_PROFILE,
	RXE_CC_A_DEV_ECN,
	RXE_CC_A_DEV_LINE_RATE_MBPS,
	RXE_CC_A_DEV_BASE_RTT_NS,
	RXE_CC_A_DEV_QPS,
	RXE_CC_A_DEV_HELD_PACKETS,
	RXE_CC_A_DEV_COUNTER,
	RXE_CC_A_DEV_LINK,
	RXE_CC_A_DEV_SPRAY,
	RXE_CC_A_DEV_ENTROPIES,
	RXE_CC_A_DEV_KEPT_PACKETS,
	RXE_CC_A_DEV_WAITING_PACKETS,

	__RXE_CC_A_DEV_MAX,
	RXE_CC_A_DEV_MAX = (__RXE_CC_A_DEV_MAX - 1)
};

enum {
	RXE_CC_A_PATH_PAD = 1,
	RXE_CC_A_PATH_INDEX,
	RXE_CC_A_PATH_PORT,
	RXE_CC_A_PATH_DEAD,
	RXE_CC_A_PATH_WEIGHT_PERMILLE,
	RXE_CC_A_PATH_SENT,
	RXE_CC_A_PATH_CAME,
	RXE_CC_A_PATH_MARKED,
	RXE_CC_A_PATH_LOST,
	RXE_CC_A_PATH_RTT_NS,
	RXE_CC_A_PATH_CE_PERMILLE,

	__RXE_CC_A_PATH_MAX,
	RXE_CC_A_PATH_MAX = (__RXE_CC_A_PATH_MAX - 1)
};

enum {
	RXE_CC_A_QP_PAD = 1,
	RXE_CC_A_QP_DEV,
	RXE_CC_A_QP_QPN,
	RXE_CC_A_QP_TYPE,
	RXE_CC_A_QP_ALGORITHM,
	RXE_CC_A_QP_ALGORITHM_SET,
	RXE_CC_A_QP_RATE_BPS,
	RXE_CC_A_QP_CWND_BYTES,
	RXE_CC_A_QP_UNACKED_BYTES,
	RXE_CC_A_QP_RTT_NS,
	RXE_CC_A_QP_PEER_IPV4,
	RXE_CC_A_QP_PEER_IPV6,
	RXE_CC_A_QP_PEER_QPN,
	RXE_CC_A_QP_TX_PACKETS,
	RXE_CC_A_QP_TX_BYTES,
	RXE_CC_A_QP_RETRANS_PACKETS,
	RXE_CC_A_QP_RX_CE_PACKETS,
	RXE_CC_A_QP_TX_CNPS,
	RXE_CC_A_QP_RX_CNPS,
	RXE_CC_A_QP_HELD_PACKETS,
	RXE_CC_A_QP_SPRAY,
	RXE_CC_A_QP_SPRAY_SET,
	RXE_CC_A_QP_LINK,
	RXE_CC_A_QP_LINK_REPEATS,
	RXE_CC_A_QP_LINK_LOST,
	RXE_CC_A_QP_LINK_SPURIOUS,
	RXE_CC_A_QP_LINK_DISORDERED,
	RXE_CC_A_QP_LINK_SKIPPED,
	RXE_CC_A_QP_LINK_KEPT,
	RXE_CC_A_QP_LINK_WAITING,
	RXE_CC_A_QP_LINK_RTT_NS,
	RXE_CC_A_QP_WANT_PATHS,
	RXE_CC_A_QP_PATH,

	__RXE_CC_A_QP_MAX,
	RXE_CC_A_QP_MAX = (__RXE_CC_A_QP_MAX - 1)
};

enum {
	RXE_CC_A_ALG_NAME = 1,
	RXE_CC_A_ALG_DOC,
	RXE_CC_A_ALG_KIND,
	RXE_CC_A_ALG_USERS,
	RXE_CC_A_ALG_PACES,
	RXE_CC_A_ALG_EVENTS,

	__RXE_CC_A_ALG_MAX,
	RXE_CC_A_ALG_MAX = (__RXE_CC_A_ALG_MAX - 1)
};

enum {
	RXE_CC_A_PROFILE_VALUE_PAD = 1,
	RXE_CC_A_PROFILE_VALUE_PROFILE,
	RXE_CC_A_PROFILE_VALUE_VALUE,

	__RXE_CC_A_PROFILE_VALUE_MAX,
	RXE_CC_A_PROFILE_VALUE_MAX = (__RXE_CC_A_PROFILE_VALUE_MAX - 1)
};

enum {
	RXE_CC_A_SETTING_PAD = 1,
	RXE_CC_A_SETTING_NAME,
	RXE_CC_A_SETTING_VALUE,

	__RXE_CC_A_SETTING_MAX,
	RXE_CC_A_SETTING_MAX = (__RXE_CC_A_SETTING_MAX - 1)
};

enum {
	RXE_CC_A_PARAM_PAD = 1,
	RXE_CC_A_PARAM_DEV,
	RXE_CC_A_PARAM_ALGORITHM,
	RXE_CC_A_PARAM_PROFILE,
	RXE_CC_A_PARAM_NAME,
	RXE_CC_A_PARAM_UNIT,
	RXE_CC_A_PARAM_MIN_VALUE,
	RXE_CC_A_PARAM_MAX_VALUE,
	RXE_CC_A_PARAM_VALUE,
	RXE_CC_A_PARAM_PROFILE_VALUE,
	RXE_CC_A_PARAM_DOC,
	RXE_CC_A_PARAM_SETTING,

	__RXE_CC_A_PARAM_MAX,
	RXE_CC_A_PARAM_MAX = (__RXE_CC_A_PARAM_MAX - 1)
};

enum {
	RXE_CC_CMD_DEV_GET = 1,
	RXE_CC_CMD_DEV_SET,
	RXE_CC_CMD_QP_GET,
	RXE_CC_CMD_QP_SET,
	RXE_CC_CMD_ALG_GET,
	RXE_CC_CMD_PARAM_GET,
	RXE_CC_CMD_PARAM_SET,

	__RXE_CC_CMD_MAX,
	RXE_CC_CMD_MAX = (__RXE_CC_CMD_MAX - 1)
};

#endif /* RXE_CC_NETLINK_H */
