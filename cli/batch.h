/**
 * A batch: every entry of libraries becomes a result.
 */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "base/id_set.h"
#include "cli/batch_input.h"
#include "cli/finding_cache.h"
#include "cli/node_lock.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/record.h"
#include "cli/request.h"
#include "cli/results_sink.h"
#include "cli/worker.h"

/** The speed of gemm, as it was for the first entry of these threads. */
struct batch_gemm {
    int threads; /**< 0: not known yet */
    double gflops;
};

/** Zero-initialise before use. */
struct batch {
    const struct options *options;
    struct request request; /**< options and machine */
    struct provenance provenance;
    struct batch_input input;
    struct results_sink sink;
    struct finding_cache cache;
    struct worker worker; /**< ranks and measures */
    struct batch_gemm gemm[TCPLAN_DTYPES];
    struct node_lock lock;
    struct progress progress;
    struct record record;
    size_t measured;     /**< algorithms of each entry that are run; 0: none */
    bool stream;         /**< the libraries can be read once */
    int64_t entry_count; /**< of all shards, so far; an entry met twice counts once */
    uint64_t digest;     /**< sum of their ids */
    struct id_set met;   /**< their ids; empty where nothing is kept, so that a stream may go on for ever */
    int64_t to_do;       /**< entries without a result at the start; -1: not known */
    int64_t done;        /**< of these */
    int64_t failed;      /**< of these */
    int64_t known;       /**< entries that had their result at the start */
    size_t longest_name; /**< characters */
    double started;      /**< when the first entry was begun, in seconds of the monotonic clock */
};

/** Runs the batch that the options describe. EXIT_REFUSED also where an entry failed. */
enum exit_status batch_run(struct batch *batch, const struct options *options);

void batch_free(struct batch *batch);

/** Makes the batch's record that of the entry: takes over what is known of an equal one, or ranks it. Returns EXIT_DONE, also where it failed. */
enum exit_status batch_evaluate(struct batch *batch, const struct tcplan_library_entry *entry);

#endif
