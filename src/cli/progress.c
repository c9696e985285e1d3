/*
 * progress.c - a progress bar on the terminal.
 */
#include "cli.h"

#define WIDTH 40

void cli_progress(void *ctx, uint64_t events_done, uint64_t events) {
    (void)ctx;
    static const char full[WIDTH + 1] = "########################################";
    if (events == 0)
        return;
    int share = (int)((double)events_done / (double)events * 100);
    int cells = share * WIDTH / 100;
    fprintf(stderr, "\r[%.*s%*s] %3d%%", cells, full, WIDTH - cells, "", share);
    fflush(stderr);
}

void cli_progress_end(void) {
    fputs("\r\033[K", stderr);
}
