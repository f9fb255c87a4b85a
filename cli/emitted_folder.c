#include "cli/emitted_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "cli/digest.h"
#include "cli/output_file.h"
#include "cli/providers.h"
#include "cli/render/quantity.h"
#include "tcplan/tcplan.h"

/** A library in the making. */
struct emitting {
    const char *folder;
    size_t count; /* of functions */
    size_t capacity;
    char **text; /* of each, what its name is made of */
    char **id;   /* of each */
    char **name; /* of each */
    size_t at;   /* the function that comes next */
    struct output_file file[TCPLAN_EMIT_LIBRARY_FILES];
    enum exit_status status; /* EXIT_DONE, or why it cannot be written, which was told */
};

static bool has_winner(const struct tcplan_result *result) {
    return !result->reason && result->algorithm_count > 0;
}

/** The name and the sizes without signs: "ccsd5 a72 b48"; NULL when memory is out. */
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

static void note_text(void *context, const struct tcplan_result *result) {
    struct emitting *emitting = context;
    if (emitting->status != EXIT_DONE || !has_winner(result)) return;
    char *text = text_of(result), *id = base_strdup(result->id);
    if (text && id && reserve(emitting)) {
        emitting->text[emitting->count] = text;
        emitting->id[emitting->count++] = id;
        return;
    }
    free(text);
    free(id);
    emitting->status = diagnose_no_memory();
}

static enum exit_status choose_names(struct emitting *emitting, const char *results) {
    struct tcplan_error error;
    enum exit_status status = records_walk(results, note_text, emitting, NULL);
    if (status != EXIT_DONE || emitting->status != EXIT_DONE) return status != EXIT_DONE ? status : emitting->status;
    if (tcplan_emit_library_names(&emitting->name, (const char *const *)emitting->text, (const char *const *)emitting->id, emitting->count,
                                  &error) != TCPLAN_OK) {
        return diagnose_error(&error, NULL);
    }
    return EXIT_DONE;
}

/** Opens FOLDER/NAMEextension; `path` is to be freed once the file is closed. */
static enum exit_status open_file(const struct emitting *emitting, struct output_file *out, char **path, const char *name,
                                  const char *extension) {
    struct strbuf text = {0};
    struct tcplan_error error;
    strbuf_add(&text, "%s/%s%s", emitting->folder, name, extension);
    *path = strbuf_finish(&text);
    if (!*path) return diagnose_no_memory();
    return output_file_open(out, *path, &error) == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

/** Writes a text that is freed, unless the status is a failure. */
static enum exit_status put(struct output_file *out, enum tcplan_status status, char *text, const struct tcplan_error *error) {
    if (status != TCPLAN_OK) return diagnose_error(error, NULL);
    fputs(text, out->file);
    free(text);
    return output_file_good(out) ? EXIT_DONE : EXIT_ENVIRONMENT; /* the commit says why */
}

static enum exit_status write_source(const struct emitting *emitting, const struct tcplan_emit_library_entry *entry) {
    struct output_file out = {0};
    struct tcplan_error error;
    char *path = NULL, *text = NULL;
    enum exit_status status = open_file(emitting, &out, &path, entry->function, ".c");
    if (status == EXIT_DONE) {
        const enum tcplan_status made = tcplan_emit_library_source(&text, entry, &error);
        status = put(&out, made, text, &error);
    }
    if ((status == EXIT_DONE || status == EXIT_ENVIRONMENT) && out.file && output_file_commit(&out, &error) != TCPLAN_OK) {
        status = diagnose_error(&error, NULL);
    }
    output_file_discard(&out);
    free(path);
    return status;
}

static enum exit_status write_entry(struct emitting *emitting, const struct tcplan_emit_library_entry *entry) {
    struct tcplan_error error;
    enum exit_status status = write_source(emitting, entry);
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES && status == EXIT_DONE; f++) {
        char *text = NULL;
        const enum tcplan_status made = tcplan_emit_library_function(&text, (enum tcplan_emit_library_file)f, entry, &error);
        status = put(&emitting->file[f], made, text, &error);
    }
    return status;
}

/** "t1 of ccsd.xml; planned for 1 thread: 1.583 us predicted, 2.053 us measured", and the source in a line of its own. */
static char *remark_on(const struct tcplan_result *result) {
    const struct facts facts = facts_of(result);
    struct strbuf text = {0};
    strbuf_add(&text, "%s%s%s", result->name, *result->library ? " of " : "", result->library);
    strbuf_add(&text, "; planned for %lld thread%s", (long long)result->threads, result->threads == 1 ? "" : "s");
    if (facts.predicted_seconds > 0) strbuf_add(&text, ": %s predicted", quantity_seconds(facts.predicted_seconds).text);
    if (facts.measured_seconds > 0) strbuf_add(&text, ", %s measured", quantity_seconds(facts.measured_seconds).text);
    if (*result->source) strbuf_add(&text, "\n%s", result->source);
    return strbuf_finish(&text);
}

/** What a record says, built again. */
struct rebuilt {
    struct tcplan_contraction *contraction;
    struct tcplan_sizes *sizes;
    struct tcplan_problem problem;
    struct tcplan_nest *nest;
};

static enum tcplan_status rebuild(struct rebuilt *out, const struct tcplan_result *result, struct tcplan_error *error) {
    int64_t extent[TCPLAN_MAX_INDICES];
    struct tcplan_algorithm algorithm;
    enum tcplan_status status = tcplan_contraction_parse(&out->contraction, result->contraction, result->order, error);
    if (status == TCPLAN_OK) status = tcplan_strides_parse(out->contraction, result->strides ? result->strides : "", error);
    if (status == TCPLAN_OK) status = tcplan_sizes_parse(&out->sizes, out->contraction, result->sizes, error);
    if (status != TCPLAN_OK) return status;
    tcplan_sizes_point(out->sizes, 0, extent);
    status = tcplan_problem_init(&out->problem, out->contraction, extent, result->dtype, error);
    if (status == TCPLAN_OK) status = tcplan_algorithm_parse(&algorithm, out->contraction, result->dtype, result->algorithm[0].name, error);
    if (status == TCPLAN_OK) status = tcplan_nest_build(&out->nest, out->contraction, &algorithm, error);
    return status;
}

static void rebuilt_free(struct rebuilt *rebuilt) {
    tcplan_nest_free(rebuilt->nest);
    tcplan_sizes_free(rebuilt->sizes);
    tcplan_contraction_free(rebuilt->contraction);
}

static void add_function(void *context, const struct tcplan_result *result) {
    struct emitting *emitting = context;
    struct rebuilt rebuilt = {0};
    struct tcplan_error error;
    if (emitting->status != EXIT_DONE || !has_winner(result) || emitting->at == emitting->count) return;
    char *remark = remark_on(result);
    const struct provider_files files = providers_files();
    struct tcplan_emit_library_entry entry = {
        .function = emitting->name[emitting->at++], .remark = remark, .threads = (int)result->threads, .blas_files = files.path};
    if (!remark) {
        emitting->status = diagnose_no_memory();
    } else if (rebuild(&rebuilt, result, &error) == TCPLAN_OK) {
        entry.problem = &rebuilt.problem;
        entry.nest = rebuilt.nest;
        emitting->status = write_entry(emitting, &entry);
    } else {
        diagnose("%.60s cannot be emitted: %s", result->name, error.message);
        emitting->status = error.status == TCPLAN_NO_MEMORY ? EXIT_ENVIRONMENT : EXIT_REFUSED;
    }
    rebuilt_free(&rebuilt);
    free(remark);
}

typedef enum tcplan_status make_part(char **out, enum tcplan_emit_library_file file, struct tcplan_error *error);

/** The beginning, or the end, of the files that name all functions. */
static enum exit_status write_parts(struct emitting *emitting, make_part *make) {
    enum exit_status status = EXIT_DONE;
    struct tcplan_error error;
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES && status == EXIT_DONE; f++) {
        char *text = NULL;
        const enum tcplan_status made = make(&text, (enum tcplan_emit_library_file)f, &error);
        status = put(&emitting->file[f], made, text, &error);
    }
    return status;
}

static enum exit_status write_all(struct emitting *emitting, const char *results) {
    enum exit_status status = write_parts(emitting, tcplan_emit_library_begin);
    if (status == EXIT_DONE) status = records_walk(results, add_function, emitting, NULL);
    if (status == EXIT_DONE) status = emitting->status;
    return status == EXIT_DONE ? write_parts(emitting, tcplan_emit_library_end) : status;
}

/** Writes the library between opening and closing the files that name all functions. */
static enum exit_status write_folder(struct emitting *emitting, const char *results) {
    char *path[TCPLAN_EMIT_LIBRARY_FILES] = {0};
    struct tcplan_error error;
    enum exit_status status = EXIT_DONE;
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES && status == EXIT_DONE; f++) {
        const char *name = tcplan_emit_library_file_name((enum tcplan_emit_library_file)f);
        status = open_file(emitting, &emitting->file[f], &path[f], name, "");
    }
    if (status == EXIT_DONE) status = write_all(emitting, results);
    for (int f = 0; f < TCPLAN_EMIT_LIBRARY_FILES; f++) {
        const bool full = emitting->file[f].file && emitting->file[f].reason != 0;
        if ((status == EXIT_DONE || full) && output_file_commit(&emitting->file[f], &error) != TCPLAN_OK)
            status = diagnose_error(&error, NULL);
        output_file_discard(&emitting->file[f]);
        free(path[f]);
    }
    return status;
}

static enum exit_status make_folder(const char *folder) {
    if (mkdir(folder, 0777) == 0 || errno == EEXIST) return EXIT_DONE; /* a file of that name is refused as soon as one is opened in it */
    diagnose("cannot make the folder '%.200s': %s", folder, strerror(errno));
    return EXIT_ENVIRONMENT;
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

static enum exit_status emit(struct emitting *emitting, const char *results, bool quiet) {
    enum exit_status status = choose_names(emitting, results);
    if (status != EXIT_DONE) return status;
    if (emitting->count == 0) {
        diagnose("no contraction has a winner: there is nothing to emit to '%.200s'", emitting->folder);
        return EXIT_REFUSED;
    }
    status = make_folder(emitting->folder);
    if (status == EXIT_DONE) status = write_folder(emitting, results);
    if (status == EXIT_DONE && !quiet) {
        diagnose("%zu function%s emitted: '%.200s'", emitting->count, emitting->count == 1 ? "" : "s", emitting->folder);
    }
    return status;
}

enum exit_status emitted_folder_write(const char *folder, const char *results, bool quiet) {
    struct emitting emitting = {.folder = folder};
    const enum exit_status status = emit(&emitting, results, quiet);
    emitting_free(&emitting);
    return status;
}
