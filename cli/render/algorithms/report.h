/** Data about `rank` and `measure` for one size point, computed once for all output formats. */
#ifndef CLI_RENDER_ALGORITHMS_REPORT_H
#define CLI_RENDER_ALGORITHMS_REPORT_H

#include "cli/render/fields.h"
#include "tcplan/nest.h"

/** A ranking to print. Its pointers are borrowed from the request and the ranking. */
struct report {
    const struct request *request;
    const struct tcplan_ranking *ranking;
    struct tcplan_blas blas;
    size_t predicted_count; /**< number of first entries that have a time */
    size_t measured_count;  /**< number of first entries that have a measured time */
    size_t not_applicable_count;
    double fastest_seconds;           /**< shortest measured time; 0: nothing was measured */
    size_t tied_count;                /**< number of entries for which report_ties() holds */
    const struct tcplan_entry *named; /**< entry of the algorithm that --baseline names; NULL: none
                                       */
    double named_speedup; /**< time of the algorithm of --baseline divided by the answer's time, in
                             common rounds; 0: not measured in common rounds */
    size_t shown; /**< number of first entries to list: at most --top. Includes pruned and open
                     entries, but not inapplicable ones */
    double limit_seconds; /**< shortest time, in seconds, that the ceilings permit; 0: unknown */
    const struct tcplan_turns *turns; /**< comparison of the winner with the contender of --compare;
                                         NULL: not requested */
};

struct report report_make(const struct request *request, const struct tcplan_ranking *ranking);

/** Returns whether an entry is the answer. Tables mark it with `*` unless it is the first entry. */
bool report_is_chosen(const struct report *report, const struct tcplan_entry *entry);

/** Returns whether documents list an entry: if its position is within --top, or if it is the
 * answer. */
bool report_lists(const struct report *report, size_t position);

/** Returns the speed, in GFLOP/s, that corresponds to a time in seconds. */
double report_gflops(const struct report *report, double seconds);

/** Returns the shortest time that the ceilings permit, divided by `seconds`. 1 is the fastest
 * possible; negative: unknown. */
double report_limit_share(const struct report *report, double seconds);

/** Returns the time by which an entry is ranked, in seconds: measured if available, otherwise
 * predicted; negative if it has neither. */
double report_seconds(const struct tcplan_entry *entry);

/** Returns the samples of the time by which an entry is ranked; NULL if there are none. */
const struct tcplan_estimate *report_estimate(const struct tcplan_entry *entry);

/** Returns the fastest measured entry; NULL if there is none. */
const struct tcplan_entry *report_fastest_measured(const struct report *report);

/** Returns whether an entry is as fast as the fastest one: if algorithms were measured, within
 * TCPLAN_EQUAL_SHARE of the shortest measured time; otherwise as the ranking says. */
bool report_ties(const struct report *report, const struct tcplan_entry *entry);

/** The baseline of the answer: the algorithm of --baseline, otherwise tcplan_ranking_baseline(). */
struct report_baseline {
    const struct tcplan_entry *entry; /**< entry of the baseline; NULL: not evaluated, or the answer
                                         itself */
    double speedup; /**< time of the baseline divided by the answer's time, in common rounds; 0: not
                       measured in common rounds */
    bool is_predicted; /**< whether the times are predicted, not measured */
    bool copies;       /**< whether the baseline copies a tensor */
};

struct report_baseline report_baseline(const struct report *report);

/** Entries that look faster than the answer, but were not compared with it. */
struct report_faster {
    size_t count;
    double seconds; /**< seconds of the fastest of these entries */
};

struct report_faster report_faster(const struct tcplan_ranking *ranking);

enum { REPORT_FASTER_CHARS = 240 };

/** Returns a text such as "3 others look faster (from 90.1 ms) but were not compared with it; a
 * higher --effort compares more"; empty if no entries look faster. */
const char *report_faster_text(char out[REPORT_FASTER_CHARS], const struct tcplan_ranking *ranking);

enum { REPORT_BASIS_CHARS = 64 };

/** Returns, as bits, the providers of kernels of the answer and of algorithms that may be as good.
 * The BLAS is always included. */
uint64_t report_providers(const struct report *report);

/** Returns the source of a prediction, with "not compared" if the entry may be as fast as the
 * answer. */
const char *report_basis(char out[REPORT_BASIS_CHARS], const struct tcplan_entry *entry);

enum { REPORT_LOAD_CHARS = 260 };

/** Returns a description of other load, such as "other load on the machine: 1.2 processing units
 * used by other programs, 5 of 90 windows disturbed, 12.0 % of the time lost". */
const char *report_load(char out[REPORT_LOAD_CHARS], const struct tcplan_load *load);

/** Returns the warning that commands print if other load disturbed their timing. */
const char *report_load_warning(char out[REPORT_LOAD_CHARS], const struct tcplan_load *load);

/** Returns sizes in the form of --sizes: "a=b=c=400,i=8", or "a=400,b=400,c=400,i=8" if `joins` is
 * false. The caller frees the text with free(); NULL if memory runs out. */
char *sizes_text(int count, const char *const name[], const int64_t extent[], bool joins);

/** Return the sizes of a problem in the form of sizes_text(): each index separately, or equal sizes
 * joined. */
char *report_sizes(const struct tcplan_problem *problem);
char *report_short_sizes(const struct tcplan_problem *problem);

/**
 * Returns the shell command `tcplan emit ...` for an algorithm that was ranked for this request at
 * one size point, with all options that affect the C code. The caller frees it with free(); NULL if
 * memory runs out.
 */
char *emit_command(const struct request *request, const struct tcplan_problem *problem,
                   const struct tcplan_algorithm *algorithm, int threads);

/** Returns the command `tcplan emit ...` for a distributed algorithm, like emit_command(). */
char *emit_distributed_command(const struct options *options, const struct tcplan_problem *problem,
                               const char *algorithm);

/** A copy of a tensor to or from a temporary. */
struct row_copy {
    const char *operand; /**< the tensor's name */
    const char *inside;  /**< the loop inside which the copy is made, with its step, such as `a:8`;
                            NULL:  the copy is outside all loops */
    bool transposed; /**< whether the copy is transposed, so that the dimension of its second role
                        is contiguous (only in the `full` space) */
    bool streamed;   /**< whether the copy uses non-temporal stores (only in the `full` space) */
};

/** Description of an algorithm. Its pointers are borrowed from the contraction. */
struct row {
    const struct tcplan_contraction *contraction;
    enum tcplan_dtype dtype;
    struct tcplan_nest *nest;
    char *name;
    char kernel[8];       /**< kernel with the letter of the element type, such as `dgemm` */
    const char *provider; /**< name of the kernel's library, such as `openblas` */
    double model_seconds; /**< modelled seconds of a candidate that was not timed, from its calls,
                             copies and cache misses; negative: unknown */
    int loop_count;
    const char *loop[TCPLAN_MAX_INDICES]; /**< names of the loops, outermost first, with steps as
                                             `a:8` */
    int copy_count;
    struct row_copy copy[TCPLAN_OPERANDS];
};

/** Describes an algorithm; false if memory runs out, with nothing to free. */
bool row_make(struct row *out, const struct tcplan_algorithm *algorithm,
              const struct tcplan_contraction *contraction, enum tcplan_dtype dtype);

void row_free(struct row *row);

/** Returns the copied operands, such as "A@i B@". The text after @ is the loop inside which the
 * copy is made. */
struct field_value row_copies(const struct row *row);

extern const struct field row_copy_fields[];

/* The fields of a ranking: its settings and its algorithms. Text, CSV,
 * JSON, XML, the JSON schema, the man page and docs/ranking.md are generated from this table. */

/** Record of the fields. For fields of the whole ranking, and when text columns are chosen, only
 * `report` is set. */
struct ranked {
    const struct report *report;
    const struct tcplan_entry *entry;
    const struct tcplan_entry *baseline; /**< entry that text marks as the baseline; NULL: none is
                                            marked */
    struct row row;
    enum tcplan_provider library[TCPLAN_ALGORITHM_LIBRARIES];
    const char *library_name[TCPLAN_ALGORITHM_LIBRARIES];
    int libraries;
};

/** Fields of an algorithm's row. */
extern const struct field ranked_fields[];

/** Returns the words that tables print about the basis of a time; may be "". */
const char *ranking_basis_words(enum tcplan_basis basis);

/** Describes an entry of a ranking; false if memory runs out, with nothing to free. */
bool ranked_make(struct ranked *out, const struct report *report, const struct tcplan_entry *entry);

void ranked_free(struct ranked *ranked);

void ranking_print_text(struct writer *writer, const struct report *report);

/** Returns whether a sweep prints one line for each size. It prints a whole table for each size
 * with --full and with options about the rows of a table. */
bool sweep_is_brief(const struct report *report);

/* The following functions print parts of the text of a sweep. */

/**
 * Prints the headings of the columns of sizes, times and speeds, and the heading `last` of the last
 * column.
 * @param widest the sizes that need the widest column; freed
 */
void sweep_print_headings(struct writer *writer, char *widest, const char *last);

/** Prints a cell of the first column, padded to the width of the text `widest`, and frees both
 * texts. */
void sweep_print_cell(struct writer *writer, char *cell, char *widest);

/** Prints the cells of a time in seconds and a speed in GFLOP/s. */
void sweep_print_time(struct writer *writer, double seconds, double gflops);

/** Prints, after the last size point, the notes that apply to all lines. */
void sweep_print_foot(struct writer *writer);

/** Prints the line of one size. The first call also prints the problem and the headings. */
void sweep_print_text(struct writer *writer, const struct report *report);

#endif
