/*
 * raw_present.c - DxgkDdiPresent and the commands of GDI (DxgkDdiRenderKm), of which the pages say what they do to each
 * pixel: copies and fills, of one rectangle, of several, of more than a DMA buffer has room for; with
 * surfaces in memory and behind an aperture, whose places are known when the commands are built, or are not, or have
 * changed when they are patched. What the driver refuses is not judged.
 */
#include "raw_picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECTANGLES_MOST    16384u
#define EVERY_OTHER        (PICTURE_WIDTH / 2)
#define BETWEEN            (EVERY_OTHER - 1)
#define APART              (EVERY_OTHER * PICTURE_HEIGHT)     /* of them do not touch */
#define DISTINCT           (APART + BETWEEN * PICTURE_HEIGHT) /* of them are of other pixels */
#define COMMAND_RECTANGLES 5u                                 /* of a command of GDI */
#define PLACES             4u                                 /* of the two surfaces */
#define FILL_COLOR         0xff5a17c0u
#define ROOMS_MOST         64u
#define GROWN_MOST         ((uint64_t)4 << 20)
#define PASSES_BESIDE      64u /* that a driver may take beside one for each rectangle */

/* What the lists say when the commands are built. */
enum listing { LISTED_THERE, LISTED_NOWHERE, LISTED_ELSEWHERE, LISTED_FOR_GOOD, LISTINGS };

struct job {
    bool fill;
    bool split;    /* each DMA buffer, where the driver gave an offset */
    bool stretch;  /* `from`, which is smaller, and what is around it has one colour */
    bool within;   /* PICTURE_TO is the source, too */
    bool visited;  /* another device has closed both */
    RECT from, to; /* of one size else */
    RECT *rectangles;
    uint32_t count;
};

struct presenter {
    struct raw_pair pair;
    unsigned char *commands; /* of GDI */
    RECT *rectangles;        /* RECTANGLES_MOST */
    bool seen;               /* a copy had its effect */
    bool shows;              /* one by the other function had */
    bool empty;              /* the newest DMA buffer, of which the driver says that it is done */
    bool both, one_slot;     /* a list named both surfaces; one of these with one slot */
    NTSTATUS refusal;        /* of the newest DMA buffer; STATUS_SUCCESS: none */
    uint32_t read[PICTURE_HEIGHT][PICTURE_WIDEST]; /* the source of a copy */
};

/* ---- Building -------------------------------------------------------------------------------- */

static void present_list(struct presenter *presenter, const struct job *job, enum listing listing) {
    struct raw_renderer *renderer = &presenter->pair.renderer;
    memset(renderer->allocations, 0, (DXGK_PRESENT_MAX_INDEX + 1) * sizeof(*renderer->allocations));
    renderer->listed = DXGK_PRESENT_MAX_INDEX + 1;
    for (uint32_t i = job->fill ? PICTURE_TO : PICTURE_FROM; i < RAW_PICTURES; i++) {
        DXGK_ALLOCATIONLIST *element = &renderer->allocations[DXGK_PRESENT_SOURCE_INDEX + i];
        uint32_t picture = job->within ? PICTURE_TO : i;
        uint32_t place = listing == LISTED_ELSEWHERE ? !picture : picture;
        element->hDeviceSpecificAllocation = presenter->pair.picture[picture].opened;
        element->WriteOperation = i == PICTURE_TO;
        if (listing == LISTED_NOWHERE)
            continue;
        element->SegmentId = pair_segment(&presenter->pair, place);
        element->PhysicalAddress.QuadPart = (LONGLONG)pair_address(&presenter->pair, place);
    }
}

static bool build_present(struct presenter *presenter, const struct job *job,
                          struct raw_commands *commands) {
    struct raw_renderer *renderer = &presenter->pair.renderer;
    DXGKARG_PRESENT args = {.pDmaBuffer = renderer->cpu,
                            .DmaBufferSegmentId = raw_dma_segment(renderer),
                            .DmaSize = renderer->info.DmaBufferSize,
                            .pDmaBufferPrivateData = renderer->private_data,
                            .DmaBufferPrivateDataSize = renderer->info.DmaBufferPrivateDataSize,
                            .pAllocationList = renderer->allocations,
                            .pPatchLocationListOut = renderer->patches,
                            .PatchLocationListOutSize = renderer->info.PatchLocationListSize,
                            .MultipassOffset = commands->multipass,
                            .Color = job->fill ? FILL_COLOR : 0,
                            .DstRect = job->to,
                            .SrcRect = job->from,
                            .SubRectCnt = job->count,
                            .pDstSubRects = job->rectangles};
    args.Flags.Blt = !job->fill;
    args.Flags.ColorFill = job->fill;
    args.DmaBufferPhysicalAddress.QuadPart = raw_dma_address(renderer);
    commands->status = renderer->raw->ddi->DxgkDdiPresent(renderer->context, &args);
    commands->multipass = args.MultipassOffset;
    return raw_render_took(renderer, commands, args.pDmaBuffer, args.pPatchLocationListOut);
}

static uint32_t source_of(const struct job *job) {
    return job->within ? PICTURE_TO : PICTURE_FROM;
}

static void gdi_command(const struct presenter *presenter, const struct job *job,
                        DXGK_RENDERKM_COMMAND *command, RECT *rectangles, uint32_t count) {
    if (job->fill) {
        command->OpCode = DXGK_GDIOP_COLORFILL;
        command->Command.ColorFill =
            (DXGK_GDIARG_COLORFILL){.DstRect = job->to,
                                    .DstAllocationIndex = DXGK_PRESENT_DESTINATION_INDEX,
                                    .NumSubRects = count,
                                    .pSubRects = rectangles,
                                    .Color = FILL_COLOR,
                                    .Rop = DXGK_GDIROPCF_PATCOPY};
    } else {
        command->OpCode = DXGK_GDIOP_BITBLT;
        command->Command.BitBlt =
            (DXGK_GDIARG_BITBLT){.SrcRect = job->from,
                                 .DstRect = job->to,
                                 .SrcAllocationIndex = DXGK_PRESENT_SOURCE_INDEX,
                                 .DstAllocationIndex = DXGK_PRESENT_DESTINATION_INDEX,
                                 .NumSubRects = count,
                                 .pSubRects = rectangles,
                                 .Rop = DXGK_GDIROP_SRCCOPY,
                                 .SrcPitch = presenter->pair.picture[source_of(job)].pitch,
                                 .DstPitch = presenter->pair.picture[PICTURE_TO].pitch};
    }
}

/* Commands of a few rectangles each, which lie behind them. */
static bool build_gdi(struct presenter *presenter, const struct job *job,
                      struct raw_commands *commands) {
    unsigned char *at = presenter->commands;
    for (uint32_t done = 0, count; done < job->count; done += count) {
        DXGK_RENDERKM_COMMAND command;
        memset(&command, 0, sizeof(command));
        count = job->count - done < COMMAND_RECTANGLES ? job->count - done : COMMAND_RECTANGLES;
        size_t bytes = count * sizeof(*job->rectangles);
        memcpy(at + sizeof(command), job->rectangles + done, bytes);
        gdi_command(presenter, job, &command, (RECT *)(void *)(at + sizeof(command)), count);
        command.CommandSize = (UINT)(sizeof(command) + bytes);
        memcpy(at, &command, sizeof(command));
        at += command.CommandSize;
    }
    commands->bytes = presenter->commands;
    commands->size = (uint32_t)(at - presenter->commands);
    return raw_render_build(&presenter->pair.renderer, commands);
}

static bool present_build(struct presenter *presenter, const struct job *job,
                          struct raw_commands *commands) {
    return (presenter->pair.renderer.gdi ? build_gdi : build_present)(presenter, job, commands);
}

/* ---- One job --------------------------------------------------------------------------------- */

/* All is read before anything is written. */
static uint32_t expected_pixel(const struct presenter *presenter, const struct job *job, LONG x,
                               LONG y) {
    if (job->fill || job->stretch)
        return job->fill ? FILL_COLOR : PICTURE_PLAIN;
    return presenter->read[y - job->to.top + job->from.top][x - job->to.left + job->from.left];
}

static void expect(struct presenter *presenter, const struct job *job) {
    struct raw_picture *to = &presenter->pair.picture[PICTURE_TO];
    const struct raw_picture *from = &presenter->pair.picture[source_of(job)];
    memcpy(presenter->read, from->pixel, sizeof(presenter->read));
    for (uint32_t i = 0; i < job->count; i++)
        for (LONG y = job->rectangles[i].top; y < job->rectangles[i].bottom; y++)
            for (LONG x = job->rectangles[i].left; x < job->rectangles[i].right; x++)
                to->pixel[y][x] = expected_pixel(presenter, job, x, y);
}

/* A fill is with a color of A8R8G8B8 (ns-d3dkmddi-_dxgk_presentflags.md); nothing is said of the alpha of copies. */
static bool as_expected(struct presenter *presenter, const struct job *job) {
    return pair_good(&presenter->pair, job->fill ? PICTURE_ALL : PICTURE_COLORS);
}

static void see_slots(struct presenter *presenter, const struct raw_commands *commands) {
    const D3DDDI_PATCHLOCATIONLIST *list = presenter->pair.renderer.patches;
    bool both = false, apart = false;
    for (uint32_t i = 1; i < commands->patches; i++) {
        both = both || list[i].AllocationIndex != list[0].AllocationIndex;
        apart = apart || list[i].SlotId != list[0].SlotId;
    }
    presenter->both = presenter->both || both;
    presenter->one_slot = presenter->one_slot || (both && !apart);
}

/* R615: an element takes the place of the one before with its slot, and both surfaces are needed for each pixel. It
 * explains no pixel here, where nothing goes by slots, so that pixels are judged first. */
static void judge_slots(const struct presenter *presenter) {
    if (presenter->both)
        raw_judge(presenter->pair.renderer.raw, 615, !presenter->one_slot,
                  "a slot for the source of a copy and another for its destination",
                  "all elements of the patch-location list have one SlotId");
}

enum pass { PASS_REFUSED, PASS_MORE, PASS_LAST };

/* A driver that notes no progress with room for some is asked again until R157 counts enough of it. */
static void present_again(struct presenter *presenter, const struct job *job,
                          const struct raw_commands *commands) {
    struct raw_commands same = *commands;
    for (uint32_t i = 0; i <= VIDMM_REPEATED_PASSES; i++)
        if (!present_build(presenter, job, &same) || same.status == STATUS_SUCCESS ||
            same.multipass != commands->multipass)
            return;
}

/* In two parts where it is split, which no address changes in between. False: the driver refused. */
static bool present_submit(struct presenter *presenter, const struct job *job,
                           const struct raw_commands *commands, bool *completes) {
    struct raw_renderer *renderer = &presenter->pair.renderer;
    uint32_t at = job->split ? raw_render_split(renderer, commands) : 0;
    struct raw_part first = {.end = commands->written, .count = commands->patches}, second = first;
    if (job->split && at == 0)
        return false;
    if (at != 0) {
        first.end = second.start = renderer->patches[at].SplitOffset;
        first.count = second.first = at;
        second.count = commands->patches - at;
    }
    if (!raw_render_submit(renderer, commands, &first))
        return false;
    *completes = raw_render_completes(renderer->raw);
    if (at == 0 || !*completes)
        return true;
    if (!raw_render_submit(renderer, commands, &second))
        return false;
    *completes = raw_render_completes(renderer->raw);
    return true;
}

/* What the GPU copies is seen here. */
static bool presenter_shown(const struct presenter *presenter) {
    return presenter->seen || presenter->shows;
}

/* One DMA buffer. `*completes`: it was submitted, and it is done. One without commands is submitted where commands show:
 * the driver may have noted elsewhere what is to be done. */
static enum pass present_pass(struct presenter *presenter, const struct job *job,
                              enum listing listing, struct raw_commands *commands,
                              bool *completes) {
    uint32_t before = commands->multipass;
    present_list(presenter, job, listing);
    bool built = present_build(presenter, job, commands);
    presenter->refusal = built ? STATUS_SUCCESS : commands->status;
    if (built && !job->fill)
        see_slots(presenter, commands);
    presenter->empty = built && commands->written == 0 && commands->status == STATUS_SUCCESS;
    if (!built || (commands->written == 0 && !(presenter->empty && presenter_shown(presenter))))
        return PASS_REFUSED;
    if (commands->status != STATUS_SUCCESS && commands->multipass == before) {
        present_again(presenter, job, commands);
        return PASS_REFUSED;
    }
    present_list(presenter, job, LISTED_THERE);
    presenter->pair.renderer.unpatched = listing == LISTED_FOR_GOOD;
    presenter->pair.renderer.presents = !presenter->pair.renderer.gdi;
    bool submitted = present_submit(presenter, job, commands, completes);
    presenter->pair.renderer.unpatched = false;
    if (!submitted)
        return PASS_REFUSED;
    return commands->status == STATUS_SUCCESS ? PASS_LAST : PASS_MORE;
}

static void present_judge(struct presenter *presenter, const struct job *job, enum listing listing,
                          bool completes) {
    struct raw_submitter *raw = presenter->pair.renderer.raw;
    const char *expected =
        "the pixels of each rectangle copied or filled once, and no others changed";
    char other[128];
    snprintf(other, sizeof(other),
             "other pixels after the commands that the driver built, first at x %u, y %u of the %s",
             presenter->pair.wrong_x, presenter->pair.wrong_y,
             presenter->pair.wrong == PICTURE_FROM ? "source" : "destination");
    const char *found =
        !completes         ? "the commands that the driver built did not complete"
        : presenter->empty ? "success, no commands in the DMA buffer, and other pixels"
        : job->stretch     ? "pixels from outside of SrcRect after a copy to a larger DstRect"
                           : other;
    if (job->split)
        raw_judge(raw, 398, presenter->seen, expected, found);
    else if (job->visited)
        raw_judge(raw, 138, presenter->seen,
                  "an allocation that stays in a device when another one closes it",
                  "other pixels after a copy between surfaces that another device closed");
    else if (listing == LISTED_FOR_GOOD)
        raw_judge(raw, 607, presenter->seen,
                  "the addresses that the allocation list had when it was built",
                  "other pixels after a DMA buffer whose allocations had not moved");
    else if (presenter->pair.renderer.gdi)
        raw_judge(raw, 604, presenter->seen, expected, found);
    else
        raw_judge(raw, 603, presenter->seen, expected, found);
}

/* The manager has all of its DMA buffers made. */
static enum pass present_managed(struct presenter *presenter, const struct job *job,
                                 bool *completes) {
    const struct vidmm_blit blit = {.fill = job->fill,
                                    .color = job->fill ? FILL_COLOR : 0,
                                    .from = job->from,
                                    .to = job->to,
                                    .rectangles = job->rectangles,
                                    .count = job->count};
    return managed_blit(&presenter->pair, &blit, completes) ? PASS_LAST : PASS_REFUSED;
}

/* R157: a DMA buffer has room for one rectangle at least (nc-d3dkmddi-dxgkddi_present.md), so that they come to an end,
 * wherever MultipassOffset goes. */
static enum pass present_passes(struct presenter *presenter, const struct job *job,
                                enum listing listing, bool *completes) {
    struct raw_commands commands = {.bytes = NULL};
    enum pass pass = PASS_MORE;
    uint32_t most = job->count + PASSES_BESIDE;
    for (uint32_t i = 0; i < most && pass == PASS_MORE && *completes; i++)
        pass = present_pass(presenter, job, listing, &commands, completes);
    bool endless = pass == PASS_MORE && *completes;
    raw_judge(presenter->pair.renderer.raw, 157, !endless,
              "an end of the rectangles, of which each DMA buffer has room for one",
              "INSUFFICIENT_DMA_BUFFER after more DMA buffers than rectangles");
    return endless ? PASS_REFUSED : pass;
}

/* All of its DMA buffers, and what the surfaces show then. Before any copy was seen, by either function, none may be visible,
 * but commands that the driver built complete. False: nothing more can be asked of the driver. */
static bool present_run(struct presenter *presenter, const struct job *job, enum listing listing,
                        uint32_t seed) {
    struct raw_pair *pair = &presenter->pair;
    bool completes = true;
    if (!pair_bring(pair, seed))
        return false;
    enum pass pass = pair->context ? present_managed(presenter, job, &completes)
                                   : present_passes(presenter, job, listing, &completes);
    if (completes && !pair_take(pair))
        return false;
    if (pass == PASS_REFUSED ||
        (!presenter_shown(presenter) && completes && pair_good(pair, PICTURE_COLORS)))
        return false;
    expect(presenter, job);
    presenter->seen = completes && as_expected(presenter, job);
    present_judge(presenter, job, listing, completes);
    return completes;
}

/* ---- The jobs -------------------------------------------------------------------------------- */

static const RECT all = {0, 0, PICTURE_WIDTH, PICTURE_HEIGHT};

/* Done, or in want of a DMA buffer or memory (nc-d3dkmddi-dxgkddi_present.md). */
static bool wants_room(NTSTATUS status) {
    return status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ||
           status == STATUS_NO_MEMORY || status == STATUS_INSUFFICIENT_RESOURCES;
}

/* R603: hardware may be unable to do what is asked of it, which has statuses of its own there. A copy of all was done
 * before, and what follows lies inside of both surfaces. `explained`: before that; of the status itself R614 may tell. */
static void judge_unable(struct presenter *presenter, bool explained) {
    const NTSTATUS status = presenter->refusal;
    bool may = wants_room(status) || status == STATUS_ILLEGAL_INSTRUCTION ||
               status == STATUS_GRAPHICS_CANNOTCOLORCONVERT;
    if (presenter->seen && !presenter->pair.renderer.gdi)
        raw_judge_unless(presenter->pair.renderer.raw, explained, 603, may,
                         "a copy or fill of rectangles inside of both surfaces, or a status of "
                         "hardware that cannot do it",
                         "such rectangles are refused with another status");
}

/* R604: the commands are whole, and their allocations are open, which these statuses deny (nc-d3dkmddi-dxgkddi_renderkm.md).
 * The driver says that it has them (SupportKernelModeCommandBuffer), and any other status may be its hardware's. */
static void judge_understood(struct presenter *presenter, bool explained) {
    char found[64];
    const NTSTATUS status = presenter->refusal;
    bool denies = status == STATUS_INVALID_HANDLE || status == STATUS_INVALID_USER_BUFFER;
    snprintf(found, sizeof(found), "they are refused with status 0x%08x", (unsigned)status);
    if (presenter->pair.renderer.gdi && denies)
        raw_judge_unless(presenter->pair.renderer.raw, explained, 604, false,
                         "commands that are whole, and name open allocations, drawn", found);
}

/* A refusal that may be the hardware's leaves the command unexamined, which the report says. */
static void note_unexamined(struct presenter *presenter, const struct job *job) {
    struct check *check = presenter->pair.renderer.raw->check;
    if (!presenter->pair.renderer.gdi)
        return;
    check->shared->told.gdi_asked = 1;
    if (wants_room(presenter->refusal))
        return;
    check->shared->told.gdi_refused |= 1u << (job->fill ? VIDMM_GDI_COLORFILL : VIDMM_GDI_BITBLT);
    check->shared->told.gdi_status = presenter->refusal;
}

/* A copy of all to begin with, in two halves of which each alone shows; parts at another place of the surface; the same
 * as fills. */
static bool few(struct presenter *presenter, enum listing listing, uint32_t seed) {
    RECT halves[] = {{0, 0, PICTURE_WIDTH, PICTURE_HEIGHT / 2},
                     {0, PICTURE_HEIGHT / 2, PICTURE_WIDTH, PICTURE_HEIGHT}};
    RECT parts[] = {{41, 7, 97, 20},    {100, 8, 101, 46},  {42, 30, 99, 47},
                    {139, 46, 140, 47}, {102, 10, 130, 11}, {120, 20, 121, 21}};
    const uint32_t count = sizeof(parts) / sizeof(parts[0]);
    const struct job jobs[] = {
        {.from = all, .to = all, .rectangles = halves, .count = 2},
        {.from = {11, 3, 111, 43}, .to = {40, 7, 140, 47}, .rectangles = parts, .count = count},
        {.from = {83, 8, 183, 48}, .to = {40, 7, 140, 47}, .rectangles = parts, .count = 2},
        {.fill = true, .to = {40, 7, 140, 47}, .rectangles = parts, .count = count},
    };
    for (uint32_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        bool explained = raw_explained(presenter->pair.renderer.raw);
        bool good = present_run(presenter, &jobs[i], listing, seed + i);
        judge_unable(presenter, explained);
        judge_understood(presenter, explained);
        note_unexamined(presenter, &jobs[i]);
        if (!good)
            return false;
    }
    return true;
}

static RECT one_pixel(uint32_t of) {
    uint32_t i = of < APART ? of : of - APART, row = of < APART ? EVERY_OTHER : BETWEEN;
    LONG x = (LONG)(2 * (i % row) + (of >= APART)), y = (LONG)(i / row);
    return (RECT){x, y, x + 1, y + 1};
}

/* Every other pixel is a rectangle, then those in between; behind DISTINCT they begin again. */
static struct job many(struct presenter *presenter, uint32_t count, bool fill) {
    for (uint32_t i = 0; i < count; i++)
        presenter->rectangles[i] = one_pixel(i % DISTINCT);
    return (struct job){.fill = fill,
                        .from = {1, 0, PICTURE_WIDTH, PICTURE_HEIGHT},
                        .to = {0, 0, PICTURE_WIDTH - 1, PICTURE_HEIGHT},
                        .rectangles = presenter->rectangles,
                        .count = count};
}

/* What a rectangle takes of a DMA buffer, and of its list. */
struct rectangle_room {
    uint32_t bytes, patches;
};

/* False: the driver refuses. */
static bool measure(struct presenter *presenter, bool fill, struct rectangle_room *each) {
    struct raw_commands one = {.bytes = NULL}, two = {.bytes = NULL};
    const struct job first = many(presenter, 1, fill), both = many(presenter, 2, fill);
    present_list(presenter, &first, LISTED_THERE);
    if (!present_build(presenter, &first, &one) || one.status != STATUS_SUCCESS ||
        !present_build(presenter, &both, &two) || two.status != STATUS_SUCCESS)
        return false;
    each->bytes = two.written - one.written;
    each->patches = two.patches - one.patches;
    return two.written > one.written && two.patches > one.patches;
}

/* More than two buffers or their lists have room for, so that the third goes on from where the second ended. Where so
 * many are not DISTINCT, more than one has room for; 0: too many. */
static uint32_t too_many(const struct presenter *presenter, const struct rectangle_room *each) {
    const DXGK_CONTEXTINFO *info = &presenter->pair.renderer.info;
    uint64_t count = info->DmaBufferSize / each->bytes,
             listed = info->PatchLocationListSize / each->patches;
    count = count < listed ? count : listed;
    count = (2 * count + 3 <= DISTINCT ? 2 * count : count) + 3;
    return count <= DISTINCT ? (uint32_t)count : 0;
}

/* R603, R604: it takes as many DMA buffers as it needs (nc-d3dkmddi-dxgkddi_present.md). */
static void judge_depleted(struct presenter *presenter) {
    struct raw_submitter *raw = presenter->pair.renderer.raw;
    if (presenter->seen)
        raw_judge(raw, presenter->pair.renderer.gdi ? 604 : 603, wants_room(presenter->refusal),
                  "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER when the DMA buffer is depleted",
                  "rectangles that take more than a DMA buffer are refused with another status");
}

static bool depleted(struct presenter *presenter, bool fill, uint32_t seed) {
    struct rectangle_room each;
    if (!measure(presenter, fill, &each))
        return true;
    uint32_t count = too_many(presenter, &each);
    const struct job job = many(presenter, count, fill);
    bool good = count == 0 || present_run(presenter, &job, LISTED_NOWHERE, seed);
    judge_depleted(presenter);
    return good;
}

/* Some place where the driver wants both surfaces; false: there is none. */
static bool some_place(struct presenter *presenter) {
    for (uint32_t mapped = 0; mapped < PLACES; mapped++)
        if (pair_place(&presenter->pair, mapped))
            return true;
    return false;
}

/* ---- Stretching ------------------------------------------------------------------------------ */

/* R603: SrcRect and DstRect give the stretch factor. Whichever pixels of SrcRect a driver takes, these are alike, and so
 * are those next to it, which a filter reads. One that cannot stretch refuses. */
static void stretches(struct presenter *presenter) {
    RECT halves[] = {{40, 7, 60, 27}, {60, 7, 80, 27}};
    const RECT plain = {18, 2, 42, 16};
    const struct job larger = {.stretch = true,
                               .from = {20, 4, 40, 14},
                               .to = {40, 7, 80, 27},
                               .rectangles = halves,
                               .count = sizeof(halves) / sizeof(halves[0])};
    if (!presenter->seen || !some_place(presenter))
        return;
    presenter->pair.plain = &plain;
    (void)present_run(presenter, &larger, LISTED_THERE, 98);
    presenter->pair.plain = NULL;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* R398, of versions whose systems split. What is refused here is not needed. */
static void splits(struct presenter *presenter) {
    struct raw_submitter *raw = presenter->pair.renderer.raw;
    RECT parts[] = {{0, 0, 50, 9}, {60, 4, 61, 40}, {70, 20, 111, 40}, {0, 20, 9, 21}};
    const struct job copy = {.split = true,
                             .from = {7, 5, 118, 45},
                             .to = {0, 0, 111, 40},
                             .rectangles = parts,
                             .count = sizeof(parts) / sizeof(parts[0])};
    if (raw->info.interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_0 && some_place(presenter))
        (void)present_run(presenter, &copy, LISTED_NOWHERE, 99);
}

/* ---- In another device ----------------------------------------------------------------------- */

/* R138: what that one opened and closed is still there. */
static void visits(struct presenter *presenter) {
    RECT whole = all;
    const struct job copy = {
        .visited = true, .from = all, .to = all, .rectangles = &whole, .count = 1};
    if (presenter->seen && some_place(presenter) && pair_visited(&presenter->pair))
        (void)present_run(presenter, &copy, LISTED_THERE, 97);
}

/* ---- One that waits -------------------------------------------------------------------------- */

static bool ahead_build(struct presenter *presenter, const struct job *job,
                        struct raw_commands *commands) {
    *commands = (struct raw_commands){.bytes = NULL};
    present_list(presenter, job, LISTED_NOWHERE);
    return present_build(presenter, job, commands) && commands->status == STATUS_SUCCESS &&
           commands->written != 0;
}

static bool ahead_submit(struct presenter *presenter, const struct job *job,
                         const struct raw_commands *commands, bool *completes) {
    present_list(presenter, job, LISTED_THERE);
    presenter->pair.renderer.presents = !presenter->pair.renderer.gdi;
    return present_submit(presenter, job, commands, completes);
}

/* Both are built before the first is patched. False: the driver refused one, or nothing can be asked of it any more. */
static bool ahead_both(struct presenter *presenter, const struct job jobs[2],
                       struct raw_renderer *other, bool *completes) {
    struct raw_renderer first = presenter->pair.renderer;
    struct raw_commands commands[2];
    bool good = ahead_build(presenter, &jobs[0], &commands[0]);
    presenter->pair.renderer = *other;
    good = good && ahead_build(presenter, &jobs[1], &commands[1]);
    *other = presenter->pair.renderer;
    presenter->pair.renderer = first;
    good = good && ahead_submit(presenter, &jobs[0], &commands[0], completes);
    first = presenter->pair.renderer;
    presenter->pair.renderer = *other;
    good = good && *completes && ahead_submit(presenter, &jobs[1], &commands[1], completes);
    presenter->pair.renderer = first;
    return good;
}

/* R603, R604: as the presents of an application wait behind each other until they are submitted. */
static void ahead(struct presenter *presenter) {
    struct raw_pair *pair = &presenter->pair;
    RECT left[] = {{0, 0, 50, 9}, {60, 4, 61, 40}, {70, 20, 111, 40}}, right = {120, 7, 150, 40};
    const struct job jobs[] = {
        {.from = {7, 5, 118, 45}, .to = {0, 0, 111, 40}, .rectangles = left, .count = 3},
        {.from = {20, 4, 50, 37}, .to = {120, 7, 150, 40}, .rectangles = &right, .count = 1}};
    struct raw_renderer other;
    bool completes = true;
    if (!presenter->seen || !some_place(presenter) || !raw_render_beside(&pair->renderer, &other))
        return;
    bool both = pair_bring(pair, 96) && ahead_both(presenter, jobs, &other, &completes);
    raw_render_beside_close(&other);
    if (completes && (!pair_take(pair) || !both))
        return;
    expect(presenter, &jobs[0]);
    expect(presenter, &jobs[1]);
    presenter->seen = completes && as_expected(presenter, &jobs[1]);
    present_judge(presenter, &jobs[1], LISTED_NOWHERE, completes);
}

/* ---- Within a surface ------------------------------------------------------------------------ */

static bool may_overlap(const struct presenter *presenter) {
    const DXGK_PRESENTATIONCAPS *caps = &presenter->pair.renderer.raw->info.caps.PresentationCaps;
    return presenter->pair.renderer.gdi ? !caps->NoSameBitmapOverlappedBitBlt
                                        : !caps->NoOverlapScreenBlt;
}

/* R603, R604: as a window that scrolls (ns-d3dkmddi-_dxgk_presentationcaps.md). Hardware that cannot do one of them
 * refuses it. */
static void overlaps(struct presenter *presenter) {
    static const struct {
        LONG x, y;
    } moves[] = {{0, 5}, {0, -5}, {7, 0}, {-7, 0}, {6, 3}, {-6, 3}};
    if (!may_overlap(presenter) || !some_place(presenter))
        return;
    for (uint32_t i = 0; i < sizeof(moves) / sizeof(moves[0]) && presenter->seen; i++) {
        RECT to = {40 + moves[i].x, 10 + moves[i].y, 140 + moves[i].x, 40 + moves[i].y};
        const struct job move = {
            .within = true, .from = {40, 10, 140, 40}, .to = to, .rectangles = &to, .count = 1};
        if (!present_run(presenter, &move, LISTED_THERE, 90 + i) &&
            presenter->pair.renderer.raw->refused)
            return;
    }
}

/* ---- Ends ------------------------------------------------------------------------------------ */

/* Room for `bytes` and `elements`. */
static bool ends_grow(struct presenter *presenter, uint64_t bytes, uint64_t elements) {
    struct raw_renderer *renderer = &presenter->pair.renderer;
    if (bytes > GROWN_MOST || elements > GROWN_MOST / sizeof(*renderer->patches))
        return false;
    D3DDDI_PATCHLOCATIONLIST *longer =
        check_memory(renderer->raw->check, (size_t)elements * sizeof(*longer));
    if (!longer || !raw_render_grow(renderer, (uint32_t)bytes)) {
        free(longer);
        return false;
    }
    free(renderer->patches);
    renderer->patches = longer;
    return true;
}

/* Wherever buffer or list end among the rectangles, the driver writes nothing behind either (K12). Nothing is
 * submitted. */
static bool end_at(struct presenter *presenter, const struct job *job, uint32_t bytes,
                   uint32_t elements) {
    struct raw_renderer *renderer = &presenter->pair.renderer;
    struct raw_commands commands = {.bytes = NULL};
    renderer->info.DmaBufferSize = bytes;
    renderer->info.PatchLocationListSize = elements;
    present_list(presenter, job, LISTED_THERE);
    return present_build(presenter, job, &commands);
}

/* The buffer has a page more each time, which leaves other bytes behind the last rectangle. */
static void ends_of_buffer(struct presenter *presenter, bool fill, const DXGK_CONTEXTINFO *asked,
                           const struct rectangle_room *each) {
    uint32_t words = each->bytes / sizeof(uint32_t),
             rooms = words < ROOMS_MOST ? words : ROOMS_MOST;
    uint64_t bytes = asked->DmaBufferSize + (uint64_t)rooms * CHECK_PAGE;
    uint64_t count = bytes / each->bytes + 2, elements = (count + 1) * each->patches;
    if (count > RECTANGLES_MOST || elements < asked->PatchLocationListSize ||
        !ends_grow(presenter, bytes, elements))
        return;
    const struct job job = many(presenter, (uint32_t)count, fill);
    for (uint32_t i = 0; i <= rooms; i++)
        if (!end_at(presenter, &job, asked->DmaBufferSize + i * CHECK_PAGE, (uint32_t)elements))
            return;
}

/* The list has an element more each time. */
static void ends_of_list(struct presenter *presenter, bool fill, const DXGK_CONTEXTINFO *asked,
                         const struct rectangle_room *each) {
    uint32_t rooms = each->patches < ROOMS_MOST ? each->patches : ROOMS_MOST;
    uint64_t elements = (uint64_t)asked->PatchLocationListSize + rooms;
    uint64_t count = elements / each->patches + 2, bytes = (count + 1) * each->bytes;
    if (bytes < asked->DmaBufferSize)
        bytes = asked->DmaBufferSize;
    if (count > RECTANGLES_MOST || !ends_grow(presenter, bytes, elements))
        return;
    const struct job job = many(presenter, (uint32_t)count, fill);
    for (uint32_t i = 0; i <= rooms; i++)
        if (!end_at(presenter, &job, (uint32_t)bytes, asked->PatchLocationListSize + i))
            return;
}

/* A manager gives no less than the context asked for. */
static void ends(struct presenter *presenter) {
    const DXGK_CONTEXTINFO asked = presenter->pair.renderer.info;
    for (uint32_t fill = 0; fill <= 1; fill++) {
        struct rectangle_room each;
        if (!measure(presenter, fill != 0, &each))
            continue;
        ends_of_buffer(presenter, fill != 0, &asked, &each);
        ends_of_list(presenter, fill != 0, &asked, &each);
    }
}

/* ---- All of it ------------------------------------------------------------------------------- */

static const char *const places[PLACES] = {"both in memory", "the first behind the aperture",
                                           "the second behind the aperture",
                                           "both behind the aperture"};
static const char *const listings[LISTINGS] = {"known", "not known", "changed",
                                               "known and not patched"};

/* False: the driver refused, or nothing shows. */
static bool everywhere(struct presenter *presenter, const char *what) {
    struct check *check = presenter->pair.renderer.raw->check;
    /* By the other reading each buffer is patched. */
    uint32_t seed = 100,
             count = check->options->readings.dma_patch == 0 ? LISTED_FOR_GOOD : LISTINGS;
    for (uint32_t mapped = 0; mapped < PLACES; mapped++) {
        if (!pair_place(&presenter->pair, mapped))
            continue;
        for (uint32_t listing = 0; listing < count; listing++, seed += 10) {
            check_step(check, "room: %s, %s, their places %s", what, places[mapped],
                       listings[listing]);
            if (!few(presenter, listing, seed))
                return false;
        }
        check_step(check, "room: %s of more than a DMA buffer, %s", what, places[mapped]);
        if (!depleted(presenter, false, seed + 8) || !depleted(presenter, true, seed + 9))
            return false;
    }
    return presenter->seen;
}

static void present_all(struct presenter *presenter, struct raw_submitter *raw, bool gdi) {
    const char *what = gdi ? "commands of GDI" : "a present";
    check_step(raw->check, "room: %s", what);
    if (pair_open(&presenter->pair, raw, gdi) && everywhere(presenter, what)) {
        check_step(raw->check, "room: %s in a DMA buffer that is split", what);
        splits(presenter);
        check_step(raw->check, "room: %s that is stretched", what);
        if (!gdi && !raw->refused)
            stretches(presenter);
        check_step(raw->check, "room: %s that is built while another waits", what);
        if (!raw->refused)
            ahead(presenter);
        check_step(raw->check, "room: %s of surfaces that another device closed", what);
        if (!raw->refused)
            visits(presenter);
        check_step(raw->check, "room: %s within a surface", what);
        if (!raw->refused)
            overlaps(presenter);
        check_step(raw->check, "room: %s at the end of buffer or list", what);
        if (!raw->refused)
            ends(presenter);
    }
    judge_slots(presenter);
    pair_close(&presenter->pair);
}

/* As systems do, where the driver says that it can (ns-d3dkmddi-_dxgk_presentationcaps.md). */
static bool has_gdi(const struct raw_submitter *raw) {
    return raw->info.interface_version >= DXGKDDI_INTERFACE_VERSION_WIN7 &&
           raw->info.caps.PresentationCaps.SupportKernelModeCommandBuffer &&
           raw->ddi->DxgkDdiRenderKm;
}

/* Copies and fills of few rectangles, and of more than DMA buffers have room for. */
static void managed_all(struct presenter *presenter, struct raw_submitter *raw) {
    check_step(raw->check, "room: a present through the manager");
    if (managed_open(&presenter->pair, raw) && few(presenter, LISTED_THERE, 100))
        for (uint32_t fill = 0; fill <= 1 && presenter->seen; fill++) {
            const struct job job = many(presenter, DISTINCT, fill != 0);
            check_step(raw->check, "room: %u rectangles through the manager", DISTINCT);
            if (!present_run(presenter, &job, LISTED_THERE, 110 + fill))
                break;
        }
    managed_close(&presenter->pair);
}

void raw_presents_managed(struct check *check) {
    struct raw_submitter raw = {.check = check,
                                .ddi = &check->harness.spoken,
                                .adapter = vidmm_host_adapter(check->harness.host),
                                .os = vidmm_host_os(check->harness.host),
                                .by_address = true};
    struct presenter *presenter = check_memory(check, sizeof(*presenter));
    vidmm_adapter_info(check->harness.adapter, &raw.info);
    if (presenter)
        presenter->rectangles = check_memory(check, RECTANGLES_MOST * sizeof(RECT));
    if (presenter && presenter->rectangles && raw.ddi->DxgkDdiPresent)
        managed_all(presenter, &raw);
    if (presenter)
        free(presenter->rectangles);
    free(presenter);
}

/* `shows`: by the other function. True: a copy by this one was seen. */
static bool present_with(struct presenter *presenter, struct raw_submitter *raw, bool gdi,
                         bool shows) {
    presenter->seen = presenter->both = presenter->one_slot = presenter->empty = false;
    presenter->shows = shows;
    present_all(presenter, raw, gdi);
    return presenter->seen;
}

/* Presents of which no commands were seen come again when those of GDI have shown that some would be. */
static void present_both(struct presenter *presenter, struct raw_submitter *raw) {
    bool presented = raw->ddi->DxgkDdiPresent && present_with(presenter, raw, false, false);
    bool empty = raw->ddi->DxgkDdiPresent && presenter->empty;
    if (!raw->refused && has_gdi(raw) && present_with(presenter, raw, true, presented) && empty &&
        !raw->refused)
        (void)present_with(presenter, raw, false, true);
}

void raw_presents(struct raw_submitter *raw) {
    struct check *check = raw->check;
    struct presenter *presenter = check_memory(check, sizeof(*presenter));
    size_t command = sizeof(DXGK_RENDERKM_COMMAND) + sizeof(RECT);
    if (presenter) {
        presenter->rectangles = check_memory(check, RECTANGLES_MOST * sizeof(RECT));
        presenter->commands = check_memory(check, RECTANGLES_MOST * command);
    }
    if (presenter && presenter->rectangles && presenter->commands && raw_leave(raw))
        present_both(presenter, raw);
    if (presenter) {
        free(presenter->rectangles);
        free(presenter->commands);
    }
    free(presenter);
}
