#include "cli/render/document.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/render/common_fields.h"

void document_open(struct document *document, const char *name) {
    document->kind->object(document, name);
    document->kind->integer(document, "schema", DOCUMENT_SCHEMA);
    document->kind->text(document, "tcplan", TCPLAN_VERSION_STRING);
}

static void write_all(struct document *document, const struct field *fields, const void *record) {
    fields_document(document, fields, 0, record);
}

static void write_object(struct document *document, const char *name, const struct field *fields,
                         const void *record) {
    document->kind->object(document, name);
    write_all(document, fields, record);
    document->kind->end(document);
}

void document_machine(struct document *document, const struct tcplan_machine *machine) {
    write_object(document, "machine", tcplan_machine_fields, machine);
}

void document_blas(struct document *document, const struct tcplan_blas *blas) {
    write_all(document, libraries_fields, blas);
}

void document_contraction(struct document *document, const struct request *request,
                          const struct tcplan_problem *problem) {
    write_all(document, asked_fields, &(struct asked){request, problem});
}

void document_load(struct document *document, const struct tcplan_load *load) {
    write_object(document, "load", tcplan_load_fields, load);
}

void document_memory(struct document *document, const struct options *options) {
    write_all(document, memory_fields, options);
}

void document_planning(struct document *document, const struct options *options) {
    write_all(document, planning_fields, options);
}

void document_begin(struct writer *writer, const struct document_kind *kind) {
    struct document *document = base_alloc(sizeof *document);
    writer->no_memory = !document;
    if (!document) return;
    *document = (struct document){.kind = kind, .writer = writer};
    if (kind->open(document)) {
        writer->document = document;
    } else {
        writer->no_memory = true;
        base_free(document);
    }
}

void document_end(struct writer *writer) {
    struct document *document = writer->document;
    if (!document) return;
    while (document->depth > 0) document->kind->end(document);
    document->kind->close(document);
    base_free(document);
    writer->document = NULL;
}

void document_text_owned(struct document *document, const char *name, char *text) {
    if (text) {
        document->kind->text(document, name, text);
    } else {
        document->writer->no_memory = true;
    }
    free(text);
}

void document_core_states(struct document *document, const struct tcplan_core_states *states) {
    write_object(document, "states", tcplan_core_states_fields, states);
}
