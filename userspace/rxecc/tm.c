// SPDX-License-Identifier: GPL-2.0
/* Reads the telemetry's maps. See tm.h; the programs are loaded in tm_load.c. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "rxecc.h"
#include "tm_priv.h"

#define BATCH	512

/**
 * tm_now_ns() - the time of the records
 *
 * Return: CLOCK_MONOTONIC, in nanoseconds.
 */
u64 tm_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/**
 * tm_abandoned() - has the agent ended whose maps these are?
 * @tm: the telemetry
 *
 * Return: yes; nothing will ever change in them.
 */
bool tm_abandoned(struct telemetry *tm)
{
	struct bpf_map_info ours = { 0 }, pinned = { 0 };
	u32 size = sizeof(ours), size_pinned = sizeof(pinned);
	char path[PATH_MAX];
	int fd, err;

	if (tm->own)
		return false;
	/* one that was killed leaves its maps; elsewhere there may be maps that no agent has locked */
	if (!strcmp(tm->dir, TM_PIN_DIR) && !tm_agent_lives(tm->dir))
		return true;
	snprintf(path, sizeof(path), "%s/%s", tm->dir, tm_map_names[TM_MAP_QP]);
	fd = bpf_obj_get(path);
	if (fd < 0)
		return errno == ENOENT;
	err = bpf_map_get_info_by_fd(tm->fd[TM_MAP_QP], &ours, &size) || bpf_map_get_info_by_fd(fd, &pinned, &size_pinned);
	close(fd);
	return !err && ours.id != pinned.id;
}

static int by_key(const void *a, const void *b)
{
	return tm_compare_keys(&((const struct tm_row *)a)->key, &((const struct tm_row *)b)->key);
}

static void make_room(struct telemetry *tm, size_t rows)
{
	if (rows <= tm->room)
		return;
	tm->room = rows + rows / 2;
	tm->rows = realloc(tm->rows, tm->room * sizeof(*tm->rows));
	if (!tm->rows)
		fail(EXIT_REFUSED, "out of memory");
}

/**
 * tm_rows() - read the records of all QPs
 * @tm: the telemetry
 * @rows: set to them, by device and QP number; they stay until the next call
 *
 * Ends the program if the map cannot be read.
 *
 * Return: how many.
 */
size_t tm_rows(struct telemetry *tm, struct tm_row **rows)
{
	static struct tm_key keys[BATCH];
	static struct tm_qp qps[BATCH];
	u64 at = 0;	/* where the kernel goes on, as it says */
	size_t n = 0;
	bool more = true, begun = false;

	while (more) {
		u32 count = BATCH, i;
		int err = bpf_map_lookup_batch(tm->fd[TM_MAP_QP], begun ? &at : NULL, &at, keys, qps, &count, NULL);

		if (err && err != -ENOENT)
			fail(EXIT_REFUSED, "cannot read the QPs' records: %s", strerror(-err));
		more = !err;
		begun = true;
		make_room(tm, n + count);
		for (i = 0; i < count; i++, n++) {
			tm->rows[n].key = keys[i];
			tm->rows[n].qp = qps[i];
		}
	}
	if (n)
		qsort(tm->rows, n, sizeof(*tm->rows), by_key);
	*rows = tm->rows;
	return n;
}

/**
 * tm_add_hist() - add a histogram to a sum
 * @tm: the telemetry
 * @key: whose; qpn TM_DEV_QPN: the device's own
 * @hist: which
 * @octaves: of which octaves there are entries, from the record; ~0: find out
 * @sum: to be added to
 */
void tm_add_hist(struct telemetry *tm, const struct tm_key *key, enum tm_hist hist, u32 octaves, struct tm_hist_sum *sum)
{
	struct tm_slice_key at = { .qp = *key, .hist = hist };
	struct tm_slice slice;
	u32 i;

	for (; at.octave < RCC_HIST_OCTAVES; at.octave++) {
		if (!(octaves >> at.octave & 1) || bpf_map_lookup_elem(tm->fd[TM_MAP_HIST], &at, &slice))
			continue;
		sum->sum_ns += slice.sum_ns;
		for (i = 0; i < RCC_HIST_SUB; i++) {
			sum->n[at.octave * RCC_HIST_SUB + i] += slice.n[i];
			sum->total += slice.n[i];
		}
	}
}

/**
 * tm_lost() - how much could not be recorded
 * @tm: the telemetry
 * @why: for this reason
 *
 * Return: the sum over all CPUs.
 */
u64 tm_lost(struct telemetry *tm, enum tm_lost why)
{
	u32 key = why;
	u64 sum = 0;
	int i;

	if (bpf_map_lookup_elem(tm->fd[TM_MAP_LOST], &key, tm->per_cpu))
		fail(EXIT_REFUSED, "cannot read what was lost: %s", strerror(errno));
	for (i = 0; i < tm->cpus; i++)
		sum += tm->per_cpu[i];
	return sum;
}

/**
 * tm_reap() - forget a QP that is gone, with its histograms
 * @tm: the telemetry
 * @row: its row; if the number belongs to a new QP by now, nothing is done
 */
void tm_reap(struct telemetry *tm, const struct tm_row *row)
{
	struct tm_slice_key at = { .qp = row->key };
	struct tm_qp qp;

	if (bpf_map_lookup_elem(tm->fd[TM_MAP_QP], &row->key, &qp) || !qp.died_ns || qp.died_ns != row->qp.died_ns)
		return;
	bpf_map_delete_elem(tm->fd[TM_MAP_QP], &row->key);
	for (at.hist = 0; at.hist < TM_HISTS; at.hist++)
		for (at.octave = 0; at.octave < RCC_HIST_OCTAVES; at.octave++)
			if (qp.octaves[at.hist] >> at.octave & 1)
				bpf_map_delete_elem(tm->fd[TM_MAP_HIST], &at);
}
