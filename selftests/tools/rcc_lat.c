// SPDX-License-Identifier: GPL-2.0
/*
 * rcc_lat - latency of small messages that are sent whether or not the last one has arrived.
 *
 * An RC QP sends one message every 1 / rate seconds. The latency of message k runs from the time at which it was due,
 * not from when it could be posted, to its completion (so the ACK is in it):
 *
 *	due(k) = start + k / rate		latency(k) = completed(k) - due(k)
 *
 * A closed loop would send nothing while it waits, and so leave out just those messages that would have waited most
 * ("coordinated omission"). Messages due while the send queue is full wait in order. What has not arrived when the time
 * is up counts with its age, so a stuck QP shows as what it is.
 *
 * Nothing polls: a completion channel and a timerfd wake the client, since all hosts of a guest share a processor.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <getopt.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "verbs.h"

#define SEND_DEPTH	256
#define RECV_DEPTH	1024
#define POLL_BATCH	32

static struct {
	const char *dev;
	const char *server;
	const char *port;
	int gid_index;
	uint32_t size;
	double rate;
	uint64_t count;
	double limit_s;
	const char *csv;
} opt = {
	.port = "18600",
	.gid_index = 1,
	.size = 64,
	.rate = 2000,
	.count = 20000,
};

struct endpoint {
	struct port port;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	char *buf;
};

/* What the sides tell each other over TCP, in network order. */
struct address {
	uint32_t qpn;
	uint32_t size;
	uint8_t gid[16];
};

static void print_usage(FILE *to)
{
	fprintf(to,
		"usage: rcc_lat -d IBDEV [options]          server: waits for one client, ends with it\n"
		"       rcc_lat -d IBDEV [options] ADDRESS  client: prints the latencies as JSON\n"
		"\n"
		"Send small messages at fixed times over an RC QP, and measure each from when it was\n"
		"due to its completion.\n"
		"\n"
		"  -d IBDEV    RDMA device\n"
		"  -g INDEX    GID index (1)\n"
		"  -p PORT     TCP port on which the two sides meet (18600)\n"
		"  -s BYTES    message size; the client's counts (64)\n"
		"client:\n"
		"  -r RATE     messages per second (2000)\n"
		"  -n COUNT    messages (20000)\n"
		"  -t SECONDS  stop then; what has not arrived counts with its age (COUNT / RATE + 5)\n"
		"  -o FILE     write due time and latency of every message as CSV\n"
		"  -h          this text\n");
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:g:p:s:r:n:t:o:h")) != -1) {
		switch (c) {
		case 'd':
			opt.dev = optarg;
			break;
		case 'g':
			opt.gid_index = to_number(c, optarg, 0, 255);
			break;
		case 'p':
			to_number(c, optarg, 1, 65535);
			opt.port = optarg;
			break;
		case 's':
			opt.size = to_number(c, optarg, 1, 1 << 20);
			break;
		case 'r':
			opt.rate = to_number(c, optarg, 0.1, 1e6);
			break;
		case 'n':
			opt.count = to_number(c, optarg, 1, 1e8);
			break;
		case 't':
			opt.limit_s = to_number(c, optarg, 0.1, 3600);
			break;
		case 'o':
			opt.csv = optarg;
			break;
		case 'h':
			print_usage(stdout);
			exit(0);
		default:
			print_usage(stderr);
			exit(2);
		}
	}
	if (!opt.dev || argc - optind > 1) {
		print_usage(stderr);
		exit(2);
	}
	opt.server = argv[optind];
	if (!opt.limit_s)
		opt.limit_s = opt.count / opt.rate + 5;
}

/* --- verbs --- */

static void open_endpoint(struct endpoint *ep)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.cap = {
			.max_send_wr = SEND_DEPTH, .max_recv_wr = RECV_DEPTH,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
	};

	ep->port = (struct port) { .dev = opt.dev, .gid_index = opt.gid_index };
	open_port(&ep->port);
	ep->buf = calloc(1, opt.size);
	ep->pd = ibv_alloc_pd(ep->port.ctx);
	ep->channel = ibv_create_comp_channel(ep->port.ctx);
	if (!ep->buf || !ep->pd || !ep->channel)
		die("no memory or no protection domain");
	ep->mr = ibv_reg_mr(ep->pd, ep->buf, opt.size, IBV_ACCESS_LOCAL_WRITE);
	ep->cq = ibv_create_cq(ep->port.ctx, SEND_DEPTH + RECV_DEPTH, NULL, ep->channel, 0);
	if (!ep->mr || !ep->cq)
		die("no memory region or completion queue: %s", strerror(errno));
	init.send_cq = ep->cq;
	init.recv_cq = ep->cq;
	ep->qp = ibv_create_qp(ep->pd, &init);
	if (!ep->qp)
		die("no QP: %s", strerror(errno));
}

static void close_endpoint(struct endpoint *ep)
{
	ibv_destroy_qp(ep->qp);
	ibv_destroy_cq(ep->cq);
	ibv_dereg_mr(ep->mr);
	ibv_destroy_comp_channel(ep->channel);
	ibv_dealloc_pd(ep->pd);
	ibv_close_device(ep->port.ctx);
	free(ep->buf);
}

static void connect_qp(struct endpoint *ep, const struct address *peer)
{
	union ibv_gid gid;

	memcpy(gid.raw, peer->gid, sizeof(peer->gid));
	connect_rc(ep->qp, &ep->port, &gid, ntohl(peer->qpn), &rc_default);
}

static void post_recv(struct endpoint *ep)
{
	struct ibv_sge sge = { .addr = (uintptr_t)ep->buf, .length = opt.size, .lkey = ep->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(ep->qp, &wr, &bad))
		die("cannot post a receive: %s", strerror(errno));
}

static void post_send(struct endpoint *ep, uint64_t id)
{
	struct ibv_sge sge = { .addr = (uintptr_t)ep->buf, .length = opt.size, .lkey = ep->mr->lkey };
	struct ibv_send_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;

	if (ibv_post_send(ep->qp, &wr, &bad))
		die("cannot post message %llu: %s", (unsigned long long)id, strerror(errno));
}

/* Forget the event that woke us and ask for the next; what came before that is in the CQ and polled by the caller. */
static void rearm(struct endpoint *ep)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(ep->channel, &cq, &context))
		die("completion event: %s", strerror(errno));
	ibv_ack_cq_events(cq, 1);
	if (ibv_req_notify_cq(ep->cq, 0))
		die("completion notification: %s", strerror(errno));
}

/* --- TCP --- */

static int tcp_socket(const char *host)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV }, *ai;
	int fd, err, one = 1;

	err = getaddrinfo(host ?: "0.0.0.0", opt.port, &hints, &ai);
	if (err)
		die("%s: %s", host, gai_strerror(err));
	fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		die("socket: %s", strerror(errno));
	if (host) {
		if (connect(fd, ai->ai_addr, ai->ai_addrlen))
			die("connect to %s port %s: %s", host, opt.port, strerror(errno));
	} else {
		int listener = fd;

		setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(listener, ai->ai_addr, ai->ai_addrlen) || listen(listener, 1))
			die("port %s: %s", opt.port, strerror(errno));
		fd = accept(listener, NULL, NULL);
		if (fd < 0)
			die("accept: %s", strerror(errno));
		close(listener);
	}
	freeaddrinfo(ai);
	return fd;
}

static void tell(int fd, const void *data, size_t len)
{
	if (send(fd, data, len, MSG_NOSIGNAL) != (ssize_t)len)
		die("the other side is gone");
}

static void hear(int fd, void *data, size_t len)
{
	if (recv(fd, data, len, MSG_WAITALL) != (ssize_t)len)
		die("the other side is gone");
}

static struct address my_address(const struct endpoint *ep)
{
	struct address a = { .qpn = htonl(ep->qp->qp_num), .size = htonl(opt.size) };

	memcpy(a.gid, ep->port.gid.raw, sizeof(a.gid));
	return a;
}

/* --- server --- */

static void serve(struct endpoint *ep, int fd)
{
	struct pollfd fds[] = { { .fd = ep->channel->fd, .events = POLLIN }, { .fd = fd, .events = POLLIN } };
	struct ibv_wc wc[POLL_BATCH];
	int i, n;

	/* the client says nothing more: what comes is its end */
	while (!fds[1].revents) {
		if (poll(fds, 2, -1) < 0)
			die("poll: %s", strerror(errno));
		if (!fds[0].revents)
			continue;
		rearm(ep);
		while ((n = ibv_poll_cq(ep->cq, POLL_BATCH, wc)) > 0) {
			for (i = 0; i < n; i++) {
				if (wc[i].status != IBV_WC_SUCCESS)
					die("receive: %s", ibv_wc_status_str(wc[i].status));
				post_recv(ep);
			}
		}
	}
}

static void server(void)
{
	struct endpoint ep = {};
	struct address mine, peer;
	int fd = tcp_socket(NULL), i;

	hear(fd, &peer, sizeof(peer));
	opt.size = ntohl(peer.size);
	open_endpoint(&ep);
	connect_qp(&ep, &peer);
	for (i = 0; i < RECV_DEPTH; i++)
		post_recv(&ep);
	if (ibv_req_notify_cq(ep.cq, 0))
		die("completion notification: %s", strerror(errno));
	mine = my_address(&ep);
	tell(fd, &mine, sizeof(mine));
	serve(&ep, fd);
	close_endpoint(&ep);
	close(fd);
}

/* --- client --- */

struct load {
	uint64_t start_ns;
	uint64_t end_ns;	/* the time is up */
	uint64_t posted;	/* messages 0 .. posted - 1 are in the send queue or beyond it */
	uint64_t done;		/* 0 .. done - 1 have completed: an RC QP does not overtake itself */
	uint64_t qp_errors;
	uint64_t *latency_ns;
};

static uint64_t due_ns(const struct load *l, uint64_t k)
{
	return l->start_ns + k * (NSEC_PER_SEC / opt.rate);
}

static void post_due(struct endpoint *ep, struct load *l)
{
	const uint64_t now = now_ns();

	while (l->posted < opt.count && l->posted - l->done < SEND_DEPTH && due_ns(l, l->posted) <= now)
		post_send(ep, l->posted++);
}

/* A QP that fails flushes all that it had: the failure is one. */
static void complete(struct endpoint *ep, struct load *l)
{
	struct ibv_wc wc[POLL_BATCH];
	int i, n;

	while ((n = ibv_poll_cq(ep->cq, POLL_BATCH, wc)) > 0) {
		const uint64_t now = now_ns();

		for (i = 0; i < n && !l->qp_errors; i++) {
			if (wc[i].status == IBV_WC_SUCCESS) {
				l->latency_ns[l->done] = now - due_ns(l, l->done);
				l->done++;
				continue;
			}
			fprintf(stderr, "rcc_lat: message %llu: %s\n", (unsigned long long)wc[i].wr_id,
				ibv_wc_status_str(wc[i].status));
			l->qp_errors++;
		}
	}
}

/* Wake up when the next message is due, or when the time is up if only completions are awaited. */
static void set_timer(int timer, const struct load *l)
{
	uint64_t at = l->end_ns;
	struct itimerspec spec = {};

	if (l->posted < opt.count && l->posted - l->done < SEND_DEPTH && due_ns(l, l->posted) < at)
		at = due_ns(l, l->posted);
	spec.it_value = to_timespec(at);
	if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &spec, NULL))
		die("timer: %s", strerror(errno));
}

static void send_all(struct endpoint *ep, struct load *l)
{
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	struct pollfd fds[] = { { .fd = ep->channel->fd, .events = POLLIN }, { .fd = timer, .events = POLLIN } };

	if (timer < 0 || ibv_req_notify_cq(ep->cq, 0))
		die("timer or notification: %s", strerror(errno));
	l->start_ns = now_ns() + NSEC_PER_MSEC;
	l->end_ns = l->start_ns + opt.limit_s * NSEC_PER_SEC;
	while (l->done < opt.count && !l->qp_errors && now_ns() < l->end_ns) {
		set_timer(timer, l);
		if (poll(fds, 2, -1) < 0)
			die("poll: %s", strerror(errno));
		if (fds[0].revents) {
			rearm(ep);
			complete(ep, l);
		}
		post_due(ep, l);
	}
	close(timer);
}

/*
 * Messages that were due and have not arrived count with their age when the time is up. A dead QP ends the run before
 * that; the ages are those they would have had. Returns how many messages count.
 */
static uint64_t age_missing(struct load *l)
{
	uint64_t k;

	for (k = l->done; k < opt.count && due_ns(l, k) < l->end_ns; k++)
		l->latency_ns[k] = l->end_ns - due_ns(l, k);
	return k;
}

static void write_csv(const struct load *l, uint64_t n)
{
	FILE *f = fopen(opt.csv, "w");
	uint64_t k;

	if (!f)
		die("%s: %s", opt.csv, strerror(errno));
	fprintf(f, "due_us,latency_us,arrived\n");
	for (k = 0; k < n; k++)
		fprintf(f, "%.1f,%.1f,%d\n", (due_ns(l, k) - l->start_ns) / 1e3, l->latency_ns[k] / 1e3, k < l->done);
	if (fclose(f))
		die("%s: %s", opt.csv, strerror(errno));
}

static void report(const struct load *l, uint64_t n)
{
	static const struct {
		const char *name;
		uint64_t permyriad;
	} rows[] = {
		{ "min", 0 }, { "p50", 5000 }, { "p99", 9900 }, { "p999", 9990 }, { "p9999", 9999 }, { "max", 10000 },
	};
	size_t i;

	qsort(l->latency_ns, n, sizeof(*l->latency_ns), cmp_u64);
	printf("{\"n\": %llu, \"lost\": %llu, \"qp_errors\": %llu", (unsigned long long)n,
	       (unsigned long long)(n - l->done), (unsigned long long)l->qp_errors);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		printf(", \"%s\": %.1f", rows[i].name, percentile(l->latency_ns, n, rows[i].permyriad) / 1e3);
	printf("}\n");
}

/* What the hosts' programs do to the shared processor is not what is measured. */
static void be_early(void)
{
	struct sched_param param = { .sched_priority = 5 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		fprintf(stderr, "rcc_lat: no real-time priority: %s\n", strerror(errno));
}

static void client(void)
{
	struct endpoint ep = {};
	struct load load = { .latency_ns = calloc(opt.count, sizeof(uint64_t)) };
	struct address mine, peer;
	uint64_t n;
	int fd;

	if (!load.latency_ns)
		die("no memory for %llu messages", (unsigned long long)opt.count);
	fd = tcp_socket(opt.server);
	open_endpoint(&ep);
	mine = my_address(&ep);
	tell(fd, &mine, sizeof(mine));
	hear(fd, &peer, sizeof(peer));
	connect_qp(&ep, &peer);
	be_early();
	send_all(&ep, &load);
	close(fd);
	close_endpoint(&ep);
	n = age_missing(&load);
	if (opt.csv)
		write_csv(&load, n);
	report(&load, n);
	free(load.latency_ns);
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	if (opt.server)
		client();
	else
		server();
	return fflush(stdout) ? 1 : 0;
}
