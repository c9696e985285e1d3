/*
 * mutants.h - drivers and managers that break one rule each.
 *
 * A mutant of a driver rule is the reference driver with one function of its table replaced: it
 * asks the good function (mutants_good) and spoils what goes in or what comes out. A mutant of a
 * manager rule is the manager with one function of the table it calls replaced in the same way.
 * The referee stands between the two and has to name the rule.
 *
 * Some faults of a manager can only be seen over a driver that does something unusual, or wrong:
 * the mutant sets that scene on the other side.
 *
 * What changes a table or a structure of the contract is APIENTRY as the functions of the table are: gcc sets its registers up
 * anew between functions of two conventions, in each pass, which was three quarters of the time that a family took to compile.
 */
#ifndef MUTANTS_H
#define MUTANTS_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/os.h>
#include <vidmm/referee.h>
#include <vidmm/rules.h>
#include <vidmm/services.h>

#define MUTANTS_CONSEQUENCES 8u
#define MUTANTS_SETTINGS     5u

struct mutant {
    uint32_t rule;
    enum vidmm_side side; /* DRIVER or MANAGER: the side that breaks it */
    const char *what;     /* "writes one byte past the descriptor array" */
    void(APIENTRY *install)(DRIVER_INITIALIZATION_DATA *table); /* replaces slots */
    const char *stage; /* of the conformance check, that is enough to show it; NULL: all of them */
    /* Other rules that are broken because this one is; 0 ends the list. */
    uint32_t consequences[MUTANTS_CONSEQUENCES];
    /* Settings of the reference driver, name and value; NULL ends the list. */
    struct {
        const char *name;
        uint64_t value;
    } settings[MUTANTS_SETTINGS];
    /* Of a manager: how the driver below it behaves; of a driver: how the manager above it does.
     * What that breaks is a consequence. NULL: well. */
    void(APIENTRY *scene)(DRIVER_INITIALIZATION_DATA *table);
    /* Of a manager: replaces calls that a driver makes. */
    void (*callbacks)(DXGKRNL_INTERFACE *callbacks);
    /* Of a manager: replaces functions of the GART; `mutants_gart` has the good ones. */
    void (*gart)(struct vidmm_gart *gart);
    /* Of a manager: what it tells applications of graphics memory instead of the truth. */
    void (*sizes)(struct vidmm_referee_sizes *sizes);
    /* The same of what it answers to user mode. */
    void (*request)(struct vidmm_request_record *record);
    /* Of a system: replaces the calls that begin and end devices. */
    void(APIENTRY *devices)(DRIVER_INITIALIZATION_DATA *table);
    struct vidmm_readings readings; /* of the check */
    uint32_t linked;                /* physical adapters; 0: one */
    bool unlike;                    /* an image has a stack of its own, on which it shows nothing */
};

/* The members that most mutants have: `what` they do wrong, by install_<function>, in a stage. */
#define BREAKS(rule_, side_, stage_, function, what_)                                              \
    .rule = (rule_), .side = VIDMM_SIDE_##side_, .what = (what_), .install = install_##function,   \
    .stage = (stage_)

/* Behind an IOMMU the reference driver has an aperture alone, and its contexts run on addresses of processes. */
#define MUTANTS_APERTURE_ALONE .settings = {{"Iommu", 1}}

/* The table as it was before `install`: what spoiled functions call. */
extern DRIVER_INITIALIZATION_DATA mutants_good;
/* The table as it was before `scene`: what the scene's functions call. */
extern DRIVER_INITIALIZATION_DATA mutants_below;
extern struct vidmm_gart mutants_gart;

/* A mutant that has one function of its own: install_<function>, or scene_<function>, puts it into
 * a slot of the table. */
#define REPLACE(slot, function)                                                                    \
    static void APIENTRY install_##function(DRIVER_INITIALIZATION_DATA *table) {                   \
        table->slot = function;                                                                    \
    }
#define REPLACE_BELOW(slot, function)                                                              \
    static void APIENTRY scene_##function(DRIVER_INITIALIZATION_DATA *table) {                     \
        table->slot = function;                                                                    \
    }

/* The families: a break_*.c each, in the order of the matrix. */
#define MUTANTS_FAMILIES(ROW)                                                                      \
    ROW(query, "query")                                                                            \
    ROW(query_manager, "query-manager")                                                            \
    ROW(allocation, "allocation")                                                                  \
    ROW(paging, "paging")                                                                          \
    ROW(paging_manager, "paging-manager")                                                          \
    ROW(submission, "submission")                                                                  \
    ROW(present, "present")                                                                        \
    ROW(operation, "operation")                                                                    \
    ROW(placement, "placement")                                                                    \
    ROW(preempt, "preempt")                                                                        \
    ROW(interrupts, "interrupts")                                                                  \
    ROW(engines, "engines")                                                                        \
    ROW(power, "power")                                                                            \
    ROW(residency, "residency")                                                                    \
    ROW(own_memory, "own-memory")                                                                  \
    ROW(ranges, "ranges")                                                                          \
    ROW(isolation, "isolation")                                                                    \
    ROW(host_aperture, "host-aperture")                                                            \
    ROW(virtual, "virtual")                                                                        \
    ROW(page_tables, "page-tables")                                                                \
    ROW(virtual_manager, "virtual-manager")                                                        \
    ROW(dirty, "dirty")                                                                            \
    ROW(display, "display")                                                                        \
    ROW(gpu, "gpu")                                                                                \
    ROW(agp, "agp")                                                                                \
    ROW(linked, "linked")

/* Those whose mutants of the driver are built as images, too (image_entry.c), at most so many each. */
#define MUTANTS_FAMILY_STEP 1000u
#define MUTANTS_OF_IMAGES(ROW)                                                                     \
    ROW(query, "query")                                                                            \
    ROW(allocation, "allocation")                                                                  \
    ROW(paging, "paging")                                                                          \
    ROW(submission, "submission")                                                                  \
    ROW(present, "present")                                                                        \
    ROW(operation, "operation")                                                                    \
    ROW(placement, "placement")                                                                    \
    ROW(preempt, "preempt")                                                                        \
    ROW(interrupts, "interrupts")                                                                  \
    ROW(engines, "engines")                                                                        \
    ROW(residency, "residency")                                                                    \
    ROW(own_memory, "own-memory")                                                                  \
    ROW(ranges, "ranges")                                                                          \
    ROW(isolation, "isolation")                                                                    \
    ROW(host_aperture, "host-aperture")                                                            \
    ROW(virtual, "virtual")                                                                        \
    ROW(page_tables, "page-tables")                                                                \
    ROW(gpu, "gpu")                                                                                \
    ROW(agp, "agp")

#define MUTANTS_OF(family, name)                                                                   \
    extern const struct mutant mutants_##family[];                                                 \
    extern const uint32_t mutants_##family##_count;
MUTANTS_FAMILIES(MUTANTS_OF)
#undef MUTANTS_OF

#endif
