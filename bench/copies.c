/*
 * Compares the speed of copies with that of this machine's memory: the permutations with which
 * each of TCCG's 24 contractions becomes one gemm, and tiles of a result that are copied from a
 * near cache.
 *
 *   bench_copies [--rounds N] [--huge-pages] [CASE...]
 *
 * An operand is copied to the order of a gemm: free indices in the order of C, contracted ones in
 * that of A; C is copied back from such an order. GB/s count each byte once as read and once as
 * written. The columns of a line are medians of rounds, in which all of them run alternately: the
 * copy kernel with ordinary and with non-temporal stores, the roofline's own copy kernel on as
 * many bytes (`tcplan roofline`: copy in DRAM), and a contiguous non-temporal copy of as many
 * bytes. The case `rows` measures the cost of short rows, which the model of loops and copies uses
 * (cachesim/arrangement/model.c).
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ast/problem/slice.h"
#include "bench/subject.h"
#include "microbench/copy/strided.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"
#include "roofline/kernels/kernels.h"

enum {
    MOST_ROUNDS = 101,
    SMALLEST_BYTES = 8 << 20,
    MOST_BYTES = 640 << 20,
    COLUMNS = 4,
    NAME = 16
};

static const struct {
    const char *name;
    const char *c, *a, *b; /* indices of C, A and B in storage order, the contiguous one first */
    const char *sizes;
} contraction[] = {
    {"intensli0", "abc", "bda", "dc", "a=312,b=312,c=24,d=312"},
    {"intensli1", "abc", "dca", "bd", "a=312,b=24,c=296,d=312"},
    {"intensli2", "abcd", "dbea", "ec", "a=72,b=72,c=24,d=72,e=72"},
    {"intensli3", "abcd", "deca", "be", "a=72,b=24,c=72,d=72,e=72"},
    {"intensli4", "abcd", "ebad", "ce", "a=72,b=72,c=24,d=72,e=72"},
    {"intensli5", "abcde", "efbad", "cf", "a=48,b=32,c=24,d=32,e=48,f=32"},
    {"intensli6", "abcde", "ecbfa", "fd", "a=48,b=32,c=32,d=24,e=48,f=48"},
    {"intensli7", "abcde", "efcad", "bf", "a=48,b=24,c=32,d=32,e=48,f=32"},
    {"ao2mo0", "abcd", "ea", "ebcd", "a=72,b=72,c=72,d=72,e=72"},
    {"ao2mo1", "abcd", "eb", "aecd", "a=72,b=72,c=72,d=72,e=72"},
    {"ao2mo2", "abcd", "ec", "abed", "a=72,b=72,c=72,d=72,e=72"},
    {"ccsd0", "ab", "ac", "cb", "a=5136,b=5120,c=5136"},
    {"ccsd1", "ab", "acd", "dbc", "a=312,b=296,c=296,d=312"},
    {"ccsd2", "ab", "cad", "dcb", "a=312,b=296,c=312,d=312"},
    {"ccsd3", "abc", "acd", "db", "a=312,b=296,c=296,d=312"},
    {"ccsd4", "abc", "adc", "bd", "a=312,b=312,c=296,d=296"},
    {"ccsd5", "abc", "adec", "ebd", "a=72,b=72,c=72,d=72,e=72"},
    {"ccsd6", "abcd", "aebf", "dfce", "a=72,b=72,c=72,d=72,e=72,f=72"},
    {"ccsd7", "abcd", "aebf", "fdec", "a=72,b=72,c=72,d=72,e=72,f=72"},
    {"ccsd8", "abcd", "eafd", "fbec", "a=72,b=72,c=72,d=72,e=72,f=72"},
    {"ccsd_t0", "abcdef", "dega", "gfbc", "a=24,b=16,c=16,d=24,e=16,f=16,g=24"},
    {"ccsd_t1", "abcdef", "degb", "gfac", "a=24,b=16,c=16,d=24,e=16,f=16,g=24"},
    {"ccsd_t2", "abcdef", "degc", "gfab", "a=24,b=16,c=16,d=24,e=16,f=16,g=24"},
    {"ccsd_t3", "abcdef", "dfgb", "geac", "a=24,b=16,c=16,d=24,e=16,f=16,g=24"},
};

/* Tiles of a result. A loop copies one tile after the other from the same source, `from`, which
 * stays in a near cache. */
static const struct {
    const char *name, *to, *from, *sizes;
    char loop; /* the index that is split into tiles */
    int step;
} tile[] = {
    {"8 rows, L2", "abc", "bca", "a=312,b=312,c=24", 'a', 8},
    {"8 rows, L1", "ab", "ba", "a=20000,b=400", 'a', 8},
    {"4 columns, L1", "ab", "ab", "a=200,b=40000", 'b', 4},
    {"4 columns, L1", "ab", "ab", "a=400,b=40000", 'b', 4},
    {"16 columns, L1", "ab", "ab", "a=200,b=40000", 'b', 16},
};

struct study {
    int rounds;
    bool huge_pages;
    int names;
    char **name;
    char *to, *from;
    const struct stream_kernel *copy;
};

/** A copy that is repeated `steps` times, from one source to consecutive destinations. */
struct subject_copy {
    struct strided block;
    int64_t steps;
    ptrdiff_t step_bytes;
    double bytes; /* bytes written in all steps together */
};

static void *map(const struct study *study, size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        fprintf(stderr, "bench_copies: no memory for %zu bytes\n", bytes);
        exit(EXIT_FAILURE);
    }
    if (study->huge_pages) madvise(memory, bytes, MADV_HUGEPAGE);
    memset(memory, 0, bytes);
    return memory;
}

/** Makes the copy from one order of indices to another. A tile has `step` values of the index
 * `loop`, and the source holds only one tile. */
static struct subject_copy bind(const char *to, const char *from, const char *sizes, char loop,
                                int step) {
    char notation[64];
    snprintf(notation, sizeof notation, "C_%s=A_%s*B", to, from);
    struct subject subject = subject_open(notation, sizes);
    const struct tcplan_refinement none = refinement_none(subject.contraction);
    struct tcplan_problem part = subject_problem(&subject, 0);
    struct refined_problem whole = problem_refine(&part, &none);
    struct tcplan_copy copy = {
        .to = {.operand = TCPLAN_C}, .from = {.operand = TCPLAN_A}, .update = {.alpha = {1, 0}}};
    struct subject_copy bound = {
        .steps = 1, .bytes = (double)part.elems[TCPLAN_C] * (double)part.element_bytes};
    copy.to.span = copy.from.span = subject.contraction->tensor[TCPLAN_C].indices;
    for (int i = 0; i < subject.contraction->index_count && loop; i++) {
        if (subject.contraction->index[i].name[0] != loop) continue;
        bound.steps = whole.extent[i] / step;
        bound.step_bytes =
            (ptrdiff_t)(whole.stride_elems[TCPLAN_C][i] * step * (int64_t)part.element_bytes);
        whole.extent[i] = step;
        subject_check(
            notation,
            tcplan_problem_init(&part, subject.contraction, whole.extent, TCPLAN_DOUBLE, NULL),
            NULL);
        memcpy(whole.stride_elems[TCPLAN_A], part.stride_elems[TCPLAN_A],
               sizeof part.stride_elems[TCPLAN_A]);
    }
    bound.block = strided_copy(&whole, &copy, (struct blas_call_place){0});
    subject_close(&subject);
    return bound;
}

static double time_copy(const struct study *study, const struct subject_copy *copy, bool streamed) {
    struct strided block = copy->block;
    block.streamed = streamed;
    const uint64_t start_ns = clock_now_ns();
    for (int64_t s = 0; s < copy->steps; s++)
        strided_run_copy(&block, study->to + s * copy->step_bytes, study->from);
    strided_fence();
    return (double)(clock_now_ns() - start_ns);
}

/** Times the roofline's copy of as many bytes, with a source of the same size as the subject's. */
static double time_roofline(const struct study *study, double bytes, int64_t steps) {
    const int64_t elems =
        (int64_t)(bytes / sizeof(double)) / steps / STREAM_BLOCK_ELEMS * STREAM_BLOCK_ELEMS;
    const uint64_t start_ns = clock_now_ns();
    for (int64_t s = 0; s < steps; s++) {
        study->copy->run(&(struct stream){.a = (double *)(void *)study->to + s * elems,
                                          .b = (const double *)(const void *)study->from,
                                          .elems = elems,
                                          .passes = 1});
    }
    return (double)(clock_now_ns() - start_ns);
}

/** Times a contiguous non-temporal copy of as many bytes. */
static double time_sequence(const struct study *study, const struct subject_copy *copy) {
    struct subject_copy sequence = {.steps = copy->steps,
                                    .step_bytes = (ptrdiff_t)(copy->bytes / (double)copy->steps)};
    sequence.block = (struct strided){.rank = 1, .dtype = TCPLAN_DOUBLE};
    sequence.block.extent[0] = (int64_t)sequence.step_bytes / (int64_t)sizeof(double);
    sequence.block.to_bytes[0] = sequence.block.from_bytes[0] = sizeof(double);
    return time_copy(study, &sequence, true);
}

static void measure(const struct study *study, const char *name, const char *what,
                    const struct subject_copy *copy) {
    double ns[COLUMNS][MOST_ROUNDS], rate[COLUMNS];
    for (int r = -1; r < study->rounds; r++) {
        const int round = r < 0 ? 0 : r; /* the first round is a warm-up */
        ns[0][round] = time_copy(study, copy, false);
        ns[1][round] = time_copy(study, copy, true);
        ns[2][round] = time_roofline(study, copy->bytes, copy->steps);
        ns[3][round] = time_sequence(study, copy);
    }
    for (int c = 0; c < COLUMNS; c++)
        rate[c] = 2 * copy->bytes / statistics_median(ns[c], study->rounds);
    printf("%-15s %-18s %6.1f  %6.2f  %8.2f  %8.2f  %8.2f  %7.2f  %7.2f\n", name, what,
           copy->bytes * 1e-6, rate[0], rate[1], rate[2], rate[3], rate[1] / rate[2],
           rate[1] / rate[3]);
    fflush(stdout);
}

static bool wanted(const struct study *study, const char *name) {
    for (int n = 0; n < study->names; n++) {
        if (strcmp(study->name[n], name) == 0) return true;
    }
    return study->names == 0;
}

/** Appends those indices of `order` that are in `among` or, if `in` is false, those that are
 * not. */
static void append(char *out, const char *order, const char *among, bool in) {
    for (; *order; order++) {
        if ((strchr(among, *order) != NULL) == in) strncat(out, order, 1);
    }
}

static void measure_order(const struct study *study, const char *name, char tensor,
                          const char *from, const char *to, const char *sizes) {
    char what[3 * NAME], own[64] = "", text[64];
    snprintf(text, sizeof text, "%s", sizes);
    for (char *size = strtok(text, ","); size; size = strtok(NULL, ",")) {
        if (!strchr(to, size[0])) continue;
        strcat(own, *own ? "," : "");
        strcat(own, size);
    }
    const struct subject_copy copy = bind(to, from, own, '\0', 0);
    if (copy.bytes < SMALLEST_BYTES || copy.bytes > MOST_BYTES || copy.block.rank < 2) return;
    snprintf(what, sizeof what, "%c %s -> %s", tensor, from, to);
    measure(study, name, what, &copy);
}

static void measure_contraction(const struct study *study, int n) {
    const char *a = contraction[n].a, *b = contraction[n].b, *c = contraction[n].c;
    char gemm_a[NAME] = "", gemm_b[NAME] = "", gemm_c[NAME] = "";
    append(gemm_a, c, a, true);
    append(gemm_a, a, b, true);
    append(gemm_b, a, b, true);
    append(gemm_b, c, b, true);
    append(gemm_c, c, a, true);
    append(gemm_c, c, b, true);
    measure_order(study, contraction[n].name, 'A', a, gemm_a, contraction[n].sizes);
    measure_order(study, contraction[n].name, 'B', b, gemm_b, contraction[n].sizes);
    measure_order(study, contraction[n].name, 'C', gemm_c, c, contraction[n].sizes);
}

static struct study read_options(int count, char **argument) {
    struct study study = {.rounds = 5};
    int at = 1;
    for (; at < count && strncmp(argument[at], "--", 2) == 0; at++) {
        if (strcmp(argument[at], "--huge-pages") == 0) {
            study.huge_pages = true;
        } else if (strcmp(argument[at], "--rounds") == 0 && at + 1 < count) {
            study.rounds = atoi(argument[++at]);
        } else {
            fprintf(stderr, "usage: bench_copies [--rounds N] [--huge-pages] [CASE...]\n");
            exit(EXIT_FAILURE);
        }
    }
    if (study.rounds < 1 || study.rounds > MOST_ROUNDS) {
        fprintf(stderr, "bench_copies: expected 1 to %d rounds, found %d\n", MOST_ROUNDS,
                study.rounds);
        exit(EXIT_FAILURE);
    }
    study.names = count - at;
    study.name = argument + at;
    return study;
}

/* Rows. */

enum { ROWS_ELEMENTS = 8192 };

/** Returns the nanoseconds per element of a copy within the second cache. */
static double element_ns(const struct study *study, const struct strided *block) {
    double ns[MOST_ROUNDS];
    double elements = 1;
    for (int d = 0; d < block->rank; d++) elements *= (double)block->extent[d];
    for (int r = 0; r < study->rounds; r++) {
        strided_run_copy(block, study->to, study->from);
        const struct clock_start start = clock_start();
        strided_run_copy(block, study->to, study->from);
        ns[r] = clock_stop(&start, true).ns / elements;
    }
    return statistics_median(ns, study->rounds);
}

/** Measures the time per element as a function of the length of rows: for short rows that are
 * contiguous in source and target but in a different order, and for transposed square blocks. */
static void measure_rows(const struct study *study) {
    const int64_t bytes = sizeof(double);
    printf("ns per element of a copy in the second cache\nelements of a row   same order   "
           "transposed\n");
    for (int64_t row = 2; row <= 64; row *= 2) {
        const int64_t blocks = ROWS_ELEMENTS / row / row;
        const int64_t others = ROWS_ELEMENTS / row / 16;
        const struct strided same = {.rank = 3,
                                     .dtype = TCPLAN_DOUBLE,
                                     .extent = {row, 16, others},
                                     .to_bytes = {bytes, bytes * row * others, bytes * row},
                                     .from_bytes = {bytes, bytes * row, bytes * row * 16}};
        const struct strided transposed = {.rank = 3,
                                           .dtype = TCPLAN_DOUBLE,
                                           .extent = {row, row, blocks},
                                           .to_bytes = {bytes, bytes * row, bytes * row * row},
                                           .from_bytes = {bytes * row, bytes, bytes * row * row}};
        printf("%17lld %12.2f %8.2f\n", (long long)row, element_ns(study, &same),
               element_ns(study, &transposed));
    }
}

int main(int count, char **argument) {
    const struct kernel_set *set[KERNEL_SETS];
    struct study study = read_options(count, argument);
    kernels_choose(set);
    for (int k = 0; k < set[0]->stream_count; k++) {
        if (set[0]->stream[k].operation == STREAM_COPY) study.copy = &set[0]->stream[k];
    }
    study.to = map(&study, MOST_BYTES);
    study.from = map(&study, MOST_BYTES);
    printf(
        "GB/s                                           kernel              in sequence        streamed /\n"
        "case            copy                   MB   plain  streamed  roofline  streamed  roofline  sequence\n");
    for (size_t n = 0; n < sizeof contraction / sizeof *contraction; n++) {
        if (wanted(&study, contraction[n].name)) measure_contraction(&study, (int)n);
    }
    for (size_t n = 0; n < sizeof tile / sizeof *tile; n++) {
        if (!wanted(&study, "tiles")) continue;
        const struct subject_copy copy =
            bind(tile[n].to, tile[n].from, tile[n].sizes, tile[n].loop, tile[n].step);
        char what[2 * NAME];
        snprintf(what, sizeof what, "C %s -> %s", tile[n].from, tile[n].to);
        measure(&study, tile[n].name, what, &copy);
    }
    if (wanted(&study, "rows")) measure_rows(&study);
    munmap(study.to, MOST_BYTES);
    munmap(study.from, MOST_BYTES);
    return EXIT_SUCCESS;
}
