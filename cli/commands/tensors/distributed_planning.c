#include "cli/commands/tensors/distributed_planning.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/input_file.h"
#include "cli/commands/commands.h"
#include "cli/output/printed.h"
#include "cli/stored.h"

enum { MOST_MODEL_BYTES = 16 << 20 };

/** Reads models of communication from a file. */
static enum tcplan_status read_file(struct distributed_planning *out, const char *path) {
    char *text = NULL;
    size_t length;
    enum tcplan_status status =
        input_file_read(&text, &length, "communication model ", path, MOST_MODEL_BYTES, &failure);
    if (status == TCPLAN_OK)
        status = tcplan_communication_parse(&out->communication, text, &failure);
    base_free(text);
    return status;
}

/** Reads models of communication from the store, and prints notes about damaged or outdated
 * models. */
static enum exit_status read_stored(struct distributed_planning *out,
                                    const struct options *options) {
    struct stored stored;
    if (options->no_store) return EXIT_DONE;
    const enum exit_status opened = stored_open_here(&stored);
    if (opened != EXIT_DONE) return opened;
    const enum tcplan_status status =
        tcplan_store_communication(&out->communication, &stored.store, &failure);
    stored_close(&stored);
    if (status == TCPLAN_NO_MEMORY) return diagnose_no_memory();
    if (status != TCPLAN_OK) note(options, "stored times of MPI are not used: %s", failure.message);
    return EXIT_DONE;
}

static enum exit_status read_communication(struct distributed_planning *out,
                                           const struct options *options) {
    const char *path = options->distributed.communication;
    out->source = path ? path : "the store";
    return path ? diagnosed(read_file(out, path)) : read_stored(out, options);
}

static enum exit_status make_planners(struct distributed_planning *out,
                                      const struct options *options) {
    const bool lists = options_run(options, COMMAND(LIST)); /* `list` times nothing */
    const enum tcplan_effort effort =
        lists ? TCPLAN_EFFORT_ESTIMATE : (enum tcplan_effort)options->effort;
    enum tcplan_status status = request_planner(&out->planner, options, TCPLAN_EFFORT_ESTIMATE);
    if (status == TCPLAN_OK) status = stored_give(out->planner, options);
    if (status == TCPLAN_OK && effort != TCPLAN_EFFORT_ESTIMATE) {
        status = request_planner(&out->timing, options, effort);
        if (status == TCPLAN_OK) status = stored_give(out->timing, options);
    }
    return diagnosed(status);
}

enum exit_status distributed_planning_open(struct distributed_planning *out,
                                           const struct options *options) {
    const enum exit_status status = read_communication(out, options);
    return status == EXIT_DONE ? make_planners(out, options) : status;
}

void distributed_planning_close(struct distributed_planning *planning) {
    tcplan_planner_free(planning->planner);
    tcplan_planner_free(planning->timing);
    tcplan_communication_free(planning->communication);
}

enum exit_status distributed_draw(const struct options *options, char *title, int processes,
                                  const struct tcplan_communication *communication,
                                  ranks_point_fn *rank, void *context) {
    struct ranks_point point[32];
    struct output_file out = {0};
    int count = 0, next = 1;
    enum exit_status status = title ? EXIT_DONE : diagnose_no_memory();
    while (next > 0 && status == EXIT_DONE) {
        point[count] = (struct ranks_point){.processes = next};
        const enum tcplan_status ranked = rank(context, &point[count++], next);
        /* A point without an applicable algorithm has no time. */
        if (ranked != TCPLAN_NOT_APPLICABLE) status = diagnosed(ranked);
        next = next == processes ? 0 : 2 * next < processes ? 2 * next : processes;
    }
    if (status == EXIT_DONE) status = output_begin(&out, options->plot);
    if (status == EXIT_DONE) {
        const bool printed = ranks_plot_write(out.file, title,
                                              communication ? "measured communication"
                                                            : "assumed latency and bandwidth",
                                              point, count);
        status = picture_file_end(&out, printed);
    }
    free(title);
    return status;
}

struct tcplan_distributed_options distributed_planning_options(
    const struct distributed_planning *planning, const struct options *options,
    const char *algorithm) {
    const struct distributed_options *given = &options->distributed;
    return (struct tcplan_distributed_options){.processes = given->processes,
                                               .ranks_per_node = given->ranks_per_node,
                                               .grid = given->grid,
                                               .distribute = given->distribute,
                                               .algorithm = algorithm,
                                               .max_memory_bytes = options->max_memory_bytes,
                                               .planner = planning->planner,
                                               .timing = planning->timing,
                                               .time_limit_seconds = options->time_limit_seconds,
                                               .communication = planning->communication};
}
