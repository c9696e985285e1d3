/*
 * tables_test.c - the referee's page tables without a manager and without hardware: a driver that
 * does nothing, operations by hand, and an MMU that translates as a test wants it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <vidmm/referee.h>
#include <vidmm/services.h>

#define PAGE    4096u
#define MEMORY  (UINT64_C(64) << 20)
#define LEVELS  2u
#define ENTRIES 512u
#define ROOT    (1u * PAGE) /* places of the tables in system memory */
#define LEAF    (2u * PAGE)
#define ROOT_2  (3u * PAGE) /* of the second process */
#define BUFFER  (8u * PAGE) /* a paging buffer */
#define BUFFERS 200u        /* that are built and not submitted */
#define COMMAND 64u         /* bytes that an operation takes in it */

static struct {
    DRIVER_INITIALIZATION_DATA table;
    struct vidmm_referee *referee;
    struct vidmm_ledger *ledger;
    uint8_t *memory;
    struct vidmm_referee_translation answer; /* of the MMU, to every question */
    uint32_t asked;                          /* so often */
    bool first_page;    /* it is the answer for the first page; what else there is is invalid */
    uint8_t process[2]; /* handles are their addresses */
    uint32_t processes;
    uint32_t used, submitted; /* bytes of the paging buffer */
    uint32_t completes;       /* fence that is complete while the driver builds; 0: none is */
} bench;

/* ---- A driver that does nothing -------------------------------------------------------------- */

static NTSTATUS APIENTRY query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    (void)adapter;
    if (args->Type == DXGKQAITYPE_GPUMMUCAPS) {
        DXGK_GPUMMUCAPS *caps = args->pOutputData;
        caps->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
        caps->VirtualAddressBitCount = 30;
        caps->PageTableLevelCount = LEVELS;
    } else {
        DXGK_PAGE_TABLE_LEVEL_DESC *desc = args->pOutputData;
        desc->PageTableIndexBitCount = 9;
        desc->PageTableSizeInBytes = PAGE;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_process(const HANDLE adapter, DXGKARG_CREATEPROCESS *args) {
    (void)adapter;
    args->hKmdProcess = &bench.process[bench.processes++];
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    (void)adapter;
    if (args->pDmaBuffer) {
        memset(args->pDmaBuffer, 1, COMMAND);
        args->pDmaBuffer = (uint8_t *)args->pDmaBuffer + COMMAND;
    }
    if (bench.completes != 0)
        vidmm_referee_completed(bench.referee, 0, bench.completes);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY submit_command(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

/* ---- The world ------------------------------------------------------------------------------- */

static void *memory(void *ctx, uint64_t pa, size_t size) {
    (void)ctx;
    return pa <= MEMORY && size <= MEMORY - pa ? bench.memory + pa : NULL;
}

static bool translate(void *ctx, uint64_t root, uint32_t entries, uint64_t va,
                      struct vidmm_referee_translation *out) {
    (void)ctx;
    (void)entries;
    assert_true(root == ROOT || root == ROOT_2);
    *out = bench.answer;
    if (bench.first_page && va >= PAGE)
        *out = (struct vidmm_referee_translation){.valid = false};
    bench.asked++;
    return true;
}

static void ask(DXGK_QUERYADAPTERINFOTYPE type, void *in, UINT in_size, void *out, UINT size) {
    DXGKARG_QUERYADAPTERINFO args = {.Type = type,
                                     .pInputData = in,
                                     .InputDataSize = in_size,
                                     .pOutputData = out,
                                     .OutputDataSize = size};
    memset(out, 0, size);
    assert_int_equal(bench.table.DxgkDdiQueryAdapterInfo(NULL, &args), STATUS_SUCCESS);
}

static void describe_mmu(void) {
    DXGK_QUERYGPUMMUCAPSIN which = {.PhysicalAdapterIndex = 0};
    DXGK_GPUMMUCAPS caps;
    ask(DXGKQAITYPE_GPUMMUCAPS, &which, sizeof(which), &caps, sizeof(caps));
    for (WORD level = 0; level < LEVELS; level++) {
        DXGK_QUERYPAGETABLELEVELDESCIN in = {.LevelIndex = level};
        DXGK_PAGE_TABLE_LEVEL_DESC desc;
        ask(DXGKQAITYPE_PAGETABLELEVELDESC, &in, sizeof(in), &desc, sizeof(desc));
    }
}

static int open_bench(void **state) {
    (void)state;
    memset(&bench, 0, sizeof(bench));
    bench.ledger = calloc(1, sizeof(*bench.ledger));
    bench.memory = calloc(1, MEMORY);
    struct vidmm_referee_config config = {
        .ledger = bench.ledger,
        .world = {.memory = memory, .translate = translate, .memory_bytes = MEMORY}};
    bench.referee = vidmm_referee_create(&config);
    bench.table.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    bench.table.DxgkDdiQueryAdapterInfo = query;
    bench.table.DxgkDdiCreateProcess = create_process;
    bench.table.DxgkDdiBuildPagingBuffer = build;
    bench.table.DxgkDdiSubmitCommand = submit_command;
    vidmm_referee_wrap_ddi(bench.referee, &bench.table);
    describe_mmu();
    DXGKARG_CREATEPROCESS process = {.hDxgkProcess = &bench};
    return bench.table.DxgkDdiCreateProcess(NULL, &process);
}

static int close_bench(void **state) {
    (void)state;
    vidmm_referee_destroy(bench.referee);
    free(bench.memory);
    free(bench.ledger);
    return 0;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static DXGKARG_BUILDPAGINGBUFFER update_of(UINT level, uint64_t place, DXGK_PTE *entry) {
    DXGKARG_BUILDPAGINGBUFFER args;
    memset(&args, 0, sizeof(args));
    args.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    args.UpdatePageTable.PageTableLevel = level;
    args.UpdatePageTable.PageTableAddress.GpuPhysical.SegmentOffset = place;
    args.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    args.UpdatePageTable.hProcess = &bench.process[0];
    args.UpdatePageTable.pPageTableEntries = entry;
    args.UpdatePageTable.NumPageTableEntries = 1;
    return args;
}

static void do_it(DXGKARG_BUILDPAGINGBUFFER args) {
    assert_int_equal(bench.table.DxgkDdiBuildPagingBuffer(NULL, &args), STATUS_SUCCESS);
}

static DXGKARG_BUILDPAGINGBUFFER first_of(UINT level, uint64_t place) {
    static DXGK_PTE nothing = {.Flags = 0};
    DXGKARG_BUILDPAGINGBUFFER args = update_of(level, place, &nothing);
    args.UpdatePageTable.Flags.InitialUpdate = args.UpdatePageTable.Flags.Repeat = 1;
    args.UpdatePageTable.NumPageTableEntries = ENTRIES;
    return args;
}

static void fill_first(UINT level, uint64_t place) {
    do_it(first_of(level, place));
}

static DXGK_PTE page(uint64_t number) {
    DXGK_PTE entry = {.Flags = 0};
    entry.Valid = 1;
    entry.PageAddress = number;
    return entry;
}

/* Root and leaf table of the first addresses. */
static void make_tables(void) {
    DXGK_PTE link = page(LEAF / PAGE);
    fill_first(1, ROOT);
    fill_first(0, LEAF);
    do_it(update_of(1, ROOT, &link));
}

static void map(uint64_t number) {
    DXGK_PTE entry = page(number);
    do_it(update_of(0, LEAF, &entry));
}

static DXGKARG_BUILDPAGINGBUFFER flush_of(uint64_t start, uint64_t end) {
    DXGKARG_BUILDPAGINGBUFFER args;
    memset(&args, 0, sizeof(args));
    args.Operation = DXGK_OPERATION_FLUSH_TLB;
    args.FlushTlb.hProcess = &bench.process[0];
    args.FlushTlb.RootPageTableAddress.SegmentOffset = ROOT;
    args.FlushTlb.StartVirtualAddress = start;
    args.FlushTlb.EndVirtualAddress = end;
    return args;
}

static void flush(uint64_t start, uint64_t end) {
    do_it(flush_of(start, end));
}

/* Into the paging buffer, and to the GPU: complete when a test says so. */
static void submit(DXGKARG_BUILDPAGINGBUFFER args, UINT fence) {
    DXGKARG_SUBMITCOMMAND command;
    args.pDmaBuffer = bench.memory + BUFFER + bench.used;
    args.DmaSize = PAGE - bench.used;
    do_it(args);
    bench.used += COMMAND;
    memset(&command, 0, sizeof(command));
    command.Flags.Paging = 1;
    command.DmaBufferPhysicalAddress.QuadPart = BUFFER;
    command.DmaBufferSize = PAGE;
    command.DmaBufferSubmissionStartOffset = bench.submitted;
    command.DmaBufferSubmissionEndOffset = bench.submitted = bench.used;
    command.SubmissionFenceId = fence;
    assert_int_equal(bench.table.DxgkDdiSubmitCommand(NULL, &command), STATUS_SUCCESS);
}

static void gpu_has(uint64_t number) {
    bench.answer = (struct vidmm_referee_translation){.valid = true, .address = number * PAGE};
    bench.first_page = true;
}

/* ---- Properties ------------------------------------------------------------------------------ */

static void what_the_entries_say_is_compared_with_the_mmu(void **state) {
    (void)state;
    make_tables();
    assert_int_equal(bench.ledger->broken[211], 0);
    bench.answer = (struct vidmm_referee_translation){.valid = true, .address = 7 * PAGE};
    bench.ledger->broken[211] = bench.asked = 0;
    map(8);
    assert_true(bench.asked != 0);
    assert_true(bench.ledger->broken[211] != 0);
}

static void tables_that_were_never_filled_are_the_managers_fault(void **state) {
    (void)state;
    fill_first(1, ROOT);
    map(8);
    assert_int_equal(bench.ledger->broken[208], 1);
}

static void an_entry_leads_to_tables_that_were_filled_only(void **state) {
    (void)state;
    DXGK_PTE link = page(LEAF / PAGE);
    fill_first(1, ROOT);
    do_it(update_of(1, ROOT, &link));
    assert_int_equal(bench.ledger->broken[208], 1);
}

/* Work is about to be submitted to another node than the paging work: it uses the first page of
 * the allocation there, or (NULL) must not reach anything there. */
static void begin_work(HANDLE allocation) {
    const struct vidmm_request_record record = {
        .service = VIDMM_SERVICE_WORK,
        .work = {.process = &bench.process[0], .allocation = allocation, .node = 1, .size = PAGE}};
    vidmm_referee_judge_request(bench.referee, &record);
}

static void work_begins_when_the_flush_of_its_addresses_is_complete(void **state) {
    (void)state;
    DXGK_PTE entry = page(8);
    make_tables();
    gpu_has(8);
    submit(update_of(0, LEAF, &entry), 1);
    submit(flush_of(0, PAGE), 2);
    vidmm_referee_completed(bench.referee, 0, 1);
    begin_work(&bench);
    assert_int_equal(bench.ledger->broken[231], 1);
    vidmm_referee_completed(bench.referee, 0, 2);
    begin_work(&bench);
    assert_int_equal(bench.ledger->broken[231], 1);
    assert_int_equal(bench.ledger->broken[287], 0);
}

static void work_begins_when_what_it_must_not_reach_is_cleared(void **state) {
    (void)state;
    DXGK_PTE nothing = {.Flags = 0};
    make_tables();
    gpu_has(8);
    map(8);
    submit(update_of(0, LEAF, &nothing), 1);
    begin_work(NULL);
    assert_int_equal(bench.ledger->broken[287], 1);
    bench.answer.valid = false;
    vidmm_referee_completed(bench.referee, 0, 1);
    begin_work(NULL);
    assert_int_equal(bench.ledger->broken[287], 1);
}

static void a_tlb_is_judged_after_a_flush_only(void **state) {
    (void)state;
    make_tables();
    bench.answer =
        (struct vidmm_referee_translation){.valid = true, .cached = true, .address = 7 * PAGE};
    map(8);
    assert_int_equal(bench.ledger->broken[211], 0);
    flush(0, PAGE);
    assert_true(bench.ledger->broken[230] != 0);
    map(9);
    flush(0, 0);
    assert_true(bench.ledger->broken[232] != 0);
}

static void entries_beyond_the_table_break_a_rule_and_nothing_else(void **state) {
    (void)state;
    DXGK_PTE entry = page(8);
    make_tables();
    DXGKARG_BUILDPAGINGBUFFER args = update_of(0, LEAF, &entry);
    args.UpdatePageTable.Flags.Repeat = 1;
    args.UpdatePageTable.NumPageTableEntries = UINT32_MAX;
    do_it(args);
    assert_int_equal(bench.ledger->broken[214], 1);
    args.UpdatePageTable.PageTableLevel = UINT32_MAX;
    do_it(args);
    assert_int_equal(bench.ledger->broken[214], 2);
}

static void what_broke_a_rule_is_not_held_against_the_driver(void **state) {
    (void)state;
    make_tables();
    DXGK_PTE entry = page(8);
    entry.Segment = 9;
    bench.ledger->broken[211] = 0;
    do_it(update_of(0, LEAF, &entry));
    assert_true(bench.ledger->broken[223] != 0);
    flush(0, PAGE);
    assert_int_equal(bench.ledger->broken[211] + bench.ledger->broken[230], 0);
}

/* The GPU is ahead of what is complete: the new table's entry is there when what emptied the table
 * is reported, and so is something of the table that was at the place before. */
static void
a_table_at_the_place_of_another_is_compared_once_its_own_changes_are_done(void **state) {
    (void)state;
    DXGK_PTE link = page(LEAF / PAGE), old = page(8), new = page(9);
    DXGKARG_CREATEPROCESS process = {.hDxgkProcess = &link};
    DXGKARG_BUILDPAGINGBUFFER step[] = {first_of(1, ROOT_2), update_of(1, ROOT_2, &link),
                                        first_of(0, LEAF), update_of(0, LEAF, &new)};
    make_tables();
    bench.table.DxgkDdiCreateProcess(NULL, &process);
    for (uint32_t i = 0; i < 4; i++)
        step[i].UpdatePageTable.hProcess = &bench.process[1];
    do_it(step[0]);
    submit(update_of(0, LEAF, &old), 1);
    submit(step[2], 2);
    submit(step[1], 3);
    submit(step[3], 4);
    gpu_has(9);
    for (uint32_t fence = 1; fence < 4; fence++)
        vidmm_referee_completed(bench.referee, 0, fence);
    assert_int_equal(bench.ledger->broken[215], 0);
    uint32_t before = bench.asked;
    vidmm_referee_completed(bench.referee, 0, 4);
    assert_true(bench.asked > before);
    assert_int_equal(bench.ledger->broken[215], 0);
    submit(step[3], 5);
    gpu_has(7);
    vidmm_referee_completed(bench.referee, 0, 5);
    assert_int_equal(bench.ledger->broken[215], 1);
}

/* An update by the CPU changes entries while the driver has the call, in which other work ends. */
static void entries_are_left_alone_while_the_driver_changes_them(void **state) {
    (void)state;
    DXGK_PTE entry = page(8);
    gpu_has(8);
    bench.answer.valid = false;
    make_tables();
    submit(update_of(0, LEAF, &entry), 1);
    gpu_has(9);
    bench.completes = 1;
    map(9);
    assert_int_equal(bench.ledger->broken[211] + bench.ledger->broken[215], 0);
    assert_true(bench.asked != 0);
}

static void a_mistake_in_the_last_of_many_paging_buffers_is_found(void **state) {
    (void)state;
    DXGK_PTE entry = page(8);
    make_tables();
    for (uint32_t i = 0; i < BUFFERS; i++) {
        DXGKARG_BUILDPAGINGBUFFER args = update_of(0, LEAF, &entry);
        args.pDmaBuffer = bench.memory + BUFFER + i * PAGE;
        args.DmaSize = PAGE;
        do_it(args);
    }
    for (uint32_t i = 0; i < BUFFERS; i++) {
        DXGKARG_SUBMITCOMMAND command;
        memset(&command, 0, sizeof(command));
        command.Flags.Paging = 1;
        command.DmaBufferPhysicalAddress.QuadPart = BUFFER + i * PAGE;
        command.DmaBufferSize = PAGE;
        command.DmaBufferSubmissionEndOffset = COMMAND;
        command.SubmissionFenceId = i + 1;
        assert_int_equal(bench.table.DxgkDdiSubmitCommand(NULL, &command), STATUS_SUCCESS);
    }
    gpu_has(7);
    vidmm_referee_completed(bench.referee, 0, BUFFERS - 1);
    assert_int_equal(bench.ledger->broken[215], 0);
    vidmm_referee_completed(bench.referee, 0, BUFFERS);
    assert_int_equal(bench.ledger->broken[215], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_the_entries_say_is_compared_with_the_mmu, open_bench,
                                        close_bench),
        cmocka_unit_test_setup_teardown(tables_that_were_never_filled_are_the_managers_fault,
                                        open_bench, close_bench),
        cmocka_unit_test_setup_teardown(an_entry_leads_to_tables_that_were_filled_only, open_bench,
                                        close_bench),
        cmocka_unit_test_setup_teardown(work_begins_when_the_flush_of_its_addresses_is_complete,
                                        open_bench, close_bench),
        cmocka_unit_test_setup_teardown(work_begins_when_what_it_must_not_reach_is_cleared,
                                        open_bench, close_bench),
        cmocka_unit_test_setup_teardown(a_tlb_is_judged_after_a_flush_only, open_bench,
                                        close_bench),
        cmocka_unit_test_setup_teardown(entries_beyond_the_table_break_a_rule_and_nothing_else,
                                        open_bench, close_bench),
        cmocka_unit_test_setup_teardown(what_broke_a_rule_is_not_held_against_the_driver,
                                        open_bench, close_bench),
        cmocka_unit_test_setup_teardown(
            a_table_at_the_place_of_another_is_compared_once_its_own_changes_are_done, open_bench,
            close_bench),
        cmocka_unit_test_setup_teardown(entries_are_left_alone_while_the_driver_changes_them,
                                        open_bench, close_bench),
        cmocka_unit_test_setup_teardown(a_mistake_in_the_last_of_many_paging_buffers_is_found,
                                        open_bench, close_bench),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
