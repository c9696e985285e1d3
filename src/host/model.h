/* model.h - creates the hardware model of a host. */
#ifndef HOST_MODEL_H
#define HOST_MODEL_H

#include <vidmm/host.h>

/* False: the model is not valid. */
bool host_model_check(const struct vidmm_hw_model *model, struct vidmm_host_error *error);
/* Creates the configuration's model, which keeps `gets` (filled in here) and describes its BARs. */
bool host_model_make(struct vidmm_host *host, struct vidmm_hw_host *gets,
                     struct vidmm_hw_bar bars[VIDMM_HW_BARS], struct vidmm_host_error *error);

#endif
