#include "cli/page/markup.h"
#include "cli/page/page.h"
#include "cli/page/pictures.h"

/** A choice of statistics between which the reader switches. */
static const struct {
    const char *name;
    unsigned statistics;
} choices[] = {
    {"median, minimum to maximum",
     1U << TCPLAN_STATISTIC_MIN | 1U << TCPLAN_STATISTIC_MEDIAN | 1U << TCPLAN_STATISTIC_MAX},
    {"median and quartiles",
     1U << TCPLAN_STATISTIC_P25 | 1U << TCPLAN_STATISTIC_MEDIAN | 1U << TCPLAN_STATISTIC_P75},
    {"mean and standard deviation", 1U << TCPLAN_STATISTIC_MEAN | 1U << TCPLAN_STATISTIC_DEVIATION},
    {"minimum", 1U << TCPLAN_STATISTIC_MIN},
    {"maximum", 1U << TCPLAN_STATISTIC_MAX},
    {"90th percentile", 1U << TCPLAN_STATISTIC_P90},
};

enum { CHOICES = sizeof choices / sizeof *choices };

static void write_option(FILE *file, const char *value) {
    fputs("<option>", file);
    markup_text(file, value);
    fputs("</option>", file);
}

void samples_page_begin(FILE *file, const char *title, const char *const metric[], int count) {
    page_begin(file, title);
    fputs("<p><label>Metric: <select class=\"metric\">", file);
    for (int m = 0; m < count; m++) write_option(file, metric[m]);
    fputs("</select></label> <label>Statistics: <select class=\"statistic\">", file);
    for (int c = 0; c < CHOICES; c++) write_option(file, choices[c].name);
    fputs("</select></label></p>\n", file);
}

bool samples_page_add(FILE *file, const struct tcplan_evaluation *evaluation, bool is_first) {
    bool good = true;
    for (int c = 0; c < CHOICES; c++) {
        fprintf(file, "<figure data-metric=\"%s\" data-statistic=\"%s\"%s>\n", evaluation->metric,
                choices[c].name, is_first && c == 0 ? "" : " hidden=\"hidden\"");
        good &= samples_plot_print(file, evaluation, choices[c].statistics, true);
        fputs("</figure>\n", file);
    }
    return good;
}
