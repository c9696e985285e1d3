/*
 * services.c - passes each request of user mode, and its result, to the file of its kind; and
 * judges the one paging operation that depends on the arguments of a reservation of addresses. The
 * player of user mode reports the requests (vidmm/services.h). watch/sizes.c and watch/lock.c get
 * their facts in the same way.
 */
#include "service/services.h"
#include "watch/watch.h"

void vidmm_referee_judge_request(struct vidmm_referee *referee,
                                 const struct vidmm_request_record *record) {
    pthread_mutex_lock(&referee->lock);
    switch (record->service) {
    case VIDMM_SERVICE_MAKE_RESIDENT:
    case VIDMM_SERVICE_EVICT:
    case VIDMM_SERVICE_SUBMIT:
    case VIDMM_SERVICE_TRIM:
    case VIDMM_SERVICE_BUDGET:
        service_residency(referee, record);
        break;
    case VIDMM_SERVICE_OFFER:
    case VIDMM_SERVICE_RECLAIM:
        service_offer(referee, record);
        break;
    case VIDMM_SERVICE_PROPERTIES:
        service_property(referee, record);
        break;
    case VIDMM_SERVICE_WORK:
        service_work(referee, &record->work);
        break;
    case VIDMM_SERVICE_LOCK:
        service_lock(referee, record);
        break;
    default:
        service_addresses(referee, record);
        break;
    }
    pthread_mutex_unlock(&referee->lock);
}

static NTSTATUS watch_BuildPagingBuffer(struct vidmm_referee *referee, const HANDLE adapter,
                                        DXGKARG_BUILDPAGINGBUFFER *args) {
    if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && args->MultipassOffset == 0) {
        pthread_mutex_lock(&referee->lock);
        service_update(referee, &args->UpdatePageTable);
        pthread_mutex_unlock(&referee->lock);
    }
    return referee->behind_services(adapter, args);
}
WATCHED_2(NTSTATUS, BuildPagingBuffer, const HANDLE, DXGKARG_BUILDPAGINGBUFFER *)

static NTSTATUS
watch_ValidateUpdateAllocationProperty(struct vidmm_referee *referee, const HANDLE adapter,
                                       const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *args) {
    DXGKARG_VALIDATEUPDATEALLOCPROPERTY wanted = *args;
    struct referee_call call;
    referee_enter(referee, &call, "DxgkDdiValidateUpdateAllocationProperty", REFEREE_REENTRANT);
    referee_leave(referee);
    NTSTATUS status = referee->real.DxgkDdiValidateUpdateAllocationProperty(adapter, args);
    referee_return(referee);
    referee->requests.consulted.wanted = wanted;
    referee->requests.consulted.agreed = status == STATUS_SUCCESS;
    referee_exit(referee, &call);
    return status;
}
WATCHED_2(NTSTATUS, ValidateUpdateAllocationProperty, const HANDLE,
          const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *)

void referee_watch_services(struct vidmm_referee *referee, DRIVER_INITIALIZATION_DATA *table) {
    referee->behind_services = table->DxgkDdiBuildPagingBuffer;
    service_forget(referee);
    WATCH(table, BuildPagingBuffer);
    referee->requests.consulted.agreed = false;
    referee->requests.consulted.wanted.hAllocation = NULL;
    WATCH(table, ValidateUpdateAllocationProperty);
}
