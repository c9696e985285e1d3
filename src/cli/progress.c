/*
 * progress.c - a progress bar on the terminal, in one line of it however narrow it is.
 */
#include "cli.h"

#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH 40
#define FRAME 8 /* brackets, the share, and the column where a terminal would begin a new line */

static int bar_width(void) {
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
        size.ws_col >= WIDTH + FRAME)
        return WIDTH;
    return size.ws_col > FRAME ? size.ws_col - FRAME : 0;
}

void cli_progress(void *ctx, uint64_t events_done, uint64_t events) {
    (void)ctx;
    static const char full[WIDTH + 1] = "########################################";
    if (events == 0)
        return;
    int width = bar_width(), share = (int)((double)events_done / (double)events * 100);
    int cells = share * width / 100;
    fprintf(stderr, "\r[%.*s%*s] %3d%%", cells, full, width - cells, "", share);
    fflush(stderr);
}

void cli_progress_end(void) {
    fputs("\r\033[K", stderr);
}
