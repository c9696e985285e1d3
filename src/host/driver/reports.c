/* reports.c - keeps and delivers the reports of reports.h. */
#include "driver/reports.h"

#include "base/world.h"

bool host_report_keep(struct host_reports *reports, const struct vidmm_interrupt *report) {
    pthread_mutex_lock(&reports->lock);
    bool fits = reports->count < HOST_REPORTS;
    if (fits) {
        reports->ring[(reports->first + reports->count) % HOST_REPORTS] = *report;
        reports->count++;
    }
    pthread_mutex_unlock(&reports->lock);
    return fits;
}

static void report_deliver(const struct vidmm_interrupt *report) {
    const struct vidmm_host_sink *sink = &host_world->sink;
    if (report->type == DXGK_INTERRUPT_DMA_COMPLETED && sink->completed)
        sink->completed(sink->ctx, report->physical, report->node, report->fence);
    else if (report->type == DXGK_INTERRUPT_DMA_PREEMPTED && sink->preempted)
        sink->preempted(sink->ctx, report->physical, report->node, report->fence,
                        report->last_completed);
    else if (report->type == DXGK_INTERRUPT_DMA_PAGE_FAULTED && sink->page_faulted)
        sink->page_faulted(sink->ctx, report);
    else if ((report->type == DXGK_INTERRUPT_DMA_FAULTED ||
              report->type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) &&
             sink->faulted)
        sink->faulted(sink->ctx, report->physical, report->node, report->fence);
}

static bool report_take(struct host_reports *reports, struct vidmm_interrupt *report) {
    pthread_mutex_lock(&reports->lock);
    bool any = reports->count != 0;
    if (any) {
        *report = reports->ring[reports->first];
        reports->first = (reports->first + 1) % HOST_REPORTS;
        reports->count--;
    }
    pthread_mutex_unlock(&reports->lock);
    return any;
}

/* In order: one thread at a time takes and delivers. */
void host_reports_deliver(struct host_reports *reports) {
    static pthread_mutex_t delivering = PTHREAD_MUTEX_INITIALIZER;
    struct vidmm_interrupt report;
    pthread_mutex_lock(&delivering);
    while (report_take(reports, &report))
        report_deliver(&report);
    pthread_mutex_unlock(&delivering);
}
