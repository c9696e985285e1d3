/*
 * parse.c - parses values of a run's options: sizes, shares of a workload, interface versions.
 */
#include <vidmm/run.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define KIB 1024.0

/* The power of 1024 that a suffix stands for: "", "B", "K", "KB", "KiB" …; -1: none of them. */
static int suffix_power(const char *suffix) {
    static const char letters[] = "KMGT";
    if (*suffix == '\0' || strcasecmp(suffix, "B") == 0)
        return 0;
    const char *letter = strchr(letters, toupper((unsigned char)*suffix));
    if (!letter)
        return -1;
    const char *rest = suffix + 1;
    if (*rest != '\0' && strcasecmp(rest, "B") != 0 && strcasecmp(rest, "iB") != 0)
        return -1;
    return (int)(letter - letters) + 1;
}

/* A decimal number that starts with a digit (no sign, no "inf", no hexadecimal); NULL: none. */
static const char *parse_decimal(const char *text, double *value) {
    if (!isdigit((unsigned char)text[0]) || tolower((unsigned char)text[1]) == 'x')
        return NULL;
    char *end = NULL;
    errno = 0;
    *value = strtod(text, &end);
    return errno == 0 && isfinite(*value) ? end : NULL;
}

bool vidmm_run_parse_size(const char *text, uint64_t *bytes) {
    double value = 0;
    const char *suffix = parse_decimal(text, &value);
    if (!suffix)
        return false;
    int power = suffix_power(suffix);
    if (power < 0)
        return false;
    while (power-- > 0)
        value *= KIB;
    if (value < 1 || value >= 9.2e18)
        return false;
    *bytes = (uint64_t)value;
    return true;
}

bool vidmm_run_parse_vram(const char *text, uint64_t peak, uint64_t *bytes) {
    static const uint64_t least = 1u << 20, step = 1u << 16;
    double share = 0;
    const char *rest = parse_decimal(text, &share);
    uint64_t wanted = 0;
    if (rest && strcmp(rest, "%") == 0) {
        if (peak == 0 || share <= 0 || share > 100000)
            return false;
        wanted = (uint64_t)ceil((double)peak * share / 100.0);
    } else if (!vidmm_run_parse_size(text, &wanted)) {
        return false;
    }
    if (wanted > UINT64_MAX / 2)
        return false;
    wanted = (wanted + step - 1) / step * step;
    *bytes = wanted < least ? least : wanted;
    return true;
}

static const struct {
    const char *name;
    uint32_t version;
} versions[] = {
    {"vista", DXGKDDI_INTERFACE_VERSION_VISTA},
    {"vista-sp1", DXGKDDI_INTERFACE_VERSION_VISTA_SP1},
    {"win7", DXGKDDI_INTERFACE_VERSION_WIN7},
    {"win8", DXGKDDI_INTERFACE_VERSION_WIN8},
    {"wddm1.3", DXGKDDI_INTERFACE_VERSION_WDDM1_3},
    {"wddm2.0", DXGKDDI_INTERFACE_VERSION_WDDM2_0},
    {"wddm2.1", DXGKDDI_INTERFACE_VERSION_WDDM2_1},
    {"wddm2.2", DXGKDDI_INTERFACE_VERSION_WDDM2_2},
    {"wddm2.3", DXGKDDI_INTERFACE_VERSION_WDDM2_3},
    {"wddm2.4", DXGKDDI_INTERFACE_VERSION_WDDM2_4},
    {"wddm2.5", DXGKDDI_INTERFACE_VERSION_WDDM2_5},
    {"wddm2.6", DXGKDDI_INTERFACE_VERSION_WDDM2_6},
    {"wddm2.7", DXGKDDI_INTERFACE_VERSION_WDDM2_7},
    {"wddm2.8", DXGKDDI_INTERFACE_VERSION_WDDM2_8},
    {"wddm2.9", DXGKDDI_INTERFACE_VERSION_WDDM2_9},
    {"wddm3.0", DXGKDDI_INTERFACE_VERSION_WDDM3_0},
    {"wddm3.1", DXGKDDI_INTERFACE_VERSION_WDDM3_1},
    {"wddm3.2", DXGKDDI_INTERFACE_VERSION_WDDM3_2},
};
#define VERSION_COUNT (sizeof(versions) / sizeof(versions[0]))

bool vidmm_run_parse_ddi(const char *name, uint32_t *version) {
    for (size_t i = 0; i < VERSION_COUNT; i++) {
        if (strcasecmp(versions[i].name, name) == 0) {
            *version = versions[i].version;
            return true;
        }
    }
    return false;
}

const char *vidmm_run_ddi_name(uint32_t version) {
    for (size_t i = 0; i < VERSION_COUNT; i++) {
        if (versions[i].version == version)
            return versions[i].name;
    }
    return NULL;
}

const char *vidmm_run_ddi_at(size_t index) {
    return index < VERSION_COUNT ? versions[index].name : NULL;
}

bool vidmm_run_parse_model(const char *name, enum vidmm_model *model) {
    static const struct {
        const char *name;
        enum vidmm_model model;
    } known[] = {{"physical", VIDMM_MODEL_PHYSICAL},
                 {"gpummu", VIDMM_MODEL_GPUMMU},
                 {"iommu", VIDMM_MODEL_IOMMU}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) != 0)
            continue;
        *model = known[i].model;
        return true;
    }
    return false;
}
