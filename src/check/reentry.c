/* reentry.c - see reentry.h. */
#include "reentry.h"

#include "each_moment.h"
#include "surface.h"

#define MOST 64u

#define SIDE 16u /* pixels of a surface */

/* What an application has, in the order in which it is made. */
enum thing { THING_DEVICE, THING_CONTEXT, THING_SURFACE, THINGS };

struct life {
    struct check *check;
    const struct check_surface *surface; /* NULL: the driver makes none */
    HANDLE handle[THINGS];               /* the driver's */
    HANDLE resource;
    bool made[THINGS];
};

/* ---- One step of a life ---------------------------------------------------------------------- */

static NTSTATUS make_device(struct life *life) {
    DXGKARG_CREATEDEVICE args = {.hDevice = life};
    NTSTATUS status = life->check->harness.spoken.DxgkDdiCreateDevice(
        vidmm_host_adapter(life->check->harness.host), &args);
    life->handle[THING_DEVICE] = args.hDevice;
    return status;
}

static NTSTATUS make_context(struct life *life) {
    DXGKARG_CREATECONTEXT args = {.hContext = life, .EngineAffinity = 1};
    NTSTATUS status =
        life->check->harness.spoken.DxgkDdiCreateContext(life->handle[THING_DEVICE], &args);
    life->handle[THING_CONTEXT] = args.hContext;
    return status;
}

static NTSTATUS make_surface(struct life *life) {
    const struct check_surface *surface = life->surface;
    DXGK_ALLOCATIONINFO info = {.pPrivateDriverData = surface->data,
                                .PrivateDriverDataSize = surface->size};
    DXGKARG_CREATEALLOCATION args = {.NumAllocations = 1, .pAllocationInfo = &info};
    if (surface->resource_size != 0) {
        args.pPrivateDriverData = surface->resource;
        args.PrivateDriverDataSize = surface->resource_size;
        args.Flags.Resource = 1;
    }
    NTSTATUS status = life->check->harness.spoken.DxgkDdiCreateAllocation(
        vidmm_host_adapter(life->check->harness.host), &args);
    life->handle[THING_SURFACE] = info.hAllocation;
    life->resource = args.hResource;
    return status;
}

static NTSTATUS destroy_device(struct life *life) {
    return life->check->harness.spoken.DxgkDdiDestroyDevice(life->handle[THING_DEVICE]);
}

static NTSTATUS destroy_context(struct life *life) {
    return life->check->harness.spoken.DxgkDdiDestroyContext(life->handle[THING_CONTEXT]);
}

static NTSTATUS destroy_surface(struct life *life) {
    DXGKARG_DESTROYALLOCATION args = {.NumAllocations = 1,
                                      .pAllocationList = &life->handle[THING_SURFACE],
                                      .hResource = life->resource};
    args.Flags.DestroyResource = life->surface->resource_size != 0;
    return life->check->harness.spoken.DxgkDdiDestroyAllocation(
        vidmm_host_adapter(life->check->harness.host), &args);
}

static const struct step {
    const char *call;
    enum thing thing;
    bool makes;
    NTSTATUS (*take)(struct life *life);
} makes[THINGS] = {{"DxgkDdiCreateDevice", THING_DEVICE, true, make_device},
                   {"DxgkDdiCreateContext", THING_CONTEXT, true, make_context},
                   {"DxgkDdiCreateAllocation", THING_SURFACE, true, make_surface}},
  destroys[THINGS] = {{"DxgkDdiDestroyDevice", THING_DEVICE, false, destroy_device},
                      {"DxgkDdiDestroyContext", THING_CONTEXT, false, destroy_context},
                      {"DxgkDdiDestroyAllocation", THING_SURFACE, false, destroy_surface}};

static bool reentry_take(struct life *life, const struct step *step) {
    bool done = step->take(life) == STATUS_SUCCESS;
    life->made[step->thing] = step->makes && done;
    return done;
}

/* Up to what comes before `thing`, or with it. */
static bool reentry_begin(struct life *life, enum thing thing, bool with) {
    bool good = true;
    for (uint32_t i = 0; good && i < (uint32_t)thing + with; i++)
        good = reentry_take(life, &makes[i]);
    return good;
}

static void reentry_end(struct life *life) {
    for (uint32_t i = THINGS; i-- > 0;)
        if (life->made[i])
            (void)reentry_take(life, &destroys[i]);
}

/* ---- Two at once ----------------------------------------------------------------------------- */

struct pair {
    struct life life, other;
    const struct step *step;
    bool other_good;
};

static void other_comes(void *ctx) {
    struct pair *pair = ctx;
    pair->other_good = reentry_take(&pair->other, pair->step);
}

static bool one_handle(const struct pair *pair) {
    enum thing thing = pair->step->thing;
    return pair->step->makes && pair->life.handle[thing] == pair->other.handle[thing];
}

static void reentry_tell(const struct pair *pair) {
    struct vidmm_host *host = pair->life.check->harness.host;
    vidmm_host_beside_place(host, true);
    vidmm_ledger_note(&pair->life.check->shared->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                      "%s: the call of another process came between two instructions, and both got "
                      "one handle",
                      pair->step->call);
    vidmm_host_beside_place(host, false);
}

/* The other's step comes at the moment, or afterwards where there is no such moment: `*came`. */
static bool step_both(struct pair *pair, uint32_t moment, bool *came, uint32_t *count) {
    struct vidmm_host *host = pair->life.check->harness.host;
    (void)vidmm_host_beside_at(host, pair->step->call, moment, VIDMM_HOST_CALL, other_comes, pair);
    bool good = reentry_take(&pair->life, pair->step);
    *count = vidmm_host_beside_moments(host);
    *came = vidmm_host_beside_end(host);
    if (!*came)
        other_comes(pair);
    return good && pair->other_good;
}

struct pairs {
    const struct life *fresh;
    const struct step *step;
    bool distinct; /* two that are made one after the other have handles of their own */
};

/* Whether handles are distinct a step without a moment finds. False: the driver refuses, or two at once got one. */
static bool at_moment(void *ctx, uint32_t moment, uint32_t *count) {
    struct pairs *pairs = ctx;
    const struct step *step = pairs->step;
    struct pair pair = {.life = *pairs->fresh, .other = *pairs->fresh, .step = step};
    bool came = false;
    *count = 0;
    bool good = reentry_begin(&pair.life, step->thing, !step->makes) &&
                reentry_begin(&pair.other, step->thing, !step->makes) &&
                step_both(&pair, moment, &came, count);
    bool shared = good && came && pairs->distinct && one_handle(&pair);
    if (good && !came)
        pairs->distinct = !one_handle(&pair);
    if (shared) {
        reentry_tell(&pair);
        pair.other.made[step->thing] = false; /* what both have goes once */
    }
    reentry_end(&pair.life);
    reentry_end(&pair.other);
    return good && !shared;
}

static bool at_each(const struct life *fresh, const struct step *step) {
    struct pairs pairs = {.fresh = fresh, .step = step};
    return each_moment(&(struct each_moment){.check = fresh->check,
                                             .call = step->call,
                                             .other = "objects: another process",
                                             .most = MOST,
                                             .make = at_moment,
                                             .ctx = &pairs});
}

/* ---- The stage's part ------------------------------------------------------------------------ */

static bool open_surface(struct check *check, struct check_surface *surface) {
    for (uint32_t kind = CHECK_SURFACE_GDI_TEXTURE; kind < CHECK_SURFACES; kind++) {
        if (check_surface_open(check, surface, kind, SIDE, SIDE))
            return true;
        check_surface_close(surface);
    }
    return false;
}

void reentry_show(struct check *check) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    struct check_surface surface;
    bool made = open_surface(check, &surface);
    struct life fresh = {.check = check, .surface = made ? &surface : NULL};
    bool contexts = table->DxgkDdiCreateContext && table->DxgkDdiDestroyContext;
    bool good = at_each(&fresh, &makes[THING_DEVICE]) && at_each(&fresh, &destroys[THING_DEVICE]);
    if (good && contexts)
        good = at_each(&fresh, &makes[THING_CONTEXT]) && at_each(&fresh, &destroys[THING_CONTEXT]);
    if (good && contexts && made)
        (void)(at_each(&fresh, &makes[THING_SURFACE]) && at_each(&fresh, &destroys[THING_SURFACE]));
    if (made)
        check_surface_close(&surface);
}
