/*
 * operations.h - the table of paging operations, one row an operation.
 *
 * The manager makes enum vidmm_op_kind from the table, reports the names, the byte oracle the
 * comparisons, the referee the choice of the judge. Code for a single operation stays in its room.
 * docs/changing-it.md lists the files for a new operation.
 *
 * Columns:
 *
 *   ddi         DXGK_OPERATION_<ddi>, the number for the driver; also the name in texts
 *   kind        VIDMM_OP_<kind>, the manager's operation
 *   json        the name in reports; scripts read it
 *   effect      VIDMM_EFFECT_<effect>: what it changes
 *   address     VIDMM_ADDRESS_<address>: how it names memory
 *   allocation  of physical operations, hAllocation of the operation's arm: NAMES(arm) where it must
 *               be an allocation's, MAY_NAME(arm) where NULL is legal too, OWN where the operation
 *               has none or its judge looks at the handle itself
 *   judge       the referee's struct operation_judge op_judge_<judge> (src/referee/operation)
 *
 * The rows of PLANNED are in the order of reports: add at the end. The rows of OTHER are operations
 * that the manager does not plan by that name, and have no kind and no name in reports.
 */
#ifndef VIDMM_OPERATIONS_H
#define VIDMM_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>

/* clang-format off */
#define VIDMM_OPERATIONS(PLANNED, OTHER)                                                                                                                             \
    /*      ddi                        kind                       json                         effect      address   allocation                      judge */        \
    PLANNED(TRANSFER,                  TRANSFER,                  "transfer",                  COPY,       PHYSICAL, MAY_NAME(Transfer),             transfer)       \
    PLANNED(FILL,                      FILL,                      "fill",                      FILL,       PHYSICAL, NAMES(Fill),                    fill)           \
    PLANNED(DISCARD_CONTENT,           DISCARD,                   "discard",                   NONE,       PHYSICAL, NAMES(DiscardContent),          discard)        \
    PLANNED(READ_PHYSICAL,             READ_PHYSICAL,             "read_physical",             NONE,       PHYSICAL, OWN,                            touch)          \
    PLANNED(WRITE_PHYSICAL,            WRITE_PHYSICAL,            "write_physical",            NONE,       PHYSICAL, OWN,                            touch)          \
    PLANNED(MAP_APERTURE_SEGMENT,      MAP,                       "map_aperture",              APERTURE,   PHYSICAL, MAY_NAME(MapApertureSegment),   map)            \
    PLANNED(UNMAP_APERTURE_SEGMENT,    UNMAP,                     "unmap_aperture",            APERTURE,   PHYSICAL, MAY_NAME(UnmapApertureSegment), unmap)          \
    PLANNED(SPECIAL_LOCK_TRANSFER,     SPECIAL_LOCK_TRANSFER,     "special_lock_transfer",     COPY,       PHYSICAL, NAMES(SpecialLockTransfer),     special_lock)   \
    PLANNED(INIT_CONTEXT_RESOURCE,     INIT_CONTEXT_RESOURCE,     "init_context_resource",     NONE,       PHYSICAL, NAMES(InitContextResource),     initialise)     \
    PLANNED(UPDATE_PAGE_TABLE,         UPDATE_PAGE_TABLE,         "update_page_table",         PAGE_TABLE, VIRTUAL,  OWN,                            table)          \
    PLANNED(FLUSH_TLB,                 FLUSH_TLB,                 "flush_tlb",                 PAGE_TABLE, VIRTUAL,  OWN,                            flush)          \
    PLANNED(VIRTUAL_TRANSFER,          VIRTUAL_TRANSFER,          "virtual_transfer",          COPY,       VIRTUAL,  OWN,                            virtual_copy)   \
    PLANNED(VIRTUAL_FILL,              VIRTUAL_FILL,              "virtual_fill",              FILL,       VIRTUAL,  OWN,                            virtual_copy)   \
    PLANNED(COPY_PAGE_TABLE_ENTRIES,   COPY_ENTRIES,              "copy_page_table_entries",   PAGE_TABLE, VIRTUAL,  OWN,                            entries)        \
    PLANNED(UPDATE_CONTEXT_ALLOCATION, UPDATE_CONTEXT_ALLOCATION, "update_context_allocation", NONE,       VIRTUAL,  OWN,                            context_update) \
    PLANNED(NOTIFY_RESIDENCY,          NOTIFY_RESIDENCY,          "notify_residency",          NONE,       VIRTUAL,  OWN,                            notice)         \
    PLANNED(SIGNAL_MONITORED_FENCE,    SIGNAL_FENCE,              "signal_monitored_fence",    NONE,       VIRTUAL,  OWN,                            fence)          \
    /* the manager's MAP, for drivers with MapAperture2Supported; the arms begin alike */                                                                            \
    OTHER(MAP_APERTURE_SEGMENT2,  APERTURE, MAY_NAME(MapApertureSegment), map)                                                                                       \
    OTHER(NOTIFY_FENCE_RESIDENCY, NONE,     OWN,                          no)                                                                                        \
    OTHER(MAP_MMU,                NONE,     OWN,                          no)                                                                                        \
    OTHER(UNMAP_MMU,              NONE,     OWN,                          no)                                                                                        \
    OTHER(NOTIFY_RESIDENCY2,      NONE,     OWN,                          no)                                                                                        \
    OTHER(NOTIFY_ALLOC,           NONE,     OWN,                          notice_alloc)
/* clang-format on */

/* A list of the rows of one sort alone. */
#define VIDMM_OPERATIONS_NO_OTHER(ddi, effect, allocation, judge)

enum vidmm_op_kind {
#define OP_KIND(ddi, kind, json, effect, address, allocation, judge) VIDMM_OP_##kind,
    VIDMM_OPERATIONS(OP_KIND, VIDMM_OPERATIONS_NO_OTHER)
#undef OP_KIND
        VIDMM_OP_KINDS
};

/* What an operation changes. */
enum vidmm_op_effect {
    VIDMM_EFFECT_NONE, /* nothing that is compared byte by byte */
    VIDMM_EFFECT_COPY, /* the bytes at `to` are those of `from` */
    VIDMM_EFFECT_FILL, /* the bytes at `to` are its pattern */
    VIDMM_EFFECT_APERTURE,
    VIDMM_EFFECT_PAGE_TABLE, /* entries, or what TLBs keep of them */
};

enum vidmm_op_address {
    VIDMM_ADDRESS_PHYSICAL, /* a segment and an offset, or an MDL */
    VIDMM_ADDRESS_VIRTUAL,  /* addresses of the paging process */
};

/* "MAP_APERTURE_SEGMENT": for sentences. */
static inline const char *vidmm_op_name(enum vidmm_op_kind kind) {
    static const char *const names[VIDMM_OP_KINDS] = {
#define OP_NAME(ddi, kind, json, effect, address, allocation, judge) #ddi,
        VIDMM_OPERATIONS(OP_NAME, VIDMM_OPERATIONS_NO_OTHER)
#undef OP_NAME
    };
    return names[kind];
}

/* "map_aperture": a JSON member and a table's label. */
static inline const char *vidmm_op_json(enum vidmm_op_kind kind) {
    static const char *const names[VIDMM_OP_KINDS] = {
#define OP_JSON(ddi, kind, json, effect, address, allocation, judge) json,
        VIDMM_OPERATIONS(OP_JSON, VIDMM_OPERATIONS_NO_OTHER)
#undef OP_JSON
    };
    return names[kind];
}

/* What an operation does to memory: its column of the table. */
static inline enum vidmm_op_effect vidmm_op_effect(enum vidmm_op_kind kind) {
    static const enum vidmm_op_effect effects[VIDMM_OP_KINDS] = {
#define OP_EFFECT(ddi, kind, json, effect, address, allocation, judge) VIDMM_EFFECT_##effect,
        VIDMM_OPERATIONS(OP_EFFECT, VIDMM_OPERATIONS_NO_OTHER)
#undef OP_EFFECT
    };
    return effects[kind];
}

/* How an operation names memory: its column of the table. */
static inline enum vidmm_op_address vidmm_op_address(enum vidmm_op_kind kind) {
    static const enum vidmm_op_address addresses[VIDMM_OP_KINDS] = {
#define OP_ADDRESS(ddi, kind, json, effect, address, allocation, judge) VIDMM_ADDRESS_##address,
        VIDMM_OPERATIONS(OP_ADDRESS, VIDMM_OPERATIONS_NO_OTHER)
#undef OP_ADDRESS
    };
    return addresses[kind];
}

/* The content of allocations is written, as bytes. */
static inline bool vidmm_op_writes_content(enum vidmm_op_kind kind) {
    return vidmm_op_effect(kind) == VIDMM_EFFECT_COPY || vidmm_op_effect(kind) == VIDMM_EFFECT_FILL;
}

#endif
