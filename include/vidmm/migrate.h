/*
 * migrate.h - live migration in two calls: the source's run, which moves to another process, and
 * the target's, which goes on there.
 *
 * The virtual GPU that moves is the whole adapter: the content of its memory in use and the
 * driver's own state. A hypervisor would also move the guest (the player, its manager's state,
 * system memory). The guest is deterministic here: the target rehearses the same workload with the
 * same options up to the event at which the source pauses, drops the content of its GPU memory, and
 * goes on with the content that it received. docs/migration-stream.md has the protocol.
 */
#ifndef VIDMM_MIGRATE_H
#define VIDMM_MIGRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vidmm/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result; the values are the command's exit codes. 0 to 3 are vidmm_run_status. */
enum vidmm_migrate_status {
    VIDMM_MIGRATE_DONE = 0,  /* source: the guest moved; target: played to a verified end */
    VIDMM_MIGRATE_WRONG = 1, /* also: the guest moved, but its journal lacks a line */
    VIDMM_MIGRATE_BAD_INPUT = 2,
    VIDMM_MIGRATE_DRIVER_FAILED = 3,
    VIDMM_MIGRATE_STAYED = 4,  /* source: the guest ran on here, to a verified end; target: it never
                                  had it */
    VIDMM_MIGRATE_IN_DOUBT = 5 /* ended undecided: only the peer or an operator knows the owner of
                                  the guest */
};

/* The dirty rate is above the rate of the link. */
enum vidmm_migrate_too_dirty {
    VIDMM_MIGRATE_THROTTLE, /* the guest gets less and less time */
    VIDMM_MIGRATE_STOP,     /* the guest stays */
    VIDMM_MIGRATE_PAUSE     /* the guest moves with a long pause */
};

enum vidmm_migrate_phase {
    VIDMM_MIGRATE_WAITING,  /* for the other side, or for the first event */
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
    uint64_t predicted_pause_ns; /* estimate for a pause now; 0: not known yet */
    const char *text;            /* a message for the operator, or NULL */
};

/* A secret that both sides have: with it the link is TLS, and nobody else can take part. */
struct vidmm_migrate_key {
    uint8_t bytes[64];
    size_t size; /* 16 at least */
};

struct vidmm_migrate_options {
    const char *link;       /* tcp:HOST:PORT, unix:PATH or file:PATH */
    uint64_t start_event;   /* source: where it begins, unless `start_percent` */
    uint32_t start_percent; /* the same as a share of the events; 0: start_event counts */
    uint64_t bits_per_s;    /* limit of the link; 0: none */
    uint32_t frames_per_s;  /* source: limit of the guest; 0: none */
    uint64_t pause_ns;      /* pause if the pause takes less; 0: 300 ms */
    uint64_t pause_most_ns; /* longest pause, except with PAUSE; 0: 750 ms */
    uint64_t timeout_ns;    /* of a silent link, and of a source's wait for a target; 0: 10 s */
    uint64_t whole_ns;      /* from the greeting until all is sent; 0: an hour */
    const struct vidmm_migrate_key *key; /* NULL: none */
    bool plain;                          /* without a key, TCP beyond this machine */
    uint32_t rounds;                     /* after which the guest counts as too dirty; 0: 30 */
    uint32_t retries;                    /* source: how often a failed migration begins again */
    enum vidmm_migrate_too_dirty too_dirty;
    const char *journal; /* file that lines about ownership are appended to; NULL: none */
    const char *control; /* Unix socket for vidmm_migrate_resolve; NULL: none */
    uint64_t doubt_ns;   /* give up after so long in doubt; 0: never */
    void (*progress)(void *ctx, const struct vidmm_migrate_progress *progress);
    void *progress_ctx;
};

#define VIDMM_MIGRATE_ROUNDS 64 /* rounds with a row each; the last row has the rest */

struct vidmm_migrate_round {
    uint64_t pages, bytes; /* memory that was sent */
    uint64_t ns;
    uint64_t dirty_bytes; /* became dirty during the round */
    uint64_t predicted_pause_ns;
};

struct vidmm_migrate_result {
    enum vidmm_migrate_status status;
    char text[512];                    /* one sentence unless DONE */
    bool moved;                        /* source: the guest left; target: it arrived */
    uint64_t event, start_event;       /* where it was paused; where it began */
    uint64_t used_bytes;               /* memory in use when it was sealed: a full copy */
    uint64_t memory_bytes;             /* memory that was sent, pages sent again included */
    uint64_t wire_bytes;               /* all bytes on the link */
    uint64_t fixed_bytes, state_bytes; /* the driver's own data */
    uint64_t total_ns;                 /* from the beginning until the target owns the guest */
    uint64_t pause_ns;                 /* from the guest's pause until then */
    uint64_t held_ns;                  /* time for which the guest was held before */
    uint64_t predicted_pause_ns;
    uint64_t pause_dirty_bytes; /* memory sent in the pause */
    uint64_t bytes_per_s;       /* of the link, measured */
    uint32_t attempts, replans; /* migrations begun; events of the pause that were replaced */
    uint32_t round_count;
    struct vidmm_migrate_round round[VIDMM_MIGRATE_ROUNDS];
    struct vidmm_run_result run; /* what was played here; free with vidmm_run_result_free */
};

/*
 * Settings that a migration needs, unless `run` has others: WDDM 3.2, GPU virtual addresses, dirty
 * pages of 4 KiB. `settings` has room for VIDMM_MIGRATE_SETTINGS more than `run` has, and becomes
 * its list.
 */
#define VIDMM_MIGRATE_SETTINGS 1
/*
 * See VIDMM_MIGRATE_SETTINGS. `settings` stays the caller's and must live as long as `run` is
 * used.
 */
void vidmm_migrate_defaults(struct vidmm_run_options *run, struct vidmm_host_setting *settings);

/* Plays `workload` and moves it during the run. Fills `*result` in every case. */
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
    VIDMM_MIGRATE_TAKE, /* this process owns the guest: the other one ended, or gets DROP */
    VIDMM_MIGRATE_DROP  /* the other process owns it */
};

/* Sends the decision to the process of `control`. `text`: its state. false: it refused. */
bool vidmm_migrate_resolve(const char *control, enum vidmm_migrate_verdict verdict, char *text,
                           size_t text_size);

/* Reads hexadecimal digits from the file `words`, which nobody else may read, or from a descriptor,
 * "fd:N", and closes it. false: `text` says why not. */
bool vidmm_migrate_read_key(const char *words, struct vidmm_migrate_key *key, char *text,
                            size_t text_size);

/* "1Gb/s", "100Mb/s", "12MB/s": bits a second; powers of 1000. */
bool vidmm_migrate_parse_rate(const char *text, uint64_t *bits_per_s);

#ifdef __cplusplus
}
#endif

#endif
