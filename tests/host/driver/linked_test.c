/*
 * linked_test.c - linked adapters: one driver with a device for each, the order of their lives, which
 * of them interrupts, what their hardware reaches, and what is said of a chain that is none.
 */
#include "fixture/tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MOST 4u
#define TAG  0x6b6e694cu /* "Link" */

/* What the driver keeps of one device. */
struct link {
    uint32_t number; /* in the order of AddDevice */
    DXGKRNL_INTERFACE dxgkrnl;
    volatile uint8_t *registers;
    uint64_t registers_at; /* physical address */
    uint32_t reported, isr_calls, dpc_calls;
};

/* What the driver says and does, and what it saw. */
static struct {
    LINKED_DEVICE answer[MOST];
    NTSTATUS link_status[MOST], start_status[MOST], stop_status[MOST];
    bool cannot_link, leak;
    ULONG children[MOST];
    struct link *link[MOST];
    uint32_t links;
    char life[256]; /* its calls, in order: a letter and the number of the device */
    uint8_t link_irql;
} driver;

/* ---- Hardware: tiny's, that shows what it was given ------------------------------------------ */

static const struct vidmm_hw_host *gave[MOST];
static void *hardware[MOST];
static void *peers_at_creation[MOST]; /* of board 0, as each board found it */

static void *create(const struct vidmm_hw_host *host, struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    assert_in_range(host->physical, 0, MOST - 1);
    gave[host->physical] = host;
    peers_at_creation[host->physical] = host->peer(host->ctx, 0);
    return hardware[host->physical] = tiny_model.create(host, bars);
}

static const void *peek(void *hw, uint64_t address, size_t size) {
    (void)address;
    (void)size;
    return hw;
}

static bool root(void *hw, uint32_t engine, uint64_t *at) {
    (void)engine;
    *at = (uintptr_t)hw;
    return true;
}

static struct vidmm_hw_model model;

/* ---- The driver ------------------------------------------------------------------------------ */

static void note(char call, const struct link *link) {
    size_t length = strlen(driver.life);
    snprintf(driver.life + length, sizeof(driver.life) - length, "%s%c%u", length ? " " : "", call,
             link->number);
}

static NTSTATUS APIENTRY add_device(const PDEVICE_OBJECT pdo, PVOID *context) {
    (void)pdo;
    struct link *link = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*link), TAG);
    if (!link)
        return STATUS_NO_MEMORY;
    memset(link, 0, sizeof(*link));
    link->number = driver.links++;
    driver.link[link->number] = link;
    note('a', link);
    *context = link;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY link_device(const PDEVICE_OBJECT pdo, const PVOID context,
                                     PLINKED_DEVICE linked) {
    const struct link *link = context;
    (void)pdo;
    note('l', link);
    driver.link_irql = KeGetCurrentIrql();
    *linked = driver.answer[link->number];
    return driver.link_status[link->number];
}

static NTSTATUS map_registers(struct link *link) {
    DXGK_DEVICE_INFO info;
    HANDLE handle = link->dxgkrnl.DeviceHandle;
    void *mapped;
    NTSTATUS status = link->dxgkrnl.DxgkCbGetDeviceInformation(handle, &info);
    if (!NT_SUCCESS(status))
        return status;
    assert_ptr_equal(info.MiniportDeviceContext, link);
    CM_PARTIAL_RESOURCE_DESCRIPTOR *first =
        &info.TranslatedResourceList->List[0].PartialResourceList.PartialDescriptors[0];
    link->registers_at = (uint64_t)first->u.Memory.Start.QuadPart;
    status = link->dxgkrnl.DxgkCbMapMemory(handle, first->u.Memory.Start, first->u.Memory.Length,
                                           FALSE, FALSE, MmNonCached, &mapped);
    link->registers = mapped;
    return status;
}

static NTSTATUS APIENTRY start_device(const PVOID context, PDXGK_START_INFO info,
                                      PDXGKRNL_INTERFACE dxgkrnl, PULONG sources, PULONG children) {
    struct link *link = context;
    (void)info;
    note('s', link);
    link->dxgkrnl = *dxgkrnl;
    if (!NT_SUCCESS(driver.start_status[link->number]))
        return driver.start_status[link->number];
    *sources = 0;
    *children = driver.children[link->number];
    return map_registers(link);
}

static NTSTATUS APIENTRY stop_device(const PVOID context) {
    struct link *link = context;
    note('t', link);
    link->dxgkrnl.DxgkCbUnmapMemory(link->dxgkrnl.DeviceHandle, (PVOID)(uintptr_t)link->registers);
    return driver.stop_status[link->number];
}

static NTSTATUS APIENTRY remove_device(const PVOID context) {
    const struct link *link = context;
    note('r', link);
    if (!driver.leak || link->number != 1)
        ExFreePoolWithTag(context, TAG);
    return STATUS_SUCCESS;
}

static BOOLEAN APIENTRY interrupt_routine(const PVOID context, ULONG message) {
    struct link *link = context;
    uint32_t done = READ_REGISTER_ULONG((volatile ULONG *)(link->registers + TINY_FENCE));
    (void)message;
    link->isr_calls++;
    while (link->reported != done) {
        DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
        data.DmaCompleted.SubmissionFenceId = ++link->reported;
        data.DmaCompleted.EngineOrdinal = link->number;
        link->dxgkrnl.DxgkCbNotifyInterrupt(link->dxgkrnl.DeviceHandle, &data);
    }
    link->dxgkrnl.DxgkCbQueueDpc(link->dxgkrnl.DeviceHandle);
    return TRUE;
}

static VOID APIENTRY dpc_routine(const PVOID context) {
    struct link *link = context;
    link->dpc_calls++;
    link->dxgkrnl.DxgkCbNotifyDpc(link->dxgkrnl.DeviceHandle);
}

static NTSTATUS APIENTRY submit_command(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    const struct link *link = driver.link[args->EngineOrdinal];
    (void)adapter;
    WRITE_REGISTER_ULONG((volatile ULONG *)(link->registers + TINY_DOORBELL),
                         args->SubmissionFenceId);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI entry(PDRIVER_OBJECT object, PUNICODE_STRING path) {
    DRIVER_INITIALIZATION_DATA data = {.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_0};
    data.DxgkDdiAddDevice = add_device;
    data.DxgkDdiLinkDevice = driver.cannot_link ? NULL : link_device;
    data.DxgkDdiStartDevice = start_device;
    data.DxgkDdiStopDevice = stop_device;
    data.DxgkDdiRemoveDevice = remove_device;
    data.DxgkDdiInterruptRoutine = interrupt_routine;
    data.DxgkDdiDpcRoutine = dpc_routine;
    data.DxgkDdiSubmitCommand = submit_command;
    return DxgkInitialize(object, path, &data);
}

/* ---- Up and down ----------------------------------------------------------------------------- */

/* A chain of so many links whose first device leads, and the driver as new. */
static struct vidmm_host_config chain_of(uint32_t linked) {
    struct vidmm_host_config config = tiny_config();
    model = tiny_model;
    model.create = create;
    model.peek = peek;
    model.root = root;
    memset(&driver, 0, sizeof(driver));
    memset(hardware, 0, sizeof(hardware));
    for (uint32_t i = 0; i < linked; i++)
        driver.answer[i] =
            (LINKED_DEVICE){.ChainUid = 7, .NumberOfLinksInChain = linked, .LeadLink = i == 0};
    config.driver_entry = entry;
    config.model = &model;
    config.linked = linked;
    return config;
}

/* The chain is refused with this sentence, and nothing is left. */
static void assert_refused(const struct vidmm_host_config *config, const char *text) {
    struct vidmm_host *host;
    struct vidmm_host_error error;
    assert_true(vidmm_host_create(config, &host, &error));
    assert_false(vidmm_host_start(host, &error));
    assert_string_equal(error.text, text);
    assert_true(vidmm_host_destroy(host, &error));
}

static void assert_down(struct vidmm_host *host) {
    struct vidmm_host_error error;
    if (!tiny_down(host, &error))
        fail_msg("%s", error.text);
}

/* ---- The order of the calls ------------------------------------------------------------------ */

static void the_lead_starts_last_and_stops_first(void **state) {
    struct vidmm_host_config config = chain_of(3);
    struct vidmm_host *host = tiny_up(&config);
    (void)state;
    assert_string_equal(driver.life, "a0 l0 a1 l1 a2 l2 s1 s2 s0");
    assert_int_equal(driver.link_irql, PASSIVE_LEVEL);
    assert_ptr_equal(vidmm_host_adapter(host), driver.link[0]);
    driver.life[0] = 0;
    assert_down(host);
    assert_string_equal(driver.life, "t0 t1 t2 r0 r1 r2");
}

static void any_device_may_lead_and_is_physical_adapter_0(void **state) {
    struct vidmm_host_config config = chain_of(3);
    (void)state;
    driver.answer[0].LeadLink = FALSE;
    driver.answer[2].LeadLink = TRUE;
    struct vidmm_host *host = tiny_up(&config);
    assert_string_equal(driver.life, "a0 l0 a1 l1 a2 l2 s0 s1 s2");
    assert_ptr_equal(vidmm_host_adapter(host), driver.link[2]);
    assert_ptr_equal(vidmm_host_peek(host, 0, 0, 1), hardware[2]);
    assert_ptr_equal(vidmm_host_peek(host, 1, 0, 1), hardware[0]);
    assert_ptr_equal(vidmm_host_peek(host, 2, 0, 1), hardware[1]);
    driver.life[0] = 0;
    assert_down(host);
    assert_string_equal(driver.life, "t2 t0 t1 r2 r0 r1");
}

static void a_single_device_is_asked_for_its_link_and_may_have_none(void **state) {
    struct vidmm_host_config config = chain_of(0);
    (void)state;
    assert_down(tiny_up(&config));
    assert_string_equal(driver.life, "a0 l0 s0 t0 r0");
    config = chain_of(1);
    driver.link_status[0] = STATUS_NOT_SUPPORTED;
    assert_down(tiny_up(&config));
    config = chain_of(1);
    driver.cannot_link = true;
    assert_down(tiny_up(&config));
    assert_string_equal(driver.life, "a0 s0 t0 r0");
}

/* ---- Each device is its own ------------------------------------------------------------------ */

/* The reports that reached the sink: physical adapter and fence. */
static struct {
    uint32_t physical[8], fence[8];
    _Atomic uint32_t count;
    struct vidmm_host *host;
} seen;

static void completed(void *ctx, uint32_t physical, uint32_t node, uint32_t fence) {
    uint32_t n = atomic_load(&seen.count) % 8;
    (void)ctx;
    (void)node;
    seen.physical[n] = physical;
    seen.fence[n] = fence;
    atomic_fetch_add(&seen.count, 1);
    vidmm_host_os(seen.host)->wake(vidmm_host_os(seen.host)->ctx);
}

static void listen(struct vidmm_host *host) {
    const struct vidmm_host_sink sink = {.completed = completed};
    seen.host = host;
    atomic_store(&seen.count, 0);
    vidmm_host_set_sink(host, &sink);
}

static void submit(struct vidmm_host *host, uint32_t physical, uint32_t fence) {
    const DXGKARG_SUBMITCOMMAND args = {
        .SubmissionFenceId = fence, .EngineOrdinal = physical, .DmaBufferSize = 4096};
    assert_int_equal(vidmm_host_ddi(host)->DxgkDdiSubmitCommand(vidmm_host_adapter(host), &args),
                     STATUS_SUCCESS);
}

static void wait_for(struct vidmm_host *host, uint32_t count) {
    for (int round = 0; round < 1000 && atomic_load(&seen.count) < count; round++)
        vidmm_host_run(host);
    assert_int_equal(atomic_load(&seen.count), count);
}

static void the_device_that_worked_interrupts(bool threads) {
    struct vidmm_host_config config = chain_of(2);
    config.threads = threads;
    struct vidmm_host *host = tiny_up(&config);
    listen(host);
    submit(host, 1, 1);
    wait_for(host, 1);
    assert_int_equal(seen.physical[0], 1);
    assert_int_equal(driver.link[0]->isr_calls + driver.link[0]->dpc_calls, 0);
    assert_int_equal(driver.link[1]->isr_calls, 1);
    assert_int_equal(driver.link[1]->dpc_calls, 1);
    submit(host, 0, 1);
    wait_for(host, 2);
    assert_int_equal(seen.physical[1], 0);
    assert_int_equal(driver.link[0]->isr_calls, 1);
    assert_int_equal(driver.link[1]->isr_calls, 1);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_down(host);
}

static void interrupts_reach_the_device_that_worked(void **state) {
    (void)state;
    the_device_that_worked_interrupts(false);
}

static void interrupts_reach_the_device_that_worked_with_threads(void **state) {
    (void)state;
    the_device_that_worked_interrupts(true);
}

static void devices_have_their_own_handles_bars_and_configuration(void **state) {
    struct vidmm_host_config config = chain_of(2);
    struct vidmm_host *host = tiny_up(&config);
    const struct link *first = driver.link[0], *second = driver.link[1];
    ULONG pattern = 0x5a5a5a5a, got = 0, before = 0;
    PHYSICAL_ADDRESS other = {.QuadPart = (LONGLONG)first->registers_at};
    PVOID mapped;
    (void)state;
    assert_ptr_not_equal(first->dxgkrnl.DeviceHandle, second->dxgkrnl.DeviceHandle);
    assert_int_not_equal(first->registers_at, second->registers_at);
    assert_ptr_not_equal(first->registers, second->registers);
    first->dxgkrnl.DxgkCbReadDeviceSpace(first->dxgkrnl.DeviceHandle, DXGK_WHICHSPACE_CONFIG,
                                         &before, 0x40, 4, NULL);
    second->dxgkrnl.DxgkCbWriteDeviceSpace(second->dxgkrnl.DeviceHandle, DXGK_WHICHSPACE_CONFIG,
                                           &pattern, 0x40, 4, NULL);
    first->dxgkrnl.DxgkCbReadDeviceSpace(first->dxgkrnl.DeviceHandle, DXGK_WHICHSPACE_CONFIG, &got,
                                         0x40, 4, NULL);
    assert_int_equal(got, before);
    assert_int_equal(second->dxgkrnl.DxgkCbMapMemory(second->dxgkrnl.DeviceHandle, other, 4096,
                                                     FALSE, FALSE, MmNonCached, &mapped),
                     STATUS_INVALID_PARAMETER);
    assert_true(tiny_violated(host, "which are not the adapter's"));
    assert_down(host);
}

static void boards_know_their_place_and_each_other(void **state) {
    struct vidmm_host_config config = chain_of(3);
    struct vidmm_host *host = tiny_up(&config);
    uint64_t at = 0;
    (void)state;
    assert_null(peers_at_creation[0]);
    assert_ptr_equal(peers_at_creation[2], hardware[0]);
    for (uint32_t board = 0; board < 3; board++) {
        assert_int_equal(gave[board]->linked, 3);
        assert_ptr_equal(gave[board]->peer(gave[board]->ctx, (board + 1) % 3),
                         hardware[(board + 1) % 3]);
        assert_ptr_equal(vidmm_host_peek(host, board, 0, 1), hardware[board]);
        assert_true(vidmm_host_root(host, board, 0, &at));
        assert_int_equal(at, (uintptr_t)hardware[board]);
    }
    assert_null(gave[0]->peer(gave[0]->ctx, 3));
    assert_null(vidmm_host_peek(host, 3, 0, 1));
    assert_false(vidmm_host_root(host, 3, 0, &at));
    assert_down(host);
}

static void only_the_lead_may_have_children(void **state) {
    struct vidmm_host_config config = chain_of(2);
    (void)state;
    driver.children[0] = 1;
    struct vidmm_host *host = tiny_up(&config);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_down(host);
    config = chain_of(2);
    driver.children[1] = 1;
    host = tiny_up(&config);
    assert_true(tiny_violated(host, "NumberOfChildren 1 of device 1"));
    assert_down(host);
}

/* ---- Chains that are none -------------------------------------------------------------------- */

static void a_driver_without_link_device_is_refused(void **state) {
    struct vidmm_host_config config = chain_of(2);
    (void)state;
    driver.cannot_link = true;
    assert_refused(&config, "the driver left DxgkDdiLinkDevice NULL in its table: it cannot link 2 "
                            "devices");
    assert_string_equal(driver.life, "");
}

static void a_link_device_that_fails_is_named(void **state) {
    struct vidmm_host_config config = chain_of(2);
    (void)state;
    driver.link_status[1] = STATUS_UNSUCCESSFUL;
    assert_refused(
        &config,
        "DxgkDdiLinkDevice of device 1 failed with status STATUS_UNSUCCESSFUL (0xc0000001)");
    assert_string_equal(driver.life, "a0 l0 a1 l1 r0 r1");
}

static void a_chain_with_another_number_of_links_is_refused(void **state) {
    struct vidmm_host_config config = chain_of(2);
    (void)state;
    driver.answer[1].NumberOfLinksInChain = 3;
    assert_refused(&config, "DxgkDdiLinkDevice of device 1 says NumberOfLinksInChain 3, but there "
                            "are 2 devices");
    config = chain_of(1);
    driver.answer[0].NumberOfLinksInChain = 2;
    assert_refused(&config, "DxgkDdiLinkDevice says NumberOfLinksInChain 2, but there is only one "
                            "device");
}

static void devices_of_two_chains_are_refused(void **state) {
    struct vidmm_host_config config = chain_of(2);
    (void)state;
    driver.answer[1].ChainUid = 8;
    assert_refused(&config, "DxgkDdiLinkDevice of device 1 says ChainUid 0x8, but that of device 0 "
                            "is 0x7");
}

static void a_chain_has_exactly_one_lead(void **state) {
    struct vidmm_host_config config = chain_of(2);
    (void)state;
    driver.answer[1].LeadLink = TRUE;
    assert_refused(&config,
                   "DxgkDdiLinkDevice says LeadLink of 2 devices in the chain; it must say "
                   "that of exactly one");
    config = chain_of(2);
    driver.answer[0].LeadLink = FALSE;
    assert_refused(&config,
                   "DxgkDdiLinkDevice says LeadLink of 0 devices in the chain; it must say "
                   "that of exactly one");
    assert_string_equal(driver.life, "a0 l0 a1 l1 r0 r1");
}

static void a_fifth_adapter_is_refused(void **state) {
    struct vidmm_host_config config = chain_of(2);
    struct vidmm_host_error error;
    struct vidmm_host *host;
    (void)state;
    config.linked = 5;
    assert_false(vidmm_host_create(&config, &host, &error));
    assert_string_equal(error.text, "a logical adapter has at most 4 linked physical adapters");
}

/* ---- Half-way -------------------------------------------------------------------------------- */

static void a_start_that_fails_undoes_the_starts_before(void **state) {
    struct vidmm_host_config config = chain_of(3);
    (void)state;
    driver.start_status[2] = STATUS_UNSUCCESSFUL;
    assert_refused(
        &config,
        "DxgkDdiStartDevice of device 2 failed with status STATUS_UNSUCCESSFUL (0xc0000001)");
    assert_string_equal(driver.life, "a0 l0 a1 l1 a2 l2 s1 s2 t1 r0 r1 r2");
}

static void a_stop_that_fails_leaves_no_device_behind(void **state) {
    struct vidmm_host_config config = chain_of(2);
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    (void)state;
    driver.stop_status[0] = STATUS_UNSUCCESSFUL;
    driver.life[0] = 0;
    assert_false(vidmm_host_stop(host, &error));
    assert_string_equal(
        error.text,
        "DxgkDdiStopDevice of device 0 failed with status STATUS_UNSUCCESSFUL (0xc0000001)");
    assert_string_equal(driver.life, "t0 t1 r0 r1");
    assert_true(vidmm_host_destroy(host, &error));
}

static void a_leak_of_one_device_is_the_drivers(void **state) {
    struct vidmm_host_config config = chain_of(2);
    struct vidmm_host_error error;
    (void)state;
    driver.leak = true;
    assert_false(tiny_down(tiny_up(&config), &error));
    assert_non_null(strstr(error.text, "1 pool blocks"));
}

/* Whichever allocation of the host, the hardware or the driver fails: a sentence, and no leak. */
static void every_allocation_that_fails_ends_cleanly(void **state) {
    bool failed = true;
    (void)state;
    for (uint64_t nth = 1; failed; nth++) {
        struct vidmm_host_config config = chain_of(2);
        struct vidmm_host_error error;
        struct vidmm_host *host;
        config.fail_at = nth;
        if (!vidmm_host_create(&config, &host, &error)) {
            assert_string_not_equal(error.text, "");
            continue;
        }
        if (vidmm_host_start(host, &error))
            assert_true(vidmm_host_stop(host, &error));
        else
            assert_string_not_equal(error.text, "");
        failed = vidmm_host_failed_once(host);
        assert_true(vidmm_host_destroy(host, &error));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lead_starts_last_and_stops_first),
        cmocka_unit_test(any_device_may_lead_and_is_physical_adapter_0),
        cmocka_unit_test(a_single_device_is_asked_for_its_link_and_may_have_none),
        cmocka_unit_test(interrupts_reach_the_device_that_worked),
        cmocka_unit_test(interrupts_reach_the_device_that_worked_with_threads),
        cmocka_unit_test(devices_have_their_own_handles_bars_and_configuration),
        cmocka_unit_test(boards_know_their_place_and_each_other),
        cmocka_unit_test(only_the_lead_may_have_children),
        cmocka_unit_test(a_driver_without_link_device_is_refused),
        cmocka_unit_test(a_link_device_that_fails_is_named),
        cmocka_unit_test(a_chain_with_another_number_of_links_is_refused),
        cmocka_unit_test(devices_of_two_chains_are_refused),
        cmocka_unit_test(a_chain_has_exactly_one_lead),
        cmocka_unit_test(a_fifth_adapter_is_refused),
        cmocka_unit_test(a_start_that_fails_undoes_the_starts_before),
        cmocka_unit_test(a_stop_that_fails_leaves_no_device_behind),
        cmocka_unit_test(a_leak_of_one_device_is_the_drivers),
        cmocka_unit_test(every_allocation_that_fails_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
