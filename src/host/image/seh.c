/* seh.c - see seh.h. */
#include "image/seh.h"

#include <string.h>

#include "image/call_out.h"
#include "image/unwind.h"

typedef enum seh_disposition(NTAPI *seh_language_handler)(struct host_exception *record,
                                                          void *frame, struct host_context *context,
                                                          struct host_dispatcher *dispatcher);
typedef INT32(NTAPI *seh_filter)(struct host_exception_pointers *exception, void *frame);
typedef VOID(NTAPI *seh_termination)(BOOLEAN abnormal, void *frame);

/* Of the language's data: a __try block. `target` 0: a __finally, which is `handler`. */
struct seh_scope {
    uint32_t begin, end, handler, target;
};

enum { HANDLER_ALWAYS = 1 }; /* `handler` of __except (EXCEPTION_EXECUTE_HANDLER) */

/* Every register of `context`; goes on there. */
__attribute__((naked, noreturn)) static void seh_resume(const struct host_context *context
                                                        __attribute__((unused))) {
    __asm__ volatile("ldmxcsr 0x34(%rdi)\n"
                     "movaps 0x200(%rdi), %xmm6\n"
                     "movaps 0x210(%rdi), %xmm7\n"
                     "movaps 0x220(%rdi), %xmm8\n"
                     "movaps 0x230(%rdi), %xmm9\n"
                     "movaps 0x240(%rdi), %xmm10\n"
                     "movaps 0x250(%rdi), %xmm11\n"
                     "movaps 0x260(%rdi), %xmm12\n"
                     "movaps 0x270(%rdi), %xmm13\n"
                     "movaps 0x280(%rdi), %xmm14\n"
                     "movaps 0x290(%rdi), %xmm15\n"
                     "movq 0x78(%rdi), %rax\n"
                     "movq 0x90(%rdi), %rbx\n"
                     "movq 0xa0(%rdi), %rbp\n"
                     "movq 0xa8(%rdi), %rsi\n"
                     "movq 0xd8(%rdi), %r12\n"
                     "movq 0xe0(%rdi), %r13\n"
                     "movq 0xe8(%rdi), %r14\n"
                     "movq 0xf0(%rdi), %r15\n"
                     "movq 0xf8(%rdi), %rcx\n"
                     "movq 0x98(%rdi), %rsp\n"
                     "movq 0xb0(%rdi), %rdi\n"
                     "jmp *%rcx\n");
}

static struct host_dispatcher dispatcher_of(const struct host_image *image, uint64_t control,
                                            const struct unwound *frame) {
    return (struct host_dispatcher){.control = control,
                                    .image_base = (uintptr_t)image->base,
                                    .function = frame->function,
                                    .frame = frame->frame,
                                    .handler = frame->handler,
                                    .handler_data = frame->handler_data};
}

static seh_language_handler handler_of(const struct unwound *frame) {
    seh_language_handler handler;
    memcpy(&handler, &frame->handler, sizeof(handler));
    return handler;
}

bool seh_dispatch(struct host_exception *record, struct host_context *context) {
    struct host_context walk = *context;
    for (uint32_t i = 0; i < UNWIND_FRAMES_MAX; i++) {
        const struct host_image *image = image_of((const void *)(uintptr_t)walk.rip);
        struct unwound frame;
        uint64_t control = walk.rip;
        if (!image || !unwind_frame(image, &walk, &frame))
            return false;
        if (!(frame.kinds & UNWIND_HANDLES))
            continue;
        struct host_dispatcher dispatcher = dispatcher_of(image, control, &frame);
        dispatcher.context = &walk;
        if (handler_of(&frame)(record, (void *)(uintptr_t)frame.frame, context, &dispatcher) ==
            SEH_CONTINUE_EXECUTION)
            return !(record->flags & EXCEPTION_CANNOT_CONTINUE);
    }
    return false;
}

/* Runs the __finally blocks of the frames up to `target_frame`, and goes on at `target` there. */
static void seh_unwind_to(struct host_exception *record, const struct host_context *from,
                          uint64_t target_frame, uint64_t target) {
    struct host_context walk = *from;
    record->flags |= EXCEPTION_UNWINDS;
    for (uint32_t i = 0; i < UNWIND_FRAMES_MAX; i++) {
        const struct host_image *image = image_of((const void *)(uintptr_t)walk.rip);
        struct host_context body = walk;
        struct unwound frame;
        uint64_t control = walk.rip;
        if (!image || !unwind_frame(image, &walk, &frame))
            return;
        if (frame.frame == target_frame)
            record->flags |= EXCEPTION_UNWINDS_TARGET;
        if (frame.kinds & UNWIND_TERMINATES) {
            struct host_dispatcher dispatcher = dispatcher_of(image, control, &frame);
            dispatcher.context = &body;
            dispatcher.target = target;
            (void)handler_of (&frame)(record, (void *)(uintptr_t)frame.frame, &body, &dispatcher);
        }
        if (frame.frame != target_frame)
            continue;
        body.rip = target;
        body.registers[REGISTER_RAX] = (uint32_t)record->code;
        call_out_leave(body.registers[REGISTER_RSP]);
        seh_resume(&body);
    }
}

/* ---- The language of C ----------------------------------------------------------------------- */

static struct seh_scope scope_at(const struct host_dispatcher *dispatcher, uint32_t index) {
    struct seh_scope scope;
    memcpy(&scope, (const char *)dispatcher->handler_data + 4 + index * sizeof(scope),
           sizeof(scope));
    return scope;
}

/* How many scopes there are; none where they do not lie in the image. */
static uint32_t scopes_of(const struct host_dispatcher *dispatcher) {
    const struct host_image *image = image_of((const void *)(uintptr_t)dispatcher->image_base);
    uint64_t at = (uintptr_t)dispatcher->handler_data - dispatcher->image_base;
    uint32_t count;
    if (!image || !image_shows(image, at, sizeof(count)))
        return 0;
    memcpy(&count, dispatcher->handler_data, sizeof(count));
    uint64_t bytes = (uint64_t)count * sizeof(struct seh_scope);
    return image_shows(image, at + sizeof(count), bytes) ? count : 0;
}

static bool scope_has(const struct seh_scope *scope, const struct host_dispatcher *dispatcher) {
    uint64_t at = dispatcher->control - dispatcher->image_base;
    return at >= scope->begin && at < scope->end;
}

static INT32 ask_filter(const struct seh_scope *scope, struct host_exception *record, void *frame,
                        struct host_context *context, const struct host_dispatcher *dispatcher) {
    struct host_exception_pointers pointers = {record, context};
    seh_filter filter;
    if (scope->handler == HANDLER_ALWAYS)
        return 1;
    uint64_t address = dispatcher->image_base + scope->handler;
    memcpy(&filter, &address, sizeof(filter));
    return filter(&pointers, frame);
}

static void run_termination(const struct seh_scope *scope, void *frame,
                            const struct host_dispatcher *dispatcher) {
    seh_termination termination;
    uint64_t address = dispatcher->image_base + scope->handler;
    memcpy(&termination, &address, sizeof(termination));
    termination(TRUE, frame);
}

/* The __finally blocks that are left, from the inside out. A block that the target lies in stays. */
static void terminate(const struct host_exception *record, void *frame,
                      struct host_dispatcher *dispatcher) {
    uint64_t target = dispatcher->target - dispatcher->image_base;
    bool at_target = record->flags & EXCEPTION_UNWINDS_TARGET;
    for (uint32_t i = dispatcher->scope, count = scopes_of(dispatcher); i < count; i++) {
        struct seh_scope scope = scope_at(dispatcher, i);
        if (!scope_has(&scope, dispatcher))
            continue;
        if (at_target && target >= scope.begin && target < scope.end && scope.target == 0)
            return;
        if (at_target && scope.target != 0 && scope.target == target)
            return;
        dispatcher->scope = i + 1;
        if (scope.target == 0)
            run_termination(&scope, frame, dispatcher);
    }
}

enum seh_disposition NTAPI vidmm_crt___C_specific_handler(struct host_exception *record,
                                                          void *frame, struct host_context *context,
                                                          struct host_dispatcher *dispatcher) {
    if (record->flags & (EXCEPTION_UNWINDS | EXCEPTION_UNWINDS_ALL)) {
        terminate(record, frame, dispatcher);
        return SEH_CONTINUE_SEARCH;
    }
    for (uint32_t i = dispatcher->scope, count = scopes_of(dispatcher); i < count; i++) {
        struct seh_scope scope = scope_at(dispatcher, i);
        if (!scope_has(&scope, dispatcher) || scope.target == 0)
            continue;
        INT32 answer = ask_filter(&scope, record, frame, context, dispatcher);
        if (answer < 0)
            return SEH_CONTINUE_EXECUTION;
        if (answer > 0)
            seh_unwind_to(record, context, (uintptr_t)frame, dispatcher->image_base + scope.target);
    }
    return SEH_CONTINUE_SEARCH;
}

/* ---- Raised by us ---------------------------------------------------------------------------- */

bool seh_caller(struct host_context *context) {
    const struct call_out *note = host_stack.newest;
    if (!note)
        return false;
    memset(context, 0, sizeof(*context));
    context->rip = note->rip;
    context->registers[REGISTER_RSP] = note->rsp + 8;
    context->registers[REGISTER_RBX] = note->rbx;
    context->registers[REGISTER_RBP] = note->rbp;
    context->registers[REGISTER_RSI] = note->rsi;
    context->registers[REGISTER_RDI] = note->rdi;
    memcpy(&context->registers[REGISTER_R12], &note->r12, 4 * sizeof(uint64_t));
    memcpy(context->xmm[6], note->xmm, sizeof(note->xmm));
    context->mxcsr = 0x1f80;
    return true;
}

void seh_raise_status(NTSTATUS status) {
    struct host_context context;
    if (!seh_caller(&context))
        return;
    struct host_exception record = {.code = status,
                                    .flags = EXCEPTION_CANNOT_CONTINUE,
                                    .address = (const void *)(uintptr_t)context.rip};
    (void)seh_dispatch(&record, &context);
}

/* goto or return out of a __try block: its __finally blocks run, and execution goes on at `target`
 * in the frame. */
VOID NTAPI vidmm_crt__local_unwind(void *frame, void *target) {
    struct host_context context;
    struct host_exception record = {.code = STATUS_SUCCESS};
    if (seh_caller(&context))
        seh_unwind_to(&record, &context, (uintptr_t)frame, (uintptr_t)target);
}

/* ---- The stack that a function is about to take ---------------------------------------------- */

/* One page after the other, so that what is below the stack is met before what is below that. r10:
 * the page; r11: the caller's stack pointer as it will be. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl vidmm_crt___chkstk\n"
        ".type vidmm_crt___chkstk, @function\n"
        "vidmm_crt___chkstk:\n"
        "    .cfi_startproc\n"
        "    pushq %r10\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %r11\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    leaq 24(%rsp), %r10\n"
        "    xorl %r11d, %r11d\n"
        "    cmpq %rax, %r10\n"
        "    jb probe_next\n"
        "    movq %r10, %r11\n"
        "    subq %rax, %r11\n"
        ".globl probe_next\n"
        ".hidden probe_next\n"
        "probe_next:\n"
        "    subq $4096, %r10\n"
        "    cmpq %r11, %r10\n"
        "    jbe probe_last\n"
        "    testb %al, (%r10)\n"
        "    jmp probe_next\n"
        "probe_last:\n"
        "    testb %al, (%r11)\n"
        ".globl probe_done\n"
        ".hidden probe_done\n"
        "probe_done:\n"
        "    popq %r11\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r10\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size vidmm_crt___chkstk, .-vidmm_crt___chkstk\n");

extern const unsigned char probe_next[] __attribute__((visibility("hidden")));
extern const unsigned char probe_done[] __attribute__((visibility("hidden")));

void seh_leave_probe(struct host_context *context) {
    uint64_t *rsp = &context->registers[REGISTER_RSP];
    if (context->rip - (uintptr_t)probe_next >= (uintptr_t)(probe_done - probe_next) ||
        !unwind_peek(*rsp + 16, &context->rip))
        return;
    context->rip--; /* in the call */
    *rsp += 24;
}
