/*
 * harness.c - starts and stops a driver and a manager over it; see harness.h.
 *
 * The host passes its events to a sink that is connected before the device starts, because a driver
 * may interrupt at once; events before there is an adapter are dropped.
 */
#include "judging.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <vidmm/interfaces.h>
#include <vidmm/virtual.h>

/*
 * One host exists at a time in a process, and so does one harness's adapter. The manager sets it
 * before it calls the driver: work that it submits while starting completes through here.
 */
static struct vidmm_adapter *current;

static struct vidmm_adapter *adapter_now(void) {
    return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

/* Held while an event is passed to the adapter: a driver may report again a fence that no thread
 * waits for any more, and the adapter must not be destroyed meanwhile. */
static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;

static struct vidmm_adapter *begin_telling(void) {
    pthread_mutex_lock(&telling);
    return adapter_now();
}

static void end_telling(void) {
    pthread_mutex_unlock(&telling);
}

static void quiesce(void *ctx) {
    (void)ctx;
    pthread_mutex_lock(&telling);
    __atomic_store_n(&current, NULL, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&telling);
}

static void completed(void *ctx, uint32_t physical, uint32_t node, uint32_t fence) {
    struct vidmm_adapter *adapter = begin_telling();
    (void)ctx;
    if (adapter)
        vidmm_notify_completed(adapter, physical, node, fence);
    end_telling();
}

static void preempted(void *ctx, uint32_t physical, uint32_t node, uint32_t fence,
                      uint32_t last_completed) {
    struct vidmm_adapter *adapter = begin_telling();
    (void)ctx;
    if (adapter)
        vidmm_notify_preempted(adapter, physical, node, fence, last_completed);
    end_telling();
}

static void faulted(void *ctx, uint32_t physical, uint32_t node, uint32_t fence) {
    struct vidmm_adapter *adapter = begin_telling();
    (void)ctx;
    if (adapter)
        vidmm_notify_faulted(adapter, physical, node, fence);
    end_telling();
}

static void page_faulted(void *ctx, const struct vidmm_interrupt *report) {
    struct vidmm_adapter *adapter = begin_telling();
    const struct vidmm_page_fault error = {.physical = report->physical,
                                           .node = report->node,
                                           .fence = report->fence,
                                           .flags = report->flags,
                                           .address = report->address};
    (void)ctx;
    if (adapter)
        vidmm_notify_page_faulted(adapter, &error);
    end_telling();
}

static NTSTATUS create_context_allocation(void *ctx, DXGKARGCB_CREATECONTEXTALLOCATION *args) {
    struct vidmm_adapter *adapter = adapter_now();
    (void)ctx;
    return adapter ? vidmm_context_allocation_create(adapter, args) : STATUS_UNSUCCESSFUL;
}

static NTSTATUS destroy_context_allocation(void *ctx, HANDLE allocation) {
    struct vidmm_adapter *adapter = adapter_now();
    (void)ctx;
    return adapter ? vidmm_context_allocation_destroy(adapter, allocation) : STATUS_UNSUCCESSFUL;
}

static D3DGPU_VIRTUAL_ADDRESS
map_context_allocation(void *ctx, const DXGKARGCB_MAPCONTEXTALLOCATION *args, bool inside) {
    struct vidmm_adapter *adapter = adapter_now();
    (void)ctx;
    return adapter ? vidmm_context_allocation_map(adapter, args, inside) : 0;
}

static NTSTATUS update_context_allocation(void *ctx, const DXGKARGCB_UPDATECONTEXTALLOCATION *args,
                                          bool inside) {
    struct vidmm_adapter *adapter = adapter_now();
    (void)ctx;
    return adapter ? vidmm_context_allocation_update(adapter, args, inside) : STATUS_UNSUCCESSFUL;
}

static NTSTATUS reserve_addresses(void *ctx, DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *args) {
    struct vidmm_adapter *adapter = adapter_now();
    (void)ctx;
    return adapter ? vidmm_driver_reserve(adapter, args) : STATUS_UNSUCCESSFUL;
}

static void *handle_data(void *ctx, const DXGKARGCB_GETHANDLEDATA *data) {
    struct vidmm_adapter *adapter = adapter_now();
    (void)ctx;
    return adapter ? vidmm_handle_data(adapter, data->hObject) : NULL;
}

static const struct vidmm_host_sink sink = {
    .completed = completed,
    .preempted = preempted,
    .faulted = faulted,
    .page_faulted = page_faulted,
    .create_context_allocation = create_context_allocation,
    .destroy_context_allocation = destroy_context_allocation,
    .map_context_allocation = map_context_allocation,
    .update_context_allocation = update_context_allocation,
    .reserve_addresses = reserve_addresses,
    .handle_data = handle_data,
};

static struct vidmm_record *recording; /* of the next harness */

void vidmm_harness_record(struct vidmm_record *record) {
    recording = record;
}

struct vidmm_record *vidmm_harness_recording(void) {
    return recording;
}

/* Without a ledger the record counts calls itself. */
static void begin_record(struct vidmm_harness *harness, const struct vidmm_harness_judging *judging,
                         struct vidmm_host_config *config) {
    harness->record = recording;
    if (!recording)
        return;
    config->watcher = vidmm_record_watcher(recording);
    vidmm_record_ledger(recording, judging ? judging->ledger : NULL);
}

static enum vidmm_harness_result driver_failed(const struct vidmm_host_error *error, char *text,
                                               size_t text_size) {
    snprintf(text, text_size, "%s", error->text);
    return VIDMM_HARNESS_DRIVER_FAILED;
}

/* Stops after a failed start. Leaks break a rule in this case, too. */
static enum vidmm_harness_result give_up(struct vidmm_harness *harness, bool started,
                                         enum vidmm_harness_result result, char *text,
                                         size_t text_size) {
    struct vidmm_host_error stop = {.text = ""}, left = {.text = ""};
    bool stopped = !started || vidmm_host_stop(harness->host, &stop);
    bool clean = vidmm_host_destroy(harness->host, &left);
    harness->host = NULL;
    harness_judge_end(harness);
    if (stopped && clean)
        return result;
    size_t length = strlen(text);
    snprintf(text + length, text_size - length, "; on the way down: %s",
             stopped ? left.text : stop.text);
    return VIDMM_HARNESS_REFUSED;
}

enum vidmm_harness_result vidmm_harness_open_driver(const struct vidmm_host_config *host_config,
                                                    const struct vidmm_harness_judging *judging,
                                                    struct vidmm_harness *harness, char *text,
                                                    size_t text_size) {
    struct vidmm_host_config config = *host_config;
    struct vidmm_host_error error;
    *harness = (struct vidmm_harness){.host = NULL};
    if (judging && !harness_judge_begin(harness, judging, &config)) {
        snprintf(text, text_size, "out of memory for the referee, or there is one already");
        return VIDMM_HARNESS_DRIVER_FAILED;
    }
    begin_record(harness, judging, &config);
    if (!vidmm_host_create(&config, &harness->host, &error)) {
        harness_judge_end(harness);
        return driver_failed(&error, text, text_size);
    }
    vidmm_host_set_sink(harness->host, &sink);
    harness_judge_see(harness);
    if (!vidmm_host_start(harness->host, &error))
        return give_up(harness, false, driver_failed(&error, text, text_size), text, text_size);
    harness->table = *vidmm_host_ddi(harness->host);
    if (judging && judging->spoil_manager)
        judging->spoil_manager(&harness->table);
    harness->spoken = harness->table;
    return VIDMM_HARNESS_OK;
}

static void harness_speak(struct vidmm_harness *harness) {
    struct vidmm_adapter_info info;
    vidmm_adapter_info(harness->adapter, &info);
    harness->spoken = harness->table;
    vidmm_interface_cut(&harness->spoken, info.interface_version);
}

enum vidmm_status vidmm_harness_start_manager(struct vidmm_harness *harness,
                                              const struct vidmm_adapter_config *adapter_config,
                                              struct vidmm_error *error) {
    struct vidmm_adapter_config config = *adapter_config;
    harness_judge_see(harness);
    config.os = harness_judge_os(harness);
    config.ddi = &harness->table;
    config.linked = vidmm_host_linked(harness->host);
    config.hadapter = vidmm_host_adapter(harness->host);
    config.quiesce = quiesce;
    vidmm_host_set_sink(harness->host, &sink); /* another one may have had it meanwhile */
    if (harness->record)
        config.observer = vidmm_record_observer(harness->record, config.observer);
    enum vidmm_status status = vidmm_adapter_start(&config, &current, error);
    harness->adapter = status == VIDMM_OK ? current : NULL;
    if (harness->adapter) {
        harness_speak(harness);
        vidmm_record_segments(harness->record, harness->adapter);
    }
    harness_judge_sizes(harness);
    return status;
}

void vidmm_harness_stop_manager(struct vidmm_harness *harness) {
    vidmm_adapter_stop(harness->adapter);
    harness->adapter = NULL;
}

enum vidmm_harness_result
vidmm_harness_open_judged(const struct vidmm_host_config *host_config,
                          const struct vidmm_adapter_config *adapter_config,
                          const struct vidmm_harness_judging *judging,
                          struct vidmm_harness *harness, char *text, size_t text_size) {
    struct vidmm_error error;
    enum vidmm_harness_result opened =
        vidmm_harness_open_driver(host_config, judging, harness, text, text_size);
    if (opened != VIDMM_HARNESS_OK)
        return opened;
    if (vidmm_host_displays_only(harness->host)) {
        snprintf(text, text_size,
                 "the driver only displays: it has no memory to manage; vidmm "
                 "check examines how it starts and what it answers");
        return give_up(harness, true, VIDMM_HARNESS_DRIVER_FAILED, text, text_size);
    }
    if (vidmm_harness_start_manager(harness, adapter_config, &error) != VIDMM_OK) {
        vidmm_error_text(&error, text, text_size);
        bool refused = error.status == VIDMM_DRIVER_BROKE_RULE;
        return give_up(harness, true, refused ? VIDMM_HARNESS_REFUSED : VIDMM_HARNESS_DRIVER_FAILED,
                       text, text_size);
    }
    return VIDMM_HARNESS_OK;
}

enum vidmm_harness_result vidmm_harness_open(const struct vidmm_host_config *host_config,
                                             const struct vidmm_adapter_config *adapter_config,
                                             struct vidmm_harness *harness, char *text,
                                             size_t text_size) {
    return vidmm_harness_open_judged(host_config, adapter_config, NULL, harness, text, text_size);
}

enum vidmm_harness_result vidmm_harness_close(struct vidmm_harness *harness, char *text,
                                              size_t text_size) {
    struct vidmm_host_error stop = {.text = ""}, left = {.text = ""};
    if (!harness->host)
        return VIDMM_HARNESS_OK;
    vidmm_harness_stop_manager(harness);
    bool stopped = vidmm_host_stop(harness->host, &stop);
    bool clean = vidmm_host_destroy(harness->host, &left);
    harness->host = NULL;
    harness_judge_end(harness);
    if (!stopped)
        return driver_failed(&stop, text, text_size);
    return clean ? VIDMM_HARNESS_OK : driver_failed(&left, text, text_size);
}
