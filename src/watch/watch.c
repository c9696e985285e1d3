/*
 * watch.c - the caller of a driver's process: makes it, listens to it, and says how it ended.
 */
#include "watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <vidmm/printable.h>

#define LAST_WORDS_MS 500u  /* to report where it hangs */
#define GUARD_MS      3000u /* to end what is left behind */

/* What the caller knows of the driver's process. */
struct listener {
    struct watch *watch;
    struct watch_book book;
    struct vidmm_watch_end *end;
    unsigned char *heard; /* bytes that were read and not yet taken */
    size_t size, room;
    uint64_t order;
    bool said_open, news_open;
    bool done, forged, hung, starved;
    struct watch_news news;
    uint64_t turns; /* of the calls, when it was looked at last */
};

uint64_t watch_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* At most `most` bytes. Any of it may have been written by the driver. */
static void copy_text(char *to, size_t size, const char *from, size_t most) {
    size_t length = strnlen(from, most < size - 1 ? most : size - 1);
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
    to[length] = '\0';
    vidmm_printable(to, false);
}

/* ---- What is said ---------------------------------------------------------------------------- */

static bool take_one(struct listener *listener, uint32_t kind, const void *bytes, size_t size) {
    const struct vidmm_watch_options *options = listener->watch->options;
    struct vidmm_watch_end *end = listener->end;
    if (listener->done)
        return false;
    if (kind == WATCH_DONE)
        return listener->done = size == 0;
    if (kind == WATCH_CHANGED) {
        copy_text(end->changed, sizeof(end->changed), bytes, size);
        return size != 0;
    }
    if (kind < VIDMM_WATCH_SAID)
        return watch_book_take(&listener->book, kind, bytes, size);
    return options->heard && options->heard(options->ctx, kind, bytes, size);
}

/* The record at `at` and its bytes; false: they have not come completely. */
static bool take_next(struct listener *listener, size_t *at) {
    const unsigned char *from = listener->heard + *at;
    const struct watch_record *record = (const struct watch_record *)(const void *)from;
    size_t left = listener->size - *at;
    if (left < sizeof(*record))
        return false;
    if (record->size > VIDMM_WATCH_MOST || record->order != listener->order) {
        listener->forged = true;
        return false;
    }
    size_t whole = sizeof(*record) + watch_padded(record->size);
    if (left < whole)
        return false;
    const void *bytes = from + sizeof(*record);
    listener->order++;
    listener->forged = record->sum != watch_sum(listener->watch->secret, record, bytes) ||
                       !take_one(listener, record->kind, bytes, record->size);
    *at += whole;
    return !listener->forged;
}

static void take_heard(struct listener *listener) {
    size_t at = 0;
    while (take_next(listener, &at))
        ;
    memmove(listener->heard, listener->heard + at, listener->size - at);
    listener->size -= at;
}

/* false: there is nothing to read now. */
static bool hear(struct listener *listener) {
    size_t most = sizeof(struct watch_record) + VIDMM_WATCH_MOST;
    if (listener->room - listener->size < 65536 && listener->room < most + 65536) {
        unsigned char *more = realloc(listener->heard, listener->room * 2 + 65536);
        if (!more) {
            listener->starved = true;
            return listener->said_open = false;
        }
        listener->heard = more;
        listener->room = listener->room * 2 + 65536;
    }
    ssize_t got = read(listener->watch->said[0], listener->heard + listener->size,
                       listener->room - listener->size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return false;
    if (got <= 0)
        return listener->said_open = false;
    listener->size += listener->forged ? 0 : (size_t)got; /* of a forger nothing is taken */
    take_heard(listener);
    return true;
}

static void hear_guard(struct listener *listener) {
    struct watch_news news;
    ssize_t got = read(listener->watch->news[0], &news, sizeof(news));
    if (got == (ssize_t)sizeof(news))
        listener->news = news;
    else if (got >= 0 || errno != EINTR)
        listener->news_open = false;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* A signal to this process ends the first wait; then its end is awaited, of which another one changes nothing. */
static int attend_poll(struct pollfd from[2], int ms) {
    return vidmm_stop_signal() == 0 ? vidmm_stop_poll(from, 2, ms) : poll(from, 2, ms);
}

/* Waits until `end` at most; false: the time is up. */
static bool attend(struct listener *listener, uint64_t end) {
    uint64_t now = watch_now_ms();
    struct pollfd from[2] = {
        {.fd = listener->said_open ? listener->watch->said[0] : -1, .events = POLLIN},
        {.fd = listener->watch->news[0], .events = POLLIN}};
    if (now >= end)
        return false;
    if (attend_poll(from, (int)(end - now)) < 0)
        return true;
    if (from[0].revents != 0)
        (void)hear(listener);
    if (from[1].revents != 0)
        hear_guard(listener);
    return true;
}

static bool has_ended(const struct listener *listener) {
    return !listener->news_open || listener->news.ended != 0;
}

/* How long its threads were ready to run, and no processor was free, at most; 0: not known. */
static uint64_t delayed_ms(pid_t pid) {
    char path[64];
    uint64_t most = 0;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *threads = pid > 1 ? opendir(path) : NULL;
    for (const struct dirent *entry; threads && (entry = readdir(threads));) {
        char file[352];
        unsigned long long ran, delayed;
        snprintf(file, sizeof(file), "%s/%s/schedstat", path, entry->d_name);
        FILE *stat = fopen(file, "r");
        if (stat && fscanf(stat, "%llu %llu", &ran, &delayed) == 2 && delayed / 1000000 > most)
            most = delayed / 1000000;
        if (stat)
            fclose(stat);
    }
    if (threads)
        closedir(threads);
    return most;
}

struct last {
    uint64_t at, delayed;
};

/* Of the time since the last look, what it could have run: no verdict is about how busy the machine is. */
static uint64_t since_last(const struct listener *listener, struct last *last) {
    const struct last now = {watch_now_ms(), delayed_ms((pid_t)listener->news.pid)};
    uint64_t passed = now.at - last->at;
    uint64_t delayed = now.delayed > last->delayed ? now.delayed - last->delayed : 0;
    *last = now;
    return delayed < passed ? passed - delayed : 0;
}

/* A sign of life since the last look. */
static bool turned(struct listener *listener) {
    uint64_t turns = __atomic_load_n(&listener->watch->hint->shown.turns, __ATOMIC_RELAXED);
    bool moved = turns != listener->turns;
    listener->turns = turns;
    return moved;
}

static void attend_until(struct listener *listener, uint64_t end) {
    while (!has_ended(listener) && attend(listener, end))
        ;
}

static void kill_driver(const struct listener *listener) {
    if (listener->news.pid > 1) {
        (void)kill(listener->news.pid, SIGKILL);
        (void)kill(-listener->news.pid, SIGKILL);
    }
}

/* It is asked where it is, then its guard is asked to end it, then all is ended. */
static void end_driver(struct listener *listener) {
    if (listener->hung && listener->news.pid > 1) {
        (void)kill(listener->news.pid, SIGTERM);
        attend_until(listener, watch_now_ms() + LAST_WORDS_MS);
    }
    if (!has_ended(listener)) {
        (void)kill(listener->watch->guard, SIGTERM);
        attend_until(listener, watch_now_ms() + GUARD_MS);
    }
    if (!has_ended(listener) || !listener->news_open) {
        kill_driver(listener);
        (void)kill(listener->watch->guard, SIGKILL);
    }
}

static void listen_to(struct listener *listener) {
    const uint32_t timeout = listener->end->timeout_ms;
    const uint64_t most = (uint64_t)timeout * listener->watch->options->most;
    const uint64_t begin = watch_now_ms();
    struct last last = {.at = begin};
    uint64_t end = begin + timeout, still = 0;
    while (!has_ended(listener) && !listener->forged && vidmm_stop_signal() == 0) {
        if (attend(listener, end))
            continue;
        uint64_t now = watch_now_ms();
        bool too_long = most != 0 && now - begin >= most;
        uint64_t passed = since_last(listener, &last);
        still = turned(listener) ? 0 : still + passed;
        listener->hung = still >= timeout || too_long;
        if (too_long)
            listener->end->timeout_ms = (uint32_t)(now - begin);
        if (listener->hung)
            break;
        end = now + timeout - still;
    }
    if (!has_ended(listener) || !listener->news_open)
        end_driver(listener);
    end = watch_now_ms() + LAST_WORDS_MS; /* what is left behind may speak for ever */
    while (listener->said_open && !listener->forged && hear(listener) && watch_now_ms() < end)
        ;
}

/* ---- The end --------------------------------------------------------------------------------- */

static void take_hint(const struct listener *listener, struct vidmm_watch_end *end) {
    const struct watch_hint *hint = listener->watch->hint;
    bool own = listener->hung && hint->asked != 0 && hint->frames == 0;
    const char *where = hint->died_in[0] != '\0'      ? hint->died_in
                        : hint->calling[0] != '\0'    ? hint->calling
                        : hint->shown.call[0] != '\0' ? hint->shown.call
                        : own                         ? WATCH_OWN_CODE
                                                      : WATCH_NO_CALL;
    copy_text(end->where, sizeof(end->where), where, SIZE_MAX);
    copy_text(end->step, sizeof(end->step), hint->step, sizeof(hint->step));
    copy_text(end->reason, sizeof(end->reason), hint->died_of, sizeof(hint->died_of));
    end->own = hint->died_own != 0;
    end->settings = hint->shown.settings;
    end->frames = hint->frames <= VIDMM_PLACES ? hint->frames : 0;
    memcpy(end->frame, hint->frame, sizeof(end->frame));
}

static enum vidmm_watch_how judge(const struct listener *listener, int32_t *number) {
    int status = listener->news.status;
    if (listener->starved)
        return VIDMM_WATCH_STARVED;
    if (listener->forged)
        return VIDMM_WATCH_FORGED;
    if (listener->hung)
        return VIDMM_WATCH_HUNG;
    if (listener->news.ended == 0)
        return VIDMM_WATCH_UNGUARDED;
    *number = listener->news.stopped != 0 ? (int32_t)listener->news.stopped
              : WIFSIGNALED(status)       ? WTERMSIG(status)
                                          : WEXITSTATUS(status);
    if (listener->news.stopped != 0)
        return VIDMM_WATCH_STOPPED;
    if (WIFSIGNALED(status))
        return VIDMM_WATCH_SIGNALLED;
    if (*number == WATCH_CUT_OFF)
        return VIDMM_WATCH_CUT_OFF;
    return *number == WATCH_CODE && listener->done ? VIDMM_WATCH_DONE : VIDMM_WATCH_EXITED;
}

/* A finding is never there without its rule being broken. */
static void keep_broken(struct vidmm_ledger *ledger) {
    for (uint32_t i = 0; ledger && i < ledger->findings; i++) {
        struct vidmm_finding *finding = &ledger->finding[i];
        if (ledger->broken[finding->rule] == 0)
            ledger->broken[finding->rule] = 1;
        if (finding->times == 0)
            finding->times = 1;
    }
}

/* What a process that ended well did to others. */
static void take_traces(const struct watch_news *news, struct vidmm_watch_end *end) {
    if (end->how != VIDMM_WATCH_DONE || end->changed[0] != '\0')
        return;
    if (news->left != 0)
        snprintf(end->changed, sizeof(end->changed),
                 "the driver made processes in the process that it runs in: %u", news->left);
    else if (news->signals != 0)
        snprintf(end->changed, sizeof(end->changed),
                 "the driver sent signals to the parent of the process that it runs in");
}

static void conclude(struct listener *listener) {
    struct vidmm_watch_end *end = listener->end;
    take_hint(listener, end);
    end->how = judge(listener, &end->number);
    take_traces(&listener->news, end);
    keep_broken(listener->book.ledger);
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static bool make_ways(struct watch *watch) {
    void *hint =
        mmap(NULL, sizeof(*watch->hint), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    watch->hint = hint != MAP_FAILED ? hint : NULL;
    watch->said[0] = watch->said[1] = watch->news[0] = watch->news[1] = -1;
    return watch->hint && pipe2(watch->said, O_CLOEXEC) == 0 &&
           pipe2(watch->news, O_CLOEXEC) == 0 && fcntl(watch->said[0], F_SETFL, O_NONBLOCK) == 0 &&
           getrandom(&watch->secret, sizeof(watch->secret), 0) == (ssize_t)sizeof(watch->secret);
}

static void close_ways(struct watch *watch) {
    const int all[] = {watch->said[0], watch->said[1], watch->news[0], watch->news[1]};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i] >= 0)
            close(all[i]);
    if (watch->hint)
        munmap(watch->hint, sizeof(*watch->hint));
}

static void close_end(int *end) {
    close(*end);
    *end = -1;
}

/* What this process has begun and not finished, and whether it noted signals before it began the first. */
static struct watch *under_way;
static bool noted_before;

void watch_leave_others(const struct watch *watch) {
    for (struct watch *other = under_way; other; other = other->next)
        if (other != watch)
            close_ways(other);
}

/* One driver's process, from its beginning to its end. */
struct vidmm_watch_run {
    struct watch watch;
    struct vidmm_watch_options options;
    uint64_t calls; /* of the ledger, when it was begun */
};

static void run_begin(struct vidmm_watch_run *run, const struct vidmm_watch_options *options) {
    struct watch *watch = &run->watch;
    run->options = *options;
    run->calls = options->ledger ? options->ledger->calls : 0;
    *watch = (struct watch){.options = &run->options, .caller = getpid(), .next = under_way};
    vidmm_stop_begin(&watch->stop);
    noted_before = under_way ? noted_before : watch->stop.inside;
    under_way = watch;
    if (make_ways(watch)) {
        fflush(NULL);
        watch->guard = fork();
        if (watch->guard == 0)
            watch_guard(watch);
    }
    if (watch->guard > 0) {
        close_end(&watch->said[1]);
        close_end(&watch->news[1]);
    }
}

/* `dropped`: nothing is taken of what it said, and it is ended. */
static void watch_driver(struct vidmm_watch_run *run, struct vidmm_watch_end *end, bool dropped) {
    struct vidmm_ledger *ledger = dropped ? NULL : run->options.ledger;
    struct listener listener = {
        .watch = &run->watch,
        .book = {.ledger = ledger, .late = ledger ? ledger->calls - run->calls : 0},
        .end = end,
        .said_open = true,
        .news_open = true,
        .forged = dropped};
    listen_to(&listener);
    conclude(&listener);
    while (waitpid(run->watch.guard, NULL, 0) < 0 && errno == EINTR)
        ;
    free(listener.heard);
}

static void run_leave(struct vidmm_watch_run *run) {
    struct watch **at = &under_way;
    while (*at != &run->watch)
        at = &(*at)->next;
    *at = run->watch.next;
    close_ways(&run->watch);
}

static void run_end(struct vidmm_watch_run *run, struct vidmm_watch_end *end, bool dropped) {
    memset(end, 0, sizeof(*end));
    end->how = VIDMM_WATCH_NONE;
    end->timeout_ms =
        run->options.timeout_ms != 0 ? run->options.timeout_ms : VIDMM_WATCH_TIMEOUT_MS;
    if (run->watch.guard > 0)
        watch_driver(run, end, dropped);
    run_leave(run);
}

/* A signal that came in the meantime ends this process, but not before what it began. */
static void run_stop(struct vidmm_watch_run *run) {
    struct vidmm_watch_end end;
    while (vidmm_stop_signal() != 0 && under_way) {
        struct vidmm_watch_run *other =
            (struct vidmm_watch_run *)(void *)under_way; /* its first member */
        run_end(other, &end, true);
    }
    run->watch.stop.inside = under_way || noted_before;
    vidmm_stop_end(&run->watch.stop);
}

bool vidmm_watch(const struct vidmm_watch_options *options, struct vidmm_watch_end *end) {
    struct vidmm_watch_run run;
    run_begin(&run, options);
    run_end(&run, end, false);
    run_stop(&run);
    return end->how == VIDMM_WATCH_DONE;
}

void vidmm_watch_drop(struct vidmm_watch_run *run) {
    struct vidmm_watch_end end;
    run_end(run, &end, true);
    run_stop(run);
    free(run);
}

struct vidmm_watch_run *vidmm_watch_begin(const struct vidmm_watch_options *options) {
    struct vidmm_watch_run *run = malloc(sizeof(*run));
    if (!run)
        return NULL;
    run_begin(run, options);
    if (run->watch.guard > 0)
        return run;
    vidmm_watch_drop(run);
    return NULL;
}

bool vidmm_watch_finish(struct vidmm_watch_run *run, struct vidmm_watch_end *end) {
    run_end(run, end, false);
    run_stop(run);
    free(run);
    return end->how == VIDMM_WATCH_DONE;
}
