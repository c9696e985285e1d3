/* quiet.c - effects that are looked at on behalf of another rule, which is the one to be told of. */
#include <string.h>

#include "work/work.h"

void work_quiet_begin(struct work_quiet *quiet, struct vidmm_ledger *ledger) {
    memcpy(quiet->broken, ledger->broken, sizeof(quiet->broken));
    memcpy(quiet->muted, ledger->muted, sizeof(quiet->muted));
    memset(ledger->muted, 1, sizeof(ledger->muted));
}

uint32_t work_quiet_end(const struct work_quiet *quiet, struct vidmm_ledger *ledger) {
    uint32_t rules = 0;
    for (uint32_t rule = 0; rule < VIDMM_RULES_SIZE; rule++)
        rules += ledger->broken[rule] != quiet->broken[rule];
    memcpy(ledger->broken, quiet->broken, sizeof(quiet->broken));
    memcpy(ledger->muted, quiet->muted, sizeof(quiet->muted));
    return rules;
}

bool work_unexplained(const struct vidmm_ledger *ledger) {
    for (uint32_t i = 0; i < ledger->seen; i++) {
        const struct vidmm_finding *finding = &ledger->finding[ledger->seen_as[i].finding];
        if (finding->rule != 539 && vidmm_finding_explains(finding))
            return false;
    }
    return true;
}
