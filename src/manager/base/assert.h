/*
 * assert.h - what a function relies on, said where a debug build can check it.
 *
 * The option `assertions` of the build sets VIDMM_ASSERTIONS:
 *   0  nothing is checked
 *   1  cheap assertions: a lock is held, an object is on a list, a range lies inside its segment
 *   2  also adapter_check() (check/check.h), which walks all records after each call of the API
 * The manager has no operating system to abort with: vidmm_os.assertion_failed is called, or, where
 * there is none, the compiler's trap. When assertion_failed returns, the manager goes on.
 */
#ifndef VIDMM_MANAGER_ASSERT_H
#define VIDMM_MANAGER_ASSERT_H

#include <stdbool.h>

#include <vidmm/os.h>

#ifndef VIDMM_ASSERTIONS
#define VIDMM_ASSERTIONS 0
#endif

void assert_failed(const struct vidmm_os *os, const char *what, const char *file, int line);
/* True where the system cannot tell. */
bool assert_held(const struct vidmm_os *os, void *lock);

/* For what knows the system but not the adapter. */
#if VIDMM_ASSERTIONS >= 1
#define VIDMM_ASSERT_WITH(os, holds)                                                               \
    ((holds) ? (void)0 : assert_failed((os), #holds, __FILE__, __LINE__))
#else
#define VIDMM_ASSERT_WITH(os, holds) ((void)(0 && (holds)))
#endif
#define VIDMM_ASSERT(adapter, holds) VIDMM_ASSERT_WITH(&(adapter)->os, holds)

/* The caller holds the adapter's lock; api_lock and lock; fence_lock. */
#define VIDMM_ASSERT_LOCKED(adapter)                                                               \
    VIDMM_ASSERT(adapter, assert_held(&(adapter)->os, (adapter)->lock))
#define VIDMM_ASSERT_ENTERED(adapter)                                                              \
    VIDMM_ASSERT(adapter, assert_held(&(adapter)->os, (adapter)->api_lock) &&                      \
                              assert_held(&(adapter)->os, (adapter)->lock))
#define VIDMM_ASSERT_FENCES_LOCKED(adapter)                                                        \
    VIDMM_ASSERT(adapter, assert_held(&(adapter)->os, (adapter)->fence_lock))

#endif
