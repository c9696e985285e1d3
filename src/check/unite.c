/*
 * unite.c - see unite.h.
 */
#include "unite.h"

#include <string.h>

/* Queries that are answered otherwise, or refused; slots that are empty. */
bool unite_lists(const struct vidmm_finding *finding) {
    return finding->kind == VIDMM_FINDING_RULE &&
           (finding->rule == 27 || finding->rule == 477 || finding->rule == 625);
}

/* What is listed: behind the words. */
static const char *list_of(const char *found) {
    const char *colon = strstr(found, ": ");
    return colon ? colon + 2 : found;
}

static bool is_listed(const char *found, const char *item, size_t length) {
    for (const char *at = list_of(found); at; at = strstr(at, ", ")) {
        at += strspn(at, ", ");
        if (strncmp(at, item, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* What has no room is left out: the author hears of it next time. */
static void list_add(char found[VIDMM_FOUND], const char *list) {
    while (*list != '\0') {
        const char *comma = strstr(list, ", ");
        size_t length = comma ? (size_t)(comma - list) : strlen(list), end = strlen(found);
        if (!is_listed(found, list, length) && end + 2 + length < VIDMM_FOUND)
            snprintf(found + end, VIDMM_FOUND - end, ", %.*s", (int)length, list);
        list += length + (comma ? 2 : 0);
    }
}

void unite_followers(struct vidmm_check_result *result) {
    for (uint32_t i = 0; i < result->ledger.findings; i++) {
        struct vidmm_finding *finding = &result->ledger.finding[i];
        struct vidmm_finding_mark *mark = &result->mark[i];
        struct vidmm_finding *lead =
            mark->follows != 0 ? &result->ledger.finding[mark->follows - 1] : NULL;
        mark->united = lead && unite_lists(lead) && lead->rule == finding->rule &&
                       lead->kind == finding->kind && lead->who == finding->who;
        if (mark->united)
            list_add(lead->found, list_of(finding->found));
    }
}
