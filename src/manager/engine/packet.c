/*
 * packet.c - see packet.h.
 */
#include "engine/packet.h"

#include "base/adapter.h"

bool packet_begin(struct vidmm_adapter *adapter, struct packet *packet, uint64_t size) {
    void *kept = packet->kept;
    uint32_t kept_size = packet->kept_size;
    if (size > UINT32_MAX || !adapter_grow(adapter, &kept, &kept_size, (uint32_t)size, 1))
        return false;
    *packet = (struct packet){.kept = kept, .kept_size = kept_size};
    return true;
}

void packet_free(struct vidmm_adapter *adapter, struct packet *packet) {
    adapter_free(adapter, packet->kept, packet->kept_size);
    packet->kept = NULL;
}

enum vidmm_status packet_check(struct vidmm_adapter *adapter, const char *call, const char *rule,
                               const char *page, NTSTATUS nt) {
    if (nt == STATUS_SUCCESS)
        return VIDMM_OK;
    return FATAL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = call, .field = "return value",
                 .expected = "STATUS_SUCCESS", .rule = rule, .page = page, .index = ERROR_NO_INDEX,
                 .value = (uint32_t)nt, .nt = nt);
}

static enum vidmm_status submit_physical(struct vidmm_adapter *adapter, struct packet *packet,
                                         uint32_t fence) {
    const DRIVER_INITIALIZATION_DATA *ddi = adapter->ddi;
    enum vidmm_status status = VIDMM_OK;
    if (!ddi->DxgkDdiSubmitCommand)
        return error_argument(adapter, "vidmm_submit",
                              "work by address, of a driver without DxgkDdiSubmitCommand");
    packet->patch.SubmissionFenceId = packet->submit.SubmissionFenceId = fence;
    packet->patch.EngineOrdinal = packet->submit.EngineOrdinal =
        node_physical(&adapter->facts, packet->node);
    packet->submit.NodeOrdinal = node_ordinal(&adapter->facts, packet->node);
    if (packet->patches)
        status = packet_check(adapter, "DxgkDdiPatch", "R277", "nc-d3dkmddi-dxgkddi_patch",
                              ddi->DxgkDdiPatch(adapter->hadapter, &packet->patch));
    if (status == VIDMM_OK)
        status = packet_check(adapter, "DxgkDdiSubmitCommand", "R277",
                              "nc-d3dkmddi-dxgkddi_submitcommand",
                              ddi->DxgkDdiSubmitCommand(adapter->hadapter, &packet->submit));
    if (status == VIDMM_OK)
        adapter->fences.nodes[packet->node].context = packet->submit.hContext;
    return status;
}

static enum vidmm_status submit_virtual(struct vidmm_adapter *adapter, struct packet *packet,
                                        uint32_t fence) {
    packet->submit_virtual.SubmissionFenceId = fence;
    packet->submit_virtual.EngineOrdinal = node_physical(&adapter->facts, packet->node);
    packet->submit_virtual.NodeOrdinal = node_ordinal(&adapter->facts, packet->node);
    NTSTATUS nt =
        adapter->ddi->DxgkDdiSubmitCommandVirtual(adapter->hadapter, &packet->submit_virtual);
    if (nt == STATUS_INVALID_PARAMETER && !packet->submit_virtual.Flags.Paging)
        return VIDMM_DRIVER_REFUSED;
    if (nt == STATUS_INVALID_PARAMETER)
        return FATAL(adapter, .status = VIDMM_DRIVER_BROKE_RULE,
                     .call = "DxgkDdiSubmitCommandVirtual", .field = "return value",
                     .expected = "STATUS_SUCCESS: the driver built the paging buffer itself",
                     .rule = "R279", .page = "nc-d3dkmddi-dxgkddi_submitcommandvirtual",
                     .index = ERROR_NO_INDEX, .value = (uint32_t)nt, .nt = nt);
    return packet_check(adapter, "DxgkDdiSubmitCommandVirtual", "R279",
                        "nc-d3dkmddi-dxgkddi_submitcommandvirtual", nt);
}

enum vidmm_status packet_submit(struct vidmm_adapter *adapter, struct packet *packet,
                                uint32_t fence, bool again) {
    DXGK_SUBMITCOMMANDFLAGS *flags =
        packet->virtual_address ? &packet->submit_virtual.Flags : &packet->submit.Flags;
    flags->Resubmission =
        again && adapter->facts.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    if (packet->buffer)
        packet->buffer->fence = fence;
    return packet->virtual_address ? submit_virtual(adapter, packet, fence)
                                   : submit_physical(adapter, packet, fence);
}
