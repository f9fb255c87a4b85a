#include "study/provenance.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "tcplan/blas.h"
#include "tcplan/provider.h"
#include "tcplan/study/words.h"
#include "tcplan/version.h"

/** Appends to the text of the settings, whose array has room for all settings. */
static void add(struct provenance *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct provenance *out, const char *format, ...) {
    size_t length = 0;
    while (out->settings[length]) length++;
    va_list arguments;
    va_start(arguments, format);
    format_plain_arguments(out->settings + length, sizeof out->settings - length, format,
                           arguments);
    va_end(arguments);
}

/** Describes the providers, as `openblas/OpenBLAS/0.3.21/SkylakeX,libxsmm/...`. Results are
 * comparable only if their providers agree. */
static void describe_providers(struct provenance *out) {
    const char *comma = "";
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        struct tcplan_provider_info info;
        if (!tcplan_provider_info(&info, (enum tcplan_provider)p)) continue;
        add(out, "%s%s/%s/%s/%s", comma, tcplan_provider_name((enum tcplan_provider)p), info.name,
            info.version ? info.version : "", info.core ? info.core : "");
        comma = ",";
    }
}

/** Version of the names of algorithms, which is written if it is not 1. In version 1, sums of
 * products (brgemm) had no names. */
enum { NAMES = 2 };

/** Describes all settings that affect choices or measurements. */
static void describe_settings(struct provenance *out, const struct tcplan_rank_options *options,
                              size_t measured) {
    add(out, "predictor=%s", tcplan_word(tcplan_words_predictors, options->predictor));
    if (options->predictor == TCPLAN_PREDICT_THESIS)
        add(out, " stage=%s", tcplan_word(tcplan_words_stages, options->stage));
    if (options->setup_limit_bytes > 0) add(out, " limit=%" PRId64, options->setup_limit_bytes);
    add(out, " effort=%s", tcplan_word(tcplan_words_efforts, options->effort));
    if (options->prefer != TCPLAN_PREFER_SIMPLE)
        add(out, " prefer=%s", tcplan_word(tcplan_words_preferences, options->prefer));
    if (options->time_limit_seconds > 0) add(out, " time-limit=%g", options->time_limit_seconds);
    add(out, " cache=%s space=%s seed=%" PRIu64,
        tcplan_word(tcplan_words_cache_states, options->cache),
        tcplan_word(tcplan_words_spaces, options->space), options->seed);
    if (options->max_memory_bytes > 0) add(out, " max-memory=%" PRId64, options->max_memory_bytes);
    if (options->alignment_bytes > 0) add(out, " align=%" PRId64, options->alignment_bytes);
    if (options->max_workspace_bytes > 0)
        add(out, " max-workspace=%" PRId64, options->max_workspace_bytes);
    if (options->space == TCPLAN_SPACE_FULL) {
        add(out, " providers=");
        describe_providers(out);
    }
    add(out, " measured=%zu names=%d", measured, NAMES);
}

static void describe_machine(struct tcplan_provenance *out, const struct tcplan_machine *machine) {
    out->cpu = machine->cpu;
    out->machine = machine->source;
    out->cores = machine->cores;
    out->processing_units = machine->processing_units;
    out->memory_bytes = machine->memory_bytes;
    for (int c = 0; c < machine->cache_count && c < TCPLAN_RESULT_CACHES; c++) {
        out->cache_bytes[out->cache_count++] = machine->cache[c].size_bytes;
    }
}

void provenance_make(struct provenance *out, const struct tcplan_rank_options *options,
                     size_t measured, const char *blas_advice) {
    const struct tcplan_blas blas = tcplan_blas_info();
    *out = (struct provenance){.provenance = {.id = 1,
                                              .tcplan = TCPLAN_VERSION_STRING,
                                              .blas_name = blas.name,
                                              .blas_version = blas.version,
                                              .blas_core = blas.core}};
    out->provenance.blas_advice = blas_advice ? blas_advice : "";
    out->provenance.settings = out->settings;
    out->provenance.host = out->host;
    if (gethostname(out->host, sizeof out->host - 1) != 0) out->host[0] = '\0';
    describe_settings(out, options, measured);
    describe_machine(&out->provenance, options->machine);
}
