#include "plan/advise/program.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/contraction/contraction.h"
#include "ast/scan.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"

enum { SHAPE_TEXT = 120 };

enum tcplan_status tcplan_layout_program_new(struct tcplan_layout_program **out,
                                             struct tcplan_error *error) {
    struct tcplan_layout_program *program = base_alloc_zero(1, sizeof *program);
    if (!program) return error_no_memory(error);
    *out = program;
    return TCPLAN_OK;
}

void tcplan_layout_program_free(struct tcplan_layout_program *program) {
    if (!program) return;
    for (int i = 0; i < program->item_count; i++)
        tcplan_contraction_free(program->operands[i].contraction);
    base_free(program->item);
    base_free(program->operands);
    base_free(program->tensor);
    base_free(program->kind);
    arena_free(&program->texts);
    base_free(program);
}

static int find_tensor(const struct tcplan_layout_program *program, const char *name,
                       size_t length) {
    for (int t = 0; t < program->tensor_count; t++) {
        if (strlen(program->tensor[t].name) == length &&
            memcmp(program->tensor[t].name, name, length) == 0)
            return t;
    }
    return LAYOUT_NO_TENSOR;
}

bool tcplan_layout_program_has(const struct tcplan_layout_program *program, const char *name) {
    return find_tensor(program, name, strlen(name)) != LAYOUT_NO_TENSOR;
}

enum tcplan_status tcplan_layout_program_settle(struct tcplan_layout_program *program,
                                                const char *name, struct tcplan_error *error) {
    const int t = find_tensor(program, name, strlen(name));
    if (t == LAYOUT_NO_TENSOR)
        return error_set(error, TCPLAN_INVALID, "no tensor is called '%.40s'", name);
    program->tensor[t].inner = true;
    return TCPLAN_OK;
}

/** Writes a shape as "312 x 24 x 8". */
static void print_shape(char out[SHAPE_TEXT], int rank, const int64_t extent[]) {
    int length = 0;
    out[0] = '\0';
    for (int d = 0; d < rank && length < SHAPE_TEXT - 30; d++)
        length += snprintf(out + length, (size_t)(SHAPE_TEXT - length), "%s%" PRId64,
                           d > 0 ? " x " : "", extent[d]);
    if (rank == 0) snprintf(out, SHAPE_TEXT, "a scalar");
}

static void extents_of(int64_t out[], const struct tcplan_tensor *tensor, const int64_t extent[]) {
    for (int d = 0; d < tensor->rank; d++) out[d] = extent[tensor->dims[d]];
}

static const char *order_name(enum tcplan_order order) {
    return order == TCPLAN_ROW_MAJOR ? "row-major" : "column-major";
}

/** Checks that a tensor of a new contraction agrees with the program's tensor of that name. */
static enum tcplan_status check_tensor(const struct tcplan_layout_program *program,
                                       const struct tcplan_problem *problem,
                                       const struct tcplan_tensor *tensor,
                                       struct tcplan_error *error) {
    const int t = find_tensor(program, tensor->name, strlen(tensor->name));
    if (t == LAYOUT_NO_TENSOR) return TCPLAN_OK;
    const struct tcplan_layout_tensor *known = &program->tensor[t];
    const struct layout_kind *kind = &program->kind[t];
    const char *where = program->item[kind->item].name;
    int64_t extent[TCPLAN_MAX_RANK];
    char found[SHAPE_TEXT], expected[SHAPE_TEXT];
    if (tensor->rank != known->rank) {
        return error_set(
            error, TCPLAN_INVALID,
            "tensor '%.40s' has %d dimension%s, expected %d as in '%.60s': equal names are one tensor",
            tensor->name, tensor->rank, tensor->rank == 1 ? "" : "s", known->rank, where);
    }
    extents_of(extent, tensor, problem->extent);
    if (memcmp(extent, known->extent, (size_t)known->rank * sizeof *extent) != 0) {
        print_shape(found, tensor->rank, extent);
        print_shape(expected, known->rank, known->extent);
        return error_set(
            error, TCPLAN_INVALID,
            "tensor '%.40s' is %s, expected %s as in '%.60s': equal names are one tensor",
            tensor->name, found, expected, where);
    }
    if (problem->dtype != kind->dtype) {
        return error_set(
            error, TCPLAN_INVALID,
            "tensor '%.40s' has type %c, expected %c as in '%.60s': equal names are one tensor",
            tensor->name, tcplan_dtype_letter(problem->dtype), tcplan_dtype_letter(kind->dtype),
            where);
    }
    if (problem->contraction->order != kind->order) {
        return error_set(
            error, TCPLAN_INVALID,
            "tensor '%.40s' is %s, expected %s as in '%.60s': equal names are one tensor",
            tensor->name, order_name(problem->contraction->order), order_name(kind->order), where);
    }
    return TCPLAN_OK;
}

static enum tcplan_status check(const struct tcplan_layout_program *program,
                                const struct tcplan_problem *problem, double weight,
                                struct tcplan_error *error) {
    enum tcplan_operand operand[TCPLAN_TENSORS];
    const int count = contraction_tensors(problem->contraction, operand);
    enum tcplan_status status = TCPLAN_OK;
    if (!(weight > 0) || isinf(weight))
        return error_set(error, TCPLAN_INVALID,
                         "a contraction runs %g times; expected a number above 0", weight);
    if (program->item_count == TCPLAN_LAYOUT_PROGRAM_MOST) {
        return error_set(error, TCPLAN_INVALID,
                         "more than %d contractions; a program has that many at most",
                         TCPLAN_LAYOUT_PROGRAM_MOST);
    }
    for (int n = 0; n < count && status == TCPLAN_OK; n++)
        status = check_tensor(program, problem, &problem->contraction->tensor[operand[n]], error);
    return status;
}

/** Reserves memory for one more item and its tensors. */
static bool reserve(struct tcplan_layout_program *program) {
    const size_t items = (size_t)program->item_count + 1,
                 tensors = (size_t)program->tensor_count + TCPLAN_TENSORS;
    void *item = base_realloc(program->item, items * sizeof *program->item);
    if (item) program->item = item;
    void *operands = base_realloc(program->operands, items * sizeof *program->operands);
    if (operands) program->operands = operands;
    void *tensor = base_realloc(program->tensor, tensors * sizeof *program->tensor);
    if (tensor) program->tensor = tensor;
    void *kind = base_realloc(program->kind, tensors * sizeof *program->kind);
    if (kind) program->kind = kind;
    return item && operands && tensor && kind;
}

static bool make_tensor(struct tcplan_layout_program *program, struct tcplan_layout_tensor *out,
                        const struct tcplan_problem *problem, const struct tcplan_tensor *tensor) {
    const size_t rank = (size_t)tensor->rank;
    const char **index = arena_alloc(&program->texts, (rank + 1) * sizeof *index);
    int64_t *extent = arena_alloc(&program->texts, (rank + 1) * sizeof *extent);
    const char *name = arena_strndup(&program->texts, tensor->name, strlen(tensor->name));
    bool good = index && extent && name;
    double elements = 1;
    for (int d = 0; d < tensor->rank && good; d++) {
        const char *text = problem->contraction->index[tensor->dims[d]].name;
        index[d] = arena_strndup(&program->texts, text, strlen(text));
        extent[d] = problem->extent[tensor->dims[d]];
        elements *= (double)extent[d];
        good = index[d] != NULL;
    }
    *out = (struct tcplan_layout_tensor){.name = name,
                                         .rank = tensor->rank,
                                         .free = true,
                                         .index = index,
                                         .extent = extent,
                                         .bytes = elements * (double)problem->element_bytes};
    return good;
}

/** Finds the tensor of an operand in the program, or adds it. */
static bool add_tensor(struct tcplan_layout_program *program, int *out,
                       const struct tcplan_problem *problem, const struct tcplan_tensor *tensor) {
    int t = find_tensor(program, tensor->name, strlen(tensor->name));
    if (t == LAYOUT_NO_TENSOR) {
        t = program->tensor_count;
        if (!make_tensor(program, &program->tensor[t], problem, tensor)) return false;
        program->kind[t] = (struct layout_kind){.dtype = problem->dtype,
                                                .order = problem->contraction->order,
                                                .item = program->item_count};
        program->tensor_count++;
    }
    if (tensor->strided) {
        program->tensor[t].strided = true;
        program->tensor[t].free = false;
    }
    *out = t;
    return true;
}

/** Appends a contraction that was checked. */
static bool append(struct tcplan_layout_program *program, const char *name,
                   struct tcplan_contraction *contraction, const struct tcplan_problem *problem,
                   double weight) {
    enum tcplan_operand operand[TCPLAN_TENSORS];
    const int count = contraction_tensors(contraction, operand), tensors = program->tensor_count;
    struct layout_operands operands = {.contraction = contraction};
    int64_t *extent = arena_alloc(&program->texts, sizeof problem->extent);
    const char *copy = arena_strndup(&program->texts, name, strlen(name));
    bool good = extent && copy && reserve(program);
    for (int t = 0; t < TCPLAN_TENSORS; t++) operands.tensor[t] = LAYOUT_NO_TENSOR;
    for (int n = 0; n < count && good; n++)
        good = add_tensor(program, &operands.tensor[operand[n]], problem,
                          &contraction->tensor[operand[n]]);
    if (!good) {
        program->tensor_count = tensors;
        return false;
    }
    memcpy(extent, problem->extent, sizeof problem->extent);
    program->operands[program->item_count] = operands;
    program->item[program->item_count++] = (struct tcplan_layout_item){.name = copy,
                                                                       .weight = weight,
                                                                       .dtype = problem->dtype,
                                                                       .contraction = contraction,
                                                                       .extent = extent};
    return true;
}

enum tcplan_status tcplan_layout_program_add(struct tcplan_layout_program *program,
                                             const char *name,
                                             const struct tcplan_contraction *contraction,
                                             const int64_t extent[], enum tcplan_dtype dtype,
                                             double weight, struct tcplan_error *error) {
    struct tcplan_contraction *copy = NULL;
    struct tcplan_problem problem;
    enum tcplan_status status = contraction_copy(&copy, contraction, error);
    if (status != TCPLAN_OK) return status;
    tcplan_contraction_fit_type(copy, dtype);
    status = tcplan_problem_init(&problem, copy, extent, dtype, error);
    if (status == TCPLAN_OK) status = check(program, &problem, weight, error);
    if (status == TCPLAN_OK && !append(program, name, copy, &problem, weight))
        status = error_no_memory(error);
    if (status != TCPLAN_OK) tcplan_contraction_free(copy);
    return status;
}

/** Writes "A, B and C": the tensors whose layouts may be chosen. */
static void print_names(char out[SHAPE_TEXT], const struct tcplan_layout_program *program) {
    int length = 0;
    out[0] = '\0';
    for (int t = 0; t < program->tensor_count && length < SHAPE_TEXT - 50; t++)
        length += snprintf(out + length, (size_t)(SHAPE_TEXT - length), "%s%.40s",
                           t > 0 ? ", " : "", program->tensor[t].name);
}

/** Marks the tensor with one name of a list as free to change. */
static enum tcplan_status choose(const struct tcplan_layout_program *program, bool chosen[],
                                 const char *text, size_t offset, size_t length,
                                 struct tcplan_error *error) {
    char names[SHAPE_TEXT];
    const int t = find_tensor(program, text + offset, length);
    if (t == LAYOUT_NO_TENSOR) {
        print_names(names, program);
        return error_at(error, TCPLAN_INVALID, offset, length,
                        "no tensor is called '%.*s'; expected names of %s",
                        length > 40 ? 40 : (int)length, text + offset, names);
    }
    if (program->tensor[t].strided) {
        return error_at(
            error, TCPLAN_INVALID, offset, length,
            "tensor '%.40s' has strides, so it is part of a larger array: its layout cannot change",
            program->tensor[t].name);
    }
    if (chosen[t])
        return error_at(error, TCPLAN_INVALID, offset, length, "tensor '%.40s' is named twice",
                        program->tensor[t].name);
    chosen[t] = true;
    return TCPLAN_OK;
}

/* names = name { "," name }; blanks around a name are skipped */
enum tcplan_status tcplan_layout_program_choose(struct tcplan_layout_program *program,
                                                const char *names, struct tcplan_error *error) {
    bool *chosen = base_alloc_zero((size_t)program->tensor_count + 1, sizeof *chosen);
    enum tcplan_status status = chosen ? TCPLAN_OK : error_no_memory(error);
    for (size_t at = 0; status == TCPLAN_OK;) {
        at += strspn(names + at, " \t");
        size_t length = strcspn(names + at, ",");
        const size_t next = at + length;
        while (length > 0 && (names[at + length - 1] == ' ' || names[at + length - 1] == '\t'))
            length--;
        status = choose(program, chosen, names, at, length, error);
        if (names[next] == '\0') break;
        at = next + 1;
    }
    for (int t = 0; status == TCPLAN_OK && t < program->tensor_count; t++)
        program->tensor[t].free = chosen[t];
    base_free(chosen);
    return status;
}

struct layout_term program_term(const struct tcplan_layout_program *program, int item) {
    struct layout_term term = {0};
    for (int o = 0; o < TCPLAN_TENSORS; o++) {
        const int tensor = program->operands[item].tensor[o];
        bool known = tensor == LAYOUT_NO_TENSOR;
        for (int n = 0; n < term.tensor_count; n++) known = known || term.tensor[n] == tensor;
        if (!known) term.tensor[term.tensor_count++] = tensor;
    }
    return term;
}

double program_copies(const struct tcplan_layout_program *program, int tensor) {
    double copies = 0;
    for (int i = 0; i < program->item_count; i++) {
        const int *is = program->operands[i].tensor;
        const bool read =
            is[TCPLAN_A] == tensor || is[TCPLAN_B] == tensor || is[TCPLAN_ADDEND] == tensor ||
            (is[TCPLAN_C] == tensor && contraction_added(program->item[i].contraction) == TCPLAN_C);
        copies += program->item[i].weight * (read + (is[TCPLAN_C] == tensor));
    }
    return copies;
}

/** Returns the contraction with permuted dimensions, for printing; names are borrowed. */
static struct tcplan_contraction permuted(const struct tcplan_layout_program *program, int item,
                                          const struct layout layout[]) {
    struct tcplan_contraction out = *program->item[item].contraction;
    for (int o = 0; o < TCPLAN_TENSORS; o++) {
        const int t = program->operands[item].tensor[o];
        if (t == LAYOUT_NO_TENSOR) continue;
        for (int d = 0; d < out.tensor[o].rank; d++)
            out.tensor[o].dims[d] =
                program->item[item].contraction->tensor[o].dims[layout[t].dim[d]];
    }
    return out;
}

char *program_formula(const struct tcplan_layout_program *program, int item,
                      const struct layout layout[]) {
    const struct tcplan_contraction contraction = permuted(program, item, layout);
    return tcplan_contraction_text(&contraction);
}

/** Sets properties of a contraction that the notation cannot express. */
static enum tcplan_status finish(struct tcplan_contraction *contraction,
                                 const struct tcplan_contraction *from, enum tcplan_dtype dtype,
                                 struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    tcplan_contraction_fit_type(contraction, dtype);
    for (int o = 0; o < TCPLAN_TENSORS && status == TCPLAN_OK; o++) {
        if (from->tensor[o].strided)
            status = tcplan_contraction_set_strides(contraction, (enum tcplan_operand)o,
                                                    from->tensor[o].stride, error);
    }
    return status;
}

/** Sets the extents of a contraction's indices from another contraction, by name. */
static void extents_by_name(int64_t out[], const struct tcplan_contraction *contraction,
                            const struct tcplan_layout_item *item) {
    for (int i = 0; i < contraction->index_count; i++) {
        for (int j = 0; j < item->contraction->index_count; j++) {
            if (strcmp(contraction->index[i].name, item->contraction->index[j].name) == 0)
                out[i] = item->extent[j];
        }
    }
}

enum tcplan_status program_relay(struct tcplan_problem *out,
                                 struct tcplan_contraction **contraction,
                                 const struct tcplan_layout_program *program, int item,
                                 const struct layout layout[], struct tcplan_error *error) {
    const struct tcplan_layout_item *from = &program->item[item];
    int64_t extent[TCPLAN_MAX_INDICES] = {0};
    struct tcplan_contraction *relaid = NULL;
    char *text = program_formula(program, item, layout);
    if (!text) return error_no_memory(error);
    enum tcplan_status status =
        tcplan_contraction_parse(&relaid, text, from->contraction->order, error);
    free(text);
    if (status == TCPLAN_OK) status = finish(relaid, from->contraction, from->dtype, error);
    if (status == TCPLAN_OK) {
        extents_by_name(extent, relaid, from);
        status = tcplan_problem_init(out, relaid, extent, from->dtype, error);
    }
    if (status == TCPLAN_OK) {
        *contraction = relaid;
    } else {
        tcplan_contraction_free(relaid);
    }
    return status;
}

char *program_tensor_text(const struct tcplan_layout_program *program, int tensor,
                          const struct layout *layout) {
    const struct tcplan_layout_tensor *is = &program->tensor[tensor];
    struct strbuf out = {0};
    bool letters = !strchr(is->name, '_');
    for (int d = 0; d < is->rank; d++)
        letters = letters && scan_is_letter(is->index[d][0]) && is->index[d][1] == '\0';
    strbuf_add(&out, "%s%s", is->name, is->rank == 0 ? "" : letters ? "_" : "[");
    for (int d = 0; d < is->rank; d++)
        strbuf_add(&out, "%s%s", d > 0 && !letters ? "," : "", is->index[layout->dim[d]]);
    if (is->rank > 0 && !letters) strbuf_add(&out, "]");
    return strbuf_finish(&out);
}
