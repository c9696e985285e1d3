/* SPDX-License-Identifier: MIT */
/* Tracing without a tracer (page TraceLoggingProvider.h). */
#ifndef WDDM_TRACELOGGINGPROVIDER_H
#define WDDM_TRACELOGGINGPROVIDER_H

#define TRACELOGGING_DECLARE_PROVIDER(Handle)     extern int Handle
#define TRACELOGGING_DEFINE_PROVIDER(Handle, ...) int Handle
#define TraceLoggingRegister(...)                 ((NTSTATUS)0)
#define TraceLoggingUnregister(...)               ((void)0)
#define TraceLoggingWrite(...)                    ((void)0)

#endif
