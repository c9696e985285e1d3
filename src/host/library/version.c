/*
 * version.c - the version of the system that the host plays: Windows 10 with the build of version
 * 22H2 (pages nf-wdm-rtlgetversion, nf-wdm-rtlverifyversioninfo).
 */
#include <string.h>

#include "base/thread.h"
#include "base/world.h"

#define MAJOR 10u
#define MINOR 0u
#define BUILD 19045u

NTSYSAPI NTSTATUS NTAPI RtlGetVersion(PRTL_OSVERSIONINFOW VersionInformation) {
    ULONG size = VersionInformation->dwOSVersionInfoSize;
    host_irql_at_most(PASSIVE_LEVEL, "RtlGetVersion");
    if (size != sizeof(RTL_OSVERSIONINFOW) && size != sizeof(RTL_OSVERSIONINFOEXW))
        return STATUS_INVALID_PARAMETER;
    memset(VersionInformation, 0, size);
    VersionInformation->dwOSVersionInfoSize = size;
    VersionInformation->dwMajorVersion = MAJOR;
    VersionInformation->dwMinorVersion = MINOR;
    VersionInformation->dwBuildNumber = BUILD;
    VersionInformation->dwPlatformId = VER_PLATFORM_WIN32_NT;
    if (size == sizeof(RTL_OSVERSIONINFOEXW))
        ((PRTL_OSVERSIONINFOEXW)VersionInformation)->wProductType = 1; /* a workstation */
    return STATUS_SUCCESS;
}

/* Three bits for each of the eight kinds of the type mask. */
NTSYSAPI ULONGLONG NTAPI VerSetConditionMask(ULONGLONG ConditionMask, ULONG TypeMask,
                                             UCHAR Condition) {
    for (unsigned kind = 0; kind < 8; kind++) {
        if ((TypeMask >> kind & 1) != 0)
            ConditionMask |= (ULONGLONG)(Condition & 7) << (kind * 3);
    }
    return ConditionMask;
}

static bool version_holds(ULONG have, ULONG asked, ULONGLONG condition) {
    switch (condition & 7) {
    case VER_EQUAL:
        return have == asked;
    case VER_GREATER:
        return have > asked;
    case VER_GREATER_EQUAL:
        return have >= asked;
    case VER_LESS:
        return have < asked;
    default:
        return have <= asked;
    }
}

/* Major, minor and build number; a difference in the major one decides about the minor one. */
NTSYSAPI NTSTATUS NTAPI RtlVerifyVersionInfo(PRTL_OSVERSIONINFOEXW VersionInfo, ULONG TypeMask,
                                             ULONGLONG ConditionMask) {
    bool holds = true;
    host_irql_at_most(PASSIVE_LEVEL, "RtlVerifyVersionInfo");
    if (TypeMask == 0 || ConditionMask == 0 ||
        (TypeMask & ~(VER_MAJORVERSION | VER_MINORVERSION | VER_BUILDNUMBER)) != 0)
        return STATUS_INVALID_PARAMETER;
    bool same = true;
    if ((TypeMask & VER_MAJORVERSION) != 0) {
        holds = version_holds(MAJOR, VersionInfo->dwMajorVersion, ConditionMask >> 3);
        same = VersionInfo->dwMajorVersion == MAJOR;
    }
    if (same && (TypeMask & VER_MINORVERSION) != 0)
        holds = holds && version_holds(MINOR, VersionInfo->dwMinorVersion, ConditionMask);
    if ((TypeMask & VER_BUILDNUMBER) != 0)
        holds = holds && version_holds(BUILD, VersionInfo->dwBuildNumber, ConditionMask >> 6);
    return holds ? STATUS_SUCCESS : STATUS_REVISION_MISMATCH;
}

NTSYSAPI BOOLEAN NTAPI RtlIsNtDdiVersionAvailable(ULONG Version) {
    host_irql_at_most(PASSIVE_LEVEL, "RtlIsNtDdiVersionAvailable");
    return (Version & 0xffff) == 0 && Version <= (MAJOR << 24 | MINOR << 16);
}

NTKERNELAPI BOOLEAN NTAPI PsGetVersion(PULONG MajorVersion, PULONG MinorVersion, PULONG BuildNumber,
                                       PUNICODE_STRING CSDVersion) {
    host_irql_at_most(PASSIVE_LEVEL, "PsGetVersion");
    if (MajorVersion)
        *MajorVersion = MAJOR;
    if (MinorVersion)
        *MinorVersion = MINOR;
    if (BuildNumber)
        *BuildNumber = BUILD;
    if (CSDVersion)
        CSDVersion->Length = 0;
    return FALSE; /* not a checked build */
}
