// SPDX-License-Identifier: GPL-2.0
/* Metrics of devices, labels device and rail, and of rails. A device's include its QPs that are gone. */
#include <stdlib.h>
#include <string.h>

#include "rxecc.h"
#include "scrape.h"
#include "tm_text.h"

/* bounds of the buckets in the metrics, and how their label says it */
static const struct {
	const char *le;
	u64 ns;
} bounds[] = {
	{ "1e-06", 1000 }, { "2e-06", 2000 }, { "5e-06", 5000 },
	{ "1e-05", 10000 }, { "2e-05", 20000 }, { "5e-05", 50000 },
	{ "0.0001", 100000 }, { "0.0002", 200000 }, { "0.0005", 500000 },
	{ "0.001", 1000000 }, { "0.002", 2000000 }, { "0.005", 5000000 },
	{ "0.01", 10000000 }, { "0.02", 20000000 }, { "0.05", 50000000 },
	{ "0.1", 100000000 }, { "0.2", 200000000 }, { "0.5", 500000000 },
	{ "1.0", 1000000000 }, { "2.0", 2000000000 }, { "5.0", 5000000000 },
	{ "10.0", 10000000000 },
};

static void hist_part(struct scrape *s, const struct device *dev, const char *op, const char *suffix)
{
	expo_part(s->e, suffix);
	expo_label(s->e, "device", dev->name);
	expo_label(s->e, "rail", dev->rail);
	if (op)
		expo_label(s->e, "op", op);
}

/* A bucket of ours that a bound cuts through counts as longer: nothing looks faster than it was. */
static void write_hist(struct scrape *s, const struct device *dev, enum tm_hist hist, const char *op)
{
	static struct tm_hist_sum sum;
	u64 below = 0;
	u32 bucket = 0;
	size_t i;

	memset(&sum, 0, sizeof(sum));
	tm_add_hist(s->l->tm, &(struct tm_key){ dev->index, TM_DEV_QPN }, hist, dev->octaves[hist], &sum);
	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		while (bucket < RCC_HIST_BUCKETS && rcc_hist_low(bucket + 1) - 1 <= bounds[i].ns)
			below += sum.n[bucket++];
		hist_part(s, dev, op, "_bucket");
		expo_label(s->e, "le", bounds[i].le);
		expo_u64(s->e, below);
	}
	hist_part(s, dev, op, "_bucket");
	expo_label(s->e, "le", "+Inf");
	expo_u64(s->e, sum.total);
	hist_part(s, dev, op, "_sum");
	expo_ns(s->e, sum.sum_ns);
	hist_part(s, dev, op, "_count");
	expo_u64(s->e, sum.total);
}

static void write_hists(struct scrape *s)
{
	const struct device *dev;
	int op;

	expo_family(s->e, "rxecc_device_latency_seconds", EXPO_HISTOGRAM, "seconds",
		    "Time from the first packet of a work request to its completion. Counted as longer than a bound: all that is "
		    "within 1.6 % below it.");
	for_each_dev(s, dev)
		for (op = 0; op < TM_OPS; op++)
			write_hist(s, dev, op, tm_hist_names[op]);
	expo_family(s->e, "rxecc_device_rtt_seconds", EXPO_HISTOGRAM, "seconds",
		    "Time from a packet to its ACK; without the module, from the last packet of a work request.");
	for_each_dev(s, dev)
		write_hist(s, dev, TM_HIST_RTT, NULL);
}

static void write_state(struct scrape *s)
{
	const struct device *dev;

	expo_family(s->e, "rxecc_device", EXPO_INFO, NULL, "How a device is set; empty if the module is not loaded.");
	for_each_dev(s, dev) {
		json_t *module = module_of(s, dev);

		dev_sample(s, dev);
		expo_label(s->e, "algorithm", text_of(module, "algorithm"));
		expo_label(s->e, "profile", text_of(module, "profile"));
		expo_label(s->e, "spray", text_of(module, "spray"));
		expo_u64(s->e, 1);
	}
	expo_family(s->e, "rxecc_device_qps", EXPO_GAUGE, NULL, "QPs that live and have done anything since the exporter began.");
	for_each_dev(s, dev) {
		dev_sample(s, dev);
		expo_u64(s->e, dev->qps);
	}
	expo_family(s->e, "rxecc_device_stalled_qps", EXPO_GAUGE, NULL, "QPs that have stalled: see rxecc_qp_stalled.");
	for_each_dev(s, dev) {
		dev_sample(s, dev);
		expo_u64(s->e, dev->stalled);
	}
}

/* The module's counters, under its own names: mlx5's where there is one. All devices have the same ones. */
static void write_module_counters(struct scrape *s)
{
	const struct device *dev;
	char name[EXPO_NAME_BYTES], help[256];
	json_t *counters = NULL;
	const char *counter;
	json_t *value;

	for_each_dev(s, dev)
		if (!counters)
			counters = json_object_get(module_of(s, dev), "counters");
	json_object_foreach(counters, counter, value) {
		snprintf(name, sizeof(name), "rxecc_%s", counter);
		snprintf(help, sizeof(help), "Counter %s of rxe_cc, see Documentation/ABI/testing/sysfs-class-rxe_cc.", counter);
		expo_family(s->e, name, EXPO_COUNTER, NULL, help);
		for_each_dev(s, dev) {
			json_t *own = json_object_get(module_of(s, dev), "counters");

			if (!own)
				continue;
			dev_sample(s, dev);
			expo_u64(s->e, json_integer_value(json_object_get(own, counter)));
		}
	}
}

/**
 * metrics_devices() - metrics of devices
 * @s: what was read
 */
void metrics_devices(struct scrape *s)
{
	write_state(s);
	write_hists(s);
	write_module_counters(s);
}

static void rail_sample(struct scrape *s, const struct rail *rail)
{
	expo_sample(s->e);
	expo_label(s->e, "rail", rail->name);
}

/* A rail's p99 against the median of all rails. */
static void write_slowness(struct scrape *s)
{
	u64 *p99s = alloc((s->nrails + 1) * sizeof(*p99s)), median;
	const struct rail *rail;
	size_t n = 0;

	expo_family(s->e, "rxecc_rail_slowness_ratio", EXPO_GAUGE, NULL,
		    "p99 of the latency of a rail's work requests, against the median of all rails, in the last 30 to 60 s.");
	for_each_rail(s, rail)
		if (rail->late.known)
			p99s[n++] = rail->late.ns[1];
	median = n ? rails_median(p99s, n) : 0;
	for_each_rail(s, rail) {
		if (!rail->late.known || !median)
			continue;
		rail_sample(s, rail);
		expo_double(s->e, (double)rail->late.ns[1] / median);
	}
	free(p99s);
}

/**
 * metrics_rails() - metrics of rails
 * @s: what was read
 */
void metrics_rails(struct scrape *s)
{
	const struct rail *rail;
	char name[EXPO_NAME_BYTES], help[256];
	int which;

	expo_family(s->e, "rxecc_rail_devices", EXPO_GAUGE, NULL, "Devices on a rail.");
	for_each_rail(s, rail) {
		rail_sample(s, rail);
		expo_u64(s->e, rail->devices);
	}
	for (which = 0; which < QUANTILES; which++) {
		snprintf(name, sizeof(name), "rxecc_rail_latency_%s_seconds", quantile_names[which]);
		snprintf(help, sizeof(help), "%g %% of a rail's work requests took at most so long, in the last 30 to 60 s.",
			 quantile_ppm[which] / 1e4);
		expo_family(s->e, name, EXPO_GAUGE, "seconds", help);
		for_each_rail(s, rail) {
			if (!rail->late.known)
				continue;
			rail_sample(s, rail);
			expo_ns(s->e, rail->late.ns[which]);
		}
	}
	write_slowness(s);
}

