/*
 * packet.h - work as it is handed to the driver: a DMA buffer, a paging buffer, or commands at a
 * GPU virtual address. It is kept until the GPU is done with it, so that what a preemption or the
 * reset of an engine left undone can be handed over again (tdr-changes-in-windows-8.md).
 */
#ifndef VIDMM_MANAGER_PACKET_H
#define VIDMM_MANAGER_PACKET_H

#include <vidmm/manager.h>

struct dma_buffer;

struct packet {
    struct dma_buffer *buffer; /* NULL: the commands are the caller's, at a virtual address */
    uint32_t node;             /* that it goes to */
    bool patches;              /* DxgkDdiPatch comes first */
    bool virtual_address;      /* DxgkDdiSubmitCommandVirtual */
    union {
        struct {
            DXGKARG_PATCH patch;
            DXGKARG_SUBMITCOMMAND submit;
        };
        DXGKARG_SUBMITCOMMANDVIRTUAL submit_virtual;
    };
    void *kept; /* lists or private data, which the arguments point into */
    uint32_t kept_size;
};

/* Room for `size` bytes at packet->kept; the rest is as of a fresh one. False: no memory. */
bool packet_begin(struct vidmm_adapter *adapter, struct packet *packet, uint64_t size);
void packet_free(struct vidmm_adapter *adapter, struct packet *packet);
/* Checks what Patch, SubmitCommand or the like answered: STATUS_SUCCESS alone is allowed. */
enum vidmm_status packet_check(struct vidmm_adapter *adapter, const char *call, const char *rule,
                               const char *page, NTSTATUS nt);
/*
 * To the GPU with `fence`; `again`: not for the first time. VIDMM_DRIVER_REFUSED, without a fault:
 * DxgkDdiSubmitCommandVirtual answered STATUS_INVALID_PARAMETER, as it may.
 */
enum vidmm_status packet_submit(struct vidmm_adapter *adapter, struct packet *packet,
                                uint32_t fence, bool again);

#endif
