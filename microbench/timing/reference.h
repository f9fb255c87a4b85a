/**
 * How fast the core is just now.
 *
 * A core whose other hardware thread belongs to somebody else, or whose clock follows what
 * neighbours do, swings between speeds, for a fraction of a millisecond to some hundreds; neither
 * load nor lost time shows it. A short piece of work that is always the same, right before and
 * right after a sample, does: what the sample is compared with met the same state, or is divided by
 * what the reference tells (plan/decision/select.h).
 */
#ifndef MICROBENCH_REFERENCE_H
#define MICROBENCH_REFERENCE_H

#include "microbench/timing/drift.h"

/** Work on operands of its own, and a log of how long it took when. */
struct reference;

/** What the work is: times of what waits for memory swing with the bandwidth that neighbours leave,
 * which a gemm in the first cache does not see. */
enum reference_kind {
    REFERENCE_CORE,  /**< a dgemm in the first cache */
    REFERENCE_MEMORY /**< a stream: memory is read that has not been for long */
};

/** Operations of a reference of REFERENCE_CORE: a gemm of extent 48. */
#define REFERENCE_FLOPS (2.0 * 48 * 48 * 48)

/** Bytes that a reference of REFERENCE_MEMORY reads, and the memory that these are a part of, each
 * another one. */
enum { REFERENCE_BYTES = 256 << 10, REFERENCE_RING_BYTES = 32 << 20 };

/** One of REFERENCE_CORE. NULL when memory is out: then references tell nothing. To be freed with
 * reference_free(). */
struct reference *reference_new(void);

/**
 * Makes it one of the kind that something follows which does so many operations
 * (REFERENCE_FLOPS) and moves so many bytes at least, by what both kinds take now; what it
 * met as another kind is forgotten. It stays what it is where these bytes may stay in caches, or
 * memory is out.
 */
void reference_choose(struct reference *reference, double flops, double bytes);

/** REFERENCE_CORE for NULL. */
enum reference_kind reference_kind(const struct reference *reference);

/** Whether bytes take longer than operations where references of the two kinds take so many
 * seconds. */
bool reference_is_memory_bound(double flops, double bytes, double core_seconds,
                               double memory_seconds);

/** How many references' work something is that does so many operations and moves so many bytes. */
double reference_count(const struct reference *reference, double flops, double bytes);

void reference_free(struct reference *reference);

/**
 * Seconds of a reference: of the core when it has settled (microbench/timing/settling.h), of memory
 * the smaller of two. It takes some tens of microseconds, and SETTLING_REFERENCE_SECONDS where the
 * core executed something else for long, or is not at its best. 0 for NULL.
 */
double reference_seconds(struct reference *reference);

/** The same within a time, where that is less: the core may be on its way then. For what should not
 * be interrupted for long. */
double reference_seconds_within(struct reference *reference, double limit_seconds);

/** Looks again where nobody has for a millisecond or so, or for longer where that took long: for
 * places that are passed often. */
void reference_watch(struct reference *reference);

/** Returns the number of looks so far, of which a full log keeps every other one; they stay the
 * reference's. */
int reference_looks(const struct reference *reference, const struct drift_look **out);

#endif
