/* SPDX-License-Identifier: MIT */
/* Scheduling side of a node: preemption, fences, engine reset, interrupts and what a driver reports
 * from them. Pages _dxgkarg_preemptcommand, _dxgkarg_querycurrentfence,
 * _dxgkargcb_notify_interrupt_data. */
#ifndef WDDM_D3DKMDDI_ENGINE_H
#define WDDM_D3DKMDDI_ENGINE_H

#include "d3dukmdt_miracast.h"
#include "ntddk.h"
#include "d3dkmdt.h"

WDDM_BEGIN_DECLS

typedef struct WDDM_LAYOUT _DXGK_PREEMPTCOMMANDFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGK_PREEMPTCOMMANDFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_PREEMPTCOMMAND {
    UINT PreemptionFenceId;
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    DXGK_PREEMPTCOMMANDFLAGS Flags;
} DXGKARG_PREEMPTCOMMAND;

typedef struct WDDM_LAYOUT _DXGKARG_QUERYCURRENTFENCE {
    UINT CurrentFence; /* out */
    UINT NodeOrdinal;
    UINT EngineOrdinal;
} DXGKARG_QUERYCURRENTFENCE;

#if WDDM_AT_LEAST(WIN8)
typedef struct WDDM_LAYOUT _DXGKARG_QUERYDEPENDENTENGINEGROUP {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    ULONGLONG DependentNodeOrdinalMask; /* out */
} DXGKARG_QUERYDEPENDENTENGINEGROUP;

typedef struct WDDM_LAYOUT _DXGK_ENGINESTATUS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Responsive : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_ENGINESTATUS;

typedef struct WDDM_LAYOUT _DXGKARG_QUERYENGINESTATUS {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    DXGK_ENGINESTATUS EngineStatus; /* out */
} DXGKARG_QUERYENGINESTATUS;

typedef struct WDDM_LAYOUT _DXGKARG_RESETENGINE {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    UINT LastAbortedFenceId; /* out */
} DXGKARG_RESETENGINE;
#endif

#if WDDM_AT_LEAST(WDDM2_2)
typedef struct WDDM_LAYOUT _DXGKARG_RESETHWENGINE {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
} DXGKARG_RESETHWENGINE;
#endif

#if WDDM_AT_LEAST(WDDM2_4)
typedef struct WDDM_LAYOUT _DXGKARG_RESUMEHWENGINE {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
} DXGKARG_RESUMEHWENGINE;
#endif

#if WDDM_AT_LEAST(WDDM1_3)
typedef struct WDDM_LAYOUT _DXGKARG_CALIBRATEGPUCLOCK {
    ULONGLONG GpuFrequency;
    ULONGLONG GpuClockCounter;
    ULONGLONG CpuClockCounter;
} DXGKARG_CALIBRATEGPUCLOCK;
#endif

typedef struct WDDM_LAYOUT _DXGKARG_COLLECTDBGINFO_EXT {
    UINT BucketingKey;
    UINT CurrentDmaBufferOffset;
    UINT Reserved2;
    UINT Reserved3;
    UINT Reserved4;
    UINT Reserved5;
    UINT Reserved6;
    UINT Reserved7;
} DXGKARG_COLLECTDBGINFO_EXT;

typedef struct WDDM_LAYOUT _DXGKARG_COLLECTDBGINFO {
    UINT Reason;
    VOID *pBuffer;
    SIZE_T BufferSize;
    DXGKARG_COLLECTDBGINFO_EXT *pExtension;
} DXGKARG_COLLECTDBGINFO;

typedef enum _DXGK_INTERRUPT_TYPE {
    DXGK_INTERRUPT_DMA_COMPLETED = 1,
    DXGK_INTERRUPT_DMA_PREEMPTED = 2,
    DXGK_INTERRUPT_CRTC_VSYNC = 3,
    DXGK_INTERRUPT_DMA_FAULTED = 4,
#if WDDM_AT_LEAST(WIN8)
    DXGK_INTERRUPT_DISPLAYONLY_VSYNC = 5,
    DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS = 6,
    DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY = 7,
#endif
#if WDDM_AT_LEAST(WDDM1_3)
    DXGK_INTERRUPT_MICACAST_CHUNK_PROCESSING_COMPLETE = 8,
#endif
#if WDDM_AT_LEAST(WDDM2_0)
    DXGK_INTERRUPT_DMA_PAGE_FAULTED = 9,
#endif
#if WDDM_AT_LEAST(WDDM2_1)
    DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2 = 10,
#endif
#if WDDM_AT_LEAST(WDDM2_2)
    DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED = 11,
    DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED = 12,
    DXGK_INTERRUPT_HWCONTEXTLIST_SWITCH_COMPLETED = 13,
    DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED = 14,
#endif
#if WDDM_AT_LEAST(WDDM2_4)
    DXGK_INTERRUPT_SCHEDULING_LOG_INTERRUPT = 15,
    DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT = 16,
    DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED = 17,
#endif
#if WDDM_AT_LEAST(WDDM2_9)
    DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3 = 18,
#endif
#if WDDM_AT_LEAST(WDDM3_1)
    DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED = 19,
    DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE = 20,
#endif
} DXGK_INTERRUPT_TYPE;

typedef enum _DXGK_INTERRUPT_STATE {
    DXGK_INTERRUPT_ENABLE = 0,
    DXGK_INTERRUPT_DISABLE = 1
} DXGK_INTERRUPT_STATE;

typedef enum _DXGK_CRTC_VSYNC_STATE {
    DXGK_VSYNC_ENABLE = 0,
    DXGK_VSYNC_DISABLE_KEEP_PHASE = 1,
    DXGK_VSYNC_DISABLE_NO_PHASE = 2
} DXGK_CRTC_VSYNC_STATE;

#if WDDM_AT_LEAST(WDDM1_3)
typedef struct WDDM_LAYOUT _DXGKARG_CONTROLINTERRUPT2 {
    DXGK_INTERRUPT_TYPE InterruptType;
    union WDDM_LAYOUT {
        DXGK_INTERRUPT_STATE InterruptState;
        DXGK_CRTC_VSYNC_STATE CrtcVsyncState;
    };
} DXGKARG_CONTROLINTERRUPT2;
#endif

#if WDDM_AT_LEAST(WDDM2_7)
typedef struct WDDM_LAYOUT _DXGKARG_CONTROLINTERRUPT3 {
    DXGK_INTERRUPT_TYPE InterruptType;
    union WDDM_LAYOUT {
        DXGK_INTERRUPT_STATE InterruptState;
        DXGK_CRTC_VSYNC_STATE CrtcVsyncState;
    };
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} DXGKARG_CONTROLINTERRUPT3;
#endif

typedef struct WDDM_LAYOUT _DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT ValidPhysicalAdapterMask : 1;
#if WDDM_AT_LEAST(WDDM2_1)
            UINT HsyncFlipCompletion : 1;
#endif
#if WDDM_AT_LEAST(WDDM2_1)
            UINT Reserved : 30;
#else
            UINT Reserved : 31;
#endif
        };
        UINT Value;
    };
} DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS;

struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO;
struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2;
struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3;

#if WDDM_AT_LEAST(WIN8)
typedef enum _DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID {
    DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE = 0,
    DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_FAILED = 1
} DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID;

typedef struct WDDM_LAYOUT _DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID ProgressId;
} DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS;
#endif

/* The display arms are here for their size only, except the plain vertical sync. */
typedef struct WDDM_LAYOUT _DXGKARGCB_NOTIFY_INTERRUPT_DATA {
    DXGK_INTERRUPT_TYPE InterruptType;
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT SubmissionFenceId;
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } DmaCompleted;
        struct WDDM_LAYOUT {
            UINT PreemptionFenceId;
            UINT LastCompletedFenceId;
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } DmaPreempted;
        struct WDDM_LAYOUT {
            UINT FaultedFenceId;
            NTSTATUS Status;
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } DmaFaulted;
        struct WDDM_LAYOUT {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
            PHYSICAL_ADDRESS PhysicalAddress;
            UINT PhysicalAdapterMask;
        } CrtcVsync;
#if WDDM_AT_LEAST(WIN8)
        struct WDDM_LAYOUT {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
        } DisplayOnlyVsync;
        struct WDDM_LAYOUT {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
            UINT PhysicalAdapterMask;
            UINT MultiPlaneOverlayVsyncInfoCount;
            struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO *pMultiPlaneOverlayVsyncInfo;
        } CrtcVsyncWithMultiPlaneOverlay;
        DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS DisplayOnlyPresentProgress;
#endif
#if WDDM_AT_LEAST(WDDM1_3)
        struct WDDM_LAYOUT {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
            DXGK_MIRACAST_CHUNK_INFO ChunkInfo;
            PVOID pPrivateDriverData;
            UINT PrivateDataDriverSize;
            NTSTATUS Status;
        } MiracastEncodeChunkCompleted;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
        struct WDDM_LAYOUT {
            UINT FaultedFenceId;
            UINT64 FaultedPrimitiveAPISequenceNumber;
            DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
            UINT FaultedBindTableEntry;
            DXGK_PAGE_FAULT_FLAGS PageFaultFlags;
            D3DGPU_VIRTUAL_ADDRESS FaultedVirtualAddress;
            UINT NodeOrdinal;
            UINT EngineOrdinal;
            UINT PageTableLevel;
            DXGK_FAULT_ERROR_CODE FaultErrorCode;
            HANDLE FaultedProcessHandle;
        } DmaPageFaulted;
#endif
#if WDDM_AT_LEAST(WDDM2_1)
        struct WDDM_LAYOUT {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
            UINT PhysicalAdapterMask;
            UINT MultiPlaneOverlayVsyncInfoCount;
            struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 *pMultiPlaneOverlayVsyncInfo;
            ULONGLONG GpuFrequency;
            ULONGLONG GpuClockCounter;
        } CrtcVsyncWithMultiPlaneOverlay2;
#endif
#if WDDM_AT_LEAST(WDDM2_2)
        struct WDDM_LAYOUT {
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } MonitoredFenceSignaled;
        struct WDDM_LAYOUT {
            UINT NodeOrdinal;
            UINT EngineOrdinal;
            UINT64 ContextSwitchFence;
        } HwContextListSwitchCompleted;
        struct WDDM_LAYOUT {
            UINT64 FaultedFenceId;
            D3DGPU_VIRTUAL_ADDRESS FaultedVirtualAddress;
            UINT64 FaultedPrimitiveAPISequenceNumber;
            union WDDM_LAYOUT {
                HANDLE FaultedHwQueue;
                HANDLE FaultedHwContext;
                HANDLE FaultedProcessHandle;
            };
            UINT NodeOrdinal;
            UINT EngineOrdinal;
            DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
            UINT FaultedBindTableEntry;
            DXGK_PAGE_FAULT_FLAGS PageFaultFlags;
            UINT PageTableLevel;
            DXGK_FAULT_ERROR_CODE FaultErrorCode;
        } HwQueuePageFaulted;
        struct WDDM_LAYOUT {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
            UINT NotificationID;
        } PeriodicMonitoredFenceSignaled;
#endif
#if WDDM_AT_LEAST(WDDM2_4)
        struct WDDM_LAYOUT {
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } SchedulingLogInterrupt;
        struct WDDM_LAYOUT {
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } GpuEngineTimeout;
        struct WDDM_LAYOUT {
            HANDLE hContext;
            UINT64 ContextSuspendFence;
        } SuspendContextCompleted;
#endif
#if WDDM_AT_LEAST(WDDM2_9)
        struct WDDM_LAYOUT {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
            UINT PhysicalAdapterMask;
            UINT MultiPlaneOverlayVsyncInfoCount;
            struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3 *pMultiPlaneOverlayVsyncInfo;
            ULONGLONG GpuFrequency;
            ULONGLONG GpuClockCounter;
        } CrtcVsyncWithMultiPlaneOverlay3;
#endif
        struct WDDM_LAYOUT {
            UINT Reserved[16];
        } Reserved;
    };
    DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS Flags;
} DXGKARGCB_NOTIFY_INTERRUPT_DATA;

WDDM_END_DECLS

#endif
