/*
 * zoo.h - drivers and managers that break one rule each.
 *
 * A breaker of a driver rule is the reference driver with one function of its table replaced: it
 * asks the good function (zoo_good) and spoils what goes in or what comes out. A breaker of a
 * manager rule is the manager with one function of the table it calls replaced in the same way.
 * The referee stands between the two and has to name the rule.
 *
 * Some faults of a manager can only be seen over a driver that does something unusual, or wrong:
 * the breaker sets that scene on the other side.
 */
#ifndef ZOO_H
#define ZOO_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/referee.h>
#include <vidmm/rules.h>
#include <vidmm/services.h>

#define ZOO_CONSEQUENCES 8u
#define ZOO_SETTINGS     4u

struct zoo_breaker {
    uint32_t rule;
    enum vidmm_side side; /* DRIVER or MANAGER: who breaks it */
    const char *what;     /* "writes one byte past the descriptor array" */
    void (*install)(DRIVER_INITIALIZATION_DATA *table); /* replaces slots */
    const char *stage; /* of the examination, that is enough to show it; NULL: all of them */
    /* Other rules that are broken because this one is; 0 ends the list. */
    uint32_t consequences[ZOO_CONSEQUENCES];
    /* Settings of the reference driver, name and value; NULL ends the list. */
    struct {
        const char *name;
        uint64_t value;
    } settings[ZOO_SETTINGS];
    /* Of a manager: how the driver below it behaves; of a driver: how the manager above it does.
     * What that breaks is a consequence. NULL: well. */
    void (*scene)(DRIVER_INITIALIZATION_DATA *table);
    /* Of a manager: replaces calls that a driver makes. */
    void (*callbacks)(DXGKRNL_INTERFACE *callbacks);
    /* Of a manager: what it tells applications of graphics memory instead of the truth. */
    void (*sizes)(struct vidmm_referee_sizes *told);
    /* The same of what it answers to user mode. */
    void (*told)(struct vidmm_told *told);
};

/* The table as it was before `install`: what spoiled functions call. */
extern DRIVER_INITIALIZATION_DATA zoo_good;
/* The table as it was before `scene`: what the scene's functions call. */
extern DRIVER_INITIALIZATION_DATA zoo_below;

extern const struct zoo_breaker zoo_query[], zoo_allocation[], zoo_paging[], zoo_operation[],
    zoo_placement[], zoo_preempt[], zoo_virtual[];
extern const uint32_t zoo_query_count, zoo_allocation_count, zoo_paging_count, zoo_operation_count,
    zoo_placement_count, zoo_preempt_count, zoo_virtual_count;

extern const struct zoo_breaker zoo_engines[];
extern const uint32_t zoo_engines_count;

extern const struct zoo_breaker zoo_residency[], zoo_own_memory[], zoo_host_aperture[], zoo_dirty[];
extern const uint32_t zoo_residency_count, zoo_own_memory_count, zoo_host_aperture_count,
    zoo_dirty_count;

#endif
