/**
 * Which structures to arrange first.
 *
 * To arrange a structure and to time its kernel takes some hundred microseconds, and there are
 * thousands of structures. Where there is no time for all of them those are to be left out that
 * promise least, not those that the enumeration has last. So each is sketched first: a guess,
 * within a fraction of a microsecond, of what its best arrangement takes. Structures with the same
 * indices in the kernel are a family: a guess is wrong alike for all of it, and who is arranged
 * first of a family tells of the others. So the k-th best of a family comes no sooner than the best
 * of others whose guess is sqrt(k) times as long.
 */
#ifndef PLAN_SKETCH_H
#define PLAN_SKETCH_H

#include "gen/lower/blas_call.h"

/** A structure and its guess. */
struct sketch {
    double seconds;
    double behind;   /**< its place: the guess, times sqrt(k) */
    uint32_t number; /**< in the order in which it was added */
    struct tcplan_algorithm structure;
};

/** The most promising of those that were added. Zeroed but for `most` and `by_guess` it is empty.
 */
struct sketches {
    size_t most;   /**< that are kept, at least 1 */
    bool by_guess; /**< guesses are bounds: whatever its family, what has the smallest comes first
                    */
    size_t count;
    size_t capacity;
    uint32_t added;
    double limit_seconds;  /**< what is guessed to take that is not kept; 0: not known yet */
    struct sketch *sketch; /**< once they are sorted, in the order in which to arrange them */
};

/** Keeps a structure if it is one of the most promising; false when memory is out. */
bool sketches_add(struct sketches *sketches, const struct tcplan_algorithm *structure,
                  double seconds);

/** Brings them in order, and leaves the first `most`. Where the same were added in the same order
 * these are the same. */
void sketches_sort(struct sketches *sketches);

void sketches_free(struct sketches *sketches);

/**
 * What a guess of a kernel's time needs of its call, without lowering it: kernel, provider and
 * extents, as most calls of the structure have them. All else is 0. *calls becomes their number.
 */
struct blas_call sketch_call(double *calls, const struct tcplan_problem *problem,
                             const struct tcplan_algorithm *structure);

#endif
