#include "cli/render/algorithms/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "cli/render/common_fields.h"

static const struct tcplan_word others[] = {{"numpy", TCPLAN_CONTENDER_NUMPY},
                                            {"numpy-best", TCPLAN_CONTENDER_NUMPY_BEST},
                                            {"numpy-matmul", TCPLAN_CONTENDER_NUMPY_MATMUL},
                                            {0}};
static const struct tcplan_word standings[] = {
    {"fastest", TCPLAN_STANDING_FASTEST}, {"tie", TCPLAN_STANDING_TIE},
    {"slower", TCPLAN_STANDING_SLOWER},   {"open", TCPLAN_STANDING_OPEN},
    {"not run", TCPLAN_STANDING_NONE},    {0}};

bool contender_find(enum tcplan_contender_kind *out, const char *name) {
    int kind;
    if (!tcplan_word_value(others, name, &kind)) return false;
    *out = (enum tcplan_contender_kind)kind;
    return true;
}

char *contender_name(const struct tcplan_contender *contender,
                     const struct tcplan_problem *problem) {
    if (!contender->algorithm) return base_strdup(tcplan_word(others, (int)contender->kind));
    return tcplan_algorithm_name(contender->algorithm, problem->contraction, problem->dtype);
}

static double gflops_of(const struct tcplan_problem *problem, double seconds) {
    return seconds > 0 ? 1e-9 * problem->flops / seconds : 0;
}

/** A contender in the output. */
struct contending {
    const struct tcplan_contender *contender;
    const struct tcplan_turns *turns;
    const struct tcplan_problem *problem;
};

static struct field_value seconds_of(const struct contending *r, double value) {
    return field_if(r->contender->standing != TCPLAN_STANDING_NONE, field_number(value));
}

static struct field_value round_seconds(const struct contending *r) {
    return (struct field_value){.known = r->contender->standing != TCPLAN_STANDING_NONE,
                                .numbers = r->contender->round_seconds,
                                .count = r->turns->rounds};
}

static enum terminal_style style_of(const void *record) {
    const enum tcplan_standing standing = ((const struct contending *)record)->contender->standing;
    return standing == TCPLAN_STANDING_FASTEST ? STYLE_BEST
           : standing == TCPLAN_STANDING_TIE   ? STYLE_GOOD
                                               : STYLE_PLAIN;
}

#define CONTENDER r->contender
#define TIMES r->contender->seconds
#define RAN r->contender->standing != TCPLAN_STANDING_NONE

/* clang-format off */

#define CONTENDING(F, T) \
    F(T, name, TEXT, field_owned(contender_name(CONTENDER, r->problem)), "name of an algorithm, numpy, numpy-best or numpy-matmul", \
      COLUMN(1, "contender"), ALWAYS) \
    F(T, standing, TEXT, field_text(tcplan_word(standings, (int)CONTENDER->standing)), \
      "result of the comparison; open: more rounds might decide", .words = standings, ALWAYS) \
    F(T, version, TEXT, field_text(CONTENDER->version), "version of numpy") \
    F(T, reason, TEXT, field_text(CONTENDER->reason), "reason why the contender did not run") \
    F(T, measured_seconds, NUMBER, seconds_of(r, TIMES.seconds), "median time of one execution", COLUMN(2, "measured"), .format = FIELD_TIME) \
    F(T, interval, NUMBER, field_if(RAN, field_interval(TIMES.low, TIMES.high)), "95 % confidence interval of the median", \
      COLUMN(3, "interval of median"), .format = FIELD_INTERVAL, .optional = '2', .hidden = true) \
    F(T, measured_low, NUMBER, seconds_of(r, TIMES.low), "lower end of the 95 % confidence interval of the median") \
    F(T, measured_high, NUMBER, seconds_of(r, TIMES.high), "upper end of the 95 % interval") \
    F(T, measured_gflops, NUMBER, seconds_of(r, gflops_of(r->problem, TIMES.seconds)), "speed according to the median", \
      COLUMN(4, "GFLOP/s"), .format = FIELD_DIGITS, .optional = '1') \
    F(T, ratio, NUMBER, seconds_of(r, CONTENDER->ratio), "median of the time relative to the fastest contender in the same round", \
      COLUMN(5, "times the fastest"), .format = FIELD_RATIO_3) \
    F(T, ratio_low, NUMBER, seconds_of(r, CONTENDER->ratio_low), "lower end of the 95 % interval") \
    F(T, ratio_high, NUMBER, seconds_of(r, CONTENDER->ratio_high), "upper end of the 95 % interval") \
    F(T, samples, INTEGER, field_if(RAN, field_integer(r->turns->rounds)), "number of rounds") \
    F(T, sample_seconds, NUMBERS, round_seconds(r), "time in each round")

#define IN_TURNS(F, T) \
    F(T, contenders, LIST, FIELD_VISIT_ALL(r->turns->count, &(struct contending){&r->turns->contender[i], r->turns, r->problem}), "the contenders", \
      .item = "contender", .fields = contending_fields, .style = style_of)

#define COMPARED(F, T) \
    F(T, asked, GROUP, FIELD_VISIT(&(struct asked){r->request, r->problem}), "the contraction", .fields = asked_fields) \
    F(T, threads, INTEGER, field_integer(r->request->options->threads), "threads of each", ALWAYS) \
    F(T, memory, GROUP, FIELD_VISIT(r->request->options), "memory limits", .fields = memory_fields) \
    F(T, flops, NUMBER, field_number(r->problem->flops), "operations of the contraction", ALWAYS) \
    F(T, rounds, INTEGER, field_integer(r->turns->rounds), "number of rounds", ALWAYS) \
    F(T, spent_seconds, NUMBER, field_number(r->turns->spent_seconds), "total time", ALWAYS) \
    F(T, machine, OBJECT, FIELD_VISIT(&r->request->machine), "cores and caches", .fields = tcplan_machine_fields, ALWAYS) \
    F(T, libraries, GROUP, const struct tcplan_blas blas = tcplan_blas_info(); FIELD_VISIT(&blas), "libraries of kernels", .fields = libraries_fields) \
    F(T, in_turns, GROUP, FIELD_VISIT(&(struct in_turns){r->turns, r->problem}), "what ran", .fields = in_turns_fields)

/* clang-format on */

FIELD_TABLE(contending, contending, CONTENDING);
FIELD_TABLE_SHARED(in_turns, in_turns, IN_TURNS);
FIELD_TABLE(compared, compared, COMPARED);

/* Text. */

/** Prints a ratio, such as "1.32 ± 0.02", with as many decimals as its interval justifies. */
static void print_ratio(FILE *file, const struct tcplan_contender *contender) {
    const double half = (contender->ratio_high - contender->ratio_low) / 2;
    const int decimals = half < 0.01 ? 3 : half < 0.1 ? 2 : half < 1 ? 1 : 0;
    fprintf(file, "%.*f \xC2\xB1 %.*f", decimals, contender->ratio, decimals, half);
}

/** "dgemm (1.24 ms)" */
static void print_timed_name(struct writer *writer, const struct tcplan_contender *contender,
                             const struct tcplan_problem *problem) {
    writer_print_owned(writer, "", contender_name(contender, problem), "");
    if (contender->standing != TCPLAN_STANDING_NONE)
        fprintf(writer->file, " (%s)", quantity_seconds(contender->seconds.seconds).text);
}

/** Prints the comparison of a contender with the fastest one. */
static void print_sentence(struct writer *writer, const struct tcplan_contender *fastest,
                           const struct tcplan_contender *other,
                           const struct tcplan_problem *problem) {
    FILE *file = writer->file;
    const bool ran = fastest && other->standing != TCPLAN_STANDING_NONE;
    print_timed_name(writer, ran && other->standing == TCPLAN_STANDING_SLOWER ? fastest : other,
                     problem);
    if (!ran) {
        fprintf(file, " did not run: %s.\n", other->reason);
    } else if (other->standing == TCPLAN_STANDING_SLOWER) {
        fputs(" is ", file);
        print_ratio(file, other);
        fputs(" times faster than ", file);
        print_timed_name(writer, other, problem);
        fputs(" in the same rounds.\n", file);
    } else {
        fputs(other->standing == TCPLAN_STANDING_TIE ? " ties with "
                                                     : " is not distinguishable from ",
              file);
        print_timed_name(writer, fastest, problem);
        fputs(other->standing == TCPLAN_STANDING_TIE ? ": within 2 %, at " : ": it takes ", file);
        print_ratio(file, other);
        fputs(other->standing == TCPLAN_STANDING_TIE
                  ? " times its time.\n"
                  : " times its time; a longer --time-limit may decide.\n",
              file);
    }
}

static void print_sentences(struct writer *writer, const struct tcplan_turns *turns,
                            const struct tcplan_problem *problem) {
    const struct tcplan_contender *fastest =
        turns->fastest >= 0 ? &turns->contender[turns->fastest] : NULL;
    for (int c = 0; c < turns->count; c++) {
        const struct tcplan_contender *own = &turns->contender[c];
        if (own != fastest) print_sentence(writer, fastest, own, problem);
    }
}

static bool has_kind(const struct tcplan_turns *turns, enum tcplan_contender_kind kind) {
    for (int c = 0; c < turns->count; c++) {
        if (turns->contender[c].kind == kind) return true;
    }
    return false;
}

/** Prints the number of rounds, such as "64 rounds in 3.721 s; numpy 1.26.4: numpy is einsum,
 * numpy-best einsum with optimize=True". */
static void print_rounds(FILE *file, const struct tcplan_turns *turns) {
    const char *version = "";
    for (int c = 0; c < turns->count; c++)
        version = *turns->contender[c].version ? turns->contender[c].version : version;
    fprintf(file, "%s in %s", counted(turns->rounds, "round").text,
            quantity_seconds(turns->spent_seconds).text);
    if (*version)
        fprintf(file, "; %s: numpy is einsum, numpy-best einsum with optimize=True%s", version,
                has_kind(turns, TCPLAN_CONTENDER_NUMPY_MATMUL)
                    ? ", numpy-matmul matmul on transposed arrays"
                    : "");
}

void contenders_print(struct writer *writer, const struct tcplan_turns *turns,
                      const struct tcplan_problem *problem) {
    if (turns->rounds > 0) {
        fputs("Run alternately, ", writer->file);
        print_rounds(writer->file, turns);
        fputs(".\n", writer->file);
    }
    print_sentences(writer, turns, problem);
}

static void print(struct writer *writer, const void *record) {
    const struct compared *compared = record;
    const int threads = compared->request->options->threads;
    format_text_problem(writer, compared->problem);
    format_text_machine(writer, &compared->request->machine);
    fprintf(writer->file, "runs         %s each; ", counted(threads, "thread").text);
    print_rounds(writer->file, compared->turns);
    fputs("\n\n", writer->file);
    fields_print_list(writer, in_turns_fields,
                      &(struct in_turns){compared->turns, compared->problem});
    fputs("\n", writer->file);
    print_sentences(writer, compared->turns, compared->problem);
}

VIEW(compared, compared, "comparison", print, "Comparison by interleaved runs.");
