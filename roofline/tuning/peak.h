/**
 * The machine's theoretical peaks: clock rate, vector width and units; transfers and channels of
 * its memory.
 */
#ifndef ROOFLINE_TUNING_PEAK_H
#define ROOFLINE_TUNING_PEAK_H

#include "tcplan/tuning.h"

/**
 * From a data sheet, and the rest from this machine: the highest clock rate seen in dependent
 * additions, units from fused instructions per cycle, memory from system information. A few
 * milliseconds.
 */
struct tcplan_peak peak_find(const struct tcplan_data_sheet *sheet);

/** Pure: sets `core_gflops` and `socket_gbytes` from the other fields. */
void peak_compute(struct tcplan_peak *peak);

#endif
