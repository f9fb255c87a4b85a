#include "cli/roofs/regions.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/quantity.h"
#include "cli/diagnostics.h"
#include "cli/output/cleanup.h"
#include "cli/render/text/values.h"
#include "cli/roofs/report_points.h"

/** Words of a command line, ended by NULL, to start a program without a shell. Words and pointers
 * are in one block of memory. */
struct words {
    char **word;
    int count;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

/** Copies a quoted text from `*at`; false if the quote is not closed. */
static bool copy_quoted(char **to, const char **at) {
    const char quote = *(*at)++;
    for (; **at && **at != quote; (*at)++) {
        const char next = (*at)[1];
        if (quote == '"' && **at == '\\' &&
            (next == '"' || next == '\\' || next == '$' || next == '`'))
            (*at)++;
        *(*to)++ = **at;
    }
    if (**at != quote) return false;
    (*at)++;
    return true;
}

/** Copies a word and a terminator. */
static bool copy_word(char **to, const char **at) {
    while (**at && !is_blank(**at)) {
        if (**at == '\'' || **at == '"') {
            if (!copy_quoted(to, at)) return false;
            continue;
        }
        if (**at == '\\' && (*at)[1]) (*at)++;
        *(*to)++ = *(*at)++;
    }
    *(*to)++ = '\0';
    return true;
}

static void words_free(struct words *words) {
    base_free(words->word);
    *words = (struct words){0};
}

/** Splits a text at blanks. Quotes and backslashes protect characters as in sh; nothing is
 * expanded. Returns NULL, or an error message if a quote is not closed, there is no word, or
 * memory runs out. */
static const char *words_split(struct words *out, const char *text) {
    /* There are most words if all have one letter and are separated by blanks. */
    const size_t length = strlen(text), most = length / 2 + 2;
    char **word = base_alloc(most * sizeof *word + length + 2);
    if (!word) return "out of memory";
    char *to = (char *)(word + most);
    int count = 0;
    for (const char *at = text;;) {
        while (is_blank(*at)) at++;
        if (!*at) break;
        word[count++] = to;
        if (copy_word(&to, &at)) continue;
        base_free(word);
        return "a quote is not closed";
    }
    word[count] = NULL;
    *out = (struct words){.word = word, .count = count};
    if (count > 0) return NULL;
    words_free(out);
    return "expected a program and its arguments";
}

/* Regions. */

#define MOST_GIVEN 1e30 /* keeps quotients finite */

bool regions_are_asked(const struct options *options) {
    return options->run || options->points || routines_are_asked(options);
}

/* Running. */

/** Opens the standard output of the program: the file of --run-output; otherwise stderr if tcplan's
 * own output is JSON, CSV or XML. `*out` receives -1 if the program may use stdout. */
static enum exit_status open_output(int *out, const struct options *options) {
    const bool shares_stdout = !options->output || strcmp(options->output, "-") == 0;
    *out = -1;
    if (options->run_output) {
        *out = open(options->run_output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (*out >= 0) return EXIT_DONE;
        return diagnose_as(EXIT_ENVIRONMENT, "cannot write '%.200s': %s", options->run_output,
                           strerror(errno));
    }
    if (options->format != OUTPUT_TEXT && shares_stdout) *out = STDERR_FILENO;
    return EXIT_DONE;
}

/** Runs a program so that ^C ends the program but not tcplan, which then prints the results.
 * Signals that were ignored stay ignored. */
static enum tcplan_status run_interruptibly(struct tcplan_run **out,
                                            struct tcplan_run_options *run) {
    run->interrupted = interrupt_begin();
    const enum tcplan_status status = tcplan_run_program(out, run, &failure);
    if (interrupt_end() == SIGTERM) raise(SIGTERM);
    return status;
}

static enum exit_status run_words(struct region_list *list, const char *const arguments[]) {
    const struct options *options = list->request->options;
    struct tcplan_run_options run = {.arguments = arguments,
                                     .counters = options->counters ? options->counters : "perf",
                                     .time_limit_seconds = options->time_limit_seconds};
    const enum exit_status status = open_output(&run.output, options);
    if (status != EXIT_DONE) return status;
    const enum tcplan_status ran = run_interruptibly(&list->run, &run);
    if (run.output > STDERR_FILENO) close(run.output);
    if (ran == TCPLAN_OK) return EXIT_DONE;
    const enum exit_status refused = diagnose_failure(NULL);
    if (ran == TCPLAN_ENVIRONMENT && !options->shell) note(options, "shell syntax needs --shell");
    return refused;
}

static enum exit_status run_command(struct region_list *list) {
    const struct options *options = list->request->options;
    struct words words = {0};
    if (!options->run) return EXIT_DONE;
    if (options->shell)
        return run_words(list, (const char *const[]){"/bin/sh", "-c", options->run, NULL});
    const char *wrong = words_split(&words, options->run);
    if (wrong) return diagnose_as(EXIT_USAGE, "--run '%.200s': %s", options->run, wrong);
    const enum exit_status status = run_words(list, (const char *const *)words.word);
    words_free(&words);
    return status;
}

/* Reads a number of operations or bytes that the user gives. */

/** given = [ name "=" ] number */
static bool read_given(double *number, const char *text) {
    const char *mark = strrchr(text, '=');
    const char *value = mark ? mark + 1 : text;
    if (decimal_read(number, value, strlen(value)) && *number > 0 && *number <= MOST_GIVEN)
        return true;
    diagnose("expected a number above 0 and at most 1e30, such as 2e9 or triad=2e9, found '%.200s'",
             text);
    return false;
}

/** Checks the values of --flops and --bytes before anything is run. */
static enum exit_status check_given(const struct options *options) {
    double number;
    for (int t = 0; t < options->flops.count; t++) {
        if (!read_given(&number, options->flops.text[t])) return EXIT_USAGE;
    }
    for (int t = 0; t < options->bytes.count; t++) {
        if (!read_given(&number, options->bytes.text[t])) return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/** Returns the region for which a value is given; without a name, the whole program. */
static struct tcplan_region *find_given(struct tcplan_regions *regions, const char *text) {
    const char *mark = strrchr(text, '=');
    const size_t length = mark ? (size_t)(mark - text) : 0;
    if (!mark) return &regions->region[0];
    for (size_t r = 0; r < regions->count; r++) {
        if (text_is(text, length, regions->region[r].name)) return &regions->region[r];
    }
    diagnose("the program has no region '%.*s'", (int)length, text);
    return NULL;
}

/** Sets the operations or bytes of a region, and the values that follow from them. */
static void give(struct tcplan_region *region, double number, bool is_flops) {
    if (is_flops) {
        region->flops = number;
        region->flops_origin = TCPLAN_ORIGIN_GIVEN;
        memset(region->width_flops, 0, sizeof region->width_flops);
    } else {
        region->bytes = number;
        region->written_bytes = -1;
        region->bytes_source = TCPLAN_BYTES_GIVEN;
    }
    if (region->flops >= 0 && region->seconds > 0)
        region->gflops = 1e-9 * region->flops / region->seconds;
    if (region->flops >= 0 && region->bytes > 0) region->intensity = region->flops / region->bytes;
}

static enum exit_status give_all(struct region_list *list, const struct text_list *texts,
                                 bool is_flops) {
    for (int t = 0; t < texts->count; t++) {
        double number;
        struct tcplan_region *region = find_given(list->run->regions, texts->text[t]);
        if (!region || !read_given(&number, texts->text[t])) return EXIT_REFUSED;
        give(region, number, is_flops);
    }
    return EXIT_DONE;
}

/* The list. */

static enum exit_status read_points(struct region_list *list) {
    const char *path = list->request->options->points;
    if (report_points_are_asked(list->request->options))
        return report_points_read(&list->read, list->request->options);
    if (list->request->options->selectors.count > 0)
        return diagnose_as(EXIT_USAGE,
                           "--select needs a report of an experiment: --points expects REPORT.xml");
    if (routines_are_asked(list->request->options))
        return routine_points_make(&list->read, list->request);
    if (!path) return EXIT_DONE;
    return diagnosed(tcplan_regions_read(&list->read, path, &failure));
}

static void append(struct region_list *list, const struct tcplan_regions *regions) {
    for (size_t r = 0; r < regions->count; r++)
        list->region[list->count++].region = &regions->region[r];
}

static enum exit_status collect(struct region_list *list) {
    const struct tcplan_regions *run = list->run ? list->run->regions : NULL;
    const size_t count = (run ? run->count : 0) + (list->read ? list->read->count : 0);
    list->region = base_alloc_zero(count + 1, sizeof *list->region);
    if (!list->region) return diagnose_no_memory();
    if (run) append(list, run);
    if (list->read) append(list, list->read);
    return EXIT_DONE;
}

enum exit_status regions_make(struct region_list *out, const struct request *request) {
    const struct options *options = request->options;
    *out = (struct region_list){.request = request};
    enum exit_status status = check_given(options);
    if (status == EXIT_DONE) status = read_points(out);
    if (status == EXIT_DONE) status = run_command(out);
    if (status == EXIT_DONE && out->run) status = give_all(out, &options->flops, true);
    if (status == EXIT_DONE && out->run) status = give_all(out, &options->bytes, false);
    return status == EXIT_DONE ? collect(out) : status;
}

bool regions_have_places(const struct region_list *list) {
    for (size_t r = 0; r < list->count; r++) {
        if (tcplan_region_has_place(list->region[r].region,
                                    (enum tcplan_direction)list->request->options->traffic))
            return true;
    }
    return false;
}

/* Placing. */

static bool any_is_parallel(const struct region_list *list) {
    size_t r = 0;
    while (r < list->count && list->region[r].region->threads <= 1) r++;
    return r < list->count;
}

struct ceilings_needed regions_need(const struct region_list *list) {
    struct ceilings_needed out = {.dtypes = 1U << list->request->options->dtype,
                                  .threads = any_is_parallel(list) ? 0 : 1,
                                  .lenient = true};
    const char *bandwidth = list->request->options->bandwidth;
    if (bandwidth && strpbrk(bandwidth, "0123456789"))
        out.dtypes = 0; /* All ceilings are needed: those of strided loads, as load_4, are not
                           measured for points. */
    for (size_t r = 0; r < list->count && out.dtypes != 0; r++) {
        if (list->region[r].region->dtype >= 0) out.dtypes |= 1U << list->region[r].region->dtype;
    }
    return out;
}

/** Returns the number of threads for the roofs: that of --threads; otherwise 1 if no region had
 * more than one thread, or if the numbers are unknown; otherwise the largest number that has
 * ceilings. */
static int roof_threads(const struct region_list *list) {
    const struct options *options = list->request->options;
    const bool is_parallel = any_is_parallel(list);
    int most = 1;
    if (options_given(options, "threads")) return options->threads;
    for (size_t c = 0; is_parallel && c < list->roofline->compute_count; c++) {
        if (list->roofline->compute[c].threads > most) most = list->roofline->compute[c].threads;
    }
    return most;
}

enum exit_status regions_place(struct region_list *list, const struct tcplan_roofline *roofline) {
    const struct options *options = list->request->options;
    list->roofline = roofline;
    list->threads = roof_threads(list);
    const struct tcplan_region_roofs roofs = {.roofline = roofline,
                                              .dtype = (enum tcplan_dtype)options->dtype,
                                              .threads = list->threads,
                                              .fused = !options->no_fma,
                                              .direction = (enum tcplan_direction)options->traffic,
                                              .bandwidth = options->bandwidth};
    if (options->bandwidth &&
        !tcplan_roofline_bandwidth(roofline, options->bandwidth, roofline->machine.cache_count,
                                   list->threads))
        return diagnose_as(
            EXIT_REFUSED,
            "--bandwidth: the ceilings have no memory bandwidth '%.60s' of %s; expected load, store, copy, triad, update or another name "
            "that `tcplan roofline` prints",
            options->bandwidth, counted(list->threads, "thread").text);
    for (size_t r = 0; r < list->count; r++) {
        struct listed_region *listed = &list->region[r];
        listed->is_placed = tcplan_region_has_place(listed->region, roofs.direction);
        if (listed->is_placed) listed->point = tcplan_region_place(listed->region, &roofs);
    }
    return EXIT_DONE;
}

enum exit_status regions_verdict(const struct region_list *list) {
    const struct tcplan_run *run = list->run;
    if (!run || (run->exit_status == 0 && !run->timed_out && !run->interrupted)) return EXIT_DONE;
    if (run->interrupted) {
        diagnose(
            "the command was interrupted after %s; the results are incomplete (--time-limit SECONDS sets a limit)",
            quantity_seconds(run->seconds).text);
    } else if (run->timed_out) {
        diagnose("the command was ended after %s (--time-limit); the results are incomplete",
                 quantity_seconds(list->request->options->time_limit_seconds).text);
    } else if (run->signal) {
        diagnose("the command was ended by signal %d (%s); the results are incomplete", run->signal,
                 strsignal(run->signal));
    } else {
        diagnose("the command failed with exit status %d; the results are printed nevertheless",
                 run->exit_status);
    }
    return EXIT_REFUSED;
}

void regions_free(struct region_list *list) {
    tcplan_run_free(list->run);
    tcplan_regions_free(list->read);
    base_free(list->region);
    *list = (struct region_list){0};
}
