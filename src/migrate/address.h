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
};

/* false: `text` gets one sentence. */
bool migrate_address_parse(const char *words, struct migrate_address *out, char *text,
                           size_t text_size);
/* A listening socket; -1 and a sentence. A stale Unix socket, on which no process listens, is
 * replaced. */
int migrate_address_listen(const struct migrate_address *address, char *text, size_t text_size);
/* A connected socket; -1 and a sentence. */
int migrate_address_connect(const struct migrate_address *address, char *text, size_t text_size);

#endif
