/* SPDX-License-Identifier: MIT */
/*
 * Security descriptors, checks of access, tokens (wdm, ntddk and ntifs reference pages; numbers of the
 * flags: [MS-DTYP]).
 */
#ifndef WDDM_WDM_SECURITY_H
#define WDDM_WDM_SECURITY_H

#include "wdm_objects.h"

WDDM_BEGIN_DECLS

typedef PVOID PSID;
typedef struct WDDM_LAYOUT _ACL {
    UCHAR AclRevision;
    UCHAR Sbz1;
    USHORT AclSize;
    USHORT AceCount;
    USHORT Sbz2;
} ACL, *PACL;
typedef USHORT SECURITY_DESCRIPTOR_CONTROL, *PSECURITY_DESCRIPTOR_CONTROL;
typedef struct WDDM_LAYOUT _SECURITY_DESCRIPTOR {
    UCHAR Revision;
    UCHAR Sbz1;
    SECURITY_DESCRIPTOR_CONTROL Control;
    PSID Owner;
    PSID Group;
    PACL Sacl;
    PACL Dacl;
} SECURITY_DESCRIPTOR, *PISECURITY_DESCRIPTOR;
typedef PVOID PSECURITY_DESCRIPTOR;
#define SECURITY_DESCRIPTOR_REVISION 1
#define SE_DACL_PRESENT              0x0004
#define SE_DACL_DEFAULTED            0x0008
#define SE_SELF_RELATIVE             0x8000
NTSYSAPI NTSTATUS NTAPI RtlCreateSecurityDescriptor(PSECURITY_DESCRIPTOR SecurityDescriptor,
                                                    ULONG Revision);
NTSYSAPI NTSTATUS NTAPI RtlSetDaclSecurityDescriptor(PSECURITY_DESCRIPTOR SecurityDescriptor,
                                                     BOOLEAN DaclPresent, PACL Dacl,
                                                     BOOLEAN DaclDefaulted);
NTSYSAPI ULONG NTAPI RtlLengthRequiredSid(ULONG SubAuthorityCount);

typedef struct WDDM_LAYOUT _GENERIC_MAPPING {
    ACCESS_MASK GenericRead;
    ACCESS_MASK GenericWrite;
    ACCESS_MASK GenericExecute;
    ACCESS_MASK GenericAll;
} GENERIC_MAPPING, *PGENERIC_MAPPING;
#define MAXIMUM_ALLOWED 0x02000000u
typedef struct _SECURITY_SUBJECT_CONTEXT *PSECURITY_SUBJECT_CONTEXT;
typedef struct _PRIVILEGE_SET *PPRIVILEGE_SET;
typedef PVOID PACCESS_TOKEN;
typedef enum _TOKEN_INFORMATION_CLASS {
    TokenUser = 1,
    TokenGroups,
    TokenPrivileges,
    TokenOwner,
    TokenPrimaryGroup,
    TokenDefaultDacl,
    TokenSource,
    TokenType,
    TokenImpersonationLevel,
    TokenStatistics,
    TokenRestrictedSids,
    TokenSessionId
} TOKEN_INFORMATION_CLASS;
NTKERNELAPI BOOLEAN NTAPI SeAccessCheck(PSECURITY_DESCRIPTOR SecurityDescriptor,
                                        PSECURITY_SUBJECT_CONTEXT SubjectSecurityContext,
                                        BOOLEAN SubjectContextLocked, ACCESS_MASK DesiredAccess,
                                        ACCESS_MASK PreviouslyGrantedAccess,
                                        PPRIVILEGE_SET *Privileges, PGENERIC_MAPPING GenericMapping,
                                        KPROCESSOR_MODE AccessMode, ACCESS_MASK *GrantedAccess,
                                        NTSTATUS *AccessStatus);
NTKERNELAPI BOOLEAN NTAPI SeSinglePrivilegeCheck(LUID PrivilegeValue, KPROCESSOR_MODE PreviousMode);
NTKERNELAPI NTSTATUS NTAPI SeQueryInformationToken(PACCESS_TOKEN Token,
                                                   TOKEN_INFORMATION_CLASS TokenInformationClass,
                                                   PVOID *TokenInformation);
NTKERNELAPI NTSTATUS NTAPI SeLocateProcessImageName(PEPROCESS Process,
                                                    PUNICODE_STRING *pImageFileName);

WDDM_END_DECLS

#endif
