// SPDX-License-Identifier: GPL-2.0
/* Feed an algorithm events by hand, and see what it decides; replay.h says how. For root only, as all of debugfs. */
#include <linux/debugfs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "rcc.h"
#include "replay.h"

/**
 * struct replay - one open file
 * @lock: everything here
 * @alg: the algorithm that the flow began with: an identity, it may have gone since. NULL: no flow yet
 * @head: how it began
 * @state: the algorithm's
 * @decision: its last one
 * @result: of the last write
 * @decisions: that it brought
 * @events: room for those of one write
 */
struct replay {
	struct mutex lock;
	const struct rcc_alg *alg;
	struct rcc_replay_head head;
	struct rcc_state state;
	struct rcc_decision decision;
	struct rcc_replay_result result;
	struct rcc_decision decisions[RCC_REPLAY_MAX];
	struct rcc_event events[RCC_REPLAY_MAX];
};

/* The flow's algorithm, if it is the one still that began it. The caller holds rcu_read_lock(). */
static const struct rcc_alg *alg_of(const struct replay *r)
{
	const struct rcc_slot *slot = rcc_slot_find(r->head.alg, strnlen(r->head.alg, sizeof(r->head.alg)));

	return slot ? rcc_slot_alg(slot) : NULL;
}

static int values_ok(const struct rcc_alg *alg, const struct rcc_values *v)
{
	u32 i;

	for (i = 0; i < alg->nparams; i++)
		if (v->v[i] < alg->params[i].min || v->v[i] > alg->params[i].max)
			return false;
	return !alg->check || alg->check(v) < 0;
}

/* As the data path calls it: under RCU, with bottom halves off. */
static int begin(struct replay *r)
{
	const struct rcc_alg *alg;
	int err = 0;

	memset(&r->state, 0, sizeof(r->state));
	memset(&r->decision, 0, sizeof(r->decision));
	rcu_read_lock();
	local_bh_disable();
	alg = alg_of(r);
	if (!alg)
		err = -ENOENT;
	else if (!values_ok(alg, &r->head.values))
		err = -EINVAL;
	else
		alg->init(&r->state, &r->head.values, &r->head.path, r->head.now_ns, &r->decision);
	local_bh_enable();
	rcu_read_unlock();
	r->alg = err ? NULL : alg;
	r->decisions[0] = r->decision;
	r->result = (struct rcc_replay_result) { .count = !err };
	return err;
}

/* As every caller does it: a timer runs once, and nobody hears of what it did not ask for. */
static void tell(struct replay *r, const struct rcc_alg *alg, const struct rcc_event *ev)
{
	if (!(alg->events & RCC_WANT(ev->type)))
		return;
	if (ev->type == RCC_EV_TIMER)
		r->decision.timer_ns = 0;
	alg->event(&r->state, &r->head.values, ev, &r->decision);
}

static int run(struct replay *r, u32 count)
{
	const struct rcc_alg *alg;
	u64 start_ns;
	u32 i;

	r->result.count = 0;
	rcu_read_lock();
	local_bh_disable();
	alg = alg_of(r);
	if (alg && alg == r->alg) {
		start_ns = ktime_get_ns();
		for (i = 0; i < count; i++) {
			tell(r, alg, &r->events[i]);
			r->decisions[i] = r->decision;
		}
		r->result.ns = ktime_get_ns() - start_ns;
		r->result.count = count;
	}
	local_bh_enable();
	rcu_read_unlock();
	return r->result.count ? 0 : -ENOENT;
}

static int events_ok(const struct replay *r, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (!r->events[i].type || r->events[i].type >= RCC_EV_END)
			return false;
	return true;
}

static int take(struct replay *r, const char __user *buf, size_t size)
{
	u32 count = size / sizeof(struct rcc_event);

	if (size == sizeof(r->head)) {
		r->alg = NULL;
		return copy_from_user(&r->head, buf, size) ? -EFAULT : begin(r);
	}
	if (!r->alg)
		return -ENOENT;
	if (!count || count > RCC_REPLAY_MAX || size % sizeof(struct rcc_event))
		return -EINVAL;
	if (copy_from_user(r->events, buf, size))
		return -EFAULT;
	return events_ok(r, count) ? run(r, count) : -EINVAL;
}

static ssize_t replay_write(struct file *file, const char __user *buf, size_t size, loff_t *pos)
{
	struct replay *r = file->private_data;
	int err;

	mutex_lock(&r->lock);
	err = take(r, buf, size);
	mutex_unlock(&r->lock);
	return err ?: size;
}

static ssize_t replay_read(struct file *file, char __user *buf, size_t size, loff_t *pos)
{
	struct replay *r = file->private_data;
	ssize_t len;

	mutex_lock(&r->lock);
	len = sizeof(r->result) + r->result.count * sizeof(r->decisions[0]);
	if (size < len)
		len = -EINVAL;
	else if (copy_to_user(buf, &r->result, sizeof(r->result)) ||
		 copy_to_user(buf + sizeof(r->result), r->decisions, len - sizeof(r->result)))
		len = -EFAULT;
	mutex_unlock(&r->lock);
	return len;
}

static int replay_open(struct inode *inode, struct file *file)
{
	struct replay *r = vzalloc(sizeof(*r));

	if (!r)
		return -ENOMEM;
	/* a write of events and one of a head differ in length */
	BUILD_BUG_ON(sizeof(struct rcc_replay_head) % sizeof(struct rcc_event) == 0);
	mutex_init(&r->lock);
	file->private_data = r;
	return 0;
}

static int replay_release(struct inode *inode, struct file *file)
{
	vfree(file->private_data);
	return 0;
}

static const struct file_operations replay_fops = {
	.owner = THIS_MODULE,
	.open = replay_open,
	.release = replay_release,
	.read = replay_read,
	.write = replay_write,
};

/**
 * rcc_replay_add() - offer replay in the module's directory of debugfs
 * @dir: the directory; the file goes with it
 */
void rcc_replay_add(struct dentry *dir)
{
	debugfs_create_file("replay", 0600, dir, NULL, &replay_fops);
}
