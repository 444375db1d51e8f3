// SPDX-License-Identifier: GPL-2.0
/* rxecc monitor: events of QPs, a line each, as text or JSON. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nap.h"
#include "rxecc.h"
#include "tm_text.h"
#include "watch.h"

#define INTERVAL_MS	200
#define INTERVAL_MAX_MS	60000

/**
 * struct monitor - what is told, and how
 * @tm: the telemetry
 * @target: of which QPs; NULL: all
 * @stall_ns: how long without progress is a stall
 * @json: as JSON
 * @lost: what could not be recorded so far, by reason
 */
struct monitor {
	struct telemetry *tm;
	const struct target *target;
	u64 stall_ns;
	bool json;
	u64 lost[TM_LOSTS];
};

/* With its unit; @none if it is 0. */
static void print_number(u64 value, enum format format, const char *none)
{
	char text[CELL_BYTES];

	write_number(text, value, format);
	fputs(value ? text : none, stdout);
}

static void print_count(u64 n, const char *what)
{
	printf("%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
}

static void print_born(const struct watch_event *e)
{
	char process[TM_TEXT_BYTES];

	tm_process(&e->row->qp, process);
	printf("born, %s, process %s", tm_type(&e->row->qp), process);
}

static void print_cut(const struct watch_event *e)
{
	/* the rate rises between cuts, so that it may be higher now */
	print_count(e->n, "rate cut");
	printf(", rate ");
	print_number(e->from_bps, FORMAT_RATE, "no limit");
	printf(" before, ");
	print_number(e->row->qp.rate_bps, FORMAT_RATE, "no limit");
	printf(" now");
}

static void print_stall(const struct watch_event *e)
{
	const struct tm_qp *qp = &e->row->qp;

	printf("STALLED for ");
	print_number(e->ns - e->since_ns, FORMAT_TIME, "0 s");
	printf(", ");
	print_count(tm_outstanding(qp), "work request");
	printf(" outstanding, last event %s, RTT ", tm_event(qp));
	print_number(qp->rtt_ns, FORMAT_TIME, "unknown");
	printf(", ");
	print_count(qp->again, "request");
	printf(" sent again, ");
	print_count(qp->timeouts, "timeout");
}

static void print_what(const struct watch_event *e)
{
	switch (e->what) {
	case WATCH_BORN:
		print_born(e);
		break;
	case WATCH_CNPS:
		print_count(e->n, "CNP");
		printf(" received");
		break;
	case WATCH_CNPS_SENT:
		print_count(e->n, "CNP");
		printf(" sent");
		break;
	case WATCH_CUT:
		print_cut(e);
		break;
	case WATCH_NAK:
		print_count(e->n, "NAK");
		printf(" received, %s", tm_nak_names[e->nak]);
		break;
	case WATCH_TIMEOUT:
		print_count(e->n, "timeout");
		break;
	case WATCH_AGAIN:
		print_count(e->n, "request");
		printf(" sent again");
		break;
	case WATCH_FAILED:
		print_count(e->n, "work request");
		printf(" failed");
		break;
	case WATCH_ERROR:
		printf("in the error state");
		break;
	case WATCH_STALL:
		print_stall(e);
		break;
	case WATCH_STALL_END:
		printf("stall ends after ");
		print_number(e->ns - e->since_ns, FORMAT_TIME, "0 s");
		break;
	case WATCH_DIED:
		printf("died");
		break;
	case WATCH_WHATS:
		break;
	}
}

static void print_text(const struct watch_event *e)
{
	char time[TM_TEXT_BYTES], name[TM_TEXT_BYTES], peer[TM_TEXT_BYTES];

	tm_wall_time(e->ns, false, time);
	tm_name(e->row, name);
	tm_peer(&e->row->qp, peer);
	printf("%s %s", time, name);
	if (*peer)
		printf(" to %s/%u", peer, e->row->qp.peer_qpn);
	printf(": ");
	print_what(e);
	putchar('\n');
}

static json_t *begin_json(u64 ns, const char *event)
{
	char time[TM_TEXT_BYTES];

	tm_wall_time(ns, true, time);
	return json_pack("{s:s, s:I, s:s}", "time", time, "monotonic_ns", (json_int_t)ns, "event", event);
}

static void end_json(json_t *object)
{
	json_dumpf(object, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(object);
}

static void put_number(json_t *object, const char *key, u64 value)
{
	json_object_set_new(object, key, json_integer(value));
}

static void put_stall(json_t *object, const struct tm_qp *qp)
{
	put_number(object, "outstanding", tm_outstanding(qp));
	json_object_set_new(object, "last_event", json_string(tm_event(qp)));
	put_number(object, "last_event_ns", qp->event_ns);
	put_number(object, "rtt_ns", qp->rtt_ns);
	put_number(object, "again", qp->again);
	put_number(object, "timeouts", qp->timeouts);
}

static void print_event_json(const struct watch_event *e)
{
	json_t *object = begin_json(e->ns, watch_names[e->what]);

	tm_put_qp(object, e->row);
	put_number(object, "n", e->n);
	if (e->what == WATCH_NAK)
		json_object_set_new(object, "syndrome", json_string(tm_nak_names[e->nak]));
	if (e->what == WATCH_CUT) {
		put_number(object, "from_bps", e->from_bps);
		put_number(object, "to_bps", e->row->qp.rate_bps);
	}
	if (e->since_ns)
		put_number(object, "since_ns", e->since_ns);
	if (e->what == WATCH_STALL)
		put_stall(object, &e->row->qp);
	end_json(object);
}

static void print_lost(const struct monitor *m, u64 ns, enum tm_lost why, u64 n)
{
	char time[TM_TEXT_BYTES];
	json_t *object;

	if (m->json) {
		object = begin_json(ns, "lost");
		json_object_set_new(object, "reason", json_string(tm_lost_names[why]));
		put_number(object, "n", n);
		end_json(object);
	} else {
		tm_wall_time(ns, false, time);
		printf("%s telemetry: %llu not recorded, %s\n", time, (unsigned long long)n, tm_lost_docs[why]);
	}
}

static void tell_lost(struct monitor *m, u64 ns, bool aloud)
{
	u64 sum;
	int i;

	for (i = 0; i < TM_LOSTS; i++) {
		sum = tm_lost(m->tm, i);
		if (aloud && sum > m->lost[i])
			print_lost(m, ns, i, sum - m->lost[i]);
		m->lost[i] = sum;
	}
}

static void tell(struct monitor *m, const struct reading *was, const struct reading *now)
{
	const struct watch_event *e;
	size_t n = watch_compare(was, now, m->stall_ns, &e);

	for (; n; n--, e++) {
		if (!tm_match(e->row, m->target))
			continue;
		if (m->json)
			print_event_json(e);
		else
			print_text(e);
	}
	tell_lost(m, now->ns, true);
	if (fflush(stdout) || ferror(stdout))
		fail(EXIT_REFUSED, "cannot write: %s", strerror(errno));
}

/**
 * cmd_monitor() - rxecc monitor [DEV[/QPN]]
 * @args: the words
 */
void cmd_monitor(const struct args *args)
{
	u64 pause_ns = opt_number(args, OPT_INTERVAL, INTERVAL_MS, 1, INTERVAL_MAX_MS) * 1000000;
	struct monitor m = { .json = args->json, .stall_ns = opt_seconds(args, OPT_STALL, STALL_NS) };
	struct reading readings[2] = { 0 };
	struct target target;
	u64 turn = 0;

	if (args->n > 1)
		usage("too many words; see rxecc monitor --help");
	if (args->n && parse_target(args->words[0], &target))
		usage("'%s' is neither a device nor a QP (DEV/QPN)", args->words[0]);
	m.target = args->n ? &target : NULL;
	nap_signals();
	m.tm = tm_open(TM_ANY, args->opts[OPT_PINS]);
	tm_say_missing(m.tm);
	/* What was before is no news, except for stalls that last: at time 0 nothing had stalled yet. */
	reading_take(&readings[0], m.tm);
	readings[0].ns = 0;
	tell_lost(&m, 0, false);
	do {
		turn++;
		if (tm_keep_up(m.tm))
			tm_say_missing(m.tm);
		reading_take(&readings[turn % 2], m.tm);
		tell(&m, &readings[!(turn % 2)], &readings[turn % 2]);
	} while (nap(pause_ns));
	tm_close(m.tm);
}
