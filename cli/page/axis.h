/**
 * Axes of plots: where they begin and end, their ticks, and where a value lies on them.
 */
#ifndef CLI_PAGE_AXIS_H
#define CLI_PAGE_AXIS_H

#include "cli/page/plot.h"

/** To whole steps: of 1, 2 and 5 times a power of ten where the axis is logarithmic, so that no value lies at an end. */
void axis_widen(struct axis *axis);

/** Where a value lies: 0 at the lower end, 1 at the upper. */
double axis_place(const struct axis *axis, double value);

struct tick {
    double value;
    bool labelled; /**< there is room for its label */
    bool minor;    /**< and in a narrow plot there is not */
};

/** From the first tick (`begun` false) to the next, of an axis that was widened; false at the end. */
bool axis_next_tick(const struct axis *axis, struct tick *tick, bool begun);

#endif
