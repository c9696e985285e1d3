/*
 * migrate.h - live migration in two calls: a run that moves to another process while it plays, and
 * the run that goes on there.
 *
 * The virtual GPU that moves is the whole adapter: the content of its memory in use and the
 * driver's own state. The guest around it (the player, its manager's books, system memory), which a
 * hypervisor would move, is deterministic here: the target rehearses the same workload with the
 * same options up to the event at which the source pauses, throws the content of its GPU's memory
 * away, and goes on with what came over the wire. docs/migration-stream.md has the protocol.
 */
#ifndef VIDMM_MIGRATE_H
#define VIDMM_MIGRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vidmm/run.h>

/* What became of it; the values are the command's exit codes. 0 to 3 are vidmm_run_status. */
enum vidmm_migrate_status {
    VIDMM_MIGRATE_DONE = 0, /* source: the guest is elsewhere; target: played to a verified end */
    VIDMM_MIGRATE_WRONG = 1,
    VIDMM_MIGRATE_BAD_INPUT = 2,
    VIDMM_MIGRATE_DRIVER_FAILED = 3,
    VIDMM_MIGRATE_STAYED = 4,  /* source: the guest ran on here, to a verified end; target: it never
                                  had it */
    VIDMM_MIGRATE_IN_DOUBT = 5 /* ended undecided: only the peer or an operator knows the owner of
                                  the guest */
};

/* The dirty rate is above what the link carries. */
enum vidmm_migrate_too_dirty {
    VIDMM_MIGRATE_THROTTLE, /* the guest gets less and less time */
    VIDMM_MIGRATE_STOP,     /* the guest stays */
    VIDMM_MIGRATE_PAUSE     /* it moves with a long pause */
};

enum vidmm_migrate_phase {
    VIDMM_MIGRATE_WAITING,  /* for the other side, or for the event at which it begins */
    VIDMM_MIGRATE_BROWNOUT, /* memory moves while the guest runs */
    VIDMM_MIGRATE_BLACKOUT, /* the guest is paused */
    VIDMM_MIGRATE_DOUBT,    /* the link broke between commit and acknowledgement */
    VIDMM_MIGRATE_ENDED
};

struct vidmm_migrate_progress {
    enum vidmm_migrate_phase phase;
    uint32_t round;
    uint64_t event, events;
    uint64_t due_bytes;          /* dirty pages that are still to be sent */
    uint64_t sent_bytes;         /* on the wire */
    uint64_t bytes_per_s;        /* of the link */
    uint64_t predicted_pause_ns; /* if it paused now; 0: not known yet */
    const char *text;            /* news for people, or NULL */
};

struct vidmm_migrate_options {
    const char *link;       /* tcp:HOST:PORT, unix:PATH or file:PATH */
    uint64_t start_event;   /* source: when it begins, unless `start_percent` */
    uint32_t start_percent; /* of the events that will be played; 0: start_event counts */
    uint64_t bits_per_s;    /* the link is no faster; 0: as fast as it is */
    uint32_t frames_per_s;  /* source: the guest plays no more; 0: as many as it can */
    uint64_t pause_ns;      /* pause when it would take less; 0: 300 ms */
    uint64_t pause_most_ns; /* and never when it would take more, unless PAUSE; 0: 750 ms */
    uint64_t timeout_ns;    /* a silent link is lost, a source waits for a target; 0: 10 s */
    uint32_t rounds;        /* before it is too dirty; 0: 30 */
    uint32_t retries;       /* source: how often a failed migration begins again */
    enum vidmm_migrate_too_dirty too_dirty;
    const char *journal; /* file that lines about ownership are appended to; NULL: none */
    const char *control; /* Unix socket for vidmm_migrate_resolve; NULL: none */
    uint64_t doubt_ns;   /* give up after so long in doubt; 0: never */
    void (*progress)(void *ctx, const struct vidmm_migrate_progress *progress);
    void *progress_ctx;
};

#define VIDMM_MIGRATE_ROUNDS 64 /* that are told one by one; the last one holds the rest */

struct vidmm_migrate_round {
    uint64_t pages, bytes; /* memory that was sent */
    uint64_t ns;
    uint64_t dirty_bytes; /* what became dirty meanwhile */
    uint64_t predicted_pause_ns;
};

struct vidmm_migrate_result {
    enum vidmm_migrate_status status;
    char text[512];                    /* one sentence unless DONE */
    bool moved;                        /* source: gave the guest away; target: got it */
    uint64_t event, start_event;       /* where it was paused; where it began */
    uint64_t used_bytes;               /* memory in use when it was sealed: a full copy */
    uint64_t memory_bytes;             /* memory that was sent, pages sent again included */
    uint64_t wire_bytes;               /* what that took on the link, all else included */
    uint64_t fixed_bytes, state_bytes; /* the driver's own data */
    uint64_t total_ns;                 /* from the beginning to the other side's ownership */
    uint64_t pause_ns;                 /* from the guest's pause to that */
    uint64_t held_ns;                  /* that the guest was held back before */
    uint64_t predicted_pause_ns;
    uint64_t pause_dirty_bytes; /* memory sent in the pause */
    uint64_t bytes_per_s;       /* of the link, measured */
    uint32_t attempts, replans; /* migrations begun; events to pause at that were given up */
    uint32_t round_count;
    struct vidmm_migrate_round round[VIDMM_MIGRATE_ROUNDS];
    struct vidmm_run_result run; /* what was played here; free with vidmm_run_result_free */
};

/*
 * What a run must have to be moved, where `run` does not say otherwise: WDDM 3.2, GPU virtual
 * addresses, dirty pages of 4 KiB. `settings` has room for VIDMM_MIGRATE_SETTINGS more than `run`
 * has, and becomes its list.
 */
#define VIDMM_MIGRATE_SETTINGS 1
void vidmm_migrate_defaults(struct vidmm_run_options *run, struct vidmm_host_setting *settings);

/* Plays `workload`, moves it on the way. Fills `*result` in every case. */
enum vidmm_migrate_status vidmm_migrate_send(const struct vidmm_workload *workload,
                                             const struct vidmm_run_options *run,
                                             const struct vidmm_migrate_options *options,
                                             struct vidmm_migrate_result *result);
/* Waits for such a source with the same workload and options, and plays the rest. */
enum vidmm_migrate_status vidmm_migrate_recv(const struct vidmm_workload *workload,
                                             const struct vidmm_run_options *run,
                                             const struct vidmm_migrate_options *options,
                                             struct vidmm_migrate_result *result);

enum vidmm_migrate_verdict {
    VIDMM_MIGRATE_ASK,  /* changes nothing */
    VIDMM_MIGRATE_TAKE, /* the guest is this process's: the other one has ended, or was told so */
    VIDMM_MIGRATE_DROP  /* it is the other's */
};

/* Speaks to the process behind `control`. `text`: where it stands. false: it did not do it. */
bool vidmm_migrate_resolve(const char *control, enum vidmm_migrate_verdict verdict, char *text,
                           size_t text_size);

/* "1Gb/s", "100Mb/s", "12MB/s": bits a second; powers of 1000. */
bool vidmm_migrate_parse_rate(const char *text, uint64_t *bits_per_s);

#endif
