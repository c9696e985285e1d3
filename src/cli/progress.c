/*
 * progress.c - what is told in one line of the terminal while a command runs, however narrow it is.
 */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH 40
#define FRAME 8 /* brackets, the share, and the column where a terminal would begin a new line */

bool cli_is_terminal(int stream) {
    const char *term = getenv("TERM");
    return isatty(stream) != 0 && !(term && strcmp(term, "dumb") == 0);
}

/* 0: not known. */
static int terminal_columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int bar_width(void) {
    int columns = terminal_columns();
    if (columns == 0 || columns >= WIDTH + FRAME)
        return WIDTH;
    return columns > FRAME ? columns - FRAME : 0;
}

void cli_progress_line(const char *format, ...) {
    char line[256];
    int columns = terminal_columns();
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    fprintf(stderr, "\r\033[K%.*s", columns > 0 ? columns - 1 : (int)sizeof(line), line);
    fflush(stderr);
}

void cli_progress(void *ctx, uint64_t events_done, uint64_t events) {
    (void)ctx;
    static const char full[WIDTH + 1] = "########################################";
    if (events == 0)
        return;
    int width = bar_width(), share = (int)((double)events_done / (double)events * 100);
    int cells = share * width / 100;
    if (width != 0)
        fprintf(stderr, "\r[%.*s%*s] %3d%%", cells, full, width - cells, "", share);
    else
        fprintf(stderr, "\r%3d%%", share);
    fflush(stderr);
}

void cli_progress_end(void) {
    fputs("\r\033[K", stderr);
}
