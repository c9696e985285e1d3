/*
 * options.c - the words after a command's name.
 */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum option_id {
    OPTION_HELP = 'h',
    OPTION_VERBOSE = 'v',
    OPTION_VRAM = 256,
    OPTION_DRIVER,
    OPTION_HARDWARE,
    OPTION_SEED,
    OPTION_THREADS,
    OPTION_DDI,
    OPTION_SET,
    OPTION_TRACE,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_POLICY,
    OPTION_FRAMES,
    OPTION_ONLY,
    OPTION_READING,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_TIMEOUT,
    OPTION_STAGE,
    OPTION_COLOR,
    OPTION_UNJUDGED,
    OPTION_MODEL,
    OPTION_TO,
    OPTION_FROM,
    OPTION_AT,
    OPTION_RATE,
    OPTION_PAUSE_TARGET,
    OPTION_PAUSE_LIMIT,
    OPTION_FPS,
    OPTION_ROUNDS,
    OPTION_TOO_DIRTY,
    OPTION_RETRY,
    OPTION_LINK_TIMEOUT,
    OPTION_DRIVER_TIMEOUT,
    OPTION_JOURNAL,
    OPTION_CONTROL,
    OPTION_DOUBT_TIME,
    OPTION_DIRTY,
    OPTION_PLAN,
    OPTION_INF,
    OPTION_LINKED,
    OPTION_DEVICE,
    OPTION_DEVICE_LOG,
    OPTION_IGNORE,
    OPTION_FAIL_ON,
    OPTION_BASELINE,
    OPTION_NO_FORK,
    OPTION_CALLS,
    OPTION_REPLAY,
    OPTION_BYTES,
    OPTION_PAGING,
    OPTION_HOST,
    OPTION_DEADLINE,
    OPTION_KEY,
    OPTION_PLAIN,
    OPTION_TIMELINE,
    OPTION_HTML,
    OPTION_PICTURE,
    OPTION_SECONDS,
    OPTION_JOBS,
    OPTION_CORPUS,
    OPTION_STOP_AT_FIRST,
    OPTION_REPLAY_INPUT,
};

#define MIGRATE_OPTIONS (CLI_SEND_OPTIONS | CLI_RECV_OPTIONS)
/* Whose adapter need not go on in another process. */
#define HERE_OPTIONS (CLI_RUN_OPTIONS | CLI_INSPECT_OPTIONS | CLI_CHECK_OPTIONS)

static const struct {
    struct option option;
    unsigned takers;
} known[] = {
    {{"help", no_argument, NULL, OPTION_HELP}, ~0u},
    {{"vram", required_argument, NULL, OPTION_VRAM}, CLI_ADAPTER_OPTIONS | CLI_BOUND_OPTIONS},
    {{"driver", required_argument, NULL, OPTION_DRIVER},
     CLI_ADAPTER_OPTIONS | CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"hardware", required_argument, NULL, OPTION_HARDWARE},
     CLI_ADAPTER_OPTIONS | CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"device", required_argument, NULL, OPTION_DEVICE}, HERE_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"device-log", required_argument, NULL, OPTION_DEVICE_LOG}, HERE_OPTIONS},
    {{"no-fork", no_argument, NULL, OPTION_NO_FORK}, HERE_OPTIONS},
    {{"calls", required_argument, NULL, OPTION_CALLS}, HERE_OPTIONS},
    {{"timeline", required_argument, NULL, OPTION_TIMELINE}, HERE_OPTIONS},
    {{"html", required_argument, NULL, OPTION_HTML}, CLI_RUN_OPTIONS | CLI_CHECK_OPTIONS},
    {{"picture", required_argument, NULL, OPTION_PICTURE}, CLI_RUN_OPTIONS | CLI_CHECK_OPTIONS},
    {{"seed", required_argument, NULL, OPTION_SEED},
     CLI_ADAPTER_OPTIONS | CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS | CLI_BOUND_OPTIONS},
    {{"threads", required_argument, NULL, OPTION_THREADS}, CLI_ADAPTER_OPTIONS},
    {{"ddi", required_argument, NULL, OPTION_DDI},
     CLI_ADAPTER_OPTIONS | CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"model", required_argument, NULL, OPTION_MODEL}, CLI_ADAPTER_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"linked", required_argument, NULL, OPTION_LINKED},
     CLI_ADAPTER_OPTIONS | CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"set", required_argument, NULL, OPTION_SET},
     CLI_ADAPTER_OPTIONS | CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"inf", required_argument, NULL, OPTION_INF},
     CLI_ADAPTER_OPTIONS | CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"trace", no_argument, NULL, OPTION_TRACE},
     CLI_ADAPTER_OPTIONS | CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"json", required_argument, NULL, OPTION_JSON},
     CLI_RUN_OPTIONS | CLI_INSPECT_OPTIONS | CLI_BOUND_OPTIONS},
    {{"plan", required_argument, NULL, OPTION_PLAN}, CLI_RUN_OPTIONS},
    {{"quiet", no_argument, NULL, OPTION_QUIET}, CLI_RUN_OPTIONS},
    {{"policy", required_argument, NULL, OPTION_POLICY}, CLI_RUN_OPTIONS},
    {{"frames", required_argument, NULL, OPTION_FRAMES}, CLI_RUN_OPTIONS | CLI_BOUND_OPTIONS},
    {{"dirty", no_argument, NULL, OPTION_DIRTY}, CLI_RUN_OPTIONS},
    {{"unjudged", no_argument, NULL, OPTION_UNJUDGED}, CLI_RUN_OPTIONS},
    {{"host", no_argument, NULL, OPTION_HOST}, CLI_INSPECT_OPTIONS},
    {{"bytes", required_argument, NULL, OPTION_BYTES}, CLI_RUN_OPTIONS},
    {{"paging", required_argument, NULL, OPTION_PAGING}, CLI_RUN_OPTIONS},
    {{"only", required_argument, NULL, OPTION_ONLY}, CLI_CHECK_OPTIONS},
    {{"ignore", required_argument, NULL, OPTION_IGNORE}, CLI_CHECK_OPTIONS},
    {{"fail-on", required_argument, NULL, OPTION_FAIL_ON}, CLI_CHECK_OPTIONS},
    {{"baseline", required_argument, NULL, OPTION_BASELINE}, CLI_CHECK_OPTIONS},
    {{"reading", required_argument, NULL, OPTION_READING}, CLI_CHECK_OPTIONS},
    {{"format", required_argument, NULL, OPTION_FORMAT}, CLI_CHECK_OPTIONS},
    {{"output", required_argument, NULL, OPTION_OUTPUT}, CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"timeout", required_argument, NULL, OPTION_TIMEOUT}, HERE_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"stage", required_argument, NULL, OPTION_STAGE}, CLI_CHECK_OPTIONS},
    {{"replay", required_argument, NULL, OPTION_REPLAY}, CLI_CHECK_OPTIONS},
    {{"color", required_argument, NULL, OPTION_COLOR}, CLI_CHECK_OPTIONS},
    {{"verbose", no_argument, NULL, OPTION_VERBOSE}, CLI_CHECK_OPTIONS},
    {{"seconds", required_argument, NULL, OPTION_SECONDS}, CLI_FUZZ_OPTIONS},
    {{"jobs", required_argument, NULL, OPTION_JOBS}, CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS},
    {{"corpus", required_argument, NULL, OPTION_CORPUS}, CLI_FUZZ_OPTIONS},
    {{"stop-at-first", no_argument, NULL, OPTION_STOP_AT_FIRST}, CLI_FUZZ_OPTIONS},
    {{"replay", required_argument, NULL, OPTION_REPLAY_INPUT}, CLI_FUZZ_OPTIONS},
    {{"to", required_argument, NULL, OPTION_TO}, CLI_SEND_OPTIONS},
    {{"from", required_argument, NULL, OPTION_FROM}, CLI_RECV_OPTIONS},
    {{"at", required_argument, NULL, OPTION_AT}, CLI_SEND_OPTIONS},
    {{"rate", required_argument, NULL, OPTION_RATE}, CLI_SEND_OPTIONS},
    {{"fps", required_argument, NULL, OPTION_FPS}, CLI_SEND_OPTIONS},
    {{"pause-target", required_argument, NULL, OPTION_PAUSE_TARGET}, CLI_SEND_OPTIONS},
    {{"pause-limit", required_argument, NULL, OPTION_PAUSE_LIMIT}, CLI_SEND_OPTIONS},
    {{"rounds", required_argument, NULL, OPTION_ROUNDS}, CLI_SEND_OPTIONS},
    {{"if-too-dirty", required_argument, NULL, OPTION_TOO_DIRTY}, CLI_SEND_OPTIONS},
    {{"retry", required_argument, NULL, OPTION_RETRY}, CLI_SEND_OPTIONS},
    {{"timeout", required_argument, NULL, OPTION_LINK_TIMEOUT}, MIGRATE_OPTIONS},
    {{"driver-timeout", required_argument, NULL, OPTION_DRIVER_TIMEOUT}, MIGRATE_OPTIONS},
    {{"deadline", required_argument, NULL, OPTION_DEADLINE}, MIGRATE_OPTIONS},
    {{"key", required_argument, NULL, OPTION_KEY}, MIGRATE_OPTIONS},
    {{"plain", no_argument, NULL, OPTION_PLAIN}, MIGRATE_OPTIONS},
    {{"journal", required_argument, NULL, OPTION_JOURNAL}, MIGRATE_OPTIONS},
    {{"control", required_argument, NULL, OPTION_CONTROL}, MIGRATE_OPTIONS},
    {{"doubt-time", required_argument, NULL, OPTION_DOUBT_TIME}, MIGRATE_OPTIONS},
};
#define KNOWN (sizeof(known) / sizeof(known[0]))

/* A whole number, decimal or with 0x, that JSON can hold: at most 2^63 - 1. */
static bool parse_number(const char *text, uint64_t most, uint64_t *value) {
    if (!isdigit((unsigned char)*text))
        return false;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, hexadecimal ? 16 : 10);
    if (errno != 0 || *end != '\0' || number > most)
        return false;
    *value = number;
    return true;
}

static bool take_number(const char *option, const char *text, uint64_t most, uint64_t *value) {
    if (parse_number(text, most, value))
        return true;
    cli_refuse("--%s '%s' is not a whole number from 0 to %" PRIu64, option, text, most);
    return false;
}

/* Nobody means so few bytes. */
static bool take_vram(const char *text, struct cli_options *options) {
    static const uint64_t page = 64u << 10;
    uint64_t bytes = 0;
    options->vram = text;
    if (!parse_number(text, INT64_MAX, &bytes) || bytes >= page || bytes == 0)
        return true;
    cli_refuse("--vram '%s' is that many bytes: was a share (%s%%) or a size (%sM) meant?", text,
               text, text);
    return false;
}

static bool take_threads(const char *text, struct cli_options *options) {
    uint64_t value = 0;
    if (!take_number("threads", text, 256, &value))
        return false;
    options->run.threads = (uint32_t)value;
    return true;
}

static bool take_linked(const char *text, struct cli_options *options) {
    uint64_t value = 0;
    if (!parse_number(text, VIDMM_LINKED_MOST, &value) || value == 0)
        return cli_refuse_value("linked", text, "a number of physical adapters from 1 to 4");
    options->run.linked = (uint32_t)value;
    return true;
}

static bool take_ddi(const char *text, struct cli_options *options) {
    options->ddi_name = text;
    if (vidmm_run_parse_ddi(text, &options->run.ddi_version))
        return true;
    char all[1024] = "";
    for (size_t i = 0, length = 0; vidmm_run_ddi_at(i) && length < sizeof(all); i++)
        length += (size_t)snprintf(all + length, sizeof(all) - length, " %s", vidmm_run_ddi_at(i));
    cli_refuse("--ddi '%s' is not one of%s", text, all);
    return false;
}

static bool take_policy(const char *text, struct cli_options *options) {
    char why[512];
    if (vidmm_run_policy(text, &options->run.policy, why, sizeof(why)))
        return true;
    cli_refuse("%s", why);
    return false;
}

static bool take_bytes(const char *text, struct cli_options *options) {
    options->run.no_bytes = strcmp(text, "none") == 0;
    return options->run.no_bytes || strcmp(text, "all") == 0 ||
           cli_refuse_value("bytes", text, "all or none");
}

static bool take_paging(const char *text, struct cli_options *options) {
    options->run.serial_paging = strcmp(text, "serial") == 0;
    return options->run.serial_paging || strcmp(text, "overlapped") == 0 ||
           cli_refuse_value("paging", text, "overlapped or serial");
}

/* NAME=VALUE; the value is a number or a size. `word` is cut in two. */
static bool take_setting(char *word, struct cli_options *options) {
    char *equals = strchr(word, '=');
    uint64_t value = 0;
    if (!equals || equals == word ||
        !(parse_number(equals + 1, INT64_MAX, &value) || vidmm_run_parse_size(equals + 1, &value)))
        return cli_refuse_value("set", word, "NAME=VALUE with a number or a size");
    if (options->run.setting_count == CLI_SETTINGS) {
        cli_refuse("more than %d settings", CLI_SETTINGS);
        return false;
    }
    *equals = '\0';
    options->settings[options->run.setting_count++] = (struct vidmm_host_setting){word, value};
    return true;
}

static bool take_model(const char *value, struct cli_options *options) {
    options->model_name = value;
    if (vidmm_run_parse_model(value, &options->run.memory_model))
        return true;
    cli_refuse("--model '%s' is not one of physical, gpummu, iommu", value);
    return false;
}

static bool take_check_option(int id, char *value, struct cli_options *options) {
    switch (id) {
    case OPTION_ONLY:
        return cli_take_only(value, options);
    case OPTION_IGNORE:
        return cli_take_ignore(value, options);
    case OPTION_FAIL_ON:
        return cli_take_fail_on(value, options);
    case OPTION_BASELINE:
        return cli_take_baseline(value, options);
    case OPTION_READING:
        return cli_take_reading(value, options);
    case OPTION_FORMAT:
        return cli_take_format(value, options);
    case OPTION_OUTPUT:
        options->output = value;
        return true;
    case OPTION_TIMEOUT:
        return cli_take_timeout("timeout", value, &options->check.timeout_ms);
    case OPTION_REPLAY:
        return cli_take_replay(value, options);
    case OPTION_STAGE:
        return cli_take_stage(value, options);
    case OPTION_COLOR:
        return cli_take_color(value, options);
    case OPTION_VERBOSE:
        options->verbose = true;
        return true;
    default:
        return false;
    }
}

static bool take_count(const char *option, const char *text, uint32_t *count) {
    uint64_t value = 0;
    if (!take_number(option, text, 1000000, &value))
        return false;
    *count = (uint32_t)value;
    return true;
}

static bool take_migrate_option(int id, char *value, struct cli_options *options) {
    struct vidmm_migrate_options *migrate = &options->migrate;
    switch (id) {
    case OPTION_TO:
    case OPTION_FROM:
        migrate->link = value;
        return true;
    case OPTION_AT:
        return cli_take_at(value, options);
    case OPTION_RATE:
        return cli_take_rate(value, options);
    case OPTION_FPS:
        return take_count("fps", value, &migrate->frames_per_s);
    case OPTION_PAUSE_TARGET:
        return cli_take_duration("pause-target", value, &migrate->pause_ns);
    case OPTION_PAUSE_LIMIT:
        return cli_take_duration("pause-limit", value, &migrate->pause_most_ns);
    case OPTION_ROUNDS:
        return take_count("rounds", value, &migrate->rounds);
    case OPTION_TOO_DIRTY:
        return cli_take_too_dirty(value, options);
    case OPTION_RETRY:
        return take_count("retry", value, &migrate->retries);
    case OPTION_LINK_TIMEOUT:
        return cli_take_duration("timeout", value, &migrate->timeout_ns);
    case OPTION_DRIVER_TIMEOUT:
        return cli_take_timeout("driver-timeout", value, &options->run.timeout_ms);
    case OPTION_DEADLINE:
        return cli_take_duration("deadline", value, &migrate->whole_ns);
    case OPTION_KEY:
        options->key = value;
        return true;
    case OPTION_PLAIN:
        migrate->plain = true;
        return true;
    case OPTION_JOURNAL:
        migrate->journal = value;
        return true;
    case OPTION_CONTROL:
        migrate->control = value;
        return true;
    case OPTION_DOUBT_TIME:
        return cli_take_duration("doubt-time", value, &migrate->doubt_ns);
    default:
        return take_check_option(id, value, options);
    }
}

static bool take_fuzz_option(int id, char *value, struct cli_options *options) {
    struct vidmm_fuzz_options *fuzz = &options->fuzz;
    switch (id) {
    case OPTION_SECONDS:
        return take_count("seconds", value, &fuzz->seconds) &&
               (fuzz->seconds != 0 ||
                cli_refuse_value("seconds", value, "a number of seconds from 1"));
    case OPTION_JOBS:
        return take_count("jobs", value, &fuzz->jobs) &&
               ((fuzz->jobs != 0 && fuzz->jobs <= VIDMM_FUZZ_JOBS) ||
                cli_refuse_value("jobs", value, "a number of processes from 1 to 64"));
    case OPTION_CORPUS:
        fuzz->corpus = value;
        return true;
    case OPTION_STOP_AT_FIRST:
        fuzz->stop_at_first = true;
        return true;
    case OPTION_REPLAY_INPUT:
        options->replay_input = value;
        return true;
    default:
        return take_migrate_option(id, value, options);
    }
}

/* The end of a picture's name says what it is. */
static bool take_picture(const char *path, struct cli_options *options) {
    const char *end = strrchr(path, '.');
    options->picture = path;
    return (end && (strcmp(end, ".svg") == 0 || strcmp(end, ".png") == 0)) ||
           cli_refuse_value("picture", path, "a file that ends in .svg or .png");
}

/* Files that are written. */
static bool take_file_option(int id, char *value, struct cli_options *options) {
    switch (id) {
    case OPTION_PLAN:
        options->plan = value;
        return true;
    case OPTION_JSON:
        options->json = value;
        return true;
    case OPTION_CALLS:
        options->calls = value;
        return true;
    case OPTION_TIMELINE:
        options->timeline = value;
        return true;
    case OPTION_HTML:
        options->html = value;
        return true;
    case OPTION_PICTURE:
        return take_picture(value, options);
    default:
        return take_fuzz_option(id, value, options);
    }
}

static bool take_run_option(int id, char *value, struct cli_options *options) {
    switch (id) {
    case OPTION_QUIET:
        options->quiet = true;
        return true;
    case OPTION_DIRTY:
        options->run.dirty = true;
        return true;
    case OPTION_UNJUDGED:
        options->run.unjudged = true;
        return true;
    case OPTION_HOST:
        options->host = true;
        return true;
    case OPTION_BYTES:
        return take_bytes(value, options);
    case OPTION_PAGING:
        return take_paging(value, options);
    case OPTION_POLICY:
        return take_policy(value, options);
    case OPTION_FRAMES:
        return take_number("frames", value, INT64_MAX, &options->run.frame_limit);
    case OPTION_DEVICE:
        options->device = value;
        return cli_take_device(value, options);
    case OPTION_DEVICE_LOG:
        return cli_take_device_log(value, options);
    case OPTION_NO_FORK:
        options->no_fork = true;
        return true;
    default:
        return take_file_option(id, value, options);
    }
}

static bool take_option(int id, char *value, struct cli_options *options) {
    switch (id) {
    case OPTION_HELP:
        options->help = true;
        return true;
    case OPTION_VRAM:
        return take_vram(value, options);
    case OPTION_DRIVER:
        options->run.driver_path = value;
        return true;
    case OPTION_HARDWARE:
        options->run.model_path = value;
        return true;
    case OPTION_SEED:
        return take_number("seed", value, INT64_MAX, &options->run.seed);
    case OPTION_THREADS:
        return take_threads(value, options);
    case OPTION_DDI:
        return take_ddi(value, options);
    case OPTION_MODEL:
        return take_model(value, options);
    case OPTION_LINKED:
        return take_linked(value, options);
    case OPTION_SET:
        return take_setting(value, options);
    case OPTION_INF:
        options->inf = value;
        return true;
    case OPTION_TRACE:
        options->run.trace = true;
        options->run.log = stderr;
        return true;
    default:
        return take_run_option(id, value, options);
    }
}

/* A driver is named once, and a model of the hardware belongs to it. */
static bool take_driver(const char *word, struct cli_options *options) {
    const char *named = options->run.driver_path;
    if (word && named) {
        cli_refuse("two drivers: '%s' and '%s'; see vidmm check --help", named, word);
        return false;
    }
    if (word)
        options->run.driver_path = word;
    if (options->host && options->run.driver_path) {
        cli_refuse("--host is about this machine and starts no driver, such as '%s'",
                   options->run.driver_path);
        return false;
    }
    const char *option = options->device ? "device" : "hardware";
    const char *hardware = options->device ? options->device : options->run.model_path;
    if (hardware && !options->run.driver_path) {
        cli_refuse("--%s '%s' goes with a driver; the reference driver has its own", option,
                   hardware);
        return false;
    }
    if (options->device && options->run.model_path) {
        cli_refuse("--device and --hardware: the driver has one kind of hardware");
        return false;
    }
    return true;
}

/* What has content, and what may be asked of a run whose memory has none. */
static bool bytes_fit(const struct cli_options *options) {
    if (!options->run.no_bytes)
        return true;
    if (options->run.driver_path) {
        cli_refuse("--bytes none goes with the reference driver; what '%s' moves is its own affair",
                   options->run.driver_path);
        return false;
    }
    if (options->run.dirty) {
        cli_refuse("--dirty needs bytes: without them the CPU writes none");
        return false;
    }
    return true;
}

/* The words that are no options: at most one, a workload or a driver. */
static bool take_rest(int argc, char **argv, unsigned takes, struct cli_options *options) {
    int most = (takes & (CLI_RUN_OPTIONS | CLI_BOUND_OPTIONS | CLI_CHECK_OPTIONS |
                         CLI_INSPECT_OPTIONS | CLI_FUZZ_OPTIONS)) != 0
                   ? 1
                   : 0;
    if (argc - optind > most) {
        cli_refuse("one word too many: '%s'; see vidmm %s --help", argv[optind + most], argv[0]);
        return false;
    }
    const char *word = argv[optind]; /* NULL: there is none */
    bool driver = (takes & (CLI_CHECK_OPTIONS | CLI_INSPECT_OPTIONS | CLI_FUZZ_OPTIONS)) != 0;
    if (word && !driver)
        options->workload = word;
    return options->help || (take_driver(driver ? word : NULL, options) && bytes_fit(options) &&
                             cli_driver_there(options) && cli_outputs_possible(options, takes) &&
                             cli_settings_known(options));
}

static bool is_taken(unsigned takers, unsigned takes) {
    bool goes_on = (takes & MIGRATE_OPTIONS) != 0;
    bool here = (takers & ~CLI_FUZZ_OPTIONS) == HERE_OPTIONS;
    return takers == ~0u || ((takers & takes) != 0 && !(goes_on && here));
}

/* Before options cut their words; one that a shell would cut is quoted. */
static void keep_command(int argc, char **argv, struct cli_options *options) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=./:%+,@ ";
    size_t used = (size_t)snprintf(options->command, sizeof(options->command), "vidmm");
    for (int i = 0; i < argc && used < sizeof(options->command); i++) {
        bool whole = argv[i][strspn(argv[i], plain)] == '\0' && (i == 0 || !strchr(argv[i], ' '));
        const char *quote = whole ? "" : "'";
        used += (size_t)snprintf(options->command + used, sizeof(options->command) - used,
                                 " %s%s%s", quote, argv[i], quote);
    }
}

bool cli_parse(int argc, char **argv, unsigned takes, struct cli_options *options) {
    struct option list[KNOWN + 1];
    size_t count = 0;
    for (size_t i = 0; i < KNOWN; i++) {
        if (is_taken(known[i].takers, takes))
            list[count++] = known[i].option;
    }
    list[count] = (struct option){0};

    memset(options, 0, sizeof(*options));
    keep_command(argc, argv, options);
    options->workload = VIDMM_RUN_DEFAULT_WORKLOAD;
    options->run.settings = options->settings;
    options->migrate.start_percent = 50;
    opterr = 0;
    int id;
    const char *letters = (takes & CLI_CHECK_OPTIONS) != 0 ? ":hv" : ":h";
    while ((id = cli_next_option(argc, argv, letters, list)) != -1) {
        if (id == 0 || !take_option(id, optarg, options))
            return false;
    }
    options->set_count = options->run.setting_count;
    if (options->inf && !cli_take_inf(options->inf, options)) /* after --set, which goes before */
        return false;
    if (!take_rest(argc, argv, takes, options))
        return false;
    /* The reference driver's are known before it starts. */
    options->run.named_settings = options->run.driver_path ? options->set_count : 0;
    return true;
}
