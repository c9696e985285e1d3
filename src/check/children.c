/* children.c - the children of the adapter, as stages query, power and display ask for them and of them; see stage.h. */
#include "stage.h"

#define CHILDREN_MOST 1024u /* more is a number that nobody set */

DXGK_CHILD_DESCRIPTOR *check_children(struct check *check, uint32_t *count, NTSTATUS *status) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    *count = vidmm_host_children(check->harness.host);
    if (*count == 0 || *count > CHILDREN_MOST || !table->DxgkDdiQueryChildRelations)
        return NULL;
    size_t size = (*count + 1) * sizeof(DXGK_CHILD_DESCRIPTOR);
    DXGK_CHILD_DESCRIPTOR *child = check_memory(check, size);
    if (child)
        *status = table->DxgkDdiQueryChildRelations(vidmm_host_adapter(check->harness.host), child,
                                                    (ULONG)size);
    return child;
}

bool check_connected(struct check *check, ULONG uid) {
    const DRIVER_INITIALIZATION_DATA *table = &check->harness.spoken;
    DXGK_CHILD_STATUS status = {.Type = StatusConnection, .ChildUid = uid};
    return table->DxgkDdiQueryChildStatus &&
           table->DxgkDdiQueryChildStatus(vidmm_host_adapter(check->harness.host), &status, TRUE) ==
               STATUS_SUCCESS &&
           status.HotPlug.Connected;
}
