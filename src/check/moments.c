/* moments.c - see moments.h. */
#include "moments.h"

#include "each_moment.h"

#define MOST           128u
#define MOST_OF_THREAD 96u

#define THREAD "a system thread"

struct moments;

/* What comes between two instructions. */
enum between {
    INTERRUPT_COMES, /* and its DPC */
    NEXT_COMES,      /* the next submission */
    WORK_ENDS,       /* which was submitted before; its interrupt comes behind the call */
    ANSWER_COMES,    /* the hardware does what the call has told it so far, and interrupts */
    PREEMPTION_COMES,
};

static const char *const names[] = {[INTERRUPT_COMES] = "an interrupt came",
                                    [NEXT_COMES] = "a submission came",
                                    [WORK_ENDS] = "work ended",
                                    [ANSWER_COMES] = "the interrupt that it asks for came",
                                    [PREEMPTION_COMES] = "a preemption came"};

/* A call whose moments are tried. */
struct moments_of {
    const char *call;
    enum between between;
    bool (*make)(const struct moments *moments, struct vidmm_host *host, uint32_t moment);
    bool (*told)(const void *work); /* of what was asked for */
};

struct moments {
    struct work *work;
    const struct moments_of *of;
};

/* On the other processor. */
static void comes(void *ctx) {
    const struct moments *moments = ctx;
    struct vidmm_host *host = moments->work->check->harness.host;
    if (moments->of->between == NEXT_COMES)
        (void)work_submit(moments->work);
    if (moments->of->between == ANSWER_COMES)
        vidmm_host_run(host);
    if (moments->of->between == PREEMPTION_COMES)
        (void)raw_ask_preempt(moments->work->raw);
    vidmm_host_hold_interrupts(host, false);
    vidmm_host_hold_dpcs(host, false);
}

/* Where that cannot be done the call has no moments. */
static void follow(const struct moments *moments, struct vidmm_host *host, uint32_t moment) {
    bool interrupt =
        moments->of->between == INTERRUPT_COMES || moments->of->between == ANSWER_COMES;
    (void)vidmm_host_beside_at(host, moments->of->call, moment,
                               interrupt ? VIDMM_HOST_INTERRUPT : VIDMM_HOST_CALL, comes,
                               (void *)(uintptr_t)moments);
}

/* A piece that is complete, of which neither interrupt nor DPC came. */
static bool complete_one(const struct moments *moments, struct vidmm_host *host) {
    vidmm_host_hold_dpcs(host, true);
    vidmm_host_hold_interrupts(host, true);
    bool good = work_submit(moments->work);
    vidmm_host_run(host);
    return good;
}

/* The interrupt of one piece comes within the submission of the next one. */
static bool within_submission(const struct moments *moments, struct vidmm_host *host,
                              uint32_t moment) {
    bool good = complete_one(moments, host);
    follow(moments, host, moment);
    return good && work_submit(moments->work);
}

/* The DPC of one piece is due, and the interrupt of the next one comes within it. */
static bool within_dpc(const struct moments *moments, struct vidmm_host *host, uint32_t moment) {
    bool good = complete_one(moments, host);
    vidmm_host_hold_interrupts(host, false);
    good = good && complete_one(moments, host);
    follow(moments, host, moment);
    vidmm_host_hold_dpcs(host, false);
    return good;
}

/* The next piece is submitted within the interrupt routine of the one before, or its DPC. */
static bool within_completion(const struct moments *moments, struct vidmm_host *host,
                              uint32_t moment) {
    bool good = complete_one(moments, host);
    follow(moments, host, moment);
    vidmm_host_hold_interrupts(host, false);
    vidmm_host_hold_dpcs(host, false);
    return good;
}

/* The next piece, which was submitted, ends within the interrupt routine of the one before. */
static bool within_end(const struct moments *moments, struct vidmm_host *host, uint32_t moment) {
    bool good = complete_one(moments, host);
    vidmm_host_hold_engines(host, true);
    good = good && work_submit(moments->work);
    if (!vidmm_host_beside_at(host, moments->of->call, moment, VIDMM_HOST_CALL,
                              each_moment_work_ends, host))
        vidmm_host_hold_engines(host, false);
    vidmm_host_hold_interrupts(host, false);
    return good;
}

/* The interrupt of a piece comes within the preemption of what its node has. */
static bool within_preemption(const struct moments *moments, struct vidmm_host *host,
                              uint32_t moment) {
    bool good = complete_one(moments, host);
    follow(moments, host, moment);
    return good && raw_ask_preempt(moments->work->raw);
}

/* Of a node that has nothing, which the hardware answers at once. */
static bool within_idle_preemption(const struct moments *moments, struct vidmm_host *host,
                                   uint32_t moment) {
    vidmm_host_hold_interrupts(host, true);
    follow(moments, host, moment);
    return raw_ask_preempt(moments->work->raw);
}

/* The next piece comes while a thread of the driver's works on the one before, or a preemption while it works on the first
 * of two. */
static bool within_thread(const struct moments *moments, struct vidmm_host *host, uint32_t moment) {
    follow(moments, host, moment);
    bool good = work_submit(moments->work) &&
                (moments->of->between != PREEMPTION_COMES || work_submit(moments->work));
    (void)vidmm_host_run_until(host, moments->of->told, moments->work);
    return good;
}

static bool is_told(const void *work) {
    return work_told(work);
}

static bool is_preempted(const void *work) {
    const struct raw_submitter *raw = ((const struct work *)work)->raw;
    return raw->preempted == raw->fence;
}

/* Or it was not asked for, and what would have been preempted is complete. */
static bool is_preempted_or_told(const void *work) {
    return is_preempted(work) || is_told(work);
}

/* First that in which the interrupt routine has no other call beside it: what it loses, it loses in others, too. */
static const struct moments_of calls[] = {
    {"DxgkDdiInterruptRoutine", WORK_ENDS, within_end, is_told},
    {"DxgkDdiSubmitCommand", INTERRUPT_COMES, within_submission, is_told},
    {"DxgkDdiSubmitCommandVirtual", INTERRUPT_COMES, within_submission, is_told},
    {"DxgkDdiDpcRoutine", INTERRUPT_COMES, within_dpc, is_told},
    {"DxgkDdiInterruptRoutine", NEXT_COMES, within_completion, is_told},
    {"a DPC routine", NEXT_COMES, within_completion, is_told},
};

static const struct moments_of next_of_thread = {THREAD, NEXT_COMES, within_thread, is_told};

/* By hand alone. */
static const struct moments_of preemptions[] = {
    {"DxgkDdiPreemptCommand", INTERRUPT_COMES, within_preemption, is_preempted},
    {"DxgkDdiPreemptCommand", ANSWER_COMES, within_idle_preemption, is_preempted},
};
static const struct moments_of preemption_of_thread = {THREAD, PREEMPTION_COMES, within_thread,
                                                       is_preempted_or_told};

/* Over the manager, which preempts by itself, at_managed_moment makes the call. */
static const struct moments_of managed_preemption = {"DxgkDdiPreemptCommand", ANSWER_COMES, NULL,
                                                     NULL};

static bool lost(const struct moments *moments, struct vidmm_host *host) {
    vidmm_host_beside_place(host, true);
    vidmm_ledger_note(&moments->work->check->shared->ledger, VIDMM_FINDING_HANG, VIDMM_SIDE_DRIVER,
                      "%s: %s between two instructions, and what was asked for was not reported",
                      moments->of->call, names[moments->of->between]);
    vidmm_host_beside_place(host, false);
    work_give_up(moments->work);
    return false;
}

static bool at_moment(void *ctx, uint32_t moment, uint32_t *count) {
    const struct moments *moments = ctx;
    struct vidmm_host *host = moments->work->check->harness.host;
    bool good = work_prepare(moments->work) && moments->of->make(moments, host, moment);
    *count = vidmm_host_beside_moments(host);
    vidmm_host_hold_interrupts(host, false);
    vidmm_host_hold_dpcs(host, false);
    bool came = vidmm_host_beside_end(host);
    vidmm_host_hold_engines(host, false);
    vidmm_host_hold_interrupts(host, false);
    good = good && (vidmm_host_run_until(host, moments->of->told, moments->work) || !came ||
                    lost(moments, host));
    /* Hardware that had not begun the piece drops it. */
    if (good && moments->of->told != is_told && moments->of->make != within_idle_preemption)
        good = work_again(moments->work);
    return good && work_finish(moments->work);
}

/* The manager waits for the report itself, and resets the GPU where that does not come. */
static bool at_managed_moment(void *ctx, uint32_t moment, uint32_t *count) {
    const struct moments *moments = ctx;
    struct work *work = moments->work;
    struct check *check = work->check;
    struct vidmm_host *host = check->harness.host;
    uint64_t resets = check_resets_made(check);
    check->provokes = true;
    follow(moments, host, moment);
    enum vidmm_status status = vidmm_preempt(check->harness.adapter, work->physical, work->node);
    *count = vidmm_host_beside_moments(host);
    bool came = vidmm_host_beside_end(host);
    check->provokes = false;
    if (came && (status == VIDMM_GPU_LOST || check_resets_made(check) != resets))
        return lost(moments, host);
    return check_good(check, status);
}

/* The driver has a thread, which can be followed. Those of other nodes have the same code. */
static bool has_thread(struct moments *moments) {
    const struct raw_submitter *raw = moments->work->raw;
    struct vidmm_host *host = moments->work->check->harness.host;
    if (raw && raw->node != raw->info.paging_node)
        return false;
    moments->of = &next_of_thread;
    bool has = vidmm_host_beside_at(host, THREAD, 0, VIDMM_HOST_CALL, comes, moments);
    (void)vidmm_host_beside_moments(host);
    (void)vidmm_host_beside_end(host);
    return has;
}

static bool at_each(struct moments *moments) {
    bool of_thread = moments->of->make == within_thread;
    return each_moment(
        &(struct each_moment){.check = moments->work->check,
                              .call = moments->of->call,
                              .other = "interrupts: another processor",
                              .most = of_thread ? MOST_OF_THREAD : MOST,
                              .make = moments->of->make ? at_moment : at_managed_moment,
                              .ctx = moments});
}

void moments_show(struct work *work) {
    struct moments moments = {.work = work};
    bool good = work_first(work);
    for (size_t i = 0; good && i < sizeof(calls) / sizeof(calls[0]); i++) {
        moments.of = &calls[i];
        good = at_each(&moments);
    }
    bool thread = good && has_thread(&moments);
    if (thread) {
        moments.of = &next_of_thread;
        good = at_each(&moments);
    }
    if (!good || !work->check->harness.table.DxgkDdiPreemptCommand)
        return;
    for (size_t i = 0; good && work->renderer && i < sizeof(preemptions) / sizeof(preemptions[0]);
         i++) {
        moments.of = &preemptions[i];
        good = at_each(&moments);
    }
    moments.of = &preemption_of_thread;
    if (good && thread && work->renderer)
        good = at_each(&moments);
    moments.of = &managed_preemption;
    if (good && work->user)
        (void)at_each(&moments);
}
