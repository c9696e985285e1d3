/*
 * judge.c - see judge.h.
 */
#include "judge.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <vidmm/watch.h>

#include "play.h"

#define RUNS_MOST 12u /* deadlines of a call that an input may take */

static int judge_log = -1;

void fuzz_judge_quiet(int log) {
    judge_log = log;
}

/* ---- A sanitizer's words --------------------------------------------------------------------- */

static struct vidmm_ledger *sanitized;

/* "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address ...\nREAD of size 4 at ..." */
static void sanitizer_said(const char *report) {
    const char *what = strstr(report, "AddressSanitizer: ");
    const char *access = strstr(report, " of size ");
    bool writes = access && access - report > 5 && strncmp(access - 5, "WRITE", 5) == 0;
    char words[64];
    if (!what)
        return;
    what += strlen("AddressSanitizer: ");
    snprintf(words, sizeof(words), "%.*s", (int)strcspn(what, " \n("), what);
    if (access)
        vidmm_ledger_note(sanitized, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                          "the address sanitizer found a %s, a %s of %u bytes", words,
                          writes ? "write" : "read",
                          (unsigned)strtoul(access + strlen(" of size "), NULL, 10));
    else
        vidmm_ledger_note(sanitized, VIDMM_FINDING_HOST, VIDMM_SIDE_DRIVER,
                          "the address sanitizer found a %s", words);
}

void fuzz_judge_sanitizer(struct vidmm_ledger *ledger) {
    void (*set)(void (*said)(const char *report)) = NULL;
    void *name = dlsym(RTLD_DEFAULT, "__asan_set_error_report_callback");
    void *poison = dlsym(RTLD_DEFAULT, "__asan_poison_memory_region");
    void *unpoison = dlsym(RTLD_DEFAULT, "__asan_unpoison_memory_region");
    vidmm_referee_range forbid = NULL, allow = NULL;
    sanitized = ledger;
    memcpy(&set, &name, sizeof(set));
    memcpy(&forbid, &poison, sizeof(forbid));
    memcpy(&allow, &unpoison, sizeof(allow));
    if (set)
        set(sanitizer_said);
    if (forbid && allow)
        vidmm_referee_forbid(forbid, allow);
}

/* ---- One input ------------------------------------------------------------------------------- */

struct judge {
    const struct vidmm_fuzz_options *options;
    const struct fuzz_bytes *bytes;
    struct vidmm_ledger *ledger;
    enum vidmm_fuzz_status status;
    char text[512];
};

static void judge_run(void *ctx) {
    struct judge *judge = ctx;
    struct fuzz_input input;
    fuzz_judge_sanitizer(judge->ledger);
    fuzz_life_prepare(judge->options);
    fuzz_input_read(&input, judge->bytes->byte, judge->bytes->size);
    enum vidmm_fuzz_status status =
        fuzz_play(judge->options, judge->ledger, &input, judge->text, sizeof(judge->text));
    if (status != VIDMM_FUZZ_NOTHING)
        vidmm_watch_say(VIDMM_WATCH_SAID + (uint32_t)status, judge->text, strlen(judge->text));
}

static bool judge_hear(void *ctx, uint32_t kind, const void *bytes, size_t size) {
    struct judge *judge = ctx;
    bool failed = kind == VIDMM_WATCH_SAID + (uint32_t)VIDMM_FUZZ_DRIVER_FAILED;
    if (!failed && kind != VIDMM_WATCH_SAID + (uint32_t)VIDMM_FUZZ_BAD_INPUT)
        return false;
    judge->status = failed ? VIDMM_FUZZ_DRIVER_FAILED : VIDMM_FUZZ_BAD_INPUT;
    snprintf(judge->text, sizeof(judge->text), "%s%.*s",
             failed ? "the driver does not start: " : "", (int)size, (const char *)bytes);
    return true;
}

static void judge_watch(struct judge *judge) {
    const struct vidmm_watch_options options = {.timeout_ms = judge->options->timeout_ms,
                                                .most = RUNS_MOST,
                                                .ledger = judge->ledger,
                                                .run = judge_run,
                                                .heard = judge_hear,
                                                .ctx = judge};
    struct vidmm_watch_end end;
    int kept = judge_log >= 0 ? dup(STDERR_FILENO) : -1;
    if (kept >= 0)
        (void)dup2(judge_log, STDERR_FILENO);
    (void)vidmm_watch(&options, &end);
    if (kept >= 0) {
        (void)dup2(kept, STDERR_FILENO);
        close(kept);
    }
    vidmm_watch_note(&end, judge->ledger);
}

enum vidmm_fuzz_status fuzz_judge(const struct vidmm_fuzz_options *options,
                                  const struct fuzz_bytes *bytes, struct vidmm_ledger *ledger,
                                  char *text, size_t size) {
    struct judge judge = {.options = options, .bytes = bytes, .ledger = ledger};
    memset(ledger, 0, sizeof(*ledger));
    judge_watch(&judge);
    snprintf(text, size, "%s", judge.text);
    return judge.status;
}

/* A sanitizer ends the process after its words. */
static bool is_consequence(const struct vidmm_ledger *ledger, uint32_t index) {
    const struct vidmm_finding *finding = &ledger->finding[index];
    return (finding->kind == VIDMM_FINDING_CRASH || finding->kind == VIDMM_FINDING_EXIT) &&
           index != 0 && strstr(ledger->finding[index - 1].found, "the address sanitizer found");
}

const struct vidmm_finding *fuzz_judge_next(const struct vidmm_fuzz_options *options,
                                            struct vidmm_ledger *ledger, uint32_t *at,
                                            char identity[VIDMM_IDENTITY]) {
    if (*at == 0 && options->driver_path)
        vidmm_check_symbols(options->driver_path, ledger);
    while (*at < ledger->findings && is_consequence(ledger, *at))
        (*at)++;
    if (*at == ledger->findings)
        return NULL;
    vidmm_finding_identity(&ledger->finding[*at], identity);
    return &ledger->finding[(*at)++];
}

/* ---- Smaller --------------------------------------------------------------------------------- */

#define TRIES   240u
#define LONG_MS 10000u /* of one finding: others wait for their verdict */

uint64_t fuzz_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct minimise {
    const struct vidmm_fuzz_options *options;
    const struct vidmm_finding *finding;
    struct vidmm_ledger *ledger;
    struct fuzz_bytes *best;
    uint32_t tries;
    uint64_t end_ms;
};

/* By the place in the driver's code: to read its symbols takes longer than to play an input. */
static bool is_same(const struct vidmm_finding *wanted, const struct vidmm_finding *other) {
    char identity[2][VIDMM_IDENTITY];
    if (wanted->kind != other->kind || wanted->rule != other->rule ||
        (wanted->places == 0) != (other->places == 0))
        return false;
    for (uint32_t i = 0; i < other->places; i++)
        if (other->place[i].offset == wanted->place[0].offset)
            return true;
    vidmm_finding_identity(wanted, identity[0]);
    vidmm_finding_identity(other, identity[1]);
    return wanted->places == 0 && strcmp(identity[0], identity[1]) == 0;
}

/* Keeps the input if the finding comes again. */
static bool minimise_try(struct minimise *minimise, const struct fuzz_input *input) {
    struct fuzz_bytes smaller;
    char text[512];
    if (minimise->tries == TRIES || fuzz_now_ms() >= minimise->end_ms)
        return false;
    minimise->tries++;
    smaller.size = fuzz_input_write(input, smaller.byte, sizeof(smaller.byte));
    (void)fuzz_judge(minimise->options, &smaller, minimise->ledger, text, sizeof(text));
    for (uint32_t i = 0; i < minimise->ledger->findings; i++) {
        if (!is_same(minimise->finding, &minimise->ledger->finding[i]))
            continue;
        *minimise->best = smaller;
        return true;
    }
    return false;
}

static void minimise_calls(struct minimise *minimise) {
    struct fuzz_bytes kept = *minimise->best; /* the calls' data stay there */
    struct fuzz_input input;
    fuzz_input_read(&input, kept.byte, kept.size);
    for (uint32_t part = (input.count + 1) / 2; part != 0; part /= 2) {
        for (uint32_t at = 0; at < input.count;) {
            struct fuzz_input without = input;
            fuzz_input_remove(&without, at, part);
            if (minimise_try(minimise, &without))
                input = without;
            else
                at += part;
        }
    }
}

/* Shorter data, and a head of zeros. */
static bool minimise_call(struct minimise *minimise, struct fuzz_input *input, uint32_t index,
                          uint32_t step) {
    struct fuzz_input other = *input;
    struct fuzz_call *call = &other.call[index];
    switch (step) {
    case 0:
        call->size = 0;
        break;
    case 1:
        call->size /= 2;
        break;
    case 2:
        call->size = call->size > 4 ? (uint16_t)(call->size - 4) : 0;
        break;
    case 3:
        call->flags = 0;
        break;
    case 4:
        call->value = 0;
        break;
    default:
        call->a = call->b = 0;
        break;
    }
    if (memcmp(call, &input->call[index], sizeof(*call)) == 0 || !minimise_try(minimise, &other))
        return false;
    *input = other;
    return true;
}

static void minimise_heads(struct minimise *minimise) {
    struct fuzz_bytes kept = *minimise->best; /* the calls' data stay there */
    struct fuzz_input input;
    fuzz_input_read(&input, kept.byte, kept.size);
    for (uint32_t i = 0; i < input.count; i++)
        for (uint32_t step = 0; step < 6; step++)
            while (minimise_call(minimise, &input, i, step) && step != 0 && step < 3)
                ;
}

void fuzz_minimise(const struct vidmm_fuzz_options *options, const struct vidmm_finding *finding,
                   struct fuzz_bytes *bytes) {
    struct minimise minimise = {
        .options = options, .finding = finding, .best = bytes, .end_ms = fuzz_now_ms() + LONG_MS};
    minimise.ledger = calloc(1, sizeof(*minimise.ledger));
    if (minimise.ledger) {
        minimise_calls(&minimise);
        minimise_heads(&minimise);
    }
    free(minimise.ledger);
}
