/*
 * examined.c - see examined.h.
 */
#include "examined.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void examined_spoiled(struct vidmm_check_result *result,
                      void (*spoil)(DRIVER_INITIALIZATION_DATA *table), const char *stage,
                      const struct vidmm_host_setting *setting) {
    const struct vidmm_spoiler spoiler = {.driver = spoil};
    const struct vidmm_check_options options = {.settings = setting,
                                                .setting_count = setting ? 1 : 0,
                                                .stage = stage,
                                                .spoiler = &spoiler,
                                                .seed = 3};
    vidmm_check(&options, result);
}

const struct vidmm_stage_result *examined_stage(const struct vidmm_check_result *result,
                                                const char *name) {
    for (uint32_t i = 0; i < result->stages; i++)
        if (strcmp(result->stage[i].name, name) == 0)
            return &result->stage[i];
    fail_msg("there is no stage %s", name);
    return NULL;
}

const struct vidmm_finding *examined_finding(const struct vidmm_check_result *result,
                                             enum vidmm_finding_kind kind) {
    for (uint32_t i = 0; i < result->ledger.findings; i++)
        if (result->ledger.finding[i].kind == kind)
            return &result->ledger.finding[i];
    return NULL;
}
