/*
 * coverage.c - see coverage.h.
 *
 * The last thing that each function does is the call of libFuzzer's, which compilers make a jump: libFuzzer
 * tells comparisons apart by the address to which it returns. They are weak, so that a program which
 * links libFuzzer itself has that one's.
 */
#include "coverage.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* X(NAME, PARAMETERS, ARGUMENTS): __sanitizer_cov_NAME, as clang's documentation declares it. */
#define COVERAGE(X)                                                                                \
    X(8bit_counters_init, (uint8_t * start, uint8_t * stop), (start, stop))                        \
    X(pcs_init, (const uintptr_t *start, const uintptr_t *stop), (start, stop))                    \
    X(trace_cmp1, (uint8_t left, uint8_t right), (left, right))                                    \
    X(trace_cmp2, (uint16_t left, uint16_t right), (left, right))                                  \
    X(trace_cmp4, (uint32_t left, uint32_t right), (left, right))                                  \
    X(trace_cmp8, (uint64_t left, uint64_t right), (left, right))                                  \
    X(trace_const_cmp1, (uint8_t left, uint8_t right), (left, right))                              \
    X(trace_const_cmp2, (uint16_t left, uint16_t right), (left, right))                            \
    X(trace_const_cmp4, (uint32_t left, uint32_t right), (left, right))                            \
    X(trace_const_cmp8, (uint64_t left, uint64_t right), (left, right))                            \
    X(trace_switch, (uint64_t value, uint64_t * cases), (value, cases))                            \
    X(trace_div4, (uint32_t value), (value))                                                       \
    X(trace_div8, (uint64_t value), (value))                                                       \
    X(trace_gep, (uintptr_t index), (index))                                                       \
    X(trace_pc_indir, (uintptr_t callee), (callee))

#define COVERAGE_FUNCTION(name, parameters, arguments)                                             \
    static void(*coverage_##name) parameters;                                                      \
    void fuzz_cov_##name parameters __asm__("__sanitizer_cov_" #name) __attribute__((weak));       \
    void fuzz_cov_##name parameters {                                                              \
        if (coverage_##name)                                                                       \
            coverage_##name arguments;                                                             \
    }
COVERAGE(COVERAGE_FUNCTION)
#undef COVERAGE_FUNCTION

void fuzz_coverage_from(void *object) {
#define COVERAGE_NAME(name, parameters, arguments) {"__sanitizer_cov_" #name, &coverage_##name},
    const struct {
        const char *name;
        void *place; /* of a pointer to the function */
    } all[] = {COVERAGE(COVERAGE_NAME)};
#undef COVERAGE_NAME
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        void *function = dlsym(object, all[i].name);
        memcpy(all[i].place, &function, sizeof(function));
    }
}
