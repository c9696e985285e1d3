/*
 * query_descriptor.c - asks children that are video outputs for the EDID of their monitors, whole and in parts; see stage.h.
 */
#include "stage.h"

#include <string.h>

#define BLOCK 128u /* of an EDID */
#define GUARD 256u /* as much as an EDID with one extension has */
#define FILL  0xa5u

#define EXTENSIONS 126u /* where a base block says how many blocks follow */

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

/* R599. True: the driver gave them. */
static bool ask_descriptor(struct check *check, ULONG uid, uint32_t offset, uint32_t length,
                           struct descriptor_room *room) {
    DXGK_DEVICE_DESCRIPTOR descriptor = {
        .DescriptorOffset = offset, .DescriptorLength = length, .DescriptorBuffer = room->bytes};
    memset(room, FILL, sizeof(*room));
    check_step(check, "query: %u bytes of a descriptor from byte %u", length, offset);
    NTSTATUS status = check->harness.spoken.DxgkDdiQueryDeviceDescriptor(
        vidmm_host_adapter(check->harness.host), uid, &descriptor);
    uint32_t written = written_outside(room, length);
    vidmm_ledger_judge(&check->shared->ledger, 599, VIDMM_SIDE_DRIVER, written == 0,
                       "DxgkDdiQueryDeviceDescriptor writes DescriptorLength bytes at most",
                       "DescriptorLength was %u, and %u bytes outside of the buffer were written",
                       length, written);
    return status == STATUS_SUCCESS;
}

/* R655: byte 126 of a base block is the number of blocks behind it. */
static void judge_part(struct check *check, const unsigned char *block,
                       const struct descriptor_room *part, uint32_t offset, uint32_t length) {
    struct vidmm_ledger *ledger = &check->shared->ledger;
    if (offset < BLOCK)
        vidmm_ledger_judge(ledger, 655, VIDMM_SIDE_DRIVER,
                           memcmp(block + offset, part->bytes, length) == 0,
                           "the bytes of the EDID from DescriptorOffset on",
                           "DescriptorOffset %u and DescriptorLength %u gave other bytes than the "
                           "whole block has there",
                           offset, length);
    else
        vidmm_ledger_judge(
            ledger, 655, VIDMM_SIDE_DRIVER, block[EXTENSIONS] != 0,
            "STATUS_MONITOR_NO_MORE_DESCRIPTOR_DATA",
            "STATUS_SUCCESS for DescriptorOffset %u of an EDID whose base block says "
            "that nothing is behind it",
            offset);
}

static void ask_parts(struct check *check, ULONG uid) {
    static const struct {
        uint32_t offset, length;
    } parts[] = {{0, BLOCK / 2}, {BLOCK / 2, BLOCK / 2}, {8, 10}, {0, 1}, {BLOCK, BLOCK}};
    static const unsigned char magic[] = {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0};
    struct descriptor_room whole, part;
    bool known = ask_descriptor(check, uid, 0, BLOCK, &whole) &&
                 memcmp(whole.bytes, magic, sizeof(magic)) == 0;
    for (uint32_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (ask_descriptor(check, uid, parts[i].offset, parts[i].length, &part) && known)
            judge_part(check, whole.bytes, &part, parts[i].offset, parts[i].length);
}

void query_descriptors(struct check *check, const DXGK_CHILD_DESCRIPTOR *child, uint32_t count) {
    if (!check->harness.spoken.DxgkDdiQueryDeviceDescriptor)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (child_has_monitor(check, &child[i]))
            ask_parts(check, child[i].ChildUid);
}
