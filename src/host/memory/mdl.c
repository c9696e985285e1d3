/* mdl.c - MDLs and their linear views; see mdl.h. */
#include "memory/mdl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <vidmm/os.h>

#include "base/thread.h"
#include "base/world.h"
#include "memory/bars.h"
#include "memory/physical.h"

#define MDL_PAGES_MOST (UINT32_MAX / HOST_PAGE) /* ByteCount has 32 bits */
#define MDL_LENT_MOST  16u /* pages: a driver that copies through its own MDL maps few at a time */
#define MDL_LENT_ALL   64u /* so many mappings are made anew, then one of MDL_LENT_EACH */
#define MDL_LENT_EACH  16u

void host_mdls_init(struct host_mdls *mdls) {
    pthread_mutex_init(&mdls->lock, NULL);
}

static bool mdl_of_manager(const struct host_mdl *m) {
    return m->kind == HOST_MDL_MANAGER || m->kind == HOST_MDL_PART;
}

static struct host_mdl *mdl_outer(PMDL mdl) {
    return CONTAINING_RECORD(mdl, struct host_mdl, mdl);
}

static struct host_mdl *mdl_new(enum host_mdl_pages kind, uint64_t pages) {
    struct host_mdls *mdls = host_world->mdls;
    if (!host_may_allocate())
        return NULL;
    struct host_mdl *m = calloc(1, sizeof(*m) + pages * sizeof(PFN_NUMBER));
    if (!m)
        return NULL;
    uint64_t size = sizeof(MDL) + pages * sizeof(PFN_NUMBER);
    m->kind = kind;
    m->pages = pages;
    m->mdl.Size = (CSHORT)(size < INT16_MAX ? size : INT16_MAX);
    pthread_mutex_lock(&mdls->lock);
    m->next = mdls->first;
    if (m->next)
        m->next->previous = m;
    mdls->first = m;
    pthread_mutex_unlock(&mdls->lock);
    return m;
}

static void mdl_unlink(struct host_mdl *m) {
    struct host_mdls *mdls = host_world->mdls;
    host_untrack(HOST_TRACKED_MDL, m);
    pthread_mutex_lock(&mdls->lock);
    if (m->previous)
        m->previous->next = m->next;
    else
        mdls->first = m->next;
    if (m->next)
        m->next->previous = m->previous;
    pthread_mutex_unlock(&mdls->lock);
}

static void give_pages(struct host_mdl *m) {
    host_frames_give(host_world->physical, MmGetMdlPfnArray(&m->mdl), m->pages);
    if (m->kind == HOST_MDL_MANAGER)
        host_allocation_ends(HOST_OWNER_PAGES, m->pages * HOST_PAGE);
}

/* ---- What a driver keeps of the manager's MDLs ------------------------------------------------ */

/* A mapping of the driver's own has a page on both sides that is nobody's. */
static uint8_t *lent_reserve(uint64_t bytes) {
    uint8_t *all = mmap(NULL, bytes + (uint64_t)2 * HOST_PAGE, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return all == MAP_FAILED ? NULL : all + HOST_PAGE;
}

static void lent_release(uint8_t *view, uint64_t bytes) {
    if (view)
        munmap(view - HOST_PAGE, bytes + (uint64_t)2 * HOST_PAGE);
}

/* The addresses stay taken for a while, so that a driver that goes on using them is seen. */
static void mdl_take_back(struct host_mdl *m, bool freed) {
    struct host_mdls *mdls = host_world->mdls;
    uint64_t bytes = m->pages * HOST_PAGE;
    if (!m->lent)
        return;
    (void)mprotect(m->lent, bytes, PROT_NONE);
    pthread_mutex_lock(&mdls->lock);
    struct host_mdl_gone *gone = &mdls->gone[mdls->next_gone++ % HOST_MDLS_FREED];
    lent_release(gone->view, gone->bytes);
    *gone = (struct host_mdl_gone){.view = m->lent, .bytes = bytes, .freed = freed};
    pthread_mutex_unlock(&mdls->lock);
    m->lent = NULL;
}

/* Of the mapping beside which the address is: its pages; 0: there is none. */
static uint64_t lent_beside(const struct host_mdls *mdls, uint64_t address) {
    for (const struct host_mdl *m = mdls->first; m; m = m->next)
        if (m->lent &&
            address - ((uintptr_t)m->lent - HOST_PAGE) < (m->pages + 2) * (uint64_t)HOST_PAGE)
            return m->pages;
    return 0;
}

bool host_mdl_beside_fault(uint64_t address, bool writes) {
    struct host_mdls *mdls = host_world->mdls;
    if (pthread_mutex_trylock(&mdls->lock) != 0)
        return false;
    uint64_t pages = lent_beside(mdls, address);
    pthread_mutex_unlock(&mdls->lock);
    if (pages != 0)
        host_violation("the driver %s beside its mapping of an MDL of %llu pages",
                       writes ? "writes" : "reads", (unsigned long long)pages);
    return false;
}

bool host_mdl_gone_fault(uint64_t address, bool writes) {
    struct host_mdls *mdls = host_world->mdls;
    struct host_mdl_gone gone = {.view = NULL};
    if (pthread_mutex_trylock(&mdls->lock) != 0)
        return false;
    for (uint32_t i = 0; i < HOST_MDLS_FREED && !gone.view; i++)
        if (mdls->gone[i].view && address - (uintptr_t)mdls->gone[i].view < mdls->gone[i].bytes)
            gone = mdls->gone[i];
    pthread_mutex_unlock(&mdls->lock);
    if (!gone.view)
        return false;
    host_violation("the driver %s its mapping of an MDL of %llu pages after %s",
                   writes ? "writes to" : "reads", (unsigned long long)(gone.bytes / HOST_PAGE),
                   gone.freed ? "the system had freed the MDL" : "MmUnmapLockedPages");
    return mmap(gone.view + (address - (uintptr_t)gone.view) / HOST_PAGE * HOST_PAGE, HOST_PAGE,
                PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

/* Its frame numbers are none, for a driver that kept the pointer. */
static void mdl_keep_freed(struct host_mdl *m) {
    struct host_mdls *mdls = host_world->mdls;
    memset(MmGetMdlPfnArray(&m->mdl), 0xff, m->pages * sizeof(PFN_NUMBER));
    m->mdl.MdlFlags = 0;
    pthread_mutex_lock(&mdls->lock);
    struct host_mdl **place = &mdls->freed[mdls->next_freed++ % HOST_MDLS_FREED];
    free(*place);
    *place = m;
    pthread_mutex_unlock(&mdls->lock);
}

static void mdl_delete(struct host_mdl *m) {
    mdl_unlink(m);
    mdl_take_back(m, true);
    host_mdl_unmap(&m->mdl);
    if (m->kind == HOST_MDL_DRIVER || m->kind == HOST_MDL_MANAGER)
        give_pages(m);
    mdl_keep_freed(m);
}

enum mdl_state {
    MDL_LIVE,
    MDL_FREED, /* and that was said */
    MDL_OWN,   /* not the host's: a driver made it where it likes by MmInitializeMdl */
};

/* What is found goes to the front: drivers map few MDLs, and often. */
static struct host_mdl *mdl_find(struct host_mdls *mdls, const MDL *mdl) {
    struct host_mdl *m = mdls->first;
    while (m && &m->mdl != mdl)
        m = m->next;
    if (!m || !m->previous)
        return m;
    m->previous->next = m->next;
    if (m->next)
        m->next->previous = m->previous;
    m->previous = NULL;
    m->next = mdls->first;
    mdls->first = m->next->previous = m;
    return m;
}

static enum mdl_state mdl_state(const MDL *mdl, const char *function) {
    struct host_mdls *mdls = host_world->mdls;
    pthread_mutex_lock(&mdls->lock);
    enum mdl_state state = mdl_find(mdls, mdl) ? MDL_LIVE : MDL_OWN;
    for (uint32_t i = 0; i < HOST_MDLS_FREED && state == MDL_OWN; i++)
        if (mdls->freed[i] && &mdls->freed[i]->mdl == mdl)
            state = MDL_FREED;
    pthread_mutex_unlock(&mdls->lock);
    if (state == MDL_FREED)
        host_violation("%s of an MDL that was freed", function);
    return state;
}

/* The driver may free it: it is there, and nobody else's storage. */
static bool mdl_may_go(const MDL *mdl, const char *function) {
    enum mdl_state state = mdl_state(mdl, function);
    if (state == MDL_OWN)
        host_violation("%s of an MDL that nobody allocated", function);
    return state == MDL_LIVE;
}

/* ---- MDLs ------------------------------------------------------------------------------------- */

static bool mdl_take(uint64_t pages, enum host_mdl_runs runs, uint64_t first, uint64_t limit,
                     PFN_NUMBER *frames) {
    struct host_physical *ram = host_world->physical;
    if (runs == HOST_RUNS_LARGE)
        return host_frames_take_runs(ram, pages, first, limit, VIDMM_PAGES_RUN / HOST_PAGE, frames);
    if (runs == HOST_RUNS_ANY)
        return host_frames_take(ram, pages, first, limit, frames);
    if (!host_frames_take_run(ram, pages, first, limit, 0, &frames[0]))
        return false;
    for (uint64_t i = 1; i < pages; i++)
        frames[i] = frames[0] + i;
    return true;
}

PMDL host_pages_alloc(enum host_mdl_pages kind, uint64_t pages, enum host_mdl_runs runs,
                      uint64_t first, uint64_t limit) {
    if (pages == 0 || pages > MDL_PAGES_MOST)
        return NULL;
    struct host_mdl *m = mdl_new(HOST_MDL_BORROWED, pages);
    if (!m)
        return NULL;
    if (!mdl_take(pages, runs, first, limit, MmGetMdlPfnArray(&m->mdl))) {
        mdl_delete(m);
        return NULL;
    }
    m->kind = kind;
    m->mdl.ByteCount = (ULONG)(pages * HOST_PAGE);
    m->mdl.MdlFlags = MDL_PAGES_LOCKED;
    if (kind == HOST_MDL_MANAGER)
        host_allocation_lives(HOST_OWNER_PAGES, pages * HOST_PAGE);
    else
        host_track(HOST_TRACKED_MDL, m);
    return &m->mdl;
}

PMDL host_mdl_part(PMDL mdl, uint64_t first, uint64_t pages) {
    struct host_mdl *m = mdl_new(HOST_MDL_PART, pages);
    if (!m)
        return NULL;
    memcpy(MmGetMdlPfnArray(&m->mdl), MmGetMdlPfnArray(mdl) + first, pages * sizeof(PFN_NUMBER));
    m->mdl.ByteCount = (ULONG)(pages * HOST_PAGE);
    m->mdl.MdlFlags = MDL_PAGES_LOCKED | MDL_PARTIAL;
    return &m->mdl;
}

/* Length of the run of consecutive frames that starts at `from`. */
static uint64_t run_at(const struct host_mdl *m, uint64_t from) {
    const PFN_NUMBER *frames = (const PFN_NUMBER *)(&m->mdl + 1);
    uint64_t n = 1;
    while (from + n < m->pages && frames[from + n] == frames[from] + n)
        n++;
    return n;
}

/* Reserves addresses for the view of a scattered list, unless it has them. */
static bool mdl_reserve(struct host_mdl *m) {
    if (m->reserved)
        return true;
    void *view = mmap(NULL, m->pages * HOST_PAGE, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (view != MAP_FAILED)
        m->reserved = view;
    return view != MAP_FAILED;
}

/* Maps the runs of a scattered list one after the other into the reserved addresses. */
static bool map_frames(struct host_mdl *m, uint8_t *view) {
    struct host_physical *ram = host_world->physical;
    const PFN_NUMBER *frames = MmGetMdlPfnArray(&m->mdl);
    for (uint64_t i = 0; i < m->pages;) {
        uint64_t n = run_at(m, i);
        void *at = mmap(view + i * HOST_PAGE, n * HOST_PAGE, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_FIXED, ram->file, (off_t)(frames[i] * HOST_PAGE));
        if (at == MAP_FAILED)
            return false;
        i += n;
    }
    return true;
}

static bool map_runs(struct host_mdl *m) {
    if (!map_frames(m, m->reserved))
        return false;
    m->view = m->reserved;
    m->view_is_own = true;
    m->reserved = NULL;
    return true;
}

static bool frame_is_installed(PFN_NUMBER frame) {
    return frame < UINT64_MAX / HOST_PAGE &&
           host_physical_pointer(host_world->physical, frame * HOST_PAGE, HOST_PAGE);
}

/* Every frame is installed memory: an MDL of a BAR or a forged one is not mapped this way. */
static bool frames_installed(const struct host_mdl *m) {
    const PFN_NUMBER *frames = (const PFN_NUMBER *)(&m->mdl + 1);
    for (uint64_t i = 0; i < m->pages; i++)
        if (!frame_is_installed(frames[i]))
            return false;
    return true;
}

/* Contiguous frames have a view from the start. */
static bool view_of_run(struct host_mdl *m) {
    if (!m->view && m->pages != 0 && frames_installed(m) && run_at(m, 0) == m->pages)
        m->view = host_world->physical->base + MmGetMdlPfnArray(&m->mdl)[0] * HOST_PAGE;
    return m->view;
}

static void *map_locked(struct host_mdl *m) {
    if (view_of_run(m) || m->pages == 0 || !frames_installed(m) || !host_may_allocate())
        return m->view;
    return mdl_reserve(m) && map_runs(m) ? m->view : NULL;
}

void *host_mdl_map(PMDL mdl) {
    struct host_mdls *mdls = host_world->mdls;
    pthread_mutex_lock(&mdls->lock);
    void *view = map_locked(mdl_outer(mdl));
    pthread_mutex_unlock(&mdls->lock);
    return view;
}

/* A mapping of the driver's own, which ends with the MDL. */
static void *mdl_lend(struct host_mdl *m) {
    uint64_t bytes = m->pages * HOST_PAGE;
    uint8_t *view = lent_reserve(bytes);
    if (view && !map_frames(m, view)) {
        lent_release(view, bytes);
        view = NULL;
    }
    return m->lent = view;
}

static void *reserve_locked(struct host_mdl *m) {
    if (view_of_run(m))
        return m->view;
    if (m->pages == 0 || !frames_installed(m) || (!m->reserved && !host_may_allocate()))
        return NULL;
    return mdl_reserve(m) ? m->reserved : NULL;
}

uint64_t host_mdl_reserve(PMDL mdl, uint64_t *bytes) {
    struct host_mdls *mdls = host_world->mdls;
    struct host_mdl *m = mdl_outer(mdl);
    pthread_mutex_lock(&mdls->lock);
    void *at = reserve_locked(m);
    pthread_mutex_unlock(&mdls->lock);
    *bytes = m->pages * HOST_PAGE;
    return (uintptr_t)at;
}

void host_mdl_unmap(PMDL mdl) {
    struct host_mdls *mdls = host_world->mdls;
    struct host_mdl *m = mdl_outer(mdl);
    pthread_mutex_lock(&mdls->lock);
    if (m->view_is_own)
        munmap(m->view, m->pages * HOST_PAGE);
    if (m->reserved)
        munmap(m->reserved, m->pages * HOST_PAGE);
    m->view = m->reserved = NULL;
    m->view_is_own = false;
    pthread_mutex_unlock(&mdls->lock);
}

void host_mdl_free(PMDL mdl) {
    mdl_delete(mdl_outer(mdl));
}

bool host_mdl_free_as_pool(void *p) {
    struct host_mdls *mdls = host_world->mdls;
    struct host_mdl *m;
    pthread_mutex_lock(&mdls->lock);
    for (m = mdls->first; m && (void *)&m->mdl != p; m = m->next)
        ;
    pthread_mutex_unlock(&mdls->lock);
    if (!m || m->kind == HOST_MDL_BORROWED || mdl_of_manager(m))
        return false;
    if (m->kind == HOST_MDL_DRIVER)
        host_violation("ExFreePool of an MDL of %llu pages without MmFreePagesFromMdl before it",
                       (unsigned long long)m->pages);
    mdl_delete(m);
    return true;
}

uint64_t host_mdls_left(struct host_mdls *mdls) {
    uint64_t left = 0;
    pthread_mutex_lock(&mdls->lock);
    for (struct host_mdl *m = mdls->first; m; m = m->next)
        left += !mdl_of_manager(m);
    pthread_mutex_unlock(&mdls->lock);
    return left;
}

void host_mdls_done(struct host_mdls *mdls) {
    while (mdls->first)
        mdl_delete(mdls->first);
    for (uint32_t i = 0; i < HOST_MDLS_FREED; i++) {
        free(mdls->freed[i]);
        lent_release(mdls->gone[i].view, mdls->gone[i].bytes);
    }
    pthread_mutex_destroy(&mdls->lock);
}

/* ---- MDLs of a driver ------------------------------------------------------------------------ */

NTKERNELAPI PMDL NTAPI IoAllocateMdl(PVOID VirtualAddress, ULONG Length, BOOLEAN SecondaryBuffer,
                                     BOOLEAN ChargeQuota, struct _IRP *Irp) {
    if (ChargeQuota)
        host_violation("IoAllocateMdl was called with ChargeQuota TRUE: it must be FALSE");
    if (SecondaryBuffer && !Irp)
        host_violation("IoAllocateMdl was called with SecondaryBuffer TRUE and no IRP");
    if (!host_irql_at_most(DISPATCH_LEVEL, "IoAllocateMdl"))
        return NULL;
    struct host_mdl *m =
        mdl_new(HOST_MDL_BORROWED, ADDRESS_AND_SIZE_TO_SPAN_PAGES(VirtualAddress, Length));
    if (!m)
        return NULL;
    CSHORT size = m->mdl.Size;
    MmInitializeMdl(&m->mdl, VirtualAddress, Length);
    m->mdl.Size = size;
    host_track(HOST_TRACKED_MDL, m);
    return &m->mdl;
}

NTKERNELAPI VOID NTAPI IoFreeMdl(PMDL Mdl) {
    host_irql_at_most(DISPATCH_LEVEL, "IoFreeMdl");
    if (mdl_may_go(Mdl, "IoFreeMdl"))
        mdl_delete(mdl_outer(Mdl));
}

/* Fills in the frames behind a range of the caller's addresses; false when one is not in RAM. */
static bool fill_frames(PMDL mdl) {
    uint64_t pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(MmGetMdlVirtualAddress(mdl), mdl->ByteCount);
    for (uint64_t i = 0; i < pages; i++) {
        PHYSICAL_ADDRESS pa = MmGetPhysicalAddress((PCHAR)mdl->StartVa + i * HOST_PAGE);
        if (pa.QuadPart == 0)
            return false;
        MmGetMdlPfnArray(mdl)[i] = (PFN_NUMBER)pa.QuadPart / HOST_PAGE;
    }
    return true;
}

NTKERNELAPI VOID NTAPI MmBuildMdlForNonPagedPool(PMDL Mdl) {
    host_irql_at_most(DISPATCH_LEVEL, "MmBuildMdlForNonPagedPool");
    fill_frames(Mdl);
    Mdl->MappedSystemVa = MmGetMdlVirtualAddress(Mdl);
    Mdl->MdlFlags |= MDL_SOURCE_IS_NONPAGED_POOL;
}

NTKERNELAPI VOID NTAPI MmProbeAndLockPages(PMDL Mdl, KPROCESSOR_MODE AccessMode,
                                           LOCK_OPERATION Operation) {
    (void)AccessMode;
    host_irql_at_most(DISPATCH_LEVEL, "MmProbeAndLockPages");
    host_kernel_memory("MmProbeAndLockPages");
    fill_frames(Mdl);
    Mdl->MdlFlags |= MDL_PAGES_LOCKED | (Operation == IoReadAccess ? 0 : MDL_WRITE_OPERATION);
}

NTKERNELAPI VOID NTAPI MmUnlockPages(PMDL Mdl) {
    host_irql_at_most(DISPATCH_LEVEL, "MmUnlockPages");
    if (!(Mdl->MdlFlags & MDL_PAGES_LOCKED))
        host_violation("MmUnlockPages of an MDL whose pages are not locked");
    Mdl->MdlFlags &= (CSHORT) ~(MDL_PAGES_LOCKED | MDL_WRITE_OPERATION);
}

NTKERNELAPI VOID NTAPI IoBuildPartialMdl(PMDL SourceMdl, PMDL TargetMdl, PVOID VirtualAddress,
                                         ULONG Length) {
    host_irql_at_most(DISPATCH_LEVEL, "IoBuildPartialMdl");
    uint64_t skip =
        ((uintptr_t)PAGE_ALIGN(VirtualAddress) - (uintptr_t)SourceMdl->StartVa) / HOST_PAGE;
    uint64_t pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(VirtualAddress, Length);
    struct host_mdl *target = mdl_outer(TargetMdl);
    if (pages > target->pages) {
        host_violation("IoBuildPartialMdl: %llu pages do not fit in an MDL made for %llu",
                       (unsigned long long)pages, (unsigned long long)target->pages);
        return;
    }
    memcpy(MmGetMdlPfnArray(TargetMdl), MmGetMdlPfnArray(SourceMdl) + skip,
           pages * sizeof(PFN_NUMBER));
    target->pages = pages;
    TargetMdl->StartVa = PAGE_ALIGN(VirtualAddress);
    TargetMdl->ByteOffset = BYTE_OFFSET(VirtualAddress);
    TargetMdl->ByteCount = Length;
    TargetMdl->MdlFlags = MDL_PARTIAL | (SourceMdl->MdlFlags & MDL_PAGES_LOCKED);
}

/* A driver that maps page after page does the same with each: a new mapping costs a hundred times the
 * copy of a page. */
static bool mdl_lends_this_time(void) {
    struct host_mdls *mdls = host_world->mdls;
    pthread_mutex_lock(&mdls->lock);
    uint32_t number = mdls->borrowed++;
    pthread_mutex_unlock(&mdls->lock);
    return number < MDL_LENT_ALL || number % MDL_LENT_EACH == 0;
}

/* Pages that an MDL does not own are mapped anew, so that a driver that goes on using an address is
 * seen. Those of a driver's own storage are where the driver has them. */
static bool mdl_lends(const struct host_mdl *m) {
    return mdl_of_manager(m) ||
           (m->kind == HOST_MDL_BORROWED && m->pages <= MDL_LENT_MOST && m->pages != 0 &&
            !(m->mdl.MdlFlags & MDL_SOURCE_IS_NONPAGED_POOL) && frames_installed(m) &&
            mdl_lends_this_time());
}

/* A list that the driver wrote itself may have numbers that are none of frames: addresses, or entries of a table. */
static void mdl_tell_forged(const struct host_mdl *m) {
    const PFN_NUMBER *frames = (const PFN_NUMBER *)(&m->mdl + 1);
    for (uint64_t i = 0; i < m->pages; i++) {
        bool numbered = frames[i] < UINT64_MAX / HOST_PAGE;
        if (frame_is_installed(frames[i]) ||
            (numbered && host_bar_at(frames[i] * HOST_PAGE, HOST_PAGE)))
            continue;
        host_violation(
            "MmMapLockedPagesSpecifyCache of an MDL with frame 0x%llx, where there is no memory",
            (unsigned long long)frames[i]);
        return;
    }
}

static char *mdl_map_for_driver(PMDL mdl, enum mdl_state state) {
    if (state == MDL_OWN)
        return mdl->StartVa;
    struct host_mdl *m = mdl_outer(mdl);
    char *view = mdl_lends(m) ? mdl_lend(m) : host_mdl_map(mdl);
    if (!view)
        mdl_tell_forged(m);
    return view;
}

/* nf-wdm-mmmaplockedpagesspecifycache.md: its pages are locked down; one of nonpaged pool is mapped already, and may
 * be mapped for user mode. */
static void mdl_judge_mapping(const MDL *mdl, KPROCESSOR_MODE mode) {
    const CSHORT described =
        MDL_PAGES_LOCKED | MDL_SOURCE_IS_NONPAGED_POOL | MDL_PARTIAL | MDL_IO_SPACE;
    if (!(mdl->MdlFlags & described))
        host_violation("MmMapLockedPagesSpecifyCache of an MDL whose pages are not locked");
    if (mode != KernelMode)
        return;
    if (mdl->MdlFlags & MDL_MAPPED_TO_SYSTEM_VA)
        host_violation("MmMapLockedPagesSpecifyCache of an MDL that is mapped already");
    else if (mdl->MdlFlags & MDL_SOURCE_IS_NONPAGED_POOL)
        host_violation("MmMapLockedPagesSpecifyCache of an MDL of MmBuildMdlForNonPagedPool, which "
                       "is mapped already");
}

NTKERNELAPI PVOID NTAPI MmMapLockedPagesSpecifyCache(PMDL Mdl, KPROCESSOR_MODE AccessMode,
                                                     MEMORY_CACHING_TYPE CacheType,
                                                     PVOID RequestedAddress,
                                                     ULONG BugCheckOnFailure, ULONG Priority) {
    (void)CacheType;
    (void)RequestedAddress;
    (void)Priority;
    enum mdl_state state = mdl_state(Mdl, "MmMapLockedPagesSpecifyCache");
    if (state == MDL_FREED)
        return NULL;
    if (AccessMode == KernelMode && BugCheckOnFailure)
        host_violation("MmMapLockedPagesSpecifyCache was called with BugCheckOnFailure TRUE: it "
                       "must be FALSE");
    mdl_judge_mapping(Mdl, AccessMode);
    host_irql_at_most(AccessMode == UserMode ? APC_LEVEL : DISPATCH_LEVEL,
                      "MmMapLockedPagesSpecifyCache");
    if (!host_may_allocate())
        return NULL;
    char *view = mdl_map_for_driver(Mdl, state);
    if (!view)
        return NULL;
    Mdl->MdlFlags |= MDL_MAPPED_TO_SYSTEM_VA;
    return Mdl->MappedSystemVa = view + Mdl->ByteOffset;
}

NTKERNELAPI PVOID NTAPI MmMapLockedPages(PMDL Mdl, KPROCESSOR_MODE AccessMode) {
    return MmMapLockedPagesSpecifyCache(Mdl, AccessMode, MmCached, NULL, FALSE, HighPagePriority);
}

/* The manager has a view of its own pages besides. */
NTKERNELAPI VOID NTAPI MmUnmapLockedPages(PVOID BaseAddress, PMDL Mdl) {
    host_irql_at_most(DISPATCH_LEVEL, "MmUnmapLockedPages");
    enum mdl_state state = mdl_state(Mdl, "MmUnmapLockedPages");
    if (state == MDL_FREED)
        return;
    if (!(Mdl->MdlFlags & MDL_MAPPED_TO_SYSTEM_VA) || Mdl->MappedSystemVa != BaseAddress) {
        host_violation("MmUnmapLockedPages of an address where the MDL is not mapped");
        return;
    }
    Mdl->MdlFlags &= (CSHORT)~MDL_MAPPED_TO_SYSTEM_VA;
    Mdl->MappedSystemVa = NULL;
    if (state == MDL_LIVE && mdl_outer(Mdl)->lent)
        mdl_take_back(mdl_outer(Mdl), false);
    else if (state == MDL_LIVE)
        host_mdl_unmap(Mdl);
}

PMDL host_mdl_take(PHYSICAL_ADDRESS LowAddress, PHYSICAL_ADDRESS HighAddress, SIZE_T TotalBytes,
                   ULONG Flags) {
    host_irql_at_most(DISPATCH_LEVEL, "MmAllocatePagesForMdlEx");
    uint64_t first = ((uint64_t)LowAddress.QuadPart + HOST_PAGE - 1) / HOST_PAGE;
    uint64_t high = (uint64_t)HighAddress.QuadPart;
    uint64_t limit = high == UINT64_MAX ? UINT64_MAX / HOST_PAGE : (high + 1) / HOST_PAGE;
    return host_pages_alloc(HOST_MDL_DRIVER, ROUND_TO_PAGES(TotalBytes) / HOST_PAGE,
                            Flags & MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS ? HOST_RUNS_ONE
                                                                          : HOST_RUNS_ANY,
                            first, limit);
}

NTKERNELAPI PMDL NTAPI MmAllocatePagesForMdlEx(PHYSICAL_ADDRESS LowAddress,
                                               PHYSICAL_ADDRESS HighAddress,
                                               PHYSICAL_ADDRESS SkipBytes, SIZE_T TotalBytes,
                                               MEMORY_CACHING_TYPE CacheType, ULONG Flags) {
    (void)SkipBytes;
    (void)CacheType;
    host_kernel_memory("MmAllocatePagesForMdl");
    return host_mdl_take(LowAddress, HighAddress, TotalBytes, Flags);
}

NTKERNELAPI PMDL NTAPI MmAllocatePagesForMdl(PHYSICAL_ADDRESS LowAddress,
                                             PHYSICAL_ADDRESS HighAddress,
                                             PHYSICAL_ADDRESS SkipBytes, SIZE_T TotalBytes) {
    return MmAllocatePagesForMdlEx(LowAddress, HighAddress, SkipBytes, TotalBytes, MmCached, 0);
}

NTKERNELAPI VOID NTAPI MmFreePagesFromMdl(PMDL Mdl) {
    struct host_mdl *m = mdl_outer(Mdl);
    host_irql_at_most(DISPATCH_LEVEL, "MmFreePagesFromMdl");
    if (!mdl_may_go(Mdl, "MmFreePagesFromMdl"))
        return;
    if (m->kind != HOST_MDL_DRIVER) {
        host_violation("MmFreePagesFromMdl of an MDL that owns no pages");
        return;
    }
    host_mdl_unmap(Mdl);
    give_pages(m);
    m->kind = HOST_MDL_RELEASED;
    Mdl->MdlFlags = 0;
    Mdl->ByteCount = 0;
}

/* ---- Addresses ------------------------------------------------------------------------------- */

/* Physical address behind an address of some MDL's own view, or 0. */
static uint64_t view_physical(uintptr_t address) {
    struct host_mdls *mdls = host_world->mdls;
    uint64_t pa = 0;
    pthread_mutex_lock(&mdls->lock);
    for (struct host_mdl *m = mdls->first; m && pa == 0; m = m->next) {
        uint64_t at = address - (uintptr_t)(m->lent ? m->lent : m->view);
        if ((m->lent || m->view_is_own) && at < m->pages * HOST_PAGE)
            pa = MmGetMdlPfnArray(&m->mdl)[at / HOST_PAGE] * HOST_PAGE + at % HOST_PAGE;
    }
    pthread_mutex_unlock(&mdls->lock);
    return pa;
}

NTKERNELAPI PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID BaseAddress) {
    struct host_physical *ram = host_world->physical;
    PHYSICAL_ADDRESS pa = {.QuadPart = 0};
    uint64_t at = (uintptr_t)BaseAddress - (uintptr_t)ram->base;
    if (at < ram->bytes + HOST_POOL_BYTES)
        pa.QuadPart = (LONGLONG)at;
    else if ((at = view_physical((uintptr_t)BaseAddress)) != 0 ||
             (at = host_bar_physical(BaseAddress)) != 0)
        pa.QuadPart = (LONGLONG)at;
    else
        host_violation("MmGetPhysicalAddress of an address that is neither nonpaged pool, nor "
                       "contiguous memory, nor an MDL's mapping, nor I/O space");
    return pa;
}

/* True: an address is mapped, whatever its memory belongs to, as the system answers. */
NTKERNELAPI BOOLEAN NTAPI MmIsAddressValid(PVOID VirtualAddress) {
    host_irql_at_most(DISPATCH_LEVEL, "MmIsAddressValid");
    return msync(PAGE_ALIGN(VirtualAddress), HOST_PAGE, MS_ASYNC) == 0;
}
