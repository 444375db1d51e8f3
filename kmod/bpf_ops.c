// SPDX-License-Identifier: GPL-2.0
/*
 * Algorithms in BPF: the struct_ops type rxe_cc_ops.
 *
 *	bpftool struct_ops register x.bpf.o	-> verifier: may each program read and write what it does?
 *						-> members are copied, the whole is checked
 *						-> a struct rcc_alg whose functions are the trampolines -> alg.c
 *
 * From there on it is an algorithm like any other: an event calls its trampoline, with nothing of this file between.
 *
 * What may be written follows from the prototypes: what they call const is read-only. The verifier forgets const, so
 * pointers to const get MEM_RDONLY when a program takes them from its context, and writes through those are refused.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/slab.h>

#include "cc/ops.h"
#include "compat.h"
#include "rcc.h"
#include "rxe_cc.h"

#ifdef RCC_HAVE_STRUCT_OPS

#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>

/**
 * struct bpf_alg - a registered algorithm
 * @alg: as the rest of the module sees it
 * @ops: where it came from: memory of the BPF map, which outlives the registration
 * @list: all of them (bpf_algs_lock)
 */
struct bpf_alg {
	struct rcc_alg alg;
	const struct rxe_cc_ops *ops;
	struct list_head list;
};

static LIST_HEAD(bpf_algs);
static DEFINE_MUTEX(bpf_algs_lock);

/* Ours, since the kernel took the type; it says nothing where it is missing. */
static const struct btf *module_btf;

__bpf_kfunc_start_defs();

/**
 * bpf_rcc_mul_div() - @a * @b / @c without overflow in between, which BPF cannot do
 * @a: factor
 * @b: factor
 * @c: divisor
 *
 * Any context.
 *
 * Return: the quotient, rounded down; 2^64 - 1 if it is greater than that; 0 if @c is 0, as BPF's own division says.
 */
__bpf_kfunc u64 bpf_rcc_mul_div(u64 a, u64 b, u64 c)
{
	if (!c)
		return 0;
	if (mul_u64_u64_shr(a, b, 64) >= c)
		return U64_MAX;
	return mul_u64_u64_div_u64(a, b, c);
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(kfunc_ids)
BTF_ID_FLAGS(func, bpf_rcc_mul_div)
BTF_KFUNCS_END(kfunc_ids)

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &kfunc_ids,
};

/* Does the prototype of the program's op say const of what this argument points to? */
static bool points_to_const(const struct bpf_prog *prog, u32 arg)
{
	const struct btf *btf = prog->aux->attach_btf;
	const struct btf_type *t = btf_type_by_id(btf, btf_params(prog->aux->attach_func_proto)[arg].type);

	return BTF_INFO_KIND(btf_type_by_id(btf, t->type)->info) == BTF_KIND_CONST;
}

static bool is_valid_access(int off, int size, enum bpf_access_type type, const struct bpf_prog *prog,
			    struct bpf_insn_access_aux *info)
{
	if (off < 0 || off % size || type != BPF_READ || !btf_ctx_access(off, size, type, prog, info))
		return false;
	if (base_type(info->reg_type) == PTR_TO_BTF_ID && points_to_const(prog, off / sizeof(u64)))
		info->reg_type |= MEM_RDONLY;
	return true;
}

/*
 * A write through a pointer to a structure. Those that come as arguments are of the module's own types, none of which
 * leads to another; what else a program can lay hands on, such as its task, is the kernel's. Where a write leads within its
 * structure is up to the program.
 */
static int write_allowed(struct bpf_verifier_log *log, const struct bpf_reg_state *reg, int off, int size)
{
	const struct btf_type *t = btf_type_by_id(reg->btf, reg->btf_id);

	if (reg->btf != module_btf) {
		bpf_log(log, "rxe_cc: this is none of the structures that a program of rxe_cc_ops gets, and read-only\n");
		return -EACCES;
	}
	if (type_flag(reg->type) & MEM_RDONLY) {
		bpf_log(log, "rxe_cc: this is read-only; what a program may write is struct rcc_state, rate_bps,\n");
		bpf_log(log, "cwnd_bytes and timer_ns of struct rcc_decision, and in scale() struct rcc_values\n");
		return -EACCES;
	}
	if (off < 0 || off % size || off + size > t->size) {
		bpf_log(log, "rxe_cc: a write of %d bytes at %d: must be aligned and end by %u\n", size, off, t->size);
		return -EACCES;
	}
	return 0;
}

static const struct bpf_func_proto *get_func_proto(enum bpf_func_id id, const struct bpf_prog *prog)
{
	/* another program's arguments are not these */
	return id == BPF_FUNC_tail_call ? NULL : bpf_base_func_proto(id, prog);
}

static const struct bpf_verifier_ops verifier_ops = {
	.get_func_proto = get_func_proto,
	.is_valid_access = is_valid_access,
	.btf_struct_access = write_allowed,
};

static int init_type(struct btf *btf)
{
	module_btf = btf;
	return 0;
}

/* Called for each member in turn; functions are the caller's. The whole is checked when all are there. */
static int init_member(const struct btf_type *t, const struct btf_member *member, void *kdata, const void *udata)
{
	u32 off = __btf_member_bit_offset(t, member) / 8;

	if (off < offsetof(struct rxe_cc_ops, name))
		return 0;
	/* with the first that is data come all the others */
	if (off == offsetof(struct rxe_cc_ops, name))
		memcpy(kdata + off, udata + off, sizeof(struct rxe_cc_ops) - off);
	return 1;
}

static struct rcc_alg alg_of(const struct rxe_cc_ops *ops)
{
	return (struct rcc_alg) {
		.name = ops->name,
		.doc = ops->doc,
		.paces = ops->paces,
		.events = ops->events,
		.nparams = ops->nparams,
		.params = ops->params,
		.scale = ops->scale,
		.check = ops->check,
		.init = ops->init,
		.event = ops->event,
	};
}

static int validate(void *kdata)
{
	const struct rxe_cc_ops *ops = kdata;
	struct rcc_alg alg = alg_of(ops);
	const char *fault = rcc_alg_fault(&alg);

	if (!fault && !memchr(ops->doc, 0, sizeof(ops->doc)))
		fault = "the text of doc has no end";
	if (!fault)
		return 0;
	pr_warn_ratelimited("struct_ops '%.*s' refused: %s\n", RCC_NAME_BYTES, ops->name, fault);
	return -EINVAL;
}

/* Programs run in softirq, under a lock. */
static int check_member(const struct btf_type *t, const struct btf_member *member, const struct bpf_prog *prog)
{
	return prog->sleepable ? -EINVAL : 0;
}

static struct bpf_alg *find(const struct rxe_cc_ops *ops)
{
	struct bpf_alg *ba;

	lockdep_assert_held(&bpf_algs_lock);
	list_for_each_entry(ba, &bpf_algs, list)
		if (ba->ops == ops)
			return ba;
	return NULL;
}

static struct bpf_alg *make(const struct rxe_cc_ops *ops)
{
	struct bpf_alg *ba = kzalloc(sizeof(*ba), GFP_KERNEL);

	if (ba) {
		ba->ops = ops;
		ba->alg = alg_of(ops);
	}
	return ba;
}

static int reg(void *kdata, struct bpf_link *link)
{
	struct bpf_alg *ba = make(kdata);
	int err;

	if (!ba)
		return -ENOMEM;
	mutex_lock(&bpf_algs_lock);
	err = rcc_alg_add(&ba->alg, NULL);
	if (err)
		kfree(ba);
	else
		list_add(&ba->list, &bpf_algs);
	mutex_unlock(&bpf_algs_lock);
	return err;
}

static void unreg(void *kdata, struct bpf_link *link)
{
	struct bpf_alg *ba;

	mutex_lock(&bpf_algs_lock);
	ba = find(kdata);
	rcc_alg_del(&ba->alg);
	list_del(&ba->list);
	mutex_unlock(&bpf_algs_lock);
	kfree(ba);
}

static int update(void *kdata, void *old_kdata, struct bpf_link *link)
{
	struct bpf_alg *ba = make(kdata);
	struct bpf_alg *old;
	int err;

	if (!ba)
		return -ENOMEM;
	mutex_lock(&bpf_algs_lock);
	old = find(old_kdata);
	err = rcc_alg_replace(&old->alg, &ba->alg);
	if (!err)
		list_replace(&old->list, &ba->list);
	mutex_unlock(&bpf_algs_lock);
	kfree(err ? ba : old);
	return err;
}

/* For control-flow integrity: functions of the types that are called. */
static void init_stub(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
		      struct rcc_decision *d)
{
}

static void event_stub(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev,
		       struct rcc_decision *d)
{
}

static void scale_stub(struct rcc_values *v, const struct rcc_path *path)
{
}

static int check_stub(const struct rcc_values *v)
{
	return -1;
}

static struct rxe_cc_ops cfi_stubs = {
	.init = init_stub,
	.event = event_stub,
	.scale = scale_stub,
	.check = check_stub,
};

static struct bpf_struct_ops bpf_rxe_cc_ops = {
	.verifier_ops = &verifier_ops,
	.init = init_type,
	.check_member = check_member,
	.init_member = init_member,
	.validate = validate,
	.reg = reg,
	.unreg = unreg,
	.update = update,
	.cfi_stubs = &cfi_stubs,
	.name = "rxe_cc_ops",
	.owner = THIS_MODULE,
};

static int offer(void)
{
	int err = register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &kfunc_set);

	if (!err)
		err = register_bpf_struct_ops(&bpf_rxe_cc_ops, rxe_cc_ops);
	return err ?: module_btf ? 0 : -ENOENT;
}

/**
 * rcc_bpf_init() - offer the struct_ops type, where the kernel has such
 *
 * There is nothing to undo: the type goes with the module, which cannot go while a map of that type exists.
 */
void rcc_bpf_init(void)
{
	int err = offer();

	if (err)
		pr_info("struct_ops absent: no BTF of this module (error %d)\n", err);
}

#else

void rcc_bpf_init(void)
{
	pr_info("struct_ops absent: algorithms in BPF need Linux 6.11, CONFIG_BPF_JIT and CONFIG_DEBUG_INFO_BTF_MODULES\n");
}

#endif /* RCC_HAVE_STRUCT_OPS */
