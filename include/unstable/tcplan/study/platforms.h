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

/** Where results are from: a file, and in it a provenance and a number of threads. */
struct tcplan_platform {
    const char *path;
    int64_t provenance; /**< its number in the file */
    int64_t threads;
    const char *cpu;
    const char *blas;                       /**< name, version, core type */
    const struct tcplan_roofline *ceilings; /**< of its machine and number of threads, borrowed;
                                               NULL: none were given */
    double gemm_gflops;                     /**< of a large gemm: the mean over the records */
    int64_t result_count;                   /**< contractions that did not fail */
    int64_t failed_count;
};

/** Speeds of one algorithm, or of whatever each platform chose, over the platforms. */
struct tcplan_ported_algorithm {
    struct tcplan_ported_algorithm *next;
    const char *name;
    struct tcplan_platform_speed speed[TCPLAN_PLATFORMS_MAX];
    struct tcplan_portability portability;
};

/** One contraction at one size. */
struct tcplan_ported_contraction {
    struct tcplan_ported_contraction *next;
    struct tcplan_ported_contraction *same_slot; /**< private: of the table by all of the following
                                                    texts */
    const char *key;                             /**< private */
    const char *name;
    const char *library; /**< without folders */
    const char *contraction;
    const char *sizes;
    enum tcplan_dtype dtype;
    double intensity;                /**< flop/byte of the compulsory traffic; 0: not known */
    bool done[TCPLAN_PLATFORMS_MAX]; /**< it did not fail there */
    size_t done_count;               /**< such platforms */
    struct tcplan_ported_algorithm *algorithms; /**< the most portable first */
    struct tcplan_ported_algorithm chosen;      /**< by each platform for itself */
};

/** Harmonic means over the contractions that were done on all platforms. */
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
    int64_t everywhere_count; /**< of these, done on all platforms */
    bool predicted;           /**< some times are predicted, as they were not measured */
    bool above_roof;          /**< some speed exceeds its roof */
    struct tcplan_ported_contraction *contractions; /**< in the order of the files */
    struct tcplan_portability_mean one; /**< of the most portable algorithm of each contraction */
    struct tcplan_portability_mean chosen;  /**< of each platform's own choice */
    struct platforms_private *private_part; /**< the memory of all texts and lists */
};

/**
 * Reads and summarises files of results.
 *
 * @param out receives the summary, to be freed with tcplan_platforms_free()
 * @param ceilings  of machines, in any order, which must remain valid as long as the summary: each
 *                  platform takes those of its CPU, cores and caches that have its number of
 *                  threads, whatever BLAS they were measured with. Roofs of platforms without any
 *                  are large gemms.
 * @return TCPLAN_OK; TCPLAN_INVALID if there are too many platforms; a status of
 *         tcplan_results_next()
 */
TCPLAN_API enum tcplan_status tcplan_platforms_read(struct tcplan_platforms **out,
                                                    const char *const paths[], int count,
                                                    const struct tcplan_roofline *const ceilings[],
                                                    int ceiling_count, struct tcplan_error *error);

/** NULL is fine. */
TCPLAN_API void tcplan_platforms_free(struct tcplan_platforms *platforms);

#ifdef __cplusplus
}
#endif

#endif
