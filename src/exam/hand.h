/*
 * hand.h - paging operations by the examiner's own hand: what the manager would never ask in just
 * this way, but may. The protocol is that of src/manager/paging.c; every operation is done and its
 * effect can be looked at when hand_flush returns.
 */
#ifndef VIDMM_EXAM_HAND_H
#define VIDMM_EXAM_HAND_H

#include "exam.h"

#define HAND_PAGES 24u /* of each of the two system buffers */

struct hand {
    struct exam *exam;
    const DRIVER_INITIALIZATION_DATA *ddi;
    HANDLE adapter, device, context; /* the system's, where the driver makes some */
    const struct vidmm_os *os;
    struct vidmm_adapter_info info;
    struct vidmm_segment_info memory, aperture; /* id 0: there is none */
    PMDL buffer;                                /* the paging buffer */
    unsigned char *cpu, *private_data;
    uint32_t used, private_used;
    uint32_t fence, completed, faulted;
    bool refused;      /* something failed: nothing is asked any more */
    bool unseen;       /* work does not complete */
    HANDLE allocation; /* the driver's, of HAND_PAGES pages; NULL: it does not speak vidmm/umd.h */
    PMDL source, target; /* HAND_PAGES each */
};

/* After exam_open. DONE, or why not: exam->shared->text says it. */
enum vidmm_stage_outcome hand_open(struct hand *hand, struct exam *exam);
void hand_close(struct hand *hand);

/* Builds one operation behind the others; false when the driver refused. */
bool hand_build(struct hand *hand, DXGKARG_BUILDPAGINGBUFFER *args);
/* Submits what was built and lets the GPU do it; false when it does not. */
bool hand_flush(struct hand *hand);

/* Byte `at` of page `page` of an MDL. */
unsigned char *hand_page(struct hand *hand, PMDL mdl, uint64_t page);
/* Gives every page of an MDL bytes of its own. */
void hand_paint(struct hand *hand, PMDL mdl, uint32_t seed);

/* An effect of R`rule`: kept, or broken by the driver if nothing else is to blame. */
void hand_judge(struct hand *hand, uint32_t rule, bool kept, const char *expected,
                const char *found);

#endif
