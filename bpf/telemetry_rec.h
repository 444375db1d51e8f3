/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Maps of the telemetry's programs, and what is done with records and histograms whatever the event.
 *
 * Nothing is locked: counters are added to atomically, and who comes second in making an entry takes the first one's.
 */
#ifndef TELEMETRY_REC_H
#define TELEMETRY_REC_H

#include "telemetry.h"
#include "telemetry_kern.h"

/* how soon all records are looked through again for one that may go, if there was none */
#define SEARCH_NS		100000000ULL
/* so long nothing has happened to a QP that only the module has told of: it may be gone, and nobody will tell */
#define SILENT_NS		60000000000ULL

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, TM_QPS_MAX);
	__type(key, struct tm_key);
	__type(value, struct tm_qp);
} tm_qp SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, TM_SLICES_MAX);
	__type(key, struct tm_slice_key);
	__type(value, struct tm_slice);
} tm_hist SEC(".maps");

/* Preallocated: an entry comes and goes with each work request. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TM_FLYING_MAX);
	__type(key, u64);
	__type(value, struct tm_flying);
} tm_flying SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TM_LOSTS);
	__type(key, u32);
	__type(value, u64);
} tm_lost SEC(".maps");

/* when all records were looked through in vain */
u64 searched_ns;

/* too large for the stack */
const struct tm_qp blank_qp;
const struct tm_slice blank_slice;

#define count(counter)		count_n(counter, 1)
#define count_n(counter, n)	__sync_fetch_and_add(&(counter), n)

static void lose(u32 why)
{
	u64 *n = bpf_map_lookup_elem(&tm_lost, &why);

	if (n)
		count(*n);
}

/* Delete each octave of a dead QP's histograms. */
struct forget {
	struct tm_key key;
	struct tm_qp *rec;
};

static long forget_octave(u32 i, struct forget *f)
{
	struct tm_slice_key at = { .qp = f->key, .octave = i % RCC_HIST_OCTAVES };
	u64 hist = i / RCC_HIST_OCTAVES;

	/* the verifier is to see a bound of this very register */
	barrier_var(hist);
	at.hist = hist;
	if (hist < TM_HISTS && f->rec->octaves[hist] >> at.octave & 1)
		bpf_map_delete_elem(&tm_hist, &at);
	return 0;
}

/* Its QP is gone, and the record makes room for another. */
static __noinline void forget(struct tm_key *key)
{
	struct forget f = { .key = *key, .rec = bpf_map_lookup_elem(&tm_qp, key) };

	if (!f.rec)
		return;
	bpf_loop(TM_HISTS * RCC_HIST_OCTAVES, forget_octave, &f, 0);
	if (!bpf_map_delete_elem(&tm_qp, key))
		lose(TM_LOST_EVICTED);
}

struct search {
	struct tm_key key;
	u64 now_ns;
	bool found;
};

static u64 latest(const struct tm_qp *rec)
{
	u64 ns = rec->event_ns;

	if (ns < rec->cnp_sent_ns)
		ns = rec->cnp_sent_ns;
	if (ns < rec->ce_ns)
		ns = rec->ce_ns;
	return ns < rec->heard_ns ? rec->heard_ns : ns;
}

static long may_go(void *map, struct tm_key *key, struct tm_qp *rec, struct search *s)
{
	if (!rec->died_ns && (rec->id || (s64)(s->now_ns - latest(rec)) < (s64)SILENT_NS))
		return 0;
	s->key = *key;
	s->found = true;
	return 1;
}

/* Make room: one dead QP's record goes, if there is any. */
static __noinline bool evict(u64 now_ns)
{
	struct search s = { .now_ns = now_ns };

	if (now_ns - searched_ns < SEARCH_NS)
		return false;
	bpf_for_each_map_elem(&tm_qp, may_go, &s, 0);
	if (!s.found) {
		searched_ns = now_ns;
		return false;
	}
	forget(&s.key);
	return true;
}

/* An int: before 6.4 the helper's upper half says nothing. */
static int make_entry(void *map, const void *key, const void *blank)
{
	return bpf_map_update_elem(map, key, blank, BPF_NOEXIST);
}

static __noinline struct tm_qp *make(struct tm_key *key)
{
	int err = make_entry(&tm_qp, key, &blank_qp);

	if (err == -E2BIG && evict(bpf_ktime_get_ns()))
		err = make_entry(&tm_qp, key, &blank_qp);
	if (err && err != -EEXIST) {
		lose(TM_LOST_QPS);
		return NULL;
	}
	return bpf_map_lookup_elem(&tm_qp, key);
}

/* That it died remains the last one. */
static void note(struct tm_qp *rec, enum tm_event event, u64 now_ns)
{
	if (rec->died_ns && event != TM_EVENT_DIED)
		return;
	rec->event = event;
	rec->event_ns = now_ns;
}

static void note_peer(struct tm_qp *rec, struct rxe_qp *qp)
{
	rec->peer_qpn = BPF_CORE_READ(qp, attr.dest_qp_num);
	bpf_core_read(rec->peer, sizeof(rec->peer), &qp->pri_av.grh.dgid);
}

/* Who is it? The core's tracking of resources knows the process, also if the QP was there before us. */
static __noinline void identify(struct tm_qp *rec, struct rxe_qp *qp)
{
	struct task_struct *task = BPF_CORE_READ(qp, ibqp.res.task);

	BPF_CORE_READ_STR_INTO(&rec->dev, qp, ibqp.device, name);
	if (task) {
		rec->pid = BPF_CORE_READ(task, tgid);
		BPF_CORE_READ_STR_INTO(&rec->comm, task, group_leader, comm);
	}
	rec->id = (u64)qp;
	rec->type = BPF_CORE_READ(qp, ibqp.qp_type);
	if (rec->type <= IB_QPT_UC)
		note_peer(rec, qp);
}

static __noinline struct tm_qp *make_for(struct tm_key *key, struct rxe_qp *qp)
{
	struct tm_qp *rec = make(key);

	if (rec)
		identify(rec, qp);
	return rec;
}

/*
 * The record of a QP that something happens to, made now if there is none. NULL: no room; or it is being destroyed, and what it
 * still does is of no interest.
 */
static struct tm_qp *record(struct rxe_qp *qp, struct tm_key *key)
{
	struct tm_qp *rec = bpf_map_lookup_elem(&tm_qp, key);

	if (rec && rec->id == (u64)qp)
		return rec->died_ns ? NULL : rec;
	/* the module told of it first, or we did not see one go and another one come */
	if (rec && rec->id)
		forget(key);
	return make_for(key, qp);
}

/* The same for an event of the module, which knows less of the QP. Also of one that is gone: its last packets count. */
static struct tm_qp *told(struct tm_key *key, const char *dev)
{
	struct tm_qp *rec = bpf_map_lookup_elem(&tm_qp, key);

	if (!rec) {
		rec = make(key);
		if (rec)
			bpf_probe_read_kernel_str(rec->dev, sizeof(rec->dev), dev);
	}
	return rec;
}

static __noinline struct tm_slice *make_slice(struct tm_slice_key *at)
{
	struct tm_slice *slice = NULL;
	struct tm_qp *rec = NULL;
	int err = 0;

	if (at->qp.qpn != TM_DEV_QPN) {
		rec = bpf_map_lookup_elem(&tm_qp, &at->qp);
		err = rec ? 0 : -ENOENT;
	}
	if (!err)
		err = make_entry(&tm_hist, at, &blank_slice);
	if (!err || err == -EEXIST)
		slice = bpf_map_lookup_elem(&tm_hist, at);
	if (slice && rec && at->hist < TM_HISTS)
		__sync_fetch_and_or(&rec->octaves[at->hist], 1U << (at->octave & 31));
	if (!slice)
		lose(TM_LOST_HIST);
	return slice;
}

static void add_to(struct tm_slice *slice, u32 bucket, u64 ns)
{
	count_n(slice->sum_ns, ns);
	count(slice->n[bucket & (RCC_HIST_SUB - 1)]);
}

static void add(const struct tm_key *key, u32 hist, u64 ns)
{
	struct tm_slice_key at = { .qp = *key, .hist = hist };
	struct tm_slice *slice;
	u32 bucket;

	/* clocks of two CPUs may differ by a little */
	if ((s64)ns < 0)
		ns = 0;
	bucket = rcc_hist_bucket(ns);
	at.octave = bucket >> RCC_HIST_SHIFT;
	slice = bpf_map_lookup_elem(&tm_hist, &at);
	if (!slice)
		slice = make_slice(&at);
	if (slice)
		add_to(slice, bucket, ns);
}

/* A sample of the QP, and of its device. */
static void add_both(const struct tm_key *key, u32 hist, u64 ns)
{
	struct tm_key dev = { .dev = key->dev, .qpn = TM_DEV_QPN };

	add(key, hist, ns);
	add(&dev, hist, ns);
}

#endif /* TELEMETRY_REC_H */
