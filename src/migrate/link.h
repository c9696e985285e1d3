/*
 * link.h - what carries messages between the two sides, as the state machines see it.
 *
 * source.c and target.c never wait and know no sockets: they ask for news, send, and go on.
 * Threads, queues and files are behind this (link_socket.c, link_file.c); tests have links in
 * memory that break where they are told to.
 */
#ifndef VIDMM_MIGRATE_LINK_H
#define VIDMM_MIGRATE_LINK_H

#include "message.h"

enum migrate_news {
    MIGRATE_NO_NEWS,
    MIGRATE_UP,   /* connected */
    MIGRATE_TOLD, /* a message */
    MIGRATE_DOWN, /* the connection is over, or none could be made; only reopen() makes another */
};

struct migrate_traffic {
    uint64_t bytes;   /* written */
    uint64_t busy_ns; /* time that it took, with pacing */
    uint64_t waiting; /* bytes that were sent and not written yet, unpacked */
};

struct migrate_link {
    void *ctx;
    /* Takes what `message` holds. While there is no connection it goes nowhere. */
    void (*send)(void *ctx, struct migrate_message *message);
    /* There is room for another batch of pages. Other messages are always taken. */
    bool (*room)(void *ctx);
    /* Does not wait. `text`: one sentence on MIGRATE_DOWN. */
    enum migrate_news (*receive)(void *ctx, struct migrate_message *out, char *text,
                                 size_t text_size);
    /* After MIGRATE_DOWN: connects, or waits for the peer to connect, once more. */
    void (*reopen)(void *ctx);
    /* Ends the connection from here, as MIGRATE_DOWN, once everything sent has been written. */
    void (*hang_up)(void *ctx, const char *why);
    void (*traffic)(void *ctx, struct migrate_traffic *out);
};

#endif
