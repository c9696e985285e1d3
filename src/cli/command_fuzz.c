/*
 * command_fuzz.c - vidmm fuzz.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS 4096u

static void fuzz_tell(void *ctx, const char *sentence) {
    (void)ctx;
    fprintf(stderr, "vidmm: %s\n", sentence);
}

static void fuzz_free(char **words) {
    for (int i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

/* The words of the command line as they are before options cut them, after the program's name; NULL: out of
 * memory. To be freed by fuzz_free. */
static char **fuzz_copy(int argc, char **argv) {
    char **words = calloc((size_t)argc + 2, sizeof(*words));
    bool whole = words && (words[0] = strdup("vidmm"));
    for (int i = 0; whole && i < argc; i++)
        whole = (words[i + 1] = strdup(argv[i]));
    if (whole)
        return words;
    fuzz_free(words);
    return NULL;
}

/* The same command again, with the sanitizer's run time in its process. Returns if that is not
 * possible. The quarantine holds what many inputs free: a greater one only touches more memory. */
static void fuzz_again(char **words, const char *runtime) {
    (void)setenv("LD_PRELOAD", runtime, 1);
    (void)setenv("ASAN_OPTIONS",
                 "abort_on_error=1:detect_leaks=0:allocator_may_return_null=1:handle_segv=0:"
                 "handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:symbolize=0:"
                 "quarantine_size_mb=16:allocator_release_to_os_interval_ms=-1",
                 1);
    (void)setenv("UBSAN_OPTIONS", "halt_on_error=1:abort_on_error=1", 1);
    (void)execv("/proc/self/exe", words);
}

static void fuzz_gather(struct cli_options *options) {
    struct vidmm_fuzz_options *fuzz = &options->fuzz;
    fuzz->driver_path = options->run.driver_path;
    fuzz->model_path = options->run.model_path;
    fuzz->device = options->run.device;
    fuzz->settings = options->run.settings;
    fuzz->setting_count = options->run.setting_count;
    fuzz->named_settings = options->run.named_settings;
    fuzz->ddi_version = options->run.ddi_version;
    fuzz->linked = options->run.linked;
    fuzz->model = options->run.memory_model;
    fuzz->seed = options->run.seed;
    fuzz->log = options->replay_input ? options->run.log : NULL;
    fuzz->timeout_ms = options->check.timeout_ms;
    fuzz->output = options->output;
    fuzz->tell = fuzz_tell;
}

/* The words before --replay: what else makes a run what it was. */
static void fuzz_words(const struct cli_options *options, char *again, size_t size) {
    size_t at = (size_t)snprintf(again, size, "vidmm fuzz");
    if (options->run.model_path && at < size)
        at += (size_t)snprintf(again + at, size - at, " --hardware %s", options->run.model_path);
    if (options->device && at < size)
        at += (size_t)snprintf(again + at, size - at, " --device %s", options->device);
    for (uint32_t i = 0; i < options->set_count && at < size; i++)
        at += (size_t)snprintf(again + at, size - at, " --set %s=%llu", options->settings[i].name,
                               (unsigned long long)options->settings[i].value);
    if (options->model_name && at < size)
        at += (size_t)snprintf(again + at, size - at, " --model %s", options->model_name);
    if (options->ddi_name && at < size)
        (void)snprintf(again + at, size - at, " --ddi %s", options->ddi_name);
}

static int fuzz_and_report(struct cli_options *options) {
    static struct vidmm_fuzz_result result;
    const char *driver = options->run.driver_path;
    char again[WORDS];
    fuzz_gather(options);
    if (options->replay_input)
        vidmm_fuzz_replay(&options->fuzz, options->replay_input, stdout, &result);
    else
        vidmm_fuzz(&options->fuzz, &result);
    if (result.text[0] != '\0') {
        (void)cli_refuse("%s", result.text);
        return (int)result.status;
    }
    fuzz_words(options, again, sizeof(again));
    if (options->replay_input)
        vidmm_report_fuzz_replay(stdout, &result);
    else
        vidmm_report_fuzz(stdout, &result, again, driver);
    return (int)result.status;
}

/* `words`: the command line that begins again where the driver needs a run time. */
static int fuzz_begin(int argc, char **argv, char **words) {
    struct cli_options options;
    char runtime[WORDS];
    if (!cli_parse(argc, argv, CLI_FUZZ_OPTIONS, &options))
        return VIDMM_FUZZ_BAD_INPUT;
    if (options.help) {
        cli_help_fuzz(stdout);
        return 0;
    }
    if (!options.run.driver_path)
        return cli_refuse("no driver; see vidmm fuzz --help");
    if (vidmm_fuzz_wants_preload(options.run.driver_path, runtime, sizeof(runtime))) {
        if (runtime[0] != '\0')
            fuzz_again(words, runtime);
        return cli_refuse("'%s' was built with an address sanitizer, and the run time of clang's "
                          "is not there (Debian: the package libclang-rt-dev)",
                          options.run.driver_path);
    }
    (void)unsetenv("LD_PRELOAD"); /* clang does without the sanitizer */
    return fuzz_and_report(&options);
}

int cli_fuzz(int argc, char **argv) {
    char **words = fuzz_copy(argc, argv);
    int code = words ? fuzz_begin(argc, argv, words) : cli_refuse("out of memory");
    fuzz_free(words);
    return code;
}
