/* device_log.c - see device_log.h. */
#include "kernel/device_log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "kernel/clock.h"

enum { TEXT = 80 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char last[TEXT]; /* under `lock`: the newest line without its time */
static uint64_t again;  /* how often it came once more */

/* With the lock held. */
static void end_count(FILE *log) {
    if (again != 0)
        fprintf(log, "%14s  and %" PRIu64 " times more\n", "", again);
    again = 0;
}

static void log_line(FILE *log, const char *text) {
    const char *call = host_self.doing ? host_self.doing : host_self.call;
    uint64_t now = host_now();
    pthread_mutex_lock(&lock);
    if (strcmp(text, last) == 0) {
        again++;
    } else {
        end_count(log);
        snprintf(last, sizeof(last), "%s", text);
        fprintf(log, "%10" PRIu64 ".%03u  %-44s %s\n", now / 1000, (unsigned)(now % 1000), text,
                call ? call : "");
    }
    pthread_mutex_unlock(&lock);
}

void host_device_log(const char *space, uint64_t offset, uint32_t width, bool write,
                     uint64_t value) {
    char text[TEXT];
    if (!host_world->config.device_log)
        return;
    snprintf(text, sizeof(text), "%s%u %s+0x%04" PRIx64 " %s 0x%0*" PRIx64, write ? "W" : "R",
             width, space, offset, write ? "<-" : "->", (int)width * 2, value);
    log_line(host_world->config.device_log, text);
}

void host_device_log_interrupt(uint32_t message) {
    char text[TEXT];
    if (!host_world->config.device_log)
        return;
    snprintf(text, sizeof(text), "interrupt %u", message);
    log_line(host_world->config.device_log, text);
}

void host_device_log_end(void) {
    if (!host_world->config.device_log)
        return;
    pthread_mutex_lock(&lock);
    end_count(host_world->config.device_log);
    last[0] = '\0';
    pthread_mutex_unlock(&lock);
}
