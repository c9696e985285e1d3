/*
 * raw.h - the raw paging submitter: makes paging operations without a manager, in legal sequences
 * that the manager does not use. The protocol is that of src/manager/paging/paging.c; after
 * raw_flush every operation is done and its effect can be read.
 *
 * raw.c prepares the submitter, raw_work.c fills, submits and preempts buffers, raw_reset.c loses them,
 * raw_operation.c has the operations that several stages use, raw_render.c work of an application,
 * raw_draw.c such work with commands, raw_hang.c work that hangs, raw_cancel.c work that is cancelled, raw_damaged.c
 * commands that are none. raw_queue.c has several submissions under way, and sees what they have come to.
 */
#ifndef VIDMM_CHECK_RAW_H
#define VIDMM_CHECK_RAW_H

#include "stage.h"

struct user;
struct raw_renderer;

#define RAW_PAGES         24u /* of each of the two system buffers */
#define RAW_RUN           3u  /* of them follow each other */
#define RAW_PACKETS       8u  /* submissions under way at a time */
#define RAW_PIECE         4u  /* pages of one submission of raw_queue */
#define RAW_PIECES        (RAW_PAGES / RAW_PIECE)
#define RAW_WHOLE         UINT32_MAX
#define RAW_KERNEL_HANDLE 1u /* of the allocation, as D3DKMT_HANDLE; those of the pictures follow */
#define RAW_PICTURES      2u
#define RAW_FIRST_FENCE   0x10000u /* past every fence that the manager used */
#define RAW_FENCES                                                                                 \
    0x20000u /* those of the manager and of the submitter; of the next one they go on behind them */

/* A submission under way: a range of the paging buffer. */
struct raw_packet {
    uint32_t fence;
    uint32_t start, end;
    uint32_t private_start, private_end;
};

/* Private data of the driver, as a creation gave it. */
struct raw_private {
    void *bytes; /* NULL: none */
    uint32_t size;
};

struct raw_submitter {
    struct check *check;
    const DRIVER_INITIALIZATION_DATA *ddi;
    HANDLE adapter, device, context; /* of the system device, if the driver creates one */
    uint32_t node;     /* of what was submitted last; fences and preemptions are about it */
    uint32_t physical; /* the physical adapter that it is about; ids of segments are that one's */
    struct {
        uint32_t node, fence, completed;
    } beside; /* what raw_leave_to left under way: its newest fence, and the one that is complete */
    const struct vidmm_os *os;
    struct vidmm_adapter_info info;
    struct vidmm_segment_info memory, aperture; /* id 0: there is none */
    struct vidmm_segment_info place;            /* aperture of the paging buffer; id 0: none */
    uint32_t others;                            /* segments of a kind that are left out before */
    bool another;                               /* `memory` or `aperture` is not the first */
    PMDL buffer;                                /* the paging buffer */
    unsigned char *cpu, *private_data;
    bool through;    /* bytes of `source` move into pages that are mapped, without `memory` */
    bool draws;      /* ... or are drawn there */
    bool by_address; /* the driver has GPU virtual addresses: there is no `memory` */
    struct user
        *carrier; /* its manager carries out what is built (carry.h); NULL: it is submitted here */
    bool mapped;  /* mapped into `place`; else in system memory */
    uint32_t start, used; /* [start, used) of it is built and not submitted */
    uint32_t end;         /* of the bytes that operations may use */
    uint32_t repeated;    /* calls in which an operation came again with the rest of it */
    uint32_t private_start, private_used;
    struct raw_packet packet[RAW_PACKETS];
    uint32_t packets;
    uint32_t fence, completed;
    uint32_t faulted;             /* fence of the newest error; 0: none */
    uint32_t preempted;           /* fence of the newest preemption that was reported */
    uint32_t completed_then;      /* `completed` behind that report */
    bool held;                    /* between reset and restart */
    bool hurried;                 /* no time passes there */
    bool refused;                 /* a call failed: no DDI call follows */
    bool works;                   /* something completed */
    bool restarted;               /* behind a reset of the adapter nothing has completed yet */
    bool unseen;                  /* work does not complete */
    HANDLE allocation;            /* the driver's, of RAW_PAGES pages; NULL: not in vidmm/umd.h */
    HANDLE picture[RAW_PICTURES]; /* the driver's allocations of raw_picture.h; NULL: none */
    uint32_t alignment;           /* of the places of the allocation: pages, at least 1 */
    uint32_t segments;            /* where it may be read and written, bit 0: id 1 */
    uint32_t cut;                 /* bytes of its last page that raw_make_shorter did not ask for */
    uint32_t place_page;          /* of raw_segment: where the allocation is brought */
    bool inside;                  /* its content lies there */
    struct raw_private given;     /* of the allocation */
    struct {
        bool made; /* the allocation belongs to one */
        HANDLE handle;
        struct raw_private given;
    } resource;
    PMDL source, target; /* RAW_PAGES each */
    uint32_t painted;    /* seed of the bytes of `source` */
    /* When a fence is reported; or NULL. raw_early.c has the rest. */
    void (*completes)(struct raw_submitter *raw, uint32_t fence);
    struct raw_renderer *dma; /* those whose DMA buffers are mapped */
    uint32_t dma_first;       /* their first page */
};

/* ---- raw.c ----------------------------------------------------------------------------------- */

/* After check_open. DONE, or another outcome with check->shared->told.text. */
enum vidmm_stage_outcome raw_open(struct raw_submitter *raw, struct check *check);
/* The same on a physical adapter. */
enum vidmm_stage_outcome raw_open_on(struct raw_submitter *raw, struct check *check,
                                     uint32_t physical);
/* Bytes of an aperture that may be mapped at once: CommitLimit, and what DRIVERCAPS says of all of them. */
uint64_t raw_mapped_most(const struct raw_submitter *raw,
                         const struct vidmm_segment_info *aperture);
/* raw_open, but an aperture will do where there is no memory segment (`memory.id` 0). */
enum vidmm_stage_outcome raw_open_aperture(struct raw_submitter *raw, struct check *check);
/* The same with the segment of each kind that has `others` suitable ones before it, or the first of a kind that has
 * fewer. `*there`: one of them is not the first. */
enum vidmm_stage_outcome raw_open_others(struct raw_submitter *raw, struct check *check,
                                         uint32_t others, bool *there);
/* What a run comes to whose submitter was not opened: DONE where the driver pages by GPU virtual address, which runs
 * over the manager show, since none follows one that is skipped. */
enum vidmm_stage_outcome raw_unopened(const struct raw_submitter *raw,
                                      enum vidmm_stage_outcome opened);
/* Another allocation takes the place of its own: as many pages, of which the last is not all of its Size. False: the
 * driver makes none, and there is no allocation any more. */
bool raw_make_uneven(struct raw_submitter *raw);
/* The same of a driver that speaks vidmm/umd.h: the user-mode driver asks for all but the last `cut` bytes of the last
 * page, whatever the driver's Size is. */
bool raw_make_shorter(struct raw_submitter *raw, uint32_t cut);
/* The outcome of a stage that ran to its end. */
enum vidmm_stage_outcome raw_close(struct raw_submitter *raw);

/* raw_early.c, R597: of bytes of its own, before anything else may have gone wrong. */
void raw_judge_early(struct raw_submitter *raw);

/* raw_carried.c: of a manager that runs on GPU virtual addresses, whose paging buffers carry the operations, with the
 * aperture that has `others` suitable ones before it. False: there is none, or no memory. raw_close_carried follows
 * anyway. */
bool raw_open_carried(struct raw_submitter *raw, struct user *carrier, uint32_t others);
void raw_close_carried(struct raw_submitter *raw);
/* A run of such a driver: opens `setup`, whose table is carry_table's; `run` says false when the driver refused something.
 * DONE where it does not page by GPU virtual address. */
enum vidmm_stage_outcome raw_carried_run(struct check *check, const struct check_setup *setup,
                                         bool (*run)(struct user *user));
/* Waits until they are carried out. */
bool raw_carry_out(struct raw_submitter *raw);
bool raw_carry(struct raw_submitter *raw, const DXGKARG_BUILDPAGINGBUFFER *args);
/* Maps and unmaps of its pages in pieces, and beside others. */
void raw_carried_maps(struct raw_submitter *raw);
/* Nothing else has that part of the aperture. */
bool raw_is_free(const struct raw_submitter *raw, uint64_t page, uint64_t pages);
/* `mdl` may be NULL. */
void raw_free_pages(const struct raw_submitter *raw, PMDL mdl);
/* The segments that operations are about. */
void raw_choose_segments(struct raw_submitter *raw, struct vidmm_adapter *adapter);

/* The first page of the paging buffer in `place`. */
uint32_t raw_buffer_page(const struct raw_submitter *raw);
/* Maps it there and waits; the operation is built in system memory. */
bool raw_map_buffer(struct raw_submitter *raw);
/* Builds the unmap: later work is submitted in system memory. */
bool raw_unmap_buffer(struct raw_submitter *raw);

/* Pages of system memory of which no more than `run` follow each other; NULL: there is no memory. */
PMDL raw_list(const struct raw_submitter *raw, uint32_t pages, uint32_t run);
/* Byte `at` of page `page` of an MDL. */
unsigned char *raw_page(struct raw_submitter *raw, PMDL mdl, uint64_t page);
/* Fills every page of an MDL with different bytes. */
void raw_paint(struct raw_submitter *raw, PMDL mdl, uint32_t seed);

/* The driver broke a rule before, in whatever run: what it has come to shows no other. */
bool raw_explained(const struct raw_submitter *raw);
/* Judges an effect by R`rule`, as check_judge, but for raw_explained. */
void raw_judge(struct raw_submitter *raw, uint32_t rule, bool kept, const char *expected,
               const char *found);
/* The same where the caller asked raw_explained, before what is judged was found by another rule. */
void raw_judge_unless(struct raw_submitter *raw, bool explained, uint32_t rule, bool kept,
                      const char *expected, const char *found);

/* ---- raw_work.c ------------------------------------------------------------------------------ */

/* The driver refused a call: no DDI call follows. Returns false. */
bool raw_refuse(struct raw_submitter *raw, const char *call, NTSTATUS status);
/* Builds one operation behind the others; false: the driver refused. */
bool raw_build(struct raw_submitter *raw, DXGKARG_BUILDPAGINGBUFFER *args);
/* From here on work goes to that node: what is under way on another completes first. */
bool raw_turn_to(struct raw_submitter *raw, uint32_t node);
/* The same, but what is under way stays so, as `beside`. */
void raw_leave_to(struct raw_submitter *raw, uint32_t node);
/* Submits what was built, without waiting for the GPU. */
bool raw_submit(struct raw_submitter *raw);
/* Nothing is under way: the next fence id is the one behind `fence`. */
void raw_count_from(struct raw_submitter *raw, uint32_t fence);
/* Submits what was built and waits for the GPU; false: it does not complete. */
bool raw_flush(struct raw_submitter *raw);
/* The same; that it does not complete is no finding. */
bool raw_try(struct raw_submitter *raw);
/* The next operation has at most `room` bytes in this buffer, the one after it a whole buffer, as
 * from a system. No effect on an empty buffer. */
void raw_shorten(struct raw_submitter *raw, uint32_t room);
/* Preempts the submissions that the GPU has not begun, and waits for the report. */
bool raw_preempt(struct raw_submitter *raw);
/* The same in two steps: asks for it, and waits for the report. */
bool raw_ask_preempt(struct raw_submitter *raw);
bool raw_await_preempted(struct raw_submitter *raw);
/* Submits preempted work again. */
bool raw_resubmit(struct raw_submitter *raw);
/* Of raw_reset.c: the fence is a later one, fence ids wrap; behind a reset; all of the buffer is free. */
bool raw_beyond(uint32_t fence, uint32_t other);
bool raw_restart(struct raw_submitter *raw);
void raw_empty(struct raw_submitter *raw);

/* ---- raw_reset.c ----------------------------------------------------------------------------- */

/* What comes between queued work and a reset. Most resets come because a preemption is not reported; BEFORE_DONE:
 * the work is done, and not reported. The last is for resets of the adapter. */
enum raw_before {
    BEFORE_NOTHING,
    BEFORE_PREEMPTED,
    BEFORE_ASKED,
    BEFORE_DONE,
    BEFORE_DONE_AND_ASKED,
};
bool raw_begin_reset(struct raw_submitter *raw, enum raw_before before);
/* Resets the paging engine alone. */
enum raw_engine {
    RAW_ENGINE_RESET,   /* raw_resubmit submits the rest again */
    RAW_ENGINE_LOST,    /* ... and paging work with it: the adapter has to be reset as well */
    RAW_ENGINE_REFUSED, /* the driver refused, which it may: the same */
    RAW_ENGINE_BROKEN,  /* no DDI call follows */
};
enum raw_engine raw_reset_engine(struct raw_submitter *raw);
/* What a system asks before it resets the engine of the node; `*group`: the nodes that are reset with it, NULL: not
 * asked for. False: refused. */
bool raw_ask_engine(struct raw_submitter *raw, uint64_t *group);
/* As a TDR: submitted work is lost. */
bool raw_reset(struct raw_submitter *raw);
/* Memory shows whether anything is left of that work, and nothing is mapped. */
bool raw_forgets(const struct raw_submitter *raw);
/* The same where that is so, and no time passes between the reset and the restart (R421). */
bool raw_reset_at_once(struct raw_submitter *raw);
/* The same, with a preemption before any other work. */
bool raw_reset_preempting(struct raw_submitter *raw);
/* The same where nothing else follows but raw_close. */
bool raw_reset_last(struct raw_submitter *raw);

/* ---- raw_queue.c ----------------------------------------------------------------------------- */

/* The first work of a run that queues some: memory is settled in, or the aperture shows how the bytes of what is mapped
 * can be seen. Waits. */
bool raw_queue_first(struct raw_submitter *raw);
/* All RAW_PAGES into the memory segment; where there is none, `target` is mapped into the aperture. Each piece
 * is submitted; waits once, after `ahead` pieces. */
bool raw_queue(struct raw_submitter *raw, uint32_t ahead);
/* Ends it: all is done and taken back, and `target` has the bytes of `source` if each piece was done, where that
 * shows. */
bool raw_queue_end(struct raw_submitter *raw);
/* Behind that: judges by R`rule` that all was done. */
void raw_judge_queued(struct raw_submitter *raw, uint32_t rule, const char *expected,
                      const char *found);

/* ---- raw_render.c ---------------------------------------------------------------------------- */

/* Where the surface is said to be when commands are built; it is brought to raw_surface_at in any case. */
enum raw_listing { RAW_LISTED_THERE, RAW_LISTED_NOWHERE, RAW_LISTED_BESIDE, RAW_LISTED_MAPPED };

/* A context of an application, with its DMA buffer. While that is mapped it does not move itself. */
struct raw_renderer {
    struct raw_submitter *raw;
    uint32_t node;
    HANDLE device, context;
    bool created; /* the context */
    DXGK_CONTEXTINFO info;
    PMDL buffer;
    struct {
        bool mapped; /* the buffer, into the aperture; else it is in system memory */
        uint32_t page;
        struct raw_renderer *next; /* that is mapped */
    } dma;
    unsigned char *cpu, *private_data;
    bool gdi;           /* commands are of GDI */
    bool patched_twice, /* by the same lists */
        unpatched; /* nothing moves between building and submission, which comes without DxgkDdiPatch */
    bool null_rendering; /* the GPU is to run nothing of what is submitted */
    bool damaged;        /* its bytes are no commands any more when DxgkDdiPatch was called */
    bool presents;       /* DxgkDdiPresent made what is submitted */
    HANDLE surface;      /* the submitter's allocation, opened; NULL: it is in no list */
    enum raw_listing listing;
    uint32_t listed; /* elements of `allocations` that the caller filled in; 0: none */
    DXGK_ALLOCATIONLIST *allocations;
    D3DDDI_PATCHLOCATIONLIST *patches;
};

/* raw_dma.c: the buffer can be where the context wants it; is mapped there, where that is an aperture; leaves it. Of all
 * that are mapped: they come or go, with what is built next. Its segment, 0: none, and its address. */
bool raw_dma_possible(const struct raw_renderer *renderer);
bool raw_dma_open(struct raw_renderer *renderer);
void raw_dma_close(struct raw_renderer *renderer);
bool raw_dma_move_all(struct raw_submitter *raw, bool in);
UINT raw_dma_segment(const struct raw_renderer *renderer);
LONGLONG raw_dma_address(const struct raw_renderer *renderer);

/* A command buffer, and what the driver made of it in the newest DMA buffer. */
struct raw_commands {
    const void *bytes;
    uint32_t size;
    uint32_t multipass; /* MultipassOffset; 0 at first */
    NTSTATUS status;
    uint32_t written; /* bytes of the DMA buffer */
    uint32_t patches; /* elements of the patch-location list */
};

/* What is submitted of them. */
struct raw_part {
    uint32_t start, end;   /* bytes */
    uint32_t first, count; /* elements */
};

/* On the paging node. False: the driver has no contexts, or wants another buffer; raw_render_close follows anyway. */
bool raw_render_open(struct raw_renderer *renderer, struct raw_submitter *raw);
/* `gdi`: a context for the commands of GDI, which are DxgkDdiRenderKm's. */
bool raw_render_open_on(struct raw_renderer *renderer, struct raw_submitter *raw, uint32_t node,
                        bool gdi);
/* Opens the submitter's allocation, which is element 0 of all lists from here on; false: the driver refused. */
bool raw_render_surface(struct raw_renderer *renderer);
/* Another device opens the allocation, closes it, and is destroyed; false: the driver refused it. The same of `open`,
 * which is filled in but for the flags. */
bool raw_render_visited(const struct raw_renderer *renderer);
bool raw_visit(const struct raw_submitter *raw, DXGKARG_OPENALLOCATION *open);
/* DxgkDdiRender into the DMA buffer, which is free; false: refused, or the driver left the buffer or the list. */
bool raw_render_build(struct raw_renderer *renderer, struct raw_commands *commands);
/* What a call that builds one made of buffer and list, by the pointers that it moved; false: the same. */
bool raw_render_took(const struct raw_renderer *renderer, struct raw_commands *commands,
                     const void *moved, const D3DDDI_PATCHLOCATIONLIST *listed);
/* Patches (but `unpatched`) and submits a part, without waiting. */
bool raw_render_submit(struct raw_renderer *renderer, const struct raw_commands *commands,
                       const struct raw_part *part);
/* The pieces, of the same commands, that the preemption which was reported last left undone. */
bool raw_render_resubmit(struct raw_renderer *renderer, const struct raw_commands *commands,
                         const struct raw_part *part);
/* Cancels a part instead: no hardware gets it, and DxgkDdiPatch was not called for it either. */
bool raw_render_cancel(struct raw_renderer *renderer, const struct raw_commands *commands,
                       const struct raw_part *part);
/* The first element of the second part of a buffer that is split in the middle; 0: the driver gave no offset there. */
uint32_t raw_render_split(const struct raw_renderer *renderer, const struct raw_commands *commands);
void raw_render_close(struct raw_renderer *renderer);
/* Another DMA buffer of its context, with all that belongs to it. False: there is no memory, or such buffers lie in an
 * aperture; raw_render_beside_close follows if true. */
bool raw_render_beside(const struct raw_renderer *renderer, struct raw_renderer *other);
void raw_render_beside_close(struct raw_renderer *other);
/* Makes one DMA buffer of all of the commands, of which `whole` is the only part; false: the driver makes none, or
 * more than one. */
bool raw_render_whole(struct raw_renderer *renderer, struct raw_commands *commands,
                      struct raw_part *whole);
/* The same of no commands. */
bool raw_render_nothing(struct raw_renderer *renderer, struct raw_commands *commands,
                        struct raw_part *whole);
/* Waits for what was submitted. False: it does not complete, and no DDI call follows. */
bool raw_render_completes(struct raw_submitter *raw);
/* Submits a buffer and waits for it; false: the driver makes none of no commands, or it does not complete. */
bool raw_render(struct raw_renderer *renderer);

/* ---- raw_draw.c ------------------------------------------------------------------------------ */

/* A DMA buffer with commands of vidmm/umd.h that is split, and one that takes several passes; nothing where the
 * driver does not understand them. */
void raw_draws(struct raw_submitter *raw);
/* Commands that draw each page of a surface whose last one user mode asked for in part. The allocation is another one
 * then. */
void raw_draws_last(struct raw_submitter *raw);

/* A DMA buffer can grow after its context was created, and so can its lists (ns-d3dkmddi-_dxgk_contextinfo.md). False:
 * there is no memory, and no buffer. */
bool raw_render_grow(struct raw_renderer *renderer, uint32_t bytes);

/* ---- raw_hang.c ------------------------------------------------------------------------------ */

/* Resets of each engine that hangs in work of an application, preemptions of each that runs such work, and resets of
 * the adapter with it under way; nothing where the driver does not understand VIDMM_UMD_SPIN, or has contexts of no
 * such engine. The driver has the functions that it is about. */
void raw_hang_resets(struct raw_submitter *raw);
void raw_hang_preempts(struct raw_submitter *raw);
void raw_hang_loses(struct raw_submitter *raw);
/* Work on each of these nodes whose bytes are damaged before the hardware gets it. Resets the adapter. */
void raw_hang_faults(struct raw_submitter *raw);
/* The oldest submission under way completed, or something faulted; of a struct raw_submitter. */
bool raw_hang_reported(const void *raw);
/* A fault is that of an engine that does not know such work; what is behind it comes to its end. */
void raw_hang_forget(struct raw_submitter *raw);

/* ---- raw_cancel.c ---------------------------------------------------------------------------- */

/* Work of an application on each node that is cancelled before the hardware has it, with other work behind it; nothing
 * where the driver does not report CancelCommandAware, or has no contexts. */
void raw_cancels(struct raw_submitter *raw);

/* ---- raw_present.c --------------------------------------------------------------------------- */

/* DxgkDdiPresent and DxgkDdiRenderKm, of what a driver has: copies and fills of rectangles of standard surfaces. */
void raw_presents(struct raw_submitter *raw);
/* The same of a driver with GPU virtual addresses, through the manager that runs. */
void raw_presents_managed(struct check *check);

/* ---- raw_damaged.c --------------------------------------------------------------------------- */

/* DxgkDdiRender with commands that a driver refuses, or makes harmless ones of. */
void raw_damaged(struct raw_submitter *raw);

/* ---- raw_operation.c ------------------------------------------------------------------------- */

/* GPU address of the `page`th page of the memory segment. */
uint64_t raw_memory_at(const struct raw_submitter *raw, uint32_t page);

/* `pages` pages from `at` on of the RAW_PAGES at segment page 0, into or out of an MDL. */
struct raw_piece {
    uint32_t at, pages;
    bool in; /* from `source` into the segment; else out of it into `target` */
};
bool raw_transfer(struct raw_submitter *raw, const struct raw_piece *piece);
/* Alignment of an allocation in pages, at least 1; the first page from `page` on that has it. */
uint32_t raw_alignment(const DXGK_ALLOCATIONINFO *info);
uint64_t raw_align(uint64_t page, uint32_t alignment);
/* Another page of the memory segment where the allocation may lie, behind its place at page 0; 0: there is none. */
uint32_t raw_beside(const struct raw_submitter *raw);
/* All RAW_PAGES in pieces of `chunk` pages; waits. */
bool raw_move(struct raw_submitter *raw, bool in, uint32_t chunk);
/* Pages of a segment that no buffer has: those of buffers are the last. */
uint64_t raw_room(const struct raw_submitter *raw, const struct vidmm_segment_info *segment);
/* The segment where the allocation is brought: memory, or the aperture where there is none. */
const struct vidmm_segment_info *raw_segment(const struct raw_submitter *raw);
/* GPU address of the allocation there. */
uint64_t raw_surface_at(const struct raw_submitter *raw);
/* The allocation, with the bytes of `source`, at that page of its segment: by a transfer, or by a map of `target`,
 * which has them then. Waits. */
bool raw_bring(struct raw_submitter *raw, uint32_t page);
/* Takes it from there, its bytes to `target`. Waits. */
bool raw_take(struct raw_submitter *raw);
/* Leaves the segment to others. False: no DDI call follows. */
bool raw_leave(struct raw_submitter *raw);
/* Fills a new allocation, then transfers everything in; without memory it is brought and taken. Waits. */
bool raw_settle_in(struct raw_submitter *raw);
/* Reports that the content of the memory segment is gone, by a transfer without bytes. */
bool raw_tell_lost(struct raw_submitter *raw);
/* True: the target has the bytes of the source. */
bool raw_same(struct raw_submitter *raw);
/* FILL of pages of the memory segment; `allocation` must be there. */
bool raw_fill(struct raw_submitter *raw, uint32_t page, uint32_t pages, uint32_t pattern);
/* True: every 32 bits of a page of the target are `pattern`. */
bool raw_filled(struct raw_submitter *raw, uint32_t page, uint32_t pattern);
/* Pages of an MDL from `mdl_page` on at page `page` of an aperture. */
bool raw_map(struct raw_submitter *raw, const struct vidmm_segment_info *aperture, uint32_t page,
             uint32_t pages, PMDL mdl, uint32_t mdl_page);
bool raw_unmap(struct raw_submitter *raw, const struct vidmm_segment_info *aperture, uint32_t page,
               uint32_t pages);
/* From memory into the aperture: the mapped pages get the bytes of the source's pages from `first` on. Where
 * there is no memory, the source itself moves. Waits. */
bool raw_move_through(struct raw_submitter *raw, uint32_t page, uint32_t first, uint32_t pages);
/* Pages of `target` from `at` on where the allocation is in the aperture; all of them away from there. */
bool raw_map_target(struct raw_submitter *raw, uint32_t at, uint32_t pages);
bool raw_unmap_target(struct raw_submitter *raw);
/* A driver without memory moves bytes into mapped pages, which none has to: what it maps shows in them. */
bool raw_moves_through(struct raw_submitter *raw);
/* WRITE_PHYSICAL, or READ_PHYSICAL, at a page of the memory segment. */
bool raw_touch(struct raw_submitter *raw, uint32_t page, bool write);
/* DISCARD_CONTENT of the allocation, which must be there. */
bool raw_discard(struct raw_submitter *raw);

#endif
