/* mutation.c - which occasion it is. */
#include "mutation.h"

#include <string.h>

static struct mutation mutation;
static struct mutation_seen *seen;

const char *mutation_text(enum mutation_kind kind) {
    static const char *const text[MUTATION_KINDS] = {"flush", "flush-page", "entry", "update",
                                                     "copy",  "notice",     "root",  "wait"};
    return text[kind];
}

void mutation_begin(const struct mutation *what, struct mutation_seen *to) {
    mutation = *what;
    seen = to;
    memset(seen, 0, sizeof *seen);
}

bool mutation_comes(enum mutation_kind kind) {
    bool this = mutation.on && mutation.kind == kind && seen->occasions[kind] == mutation.at;
    seen->occasions[kind]++;
    seen->hit = seen->hit || this;
    return this;
}

const struct mutation *mutation_now(void) {
    return &mutation;
}

struct mutation_seen *mutation_seen(void) {
    return seen;
}
