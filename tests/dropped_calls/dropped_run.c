/*
 * dropped_run.c - see dropped_run.h. A harness is all that a process has, so each run has a
 * process, a copy of one that has read the scene's workload; it may crash or hang.
 */
#include "dropped_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vidmm/run.h>
#include <vidmm/softgpu.h>

#define AT_ONCE      3u
#define SECONDS      60u
#define MEMORY_BYTES (UINT64_C(512) << 20)

/* In memory that the processes share. */
struct copy {
    struct dropped_seen seen;
    bool finished, wrong;
    char text[512];
    struct vidmm_ledger ledger;
};

static struct {
    const struct scene *scene;
    struct vidmm_workload workload;
    struct vidmm_player *player;
    struct vidmm_harness harness;
    struct vidmm_ledger *ledger; /* of the run */
    struct copy *copies;         /* AT_ONCE of them */
} world;

/* ---- In a copy ------------------------------------------------------------------------------- */

/* The reference driver, its allocations flagged as those are whose residency is told. */
static DRIVER_INITIALIZATION_DATA driver;

static NTSTATUS APIENTRY create_told(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    NTSTATUS status = driver.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++) {
        args->pAllocationInfo[i].FlagsWddm2.AccessedPhysically = 1;
        args->pAllocationInfo[i].FlagsWddm2.ExplicitResidencyNotification = 1;
    }
    return status;
}

static void want_notices(DRIVER_INITIALIZATION_DATA *table) {
    driver = *table;
    if (world.scene->notices)
        table->DxgkDdiCreateAllocation = create_told;
}

static bool open_harness(char *text, size_t size) {
    struct vidmm_host_setting settings[SCENE_SETTINGS + 1];
    struct vidmm_host_config host = {.driver_entry = vidmm_softgpu_entry,
                                     .model = waits_hardware(),
                                     .settings = settings,
                                     .memory_bytes = MEMORY_BYTES,
                                     .seed = 1};
    settings[host.setting_count++] = (struct vidmm_host_setting){"VramBytes", world.scene->vram};
    for (uint32_t i = 0; i < SCENE_SETTINGS && world.scene->settings[i].name; i++)
        settings[host.setting_count++] = world.scene->settings[i];
    world.player = vidmm_player_create(&world.workload);
    if (!world.player)
        return false;
    const struct vidmm_adapter_config adapter = {.observer = vidmm_player_observer(world.player),
                                                 .model = VIDMM_MODEL_GPUMMU};
    const struct vidmm_harness_judging judging = {
        .ledger = world.ledger, .spoil_driver = want_notices, .spoil_manager = operation_install};
    if (vidmm_harness_open_judged(&host, &adapter, &judging, &world.harness, text, size) !=
        VIDMM_HARNESS_OK)
        return false;
    operation_in(&world.harness);
    struct dropped_seen *seen = dropped_seen();
    memcpy(seen->begins, seen->occasions, sizeof(seen->begins));
    return true;
}

static void replay(struct copy *copy) {
    const struct vidmm_play_options options = {.frame_limit = world.scene->frames};
    static struct vidmm_play_result result;
    char left[256] = "";
    (void)vidmm_player_run(world.player, &world.harness, &options, &result, copy->text,
                           sizeof(copy->text));
    copy->wrong = result.mismatched_bytes != 0;
    if (vidmm_harness_close(&world.harness, left, sizeof(left)) != VIDMM_HARNESS_OK &&
        copy->text[0] == 0)
        snprintf(copy->text, sizeof(copy->text), "%s", left);
}

/* Of CPU time, so that a busy machine breaks nothing; a copy that sleeps for ever ends later. */
static void limit_time(void) {
    const struct rlimit limit = {SECONDS, SECONDS};
    (void)setrlimit(RLIMIT_CPU, &limit);
    alarm(10 * SECONDS);
}

static void run_copy(const struct dropped_call *dropped_call, struct copy *copy) {
    limit_time();
    dropped_begin(dropped_call, &copy->seen);
    world.ledger = &copy->ledger;
    if (open_harness(copy->text, sizeof(copy->text)))
        replay(copy);
    copy->finished = true;
    _exit(0);
}

static pid_t start(const struct dropped_call *dropped_call, struct copy *copy) {
    memset(copy, 0, sizeof(*copy));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        run_copy(dropped_call, copy);
    return child;
}

/* ---- What came of it ------------------------------------------------------------------------- */

/* The first rule that the manager broke, or NULL. */
static const struct vidmm_finding *finding_of(const struct vidmm_ledger *ledger) {
    for (uint32_t i = 0; i < ledger->findings; i++) {
        const struct vidmm_finding *finding = &ledger->finding[i];
        if (finding->kind == VIDMM_FINDING_RULE && finding->who == VIDMM_SIDE_MANAGER)
            return finding;
    }
    return NULL;
}

static void judge(const struct copy *copy, int status, struct verdict *verdict) {
    const struct vidmm_finding *finding = finding_of(&copy->ledger);
    memset(verdict, 0, sizeof(*verdict));
    snprintf(verdict->what, sizeof(verdict->what), "%s", copy->seen.what);
    snprintf(verdict->text, sizeof(verdict->text), "%s", copy->text);
    verdict->outcome = OUTCOME_SURVIVED;
    if (!copy->finished || !copy->seen.hit) {
        verdict->outcome = OUTCOME_BROKEN;
        snprintf(verdict->text, sizeof(verdict->text), "%s, status 0x%x",
                 copy->finished ? "it did not come to that" : "the process died", status);
    } else if (finding) {
        verdict->outcome = OUTCOME_REFEREE;
        verdict->rule = finding->rule;
        vidmm_finding_text(finding, verdict->text, sizeof(verdict->text));
    } else if (copy->wrong) {
        verdict->outcome = OUTCOME_ORACLE;
    } else if (copy->seen.equal) {
        verdict->outcome = OUTCOME_EQUAL;
        verdict->equal = copy->seen.equal;
    }
}

/* ---- A scene --------------------------------------------------------------------------------- */

/* A file beside the test, a generator, or a recording. */
static bool find(const char *name, char *text, size_t size) {
    struct vidmm_workload_error error;
    const char *beside = getenv("DROPPED_FILES");
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", beside ? beside : ".", name);
    if (!vidmm_run_find(access(path, R_OK) == 0 ? path : name, 1, &world.workload, &error)) {
        snprintf(text, size, "%s", error.text);
        return false;
    }
    return true;
}

static void *shared(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

bool run_begin(const struct scene *scene, struct dropped_seen *seen, char *text, size_t size) {
    const struct dropped_call none = {.on = false};
    int status;
    world.scene = scene;
    world.copies = shared(AT_ONCE * sizeof(*world.copies));
    if (!world.copies || !find(scene->workload, text, size))
        return false;
    struct copy *copy = &world.copies[0];
    pid_t child = start(&none, copy);
    bool good = child > 0 && waitpid(child, &status, 0) == child && copy->finished;
    *seen = copy->seen;
    snprintf(text, size, "%s", good ? copy->text : "it died");
    if (copy->ledger.findings != 0)
        vidmm_finding_text(&copy->ledger.finding[0], text, size);
    return good && text[0] == 0;
}

void run_end(void) {
    if (world.copies)
        munmap(world.copies, AT_ONCE * sizeof(*world.copies));
    vidmm_workload_free(&world.workload);
    memset(&world, 0, sizeof(world));
}

/* The copy that ended; AT_ONCE: none. */
static uint32_t await(const pid_t *child, int *status) {
    uint32_t i = 0;
    pid_t ended = waitpid(-1, status, 0);
    while (i < AT_ONCE && (ended <= 0 || child[i] != ended))
        i++;
    return i;
}

bool run_each(const struct dropped_call *dropped_calls, uint32_t count, struct verdict *verdicts) {
    pid_t child[AT_ONCE] = {0};
    uint32_t index[AT_ONCE], next = 0, busy = 0;
    while (busy != 0 || next < count) {
        int status = 0;
        uint32_t i = 0;
        while (i < AT_ONCE && child[i] != 0)
            i++;
        if (i < AT_ONCE && next < count) {
            index[i] = next;
            child[i] = start(&dropped_calls[next++], &world.copies[i]);
            busy++;
            continue;
        }
        i = await(child, &status);
        if (i == AT_ONCE)
            return false;
        judge(&world.copies[i], status, &verdicts[index[i]]);
        child[i] = 0;
        busy--;
    }
    return true;
}
