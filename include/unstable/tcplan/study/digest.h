/** Summarises documents of results for display. Keeps a few numbers and one text of each record. */
#ifndef TCPLAN_STUDY_DIGEST_H
#define TCPLAN_STUDY_DIGEST_H

#include "tcplan/results.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Summary of one record; a number that is unknown is 0. */
struct tcplan_facts {
    const char *winner; /**< name of its algorithm; NULL: it failed */
    double predicted_seconds;
    double measured_seconds;
    double seconds;     /**< measured, else predicted */
    double gflops;      /**< at these */
    double share;       /**< of the speed of a large square gemm */
    double limit_share; /**< the least time by the machine's ceilings over this one: 1 is as fast as
                           is possible */
    double error;       /**< predicted over measured */
    double regret;      /**< as tcplan_result_regret() */
};

/** Borrows from the record. */
TCPLAN_API struct tcplan_facts tcplan_result_facts(const struct tcplan_result *result);

/** Whether the record's planning time is its own: it was not taken over from another record. */
TCPLAN_API bool tcplan_result_was_planned(const struct tcplan_result *result);

/** Numbers that are kept to be summarised. */
struct tcplan_sample {
    double *value;
    size_t count;
    size_t capacity;
};

/** The value that `share` (0 to 1) of the sorted sample lie below; 0 if it is empty. Sorts the
 * sample. */
TCPLAN_API double tcplan_sample_quantile(struct tcplan_sample *sample, double share);

/** The smallest and largest of positive numbers; high is 0 where there was none. */
struct tcplan_span {
    double low;
    double high;
};

/** Widens a span; numbers that are not positive, or that no axis can be divided for, are left out.
 */
TCPLAN_API void tcplan_span_add(struct tcplan_span *span, double value);

/** A record that stands out. */
struct tcplan_notable {
    double value;
    char *name;
};

struct tcplan_digest_group {
    const char *name; /**< "" for records without a group */
    int64_t records;
    int64_t failed;
    double planning_seconds;
    struct tcplan_sample share;
    struct tcplan_sample error;
    struct tcplan_sample regret;
};

enum { TCPLAN_DIGEST_GROUPS = 64 }; /**< the last one gathers all that come after it */

struct digest_texts;

/** Zero-initialise before use, then set `path`. */
struct tcplan_digest {
    const char *path; /**< of the document, borrowed */
    const char *name; /**< the end of `path`: the file, with folders in front where
                         tcplan_digests_name() needs them */
    struct tcplan_results_summary summary;
    bool has_provenance;
    bool mixed;                          /**< records come from more than one provenance */
    struct tcplan_provenance provenance; /**< the first; its texts are the digest's */
    char *last_finished; /**< NULL or the latest time at which a record was finished */
    int64_t reused;
    int64_t predicted_points; /**< algorithms with both a predicted and a measured time */
    double planning_seconds;
    double gemm_gflops; /**< the largest */
    struct tcplan_sample share;
    struct tcplan_sample error;
    struct tcplan_sample regret;
    struct tcplan_sample limit_share;
    struct tcplan_span times;    /**< predicted or measured, of algorithms that have both */
    struct tcplan_span seconds;  /**< of winners that were planned, with their planning time */
    struct tcplan_span planning; /**< of these */
    struct tcplan_span flops;    /**< of records with a share */
    struct tcplan_notable lowest_share;
    struct tcplan_notable largest_regret;
    struct tcplan_digest_group group[TCPLAN_DIGEST_GROUPS];
    int group_count;
    struct digest_texts *texts; /**< private */
};

/** Reads the document at the digest's path. A status of tcplan_results_next(); to be freed with
 * tcplan_digest_free() in any case. */
TCPLAN_API enum tcplan_status tcplan_digest_read(struct tcplan_digest *digest,
                                                 struct tcplan_error *error);

/** Names documents that are shown together: by their files, with as many folders in front as tell
 * them apart. */
TCPLAN_API void tcplan_digests_name(struct tcplan_digest digest[], int count);

/** Quality of the choices by measured times. */
struct tcplan_regret {
    size_t fastest;   /**< choices that were the fastest measured */
    double mean_loss; /**< mean of regret - 1; 0 if nothing was measured */
};

TCPLAN_API struct tcplan_regret tcplan_digest_regret(const struct tcplan_digest *digest);

TCPLAN_API void tcplan_digest_free(struct tcplan_digest *digest);

/** Records of one document by their ids, for comparison with another document. */
struct tcplan_peers;

/** Reads a document; the peers are to be freed with tcplan_peers_free(). A status of
 * tcplan_results_next(). */
TCPLAN_API enum tcplan_status tcplan_peers_read(struct tcplan_peers **out, const char *path,
                                                struct tcplan_error *error);

/** Returns the summary of the record with this id; NULL if there is none. */
TCPLAN_API const struct tcplan_facts *tcplan_peers_find(struct tcplan_peers *peers, const char *id);

/** NULL is fine. */
TCPLAN_API void tcplan_peers_free(struct tcplan_peers *peers);

#ifdef __cplusplus
}
#endif

#endif
