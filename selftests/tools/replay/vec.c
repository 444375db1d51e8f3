// SPDX-License-Identifier: GPL-2.0
/* Vectors as text: reading is strict, so that a file that was cut or mistyped replays nothing. */
#include "replay.h"

#define LINE_BYTES	512
#define WORDS_MAX	16

/* where the numbers of a line stand */
#define INIT_WORDS	6	/* init NOW = RATE CWND TIMER */
#define EVENT_WORDS	12	/* TYPE NOW BYTES PACKETS CE RTT FABRIC RANDOM = RATE CWND TIMER */

const char *const vec_event_names[RCC_EV_END] = {
	[RCC_EV_TX] = "tx",
	[RCC_EV_ACK] = "ack",
	[RCC_EV_CNP] = "cnp",
	[RCC_EV_RTT] = "rtt",
	[RCC_EV_NACK] = "nack",
	[RCC_EV_TIMEOUT] = "timeout",
	[RCC_EV_INT] = "int",
	[RCC_EV_TIMER] = "timer",
};

/* One line in words; no words at the end of the file. */
struct words {
	char text[LINE_BYTES];
	char *word[WORDS_MAX];
	unsigned int n;
};

static void __noreturn __printf(2, 3) bad(const struct vec_file *v, const char *fmt, ...)
{
	char text[LINE_BYTES + 200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	die("%s:%u: %s", v->name, v->line, text);
}

static void split(const struct vec_file *v, struct words *w)
{
	char *rest = w->text, *word;

	w->n = 0;
	while ((word = strsep(&rest, " \t\n"))) {
		if (!*word)
			continue;
		if (*word == '#')
			return;
		if (w->n == WORDS_MAX)
			bad(v, "more than %d words", WORDS_MAX);
		w->word[w->n++] = word;
	}
}

/* The next line that says something. */
static bool next_line(struct vec_file *v, struct words *w)
{
	for (w->n = 0; !w->n && fgets(w->text, sizeof(w->text), v->file); split(v, w)) {
		v->line++;
		if (!strchr(w->text, '\n'))
			bad(v, "no end of the line within %d characters", LINE_BYTES);
	}
	if (ferror(v->file))
		bad(v, "%s", strerror(errno));
	return w->n;
}

static uint64_t number(const struct vec_file *v, const char *word, uint64_t max)
{
	u64 value;

	if (rcc_u64_parse(word, strlen(word), &value) || value > max)
		bad(v, "'%s' is no number up to %" PRIu64, word, max);
	return value;
}

/* @word is NAME=NUMBER */
static uint64_t named(const struct vec_file *v, const char *word, const char *name, uint64_t max)
{
	size_t len = strlen(name);

	if (strncmp(word, name, len) || word[len] != '=')
		bad(v, "'%s' where %s=NUMBER belongs", word, name);
	return number(v, word + len + 1, max);
}

static void need_line(struct vec_file *v, struct words *w, const char *what)
{
	if (!next_line(v, w))
		bad(v, "the file ends where '%s' belongs", what);
}

static void need_words(const struct vec_file *v, const struct words *w, const char *first, unsigned int n)
{
	if (strcmp(w->word[0], first) || w->n != n)
		bad(v, "'%s' with %u words where '%s' with %u belongs", w->word[0], w->n, first, n);
}

/* @word: the '=' before the three numbers */
static void read_decision(const struct vec_file *v, char **word, struct rcc_decision *d)
{
	if (strcmp(word[0], "="))
		bad(v, "'%s' where '=' belongs", word[0]);
	d->rate_bps = number(v, word[1], UINT64_MAX);
	d->cwnd_bytes = number(v, word[2], UINT64_MAX);
	d->timer_ns = number(v, word[3], UINT64_MAX);
}

static void read_path(struct vec_file *v, struct rcc_path *path)
{
	struct words w;

	need_line(v, &w, "path");
	need_words(v, &w, "path", 5);
	path->line_bps = named(v, w.word[1], "line_bps", UINT64_MAX);
	path->base_rtt_ns = named(v, w.word[2], "base_rtt_ns", UINT64_MAX);
	path->start_bps = named(v, w.word[3], "start_bps", UINT64_MAX);
	path->mtu_bytes = named(v, w.word[4], "mtu_bytes", UINT32_MAX);
}

static void read_param(const struct vec_file *v, struct vec_flow *f, const struct words *w, bool *seen)
{
	int i;

	need_words(v, w, "param", 3);
	i = rcc_param_find(f->alg, w->word[1], strlen(w->word[1]));
	if (i < 0)
		bad(v, "%s has no parameter '%s'", f->alg->name, w->word[1]);
	if (seen[i])
		bad(v, "'%s' for the second time", w->word[1]);
	seen[i] = true;
	f->head.values.v[i] = number(v, w->word[2], UINT64_MAX);
}

/* All parameters, in any order; leaves the line behind them in @w. */
static void read_params(struct vec_file *v, struct vec_flow *f, struct words *w)
{
	bool seen[RCC_PARAMS_MAX] = {};
	const char *fault;
	unsigned int i;

	for (need_line(v, w, "init"); !strcmp(w->word[0], "param"); need_line(v, w, "init"))
		read_param(v, f, w, seen);
	for (i = 0; i < f->alg->nparams; i++)
		if (!seen[i])
			bad(v, "no '%s' among the parameters above", f->alg->params[i].name);
	fault = vec_fault(f->alg, &f->head.values);
	if (fault)
		bad(v, "above: %s", fault);
}

static unsigned int event_type(const struct vec_file *v, const char *word)
{
	unsigned int i;

	for (i = 1; i < RCC_EV_END; i++)
		if (!strcmp(word, vec_event_names[i]))
			return i;
	bad(v, "'%s' is no event: tx ack cnp rtt nack timeout int timer", word);
}

static void read_event(const struct vec_file *v, struct vec_flow *f, struct words *w)
{
	struct vec_event e = { .line = v->line };
	u32 *const field[] = {
		&e.ev.bytes, &e.ev.packets, &e.ev.ce_permille, &e.ev.rtt_ns, &e.ev.fabric_ns, &e.ev.random,
	};
	unsigned int i;

	e.ev.type = event_type(v, w->word[0]);
	need_words(v, w, w->word[0], EVENT_WORDS);
	e.ev.now_ns = number(v, w->word[1], UINT64_MAX);
	for (i = 0; i < ARRAY_SIZE(field); i++)
		*field[i] = number(v, w->word[2 + i], UINT32_MAX);
	read_decision(v, &w->word[EVENT_WORDS - 4], &e.decision);
	vec_add(f, &e);
}

/* The number of events at the end shows that none is missing. */
static void read_events(struct vec_file *v, struct vec_flow *f)
{
	struct words w;

	for (need_line(v, &w, "end"); strcmp(w.word[0], "end"); need_line(v, &w, "end"))
		read_event(v, f, &w);
	need_words(v, &w, "end", 2);
	if (number(v, w.word[1], UINT64_MAX) != f->n)
		bad(v, "end of %s events after %zu", w.word[1], f->n);
}

/**
 * vec_read() - read the next flow
 * @v: the vector
 * @f: the flow; room of the last one is used again
 *
 * Return: true if there was one; the program ends if the text is wrong.
 */
bool vec_read(struct vec_file *v, struct vec_flow *f)
{
	struct words w;

	if (!next_line(v, &w))
		return false;
	vec_reset(f);
	need_words(v, &w, "flow", 2);
	f->alg = need_alg(w.word[1], v->name);
	strcpy(f->head.alg, f->alg->name);
	read_path(v, &f->head.path);
	read_params(v, f, &w);
	need_words(v, &w, "init", INIT_WORDS);
	f->line = v->line;
	f->head.now_ns = number(v, w.word[1], UINT64_MAX);
	read_decision(v, &w.word[INIT_WORDS - 4], &f->first);
	read_events(v, f);
	return true;
}

/**
 * vec_open() - begin to read a vector
 * @v: the vector
 * @name: its file; "-": standard input
 */
void vec_open(struct vec_file *v, const char *name)
{
	*v = (struct vec_file) { .name = name };
	v->file = strcmp(name, "-") ? fopen(name, "r") : stdin;
	if (!v->file)
		die("%s: %s", name, strerror(errno));
}

/**
 * vec_close() - end reading
 * @v: the vector
 */
void vec_close(struct vec_file *v)
{
	if (v->file != stdin)
		fclose(v->file);
}

static void write_decision(const struct rcc_decision *d)
{
	printf(" = %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", d->rate_bps, d->cwnd_bytes, d->timer_ns);
}

static void write_event(const struct vec_event *e)
{
	const struct rcc_event *ev = &e->ev;

	printf("%s %" PRIu64 " %u %u %u %u %u %u", vec_event_names[ev->type], ev->now_ns, ev->bytes, ev->packets,
	       ev->ce_permille, ev->rtt_ns, ev->fabric_ns, ev->random);
	write_decision(&e->decision);
}

/**
 * vec_write() - write a flow to standard output
 * @f: the flow
 */
void vec_write(const struct vec_flow *f)
{
	const struct rcc_path *path = &f->head.path;
	size_t i;

	printf("flow %s\n", f->alg->name);
	printf("path line_bps=%" PRIu64 " base_rtt_ns=%" PRIu64 " start_bps=%" PRIu64 " mtu_bytes=%u\n", path->line_bps,
	       path->base_rtt_ns, path->start_bps, path->mtu_bytes);
	for (i = 0; i < f->alg->nparams; i++)
		printf("param %s %" PRIu64 "\n", f->alg->params[i].name, f->head.values.v[i]);
	printf("init %" PRIu64, f->head.now_ns);
	write_decision(&f->first);
	for (i = 0; i < f->n; i++)
		write_event(&f->events[i]);
	printf("end %zu\n", f->n);
}

/**
 * vec_fault() - may an algorithm have these values?
 * @alg: the algorithm
 * @values: of all of its parameters
 *
 * Return: NULL, or what is wrong, until the next call.
 */
const char *vec_fault(const struct rcc_alg *alg, const struct rcc_values *values)
{
	static char text[200];
	const struct rcc_param *p;
	unsigned int i;
	int other;

	for (i = 0; i < alg->nparams; i++) {
		p = &alg->params[i];
		if (values->v[i] >= p->min && values->v[i] <= p->max)
			continue;
		snprintf(text, sizeof(text), "%s %" PRIu64 ", allowed are %" PRIu64 " to %" PRIu64, p->name, values->v[i],
			 p->min, p->max);
		return text;
	}
	other = alg->check ? alg->check(values) : -1;
	if (other < 0)
		return NULL;
	snprintf(text, sizeof(text), "%s contradicts other parameters", alg->params[other].name);
	return text;
}

/**
 * vec_add() - add an event to a flow
 * @f: the flow
 * @e: the event; copied
 */
void vec_add(struct vec_flow *f, const struct vec_event *e)
{
	if (f->n == f->room) {
		f->room = f->room ? 2 * f->room : RCC_REPLAY_MAX;
		f->events = realloc(f->events, f->room * sizeof(*f->events));
		if (!f->events)
			die("no memory for %zu events", f->room);
	}
	f->events[f->n++] = *e;
}

/**
 * vec_reset() - empty a flow, but keep its room
 * @f: the flow
 */
void vec_reset(struct vec_flow *f)
{
	*f = (struct vec_flow) { .events = f->events, .room = f->room };
}

/**
 * need_alg() - look an algorithm up, or end the program
 * @name: its name
 * @where: who asks, for the message
 *
 * Return: the algorithm.
 */
const struct rcc_alg *need_alg(const char *name, const char *where)
{
	const struct rcc_alg *alg = rcc_alg_find(name, strlen(name));
	char list[200] = "";
	unsigned int i;

	if (alg)
		return alg;
	for (i = 0; i < rcc_nalgs; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), " %s", rcc_algs[i]->name);
	die("%s: '%s' is none of the algorithms:%s", where, name, list);
}
