#include "cli/providers.h"

#include <string.h>

enum exit_status providers_open(const struct options *options) {
    for (int b = 0; b < options->blas.count; b++) {
        enum tcplan_provider provider;
        struct tcplan_error error;
        if (tcplan_provider_open(&provider, options->blas.text[b], &error) != TCPLAN_OK)
            return diagnose_error(&error, NULL);
    }
    return EXIT_DONE;
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
