// SPDX-License-Identifier: GPL-2.0
/*
 * tm_fill DIR - makes the telemetry's maps (bpf/telemetry.h), pins them below DIR, and fills them as told by standard input.
 *
 * What reads the maps can so be tested where the programs that write them cannot run. Maps that are pinned already are changed.
 * Lines are:
 *
 *	qp DEV/QPN [FIELD=VALUE...]		make or change a record. VALUE of a ..._ns may be -N: N nanoseconds ago;
 *						a field of several values takes them with commas between
 *	gone DEV/QPN				delete it
 *	sample DEV/QPN HIST NS [COUNT]		add COUNT samples of NS to a histogram (its number, see enum tm_hist)
 *	sample DEV HIST NS [COUNT]		to one of the device itself
 *	lost WHY COUNT				lost for a reason (its number, see enum tm_lost)
 *	many QPS DEVS				QPs that look like those of a busy cluster, QPS / DEVS on each of rxe0, rxe1, ...;
 *						the same ones every time
 *
 * The index of a device is the number in its name.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../../bpf/telemetry.h"
#include "test.h"

#define BLANKS	" \t\n"

/* kinds of fields */
enum kind {
	TEXT,
	ADDRESS,	/* IPv4 or IPv6 */
	U32,
	U64,
};

/**
 * struct field - a field of struct tm_qp
 * @name: its name
 * @kind: what it is
 * @offset: where it is
 * @bytes: how large it is
 */
struct field {
	const char *name;
	enum kind kind;
	size_t offset;
	size_t bytes;
};

#define FIELD(name, kind)	{ #name, kind, offsetof(struct tm_qp, name), sizeof(((struct tm_qp *)0)->name) }

static const struct field fields[] = {
	FIELD(comm, TEXT),
	FIELD(pid, U32),
	FIELD(type, U32),
	FIELD(peer_qpn, U32),
	FIELD(peer, ADDRESS),
	FIELD(born_ns, U64),
	FIELD(died_ns, U64),
	FIELD(started, U64),
	FIELD(done, U64),
	FIELD(failed, U64),
	FIELD(flushed, U64),
	FIELD(unseen, U64),
	FIELD(started_ns, U64),
	FIELD(done_ns, U64),
	FIELD(heard_ns, U64),
	FIELD(op_done, U64),
	FIELD(op_bytes, U64),
	FIELD(again, U64),
	FIELD(naks, U64),
	FIELD(timeouts, U64),
	FIELD(errors, U64),
	FIELD(error_ns, U64),
	FIELD(rtt_ns, U64),
	FIELD(rate_bps, U64),
	FIELD(rate_cuts, U64),
	FIELD(cut_ns, U64),
	FIELD(cnps_rcvd, U64),
	FIELD(cnps_sent, U64),
	FIELD(cnps_ignored, U64),
	FIELD(cnp_rcvd_ns, U64),
	FIELD(cnp_sent_ns, U64),
	FIELD(ce_rcvd, U64),
	FIELD(ce_span, U64),
	FIELD(event, U32),
	FIELD(event_ns, U64),
	FIELD(id, U64),
};

static int qp_fd, hist_fd, lost_fd;
static unsigned int line_number;
static u64 now_ns;

#define bad_line(fmt, ...)	errx(2, "line %u: " fmt, line_number, ##__VA_ARGS__)

static u64 to_number(const char *word)
{
	char *end;
	u64 value;

	if (!word)
		bad_line("a number is missing");
	errno = 0;
	value = *word == '-' ? now_ns - strtoull(word + 1, &end, 10) : strtoull(word, &end, 10);
	if (errno || *end || end == word)
		bad_line("'%s' is no number", word);
	return value;
}

/* The words behind the first one. */
static char *word(void)
{
	return strtok(NULL, BLANKS);
}

/* "rxe0/17", or "rxe0" for the device itself; the name of the device is left in @name. */
static struct tm_key target(char *name)
{
	struct tm_key key = { .qpn = TM_DEV_QPN };
	char *slash, *digits;

	if (!name)
		bad_line("a QP is missing");
	slash = strchr(name, '/');
	if (slash) {
		*slash = 0;
		key.qpn = to_number(slash + 1);
	}
	digits = name + strcspn(name, "0123456789");
	key.dev = to_number(digits);
	return key;
}

static void write_qp(const struct tm_key *key, const struct tm_qp *qp)
{
	if (bpf_map_update_elem(qp_fd, key, qp, BPF_ANY))
		err(1, "a QP's record");
}

static void set_numbers(const struct field *f, char *value, char *at)
{
	size_t width = f->kind == U32 ? sizeof(u32) : sizeof(u64), i;
	char *next = value;

	for (i = 0; i < f->bytes / width && next; i++) {
		char *one = strsep(&next, ",");

		if (f->kind == U32)
			((u32 *)at)[i] = to_number(one);
		else
			((u64 *)at)[i] = to_number(one);
	}
	if (next)
		bad_line("too many values for %s", f->name);
}

static void set_address(const char *value, u8 *at)
{
	static const u8 v4[12] = { [10] = 0xff, [11] = 0xff };

	memcpy(at, v4, sizeof(v4));
	if (inet_pton(AF_INET, value, at + sizeof(v4)) != 1 && inet_pton(AF_INET6, value, at) != 1)
		bad_line("'%s' is no address", value);
}

static void set_field(struct tm_qp *qp, char *setting)
{
	char *value = setting, *name = strsep(&value, "="), *at;
	const struct field *f;

	if (!value)
		bad_line("'%s' has no value", name);
	for (f = fields; f < fields + ARRAY_SIZE(fields) && strcmp(f->name, name); f++)
		;
	if (f == fields + ARRAY_SIZE(fields))
		bad_line("no field '%s'", name);
	at = (char *)qp + f->offset;
	if (f->kind == TEXT)
		strncpy(at, value, f->bytes);
	else if (f->kind == ADDRESS)
		set_address(value, (u8 *)at);
	else
		set_numbers(f, value, at);
}

static void do_qp(void)
{
	char *name = word(), *setting;
	struct tm_key key = target(name);
	struct tm_qp qp = { .type = 2 };

	bpf_map_lookup_elem(qp_fd, &key, &qp);
	strncpy(qp.dev, name, sizeof(qp.dev) - 1);
	while ((setting = word()))
		set_field(&qp, setting);
	write_qp(&key, &qp);
}

static void do_gone(void)
{
	struct tm_key key = target(word());

	if (bpf_map_delete_elem(qp_fd, &key))
		bad_line("no such QP");
}

/* Add an octave of samples to what is there. */
static void add_slice(const struct tm_key *key, u32 hist, u32 octave, const struct tm_slice *more)
{
	struct tm_slice_key at = { .qp = *key, .hist = hist, .octave = octave };
	struct tm_slice slice = { 0 };
	u32 i;

	bpf_map_lookup_elem(hist_fd, &at, &slice);
	slice.sum_ns += more->sum_ns;
	for (i = 0; i < RCC_HIST_SUB; i++)
		slice.n[i] += more->n[i];
	if (bpf_map_update_elem(hist_fd, &at, &slice, BPF_ANY))
		err(1, "an octave of a histogram");
}

static void do_sample(void)
{
	struct tm_key key = target(word());
	u64 hist = to_number(word()), ns = to_number(word());
	u32 bucket = rcc_hist_bucket(ns);
	char *count = word();
	struct tm_slice slice = { 0 };
	struct tm_qp qp;

	if (hist >= TM_HISTS)
		bad_line("no histogram %llu", (unsigned long long)hist);
	slice.n[bucket % RCC_HIST_SUB] = count ? to_number(count) : 1;
	slice.sum_ns = slice.n[bucket % RCC_HIST_SUB] * ns;
	add_slice(&key, hist, bucket / RCC_HIST_SUB, &slice);
	if (key.qpn == TM_DEV_QPN)
		return;
	if (bpf_map_lookup_elem(qp_fd, &key, &qp))
		bad_line("no such QP");
	qp.octaves[hist] |= 1U << bucket / RCC_HIST_SUB;
	write_qp(&key, &qp);
}

static void do_lost(void)
{
	u32 why = to_number(word());
	int cpus = libbpf_num_possible_cpus();
	u64 *values = calloc(cpus, sizeof(*values));

	values[cpus - 1] = to_number(word());
	if (bpf_map_update_elem(lost_fd, &why, values, BPF_ANY))
		err(1, "what was lost");
	free(values);
}

/* About @mean: its half at least, seldom sixteen times as much. */
static u64 around(u64 mean, u64 *seed)
{
	u64 r = test_random(seed);

	return (mean / 2 + r % mean) << (r >> 32 & 63 ? 0 : r >> 40 & 3);
}

static void fill_hist(const struct tm_key *key, struct tm_qp *qp, u32 hist, u64 mean, u64 *seed)
{
	struct tm_slice slices[RCC_HIST_OCTAVES] = { 0 };
	struct tm_key dev = { .dev = key->dev, .qpn = TM_DEV_QPN };
	u64 total = 0;
	u32 i;

	for (i = 0; i < 16; i++) {
		u64 ns = around(mean, seed), count = 1 + test_random(seed) % 1000;
		u32 bucket = rcc_hist_bucket(ns);

		slices[bucket / RCC_HIST_SUB].n[bucket % RCC_HIST_SUB] += count;
		slices[bucket / RCC_HIST_SUB].sum_ns += ns * count;
		qp->octaves[hist] |= 1U << bucket / RCC_HIST_SUB;
		total += count;
	}
	for (i = 0; i < RCC_HIST_OCTAVES; i++) {
		if (!slices[i].sum_ns)
			continue;
		add_slice(key, hist, i, &slices[i]);
		if (hist <= TM_HIST_RTT)
			add_slice(&dev, hist, i, &slices[i]);
	}
	if (hist >= TM_OPS)
		return;
	qp->started = total;
	qp->done = total;
	qp->op_done[hist] = total;
	qp->op_bytes[hist] = total * 65536;
}

static void fill_qp(u32 dev, u32 qpn, u64 *seed)
{
	static const char *const comms[] = { "ib_send_bw", "train.py", "nccl-test", "storage-node" };
	struct tm_key key = { .dev = dev, .qpn = qpn };
	struct tm_qp qp = { .type = 2, .pid = 1000 + qpn / 16, .peer_qpn = qpn + 1 };

	snprintf(qp.dev, sizeof(qp.dev), "rxe%u", dev);
	strcpy(qp.comm, comms[qpn / 16 % ARRAY_SIZE(comms)]);
	qp.peer[10] = 0xff;
	qp.peer[11] = 0xff;
	qp.peer[12] = 10;
	qp.peer[13] = dev;
	qp.peer[14] = qpn >> 8;
	qp.peer[15] = qpn;
	fill_hist(&key, &qp, qpn % 4 ? TM_HIST_WRITE : TM_HIST_SEND, 200000, seed);
	fill_hist(&key, &qp, TM_HIST_RTT, 15000, seed);
	fill_hist(&key, &qp, TM_HIST_HOLD, 40000, seed);
	qp.born_ns = now_ns - 3600000000000ULL;
	qp.started_ns = now_ns - test_random(seed) % 1000000;
	qp.done_ns = qp.started_ns + 1;
	qp.rtt_ns = around(15000, seed);
	qp.rate_bps = around(10000000000ULL, seed);
	qp.rate_cuts = test_random(seed) % 100;
	qp.cnps_rcvd = test_random(seed) % 1000;
	qp.cnps_sent = test_random(seed) % 1000;
	qp.event = TM_EVENT_CNP;
	qp.event_ns = now_ns - test_random(seed) % 1000000000;
	qp.cnp_rcvd_ns = qp.event_ns;
	write_qp(&key, &qp);
}

static void do_many(void)
{
	u64 qps = to_number(word()), devs = to_number(word()), seed = 1, i;

	for (i = 0; i < qps; i++)
		fill_qp(i % devs, 17 + i / devs, &seed);
}

static const struct {
	const char *word;
	void (*run)(void);
} lines[] = {
	{ "qp", do_qp },
	{ "gone", do_gone },
	{ "sample", do_sample },
	{ "lost", do_lost },
	{ "many", do_many },
};

/* A map that is pinned already, or a new one. */
static int open_map(const char *dir, const char *name, enum bpf_map_type type, u32 key, u32 value, u32 entries)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = type == BPF_MAP_TYPE_HASH ? BPF_F_NO_PREALLOC : 0);
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = bpf_obj_get(path);
	if (fd >= 0)
		return fd;
	fd = bpf_map_create(type, name, key, value, entries, &opts);
	if (fd < 0)
		err(1, "map %s", name);
	if (bpf_obj_pin(fd, path))
		err(1, "%s", path);
	return fd;
}

static void open_maps(const char *dir)
{
	qp_fd = open_map(dir, "qp", BPF_MAP_TYPE_HASH, sizeof(struct tm_key), sizeof(struct tm_qp), TM_QPS_MAX);
	hist_fd = open_map(dir, "hist", BPF_MAP_TYPE_HASH, sizeof(struct tm_slice_key), sizeof(struct tm_slice), TM_SLICES_MAX);
	close(open_map(dir, "flying", BPF_MAP_TYPE_HASH, sizeof(u64), sizeof(struct tm_flying), TM_FLYING_MAX));
	lost_fd = open_map(dir, "lost", BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(u32), sizeof(u64), TM_LOSTS);
}

static void run(char *line)
{
	char *first = strtok(line, BLANKS);
	size_t i;

	if (!first)
		return;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!strcmp(lines[i].word, first)) {
			lines[i].run();
			return;
		}
	}
	bad_line("no '%s'", first);
}

int main(int argc, char **argv)
{
	struct timespec ts;
	char line[1024];

	if (argc != 2)
		errx(2, "usage: tm_fill DIR < LINES");
	clock_gettime(CLOCK_MONOTONIC, &ts);
	now_ns = ts.tv_sec * 1000000000ULL + ts.tv_nsec;
	open_maps(argv[1]);
	while (fgets(line, sizeof(line), stdin)) {
		line_number++;
		run(line);
	}
	return 0;
}
