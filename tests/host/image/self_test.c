/*
 * self_test.c - a driver image that tests what only an image can: exceptions, instructions of the
 * kernel, imports of the C run-time library.
 *
 * DriverEntry answers SELF_TEST_PASSED, or SELF_TEST_FAILED with the number of the line that was
 * wrong. It is no display driver: the host refuses it then, and images_test.sh reads the status.
 */
#include <ntddk.h>

#define SELF_TEST_PASSED ((NTSTATUS)0xE0000000)
#define SELF_TEST_FAILED ((NTSTATUS)0xE1000000)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return SELF_TEST_FAILED | __LINE__;                                                    \
    } while (0)

int strcmp(const char *a, const char *b);
SIZE_T wcslen(const WCHAR *text);
void qsort(void *base, SIZE_T count, SIZE_T size, int (*order)(const void *, const void *));

NTSTATUS OfNoKernel(void); /* vidmm has no such function */

static volatile int nothing; /* the compiler does not know that it stays 0 */
static volatile int quotient;
static volatile int order; /* of what ran: one digit each */

static void step(int digit) {
    order = order * 10 + digit;
}

__attribute__((noinline)) static int read_at(volatile int *address) {
    return *address;
}

__attribute__((noinline)) static int divide(int by) {
    return 100 / by;
}

/* ---- Handlers -------------------------------------------------------------------------------- */

static NTSTATUS caught_code(volatile int *address) {
    __try {
        (void)read_at(address);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return GetExceptionCode();
    }
    return STATUS_SUCCESS;
}

static NTSTATUS divided_code(void) {
    __try {
        quotient = divide(nothing);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return GetExceptionCode();
    }
    return STATUS_SUCCESS;
}

static NTSTATUS raised_code(NTSTATUS status) {
    __try {
        ExRaiseStatus(status);
    } __except (GetExceptionCode() == status ? EXCEPTION_EXECUTE_HANDLER
                                             : EXCEPTION_CONTINUE_SEARCH) {
        return GetExceptionCode();
    }
    return STATUS_SUCCESS;
}

static NTSTATUS probed_code(void) {
    __try {
        ProbeForRead((const volatile VOID *)(ULONG_PTR)1, 8, 4);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return GetExceptionCode();
    }
    return STATUS_SUCCESS;
}

/* The inner block wants another exception; its __finally runs before the outer handler. */
static void nested(void) {
    __try {
        __try {
            __try {
                step(1);
                (void)read_at(NULL);
                step(9);
            } __except (GetExceptionCode() == STATUS_INTEGER_OVERFLOW ? EXCEPTION_EXECUTE_HANDLER
                                                                      : EXCEPTION_CONTINUE_SEARCH) {
                step(8);
            }
        } __finally {
            step(AbnormalTermination() ? 2 : 7);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        step(3);
    }
    step(4);
}

__attribute__((noinline)) static void leaves_frame(void) {
    __try {
        step(1);
        ExRaiseStatus(STATUS_NO_MEMORY);
    } __finally {
        step(2);
    }
}

static void across_frames(void) {
    __try {
        leaves_frame();
        step(9);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        step(3);
    }
}

static void normal_finally(void) {
    __try {
        step(1);
    } __finally {
        step(AbnormalTermination() ? 9 : 2);
    }
}

/* A handler in a handler. */
static void again(void) {
    __try {
        (void)read_at(NULL);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        __try {
            step(1);
            quotient = divide(nothing);
        } __except (EXCEPTION_EXECUTE_HANDLER) {
            step(2);
        }
    }
}

/* Registers that a function keeps are as they were, in the handler and behind it. */
static int kept(int a, int b, int c, int d) {
    int sum = a * 3 + b * 5 + c * 7 + d * 11;
    double half = (a + b) / 2.0;
    __try {
        (void)read_at(NULL);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        sum += (int)half;
    }
    return sum + a + b + c + d;
}

static NTSTATUS handlers(void) {
    CHECK(caught_code(NULL) == STATUS_ACCESS_VIOLATION);
    CHECK(caught_code((volatile int *)(ULONG_PTR)0xdead0000dead0000) == STATUS_ACCESS_VIOLATION);
    CHECK(divided_code() == STATUS_INTEGER_DIVIDE_BY_ZERO);
    CHECK(raised_code(STATUS_NO_MEMORY) == STATUS_NO_MEMORY);
    CHECK(probed_code() == STATUS_DATATYPE_MISALIGNMENT);
    nested();
    CHECK(order == 1234);
    order = 0;
    across_frames();
    CHECK(order == 123);
    order = 0;
    normal_finally();
    CHECK(order == 12);
    order = 0;
    again();
    CHECK(order == 12);
    CHECK(kept(1, 2, 3, 4) == 3 + 10 + 21 + 44 + 1 + 10);
    for (int i = 0; i < 1000; i++)
        CHECK(caught_code(NULL) == STATUS_ACCESS_VIOLATION);
    return SELF_TEST_PASSED;
}

/* ---- Instructions ---------------------------------------------------------------------------- */

static ULONGLONG read_cr8(void) {
    ULONGLONG value;
    __asm__ volatile("movq %%cr8, %0" : "=r"(value));
    return value;
}

static void write_cr8(ULONGLONG value) {
    __asm__ volatile("movq %0, %%cr8" : : "r"(value));
}

static PVOID thread_by_gs(void) {
    PVOID thread;
    __asm__ volatile("movq %%gs:0x188, %0" : "=r"(thread));
    return thread;
}

static ULONG number_by_gs(void) {
    ULONG number;
    __asm__ volatile("movl %%gs:0x184, %0" : "=r"(number));
    return number;
}

static NTSTATUS instructions(void) {
    volatile ULONG *version = (volatile ULONG *)(ULONG_PTR)0xFFFFF7800000026CULL;
    volatile ULONGLONG *interrupt_time = (volatile ULONGLONG *)(ULONG_PTR)0xFFFFF78000000008ULL;
    CHECK(read_cr8() == PASSIVE_LEVEL);
    write_cr8(DISPATCH_LEVEL);
    CHECK(KeGetCurrentIrql() == DISPATCH_LEVEL && read_cr8() == DISPATCH_LEVEL);
    write_cr8(PASSIVE_LEVEL);
    CHECK(KeGetCurrentIrql() == PASSIVE_LEVEL);
    __asm__ volatile("cli; sti; wbinvd");
    CHECK(thread_by_gs() == (PVOID)KeGetCurrentThread());
    CHECK(number_by_gs() == 0);
    CHECK(*version == 10);
    ULONGLONG time = *interrupt_time;
    CHECK(time <= KeQueryInterruptTime());
    return SELF_TEST_PASSED;
}

/* ---- The C run-time library ------------------------------------------------------------------ */

static int by_number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* More of the stack than a page: the compiler calls __chkstk, with the size in a register. */
__attribute__((noinline)) static int beyond_a_page(int n) {
    volatile char room[20000];
    room[0] = (char)n;
    room[sizeof(room) - 1] = (char)(n + 1);
    return room[nothing] + room[(int)sizeof(room) - 1 - nothing];
}

static NTSTATUS library(void) {
    int numbers[] = {5, 3, 9, 1};
    static const WCHAR wide[] = {'a', 'b', 'c', 0};
    CHECK(beyond_a_page(3) == 7);
    CHECK(OfNoKernel() == STATUS_NOT_IMPLEMENTED);
    CHECK(strcmp("abc", "abd") < 0 && strcmp("abc", "abc") == 0);
    CHECK(wcslen(wide) == 3);
    qsort(numbers, 4, sizeof(numbers[0]), by_number);
    CHECK(numbers[0] == 1 && numbers[1] == 3 && numbers[2] == 5 && numbers[3] == 9);
    return SELF_TEST_PASSED;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    (void)DriverObject;
    (void)RegistryPath;
    NTSTATUS status = handlers();
    if (status == SELF_TEST_PASSED)
        status = instructions();
    return status == SELF_TEST_PASSED ? library() : status;
}
