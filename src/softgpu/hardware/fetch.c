/* fetch.c - reads commands that are scattered over host memory. */
#include "hardware/hw.h"

enum gpu_fault hw_engine_gather(struct hw *hw, struct hw_engine *engine, uint32_t offset, void *out,
                                uint32_t bytes) {
    return hw_read(hw, engine->mapped ? engine : NULL, GPU_ACCESS_EXECUTE,
                   engine->queue[engine->head].address + offset, out, bytes);
}
