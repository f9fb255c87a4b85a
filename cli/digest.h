/**
 * What a whole document of results comes to. Of each record a few numbers stay, no text.
 */
#ifndef CLI_DIGEST_H
#define CLI_DIGEST_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/diagnostics.h"
#include "tcplan/results.h"

/** Numbers that are kept to be summarised. */
struct sample {
    double *value;
    size_t count;
    size_t capacity;
};

/** The value that `share` (0 to 1) of the sorted sample lie below; 0 where it is empty. Sorts the sample. */
double sample_quantile(struct sample *sample, double share);

/** The smallest and largest of positive numbers; high is 0 where there was none. */
struct span {
    double low;
    double high;
};

/** Widens a span; numbers that are not positive, or that no axis can be divided for, are left out. */
void span_add(struct span *span, double value);

/** What one record comes to; a number that is not known is 0. */
struct facts {
    const struct tcplan_result_algorithm *winner; /**< NULL: it failed */
    double predicted_seconds;
    double measured_seconds;
    double seconds; /**< measured, else predicted */
    double gflops;  /**< at these */
    double share;   /**< of what a large square gemm reaches */
    double error;   /**< predicted over measured */
    double regret;  /**< as tcplan_result_regret() */
};

struct facts facts_of(const struct tcplan_result *result);

/** A record that stands out. */
struct notable {
    double value;
    char *name;
};

struct digest_group {
    const char *name; /**< "" for records without a group */
    int64_t records;
    int64_t failed;
    double planning_seconds;
    struct sample share;
    struct sample error;
    struct sample regret;
};

enum { DIGEST_GROUPS = 64 }; /**< the last one gathers all that come after it */

/** Zero-initialise before use, then set `path`. */
struct digest {
    const char *path; /**< of the document, borrowed */
    const char *name; /**< the end of `path`: the file, with folders in front where digests_name() needs them */
    struct tcplan_results_summary summary;
    bool has_provenance;
    bool mixed;                          /**< records come from more than one provenance */
    struct tcplan_provenance provenance; /**< the first; its texts are the digest's */
    char *last_finished;                 /**< "" or the latest time at which a record was finished */
    int64_t reused;
    int64_t predicted_points; /**< algorithms with both a predicted and a measured time */
    double planning_seconds;
    double gemm_gflops; /**< the largest */
    struct sample share;
    struct sample error;
    struct sample regret;
    struct span times;    /**< predicted or measured, of algorithms that have both */
    struct span seconds;  /**< of winners that were planned, with their planning time */
    struct span planning; /**< of these */
    struct span flops;    /**< of records with a share */
    struct notable lowest_share;
    struct notable largest_regret;
    struct digest_group group[DIGEST_GROUPS];
    int group_count;
    struct arena texts;
    bool no_memory;
};

/** Called for one record after the other. */
typedef void record_use(void *context, const struct tcplan_result *result);

/**
 * Calls `use` for every record of a document.
 *
 * @param summary  receives what is known at the end; NULL: it is not wanted
 * @return EXIT_DONE; another status after its message was printed
 */
enum exit_status records_walk(const char *path, record_use *use, void *context, struct tcplan_results_summary *summary);

/** Reads the document at the digest's path. */
enum exit_status digest_read(struct digest *digest);

/** Names documents that are shown together: by their files, with as many folders in front as tell them apart. */
void digests_name(struct digest digest[], int count);

/** Whether the record's planning time is its own: it was not taken over from another record. */
bool digest_was_planned(const struct tcplan_result *result);

/** What the measured times say about the choices. */
struct regret_words {
    size_t fastest;   /**< choices that were the fastest measured */
    double mean_loss; /**< mean of regret - 1; 0 where nothing was measured */
};

struct regret_words digest_regret(const struct digest *digest);

void digest_free(struct digest *digest);

#endif
