/*
 * words.c - the end of a driver's process as a finding and as a sentence.
 */
#include "watch.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static void signal_text(const struct vidmm_watch_end *end, char *text, size_t size) {
    if (end->number == SIGABRT)
        snprintf(text, size, "abort or a bugcheck in %s", end->where);
    else if (end->reason[0] != '\0')
        snprintf(text, size, "%s in %s", end->reason, end->where);
    else
        snprintf(text, size, "signal %d (%s) in %s", (int)end->number, strsignal(end->number),
                 end->where);
}

static void hang_text(const struct vidmm_watch_end *end, char *text, size_t size) {
    bool own = strcmp(end->where, WATCH_OWN_CODE) == 0;
    snprintf(text, size, "no end within %u ms, in %s%s", end->timeout_ms, end->where,
             own ? ": it computes, or waits for a thread of the driver's" : "");
}

void vidmm_watch_text(const struct vidmm_watch_end *end, char *text, size_t size) {
    switch (end->how) {
    case VIDMM_WATCH_DONE:
        snprintf(text, size, "%s", end->changed);
        break;
    case VIDMM_WATCH_SIGNALLED:
        signal_text(end, text, size);
        break;
    case VIDMM_WATCH_STOPPED:
        snprintf(text, size, "the process was stopped by signal %d (%s) in %s", (int)end->number,
                 strsignal(end->number), end->where);
        break;
    case VIDMM_WATCH_EXITED:
        snprintf(text, size, "the process ended with exit code %d in %s", (int)end->number,
                 end->where);
        break;
    case VIDMM_WATCH_HUNG:
        hang_text(end, text, size);
        break;
    case VIDMM_WATCH_CUT_OFF:
        snprintf(text, size,
                 "the process closed or replaced a descriptor of vidmm's, in or before %s",
                 end->where);
        break;
    case VIDMM_WATCH_FORGED:
        snprintf(text, size, "the process wrote what vidmm does not write, in or before %s",
                 end->where);
        break;
    case VIDMM_WATCH_UNGUARDED:
        snprintf(text, size, "the process ended the one that guards it, in or before %s",
                 end->where);
        break;
    case VIDMM_WATCH_NONE:
        snprintf(text, size, "no process could be made for the driver");
        break;
    case VIDMM_WATCH_STARVED:
        snprintf(text, size, "out of memory for what the driver's process said");
        break;
    }
}

static enum vidmm_finding_kind kind_of(const struct vidmm_watch_end *end) {
    switch (end->how) {
    case VIDMM_WATCH_DONE:
        return VIDMM_FINDING_HOST;
    case VIDMM_WATCH_HUNG:
        return VIDMM_FINDING_HANG;
    case VIDMM_WATCH_SIGNALLED:
        return end->number == SIGABRT ? VIDMM_FINDING_EXIT : VIDMM_FINDING_CRASH;
    default:
        return VIDMM_FINDING_EXIT;
    }
}

void vidmm_watch_note(const struct vidmm_watch_end *end, struct vidmm_ledger *ledger) {
    char text[sizeof(ledger->finding[0].found)];
    bool well = end->how == VIDMM_WATCH_DONE;
    if (end->how == VIDMM_WATCH_NONE || end->how == VIDMM_WATCH_STARVED ||
        (well && end->changed[0] == '\0'))
        return;
    vidmm_watch_text(end, text, sizeof(text));
    vidmm_ledger_step(ledger, well ? NULL : end->step);
    vidmm_ledger_calling(ledger,
                         well || strcmp(end->where, WATCH_NO_CALL) == 0 ? NULL : end->where);
    bool own = end->own && end->how == VIDMM_WATCH_SIGNALLED;
    uint32_t before = ledger->findings;
    vidmm_ledger_note(ledger, kind_of(end), own ? VIDMM_SIDE_MANAGER : VIDMM_SIDE_DRIVER, "%s",
                      text);
    if (ledger->findings == before || ledger->dropped != 0)
        return;
    struct vidmm_finding *finding = &ledger->finding[before];
    if (finding->places != 0)
        return;
    finding->places = end->frames;
    for (uint32_t i = 0; i < end->frames; i++)
        finding->place[i].offset = end->frame[i];
}
