/*
 * settings.c - --set NAME=VALUE that nobody reads: of the reference driver, whose settings are known,
 * it is refused; of another driver one line at the end says so.
 */
#include "cli.h"

#include <string.h>

#include <vidmm/lookup.h>
#include <vidmm/printable.h>
#include <vidmm/softgpu.h>

static bool is_known(const char *name) {
    const char *known;
    for (size_t i = 0; (known = vidmm_softgpu_setting(i)); i++)
        if (strcmp(known, name) == 0)
            return true;
    return false;
}

bool cli_settings_known(const struct cli_options *options) {
    char near[128];
    for (uint32_t i = 0; i < options->set_count && !options->run.driver_path; i++) {
        const char *name = options->settings[i].name;
        if (is_known(name))
            continue;
        vidmm_nearest(name, vidmm_softgpu_setting, near, sizeof(near));
        cli_refuse("--set %s: the reference driver has no such setting%s%s", name,
                   near[0] != '\0' ? "; it has " : "", near);
        return false;
    }
    return true;
}

/* An INF file may have settings for others than the driver. */
static bool is_typed(const struct cli_options *options, const char *name) {
    for (uint32_t i = 0; i < options->set_count; i++)
        if (strcmp(options->settings[i].name, name) == 0)
            return true;
    return false;
}

void cli_settings_unread(const struct cli_options *options, const struct vidmm_unread *unread) {
    const char *before = "vidmm: --set ";
    uint32_t count = 0;
    char name[256];
    for (uint32_t i = 0; i < unread->count; i++) {
        if (!is_typed(options, unread->name[i]))
            continue;
        fprintf(stderr, "%s%s", before, vidmm_printable_copy(unread->name[i], name, sizeof(name)));
        before = ", ";
        count++;
    }
    if (count != 0)
        fprintf(stderr, " %s never read by the driver\n", count == 1 ? "was" : "were");
}
