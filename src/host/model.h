/* model.h - making the hardware model of a host. */
#ifndef HOST_MODEL_H
#define HOST_MODEL_H

#include <vidmm/host.h>

/* false: it is no model that can be made. */
bool host_model_check(const struct vidmm_hw_model *model, struct vidmm_host_error *error);
/* Makes the configuration's. It keeps `gets`, which is filled in here, and says its BARs. */
bool host_model_make(struct vidmm_host *host, struct vidmm_hw_host *gets,
                     struct vidmm_hw_bar bars[VIDMM_HW_BARS], struct vidmm_host_error *error);

#endif
