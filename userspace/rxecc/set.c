// SPDX-License-Identifier: GPL-2.0
/* rxecc set */
#include <string.h>

#include "rxecc.h"

static void put_alg(struct nlmsghdr *request, const char *word)
{
	mnl_attr_put_strz(request, RXE_CC_A_DEV_ALGORITHM, word);
}

static void put_profile(struct nlmsghdr *request, const char *word)
{
	mnl_attr_put_strz(request, RXE_CC_A_DEV_PROFILE, word);
}

static bool to_switch(const char *key, const char *word)
{
	bool on;

	if (parse_switch(word, &on))
		usage("%s is on or off, not '%s'", key, word);
	return on;
}

static void put_ecn(struct nlmsghdr *request, const char *word)
{
	mnl_attr_put_u8(request, RXE_CC_A_DEV_ECN, to_switch("ecn", word));
}

static void put_link(struct nlmsghdr *request, const char *word)
{
	mnl_attr_put_u8(request, RXE_CC_A_DEV_LINK, to_switch("link", word));
}

static void put_spray(struct nlmsghdr *request, const char *word)
{
	mnl_attr_put_strz(request, RXE_CC_A_DEV_SPRAY, word);
}

static void put_entropies(struct nlmsghdr *request, const char *word)
{
	uint64_t n;

	if (parse_number(word, &n))
		usage("entropies is a number of source ports, not '%s'", word);
	mnl_attr_put_u8(request, RXE_CC_A_DEV_ENTROPIES, n > UINT8_MAX ? UINT8_MAX : n);
}

/* The kernel says what is allowed; what the attribute cannot carry is too much in any case. */
static void put_line_rate(struct nlmsghdr *request, const char *word)
{
	uint64_t mbps;

	if (parse_number(word, &mbps))
		usage("line-rate is a number of Mb/s, not '%s'", word);
	mnl_attr_put_u32(request, RXE_CC_A_DEV_LINE_RATE_MBPS, mbps > UINT32_MAX ? UINT32_MAX : mbps);
}

/* what can be set of a device, each followed by its value */
static const struct {
	const char *name;
	void (*put)(struct nlmsghdr *request, const char *word);
} dev_keys[] = {
	{ "alg", put_alg },
	{ "profile", put_profile },
	{ "ecn", put_ecn },
	{ "line-rate", put_line_rate },
	{ "link", put_link },
	{ "spray", put_spray },
	{ "entropies", put_entropies },
};

static void put_dev_key(struct nlmsghdr *request, const char *key, const char *word, unsigned int *seen)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dev_keys) && strcmp(key, dev_keys[i].name); i++)
		;
	if (i == ARRAY_SIZE(dev_keys))
		usage("a device has no '%s' to set; there are alg, profile, ecn, line-rate, link, spray and entropies", key);
	if (!word)
		usage("'%s' needs a value", key);
	if (strlen(word) >= NAME_BYTES)
		usage("'%s' is too long", word);
	if (*seen & 1U << i)
		usage("'%s' is named twice", key);
	*seen |= 1U << i;
	dev_keys[i].put(request, word);
}

static void set_dev(const struct args *args)
{
	struct nlmsghdr *request;
	struct target target;
	unsigned int seen = 0;
	int i;

	if (args->n < 4)
		usage("set dev needs a device and what to set; see rxecc set --help");
	if (parse_target(args->words[1], &target) || target.has_qpn)
		usage("'%s' is no device", args->words[1]);
	request = nl_request(RXE_CC_CMD_DEV_SET, 0);
	mnl_attr_put_strz(request, RXE_CC_A_DEV_NAME, target.dev);
	for (i = 2; i < args->n; i += 2)
		put_dev_key(request, args->words[i], i + 1 < args->n ? args->words[i + 1] : NULL, &seen);
	nl_set(request);
	if (args->json)
		show_devs(target.dev, true);
}

/* what can be set of a QP, each followed by its value or "default" */
static const struct {
	const char *name;
	uint16_t type;
} qp_keys[] = {
	{ "alg", RXE_CC_A_QP_ALGORITHM_SET },
	{ "spray", RXE_CC_A_QP_SPRAY_SET },
};

static void put_qp_key(struct nlmsghdr *request, const char *key, const char *word, unsigned int *seen)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(qp_keys) && strcmp(key, qp_keys[i].name); i++)
		;
	if (i == ARRAY_SIZE(qp_keys))
		usage("a QP has no '%s' to set; there are alg and spray", key);
	if (!word)
		usage("'%s' needs a value", key);
	if (!*word || strlen(word) >= NAME_BYTES)
		usage("'%s' is no name", word);
	if (*seen & 1U << i)
		usage("'%s' is named twice", key);
	*seen |= 1U << i;
	mnl_attr_put_strz(request, qp_keys[i].type, strcmp(word, "default") ? word : "");
}

static void set_qp(const struct args *args)
{
	struct nlmsghdr *request;
	struct target target;
	unsigned int seen = 0;
	int i;

	if (args->n < 4)
		usage("set qp wants DEV/QPN and what to set: alg or spray");
	if (parse_target(args->words[1], &target) || !target.has_qpn)
		usage("'%s' is no QP (DEV/QPN)", args->words[1]);
	request = nl_request(RXE_CC_CMD_QP_SET, 0);
	mnl_attr_put_strz(request, RXE_CC_A_QP_DEV, target.dev);
	mnl_attr_put_u32(request, RXE_CC_A_QP_QPN, target.qpn);
	for (i = 2; i < args->n; i += 2)
		put_qp_key(request, args->words[i], i + 1 < args->n ? args->words[i + 1] : NULL, &seen);
	nl_set(request);
	if (args->json)
		show_qps(&target, true);
}

/**
 * cmd_set() - rxecc set dev DEV KEY VALUE..., rxecc set qp DEV/QPN KEY VALUE...
 * @args: the words; with JSON the new state is printed
 */
void cmd_set(const struct args *args)
{
	if (!args->n)
		usage("what to set? dev or qp; see rxecc set --help");
	if (!strcmp(args->words[0], "dev"))
		set_dev(args);
	else if (!strcmp(args->words[0], "qp"))
		set_qp(args);
	else
		usage("no '%s' to set; there are dev and qp", args->words[0]);
}
