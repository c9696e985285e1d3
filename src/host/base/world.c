/* world.c - the host of the process, and its log. */
#include "base/world.h"

#include <stdarg.h>

#include <vidmm/printable.h>

struct vidmm_host *host_world;

void host_log(const char *format, ...) {
    FILE *log = host_world->config.log;
    char text[2048];
    if (!log)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fputs(vidmm_printable(text, true), log);
}

bool host_fail(struct vidmm_host_error *error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    vidmm_printable(error->text, false);
    return false;
}
