/*
 * handed.h - a structure that a driver gets for one call. It ends with its page, and the next one cannot be read: a driver
 * that copies more than there is crashes there, as it was seen to (W34). When the call has returned it is out of reach.
 */
#ifndef HOST_HANDED_H
#define HOST_HANDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed before the first call. */
struct host_handed {
    struct host_handed *next;
    unsigned char *page; /* and one without access; NULL: none so far */
    const char *what;    /* "the X of Y" */
};

/* The copy, for the call that begins; NULL: there is no memory. */
void *host_handed_begin(struct host_handed *handed, const char *what, const void *original,
                        size_t size);
void host_handed_end(struct host_handed *handed);
void host_handed_free(struct host_handed *handed);
/* The driver touches one whose call has returned. True: it is within reach from here on. */
bool host_handed_fault(uint64_t address, bool writes);

#endif
