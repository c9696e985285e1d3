/*
 * compare.h - what the hardware makes of page tables (operation/compare_tables.c).
 */
#ifndef REFEREE_OPERATION_COMPARE_H
#define REFEREE_OPERATION_COMPARE_H

#include "state/tables.h"

/* Compares the translation of `va` where that can be done; what is wrong in a table breaks
 * `rule_table`, what only a TLB still says breaks `rule_tlb` (0: is not judged). */
struct tables_blame {
    uint32_t rule_table, rule_tlb;
};
void tables_compare(struct vidmm_referee *referee, const struct tables_process *process,
                    uint64_t va, struct tables_blame blame);
/* At the ends of [start, end), on both sides of them, and at random addresses inside. */
void tables_compare_range(struct vidmm_referee *referee, const struct tables_process *process,
                          uint64_t start, uint64_t end, struct tables_blame blame);
/* After a fault at `va`, while the engine stands: R427. */
void tables_compare_faulted(struct vidmm_referee *referee, const struct tables_process *process,
                            uint64_t va);

#endif
