/*
 * names.c - the stable names of things in reports. Scripts read them: add, never change.
 */
#include "names.h"

const char *report_op_name(enum vidmm_op_kind kind) {
    static const char *const names[VIDMM_OP_KINDS] = {
        [VIDMM_OP_TRANSFER] = "transfer",
        [VIDMM_OP_FILL] = "fill",
        [VIDMM_OP_DISCARD] = "discard",
        [VIDMM_OP_READ_PHYSICAL] = "read_physical",
        [VIDMM_OP_WRITE_PHYSICAL] = "write_physical",
        [VIDMM_OP_MAP] = "map_aperture",
        [VIDMM_OP_UNMAP] = "unmap_aperture",
        [VIDMM_OP_SPECIAL_LOCK_TRANSFER] = "special_lock_transfer",
        [VIDMM_OP_INIT_CONTEXT_RESOURCE] = "init_context_resource",
        [VIDMM_OP_UPDATE_PAGE_TABLE] = "update_page_table",
        [VIDMM_OP_FLUSH_TLB] = "flush_tlb",
        [VIDMM_OP_VIRTUAL_TRANSFER] = "virtual_transfer",
        [VIDMM_OP_VIRTUAL_FILL] = "virtual_fill",
        [VIDMM_OP_COPY_ENTRIES] = "copy_page_table_entries",
        [VIDMM_OP_UPDATE_CONTEXT_ALLOCATION] = "update_context_allocation",
        [VIDMM_OP_NOTIFY_RESIDENCY] = "notify_residency",
        [VIDMM_OP_SIGNAL_FENCE] = "signal_monitored_fence",
    };
    return names[kind];
}

const char *report_status_name(enum vidmm_run_status status) {
    static const char *const names[] = {
        [VIDMM_RUN_VERIFIED] = "verified",
        [VIDMM_RUN_WRONG] = "wrong",
        [VIDMM_RUN_BAD_INPUT] = "bad input",
        [VIDMM_RUN_DRIVER_FAILED] = "failed",
    };
    return names[status];
}
