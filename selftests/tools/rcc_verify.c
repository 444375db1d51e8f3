// SPDX-License-Identifier: GPL-2.0
/*
 * rcc_verify - every byte that RDMA moves, checked.
 *
 * Several RC QPs between two devices carry a mixture of all operations at a time; every other QP works in the other
 * direction. Word j of message n of QP q is
 *
 *	key(seed, q, n) + j * STEP
 *
 * so data that is swapped, doubled, stale, lost or from elsewhere differs from what is expected at its place:
 *
 *	SEND		by the receiver, in the order in which they were sent
 *	WRITE		by the target, in its memory, when the notifying SEND that follows the WRITE arrives
 *	WRITE with imm	by the target, in its memory, when the immediate arrives
 *	READ		by the reader, when it completes
 *	fetch and add	all add 1 to one counter of the target: that must end as their number n, and the values that were
 *			returned must rise on each QP, and have the sum 0 + 1 + ... + (n - 1)
 *	compare, swap	on a word per QP: each must find what the one before has left
 *
 * One process and one thread own both ends, so what an end expects is known where it was made. It sleeps on completion
 * events. A slot of buffers is used again when its message has completed and been checked, and each has its receive
 * posted before, so no receiver is ever not ready.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <getopt.h>
#include <poll.h>
#include <stdbool.h>
#include <unistd.h>

#include "verbs.h"

#define DEPTH		8	/* messages under way per QP */
#define RD_ATOMIC	8	/* READs and atomics of them */
#define QPS_MAX		64
#define POLL_BATCH	32
#define COMPLAINTS	20
#define FAILING_US	200000	/* a QP fails a little after its work request has; its end shall not overtake that */
#define STEP		0x9e3779b97f4a7c15ULL
#define ATOMIC_AREA	4096	/* of an end's memory: counter, then a word per QP */

enum kind { SEND, SEND_IMM, WRITE, WRITE_IMM, READ, FETCH_ADD, CMP_SWAP, KINDS };

static const struct {
	const char *name;
	enum ibv_wr_opcode opcode;
	bool received;		/* takes a receive of the target, a WRITE that of its notification */
} kinds[KINDS] = {
	[SEND]		= { "send", IBV_WR_SEND, true },
	[SEND_IMM]	= { "send_imm", IBV_WR_SEND_WITH_IMM, true },
	[WRITE]		= { "write", IBV_WR_RDMA_WRITE, true },
	[WRITE_IMM]	= { "write_imm", IBV_WR_RDMA_WRITE_WITH_IMM, true },
	[READ]		= { "read", IBV_WR_RDMA_READ, false },
	[FETCH_ADD]	= { "fetch_add", IBV_WR_ATOMIC_FETCH_AND_ADD, false },
	[CMP_SWAP]	= { "cmp_swap", IBV_WR_ATOMIC_CMP_AND_SWP, false },
};

struct op {
	enum kind kind;
	uint32_t len;
	uint32_t seq;
	uint64_t key;
	uint64_t found;		/* what a compare and swap must return */
	bool completed;		/* at the side that posted it */
	bool checked;		/* by whoever gets the data */
};

struct end {
	struct port port;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	char *mem;
	size_t mem_size;
	uint64_t adds;		/* fetch and adds on the counter of this end that completed, */
	uint64_t add_sum;	/* and the sum of what they returned */
};

/* A QP pair. Messages of one QP complete in order, and so do receives. */
struct flow {
	unsigned int index;
	struct end *from;
	struct end *to;
	struct ibv_qp *tx;
	struct ibv_qp *rx;
	uint32_t posted;
	uint32_t completed;
	uint32_t announced;	/* messages that take a receive, */
	uint32_t received;	/* and those that have had it */
	uint32_t order[DEPTH];	/* their sequence numbers */
	uint64_t word;		/* what compare and swap has left */
	uint64_t last_add;	/* what fetch and add returned last, plus 1 */
	struct op ops[DEPTH];
};

static struct {
	uint64_t bytes;
	uint64_t seed;
	uint32_t size;
	unsigned int qps;
	unsigned int timeout;
	unsigned int retry;
	unsigned int stall_s;
	uint64_t corrupt;
	bool pause;
	enum kind mix[KINDS];
	unsigned int n_mix;
} opt = {
	.bytes = 64 << 20,
	.seed = 1,
	.size = 65536,
	.qps = 4,
	.timeout = 14,
	.retry = 7,
	.stall_s = 30,
};

static struct end ends[2] = { { .port.gid_index = 1 }, { .port.gid_index = 1 } };
static struct flow flows[QPS_MAX];
static uint64_t bytes_posted, payloads, errors;
static uint64_t bytes_checked[KINDS], messages[KINDS];
static bool broken;		/* a QP has failed, or nothing moves */

static void usage(FILE *to)
{
	fprintf(to,
		"usage: rcc_verify -d IBDEV -D IBDEV [options]\n"
		"\n"
		"Move data between two devices by all operations of RC QPs, and check every byte.\n"
		"Prints JSON; exit code 1 if anything was wrong or missing.\n"
		"\n"
		"  -d IBDEV    one device         -g INDEX  its GID (1)\n"
		"  -D IBDEV    the other device   -G INDEX  its GID (1)\n"
		"  -b BYTES    payload in all; k, m, g (64m)\n"
		"  -s BYTES    the largest message: every other; the rest are of odd sizes (65536)\n"
		"  -q QPS      QPs, by turns in either direction (4)\n"
		"  -o OP,...   send, send_imm, write, write_imm, read, fetch_add, cmp_swap (all)\n"
		"  -S SEED     of order, sizes and contents (1)\n"
		"  -t TIMEOUT  ACK timeout of the QPs, 4.096 us * 2^TIMEOUT (14)\n"
		"  -r COUNT    retries of the QPs; 7 is for ever with rxe (7)\n"
		"  -w SECONDS  without a completion, then it has failed (30)\n"
		"  -p          pause after a first message per QP, until standard input has a line or ends\n"
		"  -c, --corrupt N   flip a bit of the Nth message with data: a test of this test\n"
		"  -h          this text\n");
}

/* --- command line --- */

static uint64_t to_bytes(int c, const char *text)
{
	static const char units[] = "kmg";
	size_t len = strlen(text);
	const char *unit = len ? strchr(units, text[len - 1]) : NULL;
	char digits[32];

	snprintf(digits, sizeof(digits), "%.*s", (int)(unit ? len - 1 : len), text);
	return (uint64_t)to_number(c, digits, 1, 1e12) << (unit ? 10 * (unit - units + 1) : 0);
}

static void add_to_mix(const char *name)
{
	int k;

	for (k = 0; k < KINDS; k++) {
		if (!strcmp(name, kinds[k].name) && opt.n_mix < KINDS) {
			opt.mix[opt.n_mix++] = k;
			return;
		}
	}
	fprintf(stderr, "rcc_verify: no operation '%s', or too many\n", name);
	exit(2);
}

static void to_mix(char *list)
{
	char *name;

	opt.n_mix = 0;
	while ((name = strsep(&list, ",")))
		add_to_mix(name);
}

static void parse_option(int c)
{
	switch (c) {
	case 'd': ends[0].port.dev = optarg; break;
	case 'g': ends[0].port.gid_index = to_number(c, optarg, 0, 255); break;
	case 'D': ends[1].port.dev = optarg; break;
	case 'G': ends[1].port.gid_index = to_number(c, optarg, 0, 255); break;
	case 'b': opt.bytes = to_bytes(c, optarg); break;
	case 's': opt.size = to_number(c, optarg, 8, 1 << 20); break;
	case 'q': opt.qps = to_number(c, optarg, 1, QPS_MAX); break;
	case 'o': to_mix(optarg); break;
	case 'S': opt.seed = to_number(c, optarg, 0, 1e15); break;
	case 't': opt.timeout = to_number(c, optarg, 1, 31); break;
	case 'r': opt.retry = to_number(c, optarg, 0, 7); break;
	case 'w': opt.stall_s = to_number(c, optarg, 1, 3600); break;
	case 'c': opt.corrupt = to_number(c, optarg, 1, 1e12); break;
	case 'p': opt.pause = true; break;
	case 'h': usage(stdout); exit(0);
	default: usage(stderr); exit(2);
	}
}

static void parse(int argc, char **argv)
{
	static const struct option longs[] = { { "corrupt", required_argument, NULL, 'c' }, {} };
	int c;

	while ((c = getopt_long(argc, argv, "d:g:D:G:b:s:q:o:S:t:r:w:c:ph", longs, NULL)) != -1)
		parse_option(c);
	if (!ends[0].port.dev || !ends[1].port.dev || optind != argc) {
		usage(stderr);
		exit(2);
	}
	if (!opt.n_mix)
		for (; opt.n_mix < KINDS; opt.n_mix++)
			opt.mix[opt.n_mix] = opt.n_mix;
}

/* --- what a message is made of --- */

/* The finalizer of splitmix64: every bit of the result depends on every bit of @x. */
static uint64_t mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* Half of them as large as can be, a quarter small, the rest anything between. */
static uint32_t choose_len(uint64_t dice)
{
	const uint32_t small = opt.size < 300 ? opt.size : 300;

	if (dice & 1)
		return opt.size;
	return 1 + (dice >> 2) % (dice & 2 ? small : opt.size);
}

static void choose(const struct flow *f, struct op *op)
{
	const uint64_t key = mix64(mix64(opt.seed * STEP + f->index) + f->posted);
	const uint64_t dice = mix64(key);
	const enum kind kind = opt.mix[(dice >> 40) % opt.n_mix];
	const bool atomic = kind == FETCH_ADD || kind == CMP_SWAP;

	*op = (struct op) {
		.kind = kind, .seq = f->posted, .key = key, .len = atomic ? sizeof(uint64_t) : choose_len(dice),
	};
}

/* The last word may be cut. */
static void fill(char *p, uint32_t len, uint64_t word)
{
	uint32_t i;

	for (i = 0; i + 8 <= len; i += 8, word += STEP)
		memcpy(p + i, &word, 8);
	memcpy(p + i, &word, len - i);
	payloads++;
	if (payloads == opt.corrupt)
		p[len / 2] ^= 0x10;
}

/* Where @p begins to differ from what fill() makes: @len if nowhere. */
static uint32_t differs(const char *p, uint32_t len, uint64_t word)
{
	uint64_t got;
	uint32_t i;

	for (i = 0; i + 8 <= len; i += 8, word += STEP) {
		memcpy(&got, p + i, 8);
		if (got != word)
			break;
	}
	if (i + 8 <= len)
		return i + __builtin_ctzll(le64toh(got ^ word)) / 8;
	return memcmp(p + i, &word, len - i) ? i : len;
}

/* Two areas of each slot of each QP: what is sent from, read into or accessed remotely; and what is received into. */
static char *area(const struct end *e, const struct flow *f, uint32_t seq, bool recv)
{
	const size_t stride = (opt.size + 63) & ~63u;

	return e->mem + ATOMIC_AREA + ((f->index * DEPTH + seq % DEPTH) * 2 + recv) * stride;
}

static uint64_t *counter(const struct end *e)
{
	return (uint64_t *)e->mem;
}

static uint64_t *swap_word(const struct end *e, const struct flow *f)
{
	return (uint64_t *)e->mem + 1 + f->index;
}

/* --- complaints --- */

static void __printf(3, 4) complain(const struct flow *f, const struct op *op, const char *fmt, ...)
{
	va_list ap;

	if (errors++ >= COMPLAINTS)
		return;
	fprintf(stderr, "rcc_verify: QP %u, %s %u of %u bytes: ", f->index, kinds[op->kind].name, op->seq, op->len);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void check_data(const struct flow *f, const struct op *op, const char *data)
{
	const uint32_t at = differs(data, op->len, op->key);

	if (at < op->len)
		complain(f, op, "byte %u is wrong", at);
	bytes_checked[op->kind] += op->len;
}

/* --- verbs --- */

static void open_end(struct end *e)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			   IBV_ACCESS_REMOTE_ATOMIC;

	open_port(&e->port);
	e->mem_size = ATOMIC_AREA + (size_t)opt.qps * DEPTH * 2 * ((opt.size + 63) & ~63u);
	e->mem = aligned_alloc(4096, (e->mem_size + 4095) & ~4095UL);
	e->pd = ibv_alloc_pd(e->port.ctx);
	e->channel = ibv_create_comp_channel(e->port.ctx);
	if (!e->mem || !e->pd || !e->channel)
		die("%s: no memory, protection domain or channel", e->port.dev);
	memset(e->mem, 0, e->mem_size);
	e->mr = ibv_reg_mr(e->pd, e->mem, e->mem_size, access);
	e->cq = ibv_create_cq(e->port.ctx, opt.qps * DEPTH * 3, NULL, e->channel, 0);
	if (!e->mr || !e->cq || ibv_req_notify_cq(e->cq, 0))
		die("%s: no memory region or completion queue: %s", e->port.dev, strerror(errno));
}

static void close_end(struct end *e)
{
	ibv_dereg_mr(e->mr);
	ibv_destroy_cq(e->cq);
	ibv_destroy_comp_channel(e->channel);
	ibv_dealloc_pd(e->pd);
	ibv_close_device(e->port.ctx);
	free(e->mem);
}

/* Only messages that end something are signalled: a WRITE is not, its notification is. */
static struct ibv_qp *create(struct end *e)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = e->cq,
		.recv_cq = e->cq,
		.cap = { .max_send_wr = 2 * DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(e->pd, &init);

	if (!qp)
		die("%s: no QP: %s", e->port.dev, strerror(errno));
	return qp;
}

static void connect_to(struct end *e, struct ibv_qp *qp, const struct end *peer, const struct ibv_qp *peer_qp)
{
	const struct rc_attr how = {
		.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
		.rd_atomic = RD_ATOMIC, .timeout = opt.timeout, .retry = opt.retry,
	};

	connect_rc(qp, &e->port, &peer->port.gid, peer_qp->qp_num, &how);
}

static uint64_t wr_id(const struct flow *f, uint32_t n)
{
	return (uint64_t)f->index << 32 | n;
}

/* @n: how many receives this QP has had before. */
static void post_recv(struct flow *f, uint32_t n)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)area(f->to, f, n, true), .length = opt.size, .lkey = f->to->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = wr_id(f, n), .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(f->rx, &wr, &bad))
		die("cannot post a receive: %s", strerror(errno));
}

static void open_flow(struct flow *f, unsigned int index)
{
	uint32_t n;

	f->index = index;
	f->from = &ends[index % 2];
	f->to = &ends[!(index % 2)];
	f->tx = create(f->from);
	f->rx = create(f->to);
	connect_to(f->from, f->tx, f->to, f->rx);
	connect_to(f->to, f->rx, f->from, f->tx);
	for (n = 0; n < DEPTH; n++)
		post_recv(f, n);
}

/* The side that sends goes first, so that it never waits for a peer that is gone. */
static void close_flow(struct flow *f)
{
	if (ibv_destroy_qp(f->tx) || ibv_destroy_qp(f->rx))
		die("cannot destroy a QP: %s", strerror(errno));
}

/* --- post --- */

static uint32_t imm_of(const struct op *op)
{
	return op->key >> 32;
}

/* Put the data where it will be taken from. */
static void make_data(struct flow *f, const struct op *op)
{
	if (op->kind < FETCH_ADD)
		fill(area(op->kind == READ ? f->to : f->from, f, op->seq, false), op->len, op->key);
}

static void set_remote(struct flow *f, struct op *op, struct ibv_send_wr *wr)
{
	const uint32_t rkey = f->to->mr->rkey;

	switch (op->kind) {
	case FETCH_ADD:
		wr->wr.atomic.remote_addr = (uintptr_t)counter(f->to);
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = 1;
		break;
	case CMP_SWAP:
		op->found = f->word;
		f->word = op->key;
		wr->wr.atomic.remote_addr = (uintptr_t)swap_word(f->to, f);
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = op->found;
		wr->wr.atomic.swap = op->key;
		break;
	default:
		wr->wr.rdma.remote_addr = (uintptr_t)area(f->to, f, op->seq, false);
		wr->wr.rdma.rkey = rkey;
	}
}

static void post(struct flow *f, struct op *op)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)area(f->from, f, op->seq, false), .length = op->len, .lkey = f->from->mr->lkey,
	};
	struct ibv_send_wr notify = {
		.wr_id = wr_id(f, op->seq), .opcode = IBV_WR_SEND_WITH_IMM, .send_flags = IBV_SEND_SIGNALED,
		.imm_data = htobe32(imm_of(op)),
	};
	struct ibv_send_wr wr = {
		.wr_id = wr_id(f, op->seq), .sg_list = &sge, .num_sge = 1, .opcode = kinds[op->kind].opcode,
		.imm_data = htobe32(imm_of(op)), .send_flags = IBV_SEND_SIGNALED,
	}, *bad;

	if (op->kind != SEND && op->kind != SEND_IMM)
		set_remote(f, op, &wr);
	if (op->kind == WRITE) {
		wr.send_flags = 0;
		wr.next = &notify;
	}
	if (ibv_post_send(f->tx, &wr, &bad))
		die("QP %u: cannot post: %s", f->index, strerror(errno));
}

static void post_next(struct flow *f)
{
	struct op *op = &f->ops[f->posted % DEPTH];

	choose(f, op);
	make_data(f, op);
	if (kinds[op->kind].received)
		f->order[f->announced++ % DEPTH] = op->seq;
	post(f, op);
	f->posted++;
	bytes_posted += op->len;
}

/* True if the slot of the next message is not in use. */
static bool has_room(const struct flow *f)
{
	const struct op *op = &f->ops[f->posted % DEPTH];

	return f->posted < DEPTH || (op->completed && op->checked);
}

/* Until @goal bytes have been posted. */
static void post_all(uint64_t goal)
{
	struct flow *f;

	for (f = flows; f < flows + opt.qps; f++)
		while (!broken && bytes_posted < goal && has_room(f))
			post_next(f);
}

/* --- complete --- */

static void check_fetch_add(struct flow *f, const struct op *op, uint64_t got)
{
	if (got < f->last_add)
		complain(f, op, "found %#llx after %#llx", (unsigned long long)got, (unsigned long long)f->last_add - 1);
	f->last_add = got + 1;
	f->to->adds++;
	f->to->add_sum += got;
}

static void check_atomic(struct flow *f, const struct op *op, uint64_t got)
{
	if (op->kind == FETCH_ADD)
		check_fetch_add(f, op, got);
	else if (got != op->found)
		complain(f, op, "found %#llx, not %#llx", (unsigned long long)got, (unsigned long long)op->found);
	bytes_checked[op->kind] += op->len;
}

static void on_completed(struct flow *f, uint32_t seq)
{
	struct op *op = &f->ops[f->completed % DEPTH];
	const char *data = area(f->from, f, op->seq, false);

	if (f->completed == f->posted || seq != op->seq) {
		complain(f, op, "completion of %u instead", seq);
		broken = true;
		return;
	}
	f->completed++;
	op->completed = true;
	messages[op->kind]++;
	if (kinds[op->kind].received)
		return;
	op->checked = true;
	if (op->kind == READ)
		check_data(f, op, data);
	else
		check_atomic(f, op, *(const uint64_t *)data);
}

/* What came with the receive itself: length, immediate, and data if it was a SEND. */
static void check_received(struct flow *f, struct op *op, const struct ibv_wc *wc)
{
	const bool want_imm = op->kind != SEND;
	const uint32_t len = op->kind == WRITE ? 0 : op->len;

	if (wc->byte_len != len)
		complain(f, op, "%u bytes were received, not %u", wc->byte_len, len);
	if (want_imm != !!(wc->wc_flags & IBV_WC_WITH_IMM))
		complain(f, op, "received with%s an immediate", want_imm ? "out" : "");
	else if (want_imm && be32toh(wc->imm_data) != imm_of(op))
		complain(f, op, "immediate %#x, not %#x", be32toh(wc->imm_data), imm_of(op));
	check_data(f, op, area(f->to, f, op->kind <= SEND_IMM ? f->received : op->seq, op->kind <= SEND_IMM));
}

static void on_received(struct flow *f, const struct ibv_wc *wc)
{
	struct op *op = &f->ops[f->order[f->received % DEPTH] % DEPTH];

	if (f->received == f->announced || (uint32_t)wc->wr_id != f->received) {
		complain(f, op, "receive %u, which nothing was sent to", (uint32_t)wc->wr_id);
		broken = true;
		return;
	}
	check_received(f, op, wc);
	op->checked = true;
	f->received++;
	post_recv(f, f->received + DEPTH - 1);
}

static void on_wc(struct end *e, const struct ibv_wc *wc)
{
	struct flow *f = &flows[wc->wr_id >> 32];

	if (wc->status != IBV_WC_SUCCESS) {
		if (!broken)
			complain(f, &f->ops[f->completed % DEPTH], "%s: %s", e == f->from ? "completion" : "receive",
				 ibv_wc_status_str(wc->status));
		broken = true;
	} else if (e == f->from) {
		on_completed(f, wc->wr_id);
	} else {
		on_received(f, wc);
	}
}

/* Ask for the next event first: what comes after the queue was seen empty makes one. */
static void drain(struct end *e)
{
	struct ibv_wc wc[POLL_BATCH];
	struct ibv_cq *cq;
	void *context;
	int i, n;

	if (ibv_get_cq_event(e->channel, &cq, &context))
		die("completion event: %s", strerror(errno));
	ibv_ack_cq_events(cq, 1);
	if (ibv_req_notify_cq(cq, 0))
		die("completion notification: %s", strerror(errno));
	while (!broken && (n = ibv_poll_cq(cq, POLL_BATCH, wc)) > 0)
		for (i = 0; i < n && !broken; i++)
			on_wc(e, &wc[i]);
}

/* --- the whole --- */

static bool all_done(void)
{
	const struct flow *f;

	for (f = flows; f < flows + opt.qps; f++)
		if (f->completed != f->posted || f->received != f->announced)
			return false;
	return true;
}

static void report_stall(void)
{
	struct flow *f;

	broken = true;
	for (f = flows; f < flows + opt.qps; f++)
		if (f->completed != f->posted || f->received != f->announced)
			complain(f, &f->ops[f->completed % DEPTH], "missing: %u completions, %u receives, for %u s",
				 f->posted - f->completed, f->announced - f->received, opt.stall_s);
}

/* Move data until @goal bytes in all have been posted, and all that was posted is done. */
static void run(uint64_t goal)
{
	struct pollfd fds[] = {
		{ .fd = ends[0].channel->fd, .events = POLLIN }, { .fd = ends[1].channel->fd, .events = POLLIN },
	};
	int i, n;

	post_all(goal);
	while (!broken && !all_done()) {
		n = poll(fds, 2, opt.stall_s * 1000);
		if (n < 0)
			die("poll: %s", strerror(errno));
		if (!n)
			report_stall();
		for (i = 0; i < 2; i++)
			if (fds[i].revents)
				drain(&ends[i]);
		post_all(goal);
	}
}

/* Whoever looks on can wait until each QP is in the state that it should be tested in. */
static void pause_after_first(void)
{
	unsigned int i;

	for (i = 0; i < opt.qps; i++)
		post_next(&flows[i]);
	run(0);
	getchar();
}

/* Without a repeat that was executed twice, or not at all: exactly one more per operation. */
static void check_counter(const struct end *e)
{
	const uint64_t n = e->adds, sum = n ? n * (n - 1) / 2 : 0;

	if (*counter(e) == n && e->add_sum == sum)
		return;
	errors++;
	fprintf(stderr, "rcc_verify: %s: %llu fetch and adds: the counter is %llu, the sum %llu, not %llu\n", e->port.dev,
		(unsigned long long)n, (unsigned long long)*counter(e), (unsigned long long)e->add_sum,
		(unsigned long long)sum);
}

static void check_ends(void)
{
	struct flow *f;

	check_counter(&ends[0]);
	check_counter(&ends[1]);
	for (f = flows; f < flows + opt.qps; f++) {
		if (*swap_word(f->to, f) == f->word)
			continue;
		errors++;
		fprintf(stderr, "rcc_verify: QP %u: the last compare and swap is not in its place\n", f->index);
	}
}

static void print_result(double seconds)
{
	uint64_t total = 0;
	int k;

	for (k = 0; k < KINDS; k++)
		total += bytes_checked[k];
	printf("{\"bytes\": %llu, \"seconds\": %.3f, \"errors\": %llu", (unsigned long long)total, seconds,
	       (unsigned long long)errors);
	for (k = 0; k < KINDS; k++)
		printf(", \"%s\": {\"messages\": %llu, \"bytes\": %llu}", kinds[k].name,
		       (unsigned long long)messages[k], (unsigned long long)bytes_checked[k]);
	printf("}\n");
}

int main(int argc, char **argv)
{
	uint64_t start;
	unsigned int i;

	parse(argc, argv);
	open_end(&ends[0]);
	open_end(&ends[1]);
	for (i = 0; i < opt.qps; i++)
		open_flow(&flows[i], i);
	if (opt.pause)
		pause_after_first();
	start = now_ns();
	run(opt.bytes);
	if (!broken)
		check_ends();
	else
		usleep(FAILING_US);
	print_result((now_ns() - start) / (double)NSEC_PER_SEC);
	for (i = 0; i < opt.qps; i++)
		close_flow(&flows[i]);
	close_end(&ends[0]);
	close_end(&ends[1]);
	return errors ? 1 : 0;
}
