/* dropped_run.h - one scene, with what is left out in it, each time in a process of its own. */
#ifndef DROPPED_RUN_H
#define DROPPED_RUN_H

#include "dropped.h"

enum outcome {
    OUTCOME_ORACLE,   /* a wrong byte was named */
    OUTCOME_REFEREE,  /* a rule, broken by the manager */
    OUTCOME_EQUAL,    /* it made no difference, for the reason that is given */
    OUTCOME_SURVIVED, /* not detected */
    OUTCOME_BROKEN,   /* crashed, hung, or the replay took another course */
    OUTCOMES
};

struct verdict {
    enum outcome outcome;
    uint32_t rule;     /* REFEREE: the first */
    const char *equal; /* EQUAL: why */
    char what[160];    /* was left out */
    char text[640];    /* was said of it */
};

/* Plays a scene as it is and counts the occasions. False: it does not verify; `text` says why. */
bool run_begin(const struct scene *scene, struct dropped_seen *seen, char *text, size_t size);
/* Runs each of `count` dropped_calls of it; a verdict each. False: it cannot be run. */
bool run_each(const struct dropped_call *dropped_calls, uint32_t count, struct verdict *verdicts);
void run_end(void);

#endif
