#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/error.h"
#include "gen/emit/interface.h"
#include "gen/emit/strides.h"
#include "tcplan/emit.h"
#include "tcplan/version.h"

/** Adds the include guard, `CONTRACT_H`. */
static void add_guard(struct strbuf *out, const char *function) {
    for (; *function; function++)
        strbuf_add(out, "%c",
                   *function >= 'a' && *function <= 'z' ? *function - 'a' + 'A' : *function);
    strbuf_add(out, "_H");
}

/** Declares the element type, which is named differently in C and C++ if it is complex. */
static void add_complex_type(struct strbuf *out, const char *function, enum tcplan_dtype dtype) {
    strbuf_add(out,
               "/* The complex type, whose layout is the same in both languages. */\n"
               "#ifdef __cplusplus\n"
               "#include <complex>\n"
               "typedef std::complex<%s> %s_element;\n"
               "#else\n"
               "typedef %s %s_element;\n"
               "#endif\n"
               "\n",
               dtype == TCPLAN_FLOAT_COMPLEX ? "float" : "double", function, emit_type(dtype),
               function);
}

void emit_header_begin(struct strbuf *out, struct strbuf *type, const char *function,
                       enum tcplan_dtype dtype, const char *includes) {
    const bool is_complex = tcplan_dtype_is_complex(dtype);
    strbuf_add(out, "#ifndef ");
    add_guard(out, function);
    strbuf_add(out, "\n#define ");
    add_guard(out, function);
    strbuf_add(out, "\n\n%s", includes);
    if (is_complex) add_complex_type(out, function, dtype);
    strbuf_add(type, is_complex ? "%s_element" : "%s", is_complex ? function : emit_type(dtype));
    strbuf_add(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    out->failed = out->failed || type->failed;
}

void emit_header_end(struct strbuf *out) {
    strbuf_add(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

static void add_header(struct strbuf *out, const struct emitter *emitter, const char *comment) {
    struct strbuf type = {0};
    emit_comment(out, comment);
    emit_header_begin(out, &type, emitter->function, emitter->problem->dtype,
                      emitter->takes_extents ? "#include <stdint.h>\n\n" : "");
    emit_prototype(out, emitter, type.text ? type.text : "");
    strbuf_free(&type);
    strbuf_add(out, ";\n");
    emit_header_end(out);
}

bool emit_fortran_is_same(const char *a, const char *b) {
    for (; *a && *b; a++, b++) {
        const char x = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a,
                   y = *b >= 'A' && *b <= 'Z' ? (char)(*b - 'A' + 'a') : *b;
        if (x != y) return false;
    }
    return *a == *b;
}

static const char strides_prefix[] = "strides_";

/** Returns whether the function's name equals the name of an argument for strides. */
static bool is_strides_name(const char *function, const char *name) {
    struct strbuf strides = {0};
    strbuf_add(&strides, "%s%s", strides_prefix, name);
    const bool is_same = strides.text && emit_fortran_is_same(strides.text, function);
    strbuf_free(&strides);
    return is_same;
}

/** Returns whether the names are valid Fortran arguments: short enough, distinct, and different
 * from other names in scope. */
static bool are_arguments(const char *const name[], int count, const char *function) {
    for (int t = 0; t < count; t++) {
        bool good = strlen(name[t]) + strlen(strides_prefix) <= EMIT_FORTRAN_NAME &&
                    !emit_fortran_is_same(name[t], function) &&
                    !emit_fortran_is_same(name[t], "status") && !is_strides_name(function, name[t]);
        for (int other = 0; other < t; other++)
            good = good && !emit_fortran_is_same(name[t], name[other]);
        if (!good) return false;
    }
    return true;
}

/** The arguments in order. Each has its C name, if that is also valid in Fortran. */
struct arguments {
    int count;
    enum tcplan_operand tensor[TCPLAN_TENSORS];
    const char *name[TCPLAN_TENSORS];
};

static struct arguments arguments_of(const struct emitter *emitter) {
    static const char *const letters[TCPLAN_TENSORS] = {"A", "B", "C", "D"};
    static const char *const words[TCPLAN_TENSORS] = {
        [TCPLAN_A] = "left", "right", "product", [TCPLAN_ADDEND] = "addend"};
    struct arguments arguments;
    arguments.count = emit_parameters(emitter, arguments.tensor);
    for (int t = 0; t < arguments.count; t++)
        arguments.name[t] = emitter->operand[arguments.tensor[t]];
    if (are_arguments(arguments.name, arguments.count, emitter->function)) return arguments;
    const bool good = are_arguments(letters, arguments.count, emitter->function);
    for (int t = 0; t < arguments.count; t++)
        arguments.name[t] = good ? letters[t] : words[arguments.tensor[t]];
    return arguments;
}

const char *emit_fortran_kind(enum tcplan_dtype dtype) {
    static const char *const name[TCPLAN_DTYPES] = {"c_float", "c_double", "c_float_complex",
                                                    "c_double_complex"};
    return name[dtype];
}

void emit_fortran_remark(struct strbuf *out, const char *text, const char *indent) {
    while (*text) {
        const size_t length = strcspn(text, "\n");
        strbuf_add(out, "%s!%s%.*s\n", indent, length > 0 ? " " : "", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/** Returns whether arguments for extents can have their C names in Fortran: these must be short,
 * and differ from each other and from all other names, ignoring case. */
static bool are_extents(const struct emitter *emitter, const struct arguments *arguments) {
    const struct tcplan_contraction *contraction = emitter->problem->contraction;
    for (int i = 0; i < contraction->index_count; i++) {
        const char *own = contraction->index[i].name;
        struct strbuf variable = {0};
        strbuf_add(&variable, "n_%s", own);
        bool good = variable.text && variable.length <= EMIT_FORTRAN_NAME &&
                    !emit_fortran_is_same(variable.text, emitter->function);
        for (int t = 0; t < arguments->count; t++)
            good = good && !emit_fortran_is_same(variable.text, arguments->name[t]);
        for (int other = 0; other < i; other++)
            good = good && !emit_fortran_is_same(own, contraction->index[other].name);
        strbuf_free(&variable);
        if (!good) return false;
    }
    return true;
}

/** Appends the name of an argument for an extent: `n_a`, or `extent_1` if that is not valid. */
static void add_extent_name(struct strbuf *out, const struct emitter *emitter,
                            const struct arguments *arguments, int index) {
    if (are_extents(emitter, arguments)) {
        strbuf_add(out, "n_%s", emitter->problem->contraction->index[index].name);
    } else {
        strbuf_add(out, "extent_%d", index + 1);
    }
}

/** Adds the extents of a tensor in Fortran's order, such as `(400,8)`; `(*)` for a strided tensor
 * or too many dimensions; nothing for a scalar. */
static void add_bounds(struct strbuf *out, const struct emitter *emitter,
                       const struct arguments *arguments, enum tcplan_operand operand) {
    const struct tcplan_problem *problem = emitter->problem;
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    const bool column_major = problem->contraction->order == TCPLAN_COLUMN_MAJOR;
    struct strbuf bounds = {0};
    for (int d = 0; d < tensor->rank; d++) {
        const int index = tensor->dims[column_major ? d : tensor->rank - 1 - d];
        strbuf_add(&bounds, d > 0 ? "," : "(");
        if (emitter->takes_extents) {
            add_extent_name(&bounds, emitter, arguments, index);
        } else {
            strbuf_add(&bounds, "%lld", (long long)problem->extent[index]);
        }
    }
    const bool listed = !tensor->strided && tensor->rank <= EMIT_FORTRAN_RANK;
    if (tensor->rank > 0 && listed) strbuf_add(out, "%s)", bounds.text ? bounds.text : "");
    if (!listed) strbuf_add(out, "(*)");
    out->failed = out->failed || bounds.failed;
    strbuf_free(&bounds);
}

static void add_argument(struct strbuf *out, const struct emitter *emitter,
                         const struct arguments *arguments, int number) {
    const char *name = arguments->name[number];
    const enum tcplan_operand operand = arguments->tensor[number];
    const struct tcplan_problem *problem = emitter->problem;
    struct strbuf variable = {0};
    strbuf_add(&variable, "%s", name);
    add_bounds(&variable, emitter, arguments, operand);
    strbuf_add(out, "      %s(%s), intent(%s) ::%s",
               tcplan_dtype_is_complex(problem->dtype) ? "complex" : "real",
               emit_fortran_kind(problem->dtype), operand == TCPLAN_C ? "inout" : "in",
               variable.length > EMIT_FORTRAN_WORDS ? " &\n        " : " ");
    if (variable.length > 2 * EMIT_FORTRAN_WORDS) {
        strbuf_add(out, "%s(*)\n", name); /* a Fortran line has at most 132 columns */
    } else {
        strbuf_add(out, "%s\n", variable.text ? variable.text : "");
    }
    out->failed = out->failed || variable.failed;
    strbuf_free(&variable);
    if (!emit_takes_strides(emitter, operand)) return;
    strbuf_add(out, "      integer(c_int64_t), intent(in) :: %s%s(%d)\n", strides_prefix, name,
               problem->contraction->tensor[operand].rank);
}

void emit_fortran_name(struct strbuf *out, const char *name, const char *ending) {
    enum { CHECKSUM = 9 };
    const size_t longest = EMIT_FORTRAN_NAME - strlen(ending);
    if (strlen(name) <= longest) {
        strbuf_add(out, "%s%s", name, ending);
    } else {
        strbuf_add(out, "%.*s_%08x%s", (int)(longest - CHECKSUM), name,
                   (unsigned)checksum_add(0, name, strlen(name)), ending);
    }
}

void emit_fortran_binding(struct strbuf *out, const char *name) {
    strbuf_add(out, "        bind(C, name=");
    for (size_t at = 0, length = strlen(name); at < length; at += EMIT_FORTRAN_WORDS) {
        strbuf_add(out, "%s\"%.*s\"", at > 0 ? " // &\n          " : "", EMIT_FORTRAN_WORDS,
                   name + at);
    }
    strbuf_add(out, ") result(status)\n");
}

/** Adds `, strides_A` if the function takes the strides of the tensor. */
static void add_strides(struct strbuf *out, const struct emitter *emitter,
                        const struct arguments *arguments, int number, const char *separator) {
    if (emit_takes_strides(emitter, arguments->tensor[number]))
        strbuf_add(out, ",%s%s%s", separator, strides_prefix, arguments->name[number]);
}

/** Adds `contract(A, B, C) &`, one argument to a line if they are long. */
static void add_call(struct strbuf *out, const struct emitter *emitter,
                     const struct arguments *arguments) {
    size_t length = strlen(emitter->function);
    for (int t = 0; t < arguments->count; t++) length += strlen(arguments->name[t]);
    const bool takes_extents = emitter->takes_extents;
    const char *separator = takes_extents || length > EMIT_FORTRAN_WORDS ? " &\n        " : "";
    emit_fortran_name(out, emitter->function, "");
    strbuf_add(out, "(");
    for (int i = 0; takes_extents && i < emitter->problem->contraction->index_count; i++) {
        strbuf_add(out, "%s", separator);
        add_extent_name(out, emitter, arguments, i);
        strbuf_add(out, ",");
    }
    for (int t = 0; t < arguments->count; t++) {
        strbuf_add(out, "%s%s%s", t > 0 ? *separator ? "," : ", " : "", separator,
                   arguments->name[t]);
        add_strides(out, emitter, arguments, t, separator);
    }
    strbuf_add(out, ") &\n");
}

void emit_fortran_function(struct strbuf *out, const struct emitter *emitter, const char *remark) {
    const struct arguments arguments = arguments_of(emitter);
    strbuf_add(out, "\n  interface\n");
    emit_fortran_remark(out, remark, "    ");
    strbuf_add(out, "    function ");
    add_call(out, emitter, &arguments);
    emit_fortran_binding(out, emitter->function);
    strbuf_add(out, "      import :: c_int%s, %s\n      integer(c_int) :: status\n",
               emitter->takes_extents ? ", c_int64_t" : "",
               emit_fortran_kind(emitter->problem->dtype));
    for (int i = 0; emitter->takes_extents && i < emitter->problem->contraction->index_count; i++) {
        strbuf_add(out, "      integer(c_int64_t), value :: ");
        add_extent_name(out, emitter, &arguments, i);
        strbuf_add(out, "\n");
    }
    for (int t = 0; t < arguments.count; t++) add_argument(out, emitter, &arguments, t);
    strbuf_add(out, "    end function\n  end interface\n");
}

static void add_module(struct strbuf *out, const struct emitter *emitter, const char *comment) {
    struct strbuf name = {0};
    emit_fortran_name(&name, emitter->function, "_interface");
    const char *module = name.text ? name.text : "";
    emit_fortran_remark(out, comment, "");
    const char *integers = emitter->takes_extents ? "c_int, c_int64_t" : "c_int";
    strbuf_add(
        out,
        "module %s\n  use, intrinsic :: iso_c_binding, only: %s, %s\n  implicit none\n  private :: %s, %s\n",
        module, integers, emit_fortran_kind(emitter->problem->dtype), integers,
        emit_fortran_kind(emitter->problem->dtype));
    emit_fortran_function(out, emitter,
                          "Returns 0, or the error number that the comment above names.");
    strbuf_add(out, "end module\n");
    out->failed = out->failed || name.failed;
    strbuf_free(&name);
}

typedef void add_interface(struct strbuf *out, const struct emitter *emitter, const char *comment);

static enum tcplan_status emit_interface(char **out, add_interface *add, bool fortran,
                                         const struct tcplan_nest *nest,
                                         const struct tcplan_problem *problem,
                                         const struct tcplan_emit_options *options,
                                         struct tcplan_error *error) {
    static const struct tcplan_emit_options defaults;
    if (!options) options = &defaults;
    struct strbuf text = {0}, facts = {0};
    struct emitter emitter = {.out = &text,
                              .nest = nest,
                              .problem = problem,
                              .function = options->function ? options->function : "contract",
                              .threads = options->threads,
                              .takes_extents = options->takes_extents};
    enum tcplan_status status = emit_check_name(emitter.function, error);
    if (status != TCPLAN_OK) return status;
    emit_name_operands(&emitter);
    const struct arguments arguments = arguments_of(&emitter);
    for (int t = 0; t < arguments.count && fortran; t++)
        emitter.operand[arguments.tensor[t]] = arguments.name[t];
    emit_facts(&facts, &emitter);
    emit_layout(&facts, &emitter);
    strbuf_add(&facts, "\n");
    emit_returns(&facts, &emitter);
    strbuf_add(&facts, "\nEmitted by tcplan %s.\n", TCPLAN_VERSION_STRING);
    char *comment = strbuf_finish(&facts);
    if (!comment) text.failed = true;
    if (comment) add(&text, &emitter, comment);
    free(comment);
    return strbuf_give(&text, out, TCPLAN_OK, error);
}

enum tcplan_status tcplan_emit_header(char **out, const struct tcplan_nest *nest,
                                      const struct tcplan_problem *problem,
                                      const struct tcplan_emit_options *options,
                                      struct tcplan_error *error) {
    return emit_interface(out, add_header, false, nest, problem, options, error);
}

enum tcplan_status tcplan_emit_fortran(char **out, const struct tcplan_nest *nest,
                                       const struct tcplan_problem *problem,
                                       const struct tcplan_emit_options *options,
                                       struct tcplan_error *error) {
    return emit_interface(out, add_module, true, nest, problem, options, error);
}
