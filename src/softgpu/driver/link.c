/*
 * link.c - linked adapters (linked-display-adapter.md): the boards of one chain, of which each is a
 * physical adapter. The system's handle for all of them together is the lead's context, and an
 * index says which board a call is about: PhysicalAdapterIndex, EngineOrdinal, or a bit of
 * EngineAffinity. An adapter that is alone leads a chain of one.
 *
 * The system asks how boards are linked before it starts them, when their registers are out of
 * reach: until then the registry says how many there are, and the first that is added is the lead.
 * Once they are started their registers have to say the same.
 */
#include "driver/kmd.h"

/* The lead of a chain to which more boards are to come. */
static struct kmd_adapter *growing;

void kmd_link_add(struct kmd_adapter *adapter) {
    ULONG boards = adapter->settings.linked;
    if (!growing)
        growing = adapter;
    adapter->lead = growing;
    adapter->physical = growing->chain.boards;
    growing->chain.board[growing->chain.boards++] = adapter;
    if (growing->chain.boards >= boards)
        growing = NULL;
}

void kmd_link_remove(const struct kmd_adapter *adapter) {
    if (growing == adapter->lead)
        growing = NULL;
}

bool kmd_link_sound(const struct kmd_adapter *adapter) {
    ULONG link = kmd_read(adapter, GPU_REG_LINK);
    if (adapter->settings.linked <= 1)
        return true;
    return GPU_LINK_COUNT(link) == adapter->settings.linked &&
           GPU_LINK_INDEX(link) == adapter->physical;
}

bool kmd_linked(const struct kmd_adapter *adapter) {
    return adapter->lead->chain.boards > 1;
}

struct kmd_adapter *kmd_board(const struct kmd_adapter *adapter, UINT physical) {
    const struct kmd_chain *chain = &adapter->lead->chain;
    return physical < chain->boards ? chain->board[physical] : NULL;
}

/* The lowest that is named; no affinity is the lead's. */
struct kmd_adapter *kmd_board_of_affinity(const struct kmd_adapter *adapter, UINT affinity) {
    UINT physical = 0;
    while (affinity != 0 && (affinity >> physical & 1u) == 0)
        physical++;
    return kmd_board(adapter, physical);
}

struct kmd_adapter *kmd_board_of_context(struct kmd_adapter *adapter, HANDLE context) {
    const struct kmd_context *known = kmd_context_of(context);
    return known ? known->board : adapter;
}

/* One chain at a time, so any name of it will do; the registers have the same one. */
NTSTATUS APIENTRY kmd_link_device(const PDEVICE_OBJECT PhysicalDeviceObject,
                                  const PVOID MiniportDeviceContext, PLINKED_DEVICE LinkedDevice) {
    const struct kmd_adapter *adapter = MiniportDeviceContext;
    UNREFERENCED_PARAMETER(PhysicalDeviceObject);
    LinkedDevice->ChainUid = GPU_CHAIN_ID;
    LinkedDevice->NumberOfLinksInChain = adapter->settings.linked;
    LinkedDevice->LeadLink = adapter->lead == adapter;
    return STATUS_SUCCESS;
}
