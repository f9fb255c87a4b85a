/*
 * The driver compares the function with LAPACK's routine for the whole operation on
 * well-conditioned matrices, and times it. Its fixed text is templates/driver.c; this file adds
 * the parts that depend on the algorithm. In the driver, sizes are called size_0 and size_1,
 * because an algorithm may use any letter for a size.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ast/nest/blocks.h"
#include "gen/emit/template.h"
#include "gen/emit/text.h"
#include "routines/blocked/emit/driver_text.h"
#include "routines/blocked/emit/emission.h"
#include "routines/blocked/run/ending.h"
#include "routines/blocked/run/inputs.h"

enum { USUAL_BLOCK = 64, MOST_SIZES = 2 };

static bool is_argument(const struct emission *emission, int matrix) {
    return !emission_is_temporary(emission, matrix);
}

/** Returns the driver's name for the length of a matrix's rows or columns. */
static const char *length_of(const struct emission *emission, int range) {
    static const char *const name[MOST_SIZES] = {"size_0", "size_1"};
    const int size = emission->blocks->range[range].of;
    return size < 0 || size >= MOST_SIZES ? "1" : name[size];
}

static const char *rows_of(const struct emission *emission, int m) {
    return length_of(emission, emission->blocks->matrix[m].rows);
}

static const char *columns_of(const struct emission *emission, int m) {
    return length_of(emission, emission->blocks->matrix[m].columns);
}

static bool is_integer(const struct emission *emission, int m) {
    return emission->blocks->matrix[m].is_integer;
}

static const char *element_of(const struct emission *emission, int m) {
    return is_integer(emission, m) ? "int" : emit_type(blocked_element_type(emission->blocked, m));
}

static struct inputs_shape shape_of(const struct emission *emission, int m) {
    const struct tcplan_blocked_sizes none = {.block = 1};
    return inputs_shape_of(emission->blocked, &none, m);
}

static int triangle_of(const struct emission *emission, int m) {
    const struct inputs_shape shape = shape_of(emission, m);
    return !shape.is_triangle ? 0 : shape.is_upper ? 1 : -1;
}

/** Returns whether the routine for the whole operation has the block size as an argument. */
static bool has_block(const struct emission *emission) {
    const struct signature *whole = emission->blocked->whole;
    for (int a = 0; a < whole->count; a++) {
        if (emission->blocked->whole_size[a] == WHOLE_BLOCK) return true;
    }
    return false;
}

static void set_sizes(struct template_values *values, const struct emission *emission) {
    const bool two = emission->blocks->size_count > 1, block = has_block(emission);
    strbuf_add(template_value(values, "problem_parameters"), "int size_0%s%s",
               two ? ", int size_1" : "", block ? ", int b" : "");
    strbuf_add(template_value(values, "problem_names"), "size_0%s%s", two ? ", size_1" : "",
               block ? ", b" : "");
    strbuf_add(template_value(values, "size_parameters"), "int size_0%s",
               two ? ", int size_1" : "");
    strbuf_add(template_value(values, "size_names"), "size_0%s", two ? ", size_1" : "");
    strbuf_add(template_value(values, "small_sizes"),
               two ? "size_1 = size[s][0], size_0 = size_1 + 7" : "size_0 = size[s][0]");
    strbuf_add(template_value(values, "sizes"), "size_0 = (int)given_n%s",
               two ? ", size_1 = size_0" : "");
}

/** Sets the parts that declare the matrices and allocate them, each with one element more than it
 * needs. */
static void set_memory(struct template_values *values, const struct emission *emission) {
    struct strbuf *out = template_value(values, "members");
    const char *between = "";
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        if (is_argument(emission, m))
            strbuf_add(out, "    %s *%s;\n", element_of(emission, m), emission->matrix[m]);
    }
    out = template_value(values, "reserved");
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        if (!is_argument(emission, m)) continue;
        strbuf_add(out, "    x->%s = malloc(((size_t)%s * (size_t)%s + 1) * sizeof *x->%s);\n",
                   emission->matrix[m], rows_of(emission, m), columns_of(emission, m),
                   emission->matrix[m]);
    }
    out = template_value(values, "all");
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        if (!is_argument(emission, m)) continue;
        strbuf_add(out, "%sx->%s != NULL", between, emission->matrix[m]);
        between = " && ";
    }
    out = template_value(values, "released");
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        if (is_argument(emission, m)) strbuf_add(out, "    free(x->%s);\n", emission->matrix[m]);
    }
}

/** Sets the parts that fill the matrices: with numbers, or with 0 if the function only writes them.
 */
static void set_numbers(struct template_values *values, const struct emission *emission) {
    struct strbuf *out = template_value(values, "filled");
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        const char *name = emission->matrix[m], *rows = rows_of(emission, m),
                   *columns = columns_of(emission, m);
        if (!is_argument(emission, m)) continue;
        if (is_integer(emission, m) || emission->blocks->matrix[m].role == TCPLAN_MATRIX_OUTPUT) {
            strbuf_add(out, "    memset(x->%s, 0, (size_t)%s * (size_t)%s * sizeof *x->%s);\n",
                       name, rows, columns, name);
        } else {
            const char *band = shape_of(emission, m).band == 0 ? "0"
                               : has_block(emission)           ? "b"
                                                               : "1";
            strbuf_add(out, "    %s_fill(x->%s, %s, %s, %d, %d, %s);\n", emission->function, name,
                       rows, columns, triangle_of(emission, m), shape_of(emission, m).is_pivoted,
                       band);
        }
    }
    out = template_value(values, "copied");
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        const char *name = emission->matrix[m];
        if (is_argument(emission, m))
            strbuf_add(out, "        memcpy(y.%s, x.%s, (size_t)%s * (size_t)%s * sizeof *x.%s);\n",
                       name, name, rows_of(emission, m), columns_of(emission, m), name);
    }
}

static bool is_written(const struct tcplan_matrix *matrix) {
    return matrix->role == TCPLAN_MATRIX_UPDATED || matrix->role == TCPLAN_MATRIX_OUTPUT;
}

static const char *real_type(const struct emission *emission) {
    return emission->blocked->dtype == TCPLAN_FLOAT_COMPLEX ? "float" : "double";
}

static void set_comparisons(struct template_values *values, const struct emission *emission) {
    struct strbuf *out = template_value(values, "compared");
    bool has_pivots = false, has_real = false;
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        const struct tcplan_matrix *matrix = &emission->blocks->matrix[m];
        const char *name = emission->matrix[m];
        const bool is_real =
            emission->blocked->is_real[m] && tcplan_dtype_is_complex(emission->blocked->dtype);
        if (!is_written(matrix)) continue;
        strbuf_add(out, "        worst = fmax(worst, %s_%s(x.%s, y.%s, %s", emission->function,
                   matrix->is_integer ? "pivots"
                   : is_real          ? "real"
                                      : "compare",
                   name, name, rows_of(emission, m));
        if (!matrix->is_integer && !is_real)
            strbuf_add(out, ", %s, %d", columns_of(emission, m), triangle_of(emission, m));
        strbuf_add(out, "));\n");
        has_pivots = has_pivots || matrix->is_integer;
        has_real = has_real || is_real;
    }
    out = template_value(values, "pivots");
    if (has_real)
        strbuf_add(
            out,
            "/* Returns the largest difference of two numbers, relative to the largest magnitude. */\n"
            "static double %s_real(const %s *x, const %s *y, int count) {\n"
            "    double most = 0, largest = 0;\n    for (int i = 0; i < count; i++) {\n        if (isnan(x[i] - y[i])) return INFINITY;\n"
            "        most = fmax(most, fabs(x[i] - y[i]));\n        largest = fmax(largest, fabs(y[i]));\n    }\n"
            "    return largest > 0 ? most / largest : most;\n}\n",
            emission->function, real_type(emission), real_type(emission));
    if (has_pivots)
        strbuf_add(
            out,
            "/* Returns 0 if the pivots are equal, otherwise infinity. */\nstatic double %s_pivots(const int *x, const int *y, int count) {\n"
            "    return memcmp(x, y, (size_t)count * sizeof *x) == 0 ? 0 : INFINITY;\n}\n",
            emission->function);
}

static void set_elements(struct template_values *values, const struct emission *emission) {
    const enum tcplan_dtype dtype = emission->blocked->dtype;
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX,
               is_complex = tcplan_dtype_is_complex(dtype);
    strbuf_add(template_value(values, "element"), "%s", emit_type(dtype));
    strbuf_add(template_value(values, "magnitude"), "%s", is_complex ? "cabs" : "fabs");
    strbuf_add(template_value(values, "number"),
               is_complex ? "(%s)(value + imaginary * I)" : "((void)imaginary, (%s)value)",
               emit_type(dtype));
    strbuf_add(template_value(values, "rounding"), "%s%s",
               shape_of(emission, 0).band == 0 ? ""
               : has_block(emission)           ? "(1 + (double)size_0 / size[s][1]) * "
                                               : "(1 + size_0) * ",
               is_single ? "0x1p-23" : "0x1p-52");
}

static void add_leading(struct strbuf *out, const char *rows) {
    strbuf_add(out, "%s > 1 ? %s : 1", rows, rows);
}

static void set_call(struct template_values *values, const struct emission *emission) {
    struct strbuf *out = template_value(values, "call");
    strbuf_add(out, "%s(size_0%s", emission->function,
               emission->blocks->size_count > 1 ? ", size_1" : "");
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        if (!is_argument(emission, m)) continue;
        strbuf_add(out, ", x->%s", emission->matrix[m]);
        if (!*emission->leading[m]) continue;
        strbuf_add(out, ", ");
        add_leading(out, rows_of(emission, m));
    }
    strbuf_add(out, ", b)");
}

/** Returns whether a work array has a length argument; such arrays get 64 times the largest size.
 */
static bool has_length(const struct signature *whole, int work) {
    for (int a = 0; a < whole->count; a++) {
        if (whole->argument[a].class == SIGNATURE_LWORK && whole->argument[a].of == work)
            return true;
    }
    return false;
}

static void add_lapack_argument(struct emission *emission, struct strbuf *out, int a) {
    const struct tcplan_blocked *blocked = emission->blocked;
    const struct signature_argument *of = &blocked->whole->argument[a];
    switch (of->class) {
    case SIGNATURE_FLAG:
        strbuf_add(out, emission_is_letter(of) ? "\"%c\"" : "&(int){%d}",
                   (int)blocked->whole_value[a]);
        return;
    case SIGNATURE_DIM:
        if (blocked->whole_size[a] == WHOLE_BLOCK) {
            strbuf_add(out, "&b");
        } else {
            strbuf_add(out, "&size_%d", blocked->whole_size[a]);
        }
        return;
    case SIGNATURE_LD:
        if (of->of >= 0 && blocked->whole->argument[of->of].storage == SIGNATURE_BAND) {
            strbuf_add(out, "&(int){b + 1}");
            return;
        }
        if (of->of < 0 || blocked->whole_matrix[of->of] < 0) break;
        strbuf_add(out, "&(int){");
        add_leading(out, rows_of(emission, blocked->whole_matrix[of->of]));
        strbuf_add(out, "}");
        return;
    case SIGNATURE_DATA:
        if (of->storage == SIGNATURE_BAND) {
            strbuf_add(out, "band");
            return;
        }
        if (blocked->whole_matrix[a] < 0 && ending_scale(blocked->whole) != a) break;
        strbuf_add(out, blocked->whole_matrix[a] < 0 ? "&scale" : "x->%s",
                   blocked->whole_matrix[a] < 0 ? "" : emission->matrix[blocked->whole_matrix[a]]);
        return;
    case SIGNATURE_WORK:
        if (!has_length(blocked->whole, a)) break;
        strbuf_add(out, "work");
        return;
    case SIGNATURE_LWORK: strbuf_add(out, "&length"); return;
    case SIGNATURE_INFO: strbuf_add(out, "&info"); return;
    case SIGNATURE_SCALAR:
    case SIGNATURE_INC:
    case SIGNATURE_STRING:
    case SIGNATURE_CLASSES: break;
    }
    emission_refuse(emission, "the driver cannot initialize %s of %s", of->name,
                    blocked->whole->name);
}

/** Allocates a work array, and the band that LAPACK's routine returns. */
static void add_work(struct strbuf *out, const struct emission *emission) {
    const char *type = emit_type(emission->blocked->dtype);
    if (!has_block(emission)) {
        strbuf_add(
            out,
            "    const int length = 64 * size_0;\n    %s *const work = malloc((size_t)length * sizeof *work);\n    if (!work) return -1;\n",
            type);
        return;
    }
    strbuf_add(
        out,
        "    const int length = (size_0 + b) * (2 * b + 128);\n    %s *const work = malloc((size_t)length * sizeof *work);\n"
        "    %s *const band = calloc((size_t)size_0 * ((size_t)b + 1) + 1, sizeof *band);\n"
        "    if (!work || !band) {\n        free(work);\n        free(band);\n        return -1;\n    }\n",
        type, type);
}

/** Copies the band to the triangle of the first matrix in which the function leaves it. */
static void add_band(struct strbuf *out, const struct emission *emission) {
    const bool is_upper = triangle_of(emission, 0) > 0;
    strbuf_add(out, "    for (int j = 0; j < size_0; j++) {\n");
    strbuf_add(out, is_upper ? "        for (int i = j > b ? j - b : 0; i <= j; i++)\n"
                             : "        for (int i = j; i < size_0 && i <= j + b; i++)\n");
    strbuf_add(
        out,
        "            x->%s[i + (ptrdiff_t)j * size_0] = band[%si - j + (ptrdiff_t)j * (b + 1)];\n    }\n    free(band);\n",
        emission->matrix[0], is_upper ? "b + " : "");
}

static void set_lapack(struct template_values *values, struct emission *emission) {
    const struct signature *whole = emission->blocked->whole;
    const bool is_single = emission->blocked->dtype == TCPLAN_FLOAT ||
                           emission->blocked->dtype == TCPLAN_FLOAT_COMPLEX;
    const bool has_scale = ending_scale(whole) >= 0;
    bool has_work = false;
    struct strbuf *out = template_value(values, "lapack");
    for (int a = 0; a < whole->count; a++)
        has_work = has_work || whole->argument[a].class == SIGNATURE_WORK;
    strbuf_add(out, "    int info = 0;\n");
    if (has_scale) strbuf_add(out, "    %s scale = 1;\n", is_single ? "float" : "double");
    if (has_work) add_work(out, emission);
    strbuf_add(out, "    %s_(", whole->name);
    for (int a = 0; a < whole->count; a++) {
        if (a > 0) strbuf_add(out, ", ");
        add_lapack_argument(emission, out, a);
    }
    for (int a = 0; a < whole->count; a++) {
        if (emission_is_letter(&whole->argument[a])) strbuf_add(out, ", 1");
    }
    strbuf_add(out, ");\n");
    if (has_block(emission)) add_band(out, emission);
    strbuf_add(out, "%s    return %sinfo;\n", has_work ? "    free(work);\n" : "",
               has_scale ? "scale != 1 ? 1 : " : "");
}

/** Writes the number of operations of the whole operation as a C expression, from its formula in
 * the table of routines. Sizes and the operations of this type become numbers. Writes 0 if the
 * formula depends on flags. */
static void set_flops(struct template_values *values, const struct emission *emission) {
    static const struct {
        const char *name, *real, *complex;
    } word[] = {{"fma", "2.0", "8.0"},
                {"mul", "1.0", "6.0"},
                {"add", "1.0", "2.0"},
                {"min", "fmin", "fmin"},
                {"max", "fmax", "fmax"}};
    const bool is_complex = tcplan_dtype_is_complex(emission->blocked->dtype);
    struct strbuf *out = template_value(values, "flops");
    const char *at = emission->blocked->whole->flops;
    for (const char *c = at; *c; c++) {
        if (*c != '=' || (c > at && (c[-1] == '>' || c[-1] == '<'))) continue;
        strbuf_add(out, "0");
        return;
    }
    while (*at) {
        size_t length = 0;
        while (isalpha((unsigned char)at[length])) length++;
        bool is_known = length == 0;
        for (size_t w = 0; w < sizeof word / sizeof *word && !is_known; w++) {
            if (strlen(word[w].name) != length || strncmp(at, word[w].name, length) != 0) continue;
            strbuf_add(out, "%s", is_complex ? word[w].complex : word[w].real);
            is_known = true;
        }
        for (int s = 0; s < emission->blocks->size_count && !is_known; s++) {
            if (strlen(emission->blocks->size_name[s]) != length ||
                strncmp(at, emission->blocks->size_name[s], length) != 0)
                continue;
            strbuf_add(out, "(double)size_%d", s);
            is_known = true;
        }
        if (!is_known) strbuf_add(out, "%.*s", (int)length, at);
        if (length == 0) strbuf_add(out, "%c", *at++);
        at += length;
    }
}

static void set_title(struct template_values *values, const struct emission *emission) {
    struct tcplan_blocked_operation operation = {.default_block = USUAL_BLOCK};
    if (emission->blocked->operation >= 0)
        tcplan_blocked_operation(&operation, emission->blocked->operation);
    strbuf_add(template_value(values, "title"), "%s beside %s", emission->function,
               emission->blocked->whole->name);
    strbuf_add(template_value(values, "whole"), "%s", emission->blocked->whole->name);
    strbuf_add(template_value(values, "block"), "%d", operation.default_block);
    strbuf_add(template_value(values, "function"), "%s", emission->function);
}

/** Declares LAPACK's routine for the whole operation, unless the function calls it. */
static void declare_whole(struct emission *emission) {
    const struct signature *whole = emission->blocked->whole;
    strbuf_add(emission->out, "\n");
    for (int s = 0; s < emission->blocked->statement_count; s++) {
        if (emission->blocked->statement[s].signature == whole) return;
    }
    emission->level = 0;
    emission_declare(emission, whole);
    strbuf_add(emission->out, "\n");
}

void emission_driver(struct emission *emission) {
    struct template_values values = {0};
    if (!emission->blocked->whole) {
        emission_refuse(emission,
                        "a driver needs a LAPACK routine for comparison, and the algorithm names "
                        "none");
        return;
    }
    if (emission->blocks->size_count > MOST_SIZES) {
        emission_refuse(emission, "a driver supports at most two sizes");
        return;
    }
    declare_whole(emission);
    set_sizes(&values, emission);
    set_memory(&values, emission);
    set_numbers(&values, emission);
    set_comparisons(&values, emission);
    set_elements(&values, emission);
    set_call(&values, emission);
    set_lapack(&values, emission);
    set_flops(&values, emission);
    set_title(&values, emission);
    template_add(emission->out, &values, driver_template_text);
    template_free(&values);
}
