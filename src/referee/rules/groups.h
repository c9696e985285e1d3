/*
 * groups.h - what a file of rows is written with.
 *
 * A file defines GROUP, includes this, and has one array of rows. Rows may stand in any file and in
 * any order, their numbers may have gaps: scripts/rule-tables.py finds them, and tells which are
 * judged.
 */
#ifndef REFEREE_RULES_GROUPS_H
#define REFEREE_RULES_GROUPS_H

#include <wddm_version.h>

#include <vidmm/rules.h>

#include "rule_tables.h"

/*
 * The fixed members of a row: RULE(152, DRIVER, DOCUMENTED, CORRUPTION) is the driver's to keep,
 * rests on a page, and breaking it corrupts memory.
 */
#define RULE(number_, side_, confidence_, severity_)                                               \
    .number = (number_), .group = GROUP, .side = VIDMM_SIDE_##side_,                               \
    .confidence = VIDMM_##confidence_, .severity = VIDMM_SEVERITY_##severity_,                     \
    .judged = RULE_JUDGED_##number_

/* Values of .severity_source and .windows_source; a row without them says an inference. */
#define THE_PAGE                                                                                   \
    { .kind = VIDMM_SOURCE_PAGE }
#define PAGE(name)                                                                                 \
    { .kind = VIDMM_SOURCE_PAGE, .where = (name) }
#define RECORD(numbers)                                                                            \
    { .kind = VIDMM_SOURCE_RECORD, .where = (numbers) }
#define NOT_KNOWN                                                                                  \
    { .kind = VIDMM_SOURCE_NOT_KNOWN }

/* The last interface version before WDDM 2.0, for rules of what that took away. */
#define LAST_WDDM1 DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION

#define RULE_ARRAY(array, rows) extern const struct vidmm_rule array[rows];
RULE_ARRAYS(RULE_ARRAY)
#undef RULE_ARRAY

#endif
