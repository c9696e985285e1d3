/* damage.c - the one action that an ordered fault spoils (vidmm/softgpu.h FaultKind, FaultAt). */
#include "hardware/hw.h"

bool hw_damaged(struct hw *hw, enum hw_damage kind) {
    return hw->damage_kind == (uint64_t)kind &&
           atomic_fetch_add(&hw->actions, 1) + 1 == hw->damage_at;
}
