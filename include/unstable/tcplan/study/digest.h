/** Summarises documents of results for display, in little memory: a few numbers and one text for
 * each record. */
#ifndef TCPLAN_STUDY_DIGEST_H
#define TCPLAN_STUDY_DIGEST_H

#include "tcplan/results.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Summary of one record. Unknown numbers are 0. */
struct tcplan_facts {
    const char *winner; /**< name of the chosen algorithm; NULL: the record failed */
    double predicted_seconds;
    double measured_seconds;
    double seconds;     /**< time of one execution: measured if available, else predicted */
    double gflops;      /**< speed at the time `seconds` */
    double share;       /**< `gflops` over the speed of a large square gemm */
    double limit_share; /**< shortest time that the machine's ceilings allow over `seconds`: 1 is
                           the best possible */
    double error;       /**< predicted over measured time */
    double regret;      /**< regret of the winner, see tcplan_result_regret() */
};

/** Returns the summary of a record, from which it borrows. */
TCPLAN_API struct tcplan_facts tcplan_result_facts(const struct tcplan_result *result);

/** Returns whether the record's planning time is its own, not copied from another record with the
 * same results. */
TCPLAN_API bool tcplan_result_was_planned(const struct tcplan_result *result);

/** A growing list of numbers. */
struct tcplan_sample {
    double *value;
    size_t count;
    size_t capacity;
};

/** Returns the quantile `share` (0 to 1) of a sample; 0 if it is empty. Sorts the sample. */
TCPLAN_API double tcplan_sample_quantile(struct tcplan_sample *sample, double share);

/** The range of positive numbers; `high` is 0 if there is none. */
struct tcplan_span {
    double low;
    double high;
};

/** Extends a range by a number. Numbers that are not positive, or too extreme for an axis, are
 * ignored. */
TCPLAN_API void tcplan_span_add(struct tcplan_span *span, double value);

/** A record with an extreme value. */
struct tcplan_notable {
    double value;
    char *name;
};

struct tcplan_digest_group {
    const char *name; /**< name of the group; "" for records without a group */
    int64_t records;
    int64_t failed;
    double planning_seconds;
    struct tcplan_sample share;
    struct tcplan_sample error;
    struct tcplan_sample regret;
};

enum {
    TCPLAN_DIGEST_GROUPS = 64
}; /**< maximum number of groups; the last one contains all further groups */

struct digest_texts;

/** Zero-initialise before use, then set `path`. */
struct tcplan_digest {
    const char *path; /**< name of the document's file; borrowed */
    const char *name; /**< the end of `path`: the file name, preceded by folders if
                         tcplan_digests_name() needs them to distinguish documents */
    struct tcplan_results_summary summary;
    bool has_provenance;
    bool mixed;                          /**< whether records have more than one provenance */
    struct tcplan_provenance provenance; /**< the first provenance; the digest owns its texts */
    char *last_finished; /**< time at which the last record was finished; NULL: unknown */
    int64_t reused;
    int64_t predicted_points; /**< number of algorithms with both a predicted and a measured time */
    double planning_seconds;
    double gemm_gflops; /**< the highest gemm_gflops of the records */
    struct tcplan_sample share;
    struct tcplan_sample error;
    struct tcplan_sample regret;
    struct tcplan_sample limit_share;
    struct tcplan_span times;    /**< predicted and measured times of algorithms that have both */
    struct tcplan_span seconds;  /**< times of the winners of planned records, those with a planning
                                    time of their own */
    struct tcplan_span planning; /**< planning times of the planned records */
    struct tcplan_span flops;    /**< operations of records with a `share` */
    struct tcplan_notable lowest_share;
    struct tcplan_notable largest_regret;
    struct tcplan_digest_group group[TCPLAN_DIGEST_GROUPS];
    int group_count;
    struct digest_texts *texts; /**< private */
};

/** Reads the document at the digest's path. Returns a status of tcplan_results_next(). Free the
 * digest with tcplan_digest_free() in any case. */
TCPLAN_API enum tcplan_status tcplan_digest_read(struct tcplan_digest *digest,
                                                 struct tcplan_error *error);

/** Names documents that are shown together: by their file names, preceded by as many folders as are
 * needed to distinguish them. */
TCPLAN_API void tcplan_digests_name(struct tcplan_digest digest[], int count);

/** Quality of the choices, by measured times. */
struct tcplan_regret {
    size_t fastest;   /**< number of choices that were the fastest measured algorithm */
    double mean_loss; /**< mean of (regret - 1); 0 if nothing was measured */
};

TCPLAN_API struct tcplan_regret tcplan_digest_regret(const struct tcplan_digest *digest);

TCPLAN_API void tcplan_digest_free(struct tcplan_digest *digest);

/** Records of one document by their ids, for comparison with another document. */
struct tcplan_peers;

/** Reads a document into peers, to be freed with tcplan_peers_free(). Returns a status of
 * tcplan_results_next(). */
TCPLAN_API enum tcplan_status tcplan_peers_read(struct tcplan_peers **out, const char *path,
                                                struct tcplan_error *error);

/** Returns the summary of the record with this id; NULL if there is none. */
TCPLAN_API const struct tcplan_facts *tcplan_peers_find(struct tcplan_peers *peers, const char *id);

/** Frees peers; NULL is fine. */
TCPLAN_API void tcplan_peers_free(struct tcplan_peers *peers);

#ifdef __cplusplus
}
#endif

#endif
