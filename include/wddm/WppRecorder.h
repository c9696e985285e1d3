/* SPDX-License-Identifier: MIT */
/*
 * Tracing without a tracer: the names that sources with the trace recorder use. The trace calls
 * themselves are in the .tmh files that `vidmm cc` makes.
 */
#ifndef WDDM_WPPRECORDER_H
#define WDDM_WPPRECORDER_H

typedef struct _RECORDER_CONFIGURE_PARAMS {
    unsigned Size;
} RECORDER_CONFIGURE_PARAMS;

static unsigned char wddm_trace_filter __attribute__((unused));

#define WPP_INIT_TRACING(...)                   ((void)0)
#define WPP_CLEANUP(...)                        ((void)0)
#define RECORDER_CONFIGURE_PARAMS_INIT(Params_) ((void)((Params_)->Size = sizeof(*(Params_))))
#define WppRecorderConfigure(Params_)           ((void)(Params_))
#define WPP_RECORDER_LEVEL_FILTER(Flag_)        wddm_trace_filter

/* The first parameter of a driver's own bug check; the system headers give it a number. */
#define BUGCODE_ID_DRIVER 0u

#endif
