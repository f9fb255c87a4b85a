#include "cli/survey_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "cli/output/printed.h"
#include "cli/page/pictures.h"
#include "tcplan/study/words.h"

/* Number of the fastest algorithms that are drawn, unless all are. */
enum { FASTEST = 8 };

/** An algorithm and its time, in seconds, at each size; 0: unknown. */
struct survey_curve {
    struct tcplan_algorithm algorithm;
    int threads;
    double *seconds; /* first the predicted times, then the measured ones, then the speedups of the
                        predictions over the measurements; owned */
    double speed;    /* sum, over the sizes, of the algorithm's speed relative to the fastest */
    char *name;      /* allocated by the C library, so freed with free() */
};

enum exit_status survey_plot_begin(struct survey_plot *out, const struct request *request) {
    const char *path = request->options->plot;
    const int64_t points = request_points(request);
    if (!path) return EXIT_DONE;
    if (points < 2)
        return diagnose_as(EXIT_USAGE,
                           "--plot needs several sizes, such as --sizes a=b=c=64:512:64,i=8");
    const enum exit_status status = picture_file_check("--plot", path);
    if (status != EXIT_DONE) return status;
    out->problem = base_alloc_zero((size_t)points, sizeof *out->problem);
    if (!out->problem) return diagnose_no_memory();
    out->points = (size_t)points;
    return EXIT_DONE;
}

/** Returns the curve of an algorithm and number of threads, which is added if it is new; NULL if
 * memory runs out. */
static struct survey_curve *curve_of(struct survey_plot *plot, const struct tcplan_entry *entry) {
    for (size_t c = 0; c < plot->count; c++) {
        if (plot->curve[c].threads == entry->threads &&
            tcplan_algorithm_equal(&plot->curve[c].algorithm, &entry->algorithm))
            return &plot->curve[c];
    }
    struct survey_curve *more = base_grow(plot->curve, plot->count, sizeof *more);
    if (!more) return NULL;
    plot->curve = more;
    double *seconds = base_alloc_zero(3 * plot->points, sizeof *seconds);
    if (!seconds) return NULL;
    plot->curve[plot->count] = (struct survey_curve){
        .algorithm = entry->algorithm, .threads = entry->threads, .seconds = seconds};
    return &plot->curve[plot->count++];
}

bool survey_plot_add(struct survey_plot *plot, const struct tcplan_ranking *ranking) {
    const size_t point = plot->added;
    double best = INFINITY;
    if (plot->points == 0) return true;
    plot->problem[plot->added++] = ranking->problem;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->predicted) continue;
        struct survey_curve *curve = curve_of(plot, entry);
        if (!curve) return false;
        curve->seconds[point] = entry->prediction.seconds;
        const struct tcplan_estimate *measured = &entry->measured;
        if (entry->status == TCPLAN_ENTRY_MEASURED) {
            curve->seconds[plot->points + point] = measured->seconds;
            if (entry->predicting_seconds > 0)
                curve->seconds[2 * plot->points + point] =
                    measured->seconds * measured->sample_count / entry->predicting_seconds;
        }
        best = fmin(best, entry->prediction.seconds);
    }
    for (size_t c = 0; c < plot->count; c++) {
        const double seconds = plot->curve[c].seconds[point];
        if (seconds > 0) plot->curve[c].speed += best / seconds;
    }
    return true;
}

/* The picture. */

static int compare_speed(const void *a, const void *b) {
    const double x = ((const struct survey_curve *)a)->speed,
                 y = ((const struct survey_curve *)b)->speed;
    return (x < y) - (x > y);
}

/** Makes the names of the first curves; false if memory runs out. */
static bool name(struct survey_plot *plot, size_t count) {
    const struct tcplan_problem *problem = plot->problem;
    for (size_t c = 0; c < count; c++) {
        struct survey_curve *curve = &plot->curve[c];
        curve->name =
            tcplan_algorithm_name(&curve->algorithm, problem->contraction, problem->dtype);
        if (!curve->name) return false;
    }
    return true;
}

static enum exit_status write_file(const struct sizes_plot *plot, const char *path) {
    struct output_file out = {0};
    const enum exit_status status = output_begin(&out, path);
    return status == EXIT_DONE ? picture_file_end(&out, sizes_plot_print(out.file, plot)) : status;
}

enum exit_status survey_plot_write(struct survey_plot *plot, const struct request *request) {
    const struct options *options = request->options;
    const bool staged = options->predictor == TCPLAN_PREDICT_THESIS;
    char subtitle[128], predictor[64];
    if (plot->points == 0 || plot->added < plot->points) return EXIT_DONE;
    if (plot->count > 0) qsort(plot->curve, plot->count, sizeof *plot->curve, compare_speed);
    const size_t count = options->all || plot->count < FASTEST ? plot->count : FASTEST;
    struct sizes_curve *drawn = base_alloc_zero(count + 1, sizeof *drawn);
    if (!drawn || !name(plot, count)) {
        base_free(drawn);
        return diagnose_no_memory();
    }
    for (size_t c = 0; c < count; c++) {
        const struct survey_curve *curve = &plot->curve[c];
        drawn[c] = (struct sizes_curve){.name = curve->name,
                                        .kernel = curve->algorithm.kernel,
                                        .predicted = curve->seconds,
                                        .measured = curve->seconds + plot->points,
                                        .speedup = curve->seconds + 2 * plot->points};
    }
    snprintf(subtitle, sizeof subtitle, "%s%s, type %s", options->threads > 1 ? "up to " : "",
             counted(options->threads, "thread").text,
             tcplan_word(tcplan_words_dtypes, (int)plot->problem->dtype));
    if (count < plot->count)
        snprintf(subtitle + strlen(subtitle), sizeof subtitle - strlen(subtitle),
                 "; the %zu fastest of %zu", count, plot->count);
    snprintf(predictor, sizeof predictor, "%s%s%s",
             tcplan_word(tcplan_words_predictors, options->predictor), staged ? ", stage " : "",
             staged ? tcplan_word(tcplan_words_stages, options->stage) : "");
    const enum exit_status status =
        write_file(&(struct sizes_plot){.subtitle = subtitle,
                                        .predictor = predictor,
                                        .points = plot->points,
                                        .problem = plot->problem,
                                        .count = count,
                                        .curve = drawn,
                                        .errors = options->figure == SURVEY_ERROR,
                                        .speedups = options->figure == SURVEY_SPEEDUP},
                   options->plot);
    base_free(drawn);
    return status;
}

void survey_plot_free(struct survey_plot *plot) {
    for (size_t c = 0; c < plot->count; c++) {
        base_free(plot->curve[c].seconds);
        free(plot->curve[c].name);
    }
    base_free(plot->curve);
    base_free(plot->problem);
}
