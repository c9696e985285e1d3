/*
 * harness.h - connects host, driver and manager, as every program over vidmm needs it.
 *
 * vidmm_harness_open starts a driver (DriverEntry ... StartDevice), starts the manager over it and
 * connects interrupts and callbacks; vidmm_harness_close stops both in the reverse order.
 */
#ifndef VIDMM_HARNESS_H
#define VIDMM_HARNESS_H

#include <vidmm/record.h>
#include <vidmm/host.h>
#include <vidmm/manager.h>
#include <vidmm/referee.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vidmm_harness {
    struct vidmm_host *host;
    struct vidmm_adapter *adapter;
    struct vidmm_referee *referee;    /* NULL: no referee judges the run */
    struct vidmm_record *record;      /* NULL: nothing is recorded */
    DRIVER_INITIALIZATION_DATA table; /* what the manager calls */
    /* The same without what is newer than the interface that is spoken: for calls beside it. */
    DRIVER_INITIALIZATION_DATA spoken;
};

/* From here on each harness that is opened in this process is recorded, in a record that outlives it.
 * NULL: none is. */
void vidmm_harness_record(struct vidmm_record *record);
/* The record that vidmm_harness_record set last, the caller's own; NULL: nothing is recorded. */
struct vidmm_record *vidmm_harness_recording(void);

/* How a harness is judged. */
struct vidmm_harness_judging {
    struct vidmm_ledger *ledger; /* where findings go; the caller's, outlives the harness */
    struct vidmm_readings readings;
    uint32_t interface_version; /* as vidmm_adapter_config.interface_version */
    /* For tests of the referee: replaces slots of the driver's table (between referee and driver)
     * or of the manager's table (between manager and referee). May be NULL. */
    void (*spoil_driver)(DRIVER_INITIALIZATION_DATA *table);
    void (*spoil_manager)(DRIVER_INITIALIZATION_DATA *table);
    /* The same for the calls that begin and end devices, between host and referee. */
    void (*spoil_devices)(DRIVER_INITIALIZATION_DATA *table);
    /* The same for the driver's callbacks, between referee and driver. */
    void (*spoil_callbacks)(DXGKRNL_INTERFACE *callbacks);
    /* The same for what the manager has the GART do. */
    void (*spoil_gart)(struct vidmm_gart *gart);
    /* The same for the sizes of graphics memory that the manager reports to applications. */
    void (*spoil_sizes)(struct vidmm_referee_sizes *sizes);
};

enum vidmm_harness_result {
    VIDMM_HARNESS_OK,
    VIDMM_HARNESS_DRIVER_FAILED, /* did not load or start, or leaked */
    VIDMM_HARNESS_REFUSED,       /* the driver broke a rule, by a report or a leak */
};

/* `adapter_config.os`, `.ddi`, `.hadapter` and `.linked` are filled in here. `text` gets one sentence on
 * failure. */
enum vidmm_harness_result vidmm_harness_open(const struct vidmm_host_config *host_config,
                                             const struct vidmm_adapter_config *adapter_config,
                                             struct vidmm_harness *harness, char *text,
                                             size_t text_size);
/* The same with a referee between manager and driver; `judging` NULL: without. */
enum vidmm_harness_result
vidmm_harness_open_judged(const struct vidmm_host_config *host_config,
                          const struct vidmm_adapter_config *adapter_config,
                          const struct vidmm_harness_judging *judging,
                          struct vidmm_harness *harness, char *text, size_t text_size);
/*
 * Host, driver and referee without a manager: `harness->table` may be called by hand. Closed by
 * vidmm_harness_close like every harness.
 */
enum vidmm_harness_result vidmm_harness_open_driver(const struct vidmm_host_config *host_config,
                                                    const struct vidmm_harness_judging *judging,
                                                    struct vidmm_harness *harness, char *text,
                                                    size_t text_size);
/* Starts the manager over such a harness; `adapter_config` as for vidmm_harness_open. */
enum vidmm_status vidmm_harness_start_manager(struct vidmm_harness *harness,
                                              const struct vidmm_adapter_config *adapter_config,
                                              struct vidmm_error *error);
/* Stops that manager, if there is one. */
void vidmm_harness_stop_manager(struct vidmm_harness *harness);
/* Stops the manager, the device and the driver; reports leaks. */
enum vidmm_harness_result vidmm_harness_close(struct vidmm_harness *harness, char *text,
                                              size_t text_size);
/* One sentence for an error: call, field, value, expected value, page. */
void vidmm_error_text(const struct vidmm_error *error, char *text, size_t text_size);

#ifdef __cplusplus
}
#endif

#endif
