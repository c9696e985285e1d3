/* SPDX-License-Identifier: MIT */
/*
 * Layout of what the display half of the contract exchanges, as far as its pages give types, widths and lengths: layout.c
 * does the same for the memory half. Sizes and offsets are static asserts; main() sets bit-fields and looks at the bytes.
 */
#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <stdio.h>

#define SIZE(type, bytes)        C_ASSERT(sizeof(type) == (bytes))
#define AT(type, member, offset) C_ASSERT(offsetof(type, member) == (offset))
#define VALUE(name, number)      C_ASSERT((unsigned)(name) == (number))

#if UINTPTR_MAX == UINT64_MAX

/* Output protection: the lengths that the pages print make pages of 4096 bytes. */
SIZE(DXGKMDT_OPM_RANDOM_NUMBER, 0x10);
SIZE(DXGKMDT_OPM_OMAC, 0x10);
SIZE(DXGKMDT_OPM_ENCRYPTED_PARAMETERS, 0x100);
SIZE(DXGKMDT_OPM_HDCP_KEY_SELECTION_VECTOR, 0x5);
SIZE(DXGKMDT_OPM_CONFIGURE_PARAMETERS, 0x1000);
SIZE(DXGKMDT_OPM_REQUESTED_INFORMATION, 0x1000);
SIZE(DXGKMDT_OPM_COPP_COMPATIBLE_GET_INFO_PARAMETERS, 0x1000);
SIZE(DXGKMDT_OPM_GET_INFO_PARAMETERS, 0x1010);
AT(DXGKMDT_OPM_GET_INFO_PARAMETERS, guidInformation, 0x20);
AT(DXGKMDT_OPM_GET_INFO_PARAMETERS, abParameters, 0x38);
SIZE(DXGKMDT_OPM_STANDARD_INFORMATION, 0x20);
SIZE(DXGKMDT_OPM_ACTUAL_OUTPUT_FORMAT, 0x2c);
VALUE(DXGKMDT_OPM_CGMSA_COPY_NEVER, 4);
VALUE(DXGKMDT_OPM_ACP_LEVEL_THREE, 3);

/* Interfaces: the head is INTERFACE, one pointer a function follows. */
AT(DXGK_OPM_INTERFACE, DxgkDdiOPMGetCertificateSize, sizeof(INTERFACE));
SIZE(DXGK_OPM_INTERFACE, sizeof(INTERFACE) + 9 * 8);
SIZE(DXGK_I2C_INTERFACE, sizeof(INTERFACE) + 2 * 8);
SIZE(DXGK_BRIGHTNESS_INTERFACE, sizeof(INTERFACE) + 3 * 8);
SIZE(DXGK_AGP_INTERFACE, sizeof(INTERFACE) + 3 * 8);
SIZE(DXGK_DEBUG_REPORT_INTERFACE, sizeof(INTERFACE) + 3 * 8);
SIZE(DXGK_TIMED_OPERATION_INTERFACE, sizeof(INTERFACE) + 3 * 8);
SIZE(DXGK_MONITORDESCRIPTORSET_INTERFACE, 0x20);
SIZE(DXGK_MONITORFREQUENCYRANGESET_INTERFACE, 0x20);

/* Monitors, colour */
SIZE(D3DKMDT_PALETTEDATA, 0x4);
SIZE(DXGKARG_SETPALETTE, 0x18);
SIZE(D3DDDI_DXGI_RGB, 0xc);
SIZE(D3DDDI_GAMMA_RAMP_RGB256x3x16, 0x600);
SIZE(D3DDDI_GAMMA_RAMP_DXGI_1, 0xc * (2 + 1025));
VALUE(D3DKMDT_VOT_BNC, 2);
VALUE(D3DDDIFMT_DXVACOMPBUFFER_MAX, 181);
VALUE(D3DDDIFMT_FILMGRAINBUFFER, D3DDDIFMT_BITSTREAMDATA + 2);

/* Overlays */
SIZE(DXGK_OVERLAYINFO, 0x48);
AT(DXGK_OVERLAYINFO, DstRect, 0x14);
SIZE(DXGKARG_FLIPOVERLAY, 0x28);

/* Resources of user mode */
SIZE(D3DDDI_RESOURCEFLAGS, 0x4);
SIZE(D3DDDI_SURFACEINFO, 0x20);
SIZE(D3DDDI_KERNELOVERLAYINFO, 0x38);

#if WDDM_AT_LEAST(WIN7)
SIZE(D3DKM_TRANSPARENTBLTFLAGS, 0x4);
AT(DXGK_GDIARG_BITBLT, SrcAllocationIndex, 0x20);
AT(DXGK_GDIARG_BITBLT, pSubRects, 0x30);
AT(DXGK_GDIARG_BITBLT, Rop3, 0x39);
AT(DXGK_GDIARG_BITBLT, SrcPitch, 0x3c);
AT(DXGK_GDIARG_STRETCHBLT, Flags, 0x38);
AT(DXGK_GDIARG_COLORFILL, Color, 0x20);
AT(DXGK_RENDERKM_COMMAND, Command, 0x8);
VALUE(DXGK_GDIOP_CLEARTYPEBLEND, 7);
VALUE(DXGK_GDIROPCF_ROP3, 7);
SIZE(DXGK_MONITOR_INTERFACE_V2, 0x38);
#endif

#if WDDM_AT_LEAST(WIN8)
SIZE(DXGK_CHILD_CONTAINER_ID, 0x20);
AT(DXGK_CHILD_CONTAINER_ID, EldInfo.ProductCode, 0x1a);
SIZE(DXGK_BRIGHTNESS_CAPS, 0x4);
SIZE(DXGK_BACKLIGHT_INFO, 0x604);
SIZE(DXGK_SPB_INTERFACE, sizeof(INTERFACE) + 5 * 8);
SIZE(DXGK_FIRMWARE_TABLE_INTERFACE, sizeof(INTERFACE) + 2 * 8);
SIZE(DXGK_MULTIPLANE_OVERLAY_FLAGS, 0x4);
AT(DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES, Rotation, 0x34);
AT(DXGK_MULTIPLANE_OVERLAY_PLANE, AllocationAddress, 0x10);
AT(DXGK_MULTIPLANE_OVERLAY_PLANE, PlaneAttributes, 0x20);
#endif

#if WDDM_AT_LEAST(WDDM1_3)
SIZE(DXGK_MIRACAST_CHUNK_ID, 0x8);
SIZE(DXGK_MIRACAST_CHUNK_INFO, 0x18);
SIZE(DXGK_MIRACAST_DISPLAY_CALLBACKS, 0x18);
SIZE(DXGK_MIRACAST_DISPLAY_INTERFACE, sizeof(INTERFACE) + 4 * 8);
SIZE(DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO, 0x4);
SIZE(DXGK_HISTORY_BUFFER_HEADER, 0x10);
AT(DXGK_HISTORY_BUFFER, DriverPrivateData, 0x10);
AT(DXGKARGCB_NOTIFY_INTERRUPT_DATA, MiracastEncodeChunkCompleted.ChunkInfo, 0x10);
AT(DXGKARGCB_NOTIFY_INTERRUPT_DATA, Flags, 0x48);
#endif

#if WDDM_AT_LEAST(WDDM2_1)
AT(DXGK_MULTIPLANE_OVERLAY_PLANE3, PresentId, 0x8);
AT(DXGK_MULTIPLANE_OVERLAY_PLANE3, PlaneAttributes, 0x38);
SIZE(DXGK_HDR_METADATA, 0x10);
SIZE(D3DDDI_HDR_METADATA_HDR10, 0x1c);
SIZE(DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2, 0x18);
SIZE(DXGK_MONITORLINKINFO, 0xc);
#endif

#if WDDM_AT_LEAST(WDDM2_4)
SIZE(DXGKARG_SETUPPRIORITYBANDS, 0x68);
SIZE(DXGKDDI_SRIOV_INTERFACE, sizeof(INTERFACE) + 11 * 8);
SIZE(DXGKDDI_MITIGABLE_DEVICE_INTERFACE, sizeof(INTERFACE) + 2 * 8);
#endif

#if WDDM_AT_LEAST(WDDM2_6)
SIZE(DXGK_KSR_MEMORY_RANGE, 0x8);
SIZE(DXGKDDI_GPU_PARTITION_INTERFACE, sizeof(INTERFACE) + 12 * 8);
VALUE(DXGK_VGPU_CAPABILITY_MAX, 4);
VALUE(DXGK_FEATURE_KERNEL_MODE_TESTING, 33);
#endif

#if WDDM_AT_LEAST(WDDM2_7)
SIZE(DXGK_DP_INTERFACE, sizeof(INTERFACE) + 5 * 8);
SIZE(DXGK_MIPI_DSI_INTERFACE, sizeof(INTERFACE) + 3 * 8);
SIZE(DXGK_DISPLAY_DIAGNOSTICS_INTERFACE, sizeof(INTERFACE) + 2 * 8);
SIZE(DXGK_DSI_PACKET, 0xc);
AT(DXGK_DSI_PACKET, LongWriteWordCount, 0x1);
AT(DXGK_DSI_PACKET, EccFiller, 0x3);
AT(DXGK_DSI_PACKET, Payload, 0x4);
AT(DXGK_DSI_CAPS, LengthLo, offsetof(DXGK_DSI_CAPS, ResultCodeFlags) + 11);
#endif

#if WDDM_AT_LEAST(WDDM2_9)
SIZE(DXGK_FLIPQUEUE_LOG_ENTRY, 0x10);
SIZE(DXGKARG_CANCELQUEUEDFLIPS, 0x18);
SIZE(DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT, 0x8);
#endif

#if WDDM_AT_LEAST(WDDM3_0)
SIZE(DXGK_CONNECTION_USB4_INFO, 0x7);
SIZE(DXGK_CANCELFLIPS_PLANE, 0x18);
#endif

#if WDDM_AT_LEAST(WDDM3_1)
/* Two slots that other pages call by another name. */
AT(DRIVER_INITIALIZATION_DATA, DxgkDdiNotifyCurrentValueUpdates,
   offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiUpdateCurrentValuesFromCpu));
AT(DRIVER_INITIALIZATION_DATA, DxgkDdiFlushHwQueue,
   offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiNotifyWorkSubmission) + 8);
#endif

#endif

static unsigned checked, wrong;

static void bits_are(const char *name, unsigned seen, unsigned want) {
    checked++;
    if (seen != want) {
        wrong++;
        printf("%s: bits 0x%x, expected 0x%x\n", name, seen, want);
    }
}

/* All ones in a field must be exactly these bits of the structure's Value. */
#define BITS(type, field, mask)                                                                    \
    do {                                                                                           \
        type v_;                                                                                   \
        memset(&v_, 0, sizeof(v_));                                                                \
        v_.field = (mask) / ((mask) & (0u - (mask)));                                              \
        bits_are(#type "." #field, v_.Value, (mask));                                              \
    } while (0)

int main(void) {
    BITS(D3DDDI_RESOURCEFLAGS, RenderTarget, 0x1u);
    BITS(D3DDDI_RESOURCEFLAGS, RestrictSharedAccess, 0x80000000u);
    BITS(D3DDDI_CREATECONTEXTFLAGS, NullRendering, 0x1u);
    BITS(D3DDDI_CREATECONTEXTFLAGS, InitialData, 0x2u);
    BITS(D3DDDICB_SIGNALFLAGS, EnqueueCpuEvent, 0x2u);
#if WDDM_AT_LEAST(WIN8)
    BITS(DXGK_BRIGHTNESS_CAPS, SmoothBrightness, 0x1u);
    BITS(DXGK_BRIGHTNESS_CAPS, AdaptiveBrightness, 0x2u);
    BITS(DXGK_MULTIPLANE_OVERLAY_FLAGS, VerticalFlip, 0x1u);
    BITS(DXGK_MULTIPLANE_OVERLAY_FLAGS, HorizontalFlip, 0x2u);
    BITS(DXGK_MULTIPLANE_OVERLAY_BLEND, AlphaBlend, 0x1u);
    BITS(DXGK_MULTIPLANE_OVERLAY_YCbCr_FLAGS, NominalRange, 0x1u);
    BITS(DXGK_MULTIPLANE_OVERLAY_YCbCr_FLAGS, Bt709, 0x2u);
    BITS(DXGK_MULTIPLANE_OVERLAY_YCbCr_FLAGS, xvYCC, 0x4u);
    BITS(D3DDDI_RESOURCEFLAGS2, CrossAdapter, 0x4u);
#endif
#if WDDM_AT_LEAST(WDDM1_3)
    BITS(DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO, FailingPlane, 0xfu);
    BITS(DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO, TryAgain, 0x10u);
#endif
#if WDDM_AT_LEAST(WDDM2_1)
    BITS(DXGK_SETVIDPNSOURCEADDRESS_INPUT_FLAGS, RetryAtLowerIrql, 0x8u);
    BITS(DXGKCB_NOTIFY_MPO_VSYNC_FLAGS, PostPresentNeeded, 0x1u);
    BITS(DXGKCB_NOTIFY_MPO_VSYNC_FLAGS, Reserved, 0xfffffffeu);
#endif
    printf("interface 0x%x: %u bit positions checked, %u wrong\n",
           (unsigned)DXGKDDI_INTERFACE_VERSION, checked, wrong);
    return wrong != 0;
}
