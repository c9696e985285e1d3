/*
 * stage_linked.c - linked physical adapters (linked-display-adapter.md). What the driver answers
 * about one that the link does not have. By hand, of a driver that pages by segments: paging on each
 * of them, and a reset of the paging engine of one while the memory of the others stays; a reset of all
 * with work under way on each. With GPU virtual addresses: a process copies between surfaces at home on
 * different adapters, by commands on each, before and after all of it was evicted; where a driver keeps memory for its
 * contexts (DxgkCbCreateContextAllocation), each adapter's is in a segment that begins elsewhere.
 */
#include "raw.h"
#include "user.h"

#include <vidmm/umd.h>

#define VRAM    ((uint64_t)1 << 20)
#define MINE    (VIDMM_UMD_LOCAL_ONLY | VIDMM_UMD_CPU_VISIBLE)
#define PAGES   4u
#define PATTERN 0x5ca1ab1eu

static const struct check_setup physical_pair = {
    .settings = {{"VramBytes", VRAM}, {"LinkedVram", VRAM / 4 * 3}}};
static const struct check_setup virtual_pair = {
    .settings = {{"VramBytes", VRAM},
                 {"VramVisibleBytes", VRAM / 2},
                 {"VramSegments", 2}, /* the second begins elsewhere on each */
                 {"LinkedVram", VRAM / 4 * 3},
                 {"MmuLevels", 4},
                 {"ContextBytes", 2 * CHECK_PAGE}}};

/* ---- Indices that are too high --------------------------------------------------------------- */

static void ask_beyond(struct check *check, DXGK_QUERYADAPTERINFOTYPE type, void *in, uint32_t size,
                       uint32_t out_size) {
    static unsigned char out[sizeof(DXGK_GPUMMUCAPS) + sizeof(DXGK_PHYSICALADAPTERCAPS)];
    DXGKARG_QUERYADAPTERINFO query = {.Type = type,
                                      .pInputData = in,
                                      .InputDataSize = size,
                                      .pOutputData = out,
                                      .OutputDataSize = out_size};
    check_step(check, "linked: query type %d about no physical adapter", (int)type);
    (void)check->harness.spoken.DxgkDdiQueryAdapterInfo(vidmm_host_adapter(check->harness.host),
                                                        &query);
}

/* No system may ask so. */
#define EXCUSED 504u

static void ask_all_beyond(struct check *check) {
    struct vidmm_ledger *ledger = &check->shared->ledger;
    const uint8_t muted = ledger->muted[EXCUSED];
    ledger->muted[EXCUSED] = VIDMM_MUTED_ASIDE;
    DXGK_QUERYPHYSICALADAPTERCAPSIN caps = {check->options->linked};
    DXGK_QUERYGPUMMUCAPSIN mmu = {check->options->linked};
    DXGK_QUERYPAGETABLELEVELDESCIN level = {0, (WORD)check->options->linked};
    ask_beyond(check, DXGKQAITYPE_PHYSICALADAPTERCAPS, &caps, sizeof(caps),
               sizeof(DXGK_PHYSICALADAPTERCAPS));
    ask_beyond(check, DXGKQAITYPE_GPUMMUCAPS, &mmu, sizeof(mmu), sizeof(DXGK_GPUMMUCAPS));
    ask_beyond(check, DXGKQAITYPE_PAGETABLELEVELDESC, &level, sizeof(level),
               sizeof(DXGK_PAGE_TABLE_LEVEL_DESC));
    ledger->muted[EXCUSED] = muted;
}

/* ---- Paging ---------------------------------------------------------------------------------- */

/* Bytes go in and out, with a reset of the engine while they are on the way; of the adapter, if it lost some of them. */
static void linked_move(struct raw_submitter *raw) {
    raw_paint(raw, raw->source, 7 + raw->physical);
    raw_paint(raw, raw->target, 99);
    bool able = raw->info.caps.SupportPerEngineTDR && raw->ddi->DxgkDdiResetEngine &&
                raw->ddi->DxgkDdiQueryEngineStatus && raw->ddi->DxgkDdiQueryDependentEngineGroup;
    if (!raw_settle_in(raw) || !raw_queue(raw, 2))
        return;
    enum raw_engine engine = able ? raw_reset_engine(raw) : RAW_ENGINE_RESET;
    bool lost = engine == RAW_ENGINE_LOST;
    if (lost ? !check_resets(raw->check) || !raw_reset(raw) || !raw_queue(raw, 0)
             : engine != RAW_ENGINE_RESET || (able && !raw_resubmit(raw)))
        return;
    if (raw_flush(raw) && raw_move(raw, false, RAW_PAGES))
        raw_judge(raw, 281, raw_same(raw), "work that is done when it was submitted again",
                  "other bytes after an engine of one physical adapter was reset");
}

/* What the last page of the memory of each adapter is for. */
static bool linked_mark(struct raw_submitter *raw) {
    return !raw->allocation ||
           (raw_fill(raw, RAW_PAGES - 1, 1, PATTERN + raw->physical) && raw_flush(raw));
}

static bool marked(struct raw_submitter *raw) {
    const uint32_t *word = vidmm_host_peek(raw->check->harness.host, raw->physical,
                                           raw_memory_at(raw, RAW_PAGES - 1), sizeof(*word));
    return !raw->allocation || !word || *word == PATTERN + raw->physical;
}

/* All that are linked are reset, whichever has work under way, and tell of it when they are preempted. */
static void linked_lose(struct raw_submitter *raw) {
    if (!check_resets(raw->check) || !raw_settle_in(raw))
        return;
    raw_paint(raw, raw->source, 31 + raw->physical);
    raw_paint(raw, raw->target, 99);
    if (raw_queue(raw, 2) &&
        (raw->ddi->DxgkDdiPreemptCommand ? raw_reset_preempting(raw) : raw_reset(raw)) &&
        raw_queue(raw, 0) && raw_flush(raw) && raw_move(raw, false, RAW_PAGES))
        raw_judge(raw, 161, raw_same(raw), "the bytes of the source pages",
                  "other bytes in what was moved after a reset of linked adapters");
}

/* On one adapter: `marking` leaves a mark; else its mark is still there after all the others
 * worked. */
static enum vidmm_stage_outcome on_one(struct check *check, uint32_t physical, bool marking) {
    struct raw_submitter raw;
    check_step(check, "linked: paging on physical adapter %u", physical);
    enum vidmm_stage_outcome outcome = raw_open_on(&raw, check, physical);
    if (outcome != VIDMM_STAGE_DONE) /* by_process has those that page by address */
        return raw_unopened(&raw, outcome);
    if (marking) {
        linked_move(&raw);
        (void)(!raw.refused && linked_mark(&raw));
    } else if (!marked(&raw)) {
        check_note(check, "work on another physical adapter changed memory of adapter %u",
                   physical);
    }
    return raw_close(&raw);
}

static enum vidmm_stage_outcome by_hand(struct check *check) {
    enum vidmm_stage_outcome outcome = VIDMM_STAGE_DONE;
    uint32_t count = check->options->linked;
    for (uint32_t i = 0; i < 2 * count && outcome == VIDMM_STAGE_DONE; i++)
        outcome = on_one(check, i % count, i < count);
    return outcome;
}

/* With work under way on each in turn; no adapter's memory survives it. */
static enum vidmm_stage_outcome by_reset(struct check *check) {
    enum vidmm_stage_outcome outcome = VIDMM_STAGE_DONE;
    struct raw_submitter raw;
    for (uint32_t i = 0; i < check->options->linked && outcome == VIDMM_STAGE_DONE; i++) {
        check_step(check, "linked: a reset with work on physical adapter %u", i);
        outcome = raw_open_on(&raw, check, i);
        if (outcome != VIDMM_STAGE_DONE)
            return raw_unopened(&raw, outcome);
        linked_lose(&raw);
        outcome = raw_close(&raw);
    }
    return outcome;
}

/* ---- Surfaces of several homes --------------------------------------------------------------- */

static bool linked_copy(struct user *user, uint32_t to, uint32_t from) {
    const struct vidmm_umd_copy packet = {
        .head = {.opcode = VIDMM_UMD_PACKET_COPY, .size = sizeof(packet)},
        .destination = user->surface[to].va,
        .source = user->surface[from].va,
        .bytes = user->surface[from].size};
    user->surface[to].letter = user->surface[from].letter;
    return user_send(user, &packet, sizeof(packet)) && user_rest(user);
}

/* A surface a home, by index; the letter of the first goes once around. */
static bool around(struct user *user, uint32_t homes) {
    for (uint32_t i = 1; i < homes; i++)
        if (!linked_copy(user, i, i - 1))
            return false;
    for (uint32_t i = 0; i < homes; i++)
        if (user_lost(user, i)) {
            (void)check_say(user->check, VIDMM_STAGE_STOPPED,
                            "surface %u has other bytes than were copied to it", i);
            vidmm_ledger_note(&user->check->shared->ledger, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                              "a copy between physical adapters left other bytes");
            return false;
        }
    return true;
}

/* By the commands of each adapter in turn. */
static bool on_each(struct user *user, struct vidmm_context *const *context, uint32_t homes,
                    uint8_t letter) {
    struct vidmm_context *own = user->context;
    bool good = true;
    for (uint32_t i = 0; good && i < homes; i++) {
        check_step(user->check, "linked: copies on physical adapter %u", i);
        user->context = context[i];
        good = user_write(user, 0, (uint8_t)(letter + i)) && around(user, homes);
    }
    user->context = own;
    return good;
}

/* R510: its home is the adapter that its private data names. */
static void judge_home(const struct user *user, uint32_t index) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(user->surface[index].allocation, &info);
    vidmm_ledger_judge(&user->check->shared->ledger, 510, VIDMM_SIDE_DRIVER,
                       info.driver.PhysicalAdapterIndex == index,
                       "the physical adapter that the private data of the allocation names",
                       "it is %u for a surface of adapter %u", info.driver.PhysicalAdapterIndex,
                       index);
}

static bool surfaces(struct user *user, struct vidmm_context **context, uint32_t homes) {
    static const uint32_t all[USER_SURFACES] = {0, 1, 2, 3, 4, 5};
    for (uint32_t i = 0; i < homes; i++) {
        if (!user_make(user, i, MINE | VIDMM_UMD_PHYSICAL(i), PAGES) ||
            !check_good(user->check, vidmm_context_create(user->device, i, 0, &context[i])))
            return false;
        judge_home(user, i);
    }
    return user_make_resident(user, NULL, all, homes, 0) && on_each(user, context, homes, 'a') &&
           check_good(user->check, vidmm_evict_all(user->check->harness.adapter)) &&
           on_each(user, context, homes, 'm');
}

static enum vidmm_stage_outcome by_process(struct check *check) {
    struct vidmm_context *context[USER_SURFACES] = {NULL};
    struct vidmm_gpummu_info info;
    struct user user;
    ask_all_beyond(check);
    if (!check_manage(check, &virtual_pair))
        return VIDMM_STAGE_STOPPED;
    vidmm_gpummu_info(check->harness.adapter, 0, &info);
    if (!info.on) /* by_hand has those */
        return VIDMM_STAGE_DONE;
    if (!check_speaks(check))
        return check_say(check, VIDMM_STAGE_SKIPPED, "the driver does not speak vidmm/umd.h");
    if (!user_open(check, &user) || !surfaces(&user, context, check->options->linked))
        return VIDMM_STAGE_STOPPED;
    check_step(check, "linked: down");
    for (uint32_t i = 0; i < USER_SURFACES; i++)
        if (context[i])
            vidmm_context_destroy(context[i]);
    user_close(&user);
    return VIDMM_STAGE_DONE;
}

enum vidmm_stage_outcome stage_linked(struct check *check, uint32_t number) {
    check_step(check, "linked: run %u", number + 1);
    if (check->options->linked <= 1)
        return check_say(check, VIDMM_STAGE_SKIPPED, "adapters are linked with --linked");
    if (!check_open(check, number != 1 ? &physical_pair : &virtual_pair))
        return VIDMM_STAGE_STOPPED;
    return number == 0 ? by_hand(check) : number == 1 ? by_process(check) : by_reset(check);
}
