/*
 * address.c - what a driver that is built with -fsanitize=address calls before each access
 * to memory, between it and the sanitizer's run time in the process: the driver calls by Windows'
 * convention, the run time is a Linux library.
 */
#define SYSV  __attribute__((sysv_abi))
#define LOCAL __attribute__((visibility("hidden")))

typedef unsigned long long address;

/* By it the host knows that the run time has to know what is not the driver's. */
const char vidmm_sanitized_address = 1;

#define ACCESS(size)                                                                               \
    SYSV void __asan_load##size(address);                                                          \
    SYSV void __asan_store##size(address);                                                         \
    LOCAL void __asan_load##size##_noabort(address at) {                                           \
        __asan_load##size(at);                                                                     \
    }                                                                                              \
    LOCAL void __asan_store##size##_noabort(address at) {                                          \
        __asan_store##size(at);                                                                    \
    }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
#undef ACCESS

SYSV void __asan_loadN(address, address);
SYSV void __asan_storeN(address, address);
LOCAL void __asan_loadN_noabort(address at, address size) {
    __asan_loadN(at, size);
}

LOCAL void __asan_storeN_noabort(address at, address size) {
    __asan_storeN(at, size);
}
