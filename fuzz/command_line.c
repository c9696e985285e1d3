/*
 * command_line.c - libFuzzer over the words of every command, up to the point where work would begin: a
 * command line is taken, or refused with one sentence that a terminal may show.
 *
 * The input: texts up to a NUL each. The first is what every file holds that is read; the others are the
 * words after "vidmm". No file is written and no process started: what would is below, and refuses.
 */
#include <stdint.h>
#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>
#include <errno.h>

#include <vidmm/cc.h>
#include <vidmm/check.h>
#include <vidmm/device.h>
#include <vidmm/fuzz.h>
#include <vidmm/migrate.h>
#include <vidmm/run.h>
#include <vidmm/softgpu.h>
#include <vidmm/stop.h>
#include <vidmm/sweep.h>

#include "expect.h"

#include "../src/cli/cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int vidmm_command(int argc, char **argv); /* main of src/cli/main.c */

enum { WORDS = 24, TEXT = 4096 };

static const char *content; /* of each file */
static bool worked;         /* work would have begun, and says so */

static void begin_work(char *text, size_t size, const char *what) {
    worked = true;
    (void)snprintf(text, size, "%s", what);
}

/* ---- Files ------------------------------------------------------------------------------------ */

FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode) {
    (void)path;
    errno = mode[0] == 'r' ? ENOENT : EROFS;
    return mode[0] == 'r' && content[0] != '\0'
               ? fmemopen((void *)(uintptr_t)content, strlen(content), mode)
               : NULL;
}

bool cli_calls_begin(struct cli_options *options) {
    (void)options;
    return true;
}

int cli_calls_end(struct cli_options *options, const char *text, int code) {
    (void)options;
    (void)text;
    return code;
}

struct vidmm_report_page cli_calls_page(const struct cli_options *options,
                                        const struct vidmm_workload *workload) {
    return (struct vidmm_report_page){.path = options->html, .workload = workload};
}

int cli_calls_picture(struct cli_options *options, const char *title, int code) {
    (void)options;
    (void)title;
    return code;
}

struct vidmm_device *vidmm_device_open(const char *name, char *text, size_t size) {
    (void)snprintf(text, size, "no device '%s'", name);
    return NULL;
}

void vidmm_device_close(struct vidmm_device *device) {
    (void)device;
}

const struct vidmm_hw_model *vidmm_device_model(const struct vidmm_device *device) {
    (void)device;
    return NULL;
}

bool vidmm_migrate_read_key(const char *words, struct vidmm_migrate_key *key, char *text,
                            size_t size) {
    (void)key;
    (void)snprintf(text, size, "no key '%s'", words);
    return false;
}

/* ---- Processes and drivers -------------------------------------------------------------------- */

void cli_place_driver(struct cli_options *options) {
    (void)options;
}

void cli_watch_crashes(struct cli_options *options, int code) {
    (void)options;
    (void)code;
}

int cli_report_end(const struct cli_options *options, struct vidmm_ledger *ended,
                   const char *text) {
    (void)options;
    (void)ended;
    return cli_refuse("%s", text);
}

void vidmm_stop_block(void) {
}

void vidmm_stop_remember(struct vidmm_stop_last *last) {
    (void)last;
}

void vidmm_stop_forget(const struct vidmm_stop_last *last) {
    (void)last;
}

bool vidmm_run_find(const char *name, uint64_t seed, struct vidmm_workload *out,
                    struct vidmm_workload_error *error) {
    (void)seed;
    memset(out, 0, sizeof(*out));
    out->peak_live_bytes = 1u << 30;
    (void)snprintf(error->text, sizeof(error->text), "no workload '%s'", name);
    vidmm_printable(error->text, false);
    return name[0] == 'f';
}

void vidmm_run_each_recording(void (*visit)(void *ctx, const char *name), void *ctx) {
    visit(ctx, "ncnn-bench-cnn");
}

bool vidmm_run_policy(const char *name, const struct vidmm_policy **out, char *text, size_t size) {
    *out = NULL;
    (void)snprintf(text, size, "no policy '%s'", name);
    return false;
}

enum vidmm_run_status vidmm_run(const struct vidmm_workload *workload,
                                const struct vidmm_run_options *options,
                                struct vidmm_run_result *result) {
    (void)workload;
    (void)options;
    memset(result, 0, sizeof(*result));
    result->status = VIDMM_RUN_BAD_INPUT;
    begin_work(result->text, sizeof(result->text), "the run begins");
    return result->status;
}

void vidmm_run_result_free(struct vidmm_run_result *result) {
    (void)result;
}

enum vidmm_run_status vidmm_run_inspect(const struct vidmm_run_options *options,
                                        struct vidmm_inspection *inspection, char *text,
                                        size_t size) {
    (void)options;
    memset(inspection, 0, sizeof(*inspection));
    begin_work(text, size, "the inspection begins");
    return VIDMM_RUN_BAD_INPUT;
}

void vidmm_inspection_free(struct vidmm_inspection *inspection) {
    (void)inspection;
}

uint32_t vidmm_softgpu_copy_rates(struct vidmm_softgpu_copy_rate *rate, uint32_t most) {
    (void)rate;
    (void)most;
    return 0;
}

/* ---- Other work ------------------------------------------------------------------------------- */

void vidmm_check(const struct vidmm_check_options *options, struct vidmm_check_result *result) {
    (void)options;
    result->status = VIDMM_CHECK_BAD_INPUT;
    begin_work(result->text, sizeof(result->text), "the check begins");
}

void vidmm_check_symbols(const char *driver, struct vidmm_ledger *ledger) {
    (void)driver;
    (void)ledger;
}

void vidmm_check_reason(const struct vidmm_check_result *of, uint32_t rule, char *text,
                        size_t size) {
    (void)of;
    (void)snprintf(text, size, "R%u was not reached", rule);
}

void vidmm_check_share(const struct vidmm_check_result *of, struct vidmm_check_share *share) {
    (void)of;
    *share = (struct vidmm_check_share){.rules = 1};
}

const char *vidmm_check_outcome(const struct vidmm_check_result *of, uint32_t rule) {
    (void)of;
    (void)rule;
    return "not reached";
}

const char *vidmm_check_stage_at(size_t index, const char **summary) {
    if (summary)
        *summary = "starts";
    return index == 0 ? "start" : NULL;
}

const char *vidmm_check_stage_unknown(const char *names, size_t *length) {
    *length = strlen(names);
    return strcmp(names, "start") == 0 ? NULL : names;
}

void vidmm_fuzz(const struct vidmm_fuzz_options *options, struct vidmm_fuzz_result *result) {
    (void)options;
    result->status = VIDMM_FUZZ_BAD_INPUT;
    begin_work(result->text, sizeof(result->text), "the search begins");
}

void vidmm_fuzz_replay(const struct vidmm_fuzz_options *options, const char *file, FILE *out,
                       struct vidmm_fuzz_result *result) {
    (void)file;
    (void)out;
    vidmm_fuzz(options, result);
}

bool vidmm_fuzz_wants_preload(const char *driver_path, char *runtime, size_t size) {
    (void)driver_path;
    (void)runtime;
    (void)size;
    return false;
}

enum vidmm_cc_status vidmm_cc(const struct vidmm_cc_options *options, char *text, size_t size) {
    (void)options;
    begin_work(text, size, "the compiler begins");
    return VIDMM_CC_BAD_INPUT;
}

void vidmm_migrate_defaults(struct vidmm_run_options *run, struct vidmm_host_setting *settings) {
    (void)run;
    (void)settings;
}

static enum vidmm_migrate_status migrate(struct vidmm_migrate_result *result) {
    memset(result, 0, sizeof(*result));
    result->status = VIDMM_MIGRATE_BAD_INPUT;
    begin_work(result->text, sizeof(result->text), "the migration begins");
    return result->status;
}

enum vidmm_migrate_status vidmm_migrate_send(const struct vidmm_workload *workload,
                                             const struct vidmm_run_options *run,
                                             const struct vidmm_migrate_options *options,
                                             struct vidmm_migrate_result *result) {
    (void)workload;
    (void)run;
    (void)options;
    return migrate(result);
}

enum vidmm_migrate_status vidmm_migrate_recv(const struct vidmm_workload *workload,
                                             const struct vidmm_run_options *run,
                                             const struct vidmm_migrate_options *options,
                                             struct vidmm_migrate_result *result) {
    (void)workload;
    (void)run;
    (void)options;
    return migrate(result);
}

bool vidmm_migrate_resolve(const char *control, enum vidmm_migrate_verdict verdict, char *text,
                           size_t size) {
    (void)verdict;
    (void)snprintf(text, size, "no migration at '%s'", control);
    return false;
}

bool vidmm_sweep(const struct vidmm_study *study, const struct vidmm_sweep_options *options,
                 struct vidmm_sweep_result *result, char *text, size_t size) {
    (void)study;
    (void)options;
    (void)result;
    begin_work(text, size, "the sweep begins");
    return false;
}

bool vidmm_sweep_failed(const char *store,
                        void (*visit)(void *ctx, const char *command, int64_t code,
                                      const char *sentence),
                        void *ctx, char *text, size_t size) {
    (void)store;
    (void)visit;
    (void)ctx;
    (void)text;
    (void)size;
    return true;
}

bool vidmm_sweep_plot(const char *store, const char *path, const char *workload,
                      const char *measure, char *text, size_t size) {
    (void)path;
    (void)workload;
    (void)measure;
    (void)snprintf(text, size, "no store '%s'", store);
    return false;
}

const char *vidmm_sweep_measure_at(size_t index) {
    return index == 0 ? "moved" : NULL;
}

/* ---- The input -------------------------------------------------------------------------------- */

/* Cuts a copy of the input into words; how many. */
static int make_words(char *text, char *end, char *words[WORDS]) {
    static char name[] = "vidmm";
    int count = 0;
    content = text;
    words[count++] = name;
    for (text += strlen(text) + 1; text < end && count + 1 < WORDS; text += strlen(text) + 1)
        words[count++] = text;
    words[count] = NULL;
    return count;
}

/* One sentence after the program's name; of work that was refused also those about its files. */
static void expect_sentences(const char *said, size_t size) {
    expect(strncmp(said, "vidmm: ", 7) == 0 && said[7] != '\n', "it says a sentence", said);
    for (const char *end = strchr(said, '\n'); !worked && end; end = strchr(end + 1, '\n'))
        expect(end == said + size - 1 || strncmp(end + 1, "  ", 2) == 0,
               "it says one sentence, and at most a list", said);
    expect_lines("text for a terminal", said, size);
}

static void begin(void) {
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    expect(nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) == STDOUT_FILENO, "/dev/null opens", "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char text[TEXT + 2], *words[WORDS];
    static bool begun;
    FILE *terminal[] = {stdout, stderr};
    char *written[2] = {NULL};
    size_t length[2], kept = size < TEXT ? size : TEXT;
    if (!begun)
        begin();
    begun = true;
    memset(text, 0, sizeof(text));
    memcpy(text, data, kept);
    int count = make_words(text, text + kept, words);
    worked = false;
    optind = 0; /* getopt begins anew */
    stdout = open_memstream(&written[0], &length[0]);
    stderr = open_memstream(&written[1], &length[1]);
    int code = stdout && stderr ? vidmm_command(count, words) : 0;
    (void)fclose(stdout);
    (void)fclose(stderr);
    stdout = terminal[0];
    stderr = terminal[1];
    expect(code == 0 || code == VIDMM_RUN_BAD_INPUT || code == VIDMM_RUN_DRIVER_FAILED,
           "an exit code of a command that does not work", written[1]);
    expect_lines("text for a terminal", written[0], length[0]);
    if (code == 0)
        expect(length[1] == 0, "nothing is said of what is right", written[1]);
    else
        expect_sentences(written[1], length[1]);
    free(written[0]);
    free(written[1]);
    return 0;
}
