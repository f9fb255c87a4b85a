/**
 * Summaries of observations: evaluations of algorithms ("looks"), grouped by problem with the
 * youngest problem last; times of kernels; and times of winners. Each observation is folded into
 * these bounded summaries, and noted as a line for the log (store/log.h).
 */
#ifndef STORE_EXPERIENCE_H
#define STORE_EXPERIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "store/kinds.h"
#include "tcplan/algorithm.h"
#include "tcplan/costs.h"
#include "tcplan/experience.h"

/** The most looks in all, and of one problem. */
enum { EXPERIENCE_LOOKS = 2000, EXPERIENCE_LOOKS_OF_A_PROBLEM = 40 };

/** What a look at an algorithm was of, without names and numbers of its contraction, and what it
 * told. */
struct look {
    int64_t made;    /**< seconds since 1970, as the first member of every observation */
    int64_t problem; /**< tells problems apart */
    enum tcplan_dtype dtype;
    enum tcplan_kernel kernel;
    enum tcplan_provider provider; /**< none that is opened as a file */
    int threads;
    bool parallel; /**< threads share a loop */
    bool cold;     /**< the caches, where executions begin */
    bool tiled;    /**< an index is split */
    int inner;     /**< the tensors that the innermost loop moves in: bit t stands for operand t */
    int outer;     /**< likewise of the outermost */
    int copy[TCPLAN_OPERANDS]; /**< bits of enum look_copy */
    double m, n, k;            /**< extents of a call */
    double call_ns;            /**< of a call by itself */
    double ratio;              /**< seconds over those estimated before the look */
    bool cut;                  /**< the run was cut off: it is that or more */
};

enum look_copy {
    LOOK_COPIED = 1,
    LOOK_INSIDE = 2,
    LOOK_TURNED = 4,
    LOOK_STREAMED = 8,
    LOOK_COPIES = 16
};

/** The time of a ranking's winner, which later processes compare theirs with. */
struct winner {
    int64_t made;
    int64_t of; /**< tells algorithms of problems apart, and all else that a time depends on */
    double seconds;
    double error; /**< the standard error of its logarithm, by its samples */
    double count; /**< differences of later times to earlier ones; in a line, of this one: 0 or 1 */
    double squares; /**< of these as logarithms, beside errors of samples: their sum */
};

/** The most winners, and differences of one that count. */
enum { EXPERIENCE_WINNERS = 200, EXPERIENCE_DIFFERENCES = 50 };

/** What stands where in a key's call. */
enum kernel_key_part {
    KERNEL_KEY_KERNEL,
    KERNEL_KEY_EXTENTS, /**< m, n, k */
    KERNEL_KEY_LEADING =
        KERNEL_KEY_EXTENTS + 3, /**< leading dimensions or increments of the operands */
    KERNEL_KEY_FACTORS = KERNEL_KEY_LEADING + 3, /**< of both: 1 transposed, 2 conjugated, 3 both */
    KERNEL_KEY_SCALARS = KERNEL_KEY_FACTORS + 2, /**< alpha and beta: 0, 1, 2 for anything else */
    KERNEL_KEY_DTYPE = KERNEL_KEY_SCALARS + 2,
    KERNEL_KEY_THREADS,
    KERNEL_KEY_PROVIDER,
    KERNEL_KEY_PARTS
};

/** What a time depends on. */
struct kernel_key {
    int call[KERNEL_KEY_PARTS];
    int64_t products; /**< in a sum */
    int64_t length;
    int64_t strides[3][2];
};

/** The time of a kernel's call by itself. */
struct kernel_time {
    int64_t made; /**< seconds since 1970 */
    struct kernel_key key;
    double ns; /**< the smallest */
    int timed; /**< so often */
};

/** The most times of kernels. */
enum { EXPERIENCE_KERNELS = 1000 };

struct tcplan_experience {
    size_t count;
    struct look *look; /**< room for the most of them; NULL: there is none */
    size_t kernel_count;
    struct kernel_time *kernel; /**< likewise, the youngest last */
    int winner_count;
    struct winner winner[EXPERIENCE_WINNERS]; /**< the youngest last */
    struct tcplan_costs costs;                /**< of the machine: measured, or all zeros */
    struct strbuf noted;                      /**< lines that the log lacks, behind an empty one */
};

/** The names of kernels and of providers that are no files, for fields; NULL behind the last. */
const char *observation_kernel_name(int kernel);
const char *observation_provider_name(int provider);

/** Removes entries of a list from a place on. */
void experience_drop(void *list, size_t size, size_t *count, size_t first, size_t dropped);

/** Beyond the most looks or kernels this share of the oldest goes at once, so that not each one
 * that is added moves all others. */
enum { EXPERIENCE_FORGOTTEN_SHARE = 20 };

/** Any observation. */
union observation {
    int64_t made;
    struct look look;
    struct kernel_time kernel;
    struct winner winner;
};

/** Appends the line of an observation, behind its checksum (store/log.h). False when memory is out:
 * the text is as it was. */
bool observation_write(struct strbuf *out, const struct store_kind *kind, const void *observation);

/** Whether two looks were of algorithms that cannot be told apart by what a look says of them. */
bool look_is_alike(const struct look *a, const struct look *b);

/**
 * Adds observations of a kind, all at this time where they say none. Looks replace
 * indistinguishable ones of earlier rankings of the same problem; of a kernel's times the smallest
 * stays; a winner replaces an earlier time of the same, and adds its difference to those of that.
 * Beyond the bounds the oldest are dropped.
 *
 * @param kind          store_kind_looks, store_kind_kernels or store_kind_winners
 * @param observations  `count` structs of that kind; impossible ones are ignored
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY: the others are not added
 */
enum tcplan_status experience_add(struct tcplan_experience *experience,
                                  const struct store_kind *kind, const void *observations,
                                  size_t count);

/** Returns the winner of that number; NULL if there is none. */
const struct winner *experience_winner(const struct tcplan_experience *experience, int64_t of);

#endif
