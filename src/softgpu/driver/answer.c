/* answer.c - gives data to a system whose structure may be older and shorter. */
#include "driver/kmd.h"

NTSTATUS kmd_answer(const DXGKARG_QUERYADAPTERINFO *args, const void *data, SIZE_T bytes,
                    SIZE_T least) {
    if (!args->pOutputData || args->OutputDataSize < least)
        return STATUS_INVALID_PARAMETER;
    RtlCopyMemory(args->pOutputData, data,
                  args->OutputDataSize < bytes ? args->OutputDataSize : bytes);
    return STATUS_SUCCESS;
}
