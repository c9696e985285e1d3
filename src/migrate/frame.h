/*
 * frame.h - the stream: frames, one message each, with a checksum over every byte of them.
 *
 *   0 u32 magic   4 u16 type   6 u16 0   8 u32 bytes of the payload   12 u32 number of the frame
 *   16 u64 XXH64 over the connection's bond, the first 16 bytes and the payload   24 payload
 *
 * Frames are numbered from 0 in each direction of each connection, so that none can be missing,
 * doubled or swapped. The reader gets its input in pieces and never waits: sockets, files, tests
 * and the fuzzer use the same one.
 */
#ifndef VIDMM_MIGRATE_FRAME_H
#define VIDMM_MIGRATE_FRAME_H

#include "message.h"

#define MIGRATE_FRAME_MAGIC UINT32_C(0x4d445656) /* "VVDM" */
#define MIGRATE_FRAME_HEAD  24u

/* The message as frame number `number` of a connection with this bond (greeting.h; 0: none);
 * malloc'd. NULL: out of memory. */
uint8_t *migrate_frame_encode(struct migrate_message *message, uint32_t number, uint64_t bond,
                              size_t *size);

struct migrate_reader {
    uint8_t head[MIGRATE_FRAME_HEAD];
    uint8_t *payload;
    size_t length, have; /* of the payload; bytes of head and payload so far */
    uint32_t number;
    uint64_t bond;
    size_t most; /* bytes of a payload; 0: what its type allows */
};

enum migrate_read {
    MIGRATE_READ_MORE,    /* not yet */
    MIGRATE_READ_MESSAGE, /* `out` is one, the caller's */
    MIGRATE_READ_BAD,     /* no frame of a stream: `text` says why; the reader cannot go on */
};

/* Where the next bytes go, and how many of them there is room for, at least one. */
size_t migrate_reader_want(struct migrate_reader *reader, uint8_t **where);
/* `size` of them are there, 1 to what was wanted. */
enum migrate_read migrate_reader_got(struct migrate_reader *reader, size_t size,
                                     struct migrate_message *out, char *text, size_t text_size);
/* No frame was begun: a stream may end here. */
bool migrate_reader_between(const struct migrate_reader *reader);
/* For a new stream. */
void migrate_reader_reset(struct migrate_reader *reader);

#endif
