/*
 * requests.h - what requests of user mode leave behind for the judgement of later ones:
 * reservations of addresses (service/addresses.c), properties of an allocation that the driver was
 * asked about (service/property.c).
 */
#ifndef REFEREE_STATE_REQUESTS_H
#define REFEREE_STATE_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include <ntddk.h>
#include <d3dkmddi.h>

struct requests {
    /* Reservations whose updates have to carry their protection; end 0: free. */
    struct {
        uint64_t start, end, protection;
    } * reservation;
    uint32_t reservations; /* used and free */
    /* What the driver was asked last, and whether it agreed. */
    struct {
        DXGKARG_VALIDATEUPDATEALLOCPROPERTY wanted;
        bool agreed;
    } consulted;
};

#endif
