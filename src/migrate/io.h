/*
 * io.h - the clock and complete writes, for links, journal and session.
 */
#ifndef VIDMM_MIGRATE_IO_H
#define VIDMM_MIGRATE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Monotonic. */
uint64_t migrate_clock_ns(void);

/* write(), or a socket's counterpart. */
typedef ssize_t migrate_write(int fd, const void *bytes, size_t size);
/* Writes all bytes, with several calls if needed. false: errno says why not. */
bool migrate_write_all(migrate_write *some, int fd, const uint8_t *bytes, size_t size);

#endif
