/*
 * rules.c - finds the row of a rule, and words for its columns.
 *
 * The rows themselves are in group_*.c. Groups follow each other without gaps, so the table of
 * groups below is all that is needed to find a row by its number.
 */
#include "groups.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define GROUP(letter, array, text)                                                                 \
    { letter, array, COUNT(array), text }

static const struct group {
    char letter;
    const struct vidmm_rule *row;
    size_t rows;
    const char *text;
} groups[] = {
    GROUP('A', rules_a, "Querying the adapter and its segments"),
    GROUP('B', rules_b, "Segment descriptors and flags"),
    GROUP('C', rules_c, "The paging buffer and driver capabilities"),
    GROUP('D', rules_d, "Creating and opening allocations"),
    GROUP('E', rules_e, "BuildPagingBuffer: what holds for every operation"),
    GROUP('F', rules_f, "Transfer, fill, discard and physical access"),
    GROUP('G', rules_g, "Aperture operations"),
    GROUP('H', rules_h, "Virtual operations and page tables"),
    GROUP('I', rules_i, "Root page tables, address spaces and the paging process"),
    GROUP('J', rules_j, "The CPU host aperture"),
    GROUP('K', rules_k, "Patching and submission"),
    GROUP('L', rules_l, "Residency and address services for user mode"),
    GROUP('M', rules_m, "Dirty-bit tracking"),
    GROUP('N', rules_n, "Live migration"),
    GROUP('O', rules_o, "Context allocations and swizzling ranges"),
    GROUP('P', rules_p, "IOMMU and remapping"),
    GROUP('Q', rules_q, "Power, timeout detection and reset"),
    GROUP('R', rules_r, "Reporting graphics memory"),
    GROUP('S', rules_s, "64 KB pages, invalid accesses, companion contexts"),
    GROUP('T', rules_t, "Residency by DMA buffers (WDDM 1.x)"),
};

const struct vidmm_rule *vidmm_rule(uint32_t number) {
    if (number == 0)
        return NULL;
    size_t index = number - 1;
    for (size_t i = 0; i < COUNT(groups); i++) {
        if (index < groups[i].rows)
            return &groups[i].row[index];
        index -= groups[i].rows;
    }
    return NULL;
}

const struct vidmm_rule *vidmm_rule_parse(const char *text) {
    if (*text == 'R' || *text == 'r')
        text++;
    uint32_t number = 0;
    if (*text == '0')
        return NULL;
    for (; *text >= '0' && *text <= '9' && number <= VIDMM_RULES_LAST; text++)
        number = number * 10 + (uint32_t)(*text - '0');
    return *text == '\0' ? vidmm_rule(number) : NULL;
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
    case VIDMM_SIDE_USER | VIDMM_SIDE_MANAGER:
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
