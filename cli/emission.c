#include "cli/emission.h"

#include <stdlib.h>

#include "cli/cleanup.h"
#include "tcplan/study/folder.h"

static enum tcplan_status emit(char **out, const struct request *request, const struct tcplan_algorithm *algorithm,
                               struct tcplan_error *error) {
    const struct tcplan_problem problem = request_problem(request, 0);
    const char *files[TCPLAN_PROVIDER_FILES];
    tcplan_provider_files(files);
    const struct tcplan_emit_options options = {.function = request->options->function,
                                                .with_main = request->options->with_main,
                                                .threads = request->options->threads,
                                                .blas_files = files};
    struct tcplan_nest *nest = NULL;
    enum tcplan_status status = tcplan_nest_build(&nest, request->contraction, algorithm, error);
    if (status == TCPLAN_OK) status = tcplan_emit_c(out, nest, &problem, &options, error);
    tcplan_nest_free(nest);
    return status;
}

enum exit_status emission_check(const struct request *request) {
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    struct tcplan_error error;
    char *text = NULL;
    tcplan_enumerator_init(&enumerator, request->contraction);
    if (!tcplan_enumerator_next(&enumerator, &algorithm)) return EXIT_DONE;
    const enum tcplan_status status = emit(&text, request, &algorithm, &error);
    free(text);
    return status == TCPLAN_OK || status == TCPLAN_NOT_APPLICABLE ? EXIT_DONE : diagnose_error(&error, NULL);
}

enum exit_status emission_write(const struct request *request, const struct tcplan_algorithm *algorithm, struct output_file *out) {
    struct tcplan_error error;
    char *text = NULL;
    if (emit(&text, request, algorithm, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    fputs(text, out->file);
    free(text);
    return output_file_commit(out, &error) == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

enum exit_status emission_write_fastest(const struct request *request, const struct tcplan_ranking *ranking, struct output_file *out) {
    if (ranking->entry_count > 0 && ranking->entry[0].status != TCPLAN_ENTRY_NOT_APPLICABLE) {
        return emission_write(request, &ranking->entry[0].algorithm, out);
    }
    diagnose("no algorithm can run at these sizes: a stride or matrix exceeds what its kernel takes");
    return EXIT_REFUSED;
}

enum exit_status emission_write_folder(const struct options *options, const char *results) {
    struct tcplan_error error;
    size_t count;
    if (tcplan_folder_emit(&count, options->emit, results, &cleanup_watch, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    if (!options->quiet) diagnose("%zu function%s emitted: '%.200s'", count, count == 1 ? "" : "s", options->emit);
    return EXIT_DONE;
}
