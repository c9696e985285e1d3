/*
 * host.h - rows K1, K2, ... of what the host sees, and which of them a finding is of.
 */
#ifndef REFEREE_RULES_HOST_H
#define REFEREE_RULES_HOST_H

#include <vidmm/rules.h>

extern const struct vidmm_rule rules_host[VIDMM_K_END - VIDMM_K_FIRST];

/* The number of the row that a finding of `kind` (enum vidmm_finding_kind, no rule's) belongs to:
 * the host, the referee and the conformance check say what they see in a sentence. */
uint32_t host_rule_of(uint8_t kind, const char *found);

#endif
