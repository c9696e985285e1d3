/* stop.c - the one sentence by which a build ends; see build.h. */
#include <stdarg.h>
#include <stdio.h>

#include "build.h"

bool cc_stop(struct cc_build *build, const char *format, ...) {
    if (build->text[0])
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(build->text, sizeof(build->text), format, arguments);
    va_end(arguments);
    return false;
}
