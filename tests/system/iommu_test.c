/*
 * iommu_test.c - the IoMmu model through the manager's API, over the reference driver: one pointer
 * for CPU and GPU, what may not be asked of the CPU's addresses, and what is not resident.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <vidmm/harness.h>
#include <vidmm/manager.h>
#include <vidmm/softgpu.h>
#include <vidmm/umd.h>
#include <vidmm/virtual.h>

#define PAGE  4096u
#define BYTES (64u * PAGE)

/* A process with a device, a context, a queue and an allocation for commands. */
struct user {
    struct vidmm_process *process;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_paging_queue *queue;
    struct vidmm_allocation *commands;
    uint64_t va;
    void *cpu;
};

static struct vidmm_harness harness;

static void open_harness(const struct vidmm_host_setting *settings, uint32_t count) {
    const struct vidmm_host_config host = {.driver_entry = vidmm_softgpu_entry,
                                           .model = &vidmm_softgpu_model,
                                           .settings = settings,
                                           .setting_count = count,
                                           .seed = 5};
    const struct vidmm_adapter_config adapter = {.model = VIDMM_MODEL_IOMMU};
    char text[512];
    if (vidmm_harness_open(&host, &adapter, &harness, text, sizeof(text)) != VIDMM_HARNESS_OK)
        fail_msg("%s", text);
}

static void open_plain(void) {
    const struct vidmm_host_setting setting = {"Iommu", 1};
    open_harness(&setting, 1);
}

static void close_harness(void) {
    char text[512] = "";
    if (vidmm_harness_close(&harness, text, sizeof(text)) != VIDMM_HARNESS_OK)
        fail_msg("%s", text);
}

static struct vidmm_allocation *allocate(struct vidmm_device *device, uint64_t size,
                                         uint32_t flags) {
    struct vidmm_umd_allocation data = {.magic = VIDMM_UMD_MAGIC, .flags = flags, .size = size};
    const struct vidmm_allocation_request request = {.private_data = &data,
                                                     .private_size = sizeof(data),
                                                     .primary = (flags & VIDMM_UMD_PRIMARY) != 0};
    struct vidmm_allocation *allocation = NULL;
    assert_int_equal(vidmm_allocation_create(device, &request, &allocation), VIDMM_OK);
    return allocation;
}

static uint64_t map(const struct user *user, struct vidmm_allocation *allocation) {
    struct vidmm_allocation_info info;
    uint64_t va = 0, fence;
    vidmm_allocation_info(allocation, &info);
    const struct vidmm_va_request request = {.size = info.size, .allocation = allocation};
    assert_int_equal(vidmm_va_map(user->queue, &request, &va, &fence), VIDMM_OK);
    return va;
}

static void list(const struct user *user, struct vidmm_allocation *allocation) {
    assert_int_equal(vidmm_make_resident(user->queue, &allocation, 1, 0, NULL, NULL), VIDMM_OK);
}

static struct user make_user(void) {
    struct user user = {0};
    assert_int_equal(vidmm_process_create(harness.adapter, &user.process), VIDMM_OK);
    assert_int_equal(vidmm_process_device_create(user.process, &user.device), VIDMM_OK);
    assert_int_equal(vidmm_context_create(user.device, 0, 0, &user.context), VIDMM_OK);
    assert_int_equal(vidmm_paging_queue_create(user.device, 0, &user.queue), VIDMM_OK);
    user.commands = allocate(user.device, PAGE, VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED);
    user.va = map(&user, user.commands);
    list(&user, user.commands);
    assert_int_equal(vidmm_lock(user.commands, 0, &user.cpu), VIDMM_OK);
    return user;
}

static void drop_user(struct user *user) {
    vidmm_unlock(user->commands);
    vidmm_allocation_destroy(user->commands);
    vidmm_paging_queue_destroy(user->queue);
    vidmm_context_destroy(user->context);
    vidmm_device_destroy(user->device);
    vidmm_process_destroy(user->process);
}

/* The GPU fills `bytes` at `va`; what waiting for it answers. */
static enum vidmm_status fill(struct user *user, uint64_t va, uint64_t bytes, uint32_t pattern) {
    const struct vidmm_umd_fill packet = {.head = {VIDMM_UMD_PACKET_FILL, 0, sizeof(packet)},
                                          .pattern = pattern,
                                          .destination = va,
                                          .bytes = bytes};
    const struct vidmm_virtual_submission submission = {.commands = user->va,
                                                        .size = sizeof(packet)};
    uint64_t fence = 0;
    memcpy(user->cpu, &packet, sizeof(packet));
    assert_int_equal(vidmm_submit_virtual(user->context, &submission, &fence), VIDMM_OK);
    return vidmm_wait(harness.adapter, fence);
}

static void assert_filled(struct vidmm_allocation *allocation, uint64_t va, uint32_t pattern) {
    uint32_t *cpu = NULL;
    assert_int_equal(vidmm_lock(allocation, 0, (void **)&cpu), VIDMM_OK);
    assert_int_equal((uintptr_t)cpu, va);
    for (uint32_t i = 0; i < BYTES / 4; i++)
        assert_int_equal(cpu[i], pattern);
    vidmm_unlock(allocation);
}

static void play_with_one_pointer(uint32_t version) {
    const struct vidmm_host_setting settings[] = {
        {"Iommu", 1}, {"MapAperture2", 1}, {"InterfaceVersion", version}};
    open_harness(settings, 3);
    struct user user = make_user();
    struct vidmm_allocation *found, *target = allocate(user.device, BYTES, VIDMM_UMD_CPU_VISIBLE);
    uint64_t va = map(&user, target), offset;
    assert_int_equal((uintptr_t)user.cpu, user.va);
    assert_int_equal(map(&user, target), va); /* it has no second one */
    assert_true(vidmm_process_lookup(user.process, va + 5, &found, &offset));
    assert_ptr_equal(found, target);
    assert_int_equal(offset, 5);
    list(&user, target);
    assert_int_equal(fill(&user, va, BYTES, 0x5eed), VIDMM_OK);
    assert_filled(target, va, 0x5eed);
    vidmm_allocation_destroy(target);
    assert_false(vidmm_process_lookup(user.process, va, &found, &offset));
    drop_user(&user);
    close_harness();
}

static void the_gpus_address_is_the_cpus_pointer(void **state) {
    (void)state;
    play_with_one_pointer(DXGKDDI_INTERFACE_VERSION_WDDM2_0);
    play_with_one_pointer(DXGKDDI_INTERFACE_VERSION_WDDM2_2);
    play_with_one_pointer(DXGKDDI_INTERFACE_VERSION_WDDM3_2);
}

/* What was made by one process and opened by another is at one address, each in its own space. */
static void processes_share_pages_and_not_permission(void **state) {
    (void)state;
    open_plain();
    struct user one = make_user(), two = make_user();
    struct vidmm_allocation *target = allocate(one.device, BYTES, VIDMM_UMD_CPU_VISIBLE);
    assert_int_equal(vidmm_allocation_open(two.device, target), VIDMM_OK);
    uint64_t va = map(&one, target);
    list(&one, target);
    list(&two, target);
    assert_int_equal(fill(&one, va, BYTES, 1), VIDMM_OK);
    assert_int_equal(map(&two, target), va);
    assert_int_equal(fill(&two, va, BYTES, 2), VIDMM_OK);
    assert_filled(target, va, 2);
    assert_int_equal(vidmm_va_free(two.process, va, BYTES), VIDMM_OK);
    assert_int_not_equal(fill(&two, va, BYTES, 3), VIDMM_OK);
    assert_true(vidmm_device_lost(two.device));
    assert_false(vidmm_device_lost(one.device));
    assert_filled(target, va, 2);
    vidmm_allocation_destroy(target);
    drop_user(&one);
    drop_user(&two);
    close_harness();
}

/* Its pages are there all the time: only the IOMMU can tell. */
static void what_is_not_resident_faults(void **state) {
    (void)state;
    open_plain();
    struct user user = make_user();
    struct vidmm_allocation *target = allocate(user.device, BYTES, VIDMM_UMD_CPU_VISIBLE);
    uint64_t va = map(&user, target);
    list(&user, target);
    assert_int_equal(fill(&user, va, BYTES, 1), VIDMM_OK);
    assert_int_equal(vidmm_device_evict(user.device, &target, 1, 0, NULL), VIDMM_OK);
    assert_int_equal(vidmm_evict_all(harness.adapter), VIDMM_OK);
    assert_filled(target, va, 1);
    assert_int_not_equal(fill(&user, va, BYTES, 2), VIDMM_OK);
    assert_true(vidmm_device_lost(user.device));
    assert_int_equal(*(const uint32_t *)(uintptr_t)va, 1);
    vidmm_allocation_destroy(target);
    drop_user(&user);
    close_harness();
}

static void addresses_are_not_the_callers_to_choose(void **state) {
    (void)state;
    open_plain();
    struct user user = make_user();
    struct vidmm_allocation *target = allocate(user.device, BYTES, 0);
    const struct vidmm_va_request requests[] = {
        {.base = 1u << 20, .size = BYTES, .allocation = target},
        {.minimum = 1u << 20, .size = BYTES, .allocation = target},
        {.maximum = 1u << 30, .size = BYTES, .allocation = target},
        {.size = BYTES, .allocation = target, .driver_protection = 1},
        {.size = BYTES, .protection = VIDMM_VA_NO_ACCESS},
        {.size = BYTES, .protection = VIDMM_VA_ZERO},
        {.size = BYTES + PAGE, .allocation = target},
        {.size = PAGE, .offset = BYTES, .allocation = target},
        {.size = PAGE, .offset = 7, .allocation = target},
        {.size = 0, .allocation = target},
    };
    const struct vidmm_va_operation unmap = {
        .type = VIDMM_VA_OP_UNMAP, .base = 65536, .size = PAGE};
    const struct vidmm_va_request reserve = {.size = 65536};
    uint64_t va, fence;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        assert_int_equal(vidmm_va_map(user.queue, &requests[i], &va, &fence), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_va_reserve(user.process, &reserve, &va), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_va_update(user.context, &unmap, 1), VIDMM_BAD_ARGUMENT);
    va = map(&user, target);
    assert_int_equal(vidmm_va_free(user.process, va, PAGE), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_va_free(user.process, va + PAGE, BYTES), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_va_free(user.process, va, BYTES), VIDMM_OK);
    assert_int_equal(vidmm_va_free(user.process, va, BYTES), VIDMM_BAD_ARGUMENT);
    assert_int_equal(map(&user, target), va);
    vidmm_allocation_destroy(target);
    drop_user(&user);
    close_harness();
}

/* The display does not go through the process's page tables (R390). */
static void only_what_is_read_physically_is_mapped_into_the_aperture(void **state) {
    struct vidmm_allocation_info info;
    struct vidmm_stats stats;
    (void)state;
    open_plain();
    struct user user = make_user();
    vidmm_stats(harness.adapter, &stats);
    assert_int_equal(stats.ops[VIDMM_OP_MAP], 0);
    struct vidmm_allocation *primary =
        allocate(user.device, BYTES, VIDMM_UMD_LOCAL | VIDMM_UMD_PRIMARY);
    uint64_t va = map(&user, primary), offset;
    list(&user, primary);
    vidmm_stats(harness.adapter, &stats);
    assert_int_equal(stats.ops[VIDMM_OP_MAP], 1);
    assert_int_equal(vidmm_allocation_page(primary, 0, &offset), 1);
    vidmm_allocation_info(primary, &info);
    assert_int_equal(info.segment, 1);
    assert_int_equal(fill(&user, va, BYTES, 9), VIDMM_OK);
    assert_int_equal(vidmm_allocation_page(user.commands, 0, &offset), 0);
    vidmm_allocation_destroy(primary);
    drop_user(&user);
    close_harness();
}

static void a_reset_takes_nothing_from_system_memory(void **state) {
    (void)state;
    open_plain();
    struct user user = make_user();
    struct vidmm_allocation *target = allocate(user.device, BYTES, VIDMM_UMD_CPU_VISIBLE);
    uint64_t va = map(&user, target);
    list(&user, target);
    assert_int_equal(fill(&user, va, BYTES, 1), VIDMM_OK);
    assert_int_equal(vidmm_reset(harness.adapter), VIDMM_OK);
    assert_filled(target, va, 1);
    assert_int_equal(fill(&user, va, BYTES, 2), VIDMM_OK); /* it is resident again */
    assert_filled(target, va, 2);
    vidmm_allocation_destroy(target);
    drop_user(&user);
    close_harness();
}

/* A driver with both models runs on the one that was asked for. */
static void a_driver_with_both_models_runs_on_this_one(void **state) {
    const struct vidmm_host_setting settings[] = {{"Iommu", 1}, {"MmuLevels", 4}};
    struct vidmm_gpummu_info info;
    (void)state;
    open_harness(settings, 2);
    vidmm_gpummu_info(harness.adapter, 0, &info);
    assert_true(info.iommu);
    assert_false(info.on);
    struct user user = make_user();
    struct vidmm_allocation *target =
        allocate(user.device, BYTES, VIDMM_UMD_LOCAL | VIDMM_UMD_CPU_VISIBLE);
    uint64_t va = map(&user, target);
    list(&user, target);
    assert_int_equal(fill(&user, va, BYTES, 6), VIDMM_OK);
    assert_filled(target, va, 6);
    vidmm_allocation_destroy(target);
    drop_user(&user);
    close_harness();
}

static void a_driver_without_the_model_is_refused(void **state) {
    const struct vidmm_host_config host = {.driver_entry = vidmm_softgpu_entry,
                                           .model = &vidmm_softgpu_model};
    const struct vidmm_adapter_config adapter = {.model = VIDMM_MODEL_IOMMU};
    char text[512] = "";
    (void)state;
    assert_int_not_equal(vidmm_harness_open(&host, &adapter, &harness, text, sizeof(text)),
                         VIDMM_HARNESS_OK);
    assert_non_null(strstr(text, "IoMmuSupported"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gpus_address_is_the_cpus_pointer),
        cmocka_unit_test(processes_share_pages_and_not_permission),
        cmocka_unit_test(what_is_not_resident_faults),
        cmocka_unit_test(addresses_are_not_the_callers_to_choose),
        cmocka_unit_test(only_what_is_read_physically_is_mapped_into_the_aperture),
        cmocka_unit_test(a_reset_takes_nothing_from_system_memory),
        cmocka_unit_test(a_driver_with_both_models_runs_on_this_one),
        cmocka_unit_test(a_driver_without_the_model_is_refused),
    };
    return cmocka_run_group_tests_name("iommu", tests, NULL, NULL);
}
