/**
 * When a core has settled: how fast it is depends on what it executed just before.
 *
 * One that met wide vector instructions a few milliseconds ago has another clock, and one that did
 * not needs a fraction of a millisecond before it executes them at full speed. On a Sapphire Rapids
 * calls of a tenth of a millisecond took 15 % more or less by what was measured before them, and
 * references 40 %
 * (`bench_settling` prints it). So what is timed by itself is repeated until the core is as it
 * itself leaves it, and so are references, by which times of different moments and processes are
 * held against each other (microbench/timing/reference.h, sampler/timing/reference_calls.h). Pure
 * functions: who calls reads the clock.
 */
#ifndef MICROBENCH_SETTLING_H
#define MICROBENCH_SETTLING_H

/** A reference of the core is a dgemm of this extent: three matrices of 55 kB, for which no BLAS
 * uses threads. */
enum { SETTLING_EXTENT = 48 };

/** For so long something is repeated before it counts: longer than the clock of wide vectors was
 * seen to wait (about 2 ms). */
#define SETTLING_SECONDS 3e-3

/** And references: 0.3 ms were needed. */
#define SETTLING_REFERENCE_SECONDS 5e-4

/** For so long a core stays as references leave it, whatever it executes: behind 0.2 ms without
 * vectors it did, behind 0.5 ms no longer (`bench_settling`). */
#define SETTLED_SECONDS 2e-4

/** A speed that was seen to be that of a settled core so long ago, and no longer, is believed at
 * sight when it is seen again. */
#define SETTLING_MEMORY_SECONDS 5e-3

/** Of a reference's calls so many count, the last ones: the least of them. */
enum { SETTLING_COUNTED = 4, SETTLING_FEWEST = 3 };

/** How often something is repeated that takes so long, until it has settled, `most` times at most;
 * once at least. */
int settling_times(double settling_seconds, double seconds, int most);

/** What references of one process, or of one thread, have told. Empty when zeroed. */
struct settling {
    double fastest; /**< seconds of a call while the core was at its best so far; 0: not known */
    double until;  /**< settled as the last reference left it, for so long; by the clock of `now` */
    double waited; /**< seconds of a call when it was last waited for until the core had settled; 0:
                      never */
    double waited_at;
};

/** Makes the call once; its seconds. */
typedef double settling_call_fn(void *context);

/**
 * A settled reference: calls until they are as fast as they ever were, or `limit_seconds` have
 * passed, which is then what the core's state is. Where the last reference is not long ago, or they
 * are as fast as when that was last waited for, as few as the caches ask for. The first one never
 * counts: it finds what others left there.
 *
 * @param now  seconds, by any clock that runs evenly
 * @return seconds of a call: the least of the last ones
 */
double settling_reference(struct settling *settling, double now, double limit_seconds,
                          settling_call_fn *call, void *context);

#endif
