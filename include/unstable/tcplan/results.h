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
 * The schema is contractions/schemas/results.rng; docs/libraries.md describes the attributes.
 */
#ifndef TCPLAN_RESULTS_H
#define TCPLAN_RESULTS_H

#include "tcplan/problem.h"
#include "tcplan/xml.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_RESULT_CACHES = 8, TCPLAN_RESULT_ID_SIZE = 17 };

/** The provenance of results. Unknown texts are "", unknown numbers 0. */
struct tcplan_provenance {
    int64_t id;           /**< number within the document, from 1 */
    const char *tcplan;   /**< version of tcplan */
    const char *settings; /**< settings that affect the choice or the measurements, such as
                             `predictor=window cache=warm seed=1 ...` */
    const char *host;
    const char *cpu;
    const char *machine; /**< `live`, or the description of the machine whose caches were assumed */
    const char *blas_name;
    const char *blas_version;
    const char *blas_core;
    const char *blas_advice; /**< advice of tcplan_blas_advise() about the BLAS; empty: none */
    int64_t cores;
    int64_t processing_units;
    int64_t memory_bytes;
    int cache_count;
    int64_t cache_bytes[TCPLAN_RESULT_CACHES]; /**< size of each cache, the one nearest to the core
                                                  first */
};

/**
 * One algorithm of a record. Times are seconds of one execution of the whole contraction; 0:
 * unknown. low and high are the ends of a 95 % interval; if the batch timed nothing
 * (`effort=estimate` in the settings), those of a prediction are the ends of its error interval.
 */
struct tcplan_result_algorithm {
    const char *name;
    const char *kernel; /**< kernel with the type's letter, such as `dgemm`; "": unknown */
    bool tied;          /**< whether the algorithm is the winner or tied with it */
    int64_t threads;    /**< number of threads that execute it; 0: that of the record, as in older
                           documents */
    bool chosen; /**< whether the algorithm is the winner; older documents lack this member and list
                    the winner first */
    int64_t calls; /**< number of kernel calls in one execution; 0: unknown */
    double predicted_seconds;
    double predicted_low; /**< lower end as above; 0, like predicted_high, if the prediction
                             is an estimate in a batch that timed other algorithms, and therefore
                             has no interval */
    double predicted_high;
    double measured_seconds;
    double measured_low;
    double measured_high;
};

/** The outcome of one contraction. */
struct tcplan_result {
    char id[TCPLAN_RESULT_ID_SIZE]; /**< id of the library's entry, 16 hexadecimal digits: the same
                                       in every batch on the same library */
    const struct tcplan_provenance *provenance; /**< the provenance of the result; NULL until one is
                                                   set */
    const char *library;                        /**< file name without folders; "": none */
    const char *group;                          /**< group of the entry; "": none */
    const char *name;
    const char *size_class; /**< class of the sizes, such as `small`; "": none */
    const char *source;     /**< literature reference; "": none */
    int64_t line;           /**< line of the entry in the library; 0: unknown */
    const char *contraction;
    const char *sizes;    /**< extents of one size point, such as `a=400,i=8` */
    const char *strides;  /**< strides, such as `A=1,400`; "" or NULL: all tensors are dense */
    const char *sections; /**< sections of block-sparse tensors (tcplan/blocksparse.h), as
                             `i=3@0+5@1 j=8x4`; "" or NULL: the tensors are dense. The algorithms of
                             block-sparse tensors are ways, such as `fused` */
    const char *charge;   /**< conservation rules, such as `A:i-j=0`; "" or NULL: none */
    const char *blocks;   /**< lists of blocks, such as `A:0 0|0 1; B:1 1`; "" or NULL: none */
    double limit_seconds; /**< shortest time that the machine's ceilings allow, see
                             tcplan_roofline_limit_seconds(); 0: no ceilings are known */
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int64_t threads;
    const char *reason; /**< why the contraction failed; NULL: it succeeded */
    double flops;
    double planning_seconds;
    double gemm_gflops;       /**< speed of a large square gemm of the same type and threads */
    int64_t algorithm_total;  /**< number of algorithms of the contraction; 0: unknown */
    int64_t pruned_count;     /**< number of algorithms that a lower bound excluded */
    int64_t max_memory_bytes; /**< bound on the tensors' resident memory during the ranking; 0:
                                 unknown */
    const char *reused_from;  /**< id of the record whose results this record repeats, because their
                                 contractions differ only in names of indices; NULL: the results are
                                 its own */
    const char *finished;     /**< time in UTC, such as `2017-11-30T23:59:59Z`; "": unknown */
    size_t algorithm_count;   /**< number of algorithms; 0 if the contraction failed */
    const struct tcplan_result_algorithm *algorithm; /**< algorithms in the order of the ranking */
};

/** Returns the winner, the algorithm that the ranking chose; NULL if there are no algorithms. */
TCPLAN_API const struct tcplan_result_algorithm *tcplan_result_winner(
    const struct tcplan_result *result);

/** Returns the fastest measured algorithm; NULL if none was measured. */
TCPLAN_API const struct tcplan_result_algorithm *tcplan_result_fastest(
    const struct tcplan_result *result);

/** Returns the measured time of the winner over that of the fastest measured algorithm, at least 1;
 * 0 if the winner was not measured. */
TCPLAN_API double tcplan_result_regret(const struct tcplan_result *result);

/**
 * Returns whether results of two provenances are comparable: same version, settings, kind of
 * machine and BLAS. The host and the amount of memory may differ.
 *
 * @param difference  receives the first thing that differs, such as `BLAS version: 0.3.20 and
 *                    0.3.21`; may be NULL if its size is 0
 */
TCPLAN_API bool tcplan_provenance_equal(const struct tcplan_provenance *a,
                                        const struct tcplan_provenance *b, char *difference,
                                        size_t size);

/**
 * These functions return pieces of a document as text: its beginning, provenances, records and
 * end. Each piece is a string to be freed with free(), or NULL if memory runs out. Bytes that XML
 * cannot hold become question marks.
 *
 * @param shard number of this part of the batch, 1 to `shards`
 * @param shards number of parts; 0: the batch is not divided
 */
TCPLAN_API char *tcplan_results_text_begin(int64_t shard, int64_t shards);
TCPLAN_API char *tcplan_provenance_text(const struct tcplan_provenance *provenance);
TCPLAN_API char *tcplan_result_text(const struct tcplan_result *result);

/** Properties of a document in addition to its records. */
struct tcplan_results_summary;

/** Returns the end of a document.
 *
 * @param summary  NULL: the document is incomplete, and only its root element is closed */
TCPLAN_API char *tcplan_results_text_end(const struct tcplan_results_summary *summary);

/** State of a whole document of results. */
enum tcplan_results_state {
    TCPLAN_RESULTS_UNFINISHED, /**< the batch was interrupted, or is still running */
    TCPLAN_RESULTS_TORN, /**< the document ends in the middle of a record; the records before it are
                            valid */
    TCPLAN_RESULTS_COMPLETE /**< the batch is complete */
};

/** Properties of a document in addition to its records. The members from entry_count on are known,
 * and `state` is COMPLETE, only after all records were read. */
struct tcplan_results_summary {
    int64_t shard;  /**< number of this part of the batch, 1 to `shards` */
    int64_t shards; /**< number of parts; 0: the batch was not divided */
    enum tcplan_results_state state;
    int64_t entry_count;  /**< number of entries of the libraries, in all shards */
    uint64_t digest;      /**< sum of the ids of these entries */
    int64_t result_count; /**< number of records read so far */
    int64_t failed_count; /**< number of these that failed */
};

/** A document of results that is read record by record, in constant memory. */
struct tcplan_results;

/**
 * Opens a document, and reads its declaration and root.
 *
 * @param out   receives the reader, to be closed with tcplan_results_close()
 * @param path  name of a file; if writing was interrupted, the text after its last complete record
 *     is ignored
 * @return TCPLAN_OK; TCPLAN_INVALID if the file is not a document of results (`error` has the
 *     line); TCPLAN_ENVIRONMENT if the file cannot be read; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_results_open(struct tcplan_results **out, const char *path,
                                                  struct tcplan_error *error);

/**
 * Opens a document that is read through a callback. Returns a status of tcplan_results_open().
 *
 * @param read  called for the document's bytes until tcplan_results_close()
 * @param name  name of the document, for messages
 */
TCPLAN_API enum tcplan_status tcplan_results_from(struct tcplan_results **out, tcplan_read_fn *read,
                                                  void *context, const char *name,
                                                  struct tcplan_error *error);

/**
 * Reads the next record.
 *
 * @param out  receives the record, valid until the next call; NULL after the last one
 * @return a status of tcplan_results_open()
 */
TCPLAN_API enum tcplan_status tcplan_results_next(struct tcplan_results *results,
                                                  const struct tcplan_result **out,
                                                  struct tcplan_error *error);

/** Returns the provenance at a position in the document, from 0, if it has already been read;
 * otherwise NULL. Valid until the document is closed. */
TCPLAN_API const struct tcplan_provenance *tcplan_results_provenance(
    const struct tcplan_results *results, size_t position);

/** Returns the summary of what has been read. */
TCPLAN_API struct tcplan_results_summary tcplan_results_summary(
    const struct tcplan_results *results);

/** Receives one record after the other; any result but TCPLAN_OK ends the reading. */
typedef enum tcplan_status tcplan_result_fn(void *context, const struct tcplan_result *result,
                                            struct tcplan_error *error);

/**
 * Reads a whole document.
 *
 * @param summary  receives the final summary; may be NULL
 * @return a status of tcplan_results_next(), or the status that `use` returned
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
