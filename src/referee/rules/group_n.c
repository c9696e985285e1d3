/*
 * group_n.c - R332 to R342: live migration.
 *
 * A virtual GPU moves to another machine while its guest runs, on top of dirty tracking
 * (group_m.c).
 */
#define GROUP 'N'
#include "groups.h"

const struct vidmm_rule rules_n[] = {
    {
        RULE(332, BOTH, DISPUTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Data is saved by two calls, the first for its size and the second into a "
                     "buffer of that size.",
        .page = "nc-d3dkmddi-dxgkddi_saveimmutablemigrationdata",
        .how = "DataSize and Data of both calls are compared, and the driver gets a guarded copy "
               "of the buffer, which is not too small. Stage migration gives one that is a byte "
               "too short, too: whatever "
               "the driver answers, it writes no more than DataSize bytes.",
        .why = "Only the driver knows how much there is.",
        .windows = "A longer write corrupts the pool.",
        .readings = "vidmm takes one reading: DataSize is a pointer, and a size of 0 with Data "
                    "NULL marks the first call.",
        .wrong = "RtlCopyMemory(args->Data, state, ALIGN_UP(size, 4096));\n",
        .right = "if (!args->Data)\n"
                 "    *args->DataSize = size;\n"
                 "else\n"
                 "    RtlCopyMemory(args->Data, state, size);\n",
    },
    {
        RULE(333, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Immutable data is saved right after the preparation of the source, mutable "
                     "data only when the guest is paused.",
        .page = "live-migration-on-gpup-devices",
        .how = "The order of the calls is followed. Whether the guest is paused is seen by work of "
               "applications: none may be on the GPU when mutable data is saved, and none may come "
               "before the end. All work of the adapter is taken for the guest's, which is an "
               "inference: no page tells work of one virtual GPU from that of another.",
        .why = "Mutable data changes while the guest runs.",
        .windows = "The system keeps the order.",
        .windows_source = THE_PAGE,
        .wrong = "SaveMutable(adapter);\n"
                 "Pause(adapter);\n",
        .right = "Pause(adapter);\n"
                 "SaveMutable(adapter);\n",
    },
    {
        RULE(334, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Data that does not fit the target is refused with "
                     "STATUS_OBJECT_TYPE_MISMATCH after an event was logged.",
        .page = "nc-d3dkmddi-dxgkddi_restoreimmutablemigrationdata",
        .how = "What the driver saved itself must be taken, immutable and mutable data; of the "
               "former, data of another size, or of which more "
               "than half is different, must be refused. The event that is to be logged before has "
               "no public definition and is not looked for.",
        .why = "The source can still go on running the guest.",
        .windows = "The migration is given up.",
        .wrong = "if (header->Magic != MAGIC)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
        .right = "if (size != sizeof(*board) || !SameBoard(board, adapter))\n"
                 "    return STATUS_OBJECT_TYPE_MISMATCH;\n",
    },
    {
        RULE(335, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement =
            "Data, immutable and mutable, is restored only while no guest runs on the target.",
        .page = "live-migration-on-gpup-devices",
        .how = "No work of applications may be on the GPU when data is restored, and none may be "
               "submitted to a target before its mutable data is. All work of the adapter is taken "
               "for the guest's, which is an inference: no page tells work of one virtual GPU from "
               "that of another.",
        .why = "A running guest would change what is restored.",
        .windows = "The calls are made for a virtual GPU that is paused.",
        .windows_source = THE_PAGE,
        .wrong = "Resume(guest);\n"
                 "RestoreMutable(adapter);\n",
        .right = "RestoreMutable(adapter);\n"
                 "Resume(guest);\n",
    },
    {
        RULE(336, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement =
            "Every preparation is matched by an end, on both sides and after a cancellation too, "
            "and the driver is then as it was before.",
        .page = "live-migration-on-gpup-devices",
        .how = "Preparations and ends must follow each other; none is open when the adapter goes. "
               "One migration at a time is judged, whichever virtual GPU it is of: the page has "
               "them for each one, and a second one beside it would be a finding. Of the driver, "
               "that it "
               "does not answer STATUS_INVALID_DEVICE_STATE to the preparation after an end.",
        .why = "The driver holds resources in between.",
        .windows = "The system ends both.",
        .windows_source = THE_PAGE,
        .wrong = "if (!Send(stream))\n"
                 "    return FALSE;\n",
        .right = "BOOLEAN sent = Send(stream);\n"
                 "DxgkDdiEndLiveMigration(adapter, 0);\n"
                 "return sent;\n",
    },
    {
        RULE(337, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Tracking that costs performance starts with the preparation, other tracking "
                     "as soon as the virtual GPU has memory.",
        .page = "live-migration-on-gpup-devices",
        .how = "When a source is prepared every memory segment with cheap tracking is tracked; "
               "where it is not cheap, what is asked was started since.",
        .why = "Cheap tracking has less to copy later.",
        .windows = "The system looks at the capability.",
        .windows_source = THE_PAGE,
        .wrong = "DxgkDdiPrepareLiveMigration(adapter, &source);\n"
                 "if (tracking.DirtyBitTrackingPerformant)\n"
                 "    Start(adapter);\n",
        .right = "if (!tracking.DirtyBitTrackingPerformant)\n"
                 "    Start(adapter); /* else it was started with the adapter */\n",
    },
    {
        RULE(338, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Dirty bits are asked for on the source only.",
        .page = "live-migration-on-gpup-devices",
        .how = "A query between preparation and end of a target.",
        .why = "The target has nothing that was written by the guest.",
        .windows = "The system never asks the target.",
        .windows_source = THE_PAGE,
        .wrong = "while (Receive(pages))\n"
                 "    Write(pages, QueryDirty(basis));\n",
        .right = "while (Receive(pages))\n"
                 "    Write(pages);\n",
    },
    {
        RULE(339, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Transfers of a migration go between system memory and the pages reserved for "
                     "the virtual GPU, wherever these are.",
        .page = "live-migration-on-gpup-devices",
        .how = "Transfers without an allocation during a migration go from local to system memory "
               "on a source, and the other way on a target, as the page tables of the paging "
               "process have it.",
        .why = "The pages need not follow each other.",
        .windows = "The system maps them for the transfer.",
        .wrong = "transfer.SourceVirtualAddress = staging;\n"
                 "transfer.DestinationVirtualAddress = window; /* of the source */\n",
        .right = "transfer.SourceVirtualAddress = window;\n"
                 "transfer.DestinationVirtualAddress = staging;\n",
    },
    {
        RULE(340, BOTH, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "After a migration the memory on the target is what it was on the source when "
                     "the guest was paused, and so is what aperture pages show.",
        .page = "live-migration-on-gpup-devices",
        .how = "The referee of the source notes each page of processes before mutable data is "
               "saved: pages that their page tables lead to, and the tables. At the end of the "
               "target they are compared with its memory. A page that changed after the transfer "
               "that wrote it is the driver's; one that was read from the source and not written "
               "as it was read is the manager's. What was not read is left to R322, and "
               "nothing is judged where other paging operations are done meanwhile. Both ends must "
               "be in one process (vidmm_referee_migrated). Pages that were mapped into an "
               "aperture are "
               "looked for there as under R194.",
        .why = "This is what migration is for.",
        .windows = "The guest goes on with wrong contents.",
        .wrong = "while (Receive(stream, &page) && !page.Last)\n"
                 "    Write(adapter, &page);\n",
        .right = "while (Receive(stream, &page))\n"
                 "    Write(adapter, &page);\n",
    },
    {
        RULE(341, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "vfIndex names a virtual GPU that exists.",
        .page = "live-migration-on-gpup-devices",
        .how = "Every call names the vfIndex that was prepared.",
        .why = "The driver uses it as an index.",
        .windows = "The system knows its virtual GPUs.",
        .wrong = "DxgkDdiEndLiveMigration(adapter, vf + 1);\n",
        .right = "DxgkDdiEndLiveMigration(adapter, vf);\n",
    },
    {
        RULE(342, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM3_2,
        .statement = "Scattered reservations are multiples of SetVGPUResourcesPageSize.",
        .page = "live-migration-on-gpup-devices",
        .how = "not judged: DxgkDdiSetVirtualGpuResources2 is announced for a later release, and "
               "its arguments have no page.",
        .why = "The driver's tables have pages of that size.",
        .windows = "The system rounds up.",
    },
};
