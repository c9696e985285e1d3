/*
 * virtual_test.c - VIRTUAL_TRANSFER and SIGNAL_MONITORED_FENCE where system memory and a memory segment
 * have pages at the same GPU physical addresses: an entry says which of them it leads to, an address
 * alone does not.
 */
#include "paging_fixture.h"

#include <string.h>

#include "state/referee.h"

#define BASE  (16u * PAGE) /* GPU physical address of the segment: one of system memory, too */
#define PAGES 16u

static uint8_t vram[PAGES * PAGE];

/* A model shows the segment wherever it has the address. */
static const void *virtual_peek(void *ctx, uint32_t physical, uint64_t address, size_t size) {
    (void)ctx;
    (void)physical;
    uint64_t offset = address - BASE;
    return address >= BASE && offset <= sizeof(vram) && size <= sizeof(vram) - offset
               ? vram + offset
               : NULL;
}

static void *virtual_memory(void *ctx, uint64_t pa, size_t size) {
    (void)ctx;
    return pa <= MEMORY && size <= MEMORY - pa ? fixture.memory + pa : NULL;
}

static void virtual_update(UINT level, uint64_t place, UINT index, DXGK_PTE entry) {
    DXGKARG_BUILDPAGINGBUFFER args = fixture_update(level, place, &entry);
    args.UpdatePageTable.hProcess = &fixture.process[1];
    args.UpdatePageTable.StartIndex = index;
    args.UpdatePageTable.FirstPteVirtualAddress = (D3DGPU_VIRTUAL_ADDRESS)index * PAGE;
    fixture_do(args);
}

/* A paging process whose address 0 leads to the segment's first page, and PAGE to the page of system
 * memory that has the address of the segment's fourth. */
static int virtual_open(void **state) {
    const struct vidmm_referee_world world = {
        .memory = virtual_memory, .peek = virtual_peek, .memory_bytes = MEMORY};
    DXGKARG_CREATEPROCESS process = {.hDxgkProcess = vram};
    int result = fixture_open(state);
    vidmm_referee_set_world(fixture.referee, &world);
    fixture.referee->adapter.physical[0].segments = 1;
    fixture.referee->adapter.segment[0] =
        (struct shadow_segment){.id = 1, .base = BASE, .size = sizeof(vram), .page_size = PAGE};
    process.Flags.SystemProcess = 1;
    assert_int_equal(fixture.table.DxgkDdiCreateProcess(NULL, &process), STATUS_SUCCESS);
    for (UINT level = 0; level < LEVELS; level++) {
        DXGKARG_BUILDPAGINGBUFFER first = fixture_first(level, level == 0 ? LEAF : ROOT);
        first.UpdatePageTable.hProcess = &fixture.process[1];
        fixture_do(first);
    }
    DXGK_PTE local = fixture_page(0);
    local.Segment = 1;
    virtual_update(1, ROOT, 0, fixture_page(LEAF / PAGE));
    virtual_update(0, LEAF, 0, local);
    virtual_update(0, LEAF, 1, fixture_page(BASE / PAGE + 3));
    memset(vram, 1, sizeof(vram));
    memset(vram + 3u * PAGE, 3, PAGE);
    memset(fixture.memory + BASE + 3u * PAGE, 2, PAGE);
    return result;
}

static void virtual_transfer(uint64_t from, uint64_t to, DXGK_MEMORY_TRANSFER_DIRECTION direction) {
    DXGKARG_BUILDPAGINGBUFFER args;
    memset(&args, 0, sizeof(args));
    args.Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
    args.TransferVirtual.SourceVirtualAddress = from;
    args.TransferVirtual.DestinationVirtualAddress = to;
    args.TransferVirtual.TransferSizeInBytes = PAGE;
    args.TransferVirtual.TransferDirection = direction;
    fixture_do(args);
}

/* ---- Properties ------------------------------------------------------------------------------ */

static void bytes_of_system_memory_are_read_there(void **state) {
    (void)state;
    memset(vram, 2, PAGE); /* as the driver would */
    virtual_transfer(PAGE, 0, DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL);
    assert_int_equal(fixture.ledger->broken[240], 0);
    assert_true(fixture.ledger->kept[240] != 0);
}

static void bytes_of_the_segment_are_not_those_of_system_memory(void **state) {
    (void)state;
    memset(vram, 3, PAGE); /* from the segment's page at the address */
    virtual_transfer(PAGE, 0, DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL);
    assert_int_equal(fixture.ledger->broken[240], 1);
}

static void bytes_that_arrive_in_system_memory_are_seen_there(void **state) {
    (void)state;
    memset(fixture.memory + BASE + 3u * PAGE, 1, PAGE);
    virtual_transfer(0, PAGE, DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM);
    assert_int_equal(fixture.ledger->broken[240], 0);
    assert_true(fixture.ledger->kept[240] != 0);
}

#define PROPERTY(name) cmocka_unit_test_setup_teardown(name, virtual_open, fixture_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        PROPERTY(bytes_of_system_memory_are_read_there),
        PROPERTY(bytes_of_the_segment_are_not_those_of_system_memory),
        PROPERTY(bytes_that_arrive_in_system_memory_are_seen_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
