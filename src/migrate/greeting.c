/*
 * greeting.c - see greeting.h.
 */
#include "greeting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "io.h"

#define GREETING_BYTES 1024u /* no frame of a stranger has more */

/* ---- HELLO ----------------------------------------------------------------------------------- */

struct migrate_message migrate_hello(enum migrate_stance stance, uint64_t session) {
    return (struct migrate_message){.type = MIGRATE_HELLO,
                                    .version = MIGRATE_VERSION,
                                    .oldest = MIGRATE_OLDEST_VERSION,
                                    .stance = stance,
                                    .session = session};
}

bool migrate_hello_good(const struct migrate_message *hello, char *text, size_t text_size) {
    if (hello->oldest > MIGRATE_VERSION) {
        snprintf(text, text_size,
                 "the other side speaks versions %" PRIu32 " to %" PRIu32
                 " of the stream, this program up to %u: this program is too old",
                 hello->oldest, hello->version, MIGRATE_VERSION);
        return false;
    }
    if (hello->version < MIGRATE_OLDEST_VERSION) {
        snprintf(text, text_size,
                 "the other side speaks version %" PRIu32
                 " of the stream, this program %u and newer: it is too old",
                 hello->version, MIGRATE_OLDEST_VERSION);
        return false;
    }
    return true;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static bool greeting_say(struct migrate_greeting *greeting, struct migrate_message *message) {
    size_t size = 0;
    uint8_t *frame = migrate_frame_encode(message, greeting->number++, greeting->bond, &size);
    bool ok = frame && migrate_stream_write(&greeting->stream, frame, size);
    free(frame);
    return ok;
}

static bool say_bytes(struct migrate_greeting *greeting, enum migrate_type type, uint8_t *bytes,
                      size_t size) {
    struct migrate_message message = {.type = type, .data = bytes, .size = size};
    return greeting_say(greeting, &message);
}

static bool draw(uint8_t *nonce) {
    return getrandom(nonce, MIGRATE_NONCE_BYTES, 0) == (ssize_t)MIGRATE_NONCE_BYTES;
}

static void tie(struct migrate_greeting *greeting) {
    uint8_t session[8];
    migrate_put(session, greeting->hello.session, sizeof(session));
    uint64_t bond = XXH64(greeting->nonces, sizeof(greeting->nonces), XXH64(session, 8, 0));
    greeting->bond = greeting->reader.bond = bond | 1; /* 0 is a file's */
}

static enum migrate_greeted ended(char *text, size_t text_size, const char *why) {
    snprintf(text, text_size, "%s", why);
    return MIGRATE_GREETING_ENDED;
}

static enum migrate_greeted said(bool ok, char *text, size_t text_size) {
    return ok ? MIGRATE_GREETING
              : ended(text, text_size, "the other side closed the link while it was greeted");
}

/* ---- The target's part ----------------------------------------------------------------------- */

static enum migrate_greeted challenge(struct migrate_greeting *greeting,
                                      const struct migrate_message *message, char *text,
                                      size_t text_size) {
    if (message->type != MIGRATE_HELLO)
        return ended(text, text_size, "the other side did not begin with HELLO");
    if (!migrate_hello_good(message, text, text_size)) {
        struct migrate_message ours = migrate_hello(MIGRATE_NEW, message->session);
        (void)greeting_say(greeting, &ours); /* an older program explains it to its user */
        return MIGRATE_GREETING_NEVER;
    }
    greeting->hello = *message;
    greeting->stage = GREETING_SECOND;
    if (!draw(greeting->nonces))
        return ended(text, text_size, "the system has no random bytes for a challenge");
    return said(say_bytes(greeting, MIGRATE_CHALLENGE, greeting->nonces, MIGRATE_NONCE_BYTES), text,
                text_size);
}

static enum migrate_greeted admit(struct migrate_greeting *greeting,
                                  const struct migrate_message *message, char *text,
                                  size_t text_size) {
    struct migrate_message welcome = {.type = MIGRATE_WELCOME};
    if (message->type != MIGRATE_ANSWER || message->size != sizeof(greeting->nonces) ||
        memcmp(message->data, greeting->nonces, MIGRATE_NONCE_BYTES) != 0)
        return ended(text, text_size,
                     "the other side did not answer this connection's challenge: it may be a "
                     "recording");
    memcpy(greeting->nonces, message->data, sizeof(greeting->nonces));
    tie(greeting);
    return greeting_say(greeting, &welcome) ? MIGRATE_GREETED : said(false, text, text_size);
}

/* ---- The source's part ----------------------------------------------------------------------- */

static enum migrate_greeted answer(struct migrate_greeting *greeting,
                                   const struct migrate_message *message, char *text,
                                   size_t text_size) {
    if (message->type == MIGRATE_HELLO && !migrate_hello_good(message, text, text_size))
        return MIGRATE_GREETING_NEVER;
    if (message->type != MIGRATE_CHALLENGE || message->size != MIGRATE_NONCE_BYTES)
        return ended(text, text_size, "the other side did not answer HELLO with a challenge");
    memcpy(greeting->nonces, message->data, MIGRATE_NONCE_BYTES);
    if (!draw(greeting->nonces + MIGRATE_NONCE_BYTES))
        return ended(text, text_size, "the system has no random bytes for an answer");
    greeting->stage = GREETING_SECOND;
    bool ok = say_bytes(greeting, MIGRATE_ANSWER, greeting->nonces, sizeof(greeting->nonces));
    tie(greeting);
    return said(ok, text, text_size);
}

/* ---- Both ------------------------------------------------------------------------------------ */

static enum migrate_greeted greeting_handle(struct migrate_greeting *greeting,
                                            const struct migrate_message *message, char *text,
                                            size_t text_size) {
    greeting->hello_came = true;
    if (message->type == MIGRATE_ABORT) {
        migrate_abort_text(message, "the other side refused", text, text_size);
        return MIGRATE_GREETING_ENDED;
    }
    if (greeting->listens)
        return greeting->stage == GREETING_FIRST ? challenge(greeting, message, text, text_size)
                                                 : admit(greeting, message, text, text_size);
    if (greeting->stage == GREETING_FIRST)
        return answer(greeting, message, text, text_size);
    return message->type == MIGRATE_WELCOME
               ? MIGRATE_GREETED
               : ended(text, text_size, "the other side did not let this one in");
}

/* The next frame, if it has come whole. */
static enum migrate_greeted hear(struct migrate_greeting *greeting, char *text, size_t text_size) {
    struct migrate_message message;
    for (;;) {
        uint8_t *where = NULL;
        size_t want = migrate_reader_want(&greeting->reader, &where);
        ssize_t got = migrate_stream_read(&greeting->stream, where, want);
        if (got < 0 && errno == EAGAIN)
            return MIGRATE_GREETING;
        if (got <= 0) {
            snprintf(text, text_size, "the other side closed the link while it was greeted%s%s",
                     got < 0 ? ": " : "", got < 0 ? migrate_stream_why(&greeting->stream) : "");
            return MIGRATE_GREETING_ENDED;
        }
        switch (migrate_reader_got(&greeting->reader, (size_t)got, &message, text, text_size)) {
        case MIGRATE_READ_MORE:
            continue;
        case MIGRATE_READ_BAD:
            return MIGRATE_GREETING_ENDED;
        case MIGRATE_READ_MESSAGE:
            break;
        }
        enum migrate_greeted greeted = greeting_handle(greeting, &message, text, text_size);
        migrate_message_drop(&message);
        if (greeted != MIGRATE_GREETING)
            return greeted;
    }
}

enum migrate_greeted migrate_greeting_step(struct migrate_greeting *greeting, char *text,
                                           size_t text_size) {
    if (greeting->stage == GREETING_SHAKE) {
        switch (migrate_stream_shake(&greeting->stream, text, text_size)) {
        case MIGRATE_SHAKE_MORE:
            return MIGRATE_GREETING;
        case MIGRATE_SHAKE_REFUSED:
            return MIGRATE_GREETING_NEVER;
        case MIGRATE_SHAKE_BROKE:
            return MIGRATE_GREETING_ENDED;
        case MIGRATE_SHAKEN:
            break;
        }
        greeting->stage = GREETING_FIRST;
        if (!greeting->listens && !greeting_say(greeting, &greeting->hello))
            return said(false, text, text_size);
    }
    return hear(greeting, text, text_size);
}

bool migrate_greeting_heard(const struct migrate_greeting *greeting) {
    return greeting->hello_came || greeting->reader.have != 0;
}

bool migrate_greeting_open(struct migrate_greeting *greeting, int fd,
                           const struct vidmm_migrate_key *key, const struct migrate_message *hello,
                           char *text, size_t text_size) {
    memset(greeting, 0, sizeof(*greeting));
    greeting->listens = !hello;
    greeting->began = migrate_clock_ns();
    greeting->reader.most = GREETING_BYTES;
    if (hello)
        greeting->hello = *hello;
    return migrate_stream_open(&greeting->stream, fd, key, !hello, text, text_size);
}

void migrate_greeting_refuse(struct migrate_greeting *greeting, const char *why) {
    struct migrate_message message = {.type = MIGRATE_ABORT, .size = strlen(why)};
    message.data = malloc(message.size + 1);
    if (message.data && greeting->stage != GREETING_SHAKE) {
        memcpy(message.data, why, message.size);
        (void)greeting_say(greeting, &message);
    }
    migrate_message_drop(&message);
}

void migrate_greeting_close(struct migrate_greeting *greeting) {
    migrate_reader_reset(&greeting->reader);
    migrate_stream_close(&greeting->stream);
}
