/*
 * several_test.c - several referees in one process: each judges the driver whose table it
 * interposes, whatever handles the drivers give out and whatever threads call them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <vidmm/referee.h>

#define ROUNDS 200u
#define SLOTS  16u /* referees at a time, as referee.h promises */

/* The mistakes that an end makes in each round. */
enum mistake {
    NO_MISTAKE,
    DRIVER_MISTAKE,  /* R149: an answer that BuildPagingBuffer does not have */
    MANAGER_MISTAKE, /* R158: MultipassOffset at the first call of an operation */
    HANDLE_MISTAKE,  /* R102: two allocations with one handle */
};

/* A driver, its referee and its ledger. */
struct end {
    enum mistake mistake;
    DRIVER_INITIALIZATION_DATA table;
    DXGKRNL_INTERFACE callbacks;
    struct vidmm_referee *referee;
    struct vidmm_ledger ledger;
    uint64_t calls; /* that were made */
};

/* ---- Two drivers that give out the same handles ---------------------------------------------- */

static NTSTATUS APIENTRY build_well(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY build_badly(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    (void)adapter;
    (void)args;
    return STATUS_UNSUCCESSFUL;
}

static NTSTATUS APIENTRY create_allocation(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    (void)adapter;
    args->pAllocationInfo[0].hAllocation = (HANDLE)0x10;
    args->pAllocationInfo[0].Size = 4096;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY destroy_allocation(const HANDLE adapter,
                                            const DXGKARG_DESTROYALLOCATION *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static void APIENTRY notify_dpc(const HANDLE handle) {
    *(uint32_t *)handle += 1;
}

/* ---- An end ---------------------------------------------------------------------------------- */

static void end_open(struct end *end, enum mistake mistake) {
    memset(end, 0, sizeof(*end));
    end->mistake = mistake;
    struct vidmm_referee_config config = {.ledger = &end->ledger};
    end->referee = vidmm_referee_create(&config);
    assert_non_null(end->referee);
    end->table.Version = DXGKDDI_INTERFACE_VERSION_WIN8;
    end->table.DxgkDdiBuildPagingBuffer = mistake == DRIVER_MISTAKE ? build_badly : build_well;
    end->table.DxgkDdiCreateAllocation = create_allocation;
    end->table.DxgkDdiDestroyAllocation = destroy_allocation;
    end->callbacks.DxgkCbNotifyDpc = notify_dpc;
    vidmm_referee_wrap_ddi(end->referee, &end->table);
    vidmm_referee_wrap_callbacks(end->referee, &end->callbacks);
    memset(end->ledger.broken, 0, sizeof(end->ledger.broken)); /* the table is not complete */
}

static void end_close(struct end *end) {
    vidmm_referee_destroy(end->referee);
}

static void build(struct end *end, UINT multipass) {
    DXGKARG_BUILDPAGINGBUFFER args;
    memset(&args, 0, sizeof(args));
    args.Operation = DXGK_OPERATION_DISCARD_CONTENT;
    args.MultipassOffset = multipass;
    (void)end->table.DxgkDdiBuildPagingBuffer(NULL, &args);
    end->calls++;
}

static void create(struct end *end) {
    DXGK_ALLOCATIONINFO info;
    memset(&info, 0, sizeof(info));
    DXGKARG_CREATEALLOCATION args = {.NumAllocations = 1, .pAllocationInfo = &info};
    assert_int_equal(end->table.DxgkDdiCreateAllocation(NULL, &args), STATUS_SUCCESS);
    end->calls++;
}

static void destroy(struct end *end) {
    HANDLE handle = (HANDLE)0x10;
    const DXGKARG_DESTROYALLOCATION args = {.NumAllocations = 1, .pAllocationList = &handle};
    assert_int_equal(end->table.DxgkDdiDestroyAllocation(NULL, &args), STATUS_SUCCESS);
    end->calls++;
}

static void round_of(struct end *end) {
    build(end, end->mistake == MANAGER_MISTAKE ? 8 : 0);
    create(end);
    if (end->mistake == HANDLE_MISTAKE)
        create(end);
    destroy(end);
    if (end->mistake == HANDLE_MISTAKE)
        destroy(end);
}

/* The mistake of the end is in its ledger, `times` times, and the mistakes of the others are not. */
static void assert_found(const struct end *end, uint32_t times) {
    const struct vidmm_ledger *ledger = &end->ledger;
    assert_int_equal(ledger->broken[149], end->mistake == DRIVER_MISTAKE ? times : 0);
    assert_int_equal(ledger->broken[158], end->mistake == MANAGER_MISTAKE ? times : 0);
    assert_int_equal(ledger->broken[102], end->mistake == HANDLE_MISTAKE ? times : 0);
    assert_int_equal(ledger->calls, end->calls);
    assert_int_equal(ledger->depth, 0);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void each_ledger_has_the_mistakes_of_its_own_driver_in_turn(void **state) {
    struct end ends[4];
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        end_open(&ends[i], (enum mistake)i);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < 4; i++)
            round_of(&ends[i]);
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_found(&ends[i], ROUNDS);
    for (uint32_t i = 0; i < 4; i++)
        end_close(&ends[i]);
}

static void *thread_of(void *end) {
    for (uint32_t round = 0; round < ROUNDS; round++)
        round_of(end);
    return NULL;
}

static void each_ledger_has_the_mistakes_of_its_own_driver_from_two_threads(void **state) {
    const enum mistake pairs[][2] = {{DRIVER_MISTAKE, MANAGER_MISTAKE},
                                     {HANDLE_MISTAKE, DRIVER_MISTAKE},
                                     {NO_MISTAKE, HANDLE_MISTAKE}};
    (void)state;
    for (uint32_t pair = 0; pair < 3; pair++) {
        struct end ends[2];
        pthread_t threads[2];
        for (uint32_t i = 0; i < 2; i++)
            end_open(&ends[i], pairs[pair][i]);
        for (uint32_t i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, thread_of, &ends[i]), 0);
        for (uint32_t i = 0; i < 2; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        for (uint32_t i = 0; i < 2; i++)
            assert_found(&ends[i], ROUNDS);
        for (uint32_t i = 0; i < 2; i++)
            end_close(&ends[i]);
    }
}

static void a_handle_is_alive_in_its_own_referee_only(void **state) {
    struct end ends[2];
    (void)state;
    end_open(&ends[0], NO_MISTAKE);
    end_open(&ends[1], NO_MISTAKE);
    create(&ends[0]);
    create(&ends[1]); /* the same handle: another driver's */
    assert_found(&ends[0], 0);
    assert_found(&ends[1], 0);
    destroy(&ends[0]);
    create(&ends[1]); /* and here it is not free */
    assert_int_equal(ends[1].ledger.broken[102], 1);
    assert_int_equal(ends[0].ledger.broken[102], 0);
    end_close(&ends[0]);
    end_close(&ends[1]);
}

static void a_callback_goes_to_the_system_of_its_own_adapter(void **state) {
    struct end ends[2];
    uint32_t dpcs[2] = {0, 0};
    (void)state;
    end_open(&ends[0], NO_MISTAKE);
    end_open(&ends[1], NO_MISTAKE);
    ends[0].callbacks.DxgkCbNotifyDpc(&dpcs[0]);
    ends[1].callbacks.DxgkCbNotifyDpc(&dpcs[1]);
    ends[1].callbacks.DxgkCbNotifyDpc(&dpcs[1]);
    assert_int_equal(dpcs[0], 1);
    assert_int_equal(dpcs[1], 2);
    end_close(&ends[0]);
    end_close(&ends[1]);
}

static void a_referee_that_goes_leaves_room_for_another(void **state) {
    static struct end ends[SLOTS];
    static struct vidmm_ledger ledger;
    struct vidmm_referee_config config = {.ledger = &ledger};
    (void)state;
    for (uint32_t i = 0; i < SLOTS; i++)
        end_open(&ends[i], NO_MISTAKE);
    assert_null(vidmm_referee_create(&config));
    end_close(&ends[3]);
    end_open(&ends[3], DRIVER_MISTAKE);
    round_of(&ends[3]);
    round_of(&ends[4]);
    assert_found(&ends[3], 1);
    assert_found(&ends[4], 0);
    for (uint32_t i = 0; i < SLOTS; i++)
        end_close(&ends[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_ledger_has_the_mistakes_of_its_own_driver_in_turn),
        cmocka_unit_test(each_ledger_has_the_mistakes_of_its_own_driver_from_two_threads),
        cmocka_unit_test(a_handle_is_alive_in_its_own_referee_only),
        cmocka_unit_test(a_callback_goes_to_the_system_of_its_own_adapter),
        cmocka_unit_test(a_referee_that_goes_leaves_room_for_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
