// SPDX-License-Identifier: GPL-2.0
/*
 * rcc_replay record: make a vector of what happened in a kernel, as tracefs shows the tracepoints cc_init and cc_event.
 *
 * From the first cc_init of a QP on, nothing may be missing: a lost event would look like a wrong decision later.
 */
#include "replay.h"

#define LINE_BYTES	1024

/* one QP, since an algorithm began to rule it */
struct recorded {
	char dev[64];
	u32 qpn;
	struct vec_flow flow;
};

struct recording {
	const struct replay_opts *opts;
	const char *name;
	unsigned int line;
	char *params;
	struct recorded *qps;
	size_t n;
};

static void __noreturn bad(const struct recording *r, const char *what)
{
	die("%s:%u: %s", r->name, r->line, what);
}

static char *whole_file(const char *name)
{
	FILE *file = fopen(name, "r");
	char *text = NULL;
	size_t room = 0;

	if (!file)
		die("%s: %s", name, strerror(errno));
	if (getdelim(&text, &room, 0, file) <= 0)
		die("%s: empty", name);
	fclose(file);
	return text;
}

/* Where the value of field @name begins: behind a blank, NAME and '='. */
static const char *field(const struct recording *r, const char *line, const char *name)
{
	size_t len = strlen(name);
	const char *p = line;

	while ((p = strstr(p, name))) {
		if (p > line && p[-1] == ' ' && p[len] == '=')
			return p + len + 1;
		p += len;
	}
	die("%s:%u: no %s=", r->name, r->line, name);
}

static uint64_t number(const struct recording *r, const char *line, const char *name)
{
	const char *text = field(r, line, name);
	u64 value;

	if (rcc_u64_parse(text, strcspn(text, " \n"), &value))
		die("%s:%u: %s is no number", r->name, r->line, name);
	return value;
}

static void word(const struct recording *r, const char *line, const char *name, char *to, size_t size)
{
	const char *text = field(r, line, name);
	size_t len = strcspn(text, " \n");

	if (len >= size)
		die("%s:%u: %s is too long", r->name, r->line, name);
	memcpy(to, text, len);
	to[len] = 0;
}

static struct rcc_decision decision(const struct recording *r, const char *line)
{
	return (struct rcc_decision) {
		.rate_bps = number(r, line, "rate"),
		.cwnd_bytes = number(r, line, "cwnd"),
		.timer_ns = number(r, line, "timer"),
	};
}

/* A line of the file of parameters is DEV/params/ALGORITHM/NAME:VALUE. */
static uint64_t param(const struct recording *r, const char *dev, const struct rcc_alg *alg, const char *name)
{
	char key[200];
	const char *p;
	u64 value;

	snprintf(key, sizeof(key), "\n%s/params/%s/%s:", dev, alg->name, name);
	p = strncmp(r->params, key + 1, strlen(key) - 1) ? strstr(r->params, key) : r->params - 1;
	if (!p)
		die("%s: no %s", r->opts->before, key + 1);
	p += strlen(key);
	if (rcc_u64_parse(p, strcspn(p, "\n"), &value))
		die("%s: no number behind %s", r->opts->before, key + 1);
	return value;
}

static struct recorded *new_qp(struct recording *r)
{
	r->qps = reallocarray(r->qps, r->n + 1, sizeof(*r->qps));
	if (!r->qps)
		die("no memory for %zu flows", r->n + 1);
	memset(&r->qps[r->n], 0, sizeof(*r->qps));
	return &r->qps[r->n++];
}

static void record_init(struct recording *r, const char *line)
{
	struct recorded *qp = new_qp(r);
	struct rcc_replay_head *head = &qp->flow.head;
	unsigned int i;

	word(r, line, "dev", qp->dev, sizeof(qp->dev));
	word(r, line, "alg", head->alg, sizeof(head->alg));
	qp->qpn = number(r, line, "qpn");
	qp->flow.alg = need_alg(head->alg, r->name);
	head->now_ns = number(r, line, "now");
	head->path.line_bps = number(r, line, "line");
	head->path.base_rtt_ns = number(r, line, "base_rtt");
	head->path.start_bps = number(r, line, "start");
	head->path.mtu_bytes = number(r, line, "mtu");
	for (i = 0; i < qp->flow.alg->nparams; i++)
		head->values.v[i] = param(r, qp->dev, qp->flow.alg, qp->flow.alg->params[i].name);
	qp->flow.first = decision(r, line);
}

/* The latest beginning is the one that counts. */
static struct recorded *find_qp(struct recording *r, const char *line)
{
	char dev[sizeof(r->qps->dev)];
	u32 qpn = number(r, line, "qpn");
	size_t i;

	word(r, line, "dev", dev, sizeof(dev));
	for (i = r->n; i--;)
		if (r->qps[i].qpn == qpn && !strcmp(r->qps[i].dev, dev))
			return &r->qps[i];
	die("%s:%u: an event of %s/%u, whose cc_init was not recorded", r->name, r->line, dev, qpn);
}

static void record_event(struct recording *r, const char *line)
{
	struct recorded *qp = find_qp(r, line);
	struct vec_event e = {
		.ev = {
			.type = number(r, line, "type"),
			.now_ns = number(r, line, "now"),
			.bytes = number(r, line, "bytes"),
			.packets = number(r, line, "packets"),
			.ce_permille = number(r, line, "ce"),
			.rtt_ns = number(r, line, "rtt"),
			.fabric_ns = number(r, line, "fabric"),
			.random = number(r, line, "random"),
		},
		.decision = decision(r, line),
	};

	if (!e.ev.type || e.ev.type >= RCC_EV_END)
		bad(r, "no such type of event");
	if (qp->flow.n < r->opts->events)
		vec_add(&qp->flow, &e);
}

/* tracefs says in two ways that it has lost something. */
static void refuse_gaps(const struct recording *r, const char *line)
{
	const char *head = "# entries-in-buffer/entries-written: ";
	uint64_t kept, written;

	if (strstr(line, " EVENTS]") && strstr(line, "[LOST "))
		bad(r, "events were lost");
	if (strncmp(line, head, strlen(head)))
		return;
	if (sscanf(line + strlen(head), "%" SCNu64 "/%" SCNu64, &kept, &written) != 2)
		bad(r, "no number of entries");
	if (kept != written)
		die("%s:%u: only %" PRIu64 " of %" PRIu64 " events are left; a larger buffer holds more", r->name, r->line, kept,
		    written);
}

static void record_line(struct recording *r, const char *line)
{
	const char *init = strstr(line, ": cc_init: "), *event = strstr(line, ": cc_event: ");

	refuse_gaps(r, line);
	if (init)
		record_init(r, init);
	else if (event)
		record_event(r, event);
}

static void record_trace(struct recording *r)
{
	FILE *file = fopen(r->name, "r");
	char line[LINE_BYTES];

	if (!file)
		die("%s: %s", r->name, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		r->line++;
		if (!strchr(line, '\n'))
			bad(r, "the line has no end");
		record_line(r, line);
	}
	fclose(file);
}

/* The values of a flow are those that stood all the time. */
static void read_params(struct recording *r)
{
	char *after = whole_file(r->opts->after);

	r->params = whole_file(r->opts->before);
	if (strcmp(r->params, after))
		die("%s and %s differ: parameters were changed during the recording", r->opts->before, r->opts->after);
	free(after);
}

/**
 * cmd_record() - write a recorded vector to standard output
 * @o: files with the parameters; how many events of each flow
 * @files: the trace
 *
 * Return: 0; the program ends if nothing was recorded, or not all of it.
 */
int cmd_record(const struct replay_opts *o, char **files)
{
	struct recording r = { .opts = o, .name = files[0] };
	size_t i;

	read_params(&r);
	record_trace(&r);
	if (!r.n)
		die("%s: no cc_init in it", r.name);
	for (i = 0; i < r.n; i++) {
		vec_write(&r.qps[i].flow);
		free(r.qps[i].flow.events);
	}
	free(r.qps);
	free(r.params);
	return 0;
}
