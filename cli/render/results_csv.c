#include "base/strbuf.h"
#include "cli/render/csv_line.h"
#include "cli/render/results_writer.h"

static void print_line(struct results_writer *writer, struct csv_line *line) {
    if (!csv_print(line, writer->file)) writer->no_memory = true;
}

static void begin_csv(struct results_writer *writer) {
    fputs(
        "id,library,group,name,class,contraction,sizes,dtype,order,threads,status,reason,winner,kernel,runners_up,predicted_seconds,"
        "predicted_low,predicted_high,predicted_gflops,measured_seconds,measured_gflops,fastest,fastest_seconds,regret,flops,dgemm_gflops,"
        "planning_seconds,algorithms,pruned,reused_from,finished,tcplan,settings,host,cpu,machine,blas_name,blas_version,blas_core,strides\n",
        writer->file);
}

static void add_entry(struct csv_line *line, const struct tcplan_result *result) {
    csv_add_text(line, result->id);
    csv_add_text(line, result->library);
    csv_add_text(line, result->group);
    csv_add_text(line, result->name);
    csv_add_text(line, result->size_class);
    csv_add_text(line, result->contraction);
    csv_add_text(line, result->sizes);
    csv_add_text(line, tcplan_word(tcplan_words_dtypes, (int)result->dtype));
    csv_add_text(line, tcplan_word(tcplan_words_orders, (int)result->order));
    csv_add_integer(line, result->threads);
    csv_add_text(line, result->reason ? "failed" : "done");
    csv_add_text(line, result->reason ? result->reason : "");
}

/** A time that is known is positive. */
static void add_known(struct csv_line *line, double value) {
    csv_add_number(line, value > 0, value);
}

static double gflops(const struct tcplan_result *result, double seconds) {
    return seconds > 0 ? 1e-9 * result->flops / seconds : 0;
}

static void add_runners_up(struct csv_line *line, const struct tcplan_result *result) {
    struct strbuf names = {0};
    for (size_t a = 1; a < result->algorithm_count; a++) {
        if (result->algorithm[a].tied) strbuf_add(&names, "%s%s", names.length > 0 ? " " : "", result->algorithm[a].name);
    }
    line->text.failed = line->text.failed || names.failed;
    csv_add_text(line, names.text && !names.failed ? names.text : "");
    strbuf_free(&names);
}

static void add_algorithms(struct csv_line *line, const struct tcplan_result *result) {
    static const struct tcplan_result_algorithm none = {.name = "", .kernel = ""};
    const struct tcplan_result_algorithm *winner = result->algorithm_count > 0 ? &result->algorithm[0] : &none;
    const struct tcplan_result_algorithm *fastest = tcplan_result_fastest(result);
    csv_add_text(line, winner->name);
    csv_add_text(line, winner->kernel);
    add_runners_up(line, result);
    add_known(line, winner->predicted_seconds);
    add_known(line, winner->predicted_low);
    add_known(line, winner->predicted_high);
    add_known(line, gflops(result, winner->predicted_seconds));
    add_known(line, winner->measured_seconds);
    add_known(line, gflops(result, winner->measured_seconds));
    csv_add_text(line, fastest ? fastest->name : "");
    add_known(line, fastest ? fastest->measured_seconds : 0);
    add_known(line, tcplan_result_regret(result));
}

static void add_provenance(struct csv_line *line, const struct tcplan_provenance *provenance) {
    csv_add_text(line, provenance->tcplan);
    csv_add_text(line, provenance->settings);
    csv_add_text(line, provenance->host);
    csv_add_text(line, provenance->cpu);
    csv_add_text(line, provenance->machine);
    csv_add_text(line, provenance->blas_name);
    csv_add_text(line, provenance->blas_version);
    csv_add_text(line, provenance->blas_core);
}

static void write_csv(struct results_writer *writer, const struct tcplan_result *result) {
    struct csv_line line = {0};
    add_entry(&line, result);
    add_algorithms(&line, result);
    add_known(&line, result->flops);
    add_known(&line, result->gemm_gflops);
    add_known(&line, result->planning_seconds);
    add_known(&line, (double)result->algorithm_total);
    csv_add_number(&line, result->algorithm_total > 0, (double)result->pruned_count);
    csv_add_text(&line, result->reused_from ? result->reused_from : "");
    csv_add_text(&line, result->finished);
    add_provenance(&line, result->provenance);
    csv_add_text(&line, result->strides ? result->strides : "");
    print_line(writer, &line);
}

const struct results_format results_format_csv = {.begin = begin_csv, .record = write_csv};
