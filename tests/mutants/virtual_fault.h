/*
 * virtual_fault.h - BuildPagingBuffer with something wrong, for mutants of GPU virtual addresses:
 * which operation of a short game over a GPU with page tables is chosen, and what becomes of it.
 * break_virtual.c has the drivers, break_page_tables.c and break_virtual_manager.c the managers.
 *
 * Faults in single calls are made once: the GPU goes on with what is right, as far as it can.
 */
#ifndef VIRTUAL_FAULT_H
#define VIRTUAL_FAULT_H

#include "mutants.h"

#include <string.h>

#define DRIVER  VIDMM_SIDE_DRIVER
#define MANAGER VIDMM_SIDE_MANAGER

/* What a mutant does to an operation that it has chosen. */
struct virtual_fault {
    /* True: this is the one. */
    bool (*wants)(const DXGKARG_BUILDPAGINGBUFFER *args);
    /* Changes what is asked for; entries may be changed, they are a copy. */
    void(APIENTRY *spoil)(DXGKARG_BUILDPAGINGBUFFER *args);
    /* Makes one more operation of it, that is asked for behind it. */
    void(APIENTRY *more)(DXGKARG_BUILDPAGINGBUFFER *args);
    bool swallow;              /* it is taken for done instead */
    bool always;               /* not only once */
    bool done, again, decided; /* so far; the last call comes again */
};
extern struct virtual_fault virtual_fault;

extern HANDLE virtual_paging_process; /* whose tables the CPU writes first */
/* Finds out which process that is. */
void virtual_look(const DXGKARG_BUILDPAGINGBUFFER *args);
/* The entries of an update become a copy. */
void virtual_own_entries(DXGKARG_BUILDPAGINGBUFFER *args);
/* Where the next operation begins. */
void virtual_take_room(DXGKARG_BUILDPAGINGBUFFER *args, const DXGKARG_BUILDPAGINGBUFFER *used);
/* Makes another operation of it. */
void virtual_arm(DXGKARG_BUILDPAGINGBUFFER *args, DXGK_BUILDPAGINGBUFFER_OPERATION operation);
NTSTATUS APIENTRY virtual_fault_build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args);
void virtual_fault_install(DRIVER_INITIALIZATION_DATA *table);

/* install_<NAME>, with the members of the fault that are set. */
#define FAIL(NAME, ...)                                                                            \
    static void APIENTRY install_##NAME(DRIVER_INITIALIZATION_DATA *table) {                       \
        memset(&virtual_fault, 0, sizeof(virtual_fault));                                          \
        __VA_ARGS__;                                                                               \
        virtual_fault_install(table);                                                              \
    }
/* Changes an operation; each one, or the first. */
#define SPOIL(NAME, WANTS, ...)                                                                    \
    static void APIENTRY NAME(DXGKARG_BUILDPAGINGBUFFER *args) {                                   \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    FAIL(NAME, virtual_fault.wants = WANTS, virtual_fault.spoil = NAME)
#define SPOIL_ALL(NAME, WANTS, ...)                                                                \
    static void APIENTRY NAME(DXGKARG_BUILDPAGINGBUFFER *args) {                                   \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    FAIL(NAME, virtual_fault.wants = WANTS, virtual_fault.spoil = NAME, virtual_fault.always = true)
/* Takes each of them for done. */
#define SWALLOW_ALL(NAME, WANTS)                                                                   \
    FAIL(NAME, virtual_fault.wants = WANTS, virtual_fault.swallow = virtual_fault.always = true)
/* Asks for one more operation behind it. */
#define MORE(NAME, WANTS, ...)                                                                     \
    static void APIENTRY NAME(DXGKARG_BUILDPAGINGBUFFER *args) {                                   \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    FAIL(NAME, virtual_fault.wants = WANTS, virtual_fault.more = NAME)

#define UPDATE (&args->UpdatePageTable)
#define ENTRY  (args->UpdatePageTable.pPageTableEntries[0])

/* Surfaces of whole 64 KB, so that their pages can be: what `table` creates becomes so. */
NTSTATUS virtual_create_whole(const DRIVER_INITIALIZATION_DATA *table, HANDLE adapter,
                              DXGKARG_CREATEALLOCATION *args);

/* Reserves addresses by the calls that were passed at the start. */
extern DXGKRNL_INTERFACE virtual_system;
void virtual_reserve(HANDLE process, UINT64 size);

/* ---- Which operation ------------------------------------------------------------------------- */

/* Those that both sides, or both files of managers, choose. */
typedef bool virtual_choice(const DXGKARG_BUILDPAGINGBUFFER *args);
virtual_choice is_update, of_user, at_once, leaf, user_pages, user_local, large_pages, wide_pages,
    links, flush, transfer;

/* ---- Rows of a family ------------------------------------------------------------------------ */

/* clang-format off */
#define BREAKER(RULE, SIDE, WHAT, INSTALL, ...)                                                    \
    {.rule = RULE,                                                                                 \
     .side = SIDE,                                                                                 \
     .what = WHAT,                                                                                 \
     .install = install_##INSTALL,                                                                 \
     .stage = "paging",                                                                            \
     __VA_ARGS__}
#define WITH(...) .consequences = {__VA_ARGS__}
#define THREE     .settings = {{"MmuLevels", 3}}
#define FOUR      .settings = {{"MmuLevels", 4}}
#define NEWEST                                                                                     \
    .settings = {{"MmuLevels", 3}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM3_2}}
#define TWO       .settings = {{"MmuLevels", 2}}
#define SINGLE    .settings = {{"MmuLevels", 3}, {"MmuPages", 1}}
#define DUAL      .settings = {{"MmuLevels", 3}, {"MmuPages", 2}}
#define BARE      .settings = {{"MmuLevels", 3}, {"MmuFeatures", 0}}
#define LARGE     .settings = {{"MmuLevels", 3}, {"MmuFeatures", 15}}
#define WHOLE                                                                                      \
    .settings = {{"MmuLevels", 3},                                                                 \
                 {"MmuIndexBits", 0x0c0905}, /* large pages of 128 KB */                           \
                 {"MmuFeatures", 15},                                                              \
                 {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1}}
#define VIRTUAL   .settings = {{"MmuLevels", 3}, {"MmuUpdateMode", 1}}
#define LONG      .settings = {{"MmuLevels", 2}, {"MmuUpdateMode", 1}} /* tables of 64 KB */
#define BY_CPU    .settings = {{"MmuLevels", 3}, {"MmuUpdateMode", 0}}
#define IN_LOCAL  .settings = {{"MmuLevels", 3}, {"MmuTableSegment", 2}}
/* clang-format on */

#endif
