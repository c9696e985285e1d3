/*
 * driver.h - the driver itself: its table from DriverEntry to DxgkDdiUnload, and what surrounds each
 * of its life-cycle calls. Its devices are in device.h.
 */
#ifndef HOST_DRIVER_H
#define HOST_DRIVER_H

#include <stdbool.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/host.h>

struct host_driver {
    DRIVER_OBJECT object;
    DRIVER_INITIALIZATION_DATA ddi; /* as the driver filled it; NULL beyond its version */
    DRIVER_INITIALIZATION_DATA own; /* the same, whatever an interposer puts into `ddi` */
    const char *refusal;            /* why DxgkInitialize failed */
    bool initialized;
    bool displays_only;             /* it called DxgkInitializeDisplayOnlyDriver */
    bool asked, gives_display_back; /* for DXGK_DRIVERCAPS; its SupportNonVGA */
    bool flips_at_device;           /* the same, FlipOnVSyncMmIo */
    bool left;                      /* a mode of a display stays set until the device stops */
    UINT left_target;
};

void host_driver_init(struct host_driver *driver);
/* DriverEntry, which calls DxgkInitialize: the table is copied and checked. */
bool host_driver_enter(struct vidmm_host *host, DRIVER_INITIALIZE *entry,
                       struct vidmm_host_error *error);
/* DxgkDdiUnload. */
void host_driver_unload(struct vidmm_host *host);

/* Before and after every life-cycle call; afterwards it must be back at PASSIVE_LEVEL. `status`: what
 * it returned. */
void host_driver_calling(const char *call);
void host_driver_called(const char *call, NTSTATUS status);
/* Puts the sentence and the status of the driver's call into `error`; false. */
bool host_driver_fail(struct vidmm_host_error *error, NTSTATUS status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of `call`, and `which` device it was of (""), that failed with that status, which has its name. */
bool host_driver_refuse(struct vidmm_host_error *error, NTSTATUS status, const char *call,
                        const char *which);

#endif
