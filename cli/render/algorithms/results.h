/**
 * Results about the algorithms of a contraction other than rankings: a view and a record each.
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

/** The orders found for an expression. */
struct ordered {
    const struct request *request;
    const struct tcplan_network *network;
    const int64_t *extent; /**< of each of its indices */
    const struct tcplan_network_found *found;
    const struct tcplan_tree *given;                /**< the order of --path; NULL: none */
    const struct tcplan_network_measured *measured; /**< of that order, else of the best; NULL: not
                                                       run */
    bool with_flops; /**< also show the steps of the order of the fewest operations */
};

/** As sizes_text(), of an expression. */
char *ordered_sizes(const struct ordered *ordered, bool joins);

/** As emit_command(), of the order that is shown. */
char *emit_expression_command(const struct ordered *ordered);

/** Borrows from the request. */
struct listing {
    const struct request *request;
    bool counted;                       /**< the numbers fit */
    uint64_t count[TCPLAN_KERNELS + 1]; /**< of each kernel and, last, of all */
    bool bounded; /**< --max-workspace excludes an unknown number of algorithms */
    bool sized;   /**< `problem` is set, because there is one size point */
    struct tcplan_problem problem;
    struct tcplan_candidate_list *candidates; /**< of the `full` space; NULL: list only the `blas`
                                                 space */
    uint64_t candidates_in_blas; /**< number of these that are also in the `blas` space */
    size_t *in_blas;             /**< their indices */
};

/** Makes a list, which listing_free() frees. It has candidates of the `full` space if the request
 * has sizes and names no algorithm. */
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

/** Returns the name of a contender, which the caller frees; NULL: out of memory. */
char *contender_name(const struct tcplan_contender *contender,
                     const struct tcplan_problem *problem);

/** Prints the number of rounds and, for each contender but the fastest, a sentence: "A is 1.32 ±
 * 0.02 times faster than B". */
void contenders_print(struct writer *writer, const struct tcplan_turns *turns,
                      const struct tcplan_problem *problem);

/** Finds a contender by name, `numpy`, `numpy-best` or `numpy-matmul`; false: another name. */
bool contender_find(enum tcplan_contender_kind *out, const char *name);

/* The output of `explain` for all formats: the library's explanation with the names of its
 * algorithms. */

/** Borrows from the request and the explanation. */
struct explained_report {
    const struct request *request;
    const struct tcplan_explanation *explanation;
    struct row row[TCPLAN_EXPLAINED_SIDES];
};

/** Names the sides; false: out of memory. Always free with explained_report_free(). */
bool explained_report_make(struct explained_report *out, const struct request *request,
                           const struct tcplan_explanation *explanation);

void explained_report_free(struct explained_report *report);

/* The output of `trace` for all formats: the dissertation's analysis of one algorithm. */

/** Borrows from the request. */
struct trace {
    const struct request *request;
    struct tcplan_problem problem;
    struct row row;
    struct tcplan_analysis_options options;
    struct tcplan_analysis *analysis;
    struct tcplan_analysis *uncut; /**< the same classes, with setups of any length */
};

/** Analyses the request's algorithm at its first size point; always free with trace_free(). */
enum tcplan_status trace_make(struct trace *out, const struct request *request);

void trace_free(struct trace *trace);

/* Distributed algorithms as a report. */

/** An algorithm that ran. */
struct distributed_measured {
    int rounds;                       /**< 0: not measured */
    double seconds, fastest, slowest; /**< the median, and the range */
    bool as_predicted;                /**< rank 0 passed the predicted bytes to every collective */
};

/** A ranking, or one algorithm in detail. */
struct distributed_report {
    const struct request *request;
    const struct options *options;
    struct tcplan_problem problem;
    int processes;
    bool lists_all;       /**< all rows, also in text */
    bool is_named;        /**< --algorithm names the only one */
    int64_t serial_bytes; /**< of all tensors: the memory of one process */
    const struct tcplan_communication *communication; /**< NULL: assumed */
    const char *communication_source;                 /**< a file, or the store */
    struct tcplan_distributed_ranking ranking;
    const struct distributed_measured *measured; /**< of the first entries; NULL: not measured */
    int measured_count;
    const struct tcplan_distributed *distributed; /**< NULL: only the ranking */
};

#endif
