/* SPDX-License-Identifier: MIT */
/*
 * Dirty-bit tracking and live migration of GPU partitions (WDDM 3.2). The reference pages of these
 * are younger than the rest; where a type is not printed, ours is noted in README.md.
 */
#ifndef WDDM_D3DKMDDI_MIGRATION_H
#define WDDM_D3DKMDDI_MIGRATION_H

#include "d3dkmddi_segment.h"

WDDM_BEGIN_DECLS

#if WDDM_AT_LEAST(WDDM3_2)

typedef struct WDDM_LAYOUT _DXGK_DIRTY_BIT_TRACKING_CAPS {
    union WDDM_LAYOUT {
        struct WDDM_LAYOUT {
            UINT32 DirtyBitTrackingSupported : 1;
            UINT32 DirtyBitTrackingPerformant : 1;
            UINT32 Reserved : 30;
        };
        UINT32 Value;
    };
} DXGK_DIRTY_BIT_TRACKING_CAPS;

typedef struct WDDM_LAYOUT _DXGK_DIRTY_BIT_TRACKING_SEGMENT_CAPS {
    UINT32 PageSize; /* bytes that one bit stands for */
} DXGK_DIRTY_BIT_TRACKING_SEGMENT_CAPS;

typedef struct WDDM_LAYOUT _DXGKARG_CREATEMEMORYBASIS {
    UINT SegmentId;
    UINT64 RangeCount;
    DXGK_MEMORYRANGE Ranges[1]; /* RangeCount of them */
} DXGKARG_CREATEMEMORYBASIS;

typedef enum _DXGKARG_QUERYDIRTYBITDATAFLAGS {
    DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA = 1
} DXGKARG_QUERYDIRTYBITDATAFLAGS;

typedef struct WDDM_LAYOUT _DXGKARG_QUERYDIRTYBITDATA {
    HANDLE MemoryBasis;
    UINT64 SubrangeIndex;
    UINT64 SubrangeOffset;
    UINT64 SubrangeSize; /* 0: the whole basis */
    PVOID Buffer;
    SIZE_T BufferSize; /* bytes */
    UINT Flags;        /* DXGKARG_QUERYDIRTYBITDATAFLAGS */
} DXGKARG_QUERYDIRTYBITDATA;

typedef enum _DXGK_GPUP_MIGRATIONTYPE {
    DXGK_GPUP_MIGRATIONTYPE_SOURCE = 0,
    DXGK_GPUP_MIGRATIONTYPE_TARGET = 1
} DXGK_GPUP_MIGRATIONTYPE,
    DXGK_GPUP_MIGRATION_TYPE;

typedef struct WDDM_LAYOUT _DXGKARG_GPUP_PREPARE_LIVE_MIGRATION {
    UINT vfIndex;
    DXGK_GPUP_MIGRATIONTYPE MigrationType;
} DXGKARG_GPUP_PREPARE_LIVE_MIGRATION;

/* Saving takes two calls: with *DataSize 0 and Data NULL for the size, then with a buffer of that
 * size. */
typedef struct WDDM_LAYOUT _DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA {
    UINT vfIndex;
    UINT64 *DataSize;
    BYTE *Data;
} DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA, DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA;

typedef struct WDDM_LAYOUT _DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA {
    UINT vfIndex;
    UINT64 DataSize;
    BYTE *Data;
} DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA, DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA;

typedef struct WDDM_LAYOUT _DXGK_INTERRUPT_TABLE_ENTRY {
    UINT64 MessageAddress;
    UINT32 MessageData;
    UINT32 VectorControl;
} DXGK_INTERRUPT_TABLE_ENTRY;

typedef struct WDDM_LAYOUT _DXGKARG_WRITEVIRTUALIZEDINTERRUPT {
    UINT vfIndex;
    INT16 InterruptTableIndex;
    DXGK_INTERRUPT_TABLE_ENTRY InterruptTableEntry;
} DXGKARG_WRITEVIRTUALIZEDINTERRUPT;

#endif

WDDM_END_DECLS

#endif
