// SPDX-License-Identifier: GPL-2.0
/* Reads golden/golden.txt: blocks of "key value" lines. */
#include "golden.h"
#include "test.h"

#define GOLDEN_MAX	200

static const char *const field_names[GOLDEN_FIELDS] = {
	"version", "bytes", "opcode", "ecn", "sport", "dqpn", "psn", "ackreq", "becn", "syndrome", "sqpn", "dscp", "ttl",
};

static const struct {
	const char *word;
	u16 class;
} class_words[] = {
	{ "rc", RCC_OC_RC }, { "uc", RCC_OC_UC }, { "ud", RCC_OC_UD }, { "req", RCC_OC_REQ }, { "ack", RCC_OC_ACK },
	{ "read_resp", RCC_OC_READ_RESP }, { "aeth", RCC_OC_AETH }, { "cnp", RCC_OC_CNP },
	{ "ctl", RCC_OC_CTL },
};

static const char *const result_words[] = {
	[RCC_WIRE_OK] = "ok", [RCC_WIRE_NOT_ROCE] = "not_roce", [RCC_WIRE_SHORT] = "short", [RCC_WIRE_OPCODE] = "opcode",
};

static void read_hex(struct golden *g, const char *hex)
{
	u32 i;

	g->len = strlen(hex) / 2;
	g->raw = malloc(g->len);
	for (i = 0; i < g->len; i++) {
		unsigned int byte;

		EXPECT_EQ(sscanf(hex + 2 * i, "%2x", &byte), 1);
		g->raw[i] = byte;
	}
}

static void read_class(struct golden *g, char *value)
{
	char *word;
	u32 i, n = ARRAY_SIZE(class_words);

	for (word = strtok(value, " "); word; word = strtok(NULL, " ")) {
		for (i = 0; i < n && strcmp(word, class_words[i].word); i++)
			;
		EXPECT(i < n);
		g->class |= class_words[i].class;
	}
}

static void read_line(struct golden *g, const char *key, char *value)
{
	u32 i;

	if (!strcmp(key, "name"))
		snprintf(g->name, sizeof(g->name), "%s", value);
	else if (!strcmp(key, "hex"))
		read_hex(g, value);
	else if (!strcmp(key, "class"))
		read_class(g, value);
	else if (!strcmp(key, "flow"))
		g->cnp = true;
	for (i = 0; i < GOLDEN_FIELDS; i++)
		if (!strcmp(key, field_names[i]))
			g->field[i] = atol(value);
	for (i = 0; i < ARRAY_SIZE(result_words); i++)
		if (!strcmp(key, "result") && !strcmp(value, result_words[i]))
			g->result = i;
}

/* Read once; stays for the life of the program. */
const struct golden *golden_load(u32 *count)
{
	static struct golden vectors[GOLDEN_MAX];
	static u32 n;
	static char line[8192];
	struct golden *g = NULL;
	FILE *f;

	*count = n;
	if (n)
		return vectors;
	f = fopen(GOLDEN, "r");
	EXPECT(f);
	while (fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ' ');

		line[strcspn(line, "\n")] = 0;
		if (line[0] == '#' || !line[0])
			continue;
		EXPECT(value);
		*value++ = 0;
		if (!strcmp(line, "name")) {
			EXPECT(n < GOLDEN_MAX);
			g = &vectors[n++];
			memset(g->field, 0xff, sizeof(g->field));
		}
		EXPECT(g);
		read_line(g, line, value);
	}
	fclose(f);
	*count = n;
	return vectors;
}
