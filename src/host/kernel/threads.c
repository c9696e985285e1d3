/* threads.c - PsCreateSystemThread and its relatives; see threads.h. */
#undef _FORTIFY_SOURCE /* its longjmp knows of no stack but ours */
#include "kernel/irql.h"
#include "kernel/threads.h"

#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"
#include "kernel/clock.h"
#include "kernel/dispatcher.h"
#include "kernel/event_handles.h"
#include "kernel/engines.h"
#include "kernel/handles.h"
#include "kernel/kernel_stack.h"
#include "kernel/sections.h"
#include "kernel/waits.h"

/* A thread of the driver; the object that the driver knows is the first member. */
struct driver_thread {
    struct _KTHREAD thread;
    struct driver_thread *next;
    PKSTART_ROUTINE start;
    PVOID context;
    LONG references;
    bool joined;
    jmp_buf end; /* in thread_run */
};

/* The machine's time that threads get at the end of a run, to end too. */
#define LAST_NS 1000000000u

/* Under the lock of the dispatcher. */
static struct driver_thread *list;

/* Windows stops the machine for it; here the next owner learns of it, as on user mode's mutexes. */
static void thread_abandon_mutexes(PKTHREAD thread) {
    while (!IsListEmpty(&thread->mutexes)) {
        PKMUTEX mutex =
            CONTAINING_RECORD(RemoveHeadList(&thread->mutexes), KMUTEX, MutantListEntry);
        mutex->OwnerThread = NULL;
        mutex->Abandoned = TRUE;
        host_object_set(&mutex->Header, 1);
    }
}

static void thread_ended(void) {
    PKTHREAD self = host_thread_self();
    if (host_self.irql != PASSIVE_LEVEL)
        host_violation("a system thread ended at IRQL %u", host_self.irql);
    host_irql_set(PASSIVE_LEVEL);
    host_dispatcher_lock();
    bool owned = !IsListEmpty(&self->mutexes);
    host_dispatcher_unlock();
    if (owned)
        host_violation("a system thread ended that owns a mutex");
    host_dispatcher_lock();
    thread_abandon_mutexes(self);
    host_object_set(&self->header, 1);
    host_thread_leave(self);
    host_dispatcher_unlock();
}

static void *thread_run(void *argument) {
    struct driver_thread *t = argument;
    host_dispatcher_lock();
    host_thread_begin(&t->thread);
    host_dispatcher_unlock();
    host_self.doing = "a system thread of the driver";
    if (_setjmp(t->end) == 0)
        DRIVER_CALL(t->start)(t->context);
    thread_ended();
    return NULL;
}

static LONG thread_references(struct driver_thread *t, LONG change) {
    LONG left = __atomic_add_fetch(&t->references, change, __ATOMIC_SEQ_CST);
    if (left == 0)
        host_untrack(HOST_TRACKED_THREAD, t);
    return left;
}

static void thread_count(void *object, LONG change) {
    (void)thread_references(object, change);
}

/* Starts the thread; false: there is none. */
static bool thread_start(struct driver_thread *t) {
    host_dispatcher_lock();
    bool started = pthread_create(&t->thread.thread, NULL, thread_run, t) == 0;
    if (started) {
        host_thread_prepare(&t->thread);
        t->next = list;
        list = t;
    }
    host_dispatcher_unlock();
    return started;
}

NTKERNELAPI NTSTATUS NTAPI PsCreateSystemThread(PHANDLE ThreadHandle, ULONG DesiredAccess,
                                                POBJECT_ATTRIBUTES ObjectAttributes,
                                                HANDLE ProcessHandle, PCLIENT_ID ClientId,
                                                PKSTART_ROUTINE StartRoutine, PVOID StartContext) {
    (void)DesiredAccess;
    (void)ObjectAttributes;
    (void)ProcessHandle;
    if (!host_irql_at_most(PASSIVE_LEVEL, "PsCreateSystemThread"))
        return STATUS_UNSUCCESSFUL;
    struct driver_thread *t = host_may_allocate() ? calloc(1, sizeof(*t)) : NULL;
    HANDLE handle = t ? host_handle_open(HOST_HANDLE_THREAD, t, thread_count) : NULL;
    if (!handle) {
        free(t);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    t->start = StartRoutine;
    t->context = StartContext;
    if (!thread_start(t)) {
        ZwClose(handle);
        free(t);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    host_track(HOST_TRACKED_THREAD, t);
    *ThreadHandle = handle;
    if (ClientId)
        *ClientId = (CLIENT_ID){PsGetCurrentProcessId(), handle};
    return STATUS_SUCCESS;
}

/* The driver's code is left before the thread counts as ended, because it may be unloaded then; and no
 * frame of it is read: pthread_exit looks for the instructions of each. */
NTKERNELAPI NTSTATUS NTAPI PsTerminateSystemThread(NTSTATUS ExitStatus) {
    PKTHREAD self = host_thread_self();
    if (!self->driver) {
        host_violation("PsTerminateSystemThread(0x%x) was called in a thread that is no system "
                       "thread",
                       (unsigned)ExitStatus);
        return STATUS_INVALID_PARAMETER;
    }
    if (!host_irql_at_most(PASSIVE_LEVEL, "PsTerminateSystemThread"))
        host_irql_set(PASSIVE_LEVEL);
    if (host_stack_expanded()) { /* the page: the system checks that, and stops */
        host_violation("PsTerminateSystemThread was called in a routine of "
                       "KeExpandKernelStackAndCallout");
        abort();
    }
    longjmp(CONTAINING_RECORD(self, struct driver_thread, thread)->end, 1);
}

/* ---- What waited goes on ---------------------------------------------------------------------- */

static void (*_Atomic tell_goes_on)(void);

void host_threads_tell(void (*goes_on)(void)) {
    atomic_store(&tell_goes_on, goes_on);
}

void host_thread_goes_on(void) {
    if (!atomic_load_explicit(&tell_goes_on, memory_order_relaxed) || !host_thread_self()->driver)
        return;
    void (*goes_on)(void) = atomic_exchange(&tell_goes_on, NULL);
    if (goes_on)
        goes_on();
}

/* ---- The end --------------------------------------------------------------------------------- */

/* A thread that has not ended, or NULL. */
static struct driver_thread *thread_alive(void) {
    host_dispatcher_lock();
    struct driver_thread *t = list;
    while (t && t->thread.header.SignalState > 0)
        t = t->next;
    host_dispatcher_unlock();
    return t;
}

bool host_threads_alive(void) {
    return thread_alive();
}

static bool thread_join(struct driver_thread *t, uint64_t deadline) {
    struct host_link link = {.object = &t->thread.header};
    return host_wait(&link, 1, false, &deadline) == HOST_SLEEP_WOKEN;
}

uint32_t host_threads_left(void) {
    uint64_t deadline = host_now() + LAST_NS;
    uint32_t left = 0;
    struct driver_thread *t = thread_alive();
    while (t && thread_join(t, deadline))
        t = thread_alive();
    host_dispatcher_lock();
    for (t = list; t; t = t->next)
        left += t->thread.header.SignalState <= 0;
    host_dispatcher_unlock();
    for (t = list; left == 0 && t; t = t->next)
        if (!t->joined) {
            pthread_join(t->thread.thread, NULL);
            t->joined = true;
        }
    return left;
}

uint32_t host_threads_forget(void) {
    uint32_t left = 0;
    while (list) {
        struct driver_thread *t = list;
        list = t->next;
        left += t->references > 0;
        pthread_cond_destroy(&t->thread.changed);
        free(t);
    }
    (void)host_handles_forget(HOST_HANDLE_THREAD);
    return left;
}

/* ---- References ------------------------------------------------------------------------------ */

/* The thread, or NULL for objects of other kinds. */
static struct driver_thread *thread_find(const void *object) {
    host_dispatcher_lock();
    struct driver_thread *t = list;
    while (t && t != object)
        t = t->next;
    host_dispatcher_unlock();
    return t;
}

NTKERNELAPI NTSTATUS NTAPI ObReferenceObjectByHandle(HANDLE Handle, ACCESS_MASK DesiredAccess,
                                                     PVOID ObjectType, KPROCESSOR_MODE AccessMode,
                                                     PVOID *Object, PVOID HandleInformation) {
    (void)DesiredAccess;
    (void)ObjectType;
    (void)AccessMode;
    (void)HandleInformation;
    *Object = NULL;
    if (!host_irql_at_most(PASSIVE_LEVEL, "ObReferenceObjectByHandle"))
        return STATUS_UNSUCCESSFUL;
    *Object = host_handle_reference(Handle, "ObReferenceObjectByHandle");
    return *Object ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
}

NTKERNELAPI NTSTATUS NTAPI ObReferenceObjectByHandleWithTag(
    HANDLE Handle, ACCESS_MASK DesiredAccess, POBJECT_TYPE ObjectType, KPROCESSOR_MODE AccessMode,
    ULONG Tag, PVOID *Object, POBJECT_HANDLE_INFORMATION HandleInformation) {
    (void)Tag;
    return ObReferenceObjectByHandle(Handle, DesiredAccess, ObjectType, AccessMode, Object,
                                     HandleInformation);
}

HANDLE host_thread_handle(void *object) {
    struct driver_thread *t = thread_find(object);
    return t ? host_handle_open(HOST_HANDLE_THREAD, t, thread_count) : NULL;
}

/* Objects of other kinds have no counts. */
static LONG thread_reference(PVOID object, LONG change) {
    struct driver_thread *t = thread_find(object);
    if (t)
        return thread_references(t, change);
    return host_section_name(object) ? host_section_reference(object, change)
                                     : host_event_reference(object, change);
}

NTKERNELAPI LONG_PTR NTAPI ObfReferenceObject(PVOID Object) {
    host_irql_at_most(DISPATCH_LEVEL, "ObReferenceObject");
    return thread_reference(Object, 1);
}

NTKERNELAPI LONG_PTR NTAPI ObfDereferenceObject(PVOID Object) {
    host_irql_at_most(DISPATCH_LEVEL, "ObDereferenceObject");
    LONG left = thread_reference(Object, -1);
    if (left < 0)
        host_violation("ObDereferenceObject of a thread that has no reference");
    return left;
}

/* Some other time, at PASSIVE_LEVEL: any is. */
NTKERNELAPI VOID NTAPI ObDereferenceObjectDeferDelete(PVOID Object) {
    host_irql_at_most(DISPATCH_LEVEL, "ObDereferenceObjectDeferDelete");
    ObfDereferenceObject(Object);
}

NTKERNELAPI NTSTATUS NTAPI ObReferenceObjectByPointer(PVOID Object, ACCESS_MASK DesiredAccess,
                                                      POBJECT_TYPE ObjectType,
                                                      KPROCESSOR_MODE AccessMode) {
    (void)DesiredAccess;
    (void)ObjectType;
    (void)AccessMode;
    host_irql_at_most(DISPATCH_LEVEL, "ObReferenceObjectByPointer");
    ObfReferenceObject(Object);
    return STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI ObCloseHandle(HANDLE Handle, KPROCESSOR_MODE PreviousMode) {
    (void)PreviousMode;
    return ZwClose(Handle);
}

/* ---- The calling thread ---------------------------------------------------------------------- */

NTKERNELAPI HANDLE NTAPI PsGetCurrentProcessId(VOID) {
    return (HANDLE)(uintptr_t)4; /* the system process */
}

NTKERNELAPI HANDLE NTAPI PsGetCurrentThreadId(VOID) {
    return (HANDLE)(uintptr_t)(host_thread_id() * 4);
}

NTKERNELAPI PKTHREAD NTAPI KeGetCurrentThread(VOID) {
    return host_thread_self();
}

NTKERNELAPI KPRIORITY NTAPI KeSetPriorityThread(PKTHREAD Thread, KPRIORITY Priority) {
    (void)Thread;
    (void)Priority;
    host_irql_at_most(PASSIVE_LEVEL, "KeSetPriorityThread");
    return 8; /* normal */
}

NTKERNELAPI ULONG NTAPI KeGetCurrentProcessorNumber(VOID) {
    int cpu = sched_getcpu();
    return host_world->engines->threaded && cpu >= 0 ? (ULONG)cpu : 0;
}
