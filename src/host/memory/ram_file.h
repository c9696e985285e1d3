/*
 * ram_file.h - the file behind simulated RAM and pool, mapped. A process that makes one host after the
 * other, as a fuzzer does, keeps it: new pages for each were half of the time of a short life.
 */
#ifndef HOST_RAM_FILE_H
#define HOST_RAM_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct host_ram_file {
    int file;
    uint8_t *base; /* NULL: there is none */
    uint64_t bytes;
};

/* All of it is zero: new, or the one that was kept, if it is as large. */
bool host_ram_file_make(struct host_ram_file *ram, uint64_t bytes);
/* With `keep` its pages that were written are cleared, for the next. */
void host_ram_file_end(struct host_ram_file *ram, bool keep);

#endif
