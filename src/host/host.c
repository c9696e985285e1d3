/*
 * host.c - creates and destroys a host, and reports its leaks; each part has a file of its own.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/asked.h"
#include "base/in_use.h"
#include "base/stack.h"
#include "base/thread.h"
#include "base/world.h"
#include "memory/bars.h"
#include "memory/contiguous.h"
#include "memory/gart.h"
#include "memory/iommu.h"
#include "memory/mdl.h"
#include "memory/physical.h"
#include "memory/pool.h"
#include "kernel/clock.h"
#include "kernel/device_log.h"
#include "kernel/dispatcher.h"
#include "kernel/dpc.h"
#include "kernel/engines.h"
#include "kernel/event_handles.h"
#include "kernel/ex_timers.h"
#include "kernel/handles.h"
#include "kernel/interrupt.h"
#include "kernel/callback.h"
#include "kernel/irql.h"
#include "kernel/kernel_stack.h"
#include "kernel/sections.h"
#include "kernel/virtual_memory.h"
#include "kernel/stall.h"
#include "kernel/threads.h"
#include "kernel/work.h"
#include "kernel/timers.h"
#include "driver/beside.h"
#include "driver/chain.h"
#include "driver/device.h"
#include "driver/device_timer.h"
#include "driver/object_names.h"
#include "driver/driver.h"
#include "driver/irps.h"
#include "driver/loader.h"
#include "driver/registry_keys.h"
#include "driver/tally.h"
#include "driver/thunks.h"
#include "trap/faults.h"
#include "left.h"
#include "model.h"
#include "os.h"
#include "places.h"

#define DEFAULT_MEMORY ((uint64_t)4 << 30)
#define LEAST_MEMORY   ((uint64_t)1 << 20)
#define MOST_MEMORY    ((uint64_t)128 << 30)
/* vidmm_host_run_until looks so soon, then after twice as long each time, for so long at most: each look costs
 * a turn of all that runs beside. */
#define WAIT_NS      UINT64_C(1000000)
#define LAST_WAIT_NS (WAIT_NS << 7)
#define MOST_WAIT_NS UINT64_C(2000000000)

/* A host and its parts. */
struct whole {
    struct vidmm_host host;
    struct host_physical physical;
    struct host_mdls mdls;
    struct host_contiguous contiguous;
    struct host_pool pool;
    struct host_bars bars;
    struct host_iommu iommu;
    struct host_gart gart;
    struct host_engines engines;
    struct host_interrupt interrupt[HOST_LINKED_MOST];
    struct host_dpcs dpcs;
    struct host_beside beside;
    struct host_driver driver;
    struct host_device device[HOST_LINKED_MOST];
    struct host_board board[HOST_LINKED_MOST];
    struct host_thunks thunks;
    struct host_tallies tallies;
    struct host_module module, model_module, second_module; /* of a model for the second adapter */
    bool physical_made, pool_made;
};

static struct whole *whole_of(struct vidmm_host *host) {
    return (struct whole *)host;
}

static pthread_mutex_t one_host = PTHREAD_MUTEX_INITIALIZER;

/* ---- Building -------------------------------------------------------------------------------- */

/* The settings outlive the caller's: names are copied behind the array. */
static bool copy_settings(struct vidmm_host *host, const struct vidmm_host_config *config) {
    size_t size = 0, count = config->setting_count;
    for (size_t i = 0; i < count; i++)
        size += strlen(config->settings[i].name) + 1;
    host->settings = malloc(count * sizeof(*host->settings) + size + 1);
    if (!host->settings)
        return false;
    char *names = (char *)(host->settings + count);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(config->settings[i].name) + 1;
        memcpy(names, config->settings[i].name, length);
        host->settings[i] = (struct vidmm_host_setting){names, config->settings[i].value};
        names += length;
    }
    return true;
}

static bool check_config(const struct vidmm_host_config *config, struct vidmm_host_error *error) {
    if (!config->driver_path && !config->driver_entry)
        return host_fail(error, "no driver: neither a shared object nor a linked-in DriverEntry");
    if (config->memory_bytes != 0 &&
        (config->memory_bytes < LEAST_MEMORY || config->memory_bytes > MOST_MEMORY))
        return host_fail(error, "system memory must be between 1 MiB and 128 GiB");
    if (config->linked > HOST_LINKED_MOST)
        return host_fail(error, "a logical adapter has at most 4 linked physical adapters");
    for (uint32_t i = 0; i < config->setting_count; i++)
        if (!config->settings[i].name)
            return host_fail(error, "a setting has no name");
    return !config->model || host_model_check(config->model, error);
}

static bool make_board(struct vidmm_host *host, uint32_t board, struct vidmm_host_error *error) {
    struct vidmm_hw_bar bars[VIDMM_HW_BARS] = {{.kind = VIDMM_HW_BAR_NONE}};
    bool model = host->model[board];
    if (model && !host_model_make(host, &whole_of(host)->board[board], bars, error))
        return false;
    if (!host_may_allocate() || !host_bars_place(host->bars, board, model ? bars : NULL))
        return host_fail(error, "no room for the BARs of the adapter");
    host_device_configure(&host->device[board]);
    return true;
}

/*
 * A model of one board may keep what it is in variables, so the second adapter has a copy of its shared object. A
 * model that is no shared object may make no other board, or give the same: then there is no second adapter.
 */
static void make_second(struct vidmm_host *host) {
    struct vidmm_host_error alone = {.text = ""};
    const uint32_t board = host->linked;
    if (whole_of(host)->model_module.shared)
        (void)host_load_model_copy(host->config.model_path, &whole_of(host)->second_module,
                                   &host->model[board], &alone);
    bool made = make_board(host, board, &alone);
    if (made && (!host->hw[board] || host->hw[board] != host->hw[0]))
        return;
    if (host->hw[board] && host->hw[board] != host->hw[0])
        host->model[board]->destroy(host->hw[board]);
    host->hw[board] = NULL;
    host->boards = host->linked;
}

static bool make_boards(struct vidmm_host *host, struct vidmm_host_error *error) {
    for (uint32_t board = 0; board < host->boards; board++)
        host->model[board] = host->config.model;
    for (uint32_t board = 0; board < host->linked; board++)
        if (!make_board(host, board, error))
            return false;
    if (host->boards > host->linked)
        make_second(host);
    return true;
}

/* A model from a shared object replaces a linked-in one. */
static bool load_model(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_config *config = &host->config;
    if (config->model || !config->model_path)
        return true;
    return host_load_model(config->model_path, &whole_of(host)->model_module, &config->model,
                           error) &&
           host_model_check(config->model, error);
}

/* Everything below the driver. */
static bool make_machine(struct vidmm_host *host, struct vidmm_host_error *error) {
    const struct vidmm_host_config *config = &host->config;
    struct host_physical_plan plan = {.bytes = config->memory_bytes != 0 ? config->memory_bytes
                                                                         : DEFAULT_MEMORY,
                                      .high = config->high_bytes,
                                      .seed = config->seed,
                                      .no_content = config->no_content,
                                      .keep = config->keep_memory};
    if (!load_model(host, error) || !host_model_reached(config->model, &plan, error))
        return false;
    if (!host_may_allocate() || !host_physical_init(host->physical, &plan))
        return host_fail(error, "no room for the simulated system memory");
    whole_of(host)->physical_made = true;
    if (!host_may_allocate() || !host_pool_init(host->pool, host->physical))
        return host_fail(error, "out of memory for the driver's pool");
    whole_of(host)->pool_made = true;
    if (!host_os_take_dummy())
        return host_fail(error, "out of memory for the dummy page");
    uint64_t agp = host_gart_wanted(host->settings, host->config.setting_count);
    if (agp && (!host_may_allocate() || !host_gart_init(host->gart, agp)))
        return host_fail(error, "no room for the AGP aperture");
    return make_boards(host, error);
}

static bool make_driver(struct vidmm_host *host, struct vidmm_host_error *error) {
    DRIVER_INITIALIZE *entry = host->config.driver_entry;
    if (host->config.driver_path &&
        !host_load(host->config.driver_path, &whole_of(host)->module, &entry, error))
        return false;
    host_os_fill(&host->os);
    host_faults_ask(vidmm_host_crash_places);
    if (!host_faults_install())
        return host_fail(error, "the signals of faulting instructions could not be taken over");
    bool entered = host_driver_enter(host, entry, error);
    host_load_entered(&whole_of(host)->module);
    return entered;
}

static void connect_parts(struct whole *whole) {
    struct vidmm_host *host = &whole->host;
    host->physical = &whole->physical;
    host->mdls = &whole->mdls;
    host->contiguous = &whole->contiguous;
    host->pool = &whole->pool;
    host->bars = &whole->bars;
    host->iommu = &whole->iommu;
    host->gart = &whole->gart;
    host->engines = &whole->engines;
    host->interrupt = whole->interrupt;
    host->dpcs = &whole->dpcs;
    host->beside = &whole->beside;
    host->driver = &whole->driver;
    host->device = whole->device;
    host->thunks = &whole->thunks;
    host->tallies = &whole->tallies;
}

static void init_boards(struct whole *whole) {
    struct vidmm_host *host = &whole->host;
    host->linked = host->config.linked != 0 ? host->config.linked : 1;
    host->boards = host->linked + (host->config.second && host->linked == 1);
    for (uint32_t board = 0; board < host->boards; board++) {
        whole->board[board].index = board;
        host->board_of[board] = board;
        host_interrupt_init(&host->interrupt[board]);
        host_device_init(&host->device[board], board);
    }
    host->driver->object.DeviceObject = &host->device[0].physical;
}

static struct vidmm_host *new_host(const struct vidmm_host_config *config) {
    struct whole *whole = calloc(1, sizeof(*whole));
    if (!whole || !copy_settings(&whole->host, config)) {
        free(whole);
        return NULL;
    }
    struct vidmm_host *host = &whole->host;
    connect_parts(whole);
    host->config = *config;
    host->config.settings = host->settings;
    if (config->interposer)
        host->interposer = *config->interposer;
    host->allocations.fail_at = config->fail_at;
    host->allocations.allocating = config->allocating;
    host->allocations.allocating_ctx = config->allocating_ctx;
    host_violations_init(&host->violations);
    host_tracking_init(&host->tracking, config->track ? host_place_stack : NULL);
    host_asked_clear();
    host_mdls_init(host->mdls);
    host_contiguous_init(host->contiguous);
    host_iommu_init(host->iommu);
    host_engines_init(host->engines, config->threads);
    host_bars_init(host->bars);
    host_dpcs_init(host->dpcs);
    host_beside_init(host->beside);
    host_stack_begin();
    host_driver_init(host->driver);
    init_boards(whole);
    return host;
}

/* Frees the parts of a host that exist, in the opposite order. No driver code runs any more. */
static void delete_host(struct vidmm_host *host) {
    host_engines_stop(host->engines);
    host_timers_clear();
    host_threads_forget();
    host_handles_done();
    host_keys_done();
    host_work_forget();
    host_callbacks_forget();
    host_models_destroy(host);
    host_faults_remove();
    host_unload(&whole_of(host)->module);
    host_unload(&whole_of(host)->model_module);
    host_unload(&whole_of(host)->second_module);
    host_bars_done(host->bars);
    host_iommu_done(host->iommu);
    host_gart_done(host->gart);
    host_mdls_done(host->mdls);
    host_contiguous_done(host->contiguous);
    if (whole_of(host)->pool_made)
        host_pool_done(host->pool);
    if (whole_of(host)->physical_made)
        host_physical_done(host->physical);
    for (uint32_t board = 0; board < host->boards; board++) {
        host_device_done(&host->device[board]);
        host_interrupt_done(&host->interrupt[board]);
    }
    host_beside_done(host->beside);
    host_dpcs_done(host->dpcs);
    host_engines_done(host->engines);
    host_violations_done(&host->violations);
    host_tracking_done(&host->tracking);
    free(host->settings);
    host_world = NULL;
    free(host);
    pthread_mutex_unlock(&one_host);
}

bool vidmm_host_create(const struct vidmm_host_config *config, struct vidmm_host **out,
                       struct vidmm_host_error *error) {
    struct vidmm_host_error unused;
    error = error ? error : &unused;
    *out = NULL;
    memset(error, 0, sizeof(*error));
    if (!check_config(config, error))
        return false;
    if (pthread_mutex_trylock(&one_host) != 0)
        return host_fail(error, "this process has a host already: one exists at a time");
    host_irql_set(PASSIVE_LEVEL);
    host_world = new_host(config);
    if (!host_world) {
        pthread_mutex_unlock(&one_host);
        return host_fail(error, "out of memory for the host");
    }
    host_faults_begin();
    if (make_machine(host_world, error) && make_driver(host_world, error)) {
        *out = host_world;
        return true;
    }
    if (host_threads_left() == 0) /* started by the DriverEntry that failed */
        delete_host(host_world);
    return false;
}

bool vidmm_host_start(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_error unused;
    error = error ? error : &unused;
    memset(error, 0, sizeof(*error));
    if (!host_engines_start(host->engines))
        return host_fail(error, "no threads for the engines of the hardware model");
    return host_chain_start(host, error);
}

bool vidmm_host_stop(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_error unused;
    error = error ? error : &unused;
    memset(error, 0, sizeof(*error));
    return host_chain_stop(host, error);
}

uint32_t vidmm_host_children(const struct vidmm_host *host) {
    return host->device[0].children;
}

uint32_t vidmm_host_sources(const struct vidmm_host *host) {
    return host->device[0].sources;
}

bool vidmm_host_leave_display(struct vidmm_host *host, uint32_t target) {
    if (!host_device_gives_back(&host->device[0]))
        return false;
    host->driver->left = true;
    host->driver->left_target = target;
    return true;
}

bool vidmm_host_rebalance(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_error unused;
    error = error ? error : &unused;
    memset(error, 0, sizeof(*error));
    return host_chain_rebalance(host, error);
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Memory that a thread of the driver may still use is not freed; this process cannot have another
 * host. */
static bool host_abandon(uint32_t threads, struct vidmm_host_error *error) {
    snprintf(error->text, sizeof(error->text),
             "%u running system threads were left behind after DxgkDdiUnload", threads);
    host_left_tell(HOST_TRACKED_THREAD, error->text);
    return false;
}

bool vidmm_host_destroy(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_error unused;
    error = error ? error : &unused;
    memset(error, 0, sizeof(*error));
    host_left_begin();
    host_driver_unload(host);
    uint32_t before = vidmm_host_violations(host);
    host_pool_check(host->pool);
    host_engines_stop(host->engines);
    host_device_log_end();
    uint32_t threads = host_threads_left();
    if (threads != 0)
        return host_abandon(threads, error);
    struct host_left left = {.violations_before = before};
    left.timers = host_timers_clear();
    left.ex_timers = host_ex_timers_forget();
    left.events = host_events_forget();
    left.keys = host_handles_forget(HOST_HANDLE_KEY);
    left.sections = host_sections_forget();
    host_regions_forget();
    left.directories = host_directories_forget();
    host_device_timers_forget();
    host_driver_extensions_done();
    left.handles = host_threads_forget();
    left.work_items = host_work_forget();
    left.callbacks = host_callbacks_forget();
    left.resources = host_in_use_left(HOST_IN_USE_RESOURCE);
    left.lookasides = host_in_use_left(HOST_IN_USE_LOOKASIDE);
    host_in_use_forget();
    host_models_destroy(host);
    bool good = host_left_nothing(host, &left, error);
    delete_host(host);
    return good;
}

/* ---- Small questions ------------------------------------------------------------------------- */

void vidmm_host_set_sink(struct vidmm_host *host, const struct vidmm_host_sink *sink) {
    host->sink = sink ? *sink : (struct vidmm_host_sink){.ctx = NULL};
}

bool vidmm_host_displays_only(struct vidmm_host *host) {
    return host->driver->displays_only;
}

bool vidmm_host_second_start(struct vidmm_host *host, struct vidmm_host_error *error) {
    memset(error, 0, sizeof(*error));
    return host_chain_start_second(host, error);
}

bool vidmm_host_first_stop(struct vidmm_host *host, struct vidmm_host_error *error) {
    memset(error, 0, sizeof(*error));
    return host_chain_stop_first(host, error);
}

void vidmm_host_turn(struct vidmm_host *host, bool second) {
    if (host->boards > host->linked)
        host->board_of[0] = second;
}

uint32_t vidmm_host_linked(struct vidmm_host *host) {
    return host->linked;
}

const struct vidmm_os *vidmm_host_os(struct vidmm_host *host) {
    return &host->os;
}

uint64_t vidmm_host_allocations(struct vidmm_host *host) {
    return atomic_load(&host->allocations.count);
}

void vidmm_host_fail_at(struct vidmm_host *host, uint64_t number) {
    atomic_store_explicit(&host->allocations.fail_at, number, memory_order_relaxed);
}

uint64_t vidmm_host_pool_blocks(struct vidmm_host *host) {
    struct host_pool_left left;
    host_pool_left(host->pool, &left);
    return left.blocks;
}

bool vidmm_host_left_on_stack(const void *address) {
    return host_stack_has((uintptr_t)address) && (uintptr_t)address < host_stack.driver;
}

bool vidmm_host_failed_once(struct vidmm_host *host) {
    return atomic_load(&host->allocations.failed);
}

const char *vidmm_host_doing(void) {
    return host_self.in_model != 0 ? "the hardware model" : host_self.doing;
}

const char *vidmm_host_refused_in(const char *call) {
    size_t length = host_self.refused ? strlen(host_self.refused_in) : 0;
    bool same = host_self.refused && strncmp(call, "DxgkDdi", 7) == 0 &&
                strncmp(call + 7, host_self.refused_in, length) == 0 &&
                !isalnum((unsigned char)call[7 + length]);
    return same ? host_self.refused : NULL;
}

const char *vidmm_host_calling(void) {
    return host_self.call;
}

void vidmm_host_run(struct vidmm_host *host) {
    if (host->engines->threaded)
        host_sleep(host_now() + 1000000);
    else
        host_run_all();
}

bool vidmm_host_run_until(struct vidmm_host *host, bool (*done)(const void *ctx), const void *ctx) {
    vidmm_host_run(host);
    uint64_t end = host_now() + MOST_WAIT_NS;
    for (uint64_t wait = WAIT_NS; !done(ctx) && host_now() < end;
         wait = wait < LAST_WAIT_NS ? 2 * wait : wait)
        (void)host_sleep(host_now() + wait);
    return done(ctx);
}

void vidmm_host_hold_engines(struct vidmm_host *host, bool held) {
    atomic_store(&host->engines->held, held);
}

void vidmm_host_hold_interrupts(struct vidmm_host *host, bool held) {
    (void)host;
    host_interrupts_hold(held);
}

void vidmm_host_hold_dpcs(struct vidmm_host *host, bool held) {
    (void)host;
    host_dpcs_hold(held);
}

void vidmm_host_pass(struct vidmm_host *host, uint64_t ns) {
    KIRQL old = host_irql_raise(DISPATCH_LEVEL);
    (void)host;
    host_stall(ns);
    host_irql_lower(old);
}

uint32_t vidmm_host_stray_interrupts(const struct vidmm_host *host) {
    return atomic_load(&host->interrupt[host->board_of[0]].stray);
}

bool vidmm_host_ask_interrupt(struct vidmm_host *host, struct vidmm_host_asked *asked) {
    return host_interrupt_ask(&host->interrupt[host->board_of[0]], asked);
}

static void *hw_of(const struct vidmm_host *host, uint32_t physical) {
    return host->hw[host->board_of[physical]];
}

/* NULL: there is no such board, or no model. */
static const struct vidmm_hw_model *model_of(const struct vidmm_host *host, uint32_t physical) {
    return physical < host->linked ? host->model[host->board_of[physical]] : NULL;
}

/* peek(), translate() and the like raise no interrupts. Their caller may hold locks that a DPC takes, so
 * other threads deliver pending interrupts. */
static void look_begin(void) {
    host_self.in_model++;
    host_self.looking = true;
}

static void look_end(void) {
    host_self.looking = false;
    host_self.in_model--;
}

const void *vidmm_host_peek(struct vidmm_host *host, uint32_t physical, uint64_t gpu_address,
                            size_t size) {
    const struct vidmm_hw_model *model = model_of(host, physical);
    if (!model || !model->peek)
        return NULL;
    look_begin();
    const void *bytes = model->peek(hw_of(host, physical), gpu_address, size);
    look_end();
    return bytes;
}

bool vidmm_host_translate(struct vidmm_host *host, uint32_t physical, uint64_t root,
                          uint32_t entries, uint64_t va, struct vidmm_hw_translation *out) {
    const struct vidmm_hw_model *model = model_of(host, physical);
    if (!model || !model->translate)
        return false;
    look_begin();
    bool there = model->translate(hw_of(host, physical), root, entries, va, out);
    look_end();
    return there;
}

bool vidmm_host_snoops(struct vidmm_host *host, uint32_t physical, uint64_t gpu_address,
                       bool *snoops) {
    const struct vidmm_hw_model *model = model_of(host, physical);
    if (!model || !model->snoops)
        return false;
    look_begin();
    bool there = model->snoops(hw_of(host, physical), gpu_address, snoops);
    look_end();
    return there;
}

bool vidmm_host_shared(struct vidmm_host *host, uint32_t pasid, uint64_t va) {
    size_t size = 1;
    (void)host;
    return host_iommu_translate(NULL, pasid, va, &size);
}

bool vidmm_host_scanout(struct vidmm_host *host, uint32_t physical, uint32_t head,
                        struct vidmm_hw_scanout *out) {
    const struct vidmm_hw_model *model = model_of(host, physical);
    if (!model || !model->scanout)
        return false;
    look_begin();
    bool there = model->scanout(hw_of(host, physical), head, out);
    look_end();
    return there;
}

bool vidmm_host_power(struct vidmm_host *host, enum vidmm_hw_power power) {
    const struct vidmm_hw_model *model = host->config.model;
    if (!model || !model->power)
        return false;
    look_begin();
    for (uint32_t board = 0; board < host->boards; board++)
        host->model[board]->power(host->hw[board], power);
    look_end();
    return true;
}

uint64_t vidmm_host_reach(struct vidmm_host *host) {
    const struct vidmm_hw_model *model = host->config.model;
    return model && !model->machine_reach ? model->reaches_to : 0;
}

bool vidmm_host_root(struct vidmm_host *host, uint32_t physical, uint32_t engine, uint64_t *root) {
    const struct vidmm_hw_model *model = model_of(host, physical);
    if (!model || !model->root || engine >= model->engines)
        return false;
    look_begin();
    bool there = model->root(hw_of(host, physical), engine, root);
    look_end();
    return there;
}

void *vidmm_host_io(struct vidmm_host *host, uint64_t pa, size_t size) {
    return host->os.io_map(host->os.ctx, pa, size);
}

void vidmm_host_low_memory(struct vidmm_host *host) {
    host_physical_lower(host->physical);
}

void *vidmm_host_memory(struct vidmm_host *host, uint64_t pa, size_t size) {
    return host_physical_pointer(host->physical, pa, size);
}
