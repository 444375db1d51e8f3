// SPDX-License-Identifier: GPL-2.0
/*
 * The records after a time without programs: nobody saw which work requests ended, and which QPs went.
 *
 * The RDMA subsystem's netlink knows the devices and the QPs that there are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <rdma/rdma_netlink.h>

#include "rxecc.h"
#include "tm_priv.h"

#define REPLY_BYTES	32768

/**
 * struct living - the QPs that there are
 * @keys: they
 * @n: how many
 * @room: how many there is room for
 */
struct living {
	struct tm_key *keys;
	size_t n;
	size_t room;
};

/**
 * struct entry - one of a reply
 * @dev: index of its device
 * @to: where it goes
 */
struct entry {
	u32 dev;
	struct living *to;
};

static void add(struct living *l, u32 dev, u32 qpn)
{
	if (l->n == l->room) {
		l->room = 2 * l->room + 64;
		l->keys = realloc(l->keys, l->room * sizeof(*l->keys));
		if (!l->keys)
			fail(EXIT_REFUSED, "out of memory");
	}
	l->keys[l->n].dev = dev;
	l->keys[l->n++].qpn = qpn;
}

static int on_qp_attr(const struct nlattr *attr, void *data)
{
	struct entry *e = data;

	if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_RES_LQPN)
		add(e->to, e->dev, mnl_attr_get_u32(attr));
	return MNL_CB_OK;
}

static int on_attr(const struct nlattr *attr, void *data)
{
	const struct nlattr *qp;

	if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_RES_QP)
		mnl_attr_for_each_nested(qp, attr)
			mnl_attr_parse_nested(qp, on_qp_attr, data);
	return MNL_CB_OK;
}

static int on_reply(const struct nlmsghdr *reply, void *data)
{
	return mnl_attr_parse(reply, 0, on_attr, data);
}

/* Ask for a list, in a buffer of REPLY_BYTES. Returns false, and errno, if it did not come whole. */
static bool dump(struct mnl_socket *sock, const struct nlmsghdr *request, char *buf, mnl_cb_t take, void *data)
{
	ssize_t n;
	int more;

	if (mnl_socket_sendto(sock, request, request->nlmsg_len) < 0)
		return false;
	do {
		n = mnl_socket_recvfrom(sock, buf, REPLY_BYTES);
		more = n < 0 ? MNL_CB_ERROR : mnl_cb_run(buf, n, 0, 0, take, data);
	} while (more > MNL_CB_STOP);
	return more == MNL_CB_STOP;
}

/* Add a device's QPs. Returns false if it cannot be told which there are. One that does not exist has none. */
static bool ask(struct mnl_socket *sock, u32 dev, struct living *l)
{
	static char buf[REPLY_BYTES];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct entry e = { .dev = dev, .to = l };

	request->nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_QP_GET);
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	mnl_attr_put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, dev);
	return dump(sock, request, buf, on_reply, &e) || errno == ENODEV || errno == EINVAL;
}

/**
 * struct device - one that is looked for
 * @name: its name
 * @index: set to its index
 * @found: it is there
 */
struct device {
	const char *name;
	u32 index;
	bool found;
};

static int on_device(const struct nlmsghdr *reply, void *data)
{
	struct device *dev = data;
	const struct nlattr *attr;
	u32 index = 0;
	bool same = false;

	mnl_attr_for_each(attr, reply, 0) {
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_INDEX)
			index = mnl_attr_get_u32(attr);
		else if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_NAME)
			same = !strcmp(mnl_attr_get_str(attr), dev->name);
	}
	if (same) {
		dev->index = index;
		dev->found = true;
	}
	return MNL_CB_OK;
}

/**
 * tm_find_device() - find a device of the RDMA subsystem
 * @name: its name
 * @index: set to its index
 *
 * Return: is there one?
 */
bool tm_find_device(const char *name, u32 *index)
{
	static char buf[REPLY_BYTES];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct mnl_socket *sock = mnl_socket_open(NETLINK_RDMA);
	struct device dev = { .name = name };

	if (!sock)
		return false;
	request->nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET);
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	dump(sock, request, buf, on_device, &dev);
	mnl_socket_close(sock);
	if (dev.found)
		*index = dev.index;
	return dev.found;
}

static int by_key(const void *a, const void *b)
{
	return tm_compare_keys(a, b);
}

static bool is_alive(const struct living *l, const struct tm_key *key)
{
	return l->n && bsearch(key, l->keys, l->n, sizeof(*key), by_key);
}

static void bury(struct telemetry *tm, struct tm_row *row)
{
	row->qp.died_ns = tm_now_ns();
	row->qp.event = TM_EVENT_DIED;
	row->qp.event_ns = row->qp.died_ns;
	bpf_map_update_elem(tm->fd[TM_MAP_QP], &row->key, &row->qp, BPF_EXIST);
}

/**
 * tm_bury() - mark the records of QPs that went unseen
 * @tm: the telemetry, with programs attached that see those that go from now on
 */
void tm_bury(struct telemetry *tm)
{
	struct living living = { 0 };
	struct mnl_socket *sock;
	struct tm_row *rows;
	size_t n = tm_rows(tm, &rows), i;
	bool known = true;

	if (!n)
		return;
	sock = mnl_socket_open(NETLINK_RDMA);
	if (!sock)
		return;
	/* rows are in the order of devices */
	for (i = 0; i < n && known; i++)
		if (!i || rows[i].key.dev != rows[i - 1].key.dev)
			known = ask(sock, rows[i].key.dev, &living);
	if (living.n)
		qsort(living.keys, living.n, sizeof(*living.keys), by_key);
	/* what does something now lives, whoever cannot see its device */
	for (i = 0; i < n && known; i++)
		if (!rows[i].qp.died_ns && tm_progress_ns(&rows[i].qp) < tm->attached_ns && !is_alive(&living, &rows[i].key))
			bury(tm, &rows[i]);
	mnl_socket_close(sock);
	free(living.keys);
}

/**
 * tm_settle() - forget what was on its way when the programs were detached
 * @tm: the telemetry, without programs
 */
void tm_settle(struct telemetry *tm)
{
	u64 wqe = 0, gone;
	struct tm_row *rows;
	size_t n = tm_rows(tm, &rows), i;
	bool more = !bpf_map_get_next_key(tm->fd[TM_MAP_FLYING], NULL, &wqe);

	while (more) {
		gone = wqe;
		more = !bpf_map_get_next_key(tm->fd[TM_MAP_FLYING], &gone, &wqe);
		bpf_map_delete_elem(tm->fd[TM_MAP_FLYING], &gone);
	}
	for (i = 0; i < n; i++) {
		struct tm_qp *qp = &rows[i].qp;

		qp->unseen += tm_outstanding(qp);
		qp->untracked = 0;
		qp->timed_ns = 0;
		qp->sent_psn = 0;
		qp->begun_psn = 0;
		qp->ce_psn[0] = 0;
		qp->ce_psn[1] = 0;
		bpf_map_update_elem(tm->fd[TM_MAP_QP], &rows[i].key, qp, BPF_EXIST);
	}
}
