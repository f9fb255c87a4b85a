#include "cli/render/blocked/blocked_needs.h"

#include <string.h>

static void print_table(struct writer *writer, const struct tcplan_blocked_needs *needs) {
    struct table table = {.columns = "lll"};
    table_add(&table, "case");
    table_add(&table, "domain");
    table_add(&table, "model");
    for (size_t n = 0; n < needs->count; n++) {
        const struct tcplan_blocked_need *need = &needs->of[n];
        char domain[TCPLAN_MODEL_DOMAIN_TEXT];
        tcplan_model_domain_print(domain, &need->domain);
        table_add(&table, "%s", need->case_text);
        table_add(&table, "%s", domain);
        table_add(&table, "%s", need->missing ? "missing" : "there");
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

void blocked_needs_print_command(FILE *file, const struct blocked_needs *needs) {
    const struct tcplan_model_setup *setup = needs->view.setup;
    fputs("tcplan model generate", file);
    if (strcmp(setup->provider, "openblas") != 0) fprintf(file, " --provider %s", setup->provider);
    if (setup->threads > 1) fprintf(file, " --threads %d", setup->threads);
    for (size_t n = 0; n < needs->needs->count; n++) {
        if (needs->needs->of[n].missing) fprintf(file, " \\\n    %s", needs->needs->of[n].word);
    }
    fputc('\n', file);
}

static void print_text(struct writer *writer, const struct blocked_needs *needs) {
    blocked_view_print(writer->file, &needs->view);
    fputc('\n', writer->file);
    print_table(writer, needs->needs);
    if (needs->needs->missing == 0) {
        fputs("All models are there.\n", writer->file);
        return;
    }
    fprintf(writer->file, "%zu of %zu are missing. This makes them:\n\n", needs->needs->missing,
            needs->needs->count);
    blocked_needs_print_command(writer->file, needs);
}

static void print_csv(struct writer *writer, const struct blocked_needs *needs) {
    fputs(BLOCKED_VIEW_HEAD ",case,own,domain,kernel,missing\n", writer->file);
    for (size_t n = 0; n < needs->needs->count; n++) {
        const struct tcplan_blocked_need *need = &needs->needs->of[n];
        struct csv_line line = {0};
        char domain[TCPLAN_MODEL_DOMAIN_TEXT];
        tcplan_model_domain_print(domain, &need->domain);
        blocked_view_add(&line, &needs->view);
        csv_add_text(&line, need->case_text);
        csv_add_text(&line, need->is_own ? "true" : "false");
        csv_add_text(&line, domain);
        csv_add_text(&line, need->word);
        csv_add_text(&line, need->missing ? "true" : "false");
        blocked_line_print(writer, &line);
    }
}

static void write_document(struct document *document, const struct blocked_needs *needs) {
    const struct document_kind *kind = document->kind;
    document_open(document, "blocked_models");
    blocked_view_write(document, &needs->view);
    kind->integer(document, "count", (int64_t)needs->needs->count);
    kind->integer(document, "missing", (int64_t)needs->needs->missing);
    kind->list(document, "models");
    for (size_t n = 0; n < needs->needs->count; n++) {
        const struct tcplan_blocked_need *need = &needs->needs->of[n];
        char domain[TCPLAN_MODEL_DOMAIN_TEXT];
        tcplan_model_domain_print(domain, &need->domain);
        kind->object(document, "model");
        kind->text(document, "case", need->case_text);
        kind->boolean(document, "own", need->is_own);
        kind->text(document, "domain", domain);
        kind->text(document, "kernel", need->word);
        kind->boolean(document, "missing", need->missing);
        kind->end(document);
    }
    kind->end(document);
    kind->end(document);
}

void blocked_needs_print(struct writer *writer, const struct blocked_needs *needs) {
    if (writer->document) {
        write_document(writer->document, needs);
    } else if (needs->view.format == OUTPUT_CSV) {
        print_csv(writer, needs);
    } else {
        print_text(writer, needs);
    }
}
