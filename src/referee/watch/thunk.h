/*
 * thunk.h - puts watching functions into the tables that a referee interposes.
 *
 * A watching function has the referee before the arguments of the DDI:
 *
 *     static NTSTATUS watch_Patch(struct vidmm_referee *referee, const HANDLE handle,
 *                                 const DXGKARG_PATCH *args) {
 *         struct referee_call call;
 *         referee_enter(referee, &call, "DxgkDdiPatch", REFEREE_SCHEDULER);
 *         MANAGER_MUST(273, !args->pAllocationList, "no list", "AllocationList %p", ...);
 *         referee_leave(referee);                       // the driver may call back
 *         NTSTATUS status = referee->real.DxgkDdiPatch(handle, args);
 *         referee_return(referee);
 *         DRIVER_MUST(277, status == STATUS_SUCCESS, "STATUS_SUCCESS", "status 0x%08x", status);
 *         referee_exit(referee, &call);
 *         return status;
 *     }
 *     WATCHED_2(NTSTATUS, Patch, const HANDLE, const DXGKARG_PATCH *)
 *
 * and is put into a table with WATCH (the driver's) or WATCH_CALLBACK (the system's). Between enter
 * and leave, and between return and exit, the referee's lock is held: shadows may be read and
 * written.
 */
#ifndef REFEREE_WATCH_THUNK_H
#define REFEREE_WATCH_THUNK_H

#include "state/judge.h"
#include "state/registry.h"

/* The function of one slot, and its element in the table of all slots. */
#define WATCHED_IN_1(slot, type, name, a)                                                          \
    static type APIENTRY watch_##name##_##slot(a first) {                                          \
        return watch_##name(registry_at(slot), first);                                             \
    }
#define WATCHED_IN_2(slot, type, name, a, b)                                                       \
    static type APIENTRY watch_##name##_##slot(a first, b second) {                                \
        return watch_##name(registry_at(slot), first, second);                                     \
    }
#define WATCHED_IN_3(slot, type, name, a, b, c)                                                    \
    static type APIENTRY watch_##name##_##slot(a first, b second, c third) {                       \
        return watch_##name(registry_at(slot), first, second, third);                              \
    }
#define WATCHED_IN_4(slot, type, name, a, b, c, d)                                                 \
    static type APIENTRY watch_##name##_##slot(a first, b second, c third, d fourth) {             \
        return watch_##name(registry_at(slot), first, second, third, fourth);                      \
    }
#define WATCHED_IN_5(slot, type, name, a, b, c, d, e)                                              \
    static type APIENTRY watch_##name##_##slot(a first, b second, c third, d fourth, e fifth) {    \
        return watch_##name(registry_at(slot), first, second, third, fourth, fifth);               \
    }
#define WATCHED_ELEMENT(slot, name) watch_##name##_##slot,

/* watched_NAME[slot] is what a table of the referee in that slot leads to. */
#define WATCHED_1(type, name, a)                                                                   \
    REGISTRY_EACH(WATCHED_IN_1, type, name, a)                                                     \
    static type(APIENTRY *const watched_##name[])(a) = {REGISTRY_EACH(WATCHED_ELEMENT, name)};
#define WATCHED_2(type, name, a, b)                                                                \
    REGISTRY_EACH(WATCHED_IN_2, type, name, a, b)                                                  \
    static type(APIENTRY *const watched_##name[])(a, b) = {REGISTRY_EACH(WATCHED_ELEMENT, name)};
#define WATCHED_3(type, name, a, b, c)                                                             \
    REGISTRY_EACH(WATCHED_IN_3, type, name, a, b, c)                                               \
    static type(APIENTRY *const watched_##name[])(a, b, c) = {REGISTRY_EACH(WATCHED_ELEMENT, name)};
#define WATCHED_4(type, name, a, b, c, d)                                                          \
    REGISTRY_EACH(WATCHED_IN_4, type, name, a, b, c, d)                                            \
    static type(APIENTRY *const watched_##name[])(a, b, c,                                         \
                                                  d) = {REGISTRY_EACH(WATCHED_ELEMENT, name)};
#define WATCHED_5(type, name, a, b, c, d, e)                                                       \
    REGISTRY_EACH(WATCHED_IN_5, type, name, a, b, c, d, e)                                         \
    static type(APIENTRY *const watched_##name[])(a, b, c, d,                                      \
                                                  e) = {REGISTRY_EACH(WATCHED_ELEMENT, name)};

/* Puts watch_NAME where the driver's DxgkDdiNAME is, if the driver has one. */
#define WATCH(table, name)                                                                         \
    do {                                                                                           \
        if ((table)->DxgkDdi##name)                                                                \
            (table)->DxgkDdi##name = watched_##name[referee->slot];                                \
    } while (0)
#define WATCH_CALLBACK(table, name) ((table)->DxgkCb##name = watched_##name[referee->slot])

#endif
