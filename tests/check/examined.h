/*
 * examined.h - an conformance check of a spoiled driver, and looking things up in what came of it.
 */
#ifndef VIDMM_TESTS_EXAM_EXAMINED_H
#define VIDMM_TESTS_EXAM_EXAMINED_H

#include <vidmm/check.h>

/* One stage of the reference driver, whose calls `spoil` replaces; `setting` may be NULL. */
void examined_spoiled(struct vidmm_check_result *result,
                      void (*spoil)(DRIVER_INITIALIZATION_DATA *table), const char *stage,
                      const struct vidmm_host_setting *setting);
/* The stage of that name; the test fails if there is none. */
const struct vidmm_stage_result *examined_stage(const struct vidmm_check_result *result,
                                                const char *name);
/* The first finding of a kind, or NULL. */
const struct vidmm_finding *examined_finding(const struct vidmm_check_result *result,
                                             enum vidmm_finding_kind kind);

#endif
