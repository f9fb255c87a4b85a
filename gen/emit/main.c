#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "ast/problem/slice.h"
#include "ast/scalar.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/emit/parts.h"
#include "gen/emit/strides.h"
#include "gen/emit/template.h"
#include "gen/emit/template_text.h"

/*
 * The driver checks the algorithm at extents that are small enough for naive loops: emit_main()
 * emits the function once more for these. The naive loops are generated from the contraction alone,
 * not from the nest. Names cannot collide: every function of the driver (templates/driver.c) has
 * the emitted function's name and a suffix, and calls of the emitted function are in functions
 * whose only other names are A, B, C (and D).
 */

/** Returns whether the contraction uses the conjugate of a complex tensor. */
static bool is_conjugated(const struct emitter *emitter, enum tcplan_operand operand) {
    return scalar_conjugates(emitter->problem->contraction->tensor[operand].conjugated,
                             emitter->problem->dtype);
}

/** Prints an element of a whole tensor, `A[i_a + 2 * i_i]`, or its conjugate. */
static void add_element(const struct emitter *emitter, enum tcplan_operand operand) {
    emit_begin_conjugate(emitter, is_conjugated(emitter, operand));
    emit_element(emitter, (struct tcplan_slice){.operand = operand}, 0);
    emit_end_conjugate(emitter, is_conjugated(emitter, operand));
}

/** Prints the magnitude of alpha or beta and ` * `; nothing if the magnitude is 1. */
static void add_magnitude(const struct emitter *emitter, struct tcplan_scalar scalar) {
    const double magnitude = fmin(hypot(scalar.re, scalar.im), DBL_MAX);
    if (magnitude == 1) return;
    decimal_print(emitter->out, magnitude);
    strbuf_add(emitter->out, " * ");
}

/** Prints alpha or beta in the type of the sums, and ` * `; nothing if it is 1. */
static void add_wide(const struct emitter *emitter, struct tcplan_scalar scalar) {
    const bool complex = tcplan_dtype_is_complex(emitter->problem->dtype);
    if (scalar_is(scalar, 1)) return;
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

/** Returns the type of the sums, in which the driver also computes magnitudes. */
static const char *wide_type(const struct emitter *emitter) {
    return tcplan_dtype_is_complex(emitter->problem->dtype) ? "double _Complex" : "double";
}

static const char *magnitude(const struct emitter *emitter) {
    return tcplan_dtype_is_complex(emitter->problem->dtype) ? "cabs" : "fabs";
}

static void add_line(const struct emitter *emitter, const char *line) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "%s\n", line);
}

/** Returns the indices that the result lacks. */
static uint64_t added_up(const struct tcplan_contraction *contraction) {
    const struct tcplan_tensor *tensor = contraction->tensor;
    return (tensor[TCPLAN_A].indices | tensor[TCPLAN_B].indices) & ~tensor[TCPLAN_C].indices;
}

/** Adds the sum over the indices that the result lacks. */
static void add_naive_sum(struct emitter *emitter) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "%s sum = 0.0;\n", wide_type(emitter));
    add_line(emitter, "double magnitude = 0.0;");
    const int loops = begin_loops(emitter, added_up(emitter->problem->contraction));
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s product = (%s)", wide_type(emitter), wide_type(emitter));
    add_element(emitter, TCPLAN_A);
    strbuf_add(emitter->out, " * ");
    add_element(emitter, TCPLAN_B);
    strbuf_add(emitter->out, ";\n");
    add_line(emitter, "sum += product;");
    emit_indent(emitter);
    strbuf_add(emitter->out, "magnitude += %s(product);\n", magnitude(emitter));
    end_loops(emitter, loops);
}

/** Prints the element of the result, or of the addend, that beta multiplies. */
static void add_added(const struct emitter *emitter) {
    if (tcplan_contraction_has_addend(emitter->problem->contraction)) {
        emit_element(emitter, (struct tcplan_slice){.operand = TCPLAN_ADDEND}, 0);
    } else {
        strbuf_add(emitter->out, "%s[at]", emit_operand(emitter, TCPLAN_C));
    }
}

/** Adds the update of one element of the result, and the magnitude of its sum. */
static void add_naive_result(const struct emitter *emitter) {
    const struct tcplan_problem *problem = emitter->problem;
    const bool adds = !scalar_is(problem->beta, 0);
    const bool conjugates =
        is_conjugated(emitter, TCPLAN_C) || is_conjugated(emitter, TCPLAN_ADDEND);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const ptrdiff_t at = ");
    if (!emit_offset(emitter, (struct tcplan_slice){.operand = TCPLAN_C},
                     problem->contraction->tensor[TCPLAN_C].indices, ""))
        strbuf_add(emitter->out, "0");
    strbuf_add(emitter->out, ";\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "size[at] = ");
    add_magnitude(emitter, problem->alpha);
    strbuf_add(emitter->out, "magnitude");
    if (adds) {
        strbuf_add(emitter->out, " + ");
        add_magnitude(emitter, problem->beta);
        strbuf_add(emitter->out, "%s(", magnitude(emitter));
        add_added(emitter);
        strbuf_add(emitter->out, ")");
    }
    strbuf_add(emitter->out, ";\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "%s[at] = ", emit_operand(emitter, TCPLAN_C));
    add_wide(emitter, problem->alpha);
    strbuf_add(emitter->out, "sum");
    if (adds) {
        strbuf_add(emitter->out, " + ");
        add_wide(emitter, problem->beta);
        emit_begin_conjugate(emitter, conjugates);
        add_added(emitter);
        emit_end_conjugate(emitter, conjugates);
    }
    strbuf_add(emitter->out, ";\n");
}

/** Adds the naive loops that define the contraction. */
static void add_naive_loops(struct emitter *emitter) {
    const struct tcplan_problem *problem = emitter->problem;
    emitter->level = 1;
    if (tcplan_contraction_has_addend(problem->contraction) && scalar_is(problem->beta, 0))
        add_line(emitter, "(void)C;");
    const int loops = begin_loops(emitter, emitter->problem->contraction->tensor[TCPLAN_C].indices);
    add_naive_sum(emitter);
    add_naive_result(emitter);
    end_loops(emitter, loops);
    emitter->level = 0;
}

/** Returns the number of elements to allocate for a tensor, at least 1. */
static long long room(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    return problem->elems[operand] > 0 ? (long long)problem->elems[operand] : 1;
}

/** Prints the address of the element whose indices are all 0: `A`, or `A + 12`. */
static void add_start(struct strbuf *out, const char *array, const struct tcplan_problem *problem,
                      enum tcplan_operand operand) {
    strbuf_add(out, "%s", array);
    if (problem->first_elems[operand] > 0)
        strbuf_add(out, " + %lld", (long long)problem->first_elems[operand]);
}

static bool has_addend(const struct tcplan_problem *problem) {
    return tcplan_contraction_has_addend(problem->contraction);
}

/** Returns the driver's name of the result; with an addend, C is the addend. */
static const char *result_name(const struct tcplan_problem *problem) {
    return has_addend(problem) ? "D" : "C";
}

/** Prints the input arguments: `A, B`, or `A, B, C + 12` with an addend. */
static void add_inputs(struct strbuf *out, const struct tcplan_problem *problem) {
    add_start(out, "A", problem, TCPLAN_A);
    strbuf_add(out, ", ");
    add_start(out, "B", problem, TCPLAN_B);
    if (!has_addend(problem)) return;
    strbuf_add(out, ", ");
    add_start(out, "C", problem, TCPLAN_ADDEND);
}

/** Adds `, (const int64_t[]){1, 400}` after a tensor whose strides the function takes, at the
 * extents of `problem`. */
static void add_given_strides(struct strbuf *out, const struct emitter *emitter,
                              const struct tcplan_problem *problem, enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    int64_t smaller[TCPLAN_MAX_RANK];
    if (!emit_takes_strides(emitter, operand)) return;
    emit_smaller_strides(smaller, emitter->problem, operand, problem->extent);
    for (int d = 0; d < tensor->rank; d++) {
        const int64_t stride = problem == emitter->problem ? tensor->stride[d] : smaller[d];
        strbuf_add(out, "%s%lld", d > 0 ? ", " : ", (const int64_t[]){", (long long)stride);
    }
    strbuf_add(out, "}");
}

/** Adds `contract(A, B, C)`, or `contract(400, 8, A, B, C)` with extents as arguments. In the
 * small test, arrays begin at their lowest addresses. */
static void add_call(struct strbuf *out, const struct emitter *emitter,
                     const struct tcplan_problem *problem) {
    enum tcplan_operand tensor[TCPLAN_TENSORS];
    const int count = emit_parameters(emitter, tensor);
    strbuf_add(out, "%s(", emitter->function);
    for (int i = 0; emitter->takes_extents && i < problem->contraction->index_count; i++) {
        strbuf_add(out, "%lld, ", (long long)problem->extent[i]);
    }
    for (int t = 0; t < count; t++) {
        strbuf_add(out, "%s%c", t > 0 ? ", " : "", "ABCD"[t]);
        if (problem != emitter->problem && problem->first_elems[tensor[t]] > 0)
            strbuf_add(out, " + %lld", (long long)problem->first_elems[tensor[t]]);
        add_given_strides(out, emitter, problem, tensor[t]);
    }
    strbuf_add(out, ")");
}

/** Sets the tolerance: a few roundings for each term of an element's sum. */
static void set_tolerance(struct template_values *values, const struct tcplan_problem *small) {
    const bool single = small->dtype == TCPLAN_FLOAT || small->dtype == TCPLAN_FLOAT_COMPLEX;
    int64_t terms = 1;
    for (uint64_t rest = added_up(small->contraction); rest; rest &= rest - 1)
        terms *= small->extent[indexset_first(rest)];
    strbuf_add(template_value(values, "terms"), "%lld", (long long)terms + 8);
    strbuf_add(template_value(values, "rounding"), "%s", single ? "0x1p-22" : "0x1p-51");
}

/** Sets the text of the check at small extents. Memory between the elements of a strided result
 * must not change. */
static void set_check(struct template_values *values, const struct tcplan_problem *small) {
    emit_sizes(template_value(values, "small_sizes"), small);
    strbuf_add(template_value(values, "small_A_room"), "%lld", room(small, TCPLAN_A));
    strbuf_add(template_value(values, "small_B_room"), "%lld", room(small, TCPLAN_B));
    strbuf_add(template_value(values, "small_result_room"), "%lld", room(small, TCPLAN_C));
    add_inputs(template_value(values, "small_inputs"), small);
    add_start(template_value(values, "small_expected_start"), "expected", small, TCPLAN_C);
    add_start(template_value(values, "small_size_start"), "size", small, TCPLAN_C);
    set_tolerance(values, small);
}

static void set_title(struct template_values *values, const struct emitter *emitter) {
    char *name = tcplan_algorithm_name(&emitter->nest->algorithm, emitter->problem->contraction,
                                       emitter->problem->dtype);
    char *text = tcplan_contraction_text(emitter->problem->contraction);
    struct strbuf title = {0};
    if (name && text) strbuf_add(&title, "%s: %s of %s: ", emitter->function, name, text);
    char *finished = name && text ? strbuf_finish(&title) : NULL;
    if (finished) emit_string(template_value(values, "title"), finished);
    if (!finished) values->text.failed = true;
    free(finished);
    free(text);
    free(name);
}

/** Sets the text for the addend in the check and among the timed tensors. */
static void set_addend(struct template_values *values, const struct emitter *emitter,
                       const struct tcplan_problem *small) {
    const char *type = emit_type(small->dtype);
    struct strbuf *out = template_value(values, "small_addend");
    if (!has_addend(small)) {
        template_value(values, "addend_memory");
        template_value(values, "addend_filled");
        template_value(values, "addend_freed");
        return;
    }
    strbuf_add(
        out, "    enum { C_COUNT = %lld };\n    static %s C[C_COUNT];\n    %s_fill(C, C_COUNT);\n",
        room(small, TCPLAN_ADDEND), type, emitter->function);
    strbuf_add(template_value(values, "addend_memory"), "    %s *C = malloc(%zu);\n", type,
               (size_t)room(emitter->problem, TCPLAN_ADDEND) * small->element_bytes);
    strbuf_add(template_value(values, "addend_filled"), "        %s_fill(C, %lld);\n",
               emitter->function, (long long)emitter->problem->elems[TCPLAN_ADDEND]);
    strbuf_add(template_value(values, "addend_freed"), "    free(C);\n");
}

/** Sets the text that refills C, if C would overflow in repeated calls. */
static void set_refill(struct template_values *values, const struct emitter *emitter) {
    const struct tcplan_problem *problem = emitter->problem;
    const long long first = problem->first_elems[TCPLAN_C], count = problem->elems[TCPLAN_C];
    struct strbuf *out = template_value(values, "refill");
    if (has_addend(problem) || hypot(problem->beta.re, problem->beta.im) <= 1) return;
    strbuf_add(out, "        %s_fill(C", emitter->function);
    if (first > 0) strbuf_add(out, " - %lld", first);
    strbuf_add(out, ", %lld); /* beta makes C grow from call to call */\n", count);
}

/** Sets the sizes of the timed tensors, the arguments of the timed calls, and their operations. */
static void set_tensors(struct template_values *values, const struct tcplan_problem *problem) {
    static const char *const bytes[] = {"A_bytes", "B_bytes", "result_bytes"}, *const count[] = {
                                                                                   "A_count",
                                                                                   "B_count",
                                                                                   "result_count"};
    double total = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        strbuf_add(template_value(values, bytes[t]), "%zu",
                   (size_t)room(problem, operand) * problem->element_bytes);
        strbuf_add(template_value(values, count[t]), "%lld", (long long)problem->elems[t]);
    }
    for (int t = 0; t < TCPLAN_TENSORS; t++)
        total += (double)problem->elems[t] * (double)problem->element_bytes;
    add_inputs(template_value(values, "inputs"), problem);
    add_start(template_value(values, "result_start"), result_name(problem), problem, TCPLAN_C);
    strbuf_add(template_value(values, "all_tensors"),
               has_addend(problem) ? "A && B && C && D" : "A && B && C");
    strbuf_add(template_value(values, "megabytes"), "%.4g", total * 1e-6);
    emit_constant(template_value(values, "flops"), TCPLAN_DOUBLE,
                  (struct tcplan_scalar){problem->flops, 0});
}

/** Sets the text of the checked call and of the timed one. The checked call is of a separate
 * function, unless extents are arguments. */
static void set_calls(struct template_values *values, const struct emitter *emitter,
                      const struct tcplan_problem *small) {
    struct emitter called = *emitter;
    struct strbuf function = {0};
    strbuf_add(&function, "%s%s", emitter->function, emitter->takes_extents ? "" : "_small");
    called.function = function.text ? function.text : "";
    struct strbuf *out = template_value(values, "small_call");
    add_call(out, &called, small);
    add_call(template_value(values, "call"), emitter, emitter->problem);
    out->failed = out->failed || function.failed;
    strbuf_free(&function);
}

static void set_names(struct template_values *values, const struct emitter *emitter) {
    strbuf_add(template_value(values, "function"), "%s", emitter->function);
    strbuf_add(template_value(values, "element"), "%s", emit_type(emitter->problem->dtype));
    strbuf_add(template_value(values, "magnitude"), "%s", magnitude(emitter));
    strbuf_add(template_value(values, "result"), "%s", result_name(emitter->problem));
    strbuf_add(template_value(values, "input_names"),
               has_addend(emitter->problem) ? "A, B, C" : "A, B");
    struct strbuf *parameters = template_value(values, "input_parameters");
    strbuf_add(parameters, "const %s *A, const %s *B", emit_type(emitter->problem->dtype),
               emit_type(emitter->problem->dtype));
    if (has_addend(emitter->problem))
        strbuf_add(parameters, ", const %s *C", emit_type(emitter->problem->dtype));
    const int threads = emitter->threads > 1 && !emit_is_shared(emitter) ? emitter->threads : 1;
    const bool sets = emit_calls_cblas(emitter->nest);
    struct strbuf *out = template_value(values, "about_threads");
    if (sets)
        strbuf_add(out, " OpenBLAS uses as many threads as planned; another BLAS chooses its own.");
    out = template_value(values, "set_threads");
    if (sets)
        strbuf_add(out, "    if (openblas_set_num_threads) openblas_set_num_threads(%d);\n",
                   threads);
}

/** Returns the name of the function at small extents. */
static char *small_name(const char *function) {
    struct strbuf name = {0};
    strbuf_add(&name, "%s_small", function);
    return strbuf_finish(&name);
}

/** Adds the function at small extents, and the naive loops that check it. */
static enum tcplan_status set_small(struct template_values *values, const struct emitter *emitter,
                                    const struct tcplan_problem *small,
                                    struct tcplan_error *error) {
    const struct tcplan_refinement written = refinement_none(small->contraction);
    struct emitter check = *emitter;
    char *name = small_name(emitter->function);
    if (!name) return error_no_memory(error);
    check.out = template_value(values, "small_function");
    check.problem = small;
    check.function = name;
    enum tcplan_status status =
        emitter->takes_extents ? TCPLAN_OK : emit_function(&check, "static ", error);
    free(name);
    if (status != TCPLAN_OK) return status;
    const struct refined_problem naive = problem_refine(small, &written);
    check.out = template_value(values, "naive_loops");
    check.refined = &naive;
    check.takes_extents = false;
    emit_name_letters(&check);
    add_naive_loops(&check);
    return TCPLAN_OK;
}

enum tcplan_status emit_main(const struct emitter *emitter, struct tcplan_error *error) {
    const char *fill = tcplan_dtype_is_complex(emitter->problem->dtype) ? driver_fill_complex_text
                                                                        : driver_fill_real_text;
    struct template_values values = {0};
    struct tcplan_problem small;
    enum tcplan_status status = emit_small_problem(&small, emitter, error);
    if (status == TCPLAN_OK) status = set_small(&values, emitter, &small, error);
    if (status == TCPLAN_OK) {
        set_names(&values, emitter);
        set_calls(&values, emitter, &small);
        set_check(&values, &small);
        set_addend(&values, emitter, &small);
        set_title(&values, emitter);
        set_refill(&values, emitter);
        set_tensors(&values, emitter->problem);
        strbuf_add(emitter->out, "\n");
        template_add_before(emitter->out, &values, driver_text, "fill");
        template_add(emitter->out, &values, fill);
        template_add_behind(emitter->out, &values, driver_text, "fill");
    }
    template_free(&values);
    return status;
}
