/* violations.c - stores the sentences of violations.h. */
#include "base/violations.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vidmm/printable.h>

#include "base/world.h"

void host_violations_init(struct host_violations *list) {
    pthread_mutex_init(&list->lock, NULL);
}

void host_violations_done(struct host_violations *list) {
    pthread_mutex_destroy(&list->lock);
}

/* The last entry of a full list counts the violations that did not fit. */
static void violations_drop(struct host_violations *list) {
    char *last = list->text[HOST_VIOLATIONS_KEPT - 1];
    list->dropped++;
    snprintf(last, HOST_VIOLATION_SIZE, "%llu more violations are not listed",
             (unsigned long long)list->dropped);
}

void host_violation(const char *format, ...) {
    struct host_violations *list = &host_world->violations;
    char text[HOST_VIOLATION_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    vidmm_printable(text, false);
    host_log("violation: %s\n", text);
    if (host_world->interposer.violation)
        host_world->interposer.violation(host_world->interposer.ctx, text);
    pthread_mutex_lock(&list->lock);
    if (list->count < HOST_VIOLATIONS_KEPT)
        memcpy(list->text[list->count++], text, sizeof(text));
    else
        violations_drop(list);
    pthread_mutex_unlock(&list->lock);
}

void APIENTRY vidmm_host_undefined(const char *what, const char *file, uint32_t line,
                                   uint32_t column) {
    host_violation("undefined behaviour at %s:%u:%u: %s", file ? file : "?", line, column, what);
}

void host_kernel_memory(const char *function) {
    if (host_world->interposer.kernel_memory)
        host_world->interposer.kernel_memory(host_world->interposer.ctx, function);
}

void host_maps_memory(uint64_t physical, uint64_t bytes) {
    if (host_world->interposer.maps_memory)
        host_world->interposer.maps_memory(host_world->interposer.ctx, physical, bytes);
}

uint32_t vidmm_host_violations(struct vidmm_host *host) {
    pthread_mutex_lock(&host->violations.lock);
    uint32_t count = host->violations.count;
    pthread_mutex_unlock(&host->violations.lock);
    return count;
}

const char *vidmm_host_violation(struct vidmm_host *host, uint32_t index) {
    const char *text = NULL;
    pthread_mutex_lock(&host->violations.lock);
    if (index < host->violations.count)
        text = host->violations.text[index];
    pthread_mutex_unlock(&host->violations.lock);
    return text;
}
