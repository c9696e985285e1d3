/*
 * message.h - the messages of the two sides, as plain data (docs/migration-stream.md).
 *
 * message.c turns the body of each into the payload of a frame and back; pages.c does batches of
 * pages; frame.c puts the header around them.
 */
#ifndef VIDMM_MIGRATE_MESSAGE_H
#define VIDMM_MIGRATE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

enum migrate_type {
    MIGRATE_PING = 1,  /* sign of life, sent by the link itself */
    MIGRATE_HELLO,     /* both: the sender, and its event */
    MIGRATE_CONFIG,    /* source: the run's configuration, as lines NAME=VALUE */
    MIGRATE_SEGMENT,   /* source: one memory segment of its adapter */
    MIGRATE_FOLLOW,    /* source: rehearse up to `event`, more may follow */
    MIGRATE_STAND,     /* source: stop at `event`, where the guest will pause */
    MIGRATE_AT,        /* target: its guest reached `event` */
    MIGRATE_STANDING,  /* target: stopped at `event`; all pages received are in its memory */
    MIGRATE_PAGES,     /* source: content of pages */
    MIGRATE_FIXED,     /* source: a piece of the driver's immutable data */
    MIGRATE_STATE,     /* source: a piece of the driver's mutable data */
    MIGRATE_SEAL,      /* source: everything was sent */
    MIGRATE_READY,     /* target: it has everything that was sealed */
    MIGRATE_COMMIT,    /* source: it will not run the guest again, the target owns it */
    MIGRATE_OWNER,     /* target: it owns the guest */
    MIGRATE_ABORT,     /* both: why this side ends */
    MIGRATE_CHALLENGE, /* target's link: random bytes of this connection */
    MIGRATE_ANSWER,    /* source's link: the same, and its own */
    MIGRATE_WELCOME,   /* target's link: the source is let in */
    MIGRATE_TYPES
};

/* State of a side when it connects. */
enum migrate_stance {
    MIGRATE_NEW,       /* a migration begins */
    MIGRATE_WITHDRAWN, /* source: it runs on and did not send COMMIT */
    MIGRATE_GIVEN,     /* source: it sent COMMIT and has no answer */
    MIGRATE_HOLDS,     /* target: it sent READY and has not seen COMMIT */
    MIGRATE_OWNS,      /* target: it is the owner */
    MIGRATE_STANCES
};

struct migrate_run {
    uint64_t first;
    uint32_t count;
    bool zero; /* pages of zeros, without content */
};

/* A batch of pages of one segment; runs ascend and are disjoint. */
struct migrate_pages {
    uint32_t segment, page_bytes;
    uint32_t run_count;
    struct migrate_run run[MIGRATE_BATCH_RUNS];
    uint8_t *raw; /* content of the runs that are not zero, in order */
    size_t raw_bytes;
    size_t wire_bytes; /* as encoded; of a batch that was received too */
};

struct migrate_message {
    enum migrate_type type;
    uint32_t version, oldest;   /* HELLO */
    enum migrate_stance stance; /* HELLO */
    uint64_t session;           /* HELLO: drawn by the source */
    uint64_t event;             /* FOLLOW to STANDING, SEAL, OWNER */
    uint64_t calls_hash;        /* SEAL: of the guest's DDI calls */
    uint64_t digest;            /* SEAL, READY: over all pages in use */
    uint64_t bytes;             /* SEGMENT: its size; FIXED, STATE: of all pieces */
    uint32_t segment;           /* SEGMENT */
    uint32_t page_bytes;        /* SEGMENT: what a dirty bit stands for */
    uint8_t *data;              /* CONFIG, FIXED, STATE, ABORT, CHALLENGE, ANSWER */
    size_t size;
    struct migrate_pages *pages; /* PAGES */
};

/* Frees the data of the message. */
void migrate_message_drop(struct migrate_message *message);
/* Bytes of that data. */
size_t migrate_message_bytes(const struct migrate_message *message);

/* "PAGES"; "?" for a number that is no type. */
const char *migrate_type_name(unsigned type);
/* Most bytes that the payload of a type may have; 0: there is no such type, or it has none. */
size_t migrate_payload_limit(unsigned type);
bool migrate_type_known(unsigned type);

/* Bytes of the payload, at most, and the payload; 0 from the latter: out of memory. PING is empty.
 */
size_t migrate_payload_bound(const struct migrate_message *message);
bool migrate_payload_encode(struct migrate_message *message, uint8_t *to, size_t *size);
/* `message->type` is set; on failure nothing is held and `text` says why. */
bool migrate_payload_decode(struct migrate_message *message, const uint8_t *from, size_t size,
                            char *text, size_t text_size);

/* "DEED: " and the text of an ABORT, cut to what can be printed. */
void migrate_abort_text(const struct migrate_message *abort, const char *deed, char *text,
                        size_t text_size);

/* ---- pages.c --------------------------------------------------------------------------------- */

size_t migrate_pages_bound(const struct migrate_pages *pages);
/* Leaves out zero pages and compresses the rest if that saves enough. false: out of memory. */
bool migrate_pages_encode(struct migrate_pages *pages, uint8_t *to, size_t *size);
struct migrate_pages *migrate_pages_decode(const uint8_t *from, size_t size, char *text,
                                           size_t text_size);
void migrate_pages_free(struct migrate_pages *pages);

#endif
