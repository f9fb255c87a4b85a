#include "tcplan/network_emit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "gen/emit/interface.h"
#include "gen/emit/joined.h"
#include "gen/emit/terms.h"
#include "gen/emit/text.h"
#include "network/execution/network_plan.h"
#include "tcplan/problem.h"
#include "tcplan/version.h"

enum { PARAMETER_CHARS = 64 };

/** State of writing the code of a network. */
struct writing {
    const struct tcplan_tree *tree;
    const struct tcplan_network_plan *plan;
    const char *function;
    char (*parameter)[PARAMETER_CHARS]; /* names of the parameters: one for each distinct tensor,
                                           then the result */
    struct emit_joined steps;           /* text of the functions of the steps, which are static */
    bool is_safe; /* whether the result is computed in the workspace, because a later step that
                     writes to it may fail */
    int64_t result_bytes;
};

/* Names of parameters. */

/** Returns whether the function has a local variable with this name. Loop variables i0, i1, ...
 * count too. */
static bool is_own_name(const char *name) {
    static const char *const own[] = {"status", "workspace", "made", "one", "result"};
    for (size_t n = 0; n < sizeof own / sizeof *own; n++) {
        if (strcmp(name, own[n]) == 0) return true;
    }
    return strncmp(name, "operand", strlen("operand")) == 0 ||
           (*name == 'i' && name[1 + strspn(name + 1, "0123456789")] == '\0');
}

/** Chooses the name of a parameter: the name of the tensor, or another one if that name has a
 * meaning in C or in the function. */
static void name_parameter(char out[PARAMETER_CHARS], const struct writing *writing,
                           const char *name, int number) {
    const bool is_free = strlen(name) < PARAMETER_CHARS && emit_is_free_operand(name) &&
                         !is_own_name(name) && strcmp(name, writing->function) != 0;
    if (is_free) {
        snprintf(out, PARAMETER_CHARS, "%s", name);
    } else if (number < writing->tree->network->tensor_count) {
        snprintf(out, PARAMETER_CHARS, "operand%d", number + 1);
    } else {
        snprintf(out, PARAMETER_CHARS, "result");
    }
}

static bool name_parameters(struct writing *writing) {
    const struct tcplan_network *network = writing->tree->network;
    writing->parameter =
        base_alloc(((size_t)network->tensor_count + 1) * sizeof *writing->parameter);
    for (int t = 0; writing->parameter && t < network->tensor_count; t++)
        name_parameter(writing->parameter[t], writing, network->operand[network->tensor[t]].name,
                       t);
    if (writing->parameter)
        name_parameter(writing->parameter[network->tensor_count], writing, network->result.name,
                       network->tensor_count);
    return writing->parameter != NULL;
}

static const char *result_name(const struct writing *writing) {
    return writing->parameter[writing->tree->network->tensor_count];
}

/* Steps. */

/** Adds the function of a step as a static function, without the comment at the top of its file. */
static enum tcplan_status add_step(struct writing *writing, const struct tcplan_plan *plan,
                                   int number, const char *suffix, struct tcplan_error *error) {
    struct strbuf name = {0};
    char *text = NULL;
    strbuf_add(&name, "%s_step%d%s", writing->function, number, suffix);
    enum tcplan_status status = name.failed
                                    ? error_no_memory(error)
                                    : tcplan_plan_emit(&text, plan, name.text, false, error);
    if (status == TCPLAN_OK) status = emit_joined_add(&writing->steps, text, name.text, error);
    free(text);
    strbuf_free(&name);
    return status;
}

/** Adds the function of a step that adds up several terms. */
static enum tcplan_status add_sum(struct writing *writing, const struct ready_sum *sum, int number,
                                  struct tcplan_error *error) {
    struct strbuf name = {0};
    strbuf_add(&name, "%s_step%d", writing->function, number);
    if (!name.failed) {
        emit_terms(&writing->steps.functions, name.text, &sum->fused.shape, sum->threads);
        emit_joined_add_links(&writing->steps, sum->threads > 1 ? "-lm -pthread" : "-lm");
    }
    const bool failed = name.failed || writing->steps.functions.failed;
    strbuf_free(&name);
    return failed ? error_no_memory(error) : TCPLAN_OK;
}

static enum tcplan_status add_steps(struct writing *writing, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int n = 0; n < writing->plan->schedule.count && status == TCPLAN_OK; n++) {
        const struct ready_step *ready = &writing->plan->step[n];
        if (ready->sum) {
            status = add_sum(writing, ready->sum, n + 1, error);
            continue;
        }
        status = add_step(writing, ready->plan, n + 1, "", error);
        if (status == TCPLAN_OK && ready->later)
            status = add_step(writing, ready->later, n + 1, "_later", error);
    }
    return status;
}

/* The function. */

/** Appends the pointer to a tensor of step `n`; `t`: 0 or 1 for a factor, 2 for the result. */
static void add_pointer(struct strbuf *out, const struct writing *writing, int n, int t,
                        const struct place *place) {
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(writing->plan->dtype);
    switch (place->kind) {
    case PLACE_TENSOR: strbuf_add(out, "%s", writing->parameter[place->tensor]); break;
    case PLACE_ONE: strbuf_add(out, "&one"); break;
    case PLACE_WORKSPACE:
        if (writing->plan->schedule.bytes > 0)
            strbuf_add(out, "workspace + %" PRId64, place->offset_bytes / bytes);
        if (writing->plan->schedule.bytes == 0)
            strbuf_add(out, "NULL"); /* No workspace is needed, because the intermediates have no
                                        elements. */
        break;
    case PLACE_RESULT:
        strbuf_add(out, "%s", writing->is_safe ? "made" : result_name(writing));
        break;
    }
    for (int i = 0; i < writing->plan->sliced_count; i++) {
        const int64_t stride = writing->plan->schedule.step[n].stride_bytes[t][i] / bytes;
        if (stride != 0) strbuf_add(out, " + %" PRId64 " * i%d", stride, i);
    }
}

static void add_call(struct strbuf *out, const struct writing *writing, int n, const char *suffix) {
    const struct ready_step *ready = &writing->plan->step[n];
    const int count = ready->sum ? ready->sum->fused.shape.count : 2;
    strbuf_add(out, "%s_step%d%s(", writing->function, n + 1, suffix);
    for (int t = 0; t < count; t++) {
        add_pointer(out, writing, n, ready->sum ? 0 : t,
                    ready->sum ? &ready->sum->place[t] : &ready->place[t]);
        strbuf_add(out, ", ");
    }
    add_pointer(out, writing, n, 2, &ready->place[2]);
    strbuf_add(out, ")");
}

/** Appends ` && i0 == 0` for each loop in whose first iteration alone the step runs. */
static void add_conditions(struct strbuf *out, const struct schedule_step *step, int sliced_count) {
    for (int i = 0; i < sliced_count; i++) {
        if (step->only_first >> i & 1U) strbuf_add(out, " && i%d == 0", i);
    }
}

/** Appends `i0 > 0 || i1 > 0`, which holds if an earlier iteration wrote the result. If no loop can
 * have written it, returns false and appends nothing. */
static bool add_later(struct strbuf *out, const struct schedule_step *step, int sliced_count) {
    bool any = false;
    for (int i = 0; i < sliced_count && step->later; i++) {
        if (step->stride_bytes[2][i] != 0) continue;
        strbuf_add(out, "%si%d > 0", any ? " || " : "", i);
        any = true;
    }
    return any;
}

static void add_phase(struct strbuf *out, const struct writing *writing,
                      enum schedule_phase phase) {
    const struct schedule *schedule = &writing->plan->schedule;
    const int sliced = writing->plan->sliced_count;
    const char *indent = phase == SCHEDULE_INSIDE ? "        " : "    ";
    for (int n = 0; n < schedule->count; n++) {
        const struct schedule_step *step = &schedule->step[n];
        if (step->phase != phase) continue;
        strbuf_add(out, "%sif (!status", indent);
        add_conditions(out, step, sliced);
        strbuf_add(out, ") status = ");
        const bool later = writing->plan->step[n].later && add_later(out, step, sliced);
        if (later) {
            strbuf_add(out, " ? ");
            add_call(out, writing, n, "_later");
            strbuf_add(out, " : ");
        }
        add_call(out, writing, n, "");
        strbuf_add(out, ";\n");
    }
}

static void add_loops(struct strbuf *out, const struct writing *writing) {
    for (int i = 0; i < writing->plan->sliced_count; i++)
        strbuf_add(out, "    for (ptrdiff_t i%d = 0; i%d < %" PRId64 "; i%d++)%s\n", i, i,
                   writing->plan->extent[i], i, i + 1 == writing->plan->sliced_count ? " {" : "");
    if (writing->plan->sliced_count == 0) return;
    add_phase(out, writing, SCHEDULE_INSIDE);
    strbuf_add(out, "    }\n");
}

/** Returns the size in bytes of the intermediates, plus that of the result if it is computed in the
 * workspace. */
static int64_t workspace_bytes(const struct writing *writing) {
    return writing->plan->schedule.bytes + (writing->is_safe ? writing->result_bytes : 0);
}

static void add_workspace(struct strbuf *out, const char *type, int64_t bytes) {
    const int64_t whole =
        (bytes + SCHEDULE_ALIGNMENT - 1) / SCHEDULE_ALIGNMENT * SCHEDULE_ALIGNMENT;
    if (emit_memory_stays((double)bytes)) {
        strbuf_add(out, "    %s *workspace = pool_take(%d, %" PRId64 ");\n", type,
                   EMIT_WORKSPACE_BLOCK, whole);
    } else {
        strbuf_add(out, "    %s *workspace = aligned_alloc(%d, %" PRId64 ");\n", type,
                   SCHEDULE_ALIGNMENT, whole);
    }
    strbuf_add(out, "    if (!workspace) return ENOMEM;\n");
}

static void add_function(struct strbuf *out, const struct writing *writing) {
    const char *type = emit_type(writing->plan->dtype);
    const int64_t place = writing->plan->schedule.bytes, bytes = workspace_bytes(writing);
    const int64_t element = (int64_t)tcplan_dtype_bytes(writing->plan->dtype);
    bool one = false;
    for (int n = 0; n < writing->plan->schedule.count; n++)
        one = one ||
              (writing->plan->step[n].plan && writing->plan->step[n].place[1].kind == PLACE_ONE);
    strbuf_add(out, "int %s(", writing->function);
    for (int t = 0; t < writing->tree->network->tensor_count; t++)
        strbuf_add(out, "const %s *%s, ", type, writing->parameter[t]);
    strbuf_add(out, "%s *%s) {\n", type, result_name(writing));
    if (one) strbuf_add(out, "    static const %s one = 1;\n", type);
    strbuf_add(out, "    int status = 0;\n");
    if (bytes > 0) add_workspace(out, type, bytes);
    if (writing->is_safe) {
        strbuf_add(out,
                   "    %s *made = workspace + %" PRId64 "; /* copied to the result after the "
                   "last step that can fail */\n",
                   type, place / element);
        strbuf_add(out, "    memcpy(made, %s, %" PRId64 ");\n", result_name(writing),
                   writing->result_bytes);
    }
    add_phase(out, writing, SCHEDULE_BEFORE);
    add_loops(out, writing);
    add_phase(out, writing, SCHEDULE_AFTER);
    if (writing->is_safe)
        strbuf_add(out, "    if (!status) memcpy(%s, made, %" PRId64 ");\n", result_name(writing),
                   writing->result_bytes);
    if (emit_memory_stays((double)bytes)) {
        strbuf_add(out, "    pool_give(%d, workspace);\n", EMIT_WORKSPACE_BLOCK);
    } else if (bytes > 0) {
        strbuf_add(out, "    free(workspace);\n");
    }
    strbuf_add(out, "    return status;\n}\n");
}

static void add_owned(struct strbuf *out, const char *label, char *text) {
    strbuf_add(out, "%s%s\n", label, text ? text : "");
    if (!text) out->failed = true;
    free(text);
}

/** Appends a comment line for a parameter whose name differs from that of its tensor. */
static void add_name(struct strbuf *out, const struct writing *writing, int number,
                     const char *name) {
    if (strcmp(writing->parameter[number], name) != 0)
        strbuf_add(out, "  %s is %s\n", writing->parameter[number], name);
}

/** Returns whether the function stores memory for later calls: for intermediates, or for
 * temporaries of a step. */
static bool keeps_memory(const struct writing *writing) {
    return emit_memory_stays((double)workspace_bytes(writing)) ||
           (writing->steps.functions.text && strstr(writing->steps.functions.text, "pool_take("));
}

/** Appends a comment line for each executed step: the number of its function, its product and its
 * algorithm. */
static void add_algorithms(struct strbuf *out, const struct writing *writing) {
    for (int n = 0; n < writing->plan->schedule.count; n++) {
        char *product = tcplan_tree_step_text(writing->tree, writing->plan->schedule.step[n].step);
        const struct tcplan_plan *plan = writing->plan->step[n].plan;
        strbuf_add(out, "step %d: %s %s%s\n", n + 1, product ? product : "",
                   plan ? "by " : "in one pass over memory",
                   plan ? tcplan_plan_algorithm(plan) : "");
        if (!product) out->failed = true;
        free(product);
    }
}

/** Returns the comment at the top of an emitted file; NULL if memory runs out. With a plan, the
 * comment lists the algorithms and the libraries to link. */
static char *facts_of(const struct writing *writing) {
    const struct tcplan_network *network = writing->tree->network;
    struct strbuf out = {0};
    add_owned(&out, "contraction: ", tcplan_network_text(network));
    strbuf_add(&out, "sizes: ");
    for (int i = 0; i < network->index_count; i++)
        strbuf_add(&out, "%s%s=%" PRId64, i > 0 ? "," : "", network->index[i],
                   writing->tree->extent[i]);
    strbuf_add(&out, "\ntype: %s\nstorage: %s\n", emit_type(writing->tree->dtype),
               network->order == TCPLAN_COLUMN_MAJOR ? "column-major: the first index is contiguous"
                                                     : "row-major: the last index is contiguous");
    add_owned(&out, "tree: ", tcplan_tree_text(writing->tree));
    if (writing->plan) add_algorithms(&out, writing);
    strbuf_add(&out, "\n");
    for (int t = 0; t < network->tensor_count; t++)
        add_name(&out, writing, t, network->operand[network->tensor[t]].name);
    add_name(&out, writing, network->tensor_count, network->result.name);
    strbuf_add(
        &out,
        "Takes a pointer for each tensor, even if the tensor is a factor several times. The "
        "tensors are dense; the result must not overlap the others.\nReturns 0, or ENOMEM when an "
        "allocation fails; the result is then unchanged.\n");
    if (writing->plan && keeps_memory(writing))
        strbuf_add(
            &out,
            "The memory of large temporaries is reused by the next call; tcplan_release_memory() "
            "frees it.\n");
    strbuf_add(&out, "\nEmitted by tcplan %s.\n", TCPLAN_VERSION_STRING);
    if (writing->plan) emit_joined_link(&out, &writing->steps);
    return strbuf_finish(&out);
}

static void add_comment(struct strbuf *out, const struct writing *writing) {
    char *facts = facts_of(writing);
    if (facts) emit_comment(out, facts);
    out->failed = out->failed || !facts;
    free(facts);
}

static void add_includes(struct strbuf *out) {
    strbuf_add(
        out,
        "#include <errno.h>\n#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n\n");
}

/** Returns whether a step may fail after an earlier one wrote the result. */
static bool may_fail_late(const struct writing *writing) {
    const struct tcplan_tree *tree = writing->tree;
    bool temporaries = false;
    for (int n = 0; n < writing->plan->schedule.count; n++)
        temporaries = temporaries || writing->plan->step[n].has_temporaries;
    return temporaries && (tree->network->term_count > 1 || tree->sliced_count > 0);
}

static int64_t result_bytes(const struct tcplan_tree *tree) {
    /* This cannot overflow: tcplan_tree_make() checks the sizes of whole tensors. */
    int64_t bytes = (int64_t)tcplan_dtype_bytes(tree->dtype);
    for (int d = 0; d < tree->network->result.rank; d++)
        bytes *= tree->extent[tree->network->result.dims[d]];
    return bytes;
}

static enum tcplan_status write_all(char **out, struct writing *writing,
                                    struct tcplan_error *error) {
    struct strbuf text = {0};
    const enum tcplan_status status = add_steps(writing, error);
    if (status != TCPLAN_OK) return status;
    add_comment(&text, writing);
    add_includes(&text);
    if (emit_memory_stays((double)workspace_bytes(writing))) emit_memory_functions(&text);
    const struct strbuf *steps = &writing->steps.functions;
    if (steps->text) strbuf_append(&text, steps->text, steps->length);
    add_function(&text, writing);
    emit_drop_repeats(&text);
    return strbuf_give(&text, out, TCPLAN_OK, error);
}

/* The header. */

static void add_header(struct strbuf *out, const struct writing *writing) {
    struct strbuf type = {0};
    add_comment(out, writing);
    emit_header_begin(out, &type, writing->function, writing->tree->dtype, "");
    strbuf_add(out, "int %s(", writing->function);
    for (int t = 0; t < writing->tree->network->tensor_count; t++)
        strbuf_add(out, "const %s *%s, ", type.text ? type.text : "", writing->parameter[t]);
    strbuf_add(out, "%s *%s);\n", type.text ? type.text : "", result_name(writing));
    emit_header_end(out);
    strbuf_free(&type);
}

/* The Fortran module. */

/** Returns whether the parameters can keep their names in Fortran, where they must differ from each
 * other, from the function and from its result. */
static bool are_fortran_names(const struct writing *writing) {
    for (int t = 0; t <= writing->tree->network->tensor_count; t++) {
        const char *name = writing->parameter[t];
        bool good = strlen(name) <= EMIT_FORTRAN_NAME &&
                    !emit_fortran_is_same(name, writing->function) &&
                    !emit_fortran_is_same(name, "status");
        for (int other = 0; other < t && good; other++)
            good = !emit_fortran_is_same(name, writing->parameter[other]);
        if (!good) return false;
    }
    return true;
}

static void name_fortran_parameters(struct writing *writing) {
    static const char *const names[][2] = {{"operand", "result"}, {"factor", "product"}};
    const int count = writing->tree->network->tensor_count;
    for (int n = 0; n < 2 && !are_fortran_names(writing); n++) {
        for (int t = 0; t < count; t++)
            snprintf(writing->parameter[t], PARAMETER_CHARS, "%s%d", names[n][0], t + 1);
        snprintf(writing->parameter[count], PARAMETER_CHARS, "%s", names[n][1]);
    }
}

/** Appends the bounds of an array as `(40,8)`, in Fortran's order of dimensions; appends nothing
 * for a scalar. */
static void add_bounds(struct strbuf *out, const struct tcplan_tree *tree,
                       const struct tcplan_network_operand *operand) {
    const bool column_major = tree->network->order == TCPLAN_COLUMN_MAJOR;
    if (operand->rank > EMIT_FORTRAN_RANK) {
        strbuf_add(out, "(*)");
        return;
    }
    for (int d = 0; d < operand->rank; d++) {
        const int index = operand->dims[column_major ? d : operand->rank - 1 - d];
        strbuf_add(out, "%s%" PRId64, d > 0 ? "," : "(", tree->extent[index]);
    }
    if (operand->rank > 0) strbuf_add(out, ")");
}

static void add_fortran_argument(struct strbuf *out, const struct writing *writing, int t) {
    const struct tcplan_network *network = writing->tree->network;
    const bool is_result = t == network->tensor_count;
    strbuf_add(out, "      %s(%s), intent(%s) :: &\n        %s",
               tcplan_dtype_is_complex(writing->tree->dtype) ? "complex" : "real",
               emit_fortran_kind(writing->tree->dtype), is_result ? "inout" : "in",
               writing->parameter[t]);
    add_bounds(out, writing->tree,
               is_result ? &network->result : &network->operand[network->tensor[t]]);
    strbuf_add(out, "\n");
}

/** Appends the function's name and arguments, in lines of limited length. */
static void add_fortran_call(struct strbuf *out, const struct writing *writing) {
    const int count = writing->tree->network->tensor_count;
    size_t column = 0;
    strbuf_add(out, "    function ");
    emit_fortran_name(out, writing->function, "");
    strbuf_add(out, "( &\n        ");
    for (int t = 0; t <= count; t++) {
        column += strlen(writing->parameter[t]) + 2;
        if (t > 0 && column > EMIT_FORTRAN_WORDS) {
            strbuf_add(out, "&\n        ");
            column = strlen(writing->parameter[t]) + 2;
        }
        strbuf_add(out, "%s%s", writing->parameter[t], t < count ? ", " : ") &\n");
    }
}

static void add_module(struct strbuf *out, const struct writing *writing) {
    const char *kind = emit_fortran_kind(writing->tree->dtype);
    char *facts = facts_of(writing);
    if (facts) emit_fortran_remark(out, facts, "");
    out->failed = out->failed || !facts;
    free(facts);
    strbuf_add(out, "module ");
    emit_fortran_name(out, writing->function, "_interface");
    strbuf_add(
        out,
        "\n  use, intrinsic :: iso_c_binding, only: c_int, %s\n  implicit none\n  private :: c_int, %s\n\n  interface\n",
        kind, kind);
    emit_fortran_remark(out, "Returns 0, or the error number that the comment above names.",
                        "    ");
    add_fortran_call(out, writing);
    emit_fortran_binding(out, writing->function);
    strbuf_add(out, "      import :: c_int, %s\n      integer(c_int) :: status\n", kind);
    for (int t = 0; t <= writing->tree->network->tensor_count; t++)
        add_fortran_argument(out, writing, t);
    strbuf_add(out, "    end function\n  end interface\nend module\n");
}

/* Both. */

typedef void add_interface(struct strbuf *out, const struct writing *writing);

static enum tcplan_status emit_interface(char **out, add_interface *add, bool fortran,
                                         const struct tcplan_tree *tree, const char *function,
                                         struct tcplan_error *error) {
    struct strbuf text = {0};
    struct writing writing = {.tree = tree, .function = function ? function : "contract"};
    const enum tcplan_status status = emit_check_name(writing.function, error);
    if (status != TCPLAN_OK) return status;
    if (name_parameters(&writing)) {
        if (fortran) name_fortran_parameters(&writing);
        add(&text, &writing);
    } else {
        text.failed = true;
    }
    base_free(writing.parameter);
    return strbuf_give(&text, out, TCPLAN_OK, error);
}

enum tcplan_status tcplan_network_emit_header(char **out, const struct tcplan_tree *tree,
                                              const char *function, struct tcplan_error *error) {
    return emit_interface(out, add_header, false, tree, function, error);
}

enum tcplan_status tcplan_network_emit_fortran(char **out, const struct tcplan_tree *tree,
                                               const char *function, struct tcplan_error *error) {
    return emit_interface(out, add_module, true, tree, function, error);
}

enum tcplan_status tcplan_network_emit(char **out, const struct tcplan_tree *tree,
                                       struct tcplan_planner *planner, const char *function,
                                       struct tcplan_error *error) {
    struct tcplan_network_plan *plan = NULL;
    struct writing writing = {.tree = tree,
                              .function = function ? function : "contract",
                              .result_bytes = result_bytes(tree)};
    enum tcplan_status status = emit_check_name(writing.function, error);
    if (status == TCPLAN_OK) status = network_plan_make(&plan, tree, planner, false, error);
    if (status != TCPLAN_OK) return status;
    writing.plan = plan;
    writing.is_safe = may_fail_late(&writing);
    status = name_parameters(&writing) ? write_all(out, &writing, error) : error_no_memory(error);
    base_free(writing.parameter);
    emit_joined_free(&writing.steps);
    tcplan_network_plan_free(plan);
    return status;
}
