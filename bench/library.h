/**
 * The contractions that the studies run on: the dissertation's three at several sizes, and the TCCG
 * benchmark's 24 scaled to fit.
 */
#ifndef BENCH_LIBRARY_H
#define BENCH_LIBRARY_H

/** Constants of the predictor are chosen on one half of the library and judged on the other. */
enum library_half { LIBRARY_TUNING, LIBRARY_HELD_OUT, LIBRARY_ALL };

struct library_case {
    const char *name;
    const char *contraction;
    const char *sizes;
    enum library_half half;
};

int library_count(void);

const struct library_case *library_get(int number);

/** `tuning`, `held-out` or `all`; all where the name is none of them. */
enum library_half library_half_named(const char *name);

#endif
