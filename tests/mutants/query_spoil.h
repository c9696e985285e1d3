/*
 * query_spoil.h - answers to DxgkDdiQueryAdapterInfo, spoiled: one function asks the good one, finds
 * the descriptors or caps in the answer, whichever version they have, and calls a mutant's hooks
 * with them. break_query.c has the drivers, break_query_manager.c the managers.
 *
 * A scene is spoiled in the same way on the driver's side; a manager that does not see what the
 * driver said is spoiled to see what it should have said.
 */
#ifndef QUERY_SPOIL_H
#define QUERY_SPOIL_H

#include "mutants.h"

#include <string.h>

#define VERSION(name) DXGKDDI_INTERFACE_VERSION_##name

/* One descriptor of whichever version; NULL for what that does not have. */
struct query_descriptor {
    UINT id;
    DXGK_SEGMENTFLAGS *flags;
    PHYSICAL_ADDRESS *base, *cpu;
    SIZE_T *size, *commit, *end, *reserved;
    UINT *banks, *invalid;
    SIZE_T **bank_ends;
};

/* What is done to answers; hooks that are NULL: nothing. */
struct query_spoiling {
    PDXGKDDI_QUERYADAPTERINFO good;
    void(APIENTRY *asked)(DXGKARG_QUERYADAPTERINFO *args); /* before the good function has it */
    void(APIENTRY *out)(DXGK_QUERYSEGMENTOUT4 *out, bool first); /* stride: version 4 only */
    void(APIENTRY *descriptor)(struct query_descriptor *d);
    void(APIENTRY *caps)(DXGK_DRIVERCAPS *caps);
    void(APIENTRY *physical)(DXGK_PHYSICALADAPTERCAPS *caps);
    NTSTATUS (*status)(const DXGKARG_QUERYADAPTERINFO *args, NTSTATUS status);
};

/* By the mutant, and by the driver in its scene. */
extern struct query_spoiling query_spoil, query_scene;

/* Of the segment query of that type; 0: it is none. */
unsigned query_version(DXGK_QUERYADAPTERINFOTYPE type);
void query_install(DRIVER_INITIALIZATION_DATA *table);
void query_set_scene(DRIVER_INITIALIZATION_DATA *table);

#define INSTALL(name, hook)                                                                        \
    static void APIENTRY install_##name(DRIVER_INITIALIZATION_DATA *table) {                       \
        query_install(table);                                                                      \
        query_spoil.hook = name;                                                                   \
    }
#define INSTALL2(name, hook, other, other_hook)                                                    \
    static void APIENTRY install_##name(DRIVER_INITIALIZATION_DATA *table) {                       \
        query_install(table);                                                                      \
        query_spoil.hook = name;                                                                   \
        query_spoil.other_hook = other;                                                            \
    }

#define SCENE(name, hook)                                                                          \
    static void APIENTRY scene_##name(DRIVER_INITIALIZATION_DATA *table) {                         \
        query_set_scene(table);                                                                    \
        query_scene.hook = name;                                                                   \
    }

bool query_aperture(const struct query_descriptor *d);
bool query_memory(const struct query_descriptor *d);

/* Hooks that mutants of both sides have: one breaks a rule by it, another does not see it. */
void APIENTRY pitch_aligned(struct query_descriptor *d);
void APIENTRY pitch_in_window(struct query_descriptor *d);
void APIENTRY announces_range(struct query_descriptor *d);
void APIENTRY populated_aperture(struct query_descriptor *d);

#endif
