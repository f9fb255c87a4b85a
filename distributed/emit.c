/*
 * An emitted program is the text of distributed/runtime, the plan as a constant, one function for
 * each shape of a local product that some rank executes, and a function that selects one of them.
 * The blocks of an index have at most two different lengths, so there are few shapes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "distributed/emit.h"
#include "distributed/runtime_text.h"
#include "distributed/scalapack.h"
#include "gen/emit/text.h"
#include "tcplan/plan.h"

static bool uses_scalapack(const struct writing *writing) {
    return writing->distributed->plan.pdgemm.is_used;
}

/* Shapes. */

static enum tcplan_status add_shape(struct writing *writing, const struct dist_box *box,
                                    enum tcplan_distributed_start start,
                                    struct tcplan_error *error) {
    const struct dist_plan *plan = &writing->distributed->plan;
    const size_t bytes = (size_t)plan->index_count * sizeof(int64_t);
    for (int i = 0; i < plan->index_count; i++) {
        if (box->length[i] == 0) return TCPLAN_OK;
    }
    for (int s = 0; s < writing->count; s++) {
        if (writing->shape[s].start == start &&
            memcmp(writing->shape[s].length, box->length, bytes) == 0)
            return TCPLAN_OK;
    }
    if (writing->count == EMIT_MOST_SHAPES)
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "local products have more than %d shapes; use longer panels",
                         EMIT_MOST_SHAPES);
    writing->shape[writing->count].start = start;
    memcpy(writing->shape[writing->count++].length, box->length, bytes);
    return TCPLAN_OK;
}

/** Adds the shapes of the local products of a rank that are not listed yet. */
static enum tcplan_status add_shapes(struct writing *writing, int rank,
                                     struct tcplan_error *error) {
    const struct dist_plan *plan = &writing->distributed->plan;
    struct dist_box box = dist_local_box(plan, rank);
    const enum tcplan_distributed_start first_start =
        (enum tcplan_distributed_start)dist_first_start(plan);
    const int x = plan->panel_index;
    if (x < 0) return add_shape(writing, &box, first_start, error);
    enum tcplan_status status = TCPLAN_OK;
    const int64_t begin = box.first[x], end = begin + box.length[x];
    for (int64_t first = begin, next; first < end && status == TCPLAN_OK; first = next) {
        next = dist_panel_end(plan, rank, first);
        box.length[x] = next - first;
        status =
            add_shape(writing, &box, first == begin ? first_start : TCPLAN_DISTRIBUTED_ADDS, error);
    }
    return status;
}

/* Local products. */

static bool has_word(const struct strbuf *words, const char *word, size_t length) {
    const char *at = words->text ? words->text : "";
    for (size_t other; *at; at += other + (at[other] == ' ')) {
        other = strcspn(at, " ");
        if (other == length && memcmp(at, word, length) == 0) return true;
    }
    return false;
}

/** Adds to `links` the libraries that the comment of an emitted function names, unless the list
 * already has them. Different local products may need different libraries. */
static void add_links(struct strbuf *links, const char *text, const char *end) {
    const char *at = strstr(text, "link: ");
    if (!at || at > end) return;
    at += strlen("link: ");
    const char *line_end = at + strcspn(at, "\n");
    while (at < line_end) {
        const size_t length = strcspn(at, " \n");
        if (length > 0 && !has_word(links, at, length))
            strbuf_add(links, "%s%.*s", links->length > 0 ? " " : "", (int)length, at);
        at += length + 1;
    }
}

/** Makes the product of a shape; the caller frees it. */
static enum tcplan_status product_of(struct tcplan_product **out, const struct writing *writing,
                                     int s, struct tcplan_error *error) {
    return tcplan_distributed_product(out, writing->distributed, writing->shape[s].length,
                                      writing->shape[s].start, error);
}

/** Plans the local product whose time is predicted: that of a panel that is added, if there is one.
 * The products of other shapes use its algorithm. */
static enum tcplan_status find_algorithm(struct writing *writing, struct tcplan_error *error) {
    struct tcplan_product *product = NULL;
    struct tcplan_plan *plan = NULL;
    int s = 0;
    if (writing->count == 0) return TCPLAN_OK;
    while (s < writing->count && writing->shape[s].start != TCPLAN_DISTRIBUTED_ADDS) s++;
    enum tcplan_status status = product_of(&product, writing, s < writing->count ? s : 0, error);
    if (status == TCPLAN_OK) status = tcplan_plan_new(&plan, writing->planner, product, error);
    if (status == TCPLAN_OK) writing->algorithm = strdup(tcplan_plan_algorithm(plan));
    if (status == TCPLAN_OK && !writing->algorithm) status = error_no_memory(error);
    tcplan_plan_free(plan);
    tcplan_product_free(product);
    return status;
}

static enum tcplan_status add_local(struct writing *writing, int s, struct tcplan_error *error) {
    struct tcplan_product *product = NULL;
    struct tcplan_plan *plan = NULL;
    struct strbuf name = {0}, signature = {0};
    char *text = NULL;
    strbuf_add(&name, "%s_local%d", writing->function, s + 1);
    strbuf_add(&signature, "\nint %s(", name.text ? name.text : "");
    enum tcplan_status status = name.failed || signature.failed
                                    ? error_no_memory(error)
                                    : product_of(&product, writing, s, error);
    if (status == TCPLAN_OK &&
        tcplan_plan_named(&plan, writing->planner, product, writing->algorithm, NULL) != TCPLAN_OK)
        status = tcplan_plan_new(&plan, writing->planner, product, error);
    if (status == TCPLAN_OK) status = tcplan_plan_emit(&text, plan, name.text, false, error);
    const char *body = text ? strstr(text, "*/\n") : NULL;
    const char *function = body ? strstr(body, signature.text) : NULL;
    if (status == TCPLAN_OK && function) {
        add_links(&writing->links, text, body);
        strbuf_append(&writing->locals, body + 3, (size_t)(function + 1 - (body + 3)));
        strbuf_add(&writing->locals, "static %s\n", function + 1);
    } else if (status == TCPLAN_OK) {
        status = error_set(error, TCPLAN_NOT_APPLICABLE,
                           "a local product is not a function of three tensors");
    }
    free(text);
    strbuf_free(&name);
    strbuf_free(&signature);
    tcplan_plan_free(plan);
    tcplan_product_free(product);
    return status;
}

/* Text. */

void emit_add_runtime(struct strbuf *out, const char *text) {
    const char *at = text;
    while (*at) {
        const size_t length = strcspn(at, "\n");
        const bool is_guard = strncmp(at, "#ifndef DISTRIBUTED_", 20) == 0 ||
                              strncmp(at, "#define DISTRIBUTED_", 20) == 0 ||
                              strncmp(at, "#endif", 6) == 0;
        if (!is_guard && strncmp(at, "#include \"", 10) != 0)
            strbuf_add(out, "%.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

/** Appends the code that executes the contraction by ScaLAPACK. */
static void add_scalapack(struct strbuf *out) {
    emit_add_runtime(out, matrix_text);
    emit_add_runtime(out, scalapack_text);
}

static void add_layout(struct strbuf *out, const struct dist_layout *layout) {
    strbuf_add(out, "{{%d, {", layout->grid.axes);
    for (int k = 0; k < DIST_AXES; k++)
        strbuf_add(out, "%s%d", k > 0 ? ", " : "",
                   k < layout->grid.axes ? layout->grid.size[k] : 0);
    strbuf_add(out, "}}, %d, {", layout->count);
    for (int s = 0; s < DIST_AXES; s++)
        strbuf_add(out, "%s{%d, %d, %" PRId64 "}", s > 0 ? ", " : "",
                   s < layout->count ? layout->split[s].index : 0,
                   s < layout->count ? layout->split[s].axis : 0,
                   s < layout->count ? layout->split[s].cyclic : 0);
    strbuf_add(out, "}}");
}

static void add_list(struct strbuf *out, const char *name, const struct dist_layout layout[]) {
    strbuf_add(out, "    .%s = {", name);
    for (int t = 0; t < DIST_TENSORS; t++) {
        strbuf_add(out, "%s", t > 0 ? ",\n        " : "");
        add_layout(out, &layout[t]);
    }
    strbuf_add(out, "},\n");
}

static void add_plan(struct strbuf *out, const struct writing *writing) {
    const struct dist_plan *plan = &writing->distributed->plan;
    strbuf_add(out, "static const struct dist_plan %s_plan = {\n    .index_count = %d,\n",
               writing->function, plan->index_count);
    strbuf_add(out, "    .extent = {");
    for (int i = 0; i < plan->index_count; i++)
        strbuf_add(out, "%s%" PRId64, i > 0 ? ", " : "", plan->extent[i]);
    strbuf_add(out, "%s},\n    .element_bytes = %d,\n    .is_complex = %s,\n    .tensor = {",
               plan->index_count == 0 ? "0" : "", plan->element_bytes,
               plan->is_complex ? "true" : "false");
    for (int t = 0; t < DIST_TENSORS; t++) {
        strbuf_add(out, "%s{%d, {", t > 0 ? ", " : "", plan->tensor[t].rank);
        for (int d = 0; d < plan->tensor[t].rank; d++)
            strbuf_add(out, "%s%d", d > 0 ? ", " : "", plan->tensor[t].dims[d]);
        strbuf_add(out, "%s}}", plan->tensor[t].rank == 0 ? "0" : "");
    }
    strbuf_add(out, "},\n");
    add_list(out, "home", plan->home);
    add_list(out, "work", plan->work);
    strbuf_add(out, "    .reduced = ");
    add_layout(out, &plan->reduced);
    strbuf_add(out, ",\n    .gathering = {%d, %d, %d},\n    .reduction = %d,\n", plan->gathering[0],
               plan->gathering[1], plan->gathering[2], plan->reduction);
    strbuf_add(out, "    .group = {%u, %u, %u},\n", plan->group[0], plan->group[1], plan->group[2]);
    strbuf_add(out, "    .panel_index = %d,\n    .panel = %" PRId64 ",\n", plan->panel_index,
               plan->panel);
    strbuf_add(out, "    .beta = {%.17g, %.17g},\n    .conjugated = %s", plan->beta[0],
               plan->beta[1], plan->conjugated ? "true" : "false");
    const struct dist_pdgemm *pdgemm = &plan->pdgemm;
    if (pdgemm->is_used)
        strbuf_add(out, ",\n    .pdgemm = {true, {%.17g, %.17g}, {%d, %d, %d}, %d, {'%c', '%c'}}",
                   pdgemm->alpha[0], pdgemm->alpha[1], pdgemm->rows[0], pdgemm->rows[1],
                   pdgemm->rows[2], pdgemm->left, pdgemm->op[0], pdgemm->op[1]);
    strbuf_add(out, "};\n\n");
}

/** Writes the function that selects the local product for given lengths and `start`. */
static void add_selection(struct strbuf *out, const struct writing *writing) {
    const int indices = writing->distributed->plan.index_count;
    strbuf_add(out,
               "static int %s_local(void *context, const int64_t length[], enum dist_start start,\n"
               "    const void *A, const void *B, void *C) {\n    (void)context;\n",
               writing->function);
    for (int s = 0; s < writing->count; s++) {
        strbuf_add(out, "    if (start == %d", (int)writing->shape[s].start);
        for (int i = 0; i < indices; i++)
            strbuf_add(out, " && length[%d] == %" PRId64, i, writing->shape[s].length[i]);
        strbuf_add(out, ")\n        return %s_local%d(A, B, C);\n", writing->function, s + 1);
    }
    strbuf_add(out, "    return EINVAL;\n}\n\n");
}

static void add_function(struct strbuf *out, const struct writing *writing) {
    const struct tcplan_distributed *distributed = writing->distributed;
    static const char *const types[TCPLAN_DTYPES] = {"float", "double", "float _Complex",
                                                     "double _Complex"};
    const char *type = types[distributed->problem.dtype];
    strbuf_add(out, "int %s(MPI_Comm comm, const %s *A, const %s *B, %s *C) {\n", writing->function,
               type, type, type);
    strbuf_add(out,
               "    static int key = MPI_KEYVAL_INVALID;\n    int processes;\n"
               "    MPI_Comm_size(comm, &processes);\n"
               "    if (processes != %d) return EINVAL;\n"
               "    struct dist_run *run = dist_run_of(&key, &%s_plan, %s%s, comm);\n"
               "    return run ? %s(run, A, B, C) : ENOMEM;\n}\n",
               distributed->processes, writing->function,
               uses_scalapack(writing) ? "NULL" : writing->function,
               uses_scalapack(writing) ? "" : "_local",
               uses_scalapack(writing) ? "dist_pdgemm" : "dist_execute");
}

void emit_add_layout(struct strbuf *out, const struct tcplan_distributed *distributed,
                     enum tcplan_operand operand) {
    char *layout = tcplan_distributed_layout(distributed, operand, false);
    struct strbuf grid = {0};
    grid_add_text(&grid, &distributed->plan.home[operand].grid);
    strbuf_add(out, " * %s is distributed on the grid %s as %s\n",
               distributed->contraction->tensor[operand].name, grid.text ? grid.text : "",
               layout ? layout : "");
    strbuf_free(&grid);
    free(layout);
}

/** Writes the contraction function, and the structure that describes it to the check and the
 * comparison. */
static void add_checked(struct strbuf *out, const struct writing *writing) {
    const struct tcplan_distributed *distributed = writing->distributed;
    const struct tcplan_contraction *contraction = distributed->contraction;
    const struct tcplan_scalar alpha = distributed->problem.alpha;
    strbuf_add(out,
               "static int %s_erased(MPI_Comm comm, const void *A, const void *B, void *C) {\n"
               "    return %s(comm, A, B, C);\n}\n\n",
               writing->function, writing->function);
    strbuf_add(out,
               "#define %s_checked \\\n"
               "    {.plan = &%s_plan, .function = %s_erased, .alpha = {%.17g, %.17g}, \\\n"
               "     .conjugated = {%s, %s, false}}\n\n",
               writing->function, writing->function, writing->function, alpha.re, alpha.im,
               contraction->tensor[TCPLAN_A].conjugated ? "true" : "false",
               contraction->tensor[TCPLAN_B].conjugated ? "true" : "false");
}

void emit_add_main_begin(struct strbuf *out, int processes) {
    strbuf_add(out,
               "int main(int argc, char **argv) {\n"
               "    int processes, rank;\n    MPI_Init(&argc, &argv);\n"
               "    MPI_Comm_size(MPI_COMM_WORLD, &processes);\n"
               "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
               "    if (processes != %d && rank == 0)\n"
               "        fprintf(stderr, \"start %d processes: mpirun -n %d %%s\\n\", argv[0]);\n",
               processes, processes, processes);
}

static void add_main(struct strbuf *out, const struct writing *writing) {
    const int processes = writing->distributed->processes;
    strbuf_add(out, "\n");
    emit_add_runtime(out, check_text);
    add_checked(out, writing);
    emit_add_main_begin(out, processes);
    strbuf_add(out,
               "    const struct dist_checked checked = %s_checked;\n"
               "    const int status = processes != %d || dist_check(&checked, MPI_COMM_WORLD);\n"
               "    MPI_Finalize();\n    return status;\n}\n",
               writing->function, processes);
}

static void add_head(struct strbuf *out, const struct writing *writing, const char *contraction) {
    const struct tcplan_distributed *distributed = writing->distributed;
    strbuf_add(out, "/*\n * %s on %d processes, algorithm %s\n *\n", contraction,
               distributed->processes, distributed->entry.name);
    for (int t = 0; t < DIST_TENSORS; t++) {
        emit_add_layout(out, distributed, (enum tcplan_operand)t);
    }
    strbuf_add(
        out,
        " *\n * Ranks number a grid in row-major order. An extent n in p blocks has n %% p\n"
        " * blocks of n / p + 1 elements, then blocks of n / p. If /b follows the axis, blocks of b\n"
        " * elements are dealt to its processes in turn.\n *\n"
        " * Compile with mpicc -std=c11 -O2; link: %s\n */\n",
        writing->links.text ? writing->links.text : "");
}

enum tcplan_status emit_write_locals(struct writing *writing, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (uses_scalapack(writing)) {
        strbuf_add(&writing->links, "%s", scalapack_link());
        return writing->links.failed ? error_no_memory(error) : TCPLAN_OK;
    }
    for (int rank = 0; rank < writing->distributed->processes && status == TCPLAN_OK; rank++)
        status = add_shapes(writing, rank, error);
    if (status == TCPLAN_OK) status = find_algorithm(writing, error);
    for (int s = 0; s < writing->count && status == TCPLAN_OK; s++)
        status = add_local(writing, s, error);
    if (status == TCPLAN_OK && (writing->locals.failed || writing->links.failed))
        status = error_no_memory(error);
    return status;
}

void emit_add_locals(struct strbuf *out, const struct writing *writing) {
    if (writing->locals.text) strbuf_append(out, writing->locals.text, writing->locals.length);
}

void emit_add_plan(struct strbuf *out, const struct writing *writing) {
    add_plan(out, writing);
    if (!uses_scalapack(writing)) add_selection(out, writing);
}

static void add_algorithm(struct strbuf *out, const struct writing *writing) {
    emit_add_plan(out, writing);
    add_function(out, writing);
}

/* Some headers that local products include need POSIX, which must be requested before the first
 * header. */
const char emit_headers[] = "#ifndef _POSIX_C_SOURCE\n#define _POSIX_C_SOURCE 200809L\n#endif\n"
                            "#include <errno.h>\n#include <math.h>\n";

static enum tcplan_status write_program(struct strbuf *out, struct writing *writing, bool with_main,
                                        struct tcplan_error *error) {
    const enum tcplan_status status = emit_write_locals(writing, error);
    if (status != TCPLAN_OK) return status;
    char *text = tcplan_contraction_text(writing->distributed->contraction);
    if (!text) return error_no_memory(error);
    add_head(out, writing, text);
    free(text);
    strbuf_add(out, "%s", emit_headers);
    emit_add_locals(out, writing);
    emit_add_runtime(out, shape_text);
    emit_add_runtime(out, execute_text);
    if (uses_scalapack(writing)) add_scalapack(out);
    add_algorithm(out, writing);
    if (with_main) add_main(out, writing);
    return TCPLAN_OK;
}

void emit_free(struct writing *writing) {
    if (!writing) return;
    strbuf_free(&writing->locals);
    strbuf_free(&writing->links);
    free(writing->algorithm);
    free(writing);
}

struct writing *emit_new(const struct tcplan_distributed *distributed,
                         struct tcplan_planner *planner, const char *function) {
    struct writing *writing = calloc(1, sizeof *writing);
    if (!writing) return NULL;
    writing->distributed = distributed;
    writing->planner = planner;
    writing->function = function;
    return writing;
}

enum tcplan_status tcplan_distributed_emit(char **out, const struct tcplan_distributed *distributed,
                                           struct tcplan_planner *planner, const char *function,
                                           bool with_main, struct tcplan_error *error) {
    struct strbuf text = {0};
    struct writing *writing = emit_new(distributed, planner, function ? function : "contract");
    const enum tcplan_status status =
        writing ? write_program(&text, writing, with_main, error) : error_no_memory(error);
    emit_free(writing);
    return strbuf_give(&text, out, status, error);
}

/* Comparisons. */

void emit_merge_links(struct strbuf *links, const struct writing *writing) {
    struct strbuf text = {0};
    strbuf_add(&text, "link: %s\n", writing->links.text ? writing->links.text : "");
    if (text.text) add_links(links, text.text, text.text + text.length);
    strbuf_free(&text);
}

/** Writes the functions of all algorithms, then the program that compares them. */
static void write_comparison(struct strbuf *out, struct writing *const writing[], int count,
                             double seconds) {
    const int processes = writing[0]->distributed->processes;
    struct strbuf links = {0};
    for (int a = 0; a < count; a++) emit_merge_links(&links, writing[a]);
    strbuf_add(out, "/* link: %s */\n%s", links.text ? links.text : "", emit_headers);
    strbuf_free(&links);
    for (int a = 0; a < count; a++) emit_add_locals(out, writing[a]);
    emit_add_runtime(out, shape_text);
    emit_add_runtime(out, execute_text);
    bool calls_scalapack = false;
    for (int a = 0; a < count; a++) calls_scalapack = calls_scalapack || uses_scalapack(writing[a]);
    if (calls_scalapack) add_scalapack(out);
    emit_add_runtime(out, check_text);
    emit_add_runtime(out, count_text);
    emit_add_runtime(out, compare_text);
    for (int a = 0; a < count; a++) {
        add_algorithm(out, writing[a]);
        add_checked(out, writing[a]);
    }
    emit_add_main_begin(out, processes);
    strbuf_add(out, "    const struct dist_checked checked[] = {");
    for (int a = 0; a < count; a++)
        strbuf_add(out, "%s%s_checked", a > 0 ? ", " : "", writing[a]->function);
    strbuf_add(out,
               "};\n    const int status = processes != %d || dist_compare(checked, %d, %.17g, "
               "MPI_COMM_WORLD);\n    MPI_Finalize();\n    return status;\n}\n",
               processes, count, seconds);
}

enum tcplan_status tcplan_distributed_emit_comparison(
    char **out, const struct tcplan_distributed *const distributed[], int count,
    struct tcplan_planner *planner, double seconds, struct tcplan_error *error) {
    struct strbuf text = {0};
    struct writing *writing[TCPLAN_DISTRIBUTED_MOST_COMPARED] = {NULL};
    char name[TCPLAN_DISTRIBUTED_MOST_COMPARED][24];
    enum tcplan_status status =
        count < 1 || count > TCPLAN_DISTRIBUTED_MOST_COMPARED
            ? error_set(error, TCPLAN_INVALID, "1 to %d algorithms are compared, not %d",
                        TCPLAN_DISTRIBUTED_MOST_COMPARED, count)
            : TCPLAN_OK;
    for (int a = 0; a < count && status == TCPLAN_OK; a++) {
        snprintf(name[a], sizeof name[a], "contract%d", a);
        writing[a] = emit_new(distributed[a], planner, name[a]);
        status = writing[a] ? emit_write_locals(writing[a], error) : error_no_memory(error);
    }
    if (status == TCPLAN_OK) write_comparison(&text, writing, count, seconds);
    for (int a = 0; a < TCPLAN_DISTRIBUTED_MOST_COMPARED; a++) emit_free(writing[a]);
    return strbuf_give(&text, out, status, error);
}
