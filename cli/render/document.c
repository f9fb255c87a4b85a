#include "cli/render/document.h"

#include <stdlib.h>

#include "base/alloc.h"

void document_open(struct document *document, const char *name) {
    document->kind->object(document, name);
    document->kind->integer(document, "schema", DOCUMENT_SCHEMA);
    document->kind->text(document, "tcplan", TCPLAN_VERSION_STRING);
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
