/**
 * Results of `rank` and `measure` for one size point, computed once for all formats.
 */
#ifndef CLI_RENDER_ALGORITHMS_REPORT_H
#define CLI_RENDER_ALGORITHMS_REPORT_H

#include "cli/render/fields.h"
#include "tcplan/nest.h"

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

/** Returns the warning that every command prints if other load disturbed its timing. */
const char *report_load_warning(char out[REPORT_LOAD_CHARS], const struct tcplan_load *load);

/** Returns sizes in the form of --sizes: "a=b=c=400,i=8", or "a=400,b=400,c=400,i=8" unless equal
 * ones are joined. Free with free(); NULL: out of memory. */
char *sizes_text(int count, const char *const name[], const int64_t extent[], bool joins);

/** The same for a problem; not joined, and joined. */
char *report_sizes(const struct tcplan_problem *problem);
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

/* The description of an algorithm for all formats. */

/** A copy of a tensor to or from a temporary. */
struct row_copy {
    const char *operand; /**< the tensor's name */
    const char *inside;  /**< the loop that carries the copy, with steps as `a:8`; NULL: outside all
                            loops */
    bool transposed; /**< transposed: the second of its roles is contiguous in the temporary; `full`
                    space */
    bool streamed;   /**< written with non-temporal stores; `full` space */
};

/** Borrows from its contraction. */
struct row {
    const struct tcplan_contraction *contraction;
    enum tcplan_dtype dtype;
    struct tcplan_nest *nest;
    char *name;
    char kernel[8];       /**< with the type's letter, as `dgemm` */
    const char *provider; /**< library of the kernel, as `openblas` */
    double model_seconds; /**< of a candidate without timing: calls, copies and misses; negative:
                             unknown */
    int loop_count;
    const char *loop[TCPLAN_MAX_INDICES]; /**< from the outside in; with steps as `a:8` */
    int copy_count;
    struct row_copy copy[TCPLAN_OPERANDS];
};

/** Describes an algorithm; false: out of memory, and there is nothing to free. */
bool row_make(struct row *out, const struct tcplan_algorithm *algorithm,
              const struct tcplan_contraction *contraction, enum tcplan_dtype dtype);

void row_free(struct row *row);

/** Returns "A@i B@": copied operands and, after the @, the loop that carries the copy. */
struct field_value row_copies(const struct row *row);

extern const struct field row_copy_fields[];

/* The fields of a ranking: the settings of the whole and the algorithms of its rows. Text, CSV,
 * JSON, XML, the JSON schema, the man page and docs/ranking.md are generated from this table. */

/** The record of the fields. For fields of the whole ranking, and to choose columns of text, only
 * `report` is set. */
struct ranked {
    const struct report *report;
    const struct tcplan_entry *entry;
    const struct tcplan_entry *baseline; /**< marked in text; NULL: none */
    struct row row;
    enum tcplan_provider library[TCPLAN_ALGORITHM_LIBRARIES];
    const char *library_name[TCPLAN_ALGORITHM_LIBRARIES];
    int libraries;
};

/** Fields of a row. */
extern const struct field ranked_fields[];

/** Returns what tables say about the basis of a time; "": nothing. */
const char *ranking_basis_words(enum tcplan_basis basis);

/** Describes an entry of a ranking; false: out of memory, and there is nothing to free. */
bool ranked_make(struct ranked *out, const struct report *report, const struct tcplan_entry *entry);

void ranked_free(struct ranked *ranked);

void ranking_print_text(struct writer *writer, const struct report *report);

/** Whether each size of a sweep has one line. Options about rows of a table imply a table for each
 * size, as --full does. */
bool sweep_is_brief(const struct report *report);

/** Prints the line of one size, and before the first one the problem and the headings. */
void sweep_print_text(struct writer *writer, const struct report *report);

#endif
