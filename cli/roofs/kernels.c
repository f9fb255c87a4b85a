#include "cli/roofs/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/output/progress.h"
#include "cli/render/text/values.h"

#define MOST_SIZE INT64_C(999999999999999999)

/** The kernels and sizes to measure. */
struct wanted {
    size_t count;
    struct tcplan_kernel_wanted kernel[KERNELS_MAX_SIZES];
};

bool kernels_are_asked(const struct options *options) {
    return options->kernels.count > 0;
}

/* The option. */

static enum exit_status refuse(const char *text, const char *at) {
    return diagnose_as(
        EXIT_USAGE,
        "--kernel expects a kernel and its sizes, such as fft=1024,4096 or daxpy=1000000, found '%.200s' in '%.200s'",
        at, text);
}

static bool read_name(enum tcplan_point_kernel *out, const char *text, size_t length) {
    for (int k = 0; k < TCPLAN_POINT_KERNELS; k++) {
        if (!text_is(text, length, tcplan_point_kernel_name((enum tcplan_point_kernel)k))) continue;
        *out = (enum tcplan_point_kernel)k;
        return true;
    }
    return false;
}

/* kernel = name "=" size { "," size } */
static enum exit_status read_kernel(struct wanted *out, const char *text) {
    const size_t length = strcspn(text, "=");
    enum tcplan_point_kernel kernel;
    if (text[length] == '\0' || !read_name(&kernel, text, length)) return refuse(text, text);
    const char *at = text + length;
    do {
        struct tcplan_kernel_wanted wanted = {.kernel = kernel};
        const char *end = text_number(&wanted.n, ++at, MOST_SIZE);
        if (!end || (*end != ',' && *end != '\0')) return refuse(text, at);
        if (out->count == KERNELS_MAX_SIZES)
            return diagnose_as(EXIT_USAGE, "--kernel: expected at most %d sizes in all",
                               KERNELS_MAX_SIZES);
        out->kernel[out->count++] = wanted;
        at = end;
    } while (*at == ',');
    return EXIT_DONE;
}

static enum exit_status read_wanted(struct wanted *out, const struct options *options) {
    enum exit_status status = EXIT_DONE;
    for (int t = 0; t < options->kernels.count && status == EXIT_DONE; t++)
        status = read_kernel(out, options->kernels.text[t]);
    return status;
}

/* Measuring. */

static enum exit_status measure(struct kernel_list *list, const struct wanted *wanted) {
    const struct options *options = list->request->options;
    const struct tcplan_kernel_options measuring = {.count = wanted->count,
                                                    .wanted = wanted->kernel,
                                                    .counters = options->counters,
                                                    .threads = options->threads,
                                                    .max_memory_bytes = options->max_memory_bytes,
                                                    .time_limit_seconds =
                                                        request_seconds_left(list->request),
                                                    .progress = progress_update};
    return diagnosed(tcplan_kernel_points_measure(&list->measured, &measuring, &failure));
}

static bool is_on_line(const struct tcplan_kernel_point *a, const struct tcplan_kernel_point *b) {
    return a->kernel == b->kernel && a->cold == b->cold;
}

/** Adds all points of a line, which have the same line number, unless they were added before. */
static void add_line(struct kernel_list *list, size_t first, int line) {
    const struct tcplan_kernel_points *measured = list->measured;
    for (size_t p = first; p < measured->count; p++) {
        if (is_on_line(&measured->point[p], &measured->point[first])) {
            list->kernel[list->count++] =
                (struct listed_kernel){.point = &measured->point[p], .line = line};
        }
    }
}

static bool is_first_of_line(const struct tcplan_kernel_points *measured, size_t place) {
    size_t p = 0;
    while (!is_on_line(&measured->point[p], &measured->point[place])) p++;
    return p == place;
}

static enum exit_status collect(struct kernel_list *list) {
    int lines = 0;
    list->kernel = base_alloc_zero(list->measured->count + 1, sizeof *list->kernel);
    if (!list->kernel) return diagnose_no_memory();
    for (size_t p = 0; p < list->measured->count; p++) {
        if (is_first_of_line(list->measured, p)) add_line(list, p, ++lines);
    }
    return EXIT_DONE;
}

enum exit_status kernels_make(struct kernel_list *out, const struct request *request) {
    struct wanted *wanted = base_alloc_zero(1, sizeof *wanted);
    *out = (struct kernel_list){.request = request};
    if (!wanted) return diagnose_no_memory();
    enum exit_status status = read_wanted(wanted, request->options);
    if (status == EXIT_DONE) status = measure(out, wanted);
    if (status == EXIT_DONE) status = collect(out);
    base_free(wanted);
    return status;
}

/* Placing. */

void kernels_place(struct kernel_list *list, const struct tcplan_roofline *roofline) {
    const struct options *options = list->request->options;
    list->roofline = roofline;
    for (size_t k = 0; k < list->count; k++) {
        struct listed_kernel *listed = &list->kernel[k];
        const struct tcplan_kernel_point *point = listed->point;
        listed->place =
            tcplan_kernel_point_place(point, roofline, options->threads, !options->no_fma,
                                      (enum tcplan_direction)options->traffic);
        const double work = listed->place.gflops * point->seconds;
        const bool known = point->seconds_q1 > 0 && point->seconds_q3 > 0;
        if (known)
            listed->speed =
                (struct tcplan_span){work / point->seconds_q3, work / point->seconds_q1};
    }
}

void kernels_free(struct kernel_list *list) {
    tcplan_kernel_points_free(list->measured);
    base_free(list->kernel);
    *list = (struct kernel_list){0};
}
