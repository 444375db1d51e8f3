// SPDX-License-Identifier: GPL-2.0
/* Metrics by tables: counters of the records, and numbers that the module says. */
#include "rxecc.h"
#include "scrape.h"

/* Samples of all values of a counter, of a QP or a device. */
static void write_values(struct scrape *s, const struct counter *c, const u64 *values, const struct shown *qp,
			 const struct device *dev)
{
	u32 i;

	for (i = 0; i < c->n; i++) {
		if (qp)
			qp_sample(s, qp);
		else
			dev_sample(s, dev);
		if (c->label)
			expo_label(s->e, c->label, c->values[i]);
		expo_u64(s->e, values[i]);
	}
}

static void write_counters(struct scrape *s)
{
	const struct counter *c;
	const struct device *dev;
	const struct shown *qp;
	char name[EXPO_NAME_BYTES];
	size_t at = 0;

	for (c = ledger_counters; c < ledger_counters + ledger_ncounters; at += c++->n) {
		snprintf(name, sizeof(name), "rxecc_device_%s", c->name);
		expo_family(s->e, name, EXPO_COUNTER, c->unit, c->help);
		for_each_dev(s, dev)
			write_values(s, c, dev->totals + at, NULL, dev);
		snprintf(name, sizeof(name), "rxecc_qp_%s", c->name);
		expo_family(s->e, name, EXPO_COUNTER, c->unit, c->help);
		for_each_qp(s, qp)
			write_values(s, c, qp->entry->counted + at, qp, NULL);
	}
}

/**
 * struct saying - a number that the module says of a QP or a device
 * @key: in its object
 * @name: of the metric
 * @type: its type
 * @unit: its unit
 * @scale: what one is, in this unit
 * @help: what it says
 */
struct saying {
	const char *key;
	const char *name;
	enum expo_type type;
	const char *unit;
	double scale;
	const char *help;
};

static const struct saying qp_sayings[] = {
	{ "tx_packets", "rxecc_qp_tx_packets", EXPO_COUNTER, NULL, 1, "Data packets sent." },
	{ "tx_bytes", "rxecc_qp_tx_bytes", EXPO_COUNTER, "bytes", 1, "Bytes of data packets sent." },
	{ "retrans_packets", "rxecc_qp_retransmitted_packets", EXPO_COUNTER, NULL, 1, "Data packets sent again." },
	{ "link_lost", "rxecc_qp_link_lost_packets", EXPO_COUNTER, NULL, 1, "Packets that the link layer found lost." },
	{ "link_repeats", "rxecc_qp_link_repeats", EXPO_COUNTER, NULL, 1, "Packets that the link layer sent again." },
	{ "cwnd_bytes", "rxecc_qp_window_bytes", EXPO_GAUGE, "bytes", 1,
	  "What may be unacknowledged. Absent: the algorithm has no window." },
	{ "unacked_bytes", "rxecc_qp_unacked_bytes", EXPO_GAUGE, "bytes", 1, "What is unacknowledged." },
	{ "held_packets", "rxecc_qp_held_packets", EXPO_GAUGE, NULL, 1, "Packets that wait in the pacer." },
};

static const struct saying dev_sayings[] = {
	{ "line_rate_mbps", "rxecc_device_line_rate_bytes_per_second", EXPO_GAUGE, "bytes_per_second", 125000,
	  "Rate of the link." },
	{ "base_rtt_ns", "rxecc_device_base_rtt_seconds", EXPO_GAUGE, "seconds", 1e-9, "Round trip of an idle fabric." },
	{ "held_packets", "rxecc_device_held_packets", EXPO_GAUGE, NULL, 1, "Packets that wait in the pacer." },
	{ "kept_packets", "rxecc_device_kept_packets", EXPO_GAUGE, NULL, 1, "Packets that the link layer keeps for repeats." },
};

static void write_saying(struct scrape *s, const struct saying *saying, const struct shown *qp, const struct device *dev,
			 json_t *module)
{
	const json_t *value = json_object_get(module, saying->key);

	if (!json_is_integer(value))
		return;
	if (qp)
		qp_sample(s, qp);
	else
		dev_sample(s, dev);
	if (saying->scale == 1)
		expo_u64(s->e, json_integer_value(value));
	else
		expo_double(s->e, json_integer_value(value) * saying->scale);
}

static void write_sayings(struct scrape *s)
{
	const struct device *dev;
	const struct saying *it;
	const struct shown *qp;

	for (it = qp_sayings; it < qp_sayings + ARRAY_SIZE(qp_sayings); it++) {
		expo_family(s->e, it->name, it->type, it->unit, it->help);
		for_each_qp(s, qp)
			write_saying(s, it, qp, NULL, qp->module);
	}
	for (it = dev_sayings; it < dev_sayings + ARRAY_SIZE(dev_sayings); it++) {
		expo_family(s->e, it->name, it->type, it->unit, it->help);
		for_each_dev(s, dev)
			write_saying(s, it, NULL, dev, module_of(s, dev));
	}
}

/**
 * metrics_both() - metrics that QPs and devices have alike
 * @s: what was read
 */
void metrics_both(struct scrape *s)
{
	write_counters(s);
	write_sayings(s);
}
