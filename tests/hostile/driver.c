/*
 * driver.c - the example driver ring, which in one function of its table, chosen by the setting Slot, does
 * to its process what no driver may do, chosen by the setting Act.
 *
 * It acts once in a life of the driver. HOSTILE_SEEN names a file that it makes before.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../drivers/common/skeleton.h"

#define DriverEntry    example_entry
#define DxgkInitialize take_table
static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table);
#include "../../drivers/ring/driver.c"
#undef DriverEntry
#undef DxgkInitialize

/* The order is that of hostile_test.py. */
enum act {
    ACT_NONE,
    ACT_NULL_WRITE,
    ACT_WILD_JUMP,
    ACT_LOOP,
    ACT_EXIT,
    ACT_QUICK_EXIT,
    ACT_ABORT,
    ACT_SIGKILL,
    ACT_SIGSTOP,
    ACT_SIGTERM,
    ACT_LONGJMP,
    ACT_RECURSION,
    ACT_CLOSE_ALL,
    ACT_CLOSE_STREAMS,
    ACT_RUBBISH,
    ACT_DPC_FLOOD,
    ACT_FORK,
    ACT_FORK_BOMB,
    ACT_DAEMON,
    ACT_UNMAP_SHARED,
    ACT_OVERWRITE_SHARED,
    ACT_FREE_HANDED,
    ACT_DOUBLE_FREE,
    ACT_HUGE_MALLOC,
    ACT_TIMER,
    ACT_HANDLERS,
    ACT_BLOCK_AND_LOOP,
    ACT_PTRACE,
    ACT_CHDIR,
    ACT_UNLINK,
    ACT_THREAD_STAYS,
    ACT_THREAD_EXITS,
    ACT_LIMITS,
    ACT_DUP_OVER,
    ACT_FLOOD_STDERR,
    ACT_FLOOD_STDOUT,
    ACT_PRIORITY,
    ACT_KILL_PARENT,
    ACT_TERM_PARENT,
    ACT_STOP_PARENT,
    ACT_KILL_GROUP,
    ACT_PRCTL,
    ACT_ILLEGAL,
    ACT_DIVIDE,
    ACT_MISALIGNED,
    ACT_READ_ONLY,
    ACT_CALLBACK_THREAD,
    ACT_IGNORE_AND_LOOP,
    ACT_EXEC,
    ACT_UMASK,
    ACT_BREAK,
    ACT_BLOCK_SIGNALS,
};

enum slot {
    SLOT_ENTRY,
    SLOT_ADD,
    SLOT_START,
    SLOT_QUERY,
    SLOT_CREATE,
    SLOT_BUILD,
    SLOT_SUBMIT,
    SLOT_ISR,
    SLOT_DPC,
    SLOT_STOP,
    SLOT_REMOVE,
    SLOT_UNLOAD,
};

static ULONG act, slot;
static BOOLEAN acted;
static volatile int nothing; /* the compiler does not know that it stays 0 */
static const char constant[] = "constant";
static DRIVER_INITIALIZATION_DATA mine;
static const DXGKRNL_INTERFACE *callbacks; /* of the started adapter */

/* ---- Acts ------------------------------------------------------------------------------------ */

__attribute__((noinline)) static int deeper(int n) {
    volatile char room[4096];
    room[n & 4095] = (char)n;
    return nothing ? 0 : deeper(n + 1) + room[0];
}

static void to_each_descriptor(void (*what)(int fd)) {
    for (int fd = 3; fd < 256; fd++)
        what(fd);
}

static void close_one(int fd) {
    (void)close(fd);
}

static void spoil_one(int fd) {
    static const char rubbish[512] = "rubbish";
    if (write(fd, rubbish, sizeof(rubbish)) < 0)
        return;
}

static void replace_one(int fd) {
    static int null = -1;
    if (null < 0)
        null = open("/dev/null", O_RDWR);
    (void)dup2(null, fd);
}

/* Each mapping that is shared with another process, or could be. */
static void to_each_shared(BOOLEAN unmap) {
    char line[512];
    unsigned long long start, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%llx-%llx", &start, &end) != 2 || !strstr(line, "rw-s"))
            continue;
        if (unmap)
            (void)munmap((void *)(uintptr_t)start, (size_t)(end - start));
        else
            memset((void *)(uintptr_t)start, 0xa5, (size_t)(end - start));
    }
}

static void make_processes(int count) {
    for (int i = 0; i < count; i++)
        if (fork() == 0) {
            (void)sleep(600);
            _exit(0);
        }
}

static void make_daemon(void) {
    if (fork() != 0)
        return;
    (void)setsid();
    if (fork() == 0)
        (void)sleep(600);
    _exit(0);
}

static void *stay(void *context) {
    (void)context;
    (void)sleep(600);
    return NULL;
}

static void *leave(void *context) {
    (void)context;
    (void)usleep(1000);
    exit(0);
}

static void *call_back(void *context) {
    (void)context;
    for (int i = 0; i < 1000 && callbacks; i++)
        (void)callbacks->DxgkCbQueueDpc(callbacks->DeviceHandle);
    return NULL;
}

static void with_thread(void *(*run)(void *context), BOOLEAN join) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) == 0 && join)
        (void)pthread_join(thread, NULL);
}

static void flood(int fd) {
    static const char line[] = "a driver that says the same again and again\n";
    for (int i = 0; i < 20000; i++)
        if (write(fd, line, sizeof(line) - 1) < 0)
            return;
}

static void handle(int number) {
    (void)number;
}

static void set_timer(void) {
    const struct itimerval late = {.it_value = {.tv_sec = 1000}};
    (void)setitimer(ITIMER_REAL, &late, NULL);
}

static void lower_limits(void) {
    const struct rlimit few = {4, 4};
    (void)setrlimit(RLIMIT_NOFILE, &few);
}

static void block_all(void) {
    sigset_t all;
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
}

static void unlink_reports(void) {
    (void)unlink("report");
    (void)unlink("plans");
}

/* Where the function has returned already. */
static jmp_buf gone;
__attribute__((noinline)) static int remember(void) {
    return setjmp(gone);
}

static void loop(void) {
    while (!nothing)
        ;
}

static void do_harm_to_memory(PVOID handed) {
    void *volatile block = malloc(64);
    switch (act) {
    case ACT_NULL_WRITE:
        *(volatile int *)(ULONG_PTR)nothing = 1;
        break;
    case ACT_WILD_JUMP:
        ((void (*)(void))(ULONG_PTR)(0x1234 + nothing))();
        break;
    case ACT_LONGJMP:
        if (remember() == 0)
            longjmp(gone, 1);
        abort();
    case ACT_RECURSION:
        nothing = deeper(0);
        break;
    case ACT_UNMAP_SHARED:
    case ACT_OVERWRITE_SHARED:
        to_each_shared(act == ACT_UNMAP_SHARED);
        break;
    case ACT_FREE_HANDED:
        free(handed);
        abort(); /* what it damaged may show at no time */
    case ACT_DOUBLE_FREE:
        free(block);
        free(block);
        abort();
    case ACT_HUGE_MALLOC:
        *(volatile char *)malloc((size_t)1 << 62 >> nothing) = 1;
        break;
    case ACT_ILLEGAL:
        __builtin_trap();
    case ACT_BREAK:
        __asm__ volatile("int3");
        break;
    case ACT_DIVIDE:
        __asm__ volatile("xorl %%ecx, %%ecx; movl $1, %%eax; cltd; idivl %%ecx" ::
                             : "eax", "ecx", "edx");
        break;
    case ACT_MISALIGNED:
        __asm__ volatile("movaps %%xmm0, 1(%%rsp)" ::: "memory");
        break;
    case ACT_READ_ONLY:
        *(volatile char *)(ULONG_PTR)constant = 'C';
        break;
    }
}

static void do_harm_to_signals(void) {
    switch (act) {
    case ACT_ABORT:
        abort();
    case ACT_SIGKILL:
        (void)raise(SIGKILL);
        break;
    case ACT_SIGSTOP:
        (void)raise(SIGSTOP);
        break;
    case ACT_SIGTERM:
        (void)raise(SIGTERM);
        break;
    case ACT_TIMER:
        set_timer();
        break;
    case ACT_HANDLERS:
        for (int number = 1; number < 32; number++)
            (void)signal(number, handle);
        break;
    case ACT_BLOCK_SIGNALS:
        block_all();
        break;
    case ACT_BLOCK_AND_LOOP:
        block_all();
        loop();
        break;
    case ACT_IGNORE_AND_LOOP:
        (void)signal(SIGTERM, SIG_IGN);
        loop();
        break;
    case ACT_PTRACE:
        (void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        (void)raise(SIGUSR1);
        break;
    case ACT_KILL_PARENT:
        (void)kill(getppid(), SIGKILL);
        (void)sleep(600);
        break;
    case ACT_TERM_PARENT:
        (void)kill(getppid(), SIGTERM);
        break;
    case ACT_STOP_PARENT:
        (void)kill(getppid(), SIGSTOP);
        break;
    case ACT_KILL_GROUP:
        (void)kill(0, SIGKILL);
        break;
    }
}

static void do_harm_to_files(void) {
    switch (act) {
    case ACT_CLOSE_ALL:
        to_each_descriptor(close_one);
        break;
    case ACT_CLOSE_STREAMS:
        for (int fd = 0; fd < 3; fd++)
            (void)close(fd);
        break;
    case ACT_RUBBISH:
        to_each_descriptor(spoil_one);
        break;
    case ACT_DUP_OVER:
        to_each_descriptor(replace_one);
        break;
    case ACT_FLOOD_STDERR:
        flood(STDERR_FILENO);
        break;
    case ACT_FLOOD_STDOUT:
        flood(STDOUT_FILENO);
        break;
    case ACT_CHDIR:
        (void)!chdir("/");
        break;
    case ACT_UNLINK:
        unlink_reports();
        break;
    case ACT_UMASK:
        (void)umask(0777);
        break;
    }
}

static void do_harm_to_process(void) {
    static char *const words[] = {"true", NULL};
    switch (act) {
    case ACT_LOOP:
        loop();
        break;
    case ACT_DPC_FLOOD:
        for (;;)
            if (callbacks)
                (void)callbacks->DxgkCbQueueDpc(callbacks->DeviceHandle);
    case ACT_EXIT:
        exit(0);
    case ACT_QUICK_EXIT:
        _exit(0);
    case ACT_FORK:
        make_processes(1);
        break;
    case ACT_FORK_BOMB:
        make_processes(32);
        break;
    case ACT_DAEMON:
        make_daemon();
        break;
    case ACT_THREAD_STAYS:
        with_thread(stay, FALSE);
        break;
    case ACT_THREAD_EXITS:
        with_thread(leave, FALSE);
        break;
    case ACT_CALLBACK_THREAD:
        with_thread(call_back, TRUE);
        break;
    case ACT_LIMITS:
        lower_limits();
        break;
    case ACT_PRIORITY:
        (void)setpriority(PRIO_PROCESS, 0, 19);
        break;
    case ACT_PRCTL:
        (void)prctl(PR_SET_NAME, "innocent");
        (void)prctl(PR_SET_DUMPABLE, 0);
        break;
    case ACT_EXEC:
        (void)execv("/bin/true", words);
        break;
    }
}

static void tell_seen(void) {
    const char *path = getenv("HOSTILE_SEEN");
    int file = path ? open(path, O_CREAT | O_WRONLY, 0600) : -1;
    if (file >= 0)
        close(file);
}

/* `handed`: what the system gave to the function. */
static void in_slot(enum slot here, const void *handed) {
    if (slot != (ULONG)here || acted || act == ACT_NONE)
        return;
    acted = TRUE;
    tell_seen();
    do_harm_to_memory((PVOID)(ULONG_PTR)handed);
    do_harm_to_signals();
    do_harm_to_files();
    do_harm_to_process();
}

/* ---- Slots ----------------------------------------------------------------------------------- */

static DXGKDDI_ADD_DEVICE hostile_add;
static NTSTATUS APIENTRY hostile_add(const PDEVICE_OBJECT physical, PVOID *context) {
    in_slot(SLOT_ADD, physical);
    return mine.DxgkDdiAddDevice(physical, context);
}

static DXGKDDI_START_DEVICE hostile_start;
static NTSTATUS APIENTRY hostile_start(const PVOID context, PDXGK_START_INFO info,
                                       PDXGKRNL_INTERFACE dxgk, PULONG sources, PULONG children) {
    static DXGKRNL_INTERFACE kept;
    kept = *dxgk;
    callbacks = &kept;
    in_slot(SLOT_START, info);
    return mine.DxgkDdiStartDevice(context, info, dxgk, sources, children);
}

static DXGKDDI_QUERYADAPTERINFO hostile_query;
static NTSTATUS APIENTRY hostile_query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *args) {
    in_slot(SLOT_QUERY, args->pOutputData);
    return mine.DxgkDdiQueryAdapterInfo(adapter, args);
}

static DXGKDDI_CREATEALLOCATION hostile_create;
static NTSTATUS APIENTRY hostile_create(const HANDLE adapter, DXGKARG_CREATEALLOCATION *args) {
    in_slot(SLOT_CREATE, args->pAllocationInfo);
    return mine.DxgkDdiCreateAllocation(adapter, args);
}

static DXGKDDI_BUILDPAGINGBUFFER hostile_build;
static NTSTATUS APIENTRY hostile_build(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *args) {
    in_slot(SLOT_BUILD, args->pDmaBuffer);
    return mine.DxgkDdiBuildPagingBuffer(adapter, args);
}

static DXGKDDI_SUBMITCOMMAND hostile_submit;
static NTSTATUS APIENTRY hostile_submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *args) {
    in_slot(SLOT_SUBMIT, args);
    return mine.DxgkDdiSubmitCommand(adapter, args);
}

static DXGKDDI_INTERRUPT_ROUTINE hostile_isr;
static BOOLEAN APIENTRY hostile_isr(const PVOID context, ULONG message) {
    in_slot(SLOT_ISR, context);
    return mine.DxgkDdiInterruptRoutine(context, message);
}

static DXGKDDI_DPC_ROUTINE hostile_dpc;
static VOID APIENTRY hostile_dpc(const PVOID context) {
    in_slot(SLOT_DPC, context);
    mine.DxgkDdiDpcRoutine(context);
}

static DXGKDDI_STOP_DEVICE hostile_stop;
static NTSTATUS APIENTRY hostile_stop(const PVOID context) {
    in_slot(SLOT_STOP, context);
    return mine.DxgkDdiStopDevice(context);
}

static DXGKDDI_REMOVE_DEVICE hostile_remove;
static NTSTATUS APIENTRY hostile_remove(const PVOID context) {
    in_slot(SLOT_REMOVE, context);
    return mine.DxgkDdiRemoveDevice(context);
}

static DXGKDDI_UNLOAD hostile_unload;
static VOID APIENTRY hostile_unload(VOID) {
    in_slot(SLOT_UNLOAD, NULL);
    if (mine.DxgkDdiUnload)
        mine.DxgkDdiUnload();
}

static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table) {
    mine = *table;
    table->DxgkDdiAddDevice = hostile_add;
    table->DxgkDdiStartDevice = hostile_start;
    table->DxgkDdiQueryAdapterInfo = hostile_query;
    table->DxgkDdiCreateAllocation = hostile_create;
    table->DxgkDdiBuildPagingBuffer = hostile_build;
    table->DxgkDdiSubmitCommand = hostile_submit;
    table->DxgkDdiInterruptRoutine = hostile_isr;
    table->DxgkDdiDpcRoutine = hostile_dpc;
    table->DxgkDdiStopDevice = hostile_stop;
    table->DxgkDdiRemoveDevice = hostile_remove;
    table->DxgkDdiUnload = hostile_unload;
    return DxgkInitialize(driver, path, table);
}

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    static WCHAR act_name[] = u"Act", slot_name[] = u"Slot";
    act = skeleton_setting(act_name);
    slot = skeleton_setting(slot_name);
    in_slot(SLOT_ENTRY, driver);
    return example_entry(driver, registry_path);
}
