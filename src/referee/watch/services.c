/*
 * services.c - what user mode asked of the manager and was told, sent to the file of its kind;
 * and the one paging operation that shows what a reservation of addresses was made with. Who plays
 * user mode says it (vidmm/services.h); watch/sizes.c and watch/lock.c are its like.
 */
#include "service/services.h"

static PDXGKDDI_BUILDPAGINGBUFFER watched; /* watch/build.c's, behind this one */

void vidmm_referee_judge_told(struct vidmm_referee *made, const struct vidmm_told *told) {
    pthread_mutex_lock(&made->lock);
    switch (told->service) {
    case VIDMM_SERVICE_MAKE_RESIDENT:
    case VIDMM_SERVICE_EVICT:
    case VIDMM_SERVICE_SUBMIT:
    case VIDMM_SERVICE_TRIM:
    case VIDMM_SERVICE_BUDGET:
        service_residency(told);
        break;
    case VIDMM_SERVICE_OFFER:
    case VIDMM_SERVICE_RECLAIM:
        service_offer(told);
        break;
    case VIDMM_SERVICE_PROPERTIES:
        service_property(told);
        break;
    case VIDMM_SERVICE_WORK:
        service_work(&told->work);
        break;
    case VIDMM_SERVICE_LOCK:
        service_lock(told);
        break;
    default:
        service_addresses(told);
        break;
    }
    pthread_mutex_unlock(&made->lock);
}

static NTSTATUS APIENTRY see_BuildPagingBuffer(const HANDLE adapter,
                                               DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && args->MultipassOffset == 0) {
        pthread_mutex_lock(&referee->lock);
        service_update(&args->UpdatePageTable);
        pthread_mutex_unlock(&referee->lock);
    }
    return watched(adapter, args);
}

void referee_watch_services(DRIVER_INITIALIZATION_DATA *table) {
    watched = table->DxgkDdiBuildPagingBuffer;
    service_forget();
    WATCH(table, BuildPagingBuffer);
    property_watch(table);
}
