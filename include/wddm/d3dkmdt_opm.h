/* SPDX-License-Identifier: MIT */
/*
 * Output protection: what is asked of a protected output and what it answers. Pages
 * ns-d3dkmdt-_dxgkmdt_opm_* and ne-d3dkmdt-_dxgkmdt_*. The functions are in dispmprt_opm.h. Of the
 * enumerations only the values are here that a page prints
 * (display/assigning-precedence-to-protection-levels for the levels of protection) or that their
 * order gives; types whose values are flags that no page prints are not here, and the members that
 * hold them are ULONG. No page prints the lengths of reserved members: each is one ULONG here, and
 * those after the last byte array are left out.
 */
#ifndef WDDM_D3DKMDT_OPM_H
#define WDDM_D3DKMDT_OPM_H

#include "d3dukmdt.h"

WDDM_BEGIN_DECLS

typedef enum _DXGKMDT_CERTIFICATE_TYPE {
    DXGKMDT_OPM_CERTIFICATE = 0,
    DXGKMDT_COPP_CERTIFICATE = 1,
    DXGKMDT_UAB_CERTIFICATE = 2,
    DXGKMDT_INDIRECT_DISPLAY_CERTIFICATE = 3,
    DXGKMDT_FORCE_ULONG = 0x7fffffff
} DXGKMDT_CERTIFICATE_TYPE;

typedef enum _DXGKMDT_OPM_VIDEO_OUTPUT_SEMANTICS {
    DXGKMDT_OPM_VOS_COPP_SEMANTICS = 0,
    DXGKMDT_OPM_VOS_OPM_SEMANTICS = 1,
    DXGKMDT_OPM_VOS_OPM_INDIRECT_DISPLAY = 2
} DXGKMDT_OPM_VIDEO_OUTPUT_SEMANTICS;

typedef enum _DXGKMDT_OPM_HDCP_FLAG {
    DXGKMDT_OPM_HDCP_FLAG_NONE = 0,
    DXGKMDT_OPM_HDCP_FLAG_REPEATER = 1
} DXGKMDT_OPM_HDCP_FLAG;

typedef enum _DXGKMDT_OPM_HDCP_PROTECTION_LEVEL {
    DXGKMDT_OPM_HDCP_OFF = 0,
    DXGKMDT_OPM_HDCP_ON = 1,
    DXGKMDT_OPM_HDCP_FORCE_ULONG = 0x7fffffff
} DXGKMDT_OPM_HDCP_PROTECTION_LEVEL;

typedef enum _DXGKMDT_OPM_DPCP_PROTECTION_LEVEL {
    DXGKMDT_OPM_DPCP_OFF = 0,
    DXGKMDT_OPM_DPCP_ON = 1,
    DXGKMDT_OPM_DPCP_FORCE_ULONG = 0x7fffffff
} DXGKMDT_OPM_DPCP_PROTECTION_LEVEL;

typedef enum _DXGKMDT_OPM_ACP_PROTECTION_LEVEL {
    DXGKMDT_OPM_ACP_OFF = 0,
    DXGKMDT_OPM_ACP_LEVEL_ONE = 1,
    DXGKMDT_OPM_ACP_LEVEL_TWO = 2,
    DXGKMDT_OPM_ACP_LEVEL_THREE = 3,
    DXGKMDT_OPM_ACP_FORCE_ULONG = 0x7fffffff
} DXGKMDT_OPM_ACP_PROTECTION_LEVEL;

typedef enum _DXGKMDT_OPM_CGMSA {
    DXGKMDT_OPM_CGMSA_OFF = 0,
    DXGKMDT_OPM_CGMSA_COPY_FREELY = 1,
    DXGKMDT_OPM_CGMSA_COPY_NO_MORE = 2,
    DXGKMDT_OPM_CGMSA_COPY_ONE_GENERATION = 3,
    DXGKMDT_OPM_CGMSA_COPY_NEVER = 4
} DXGKMDT_OPM_CGMSA;

typedef enum _DXGKMDT_OPM_STATUS { DXGKMDT_OPM_STATUS_NORMAL = 0 } DXGKMDT_OPM_STATUS;

/* The members of this enumeration that a driver sets have no printed value. */
typedef enum _DXGKMDT_OPM_INTERLEAVE_FORMAT {
    DXGKMDT_OPM_INTERLEAVE_FORMAT_OTHER = 0,
    DXGKMDT_OPM_INTERLEAVE_FORMAT_FORCE_ULONG = 0x7fffffff
} DXGKMDT_OPM_INTERLEAVE_FORMAT;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_RANDOM_NUMBER {
    BYTE abRandomNumber[16];
} DXGKMDT_OPM_RANDOM_NUMBER, *PDXGKMDT_OPM_RANDOM_NUMBER;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_OMAC {
    BYTE abOMAC[16];
} DXGKMDT_OPM_OMAC, *PDXGKMDT_OPM_OMAC;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_ENCRYPTED_PARAMETERS {
    BYTE abEncryptedParameters[256];
} DXGKMDT_OPM_ENCRYPTED_PARAMETERS, *PDXGKMDT_OPM_ENCRYPTED_PARAMETERS;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_HDCP_KEY_SELECTION_VECTOR {
    BYTE abKeySelectionVector[5];
} DXGKMDT_OPM_HDCP_KEY_SELECTION_VECTOR;

/* ---- Requests -------------------------------------------------------------------------------- */

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_GET_INFO_PARAMETERS {
    DXGKMDT_OPM_OMAC omac;
    DXGKMDT_OPM_RANDOM_NUMBER rnRandomNumber;
    GUID guidInformation;
    ULONG ulSequenceNumber;
    ULONG cbParametersSize;
    BYTE abParameters[4056];
} DXGKMDT_OPM_GET_INFO_PARAMETERS, *PDXGKMDT_OPM_GET_INFO_PARAMETERS;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_COPP_COMPATIBLE_GET_INFO_PARAMETERS {
    DXGKMDT_OPM_RANDOM_NUMBER rnRandomNumber;
    GUID guidInformation;
    ULONG ulSequenceNumber;
    ULONG cbParametersSize;
    BYTE abParameters[4056];
} DXGKMDT_OPM_COPP_COMPATIBLE_GET_INFO_PARAMETERS,
    *PDXGKMDT_OPM_COPP_COMPATIBLE_GET_INFO_PARAMETERS;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_REQUESTED_INFORMATION {
    DXGKMDT_OPM_OMAC omac;
    ULONG cbRequestedInformationSize;
    BYTE abRequestedInformation[4076];
} DXGKMDT_OPM_REQUESTED_INFORMATION, *PDXGKMDT_OPM_REQUESTED_INFORMATION;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_CONFIGURE_PARAMETERS {
    DXGKMDT_OPM_OMAC omac;
    GUID guidSetting;
    ULONG ulSequenceNumber;
    ULONG cbParametersSize;
    BYTE abParameters[4056];
} DXGKMDT_OPM_CONFIGURE_PARAMETERS, *PDXGKMDT_OPM_CONFIGURE_PARAMETERS;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_SET_PROTECTION_LEVEL_PARAMETERS {
    ULONG ulProtectionType;
    ULONG ulProtectionLevel;
    ULONG Reserved;
    ULONG Reserved2;
} DXGKMDT_OPM_SET_PROTECTION_LEVEL_PARAMETERS;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_SET_ACP_AND_CGMSA_SIGNALING_PARAMETERS {
    ULONG ulNewTVProtectionStandard;
    ULONG ulAspectRatioChangeMask1;
    ULONG ulAspectRatioData1;
    ULONG ulAspectRatioChangeMask2;
    ULONG ulAspectRatioData2;
    ULONG ulAspectRatioChangeMask3;
    ULONG ulAspectRatioData3;
    ULONG ulReserved;
    ULONG ulReserved2;
    ULONG ulReserved3;
} DXGKMDT_OPM_SET_ACP_AND_CGMSA_SIGNALING_PARAMETERS;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_SET_HDCP_SRM_PARAMETERS {
    ULONG ulSRMVersion;
} DXGKMDT_OPM_SET_HDCP_SRM_PARAMETERS;

/* ---- Answers --------------------------------------------------------------------------------- */

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_STANDARD_INFORMATION {
    DXGKMDT_OPM_RANDOM_NUMBER rnRandomNumber;
    ULONG ulStatusFlags;
    ULONG ulInformation;
    ULONG ulReserved;
    ULONG ulReserved2;
} DXGKMDT_OPM_STANDARD_INFORMATION;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_ACTUAL_OUTPUT_FORMAT {
    DXGKMDT_OPM_RANDOM_NUMBER rnRandomNumber;
    ULONG ulStatusFlags;
    ULONG ulDisplayWidth;
    ULONG ulDisplayHeight;
    DXGKMDT_OPM_INTERLEAVE_FORMAT ifInterleaveFormat;
    D3DDDIFORMAT d3dFormat;
    ULONG ulFrequencyNumerator;
    ULONG ulFrequencyDenominator;
} DXGKMDT_OPM_ACTUAL_OUTPUT_FORMAT;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_ACP_AND_CGMSA_SIGNALING {
    DXGKMDT_OPM_RANDOM_NUMBER rnRandomNumber;
    ULONG ulStatusFlags;
    ULONG ulAvailableTVProtectionStandards;
    ULONG ulActiveTVProtectionStandard;
    ULONG ulReserved;
    ULONG ulAspectRatioValidMask1;
    ULONG ulAspectRatioData1;
    ULONG ulAspectRatioValidMask2;
    ULONG ulAspectRatioData2;
    ULONG ulAspectRatioValidMask3;
    ULONG ulAspectRatioData3;
    ULONG ulReserved2;
    ULONG ulReserved3;
} DXGKMDT_OPM_ACP_AND_CGMSA_SIGNALING;

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_CONNECTED_HDCP_DEVICE_INFORMATION {
    DXGKMDT_OPM_RANDOM_NUMBER rnRandomNumber;
    ULONG ulStatusFlags;
    ULONG ulHDCPFlags;
    DXGKMDT_OPM_HDCP_KEY_SELECTION_VECTOR ksvB;
} DXGKMDT_OPM_CONNECTED_HDCP_DEVICE_INFORMATION;

#if WDDM_AT_LEAST(WIN7)

typedef struct WDDM_LAYOUT _DXGKMDT_OPM_OUTPUT_ID {
    DXGKMDT_OPM_RANDOM_NUMBER rnRandomNumber;
    ULONG ulStatusFlags;
    UINT64 OutputId;
} DXGKMDT_OPM_OUTPUT_ID;

#endif

WDDM_END_DECLS

#endif
