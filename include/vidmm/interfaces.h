/*
 * interfaces.h - the table of the interface versions, and which of them a driver speaks.
 *
 * A driver states a version twice: DRIVER_INITIALIZATION_DATA.Version, which the compiler takes from
 * DXGKDDI_INTERFACE_VERSION and which is the newest unless the driver's build defines it, and
 * DXGK_DRIVERCAPS.WDDMVersion, which its author writes. The older of the two is spoken: no query and
 * no function that is newer reaches the driver. Manager, referee and conformance check each follow
 * this table; the command's names of versions are in it, too.
 *
 * Columns:
 *
 *   version  DRIVER_INITIALIZATION_DATA.Version
 *   name     of the command's --ddi; NULL: none
 *   wddm     DXGK_DRIVERCAPS.WDDMVersion. Of WDDM 1.1 the enumeration has no value
 *   end      the size of DRIVER_INITIALIZATION_DATA: END_AT the first member that is newer
 *
 * The rows are in the order of versions, the usual one of a WDDM first: add at the end.
 */
#ifndef VIDMM_INTERFACES_H
#define VIDMM_INTERFACES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

/* clang-format off */
/* wddm-2-1-features.md prints 0x6002 for WDDM 2.1; drivers have 0x6003. */
#define VIDMM_INTERFACES(ROW)                                                                        \
    ROW(DXGKDDI_INTERFACE_VERSION_VISTA,     "vista",     DXGKDDI_WDDMv1,   END_AT(DescribePageTable)) \
    ROW(DXGKDDI_INTERFACE_VERSION_VISTA_SP1, "vista-sp1", DXGKDDI_WDDMv1,   END_AT(DescribePageTable)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WIN7,      "win7",      DXGKDDI_WDDMv1,   END_AT(SetPowerComponentFState)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WIN8,      "win8",      DXGKDDI_WDDMv1_2, END_AT(GetNodeMetadata)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM1_3,   "wddm1.3",   DXGKDDI_WDDMv1_3, END_AT(RenderGdi)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION, NULL, DXGKDDI_WDDMv1_3, END_AT(RenderGdi)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM2_0,   "wddm2.0",   DXGKDDI_WDDMv2_0, END_AT(CheckMultiPlaneOverlaySupport3)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM2_1,   "wddm2.1",   DXGKDDI_WDDMv2_1, END_AT(CreateHwContext)) \
    ROW(0x6002,                              NULL,        DXGKDDI_WDDMv2_1, END_AT(CreateHwContext)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM2_2,   "wddm2.2",   DXGKDDI_WDDMv2_2, END_AT(UpdateHwContextState)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM2_3,   "wddm2.3",   DXGKDDI_WDDMv2_3, END_AT(SetSchedulingLogBuffer)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM2_4,   "wddm2.4",   DXGKDDI_WDDMv2_4, END_AT(SignalMonitoredFence)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM2_5,   "wddm2.5",   DXGKDDI_WDDMv2_5, END_AT(SaveMemoryForHotUpdate)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM2_6,   "wddm2.6",   DXGKDDI_WDDMv2_6, END_AT(ControlInterrupt3)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM2_7,   "wddm2.7",   DXGKDDI_WDDMv2_7, END_AT(SetFlipQueueLogBuffer)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM2_8,   "wddm2.8",   DXGKDDI_WDDMv2_8, END_AT(SetFlipQueueLogBuffer)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM2_9,   "wddm2.9",   DXGKDDI_WDDMv2_9, END_AT(SetAllocationBackingStore)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM3_0,   "wddm3.0",   DXGKDDI_WDDMv3_0, END_AT(CreateNativeFence)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM3_1,   "wddm3.1",   DXGKDDI_WDDMv3_1, END_AT(CreateMemoryBasis)) \
    ROW(DXGKDDI_INTERFACE_VERSION_WDDM3_2,   "wddm3.2",   DXGKDDI_WDDMv3_2, sizeof(DRIVER_INITIALIZATION_DATA))
/* clang-format on */

struct vidmm_interface {
    uint32_t version;
    const char *name;    /* "wddm1.3", or NULL */
    const char *defined; /* what a driver's build defines DXGKDDI_INTERFACE_VERSION as */
    uint32_t wddm;
    size_t table_size; /* bytes of DRIVER_INITIALIZATION_DATA */
};

/* The rows in their order; NULL after the last. */
static inline const struct vidmm_interface *vidmm_interface_at(size_t index) {
#define END_AT(member)                            offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdi##member)
#define INTERFACE_ROW(version, name, wddm_, size) {version, name, #version, wddm_, size},
    static const struct vidmm_interface rows[] = {VIDMM_INTERFACES(INTERFACE_ROW)};
#undef INTERFACE_ROW
#undef END_AT
    return index < sizeof(rows) / sizeof(rows[0]) ? &rows[index] : NULL;
}

/* The row of a version, or NULL: there is no such version. */
static inline const struct vidmm_interface *vidmm_interface(uint32_t version) {
    const struct vidmm_interface *row;
    for (size_t i = 0; (row = vidmm_interface_at(i)); i++)
        if (row->version == version)
            return row;
    return NULL;
}

/* The first version of the newest WDDM that is not newer than `wddm`; of less than WDDM 1.0 NULL. */
static inline const struct vidmm_interface *vidmm_interface_of_wddm(uint32_t wddm) {
    const struct vidmm_interface *row, *found = NULL;
    for (size_t i = 0; (row = vidmm_interface_at(i)); i++)
        if (row->wddm <= wddm && (!found || row->wddm > found->wddm))
            found = row;
    return found;
}

/*
 * The version that is spoken with a driver whose table has `registered` and whose DRIVERCAPS say
 * `wddm`, of which 0 says nothing (ns-d3dkmddi-_dxgk_drivercaps.md reserves it from Windows 7 on).
 * `wanted`: what the caller chose instead of that; 0: nothing. Never newer than the table.
 */
static inline uint32_t vidmm_interface_spoken(uint32_t registered, uint32_t wddm, uint32_t wanted) {
    const struct vidmm_interface *row = vidmm_interface(registered);
    const struct vidmm_interface *said = vidmm_interface_of_wddm(wddm);
    if (wanted != 0)
        return wanted < registered ? wanted : registered;
    return row && said && said->wddm < row->wddm ? said->version : registered;
}

/*
 * Bytes of DXGK_DRIVERCAPS that systems pass to a driver whose table has this version, from the first
 * question on, before its WDDMVersion is known. A driver that compares with a newer sizeof does not
 * start; what it makes of fewer bytes no system learns.
 */
static inline uint32_t vidmm_interface_caps_size(uint32_t registered) {
    static const struct {
        uint32_t version, size;
    } sizes[] = {
        {DXGKDDI_INTERFACE_VERSION_WDDM2_9, sizeof(DXGK_DRIVERCAPS)},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_4, 0x248},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_0, 0x240},
        {DXGKDDI_INTERFACE_VERSION_WDDM1_3, 0x228},
        {DXGKDDI_INTERFACE_VERSION_WIN8, 0x220},
        {DXGKDDI_INTERFACE_VERSION_WIN7, 0x210},
    };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        if (registered >= sizes[i].version)
            return sizes[i].size;
    return 0x150;
}

/* The bits of DXGK_VIDMMCAPS that a version has; all others are reserved. */
static inline uint32_t vidmm_interface_memory_caps(uint32_t version) {
    static const struct {
        uint32_t version, bits;
    } gates[] = {
        {DXGKDDI_INTERFACE_VERSION_WDDM3_1, 18}, {DXGKDDI_INTERFACE_VERSION_WDDM2_9, 17},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_7, 14}, {DXGKDDI_INTERFACE_VERSION_WDDM2_4, 13},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_2, 11}, {DXGKDDI_INTERFACE_VERSION_WDDM2_1, 10},
        {DXGKDDI_INTERFACE_VERSION_WDDM2_0, 9},  {DXGKDDI_INTERFACE_VERSION_WDDM1_3, 5},
        {DXGKDDI_INTERFACE_VERSION_WIN7, 4},
    };
    for (size_t i = 0; i < sizeof(gates) / sizeof(*gates); i++)
        if (version >= gates[i].version)
            return (1u << gates[i].bits) - 1u;
    return 1u;
}

/* Makes `table` one of `version`: without functions that are newer. */
static inline void vidmm_interface_cut(DRIVER_INITIALIZATION_DATA *table, uint32_t version) {
    const struct vidmm_interface *row = vidmm_interface(version);
    if (!row || table->Version <= version)
        return;
    memset((char *)table + row->table_size, 0, sizeof(*table) - row->table_size);
    table->Version = version;
}

#endif
