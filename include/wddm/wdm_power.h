/* SPDX-License-Identifier: MIT */
/*
 * Power of a device: components of the power framework, requests for power, and the older power
 * requests (pages nf-wdm-pofxregisterdevice, nf-ntifs-pocreatepowerrequest and their neighbours). A
 * display miniport's power is dxgkrnl's; here every registered device stays in its working state.
 */
#ifndef WDDM_WDM_POWER_H
#define WDDM_WDM_POWER_H

#include "wdm_irp.h"

WDDM_BEGIN_DECLS

typedef struct _POHANDLE *POHANDLE;
typedef VOID NTAPI PO_FX_COMPONENT_ACTIVE_CONDITION_CALLBACK(PVOID Context, ULONG Component);
typedef PO_FX_COMPONENT_ACTIVE_CONDITION_CALLBACK *PPO_FX_COMPONENT_ACTIVE_CONDITION_CALLBACK;
typedef VOID NTAPI PO_FX_COMPONENT_IDLE_CONDITION_CALLBACK(PVOID Context, ULONG Component);
typedef PO_FX_COMPONENT_IDLE_CONDITION_CALLBACK *PPO_FX_COMPONENT_IDLE_CONDITION_CALLBACK;
typedef VOID NTAPI PO_FX_COMPONENT_IDLE_STATE_CALLBACK(PVOID Context, ULONG Component, ULONG State);
typedef PO_FX_COMPONENT_IDLE_STATE_CALLBACK *PPO_FX_COMPONENT_IDLE_STATE_CALLBACK;
typedef VOID NTAPI PO_FX_DEVICE_POWER_REQUIRED_CALLBACK(PVOID Context);
typedef PO_FX_DEVICE_POWER_REQUIRED_CALLBACK *PPO_FX_DEVICE_POWER_REQUIRED_CALLBACK;
typedef VOID NTAPI PO_FX_DEVICE_POWER_NOT_REQUIRED_CALLBACK(PVOID Context);
typedef PO_FX_DEVICE_POWER_NOT_REQUIRED_CALLBACK *PPO_FX_DEVICE_POWER_NOT_REQUIRED_CALLBACK;
typedef NTSTATUS NTAPI PO_FX_POWER_CONTROL_CALLBACK(PVOID DeviceContext, LPCGUID PowerControlCode,
                                                    PVOID InBuffer, SIZE_T InBufferSize,
                                                    PVOID OutBuffer, SIZE_T OutBufferSize,
                                                    PSIZE_T BytesReturned);
typedef PO_FX_POWER_CONTROL_CALLBACK *PPO_FX_POWER_CONTROL_CALLBACK;

typedef struct WDDM_LAYOUT _PO_FX_COMPONENT_IDLE_STATE {
    ULONGLONG TransitionLatency;
    ULONGLONG ResidencyRequirement;
    ULONG NominalPower;
} PO_FX_COMPONENT_IDLE_STATE, *PPO_FX_COMPONENT_IDLE_STATE;
typedef struct WDDM_LAYOUT _PO_FX_COMPONENT_V1 {
    GUID Id;
    ULONG IdleStateCount;
    ULONG DeepestWakeableIdleState;
    PPO_FX_COMPONENT_IDLE_STATE IdleStates;
} PO_FX_COMPONENT_V1, *PPO_FX_COMPONENT_V1, PO_FX_COMPONENT, *PPO_FX_COMPONENT;
#define PO_FX_VERSION_V1 0x00000001
#define PO_FX_VERSION    PO_FX_VERSION_V1
typedef struct WDDM_LAYOUT _PO_FX_DEVICE_V1 {
    ULONG Version;
    ULONG ComponentCount;
    PPO_FX_COMPONENT_ACTIVE_CONDITION_CALLBACK ComponentActiveConditionCallback;
    PPO_FX_COMPONENT_IDLE_CONDITION_CALLBACK ComponentIdleConditionCallback;
    PPO_FX_COMPONENT_IDLE_STATE_CALLBACK ComponentIdleStateCallback;
    PPO_FX_DEVICE_POWER_REQUIRED_CALLBACK DevicePowerRequiredCallback;
    PPO_FX_DEVICE_POWER_NOT_REQUIRED_CALLBACK DevicePowerNotRequiredCallback;
    PPO_FX_POWER_CONTROL_CALLBACK PowerControlCallback;
    PVOID DeviceContext;
    PO_FX_COMPONENT_V1 Components[1];
} PO_FX_DEVICE_V1, *PPO_FX_DEVICE_V1, PO_FX_DEVICE, *PPO_FX_DEVICE;

#define PO_FX_FLAG_BLOCKING   0x1u
#define PO_FX_FLAG_ASYNC_ONLY 0x2u
#define PO_FX_UNKNOWN_POWER   0xffffffffu
#define PO_FX_UNKNOWN_TIME    0xffffffffffffffffull

NTKERNELAPI NTSTATUS NTAPI PoFxRegisterDevice(PDEVICE_OBJECT Pdo, PPO_FX_DEVICE Device,
                                              POHANDLE *Handle);
NTKERNELAPI VOID NTAPI PoFxUnregisterDevice(POHANDLE Handle);
NTKERNELAPI VOID NTAPI PoFxStartDevicePowerManagement(POHANDLE Handle);
NTKERNELAPI VOID NTAPI PoFxActivateComponent(POHANDLE Handle, ULONG Component, ULONG Flags);
NTKERNELAPI VOID NTAPI PoFxIdleComponent(POHANDLE Handle, ULONG Component, ULONG Flags);
NTKERNELAPI VOID NTAPI PoFxCompleteIdleCondition(POHANDLE Handle, ULONG Component);
NTKERNELAPI VOID NTAPI PoFxCompleteIdleState(POHANDLE Handle, ULONG Component);
NTKERNELAPI VOID NTAPI PoFxCompleteDevicePowerNotRequired(POHANDLE Handle);
NTKERNELAPI VOID NTAPI PoFxReportDevicePoweredOn(POHANDLE Handle);
NTKERNELAPI VOID NTAPI PoFxSetComponentLatency(POHANDLE Handle, ULONG Component, ULONGLONG Latency);
NTKERNELAPI VOID NTAPI PoFxSetComponentResidency(POHANDLE Handle, ULONG Component,
                                                 ULONGLONG Residency);
NTKERNELAPI VOID NTAPI PoFxSetComponentWake(POHANDLE Handle, ULONG Component, BOOLEAN WakeHint);
NTKERNELAPI VOID NTAPI PoFxSetDeviceIdleTimeout(POHANDLE Handle, ULONGLONG IdleTimeout);
NTKERNELAPI NTSTATUS NTAPI PoFxPowerControl(POHANDLE Handle, LPCGUID PowerControlCode,
                                            PVOID InBuffer, SIZE_T InBufferSize, PVOID OutBuffer,
                                            SIZE_T OutBufferSize, PSIZE_T BytesReturned);

typedef enum _POWER_REQUEST_TYPE {
    PowerRequestDisplayRequired = 0,
    PowerRequestSystemRequired,
    PowerRequestAwayModeRequired,
    PowerRequestExecutionRequired
} POWER_REQUEST_TYPE,
    *PPOWER_REQUEST_TYPE;
NTKERNELAPI NTSTATUS NTAPI PoCreatePowerRequest(PVOID *PowerRequest, PDEVICE_OBJECT DeviceObject,
                                                PVOID Context);
NTKERNELAPI NTSTATUS NTAPI PoSetPowerRequest(PVOID PowerRequest, POWER_REQUEST_TYPE Type);
NTKERNELAPI NTSTATUS NTAPI PoClearPowerRequest(PVOID PowerRequest, POWER_REQUEST_TYPE Type);
NTKERNELAPI VOID NTAPI PoDeletePowerRequest(PVOID PowerRequest);

typedef enum _POWER_STATE_TYPE { SystemPowerState = 0, DevicePowerState } POWER_STATE_TYPE;
typedef VOID NTAPI REQUEST_POWER_COMPLETE(PDEVICE_OBJECT DeviceObject, UCHAR MinorFunction,
                                          POWER_STATE PowerState, PVOID Context,
                                          PIO_STATUS_BLOCK IoStatus);
typedef REQUEST_POWER_COMPLETE *PREQUEST_POWER_COMPLETE;
#define IRP_MN_WAIT_WAKE      0x00
#define IRP_MN_POWER_SEQUENCE 0x01
#define IRP_MN_SET_POWER      0x02
#define IRP_MN_QUERY_POWER    0x03
NTKERNELAPI POWER_STATE NTAPI PoSetPowerState(PDEVICE_OBJECT DeviceObject, POWER_STATE_TYPE Type,
                                              POWER_STATE State);
NTKERNELAPI NTSTATUS NTAPI PoRequestPowerIrp(PDEVICE_OBJECT DeviceObject, UCHAR MinorFunction,
                                             POWER_STATE PowerState,
                                             PREQUEST_POWER_COMPLETE CompletionFunction,
                                             PVOID Context, PIRP *Irp);
NTKERNELAPI VOID NTAPI PoStartNextPowerIrp(PIRP Irp);
NTKERNELAPI NTSTATUS NTAPI PoCallDriver(PDEVICE_OBJECT DeviceObject, PIRP Irp);

WDDM_END_DECLS

#endif
