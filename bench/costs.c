/*
 * Prints the machine's cost model (tcplan/costs.h), and tests whether it improves the model of
 * loops and copies.
 *
 *   bench_costs [CASES]
 *
 * Prints each number of a calibration next to the assumption for an unmeasured machine. Then it
 * ranks the first CASES of some contractions like those of TCCG (default: all), and estimates each
 * evaluated algorithm with measured and with assumed costs: the timed kernels plus the time that
 * the model adds. `/ seen` is the geometric mean of the estimates over the measured times at the
 * core's best speed, `spread` the standard deviation of the logarithm, `pairs` the share of pairs
 * in the right order, of those that differ by 10 % or more. The last lines are for all cases
 * together, with one part of the costs measured and all others assumed, and the reverse. A part is
 * harmful if there are fewer right pairs with it, and more without it. The same follows for the
 * time that the model adds, for algorithms where this is a fifth of the time or more.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/subject.h"
#include "cachesim/arrangement/arrangement.h"
#include "microbench/timing/statistics.h"
#include "tcplan/calibration.h"

enum { MOST_EVALUATIONS = 60 };

/** Parts of the costs, and sets of costs for estimates: sets with one part measured, and sets with
 * all but one part measured. */
enum {
    SIZES,
    LINES,
    WRITING,
    PAGES,
    COPIES,
    PARTS,
    ASSUMED = 0,
    ALONE,
    MEASURED = ALONE + PARTS,
    BUT,
    SETS = BUT + PARTS
};

static const char *const part_names[PARTS] = {"sizes of caches", "lines", "writing", "pages",
                                              "copies"};

static const struct {
    const char *notation, *sizes;
} cases[] = {
    {"C_abc=A_acd*B_db", "a=312,b=24,c=296,d=312"},
    {"C_abcd=A_dbea*B_ec", "a=72,b=72,c=24,d=72,e=72"},
    {"C_abcd=A_eb*B_aecd", "a=72,b=72,c=24,d=72,e=72"},
    {"C_ab=A_cad*B_dcb", "a=312,b=296,c=78,d=78"},
    {"C_abcd=A_aebf*B_dfce", "a=36,b=36,c=36,d=36,e=36,f=36"},
    {"C_abcdef=A_dega*B_gfbc", "a=24,b=16,c=16,d=24,e=16,f=16,g=24"},
    {"C_abc=A_ija*B_jbic", "a=b=c=128,i=j=8"},
    {"C_abc=A_ai*B_ibc", "a=b=c=300,i=8"},
};

/** Logarithms of estimated over measured times, and the number of pairs in the right order. */
struct score {
    struct running_mean errors;
    double pairs, ordered;
};

struct evaluated {
    double seen;
    double kernels;
    double rest[SETS];
};

static void add(struct score *score, double estimate, double seen) {
    if (!(estimate > 0) || !(seen > 0)) return;
    running_mean_add(&score->errors, log(estimate / seen));
}

static void print_score(const struct score *score) {
    printf("  %6.2f %6.2f", exp(score->errors.mean), sqrt(running_mean_variance(&score->errors)));
    if (score->pairs > 0) {
        printf(" %5.2f", score->ordered / score->pairs);
    } else {
        printf("     -");
    }
}

static void add_pairs(struct score *score, const struct evaluated evaluated[], int count, int set) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            const double ratio = evaluated[i].seen / evaluated[j].seen;
            if (ratio < 1.1 && ratio > 1 / 1.1) continue;
            score->pairs++;
            score->ordered += (ratio > 1) == (evaluated[i].kernels + evaluated[i].rest[set] >
                                              evaluated[j].kernels + evaluated[j].rest[set]);
        }
    }
}

static void take_part(struct tcplan_costs *out, const struct tcplan_costs *from, int part) {
    for (int c = 0; c < out->cache_count; c++) {
        if (part == SIZES) out->cache[c].held_bytes = from->cache[c].held_bytes;
        if (part == LINES) out->cache[c].line_seconds = from->cache[c].line_seconds;
    }
    if (part == LINES) out->sequential = from->sequential;
    if (part == WRITING) {
        out->written = from->written;
        out->streamed = from->streamed;
        out->streamed_row = from->streamed_row;
    } else if (part == PAGES) {
        out->pages = from->pages;
        out->page_bytes = from->page_bytes;
        out->page_seconds = from->page_seconds;
    } else if (part == COPIES) {
        memcpy(out->copy, from->copy, sizeof out->copy);
    }
}

/** Makes the costs of each set. */
static void make_sets(struct tcplan_costs out[SETS], const struct tcplan_costs *assumed,
                      const struct tcplan_costs *measured) {
    out[ASSUMED] = *assumed;
    out[MEASURED] = *measured;
    for (int part = 0; part < PARTS; part++) {
        out[ALONE + part] = *assumed;
        out[BUT + part] = *measured;
        take_part(&out[ALONE + part], measured, part);
        take_part(&out[BUT + part], assumed, part);
    }
}

static const char *set_name(char out[40], int set) {
    if (set == ASSUMED || set == MEASURED) return set == ASSUMED ? "assumed" : "measured";
    const bool is_alone = set < MEASURED;
    snprintf(out, 40, "%s%s", is_alone ? "" : "all but ",
             part_names[set - (is_alone ? ALONE : BUT)]);
    return out;
}

/** Estimates the time of each algorithm: that of its kernels plus the time that the model adds. */
static void rate(struct evaluated evaluated[], const struct tcplan_algorithm algorithm[], int count,
                 const struct tcplan_problem *problem, const struct tcplan_machine *machine,
                 const struct tcplan_costs *costs, int set) {
    struct tcplan_machine own = *machine;
    own.costs = costs;
    struct arranger *arranger = arranger_new(problem, &own, 1, (struct deadline){0});
    if (!arranger) exit(EXIT_FAILURE);
    for (int l = 0; l < count; l++)
        evaluated[l].rest[set] = arrangement_seconds(arranger, &algorithm[l], NULL);
    arranger_free(arranger);
}

static int evaluate(struct evaluated out[MOST_EVALUATIONS], int case_number,
                    const struct tcplan_machine *machine, const struct tcplan_costs costs[SETS]) {
    struct subject subject = subject_open(cases[case_number].notation, cases[case_number].sizes);
    const struct tcplan_problem problem = subject_problem(&subject, 0);
    struct tcplan_algorithm algorithm[MOST_EVALUATIONS];
    struct tcplan_rank_options options = tcplan_rank_defaults();
    struct tcplan_ranking *ranking;
    struct tcplan_error error;
    int count = 0;
    options.machine = machine;
    options.gemm_gflops = -1;
    subject_check(subject.notation, tcplan_rank(&ranking, &problem, &options, &error), &error);
    for (size_t e = 0; e < ranking->entry_count && count < MOST_EVALUATIONS; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->predicted || entry->basis == TCPLAN_BASIS_ESTIMATE ||
            !(entry->lower_bound_seconds > 0))
            continue;
        out[count].seen = entry->prediction.seconds;
        out[count].kernels = entry->lower_bound_seconds;
        algorithm[count++] = entry->algorithm;
    }
    for (int s = 0; s < SETS; s++) rate(out, algorithm, count, &problem, machine, &costs[s], s);
    tcplan_ranking_free(ranking);
    subject_close(&subject);
    return count;
}

static void print_number(const char *name, double assumed, double measured, double factor,
                         const char *unit) {
    printf("%-36s %10.4g %10.4g %s\n", name, factor * assumed, factor * measured, unit);
}

static void print_copies(char type, const struct tcplan_copy_costs *assumed,
                         const struct tcplan_copy_costs *measured) {
    const struct {
        const char *name;
        double assumed, measured;
    } number[] = {{"element of a run", assumed->run, measured->run},
                  {"element of a transposed block", assumed->transposed, measured->transposed},
                  {"scattered element", assumed->scattered, measured->scattered},
                  {"element of a sum", assumed->summed, measured->summed},
                  {"element that is scaled", assumed->scaled, measured->scaled},
                  {"row of a transposed block", assumed->row, measured->row},
                  {"row that keeps its order", assumed->contiguous_row, measured->contiguous_row},
                  {"copy", assumed->begin, measured->begin}};
    for (size_t n = 0; n < sizeof number / sizeof *number; n++) {
        char name[64];
        snprintf(name, sizeof name, "%c: %s", type, number[n].name);
        print_number(name, number[n].assumed, number[n].measured, 1e9, "ns");
    }
}

static void print_costs(const struct tcplan_costs *assumed, const struct tcplan_costs *measured) {
    char name[64];
    printf("%-36s %10s %10s\n", measured->disturbed ? "costs, under other load" : "costs",
           "assumed", "measured");
    for (int c = 0; c < measured->cache_count; c++) {
        snprintf(name, sizeof name, "cache %d holds", c + 1);
        print_number(name, assumed->cache[c].held_bytes, measured->cache[c].held_bytes, 1.0 / 1024,
                     "KiB");
        snprintf(name, sizeof name, "line that the cache does not hold");
        print_number(name, assumed->cache[c].line_seconds, measured->cache[c].line_seconds, 1e9,
                     "ns");
    }
    print_number("line of a long run", assumed->sequential, measured->sequential, 1,
                 "lines of a short run");
    print_number("written line", assumed->written, measured->written, 1, "lines read");
    print_number("line written by a non-temporal store", assumed->streamed, measured->streamed, 1,
                 "lines read");
    print_number("ends of a row written by such stores", assumed->streamed_row,
                 measured->streamed_row, 1e9, "ns");
    print_number("pages with cached translations", assumed->pages, measured->pages, 1, "");
    print_number("page whose translation is not cached", assumed->page_seconds,
                 measured->page_seconds, 1e9, "ns");
    print_number("fresh page", assumed->fresh_page_seconds, measured->fresh_page_seconds, 1e9,
                 "ns");
    for (int t = 0; t < TCPLAN_DTYPES; t++)
        print_copies("sdcz"[t], &assumed -> copy[t], &measured -> copy[t]);
    printf("measured in %.2f s\n\n", measured->seconds);
}

/** Adds the evaluations of a case to the scores. */
static void add_case(struct score *all, struct score *rest, const struct evaluated evaluated[],
                     int count, int set) {
    for (int l = 0; l < count; l++) {
        const struct evaluated *one = &evaluated[l];
        add(all, one->kernels + one->rest[set], one->seen);
        if (one->seen > 1.2 * one->kernels) add(rest, one->rest[set], one->seen - one->kernels);
    }
    add_pairs(all, evaluated, count, set);
}

int main(int count, char **argument) {
    struct tcplan_machine machine;
    struct tcplan_error error;
    struct tcplan_costs measured, sets[SETS];
    struct score all[SETS] = {0}, rest[SETS] = {0};
    int most = sizeof cases / sizeof *cases;
    subject_check("this machine", tcplan_machine_load(&machine, "live", &error), &error);
    subject_check("the costs", tcplan_costs_measure(&measured, &machine, &error), &error);
    const struct tcplan_costs assumed = tcplan_costs_assumed(&machine);
    make_sets(sets, &assumed, &measured);
    print_costs(&assumed, &measured);
    if (count > 1) most = atoi(argument[1]) < most ? atoi(argument[1]) : most;
    printf("%-26s %5s  %-20s  %s\n%-26s %5s  %6s %6s %5s   %6s %6s %5s\n", "", "", "assumed",
           "measured", "", "times", "/ seen", "spread", "pairs", "/ seen", "spread", "pairs");
    for (int n = 0; n < most; n++) {
        struct evaluated evaluated[MOST_EVALUATIONS];
        const int evaluations = evaluate(evaluated, n, &machine, sets);
        printf("%-26s %5d", cases[n].notation, evaluations);
        for (int s = 0; s < SETS; s++) {
            struct score own = {0}, own_rest = {0};
            add_case(&all[s], &rest[s], evaluated, evaluations, s);
            add_case(&own, &own_rest, evaluated, evaluations, s);
            if (s == ASSUMED || s == MEASURED) print_score(&own);
        }
        printf("\n");
        fflush(stdout);
    }
    printf("\n%-26s %5s  %-20s  %s\n", "measured", "", "all", "but kernels");
    for (int s = 0; s < SETS; s++) {
        char name[40];
        printf("%-26s %5" PRId64, set_name(name, s), all[s].errors.count);
        print_score(&all[s]);
        print_score(&rest[s]);
        printf("\n");
    }
    return EXIT_SUCCESS;
}
