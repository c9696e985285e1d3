/*
 * session.c - makes a state machine with its link, clock and journal from a run's options, and its
 * result.
 */
#include "session.h"

#include <vidmm/watch.h>

#include "config.h"
#include "io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

/* ---- The world ------------------------------------------------------------------------------- */

static uint64_t world_now(void *ctx) {
    (void)ctx;
    return migrate_clock_ns();
}

/* The session's number is random: another process cannot guess it. */
static uint64_t world_draw(void *ctx) {
    uint64_t value = 0;
    while (value == 0 && getrandom(&value, sizeof(value), 0) != (ssize_t)sizeof(value))
        value = world_now(ctx) * UINT64_C(0x9e3779b97f4a7c15);
    return value;
}

static bool world_deed(void *ctx, enum migrate_deed deed, uint64_t number, uint64_t event,
                       char *text, size_t text_size) {
    struct migrate_session *session = ctx;
    return migrate_journal_note(&session->journal, deed, number, event, text, text_size);
}

static enum vidmm_migrate_verdict world_verdict(void *ctx) {
    struct migrate_session *session = ctx;
    return migrate_control_verdict(&session->control);
}

static void world_progress(void *ctx, const struct vidmm_migrate_progress *progress) {
    struct migrate_session *session = ctx;
    if (session->options.progress)
        session->options.progress(session->options.progress_ctx, progress);
}

static void say_unlogged(struct migrate_session *session) {
    const struct vidmm_migrate_progress progress = {.phase = VIDMM_MIGRATE_ENDED,
                                                    .text = session->unlogged};
    world_progress(session, &progress);
}

void migrate_session_word(struct migrate_session *session, const char *word, uint64_t event) {
    if (!migrate_journal_word(&session->journal, word, event, session->unlogged,
                              sizeof(session->unlogged)))
        say_unlogged(session);
}

struct migrate_party migrate_session_party(struct migrate_session *session) {
    return (struct migrate_party){.link = session->channel.link,
                                  .device = migrate_adapter_device(&session->adapter),
                                  .world = {.ctx = session,
                                            .now = world_now,
                                            .draw = world_draw,
                                            .deed = world_deed,
                                            .verdict = world_verdict,
                                            .progress = world_progress},
                                  .config = session->config,
                                  .options = &session->options,
                                  .result = session->result};
}

static const struct migrate_party *session_party(const struct migrate_session *session) {
    return session->receives ? &session->target.party : &session->source.party;
}

void migrate_session_wait(struct migrate_session *session) {
    const struct migrate_party *party = session_party(session);
    migrate_control_phase(&session->control, party->phase);
    vidmm_watch_alive();
    session->channel.wait(session->channel.link.ctx,
                          party->phase == VIDMM_MIGRATE_DOUBT ? 10 * MS : MS);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void or_default(uint64_t *value, uint64_t otherwise) {
    if (*value == 0)
        *value = otherwise;
}

static bool session_refuse(struct migrate_session *session, const char *why) {
    session->result->status = VIDMM_MIGRATE_BAD_INPUT;
    if (why)
        snprintf(session->result->text, sizeof(session->result->text), "%s", why);
    return false;
}

static bool check_run(struct migrate_session *session) {
    const struct vidmm_run_options *run = &session->run;
    if (run->threads != 0)
        return session_refuse(
            session, "a guest on several threads cannot be rehearsed: a migration takes no "
                     "--threads");
    if (run->linked > 1)
        return session_refuse(session,
                              "linked physical adapters cannot be moved: a migration takes "
                              "no --linked");
    if (run->memory_model != VIDMM_MODEL_GPUMMU)
        return session_refuse(session,
                              "only a GPU with virtual addresses of its own can be moved (--model "
                              "gpummu)");
    return session->workload->event_count != 0 ||
           session_refuse(session, "there is nothing in the workload that could be moved");
}

static bool open_channel(struct migrate_session *session) {
    char *text = session->result->text;
    size_t size = sizeof(session->result->text);
    const struct migrate_channel_options options = {.bits_per_s = session->options.bits_per_s,
                                                    .timeout_ns = session->options.timeout_ns,
                                                    .key = session->options.key};
    session->address.anywhere = session->options.key || session->options.plain;
    if (session->address.kind == MIGRATE_FILE && session->options.key) {
        snprintf(text, size, "a file is not a link: it takes no --key");
        return false;
    }
    if (session->address.kind != MIGRATE_FILE)
        session->has_channel = migrate_socket_open(&session->channel, &session->address,
                                                   session->receives, &options, text, size);
    else if (session->receives)
        session->has_channel = migrate_file_read(&session->channel, &session->address, text, size);
    else
        session->has_channel = migrate_file_write(&session->channel, &session->address, text, size);
    return session->has_channel;
}

static bool open_all(struct migrate_session *session) {
    char *text = session->result->text;
    size_t size = sizeof(session->result->text);
    session->config = migrate_config(session->workload, &session->run, text, size);
    if (!session->config ||
        !migrate_address_parse(session->options.link, &session->address, text, size) ||
        !migrate_journal_open(&session->journal, session->options.journal,
                              session->receives ? "target" : "source", text, size) ||
        !migrate_journal_word(&session->journal, "start", 0, text, size))
        return false;
    session->has_control =
        migrate_control_open(&session->control, session->options.control, text, size);
    return session->has_control && open_channel(session);
}

bool migrate_session_open(struct migrate_session *session, const struct vidmm_workload *workload,
                          const struct vidmm_run_options *run,
                          const struct vidmm_migrate_options *options, bool receives,
                          struct vidmm_migrate_result *result) {
    memset(session, 0, sizeof(*session));
    memset(result, 0, sizeof(*result));
    session->options = *options;
    session->run = *run;
    session->workload = workload;
    session->result = result;
    session->receives = receives;
    session->journal.fd = -1;
    session->last = vidmm_play_last_event(workload, run->frame_limit);
    session->frame_end = vidmm_workload_frames(workload).end;
    or_default(&session->options.pause_ns, 300 * MS);
    or_default(&session->options.pause_most_ns, 750 * MS);
    or_default(&session->options.timeout_ns, 10000 * MS);
    or_default(&session->options.whole_ns, 3600000 * MS);
    if (session->options.rounds == 0)
        session->options.rounds = 30;
    return check_run(session) && (open_all(session) || session_refuse(session, NULL));
}

/* Who asks the journal afterwards would not learn that the guest moved, or what became of it here. */
static void conclude_unlogged(struct migrate_session *session) {
    struct vidmm_migrate_result *result = session->result;
    const char *lacks = session_party(session)->unmentioned;
    if (session->unlogged[0] != '\0')
        lacks = session->unlogged;
    if (lacks[0] == '\0' || result->status != VIDMM_MIGRATE_DONE)
        return;
    result->status = VIDMM_MIGRATE_WRONG;
    snprintf(result->text, sizeof(result->text), "the guest moved, but %s", lacks);
}

void migrate_session_close(struct migrate_session *session) {
    if (session->has_channel)
        session->channel.close(session->channel.link.ctx);
    if (session->has_control)
        migrate_control_close(&session->control);
    if (!migrate_journal_close(&session->journal, session->unlogged, sizeof(session->unlogged)))
        say_unlogged(session);
    conclude_unlogged(session);
    free(session->config);
}

/* ---- Defaults -------------------------------------------------------------------------------- */

void vidmm_migrate_defaults(struct vidmm_run_options *run, struct vidmm_host_setting *settings) {
    static const char page[] = "DirtyPageBytes";
    bool has = false;
    for (uint32_t i = 0; i < run->setting_count; i++) {
        settings[i] = run->settings[i];
        has = has || strcmp(settings[i].name, page) == 0;
    }
    run->settings = settings;
    if (!has)
        settings[run->setting_count++] = (struct vidmm_host_setting){page, 4096};
    if (run->ddi_version == 0)
        vidmm_run_parse_ddi("wddm3.2", &run->ddi_version);
    if (run->memory_model == VIDMM_MODEL_ANY)
        run->memory_model = VIDMM_MODEL_GPUMMU;
}
