/*
 * buffer_test.c - paging buffers on their way through the driver: any number of them is built before
 * the first is submitted.
 */
#include <string.h>

#include "paging_fixture.h"

#define BUFFERS 200u /* that are built and not submitted */

static void a_mistake_in_the_last_of_many_paging_buffers_is_found(void **state) {
    (void)state;
    DXGK_PTE entry = fixture_page(8);
    fixture_make_tables();
    for (uint32_t i = 0; i < BUFFERS; i++) {
        DXGKARG_BUILDPAGINGBUFFER args = fixture_update(0, LEAF, &entry);
        args.pDmaBuffer = fixture.memory + BUFFER + i * PAGE;
        args.DmaSize = PAGE;
        fixture_do(args);
    }
    for (uint32_t i = 0; i < BUFFERS; i++) {
        DXGKARG_SUBMITCOMMAND command;
        memset(&command, 0, sizeof(command));
        command.Flags.Paging = 1;
        command.DmaBufferPhysicalAddress.QuadPart = BUFFER + i * PAGE;
        command.DmaBufferSize = PAGE;
        command.DmaBufferSubmissionEndOffset = COMMAND;
        command.SubmissionFenceId = i + 1;
        assert_int_equal(fixture.table.DxgkDdiSubmitCommand(NULL, &command), STATUS_SUCCESS);
    }
    fixture_gpu_has(7);
    vidmm_referee_completed(fixture.referee, 0, 0, BUFFERS - 1);
    assert_int_equal(fixture.ledger->broken[210] + fixture.ledger->broken[215], 0);
    vidmm_referee_completed(fixture.referee, 0, 0, BUFFERS);
    assert_int_equal(fixture.ledger->broken[210], 1); /* nothing wrote the table's memory */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_mistake_in_the_last_of_many_paging_buffers_is_found,
                                        fixture_open, fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
