/* stack.c - see stack.h. */
#include "base/stack.h"

_Thread_local struct host_stack host_stack;
