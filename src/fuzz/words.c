/*
 * words.c - an input in words, for whoever reads a finding.
 */
#include "input.h"

#define BYTES_SHOWN 32u

static void words_say_data(const struct fuzz_call *call, FILE *out) {
    if (call->size == 0)
        return;
    fprintf(out, ", %u bytes:", call->size);
    for (uint32_t i = 0; i < call->size && i < BYTES_SHOWN; i++)
        fprintf(out, "%s%02x", i % 4 == 0 ? " " : "", call->data[i]);
    fputs(call->size > BYTES_SHOWN ? " ..." : "", out);
}

static void words_say_objects(const struct fuzz_call *call, FILE *out) {
    switch (call->op) {
    case FUZZ_OP_ALLOCATE:
    case FUZZ_OP_STANDARD:
    case FUZZ_OP_OPEN:
    case FUZZ_OP_MAP:
        fprintf(out, " %u, device %u", call->a % 8u, call->b % 4u);
        break;
    case FUZZ_OP_SUBMIT:
    case FUZZ_OP_PRESENT:
    case FUZZ_OP_UPDATE:
    case FUZZ_OP_END_CONTEXT:
        fprintf(out, ", context %u", call->a % 4u);
        break;
    case FUZZ_OP_CONTEXT:
        fprintf(out, " %u, device %u", call->a % 4u, call->b % 4u);
        break;
    case FUZZ_OP_ESCAPE:
        fprintf(out, ", device %u", call->a % 4u);
        break;
    case FUZZ_OP_DEVICE:
    case FUZZ_OP_END_DEVICE:
        fprintf(out, " %u", call->a % 4u);
        break;
    case FUZZ_OP_PRESSURE:
    case FUZZ_OP_RESET:
    case FUZZ_OP_WAIT:
    case FUZZ_OP_STARVE:
    case FUZZ_OP_QUERY:
        break;
    default:
        fprintf(out, " %u", call->a % 8u);
        break;
    }
}

void fuzz_input_say(const struct fuzz_input *input, FILE *out) {
#define FUZZ_WORDS(name, words) words,
    static const char *const said[FUZZ_OP_COUNT] = {FUZZ_OPS(FUZZ_WORDS)};
#undef FUZZ_WORDS
    for (uint32_t i = 0; i < input->count; i++) {
        const struct fuzz_call *call = &input->call[i];
        fprintf(out, "  %2u  %s", i + 1, said[call->op]);
        words_say_objects(call, out);
        if (call->flags != 0 || call->value != 0)
            fprintf(out, " (flags 0x%02x, value 0x%04x)", call->flags, call->value);
        words_say_data(call, out);
        fputc('\n', out);
    }
}
