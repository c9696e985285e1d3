/* model.h - creates the hardware of a host: a board for each physical adapter, all of one model. */
#ifndef HOST_MODEL_H
#define HOST_MODEL_H

#include <vidmm/host.h>

#include "memory/physical.h"

/* False: the model is not valid. */
bool host_model_check(const struct vidmm_hw_model *model, struct vidmm_host_error *error);
/*
 * Cuts the plan down to what the model's device reaches; `model` may be NULL. False: more than it
 * reaches was asked for.
 */
bool host_model_reached(const struct vidmm_hw_model *model, struct host_physical_plan *plan,
                        struct vidmm_host_error *error);
/* What one board gets of the host; the model may keep its address. */
struct host_board {
    uint32_t index;
    struct vidmm_hw_host gets;
    struct vidmm_host_error *failure; /* while it is created: for what failed; else NULL */
};

/* Creates one board, which describes its BARs. */
bool host_model_make(struct vidmm_host *host, struct host_board *board,
                     struct vidmm_hw_bar bars[VIDMM_HW_BARS], struct vidmm_host_error *error);
/* Destroys the boards that exist. */
void host_models_destroy(struct vidmm_host *host);

#endif
