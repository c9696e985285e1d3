/*
 * linked_test.c - two devices behind one logical adapter, between a manager and a driver by hand:
 * each rule of linked adapters is kept by the one who does right, and broken by the one who does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/referee.h>

#define PAGE      4096u
#define TABLES    1u /* the segment of page tables */
#define APERTURE  2u
#define SEGMENTS  2u
#define ROOT      (1u * PAGE)
#define LEAF      (2u * PAGE)
#define ELSEWHERE (7u * PAGE)
#define BAR_BYTES (UINT64_C(16) << 20)

/* What the driver answers; a test spoils it. */
struct board {
    ULONG chain, links;
    BOOLEAN lead;
    WORD nodes;
    HANDLE handle; /* DxgkPhysicalAdapterHandle */
    UINT address_bits;
    uint64_t bar;
};

static struct fixture {
    struct vidmm_ledger ledger;
    struct vidmm_referee *referee;
    DRIVER_INITIALIZATION_DATA table;
    DXGKRNL_INTERFACE callbacks[2];
    struct board board[2];
    uint32_t added, created;
    bool narrow;              /* the driver reads the two members of a level as one */
    bool no_second;           /* and has no memory for a second device */
    bool any_index;           /* and answers for adapters that there are not */
    uint8_t process;          /* its address is the driver's handle */
    UINT home;                /* of the next allocation */
    uint32_t answer_physical; /* whose memory the MMU says that entries lead to */
} f;

/* ---- The driver ------------------------------------------------------------------------------ */

static NTSTATUS APIENTRY add_device(const PDEVICE_OBJECT object, PVOID *context) {
    (void)object;
    if (f.no_second && f.added == 1)
        return STATUS_NO_MEMORY;
    *context = &f.board[f.added++];
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY link_device(const PDEVICE_OBJECT object, const PVOID context,
                                     PLINKED_DEVICE answer) {
    const struct board *board = context;
    (void)object;
    answer->ChainUid = board->chain;
    answer->NumberOfLinksInChain = board->links;
    answer->LeadLink = board->lead;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY start_device(const PVOID context, PDXGK_START_INFO info,
                                      PDXGKRNL_INTERFACE callbacks, PULONG sources,
                                      PULONG children) {
    (void)context;
    (void)info;
    (void)callbacks;
    *sources = *children = 0;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY stop_device(const PVOID context) {
    (void)context;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY remove_device(const PVOID context) {
    (void)context;
    return STATUS_SUCCESS;
}

static NTSTATUS query_segments(const struct board *board, DXGK_QUERYSEGMENTOUT4 *out) {
    DXGK_SEGMENTDESCRIPTOR4 segment;
    out->NbSegment = SEGMENTS;
    if (!out->pSegmentDescriptor)
        return STATUS_SUCCESS;
    out->PagingBufferSegmentId = 0;
    out->PagingBufferSize = PAGE;
    out->PagingBufferPrivateDataSize = 0;
    memset(&segment, 0, sizeof(segment));
    segment.Flags.CpuVisible = segment.Flags.PreservedDuringStandby = 1;
    segment.BaseAddress.QuadPart = 0x10000000;
    segment.Size = segment.CommitLimit = BAR_BYTES;
    segment.CpuTranslatedAddress.QuadPart = (LONGLONG)board->bar;
    memcpy(out->pSegmentDescriptor, &segment, sizeof(segment));
    memset(&segment, 0, sizeof(segment));
    segment.Flags.Aperture = 1;
    segment.BaseAddress.QuadPart = 0x20000000;
    segment.Size = segment.CommitLimit = BAR_BYTES;
    memcpy(out->pSegmentDescriptor + out->SegmentDescriptorStride, &segment, sizeof(segment));
    return STATUS_SUCCESS;
}

static NTSTATUS query_level(const DXGK_QUERYPAGETABLELEVELDESCIN *in,
                            DXGK_PAGE_TABLE_LEVEL_DESC *level) {
    uint32_t index = in->LevelIndex;
    if (f.narrow)
        memcpy(&index, in, sizeof(index));
    if (index > 1)
        return STATUS_INVALID_PARAMETER;
    level->PageTableIndexBitCount = 9;
    level->PageTableSizeInBytes = PAGE;
    level->PageTableSegmentId = level->PagingProcessPageTableSegmentId = TABLES;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    UINT index = *(const UINT *)args->pInputData;
    (void)adapter;
    if (args->Type == DXGKQAITYPE_PAGETABLELEVELDESC)
        return query_level(args->pInputData, args->pOutputData);
    if (index > 1 && !f.any_index)
        return STATUS_INVALID_PARAMETER;
    const struct board *board = &f.board[index & 1];
    if (args->Type == DXGKQAITYPE_QUERYSEGMENT4)
        return query_segments(board, args->pOutputData);
    if (args->Type == DXGKQAITYPE_GPUMMUCAPS) {
        DXGK_GPUMMUCAPS *caps = args->pOutputData;
        caps->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
        caps->VirtualAddressBitCount = board->address_bits;
        caps->PageTableLevelCount = 2;
    } else {
        DXGK_PHYSICALADAPTERCAPS *caps = args->pOutputData;
        caps->NumExecutionNodes = board->nodes;
        caps->DxgkPhysicalAdapterHandle = board->handle;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_process(const HANDLE adapter, DXGKARG_CREATEPROCESS *args) {
    (void)adapter;
    args->hKmdProcess = &f.process;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_device(const HANDLE adapter, DXGKARG_CREATEDEVICE *args) {
    (void)adapter;
    args->hDevice = (HANDLE)(uintptr_t)(0x1000 + ++f.created);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_context(const HANDLE device, DXGKARG_CREATECONTEXT *args) {
    (void)device;
    args->hContext = (HANDLE)(uintptr_t)(0x1000 + ++f.created);
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY create_allocation(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    (void)adapter;
    args->pAllocationInfo->hAllocation = (HANDLE)(uintptr_t)(0x1000 + ++f.created);
    args->pAllocationInfo->Size = PAGE;
    args->pAllocationInfo->SupportedWriteSegmentSet = 1;
    args->pAllocationInfo->AllocationPriority = 1;
    args->pAllocationInfo->PhysicalAdapterIndex = f.home;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    (void)adapter;
    if (args->pDmaBuffer)
        args->pDmaBuffer = (uint8_t *)args->pDmaBuffer + 64;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMANDVIRTUAL *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY submit_physical(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static VOID APIENTRY set_root(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *args) {
    (void)adapter;
    (void)args;
}

static NTSTATUS APIENTRY reset_engine(const HANDLE adapter, DXGKARG_RESETENGINE *args) {
    (void)adapter;
    (void)args;
    return STATUS_UNSUCCESSFUL;
}

static NTSTATUS APIENTRY map_host(const HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *args) {
    (void)adapter;
    (void)args;
    return STATUS_SUCCESS;
}

static VOID APIENTRY notify(const HANDLE handle, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data) {
    (void)handle;
    (void)data;
}

static VOID APIENTRY notify_dpc(const HANDLE handle) {
    (void)handle;
}

/* ---- The world ------------------------------------------------------------------------------- */

static bool translate(void *ctx, uint32_t physical, uint64_t root, uint32_t entries, uint64_t va,
                      struct vidmm_referee_translation *out) {
    (void)ctx;
    (void)physical;
    (void)root;
    (void)entries;
    *out = (struct vidmm_referee_translation){
        .valid = va < PAGE, .physical = f.answer_physical, .address = 0x10000000 + 9 * PAGE};
    return true;
}

/* ---- The manager ----------------------------------------------------------------------------- */

static void *context_of(uint32_t index) {
    return &f.board[index];
}

static void link_board(uint32_t index) {
    LINKED_DEVICE answer;
    memset(&answer, 0, sizeof(answer));
    assert_int_equal(f.table.DxgkDdiLinkDevice(NULL, context_of(index), &answer), STATUS_SUCCESS);
}

static void add(void) {
    PVOID context = NULL;
    assert_int_equal(f.table.DxgkDdiAddDevice(NULL, &context), STATUS_SUCCESS);
}

static void start(uint32_t index) {
    ULONG sources, children;
    vidmm_referee_wrap_callbacks(f.referee, &f.callbacks[index]);
    assert_int_equal(f.table.DxgkDdiStartDevice(context_of(index), NULL, &f.callbacks[index],
                                                &sources, &children),
                     STATUS_SUCCESS);
}

static NTSTATUS ask(DXGK_QUERYADAPTERINFOTYPE type, void *in, void *out, UINT size) {
    const DXGKARG_QUERYADAPTERINFO args = {.Type = type,
                                           .pInputData = in,
                                           .InputDataSize = sizeof(UINT),
                                           .pOutputData = out,
                                           .OutputDataSize = size};
    return f.table.DxgkDdiQueryAdapterInfo(NULL, &args);
}

static void ask_segments(UINT index) {
    DXGK_QUERYSEGMENTIN4 in = {.PhysicalAdapterIndex = index};
    DXGK_QUERYSEGMENTOUT4 out;
    DXGK_SEGMENTDESCRIPTOR4 segments[SEGMENTS];
    memset(&out, 0, sizeof(out));
    out.SegmentDescriptorStride = sizeof(segments[0]);
    (void)ask(DXGKQAITYPE_QUERYSEGMENT4, &in, &out, sizeof(out));
    memset(segments, 0, sizeof(segments));
    out.pSegmentDescriptor = (BYTE *)segments;
    (void)ask(DXGKQAITYPE_QUERYSEGMENT4, &in, &out, sizeof(out));
}

static void ask_mmu(WORD index) {
    DXGK_QUERYGPUMMUCAPSIN which = {.PhysicalAdapterIndex = index};
    DXGK_GPUMMUCAPS caps;
    memset(&caps, 0, sizeof(caps));
    (void)ask(DXGKQAITYPE_GPUMMUCAPS, &which, &caps, sizeof(caps));
    for (WORD level = 0; level < 2; level++) {
        DXGK_QUERYPAGETABLELEVELDESCIN in = {.LevelIndex = level, .PhysicalAdapterIndex = index};
        DXGK_PAGE_TABLE_LEVEL_DESC desc;
        memset(&desc, 0, sizeof(desc));
        (void)ask(DXGKQAITYPE_PAGETABLELEVELDESC, &in, &desc, sizeof(desc));
    }
}

static void ask_caps(UINT index) {
    DXGK_QUERYPHYSICALADAPTERCAPSIN in = {.PhysicalAdapterIndex = index};
    DXGK_PHYSICALADAPTERCAPS caps;
    memset(&caps, 0, sizeof(caps));
    (void)ask(DXGKQAITYPE_PHYSICALADAPTERCAPS, &in, &caps, sizeof(caps));
}

static void ask_all(void) {
    for (WORD i = 0; i < 2; i++) {
        ask_caps(i);
        ask_segments(i);
        ask_mmu(i);
    }
}

/* Both devices, linked, and the questions about both; the lead is board 0. */
static void bring_up(void) {
    add();
    link_board(0);
    add();
    link_board(1);
    start(1);
    start(0);
    ask_all();
}

static HANDLE make_context(UINT affinity, bool system) {
    DXGKARG_CREATEDEVICE device = {.hDevice = (HANDLE)0x8};
    device.Flags.SystemDevice = system;
    if (!system)
        device.hKmdProcess = &f.process;
    assert_int_equal(f.table.DxgkDdiCreateDevice(NULL, &device), STATUS_SUCCESS);
    DXGKARG_CREATECONTEXT args = {.EngineAffinity = affinity};
    args.Flags.SystemContext = system;
    args.Flags.VirtualAddressing = 1;
    assert_int_equal(f.table.DxgkDdiCreateContext(device.hDevice, &args), STATUS_SUCCESS);
    return args.hContext;
}

static HANDLE make_allocation(UINT home) {
    DXGK_ALLOCATIONINFO info;
    memset(&info, 0, sizeof(info));
    DXGKARG_CREATEALLOCATION args = {.NumAllocations = 1, .pAllocationInfo = &info};
    f.home = home;
    assert_int_equal(f.table.DxgkDdiCreateAllocation(NULL, &args), STATUS_SUCCESS);
    return info.hAllocation;
}

static void make_process(void) {
    DXGKARG_CREATEPROCESS process = {.hDxgkProcess = &f};
    assert_int_equal(f.table.DxgkDdiCreateProcess(NULL, &process), STATUS_SUCCESS);
}

/* By a system context of the physical adapter; without a paging buffer, so that it is done. */
static void update(HANDLE system, UINT level, uint64_t place, const DXGK_PTE *entry, UINT count) {
    DXGKARG_BUILDPAGINGBUFFER args;
    memset(&args, 0, sizeof(args));
    args.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    args.hSystemContext = system;
    args.UpdatePageTable.PageTableLevel = level;
    args.UpdatePageTable.PageTableAddress.GpuPhysical.SegmentId = TABLES;
    args.UpdatePageTable.PageTableAddress.GpuPhysical.SegmentOffset = place;
    args.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    args.UpdatePageTable.hProcess = &f.process;
    args.UpdatePageTable.pPageTableEntries = (DXGK_PTE *)(uintptr_t)entry;
    args.UpdatePageTable.NumPageTableEntries = count;
    args.UpdatePageTable.Flags.InitialUpdate = args.UpdatePageTable.Flags.Repeat = count != 1;
    assert_int_equal(f.table.DxgkDdiBuildPagingBuffer(NULL, &args), STATUS_SUCCESS);
}

static DXGK_PTE entry_of(UINT physical, UINT segment, uint64_t page) {
    DXGK_PTE entry = {.Flags = 0};
    entry.Valid = 1;
    entry.Segment = segment;
    entry.PhysicalAdapterIndex = physical;
    entry.PageAddress = page;
    return entry;
}

/* Root and leaf of the process on a physical adapter. */
static void make_tables(HANDLE system, UINT physical, uint64_t root) {
    const DXGK_PTE nothing = {.Flags = 0};
    const DXGK_PTE link = entry_of(physical, TABLES, LEAF / PAGE);
    update(system, 1, root, &nothing, 512);
    update(system, 0, LEAF, &nothing, 512);
    update(system, 1, root, &link, 1);
}

static void set_root_of(HANDLE context, uint64_t place) {
    DXGKARG_SETROOTPAGETABLE args = {.hContext = context, .NumEntries = 512};
    args.Address.SegmentId = TABLES;
    args.Address.SegmentOffset = place;
    f.table.DxgkDdiSetRootPageTable(NULL, &args);
}

static void work(HANDLE context, UINT fence) {
    DXGKARG_SUBMITCOMMANDVIRTUAL args;
    memset(&args, 0, sizeof(args));
    args.hContext = context;
    args.SubmissionFenceId = fence;
    assert_int_equal(f.table.DxgkDdiSubmitCommandVirtual(NULL, &args), STATUS_SUCCESS);
}

static void report(uint32_t device, UINT ordinal, UINT fence) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    memset(&data, 0, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = fence;
    data.DmaCompleted.EngineOrdinal = ordinal;
    f.callbacks[device].DxgkCbNotifyInterrupt(f.callbacks[device].DeviceHandle, &data);
    f.callbacks[device].DxgkCbNotifyDpc(f.callbacks[device].DeviceHandle);
}

static void fill_table(DRIVER_INITIALIZATION_DATA *table) {
    table->Version = DXGKDDI_INTERFACE_VERSION_WDDM2_1;
    table->DxgkDdiAddDevice = add_device;
    table->DxgkDdiLinkDevice = link_device;
    table->DxgkDdiStartDevice = start_device;
    table->DxgkDdiStopDevice = stop_device;
    table->DxgkDdiRemoveDevice = remove_device;
    table->DxgkDdiQueryAdapterInfo = query;
    table->DxgkDdiCreateProcess = create_process;
    table->DxgkDdiCreateDevice = create_device;
    table->DxgkDdiCreateContext = create_context;
    table->DxgkDdiCreateAllocation = create_allocation;
    table->DxgkDdiBuildPagingBuffer = build;
    table->DxgkDdiSubmitCommandVirtual = submit;
    table->DxgkDdiSubmitCommand = submit_physical;
    table->DxgkDdiSetRootPageTable = set_root;
    table->DxgkDdiResetEngine = reset_engine;
    table->DxgkDdiMapCpuHostAperture = map_host;
}

static int open_two(void **state) {
    (void)state;
    memset(&f, 0, sizeof(f));
    const struct vidmm_referee_config config = {.ledger = &f.ledger};
    f.referee = vidmm_referee_create(&config);
    fill_table(&f.table);
    for (uint32_t i = 0; i < 2; i++) {
        f.callbacks[i].DeviceHandle = &f.callbacks[i];
        f.callbacks[i].DxgkCbNotifyInterrupt = notify;
        f.callbacks[i].DxgkCbNotifyDpc = notify_dpc;
        f.board[i] = (struct board){.chain = 5,
                                    .links = 2,
                                    .lead = i == 0,
                                    .nodes = 3,
                                    .handle = &f.callbacks[i],
                                    .address_bits = 30,
                                    .bar = 0x80000000 + i * BAR_BYTES};
    }
    vidmm_referee_wrap_ddi(f.referee, &f.table);
    memset(f.ledger.broken, 0, sizeof(f.ledger.broken)); /* the table is not complete */
    return 0;
}

static int close_two(void **state) {
    (void)state;
    vidmm_referee_destroy(f.referee);
    return 0;
}

static void assert_kept(uint32_t rule) {
    assert_int_equal(f.ledger.broken[rule], 0);
    assert_true(f.ledger.kept[rule] != 0);
}

static void assert_broken(uint32_t rule) {
    assert_int_not_equal(f.ledger.broken[rule], 0);
}

/* ---- The chain ------------------------------------------------------------------------------- */

static void two_devices_that_are_linked_well_break_no_rule(void **state) {
    (void)state;
    bring_up();
    const uint32_t rules[] = {12, 90, 261, 500, 501, 502, 504, 505, 509, 511, 514};
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
        assert_kept(rules[i]);
}

static void a_device_is_linked_before_the_next_one_is_added(void **state) {
    (void)state;
    add();
    add();
    assert_broken(500);
}

static void the_device_that_was_added_last_is_the_one_that_is_linked(void **state) {
    (void)state;
    add();
    link_board(0);
    add();
    link_board(0);
    assert_broken(500);
}

static void a_second_chain_is_named(void **state) {
    (void)state;
    f.board[1].chain = 6;
    bring_up();
    assert_broken(501);
}

static void a_chain_that_counts_what_was_added_so_far_is_named(void **state) {
    (void)state;
    f.board[0].links = 1;
    bring_up();
    assert_broken(501);
}

static void a_chain_with_more_links_than_devices_is_named(void **state) {
    (void)state;
    f.board[0].links = f.board[1].links = 3;
    bring_up();
    assert_broken(501);
}

static void a_chain_that_could_not_be_added_is_not_judged(void **state) {
    PVOID context;
    (void)state;
    add();
    link_board(0);
    f.table.DxgkDdiRemoveDevice(context_of(0));
    assert_broken(501);
    close_two(state);
    open_two(state);
    f.no_second = true;
    add();
    link_board(0);
    assert_int_equal(f.table.DxgkDdiAddDevice(NULL, &context), STATUS_NO_MEMORY);
    f.table.DxgkDdiRemoveDevice(context_of(0));
    assert_int_equal(f.ledger.broken[501], 0);
}

static void a_device_that_is_not_linked_has_a_chain_of_its_own(void **state) {
    (void)state;
    for (ULONG links = 0; links < 2; links++) {
        f.board[0].links = links;
        add();
        link_board(0);
        start(0);
        assert_int_equal(f.ledger.broken[501] + f.ledger.broken[502], 0);
        close_two(state);
        open_two(state);
    }
}

static void devices_that_are_not_linked_to_each_other_have_a_lead_each(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        f.board[i].chain = i + 1;
        f.board[i].links = 1;
        f.board[i].lead = TRUE;
        add();
        link_board(i);
    }
    start(0);
    start(1);
    f.table.DxgkDdiStopDevice(context_of(1));
    assert_int_equal(f.ledger.broken[501] + f.ledger.broken[502] + f.ledger.broken[514], 0);
}

static void segments_may_be_asked_for_again_into_the_last_answer(void **state) {
    static DXGK_SEGMENTDESCRIPTOR4 segments[SEGMENTS];
    (void)state;
    add();
    link_board(0);
    for (uint32_t i = 0; i < 2; i++) {
        DXGK_QUERYSEGMENTIN4 in = {.PhysicalAdapterIndex = 0};
        DXGK_QUERYSEGMENTOUT4 out = {.SegmentDescriptorStride = sizeof(segments[0])};
        (void)ask(DXGKQAITYPE_QUERYSEGMENT4, &in, &out, sizeof(out));
        out.pSegmentDescriptor = (BYTE *)segments;
        (void)ask(DXGKQAITYPE_QUERYSEGMENT4, &in, &out, sizeof(out));
        assert_int_equal(segments[0].Size, BAR_BYTES);
    }
    assert_kept(8);
    assert_kept(10);
}

static void two_leads_and_no_lead_are_named(void **state) {
    (void)state;
    f.board[1].lead = TRUE;
    bring_up();
    assert_broken(502);
    close_two(state);
    open_two(state);
    f.board[0].lead = FALSE;
    bring_up();
    assert_broken(502);
}

static void the_lead_starts_last_and_stops_first(void **state) {
    (void)state;
    bring_up();
    f.table.DxgkDdiStopDevice(context_of(0));
    f.table.DxgkDdiStopDevice(context_of(1));
    assert_kept(514);
    start(0);
    assert_broken(514);
    start(1);
    f.ledger.broken[514] = 0;
    f.table.DxgkDdiStopDevice(context_of(1));
    assert_broken(514);
}

/* ---- Questions ------------------------------------------------------------------------------- */

static void questions_name_adapters_that_there_are(void **state) {
    (void)state;
    bring_up();
    ask_segments(2);
    assert_broken(12);
    ask_caps(2);
    assert_broken(504);
    assert_kept(515);
    f.any_index = true;
    ask_caps(2);
    assert_broken(515);
}

static void a_reset_names_an_adapter_that_there_is(void **state) {
    (void)state;
    bring_up();
    DXGKARG_RESETENGINE args = {.EngineOrdinal = 1};
    f.table.DxgkDdiResetEngine(NULL, &args);
    assert_kept(504);
    args.EngineOrdinal = 2;
    f.table.DxgkDdiResetEngine(NULL, &args);
    assert_broken(504);
}

static void each_adapter_has_the_handle_of_its_own_device(void **state) {
    (void)state;
    f.board[1].handle = &f.callbacks[0];
    bring_up();
    assert_broken(90);
}

static void a_driver_that_reads_two_words_as_one_number_is_named(void **state) {
    (void)state;
    f.narrow = true;
    bring_up();
    assert_broken(505);
}

static void adapters_of_a_link_have_as_many_nodes_and_address_bits(void **state) {
    (void)state;
    f.board[1].nodes = 2;
    f.board[1].address_bits = 40;
    bring_up();
    assert_broken(509);
    assert_broken(261);
}

static void memory_of_one_adapter_described_for_another_is_named(void **state) {
    (void)state;
    f.board[1].bar = f.board[0].bar;
    bring_up();
    assert_broken(511);
}

/* ---- Contexts, allocations, reports ---------------------------------------------------------- */

static void a_context_is_on_one_adapter_of_the_link(void **state) {
    (void)state;
    bring_up();
    (void)make_context(1, false);
    (void)make_context(2, false);
    assert_kept(506);
    (void)make_context(3, false);
    (void)make_context(4, false);
    assert_int_equal(f.ledger.broken[506], 2);
}

static void an_allocation_has_its_home_on_an_adapter_of_the_link(void **state) {
    (void)state;
    bring_up();
    (void)make_allocation(1);
    assert_kept(510);
    (void)make_allocation(64);
    assert_broken(510);
}

static void an_allocation_is_filled_where_its_home_is(void **state) {
    (void)state;
    bring_up();
    DXGKARG_BUILDPAGINGBUFFER args;
    memset(&args, 0, sizeof(args));
    args.Operation = DXGK_OPERATION_FILL;
    args.hSystemContext = make_context(2, true);
    args.Fill.hAllocation = make_allocation(1);
    args.Fill.FillSize = PAGE;
    args.Fill.Destination.SegmentId = TABLES;
    args.Fill.Destination.SegmentAddress.QuadPart = 0x10000000;
    assert_int_equal(f.table.DxgkDdiBuildPagingBuffer(NULL, &args), STATUS_SUCCESS);
    assert_kept(512);
    args.Fill.hAllocation = make_allocation(0);
    args.Fill.Destination.SegmentAddress.QuadPart = 0x10000000 + PAGE;
    assert_int_equal(f.table.DxgkDdiBuildPagingBuffer(NULL, &args), STATUS_SUCCESS);
    assert_broken(512);
}

static void the_aperture_of_the_home_shows_an_allocation(void **state) {
    (void)state;
    bring_up();
    DXGKARG_MAPCPUHOSTAPERTURE args = {
        .hAllocation = make_allocation(1), .SegmentId = TABLES, .PhysicalAdapterIndex = 1};
    f.table.DxgkDdiMapCpuHostAperture(NULL, &args);
    assert_kept(272);
    args.PhysicalAdapterIndex = 0;
    f.table.DxgkDdiMapCpuHostAperture(NULL, &args);
    assert_broken(272);
}

static void a_device_reports_work_of_its_own_adapter(void **state) {
    (void)state;
    bring_up();
    HANDLE context = make_context(2, false);
    work(context, 1);
    report(1, 1, 1);
    assert_kept(503);
    work(context, 2);
    report(1, 0, 2);
    assert_int_equal(f.ledger.broken[503], 1);
    report(0, 2, 2);
    assert_int_equal(f.ledger.broken[503], 2);
}

/* ---- Page tables ----------------------------------------------------------------------------- */

static void each_adapter_has_tables_of_its_own_at_the_same_places(void **state) {
    (void)state;
    bring_up();
    make_process();
    HANDLE first = make_context(1, true), second = make_context(2, true);
    make_tables(first, 0, ROOT);
    make_tables(second, 1, ROOT);
    assert_kept(208);
    assert_kept(508);
    assert_kept(428);
}

static void an_entry_leads_to_an_adapter_of_the_link(void **state) {
    (void)state;
    bring_up();
    make_process();
    HANDLE first = make_context(1, true);
    make_tables(first, 0, ROOT);
    const DXGK_PTE peer = entry_of(1, TABLES, 9), beyond = entry_of(2, TABLES, 9);
    update(first, 0, LEAF, &peer, 1);
    assert_kept(508);
    assert_kept(223);
    update(first, 0, LEAF, &beyond, 1);
    assert_broken(508);
}

static void a_gpu_that_ignores_the_adapter_of_an_entry_is_named(void **state) {
    (void)state;
    bring_up();
    const struct vidmm_referee_world world = {.translate = translate};
    make_process();
    HANDLE first = make_context(1, true);
    make_tables(first, 0, ROOT);
    vidmm_referee_set_world(f.referee, &world);
    const DXGK_PTE peer = entry_of(1, TABLES, 9);
    f.answer_physical = 1;
    update(first, 0, LEAF, &peer, 1);
    assert_kept(508);
    f.answer_physical = 0;
    update(first, 0, LEAF, &peer, 1);
    assert_broken(508);
}

static void tables_come_after_the_questions_about_the_adapter(void **state) {
    (void)state;
    const DXGK_PTE nothing = {.Flags = 0};
    add();
    link_board(0);
    add();
    link_board(1);
    start(1);
    start(0);
    ask_segments(0);
    ask_segments(1);
    ask_mmu(0);
    make_process();
    update(make_context(2, true), 1, ROOT, &nothing, 512);
    assert_broken(513);
}

static void the_root_is_at_the_same_place_on_each_adapter(void **state) {
    (void)state;
    bring_up();
    make_process();
    HANDLE first = make_context(1, true), second = make_context(2, true);
    HANDLE context = make_context(1, false);
    make_tables(first, 0, ROOT);
    make_tables(second, 1, ROOT);
    set_root_of(context, ROOT);
    work(context, 1);
    assert_kept(389);
    make_tables(second, 1, ELSEWHERE);
    work(context, 2);
    assert_broken(389);
}

/* ---- Paging ---------------------------------------------------------------------------------- */

static void a_paging_buffer_goes_where_it_was_built_for(void **state) {
    (void)state;
    static _Alignas(4096) uint8_t bytes[PAGE];
    bring_up();
    HANDLE system[] = {make_context(1, true), make_context(2, true)};
    DXGKARG_BUILDPAGINGBUFFER args;
    DXGKARG_SUBMITCOMMAND command;
    memset(&args, 0, sizeof(args));
    memset(&command, 0, sizeof(command));
    args.Operation = DXGK_OPERATION_FLUSH_TLB;
    args.hSystemContext = system[1];
    args.pDmaBuffer = bytes;
    args.DmaSize = PAGE;
    assert_int_equal(f.table.DxgkDdiBuildPagingBuffer(NULL, &args), STATUS_SUCCESS);
    command.Flags.Paging = 1;
    command.hContext = system[0];
    command.DmaBufferSize = PAGE;
    command.DmaBufferSubmissionEndOffset = 64;
    command.SubmissionFenceId = 1;
    f.table.DxgkDdiSubmitCommand(NULL, &command);
    assert_int_equal(f.ledger.broken[507], 1);
    command.hContext = system[1];
    command.EngineOrdinal = 1;
    f.table.DxgkDdiSubmitCommand(NULL, &command);
    assert_int_equal(f.ledger.broken[507], 1);
}

#define TWO(test) cmocka_unit_test_setup_teardown(test, open_two, close_two)

int main(void) {
    const struct CMUnitTest tests[] = {
        TWO(two_devices_that_are_linked_well_break_no_rule),
        TWO(a_device_is_linked_before_the_next_one_is_added),
        TWO(the_device_that_was_added_last_is_the_one_that_is_linked),
        TWO(a_second_chain_is_named),
        TWO(a_chain_that_counts_what_was_added_so_far_is_named),
        TWO(a_chain_with_more_links_than_devices_is_named),
        TWO(a_device_that_is_not_linked_has_a_chain_of_its_own),
        TWO(devices_that_are_not_linked_to_each_other_have_a_lead_each),
        TWO(segments_may_be_asked_for_again_into_the_last_answer),
        TWO(a_chain_that_could_not_be_added_is_not_judged),
        TWO(two_leads_and_no_lead_are_named),
        TWO(the_lead_starts_last_and_stops_first),
        TWO(questions_name_adapters_that_there_are),
        TWO(a_reset_names_an_adapter_that_there_is),
        TWO(each_adapter_has_the_handle_of_its_own_device),
        TWO(a_driver_that_reads_two_words_as_one_number_is_named),
        TWO(adapters_of_a_link_have_as_many_nodes_and_address_bits),
        TWO(memory_of_one_adapter_described_for_another_is_named),
        TWO(a_context_is_on_one_adapter_of_the_link),
        TWO(an_allocation_has_its_home_on_an_adapter_of_the_link),
        TWO(an_allocation_is_filled_where_its_home_is),
        TWO(the_aperture_of_the_home_shows_an_allocation),
        TWO(a_device_reports_work_of_its_own_adapter),
        TWO(each_adapter_has_tables_of_its_own_at_the_same_places),
        TWO(an_entry_leads_to_an_adapter_of_the_link),
        TWO(a_gpu_that_ignores_the_adapter_of_an_entry_is_named),
        TWO(tables_come_after_the_questions_about_the_adapter),
        TWO(the_root_is_at_the_same_place_on_each_adapter),
        TWO(a_paging_buffer_goes_where_it_was_built_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
