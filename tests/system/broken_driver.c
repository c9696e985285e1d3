/*
 * broken_driver.c - an example driver that makes one mistake, chosen by the setting Break: for what
 * the reports say of the place. places_test.sh reads lines of this file, by their marks.
 *
 * It is cpu-vram with some functions of its table in front of those of the example.
 */
#include "../../drivers/common/cpu_pager.h"

#define DriverEntry    example_entry
#define DxgkInitialize take_table
static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table);
#include "../../drivers/common/cpu_entry.c"
#undef DriverEntry
#undef DxgkInitialize

enum breaks {
    BREAK_CRASH = 1,     /* CreateDevice writes where nothing is */
    BREAK_LEAK = 2,      /* CreateDevice allocates, and nothing frees */
    BREAK_IRQL = 3,      /* CreateDevice takes paged pool at DISPATCH_LEVEL */
    BREAK_PAGED = 4,     /* CreateDevice runs pageable code at DISPATCH_LEVEL */
    BREAK_GONE = 5,      /* CreateDevice runs code of DriverEntry's section */
    BREAK_STACK = 6,     /* CreateDevice calls itself without end */
    BREAK_LOCKED = 7,    /* as BREAK_PAGED, in a section that the driver locked */
    BREAK_ANSWER = 8,    /* CreateDevice answers what its page does not have */
    BREAK_JUMP = 10,     /* CreateDevice calls a function at no address */
    BREAK_INSIDE = 9,    /* CreateDevice crashes in a function of the kernel */
    BREAK_LEAKS = 11,    /* CreateDevice leaves one of each kind behind */
    BREAK_CALLBACK = 12, /* CreateDevice calls back at DISPATCH_LEVEL by the interface */
    BREAK_LOCALS = 13,   /* CreateDevice has more local variables than the stack has room */
    BREAK_LIST = 14,     /* CreateDevice removes an entry of a list twice */
};

#if defined(_WIN32) || defined(__CYGWIN__)
#define IN_SECTION(name) __attribute__((noinline, section(name)))
#else
#define IN_SECTION(name) __attribute__((noinline))
#endif

#define BREAK_TAG 0x4272656bu

static SIZE_T breaks;
static DXGKDDI_CREATEDEVICE *create_device;
static volatile int nothing; /* the compiler does not know that it stays 0 */

IN_SECTION("PAGE") static int pageable(int n) {
    return n + nothing;
}

IN_SECTION("INIT") static int of_entry(int n) {
    return n - nothing;
}

__attribute__((noinline)) static void write_to(volatile int *address) {
    *address = 1; /* crash */
}

__attribute__((noinline)) static int deeper(int n) {
    volatile char room[512];
    room[n & 511] = (char)n;
    return nothing ? 0 : deeper(n + 1) + room[0]; /* stack */
}

__attribute__((noinline)) static int with_locals(int n) {
    volatile char room[100000];
    room[n] = 1; /* locals */
    return room[n + 1];
}

__attribute__((noinline)) static void at_dispatch(void) {
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    if (breaks == BREAK_IRQL)
        ExFreePool(ExAllocatePoolWithTag(PagedPool, 64, BREAK_TAG)); /* irql */
    else
        nothing = pageable(0); /* paged */
    KeLowerIrql(old);
}

static KTIMER timer;

static VOID NTAPI ends(PVOID context) {
    (void)context;
}

static VOID NTAPI registered(PVOID context, PVOID one, PVOID two) {
    (void)context;
    (void)one;
    (void)two;
}

__attribute__((noinline)) static void leave_memory(void) {
    PHYSICAL_ADDRESS any = {.QuadPart = -1};
    PVOID memory = MmAllocateContiguousMemory(4096, any);             /* contiguous */
    (void)IoAllocateMdl(memory, 64, FALSE, FALSE, NULL);              /* mdl */
    (void)MmMapIoSpace(MmGetPhysicalAddress(memory), 4096, MmCached); /* mapping */
}

__attribute__((noinline)) static void leave_objects(void) {
    static WCHAR text[] = u"\\Callback\\Broken", event_text[] = u"\\BaseNamedObjects\\Broken",
                 key_text[] = u"\\Registry\\Machine\\Software\\Broken";
    UNICODE_STRING name, event_name, key_name;
    OBJECT_ATTRIBUTES attributes, key;
    PCALLBACK_OBJECT object;
    HANDLE handle;
    LARGE_INTEGER later = {.QuadPart = -1000000000};
    RtlInitUnicodeString(&name, text);
    RtlInitUnicodeString(&event_name, event_text);
    RtlInitUnicodeString(&key_name, key_text);
    InitializeObjectAttributes(&attributes, &name, 0, NULL, NULL);
    InitializeObjectAttributes(&key, &key_name, OBJ_KERNEL_HANDLE, NULL, NULL);
    (void)PsCreateSystemThread(&handle, 0, NULL, NULL, NULL, ends, NULL); /* thread */
    (void)IoCreateNotificationEvent(&event_name, &handle);                /* event */
    (void)ZwOpenKey(&handle, KEY_READ, &key);                             /* key */
    (void)IoAllocateWorkItem(NULL);                                       /* work */
    (void)IoAllocateIrp(1, FALSE);                                        /* request */
    (void)ExAllocateTimer(NULL, NULL, 0);                                 /* ex timer */
    KeInitializeTimer(&timer);
    (void)KeSetTimer(&timer, later, NULL); /* timer */
    if (NT_SUCCESS(ExCreateCallback(&object, &attributes, TRUE, TRUE)))
        (void)ExRegisterCallback(object, registered, NULL); /* callback */
}

__attribute__((noinline)) static void call_back(const struct skeleton *adapter) {
    DXGK_DEVICE_INFO info;
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    (void)adapter->dxgk.DxgkCbGetDeviceInformation(adapter->dxgk.DeviceHandle, &info); /* table */
    KeLowerIrql(old);
}

__attribute__((noinline)) static void remove_twice(void) {
    LIST_ENTRY head, entry;
    InitializeListHead(&head);
    InsertTailList(&head, &entry);
    RemoveEntryList(&entry);
    RemoveEntryList(&entry); /* list */
}

static DXGKDDI_CREATEDEVICE broken_create_device;
static NTSTATUS APIENTRY broken_create_device(const HANDLE adapter,
                                              DXGKARG_CREATEDEVICE *args) { /* called */
    if (breaks == BREAK_CRASH)
        write_to((volatile int *)(ULONG_PTR)nothing);
    if (breaks == BREAK_LEAK)
        (void)ExAllocatePoolWithTag(NonPagedPoolNx, 64, BREAK_TAG); /* leak */
    if (breaks == BREAK_LEAKS && !timer.Header.Type) {
        leave_memory(); /* called_leaks */
        leave_objects();
    }
    if (breaks == BREAK_CALLBACK)
        call_back((const struct skeleton *)adapter);
    if (breaks == BREAK_LOCKED)
        (void)MmLockPagableCodeSection(pageable);
    if (breaks == BREAK_IRQL || breaks == BREAK_PAGED || breaks == BREAK_LOCKED)
        at_dispatch();
    if (breaks == BREAK_GONE)
        nothing = of_entry(0);
    if (breaks == BREAK_STACK)
        nothing = deeper(0);
    if (breaks == BREAK_LOCALS)
        nothing = with_locals(nothing);
    if (breaks == BREAK_LIST)
        remove_twice();
    if (breaks == BREAK_INSIDE)
        RtlInitUnicodeString((PUNICODE_STRING)(ULONG_PTR)nothing, NULL); /* inside */
    if (breaks == BREAK_JUMP)
        ((VOID(NTAPI *)(VOID))(ULONG_PTR)nothing)(); /* jump */
    NTSTATUS status = create_device(adapter, args);
    return breaks == BREAK_ANSWER ? STATUS_NOT_FOUND : status;
}

static NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                           PDRIVER_INITIALIZATION_DATA table) {
    create_device = table->DxgkDdiCreateDevice;
    table->DxgkDdiCreateDevice = broken_create_device;
    return DxgkInitialize(driver, path, table);
}

DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
    static WCHAR name[] = u"Break";
    breaks = (SIZE_T)of_entry((int)skeleton_setting(name));
    return example_entry(driver, registry_path);
}
