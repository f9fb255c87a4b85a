/**
 * Measures the current speed of the core. If a core's other hardware thread belongs to another
 * process, or its clock depends on neighbours, its speed changes for periods from a fraction of a
 * millisecond to some hundreds; neither load nor lost time shows that. A short, fixed piece of work
 * is timed right before and after each sample. Samples with the same reference met the same speed;
 * others are corrected by it (plan/decision/select.h).
 */
#ifndef MICROBENCH_REFERENCE_H
#define MICROBENCH_REFERENCE_H

#include "microbench/timing/drift.h"

/** The work of a reference, its operands, and a log of its times. */
struct reference;

/** What a reference does. Times of memory-bound work vary with the bandwidth that other programs
 * leave, which a gemm in the L1 cache does not show. */
enum reference_kind {
    REFERENCE_CORE,  /**< a dgemm in the first cache */
    REFERENCE_MEMORY /**< a stream over memory that was not read recently */
};

/** Operations of a REFERENCE_CORE: a dgemm of extent 48. */
#define REFERENCE_FLOPS (2.0 * 48 * 48 * 48)

/** Bytes that a REFERENCE_MEMORY reads, each time a different part of the ring, and the size of
 * that ring. */
enum { REFERENCE_BYTES = 256 << 10, REFERENCE_RING_BYTES = 32 << 20 };

/** Returns a reference of kind REFERENCE_CORE, to be released with reference_free(); NULL if memory
 * runs out; references are then unknown. */
struct reference *reference_new(void);

/**
 * Selects the kind of reference that matches work of so many operations (REFERENCE_FLOPS) and at
 * least so many bytes, from current timings of both kinds; forgets the log of the other kind. The
 * kind stays unchanged if these bytes may stay in caches, or if memory runs out.
 */
void reference_choose(struct reference *reference, double flops, double bytes);

/** Returns the kind; REFERENCE_CORE for NULL. */
enum reference_kind reference_kind(const struct reference *reference);

/** Returns whether bytes take longer than operations, given the seconds of both kinds of
 * references. */
bool reference_is_memory_bound(double flops, double bytes, double core_seconds,
                               double memory_seconds);

/** Returns the work of so many operations and bytes in units of references. */
double reference_count(const struct reference *reference, double flops, double bytes);

void reference_free(struct reference *reference);

/**
 * Returns the seconds of a reference. For the core, waits until the core has settled
 * (microbench/timing/settling.h); for memory, returns the shorter of two timings. Takes some tens
 * of microseconds, or SETTLING_REFERENCE_SECONDS if the core executed other load for long or is not
 * at its best speed. 0 for NULL.
 */
double reference_seconds(struct reference *reference);

/** Times like reference_seconds(), but for at most `limit_seconds`, even if the core has not
 * settled by then. For places that a longer interruption would disturb. */
double reference_seconds_within(struct reference *reference, double limit_seconds);

/** Times the reference if the last timing was at least about a millisecond ago, or longer ago if
 * that timing was slow. Meant to be called often. */
void reference_watch(struct reference *reference);

/** Returns the number of logged timings (a full log keeps every other one), which the reference
 * owns. */
int reference_timings(const struct reference *reference, const struct drift_timing **out);

#endif
