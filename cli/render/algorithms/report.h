/**
 * What rank and measure say about one size point, computed once for every format.
 */
#ifndef CLI_RENDER_ALGORITHMS_REPORT_H
#define CLI_RENDER_ALGORITHMS_REPORT_H

#include "cli/request.h"

/** Borrows from the request and the ranking. */
struct report {
    const struct request *request;
    const struct tcplan_ranking *ranking;
    struct tcplan_blas blas;
    size_t predicted_count; /**< entries with a time, the first ones of the ranking */
    size_t measured_count;  /**< of these, the first ones */
    size_t not_applicable_count;
    const struct tcplan_entry *named; /**< what --baseline names; NULL: nothing */
    double named_speedup; /**< its time over that of the answer, in turns with it; 0: they did not
                             run so */
    size_t shown; /**< listed entries that --top lets through, pruned and open ones included,
                     inapplicable ones not */
    double limit_seconds; /**< what it takes at least by the ceilings of the machine; 0: they are
                             not known */
    const struct tcplan_turns *turns; /**< the winner beside others; NULL: not asked for */
};

struct report report_make(const struct request *request, const struct tcplan_ranking *ranking);

/** Whether an entry is the answer, which `*` marks unless it is the first. */
bool report_is_chosen(const struct report *report, const struct tcplan_entry *entry);

/** Whether documents list an entry: --top lets it through, or it is the answer. */
bool report_lists(const struct report *report, size_t position);

/** The speed that a time means. */
double report_gflops(const struct report *report, double seconds);

/** The share of the limit that a time means, 1: no faster is possible; negative where the limit is
 * not known. */
double report_limit_share(const struct report *report, double seconds);

/** The time an entry stands with in the ranking: measured before predicted; negative where it has
 * neither. */
double report_seconds(const struct tcplan_entry *entry);

/** The samples behind that time; NULL where it has none. */
const struct tcplan_estimate *report_estimate(const struct tcplan_entry *entry);

/** The measured entry that was fastest; NULL where nothing was measured. */
const struct tcplan_entry *report_fastest_measured(const struct report *report);

/** What the answer is compared with: what --baseline names, or else tcplan_ranking_baseline(). */
struct report_baseline {
    const struct tcplan_entry *entry; /**< NULL: it was not evaluated, or is the answer */
    double speedup; /**< its time over that of the answer, both from the same rounds; 0: they had
                       none in common */
    bool copies;    /**< some tensor is copied for it */
};

struct report_baseline report_baseline(const struct report *report);

/** Entries that look faster than the answer but were not compared with it. */
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

/** What a prediction is based on, and that it was not compared although it may be as fast as the
 * answer. */
const char *report_basis(char out[REPORT_BASIS_CHARS], const struct tcplan_entry *entry);

enum { REPORT_LOAD_CHARS = 260 };

/** "the machine was not quiet: 1.2 processing units at work for others, 5 of 90 windows
 * disturbed, 12.0 % of the time lost" */
const char *report_load(char out[REPORT_LOAD_CHARS], const struct tcplan_load *load);

/** "a=400,b=400,c=400,i=8", as --sizes takes it; to be freed with free(), NULL when memory is out.
 */
char *report_sizes(const struct tcplan_problem *problem);

/** The same with equal extents together: "a=b=c=400,i=8". */
char *report_short_sizes(const struct tcplan_problem *problem);

/**
 * Returns `tcplan emit ...` as a shell takes it, for an algorithm that was ranked for this request
 * at one size point. Options that change what is emitted are repeated. To be freed with free();
 * NULL when memory is out.
 */
char *emit_command(const struct request *request, const struct tcplan_problem *problem,
                   const struct tcplan_algorithm *algorithm, int threads);

#endif
