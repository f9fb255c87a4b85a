#include "cli/emission.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/providers.h"
#include "cli/render/algorithms/report.h"
#include "tcplan/study/folder.h"

typedef enum tcplan_status emit_text(char **out, const struct tcplan_nest *nest,
                                     const struct tcplan_problem *problem,
                                     const struct tcplan_emit_options *options,
                                     struct tcplan_error *error);

void emission_say_chosen(const struct options *options, const char *choice) {
    if (options->output && !options->quiet) diagnose("wrote '%.200s': %s", options->output, choice);
}

const char *emission_included(const struct options *options) {
    const char *slash = options->header ? strrchr(options->header, '/') : NULL;
    return slash ? slash + 1 : options->header;
}

static enum tcplan_status emit(char **out, emit_text *text, const struct request *request,
                               const struct tcplan_algorithm *algorithm, int threads) {
    const struct tcplan_problem problem = request_problem(request, 0);
    const char *files[TCPLAN_PROVIDER_FILES];
    tcplan_provider_files(files);
    const struct tcplan_emit_options options = {.function = request->options->function,
                                                .with_main = request->options->with_main,
                                                .header = emission_included(request->options),
                                                .takes_extents = request->options->takes_extents,
                                                .threads = threads,
                                                .blas_files = files,
                                                .blas_advice = blas_advice(algorithm->provider)};
    struct tcplan_nest *nest = NULL;
    enum tcplan_status status = tcplan_nest_build(&nest, request->contraction, algorithm, &failure);
    if (status == TCPLAN_OK) status = text(out, nest, &problem, &options, &failure);
    tcplan_nest_free(nest);
    return status;
}

/** Checks that the emitter accepts the options, such as the name of the function. */
static enum exit_status check(const struct request *request) {
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    char *text = NULL;
    tcplan_enumerator_init(&enumerator, request->contraction);
    if (!tcplan_enumerator_next(&enumerator, &algorithm)) return EXIT_DONE;
    const enum tcplan_status status =
        emit(&text, tcplan_emit_c, request, &algorithm, request->options->threads);
    free(text);
    return status == TCPLAN_OK || status == TCPLAN_NOT_APPLICABLE ? EXIT_DONE
                                                                  : diagnose_failure(NULL);
}

enum exit_status emission_open_files(struct emission *out, const struct options *options,
                                     const char *path) {
    enum exit_status status = output_begin(&out->source, path);
    if (status == EXIT_DONE && options->header)
        status = output_begin(&out->header, options->header);
    if (status == EXIT_DONE && options->fortran)
        status = output_begin(&out->fortran, options->fortran);
    return status;
}

enum exit_status emission_open(struct emission *out, const struct request *request,
                               const char *path) {
    const enum exit_status status = check(request);
    out->request = request;
    return status == EXIT_DONE ? emission_open_files(out, request->options, path) : status;
}

enum exit_status emission_put(struct output_file *out, enum tcplan_status emitted, char *text) {
    if (emitted != TCPLAN_OK) return diagnose_failure(NULL);
    if (text) fputs(text, out->file);
    free(text);
    return printed_complete(out);
}

/** Writes and completes one output file if it was requested. */
static enum exit_status write_file(struct output_file *out, emit_text *text,
                                   const struct request *request,
                                   const struct tcplan_algorithm *algorithm, int threads) {
    char *emitted = NULL;
    if (!out->file) return EXIT_DONE;
    const enum tcplan_status status = emit(&emitted, text, request, algorithm, threads);
    return emission_put(out, status, emitted);
}

enum exit_status emission_write(struct emission *emission, const struct tcplan_algorithm *algorithm,
                                int threads) {
    static emit_text *const texts[] = {tcplan_emit_c, tcplan_emit_header, tcplan_emit_fortran};
    struct output_file *const files[] = {&emission->source, &emission->header, &emission->fortran};
    enum exit_status status = EXIT_DONE;
    for (int f = 0; f < 3 && status == EXIT_DONE; f++)
        status = write_file(files[f], texts[f], emission->request, algorithm, threads);
    if (status == EXIT_DONE && !emission_keeps_kernel(emission, algorithm))
        note(emission->request->options,
             "kernels of emitted have fixed extents; the code calls the BLAS instead, which may be "
             "slower");
    return status;
}

bool emission_keeps_kernel(const struct emission *emission,
                           const struct tcplan_algorithm *algorithm) {
    return !emission->request->options->takes_extents ||
           algorithm->provider != TCPLAN_PROVIDER_EMITTED;
}

/** Returns the entry to emit: the choice, unless its kernel cannot have extents as arguments; then
 * the fastest whose kernel can. NULL if there is none. */
static const struct tcplan_entry *chosen_of(const struct emission *emission,
                                            const struct tcplan_ranking *ranking) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    if (!chosen || emission_keeps_kernel(emission, &chosen->algorithm)) return chosen;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->status == TCPLAN_ENTRY_PREDICTED &&
            emission_keeps_kernel(emission, &entry->algorithm))
            return entry;
    }
    return chosen;
}

enum exit_status emission_choose(const struct tcplan_entry **out, const struct emission *emission,
                                 const struct tcplan_ranking *ranking) {
    char load[REPORT_LOAD_CHARS];
    char faster[REPORT_FASTER_CHARS];
    if (ranking->is_untimed) note(emission->request->options, "not compared: nothing was timed");
    if (tcplan_ranking_is_disturbed(ranking) && !emission->request->options->quiet)
        diagnose("%s", report_load_warning(load, &ranking->load));
    if (*report_faster_text(faster, ranking)) note(emission->request->options, "%s", faster);
    *out = chosen_of(emission, ranking);
    if (*out && (*out)->status != TCPLAN_ENTRY_NOT_APPLICABLE) return EXIT_DONE;
    return diagnose_as(EXIT_REFUSED, "no algorithm can run at these sizes: %s",
                       *ranking->cannot_run ? ranking->cannot_run
                                            : "a stride or matrix is too large for its kernel");
}

enum exit_status emission_write_fastest(struct emission *emission,
                                        const struct tcplan_ranking *ranking) {
    const struct tcplan_entry *chosen;
    const enum exit_status status = emission_choose(&chosen, emission, ranking);
    return status == EXIT_DONE ? emission_write(emission, &chosen->algorithm, chosen->threads)
                               : status;
}

void emission_discard(struct emission *emission) {
    output_file_discard(&emission->source);
    output_file_discard(&emission->header);
    output_file_discard(&emission->fortran);
}

enum exit_status emission_write_folder(const struct options *options, const char *results,
                                       const char *plans) {
    size_t count;
    if (tcplan_folder_emit(&count, options->emit, results, plans, &cleanup_watch, &failure) !=
        TCPLAN_OK)
        return diagnose_failure(NULL);
    if (!options->quiet)
        diagnose("%s emitted: '%.200s'", counted((int64_t)count, "function").text, options->emit);
    return EXIT_DONE;
}
