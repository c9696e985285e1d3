/* threads.c - PsCreateSystemThread and its relatives; see threads.h. */
#include "kernel/threads.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/dispatcher.h"
#include "kernel/engines.h"

struct _KTHREAD {
    DISPATCHER_HEADER header; /* signalled when the thread has ended */
    struct _KTHREAD *next;
    pthread_t thread;
    PKSTART_ROUTINE start;
    PVOID context;
    LONG references;
};

/* Real time at the end of a run for threads that are about to end. */
#define LAST_TICKS 200u

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct _KTHREAD *list;
static _Thread_local struct _KTHREAD *system_thread;

static void thread_ended(void) {
    if (host_self.irql != PASSIVE_LEVEL)
        host_violation("a system thread ended at IRQL %u", host_self.irql);
    host_self.irql = PASSIVE_LEVEL;
    host_object_set(&system_thread->header, 1);
    atomic_fetch_sub(&host_world->engines->system_threads, 1);
}

static void *thread_run(void *argument) {
    system_thread = argument;
    host_self.doing = "a system thread of the driver";
    system_thread->start(system_thread->context);
    thread_ended();
    return NULL;
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
    struct _KTHREAD *t = host_may_allocate() ? calloc(1, sizeof(*t)) : NULL;
    if (!t)
        return STATUS_INSUFFICIENT_RESOURCES;
    host_object_init(&t->header, HOST_OBJECT_THREAD, 0);
    t->start = StartRoutine;
    t->context = StartContext;
    t->references = 1;
    atomic_fetch_add(&host_world->engines->system_threads, 1);
    pthread_mutex_lock(&list_lock);
    if (pthread_create(&t->thread, NULL, thread_run, t) != 0) {
        pthread_mutex_unlock(&list_lock);
        atomic_fetch_sub(&host_world->engines->system_threads, 1);
        free(t);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    t->next = list;
    list = t;
    pthread_mutex_unlock(&list_lock);
    *ThreadHandle = t;
    if (ClientId)
        *ClientId = (CLIENT_ID){PsGetCurrentProcessId(), t};
    return STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI PsTerminateSystemThread(NTSTATUS ExitStatus) {
    if (!system_thread) {
        host_violation("PsTerminateSystemThread(0x%x) was called in a thread that is no system "
                       "thread",
                       (unsigned)ExitStatus);
        return STATUS_INVALID_PARAMETER;
    }
    thread_ended();
    pthread_exit(NULL);
}

bool host_thread_idles(void) {
    if (!system_thread)
        return false;
    host_idle();
    return true;
}

/* Waits once more: a thread that was asked to end may need time. */
uint32_t host_threads_left(void) {
    const struct timespec tick = {.tv_nsec = 5000000};
    _Atomic uint32_t *alive = &host_world->engines->system_threads;
    for (uint32_t i = 0; i < LAST_TICKS && atomic_load(alive) != 0; i++)
        nanosleep(&tick, NULL);
    uint32_t left = atomic_load(alive);
    for (struct _KTHREAD *t = list; left == 0 && t; t = t->next)
        if (t->start) {
            pthread_join(t->thread, NULL);
            t->start = NULL;
        }
    return left;
}

uint32_t host_threads_forget(void) {
    uint32_t left = 0;
    while (list) {
        struct _KTHREAD *t = list;
        list = t->next;
        left += t->references > 0;
        free(t);
    }
    return left;
}

/* A thread object, or NULL for handles of other kinds. */
static struct _KTHREAD *thread_find(const void *object) {
    struct _KTHREAD *t;
    pthread_mutex_lock(&list_lock);
    for (t = list; t && t != object; t = t->next)
        ;
    pthread_mutex_unlock(&list_lock);
    return t;
}

static LONG thread_reference(PVOID object, LONG change) {
    struct _KTHREAD *t = thread_find(object);
    return t ? __atomic_add_fetch(&t->references, change, __ATOMIC_SEQ_CST) : 0;
}

NTKERNELAPI NTSTATUS NTAPI ObReferenceObjectByHandle(HANDLE Handle, ACCESS_MASK DesiredAccess,
                                                     PVOID ObjectType, KPROCESSOR_MODE AccessMode,
                                                     PVOID *Object, PVOID HandleInformation) {
    (void)DesiredAccess;
    (void)ObjectType;
    (void)AccessMode;
    (void)HandleInformation;
    *Object = thread_find(Handle);
    if (!*Object)
        return STATUS_INVALID_HANDLE;
    thread_reference(Handle, 1);
    return STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI ObReferenceObjectByHandleWithTag(
    HANDLE Handle, ACCESS_MASK DesiredAccess, POBJECT_TYPE ObjectType, KPROCESSOR_MODE AccessMode,
    ULONG Tag, PVOID *Object, POBJECT_HANDLE_INFORMATION HandleInformation) {
    (void)Tag;
    return ObReferenceObjectByHandle(Handle, DesiredAccess, ObjectType, AccessMode, Object,
                                     HandleInformation);
}

NTKERNELAPI LONG_PTR NTAPI ObfReferenceObject(PVOID Object) {
    return thread_reference(Object, 1);
}

NTKERNELAPI LONG_PTR NTAPI ObfDereferenceObject(PVOID Object) {
    return thread_reference(Object, -1);
}

NTSYSAPI NTSTATUS NTAPI ZwClose(HANDLE Handle) {
    host_irql_at_most(PASSIVE_LEVEL, "ZwClose");
    thread_reference(Handle, -1);
    return STATUS_SUCCESS;
}

NTKERNELAPI HANDLE NTAPI PsGetCurrentProcessId(VOID) {
    return (HANDLE)(uintptr_t)4; /* the system process */
}

NTKERNELAPI HANDLE NTAPI PsGetCurrentThreadId(VOID) {
    return (HANDLE)(uintptr_t)(host_thread_id() * 4);
}

NTKERNELAPI PKTHREAD NTAPI KeGetCurrentThread(VOID) {
    return system_thread ? system_thread : (PKTHREAD)(void *)&host_self;
}

NTKERNELAPI KPRIORITY NTAPI KeSetPriorityThread(PKTHREAD Thread, KPRIORITY Priority) {
    (void)Thread;
    (void)Priority;
    return 8; /* normal */
}

NTKERNELAPI ULONG NTAPI KeGetCurrentProcessorNumber(VOID) {
    int cpu = sched_getcpu();
    return host_world->engines->threaded && cpu >= 0 ? (ULONG)cpu : 0;
}
