/*
 * command_migrate.c - vidmm migrate send, recv and resolve.
 */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vidmm/printable.h>

/* ---- Progress -------------------------------------------------------------------------------- */

struct screen {
    const char *control;
    bool live, quiet;
};

static void show_line(const struct vidmm_migrate_progress *progress) {
    char due[32], rate[32];
    cli_progress_line("event %" PRIu64 " of %" PRIu64 ", round %" PRIu32
                      ": %s dirty, %s/s, pause of "
                      "%.1f ms",
                      progress->event, progress->events, progress->round,
                      vidmm_report_size(progress->due_bytes, due, sizeof(due)),
                      vidmm_report_size(progress->bytes_per_s, rate, sizeof(rate)),
                      (double)progress->predicted_pause_ns / 1e6);
}

static void migrate_show(void *ctx, const struct vidmm_migrate_progress *progress) {
    const struct screen *screen = ctx;
    bool doubt = progress->phase == VIDMM_MIGRATE_DOUBT;
    char text[1024];
    if (!progress->text && screen->live)
        show_line(progress);
    if (!progress->text || (screen->quiet && !doubt))
        return;
    fprintf(stderr, "%svidmm: %s\n", screen->live ? "\r\033[K" : "",
            vidmm_printable_copy(progress->text, text, sizeof(text)));
    if (doubt && screen->control)
        fprintf(stderr,
                "vidmm: if the other side is gone for good: vidmm migrate resolve --take %s, or "
                "--drop\n",
                vidmm_printable_copy(screen->control, text, sizeof(text)));
    fflush(stderr);
}

/* ---- send, recv ------------------------------------------------------------------------------ */

/* If the guest was never on this side it prints only the reason. */
static int migrate_report(const struct cli_options *options,
                          const struct vidmm_migrate_result *result, bool receives) {
    char text[512];
    bool silent = options->quiet || (!result->moved && (receives || !result->run.played));
    if (silent && result->status != VIDMM_MIGRATE_DONE)
        fprintf(stderr, "vidmm: %s\n", result->text);
    if (!silent)
        vidmm_report_migration(options->json && strcmp(options->json, "-") == 0 ? stderr : stdout,
                               result, receives, cli_is_utf8());
    if (options->json &&
        !vidmm_report_migration_json(options->json, result, receives, text, sizeof(text)))
        return cli_refuse("%s", text);
    return (int)result->status;
}

/* The HTML report and the picture; the exit code. */
static int migrate_draw(struct cli_options *options, const struct vidmm_workload *workload,
                        const struct vidmm_migrate_result *result, bool receives, int code) {
    const struct vidmm_report_page page = cli_calls_page(options, workload);
    char title[400], text[512];
    snprintf(title, sizeof(title), "%s on %s", result->run.workload, result->run.driver);
    if (options->html && result->status != VIDMM_MIGRATE_BAD_INPUT &&
        !vidmm_report_migration_html(&page, result, receives, text, sizeof(text)))
        code = cli_refuse("%s", text);
    return cli_calls_picture(options, title, code);
}

static void place_control(struct cli_options *options, char *path, size_t size) {
    const char *directory = getenv("XDG_RUNTIME_DIR");
    if (options->migrate.control)
        return;
    snprintf(path, size, "%s/vidmm-migrate-%d", directory ? directory : "/tmp", (int)getpid());
    options->migrate.control = path;
}

/* The key is read before anything else is begun, and never told. */
static bool read_key(struct cli_options *options, struct vidmm_migrate_key *key) {
    char text[400];
    if (!options->key)
        return true;
    if (!vidmm_migrate_read_key(options->key, key, text, sizeof(text))) {
        cli_refuse("%s", text);
        return false;
    }
    options->migrate.key = key;
    return true;
}

static int migrate(struct cli_options *options, const struct vidmm_workload *workload,
                   bool receives) {
    struct vidmm_host_setting settings[CLI_SETTINGS + VIDMM_MIGRATE_SETTINGS];
    struct vidmm_migrate_result result;
    struct vidmm_migrate_key key;
    char control[256];
    if (!read_key(options, &key) || !cli_choose_vram(options, workload))
        return VIDMM_MIGRATE_BAD_INPUT;
    vidmm_migrate_defaults(&options->run, settings);
    place_control(options, control, sizeof(control));
    struct screen screen = {.control = options->migrate.control,
                            .quiet = options->quiet,
                            .live = !options->quiet && !options->run.trace &&
                                    cli_is_terminal(STDERR_FILENO)};
    options->migrate.progress = migrate_show;
    options->migrate.progress_ctx = &screen;
    umask(S_IRWXG | S_IRWXO); /* only the user may access sockets and files of a guest */
    options->run.apart = true;
    if (!cli_calls_begin(options))
        return VIDMM_MIGRATE_BAD_INPUT;
    if (receives)
        vidmm_migrate_recv(workload, &options->run, &options->migrate, &result);
    else
        vidmm_migrate_send(workload, &options->run, &options->migrate, &result);
    if (screen.live)
        cli_progress_end();
    vidmm_printable(result.text, false);
    int code = result.run.ended ? cli_report_end(options, result.run.ended, result.text)
                                : migrate_report(options, &result, receives);
    code = cli_calls_end(options, result.text[0] != '\0' ? result.text : "done", code);
    code = migrate_draw(options, workload, &result, receives, code);
    vidmm_run_result_free(&result.run);
    explicit_bzero(&key, sizeof(key));
    return code;
}

static int migrate_play(int argc, char **argv, bool receives) {
    struct cli_options options;
    struct vidmm_workload workload;
    unsigned side = receives ? CLI_RECV_OPTIONS : CLI_SEND_OPTIONS;
    if (!cli_parse(argc, argv, CLI_ADAPTER_OPTIONS | CLI_RUN_OPTIONS | side, &options))
        return VIDMM_MIGRATE_BAD_INPUT;
    if (options.help) {
        cli_help_migrate(stdout);
        return 0;
    }
    if (!options.migrate.link)
        return cli_refuse("%s needs --%s LINK; see vidmm migrate --help", argv[0],
                          receives ? "from" : "to");
    if (!cli_find_workload(&options, &workload))
        return VIDMM_RUN_BAD_INPUT;
    int code = migrate(&options, &workload, receives);
    vidmm_workload_free(&workload);
    return code;
}

/* ---- resolve --------------------------------------------------------------------------------- */

static int migrate_resolve(int argc, char **argv) {
    enum vidmm_migrate_verdict verdict = VIDMM_MIGRATE_ASK;
    const char *control = NULL;
    char text[512];
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            cli_help_migrate(stdout);
            return 0;
        }
        if (strcmp(argv[i], "--take") == 0)
            verdict = VIDMM_MIGRATE_TAKE;
        else if (strcmp(argv[i], "--drop") == 0)
            verdict = VIDMM_MIGRATE_DROP;
        else if (argv[i][0] != '-' && !control)
            control = argv[i];
        else
            return cli_refuse("vidmm migrate resolve does not take '%s'; see vidmm migrate --help",
                              argv[i]);
    }
    if (!control)
        return cli_refuse("resolve needs the control socket of a migration; see vidmm migrate "
                          "--help");
    if (!vidmm_migrate_resolve(control, verdict, text, sizeof(text)))
        return cli_refuse("%s", text);
    puts(vidmm_printable(text, false));
    return 0;
}

int cli_migrate(int argc, char **argv) {
    static char send_name[] = "migrate send", recv_name[] = "migrate recv";
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cli_help_migrate(stdout);
        return 0;
    }
    if (strcmp(word, "resolve") == 0)
        return migrate_resolve(argc - 1, argv + 1);
    bool receives = strcmp(word, "recv") == 0;
    if (!receives && strcmp(word, "send") != 0)
        return cli_refuse("migrate is followed by send, recv or resolve; see vidmm migrate --help");
    argv[1] = receives ? recv_name : send_name;
    return migrate_play(argc - 1, argv + 1, receives);
}
