/* pool.c - the memory that the driver keeps its objects in. */
#include "driver/kmd.h"

PVOID kmd_alloc(SIZE_T bytes) {
    return ExAllocatePoolZero(NonPagedPoolNx, bytes, KMD_TAG);
}

void kmd_free(PVOID block) {
    ExFreePoolWithTag(block, KMD_TAG);
}
