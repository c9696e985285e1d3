/*
 * stream.h - the bytes of one connection: plain, or in TLS 1.3 with a pre-shared key.
 *
 * With a key both sides prove that they have it, and each byte is encrypted and authenticated in its
 * place: what was recorded, changed, swapped or left out ends the connection. One thread may read
 * while another writes.
 */
#ifndef VIDMM_MIGRATE_STREAM_H
#define VIDMM_MIGRATE_STREAM_H

#include <vidmm/migrate.h>

#include <sys/types.h>

struct migrate_tls;

struct migrate_stream {
    int fd;                  /* -1: none */
    struct migrate_tls *tls; /* NULL: plain */
    bool writes_in_tls;      /* the handshake is over */
    int failure;             /* of the last read: errno's, or TLS's */
};

/* Takes `fd` in any case. `key` NULL: plain. false: `text` says why not. */
bool migrate_stream_open(struct migrate_stream *stream, int fd, const struct vidmm_migrate_key *key,
                         bool listens, char *text, size_t text_size);
void migrate_stream_close(struct migrate_stream *stream);

enum migrate_shake {
    MIGRATE_SHAKE_MORE,
    MIGRATE_SHAKEN,
    MIGRATE_SHAKE_REFUSED,
    MIGRATE_SHAKE_BROKE
};

/* Goes on with the handshake as far as bytes have come. REFUSED: the keys differ; BROKE: the other
 * side ended it. `text` says so. */
enum migrate_shake migrate_stream_shake(struct migrate_stream *stream, char *text,
                                        size_t text_size);
/* Does not wait: -1 with errno EAGAIN if nothing has come. 0: the other side closed it. */
ssize_t migrate_stream_read(struct migrate_stream *stream, uint8_t *bytes, size_t size);
/* Why the last read failed. */
const char *migrate_stream_why(const struct migrate_stream *stream);
/* Bytes have come that poll() does not tell of. */
bool migrate_stream_pending(const struct migrate_stream *stream);
/* Waits until all is written, as long as the socket's own time limit allows. */
bool migrate_stream_write(struct migrate_stream *stream, const uint8_t *bytes, size_t size);
/* No further byte will be written. */
void migrate_stream_end(struct migrate_stream *stream);

#endif
