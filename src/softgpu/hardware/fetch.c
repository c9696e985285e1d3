/* fetch.c - reads the commands of a submission, and their operands. */
#include <string.h>

#include "hardware/hw.h"

enum gpu_fault hw_engine_fetch(struct hw *hw, struct hw_engine *engine, uint32_t offset, void *out,
                               uint32_t bytes) {
    if (engine->commands) {
        memcpy(out, engine->commands + offset, bytes);
        return GPU_FAULT_NONE;
    }
    return hw_read(hw, engine->mapped ? engine : NULL, GPU_ACCESS_EXECUTE,
                   engine->queue[engine->head].address + offset, out, bytes);
}

enum gpu_fault hw_operands(struct hw *hw, struct hw_engine *engine, const struct gpu_command *head,
                           void *out, uint32_t bytes) {
    if (head->size < bytes)
        return GPU_FAULT_COMMAND;
    return hw_engine_fetch(hw, engine, engine->cursor, out, bytes);
}
