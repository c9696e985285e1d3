/* versions.c - the sizes of DRIVER_INITIALIZATION_DATA, by the first member that a version
 * lacks. */
#include "driver/versions.h"

#include <ntddk.h>
#include <dispmprt.h>

#define UP_TO(member) offsetof(DRIVER_INITIALIZATION_DATA, member)

static const struct {
    uint32_t version;
    size_t size;
} tables[] = {
    {DXGKDDI_INTERFACE_VERSION_VISTA, UP_TO(DxgkDdiDescribePageTable)},
    {DXGKDDI_INTERFACE_VERSION_VISTA_SP1, UP_TO(DxgkDdiDescribePageTable)},
    {DXGKDDI_INTERFACE_VERSION_WIN7, UP_TO(DxgkDdiSetPowerComponentFState)},
    {DXGKDDI_INTERFACE_VERSION_WIN8, UP_TO(DxgkDdiGetNodeMetadata)},
    {DXGKDDI_INTERFACE_VERSION_WDDM1_3, UP_TO(DxgkDdiRenderGdi)},
    {DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION, UP_TO(DxgkDdiRenderGdi)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_0, UP_TO(DxgkDdiCheckMultiPlaneOverlaySupport3)},
    /* wddm-2-1-features.md prints 0x6002; shipping headers have 0x6003. */
    {0x6002, UP_TO(DxgkDdiCreateHwContext)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_1, UP_TO(DxgkDdiCreateHwContext)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_2, UP_TO(DxgkDdiUpdateHwContextState)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_3, UP_TO(DxgkDdiSetSchedulingLogBuffer)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_4, UP_TO(DxgkDdiSignalMonitoredFence)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_5, UP_TO(DxgkDdiSaveMemoryForHotUpdate)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_6, UP_TO(DxgkDdiControlInterrupt3)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_7, UP_TO(DxgkDdiSetFlipQueueLogBuffer)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_8, UP_TO(DxgkDdiSetFlipQueueLogBuffer)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_9, UP_TO(DxgkDdiSetAllocationBackingStore)},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_0, UP_TO(DxgkDdiCreateNativeFence)},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_1, UP_TO(DxgkDdiCreateMemoryBasis)},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_2, sizeof(DRIVER_INITIALIZATION_DATA)},
};

size_t host_table_size(uint32_t version) {
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        if (tables[i].version == version)
            return tables[i].size;
    return 0;
}
