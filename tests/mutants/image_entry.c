/*
 * image_entry.c - the reference driver as an image (.sys) that is one of the mutants: the setting
 * Mutant, 1 + its number in mutants_<family> plus 1000 for each family before, says which.
 *
 * DxgkInitialize of the reference driver is called take_table here (build-images.sh). mutants_test
 * runs the same mutants inside the process and compares.
 */
#undef DxgkInitialize
#include "mutants.h"

DRIVER_INITIALIZATION_DATA mutants_good, mutants_below;

static ULONG setting(PWSTR name) {
    static WCHAR key[] = u"vidmm";
    ULONG value = 0;
    RTL_QUERY_REGISTRY_TABLE table[2] = {{0}};
    table[0].Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK;
    table[0].Name = name;
    table[0].EntryContext = &value;
    table[0].DefaultType = (ULONG)REG_DWORD << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
    (void)RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, key, table, NULL, NULL);
    return value;
}

static const struct mutant *chosen(ULONG number) {
#define FAMILY(family, name)                                                                       \
    if (number != 0 && number <= mutants_##family##_count)                                         \
        return &mutants_##family[number - 1];                                                      \
    number = number > MUTANTS_FAMILY_STEP ? number - MUTANTS_FAMILY_STEP : 0;
    MUTANTS_OF_IMAGES(FAMILY)
#undef FAMILY
    return NULL;
}

NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path, PDRIVER_INITIALIZATION_DATA table);
NTSTATUS take_table(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                    PDRIVER_INITIALIZATION_DATA table) {
    static WCHAR name[] = u"Mutant";
    const struct mutant *mutant = chosen(setting(name));
    mutants_good = *table;
    if (mutant)
        mutant->install(table);
    return DxgkInitialize(driver, path, table);
}
