/** The description of a machine as an entry: hwloc's XML of its topology. */
#ifndef STORE_KIND_MACHINE_H
#define STORE_KIND_MACHINE_H

#include "tcplan/machine.h"

/** The value: the XML text for writing; the machine after reading. */
struct stored_machine {
    const char *xml; /**< borrowed */
    struct tcplan_machine machine;
};

#endif
