/*
 * callback.c - see callback.h (pages nf-wdm-excreatecallback, nf-wdm-exregistercallback,
 * nf-wdm-exnotifycallback). Objects live until the host ends, as permanent ones do.
 */
#include "kernel/callback.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "base/world.h"
#include "image/stack.h"

struct registration {
    struct registration *next;
    struct _CALLBACK_OBJECT *object;
    PCALLBACK_FUNCTION function;
    PVOID context;
};

struct _CALLBACK_OBJECT {
    struct _CALLBACK_OBJECT *next;
    struct registration *first; /* in the order of registration */
    bool many;
    USHORT length; /* of the name, in bytes */
    WCHAR name[];
};

static pthread_mutex_t callback_guard = PTHREAD_MUTEX_INITIALIZER;
static struct _CALLBACK_OBJECT *callback_objects;

/* Those that the system makes: nothing here calls them. */
static bool callback_of_system(const UNICODE_STRING *name) {
    static const WCHAR *const names[] = {u"\\Callback\\SetSystemTime", u"\\Callback\\PowerState",
                                         u"\\Callback\\ProcessorAdd"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        UNICODE_STRING known;
        RtlInitUnicodeString(&known, names[i]);
        if (RtlEqualUnicodeString(&known, name, TRUE))
            return true;
    }
    return false;
}

static struct _CALLBACK_OBJECT *callback_find(const UNICODE_STRING *name) {
    struct _CALLBACK_OBJECT *object = callback_objects;
    for (; object; object = object->next) {
        UNICODE_STRING known = {object->length, object->length, object->name};
        if (RtlEqualUnicodeString(&known, name, TRUE))
            return object;
    }
    return NULL;
}

static struct _CALLBACK_OBJECT *callback_make(const UNICODE_STRING *name, bool many) {
    struct _CALLBACK_OBJECT *object =
        host_may_allocate() ? calloc(1, sizeof(*object) + name->Length) : NULL;
    if (!object)
        return NULL;
    memcpy(object->name, name->Buffer, name->Length);
    object->length = name->Length;
    object->many = many;
    object->next = callback_objects;
    callback_objects = object;
    return object;
}

NTKERNELAPI NTSTATUS NTAPI ExCreateCallback(PCALLBACK_OBJECT *CallbackObject,
                                            POBJECT_ATTRIBUTES ObjectAttributes, BOOLEAN Create,
                                            BOOLEAN AllowMultipleCallbacks) {
    const UNICODE_STRING *name = ObjectAttributes->ObjectName;
    if (!host_irql_at_most(APC_LEVEL, "ExCreateCallback") || !name || name->Length == 0)
        return STATUS_UNSUCCESSFUL;
    pthread_mutex_lock(&callback_guard);
    struct _CALLBACK_OBJECT *object = callback_find(name);
    NTSTATUS status = STATUS_SUCCESS;
    if (!object && !Create && !callback_of_system(name))
        status = STATUS_OBJECT_NAME_NOT_FOUND;
    else if (!object && !(object = callback_make(name, !Create || AllowMultipleCallbacks)))
        status = STATUS_INSUFFICIENT_RESOURCES;
    if (NT_SUCCESS(status))
        *CallbackObject = object;
    pthread_mutex_unlock(&callback_guard);
    return status;
}

/* NULL: no memory, or a second routine of an object that has one. */
NTKERNELAPI PVOID NTAPI ExRegisterCallback(PCALLBACK_OBJECT CallbackObject,
                                           PCALLBACK_FUNCTION CallbackFunction,
                                           PVOID CallbackContext) {
    struct registration *made = NULL;
    if (!host_irql_at_most(APC_LEVEL, "ExRegisterCallback"))
        return NULL;
    pthread_mutex_lock(&callback_guard);
    struct registration **end = &CallbackObject->first;
    while (*end)
        end = &(*end)->next;
    if ((CallbackObject->many || !CallbackObject->first) && host_may_allocate())
        made = calloc(1, sizeof(*made));
    if (made)
        *made = (struct registration){NULL, CallbackObject, CallbackFunction, CallbackContext};
    *end = made;
    pthread_mutex_unlock(&callback_guard);
    if (made)
        host_track(HOST_TRACKED_CALLBACK, made);
    return made;
}

NTKERNELAPI VOID NTAPI ExUnregisterCallback(PVOID CallbackRegistration) {
    struct registration *gone = CallbackRegistration;
    if (!host_irql_at_most(APC_LEVEL, "ExUnregisterCallback"))
        return;
    pthread_mutex_lock(&callback_guard);
    struct registration **link = &gone->object->first;
    while (*link && *link != gone)
        link = &(*link)->next;
    if (*link)
        *link = gone->next;
    pthread_mutex_unlock(&callback_guard);
    host_untrack(HOST_TRACKED_CALLBACK, gone);
    free(gone);
}

/* At the level of the caller, in the order of registration. */
NTKERNELAPI VOID NTAPI ExNotifyCallback(PVOID CallbackObject, PVOID Argument1, PVOID Argument2) {
    struct _CALLBACK_OBJECT *object = CallbackObject;
    host_irql_at_most(DISPATCH_LEVEL, "ExNotifyCallback");
    for (struct registration *r = object->first, *next; r; r = next) {
        next = r->next; /* a routine may take itself off */
        DRIVER_CALL(r->function)(r->context, Argument1, Argument2);
    }
}

uint32_t host_callbacks_forget(void) {
    uint32_t left = 0;
    while (callback_objects) {
        struct _CALLBACK_OBJECT *object = callback_objects;
        callback_objects = object->next;
        while (object->first) {
            struct registration *r = object->first;
            object->first = r->next;
            free(r);
            left++;
        }
        free(object);
    }
    return left;
}
