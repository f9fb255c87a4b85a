/**
 * Summaries of observations: evaluations of algorithms, grouped by problem with the
 * youngest problem last; times of kernels; times of winners; and errors of evaluations. Each
 * observation is folded into these bounded summaries, and noted as a line for the log
 * (store/log.h).
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

/** The maximum number of evaluations in total, and of one problem. */
enum { EXPERIENCE_EVALUATIONS = 2000, EXPERIENCE_EVALUATIONS_OF_A_PROBLEM = 40 };

/** The subject of an evaluation, without names and numbers of its contraction, and its result. */
struct evaluation {
    int64_t made;    /**< seconds since 1970; the first member of every observation */
    int64_t problem; /**< distinguishes problems */
    enum tcplan_dtype dtype;
    enum tcplan_kernel kernel;
    enum tcplan_provider provider; /**< not one opened as a file */
    int threads;
    bool parallel; /**< threads share a loop */
    bool cold;     /**< the cache state before executions */
    bool tiled;    /**< an index is split */
    int inner;     /**< the tensors that the innermost loop moves in: bit t for operand t */
    int outer;     /**< the same for the outermost loop */
    int copy[TCPLAN_OPERANDS]; /**< bits of enum evaluation_copy */
    double m, n, k;            /**< extents of a call */
    double call_ns;            /**< of a call by itself */
    double ratio;              /**< seconds over the estimate before the evaluation */
    bool censored;             /**< right-censored: the run was stopped, so this is a lower bound */
};

enum evaluation_copy {
    EVALUATION_COPIED = 1,
    EVALUATION_INSIDE = 2,
    EVALUATION_TRANSPOSED = 4,
    EVALUATION_STREAMED = 8,
    EVALUATION_COPIES = 16
};

/** The time of a ranking's winner, with which later processes compare theirs. */
struct winner {
    int64_t made;
    int64_t of; /**< identifies the algorithm, the problem, and everything else that a time depends
                   on */
    double seconds;
    double error;   /**< standard error of its logarithm, from its samples */
    double count;   /**< number of differences between later and earlier times; in a line, of this
                       one: 0 or 1 */
    double squares; /**< their sum of squares as logarithms, beyond the errors of samples */
};

/** The errors of evaluations of one basis. */
struct evaluation_error {
    int64_t made;
    int basis; /**< an enum tcplan_basis before TCPLAN_BASIS_OTHER */
    double count;
    double squares; /**< sum of their squares as logarithms */
};

/** The maximum number of errors of one basis, and of bases. */
enum { EXPERIENCE_ERRORS = 200, EXPERIENCE_BASES = 4 };

/** The maximum number of winners, and of differences of one winner. */
enum { EXPERIENCE_WINNERS = 200, EXPERIENCE_DIFFERENCES = 50 };

/** The layout of a key's call. */
enum kernel_key_part {
    KERNEL_KEY_KERNEL,
    KERNEL_KEY_EXTENTS, /**< m, n, k */
    KERNEL_KEY_LEADING =
        KERNEL_KEY_EXTENTS + 3, /**< leading dimensions or increments of the operands */
    KERNEL_KEY_FACTORS =
        KERNEL_KEY_LEADING + 3, /**< for each factor: 1 transposed, 2 conjugated, 3 both */
    KERNEL_KEY_SCALARS =
        KERNEL_KEY_FACTORS + 2, /**< alpha and beta: 0, 1, or 2 for any other value */
    KERNEL_KEY_DTYPE = KERNEL_KEY_SCALARS + 2,
    KERNEL_KEY_THREADS,
    KERNEL_KEY_PROVIDER,
    KERNEL_KEY_PARTS
};

/** Everything that a time depends on. */
struct kernel_key {
    int call[KERNEL_KEY_PARTS];
    int64_t products; /**< number of products in a sum */
    int64_t length;
    int64_t strides[3][2];
};

/** The time of a kernel's call by itself. */
struct kernel_time {
    int64_t made; /**< seconds since 1970 */
    struct kernel_key key;
    double ns; /**< the smallest */
    int timed; /**< number of timings */
};

/** The maximum number of kernel times. */
enum { EXPERIENCE_KERNELS = 1000 };

struct tcplan_experience {
    size_t count;
    struct evaluation *evaluation; /**< room for the maximum; NULL: none */
    size_t kernel_count;
    struct kernel_time *kernel; /**< room for the maximum, youngest last */
    int winner_count;
    struct winner winner[EXPERIENCE_WINNERS]; /**< the youngest last */
    int error_count;
    struct evaluation_error error[EXPERIENCE_BASES];
    struct tcplan_costs costs; /**< of the machine; zeros if not measured */
    struct strbuf noted;       /**< lines that the log lacks, after an empty one */
};

/** Return the names of kernels, and of providers that are not files, for fields; NULL after the
 * last. */
const char *observation_kernel_name(int kernel);
const char *observation_provider_name(int provider);

/** Removes entries of a list from a place on. */
void experience_drop(void *list, size_t size, size_t *count, size_t first, size_t dropped);

/** Returns whether a sum of squared logarithms of `count` values, at most `most`, is plausible. */
bool experience_is_sum(double count, double squares, double most);

/** Weights a sum of squares down so that it counts as at most `most` values; later values then
 * matter more than earlier ones. */
void experience_bound(double *count, double *squares, double most);

/** The percentage of oldest entries dropped at once when the limit is exceeded, so that not
 * every addition moves all others. */
enum { EXPERIENCE_FORGOTTEN_SHARE = 20 };

/** Any observation. */
union observation {
    int64_t made;
    struct evaluation evaluation;
    struct kernel_time kernel;
    struct winner winner;
    struct evaluation_error error;
};

/** Appends the line of an observation, after its checksum (store/log.h); returns false, with the
 * text unchanged, if out of memory. */
bool observation_write(struct strbuf *out, const struct store_kind *kind, const void *observation);

/** Returns whether two evaluations were of algorithms that their records do not distinguish. */
bool evaluation_is_alike(const struct evaluation *a, const struct evaluation *b);

/**
 * Adds observations of a kind, all at this time if they have none. Evaluations replace
 * indistinguishable ones of earlier rankings of the same problem. For a kernel the smallest time is
 * kept. A winner replaces an earlier time of the same winner and adds its difference. Errors of
 * evaluations are added up. Beyond the
 * limits the oldest are dropped.
 * @param kind          store_kind_evaluations, _kernels, _winners or _errors
 * @param observations  `count` structs of that kind; impossible ones are ignored
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY: the remaining ones are not added
 */
enum tcplan_status experience_add(struct tcplan_experience *experience,
                                  const struct store_kind *kind, const void *observations,
                                  size_t count);

/** Returns the winner with that id; NULL if there is none. */
const struct winner *experience_winner(const struct tcplan_experience *experience, int64_t of);

#endif
