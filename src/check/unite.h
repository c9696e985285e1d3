/*
 * unite.h - one sentence of the findings of a rule that lists what is missing, so that an author mends
 * all of it at once.
 */
#ifndef VIDMM_CHECK_UNITE_H
#define VIDMM_CHECK_UNITE_H

#include <vidmm/check.h>

/* Its rule lists: what it found is "words: A, B (why), C". */
bool unite_lists(const struct vidmm_finding *finding);
/* What such findings found that follow from another of their rule goes into its sentence. */
void unite_followers(struct vidmm_check_result *result);

#endif
