/*
 * series.c - the limit for migration: a Unix socket with zstd -1 before and behind it, and nothing
 * else. No part of vidmm is linked. Prints bytes a second.
 *
 * One process compresses a batch and writes it, the other one reads and decompresses it, as the two
 * sides of a migration do at the same time. The content does not compress, as that of the generated
 * workloads does not.
 */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#define BATCH   ((size_t)2 << 20) /* of the stream, too */
#define BATCHES 64u
#define LEVEL   1

struct sides {
    int socket;
    size_t room;      /* of `packed` */
    uint8_t *content; /* all batches of the sender, one of the receiver */
    uint8_t *packed;
};

static void fail(const char *what) {
    fprintf(stderr, "bench-series: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void put(int to, const void *bytes, size_t size) {
    for (const uint8_t *at = bytes; size != 0;) {
        ssize_t done = write(to, at, size);
        if (done <= 0)
            fail("cannot write to the socket");
        at += done;
        size -= (size_t)done;
    }
}

static void take(int from, void *bytes, size_t size) {
    for (uint8_t *at = bytes; size != 0;) {
        ssize_t done = read(from, at, size);
        if (done <= 0)
            fail("cannot read from the socket");
        at += done;
        size -= (size_t)done;
    }
}

static void *buffer(size_t size) {
    void *bytes = malloc(size);
    if (!bytes)
        fail("no buffer");
    memset(bytes, 1, size); /* its pages exist before the measurement */
    return bytes;
}

static void send_all(const struct sides *side) {
    for (size_t i = 0; i < BATCHES; i++) {
        size_t size =
            ZSTD_compress(side->packed, side->room, side->content + i * BATCH, BATCH, LEVEL);
        if (ZSTD_isError(size))
            fail("cannot compress");
        put(side->socket, &size, sizeof(size));
        put(side->socket, side->packed, size);
    }
}

static void receive_all(const struct sides *side) {
    for (size_t i = 0; i < BATCHES; i++) {
        size_t size = 0;
        take(side->socket, &size, sizeof(size));
        take(side->socket, side->packed, size);
        if (ZSTD_decompress(side->content, BATCH, side->packed, size) != BATCH)
            fail("cannot decompress");
    }
}

static void child(const struct sides *side) {
    struct sides own = *side;
    char ready = 1;
    own.content = buffer(BATCH);
    put(own.socket, &ready, 1);
    receive_all(&own);
    put(own.socket, &ready, 1);
    _exit(0);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void randomise(uint8_t *content, size_t size) {
    uint64_t state = 1;
    for (size_t i = 0; i < size; i += sizeof(state)) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(content + i, &state, sizeof(state));
    }
}

int main(void) {
    int pair[2];
    struct sides side = {.room = ZSTD_compressBound(BATCH)};
    char done = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        fail("no pair of sockets");
    side.packed = buffer(side.room);
    side.socket = pair[1];
    pid_t pid = fork();
    if (pid < 0)
        fail("no second process");
    if (pid == 0)
        child(&side);
    close(pair[1]);
    side.socket = pair[0];
    side.content = buffer(BATCHES * BATCH);
    randomise(side.content, BATCHES * BATCH);
    take(side.socket, &done, 1);
    double start = seconds();
    send_all(&side);
    take(side.socket, &done, 1);
    printf("%.9g\n", (double)(BATCHES * BATCH) / (seconds() - start));
    free(side.content);
    free(side.packed);
    return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}
