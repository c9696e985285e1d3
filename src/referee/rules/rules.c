/*
 * rules.c - finds the row of a rule, and words for its columns.
 *
 * The rows themselves are in group_*.c; where each of them is comes from scripts/rule-tables.py. Those
 * of the host are in host.c, in the order of their numbers.
 */
#include "groups.h"
#include "host.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct vidmm_rule *const rows[VIDMM_RULES_LAST + 1] = {
#define RULE_ROW(number, array, index) [number] = &array[index],
    RULE_ROWS(RULE_ROW)
#undef RULE_ROW
};

static const struct group {
    char letter;
    const char *text;
} groups[] = {
    {'A', "Querying the adapter and its segments"},
    {'B', "Segment descriptors and flags"},
    {'C', "The paging buffer and driver capabilities"},
    {'D', "Creating and opening allocations"},
    {'E', "BuildPagingBuffer: what holds for every operation"},
    {'F', "Transfer, fill, discard and physical access"},
    {'G', "Aperture operations"},
    {'H', "Virtual operations and page tables"},
    {'I', "Root page tables, address spaces and the paging process"},
    {'J', "The CPU host aperture"},
    {'K', "Patching and submission"},
    {'L', "Residency and address services for user mode"},
    {'M', "Dirty-bit tracking"},
    {'N', "Live migration"},
    {'O', "Context allocations and swizzling ranges"},
    {'P', "IOMMU and remapping"},
    {'Q', "Power, timeout detection and reset"},
    {'R', "Reporting graphics memory"},
    {'S', "64 KB pages, invalid accesses, companion contexts"},
    {'T', "Residency by DMA buffers (WDDM 1.x)"},
    {'U', "Linked adapters"},
    {'V', "Interrupts and fences"},
    {'W', "Displays"},
    {'Z', "What the host sees: functions of the kernel, what is left behind, how the process ends"},
};

const struct vidmm_rule *vidmm_rule(uint32_t number) {
    if (number >= VIDMM_K_FIRST && number < VIDMM_K_END)
        return &rules_host[number - VIDMM_K_FIRST];
    return number <= VIDMM_RULES_LAST ? rows[number] : NULL;
}

const struct vidmm_rule *vidmm_rule_after(const struct vidmm_rule *rule) {
    uint32_t number = rule ? rule->number + 1u : 1u;
    while (number < VIDMM_RULES_SIZE && !vidmm_rule(number))
        number++;
    return vidmm_rule(number);
}

const struct vidmm_rule *vidmm_rule_parse(const char *text) {
    bool host = *text == 'K' || *text == 'k';
    uint32_t number = 0, most = host ? VIDMM_K_END - VIDMM_K_FIRST : VIDMM_RULES_LAST;
    if (host || *text == 'R' || *text == 'r')
        text++;
    if (*text == '0')
        return NULL;
    for (; *text >= '0' && *text <= '9' && number <= most; text++)
        number = number * 10 + (uint32_t)(*text - '0');
    if (*text != '\0' || number == 0 || number > most)
        return NULL;
    return vidmm_rule(host ? number + VIDMM_K_FIRST - 1 : number);
}

char *vidmm_rule_id(uint32_t number, char text[8]) {
    bool host = number >= VIDMM_K_FIRST;
    snprintf(text, 8, "%c%u", host ? 'K' : 'R',
             (host ? number - VIDMM_K_FIRST + 1 : number) % 10000);
    return text;
}

const char *vidmm_rule_group(char letter) {
    for (size_t i = 0; i < COUNT(groups); i++) {
        if (groups[i].letter == letter)
            return groups[i].text;
    }
    return NULL;
}

const char *vidmm_side_text(uint8_t side) {
    switch (side) {
    case VIDMM_SIDE_DRIVER:
        return "driver";
    case VIDMM_SIDE_MANAGER:
        return "manager";
    case VIDMM_SIDE_BOTH:
        return "both";
    case VIDMM_SIDE_USER:
        return "user";
    case VIDMM_SIDE_USER_AND_MANAGER:
        return "user, manager";
    default:
        return "nobody";
    }
}

const char *vidmm_confidence_text(uint8_t confidence) {
    static const char *const text[] = {
        [VIDMM_DOCUMENTED] = "documented",
        [VIDMM_IMPLIED] = "implied",
        [VIDMM_DISPUTED] = "disputed",
        [VIDMM_OBSERVED] = "observed",
    };
    return confidence < COUNT(text) ? text[confidence] : "unknown";
}

const char *vidmm_severity_text(uint8_t severity) {
    static const char *const text[VIDMM_SEVERITIES] = {
        [VIDMM_SEVERITY_BUGCHECK] = "bugcheck",
        [VIDMM_SEVERITY_START_FAILS] = "start fails",
        [VIDMM_SEVERITY_CREATION_FAILS] = "creation fails",
        [VIDMM_SEVERITY_DEVICE_LOST] = "device lost",
        [VIDMM_SEVERITY_CORRUPTION] = "corruption",
        [VIDMM_SEVERITY_PERFORMANCE] = "performance",
    };
    return severity < COUNT(text) ? text[severity] : "unknown";
}

const char *vidmm_reach_text(uint8_t reach) {
    static const char *const text[VIDMM_REACHES] = {
        [VIDMM_REACH_ALL] = "what memory has, and work",
        [VIDMM_REACH_DISPLAY] = "what displays show",
        [VIDMM_REACH_ANSWER] = "nothing but the call's answer",
    };
    return reach < COUNT(text) ? text[reach] : "unknown";
}

const char *vidmm_source_text(const struct vidmm_source *source, char *text, size_t size) {
    switch (source->kind) {
    case VIDMM_SOURCE_PAGE:
        if (!source->where)
            return "the page";
        snprintf(text, size, "page %s", source->where);
        return text;
    case VIDMM_SOURCE_RECORD:
        snprintf(text, size, "record %s", source->where);
        return text;
    case VIDMM_SOURCE_NOT_KNOWN:
        return "not known";
    default:
        return "inference";
    }
}

static const struct {
    uint32_t number;
    const char *name;
} versions[] = {
    {DXGKDDI_INTERFACE_VERSION_VISTA, "WDDM 1.0"},
    {DXGKDDI_INTERFACE_VERSION_VISTA_SP1, "WDDM 1.0 (SP1)"},
    {DXGKDDI_INTERFACE_VERSION_WIN7, "WDDM 1.1"},
    {DXGKDDI_INTERFACE_VERSION_WIN8, "WDDM 1.2"},
    {DXGKDDI_INTERFACE_VERSION_WDDM1_3, "WDDM 1.3"},
    {DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION, "WDDM 1.3"},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_0, "WDDM 2.0"},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_1, "WDDM 2.1"},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_2, "WDDM 2.2"},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_3, "WDDM 2.3"},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_4, "WDDM 2.4"},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_5, "WDDM 2.5"},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_6, "WDDM 2.6"},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_7, "WDDM 2.7"},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_8, "WDDM 2.8"},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_9, "WDDM 2.9"},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_0, "WDDM 3.0"},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_1, "WDDM 3.1"},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_2, "WDDM 3.2"},
};

const char *vidmm_rule_version(uint32_t version) {
    for (size_t i = 0; i < COUNT(versions); i++) {
        if (versions[i].number == version)
            return versions[i].name;
    }
    return "an unknown version";
}
