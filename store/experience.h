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

/** The algorithm of an evaluation, described without names and numbers of its contraction, and
 * the result. */
struct evaluation {
    int64_t made; /**< seconds since 1970; every struct of an observation begins with this member */
    int64_t problem; /**< a number that identifies the problem */
    enum tcplan_dtype dtype;
    enum tcplan_kernel kernel;
    enum tcplan_provider provider; /**< provider of the kernel; never a library that was opened as a
                                      file */
    int threads;
    bool parallel;             /**< whether threads divide the iterations of one loop */
    bool cold;                 /**< whether caches were cold before each execution */
    bool tiled;                /**< whether a loop runs over steps of an index */
    int inner;                 /**< bit t: the innermost loop has a stride in operand t */
    int outer;                 /**< bit t: the outermost loop has a stride in operand t */
    int copy[TCPLAN_OPERANDS]; /**< for each operand, bits of enum evaluation_copy */
    double m, n, k;            /**< extents of the matrices of one kernel call */
    double call_ns;            /**< estimated nanoseconds of one kernel call on operands in cache */
    double ratio;              /**< evaluated time divided by the estimate before it */
    bool censored;             /**< whether the run was stopped early, so `ratio` is a lower bound
                                  (right-censored) */
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
    int64_t of; /**< a number that identifies the algorithm, the problem, and everything else that
                   the time depends on */
    double seconds;
    double error;   /**< standard error of the logarithm of `seconds`, from its samples */
    double count;   /**< number of differences between successive times of this winner; in a line of
                       the log, whether this time has one: 0 or 1 */
    double squares; /**< sum of the squared differences of logarithms, less what the errors of the
                       samples explain */
};

/** The errors of evaluations of one basis. */
struct evaluation_error {
    int64_t made;
    int basis; /**< an enum tcplan_basis below TCPLAN_BASIS_OTHER */
    double count;
    double squares; /**< sum of the squared errors of logarithms */
};

/** Maximum number of errors of one basis; number of bases. */
enum { EXPERIENCE_ERRORS = 200, EXPERIENCE_BASES = 4 };

/** Maximum number of winners, and maximum number of differences of one winner. */
enum { EXPERIENCE_WINNERS = 200, EXPERIENCE_DIFFERENCES = 50 };

/** Positions of the numbers that describe a call in a kernel's key. */
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

/** The call of a kernel, with everything that its time depends on. */
struct kernel_key {
    int call[KERNEL_KEY_PARTS];
    int64_t products; /**< number of products that the call sums */
    int64_t length;
    int64_t strides[3][2];
};

/** The time of a kernel's call, measured without the rest of the algorithm. */
struct kernel_time {
    int64_t made; /**< time of the timing in seconds since 1970 */
    struct kernel_key key;
    double ns; /**< nanoseconds of the fastest timing */
    int timed; /**< number of timings */
};

/** The maximum number of kernel times. */
enum { EXPERIENCE_KERNELS = 1000 };

struct tcplan_experience {
    size_t count;
    struct evaluation *evaluation; /**< array of EXPERIENCE_EVALUATIONS elements; NULL: none was
                                      added */
    size_t kernel_count;
    struct kernel_time *kernel; /**< array of EXPERIENCE_KERNELS elements, youngest last */
    int winner_count;
    struct winner winner[EXPERIENCE_WINNERS]; /**< the youngest last */
    int error_count;
    struct evaluation_error error[EXPERIENCE_BASES];
    struct tcplan_costs costs; /**< the measured costs of the machine; zeros if they were not
                                  measured */
    struct strbuf noted; /**< an empty line, and the lines of observations that are not yet in the
                            log */
};

/** Return the names of kernels, and of providers that are not files, for fields; NULL after the
 * last. */
const char *observation_kernel_name(int kernel);
const char *observation_provider_name(int provider);

/** Removes `dropped` entries of a list, beginning with number `first`. */
void experience_drop(void *list, size_t size, size_t *count, size_t first, size_t dropped);

/** Returns whether `squares` is a plausible sum of the squares of `count` logarithms, and `count`
 * is at most `most`. */
bool experience_is_sum(double count, double squares, double most);

/** Scales a sum of squares and its number of values down, so that the number is at most `most`.
 * Later values then have more weight than earlier ones. */
void experience_bound(double *count, double *squares, double most);

/** The share of entries, in percent, that are dropped at once when the limit is exceeded: the
 * oldest ones. Then not every addition moves all entries. */
enum { EXPERIENCE_FORGOTTEN_SHARE = 20 };

/** An observation of any kind. */
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

/** Returns whether two evaluations agree in everything that is recorded about their algorithms. */
bool evaluation_is_alike(const struct evaluation *a, const struct evaluation *b);

/**
 * Adds observations of a kind; those without a time get the present one, the same for all.
 * - An evaluation replaces those of earlier rankings of the same problem that have the same record.
 * - Of a kernel's times the smallest one is kept.
 * - A winner replaces an earlier time of the same winner, and the difference is added to the sum.
 * - Errors of evaluations are added up.
 *
 * If there are more than the limits allow, the oldest are removed.
 * @param kind          store_kind_evaluations, _kernels, _winners or _errors
 * @param observations  `count` structs of that kind; impossible ones are ignored
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY: the remaining ones are not added
 */
enum tcplan_status experience_add(struct tcplan_experience *experience,
                                  const struct store_kind *kind, const void *observations,
                                  size_t count);

/** Returns the winner with the number `of`; NULL if there is none. */
const struct winner *experience_winner(const struct tcplan_experience *experience, int64_t of);

#endif
