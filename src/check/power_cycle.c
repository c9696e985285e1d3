/* power_cycle.c - see power_cycle.h. */
#include "power_cycle.h"

#include <stdlib.h>

#include <vidmm/interfaces.h>

static void power_set(struct check *check, const struct power_cycle *cycle, ULONG device,
                      DEVICE_POWER_STATE state) {
    POWER_ACTION action = cycle->hibernates ? PowerActionHibernate : PowerActionSleep;
    /* "If DevicePowerState is equal to PowerDeviceD0, do not rely on the value of ActionType." */
    (void)check->harness.spoken.DxgkDdiSetPowerState(
        vidmm_host_adapter(check->harness.host), device, state,
        state == PowerDeviceD0 ? PowerActionNone : action);
}

/* By the driver's own numbers (nc-dispmprt-dxgkddi_query_child_relations.md). */
void power_find_children(struct check *check, struct power_cycle *cycle) {
    uint32_t count;
    NTSTATUS status;
    DXGK_CHILD_DESCRIPTOR *child = check_children(check, &count, &status);
    cycle->children = 0;
    if (child && status == STATUS_SUCCESS && count <= POWER_CHILDREN)
        for (; cycle->children < count; cycle->children++)
            cycle->child[cycle->children] = child[cycle->children].ChildUid;
    free(child);
}

void power_set_children(struct check *check, const struct power_cycle *cycle,
                        DEVICE_POWER_STATE state) {
    for (uint32_t i = 0; i < cycle->children; i++)
        power_set(check, cycle, cycle->child[i], state);
}

bool power_take(struct check *check, const struct power_cycle *cycle) {
    power_set_children(check, cycle, PowerDeviceD3);
    power_set(check, cycle, DISPLAY_ADAPTER_HW_ID, PowerDeviceD3);
    bool lost = vidmm_host_power(check->harness.host,
                                 cycle->hibernates ? VIDMM_HW_POWER_OFF : VIDMM_HW_POWER_STANDBY);
    if (lost)
        vidmm_referee_lose_power(check->harness.referee);
    return lost;
}

void power_give(struct check *check, const struct power_cycle *cycle) {
    (void)vidmm_host_power(check->harness.host, VIDMM_HW_POWER_ON);
    power_set(check, cycle, DISPLAY_ADAPTER_HW_ID, PowerDeviceD0);
}

bool power_go_round(struct check *check) {
    struct power_cycle cycle = {.hibernates = false};
    struct vidmm_adapter *adapter = check->harness.adapter;
    power_find_children(check, &cycle);
    if (!check_good(check, vidmm_power_down(adapter, VIDMM_POWER_STANDBY)))
        return false;
    (void)power_take(check, &cycle);
    power_give(check, &cycle);
    power_set_children(check, &cycle, PowerDeviceD0);
    return check_good(check, vidmm_power_up(adapter));
}
