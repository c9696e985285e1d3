/*
 * protected_test.c - a board with a video protected range, end to end: what belongs there lies
 * there, comes and goes with its bytes, and nothing else ever enters the range.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <vidmm/run.h>
#include <vidmm/softgpu.h>
#include <vidmm/umd.h>
#include <vidmm/virtual.h>
#include <vidmm/workload.h>

#define VRAM  (UINT64_C(48) << 20)
#define RANGE (UINT64_C(12) << 20)
#define PAGE  UINT64_C(4096)

#define MEMORY 2u /* segment of the reference driver */

struct variant {
    const char *workload;
    uint32_t levels, pages; /* of page tables; levels 0: physical addresses */
};

static const struct variant variants[] = {
    {"frame-loop", 0, 0}, {"processes", 0, 0}, {"processes", 4, 0}, {"frame-loop", 2, 2}};
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

struct run {
    struct vidmm_harness harness;
    struct vidmm_ledger ledger;
    const struct vidmm_observer *player; /* told of everything, too */
    struct vidmm_segment_info memory;    /* the segment with the range */
    uint64_t inside, outside, left;      /* pages seen; transfers out of the range */
};

static bool in_range(const struct run *run, uint64_t offset) {
    return offset >= run->memory.vpr_start && offset - run->memory.vpr_start < run->memory.vpr_size;
}

/* Every page of `allocation` that is in memory is where it belongs. */
static void check_pages(struct run *run, const struct vidmm_allocation *allocation) {
    struct vidmm_allocation_info info;
    uint64_t offset;
    vidmm_allocation_info(allocation, &info);
    bool belongs = info.driver.FlagsWddm2.CreateInVpr;
    for (uint64_t page = 0; page < info.size / PAGE; page++) {
        if (vidmm_allocation_page(allocation, page, &offset) != run->memory.id)
            continue;
        assert_int_equal(in_range(run, offset), belongs);
        run->inside += belongs;
        run->outside += !belongs;
    }
}

static void op_done(void *ctx, const struct vidmm_op *op, uint64_t first, uint64_t last) {
    struct run *run = ctx;
    run->player->op_done(run->player->ctx, op, first, last);
    if (!op->allocation)
        return;
    run->left += op->kind == VIDMM_OP_TRANSFER && op->from.segment == run->memory.id &&
                 in_range(run, op->from.offset);
    check_pages(run, op->allocation);
}

static void content_lost(void *ctx, struct vidmm_allocation *allocation) {
    const struct run *run = ctx;
    run->player->content_lost(run->player->ctx, allocation);
}

/* `spoil`: the driver's table, or NULL. */
static void open_harness(struct run *run, const struct vidmm_observer *observer,
                         const struct variant *variant, uint64_t range,
                         void (*spoil)(DRIVER_INITIALIZATION_DATA *table)) {
    const struct vidmm_host_setting settings[] = {
        {"InterfaceVersion", DXGKDDI_INTERFACE_VERSION_WDDM2_1},
        {"VramBytes", VRAM},
        {"VprBytes", range},
        {"MmuLevels", variant->levels},
        {"MmuPages", variant->pages},
        {"MmuTableSegment", variant->levels ? MEMORY : 0},
    };
    const struct vidmm_host_config host = {.driver_entry = vidmm_softgpu_entry,
                                           .model = &vidmm_softgpu_model,
                                           .settings = settings,
                                           .setting_count = sizeof(settings) / sizeof(settings[0])};
    const struct vidmm_adapter_config adapter = {
        .observer = observer, .model = variant->levels ? VIDMM_MODEL_GPUMMU : VIDMM_MODEL_PHYSICAL};
    const struct vidmm_harness_judging judging = {.ledger = &run->ledger, .spoil_driver = spoil};
    char text[512] = "";
    if (vidmm_harness_open_judged(&host, &adapter, &judging, &run->harness, text, sizeof(text)) !=
        VIDMM_HARNESS_OK)
        fail_msg("%s", text);
    assert_true(vidmm_segment_info(run->harness.adapter, MEMORY, &run->memory));
    assert_int_equal(run->memory.vpr_size, range);
}

static void close_harness(struct run *run) {
    char text[512] = "";
    if (vidmm_harness_close(&run->harness, text, sizeof(text)) != VIDMM_HARNESS_OK)
        fail_msg("%s", text);
    if (run->ledger.findings != 0) {
        vidmm_finding_text(&run->ledger.finding[0], text, sizeof(text));
        fail_msg("%s", text);
    }
}

/* One in `one_in` surfaces asks for protected memory, the first `most` of them. */
static void protect_some(struct vidmm_workload *workload, uint32_t one_in, uint32_t most) {
    uint32_t surfaces = 0;
    for (size_t i = 0; i < workload->event_count && most != 0; i++) {
        struct vidmm_event *event = &workload->events[i];
        if (event->kind != VIDMM_EVENT_ALLOC || !(event->umd_flags & VIDMM_UMD_LOCAL) ||
            (event->umd_flags & VIDMM_UMD_PRIMARY) || event->size > RANGE / 4 ||
            surfaces++ % one_in != 0)
            continue;
        event->umd_flags |= VIDMM_UMD_IN_VPR;
        most--;
    }
}

static bool untouched(struct run *run) {
    const uint8_t *bytes =
        vidmm_host_peek(run->harness.host, 0, run->memory.base + run->memory.vpr_start, RANGE);
    assert_non_null(bytes);
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, RANGE - 1) == 0;
}

/* False: something was written into the range. */
static bool play(const struct variant *variant, uint32_t one_in, uint32_t most, struct run *run) {
    struct vidmm_workload workload;
    struct vidmm_workload_error error;
    struct vidmm_play_result result;
    char text[512] = "";
    memset(run, 0, sizeof(*run));
    if (!vidmm_run_find(variant->workload, 3, &workload, &error))
        fail_msg("%s", error.text);
    protect_some(&workload, one_in, most);
    struct vidmm_player *player = vidmm_player_create(&workload);
    run->player = vidmm_player_observer(player);
    const struct vidmm_observer observer = {
        .ctx = run, .op_done = op_done, .content_lost = content_lost};
    const struct vidmm_play_options options = {.threads = 1, .frame_limit = 8};
    open_harness(run, &observer, variant, RANGE, NULL);
    if (vidmm_player_run(player, &run->harness, &options, &result, text, sizeof(text)) !=
        VIDMM_PLAY_OK)
        fail_msg("%s", text);
    assert_int_equal(result.mismatched_bytes, 0);
    assert_true(result.verified_bytes > 0);
    bool clean = untouched(run);
    close_harness(run);
    vidmm_player_destroy(player);
    vidmm_workload_free(&workload);
    return clean;
}

static void what_is_protected_lies_in_the_range_with_its_bytes(void **state) {
    (void)state;
    struct run run;
    for (size_t i = 0; i < VARIANTS; i++) {
        assert_false(play(&variants[i], 3, UINT32_MAX, &run));
        assert_true(run.inside != 0 && run.outside != 0);
    }
    assert_false(play(&variants[0], 2, UINT32_MAX, &run)); /* more than the range holds */
    assert_true(run.left != 0);
}

static void nothing_else_enters_the_range_whatever_the_pressure(void **state) {
    (void)state;
    struct run run;
    for (size_t i = 0; i < VARIANTS; i++) {
        assert_true(play(&variants[i], 1, 0, &run));
        assert_true(run.inside == 0 && run.outside != 0);
    }
}

/* Each leaves once at most: when it is read for the last time. */
static void pressure_outside_sends_nobody_out_of_the_range(void **state) {
    (void)state;
    struct run run;
    assert_false(play(&variants[0], 1, 2, &run));
    assert_true(run.left <= 2);
}

/* ---- One surface at a time ------------------------------------------------------------------- */

struct user {
    struct run run;
    struct vidmm_process *process;
    struct vidmm_device *device;
    struct vidmm_paging_queue *queue;
};

static void sign_in(struct user *user, uint64_t range,
                    void (*spoil)(DRIVER_INITIALIZATION_DATA *table)) {
    static const struct variant alone = {NULL, 4, 0};
    memset(user, 0, sizeof(*user));
    open_harness(&user->run, NULL, &alone, range, spoil);
    assert_int_equal(vidmm_process_create(user->run.harness.adapter, &user->process), VIDMM_OK);
    assert_int_equal(vidmm_process_device_create(user->process, &user->device), VIDMM_OK);
    assert_int_equal(vidmm_paging_queue_create(user->device, 0, &user->queue), VIDMM_OK);
}

static void sign_out(struct user *user) {
    vidmm_paging_queue_destroy(user->queue);
    vidmm_device_destroy(user->device);
    vidmm_process_destroy(user->process);
    close_harness(&user->run);
}

static enum vidmm_status create(struct user *user, uint32_t flags, uint64_t size,
                                struct vidmm_allocation **out) {
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC, .flags = flags, .size = size};
    const struct vidmm_allocation_request request = {.private_data = &data,
                                                     .private_size = sizeof(data)};
    return vidmm_allocation_create(user->device, &request, out);
}

#define PROTECTED (VIDMM_UMD_LOCAL | VIDMM_UMD_IN_VPR)

static uint64_t local_budget(struct user *user, uint64_t *usage) {
    struct vidmm_budget budget;
    vidmm_process_budget(user->process, 0, VIDMM_GROUP_LOCAL, &budget);
    *usage = budget.usage;
    return budget.budget;
}

static void protected_memory_is_in_nobodys_budget(void **state) {
    (void)state;
    struct user user;
    struct vidmm_allocation *one, *two;
    uint64_t usage;
    sign_in(&user, 0, NULL);
    uint64_t all = local_budget(&user, &usage);
    sign_out(&user);
    sign_in(&user, RANGE, NULL);
    assert_int_equal(local_budget(&user, &usage), all - RANGE);
    assert_int_equal(create(&user, PROTECTED, RANGE / 2, &one), VIDMM_OK);
    assert_int_equal(create(&user, PROTECTED, RANGE, &two), VIDMM_OK);
    assert_int_equal(vidmm_make_resident(user.queue, &one, 1, 0, NULL, NULL), VIDMM_OK);
    (void)local_budget(&user, &usage);
    assert_int_equal(usage, 0);
    assert_int_equal(vidmm_make_resident(user.queue, &two, 1, 0, NULL, NULL),
                     VIDMM_DOES_NOT_FIT); /* whatever is free outside */
    vidmm_allocation_destroy(two);
    vidmm_allocation_destroy(one);
    sign_out(&user);
}

/* Lists pieces of `size` bytes until no more fit. */
static void fill_up(struct user *user, uint64_t size) {
    enum vidmm_status status = VIDMM_OK;
    while (status == VIDMM_OK) {
        struct vidmm_allocation *piece;
        assert_int_equal(create(user, VIDMM_UMD_LOCAL_ONLY, size, &piece), VIDMM_OK);
        status = vidmm_make_resident(user->queue, &piece, 1, 0, NULL, NULL);
        if (status != VIDMM_OK)
            vidmm_allocation_destroy(piece);
    }
    assert_int_equal(status, VIDMM_DOES_NOT_FIT);
}

/* No device lists what is there, but evicting it would make room for none of them. */
static void page_tables_send_nobody_out_of_the_range(void **state) {
    (void)state;
    struct user user;
    struct vidmm_allocation *protected, *seen;
    struct vidmm_allocation_info info;
    sign_in(&user, RANGE, NULL);
    assert_int_equal(create(&user, PROTECTED, RANGE, &protected), VIDMM_OK);
    assert_int_equal(vidmm_make_resident(user.queue, &protected, 1, 0, NULL, NULL), VIDMM_OK);
    assert_int_equal(vidmm_device_evict(user.device, &protected, 1, 0, NULL), VIDMM_OK);
    assert_int_equal(create(&user, VIDMM_UMD_LOCAL_ONLY, PAGE, &seen), VIDMM_OK);
    fill_up(&user, UINT64_C(1) << 20);
    fill_up(&user, PAGE);
    for (uint64_t i = 1; i <= 8; i++) {
        const struct vidmm_va_request map = {.base = i << 30, .size = PAGE, .allocation = seen};
        uint64_t va, fence;
        assert_int_equal(vidmm_va_map(user.queue, &map, &va, &fence), VIDMM_OK);
    }
    vidmm_allocation_info(protected, &info);
    assert_int_equal(info.segment, MEMORY);
    sign_out(&user);
}

static DRIVER_INITIALIZATION_DATA good;

static NTSTATUS APIENTRY create_in_vpr(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = good.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; i < args->NumAllocations; i++)
        args->pAllocationInfo[i].FlagsWddm2.CreateInVpr = 1;
    return status;
}

static void spoil_create(DRIVER_INITIALIZATION_DATA *table) {
    good = *table;
    table->DxgkDdiCreateAllocation = create_in_vpr;
}

static void what_asks_for_a_range_that_is_not_there_is_refused_by_name(void **state) {
    (void)state;
    struct user user;
    struct vidmm_allocation *allocation = NULL;
    struct vidmm_error error;
    sign_in(&user, 0, spoil_create);
    assert_int_equal(create(&user, PROTECTED, PAGE, &allocation), VIDMM_DRIVER_BROKE_RULE);
    vidmm_last_error(user.run.harness.adapter, &error);
    assert_string_equal(error.field, "DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.CreateInVpr");
    sign_out(&user);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_protected_lies_in_the_range_with_its_bytes),
        cmocka_unit_test(nothing_else_enters_the_range_whatever_the_pressure),
        cmocka_unit_test(pressure_outside_sends_nobody_out_of_the_range),
        cmocka_unit_test(protected_memory_is_in_nobodys_budget),
        cmocka_unit_test(page_tables_send_nobody_out_of_the_range),
        cmocka_unit_test(what_asks_for_a_range_that_is_not_there_is_refused_by_name),
    };
    return cmocka_run_group_tests_name("protected", tests, NULL, NULL);
}
