/*
 * calls.c - the record of events of a command, as lines, as a timeline, or both: from the options to
 * the end of the files.
 */
#include "cli.h"

#include <vidmm/harness.h>

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

/* On the record of the lines, if there is one. */
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
    if (options->recording) {
        vidmm_record_also(vidmm_report_calls_record(options->recording), &sink);
        return true;
    }
    options->record = vidmm_record_create(&sink);
    vidmm_harness_record(options->record);
    if (!options->record)
        cli_refuse("out of memory for the timeline");
    return options->record;
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
static int end_timeline(struct cli_options *options, const char *text, int code) {
    char reason[512];
    if (!options->timing)
        return code;
    vidmm_record_end(options->record, text);
    vidmm_record_destroy(options->record);
    bool written = vidmm_report_timeline_close(options->timing, reason, sizeof(reason));
    options->record = NULL;
    options->timing = NULL;
    return written ? code : cli_refuse("%s", reason);
}

int cli_calls_end(struct cli_options *options, const char *text, int code) {
    vidmm_harness_record(NULL);
    code = end_calls(options, text, code);
    return end_timeline(options, text, code);
}

bool cli_calls_begin(struct cli_options *options) {
    if (begin_calls(options) && begin_timeline(options))
        return true;
    (void)cli_calls_end(options, "did not begin", 0);
    return false;
}
