/* chain.c - the order in which the devices live; see chain.h. */
#include "driver/chain.h"

#include "base/world.h"
#include "driver/device.h"
#include "driver/driver.h"
#include "driver/thunks.h"
#include "memory/bars.h"
#include "memory/physical.h"

/* The lowest free ones, which are given out first. */
#define FRAMES_OF_OTHERS 256u

/* ---- One chain with one leading link --------------------------------------------------------- */

/* The four life-cycle entry points that every driver must have. */
static const char *chain_missing(const DRIVER_INITIALIZATION_DATA *ddi) {
    return !ddi->DxgkDdiAddDevice      ? "DxgkDdiAddDevice"
           : !ddi->DxgkDdiStartDevice  ? "DxgkDdiStartDevice"
           : !ddi->DxgkDdiStopDevice   ? "DxgkDdiStopDevice"
           : !ddi->DxgkDdiRemoveDevice ? "DxgkDdiRemoveDevice"
                                       : NULL;
}

static bool chain_table(const struct vidmm_host *host, struct vidmm_host_error *error) {
    const DRIVER_INITIALIZATION_DATA *ddi = &host->driver->ddi;
    const char *absent = chain_missing(ddi);
    if (absent)
        return host_driver_fail(error, STATUS_SUCCESS, "the driver left %s NULL in its table",
                                absent);
    if (host->linked > 1 && !ddi->DxgkDdiLinkDevice)
        return host_driver_fail(error, STATUS_SUCCESS,
                                "the driver left DxgkDdiLinkDevice NULL in its table: it cannot "
                                "link %u devices",
                                host->linked);
    return true;
}

/* A device that is not linked may say so by a failure, or by a chain of none or one. */
static bool chain_single(struct host_device *device, struct vidmm_host_error *error) {
    struct vidmm_host_error refused;
    LINKED_DEVICE link;
    if (!host_device_ask_link(device, &link, &refused) || link.NumberOfLinksInChain <= 1)
        return true;
    return host_driver_fail(error, STATUS_SUCCESS,
                            "DxgkDdiLinkDevice says NumberOfLinksInChain %u, but there is only one "
                            "device",
                            link.NumberOfLinksInChain);
}

static bool chain_adds(struct vidmm_host *host, LINKED_DEVICE link[HOST_LINKED_MOST],
                       struct vidmm_host_error *error) {
    for (uint32_t board = 0; board < host->linked; board++) {
        struct host_device *device = &host->device[board];
        if (!host_device_add(device, error))
            return false;
        if (host->linked == 1)
            return !host->driver->ddi.DxgkDdiLinkDevice || chain_single(device, error);
        if (!host_device_ask_link(device, &link[board], error))
            return false;
    }
    return true;
}

static bool chain_is_one(const struct vidmm_host *host, const LINKED_DEVICE *link,
                         struct vidmm_host_error *error) {
    for (uint32_t board = 0; board < host->linked; board++) {
        if (link[board].NumberOfLinksInChain != host->linked)
            return host_driver_fail(error, STATUS_SUCCESS,
                                    "DxgkDdiLinkDevice of device %u says NumberOfLinksInChain %u, "
                                    "but there are %u devices",
                                    board, link[board].NumberOfLinksInChain, host->linked);
        if (link[board].ChainUid != link[0].ChainUid)
            return host_driver_fail(error, STATUS_SUCCESS,
                                    "DxgkDdiLinkDevice of device %u says ChainUid 0x%x, but that "
                                    "of device 0 is 0x%x",
                                    board, link[board].ChainUid, link[0].ChainUid);
    }
    return true;
}

/* Gives the boards their places in the logical adapter: `lead` becomes the first one. */
static void chain_order(struct vidmm_host *host, uint32_t lead) {
    for (uint32_t physical = lead; physical > 0; physical--)
        host->board_of[physical] = physical - 1;
    host->board_of[0] = lead;
}

static bool chain_lead(struct vidmm_host *host, const LINKED_DEVICE *link,
                       struct vidmm_host_error *error) {
    uint32_t leads = 0, lead = 0;
    for (uint32_t board = 0; board < host->linked; board++)
        if (link[board].LeadLink) {
            leads++;
            lead = board;
        }
    if (leads == 1) {
        chain_order(host, lead);
        return true;
    }
    return host_driver_fail(error, STATUS_SUCCESS,
                            "DxgkDdiLinkDevice says LeadLink of %u devices in the chain; it must "
                            "say that of exactly one",
                            leads);
}

static bool chain_link(struct vidmm_host *host, struct vidmm_host_error *error) {
    LINKED_DEVICE link[HOST_LINKED_MOST];
    if (!chain_adds(host, link, error))
        return false;
    return host->linked == 1 || (chain_is_one(host, link, error) && chain_lead(host, link, error));
}

/* ---- Up and down ----------------------------------------------------------------------------- */

static struct host_device *chain_device(struct vidmm_host *host, uint32_t physical) {
    return &host->device[host->board_of[physical]];
}

static bool chain_devices_start(struct vidmm_host *host, struct vidmm_host_error *error) {
    bool good = true;
    for (uint32_t nth = 1; good && nth <= host->linked; nth++) /* the lead is the last one */
        good = host_device_start(chain_device(host, nth % host->linked), error);
    return good;
}

static bool chain_devices_stop(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_error second;
    bool good = true;
    for (uint32_t physical = 0; physical < host->linked; physical++)
        good = host_device_stop(chain_device(host, physical), good ? error : &second) && good;
    return good;
}

bool host_chain_start(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_error second;
    bool good = chain_table(host, error) && chain_link(host, error);
    if (good)
        host_thunks_build(host->thunks, &host->driver->ddi);
    good = good && chain_devices_start(host, error);
    if (!good)
        host_chain_stop(host, &second);
    return good;
}

/* What was the device's becomes somebody else's: BARs, and the memory that the driver gave back. */
static void chain_move(struct vidmm_host *host) {
    uint64_t frame;
    host_bars_move(host->bars);
    for (uint32_t board = 0; board < host->linked; board++)
        host_device_configure(&host->device[board]);
    for (uint32_t i = 0; i < FRAMES_OF_OTHERS; i++)
        (void)host_frames_take_run(host->physical, 1, 0, host->physical->pages, 0, &frame);
}

bool host_chain_rebalance(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_error second;
    bool good = chain_devices_stop(host, error);
    chain_move(host);
    good = good && chain_devices_start(host, error);
    if (!good)
        host_chain_stop(host, &second);
    return good;
}

bool host_chain_stop(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_error second;
    if (host->boards > host->linked)
        host->board_of[0] = 0;
    bool good = chain_devices_stop(host, error);
    for (uint32_t board = host->linked; board < host->boards; board++) {
        good = host_device_stop(&host->device[board], good ? error : &second) && good;
        good = host_device_remove(&host->device[board], good ? error : &second) && good;
    }
    for (uint32_t physical = 0; physical < host->linked; physical++)
        good = host_device_remove(chain_device(host, physical), good ? error : &second) && good;
    return good;
}

/* ---- A second adapter ------------------------------------------------------------------------ */

bool host_chain_start_second(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct host_device *device = &host->device[host->linked];
    struct vidmm_host_error second;
    if (host->boards == host->linked)
        return host_driver_fail(error, STATUS_SUCCESS, "there is no second board");
    bool good = host_device_add(device, error) &&
                (!host->driver->ddi.DxgkDdiLinkDevice || chain_single(device, error)) &&
                host_device_start(device, error);
    if (!good)
        (void)host_device_remove(device, &second);
    return good;
}

bool host_chain_stop_first(struct vidmm_host *host, struct vidmm_host_error *error) {
    struct vidmm_host_error second;
    bool good = host_device_stop(&host->device[0], error);
    return host_device_remove(&host->device[0], good ? error : &second) && good;
}
