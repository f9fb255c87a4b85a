#include "cli/commands/tensors/network.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "cli/commands/commands.h"
#include "cli/emission.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/page/pictures.h"
#include "cli/render/algorithms/results.h"
#include "cli/stored.h"
#include "tcplan/network_layouts.h"
#include "tcplan/network_stored.h"

/** An expression of several tensors with sizes, and the order of its products. Zero-initialise
 * before use. */
struct work {
    struct request request;
    struct tcplan_network *network;
    int64_t *extent;                   /* extent of each index at the current size point */
    int64_t *last_extent;              /* extents at the last size point */
    struct tcplan_network_found found; /* orders found by the search; trees are NULL if there was no
                                          search */
    struct tcplan_tree *given;         /* order given by --path; NULL: none */
    int64_t given_timed; /* number of products of the given order that were planned by timing */
    bool recalls;        /* whether stored orders may be used */
    bool explains; /* whether to print also the steps of the order with the fewest operations */
    bool measures; /* whether the order is executed and timed */
    struct emission *emission; /* files for the C code; NULL: no code is emitted */
};

bool network_is_asked(const struct options *options) {
    bool is_several = false;
    /* If memory runs out, returns false; the next parse reports the error. */
    return options->argument &&
           (tcplan_network_is_several(&is_several, options->argument) != TCPLAN_OK || is_several);
}

/* What is asked. */

/** Returns whether steps are planned by timing, which only the objective `time` needs. */
static bool is_timed(const struct options *options) {
    return options->effort != TCPLAN_EFFORT_ESTIMATE &&
           options->objective == (int)TCPLAN_OBJECTIVE_TIME;
}

static enum exit_status check_told(const struct options *options) {
    if (options->sizes || options->shapes) return EXIT_DONE;
    return options_refuse(
        options,
        "%s needs sizes: the extent of every index of the expression, such as --sizes a=400,b=400,i=8",
        options->command->name);
}

/** Returns whether the command accepts a sweep over sizes. */
static bool is_swept(const struct options *options) {
    return options_run(options, COMMAND(RANK) | COMMAND(MEASURE));
}

static int64_t points_of(const struct work *work) {
    return work->request.sizes ? request_points(&work->request) : 1;
}

/** Sets the extents of a size point. */
static enum tcplan_status set_point(struct work *work, int64_t point) {
    if (!work->request.sizes) return TCPLAN_OK; /* --shapes */
    return tcplan_network_sizes_point(work->extent, work->network, work->request.sizes, point,
                                      &failure);
}

/** Checks all size points, and sets the extents of the last one, which is the largest. */
static enum tcplan_status set_extents(struct work *work) {
    enum tcplan_status status = TCPLAN_OK;
    for (int64_t point = 0; point < points_of(work) && status == TCPLAN_OK; point++)
        status = set_point(work, point);
    memcpy(work->last_extent, work->extent,
           (size_t)work->network->index_count * sizeof *work->extent);
    return status;
}

/** Reads the expression and its sizes. */
static enum exit_status read_expression(struct work *out, const struct options *options) {
    if (tcplan_network_parse(&out->network, options->argument, (enum tcplan_order)options->order,
                             &failure) != TCPLAN_OK) {
        return request_refuse_contraction(options);
    }
    const enum exit_status status = check_told(options);
    if (status != EXIT_DONE) return status;
    const size_t count = (size_t)out->network->index_count;
    out->extent = base_alloc((2 * count + 1) * sizeof *out->extent);
    if (!out->extent) return diagnose_no_memory();
    out->last_extent = out->extent + count;
    char unused[TCPLAN_SIZES_UNUSED] = "";
    const enum tcplan_status read =
        options->shapes
            ? tcplan_network_shapes(out->extent, out->network, options->shapes, &failure)
            : tcplan_network_sizes_parse(&out->request.sizes, out->network, options->sizes, unused,
                                         &failure);
    if (read != TCPLAN_OK)
        return request_refuse_sizes(options, out->network->index, out->network->index_count);
    request_note_unused(options, unused);
    const bool sweeps = is_swept(options) && !options->emit && !options->plot;
    const enum exit_status counted = request_check_points(options, points_of(out), !sweeps);
    if (counted != EXIT_DONE) return counted;
    return set_extents(out) == TCPLAN_OK
               ? EXIT_DONE
               : request_refuse_sizes(options, out->network->index, out->network->index_count);
}

/** Returns the number of elements of a tensor. */
static double elements_of(const struct work *work, const struct tcplan_network_operand *operand) {
    double elements = 1;
    for (int d = 0; d < operand->rank; d++) elements *= (double)work->extent[operand->dims[d]];
    return elements;
}

static void note_memory(const struct work *work) {
    const struct tcplan_network *network = work->network;
    double elements = elements_of(work, &network->result);
    for (int t = 0; t < network->tensor_count; t++)
        elements += elements_of(work, &network->operand[network->tensor[t]]);
    const enum tcplan_dtype dtype = (enum tcplan_dtype)work->request.options->dtype;
    request_note_memory(&work->request, elements * (double)tcplan_dtype_bytes(dtype));
}

static enum exit_status work_read(struct work *out, const struct options *options) {
    out->request = (struct request){.options = options,
                                    .machine = {.heuristics = tcplan_heuristics_default()}};
    enum exit_status status = read_expression(out, options);
    if (status != EXIT_DONE) return status;
    status =
        request_read_machine(&out->request, REQUEST_CEILINGS | REQUEST_EXPERIENCE | REQUEST_PLANS |
                                                (is_timed(options) ? 0 : REQUEST_UNTIMED));
    if (status == EXIT_DONE) note_memory(out);
    return status;
}

/** Frees the order, so that another order can be searched. */
static void forget_order(struct work *work) {
    tcplan_tree_free(work->given);
    tcplan_network_found_free(&work->found);
    work->given = NULL;
    work->given_timed = 0;
    work->found = (struct tcplan_network_found){.tree = NULL};
}

static void work_free(struct work *work) {
    forget_order(work);
    base_free(work->extent);
    tcplan_network_free(work->network);
    request_free(&work->request);
}

/* Stored orders. */

static struct tcplan_order_key key_of(const struct work *work,
                                      const struct tcplan_rank_options *rank, const char *path) {
    const struct options *options = work->request.options;
    return (struct tcplan_order_key){.network = work->network,
                                     .extent = work->extent,
                                     .dtype = (enum tcplan_dtype)options->dtype,
                                     .rank = rank,
                                     .objective = (enum tcplan_objective)options->objective,
                                     .max_memory_bytes = options->max_memory_bytes,
                                     .path = path};
}

/** Finds the stored order of the expression; `out->tree` stays NULL if there is none. */
static enum exit_status recall(struct tcplan_network_found *out, const struct work *work,
                               const struct tcplan_rank_options *rank, const char *path) {
    const struct tcplan_order_key key = key_of(work, rank, path);
    if (!work->recalls || !work->request.plans) return EXIT_DONE;
    const enum tcplan_status status = tcplan_order_recall(out, work->request.plans, &key, &failure);
    if (status == TCPLAN_NO_MEMORY) return diagnose_no_memory();
    if (status == TCPLAN_OK) {
        note(work->request.options,
             "using the stored order and its algorithms (--no-plans searches again)");
    } else if (status != TCPLAN_NOT_APPLICABLE) {
        note(work->request.options, "no stored order is used: %s", failure.message);
    }
    return EXIT_DONE;
}

static enum exit_status keep(const struct work *work, const struct tcplan_rank_options *rank,
                             const struct tcplan_network_found *found, const char *path) {
    const struct tcplan_order_key key = key_of(work, rank, path);
    if (!work->request.plans) return EXIT_DONE;
    const enum tcplan_status status = tcplan_order_keep(work->request.plans, &key, found, &failure);
    if (status == TCPLAN_NO_MEMORY) return diagnose_no_memory();
    if (status != TCPLAN_OK)
        note(work->request.options, "the order is not stored: %s", failure.message);
    return EXIT_DONE;
}

/* The order. */

static enum exit_status search_now(struct work *work, const struct tcplan_rank_options *rank,
                                   bool times) {
    const struct options *options = work->request.options;
    struct tcplan_network_search_options wanted = tcplan_network_search_defaults();
    wanted.objective = (enum tcplan_objective)options->objective;
    wanted.max_memory_bytes = options->max_memory_bytes;
    wanted.time_limit_seconds = request_seconds_left(&work->request);
    wanted.seed = options->seed;
    wanted.rank = rank;
    wanted.timing = times ? rank : NULL;
    return diagnosed(tcplan_network_search(&work->found, work->network, work->extent,
                                           (enum tcplan_dtype)options->dtype, &wanted, &failure));
}

/** Replaces the best order of a search by a stored order. */
static void replace_found(struct tcplan_network_found *found, struct tcplan_network_found *stored) {
    tcplan_tree_free(found->tree);
    tcplan_network_free(found->network);
    found->tree = stored->tree;
    found->network = stored->network;
    found->timed = stored->timed;
    found->estimate_seconds = stored->estimate_seconds;
    found->apart_seconds = stored->apart_seconds;
}

/**
 * Searches the best order.
 *
 * @param compares  whether to find other orders as well, to compare them with the best one
 */
static enum exit_status search(struct work *work, const struct tcplan_rank_options *rank,
                               bool compares) {
    struct tcplan_network_found stored = {.tree = NULL};
    enum exit_status status = recall(&stored, work, rank, NULL);
    if (status != EXIT_DONE) return status;
    if (stored.tree && !compares) {
        work->found = stored;
        return EXIT_DONE;
    }
    status = search_now(work, rank, !stored.tree && is_timed(work->request.options));
    if (stored.tree && status == EXIT_DONE) {
        replace_found(&work->found, &stored);
    } else if (stored.tree) {
        tcplan_network_found_free(&stored);
    } else if (status == EXIT_DONE) {
        status = keep(work, rank, &work->found, NULL);
    }
    return status;
}

/** Reads the order of --path, and determines its layouts and times. */
static enum exit_status read_path(struct work *work, const struct tcplan_rank_options *rank) {
    const struct options *options = work->request.options;
    enum tcplan_status status =
        tcplan_tree_parse_path(&work->given, work->network, work->extent,
                               (enum tcplan_dtype)options->dtype, options->path, &failure);
    if (status != TCPLAN_OK) return diagnose_failure(options->path);
    const double peak_bytes = tcplan_tree_totals(work->given).peak_bytes;
    if (options->max_memory_bytes > 0 && peak_bytes > (double)options->max_memory_bytes)
        return diagnose_as(
            EXIT_REFUSED,
            "intermediates of --path take %s, more than the %s of --max-memory; indices are "
            "sliced only without --path",
            quantity_bytes(peak_bytes).text,
            quantity_bytes((double)options->max_memory_bytes).text);
    int shared = 0;
    status = tcplan_tree_share(&shared, work->given, (double)options->max_memory_bytes, &failure);
    if (status == TCPLAN_OK) status = tcplan_tree_estimate(work->given, true, rank, &failure);
    if (status == TCPLAN_OK && is_timed(options))
        status = tcplan_tree_time(&work->given_timed, work->given, rank,
                                  request_seconds_left(&work->request), &failure);
    return diagnosed(status);
}

/** Finds the order of --path in the store, or determines its algorithms and stores it. */
static enum exit_status take_path(struct work *work, const struct tcplan_rank_options *rank) {
    const char *path = work->request.options->path;
    struct tcplan_network_found stored = {.tree = NULL};
    enum exit_status status = recall(&stored, work, rank, path);
    work->given = stored.tree;
    work->given_timed = stored.timed;
    if (status != EXIT_DONE || stored.tree) return status;
    status = read_path(work, rank);
    stored.tree = work->given;
    stored.timed = work->given_timed;
    return status == EXIT_DONE ? keep(work, rank, &stored, path) : status;
}

/**
 * Finds the order.
 *
 * @param always  whether to search even if --path gives an order
 */
static enum exit_status find_now(struct work *work, bool always) {
    request_begin_limit(&work->request);
    struct tcplan_rank_options rank = request_rank_options(&work->request);
    rank.progress = progress_update;
    enum exit_status status = work->request.options->path ? take_path(work, &rank) : EXIT_DONE;
    if (status == EXIT_DONE && (always || !work->given)) status = search(work, &rank, always);
    work->found.timed += work->given_timed;
    progress_clear();
    return status;
}

/** Finds the order; if anything is timed, holds the lock of this machine meanwhile. */
static enum exit_status find(struct work *work, bool always) {
    const struct options *options = work->request.options;
    struct tcplan_node_lock *lock = NULL;
    if (!is_timed(options)) return find_now(work, always);
    enum exit_status status = lock_hold(&lock, options);
    if (status == EXIT_DONE) {
        status = find_now(work, always);
        if (status == EXIT_DONE) status = stored_add_experience(&work->request);
        tcplan_node_lock_release(lock);
    }
    tcplan_node_lock_close(lock);
    return status;
}

/** Returns the order that is emitted or executed. */
static const struct tcplan_tree *chosen(const struct work *work) {
    return work->given ? work->given : work->found.tree;
}

/* Emitting. */

static enum exit_status write_source(const struct work *work, struct output_file *out) {
    const struct options *options = work->request.options;
    struct tcplan_planner *planner = NULL;
    char *text = NULL, *driver = NULL;
    enum tcplan_status status = request_planner(&planner, options, TCPLAN_EFFORT_ESTIMATE);
    if (status == TCPLAN_OK)
        status = tcplan_network_emit(&text, chosen(work), planner, options->function, &failure);
    tcplan_planner_free(planner);
    if (status == TCPLAN_OK && options->with_main)
        status = tcplan_network_emit_main(&driver, chosen(work), options->function,
                                          options->threads, &failure);
    if (status == TCPLAN_OK) fputs(text, out->file);
    free(text);
    return emission_put(out, status, driver);
}

typedef enum tcplan_status emit_interface(char **out, const struct tcplan_tree *tree,
                                          const char *function, struct tcplan_error *error);

/** Writes the C header or the Fortran module of the emitted function, if requested. */
static enum exit_status write_interface(const struct work *work, struct output_file *out,
                                        emit_interface *emit) {
    char *text = NULL;
    if (!out->file) return EXIT_DONE;
    const enum tcplan_status status =
        emit(&text, chosen(work), work->request.options->function, &failure);
    return emission_put(out, status, text);
}

static enum exit_status write_emitted(const struct work *work, struct emission *out) {
    enum exit_status status = write_source(work, &out->source);
    if (status == EXIT_DONE)
        status = write_interface(work, &out->header, tcplan_network_emit_header);
    if (status == EXIT_DONE)
        status = write_interface(work, &out->fortran, tcplan_network_emit_fortran);
    return status;
}

enum exit_status network_emit(const struct options *options) {
    struct work work = {.recalls = true};
    struct emission emission = {0};
    enum exit_status status = work_read(&work, options);
    if (status == EXIT_DONE) status = emission_open_files(&emission, options, options->output);
    if (status == EXIT_DONE) status = find(&work, false);
    if (status == EXIT_DONE) status = write_emitted(&work, &emission);
    if (status == EXIT_DONE) {
        char *order = tcplan_tree_text(chosen(&work));
        if (order) emission_say_chosen(options, order);
        status = order ? EXIT_DONE : diagnose_no_memory();
        free(order);
    }
    emission_discard(&emission);
    work_free(&work);
    return status;
}

/* Measuring. */

/** Measures the order while holding the lock of this machine. */
static enum exit_status run_order(struct tcplan_network_measured *out, const struct work *work) {
    const struct options *options = work->request.options;
    struct tcplan_node_lock *lock = NULL;
    struct tcplan_planner *planner = NULL;
    enum exit_status status = lock_hold(&lock, options);
    if (status == EXIT_DONE) {
        enum tcplan_status measured = request_planner(&planner, options, TCPLAN_EFFORT_ESTIMATE);
        if (measured == TCPLAN_OK)
            measured = tcplan_network_measure(out, chosen(work), planner,
                                              options->time_limit_seconds, options->seed, &failure);
        if (measured != TCPLAN_OK) status = diagnose_failure(NULL);
        tcplan_planner_free(planner);
        tcplan_node_lock_release(lock);
    }
    tcplan_node_lock_close(lock);
    return status;
}

/* Printing. */

static enum exit_status draw(const struct work *work) {
    struct output_file out = {0};
    const enum exit_status status = output_begin(&out, work->request.options->plot);
    return status == EXIT_DONE ? picture_file_end(&out, tree_plot_write(out.file, chosen(work)))
                               : status;
}

static enum exit_status print_order(struct writer *writer, const struct work *work,
                                    const struct tcplan_network_measured *measured) {
    const struct ordered ordered = {.request = &work->request,
                                    .network = work->network,
                                    .extent = work->extent,
                                    .last_extent = work->last_extent,
                                    .found = &work->found,
                                    .given = work->given,
                                    .explains = work->explains,
                                    .measured = measured};
    return printed_next(writer, work->request.options, &order_view, &ordered);
}

/** Finds the order for a size point, and emits, draws, measures and prints it as requested;
 * implements printed_point. */
static enum exit_status run_point(void *context, struct writer *writer, int64_t point) {
    struct work *work = context;
    struct tcplan_network_measured measured = {.runs = 0};
    forget_order(work);
    progress_set_point(point, points_of(work));
    enum exit_status status = diagnosed(set_point(work, point));
    if (status == EXIT_DONE) status = find(work, true);
    if (status == EXIT_DONE && work->emission) status = write_emitted(work, work->emission);
    if (status == EXIT_DONE && work->request.options->plot) status = draw(work);
    if (status == EXIT_DONE && work->measures) status = run_order(&measured, work);
    if (status == EXIT_DONE) status = print_order(writer, work, work->measures ? &measured : NULL);
    tcplan_network_measured_free(&measured);
    return status;
}

static enum exit_status run(struct work *work, const struct options *options) {
    struct emission emission = {0};
    enum exit_status status = work_read(work, options);
    if (status == EXIT_DONE && options->plot) status = picture_file_check("--plot", options->plot);
    if (status == EXIT_DONE && options->emit) {
        status = emission_open_files(&emission, options, options->emit);
        work->emission = &emission;
    }
    if (status == EXIT_DONE) status = printed_points(options, points_of(work), run_point, work);
    emission_discard(&emission);
    work_free(work);
    return status;
}

enum exit_status network_run(const struct options *options) {
    return run(&(struct work){.network = NULL}, options);
}

enum exit_status network_explain(const struct options *options) {
    return run(&(struct work){.recalls = true, .explains = true}, options);
}

enum exit_status network_measure(const struct options *options) {
    return run(&(struct work){.measures = true}, options);
}

/* Layouts. */

enum exit_status network_add_layouts(struct tcplan_layout_program *program,
                                     const struct request *request) {
    const struct options *options = request->options;
    const struct tcplan_rank_options rank = request_rank_options(request);
    struct tcplan_network_search_options wanted = tcplan_network_search_defaults();
    struct work work = {.network = NULL};
    enum exit_status status = read_expression(&work, options);
    wanted.time_limit_seconds = options->time_limit_seconds;
    wanted.seed = options->seed;
    wanted.rank = &rank;
    if (status == EXIT_DONE)
        status =
            diagnosed(tcplan_network_search(&work.found, work.network, work.extent,
                                            (enum tcplan_dtype)options->dtype, &wanted, &failure));
    if (status == EXIT_DONE)
        status = diagnosed(tcplan_network_layouts(program, work.found.tree, 1, &failure));
    work_free(&work);
    return status;
}
