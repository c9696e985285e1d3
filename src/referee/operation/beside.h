/*
 * beside.h - the two pages of addresses beside those that an operation writes to: what it has nothing to do
 * with stays as it was (R560). Looked at for as long as a caller asks for it (vidmm_referee_look_beside), because a
 * page of another allocation may be written to by anybody.
 */
#ifndef REFEREE_BESIDE_H
#define REFEREE_BESIDE_H

#include "operation/operation.h"
#include "operation/table.h"

struct beside {
    struct beside_page {
        bool known;
        uint16_t segment;
        uint64_t va, address; /* GPU virtual, GPU physical */
        uint64_t hash;
    } page[2];
};

/* When the operation is asked for, which writes to [va, va + size) of the process. */
void beside_note(struct vidmm_referee *referee, const struct shadow_operation *operation,
                 const struct tables_process *process, uint64_t va, uint64_t size,
                 struct beside *beside);
/* When it is done. */
void beside_judge(struct vidmm_referee *referee, const struct shadow_operation *operation,
                  const struct beside *beside);

#endif
