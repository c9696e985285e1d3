/*
 * io.c - see io.h.
 */
#include "io.h"

#include <errno.h>
#include <time.h>

uint64_t migrate_clock_ns(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

bool migrate_write_all(migrate_write *some, int fd, const uint8_t *bytes, size_t size) {
    while (size != 0) {
        ssize_t written = some(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}
