// SPDX-License-Identifier: GPL-2.0
/* Metrics: those of QPs, devices and rails are in metrics_*.c; here are the exporter's own. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rxecc.h"
#include "scrape.h"
#include "tm_text.h"

static void write_one(struct scrape *s, const char *name, enum expo_type type, const char *help, u64 value)
{
	expo_family(s->e, name, type, NULL, help);
	expo_sample(s->e);
	expo_u64(s->e, value);
}

/* A counter with a label. */
static void write_each(struct scrape *s, const char *label, const char *const *names, const u64 *values, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		expo_sample(s->e);
		expo_label(s->e, label, names[i]);
		expo_u64(s->e, values[i]);
	}
}

static void write_lost(struct scrape *s)
{
	u64 lost[TM_LOSTS];
	int i;

	for (i = 0; i < TM_LOSTS; i++)
		lost[i] = tm_lost(s->l->tm, i);
	expo_family(s->e, "rxecc_lost_samples", EXPO_COUNTER, NULL,
		    "What could not be recorded: no room for a QP (qps), part of a histogram (hist), work request (flying); "
		    "it had begun before the programs were there (before); a QP's last figures made room (evicted); a program "
		    "did not run because it had interrupted itself (missed).");
	write_each(s, "reason", tm_lost_names, lost, TM_LOSTS);
}

static void write_process(struct scrape *s)
{
	struct timespec cpu;
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "re");

	if (statm && fscanf(statm, "%*u %lu", &pages) != 1)
		pages = 0;
	if (statm)
		fclose(statm);
	write_one(s, "process_resident_memory_bytes", EXPO_GAUGE, "Memory of the process that answers scrapes.",
		  pages * sysconf(_SC_PAGESIZE));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	expo_family(s->e, "process_cpu_seconds", EXPO_COUNTER, "seconds", "Time that it has worked.");
	expo_sample(s->e);
	expo_ns(s->e, cpu.tv_sec * RCC_NSEC_PER_SEC + cpu.tv_nsec);
}

static void write_exporter(struct scrape *s)
{
	static const char *const codes[HTTP_CODES] = { "200", "404", "405" };
	static const char *const errors[SCRAPE_ERRORS] = { "module", "send" };

	expo_family(s->e, "rxecc_build", EXPO_INFO, NULL, "Version of the exporter.");
	expo_sample(s->e);
	expo_label(s->e, "version", strchr(argp_program_version, ' ') + 1);
	expo_u64(s->e, 1);
	write_one(s, "rxecc_attached", EXPO_GAUGE, "1: the programs record everything; 0: rxecc_missing_info says what not.",
		  !*s->x->missing);
	expo_family(s->e, "rxecc_missing", EXPO_INFO, NULL, "What is not recorded, and why.");
	if (*s->x->missing) {
		expo_sample(s->e);
		expo_label(s->e, "what", s->x->missing);
		expo_u64(s->e, 1);
	}
	write_one(s, "rxecc_module_loaded", EXPO_GAUGE, "1: rxe_cc is loaded, so that there are its figures, too.", s->loaded);
	write_one(s, "rxecc_qps", EXPO_GAUGE, "QPs with a record; those that are gone keep theirs for a minute.", s->l->n);
	write_one(s, "rxecc_qps_left_out", EXPO_GAUGE, "QPs without series of their own: others have more traffic.",
		  s->l->n - s->l->nshown);
	write_lost(s);
	expo_family(s->e, "rxecc_http_requests", EXPO_COUNTER, NULL, "Requests by how they were answered, without this one.");
	write_each(s, "code", codes, s->x->requests, HTTP_CODES);
	expo_family(s->e, "rxecc_scrape_errors", EXPO_COUNTER, NULL,
		    "Scrapes that went wrong: the module does not answer (module), or whoever asked went away (send).");
	write_each(s, "reason", errors, s->x->errors, SCRAPE_ERRORS);
	write_process(s);
	expo_family(s->e, "rxecc_scrape_duration_seconds", EXPO_GAUGE, "seconds", "How long all this took.");
	expo_sample(s->e);
	expo_ns(s->e, tm_now_ns() - s->began_ns);
}

/**
 * metrics_write() - answer a scrape
 * @x: the exporter
 * @e: the answer
 */
void metrics_write(struct exporter *x, struct expo *e)
{
	struct scrape s = { .x = x, .l = &x->ledger, .e = e };

	scrape_read(&s);
	metrics_qps(&s);
	metrics_devices(&s);
	metrics_both(&s);
	metrics_rails(&s);
	write_exporter(&s);
	scrape_free(&s);
	expo_end(e);
}
