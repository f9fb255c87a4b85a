#include "tcplan/emit_library.h"

#include <assert.h>
#include <stdlib.h>

#include "ast/contraction/contraction.h"
#include "base/error.h"
#include "gen/emit/interface.h"
#include "gen/emit/library_test.h"
#include "gen/emit/template.h"
#include "gen/emit/template_text.h"
#include "gen/emit/text.h"
#include "gen/providers/linked_blas.h"
#include "gen/providers/provider_code.h"
#include "tcplan/emit.h"
#include "tcplan/strides.h"
#include "tcplan/version.h"

static const char *const file_name[TCPLAN_EMIT_LIBRARY_FILES] = {
    "contractions.h", "contractions.f90", "CMakeLists.txt", "test_contractions.c"};

const char *tcplan_emit_library_file_name(enum tcplan_emit_library_file file) {
    return file_name[file];
}

const char *emit_library_type(enum tcplan_dtype dtype) {
    static const char *const type[TCPLAN_DTYPES] = {"float", "double", "contractions_complex_float",
                                                    "contractions_complex_double"};
    return type[dtype];
}

/** Appends the comment about a function: its contraction, sizes, layouts, algorithm and remark. */
static void add_facts(struct strbuf *out, const struct tcplan_emit_library_entry *entry) {
    const struct tcplan_contraction *contraction = entry->problem->contraction;
    char *text = tcplan_contraction_text(contraction);
    char *algorithm =
        tcplan_algorithm_name(&entry->nest->algorithm, contraction, entry->problem->dtype);
    if (!text || !algorithm) out->failed = true;
    strbuf_add(out, "%s; %s\n", text,
               contraction->order == TCPLAN_COLUMN_MAJOR ? "column-major" : "row-major");
    emit_sizes(out, entry->problem);
    if (contraction_is_strided(contraction)) {
        char *strides = tcplan_strides_text(contraction);
        strbuf_add(out, "\nstrides %s", strides ? strides : "");
        out->failed = out->failed || !strides;
        free(strides);
    }
    strbuf_add(out, "\n%s\n", algorithm);
    if (entry->remark) strbuf_add(out, "%s\n", entry->remark);
    free(algorithm);
    free(text);
}

static void add_declaration(struct strbuf *out, const struct emitter *emitter,
                            const char *comment) {
    strbuf_add(out, "\n");
    emit_comment(out, comment);
    emit_prototype(out, emitter, emit_library_type(emitter->problem->dtype));
    strbuf_add(out, ";\n");
}

/** Appends the declaration of a function to a header or a Fortran module. */
static void add_interface(struct strbuf *out, enum tcplan_emit_library_file file,
                          const struct tcplan_emit_library_entry *entry) {
    struct strbuf facts = {0};
    struct emitter emitter = {.out = out,
                              .nest = entry->nest,
                              .problem = entry->problem,
                              .function = entry->function,
                              .threads = entry->threads};
    emit_name_operands(&emitter);
    add_facts(&facts, entry);
    char *comment = strbuf_finish(&facts);
    if (!comment) out->failed = true;
    if (comment && file == TCPLAN_EMIT_LIBRARY_HEADER) add_declaration(out, &emitter, comment);
    if (comment && file == TCPLAN_EMIT_LIBRARY_FORTRAN)
        emit_fortran_function(out, &emitter, comment);
    free(comment);
}

static const char *const template_text[TCPLAN_EMIT_LIBRARY_FILES] = {
    library_header_text, library_fortran_text, library_cmake_text, library_test_text};

typedef void add_part(struct strbuf *out, const struct template_values *values, const char *text,
                      const char *name);

/** Appends the CMake lines that find the providers' libraries. */
static void add_providers(struct strbuf *out) {
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        const char *cmake = provider_code_of((enum tcplan_provider)p)->cmake;
        if (cmake) strbuf_add(out, "%s", cmake);
    }
}

/** Fills the part of a file's template before or after the functions' entries. */
static enum tcplan_status emit_part(char **out, enum tcplan_emit_library_file file, add_part *add,
                                    struct tcplan_error *error) {
    struct template_values values = {0};
    struct strbuf text = {0};
    strbuf_add(template_value(&values, "version"), "%s", TCPLAN_VERSION_STRING);
    add_providers(template_value(&values, "providers"));
    emit_linked_blas(template_value(&values, "linked_blas"));
    emit_linked_blas_cmake(template_value(&values, "cblas_library"));
    add(&text, &values, template_text[file], "functions");
    template_free(&values);
    return strbuf_give(&text, out, TCPLAN_OK, error);
}

enum tcplan_status tcplan_emit_library_begin(char **out, enum tcplan_emit_library_file file,
                                             struct tcplan_error *error) {
    return emit_part(out, file, template_add_before, error);
}

enum tcplan_status tcplan_emit_library_function(char **out, enum tcplan_emit_library_file file,
                                                const struct tcplan_emit_library_entry *entry,
                                                struct tcplan_error *error) {
    struct strbuf text = {0};
    switch (file) {
    case TCPLAN_EMIT_LIBRARY_HEADER:
    case TCPLAN_EMIT_LIBRARY_FORTRAN: add_interface(&text, file, entry); break;
    case TCPLAN_EMIT_LIBRARY_CMAKE: strbuf_add(&text, "    %s\n", entry->function); break;
    case TCPLAN_EMIT_LIBRARY_TEST:
        emit_library_test_row(&text, entry->function, entry->problem);
        break;
    case TCPLAN_EMIT_LIBRARY_FILES: assert(false); break;
    }
    return strbuf_give(&text, out, TCPLAN_OK, error);
}

enum tcplan_status tcplan_emit_library_end(char **out, enum tcplan_emit_library_file file,
                                           struct tcplan_error *error) {
    return emit_part(out, file, template_add_behind, error);
}

enum tcplan_status tcplan_emit_library_source(char **out,
                                              const struct tcplan_emit_library_entry *entry,
                                              struct tcplan_error *error) {
    const struct tcplan_emit_options options = {.function = entry->function,
                                                .header = file_name[TCPLAN_EMIT_LIBRARY_HEADER],
                                                .threads = entry->threads,
                                                .blas_files = entry->blas_files};
    return tcplan_emit_c(out, entry->nest, entry->problem, &options, error);
}
