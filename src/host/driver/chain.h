/*
 * chain.h - the devices of one driver as a logical adapter: linked physical adapters, or a single
 * one.
 *
 * Each device is asked for its link right after DxgkDdiAddDevice; the answers must make one chain of
 * all devices with one leading link (nc-dispmprt-dxgkddi_link_device). The leading link is physical
 * adapter 0, the others follow in the order of enumeration. It is started after the others, and
 * stopped and removed before them.
 */
#ifndef HOST_CHAIN_H
#define HOST_CHAIN_H

#include <stdbool.h>

#include <vidmm/host.h>

/* Adds, links and starts all devices; false: none of them is left. */
bool host_chain_start(struct vidmm_host *host, struct vidmm_host_error *error);
/* Stops all devices and starts them again with their BARs at other addresses; false: none of them is
 * left. */
bool host_chain_rebalance(struct vidmm_host *host, struct vidmm_host_error *error);
/* Adds and starts the second adapter; false: it is not there. Stops and removes the first one, whatever fails. */
bool host_chain_start_second(struct vidmm_host *host, struct vidmm_host_error *error);
bool host_chain_stop_first(struct vidmm_host *host, struct vidmm_host_error *error);
/* Stops and removes all devices, whatever fails; `error` has what failed first. */
bool host_chain_stop(struct vidmm_host *host, struct vidmm_host_error *error);

#endif
