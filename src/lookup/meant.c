/*
 * meant.c - which known word was meant by one that is not known.
 */
#include <vidmm/lookup.h>

#include <stdio.h>
#include <string.h>

void vidmm_meant_try(struct vidmm_meant *meant, const char *known) {
    size_t length = strlen(meant->word), other = strlen(known);
    if (length > VIDMM_WORD_LONGEST || other > VIDMM_WORD_LONGEST)
        return;
    uint32_t distance = vidmm_word_distance(meant->word, length, known, other);
    bool near = distance <= length / 3 || (distance == 1 && length > 1);
    if (!near || (meant->known[0] != '\0' && meant->distance <= distance))
        return;
    memcpy(meant->known, known, other + 1);
    meant->distance = distance;
}

const char *vidmm_meant_text(const struct vidmm_meant *meant, const char *before, char *text,
                             size_t size) {
    *text = '\0';
    if (meant->known[0] != '\0')
        (void)snprintf(text, size, " (did you mean '%s%s'?)", before, meant->known);
    return text;
}
