/* SPDX-License-Identifier: MIT */
/*
 * What the scheduler tells a driver beyond submissions: hardware contexts and their lists, bands of
 * priority, the scheduling log, history buffers, tracked workloads, checks of submissions. Pages
 * ns-d3dkmddi-_dxgkarg_setupprioritybands, ns-d3dkmddi-_dxgk_scheduling_log_*,
 * ns-d3dkmddi-_dxgk_history_buffer, ns-d3dkmddi-_dxgkarg_validatesubmitcommand and those that they
 * name. Engines, fences and interrupts are in d3dkmddi_engine.h. The log's header and entries have
 * reserved arrays without a printed length: they are names here, no more.
 */
#ifndef WDDM_D3DKMDDI_SCHEDULE_H
#define WDDM_D3DKMDDI_SCHEDULE_H

#include "d3dkmddi_adapter.h"
#include "d3dkmddi_submit.h"
#include "d3dkmddi_vidpn.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WDDM1_3)

typedef struct WDDM_LAYOUT _DXGK_HISTORY_BUFFER_HEADER {
    UINT RenderCbSequence;
    UINT NumTimestamps;
    UINT PrivateDataSize;
    UINT Reserved;
} DXGK_HISTORY_BUFFER_HEADER;

/* PrivateDataSize bytes of the driver, then time stamps, begin at DriverPrivateData. */
typedef struct WDDM_LAYOUT _DXGK_HISTORY_BUFFER {
    DXGK_HISTORY_BUFFER_HEADER Header;
    BYTE DriverPrivateData[1];
} DXGK_HISTORY_BUFFER;

typedef struct WDDM_LAYOUT _DXGKARG_FORMATHISTORYBUFFER {
    DXGK_HISTORY_BUFFER *pHistoryBuffer;
    UINT HistoryBufferSize;
    VOID *pFormattedBuffer;
    UINT FormattedBufferSize;
    UINT NumTimestamps;
    DXGKARG_HISTORYBUFFERPRECISION Precision; /* out */
    UINT Offset;                              /* in and out */
} DXGKARG_FORMATHISTORYBUFFER;

#endif

#if WDDM_AT_LEAST(WDDM2_2)

typedef struct WDDM_LAYOUT _DXGKARG_SWITCHTOHWCONTEXTLIST {
    HANDLE hHwContextFirst;
    HANDLE hHwContextSecond;
    UINT NodeOrdinal;
    UINT EngineOrdinal;
} DXGKARG_SWITCHTOHWCONTEXTLIST;

typedef struct WDDM_LAYOUT _DXGK_INVALIDATEHWCONTEXTFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT CollateralDamage : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_INVALIDATEHWCONTEXTFLAGS;

typedef struct WDDM_LAYOUT _DXGKARGCB_INVALIDATEHWCONTEXT {
    HANDLE hAdapter;
    HANDLE hHwContext;
    DXGK_INVALIDATEHWCONTEXTFLAGS Flags;
} DXGKARGCB_INVALIDATEHWCONTEXT;

#endif

#if WDDM_AT_LEAST(WDDM2_3)

typedef struct WDDM_LAYOUT _DXGK_UPDATEHWCONTEXTSTATE_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Suspended : 1;
            UINT InterruptOnSwitchCompletion : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_UPDATEHWCONTEXTSTATE_FLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_UPDATEHWCONTEXTSTATE {
    HANDLE hHwContext;
    UINT64 ContextSwitchFence;
    UINT Priority;
    DXGK_UPDATEHWCONTEXTSTATE_FLAGS Flags;
} DXGKARG_UPDATEHWCONTEXTSTATE;

typedef struct WDDM_LAYOUT _DXGKARG_CREATEPROTECTEDSESSION {
    HANDLE hProtectedSession; /* in and out */
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
} DXGKARG_CREATEPROTECTEDSESSION;

typedef enum _DXGK_PROTECTED_SESSION_STATUS {
    DXGK_PROTECTED_SESSION_STATUS_OK = 0,
    DXGK_PROTECTED_SESSION_STATUS_INVALID = 1
} DXGK_PROTECTED_SESSION_STATUS;

typedef struct WDDM_LAYOUT _DXGKARGCB_PROTECTEDSESSIONSTATUS {
    HANDLE hProtectedSession;
    DXGK_PROTECTED_SESSION_STATUS Status;
} DXGKARGCB_PROTECTEDSESSIONSTATUS;

#endif

#if WDDM_AT_LEAST(WDDM2_4)

typedef enum _DXGK_SCHEDULING_PRIORITY_BAND {
    DXGK_SCHEDULING_PRIORITY_BAND_IDLE = 0,
    DXGK_SCHEDULING_PRIORITY_BAND_NORMAL = 1,
    DXGK_SCHEDULING_PRIORITY_BAND_FOCUS = 2,
    DXGK_SCHEDULING_PRIORITY_BAND_REALTIME = 3,
    DXGK_SCHEDULING_PRIORITY_BAND_COUNT = 4
} DXGK_SCHEDULING_PRIORITY_BAND;

/* One value for each band, in units of 100 ns. */
typedef struct WDDM_LAYOUT _DXGKARG_SETUPPRIORITYBANDS {
    UINT64 gracePeriodForBand[DXGK_SCHEDULING_PRIORITY_BAND_COUNT];
    UINT64 processQuantumForBand[DXGK_SCHEDULING_PRIORITY_BAND_COUNT];
    UINT64 processGracePeriodForBand[DXGK_SCHEDULING_PRIORITY_BAND_COUNT];
    UINT targetNormalBandPercentage;
} DXGKARG_SETUPPRIORITYBANDS;

typedef struct WDDM_LAYOUT _DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES {
    HANDLE hContext;
    DXGK_SCHEDULING_PRIORITY_BAND priorityBand;
    UINT realtimeBandPriorityLevel;
    INT inProcessPriority;
    UINT64 quantum;
    UINT64 gracePeriodSamePriority;
    UINT64 gracePeriodLowerPriority;
} DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES;

typedef struct WDDM_LAYOUT _DXGKARG_SUSPENDCONTEXT {
    HANDLE hContext;
    UINT64 contextSuspendFence;
} DXGKARG_SUSPENDCONTEXT;

typedef struct WDDM_LAYOUT _DXGKARG_RESUMECONTEXT {
    HANDLE hContext;
} DXGKARG_RESUMECONTEXT;

typedef enum _DXGK_SCHEDULING_LOG_OPERATION {
    DXGK_SCHEDULING_LOG_OPERATION_CONTEXT_STATE_CHANGE = 0
} DXGK_SCHEDULING_LOG_OPERATION;

typedef enum _DXGK_SCHEDULING_LOG_CONTEXT_STATE {
    DXGK_SCHEDULING_LOG_CONTEXT_STATE_IDLE = 0,
    DXGK_SCHEDULING_LOG_CONTEXT_STATE_RUNNING = 1,
    DXGK_SCHEDULING_LOG_CONTEXT_STATE_READY = 2,
    DXGK_SCHEDULING_LOG_CONTEXT_STATE_READY_STANDBY = 3
} DXGK_SCHEDULING_LOG_CONTEXT_STATE;

typedef struct WDDM_LAYOUT _DXGK_SCHEDULING_LOG_CONTEXT_STATE_CHANGE {
    HANDLE hKmdContext;
    DXGK_SCHEDULING_LOG_CONTEXT_STATE newContextState;
} DXGK_SCHEDULING_LOG_CONTEXT_STATE_CHANGE;

typedef struct _DXGK_SCHEDULING_LOG_HEADER DXGK_SCHEDULING_LOG_HEADER;

typedef struct _DXGK_SCHEDULING_LOG_ENTRY DXGK_SCHEDULING_LOG_ENTRY;

typedef struct _DXGK_SCHEDULING_LOG_BUFFER DXGK_SCHEDULING_LOG_BUFFER;

typedef struct WDDM_LAYOUT _DXGKARG_SETSCHEDULINGLOGBUFFER {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    UINT NumberOfEntries;
    DXGK_SCHEDULING_LOG_BUFFER *LogBufferCpuVa;
    D3DGPU_VIRTUAL_ADDRESS LogBufferGpuVa;
    UINT InterruptEntry;
} DXGKARG_SETSCHEDULINGLOGBUFFER;

typedef struct WDDM_LAYOUT _DXGKARG_BEGINEXCLUSIVEACCESS {
    UINT Reserved;
} DXGKARG_BEGINEXCLUSIVEACCESS;

typedef struct WDDM_LAYOUT _DXGKARG_ENDEXCLUSIVEACCESS {
    UINT Reserved;
} DXGKARG_ENDEXCLUSIVEACCESS;

#endif

#if WDDM_AT_LEAST(WDDM2_5)

typedef struct WDDM_LAYOUT _DXGK_TRACKEDWORKLOAD_STATE_FLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT Saturated : 1;
            UINT OptimalLevel : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_TRACKEDWORKLOAD_STATE_FLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_SETTRACKEDWORKLOADPOWERLEVEL {
    UINT PowerLevel;
    UINT EffectivePowerLevel;               /* out */
    DXGK_TRACKEDWORKLOAD_STATE_FLAGS Flags; /* out */
} DXGKARG_SETTRACKEDWORKLOADPOWERLEVEL;

typedef struct WDDM_LAYOUT _DXGK_VALIDATESUBMITCOMMANDFLAGS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT HardwareQueueSubmission : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_VALIDATESUBMITCOMMANDFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_VALIDATESUBMITCOMMAND {
    D3DGPU_VIRTUAL_ADDRESS Commands;
    UINT CommandLength;
    DXGK_VALIDATESUBMITCOMMANDFLAGS Flags;
    UINT ContextCount;
    HANDLE Context[D3DDDI_MAX_BROADCAST_CONTEXT];
    VOID *pPrivateDriverData;
    UINT PrivateDriverDataSize;
    UINT UmdPrivateDataSize;
    UINT64 HwQueueProgressFenceId;
} DXGKARG_VALIDATESUBMITCOMMAND;

#endif

WDDM_END_DECLS

#endif
