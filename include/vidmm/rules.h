/*
 * rules.h - the rule table: every rule of the memory contract that vidmm knows, one row a rule.
 *
 * `vidmm rules`, docs/rules.md, the referee's findings and the conformance check use the same rows.
 * A number, once given, is never given to another rule.
 */
#ifndef VIDMM_RULES_H
#define VIDMM_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Numbers of rules are between 1 and VIDMM_RULES_LAST, and not every one of them has a rule. The
 * rows behind them are of what the host sees and no rule of the memory contract forbids: K1 has the
 * number VIDMM_K_IRQL. Arrays indexed by number have VIDMM_RULES_SIZE elements.
 */
#define VIDMM_RULES_LAST 659u
#define VIDMM_RULES_SIZE 700u

/* Rows of group Z. A number, once given, is never given to another. */
enum vidmm_host_rule {
    VIDMM_K_IRQL = VIDMM_RULES_LAST + 1, /* K1 */
    VIDMM_K_POOL,                        /* wrong frees and requests */
    VIDMM_K_POOL_GUARD,                  /* writes outside of a block, or after its end */
    VIDMM_K_LOCK,
    VIDMM_K_WAIT, /* for ever */
    VIDMM_K_OBJECT,
    VIDMM_K_MEMORY, /* MDLs, mappings, contiguous memory */
    VIDMM_K_REGISTER,
    VIDMM_K_LEAK_POOL,
    VIDMM_K_LEAK_MEMORY, /* K10 */
    VIDMM_K_LEAK_OBJECT,
    VIDMM_K_GUARD, /* behind what the system hands over */
    VIDMM_K_CRASH,
    VIDMM_K_ENDLESS,    /* a call that does not return */
    VIDMM_K_INCOMPLETE, /* work that does not complete */
    VIDMM_K_EXIT,
    VIDMM_K_BUGCHECK,
    VIDMM_K_ASSERTION,
    VIDMM_K_UNDEFINED,
    VIDMM_K_IMPORT, /* K20 */
    VIDMM_K_CALLBACK,
    VIDMM_K_REPORT, /* interrupts */
    VIDMM_K_BYTES,
    VIDMM_K_START,
    VIDMM_K_REFUSED,
    VIDMM_K_UNUSABLE,
    VIDMM_K_OTHER,   /* K27 */
    VIDMM_K_PROCESS, /* the process that a driver happens to run in */
    VIDMM_K_NOTIFY,  /* where reports come from */
    VIDMM_K_RACE,    /* K30: what an interrupt between two instructions loses */
    VIDMM_K_END
};
#define VIDMM_K_FIRST VIDMM_K_IRQL

/* The sides that must obey; a set. */
enum vidmm_side {
    VIDMM_SIDE_DRIVER = 1,  /* the display miniport */
    VIDMM_SIDE_MANAGER = 2, /* the system's half */
    VIDMM_SIDE_BOTH = 3,
    VIDMM_SIDE_USER = 4, /* the user-mode client */
    VIDMM_SIDE_USER_AND_MANAGER = 6,
};

/* Kinds of findings. Those that are no rule's have a row of group Z as their `rule`. */
enum vidmm_finding_kind {
    VIDMM_FINDING_RULE,    /* a rule of the memory contract */
    VIDMM_FINDING_HOST,    /* forbidden by ntoskrnl or dxgkrnl: IRQL, pool, handles, guard bytes */
    VIDMM_FINDING_LEAK,    /* left behind */
    VIDMM_FINDING_CRASH,   /* ended by a signal */
    VIDMM_FINDING_HANG,    /* a call did not return, or work did not complete */
    VIDMM_FINDING_EXIT,    /* called abort or exit, or a bugcheck */
    VIDMM_FINDING_REFUSED, /* failed a call that it may fail, where the conformance check needed it */
};

/* What a rule rests on. */
enum vidmm_confidence {
    VIDMM_DOCUMENTED, /* a page says it */
    VIDMM_IMPLIED,    /* follows from what a page says, or is this project's choice */
    VIDMM_DISPUTED,   /* pages or drivers contradict each other: `readings` has them */
    VIDMM_OBSERVED,   /* seen from real systems, no page says it */
};

/* The result of breaking it, worst first. */
enum vidmm_severity {
    VIDMM_SEVERITY_BUGCHECK,
    VIDMM_SEVERITY_START_FAILS,
    VIDMM_SEVERITY_CREATION_FAILS,
    VIDMM_SEVERITY_DEVICE_LOST,
    VIDMM_SEVERITY_CORRUPTION,
    VIDMM_SEVERITY_PERFORMANCE,
    VIDMM_SEVERITIES
};

/* What may go wrong behind the call that breaks a rule, and follow from it. */
enum vidmm_reach {
    VIDMM_REACH_ALL,     /* what memory has, and whether work is carried out and reported */
    VIDMM_REACH_DISPLAY, /* what displays show, and report */
    VIDMM_REACH_ANSWER,  /* nothing: no memory and no work depends on what the call answered */
    VIDMM_REACHES
};

/* What a column of a row rests on: the rule itself may be documented, and what comes of breaking it
 * a guess. */
enum vidmm_source_kind {
    VIDMM_SOURCE_INFERENCE, /* follows from how the parts work; no page and no record says it */
    VIDMM_SOURCE_PAGE,      /* a page says it: `where`, or the rule's own page */
    VIDMM_SOURCE_RECORD,    /* a system was seen to do it: `where` names lines of docs/records.md */
    VIDMM_SOURCE_NOT_KNOWN, /* no page says it, and the column says no more */
};

struct vidmm_source {
    uint8_t kind;      /* enum vidmm_source_kind */
    const char *where; /* "W7, W28" or a page without .md; NULL: the rule's own page */
};

struct vidmm_rule {
    uint16_t number; /* vidmm_rule_id has its words */
    char group;      /* 'A' .. 'W'; 'Z' */
    uint8_t side;    /* enum vidmm_side */
    uint8_t confidence, severity;
    uint8_t reach; /* enum vidmm_reach */
    bool judged;   /* by this program, as its sources say; `how` says how, or why not */
    bool
        advice; /* whether it holds depends on what no call shows: a driver that is right may break it */
    uint32_t first, last;  /* DXGKDDI_INTERFACE_VERSION_*; 0: from the beginning, until now */
    const char *statement; /* one sentence */
    const char *page;      /* of the public documentation, without .md */
    const char *how;       /* one sentence: how it is judged; of others, why it is not */
    const char *why;       /* one sentence or two: why it matters */
    const char *windows;   /* what Windows does when it is broken */
    struct vidmm_source severity_source, windows_source;
    const char *wrong; /* a few lines of C; NULL where code says nothing */
    const char *right;
    const char *readings; /* of a disputed rule: NAME=VALUE and what each means; else NULL */
};

/* Row of a number, or NULL. */
const struct vidmm_rule *vidmm_rule(uint32_t number);
/* The row with the next number behind that of `rule`; NULL: the first, and after the last. */
const struct vidmm_rule *vidmm_rule_after(const struct vidmm_rule *rule);
/* "R152", "r152", "152" or "K3" to a row; NULL when it is none. */
const struct vidmm_rule *vidmm_rule_parse(const char *text);
/* "R152" or "K3" into `text`, which is returned. */
char *vidmm_rule_id(uint32_t number, char text[8]);
/* The title of group `letter` ("Segment descriptors and flags"), or NULL. */
const char *vidmm_rule_group(char letter);
/* Words for the enums: "driver", "documented", "bugcheck", ... */
const char *vidmm_side_text(uint8_t side);
/* Of VIDMM_DOCUMENTED and the others: "documented", ...; "unknown" for none of them. */
const char *vidmm_confidence_text(uint8_t confidence);
/* Of VIDMM_SEVERITY_*: "bugcheck", "start fails", ...; "unknown" for none of them. */
const char *vidmm_severity_text(uint8_t severity);
/* Of VIDMM_REACH_*: "what displays show", ...; "unknown" for none of them. */
const char *vidmm_reach_text(uint8_t reach);
/* "inference", "the page", "page gpu-segments", "record W7, W28" or "not known". */
const char *vidmm_source_text(const struct vidmm_source *source, char *text, size_t size);
/* "WDDM 2.0" for DXGKDDI_INTERFACE_VERSION_WDDM2_0. */
const char *vidmm_rule_version(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
