/*
 * devices_test.c - what a host does for a model with more than registers and memory: ports, addresses
 * and identity of its own, memory that it opens on demand, a part of the machine's memory, a reason
 * why it cannot be made; and the log of a driver's accesses.
 */
#include "fixture/tiny.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { PORT = 0xc000, PORTS = 16, MEMORY_AT = 0x50000000, REACHED_FROM = 1 << 20 };

/* The tiny hardware, with more. */
static struct vidmm_hw_model model;
static uint8_t *closed; /* memory of BAR 1 */
static uint32_t opened;
static uint64_t port_value;
static const char *failing;

static void *more_create(const struct vidmm_hw_host *host,
                         struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    assert_ptr_equal(host->model, &model);
    if (failing) {
        host->failed(host->ctx, failing);
        return NULL;
    }
    void *hw = tiny_model.create(host, bars);
    closed = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bars[1] = (struct vidmm_hw_bar){VIDMM_HW_BAR_MEMORY, 65536, closed};
    bars[3] = (struct vidmm_hw_bar){VIDMM_HW_BAR_PORTS, PORTS, NULL};
    return hw;
}

static void more_destroy(void *hw) {
    munmap(closed, 65536);
    tiny_model.destroy(hw);
}

static uint64_t more_bar_at(void *hw, uint32_t bar) {
    (void)hw;
    return bar == 3 ? PORT : bar == 1 ? MEMORY_AT : 0;
}

static bool more_touch(void *hw, uint32_t bar, uint64_t offset, bool write) {
    (void)hw;
    (void)offset;
    if (bar != 1 || !write)
        return false;
    opened++;
    return mprotect(closed, 65536, PROT_READ | PROT_WRITE) == 0;
}

static uint64_t more_read(void *hw, uint32_t bar, uint64_t offset, uint32_t width) {
    return bar == 3 ? port_value + offset : tiny_model.reg_read(hw, bar, offset, width);
}

static void more_write(void *hw, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value) {
    if (bar == 3)
        port_value = value;
    else
        tiny_model.reg_write(hw, bar, offset, width, value);
}

static struct vidmm_host_config more_config(void) {
    struct vidmm_host_config config = tiny_config();
    model = tiny_model;
    model.create = more_create;
    model.destroy = more_destroy;
    model.bar_at = more_bar_at;
    model.touch = more_touch;
    model.reg_read = more_read;
    model.reg_write = more_write;
    model.reaches_from = REACHED_FROM;
    model.reaches_to = (UINT64_C(1) << 30) + (64 << 20);
    opened = 0;
    port_value = 0;
    failing = NULL;
    config.model = &model;
    return config;
}

static void down(struct vidmm_host *host) {
    struct vidmm_host_error error;
    assert_true(tiny_down(host, &error));
}

static const CM_PARTIAL_RESOURCE_DESCRIPTOR *resource(UCHAR type) {
    static DXGK_DEVICE_INFO info;
    assert_int_equal(tiny.dxgkrnl.DxgkCbGetDeviceInformation(tiny.dxgkrnl.DeviceHandle, &info),
                     STATUS_SUCCESS);
    const CM_PARTIAL_RESOURCE_LIST *list =
        &info.TranslatedResourceList->List[0].PartialResourceList;
    for (ULONG i = 0; i < list->Count; i++)
        if (list->PartialDescriptors[i].Type == type)
            return &list->PartialDescriptors[i];
    return NULL;
}

static void memory_behind_the_end_of_the_resources_is_nobodys(void **state) {
    const struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    DXGK_DEVICE_INFO info;
    (void)state;
    assert_int_equal(tiny.dxgkrnl.DxgkCbGetDeviceInformation(tiny.dxgkrnl.DeviceHandle, &info),
                     STATUS_SUCCESS);
    const CM_PARTIAL_RESOURCE_LIST *list =
        &info.TranslatedResourceList->List[0].PartialResourceList;
    const CM_PARTIAL_RESOURCE_DESCRIPTOR *behind = &list->PartialDescriptors[list->Count];
    assert_int_equal(behind->Type, CmResourceTypeMemory);
    assert_null(MmMapIoSpace(behind->u.Memory.Start, behind->u.Memory.Length, MmNonCached));
    assert_int_not_equal(vidmm_host_violations(host), 0);
    (void)tiny_down(host, &error);
}

static void a_board_without_a_model_has_as_much_memory_as_is_asked_for(void **state) {
    struct vidmm_host_config config = tiny_config();
    (void)state;
    config.model = NULL;
    config.plain_bytes = 8ull << 30;
    struct vidmm_host *host = tiny_up(&config);
    const CM_PARTIAL_RESOURCE_DESCRIPTOR *found = resource(CmResourceTypeMemoryLarge);
    assert_non_null(found);
    CM_PARTIAL_RESOURCE_DESCRIPTOR memory = *found;
    assert_int_equal(RtlCmDecodeMemIoResource(&memory, NULL), config.plain_bytes);
    down(host);
}

static void ports_are_a_resource_and_reach_the_model(void **state) {
    const struct vidmm_host_config config = more_config();
    struct vidmm_host *host = tiny_up(&config);
    (void)state;
    const CM_PARTIAL_RESOURCE_DESCRIPTOR *ports = resource(CmResourceTypePort);
    assert_non_null(ports);
    assert_int_equal(ports->u.Port.Start.QuadPart, PORT);
    assert_int_equal(ports->u.Port.Length, PORTS);
    PULONG at = (PULONG)(uintptr_t)PORT;
    WRITE_PORT_ULONG(at, 0x100);
    assert_int_equal(port_value, 0x100);
    assert_int_equal(READ_PORT_ULONG(at + 1), 0x104);
    WRITE_PORT_USHORT((PUSHORT)at, 0x4321);
    assert_int_equal(port_value, 0x4321);
    assert_int_equal(READ_PORT_USHORT((PUSHORT)at + 1), 0x4323);
    WRITE_PORT_UCHAR((PUCHAR)at, 0x99);
    assert_int_equal(port_value, 0x99);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_int_equal(READ_PORT_UCHAR((PUCHAR)(uintptr_t)0x80), 0xff);
    assert_true(tiny_violated(host, "port 0x80, which is no port of the adapter"));
    down(host);
}

static void memory_that_the_model_closed_is_opened_by_an_access(void **state) {
    const struct vidmm_host_config config = more_config();
    struct vidmm_host *host = tiny_up(&config);
    (void)state;
    volatile uint8_t *memory = tiny.memory;
    assert_int_equal(resource(CmResourceTypeMemory)->Type, CmResourceTypeMemory);
    memory[5] = 7;
    assert_int_equal(memory[5], 7);
    assert_int_equal(opened, 1);
    assert_int_equal(MmGetPhysicalAddress((void *)(uintptr_t)(memory + 5)).QuadPart, MEMORY_AT + 5);
    down(host);
}

/* The manager maps what no driver has mapped. */
static unsigned char *mapped_by_the_system(struct vidmm_host *host) {
    const struct vidmm_os *os = vidmm_host_os(host);
    tiny.dxgkrnl.DxgkCbUnmapMemory(tiny.dxgkrnl.DeviceHandle, tiny.memory);
    tiny.leak_mapping = true; /* it is gone when the device stops */
    unsigned char *memory = os->io_map(os->ctx, MEMORY_AT, 4096);
    assert_non_null(memory);
    return memory;
}

static void memory_that_only_the_system_uses_is_opened_by_its_access(void **state) {
    const struct vidmm_host_config config = more_config();
    struct vidmm_host *host = tiny_up(&config);
    unsigned char *memory = mapped_by_the_system(host);
    (void)state;
    memory[5] = 7;
    assert_int_equal(memory[5], 7);
    assert_int_equal(opened, 1);
    down(host);
}

static void end_if_told(int number) {
    const char *reason = vidmm_host_crash_reason();
    (void)number;
    _exit(vidmm_host_crash_own() && reason && strstr(reason, "read of vidmm's own at 0x") &&
                  strstr(reason, "offset 0x5 of BAR 1")
              ? 0
              : 1);
}

/* The model opens it to writes alone. */
static void an_access_of_the_system_that_the_model_refuses_is_its_own(void **state) {
    int status = 0;
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)signal(SIGSEGV, end_if_told);
        const struct vidmm_host_config config = more_config();
        const volatile unsigned char *memory = mapped_by_the_system(tiny_up(&config));
        _exit(2 + memory[5]);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void memory_is_only_where_the_device_reaches(void **state) {
    const struct vidmm_host_config config = more_config();
    struct vidmm_host *host = tiny_up(&config);
    PHYSICAL_ADDRESS all = {.QuadPart = INT64_MAX};
    (void)state;
    void *block = MmAllocateContiguousMemory(8192, all);
    assert_non_null(block);
    uint64_t at = (uint64_t)MmGetPhysicalAddress(block).QuadPart;
    assert_in_range(at, REACHED_FROM, (64 << 20) - 1);
    MmFreeContiguousMemory(block);
    down(host);
}

static void more_memory_than_the_device_reaches_is_refused(void **state) {
    struct vidmm_host_config config = more_config();
    struct vidmm_host *host;
    struct vidmm_host_error error;
    (void)state;
    config.memory_bytes = 128 << 20;
    assert_false(vidmm_host_create(&config, &host, &error));
    assert_string_equal(error.text, "128 MiB of system memory are wanted, of which the device "
                                    "reaches 64 MiB");
}

static void what_a_model_could_not_do_is_said(void **state) {
    const struct vidmm_host_config config = more_config();
    struct vidmm_host *host;
    struct vidmm_host_error error;
    (void)state;
    failing = "it burns";
    assert_false(vidmm_host_create(&config, &host, &error));
    assert_string_equal(error.text, "the device could not be made: it burns");
}

static void the_log_has_each_access_and_counts_a_poll(void **state) {
    struct vidmm_host_config config = more_config();
    char *text = NULL;
    size_t size;
    (void)state;
    config.device_log = open_memstream(&text, &size);
    assert_non_null(config.device_log);
    struct vidmm_host *host = tiny_up(&config);
    volatile ULONG *registers = (volatile ULONG *)(volatile void *)tiny.registers;
    WRITE_REGISTER_ULONG((PULONG)(uintptr_t)(registers + TINY_WIDE / 4), 0xabc);
    for (int i = 0; i < 3; i++)
        (void)READ_REGISTER_ULONG((PULONG)(uintptr_t)(registers + TINY_WIDE / 4));
    (void)tiny_submit(host, 1);
    vidmm_host_run(host);
    down(host);
    assert_int_equal(fclose(config.device_log), 0);
    assert_non_null(strstr(text, "W4 bar0+0x0008 <- 0x00000abc"));
    assert_non_null(strstr(text, "R4 bar0+0x0008 -> 0x00000abc"));
    assert_non_null(strstr(text, "and 2 times more"));
    assert_non_null(strstr(text, "W4 bar0+0x0000 <- 0x00000001"));
    assert_non_null(strstr(text, "SubmitCommand"));
    assert_non_null(strstr(text, "interrupt 0"));
    free(text);
}

/* Of the last BAR of memory. */
static uint64_t memory_start(const CM_RESOURCE_LIST *resources) {
    const CM_PARTIAL_RESOURCE_LIST *list = &resources->List[0].PartialResourceList;
    uint64_t start = 0;
    for (ULONG i = 0; i < list->Count; i++)
        if (list->PartialDescriptors[i].Type == CmResourceTypeMemory)
            start = (uint64_t)list->PartialDescriptors[i].u.Memory.Start.QuadPart;
    return start;
}

/* As of a driver that copies the interface at its first start alone. */
static void the_handle_of_an_earlier_life_is_told(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    DXGKRNL_INTERFACE before = tiny.dxgkrnl;
    DXGK_DEVICE_INFO info;
    (void)state;
    assert_true(vidmm_host_stop(host, &error));
    assert_true(vidmm_host_start(host, &error));
    assert_int_equal(tiny.dxgkrnl.DxgkCbGetDeviceInformation(tiny.dxgkrnl.DeviceHandle, &info),
                     STATUS_SUCCESS);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_int_equal(before.DxgkCbGetDeviceInformation(before.DeviceHandle, &info), STATUS_SUCCESS);
    assert_true(tiny_violated(host, "a handle of before DxgkDdiStopDevice"));
    (void)tiny_down(host, &error);
}

/* stopping-a-device-to-rebalance-resources.md: the same device starts again, with other resources. */
static void a_device_starts_again_at_other_addresses(void **state) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    struct vidmm_host_error error;
    DXGKRNL_INTERFACE before = tiny.dxgkrnl;
    DXGK_DEVICE_INFO first, second;
    (void)state;
    HANDLE adapter = vidmm_host_adapter(host);
    tiny.dxgkrnl.DxgkCbGetDeviceInformation(tiny.dxgkrnl.DeviceHandle, &first);
    uint64_t start = memory_start(first.TranslatedResourceList);
    assert_true(vidmm_host_rebalance(host, &error));
    assert_ptr_equal(vidmm_host_adapter(host), adapter);
    assert_ptr_not_equal(tiny.dxgkrnl.DeviceHandle, before.DeviceHandle);
    tiny.dxgkrnl.DxgkCbGetDeviceInformation(tiny.dxgkrnl.DeviceHandle, &second);
    assert_int_not_equal(memory_start(second.TranslatedResourceList), start);
    assert_int_equal(tiny_submit(host, 1), STATUS_SUCCESS);
    vidmm_host_run(host);
    assert_int_equal(vidmm_host_violations(host), 0);
    assert_true(tiny_down(host, &error));
}

static void what_a_model_of_older_headers_has_not_is_never_called(void **state) {
    struct vidmm_host_config config = tiny_config();
    ULONG id = 0, read = 0;
    (void)state;
    config.model = NULL;
    config.model_path = getenv("HOST_OLDER_MODEL");
    struct vidmm_host *host = tiny_up(&config);
    assert_int_equal(tiny.dxgkrnl.DxgkCbReadDeviceSpace(tiny.dxgkrnl.DeviceHandle,
                                                        DXGK_WHICHSPACE_CONFIG, &id, 0, sizeof(id),
                                                        &read),
                     STATUS_SUCCESS);
    assert_int_equal(read, sizeof(id));
    down(host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_are_a_resource_and_reach_the_model),
        cmocka_unit_test(memory_behind_the_end_of_the_resources_is_nobodys),
        cmocka_unit_test(a_board_without_a_model_has_as_much_memory_as_is_asked_for),
        cmocka_unit_test(memory_that_the_model_closed_is_opened_by_an_access),
        cmocka_unit_test(memory_that_only_the_system_uses_is_opened_by_its_access),
        cmocka_unit_test(an_access_of_the_system_that_the_model_refuses_is_its_own),
        cmocka_unit_test(memory_is_only_where_the_device_reaches),
        cmocka_unit_test(more_memory_than_the_device_reaches_is_refused),
        cmocka_unit_test(what_a_model_could_not_do_is_said),
        cmocka_unit_test(what_a_model_of_older_headers_has_not_is_never_called),
        cmocka_unit_test(the_handle_of_an_earlier_life_is_told),
        cmocka_unit_test(a_device_starts_again_at_other_addresses),
        cmocka_unit_test(the_log_has_each_access_and_counts_a_poll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
