#include "cli/render/report.h"

#include <stdio.h>

#include "base/strbuf.h"

static void count_entry(struct report *report, const struct tcplan_entry *entry) {
    switch (entry->status) {
    case TCPLAN_ENTRY_MEASURED: report->measured_count++; /* fall through */
    case TCPLAN_ENTRY_PREDICTED: report->predicted_count++; break;
    case TCPLAN_ENTRY_PRUNED:
        if (report->lowest_bound == 0 || entry->lower_bound_seconds < report->lowest_bound) {
            report->lowest_bound = entry->lower_bound_seconds;
        }
        break;
    case TCPLAN_ENTRY_NOT_APPLICABLE: report->not_applicable_count++; break;
    case TCPLAN_ENTRY_OPEN: break;
    }
}

/** The smallest bound of the families of which pruned algorithms are not listed. */
static void bound_unlisted(struct report *report) {
    const struct tcplan_ranking *ranking = report->ranking;
    for (int f = 0; f < ranking->family_count && !ranking->lists_all; f++) {
        const struct tcplan_family *family = &ranking->family[f];
        if (!family->pruned || family->looked_at == family->algorithms) continue;
        if (report->lowest_bound == 0 || family->lower_bound_seconds < report->lowest_bound) {
            report->lowest_bound = family->lower_bound_seconds;
        }
    }
}

struct report report_make(const struct request *request, const struct tcplan_ranking *ranking) {
    struct report report = {.request = request, .ranking = ranking, .blas = tcplan_blas_info()};
    for (size_t e = 0; e < ranking->entry_count; e++) count_entry(&report, &ranking->entry[e]);
    bound_unlisted(&report);
    report.limit_seconds = tcplan_roofline_limit_seconds(request->machine.ceilings, &ranking->problem, request->options->threads);
    const int64_t top = request->options->top;
    report.shown = ranking->entry_count - report.not_applicable_count;
    if (top > 0 && (uint64_t)top < report.shown) report.shown = (size_t)top;
    return report;
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

static bool is_one_gemm(const struct tcplan_algorithm *algorithm) {
    return algorithm->kernel == TCPLAN_GEMM && algorithm->provider == TCPLAN_PROVIDER_BLAS && algorithm->loop_count == 0;
}

static bool has_copies(const struct tcplan_algorithm *algorithm) {
    bool any = false;
    for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) any = any || algorithm->copy[operand].depth >= 0;
    return any;
}

/** The time that an entry has or cannot go below; 0 where nothing is known. */
static double least_seconds(const struct tcplan_entry *entry) {
    const double seconds = report_seconds(entry);
    return seconds > 0 ? seconds : entry->status == TCPLAN_ENTRY_PRUNED ? entry->lower_bound_seconds : 0;
}

struct report_baseline report_baseline(const struct report *report) {
    const struct tcplan_ranking *ranking = report->ranking;
    struct report_baseline out = {0};
    const double best = ranking->entry_count > 0 ? report_seconds(&ranking->entry[0]) : 0;
    for (size_t e = 0; e < ranking->entry_count && best > 0; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        const double seconds = is_one_gemm(&entry->algorithm) ? least_seconds(entry) : 0;
        if (!(seconds > 0) || (out.entry && seconds >= out.speedup * best)) continue;
        out = (struct report_baseline){
            .entry = entry, .speedup = seconds / best, .at_least = report_seconds(entry) <= 0, .copies = has_copies(&entry->algorithm)};
    }
    if (out.entry == ranking->entry) out = (struct report_baseline){0};
    return out;
}

const char *report_basis(char out[REPORT_BASIS_CHARS], const struct tcplan_entry *entry) {
    snprintf(out, REPORT_BASIS_CHARS, "%s%s", tcplan_word(tcplan_words_bases, entry->basis), entry->missed ? ", not compared" : "");
    return out;
}

const char *report_load(char out[REPORT_LOAD_CHARS], const struct tcplan_ranking *ranking) {
    const struct tcplan_load *load = &ranking->load;
    char others[REPORT_LOAD_CHARS / 2] = "";
    if (load->other_cores > 0.05) snprintf(others, sizeof others, " %.1f processing units at work for others,", load->other_cores);
    snprintf(out, REPORT_LOAD_CHARS, "the machine was not quiet:%s %lld of %lld windows disturbed, %.1f %% of the time lost", others,
             (long long)load->disturbed, (long long)load->windows, 100 * load->lost_share);
    return out;
}

char *report_sizes(const struct tcplan_problem *problem) {
    struct strbuf out = {0};
    for (int i = 0; i < problem->contraction->index_count; i++) {
        strbuf_add(&out, "%s%s=%lld", i > 0 ? "," : "", problem->contraction->index[i].name, (long long)problem->extent[i]);
    }
    return strbuf_finish(&out);
}
