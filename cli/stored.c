#include "cli/stored.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/output/printed.h"
#include "cli/providers.h"
#include "cli/render/text/values.h"
#include "tcplan/blas.h"
#include "tcplan/calibration.h"
#include "tcplan/planner.h"
#include "tcplan/roofline.h"
#include "tcplan/stored_code.h"

/* The store. */

enum exit_status stored_open(struct stored *out, const struct tcplan_machine *machine) {
    *out = (struct stored){.folder = tcplan_store_folder(getenv)};
    if (!out->folder) return diagnose_no_memory();
    out->store = (struct tcplan_store){.folder = *out->folder ? out->folder : NULL,
                                       .fingerprint = tcplan_fingerprint_make(machine)};
    return EXIT_DONE;
}

enum exit_status stored_open_here(struct stored *out) {
    struct tcplan_machine machine;
    if (tcplan_machine_load(&machine, "live", &failure) != TCPLAN_OK) return diagnose_failure(NULL);
    return stored_open(out, &machine);
}

void stored_close(struct stored *stored) {
    free(stored->folder);
    *stored = (struct stored){0};
}

/* Ceilings. */

static bool has_threads(const struct tcplan_roofline *roofline, int threads) {
    size_t c = 0;
    while (c < roofline->compute_count && roofline->compute[c].threads != threads) c++;
    return c < roofline->compute_count;
}

/** Reads the file of --ceilings, and prints a note if it belongs to another machine. */
static enum exit_status load(struct tcplan_roofline **out, const struct request *request) {
    struct tcplan_fingerprint fingerprint;
    char difference[TCPLAN_MESSAGE_SIZE];
    const char *path = request->options->ceilings;
    if (tcplan_ceilings_load(out, &fingerprint, path, &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    const struct tcplan_fingerprint here = tcplan_fingerprint_make(&request->machine);
    if (tcplan_fingerprint_compare(difference, sizeof difference, &fingerprint, &here) > 0) {
        note(
            request->options,
            "the ceilings in '%.200s' were measured with %s, so results here may exceed them; omit --ceilings to use this machine's",
            path, difference);
    }
    return EXIT_DONE;
}

enum exit_status stored_ceilings(struct tcplan_roofline **out, char reason[TCPLAN_MESSAGE_SIZE],
                                 const struct request *request, const int thread[], int count) {
    struct stored stored;
    *out = NULL;
    *reason = '\0';
    if (request->options->ceilings) {
        enum exit_status status = load(out, request);
        for (int t = 0; t < count && *out; t++) {
            if (has_threads(*out, thread[t])) continue;
            snprintf(reason, TCPLAN_MESSAGE_SIZE, "'%.200s' has none for %s",
                     request->options->ceilings, counted(thread[t], "thread").text);
            tcplan_roofline_free(*out);
            *out = NULL;
        }
        return status;
    }
    if (!request->machine.live || request->options->no_store) return EXIT_DONE;
    const enum exit_status status = stored_open(&stored, &request->machine);
    if (status != EXIT_DONE) return status;
    if (tcplan_store_ceilings(out, &stored.store, thread, count, &failure) != TCPLAN_OK) {
        snprintf(reason, TCPLAN_MESSAGE_SIZE, "%s", failure.message);
    }
    stored_close(&stored);
    return EXIT_DONE;
}

/** A ratio of clock frequencies above which the clock counts as changed; load alone changes it by
 * about a tenth. */
#define CLOCK_FACTOR 1.2
#define DROPPED_SHARE 0.1
enum { OLD_DAYS = 90, DAY_SECONDS = 86400 };

static void add_doubt(struct strbuf *out, const char *text) {
    strbuf_add(out, "%s%s", out->length > 0 ? "; " : "", text);
}

/** Appends the clock frequency if it has changed since the measurement. */
static void add_clock(struct strbuf *out, const struct tcplan_roofline *roofline) {
    const double was = roofline->clock.hz, is = tcplan_roofline_clock_now();
    char text[80];
    if (!(was > 0) || !(is > 0) || (is < was * CLOCK_FACTOR && was < is * CLOCK_FACTOR)) return;
    snprintf(text, sizeof text, "the clock was %.3g GHz and is now %.3g", 1e-9 * was, 1e-9 * is);
    add_doubt(out, text);
}

void stored_report_doubts(const struct tcplan_roofline *roofline, const struct options *options) {
    const size_t count = roofline->compute_count + roofline->bandwidth_count;
    const int slow = tcplan_roofline_slow_count(roofline);
    const double dropped = tcplan_roofline_dropped_share(roofline),
                 days = ((double)time(NULL) - (double)roofline->made) / DAY_SECONDS;
    struct strbuf doubts = {0};
    char text[80];
    if (options->quiet) return;
    add_clock(&doubts, roofline);
    snprintf(text, sizeof text, "%d of %zu were measured on slow cores", slow, count);
    if (slow > 0) add_doubt(&doubts, text);
    snprintf(text, sizeof text, "other load disturbed %.0f %% of the windows", 100 * dropped);
    if (dropped > DROPPED_SHARE) add_doubt(&doubts, text);
    snprintf(text, sizeof text, "the measurement is %.0f days old", days);
    if (days > OLD_DAYS) add_doubt(&doubts, text);
    if (doubts.length > 0 && !doubts.failed)
        note(options, "stored ceilings may be outdated: %s (--remeasure)", doubts.text);
    strbuf_free(&doubts);
}

enum exit_status stored_write(const struct request *request, const struct tcplan_roofline *roofline,
                              struct output_file *out) {
    const struct tcplan_fingerprint fingerprint = tcplan_fingerprint_make(&request->machine);
    char *text = tcplan_ceilings_text(roofline, &fingerprint);
    if (!text) return diagnose_no_memory();
    fputs(text, out->file);
    free(text);
    return printed_complete(out);
}

enum tcplan_status stored_give(struct tcplan_planner *planner, const struct options *options) {
    char *folder = options->no_store ? strdup("") : tcplan_store_folder(getenv);
    const char *named = options->plans ? options->plans : getenv("TCPLAN_PLANS");
    struct strbuf place = {0}; /* The slash at the end marks a folder that may not exist yet. */
    if (!folder) return error_no_memory(&failure);
    strbuf_add(&place, named ? "%s" : *folder ? "%s/" : "%s", named ? named : folder);
    const bool stores = !options->no_plans && options->effort != TCPLAN_EFFORT_ESTIMATE;
    enum tcplan_status status = place.failed ? error_no_memory(&failure) : TCPLAN_OK;
    if (status == TCPLAN_OK && *folder)
        status = tcplan_planner_set_store(planner, folder, &failure);
    if (status == TCPLAN_OK && stores && *place.text)
        status = tcplan_planner_set_plans(planner, place.text, &failure);
    strbuf_free(&place);
    free(folder);
    return status;
}

enum exit_status stored_put(const struct request *request, const struct tcplan_roofline *roofline) {
    struct stored stored;
    if (!request->machine.live || request->options->small_pages) return EXIT_DONE;
    const enum exit_status status = stored_open(&stored, &request->machine);
    if (status != EXIT_DONE) return status;
    if (tcplan_store_keep_ceilings(&stored.store, roofline, &failure) != TCPLAN_OK) {
        note(request->options, "the ceilings are not stored: %s", failure.message);
    }
    stored_close(&stored);
    return EXIT_DONE;
}

/** Opens the store for reading; false if there is no store, or if `*status` receives an error. */
static bool open_to_read(struct stored *out, enum exit_status *status,
                         const struct request *request) {
    *status = EXIT_DONE;
    if (!request->machine.live || request->options->no_store) return false;
    *status = stored_open(out, &request->machine);
    if (*status == EXIT_DONE && out->store.folder) return true;
    stored_close(out);
    return false;
}

/** Closes a store that was only read, and prints notes about errors. */
static enum exit_status close_read(struct stored *stored, const struct request *request,
                                   enum tcplan_status found, enum tcplan_status also_wrong,
                                   const char *says) {
    stored_close(stored);
    if (found == TCPLAN_NO_MEMORY) return diagnose_no_memory();
    if (found == TCPLAN_INVALID || found == also_wrong)
        note(request->options, "%s: %s", says, failure.message);
    return EXIT_DONE;
}

enum exit_status stored_experience(struct tcplan_experience **out, const struct request *request) {
    struct stored stored;
    enum exit_status status;
    *out = NULL;
    if (!open_to_read(&stored, &status, request)) return status;
    /* Observations of other libraries or versions are skipped without a note. */
    return close_read(&stored, request, tcplan_store_experience(out, &stored.store, &failure),
                      TCPLAN_ENVIRONMENT, "observations of earlier runs are not used");
}

enum exit_status stored_models(struct tcplan_models **out, const struct request *request) {
    struct stored stored;
    enum exit_status status;
    *out = NULL;
    if (!open_to_read(&stored, &status, request)) return status;
    /* An unreadable folder is reported only when data are stored. */
    return close_read(&stored, request, tcplan_store_models(out, &stored.store, &failure),
                      TCPLAN_MISMATCH, "some models are not used");
}

enum exit_status stored_code(struct tcplan_store **out, const struct request *request) {
    struct stored stored;
    enum exit_status status;
    *out = NULL;
    if (!open_to_read(&stored, &status, request)) return status;
    *out = malloc(sizeof **out);
    if (*out) {
        **out = stored.store; /* moves the store with its folder */
        return EXIT_DONE;
    }
    stored_close(&stored);
    return diagnose_no_memory();
}

void stored_code_free(struct tcplan_store *code) {
    if (code) free((void *)(uintptr_t)code->folder);
    free(code);
}

/** Prints a note on how many kernels were compiled, and how long it took. */
static void report_code(const struct request *request) {
    const struct tcplan_code_account account = tcplan_code_account();
    if (account.compiled > 0)
        note(request->options, "%d kernel%s compiled, which took %.2g s of planning",
             account.compiled, account.compiled == 1 ? " was" : "s were", account.seconds);
    if (account.failed > 0)
        note(request->options, "emitted kernels are not available: %s", account.reason);
}

enum exit_status stored_add_experience(const struct request *request) {
    struct stored stored;
    report_code(request);
    providers_report_wrong(request->options);
    if (!request->experience || !request->machine.live) return EXIT_DONE;
    const enum exit_status status = stored_open(&stored, &request->machine);
    if (status != EXIT_DONE) return status;
    if (tcplan_store_keep_experience(&stored.store, request->experience, &failure) != TCPLAN_OK) {
        note(request->options, "the observations of this run are not stored: %s", failure.message);
    }
    stored_close(&stored);
    return EXIT_DONE;
}

/* Costs. */

/* If the time limit is below the duration of this many calibrations, the machine is not
 * calibrated. */
#define HURRIED_CALIBRATIONS 5.0

enum exit_status stored_calibrate(const struct request *request) {
    const struct options *options = request->options;
    struct tcplan_experience *experience = NULL;
    struct stored stored = {0};
    struct tcplan_costs costs;
    const double left = request_seconds_left(request);
    const bool is_hurried = left > 0 && left < HURRIED_CALIBRATIONS * TCPLAN_CALIBRATION_SECONDS;
    if (!request->machine.live || options->max_memory_bytes > 0 || options->quick || is_hurried)
        return EXIT_DONE;
    const enum exit_status status = stored_open(&stored, &request->machine);
    if (status != EXIT_DONE || !stored.store.folder) return status;
    tcplan_store_experience(&experience, &stored.store, NULL);
    const struct tcplan_costs *known = tcplan_experience_costs(experience);
    if (experience && (options->remeasure || !known || known->disturbed)) {
        enum tcplan_status measured = tcplan_costs_measure(&costs, &request->machine, &failure);
        if (measured == TCPLAN_OK)
            measured = tcplan_store_keep_costs(&stored.store, &costs, &failure);
        if (measured != TCPLAN_OK)
            note(options, "the costs of cache lines, pages and copies are not stored: %s",
                 failure.message);
    }
    tcplan_experience_free(experience);
    stored_close(&stored);
    return EXIT_DONE;
}

/** Returns the file or folder of stored plans that the user names; NULL if none is named. */
static const char *named_place(const struct options *options) {
    return options->plans ? options->plans : getenv("TCPLAN_PLANS");
}

enum exit_status plans_open_place(struct tcplan_stored_plans **out,
                                  const struct tcplan_machine *machine,
                                  const struct options *options) {
    struct stored stored;
    const char *named = named_place(options);
    *out = NULL;
    const enum exit_status status = stored_open(&stored, machine);
    if (status != EXIT_DONE) return status;
    if (named) stored.store.folder = NULL;
    enum tcplan_status opened =
        tcplan_stored_plans_open(out, &stored.store, named && *named ? named : NULL, &failure);
    if (opened == TCPLAN_OK && options->plans) opened = tcplan_stored_plans_check(*out, &failure);
    stored_close(&stored);
    return diagnosed(opened);
}

enum exit_status plans_open(struct tcplan_stored_plans **out, const struct request *request) {
    const struct options *options = request->options;
    *out = NULL;
    const bool wanted = !options->no_plans && (options->plans || !options->no_store);
    return request->machine.live && wanted ? plans_open_place(out, &request->machine, options)
                                           : EXIT_DONE;
}

enum tcplan_status plans_rank(struct tcplan_ranking **out, const struct request *request,
                              int64_t point, const struct tcplan_rank_options *options) {
    const struct tcplan_problem problem = request_problem(request, point);
    struct tcplan_algorithm start[TCPLAN_RECALL_STARTS];
    struct tcplan_rank_options started = *options;
    tcplan_recall_starts(&started, start, request->plans, &problem);
    return tcplan_rank(out, &problem, &started, &failure);
}

enum exit_status plans_recall(bool *found, struct tcplan_found_plan *out,
                              const struct request *request, int64_t point, const char *use) {
    const struct tcplan_problem problem = request_problem(request, point);
    const struct tcplan_rank_options options = request_rank_options(request);
    *found = false;
    if (!request->plans) return EXIT_DONE;
    const enum tcplan_status status =
        tcplan_recall(out, request->plans, &problem, &options, &failure);
    *found = status == TCPLAN_OK;
    if (status == TCPLAN_NO_MEMORY) return diagnose_no_memory();
    if (status == TCPLAN_NOT_APPLICABLE) return EXIT_DONE;
    if (*found) {
        note(request->options, "stored plan of %s, found with effort %s: %s",
             date_minute(out->made).text, tcplan_word(tcplan_words_efforts, out->effort), use);
    } else {
        note(request->options, "no stored plan is used: %s", failure.message);
    }
    return EXIT_DONE;
}

enum exit_status plans_keep(const struct request *request, const struct tcplan_ranking *ranking,
                            const struct tcplan_rank_options *options) {
    if (!request->plans) return EXIT_DONE;
    const enum tcplan_status status =
        tcplan_recall_keep(NULL, request->plans, ranking, options, &failure);
    if (status == TCPLAN_NO_MEMORY) return diagnose_no_memory();
    if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE)
        note(request->options, "the plan is not stored: %s", failure.message);
    return EXIT_DONE;
}
