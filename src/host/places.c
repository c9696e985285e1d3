/* places.c - see places.h. */
#include "places.h"

#include <dlfcn.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "base/thread.h"
#include "base/world.h"
#include "driver/driver.h"
#include "image/image.h"
#include "image/seh.h"
#include "image/unwind.h"
#include "trap/faults.h"

struct place_walk {
    uint64_t *frame;
    uint32_t count, most;
    uint64_t in_image; /* a return address in an image, where the compiler's unwinder ends */
};

/* Where the shared object of the driver begins; NULL: it is none. */
static const void *shared_base(void) {
    static const char here; /* in the program */
    const void *entry;
    Dl_info driver, program;
    DRIVER_INITIALIZE *function = host_world->driver->object.DriverInit;
    memcpy(&entry, &function, sizeof(entry));
    if (!entry || dladdr(entry, &driver) == 0 || dladdr(&here, &program) == 0 ||
        driver.dli_fbase == program.dli_fbase)
        return NULL;
    return driver.dli_fbase;
}

bool host_place_of(uint64_t address, uint64_t *offset) {
    const struct host_image *image = image_of((const void *)(uintptr_t)address);
    const void *base = image ? image->base : shared_base();
    Dl_info info;
    if (!base || (!image &&
                  (dladdr((const void *)(uintptr_t)address, &info) == 0 || info.dli_fbase != base)))
        return false;
    *offset = address - (uintptr_t)base;
    return true;
}

/* `before`: of a return address, the call in front of it. */
static void place_take(struct place_walk *walk, uint64_t address, bool before) {
    uint64_t offset;
    if (walk->count < walk->most && host_place_of(address - before, &offset))
        walk->frame[walk->count++] = offset;
}

static uint64_t leak;
static bool leak_known;

void host_place_leak(uint64_t caller) {
    leak_known = caller != 0 && host_place_of(caller - 1, &leak);
}

/* ---- On the stack ---------------------------------------------------------------------------- */

static _Unwind_Reason_Code one_frame(struct _Unwind_Context *context, void *to) {
    struct place_walk *walk = to;
    uint64_t address = _Unwind_GetIP(context);
    if (image_of((const void *)(uintptr_t)address)) {
        walk->in_image = address;
        return _URC_END_OF_STACK;
    }
    place_take(walk, address, true);
    return walk->count < walk->most ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void walk_image(struct place_walk *walk, struct host_context *context, bool interrupted) {
    struct unwound frame;
    const struct host_image *image;
    while (walk->count < walk->most && (image = image_of((const void *)(uintptr_t)context->rip))) {
        place_take(walk, context->rip, !interrupted);
        interrupted = false;
        if (!unwind_frame(image, context, &frame))
            return;
    }
}

static void walk_stack(struct place_walk *walk) {
    struct host_context context;
    (void)_Unwind_Backtrace(one_frame, walk);
    if (walk->in_image != 0 && seh_caller(__builtin_frame_address(0), &context) &&
        context.rip == walk->in_image)
        walk_image(walk, &context, false);
}

/* Behind a signal: what called the interrupted instruction, which the unwinder meets, too. */
static void walk_above(struct place_walk *walk, uint64_t interrupted) {
    uint64_t frame[16];
    uint64_t offset = 0;
    struct place_walk all = {.frame = frame, .most = sizeof(frame) / sizeof(frame[0])};
    walk_stack(&all);
    bool met = !host_place_of(interrupted - 1, &offset);
    for (uint32_t i = 0; i < all.count && walk->count < walk->most; i++) {
        if (met)
            walk->frame[walk->count++] = frame[i];
        met = met || frame[i] == offset;
    }
}

/* ---- In the table ---------------------------------------------------------------------------- */

#define THUNK_OTHER(name)                                                                          \
    {"DxgkDdi" #name, (uint32_t)offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdi##name)},
#define THUNK(name, type, level, in, out) THUNK_OTHER(name)
#define THUNK_PLAIN(name)                 THUNK_OTHER(name)
#define THUNK_OBJECT(name)                THUNK_OTHER(name)

/* "DxgkDdiBuildPagingBuffer(TRANSFER)", "DxgkDdiCreateDevice: the driver refused" */
static void take_function(struct place_walk *walk, const char *call) {
    static const struct {
        const char *name;
        uint32_t slot;
    } functions[] = {
#include "driver/thunk_list.h"
        THUNK_OTHER(AddDevice) THUNK_OTHER(StartDevice) THUNK_OTHER(StopDevice)
            THUNK_OTHER(RemoveDevice) THUNK_OTHER(Unload)};
    size_t length = strcspn(call, "(:");
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        uint64_t address;
        if (strlen(functions[i].name) != length || memcmp(functions[i].name, call, length) != 0)
            continue;
        memcpy(&address, (const char *)&host_world->driver->own + functions[i].slot,
               sizeof(address));
        place_take(walk, address, false);
        return;
    }
}

uint32_t vidmm_host_places(const char *call, uint64_t *frame, uint32_t most) {
    struct place_walk walk = {.frame = frame, .most = most};
    if (!host_world && leak_known && most != 0)
        frame[walk.count++] = leak;
    if (!host_world)
        return walk.count;
    if (host_self.interrupted)
        return vidmm_host_crash_places(host_self.interrupted, frame, most);
    walk_stack(&walk);
    if (walk.count == 0)
        take_function(&walk, call);
    return walk.count;
}

static bool is_code(uint64_t address) {
    Dl_info info;
    return image_of((const void *)(uintptr_t)address) ||
           dladdr((const void *)(uintptr_t)address, &info) != 0;
}

uint32_t vidmm_host_crash_places(const void *interrupted, uint64_t *frame, uint32_t most) {
    const ucontext_t *user = interrupted;
    struct place_walk walk = {.frame = frame, .most = most};
    struct host_context context;
    uint64_t above;
    if (!host_world)
        return 0;
    host_faults_context(user, &context);
    uint64_t *rsp = &context.registers[REGISTER_RSP];
    bool somewhere = is_code(context.rip), called = unwind_peek(*rsp, &above);
    /* A jump to nowhere, or a function of ours that has not touched the stack. */
    if (called && !image_of((const void *)(uintptr_t)context.rip) &&
        (!somewhere || image_of((const void *)(uintptr_t)above))) {
        context.rip = above - 1;
        *rsp += 8;
    }
    if (image_of((const void *)(uintptr_t)context.rip)) {
        walk_image(&walk, &context, true);
    } else {
        place_take(&walk, context.rip, false);
        if (somewhere) /* the unwinder reads what it meets */
            walk_above(&walk, context.rip);
    }
    return walk.count;
}
