/*
 * group_o.c - R343 to R353: context allocations and swizzling ranges.
 *
 * Memory that the driver allocates for itself, and ranges through which the CPU sees swizzled
 * memory as linear.
 */
#define GROUP 'O'
#include "groups.h"

const struct vidmm_rule rules_o[] = {
    {
        RULE(343, DRIVER, DISPUTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement =
            "Context allocations are created for contexts and devices of applications only.",
        .page = "nc-d3dkmddi-dxgkcb_createcontextallocation",
        .how = "At DxgkCbCreateContextAllocation: the owner that is named was not created with "
               "SystemContext or SystemDevice.",
        .why = "The system's own contexts are not paged in by allocation lists.",
        .windows = "No page tells what the callback does.",
        .readings = "vidmm takes one reading: the system's contexts and devices get none, as "
                    "nc-d3dkmddi-dxgkcb_createcontextallocation says. "
                    "ns-d3dkmddi-_dxgkargcb_createcontextallocation has hDevice and hContext NULL "
                    "for a system device and context, which would then be allowed.",
        .windows_source = NOT_KNOWN,
        .wrong = "NTSTATUS CreateContext(HANDLE hDevice, DXGKARG_CREATECONTEXT *args) {\n"
                 "    return CreateSaveArea(args->hContext); /* for every context */\n"
                 "}\n",
        .right = "NTSTATUS CreateContext(HANDLE hDevice, DXGKARG_CREATECONTEXT *args) {\n"
                 "    if (args->Flags.SystemContext)\n"
                 "        return STATUS_SUCCESS; /* this one uses memory of the adapter's own */\n"
                 "    return CreateSaveArea(args->hContext);\n"
                 "}\n",
    },
    {
        RULE(344, DRIVER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "hContext and hDevice are the handles that the system gave for context and "
                     "device, and with SharedAcrossContexts hContext is NULL.",
        .page = "ns-d3dkmddi-_dxgkargcb_createcontextallocation",
        .how = "At DxgkCbCreateContextAllocation: hDevice is compared with "
               "DXGKARG_CREATEDEVICE.hDevice "
               "as it came in, of the device that hContext is of. One that is NULL is not judged. "
               "Where the callback fails, the owner that is named must be one that exists.",
        .why = "The allocation belongs to the device, which the system knows by its own handle.",
        .windows = "The callback fails.",
        .wrong = "create.ContextAllocationFlags.SharedAcrossContexts = 1;\n"
                 "create.hDevice = device->runtime;\n"
                 "create.hContext = context->runtime;\n",
        .right = "create.ContextAllocationFlags.SharedAcrossContexts = 1;\n"
                 "create.hDevice = device->runtime;\n"
                 "create.hContext = NULL;\n",
    },
    {
        RULE(629, DRIVER, DOCUMENTED, CREATION_FAILS),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "DxgkCbMapContextAllocation maps pages that the allocation has: OffsetInPages "
                     "and SizeInPages count pages of 4 KB inside of it.",
        .page = "ns-d3dkmddi-_dxgkargcb_mapcontextallocation",
        .how = "The range is compared with Size of DxgkCbCreateContextAllocation.",
        .why = "There is no memory that the other addresses could lead to.",
        .windows = "The callback returns NULL, as for user mode.",
        .windows_source = NOT_KNOWN,
        .wrong = "map.SizeInPages = bytes;\n",
        .right = "map.SizeInPages = BYTES_TO_PAGES(bytes);\n",
    },
    {
        RULE(345, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "INIT_CONTEXT_RESOURCE has an address for the CPU if the allocation is "
                     "visible and protected and can only be in apertures, and NULL otherwise.",
        .page = "nc-d3dkmddi-dxgkcb_createcontextallocation",
        .how = "VirtualAddress of each INIT_CONTEXT_RESOURCE, by the flags and segments that the "
               "allocation was created with.",
        .why = "Only then is there memory that the CPU can keep mapped.",
        .windows = "The system passes NULL for all others.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(346, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN8,
        .statement = "A context allocation is resident before any command of its context runs, one "
                     "of a device before any context of it.",
        .page = "nc-d3dkmddi-dxgkcb_createcontextallocation",
        .how = "With every DxgkDdiSubmitCommand: the allocations of its context and its device "
               "were paged in, unless a reset hides where they are. With every "
               "DxgkDdiSubmitCommandVirtual: the driver was told that they are resident, where it "
               "asked to be told, and the addresses that they were mapped to lead somewhere.",
        .why = "The GPU saves and restores its state there.",
        .windows = "The system pages it in first.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(347, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "DxgkCbUpdateContextAllocation returns when the paging operation is complete.",
        .page = "nc-d3dkmddi-dxgkcb_updatecontextallocation",
        .how = "When the callback returns STATUS_SUCCESS the driver was asked to build the "
               "operation with the bytes that it gave, and the GPU has completed it.",
        .why = "The driver uses the result at once.",
        .windows = "The callback waits.",
        .windows_source = THE_PAGE,
        .wrong = "BuildPagingBuffer(adapter, &update);\n"
                 "return STATUS_SUCCESS; /* the GPU will do it */\n",
        .right = "BuildPagingBuffer(adapter, &update);\n"
                 "return WaitForFence(Submit(buffer));\n",
    },
    {
        RULE(348, MANAGER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "The address of UPDATECONTEXTALLOCATION is one for paging, and the private "
                     "data is what the driver passed.",
        .page = "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatecontextallocation",
        .how = "With every UPDATE_CONTEXT_ALLOCATION: a callback under way has given these bytes, "
               "the size is the allocation's, and each page of the address leads somewhere in the "
               "paging process's tables.",
        .why = "The data tells the driver what to write.",
        .windows = "The system passes both on.",
        .wrong = "arg.UpdateContextAllocation.pDriverPrivateData = allocation->private_data;\n",
        .right = "arg.UpdateContextAllocation.pDriverPrivateData = args->pPrivateDriverData;\n",
    },
    {
        RULE(349, MANAGER, DOCUMENTED, CREATION_FAILS),
        .last = LAST_WDDM1,
        .statement = "Swizzling ranges are acquired for allocations in segments that the CPU sees, "
                     "or with UseAlternateVA.",
        .page = "nc-d3dkmddi-dxgkddi_acquireswizzlingrange",
        .how = "The segment, and the allocation's flags, at each DxgkDdiAcquireSwizzlingRange.",
        .why = "There is nothing to unswizzle elsewhere.",
        .windows = "The system evicts and gives plain memory instead.",
    },
    {
        RULE(350, MANAGER, DOCUMENTED, CORRUPTION),
        .last = LAST_WDDM1,
        .statement = "RangeId is below NumberOfSwizzlingRanges, and a range serves one allocation "
                     "and private data until it is released.",
        .page = "nc-d3dkmddi-dxgkddi_acquireswizzlingrange",
        .how = "RangeId at each DxgkDdiAcquireSwizzlingRange, and who has that range.",
        .why = "The hardware has that many ranges.",
        .windows = "The system releases a range before it is used again.",
    },
    {
        RULE(351, DRIVER, DOCUMENTED, CORRUPTION),
        .last = LAST_WDDM1,
        .statement = "Whenever it succeeds, the driver sets CPUTranslatedAddress to where the "
                     "CPU reaches the range; it changes RangeSize only with UseAlternateVA.",
        .page = "ns-d3dkmddi-_dxgkarg_acquireswizzlingrange",
        .how = "RangeSize before and after, whether the CPU reaches memory at "
               "CPUTranslatedAddress, and whether another range shows another allocation there. "
               "Where a surface has other bytes after its eviction than the CPU wrote through its "
               "range (R185), whether the address came back as it was.",
        .why = "The system maps that many bytes there.",
        .windows = "Applications write to other memory.",
        .wrong = "NTSTATUS AcquireSwizzlingRange(HANDLE hAdapter, DXGKARG_ACQUIRESWIZZLINGRANGE "
                 "*args) {\n"
                 "    args->RangeSize = WINDOW_SIZE; /* what the hardware has */\n"
                 "    args->CPUTranslatedAddress = WindowAddress(args->RangeId);\n",
        .right = "NTSTATUS AcquireSwizzlingRange(HANDLE hAdapter, DXGKARG_ACQUIRESWIZZLINGRANGE "
                 "*args) {\n"
                 "    if (args->RangeSize > WINDOW_SIZE)\n"
                 "        return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;\n"
                 "    args->CPUTranslatedAddress = WindowAddress(args->RangeId);\n",
    },
    {
        RULE(352, DRIVER, DOCUMENTED, CORRUPTION),
        .severity_source = THE_PAGE,
        .last = LAST_WDDM1,
        .statement =
            "Releasing a range frees the one that is named, even if the allocation has others.",
        .page = "nc-d3dkmddi-dxgkddi_releaseswizzlingrange",
        .how = "At each DxgkDdiReleaseSwizzlingRange: what the CPU sees through all others stays, "
               "and what it wrote through this one is in the memory that it leads to, if that is "
               "in linear order. Stage ranges releases the first range before the second, and the "
               "second before the first, and one of two ranges of the same surface.",
        .why = "The others are still mapped.",
        .windows = "Applications see swizzled bytes through the ranges that are gone.",
        .windows_source = THE_PAGE,
        .wrong = "NTSTATUS ReleaseSwizzlingRange(HANDLE hAdapter, const "
                 "DXGKARG_RELEASESWIZZLINGRANGE *args) {\n"
                 "    for (UINT i = 0; i < RANGES; i++)\n"
                 "        CloseWindow(i);\n",
        .right = "NTSTATUS ReleaseSwizzlingRange(HANDLE hAdapter, const "
                 "DXGKARG_RELEASESWIZZLINGRANGE *args) {\n"
                 "    CloseWindow(args->RangeId);\n",
    },
    {
        RULE(353, MANAGER, DOCUMENTED, PERFORMANCE),
        .last = LAST_WDDM1,
        .statement = "After UNSUPPORTED nothing is tried again, after UNAVAILABLE another range is "
                     "released and it is, until none is left.",
        .page = "nc-d3dkmddi-dxgkddi_acquireswizzlingrange",
        .how = "The call after each refusal, if it is for the same allocation with no other call "
               "between.",
        .why = "Only the second reason goes away.",
        .windows = "The system keeps to it.",
        .windows_source = THE_PAGE,
    },
    {
        RULE(550, DRIVER, IMPLIED, PERFORMANCE),
        .last = LAST_WDDM1,
        .statement =
            "Each range that NumberOfSwizzlingRanges counts can be acquired, and again when it was "
            "released: UNAVAILABLE is no answer when all ranges were released and one of that size "
            "was given before, nor UNSUPPORTED for an allocation that another range serves.",
        .page = "nc-d3dkmddi-dxgkddi_acquireswizzlingrange",
        .how = "The answer to a request while no range is in use; two answers for the same "
               "allocation, its segment and size; and whether a swizzled surface ever got a range. "
               "Stage ranges has one surface get a range and leave a hundred times. "
               "What the CPU would see through a range that was released is not judged: no page "
               "says what is there.",
        .why = "UNAVAILABLE says that another range uses what is needed, and there is none; "
               "UNSUPPORTED is said of the allocation, whichever range it is asked for.",
        .windows = "The lock fails when all ranges are released and the driver says UNAVAILABLE.",
        .windows_source = THE_PAGE,
        .wrong =
            "if (Read(adapter, RangeControl(args->RangeId)) != RANGE_OFF) /* no release did it */\n"
            "    return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE;\n",
        .right = "Write(adapter, RangeControl(args->RangeId), RANGE_OFF); /* the release */\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(483, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Only one thread at a time is in DxgkDdiAcquireSwizzlingRange or "
                     "DxgkDdiReleaseSwizzlingRange.",
        .page = "threading-and-synchronization-first-level",
        .how = "Threads inside the two calls are counted; a second one is a finding.",
        .why = "The driver keeps its ranges without a lock because of this promise.",
        .windows = "The system serialises calls of one class.",
        .windows_source = THE_PAGE,
        .wrong = "/* the lock of the application's device alone */\n"
                 "DxgkDdiReleaseSwizzlingRange(adapter, &args);\n",
        .right = "ExAcquireFastMutex(&swizzling);\n"
                 "DxgkDdiReleaseSwizzlingRange(adapter, &args);\n"
                 "ExReleaseFastMutex(&swizzling);\n",
    },
};
