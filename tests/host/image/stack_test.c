/*
 * stack_test.c - a driver image that tests the stack that it runs on: its size, what shares it with
 * the caller, what has one of its own, and more of it for a while.
 *
 * DriverEntry answers STACK_TEST_PASSED, or STACK_TEST_FAILED with the number of the line that was
 * wrong, as self_test.c does.
 */
#include <ntddk.h>
#include <ntstrsafe.h>

#define STACK_TEST_PASSED ((NTSTATUS)0xE0000000)
#define STACK_TEST_FAILED ((NTSTATUS)0xE1000000)
#define STACK_BYTES       0x6000u

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return STACK_TEST_FAILED | __LINE__;                                                   \
    } while (0)

/* What a routine saw of its stack. */
struct seen {
    ULONG_PTR low, high, left, here;
    NTSTATUS refusal;
    ULONG runs;
};

static volatile int nothing; /* the compiler does not know that it stays 0 */

__attribute__((noinline)) static void look(struct seen *seen) {
    IoGetStackLimits(&seen->low, &seen->high);
    seen->left = IoGetRemainingStackSize();
    seen->here = (ULONG_PTR)__builtin_frame_address(0);
    seen->runs++;
}

/* With `n` times as much of the stack as a frame has. */
__attribute__((noinline)) static int use(int n, struct seen *seen) {
    volatile char room[256];
    room[n & 255] = (char)n;
    if (n == 0)
        look(seen);
    else
        nothing = use(n - 1, seen) - 1;
    return room[n & 255] - (char)n + 1;
}

static int inside(const struct seen *seen) {
    return seen->here > seen->low && seen->here < seen->high &&
           seen->here - seen->low >= seen->left && seen->here - seen->low - seen->left < 512;
}

static NTSTATUS its_size(void) {
    struct seen now = {0}, deep = {0};
    look(&now);
    CHECK(now.high - now.low == STACK_BYTES && inside(&now));
    CHECK((ULONG_PTR)IoGetInitialStack() == now.high);
    (void)use(20, &deep);
    CHECK(deep.low == now.low && inside(&deep) && now.left - deep.left > 20 * 256);
    return STACK_TEST_PASSED;
}

/* ---- Routines that the system calls ---------------------------------------------------------- */

static VOID NTAPI of_dpc(PKDPC dpc, PVOID context, PVOID one, PVOID two) {
    (void)dpc;
    (void)one;
    (void)two;
    (void)use(40, context);
}

static VOID NTAPI of_thread(PVOID context) {
    look(context);
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID NTAPI of_callback(PVOID context, PVOID one, PVOID two) {
    (void)one;
    (void)two;
    look(context);
}

static NTSTATUS dpcs(const struct seen *now) {
    struct seen seen = {0};
    KDPC dpc;
    KeInitializeDpc(&dpc, of_dpc, &seen);
    for (ULONG i = 1; i <= 100; i++) {
        KeInsertQueueDpc(&dpc, NULL, NULL);
        CHECK(seen.runs == i && inside(&seen) && seen.low != now->low);
        CHECK(seen.high - seen.low == STACK_BYTES);
    }
    return STACK_TEST_PASSED;
}

static NTSTATUS threads(const struct seen *now) {
    struct seen seen = {0};
    HANDLE handle;
    PVOID thread;
    CHECK(PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, of_thread, &seen) ==
          STATUS_SUCCESS);
    CHECK(ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, NULL, KernelMode, &thread, NULL) ==
          STATUS_SUCCESS);
    KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(thread);
    ZwClose(handle);
    CHECK(seen.runs == 1 && inside(&seen) && seen.low != now->low);
    CHECK(seen.high - seen.low == STACK_BYTES);
    return STACK_TEST_PASSED;
}

/* A callback runs on its caller's stack, below it. */
static NTSTATUS callbacks(const struct seen *now) {
    static WCHAR text[] = u"\\Callback\\StackTest";
    struct seen seen = {0};
    UNICODE_STRING name;
    OBJECT_ATTRIBUTES attributes;
    PCALLBACK_OBJECT object;
    RtlInitUnicodeString(&name, text);
    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE, NULL, NULL);
    CHECK(ExCreateCallback(&object, &attributes, TRUE, TRUE) == STATUS_SUCCESS);
    PVOID registration = ExRegisterCallback(object, of_callback, &seen);
    CHECK(registration);
    ExNotifyCallback(object, NULL, NULL);
    ExUnregisterCallback(registration);
    ObDereferenceObject(object);
    CHECK(seen.runs == 1 && inside(&seen) && seen.low == now->low && seen.left < now->left);
    return STACK_TEST_PASSED;
}

/* Arguments behind those in registers cross from one stack to the other. */
static NTSTATUS arguments(void) {
    CHAR text[64];
    CHECK(RtlStringCbPrintfA(text, sizeof(text), "%d%d%d%d%d%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6, 7, 8,
                             9, 10, 11, 12) == STATUS_SUCCESS);
    CHECK(RtlCompareMemory(text, "123456789101112", 16) == 16);
    return STACK_TEST_PASSED;
}

/* ---- More of it ------------------------------------------------------------------------------ */

static VOID NTAPI expanded(PVOID parameter) {
    (void)use(20, parameter);
}

static VOID NTAPI with_room(PVOID parameter) {
    struct seen *seen = parameter;
    volatile char room[60000];
    room[nothing] = 1;
    room[sizeof(room) - 1 - (SIZE_T)nothing] = 1;
    look(seen);
}

/* Each takes more than is left of the one before. */
static VOID NTAPI nested(PVOID parameter) {
    struct seen *seen = parameter;
    seen->runs++;
    NTSTATUS status =
        KeExpandKernelStackAndCalloutEx(nested, seen, IoGetRemainingStackSize() + 1, FALSE, NULL);
    if (status != STATUS_SUCCESS)
        seen->refusal = status;
}

static NTSTATUS expansions(const struct seen *now) {
    struct seen seen = {0};
    KIRQL old;
    CHECK(KeExpandKernelStackAndCallout(expanded, &seen, 8192) == STATUS_SUCCESS);
    CHECK(seen.runs == 1 && seen.low == now->low && inside(&seen));
    CHECK(KeExpandKernelStackAndCallout(with_room, &seen, MAXIMUM_EXPANSION_SIZE) ==
          STATUS_SUCCESS);
    CHECK(seen.runs == 2 && seen.low != now->low && inside(&seen));
    CHECK(seen.high - seen.low >= MAXIMUM_EXPANSION_SIZE);
    CHECK(KeExpandKernelStackAndCallout(expanded, &seen, MAXIMUM_EXPANSION_SIZE + 1) ==
          STATUS_INVALID_PARAMETER_3);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    NTSTATUS waits = KeExpandKernelStackAndCalloutEx(expanded, &seen, 8192, TRUE, NULL);
    NTSTATUS waits_not = KeExpandKernelStackAndCalloutEx(expanded, &seen, 40000, FALSE, NULL);
    KeLowerIrql(old);
    CHECK(waits == STATUS_INVALID_PARAMETER_4 && waits_not == STATUS_SUCCESS && seen.runs == 3);
    seen.runs = 0;
    nested(&seen);
    CHECK(seen.runs > 2 && seen.runs < 20 && seen.refusal == STATUS_STACK_OVERFLOW);
    look(&seen);
    CHECK(seen.low == now->low && inside(&seen));
    return STACK_TEST_PASSED;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    struct seen now = {0};
    (void)DriverObject;
    (void)RegistryPath;
    look(&now);
    NTSTATUS status = its_size();
    if (status == STACK_TEST_PASSED)
        status = arguments();
    if (status == STACK_TEST_PASSED)
        status = dpcs(&now);
    if (status == STACK_TEST_PASSED)
        status = threads(&now);
    if (status == STACK_TEST_PASSED)
        status = callbacks(&now);
    return status == STACK_TEST_PASSED ? expansions(&now) : status;
}
