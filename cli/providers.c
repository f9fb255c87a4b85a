#include "cli/providers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/diagnostics.h"
#include "cli/stored.h"
#include "tcplan/study/apart.h"

void providers_set_environment(int threads) {
    static const char *const variables[] = {
        "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "TBLIS_NUM_THREADS",
        "TCPLAN_THREADS",  "MKL_NUM_THREADS",      "GOTO_NUM_THREADS"};
    char text[16];
    snprintf(text, sizeof text, "%d", threads);
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++) setenv(variables[v], text, 1);
}

/** Opens the libraries of --tapp, and prints notes about libraries that fail a test product. */
static enum exit_status open_tapp(const struct options *options) {
    if (options->tapp.count > 0) providers_set_environment(options->threads);
    for (int t = 0; t < options->tapp.count; t++) {
        const char *text = options->tapp.text[t], *equals = strchr(text, '=');
        char name[64];
        enum tcplan_provider provider;
        if (!equals || (size_t)(equals - text) >= sizeof name)
            return options_refuse(options, "--tapp '%s': expected NAME=FILE", text);
        memcpy(name, text, (size_t)(equals - text));
        name[equals - text] = '\0';
        const enum tcplan_status status =
            tcplan_provider_open_tapp(&provider, name, equals + 1, &failure);
        if (status == TCPLAN_NOT_APPLICABLE)
            diagnose("note: %s: the TAPP library '%s' is not used", failure.message, name);
        else if (status != TCPLAN_OK)
            return diagnose_failure(NULL);
    }
    return EXIT_DONE;
}

enum exit_status providers_open(const struct options *options) {
    for (int b = 0; b < options->blas.count; b++) {
        enum tcplan_provider provider;
        if (tcplan_provider_open(&provider, options->blas.text[b], &failure) != TCPLAN_OK)
            return diagnose_failure(NULL);
    }
    return open_tapp(options);
}

/** Prints `OpenBLAS 0.3.21 (SkylakeX)`; omits unknown parts. */
static void print_library(FILE *file, const struct tcplan_provider_info *info) {
    fputs(info->name, file);
    if (info->version) fprintf(file, " %s", info->version);
    if (info->core) fprintf(file, " (%s)", info->core);
}

void providers_report_wrong_one(const char *text) {
    diagnose("note: %s: these kernels are not used", text);
}

void providers_report_wrong(const struct options *options) {
    for (int p = 0; p < TCPLAN_PROVIDERS && !options->quiet; p++) {
        char wrong[TCPLAN_MESSAGE_SIZE];
        if (tcplan_provider_wrong(wrong, (enum tcplan_provider)p))
            providers_report_wrong_one(wrong);
    }
}

void providers_print(FILE *file) {
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        struct tcplan_provider_info info;
        if (!tcplan_provider_info(&info, (enum tcplan_provider)p)) continue;
        if (info.file) fprintf(file, "%s: ", tcplan_provider_name((enum tcplan_provider)p));
        print_library(file, &info);
        if (info.file) fprintf(file, ", %s", info.file);
        fputc('\n', file);
    }
}

const char blas_serving[] = "--serve-blas";

static const struct options *given;
static struct tcplan_machine machine; /* shallow copy: the pointers in it are not used */
static struct tcplan_blas_advice advice[TCPLAN_PROVIDERS];
static bool times; /* whether the command times something; only then may trials of core types run */
static bool assessed;

void blas_advice_use(const struct options *options, const struct tcplan_machine *here) {
    given = options;
    times = here != NULL;
    machine = here ? *here : (struct tcplan_machine){0};
    assessed = false;
}

static bool may_try(void) {
    return times && given->effort != TCPLAN_EFFORT_ESTIMATE && !(given->time_limit_seconds > 0);
}

/** Finds measurements of the BLAS's core types in the store, or makes and stores new ones. A
 * failure is ignored, because the command can continue without advice. */
static bool find_trials(struct tcplan_blas_trials *out, const struct tcplan_store *store,
                        enum tcplan_provider provider, const char *setting) {
    static const char *const program[] = {"/proc/self/exe", blas_serving, NULL};
    bool found = false;
    if (tcplan_store_blas_trials(&found, out, store, provider, &failure) == TCPLAN_OK && found &&
        tcplan_blas_is_tried(out, provider))
        return true;
    if (!found) *out = (struct tcplan_blas_trials){0};
    if (!may_try() || tcplan_blas_try(out, provider, program, setting, &failure) != TCPLAN_OK)
        return false;
    (void)tcplan_store_keep_blas_trials(store, out, provider, &failure);
    return true;
}

static void assess(enum tcplan_provider provider, const struct tcplan_store *store) {
    const char *variable = tcplan_blas_variable(provider);
    const char *setting = variable ? getenv(variable) : NULL;
    struct tcplan_blas_trials trials;
    struct tcplan_provider_info info;
    if (!tcplan_provider_info(&info, provider)) return;
    const bool tried = store && store->folder && find_trials(&trials, store, provider, setting);
    tcplan_blas_advise(&advice[provider], provider, tried ? &trials : NULL, setting);
}

static void assess_all(void) {
    struct stored stored = {0};
    assessed = true;
    memset(advice, 0, sizeof advice);
    const bool is_unread =
        given && !times && !given->no_store && strcmp(given->machine, "live") == 0;
    if (is_unread && tcplan_machine_load_apart(&machine, given->machine, &failure) != TCPLAN_OK)
        machine.live = false;
    const bool has_store =
        given && machine.live && !given->no_store && stored_open(&stored, &machine) == EXIT_DONE;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++)
        assess((enum tcplan_provider)p, has_store ? &stored.store : NULL);
    stored_close(&stored);
}

const char *blas_advice(enum tcplan_provider provider) {
    if (!assessed) assess_all();
    return *advice[provider].text ? advice[provider].text : NULL;
}

static bool is_in(const char *const *texts, int count, const char *text) {
    int t = 0;
    while (t < count && strcmp(texts[t], text) != 0) t++;
    return t < count;
}

static int warnings_of(const char *out[BLAS_WARNINGS], uint64_t providers) {
    int count = 0;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        if (!(providers >> p & 1)) continue;
        const char *text = blas_advice((enum tcplan_provider)p);
        if (text && !is_in(out, count, text))
            /* several providers may be in the same library: its text is added once */
            out[count++] = text;
    }
    return count;
}

int blas_warnings(const char *out[BLAS_WARNINGS]) {
    return warnings_of(out, UINT64_MAX);
}

int blas_warnings_precede(FILE *file, uint64_t providers) {
    const char *text[BLAS_WARNINGS];
    const int count = given && given->quiet ? 0 : warnings_of(text, providers);
    for (int w = 0; w < count; w++) fprintf(file, "warning: %s\n", text[w]);
    return count;
}

void blas_warnings_print(FILE *file) {
    const char *text[BLAS_WARNINGS];
    const int count = blas_warnings(text);
    for (int w = 0; w < count; w++) fprintf(file, "warning      %s\n", text[w]);
}

void blas_advice_diagnose(enum tcplan_provider provider, const struct options *options) {
    const char *text = options->quiet ? NULL : blas_advice(provider);
    if (text) diagnose("warning: %s", text);
}
