/*
 * Emits C for an expression: a static function for each product, from the emitter of block-sparse
 * products, and a function that calls them with the blocks of intermediate results. The
 * intermediate results lie one after the other in a workspace.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "blocks/emit.h"
#include "blocks/expression.h"
#include "gen/emit/interface.h"
#include "gen/emit/template_text.h"
#include "tcplan/version.h"

/** State of the writer. */
struct expression_writing {
    const struct tcplan_block_expression *expression;
    const char *function;
    const char *element; /**< element type in C */
    struct emit_joined steps;
};

/** Returns the parameter name of a tensor, A to I; the result comes after the factors. */
static char parameter_of(int tensor) {
    return (char)('A' + tensor);
}

/** Returns the product that reads a given tensor or computes the result, and which of its operands
 * the tensor is. */
static const struct tcplan_block_product *product_with(
    const struct tcplan_block_expression *expression, int tensor, enum tcplan_operand *operand) {
    *operand = TCPLAN_C;
    for (int s = 0; s < expression->count - 1 && tensor < expression->count; s++)
        for (int f = 0; f < 2; f++)
            if (expression->step[s].shown.factor[f] == tensor) {
                *operand = (enum tcplan_operand)f;
                return expression->step[s].product;
            }
    return expression->step[expression->count - 2].product;
}

/** Returns the product that reads a factor, or that computes an intermediate or the result, and
 * which of its operands the tensor is. Tensors are numbered: factors first, then results of
 * products. */
static const struct tcplan_block_product *product_with_tensor(
    const struct tcplan_block_expression *expression, int tensor, enum tcplan_operand *operand) {
    if (tensor < expression->count) return product_with(expression, tensor, operand);
    *operand = TCPLAN_C;
    return expression->step[tensor - expression->count].product;
}

/** Returns the number of the step that computes a product, from 1. */
static int step_of(const struct tcplan_block_expression *expression,
                   const struct tcplan_block_product *product) {
    int step = 0;
    while (expression->step[step].product != product) step++;
    return step + 1;
}

/* The following functions write parts of the text. */

/** Adds the parameters `const double *const A[], ..., double *const C[]`; for `buffers`,
 * `const double *A, ..., double *C`. */
static void add_parameters(struct strbuf *out, const struct expression_writing *writing,
                           const char *element, bool buffers) {
    const int count = writing->expression->count;
    const int in_line = buffers ? 4 : 2;
    for (int t = 0; t <= count; t++)
        strbuf_add(out, "%s%s%s *%s%c%s",
                   t == 0             ? ""
                   : t % in_line == 0 ? ",\n    "
                                      : ", ",
                   t < count ? "const " : "", element, buffers ? "" : "const ", parameter_of(t),
                   buffers ? "" : "[]");
}

static void add_comment(struct strbuf *out, const struct expression_writing *writing, bool code) {
    const struct tcplan_block_expression *expression = writing->expression;
    struct strbuf facts = {0};
    strbuf_add(
        &facts,
        "product of %d block-sparse tensors\ntype: %s\n\n%s() takes an array of pointers to "
        "blocks for each tensor, %s_buffers() a buffer with its\nblocks one after the other; "
        "the result comes last. Blocks of each tensor, with their section\nnumbers, in this "
        "order:\n\n",
        expression->count, writing->element, writing->function, writing->function);
    for (int t = 0; t <= expression->count; t++) {
        enum tcplan_operand operand;
        const struct tcplan_block_product *product = product_with(expression, t, &operand);
        strbuf_add(&facts, "  %c", parameter_of(t));
        if (expression->name[t]) strbuf_add(&facts, " = %s", expression->name[t]);
        block_add_list(&facts, product, operand);
    }
    strbuf_add(&facts, "\nProducts, in this order:\n\n");
    for (int s = 0; s < expression->count - 1; s++) {
        const struct tcplan_block_step *step = &expression->step[s].shown;
        strbuf_add(&facts, "  %d = ", s + 1);
        for (int f = 0; f < 2; f++) {
            if (step->factor[f] < expression->count)
                strbuf_add(&facts, "%c", parameter_of(step->factor[f]));
            else
                strbuf_add(&facts, "%d", step->factor[f] - expression->count + 1);
            if (f == 0) strbuf_add(&facts, " * ");
        }
        strbuf_add(&facts, ": %" PRId64 " pairs of blocks, %s\n",
                   tcplan_block_product_pairs(step->product), tcplan_block_plan_way(step->plan));
    }
    if (expression->step[0].plan->threads > 1)
        strbuf_add(&facts, "\nProducts that are large enough are planned for %d threads.\n",
                   expression->step[0].plan->threads);
    strbuf_add(&facts,
               "\nReturns 0, or ENOMEM when an allocation fails; some blocks of the "
               "result may then be computed\nalready.\n\nEmitted by tcplan %s.\n",
               TCPLAN_VERSION_STRING);
    if (code) emit_joined_link(&facts, &writing->steps);
    char *text = strbuf_finish(&facts);
    if (text) emit_comment(out, text);
    out->failed = out->failed || !text;
    free(text);
}

/** Adds the code of each product as a static function. */
static enum tcplan_status add_steps(struct expression_writing *writing, bool with_main,
                                    struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < writing->expression->count - 1 && status == TCPLAN_OK; s++) {
        struct strbuf name = {0};
        char *text = NULL;
        strbuf_add(&name, "%s_step%d", writing->function, s + 1);
        if (name.failed) return error_no_memory(error);
        status =
            block_emit_part(&text, writing->expression->step[s].plan, name.text, with_main, error);
        if (status == TCPLAN_OK) status = emit_joined_add(&writing->steps, text, name.text, error);
        free(text);
        strbuf_free(&name);
    }
    return status;
}

/** Adds the statements that set the pointers to the blocks of the intermediate results. */
static void add_pointers(struct strbuf *out, const struct expression_writing *writing) {
    const struct tcplan_block_expression *expression = writing->expression;
    int64_t elements = 0, blocks = 0;
    for (int s = 0; s < expression->count - 2; s++) {
        elements += block_buffer_elements(expression->step[s].product, TCPLAN_C, NULL);
        blocks += expression->step[s].product->tensor[TCPLAN_C].count;
    }
    strbuf_add(out,
               "    %s *workspace = malloc((%" PRId64 " + 1) * sizeof *workspace);\n"
               "    %s **block = malloc((%" PRId64 " + 1) * sizeof *block);\n"
               "    int status = workspace && block ? 0 : ENOMEM;\n",
               writing->element, elements, writing->element, blocks);
    elements = blocks = 0;
    for (int s = 0; s < expression->count - 2; s++) {
        const struct tcplan_block_product *product = expression->step[s].product;
        strbuf_add(out,
                   "    for (int n = 0; n < %" PRId64 " && !status; n++)\n"
                   "        block[%" PRId64 " + n] = workspace + %" PRId64
                   " + %s_step%d_offset_C[n];\n",
                   product->tensor[TCPLAN_C].count, blocks, elements, writing->function, s + 1);
        elements += block_buffer_elements(product, TCPLAN_C, NULL);
        blocks += product->tensor[TCPLAN_C].count;
    }
}

/** Adds the blocks of a tensor as an argument of a call. */
static void add_argument(struct strbuf *out, const struct expression_writing *writing, int tensor) {
    const struct tcplan_block_expression *expression = writing->expression;
    int64_t blocks = 0;
    if (tensor < expression->count) {
        strbuf_add(out, "%c", parameter_of(tensor));
        return;
    }
    for (int s = 0; s < tensor - expression->count; s++)
        blocks += expression->step[s].product->tensor[TCPLAN_C].count;
    if (tensor == 2 * expression->count - 2)
        strbuf_add(out, "%c", parameter_of(expression->count));
    else
        strbuf_add(out, "block + %" PRId64, blocks);
}

/** Adds the function whose arguments are pointers to blocks. */
static void add_function(struct strbuf *out, const struct expression_writing *writing) {
    const struct tcplan_block_expression *expression = writing->expression;
    strbuf_add(out, "int %s(", writing->function);
    add_parameters(out, writing, writing->element, false);
    strbuf_add(out, ") {\n");
    add_pointers(out, writing);
    for (int s = 0; s < expression->count - 1; s++) {
        const struct tcplan_block_step *step = &expression->step[s].shown;
        strbuf_add(out, "    if (!status) status = %s_step%d(", writing->function, s + 1);
        for (int f = 0; f < 2; f++) {
            const bool is_made = step->factor[f] >= expression->count;
            if (is_made) strbuf_add(out, "(const %s *const *)(", writing->element);
            add_argument(out, writing, step->factor[f]);
            strbuf_add(out, is_made ? "), " : ", ");
        }
        add_argument(out, writing, step->result);
        strbuf_add(out, ");\n");
    }
    strbuf_add(out, "    free(block);\n    free(workspace);\n    return status;\n}\n\n");
}
/** Adds the function whose arguments are buffers with all blocks of a tensor. */
static void add_buffers(struct strbuf *out, const struct expression_writing *writing) {
    const struct tcplan_block_expression *expression = writing->expression;
    int64_t blocks = 0, first = 0;
    strbuf_add(out, "int %s_buffers(", writing->function);
    add_parameters(out, writing, writing->element, true);
    for (int t = 0; t < expression->count; t++) {
        enum tcplan_operand operand;
        blocks += product_with(expression, t, &operand)->tensor[operand].count;
    }
    strbuf_add(out,
               ") {\n"
               "    const %s **factor = malloc((%" PRId64 " + 1) * sizeof *factor);\n"
               "    %s **result = malloc((%" PRId64 " + 1) * sizeof *result);\n"
               "    int status = factor && result ? 0 : ENOMEM;\n",
               writing->element, blocks, writing->element,
               expression->step[expression->count - 2].product->tensor[TCPLAN_C].count);
    for (int t = 0; t <= expression->count; t++) {
        enum tcplan_operand operand;
        const struct tcplan_block_product *product = product_with(expression, t, &operand);
        strbuf_add(out, "    for (int n = 0; n < %" PRId64 " && !status; n++)\n        ",
                   product->tensor[operand].count);
        if (t < expression->count)
            strbuf_add(out, "factor[%" PRId64 " + n]", first);
        else
            strbuf_add(out, "result[n]");
        strbuf_add(out, " = %c + %s_step%d_offset_%c[n];\n", parameter_of(t), writing->function,
                   step_of(expression, product), "ABC"[operand]);
        first += product->tensor[operand].count;
    }
    strbuf_add(out, "    if (!status)\n        status = %s(", writing->function);
    first = 0;
    for (int t = 0; t < expression->count; t++) {
        enum tcplan_operand operand;
        strbuf_add(out, "factor + %" PRId64 ", ", first);
        first += product_with(expression, t, &operand)->tensor[operand].count;
    }
    strbuf_add(out, "result);\n    free(factor);\n    free(result);\n    return status;\n}\n");
}

/* The driver. */

/** Adds, to the driver, the number of blocks and of elements of each tensor. */
static void add_tensor_sizes(struct strbuf *out, const struct expression_writing *writing) {
    const struct tcplan_block_expression *expression = writing->expression;
    for (int t = 0; t < 2 * expression->count - 1; t++) {
        enum tcplan_operand operand;
        const struct tcplan_block_product *product = product_with_tensor(expression, t, &operand);
        strbuf_add(out, "    {%" PRId64 ", %" PRId64 "},\n", product->tensor[operand].count,
                   block_buffer_elements(product, operand, NULL));
    }
}

/** Adds the statements that set pointers to the blocks of all tensors. */
static void add_all_pointers(struct strbuf *out, const struct expression_writing *writing) {
    const struct tcplan_block_expression *expression = writing->expression;
    for (int t = 0; t < 2 * expression->count - 1; t++) {
        enum tcplan_operand operand;
        const struct tcplan_block_product *product = product_with_tensor(expression, t, &operand);
        strbuf_add(out,
                   "    for (int n = 0; n < %" PRId64 "; n++)\n"
                   "        block[%d][n] = tensor[%d] + %s_step%d_offset_%c[n];\n",
                   product->tensor[operand].count, t, t, writing->function,
                   step_of(expression, product), "ABC"[operand]);
    }
}

/** Sets the values of the timing code, and the arguments of the calls. */
static void add_call_values(struct template_values *values,
                            const struct expression_writing *writing) {
    const int count = writing->expression->count;
    struct strbuf *out = template_value(values, "parameters");
    add_parameters(out, writing, writing->element, false);
    template_value(values, "arguments");
    for (int t = 0; t <= count; t++) strbuf_add(out, "%s%c", t > 0 ? ", " : "", parameter_of(t));
    template_value(values, "tensors");
    for (int t = 0; t < count; t++)
        strbuf_add(out, "(const %s *const *)block[%d], ", writing->element, t);
    strbuf_add(out, "block[%d]", 2 * count - 2);
    template_value(values, "buffers");
    for (int t = 0; t < count; t++) strbuf_add(out, "tensor[%d], ", t);
    strbuf_add(out, "made");
}

/** Adds the statements that execute and check each product. */
static void add_checks(struct strbuf *out, const struct expression_writing *writing) {
    const struct tcplan_block_expression *expression = writing->expression;
    for (int s = 0; s < expression->count - 1; s++) {
        const struct tcplan_block_step *step = &expression->step[s].shown;
        strbuf_add(out,
                   "    if (%s_step%d((const %s *const *)block[%d], (const %s *const *)block[%d], "
                   "block[%d]))\n        return %s_out_of_memory();\n",
                   writing->function, s + 1, writing->element, step->factor[0], writing->element,
                   step->factor[1], step->result, writing->function);
        strbuf_add(out,
                   "    for (int c = 0; c < %s_sizes[%d].blocks && %s_now() - start < %d; c++) {\n"
                   "        const double error = %s_step%d_check(c, tensor[%d], tensor[%d], "
                   "tensor[%d], before);\n"
                   "        if (error < 0.0) return %s_out_of_memory();\n"
                   "        if (!(error <= worst)) worst = error;\n"
                   "        checked++;\n"
                   "    }\n",
                   writing->function, step->result, writing->function, s + 1, writing->function,
                   s + 1, step->factor[0], step->factor[1], step->result, writing->function);
    }
}

static void add_driver(struct strbuf *out, const struct expression_writing *writing) {
    const struct tcplan_block_expression *expression = writing->expression;
    const struct tcplan_block_product *last = expression->step[expression->count - 2].product;
    const enum tcplan_dtype dtype = last->dtype;
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    struct template_values values = {0};
    double flops = 0;
    int64_t blocks = 0;
    for (int s = 0; s < expression->count - 1; s++) {
        flops += tcplan_block_product_flops(expression->step[s].product);
        blocks += expression->step[s].product->tensor[TCPLAN_C].count;
    }
    strbuf_add(template_value(&values, "function"), "%s", writing->function);
    strbuf_add(template_value(&values, "element"), "%s", writing->element);
    strbuf_add(template_value(&values, "magnitude"), "%s",
               tcplan_dtype_is_complex(dtype) ? "cabs" : "fabs");
    strbuf_add(template_value(&values, "check_seconds"), "%d", expression->count);
    strbuf_add(template_value(&values, "tensor_count"), "%d", 2 * expression->count - 1);
    strbuf_add(template_value(&values, "all_blocks"), "%" PRId64, blocks);
    strbuf_add(template_value(&values, "allowed"), "%s", is_single ? "1e-3" : "1e-11");
    strbuf_add(template_value(&values, "flops"), "%.17g", flops);
    add_tensor_sizes(template_value(&values, "sizes"), writing);
    add_all_pointers(template_value(&values, "pointers"), writing);
    add_checks(template_value(&values, "checks"), writing);
    add_call_values(&values, writing);
    strbuf_add(template_value(&values, "set_threads"),
               "    if (openblas_set_num_threads) openblas_set_num_threads(%d);\n",
               expression->step[0].plan->threads);
    block_write_values(out, &values, dtype);
    strbuf_add(out, "\n");
    template_add(out, &values, block_time_text);
    strbuf_add(out, "\n");
    template_add(out, &values, block_steps_driver_text);
    template_free(&values);
}

/* The whole text. */

static enum tcplan_status begin(struct expression_writing *out,
                                const struct tcplan_block_expression *expression,
                                const char *function, struct tcplan_error *error) {
    if (!expression) return error_set(error, TCPLAN_INVALID, "expected an expression, found NULL");
    *out = (struct expression_writing){.expression = expression,
                                       .function = function ? function : "contract",
                                       .element = emit_type(expression->step[0].product->dtype)};
    for (int s = 0; s < expression->count - 1; s++)
        for (int t = 0; t < TCPLAN_OPERANDS; t++)
            if (block_buffer_elements(expression->step[s].product, (enum tcplan_operand)t, NULL) <
                0)
                return error_set(error, TCPLAN_OVERFLOW,
                                 "the blocks of a tensor have too many elements");
    return emit_check_name(out->function, error);
}

enum tcplan_status tcplan_block_expression_emit(char **out,
                                                const struct tcplan_block_expression *expression,
                                                const struct tcplan_block_emit_options *options,
                                                struct tcplan_error *error) {
    static const struct tcplan_block_emit_options none = {0};
    struct expression_writing writing;
    struct strbuf text = {0};
    if (!options) options = &none;
    enum tcplan_status status = begin(&writing, expression, options->function, error);
    if (status != TCPLAN_OK) return status;
    status = add_steps(&writing, options->with_main, error);
    if (status == TCPLAN_OK) {
        add_comment(&text, &writing, true);
        block_add_includes(&text, expression->step[0].product->dtype, options->with_main);
        strbuf_add(&text, "\n");
        if (options->header) strbuf_add(&text, "#include \"%s\"\n\n", options->header);
        if (options->with_main) emit_blas_threads(&text);
        strbuf_append(&text, writing.steps.functions.text, writing.steps.functions.length);
        add_function(&text, &writing);
        add_buffers(&text, &writing);
        if (options->with_main) {
            strbuf_add(&text, "\n");
            add_driver(&text, &writing);
        }
    }
    emit_joined_free(&writing.steps);
    emit_drop_repeats(&text);
    return strbuf_give(&text, out, status, error);
}

enum tcplan_status tcplan_block_expression_emit_header(
    char **out, const struct tcplan_block_expression *expression, const char *function,
    struct tcplan_error *error) {
    struct expression_writing writing;
    struct strbuf text = {0}, type = {0};
    const enum tcplan_status status = begin(&writing, expression, function, error);
    if (status != TCPLAN_OK) return status;
    add_comment(&text, &writing, false);
    emit_header_begin(&text, &type, writing.function, expression->step[0].product->dtype, "");
    for (int buffers = 0; buffers < 2 && type.text; buffers++) {
        strbuf_add(&text, "int %s%s(", writing.function, buffers ? "_buffers" : "");
        add_parameters(&text, &writing, type.text, buffers);
        strbuf_add(&text, ");\n");
    }
    emit_header_end(&text);
    strbuf_free(&type);
    return strbuf_give(&text, out, TCPLAN_OK, error);
}
