#include "tcplan/study/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/output_file.h"
#include "base/quantity.h"
#include "base/strbuf.h"
#include "blocks/library.h"
#include "study/blocks.h"
#include "tcplan/blas.h"
#include "tcplan/emit_library.h"
#include "tcplan/provider.h"
#include "tcplan/sizes.h"
#include "tcplan/strides.h"
#include "tcplan/study/digest.h"

enum { READ_BYTES = 4096 };

/** A library that is being written. */
struct emitting {
    const char *folder;
    const char *plans; /* folder of stored plans; NULL: none */
    size_t count;      /* number of functions */
    size_t capacity;
    char **text; /* for each function, the text from which its name is made */
    char **id;   /* for each function, the id of its result */
    char **name; /* for each function, its name */
    size_t at;   /* number of the next function to write */
    struct output_file file[TCPLAN_EMIT_LIBRARY_FILES];
    const struct tcplan_temporary_watch *watch;
};

/** Returns the number of threads that execute the winner. */
static int threads_of(const struct tcplan_result *result) {
    const struct tcplan_result_algorithm *winner = tcplan_result_winner(result);
    return (int)(winner && winner->threads > 0 ? winner->threads : result->threads);
}

static bool has_winner(const struct tcplan_result *result) {
    return !result->reason && result->algorithm_count > 0;
}

/** Returns name and sizes without equals signs, as "ccsd5 a72 b48"; NULL if memory runs out. */
static char *text_of(const struct tcplan_result *result) {
    struct strbuf text = {0};
    strbuf_add(&text, "%s ", result->name);
    for (const char *c = result->sizes; *c; c++) {
        if (*c != '=') strbuf_add(&text, "%c", *c);
    }
    return strbuf_finish(&text);
}

static bool reserve(struct emitting *emitting) {
    if (emitting->count < emitting->capacity) return true;
    const size_t capacity = 2 * emitting->capacity + 64;
    char **text = base_realloc(emitting->text, capacity * sizeof *text);
    if (text) emitting->text = text;
    char **id = base_realloc(emitting->id, capacity * sizeof *id);
    if (id) emitting->id = id;
    if (!text || !id) return false;
    emitting->capacity = capacity;
    return true;
}

/** Records the text and the id of a record with a winner (a tcplan_result_fn). */
static enum tcplan_status note_text(void *context, const struct tcplan_result *result,
                                    struct tcplan_error *error) {
    struct emitting *emitting = context;
    if (!has_winner(result)) return TCPLAN_OK;
    char *text = text_of(result), *id = base_strdup(result->id);
    if (text && id && reserve(emitting)) {
        emitting->text[emitting->count] = text;
        emitting->id[emitting->count++] = id;
        return TCPLAN_OK;
    }
    free(text);
    free(id);
    return error_no_memory(error);
}

static enum tcplan_status choose_names(struct emitting *emitting, const char *results,
                                       struct tcplan_error *error) {
    enum tcplan_status status = tcplan_results_walk(results, note_text, emitting, NULL, error);
    if (status != TCPLAN_OK) return status;
    if (emitting->count == 0) {
        return error_set(error, TCPLAN_INVALID,
                         "no contraction has a winner: there is nothing to emit to '%.200s'",
                         emitting->folder);
    }
    return tcplan_emit_library_names(&emitting->name, (const char *const *)emitting->text,
                                     (const char *const *)emitting->id, emitting->count, error);
}

/** Returns the path FOLDER/NAMEextension, which must be freed when the file is closed; NULL if
 * memory runs out. */
static char *path_in(const char *folder, const char *name, const char *extension) {
    struct strbuf text = {0};
    strbuf_add(&text, "%s/%s%s", folder, name, extension);
    return strbuf_finish(&text);
}

static enum tcplan_status open_file(const struct emitting *emitting, struct output_file *out,
                                    char **path, const char *name, const char *extension,
                                    struct tcplan_error *error) {
    *path = path_in(emitting->folder, name, extension);
    return *path ? output_file_open(out, *path, emitting->watch, error) : error_no_memory(error);
}

/** Writes a text, and frees it. output_file_commit() reports failed writes. */
static enum tcplan_status put(struct output_file *out, char *text, struct tcplan_error *error) {
    fputs(text, out->file);
    free(text);
    return output_file_good(out) ? TCPLAN_OK : output_file_commit(out, error);
}

/** Writes NAME.c, unless `emitted` is a failure, and frees its text. */
static enum tcplan_status write_source(const struct emitting *emitting, const char *function,
                                       enum tcplan_status emitted, char *text,
                                       struct tcplan_error *error) {
    struct output_file out = {0};
    char *path = NULL;
    if (emitted != TCPLAN_OK) return emitted;
    enum tcplan_status status = open_file(emitting, &out, &path, function, ".c", error);
    if (status == TCPLAN_OK) {
        fputs(text, out.file);
        status = output_file_commit(&out, error);
    }
    output_file_discard(&out);
    free(path);
    free(text);
    return status;
}

static enum tcplan_status write_entry(struct emitting *emitting,
                                      const struct tcplan_emit_library_entry *entry,
                                      struct tcplan_error *error) {
    char *text = NULL;
    enum tcplan_status status = tcplan_emit_library_source(&text, entry, error);
    status = write_source(emitting, entry->function, status, text, error);
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES && status == TCPLAN_OK; f++) {
        status =
            tcplan_emit_library_function(&text, (enum tcplan_emit_library_file)f, entry, error);
        if (status == TCPLAN_OK) status = put(&emitting->file[f], text, error);
    }
    return status;
}

/** Writes NAME.c and the pieces of the other files for a block-sparse product. */
static enum tcplan_status write_blocks(struct emitting *emitting,
                                       const struct tcplan_block_plan *plan, const char *function,
                                       const char *remark, struct tcplan_error *error) {
    char *text = NULL;
    enum tcplan_status status = block_library_source(&text, plan, function, error);
    status = write_source(emitting, function, status, text, error);
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES && status == TCPLAN_OK; f++) {
        status = block_library_function(&text, (enum tcplan_emit_library_file)f, plan, function,
                                        remark, error);
        if (status == TCPLAN_OK) status = put(&emitting->file[f], text, error);
    }
    return status;
}

/** Returns "t1 of ccsd.xml; planned for 1 thread: 1.583 us predicted, 2.053 us measured", and the
 * source in a line of its own. */
static char *remark_on(const struct tcplan_result *result) {
    const struct tcplan_facts facts = tcplan_result_facts(result);
    struct strbuf text = {0};
    strbuf_add(&text, "%s%s%s", result->name, *result->library ? " of " : "", result->library);
    strbuf_add(&text, "; planned for %d thread%s", threads_of(result),
               threads_of(result) == 1 ? "" : "s");
    if (facts.predicted_seconds > 0)
        strbuf_add(&text, ": %s predicted", quantity_seconds(facts.predicted_seconds).text);
    if (facts.measured_seconds > 0)
        strbuf_add(&text, ", %s measured", quantity_seconds(facts.measured_seconds).text);
    if (*result->source) strbuf_add(&text, "\n%s", result->source);
    return strbuf_finish(&text);
}

/** The winner of a record, rebuilt from the texts of the record. */
struct rebuilt {
    struct tcplan_contraction *contraction;
    struct tcplan_sizes *sizes;
    struct tcplan_problem problem;
    struct tcplan_nest *nest;
};

static enum tcplan_status rebuild(struct rebuilt *out, const struct tcplan_result *result,
                                  struct tcplan_error *error) {
    int64_t extent[TCPLAN_MAX_INDICES];
    struct tcplan_algorithm algorithm;
    enum tcplan_status status =
        tcplan_contraction_parse(&out->contraction, result->contraction, result->order, error);
    if (status == TCPLAN_OK) tcplan_contraction_fit_type(out->contraction, result->dtype);
    if (status == TCPLAN_OK)
        status =
            tcplan_strides_parse(out->contraction, result->strides ? result->strides : "", error);
    if (status == TCPLAN_OK)
        status = tcplan_sizes_parse(&out->sizes, out->contraction, result->sizes, error);
    if (status != TCPLAN_OK) return status;
    tcplan_sizes_point(out->sizes, 0, extent);
    status = tcplan_problem_init(&out->problem, out->contraction, extent, result->dtype, error);
    if (status == TCPLAN_OK)
        status = tcplan_algorithm_parse(&algorithm, out->contraction, result->dtype,
                                        tcplan_result_winner(result)->name, error);
    if (status == TCPLAN_OK)
        status = tcplan_nest_build(&out->nest, out->contraction, &algorithm, error);
    return status;
}

static void rebuilt_free(struct rebuilt *rebuilt) {
    tcplan_nest_free(rebuilt->nest);
    tcplan_sizes_free(rebuilt->sizes);
    tcplan_contraction_free(rebuilt->contraction);
}

static enum tcplan_status write_function(struct emitting *emitting,
                                         const struct tcplan_result *result, const char *remark,
                                         struct tcplan_error *error) {
    struct rebuilt rebuilt = {0};
    struct tcplan_block_plan *plan = NULL;
    struct tcplan_error reason;
    const char *files[TCPLAN_PROVIDER_FILES];
    tcplan_provider_files(files);
    enum tcplan_status status =
        result_is_blocks(result)
            ? blocks_winner(&plan, result, threads_of(result), emitting->plans, &reason)
            : rebuild(&rebuilt, result, &reason);
    if (status == TCPLAN_OK && plan) {
        status = write_blocks(emitting, plan, emitting->name[emitting->at++], remark, error);
    } else if (status == TCPLAN_OK) {
        const struct tcplan_emit_library_entry entry = {.function = emitting->name[emitting->at++],
                                                        .problem = &rebuilt.problem,
                                                        .nest = rebuilt.nest,
                                                        .remark = remark,
                                                        .threads = threads_of(result),
                                                        .blas_files = files};
        status = write_entry(emitting, &entry, error);
    } else {
        error_set(error, status, "%.60s cannot be emitted: %.200s", result->name, reason.message);
    }
    rebuilt_free(&rebuilt);
    tcplan_block_plan_free(plan);
    return status;
}

/** Writes the function of a record with a winner (a tcplan_result_fn). */
static enum tcplan_status add_function(void *context, const struct tcplan_result *result,
                                       struct tcplan_error *error) {
    struct emitting *emitting = context;
    if (!has_winner(result) || emitting->at == emitting->count) return TCPLAN_OK;
    char *remark = remark_on(result);
    const enum tcplan_status status =
        remark ? write_function(emitting, result, remark, error) : error_no_memory(error);
    free(remark);
    return status;
}

typedef enum tcplan_status make_part(char **out, enum tcplan_emit_library_file file,
                                     struct tcplan_error *error);

/** Writes the beginning or the end of the files that list all functions; `make` returns the
 * text. */
static enum tcplan_status write_parts(struct emitting *emitting, make_part *make,
                                      struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES && status == TCPLAN_OK; f++) {
        char *text = NULL;
        status = make(&text, (enum tcplan_emit_library_file)f, error);
        if (status == TCPLAN_OK) status = put(&emitting->file[f], text, error);
    }
    return status;
}

static enum tcplan_status write_all(struct emitting *emitting, const char *results,
                                    struct tcplan_error *error) {
    enum tcplan_status status = write_parts(emitting, tcplan_emit_library_begin, error);
    if (status == TCPLAN_OK)
        status = tcplan_results_walk(results, add_function, emitting, NULL, error);
    return status == TCPLAN_OK ? write_parts(emitting, tcplan_emit_library_end, error) : status;
}

/** Writes the library. The files that list all functions stay open while the functions are written.
 */
static enum tcplan_status write_folder(struct emitting *emitting, const char *results,
                                       struct tcplan_error *error) {
    char *path[TCPLAN_EMIT_LIBRARY_FILES] = {0};
    enum tcplan_status status = TCPLAN_OK;
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES && status == TCPLAN_OK; f++) {
        const char *name = tcplan_emit_library_file_name((enum tcplan_emit_library_file)f);
        status = open_file(emitting, &emitting->file[f], &path[f], name, "", error);
    }
    if (status == TCPLAN_OK) status = write_all(emitting, results, error);
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES; f++) {
        if (status == TCPLAN_OK) status = output_file_commit(&emitting->file[f], error);
        output_file_discard(&emitting->file[f]);
        free(path[f]);
    }
    return status;
}

/** Returns whether the first lines of a file state that tcplan emitted it. */
static bool is_ours(FILE *file) {
    char text[READ_BYTES];
    const size_t length = fread(text, 1, sizeof text, file);
    static const char mark[] = "mitted by tcplan ";
    return memmem(text, length, mark, sizeof mark - 1) != NULL;
}

static enum tcplan_status check_file(const char *path, struct tcplan_error *error) {
    FILE *file = fopen(path, "re");
    if (!file && (errno == ENOENT || errno == ENOTDIR))
        return TCPLAN_OK; /* a path that is not a folder is rejected when it is written */
    if (!file)
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot read '%.200s': %s", path,
                         strerror(errno));
    const bool ours = is_ours(file);
    fclose(file);
    if (ours) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "'%.200s' was not emitted by tcplan and stays as it is: expected a folder for the library alone",
        path);
}

enum tcplan_status tcplan_folder_check(const char *folder, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES && status == TCPLAN_OK; f++) {
        char *path =
            path_in(folder, tcplan_emit_library_file_name((enum tcplan_emit_library_file)f), "");
        status = path ? check_file(path, error) : error_no_memory(error);
        free(path);
    }
    return status;
}

static enum tcplan_status make_folder(const char *folder, struct tcplan_error *error) {
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return TCPLAN_OK; /* if the path is a file, opening a file in it will fail */
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot make the folder '%.200s': %s", folder,
                     strerror(errno));
}

static void emitting_free(struct emitting *emitting) {
    for (size_t n = 0; n < emitting->count; n++) {
        free(emitting->text[n]);
        free(emitting->id[n]);
    }
    tcplan_emit_library_names_free(emitting->name, emitting->count);
    free(emitting->text);
    free(emitting->id);
}

enum tcplan_status tcplan_folder_emit(size_t *count, const char *folder, const char *results,
                                      const char *plans, const struct tcplan_temporary_watch *watch,
                                      struct tcplan_error *error) {
    struct emitting emitting = {.folder = folder, .plans = plans, .watch = watch};
    enum tcplan_status status = tcplan_folder_check(folder, error);
    if (status == TCPLAN_OK) status = choose_names(&emitting, results, error);
    if (status == TCPLAN_OK) status = make_folder(folder, error);
    if (status == TCPLAN_OK) status = write_folder(&emitting, results, error);
    *count = emitting.count;
    emitting_free(&emitting);
    return status;
}
