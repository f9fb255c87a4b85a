/**
 * Results about the algorithms of a contraction other than rankings: each has a view and a record.
 */
#ifndef CLI_RENDER_ALGORITHMS_RESULTS_H
#define CLI_RENDER_ALGORITHMS_RESULTS_H

#include "cli/render/algorithms/report.h"
#include "cli/render/view.h"
#include "cli/request.h"
#include "tcplan/advise.h"
#include "tcplan/distributed.h"
#include "tcplan/network_measure.h"
#include "tcplan/network_search.h"

/** Borrows all. */
struct advised {
    const struct request *request;
    const struct tcplan_advice *advice;
};

/** Contraction orders found for an expression. */
struct ordered {
    const struct request *request;
    const struct tcplan_network *network;
    const int64_t *extent;      /**< extent of each index */
    const int64_t *last_extent; /**< extents of the last size point of a sweep */
    const struct tcplan_network_found *found;
    const struct tcplan_tree *given;                /**< order given by --path; NULL: none */
    const struct tcplan_network_measured *measured; /**< measurement of the given order, or of the
                                                       best one; NULL: not measured */
    bool with_flops; /**< also show the steps of the order with the fewest operations */
};

/** Returns the sizes of an expression, like sizes_text(). */
char *ordered_sizes(const struct ordered *ordered, bool joins);

/** Returns the command `tcplan emit ...` for the order that is shown, like emit_command(). */
char *emit_expression_command(const struct ordered *ordered);

/** Algorithms to list; borrows from the request. */
struct listing {
    const struct request *request;
    bool counted;                       /**< the numbers fit */
    uint64_t count[TCPLAN_KERNELS + 1]; /**< number of algorithms for each kernel; the last is their
                                           sum */
    bool bounded; /**< whether --max-workspace excludes an unknown number of algorithms */
    bool sized;   /**< whether `problem` is set, because there is one size point */
    struct tcplan_problem problem;
    struct tcplan_candidate_list *candidates; /**< candidates of the `full` space; NULL: only the
                                                 `blas` space is listed */
    uint64_t candidates_in_blas; /**< number of candidates that are also in the `blas` space */
    size_t *in_blas;             /**< their indices */
};

/** Makes a list, to be freed with listing_free(). It has candidates of the `full` space if the
 * request has sizes and names no algorithm. */
enum exit_status listing_make(struct listing *out, const struct request *request);

void listing_free(struct listing *listing);

/** Borrows all. */
struct compared {
    const struct request *request;
    const struct tcplan_problem *problem;
    const struct tcplan_turns *turns;
};

/** The list `contenders` of documents. */
struct in_turns {
    const struct tcplan_turns *turns;
    const struct tcplan_problem *problem;
};

extern const struct field in_turns_fields[];

/** Returns the name of a contender, to be freed; NULL: out of memory. */
char *contender_name(const struct tcplan_contender *contender,
                     const struct tcplan_problem *problem);

/** Prints the number of rounds and, for each contender but the fastest, "A is 1.32 ± 0.02 times
 * faster than B". */
void contenders_print(struct writer *writer, const struct tcplan_turns *turns,
                      const struct tcplan_problem *problem);

/** Finds a contender by its name, `numpy`, `numpy-best` or `numpy-matmul`; false: unknown name. */
bool contender_find(enum tcplan_contender_kind *out, const char *name);

/** Output of `explain` for all formats; borrows from the request and the explanation. */
struct explained_report {
    const struct request *request;
    const struct tcplan_explanation *explanation;
    struct row row[TCPLAN_EXPLAINED_SIDES];
};

/** Makes the report with the names of winner and loser; false: out of memory. Free it with
 * explained_report_free() in any case. */
bool explained_report_make(struct explained_report *out, const struct request *request,
                           const struct tcplan_explanation *explanation);

void explained_report_free(struct explained_report *report);

/** Output of `trace` for all formats: the cache analysis of one algorithm (Peise 2017, chapter 6).
 * Borrows from the request. */
struct trace {
    const struct request *request;
    struct tcplan_problem problem;
    struct row row;
    struct tcplan_analysis_options options;
    struct tcplan_analysis *analysis;
    struct tcplan_analysis *uncut; /**< the same classes of calls, with setups of any length */
};

/** Analyses the request's algorithm at the first size point; free the result with trace_free() in
 * any case. */
enum tcplan_status trace_make(struct trace *out, const struct request *request);

void trace_free(struct trace *trace);

/** Measurement of a distributed algorithm. */
struct distributed_measured {
    int rounds;                       /**< 0: not measured */
    double seconds, fastest, slowest; /**< median, shortest and longest time */
    int64_t sent;      /**< bytes that rank 0 passed to MPI to send, in one execution */
    bool as_predicted; /**< whether rank 0 passed the predicted bytes to every collective */
};

/** A ranking of distributed algorithms, or one algorithm in detail. */
struct distributed_report {
    const struct request *request;
    const struct options *options;
    struct tcplan_problem problem;
    int processes;
    bool lists_all;       /**< list all rows, also in text */
    bool is_named;        /**< --algorithm names the only algorithm */
    int64_t serial_bytes; /**< bytes of all tensors: the memory of one process */
    const struct tcplan_communication *communication; /**< NULL: assumed */
    const char *communication_source; /**< file of the models of communication, or the store */
    struct tcplan_distributed_ranking ranking;
    const struct distributed_measured *measured; /**< measurements of the first entries; NULL: not
                                                    measured */
    int measured_count;
    const struct tcplan_distributed *distributed; /**< the algorithm in detail; NULL: only the
                                                     ranking */
};

#endif
