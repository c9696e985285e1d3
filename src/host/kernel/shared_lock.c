/*
 * shared_lock.c - locks for one owner or many that share: executive resources and push locks (pages
 * nf-wdm-exacquireresourceexclusivelite, nf-wdm-exacquirepushlockexclusive and their neighbours).
 *
 * Both have a word: bit 0 is the exclusive owner, the rest counts those that share, two each. Who
 * waits is in one list for all locks, in the order of coming; a release grants from its front, so
 * that a stream of readers cannot hold a writer off.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/in_use.h"
#include "base/thread.h"
#include "base/world.h"

#define EXCLUSIVE ((ULONG_PTR)1)
#define SHARED    ((ULONG_PTR)2)

struct waiter {
    struct waiter *next;
    ULONG_PTR *word;
    bool shared;
    KEVENT granted;
};

static pthread_mutex_t shared_lock_guard = PTHREAD_MUTEX_INITIALIZER;
static struct waiter *shared_lock_first;

static bool lock_awaited(const ULONG_PTR *word) {
    const struct waiter *waiter = shared_lock_first;
    while (waiter && waiter->word != word)
        waiter = waiter->next;
    return waiter;
}

static bool word_take(ULONG_PTR *word, bool shared) {
    if (shared ? (*word & EXCLUSIVE) != 0 : *word != 0)
        return false;
    *word += shared ? SHARED : EXCLUSIVE;
    return true;
}

/* `passes`: those that wait already, which otherwise come first. */
static bool word_acquire(ULONG_PTR *word, bool shared, bool passes, bool wait) {
    struct waiter self = {.word = word, .shared = shared};
    pthread_mutex_lock(&shared_lock_guard);
    bool taken = (passes || !lock_awaited(word)) && word_take(word, shared);
    if (!taken && wait) {
        KeInitializeEvent(&self.granted, NotificationEvent, FALSE);
        struct waiter **end = &shared_lock_first;
        while (*end)
            end = &(*end)->next;
        *end = &self;
    }
    pthread_mutex_unlock(&shared_lock_guard);
    if (!taken && wait)
        KeWaitForSingleObject(&self.granted, Executive, KernelMode, FALSE, NULL);
    return taken || wait;
}

/* The first that waits for the word and can have it now, out of the list. */
static struct waiter *word_grant(ULONG_PTR *word) {
    struct waiter **link = &shared_lock_first;
    while (*link && (*link)->word != word)
        link = &(*link)->next;
    struct waiter *waiter = *link;
    if (!waiter || !word_take(word, waiter->shared))
        return NULL;
    *link = waiter->next;
    return waiter;
}

static void word_release(ULONG_PTR *word, bool shared) {
    struct waiter *granted;
    pthread_mutex_lock(&shared_lock_guard);
    *word -= shared ? SHARED : EXCLUSIVE;
    while ((granted = word_grant(word)))
        KeSetEvent(&granted->granted, 0, FALSE);
    pthread_mutex_unlock(&shared_lock_guard);
}

/* ---- Executive resources ---------------------------------------------------------------------- */

struct sharer {
    struct sharer *next;
    ERESOURCE_THREAD thread;
    ULONG count;
};

static struct sharer *sharer_find(const ERESOURCE *resource, ERESOURCE_THREAD thread) {
    struct sharer *sharer = resource->OwnerTable;
    while (sharer && sharer->thread != thread)
        sharer = sharer->next;
    return sharer;
}

static ERESOURCE_THREAD self_thread(void) {
    return ExGetCurrentResourceThread();
}

NTKERNELAPI NTSTATUS NTAPI ExInitializeResourceLite(PERESOURCE Resource) {
    host_irql_at_most(DISPATCH_LEVEL, "ExInitializeResourceLite");
    memset(Resource, 0, sizeof(*Resource));
    InitializeListHead(&Resource->SystemResourcesList);
    host_in_use(HOST_IN_USE_RESOURCE, Resource, NULL);
    return STATUS_SUCCESS;
}

static void resource_end(PERESOURCE resource, const char *function) {
    if (resource->SpinLock != 0)
        host_violation("%s of a resource that is owned", function);
    for (struct sharer *sharer = resource->OwnerTable, *next; sharer; sharer = next) {
        next = sharer->next;
        free(sharer);
    }
    resource->OwnerTable = NULL;
}

NTKERNELAPI NTSTATUS NTAPI ExDeleteResourceLite(PERESOURCE Resource) {
    host_irql_at_most(APC_LEVEL, "ExDeleteResourceLite");
    resource_end(Resource, "ExDeleteResourceLite");
    host_in_use_end(Resource);
    return STATUS_SUCCESS;
}

NTKERNELAPI NTSTATUS NTAPI ExReinitializeResourceLite(PERESOURCE Resource) {
    host_irql_at_most(DISPATCH_LEVEL, "ExReinitializeResourceLite");
    resource_end(Resource, "ExReinitializeResourceLite");
    return ExInitializeResourceLite(Resource);
}

/* Zeroes would do here; in Windows it is in a list of all of them. */
static bool resource_good(const ERESOURCE *resource, const char *function) {
    bool good = resource->SystemResourcesList.Flink;
    if (!good)
        host_violation("%s gets an object that was not initialized", function);
    return good;
}

/* The page: normal kernel APCs have to be disabled, or an owner could be suspended. */
static bool lock_may(const char *function) {
    if (!host_irql_at_most(APC_LEVEL, function))
        return false;
    if (!KeAreApcsDisabled())
        host_violation("%s where APCs are not disabled: KeEnterCriticalRegion comes before",
                       function);
    return true;
}

NTKERNELAPI BOOLEAN NTAPI ExAcquireResourceExclusiveLite(PERESOURCE Resource, BOOLEAN Wait) {
    if (!lock_may("ExAcquireResourceExclusiveLite") ||
        !resource_good(Resource, "ExAcquireResourceExclusiveLite"))
        return FALSE;
    if (Resource->OwnerThread == self_thread()) {
        Resource->OwnerCount++;
        return TRUE;
    }
    if (!word_acquire(&Resource->SpinLock, false, false, Wait))
        return FALSE;
    Resource->OwnerThread = self_thread();
    Resource->OwnerCount = 1;
    return TRUE;
}

static bool sharer_add(PERESOURCE resource) {
    struct sharer *sharer = calloc(1, sizeof(*sharer));
    if (!sharer)
        return false;
    sharer->thread = self_thread();
    sharer->count = 1;
    pthread_mutex_lock(&shared_lock_guard);
    sharer->next = resource->OwnerTable;
    resource->OwnerTable = sharer;
    resource->ActiveEntries++;
    pthread_mutex_unlock(&shared_lock_guard);
    return true;
}

static bool resource_awaited(const ERESOURCE *resource) {
    pthread_mutex_lock(&shared_lock_guard);
    bool awaited = lock_awaited(&resource->SpinLock);
    pthread_mutex_unlock(&shared_lock_guard);
    return awaited;
}

/* The calling thread shares it once more; false: it does not share it. */
static bool sharer_again(PERESOURCE resource) {
    pthread_mutex_lock(&shared_lock_guard);
    struct sharer *sharer = sharer_find(resource, self_thread());
    if (sharer)
        sharer->count++;
    pthread_mutex_unlock(&shared_lock_guard);
    return sharer;
}

/* `passes` threads that wait for it; `yields` to them even when the caller shares it already. */
static bool resource_share(PERESOURCE resource, bool wait, bool passes, bool yields,
                           const char *function) {
    if (!lock_may(function) || !resource_good(resource, function))
        return false;
    if (resource->OwnerThread == self_thread()) {
        resource->OwnerCount++;
        return true;
    }
    bool behind = yields && resource_awaited(resource);
    if (!behind && sharer_again(resource))
        return true;
    return word_acquire(&resource->SpinLock, true, passes, wait) && sharer_add(resource);
}

NTKERNELAPI BOOLEAN NTAPI ExAcquireResourceSharedLite(PERESOURCE Resource, BOOLEAN Wait) {
    return resource_share(Resource, Wait, false, false, "ExAcquireResourceSharedLite");
}

NTKERNELAPI BOOLEAN NTAPI ExAcquireSharedStarveExclusive(PERESOURCE Resource, BOOLEAN Wait) {
    return resource_share(Resource, Wait, true, false, "ExAcquireSharedStarveExclusive");
}

NTKERNELAPI BOOLEAN NTAPI ExAcquireSharedWaitForExclusive(PERESOURCE Resource, BOOLEAN Wait) {
    return resource_share(Resource, Wait, false, true, "ExAcquireSharedWaitForExclusive");
}

/* The last time that a thread which shares releases it: out of the table. */
static bool sharer_release(PERESOURCE resource, ERESOURCE_THREAD thread, bool *last) {
    pthread_mutex_lock(&shared_lock_guard);
    struct sharer **link = (struct sharer **)&resource->OwnerTable;
    while (*link && (*link)->thread != thread)
        link = &(*link)->next;
    struct sharer *sharer = *link;
    *last = sharer && --sharer->count == 0;
    if (*last) {
        *link = sharer->next;
        resource->ActiveEntries--;
    }
    pthread_mutex_unlock(&shared_lock_guard);
    if (*last)
        free(sharer);
    return sharer;
}

NTKERNELAPI VOID NTAPI ExReleaseResourceForThreadLite(PERESOURCE Resource,
                                                      ERESOURCE_THREAD ResourceThreadId) {
    bool last;
    host_irql_at_most(DISPATCH_LEVEL, "ExReleaseResourceLite");
    if (Resource->OwnerThread == ResourceThreadId) {
        if (--Resource->OwnerCount == 0) {
            Resource->OwnerThread = 0;
            word_release(&Resource->SpinLock, false);
        }
    } else if (!sharer_release(Resource, ResourceThreadId, &last))
        host_violation("ExReleaseResourceLite of a resource that the thread does not own");
    else if (last)
        word_release(&Resource->SpinLock, true);
}

NTKERNELAPI VOID NTAPI ExReleaseResourceLite(PERESOURCE Resource) {
    ExReleaseResourceForThreadLite(Resource, self_thread());
}

NTKERNELAPI VOID NTAPI ExConvertExclusiveToSharedLite(PERESOURCE Resource) {
    host_irql_at_most(APC_LEVEL, "ExConvertExclusiveToSharedLite");
    if (Resource->OwnerThread != self_thread()) {
        host_violation("ExConvertExclusiveToSharedLite of a resource that the thread does not own");
        return;
    }
    struct waiter *granted;
    ULONG count = Resource->OwnerCount;
    Resource->OwnerThread = 0;
    Resource->OwnerCount = 0;
    sharer_add(Resource);
    pthread_mutex_lock(&shared_lock_guard);
    sharer_find(Resource, self_thread())->count = count;
    Resource->SpinLock += SHARED - EXCLUSIVE;
    while ((granted = word_grant(&Resource->SpinLock)))
        KeSetEvent(&granted->granted, 0, FALSE);
    pthread_mutex_unlock(&shared_lock_guard);
}

NTKERNELAPI BOOLEAN NTAPI ExIsResourceAcquiredExclusiveLite(PERESOURCE Resource) {
    host_irql_at_most(DISPATCH_LEVEL, "ExIsResourceAcquiredExclusiveLite");
    return Resource->OwnerThread == self_thread();
}

/* How often the thread has it, shared or alone. */
NTKERNELAPI ULONG NTAPI ExIsResourceAcquiredSharedLite(PERESOURCE Resource) {
    host_irql_at_most(DISPATCH_LEVEL, "ExIsResourceAcquiredSharedLite");
    if (Resource->OwnerThread == self_thread())
        return Resource->OwnerCount;
    pthread_mutex_lock(&shared_lock_guard);
    const struct sharer *sharer = sharer_find(Resource, self_thread());
    ULONG count = sharer ? sharer->count : 0;
    pthread_mutex_unlock(&shared_lock_guard);
    return count;
}

/* ---- Push locks -------------------------------------------------------------------------------- */

NTKERNELAPI VOID NTAPI ExInitializePushLock(PEX_PUSH_LOCK PushLock) {
    *PushLock = 0;
}

NTKERNELAPI VOID NTAPI ExAcquirePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG Flags) {
    (void)Flags;
    if (lock_may("ExAcquirePushLockExclusive"))
        word_acquire(PushLock, false, false, true);
}

NTKERNELAPI VOID NTAPI ExAcquirePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG Flags) {
    (void)Flags;
    if (lock_may("ExAcquirePushLockShared"))
        word_acquire(PushLock, true, false, true);
}

NTKERNELAPI VOID NTAPI ExReleasePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG Flags) {
    (void)Flags;
    host_irql_at_most(APC_LEVEL, "ExReleasePushLockExclusive");
    if ((*PushLock & EXCLUSIVE) == 0)
        host_violation("ExReleasePushLockExclusive of a push lock that is not held exclusively");
    else
        word_release(PushLock, false);
}

NTKERNELAPI VOID NTAPI ExReleasePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG Flags) {
    (void)Flags;
    host_irql_at_most(APC_LEVEL, "ExReleasePushLockShared");
    if (*PushLock < SHARED)
        host_violation("ExReleasePushLockShared of a push lock that is not held shared");
    else
        word_release(PushLock, true);
}
