// SPDX-License-Identifier: GPL-2.0
/*
 * rcc_mon - watch an incast: the queue of the switch's port, and what every sender has got through.
 *
 * Every interval (1 ms) it asks the port's qdisc for its backlog and drops, by rtnetlink in the switch's network
 * namespace, and every fifth time it reads the hw_counters (the RDMA core refreshes those once per jiffy):
 *
 *	rdma_sends	of a sender: work requests of kind SEND that completed, so x message size it is application goodput
 *	sent_pkts	of a sender: packets that the driver sent, retransmissions included
 *	rcvd_pkts	of a receiver: packets that the driver got, for a finer look than whole messages allow
 *
 * Several ports, the paths of one flow, are added up; samples have the bytes of each.
 *
 * The measured window begins when the last sender has sent its first packet, so all flows are in it from its begin.
 *
 *	|-- waiting --|----------------- window -----------------|
 *	^ first packet                                           ^ "over" on stdout
 *	              ^ last sender's first packet: "running" on stdout
 *
 * The results, a summary (JSON) on stdout and all samples (CSV) in a file, take a slow processor a tenth of a second.
 * With -u they come only when SIGUSR1 says that nobody measures any more.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <libmnl/libmnl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "tool.h"

#define SENDERS_MAX	64
#define RECEIVERS_MAX	64
#define PORTS_MAX	16
#define DEFAULT_NETNS	"/run/netns/sw"

struct sender {
	const char *name;
	int sends_fd;
	int sent_fd;
	uint64_t sends_base;		/* the counters when we began */
	uint64_t sent_base;
};

struct receiver {
	const char *name;
	int rcvd_fd;
	uint64_t rcvd_base;
};

struct port {
	const char *name;
	int ifindex;
};

/* A sender's progress since we began. */
struct progress {
	uint32_t sends;
	uint32_t sent;
};

/* All ports together. */
struct sample {
	uint64_t ns;
	uint64_t bytes;			/* that they sent on */
	uint32_t packets;
	uint32_t drops;
	uint32_t backlog;		/* bytes */
	uint32_t qlen;			/* packets */
};

static struct {
	const char *netns;
	const char *csv;
	double interval_ms;
	unsigned int every;		/* counters are read every so many samples */
	double wait_s;
	double window_s;
	double settle_ms;		/* drops after that are counted apart */
	int wait_usr1;			/* before the results */
} opt = {
	.netns = DEFAULT_NETNS,
	.interval_ms = 1,
	.every = 5,
	.wait_s = 20,
	.window_s = 3,
	.settle_ms = 100,
};

static struct sender senders[SENDERS_MAX];
static unsigned int nsenders;
static struct receiver receivers[RECEIVERS_MAX];
static unsigned int nreceivers;
static struct port ports[PORTS_MAX];
static unsigned int nports;

static struct sample *samples;
static struct progress *progress;	/* nsenders for each sample */
static uint32_t *received;		/* nreceivers for each sample */
static uint64_t *port_bytes;		/* nports for each sample */
static size_t nsamples, max_samples;

static struct mnl_socket *nl;

static void print_usage(FILE *to)
{
	fprintf(to,
		"usage: rcc_mon [options] IBDEV...\n"
		"\n"
		"Sample the root qdiscs of ports and the counters of the sending rdma_rxe devices\n"
		"IBDEV.  Prints \"running\" when all of them have sent, and measures from then on;\n"
		"prints a summary as JSON.\n"
		"\n"
		"  -p NETDEV   port of the switch; repeatable\n"
		"  -N FILE     its network namespace (%s)\n"
		"  -r IBDEV    a receiver, whose packets are counted, too; repeatable\n"
		"  -i MS       sample that often (1)\n"
		"  -c N        read counters with every N-th sample (5)\n"
		"  -w SECONDS  wait that long for the senders, then fail (20)\n"
		"  -d SECONDS  measure that long (3)\n"
		"  -a MS       count drops after that part of the window apart (100)\n"
		"  -o FILE     write all samples as CSV\n"
		"  -u          wait for SIGUSR1 before the results are made\n"
		"  -h          this text\n", DEFAULT_NETNS);
}

static void add_port(const char *name)
{
	if (nports == PORTS_MAX)
		die("more than %d ports", PORTS_MAX);
	ports[nports++].name = name;
}

static void add_receiver(const char *name)
{
	if (nreceivers == RECEIVERS_MAX)
		die("more than %d receivers", RECEIVERS_MAX);
	receivers[nreceivers++].name = name;
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "p:N:r:i:c:w:d:a:o:uh")) != -1) {
		switch (c) {
		case 'p':
			add_port(optarg);
			break;
		case 'r':
			add_receiver(optarg);
			break;
		case 'N':
			opt.netns = optarg;
			break;
		case 'i':
			opt.interval_ms = to_number(c, optarg, 0.1, 10000);
			break;
		case 'c':
			opt.every = to_number(c, optarg, 1, 1000);
			break;
		case 'w':
			opt.wait_s = to_number(c, optarg, 0.1, 600);
			break;
		case 'd':
			opt.window_s = to_number(c, optarg, 0.1, 600);
			break;
		case 'a':
			opt.settle_ms = to_number(c, optarg, 0, 600000);
			break;
		case 'o':
			opt.csv = optarg;
			break;
		case 'u':
			opt.wait_usr1 = 1;
			break;
		case 'h':
			print_usage(stdout);
			exit(0);
		default:
			print_usage(stderr);
			exit(2);
		}
	}
	nsenders = argc - optind;
	if (!nsenders || nsenders > SENDERS_MAX) {
		print_usage(stderr);
		exit(2);
	}
	for (c = optind; c < argc; c++)
		senders[c - optind].name = argv[c];
}

/* --- counters of senders and receivers --- */

static int open_counter(const char *dev, const char *name, int flags)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters/%s", dev, name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

static uint64_t read_counter(int fd)
{
	char text[32];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len <= 0)
		die("a counter cannot be read: %s", len ? strerror(errno) : "empty");
	text[len] = 0;
	return strtoull(text, NULL, 10);
}

/* No caching beyond a jiffy. */
static void set_lifespan(const char *dev)
{
	int fd = open_counter(dev, "lifespan", O_WRONLY);

	if (write(fd, "0", 1) != 1)
		die("lifespan of %s: %s", dev, strerror(errno));
	close(fd);
}

static void open_receivers(void)
{
	unsigned int i;

	for (i = 0; i < nreceivers; i++) {
		struct receiver *r = &receivers[i];

		set_lifespan(r->name);
		r->rcvd_fd = open_counter(r->name, "rcvd_pkts", O_RDONLY);
		r->rcvd_base = read_counter(r->rcvd_fd);
	}
}

static void open_senders(void)
{
	unsigned int i;

	for (i = 0; i < nsenders; i++) {
		struct sender *s = &senders[i];

		set_lifespan(s->name);
		s->sends_fd = open_counter(s->name, "rdma_sends", O_RDONLY);
		s->sent_fd = open_counter(s->name, "sent_pkts", O_RDONLY);
		s->sends_base = read_counter(s->sends_fd);
		s->sent_base = read_counter(s->sent_fd);
	}
}

static void sample_receivers(uint32_t *rcvd)
{
	unsigned int i;

	for (i = 0; i < nreceivers; i++)
		rcvd[i] = read_counter(receivers[i].rcvd_fd) - receivers[i].rcvd_base;
}

static void sample_senders(struct progress *p)
{
	unsigned int i;

	for (i = 0; i < nsenders; i++) {
		p[i].sends = read_counter(senders[i].sends_fd) - senders[i].sends_base;
		p[i].sent = read_counter(senders[i].sent_fd) - senders[i].sent_base;
	}
}

/* --- the ports --- */

/* The socket belongs to the namespace in which it was made; we ourselves go back. */
static void open_ports(void)
{
	unsigned int i;
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int away = open(opt.netns, O_RDONLY | O_CLOEXEC);

	if (home < 0 || away < 0 || setns(away, CLONE_NEWNET))
		die("%s: %s", opt.netns, strerror(errno));
	for (i = 0; i < nports; i++) {
		ports[i].ifindex = if_nametoindex(ports[i].name);
		if (!ports[i].ifindex)
			die("no device %s in %s", ports[i].name, opt.netns);
	}
	nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0)
		die("netlink: %s", strerror(errno));
	if (setns(home, CLONE_NEWNET))
		die("cannot return from %s: %s", opt.netns, strerror(errno));
	close(away);
	close(home);
}

static int parse_stats(const struct nlattr *attr, void *data)
{
	struct sample *s = data;

	if (mnl_attr_get_type(attr) == TCA_STATS_BASIC &&
	    mnl_attr_get_payload_len(attr) >= offsetof(struct gnet_stats_basic, packets) + sizeof(uint32_t)) {
		const struct gnet_stats_basic *basic = mnl_attr_get_payload(attr);

		s->bytes += basic->bytes;
		s->packets += basic->packets;
	} else if (mnl_attr_get_type(attr) == TCA_STATS_QUEUE &&
		   mnl_attr_get_payload_len(attr) >= sizeof(struct gnet_stats_queue)) {
		const struct gnet_stats_queue *queue = mnl_attr_get_payload(attr);

		s->backlog += queue->backlog;
		s->qlen += queue->qlen;
		s->drops += queue->drops;
	}
	return MNL_CB_OK;
}

static int parse_qdisc(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct tcmsg))
		if (mnl_attr_get_type(attr) == TCA_STATS2)
			mnl_attr_parse_nested(attr, parse_stats, data);
	/* one message is the answer: it is no dump, and nothing comes behind */
	return MNL_CB_STOP;
}

/* A question for one qdisc is answered to the one who asks only with NLM_F_ECHO. */
static void sample_port(const struct port *port, struct sample *s)
{
	static unsigned int seq;
	char buf[8192];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct tcmsg *tcm = mnl_nlmsg_put_extra_header(nlh, sizeof(*tcm));
	ssize_t len;

	nlh->nlmsg_type = RTM_GETQDISC;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ECHO;
	nlh->nlmsg_seq = ++seq;
	tcm->tcm_family = AF_UNSPEC;
	tcm->tcm_ifindex = port->ifindex;
	tcm->tcm_parent = TC_H_ROOT;
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		die("netlink: %s", strerror(errno));
	len = mnl_socket_recvfrom(nl, buf, sizeof(buf));
	if (len < 0 || mnl_cb_run(buf, len, seq, mnl_socket_get_portid(nl), parse_qdisc, s) < 0)
		die("qdisc of %s: %s", port->name, strerror(errno));
}

/* @bytes: of each port alone. */
static void sample_ports(struct sample *s, uint64_t *bytes)
{
	unsigned int i;

	for (i = 0; i < nports; i++) {
		uint64_t before = s->bytes;

		sample_port(&ports[i], s);
		bytes[i] = s->bytes - before;
	}
}

/* --- the run --- */

static struct progress *progress_of(size_t i)
{
	return progress + i * nsenders;
}

static uint32_t *received_of(size_t i)
{
	return received + i * nreceivers;
}

static uint64_t *port_bytes_of(size_t i)
{
	return port_bytes + i * nports;
}

/* Nothing is allocated, written or faulted in while traffic runs. */
static void *room(size_t size)
{
	void *p = malloc(max_samples * size + 1);

	if (!p)
		die("no memory for %zu samples", max_samples);
	return memset(p, 0, max_samples * size + 1);
}

static void make_room(void)
{
	max_samples = (opt.wait_s + opt.window_s) * 1000 / opt.interval_ms + 16;
	samples = room(sizeof(*samples));
	progress = room(nsenders * sizeof(*progress));
	received = room(nreceivers * sizeof(*received));
	port_bytes = room(nports * sizeof(*port_bytes));
}

/* All hosts share the processors: a busy guest shall not blind the observer. */
static void be_first(void)
{
	struct sched_param param = { .sched_priority = 10 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		fprintf(stderr, "rcc_mon: no real-time priority (%s): samples may come late\n", strerror(errno));
}

static void take_sample(void)
{
	struct sample *s = &samples[nsamples];

	s->ns = now_ns();
	sample_ports(s, port_bytes_of(nsamples));
	if (nsamples % opt.every == 0) {
		sample_senders(progress_of(nsamples));
		sample_receivers(received_of(nsamples));
	} else {
		memcpy(progress_of(nsamples), progress_of(nsamples - 1), nsenders * sizeof(*progress));
		memcpy(received_of(nsamples), received_of(nsamples - 1), nreceivers * sizeof(*received));
	}
	nsamples++;
}

/* The first sender that has not sent a packet, or NULL. */
static const struct sender *silent_sender(void)
{
	const struct progress *p = progress_of(nsamples - 1);
	unsigned int i;

	for (i = 0; i < nsenders; i++)
		if (!p[i].sent)
			return &senders[i];
	return NULL;
}

static void sleep_until(uint64_t ns)
{
	struct timespec ts = to_timespec(ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* Sample until @end_ns, or (with @all_sending) until every sender has sent. Returns whether that came true. */
static int sample_until(uint64_t *next_ns, uint64_t end_ns, int all_sending)
{
	const uint64_t step = opt.interval_ms * NSEC_PER_MSEC;

	while (*next_ns <= end_ns && nsamples < max_samples) {
		sleep_until(*next_ns);
		take_sample();
		/* late: leave samples out instead of taking them in a row */
		do {
			*next_ns += step;
		} while (*next_ns <= samples[nsamples - 1].ns);
		if (all_sending && !silent_sender())
			return 1;
	}
	return 0;
}

/* Idle time of all processors so far; the kernel shows it in 10 ms. */
static uint64_t idle_ns(void)
{
	unsigned long long idle, iowait;
	FILE *f = fopen("/proc/stat", "r");
	int n;

	if (!f)
		die("/proc/stat: %s", strerror(errno));
	n = fscanf(f, "cpu %*u %*u %*u %llu %llu", &idle, &iowait);
	fclose(f);
	if (n != 2)
		die("/proc/stat: no idle time");
	return (idle + iowait) * (NSEC_PER_SEC / sysconf(_SC_CLK_TCK));
}

/* --- results --- */

static void write_csv_head(FILE *f)
{
	unsigned int j;

	fprintf(f, "seconds,backlog_bytes,backlog_packets,drops,port_bytes");
	for (j = 0; j < nsenders; j++)
		fprintf(f, ",%s_sends,%s_packets", senders[j].name, senders[j].name);
	for (j = 0; j < nreceivers; j++)
		fprintf(f, ",%s_rcvd", receivers[j].name);
	for (j = 0; nports > 1 && j < nports; j++)
		fprintf(f, ",%s_bytes", ports[j].name);
	fputc('\n', f);
}

static void write_csv_sample(FILE *f, size_t i, uint64_t start_ns)
{
	const struct sample *s = &samples[i];
	unsigned int j;

	fprintf(f, "%.6f,%u,%u,%u,%llu", ((double)s->ns - (double)start_ns) / NSEC_PER_SEC, s->backlog,
		s->qlen, s->drops, (unsigned long long)s->bytes);
	for (j = 0; j < nsenders; j++)
		fprintf(f, ",%u,%u", progress_of(i)[j].sends, progress_of(i)[j].sent);
	for (j = 0; j < nreceivers; j++)
		fprintf(f, ",%u", received_of(i)[j]);
	for (j = 0; nports > 1 && j < nports; j++)
		fprintf(f, ",%llu", (unsigned long long)port_bytes_of(i)[j]);
	fputc('\n', f);
}

static void write_csv(uint64_t start_ns)
{
	FILE *f = fopen(opt.csv, "w");
	size_t i;

	if (!f)
		die("%s: %s", opt.csv, strerror(errno));
	write_csv_head(f);
	for (i = 0; i < nsamples; i++)
		write_csv_sample(f, i, start_ns);
	if (fclose(f))
		die("%s: %s", opt.csv, strerror(errno));
}

/* When the first sender had sent: how far apart did the flows begin? */
static uint64_t first_ns(void)
{
	unsigned int j;
	size_t i;

	for (i = 0; i < nsamples; i++)
		for (j = 0; j < nsenders; j++)
			if (progress_of(i)[j].sent)
				return samples[i].ns;
	return 0;
}

static void print_flows(size_t first, size_t last)
{
	const struct progress *a = progress_of(first), *b = progress_of(last);
	unsigned int j;

	printf("\"flows\": [");
	for (j = 0; j < nsenders; j++) {
		printf("%s{\"dev\": \"%s\", \"messages\": %u, \"packets\": %u, ", j ? ", " : "", senders[j].name,
		       b[j].sends - a[j].sends, b[j].sent - a[j].sent);
		printf("\"total_messages\": %u, \"total_packets\": %u}", b[j].sends, b[j].sent);
	}
	printf("], ");
}

static void print_ports(size_t first, size_t last)
{
	unsigned int j;

	printf("\"ports\": {");
	for (j = 0; j < nports; j++)
		printf("%s\"%s\": %llu", j ? ", " : "", ports[j].name,
		       (unsigned long long)(port_bytes_of(last)[j] - port_bytes_of(first)[j]));
	printf("}, ");
}

static void print_queue(size_t first, size_t last)
{
	uint64_t n = last - first + 1, i;
	uint64_t *backlog = malloc(n * sizeof(*backlog));

	if (!backlog)
		die("no memory");
	for (i = 0; i < n; i++)
		backlog[i] = samples[first + i].backlog;
	qsort(backlog, n, sizeof(*backlog), cmp_u64);
	printf("\"queue_bytes\": {\"p50\": %llu, \"p99\": %llu, \"max\": %llu}, ",
	       (unsigned long long)percentile(backlog, n, 5000), (unsigned long long)percentile(backlog, n, 9900),
	       (unsigned long long)backlog[n - 1]);
	free(backlog);
}

/* The wall clock's time at @ns, for those who note when they did what. */
static double epoch_s(uint64_t ns)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9 - (now_ns() - ns) / (double)NSEC_PER_SEC;
}

static void print_summary(size_t first, size_t last, uint64_t idle)
{
	const struct sample *a = &samples[first], *b = &samples[last];
	const double ns = b->ns - a->ns;
	size_t settled = first;

	while (settled < last && samples[settled].ns < a->ns + opt.settle_ms * NSEC_PER_MSEC)
		settled++;
	printf("{\"window_s\": %.6f, \"samples\": %zu, \"start_spread_ms\": %.1f, ", ns / NSEC_PER_SEC,
	       last - first + 1, (a->ns - first_ns()) / (double)NSEC_PER_MSEC);
	printf("\"start_epoch\": %.6f, ", epoch_s(a->ns));
	print_flows(first, last);
	print_ports(first, last);
	print_queue(first, last);
	printf("\"port_bytes\": %llu, \"drops\": %u, \"drops_settled\": %u, \"busy_ns\": %.0f}\n",
	       (unsigned long long)(b->bytes - a->bytes), b->drops, b->drops - samples[settled].drops,
	       ns > idle ? ns - idle : 0);
}

static void block_usr1(sigset_t *usr1)
{
	sigemptyset(usr1);
	sigaddset(usr1, SIGUSR1);
	if (sigprocmask(SIG_BLOCK, usr1, NULL))
		die("SIGUSR1: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	uint64_t next_ns, idle;
	sigset_t usr1;
	size_t first;

	parse(argc, argv);
	block_usr1(&usr1);
	open_senders();
	open_receivers();
	if (nports)
		open_ports();
	make_room();
	be_first();

	next_ns = now_ns();
	if (!sample_until(&next_ns, next_ns + opt.wait_s * NSEC_PER_SEC, 1))
		die("no packet from %s in %g s", silent_sender()->name, opt.wait_s);
	first = nsamples - 1;
	idle = idle_ns();
	puts("running");
	fflush(stdout);
	/* the counters are fresh in every so-manieth sample only: end with such a one */
	sample_until(&next_ns, samples[first].ns + opt.window_s * NSEC_PER_SEC, 0);
	idle = idle_ns() - idle;
	while ((nsamples - 1) % opt.every)
		nsamples--;
	if (nsamples - 1 <= first)
		die("not one sample in the window");
	puts("over");
	fflush(stdout);
	if (opt.wait_usr1)
		sigwaitinfo(&usr1, NULL);

	if (opt.csv)
		write_csv(samples[first].ns);
	print_summary(first, nsamples - 1, idle);
	return fflush(stdout) ? 1 : 0;
}
