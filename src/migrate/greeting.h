/*
 * greeting.h - how a connection begins, before the state machines know of it:
 *
 *   TLS, if there is a key; then frames:
 *   source  HELLO      its versions, its session, and how it stands to it
 *   target  CHALLENGE  32 random bytes, drawn for this connection
 *   source  ANSWER     the same 32 bytes, and 32 random bytes of its own
 *   target  WELCOME    this source is let in
 *
 * From ANSWER on the checksum of each frame of the connection, in both directions, begins with the
 * bond: a hash over session, challenge and answer. So no frame of another connection counts in this
 * one, and no recording begins one.
 */
#ifndef VIDMM_MIGRATE_GREETING_H
#define VIDMM_MIGRATE_GREETING_H

#include "frame.h"
#include "stream.h"

enum migrate_greeted {
    MIGRATE_GREETING,       /* not over yet: more bytes have to come */
    MIGRATE_GREETED,        /* let in */
    MIGRATE_GREETING_ENDED, /* the other side is none for us now; `text` says why */
    MIGRATE_GREETING_NEVER  /* nor ever: it has another key or version */
};

struct migrate_greeting {
    struct migrate_stream stream;
    struct migrate_reader reader;
    bool listens, hello_came;
    enum { GREETING_SHAKE, GREETING_FIRST, GREETING_SECOND } stage;
    struct migrate_message hello; /* the source's */
    uint8_t nonces[2 * MIGRATE_NONCE_BYTES];
    uint32_t number; /* of the next frame to write */
    uint64_t bond;
    uint64_t began;
};

/* Takes `fd` in any case. `hello` NULL: listens. */
bool migrate_greeting_open(struct migrate_greeting *greeting, int fd,
                           const struct vidmm_migrate_key *key, const struct migrate_message *hello,
                           char *text, size_t text_size);
/* Goes on as far as bytes have come; does not wait. */
enum migrate_greeted migrate_greeting_step(struct migrate_greeting *greeting, char *text,
                                           size_t text_size);
/* The other side said something that is worth more than silence. */
bool migrate_greeting_heard(const struct migrate_greeting *greeting);
/* Refuses it with a sentence, where that can be read. */
void migrate_greeting_refuse(struct migrate_greeting *greeting, const char *why);
/* Closes the connection, unless it was taken out of `stream`. */
void migrate_greeting_close(struct migrate_greeting *greeting);

/* A HELLO with the versions of this program. */
struct migrate_message migrate_hello(enum migrate_stance stance, uint64_t session);
/* The other side's HELLO: a version that is understood. false: `text` says why not. */
bool migrate_hello_good(const struct migrate_message *hello, char *text, size_t text_size);

#endif
