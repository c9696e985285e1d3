/*
 * check_processes.c - processes, their devices, and the privileged ones beside them.
 */
#include "base/device.h"
#include "base/process.h"
#include "check/books.h"

static uint32_t count_devices(const struct vidmm_adapter *adapter,
                              const struct vidmm_process *process) {
    uint32_t count = 0;
    for (const struct vidmm_device *one = adapter->devices.first; one; one = one->next)
        count += one->process == process;
    return count;
}

static void check_process(struct vidmm_adapter *adapter, const struct vidmm_process *process) {
    struct check_object object = check_object("process", process->number);
    CHECK(adapter, process->adapter == adapter, object, "of another adapter");
    CHECK(adapter, process->number <= adapter->processes.made, object,
          "its number is still to come");
    CHECK(adapter, process->devices == count_devices(adapter, process), object,
          "its devices are not as many as counted");
    CHECK(adapter, !process->privileged || process->privileged->owner == process, object,
          "the process beside it belongs to another");
    CHECK(adapter, !process->owner || process->owner->privileged == process, object,
          "it stands beside a process that does not know it");
    CHECK(adapter, !process->device || process->owner, object,
          "a device of the system's, and it stands beside no process");
    CHECK(adapter, adapter->gpummu == !!process->space, object,
          "page tables without the model, or the other way round");
    CHECK(adapter, !adapter->iommu || process->pasid, object, "the IOMMU does not know it");
}

void check_processes(struct vidmm_adapter *adapter) {
    CHECK(adapter, !adapter->processes.creating, check_object("process", adapter->processes.made),
          "still being made");
    for (const struct vidmm_process *one = adapter->processes.first; one; one = one->next)
        check_process(adapter, one);
}
