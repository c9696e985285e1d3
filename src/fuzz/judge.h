/*
 * judge.h - one input in a process of its own: what it finds, and the smallest input that finds the
 * same.
 */
#ifndef FUZZ_JUDGE_H
#define FUZZ_JUDGE_H

#include <vidmm/fuzz.h>

#include "input.h"

struct fuzz_bytes {
    size_t size;
    uint8_t byte[FUZZ_MOST];
};

/* Plays the input; its findings are in `ledger`, which is emptied before. Not VIDMM_FUZZ_NOTHING: the driver did not
 * start, or nobody asked for a setting, and `text` is one sentence. */
enum vidmm_fuzz_status fuzz_judge(const struct vidmm_fuzz_options *options,
                                  const struct fuzz_bytes *bytes, struct vidmm_ledger *ledger,
                                  char *text, size_t size);
/* The next finding from index `*at` on that is no consequence of another one, with its identity; NULL:
 * there is no more. */
const struct vidmm_finding *fuzz_judge_next(const struct vidmm_fuzz_options *options,
                                            struct vidmm_ledger *ledger, uint32_t *at,
                                            char identity[VIDMM_IDENTITY]);
/* Of CLOCK_MONOTONIC, by which a search and the tries of a smaller input end. */
uint64_t fuzz_now_ms(void);
/* Makes `bytes` smaller while the finding comes again at its place, for ten seconds at most. */
void fuzz_minimise(const struct vidmm_fuzz_options *options, const struct vidmm_finding *finding,
                   struct fuzz_bytes *bytes);
/* In a process that plays: reports of an address sanitizer become findings of the ledger. */
void fuzz_judge_sanitizer(struct vidmm_ledger *ledger);
/* Where the process's standard error goes while inputs are judged; -1: where it goes else. */
void fuzz_judge_quiet(int log);

#endif
