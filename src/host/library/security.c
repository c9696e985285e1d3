/*
 * security.c - security descriptors of the absolute form (pages nf-wdm-rtlcreatesecuritydescriptor,
 * nf-wdm-rtlsetdaclsecuritydescriptor, nf-ntifs-rtllengthrequiredsid).
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"

NTSYSAPI NTSTATUS NTAPI RtlCreateSecurityDescriptor(PSECURITY_DESCRIPTOR SecurityDescriptor,
                                                    ULONG Revision) {
    PISECURITY_DESCRIPTOR descriptor = SecurityDescriptor;
    host_irql_at_most(PASSIVE_LEVEL, "RtlCreateSecurityDescriptor");
    if (Revision != SECURITY_DESCRIPTOR_REVISION)
        return STATUS_UNKNOWN_REVISION;
    memset(descriptor, 0, sizeof(*descriptor));
    descriptor->Revision = SECURITY_DESCRIPTOR_REVISION;
    return STATUS_SUCCESS;
}

NTSYSAPI NTSTATUS NTAPI RtlSetDaclSecurityDescriptor(PSECURITY_DESCRIPTOR SecurityDescriptor,
                                                     BOOLEAN DaclPresent, PACL Dacl,
                                                     BOOLEAN DaclDefaulted) {
    PISECURITY_DESCRIPTOR descriptor = SecurityDescriptor;
    host_irql_at_most(PASSIVE_LEVEL, "RtlSetDaclSecurityDescriptor");
    if (descriptor->Revision != SECURITY_DESCRIPTOR_REVISION)
        return STATUS_UNKNOWN_REVISION;
    if ((descriptor->Control & SE_SELF_RELATIVE) != 0)
        return STATUS_INVALID_SECURITY_DESCR;
    if (!DaclPresent) {
        descriptor->Control &= (SECURITY_DESCRIPTOR_CONTROL)~SE_DACL_PRESENT;
        return STATUS_SUCCESS;
    }
    descriptor->Control =
        (SECURITY_DESCRIPTOR_CONTROL)(((ULONG)descriptor->Control & ~(ULONG)SE_DACL_DEFAULTED) |
                                      SE_DACL_PRESENT | (DaclDefaulted ? SE_DACL_DEFAULTED : 0u));
    descriptor->Dacl = Dacl;
    return STATUS_SUCCESS;
}

/* A head of 8 bytes, and 4 for each subauthority ([MS-DTYP] 2.4.2.2). */
NTSYSAPI ULONG NTAPI RtlLengthRequiredSid(ULONG SubAuthorityCount) {
    host_irql_at_most(APC_LEVEL, "RtlLengthRequiredSid");
    return 8 + 4 * SubAuthorityCount;
}
