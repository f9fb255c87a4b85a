/*
 * An emitted expression is the text of distributed/runtime, the plan and the local products of each
 * step, a list of the steps, and one function that executes them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "distributed/emit.h"
#include "distributed/network.h"
#include "distributed/runtime_text.h"
#include "gen/emit/text.h"

enum { NAME_CHARS = 32 };

/** State of writing the program of an expression. */
struct program {
    const struct tcplan_distributed_network *network;
    const struct network_algorithm *algorithm;
    int number, steps,
        inputs; /* number of the algorithm; counts of its steps and of the input tensors */
    const char *function;
    struct writing **writing;        /* state of writing each step */
    char (*prefix)[NAME_CHARS + 96]; /* prefix of the names that belong to each step */
    char (*parameter)[NAME_CHARS];   /* parameter of each input tensor, then of the result */
};

static const struct tcplan_network *network_of(const struct program *program) {
    return program->network->expression.network;
}

/** Names the parameters like the tensors or, if such a name has another meaning in the function,
 * operand1, operand2, ... */
static void name_parameters(struct program *program) {
    static const char *const own[] = {"comm", "key", "processes", "run", "tensor"};
    const struct tcplan_network *network = network_of(program);
    for (int t = 0; t <= program->inputs; t++) {
        const char *name =
            t < program->inputs ? network->operand[network->tensor[t]].name : network->result.name;
        bool is_free = strlen(name) < NAME_CHARS && emit_is_free_operand(name) &&
                       strncmp(name, "operand", strlen("operand")) != 0 &&
                       strcmp(name, program->function) != 0;
        for (size_t n = 0; n < sizeof own / sizeof *own; n++)
            is_free = is_free && strcmp(name, own[n]) != 0;
        if (is_free) {
            snprintf(program->parameter[t], NAME_CHARS, "%s", name);
        } else {
            snprintf(program->parameter[t], NAME_CHARS, "operand%d", t + 1);
        }
    }
}

/* Text. */

static void add_head(struct strbuf *out, const struct program *program) {
    const struct tcplan_distributed_network *network = program->network;
    char *order = tcplan_tree_text(program->algorithm->tree);
    struct strbuf links = {0};
    strbuf_add(out, "/*\n * %s\n * on %d processes, algorithms %s\n *\n", order ? order : "",
               network->processes, program->algorithm->name);
    free(order);
    for (int t = 0; t <= program->inputs; t++) {
        enum tcplan_operand operand;
        const struct tcplan_distributed *holder =
            network_holder(network, program->number, t, &operand);
        emit_add_layout(out, holder, operand);
    }
    for (int s = 0; s < program->steps; s++) emit_merge_links(&links, program->writing[s]);
    strbuf_add(
        out,
        " *\n * Ranks number a grid in row-major order. An extent n in p blocks has n %% p\n"
        " * blocks of n / p + 1 elements, then blocks of n / p. If /b follows the axis, blocks of b\n"
        " * elements are dealt to its processes in turn.\n *\n"
        " * Compile with mpicc -std=c11 -O2; link: %s\n */\n",
        links.text ? links.text : "");
    strbuf_free(&links);
}

/** Appends the list of the steps. */
static void add_steps(struct strbuf *out, const struct program *program) {
    strbuf_add(out, "static const struct dist_step %s_step[] = {", program->function);
    for (int s = 0; s < program->steps; s++)
        strbuf_add(out, "%s\n    {&%s_plan, %s_local, {%d, %d}}", s > 0 ? "," : "",
                   program->prefix[s], program->prefix[s], program->algorithm->step[s].operand[0],
                   program->algorithm->step[s].operand[1]);
    strbuf_add(out, "};\nstatic const struct dist_steps %s_steps = {%d, %d, %s_step};\n\n",
               program->function, program->inputs, program->steps, program->function);
}

static void add_function(struct strbuf *out, const struct program *program) {
    const char *type = emit_type(program->network->expression.dtype);
    strbuf_add(out, "int %s(MPI_Comm comm, ", program->function);
    for (int t = 0; t < program->inputs; t++)
        strbuf_add(out, "const %s *%s, ", type, program->parameter[t]);
    strbuf_add(out,
               "%s *%s) {\n    static int key = MPI_KEYVAL_INVALID;\n    int processes;\n"
               "    MPI_Comm_size(comm, &processes);\n    if (processes != %d) return EINVAL;\n"
               "    struct dist_steps_run *run = dist_steps_of(&key, &%s_steps, comm);\n"
               "    const void *const tensor[] = {",
               type, program->parameter[program->inputs], program->network->processes,
               program->function);
    for (int t = 0; t < program->inputs; t++)
        strbuf_add(out, "%s%s", t > 0 ? ", " : "", program->parameter[t]);
    strbuf_add(out, "};\n    return run ? dist_steps_execute(run, tensor, %s) : ENOMEM;\n}\n",
               program->parameter[program->inputs]);
}

/** Appends the dimensions of a tensor, the contiguous one first. */
static void add_dimensions(struct strbuf *out, const struct program *program, int number,
                           const struct tcplan_network_operand *operand) {
    const bool reversed = network_of(program)->order == TCPLAN_ROW_MAJOR;
    strbuf_add(out, "static const int %s_dims%d[] = {", program->function, number);
    for (int d = 0; d < operand->rank; d++)
        strbuf_add(out, "%s%d", d > 0 ? ", " : "",
                   operand->dims[reversed ? operand->rank - 1 - d : d]);
    strbuf_add(out, "%s};\n", operand->rank == 0 ? "0" : "");
}

/** Appends the expression, for the check. */
static void add_checked(struct strbuf *out, const struct program *program) {
    const struct tcplan_network *network = network_of(program);
    const struct tcplan_scalar alpha = network->term[0].factor;
    const char *function = program->function;
    for (int f = 0; f < network->operand_count; f++)
        add_dimensions(out, program, f, &network->operand[f]);
    add_dimensions(out, program, network->operand_count, &network->result);
    strbuf_add(out, "static const struct dist_factor %s_factor[] = {", function);
    for (int f = 0; f < network->operand_count; f++)
        strbuf_add(out, "\n    {%d, %d, %s, %s_dims%d},", network->operand[f].tensor,
                   network->operand[f].rank, network->operand[f].conjugated ? "true" : "false",
                   function, f);
    strbuf_add(out, "\n    {%d, %d, false, %s_dims%d}};\nstatic const int64_t %s_extent[] = {",
               program->inputs, network->result.rank, function, network->operand_count, function);
    for (int i = 0; i < network->index_count; i++)
        strbuf_add(out, "%s%" PRId64, i > 0 ? ", " : "", program->network->expression.extent[i]);
    strbuf_add(out,
               "%s};\nstatic int %s_erased(MPI_Comm comm, const void *const tensor[], void *result)"
               " {\n    return %s(comm, ",
               network->index_count == 0 ? "0" : "", function, function);
    for (int t = 0; t < program->inputs; t++) strbuf_add(out, "tensor[%d], ", t);
    strbuf_add(out,
               "result);\n}\n\nstatic const struct dist_steps_checked %s_checked = {\n"
               "    &%s_steps, %s_erased, %d, %d, %s_extent, %s_factor, {%.17g, %.17g}};\n\n",
               function, function, function, network->index_count, network->operand_count, function,
               function, alpha.re, alpha.im);
}

static void add_main(struct strbuf *out, const struct program *program) {
    const int processes = program->network->processes;
    strbuf_add(out, "\n");
    emit_add_runtime(out, check_text);
    emit_add_runtime(out, steps_check_text);
    add_checked(out, program);
    emit_add_main_begin(out, processes);
    strbuf_add(out,
               "    const int status =\n        processes != %d || dist_steps_check(&%s_checked, "
               "MPI_COMM_WORLD);\n    MPI_Finalize();\n    return status;\n}\n",
               processes, program->function);
}

/* Programs. */

static void program_free(struct program *program) {
    for (int s = 0; program->writing && s < program->steps; s++) emit_free(program->writing[s]);
    base_free(program->writing);
    base_free(program->prefix);
    base_free(program->parameter);
}

/** Plans and writes the local products of all steps. */
static enum tcplan_status program_begin(struct program *program, struct tcplan_planner *planner,
                                        struct tcplan_error *error) {
    const size_t steps = (size_t)program->steps;
    program->writing =
        base_alloc_zero(steps, sizeof *program->writing); /* NOLINT(bugprone-sizeof-expression):
                                                             an array of pointers */
    program->prefix = base_alloc_zero(steps, sizeof *program->prefix);
    program->parameter = base_alloc_zero((size_t)program->inputs + 1, sizeof *program->parameter);
    if (!program->writing || !program->prefix || !program->parameter) return error_no_memory(error);
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < program->steps && status == TCPLAN_OK; s++) {
        snprintf(program->prefix[s], sizeof program->prefix[s], "%.80s_step%d", program->function,
                 s + 1);
        program->writing[s] =
            emit_new(program->algorithm->step[s].planned, planner, program->prefix[s]);
        status = program->writing[s] ? emit_write_locals(program->writing[s], error)
                                     : error_no_memory(error);
    }
    name_parameters(program);
    return status;
}

/** Appends the code that differs between algorithms and follows the runtime. */
static void add_algorithm(struct strbuf *out, const struct program *program) {
    for (int s = 0; s < program->steps; s++) emit_add_plan(out, program->writing[s]);
    add_steps(out, program);
    add_function(out, program);
}

static void program_write(struct strbuf *out, const struct program *program, bool with_main) {
    add_head(out, program);
    strbuf_add(out, "%s", emit_headers);
    for (int s = 0; s < program->steps; s++) emit_add_locals(out, program->writing[s]);
    emit_add_runtime(out, shape_text);
    emit_add_runtime(out, execute_text);
    emit_add_runtime(out, steps_text);
    add_algorithm(out, program);
    if (with_main) add_main(out, program);
}

static struct program program_of(const struct tcplan_distributed_network *network, int algorithm,
                                 const char *function) {
    return (struct program){.network = network,
                            .algorithm = &network->algorithm[algorithm],
                            .number = algorithm,
                            .steps = network->algorithm[algorithm].tree->step_count,
                            .inputs = network->expression.network->tensor_count,
                            .function = function};
}

enum tcplan_status tcplan_distributed_network_emit(char **out,
                                                   const struct tcplan_distributed_network *network,
                                                   int algorithm, struct tcplan_planner *planner,
                                                   const char *function, bool with_main,
                                                   struct tcplan_error *error) {
    struct program program = program_of(network, algorithm, function ? function : "contract");
    struct strbuf text = {0};
    const enum tcplan_status status = program_begin(&program, planner, error);
    if (status == TCPLAN_OK) program_write(&text, &program, with_main);
    program_free(&program);
    return strbuf_give(&text, out, status, error);
}

/* Comparisons. */

/** Writes the functions of all algorithms, then the program that compares them. */
static void write_comparison(struct strbuf *out, const struct program program[], int count,
                             double seconds) {
    const int processes = program[0].network->processes;
    struct strbuf links = {0};
    for (int a = 0; a < count; a++) {
        for (int s = 0; s < program[a].steps; s++) emit_merge_links(&links, program[a].writing[s]);
    }
    strbuf_add(out, "/* link: %s */\n%s", links.text ? links.text : "", emit_headers);
    strbuf_free(&links);
    for (int a = 0; a < count; a++) {
        for (int s = 0; s < program[a].steps; s++) emit_add_locals(out, program[a].writing[s]);
    }
    emit_add_runtime(out, shape_text);
    emit_add_runtime(out, execute_text);
    emit_add_runtime(out, steps_text);
    emit_add_runtime(out, check_text);
    emit_add_runtime(out, steps_check_text);
    emit_add_runtime(out, count_text);
    emit_add_runtime(out, steps_compare_text);
    for (int a = 0; a < count; a++) {
        add_algorithm(out, &program[a]);
        add_checked(out, &program[a]);
    }
    emit_add_main_begin(out, processes);
    strbuf_add(out, "    const struct dist_steps_checked *const checked[] = {");
    for (int a = 0; a < count; a++)
        strbuf_add(out, "%s&%s_checked", a > 0 ? ", " : "", program[a].function);
    strbuf_add(out,
               "};\n    const int status = processes != %d || dist_steps_compare(checked, %d, "
               "%.17g, MPI_COMM_WORLD);\n    MPI_Finalize();\n    return status;\n}\n",
               processes, count, seconds);
}

enum tcplan_status tcplan_distributed_network_emit_comparison(
    char **out, const struct tcplan_distributed_network *network, int count,
    struct tcplan_planner *planner, double seconds, struct tcplan_error *error) {
    struct strbuf text = {0};
    struct program program[TCPLAN_DISTRIBUTED_MOST_COMPARED] = {{.steps = 0}};
    char name[TCPLAN_DISTRIBUTED_MOST_COMPARED][24];
    enum tcplan_status status =
        count < 1 || count > network->count || count > TCPLAN_DISTRIBUTED_MOST_COMPARED
            ? error_set(error, TCPLAN_INVALID, "1 to %d algorithms are compared, not %d",
                        TCPLAN_DISTRIBUTED_MOST_COMPARED, count)
            : TCPLAN_OK;
    int begun = 0;
    for (; begun < count && status == TCPLAN_OK; begun++) {
        snprintf(name[begun], sizeof name[begun], "contract%d", begun);
        program[begun] = program_of(network, begun, name[begun]);
        status = program_begin(&program[begun], planner, error);
    }
    if (status == TCPLAN_OK) write_comparison(&text, program, count, seconds);
    for (int a = 0; a < begun; a++) program_free(&program[a]);
    return strbuf_give(&text, out, status, error);
}
