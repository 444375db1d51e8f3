/* SPDX-License-Identifier: GPL-2.0 */
/* What the telemetry's programs know of the kernel, found by BTF (CO-RE), and of the wire. */
#ifndef TELEMETRY_KERN_H
#define TELEMETRY_KERN_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

enum ib_qp_type { IB_QPT_GSI = 1, IB_QPT_UC = 3 };
enum ib_qp_state { IB_QPS_RESET, IB_QPS_ERR = 6 };

struct task_struct {
	int tgid;
	struct task_struct *group_leader;
	char comm[16];
};

struct rdma_restrack_entry {
	struct task_struct *task;
};

struct ib_device {
	char name[64];
	u32 index;
};

struct ib_qp {
	struct ib_device *device;
	u32 qp_num;
	enum ib_qp_type qp_type;
	struct rdma_restrack_entry res;
};

struct ib_qp_attr {
	enum ib_qp_state qp_state;
	u32 dest_qp_num;
};

struct rxe_queue_buf {
	u32 log2_elem_size;
	u8 data[];
};

struct rxe_queue {
	struct rxe_queue_buf *buf;
	unsigned int log2_elem_size;
	u32 index_mask;
};

struct rxe_sq {
	struct rxe_queue *queue;
};

union rxe_gid {
	u8 raw[16];
};

struct rxe_global_route {
	union rxe_gid dgid;
};

struct rxe_av {
	struct rxe_global_route grh;
};

struct rxe_req_info {
	u32 psn;
};

struct rxe_comp_info {
	u32 psn;
};

struct timer_list {
	unsigned long expires;
};

typedef struct {
	int counter;
} atomic_t;

struct rxe_qp {
	struct ib_qp ibqp;
	struct ib_qp_attr attr;
	unsigned int mtu;
	struct rxe_sq sq;
	struct rxe_av pri_av;
	atomic_t mcg_num;
	struct rxe_req_info req;
	struct rxe_comp_info comp;
	struct timer_list retrans_timer;
};

struct rxe_send_wr {
	u32 opcode;
};

struct rxe_dma_info {
	u32 length;
};

struct rxe_send_wqe {
	struct rxe_send_wr wr;
	u32 status;
	struct rxe_dma_info dma;
};

struct rxe_pkt_info {
	struct rxe_send_wqe *wqe;
	u8 *hdr;
	u32 psn;
	u8 opcode;
};

struct sk_buff {
	char cb[48];
};

#pragma clang attribute pop

#define IB_QP_STATE		1
#define IB_WC_SUCCESS		0
#define IB_WC_WR_FLUSH_ERR	5

/* Opcodes of the BTH, whose low bits mean the same for all types of QPs, as bits of a mask. */
#define OP(n)			(1U << (n))
#define SEND_FIRST		OP(0x00)
#define SEND_LASTS		(OP(0x02) | OP(0x03) | OP(0x16))	/* plain, with immediate, with invalidate */
#define SEND_ONLYS		(OP(0x04) | OP(0x05) | OP(0x17))
#define WRITE_FIRST		OP(0x06)
#define WRITE_LASTS		(OP(0x08) | OP(0x09))
#define WRITE_ONLYS		(OP(0x0a) | OP(0x0b))
#define READ_REQUEST		OP(0x0c)
#define ATOMICS			(OP(0x13) | OP(0x14) | OP(0x1c) | OP(0x1d))	/* compare, add; flush, atomic write */
#define ONE_PACKET		(SEND_ONLYS | WRITE_ONLYS | READ_REQUEST | ATOMICS)
#define FIRSTS			(SEND_FIRST | WRITE_FIRST | ONE_PACKET)
#define LASTS			(SEND_LASTS | WRITE_LASTS | ONE_PACKET)
#define READ_MIDDLE		OP(0x0e)	/* of a response */
/* READ response first, last, only; ACK; atomic ACK: they say that a request has arrived */
#define ACKS			(OP(0x0d) | OP(0x0f) | OP(0x10) | OP(0x11) | OP(0x12))
#define OPCODE_ACK		0x11
#define OPCODE_MASK		0x1f

#define BTH_BYTES		12
/* the kinds of an AETH's syndrome, in its upper bits, and what a NAK has below */
#define AETH_SHIFT		5
#define AETH_RNR		1
#define AETH_NAK		3
#define AETH_CODE_MASK		0x1f

/* enum rcc_stream of kmod/rcc.h */
#define STREAM_READ_RESPONSES	1
#define STREAM_DATAGRAMS	2	/* of many senders: their PSNs say nothing */

/* QP 1 belongs to the kernel's connection manager */
#define QPN_MIN			2

#endif /* TELEMETRY_KERN_H */
