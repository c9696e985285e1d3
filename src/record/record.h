/*
 * record.h - what a record knows.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <vidmm/record.h>

#include "handles.h"
#include "surfaces.h"

struct vidmm_record {
    struct vidmm_record_sink sink[VIDMM_RECORD_SINKS];
    uint32_t sinks;
    struct vidmm_host_watcher watcher;
    struct vidmm_observer observer, inner; /* for a manager, and whom it is passed on to */
    struct vidmm_ledger *ledger;           /* NULL: none */
    uint64_t calls;                        /* counted by the record, where there is no ledger */
    uint64_t plans;                        /* that were executed in this process */
    uint64_t *ns; /* of the newest event while there was a host, in whichever process */
    struct handle_names handles;
    struct surface_said surface;
};

#endif
