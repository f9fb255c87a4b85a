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
    size_t shown;                     /**< listed entries that --top lets through, pruned and open ones included, inapplicable ones not */
    double limit_seconds;             /**< what it takes at least by the ceilings of the machine; 0: they are not known */
    const struct tcplan_turns *turns; /**< the winner beside others; NULL: not asked for */
};

struct report report_make(const struct request *request, const struct tcplan_ranking *ranking);

/** The speed that a time means. */
double report_gflops(const struct report *report, double seconds);

/** The share of the limit that a time means, 1: no faster is possible; negative where the limit is not known. */
double report_limit_share(const struct report *report, double seconds);

/** The time an entry stands with in the ranking: measured before predicted; negative where it has neither. */
double report_seconds(const struct tcplan_entry *entry);

/** The samples behind that time; NULL where it has none. */
const struct tcplan_estimate *report_estimate(const struct tcplan_entry *entry);

/** The measured entry that was fastest; NULL where nothing was measured. */
const struct tcplan_entry *report_fastest_measured(const struct report *report);

/** What the best entry is held against: what --baseline names, or else tcplan_ranking_baseline(). */
struct report_baseline {
    const struct tcplan_entry *entry; /**< NULL: it was not looked at, or is the best one */
    double speedup;                   /**< its time over that of the best entry: measured times, or else predicted ones of both */
    bool copies;                      /**< some tensor is copied for it */
    bool compared;                    /**< with the best entry: in the same rounds, or both were measured */
};

struct report_baseline report_baseline(const struct report *report);

/** What stands below the first although it looks faster: the first was compared with others, these were not. */
struct report_faster {
    size_t count;
    double seconds; /**< of the one that looks fastest */
};

struct report_faster report_faster(const struct tcplan_ranking *ranking);

enum { REPORT_FASTER_CHARS = 240 };

/** "It stands above 3 that look faster (from 90.1 ms), as these were not compared with it: a greater --effort compares more"; empty where there are none. */
const char *report_faster_text(char out[REPORT_FASTER_CHARS], const struct tcplan_ranking *ranking);

enum { REPORT_BASIS_CHARS = 64 };

/** What a prediction stands on, and that it was not compared where nothing excludes that it is as fast as the first. */
const char *report_basis(char out[REPORT_BASIS_CHARS], const struct tcplan_entry *entry);

enum { REPORT_LOAD_CHARS = 160 };

/** "the machine was not quiet: 1.2 processing units at work for others, 5 of 90 windows disturbed, 12.0 % of the time lost" */
const char *report_load(char out[REPORT_LOAD_CHARS], const struct tcplan_ranking *ranking);

/** "a=400,b=400,c=400,i=8", as --sizes takes it; to be freed with free(), NULL when memory is out. */
char *report_sizes(const struct tcplan_problem *problem);

#endif
