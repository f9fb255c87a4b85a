#include "cli/render/sampling/generation.h"

#include "base/quantity.h"
#include "cli/render/document.h"
#include "cli/render/text/table.h"

/* What both have in common. */

static void print_setup(FILE *file, const struct generation_view *view) {
    const struct tcplan_model_setup setup = tcplan_generation_setup(view->options, false);
    fprintf(file, "models   %s, %s, %d thread%s, %s\n", setup.provider, setup.version,
            setup.threads, setup.threads == 1 ? "" : "s",
            tcplan_model_placement_name(setup.placement));
}

static void print_core(FILE *file, const struct tcplan_core_states *states) {
    fputs("core     ", file);
    if (!(states->good_seconds > 0)) {
        fputs("nothing is known of its states", file);
    } else if (states->ratio > 1) {
        fprintf(file, "%.0f %% of the time slower by %.2f; times are those of the good state",
                100 * states->share, states->ratio);
    } else {
        fputs("one speed", file);
    }
    if (states->other_cores > 0.1)
        fprintf(file, "; other processes had %.1f of all cores", states->other_cores);
    fputc('\n', file);
}

static void write_setup(struct document *document, const struct generation_view *view) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_model_setup setup = tcplan_generation_setup(view->options, false);
    kind->text(document, "provider", setup.provider);
    kind->text(document, "version", setup.version);
    kind->integer(document, "threads", setup.threads);
    kind->text(document, "placement", tcplan_model_placement_name(setup.placement));
    if (view->samples) kind->text(document, "samples_file", view->samples);
}

static void write_case(struct document *document, const char *case_text,
                       const struct tcplan_model_domain *domain) {
    char text[TCPLAN_MODEL_DOMAIN_TEXT];
    tcplan_model_domain_print(text, domain);
    document->kind->text(document, "case", case_text);
    document->kind->text(document, "domain", text);
}

/* Generations. */

static void add_generated(struct table *table, const struct tcplan_generated *generated) {
    const struct tcplan_model *model = generated->model;
    char domain[TCPLAN_MODEL_DOMAIN_TEXT];
    tcplan_model_domain_print(domain, &generated->domain);
    table_add(table, "%s", generated->case_text);
    table_add(table, "%s", domain);
    table_add(table, model ? "%zu" : "-", model ? model->piece_count : 0);
    table_add(table, model ? "%d" : "-", model ? model->points : 0);
    table_add(table, "%d", generated->rounds);
    table_add(table, model ? "%.2f %%" : "-", model ? 100 * tcplan_model_error(model) : 0.0);
    table_add(table, model ? "%.2f %%" : "-", 100 * generated->spread);
    table_add(table, "%s", quantity_seconds(generated->seconds).text);
    table_add(table, !model ? "none" : model->complete ? "" : "incomplete");
}

static void count_models(const struct tcplan_generation *generation, size_t *none,
                         size_t *incomplete, size_t *explained) {
    *none = *incomplete = *explained = 0;
    for (size_t g = 0; g < generation->count; g++) {
        const struct tcplan_model *model = generation->of[g].model;
        *none += !model;
        *incomplete += model && !model->complete;
        *explained += generation->of[g].explained;
    }
}

static void print_text(struct writer *writer, const struct tcplan_generation *generation,
                       const struct generation_view *view) {
    FILE *file = writer->file;
    struct table table = {.columns = "llrrrrrrl", .optional = "002401350"};
    static const char *const heading[] = {"case",  "domain", "pieces",   "points", "rounds",
                                          "error", "spread", "measured", ""};
    size_t none, incomplete, explained;
    print_setup(file, view);
    fprintf(
        file,
        "samples  %lld taken in %s, %lld known before; %lld were disturbed and taken again; leading dimension %lld\n",
        (long long)generation->measured, quantity_seconds(generation->seconds).text,
        (long long)generation->known, (long long)generation->disturbed,
        (long long)generation->leading);
    print_core(file, &generation->states);
    fputc('\n', file);
    for (size_t h = 0; h < sizeof heading / sizeof *heading; h++)
        table_add(&table, "%s", heading[h]);
    for (size_t g = 0; g < generation->count; g++) add_generated(&table, &generation->of[g]);
    if (!table_print(&table, file)) writer->no_memory = true;
    count_models(generation, &none, &incomplete, &explained);
    if (explained > 0)
        fprintf(
            file,
            "\nPieces that are not halved, as their errors are what repetitions of their points differ by: %zu.\n",
            explained);
    if (!generation->time_over) return;
    fprintf(
        file,
        "\nTime is over: %zu of %zu models could not be made, %zu are incomplete. The same command goes on%s.\n",
        none, generation->count, incomplete,
        view->samples ? "" : " only where samples are kept (--samples)");
}

static void write_generated(struct document *document, const struct tcplan_generated *generated) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_model *model = generated->model;
    kind->object(document, "model");
    write_case(document, generated->case_text, &generated->domain);
    kind->boolean(document, "made", model != NULL);
    if (model) {
        kind->boolean(document, "complete", model->complete);
        kind->integer(document, "pieces", (int64_t)model->piece_count);
        kind->integer(document, "points", model->points);
        kind->number(document, "error", tcplan_model_error(model));
        kind->number(document, "whole_error", generated->whole_error);
    }
    kind->integer(document, "rounds", generated->rounds);
    kind->number(document, "measured_seconds", generated->seconds);
    kind->number(document, "again_seconds", generated->again_seconds);
    kind->number(document, "spread", generated->spread);
    kind->integer(document, "explained_pieces", (int64_t)generated->explained);
    kind->end(document);
}

static void write_generation(struct document *document, const struct tcplan_generation *generation,
                             const struct generation_view *view) {
    const struct document_kind *kind = document->kind;
    document_open(document, "generation");
    write_setup(document, view);
    kind->integer(document, "leading_dimension", generation->leading);
    kind->integer(document, "samples", generation->measured);
    kind->integer(document, "known_samples", generation->known);
    kind->integer(document, "disturbed", generation->disturbed);
    kind->number(document, "seconds", generation->seconds);
    kind->boolean(document, "time_over", generation->time_over);
    document_core_states(document, &generation->states);
    kind->list(document, "models");
    for (size_t g = 0; g < generation->count; g++) write_generated(document, &generation->of[g]);
    kind->end(document);
    kind->end(document);
}

void generation_print(struct writer *writer, const struct tcplan_generation *generation,
                      const struct generation_view *view) {
    if (writer->document) {
        write_generation(writer->document, generation, view);
    } else {
        print_text(writer, generation, view);
    }
}

/* Checks. */

static void add_share(struct table *table, bool known, double share) {
    table_add(table, known ? "%.2f %%" : "-", 100 * share);
}

static void add_checked(struct table *table, const struct tcplan_model_checked *checked) {
    char domain[TCPLAN_MODEL_DOMAIN_TEXT];
    const bool known = checked->count > 0;
    tcplan_model_domain_print(domain, &checked->model->domain);
    table_add(table, "%s", checked->model->case_text);
    table_add(table, "%s", domain);
    table_add(table, "%d", checked->count);
    add_share(table, known, checked->error.mean);
    add_share(table, known, checked->error.median);
    add_share(table, known, checked->error.p90);
    add_share(table, known, checked->error.maximum);
    add_share(table, known, checked->spread);
    add_share(table, known, checked->target);
    table_add(table, !known ? "not known" : checked->met ? "met" : "missed");
    add_share(table, known, checked->raw.mean);
    add_share(table, known, checked->raw_spread);
}

static bool lacks_points(const struct tcplan_models_check *check) {
    for (size_t m = 0; m < check->count; m++) {
        if (check->of[m].count == 0) return true;
    }
    return false;
}

static void print_check_text(struct writer *writer, const struct tcplan_models_check *check,
                             const struct generation_view *view) {
    FILE *file = writer->file;
    struct table table = {.columns = "llrrrrrrrlrr", .optional = "001034500022"};
    static const char *const heading[] = {"case",   "domain", "points",    "error",
                                          "median", "90 %",   "maximum",   "spread",
                                          "target", "is",     "raw error", "raw spread"};
    print_setup(file, view);
    print_core(file, &check->states);
    if (!check->same_state)
        fputs("state    that of the models is not known: they were made before models told it\n",
              file);
    fputc('\n', file);
    for (size_t h = 0; h < sizeof heading / sizeof *heading; h++)
        table_add(&table, "%s", heading[h]);
    for (size_t m = 0; m < check->count; m++) add_checked(&table, &check->of[m]);
    if (!table_print(&table, file)) writer->no_memory = true;
    fputs(
        "\nRandom points that the models were not fitted to, measured in two sessions. The spread is the median of what these differ by; the\n"
        "target of the mean error is 1.5 times that, or 0.7 % where it is below 0.5 %. Raw: as it was measured, in whatever state.\n",
        file);
    if (check->time_over) {
        fputs(
            "Time is over: points that both sessions did not measure often enough are left out.\n",
            file);
    } else if (lacks_points(check)) {
        fputs("Models without points: all of their domain was measured when they were made.\n",
              file);
    }
}

static void write_errors(struct document *document, const char *name,
                         const struct tcplan_model_check *errors) {
    const struct document_kind *kind = document->kind;
    kind->object(document, name);
    kind->number(document, "mean", errors->mean);
    kind->number(document, "median", errors->median);
    kind->number(document, "p90", errors->p90);
    kind->number(document, "maximum", errors->maximum);
    kind->end(document);
}

static void write_point(struct document *document, const struct tcplan_model *model,
                        const struct tcplan_checked_point *point) {
    const struct document_kind *kind = document->kind;
    double size[TCPLAN_MODEL_SIZES];
    const double seconds[] = {1e-9 * point->ns[0], 1e-9 * point->ns[1]},
                 raw[] = {1e-9 * point->raw_ns[0], 1e-9 * point->raw_ns[1]};
    for (int s = 0; s < model->domain.count; s++) size[s] = (double)point->size[s];
    kind->object(document, "point");
    kind->numbers(document, "sizes", size, model->domain.count);
    kind->number(document, "model_seconds", 1e-9 * point->model_ns);
    kind->numbers(document, "session_seconds", seconds, 2);
    kind->numbers(document, "raw_session_seconds", raw, 2);
    kind->end(document);
}

static void write_checked(struct document *document, const struct tcplan_model_checked *checked) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "model");
    write_case(document, checked->model->case_text, &checked->model->domain);
    kind->integer(document, "points", checked->count);
    if (checked->count > 0) {
        kind->number(document, "spread", checked->spread);
        kind->number(document, "raw_spread", checked->raw_spread);
        kind->number(document, "target", checked->target);
        kind->boolean(document, "met", checked->met);
        write_errors(document, "error", &checked->error);
        write_errors(document, "raw_error", &checked->raw);
    }
    kind->list(document, "measured");
    for (int p = 0; p < checked->count; p++)
        write_point(document, checked->model, &checked->point[p]);
    kind->end(document);
    kind->end(document);
}

static void write_check(struct document *document, const struct tcplan_models_check *check,
                        const struct generation_view *view) {
    const struct document_kind *kind = document->kind;
    document_open(document, "check");
    write_setup(document, view);
    kind->number(document, "seconds", check->seconds);
    kind->boolean(document, "time_over", check->time_over);
    kind->boolean(document, "same_state", check->same_state);
    document_core_states(document, &check->states);
    kind->list(document, "models");
    for (size_t m = 0; m < check->count; m++) write_checked(document, &check->of[m]);
    kind->end(document);
    kind->end(document);
}

void generation_print_check(struct writer *writer, const struct tcplan_models_check *check,
                            const struct generation_view *view) {
    if (writer->document) {
        write_check(writer->document, check, view);
    } else {
        print_check_text(writer, check, view);
    }
}
