/*
 * break_present.c - drivers that get wrong what DxgkDdiPresent and DxgkDdiRenderKm make of rectangles: group T, and of
 * group E the progress. The reference driver presents on the node that pages, so that a submitter of paging work can
 * wait for it: Nodes is 1.
 */
#include "mutants.h"

#include <string.h>

/* ---- Presents -------------------------------------------------------------------------------- */

static NTSTATUS APIENTRY present_from_there(const HANDLE context, DXGKARG_PRESENT *args) {
    const RECT from = args->SrcRect;
    args->SrcRect = args->DstRect;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    args->SrcRect = from;
    return status;
}
REPLACE(DxgkDdiPresent, present_from_there)

static NTSTATUS APIENTRY present_whole(const HANDLE context, DXGKARG_PRESENT *args) {
    const RECT *rectangles = args->pDstSubRects;
    const UINT count = args->SubRectCnt;
    args->pDstSubRects = &args->DstRect;
    args->SubRectCnt = 1;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    args->pDstSubRects = rectangles;
    args->SubRectCnt = count;
    return status;
}
REPLACE(DxgkDdiPresent, present_whole)

static NTSTATUS APIENTRY present_skips(const HANDLE context, DXGKARG_PRESENT *args) {
    args->MultipassOffset += args->MultipassOffset != 0;
    return mutants_good.DxgkDdiPresent(context, args);
}
REPLACE(DxgkDdiPresent, present_skips)

static NTSTATUS APIENTRY present_black(const HANDLE context, DXGKARG_PRESENT *args) {
    const UINT color = args->Color;
    args->Color = 0xff000000;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    args->Color = color;
    return status;
}
REPLACE(DxgkDdiPresent, present_black)

static NTSTATUS APIENTRY present_nothing(const HANDLE context, DXGKARG_PRESENT *args) {
    return args->pDmaBuffer ? STATUS_SUCCESS : mutants_good.DxgkDdiPresent(context, args);
}
REPLACE(DxgkDdiPresent, present_nothing)

static NTSTATUS APIENTRY gdi_nothing(const HANDLE context, DXGKARG_RENDER *args) {
    (void)context;
    (void)args;
    return STATUS_SUCCESS;
}
REPLACE(DxgkDdiRenderKm, gdi_nothing)

/* DxgkDdiPatch writes what DxgkDdiPresent knew. */
static struct {
    bool fresh;
    DXGK_ALLOCATIONLIST list[DXGK_PRESENT_MAX_INDEX + 1];
} known;

static NTSTATUS APIENTRY present_knows(const HANDLE context, DXGKARG_PRESENT *args) {
    memcpy(known.list, args->pAllocationList, sizeof(known.list));
    known.fresh = true;
    return mutants_good.DxgkDdiPresent(context, args);
}

static NTSTATUS APIENTRY present_patch(const HANDLE adapter, const DXGKARG_PATCH *args) {
    DXGKARG_PATCH mine = *args;
    if (known.fresh && !args->Flags.Paging) {
        mine.pAllocationList = known.list;
        mine.AllocationListSize = DXGK_PRESENT_MAX_INDEX + 1;
        known.fresh = false;
    }
    return mutants_good.DxgkDdiPatch(adapter, &mine);
}

static void APIENTRY install_present_known(DRIVER_INITIALIZATION_DATA *table) {
    known.fresh = false;
    table->DxgkDdiPresent = present_knows;
    table->DxgkDdiPatch = present_patch;
}

/* DxgkDdiPatch adds to what it wrote into the buffer before. */
static const void *patched_before;
static UINT patched_from; /* element of its list */

static NTSTATUS APIENTRY render_unpatched(const HANDLE context, DXGKARG_RENDER *args) {
    patched_before = NULL;
    return mutants_good.DxgkDdiRender(context, args);
}

static NTSTATUS APIENTRY patch_adds(const HANDLE adapter, const DXGKARG_PATCH *args) {
    const D3DDDI_PATCHLOCATIONLIST *location =
        args->pPatchLocationList + args->PatchLocationListSubmissionStart;
    NTSTATUS status = mutants_good.DxgkDdiPatch(adapter, args);
    bool again = !args->Flags.Paging && patched_before == args->pDmaBuffer &&
                 patched_from == args->PatchLocationListSubmissionStart;
    for (UINT i = 0; again && i < args->PatchLocationListSubmissionLength; i++) {
        unsigned char *place = (unsigned char *)args->pDmaBuffer + location[i].PatchOffset;
        UINT64 address;
        memcpy(&address, place, sizeof(address));
        address += 4096;
        memcpy(place, &address, sizeof(address));
    }
    if (!args->Flags.Paging) {
        patched_before = args->pDmaBuffer;
        patched_from = args->PatchLocationListSubmissionStart;
    }
    return status;
}

static void APIENTRY install_patch_adds(DRIVER_INITIALIZATION_DATA *table) {
    patched_before = NULL;
    table->DxgkDdiRender = render_unpatched;
    table->DxgkDdiPatch = patch_adds;
}

/* DxgkDdiPatch writes as many addresses as the newest DMA buffer of all has. */
static UINT newest_elements;

static NTSTATUS APIENTRY present_newest(const HANDLE context, DXGKARG_PRESENT *args) {
    const D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    newest_elements = (UINT)(args->pPatchLocationListOut - first);
    return status;
}

static NTSTATUS APIENTRY render_newest(const HANDLE context, DXGKARG_RENDER *args) {
    const D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    newest_elements = (UINT)(args->pPatchLocationListOut - first);
    return status;
}

static NTSTATUS APIENTRY patch_newest(const HANDLE adapter, const DXGKARG_PATCH *args) {
    DXGKARG_PATCH mine = *args;
    if (!args->Flags.Paging && mine.PatchLocationListSubmissionLength > newest_elements)
        mine.PatchLocationListSubmissionLength = newest_elements;
    return mutants_good.DxgkDdiPatch(adapter, &mine);
}

static void APIENTRY install_present_newest(DRIVER_INITIALIZATION_DATA *table) {
    newest_elements = UINT32_MAX; /* of what is no present */
    table->DxgkDdiPresent = present_newest;
    table->DxgkDdiPatch = patch_newest;
}

static void APIENTRY install_render_newest(DRIVER_INITIALIZATION_DATA *table) {
    table->DxgkDdiPresent = present_newest;
    table->DxgkDdiRender = render_newest;
    table->DxgkDdiPatch = patch_newest;
}

static NTSTATUS APIENTRY present_again(const HANDLE context, DXGKARG_PRESENT *args) {
    UINT multipass = args->MultipassOffset;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    args->MultipassOffset = multipass;
    return status;
}
REPLACE(DxgkDdiPresent, present_again)

static NTSTATUS APIENTRY present_of_this_pass(const HANDLE context, DXGKARG_PRESENT *args) {
    UINT multipass = args->MultipassOffset;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    args->MultipassOffset -= multipass;
    return status;
}
REPLACE(DxgkDdiPresent, present_of_this_pass)

static NTSTATUS APIENTRY present_in_a_circle(const HANDLE context, DXGKARG_PRESENT *args) {
    bool second = args->MultipassOffset != 0;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    if (second)
        args->MultipassOffset = 0;
    return status;
}
REPLACE(DxgkDdiPresent, present_in_a_circle)

static NTSTATUS APIENTRY present_backwards(const HANDLE context, DXGKARG_PRESENT *args) {
    D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    D3DDDI_PATCHLOCATIONLIST *end = args->pPatchLocationListOut;
    if (end - first > 1) {
        D3DDDI_PATCHLOCATIONLIST last = end[-1];
        end[-1] = end[-2];
        end[-2] = last;
    }
    return status;
}
REPLACE(DxgkDdiPresent, present_backwards)

static NTSTATUS APIENTRY present_last_left(const HANDLE context, DXGKARG_PRESENT *args) {
    const D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    if (args->pPatchLocationListOut > first)
        args->pPatchLocationListOut--;
    return status;
}
REPLACE(DxgkDdiPresent, present_last_left)

static NTSTATUS APIENTRY present_slot(const HANDLE context, DXGKARG_PRESENT *args) {
    D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    if (args->pPatchLocationListOut > first)
        first->SlotId = 1000;
    return status;
}
REPLACE(DxgkDdiPresent, present_slot)

static NTSTATUS APIENTRY present_behind_list(const HANDLE context, DXGKARG_PRESENT *args) {
    D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    if (args->pPatchLocationListOut > first)
        first->AllocationIndex = DXGK_PRESENT_MAX_INDEX + 1;
    return status;
}
REPLACE(DxgkDdiPresent, present_behind_list)

/* The address of the destination goes where no command has one. */
static NTSTATUS APIENTRY present_misplaced(const HANDLE context, DXGKARG_PRESENT *args) {
    D3DDDI_PATCHLOCATIONLIST *location = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    for (; location < args->pPatchLocationListOut; location++)
        if (location->AllocationIndex == DXGK_PRESENT_DESTINATION_INDEX)
            location->PatchOffset -= sizeof(UINT64);
    return status;
}
REPLACE(DxgkDdiPresent, present_misplaced)

static NTSTATUS APIENTRY present_behind_commands(const HANDLE context, DXGKARG_PRESENT *args) {
    const D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    const UCHAR *start = args->pDmaBuffer;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    if (args->pPatchLocationListOut > first)
        args->pPatchLocationListOut[-1].PatchOffset =
            (UINT)((const UCHAR *)args->pDmaBuffer - start);
    return status;
}
REPLACE(DxgkDdiPresent, present_behind_commands)

/* Where a buffer may be split is then within commands. */
static NTSTATUS APIENTRY present_within(const HANDLE context, DXGKARG_PRESENT *args) {
    D3DDDI_PATCHLOCATIONLIST *location = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    for (; location < args->pPatchLocationListOut; location++)
        location->SplitOffset += sizeof(UINT);
    return status;
}
REPLACE(DxgkDdiPresent, present_within)

/* ---- Commands of GDI ------------------------------------------------------------------------- */

/* Asks with commands that `spoil` changed. */
static NTSTATUS gdi_spoiled(const HANDLE context, DXGKARG_RENDER *args,
                            void(APIENTRY *spoil)(DXGK_RENDERKM_COMMAND *command)) {
    static unsigned char bytes[1u << 20];
    const void *commands = args->pCommand;
    UINT length = args->CommandLength;
    DXGK_RENDERKM_COMMAND command;
    if (length > sizeof(bytes))
        return STATUS_NO_MEMORY;
    memcpy(bytes, commands, length);
    for (UINT at = 0; at + sizeof(command) <= length; at += command.CommandSize) {
        memcpy(&command, bytes + at, sizeof(command));
        spoil(&command);
        memcpy(bytes + at, &command, sizeof(command));
    }
    args->pCommand = bytes;
    NTSTATUS status = mutants_good.DxgkDdiRenderKm(context, args);
    args->pCommand = commands;
    return status;
}

#define SPOILED_GDI(name, change)                                                                  \
    static void APIENTRY name##_command(DXGK_RENDERKM_COMMAND *command) {                          \
        change;                                                                                    \
    }                                                                                              \
    static NTSTATUS APIENTRY name(const HANDLE context, DXGKARG_RENDER *args) {                    \
        return gdi_spoiled(context, args, name##_command);                                         \
    }                                                                                              \
    REPLACE(DxgkDdiRenderKm, name)

SPOILED_GDI(gdi_from_there, if (command->OpCode == DXGK_GDIOP_BITBLT)
                                command->Command.BitBlt.SrcRect = command->Command.BitBlt.DstRect)
SPOILED_GDI(gdi_one_rectangle, UINT *count = command->OpCode == DXGK_GDIOP_BITBLT
                                                 ? &command->Command.BitBlt.NumSubRects
                                                 : &command->Command.ColorFill.NumSubRects;
            *count = *count > 1 ? 1 : *count)
SPOILED_GDI(gdi_black, if (command->OpCode == DXGK_GDIOP_COLORFILL)
                           command->Command.ColorFill.Color = 0xff000000)

static NTSTATUS APIENTRY gdi_first(const HANDLE context, DXGKARG_RENDER *args) {
    const DXGK_RENDERKM_COMMAND *command = args->pCommand;
    UINT length = args->CommandLength;
    args->CommandLength = command->CommandSize < length ? command->CommandSize : length;
    NTSTATUS status = mutants_good.DxgkDdiRenderKm(context, args);
    args->CommandLength = length;
    return status;
}
REPLACE(DxgkDdiRenderKm, gdi_first)

/* Takes the count of a list that it does not have for that of the allocations. */
static NTSTATUS APIENTRY gdi_no_list(const HANDLE context, DXGKARG_RENDER *args) {
    UINT listed = args->AllocationListSize;
    args->AllocationListSize = args->PatchLocationListInSize;
    NTSTATUS status = mutants_good.DxgkDdiRenderKm(context, args);
    args->AllocationListSize = listed;
    return status;
}
REPLACE(DxgkDdiRenderKm, gdi_no_list)

static NTSTATUS APIENTRY gdi_again(const HANDLE context, DXGKARG_RENDER *args) {
    UINT multipass = args->MultipassOffset;
    NTSTATUS status = mutants_good.DxgkDdiRenderKm(context, args);
    args->MultipassOffset = multipass;
    return status;
}
REPLACE(DxgkDdiRenderKm, gdi_again)

static NTSTATUS APIENTRY gdi_slot(const HANDLE context, DXGKARG_RENDER *args) {
    D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiRenderKm(context, args);
    if (args->pPatchLocationListOut > first)
        first->SlotId = 1000;
    return status;
}
REPLACE(DxgkDdiRenderKm, gdi_slot)

static NTSTATUS APIENTRY present_not_patched(const HANDLE adapter, const DXGKARG_PATCH *args) {
    return args->Flags.Present ? STATUS_SUCCESS : mutants_good.DxgkDdiPatch(adapter, args);
}
REPLACE(DxgkDdiPatch, present_not_patched)

static NTSTATUS APIENTRY present_at_origin(const HANDLE context, DXGKARG_PRESENT *args) {
    return args->DstRect.left != 0 ? STATUS_INVALID_PARAMETER
                                   : mutants_good.DxgkDdiPresent(context, args);
}
REPLACE(DxgkDdiPresent, present_at_origin)

static NTSTATUS APIENTRY present_any_size(const HANDLE context, DXGKARG_PRESENT *args) {
    const RECT from = args->SrcRect;
    args->SrcRect.right = from.left + args->DstRect.right - args->DstRect.left;
    args->SrcRect.bottom = from.top + args->DstRect.bottom - args->DstRect.top;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    args->SrcRect = from;
    return status;
}
REPLACE(DxgkDdiPresent, present_any_size)

static NTSTATUS APIENTRY present_opaque(const HANDLE context, DXGKARG_PRESENT *args) {
    const UINT color = args->Color;
    args->Color &= 0xffffff;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    args->Color = color;
    return status;
}
REPLACE(DxgkDdiPresent, present_opaque)

/* What the manager did wrong before explains no pixels. */
static NTSTATUS APIENTRY asks_without_input(const HANDLE adapter,
                                            const DXGKARG_QUERYADAPTERINFO *args) {
    DXGKARG_QUERYADAPTERINFO asked = *args;
    if (args->Type == DXGKQAITYPE_QUERYSEGMENT || args->Type == DXGKQAITYPE_QUERYSEGMENT3) {
        asked.pInputData = NULL;
        asked.InputDataSize = 0;
    }
    return mutants_below.DxgkDdiQueryAdapterInfo(adapter, &asked);
}
REPLACE_BELOW(DxgkDdiQueryAdapterInfo, asks_without_input)

/* ---- Slots and statuses ---------------------------------------------------------------------- */

static void APIENTRY use_one_slot(D3DDDI_PATCHLOCATIONLIST *first,
                                  const D3DDDI_PATCHLOCATIONLIST *end) {
    for (; first < end; first++)
        first->SlotId = 0;
}

static NTSTATUS APIENTRY present_one_slot(const HANDLE context, DXGKARG_PRESENT *args) {
    D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    use_one_slot(first, args->pPatchLocationListOut);
    return status;
}
REPLACE(DxgkDdiPresent, present_one_slot)

static NTSTATUS APIENTRY gdi_one_slot(const HANDLE context, DXGKARG_RENDER *args) {
    D3DDDI_PATCHLOCATIONLIST *first = args->pPatchLocationListOut;
    NTSTATUS status = mutants_good.DxgkDdiRenderKm(context, args);
    use_one_slot(first, args->pPatchLocationListOut);
    return status;
}
REPLACE(DxgkDdiRenderKm, gdi_one_slot)

static NTSTATUS APIENTRY present_not_supported(const HANDLE context, DXGKARG_PRESENT *args) {
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    return status == STATUS_ILLEGAL_INSTRUCTION ? STATUS_NOT_SUPPORTED : status;
}
REPLACE(DxgkDdiPresent, present_not_supported)

static NTSTATUS APIENTRY render_not_supported(const HANDLE context, DXGKARG_RENDER *args) {
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    return status == STATUS_ILLEGAL_INSTRUCTION ? STATUS_NOT_SUPPORTED : status;
}
REPLACE(DxgkDdiRender, render_not_supported)

/* ---- Places that are known ------------------------------------------------------------------- */

#define PLACES_KEPT 8u

/* The places are left for DxgkDdiPatch: the list has none, until `kept` comes back. */
static UINT forget_places(DXGK_ALLOCATIONLIST *list, UINT count, DXGK_ALLOCATIONLIST *kept) {
    if (count > PLACES_KEPT)
        return 0;
    memcpy(kept, list, count * sizeof(*list));
    for (UINT i = 0; i < count; i++) {
        list[i].SegmentId = 0;
        list[i].PhysicalAddress.QuadPart = 0;
    }
    return count;
}

static NTSTATUS APIENTRY present_patched(const HANDLE context, DXGKARG_PRESENT *args) {
    DXGK_ALLOCATIONLIST *list = args->pAllocationList, kept[PLACES_KEPT];
    UINT count = forget_places(list, DXGK_PRESENT_MAX_INDEX + 1, kept);
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, args);
    memcpy(list, kept, count * sizeof(*list));
    return status;
}
REPLACE(DxgkDdiPresent, present_patched)

static NTSTATUS APIENTRY gdi_patched(const HANDLE context, DXGKARG_RENDER *args) {
    DXGK_ALLOCATIONLIST *list = args->pAllocationList, kept[PLACES_KEPT];
    UINT count = forget_places(list, args->AllocationListSize, kept);
    NTSTATUS status = mutants_good.DxgkDdiRenderKm(context, args);
    memcpy(list, kept, count * sizeof(*list));
    return status;
}
REPLACE(DxgkDdiRenderKm, gdi_patched)

static NTSTATUS APIENTRY render_patched(const HANDLE context, DXGKARG_RENDER *args) {
    DXGK_ALLOCATIONLIST *list = args->pAllocationList, kept[PLACES_KEPT];
    UINT count = forget_places(list, args->AllocationListSize, kept);
    NTSTATUS status = mutants_good.DxgkDdiRender(context, args);
    memcpy(list, kept, count * sizeof(*list));
    return status;
}
REPLACE(DxgkDdiRender, render_patched)

/* A row after the other, whatever lies where: what is copied down within a surface is read when it was overwritten. */
#define DOWNWARDS_MOST 64u

static const RECT *cut_rows(const RECT *whole, RECT *rows) {
    for (LONG y = whole->top; y < whole->bottom; y++)
        rows[y - whole->top] = (RECT){whole->left, y, whole->right, y + 1};
    return rows;
}

static bool goes_down(const DXGKARG_PRESENT *args) {
    const DXGK_ALLOCATIONLIST *list = args->pAllocationList;
    return args->Flags.Blt && args->SubRectCnt == 1 && args->DstRect.top > args->SrcRect.top &&
           list[DXGK_PRESENT_SOURCE_INDEX].hDeviceSpecificAllocation ==
               list[DXGK_PRESENT_DESTINATION_INDEX].hDeviceSpecificAllocation;
}

/* A rectangle more in the buffer that `args` has, whose offsets count from its start. */
static NTSTATUS append(const HANDLE context, const DXGKARG_PRESENT *args, DXGKARG_PRESENT *mine) {
    D3DDDI_PATCHLOCATIONLIST *element = mine->pPatchLocationListOut;
    const UINT before = (UINT)((PUCHAR)mine->pDmaBuffer - (PUCHAR)args->pDmaBuffer);
    mine->DmaSize = args->DmaSize - before;
    mine->PatchLocationListOutSize =
        args->PatchLocationListOutSize - (UINT)(element - args->pPatchLocationListOut);
    NTSTATUS status = mutants_good.DxgkDdiPresent(context, mine);
    for (; element < mine->pPatchLocationListOut; element++) {
        element->PatchOffset += before;
        element->SplitOffset += before;
    }
    return status;
}

/* Each row of it is a copy of its own. */
static NTSTATUS APIENTRY present_downwards(const HANDLE context, DXGKARG_PRESENT *args) {
    RECT rows[DOWNWARDS_MOST];
    DXGKARG_PRESENT mine = *args;
    NTSTATUS status = STATUS_SUCCESS;
    LONG count = args->DstRect.bottom - args->DstRect.top;
    if (!goes_down(args) || count > (LONG)DOWNWARDS_MOST)
        return mutants_good.DxgkDdiPresent(context, args);
    mine.pDstSubRects = cut_rows(args->pDstSubRects, rows);
    for (LONG i = 0; i < count && status == STATUS_SUCCESS; i++, mine.pDstSubRects++) {
        mine.MultipassOffset = 0;
        status = append(context, args, &mine);
    }
    args->pDmaBuffer = mine.pDmaBuffer;
    args->pPatchLocationListOut = mine.pPatchLocationListOut;
    return status;
}
REPLACE(DxgkDdiPresent, present_downwards)

/* Commands of an application: DxgkDdiPatch leaves the address of another segment. */
static DXGK_ALLOCATIONLIST drawn_first;

static NTSTATUS APIENTRY render_knows(const HANDLE context, DXGKARG_RENDER *args) {
    drawn_first = args->pAllocationList[0];
    return mutants_good.DxgkDdiRender(context, args);
}

static NTSTATUS APIENTRY patch_leaves_segment(const HANDLE adapter, const DXGKARG_PATCH *args) {
    DXGKARG_PATCH mine = *args;
    DXGK_ALLOCATIONLIST list;
    const UINT then = drawn_first.SegmentId;
    if (args->Flags.Paging || args->Flags.Present || args->AllocationListSize != 1 || then == 0 ||
        args->pAllocationList[0].SegmentId == then)
        return mutants_good.DxgkDdiPatch(adapter, args);
    list = args->pAllocationList[0];
    list.PhysicalAddress = drawn_first.PhysicalAddress;
    mine.pAllocationList = &list;
    return mutants_good.DxgkDdiPatch(adapter, &mine);
}

static void APIENTRY install_patch_leaves_segment(DRIVER_INITIALIZATION_DATA *table) {
    drawn_first.SegmentId = 0;
    table->DxgkDdiRender = render_knows;
    table->DxgkDdiPatch = patch_leaves_segment;
}

/* ---- The mutants ----------------------------------------------------------------------------- */

#define BY_ADDRESS .settings = {{"MmuLevels", 4}}
#define WHEN_MOVED .readings.dma_patch = 1
#define PRESENTS   .settings = {{"Nodes", 1}}
#define SPLITS     .settings = {{"Nodes", 1}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM1_3}}
#define DRAWS      .settings = {{"Nodes", 1}, {"Gdi", 1}}

const struct mutant mutants_present[] = {
    {BREAKS(603, DRIVER, "room", present_from_there,
            "copies from where rectangles are in the destination"),
     PRESENTS},
    {BREAKS(603, DRIVER, "room", present_whole, "presents all of DstRect"), PRESENTS},
    {BREAKS(603, DRIVER, "room", present_whole, "presents all of DstRect, with an aperture alone"),
     .settings = {{"Nodes", 1}, {"Iommu", 1}}},
    {BREAKS(603, DRIVER, "room", present_from_there,
            "copies from where rectangles are in the destination, with paging by address"),
     BY_ADDRESS},
    {BREAKS(603, DRIVER, "room", present_black, "fills with black, with paging by address"),
     BY_ADDRESS},
    {BREAKS(603, DRIVER, "room", present_skips, "leaves a row out between two DMA buffers"),
     PRESENTS},
    {BREAKS(603, DRIVER, "room", present_black, "fills with black"), PRESENTS},
    {BREAKS(603, DRIVER, "room", present_downwards,
            "copies within a surface from its first row to its last, whichever way it goes"),
     PRESENTS},
    {BREAKS(603, DRIVER, "room", present_newest,
            "patches as many elements as the newest present has"),
     PRESENTS},
    {BREAKS(603, DRIVER, "room", present_known,
            "patches a present with the addresses that DxgkDdiPresent knew"),
     PRESENTS},
    {BREAKS(603, DRIVER, "room", present_at_origin,
            "refuses to copy to rectangles that do not begin at the left"),
     .consequences = {614}, PRESENTS},
    {BREAKS(603, DRIVER, "room", present_not_patched,
            "patches nothing in DMA buffers that DxgkDdiPresent made"),
     PRESENTS},
    {BREAKS(603, DRIVER, "room", present_any_size,
            "copies from behind SrcRect where DstRect is larger"),
     PRESENTS},
    {BREAKS(603, DRIVER, "room", present_misplaced,
            "has addresses of presents patched where no command has one"),
     PRESENTS},
    {BREAKS(603, DRIVER, "room", present_opaque, "leaves alpha out of a color fill"), PRESENTS},
    {BREAKS(603, DRIVER, "room", present_from_there,
            "copies from where rectangles are in the destination, below a manager that broke R11"),
     .consequences = {11}, .scene = scene_asks_without_input,
     .settings = {{"Nodes", 1}, {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM1_3}}},
    {BREAKS(614, DRIVER, "room", present_not_supported,
            "answers a present that its hardware cannot do with STATUS_NOT_SUPPORTED"),
     PRESENTS},
    {BREAKS(614, DRIVER, "room", render_not_supported,
            "answers an unknown command with STATUS_NOT_SUPPORTED")},
    {BREAKS(615, DRIVER, "room", present_one_slot,
            "presents from and to one slot of the resource table"),
     PRESENTS},
    {BREAKS(615, DRIVER, "room", gdi_one_slot, "copies for GDI from and to one slot"), DRAWS},
    {BREAKS(604, DRIVER, "room", gdi_from_there,
            "copies for GDI from where rectangles are in the destination"),
     DRAWS},
    {BREAKS(604, DRIVER, "room", gdi_one_rectangle,
            "draws the first rectangle of each command of GDI"),
     DRAWS},
    {BREAKS(604, DRIVER, "room", gdi_black, "fills with black for GDI"), DRAWS},
    {BREAKS(603, DRIVER, "room", present_nothing, "says that it presented, and builds nothing"),
     DRAWS},
    {BREAKS(604, DRIVER, "room", gdi_nothing, "says that it drew for GDI, and builds nothing"),
     DRAWS},
    {BREAKS(604, DRIVER, "room", gdi_first, "draws the first command of GDI in a buffer"), DRAWS},
    {BREAKS(604, DRIVER, "room", gdi_no_list,
            "takes the allocations of whole commands of GDI for invalid"),
     DRAWS},
    {BREAKS(607, DRIVER, "room", present_patched,
            "writes no addresses before a present is patched"),
     PRESENTS, WHEN_MOVED},
    {BREAKS(607, DRIVER, "room", gdi_patched,
            "writes no addresses before commands of GDI are patched"),
     DRAWS, WHEN_MOVED},
    {BREAKS(607, DRIVER, "room", render_patched,
            "writes no addresses before commands of an application are patched"),
     WHEN_MOVED},
    {BREAKS(659, DRIVER, "room", render_newest,
            "patches as many elements as the newest DMA buffer has")},
    {BREAKS(659, DRIVER, "room", patch_adds,
            "moves the addresses of a DMA buffer that it patches again")},
    {BREAKS(659, DRIVER, "room", patch_leaves_segment,
            "leaves addresses of the aperture where the surface is in memory by then")},
    {BREAKS(157, DRIVER, "room", present_again, "presents the same rows in each buffer, for ever"),
     PRESENTS},
    {BREAKS(157, DRIVER, "room", present_of_this_pass,
            "has the progress of one DMA buffer in MultipassOffset"),
     PRESENTS},
    {BREAKS(157, DRIVER, "room", present_in_a_circle,
            "begins a present again behind each second DMA buffer"),
     PRESENTS},
    {BREAKS(157, DRIVER, "room", gdi_again, "draws the same rows for GDI in each buffer, for ever"),
     DRAWS},
    {BREAKS(398, DRIVER, "room", present_within,
            "gives split offsets of a present that are within its commands"),
     SPLITS},
    {BREAKS(394, DRIVER, "room", present_backwards,
            "lists the last two patch locations of a present in the wrong order"),
     PRESENTS},
    {BREAKS(394, DRIVER, "room", present_last_left,
            "leaves the last patch location of a present out of its list"),
     PRESENTS},
    {BREAKS(396, DRIVER, "room", present_slot, "presents by slot 1000"), PRESENTS},
    {BREAKS(396, DRIVER, "room", present_behind_list,
            "presents an allocation behind source and destination"),
     PRESENTS},
    {BREAKS(396, DRIVER, "room", present_behind_commands,
            "has an address of its last copy patched behind it"),
     .consequences = {274}, PRESENTS},
    {BREAKS(396, DRIVER, "room", gdi_slot, "draws for GDI by slot 1000"), DRAWS},
};
const uint32_t mutants_present_count = sizeof(mutants_present) / sizeof(mutants_present[0]);
