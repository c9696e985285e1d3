/*
 * io.h - what links, journal and session need of the system alike: a clock, and writing everything.
 */
#ifndef VIDMM_MIGRATE_IO_H
#define VIDMM_MIGRATE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Monotonic. */
uint64_t migrate_clock_ns(void);

/* write(), or what a socket has for it. */
typedef ssize_t migrate_write(int fd, const void *bytes, size_t size);
/* All of it, in as many writes as that takes. false: errno says why not. */
bool migrate_write_all(migrate_write *some, int fd, const uint8_t *bytes, size_t size);

#endif
