#include "cli/render/common_fields.h"

#include <string.h>

#include "cli/providers.h"
#include "cli/render/algorithms/report.h"
#include "tcplan/study/words.h"

/** Returns the text of the binding of --cores and --memory. */
static struct field_value binding_text(const struct options *options) {
    struct tcplan_binding binding;
    char text[TCPLAN_BINDING_LINE];
    tcplan_binding_make(&binding, options->cores, options->memory, NULL);
    tcplan_binding_print(text, &binding);
    return *text ? field_owned(strdup(text)) : field_unknown();
}

/* clang-format off */

#define ASKED(F, T) \
    F(T, contraction, TEXT, field_owned(tcplan_contraction_text(r->request->contraction)), "the contraction in tcplan's notation: C_abc=A_ai*B_ibc", ALWAYS) \
    F(T, sizes, SIZES, r->problem ? field_owned(report_sizes(r->problem)) : field_unknown(), "extent of each index") \
    F(T, strides, TEXT, field_owned(tcplan_strides_text(r->request->contraction)), \
      "strides in elements of tensors that are parts of larger ones: A=1,400;C=800,-2") \
    F(T, dtype, TEXT, FIELD_WORD(dtypes, r->request->options->dtype), "element type", .words = tcplan_words_dtypes, ALWAYS) \
    F(T, order, TEXT, FIELD_WORD(orders, r->request->options->order), "whether the first or the last index is contiguous", \
      .words = tcplan_words_orders, ALWAYS) \
    F(T, space, TEXT, FIELD_WORD(spaces, r->request->options->space), "space of algorithms", .words = tcplan_words_spaces, ALWAYS)

#define CACHE(F, T) \
    F(T, level, INTEGER, field_integer(r->level), "number of the level; 1 is nearest to the core", ALWAYS) \
    F(T, size_bytes, INTEGER, field_integer(r->size_bytes), "size of the cache", ALWAYS) \
    F(T, line_bytes, INTEGER, field_if(r->line_bytes > 0, field_integer(r->line_bytes)), "size of a line") \
    F(T, ways, INTEGER, field_if(r->ways != 0, field_integer(r->ways)), "associativity; -1: fully associative", .schema = "\"type\": \"integer\"") \
    F(T, shared_by, INTEGER, field_integer(r->shared_by), "processing units that share the cache", ALWAYS)

#define MACHINE(F, T) \
    F(T, cpu, TEXT, field_text(r->cpu), "name of the processor") \
    F(T, cores, INTEGER, field_integer(r->cores), "number of cores", ALWAYS) \
    F(T, processing_units, INTEGER, field_integer(r->processing_units), "number of hardware threads", ALWAYS) \
    F(T, memory_bytes, INTEGER, field_if(r->memory_bytes > 0, field_integer(r->memory_bytes)), "size of memory") \
    F(T, source, TEXT, field_text(r->source), "`live`, or the description of the assumed caches", ALWAYS) \
    F(T, caches, LIST, FIELD_VISIT_ALL(r->cache_count, &r->cache[i]), "caches of a core", .item = "cache", .fields = tcplan_cache_level_fields, ALWAYS)

#define LOAD(F, T) \
    F(T, windows, INTEGER, field_integer(r->windows), "number of timed windows", ALWAYS) \
    F(T, disturbed, INTEGER, field_integer(r->disturbed), "number of timed windows that other load disturbed", ALWAYS) \
    F(T, lost_share, NUMBER, field_number(r->lost_share), "share of the time that other load took", ALWAYS) \
    F(T, other_cores, NUMBER, field_if(r->other_cores >= 0, field_number(r->other_cores)), "processing units that other programs used") \
    F(T, speed_share, NUMBER, field_positive(r->speed_share), "mean share of the core's best speed") \
    F(T, good_reference_seconds, NUMBER, field_positive(r->good_reference_seconds), "time of the reference work at the best speed") \
    F(T, reference, TEXT, field_if(r->good_reference_seconds > 0, field_text(r->watches_memory ? "memory" : "core")), \
      "whether the core or memory bounds the reference work", .schema = "\"enum\": [\"core\", \"memory\"]") \
    F(T, elasticity, NUMBER, field_if(r->good_reference_seconds > 0, field_number(r->elasticity)), "elasticity: times follow this power of the reference time")

#define CORE_SPEED(F, T) \
    F(T, good_reference_seconds, NUMBER, field_positive(r->good_seconds), "time of the reference work at the best speed") \
    F(T, speed_share, NUMBER, field_if(r->good_seconds > 0, field_number(r->share)), "mean share of the core's best speed") \
    F(T, other_cores, NUMBER, field_if(r->other_cores >= 0, field_number(r->other_cores)), "processing units that other programs used")

#define MEMORY(F, T) \
    F(T, alignment_bytes, INTEGER, field_if(r->alignment_bytes > 0, field_integer(r->alignment_bytes)), "alignment of arrays, if given") \
    F(T, max_memory_bytes, INTEGER, field_if(r->max_memory_bytes > 0, field_integer(r->max_memory_bytes)), "memory limit for tensors, if given")

#define PLANNING(F, T) \
    F(T, effort, TEXT, FIELD_WORD(efforts, r->effort), "planning effort", .words = tcplan_words_efforts, ALWAYS) \
    F(T, prefer, TEXT, FIELD_WORD(preferences, r->prefer), "choice among equally fast algorithms", .words = tcplan_words_preferences, ALWAYS) \
    F(T, max_workspace_bytes, INTEGER, field_if(r->max_workspace_bytes > 0, field_integer(r->max_workspace_bytes)), \
      "memory limit for the temporaries of an algorithm, if given") \
    F(T, binding, TEXT, binding_text(r), "cores and memory nodes to which the process was bound; absent: not bound") \
    F(T, seed, INTEGER, field_integer((int64_t)(r->seed & INT64_MAX)), "equal seeds choose equal samples", ALWAYS) \
    F(T, memory, GROUP, FIELD_VISIT(r), "memory limits", .fields = memory_fields)

/* clang-format on */

FIELD_TABLE_SHARED(asked, asked, ASKED);
FIELD_TABLE(tcplan_cache_level, tcplan_cache_level, CACHE);
FIELD_TABLE_SHARED(tcplan_machine, tcplan_machine, MACHINE);
FIELD_TABLE_SHARED(tcplan_load, tcplan_load, LOAD);
FIELD_TABLE_SHARED(tcplan_core_speed, tcplan_core_speed, CORE_SPEED);
FIELD_TABLE_SHARED(memory, options, MEMORY);
FIELD_TABLE_SHARED(planning, options, PLANNING);

/* Libraries of kernels. */

struct provided {
    const char *name;
    struct tcplan_provider_info info;
};

static void each_provider(struct field_visit *visit) {
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        struct provided provided = {.name = tcplan_provider_name((enum tcplan_provider)p)};
        if (tcplan_provider_info(&provided.info, (enum tcplan_provider)p)) FIELD_VISIT(&provided);
    }
}

static struct field_value warnings(void) {
    static const char *text[BLAS_WARNINGS];
    return field_names(text, blas_warnings(text));
}

/* clang-format off */

#define PROVIDED(F, T) \
    F(T, name, TEXT, field_text(r->name), "name after the @ in names of algorithms", ALWAYS) \
    F(T, library, TEXT, field_text(r->info.name), "name of the library", ALWAYS) \
    F(T, version, TEXT, field_text(r->info.version), "version of the library") \
    F(T, core, TEXT, field_text(r->info.core), "core type of the library's kernels") \
    F(T, file, TEXT, field_text(r->info.file), "file of the library")

#define BLAS(F, T) \
    F(T, name, TEXT, field_word(r->name), "name of the library", ALWAYS) \
    F(T, version, TEXT, field_word(r->version), "version of the library", ALWAYS) \
    F(T, core, TEXT, field_word(r->core), "core type of the library's kernels", ALWAYS) \
    F(T, advice, TEXT, field_text(blas_advice(TCPLAN_PROVIDER_BLAS)), "advice to make the BLAS faster or correct; null: none", .null = true, ALWAYS)

#define LIBRARIES(F, T) \
    F(T, blas, OBJECT, FIELD_VISIT(r), "the BLAS of kernels without a provider in their name", .fields = blas_fields, ALWAYS) \
    F(T, providers, LIST, each_provider(visit), "all providers of kernels", .item = "provider", .fields = provided_fields, ALWAYS) \
    F(T, warnings, SENTENCES, warnings(), "reasons for slow or unreliable results", .item = "warning", ALWAYS)

/* clang-format on */

FIELD_TABLE(provided, provided, PROVIDED);
FIELD_TABLE(blas, tcplan_blas, BLAS);
FIELD_TABLE_SHARED(libraries, tcplan_blas, LIBRARIES);
