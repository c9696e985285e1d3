/*
 * causes.h - which findings follow from which: the first cause stands first, and what follows from it
 * under it.
 */
#ifndef VIDMM_CHECK_CAUSES_H
#define VIDMM_CHECK_CAUSES_H

#include <vidmm/check.h>

/* In R597 of a fence that is reported before the work is done. */
#define CAUSES_EARLY "came when its fence had been reported"

/* What the lives of the driver showed; zero is empty. It is not shared with their processes. */
struct causes {
    /* In some life the second finding came after the first and follows from it. */
    bool linked[VIDMM_FINDINGS][VIDMM_FINDINGS];
    uint16_t first[VIDMM_FINDINGS]; /* lives that the finding was the first of */
    bool leaks[VIDMM_FINDINGS];     /* is left behind in a life in which nothing else went wrong */
};

/* Takes what the ledger saw in a life of the driver that has ended. */
void causes_take(struct causes *causes, const struct vidmm_ledger *ledger);
/* Fills in `follows` and `weight` of the marks. Afterwards the causes are used up. */
void causes_conclude(struct causes *causes, struct vidmm_check_result *result);

#endif
