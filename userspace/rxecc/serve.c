// SPDX-License-Identifier: GPL-2.0
/*
 * One thread does all: it waits for requests, for news from the parent, and for the time when records are to be read. An answer
 * is written to memory, so that who reads it slowly holds up nobody.
 */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "rxecc.h"
#include "serve.h"

#define CONNECTIONS	32
#define CONNECTIONS_OF_ONE	16	/* address: others are to have some */
#define IDLE_S		30	/* a connection without a request is closed */
#define PORT_BYTES	8

#define TYPE_TEXT	"text/plain; charset=utf-8"
#define TYPE_PROMETHEUS	"text/plain; version=0.0.4; charset=utf-8"
#define TYPE_OPENMETRICS	"application/openmetrics-text; version=1.0.0; charset=utf-8"

/* "HOST:PORT", "[IPV6]:PORT" or ":PORT" into its parts. */
static void split(const char *where, char *host, char *port)
{
	const char *colon = strrchr(where, ':');
	size_t len = colon ? (size_t)(colon - where) : 0;
	uint64_t number;

	if (!colon || len >= NI_MAXHOST || parse_number(colon + 1, &number) || number > 65535)
		usage("'%s' is no address to listen on, like 127.0.0.1:9879, [::1]:9879 or :9879", where);
	if (len >= 2 && *where == '[' && where[len - 1] == ']') {
		where++;
		len -= 2;
	} else if (memchr(where, ':', len)) {
		usage("'%s' is no address to listen on: an IPv6 address stands in brackets, like [::1]:9879", where);
	}
	snprintf(host, NI_MAXHOST, "%.*s", (int)len, where);
	snprintf(port, PORT_BYTES, "%u", (unsigned int)number);
}

static int listen_on(const struct addrinfo *at)
{
	int on = 1, off = 0, fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* [::] takes IPv4, too */
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, CONNECTIONS))
		return fd;
	close(fd);
	return -1;
}

/**
 * serve_listen() - begin to listen
 * @where: "HOST:PORT", "[IPV6]:PORT", or ":PORT" for all addresses; port 0: any that is free
 *
 * Ends the program if that is not possible.
 *
 * Return: the socket.
 */
int serve_listen(const char *where)
{
	const struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM };
	char host[NI_MAXHOST], port[PORT_BYTES];
	struct addrinfo *found;
	int err, fd;

	split(where, host, port);
	err = getaddrinfo(*host ? host : "::", port, &hints, &found);
	if (err)
		usage("'%s' is no address to listen on: %s", where, gai_strerror(err));
	fd = listen_on(found);
	if (fd < 0)
		fail(EXIT_REFUSED, "cannot listen on %s: %s", where, strerror(errno));
	freeaddrinfo(found);
	return fd;
}

/**
 * serve_url() - where metrics are to be had
 * @listener: the socket
 * @url: set to the address
 * @bytes: room for it
 */
void serve_url(int listener, char *url, size_t bytes)
{
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);
	char host[NI_MAXHOST], port[NI_MAXSERV];
	bool v6;

	if (getsockname(listener, (struct sockaddr *)&at, &len) ||
	    getnameinfo((struct sockaddr *)&at, len, host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		fail(EXIT_REFUSED, "cannot tell where to listen: %s", strerror(errno));
	v6 = strchr(host, ':');
	snprintf(url, bytes, "http://%s%s%s:%s/metrics", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

/* How much a format is wanted, from 0 to 1, as the header Accept says. */
static double wanted(const char *accept, const char *format)
{
	double best = 0;

	while (accept && *accept) {
		size_t part = strcspn(accept, ","), name;
		const char *q = memmem(accept, part, "q=", 2);
		double how_much = q ? strtod(q + 2, NULL) : 1;

		accept += strspn(accept, " ");
		name = strcspn(accept, " ;,");
		if (name == strlen(format) && !strncasecmp(accept, format, name) && how_much > best)
			best = how_much;
		accept += strcspn(accept, ",");
		accept += *accept == ',';
	}
	return best;
}

static bool wants_openmetrics(struct MHD_Connection *connection)
{
	const char *accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	double openmetrics = wanted(accept, "application/openmetrics-text");

	return openmetrics > 0 && openmetrics >= wanted(accept, "text/plain");
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int code, const char *type, char *text, size_t bytes,
			      enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(bytes, text, mode);
	enum MHD_Result queued;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	queued = MHD_queue_response(connection, code, response);
	MHD_destroy_response(response);
	return queued;
}

static enum MHD_Result answer_metrics(struct exporter *x, struct MHD_Connection *connection)
{
	struct expo e = { .openmetrics = wants_openmetrics(connection) };
	char *text = NULL;
	size_t bytes = 0;

	e.out = open_memstream(&text, &bytes);
	if (!e.out)
		fail(EXIT_REFUSED, "out of memory");
	metrics_write(x, &e);
	if (fclose(e.out))
		fail(EXIT_REFUSED, "out of memory");
	x->requests[HTTP_OK]++;
	return answer(connection, MHD_HTTP_OK, e.openmetrics ? TYPE_OPENMETRICS : TYPE_PROMETHEUS, text, bytes,
		      MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result answer_health(struct exporter *x, struct MHD_Connection *connection)
{
	char text[sizeof(x->missing) + 32];
	int bytes = snprintf(text, sizeof(text), "ok\n%s%s%s", *x->missing ? "missing: " : "", x->missing,
			     *x->missing ? "\n" : "");

	x->requests[HTTP_OK]++;
	return answer(connection, MHD_HTTP_OK, TYPE_TEXT, text, bytes, MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result refuse(struct exporter *x, struct MHD_Connection *connection, enum http_code code, unsigned int http,
			      const char *text)
{
	x->requests[code]++;
	return answer(connection, http, TYPE_TEXT, (char *)text, strlen(text), MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result take_request(void *data, struct MHD_Connection *connection, const char *url, const char *method,
				    const char *version, const char *upload, size_t *upload_bytes, void **state)
{
	struct exporter *x = data;

	(void)version;
	(void)upload;
	*state = x;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		*upload_bytes = 0;
		return refuse(x, connection, HTTP_BAD_METHOD, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	}
	if (!strcmp(url, "/metrics"))
		return answer_metrics(x, connection);
	if (!strcmp(url, "/healthz"))
		return answer_health(x, connection);
	return refuse(x, connection, HTTP_NOT_FOUND, MHD_HTTP_NOT_FOUND, "there are /metrics and /healthz\n");
}

static void request_over(void *data, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode how)
{
	struct exporter *x = data;

	(void)connection;
	if (*state && how != MHD_REQUEST_TERMINATED_COMPLETED_OK)
		x->errors[SCRAPE_SEND]++;
}

/* What cannot be recorded, when that changes. Returns false if the parent has ended. */
static bool take_news(struct exporter *x, int parent)
{
	ssize_t bytes = recv(parent, x->missing, sizeof(x->missing) - 1, 0);

	if (bytes < 0)
		return errno == EINTR;
	x->missing[bytes > 0 ? bytes - 1 : 0] = 0;
	return bytes > 0;
}

static int milliseconds_left(struct MHD_Daemon *daemon, u64 until_ns)
{
	u64 now = tm_now_ns(), left = until_ns > now ? (until_ns - now + 999999) / 1000000 : 0;
	MHD_UNSIGNED_LONG_LONG http;

	return MHD_get_timeout(daemon, &http) == MHD_YES && http < left ? (int)http : (int)left;
}

/**
 * serve() - answer requests until the parent ends
 * @x: the exporter
 * @listener: socket that listens
 * @parent: socket of the parent: each message is what cannot be recorded
 */
void serve(struct exporter *x, int listener, int parent)
{
	struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, take_request, x,
						     MHD_OPTION_LISTEN_SOCKET, listener,
						     MHD_OPTION_NOTIFY_COMPLETED, request_over, x,
						     MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
						     MHD_OPTION_PER_IP_CONNECTION_LIMIT, CONNECTIONS_OF_ONE,
						     MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_END);
	struct pollfd fds[2] = { { .events = POLLIN }, { .fd = parent, .events = POLLIN } };
	u64 due = 0;

	if (!daemon)
		fail(EXIT_REFUSED, "cannot answer requests: %s", strerror(errno));
	fds[0].fd = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	do {
		if (tm_now_ns() >= due) {
			due = tm_now_ns() + LEDGER_READ_NS;
			ledger_tick(&x->ledger, tm_now_ns());
		}
		MHD_run(daemon);
		fds[1].revents = 0;
		poll(fds, ARRAY_SIZE(fds), milliseconds_left(daemon, due));
	} while (!fds[1].revents || take_news(x, parent));
	MHD_stop_daemon(daemon);
}
