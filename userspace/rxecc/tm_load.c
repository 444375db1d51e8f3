// SPDX-License-Identifier: GPL-2.0
/*
 * Opens the telemetry: pinned maps of an agent, or maps and programs of one's own.
 *
 * Maps stay as long as the telemetry is open, or pinned. Programs come with tm_attach() and go with tm_detach(): as long as they
 * are there, the modules that they are attached to cannot be unloaded. Links and programs are not pinned, so that they end with
 * their process, however it ends.
 *
 * An agent holds a lock on the directory of its pins. Pins without one were left behind by an agent that was killed: the next
 * agent replaces them, and whoever wants to see what happens now loads programs of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "rxecc.h"
#include "tm_priv.h"
#include "telemetry.skel.h"

#define RXE		"rdma_rxe"
#define MODULE		"rxe_cc"
#define KEEP_UP_NS	(2 * RCC_NSEC_PER_SEC)

/* entries of the other maps for each QP that there is room for */
#define SLICES_PER_QP	(TM_SLICES_MAX / TM_QPS_MAX)
#define FLYING_PER_QP	(TM_FLYING_MAX / TM_QPS_MAX)

const char *const tm_map_names[TM_MAPS] = {
	[TM_MAP_QP] = "qp",
	[TM_MAP_HIST] = "hist",
	[TM_MAP_FLYING] = "flying",
	[TM_MAP_LOST] = "lost",
};

u32 tm_qps_max = TM_QPS_MAX;

static int say(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, fmt, ap) : 0;
}

static void maps_of(struct telemetry_bpf *skel, struct bpf_map *maps[TM_MAPS])
{
	maps[TM_MAP_QP] = skel->maps.tm_qp;
	maps[TM_MAP_HIST] = skel->maps.tm_hist;
	maps[TM_MAP_FLYING] = skel->maps.tm_flying;
	maps[TM_MAP_LOST] = skel->maps.tm_lost;
}

static void pin_path(const struct telemetry *tm, int map, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", tm->dir, tm_map_names[map]);
}

static void open_pin(struct telemetry *tm, int map)
{
	char path[PATH_MAX];

	pin_path(tm, map, path, sizeof(path));
	tm->fd[map] = bpf_obj_get(path);
	if (tm->fd[map] >= 0)
		return;
	if (errno == ENOENT)
		fail(EXIT_REFUSED, "no telemetry in %s: is 'rxecc export' running?", tm->dir);
	if (errno == EPERM || errno == EACCES)
		fail(EXIT_REFUSED, "only root may read %s", path);
	fail(EXIT_REFUSED, "cannot open %s: %s", path, strerror(errno));
}

static void open_pins(struct telemetry *tm)
{
	int i;

	for (i = 0; i < TM_MAPS; i++)
		open_pin(tm, i);
}

/**
 * tm_agent_lives() - is there an agent at work?
 * @dir: where its maps would be pinned
 *
 * Return: yes.
 */
bool tm_agent_lives(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool lives = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return lives;
}

static void unpin(const struct telemetry *tm)
{
	char path[PATH_MAX];
	int i;

	for (i = 0; i < TM_MAPS; i++) {
		pin_path(tm, i, path, sizeof(path));
		unlink(path);
	}
}

/* Become the agent, or end. */
static void lock(struct telemetry *tm)
{
	if (mkdir(tm->dir, 0700) && errno != EEXIST)
		fail(EXIT_REFUSED, "cannot make %s: %s", tm->dir, strerror(errno));
	tm->lock = open(tm->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tm->lock < 0)
		fail(EXIT_REFUSED, "cannot open %s: %s", tm->dir, strerror(errno));
	if (flock(tm->lock, LOCK_EX | LOCK_NB))
		fail(EXIT_REFUSED, "another agent has its maps in %s", tm->dir);
	unpin(tm);
}

static void pin_maps(struct telemetry *tm)
{
	char path[PATH_MAX];
	int i;

	for (i = 0; i < TM_MAPS; i++) {
		pin_path(tm, i, path, sizeof(path));
		if (!bpf_obj_pin(tm->fd[i], path))
			continue;
		i = errno;
		unpin(tm);
		fail(EXIT_REFUSED, "cannot pin %s, which must be in a BPF file system: %s", path, strerror(i));
	}
}

static bool is_loaded(const char *module)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return !access(path, F_OK);
}

static void __printf(2, 3) miss(struct telemetry *tm, const char *fmt, ...)
{
	size_t n = strlen(tm->missing);
	va_list ap;

	if (n)
		n += snprintf(tm->missing + n, sizeof(tm->missing) - n, "; ");
	va_start(ap, fmt);
	if (n < sizeof(tm->missing))
		vsnprintf(tm->missing + n, sizeof(tm->missing) - n, fmt, ap);
	va_end(ap);
}

/* Is the second parameter of a function a pointer to this structure? */
static bool second_is(const struct btf *btf, int function, const char *name)
{
	const struct btf_type *type = btf__type_by_id(btf, btf__type_by_id(btf, function)->type);

	if (btf_vlen(type) < 2)
		return false;
	type = btf__type_by_id(btf, btf_params(type)[1].type);
	return btf_is_ptr(type) && !strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, type->type)->name_off), name);
}

static bool has_function(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);

	/* what has a smaller number is the kernel's own */
	if (id < (int)btf__type_cnt(btf__base_btf(btf)))
		return false;
	/* the driver has two of that name, of which one is usually inlined */
	return strcmp(name, "do_complete") || second_is(btf, id, "rxe_send_wqe");
}

/* The driver's function that a program is attached to; NULL: none. */
static const char *function_of(const struct bpf_program *prog)
{
	const char *function = strchr(bpf_program__section_name(prog), '/');

	return function && bpf_program__type(prog) == BPF_PROG_TYPE_TRACING ? function + 1 : NULL;
}

/* Another module may have a function of the same name, and be found first. */
static bool is_of_rxe(const struct bpf_program *prog)
{
	struct bpf_prog_info prog_info = { 0 };
	char name[sizeof(RXE)] = "";
	struct bpf_btf_info btf_info = { .name = (uintptr_t)name, .name_len = sizeof(name) };
	u32 size = sizeof(prog_info);
	int fd;

	if (bpf_prog_get_info_by_fd(bpf_program__fd(prog), &prog_info, &size))
		return false;
	fd = bpf_btf_get_fd_by_id(prog_info.attach_btf_obj_id);
	size = sizeof(btf_info);
	if (fd >= 0 && bpf_btf_get_info_by_fd(fd, &btf_info, &size))
		name[0] = '\0';
	close(fd);
	return !strcmp(name, RXE);
}

/* Load what the driver has functions for. Returns an error if these cannot be told. */
static int choose(struct telemetry *tm, struct telemetry_bpf *skel)
{
	struct btf *vmlinux = tm->rxe ? btf__load_vmlinux_btf() : NULL;
	struct btf *btf = vmlinux ? btf__load_module_btf(RXE, vmlinux) : NULL;
	struct bpf_program *prog;
	int err = tm->rxe && !btf ? -errno : 0;

	bpf_object__for_each_program(prog, skel->obj) {
		const char *function = function_of(prog);

		if (!function)
			continue;
		bpf_program__set_autoload(prog, btf && has_function(btf, function));
		if (btf && !bpf_program__autoload(prog))
			miss(tm, "this kernel's " RXE " has no function %s, and what it tells is missing", function);
	}
	btf__free(btf);
	btf__free(vmlinux);
	/* the module knows less of QPs that come and go */
	bpf_program__set_autoload(skel->progs.tm_qp_new, !bpf_program__autoload(skel->progs.tm_create));
	bpf_program__set_autoload(skel->progs.tm_qp_del, !bpf_program__autoload(skel->progs.tm_destroy));
	return err;
}

static void set_sizes(struct bpf_map *maps[TM_MAPS])
{
	bpf_map__set_max_entries(maps[TM_MAP_QP], tm_qps_max);
	bpf_map__set_max_entries(maps[TM_MAP_HIST], tm_qps_max * SLICES_PER_QP);
	bpf_map__set_max_entries(maps[TM_MAP_FLYING], tm_qps_max * FLYING_PER_QP);
}

/* The maps outlive the object that made them. */
static void keep_maps(struct telemetry *tm, struct bpf_map *maps[TM_MAPS])
{
	int i;

	for (i = 0; i < TM_MAPS; i++) {
		tm->fd[i] = fcntl(bpf_map__fd(maps[i]), F_DUPFD_CLOEXEC, 0);
		if (tm->fd[i] < 0)
			fail(EXIT_REFUSED, "cannot keep a map: %s", strerror(errno));
	}
}

/* Load the programs, with the maps that there are, or with new ones. */
static int load(struct telemetry *tm)
{
	struct telemetry_bpf *skel = telemetry_bpf__open();
	bool first = tm->fd[0] < 0;
	struct bpf_map *maps[TM_MAPS];
	int err = 0, i;

	if (!skel)
		return -errno;
	maps_of(skel, maps);
	if (first)
		set_sizes(maps);
	for (i = 0; i < TM_MAPS && !first && !err; i++)
		err = bpf_map__reuse_fd(maps[i], tm->fd[i]);
	if (!err)
		err = choose(tm, skel);
	if (!err)
		err = telemetry_bpf__load(skel);
	if (err) {
		telemetry_bpf__destroy(skel);
		return err;
	}
	if (first)
		keep_maps(tm, maps);
	tm->skel = skel;
	return 0;
}

/*
 * Attach programs to the driver's functions, or to the module's tracepoints. Another version of the module may not have all of
 * these, or it may just go: what there is counts.
 */
static int attach_kind(struct telemetry *tm, bool functions)
{
	struct bpf_object_skeleton *s = tm->skel->skeleton;
	int err, i;

	for (i = 0; i < s->prog_cnt; i++) {
		struct bpf_program *prog = *s->progs[i].prog;
		struct bpf_link **link = s->progs[i].link;

		if (*link || !bpf_program__autoload(prog) || !function_of(prog) == functions)
			continue;
		if (functions && !is_of_rxe(prog)) {
			miss(tm, "another module has a function %s, too, and what it tells is missing", function_of(prog));
			continue;
		}
		*link = bpf_program__attach(prog);
		if (*link)
			continue;
		err = -errno;
		miss(tm, "cannot attach to %s: %s", bpf_program__section_name(prog), strerror(-err));
		if (functions)
			return err;
	}
	return 0;
}

static void say_missing(struct telemetry *tm, bool module)
{
	if (!is_loaded(RXE))
		miss(tm, "all: " RXE " is not loaded");
	else if (!tm->rxe)
		miss(tm, RXE " has no BTF: owners, peers, latencies, NAKs and timeouts are missing; what " MODULE
		     " tells is there: CNPs, rates, hold times, round trips");
	if (is_loaded(RXE) && !module)
		miss(tm, MODULE " is not loaded: CNPs, rates and hold times are missing; what " RXE " tells is there");
}

static int load_all(struct telemetry *tm)
{
	int err = load(tm);

	if (err)
		return err;
	tm_settle(tm);
	err = attach_kind(tm, true);
	tm_bury(tm);
	tm->missing_functions = strlen(tm->missing);
	return err;
}

/* A module may go while its programs are loaded or attached: whoever is open already tries again later. */
static void give_up(struct telemetry *tm, int err, bool open)
{
	if (!open && err == -EPERM)
		fail(EXIT_REFUSED, "only root may load the telemetry's programs");
	if (!open)
		fail(EXIT_REFUSED, "cannot load the telemetry's programs: %s%s%s", strerror(-err), *tm->missing ? "; " : "",
		     tm->missing);
	tm_detach(tm);
	miss(tm, "all: the programs cannot be loaded: %s", strerror(-err));
}

/**
 * tm_attach() - attach what can be attached and is not yet
 * @tm: the telemetry
 *
 * Modules may come later than the telemetry. Programs that ran no time because they interrupted themselves are counted here.
 * The first time, errors end the program; later they are told by tm_missing().
 */
void tm_attach(struct telemetry *tm)
{
	bool rxe = !access("/sys/kernel/btf/" RXE, F_OK), module = is_loaded(MODULE), open = tm->fd[0] >= 0;
	int err = 0;

	if (!tm->own)
		return;
	tm->attached_ns = tm_now_ns();
	if (tm->skel && tm->rxe != rxe)
		tm_detach(tm);
	if (!tm->skel) {
		tm->missing[0] = '\0';
		tm->rxe = rxe;
		err = load_all(tm);
	}
	if (err) {
		give_up(tm, err, open);
		return;
	}
	tm->missing[tm->missing_functions] = '\0';
	if (module)
		attach_kind(tm, false);
	tm->skel->bss->module_rtt = module;
	say_missing(tm, module);
	tm_count_missed(tm);
}

/* Nobody else does, and nobody else looks at maps that are not pinned. */
static void reap_old(struct telemetry *tm)
{
	struct tm_row *rows;
	size_t n = tm_rows(tm, &rows), i;

	for (i = 0; i < n; i++)
		if (rows[i].qp.died_ns && tm->attached_ns > rows[i].qp.died_ns + TM_KEEP_NS)
			tm_reap(tm, &rows[i]);
}

/**
 * tm_keep_up() - attach what has come, and forget QPs that went long ago; every two seconds, to be called more often
 * @tm: the telemetry; if the programs are somebody else's nothing is done
 *
 * Return: has it changed what is missing?
 */
bool tm_keep_up(struct telemetry *tm)
{
	char before[sizeof(tm->missing)];

	if (!tm->own || tm_now_ns() - tm->attached_ns < KEEP_UP_NS)
		return false;
	strcpy(before, tm->missing);
	tm_attach(tm);
	reap_old(tm);
	return strcmp(before, tm->missing);
}

/**
 * tm_detach() - detach and unload the programs; maps stay
 * @tm: the telemetry
 */
void tm_detach(struct telemetry *tm)
{
	if (!tm->skel)
		return;
	tm_count_missed(tm);
	tm->missed_before = tm->missed;
	telemetry_bpf__destroy(tm->skel);
	tm->skel = NULL;
}

/**
 * tm_count_missed() - bring TM_LOST_MISSED up to date
 * @tm: the telemetry
 *
 * The kernel counts it by program. It does not run one that the same processor is just running.
 */
void tm_count_missed(struct telemetry *tm)
{
	u32 key = TM_LOST_MISSED;
	struct bpf_program *prog;

	if (!tm->skel)
		return;
	tm->missed = tm->missed_before;
	bpf_object__for_each_program(prog, tm->skel->obj) {
		struct bpf_prog_info info = { 0 };
		u32 size = sizeof(info);

		if (bpf_program__autoload(prog) && !bpf_prog_get_info_by_fd(bpf_program__fd(prog), &info, &size))
			tm->missed += info.recursion_misses;
	}
	memset(tm->per_cpu, 0, tm->cpus * sizeof(*tm->per_cpu));
	tm->per_cpu[0] = tm->missed;
	bpf_map_update_elem(tm->fd[TM_MAP_LOST], &key, tm->per_cpu, BPF_ANY);
}

/**
 * tm_open() - open the telemetry, and attach what can be attached
 * @how: how
 * @dir: where its maps are, or are to be, pinned. NULL: TM_PIN_DIR, where TM_ANY takes pins only while their agent lives
 *
 * Ends the program if that is not possible. That a module is missing is not such a case: see tm_missing().
 *
 * Return: the telemetry.
 */
struct telemetry *tm_open(enum tm_how how, const char *dir)
{
	struct telemetry *tm = alloc(sizeof(*tm));

	libbpf_set_print(say);
	tm->dir = dir ? dir : TM_PIN_DIR;
	tm->lock = -1;
	tm->cpus = libbpf_num_possible_cpus();
	tm->per_cpu = alloc(tm->cpus * sizeof(*tm->per_cpu));
	if (how == TM_READ || (how == TM_ANY && (dir || tm_agent_lives(tm->dir)))) {
		open_pins(tm);
		return tm;
	}
	if (how == TM_AGENT && tm_agent_lives(tm->dir))
		fail(EXIT_REFUSED, "another agent has its maps in %s", tm->dir);
	memset(tm->fd, -1, sizeof(tm->fd));
	tm->own = true;
	tm_attach(tm);
	/* from now on tm_missing() has the reason, and top has the terminal */
	libbpf_set_print(NULL);
	if (how == TM_AGENT) {
		lock(tm);
		pin_maps(tm);
	}
	return tm;
}

/**
 * tm_close() - close the telemetry; programs of one's own go, and so do pins
 * @tm: the telemetry
 */
void tm_close(struct telemetry *tm)
{
	int i;

	tm_detach(tm);
	for (i = 0; i < TM_MAPS; i++)
		close(tm->fd[i]);
	if (tm->lock >= 0) {
		unpin(tm);
		rmdir(tm->dir);
		close(tm->lock);
	}
	free(tm->per_cpu);
	free(tm->rows);
	free(tm);
}

/**
 * tm_missing() - what cannot be seen, and why
 * @tm: the telemetry
 *
 * Return: text; NULL: nothing is missing, or the programs are somebody else's.
 */
const char *tm_missing(struct telemetry *tm)
{
	return tm->missing[0] ? tm->missing : NULL;
}
