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

#include "state/interval.h"
#include "state/keyed.h"

/* A reservation, whose updates have to carry its protection. */
struct requests_reservation {
    struct keyed by_protection; /* first */
    struct interval addresses;
};

struct requests {
    struct keyed_table protections;     /* of all reservations */
    struct interval_index reservations; /* of several processes: they may overlap */
    /* What the driver was asked last, and whether it agreed. */
    struct {
        DXGKARG_VALIDATEUPDATEALLOCPROPERTY wanted;
        bool agreed;
    } consulted;
};

#endif
