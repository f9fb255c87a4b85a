#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contractions/xml_text.h"
#include "tcplan/result_fields.h"

/* A record ends with the line `  </provenance>` or `  </result>`, which occurs nowhere else:
 * document_source.c searches for it. */

char *tcplan_results_text_begin(int64_t shard, int64_t shards) {
    struct strbuf out = {0};
    strbuf_add(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    const size_t start = xml_text_element(&out, 0, "results");
    xml_text_integer(&out, "format", 1);
    if (shards > 0) strbuf_add(&out, " shard=\"%" PRId64 "/%" PRId64 "\"", shard, shards);
    xml_text_add_checksum(&out, xml_text_checksum(&out, start, 0));
    strbuf_add(&out, ">\n");
    return strbuf_finish(&out);
}

/** Appends a field as an attribute. */
static void add_field(struct strbuf *out, const struct tcplan_field *field, const void *record) {
    struct tcplan_field_value value = tcplan_field_value(field, record);
    const bool left_out = field->optional && !value.known;
    out->failed = out->failed || value.no_memory;
    if (left_out) {
        /* An optional field whose value is unknown is omitted. */
    } else if (value.text) {
        xml_text_attribute(out, field->name, value.text);
    } else if (field->kind == TCPLAN_FIELD_NUMBER) {
        xml_text_number(out, field->name, value.number);
    } else if (field->kind == TCPLAN_FIELD_FLAG) {
        xml_text_attribute(out, field->name, value.integer ? "true" : "false");
    } else {
        xml_text_integer(out, field->name, value.integer);
    }
    free(value.owned);
}

/** Begins an element with the attributes of a table. Returns the position at which its checksum
 * begins. */
static size_t begin_record(struct strbuf *out, int indentation, const char *name,
                           const struct tcplan_field *fields, const void *record) {
    const size_t start = xml_text_element(out, indentation, name);
    for (; fields->name; fields++) {
        if (fields->formats & TCPLAN_FIELD_XML) add_field(out, fields, record);
    }
    return start;
}

char *tcplan_provenance_text(const struct tcplan_provenance *provenance) {
    struct strbuf out = {0};
    const size_t start = begin_record(&out, 2, "provenance", tcplan_provenance_fields, provenance);
    xml_text_add_checksum(&out, xml_text_checksum(&out, start, 0));
    strbuf_add(&out, ">\n  </provenance>\n");
    return strbuf_finish(&out);
}

char *tcplan_result_text(const struct tcplan_result *result) {
    struct strbuf out = {0}, algorithms = {0};
    size_t start = begin_record(&out, 2, "result", tcplan_result_fields, result);
    uint32_t checksum = xml_text_checksum(&out, start, 0);
    strbuf_add(&algorithms, "%s", "");
    for (size_t a = 0; a < result->algorithm_count; a++) {
        start = begin_record(&algorithms, 4, "algorithm", tcplan_algorithm_fields,
                             &result->algorithm[a]);
        checksum = xml_text_checksum(&algorithms, start, checksum);
        strbuf_add(&algorithms, "/>\n");
    }
    xml_text_add_checksum(&out, checksum);
    strbuf_add(&out, ">\n%s  </result>\n", algorithms.failed ? "" : algorithms.text);
    out.failed = out.failed || algorithms.failed;
    strbuf_free(&algorithms);
    return strbuf_finish(&out);
}

char *tcplan_results_text_end(const struct tcplan_results_summary *summary) {
    struct strbuf out = {0};
    if (summary) {
        const size_t start = xml_text_element(&out, 2, "end");
        xml_text_integer(&out, "entries", summary->entry_count);
        strbuf_add(&out, " digest=\"%016" PRIx64 "\"", summary->digest);
        xml_text_integer(&out, "results", summary->result_count);
        xml_text_integer(&out, "failed", summary->failed_count);
        xml_text_add_checksum(&out, xml_text_checksum(&out, start, 0));
        strbuf_add(&out, "/>\n");
    }
    strbuf_add(&out, "</results>\n");
    return strbuf_finish(&out);
}

/** Returns whether two texts are equal. If not, `difference` receives `what` and both texts. */
static bool equal_text(const char *what, const char *a, const char *b, char *difference,
                       size_t size) {
    if (strcmp(a, b) == 0) return true;
    snprintf(difference, size, "%s: '%.80s' and '%.80s'", what, a, b);
    return false;
}

/** Returns whether two lists of settings, words separated by blanks, are equal. If not,
 * `difference` receives the first difference. */
static bool equal_settings(const char *a, const char *b, char *difference, size_t size) {
    size_t start = 0, same = 0;
    if (strcmp(a, b) == 0) return true;
    for (; a[same] && a[same] == b[same]; same++) {
        if (a[same] == ' ') start = same + 1;
    }
    snprintf(difference, size, "settings: '%.*s' and '%.*s'", (int)strcspn(a + start, " "),
             a + start, (int)strcspn(b + start, " "), b + start);
    return false;
}

static bool equal_integer(const char *what, int64_t a, int64_t b, char *difference, size_t size) {
    if (a == b) return true;
    snprintf(difference, size, "%s: %" PRId64 " and %" PRId64, what, a, b);
    return false;
}

static bool equal_caches(const struct tcplan_provenance *a, const struct tcplan_provenance *b,
                         char *difference, size_t size) {
    if (!equal_integer("levels of cache", a->cache_count, b->cache_count, difference, size))
        return false;
    for (int c = 0; c < a->cache_count; c++) {
        if (!equal_integer("bytes of a cache", a->cache_bytes[c], b->cache_bytes[c], difference,
                           size))
            return false;
    }
    return true;
}

bool tcplan_provenance_equal(const struct tcplan_provenance *a, const struct tcplan_provenance *b,
                             char *difference, size_t size) {
    return equal_text("version of tcplan", a->tcplan, b->tcplan, difference, size) &&
           equal_settings(a->settings, b->settings, difference, size) &&
           equal_text("CPU", a->cpu, b->cpu, difference, size) &&
           equal_text("machine", a->machine, b->machine, difference, size) &&
           equal_integer("cores", a->cores, b->cores, difference, size) &&
           equal_integer("processing units", a->processing_units, b->processing_units, difference,
                         size) &&
           equal_caches(a, b, difference, size) &&
           equal_text("BLAS", a->blas_name, b->blas_name, difference, size) &&
           equal_text("BLAS version", a->blas_version, b->blas_version, difference, size) &&
           equal_text("BLAS core", a->blas_core, b->blas_core, difference, size);
}
