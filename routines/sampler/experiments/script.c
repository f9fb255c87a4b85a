/*
 * Writes an experiment as input of the Sampler (docs/sampler.md), which `tcplan sample` can run.
 * Memory at an offset of an operand is named after the operand, followed by `_` and the offset in
 * elements.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/id_set.h"
#include "base/strbuf.h"
#include "routines/sampler/experiments/nest.h"

struct script {
    struct strbuf out;     /* lines since the last `go` */
    struct strbuf command; /* a call that waits until its operands have names */
    const struct tcplan_experiment *experiment;
    const char *machine; /* machine whose core numbers the comments name; NULL: the comments repeat
                            the experiment's attributes */
    int threads;         /* number of threads last set in the script */
    char bound[TCPLAN_BINDING_LINE]; /* last binding in the comments */
    int depth;
    struct id_set known[EXPERIMENT_OPERANDS_MAX]; /* for each operand, the offsets that already have
                                                     a name */
    bool no_memory;
};

/** Adds the name of the command that allocates an operand: `dmalloc`, `imalloc` or `malloc`, for
 * example. */
static void add_command(struct strbuf *out, const struct experiment_operand *operand,
                        const char *command) {
    if (operand->type != 'b') strbuf_add(out, "%c", operand->type);
    strbuf_add(out, "%s", command);
}

static void add_name(struct strbuf *out, const struct experiment_operand *operand, int64_t offset) {
    strbuf_add(out, "%s", operand->name);
    if (offset > 0) strbuf_add(out, "_%" PRId64, offset);
}

/** Names the memory at an offset from the beginning of an operand, unless that memory has a name.
 */
static void name_memory(struct script *script, int operand, int64_t offset) {
    const uint64_t id = hash_spread((uint64_t)offset);
    if (offset == 0 || id_set_has(&script->known[operand], id)) return;
    if (!id_set_add(&script->known[operand], id)) script->no_memory = true;
    const struct experiment_operand *of = &script->experiment->operand[operand];
    add_command(&script->out, of, "offset");
    strbuf_add(&script->out, " %s %" PRId64 " ", of->name, offset);
    add_name(&script->out, of, offset);
    strbuf_add(&script->out, "\n");
}

static void add_real(struct strbuf *out, double value) {
    if (value < 0) strbuf_add(out, "-");
    decimal_print(out, value < 0 ? -value : value);
}

static void add_scalar(struct strbuf *out, struct call_scalar scalar) {
    add_real(out, scalar.re);
    if (scalar.im == 0) return;
    strbuf_add(out, ",");
    add_real(out, scalar.im);
}

static void add_argument(struct script *script, const struct nest_place *place, int a) {
    const struct experiment_call *call = &place->experiment->call[place->call];
    const struct planned_call *planned =
        &place->plan
             ->call[place->sum * (size_t)place->experiment->call_count + (size_t)place->call];
    const struct signature_argument *argument = &call->signature->argument[a];
    struct strbuf *out = &script->command;
    strbuf_add(out, " ");
    switch (argument->class) {
    case SIGNATURE_FLAG:
        if (argument->elements == SIGNATURE_INTEGER) {
            strbuf_add(out, "%" PRId64, planned->value[a]);
        } else {
            strbuf_add(out, "%c", (char)planned->value[a]);
        }
        return;
    case SIGNATURE_SCALAR: add_scalar(out, planned->scalar[a]); return;
    case SIGNATURE_DATA: {
        const int64_t offset = nest_offset(place, call->argument[a].operand);
        name_memory(script, call->argument[a].operand, offset);
        add_name(out, &place->experiment->operand[call->argument[a].operand], offset);
        return;
    }
    case SIGNATURE_WORK:
        strbuf_add(out, "[%" PRId64 "]", signature_extent(call->signature, planned->value, a));
        return;
    case SIGNATURE_DIM:
    case SIGNATURE_LD:
    case SIGNATURE_INC:
    case SIGNATURE_LWORK: strbuf_add(out, "%" PRId64, planned->value[a]); return;
    case SIGNATURE_INFO:
    case SIGNATURE_STRING:
    case SIGNATURE_CLASSES: strbuf_add(out, "0"); return;
    }
}

static enum tcplan_status state_of(const struct script *script, struct tcplan_error *error) {
    return script->no_memory || script->out.failed || script->command.failed
               ? error_no_memory(error)
               : TCPLAN_OK;
}

static enum tcplan_status print_call(void *context, const struct nest_place *place,
                                     struct tcplan_error *error) {
    struct script *script = context;
    const struct experiment_call *call = &place->experiment->call[place->call];
    const struct signature *signature = call->signature;
    const enum tcplan_provider library = call->library;
    script->command.length = 0;
    strbuf_add(&script->command, "%*s%s", 2 * script->depth, "", signature->name);
    if (library != TCPLAN_PROVIDER_BLAS && !signature->is_own)
        strbuf_add(&script->command, "@%s", tcplan_provider_name(library));
    for (int a = 0; a < signature->count; a++) add_argument(script, place, a);
    strbuf_add(&script->out, "%s\n", script->command.failed ? "" : script->command.text);
    return state_of(script, error);
}

/** Prints the cores and NUMA nodes of the calls, if they differ from those printed last. */
static enum tcplan_status print_binding(struct script *script, const struct nest_place *place,
                                        struct tcplan_error *error) {
    char bound[TCPLAN_BINDING_LINE];
    struct tcplan_binding binding;
    enum tcplan_status status =
        experiment_binding(&binding, place->experiment, place->plan->point, error);
    if (status == TCPLAN_OK && script->machine) {
        status =
            tcplan_binding_describe(bound, &binding, place->plan->threads, script->machine, error);
    } else if (status == TCPLAN_OK) {
        tcplan_binding_print(bound, &binding);
    }
    if (status != TCPLAN_OK || strcmp(bound, script->bound) == 0)
        return status == TCPLAN_OK ? state_of(script, error) : status;
    strbuf_add(&script->out, "# binding: %s\n", *bound ? bound : "none");
    memcpy(script->bound, bound, sizeof bound);
    return state_of(script, error);
}

static enum tcplan_status print_point(void *context, const struct nest_place *place,
                                      struct tcplan_error *error) {
    struct script *script = context;
    if (place->plan->threads != script->threads)
        strbuf_add(&script->out, "# threads: %d\n", place->plan->threads);
    script->threads = place->plan->threads;
    return print_binding(script, place, error);
}

static enum tcplan_status print_randomize(void *context, const struct nest_place *place,
                                          struct tcplan_error *error) {
    struct script *script = context;
    enum tcplan_status status = print_point(context, place, error);
    for (int o = 0; o < place->experiment->operand_count && status == TCPLAN_OK; o++) {
        const struct experiment_operand *operand = &place->experiment->operand[o];
        const int64_t elements = place->plan->operand[o].elements;
        if (!strchr("sdcz", operand->type)) continue;
        strbuf_add(&script->out, "%cgerand %" PRId64 " 1 %s %" PRId64 "\n", operand->type, elements,
                   operand->name, elements > 0 ? elements : 1);
    }
    return state_of(script, error);
}

static void open_block(struct script *script, const char *name) {
    strbuf_add(&script->out, "%*s{%s\n", 2 * script->depth++, "", name);
}

static void close_block(struct script *script) {
    strbuf_add(&script->out, "%*s}\n", 2 * --script->depth, "");
}

/** Begins a region, after the lines that name offsets: offsets are named as soon as they occur, so
 * the names needed in the region precede it. */
static enum tcplan_status begin_region(void *context, const struct nest_place *place,
                                       struct tcplan_error *error) {
    struct script *script = context;
    struct nest_place at = *place;
    const bool all = place->experiment->parallel_sum;
    for (at.sum = all ? 0 : place->sum; at.sum < (all ? place->plan->sum_count : place->sum + 1);
         at.sum++) {
        for (int o = 0; o < place->experiment->operand_count; o++)
            name_memory(script, o, nest_offset(&at, o));
    }
    open_block(script, "omp");
    return state_of(script, error);
}

static enum tcplan_status begin_sequence(void *context, struct tcplan_error *error) {
    open_block(context, "seq");
    return state_of(context, error);
}

static void end_block(void *context) {
    close_block(context);
}

static void print_head(struct script *script, const struct nest_memory *memory) {
    const struct tcplan_experiment *experiment = script->experiment;
    strbuf_add(&script->out, "# experiment: %s\n", experiment->name);
    if (*experiment->counters) strbuf_add(&script->out, "set_counters %s\n", experiment->counters);
    for (int o = 0; o < experiment->operand_count; o++) {
        add_command(&script->out, &experiment->operand[o], "malloc");
        strbuf_add(&script->out, " %s %" PRId64 "\n", experiment->operand[o].name,
                   memory->elements[o] > 0 ? memory->elements[o] : 1);
    }
}

/** Writes the lines collected so far. */
static enum tcplan_status flush(struct script *script, tcplan_write_fn *write, void *context,
                                struct tcplan_error *error) {
    enum tcplan_status status = state_of(script, error);
    if (status == TCPLAN_OK && script->out.length > 0 &&
        !write(context, script->out.text, script->out.length)) {
        status = error_set(error, TCPLAN_ENVIRONMENT, "the script could not be written");
    }
    script->out.length = 0;
    return status;
}

enum tcplan_status tcplan_experiment_script(const struct tcplan_experiment *experiment,
                                            const char *machine, tcplan_write_fn *write,
                                            void *context, struct tcplan_error *error) {
    struct script *script = base_alloc_zero(1, sizeof *script);
    struct nest_memory *memory = base_alloc(sizeof *memory);
    const struct nest_part whole = {0};
    const struct nest_visitor visitor = {.context = script,
                                         .randomize = print_randomize,
                                         .begin_point = print_point,
                                         .begin_region = begin_region,
                                         .call = print_call,
                                         .end_region = end_block,
                                         .begin_sequence = begin_sequence,
                                         .end_sequence = end_block};
    int64_t units = 0;
    if (!script || !memory) {
        base_free(memory);
        base_free(script);
        return error_no_memory(error);
    }
    enum tcplan_status status = nest_measure(memory, NULL, NULL, experiment, error);
    if (status == TCPLAN_OK) status = nest_units(&units, experiment, error);
    if (status == TCPLAN_OK) {
        script->experiment = experiment;
        script->machine = machine;
        print_head(script, memory);
    }
    for (int64_t u = 0; u < units && status == TCPLAN_OK; u++) {
        status = nest_walk(experiment, &whole, u, &visitor, error);
        strbuf_add(&script->out, "go\n");
        if (status == TCPLAN_OK) status = flush(script, write, context, error);
    }
    strbuf_free(&script->out);
    strbuf_free(&script->command);
    for (int o = 0; o < EXPERIMENT_OPERANDS_MAX; o++) id_set_free(&script->known[o]);
    base_free(memory);
    base_free(script);
    return status;
}
