// SPDX-License-Identifier: GPL-2.0
/* See scrape.h. */
#include <stdlib.h>
#include <string.h>

#include "rxecc.h"
#include "scrape.h"

const u32 quantile_ppm[QUANTILES] = { 500000, 990000, 999900 };
const char *const quantile_names[QUANTILES] = { "p50", "p99", "p9999" };

static void set_percentiles(struct percentiles *p, const struct tm_hist_sum *sum)
{
	int i;

	p->known = sum->total;
	for (i = 0; i < QUANTILES; i++)
		p->ns[i] = rcc_hist_quantile(sum->n, sum->total, quantile_ppm[i]);
}

static void read_qp(struct scrape *s, struct shown *qp, size_t at)
{
	static struct tm_hist_sum sum;
	struct target target = { .has_qpn = true };
	json_t *replies;
	int i;

	qp->row = &s->l->rows[at];
	qp->entry = &s->l->entries[at];
	qp->dev = ledger_device(s->l, qp->row->qp.dev);
	for (i = 0; i < TM_HISTS; i++) {
		if (!qp->row->qp.octaves[i])
			continue;
		memset(&sum, 0, sizeof(sum));
		window_add(qp->entry->window, s->l->tm, &qp->row->key, i, qp->row->qp.octaves[i], &sum);
		set_percentiles(&qp->late[i], &sum);
	}
	if (!s->loaded || qp->row->qp.died_ns)
		return;
	strcpy(target.dev, qp->dev->name);
	target.qpn = qp->row->key.qpn;
	replies = try_qps(&target);
	qp->module = json_incref(json_array_get(replies, 0));
	json_decref(replies);
}

/* The module knows devices that have no QP yet. */
static void read_modules(struct scrape *s)
{
	json_t *devs = s->loaded ? try_devs() : NULL, *dev;
	size_t i;

	if (s->loaded && !devs)
		s->x->errors[SCRAPE_MODULE]++;
	json_array_foreach(devs, i, dev)
		ledger_device(s->l, json_string_value(json_object_get(dev, "name")));
	s->modules = alloc((s->l->ndevices + 1) * sizeof(*s->modules));
	json_array_foreach(devs, i, dev) {
		const char *name = json_string_value(json_object_get(dev, "name"));

		s->modules[ledger_device(s->l, name) - s->l->devices] = json_incref(dev);
	}
	json_decref(devs);
}

static struct rail *rail_of(struct scrape *s, const char *name)
{
	struct rail *rail;

	for (rail = s->rails; rail < s->rails + s->nrails; rail++)
		if (!strcmp(rail->name, name))
			return rail;
	rail->name = name;
	s->nrails++;
	return rail;
}

static void read_rail(struct scrape *s, struct rail *rail)
{
	static struct tm_hist_sum sum;
	const struct device *dev;
	int i;

	memset(&sum, 0, sizeof(sum));
	for (dev = s->l->devices; dev < s->l->devices + s->l->ndevices; dev++)
		for (i = 0; i < TM_OPS && !strcmp(dev->rail, rail->name); i++)
			window_add(dev->window, s->l->tm, &(struct tm_key){ dev->index, TM_DEV_QPN }, i, dev->octaves[i],
				   &sum);
	set_percentiles(&rail->late, &sum);
}

static void read_rails(struct scrape *s)
{
	size_t i;

	s->rails = alloc((s->l->ndevices + 1) * sizeof(*s->rails));
	for (i = 0; i < s->l->ndevices; i++)
		rail_of(s, s->l->devices[i].rail)->devices++;
	for (i = 0; i < s->nrails; i++)
		read_rail(s, &s->rails[i]);
}

/**
 * scrape_read() - read everything
 * @s: @x, @l and @e are set; the rest will be
 */
void scrape_read(struct scrape *s)
{
	size_t i;

	s->began_ns = tm_now_ns();
	ledger_read(s->l, s->began_ns);
	s->loaded = nl_present();
	read_modules(s);
	s->qps = alloc((s->l->nshown + 1) * sizeof(*s->qps));
	for (i = 0; i < s->l->nshown; i++)
		read_qp(s, &s->qps[i], s->l->shown[i]);
	read_rails(s);
}

/**
 * scrape_free() - free what was read
 * @s: it
 */
void scrape_free(struct scrape *s)
{
	size_t i;

	for (i = 0; i < s->l->nshown; i++)
		json_decref(s->qps[i].module);
	for (i = 0; i < s->l->ndevices; i++)
		json_decref(s->modules[i]);
	free(s->qps);
	free(s->modules);
	free(s->rails);
}

/**
 * qp_sample() - begin a sample of a QP
 * @s: what was read
 * @qp: the QP
 */
void qp_sample(struct scrape *s, const struct shown *qp)
{
	expo_sample(s->e);
	expo_label(s->e, "device", qp->dev->name);
	expo_label_u32(s->e, "qpn", qp->row->key.qpn);
}

/**
 * dev_sample() - begin a sample of a device
 * @s: what was read
 * @dev: the device
 */
void dev_sample(struct scrape *s, const struct device *dev)
{
	expo_sample(s->e);
	expo_label(s->e, "device", dev->name);
	expo_label(s->e, "rail", dev->rail);
}

/**
 * module_of() - what the module says of a device
 * @s: what was read
 * @dev: the device
 *
 * Return: an object; NULL: nothing.
 */
json_t *module_of(const struct scrape *s, const struct device *dev)
{
	return s->modules[dev - s->l->devices];
}

/**
 * text_of() - a text that the module says
 * @object: in this, or NULL
 * @key: of the text
 *
 * Return: it; empty: it does not say.
 */
const char *text_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

