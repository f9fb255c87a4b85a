/**
 * Views of results, other than rankings, about the algorithms of a contraction. Each has a record.
 */
#ifndef CLI_RENDER_ALGORITHMS_RESULTS_H
#define CLI_RENDER_ALGORITHMS_RESULTS_H

#include "cli/render/algorithms/report.h"
#include "cli/render/view.h"
#include "cli/request.h"
#include "tcplan/advise.h"
#include "tcplan/distributed_network.h"
#include "tcplan/network_measure.h"
#include "tcplan/network_search.h"

/** The layout advice on a program, for printing; all pointers are borrowed. */
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
    const struct tcplan_tree *given;                /**< order that --path gives; NULL: none */
    const struct tcplan_network_measured *measured; /**< measurement of the given order, otherwise
                                                       of the best order; NULL: not measured */
    bool explains; /**< whether to print also the steps of the order with the fewest operations, and
                      how to explain the slowest step */
};

/** Returns the sizes of an expression in the form of sizes_text(). */
char *ordered_sizes(const struct ordered *ordered, bool joins);

/** Returns whether an expression leaves a choice of orders: a term has three or more factors, or
 * sums were found by the distributive law. */
bool ordered_has_choice(const struct ordered *ordered);

/** Returns the command `tcplan emit ...` for the printed order, like emit_command(). */
char *emit_expression_command(const struct ordered *ordered);

/** Returns the command `tcplan explain ...` for a step of an order; NULL if memory runs out. */
char *explain_step_command(const struct ordered *ordered, const struct tcplan_tree *tree, int step);

/** Algorithms to list. Its pointers are borrowed from the request. */
struct listing {
    const struct request *request;
    bool counted;                       /**< whether the numbers of algorithms fit `count` */
    uint64_t count[TCPLAN_KERNELS + 1]; /**< number of algorithms for each kernel; the last element
                                           is the sum */
    bool bounded; /**< whether --max-workspace excludes algorithms, whose number is unknown */
    bool sized;   /**< whether `problem` is set; it is if there is one size point */
    struct tcplan_problem problem;
    struct tcplan_candidate_list *candidates; /**< candidates of the `full` space; NULL: only the
                                                 `blas` space is listed */
    uint64_t candidates_in_blas; /**< number of candidates that are also in the `blas` space */
    size_t *in_blas;             /**< indices of these candidates */
};

/** Makes a list, to be freed with listing_free(). If the request has sizes and names no algorithm,
 * the list has candidates of the `full` space. */
enum exit_status listing_make(struct listing *out, const struct request *request);

void listing_free(struct listing *listing);

/** The comparison of contenders in turns, for printing; all pointers are borrowed. */
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

/** Returns the name of a contender, which the caller frees; NULL if memory runs out. */
char *contender_name(const struct tcplan_contender *contender,
                     const struct tcplan_problem *problem);

/** Prints the number of rounds and, for each contender except the fastest, a line such as "A is
 * 1.32 ± 0.02 times faster than B". */
void contenders_print(struct writer *writer, const struct tcplan_turns *turns,
                      const struct tcplan_problem *problem);

/** Finds a contender by its name, `numpy`, `numpy-best` or `numpy-matmul`; false if the name is
 * unknown. */
bool contender_find(enum tcplan_contender_kind *out, const char *name);

/** Output of `explain` for all formats. Its pointers are borrowed from the request and the
 * explanation. */
struct explained_report {
    const struct request *request;
    const struct tcplan_explanation *explanation;
    struct row row[TCPLAN_EXPLAINED_SIDES];
};

/** Makes the report with the names of winner and loser; false if memory runs out. The caller frees
 * it with explained_report_free() in either case. */
bool explained_report_make(struct explained_report *out, const struct request *request,
                           const struct tcplan_explanation *explanation);

void explained_report_free(struct explained_report *report);

/** Output of `trace` for all formats: the cache analysis of one algorithm (Peise 2017, chapter 6).
 * Its pointers are borrowed from the request. */
struct trace {
    const struct request *request;
    struct tcplan_problem problem;
    struct row row;
    struct tcplan_analysis_options options;
    struct tcplan_analysis *analysis;
    struct tcplan_analysis *uncut; /**< the same classes of calls, with setups of unlimited length
                                    */
};

/** Analyses the request's algorithm at the first size point. The caller frees the result with
 * trace_free() even after an error. */
enum tcplan_status trace_make(struct trace *out, const struct request *request);

void trace_free(struct trace *trace);

/** Measurement of a distributed algorithm. */
struct distributed_measured {
    int rounds; /**< number of rounds; 0: not measured */
    /** median, shortest and longest time of the runs, in seconds */
    double seconds, fastest, slowest;
    int64_t sent;      /**< bytes that rank 0 passed to MPI to send, in one execution */
    bool as_predicted; /**< whether rank 0 passed the predicted bytes to every collective */
};

/** A ranking of distributed algorithms, or one of them in detail. */
struct distributed_report {
    const struct request *request;
    const struct options *options;
    struct tcplan_problem problem;
    int processes;
    bool lists_all; /**< whether to list all rows, also in text */
    bool is_named;  /**< whether the command line names an algorithm, which is then the only one */
    int64_t serial_bytes; /**< bytes of all tensors: the memory of one process */
    const struct tcplan_communication *communication; /**< model of the network; NULL: assumed
                                                         latencies and bandwidths */
    const char *communication_source; /**< where the models of communication are from: a file, or
                                         the store */
    struct tcplan_distributed_ranking ranking;
    const struct distributed_measured *measured; /**< measurements of the first entries of the
                                                    ranking; NULL: not measured */
    int measured_count;
    const struct tcplan_distributed *distributed; /**< the algorithm in detail; NULL: print only the
                                                     ranking */
};

/** Distributed algorithms of an expression of several tensors. */
struct distributed_order_report {
    const struct request *request;
    const struct options *options;
    const struct tcplan_distributed_network *network;
    bool lists_all; /**< whether to list all rows, also in text */
    bool is_named;  /**< whether the command line names an algorithm, which is then the only one */
    bool in_detail; /**< whether to print the steps and calls of the fastest algorithm */
    const int *shown; /**< numbers of the measured algorithms, the fastest first; NULL: not
                         measured */
    const struct distributed_measured *measured; /**< their measurements */
    int measured_count;
    const struct tcplan_communication *communication; /**< model of the network; NULL: assumed
                                                         latencies and bandwidths */
    const char *communication_source; /**< origin of the models: a file, or the store */
};

/** Returns the command `tcplan emit ...` for the fastest algorithm, like emit_command(). */
char *emit_distributed_order_command(const struct distributed_order_report *report);

#endif
