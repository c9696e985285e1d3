/*
 * trap.c - the CPU's writes to VRAM, which silicon would see come in from the bus.
 *
 * Where dirty bits are kept, the visible part of VRAM is memory that is mapped twice: for the
 * engines, and for the CPU as its BAR. While tracking is on, a page of the CPU's view is closed
 * until the CPU writes it; that write is trapped (SIGSEGV), noted, and opens the page. Taking bits
 * ends with closing their pages again (GPU_DIRTY_CLOSE).
 *
 * Nothing is lost: a page that is open has its bit set, or its bit was taken by a query that has
 * not closed the page yet. A write to an open page in between is before the end of that query, so
 * before the copy that follows it. `lock` keeps noting and opening together: without it a page
 * could be opened by a trap whose note was taken, and closed, before.
 *
 * The kernel divides mappings where protections differ, and has a limit. Beyond it the whole view
 * is opened and noted as written, until it is closed.
 *
 * In the handler there are atomic operations and mprotect, which is a bare system call, no more.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hardware/dirty.h"

#define VIEWS      64u
#define GIVE_BACKS 8u

struct hw_view {
    struct hw *hw;
    unsigned char *bytes;
    uint64_t size, pages;
    struct hw_memory memory; /* of `open` */
    struct hw_bits open;
    atomic_flag lock;
};

/* Which view an address is in. Read by the handler: `start` is set last, and UINTPTR_MAX first. */
static struct {
    _Atomic uintptr_t start, end;
    struct hw_view *_Atomic view;
} views[VIEWS];

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static uint32_t registered;       /* under `table` */
static struct sigaction previous; /* likewise: the handler before ours */
static _Atomic uint32_t given_back;

/* ---- Opening and closing --------------------------------------------------------------------- */

static void trap_lock(struct hw_view *view) {
    while (atomic_flag_test_and_set_explicit(&view->lock, memory_order_acquire))
        continue;
}

static void trap_unlock(struct hw_view *view) {
    atomic_flag_clear_explicit(&view->lock, memory_order_release);
}

static bool trap_protect(const struct hw_view *view, uint64_t first, uint64_t last, int access) {
    uint32_t shift = view->hw->dirty->shift;
    return mprotect(view->bytes + (first << shift), (size_t)(last - first + 1) << shift, access) ==
           0;
}

static bool is_open(const struct hw_view *view, uint64_t page) {
    return atomic_load(&view->open.word[page / 64]) >> page % 64 & 1u;
}

/* With `lock` held. */
static void open_page(struct hw_view *view, uint64_t page) {
    struct hw *hw = view->hw;
    uint64_t first = page, last = page;
    if (is_open(view, page))
        return; /* another thread was trapped by it too */
    if (!trap_protect(view, page, page, PROT_READ | PROT_WRITE)) {
        first = 0;
        last = view->pages - 1;
        (void)trap_protect(view, first, last, PROT_READ | PROT_WRITE);
    }
    hw_bits_set(&view->open, first, last);
    if (!hw_damaged(hw, HW_DAMAGE_LOSE_CPU))
        hw_bits_set(&hw->dirty->dirty, first, last);
}

/* Closes what is open of a word's pages; neighbours in one call, also across words. */
struct closing {
    struct hw_view *view;
    uint64_t first, end; /* to be closed; none: equal */
};

/* What cannot be closed stays open, and may be written unseen from now on. */
static void close_run(struct closing *run) {
    struct hw_view *view = run->view;
    if (run->first != run->end && !trap_protect(view, run->first, run->end - 1, PROT_READ)) {
        hw_bits_set(&view->open, run->first, run->end - 1);
        hw_bits_set(&view->hw->dirty->dirty, run->first, run->end - 1);
    }
    run->first = run->end;
}

static void close_bits(struct closing *run, uint64_t word, uint64_t bits) {
    while (bits != 0) {
        uint64_t page = word * 64 + (uint64_t)__builtin_ctzll(bits);
        if (page != run->end) {
            close_run(run);
            run->first = page;
        }
        run->end = page + 1;
        bits &= bits - 1;
    }
}

static void close_locked(struct hw_view *view, uint64_t first, uint64_t last) {
    struct closing run = {view, 0, 0};
    uint64_t from = first / 64, to = last / 64;
    for (uint64_t group = from / 64; group <= to / 64; group++) {
        uint64_t some = atomic_load(&view->open.summary[group]) & hw_bits_inside(group, from, to);
        for (; some != 0; some &= some - 1) {
            uint64_t word = group * 64 + (uint64_t)__builtin_ctzll(some);
            uint64_t mask = hw_bits_inside(word, first, last);
            uint64_t bits = atomic_fetch_and(&view->open.word[word], ~mask);
            if ((bits & ~mask) == 0)
                atomic_fetch_and(&view->open.summary[group], ~(UINT64_C(1) << word % 64));
            close_bits(&run, word, bits & mask);
        }
    }
    close_run(&run);
}

void hw_view_close(struct hw *hw, uint64_t first, uint64_t last) {
    struct hw_view *view = hw->dirty->view;
    if (!view || first >= view->pages)
        return;
    trap_lock(view);
    close_locked(view, first, last < view->pages ? last : view->pages - 1);
    trap_unlock(view);
}

void hw_view_open_all(struct hw *hw) {
    struct hw_view *view = hw->dirty->view;
    if (!view)
        return;
    trap_lock(view);
    (void)trap_protect(view, 0, view->pages - 1, PROT_READ | PROT_WRITE);
    trap_unlock(view);
}

void hw_view_clear(struct hw *hw) {
    struct hw_view *view = hw->dirty->view;
    if (view)
        (void)madvise(hw->vram.bytes, view->size, MADV_REMOVE);
}

/* ---- The trap -------------------------------------------------------------------------------- */

static struct hw_view *view_at(uintptr_t address) {
    for (uint32_t i = 0; i < VIEWS; i++)
        if (address >= atomic_load(&views[i].start) && address < atomic_load(&views[i].end))
            return atomic_load(&views[i].view);
    return NULL;
}

/*
 * The address is in no view: the handler that was there before gets the signal when it comes again.
 * Two handlers that each took the signal over from the other would pass it on for ever; after
 * GIVE_BACKS times the system's default ends that.
 */
static void give_back(int number, const siginfo_t *info) {
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    bool round = atomic_fetch_add(&given_back, 1) >= GIVE_BACKS;
    (void)sigaction(number, round ? &by_default : &previous, NULL);
    if (info->si_code <= 0)
        (void)raise(number);
}

static void trap_trapped(int number, siginfo_t *info, void *context) {
    int error = errno;
    uintptr_t address = (uintptr_t)info->si_addr;
    struct hw_view *view = info->si_code == SEGV_ACCERR ? view_at(address) : NULL;
    (void)context;
    if (!view) {
        give_back(number, info);
    } else {
        trap_lock(view);
        /* Stopped meanwhile: the page is open, or about to be. */
        if (hw_dirty_on(view->hw))
            open_page(view, (address - (uintptr_t)view->bytes) >> view->hw->dirty->shift);
        trap_unlock(view);
    }
    errno = error;
}

static bool is_ours(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == trap_trapped;
}

/* With `table` held. Others may have taken it since the last time. */
static bool take_signal(void) {
    const struct sigaction action = {.sa_sigaction = trap_trapped,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction now;
    if (sigaction(SIGSEGV, NULL, &now) != 0)
        return false;
    if (is_ours(&now))
        return true;
    previous = now;
    return sigaction(SIGSEGV, &action, NULL) == 0;
}

static bool trap_enroll(struct hw_view *view) {
    uint32_t i = 0;
    pthread_mutex_lock(&table);
    while (i < VIEWS && atomic_load(&views[i].view))
        i++;
    bool good = i < VIEWS && take_signal();
    if (good) {
        registered++;
        atomic_store(&views[i].view, view);
        atomic_store(&views[i].end, (uintptr_t)view->bytes + view->size);
        atomic_store(&views[i].start, (uintptr_t)view->bytes);
    }
    pthread_mutex_unlock(&table);
    return good;
}

/* The signal goes back with the last view, unless another handler has taken it since. */
static void trap_strike(const struct hw_view *view) {
    struct sigaction now;
    pthread_mutex_lock(&table);
    for (uint32_t i = 0; i < VIEWS; i++) {
        if (atomic_load(&views[i].view) != view)
            continue;
        atomic_store(&views[i].start, UINTPTR_MAX);
        atomic_store(&views[i].end, 0);
        atomic_store(&views[i].view, NULL);
        if (--registered == 0 && sigaction(SIGSEGV, NULL, &now) == 0 && is_ours(&now))
            (void)sigaction(SIGSEGV, &previous, NULL);
    }
    pthread_mutex_unlock(&table);
}

void hw_view_close_all(struct hw *hw) {
    struct hw_view *view = hw->dirty->view;
    if (!view)
        return;
    pthread_mutex_lock(&table);
    (void)take_signal();
    pthread_mutex_unlock(&table);
    trap_lock(view);
    hw_memory_clear(&view->memory);
    (void)trap_protect(view, 0, view->pages - 1, PROT_READ);
    trap_unlock(view);
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* Puts memory that can be mapped twice in place of the visible part of VRAM. */
static bool map_twice(struct hw *hw, struct hw_view *view) {
    int file = memfd_create("vram", MFD_CLOEXEC);
    void *at = MAP_FAILED, *again = MAP_FAILED;
    if (file < 0)
        return false;
    if (ftruncate(file, (off_t)view->size) == 0)
        again = mmap(NULL, view->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (again != MAP_FAILED)
        at = mmap(hw->vram.bytes, view->size, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, 0);
    (void)close(file);
    if (again != MAP_FAILED)
        view->bytes = again;
    if (at == MAP_FAILED)
        return false;
    (void)madvise(at, view->size, MADV_HUGEPAGE);
    return true;
}

bool hw_view_make(struct hw *hw) {
    if (hw->visible == 0)
        return true;
    struct hw_view *view = hw->host.alloc(hw->host.ctx, sizeof(*view));
    if (!view)
        return false;
    hw->dirty->view = view;
    view->hw = hw;
    view->size = hw->visible;
    view->pages = view->size >> hw->dirty->shift;
    atomic_flag_clear(&view->lock);
    return hw_bits_make(&view->open, &view->memory, view->pages) && map_twice(hw, view) &&
           trap_enroll(view);
}

void hw_view_drop(struct hw *hw) {
    struct hw_view *view = hw->dirty->view;
    if (!view)
        return;
    trap_strike(view);
    hw_memory_drop(&view->memory);
    if (view->bytes)
        (void)munmap(view->bytes, view->size);
    hw->host.free(hw->host.ctx, view, sizeof(*view));
    hw->dirty->view = NULL;
}

void *hw_view_bytes(const struct hw *hw) {
    return hw->dirty && hw->dirty->view ? hw->dirty->view->bytes : hw->vram.bytes;
}
