/* dropped.c - which occasion it is. */
#include "dropped.h"

#include <string.h>

static struct dropped_call dropped_call;
static struct dropped_seen *seen;

const char *dropped_text(enum dropped_kind kind) {
    static const char *const text[DROPPED_KINDS] = {"flush", "flush-page", "entry", "update",
                                                    "copy",  "notice",     "root",  "wait"};
    return text[kind];
}

void dropped_begin(const struct dropped_call *what, struct dropped_seen *to) {
    dropped_call = *what;
    seen = to;
    memset(seen, 0, sizeof(*seen));
}

bool dropped_comes(enum dropped_kind kind) {
    bool this =
        dropped_call.on && dropped_call.kind == kind && seen->occasions[kind] == dropped_call.at;
    seen->occasions[kind]++;
    seen->hit = seen->hit || this;
    return this;
}

const struct dropped_call *dropped_now(void) {
    return &dropped_call;
}

struct dropped_seen *dropped_seen(void) {
    return seen;
}
