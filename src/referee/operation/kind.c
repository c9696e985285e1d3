/*
 * kind.c - what the table of operations (vidmm/operations.h) says of a kind: its name, what it
 * changes, which allocation it names.
 */
#include <stdio.h>
#include <string.h>

#include "operation/operation.h"

enum vidmm_op_effect operation_effect(uint32_t operation) {
    static const enum vidmm_op_effect effects[] = {
#define PLANNED(ddi, kind, json, effect, address, allocation, judge)                               \
    [DXGK_OPERATION_##ddi] = VIDMM_EFFECT_##effect,
#define OTHER(ddi, effect, allocation, judge) [DXGK_OPERATION_##ddi] = VIDMM_EFFECT_##effect,
        VIDMM_OPERATIONS(PLANNED, OTHER)
#undef PLANNED
#undef OTHER
    };
    return operation < sizeof(effects) / sizeof(effects[0]) ? effects[operation]
                                                            : VIDMM_EFFECT_NONE;
}

const char *operation_name(uint32_t operation) {
    static const char *const names[] = {
#define PLANNED(ddi, ...) [DXGK_OPERATION_##ddi] = #ddi,
        VIDMM_OPERATIONS(PLANNED, PLANNED)
#undef PLANNED
    };
    return operation < sizeof(names) / sizeof(names[0]) ? names[operation] : NULL;
}

const char *operation_call_name(uint32_t operation, char *text, size_t size) {
    static const char *const names[] = {
#define PLANNED(ddi, ...) [DXGK_OPERATION_##ddi] = "DxgkDdiBuildPagingBuffer(" #ddi ")",
        VIDMM_OPERATIONS(PLANNED, PLANNED)
#undef PLANNED
    };
    if (operation < sizeof(names) / sizeof(names[0]) && names[operation])
        return names[operation];
    snprintf(text, size, "DxgkDdiBuildPagingBuffer(operation %u)", operation);
    return text;
}

/* Where an operation of this kind names an allocation: bytes from the start of the argument. */
struct naming {
    size_t at;    /* 0: nowhere */
    bool may_not; /* NULL is legal too: raw copies and DMA buffers
                   * (ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md) */
};

static struct naming kind_naming_of(uint32_t operation) {
    static const struct naming namings[] = {
#define NAMES(arm)    offsetof(DXGKARG_BUILDPAGINGBUFFER, arm.hAllocation), false
#define MAY_NAME(arm) offsetof(DXGKARG_BUILDPAGINGBUFFER, arm.hAllocation), true
#define OWN           0, false
#define PLANNED(ddi, kind, json, effect, address, allocation, judge)                               \
    [DXGK_OPERATION_##ddi] = {allocation},
#define OTHER(ddi, effect, allocation, judge) [DXGK_OPERATION_##ddi] = {allocation},
        VIDMM_OPERATIONS(PLANNED, OTHER)
#undef NAMES
#undef MAY_NAME
#undef OWN
#undef PLANNED
#undef OTHER
    };
    return operation < sizeof(namings) / sizeof(namings[0]) ? namings[operation]
                                                            : (struct naming){0, false};
}

/* True when an operation of this kind names an allocation: into `*handle`. */
bool operation_names(const DXGKARG_BUILDPAGINGBUFFER *args, HANDLE *handle) {
    struct naming naming = kind_naming_of((uint32_t)args->Operation);
    if (naming.at != 0)
        memcpy(handle, (const uint8_t *)args + naming.at, sizeof(*handle));
    return naming.at != 0;
}

bool operation_may_be_nameless(uint32_t operation) {
    return kind_naming_of(operation).may_not;
}
