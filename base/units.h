/**
 * Units of time.
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#define NS_PER_SECOND 1e9
#define SECONDS_PER_NS 1e-9

#endif
