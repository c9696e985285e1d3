/*
 * query.h - one DxgkDdiQueryAdapterInfo under watch, as the files that judge its answers share
 * it: watch/query.c (the call, its status, its buffer), watch/segment.c (the two calls of a segment
 * query, memory ranges), watch/descriptor.c (what the segments say), watch/caps.c (driver and
 * physical-adapter caps).
 */
#ifndef REFEREE_SEE_QUERY_H
#define REFEREE_SEE_QUERY_H

#include "state/judge.h"

enum query_kind {
    QUERY_OTHER,
    QUERY_COUNT,  /* first call of a segment query */
    QUERY_FILL,   /* second */
    QUERY_RANGES, /* SEGMENTMEMORYSTATE */
};

struct query {
    const DXGKARG_QUERYADAPTERINFO *args; /* the manager's */
    DXGKARG_QUERYADAPTERINFO passed;      /* the driver's */
    struct guard out;                     /* behind pOutputData */
    struct guard array; /* behind the pointer in there: descriptors, memory ranges */
    NTSTATUS status;
    uint8_t kind;      /* enum query_kind */
    bool fair;         /* asked as the rules want it: what the driver makes of it can be judged */
    bool addressed;    /* its input is what the rules want */
    uint32_t version;  /* of the segment query: 1, 3, 4; 0: none */
    uint32_t physical; /* index of the physical adapter that a segment query is about */
    uint32_t element, stride;           /* bytes of a descriptor, and from one to the next */
    DXGK_QUERYSEGMENTOUT4 asked;        /* the OUT structure as the manager passed it */
    DXGK_QUERYSEGMENTMEMORYSTATE state; /* the same for memory ranges */
    DXGK_QUERYSEGMENTMEMORYSTATE input; /* the driver's pInputData of it */
};

/* One segment as the driver described it in whichever version; 0 for what that does not have. */
struct described {
    DXGK_SEGMENTFLAGS flags;
    uint64_t base, size, commit_limit, cpu_base, end, reserved;
    uint64_t host_base;
    uint64_t vpr_start, vpr_size, vpr_alignment; /* the protected range; of size 0: there is none */
    uint32_t host_pages, banks, invalid;
    const SIZE_T *bank_ends;
    bool banks_gone; /* the table was on the stack of the call */
};

/* watch/segment.c: a new adapter; before and after the driver has a segment or ranges query. */
void segment_begin(struct vidmm_referee *referee);
void segment_ask(struct vidmm_referee *referee, struct query *query);
void segment_answer(struct vidmm_referee *referee, struct query *query);
void ranges_ask(struct vidmm_referee *referee, struct query *query);
void ranges_answer(struct vidmm_referee *referee, struct query *query);

/* watch/descriptor.c: judges `count` segments of a physical adapter and what they say together; fills the shadow. */
void descriptors_judge(struct vidmm_referee *referee, uint32_t physical,
                       const struct described *segments, uint32_t count, uint32_t version);

/* watch/linked.c: the physical adapter that the input names is one of the link; of another the
 * driver says nothing. */
void linked_judge_query(struct vidmm_referee *referee, const struct query *query);
/* A physical adapter of the link is asked about. */
bool linked_knows_asked(struct vidmm_referee *referee, const struct query *query);
void linked_judge_answer(struct vidmm_referee *referee, const struct query *query);
/* watch/caps.c */
void caps_begin(struct vidmm_referee *referee);
void caps_answer(struct vidmm_referee *referee, const struct query *query);
/* watch/slots.c: the functions that there are, when the driver's caps are known, and when a segment
 * has a CPU host aperture; when the driver has said how many video present sources there are, and
 * whether it tracks writes or migrates. */
void slots_judge(struct vidmm_referee *referee);
void slots_judge_sources(struct vidmm_referee *referee, ULONG sources);
void slots_judge_host_aperture(struct vidmm_referee *referee);
void slots_judge_tracking(struct vidmm_referee *referee, bool tracks, bool migrates);
/* watch/mmu.c */
void mmu_answer(struct vidmm_referee *referee, const struct query *query);
/* The GPU reaches all system memory, as far as the driver's answers tell. */
bool caps_reach_memory(struct vidmm_referee *referee);

#endif
