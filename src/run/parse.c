/*
 * parse.c - parses values of a run's options: sizes, shares of a workload, interface versions.
 */
#include <vidmm/interfaces.h>
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

bool vidmm_run_parse_ddi(const char *name, uint32_t *version) {
    const struct vidmm_interface *row;
    for (size_t i = 0; (row = vidmm_interface_at(i)); i++) {
        if (row->name && strcasecmp(row->name, name) == 0) {
            *version = row->version;
            return true;
        }
    }
    return false;
}

const char *vidmm_run_ddi_name(uint32_t version) {
    const struct vidmm_interface *row = vidmm_interface(version);
    return row ? row->name : NULL;
}

const char *vidmm_run_ddi_at(size_t index) {
    const struct vidmm_interface *row;
    for (size_t i = 0; (row = vidmm_interface_at(i)); i++)
        if (row->name && index-- == 0)
            return row->name;
    return NULL;
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
