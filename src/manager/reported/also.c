/*
 * also.c - see also.h.
 */
#include "reported/also.h"

#include <string.h>

#include "reported/ask.h"
#include "reported/segment_query.h"

static size_t length_of(const char *text) {
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return length;
}

void error_also(struct vidmm_error *error, const char *name) {
    size_t end = length_of(error->also), length = length_of(name), gap = end != 0 ? 2 : 0;
    if (end + gap + length >= sizeof(error->also))
        return;
    memcpy(error->also + end, ", ", gap);
    memcpy(error->also + end + gap, name, length + 1);
}

static bool refuses_mmu(const struct query_context *context) {
    struct vidmm_error unwanted;
    const struct question question = {context, &unwanted, NULL};
    DXGK_QUERYGPUMMUCAPSIN input = {.PhysicalAdapterIndex = 0};
    DXGK_GPUMMUCAPS caps;
    memset(&caps, 0, sizeof(caps));
    return query_ask(&question, DXGKQAITYPE_GPUMMUCAPS, &input, sizeof(input), &caps,
                     sizeof(caps)) != VIDMM_OK;
}

static bool refuses_levels(const struct query_context *context) {
    struct vidmm_error unwanted;
    const struct question question = {context, &unwanted, NULL};
    DXGK_QUERYPAGETABLELEVELDESCIN input = {.LevelIndex = 0};
    DXGK_PAGE_TABLE_LEVEL_DESC desc;
    memset(&desc, 0, sizeof(desc));
    return query_ask(&question, DXGKQAITYPE_PAGETABLELEVELDESC, &input, sizeof(input), &desc,
                     sizeof(desc)) != VIDMM_OK;
}

void query_rest(const struct query_context *context, struct adapter_facts *facts,
                struct vidmm_error *error) {
    const bool newer = facts->interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    const bool mmu = newer && facts->caps.MemoryManagementCaps.GpuMmuSupported;
    const bool begun = facts->query_version != 0, described = facts->segment_count != 0;
    const bool answered = facts->physical[0].mmu.levels != 0;
    if (!begun && !survey_is_answered(context, facts))
        error_also(error, survey_name(facts));
    if (mmu && !described && refuses_mmu(context))
        error_also(error, "GPUMMUCAPS");
    if (mmu && !answered && refuses_levels(context))
        error_also(error, "PAGETABLELEVELDESC");
}
