// SPDX-License-Identifier: GPL-2.0
/* See tm_text.h. Texts have TM_TEXT_BYTES. */
#include <arpa/inet.h>
#include <stdio.h>
#include <time.h>

#include "rxecc.h"
#include "tm_text.h"

const char *const tm_hist_names[TM_HISTS] = {
	[TM_HIST_SEND] = "send",
	[TM_HIST_WRITE] = "write",
	[TM_HIST_READ] = "read",
	[TM_HIST_ATOMIC] = "atomic",
	[TM_HIST_RTT] = "rtt",
	[TM_HIST_HOLD] = "hold",
	[TM_HIST_CNP_GAP] = "cnp_gap",
};

const char *const tm_nak_names[TM_NAKS] = {
	[TM_NAK_PSN] = "psn",
	[TM_NAK_INVALID] = "invalid",
	[TM_NAK_ACCESS] = "access",
	[TM_NAK_OP] = "operational",
	[TM_NAK_RNR] = "rnr",
};

const char *const tm_lost_names[TM_LOSTS] = {
	[TM_LOST_QPS] = "qps",
	[TM_LOST_HIST] = "hist",
	[TM_LOST_FLYING] = "flying",
	[TM_LOST_BEFORE] = "before",
	[TM_LOST_EVICTED] = "evicted",
	[TM_LOST_MISSED] = "missed",
};

const char *const tm_lost_docs[TM_LOSTS] = {
	[TM_LOST_QPS] = "events of QPs for which there was no room",
	[TM_LOST_HIST] = "samples of histograms for which there was no room",
	[TM_LOST_FLYING] = "latencies of work requests for which there was no room",
	[TM_LOST_BEFORE] = "latencies of work requests that had begun before",
	[TM_LOST_EVICTED] = "last figures of QPs that made room for others",
	[TM_LOST_MISSED] = "events of programs that the same processor was just running",
};

/**
 * tm_name() - what a QP is called
 * @row: the QP
 * @text: set to "rxe0/17"
 */
void tm_name(const struct tm_row *row, char *text)
{
	snprintf(text, TM_TEXT_BYTES, "%.*s/%u", TM_NAME_BYTES, row->qp.dev, row->key.qpn);
}

/**
 * tm_peer() - address of the other end
 * @qp: the QP
 * @text: set to it; empty: not connected
 */
void tm_peer(const struct tm_qp *qp, char *text)
{
	static const u8 none[16], v4[12] = { [10] = 0xff, [11] = 0xff };

	*text = 0;
	if (!memcmp(qp->peer, v4, sizeof(v4)))
		inet_ntop(AF_INET, qp->peer + sizeof(v4), text, TM_TEXT_BYTES);
	else if (memcmp(qp->peer, none, sizeof(none)))
		inet_ntop(AF_INET6, qp->peer, text, TM_TEXT_BYTES);
}

/**
 * tm_comm() - name of a QP's process
 * @qp: the QP
 * @text: set to it, without what a terminal or JSON could stumble over; empty: the kernel
 */
void tm_comm(const struct tm_qp *qp, char *text)
{
	size_t i;

	for (i = 0; i < sizeof(qp->comm) && qp->comm[i]; i++)
		text[i] = qp->comm[i] < ' ' || qp->comm[i] > '~' ? '?' : qp->comm[i];
	text[i] = 0;
}

/**
 * tm_process() - name and id of a QP's process
 * @qp: the QP
 * @text: set to "ib_send_bw(4711)", or "kernel"; "?" if only the module has told of the QP
 */
void tm_process(const struct tm_qp *qp, char *text)
{
	if (qp->pid) {
		tm_comm(qp, text);
		snprintf(text + strlen(text), TM_TEXT_BYTES - strlen(text), "(%u)", qp->pid);
	} else {
		strcpy(text, qp->id ? "kernel" : "?");
	}
}

/**
 * tm_type() - type of a QP
 * @qp: the QP
 *
 * Return: its name.
 */
const char *tm_type(const struct tm_qp *qp)
{
	static const char *const names[] = { "SMI", "GSI", "RC", "UC", "UD" };

	return qp->type < ARRAY_SIZE(names) ? names[qp->type] : "?";
}

/**
 * tm_event() - the latest thing of note that happened to a QP
 * @qp: the QP
 *
 * Return: its name.
 */
const char *tm_event(const struct tm_qp *qp)
{
	static const char *const names[TM_EVENTS] = {
		[TM_EVENT_NONE] = "none",
		[TM_EVENT_BORN] = "born",
		[TM_EVENT_CNP] = "cnp",
		[TM_EVENT_CUT] = "cut",
		[TM_EVENT_NAK] = "nak",
		[TM_EVENT_TIMEOUT] = "timeout",
		[TM_EVENT_AGAIN] = "again",
		[TM_EVENT_FAILED] = "failed",
		[TM_EVENT_ERROR] = "error",
		[TM_EVENT_DIED] = "died",
	};

	return qp->event < TM_EVENTS ? names[qp->event] : "?";
}

/**
 * tm_wall_time() - what the clock on the wall said
 * @ns: at this time of the records
 * @utc: as scripts like it; else local time
 * @text: set to it, with milliseconds
 */
void tm_wall_time(u64 ns, bool utc, char *text)
{
	struct timespec wall;
	struct tm parts;
	u64 then;

	clock_gettime(CLOCK_REALTIME, &wall);
	then = wall.tv_sec * RCC_NSEC_PER_SEC + wall.tv_nsec - (tm_now_ns() - ns);
	wall.tv_sec = then / RCC_NSEC_PER_SEC;
	if (utc)
		gmtime_r(&wall.tv_sec, &parts);
	else
		localtime_r(&wall.tv_sec, &parts);
	strftime(text, TM_TEXT_BYTES, utc ? "%FT%T" : "%F %T", &parts);
	snprintf(text + strlen(text), TM_TEXT_BYTES - strlen(text), ".%03u%s",
		 (u32)(then % RCC_NSEC_PER_SEC / 1000000), utc ? "Z" : "");
}

/**
 * tm_match() - is a QP meant?
 * @row: the QP
 * @target: a QP or a device; NULL: all
 *
 * Return: yes.
 */
bool tm_match(const struct tm_row *row, const struct target *target)
{
	return !target || (!strncmp(row->qp.dev, target->dev, TM_NAME_BYTES) &&
			   (!target->has_qpn || row->key.qpn == target->qpn));
}

static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

/**
 * tm_put_qp() - say in JSON which QP it is
 * @object: gets the keys
 * @row: the QP
 */
void tm_put_qp(json_t *object, const struct tm_row *row)
{
	char text[TM_TEXT_BYTES];

	json_object_set_new(object, "dev", json_stringn(row->qp.dev, strnlen(row->qp.dev, TM_NAME_BYTES)));
	json_object_set_new(object, "qpn", json_integer(row->key.qpn));
	json_object_set_new(object, "type", json_string(tm_type(&row->qp)));
	tm_peer(&row->qp, text);
	json_object_set_new(object, "peer", text_or_null(text));
	json_object_set_new(object, "peer_qpn", *text ? json_integer(row->qp.peer_qpn) : json_null());
	tm_comm(&row->qp, text);
	json_object_set_new(object, "comm", text_or_null(text));
	json_object_set_new(object, "pid", json_integer(row->qp.pid));
}

/**
 * tm_say_missing() - say on standard error what cannot be seen
 * @tm: the telemetry
 */
void tm_say_missing(struct telemetry *tm)
{
	const char *text = tm_missing(tm);

	if (text)
		fprintf(stderr, "rxecc: %s\n", text);
}
