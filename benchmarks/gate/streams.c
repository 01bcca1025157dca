/* Clients of a server that streams, and what each of them waits for.

   streams PORT CONNECTIONS SECONDS EVENTS SPREAD_MS BODY_BYTES

   So many connections to 127.0.0.1, each asking anew as soon as it is answered, begun evenly over
   SPREAD_MS. An answer is right if it is a 200 and has EVENTS events (two line feeds end one; 0 for
   an answer that is no stream of events). With SECONDS 0 each connection asks once. The first second
   of the time is not counted where there is time.

   Prints one JSON object: what went right and wrong, the time to an answer's first byte of body, and
   the time from one event to the next, in milliseconds; when the last answer had come, as Unix time. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum body { LENGTH, CHUNK_SIZE, CHUNK_DATA, CHUNK_END, LAST_END, TO_THE_END };

struct client {
    int fd;
    double begins, asked, last_event;
    char head[16384];
    size_t head_bytes;
    int in_body, status, ends_line;
    enum body body;
    unsigned long left;
    char size[20];
    size_t size_bytes;
    long events;
    int got_byte;
};

struct times { double *of; size_t count, room; };

static struct times firsts, gaps;
static struct sockaddr_in server;
static char *request;
static size_t request_bytes;
static int poller;
static long wanted_events, right, wrong, asked_in_all;
static double began, counted_from, until;
static int once;

static double now_s(clockid_t which) {
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void keep(struct times *times, double took) {
    if (times->count == times->room) {
        times->room = times->room ? times->room * 2 : 4096;
        times->of = realloc(times->of, times->room * sizeof(double));
        if (!times->of) abort();
    }
    times->of[times->count++] = took;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *name, struct times *times) {
    static const double shares[] = {0.5, 0.9, 0.99, 1.0};
    static const char *names[] = {"p50", "p90", "p99", "max"};
    qsort(times->of, times->count, sizeof(double), compare);
    printf(", \"%s\": {\"count\": %zu", name, times->count);
    for (int i = 0; i < 4 && times->count; i++) {
        size_t at = (size_t)(shares[i] * (double)(times->count - 1) + 0.5);
        printf(", \"%s\": %.3f", names[i], times->of[at] * 1000);
    }
    printf("}");
}

static void watch(struct client *c, int how, uint32_t what) {
    struct epoll_event e = {.events = what, .data.ptr = c};
    epoll_ctl(poller, how, c->fd, &e);
}

static void connect_anew(struct client *c) {
    int on = 1;
    if (c->fd >= 0) close(c->fd);
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (c->fd < 0) { perror("socket"); exit(1); }
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(c->fd, (struct sockaddr *)&server, sizeof server) && errno != EINPROGRESS) {
        perror("connect");
        exit(1);
    }
    watch(c, EPOLL_CTL_ADD, EPOLLOUT);
}

static void ask(struct client *c) {
    c->head_bytes = 0;
    c->in_body = c->status = c->ends_line = c->got_byte = 0;
    c->events = 0;
    c->last_event = 0;
    c->asked = now_s(CLOCK_MONOTONIC);
    asked_in_all++;
    if (send(c->fd, request, request_bytes, MSG_NOSIGNAL) != (ssize_t)request_bytes) {
        wrong++;
        c->asked = 0;
        if (once) { close(c->fd); c->fd = -1; } else connect_anew(c);
        return;
    }
    watch(c, EPOLL_CTL_MOD, EPOLLIN);
}

static void answered(struct client *c, int whole, int stays) {
    if (whole && c->status == 200 && c->events == wanted_events) right++;
    else wrong++;
    c->asked = 0;
    if (once || now_s(CLOCK_MONOTONIC) >= until) { close(c->fd); c->fd = -1; }
    else if (stays) ask(c);
    else connect_anew(c);
}

static void body_bytes(struct client *c, const char *data, size_t count, double now) {
    if (!count) return;
    if (!c->got_byte) {
        c->got_byte = 1;
        if (c->asked >= counted_from) keep(&firsts, now - c->asked);
    }
    for (size_t i = 0; i < count; i++) {
        if (data[i] != '\n') { c->ends_line = 0; continue; }
        if (!c->ends_line) { c->ends_line = 1; continue; }
        c->ends_line = 0;
        if (!wanted_events) continue;
        c->events++;
        if (c->last_event && c->last_event >= counted_from) keep(&gaps, now - c->last_event);
        c->last_event = now;
    }
}

static void read_head(struct client *c) {
    char *line = c->head;
    c->status = atoi(c->head + 9);
    c->body = TO_THE_END;
    while ((line = strstr(line, "\r\n")) && line[2] != '\r') {
        line += 2;
        if (!strncasecmp(line, "content-length:", 15)) {
            c->body = LENGTH;
            c->left = strtoul(line + 15, NULL, 10);
        } else if (!strncasecmp(line, "transfer-encoding: chunked", 26)) {
            c->body = CHUNK_SIZE;
            c->size_bytes = 0;
        }
    }
}

/* 1 when the answer is whole. */
static int take(struct client *c, const char *data, size_t count, double now) {
    size_t at = 0;
    while (at < count) {
        size_t some = count - at;
        switch (c->body) {
        case TO_THE_END:
            body_bytes(c, data + at, some, now);
            return 0;
        case LENGTH:
        case CHUNK_DATA:
            if (some > c->left) some = c->left;
            body_bytes(c, data + at, some, now);
            at += some;
            c->left -= some;
            if (c->left) break;
            if (c->body == LENGTH) return 1;
            c->body = CHUNK_END;
            break;
        case CHUNK_END:
            if (data[at++] == '\n') { c->body = CHUNK_SIZE; c->size_bytes = 0; }
            break;
        case CHUNK_SIZE:
            if (data[at] != '\n') {
                if (c->size_bytes < sizeof c->size - 1) c->size[c->size_bytes++] = data[at];
                at++;
                break;
            }
            at++;
            c->size[c->size_bytes] = 0;
            c->left = strtoul(c->size, NULL, 16);
            c->body = c->left ? CHUNK_DATA : LAST_END;
            break;
        case LAST_END:
            if (data[at++] == '\n') return 1;
            break;
        }
    }
    return c->body == LENGTH && !c->left;
}

static void came(struct client *c) {
    static char data[65536];
    ssize_t count = recv(c->fd, data, sizeof data, 0);
    double now = now_s(CLOCK_MONOTONIC);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
        if (c->asked) answered(c, count == 0 && c->in_body && c->body == TO_THE_END, 0);
        else if (once || now >= until) { close(c->fd); c->fd = -1; }
        else connect_anew(c);
        return;
    }
    const char *rest = data;
    size_t rest_bytes = (size_t)count;
    if (!c->in_body) {
        size_t room = sizeof c->head - 1 - c->head_bytes, had = c->head_bytes;
        size_t taken = rest_bytes < room ? rest_bytes : room;
        memcpy(c->head + had, data, taken);
        c->head_bytes += taken;
        c->head[c->head_bytes] = 0;
        char *end = strstr(c->head, "\r\n\r\n");
        if (!end) { if (taken == room) answered(c, 0, 0); return; }
        size_t used = (size_t)(end - c->head) + 4 - had;
        rest += used;
        rest_bytes -= used;
        read_head(c);
        c->in_body = 1;
    }
    if (take(c, rest, rest_bytes, now)) answered(c, 1, !strcasestr(c->head, "connection: close"));
}

int main(int argc, char **argv) {
    if (argc != 7) { fprintf(stderr, "streams PORT CONNECTIONS SECONDS EVENTS SPREAD_MS BODY_BYTES\n"); return 2; }
    long connections = atol(argv[2]), filling = atol(argv[6]);
    double seconds = atof(argv[3]), spread = atof(argv[5]) / 1000;
    wanted_events = atol(argv[4]);
    once = seconds == 0;
    server.sin_family = AF_INET;
    server.sin_port = htons((uint16_t)atoi(argv[1]));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    const char *before = "{\"model\": \"m\", \"max_tokens\": 64, \"stream\": true, \"prompt\": \"";
    size_t body = strlen(before) + (size_t)filling + 2;
    request = malloc(body + 512);
    request_bytes = (size_t)sprintf(request,
        "POST /v1/%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nUser-Agent: streams\r\nAccept: %s\r\n"
        "Authorization: Bearer none\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        wanted_events ? "completions" : "embeddings", argv[1],
        wanted_events ? "text/event-stream" : "*/*", body, before);
    memset(request + request_bytes, 'x', (size_t)filling);
    request_bytes += (size_t)filling;
    memcpy(request + request_bytes, "\"}", 2);
    request_bytes += 2;

    poller = epoll_create1(0);
    struct client *clients = calloc((size_t)connections, sizeof *clients);
    began = now_s(CLOCK_MONOTONIC);
    counted_from = once ? 0 : began + 1 + spread;
    until = once ? 1e18 : began + spread + seconds;
    for (long i = 0; i < connections; i++) {
        clients[i].fd = -1;
        clients[i].begins = began + spread * (double)i / (double)connections;
    }
    long begun = 0, open = connections;
    struct epoll_event events[256];
    while (open) {
        double now = now_s(CLOCK_MONOTONIC);
        while (begun < connections && clients[begun].begins <= now) connect_anew(&clients[begun++]);
        int count = epoll_wait(poller, events, 256, begun < connections ? 1 : 100);
        for (int i = 0; i < count; i++) {
            struct client *c = events[i].data.ptr;
            if (c->fd < 0) continue;
            if (c->asked == 0 && events[i].events & EPOLLOUT) ask(c);
            else came(c);
            if (c->fd < 0) open--;
        }
        if (now > until + 30) break;
    }
    printf("{\"asked\": %ld, \"right\": %ld, \"wrong\": %ld, \"last_unix_s\": %.6f", asked_in_all, right,
           wrong + open, now_s(CLOCK_REALTIME));
    print_times("first_ms", &firsts);
    print_times("gap_ms", &gaps);
    printf("}\n");
    return 0;
}
