// SPDX-License-Identifier: GPL-2.0
/* rxecc show */
#include <stdio.h>
#include <string.h>

#include "rxecc.h"

static const struct column dev_columns[] = {
	{ "device", "name", FORMAT_PLAIN, true },
	{ "algorithm", "algorithm", FORMAT_PLAIN, true },
	{ "profile", "profile", FORMAT_PLAIN, true },
	{ "ecn", "ecn", FORMAT_ON_OFF, true },
	{ "line rate", "line_rate_mbps", FORMAT_MBPS, false },
	{ "base RTT", "base_rtt_ns", FORMAT_TIME, false },
	{ "QPs", "qps", FORMAT_PLAIN, false },
	{ "held packets", "held_packets", FORMAT_PLAIN, false },
	{ "link", "link", FORMAT_ON_OFF, true },
	{ "spray", "spray", FORMAT_PLAIN, true },
	{ "entropies", "entropies", FORMAT_PLAIN, false },
	{ "kept packets", "kept_packets", FORMAT_PLAIN, false },
	{ "waiting packets", "waiting_packets", FORMAT_PLAIN, false },
};

/* A table has room for what is looked at most; the list of one QP has all. */
static const struct column qp_table[] = {
	{ "device", "dev", FORMAT_PLAIN, true },
	{ "QP", "qpn", FORMAT_PLAIN, false },
	{ "type", "type", FORMAT_PLAIN, true },
	{ "algorithm", "algorithm", FORMAT_PLAIN, true },
	{ "set", "algorithm_set", FORMAT_PLAIN, true },
	{ "rate", "rate_bps", FORMAT_RATE, false },
	{ "window", "cwnd_bytes", FORMAT_PLAIN, false },
	{ "unacked", "unacked_bytes", FORMAT_PLAIN, false },
	{ "RTT", "rtt_ns", FORMAT_TIME, false },
	{ "held", "held_packets", FORMAT_PLAIN, false },
	{ "packets", "tx_packets", FORMAT_PLAIN, false },
	{ "repeated", "retrans_packets", FORMAT_PLAIN, false },
	{ "CNPs in", "rx_cnps", FORMAT_PLAIN, false },
	{ "link", "link", FORMAT_PLAIN, true },
	{ "spray", "spray", FORMAT_PLAIN, true },
	{ "peer", "peer", FORMAT_PLAIN, true },
	{ "QP", "peer_qpn", FORMAT_PLAIN, false },
};

static const struct column qp_list[] = {
	{ "device", "dev", FORMAT_PLAIN, true },
	{ "QP", "qpn", FORMAT_PLAIN, true },
	{ "type", "type", FORMAT_PLAIN, true },
	{ "peer", "peer", FORMAT_PLAIN, true },
	{ "peer's QP", "peer_qpn", FORMAT_PLAIN, true },
	{ "algorithm", "algorithm", FORMAT_PLAIN, true },
	{ "set for this QP", "algorithm_set", FORMAT_PLAIN, true },
	{ "rate", "rate_bps", FORMAT_RATE, true },
	{ "window, bytes", "cwnd_bytes", FORMAT_PLAIN, true },
	{ "unacknowledged, bytes", "unacked_bytes", FORMAT_PLAIN, true },
	{ "RTT", "rtt_ns", FORMAT_TIME, true },
	{ "held packets", "held_packets", FORMAT_PLAIN, true },
	{ "packets sent", "tx_packets", FORMAT_PLAIN, true },
	{ "bytes sent", "tx_bytes", FORMAT_PLAIN, true },
	{ "packets sent again", "retrans_packets", FORMAT_PLAIN, true },
	{ "packets received with CE", "rx_ce_packets", FORMAT_PLAIN, true },
	{ "CNPs sent", "tx_cnps", FORMAT_PLAIN, true },
	{ "CNPs received", "rx_cnps", FORMAT_PLAIN, true },
	{ "link layer", "link", FORMAT_PLAIN, true },
	{ "spray", "spray", FORMAT_PLAIN, true },
	{ "spray set for this QP", "spray_set", FORMAT_PLAIN, true },
	{ "link layer's RTT", "link_rtt_ns", FORMAT_TIME, true },
	{ "packets lost", "link_lost", FORMAT_PLAIN, true },
	{ "repeats", "link_repeats", FORMAT_PLAIN, true },
	{ "repeats for nothing", "link_spurious", FORMAT_PLAIN, true },
	{ "packets kept for repeats", "link_kept", FORMAT_PLAIN, true },
	{ "packets received too early", "link_disordered", FORMAT_PLAIN, true },
	{ "packets that wait for others", "link_waiting", FORMAT_PLAIN, true },
	{ "packets given up", "link_skipped", FORMAT_PLAIN, true },
};

static const struct column path_columns[] = {
	{ "path", "path", FORMAT_PLAIN, false },
	{ "port", "port", FORMAT_PLAIN, false },
	{ "state", "state", FORMAT_PLAIN, true },
	{ "weight", "weight_permille", FORMAT_PERMILLE, false },
	{ "sent", "sent", FORMAT_PLAIN, false },
	{ "lost", "lost_permille", FORMAT_PERMILLE, false },
	{ "CE", "ce_permille", FORMAT_PERMILLE, false },
	{ "RTT", "rtt_ns", FORMAT_TIME, false },
};

static const struct column alg_columns[] = {
	{ "name", "name", FORMAT_PLAIN, true },
	{ "kind", "kind", FORMAT_PLAIN, true },
	{ "users", "users", FORMAT_PLAIN, false },
	{ "paces", "paces", FORMAT_PLAIN, true },
	{ "wants", "events", FORMAT_LIST, true },
	{ "", "doc", FORMAT_PLAIN, true },
};

static void print_counters(json_t *counters)
{
	const char *name;
	json_t *value;
	int width = 0;

	json_object_foreach(counters, name, value)
		width = (int)strlen(name) > width ? (int)strlen(name) : width;
	puts("counters");
	json_object_foreach(counters, name, value)
		printf("  %-*s  %lld\n", width, name, json_integer_value(value));
}

/**
 * show_devs() - show a device with its counters, or a table of all
 * @dev: the device; NULL: all
 * @json: print JSON
 */
void show_devs(const char *dev, bool json)
{
	json_t *devs = get_devs(dev);

	if (json) {
		print_json(devs);
	} else if (dev) {
		print_list(dev_columns, ARRAY_SIZE(dev_columns), json_array_get(devs, 0));
		print_counters(json_object_get(json_array_get(devs, 0), "counters"));
	} else {
		print_table(dev_columns, ARRAY_SIZE(dev_columns), devs);
	}
	json_decref(devs);
}

/**
 * show_qps() - show a QP, or a table of them
 * @target: the QP, or a device; NULL: all
 * @json: print JSON
 */
void show_qps(const struct target *target, bool json)
{
	json_t *qps = get_qps(target, false);

	if (json)
		print_json(qps);
	else if (target && target->has_qpn)
		print_list(qp_list, ARRAY_SIZE(qp_list), json_array_get(qps, 0));
	else
		print_table(qp_table, ARRAY_SIZE(qp_table), qps);
	json_decref(qps);
}

/* What the table says beyond the kernel. What is still on its way is neither lost nor not. */
static void complete_path(json_t *path)
{
	json_int_t lost = json_integer_value(json_object_get(path, "lost"));
	json_int_t known = json_integer_value(json_object_get(path, "came")) + lost;

	json_object_set_new(path, "state", json_string(json_is_true(json_object_get(path, "dead")) ? "dead" : "alive"));
	json_object_set_new(path, "lost_permille", known ? json_integer(lost * 1000 / known) : json_null());
}

static void show_paths(const struct target *target, bool json)
{
	json_t *qps = get_qps(target, true), *paths, *path;
	size_t i;

	paths = json_object_get(json_array_get(qps, 0), "paths");
	json_array_foreach(paths, i, path)
		complete_path(path);
	if (json)
		print_json(paths);
	else
		print_table(path_columns, ARRAY_SIZE(path_columns), paths);
	json_decref(qps);
}

static void show_algs(bool json)
{
	json_t *algs = get_algs();

	if (json)
		print_json(algs);
	else
		print_table(alg_columns, ARRAY_SIZE(alg_columns), algs);
	json_decref(algs);
}

/**
 * cmd_show() - rxecc show [dev [DEV] | qp [DEV[/QPN]] | qp DEV/QPN paths | alg]
 * @args: the words
 */
void cmd_show(const struct args *args)
{
	const char *what = args->n ? args->words[0] : "dev";
	bool paths = args->n == 3 && !strcmp(what, "qp") && !strcmp(args->words[2], "paths");
	struct target target;

	if (args->n > 2 + paths || (args->n == 2 && !strcmp(what, "alg")))
		usage("too many words; see rxecc show --help");
	if (args->n >= 2 && parse_target(args->words[1], &target))
		usage("'%s' is neither a device nor a QP (DEV/QPN)", args->words[1]);
	if (paths && !target.has_qpn)
		usage("'%s' is no QP (DEV/QPN): paths are those of one QP", args->words[1]);
	if (paths)
		show_paths(&target, args->json);
	else if (!strcmp(what, "qp"))
		show_qps(args->n == 2 ? &target : NULL, args->json);
	else if (!strcmp(what, "alg"))
		show_algs(args->json);
	else if (strcmp(what, "dev"))
		usage("no '%s' to show; there are dev, qp and alg", what);
	else if (args->n == 2 && target.has_qpn)
		usage("'%s' is a QP: rxecc show qp %s", args->words[1], args->words[1]);
	else
		show_devs(args->n == 2 ? target.dev : NULL, args->json);
}
