/*
 * migrate_proxy.c - stands between the two sides of a migration, and does harm once: cuts the link,
 * or flips a bit, at one byte. Later connections are served faithfully.
 *
 *   migrate_proxy LISTEN CONNECT cut|flip target|source TYPE BYTE
 *
 * Both are paths of Unix sockets. BYTE is counted from the beginning of the stream to that side, or
 * from the beginning of its first frame of TYPE, if that is not 0. A line for the harm when it is
 * done, and one for each connection: the bytes to the target and to the source so far.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define HEAD  24u /* of a frame */
#define PIECE ((size_t)64 << 10)
#define TRIES 1000

struct way {
    const char *name;
    int from, to;
    bool ended;
    uint8_t head[HEAD]; /* goes on when it is whole: then its type is known */
    unsigned have;
    uint32_t left; /* of the payload */
    uint64_t carried;
    uint8_t out[PIECE + HEAD];
    size_t size;
};

static struct {
    bool done, cuts;
    const char *way;
    unsigned type;
    uint64_t byte;
} harm;

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* False: here the link is cut. */
static bool emit(struct way *way, uint8_t byte) {
    if (!harm.done && harm.type == 0 && strcmp(harm.way, way->name) == 0 &&
        way->carried == harm.byte) {
        harm.done = true;
        printf("%s at byte %" PRIu64 " to the %s\n", harm.cuts ? "cut" : "flipped", harm.byte,
               way->name);
        if (harm.cuts)
            return false;
        byte ^= 0x10;
    }
    way->out[way->size++] = byte;
    way->carried++;
    return true;
}

static uint32_t number(const uint8_t *from, unsigned bytes) {
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)from[i] << (8 * i);
    return value;
}

/* A whole head, or what came of one before the end. */
static bool emit_head(struct way *way) {
    bool ok = true;
    if (way->have == HEAD) {
        way->left = number(way->head + 8, 4);
        if (harm.type != 0 && harm.type == number(way->head + 4, 2) &&
            strcmp(harm.way, way->name) == 0) {
            harm.type = 0;
            harm.byte += way->carried;
        }
    }
    for (unsigned i = 0; ok && i < way->have; i++)
        ok = emit(way, way->head[i]);
    way->have = 0;
    return ok;
}

static bool take(struct way *way, uint8_t byte) {
    if (way->left != 0) {
        way->left--;
        return emit(way, byte);
    }
    way->head[way->have++] = byte;
    return way->have < HEAD || emit_head(way);
}

static bool flush(struct way *way) {
    size_t at = 0;
    while (at < way->size) {
        ssize_t sent = send(way->to, way->out + at, way->size - at, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        at += (size_t)sent;
    }
    way->size = 0;
    return true;
}

/* What has come is passed on. False: the connection is over. */
static bool pass(struct way *way) {
    uint8_t in[PIECE];
    ssize_t got = recv(way->from, in, sizeof(in), 0);
    if (got <= 0) {
        way->ended = true;
        bool ok = got == 0 && emit_head(way) && flush(way);
        (void)shutdown(way->to, SHUT_WR);
        return ok;
    }
    bool whole = true;
    for (ssize_t i = 0; whole && i < got; i++)
        whole = take(way, in[i]);
    return flush(way) && whole;
}

/* ---- Connections ----------------------------------------------------------------------------- */

static int open_socket(const char *path, bool listens) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
    if (fd >= 0 &&
        (listens ? bind(fd, (struct sockaddr *)&name, sizeof(name)) == 0 && listen(fd, 4) == 0
                 : connect(fd, (struct sockaddr *)&name, sizeof(name)) == 0))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The target may not listen yet. */
static int reach(const char *path) {
    int fd = -1;
    for (unsigned i = 0; fd < 0 && i < TRIES; i++) {
        const struct timespec nap = {.tv_nsec = 10000000};
        fd = open_socket(path, false);
        if (fd < 0)
            nanosleep(&nap, NULL);
    }
    return fd;
}

static void serve(struct way *to_target, struct way *to_source) {
    struct way *ways[] = {to_target, to_source};
    bool on = true;
    while (on && !(to_target->ended && to_source->ended)) {
        struct pollfd polls[2];
        for (unsigned i = 0; i < 2; i++)
            polls[i] = (struct pollfd){.fd = ways[i]->ended ? -1 : ways[i]->from, .events = POLLIN};
        (void)poll(polls, 2, -1);
        for (unsigned i = 0; on && i < 2; i++)
            if (polls[i].revents != 0)
                on = pass(ways[i]);
    }
}

static void connection(int source, int target, struct way *to_target, struct way *to_source) {
    struct way *ways[] = {to_target, to_source};
    for (unsigned i = 0; i < 2; i++) {
        ways[i]->from = i == 0 ? source : target;
        ways[i]->to = i == 0 ? target : source;
        ways[i]->ended = false;
        ways[i]->have = ways[i]->left = 0;
        ways[i]->size = 0;
    }
    serve(to_target, to_source);
    close(source);
    close(target);
    printf("carried %" PRIu64 " %" PRIu64 "\n", to_target->carried, to_source->carried);
}

int main(int count, char **words) {
    static struct way to_target = {.name = "target"}, to_source = {.name = "source"};
    if (count != 7)
        return 2;
    harm.cuts = strcmp(words[3], "cut") == 0;
    harm.way = words[4];
    harm.type = (unsigned)strtoul(words[5], NULL, 10);
    harm.byte = strtoull(words[6], NULL, 10);
    setvbuf(stdout, NULL, _IOLBF, 0);
    int listener = open_socket(words[1], true);
    if (listener < 0) {
        perror(words[1]);
        return 1;
    }
    for (;;) {
        int source = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        int target = source < 0 ? -1 : reach(words[2]);
        if (target < 0)
            return 1;
        connection(source, target, &to_target, &to_source);
    }
}
