// SPDX-License-Identifier: GPL-2.0
/*
 * Replies of the kernel to JSON, by tables of attributes; and what is asked for to get them.
 *
 * An object has all keys of its table, whatever the kernel sent: scripts can rely on them. What is not there is null, a flag
 * false, a list of pairs empty.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rxecc.h"

/* how an attribute is carried, and what it becomes */
enum kind {
	KIND_U32,	/* number */
	KIND_U64,
	KIND_U8,
	KIND_U16,
	KIND_U8_NAME,	/* one of names[] */
	KIND_U32_FLAGS,	/* array of names[], by bit */
	KIND_U8_BOOL,
	KIND_FLAG,	/* true, or absent */
	KIND_STRING,
	KIND_IPV4,
	KIND_IPV6,
	KIND_PAIRS,	/* nests of a name and a number: one object */
	KIND_OBJECTS,	/* nests of attributes: array of objects */
};

struct attr;

/**
 * struct set - the attributes of a message or nest
 * @attrs: them
 * @n: how many
 */
struct set {
	const struct attr *attrs;
	size_t n;
};

/**
 * struct attr - an attribute and its key
 * @key: in JSON; two attributes may have one, then it is the one that is there
 * @type: in the message
 * @kind: how it is carried
 * @names: KIND_U8_NAME, KIND_U32_FLAGS: names by number
 * @nnames: how many
 * @name: KIND_PAIRS: attribute in the nest
 * @value: likewise
 * @nest: KIND_OBJECTS: the attributes in each
 */
struct attr {
	const char *key;
	uint16_t type;
	enum kind kind;
	const char *const *names;
	size_t nnames;
	uint16_t name;
	uint16_t value;
	const struct set *nest;
};

static const char *const qp_types[] = {
	[RXE_CC_QP_TYPE_RC] = "RC",
	[RXE_CC_QP_TYPE_UC] = "UC",
	[RXE_CC_QP_TYPE_UD] = "UD",
};

static const char *const alg_kinds[] = {
	[RXE_CC_ALG_KIND_BUILTIN] = "built-in",
	[RXE_CC_ALG_KIND_MODULE] = "module",
	[RXE_CC_ALG_KIND_BPF] = "bpf",
};

static const char *const events[] = {
	[1] = "tx", [2] = "ack", [3] = "cnp", [4] = "rtt", [5] = "nack", [6] = "timeout", [7] = "int", [8] = "timer",
};

static const char *const link_states[] = {
	[RXE_CC_LINK_STATE_NONE] = "none",
	[RXE_CC_LINK_STATE_HELLO] = "hello",
	[RXE_CC_LINK_STATE_UP] = "up",
};

static const struct attr dev_attrs[] = {
	{ "name", RXE_CC_A_DEV_NAME, KIND_STRING },
	{ "algorithm", RXE_CC_A_DEV_ALGORITHM, KIND_STRING },
	{ "profile", RXE_CC_A_DEV_PROFILE, KIND_STRING },
	{ "ecn", RXE_CC_A_DEV_ECN, KIND_U8_BOOL },
	{ "line_rate_mbps", RXE_CC_A_DEV_LINE_RATE_MBPS, KIND_U32 },
	{ "base_rtt_ns", RXE_CC_A_DEV_BASE_RTT_NS, KIND_U64 },
	{ "qps", RXE_CC_A_DEV_QPS, KIND_U32 },
	{ "held_packets", RXE_CC_A_DEV_HELD_PACKETS, KIND_U32 },
	{ "kept_packets", RXE_CC_A_DEV_KEPT_PACKETS, KIND_U32 },
	{ "waiting_packets", RXE_CC_A_DEV_WAITING_PACKETS, KIND_U32 },
	{ "link", RXE_CC_A_DEV_LINK, KIND_U8_BOOL },
	{ "spray", RXE_CC_A_DEV_SPRAY, KIND_STRING },
	{ "entropies", RXE_CC_A_DEV_ENTROPIES, KIND_U8 },
	{ "counters", RXE_CC_A_DEV_COUNTER, KIND_PAIRS, .name = RXE_CC_A_COUNTER_NAME, .value = RXE_CC_A_COUNTER_VALUE },
};

static const struct attr path_attrs[] = {
	{ "path", RXE_CC_A_PATH_INDEX, KIND_U32 },
	{ "port", RXE_CC_A_PATH_PORT, KIND_U16 },
	{ "dead", RXE_CC_A_PATH_DEAD, KIND_FLAG },
	{ "weight_permille", RXE_CC_A_PATH_WEIGHT_PERMILLE, KIND_U32 },
	{ "sent", RXE_CC_A_PATH_SENT, KIND_U64 },
	{ "came", RXE_CC_A_PATH_CAME, KIND_U64 },
	{ "marked", RXE_CC_A_PATH_MARKED, KIND_U64 },
	{ "lost", RXE_CC_A_PATH_LOST, KIND_U64 },
	{ "ce_permille", RXE_CC_A_PATH_CE_PERMILLE, KIND_U32 },
	{ "rtt_ns", RXE_CC_A_PATH_RTT_NS, KIND_U64 },
};

static const struct set path_set = { path_attrs, ARRAY_SIZE(path_attrs) };

static const struct attr qp_attrs[] = {
	{ "dev", RXE_CC_A_QP_DEV, KIND_STRING },
	{ "qpn", RXE_CC_A_QP_QPN, KIND_U32 },
	{ "type", RXE_CC_A_QP_TYPE, KIND_U8_NAME, .names = qp_types, .nnames = ARRAY_SIZE(qp_types) },
	{ "algorithm", RXE_CC_A_QP_ALGORITHM, KIND_STRING },
	{ "algorithm_set", RXE_CC_A_QP_ALGORITHM_SET, KIND_STRING },
	{ "rate_bps", RXE_CC_A_QP_RATE_BPS, KIND_U64 },
	{ "cwnd_bytes", RXE_CC_A_QP_CWND_BYTES, KIND_U64 },
	{ "unacked_bytes", RXE_CC_A_QP_UNACKED_BYTES, KIND_U64 },
	{ "rtt_ns", RXE_CC_A_QP_RTT_NS, KIND_U64 },
	{ "peer", RXE_CC_A_QP_PEER_IPV4, KIND_IPV4 },
	{ "peer", RXE_CC_A_QP_PEER_IPV6, KIND_IPV6 },
	{ "peer_qpn", RXE_CC_A_QP_PEER_QPN, KIND_U32 },
	{ "tx_packets", RXE_CC_A_QP_TX_PACKETS, KIND_U64 },
	{ "tx_bytes", RXE_CC_A_QP_TX_BYTES, KIND_U64 },
	{ "retrans_packets", RXE_CC_A_QP_RETRANS_PACKETS, KIND_U64 },
	{ "rx_ce_packets", RXE_CC_A_QP_RX_CE_PACKETS, KIND_U64 },
	{ "tx_cnps", RXE_CC_A_QP_TX_CNPS, KIND_U64 },
	{ "rx_cnps", RXE_CC_A_QP_RX_CNPS, KIND_U64 },
	{ "held_packets", RXE_CC_A_QP_HELD_PACKETS, KIND_U32 },
	{ "link", RXE_CC_A_QP_LINK, KIND_U8_NAME, .names = link_states, .nnames = ARRAY_SIZE(link_states) },
	{ "spray", RXE_CC_A_QP_SPRAY, KIND_STRING },
	{ "spray_set", RXE_CC_A_QP_SPRAY_SET, KIND_STRING },
	{ "link_repeats", RXE_CC_A_QP_LINK_REPEATS, KIND_U64 },
	{ "link_lost", RXE_CC_A_QP_LINK_LOST, KIND_U64 },
	{ "link_spurious", RXE_CC_A_QP_LINK_SPURIOUS, KIND_U64 },
	{ "link_disordered", RXE_CC_A_QP_LINK_DISORDERED, KIND_U64 },
	{ "link_skipped", RXE_CC_A_QP_LINK_SKIPPED, KIND_U64 },
	{ "link_kept", RXE_CC_A_QP_LINK_KEPT, KIND_U32 },
	{ "link_waiting", RXE_CC_A_QP_LINK_WAITING, KIND_U32 },
	{ "link_rtt_ns", RXE_CC_A_QP_LINK_RTT_NS, KIND_U64 },
	{ "paths", RXE_CC_A_QP_PATH, KIND_OBJECTS, .nest = &path_set },
};

static const struct attr alg_attrs[] = {
	{ "name", RXE_CC_A_ALG_NAME, KIND_STRING },
	{ "kind", RXE_CC_A_ALG_KIND, KIND_U8_NAME, .names = alg_kinds, .nnames = ARRAY_SIZE(alg_kinds) },
	{ "paces", RXE_CC_A_ALG_PACES, KIND_FLAG },
	{ "users", RXE_CC_A_ALG_USERS, KIND_U32 },
	{ "events", RXE_CC_A_ALG_EVENTS, KIND_U32_FLAGS, .names = events, .nnames = ARRAY_SIZE(events) },
	{ "doc", RXE_CC_A_ALG_DOC, KIND_STRING },
};

static const struct attr param_attrs[] = {
	{ "dev", RXE_CC_A_PARAM_DEV, KIND_STRING },
	{ "algorithm", RXE_CC_A_PARAM_ALGORITHM, KIND_STRING },
	{ "profile", RXE_CC_A_PARAM_PROFILE, KIND_STRING },
	{ "name", RXE_CC_A_PARAM_NAME, KIND_STRING },
	{ "value", RXE_CC_A_PARAM_VALUE, KIND_U64 },
	{ "unit", RXE_CC_A_PARAM_UNIT, KIND_STRING },
	{ "min", RXE_CC_A_PARAM_MIN_VALUE, KIND_U64 },
	{ "max", RXE_CC_A_PARAM_MAX_VALUE, KIND_U64 },
	{ "profiles", RXE_CC_A_PARAM_PROFILE_VALUE, KIND_PAIRS,
	  .name = RXE_CC_A_PROFILE_VALUE_PROFILE, .value = RXE_CC_A_PROFILE_VALUE_VALUE },
	{ "doc", RXE_CC_A_PARAM_DOC, KIND_STRING },
};

static const struct set sets[] = {
	[RXE_CC_CMD_DEV_GET] = { dev_attrs, ARRAY_SIZE(dev_attrs) },
	[RXE_CC_CMD_QP_GET] = { qp_attrs, ARRAY_SIZE(qp_attrs) },
	[RXE_CC_CMD_ALG_GET] = { alg_attrs, ARRAY_SIZE(alg_attrs) },
	[RXE_CC_CMD_PARAM_GET] = { param_attrs, ARRAY_SIZE(param_attrs) },
};

static json_t *name_of(const struct attr *a, uint8_t number)
{
	if (number < a->nnames && a->names[number])
		return json_string(a->names[number]);
	return json_sprintf("%u", number);
}

static json_t *flags_of(const struct attr *a, uint32_t bits)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < a->nnames; i++)
		if (a->names[i] && bits >> i & 1)
			json_array_append_new(array, json_string(a->names[i]));
	return array;
}

static json_t *address_of(int af, const struct nlattr *attr)
{
	char text[INET6_ADDRSTRLEN];

	return json_string(inet_ntop(af, mnl_attr_get_payload(attr), text, sizeof(text)));
}

/* A pair becomes a key of @object. */
static json_t *add_pair(const struct attr *a, const struct nlattr *nest, json_t *object)
{
	const struct nlattr *attr;
	const char *name = NULL;
	uint64_t value = 0;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == a->name)
			name = mnl_attr_get_str(attr);
		else if (mnl_attr_get_type(attr) == a->value)
			value = mnl_attr_get_u64(attr);
	}
	if (name)
		json_object_set_new(object, name, json_integer(value));
	return json_incref(object);
}

static void add_attr(const struct set *set, const struct nlattr *attr, json_t *object);
static json_t *empty(const struct set *set);

/* A nest becomes another object of @array. */
static json_t *add_object(const struct set *set, const struct nlattr *nest, json_t *array)
{
	json_t *object = empty(set);
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest)
		add_attr(set, attr, object);
	json_array_append_new(array, object);
	return json_incref(array);
}

static json_t *value_of(const struct attr *a, const struct nlattr *attr, json_t *so_far)
{
	switch (a->kind) {
	case KIND_U32:
		return json_integer(mnl_attr_get_u32(attr));
	case KIND_U64:
		return json_integer(mnl_attr_get_u64(attr));
	case KIND_U8:
		return json_integer(mnl_attr_get_u8(attr));
	case KIND_U16:
		return json_integer(mnl_attr_get_u16(attr));
	case KIND_U8_NAME:
		return name_of(a, mnl_attr_get_u8(attr));
	case KIND_U32_FLAGS:
		return flags_of(a, mnl_attr_get_u32(attr));
	case KIND_U8_BOOL:
		return json_boolean(mnl_attr_get_u8(attr));
	case KIND_FLAG:
		return json_true();
	case KIND_STRING:
		return json_string(mnl_attr_get_str(attr));
	case KIND_IPV4:
		return address_of(AF_INET, attr);
	case KIND_IPV6:
		return address_of(AF_INET6, attr);
	case KIND_PAIRS:
		return add_pair(a, attr, so_far);
	case KIND_OBJECTS:
		return add_object(a->nest, attr, so_far);
	}
	return json_null();
}

/* What a key is when its attribute is not there. */
static json_t *absent(const struct attr *a)
{
	if (a->kind == KIND_PAIRS)
		return json_object();
	if (a->kind == KIND_OBJECTS)
		return json_array();
	return a->kind == KIND_FLAG ? json_false() : json_null();
}

/* An object with all keys of a table. */
static json_t *empty(const struct set *set)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; i < set->n; i++)
		json_object_set_new(object, set->attrs[i].key, absent(&set->attrs[i]));
	return object;
}

static void add_attr(const struct set *set, const struct nlattr *attr, json_t *object)
{
	const struct attr *a;

	for (a = set->attrs; a < set->attrs + set->n; a++)
		if (a->type == mnl_attr_get_type(attr))
			json_object_set_new(object, a->key, value_of(a, attr, json_object_get(object, a->key)));
}

/**
 * attr_reply() - a message of the kernel as JSON
 * @reply: the message
 *
 * Return: an object with the keys of its table; empty if its command is not known.
 */
json_t *attr_reply(const struct nlmsghdr *reply)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(reply);
	const struct nlattr *attr;
	const struct set *set;
	json_t *object;

	if (genl->cmd >= ARRAY_SIZE(sets))
		return json_object();
	set = &sets[genl->cmd];
	object = empty(set);
	mnl_attr_for_each(attr, reply, GENL_HDRLEN)
		add_attr(set, attr, object);
	return object;
}

/**
 * get_devs() - ask for devices
 * @dev: name of one; NULL: all
 *
 * Return: array of objects.
 */
json_t *get_devs(const char *dev)
{
	struct nlmsghdr *request = nl_request(RXE_CC_CMD_DEV_GET, dev ? 0 : NLM_F_DUMP);

	if (dev)
		mnl_attr_put_strz(request, RXE_CC_A_DEV_NAME, dev);
	return nl_get(request);
}

/**
 * try_devs() - ask for all devices, once nl_present() has said yes
 *
 * Return: array of objects; NULL: the module is gone by now.
 */
json_t *try_devs(void)
{
	return nl_try(nl_request(RXE_CC_CMD_DEV_GET, NLM_F_DUMP));
}

static struct nlmsghdr *ask_qps(const struct target *target, bool paths)
{
	struct nlmsghdr *request = nl_request(RXE_CC_CMD_QP_GET, target && target->has_qpn ? 0 : NLM_F_DUMP);

	if (target)
		mnl_attr_put_strz(request, RXE_CC_A_QP_DEV, target->dev);
	if (target && target->has_qpn)
		mnl_attr_put_u32(request, RXE_CC_A_QP_QPN, target->qpn);
	if (paths)
		mnl_attr_put(request, RXE_CC_A_QP_WANT_PATHS, 0, NULL);
	return request;
}

/**
 * get_qps() - ask for QPs
 * @target: one, or a device; NULL: all
 * @paths: ask for the paths of one, too
 *
 * Return: array of objects.
 */
json_t *get_qps(const struct target *target, bool paths)
{
	return nl_get(ask_qps(target, paths));
}

/**
 * try_qps() - ask for QPs that may be gone, once nl_present() has said yes
 * @target: one, or a device; NULL: all
 *
 * Return: array of objects; NULL: there is no such thing.
 */
json_t *try_qps(const struct target *target)
{
	return nl_try(ask_qps(target, false));
}

/**
 * get_algs() - ask for algorithms
 *
 * Return: array of objects.
 */
json_t *get_algs(void)
{
	return nl_get(nl_request(RXE_CC_CMD_ALG_GET, NLM_F_DUMP));
}

/**
 * get_params() - ask for parameters
 * @dev: of which device
 * @alg: of which algorithm; NULL: all
 *
 * Return: array of objects.
 */
json_t *get_params(const char *dev, const char *alg)
{
	struct nlmsghdr *request = nl_request(RXE_CC_CMD_PARAM_GET, NLM_F_DUMP);

	mnl_attr_put_strz(request, RXE_CC_A_PARAM_DEV, dev);
	if (alg)
		mnl_attr_put_strz(request, RXE_CC_A_PARAM_ALGORITHM, alg);
	return nl_get(request);
}

/* "TITLE: name, name" of all objects in an array. */
static char *names_hint(const char *title, json_t *objects, const char *more)
{
	char *text = NULL;
	size_t bytes, i;
	json_t *object;
	FILE *out = open_memstream(&text, &bytes);

	fprintf(out, "%s:", title);
	json_array_foreach(objects, i, object)
		fprintf(out, "%s %s", i ? "," : "", json_string_value(json_object_get(object, "name")));
	fprintf(out, "%s", more);
	fclose(out);
	return text;
}

/* What a parameter that a request names takes, or which ones there are; unless the kernel's text begins with its name. */
static char *setting_hint(const struct nlmsghdr *request, const struct nlattr *setting, const char *text)
{
	const char *dev = "", *alg = "", *name = "";
	const struct nlattr *attr;
	json_t *params, *p;
	char *hint = NULL;
	size_t i;

	mnl_attr_for_each(attr, request, GENL_HDRLEN) {
		if (mnl_attr_get_type(attr) == RXE_CC_A_PARAM_DEV)
			dev = mnl_attr_get_str(attr);
		else if (mnl_attr_get_type(attr) == RXE_CC_A_PARAM_ALGORITHM)
			alg = mnl_attr_get_str(attr);
	}
	mnl_attr_for_each_nested(attr, setting)
		if (mnl_attr_get_type(attr) == RXE_CC_A_SETTING_NAME)
			name = mnl_attr_get_str(attr);
	if (!strncmp(text, name, strlen(name)))
		return NULL;
	params = get_params(dev, alg);
	json_array_foreach(params, i, p) {
		const char *unit = json_string_value(json_object_get(p, "unit"));

		if (!strcmp(json_string_value(json_object_get(p, "name")), name) &&
		    asprintf(&hint, "%s takes %lld to %lld%s%s", name,
			     json_integer_value(json_object_get(p, "min")),
			     json_integer_value(json_object_get(p, "max")), *unit ? " " : "", unit) > 0)
			return hint;
	}
	return names_hint("parameters", params, "");
}

/**
 * attr_guess() - which attribute did the kernel mean?
 * @request: the request that it refused
 * @code: errno
 *
 * Linux 6.1 does not say when it refuses a dump. Only a name can be wrong with one.
 *
 * Return: the attribute, or NULL.
 */
const struct nlattr *attr_guess(const struct nlmsghdr *request, int code)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(request);
	const struct nlattr *attr;
	uint16_t type;

	if (genl->cmd == RXE_CC_CMD_QP_GET && code == ENODEV)
		type = RXE_CC_A_QP_DEV;
	else if (genl->cmd == RXE_CC_CMD_PARAM_GET && code == ENODEV)
		type = RXE_CC_A_PARAM_DEV;
	else if (genl->cmd == RXE_CC_CMD_PARAM_GET && code == ENOENT)
		type = RXE_CC_A_PARAM_ALGORITHM;
	else
		return NULL;
	mnl_attr_for_each(attr, request, GENL_HDRLEN)
		if (mnl_attr_get_type(attr) == type)
			return attr;
	return NULL;
}

/**
 * attr_hint() - what an attribute that the kernel refused takes
 * @request: the request
 * @bad: the attribute
 * @text: what the kernel said
 *
 * Asks the kernel.
 *
 * Return: text to be freed; NULL: nothing is known of it, or all is said.
 */
char *attr_hint(const struct nlmsghdr *request, const struct nlattr *bad, const char *text)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(request);
	uint16_t type = mnl_attr_get_type(bad);

	switch (genl->cmd) {
	case RXE_CC_CMD_DEV_GET:
	case RXE_CC_CMD_DEV_SET:
		if (type == RXE_CC_A_DEV_NAME)
			return names_hint("devices", get_devs(NULL), "");
		if (type == RXE_CC_A_DEV_ALGORITHM)
			return names_hint("algorithms", get_algs(), "");
		if (type == RXE_CC_A_DEV_ENTROPIES)
			return strdup("entropies");
		return type == RXE_CC_A_DEV_LINE_RATE_MBPS ? strdup("line-rate") : NULL;
	case RXE_CC_CMD_QP_GET:
	case RXE_CC_CMD_QP_SET:
		if (type == RXE_CC_A_QP_DEV)
			return names_hint("devices", get_devs(NULL), "");
		return type == RXE_CC_A_QP_ALGORITHM_SET ? names_hint("algorithms", get_algs(), ", default") : NULL;
	case RXE_CC_CMD_PARAM_GET:
	case RXE_CC_CMD_PARAM_SET:
		if (type == RXE_CC_A_PARAM_DEV)
			return names_hint("devices", get_devs(NULL), "");
		if (type == RXE_CC_A_PARAM_ALGORITHM)
			return names_hint("algorithms", get_algs(), ", np");
		return type == RXE_CC_A_PARAM_SETTING ? setting_hint(request, bad, text) : NULL;
	default:
		return NULL;
	}
}
