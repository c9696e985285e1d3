/*
 * iommu_test.c - the CPU's addresses on the GPU: what a board behind an IOMMU does with a PASID,
 * first with the hardware alone, then through the reference driver and the host's IOMMU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fixture/board.h"
#include "fixture/fixture.h"

/* ---- The hardware ---------------------------------------------------------------------------- */

#define SHARED  (GPU_DOORBELL_SHARED | GPU_DOORBELL_RENDER)
#define PROCESS UINT64_C(0x7f0000000000) /* where a process has its memory */
#define SPACE   77u

/* Process n has 1 MiB, in pages of which no two follow each other in RAM. */
static uint64_t page_of(uint32_t pasid, uint64_t page) {
    return RAM_BASE + (uint64_t)pasid * MIB + page * 2 % 256 * GPU_PAGE + page / 128 * GPU_PAGE;
}

static void *translate(void *ctx, uint32_t pasid, uint64_t va, size_t *size) {
    struct board *board = ctx;
    uint64_t at = va - PROCESS, left = GPU_PAGE - va % GPU_PAGE;
    if (pasid == 0 || pasid > 7 || va < PROCESS || at >= MIB)
        return NULL;
    if (*size > left)
        *size = (size_t)left;
    return board_at(board, page_of(pasid, at / GPU_PAGE) + va % GPU_PAGE);
}

static void make(struct board *board) {
    *board = (struct board){.setting = {{"Iommu", 1}}, .iommu = translate};
    assert_true(board_make(board));
    assert_int_equal(board_read(board, GPU_REG_IOMMU), 1);
}

/* Puts commands where the process has `va`, a page at a time, and queues them. */
static void queue(struct board *board, uint32_t pasid, uint64_t va, const void *commands,
                  uint32_t size) {
    const unsigned char *from = commands;
    for (uint32_t done = 0; done < size;) {
        size_t part = size - done;
        void *to = translate(board, pasid, va + done, &part);
        memcpy(to, from + done, part);
        done += (uint32_t)part;
    }
    board_write(board, GPU_ENGINE(0) + GPU_ENGINE_PASID, pasid);
    board_write(board, GPU_ENGINE(0) + GPU_ENGINE_SPACE, SPACE);
    board_queue(board, 0, va, size, SHARED);
}

static struct gpu_fill fill(uint64_t va, uint64_t bytes, uint32_t pattern) {
    return (struct gpu_fill){.head = {GPU_FILL, 0, sizeof(struct gpu_fill)},
                             .pattern = pattern,
                             .destination = va,
                             .bytes = bytes};
}

/* Both the commands and what they write lie across pages that are far from each other. */
static void a_shared_submission_uses_the_addresses_of_its_process(void **state) {
    struct board board;
    (void)state;
    make(&board);
    for (uint32_t pasid = 1; pasid <= 2; pasid++) {
        const struct gpu_fill command = fill(PROCESS + 3 * GPU_PAGE + 16, 3 * GPU_PAGE, pasid);
        queue(&board, pasid, PROCESS + GPU_PAGE - 8, &command, sizeof(command));
        assert_true(board_finish(&board, 0));
    }
    for (uint32_t pasid = 1; pasid <= 2; pasid++)
        for (uint64_t at = 3 * GPU_PAGE; at < 7 * GPU_PAGE; at += 4) {
            size_t four = 4;
            const uint32_t *word = translate(&board, pasid, PROCESS + at, &four);
            bool inside = at >= 3 * GPU_PAGE + 16 && at < 6 * GPU_PAGE + 16;
            assert_int_equal(*word, inside ? pasid : 0);
        }
    board_drop(&board);
}

static void what_the_iommu_refuses_is_a_page_fault(void **state) {
    struct board board;
    (void)state;
    make(&board);
    const struct gpu_fill command = fill(PROCESS + MIB - 64, 128, 1);
    queue(&board, 3, PROCESS, &command, sizeof(command));
    assert_false(board_finish(&board, 0));
    uint32_t engine = GPU_ENGINE(0);
    assert_int_equal(board_read(&board, engine + GPU_ENGINE_FAULT), GPU_FAULT_IOMMU);
    assert_int_equal(board_read64(&board, engine + GPU_ENGINE_FAULT_VA), PROCESS + MIB);
    assert_int_equal(board_read(&board, engine + GPU_ENGINE_FAULT_ACCESS), GPU_ACCESS_WRITE);
    assert_int_equal(board_read(&board, engine + GPU_ENGINE_FAULT_SPACE), SPACE);
    assert_int_equal(board_read(&board, engine + GPU_ENGINE_STATE), GPU_STATE_HALTED);
    board_write(&board, engine + GPU_ENGINE_STATE, 1);
    /* A PASID without a process: not even the commands can be read. */
    board_write(&board, engine + GPU_ENGINE_PASID, 8);
    board_queue(&board, 0, PROCESS, sizeof(command), SHARED);
    assert_false(board_finish(&board, 0));
    assert_int_equal(board_read(&board, engine + GPU_ENGINE_FAULT), GPU_FAULT_IOMMU);
    assert_int_equal(board_read(&board, engine + GPU_ENGINE_FAULT_ACCESS), GPU_ACCESS_EXECUTE);
    board_drop(&board);
}

/* Whatever is done by physical address, to tables or to apertures. */
static void a_shared_submission_holds_no_privileged_commands(void **state) {
    struct board board;
    (void)state;
    make(&board);
    for (uint16_t opcode = 0; opcode < GPU_OPCODES; opcode++) {
        bool privileged = opcode == GPU_MAP || opcode == GPU_UNMAP ||
                          (opcode >= GPU_RANGE_BACK && opcode != GPU_SIGNAL);
        unsigned char commands[128] = {0};
        const struct gpu_command head = {opcode, 0, sizeof(commands)};
        memcpy(commands, &head, sizeof(head));
        if (!privileged)
            continue;
        queue(&board, 1, PROCESS, commands, sizeof(commands));
        assert_false(board_finish(&board, 0));
        assert_int_equal(board_read(&board, GPU_ENGINE(0) + GPU_ENGINE_FAULT), GPU_FAULT_COMMAND);
    }
    struct gpu_fill physical = fill(RAM_BASE, 64, 1);
    physical.head.flags = GPU_FLAG_PHYSICAL;
    queue(&board, 1, PROCESS, &physical, sizeof(physical));
    assert_false(board_finish(&board, 0));
    board_drop(&board);
}

/* A monitored fence is a store like any other. */
static void a_process_is_signalled_in_its_own_memory(void **state) {
    struct board board;
    const struct gpu_signal signal = {
        .head = {GPU_SIGNAL, 0, sizeof(signal)}, .address = PROCESS + 4096, .value = 99};
    size_t eight = 8;
    (void)state;
    make(&board);
    queue(&board, 5, PROCESS, &signal, sizeof(signal));
    assert_true(board_finish(&board, 0));
    assert_int_equal(*(uint64_t *)translate(&board, 5, PROCESS + 4096, &eight), 99);
    board_drop(&board);
}

static void assert_ignored(struct board *board, uint32_t doorbell) {
    board_queue(board, 0, PROCESS, 64, doorbell);
    assert_int_equal(board_read(board, GPU_ENGINE(0) + GPU_ENGINE_QUEUED), 0);
}

static void doorbells_that_mean_nothing_are_not_heard(void **state) {
    struct board board;
    (void)state;
    make(&board);
    assert_ignored(&board, GPU_DOORBELL_SHARED | GPU_DOORBELL_PAGING);
    assert_ignored(&board, SHARED | GPU_DOORBELL_VIRTUAL);
    assert_ignored(&board, GPU_DOORBELL_SHARED);
    board_drop(&board);
    for (int strap = 0; strap < 2; strap++) { /* no platform with an IOMMU; no board for it */
        board = (struct board){.setting = {{"Iommu", (uint64_t)(strap == 0)}},
                               .iommu = strap == 0 ? NULL : translate};
        assert_true(board_make(&board));
        assert_int_equal(board_read(&board, GPU_REG_IOMMU), 0);
        assert_ignored(&board, SHARED);
        board_drop(&board);
    }
}

/* ---- The driver ------------------------------------------------------------------------------ */

#define TOKEN ((HANDLE)(uintptr_t)0x1234)
#define PAGES 16u

/* A process of the fixture with one context, and pages of its own behind the host's IOMMU. */
struct process {
    struct fixture fixture;
    ULONG pasid;
    HANDLE handle, device, context;
    DXGK_CONTEXTINFO_CAPS caps;
    PMDL mdl;
    uint64_t va;
};

static void make_context(struct process *process) {
    const struct fixture *fixture = &process->fixture;
    DXGKARG_CREATEPROCESS made = {.hDxgkProcess = TOKEN, .NumPasid = 1, .pPasid = &process->pasid};
    assert_int_equal(fixture->ddi->DxgkDdiCreateProcess(fixture->adapter, &made), STATUS_SUCCESS);
    process->handle = made.hKmdProcess;
    DXGKARG_CREATEDEVICE device = {
        .hDevice = TOKEN, .Pasid = process->pasid, .hKmdProcess = process->handle};
    assert_int_equal(fixture->ddi->DxgkDdiCreateDevice(fixture->adapter, &device), STATUS_SUCCESS);
    process->device = device.hDevice;
    DXGKARG_CREATECONTEXT context = {.hContext = TOKEN, .EngineAffinity = 1};
    context.Flags.VirtualAddressing = 1;
    assert_int_equal(fixture->ddi->DxgkDdiCreateContext(process->device, &context), STATUS_SUCCESS);
    process->context = context.hContext;
    process->caps = context.ContextInfo.Caps;
}

static void open_process(struct process *process) {
    const struct vidmm_host_setting setting = {"Iommu", 1};
    memset(process, 0, sizeof(*process));
    fixture_open(&process->fixture, &setting, 1);
    const struct vidmm_os *os = process->fixture.os;
    process->pasid = os->iommu->attach(os->ctx);
    process->mdl = os->pages_alloc(os->ctx, PAGES, VIDMM_PAGES_CACHED, UINT64_MAX);
    process->va = os->iommu->map(os->ctx, process->pasid, process->mdl);
    assert_int_not_equal(process->va, 0);
    os->iommu->show(os->ctx, process->pasid, process->va, true);
    make_context(process);
}

static void close_process(struct process *process) {
    const struct fixture *fixture = &process->fixture;
    const struct vidmm_os *os = fixture->os;
    assert_int_equal(fixture->ddi->DxgkDdiDestroyContext(process->context), STATUS_SUCCESS);
    assert_int_equal(fixture->ddi->DxgkDdiDestroyDevice(process->device), STATUS_SUCCESS);
    assert_int_equal(fixture->ddi->DxgkDdiDestroyProcess(fixture->adapter, process->handle),
                     STATUS_SUCCESS);
    os->iommu->unmap(os->ctx, process->pasid, process->va);
    os->iommu->detach(os->ctx, process->pasid);
    os->pages_free(os->ctx, process->mdl);
    fixture_close(&process->fixture);
}

static void submit(struct process *process, uint64_t commands, uint32_t size) {
    struct fixture *fixture = &process->fixture;
    const DXGKARG_SUBMITCOMMANDVIRTUAL args = {.hContext = process->context,
                                               .DmaBufferVirtualAddress = commands,
                                               .DmaBufferSize = size,
                                               .SubmissionFenceId = ++fixture->fence};
    assert_int_equal(fixture->ddi->DxgkDdiSubmitCommandVirtual(fixture->adapter, &args),
                     STATUS_SUCCESS);
    vidmm_host_run(fixture->host);
}

static void the_driver_says_what_it_has(void **state) {
    struct process process;
    DXGK_DRIVERCAPS caps = {0};
    const DXGKARG_QUERYADAPTERINFO query = {
        .Type = DXGKQAITYPE_DRIVERCAPS, .pOutputData = &caps, .OutputDataSize = sizeof(caps)};
    struct fixture_segment segment[8];
    (void)state;
    open_process(&process);
    const struct fixture *fixture = &process.fixture;
    assert_int_equal(fixture->ddi->DxgkDdiQueryAdapterInfo(fixture->adapter, &query),
                     STATUS_SUCCESS);
    assert_int_equal(caps.MemoryManagementCaps.VirtualAddressingSupported, 1);
    assert_int_equal(caps.MemoryManagementCaps.IoMmuSupported, 1);
    assert_int_equal(caps.MemoryManagementCaps.GpuMmuSupported, 0);
    assert_int_equal(process.caps.UseIoMmu, 1);
    assert_int_equal(fixture_segments(&process.fixture, segment, 8), 1); /* the aperture */
    close_process(&process);
}

/* The same pointer on both sides, though the pages are scattered. */
static void cpu_and_gpu_use_the_same_pointer(void **state) {
    struct process process;
    (void)state;
    open_process(&process);
    const struct vidmm_os *os = process.fixture.os;
    uint32_t *cpu = os->pages_map(os->ctx, process.mdl);
    assert_int_equal((uintptr_t)cpu, process.va);
    const struct vidmm_umd_fill packet = {.head = {VIDMM_UMD_PACKET_FILL, 0, sizeof(packet)},
                                          .pattern = 0xabcd,
                                          .destination = process.va + FIXTURE_PAGE,
                                          .bytes = (PAGES - 1) * FIXTURE_PAGE};
    memcpy(cpu, &packet, sizeof(packet));
    submit(&process, (uintptr_t)cpu, sizeof(packet));
    assert_int_equal(process.fixture.completed, process.fixture.fence);
    for (uint32_t i = FIXTURE_PAGE / 4; i < PAGES * FIXTURE_PAGE / 4; i++)
        assert_int_equal(cpu[i], 0xabcd);
    close_process(&process);
}

static void a_fault_names_the_process_and_the_iommu(void **state) {
    struct process process;
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = 0};
    (void)state;
    open_process(&process);
    const struct vidmm_os *os = process.fixture.os;
    os->iommu->show(os->ctx, process.pasid, process.va, false);
    submit(&process, process.va, 64);
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notified = &process.fixture.notified;
    assert_int_equal(notified->InterruptType, DXGK_INTERRUPT_DMA_PAGE_FAULTED);
    assert_int_equal(notified->DmaPageFaulted.FaultedVirtualAddress, process.va);
    assert_int_equal(notified->DmaPageFaulted.PageFaultFlags,
                     DXGK_PAGE_FAULT_IOMMU | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    assert_ptr_equal(notified->DmaPageFaulted.FaultedProcessHandle, TOKEN);
    assert_int_equal(process.fixture.ddi->DxgkDdiResetEngine(process.fixture.adapter, &reset),
                     STATUS_SUCCESS);
    close_process(&process);
}

/* Without a PASID there is no address space that the context could use. */
static void a_device_without_a_process_gets_no_virtual_context(void **state) {
    const struct vidmm_host_setting setting = {"Iommu", 1};
    static struct fixture fixture;
    (void)state;
    fixture_open(&fixture, &setting, 1);
    DXGKARG_CREATEDEVICE device = {.hDevice = TOKEN};
    assert_int_equal(fixture.ddi->DxgkDdiCreateDevice(fixture.adapter, &device), STATUS_SUCCESS);
    DXGKARG_CREATECONTEXT context = {.hContext = TOKEN, .EngineAffinity = 1};
    context.Flags.VirtualAddressing = 1;
    assert_int_equal(fixture.ddi->DxgkDdiCreateContext(device.hDevice, &context),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(fixture.ddi->DxgkDdiDestroyDevice(device.hDevice), STATUS_SUCCESS);
    fixture_close(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_submission_uses_the_addresses_of_its_process),
        cmocka_unit_test(what_the_iommu_refuses_is_a_page_fault),
        cmocka_unit_test(a_shared_submission_holds_no_privileged_commands),
        cmocka_unit_test(a_process_is_signalled_in_its_own_memory),
        cmocka_unit_test(doorbells_that_mean_nothing_are_not_heard),
        cmocka_unit_test(the_driver_says_what_it_has),
        cmocka_unit_test(cpu_and_gpu_use_the_same_pointer),
        cmocka_unit_test(a_fault_names_the_process_and_the_iommu),
        cmocka_unit_test(a_device_without_a_process_gets_no_virtual_context),
    };
    return cmocka_run_group_tests_name("iommu", tests, NULL, NULL);
}
