/*
 * codes_problem.c - codes of the Device Manager: an adapter that is not started.
 */
#include "tables.h"

#define PAGE "windows-hardware/drivers/install/"

static const struct vidmm_code rows[] = {
    {
        .kind = VIDMM_CODE_PROBLEM,
        .number = 10,
        .name = "CM_PROB_FAILED_START",
        .page = PAGE "cm-prob-failed-start",
        .meaning = "A driver of the device failed its start. DEVPKEY_Device_ProblemStatus of the "
                   "device is the status.",
        .look =
            {
                "the status, and whether DxgkDdiStartDevice returned it",
                "what the driver answered to the queries that follow, as for Code 43",
                "vidmm check --stage query, then --stage start",
            },
        .rules = {27, 5, 7, 8, 14, 33, 73, 30},
        .records = {W(7), W(19), F(4), F(14)},
    },
    {
        .kind = VIDMM_CODE_PROBLEM,
        .number = 31,
        .name = "CM_PROB_FAILED_ADD",
        .page = PAGE "cm-prob-failed-add",
        .meaning =
            "Adding the device failed. DEVPKEY_Device_ProblemStatus of the device is the status.",
        .look =
            {
                "DxgkDdiAddDevice and its status",
                "the table passed to DxgkInitialize: its version, and functions that the version "
                "requires",
                "the flags of segments: on one system a segment behind one with "
                "SupportsCpuHostAperture made AddAdapter fail",
            },
        .rules = {30, 59, 61},
        .records = {W(6), W(19), F(3), F(7)},
    },
    {
        .kind = VIDMM_CODE_PROBLEM,
        .number = 37,
        .name = "CM_PROB_FAILED_DRIVER_ENTRY",
        .page = PAGE "cm-prob-failed-driver-entry",
        .meaning = "DriverEntry failed; for a display miniport that is mostly the status of "
                   "DxgkInitialize.",
        .look =
            {
                "Version of DRIVER_INITIALIZATION_DATA: a version that the system does not have is "
                "refused",
                "functions that this version requires",
            },
        .rules = {30},
        .records = {W(6), F(3)},
    },
    {
        .kind = VIDMM_CODE_PROBLEM,
        .number = 43,
        .name = "CM_PROB_FAILED_POST_START",
        .page = PAGE "cm-prob-failed-post-start",
        .meaning =
            "A driver of the device reported that the device failed. Of a display adapter it was "
            "seen after answers that dxgkrnl refused during the start; Windows tells no reason.",
        .look =
            {
                "the INF: a user-mode driver has to be registered",
                "the query that came last (count and log them): what follows an answer that is "
                "refused never comes",
                "DRIVERCAPS: fill as many bytes as OutputDataSize has and do not compare with your "
                "own sizeof; WDDMVersion and SupportSmoothRotation are not 0",
                "the driver's table: every function that the declared version requires",
                "statuses: an unknown query is answered STATUS_INVALID_PARAMETER, no query "
                "STATUS_NOT_SUPPORTED",
                "segments: the number is the same twice, descriptors lie SegmentDescriptorStride "
                "apart, PagingBufferSegmentId names an aperture",
                "layout of segments from WDDM 3.2 on: neither CpuVisible memory with GpuMmu nor a "
                "segment behind one with SupportsCpuHostAperture",
                "vidmm check --stage query, then --stage start: each names the rule that an answer "
                "breaks",
            },
        .rules = {27, 30, 5, 7, 8, 10, 14, 33, 21, 73, 85, 59, 61, 89},
        .records = {W(1), W(3), W(5), W(6), W(7), W(11), W(20), F(1), F(2), F(3), F(6)},
    },
};

const struct code_table codes_problem = {rows, COUNT(rows)};
