/*
 * coverage.c - the run time of a driver that is built with --coverage: what llvm-cov gcov reads.
 *
 * clang's own is a Linux library, which calls the C library by another convention than the driver's
 * and would find the driver's functions of the same names; so the system is called directly. Files
 * are of gcov's version 4.8. The counts of a file that is there already are added: each stage of a
 * conformance check is a process of its own.
 */
#define LOCAL __attribute__((visibility("hidden")))

typedef unsigned int U32;
typedef unsigned long long U64;

#define SOURCES_MOST 4096u
#define FILE_MOST    (16ull << 20) /* bytes of a file */

#define MAGIC        0x67636461u
#define TAG_FUNCTION 0x01000000u
#define TAG_ARCS     0x01a10000u
#define TAG_SUMMARY  0xa1000000u

/* ---- The system ------------------------------------------------------------------------------ */

enum {
    CALL_OPEN = 2,
    CALL_CLOSE = 3,
    CALL_MMAP = 9,
    CALL_MUNMAP = 11,
    CALL_PREAD = 17,
    CALL_PWRITE = 18,
    CALL_FLOCK = 73
};

#define READ_WRITE_CREATE 0102 /* O_RDWR | O_CREAT */
#define LOCK_EXCLUSIVE    2
#define PROT_BOTH         3
#define MAP_ANONYMOUS     042 /* with MAP_PRIVATE */

static U64 linux_call(U64 number, U64 a, U64 b, U64 c, U64 d) {
    register U64 fourth __asm__("r10") = d;
    register U64 fifth __asm__("r8") = ~0ull; /* of mmap: no file */
    register U64 sixth __asm__("r9") = 0;
    U64 result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

static int failed(U64 result) {
    return result > (U64)-4096;
}

/* ---- A file ---------------------------------------------------------------------------------- */

static struct {
    U64 file;
    U32 *before; /* what was in it, and zeros */
    U32 *now;
    U64 words;
    int open;
} coverage;

static U32 *coverage_memory(void) {
    U64 memory = linux_call(CALL_MMAP, 0, FILE_MOST, PROT_BOTH, MAP_ANONYMOUS);
    return failed(memory) ? 0 : (U32 *)memory;
}

static void coverage_put(U32 word) {
    if (coverage.open && coverage.words < FILE_MOST / sizeof(U32))
        coverage.now[coverage.words++] = word;
}

/* The file of another build is written anew. */
LOCAL void llvm_gcda_start_file(const char *name, U32 version, U32 checksum) {
    coverage.file = linux_call(CALL_OPEN, (U64)name, READ_WRITE_CREATE, 0644, 0);
    coverage.before = coverage_memory();
    coverage.now = coverage_memory();
    coverage.open = !failed(coverage.file) && coverage.before && coverage.now;
    coverage.words = 0;
    if (!coverage.open)
        return;
    (void)linux_call(CALL_FLOCK, coverage.file, LOCK_EXCLUSIVE, 0, 0);
    (void)linux_call(CALL_PREAD, coverage.file, (U64)coverage.before, FILE_MOST, 0);
    coverage_put(MAGIC);
    coverage_put(version);
    coverage_put(checksum);
    if (coverage.before[0] == MAGIC && coverage.before[1] == version &&
        coverage.before[2] == checksum)
        return;
    (void)linux_call(CALL_MUNMAP, (U64)coverage.before, FILE_MOST, 0, 0);
    coverage.before = coverage_memory();
    coverage.open = coverage.before != 0;
}

LOCAL void llvm_gcda_emit_function(U32 ident, U32 checksum, U32 edges) {
    coverage_put(TAG_FUNCTION);
    coverage_put(3);
    coverage_put(ident);
    coverage_put(checksum);
    coverage_put(edges);
}

LOCAL void llvm_gcda_emit_arcs(U32 count, U64 *counters) {
    if (!coverage.open)
        return;
    coverage_put(TAG_ARCS);
    coverage_put(count * 2);
    for (U32 i = 0; i < count && coverage.words + 1 < FILE_MOST / sizeof(U32); i++) {
        const U32 *before = coverage.before + coverage.words;
        U64 sum = counters[i] + (before[0] | (U64)before[1] << 32);
        coverage_put((U32)sum);
        coverage_put((U32)(sum >> 32));
    }
}

LOCAL void llvm_gcda_summary_info(void) {
    if (!coverage.open)
        return;
    coverage_put(TAG_SUMMARY);
    coverage_put(9);
    coverage_put(0);
    coverage_put(0);
    coverage_put(coverage.before[coverage.words] + 1); /* runs */
    for (U32 i = 3; i < 9; i++)
        coverage_put(0);
}

LOCAL void llvm_gcda_end_file(void) {
    coverage_put(0);
    coverage_put(0);
    if (coverage.open)
        (void)linux_call(CALL_PWRITE, coverage.file, (U64)coverage.now,
                         coverage.words * sizeof(U32), 0);
    if (!failed(coverage.file))
        (void)linux_call(CALL_CLOSE, coverage.file, 0, 0, 0);
    if (coverage.before)
        (void)linux_call(CALL_MUNMAP, (U64)coverage.before, FILE_MOST, 0, 0);
    if (coverage.now)
        (void)linux_call(CALL_MUNMAP, (U64)coverage.now, FILE_MOST, 0, 0);
    coverage.open = 0;
}

/* ---- All files ------------------------------------------------------------------------------- */

typedef void source_function(void);

static source_function *coverage_writeouts[SOURCES_MOST];
static U32 coverage_sources;

/* From the constructor of each source. */
LOCAL void llvm_gcov_init(source_function *writeout, source_function *reset) {
    (void)reset;
    if (coverage_sources < SOURCES_MOST)
        coverage_writeouts[coverage_sources++] = writeout;
}

/* When the driver is unloaded, or the process ends. */
__attribute__((destructor)) static void coverage_write(void) {
    for (U32 i = 0; i < coverage_sources; i++)
        coverage_writeouts[i]();
}
