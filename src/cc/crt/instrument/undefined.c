/*
 * undefined.c - what a driver that is built with -fsanitize=undefined calls where the
 * behaviour of its code is undefined. Each place is told to the host once, as a violation of the
 * driver's.
 */
#define LOCAL __attribute__((visibility("hidden")))

typedef unsigned int U32;

struct place {
    const char *file;
    U32 line, column;
};

/* Of the program that loads the driver (vidmm/host.h). */
void vidmm_host_undefined(const char *what, const char *file, U32 line, U32 column);

#define TOLD 0xffffffffu /* a column that was told already */

static void undefined_tell(const char *what, struct place *place) {
    U32 column = __atomic_exchange_n(&place->column, TOLD, __ATOMIC_RELAXED);
    if (column != TOLD)
        vidmm_host_undefined(what, place->file, place->line, column);
}

/* Every handler gets the place first; values that follow are not told. */
#define HANDLER(name, what)                                                                        \
    LOCAL void __ubsan_handle_##name(struct place *place) {                                        \
        undefined_tell(what, place);                                                               \
    }                                                                                              \
    LOCAL void __ubsan_handle_##name##_abort(struct place *place) {                                \
        undefined_tell(what, place);                                                               \
        __builtin_trap();                                                                          \
    }
HANDLER(add_overflow, "an addition overflows")
HANDLER(sub_overflow, "a subtraction overflows")
HANDLER(mul_overflow, "a multiplication overflows")
HANDLER(negate_overflow, "a negation overflows")
HANDLER(divrem_overflow, "a division by zero or an overflow of it")
HANDLER(shift_out_of_bounds, "a shift by more than the type has bits")
HANDLER(out_of_bounds, "an index beyond the array")
HANDLER(local_out_of_bounds, "an index beyond the array")
HANDLER(type_mismatch_v1, "an access through a null, unaligned or too short pointer")
HANDLER(pointer_overflow, "arithmetic that leaves the pointer's object")
HANDLER(alignment_assumption, "a pointer that is not aligned as assumed")
HANDLER(vla_bound_not_positive, "an array with a length that is not positive")
HANDLER(float_cast_overflow, "a number that its new type cannot have")
HANDLER(load_invalid_value, "a value that its type cannot have")
HANDLER(implicit_conversion, "an implicit conversion that changes the value")
HANDLER(invalid_builtin, "an argument that a built-in function cannot have")
HANDLER(function_type_mismatch, "a call through a pointer to another type of function")
HANDLER(function_type_mismatch_v1, "a call through a pointer to another type of function")
HANDLER(nonnull_arg, "a null argument where none may be")
HANDLER(nullability_arg, "a null argument where none may be")
#undef HANDLER

#define RETURN_HANDLER(name)                                                                       \
    LOCAL void __ubsan_handle_##name(void *data, struct place *place) {                            \
        (void)data;                                                                                \
        undefined_tell("a null value returned where none may be", place);                          \
    }
RETURN_HANDLER(nonnull_return_v1)
RETURN_HANDLER(nullability_return_v1)
#undef RETURN_HANDLER

/* Code goes nowhere from there. */
LOCAL void __ubsan_handle_builtin_unreachable(struct place *place) {
    undefined_tell("a place that is said to be unreachable", place);
    __builtin_trap();
}

LOCAL void __ubsan_handle_missing_return(struct place *place) {
    undefined_tell("the end of a function that returns a value", place);
    __builtin_trap();
}
