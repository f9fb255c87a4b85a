/**
 * The report of an experiment, in memory and as text.
 *
 *   <report format="1" checksum="...">
 *     <experiment ...> the experiment that was run </experiment>
 *     <provenance id="1" ...> origin of samples, with the parts of the machine's fingerprint
 *     </provenance>
 *     <run unit="0" provenance="1" finished="..." checksum="...">      the samples of one `go`
 *       <samples point="0" repetition="0" ticks="146900 143500 ..." disturbed="1" counts="..."/>
 *     </run>
 *     <end runs="150" checksum="..."/>
 *   </report>
 *
 * The samples of a repetition have the order in which they were taken: for each value of the sum
 * variable all calls, or one sample for each parallel region. `disturbed` lists the positions of
 * disturbed samples. `counts` has all counters of the first sample, then those of the second, and
 * so on, with `-` for unknown counts.
 */
#ifndef SAMPLER_REPORT_H
#define SAMPLER_REPORT_H

#include "base/id_set.h"
#include "contractions/document_source.h"
#include "routines/sampler/experiments/experiment_reader.h"
#include "tcplan/store.h"

enum { REPORT_COUNTERS_MAX = 8, REPORT_PROVENANCES_MAX = 1000 };

struct report_provenance {
    struct report_provenance *next; /**< provenances in the order of the document */
    int64_t id;
    const char *tcplan, *host, *library;
    double ticks_per_second;
    int64_t cores;
    double flops_per_cycle; /**< peak of a core in double precision; 0: unknown */
    int part_count;
    struct {
        const char *name, *value;
    } part[TCPLAN_FINGERPRINT_PARTS];
};

/** One repetition at one point. */
struct report_samples {
    struct report_samples *next;     /**< next samples of the run */
    struct report_samples *at_point; /**< the next samples of the point, in any order */
    const struct report_provenance *provenance;
    size_t point;
    int64_t repetition;
    size_t count;
    const uint64_t *ticks;
    const bool *disturbed;
    const double *counts; /**< counter_count numbers for each sample; NULL: no events were counted
                           */
};

struct report_run {
    struct report_run *next;
    int64_t unit;
    const struct report_provenance *provenance;
    const char *finished; /**< time at which the run ended, in UTC */
    struct report_samples *samples;
};

struct tcplan_experiment_report {
    struct arena arena;
    struct tcplan_experiment *experiment;
    int counter_count;
    int64_t shard, shards; /**< number of this shard and of all shards; shards 0: the experiment is
                              not divided */
    bool complete;
    struct report_provenance *provenances;
    struct report_run *runs;
    int64_t run_count;
    struct report_samples **at_point; /**< for each point, a list of its samples */
    struct id_set seen; /**< set of the pairs of point and repetition that have samples */
};

/** Limits of the reader for report documents, which may be long. */
extern const struct document_kind document_experiment_report;

/** Returns the number of counters of an experiment. */
int report_counters(const struct tcplan_experiment *experiment);

void report_add_begin(struct strbuf *out, const struct tcplan_experiment *experiment, int64_t shard,
                      int64_t shards);
void report_add_provenance(struct strbuf *out, const struct report_provenance *provenance);
void report_add_run(struct strbuf *out, const struct report_run *run, int counter_count);

/**
 * Appends the end of a document.
 * @param runs number of runs in the document; negative: the document is incomplete, and only the
 *     root is closed
 */
void report_add_end(struct strbuf *out, int64_t runs);

/** Returns whether samples of two provenances are comparable; the host may differ. `difference`
 * receives the first part that makes them incomparable. */
bool report_provenance_equal(const struct report_provenance *a, const struct report_provenance *b,
                             char *difference, size_t size);

#endif
