/*
 * completion.c - the end of a paging operation: it is complete, or given up; see work.h.
 */
#include <stdlib.h>
#include <string.h>

#include "operation/operation.h"
#include "work/work.h"

static void operation_free(struct vidmm_referee *referee, struct shadow_operation *operation) {
    later_leave(referee, operation);
    free(operation->frames);
    free(operation->own);
    free(operation); /* the first member of struct build_operation */
}

void operation_give_up(struct vidmm_referee *referee, struct shadow_operation *operation) {
    if (operation->arg.Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT)
        unmap_given_up(referee, operation);
    operation_free(referee, operation);
}

void operation_complete(struct vidmm_referee *referee, struct shadow_operation *operation) {
    char outer[REFEREE_CALL_BYTES], text[64];
    referee_calling(referee,
                    operation_call_name((uint32_t)operation->arg.Operation, text, sizeof(text)),
                    outer);
    operation_done(referee, operation);
    vidmm_ledger_calling(referee->ledger, outer);
    operation_free(referee, operation);
}

void operation_abandon(struct vidmm_referee *referee) {
    if (referee->builds.open.operation)
        operation_free(referee, &referee->builds.open.operation->shadow);
    memset(&referee->builds.open, 0, sizeof(referee->builds.open));
}
