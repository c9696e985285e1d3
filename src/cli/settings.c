/*
 * settings.c - --set NAME=VALUE of the reference driver, whose settings are known: another name is refused.
 * Of other drivers it is, when they have started (vidmm_unasked).
 */
#include "cli.h"

#include <string.h>

#include <vidmm/lookup.h>
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
