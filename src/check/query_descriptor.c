/*
 * query_descriptor.c - asks children that are video outputs for the EDID of their monitors, whole and in parts; see stage.h.
 */
#include "stage.h"

#include <string.h>

#define BLOCK 128u /* of an EDID */
#define GUARD 256u /* as much as an EDID with one extension has */
#define FILL  0xa5u

struct descriptor_room {
    unsigned char before[GUARD], bytes[BLOCK], after[GUARD];
};

/* nc-dispmprt-dxgkddi_query_device_descriptor.md: of a monitor that is connected the system asks. */
static bool child_has_monitor(struct check *check, const DXGK_CHILD_DESCRIPTOR *child) {
    return child->ChildDeviceType == TypeVideoOutput &&
           (child->ChildCapabilities.HpdAwareness == HpdAwarenessAlwaysConnected ||
            check_connected(check, child->ChildUid));
}

/* Bytes of the room that were written outside of the first `length` of `bytes`. */
static uint32_t written_outside(const struct descriptor_room *room, uint32_t length) {
    const unsigned char *at = room->before;
    uint32_t written = 0;
    for (uint32_t i = 0; i < sizeof(*room); i++)
        written += (i < GUARD || i >= GUARD + length) && at[i] != FILL;
    return written;
}

/* R599. */
static void ask_descriptor(struct check *check, ULONG uid, uint32_t offset, uint32_t length) {
    struct descriptor_room room;
    DXGK_DEVICE_DESCRIPTOR descriptor = {
        .DescriptorOffset = offset, .DescriptorLength = length, .DescriptorBuffer = room.bytes};
    memset(&room, FILL, sizeof(room));
    check_step(check, "query: %u bytes of a descriptor from byte %u", length, offset);
    (void)check->harness.spoken.DxgkDdiQueryDeviceDescriptor(
        vidmm_host_adapter(check->harness.host), uid, &descriptor);
    uint32_t written = written_outside(&room, length);
    vidmm_ledger_judge(&check->shared->ledger, 599, VIDMM_SIDE_DRIVER, written == 0,
                       "DxgkDdiQueryDeviceDescriptor writes DescriptorLength bytes at most",
                       "DescriptorLength was %u, and %u bytes outside of the buffer were written",
                       length, written);
}

void query_descriptors(struct check *check, const DXGK_CHILD_DESCRIPTOR *child, uint32_t count) {
    static const struct {
        uint32_t offset, length;
    } parts[] = {{0, BLOCK}, {0, BLOCK / 2}, {BLOCK / 2, BLOCK / 2},
                 {8, 10},    {0, 1},         {BLOCK, BLOCK}};
    if (!check->harness.spoken.DxgkDdiQueryDeviceDescriptor)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (child_has_monitor(check, &child[i]))
            for (uint32_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
                ask_descriptor(check, child[i].ChildUid, parts[k].offset, parts[k].length);
}
