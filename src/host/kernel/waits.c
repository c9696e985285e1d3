/* waits.c - signals and waits of waits.h. */
#include "kernel/waits.h"

#include <string.h>

#include "base/world.h"
#include "kernel/dispatcher.h"

/* Handles and small numbers lie outside of what a pointer can be. */
#define LOWEST_POINTER  UINT64_C(0x10000)
#define HIGHEST_POINTER UINT64_C(0x7fffffffffff)

void host_object_init(DISPATCHER_HEADER *header, enum host_object type, LONG state,
                      const char *function) {
    host_dispatcher_lock();
    bool awaited = host_thread_waiting(header);
    LIST_ENTRY waiting = header->WaitListHead;
    memset(header, 0, sizeof(*header));
    header->Type = (UCHAR)type;
    header->SignalState = state;
    if (awaited)
        header->WaitListHead = waiting;
    else
        InitializeListHead(&header->WaitListHead);
    host_dispatcher_unlock();
    if (awaited)
        host_violation("%s initializes an object that a thread waits for", function);
}

static bool is_initialized(const DISPATCHER_HEADER *header) {
    host_dispatcher_lock();
    UCHAR type = header->Type;
    bool list = header->WaitListHead.Flink;
    host_dispatcher_unlock();
    return list && (type <= HOST_OBJECT_MUTEX || type == HOST_OBJECT_SEMAPHORE ||
                    type == HOST_OBJECT_THREAD || type == HOST_OBJECT_NOTIFICATION_TIMER ||
                    type == HOST_OBJECT_SYNCHRONIZATION_TIMER);
}

bool host_object_good(const DISPATCHER_HEADER *header, const char *function) {
    uint64_t address = (uintptr_t)header;
    if (address < LOWEST_POINTER || address > HIGHEST_POINTER)
        host_violation("%s gets 0x%llx, which is no pointer to an object%s", function,
                       (unsigned long long)address, address != 0 ? " but perhaps a handle" : "");
    else if (!is_initialized(header))
        host_violation("%s gets an object that was not initialized", function);
    else
        return true;
    return false;
}

/* ---- Satisfying ------------------------------------------------------------------------------ */

static bool is_signalled(const DISPATCHER_HEADER *header, PKTHREAD thread) {
    bool own = header->Type == HOST_OBJECT_MUTEX && ((const KMUTEX *)header)->OwnerThread == thread;
    return own || header->SignalState > 0;
}

static void take_mutex(KMUTEX *mutex, PKTHREAD thread) {
    mutex->Header.SignalState--;
    if (mutex->OwnerThread == thread)
        return;
    mutex->OwnerThread = thread;
    InsertTailList(&thread->mutexes, &mutex->MutantListEntry);
    thread->abandoned |= mutex->Abandoned != 0;
    mutex->Abandoned = FALSE;
}

/* The effect on an object of a wait of `thread` that it satisfies. */
static void object_take(DISPATCHER_HEADER *header, PKTHREAD thread) {
    switch ((enum host_object)header->Type) {
    case HOST_OBJECT_MUTEX:
        take_mutex((KMUTEX *)header, thread);
        break;
    case HOST_OBJECT_SEMAPHORE:
        header->SignalState--;
        break;
    case HOST_OBJECT_SYNCHRONIZATION_EVENT:
    case HOST_OBJECT_SYNCHRONIZATION_TIMER:
        header->SignalState = 0;
        break;
    case HOST_OBJECT_NOTIFICATION_EVENT:
    case HOST_OBJECT_NOTIFICATION_TIMER:
    case HOST_OBJECT_THREAD:
        break;
    }
}

/* Satisfies a wait with all of its objects, or with the first that is signalled; false: it goes
 * on. */
static bool satisfy(PKTHREAD thread, const struct host_link *links, uint32_t count) {
    uint32_t first = count, signalled = 0;
    for (uint32_t i = count; i-- > 0;)
        if (is_signalled(links[i].object, thread)) {
            signalled++;
            first = i;
        }
    thread->abandoned = false;
    thread->satisfied = 0;
    if (thread->all && signalled == count) {
        for (uint32_t i = 0; i < count; i++)
            object_take(links[i].object, thread);
    } else if (!thread->all && signalled != 0) {
        thread->satisfied = first;
        object_take(links[first].object, thread);
    } else {
        return false;
    }
    return true;
}

LONG host_object_set(DISPATCHER_HEADER *header, LONG state) {
    LONG old = header->SignalState;
    LIST_ENTRY *e = header->WaitListHead.Flink;
    header->SignalState = state;
    while (header->SignalState > 0 && e != &header->WaitListHead) {
        PKTHREAD thread = CONTAINING_RECORD(e, struct host_link, entry)->thread;
        e = e->Flink;
        if (!satisfy(thread, thread->links, thread->link_count))
            continue;
        host_thread_wake(thread, HOST_SLEEP_WOKEN);
        e = header->WaitListHead.Flink; /* the thread may have been in the list twice */
    }
    return old;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

enum host_sleep_end host_wait(struct host_link *links, uint32_t count, bool all,
                              const uint64_t *deadline) {
    PKTHREAD self = host_thread_self();
    enum host_sleep_end end = HOST_SLEEP_TIMEOUT;
    host_dispatcher_lock();
    self->all = all;
    if (satisfy(self, links, count)) {
        end = HOST_SLEEP_WOKEN;
    } else if (deadline) {
        for (uint32_t i = 0; i < count; i++) {
            links[i].thread = self;
            InsertTailList(&links[i].object->WaitListHead, &links[i].entry);
        }
        end = host_thread_sleep(links, count, *deadline);
    }
    host_dispatcher_unlock();
    return end;
}
