#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "contractions/xml_text.h"
#include "tcplan/results.h"

/* Lines that results_source.c looks for: "  </provenance>" and "  </result>" end what they end, each in a line of its own. */

/**
 * Begins an element: `<NAME`. The checksum of an element is that of its name and its attributes as they are written here, the checksum itself
 * aside; that of a result goes on with its algorithms. Returns where that begins.
 */
static size_t begin_element(struct strbuf *out, int indentation, const char *name) {
    strbuf_add(out, "%*s<", indentation, "");
    const size_t start = out->length;
    strbuf_add(out, "%s", name);
    return start;
}

/** Goes on with a checksum over what was written from `start` on. */
static uint32_t checksum_of(const struct strbuf *out, size_t start, uint32_t checksum) {
    return out->failed ? 0 : checksum_add(checksum, out->text + start, out->length - start);
}

static void add_checksum(struct strbuf *out, uint32_t checksum) {
    strbuf_add(out, " checksum=\"%08" PRIx32 "\"", checksum);
}

char *tcplan_results_text_begin(int64_t shard, int64_t shards) {
    struct strbuf out = {0};
    strbuf_add(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    const size_t start = begin_element(&out, 0, "results");
    xml_text_integer(&out, "format", 1);
    if (shards > 0) strbuf_add(&out, " shard=\"%" PRId64 "/%" PRId64 "\"", shard, shards);
    add_checksum(&out, checksum_of(&out, start, 0));
    strbuf_add(&out, ">\n");
    return strbuf_finish(&out);
}

/* "49152 2097152" */
static void add_caches(struct strbuf *out, const struct tcplan_provenance *provenance) {
    strbuf_add(out, " cache_bytes=\"");
    for (int c = 0; c < provenance->cache_count; c++) strbuf_add(out, "%s%" PRId64, c > 0 ? " " : "", provenance->cache_bytes[c]);
    strbuf_add(out, "\"");
}

char *tcplan_provenance_text(const struct tcplan_provenance *provenance) {
    struct strbuf out = {0};
    const size_t start = begin_element(&out, 2, "provenance");
    xml_text_integer(&out, "id", provenance->id);
    xml_text_attribute(&out, "tcplan", provenance->tcplan);
    xml_text_attribute(&out, "settings", provenance->settings);
    xml_text_attribute(&out, "host", provenance->host);
    xml_text_attribute(&out, "cpu", provenance->cpu);
    xml_text_attribute(&out, "machine", provenance->machine);
    xml_text_integer(&out, "cores", provenance->cores);
    xml_text_integer(&out, "processing_units", provenance->processing_units);
    xml_text_integer(&out, "memory_bytes", provenance->memory_bytes);
    add_caches(&out, provenance);
    xml_text_attribute(&out, "blas_name", provenance->blas_name);
    xml_text_attribute(&out, "blas_version", provenance->blas_version);
    xml_text_attribute(&out, "blas_core", provenance->blas_core);
    add_checksum(&out, checksum_of(&out, start, 0));
    strbuf_add(&out, ">\n  </provenance>\n");
    return strbuf_finish(&out);
}

static void add_entry(struct strbuf *out, const struct tcplan_result *result) {
    const char dtype[] = {tcplan_dtype_letter(result->dtype), '\0'};
    xml_text_attribute(out, "id", result->id);
    xml_text_integer(out, "provenance", result->provenance ? result->provenance->id : 1);
    xml_text_attribute(out, "library", result->library);
    xml_text_attribute(out, "group", result->group);
    xml_text_attribute(out, "name", result->name);
    xml_text_attribute(out, "class", result->size_class);
    xml_text_attribute(out, "source", result->source);
    xml_text_integer(out, "line", result->line);
    xml_text_attribute(out, "contraction", result->contraction);
    xml_text_attribute(out, "sizes", result->sizes);
    xml_text_attribute(out, "dtype", dtype);
    xml_text_attribute(out, "order", result->order == TCPLAN_ROW_MAJOR ? "row-major" : "column-major");
    xml_text_known(out, "strides", result->strides);
    xml_text_integer(out, "threads", result->threads);
}

static void add_outcome(struct strbuf *out, const struct tcplan_result *result) {
    const struct tcplan_result_algorithm *fastest = tcplan_result_fastest(result);
    xml_text_attribute(out, "status", result->reason ? "failed" : "done");
    if (result->reason) xml_text_attribute(out, "reason", result->reason);
    xml_text_number(out, "flops", result->flops);
    xml_text_number(out, "planning_seconds", result->planning_seconds);
    xml_text_number(out, "dgemm_gflops", result->gemm_gflops);
    xml_text_integer(out, "algorithms", result->algorithm_total);
    xml_text_integer(out, "pruned", result->pruned_count);
    if (result->max_memory_bytes > 0) xml_text_integer(out, "max_memory_bytes", result->max_memory_bytes);
    xml_text_attribute(out, "winner", result->algorithm_count > 0 ? result->algorithm[0].name : "");
    if (fastest) {
        xml_text_attribute(out, "fastest", fastest->name);
        xml_text_known_number(out, "regret", tcplan_result_regret(result));
    }
    xml_text_known(out, "reused_from", result->reused_from);
    xml_text_attribute(out, "finished", result->finished);
}

/** Nothing where the time is not known. */
static void add_estimate(struct strbuf *out, const char *kind, double seconds, double low, double high) {
    static const char *const parts[] = {"seconds", "low", "high"};
    const double values[] = {seconds, low, high};
    if (!(seconds > 0)) return;
    for (int p = 0; p < 3; p++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s", kind, parts[p]);
        xml_text_number(out, name, values[p]);
    }
}

/** Returns the checksum with the algorithm. */
static uint32_t add_algorithm(struct strbuf *out, const struct tcplan_result_algorithm *algorithm, uint32_t checksum) {
    const size_t start = begin_element(out, 4, "algorithm");
    xml_text_attribute(out, "name", algorithm->name);
    xml_text_attribute(out, "kernel", algorithm->kernel);
    xml_text_attribute(out, "tied", algorithm->tied ? "true" : "false");
    xml_text_integer(out, "calls", algorithm->calls);
    add_estimate(out, "predicted", algorithm->predicted_seconds, algorithm->predicted_low, algorithm->predicted_high);
    add_estimate(out, "measured", algorithm->measured_seconds, algorithm->measured_low, algorithm->measured_high);
    checksum = checksum_of(out, start, checksum);
    strbuf_add(out, "/>\n");
    return checksum;
}

char *tcplan_result_text(const struct tcplan_result *result) {
    struct strbuf out = {0}, algorithms = {0};
    const size_t start = begin_element(&out, 2, "result");
    add_entry(&out, result);
    add_outcome(&out, result);
    uint32_t checksum = checksum_of(&out, start, 0);
    strbuf_add(&algorithms, "%s", "");
    for (size_t a = 0; a < result->algorithm_count; a++) checksum = add_algorithm(&algorithms, &result->algorithm[a], checksum);
    add_checksum(&out, checksum);
    strbuf_add(&out, ">\n%s  </result>\n", algorithms.failed ? "" : algorithms.text);
    out.failed = out.failed || algorithms.failed;
    strbuf_free(&algorithms);
    return strbuf_finish(&out);
}

char *tcplan_results_text_end(const struct tcplan_results_summary *summary) {
    struct strbuf out = {0};
    if (summary) {
        const size_t start = begin_element(&out, 2, "end");
        xml_text_integer(&out, "entries", summary->entry_count);
        strbuf_add(&out, " digest=\"%016" PRIx64 "\"", summary->digest);
        xml_text_integer(&out, "results", summary->result_count);
        xml_text_integer(&out, "failed", summary->failed_count);
        add_checksum(&out, checksum_of(&out, start, 0));
        strbuf_add(&out, "/>\n");
    }
    strbuf_add(&out, "</results>\n");
    return strbuf_finish(&out);
}

/** Compares one thing; says what it is where it differs. */
static bool equal_text(const char *what, const char *a, const char *b, char *difference, size_t size) {
    if (strcmp(a, b) == 0) return true;
    snprintf(difference, size, "%s: '%.80s' and '%.80s'", what, a, b);
    return false;
}

/** Settings are words with blanks between them; only the first that differs is told. */
static bool equal_settings(const char *a, const char *b, char *difference, size_t size) {
    size_t start = 0, same = 0;
    if (strcmp(a, b) == 0) return true;
    for (; a[same] && a[same] == b[same]; same++) {
        if (a[same] == ' ') start = same + 1;
    }
    snprintf(difference, size, "settings: '%.*s' and '%.*s'", (int)strcspn(a + start, " "), a + start, (int)strcspn(b + start, " "),
             b + start);
    return false;
}

static bool equal_integer(const char *what, int64_t a, int64_t b, char *difference, size_t size) {
    if (a == b) return true;
    snprintf(difference, size, "%s: %" PRId64 " and %" PRId64, what, a, b);
    return false;
}

static bool equal_caches(const struct tcplan_provenance *a, const struct tcplan_provenance *b, char *difference, size_t size) {
    if (!equal_integer("levels of cache", a->cache_count, b->cache_count, difference, size)) return false;
    for (int c = 0; c < a->cache_count; c++) {
        if (!equal_integer("bytes of a cache", a->cache_bytes[c], b->cache_bytes[c], difference, size)) return false;
    }
    return true;
}

bool tcplan_provenance_equal(const struct tcplan_provenance *a, const struct tcplan_provenance *b, char *difference, size_t size) {
    return equal_text("version of tcplan", a->tcplan, b->tcplan, difference, size) &&
           equal_settings(a->settings, b->settings, difference, size) && equal_text("CPU", a->cpu, b->cpu, difference, size) &&
           equal_text("machine", a->machine, b->machine, difference, size) &&
           equal_integer("cores", a->cores, b->cores, difference, size) &&
           equal_integer("processing units", a->processing_units, b->processing_units, difference, size) &&
           equal_caches(a, b, difference, size) && equal_text("BLAS", a->blas_name, b->blas_name, difference, size) &&
           equal_text("BLAS version", a->blas_version, b->blas_version, difference, size) &&
           equal_text("BLAS core", a->blas_core, b->blas_core, difference, size);
}
