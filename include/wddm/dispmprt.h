/* SPDX-License-Identifier: MIT */
/*
 * The display port driver's side of the interface: the table of driver entry points that a miniport
 * registers and the table of callbacks that it receives when its device starts. Pages
 * _driver_initialization_data and _dxgkrnl_interface; the order of slots 164 and later follows
 * the contract tables that README.md names.
 */
#ifndef WDDM_DISPMPRT_H
#define WDDM_DISPMPRT_H

#include "ntddk.h"
#include "d3dkmddi.h"
#include "dispmprt_device.h"
#include "dispmprt_functions.h"
#include "dispmprt_display_only.h"
#include "dispmprt_services.h"
#include "dispmprt_brightness.h"
#include "dispmprt_opm.h"
#include "dispmprt_miracast.h"
#include "dispmprt_panel.h"
#include "dispmprt_diagnostics.h"
#include "dispmprt_partition.h"

WDDM_BEGIN_DECLS

typedef struct WDDM_LAYOUT _DRIVER_INITIALIZATION_DATA {
    ULONG Version; /* DXGKDDI_INTERFACE_VERSION of the driver */
    PDXGKDDI_ADD_DEVICE DxgkDdiAddDevice;
    PDXGKDDI_START_DEVICE DxgkDdiStartDevice;
    PDXGKDDI_STOP_DEVICE DxgkDdiStopDevice;
    PDXGKDDI_REMOVE_DEVICE DxgkDdiRemoveDevice;
    PDXGKDDI_DISPATCH_IO_REQUEST DxgkDdiDispatchIoRequest;
    PDXGKDDI_INTERRUPT_ROUTINE DxgkDdiInterruptRoutine;
    PDXGKDDI_DPC_ROUTINE DxgkDdiDpcRoutine;
    PDXGKDDI_QUERY_CHILD_RELATIONS DxgkDdiQueryChildRelations;
    PDXGKDDI_QUERY_CHILD_STATUS DxgkDdiQueryChildStatus;
    PDXGKDDI_QUERY_DEVICE_DESCRIPTOR DxgkDdiQueryDeviceDescriptor;
    PDXGKDDI_SET_POWER_STATE DxgkDdiSetPowerState;
    PDXGKDDI_NOTIFY_ACPI_EVENT DxgkDdiNotifyAcpiEvent;
    PDXGKDDI_RESET_DEVICE DxgkDdiResetDevice;
    PDXGKDDI_UNLOAD DxgkDdiUnload;
    PDXGKDDI_QUERY_INTERFACE DxgkDdiQueryInterface;
    PDXGKDDI_CONTROL_ETW_LOGGING DxgkDdiControlEtwLogging;
    PDXGKDDI_QUERYADAPTERINFO DxgkDdiQueryAdapterInfo;
    PDXGKDDI_CREATEDEVICE DxgkDdiCreateDevice;
    PDXGKDDI_CREATEALLOCATION DxgkDdiCreateAllocation;
    PDXGKDDI_DESTROYALLOCATION DxgkDdiDestroyAllocation;
    PDXGKDDI_DESCRIBEALLOCATION DxgkDdiDescribeAllocation;
    PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA DxgkDdiGetStandardAllocationDriverData;
    PDXGKDDI_ACQUIRESWIZZLINGRANGE DxgkDdiAcquireSwizzlingRange;
    PDXGKDDI_RELEASESWIZZLINGRANGE DxgkDdiReleaseSwizzlingRange;
    PDXGKDDI_PATCH DxgkDdiPatch;
    PDXGKDDI_SUBMITCOMMAND DxgkDdiSubmitCommand;
    PDXGKDDI_PREEMPTCOMMAND DxgkDdiPreemptCommand;
    PDXGKDDI_BUILDPAGINGBUFFER DxgkDdiBuildPagingBuffer;
    PDXGKDDI_SETPALETTE DxgkDdiSetPalette;
    PDXGKDDI_SETPOINTERPOSITION DxgkDdiSetPointerPosition;
    PDXGKDDI_SETPOINTERSHAPE DxgkDdiSetPointerShape;
    PDXGKDDI_RESETFROMTIMEOUT DxgkDdiResetFromTimeout;
    PDXGKDDI_RESTARTFROMTIMEOUT DxgkDdiRestartFromTimeout;
    PDXGKDDI_ESCAPE DxgkDdiEscape;
    PDXGKDDI_COLLECTDBGINFO DxgkDdiCollectDbgInfo;
    PDXGKDDI_QUERYCURRENTFENCE DxgkDdiQueryCurrentFence;
    PDXGKDDI_ISSUPPORTEDVIDPN DxgkDdiIsSupportedVidPn;
    PDXGKDDI_RECOMMENDFUNCTIONALVIDPN DxgkDdiRecommendFunctionalVidPn;
    PDXGKDDI_ENUMVIDPNCOFUNCMODALITY DxgkDdiEnumVidPnCofuncModality;
    PDXGKDDI_SETVIDPNSOURCEADDRESS DxgkDdiSetVidPnSourceAddress;
    PDXGKDDI_SETVIDPNSOURCEVISIBILITY DxgkDdiSetVidPnSourceVisibility;
    PDXGKDDI_COMMITVIDPN DxgkDdiCommitVidPn;
    PDXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH DxgkDdiUpdateActiveVidPnPresentPath;
    PDXGKDDI_RECOMMENDMONITORMODES DxgkDdiRecommendMonitorModes;
    PDXGKDDI_RECOMMENDVIDPNTOPOLOGY DxgkDdiRecommendVidPnTopology;
    PDXGKDDI_GETSCANLINE DxgkDdiGetScanLine;
    PDXGKDDI_STOPCAPTURE DxgkDdiStopCapture;
    PDXGKDDI_CONTROLINTERRUPT DxgkDdiControlInterrupt;
    PDXGKDDI_CREATEOVERLAY DxgkDdiCreateOverlay;
    PDXGKDDI_DESTROYDEVICE DxgkDdiDestroyDevice;
    PDXGKDDI_OPENALLOCATIONINFO DxgkDdiOpenAllocation;
    PDXGKDDI_CLOSEALLOCATION DxgkDdiCloseAllocation;
    PDXGKDDI_RENDER DxgkDdiRender;
    PDXGKDDI_PRESENT DxgkDdiPresent;
    PDXGKDDI_UPDATEOVERLAY DxgkDdiUpdateOverlay;
    PDXGKDDI_FLIPOVERLAY DxgkDdiFlipOverlay;
    PDXGKDDI_DESTROYOVERLAY DxgkDdiDestroyOverlay;
    PDXGKDDI_CREATECONTEXT DxgkDdiCreateContext;
    PDXGKDDI_DESTROYCONTEXT DxgkDdiDestroyContext;
    PDXGKDDI_LINK_DEVICE DxgkDdiLinkDevice;
    PDXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT DxgkDdiSetDisplayPrivateDriverFormat;
#if WDDM_AT_LEAST(WIN7)
    PDXGKDDI_DESCRIBEPAGETABLE DxgkDdiDescribePageTable;
    PDXGKDDI_UPDATEPAGETABLE DxgkDdiUpdatePageTable;
    PDXGKDDI_UPDATEPAGEDIRECTORY DxgkDdiUpdatePageDirectory;
    PDXGKDDI_MOVEPAGEDIRECTORY DxgkDdiMovePageDirectory;
    PDXGKDDI_SUBMITRENDER DxgkDdiSubmitRender;
    PDXGKDDI_CREATEALLOCATION2 DxgkDdiCreateAllocation2;
    PDXGKDDI_RENDERKM DxgkDdiRenderKm;
    VOID *Reserved;
    PDXGKDDI_QUERYVIDPNHWCAPABILITY DxgkDdiQueryVidPnHWCapability;
#endif
#if WDDM_AT_LEAST(WIN8)
    PDXGKDDISETPOWERCOMPONENTFSTATE DxgkDdiSetPowerComponentFState;
    PDXGKDDI_QUERYDEPENDENTENGINEGROUP DxgkDdiQueryDependentEngineGroup;
    PDXGKDDI_QUERYENGINESTATUS DxgkDdiQueryEngineStatus;
    PDXGKDDI_RESETENGINE DxgkDdiResetEngine;
    PDXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP
    DxgkDdiStopDeviceAndReleasePostDisplayOwnership;
    PDXGKDDI_SYSTEM_DISPLAY_ENABLE DxgkDdiSystemDisplayEnable;
    PDXGKDDI_SYSTEM_DISPLAY_WRITE DxgkDdiSystemDisplayWrite;
    PDXGKDDI_CANCELCOMMAND DxgkDdiCancelCommand;
    PDXGKDDI_GET_CHILD_CONTAINER_ID DxgkDdiGetChildContainerId;
    PDXGKDDIPOWERRUNTIMECONTROLREQUEST DxgkDdiPowerRuntimeControlRequest;
    PDXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY
    DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay;
    PDXGKDDI_NOTIFY_SURPRISE_REMOVAL DxgkDdiNotifySurpriseRemoval;
#endif
#if WDDM_AT_LEAST(WDDM1_3)
    PDXGKDDI_GETNODEMETADATA DxgkDdiGetNodeMetadata;
    PDXGKDDISETPOWERPSTATE DxgkDdiSetPowerPState;
    PDXGKDDI_CONTROLINTERRUPT2 DxgkDdiControlInterrupt2;
    PDXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT DxgkDdiCheckMultiPlaneOverlaySupport;
    PDXGKDDI_CALIBRATEGPUCLOCK DxgkDdiCalibrateGpuClock;
    PDXGKDDI_FORMATHISTORYBUFFER DxgkDdiFormatHistoryBuffer;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
    PDXGKDDI_RENDERGDI DxgkDdiRenderGdi;
    PDXGKDDI_SUBMITCOMMANDVIRTUAL DxgkDdiSubmitCommandVirtual;
    PDXGKDDI_SETROOTPAGETABLE DxgkDdiSetRootPageTable;
    PDXGKDDI_GETROOTPAGETABLESIZE DxgkDdiGetRootPageTableSize;
    PDXGKDDI_MAPCPUHOSTAPERTURE DxgkDdiMapCpuHostAperture;
    PDXGKDDI_UNMAPCPUHOSTAPERTURE DxgkDdiUnmapCpuHostAperture;
    PDXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT2 DxgkDdiCheckMultiPlaneOverlaySupport2;
    PDXGKDDI_CREATEPROCESS DxgkDdiCreateProcess;
    PDXGKDDI_DESTROYPROCESS DxgkDdiDestroyProcess;
    PDXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2
    DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay2;
    VOID *Reserved1;
    VOID *Reserved2;
    PDXGKDDI_POWERRUNTIMESETDEVICEHANDLE DxgkDdiPowerRuntimeSetDeviceHandle;
    PDXGKDDI_SETSTABLEPOWERSTATE DxgkDdiSetStablePowerState;
    PDXGKDDI_SETVIDEOPROTECTEDREGION DxgkDdiSetVideoProtectedRegion;
#endif
#if WDDM_AT_LEAST(WDDM2_1)
    PDXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT3 DxgkDdiCheckMultiPlaneOverlaySupport3;
    PDXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3
    DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3;
    PDXGKDDI_POSTMULTIPLANEOVERLAYPRESENT DxgkDdiPostMultiPlaneOverlayPresent;
    PDXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY DxgkDdiValidateUpdateAllocationProperty;
    PDXGKDDI_CONTROLMODEBEHAVIOR DxgkDdiControlModeBehavior;
    PDXGKDDI_UPDATEMONITORLINKINFO DxgkDdiUpdateMonitorLinkInfo;
#endif
#if WDDM_AT_LEAST(WDDM2_2)
    PDXGKDDI_CREATEHWCONTEXT DxgkDdiCreateHwContext;
    PDXGKDDI_DESTROYHWCONTEXT DxgkDdiDestroyHwContext;
    PDXGKDDI_CREATEHWQUEUE DxgkDdiCreateHwQueue;
    PDXGKDDI_DESTROYHWQUEUE DxgkDdiDestroyHwQueue;
    PDXGKDDI_SUBMITCOMMANDTOHWQUEUE DxgkDdiSubmitCommandToHwQueue;
    PDXGKDDI_SWITCHTOHWCONTEXTLIST DxgkDdiSwitchToHwContextList;
    PDXGKDDI_RESETHWENGINE DxgkDdiResetHwEngine;
    PDXGKDDI_CREATEPERIODICFRAMENOTIFICATION DxgkDdiCreatePeriodicFrameNotification;
    PDXGKDDI_DESTROYPERIODICFRAMENOTIFICATION DxgkDdiDestroyPeriodicFrameNotification;
    PDXGKDDI_SETTIMINGSFROMVIDPN DxgkDdiSetTimingsFromVidPn;
    PDXGKDDI_SETTARGETGAMMA DxgkDdiSetTargetGamma;
    PDXGKDDI_SETTARGETCONTENTTYPE DxgkDdiSetTargetContentType;
    PDXGKDDI_SETTARGETANALOGCOPYPROTECTION DxgkDdiSetTargetAnalogCopyProtection;
    PDXGKDDI_SETTARGETADJUSTEDCOLORIMETRY DxgkDdiSetTargetAdjustedColorimetry;
    PDXGKDDI_DISPLAYDETECTCONTROL DxgkDdiDisplayDetectControl;
    PDXGKDDI_QUERYCONNECTIONCHANGE DxgkDdiQueryConnectionChange;
    PDXGKDDI_EXCHANGEPRESTARTINFO DxgkDdiExchangePreStartInfo;
    PDXGKDDI_GETMULTIPLANEOVERLAYCAPS DxgkDdiGetMultiPlaneOverlayCaps;
    PDXGKDDI_GETPOSTCOMPOSITIONCAPS DxgkDdiGetPostCompositionCaps;
#endif
#if WDDM_AT_LEAST(WDDM2_3)
    PDXGKDDI_UPDATEHWCONTEXTSTATE DxgkDdiUpdateHwContextState;
    PDXGKDDI_CREATEPROTECTEDSESSION DxgkDdiCreateProtectedSession;
    PDXGKDDI_DESTROYPROTECTEDSESSION DxgkDdiDestroyProtectedSession;
#endif
#if WDDM_AT_LEAST(WDDM2_4)
    PDXGKDDI_SETSCHEDULINGLOGBUFFER DxgkDdiSetSchedulingLogBuffer;
    PDXGKDDI_SETUPPRIORITYBANDS DxgkDdiSetupPriorityBands;
    PDXGKDDI_NOTIFYFOCUSPRESENT DxgkDdiNotifyFocusPresent;
    PDXGKDDI_SETCONTEXTSCHEDULINGPROPERTIES DxgkDdiSetContextSchedulingProperties;
    PDXGKDDI_SUSPENDCONTEXT DxgkDdiSuspendContext;
    PDXGKDDI_RESUMECONTEXT DxgkDdiResumeContext;
    PDXGKDDI_SETVIRTUALMACHINEDATA DxgkDdiSetVirtualMachineData;
    PDXGKDDI_BEGINEXCLUSIVEACCESS DxgkDdiBeginExclusiveAccess;
    PDXGKDDI_ENDEXCLUSIVEACCESS DxgkDdiEndExclusiveAccess;
    PDXGKDDI_QUERYDIAGNOSTICTYPESSUPPORT DxgkDdiQueryDiagnosticTypesSupport;
    PDXGKDDI_CONTROLDIAGNOSTICREPORTING DxgkDdiControlDiagnosticReporting;
    PDXGKDDI_RESUMEHWENGINE DxgkDdiResumeHwEngine;
#endif
#if WDDM_AT_LEAST(WDDM2_5)
    PDXGKDDI_SIGNALMONITOREDFENCE DxgkDdiSignalMonitoredFence;
    PDXGKDDI_PRESENTTOHWQUEUE DxgkDdiPresentToHwQueue;
    PDXGKDDI_VALIDATESUBMITCOMMAND DxgkDdiValidateSubmitCommand;
    PDXGKDDI_SETTARGETADJUSTEDCOLORIMETRY2 DxgkDdiSetTargetAdjustedColorimetry2;
    PDXGKDDI_SETTRACKEDWORKLOADPOWERLEVEL DxgkDdiSetTrackedWorkloadPowerLevel;
#endif
#if WDDM_AT_LEAST(WDDM2_6)
    PDXGKDDI_SAVEMEMORYFORHOTUPDATE DxgkDdiSaveMemoryForHotUpdate;
    PDXGKDDI_RESTOREMEMORYFORHOTUPDATE DxgkDdiRestoreMemoryForHotUpdate;
    PDXGKDDI_COLLECTDIAGNOSTICINFO DxgkDdiCollectDiagnosticInfo;
    VOID *Reserved3;
#endif
#if WDDM_AT_LEAST(WDDM2_7)
    PDXGKDDI_CONTROLINTERRUPT3 DxgkDdiControlInterrupt3;
#endif
#if WDDM_AT_LEAST(WDDM2_9)
    PDXGKDDI_SETFLIPQUEUELOGBUFFER DxgkDdiSetFlipQueueLogBuffer;
    PDXGKDDI_UPDATEFLIPQUEUELOG DxgkDdiUpdateFlipQueueLog;
    PDXGKDDI_CANCELQUEUEDFLIPS DxgkDdiCancelQueuedFlips;
    PDXGKDDI_SETINTERRUPTTARGETPRESENTID DxgkDdiSetInterruptTargetPresentId;
#endif
#if WDDM_AT_LEAST(WDDM3_0)
    PDXGKDDI_SETALLOCATIONBACKINGSTORE DxgkDdiSetAllocationBackingStore;
    PDXGKDDI_CREATECPUEVENT DxgkDdiCreateCpuEvent;
    PDXGKDDI_DESTROYCPUEVENT DxgkDdiDestroyCpuEvent;
    PDXGKDDI_CANCELFLIPS DxgkDdiCancelFlips;
#endif
#if WDDM_AT_LEAST(WDDM3_1)
    PDXGKDDI_CREATENATIVEFENCE DxgkDdiCreateNativeFence;
    PDXGKDDI_DESTROYNATIVEFENCE DxgkDdiDestroyNativeFence;
    PDXGKDDI_UPDATEMONITOREDVALUES DxgkDdiUpdateMonitoredValues;
    union WDDM_LAYOUT { /* the page's name second */
        PDXGKDDI_UPDATECURRENTVALUESFROMCPU DxgkDdiUpdateCurrentValuesFromCpu;
        PDXGKDDI_UPDATECURRENTVALUESFROMCPU DxgkDdiNotifyCurrentValueUpdates;
    };
    PDXGKDDI_CREATEDOORBELL DxgkDdiCreateDoorbell;
    PDXGKDDI_CONNECTDOORBELL DxgkDdiConnectDoorbell;
    PDXGKDDI_DISCONNECTDOORBELL DxgkDdiDisconnectDoorbell;
    PDXGKDDI_DESTROYDOORBELL DxgkDdiDestroyDoorbell;
    PDXGKDDI_NOTIFYWORKSUBMISSION DxgkDdiNotifyWorkSubmission;
    union WDDM_LAYOUT { /* the page's name second; it has no page of its own */
        VOID *Reserved4;
        VOID *DxgkDdiFlushHwQueue;
    };
#endif
#if WDDM_AT_LEAST(WDDM3_2)
    PDXGKDDI_CREATEMEMORYBASIS DxgkDdiCreateMemoryBasis;
    PDXGKDDI_DESTROYMEMORYBASIS DxgkDdiDestroyMemoryBasis;
    PDXGKDDI_STARTDIRTYTRACKING DxgkDdiStartDirtyTracking;
    PDXGKDDI_STOPDIRTYTRACKING DxgkDdiStopDirtyTracking;
    PDXGKDDI_QUERYDIRTYBITDATA DxgkDdiQueryDirtyBitData;
    PDXGKDDI_PREPARELIVEMIGRATION DxgkDdiPrepareLiveMigration;
    PDXGKDDI_SAVEIMMUTABLEMIGRATIONDATA DxgkDdiSaveImmutableMigrationData;
    PDXGKDDI_SAVEMUTABLEMIGRATIONDATA DxgkDdiSaveMutableMigrationData;
    PDXGKDDI_ENDLIVEMIGRATION DxgkDdiEndLiveMigration;
    PDXGKDDI_RESTOREIMMUTABLEMIGRATIONDATA DxgkDdiRestoreImmutableMigrationData;
    PDXGKDDI_RESTOREMUTABLEMIGRATIONDATA DxgkDdiRestoreMutableMigrationData;
    PDXGKDDI_WRITEVIRTUALIZEDINTERRUPT DxgkDdiWriteVirtualizedInterrupt;
    PDXGKDDI_SETVIRTUALGPURESOURCES2 DxgkDdiSetVirtualGpuResources2;
    PDXGKDDI_SETVIRTUALFUNCTIONPAUSESTATE DxgkDdiSetVirtualFunctionPauseState;
    PDXGKDDI_OPENNATIVEFENCE DxgkDdiOpenNativeFence;
    PDXGKDDI_CLOSENATIVEFENCE DxgkDdiCloseNativeFence;
    PDXGKDDI_SETNATIVEFENCELOGBUFFER DxgkDdiSetNativeFenceLogBuffer;
    PDXGKDDI_UPDATENATIVEFENCELOGS DxgkDdiUpdateNativeFenceLogs;
    PDXGKDDI_COLLECTDBGINFO2 DxgkDdiCollectDbgInfo2;
    PDXGKDDI_NOTIFYCONTEXTPRIORITYCHANGE DxgkDdiNotifyContextPriorityChange;
    PDXGKDDI_RESETDISPLAYENGINE DxgkDdiResetDisplayEngine;
#endif
} DRIVER_INITIALIZATION_DATA, *PDRIVER_INITIALIZATION_DATA;

struct WDDM_LAYOUT _DXGKRNL_INTERFACE {
    ULONG Size;
    ULONG Version;
    HANDLE DeviceHandle;
    DXGKCB_EVAL_ACPI_METHOD DxgkCbEvalAcpiMethod;
    DXGKCB_GET_DEVICE_INFORMATION DxgkCbGetDeviceInformation;
    DXGKCB_INDICATE_CHILD_STATUS DxgkCbIndicateChildStatus;
    DXGKCB_MAP_MEMORY DxgkCbMapMemory;
    DXGKCB_QUEUE_DPC DxgkCbQueueDpc;
    DXGKCB_QUERY_SERVICES DxgkCbQueryServices;
    DXGKCB_READ_DEVICE_SPACE DxgkCbReadDeviceSpace;
    DXGKCB_SYNCHRONIZE_EXECUTION DxgkCbSynchronizeExecution;
    DXGKCB_UNMAP_MEMORY DxgkCbUnmapMemory;
    DXGKCB_WRITE_DEVICE_SPACE DxgkCbWriteDeviceSpace;
    DXGKCB_IS_DEVICE_PRESENT DxgkCbIsDevicePresent;
    DXGKCB_GETHANDLEDATA DxgkCbGetHandleData;
    DXGKCB_GETHANDLEPARENT DxgkCbGetHandleParent;
    DXGKCB_ENUMHANDLECHILDREN DxgkCbEnumHandleChildren;
    DXGKCB_NOTIFY_INTERRUPT DxgkCbNotifyInterrupt;
    DXGKCB_NOTIFY_DPC DxgkCbNotifyDpc;
    DXGKCB_QUERYVIDPNINTERFACE DxgkCbQueryVidPnInterface;
    DXGKCB_QUERYMONITORINTERFACE DxgkCbQueryMonitorInterface;
    DXGKCB_GETCAPTUREADDRESS DxgkCbGetCaptureAddress;
    DXGKCB_LOG_ETW_EVENT DxgkCbLogEtwEvent;
    DXGKCB_EXCLUDE_ADAPTER_ACCESS DxgkCbExcludeAdapterAccess;
#if WDDM_AT_LEAST(WIN8)
    DXGKCB_CREATECONTEXTALLOCATION DxgkCbCreateContextAllocation;
    DXGKCB_DESTROYCONTEXTALLOCATION DxgkCbDestroyContextAllocation;
    DXGKCB_SETPOWERCOMPONENTACTIVE DxgkCbSetPowerComponentActive;
    DXGKCB_SETPOWERCOMPONENTIDLE DxgkCbSetPowerComponentIdle;
    DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP DxgkCbAcquirePostDisplayOwnership;
    DXGKCB_POWERRUNTIMECONTROLREQUEST DxgkCbPowerRuntimeControlRequest;
    DXGKCB_SETPOWERCOMPONENTLATENCY DxgkCbSetPowerComponentLatency;
    DXGKCB_SETPOWERCOMPONENTRESIDENCY DxgkCbSetPowerComponentResidency;
    DXGKCB_COMPLETEFSTATETRANSITION DxgkCbCompleteFStateTransition;
#endif
#if WDDM_AT_LEAST(WDDM1_3)
    DXGKCB_COMPLETEPSTATETRANSITION DxgkCbCompletePStateTransition;
#endif
#if WDDM_AT_LEAST(WDDM2_0)
    DXGKCB_MAPCONTEXTALLOCATION DxgkCbMapContextAllocation;
    DXGKCB_UPDATECONTEXTALLOCATION DxgkCbUpdateContextAllocation;
    DXGKCB_RESERVEGPUVIRTUALADDRESSRANGE DxgkCbReserveGpuVirtualAddressRange;
    DXGKCB_ACQUIREHANDLEDATA DxgkCbAcquireHandleData;
    DXGKCB_RELEASEHANDLEDATA DxgkCbReleaseHandleData;
    DXGKCB_HARDWARECONTENTPROTECTIONTEARDOWN DxgkCbHardwareContentProtectionTeardown;
#endif
#if WDDM_AT_LEAST(WDDM2_1)
    DXGKCB_MULTIPLANEOVERLAYDISABLED DxgkCbMultiPlaneOverlayDisabled;
    DXGKCB_MITIGATEDRANGEUPDATE DxgkCbMitigatedRangeUpdate;
#endif
#if WDDM_AT_LEAST(WDDM2_2)
    DXGKCB_INVALIDATEHWCONTEXT DxgkCbInvalidateHwContext;
    DXGKCB_INDICATE_CONNECTOR_CHANGE DxgkCbIndicateConnectorChange;
    DXGKCB_UNBLOCKUEFIFRAMEBUFFERRANGES DxgkCbUnblockUEFIFrameBufferRanges;
    DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP2 DxgkCbAcquirePostDisplayOwnership2;
#endif
#if WDDM_AT_LEAST(WDDM2_3)
    DXGKCB_SETPROTECTEDSESSIONSTATUS DxgkCbSetProtectedSessionStatus;
#endif
#if WDDM_AT_LEAST(WDDM2_4)
    DXGKCB_ALLOCATECONTIGUOUSMEMORY DxgkCbAllocateContiguousMemory;
    DXGKCB_FREECONTIGUOUSMEMORY DxgkCbFreeContiguousMemory;
    DXGKCB_ALLOCATEPAGESFORMDL DxgkCbAllocatePagesForMdl;
    DXGKCB_FREEPAGESFROMMDL DxgkCbFreePagesFromMdl;
    DXGKCB_PINFRAMEBUFFERFORSAVE DxgkCbPinFrameBufferForSave;
    DXGKCB_UNPINFRAMEBUFFERFORSAVE DxgkCbUnpinFrameBufferForSave;
    DXGKCB_MAPFRAMEBUFFERPOINTER DxgkCbMapFrameBufferPointer;
    DXGKCB_UNMAPFRAMEBUFFERPOINTER DxgkCbUnmapFrameBufferPointer;
    DXGKCB_MAPMDLTOIOMMU DxgkCbMapMdlToIoMmu;
    DXGKCB_UNMAPMDLFROMIOMMU DxgkCbUnmapMdlFromIoMmu;
    DXGKCB_REPORT_DIAGNOSTIC DxgkCbReportDiagnostic;
#endif
#if WDDM_AT_LEAST(WDDM2_5)
    DXGKCB_SIGNALEVENT DxgkCbSignalEvent;
#endif
#if WDDM_AT_LEAST(WDDM2_6)
    DXGKCB_ISFEATUREENABLED DxgkCbIsFeatureEnabled;
    DXGKCB_SAVEMEMORYFORHOTUPDATE DxgkCbSaveMemoryForHotUpdate;
#endif
#if WDDM_AT_LEAST(WDDM2_8)
    DXGKCB_NOTIFYCURSORSUPPORTCHANGE DxgkCbNotifyCursorSupportChange;
#endif
#if WDDM_AT_LEAST(WDDM2_9)
    DXGKCB_QUERYFEATURESUPPORT DxgkCbQueryFeatureSupport;
    DXGKCB_CREATEPHYSICALMEMORYOBJECT DxgkCbCreatePhysicalMemoryObject;
    DXGKCB_DESTROYPHYSICALMEMORYOBJECT DxgkCbDestroyPhysicalMemoryObject;
    DXGKCB_MAPPHYSICALMEMORY DxgkCbMapPhysicalMemory;
    DXGKCB_UNMAPPHYSICALMEMORY DxgkCbUnmapPhysicalMemory;
    DXGKCB_ALLOCATEADL DxgkCbAllocateAdl;
    DXGKCB_FREEADL DxgkCbFreeAdl;
    DXGKCB_OPENPHYSICALMEMORYOBJECT DxgkCbOpenPhysicalMemoryObject;
    DXGKCB_CLOSEPHYSICALMEMORYOBJECT DxgkCbClosePhysicalMemoryObject;
    DXGKCB_PINFRAMEBUFFERFORSAVE2 DxgkCbPinFrameBufferForSave2;
#endif
#if WDDM_AT_LEAST(WDDM3_1)
    DXGKCB_DISCONNECTDOORBELL DxgkCbDisconnectDoorbell;
#endif
};

NTSTATUS APIENTRY DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                 PDRIVER_INITIALIZATION_DATA DriverInitializationData);
#if WDDM_AT_LEAST(WIN8)
NTSTATUS APIENTRY DxgkUnInitialize(PDRIVER_OBJECT DriverObject);
#endif

WDDM_END_DECLS

#endif
