#include "cli/providers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void providers_set_environment(int threads) {
    static const char *const variables[] = {
        "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "TBLIS_NUM_THREADS",
        "TCPLAN_THREADS",  "MKL_NUM_THREADS",      "GOTO_NUM_THREADS"};
    char text[16];
    snprintf(text, sizeof text, "%d", threads);
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++) setenv(variables[v], text, 1);
}

/** Opens TAPP libraries; notes those that fail their trial. */
static enum exit_status open_tapp(const struct options *options) {
    if (options->tapp.count > 0) providers_set_environment(options->threads);
    for (int t = 0; t < options->tapp.count; t++) {
        const char *text = options->tapp.text[t], *equals = strchr(text, '=');
        char name[64];
        enum tcplan_provider provider;
        if (!equals || (size_t)(equals - text) >= sizeof name) {
            diagnose("--tapp '%s': expected NAME=FILE", text);
            return options_usage(options);
        }
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

/** Prints `OpenBLAS 0.3.21 (SkylakeX)`, without unknown parts. */
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
