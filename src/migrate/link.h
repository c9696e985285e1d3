/*
 * link.h - interface through which the state machines exchange messages.
 *
 * source.c and target.c never wait and do not use sockets: they poll for events and send. Threads,
 * queues and files are in the implementations (link_socket.c, link_file.c); tests have links in
 * memory that fail at a chosen point.
 */
#ifndef VIDMM_MIGRATE_LINK_H
#define VIDMM_MIGRATE_LINK_H

#include "message.h"

enum migrate_news {
    MIGRATE_NO_NEWS,
    MIGRATE_UP,      /* connected, and greeted; a target's first message is the source's HELLO */
    MIGRATE_REFUSED, /* listening: somebody else was turned away, `text` says why */
    MIGRATE_MESSAGE, /* a message */
    MIGRATE_DOWN,    /* the connection ended or failed; only reopen() makes another */
};

struct migrate_traffic {
    uint64_t bytes;   /* written */
    uint64_t busy_ns; /* time that writing took, with pacing */
    uint64_t waiting; /* bytes sent but not written yet, uncompressed */
};

struct migrate_link {
    void *ctx;
    /* Takes the data of `message`. Without a connection the message is dropped. */
    void (*send)(void *ctx, struct migrate_message *message);
    /* There is room for another batch of pages. Other messages are always taken. */
    bool (*room)(void *ctx);
    /* Does not wait. `text`: one sentence on MIGRATE_DOWN and REFUSED. */
    enum migrate_news (*receive)(void *ctx, struct migrate_message *out, char *text,
                                 size_t text_size);
    /*
     * After MIGRATE_DOWN, and a source at its beginning: connects and greets with `hello`, which it
     * sends. NULL: waits for the other side to connect once more.
     */
    void (*reopen)(void *ctx, const struct migrate_message *hello);
    /* Ends the connection after everything sent is written; the event is MIGRATE_DOWN. */
    void (*hang_up)(void *ctx, const char *why);
    void (*traffic)(void *ctx, struct migrate_traffic *out);
};

#endif
