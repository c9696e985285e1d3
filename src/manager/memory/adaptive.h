/*
 * adaptive.h - the policy `adaptive` (adaptive.c).
 */
#ifndef VIDMM_MANAGER_ADAPTIVE_H
#define VIDMM_MANAGER_ADAPTIVE_H

#include <vidmm/policy.h>

extern const struct vidmm_policy vidmm_policy_adaptive;

#endif
