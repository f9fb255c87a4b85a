/**
 * Detects when a core has settled: its speed depends on what it executed just before. After wide
 * vector instructions within the last few milliseconds its clock differs; without them it needs a
 * fraction of a millisecond to execute them at full speed. On a Sapphire Rapids, calls of a tenth
 * of a millisecond took 15 % more or less depending on the preceding work, and references 40 %
 * (printed by `bench_settling`).
 *
 * Code that is timed by itself is therefore repeated until the core reaches the state that the code
 * itself causes. The same holds for references, which compare times of different moments and
 * processes (microbench/timing/reference.h, routines/sampler/timing/reference_calls.h). Pure
 * functions; the caller reads the clock.
 */
#ifndef MICROBENCH_SETTLING_H
#define MICROBENCH_SETTLING_H

/** The extent of the dgemm that is the reference of the core: three matrices within 55 kB, for
 * which no BLAS uses threads. */
enum { SETTLING_EXTENT = 48 };

/** Warm-up time before a measurement counts; longer than the observed delay of the clock for
 * wide vectors (about 2 ms). */
#define SETTLING_SECONDS 3e-3

/** Warm-up time before a reference counts: 0.3 ms were needed. */
#define SETTLING_REFERENCE_SECONDS 5e-4

/** Seconds for which a core keeps its state, whatever it executes: 0.2 ms without vector
 * instructions did not change the state, 0.5 ms did (`bench_settling`). */
#define SETTLED_SECONDS 2e-4

/** Seconds for which a core that runs at its known settled speed is recognised without waiting
 * again. */
#define SETTLING_MEMORY_SECONDS 5e-3

/** SETTLING_COUNTED: a reference is the minimum of this many last calls. SETTLING_FEWEST:
 * minimum number of calls. */
enum { SETTLING_COUNTED = 4, SETTLING_FEWEST = 3 };

/** Returns how often to repeat a call of `seconds` until it has settled: at least once, at most
 * `most` times. */
int settling_times(double settling_seconds, double seconds, int most);

/** The state learned from references in one process or thread. Zeroed: empty. */
struct settling {
    double fastest; /**< seconds of a call at the core's best speed so far; 0: unknown */
    double until;   /**< time until which the core counts as settled, by the clock of `now` */
    double waited;  /**< seconds of a call after the last full wait for settling; 0: never */
    double waited_at;
};

/** Makes the timed call once; returns its seconds. */
typedef double settling_call_fn(void *context);

/**
 * Times a reference on a settled core: repeats the call until it is as fast as the fastest call so
 * far, or `limit_seconds` have passed and the current speed is accepted. If the last reference was
 * recent, or calls are as fast as after the last full wait, makes only a few calls, which fill the
 * caches. The first call never counts, because it finds the caches of other code.
 * @param now seconds, by any clock that runs evenly
 * @return seconds of a call: the shortest of the last ones
 */
double settling_reference(struct settling *settling, double now, double limit_seconds,
                          settling_call_fn *call, void *context);

#endif
