/*
 * runs.c - whole runs as a library, judged: workloads with a quarter of the GPU memory that they want, by two policies.
 * It is C++, too.
 *
 *     cc runs.c $(pkg-config --cflags --libs vidmm) && ./a.out
 *     c++ -x c++ runs.c $(pkg-config --cflags --libs vidmm) && ./a.out
 */
#include <stdio.h>
#include <string.h>

#include <vidmm/run.h>

/* One line, or one sentence on standard error. */
static bool run(const struct vidmm_workload *workload, const char *policy) {
    struct vidmm_run_options options;
    struct vidmm_run_result result;
    char text[256] = "the workload has no memory to take a share of";
    memset(&options, 0, sizeof(options));
    options.frame_limit = 20;
    if (!vidmm_run_parse_vram("25%", workload->peak_live_bytes, &options.vram_bytes) ||
        !vidmm_run_policy(policy, &options.policy, text, sizeof(text))) {
        fprintf(stderr, "%s\n", text);
        return false;
    }
    bool verified = vidmm_run(workload, &options, &result) == VIDMM_RUN_VERIFIED;
    if (verified)
        printf("%-12s %-8s %4u page-ins, %4u evictions, %.2f of the bound\n", result.workload, result.policy,
               (unsigned)result.play.stats.page_ins, (unsigned)result.play.stats.evictions,
               vidmm_run_over_bound(&result));
    else
        fprintf(stderr, "%s\n", result.text);
    vidmm_run_result_free(&result);
    return verified;
}

int main(int argc, char **argv) {
    bool good = true;
    for (int i = 1; i < argc || i == 1; i++) {
        const char *name = i < argc ? argv[i] : "frame-loop"; /* a generator, a recording or its path */
        struct vidmm_workload workload;
        struct vidmm_workload_error error;
        if (!vidmm_run_find(name, 0, &workload, &error)) {
            fprintf(stderr, "%s\n", error.text);
            return 2;
        }
        good = run(&workload, "lru") && run(&workload, "adaptive") && good;
        vidmm_workload_free(&workload);
    }
    return good ? 0 : 1;
}
