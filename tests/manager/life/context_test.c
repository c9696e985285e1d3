/*
 * context_test.c - context allocations and ranges of addresses that a driver takes for itself, with
 * GPU virtual addresses: a driver that keeps one context allocation for each context of a process,
 * maps it, and writes a byte of its own over it whenever the context's root table moves.
 */
#include "space_world.h"

#define OWN_PAGES 3u
#define CONTEXTS  4u
#define INITIAL   0x11u

static struct own {
    HANDLE runtime, driver; /* the context; NULL: free */
    HANDLE allocation;
    uint64_t va;
    uint8_t byte; /* of the last update */
    bool resident, refused;
    uint32_t updates;
} own[CONTEXTS];

static struct world *world;
static DRIVER_INITIALIZATION_DATA below;
static uint32_t initialised;
static uint64_t placed; /* as NOTIFY_RESIDENCY said last */

/* What is asked of vidmm_driver_reserve inside DxgkDdiCreateProcess: so many bytes; 0: nothing. */
static struct {
    uint64_t size, base;
    uint32_t alignment;
    bool shared;
    NTSTATUS answer;
    uint64_t start;
} wish;

/* ---- The driver ------------------------------------------------------------------------------ */

static struct own *own_of(HANDLE driver) {
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        if (own[i].driver == driver && own[i].driver)
            return &own[i];
    }
    return NULL;
}

static struct own *own_of_allocation(HANDLE driver_allocation) {
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        if (driver_allocation == &own[i])
            return &own[i];
    }
    return NULL;
}

/* A process's range, as the test wishes for it; the system's only when the test says so. */
static bool system_too;
static bool late; /* only while the system device is made */
static HANDLE system_process;

static NTSTATUS APIENTRY create_process(HANDLE adapter, DXGKARG_CREATEPROCESS *arg) {
    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE range = {.hDxgkProcess = arg->hDxgkProcess,
                                                     .SizeInBytes = wish.size,
                                                     .BaseAddress = wish.base,
                                                     .Alignment = wish.alignment,
                                                     .AllowUserModeMapping = wish.shared};
    if (arg->Flags.SystemProcess)
        system_process = arg->hDxgkProcess;
    if (wish.size && !late && (!arg->Flags.SystemProcess || system_too)) {
        wish.answer = vidmm_driver_reserve(world->adapter, &range);
        wish.start = range.StartVirtualAddress;
    }
    return below.DxgkDdiCreateProcess(adapter, arg);
}

/* The other place to do it for the paging process. */
static NTSTATUS APIENTRY create_device(HANDLE adapter, DXGKARG_CREATEDEVICE *arg) {
    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE range = {
        .hDxgkProcess = system_process, .SizeInBytes = wish.size, .BaseAddress = wish.base};
    if (late) {
        wish.answer = vidmm_driver_reserve(world->adapter, &range);
        wish.start = range.StartVirtualAddress;
    }
    return below.DxgkDdiCreateDevice(adapter, arg);
}

/* Only the CPU sees them, beside the driver: they have a view that INIT_CONTEXT_RESOURCE tells. */
static bool protected_own;

static NTSTATUS make_own(struct own *one, HANDLE runtime) {
    DXGKARGCB_CREATECONTEXTALLOCATION create = {.hContext = runtime,
                                                .hDriverAllocation = one,
                                                .Size = OWN_PAGES * PAGE,
                                                .SupportedSegmentSet = SET(VRAM) | SET(APERTURE)};
    create.Flags.AccessedPhysically = 1;
    create.Flags.ExplicitResidencyNotification = 1;
    create.PreferredSegment.SegmentId0 = VRAM;
    if (protected_own) {
        create.SupportedSegmentSet = SET(APERTURE);
        create.PreferredSegment.SegmentId0 = APERTURE;
        create.Flags.CpuVisible = create.Flags.Protected = 1;
    }
    NTSTATUS status = vidmm_context_allocation_create(world->adapter, &create);
    one->allocation = create.hAllocation;
    return status;
}

static uint64_t map_own(uint64_t base, uint64_t offset, uint64_t pages, HANDLE allocation,
                        bool inside) {
    DXGKARGCB_MAPCONTEXTALLOCATION map = {.BaseAddress = base,
                                          .hAllocation = allocation,
                                          .OffsetInPages = offset,
                                          .SizeInPages = pages};
    map.Protection.Write = 1;
    return vidmm_context_allocation_map(world->adapter, &map, inside);
}

static NTSTATUS APIENTRY create_context(HANDLE device, DXGKARG_CREATECONTEXT *arg) {
    struct own *one = own;
    if (arg->Flags.SystemContext)
        return below.DxgkDdiCreateContext(device, arg);
    while (one->runtime)
        one++;
    NTSTATUS status = make_own(one, arg->hContext);
    if (status != STATUS_SUCCESS)
        return status;
    one->va = map_own(0, 0, OWN_PAGES, one->allocation, true);
    one->runtime = arg->hContext;
    status = one->va ? below.DxgkDdiCreateContext(device, arg) : STATUS_NO_MEMORY;
    one->driver = arg->hContext;
    if (status != STATUS_SUCCESS)
        memset(one, 0, sizeof(*one));
    return status;
}

static NTSTATUS APIENTRY destroy_context(HANDLE context) {
    struct own *one = own_of(context);
    if (one) {
        assert_int_equal(vidmm_context_allocation_destroy(world->adapter, one->allocation),
                         STATUS_SUCCESS);
        memset(one, 0, sizeof(*one));
    }
    return below.DxgkDdiDestroyContext(context);
}

static NTSTATUS update(struct own *one, uint8_t byte, bool inside) {
    DXGKARGCB_UPDATECONTEXTALLOCATION args = {
        .hAllocation = one->allocation, .pPrivateDriverData = &byte, .PrivateDriverDataSize = 1};
    return vidmm_context_allocation_update(world->adapter, &args, inside);
}

/* Every page of it as the GPU sees it through the addresses of the process. */
static void expect_bytes(const struct own *one, struct world_process *process, uint8_t byte) {
    for (uint32_t i = 0; i < OWN_PAGES; i++) {
        struct world_page page = world_translate(process, one->va + i * PAGE);
        assert_true(page.valid);
        const uint8_t *at = world_byte(world, page.segment, page.page * PAGE);
        assert_int_equal(at[0], byte);
        assert_int_equal(at[PAGE - 1], byte);
    }
}

static uint32_t calls; /* of functions from inside of which something is asked for */
static bool maps_late; /* it is mapped once more when the root moves */

static void APIENTRY set_root(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *arg) {
    struct own *one = own_of(arg->hContext);
    below.DxgkDdiSetRootPageTable(adapter, arg);
    if (!one)
        return;
    calls++;
    if (maps_late)
        assert_int_equal(map_own(0, 0, 1, one->allocation, true), 0);
    one->updates++;
    one->byte = (uint8_t)(0x80 + one->updates);
    /* A second time, if need be, from a driver that does not give up. */
    one->refused = update(one, one->byte, true) != STATUS_SUCCESS &&
                   update(one, one->byte, true) != STATUS_SUCCESS;
    if (!one->refused) /* it is done when the callback returns */
        expect_bytes(one, world_process(world, 1), one->byte);
    calls--;
}

static NTSTATUS APIENTRY reset(HANDLE adapter) {
    assert_int_equal(calls, 0);
    return below.DxgkDdiResetFromTimeout(adapter);
}

/* One byte all over, from `va` on. */
static NTSTATUS build_fill(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *arg, uint64_t va,
                           uint64_t size, uint8_t byte) {
    DXGKARG_BUILDPAGINGBUFFER fill = *arg;
    fill.Operation = DXGK_OPERATION_VIRTUAL_FILL;
    memset(&fill.FillVirtual, 0, sizeof(fill.FillVirtual));
    fill.FillVirtual.DestinationVirtualAddress = va;
    fill.FillVirtual.FillSizeInBytes = size;
    fill.FillVirtual.FillPattern = byte;
    NTSTATUS status = below.DxgkDdiBuildPagingBuffer(adapter, &fill);
    arg->pDmaBuffer = fill.pDmaBuffer;
    return status;
}

static void note_residency(const DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY *notice) {
    struct own *one = own_of_allocation(notice->hAllocation);
    assert_non_null(one);
    assert_int_not_equal(one->resident, notice->Resident);
    one->resident = notice->Resident;
    placed = notice->PhysicalAddress.SegmentOffset;
}

static NTSTATUS APIENTRY build(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *arg) {
    const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *change = &arg->UpdateContextAllocation;
    if (arg->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE) {
        assert_non_null(own_of_allocation(arg->InitContextResource.hAllocation));
        assert_int_equal(!!arg->InitContextResource.Destination.VirtualAddress, protected_own);
        initialised++;
        return build_fill(adapter, arg, arg->InitContextResource.Destination.GpuVirtualAddress,
                          OWN_PAGES * PAGE, INITIAL);
    }
    if (arg->Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION) {
        assert_int_equal(change->ContextAllocationSize, OWN_PAGES * PAGE);
        assert_int_equal(change->DriverPrivateDataSize, 1);
        return build_fill(adapter, arg, change->ContextAllocation, OWN_PAGES * PAGE,
                          *(const uint8_t *)change->pDriverPrivateData);
    }
    if (arg->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY)
        note_residency(&arg->NotifyResidency);
    return below.DxgkDdiBuildPagingBuffer(adapter, arg);
}

static void overlay(DRIVER_INITIALIZATION_DATA *ddi) {
    below = *ddi;
    ddi->DxgkDdiCreateProcess = create_process;
    ddi->DxgkDdiCreateDevice = create_device;
    ddi->DxgkDdiCreateContext = create_context;
    ddi->DxgkDdiDestroyContext = destroy_context;
    ddi->DxgkDdiSetRootPageTable = set_root;
    ddi->DxgkDdiResetFromTimeout = reset;
    ddi->DxgkDdiBuildPagingBuffer = build;
}

/* ---- The user -------------------------------------------------------------------------------- */

struct user {
    struct vidmm_process *process;
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct vidmm_paging_queue *queue;
};

static void prepare(uint32_t levels) {
    memset(own, 0, sizeof(own));
    memset(&wish, 0, sizeof(wish));
    system_too = late = maps_late = false;
    initialised = calls = 0;
    world = world_new(levels, PAGES_4K,
                      levels == 2 ? DXGK_PAGETABLEUPDATE_GPU_VIRTUAL
                                  : DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
    world->overlay = overlay;
}

static enum vidmm_status open(struct user *user) {
    enum vidmm_status status = vidmm_process_create(world->adapter, &user->process);
    if (status == VIDMM_OK)
        status = vidmm_process_device_create(user->process, &user->device);
    if (status == VIDMM_OK)
        status = vidmm_context_create(user->device, 0, 0, &user->context);
    if (status == VIDMM_OK)
        status = vidmm_paging_queue_create(user->device, 0, &user->queue);
    return status;
}

static void close(struct user *user) {
    if (user->device)
        vidmm_device_destroy(user->device);
    vidmm_process_destroy(user->process);
}

static void begin(uint32_t levels, struct user *user) {
    prepare(levels);
    memset(user, 0, sizeof(*user));
    assert_int_equal(world_start(world), VIDMM_OK);
    assert_int_equal(open(user), VIDMM_OK);
}

static void end(struct user *user) {
    close(user);
    world_end(world);
}

static enum vidmm_status submit(struct user *user) {
    struct vidmm_virtual_submission submission = {.commands = WIDE, .size = 8};
    uint64_t number;
    enum vidmm_status status = vidmm_submit_virtual(user->context, &submission, &number);
    return status ? status : vidmm_wait(world->adapter, number);
}

static enum vidmm_status map_at(struct user *user, uint64_t base,
                                struct vidmm_allocation *allocation) {
    struct vidmm_va_request request = {.base = base,
                                       .size = allocation ? PAGE : WIDE,
                                       .allocation = allocation,
                                       .protection = allocation ? 0 : VIDMM_VA_NO_ACCESS};
    uint64_t va, fence;
    return vidmm_va_map(user->queue, &request, &va, &fence);
}

static struct vidmm_allocation *allocate(struct user *user) {
    struct world_desc desc = {.size = PAGE, .set = SET(VRAM) | SET(APERTURE), .preferred = VRAM};
    struct vidmm_allocation_request request = {.private_data = &desc, .private_size = sizeof(desc)};
    struct vidmm_allocation *allocation;
    assert_int_equal(vidmm_allocation_create(user->device, &request, &allocation), VIDMM_OK);
    return allocation;
}

/* ---- Context allocations --------------------------------------------------------------------- */

/* The root is said with SetRootPageTable, from inside of which the content is updated. */
static void an_update_is_complete_when_it_returns(void **state) {
    struct user user;
    (void)state;
    for (uint32_t levels = 2; levels <= 4; levels++) {
        begin(levels, &user);
        assert_int_equal(own[0].updates, 1);
        assert_false(own[0].refused);
        assert_int_equal(initialised, 1);
        assert_true(own[0].resident);
        end(&user);
    }
}

static void an_update_comes_from_any_thread(void **state) {
    struct user user;
    (void)state;
    begin(3, &user);
    assert_int_equal(submit(&user), VIDMM_OK);
    assert_int_equal(update(&own[0], 0x42, false), STATUS_SUCCESS);
    expect_bytes(&own[0], world_process(world, 1), 0x42);
    end(&user);
}

static void content_and_addresses_follow_the_allocation(void **state) {
    struct user user;
    (void)state;
    begin(3, &user);
    assert_int_equal(submit(&user), VIDMM_OK);
    assert_int_equal(vidmm_evict_all(world->adapter), VIDMM_OK);
    assert_false(own[0].resident);
    assert_false(world_translate(world_process(world, 1), own[0].va).valid);
    assert_int_equal(submit(&user), VIDMM_OK); /* R346 */
    assert_true(own[0].resident);
    expect_bytes(&own[0], world_process(world, 1), own[0].byte);
    struct world_page page = world_translate(world_process(world, 1), own[0].va);
    assert_int_equal(page.page * PAGE, placed);
    assert_int_equal(initialised, 1);
    end(&user);
}

static void what_a_reset_loses_is_initialised_again(void **state) {
    struct user user;
    (void)state;
    begin(3, &user);
    assert_int_equal(submit(&user), VIDMM_OK);
    assert_int_equal(vidmm_reset(world->adapter), VIDMM_OK);
    assert_int_equal(submit(&user), VIDMM_OK);
    assert_int_equal(initialised, 2);
    expect_bytes(&own[0], world_process(world, 1), INITIAL);
    end(&user);
}

static void an_update_survives_a_hang(void **state) {
    struct user user;
    (void)state;
    begin(3, &user);
    world->hangs_at = 1;
    assert_int_equal(update(&own[0], 0x43, false), STATUS_SUCCESS);
    assert_int_equal(world->resets, 1);
    expect_bytes(&own[0], world_process(world, 1), 0x43);
    end(&user);
}

/* The reset waits for the call, inside of which the update was asked for. */
static void no_reset_is_inside_another_call(void **state) {
    struct user user;
    struct vidmm_context *second;
    bool hung = true;
    (void)state;
    for (uint64_t n = 1; hung; n++) {
        begin(3, &user);
        world->hangs_at = n;
        enum vidmm_status status = vidmm_context_create(user.device, 0, 1, &second);
        hung = world->resets != 0;
        world->hangs_at = 0;
        assert_true(status == VIDMM_OK || hung);
        if (status == VIDMM_OK)
            user.context = second;
        if (submit(&user) == VIDMM_OK && status == VIDMM_OK)
            expect_bytes(&own[1], world_process(world, 1), own[1].refused ? INITIAL : own[1].byte);
        end(&user);
    }
}

/* A root of two levels grows while something is mapped at high addresses. */
static void a_root_that_moves_is_told_to_the_context(void **state) {
    struct user user;
    (void)state;
    begin(2, &user);
    struct vidmm_allocation *allocation = allocate(&user);
    uint64_t sets = world->roots_set;
    assert_int_equal(map_at(&user, 60 * MIB, allocation), VIDMM_OK);
    assert_true(world->roots_set > sets);
    assert_int_equal(own[0].updates, 2);
    assert_false(own[0].refused);
    end(&user);
}

/* Tables are being made by then: another mapping would make them once more, without what is mapped.
 */
static void nothing_is_mapped_while_a_root_moves(void **state) {
    struct user user;
    (void)state;
    begin(2, &user);
    struct vidmm_allocation *allocation = allocate(&user);
    uint64_t fence, sets = world->roots_set;
    assert_int_equal(vidmm_make_resident(user.queue, &allocation, 1, 0, &fence, NULL), VIDMM_OK);
    maps_late = true;
    assert_int_equal(map_at(&user, 60 * MIB, allocation), VIDMM_OK);
    assert_true(world->roots_set > sets);
    assert_true(world_translate(world_process(world, 1), 60 * MIB).valid);
    end(&user);
}

/* The map of a second context's allocation may move the root under the first one. */
static void contexts_of_a_process_have_their_own(void **state) {
    struct user user;
    struct vidmm_context *second;
    (void)state;
    begin(2, &user);
    assert_int_equal(vidmm_context_create(user.device, 0, 1, &second), VIDMM_OK);
    assert_int_not_equal(own[0].va, own[1].va);
    expect_bytes(&own[1], world_process(world, 1), own[1].byte);
    vidmm_context_destroy(second);
    assert_int_equal(submit(&user), VIDMM_OK);
    expect_bytes(&own[0], world_process(world, 1), own[0].byte);
    end(&user);
}

static void its_addresses_go_with_it(void **state) {
    struct user user;
    (void)state;
    begin(3, &user);
    uint64_t va = own[0].va;
    struct vidmm_allocation *allocation = allocate(&user), *found;
    uint64_t offset;
    assert_true(vidmm_process_lookup(user.process, va, &found, &offset));
    vidmm_context_destroy(user.context);
    assert_false(vidmm_process_lookup(user.process, va, &found, &offset));
    assert_int_equal(map_at(&user, va, allocation), VIDMM_OK);
    end(&user);
}

/* Its context allocations are resident when it runs, but have no addresses. */
static void a_device_without_a_process_has_no_addresses(void **state) {
    struct vidmm_device *device;
    struct vidmm_context *context;
    struct user user;
    (void)state;
    begin(3, &user);
    assert_int_equal(vidmm_device_create(world->adapter, &device), VIDMM_OK);
    assert_int_equal(vidmm_context_create(device, 0, 0, &context), VIDMM_DRIVER_REFUSED);
    vidmm_device_destroy(device);
    end(&user);
}

/* All addresses of the process are taken. */
static void take_addresses(const struct user *user) {
    for (uint64_t size = 64 * MIB, va; size >= WIDE; size /= 2) {
        const struct vidmm_va_request request = {.size = size};
        while (vidmm_va_reserve(user->process, &request, &va) == VIDMM_OK)
            continue;
    }
}

/* The driver passes on what its callback was told: it had no part in that. */
static void a_creation_that_lacks_room_is_not_the_drivers_refusal(void **state) {
    struct user user = {NULL, NULL, NULL, NULL};
    struct vidmm_error error;
    (void)state;
    prepare(3);
    assert_int_equal(world_start(world), VIDMM_OK);
    assert_int_equal(vidmm_process_create(world->adapter, &user.process), VIDMM_OK);
    assert_int_equal(vidmm_process_device_create(user.process, &user.device), VIDMM_OK);
    take_addresses(&user);
    assert_int_equal(vidmm_context_create(user.device, 0, 0, &user.context), VIDMM_DOES_NOT_FIT);
    vidmm_last_error(world->adapter, &error);
    assert_int_equal(error.status, VIDMM_DOES_NOT_FIT);
    end(&user);
}

static void odd_requests_are_refused(void **state) {
    DXGKARGCB_UPDATECONTEXTALLOCATION nothing = {.PrivateDriverDataSize = 8};
    struct user user;
    (void)state;
    begin(3, &user);
    HANDLE allocation = own[0].allocation;
    assert_int_equal(map_own(own[0].va, 0, 1, allocation, false), 0); /* is taken */
    assert_int_equal(map_own(0, 0, 0, allocation, false), 0);
    assert_int_equal(map_own(0, OWN_PAGES, 1, allocation, false), 0);
    assert_int_equal(map_own(0, 1, OWN_PAGES, allocation, false), 0);
    assert_int_equal(map_own(0, UINT64_MAX, UINT64_MAX, allocation, false), 0);
    assert_int_equal(map_own(0, 0, 1, &user, false), 0);
    assert_int_equal(map_own(8 * MIB, 1, 1, allocation, false), 8 * MIB);
    nothing.hAllocation = allocation;
    assert_int_equal(vidmm_context_allocation_update(world->adapter, &nothing, false),
                     STATUS_INVALID_PARAMETER);
    nothing.PrivateDriverDataSize = 0;
    nothing.hAllocation = &user;
    assert_int_equal(vidmm_context_allocation_update(world->adapter, &nothing, false),
                     STATUS_INVALID_PARAMETER);
    end(&user);
}

static void fail_each(void) {
    for (uint64_t n = 1;; n++) {
        struct user user = {NULL, NULL, NULL, NULL};
        prepare(2);
        assert_int_equal(world_start(world), VIDMM_OK);
        world->system.calls = 0;
        world->system.fail_at = n;
        enum vidmm_status status = open(&user);
        if (status == VIDMM_OK)
            status = submit(&user);
        bool failed = world->system.calls >= n;
        world->system.fail_at = 0;
        assert_true(failed || (status == VIDMM_OK && !own[0].refused));
        end(&user);
        if (!failed)
            return;
    }
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    fail_each();
}

static void what_the_cpu_is_to_see_comes_with_its_address_or_not_at_all(void **state) {
    (void)state;
    protected_own = true;
    fail_each();
    protected_own = false;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* With three levels an entry of the root covers 2 MiB. */
#define UNIT (2 * MIB)

static void a_driver_has_its_range_to_itself(void **state) {
    struct user user = {NULL, NULL, NULL, NULL};
    uint64_t va;
    (void)state;
    prepare(3);
    assert_int_equal(world_start(world), VIDMM_OK);
    wish.size = 2 * UNIT;
    assert_int_equal(open(&user), VIDMM_OK);
    assert_int_equal(wish.answer, STATUS_SUCCESS);
    assert_int_equal(wish.start, UNIT); /* not entry 0 */
    struct vidmm_allocation *allocation = allocate(&user);
    assert_int_equal(map_at(&user, wish.start + PAGE, allocation), VIDMM_BAD_ARGUMENT);
    assert_int_equal(map_at(&user, wish.start - PAGE, allocation), VIDMM_OK);
    assert_int_equal(map_at(&user, wish.start, NULL), VIDMM_BAD_ARGUMENT);
    struct vidmm_va_request request = {.base = wish.start, .size = WIDE};
    assert_int_equal(vidmm_va_reserve(user.process, &request, &va), VIDMM_BAD_ARGUMENT);
    assert_int_equal(vidmm_va_free(user.process, wish.start, WIDE), VIDMM_BAD_ARGUMENT);
    assert_false(world_walk(world_process(world, 1), wish.start).valid); /* R258 */
    end(&user);
}

/* The root of two levels has the entries, though nothing is mapped there. */
static void the_root_covers_what_is_reserved(void **state) {
    struct user user = {NULL, NULL, NULL, NULL};
    (void)state;
    prepare(2);
    assert_int_equal(world_start(world), VIDMM_OK);
    wish.size = 1 * MIB;
    wish.base = 48 * MIB;
    assert_int_equal(open(&user), VIDMM_OK);
    assert_int_equal(wish.start, 48 * MIB);
    assert_true(world_process(world, 1)->entries >= 49 * MIB >> 18);
    assert_int_equal(submit(&user), VIDMM_OK);
    end(&user);
}

static void a_shared_range_may_be_mapped_and_stays_reserved(void **state) {
    struct user user = {NULL, NULL, NULL, NULL};
    (void)state;
    prepare(3);
    assert_int_equal(world_start(world), VIDMM_OK);
    wish.size = UNIT;
    wish.alignment = 4 * UNIT;
    wish.shared = true;
    assert_int_equal(open(&user), VIDMM_OK);
    assert_int_equal(wish.start, 4 * UNIT);
    struct vidmm_allocation *allocation = allocate(&user), *found;
    uint64_t va, offset, fence;
    assert_int_equal(vidmm_make_resident(user.queue, &allocation, 1, 0, &fence, NULL), VIDMM_OK);
    assert_int_equal(map_at(&user, wish.start, allocation), VIDMM_OK);
    assert_true(world_translate(world_process(world, 1), wish.start).valid);
    assert_int_equal(vidmm_va_free(user.process, wish.start, PAGE), VIDMM_OK);
    assert_false(world_translate(world_process(world, 1), wish.start).valid);
    assert_false(vidmm_process_lookup(user.process, wish.start, &found, &offset));
    struct vidmm_va_request request = {.base = wish.start, .size = WIDE};
    assert_int_equal(vidmm_va_reserve(user.process, &request, &va), VIDMM_BAD_ARGUMENT);
    end(&user);
}

static void expect_answer(uint64_t size, uint64_t base, uint32_t alignment, NTSTATUS answer) {
    struct vidmm_process *process;
    wish.size = size;
    wish.base = base;
    wish.alignment = alignment;
    assert_int_equal(vidmm_process_create(world->adapter, &process), VIDMM_OK);
    assert_int_equal(wish.answer, answer);
    vidmm_process_destroy(process);
}

static void ranges_are_whole_entries_of_the_root(void **state) {
    (void)state;
    prepare(3);
    assert_int_equal(world_start(world), VIDMM_OK);
    expect_answer(UNIT, 0, 0, STATUS_SUCCESS);
    expect_answer(UNIT + PAGE, 0, 0, STATUS_INVALID_PARAMETER); /* R260 */
    expect_answer(UNIT, UNIT / 2, 0, STATUS_INVALID_PARAMETER);
    expect_answer(UNIT, 0, (uint32_t)PAGE, STATUS_INVALID_PARAMETER);
    expect_answer(UNIT, 0, (uint32_t)(3 * UNIT), STATUS_INVALID_PARAMETER);
    expect_answer(UINT64_C(1) << 40, 0, 0, STATUS_CONFLICTING_ADDRESSES);
    expect_answer(UNIT, UINT64_C(1) << 40, 0, STATUS_CONFLICTING_ADDRESSES);
    world_end(world);
}

static void a_range_is_reserved_while_its_process_is_made(void **state) {
    struct user user;
    (void)state;
    begin(3, &user);
    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE late = {.hDxgkProcess = user.process,
                                                    .SizeInBytes = UNIT};
    assert_int_equal(vidmm_driver_reserve(world->adapter, &late), STATUS_INVALID_PARAMETER);
    end(&user);
}

static void the_paging_process_has_ranges_too(void **state) {
    struct user user = {NULL, NULL, NULL, NULL};
    (void)state;
    for (uint32_t levels = 2; levels <= 3; levels++) {
        prepare(levels);
        world->version = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
        world->paging_megabytes = 8; /* leaves something behind the manager's own */
        system_too = true;
        wish.size = 4 * MIB;
        assert_int_equal(world_start(world), VIDMM_OK);
        assert_int_equal(wish.answer, STATUS_SUCCESS);
        assert_true(wish.start >= 16 * MIB);
        assert_false(world_walk(world_process(world, 0), wish.start).valid);
        wish.size = 0;
        assert_int_equal(open(&user), VIDMM_OK);
        assert_int_equal(submit(&user), VIDMM_OK);
        end(&user);
    }
}

/* With three levels the root has all entries from the start. */
static void the_system_device_may_reserve_for_it(void **state) {
    struct user user = {NULL, NULL, NULL, NULL};
    (void)state;
    prepare(3);
    world->version = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
    world->paging_megabytes = 8;
    late = true;
    wish.size = 4 * MIB;
    assert_int_equal(world_start(world), VIDMM_OK);
    assert_int_equal(wish.answer, STATUS_SUCCESS);
    assert_true(wish.start >= 16 * MIB);
    assert_int_equal(open(&user), VIDMM_OK); /* where it is too late */
    assert_int_equal(wish.answer, STATUS_INVALID_PARAMETER);
    assert_int_equal(submit(&user), VIDMM_OK);
    end(&user);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_is_complete_when_it_returns),
        cmocka_unit_test(an_update_comes_from_any_thread),
        cmocka_unit_test(content_and_addresses_follow_the_allocation),
        cmocka_unit_test(what_a_reset_loses_is_initialised_again),
        cmocka_unit_test(an_update_survives_a_hang),
        cmocka_unit_test(no_reset_is_inside_another_call),
        cmocka_unit_test(a_root_that_moves_is_told_to_the_context),
        cmocka_unit_test(nothing_is_mapped_while_a_root_moves),
        cmocka_unit_test(contexts_of_a_process_have_their_own),
        cmocka_unit_test(its_addresses_go_with_it),
        cmocka_unit_test(a_device_without_a_process_has_no_addresses),
        cmocka_unit_test(a_creation_that_lacks_room_is_not_the_drivers_refusal),
        cmocka_unit_test(odd_requests_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(what_the_cpu_is_to_see_comes_with_its_address_or_not_at_all),
        cmocka_unit_test(a_driver_has_its_range_to_itself),
        cmocka_unit_test(the_root_covers_what_is_reserved),
        cmocka_unit_test(a_shared_range_may_be_mapped_and_stays_reserved),
        cmocka_unit_test(ranges_are_whole_entries_of_the_root),
        cmocka_unit_test(a_range_is_reserved_while_its_process_is_made),
        cmocka_unit_test(the_paging_process_has_ranges_too),
        cmocka_unit_test(the_system_device_may_reserve_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
