/*
 * group_d_life.c - rules R136 to R146: DxgkDdiCreateAllocation, DxgkDdiOpenAllocation and what ends
 * them; which members are [in] (R590, and R592 of other structures). What is said of an allocation
 * meanwhile is group_d_place.c's and group_d_flags.c's; the paging operations that move it are
 * groups E and F.
 */
#define GROUP 'D'
#include "groups.h"

const struct vidmm_rule rules_d_life[] = {
    {
        RULE(136, BOTH, IMPLIED, CREATION_FAILS),
        .statement = "DxgkDdiCreateAllocation creates all elements of its array or none.",
        .page = "nc-d3dkmddi-dxgkddi_createallocation",
        .how = "When the call fails, the driver's pool must be as full as before it, and no handle "
               "of the array may be used or destroyed later.",
        .why = "The error path of the k-th element is the least tested line of a driver; it leaks "
               "or leaves dangling handles.",
        .windows = "Windows forgets all elements of a failed call: what the driver still holds for "
                   "them is leaked.",
        .wrong = "for (i = 0; i < args->NumAllocations; i++)\n"
                 "    if (!NT_SUCCESS(status = create_one(&args->pAllocationInfo[i])))\n"
                 "        return status; /* the first i are leaked */\n",
        .right = "if (!NT_SUCCESS(status)) {\n"
                 "    while (i-- != 0)\n"
                 "        release(args->pAllocationInfo[i].hAllocation);\n"
                 "    return status;\n"
                 "}\n",
    },
    {
        RULE(137, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "DxgkDdiCreateAllocation returns STATUS_SUCCESS, STATUS_INVALID_PARAMETER, "
                     "STATUS_NO_MEMORY or STATUS_GRAPHICS_DRIVER_MISMATCH.",
        .page = "nc-d3dkmddi-dxgkddi_createallocation",
        .how = "The returned status is compared with these four.",
        .why = "Statuses that a call may not return have cost driver authors bugchecks and Code 43 "
               "in other calls of this interface.",
        .windows = "The pages do not say; expect the creation to fail.",
        .windows_source = NOT_KNOWN,
        .wrong = "return STATUS_INSUFFICIENT_RESOURCES;\n",
        .right = "return STATUS_NO_MEMORY;\n",
    },
    {
        RULE(138, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "Allocations and resources belong to the adapter: one that is shared outlives "
                     "the device that created it, and stays open in a device when another closes "
                     "it.",
        .page = "nc-d3dkmddi-dxgkddi_createallocation",
        .how = "The creating device is destroyed while another has the allocation open, and paging "
               "of it must still work. In stage room another device opens and closes surfaces "
               "(nc-d3dkmddi-dxgkddi_closeallocation: it unbinds what is specific to its device): "
               "commands of vidmm/umd.h, presents and commands of GDI of the first device, which "
               "drew to them before, must do so then.",
        .why = "A structure in the device's list, or a pointer back to the device, dangles after "
               "that device is gone.",
        .windows = "Windows goes on using the allocation from the other process; the driver "
                   "follows freed memory.",
        .wrong = "surface->device = device; /* used when paging */\n"
                 "InsertTailList(&device->surfaces, &surface->link); /* freed with it */\n",
        .right = "surface->adapter = adapter;\n",
    },
    {
        RULE(139, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "Every binding of an allocation is closed before the allocation is destroyed.",
        .page = "nc-d3dkmddi-dxgkddi_closeallocation",
        .how = "Opens and closes of each allocation are counted; at DxgkDdiDestroyAllocation the "
               "count must be zero.",
        .why = "A driver frees in Destroy what its bindings point to.",
        .windows = "Windows closes first; if it did not, the bindings would dangle.",
        .windows_source = THE_PAGE,
        .wrong = "DestroyAllocation(adapter, &all);\n"
                 "CloseAllocation(device, &bindings);\n",
        .right = "CloseAllocation(device, &bindings);\n"
                 "DestroyAllocation(adapter, &all);\n",
    },
    {
        RULE(140, MANAGER, DOCUMENTED, PERFORMANCE),
        .statement = "One DxgkDdiCloseAllocation carries all bindings that a device has of a "
                     "resource.",
        .page = "nc-d3dkmddi-dxgkddi_closeallocation",
        .how = "NumAllocations is compared with the number of the device's open bindings whose "
               "allocations share the resource.",
        .why = "A driver may keep one structure for the whole resource and free it here.",
        .windows = "Windows closes a resource with one call.",
        .wrong = "for (i = 0; i < n; i++)\n"
                 "    close(device, 1, &binding[i]);\n",
        .right = "close(device, n, binding);\n",
    },
    {
        RULE(141, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "DxgkDdiDestroyAllocation gets exactly the handles that "
                     "DxgkDdiCreateAllocation returned, each once.",
        .page = "ns-d3dkmddi-_dxgkarg_destroyallocation",
        .how = "Each handle of the list is looked up among the living allocations and removed.",
        .why = "The driver frees memory by these handles: a handle too many is a double free.",
        .windows = "Windows keeps the books; a handle twice would corrupt the pool.",
        .wrong = "destroy(adapter, 2, (HANDLE[]){a, a});\n",
        .right = "destroy(adapter, 2, (HANDLE[]){a, b});\n",
    },
    {
        RULE(142, DRIVER, DOCUMENTED, PERFORMANCE),
        .statement = "In DxgkDdiDestroyAllocation the driver releases all memory that it holds for "
                     "the handles.",
        .page = "ns-d3dkmddi-_dxgkarg_destroyallocation",
        .how = "Stage objects creates and destroys standard surfaces one after the other, stage "
               "promises those of drivers for vidmm/umd.h, which it uses, too: the number of pool "
               "blocks must not grow with every one. Only pool is judged: not pages, not MDLs.",
        .why = "A driver lives as long as the machine runs, and leaks of nonpaged pool end it.",
        .windows = "Windows does not notice; the pool grows until allocation fails elsewhere.",
        .wrong = "release(surface); /* its page list stays */\n",
        .right = "release(surface->pages);\n"
                 "release(surface);\n",
    },
    {
        RULE(627, DRIVER, IMPLIED, PERFORMANCE),
        .statement = "In the functions that destroy a process, a device and a context the driver "
                     "releases all memory that it holds for them.",
        .page = "nc-d3dkmddi-dxgkddi_destroyprocess",
        .how =
            "Stage objects creates and destroys a process, a device and a context 1,100 times: in "
            "the later half the number of pool blocks must not grow with every one. K9 says what "
            "is left after DxgkDdiUnload.",
        .why = "Every application that starts and ends leaves something behind.",
        .windows = "Windows does not notice; the pool grows until allocation fails elsewhere.",
        .wrong = "NTSTATUS DestroyContext(const HANDLE context) {\n"
                 "    return STATUS_SUCCESS; /* the adapter frees it */\n",
        .right = "NTSTATUS DestroyContext(const HANDLE context) {\n"
                 "    ExFreePoolWithTag(context, TAG);\n"
                 "    return STATUS_SUCCESS;\n",
    },
    {
        RULE(628, DRIVER, IMPLIED, CREATION_FAILS),
        .statement = "DxgkDdiOpenAllocation opens in the creating device what "
                     "DxgkDdiCreateAllocation created, and the system's own device and context are "
                     "created: STATUS_NO_MEMORY is the one reason to fail.",
        .page = "nc-d3dkmddi-dxgkddi_openallocationinfo",
        .how = "The status of DxgkDdiOpenAllocation with Flags.Create, of DxgkDdiCreateDevice with "
               "SystemDevice and of DxgkDdiCreateContext with SystemContext, where no memory was "
               "refused to the driver. Any other creation may fail: K25.",
        .why =
            "The creation took the same private data; and without the system's context nothing is "
            "paged.",
        .windows = "Not known. The application's request fails, or the adapter does not start.",
        .windows_source = NOT_KNOWN,
        .wrong = "if (args->NumAllocations > 8)\n"
                 "    return STATUS_INVALID_PARAMETER; /* DxgkDdiCreateAllocation took them */\n",
        .right = "for (i = 0; i < args->NumAllocations; i++)\n"
                 "    args->pOpenAllocation[i].hDeviceSpecificAllocation = bind(device, i);\n",
    },
    {
        RULE(143, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "When DxgkDdiOpenAllocation succeeds, hDeviceSpecificAllocation of every "
                     "element is not NULL.",
        .page = "nc-d3dkmddi-dxgkddi_openallocationinfo",
        .how = "The member of each element is checked after the call.",
        .why = "It is the handle that allocation lists carry; NULL means there that the entry is "
               "unused.",
        .windows = "The pages do not say; expect the open to fail, or NULL to travel in allocation "
                   "lists as an unused entry.",
        .windows_source = NOT_KNOWN,
        .wrong = "return STATUS_SUCCESS; /* \"we need no binding\" */\n",
        .right = "for (i = 0; i < args->NumAllocations; i++)\n"
                 "    args->pOpenAllocation[i].hDeviceSpecificAllocation = bind(device, i);\n",
    },
    {
        RULE(144, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "In DxgkDdiOpenAllocation the driver writes to private data only when "
                     "Flags.Create is set.",
        .page = "nc-d3dkmddi-dxgkddi_openallocationinfo",
        .how = "The bytes of the private data are compared before and after an open without "
               "Create.",
        .why = "With a shared resource the same bytes go to several processes, and the second open "
               "would change what the first one saw.",
        .windows = "Windows does not check; the other process reads changed data.",
        .wrong = "blob->handle = next_id(); /* on every open */\n",
        .right = "if (args->Flags.Create)\n"
                 "    blob->handle = next_id();\n",
    },
    {
        RULE(145, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "An allocation is destroyed only after queued GPU work that may use it is "
                     "done, unless the client said AssumeNotInUse.",
        .page = "allocation-usage-tracking",
        .how = "At DxgkDdiDestroyAllocation the fences of all submissions that reference the "
               "allocation must have completed, and of paging work all that names it.",
        .why = "Clients free textures right after the last draw call; the wait is not theirs.",
        .windows = "Windows defers the destruction; otherwise the GPU would read memory that is "
                   "someone else's.",
        .wrong = "destroy(allocation); /* fence 17 uses it, 16 is complete */\n",
        .right = "wait(allocation->last_fence);\n"
                 "destroy(allocation);\n",
    },
    {
        RULE(146, MANAGER, DOCUMENTED, PERFORMANCE),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM2_0,
        .statement = "With SynchronousDestroy the call returns only after the memory has been "
                     "reclaimed.",
        .page = "ns-d3dukmdt-_d3dddicb_destroyallocation2flags",
        .how = "Not judged: vidmm's manager destroys without flags, and always waits. It "
               "would take a destruction that can be put off, and a record of when the "
               "client's call returned.",
        .why = "A client sets it when it needs the memory for its next allocation.",
        .windows = "Windows makes the caller wait.",
        .wrong = "queue_destroy(allocation);\n"
                 "return S_OK;\n",
        .right = "queue_destroy(allocation);\n"
                 "wait_reclaimed(allocation);\n"
                 "return S_OK;\n",
    },
    {
        RULE(432, MANAGER, DOCUMENTED, CORRUPTION),
        .statement = "For a further allocation of a resource hResource is what the driver left "
                     "there last, and for a new one NULL.",
        .page = "ns-d3dkmddi-_dxgkarg_createallocation",
        .how = "hResource of every call must be NULL or the handle of a resource that is alive.",
        .why = "The driver follows its own handle.",
        .windows = "No page tells more than the member.",
        .windows_source = NOT_KNOWN,
        .wrong = "args.hResource = resource->first_handle; /* the driver changed it since */\n",
        .right = "args.hResource = resource->handle; /* kept after each call */\n",
    },
    {
        RULE(436, DRIVER, DOCUMENTED, BUGCHECK),
        .statement = "Private data from user mode is checked before it is used, and what is "
                     "malformed is refused with STATUS_INVALID_PARAMETER.",
        .page = "nc-d3dkmddi-dxgkddi_createallocation",
        .how =
            "Stage objects creates standard surfaces, and those of vidmm/umd.h, from descriptions "
            "of which one word is another, resources from less than their private data, and "
            "contexts from bytes of no language: where a rule is broken that was kept so far, or "
            "the driver dies, malformed data were taken for good ones; rules that pages "
            "contradict, "
            "and those for which the creation fails, are left out. What is malformed is for the "
            "driver to know: it may create what an "
            "allocation may be, and may refuse what it could have served. Less private data of an "
            "allocation is R537, escapes are R533.",
        .why = "Any application can pass any bytes.",
        .windows = "No page tells; a driver that follows what it was given is a bugcheck, or a way "
                   "into the kernel.",
        .windows_source = NOT_KNOWN,
        .wrong = "const struct my_data *data = info->pPrivateDriverData;\n"
                 "object = table[data->index];\n",
        .right = "if (info->PrivateDriverDataSize != sizeof(*data) || data->index >= entries)\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
    {
        RULE(525, DRIVER, IMPLIED, CORRUPTION),
        .statement = "The calls that end an object succeed when it is there: those that close and "
                     "destroy allocations and destroy contexts, devices and processes.",
        .page = "nc-d3dkmddi-dxgkddi_destroyallocation",
        .how = "Their status must be STATUS_SUCCESS; the pages allow an error result where the "
               "object could not be released, and no reason is known that a driver has for that.",
        .why = "The system's half is gone in any case: what the driver keeps is never freed, and "
               "refers to handles that are given again.",
        .windows = "No page tells what comes of a refusal.",
        .windows_source = NOT_KNOWN,
        .wrong = "if (binding->busy)\n"
                 "    return STATUS_DEVICE_BUSY;\n",
        .right = "free_binding(binding);\n"
                 "return STATUS_SUCCESS;\n",
    },
    {
        RULE(551, DRIVER, DOCUMENTED, BUGCHECK),
        .statement =
            "DxgkDdiGetStandardAllocationDriverData is asked for the sizes of the private "
            "data first: both pointers are NULL, nothing is written there, and it succeeds where "
            "the driver describes such a surface.",
        .page = "ns-d3dkmddi-_dxgkarg_getstandardallocationdriverdata",
        .how = "The call returns, or a write to NULL ends the driver in it. Where it fails, stage "
               "objects asks with room for any description, which must fail, too.",
        .why = "The system allocates what the driver says that it needs, and then asks again.",
        .windows = "Bugcheck 0x3B or 0x7E: access violation in the driver.",
        .windows_source = NOT_KNOWN,
        .wrong = "args->AllocationPrivateDriverDataSize = sizeof(*surface);\n"
                 "surface = args->pAllocationPrivateDriverData;\n"
                 "surface->Width = wanted->Width;\n",
        .right = "args->AllocationPrivateDriverDataSize = sizeof(*surface);\n"
                 "if (!args->pAllocationPrivateDriverData)\n"
                 "    return STATUS_SUCCESS;\n",
    },
    {
        RULE(590, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "DxgkDdiCreateAllocation and DxgkDdiOpenAllocation leave the members as they "
                     "are that the pages have as [in]: counts, flags, handles, and where the "
                     "private data are.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how = "Members of DXGKARG_CREATEALLOCATION, DXGK_ALLOCATIONINFO and "
               "DXGK_OPENALLOCATIONINFO are compared with what they were before the call.",
        .why = "The structures are the system's, which goes on with them: a driver that clears one "
               "before it fills it takes the private data away from it.",
        .windows = "No page tells what the system does with a member that was changed.",
        .windows_source = NOT_KNOWN,
        .wrong = "RtlZeroMemory(info, sizeof(*info)); /* and pPrivateDriverData with it */\n"
                 "info->Size = size;\n",
        .right = "info->Alignment = info->PitchAlignedSize = 0;\n"
                 "info->Size = size;\n",
    },
    {
        RULE(626, DRIVER, DOCUMENTED, CORRUPTION),
        .statement =
            "A driver reads the lists of DxgkDdiCloseAllocation, DxgkDdiDestroyAllocation and "
            "DxgkDdiRender as far as NumAllocations, AllocationListSize and CommandLength say.",
        .page = "ns-d3dkmddi-_dxgkarg_closeallocation",
        .how = "The handles of the first two are handed over in memory behind which there is none; "
               "stage room does the same with the commands and the allocation list of "
               "DxgkDdiRender. An access to the memory that is not there ends the stage (K13).",
        .why = "What is behind a list is taken for a handle, an address or a command.",
        .windows = "Not known: what is behind the list decides it.",
        .windows_source = NOT_KNOWN,
        .wrong = "for (i = 0; i <= args->NumAllocations; i++)\n"
                 "    close_one(args->pOpenHandleList[i]);\n",
        .right = "for (i = 0; i < args->NumAllocations; i++)\n"
                 "    close_one(args->pOpenHandleList[i]);\n",
    },
    {
        RULE(599, DRIVER, IMPLIED, CORRUPTION),
        .statement =
            "A function that answers in a structure or buffer of the system's writes nothing "
            "behind it, no "
            "pointer to its own stack (DxgkDdiCreateAllocation, descriptions of segments), and "
            "what it is asked for "
            "(DxgkDdiGetStandardAllocationDriverData: both sizes).",
        .page = "nc-d3dkmddi-dxgkddi_getnodemetadata",
        .how =
            "The functions that create devices, contexts and processes, describe allocations, and "
            "tell of nodes, fences and root tables get their structure with guard bytes around "
            "it; so does DxgkDdiQueryDeviceDescriptor its buffer, for a whole block of an EDID and "
            "for parts, which stage query asks for of video outputs with a monitor "
            "(nc-dispmprt-dxgkddi_query_device_descriptor: never more than DescriptorLength "
            "bytes). DxgkDdiQueryAdapterInfo has R545. The two sizes are a pattern when the driver "
            "is "
            "asked for them (ns-d3dkmddi-_dxgkarg_getstandardallocationdriverdata: a driver "
            "without such data sets them to zero). pAllocationUsageHint "
            "(ns-d3dkmddi-_dxgk_allocationinfo) and pBankRangeTable must not lie below the frame "
            "that made the call, or on the stack of its own that a driver image has. "
            "Members of DXGK_CONTEXTINFO that are left as they came are not judged.",
        .why = "What lies behind is the system's, often its stack.",
        .windows = "No page tells; what was there is lost.",
        .windows_source = NOT_KNOWN,
        .wrong = "RtlZeroMemory(metadata, sizeof(struct newest_metadata));\n",
        .right = "RtlZeroMemory(metadata, sizeof(*metadata));\n",
    },
    {
        RULE(655, DRIVER, DOCUMENTED, PERFORMANCE),
        .statement = "DxgkDdiQueryDeviceDescriptor answers the bytes of a monitor's EDID from "
                     "DescriptorOffset on, and STATUS_MONITOR_NO_MORE_DESCRIPTOR_DATA where "
                     "there are none.",
        .page = "nc-dispmprt-dxgkddi_query_device_descriptor",
        .how = "Stage query asks video outputs with a monitor for the base block, then for parts "
               "of it, which must have the same bytes where they are answered, and for the block "
               "behind it, which is refused where byte 126 of the base block is 0. Nothing is "
               "judged of what does not begin as an EDID does.",
        .why = "The monitor's own driver asks for selected parts.",
        .windows = "Not known. A monitor whose extension is its base block again has other modes.",
        .windows_source = NOT_KNOWN,
        .wrong = "memcpy(descriptor->DescriptorBuffer, edid, descriptor->DescriptorLength);\n",
        .right = "if (descriptor->DescriptorOffset >= edid_bytes)\n"
                 "    return STATUS_MONITOR_NO_MORE_DESCRIPTOR_DATA;\n"
                 "memcpy(descriptor->DescriptorBuffer, edid + descriptor->DescriptorOffset, "
                 "length);\n",
    },
    {
        RULE(631, DRIVER, IMPLIED, CORRUPTION),
        .statement = "A driver uses the structure of a call until the call returns, and keeps no "
                     "pointer to it.",
        .page = "nc-d3dkmddi-dxgkddi_createcontext",
        .how = "The functions of R599 get a structure whose bytes are others after the call, and "
               "those "
               "that create and open allocations an array and private data of each of them. The "
               "first ones, and one of 64 later ones (of 1,024 after the first 4,096), are out of "
               "reach then. So it is with the "
               "structures of queries, allocations, paging operations, work, preemption, engines, "
               "root tables and the CPU's ranges and apertures, whether they are const or not: the "
               "first three of each function, and one of 64 later ones; of work that is submitted "
               "to a node that has others under way the first 256 behind each number of them. What "
               "other members point to is not judged.",
        .why = "The structure is a variable of the system's, and something else is there next.",
        .windows = "No page tells. The driver reads what another call left on the stack.",
        .windows_source = NOT_KNOWN,
        .wrong = "context->args = args; /* and in DxgkDdiSubmitCommand */\n"
                 "if (context->args->Flags.SystemContext)\n",
        .right = "context->Flags = args->Flags;\n",
    },
    {
        RULE(592, DRIVER, DOCUMENTED, CORRUPTION),
        .statement =
            "The functions that create contexts and processes, render, describe an allocation, ask "
            "for a fence or are about one engine leave the members as they are that their pages "
            "have as [in].",
        .page = "ns-d3dkmddi-_dxgkarg_createcontext",
        .how =
            "Nodes, engines, flags, handles, sizes, and the places of private data, commands and "
            "lists are compared with what they were before the call. Not those that count the room "
            "that is left (DmaSize, the private data of a DMA buffer), which drivers move on. "
            "Allocations have R590, paging operations R591.",
        .why = "The structures are the system's, which goes on with them: another node, or a list "
               "of another length, is what it believes from then on.",
        .windows = "No page tells what the system does with a member that was changed.",
        .windows_source = NOT_KNOWN,
        .wrong = "RtlZeroMemory(args, sizeof(*args)); /* and NodeOrdinal with it */\n"
                 "args->hContext = context;\n",
        .right = "args->hContext = context;\n"
                 "RtlZeroMemory(&args->ContextInfo, sizeof(args->ContextInfo));\n",
    },
    {
        RULE(526, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "DxgkDdiCreateAllocation creates a standard surface from the private data "
                     "that DxgkDdiGetStandardAllocationDriverData returned for it.",
        .page = "nc-d3dkmddi-dxgkddi_getstandardallocationdriverdata",
        .how = "Private data are remembered; a creation of one allocation of up to 64 MB with such "
               "data must succeed, or fail for want of memory.",
        .why = "The system creates shadow, staging and redirection surfaces without a user-mode "
               "driver, and has no other way to describe them.",
        .windows = "No page tells what comes of a refusal.",
        .windows_source = NOT_KNOWN,
        .wrong = "if (info->PrivateDriverDataSize < sizeof(struct umd_data)) /* of the standard "
                 "ones it is smaller */\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
        .right = "if (is_standard(info->pPrivateDriverData, info->PrivateDriverDataSize))\n"
                 "    return create_standard(adapter, info);\n",
    },
    {
        RULE(527, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "Pitch of a standard surface holds a row of it where the driver has to return "
                     "it, and Size of its allocation holds all rows.",
        .page = "ns-d3dkmdt-_d3dkmdt_shadowsurfacedata",
        .how = "Pitch is compared with Width and the bytes of a pixel of the usual formats (of "
               "stage display: those of the modes that the driver offers, whose primaries and "
               "shadow surfaces have them), for "
               "shadow and staging surfaces and the GDI surfaces that the CPU sees; Size with the "
               "pitch and Height, and of other kinds with Width and Height. Not judged when the "
               "driver has private data for the resource, too.",
        .why = "The CPU draws into the locked surface, row after row, Pitch bytes apart.",
        .windows = "Windows does not check; what is drawn behind the surface is another "
                   "allocation's.",
        .windows_source = NOT_KNOWN,
        .wrong = "data->bytes = width * height;\n",
        .right = "data->bytes = (ULONGLONG)pitch * height;\n",
    },
    {
        RULE(552, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WDDM1_3,
        .statement =
            "A cross-adapter surface has a Pitch that is a multiple of 128 bytes, and Size "
            "holds its rows, rounded up to a multiple of 4.",
        .page = "using-cross-adapter-resources-in-a-hybrid-system",
        .how = "A driver with CrossAdapterResource is asked for "
               "D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER surfaces of several sizes; Pitch of the "
               "answer, and Size of the allocation where the resource has no private data.",
        .why = "The driver of the other adapter lays the surface out by itself: linear, with these "
               "alignments.",
        .windows = "Windows is not known to check; the picture of the other adapter is askew.",
        .windows_source = NOT_KNOWN,
        .wrong = "gdi->Pitch = gdi->Width * 4;\n",
        .right = "gdi->Pitch = ROUND_UP(gdi->Width * 4, "
                 "D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT);\n"
                 "rows = ROUND_UP(gdi->Height, D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT);\n",
    },
    {
        RULE(598, DRIVER, DOCUMENTED, CORRUPTION),
        .first = DXGKDDI_INTERFACE_VERSION_WIN7,
        .statement =
            "Pitch of a surface of GDI that the CPU accesses is a multiple of the alignment that "
            "the driver reported in AlignmentShift of PresentationCaps.",
        .page = "ne-d3dkmdt-_d3dkmdt_gdisurfacetype",
        .how = "Pitch of the answer for D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE and _EXISTINGSYSMEM "
               "surfaces of several sizes, where AlignmentShift is not 0.",
        .why = "The driver asked for the alignment, and its commands of GDI rely on it.",
        .windows = "Windows is not known to check; blits of such a surface start at wrong rows.",
        .windows_source = NOT_KNOWN,
        .wrong = "gdi->Pitch = gdi->Width * 4; /* AlignmentShift is 6 */\n",
        .right = "gdi->Pitch = ROUND_UP(gdi->Width * 4, 1 << ALIGNMENT_SHIFT);\n",
    },
    {
        RULE(528, DRIVER, DOCUMENTED, CORRUPTION),
        .statement = "DXGKARGCB_GETHANDLEDATA has a handle of the system as hObject and as Type "
                     "DXGK_HANDLE_ALLOCATION or DXGK_HANDLE_RESOURCE; DeviceSpecific comes with "
                     "the first.",
        .page = "nc-d3dkmddi-dxgkcb_gethandledata",
        .how = "The argument of each DxgkCbGetHandleData and DxgkCbAcquireHandleData. hObject is "
               "judged in DxgkDdiOpenAllocation, which has no handle from user mode.",
        .why = "One table of handles has all types; with a wrong one the handle does not resolve.",
        .windows = "No page tells more than that NULL means a handle that was not resolved.",
        .windows_source = NOT_KNOWN,
        .wrong = "DXGKARGCB_GETHANDLEDATA query = {.hObject = info->hAllocation};\n",
        .right = "DXGKARGCB_GETHANDLEDATA query = {.hObject = info->hAllocation,\n"
                 "                                 .Type = DXGK_HANDLE_ALLOCATION};\n",
    },
    {
        RULE(530, DRIVER, IMPLIED, CORRUPTION),
        .statement = "A driver that returns handles for devices, contexts or processes returns "
                     "none of NULL with STATUS_SUCCESS.",
        .page = "nc-d3dkmddi-dxgkddi_createcontext",
        .how = "Handles of one kind must all be NULL or all not: NULL stands for an object that "
               "could not be created. Stage memory has each creation fail.",
        .why = "The system passes the handle to each later call, and the driver follows it.",
        .windows = "No page tells; Windows does not know what a driver's handle is.",
        .windows_source = NOT_KNOWN,
        .wrong = "args->hContext = allocate_context(device); /* NULL without memory */\n"
                 "return STATUS_SUCCESS;\n",
        .right = "args->hContext = allocate_context(device);\n"
                 "return args->hContext ? STATUS_SUCCESS : STATUS_NO_MEMORY;\n",
    },
    {
        RULE(531, DRIVER, IMPLIED, PERFORMANCE),
        .statement =
            "A creation that fails has freed what it allocated: of a device, of a context, "
            "and of allocations of which one could not be created or opened.",
        .page = "nc-d3dkmddi-dxgkddi_createallocation",
        .how =
            "Stage failures has each allocation of memory of such a request fail, several times; "
            "each time the driver must hold as many pool blocks as before. Stage objects does the "
            "same with allocations whose private data the driver refuses.",
        .why = "The system has no handle by which it could ask for the rest to be destroyed.",
        .windows = "The memory is gone until the next boot.",
        .windows_source = NOT_KNOWN,
        .wrong = "for (i = 0; i < args->NumAllocations; i++)\n"
                 "    if (!create_one(&args->pAllocationInfo[i]))\n"
                 "        return STATUS_NO_MEMORY; /* and those before it? */\n",
        .right = "for (i = 0; i < args->NumAllocations; i++)\n"
                 "    if (!create_one(&args->pAllocationInfo[i])) {\n"
                 "        while (i-- != 0)\n"
                 "            destroy_one(&args->pAllocationInfo[i]);\n"
                 "        return STATUS_NO_MEMORY;\n"
                 "    }\n",
    },
    {
        RULE(533, DRIVER, IMPLIED, BUGCHECK),
        .statement = "DxgkDdiEscape reads and writes no more than PrivateDriverDataSize bytes, "
                     "whatever they are, and DxgkDdiCollectDbgInfo writes no more than BufferSize.",
        .page = "ns-d3dkmddi-_dxgkarg_escape",
        .how =
            "Stage objects sends escapes of several sizes, none of them a user-mode driver's, and "
            "looks at the bytes behind them; at its end it sends them in memory behind which there "
            "is none. What the driver answers does not matter. Stage engines asks for debug "
            "reports (ns-d3dkmddi-_dxgkarg_collectdbginfo) as in the first.",
        .why = "Any application can send any bytes.",
        .windows = "No page tells; a driver that follows what it was given is a bugcheck, or a way "
                   "into the kernel.",
        .windows_source = NOT_KNOWN,
        .wrong = "struct my_escape *data = args->pPrivateDriverData;\n"
                 "data->answer = answer(data->question);\n",
        .right = "if (args->PrivateDriverDataSize < sizeof(*data))\n"
                 "    return STATUS_INVALID_PARAMETER;\n",
    },
    {
        RULE(537, DRIVER, IMPLIED, BUGCHECK),
        .statement = "DxgkDdiCreateAllocation uses no more than PrivateDriverDataSize bytes of "
                     "pPrivateDriverData.",
        .page = "ns-d3dkmddi-_dxgk_allocationinfo",
        .how =
            "Stage objects creates standard surfaces from the first bytes of their private data, "
            "twice, and other bytes follow the second time: status, Size, Alignment and sets of "
            "segments are compared. A driver may refuse, or go on without the rest. Of no bytes "
            "pPrivateDriverData is NULL, and must not be followed.",
        .why = "The data comes from user mode as it is, and so does its size.",
        .windows = "No page tells; what follows belongs to another, or is no memory at all.",
        .windows_source = NOT_KNOWN,
        .wrong = "const struct my_surface *data = info->pPrivateDriverData;\n"
                 "info->Size = data->bytes;\n",
        .right = "if (!data || info->PrivateDriverDataSize < sizeof(*data))\n"
                 "    return STATUS_INVALID_PARAMETER;\n"
                 "info->Size = data->bytes;\n",
    },
    {
        RULE(534, DRIVER, DOCUMENTED, CREATION_FAILS),
        .statement = "Allocations of surfaces that the CPU accesses, which are shadow and staging "
                     "surfaces and those of GDI that its type says so of, are CpuVisible.",
        .page = "ns-d3dkmdt-_d3dkmdt_shadowsurfacedata",
        .how = "The flags of each allocation that is created with the private data of such a "
               "surface; not of a compute-only driver, which shows none.",
        .why = "The CPU locks them, to draw into them or to read from them.",
        .windows = "No page tells more than that they are lockable.",
        .windows_source = NOT_KNOWN,
        .wrong = "info->Flags.CpuVisible = 0;\n",
        .right = "info->Flags.CpuVisible = 1;\n",
    },
};
