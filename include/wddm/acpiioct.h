/* SPDX-License-Identifier: MIT */
/*
 * Buffers of DxgkCbEvalAcpiMethod. Pages ns-acpiioct-_acpi_eval_input_buffer_complex_v1,
 * -_acpi_eval_output_buffer_v1 and -_acpi_method_argument_v1; the pages do not print the values of
 * the signatures and argument types.
 */
#ifndef WDDM_ACPIIOCT_H
#define WDDM_ACPIIOCT_H

#include "ntdef.h"

WDDM_BEGIN_DECLS

/* Four characters, the first in the highest byte. */
#define WDDM_ACPI_NAME(a, b, c, d)                                                                 \
    (((ULONG)(a) << 24) | ((ULONG)(b) << 16) | ((ULONG)(c) << 8) | (ULONG)(d))

#define ACPI_EVAL_INPUT_BUFFER_SIGNATURE         WDDM_ACPI_NAME('B', 'i', 'e', 'A')
#define ACPI_EVAL_INPUT_BUFFER_COMPLEX_SIGNATURE WDDM_ACPI_NAME('C', 'i', 'e', 'A')
#define ACPI_EVAL_OUTPUT_BUFFER_SIGNATURE        WDDM_ACPI_NAME('B', 'o', 'e', 'A')

/* The method _HID, spelled from its last character as MethodNameAsUlong wants it. */
#define ACPI_METHOD_HARDWARE_ID WDDM_ACPI_NAME('D', 'I', 'H', '_')

#define ACPI_METHOD_ARGUMENT_INTEGER 0x0
#define ACPI_METHOD_ARGUMENT_STRING  0x1
#define ACPI_METHOD_ARGUMENT_BUFFER  0x2
#define ACPI_METHOD_ARGUMENT_PACKAGE 0x3

typedef struct WDDM_LAYOUT _ACPI_METHOD_ARGUMENT_V1 {
    USHORT Type;
    USHORT DataLength; /* of Data, in bytes */
    union WDDM_LAYOUT {
        ULONG Argument;
        UCHAR Data[1];
    };
} ACPI_METHOD_ARGUMENT_V1, *PACPI_METHOD_ARGUMENT_V1, ACPI_METHOD_ARGUMENT, *PACPI_METHOD_ARGUMENT;

/* Room for `DataLength` bytes; the union is never smaller than its ULONG. */
#define ACPI_METHOD_ARGUMENT_LENGTH(DataLength)                                                    \
    (FIELD_OFFSET(ACPI_METHOD_ARGUMENT, Data) +                                                    \
     ((DataLength) > sizeof(ULONG) ? (DataLength) : sizeof(ULONG)))
#define ACPI_METHOD_NEXT_ARGUMENT(Argument_)                                                       \
    ((PACPI_METHOD_ARGUMENT)((PUCHAR)(Argument_) +                                                 \
                             ACPI_METHOD_ARGUMENT_LENGTH((Argument_)->DataLength)))

typedef struct WDDM_LAYOUT _ACPI_EVAL_INPUT_BUFFER_COMPLEX_V1 {
    ULONG Signature;
    union WDDM_LAYOUT {
        UCHAR MethodName[4];
        ULONG MethodNameAsUlong;
    };
    ULONG Size; /* of Argument, in bytes */
    ULONG ArgumentCount;
    ACPI_METHOD_ARGUMENT Argument[1];
} ACPI_EVAL_INPUT_BUFFER_COMPLEX_V1, *PACPI_EVAL_INPUT_BUFFER_COMPLEX_V1,
    ACPI_EVAL_INPUT_BUFFER_COMPLEX, *PACPI_EVAL_INPUT_BUFFER_COMPLEX;

typedef struct WDDM_LAYOUT _ACPI_EVAL_OUTPUT_BUFFER_V1 {
    ULONG Signature;
    ULONG Length; /* of the whole buffer, also of one that would have been large enough */
    ULONG Count;
    ACPI_METHOD_ARGUMENT Argument[1];
} ACPI_EVAL_OUTPUT_BUFFER_V1, *PACPI_EVAL_OUTPUT_BUFFER_V1, ACPI_EVAL_OUTPUT_BUFFER,
    *PACPI_EVAL_OUTPUT_BUFFER;

WDDM_END_DECLS

#endif
