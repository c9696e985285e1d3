/*
 * words.c - which known word was meant by one that is not known.
 */
#include "cli.h"

#include <string.h>

#define WORD 48u /* characters; nothing is meant by longer ones */

static uint32_t words_least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* How many characters are to be added, left out, replaced or exchanged with their neighbours. */
static uint32_t words_distance(const char *a, const char *b) {
    uint32_t row[WORD + 1][WORD + 1];
    uint32_t rows = (uint32_t)strlen(a), columns = (uint32_t)strlen(b);
    for (uint32_t i = 0; i <= rows; i++) {
        for (uint32_t j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                row[i][j] = i + j;
                continue;
            }
            row[i][j] = words_least(row[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                                    words_least(row[i - 1][j], row[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[i][j] = words_least(row[i][j], row[i - 2][j - 2] + 1);
        }
    }
    return row[rows][columns];
}

void cli_meant_try(struct cli_meant *meant, const char *known) {
    size_t length = strlen(meant->word);
    if (length > WORD || strlen(known) > WORD)
        return;
    uint32_t distance = words_distance(meant->word, known);
    bool near = distance <= length / 3 || (distance == 1 && length > 1);
    if (!near || (meant->known && meant->distance <= distance))
        return;
    meant->known = known;
    meant->distance = distance;
}

const char *cli_meant_text(const struct cli_meant *meant, const char *before, char *text,
                           size_t size) {
    *text = '\0';
    if (meant->known)
        (void)snprintf(text, size, "; did you mean '%s%s'?", before, meant->known);
    return text;
}
