/*
 * break_agp.c - managers that have the GART behind an AGP-type aperture segment do what they must
 * not, or not do what they must; and a driver that leaves the GPU's writes there where they are.
 */
#include "mutants.h"

#define PAGES 256u /* of the stage's aperture */
#define LIMIT 128u
#define PAGE  4096u
#define SYSTEM                                                                                     \
    {"Agp", 1}, {                                                                                  \
        "InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WIN7                                         \
    }

static void map_nothing(void *ctx, uint64_t page, PMDL mdl, uint64_t mdl_page, uint64_t pages) {
    (void)ctx;
    (void)page;
    (void)mdl;
    (void)mdl_page;
    (void)pages;
}

static void no_maps(struct vidmm_gart *gart) {
    gart->map = map_nothing;
}

/* The end of the aperture leads to the first page of each allocation in turn, too. */
static void map_more(void *ctx, uint64_t page, PMDL mdl, uint64_t mdl_page, uint64_t pages) {
    mutants_gart.map(ctx, page, mdl, mdl_page, pages);
    for (uint64_t i = PAGES - LIMIT; i < PAGES; i++)
        mutants_gart.map(ctx, i, mdl, mdl_page, 1);
}

static void maps_beyond_limit(struct vidmm_gart *gart) {
    gart->map = map_more;
}

static void range_ignored(void *ctx, uint64_t page, uint64_t pages) {
    (void)ctx;
    (void)page;
    (void)pages;
}

static void no_unmaps(struct vidmm_gart *gart) {
    gart->unmap = range_ignored;
}

static void no_flushes(struct vidmm_gart *gart) {
    gart->flush = range_ignored;
}

static void map_behind_end(void *ctx, uint64_t page, PMDL mdl, uint64_t mdl_page, uint64_t pages) {
    mutants_gart.map(ctx, page + PAGES, mdl, mdl_page, pages);
}

static void maps_behind_end(struct vidmm_gart *gart) {
    gart->map = map_behind_end;
}

static NTSTATUS APIENTRY read_nothing(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    return args->Operation == DXGK_OPERATION_READ_PHYSICAL
               ? STATUS_SUCCESS
               : mutants_good.DxgkDdiBuildPagingBuffer(adapter, args);
}
REPLACE(DxgkDdiBuildPagingBuffer, read_nothing)

#define MANAGER(RULE, NAME, WHAT)                                                                  \
    .rule = (RULE), .side = VIDMM_SIDE_MANAGER, .what = (WHAT), .gart = (NAME), .stage = "agp"

const struct mutant mutants_agp[] = {
    {MANAGER(35, maps_behind_end, "has the GART map pages behind the end of the AGP aperture"),
     .consequences = {36, 199}, .settings = {SYSTEM}},
    {MANAGER(36, no_maps, "uses pages of the AGP aperture that the GART was not asked to map"),
     .consequences = {199}, .settings = {SYSTEM}},
    {MANAGER(64, maps_beyond_limit, "has the GART map more than CommitLimit"),
     .consequences = {199, 110}, .settings = {SYSTEM, {"AgpCommitLimit", LIMIT *PAGE}}},
    {MANAGER(110, no_flushes, "flushes no Cached allocation that comes into an AGP segment"),
     .settings = {SYSTEM}},
    {BREAKS(192, DRIVER, "agp", read_nothing,
            "answers READ_PHYSICAL of an AGP segment with success and does nothing"),
     .settings = {SYSTEM}},
    {MANAGER(199, no_unmaps, "leaves pages mapped by the GART that something else comes to"),
     .settings = {SYSTEM}},
};
const uint32_t mutants_agp_count = sizeof(mutants_agp) / sizeof(mutants_agp[0]);
