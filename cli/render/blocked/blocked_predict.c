#include "cli/render/blocked/blocked_predict.h"

#include "base/quantity.h"

/** In text kernels stand below each prediction where there are as many at most; of more there is a
 * line each. */
enum { WHOLE_PREDICTIONS = 2 };

struct performance {
    double gflops[TCPLAN_MODEL_STATISTICS];
};

static struct performance performance_of(const struct blocked_predicted *predicted) {
    struct performance out;
    tcplan_blocked_performance(out.gflops, predicted->prediction.seconds,
                               predicted->prediction.flops);
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) out.gflops[s] *= 1e-9;
    return out;
}

static double median_share(const struct blocked_predicted *predicted,
                           const struct tcplan_blocked_kernel *kernel) {
    const double whole = predicted->prediction.seconds[TCPLAN_MODEL_MEDIAN];
    return whole > 0 ? kernel->seconds[TCPLAN_MODEL_MEDIAN] / whole : 0;
}

static double kernel_gflops(const struct tcplan_blocked_kernel *kernel) {
    const double seconds = kernel->seconds[TCPLAN_MODEL_MEAN];
    return seconds > 0 ? 1e-9 * kernel->flops / seconds : 0;
}

/* Text. */

static void print_statistics(struct writer *writer, const struct blocked_view *view,
                             const struct blocked_predicted *predicted) {
    struct table table = {.columns = "lrrrrr"};
    const struct performance performance = performance_of(predicted);
    const struct time_unit unit = time_unit_for(predicted->prediction.seconds[TCPLAN_MODEL_MEDIAN]);
    table_add(&table, "%s", "");
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
        table_add(&table, "%s", tcplan_model_statistic_name((enum tcplan_model_statistic)s));
    table_add(&table, "time %s", unit.name);
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
        table_add(&table, "%.*f", unit.decimals, predicted->prediction.seconds[s] / unit.seconds);
    table_add(&table, "GFLOP/s");
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
        blocked_rate_add(&table, performance.gflops[s]);
    if (view->peak_gflops > 0) {
        table_add(&table, "of peak");
        for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
            table_add(&table, "%.2f %%", 100 * performance.gflops[s] / view->peak_gflops);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_kernels(struct writer *writer, const struct blocked_predicted *predicted) {
    struct table table = {.columns = "lrrrr"};
    const struct time_unit unit = time_unit_for(predicted->prediction.seconds[TCPLAN_MODEL_MEDIAN]);
    table_add(&table, "kernel");
    table_add(&table, "calls");
    table_add(&table, "median %s", unit.name);
    table_add(&table, "share");
    table_add(&table, "GFLOP/s");
    for (int k = 0; k < predicted->kernels; k++) {
        const struct tcplan_blocked_kernel *kernel = &predicted->kernel[k];
        table_add(&table, "%s", kernel->name);
        table_add(&table, "%lld", (long long)kernel->calls);
        table_add(&table, "%.*f", unit.decimals,
                  kernel->seconds[TCPLAN_MODEL_MEDIAN] / unit.seconds);
        table_add(&table, "%.1f %%", 100 * median_share(predicted, kernel));
        if (kernel->flops > 0) {
            blocked_rate_add(&table, kernel_gflops(kernel));
        } else {
            table_add(&table, "-");
        }
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_remarks(FILE *file, const struct blocked_predicted *predicted) {
    const struct tcplan_blocked_prediction *prediction = &predicted->prediction;
    fprintf(file, "%lld calls, and %lld with a size of 0; the models err by %.2g %%.",
            (long long)prediction->calls, (long long)prediction->empty, 100 * prediction->error);
    if (prediction->below > 0)
        fprintf(
            file,
            " %lld of them are smaller than their models' domains, and are taken for the nearest sizes.",
            (long long)prediction->below);
    fputc('\n', file);
}

static void print_whole(struct writer *writer, const struct blocked_view *view,
                        const struct blocked_predicted *predicted) {
    char sizes[BLOCKED_SIZES_TEXT];
    const char *note = tcplan_blocked_note(predicted->blocked);
    fprintf(writer->file, "\n%s%s%s: %s, b=%lld; %s\n\n", tcplan_blocked_name(predicted->blocked),
            note && *note ? ", " : "", note ? note : "",
            blocked_sizes_text(sizes, predicted->blocked, &predicted->sizes),
            (long long)predicted->sizes.block, quantity_flops(predicted->prediction.flops).text);
    print_statistics(writer, view, predicted);
    fputc('\n', writer->file);
    if (predicted->kernels > 0) print_kernels(writer, predicted);
    print_remarks(writer->file, predicted);
}

static double smallest_seconds(const struct blocked_predictions *predictions) {
    double smallest = 0;
    for (size_t p = 0; p < predictions->count; p++) {
        const double seconds = predictions->of[p].prediction.seconds[TCPLAN_MODEL_MEDIAN];
        if (seconds > 0 && (smallest == 0 || seconds < smallest)) smallest = seconds;
    }
    return smallest;
}

static void print_lines(struct writer *writer, const struct blocked_predictions *predictions) {
    struct table table = {.columns = "llrrlrrr", .optional = "00002013"};
    const struct time_unit unit = time_unit_for(smallest_seconds(predictions));
    table_add(&table, "algorithm");
    table_add(&table, "sizes");
    table_add(&table, "b");
    table_add(&table, "median %s", unit.name);
    table_add(&table, "from - to");
    table_add(&table, "GFLOP/s");
    table_add(&table, "of peak");
    table_add(&table, "calls");
    for (size_t p = 0; p < predictions->count; p++) {
        const struct blocked_predicted *predicted = &predictions->of[p];
        const double *seconds = predicted->prediction.seconds;
        const double gflops = performance_of(predicted).gflops[TCPLAN_MODEL_MEDIAN];
        char sizes[BLOCKED_SIZES_TEXT];
        table_add(&table, "%s", tcplan_blocked_name(predicted->blocked));
        table_add(&table, "%s", blocked_sizes_text(sizes, predicted->blocked, &predicted->sizes));
        table_add(&table, "%lld", (long long)predicted->sizes.block);
        table_add(&table, "%.*f", unit.decimals, seconds[TCPLAN_MODEL_MEDIAN] / unit.seconds);
        table_add(&table, "%.*f - %.*f", unit.decimals,
                  seconds[TCPLAN_MODEL_MINIMUM] / unit.seconds, unit.decimals,
                  seconds[TCPLAN_MODEL_MAXIMUM] / unit.seconds);
        blocked_rate_add(&table, gflops);
        blocked_share_add(&table, &predictions->view, gflops);
        table_add(&table, "%lld", (long long)predicted->prediction.calls);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_text(struct writer *writer, const struct blocked_predictions *predictions) {
    blocked_view_print(writer->file, &predictions->view);
    if (predictions->count > WHOLE_PREDICTIONS) {
        fputc('\n', writer->file);
        print_lines(writer, predictions);
        return;
    }
    for (size_t p = 0; p < predictions->count; p++)
        print_whole(writer, &predictions->view, &predictions->of[p]);
}

/* CSV: a line for each kernel, and one for the whole. */

static void print_line(struct writer *writer, const struct blocked_view *view,
                       const struct blocked_predicted *predicted,
                       const struct tcplan_blocked_kernel *kernel) {
    struct csv_line line = {0};
    const struct performance performance = performance_of(predicted);
    const double *seconds = kernel ? kernel->seconds : predicted->prediction.seconds;
    const double gflops = kernel ? kernel_gflops(kernel) : performance.gflops[TCPLAN_MODEL_MEDIAN];
    blocked_view_add(&line, view);
    blocked_sizes_add(&line, predicted->blocked, &predicted->sizes);
    csv_add_text(&line, kernel ? kernel->name : "");
    csv_add_integer(&line, kernel ? kernel->calls : predicted->prediction.calls);
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) csv_add_number(&line, true, seconds[s]);
    csv_add_number(&line, true, kernel ? kernel->flops : predicted->prediction.flops);
    csv_add_number(&line, true, gflops);
    csv_add_number(&line, view->peak_gflops > 0, gflops / view->peak_gflops);
    csv_add_number(&line, !kernel, predicted->prediction.error);
    blocked_line_print(writer, &line);
}

static void print_csv(struct writer *writer, const struct blocked_predictions *predictions) {
    fputs(
        BLOCKED_VIEW_HEAD
        "," BLOCKED_SIZES_HEAD
        ",kernel,calls,minimum_seconds,median_seconds,maximum_seconds,mean_seconds,deviation_seconds,"
        "flops,gflops,efficiency,error\n",
        writer->file);
    for (size_t p = 0; p < predictions->count; p++) {
        const struct blocked_predicted *predicted = &predictions->of[p];
        print_line(writer, &predictions->view, predicted, NULL);
        for (int k = 0; k < predicted->kernels; k++)
            print_line(writer, &predictions->view, predicted, &predicted->kernel[k]);
    }
}

/* Documents. */

static void write_kernels(struct document *document, const struct blocked_predicted *predicted) {
    const struct document_kind *kind = document->kind;
    kind->list(document, "kernels");
    for (int k = 0; k < predicted->kernels; k++) {
        const struct tcplan_blocked_kernel *kernel = &predicted->kernel[k];
        kind->object(document, "kernel");
        kind->text(document, "name", kernel->name);
        kind->integer(document, "calls", kernel->calls);
        kind->number(document, "share", median_share(predicted, kernel));
        kind->number(document, "flops", kernel->flops);
        if (kernel->flops > 0) kind->number(document, "gflops", kernel_gflops(kernel));
        blocked_statistics_write(document, "seconds", kernel->seconds, 1);
        kind->end(document);
    }
    kind->end(document);
}

static void write_prediction(struct document *document, const struct blocked_view *view,
                             const struct blocked_predicted *predicted) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_blocked_prediction *prediction = &predicted->prediction;
    const struct performance performance = performance_of(predicted);
    kind->object(document, "prediction");
    kind->text(document, "algorithm", tcplan_blocked_name(predicted->blocked));
    kind->integer(document, "calls", prediction->calls);
    kind->integer(document, "empty_calls", prediction->empty);
    kind->integer(document, "calls_below_domain", prediction->below);
    kind->number(document, "flops", prediction->flops);
    kind->number(document, "error", prediction->error);
    blocked_sizes_write(document, predicted->blocked, &predicted->sizes);
    blocked_statistics_write(document, "seconds", prediction->seconds, 1);
    blocked_statistics_write(document, "gflops", performance.gflops, 1);
    if (view->peak_gflops > 0)
        blocked_statistics_write(document, "efficiency", performance.gflops, 1 / view->peak_gflops);
    write_kernels(document, predicted);
    kind->end(document);
}

static void write_document(struct document *document,
                           const struct blocked_predictions *predictions) {
    document_open(document, "blocked_predict");
    blocked_view_write(document, &predictions->view);
    document->kind->list(document, "predictions");
    for (size_t p = 0; p < predictions->count; p++)
        write_prediction(document, &predictions->view, &predictions->of[p]);
    document->kind->end(document);
    document->kind->end(document);
}

void blocked_predictions_print(struct writer *writer,
                               const struct blocked_predictions *predictions) {
    if (writer->document) {
        write_document(writer->document, predictions);
    } else if (predictions->view.format == OUTPUT_CSV) {
        print_csv(writer, predictions);
    } else {
        print_text(writer, predictions);
    }
}
