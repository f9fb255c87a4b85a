#include "cli/commands/tensors/blocks.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/strbuf.h"
#include "cli/commands/commands.h"
#include "cli/emission.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/page/pictures.h"
#include "cli/render/algorithms/blocks.h"
#include "cli/request.h"
#include "cli/stored.h"

enum { MOST_LIST_BYTES = 1 << 30 };

/** A block-sparse product to plan. Zero-initialise before use. */
struct work {
    struct options options; /* the options, except that --algorithm is removed if it names a
                               way to multiply blocks */
    const char *way;        /* name of the way to use; NULL: the fastest */
    struct request request;
    char *list[TCPLAN_OPERANDS]; /* values of --blocks, one for each tensor */
    struct tcplan_block_product *product;
    struct tcplan_planner *planner;
    struct tcplan_block_plan *plan;
};

bool blocks_are_asked(const struct options *options) {
    return options->blocks.sections != NULL;
}

/** Rejects the name of a tensor in --blocks that the product lacks. */
static enum exit_status refuse_name(const char *given, const char *const name[], int count) {
    struct strbuf names = {0};
    for (int t = 0; t < count; t++)
        strbuf_add(&names, "%s%.40s", t == 0 ? "" : t + 1 < count ? ", " : " or ", name[t]);
    diagnose("--blocks %.100s: expected TENSOR=FILE with %s", given, names.text ? names.text : "");
    strbuf_free(&names);
    return EXIT_REFUSED;
}

/** Reads the list of blocks that an argument `TENSOR=FILE` names. */
static enum exit_status read_list(char *list[], const char *const name[], int count,
                                  const char *given) {
    const char *equals = strchr(given, '=');
    const size_t length = equals ? (size_t)(equals - given) : 0;
    size_t bytes;
    for (int t = 0; t < count && equals; t++) {
        if (strlen(name[t]) != length || strncmp(name[t], given, length) != 0) continue;
        if (list[t]) {
            diagnose("--blocks gives the blocks of %s twice", name[t]);
            return EXIT_REFUSED;
        }
        return diagnosed(input_file_read(&list[t], &bytes, "list of blocks ", equals + 1,
                                         MOST_LIST_BYTES, &failure));
    }
    return refuse_name(given, name, count);
}

enum exit_status blocks_read_lists(char *list[], const char *const name[], int count,
                                   const struct options *options) {
    enum exit_status status = EXIT_DONE;
    for (int n = 0; n < options->blocks.lists.count && status == EXIT_DONE; n++)
        status = read_list(list, name, count, options->blocks.lists.text[n]);
    return status;
}

static enum exit_status make_product(struct work *work) {
    const struct options *options = &work->options;
    int64_t extent[TCPLAN_MAX_INDICES];
    struct tcplan_block_text text = {.sections = options->blocks.sections,
                                     .charge = options->blocks.charge};
    const char *wrong = NULL, *name[TCPLAN_OPERANDS];
    for (int t = 0; t < TCPLAN_OPERANDS; t++) name[t] = work->request.contraction->tensor[t].name;
    const enum exit_status read = blocks_read_lists(work->list, name, TCPLAN_OPERANDS, options);
    if (read != EXIT_DONE) return read;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) text.blocks[t] = work->list[t];
    if (work->request.sizes) {
        tcplan_sizes_point(work->request.sizes, 0, extent);
        text.extent = extent;
    }
    const enum tcplan_status status =
        tcplan_block_product_parse(&work->product, work->request.contraction, &text,
                                   (enum tcplan_dtype)options->dtype, &wrong, &failure);
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_failure(failure.column > 0 ? wrong : NULL);
}

/** Plans the product: by the way that is named, or with measurements for `compare` and
 * `measure`. */
static enum tcplan_status plan_product(struct work *work) {
    const struct options *options = &work->options;
    const char *const one[] = {work->way};
    if (options_run(options, COMMAND(COMPARE)))
        return tcplan_block_plan_measure(&work->plan, work->planner, work->product,
                                         (const char *const *)options->arguments,
                                         options->argument_count, &failure);
    if (options_run(options, COMMAND(MEASURE)))
        return tcplan_block_plan_measure(&work->plan, work->planner, work->product, one,
                                         work->way ? 1 : 0, &failure);
    if (work->way)
        return tcplan_block_plan_named(&work->plan, work->planner, work->product, work->way,
                                       &failure);
    return tcplan_block_plan_new(&work->plan, work->planner, work->product, &failure);
}

enum exit_status blocks_make_planner(struct tcplan_planner **out, const struct options *options) {
    enum exit_status status =
        diagnosed(request_planner(out, options, (enum tcplan_effort)options->effort));
    if (status == EXIT_DONE) status = diagnosed(stored_give(*out, options));
    if (status == EXIT_DONE && options->max_memory_bytes > 0)
        status = diagnosed(tcplan_planner_set_workspace(*out, options->max_memory_bytes, &failure));
    return status;
}

/** Plans the product. Holds the lock of this machine while something is timed. */
static enum exit_status make_plan(struct work *work) {
    const struct options *options = &work->options;
    struct tcplan_node_lock *lock = NULL;
    const bool times = options->effort != TCPLAN_EFFORT_ESTIMATE ||
                       options_run(options, COMMAND(MEASURE) | COMMAND(COMPARE));
    enum exit_status status = times ? lock_hold(&lock, options) : EXIT_DONE;
    if (status == EXIT_DONE) status = blocks_make_planner(&work->planner, options);
    if (status == EXIT_DONE) status = diagnosed(plan_product(work));
    if (status == EXIT_DONE && tcplan_block_plan_is_stored(work->plan))
        note(options, "using the stored plan: nothing was timed (--no-plans plans again)");
    if (lock) tcplan_node_lock_release(lock);
    tcplan_node_lock_close(lock);
    return status;
}

/* Emitting. */

bool blocks_emit(const struct options *options) {
    return options_run(options, COMMAND(EMIT));
}

enum exit_status blocks_open_emitted(struct emission *out, const struct options *options) {
    const bool emits = blocks_emit(options);
    if (!emits && !options->emit) return EXIT_DONE;
    return emission_open_files(out, options, emits ? options->output : options->emit);
}

enum exit_status blocks_write_emitted(struct emission *out, const struct options *options,
                                      const struct tcplan_block_plan *plan,
                                      const struct tcplan_block_expression *expression) {
    const struct tcplan_block_emit_options wanted = {.function = options->function,
                                                     .header = emission_included(options),
                                                     .with_main = options->with_main};
    char *text = NULL;
    enum exit_status status = EXIT_DONE;
    if (out->source.file) {
        const enum tcplan_status emitted =
            plan ? tcplan_block_plan_emit(&text, plan, &wanted, &failure)
                 : tcplan_block_expression_emit(&text, expression, &wanted, &failure);
        status = emission_put(&out->source, emitted, text);
    }
    if (status == EXIT_DONE && out->header.file) {
        const char *function = options->function;
        const enum tcplan_status emitted =
            plan ? tcplan_block_plan_emit_header(&text, plan, function, &failure)
                 : tcplan_block_expression_emit_header(&text, expression, function, &failure);
        status = emission_put(&out->header, emitted, text);
    }
    return status;
}

/* Commands. */

/** Draws the blocks to the file of --plot. */
static enum exit_status draw(const struct work *work) {
    struct output_file out = {0};
    if (!work->options.plot) return EXIT_DONE;
    const enum exit_status status = output_begin(&out, work->options.plot);
    return status == EXIT_DONE
               ? picture_file_end(&out, blocks_plot_write(out.file, work->product, work->plan))
               : status;
}

static enum exit_status print(const struct work *work) {
    const struct options *options = &work->options;
    const struct blocks_report report = {
        .options = options,
        .explains = options_run(options, COMMAND(EXPLAIN)),
        .lists = options_run(options, COMMAND(LIST)),
        .measures = options_run(options, COMMAND(MEASURE) | COMMAND(COMPARE)),
        .product = work->product,
        .plan = work->plan};
    return blocks_emit(options) ? EXIT_DONE : printed_view(options, &blocks_view, &report);
}

enum exit_status blocks_run(const struct options *options) {
    struct work work = {.options = *options, .way = options->algorithm};
    struct emission emission = {0};
    work.options.algorithm = NULL;
    if (options_run(options, COMMAND(LIST))) work.options.effort = TCPLAN_EFFORT_ESTIMATE;
    if (options_run(options, COMMAND(COMPARE)) && options->argument_count < 2)
        return options_refuse(
            options,
            "compare needs two or more ways to multiply the blocks: blocks, grouped, fused, "
            "mixed, dense, packed");
    if (options_given(options, "compare"))
        return options_refuse(options,
                              "--compare takes no block-sparse products; use the command compare");
    enum exit_status status = request_read(&work.request, &work.options,
                                           options->sizes ? REQUEST_SIZES | REQUEST_ONE_POINT : 0);
    if (status == EXIT_DONE) status = make_product(&work);
    if (status == EXIT_DONE && work.options.plot)
        status = picture_file_check("--plot", work.options.plot);
    if (status == EXIT_DONE) status = blocks_open_emitted(&emission, &work.options);
    if (status == EXIT_DONE) status = make_plan(&work);
    if (status == EXIT_DONE)
        status = blocks_write_emitted(&emission, &work.options, work.plan, NULL);
    if (status == EXIT_DONE && blocks_emit(&work.options) && !work.way)
        emission_say_chosen(&work.options, tcplan_block_plan_way(work.plan));
    if (status == EXIT_DONE) status = draw(&work);
    if (status == EXIT_DONE) status = print(&work);
    emission_discard(&emission);
    tcplan_block_plan_free(work.plan);
    tcplan_planner_free(work.planner);
    tcplan_block_product_free(work.product);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) base_free(work.list[t]);
    request_free(&work.request);
    return status;
}
