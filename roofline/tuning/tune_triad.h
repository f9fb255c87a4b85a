/**
 * STREAM's triad, a(i) = b(i) + s c(i), as a benchmark for autotuning. Its configurations are the
 * length of the vectors, the number of threads, their cores and the placement of memory.
 *
 * Every thread has an equal part of the vectors, which it touches first, on huge pages if the
 * system has them. 24 bytes are counted for each element, those that the program requests.
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
    int64_t elements; /**< elements of one vector; a multiple of one block for each thread */
    int threads;
    enum place_affinity affinity;
    bool interleaved; /**< whether pages alternate between all NUMA nodes; otherwise they are on the
                         node of their thread */
};

struct triad_choices {
    int count;
    bool reduced; /**< for sets in memory: whether vectors are shorter than wanted, because memory
                     is short */
    int64_t wanted_bytes; /**< for sets in memory: bytes at which all vectors together certainly
                             exceed the caches, four times the capacity of the last caches */
    struct triad_choice choice[TRIAD_MAX_CHOICES];
};

/**
 * Lists all combinations of the following, lengths outermost and in ascending order:
 *
 * - lengths: for the last cache, from twice the capacity of the previous caches, doubled up to
 *   half of the last cache's capacity; for memory, four and eight times the capacity of the last
 *   cache, or all memory that may be used. The capacity is that of the caches of the places'
 *   cores.
 * - threads: one, a quarter, a half and all of the places.
 * - affinity: close, and spread if that differs.
 * - memory: on the thread's own NUMA node, and interleaved over all if there are several.
 *
 * There are no configurations for a last cache whose capacity does not exceed that of the previous
 * caches, and none for memory if the permitted memory is less than the capacity of the last
 * caches.
 *
 * @param in_memory  whether the vectors are in memory rather than in the last cache
 * @param most_bytes limit for all vectors together
 */
void triad_choices_make(struct triad_choices *out, const struct tcplan_machine *machine,
                        const struct places *places, bool in_memory, int64_t most_bytes);

/** The request for an invocation. */
struct triad_run {
    struct triad_choice choice;
    int processor[PLACES_MAX]; /**< processor of each thread */
};

/**
 * Invokes a triad; values are GB/s. Passes during which a thread lost its core count as disturbed.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the system does not interleave memory;
 *         TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if a thread cannot be started or this processor has
 *         no triad kernel
 */
enum tcplan_status triad_invoke(struct autotune_invocation *out, const struct triad_run *run,
                                const struct stop_rules *rules, double best,
                                struct tcplan_error *error);

#endif
