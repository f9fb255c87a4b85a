/*
 * Emits calls. A routine is called through the CBLAS if the CBLAS has it. Routines of LAPACK are
 * called by their Fortran symbols, with all arguments by reference. Routines that no library has
 * are functions in the emitted file.
 */
#include <stdio.h>
#include <string.h>

#include "ast/nest/nest.h"
#include "gen/emit/text.h"
#include "routines/blocked/emit/emission.h"
#include "routines/blocked/run/ending.h"

enum { LINE = 120 };

struct strbuf *emission_argument(struct emission_arguments *arguments) {
    struct strbuf *out = &arguments->text[arguments->count++];
    *out = (struct strbuf){0};
    return out;
}

/** Breaks the line and aligns the next one after the parenthesis. */
static void break_line(const struct emission *emission, size_t *column, size_t indentation) {
    strbuf_add(emission->out, "\n");
    strbuf_fill(emission->out, ' ', indentation);
    *column = indentation;
}

void emission_write_call(const struct emission *emission, const char *before, const char *name,
                         struct emission_arguments *arguments, const char *end) {
    struct strbuf *out = emission->out;
    const size_t indentation = 4 * (size_t)emission->level + strlen(before) + strlen(name) + 1;
    size_t column = indentation;
    emission_indent(emission);
    strbuf_add(out, "%s%s(", before, name);
    for (int a = 0; a < arguments->count; a++) {
        struct strbuf *text = &arguments->text[a];
        if (text->failed) out->failed = true;
        if (a > 0) strbuf_add(out, ",");
        if (a > 0 && column + text->length + 3 > LINE) {
            break_line(emission, &column, indentation);
        } else if (a > 0) {
            strbuf_add(out, " ");
        }
        strbuf_add(out, "%s", text->text ? text->text : "");
        column += text->length + 2;
        strbuf_free(text);
    }
    strbuf_add(out, ")%s\n", end);
}

static void add_size(const struct emission *emission, struct strbuf *out,
                     const struct blocked_statement *statement, int argument) {
    for (int s = 0; s < statement->size_count; s++) {
        if (statement->size[s].argument != argument) continue;
        emission_length(emission, out, statement->size[s].range);
        return;
    }
    strbuf_add(out, "%lld", (long long)statement->value[argument]);
}

/** Returns whether an argument's text is a variable, whose address can be taken. */
static bool is_variable(const struct strbuf *text) {
    return text->text && !strpbrk(text->text, " +") && strchr("0123456789-", text->text[0]) == NULL;
}

/** Returns the number of the matrix that contains an argument's block. */
static int matrix_of(const struct emission *emission, const struct blocked_statement *statement,
                     int argument) {
    return emission->blocks->view[statement->block[argument].view].matrix;
}

/** Adds an integer that is not a flag: a size, a leading dimension, an increment. */
static void add_integer(const struct emission *emission, struct strbuf *out,
                        const struct blocked_statement *statement, int argument) {
    const struct signature_argument *of = &statement->signature->argument[argument];
    const int data = of->of;
    if (of->class == SIGNATURE_DIM) {
        add_size(emission, out, statement, argument);
    } else if (data >= 0 && statement->has_block[data] &&
               (of->class == SIGNATURE_LD || statement->is_row[data])) {
        strbuf_add(out, "%s", emission->leading[matrix_of(emission, statement, data)]);
    } else {
        strbuf_add(out, "1");
    }
}

static const char *flag_word(const char *name, int64_t value) {
    if (strcmp(name, "side") == 0) return value == 'L' ? "CblasLeft" : "CblasRight";
    if (strcmp(name, "uplo") == 0) return value == 'L' ? "CblasLower" : "CblasUpper";
    if (strcmp(name, "diag") == 0) return value == 'N' ? "CblasNonUnit" : "CblasUnit";
    return value == 'N' ? "CblasNoTrans" : value == 'T' ? "CblasTrans" : "CblasConjTrans";
}

static void add_constant(struct strbuf *out, const struct signature *signature, int argument,
                         double value) {
    emit_constant(out, emission_scalar_type(signature, argument),
                  (struct tcplan_scalar){.re = value});
}

/** Appends a scalar argument; with `by_reference`, as the address of a compound literal. */
static void add_scalar(struct strbuf *out, const struct blocked_statement *statement, int argument,
                       bool by_reference) {
    const struct signature *signature = statement->signature;
    if (by_reference)
        strbuf_add(out, "&(%s){", emit_type(emission_scalar_type(signature, argument)));
    add_constant(out, signature, argument, statement->scalar[argument]);
    if (by_reference) strbuf_add(out, "}");
}

static void add_data(struct emission *emission, struct strbuf *out,
                     const struct blocked_statement *statement, int argument) {
    if (statement->has_block[argument]) {
        strbuf_add(out, "%s", emission_pointer(emission, statement->block[argument]));
    } else if (statement->signature->argument[argument].class == SIGNATURE_WORK) {
        strbuf_add(out, "%s", emission->work);
    } else if (ending_scale(statement->signature) == argument) {
        strbuf_add(out, "&%s", emission->scale);
    } else {
        emission_refuse(emission, "%s of %s has no block",
                        statement->signature->argument[argument].name, statement->signature->name);
    }
}

static void add_cblas_argument(struct emission *emission, struct strbuf *out,
                               const struct blocked_statement *statement, int argument) {
    const struct signature_argument *of = &statement->signature->argument[argument];
    switch (of->class) {
    case SIGNATURE_FLAG:
        strbuf_add(out, "%s", flag_word(of->name, statement->value[argument]));
        break;
    case SIGNATURE_SCALAR:
        add_scalar(out, statement, argument, signature_is_complex(statement->signature, argument));
        break;
    case SIGNATURE_DATA: add_data(emission, out, statement, argument); break;
    case SIGNATURE_DIM:
    case SIGNATURE_LD:
    case SIGNATURE_INC: add_integer(emission, out, statement, argument); break;
    case SIGNATURE_WORK:
    case SIGNATURE_LWORK:
    case SIGNATURE_INFO:
    case SIGNATURE_STRING:
    case SIGNATURE_CLASSES:
        emission_refuse(emission, "%s of %s is not an argument of the CBLAS", of->name,
                        statement->signature->name);
        break;
    }
}

static void add_cblas(struct emission *emission, const struct blocked_statement *statement) {
    struct emission_arguments arguments = {.count = 0};
    char name[SIGNATURE_NAME + 8];
    snprintf(name, sizeof name, "cblas_%s", statement->signature->name);
    if (emission_level(statement->signature) > 1)
        strbuf_add(emission_argument(&arguments), "CblasColMajor");
    for (int a = 0; a < statement->signature->count; a++)
        add_cblas_argument(emission, emission_argument(&arguments), statement, a);
    emission_write_call(emission, "", name, &arguments, ";");
}

static void add_fortran_integer(const struct emission *emission, struct strbuf *out,
                                const struct blocked_statement *statement, int argument) {
    struct strbuf text = {0};
    if (statement->signature->argument[argument].class == SIGNATURE_FLAG) {
        strbuf_add(&text, "%lld", (long long)statement->value[argument]);
    } else {
        add_integer(emission, &text, statement, argument);
    }
    strbuf_add(out, is_variable(&text) ? "&%s" : "&(int){%s}", text.text ? text.text : "");
    if (text.failed) out->failed = true;
    strbuf_free(&text);
}

static void add_fortran_argument(struct emission *emission, struct strbuf *out,
                                 const struct blocked_statement *statement, int argument) {
    const struct signature_argument *of = &statement->signature->argument[argument];
    switch (of->class) {
    case SIGNATURE_FLAG:
        if (emission_is_letter(of)) {
            strbuf_add(out, "\"%c\"", (char)statement->value[argument]);
        } else {
            add_fortran_integer(emission, out, statement, argument);
        }
        break;
    case SIGNATURE_SCALAR: add_scalar(out, statement, argument, true); break;
    case SIGNATURE_DATA:
    case SIGNATURE_WORK: add_data(emission, out, statement, argument); break;
    case SIGNATURE_DIM:
    case SIGNATURE_LD:
    case SIGNATURE_INC: add_fortran_integer(emission, out, statement, argument); break;
    case SIGNATURE_INFO: strbuf_add(out, "&%s", emission->info); break;
    case SIGNATURE_LWORK:
    case SIGNATURE_STRING:
    case SIGNATURE_CLASSES:
        emission_refuse(emission, "the value of %s of %s cannot be written in C", of->name,
                        statement->signature->name);
        break;
    }
}

static void add_fortran(struct emission *emission, const struct blocked_statement *statement) {
    const struct signature *signature = statement->signature;
    struct emission_arguments arguments = {.count = 0};
    char name[SIGNATURE_NAME + 2];
    snprintf(name, sizeof name, "%s_", signature->name);
    for (int a = 0; a < signature->count; a++)
        add_fortran_argument(emission, emission_argument(&arguments), statement, a);
    for (int a = 0; a < signature->count; a++) {
        if (emission_is_letter(&signature->argument[a]))
            strbuf_add(emission_argument(&arguments), "1");
    }
    emission_write_call(emission, "", name, &arguments, ";");
}

/** Appends the number of the row in which a call's first block begins, and ` + `; nothing if the
 * number is 0. */
static void add_first_row(const struct emission *emission, struct strbuf *out,
                          const struct blocked_statement *statement) {
    for (int a = 0; a < statement->signature->count; a++) {
        if (!statement->has_block[a]) continue;
        if (emission_begin(emission, out, statement->block[a].rows,
                           emission_is_temporary(emission, matrix_of(emission, statement, a))) > 0)
            strbuf_add(out, " + ");
        return;
    }
}

bool emission_reports(const struct blocked_statement *statement) {
    return signature_argument(statement->signature, "info") >= 0 &&
           !ending_of(statement->signature).is_silent;
}

void emission_stop(struct emission *emission, const char *told) {
    if (!emission->has_memory) {
        strbuf_add(emission->out, ") return %s;\n", told);
        return;
    }
    strbuf_add(emission->out, ") {\n");
    emission->level++;
    emission_indent(emission);
    strbuf_add(emission->out, "%s = %s;\n", emission->result, told);
    emission_indent(emission);
    strbuf_add(emission->out, "goto end;\n");
    emission->level--;
    emission_indent(emission);
    strbuf_add(emission->out, "}\n");
}

/** Writes the code that handles info and scale after a call. */
static void add_ending(struct emission *emission, const struct blocked_statement *statement) {
    const struct ending ending = ending_of(statement->signature);
    const bool has_scale = ending_scale(statement->signature) >= 0;
    struct strbuf told = {0};
    if (!emission_reports(statement)) return;
    if (ending.is_row) add_first_row(emission, &told, statement);
    strbuf_add(&told, "%s", has_scale ? "1" : emission->info);
    emission_indent(emission);
    strbuf_add(emission->out, "if (%s != 0", emission->info);
    if (has_scale) strbuf_add(emission->out, " || %s != 1", emission->scale);
    if (ending.goes_on) {
        strbuf_add(emission->out, " && %s == 0) %s = %s;\n", emission->result, emission->result,
                   told.text ? told.text : "");
    } else {
        emission_stop(emission, told.text ? told.text : "");
    }
    if (told.failed) emission->out->failed = true;
    strbuf_free(&told);
}

/** Returns an argument of a routine of tcplan as text, to be freed with strbuf_free(). */
static struct strbuf own_argument(struct emission *emission,
                                  const struct blocked_statement *statement, const char *name) {
    struct strbuf out = {0};
    add_cblas_argument(emission, &out, statement, signature_argument(statement->signature, name));
    if (out.failed || !out.text) emission->out->failed = true;
    return out;
}

/** Writes a line of text in which `@` stands for an argument, in their order in `names`. */
static void add_own_line(struct emission *emission, const struct blocked_statement *statement,
                         const char *text, const char *const names[]) {
    emission_indent(emission);
    for (; *text; text++) {
        if (*text != '@') {
            strbuf_add(emission->out, "%c", *text);
            continue;
        }
        struct strbuf argument = own_argument(emission, statement, *names++);
        strbuf_add(emission->out, "%s", argument.text ? argument.text : "");
        strbuf_free(&argument);
    }
    strbuf_add(emission->out, "\n");
}

static void add_tridi(struct emission *emission, const struct blocked_statement *statement) {
    const int uplo = signature_argument(statement->signature, "uplo");
    const bool is_lower = statement->value[uplo] == 'L',
               is_complex = tcplan_dtype_is_complex(emission->blocked->dtype);
    add_own_line(emission, statement,
                 is_lower ? "for (ptrdiff_t j = 0; j < @; j++) {"
                          : "for (ptrdiff_t i = 0, j = @ - @; j < @; i++, j++) {",
                 is_lower ? (const char *const[]){"nb"} : (const char *const[]){"n", "nb", "n"});
    strbuf_add(emission->out, "    ");
    add_own_line(emission, statement,
                 is_lower ? (is_complex ? "@[j] = creal(@[j + j * @]);" : "@[j] = @[j + j * @];")
                 : is_complex ? "@[i] = creal(@[j + j * @]);"
                              : "@[i] = @[j + j * @];",
                 (const char *const[]){"d", "A", "ldA"});
    strbuf_add(emission->out, "    ");
    if (is_lower) {
        add_own_line(emission, statement, "if (j + 1 < @) @[j + 1 + j * @] = @[j];",
                     (const char *const[]){"n", "A", "ldA", "e"});
    } else {
        add_own_line(emission, statement, "if (j > 0) @[j - 1 + j * @] = @[j - 1];",
                     (const char *const[]){"A", "ldA", "e"});
    }
    add_own_line(emission, statement, "}", NULL);
}

static void add_unfold(struct emission *emission, const struct blocked_statement *statement) {
    const bool by_columns =
        statement->value[signature_argument(statement->signature, "storev")] == 'C';
    add_own_line(emission, statement, "for (ptrdiff_t j = 0; j < @; j++) {",
                 (const char *const[]){"n"});
    strbuf_add(emission->out, "    ");
    add_own_line(
        emission, statement,
        by_columns
            ? "for (ptrdiff_t i = 0; i < @; i++) @[i + j * @] = i > j ? @[i + j * @] : i == j;"
            : "for (ptrdiff_t i = 0; i < @; i++) @[i + j * @] = i < j ? @[i + j * @] : i == j;",
        (const char *const[]){"m", "V", "ldV", "A", "ldA"});
    add_own_line(emission, statement, "}", NULL);
}

static void add_own(struct emission *emission, const struct blocked_statement *statement) {
    const struct signature *signature = statement->signature;
    struct emission_arguments arguments = {.count = 0};
    if (strcmp(signature->base, "shift") == 0) {
        struct strbuf count = {0}, by = {0};
        add_size(emission, &count, statement, signature_argument(signature, "n"));
        add_size(emission, &by, statement, signature_argument(signature, "k"));
        emission_indent(emission);
        strbuf_add(emission->out, "for (int i = 0; i < %s; i++) %s[i] += %s;\n",
                   count.text ? count.text : "",
                   emission_pointer(emission, statement->block[signature_argument(signature, "p")]),
                   by.text ? by.text : "");
        if (count.failed || by.failed) emission->out->failed = true;
        strbuf_free(&count);
        strbuf_free(&by);
    } else if (strcmp(signature->base, "tridi") == 0) {
        add_tridi(emission, statement);
    } else if (strcmp(signature->base, "unfold") == 0) {
        add_unfold(emission, statement);
    } else if (strcmp(signature->base, "addop") == 0) {
        for (int a = 1; a < signature->count; a++) {
            struct strbuf *out = emission_argument(&arguments);
            if (signature->argument[a].class == SIGNATURE_SCALAR) {
                add_scalar(out, statement, a, false);
            } else {
                add_cblas_argument(emission, out, statement, a);
            }
        }
        char name[EMISSION_NAME];
        emission_adder(name, emission->blocked->dtype, emission_trans(statement));
        emission_write_call(emission, "", name, &arguments, ";");
    } else {
        emission_refuse(emission, "%s is a routine of tcplan that cannot be emitted yet",
                        signature->name);
    }
}

void emission_call(struct emission *emission, const struct tcplan_call *call) {
    const struct blocked_statement *statement = &emission->blocked->statement[call->number];
    struct strbuf comment = {0};
    nest_print_statement(&comment, emission->blocks, call, emission->blocked->dtype, NULL);
    emission_indent(emission);
    strbuf_add(emission->out, "/* %s */\n", comment.text ? comment.text : "");
    if (comment.failed) emission->out->failed = true;
    strbuf_free(&comment);
    if (statement->needs >= 0) {
        emission_indent(emission);
        strbuf_add(emission->out, "if (");
        emission_length(emission, emission->out, statement->needs);
        strbuf_add(emission->out, " > 0) {\n");
        emission->level++;
    }
    if (statement->signature->is_own) {
        add_own(emission, statement);
    } else if (emission_level(statement->signature) > 0) {
        add_cblas(emission, statement);
    } else {
        add_fortran(emission, statement);
        add_ending(emission, statement);
    }
    if (statement->needs < 0) return;
    emission->level--;
    emission_indent(emission);
    strbuf_add(emission->out, "}\n");
}
