/*
 * map.h - what lay where and when, as a map of memory shows it: stays of allocations in segments, sums
 * of each allocation, and figures over time. Made of the record of events (map.c), in memory that does not
 * grow (map_keep.c); html_map.c and picture.c draw it.
 *
 * All of it is shared with the processes that are forked afterwards; report_map_mend makes what a driver
 * damaged fit to be read.
 */
#ifndef VIDMM_REPORT_MAP_H
#define VIDMM_REPORT_MAP_H

#include <vidmm/report.h>

#define MAP_STAYS        65536u  /* kept exactly; of more the smallest are merged */
#define MAP_OWNERS       131072u /* allocations with sums of their own */
#define MAP_SLOTS        262144u /* of the table that finds them, a power of two */
#define MAP_SEGMENTS     33u     /* counted from 1 */
#define MAP_PROCESSES    9u      /* 0: the system; the last one stands for all others */
#define MAP_COLUMNS      512u    /* of figures over time */
#define MAP_ROWS         64u     /* of merged stays */
#define MAP_BINS         32u     /* of a stay: when it was used */
#define MAP_MARKS        64u
#define MAP_UNDONE       32u
#define MAP_PARTS        12u    /* of a scattered stay */
#define MAP_DRAWN        12000u /* stays in a picture */
#define MAP_DRAWN_OF_ONE 4000u  /* of one segment */
#define MAP_PAGE         4096u  /* bytes, of parts */

/* How a stay ended, beyond the reasons of moves. */
enum map_end {
    MAP_OPEN = VIDMM_MOVE_REASONS, /* not yet */
    MAP_STAYED,                    /* until the end of the record */
    MAP_FREED,
    MAP_RESET, /* of the adapter */
    MAP_STOPPED,
    MAP_ENDS
};

/* Contiguous pages of a segment. */
struct map_part {
    uint32_t page, pages;
};

/* An allocation in one place of a segment. */
struct map_stay {
    uint64_t offset, size; /* bytes; of a scattered one its first part's offset */
    struct map_part part[MAP_PARTS];
    uint32_t parts;            /* of `part`; 0: no range of the segment, only pages of it */
    uint32_t scattered;        /* over so many parts, of which the first MAP_PARTS are known */
    uint64_t begin, end;       /* ns */
    uint64_t plan, plan_left;  /* numbers; `plan_left` 0: it did not leave by a plan */
    uint64_t submission;       /* of the workload, when it came */
    uint32_t owner;            /* index */
    uint32_t uses, writes;     /* by submissions */
    uint64_t first_write;      /* ns; 0: none */
    uint64_t bin_ns;           /* of a bin */
    uint8_t segment, from, to; /* where it came from and went to; 0: system memory */
    uint8_t came, why;         /* enum vidmm_move_reason, enum vidmm_plan_reason */
    uint8_t left;              /* enum vidmm_move_reason or map_end */
    uint8_t why_left;
    bool floats; /* no range of the segment: drawn where there is room */
    uint8_t used[MAP_BINS], written[MAP_BINS]; /* how often, at most 255 */
};

/* An allocation. */
struct map_owner {
    uint64_t key;         /* its handle; of what has none, the place */
    uint64_t size;        /* bytes */
    uint64_t in, out;     /* bytes that operations moved into and out of memory segments */
    uint64_t remote;      /* bytes that submissions referenced elsewhere */
    uint64_t resident_ns; /* in memory segments */
    uint64_t gone, gone_submission, gone_plan; /* of the last eviction; 0: none */
    uint64_t began;                            /* ns: seen first */
    uint32_t handle, number; /* number: of the workload's allocation; 0: not known */
    uint32_t process, page_ins, evictions, uses, writes;
    uint32_t open; /* index + 1 of its stay; 0: in system memory */
    uint8_t gone_segment, gone_reason;
    bool dead;
};

struct map_column {
    uint64_t used[MAP_SEGMENTS];      /* most bytes in the column's time */
    uint64_t resident[MAP_PROCESSES]; /* the same in memory segments */
    uint64_t in, out;                 /* bytes */
    uint32_t submissions, page_ins, evictions;
};

struct map_mark {
    uint64_t ns;
    char text[48];
};

/* An eviction after which the allocation came back. */
struct map_undone {
    uint64_t gone, back; /* ns */
    uint64_t between;    /* submissions */
    uint64_t size, plan;
    uint32_t owner;
    uint8_t segment, reason;
};

struct map_shared {
    uint64_t base, now; /* base: added to the times of this start of the driver; ns */
    bool frozen;        /* after the counted part */
    bool memory[MAP_SEGMENTS];
    bool seen[MAP_SEGMENTS];
    bool floats[MAP_SEGMENTS];       /* stays in it are no ranges of it */
    uint64_t reported[MAP_SEGMENTS]; /* bytes, by the driver */
    uint64_t size[MAP_SEGMENTS];     /* the same, or as far as stays are drawn */
    uint64_t used[MAP_SEGMENTS], resident[MAP_PROCESSES]; /* now */
    uint64_t submissions, moves, findings, starts;
    uint64_t undone_all, undone_soon,
        undone_bytes; /* page-ins of what had left; of these soon ones */
    uint32_t stays, owners, marks, undones;
    uint64_t merged[MAP_SEGMENTS]; /* stays in `grid` */
    uint64_t unfollowed;           /* moves for which there was no room */
    uint64_t quantum;              /* ns of a column */
    uint64_t row_bytes[MAP_SEGMENTS];
    uint32_t column; /* the newest */
    struct map_column columns[MAP_COLUMNS];
    struct map_mark mark[MAP_MARKS];
    struct map_undone undone[MAP_UNDONE]; /* the soonest, then the largest, first */
    uint32_t slot[MAP_SLOTS];             /* index + 1 of an owner */
    struct map_owner owner[MAP_OWNERS];
    struct map_stay stay[MAP_STAYS];
    float grid[MAP_SEGMENTS][MAP_ROWS][MAP_COLUMNS]; /* of merged stays: bytes times ns */
};

struct vidmm_report_map {
    struct map_shared *shared;
};

#define MAP_SOON 16u /* submissions between an eviction and the return that is called soon */

/* ---- map_keep.c ------------------------------------------------------------------------------ */

/* Time goes on: the figures of columns up to it are those of now. */
void map_advance(struct map_shared *shared, uint64_t ns);
/* The segment is at least as large as the stay reaches. */
void map_reach(struct map_shared *shared, const struct map_stay *stay);
/* A new stay, with the smallest merged if there is no room; NULL: all are open. */
struct map_stay *map_stay_add(struct map_shared *shared);
/* Closes what is open, and makes all of it fit to be read. */
void report_map_mend(struct vidmm_report_map *map);

#endif
