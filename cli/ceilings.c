#include "cli/ceilings.h"

#include <unistd.h>

#include "cli/cleanup.h"
#include "cli/kept.h"
#include "cli/progress.h"
#include "tcplan/roofline.h"

enum { QUICK_WINDOWS = 5 };

static struct tcplan_roofline_options measuring_options(const struct request *request) {
    const struct options *options = request->options;
    struct tcplan_roofline_options out = tcplan_roofline_defaults();
    if (!request->machine.live) out.machine = &request->machine;
    out.threads = options->threads_given ? options->threads : 0;
    out.max_memory_bytes = options->max_memory_bytes;
    out.small_pages = options->small_pages;
    if (options->quick) {
        out.windows = QUICK_WINDOWS;
        out.window_seconds = 1e-3;
        out.untuned = true;
    }
    return out;
}

static enum exit_status measure(struct tcplan_roofline **out, const struct request *request) {
    struct progress progress = {.enabled = !request->options->quiet && isatty(STDERR_FILENO), .points = 1};
    struct tcplan_roofline_options measuring = measuring_options(request);
    struct tcplan_error error;
    measuring.progress = progress_update;
    measuring.progress_context = &progress;
    enum tcplan_status status = tcplan_roofline_measure(out, &measuring, &error);
    progress_clear(&progress);
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

/** The numbers of threads whose ceilings are wanted: of a file only what the points need, as it may be of another machine. */
static int wanted_threads(int out[2], const struct options *options) {
    const int most = options->threads_given ? options->threads : tcplan_roofline_usual_threads();
    if (options->ceilings) {
        out[0] = options->threads;
        return options->argument || options->threads_given ? 1 : 0;
    }
    out[0] = 1;
    out[1] = most;
    return most > 1 ? 2 : 1;
}

/** Whether ceilings that are kept are as good as those that would be measured. */
static bool is_good_enough(const struct tcplan_roofline *roofline, const struct options *options) {
    return !roofline->rough || options->ceilings || options->quick || options->max_memory_bytes > 0;
}

/** What is kept, or NULL: then it is to be measured. */
static enum exit_status find_kept(struct tcplan_roofline **out, const struct request *request) {
    const struct options *options = request->options;
    const bool named = options->ceilings && access(options->ceilings, F_OK) == 0;
    char reason[TCPLAN_MESSAGE_SIZE];
    int thread[2];
    *out = NULL;
    if (options->remeasure || (options->ceilings ? !named : options->small_pages)) return EXIT_DONE;
    const enum exit_status status = kept_ceilings(out, reason, request, thread, wanted_threads(thread, options));
    if (status != EXIT_DONE) return status;
    if (*out && !is_good_enough(*out, options)) {
        tcplan_roofline_free(*out);
        *out = NULL;
    }
    if (named && !*out) { /* never replaced unasked */
        diagnose("%s; --remeasure replaces them", reason);
        return EXIT_REFUSED;
    }
    if (*reason && !options->quiet) diagnose("note: the ceilings that are kept are not used: %s", reason);
    return EXIT_DONE;
}

enum exit_status ceilings_obtain(struct tcplan_roofline **out, bool *kept, const struct request *request) {
    enum exit_status status = find_kept(out, request);
    *kept = *out != NULL;
    if (status != EXIT_DONE || *out) return status;
    struct output_file file = {0};
    struct tcplan_error error;
    const char *path = request->options->ceilings;
    if (path && output_open(&file, path, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    status = measure(out, request);
    if (status == EXIT_DONE) status = path ? kept_write(request, *out, &file) : kept_keep(request, *out);
    output_file_discard(&file);
    return status;
}
