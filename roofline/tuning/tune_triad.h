/**
 * STREAM's triad, a(i) = b(i) + s c(i), as a benchmark to be tuned: length of the vectors, number
 * of threads, where these run and where the memory lies.
 *
 * Every thread has an equal part of the vectors, which it touches first, on huge pages where the
 * system has them. 24 bytes an element are counted: the bytes that the program requests.
 */
#ifndef ROOFLINE_TUNING_TUNE_TRIAD_H
#define ROOFLINE_TUNING_TUNE_TRIAD_H

#include "cachesim/places.h"
#include "roofline/tuning/autotune.h"
#include "tcplan/machine.h"

enum {
    TRIAD_MAX_LENGTHS = 8,
    TRIAD_MAX_COUNTS = 4,
    TRIAD_MAX_CHOICES = TRIAD_MAX_LENGTHS * TRIAD_MAX_COUNTS * 4,
    TRIAD_ELEMENT_BYTES = 24
};

struct triad_choice {
    int64_t elements; /**< of one vector; a multiple of the elements that all threads process at a
                         time */
    int threads;
    enum place_affinity affinity;
    bool interleaved; /**< pages come from all NUMA nodes in turn; otherwise each from the node of
                         the thread that has it */
};

struct triad_choices {
    int count;
    bool reduced; /**< in memory: there is not enough for vectors that certainly do not fit the
                     caches */
    int64_t wanted_bytes; /**< in memory: of all vectors that certainly do not fit: four times what
                             the last caches hold */
    struct triad_choice choice[TRIAD_MAX_CHOICES];
};

/**
 * All combinations, lengths outermost and from short to long:
 *
 * - lengths: in the last cache doubled from twice what the caches before it hold, up to half of it;
 *   in memory four and eight times what the last cache holds, or all memory that may be used. The
 *   caches are those of the cores that the places are on.
 * - threads: all places, a half, a quarter and one.
 * - close and spread, where that makes a difference.
 * - memory of the threads' own nodes and of all in turn, where the places are of several NUMA
 *   nodes.
 *
 * There are none in a cache that holds no more than those before it, none in memory where less may
 * be used than the last caches hold, and none that take more than may be used.
 *
 * @param in_memory  otherwise in the last cache
 * @param most_bytes of all vectors together
 */
void triad_choices_make(struct triad_choices *out, const struct tcplan_machine *machine,
                        const struct places *places, bool in_memory, int64_t most_bytes);

/** The state of an invocation. */
struct triad_run {
    struct triad_choice choice;
    int processor[PLACES_MAX]; /**< of each thread */
};

/**
 * Invokes a triad: values are GB/s. Passes during which a thread lost its core do not count.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the system does not interleave memory;
 *         TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if threads cannot be had or there is no such kernel
 */
enum tcplan_status triad_invoke(struct autotune_invocation *out, const struct triad_run *run,
                                const struct stop_rules *rules, double best,
                                struct tcplan_error *error);

#endif
