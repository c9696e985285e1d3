/*
 * calls.c - the record of events of a command: from the option to its last line.
 */
#include "cli.h"

#include <vidmm/harness.h>

bool cli_calls_begin(struct cli_options *options) {
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

int cli_calls_end(struct cli_options *options, const char *text, int code) {
    char reason[512];
    if (!options->recording)
        return code;
    vidmm_harness_record(NULL);
    bool written = vidmm_report_calls_close(options->recording, text, reason, sizeof(reason));
    options->recording = NULL;
    return written ? code : cli_refuse("%s", reason);
}
