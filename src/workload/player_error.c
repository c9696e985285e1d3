/*
 * player_error.c - records the error that ends a replay, and refusals for lack of memory; see
 * player.h.
 */
#include "player.h"

#include <stdio.h>
#include <string.h>

/* The error as a sentence, with the number that its allocation has in the workload. */
static void player_error_text(const struct vidmm_error *error, char *text, size_t size) {
    const struct oracle_allocation *allocation = error->access.user;
    vidmm_error_text(error, text, size);
    size_t length = strlen(text);
    if (error->access.known && allocation)
        snprintf(text + length, size - length, "; 0x%x is allocation %u of the workload",
                 error->access.allocation, allocation->index);
}

bool player_fail(struct vidmm_player *player, enum vidmm_status status, const char *doing) {
    struct vidmm_error error;
    char sentence[512];
    vidmm_last_error(player->harness->adapter, &error);
    if (error.status == status && error.call)
        player_error_text(&error, sentence, sizeof(sentence));
    else
        snprintf(
            sentence, sizeof(sentence), "%s",
            status == VIDMM_DRIVER_REFUSED
                ? "DxgkDdiGetStandardAllocationDriverData describes no surface for it, and the "
                  "driver does not speak vidmm/umd.h"
                : "the manager refused it");
    pthread_mutex_lock(&player->lock);
    if (player->status == VIDMM_PLAY_OK) {
        player->status =
            status == VIDMM_NO_MEMORY ? VIDMM_PLAY_NO_MEMORY : VIDMM_PLAY_DRIVER_FAILED;
        if (status == VIDMM_NO_MEMORY)
            snprintf(player->text, player->text_size, "out of memory in %s", doing);
        else
            snprintf(player->text, player->text_size, "%s failed: %s", doing, sentence);
    }
    pthread_mutex_unlock(&player->lock);
    if (status != VIDMM_DEVICE_LOST) {
        atomic_store(&player->failed, true);
        atomic_store(&player->stop, true);
    }
    return false;
}

bool player_refused(struct vidmm_player *player) {
    struct vidmm_play_result *result = player->result;
    struct vidmm_error error;
    vidmm_last_error(player->harness->adapter, &error);
    pthread_mutex_lock(&player->lock);
    if (result->refused++ == 0)
        vidmm_error_text(&error, result->refusal, sizeof(result->refusal));
    pthread_mutex_unlock(&player->lock);
    return true;
}
