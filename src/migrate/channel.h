/*
 * channel.h - links that lead out of the process: sockets and files, opened by address.
 */
#ifndef VIDMM_MIGRATE_CHANNEL_H
#define VIDMM_MIGRATE_CHANNEL_H

#include "address.h"
#include "link.h"

struct migrate_channel {
    struct migrate_link link;
    /* Returns when there may be news, at the latest after `ns`. */
    void (*wait)(void *ctx, uint64_t ns);
    /* What was sent is written first, for a while. */
    void (*close)(void *ctx);
};

struct migrate_channel_options {
    uint64_t bits_per_s; /* 0: as fast as it goes */
    uint64_t timeout_ns; /* of silence, and of trying to connect */
};

/* Connects in the background, or waits to be connected to. false: `text` says why not. */
bool migrate_socket_open(struct migrate_channel *channel, const struct migrate_address *address,
                         bool listens, const struct migrate_channel_options *options, char *text,
                         size_t text_size);
/*
 * Quick migration. Writing, the file stands in for a target: it is READY when everything is on
 * the disk, and OWNER when it has its name. Reading, it stands in for a source; with its COMMIT it
 * is renamed (PATH.taken), so that no second process takes it.
 */
bool migrate_file_write(struct migrate_channel *channel, const struct migrate_address *address,
                        char *text, size_t text_size);
bool migrate_file_read(struct migrate_channel *channel, const struct migrate_address *address,
                       char *text, size_t text_size);

#endif
