/*
 * options.c - the words after a command's name: a table of the options, which command takes each, and what becomes of its
 * value. Values that are more than a word, a number or a time have a function in options_*.c.
 */
#include "options.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#define MIGRATE_OPTIONS (CLI_SEND_OPTIONS | CLI_RECV_OPTIONS)
/* Whose adapter need not go on in another process. */
#define HERE_OPTIONS (CLI_RUN_OPTIONS | CLI_INSPECT_OPTIONS | CLI_CHECK_OPTIONS)
/* Who starts a driver. */
#define DRIVEN_OPTIONS (CLI_ADAPTER_OPTIONS | CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS)

/* What becomes of an option. All but the last are written to a member of struct cli_options. */
enum take_kind {
    TAKE_FLAG,    /* bool; the option has no value */
    TAKE_WORD,    /* const char *: the value as it is */
    TAKE_COUNT,   /* uint32_t */
    TAKE_SECONDS, /* uint32_t, in milliseconds */
    TAKE_TIME,    /* uint64_t, in nanoseconds */
    TAKE_OWN,     /* a function knows */
};

/* A member of that type: the comparison is for the compiler alone. */
#define AT(type, member)                                                                           \
    .at = offsetof(struct cli_options, member) +                                                   \
          0 * sizeof((type *)NULL == &((struct cli_options *)NULL)->member)
#define FLAG(member)    TAKE_FLAG, AT(bool, member)
#define WORD(member)    TAKE_WORD, AT(const char *, member)
#define COUNT(member)   TAKE_COUNT, AT(uint32_t, member)
#define SECONDS(member) TAKE_SECONDS, AT(uint32_t, member)
#define TIME(member)    TAKE_TIME, AT(uint64_t, member)
#define OWN(function)   TAKE_OWN, .take = (function)

/* Two commands may have options of one name with different meanings. */
static const struct known {
    const char *name;
    unsigned takers;
    enum take_kind kind;
    size_t at;
    bool (*take)(char *value, struct cli_options *options);
} known[] = {
    {"help", ~0u, FLAG(help)},
    {"vram", CLI_ADAPTER_OPTIONS | CLI_BOUND_OPTIONS, OWN(cli_take_vram)},
    {"driver", DRIVEN_OPTIONS, WORD(run.driver_path)},
    {"hardware", DRIVEN_OPTIONS, WORD(run.model_path)},
    {"device", HERE_OPTIONS | CLI_FUZZ_OPTIONS, OWN(cli_take_device)},
    {"device-log", HERE_OPTIONS, OWN(cli_take_device_log)},
    {"no-fork", HERE_OPTIONS, FLAG(no_fork)},
    {"calls", HERE_OPTIONS, WORD(calls)},
    {"timeline", HERE_OPTIONS, WORD(timeline)},
    {"html", CLI_RUN_OPTIONS | CLI_CHECK_OPTIONS, WORD(html)},
    {"picture", CLI_RUN_OPTIONS | CLI_CHECK_OPTIONS, OWN(cli_take_picture)},
    {"seed", DRIVEN_OPTIONS | CLI_BOUND_OPTIONS, OWN(cli_take_seed)},
    {"threads", CLI_ADAPTER_OPTIONS, OWN(cli_take_threads)},
    {"ddi", DRIVEN_OPTIONS, OWN(cli_take_ddi)},
    {"model", CLI_ADAPTER_OPTIONS | CLI_FUZZ_OPTIONS, OWN(cli_take_model)},
    {"linked", DRIVEN_OPTIONS, OWN(cli_take_linked)},
    {"set", DRIVEN_OPTIONS, OWN(cli_take_setting)},
    {"inf", DRIVEN_OPTIONS, WORD(inf)},
    {"trace", DRIVEN_OPTIONS, FLAG(run.trace)},
    {"json", CLI_RUN_OPTIONS | CLI_INSPECT_OPTIONS | CLI_BOUND_OPTIONS, WORD(json)},
    {"plan", CLI_RUN_OPTIONS, WORD(plan)},
    {"quiet", CLI_RUN_OPTIONS, FLAG(quiet)},
    {"policy", CLI_RUN_OPTIONS, OWN(cli_take_policy)},
    {"frames", CLI_RUN_OPTIONS | CLI_BOUND_OPTIONS, OWN(cli_take_frames)},
    {"dirty", CLI_RUN_OPTIONS, FLAG(run.dirty)},
    {"unjudged", CLI_RUN_OPTIONS, FLAG(run.unjudged)},
    {"host", CLI_INSPECT_OPTIONS, FLAG(host)},
    {"bytes", CLI_RUN_OPTIONS, OWN(cli_take_bytes)},
    {"paging", CLI_RUN_OPTIONS, OWN(cli_take_paging)},
    {"only", CLI_CHECK_OPTIONS, OWN(cli_take_only)},
    {"ignore", CLI_CHECK_OPTIONS, OWN(cli_take_ignore)},
    {"fail-on", CLI_CHECK_OPTIONS, OWN(cli_take_fail_on)},
    {"baseline", CLI_CHECK_OPTIONS, OWN(cli_take_baseline)},
    {"reading", CLI_CHECK_OPTIONS, OWN(cli_take_reading)},
    {"format", CLI_CHECK_OPTIONS, OWN(cli_take_format)},
    {"output", CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS, WORD(output)},
    {"timeout", HERE_OPTIONS | CLI_FUZZ_OPTIONS, SECONDS(check.timeout_ms)},
    {"stage", CLI_CHECK_OPTIONS, OWN(cli_take_stage)},
    {"replay", CLI_CHECK_OPTIONS, OWN(cli_take_replay)},
    {"color", CLI_CHECK_OPTIONS, OWN(cli_take_color)},
    {"verbose", CLI_CHECK_OPTIONS, FLAG(verbose)},
    {"seconds", CLI_FUZZ_OPTIONS, OWN(cli_take_seconds)},
    {"jobs", CLI_CHECK_OPTIONS | CLI_FUZZ_OPTIONS, OWN(cli_take_jobs)},
    {"corpus", CLI_FUZZ_OPTIONS, WORD(fuzz.corpus)},
    {"stop-at-first", CLI_FUZZ_OPTIONS, FLAG(fuzz.stop_at_first)},
    {"replay", CLI_FUZZ_OPTIONS, WORD(replay_input)},
    {"to", CLI_SEND_OPTIONS, WORD(migrate.link)},
    {"from", CLI_RECV_OPTIONS, WORD(migrate.link)},
    {"at", CLI_SEND_OPTIONS, OWN(cli_take_at)},
    {"rate", CLI_SEND_OPTIONS, OWN(cli_take_rate)},
    {"fps", CLI_SEND_OPTIONS, COUNT(migrate.frames_per_s)},
    {"pause-target", CLI_SEND_OPTIONS, TIME(migrate.pause_ns)},
    {"pause-limit", CLI_SEND_OPTIONS, TIME(migrate.pause_most_ns)},
    {"rounds", CLI_SEND_OPTIONS, COUNT(migrate.rounds)},
    {"if-too-dirty", CLI_SEND_OPTIONS, OWN(cli_take_too_dirty)},
    {"retry", CLI_SEND_OPTIONS, COUNT(migrate.retries)},
    {"timeout", MIGRATE_OPTIONS, TIME(migrate.timeout_ns)},
    {"driver-timeout", MIGRATE_OPTIONS, SECONDS(run.timeout_ms)},
    {"deadline", MIGRATE_OPTIONS, TIME(migrate.whole_ns)},
    {"key", MIGRATE_OPTIONS, WORD(key)},
    {"plain", MIGRATE_OPTIONS, FLAG(migrate.plain)},
    {"journal", MIGRATE_OPTIONS, WORD(migrate.journal)},
    {"control", MIGRATE_OPTIONS, WORD(migrate.control)},
    {"doubt-time", MIGRATE_OPTIONS, TIME(migrate.doubt_ns)},
};
#define KNOWN (sizeof(known) / sizeof(known[0]))
/* getopt_long's number of the first one; the letters below are those of short options. */
#define FIRST_ID 256

static bool take_known(const struct known *option, char *value, struct cli_options *options) {
    void *at = (char *)options + option->at;
    switch (option->kind) {
    case TAKE_FLAG:
        *(bool *)at = true;
        return true;
    case TAKE_WORD:
        *(const char **)at = value;
        return true;
    case TAKE_COUNT:
        return cli_take_count(option->name, value, at);
    case TAKE_SECONDS:
        return cli_take_timeout(option->name, value, at);
    case TAKE_TIME:
        return cli_take_duration(option->name, value, at);
    case TAKE_OWN:
        break;
    }
    return option->take(value, options);
}

static bool take_option(int id, char *value, struct cli_options *options) {
    if (id >= FIRST_ID)
        return take_known(&known[id - FIRST_ID], value, options);
    *(id == 'h' ? &options->help : &options->verbose) = true;
    return true;
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
            list[count++] = (struct option){
                known[i].name, known[i].kind == TAKE_FLAG ? no_argument : required_argument, NULL,
                FIRST_ID + (int)i};
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
    options->run.log = options->run.trace ? stderr : NULL;
    options->set_count = options->run.setting_count;
    if (options->inf && !cli_take_inf(options->inf, options)) /* after --set, which goes before */
        return false;
    if (!take_rest(argc, argv, takes, options))
        return false;
    /* The reference driver's are known before it starts. */
    options->run.named_settings = options->run.driver_path ? options->set_count : 0;
    return true;
}
