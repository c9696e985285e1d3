/*
 * power_cycle.h - the adapter and its child devices go to D3 and back, and the hardware loses what it has
 * (hwmodel.h power). Child devices go first on the way down and come last on the way up, so that the adapter works for
 * them in between. What memory does not keep its manager moves out before (vidmm_power_down), and makes again behind.
 */
#ifndef VIDMM_CHECK_POWER_CYCLE_H
#define VIDMM_CHECK_POWER_CYCLE_H

#include "stage.h"

#define POWER_CHILDREN 64u

struct power_cycle {
    bool hibernates;
    ULONG child[POWER_CHILDREN];
    uint32_t children;
};

/* The child devices, by the driver's own numbers. */
void power_find_children(struct check *check, struct power_cycle *cycle);
void power_set_children(struct check *check, const struct power_cycle *cycle,
                        DEVICE_POWER_STATE state);
/* To D3, and the hardware loses what it has; true: there is a model that does. It has power again only behind
 * power_give, so that the caller can look at it in between. */
bool power_take(struct check *check, const struct power_cycle *cycle);
/* Power is there again, and the adapter in D0; its child devices are not. */
void power_give(struct check *check, const struct power_cycle *cycle);
/* All of it, from an adapter with a manager in D0 to that; false: a call was refused, as check_good says. */
bool power_go_round(struct check *check);

#endif
