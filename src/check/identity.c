/*
 * identity.c - the identity of a finding, by which a baseline, a replay and the services that show
 * SARIF find it again.
 */
#include "stage.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a. */
static uint32_t hash_text(uint32_t hash, const char *text) {
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return (hash ^ 0xffu) * 16777619u; /* so that "a", "bc" is not "ab", "c" */
}

/* The driver's function; "": not known, since a module and an offset change with each edit. */
static const char *function_of(const struct vidmm_finding *finding) {
    bool named = finding->places != 0 && !strstr(finding->place[0].function, "+0x");
    return named ? finding->place[0].function : "";
}

void vidmm_finding_identity(const struct vidmm_finding *finding, char identity[VIDMM_IDENTITY]) {
    char plain[sizeof(finding->found)], id[8];
    bool rule = finding->kind == VIDMM_FINDING_RULE;
    vidmm_rule_id(finding->rule, id);
    vidmm_finding_plain(rule ? finding->expected : finding->found, plain, sizeof(plain));
    uint32_t hash = hash_text(2166136261u, id);
    hash = hash_text(hash, vidmm_side_text(finding->who));
    hash = hash_text(hash, finding->where);
    hash = hash_text(hash, plain);
    hash = hash_text(hash, function_of(finding));
    snprintf(identity, VIDMM_IDENTITY, "%s-%06x", id, (hash ^ hash >> 24) & 0xffffffu);
}

#define DIGITS 6u

bool vidmm_identity_parse(const char *text) {
    char id[8];
    size_t length = strcspn(text, "-");
    if (text[length] == '\0' || length >= sizeof(id))
        return false;
    snprintf(id, sizeof(id), "%.*s", (int)length, text);
    const char *digits = text + length + 1;
    return (id[0] == 'R' || id[0] == 'K') && vidmm_rule_parse(id) && strlen(digits) == DIGITS &&
           strspn(digits, "0123456789abcdef") == DIGITS;
}

bool vidmm_identities_add(struct vidmm_identities *list, const char *identity) {
    char(*longer)[VIDMM_IDENTITY] = realloc(list->text, (list->count + 1u) * sizeof(*longer));
    if (!longer)
        return false;
    list->text = longer;
    snprintf(longer[list->count++], sizeof(*longer), "%s", identity);
    return true;
}

void vidmm_identities_free(struct vidmm_identities *list) {
    free(list->text);
    *list = (struct vidmm_identities){.count = 0};
}
