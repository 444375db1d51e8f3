// SPDX-License-Identifier: GPL-2.0
/*
 * rcc_churn - create, use and destroy many QPs, most of them in the middle of their work.
 *
 * A pair of RC QPs, one on each device, is connected and given messages; nobody waits for them: as soon as so many
 * pairs are alive, the oldest is destroyed with whatever it has under way. Prints how many QPs there were, how many
 * completions came, and the longest destruction.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdbool.h>

#include "verbs.h"

#define DEPTH_MAX	64
#define CQ_DEPTH	16384
#define ALIVE_MAX	512

struct end {
	struct port port;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	char *buf;
};

struct pair {
	struct ibv_qp *tx;
	struct ibv_qp *rx;
};

static struct {
	unsigned int pairs;
	unsigned int alive;
	unsigned int messages;
	unsigned int bytes;
	bool wait;
} opt = {
	.pairs = 1000,
	.alive = 8,
	.messages = 4,
	.bytes = 16384,
};

static struct end tx_end = { .port.gid_index = 1 }, rx_end = { .port.gid_index = 1 };
static struct pair pairs[ALIVE_MAX];
static uint64_t completed, failed, slowest_ns;

static void usage(FILE *to)
{
	fprintf(to,
		"usage: rcc_churn -d IBDEV -D IBDEV [options]\n"
		"\n"
		"Create, use and destroy pairs of RC QPs, in the middle of their work.\n"
		"\n"
		"  -d IBDEV   sending device     -g INDEX  its GID (1)\n"
		"  -D IBDEV   receiving device   -G INDEX  its GID (1)\n"
		"  -n PAIRS   how many in all (1000)\n"
		"  -a PAIRS   how many at a time (8)\n"
		"  -m COUNT   messages that each is given (4)\n"
		"  -s BYTES   their size (16384)\n"
		"  -w         then keep those that are left until standard input ends\n"
		"  -h         this text\n");
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:g:D:G:n:a:m:s:wh")) != -1) {
		switch (c) {
		case 'd': tx_end.port.dev = optarg; break;
		case 'g': tx_end.port.gid_index = to_number(c, optarg, 0, 255); break;
		case 'D': rx_end.port.dev = optarg; break;
		case 'G': rx_end.port.gid_index = to_number(c, optarg, 0, 255); break;
		case 'n': opt.pairs = to_number(c, optarg, 1, 1e6); break;
		case 'a': opt.alive = to_number(c, optarg, 1, ALIVE_MAX); break;
		case 'm': opt.messages = to_number(c, optarg, 0, DEPTH_MAX); break;
		case 's': opt.bytes = to_number(c, optarg, 1, 1 << 20); break;
		case 'w': opt.wait = true; break;
		case 'h': usage(stdout); exit(0);
		default: usage(stderr); exit(2);
		}
	}
	if (!tx_end.port.dev || !rx_end.port.dev || optind != argc) {
		usage(stderr);
		exit(2);
	}
}

static void open_end(struct end *e)
{
	open_port(&e->port);
	e->buf = calloc(1, opt.bytes);
	e->pd = ibv_alloc_pd(e->port.ctx);
	e->cq = ibv_create_cq(e->port.ctx, CQ_DEPTH, NULL, NULL, 0);
	if (!e->buf || !e->pd || !e->cq)
		die("%s: no memory, protection domain or completion queue", e->port.dev);
	e->mr = ibv_reg_mr(e->pd, e->buf, opt.bytes, IBV_ACCESS_LOCAL_WRITE);
	if (!e->mr)
		die("%s: no memory region", e->port.dev);
}

static void close_end(struct end *e)
{
	ibv_dereg_mr(e->mr);
	ibv_destroy_cq(e->cq);
	ibv_dealloc_pd(e->pd);
	ibv_close_device(e->port.ctx);
	free(e->buf);
}

static struct ibv_qp *create(struct end *e)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.send_cq = e->cq,
		.recv_cq = e->cq,
		.cap = { .max_send_wr = DEPTH_MAX, .max_recv_wr = DEPTH_MAX, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(e->pd, &init);

	if (!qp)
		die("%s: no QP: %s", e->port.dev, strerror(errno));
	return qp;
}

static void connect_to(struct end *e, struct ibv_qp *qp, const struct end *peer, const struct ibv_qp *peer_qp)
{
	connect_rc(qp, &e->port, &peer->port.gid, peer_qp->qp_num, &rc_default);
}

static void give_work(const struct pair *p)
{
	struct ibv_sge to = { .addr = (uintptr_t)rx_end.buf, .length = opt.bytes, .lkey = rx_end.mr->lkey };
	struct ibv_sge from = { .addr = (uintptr_t)tx_end.buf, .length = opt.bytes, .lkey = tx_end.mr->lkey };
	struct ibv_recv_wr recv = { .sg_list = &to, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr send = { .sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad_send;
	unsigned int i;

	for (i = 0; i < opt.messages; i++)
		if (ibv_post_recv(p->rx, &recv, &bad_recv) || ibv_post_send(p->tx, &send, &bad_send))
			die("cannot post: %s", strerror(errno));
}

static void drain(struct end *e)
{
	struct ibv_wc wc[16];
	int i, n;

	while ((n = ibv_poll_cq(e->cq, 16, wc)) > 0) {
		for (i = 0; i < n; i++) {
			if (wc[i].status == IBV_WC_SUCCESS)
				completed++;
			else if (wc[i].status != IBV_WC_WR_FLUSH_ERR)
				failed++;
		}
	}
}

static void destroy(struct ibv_qp *qp)
{
	uint64_t start = now_ns(), ns;

	if (ibv_destroy_qp(qp))
		die("cannot destroy a QP: %s", strerror(errno));
	ns = now_ns() - start;
	if (ns > slowest_ns)
		slowest_ns = ns;
}

/* The sender first, so that it never waits for a peer that is gone. */
static void destroy_pair(struct pair *p)
{
	if (!p->tx)
		return;
	destroy(p->tx);
	destroy(p->rx);
	p->tx = NULL;
}

int main(int argc, char **argv)
{
	unsigned int i;

	parse(argc, argv);
	open_end(&tx_end);
	open_end(&rx_end);
	for (i = 0; i < opt.pairs; i++) {
		struct pair *p = &pairs[i % opt.alive];

		destroy_pair(p);
		p->tx = create(&tx_end);
		p->rx = create(&rx_end);
		connect_to(&tx_end, p->tx, &rx_end, p->rx);
		connect_to(&rx_end, p->rx, &tx_end, p->tx);
		give_work(p);
		drain(&tx_end);
		drain(&rx_end);
	}
	if (opt.wait)
		while (getchar() != EOF)
			;
	for (i = 0; i < opt.alive; i++)
		destroy_pair(&pairs[i]);
	close_end(&tx_end);
	close_end(&rx_end);
	printf("{\"qps\": %u, \"completions\": %llu, \"failed\": %llu, \"slowest_destroy_ms\": %.3f}\n", 2 * opt.pairs,
	       (unsigned long long)completed, (unsigned long long)failed, slowest_ns / (double)NSEC_PER_MSEC);
	return 0;
}
