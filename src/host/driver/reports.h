/*
 * reports.h - holds reports of DxgkCbNotifyInterrupt until DxgkCbNotifyDpc, because the real
 * scheduler reads them only then.
 */
#ifndef HOST_REPORTS_H
#define HOST_REPORTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <dispmprt.h>
#include <d3dkmddi.h>

#include <vidmm/interrupt.h>

#define HOST_REPORTS 1024u

struct host_reports {
    pthread_mutex_t lock;
    struct vidmm_interrupt ring[HOST_REPORTS]; /* reports that have not gone to the sink yet */
    uint32_t first, count;
};

/* false: there is no room for one more. */
bool host_report_keep(struct host_reports *reports, const struct vidmm_interrupt *report);
/* Passes the reports of one device to the host's sink, in order. */
void host_reports_deliver(struct host_reports *reports);

#endif
