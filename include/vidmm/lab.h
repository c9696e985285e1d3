/*
 * lab.h - host, driver and manager put together: the few lines that every program over vidmm needs.
 *
 * vidmm_lab_open brings a driver up (DriverEntry ... StartDevice), starts the manager over it and
 * wires interrupts and callbacks between them; vidmm_lab_close goes the orderly way down.
 */
#ifndef VIDMM_LAB_H
#define VIDMM_LAB_H

#include <vidmm/host.h>
#include <vidmm/manager.h>
#include <vidmm/referee.h>

struct vidmm_lab {
    struct vidmm_host *host;
    struct vidmm_adapter *adapter;
    struct vidmm_referee *referee;    /* NULL: nobody judges */
    DRIVER_INITIALIZATION_DATA table; /* what the manager calls */
};

/* How a lab is judged. */
struct vidmm_lab_judging {
    struct vidmm_ledger *ledger; /* where findings go; the caller's, outlives the lab */
    struct vidmm_readings readings;
    /* For tests of the referee: replace slots of the driver's table behind it, or of the table that
     * the manager calls before it. May be NULL. */
    void (*spoil_driver)(DRIVER_INITIALIZATION_DATA *table);
    void (*spoil_manager)(DRIVER_INITIALIZATION_DATA *table);
    /* The same for what the driver gets from the system, behind the referee. */
    void (*spoil_callbacks)(DXGKRNL_INTERFACE *callbacks);
    /* The same for what the manager tells applications of graphics memory. */
    void (*spoil_sizes)(struct vidmm_referee_sizes *told);
};

enum vidmm_lab_result {
    VIDMM_LAB_OK,
    VIDMM_LAB_DRIVER_FAILED, /* would not load or start, or left something behind */
    VIDMM_LAB_REFUSED, /* the driver broke a rule: in what it reported, or in what it left behind */
};

/* `adapter_config.os`, `.ddi` and `.hadapter` are filled in here. `text` gets one sentence on
 * failure. */
enum vidmm_lab_result vidmm_lab_open(const struct vidmm_host_config *host_config,
                                     const struct vidmm_adapter_config *adapter_config,
                                     struct vidmm_lab *lab, char *text, size_t text_size);
/* The same with a referee between the two; `judging` NULL: without. */
enum vidmm_lab_result vidmm_lab_open_judged(const struct vidmm_host_config *host_config,
                                            const struct vidmm_adapter_config *adapter_config,
                                            const struct vidmm_lab_judging *judging,
                                            struct vidmm_lab *lab, char *text, size_t text_size);
/*
 * Host, driver and referee without a manager: `lab->table` may be called by hand. Closed by
 * vidmm_lab_close like every lab.
 */
enum vidmm_lab_result vidmm_lab_open_driver(const struct vidmm_host_config *host_config,
                                            const struct vidmm_lab_judging *judging,
                                            struct vidmm_lab *lab, char *text, size_t text_size);
/* Puts the manager over such a lab; `adapter_config` as for vidmm_lab_open. `fault` says why not.
 */
enum vidmm_status vidmm_lab_start_manager(struct vidmm_lab *lab,
                                          const struct vidmm_adapter_config *adapter_config,
                                          struct vidmm_fault *fault);
/* Takes it away again; without one nothing happens. */
void vidmm_lab_stop_manager(struct vidmm_lab *lab);
/* Stops the manager, the device and the driver; says what was left behind. */
enum vidmm_lab_result vidmm_lab_close(struct vidmm_lab *lab, char *text, size_t text_size);
/* One clear sentence for a fault: what, where, what was expected, which page says so. */
void vidmm_fault_text(const struct vidmm_fault *fault, char *text, size_t text_size);

#endif
