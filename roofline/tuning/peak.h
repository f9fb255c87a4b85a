/**
 * The machine's theoretical peaks, from clock rate, vector width and number of units, and from
 * transfers and channels of its memory.
 */
#ifndef ROOFLINE_TUNING_PEAK_H
#define ROOFLINE_TUNING_PEAK_H

#include "tcplan/tuning.h"

/**
 * Finds the machine's theoretical peaks. Takes the factors from a data sheet, and missing ones
 * from this machine: the highest clock rate seen in dependent additions, the units from fused
 * instructions per cycle, the memory from system information. Takes a few milliseconds.
 */
struct tcplan_peak peak_find(const struct tcplan_data_sheet *sheet);

/** Sets `core_gflops` and `socket_gbytes` from the other fields. Pure. */
void peak_compute(struct tcplan_peak *peak);

#endif
