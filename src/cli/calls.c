/*
 * calls.c - the record of events of a command, for each file that is made of it: from the options to the
 * end of the files.
 */
#include "cli.h"

#include <string.h>

#include <vidmm/harness.h>

/* Calls name handles as the record does: theirs is the first sink. */
static bool begin_calls(struct cli_options *options) {
    char text[512];
    if (!options->calls)
        return true;
    options->recording = vidmm_report_calls_open(options->calls, text, sizeof(text));
    if (!options->recording) {
        cli_refuse("%s", text);
        return false;
    }
    vidmm_harness_record(vidmm_report_calls_record(options->recording));
    return true;
}

/* On the record that there is, or a new one. */
static bool add_sink(struct cli_options *options, const struct vidmm_record_sink *sink) {
    struct vidmm_record *there =
        options->recording ? vidmm_report_calls_record(options->recording) : options->record;
    if (there) {
        vidmm_record_also(there, sink);
        return true;
    }
    options->record = vidmm_record_create(sink);
    vidmm_harness_record(options->record);
    if (!options->record)
        cli_refuse("out of memory for the record of events");
    return options->record;
}

static bool begin_timeline(struct cli_options *options) {
    char text[512];
    if (!options->timeline)
        return true;
    options->timing = vidmm_report_timeline_open(options->timeline, text, sizeof(text));
    if (!options->timing) {
        cli_refuse("%s", text);
        return false;
    }
    struct vidmm_record_sink sink = vidmm_report_timeline_sink(options->timing);
    return add_sink(options, &sink);
}

static bool begin_map(struct cli_options *options) {
    if (!options->html && !options->picture)
        return true;
    options->map = vidmm_report_map_create();
    if (!options->map) {
        cli_refuse("out of memory for the map of memory");
        return false;
    }
    struct vidmm_record_sink sink = vidmm_report_map_sink(options->map);
    return add_sink(options, &sink);
}

static int end_calls(struct cli_options *options, const char *text, int code) {
    char reason[512];
    if (!options->recording)
        return code;
    bool written = vidmm_report_calls_close(options->recording, text, reason, sizeof(reason));
    options->recording = NULL;
    return written ? code : cli_refuse("%s", reason);
}

/* After the record has ended. */
static int end_timeline(struct cli_options *options, int code) {
    char reason[512];
    if (!options->timing)
        return code;
    bool written = vidmm_report_timeline_close(options->timing, reason, sizeof(reason));
    options->timing = NULL;
    return written ? code : cli_refuse("%s", reason);
}

int cli_calls_end(struct cli_options *options, const char *text, int code) {
    vidmm_harness_record(NULL);
    code = end_calls(options, text, code);
    vidmm_record_end(options->record, text);
    vidmm_record_destroy(options->record);
    options->record = NULL;
    return end_timeline(options, code);
}

bool cli_calls_begin(struct cli_options *options) {
    if (begin_calls(options) && begin_timeline(options) && begin_map(options))
        return true;
    (void)cli_calls_end(options, "did not begin", 0);
    return false;
}

struct vidmm_report_page cli_calls_page(const struct cli_options *options,
                                        const struct vidmm_workload *workload) {
    return (struct vidmm_report_page){.path = options->html,
                                      .command = options->command,
                                      .workload = workload,
                                      .map = options->map};
}

int cli_calls_picture(struct cli_options *options, const char *title, int code) {
    char text[512];
    bool drawn = !options->picture ||
                 vidmm_report_picture(options->picture, options->map, title, text, sizeof(text));
    vidmm_report_map_destroy(options->map);
    options->map = NULL;
    return drawn ? code : cli_refuse("%s", text);
}
