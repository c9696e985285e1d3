/*
 * registers.h - access to the registers of the adapter's BARs, by the address of their mapping.
 *
 * What READ_REGISTER_* and WRITE_REGISTER_* do, and the traps behind plain loads and stores
 * (trap/mmio.h).
 */
#ifndef HOST_REGISTERS_H
#define HOST_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The address is in a mapped BAR of registers. */
bool host_register_bar(const volatile void *address);
/* 1, 2, 4 or 8 bytes. */
uint64_t host_register_read(const volatile void *address, uint32_t width);
void host_register_write(volatile void *address, uint32_t width, uint64_t value);
/* I/O ports, of the adapter's BARs. */
uint64_t host_port_read(uint64_t port, uint32_t width);
void host_port_write(uint64_t port, uint32_t width, uint64_t value);
/* An access to BAR memory that was refused: true when the model opened it, so that it can be made
 * again. */
bool host_bar_touch(const volatile void *address, bool write);
/* Says where in the memory of a BAR an access of vidmm's faulted; false: it is in none. */
bool host_bar_tell(const volatile void *address, bool write, char *text, size_t size);

#endif
