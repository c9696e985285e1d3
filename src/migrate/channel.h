/*
 * channel.h - links that lead out of the process: sockets and files, opened by address.
 */
#ifndef VIDMM_MIGRATE_CHANNEL_H
#define VIDMM_MIGRATE_CHANNEL_H

#include "address.h"
#include "link.h"

struct migrate_channel {
    struct migrate_link link;
    /* Returns when an event may have arrived, at the latest after `ns`. */
    void (*wait)(void *ctx, uint64_t ns);
    /* Writes what was sent first, with a time limit. */
    void (*close)(void *ctx);
};

struct migrate_channel_options {
    uint64_t bits_per_s;                 /* 0: no limit */
    uint64_t timeout_ns;                 /* of silence, of a greeting, and of trying to connect */
    const struct vidmm_migrate_key *key; /* NULL: no TLS */
};

/* Connects, or accepts a connection, in the background. false: `text` says why not. */
bool migrate_socket_open(struct migrate_channel *channel, const struct migrate_address *address,
                         bool listens, const struct migrate_channel_options *options, char *text,
                         size_t text_size);
/*
 * Quick migration. When it is written, the file acts as the target: it is READY when everything is
 * on the disk, and OWNER when it is renamed to PATH. When it is read, it acts as the source; at
 * COMMIT it is renamed (PATH.taken), so that only one process can take it.
 */
bool migrate_file_write(struct migrate_channel *channel, const struct migrate_address *address,
                        char *text, size_t text_size);
/* Removes PATH.part of a process that ended without doing so. */
void migrate_file_sweep(const struct migrate_address *address);
bool migrate_file_read(struct migrate_channel *channel, const struct migrate_address *address,
                       char *text, size_t text_size);

#endif
