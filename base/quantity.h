/** Formats numbers with units for people. */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include <stdint.h>

/** A short text by value. */
struct quantity {
    char text[32];
};

/** Formats a time with four digits: "12.34 ms". */
struct quantity quantity_seconds(double seconds);

/** Formats a number of operations: "1.024 GFLOP". */
struct quantity quantity_flops(double flops);

/** Formats a number of bytes: "48 KiB". */
struct quantity quantity_bytes(double bytes);

/** A unit for a whole column of times. */
struct time_unit {
    const char *name;
    double seconds;
    int decimals;
};

/** Returns the unit and decimals that show the smallest time of a column with four digits. */
struct time_unit time_unit_for(double smallest_seconds);

#endif
