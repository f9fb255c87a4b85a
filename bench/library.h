/**
 * The contractions of the studies: the dissertation's three at several sizes, and the TCCG
 * benchmark's 24 at reduced sizes.
 */
#ifndef BENCH_LIBRARY_H
#define BENCH_LIBRARY_H

/** Constants of the predictor are chosen on one half of the library, and judged on the other half.
 */
enum library_half { LIBRARY_TUNING, LIBRARY_HELD_OUT, LIBRARY_ALL };

struct library_case {
    const char *name;
    const char *contraction;
    const char *sizes;
    enum library_half half;
};

int library_count(void);

const struct library_case *library_get(int number);

/** Returns the half with the name `tuning`, `held-out` or `all`; LIBRARY_ALL for other names. */
enum library_half library_half_named(const char *name);

#endif
