/*
 * kernel_stack.c - what a driver may know of the stack that it runs on, and more of it for a while.
 *
 * Pages: using-the-kernel-stack.md, nf-wdm-iogetstacklimits.md, nf-wdm-iogetremainingstacksize.md,
 * nf-wdm-iogetinitialstack.md, nf-ntddk-keexpandkernelstackandcallout.md,
 * nf-ntddk-keexpandkernelstackandcalloutex.md, nc-ntddk-expand_stack_callout.md. A driver that is a
 * shared object runs on its thread's own stack (image/stack.h), which is larger.
 */
#include "kernel/kernel_stack.h"

#include <pthread.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"

enum { EXPANSIONS_MOST = 8 }; /* stacks at once; no page says where Windows' limit is */

static _Thread_local uint32_t callouts, expansions;

static void thread_limits(PULONG_PTR low, PULONG_PTR high) {
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    *low = *high = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
        *low = (ULONG_PTR)lowest;
        *high = (ULONG_PTR)lowest + size;
    }
    pthread_attr_destroy(&attributes);
}

NTKERNELAPI VOID NTAPI IoGetStackLimits(PULONG_PTR LowLimit, PULONG_PTR HighLimit) {
    if (host_stack.size == 0) {
        thread_limits(LowLimit, HighLimit);
        return;
    }
    *LowLimit = host_stack.low;
    *HighLimit = host_stack.low + host_stack.size;
}

NTKERNELAPI ULONG_PTR NTAPI IoGetRemainingStackSize(VOID) {
    ULONG_PTR low, high, here = (ULONG_PTR)__builtin_frame_address(0);
    if (host_stack.size != 0)
        return image_stack_left();
    thread_limits(&low, &high);
    return here > low && here < high ? here - low : 0;
}

NTKERNELAPI PVOID NTAPI IoGetInitialStack(VOID) {
    ULONG_PTR low, high;
    host_irql_at_most(APC_LEVEL, "IoGetInitialStack");
    IoGetStackLimits(&low, &high);
    return (PVOID)high;
}

/* ---- What is on it --------------------------------------------------------------------------- */

#define SOIL_BYTES 4096u
#define SOIL       0xa5
/* Writing it takes as long as a sixth of a paging operation: the first calls of a thread have it, as a rule
 * all of a stage of vidmm check, and one of SOIL_EVERY after them. */
#define SOIL_FIRST 32768u
#define SOIL_EVERY 16u

/* Of a shared object the driver's functions have their variables where those of this one were. */
__attribute__((noinline)) static void soil_own(void) {
    unsigned char bytes[SOIL_BYTES];
    memset(bytes, SOIL, sizeof(bytes));
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

static _Thread_local uint32_t soil_calls;

static bool soil_due(void) {
    if (soil_calls == SOIL_FIRST + SOIL_EVERY)
        soil_calls = SOIL_FIRST;
    return soil_calls++ <= SOIL_FIRST;
}

void host_stack_begin(void) {
    soil_calls = 0;
}

void host_stack_soil(void) {
    if (!soil_due())
        return;
    uint64_t left = host_stack.size != 0 ? image_stack_left() : 0;
    uint64_t bytes = left < SOIL_BYTES ? left : SOIL_BYTES;
    bool outside = !host_stack_has((uintptr_t)__builtin_frame_address(0));
    if (host_stack.size == 0)
        soil_own();
    else if (outside)
        memset((void *)(uintptr_t)(host_stack.driver - bytes), SOIL, bytes);
}

/* ---- More of it ------------------------------------------------------------------------------ */

static void callout(PEXPAND_STACK_CALLOUT function, PVOID parameter, const char *name) {
    KIRQL irql = host_self.irql;
    callouts++;
    DRIVER_CALL(function)(parameter);
    callouts--;
    if (host_self.irql == irql)
        return;
    host_violation("a routine of %s was called at IRQL %u and returned at IRQL %u", name, irql,
                   host_self.irql);
    host_self.irql = irql;
}

static NTSTATUS call_expanded(PEXPAND_STACK_CALLOUT function, PVOID parameter, SIZE_T size,
                              const char *name) {
    struct host_stack before;
    uint64_t bytes = (size + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
    if (size > MAXIMUM_EXPANSION_SIZE)
        return STATUS_INVALID_PARAMETER_3;
    if (host_stack.size == 0 || size <= image_stack_left()) {
        callout(function, parameter, name);
        return STATUS_SUCCESS;
    }
    if (expansions >= EXPANSIONS_MOST)
        return STATUS_STACK_OVERFLOW;
    if (!host_may_allocate() || !image_stack_begin(bytes, &before))
        return STATUS_NO_MEMORY;
    expansions++;
    callout(function, parameter, name);
    expansions--;
    image_stack_end(&before);
    return STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI KeExpandKernelStackAndCalloutEx(PEXPAND_STACK_CALLOUT Callout,
                                                           PVOID Parameter, SIZE_T Size,
                                                           BOOLEAN Wait, PVOID Context) {
    static const char name[] = "KeExpandKernelStackAndCalloutEx";
    if (!host_irql_at_most(DISPATCH_LEVEL, name))
        return STATUS_UNSUCCESSFUL;
    if (Context)
        host_violation("%s with a Context, which is reserved", name);
    if (Wait && host_self.irql == DISPATCH_LEVEL)
        return STATUS_INVALID_PARAMETER_4;
    return call_expanded(Callout, Parameter, Size, name);
}

NTKERNELAPI NTSTATUS NTAPI KeExpandKernelStackAndCallout(PEXPAND_STACK_CALLOUT Callout,
                                                         PVOID Parameter, SIZE_T Size) {
    static const char name[] = "KeExpandKernelStackAndCallout";
    if (!host_irql_at_most(APC_LEVEL, name))
        return STATUS_UNSUCCESSFUL;
    return call_expanded(Callout, Parameter, Size, name);
}

bool host_stack_expanded(void) {
    return callouts != 0;
}
