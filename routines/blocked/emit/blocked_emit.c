#include "tcplan/blocked_emit.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/nest/blocks.h"
#include "base/alloc.h"
#include "base/error.h"
#include "gen/emit/text.h"
#include "gen/providers/linked_blas.h"
#include "routines/blocked/emit/emission.h"
#include "routines/blocked/run/ending.h"
#include "routines/blocked/run/inputs.h"
#include "tcplan/version.h"

/* LAPACKE's return value if work memory cannot be allocated. */
#define OUT_OF_MEMORY "-1010"

static bool is_argument(const struct emission *emission, int matrix) {
    return !emission_is_temporary(emission, matrix);
}

/** Makes a name of the emitted code from a name of the algorithm; appends an underscore if the name
 * has another meaning in C. */
static void take_foreign(struct emission *emission, char out[EMISSION_NAME], const char *name) {
    char wanted[EMISSION_NAME];
    snprintf(wanted, sizeof wanted, "%s%s", name, emit_is_free_operand(name) ? "" : "_");
    emission_take(emission, out, wanted);
}

static void name_all(struct emission *emission) {
    static const char *const own[] = {"i", "j", "largest", "choose_block", "end"};
    char ignored[EMISSION_NAME], wanted[EMISSION_NAME + 4];
    for (size_t o = 0; o < sizeof own / sizeof *own; o++) emission_take(emission, ignored, own[o]);
    for (const char *trans = "NTC"; *trans; trans++) {
        emission_adder(wanted, emission->blocked->dtype, *trans);
        emission_take(emission, ignored, wanted);
    }
    emission_take(emission, ignored, emission->function);
    for (int s = 0; s < emission->blocks->size_count; s++) {
        take_foreign(emission, emission->size[s], emission->blocks->size_name[s]);
        snprintf(emission->length[s], EMISSION_NAME, "%s", emission->size[s]);
    }
    snprintf(emission->length[blocks_single_column(emission->blocks)], EMISSION_NAME, "1");
    emission_take(emission, emission->block, "b");
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        take_foreign(emission, emission->matrix[m], emission->blocks->matrix[m].name);
        if (blocks_is_vector(emission->blocks, m)) continue;
        snprintf(wanted, sizeof wanted, "ld%s", emission->matrix[m]);
        emission_take(emission, emission->leading[m], wanted);
    }
    emission_take(emission, emission->info, "info");
    emission_take(emission, emission->result, "result");
    emission_take(emission, emission->scale, "scale");
    emission_take(emission, emission->work, "work");
}

static void add_parameters(const struct emission *emission) {
    struct emission_arguments arguments = {.count = 0};
    char before[8 + EMISSION_NAME] = "int ";
    for (int s = 0; s < emission->blocks->size_count; s++)
        strbuf_add(emission_argument(&arguments), "int %s", emission->size[s]);
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        if (!is_argument(emission, m)) continue;
        strbuf_add(emission_argument(&arguments), "%s *%s", emission_element(emission, m),
                   emission->matrix[m]);
        if (*emission->leading[m])
            strbuf_add(emission_argument(&arguments), "int %s", emission->leading[m]);
    }
    if (emission->options->choice_count == 0)
        strbuf_add(emission_argument(&arguments), "int %s", emission->block);
    emission_write_call(emission, before, emission->function, &arguments, " {");
}

/* Functions that write the comment above the emitted function. */

static void add_matrix(struct strbuf *out, const struct emission *emission, int m) {
    static const char *const role[] = {"read", "read and written", "written", ""};
    const struct tcplan_matrix *matrix = &emission->blocks->matrix[m];
    const struct tcplan_blocked_sizes none = {.block = 1};
    const struct inputs_shape shape = inputs_shape_of(emission->blocked, &none, m);
    strbuf_add(out, "  %s: ", emission->matrix[m]);
    blocks_print_range(out, emission->blocks, matrix->rows);
    if (*emission->leading[m]) {
        strbuf_add(out, " x ");
        blocks_print_range(out, emission->blocks, matrix->columns);
        strbuf_add(out, ", column-major, leading dimension %s", emission->leading[m]);
    }
    if (shape.is_triangle)
        strbuf_add(out, ", its %s triangle%s", shape.is_upper ? "upper" : "lower",
                   shape.reads_zeros ? ", zeros in the other triangle" : "");
    strbuf_add(out, "%s, %s\n",
               matrix->is_integer              ? " integers"
               : emission->blocked->is_real[m] ? " real numbers"
                                               : "",
               role[matrix->role]);
}

/** Returns whether some call of a routine can end the function, or set its return value, for this
 * reason. */
static bool has_ending(const struct emission *emission, enum tcplan_blocked_end end) {
    const struct signature *whole = emission->blocked->whole;
    if (end == TCPLAN_BLOCKED_SINGULAR && whole &&
        ending_diagonal(whole, emission->blocked->whole_value) >= 0)
        return true;
    for (int s = 0; s < emission->blocked->statement_count; s++) {
        const struct signature *signature = emission->blocked->statement[s].signature;
        const struct ending ending = ending_of(signature);
        if (signature_argument(signature, "info") >= 0 && !ending.is_silent && ending.end == end)
            return true;
    }
    return false;
}

static void add_returns(struct strbuf *out, const struct emission *emission) {
    strbuf_add(out, "Returns 0; -i if argument i is invalid");
    if (has_ending(emission, TCPLAN_BLOCKED_INDEFINITE))
        strbuf_add(out, "; i if the leading minor of order i is not positive: the function stops "
                        "there");
    if (has_ending(emission, TCPLAN_BLOCKED_SINGULAR))
        strbuf_add(out, "; i if element (i,i) of the triangle or factor is 0");
    if (has_ending(emission, TCPLAN_BLOCKED_CLOSE))
        strbuf_add(out, "; 1 if eigenvalues of A and -B are too close: the function stops there");
    if (has_ending(emission, TCPLAN_BLOCKED_FAILED))
        strbuf_add(out, "; the info of a routine that failed: the function stops there");
    if (emission->has_memory) strbuf_add(out, "; " OUT_OF_MEMORY " without memory");
    strbuf_add(out, ".\n");
}

/** Returns whether some loop uses the block size. */
static bool has_blocks(const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_STEPS &&
            (node->steps.step == 0 || has_blocks(node->steps.body) || has_blocks(node->steps.base)))
            return true;
    }
    return false;
}

/* Functions that write the beginning of the emitted function. */

static void add_line(const struct emission *emission, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_line(const struct emission *emission, const char *format, ...) {
    va_list arguments;
    char line[400];
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    emission_indent(emission);
    strbuf_add(emission->out, "%s\n", line);
}

static const char *rows_of(const struct emission *emission, int m) {
    return emission->length[emission->blocks->matrix[m].rows];
}

/** Writes checks of the arguments as in LAPACK. */
static void add_checks(const struct emission *emission) {
    int number = 0;
    for (int s = 0; s < emission->blocks->size_count; s++)
        add_line(emission, "if (%s < 0) return -%d;", emission->size[s], ++number);
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        if (!is_argument(emission, m)) continue;
        number++;
        if (!*emission->leading[m]) continue;
        const char *rows = rows_of(emission, m), *leading = emission->leading[m];
        add_line(emission, "if (%s < 1 || %s < %s) return -%d;", leading, leading, rows, ++number);
    }
    if (emission->options->choice_count == 0)
        add_line(emission, "if (%s < 1) return -%d;", emission->block, number + 1);
}

static void add_head(const struct emission *emission) {
    const struct tcplan_blocked *blocked = emission->blocked;
    struct tcplan_blocked_operation operation;
    struct strbuf text = {0};
    char *nest = tcplan_blocked_text(blocked);
    if (blocked->operation >= 0) {
        tcplan_blocked_operation(&operation, blocked->operation);
        strbuf_add(&text, "operation: %s: %s\n", operation.name, operation.purpose);
    }
    strbuf_add(&text, "algorithm: %s%s%s\ntype: %s\n\n%s\n", blocked->name,
               blocked->note ? ", " : "", blocked->note ? blocked->note : "",
               emit_type(blocked->dtype), nest ? nest : "");
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        if (is_argument(emission, m)) add_matrix(&text, emission, m);
    }
    if (emission->options->choice_count == 0)
        strbuf_add(&text, "  %s: %s, 1 or more\n", emission->block,
                   has_blocks(emission->blocked->body) ? "rows of a block"
                                                       : "without meaning here");
    strbuf_add(&text, "\n");
    add_returns(&text, emission);
    strbuf_add(&text, "\nEmitted by tcplan %s.\nlink: ", TCPLAN_VERSION_STRING);
    emit_linked_blas(&text);
    strbuf_add(&text, "%s\n", emission->options->with_main ? " -lm" : "");
    if (!nest) text.failed = true;
    free(nest);
    char *comment = strbuf_finish(&text);
    if (comment) {
        emit_comment(emission->out, comment);
    } else {
        emission->out->failed = true;
    }
    free(comment);
}

static void add_includes(const struct emission *emission) {
    const bool with_main = emission->options->with_main;
    struct strbuf *out = emission->out;
    if (tcplan_dtype_is_complex(emission->blocked->dtype))
        strbuf_add(out, "#include <complex.h>\n");
    if (with_main) strbuf_add(out, "#include <math.h>\n");
    strbuf_add(out, "#include <stddef.h>\n");
    if (with_main) strbuf_add(out, "#include <stdint.h>\n#include <stdio.h>\n");
    if (emission->has_memory || with_main) strbuf_add(out, "#include <stdlib.h>\n");
    if (with_main) strbuf_add(out, "#include <string.h>\n#include <time.h>\n");
    strbuf_add(out, "\n#include <cblas.h>\n");
}

static void add_choice(const struct emission *emission) {
    const struct tcplan_blocked_emit_options *options = emission->options;
    struct strbuf *out = emission->out;
    if (options->choice_count == 0) return;
    strbuf_add(
        out,
        "\n/* Returns the block size in the first line whose size is not smaller, or in the last "
        "line. */\n");
    strbuf_add(out, "static int choose_block(int size) {\n    static const int choice[][2] = {");
    for (int c = 0; c < options->choice_count; c++) {
        strbuf_add(out, "%s{%lld, %lld}",
                   c == 0       ? ""
                   : c % 8 == 0 ? ",\n                                    "
                                : ", ",
                   (long long)options->choice[c].size, (long long)options->choice[c].block);
    }
    strbuf_add(
        out,
        "};\n    int c = 0;\n    while (c < %d && choice[c][0] < size) c++;\n    return choice[c][1];\n}\n",
        options->choice_count - 1);
}

static enum tcplan_status check_choice(const struct tcplan_blocked_emit_options *options,
                                       struct tcplan_error *error) {
    for (int c = 0; c < options->choice_count; c++) {
        const struct tcplan_blocked_choice *choice = &options->choice[c];
        if (choice->block < 1 || choice->block > INT_MAX || choice->size < 0 ||
            choice->size > INT_MAX) {
            return error_set(
                error, TCPLAN_INVALID,
                "block size %lld for size %lld: expected a block size of at least 1, and integers "
                "of the BLAS",
                (long long)choice->block, (long long)choice->size);
        }
        if (c > 0 && choice->size <= choice[-1].size) {
            return error_set(error, TCPLAN_INVALID, "expected rising sizes; %lld follows %lld",
                             (long long)choice->size, (long long)choice[-1].size);
        }
    }
    return TCPLAN_OK;
}

/**
 * Writes the larger of two sizes, or the only one. Algorithms with more sizes have no block size.
 */
static void add_largest(const struct emission *emission, struct strbuf *out) {
    const char *first = emission->size[0], *second = emission->size[1];
    if (emission->blocks->size_count == 1) {
        strbuf_add(out, "%s", first);
    } else {
        strbuf_add(out, "%s > %s ? %s : %s", first, second, first, second);
    }
}

static void add_block_size(const struct emission *emission) {
    struct strbuf largest = {0};
    if (!has_blocks(emission->blocked->body)) return;
    add_largest(emission, &largest);
    const char *size = largest.text ? largest.text : "";
    if (emission->options->choice_count > 0)
        add_line(emission, "%sint %s = choose_block(%s);", emission->has_memory ? "" : "const ",
                 emission->block, size);
    if (emission->has_memory) {
        add_line(emission, "const int largest = %s;", size);
        add_line(emission, "if (%s > largest) %s = largest > 1 ? largest : 1;", emission->block,
                 emission->block);
    }
    if (largest.failed) emission->out->failed = true;
    strbuf_free(&largest);
}

/** Writes the check that the diagonal of a matrix to be inverted does not contain 0. */
static void add_diagonal(const struct emission *emission) {
    const struct tcplan_blocked *blocked = emission->blocked;
    const int argument =
        blocked->whole ? ending_diagonal(blocked->whole, blocked->whole_value) : -1;
    const int matrix = argument >= 0 ? blocked->whole_matrix[argument] : -1;
    if (matrix < 0) return;
    add_line(emission, "for (int i = 0; i < %s; i++) {", rows_of(emission, matrix));
    add_line(emission, "    if (%s[i + (ptrdiff_t)i * %s] == 0) return i + 1;",
             emission->matrix[matrix], emission->leading[matrix]);
    add_line(emission, "}");
}

enum { BOUNDS = TCPLAN_BLOCK_SIZES + 2 };

/** Lists the different lengths of rows, or columns, of all blocks of a temporary, except 1; returns
 * how many there are. */
static int bounds_of(struct emission *emission, int matrix, bool columns,
                     char out[BOUNDS][EMISSION_NAME]) {
    int count = 0;
    for (int s = 0; s < emission->blocked->statement_count; s++) {
        const struct blocked_statement *statement = &emission->blocked->statement[s];
        for (int a = 0; a < statement->signature->count; a++) {
            if (!statement->has_block[a] ||
                emission->blocks->view[statement->block[a].view].matrix != matrix)
                continue;
            if (count == BOUNDS) {
                emission_refuse(emission, "%s has too many kinds of blocks",
                                emission->matrix[matrix]);
                return count;
            }
            const int range = columns ? statement->block[a].columns : statement->block[a].rows;
            emission_bound(emission, out[count], blocks_outermost_part(emission->blocks, range));
            bool is_new = strcmp(out[count], "1") != 0;
            for (int b = 0; b < count && is_new; b++) is_new = strcmp(out[b], out[count]) != 0;
            count += is_new;
        }
    }
    return count;
}

/** Declares a variable with the largest of the lengths of bounds_of(), at least 1. */
static void add_bound(struct emission *emission, int matrix, bool columns, const char *name) {
    char bound[BOUNDS][EMISSION_NAME];
    const int count = bounds_of(emission, matrix, columns, bound);
    if (count == 1 && strcmp(bound[0], emission->block) == 0) {
        add_line(emission, "const int %s = %s;", name, bound[0]);
    } else if (count == 1) {
        add_line(emission, "const int %s = %s > 1 ? %s : 1;", name, bound[0], bound[0]);
    } else {
        add_line(emission, "int %s = 1;", name);
        for (int b = 0; b < count; b++)
            add_line(emission, "if (%s > %s) %s = %s;", bound[b], name, name, bound[b]);
    }
}

static void add_temporary(struct emission *emission, int m) {
    const char *type = emission->blocks->matrix[m].is_integer
                           ? "int"
                           : emit_type(blocked_element_type(emission->blocked, m)),
               *name = emission->matrix[m];
    char columns[EMISSION_NAME], wanted[2 * EMISSION_NAME];
    if (!*emission->leading[m]) {
        snprintf(wanted, sizeof wanted, "rows%s", name);
        emission_take(emission, columns, wanted);
        add_bound(emission, m, false, columns);
        add_line(emission, "%s *const %s = malloc((size_t)%s * sizeof *%s);", type, name, columns,
                 name);
        return;
    }
    snprintf(wanted, sizeof wanted, "columns%s", name);
    emission_take(emission, columns, wanted);
    add_bound(emission, m, false, emission->leading[m]);
    add_bound(emission, m, true, columns);
    add_line(emission, "%s *const %s = malloc((size_t)%s * (size_t)%s * sizeof *%s);", type, name,
             emission->leading[m], columns, name);
}

/** Writes the allocation of work memory that suffices for every call: the sum of the needs of all
 * different calls. */
static void add_work(struct emission *emission) {
    struct strbuf elements = {0}, last = {0};
    for (int s = 0; s < emission->blocked->statement_count; s++) {
        struct strbuf needed = {0};
        if (emission_work(emission, &needed, &emission->blocked->statement[s]) &&
            strcmp(needed.text ? needed.text : "", last.text ? last.text : "") != 0) {
            strbuf_add(&elements, " + %s", needed.text ? needed.text : "");
            strbuf_free(&last);
            last = needed;
            needed = (struct strbuf){0};
        }
        if (needed.failed) emission->out->failed = true;
        strbuf_free(&needed);
    }
    if (elements.length > 0) {
        add_line(emission, "%s *const %s = malloc((1%s) * sizeof *%s);",
                 emit_type(emission->blocked->dtype), emission->work, elements.text,
                 emission->work);
    }
    if (elements.failed || last.failed) emission->out->failed = true;
    strbuf_free(&elements);
    strbuf_free(&last);
}

/** Returns whether calls need work memory that is not an argument. */
static bool needs_work(const struct emission *emission) {
    for (int s = 0; s < emission->blocked->statement_count; s++) {
        const struct signature *signature = emission->blocked->statement[s].signature;
        for (int a = 0; a < signature->count; a++) {
            if (signature->argument[a].class == SIGNATURE_WORK) return true;
        }
    }
    return false;
}

static bool needs_memory(const struct emission *emission) {
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        if (emission_is_temporary(emission, m)) return true;
    }
    return needs_work(emission);
}

/** Writes the names of the temporaries and of the work memory, each between the texts `before` and
 * `behind`. */
static void for_memory(const struct emission *emission, const char *before, const char *behind,
                       const char *between) {
    const char *separator = "";
    for (int m = 0; m <= emission->blocks->matrix_count; m++) {
        const bool is_work = m == emission->blocks->matrix_count;
        if (is_work ? !needs_work(emission) : !emission_is_temporary(emission, m)) continue;
        strbuf_add(emission->out, "%s%s%s%s", separator, before,
                   is_work ? emission->work : emission->matrix[m], behind);
        separator = between;
    }
}

static void add_memory(struct emission *emission) {
    if (!emission->has_memory) return;
    for (int m = 0; m < emission->blocks->matrix_count; m++) {
        if (emission_is_temporary(emission, m)) add_temporary(emission, m);
    }
    add_work(emission);
    strbuf_add(emission->out, "    if (");
    for_memory(emission, "!", "", " || ");
    strbuf_add(emission->out, ") {\n        %s = " OUT_OF_MEMORY ";\n        goto end;\n    }\n",
               emission->result);
}

/** Determines which variables the emitted function needs. */
static void look(struct emission *emission) {
    emission->has_memory = needs_memory(emission);
    emission->has_result = emission->has_memory;
    for (int s = 0; s < emission->blocked->statement_count; s++) {
        const struct signature *signature = emission->blocked->statement[s].signature;
        if (signature_argument(signature, "info") >= 0 && ending_of(signature).goes_on)
            emission->has_result = true;
    }
    emission->has_halves = emission_has_halves(emission);
}

static void add_variables(const struct emission *emission) {
    const bool is_single = emission->blocked->dtype == TCPLAN_FLOAT ||
                           emission->blocked->dtype == TCPLAN_FLOAT_COMPLEX;
    if (emission_has_argument(emission, emission->blocked->body, "info"))
        add_line(emission, "int %s = 0;", emission->info);
    if (emission_has_argument(emission, emission->blocked->body, "scale"))
        add_line(emission, "%s %s = 1;", is_single ? "float" : "double", emission->scale);
    if (emission->has_result) add_line(emission, "int %s = 0;", emission->result);
}

/** Writes the emitted function. The functions that implement its recursions must precede it in the
 * file, so they are collected while it is written. */
static void add_function(struct emission *emission) {
    struct strbuf *const out = emission->out;
    struct strbuf function = {0};
    emission->out = &function;
    strbuf_add(emission->out, "\n");
    add_parameters(emission);
    emission->level = 1;
    add_checks(emission);
    add_variables(emission);
    add_block_size(emission);
    add_diagonal(emission);
    add_memory(emission);
    emission_note_used(emission, emission->blocked->body);
    emission_declare_blocks(emission, emission->blocked->body);
    emission_body(emission, emission->blocked->body);
    if (emission->has_memory) {
        strbuf_add(emission->out, "end:\n");
        for_memory(emission, "    free(", ");\n", "");
    }
    add_line(emission, "return %s;", emission->has_result ? emission->result : "0");
    strbuf_add(emission->out, "}\n");
    emission->out = out;
    strbuf_add(out, "%s%s", emission->half_functions.text ? emission->half_functions.text : "",
               function.text ? function.text : "");
    if (emission->half_functions.failed || function.failed) out->failed = true;
    strbuf_free(&emission->half_functions);
    strbuf_free(&function);
}

static void add_file(struct emission *emission) {
    look(emission);
    name_all(emission);
    add_head(emission);
    add_includes(emission);
    emission_externals(emission);
    add_choice(emission);
    add_function(emission);
    if (emission->options->with_main) emission_driver(emission);
}

/** Writes the function's name: the algorithm's name, with underscores instead of characters that
 * names cannot contain. */
static void name_function(char out[TCPLAN_BLOCKED_NAME], const struct tcplan_blocked *blocked) {
    snprintf(out, TCPLAN_BLOCKED_NAME, "%s", blocked->name);
    for (char *c = out; *c; c++) {
        const bool fits =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (!fits) *c = '_';
    }
}

enum tcplan_status tcplan_blocked_emit(char **out, const struct tcplan_blocked *blocked,
                                       const struct tcplan_blocked_emit_options *options,
                                       struct tcplan_error *error) {
    static const struct tcplan_blocked_emit_options defaults;
    char name[TCPLAN_BLOCKED_NAME];
    struct strbuf text = {0};
    *out = NULL;
    if (!options) options = &defaults;
    name_function(name, blocked);
    const char *function = options->function ? options->function : name;
    enum tcplan_status status = emit_check_name(function, error);
    if (status == TCPLAN_OK) status = check_choice(options, error);
    if (status == TCPLAN_OK && options->with_main && options->choice_count > 0)
        status =
            error_set(error, TCPLAN_INVALID, "a driver needs a function that takes its block size");
    if (status != TCPLAN_OK) return status;
    struct emission *emission = base_alloc_zero(1, sizeof *emission);
    if (!emission) return error_no_memory(error);
    *emission = (struct emission){.out = &text,
                                  .blocked = blocked,
                                  .blocks = &blocked->blocks,
                                  .options = options,
                                  .function = function};
    add_file(emission);
    if (emission->failed) {
        status = error_set(error, TCPLAN_NOT_APPLICABLE, "%s cannot be written as C: %s",
                           tcplan_blocked_name(blocked), emission->reason);
    }
    base_free(emission);
    return strbuf_give(&text, out, status, error);
}
