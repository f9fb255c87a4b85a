#include "cli/render/sampling/models.h"

#include <inttypes.h>

#include "base/quantity.h"
#include "cli/render/document.h"
#include "cli/render/text/date.h"
#include "cli/render/text/table.h"

/** `[24,536]x[24,4152]`, by value. */
struct domain_text {
    char text[TCPLAN_MODEL_DOMAIN_TEXT];
};

static struct domain_text domain_text(const struct tcplan_model_domain *domain) {
    struct domain_text out;
    tcplan_model_domain_print(out.text, domain);
    return out;
}

static struct quantity time_text(double ns) {
    return quantity_seconds(1e-9 * ns);
}

/* Text: the list. */

static void print_table(struct writer *writer, const struct chosen_models *chosen) {
    struct table table = {.columns = "llrllrrrl", .optional = "013102430"};
    static const char *const heads[] = {"case",   "provider", "threads", "placement", "domain",
                                        "pieces", "points",   "error",   "made (UTC)"};
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) table_add(&table, "%s", heads[h]);
    for (size_t m = 0; m < chosen->count; m++) {
        const struct tcplan_model *model = chosen->model[m];
        table_add(&table, "%s", model->case_text);
        table_add(&table, "%s", model->setup.provider);
        table_add(&table, "%d", model->setup.threads);
        table_add(&table, "%s", tcplan_model_placement_name(model->setup.placement));
        table_add(&table, "%s", domain_text(&model->domain).text);
        table_add(&table, "%zu%s", model->piece_count, model->complete ? "" : "*");
        table_add(&table, "%d", model->points);
        table_add(&table, "%.2f %%", 100 * tcplan_model_error(model));
        table_add(&table, "%s", date_minute(model->made).text);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_list(struct writer *writer, const struct chosen_models *chosen) {
    bool incomplete = false;
    fprintf(writer->file, "%zu model%s in %s\n", chosen->count, chosen->count == 1 ? "" : "s",
            chosen->kept.store.folder);
    if (chosen->count == 0) return;
    fputc('\n', writer->file);
    print_table(writer, chosen);
    for (size_t m = 0; m < chosen->count; m++)
        incomplete = incomplete || !chosen->model[m]->complete;
    if (incomplete)
        fputs("\n* Stopped before every piece was within the bound or narrow.\n", writer->file);
}

/* Text: one by one. */

static void print_setup(FILE *file, const struct tcplan_model *model) {
    const struct tcplan_model_setup *setup = &model->setup;
    fprintf(file, "case           %s\n", model->case_text);
    fprintf(file, "setup          %s%s%s%s, %d thread%s, %s\n", setup->provider,
            *setup->version ? " (" : "", setup->version, *setup->version ? ")" : "", setup->threads,
            setup->threads == 1 ? "" : "s", tcplan_model_placement_name(setup->placement));
    fprintf(file, "domain         %s of ", domain_text(&model->domain).text);
    for (int i = 0; i < model->domain.count; i++)
        fprintf(file, "%s%s", i > 0 ? ", " : "", model->size_name[i]);
    fputc('\n', file);
}

static void print_configuration(FILE *file, const struct tcplan_model_config *config) {
    fprintf(
        file,
        "configuration  overfitting %d, oversampling %d, %s grid, %d repetitions, %s, %s error up to %.3g %%, width %" PRId64
        ", multiples of %" PRId64 ", %d pieces at most\n",
        config->overfitting, config->oversampling, tcplan_model_grid_name(config->grid),
        config->repetitions, tcplan_model_statistic_name(config->reference),
        tcplan_model_measure_name(config->measure), 100 * config->bound, config->min_width,
        config->multiple, config->most_pieces);
}

static void print_made(FILE *file, const struct tcplan_model *model) {
    const struct tcplan_model_check *check = &model->check;
    fprintf(file, "made           %s, %d points", date_minute(model->made).text, model->points);
    if (model->seconds > 0) fprintf(file, " in %s", quantity_seconds(model->seconds).text);
    fputs(model->complete ? "\n" : "; stopped before every piece was within the bound or narrow\n",
          file);
    if (check->points == 0) return;
    fprintf(
        file,
        "checked        %s at %d random points: error %.2f %% in the mean, %.2f %% median, %.2f %% at nine of ten, %.2f %% at most\n",
        date_minute(check->made).text, check->points, 100 * check->mean, 100 * check->median,
        100 * check->p90, 100 * check->maximum);
}

static void print_pieces(struct writer *writer, const struct tcplan_model *model) {
    struct table table = {.columns = "llrr"};
    table_add(&table, "piece");
    table_add(&table, "degrees");
    table_add(&table, "points");
    table_add(&table, "error");
    for (size_t p = 0; p < model->piece_count; p++) {
        const struct tcplan_model_piece *piece = &model->piece[p];
        char degrees[TCPLAN_MODEL_SIZES * 4] = "";
        size_t length = 0;
        for (int i = 0; i < model->domain.count; i++) {
            length += (size_t)snprintf(degrees + length, sizeof degrees - length, "%s%d",
                                       i > 0 ? " " : "", piece->degree[i]);
        }
        table_add(&table, "%s", domain_text(&piece->domain).text);
        table_add(&table, "%s", degrees);
        table_add(&table, "%d", piece->points);
        table_add(&table, "%.3f %%", 100 * piece->error);
    }
    fputc('\n', writer->file);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_estimate(FILE *file, const struct tcplan_model *model,
                           const struct model_sizes *sizes) {
    int64_t size[TCPLAN_MODEL_SIZES];
    struct tcplan_model_estimate estimate;
    if (sizes->count == 0) return;
    if (!model_sizes_of(size, sizes, model)) {
        fputs("estimate       none: the sizes given are not those of the routine\n", file);
        return;
    }
    tcplan_model_evaluate(&estimate, model, size);
    const double *ns = estimate.ns;
    fprintf(file, "estimate       %s to %s, median %s, mean %s, deviation %s%s\n",
            time_text(ns[TCPLAN_MODEL_MINIMUM]).text, time_text(ns[TCPLAN_MODEL_MAXIMUM]).text,
            time_text(ns[TCPLAN_MODEL_MEDIAN]).text, time_text(ns[TCPLAN_MODEL_MEAN]).text,
            time_text(ns[TCPLAN_MODEL_DEVIATION]).text,
            estimate.outside ? "; outside the domain: of the nearest sizes within" : "");
}

static void print_whole(struct writer *writer, const struct models_listing *listing) {
    const struct chosen_models *chosen = listing->chosen;
    for (size_t m = 0; m < chosen->count; m++) {
        const struct tcplan_model *model = chosen->model[m];
        if (m > 0) fputc('\n', writer->file);
        print_setup(writer->file, model);
        print_configuration(writer->file, &model->config);
        print_made(writer->file, model);
        print_estimate(writer->file, model, listing->sizes);
        print_pieces(writer, model);
    }
}

void models_print_text(struct writer *writer, const struct models_listing *listing) {
    if (!listing->chosen->kept.store.folder) {
        fputs("There is no store: $TCPLAN_STORE is empty, or there is no home.\n", writer->file);
    } else if (listing->whole) {
        print_whole(writer, listing);
    } else {
        print_list(writer, listing->chosen);
    }
}

/* Documents. */

static void write_numbers(struct document *document, const char *name, const int64_t value[],
                          int count) {
    double number[TCPLAN_MODEL_SIZES];
    for (int i = 0; i < count; i++) number[i] = (double)value[i];
    document->kind->numbers(document, name, number, count);
}

static void write_degrees(struct document *document, const char *name, const int degree[],
                          int count) {
    int64_t number[TCPLAN_MODEL_SIZES];
    for (int i = 0; i < count; i++) number[i] = degree[i];
    write_numbers(document, name, number, count);
}

static void write_configuration(struct document *document,
                                const struct tcplan_model_config *config) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "configuration");
    kind->integer(document, "overfitting", config->overfitting);
    kind->integer(document, "oversampling", config->oversampling);
    kind->text(document, "grid", tcplan_model_grid_name(config->grid));
    kind->integer(document, "repetitions", config->repetitions);
    kind->text(document, "reference", tcplan_model_statistic_name(config->reference));
    kind->text(document, "measure", tcplan_model_measure_name(config->measure));
    kind->number(document, "bound", config->bound);
    kind->integer(document, "min_width", config->min_width);
    kind->integer(document, "multiple", config->multiple);
    kind->integer(document, "most_pieces", config->most_pieces);
    kind->end(document);
}

static void write_check(struct document *document, const struct tcplan_model_check *check) {
    const struct document_kind *kind = document->kind;
    if (check->points == 0) return;
    kind->object(document, "check");
    kind->integer(document, "points", check->points);
    kind->number(document, "mean", check->mean);
    kind->number(document, "median", check->median);
    kind->number(document, "p90", check->p90);
    kind->number(document, "maximum", check->maximum);
    if (check->made > 0) kind->text(document, "made", date_iso(check->made).text);
    kind->end(document);
}

static void write_estimate(struct document *document, const struct tcplan_model *model,
                           const struct model_sizes *sizes) {
    const struct document_kind *kind = document->kind;
    int64_t size[TCPLAN_MODEL_SIZES];
    struct tcplan_model_estimate estimate;
    if (sizes->count == 0 || !model_sizes_of(size, sizes, model)) return;
    tcplan_model_evaluate(&estimate, model, size);
    kind->object(document, "estimate");
    write_numbers(document, "sizes", size, model->domain.count);
    kind->boolean(document, "outside", estimate.outside);
    kind->number(document, "error", estimate.error);
    kind->text(document, "origin", tcplan_origin_name(TCPLAN_ORIGIN_MODEL));
    kind->number(document, "minimum_seconds", 1e-9 * estimate.ns[TCPLAN_MODEL_MINIMUM]);
    kind->number(document, "median_seconds", 1e-9 * estimate.ns[TCPLAN_MODEL_MEDIAN]);
    kind->number(document, "maximum_seconds", 1e-9 * estimate.ns[TCPLAN_MODEL_MAXIMUM]);
    kind->number(document, "mean_seconds", 1e-9 * estimate.ns[TCPLAN_MODEL_MEAN]);
    kind->number(document, "deviation_seconds", 1e-9 * estimate.ns[TCPLAN_MODEL_DEVIATION]);
    kind->end(document);
}

static void write_pieces(struct document *document, const struct tcplan_model *model) {
    const struct document_kind *kind = document->kind;
    const int count = model->domain.count;
    kind->list(document, "pieces");
    for (size_t p = 0; p < model->piece_count; p++) {
        const struct tcplan_model_piece *piece = &model->piece[p];
        kind->object(document, "piece");
        write_numbers(document, "low", piece->domain.low, count);
        write_numbers(document, "high", piece->domain.high, count);
        write_degrees(document, "degrees", piece->degree, count);
        kind->integer(document, "points", piece->points);
        kind->number(document, "error", piece->error);
        kind->end(document);
    }
    kind->end(document);
}

static void write_model(struct document *document, const struct models_listing *listing,
                        const struct tcplan_model *model) {
    const struct document_kind *kind = document->kind;
    const char *names[TCPLAN_MODEL_SIZES];
    const int count = model->domain.count;
    for (int i = 0; i < count; i++) names[i] = model->size_name[i];
    kind->object(document, "model");
    kind->text(document, "case", model->case_text);
    kind->text(document, "provider", model->setup.provider);
    if (*model->setup.version) kind->text(document, "version", model->setup.version);
    kind->integer(document, "threads", model->setup.threads);
    kind->text(document, "placement", tcplan_model_placement_name(model->setup.placement));
    kind->texts(document, "sizes", names, count);
    write_degrees(document, "degrees", model->degree, count);
    write_numbers(document, "low", model->domain.low, count);
    write_numbers(document, "high", model->domain.high, count);
    kind->integer(document, "piece_count", (int64_t)model->piece_count);
    kind->integer(document, "points", model->points);
    kind->number(document, "error", tcplan_model_error(model));
    kind->boolean(document, "complete", model->complete);
    if (model->made > 0) kind->text(document, "made", date_iso(model->made).text);
    if (model->seconds > 0) kind->number(document, "seconds", model->seconds);
    write_check(document, &model->check);
    if (listing->whole) {
        write_configuration(document, &model->config);
        write_estimate(document, model, listing->sizes);
        write_pieces(document, model);
    }
    kind->end(document);
}

void document_models(struct writer *writer, const struct models_listing *listing) {
    struct document *document = writer->document;
    const struct chosen_models *chosen = listing->chosen;
    if (!document) return;
    const struct document_kind *kind = document->kind;
    document_open(document, "models");
    if (chosen->kept.store.folder) kind->text(document, "folder", chosen->kept.store.folder);
    kind->integer(document, "count", (int64_t)chosen->count);
    kind->list(document, "models");
    for (size_t m = 0; m < chosen->count; m++) write_model(document, listing, chosen->model[m]);
    kind->end(document);
    kind->end(document);
}
