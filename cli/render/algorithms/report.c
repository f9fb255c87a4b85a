#include "cli/render/algorithms/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "base/strbuf.h"

static void count_entry(struct report *report, const struct tcplan_entry *entry) {
    switch (entry->status) {
    case TCPLAN_ENTRY_MEASURED: report->measured_count++; /* fall through */
    case TCPLAN_ENTRY_PREDICTED: report->predicted_count++; break;
    case TCPLAN_ENTRY_NOT_APPLICABLE: report->not_applicable_count++; break;
    case TCPLAN_ENTRY_PRUNED:
    case TCPLAN_ENTRY_OPEN: break;
    }
}

struct report report_make(const struct request *request, const struct tcplan_ranking *ranking) {
    struct report report = {.request = request, .ranking = ranking, .blas = tcplan_blas_info()};
    for (size_t e = 0; e < ranking->entry_count; e++) count_entry(&report, &ranking->entry[e]);
    const struct tcplan_entry *fastest = report_fastest_measured(&report);
    report.fastest_seconds = fastest ? fastest->measured.seconds : 0;
    for (size_t e = 0; e < ranking->entry_count; e++)
        report.tied_count += report_ties(&report, &ranking->entry[e]);
    report.limit_seconds = tcplan_roofline_limit_seconds(
        request->machine.ceilings, &ranking->problem, request->options->threads);
    const int64_t top = request->options->top;
    report.shown = ranking->entry_count - report.not_applicable_count;
    if (top > 0 && (uint64_t)top < report.shown) report.shown = (size_t)top;
    return report;
}

bool report_is_chosen(const struct report *report, const struct tcplan_entry *entry) {
    return entry->status != TCPLAN_ENTRY_NOT_APPLICABLE &&
           entry == tcplan_ranking_chosen(report->ranking);
}

bool report_lists(const struct report *report, size_t position) {
    return position < report->shown || report_is_chosen(report, &report->ranking->entry[position]);
}

double report_gflops(const struct report *report, double seconds) {
    return seconds > 0 ? 1e-9 * report->ranking->problem.flops / seconds : 0;
}

double report_limit_share(const struct report *report, double seconds) {
    return report->limit_seconds > 0 && seconds > 0 ? report->limit_seconds / seconds : -1;
}

const struct tcplan_estimate *report_estimate(const struct tcplan_entry *entry) {
    if (entry->status == TCPLAN_ENTRY_MEASURED) return &entry->measured;
    return entry->predicted ? &entry->prediction : NULL;
}

double report_seconds(const struct tcplan_entry *entry) {
    const struct tcplan_estimate *estimate = report_estimate(entry);
    return estimate ? estimate->seconds : -1;
}

const struct tcplan_entry *report_fastest_measured(const struct report *report) {
    const struct tcplan_entry *fastest = NULL;
    for (size_t e = 0; e < report->ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &report->ranking->entry[e];
        if (entry->status != TCPLAN_ENTRY_MEASURED) continue;
        if (!fastest || entry->measured.seconds < fastest->measured.seconds) fastest = entry;
    }
    return fastest;
}

bool report_ties(const struct report *report, const struct tcplan_entry *entry) {
    if (!(report->fastest_seconds > 0)) return entry->tied;
    return entry->status == TCPLAN_ENTRY_MEASURED &&
           entry->measured.seconds <= (1 + TCPLAN_EQUAL_SHARE) * report->fastest_seconds;
}

struct report_baseline report_baseline(const struct report *report) {
    const struct tcplan_ranking *ranking = report->ranking;
    const struct tcplan_entry *best = tcplan_ranking_chosen(ranking);
    const struct tcplan_entry *baseline =
        report->named ? report->named : tcplan_ranking_baseline(ranking);
    struct report_baseline out = {0};
    if (!baseline || baseline == best || !(report_seconds(best) > 0)) return out;
    const bool measured =
        baseline->status == TCPLAN_ENTRY_MEASURED && best->status == TCPLAN_ENTRY_MEASURED;
    out.entry = baseline;
    if (measured) {
        out.speedup = baseline->measured.seconds / best->measured.seconds;
    } else if (best->compared && baseline->compared) {
        out.is_predicted = true;
        out.speedup = baseline->prediction.seconds / best->prediction.seconds;
    } else if (report->named) {
        out.speedup = report->named_speedup;
    }
    for (int operand = 0; operand < TCPLAN_OPERANDS; operand++)
        out.copies = out.copies || baseline->algorithm.copy[operand].depth >= 0;
    return out;
}

struct report_faster report_faster(const struct tcplan_ranking *ranking) {
    struct report_faster out = {0};
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    if (!ranking->compared) return out;
    for (const struct tcplan_entry *entry = ranking->entry; entry != chosen; entry++) {
        if (!entry->missed || entry->prediction.seconds >= chosen->prediction.seconds) continue;
        if (out.count == 0) out.seconds = entry->prediction.seconds;
        out.count++;
    }
    return out;
}

const char *report_faster_text(char out[REPORT_FASTER_CHARS],
                               const struct tcplan_ranking *ranking) {
    const struct report_faster faster = report_faster(ranking);
    out[0] = '\0';
    if (faster.count == 0) return out;
    const bool one = faster.count == 1;
    snprintf(out, REPORT_FASTER_CHARS, "%zu other%s faster (%s%s) but %s not compared with it; %s",
             faster.count, one ? " looks" : "s look", one ? "" : "from ",
             quantity_seconds(faster.seconds).text, one ? "was" : "were",
             ranking->out_of_time ? "time limit reached" : "a higher --effort compares more");
    return out;
}

uint64_t report_providers(const struct report *report) {
    const struct tcplan_ranking *ranking = report->ranking;
    uint64_t providers = UINT64_C(1) << TCPLAN_PROVIDER_BLAS;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->compared || entry == tcplan_ranking_chosen(ranking))
            providers |= UINT64_C(1) << entry->algorithm.provider;
    }
    return providers;
}

const char *report_basis(char out[REPORT_BASIS_CHARS], const struct tcplan_entry *entry) {
    snprintf(out, REPORT_BASIS_CHARS, "%s%s%s", tcplan_word(tcplan_words_bases, entry->basis),
             entry->at_ceiling ? ", at the ceiling" : "", entry->missed ? ", not compared" : "");
    return out;
}

enum { LOAD_PART_CHARS = 90 };

const char *report_load(char out[REPORT_LOAD_CHARS], const struct tcplan_load *load) {
    char others[LOAD_PART_CHARS] = "";
    if (load->other_cores > 0.05)
        snprintf(others, sizeof others, " %.1f processing units used by other programs,",
                 load->other_cores);
    char windows[LOAD_PART_CHARS] = "";
    if (load->windows > 0)
        snprintf(windows, sizeof windows, " %lld of %lld windows disturbed,",
                 (long long)load->disturbed, (long long)load->windows);
    const int length =
        snprintf(out, REPORT_LOAD_CHARS, "other load on the machine:%s%s", others, windows);
    snprintf(out + length, REPORT_LOAD_CHARS - (size_t)length, " %.1f %% of the time lost",
             100 * load->lost_share);
    return out;
}

const char *report_load_warning(char out[REPORT_LOAD_CHARS], const struct tcplan_load *load) {
    char lost[LOAD_PART_CHARS] = "disturbed the timing";
    if (load->lost_share >= 0.005)
        snprintf(lost, sizeof lost, "took %.0f %% of the time", 100 * load->lost_share);
    snprintf(out, REPORT_LOAD_CHARS, "other load %s; times may be too long", lost);
    return out;
}

char *sizes_text(int count, const char *const name[], const int64_t extent[], bool joins) {
    struct strbuf out = {0};
    for (int i = 0; i < count; i++) {
        int first = 0;
        while (joins && extent[first] != extent[i]) first++;
        if (joins && first < i) continue;
        strbuf_add(&out, "%s%s=", i > 0 ? "," : "", name[i]);
        for (int j = i + 1; j < count && joins; j++) {
            if (extent[j] == extent[i]) strbuf_add(&out, "%s=", name[j]);
        }
        strbuf_add(&out, "%lld", (long long)extent[i]);
    }
    return strbuf_finish(&out);
}

static char *sizes_of(const struct tcplan_problem *problem, bool joins) {
    const char *name[TCPLAN_MAX_INDICES];
    const int count = problem->contraction->index_count;
    for (int i = 0; i < count; i++) name[i] = problem->contraction->index[i].name;
    return sizes_text(count, name, problem->extent, joins);
}

char *report_sizes(const struct tcplan_problem *problem) {
    return sizes_of(problem, false);
}

char *report_short_sizes(const struct tcplan_problem *problem) {
    return sizes_of(problem, true);
}

/** Adds a copy to the description of an algorithm. Copies of the result in and out at the same
 * place count as one. */
static void add_copy(struct row *row, enum tcplan_operand operand, const char *inside) {
    const char *name = row->contraction->tensor[operand].name;
    for (int c = 0; c < row->copy_count; c++) {
        if (row->copy[c].operand == name) return;
    }
    const struct tcplan_operand_copy copy = row->nest->algorithm.copy[operand];
    row->copy[row->copy_count++] = (struct row_copy){.operand = name,
                                                     .inside = inside,
                                                     .transposed = copy.transposed,
                                                     .streamed = copy.streamed};
}

static void find_copies(struct row *row, const struct tcplan_node *node, const char *inside) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_COPY) add_copy(row, node->copy.to.operand, inside);
        if (node->kind == TCPLAN_NODE_LOOP)
            find_copies(row, node->loop.body, tcplan_nest_index_name(row->nest, node->loop.index));
    }
}

bool row_make(struct row *out, const struct tcplan_algorithm *algorithm,
              const struct tcplan_contraction *contraction, enum tcplan_dtype dtype) {
    *out = (struct row){.contraction = contraction,
                        .dtype = dtype,
                        .loop_count = algorithm->loop_count,
                        .model_seconds = -1};
    out->name = tcplan_algorithm_name(algorithm, contraction, dtype);
    if (!out->name) return false;
    if (tcplan_nest_build(&out->nest, contraction, algorithm, NULL) != TCPLAN_OK) {
        row_free(out);
        return false;
    }
    snprintf(out->kernel, sizeof out->kernel, "%c%s", tcplan_dtype_letter(dtype),
             tcplan_kernel_name(algorithm->kernel, dtype));
    out->provider = tcplan_algorithm_provider_name(algorithm);
    for (int l = 0; l < out->loop_count; l++)
        out->loop[l] = tcplan_nest_index_name(out->nest, algorithm->loop[l]);
    find_copies(out, out->nest->body, NULL);
    return true;
}

void row_free(struct row *row) {
    tcplan_nest_free(row->nest);
    free(row->name);
    row->nest = NULL;
    row->name = NULL;
}

struct field_value row_copies(const struct row *row) {
    struct strbuf text = {0};
    for (int c = 0; c < row->copy_count; c++)
        strbuf_add(&text, "%s%s@%s", c > 0 ? " " : "", row->copy[c].operand,
                   row->copy[c].inside ? row->copy[c].inside : "");
    struct field_value value = field_owned(strbuf_finish(&text));
    value.known = true;
    return value;
}

/* clang-format off */

#define COPY(F, T) \
    F(T, operand, TEXT, field_text(r->operand), "copied tensor", ALWAYS) \
    F(T, inside, TEXT, field_text(r->inside), "loop that carries the copy; absent: outside all loops") \
    F(T, transposed, FLAG, field_if(r->transposed, field_flag(true)), "whether the copy is transposed") \
    F(T, streamed, FLAG, field_if(r->streamed, field_flag(true)), "whether non-temporal stores write it")

/* clang-format on */

FIELD_TABLE_SHARED(row_copy, row_copy, COPY);
