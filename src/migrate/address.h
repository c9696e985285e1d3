/*
 * address.h - the text form of the peer's address: tcp:HOST:PORT, unix:PATH, file:PATH.
 */
#ifndef VIDMM_MIGRATE_ADDRESS_H
#define VIDMM_MIGRATE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum migrate_address_kind { MIGRATE_TCP, MIGRATE_UNIX, MIGRATE_FILE };

struct migrate_address {
    enum migrate_address_kind kind;
    char path[256]; /* UNIX, FILE; TCP: the host */
    char port[16];  /* TCP */
    char text[288]; /* as it was given */
    bool anywhere;  /* TCP: other addresses than loopback's, too */
};

/* false: `text` gets one sentence. */
bool migrate_address_parse(const char *words, struct migrate_address *out, char *text,
                           size_t text_size);
struct migrate_listener {
    int fd; /* -1: none */
    struct migrate_address address;
    uint64_t device, file; /* UNIX: which socket has the name */
};

/*
 * Listens. A Unix socket on which no process listens is replaced, if it is this user's; nothing
 * else is ever removed. false: `text` says why not.
 */
bool migrate_address_listen(const struct migrate_address *address, struct migrate_listener *out,
                            char *text, size_t text_size);
/* Closes it, and removes the name if it is still that of this socket. */
void migrate_address_unlisten(struct migrate_listener *listener);
/* Removes the socket of a process that ended without doing so. */
void migrate_address_sweep(const struct migrate_address *address);
/* It is a number beyond this machine, and may not be used without a key: `text` says so. */
bool migrate_address_open_to_all(const struct migrate_address *address, char *text,
                                 size_t text_size);
/* A connected socket, within three seconds; -1 and a sentence. */
int migrate_address_connect(const struct migrate_address *address, char *text, size_t text_size);

#endif
