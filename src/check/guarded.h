/* guarded.h - memory behind which there is none: who reads or writes there ends the driver's process (K13). */
#ifndef VIDMM_CHECK_GUARDED_H
#define VIDMM_CHECK_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

#define GUARDED ((size_t)16384) /* bytes that are there, before those that are not */

/* Memory that ends at `end`. `base` NULL: none. */
struct guarded {
    unsigned char *base, *end;
};

/* False: there is none; guarded_free follows anyway. */
bool guarded_make(struct guarded *guarded);
void guarded_free(struct guarded *guarded);

#endif
