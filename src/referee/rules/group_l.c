/*
 * group_l.c - R284 to R310: residency and address services for user mode.
 *
 * Calls between user mode and the manager; the driver sees only the paging that they cause.
 */
#define GROUP 'L'
#include "groups.h"

const struct vidmm_rule rules_l[] = {
    {
        RULE(284, MANAGER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "MakeResident makes all of its allocations resident or none, and then tells "
                     "how many bytes are missing.",
        .page = "nc-d3dumddi-pfnd3dddi_makeresidentcb",
        .how = "What the manager answered to the conformance check's MakeResident: every count one "
               "higher, or none changed and NumBytesToTrim not 0.",
        .why = "User mode trims by that number and tries again.",
        .windows = "The call fails as a whole.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(285, USER_AND_MANAGER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "After E_PENDING the GPU uses the allocations only when the paging fence was reached.",
        .page = "device-paging-queues",
        .how = "The wait rests on the queue's paging fence as the manager tells it; that the "
               "driver makes the GPU write its value is R420.",
        .why = "Until then the contents are on their way.",
        .windows = "An earlier access reads other bytes or faults.",
    },
    {
        RULE(286, MANAGER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Evict takes back one MakeResident, and only the last one takes the "
                     "allocation off the device's list.",
        .page = "residency-overview",
        .how = "The counts before and after each Evict of the conformance check, and an Evict of "
               "what is "
               "not on the list, which has to be refused.",
        .why = "Parts of an application use the same allocation without knowing of each other.",
        .windows = "The system counts references.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(287, MANAGER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "All allocations on a device's list are resident before its contexts are scheduled.",
        .page = "residency-overview",
        .how = "With every submission of the conformance check: everything that its device lists "
               "has a "
               "place by the manager's own books. Where user mode says what its addresses lead to, "
               "the "
               "page tables have to say so when work is submitted, and until it is done.",
        .why = "Nothing else tells the system what the GPU will touch.",
        .windows = "The system suspends the device until they are.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(288, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "EvictOnlyIfNecessary counts only when no references are left, and "
                     "NotWrittenTo lets the contents be thrown away.",
        .page = "ns-d3dukmdt-d3dddi_evict_flags",
        .how = "Evict with EvictOnlyIfNecessary while references are left, which must not move "
               "anything; and with NotWrittenTo, whose content is read again after an eviction.",
        .why = "Unchanged contents need no transfer.",
        .windows = "The system discards them.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(289, USER_AND_MANAGER, DOCUMENTED, DEVICE_LOST),
        .severity_source = THE_PAGE,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "MustSucceed goes with CantTrimFurther, and a failure then puts the device in error.",
        .page = "ns-d3dukmdt-d3dddi_makeresident_flags",
        .how = "MustSucceed without CantTrimFurther, and with it where there is no room.",
        .why = "The application has no way left to go on.",
        .windows = "The device is put in error.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(290, USER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "After its last Evict an allocation is not accessed any more.",
        .page = "nc-d3dumddi-pfnd3dddi_evictcb",
        .how = "not judged: it binds applications, and the conformance check is the only one. What "
               "happens to one that does it is R380's to judge.",
        .why = "Its memory may be used for something else.",
        .windows = "The GPU faults or reads other bytes.",
    },
    {
        RULE(291, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "TrimToBudget carries a number of bytes, and PeriodicTrim and "
                     "RestartPeriodicTrim exclude each other.",
        .page = "ns-d3dukmdt-d3dddi_trimresidencyset_flags",
        .how = "The arguments of each trim callback that the conformance check gets while two "
               "processes "
               "want the same memory.",
        .why = "User mode takes the flags for different requests.",
        .windows = "No page tells which of them it sets when.",
        .windows_source = NOT_KNOWN,
    },
    {
        RULE(292, USER_AND_MANAGER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The handles of a residency call belong to the device that created the queue.",
        .page = "ns-d3dukmdt-d3dddi_makeresident",
        .how = "Another device's allocation in a MakeResident has to be refused.",
        .why = "Handles of another device mean other objects.",
        .windows = "The call fails with an invalid parameter.",
        .windows_source = PAGE("nf-d3dkmthk-d3dkmtmakeresident"),
    },
    {
        RULE(293, USER_AND_MANAGER, DOCUMENTED, DEVICE_LOST),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Offered allocations are reclaimed before they are locked or rendered with, "
                     "and the GPU waits for the reclaim's fence.",
        .page = "offer-and-reclaim-changes",
        .how = "MakeResident of an offered allocation has to be refused; what was reclaimed is "
               "locked at once, and looked for in its place once the fence is reached.",
        .why = "The contents may be gone and the memory not yet in place.",
        .windows = "The system refuses or the GPU faults.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(294, USER_AND_MANAGER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Offers have a priority other than NONE, and a reclaim tells of each "
                     "allocation whether its contents were lost.",
        .page = "ne-d3dukmdt-_d3dddi_offer_priority",
        .how = "An offer with priority NONE has to be refused; after each reclaim the bytes are "
               "compared with those before the offer.",
        .why = "The application has to make lost contents again.",
        .windows = "The call fails.",
    },
    {
        RULE(295, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "An offer takes effect only after the work queued before it.",
        .page = "nc-d3dumddi-pfnd3dddi_offerallocationscb",
        .how = "Content is offered while the GPU works, and wanted at once: it must not be gone "
               "before the work's fence.",
        .why = "That work still reads the contents.",
        .windows = "The system waits for it.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(296, USER_AND_MANAGER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A mapping counts in 4 KB, its base is aligned to pages, and its range is "
                     "free or was reserved before.",
        .page = "nc-d3dumddi-pfnd3dddi_mapgpuvirtualaddresscb",
        .how = "Mappings in the right units, looked up in the manager's books, and in wrong ones, "
               "which have to be refused.",
        .why = "Two mappings of one address would exclude each other.",
        .windows = "The call fails.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(297, USER_AND_MANAGER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "NoAccess and Zero are mapped without an allocation and only over ranges that "
                     "were reserved.",
        .page = "nc-d3dumddi-pfnd3dddi_mapgpuvirtualaddresscb",
        .how = "NoAccess with an allocation, and over what is mapped, has to be refused.",
        .why = "There is nothing behind them.",
        .windows = "The call fails.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(298, USER_AND_MANAGER, DOCUMENTED, CREATION_FAILS),
        .severity_source = THE_PAGE,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Reservations are aligned to 64 KB and do not take what is occupied.",
        .page = "nc-d3dumddi-pfnd3dddi_reservegpuvirtualaddresscb",
        .how = "Reservations in the right units and in wrong ones, and of what is occupied.",
        .why = "Reserved ranges may get 64 KB pages.",
        .windows = "The call fails.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(299, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Freeing a range drops what is queued for it, and the range of a freed "
                     "allocation is freed by itself.",
        .page = "nc-d3dumddi-pfnd3dddi_freegpuvirtualaddresscb",
        .how = "Addresses that were freed, or whose allocation was destroyed, are looked up in the "
               "manager's books; when an allocation is destroyed no entry of a page table leads to "
               "it, nor is the GPU still to write one that does not.",
        .why = "Late updates would change mappings of the next owner.",
        .windows = "The system drops them.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(300, USER_AND_MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Updates stay within one reservation, are applied in order, wait for "
                     "FenceValue unless DoNotWait is set, and signal the next value.",
        .page = "nc-d3dumddi-pfnd3dddi_updategpuvirtualaddresscb",
        .how = "Updates in batches, looked up afterwards; beyond the reservation, in other units, "
               "and with a part that does not divide the size, which have to be refused. The waits "
               "for FenceValue have nothing that would show them but the bytes that work before "
               "and after an update finds.",
        .why = "Tiled resources change while the GPU uses them.",
        .windows = "The call fails or the order is kept.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(301, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "More than 128 queued updates make the caller wait.",
        .page = "nc-d3dumddi-pfnd3dddi_updategpuvirtualaddresscb",
        .how = "A context that works gets more updates than that, one after another; after each "
               "no more than 128 operations of it may be queued.",
        .why = "The queue would grow without bounds.",
        .windows = "The caller is blocked.",
        .wrong = "append(queue, operation); /* however many there are */\n",
        .right = "while (queue->count >= 128)\n"
                 "    wait_for_oldest(queue);\n"
                 "append(queue, operation);\n",
    },
    {
        RULE(302, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement =
            "Mappings made by updates have the driver protection that the range was reserved with.",
        .page = "driver-protection",
        .how = "DriverProtection of every UPDATE_PAGE_TABLE that makes entries valid in a range "
               "which the conformance check reserved with a protection.",
        .why = "An update has no member of its own for it.",
        .windows = "The system remembers it.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(303, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Paging queues are served by priority.",
        .page = "ns-d3dkmthk-_d3dkmt_createpagingqueue",
        .how = "not judged: the manager carries out what a queue is asked for before its call "
               "returns, so that no queue ever waits behind another.",
        .why = "Background streaming must not delay what the next frame needs.",
        .windows = "The system orders them.",
    },
    {
        RULE(304, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Destroying a paging queue destroys its fence.",
        .page = "ns-d3dkmthk-_d3dkmt_createpagingqueue",
        .how = "not judged: the fence has no handle of its own that could outlive its queue.",
        .why = "The fence belongs to the queue.",
        .windows = "No page tells what a stale handle does; a fence that stays is a leak.",
        .windows_source = NOT_KNOWN,
    },
    {
        RULE(305, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Only allocations with CpuVisible can be locked, from WDDM 2.0 on also those "
                     "with CpuVisibleOnDemand, which get an address when they are.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfoflags",
        .how = "No lock of an allocation with neither flag is granted. With CpuVisibleOnDemand "
               "alone both answers are right: the address is tried for.",
        .why = "Others have no place that the CPU could see.",
        .windows = "The lock fails.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(306, USER_AND_MANAGER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Lock flags that contradict each other are refused.",
        .page = "ns-d3dukmdt-_d3dddicb_lockflags",
        .how = "ReadOnly with WriteOnly, and UseAlternateVA without AcquireAperture, have to be "
               "refused. IgnoreSync is no flag of the manager's.",
        .why = "No way of locking would serve both.",
        .windows = "The lock fails.",
    },
    {
        RULE(307, USER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "IgnoreSync and IgnoreReadSync are used only on allocations that can be in an "
                     "aperture, are not swizzled and are coherent.",
        .page = "ns-d3dukmdt-_d3dddicb_lockflags",
        .how = "not judged: the manager's locks have neither flag.",
        .why = "The CPU would see a layout or a cache that it does not know.",
        .windows = "The lock fails.",
    },
    {
        RULE(308, MANAGER, DOCUMENTED, PERFORMANCE),
        .severity_source = THE_PAGE,
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "With DonotWait a busy allocation is refused, and with DonotEvict one that "
                     "would have to be evicted.",
        .page = "ns-d3dukmdt-_d3dddicb_lockflags",
        .how = "Locks with DonotWait while the GPU works, and with DonotEvict: the answer, and "
               "whether the allocation is still in its place.",
        .why = "The caller has other work to do meanwhile.",
        .windows = "The lock fails with the code of its reason.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(309, MANAGER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Offered allocations cannot be locked.",
        .page = "ns-d3dukmdt-_d3dddicb_lockflags",
        .how = "A lock between offer and reclaim has to be refused.",
        .why = "Their contents may be gone at any time.",
        .windows = "The lock fails.",
    },
    {
        RULE(310, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "Budget, usage and reservation of a segment group add up over its segments.",
        .page = "process-residency-budgets",
        .how =
            "What the manager tells of a process's budget and usage, held against the segments of "
            "the group and the sizes of what the process lists. Reservations are not offered.",
        .why = "Applications size their working sets by them.",
        .windows = "The system tells them on request.",
    },
    {
        RULE(439, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The GPU virtual address of an allocation stays its own until it is freed, "
                     "wherever the allocation goes.",
        .page = "gpu-virtual-address",
        .how =
            "Not judged by itself: that a mapped range leads to its allocation is R296 when it is "
            "granted and R216 and R240 when entries are written; a range given away early is R298.",
        .why = "Applications keep addresses in their own structures, which nothing can patch.",
        .windows = "The page says so.",
        .windows_source = THE_PAGE,
        .wrong = "unmap(evicted); /* and its range is free for the next */\n",
        .right = "invalidate(evicted); /* its range waits for it */\n",
    },
    {
        RULE(449, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A Cached allocation that the CPU sees is locked only while it is in an "
                     "aperture, or not resident.",
        .page = "allocation-usage-tracking",
        .how = "Where the allocation is when the lock returns its address.",
        .why = "Nothing keeps the CPU's caches and the GPU's memory coherent.",
        .windows = "No page tells more.",
        .windows_source = NOT_KNOWN,
        .wrong = "return cpu_address(segment, allocation->offset); /* Cached, in VRAM */\n",
        .right = "if (allocation->info.Flags.Cached && !segment->flags.Aperture)\n"
                 "    evict(allocation);\n",
    },
    {
        RULE(482, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "A reservation without a base lies between the MinimumAddress and the "
                     "MaximumAddress that were given, all of it.",
        .page = "nc-d3dumddi-pfnd3dddi_reservegpuvirtualaddresscb",
        .how =
            "Base and size of each reservation that was granted, by the record of the request; a "
            "MaximumAddress of 0 is the end of the address space.",
        .why = "User mode asks for bounds where its hardware reaches no further.",
        .windows = "It keeps the whole range inside of them.",
        .windows_source = THE_PAGE,
        .wrong = "va = FindFree(space, size, args->MinimumAddress, space->end);\n",
        .right = "end = args->MaximumAddress != 0 ? args->MaximumAddress : space->end;\n"
                 "va = FindFree(space, size, args->MinimumAddress, end);\n",
    },
};
