#include "cli/roofs/ceilings.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/stored.h"
#include "tcplan/roofline.h"

/** Default time limit of --quick in seconds, which suffices on a busy machine. */
#define QUICK_SECONDS 15

enum { QUICK_WINDOWS = 5, MOST_COUNTS = TCPLAN_ROOFLINE_COUNTS };

/** The ceilings that are needed: all, or those of points. */
struct wanted {
    unsigned dtypes; /**< element types of the points, as bits 1 << type; 0: all ceilings */
    int thread[MOST_COUNTS];
    int threads; /**< number of threads that the ceilings must have; 0: any */
};

static int most_threads(void) {
    int thread[MOST_COUNTS];
    return thread[tcplan_roofline_thread_counts(thread, 0) - 1];
}

/**
 * Returns which ceilings are wanted. Points need only those for their element types and number of
 * threads; a file may belong to another machine.
 */
static struct wanted wanted_of(const struct options *options, struct ceilings_needed needed) {
    const bool points = needed.dtypes != 0;
    struct wanted out = {.dtypes = needed.dtypes};
    const bool any =
        !points || (needed.lenient && options->ceilings && access(options->ceilings, F_OK) == 0);
    if (options->ceilings && any && !options_given(options, "threads")) return out;
    const int threads = options_given(options, "threads") ? options->threads
                        : points                          ? needed.threads
                                                          : 0;
    if (points || options->ceilings) {
        out.thread[out.threads++] = threads > 0 ? threads : most_threads();
    } else {
        out.threads = tcplan_roofline_thread_counts(out.thread, threads);
    }
    return out;
}

static struct tcplan_roofline_options measuring_options(const struct request *request,
                                                        const struct wanted *wanted) {
    const struct options *options = request->options;
    struct tcplan_roofline_options out = tcplan_roofline_defaults();
    if (!request->machine.live) out.machine = &request->machine;
    out.threads = wanted->threads > 0 ? wanted->thread[wanted->threads - 1] : 0;
    out.one_count = wanted->threads == 1;
    out.dtypes = wanted->dtypes;
    out.max_memory_bytes = options->max_memory_bytes;
    out.small_pages = options->small_pages;
    out.sweep = options->sweep;
    out.intensities = options->intensities;
    out.strided = options->strided;
    out.widths = options->widths;
    out.time_limit_seconds = request_seconds_left(request);
    if (options->quick) {
        out.windows = QUICK_WINDOWS;
        out.window_seconds = 1e-3;
        out.untuned = true;
        if (out.time_limit_seconds == 0) out.time_limit_seconds = QUICK_SECONDS;
    }
    return out;
}

/** Prints a note about which ceilings are missing, and how to measure them. */
static void report_missing(const struct tcplan_roofline *roofline, const struct request *request) {
    const struct options *options = request->options;
    if (roofline->unmeasured == 0) return;
    const char *why = interrupt_is_postponed() ? "interrupted" : "time limit reached";
    const char *next = options->ceilings ? "--remeasure measures all again"
                                         : "the same command measures only these";
    note(options, "%s: %zu ceilings were measured, %d are missing; %s", why,
         roofline->compute_count + roofline->bandwidth_count, roofline->unmeasured, next);
}

/** Measures the missing ceilings and replaces *known by the complete ones; if *known is NULL,
 * measures all. */
static enum exit_status measure(struct tcplan_roofline **known, const struct request *request,
                                const struct wanted *wanted) {
    struct tcplan_roofline_options measuring = measuring_options(request, wanted);
    struct tcplan_roofline *out = NULL;
    measuring.known = *known;
    measuring.progress = progress_update;
    measuring.interrupted = interrupt_begin();
    if (!request->options->quick) progress_begin("measuring ceilings");
    enum tcplan_status status = tcplan_roofline_measure(&out, &measuring, &failure);
    const int interrupt = interrupt_end();
    if (interrupt) interrupt_postpone(interrupt);
    progress_clear();
    tcplan_roofline_free(*known);
    *known = out;
    if (status != TCPLAN_OK) return diagnose_failure(NULL);
    report_missing(out, request);
    return EXIT_DONE;
}

/** Returns the first requested extra measurement that is missing for this number of threads; NULL
 * if none is. A file of the user may lack levels. */
static const char *what_lacks(const struct tcplan_roofline *roofline, const struct options *options,
                              int threads, bool rough) {
    const bool swept = options->sweep || !options->ceilings;
    if (swept && !tcplan_roofline_has_sweeps(roofline, options->sweep, threads, rough))
        return "sweep";
    if (options->intensities && !tcplan_roofline_has_intensities(roofline, threads))
        return "rates over the intensity";
    if (options->strided && !tcplan_roofline_has_strides(roofline, threads, rough))
        return "loads and stores of all strides";
    return options->widths && !tcplan_roofline_has_widths(roofline, threads, rough)
               ? "bandwidth by the width of vectors"
               : NULL;
}

/** Returns whether no wanted ceiling is missing. */
static bool is_whole(const struct tcplan_roofline *roofline, const struct options *options,
                     const struct wanted *wanted) {
    const bool rough = options->ceilings || options->quick || options->max_memory_bytes > 0;
    int t = 0;
    while (roofline && t < wanted->threads &&
           tcplan_roofline_has(roofline, wanted->dtypes, wanted->thread[t], rough) &&
           !what_lacks(roofline, options, wanted->thread[t], rough)) {
        t++;
    }
    return roofline && t == wanted->threads;
}

/** Returns whether a file has the requested extra measurements for the requested threads, or for
 * those of its first ceiling. If not, `reason` receives the name of the first missing one. */
static bool has_all_named(char reason[TCPLAN_MESSAGE_SIZE], const struct tcplan_roofline *roofline,
                          const struct options *options, const struct wanted *wanted) {
    const bool asked =
        options->sweep || options->intensities || options->strided || options->widths;
    for (int t = 0; asked && t < (wanted->threads > 0 ? wanted->threads : 1); t++) {
        const int first = roofline->bandwidth_count > 0 ? roofline->bandwidth[0].threads : 1;
        const char *lacks =
            what_lacks(roofline, options, wanted->threads > 0 ? wanted->thread[t] : first, true);
        if (!lacks) continue;
        const bool sweep = strcmp(lacks, "sweep") == 0;
        snprintf(reason, TCPLAN_MESSAGE_SIZE, "'%.200s' has no %s%s%.100s", options->ceilings,
                 lacks, sweep ? " of " : "", sweep ? options->sweep : "");
        return false;
    }
    return true;
}

/** Reads the file of --ceilings. If the file does not exist, measures the ceilings and writes
 * it. */
static enum exit_status obtain_named(struct tcplan_roofline **out, bool *stored,
                                     const struct request *request, const struct wanted *wanted) {
    const char *path = request->options->ceilings;
    char reason[TCPLAN_MESSAGE_SIZE];
    struct output_file file = {0};
    *stored = !request->options->remeasure && access(path, F_OK) == 0;
    if (*stored) {
        const enum exit_status status =
            stored_ceilings(out, reason, request, wanted->thread, wanted->threads);
        if (*out && !has_all_named(reason, *out, request->options, wanted)) {
            tcplan_roofline_free(*out);
            *out = NULL;
        }
        if (status != EXIT_DONE || *out) return status;
        diagnose("%s; --remeasure replaces them",
                 reason); /* An existing file is replaced only with --remeasure. */
        return EXIT_REFUSED;
    }
    enum exit_status status = output_begin(&file, path);
    if (status == EXIT_DONE) status = measure(out, request, wanted);
    if (status == EXIT_DONE) status = stored_write(request, *out, &file);
    output_file_discard(&file);
    return status;
}

enum exit_status ceilings_obtain(struct tcplan_roofline **out, bool *stored,
                                 const struct request *request, struct ceilings_needed needed) {
    const struct options *options = request->options;
    const struct wanted wanted = wanted_of(options, needed);
    char reason[TCPLAN_MESSAGE_SIZE] = "";
    *out = NULL;
    if (options->ceilings) return obtain_named(out, stored, request, &wanted);
    enum exit_status status = EXIT_DONE;
    if (!options->remeasure && !options->small_pages)
        status = stored_ceilings(out, reason, request, wanted.thread, wanted.threads);
    if (status != EXIT_DONE) return status;
    if (*reason) note(options, "some stored ceilings are not used: %s", reason);
    if (*out) stored_report_doubts(*out, options);
    *stored = is_whole(*out, options, &wanted);
    if (!*stored) status = measure(out, request, &wanted);
    if (!*stored && status == EXIT_DONE) status = stored_put(request, *out);
    const bool calibrates = !*stored && wanted.dtypes == 0 && !interrupt_is_postponed();
    return status == EXIT_DONE && calibrates ? stored_calibrate(request) : status;
}
