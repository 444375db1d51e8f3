// SPDX-License-Identifier: GPL-2.0
/*
 * rcc_ops - load an algorithm in BPF, or put it in the place of one that is loaded.
 *
 * "bpftool struct_ops register" loads one too, but cannot update a link, and bpftool 7.5 crashes after it has registered a
 * type of a module.
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tool.h"

/* What the verifier and libbpf say is the point of a test, so all of it goes out. */
static int print(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return level == LIBBPF_DEBUG ? 0 : vfprintf(stderr, fmt, ap);
}

static struct bpf_map *load(const char *path)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_map *map;

	if (!obj)
		die("%s: %s", path, strerror(errno));
	if (bpf_object__load(obj))
		die("%s: not loaded: %s", path, strerror(errno));
	bpf_object__for_each_map(map, obj)
		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS)
			return map;
	die("%s: no struct_ops in it", path);
}

static void reg(const char *path, const char *pin)
{
	struct bpf_link *link = bpf_map__attach_struct_ops(load(path));

	if (!link)
		die("%s: not registered: %s", path, strerror(errno));
	if (bpf_link__pin(link, pin))
		die("%s: not pinned: %s", pin, strerror(errno));
}

/*
 * libbpf updates links that it made itself only. Attaching fills the map, which is what an update needs; that the name is
 * in use then, and registering fails, is no matter.
 */
static void update(const char *path, const char *pin)
{
	struct bpf_map *map = load(path);
	int link = bpf_obj_get(pin);

	if (link < 0)
		die("%s: %s", pin, strerror(errno));
	bpf_link__destroy(bpf_map__attach_struct_ops(map));
	if (bpf_link_update(link, bpf_map__fd(map), NULL))
		die("%s: not updated: %s", path, strerror(errno));
}

int main(int argc, char **argv)
{
	libbpf_set_print(print);
	if (argc == 4 && !strcmp(argv[1], "register")) {
		reg(argv[2], argv[3]);
	} else if (argc == 4 && !strcmp(argv[1], "update")) {
		update(argv[2], argv[3]);
	} else {
		fprintf(stderr, "usage: rcc_ops register OBJECT PIN\n       rcc_ops update OBJECT PIN\n");
		return 2;
	}
	return 0;
}
