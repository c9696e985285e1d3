/*
 * stage_failures.c - creations that fail in their middle: of a device, a context, and several
 * allocations at once. The allocations of memory that such a request makes fail one after the other,
 * the driver's and the manager's alike; a request that failed has to leave nothing behind.
 *
 * Work that is under way has no request to refuse: in a second run allocations fail outside of calls while pages are moved.
 *
 * Stage memory has an allocation fail in each call of a game, which creates surfaces one by one.
 */
#include "raw.h"
#include "surface.h"

#define SURFACES 3u
#define WIDTH    64u
#define ROUNDS   3u  /* a driver may fill a cache: only what each of so many leaves is lost */
#define MOST     64u /* allocations of memory of one request */

struct failures {
    struct check *check;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct check_surface surface;
    struct vidmm_allocation *resource[SURFACES];
    uint64_t usual; /* pool blocks that the request leaves when it succeeds */
};

/* A request of user mode, and its end when it succeeded. */
struct request {
    const char *what;
    enum vidmm_status (*make)(struct failures *failures);
    void (*drop)(struct failures *failures);
};

/* ---- Requests -------------------------------------------------------------------------------- */

static enum vidmm_status failures_device(struct failures *failures) {
    return vidmm_device_create(failures->check->harness.adapter, &failures->device);
}

static void failures_no_device(struct failures *failures) {
    vidmm_device_destroy(failures->device);
    failures->device = NULL;
}

static enum vidmm_status failures_context(struct failures *failures) {
    return vidmm_context_create(failures->device, 0, 0, &failures->context);
}

static void failures_no_context(struct failures *failures) {
    vidmm_context_destroy(failures->context);
}

static enum vidmm_status failures_resource(struct failures *failures) {
    struct vidmm_allocation_request requests[SURFACES];
    for (uint32_t i = 0; i < SURFACES; i++)
        requests[i] = check_surface_request(&failures->surface, false);
    return vidmm_allocations_create(failures->device, requests, SURFACES, failures->resource);
}

static void failures_no_resource(struct failures *failures) {
    for (uint32_t i = 0; i < SURFACES; i++)
        vidmm_allocation_destroy(failures->resource[i]);
}

/* ---- Failing --------------------------------------------------------------------------------- */

/* The `nth` allocation of memory fails. false: the request succeeded, or nothing failed. */
static bool failures_once(struct failures *failures, const struct request *request, uint64_t nth,
                          uint64_t *left) {
    struct vidmm_host *host = failures->check->harness.host;
    uint64_t before = vidmm_host_pool_blocks(host), now = vidmm_host_allocations(host);
    vidmm_host_fail_at(host, now + nth);
    enum vidmm_status status = request->make(failures);
    vidmm_host_fail_at(host, 0);
    if (status == VIDMM_OK)
        request->drop(failures);
    uint64_t after = vidmm_host_pool_blocks(host);
    *left = after > before + failures->usual ? after - before : 0;
    return status != VIDMM_OK;
}

/* Nothing fails: the allocations of memory that the request makes. What it leaves is found when the driver
 * is unloaded (K9), and no other finding for each allocation that fails. */
static bool failures_none(struct failures *failures, const struct request *request,
                          uint64_t *made) {
    struct vidmm_host *host = failures->check->harness.host;
    uint64_t before = vidmm_host_pool_blocks(host), count = vidmm_host_allocations(host);
    if (request->make(failures) != VIDMM_OK)
        return false;
    *made = vidmm_host_allocations(host) - count;
    request->drop(failures);
    uint64_t after = vidmm_host_pool_blocks(host);
    failures->usual = after > before ? after - before : 0;
    return true;
}

/* R531: each of several rounds leaves something. */
static void failures_judge(struct failures *failures, const struct request *request, uint64_t nth,
                           uint64_t left) {
    uint64_t more = left;
    for (uint32_t i = 1; i < ROUNDS && more != 0; i++)
        if (!failures_once(failures, request, nth, &more))
            more = 0;
    vidmm_ledger_judge(&failures->check->shared->ledger, 531, VIDMM_SIDE_DRIVER, more == 0,
                       "nothing left of a request that failed",
                       "%llu pool blocks were left of %s, each time that it failed",
                       (unsigned long long)left, request->what);
}

/* Until the request makes no more allocations than have failed. What it leaves is usual from the second
 * time on: at first a driver may fill a cache. */
static void failures_each(struct failures *failures, const struct request *request) {
    uint64_t left = 0, made = 0, again = 0;
    check_step(failures->check, "failures: %s", request->what);
    if (!failures_none(failures, request, &made) || !failures_none(failures, request, &again))
        return;
    for (uint64_t nth = 1; nth <= made && nth <= MOST; nth++) {
        check_step(failures->check, "failures: %s, allocation %llu fails", request->what,
                   (unsigned long long)nth);
        if (failures_once(failures, request, nth, &left))
            failures_judge(failures, request, nth, left);
    }
}

/* ---- Outside of calls ------------------------------------------------------------------------ */

#define THREAD_MOST 8u

static bool failures_reported(const void *ctx) {
    const struct raw_submitter *raw = ctx;
    return raw->faulted != 0 || raw->completed == raw->fence;
}

/* R161: a thread that is the driver's engine, or its DPC, gets no memory while it moves pages
 * (nf-wdm-mmmaplockedpagesspecifycache). It has no request to refuse: it moves them later, or reports a fault. */
static bool failures_move(struct raw_submitter *raw, uint64_t nth) {
    const struct raw_piece whole = {.at = 0, .pages = RAW_PAGES, .in = true};
    struct vidmm_host *host = raw->check->harness.host;
    check_step(raw->check, "failures: pages that are moved, allocation %llu fails meanwhile",
               (unsigned long long)nth);
    raw_paint(raw, raw->source, 100 + (uint32_t)nth);
    raw_paint(raw, raw->target, 99);
    if (!raw_transfer(raw, &whole) || !raw_submit(raw))
        return false;
    vidmm_host_fail_at(host, vidmm_host_allocations(host) + nth);
    bool reported = vidmm_host_run_until(host, failures_reported, raw) && raw->faulted == 0;
    vidmm_host_fail_at(host, 0);
    if (!reported) {
        raw->unseen = raw->refused = true;
        return false;
    }
    if (!raw_flush(raw) || !raw_take(raw))
        return false;
    raw_judge(raw, 161, raw_same(raw), "the bytes of the source pages, or a fault that is reported",
              "other bytes in what was moved while the driver's thread got no memory, and the work "
              "was reported complete");
    return true;
}

static enum vidmm_stage_outcome failures_outside(struct check *check) {
    const struct check_setup setup = {.fail_at = 0};
    struct raw_submitter raw;
    if (!check_open(check, &setup))
        return VIDMM_STAGE_STOPPED;
    enum vidmm_stage_outcome opened = raw_open(&raw, check);
    if (opened != VIDMM_STAGE_DONE) /* else nothing is moved into memory by hand */
        return opened == VIDMM_STAGE_SKIPPED ? VIDMM_STAGE_DONE : opened;
    check->starving = true;
    bool good = raw_settle_in(&raw);
    for (uint64_t nth = 1; good && nth <= THREAD_MOST; nth++)
        good = failures_move(&raw, nth);
    (void)raw_close(&raw);
    return VIDMM_STAGE_DONE;
}

/* ---- The stage ------------------------------------------------------------------------------- */

static void failures_surfaces(struct failures *failures) {
    static const struct request resource = {"a resource of three surfaces", failures_resource,
                                            failures_no_resource};
    for (uint32_t kind = CHECK_SURFACE_GDI_TEXTURE; kind < CHECK_SURFACES; kind++) {
        if (check_surface_open(failures->check, &failures->surface, kind, WIDTH, WIDTH))
            failures_each(failures, &resource);
        check_surface_close(&failures->surface);
    }
}

enum vidmm_stage_outcome stage_failures(struct check *check, uint32_t number) {
    static const struct request device = {"a device", failures_device, failures_no_device};
    static const struct request context = {"a context", failures_context, failures_no_context};
    const struct check_setup setup = {.fail_at = 0};
    struct failures failures = {.check = check};
    if (number == 1)
        return failures_outside(check);
    check_step(check, "failures: start");
    if (!check_open(check, &setup) || !check_manage(check, &setup))
        return VIDMM_STAGE_STOPPED;
    check->starving = true;
    failures_each(&failures, &device);
    if (failures_device(&failures) != VIDMM_OK)
        return check_say(check, VIDMM_STAGE_STOPPED, "the driver creates no device");
    failures_each(&failures, &context);
    failures_surfaces(&failures);
    failures_no_device(&failures);
    return VIDMM_STAGE_DONE;
}
