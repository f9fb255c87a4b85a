/**
 * Results of batches on several platforms, beside each other: computed once for every format.
 */
#ifndef CLI_PORTABILITY_H
#define CLI_PORTABILITY_H

#include "base/arena.h"
#include "cli/options.h"
#include "tcplan/portability.h"
#include "tcplan/results.h"

enum { PLATFORMS_MAX = 64 };

/** Where results are from: a file, and in it a provenance and a number of threads. */
struct platform {
    const char *path;
    int64_t provenance; /**< its number in the file */
    int64_t threads;
    const char *cpu;
    const char *blas;     /**< name, version, core type */
    double gigabytes;     /**< 1e9 bytes a second, as --bandwidth says; 0: not given */
    double gemm_gflops;   /**< of a large gemm: the mean of what the records say */
    int64_t result_count; /**< contractions that did not fail */
    int64_t failed_count;
};

/** Speeds of one algorithm, or of whatever each platform chose, over the platforms. */
struct ported_algorithm {
    struct ported_algorithm *next;
    const char *name;
    struct tcplan_platform_speed speed[PLATFORMS_MAX];
    struct tcplan_portability portability;
};

/** One contraction at one size. */
struct ported_contraction {
    struct ported_contraction *next;
    struct ported_contraction *same_slot; /**< private: of the table by all of the following texts */
    const char *key;                      /**< private */
    const char *name;
    const char *library; /**< without folders */
    const char *contraction;
    const char *sizes;
    enum tcplan_dtype dtype;
    double intensity;                    /**< flop/byte of the compulsory traffic; 0: not known */
    bool done[PLATFORMS_MAX];            /**< it did not fail there */
    size_t done_count;                   /**< such platforms */
    struct ported_algorithm *algorithms; /**< the most portable first */
    struct ported_algorithm chosen;      /**< by each platform for itself */
};

/** Harmonic means over the contractions that were done on all platforms. */
struct portability_mean {
    double application;
    double architectural;
};

enum { PORTABILITY_SLOTS = 4096 };

/** To be freed with portability_free(); zero-initialise before use. */
struct portability_report {
    const struct options *options;
    struct arena arena;
    int platform_count;
    struct platform platform[PLATFORMS_MAX];
    int64_t contraction_count;
    int64_t everywhere_count;                /**< of these, done on all platforms */
    bool predicted;                          /**< some times are predicted, as they were not measured */
    bool above_roof;                         /**< some speed exceeds its roof */
    struct ported_contraction *contractions; /**< in the order of the files */
    struct portability_mean one;             /**< of the most portable algorithm of each contraction */
    struct portability_mean chosen;          /**< of what each platform chose for itself */
    struct ported_contraction *last;         /**< private from here on */
    struct ported_contraction *slot[PORTABILITY_SLOTS];
};

/**
 * Reads the files that the options name, and computes.
 *
 * @return EXIT_DONE, or another status after its message was printed; portability_free() is needed in either case
 */
enum exit_status portability_make(struct portability_report *out, const struct options *options);

void portability_free(struct portability_report *report);

/** Print a report; false where memory ran out. */
bool portability_text(FILE *file, const struct portability_report *report);
bool portability_csv(FILE *file, const struct portability_report *report);
bool portability_json(FILE *file, const struct portability_report *report);

#endif
