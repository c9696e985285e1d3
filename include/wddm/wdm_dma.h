/* SPDX-License-Identifier: MIT */
/*
 * DMA adapters of a bus master: common buffers, and memory in the pieces in which a device sees it
 * (pages nf-wdm-iogetdmaadapter, ns-wdm-_dma_operations).
 */
#ifndef WDDM_WDM_DMA_H
#define WDDM_WDM_DMA_H

#include "wdm_irp.h"

WDDM_BEGIN_DECLS

typedef enum _DMA_WIDTH {
    Width8Bits = 0,
    Width16Bits,
    Width32Bits,
    Width64Bits,
    WidthNoWrap,
    MaximumDmaWidth
} DMA_WIDTH;
typedef enum _DMA_SPEED { Compatible = 0, TypeA, TypeB, TypeC, TypeF, MaximumDmaSpeed } DMA_SPEED;

#define DEVICE_DESCRIPTION_VERSION  0
#define DEVICE_DESCRIPTION_VERSION1 1
#define DEVICE_DESCRIPTION_VERSION2 2
#define DEVICE_DESCRIPTION_VERSION3 3
typedef struct WDDM_LAYOUT _DEVICE_DESCRIPTION {
    ULONG Version;
    BOOLEAN Master;
    BOOLEAN ScatterGather;
    BOOLEAN DemandMode;
    BOOLEAN AutoInitialize;
    BOOLEAN Dma32BitAddresses;
    BOOLEAN IgnoreCount;
    BOOLEAN Reserved1;
    BOOLEAN Dma64BitAddresses;
    ULONG BusNumber;
    ULONG DmaChannel;
    INTERFACE_TYPE InterfaceType;
    DMA_WIDTH DmaWidth;
    DMA_SPEED DmaSpeed;
    ULONG MaximumLength;
    ULONG DmaPort;
    ULONG DmaAddressWidth;
    ULONG DmaControllerInstance;
    ULONG DmaRequestLine;
    PHYSICAL_ADDRESS DeviceAddress;
} DEVICE_DESCRIPTION, *PDEVICE_DESCRIPTION;

struct _DMA_OPERATIONS;
typedef struct WDDM_LAYOUT _DMA_ADAPTER {
    USHORT Version;
    USHORT Size;
    struct _DMA_OPERATIONS *DmaOperations;
} DMA_ADAPTER, *PDMA_ADAPTER;

typedef enum _IO_ALLOCATION_ACTION {
    KeepObject = 1,
    DeallocateObject,
    DeallocateObjectKeepRegisters
} IO_ALLOCATION_ACTION;
typedef IO_ALLOCATION_ACTION NTAPI DRIVER_CONTROL(PDEVICE_OBJECT DeviceObject, PIRP Irp,
                                                  PVOID MapRegisterBase, PVOID Context);
typedef DRIVER_CONTROL *PDRIVER_CONTROL;
typedef VOID NTAPI DRIVER_LIST_CONTROL(PDEVICE_OBJECT DeviceObject, PIRP Irp,
                                       PSCATTER_GATHER_LIST ScatterGather, PVOID Context);
typedef DRIVER_LIST_CONTROL *PDRIVER_LIST_CONTROL;

typedef VOID NTAPI PUT_DMA_ADAPTER(PDMA_ADAPTER DmaAdapter);
typedef PUT_DMA_ADAPTER *PPUT_DMA_ADAPTER;
typedef PVOID NTAPI ALLOCATE_COMMON_BUFFER(PDMA_ADAPTER DmaAdapter, ULONG Length,
                                           PPHYSICAL_ADDRESS LogicalAddress, BOOLEAN CacheEnabled);
typedef ALLOCATE_COMMON_BUFFER *PALLOCATE_COMMON_BUFFER;
typedef VOID NTAPI FREE_COMMON_BUFFER(PDMA_ADAPTER DmaAdapter, ULONG Length,
                                      PHYSICAL_ADDRESS LogicalAddress, PVOID VirtualAddress,
                                      BOOLEAN CacheEnabled);
typedef FREE_COMMON_BUFFER *PFREE_COMMON_BUFFER;
typedef NTSTATUS NTAPI ALLOCATE_ADAPTER_CHANNEL(PDMA_ADAPTER DmaAdapter,
                                                PDEVICE_OBJECT DeviceObject,
                                                ULONG NumberOfMapRegisters,
                                                PDRIVER_CONTROL ExecutionRoutine, PVOID Context);
typedef ALLOCATE_ADAPTER_CHANNEL *PALLOCATE_ADAPTER_CHANNEL;
typedef BOOLEAN NTAPI FLUSH_ADAPTER_BUFFERS(PDMA_ADAPTER DmaAdapter, PMDL Mdl,
                                            PVOID MapRegisterBase, PVOID CurrentVa, ULONG Length,
                                            BOOLEAN WriteToDevice);
typedef FLUSH_ADAPTER_BUFFERS *PFLUSH_ADAPTER_BUFFERS;
typedef VOID NTAPI FREE_ADAPTER_CHANNEL(PDMA_ADAPTER DmaAdapter);
typedef FREE_ADAPTER_CHANNEL *PFREE_ADAPTER_CHANNEL;
typedef VOID NTAPI FREE_MAP_REGISTERS(PDMA_ADAPTER DmaAdapter, PVOID MapRegisterBase,
                                      ULONG NumberOfMapRegisters);
typedef FREE_MAP_REGISTERS *PFREE_MAP_REGISTERS;
typedef PHYSICAL_ADDRESS NTAPI MAP_TRANSFER(PDMA_ADAPTER DmaAdapter, PMDL Mdl,
                                            PVOID MapRegisterBase, PVOID CurrentVa, PULONG Length,
                                            BOOLEAN WriteToDevice);
typedef MAP_TRANSFER *PMAP_TRANSFER;
typedef ULONG NTAPI GET_DMA_ALIGNMENT(PDMA_ADAPTER DmaAdapter);
typedef GET_DMA_ALIGNMENT *PGET_DMA_ALIGNMENT;
typedef ULONG NTAPI READ_DMA_COUNTER(PDMA_ADAPTER DmaAdapter);
typedef READ_DMA_COUNTER *PREAD_DMA_COUNTER;
typedef NTSTATUS NTAPI GET_SCATTER_GATHER_LIST(PDMA_ADAPTER DmaAdapter, PDEVICE_OBJECT DeviceObject,
                                               PMDL Mdl, PVOID CurrentVa, ULONG Length,
                                               PDRIVER_LIST_CONTROL ExecutionRoutine, PVOID Context,
                                               BOOLEAN WriteToDevice);
typedef GET_SCATTER_GATHER_LIST *PGET_SCATTER_GATHER_LIST;
typedef VOID NTAPI PUT_SCATTER_GATHER_LIST(PDMA_ADAPTER DmaAdapter,
                                           PSCATTER_GATHER_LIST ScatterGather,
                                           BOOLEAN WriteToDevice);
typedef PUT_SCATTER_GATHER_LIST *PPUT_SCATTER_GATHER_LIST;
typedef NTSTATUS NTAPI CALCULATE_SCATTER_GATHER_LIST_SIZE(PDMA_ADAPTER DmaAdapter, PMDL Mdl,
                                                          PVOID CurrentVa, ULONG Length,
                                                          PULONG ScatterGatherListSize,
                                                          PULONG NumberOfMapRegisters);
typedef CALCULATE_SCATTER_GATHER_LIST_SIZE *PCALCULATE_SCATTER_GATHER_LIST_SIZE;
typedef NTSTATUS NTAPI BUILD_SCATTER_GATHER_LIST(
    PDMA_ADAPTER DmaAdapter, PDEVICE_OBJECT DeviceObject, PMDL Mdl, PVOID CurrentVa, ULONG Length,
    PDRIVER_LIST_CONTROL ExecutionRoutine, PVOID Context, BOOLEAN WriteToDevice,
    PVOID ScatterGatherBuffer, ULONG ScatterGatherLength);
typedef BUILD_SCATTER_GATHER_LIST *PBUILD_SCATTER_GATHER_LIST;
typedef NTSTATUS NTAPI BUILD_MDL_FROM_SCATTER_GATHER_LIST(PDMA_ADAPTER DmaAdapter,
                                                          PSCATTER_GATHER_LIST ScatterGather,
                                                          PMDL OriginalMdl, PMDL *TargetMdl);
typedef BUILD_MDL_FROM_SCATTER_GATHER_LIST *PBUILD_MDL_FROM_SCATTER_GATHER_LIST;

/* As far as version 2 of the device description goes. */
typedef struct WDDM_LAYOUT _DMA_OPERATIONS {
    ULONG Size;
    PPUT_DMA_ADAPTER PutDmaAdapter;
    PALLOCATE_COMMON_BUFFER AllocateCommonBuffer;
    PFREE_COMMON_BUFFER FreeCommonBuffer;
    PALLOCATE_ADAPTER_CHANNEL AllocateAdapterChannel;
    PFLUSH_ADAPTER_BUFFERS FlushAdapterBuffers;
    PFREE_ADAPTER_CHANNEL FreeAdapterChannel;
    PFREE_MAP_REGISTERS FreeMapRegisters;
    PMAP_TRANSFER MapTransfer;
    PGET_DMA_ALIGNMENT GetDmaAlignment;
    PREAD_DMA_COUNTER ReadDmaCounter;
    PGET_SCATTER_GATHER_LIST GetScatterGatherList;
    PPUT_SCATTER_GATHER_LIST PutScatterGatherList;
    PCALCULATE_SCATTER_GATHER_LIST_SIZE CalculateScatterGatherList;
    PBUILD_SCATTER_GATHER_LIST BuildScatterGatherList;
    PBUILD_MDL_FROM_SCATTER_GATHER_LIST BuildMdlFromScatterGatherList;
} DMA_OPERATIONS, *PDMA_OPERATIONS;

NTKERNELAPI PDMA_ADAPTER NTAPI IoGetDmaAdapter(PDEVICE_OBJECT PhysicalDeviceObject,
                                               PDEVICE_DESCRIPTION DeviceDescription,
                                               PULONG NumberOfMapRegisters);

WDDM_END_DECLS

#endif
