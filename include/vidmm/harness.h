/*
 * harness.h - host, driver and manager put together: the few lines that every program over vidmm
 * needs.
 *
 * vidmm_harness_open brings a driver up (DriverEntry ... StartDevice), starts the manager over it
 * and wires interrupts and callbacks between them; vidmm_harness_close goes the orderly way down.
 */
#ifndef VIDMM_HARNESS_H
#define VIDMM_HARNESS_H

#include <vidmm/host.h>
#include <vidmm/manager.h>
#include <vidmm/referee.h>

struct vidmm_harness {
    struct vidmm_host *host;
    struct vidmm_adapter *adapter;
    struct vidmm_referee *referee;    /* NULL: no referee judges the run */
    DRIVER_INITIALIZATION_DATA table; /* what the manager calls */
};

/* How a harness is judged. */
struct vidmm_harness_judging {
    struct vidmm_ledger *ledger; /* where findings go; the caller's, outlives the harness */
    struct vidmm_readings readings;
    /* For tests of the referee: replace slots of the driver's table behind it, or of the table that
     * the manager calls before it. May be NULL. */
    void (*spoil_driver)(DRIVER_INITIALIZATION_DATA *table);
    void (*spoil_manager)(DRIVER_INITIALIZATION_DATA *table);
    /* The same for what the driver gets from the system, behind the referee. */
    void (*spoil_callbacks)(DXGKRNL_INTERFACE *callbacks);
    /* The same for what the manager has the GART do. */
    void (*spoil_gart)(struct vidmm_gart *gart);
    /* The same for what the manager tells applications of graphics memory. */
    void (*spoil_sizes)(struct vidmm_referee_sizes *told);
};

enum vidmm_harness_result {
    VIDMM_HARNESS_OK,
    VIDMM_HARNESS_DRIVER_FAILED, /* would not load or start, or left something behind */
    VIDMM_HARNESS_REFUSED, /* the driver broke a rule: in what it reported, or in what it left behind */
};

/* `adapter_config.os`, `.ddi` and `.hadapter` are filled in here. `text` gets one sentence on
 * failure. */
enum vidmm_harness_result vidmm_harness_open(const struct vidmm_host_config *host_config,
                                             const struct vidmm_adapter_config *adapter_config,
                                             struct vidmm_harness *harness, char *text,
                                             size_t text_size);
/* The same with a referee between the two; `judging` NULL: without. */
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
/* Puts the manager over such a harness; `adapter_config` as for vidmm_harness_open. `error` says why not.
 */
enum vidmm_status vidmm_harness_start_manager(struct vidmm_harness *harness,
                                              const struct vidmm_adapter_config *adapter_config,
                                              struct vidmm_error *error);
/* Takes it away again; without one nothing happens. */
void vidmm_harness_stop_manager(struct vidmm_harness *harness);
/* Stops the manager, the device and the driver; says what was left behind. */
enum vidmm_harness_result vidmm_harness_close(struct vidmm_harness *harness, char *text,
                                              size_t text_size);
/* One clear sentence for a error: what, where, what was expected, which page says so. */
void vidmm_error_text(const struct vidmm_error *error, char *text, size_t text_size);

#endif
