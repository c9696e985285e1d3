/* places.c - see places.h. */
#include "places.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "base/thread.h"
#include "base/world.h"
#include "driver/driver.h"
#include "image/image.h"
#include "image/unwind.h"
#include "left.h"
#include "moment.h"
#include "trap/faults.h"

struct place_walk {
    uint64_t *frame;
    uint32_t count, most;
    bool near;     /* the driver's frames that follow each other are enough */
    bool in_image; /* the compiler's unwinder has come to code of an image, with these registers: */
    struct host_context context;
};

/* ---- In the file ----------------------------------------------------------------------------- */

/* The shared object of a driver, where it lies. */
struct shared_object {
    uint64_t base, end;
};

static int find_end(struct dl_phdr_info *info, size_t size, void *to) {
    struct shared_object *object = to;
    (void)size;
    for (int i = 0; info->dlpi_addr == object->base && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uint64_t end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        if (part->p_type == PT_LOAD && end > object->end)
            object->end = end;
    }
    return info->dlpi_addr == object->base;
}

static struct shared_object shared_of(const void *entry) {
    static const char here; /* in the program */
    struct shared_object object = {.base = 0};
    Dl_info driver, program;
    if (!entry || dladdr(entry, &driver) == 0 || dladdr(&here, &program) == 0 ||
        driver.dli_fbase == program.dli_fbase)
        return object;
    object.base = (uintptr_t)driver.dli_fbase;
    (void)dl_iterate_phdr(find_end, &object);
    return object;
}

static const void *driver_entry(void) {
    const void *entry;
    DRIVER_INITIALIZE *function = host_world->driver->object.DriverInit;
    memcpy(&entry, &function, sizeof(entry));
    return entry;
}

/* Found once for each driver: this is asked for every frame. */
static struct shared_object shared_driver(void) {
    static _Thread_local const void *entry_of;
    static _Thread_local struct shared_object object;
    const void *entry = driver_entry();
    if (entry != entry_of) {
        object = shared_of(entry);
        entry_of = entry;
    }
    return object;
}

bool host_place_of(uint64_t address, uint64_t *offset) {
    const struct host_image *image = image_of((const void *)(uintptr_t)address);
    struct shared_object shared = image ? (struct shared_object){.base = 0} : shared_driver();
    if (!image && (address < shared.base || address >= shared.end))
        return false;
    *offset = address - (image ? (uintptr_t)image->base : shared.base);
    return true;
}

/* `before`: of a return address, the call in front of it. */
static void place_take(struct place_walk *walk, uint64_t address, bool before) {
    uint64_t offset;
    if (walk->count < walk->most && host_place_of(address - before, &offset))
        walk->frame[walk->count++] = offset;
}

/* ---- On the stack ---------------------------------------------------------------------------- */

/* Registers that functions keep; numbers as the unwinder has them. */
static void take_registers(struct _Unwind_Context *from, struct host_context *to) {
    enum { RBX = 3, RBP = 6, R12 = 12, R15 = 15 };
    memset(to, 0, sizeof(*to));
    to->rip = _Unwind_GetIP(from);
    to->registers[REGISTER_RSP] = _Unwind_GetCFA(from);
    to->registers[REGISTER_RBX] = _Unwind_GetGR(from, RBX);
    to->registers[REGISTER_RBP] = _Unwind_GetGR(from, RBP);
    for (int i = R12; i <= R15; i++)
        to->registers[i] = _Unwind_GetGR(from, i);
}

static _Unwind_Reason_Code one_frame(struct _Unwind_Context *context, void *to) {
    struct place_walk *walk = to;
    uint64_t address = _Unwind_GetIP(context);
    if (image_of((const void *)(uintptr_t)address)) {
        walk->in_image = true;
        take_registers(context, &walk->context);
        return _URC_END_OF_STACK;
    }
    uint32_t before = walk->count;
    place_take(walk, address, true);
    bool left = walk->near && before != 0 && walk->count == before;
    return walk->count < walk->most && !left ? _URC_NO_REASON : _URC_END_OF_STACK;
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

/* A driver that is part of the program is in no file of its own. */
static bool has_file(void) {
    return image_of(driver_entry()) || shared_driver().end != 0;
}

static void walk_stack(struct place_walk *walk) {
    if (!has_file())
        return;
    (void)_Unwind_Backtrace(one_frame, walk);
    if (walk->in_image)
        walk_image(walk, &walk->context, false);
}

uint32_t host_place_stack(uint64_t *frame, uint32_t most) {
    struct place_walk walk = {.frame = frame, .most = most};
    walk_stack(&walk);
    return walk.count;
}

/* Behind a signal: what called the interrupted instruction, which the unwinder meets, too. */
static void walk_above(struct place_walk *walk, uint64_t interrupted) {
    uint64_t frame[16];
    uint64_t offset = 0;
    uint32_t count = host_place_stack(frame, sizeof(frame) / sizeof(frame[0]));
    bool met = !host_place_of(interrupted - 1, &offset);
    for (uint32_t i = 0; i < count && walk->count < walk->most; i++) {
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

uint64_t host_place_function(const char *call) {
    static const struct {
        const char *name;
        uint32_t slot;
    } functions[] = {
#include "driver/thunk_list.h"
        THUNK_OTHER(AddDevice) THUNK_OTHER(StartDevice) THUNK_OTHER(StopDevice)
            THUNK_OTHER(RemoveDevice) THUNK_OTHER(Unload) THUNK_OTHER(DpcRoutine)
                THUNK_OTHER(InterruptRoutine)};
    size_t length = strcspn(call, "(:");
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        uint64_t address;
        if (strlen(functions[i].name) != length || memcmp(functions[i].name, call, length) != 0)
            continue;
        memcpy(&address, (const char *)&host_world->driver->own + functions[i].slot,
               sizeof(address));
        return address;
    }
    return 0;
}

uint32_t vidmm_host_places(const char *call, uint64_t *frame, uint32_t most) {
    struct place_walk walk = {.frame = frame, .most = most, .near = !call};
    const struct host_trace *leak = host_left_told();
    for (; leak && walk.count < leak->count && walk.count < most; walk.count++)
        frame[walk.count] = leak->frame[walk.count];
    if (!host_world || leak)
        return walk.count;
    if (host_self.interrupted)
        return vidmm_host_crash_places(host_self.interrupted, frame, most);
    walk_stack(&walk);
    if (walk.count == 0 && call)
        walk.count = host_moment_told(frame, most);
    if (walk.count == 0 && call)
        place_take(&walk, host_place_function(call), false);
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
