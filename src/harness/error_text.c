/*
 * error_text.c - one sentence for an error: which call, which field, what was found and expected,
 * which rule and page say so.
 */
#include <vidmm/harness.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vidmm/printable.h>
#include <vidmm/statuses.h>

struct sentence {
    char *text;
    size_t size, length;
};

static void sentence_add(struct sentence *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void sentence_add(struct sentence *s, const char *format, ...) {
    va_list args;
    if (s->length + 1 >= s->size)
        return;
    va_start(args, format);
    int n = vsnprintf(s->text + s->length, s->size - s->length, format, args);
    va_end(args);
    vidmm_printable(s->text + s->length, false);
    if (n > 0)
        s->length += (size_t)n < s->size - s->length ? (size_t)n : s->size - s->length - 1;
}

static const char *status_text(enum vidmm_status status) {
    switch (status) {
    case VIDMM_OK:
        return "nothing went wrong";
    case VIDMM_NO_MEMORY:
        return "out of memory";
    case VIDMM_BAD_ARGUMENT:
        return "an argument of the caller makes no sense";
    case VIDMM_DRIVER_REFUSED:
        return "the driver refused";
    case VIDMM_DRIVER_BROKE_RULE:
        return "the driver broke a rule";
    case VIDMM_DOES_NOT_FIT:
        return "what must be resident together does not fit in the segments it may live in";
    case VIDMM_BUSY:
        return "the GPU still uses the allocation";
    case VIDMM_NOT_LOCKABLE:
        return "the allocation cannot be reached by the CPU";
    case VIDMM_PINNED:
        return "the allocation is pinned";
    case VIDMM_GPU_LOST:
        return "the GPU hung and a reset did not cure it";
    case VIDMM_STOPPED:
        return "the adapter is in error or stopping";
    case VIDMM_DEVICE_LOST:
        return "the device was lost";
    }
    return "an unknown error";
}

/* Small values as numbers, others as addresses and flags are read. */
static void say_value(struct sentence *s, uint64_t value) {
    if (value < 10000)
        sentence_add(s, "%llu", (unsigned long long)value);
    else
        sentence_add(s, "0x%llx", (unsigned long long)value);
}

static void say_place(struct sentence *s, const struct vidmm_access *access) {
    unsigned long long page = access->page;
    if (access->place == VIDMM_ACCESS_NOWHERE)
        sentence_add(s, access->paging ? "" : ", where nothing is mapped");
    else if (access->place == VIDMM_ACCESS_IN)
        sentence_add(s, ", page %llu of", page);
    else
        sentence_add(s, ", where nothing is mapped, %llu page%s %s", page, page == 1 ? "" : "s",
                     access->place == VIDMM_ACCESS_BEHIND ? "behind" : "before");
    if (access->place != VIDMM_ACCESS_NOWHERE)
        sentence_add(s, " allocation 0x%x%s", access->allocation,
                     access->resident ? "" : ", which is not resident");
}

/* The access that put a device in error. */
static void say_access(struct sentence *s, const struct vidmm_access *access) {
    sentence_add(s, ": the GPU could not %s address 0x%llx of ", access->write ? "write" : "read",
                 (unsigned long long)access->address);
    if (access->paging)
        sentence_add(s, "the paging process");
    else
        sentence_add(s, access->process != 0 ? "process %u" : "no process", access->process);
    say_place(s, access);
    if (access->paging)
        sentence_add(s, "; paging work on node %u for device %u of process %u", access->node,
                     access->device, access->process);
    else
        sentence_add(s, "; submission %llu of device %u on node %u",
                     (unsigned long long)access->submission, access->device, access->node);
}

/* "DxgkDdiQueryAdapterInfo(QUERYSEGMENT4, GPUMMUCAPS)", or functions side by side. */
static void say_call(struct sentence *s, const struct vidmm_error *error) {
    size_t length = strlen(error->call);
    bool argument = error->also[0] != '\0' && length != 0 && error->call[length - 1] == ')';
    sentence_add(s, "%.*s", (int)(length - argument), error->call);
    if (error->also[0] != '\0')
        sentence_add(s, ", %s%s", error->also, argument ? ")" : "");
    sentence_add(s, ": ");
}

static void say_status(struct sentence *s, NTSTATUS status) {
    const char *name = vidmm_status_name(status);
    if (name)
        sentence_add(s, "%s", name);
    else
        sentence_add(s, "0x%08x", (unsigned)status);
}

/* The value that was found is the status that the driver answered. */
static bool is_status(const struct vidmm_error *error) {
    return error->field && error->nt != STATUS_SUCCESS && error->value == (uint32_t)error->nt;
}

static void say_found(struct sentence *s, const struct vidmm_error *error) {
    sentence_add(s, ": %s", error->field);
    if (error->index != UINT32_MAX)
        sentence_add(s, " (number %u)", error->index);
    sentence_add(s, " is ");
    if (is_status(error))
        say_status(s, error->nt);
    else
        say_value(s, error->value);
}

void vidmm_error_text(const struct vidmm_error *error, char *text, size_t text_size) {
    struct sentence s = {text, text_size, 0};
    if (text_size == 0)
        return;
    text[0] = 0;
    if (error->call)
        say_call(&s, error);
    sentence_add(&s, "%s", status_text(error->status));
    if (error->access.known)
        say_access(&s, &error->access);
    if (error->field)
        say_found(&s, error);
    if (error->expected)
        sentence_add(&s, "%s %s", error->field ? ", expected" : ": expected", error->expected);
    if (error->nt != STATUS_SUCCESS && !is_status(error)) {
        sentence_add(&s, "; the driver answered status ");
        say_status(&s, error->nt);
    }
    if (error->rule || error->page)
        sentence_add(&s, " [%s%s%s]", error->rule ? error->rule : "",
                     error->rule && error->page ? ", " : "", error->page ? error->page : "");
}
