#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "ast/scalar.h"
#include "ast/slice.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/emit_parts.h"

/*
 * The driver checks the algorithm where naive loops are quick: emit_main() emits the function once more at small extents. The naive loops
 * are written from the contraction alone, not from the nest. Every function of the driver is called like the emitted one, with an ending, and
 * the emitted one is called where nothing but A, B and C has a name: no name that emit_check_name() lets pass meets another. Fixed text stands
 * in templates, where
 *
 *   @f  the function's name             @t  the element type
 *   @w  the type sums are taken in      @m  the function for a magnitude in it
 */
static void add_template(const struct emitter *emitter, const char *text) {
    const bool complex = tcplan_dtype_is_complex(emitter->problem->dtype);
    for (; *text; text++) {
        if (*text != '@') {
            strbuf_fill(emitter->out, *text, 1);
            continue;
        }
        switch (*++text) {
        case 'f': strbuf_add(emitter->out, "%s", emitter->function); break;
        case 't': strbuf_add(emitter->out, "%s", emit_type(emitter->problem->dtype)); break;
        case 'w': strbuf_add(emitter->out, "%s", complex ? "double _Complex" : "double"); break;
        case 'm': strbuf_add(emitter->out, "%s", complex ? "cabs" : "fabs"); break;
        default: break;
        }
    }
}

enum { MAX_SMALL_WORK = 1 << 18 }; /* of the check: multiply-adds of the naive loops, and elements of a tensor */

static double work(const struct tcplan_problem *problem) {
    double most = tcplan_dtype_is_complex(problem->dtype) ? 8 : 2;
    for (int i = 0; i < problem->contraction->index_count; i++) most *= (double)problem->extent[i];
    for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) most = fmax(most, (double)problem->elems[operand]);
    return most;
}

/** Where a nest runs over an index in steps: an extent of two, the second smaller if the real last one is. */
static int64_t tiled_extent(int64_t real, int64_t step, int64_t small) {
    const int64_t rest = real % step;
    if (real <= step) return real < small ? real : small;
    return step + (rest == 0 ? step : rest < small ? rest : small);
}

/** Which tiles there is to be room for, of those within each other. */
enum tile_levels { OUTERMOST_TILES, INNERMOST_TILES, NO_TILES };

/** Extents 2 to `largest` in turn, so that neighbours differ, but no more than the real ones; larger ones where there are `tiles`. */
static void choose_extents(int64_t extent[], const struct tcplan_problem *problem, const struct tcplan_refinement *tiles,
                           enum tile_levels levels, int64_t largest) {
    for (int i = 0; i < problem->contraction->index_count; i++) {
        const int64_t small = largest > 2 ? 2 + i % (largest - 1) : largest;
        extent[i] = problem->extent[i] < small ? problem->extent[i] : small;
    }
    for (int t = 0; tiles && t < tiles->tile_count; t++) {
        const struct tile tile = tiles->tile[t];
        if (levels == OUTERMOST_TILES ? tile.outer >= 0 : tile.inner != tile.point) continue;
        extent[tile.point] = tiled_extent(problem->extent[tile.point], tile.step, extent[tile.point]);
    }
}

/**
 * Strides that fit the small extents: in the same order and with the same signs, an index that continues the one before it as before, all others
 * with a gap. What overlaps lies apart.
 */
static void shrink_strides(struct tcplan_problem *small, const struct tcplan_problem *real, enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &real->contraction->tensor[operand];
    int64_t real_end = 1, end = 1; /* behind the elements of the index before */
    uint64_t seen = tensor->still;
    if (small->elems[operand] == 0) return;
    small->elems[operand] = 1;
    small->first_elems[operand] = 0;
    for (int d = 0; d < tensor->rank && small->elems[operand] <= MAX_SMALL_WORK; d++) {
        const int index = tensor->nearest[d];
        const int64_t own = real->stride_elems[operand][index];
        if (indexset_has(seen, index)) continue;
        seen |= indexset_of(index);
        const int64_t stride = llabs(own) == real_end ? end : end + 1;
        const int64_t reach = stride * (small->extent[index] - 1);
        small->stride_elems[operand][index] = own < 0 ? -stride : stride;
        small->elems[operand] += reach;
        small->first_elems[operand] += own < 0 ? reach : 0;
        real_end = llabs(own) * real->extent[index];
        end = stride * small->extent[index];
    }
}

/** The problem at other extents, its strides shrunken to them. */
static enum tcplan_status problem_at(struct tcplan_problem *out, const struct tcplan_problem *problem, const int64_t extent[],
                                     struct tcplan_error *error) {
    enum tcplan_status status = tcplan_problem_init(out, problem->contraction, extent, problem->dtype, error);
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++) {
        if (problem->contraction->tensor[t].strided) shrink_strides(out, problem, (enum tcplan_operand)t);
    }
    return status;
}

/** With very many indices: extents of 2 for as many of them as there is room for, 1 for the others. */
static enum tcplan_status least_problem(struct tcplan_problem *out, const struct tcplan_problem *problem, int64_t extent[],
                                        struct tcplan_error *error) {
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (problem->extent[i] == 1) continue;
        extent[i] = 2;
        enum tcplan_status status = problem_at(out, problem, extent, error);
        if (status != TCPLAN_OK || work(out) > MAX_SMALL_WORK) extent[i] = 1;
    }
    return problem_at(out, problem, extent, error);
}

/** The problem at extents small enough for naive loops, with tiles where there is room. */
static enum tcplan_status small_problem(struct tcplan_problem *out, const struct emitter *emitter, struct tcplan_error *error) {
    const struct tcplan_problem *problem = emitter->problem;
    const struct tcplan_refinement *tiles = emitter->nest->refinement;
    int levels = OUTERMOST_TILES;
    int64_t extent[TCPLAN_MAX_INDICES];
    enum tcplan_status status = TCPLAN_OK;
    for (int64_t largest = 5; largest >= 1; largest--) {
        choose_extents(extent, problem, levels < NO_TILES ? tiles : NULL, (enum tile_levels)levels, largest);
        status = problem_at(out, problem, extent, error);
        if (status == TCPLAN_OK && work(out) <= MAX_SMALL_WORK) return largest > 1 ? TCPLAN_OK : least_problem(out, problem, extent, error);
        if (largest > 1 || levels == NO_TILES || tiles->tile_count == 0) continue;
        levels++; /* once more with fewer */
        largest = 6;
    }
    return status;
}

/** Whether the contraction takes the conjugate of a tensor, which is complex. */
static bool is_conjugated(const struct emitter *emitter, enum tcplan_operand operand) {
    return scalar_conjugates(emitter->problem->contraction->tensor[operand].conjugated, emitter->problem->dtype);
}

/** `A[i_a + 2 * i_i]`, or `conj(...)` of it: an element of a whole tensor. */
static void add_element(const struct emitter *emitter, enum tcplan_operand operand) {
    emit_begin_conjugate(emitter, is_conjugated(emitter, operand));
    emit_element(emitter, (struct tcplan_slice){.operand = operand}, 0);
    emit_end_conjugate(emitter, is_conjugated(emitter, operand));
}

/** The magnitude of a factor and ` * `; nothing where it is 1. */
static void add_magnitude(const struct emitter *emitter, struct tcplan_scalar scalar) {
    const double magnitude = fmin(hypot(scalar.re, scalar.im), DBL_MAX);
    if (magnitude == 1) return;
    decimal_print(emitter->out, magnitude);
    strbuf_add(emitter->out, " * ");
}

/** A factor in the type that sums are taken in, and ` * `; nothing where it is 1. */
static void add_wide(const struct emitter *emitter, struct tcplan_scalar scalar) {
    const bool complex = tcplan_dtype_is_complex(emitter->problem->dtype);
    if (emit_is_real(scalar, 1)) return;
    emit_constant(emitter->out, complex ? TCPLAN_DOUBLE_COMPLEX : TCPLAN_DOUBLE, scalar);
    strbuf_add(emitter->out, " * ");
}

static int begin_loops(struct emitter *emitter, uint64_t indices) {
    for (uint64_t rest = indices; rest; rest &= rest - 1) emit_for(emitter, indexset_first(rest));
    return indexset_size(indices);
}

static void end_loops(struct emitter *emitter, int count) {
    for (int l = 0; l < count; l++) emit_end(emitter);
}

static void add_line(const struct emitter *emitter, const char *template) {
    emit_indent(emitter);
    add_template(emitter, template);
    strbuf_add(emitter->out, "\n");
}

/** The indices that the result lacks. */
static uint64_t added_up(const struct tcplan_contraction *contraction) {
    const struct tcplan_tensor *tensor = contraction->tensor;
    return (tensor[TCPLAN_A].indices | tensor[TCPLAN_B].indices) & ~tensor[TCPLAN_C].indices;
}

/** The sum over the indices that the result lacks. */
static void add_naive_sum(struct emitter *emitter) {
    add_line(emitter, "@w sum = 0.0;");
    add_line(emitter, "double magnitude = 0.0;");
    const int loops = begin_loops(emitter, added_up(emitter->problem->contraction));
    emit_indent(emitter);
    add_template(emitter, "const @w product = (@w)");
    add_element(emitter, TCPLAN_A);
    strbuf_add(emitter->out, " * ");
    add_element(emitter, TCPLAN_B);
    strbuf_add(emitter->out, ";\n");
    add_line(emitter, "sum += product;");
    add_line(emitter, "magnitude += @m(product);");
    end_loops(emitter, loops);
}

/** What becomes of one element of C, and the magnitude of what was added up for it. */
static void add_naive_result(const struct emitter *emitter) {
    const struct tcplan_problem *problem = emitter->problem;
    const bool reads_result = !emit_is_real(problem->beta, 0);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const ptrdiff_t at = ");
    if (!emit_offset(emitter, (struct tcplan_slice){.operand = TCPLAN_C}, problem->contraction->tensor[TCPLAN_C].indices, ""))
        strbuf_add(emitter->out, "0");
    strbuf_add(emitter->out, ";\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "size[at] = ");
    add_magnitude(emitter, problem->alpha);
    strbuf_add(emitter->out, "magnitude");
    if (reads_result) {
        strbuf_add(emitter->out, " + ");
        add_magnitude(emitter, problem->beta);
        add_template(emitter, "@m(C[at])");
    }
    strbuf_add(emitter->out, ";\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "C[at] = ");
    add_wide(emitter, problem->alpha);
    strbuf_add(emitter->out, "sum");
    if (reads_result) {
        strbuf_add(emitter->out, " + ");
        add_wide(emitter, problem->beta);
        emit_begin_conjugate(emitter, is_conjugated(emitter, TCPLAN_C));
        strbuf_add(emitter->out, "C[at]");
        emit_end_conjugate(emitter, is_conjugated(emitter, TCPLAN_C));
    }
    strbuf_add(emitter->out, ";\n");
}

static void add_naive(struct emitter *emitter) {
    add_template(
        emitter,
        "\n/* The contraction by its definition at the same extents. size: the sum of the magnitudes of what each element adds up. */\n"
        "static void @f_naive(const @t *A, const @t *B, @t *C, double *size) {\n");
    emitter->level = 1;
    const int loops = begin_loops(emitter, emitter->problem->contraction->tensor[TCPLAN_C].indices);
    add_naive_sum(emitter);
    add_naive_result(emitter);
    end_loops(emitter, loops);
    emitter->level = 0;
    strbuf_add(emitter->out, "}\n");
}

static const char *const random_real = "\n"
                                       "/* Uniform in [-1, 1). */\n"
                                       "static double @f_random(void) {\n"
                                       "    static uint64_t state = 1;\n"
                                       "    state = state * 6364136223846793005U + 1442695040888963407U;\n"
                                       "    return (double)(state >> 11) * 0x1p-52 - 1.0;\n"
                                       "}\n"
                                       "\n"
                                       "static void @f_fill(@t *x, size_t count) {\n";

static const char *const fill_real = "    for (size_t j = 0; j < count; j++) x[j] = @f_random();\n"
                                     "}\n";

static const char *const fill_complex = "    for (size_t j = 0; j < count; j++) {\n"
                                        "        const double real = @f_random();\n"
                                        "        x[j] = real + @f_random() * _Complex_I;\n"
                                        "    }\n"
                                        "}\n";

static void add_random(const struct emitter *emitter) {
    add_template(emitter, random_real);
    add_template(emitter, tcplan_dtype_is_complex(emitter->problem->dtype) ? fill_complex : fill_real);
}

/** `A`, or `A + 12` where the element of all indices 0 is not the first. */
static void add_origin(const struct emitter *emitter, const char *array, enum tcplan_operand operand) {
    const int64_t first = emitter->problem->first_elems[operand];
    strbuf_add(emitter->out, "%s", array);
    if (first > 0) strbuf_add(emitter->out, " + %lld", (long long)first);
}

/** `(A, B, C`: the arguments of a function that takes the tensors in these arrays. */
static void add_arguments(const struct emitter *emitter, const char *result) {
    static const char *const factor[] = {"A", "B"};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        strbuf_add(emitter->out, t == 0 ? "(" : ", ");
        add_origin(emitter, t == TCPLAN_C ? result : factor[t], (enum tcplan_operand)t);
    }
}

/** Elements of the array that a tensor is in: one at least. */
static long long room(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    return problem->elems[operand] > 0 ? (long long)problem->elems[operand] : 1;
}

/** The check: arguments are the elements of the small tensors. Between those of a strided result nothing may change. */
static void add_check(const struct emitter *emitter) {
    const struct tcplan_problem *problem = emitter->problem;
    add_template(emitter, "\n/* The largest error of an element, relative to the magnitudes it adds up; negative when memory is out. */\n"
                          "static double @f_check(void) {\n");
    strbuf_add(emitter->out, "    enum { A_COUNT = %lld, B_COUNT = %lld, C_COUNT = %lld };\n", room(problem, TCPLAN_A),
               room(problem, TCPLAN_B), room(problem, TCPLAN_C));
    add_template(emitter, "    static @t A[A_COUNT], B[B_COUNT], C[C_COUNT], expected[C_COUNT];\n"
                          "    static double size[C_COUNT];\n"
                          "    double worst = 0.0;\n"
                          "    @f_fill(A, A_COUNT);\n"
                          "    @f_fill(B, B_COUNT);\n"
                          "    @f_fill(C, C_COUNT);\n"
                          "    for (int j = 0; j < C_COUNT; j++) expected[j] = C[j];\n"
                          "    @f_naive");
    add_arguments(emitter, "expected");
    strbuf_add(emitter->out, ", ");
    add_origin(emitter, "size", TCPLAN_C);
    add_template(emitter, ");\n"
                          "    if (@f_small");
    add_arguments(emitter, "C");
    add_template(emitter, ") != 0) return -1.0;\n"
                          "    for (int j = 0; j < C_COUNT; j++) {\n"
                          "        const double error = @m(C[j] - expected[j]) / (size[j] > 0.0 ? size[j] : 1.0);\n"
                          "        if (isnan(error)) return error;\n"
                          "        worst = fmax(worst, error);\n"
                          "    }\n"
                          "    return worst;\n"
                          "}\n");
}

static const char *const timing =
    "\n"
    "/* Seconds since the first call. */\n"
    "static double @f_now(void) {\n"
    "    static time_t start;\n"
    "    struct timespec t;\n"
    "    timespec_get(&t, TIME_UTC);\n"
    "    if (!start) start = t.tv_sec;\n"
    "    return (double)(t.tv_sec - start) + 1e-9 * (double)t.tv_nsec;\n"
    "}\n"
    "\n"
    "static int @f_by_value(const void *a, const void *b) {\n"
    "    const double x = *(const double *)a, y = *(const double *)b;\n"
    "    return (x > y) - (x < y);\n"
    "}\n"
    "\n"
    "/* One call. The function may be called like any variable below. */\n"
    "static int @f_run(const @t *A, const @t *B, @t *C) {\n"
    "    return @f(A, B, C);\n"
    "}\n"
    "\n"
    "/* Seconds of `calls` calls; negative when memory is out. */\n"
    "static double @f_sample(const @t *A, const @t *B, @t *C, int calls) {\n"
    "    const double start = @f_now();\n"
    "    for (int j = 0; j < calls; j++) {\n"
    "        if (@f_run(A, B, C) != 0) return -1.0;\n"
    "    }\n"
    "    return fmax(@f_now() - start, 0.0); /* the clock may be set back */\n"
    "}\n"
    "\n"
    "/*\n"
    " * The median time of a call, repeated on the same tensors; negative when memory is out. A sample is as many calls as\n"
    " * take 0.1 ms; finding how many warms up, too. Samples are taken for 0.2 s, and at least 3 unless they take 2 s.\n"
    " */\n"
    "static double @f_time(const @t *A, const @t *B, @t *C, int *samples) {\n"
    "    static double sample[2000];\n"
    "    int calls = 1, count = 0;\n"
    "    double total = @f_sample(A, B, C, calls);\n"
    "    for (; total >= 0.0 && total < 1e-4 && calls < 100000; total = @f_sample(A, B, C, calls)) calls *= 2;\n"
    "    if (total < 0.0) return total;\n"
    "    for (total = 0.0; count < 2000 && (total < 0.2 || (count < 3 && total < 2.0)); count++) {\n";

static const char *const timing_end = "        const double seconds = @f_sample(A, B, C, calls);\n"
                                      "        if (seconds < 0.0) return seconds;\n"
                                      "        sample[count] = seconds / calls;\n"
                                      "        total += seconds;\n"
                                      "    }\n"
                                      "    qsort(sample, (size_t)count, sizeof *sample, @f_by_value);\n"
                                      "    *samples = count;\n"
                                      "    return sample[count / 2];\n"
                                      "}\n";

/** Whether C grows from call to call until it overflows. */
static bool diverges(const struct tcplan_problem *problem) {
    return hypot(problem->beta.re, problem->beta.im) > 1;
}

static void add_timing(const struct emitter *emitter) {
    add_template(emitter, timing);
    if (diverges(emitter->problem)) {
        const int64_t first = emitter->problem->first_elems[TCPLAN_C];
        strbuf_add(emitter->out, first > 0 ? "        %s_fill(C - %lld, " : "        %s_fill(C, ", emitter->function, (long long)first);
        strbuf_add(emitter->out, "%lld); /* beta makes it grow from call to call */\n", (long long)emitter->problem->elems[TCPLAN_C]);
    }
    add_template(emitter, timing_end);
}

/** What the error may be: a few roundings for each term of an element's sum. */
static void add_tolerance(const struct emitter *emitter, const struct tcplan_problem *small) {
    const bool single = emitter->problem->dtype == TCPLAN_FLOAT || emitter->problem->dtype == TCPLAN_FLOAT_COMPLEX;
    int64_t terms = 1;
    for (uint64_t rest = added_up(small->contraction); rest; rest &= rest - 1) terms *= small->extent[indexset_first(rest)];
    strbuf_add(emitter->out, "    const double allowed = %lld * %s;\n", (long long)terms + 8, single ? "0x1p-22" : "0x1p-51");
}

static void add_title(const struct emitter *emitter) {
    char *name = tcplan_algorithm_name(&emitter->nest->algorithm, emitter->problem->contraction, emitter->problem->dtype);
    char *text = tcplan_contraction_text(emitter->problem->contraction);
    struct strbuf title = {0};
    if (name && text) strbuf_add(&title, "%s: %s of %s: ", emitter->function, name, text);
    char *finished = name && text ? strbuf_finish(&title) : NULL;
    if (finished) {
        strbuf_add(emitter->out, "    const char *title = ");
        emit_string(emitter->out, finished);
        strbuf_add(emitter->out, ";\n");
    } else {
        emitter->out->failed = true;
    }
    free(finished);
    free(text);
    free(name);
}

static void add_tensors(const struct emitter *emitter) {
    const int64_t *elems = emitter->problem->elems;
    const size_t element_bytes = emitter->problem->element_bytes;
    double bytes = 0;
    static const char *const name[TCPLAN_OPERANDS] = {"A", "B", "C"};
    for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) {
        strbuf_add(emitter->out, "    %s *%s = malloc(%zu);\n", emit_type(emitter->problem->dtype), name[operand],
                   (size_t)room(emitter->problem, (enum tcplan_operand)operand) * element_bytes);
        bytes += (double)elems[operand] * (double)element_bytes;
    }
    strbuf_add(emitter->out, "    double seconds = -1.0;\n    int samples = 0;\n    if (A && B && C) {\n");
    for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) {
        strbuf_add(emitter->out, "        %s_fill(%s, %lld);\n", emitter->function, name[operand], (long long)elems[operand]);
    }
    add_template(emitter, "        seconds = @f_time");
    add_arguments(emitter, "C");
    strbuf_add(emitter->out, ", &samples);\n    }\n");
    strbuf_add(emitter->out,
               "    if (seconds < 0.0) {\n"
               "        printf(\"out of memory: the tensors take %.4g MB\\n\");\n"
               "    } else {\n",
               bytes * 1e-6);
}

static void add_main(const struct emitter *emitter, const struct tcplan_problem *small) {
    add_template(
        emitter,
        "\n/* Exit status 0: the check passed and the function was timed; 1: the check failed; 3: memory was out. */\nint main(void) {\n");
    add_title(emitter);
    add_tolerance(emitter, small);
    add_template(emitter, "    const double error = @f_check();\n"
                          "    if (error < 0.0) {\n"
                          "        printf(\"%sout of memory\\n\", title);\n"
                          "        return 3;\n"
                          "    }\n"
                          "    if (!(error <= allowed)) {\n"
                          "        printf(\"%scheck FAILED (max error %.1e, allowed %.1e)\\n\", title, error, allowed);\n"
                          "        return 1;\n"
                          "    }\n"
                          "    printf(\"%scheck passed (max error %.1e), \", title, error);\n"
                          "    fflush(stdout);\n");
    add_tensors(emitter);
    strbuf_add(emitter->out, "        printf(\"%%.4g GFLOP/s, %%.2e s (median of %%d)\\n\", ");
    emit_constant(emitter->out, TCPLAN_DOUBLE, (struct tcplan_scalar){emitter->problem->flops, 0});
    add_template(emitter, " * 1e-9 / seconds, seconds, samples);\n"
                          "    }\n"
                          "    free(A);\n"
                          "    free(B);\n"
                          "    free(C);\n"
                          "    return seconds < 0.0 ? 3 : 0;\n"
                          "}\n");
}

static void add_driver_comment(const struct emitter *emitter, const struct tcplan_problem *small) {
    strbuf_add(emitter->out, "\n/*\n * The driver. It checks the same algorithm at ");
    emit_sizes(emitter->out, small);
    strbuf_add(emitter->out, " against naive loops, and times it at its real extents.\n");
    if (!emit_is_own(emitter->nest)) {
        strbuf_add(emitter->out, " * The BLAS chooses its threads: OPENBLAS_NUM_THREADS=1 in the environment makes it use one.\n");
    }
    strbuf_add(emitter->out, " */\n");
}

/** The name of the function at small extents. */
static char *small_name(const char *function) {
    struct strbuf name = {0};
    strbuf_add(&name, "%s_small", function);
    return strbuf_finish(&name);
}

enum tcplan_status emit_main(struct emitter *emitter, struct tcplan_error *error) {
    struct tcplan_problem small;
    const struct tcplan_refinement written = refinement_none(emitter->problem->contraction);
    enum tcplan_status status = small_problem(&small, emitter, error);
    if (status != TCPLAN_OK) return status;
    char *name = small_name(emitter->function);
    if (!name) return error_no_memory(error);
    struct emitter check = *emitter;
    check.problem = &small;
    check.function = name;
    add_driver_comment(emitter, &small);
    status = emit_function(&check, "static ", error);
    free(name);
    if (status != TCPLAN_OK) return status;
    const struct refined_problem naive = problem_refine(&small, &written);
    check.function = emitter->function;
    emit_name_letters(&check);
    check.refined = &naive;
    add_naive(&check);
    add_random(emitter);
    add_check(&check);
    add_timing(emitter);
    add_main(emitter, &small);
    return TCPLAN_OK;
}
