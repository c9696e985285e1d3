/*
 * callbacks_test.c - what a driver asks the memory manager for: which sink gets the request, at
 * what IRQL and in what calls it may come, and what is answered to invalid arguments.
 */
#include "fixture/tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define VA UINT64_C(0x123000)

/* What the manager in the sink saw. */
static struct {
    uint32_t creates, destroys, maps, updates, reserves;
    bool inside;
} seen;

static NTSTATUS on_create(void *ctx, DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    (void)ctx;
    (void)args;
    seen.creates++;
    return STATUS_SUCCESS;
}

static NTSTATUS on_destroy(void *ctx, HANDLE allocation) {
    (void)ctx;
    assert_ptr_equal(allocation, &seen);
    seen.destroys++;
    return STATUS_SUCCESS;
}

static D3DGPU_VIRTUAL_ADDRESS on_map(void *ctx, const DXGKARGCB_MAPCONTEXTALLOCATION *args,
                                     bool inside) {
    (void)ctx;
    (void)args;
    seen.maps++;
    seen.inside = inside;
    return VA;
}

static NTSTATUS on_update(void *ctx, const DXGKARGCB_UPDATECONTEXTALLOCATION *args, bool inside) {
    (void)ctx;
    (void)args;
    seen.updates++;
    seen.inside = inside;
    return STATUS_SUCCESS;
}

static NTSTATUS on_reserve(void *ctx, DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args) {
    (void)ctx;
    args->StartVirtualAddress = VA;
    seen.reserves++;
    return STATUS_SUCCESS;
}

static const struct vidmm_host_sink sink = {.create_context_allocation = on_create,
                                            .destroy_context_allocation = on_destroy,
                                            .map_context_allocation = on_map,
                                            .update_context_allocation = on_update,
                                            .reserve_addresses = on_reserve};

/* What the driver got from each. */
static struct {
    NTSTATUS create, destroy, update, reserve;
    uint64_t va;
} got;

static void ask(void) {
    const DXGKRNL_INTERFACE *calls = &tiny.dxgkrnl;
    DXGKARGCB_CREATECONTEXTALLOCATION create = {.Size = 4096};
    DXGKARGCB_MAPCONTEXTALLOCATION map = {.SizeInPages = 1};
    DXGKARGCB_UPDATECONTEXTALLOCATION update = {.hAllocation = &seen};
    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE range = {.SizeInBytes = 4096};
    got.create = calls->DxgkCbCreateContextAllocation(&create);
    got.destroy = calls->DxgkCbDestroyContextAllocation(calls->DeviceHandle, &seen);
    got.va = calls->DxgkCbMapContextAllocation(calls->DeviceHandle, &map);
    got.update = calls->DxgkCbUpdateContextAllocation(calls->DeviceHandle, &update);
    got.reserve = calls->DxgkCbReserveGpuVirtualAddressRange(calls->DeviceHandle, &range);
}

static struct vidmm_host *up(const struct vidmm_host_sink *to) {
    struct vidmm_host_config config = tiny_config();
    struct vidmm_host *host = tiny_up(&config);
    memset(&seen, 0, sizeof(seen));
    memset(&got, 0xff, sizeof(got));
    vidmm_host_set_sink(host, to);
    return host;
}

static void down(struct vidmm_host *host) {
    struct vidmm_host_error error;
    assert_true(tiny_down(host, &error));
}

static void create_device(struct vidmm_host *host) {
    DXGKARG_CREATEDEVICE args = {0};
    tiny.in_create_device = ask;
    assert_int_equal(vidmm_host_ddi(host)->DxgkDdiCreateDevice(vidmm_host_adapter(host), &args),
                     STATUS_SUCCESS);
}

static void build(struct vidmm_host *host) {
    uint8_t buffer[64];
    DXGKARG_BUILDPAGINGBUFFER args = {.pDmaBuffer = buffer, .DmaSize = sizeof(buffer)};
    assert_int_equal(
        vidmm_host_ddi(host)->DxgkDdiBuildPagingBuffer(vidmm_host_adapter(host), &args),
        STATUS_SUCCESS);
}

static void assert_answered(void) {
    assert_int_equal(got.create, STATUS_SUCCESS);
    assert_int_equal(got.destroy, STATUS_SUCCESS);
    assert_int_equal(got.update, STATUS_SUCCESS);
    assert_int_equal(got.reserve, STATUS_SUCCESS);
    assert_int_equal(got.va, VA);
    assert_int_equal(seen.creates + seen.destroys + seen.maps + seen.updates + seen.reserves, 5);
}

static void assert_refused(void) {
    assert_int_equal(got.create, STATUS_UNSUCCESSFUL);
    assert_int_equal(got.destroy, STATUS_UNSUCCESSFUL);
    assert_int_equal(got.update, STATUS_UNSUCCESSFUL);
    assert_int_equal(got.reserve, STATUS_UNSUCCESSFUL);
    assert_int_equal(got.va, 0);
    assert_int_equal(seen.creates + seen.destroys + seen.maps + seen.updates + seen.reserves, 0);
}

static void the_manager_is_asked(void **state) {
    struct vidmm_host *host = up(&sink);
    (void)state;
    ask();
    assert_answered();
    assert_false(seen.inside);
    assert_int_equal(vidmm_host_violations(host), 0);
    down(host);
}

static void it_knows_when_a_call_is_under_way(void **state) {
    struct vidmm_host *host = up(&sink);
    (void)state;
    create_device(host);
    assert_answered();
    assert_true(seen.inside);
    assert_int_equal(vidmm_host_violations(host), 0);
    down(host);
}

/* The manager waits for these calls, so they would never return. */
static void a_paging_call_asks_for_nothing(void **state) {
    struct vidmm_host *host = up(&sink);
    (void)state;
    tiny.in_paging = ask;
    build(host);
    assert_refused();
    assert_true(tiny_violated(host, "DxgkCbUpdateContextAllocation was called from inside"));
    create_device(host); /* and after it all is as before */
    assert_answered();
    down(host);
}

static void nothing_is_asked_above_passive_level(void **state) {
    struct vidmm_host *host = up(&sink);
    (void)state;
    tiny.in_submit = ask;
    assert_int_equal(tiny_submit(host, 1), STATUS_SUCCESS);
    assert_refused();
    assert_true(tiny_violated(host, "DxgkCbMapContextAllocation"));
    down(host);
}

static void without_a_manager_nothing_is_supported(void **state) {
    static const struct vidmm_host_sink nobody;
    struct vidmm_host *host = up(&nobody);
    (void)state;
    ask();
    assert_int_equal(got.create, STATUS_NOT_SUPPORTED);
    assert_int_equal(got.destroy, STATUS_NOT_SUPPORTED);
    assert_int_equal(got.update, STATUS_NOT_SUPPORTED);
    assert_int_equal(got.reserve, STATUS_NOT_SUPPORTED);
    assert_int_equal(got.va, 0);
    down(host);
}

static void arguments_that_are_none_are_refused(void **state) {
    struct vidmm_host *host = up(&sink);
    const DXGKRNL_INTERFACE *calls = &tiny.dxgkrnl;
    DXGKARGCB_UPDATECONTEXTALLOCATION update = {.hAllocation = &seen};
    (void)state;
    assert_int_equal(calls->DxgkCbCreateContextAllocation(NULL), STATUS_INVALID_PARAMETER);
    assert_int_equal(calls->DxgkCbMapContextAllocation(calls->DeviceHandle, NULL), 0);
    assert_int_equal(calls->DxgkCbUpdateContextAllocation(calls->DeviceHandle, NULL),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(calls->DxgkCbReserveGpuVirtualAddressRange(calls->DeviceHandle, NULL),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(calls->DxgkCbUpdateContextAllocation(&update, &update),
                     STATUS_INVALID_PARAMETER);
    assert_true(tiny_violated(host, "DxgkCbUpdateContextAllocation was called with a handle"));
    down(host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manager_is_asked),
        cmocka_unit_test(it_knows_when_a_call_is_under_way),
        cmocka_unit_test(a_paging_call_asks_for_nothing),
        cmocka_unit_test(nothing_is_asked_above_passive_level),
        cmocka_unit_test(without_a_manager_nothing_is_supported),
        cmocka_unit_test(arguments_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
