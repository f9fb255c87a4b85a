/**
 * Results of `rank` and `measure` for one size point, computed once for all formats.
 */
#ifndef CLI_RENDER_ALGORITHMS_REPORT_H
#define CLI_RENDER_ALGORITHMS_REPORT_H

#include "cli/request.h"

/** Borrows from the request and the ranking. */
struct report {
    const struct request *request;
    const struct tcplan_ranking *ranking;
    struct tcplan_blas blas;
    size_t predicted_count; /**< leading entries of the ranking, which have a time */
    size_t measured_count;  /**< leading entries with a measured time */
    size_t not_applicable_count;
    const struct tcplan_entry *named; /**< the algorithm of --baseline; NULL: none */
    double named_speedup; /**< its time relative to the answer in interleaved runs; 0: no such runs
                           */
    size_t shown; /**< entries within --top, including pruned and open ones, excluding inapplicable
                     ones */
    double limit_seconds;             /**< the shortest time that the ceilings allow; 0: unknown */
    const struct tcplan_turns *turns; /**< the winner against others; NULL: not requested */
};

struct report report_make(const struct request *request, const struct tcplan_ranking *ranking);

/** Whether an entry is the answer; `*` marks it unless it is the first. */
bool report_is_chosen(const struct report *report, const struct tcplan_entry *entry);

/** Whether documents list an entry: it is within --top, or the answer. */
bool report_lists(const struct report *report, size_t position);

/** The speed for a time. */
double report_gflops(const struct report *report, double seconds);

/** The limit divided by a time; 1: the fastest possible; negative: the limit is unknown. */
double report_limit_share(const struct report *report, double seconds);

/** The time that ranks an entry: measured if available, else predicted; negative: neither. */
double report_seconds(const struct tcplan_entry *entry);

/** The samples of that time; NULL: none. */
const struct tcplan_estimate *report_estimate(const struct tcplan_entry *entry);

/** The fastest measured entry; NULL: none was measured. */
const struct tcplan_entry *report_fastest_measured(const struct report *report);

/** The baseline of the answer: the algorithm of --baseline, or else tcplan_ranking_baseline(). */
struct report_baseline {
    const struct tcplan_entry *entry; /**< NULL: not evaluated, or the answer */
    double speedup; /**< its time relative to the answer in the same rounds; 0: no common rounds */
    bool copies;    /**< it copies some tensor */
};

struct report_baseline report_baseline(const struct report *report);

/** Entries with shorter times than the answer that were not compared with it. */
struct report_faster {
    size_t count;
    double seconds; /**< of the fastest of them */
};

struct report_faster report_faster(const struct tcplan_ranking *ranking);

enum { REPORT_FASTER_CHARS = 240 };

/** "3 others look faster (from 90.1 ms) but were not compared with it; a higher --effort compares
 * more"; empty if there are none. */
const char *report_faster_text(char out[REPORT_FASTER_CHARS], const struct tcplan_ranking *ranking);

enum { REPORT_BASIS_CHARS = 64 };

/** The BLAS and the libraries whose kernels are, or could be, the answer: bits of providers. */
uint64_t report_providers(const struct report *report);

/** Prints the basis of a prediction, and "not compared" if it may be as fast as the answer. */
const char *report_basis(char out[REPORT_BASIS_CHARS], const struct tcplan_entry *entry);

enum { REPORT_LOAD_CHARS = 260 };

/** "other load on the machine: 1.2 processing units used by other programs, 5 of 90 windows
 * disturbed, 12.0 % of the time lost" */
const char *report_load(char out[REPORT_LOAD_CHARS], const struct tcplan_load *load);

/** Returns sizes in the form of --sizes, "a=400,b=400,c=400,i=8"; free with free(); NULL: out of
 * memory.
 */
char *report_sizes(const struct tcplan_problem *problem);

/** The same with equal extents joined: "a=b=c=400,i=8". */
char *report_short_sizes(const struct tcplan_problem *problem);

/**
 * Returns the shell command `tcplan emit ...` for an algorithm that was ranked for this request at
 * one size point, with all options that affect the C code. Free with free(); NULL: out of memory.
 */
char *emit_command(const struct request *request, const struct tcplan_problem *problem,
                   const struct tcplan_algorithm *algorithm, int threads);

/** The same for a distributed algorithm. */
char *emit_distributed_command(const struct options *options, const struct tcplan_problem *problem,
                               const char *algorithm);

#endif
