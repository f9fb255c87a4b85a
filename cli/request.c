#include "cli/request.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "base/quantity.h"
#include "cli/commands/commands.h"
#include "cli/correction.h"
#include "cli/output/cleanup.h"
#include "cli/providers.h"
#include "cli/stored.h"
#include "tcplan/study/apart.h"

/** Prints notes about indices that only one tensor has, which are often typing errors. */
static void note_sums(const struct tcplan_contraction *contraction, const char *text) {
    for (int i = 0; i < contraction->index_count; i++) {
        const struct tcplan_index *index = &contraction->index[i];
        const bool in_a = index->kind == TCPLAN_SUMMED_A;
        if (!in_a && index->kind != TCPLAN_SUMMED_B) continue;
        diagnose_note(text, index->column, strlen(index->name),
                      "index '%.40s' appears only in '%.40s': it is summed over before the product",
                      index->name, contraction->tensor[in_a ? TCPLAN_A : TCPLAN_B].name);
    }
}

enum exit_status request_refuse_contraction(const struct options *options) {
    const enum exit_status status = diagnose_failure(options->argument);
    if (status == EXIT_REFUSED) correction_print(options);
    return status;
}

enum exit_status request_refuse_sizes(const struct options *options, const char *const index[],
                                      int count) {
    if (count > 0 || failure.column == 0) {
        const enum exit_status status =
            diagnose_failure(options->shapes ? options->shapes : options->sizes);
        if (status == EXIT_REFUSED && failure.column == 0 && !options->shapes)
            correction_print_sizes(options, index, count); /* An index has no extent: print a
                                                              command with the missing sizes. */
        return status;
    }
    failure.column = 1; /* At column 1, the contraction is wrong, not the sizes. */
    failure.length = strlen(options->argument);
    return request_refuse_contraction(options);
}

static enum exit_status read_contraction(struct request *request) {
    const char *command = request->options->command->name;
    const struct options *options = request->options;
    bool is_several;
    if (!options->argument)
        return options_refuse(request->options, "%s needs a contraction, such as C_abc=A_ai*B_ibc",
                              command);
    if (tcplan_network_is_several(&is_several, options->argument) != TCPLAN_OK)
        return diagnose_no_memory();
    if (is_several)
        return diagnose_as(
            EXIT_REFUSED,
            "%s takes a product of two tensors; tcplan rank, list, explain, emit and measure take expressions of several",
            command);
    if (options->shapes &&
        tcplan_shapes_parse(&request->shapes, options->shapes, &failure) != TCPLAN_OK) {
        return diagnose_failure(options->shapes);
    }
    enum tcplan_status status =
        tcplan_contraction_parse_shaped(&request->contraction, options->argument, request->shapes,
                                        (enum tcplan_order)options->order, &failure);
    if (status != TCPLAN_OK) return request_refuse_contraction(options);
    status = tcplan_conjugates_parse(request->contraction,
                                     options->conjugates ? options->conjugates : "", &failure);
    if (status != TCPLAN_OK) return diagnose_failure(options->conjugates);
    tcplan_contraction_fit_type(request->contraction, (enum tcplan_dtype)options->dtype);
    if (!options->quiet) note_sums(request->contraction, options->argument);
    return EXIT_DONE;
}

static enum exit_status read_strides(struct request *request) {
    const struct options *options = request->options;
    for (int s = 0; s < options->strides.count; s++) {
        enum tcplan_status status =
            tcplan_strides_parse(request->contraction, options->strides.text[s], &failure);
        if (status != TCPLAN_OK) return diagnose_failure(options->strides.text[s]);
    }
    return EXIT_DONE;
}

/** Prints a list of the indices that need sizes, such as "a, b, c and i". */
static void print_indices(char *out, size_t size, const struct tcplan_contraction *contraction) {
    size_t length = 0;
    const int count = contraction->index_count;
    for (int i = 0; i < count && length < size; i++) {
        length += (size_t)snprintf(out + length, size - length, "%s%s=...", i > 0 ? "," : "",
                                   contraction->index[i].name);
    }
}

static enum exit_status refuse_without_sizes(const struct request *request) {
    char indices[160] = "";
    print_indices(indices, sizeof indices, request->contraction);
    return options_refuse(request->options, "%s needs sizes: --sizes %s",
                          request->options->command->name, indices);
}

/** Checks the last size point of a sweep. It has the largest extents, so if it is valid, all points
 * are. */
static enum exit_status check_points(const struct request *request) {
    struct tcplan_problem problem;
    int64_t extent[TCPLAN_MAX_INDICES];
    tcplan_sizes_point(request->sizes, tcplan_sizes_count(request->sizes) - 1, extent);
    return diagnosed(tcplan_problem_init(&problem, request->contraction, extent,
                                         (enum tcplan_dtype)request->options->dtype, &failure));
}

void request_note_unused(const struct options *options, const char *unused) {
    if (*unused) note(options, "sizes of unused indices: %s", unused);
}

enum exit_status request_check_points(const struct options *options, int64_t points,
                                      bool only_one) {
    if (only_one && points > 1)
        return diagnose_as(EXIT_REFUSED, "expected one size point, found a sweep of %lld points",
                           (long long)points);
    if (points <= options->max_points) return EXIT_DONE;
    return diagnose_as(
        EXIT_REFUSED,
        "the sweep has %lld size points, more than %lld; take larger steps, or allow them with --max-points %lld",
        (long long)points, (long long)options->max_points, (long long)points);
}

static enum exit_status refuse_sizes(const struct request *request) {
    const char *name[TCPLAN_MAX_INDICES];
    const int count = request->contraction->index_count;
    for (int i = 0; i < count; i++) name[i] = request->contraction->index[i].name;
    return request_refuse_sizes(request->options, name, count);
}

static enum exit_status read_sizes(struct request *request, unsigned needs) {
    const char *text = request->shapes ? request->options->shapes : request->options->sizes;
    if (!text && request->contraction->index_count == 0) text = "";
    if (!text) return needs & REQUEST_SIZES ? refuse_without_sizes(request) : EXIT_DONE;
    char unused[TCPLAN_SIZES_UNUSED] = "";
    enum tcplan_status status =
        request->shapes
            ? tcplan_shapes_sizes(&request->sizes, request->shapes, request->contraction, &failure)
            : tcplan_sizes_parse_more(&request->sizes, request->contraction, text, unused,
                                      &failure);
    if (status != TCPLAN_OK) return refuse_sizes(request);
    request_note_unused(request->options, unused);
    const enum exit_status checked = request_check_points(
        request->options, tcplan_sizes_count(request->sizes), needs & REQUEST_ONE_POINT);
    return checked == EXIT_DONE ? check_points(request) : checked;
}

/** Prints a note with the name of the baseline if `name` is only its kernel, without its copies. */
static void note_baseline(const struct request *request, const char *name) {
    if (!request->sizes) return;
    const struct tcplan_problem problem = request_problem(request, request_points(request) - 1);
    struct tcplan_rank_options options = tcplan_rank_defaults();
    struct tcplan_ranking *ranking = NULL;
    options.effort = TCPLAN_EFFORT_ESTIMATE;
    if (tcplan_rank(&ranking, &problem, &options, NULL) == TCPLAN_OK) {
        const struct tcplan_entry *entry = tcplan_ranking_baseline(ranking);
        char *baseline =
            entry ? tcplan_algorithm_name(&entry->algorithm, request->contraction, problem.dtype)
                  : NULL;
        const char *kernel = baseline ? strrchr(baseline, '-') : NULL;
        if (kernel && strcmp(kernel + 1, name) == 0)
            diagnose("note: the baseline, which copies operands for %s, is called %s", name,
                     baseline);
        free(baseline);
    }
    tcplan_ranking_free(ranking);
}

enum exit_status request_read_algorithm(struct tcplan_algorithm *out, const struct request *request,
                                        const char *name) {
    const enum tcplan_dtype dtype = (enum tcplan_dtype)request->options->dtype;
    if (!name ||
        tcplan_algorithm_parse(out, request->contraction, dtype, name, &failure) == TCPLAN_OK)
        return EXIT_DONE;
    const enum exit_status status = diagnose_failure(name);
    if (status != EXIT_REFUSED) return status;
    note_baseline(request, name);
    correction_print_list(request->options);
    return status;
}

/** Rejects a named algorithm whose temporaries exceed the limit at the largest sizes. */
static enum exit_status check_workspace(const struct request *request) {
    const int64_t limit_bytes = request->options->max_workspace_bytes;
    struct tcplan_nest *nest;
    if (!request->options->algorithm || !request->sizes || limit_bytes == 0) return EXIT_DONE;
    const struct tcplan_problem problem = request_problem(request, request_points(request) - 1);
    enum tcplan_status status =
        tcplan_nest_build(&nest, request->contraction, &request->algorithm, &failure);
    if (status != TCPLAN_OK) return diagnose_failure(NULL);
    const int64_t bytes = tcplan_nest_workspace_bytes(nest, &problem, request->options->threads);
    tcplan_nest_free(nest);
    if (bytes <= limit_bytes) return EXIT_DONE;
    return diagnose_as(
        EXIT_REFUSED, "the temporaries of '%.200s' take %s, more than the %s of --max-workspace",
        request->options->algorithm, quantity_bytes(bytes).text, quantity_bytes(limit_bytes).text);
}

/** Rejects a named algorithm with a block that is larger than its index at the largest sizes. */
static enum exit_status check_blocks(const struct request *request) {
    const struct tcplan_algorithm *algorithm = &request->algorithm;
    if (!request->options->algorithm || !request->sizes) return EXIT_DONE;
    const struct tcplan_problem problem = request_problem(request, request_points(request) - 1);
    for (int s = 0; s < algorithm->split_count; s++) {
        const struct tcplan_split split = algorithm->split[s];
        const int64_t extent = problem.extent[split.index];
        if (split.step <= extent) continue;
        return diagnose_as(EXIT_REFUSED,
                           "blocks of index '%s' may not exceed its extent %lld, found %d in the "
                           "algorithm '%.200s'",
                           request->contraction->index[split.index].name, (long long)extent,
                           split.step, request->options->algorithm);
    }
    return EXIT_DONE;
}

enum exit_status request_check_threads(const struct options *options) {
    if (options->oversubscribe || tcplan_check_threads(options->threads, &failure) == TCPLAN_OK)
        return EXIT_DONE;
    return diagnose_advised(TCPLAN_INVALID, "--oversubscribe allows more");
}

/** Reads the machine's ceilings for the number of threads. */
static enum exit_status read_ceilings(struct request *request) {
    const enum exit_status status = stored_ceilings(&request->ceilings, request->no_ceilings,
                                                    request, &request->options->threads, 1);
    request->machine.ceilings = request->ceilings;
    return status;
}

/** Prints notes about unknown properties of an exported machine, and about its libraries that
 * differ from those here. */
static void note_exported(const struct options *options, const struct tcplan_machine_file *file) {
    char text[TCPLAN_MESSAGE_SIZE];
    struct tcplan_fingerprint here = tcplan_fingerprint_make(&file->machine);
    memcpy(here.part, file->fingerprint.part, sizeof *here.part * TCPLAN_FINGERPRINT_LIBRARIES);
    note(options, "planned for the machine of '%.160s' by estimate: nothing is timed",
         options->machine);
    tcplan_machine_unknown(text, file, options->threads);
    if (*text) note(options, "unknown about it: %s", text);
    if (tcplan_fingerprint_compare(text, sizeof text, &file->fingerprint, &here) > 0)
        note(options, "that machine has %s", text);
}

/** Reads a file of `tcplan machine --export`; without `estimates`, reads only the caches in it. */
static enum exit_status read_exported(struct request *request, bool estimates) {
    struct tcplan_machine_file file = {0};
    if (tcplan_machine_import(&file, request->options->machine, &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    request->machine = file.machine;
    if (estimates) {
        note_exported(request->options, &file);
        request->ceilings = file.ceilings;
        request->experience = file.experience;
        request->models = file.models;
        return EXIT_DONE;
    }
    request->machine.ceilings = NULL;
    tcplan_machine_file_free(&file);
    return EXIT_DONE;
}

/** Returns whether threads are bound. Stored observations and plans are those of threads that are
 * not. */
static bool binds(const struct request *request) {
    return request->options->cores || request->options->memory;
}

enum exit_status request_read_experience(struct request *request) {
    enum exit_status status = EXIT_DONE;
    if (!binds(request)) status = stored_experience(&request->experience, request);
    if (status == EXIT_DONE) status = stored_models(&request->models, request);
    if (status == EXIT_DONE) status = stored_code(&request->code, request);
    return status;
}

enum exit_status request_read_machine(struct request *request, unsigned needs) {
    const bool estimates = request->options->effort == TCPLAN_EFFORT_ESTIMATE;
    const bool is_exported = tcplan_machine_is_exported(request->options->machine);
    if ((needs & REQUEST_EXPERIENCE) && !request->options->quiet)
        cleanup_set_words("tcplan: interrupted; no result was stored\n");
    if (is_exported) {
        const enum exit_status status = read_exported(request, estimates);
        if (status != EXIT_DONE || estimates) return status;
    }
    if (!is_exported && tcplan_machine_load_apart(&request->machine, request->options->machine,
                                                  &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    if (!request->machine.live && !(needs & REQUEST_UNTIMED))
        note(request->options, "caches are those of '%s', times are measured on this machine",
             request->machine.source);
    if ((needs & REQUEST_EXPERIENCE) && (request->machine.live || !estimates)) {
        const enum exit_status checked = request_check_threads(request->options);
        if (checked != EXIT_DONE) return checked;
    }
    blas_advice_use(request->options, &request->machine);
    enum exit_status status = needs & REQUEST_CEILINGS ? read_ceilings(request) : EXIT_DONE;
    if (status == EXIT_DONE && (needs & REQUEST_EXPERIENCE))
        status = request_read_experience(request);
    if (status == EXIT_DONE && (needs & REQUEST_PLANS) && !binds(request))
        status = plans_open(&request->plans, request);
    return status;
}

void request_note_memory(const struct request *request, double bytes) {
    const double has = (double)request->machine.memory_bytes;
    if (!(has > 0) || bytes <= has) return;
    note(request->options, "the tensors take %s, but the machine has only %s of memory",
         quantity_bytes(bytes).text, quantity_bytes(has).text);
}

/** Prints a note if the tensors of the last size point, which are the largest, exceed the
 * memory. */
static void note_memory(const struct request *request) {
    if (!request->sizes) return;
    const struct tcplan_problem problem = request_problem(request, request_points(request) - 1);
    const int operands =
        tcplan_contraction_has_addend(problem.contraction) ? TCPLAN_ADDEND + 1 : TCPLAN_OPERANDS;
    double bytes = 0;
    for (int t = 0; t < operands; t++)
        bytes += (double)problem.elems[t] * (double)problem.element_bytes;
    request_note_memory(request, bytes);
}

enum exit_status request_read(struct request *out, const struct options *options, unsigned needs) {
    *out = (struct request){.options = options,
                            .machine = {.heuristics = tcplan_heuristics_default()}};
    enum exit_status status = read_contraction(out);
    if (status == EXIT_DONE) status = request_read_binding(&out->binding, options);
    if (status == EXIT_DONE) status = read_strides(out);
    if (status == EXIT_DONE) status = read_sizes(out, needs);
    if (status == EXIT_DONE)
        status = request_read_algorithm(&out->algorithm, out, options->algorithm);
    if (status == EXIT_DONE)
        status = request_read_algorithm(&out->baseline, out, options->baseline);
    if (status == EXIT_DONE) status = check_blocks(out);
    if (status == EXIT_DONE) status = check_workspace(out);
    const bool is_described =
        /* Loop nests depend on the machine's heuristics, so the machine is needed. */
        strcmp(options->machine, "live") != 0;
    if (status == EXIT_DONE && (needs & REQUEST_MACHINE)) {
        status = request_read_machine(out, needs);
        if (status == EXIT_DONE) note_memory(out);
    } else if (status == EXIT_DONE && is_described) {
        status = request_read_machine(out, REQUEST_UNTIMED);
    } else {
        blas_advice_use(options, NULL);
    }
    return status;
}

void request_free(struct request *request) {
    tcplan_sizes_free(request->sizes);
    tcplan_shapes_free(request->shapes);
    tcplan_contraction_free(request->contraction);
    tcplan_roofline_free(request->ceilings);
    tcplan_experience_free(request->experience);
    tcplan_models_free(request->models);
    stored_code_free(request->code);
    tcplan_stored_plans_close(request->plans);
    *request = (struct request){0};
}

int64_t request_points(const struct request *request) {
    return request->sizes ? tcplan_sizes_count(request->sizes) : 0;
}

struct tcplan_problem request_problem(const struct request *request, int64_t point) {
    int64_t extent[TCPLAN_MAX_INDICES];
    struct tcplan_problem problem;
    tcplan_sizes_point(request->sizes, point, extent);
    enum tcplan_status status = tcplan_problem_init(
        &problem, request->contraction, extent, (enum tcplan_dtype)request->options->dtype, NULL);
    assert(status == TCPLAN_OK); /* This cannot fail: check_points() has checked a larger size. */
    (void)status;
    problem.heuristics = request->machine.heuristics;
    return problem;
}

void request_begin_limit(struct request *request) {
    const double seconds = request->options->time_limit_seconds;
    request->deadline_seconds = seconds > 0 ? monotonic_seconds() + seconds : 0;
}

double request_seconds_left(const struct request *request) {
    if (request->deadline_seconds == 0) return request->options->time_limit_seconds;
    return fmax(request->deadline_seconds - monotonic_seconds(), 1e-9);
}

struct tcplan_rank_options request_rank_options(const struct request *request) {
    const struct options *options = request->options;
    struct tcplan_rank_options out = tcplan_rank_defaults();
    out.predictor = (enum tcplan_predictor)options->predictor;
    out.setup_limit_bytes = options->limit_bytes;
    out.stage = (enum tcplan_stage)options->stage;
    out.cache = (enum tcplan_cache_state)options->cache;
    out.threads = options->threads;
    out.oversubscribe = options->oversubscribe;
    out.binding = request->binding;
    out.space = (enum tcplan_space)options->space;
    out.effort = (enum tcplan_effort)options->effort;
    out.prefer = (enum tcplan_preference)options->prefer;
    out.time_limit_seconds = request_seconds_left(request);
    out.predict_all = options->all;
    out.seed = options->seed;
    out.max_memory_bytes = options->max_memory_bytes;
    out.alignment_bytes = options->alignment_bytes;
    out.max_workspace_bytes = options->max_workspace_bytes;
    out.machine = &request->machine;
    out.experience = request->experience;
    out.models = request->models;
    out.code = request->code;
    return out;
}

enum tcplan_status request_planner(struct tcplan_planner **out, const struct options *options,
                                   enum tcplan_effort effort) {
    struct tcplan_planner *planner = NULL;
    enum tcplan_status status = tcplan_planner_new(&planner, &failure);
    if (status == TCPLAN_OK) status = tcplan_planner_set_effort(planner, effort, &failure);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_threads(planner, options->threads, &failure);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_oversubscription(planner, options->oversubscribe, &failure);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_alignment(planner, options->alignment_bytes, &failure);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_workspace(planner, options->max_workspace_bytes, &failure);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_preference(planner, (enum tcplan_preference)options->prefer,
                                               &failure);
    if (status == TCPLAN_OK) {
        *out = planner;
    } else {
        tcplan_planner_free(planner);
    }
    return status;
}

enum exit_status request_read_binding(struct tcplan_binding *out, const struct options *options) {
    return diagnosed(tcplan_binding_make(out, options->cores, options->memory, &failure));
}
