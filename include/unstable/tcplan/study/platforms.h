/** Compares results of batches on several platforms. */
#ifndef TCPLAN_STUDY_PLATFORMS_H
#define TCPLAN_STUDY_PLATFORMS_H

#include "tcplan/ceilings.h"
#include "tcplan/portability.h"
#include "tcplan/results.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_PLATFORMS_MAX = 64 };

/** A platform: the results in a file that share a provenance and a number of threads. */
struct tcplan_platform {
    const char *path;
    int64_t provenance; /**< number of the provenance in the file */
    int64_t threads;
    const char *cpu;
    const char *blas;                       /**< name, version and core type of the BLAS */
    const struct tcplan_roofline *ceilings; /**< ceilings of the platform's machine and number of
                                               threads, borrowed; NULL: none were given */
    double gemm_gflops;   /**< speed of a large gemm: the mean of gemm_gflops over the records */
    int64_t result_count; /**< number of contractions that did not fail */
    int64_t failed_count;
};

/** Speeds on all platforms: of one algorithm, or of the algorithm that each platform chose. */
struct tcplan_ported_algorithm {
    struct tcplan_ported_algorithm *next;
    const char *name;
    struct tcplan_platform_speed speed[TCPLAN_PLATFORMS_MAX];
    struct tcplan_portability portability;
};

/** One contraction with one set of sizes. */
struct tcplan_ported_contraction {
    struct tcplan_ported_contraction *next;
    struct tcplan_ported_contraction *same_slot; /**< private: next contraction with the same hash
                                                  */
    const char *key;                             /**< private */
    const char *name;
    const char *library; /**< file name without folders */
    const char *contraction;
    const char *sizes;
    enum tcplan_dtype dtype;
    double flops;
    double intensity;                /**< flop/byte of the compulsory traffic; 0: not known */
    bool done[TCPLAN_PLATFORMS_MAX]; /**< for each platform: whether the contraction did not fail
                                        there */
    size_t done_count; /**< number of platforms on which the contraction did not fail */
    struct tcplan_ported_algorithm *algorithms; /**< sorted by portability, the highest first */
    struct tcplan_ported_algorithm chosen; /**< the algorithms that each platform chose for itself
                                            */
    const struct tcplan_ported_algorithm *winner[TCPLAN_PLATFORMS_MAX]; /**< for each platform: the
                                                                           algorithm that it chose;
                                                                           NULL: none */
    double limit_seconds[TCPLAN_PLATFORMS_MAX]; /**< for each platform: shortest time that its
                                                   ceilings allow, as stated in its results; 0:
                                                   unknown */
};

/** Times of the winners of one platform on another, relative to the other's own winners. */
struct tcplan_winners_loss {
    int64_t count; /**< number of contractions whose winner has a time on the other platform */
    double mean;   /**< geometric mean of the ratios; 0: there are none */
    double worst;
    const struct tcplan_ported_contraction *worst_of; /**< contraction with the largest ratio */
};

/** Means of portability over the contractions that succeeded on all platforms. */
struct tcplan_portability_mean {
    double application;
    double architectural;
};

struct platforms_private;

/** Summary of the results of all files. */
struct tcplan_platforms {
    int platform_count;
    struct tcplan_platform platform[TCPLAN_PLATFORMS_MAX];
    int64_t contraction_count;
    int64_t everywhere_count; /**< number of contractions that succeeded on all platforms */
    int64_t one_winner_count; /**< number of these contractions for which all platforms chose the
                                 same algorithm */
    bool predicted;  /**< whether some times were not measured, and are predicted instead */
    bool above_roof; /**< whether some speed exceeds its roof */
    struct tcplan_ported_contraction *contractions; /**< contractions in the order of the files */
    struct tcplan_portability_mean one;     /**< means for the most portable algorithm of each
                                               contraction */
    struct tcplan_portability_mean chosen;  /**< means for the choices of each platform */
    struct platforms_private *private_part; /**< private: owns all texts and lists */
};

/**
 * Reads and summarises files of results.
 *
 * @param out receives the summary, to be freed with tcplan_platforms_free()
 * @param ceilings  ceilings of machines, in any order, which must remain valid as long as the
 *                  summary: each platform uses those with its CPU, cores, caches and number of
 *                  threads, measured with any BLAS. The roof of a platform without ceilings is the
 *                  speed of a large gemm.
 * @return TCPLAN_OK; TCPLAN_INVALID if there are too many platforms; a status of
 *         tcplan_results_next()
 */
TCPLAN_API enum tcplan_status tcplan_platforms_read(struct tcplan_platforms **out,
                                                    const char *const paths[], int count,
                                                    const struct tcplan_roofline *const ceilings[],
                                                    int ceiling_count, struct tcplan_error *error);

/** Returns the time of an algorithm of a contraction on a platform; 0: unknown. */
TCPLAN_API double tcplan_ported_seconds(const struct tcplan_ported_contraction *contraction,
                                        const struct tcplan_ported_algorithm *algorithm, int on);

/** Returns the time of the winner of platform `of` on platform `on`, relative to the time of the
 * winner of `on`; 0: unknown. */
TCPLAN_API double tcplan_winner_loss(const struct tcplan_ported_contraction *contraction, int of,
                                     int on);

/** Summarises tcplan_winner_loss() over all contractions. */
TCPLAN_API struct tcplan_winners_loss tcplan_winners_loss(const struct tcplan_platforms *platforms,
                                                          int of, int on);

/** Frees a summary; NULL is fine. */
TCPLAN_API void tcplan_platforms_free(struct tcplan_platforms *platforms);

#ifdef __cplusplus
}
#endif

#endif
