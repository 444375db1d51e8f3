// SPDX-License-Identifier: GPL-2.0
/* Requests to the kernel, one at a time, and its replies. Whoever asks gets an answer: a refusal ends the program. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rxecc.h"

#define REPLY_BYTES	32768

static struct mnl_socket *sock;
static uint32_t seq;
static uint16_t family;

/**
 * struct refusal - why the kernel refused
 * @code: errno
 * @text: in its own words; NULL: it has none
 * @bad: attribute of the request that it points at; NULL: none
 * @has_range: do @min and @max say what that one takes?
 * @min: least value
 * @max: greatest value
 */
struct refusal {
	int code;
	const char *text;
	const struct nlattr *bad;
	bool has_range;
	uint64_t min;
	uint64_t max;
};

static void open_socket(void)
{
	int on = 1;

	sock = mnl_socket_open(NETLINK_GENERIC);
	if (!sock || mnl_socket_bind(sock, 0, MNL_SOCKET_AUTOPID))
		fail(EXIT_REFUSED, "no netlink socket: %s", strerror(errno));
	/* texts and ranges with errors; and the request not sent back, since it is still here */
	mnl_socket_setsockopt(sock, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(sock, NETLINK_CAP_ACK, &on, sizeof(on));
}

static struct nlmsghdr *new_request(uint16_t type, uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *request = mnl_nlmsg_put_header(alloc(REQUEST_BYTES));
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(request, sizeof(*genl));

	request->nlmsg_type = type;
	request->nlmsg_flags = NLM_F_REQUEST | flags;
	request->nlmsg_seq = ++seq;
	genl->cmd = cmd;
	genl->version = RXE_CC_FAMILY_VERSION;
	return request;
}

static void read_range(const struct nlattr *policy, struct refusal *r)
{
	const struct nlattr *attr;
	bool min = false, max = false;

	mnl_attr_for_each_nested(attr, policy) {
		switch (mnl_attr_get_type(attr)) {
		case NL_POLICY_TYPE_ATTR_MIN_VALUE_U:
			r->min = mnl_attr_get_u64(attr);
			min = true;
			break;
		case NL_POLICY_TYPE_ATTR_MAX_VALUE_U:
			r->max = mnl_attr_get_u64(attr);
			max = true;
			break;
		}
	}
	r->has_range = min && max;
}

/* The attribute of a request, however deep, that begins at @offset. */
static const struct nlattr *attr_at(const struct nlmsghdr *request, uint32_t offset)
{
	if (offset < NLMSG_HDRLEN + GENL_HDRLEN || offset + NLA_HDRLEN > request->nlmsg_len)
		return NULL;
	return (const struct nlattr *)((const char *)request + offset);
}

/* What stands behind an error, from @at to the end of @reply. */
static void read_extack(const struct nlmsghdr *request, const struct nlmsghdr *reply, size_t at, struct refusal *r)
{
	const struct nlattr *attr;

	if (!(reply->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	mnl_attr_for_each(attr, reply, at) {
		switch (mnl_attr_get_type(attr)) {
		case NLMSGERR_ATTR_MSG:
			r->text = mnl_attr_get_str(attr);
			break;
		case NLMSGERR_ATTR_OFFS:
			r->bad = attr_at(request, mnl_attr_get_u32(attr));
			break;
		case NLMSGERR_ATTR_POLICY:
			read_range(attr, r);
			break;
		}
	}
}

/* Is this the last message of an answer? If so, how did it go? */
static bool ends(const struct nlmsghdr *request, const struct nlmsghdr *reply, struct refusal *r)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(reply);
	size_t at;

	switch (reply->nlmsg_type) {
	case NLMSG_ERROR:
		r->code = -err->error;
		at = sizeof(*err);
		if (!(reply->nlmsg_flags & NLM_F_CAPPED))
			at += MNL_ALIGN(err->msg.nlmsg_len) - NLMSG_HDRLEN;
		read_extack(request, reply, at, r);
		return true;
	case NLMSG_DONE:
		r->code = mnl_nlmsg_get_payload_len(reply) >= sizeof(int) ? -err->error : 0;
		read_extack(request, reply, MNL_ALIGN(sizeof(int)), r);
		return true;
	default:
		return false;
	}
}

/*
 * Send a request and hand every message of the answer to @take. The texts of @r live in a buffer that the next call uses.
 */
static void talk(struct nlmsghdr *request, void (*take)(const struct nlmsghdr *reply, void *data), void *data,
		 struct refusal *r)
{
	static char buf[REPLY_BYTES];
	const struct nlmsghdr *reply;
	ssize_t bytes;
	int left;

	memset(r, 0, sizeof(*r));
	if (mnl_socket_sendto(sock, request, request->nlmsg_len) < 0)
		fail(EXIT_REFUSED, "cannot ask the kernel: %s", strerror(errno));
	for (;;) {
		bytes = mnl_socket_recvfrom(sock, buf, sizeof(buf));
		if (bytes < 0)
			fail(EXIT_REFUSED, "no answer from the kernel: %s", strerror(errno));
		left = bytes;
		for (reply = (void *)buf; mnl_nlmsg_ok(reply, left); reply = mnl_nlmsg_next(reply, &left)) {
			if (reply->nlmsg_seq != request->nlmsg_seq)
				continue;
			if (ends(request, reply, r))
				return;
			take(reply, data);
		}
	}
}

static void take_family(const struct nlmsghdr *reply, void *data)
{
	const struct nlattr *attr;

	(void)data;
	mnl_attr_for_each(attr, reply, GENL_HDRLEN)
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			family = mnl_attr_get_u16(attr);
}

/* 0, or why there is none; ENOENT: the module is not loaded. */
static int find_family(void)
{
	struct nlmsghdr *request;
	struct refusal r;

	if (!sock)
		open_socket();
	request = new_request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, RXE_CC_FAMILY_NAME);
	talk(request, take_family, NULL, &r);
	free(request);
	return r.code || family ? r.code : ENOENT;
}

/**
 * nl_present() - is the module there?
 *
 * Return: yes; if so, requests can be made until it is unloaded.
 */
bool nl_present(void)
{
	family = 0;
	return !find_family();
}

/**
 * nl_request() - begin a request
 * @cmd: RXE_CC_CMD_*
 * @flags: NLM_F_DUMP or 0
 *
 * Ends the program if the module is not loaded.
 *
 * Return: the request, REQUEST_BYTES large, for attributes.
 */
struct nlmsghdr *nl_request(uint8_t cmd, uint16_t flags)
{
	int err = family ? 0 : find_family();

	if (err == ENOENT)
		fail(EXIT_NO_MODULE, "the module is not loaded: modprobe rxe_cc");
	if (err)
		fail(EXIT_REFUSED, "cannot find the module: %s", strerror(err));
	return new_request(family, cmd, NLM_F_ACK | flags);
}

/* End the program with the kernel's reason and what would have been right. */
static void __noreturn refused(const struct nlmsghdr *request, const struct refusal *r)
{
	char *text = strdup(r->text ? r->text : r->code == EPERM ? "only root may (CAP_NET_ADMIN)" : strerror(r->code));
	const struct nlattr *bad = r->bad ? r->bad : attr_guess(request, r->code);
	char *hint = bad ? attr_hint(request, bad, text) : NULL;

	if (r->has_range)
		fail(EXIT_REFUSED, "%s: %s takes %llu to %llu", text, hint ? hint : "it", (unsigned long long)r->min,
		     (unsigned long long)r->max);
	fail(EXIT_REFUSED, "%s%s%s", text, hint ? "; " : "", hint ? hint : "");
}

static void take_json(const struct nlmsghdr *reply, void *data)
{
	json_array_append_new(data, attr_reply(reply));
}

static json_t *ask(struct nlmsghdr *request, struct refusal *r)
{
	json_t *replies = json_array();

	talk(request, take_json, replies, r);
	return replies;
}

/**
 * nl_get() - ask for something
 * @request: what; freed
 *
 * Ends the program if the kernel refuses.
 *
 * Return: array of objects, one per message of the answer.
 */
json_t *nl_get(struct nlmsghdr *request)
{
	struct refusal r;
	json_t *replies = ask(request, &r);

	if (r.code)
		refused(request, &r);
	free(request);
	return replies;
}

/**
 * nl_try() - ask for something that may be gone
 * @request: what; freed
 *
 * Return: like nl_get(); NULL if the kernel refuses.
 */
json_t *nl_try(struct nlmsghdr *request)
{
	struct refusal r;
	json_t *replies = ask(request, &r);

	free(request);
	if (!r.code)
		return replies;
	json_decref(replies);
	return NULL;
}

/**
 * nl_set() - ask for a change
 * @request: which; freed
 *
 * Ends the program if the kernel refuses.
 */
void nl_set(struct nlmsghdr *request)
{
	json_decref(nl_get(request));
}
