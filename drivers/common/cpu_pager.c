/*
 * cpu_pager.c - see cpu_pager.h.
 *
 * System memory is reached one page at a time, through an MDL for one page that was allocated when
 * the device started. BuildPagingBuffer has no status for "pages cannot be mapped", and the pages
 * of an MDL may be many: a single page needs a single page table entry of the system, and one is
 * waited for until it is free. The IRQL is PASSIVE_LEVEL, so the driver may wait.
 */
#include "cpu_pager.h"

/* In the page table before the first MAP or UNMAP of a page. */
#define NO_PAGE ((PFN_NUMBER)-1)

enum { SOURCE, DESTINATION };

/* ---- Windows --------------------------------------------------------------------------------- */

static PUCHAR window_open(PMDL window, PFN_NUMBER page) {
    LARGE_INTEGER moment = {.QuadPart = -10000}; /* a millisecond from now */
    PUCHAR view;
    MmGetMdlPfnArray(window)[0] = page;
    window->MdlFlags |= MDL_PAGES_LOCKED;
    while (!(view = MmMapLockedPagesSpecifyCache(window, KernelMode, MmCached, NULL, FALSE,
                                                 HighPagePriority)))
        KeDelayExecutionThread(KernelMode, FALSE, &moment);
    return view;
}

/* ---- Places ---------------------------------------------------------------------------------- */

struct cpu_place cpu_place_in_page(PFN_NUMBER page, SIZE_T offset) {
    return (struct cpu_place){NULL, page, offset, PAGE_SIZE - offset};
}

struct cpu_place cpu_place_in_segment(const struct cpu_pager *pager, UINT segment,
                                      ULONGLONG address, SIZE_T left) {
    if (segment == pager->memory_segment)
        return (struct cpu_place){pager->memory + (address - pager->memory_base), 0, 0, left};
    ULONGLONG offset = address - pager->aperture_base;
    return cpu_place_in_page(pager->table[offset / PAGE_SIZE], (SIZE_T)(offset % PAGE_SIZE));
}

/* One end of a transfer. TransferOffset counts in a segment, MdlOffset in pages of an MDL. */
struct end {
    UINT segment; /* 0: `pages` */
    ULONGLONG address;
    const PFN_NUMBER *pages;
};

static struct end end_of(const DXGKARG_BUILDPAGINGBUFFER *args, UINT segment, LARGE_INTEGER address,
                         PMDL mdl) {
    struct end end = {segment, (ULONGLONG)address.QuadPart + args->Transfer.TransferOffset, NULL};
    if (segment == 0)
        end.pages = MmGetMdlPfnArray(mdl) + args->Transfer.MdlOffset;
    return end;
}

static struct cpu_place at_end(const struct cpu_pager *pager, const struct end *end, SIZE_T done,
                               SIZE_T left) {
    if (end->segment != 0)
        return cpu_place_in_segment(pager, end->segment, end->address + done, left);
    return cpu_place_in_page(end->pages[done / PAGE_SIZE], done % PAGE_SIZE);
}

/* The CPU's address of a place; NULL: nothing was ever mapped there, so nothing is moved. */
static PUCHAR open_place(const struct cpu_pager *pager, UINT side, const struct cpu_place *place) {
    if (place->memory)
        return place->memory;
    if (place->page == NO_PAGE)
        return NULL;
    return window_open(pager->window[side], place->page) + place->offset;
}

static VOID close_place(const struct cpu_pager *pager, UINT side, const struct cpu_place *place,
                        PUCHAR view) {
    if (!place->memory && view)
        MmUnmapLockedPages(view - place->offset, pager->window[side]);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static SIZE_T least(SIZE_T a, SIZE_T b) {
    return a < b ? a : b;
}

VOID cpu_copy(const struct cpu_pager *pager, const struct cpu_place *from,
              const struct cpu_place *to, SIZE_T bytes) {
    PUCHAR source = open_place(pager, SOURCE, from);
    PUCHAR destination = open_place(pager, DESTINATION, to);
    if (source && destination)
        RtlMoveMemory(destination, source, bytes);
    close_place(pager, DESTINATION, to, destination);
    close_place(pager, SOURCE, from, source);
}

VOID cpu_fill(const struct cpu_pager *pager, const struct cpu_place *place, ULONG pattern,
              ULONGLONG phase, SIZE_T bytes) {
    PUCHAR view = open_place(pager, DESTINATION, place);
    for (SIZE_T i = 0; view && i < bytes; i++)
        view[i] = (UCHAR)(pattern >> (phase + i) % sizeof(pattern) * 8);
    close_place(pager, DESTINATION, place, view);
}

ULONG64 cpu_read(const struct cpu_pager *pager, const struct cpu_place *place) {
    PUCHAR view = open_place(pager, SOURCE, place);
    ULONG64 value = 0;
    if (view)
        RtlCopyMemory(&value, view, sizeof(value));
    close_place(pager, SOURCE, place, view);
    return value;
}

/* A size of 0 means that the content is lost, for example after a reset; the MDL is then not used. */
static VOID transfer(const struct cpu_pager *pager, const DXGKARG_BUILDPAGINGBUFFER *args) {
    SIZE_T size = args->Transfer.TransferSize;
    if (size == 0)
        return;
    struct end from = end_of(args, args->Transfer.Source.SegmentId,
                             args->Transfer.Source.SegmentAddress, args->Transfer.Source.pMdl);
    struct end to =
        end_of(args, args->Transfer.Destination.SegmentId,
               args->Transfer.Destination.SegmentAddress, args->Transfer.Destination.pMdl);
    for (SIZE_T done = 0, step; done < size; done += step) {
        struct cpu_place source = at_end(pager, &from, done, size - done);
        struct cpu_place destination = at_end(pager, &to, done, size - done);
        step = least(least(source.run, destination.run), size - done);
        cpu_copy(pager, &source, &destination, step);
    }
}

static VOID fill(const struct cpu_pager *pager, const DXGKARG_BUILDPAGINGBUFFER *args) {
    ULONGLONG address = (ULONGLONG)args->Fill.Destination.SegmentAddress.QuadPart;
    SIZE_T size = args->Fill.FillSize;
    for (SIZE_T done = 0, step; done < size; done += step) {
        struct cpu_place place = cpu_place_in_segment(pager, args->Fill.Destination.SegmentId,
                                                      address + done, size - done);
        step = least(place.run, size - done);
        cpu_fill(pager, &place, args->Fill.FillPattern, done, step);
    }
}

/* The pages stay locked for as long as they are mapped; their MDL need not stay. */
static VOID map(const struct cpu_pager *pager, const DXGKARG_BUILDPAGINGBUFFER *args) {
    const PFN_NUMBER *pages =
        MmGetMdlPfnArray(args->MapApertureSegment.pMdl) + args->MapApertureSegment.MdlOffset;
    RtlCopyMemory(&pager->table[args->MapApertureSegment.OffsetInPages], pages,
                  args->MapApertureSegment.NumberOfPages * sizeof(*pages));
}

/* The dummy page replaces the pages, so that a stray access cannot reach other memory. */
static VOID unmap(const struct cpu_pager *pager, const DXGKARG_BUILDPAGINGBUFFER *args) {
    PFN_NUMBER *entry = &pager->table[args->UnmapApertureSegment.OffsetInPages];
    PFN_NUMBER dummy = (PFN_NUMBER)args->UnmapApertureSegment.DummyPage.QuadPart / PAGE_SIZE;
    for (SIZE_T i = 0; i < args->UnmapApertureSegment.NumberOfPages; i++)
        entry[i] = dummy;
}

/*
 * Nothing to do for READ_PHYSICAL, WRITE_PHYSICAL (no posted writes) and DISCARD_CONTENT (no
 * state).
 */
VOID cpu_pager_build(struct cpu_pager *pager, const DXGKARG_BUILDPAGINGBUFFER *args) {
    switch (args->Operation) {
    case DXGK_OPERATION_TRANSFER:
        transfer(pager, args);
        break;
    case DXGK_OPERATION_FILL:
        fill(pager, args);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        map(pager, args);
        break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        unmap(pager, args);
        break;
    default:
        break;
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

NTSTATUS cpu_pager_start(struct cpu_pager *pager, SIZE_T aperture_pages) {
    pager->table = skeleton_allocate(aperture_pages * sizeof(*pager->table));
    for (UINT i = 0; i < 2; i++)
        pager->window[i] = IoAllocateMdl(NULL, PAGE_SIZE, FALSE, FALSE, NULL);
    if (!pager->table || !pager->window[SOURCE] || !pager->window[DESTINATION]) {
        cpu_pager_stop(pager);
        return STATUS_NO_MEMORY;
    }
    for (SIZE_T i = 0; i < aperture_pages; i++)
        pager->table[i] = NO_PAGE;
    return STATUS_SUCCESS;
}

NTSTATUS cpu_pager_start_vram(struct cpu_pager *pager, const DXGK_DEVICE_INFO *info,
                              SIZE_T aperture_pages) {
    static WCHAR setting[] = u"VramBytes";
    if (!skeleton_resource(info, 1, &pager->bar, &pager->bar_bytes))
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    pager->memory_bytes = skeleton_size(setting, pager->bar_bytes);
    pager->memory = MmMapIoSpace(pager->bar, pager->bar_bytes, MmWriteCombined);
    return pager->memory ? cpu_pager_start(pager, aperture_pages) : STATUS_NO_MEMORY;
}

VOID cpu_pager_stop(struct cpu_pager *pager) {
    if (pager->memory)
        MmUnmapIoSpace(pager->memory, pager->bar_bytes);
    for (UINT i = 0; i < 2; i++)
        if (pager->window[i])
            IoFreeMdl(pager->window[i]);
    if (pager->table)
        skeleton_release(pager->table);
}

VOID cpu_adapter_stop(struct skeleton *adapter) {
    cpu_pager_stop(&((struct cpu_adapter *)adapter)->pager);
}
