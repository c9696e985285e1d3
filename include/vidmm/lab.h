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

struct vidmm_lab {
    struct vidmm_host *host;
    struct vidmm_adapter *adapter;
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
/* Stops the manager, the device and the driver; says what was left behind. */
enum vidmm_lab_result vidmm_lab_close(struct vidmm_lab *lab, char *text, size_t text_size);
/* One clear sentence for a fault: what, where, what was expected, which page says so. */
void vidmm_fault_text(const struct vidmm_fault *fault, char *text, size_t text_size);

#endif
