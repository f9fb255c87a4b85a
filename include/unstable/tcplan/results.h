/**
 * Results of a batch: one record for each contraction, and documents of them, read record by
 * record.
 *
 *   <results format="1">
 *     <provenance id="1" tcplan="0.2.0" settings="..." cpu="..." .../>
 *     <result id="84b1..." provenance="1" name="ccsd5" contraction="C_abc=A_adec*B_ebd"
 *     sizes="a=72,..." status="done" winner="..." ...>
 *       <algorithm name="c-dgemm" tied="true" predicted_seconds="0.0123" .../>
 *     </result>
 *     <end entries="24" .../>
 *   </results>
 *
 * The schema is contractions/schemas/results.rng, docs/libraries.md describes what each attribute
 * means.
 */
#ifndef TCPLAN_RESULTS_H
#define TCPLAN_RESULTS_H

#include "tcplan/problem.h"
#include "tcplan/xml.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_RESULT_CACHES = 8, TCPLAN_RESULT_ID_SIZE = 17 };

/** Where results come from. Texts that are unknown are "", numbers that are unknown 0. */
struct tcplan_provenance {
    int64_t id;           /**< number within the document, from 1 */
    const char *tcplan;   /**< version */
    const char *settings; /**< settings that affect the choice or the measurements, such as
                             `predictor=window cache=warm seed=1 ...` */
    const char *host;
    const char *cpu;
    const char *machine; /**< `live`, or the description whose caches were assumed */
    const char *blas_name;
    const char *blas_version;
    const char *blas_core;
    const char *blas_advice; /**< what tcplan_blas_advise() said about it; empty: nothing */
    int64_t cores;
    int64_t processing_units;
    int64_t memory_bytes;
    int cache_count;
    int64_t cache_bytes[TCPLAN_RESULT_CACHES]; /**< nearest first */
};

/**
 * One algorithm of a record. Seconds refer to one execution of the whole contraction; 0: not known.
 * low and high bound a 95 % interval; where the batch timed nothing (`effort=estimate` in the
 * settings) those of a prediction are what the sources of its estimate may be off by.
 */
struct tcplan_result_algorithm {
    const char *name;
    const char *kernel; /**< with the type's letter, as `dgemm`; "": not known */
    bool tied;          /**< it is the winner or ties with it */
    int64_t threads;    /**< that execute it; 0: those of the record, as in older documents */
    bool chosen;        /**< it is the winner; older documents do not say so, and list it first */
    int64_t calls;      /**< of the kernel in one execution; 0: not known */
    double predicted_seconds;
    double predicted_low; /**< 0 with predicted_high: an estimate of a batch that timed others,
                             which has no interval */
    double predicted_high;
    double measured_seconds;
    double measured_low;
    double measured_high;
};

/** Outcome of one contraction. */
struct tcplan_result {
    char id[TCPLAN_RESULT_ID_SIZE]; /**< 16 hexadecimal digits: of the entry, the same in every run
                                       over the same library */
    const struct tcplan_provenance *provenance; /**< NULL before one was given */
    const char *library;                        /**< file name without folders; "": none */
    const char *group;                          /**< "": none */
    const char *name;
    const char *size_class; /**< as `small`; "": none */
    const char *source;     /**< reference; "": none */
    int64_t line;           /**< of the library, where the entry stands; 0: not known */
    const char *contraction;
    const char *sizes;    /**< one point, as `a=400,i=8` */
    const char *strides;  /**< as `A=1,400`; "" or NULL: all tensors are dense */
    double limit_seconds; /**< shortest time that the machine's ceilings allow, see
                             tcplan_roofline_limit_seconds(); 0: no ceilings */
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int64_t threads;
    const char *reason; /**< why it failed; NULL: it did not */
    double flops;
    double planning_seconds;
    double gemm_gflops;       /**< of a large square gemm of the same type and threads */
    int64_t algorithm_total;  /**< algorithms of the contraction; 0: not known */
    int64_t pruned_count;     /**< of these, dropped because they cannot win */
    int64_t max_memory_bytes; /**< the bound on the tensors' resident memory under which this was
                                 found out; 0: not known */
    const char *reused_from;  /**< the id of the record it was taken over from, equal but for the
                                 names of indices; NULL: its own */
    const char *finished;     /**< UTC, as `2017-11-30T23:59:59Z`; "": not known */
    size_t algorithm_count;   /**< 0 if it failed */
    const struct tcplan_result_algorithm *algorithm; /**< by rank */
};

/** The algorithm that was chosen: what the ranking answers; NULL if there are none. */
TCPLAN_API const struct tcplan_result_algorithm *tcplan_result_winner(
    const struct tcplan_result *result);

/** The measured algorithm that was fastest; NULL if none was measured. */
TCPLAN_API const struct tcplan_result_algorithm *tcplan_result_fastest(
    const struct tcplan_result *result);

/** The measured time of the winner over that of the fastest, at least 1; 0 where the winner was not
 * measured. */
TCPLAN_API double tcplan_result_regret(const struct tcplan_result *result);

/**
 * Returns whether results of both are comparable: same version, settings, kind of machine and BLAS.
 * The host and the amount of memory may differ.
 *
 * @param difference  receives the first thing that differs, as `BLAS version: 0.3.20 and 0.3.21`;
 *                    may be NULL where size is 0
 */
TCPLAN_API bool tcplan_provenance_equal(const struct tcplan_provenance *a,
                                        const struct tcplan_provenance *b, char *difference,
                                        size_t size);

/**
 * A document as text, piece by piece: its beginning, provenances, records and end. Each is a string
 * to be freed with free(), or NULL if memory runs out. Bytes that XML cannot hold become question
 * marks.
 *
 * @param shard   1 to `shards`
 * @param shards  0: not divided
 */
TCPLAN_API char *tcplan_results_text_begin(int64_t shard, int64_t shards);
TCPLAN_API char *tcplan_provenance_text(const struct tcplan_provenance *provenance);
TCPLAN_API char *tcplan_result_text(const struct tcplan_result *result);

/** What a document says besides its records. */
struct tcplan_results_summary;

/** @param summary  NULL: the document is not complete, and only its root is closed */
TCPLAN_API char *tcplan_results_text_end(const struct tcplan_results_summary *summary);

/** State of a whole document of results. */
enum tcplan_results_state {
    TCPLAN_RESULTS_UNFINISHED, /**< the batch was interrupted, or is running */
    TCPLAN_RESULTS_TORN, /**< likewise, in the middle of a record; the records before it are good */
    TCPLAN_RESULTS_COMPLETE /**< the batch has ended: nothing is missing */
};

/** What a document says besides its records. The second part is known, and `state` COMPLETE, once
 * all records were read. */
struct tcplan_results_summary {
    int64_t shard;  /**< 1 to `shards` */
    int64_t shards; /**< 0: the batch was not divided */
    enum tcplan_results_state state;
    int64_t entry_count;  /**< of the libraries, in all shards */
    uint64_t digest;      /**< sum of the ids of these entries */
    int64_t result_count; /**< records read so far */
    int64_t failed_count; /**< of these */
};

/** A document of results that is read record by record, in memory that does not grow with it. */
struct tcplan_results;

/**
 * Opens a document. Its declaration and root are read at once.
 *
 * @param out   receives the reader, to be closed with tcplan_results_close()
 * @param path  name of a file; if writing was interrupted, the text after its last complete record
 *              is ignored
 * @return TCPLAN_OK; TCPLAN_INVALID if it is no such document (`error` tells the line);
 *         TCPLAN_ENVIRONMENT if the file cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_results_open(struct tcplan_results **out, const char *path,
                                                  struct tcplan_error *error);

/**
 * The same for a document from anywhere.
 *
 * @param read  called for its bytes until tcplan_results_close()
 * @param name  of the document, for messages
 */
TCPLAN_API enum tcplan_status tcplan_results_from(struct tcplan_results **out, tcplan_read_fn *read,
                                                  void *context, const char *name,
                                                  struct tcplan_error *error);

/**
 * The next record.
 *
 * @param out  receives the record, valid until the next call; NULL behind the last one
 * @return as tcplan_results_open()
 */
TCPLAN_API enum tcplan_status tcplan_results_next(struct tcplan_results *results,
                                                  const struct tcplan_result **out,
                                                  struct tcplan_error *error);

/** A provenance by its position in the document, from 0, as far as that was read; NULL if there are
 * not so many. Valid until the closing. */
TCPLAN_API const struct tcplan_provenance *tcplan_results_provenance(
    const struct tcplan_results *results, size_t position);

/** The summary so far. */
TCPLAN_API struct tcplan_results_summary tcplan_results_summary(
    const struct tcplan_results *results);

/** Called for one record after the other; anything but TCPLAN_OK ends the reading. */
typedef enum tcplan_status tcplan_result_fn(void *context, const struct tcplan_result *result,
                                            struct tcplan_error *error);

/**
 * Reads a whole document.
 *
 * @param summary  receives the final summary; may be NULL
 * @return as tcplan_results_next(), or what `use` returned
 */
TCPLAN_API enum tcplan_status tcplan_results_walk(const char *path, tcplan_result_fn *use,
                                                  void *context,
                                                  struct tcplan_results_summary *summary,
                                                  struct tcplan_error *error);

/** Closes a document; NULL is fine. */
TCPLAN_API void tcplan_results_close(struct tcplan_results *results);

#ifdef __cplusplus
}
#endif

#endif
